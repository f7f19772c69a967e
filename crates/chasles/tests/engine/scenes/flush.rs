//! Bodies with coplanar or coincident faces: overlapping if they penetrate deeply, in contact if they only touch.

use std::sync::Arc;

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, PairListing, PairReport, PairVerdict, Pose, Primitive, Scene,
    SceneBody, SceneDefinition,
};
use chasles_testing::Random;
use glam::DVec3;

use crate::cases::fewer;
use crate::cases::seeds::{Wrong, for_all};

/// The report of two bodies, the first of which moves slowly along x.
fn checked([a, b]: [&CollisionShape; 2], [at_a, at_b]: [DVec3; 2], speed: f64) -> PairReport {
    let body = |shape: &CollisionShape, motion| SceneBody {
        name: "body".into(),
        shape: Some(shape.clone()),
        motion,
        parent: None,
        group: None,
        solid: false,
    };
    let [start, place] = [at_a, at_b].map(|at| Pose::from_position(at).unwrap());
    let motion = BodyMotion::Twist { start, linear: speed * DVec3::X, angular: DVec3::ZERO };
    let bodies = vec![body(a, motion), body(b, BodyMotion::Still(place))];
    let definition =
        SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
    let options = CheckOptions { listed: PairListing::All, ..CheckOptions::default() };
    Scene::new(definition).unwrap().check(&options, &()).unwrap().pairs.remove(0)
}

/// A primitive, and the mesh that represents it.
fn guises(primitive: Primitive) -> [CollisionShape; 2] {
    let shape = CollisionShape::primitive(primitive).unwrap();
    let mesh = CollisionShape::mesh(Arc::new(chasles::PreparedMesh::new(shape.drawn().clone())));
    [shape, mesh]
}

#[test]
fn flush_bodies_overlap_if_they_are_deep() {
    for_all(fewer(40, 2), |seed| {
        let random = &mut Random(seed);
        // Numbers of few digits, so that faces are exactly coplanar.
        let mut length = || (1.0 + random.below(32) as f64) / 8.0;
        let size = DVec3::new(length(), length(), length());
        let radius = length();
        let shapes =
            [guises(Primitive::Box { size }), guises(Primitive::Cylinder { radius, height: size.z })];
        let axes = [random.below(3), 2];
        let far = [DVec3::ZERO, 1024.0 * DVec3::ONE][random.below(2)];
        let mut wrong = Wrong::new();
        for ([first, second], axis) in shapes.iter().map(|[a, b]| [a, b]).zip(axes) {
            let along = DVec3::AXES[axis];
            let pairs = [[first, first], [second, second], [first, second]];
            for (share, expected) in [
                (0.0, PairVerdict::Overlapping),
                (0.5, PairVerdict::Overlapping),
                (0.75, PairVerdict::Overlapping),
                (1.0, PairVerdict::Contact),
            ] {
                for pair in pairs {
                    let off = share * size[axis] * along;
                    let found = checked(pair, [far, far + off], 0.0625);
                    if found.verdict != expected {
                        wrong.push(format!("{size} {radius} apart by {off}: {found:?}"));
                    }
                }
            }
        }
        wrong
    });
}

/// Gaps of small and large bodies are known to the same fraction.
#[test]
fn gaps_are_relative_to_the_size() {
    for size in [1e-6, 1e-4, 1e-2, 1.0] {
        let ball = CollisionShape::primitive(Primitive::Sphere { radius: 0.5 * size }).unwrap();
        let cube = CollisionShape::primitive(Primitive::Box { size: DVec3::splat(size) }).unwrap();
        let (gap, start) = (0.03 * size, -2.0 * size * DVec3::X);
        for shapes in [[&ball, &ball], [&ball, &cube], [&cube, &cube]] {
            let found = checked(shapes, [start, (size + gap) * DVec3::Z], 4.0 * size);
            let [lower, upper] = found.gap.unwrap();
            let is_known = lower <= gap * (1.0 + 1e-9) && gap <= upper * (1.0 + 1e-9);
            assert!(is_known && upper - lower < 0.011 * gap, "{size}: {found:?}");
        }
    }
}
