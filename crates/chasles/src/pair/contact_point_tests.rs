//! Contact points of all pairs of shapes against a twin: the distance of two convex bodies along a direction is a lower
//! bound of their distance, and two points of theirs give an upper bound. If both agree, the points are nearest.

use glam::{DQuat, DVec3};

use crate::math::budget::Budget;
use crate::motion::Pose;
use crate::pair::shape::CollisionShape;
use crate::pair::{Pair, PairMemory};
use crate::shape::Primitive;
use crate::touch::place::{Reach, TouchPlace};
use crate::touch::posed_mesh::Winding;
use chasles_testing::{Random, cases};

/// The furthest point of a primitive at a pose along a direction.
fn support(primitive: &Primitive, pose: &Pose, direction: DVec3) -> DVec3 {
    let n = pose.rotation().conjugate() * direction;
    let across = DVec3::new(n.x, n.y, 0.0).normalize_or_zero();
    let up = 0.5_f64.copysign(n.z);
    let own = match *primitive {
        Primitive::Box { size } => 0.5 * size * DVec3::new(1.0, 1.0, 1.0).copysign(n),
        Primitive::Sphere { radius } => radius * n.normalize(),
        Primitive::Capsule { radius, height } => radius * n.normalize() + DVec3::Z * height * up,
        Primitive::Cylinder { radius, height } => radius * across + DVec3::Z * height * up,
        Primitive::Cone { radius, height } => {
            let [rim, tip] = [radius * across - DVec3::Z * 0.5 * height, DVec3::Z * 0.5 * height];
            if rim.dot(n) > tip.dot(n) { rim } else { tip }
        }
    };
    pose.position() + pose.rotation() * own
}

/// The distance between the planes across a direction that touch A and B from within; negative if they overlap there.
fn gap_along(shapes: [&Primitive; 2], poses: [&Pose; 2], n: DVec3) -> f64 {
    (support(shapes[1], poses[1], -n) - support(shapes[0], poses[0], n)).dot(n)
}

/// About the direction in which two separated bodies are furthest apart, and their distance along it: the best of some
/// random searches, since a search may end on a ridge.
fn separation(shapes: [&Primitive; 2], poses: [&Pose; 2], random: &mut Random) -> (DVec3, f64) {
    let gap = |n: DVec3| gap_along(shapes, poses, n);
    let mut search = || {
        let (mut best, mut step) = (random.direction(), 1.0);
        while step > 1e-6 {
            let around: Vec<DVec3> =
                (0..40).map(|_| (best + step * random.direction()).normalize()).collect();
            let next = around.into_iter().max_by(|p, q| gap(*p).total_cmp(&gap(*q))).unwrap();
            if gap(next) > gap(best) { best = next } else { step *= 0.8 }
        }
        best
    };
    let ends = [search(), search(), search()];
    let best = ends.into_iter().max_by(|p, q| gap(*p).total_cmp(&gap(*q))).unwrap();
    (best, gap(best))
}

fn primitive(kind: usize, random: &mut Random) -> Primitive {
    let [x, y, z] = [(); 3].map(|()| random.within(0.2, 1.0));
    match kind {
        0 => Primitive::Box { size: DVec3::new(x, y, z) },
        1 => Primitive::Sphere { radius: 0.5 * x },
        2 => Primitive::Cylinder { radius: 0.5 * x, height: y },
        3 => Primitive::Cone { radius: 0.5 * x, height: y },
        _ => Primitive::Capsule { radius: 0.4 * x, height: y },
    }
}

/// A rotation: any, or about one axis, so that edges and faces are parallel to those of the other body.
fn rotation(random: &mut Random) -> DQuat {
    match random.below(4) {
        0 => DQuat::IDENTITY,
        1 => DQuat::from_axis_angle(DVec3::AXES[random.below(3)], random.within(-3.0, 3.0)),
        _ => DQuat::from_scaled_axis(3.0 * random.direction()),
    }
}

/// The contact points of two bodies, in B's frame.
fn places(shapes: [Primitive; 2], [a, b]: [&Pose; 2], reach: Reach) -> Vec<TouchPlace> {
    let bodies = shapes.map(|shape| CollisionShape::primitive(shape).unwrap());
    let pair = Pair::new(&bodies[0], &bodies[1]);
    let relative = b.inverse().compose(a);
    let budget = &mut Budget::new(1_000_000);
    pair.contact_points_at(&mut PairMemory::default(), (&relative, &reach), [Winding::Outward; 2], budget)
        .unwrap()
}

/// About the distance of the bodies in metres.
const GAP: f64 = 2e-3;

#[test]
fn the_nearest_points_of_two_bodies_are_among_their_contact_points() {
    let (mut wrong, mut tested) = (Vec::new(), 0);
    for seed in 0..cases(200, 600) {
        let random = &mut Random(seed);
        let kinds = [random.below(5), random.below(5)];
        let shapes = kinds.map(|kind| primitive(kind, random));
        let b = Pose::new(DVec3::ZERO, rotation(random)).unwrap();
        let mut a = Pose::new(1.6 * random.direction(), rotation(random)).unwrap();
        let (normal, distance) = separation([&shapes[0], &shapes[1]], [&a, &b], random);
        if distance < 0.01 {
            continue;
        }
        a = Pose::new(a.position() + (distance - GAP) * normal, a.rotation()).unwrap();
        let found = places(shapes, [&a, &b], Reach { gap: 4.0 * GAP, depth: 1e-4 });
        let bounds = found.iter().map(|place| {
            let lower = gap_along([&shapes[0], &shapes[1]], [&a, &b], b.rotation() * place.normal);
            [lower, place.points[0].distance(place.points[1])]
        });
        let [lower, upper] =
            bounds.fold([0.0, f64::INFINITY], |[lower, upper], [l, u]| [lower.max(l), upper.min(u)]);
        tested += 1;
        // A place whose points are not on the bodies would give an upper bound below the lower one.
        if (upper - lower).abs() > 1e-8 {
            wrong.push(format!("seed {seed}: {shapes:?}, distance {lower} to {upper}, found {found:?}"));
        }
    }
    assert!(tested > 65, "{tested}");
    wrong.truncate(5);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Bodies that penetrate have a contact whose normal separates them by the shortest translation, about.
#[test]
fn a_contact_of_bodies_that_penetrate_has_the_normal_of_the_shortest_translation() {
    let mut wrong = Vec::new();
    for seed in 0..cases(200, 2_000) {
        let random = &mut Random(seed);
        let shapes = [(); 2].map(|()| match primitive(random.below(5), random) {
            Primitive::Cylinder { radius, height } if random.below(2) == 0 => {
                Primitive::Cylinder { radius, height: 0.05 * height }
            }
            other => other,
        });
        let b = Pose::new(DVec3::ZERO, rotation(random)).unwrap();
        let mut a = Pose::new(random.within(0.1, 1.0) * random.direction(), rotation(random)).unwrap();
        let (normal, distance) = separation([&shapes[0], &shapes[1]], [&a, &b], random);
        let depth = [0.0, 1e-12, 1e-6, 1e-4][random.below(4)];
        a = Pose::new(a.position() + (distance + depth) * normal, a.rotation()).unwrap();
        let found = places(shapes, [&a, &b], Reach { gap: 1e-3, depth: 1e-4 });
        let gap =
            |place: &TouchPlace| gap_along([&shapes[0], &shapes[1]], [&a, &b], b.rotation() * place.normal);
        let best = found.iter().map(gap).fold(f64::NEG_INFINITY, f64::max);
        if best < -1.02 * depth - 1e-5 {
            wrong.push(format!("seed {seed}: {shapes:?}, depth {depth}, gap {best}, found {found:?}"));
        }
    }
    let count = wrong.len();
    wrong.truncate(5);
    assert!(wrong.is_empty(), "{count}: {}", wrong.join("\n"));
}
