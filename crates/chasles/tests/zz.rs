mod cases;
use chasles::*;
use chasles_testing::Random;
#[test]
fn zz() {
    for seed in [8u64] {
        let r = &mut Random(seed);
        let c = cases::case(r);
        let (a, b) = c.bodies();
        println!("{seed} {:?} A {} {} B {} {}", c.screw, a.mesh().triangles().len(), a.mesh().diagonal(), b.mesh().triangles().len(), b.mesh().diagonal());
        println!("{:?} {:?}", c.screw.axis(), b.mesh().centre());
    }
    for seed in 0..60u64 {
        let r = &mut Random(seed);
        let c = cases::case(r);
        let (a, b) = c.bodies();
        let n = [1, 7, 32, 128, 512, 2000][r.below(6)];
        let o = pixel_collisions(&a, &b, &c.screw, &PixelOptions { resolution: n, budget: 2_000_000, memory: 1 << 30 }).unwrap();
        if o.outcome != PixelOutcome::Complete { println!("{seed} {n} {:?} slide {} angle {} diag {} {}", o.outcome, c.screw.slide(), c.screw.angle(), a.mesh().diagonal(), b.mesh().diagonal()); }
    }
}
