//! Bodies whose points are inexact: the report holds for all positions of the points within that distance.

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, CubicKey, Curve, PairListing, PairVerdict, Pose, Primitive,
    Scene, SceneBody, SceneDefinition,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};

/// A cube moves along x, uniformly or along a spline, past or into another cube. The points of either cube, or of
/// both, may be inexact. Faces within that distance of each other may touch or not: the enclosure contains the first
/// and the last possible time of contact.
#[test]
fn enclosures_hold_whatever_the_points_do() {
    let (seeds, undecided) = (fewer(300, 3), Counter::default());
    for_all(seeds, |seed| {
        let mut random = Random(seed);
        let size = 10.0_f64.powf(2.0 * random.side());
        let off = size * 10.0_f64.powf(-6.5 + 2.0 * random.side());
        let gap = size * (0.3 + random.unit());
        let past = random.below(3) == 0;
        // The cube passes beside the other one, or hits it less than a side away from its centre.
        let beside = if past { size + 3.0 * off } else { 0.3 * size * random.side() };
        let speed = gap * (1.1 + random.unit());
        let way = |time: f64| speed * time;
        let spline = random.below(2) == 0;
        let start = DVec3::new(-gap - size, beside, 0.2 * beside);
        let end = start + way(1.0) * DVec3::X;
        let position = match spline {
            false => Curve::Linear(vec![(0.0, start), (1.0, end)]),
            // The spline is slow at both ends.
            true => Curve::Cubic(
                [(0.0, start), (1.0, end)]
                    .map(|(time, value)| CubicKey {
                        time,
                        in_tangent: DVec3::ZERO,
                        value,
                        out_tangent: DVec3::ZERO,
                    })
                    .to_vec(),
            ),
        };
        let cube = CollisionShape::primitive(Primitive::Box { size: DVec3::splat(size) }).unwrap();
        let body = |name: &str, shape: Option<&CollisionShape>, motion, parent| SceneBody {
            name: name.into(),
            shape: shape.cloned(),
            motion,
            parent,
            group: None,
            solid: false,
        };
        let near = |off: f64| BodyMotion::Near { pose: Pose::IDENTITY, error: off };
        let moving = BodyMotion::Curves { position, rotation: Curve::constant(DQuat::IDENTITY) };
        let [own, other] = [[off, 0.0], [0.0, off], [0.5 * off, 0.5 * off]][random.below(3)];
        let bodies = vec![
            body("cart", Some(&cube), near(own), Some(2)),
            body("wall", Some(&cube), near(other), None),
            body("carrier", None, moving, None),
        ];
        let definition =
            SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
        let report = Scene::new(definition)
            .unwrap()
            .check(&CheckOptions { listed: PairListing::All, ..CheckOptions::default() }, &())
            .unwrap();
        let pair = &report.pairs[0];
        assert!(pair.deviation >= off * (1.0 - 1e-12), "{seed}: {} for {off}", pair.deviation);
        if past {
            assert_eq!(pair.verdict, PairVerdict::Clear, "{seed}: {off} of {size}");
            return Wrong::new();
        }
        // The time at which the cart has moved by `wanted`.
        let at = |wanted: f64| {
            let (mut lo, mut hi) = (0.0, 1.0);
            for _ in 0..200 {
                let middle: f64 = 0.5 * (lo + hi);
                let share = if spline { middle * middle * (3.0 - 2.0 * middle) } else { middle };
                *(if way(share) < wanted { &mut lo } else { &mut hi }) = middle;
            }
            lo
        };
        let [first, last] = [at(gap - off), at(gap + off)];
        match pair.intervals.first() {
            Some(interval) if pair.verdict == PairVerdict::Contact => {
                let [lo, hi] = interval.enter;
                assert!(lo <= first + 1e-12 && hi >= last - 1e-12, "{seed}: {lo} {hi} for {first} {last}");
                assert!(hi - lo < 40.0 * (last - first) + 1e-6, "{seed}: {} for {}", hi - lo, last - first);
            }
            _ => {
                // The contact was not missed.
                assert_eq!(pair.verdict, PairVerdict::Undecided, "{seed}");
                assert!(pair.clear_until <= first, "{seed}: {} for {first}", pair.clear_until);
                undecided.add();
            }
        }
        Wrong::new()
    });
    assert!(undecided.get() as u64 * 15 < seeds, "{} of {seeds}", undecided.get());
}

#[test]
fn invalid_lengths_are_refused() {
    for off in [-1.0, f64::NAN, f64::INFINITY] {
        let motion = BodyMotion::Near { pose: Pose::IDENTITY, error: off };
        let body =
            SceneBody { name: "a".into(), shape: None, motion, parent: None, group: None, solid: false };
        let definition = SceneDefinition {
            duration: 1.0,
            tolerance: None,
            clearance: 0.0,
            bodies: vec![body],
            ignore: vec![],
        };
        assert!(Scene::new(definition).is_err(), "{off}");
    }
}
