//! Seeded scenes: many bodies, near misses, knots, round bodies.

use std::sync::Arc;

use chasles::broad_phase::SweptBox;
use chasles::{
    BodyMotion, CollisionShape, Error, Mesh, Pose, PreparedMesh, Primitive, Scene, SceneBody,
    SceneDefinition, Screw,
};
use glam::{DQuat, DVec3};

use crate::cases::meshes::{cuboid, torus_knot};
use crate::cases::shapes::{Raw, lump};
use crate::cases::swarm::SLOTS;
use chasles_testing::Random;

/// Numbers of vertices of lumps with 12 to 80 triangles.
const VERTICES: std::ops::RangeInclusive<usize> = 8..=42;

fn scene(bodies: Vec<SceneBody>) -> Result<Scene, Error> {
    Scene::new(SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] })
}

fn body(name: String, shape: CollisionShape, motion: BodyMotion) -> SceneBody {
    SceneBody { name, shape: Some(shape), motion, parent: None, group: None, solid: false }
}

fn shape((points, triangles): Raw) -> Result<CollisionShape, Error> {
    Ok(CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points, triangles)?))))
}

/// Many bodies that slide and rotate through a cube for one second, each along a screw about an axis through its
/// centre: half of them boxes, half lumps of 12 to 80 triangles, of mean radius 0.5. Each body's part of the cube
/// has a side of 10 mean radii. Each body travels up to 8 mean radii and rotates by up to 3 rad.
///
/// # Errors
/// None.
pub fn crowd(bodies: u32, seed: u64) -> Result<Scene, Error> {
    let random = &mut Random(seed);
    let half = 2.5 * f64::from(bodies).cbrt();
    // Shapes are created once and shared by many bodies, because their creation is not measured.
    let mut shapes = Vec::new();
    for vertices in VERTICES.chain(VERTICES) {
        let size = random.within(0.3, 0.7);
        let scale = size * DVec3::new(random.within(0.4, 1.0), random.within(0.4, 1.0), 1.0);
        let (points, triangles) = lump(vertices, 1.0, vertices as u64);
        shapes.push(shape((points.into_iter().map(|v| scale * v).collect(), triangles))?);
        shapes.push(shape(cuboid(1.154 * scale))?);
    }
    let one = |number: u32| {
        let of = random.bits() as usize % shapes.len();
        let start = Pose::new(random.vector(half), random.even_rotation())?;
        let (axis, path) = (random.direction_of_two(), random.within(0.0, 4.0));
        let screw = Screw::about(start, axis, start.position(), path, random.within(-3.0, 3.0))?;
        Ok(body(number.to_string(), shapes[of].clone(), BodyMotion::Screw(screw)))
    };
    scene((0..bodies).map(one).collect::<Result<_, Error>>()?)
}

/// The swept boxes of the bodies of a [`crowd`], in 16 spans each, from the vertices at both ends. In between, a
/// vertex deviates from its chord by at most an eighth of its distance from the centre times the angle squared.
#[must_use]
pub fn boxes(scene: &Scene) -> Vec<SweptBox> {
    let mut boxes = Vec::new();
    let time = |slot: u32| f64::from(slot) / f64::from(SLOTS);
    for (number, body) in (0..).zip(scene.bodies()) {
        let Some(shape) = &body.shape else { continue };
        let mesh = shape.drawn();
        let vertices: Vec<DVec3> = (0..mesh.vertex_count() as u32).map(|v| mesh.vertex(v)).collect();
        let reach = vertices.iter().map(|v| v.length()).fold(0.0, f64::max);
        let angle = 3.0 / f64::from(SLOTS);
        let pad = DVec3::splat(reach * angle * angle / 8.0 + 1e-9);
        let at = |time: f64| {
            let pose = scene.pose_at(number as usize, time);
            let points = vertices.iter().map(|v| pose.transform_point(*v));
            points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(lo, hi), p| (lo.min(p), hi.max(p)))
        };
        let mut from = at(0.0);
        for slot in 0..SLOTS {
            let to = at(time(slot + 1));
            let (min, max) = (from.0.min(to.0) - pad, from.1.max(to.1) + pad);
            boxes.push(SweptBox { body: number, start: time(slot), end: time(slot + 1), min, max });
            from = to;
        }
    }
    boxes
}

/// Two lumps with radius 1 about their origins, both on twists of up to 3 rad, with minimum distance `gap`.
///
/// Each rotates about a vertical line through its origin, and stays on its side of two horizontal planes at
/// distance `gap`. After half a second, A's highest vertex is right below B's lowest. Then a random rotation is
/// applied to the scene.
///
/// # Errors
/// None.
pub fn near_miss(gap: f64, seed: u64) -> Result<Scene, Error> {
    let random = &mut Random(seed);
    let mut one = |side: f64| {
        let vertices = 8 + random.bits() as usize % 35;
        let turn = random.even_rotation();
        let (points, triangles) = lump(vertices, 1.0, random.bits());
        let points: Vec<DVec3> = points.into_iter().map(|v| turn * v).collect();
        // The vertex that extends furthest towards the other body.
        let last =
            points.iter().copied().fold(DVec3::ZERO, |a, b| if side * b.z > side * a.z { b } else { a });
        let spin = random.within(-3.0, 3.0);
        let direction = DVec3::new(random.within(-4.0, 4.0), random.within(-4.0, 4.0), 0.0);
        let middle = DQuat::from_rotation_z(0.5 * spin) * last + 0.5 * direction;
        (points, triangles, spin, direction, middle)
    };
    let both = [one(1.0), one(-1.0)];
    let offset = [DVec3::ZERO, both[0].4 + gap * DVec3::Z - both[1].4];
    let turn = random.even_rotation();
    let mut bodies = Vec::new();
    for ((points, triangles, spin, direction, _), at) in both.into_iter().zip(offset) {
        let motion = BodyMotion::Twist {
            start: Pose::new(turn * at, turn)?,
            linear: turn * direction,
            angular: turn * (spin * DVec3::Z),
        };
        bodies.push(body(format!("lump {}", bodies.len()), shape((points, triangles))?, motion));
    }
    scene(bodies)
}

/// Two torus knots of about 1,000 triangles, both on twists, and the screw from the first to the last pose of A in
/// the frame of B.
#[derive(Debug, Clone)]
pub struct Knots {
    /// A and B on twists.
    pub twists: Scene,
    /// A on the screw, B at the origin.
    pub one_screw: Scene,
    /// A's motion in B's frame, where B is static.
    pub screw: Screw,
}

/// Knots with radius 1 about their origins, 2.5 apart at first. A flies at B, and both rotate by up to 1.5 rad.
///
/// # Errors
/// None.
pub fn knots(seed: u64) -> Result<Knots, Error> {
    let random = &mut Random(seed);
    let shape = shape(torus_knot(1000))?;
    let mut bodies = Vec::new();
    let towards = random.direction_of_two();
    for side in [-1.0, 1.0] {
        let motion = BodyMotion::Twist {
            start: Pose::new(1.25 * side * towards, random.even_rotation())?,
            linear: random.vector(0.3) - side * towards,
            angular: random.within(0.5, 1.5) * random.direction_of_two(),
        };
        bodies.push(body(format!("knot {}", bodies.len()), shape.clone(), motion));
    }
    let twists = scene(bodies)?;
    let seen = |time: f64| twists.pose_at(1, time).inverse().compose(&twists.pose_at(0, time));
    let screw = Screw::between(seen(0.0), seen(1.0));
    let one_screw = scene(vec![
        body("knot 0".into(), shape.clone(), BodyMotion::Screw(screw)),
        body("knot 1".into(), shape, BodyMotion::Still(Pose::IDENTITY)),
    ])?;
    Ok(Knots { twists, one_screw, screw })
}

/// The round shapes that dip, with their names.
pub const ROUND: [(&str, Primitive); 4] = [
    ("sphere", Primitive::Sphere { radius: 0.5 }),
    ("capsule", Primitive::Capsule { radius: 0.3, height: 0.6 }),
    ("cylinder", Primitive::Cylinder { radius: 0.4, height: 1.0 }),
    ("cone", Primitive::Cone { radius: 0.4, height: 1.0 }),
];

/// A round body that dips into a slab and comes out again, rotating by up to 2 rad in each direction.
///
/// # Errors
/// None.
pub fn dip(primitive: Primitive, seed: u64) -> Result<Scene, Error> {
    let random = &mut Random(seed);
    let mut pose = |height: f64, turn: DQuat| {
        let place = random.vector(1.0) * DVec3::new(1.0, 1.0, 0.1) + DVec3::new(0.0, 0.0, height);
        let turned = DQuat::from_axis_angle(random.direction_of_two(), random.within(0.0, 2.0)) * turn;
        Ok((Pose::new(place, turned)?, turned))
    };
    let above: (Pose, DQuat) = pose(1.5, DQuat::IDENTITY)?;
    let low: (Pose, DQuat) = pose(0.1, above.1)?;
    let again: (Pose, DQuat) = pose(1.5, low.1)?;
    let keys = vec![(0.0, above.0), (0.5, low.0), (1.0, again.0)];
    let slab = CollisionShape::primitive(Primitive::Box { size: DVec3::new(4.0, 4.0, 0.4) })?;
    let under = Pose::from_position(DVec3::new(0.0, 0.0, -0.2))?;
    scene(vec![
        body("dipper".into(), CollisionShape::primitive(primitive)?, BodyMotion::Keyframes(keys)),
        body("slab".into(), slab, BodyMotion::Still(under)),
    ])
}

#[cfg(test)]
mod tests {
    use chasles::papers::methods::{BroadPhase, candidates};
    use chasles::{CheckOptions, PairListing, PairVerdict};

    use super::*;
    use crate::cases::gears::Train;

    #[test]
    fn gears_run_free_unless_one_is_turned() {
        let verdict =
            |train: Train| train.scene(4).unwrap().check(&CheckOptions::default(), &()).unwrap().verdict;
        assert_eq!(verdict(Train::Right), PairVerdict::Clear);
        assert!(verdict(Train::WrongPhase) >= PairVerdict::Contact);
    }

    #[test]
    fn near_misses_miss_by_the_stated_distance() {
        let all = CheckOptions { listed: PairListing::All, ..CheckOptions::default() };
        for gap in [0.1, 1e-3] {
            for seed in 0..5 {
                let report = near_miss(gap, seed).unwrap().check(&all, &()).unwrap();
                assert_eq!(report.verdict, PairVerdict::Clear, "seed {seed}");
                let [low, high] = report.pairs[0].gap.unwrap();
                assert!(low <= gap + 1e-12 && high >= gap - 1e-12, "seed {seed}: {low} {gap} {high}");
            }
        }
    }

    #[test]
    fn colliding_pairs_have_overlapping_boxes() {
        let scene = crowd(1000, 1).unwrap();
        let report = scene.check(&CheckOptions::default(), &()).unwrap();
        let found = candidates(&boxes(&scene), &|_, _| true, BroadPhase::Bvh);
        assert!(!report.pairs.is_empty());
        for pair in report.pairs {
            let bodies = pair.bodies.map(|body| body as u32);
            assert!(found.iter().any(|candidate| candidate.bodies == bodies), "{bodies:?}");
        }
    }

    #[test]
    fn round_bodies_dip_and_come_out() {
        for (name, primitive) in ROUND {
            let report = dip(primitive, 1).unwrap().check(&CheckOptions::default(), &()).unwrap();
            assert_eq!(report.verdict, PairVerdict::Contact, "{name}");
            assert!(report.pairs[0].intervals[0].exit.is_some(), "{name}");
        }
    }
}
