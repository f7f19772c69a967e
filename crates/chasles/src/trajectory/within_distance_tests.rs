//! Gaps that hover at the clearance, and the results of a budget that is too small.

use glam::{DQuat, DVec3};

use crate::motion::{Pose, Screw};
use crate::pair::shape::CollisionShape;
use crate::scene::report::CheckOptions;
use crate::scene::report::{PairListing, PairReport, PairUndecidedReason, PairVerdict};
use crate::scene::{BodyMotion, Scene, SceneBody, SceneDefinition};
use crate::shape::Primitive;

const CLEARANCE: f64 = 0.01;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z)).unwrap()
}

fn body(name: &str, primitive: Primitive, motion: BodyMotion) -> SceneBody {
    let shape = Some(CollisionShape::primitive(primitive).unwrap());
    SceneBody::new(name, shape, motion)
}

/// A wall with its face at z = 0.5, and a body that moves above it.
fn above_a_wall(primitive: Primitive, motion: BodyMotion) -> Scene {
    let wall = Primitive::Box { size: DVec3::new(4.0, 4.0, 1.0) };
    let bodies = vec![body("wall", wall, BodyMotion::Still(Pose::IDENTITY)), body("cart", primitive, motion)];
    let definition = SceneDefinition { clearance: CLEARANCE, ..SceneDefinition::new(1.0, bodies) };
    Scene::new(definition).unwrap()
}

/// Bodies that extend 0.1 below their origin.
fn carts() -> [Primitive; 4] {
    [
        Primitive::Box { size: DVec3::splat(0.2) },
        Primitive::Sphere { radius: 0.1 },
        Primitive::Cylinder { radius: 0.15, height: 0.2 },
        Primitive::Capsule { radius: 0.05, height: 0.1 },
    ]
}

/// With a budget too small for sampling.
fn only_pair(scene: &Scene, budget: u64) -> Option<PairReport> {
    let options = CheckOptions { budget, ..CheckOptions::default() };
    scene.check(&options, &()).unwrap().pairs.pop()
}

fn slides(gap: f64) -> [BodyMotion; 2] {
    let z = 0.6 + gap;
    // A straight motion; and one with two legs, neither of which is a single screw.
    let straight = BodyMotion::Screw(Screw::translation(at(-1.0, 0.1, z), DVec3::new(2.0, 0.3, 0.0)));
    let keys = vec![(0.0, at(-1.0, -0.7, z)), (0.4, at(0.8, 0.6, z)), (1.0, at(-0.3, 0.9, z))];
    [straight, BodyMotion::Keyframes(keys)]
}

#[test]
fn a_body_that_hovers_outside_the_clearance_is_clear_and_inside_it_near_throughout() {
    for cart in carts() {
        for power in 3..9 {
            let off = CLEARANCE * 0.1_f64.powi(power);
            for motion in slides(CLEARANCE + off) {
                let found = only_pair(&above_a_wall(cart, motion), 20_000);
                assert_eq!(found, None, "{cart:?} {off} outside");
            }
            for motion in slides(CLEARANCE - off) {
                let pair = only_pair(&above_a_wall(cart, motion), 20_000).expect("near");
                assert_eq!(pair.verdict, PairVerdict::Near, "{cart:?} {off} inside: {pair:?}");
                let [interval] = pair.intervals.as_slice() else { panic!("{cart:?} {off} inside: {pair:?}") };
                assert_eq!(
                    (interval.enter, interval.exit, pair.reason),
                    ([0.0; 2], None, None),
                    "{cart:?} {off}"
                );
            }
        }
    }
}

#[test]
fn a_body_that_hovers_and_rotates_is_decided() {
    let spinning = |gap: f64| {
        let start = at(0.3, 0.1, 0.6 + gap);
        BodyMotion::Screw(Screw::about(start, DVec3::Z, DVec3::new(0.0, 0.2, 0.0), 0.0, 2.0).unwrap())
    };
    for cart in carts() {
        for off in [1e-4 * CLEARANCE, 1e-6 * CLEARANCE] {
            let beyond = only_pair(&above_a_wall(cart, spinning(CLEARANCE + off)), 2_000_000);
            assert_eq!(beyond, None, "{cart:?} {off} outside");
            let within = only_pair(&above_a_wall(cart, spinning(CLEARANCE - off)), 2_000_000).expect("near");
            assert_eq!((within.verdict, within.intervals.len()), (PairVerdict::Near, 1), "{cart:?} {off}");
            assert_eq!((within.intervals[0].exit, within.reason), (None, None), "{cart:?} {off}");
        }
    }
}

/// A slope of a millionth crosses the clearance once, at the reported time.
#[test]
fn a_slow_passage_through_the_clearance_has_a_sharp_interval() {
    for sense in [1.0, -1.0] {
        let from = at(-1.0, 0.1, 0.6 + CLEARANCE + sense * 1e-6);
        let motion = BodyMotion::Screw(Screw::translation(from, DVec3::new(2.0, 0.3, sense * -4e-6)));
        let cart = Primitive::Box { size: DVec3::splat(0.2) };
        let pair = only_pair(&above_a_wall(cart, motion), 100_000).expect("near");
        let [interval] = pair.intervals.as_slice() else { panic!("{pair:?}") };
        let [lo, hi] = if sense > 0.0 { interval.enter } else { interval.exit.expect("an end") };
        assert!(lo <= 0.25 + 1e-9 && 0.25 - 1e-9 <= hi && hi - lo < 2e-7, "{interval:?}");
    }
}

#[test]
fn without_a_budget_the_distance_is_undecided() {
    // A gap that swings about the clearance.
    let rotation = DQuat::from_rotation_y(0.05);
    let keys = (0..=8).map(|i| {
        let time = 0.125 * f64::from(i);
        let pose = at(0.1 * f64::from(i), 0.0, 0.602 + CLEARANCE);
        (time, if i % 2 == 0 { pose } else { Pose::new(pose.position(), rotation).unwrap() })
    });
    let scene =
        above_a_wall(Primitive::Box { size: DVec3::splat(0.2) }, BodyMotion::Keyframes(keys.collect()));
    let whole = only_pair(&scene, 10_000_000).expect("near");
    assert_eq!((whole.reason, whole.intervals.len()), (None, 4), "{whole:?}");
    let mut undecided = 0;
    for budget in [1, 100, 1000, 3000, 10_000, 30_000, 100_000] {
        let pair = only_pair(&scene, budget).expect("near, or undecided");
        if pair.reason == Some(PairUndecidedReason::Budget) {
            undecided += 1;
            assert_eq!(pair.undecided.last().expect("a doubt")[1], 1.0, "{budget}: {pair:?}");
            // Before that the intervals equal those found with a larger budget, and no end is reported that is unknown.
            for (less, more) in pair.intervals.iter().zip(&whole.intervals) {
                assert!(less == more || less.exit.is_some_and(|exit| exit[1] == 1.0), "{budget}: {pair:?}");
            }
        } else {
            assert_eq!((pair.intervals, pair.undecided), (whole.intervals.clone(), vec![]), "{budget}");
        }
    }
    assert!((3..7).contains(&undecided), "{undecided}");
}

/// Meshed teeth: the gap is near its minimum all the time.
#[test]
fn the_minimum_gap_of_a_hovering_body_is_found_within_the_budget() {
    for cart in carts() {
        for motion in slides(1e-3) {
            let scene = above_a_wall(cart, motion);
            let options =
                CheckOptions { budget: 200_000, listed: PairListing::All, ..CheckOptions::default() };
            let pair = scene.check(&options, &()).unwrap().pairs.remove(0);
            let [lower, upper] = pair.gap.expect("a gap");
            assert!(lower <= 1e-3 && 1e-3 <= upper + 1e-15, "{cart:?} {lower} {upper}");
            assert!(upper - lower <= 1e-5, "{cart:?} {lower} {upper}");
        }
    }
}

/// Far from the origin, a position takes longer to change by one rounding than the width of an enclosure otherwise,
/// so enclosures that leave out rounding miss the true time. All coordinates and the clearance are multiples of
/// 2^-34 m, so the true time is exact up to its own rounding.
#[test]
fn enclosures_contain_the_true_time_far_from_the_origin() {
    const FAR: f64 = 262_144.0;
    const CLEARANCE: f64 = 1.0 / 16_384.0;
    let unit = 0.5_f64.powi(34);
    for number in 0..40 {
        // From above the clearance to below it, by 1 to 4 clearances.
        let above = f64::from(1_000 + 997 * number) * unit * 8.0;
        let height_change = above + f64::from(3_000 + 4_999 * number) * unit * 4.0;
        let ends =
            [above, above - height_change].map(|height| at(0.0, 0.0, FAR + 0.5 + 0.125 + CLEARANCE + height));
        for cart in [Primitive::Box { size: DVec3::splat(0.25) }, Primitive::Sphere { radius: 0.125 }] {
            for is_reversed in [false, true] {
                let keys = if is_reversed { [ends[1], ends[0]] } else { ends };
                let motion = BodyMotion::Keyframes(vec![(0.0, keys[0]), (1.0, keys[1])]);
                let wall = Primitive::Box { size: DVec3::new(4.0, 4.0, 1.0) };
                let wall = body("wall", wall, BodyMotion::Still(at(0.0, 0.0, FAR)));
                let bodies = vec![wall, body("cart", cart, motion)];
                let clearance = CLEARANCE;
                let definition = SceneDefinition { clearance, ..SceneDefinition::new(1.0, bodies) };
                let pair = only_pair(&Scene::new(definition).unwrap(), 1_000_000).expect("near");
                let [interval] = pair.intervals.as_slice() else { panic!("{number} {cart:?}: {pair:?}") };
                let (truth, enclosure) = if is_reversed {
                    assert_eq!(interval.enter, [0.0; 2], "{number} {cart:?}");
                    (1.0 - above / height_change, interval.exit.expect("an end"))
                } else {
                    assert_eq!(interval.exit, None, "{number} {cart:?}");
                    (above / height_change, interval.enter)
                };
                let [lo, hi] = enclosure;
                assert!(lo <= truth && truth <= hi, "{number} {cart:?}: {truth} in [{lo}, {hi}]");
                assert!(hi - lo < 1e-2, "{number} {cart:?}: {interval:?}");
            }
        }
    }
}
