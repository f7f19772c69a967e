mod cases;
use chasles::*;
use chasles_testing::Random;
#[test]
fn zz() {
    for seed in 23357..23358u64 {
        let r = &mut Random(seed);
        let m = [cases::extremes::Meet::Any, cases::extremes::Meet::Graze, cases::extremes::Meet::Inside][r.below(3)];
        let c = cases::extremes::extreme(r, m).case;
        let (a, b) = c.bodies();
        for n in [32, 512] {
        let o = pixel_collisions(&a, &b, &c.screw, &PixelOptions { resolution: n, budget: 2_000_000_000, memory: 1 << 30 }).unwrap();
        println!("{seed} {n} {:?} {} slide {} angle {} diag {} {} {:?}", o.outcome, o.collisions.len(), c.screw.slide(), c.screw.angle(), a.mesh().diagonal(), b.mesh().diagonal(), c.screw.axis()); 
        }
    }
}
