#[path = "../tests/cases/mod.rs"]
mod cases;
use chasles::*;
fn main() {
    let seed: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let c = cases::case(&mut cases::Random(seed));
    let (a, b) = c.bodies();
    println!("{:?} axis {:?}", c.screw, c.screw.axis());
    for s in [SearchMethod::Reference, SearchMethod::Hierarchy, SearchMethod::Rejection] {
        let p = first_contact(&a, &b, &c.screw, &Options { search: s, ..Default::default() }).unwrap();
        println!("{s:?} {:?} {:?}", p.outcome, p.counters);
    }
    let p = all_contacts(&a, &b, &c.screw, &Options::default()).unwrap();
    for c in p.contacts.iter().take(12) {
        println!("  {:?} {:?} {} {}", c.time, c.features, c.touching, c.approach_speed);
    }
}
