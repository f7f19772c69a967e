//! Seeded random scenes: bodies of all kinds in motions of all kinds, about half of them with contacts.

pub mod sampled;
pub mod still;

use std::sync::Arc;

use chasles::{
    BodyMotion, CollisionShape, CubicKey, Curve, Mesh, Pose, PreparedMesh, Primitive, Scene, SceneBody,
    SceneDefinition, Screw,
};
use glam::{DQuat, DVec3};

use crate::cases::{Raw, box_of, l_shape, octahedron, pose, torus};
use chasles_testing::Random;

/// Maximum number of scenes that a seed's generator makes until one is valid.
const TRIES: usize = 50;

/// A closed surface of a random kind, of diameter about one.
pub fn closed_shape(random: &mut Random) -> Raw {
    match random.below(9) {
        0 => box_of(DVec3::ONE),
        1 => box_of(DVec3::new(random.within(0.2, 1.5), random.within(0.2, 1.5), random.within(0.2, 1.5))),
        2 => l_shape(random.within(0.2, 0.5), random.within(0.2, 1.0)),
        3 => torus(0.6, 0.2, (7, 5)),
        4 => octahedron(DVec3::new(1.0, random.within(0.2, 1.0), random.within(0.2, 1.0))),
        // A needle, a plate.
        5 => octahedron(DVec3::new(1.0, 1e-4, 1e-4)),
        6 => box_of(DVec3::new(1.5, 1.5, random.within(0.1, 1.0).powi(4))),
        7 => tetrahedron(random),
        // Two pieces.
        _ => {
            let apart = DVec3::new(random.within(0.6, 1.2), random.within(-0.3, 0.3), 0.0);
            let half = box_of(DVec3::new(0.4, 0.7, 0.5));
            joined(&half, &moved(&tetrahedron(random), apart))
        }
    }
}

/// A tetrahedron of some volume.
fn tetrahedron(random: &mut Random) -> Raw {
    let up = DVec3::new(random.within(-0.3, 0.3), random.within(-0.3, 0.3), random.within(0.3, 0.9));
    let foot = [DVec3::new(0.6, 0.0, -0.2), DVec3::new(-0.4, 0.5, -0.2), DVec3::new(-0.4, -0.5, -0.2)];
    (vec![foot[0], foot[1], foot[2], up], vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])
}

fn moved(raw: &Raw, way: DVec3) -> Raw {
    (raw.0.iter().map(|v| *v + way).collect(), raw.1.clone())
}

fn joined(one: &Raw, other: &Raw) -> Raw {
    let first = u32::try_from(one.0.len()).unwrap();
    let vertices = one.0.iter().chain(&other.0).copied().collect();
    (vertices, one.1.iter().copied().chain(other.1.iter().map(|t| t.map(|v| v + first))).collect())
}

/// A mesh that need not be closed: also single triangles and heaps of them.
pub fn any_shape(random: &mut Random) -> Raw {
    match random.below(8) {
        0 => {
            let mut corner = || random.vector(0.7);
            (vec![corner(), corner(), corner()], vec![[0, 1, 2]])
        }
        1 => {
            let count = 3 + u32::try_from(random.below(6)).unwrap();
            let vertices = (0..3 * count).map(|_| random.vector(0.7)).collect();
            (vertices, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
        }
        _ => closed_shape(random),
    }
}

/// A mesh as a shape of diameter `size`, offset from its frame's origin by up to that.
pub fn mesh_shape(raw: &Raw, size: f64, off: DVec3) -> CollisionShape {
    let vertices = raw.0.iter().map(|v| *v * size + off).collect();
    CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(vertices, raw.1.clone()).unwrap())))
}

/// A round primitive, of diameter about `size`.
pub fn round_primitive(random: &mut Random, size: f64) -> Primitive {
    let radius = size * random.within(0.1, 0.6);
    let height = size * random.within(0.1, 1.2);
    match random.below(5) {
        0 | 1 => Primitive::Sphere { radius },
        2 => Primitive::Capsule { radius: 0.7 * radius, height },
        3 => Primitive::Cylinder { radius, height },
        _ => Primitive::Cone { radius, height },
    }
}

/// A motion within a few `size`s of the origin, over `duration` seconds.
pub fn motion(random: &mut Random, duration: f64, size: f64) -> BodyMotion {
    let start = pose(random.vector(2.0 * size), random.rotation());
    match random.below(12) {
        0 => BodyMotion::Still(start),
        1 | 2 => BodyMotion::Twist {
            start,
            linear: random.vector(4.0 * size) / duration,
            angular: if random.below(4) == 0 { DVec3::ZERO } else { random.vector(6.0) / duration },
        },
        3 => BodyMotion::Screw(several_turns(random, start, size)),
        4 => BodyMotion::Screw(Screw::translation(start, random.vector(5.0 * size))),
        5 | 6 => keyframes(random, duration, size),
        7 => curves(random, duration, size, 1),
        8 => curves(random, duration, size, 0),
        _ => curves(random, duration, size, 2),
    }
}

fn several_turns(random: &mut Random, start: Pose, size: f64) -> Screw {
    let (axis, point) = (random.direction(), random.vector(1.5 * size));
    let angle = if random.below(2) == 0 { random.within(-20.0, 20.0) } else { random.within(-3.0, 3.0) };
    Screw::about(start, axis, point, random.within(-2.0, 2.0) * size, angle).unwrap()
}

/// Increasing times, some perhaps outside the duration.
fn times(random: &mut Random, count: usize, duration: f64) -> Vec<f64> {
    let (from, to) = match random.below(3) {
        0 => (0.0, 1.0),
        1 => (random.within(0.0, 0.4), random.within(0.6, 1.0)),
        _ => (random.within(-0.5, 0.3), random.within(0.8, 1.5)),
    };
    let mut times: Vec<f64> = (0..count)
        .map(|i| {
            let at = (i as f64 + 0.6 * random.unit()) / (count as f64);
            duration * (from + (to - from) * at)
        })
        .collect();
    if random.below(2) == 0 {
        times[0] = duration * from;
    }
    times
}

/// Rotations of keys: half turns, quarter turns, flipped signs.
fn rotations(random: &mut Random, count: usize) -> Vec<DQuat> {
    let mut at = random.rotation();
    (0..count)
        .map(|_| {
            let turn = match random.below(6) {
                0 => DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0),
                1 => DQuat::from_axis_angle(random.direction(), std::f64::consts::PI),
                2 => DQuat::IDENTITY,
                _ => DQuat::from_axis_angle(random.direction(), random.within(0.0, 2.5)),
            };
            at = (turn * at).normalize();
            if random.below(3) == 0 { -at } else { at }
        })
        .collect()
}

fn keyframes(random: &mut Random, duration: f64, size: f64) -> BodyMotion {
    let count = 1 + random.below(5);
    let (times, turns) = (times(random, count, duration), rotations(random, count));
    let keys = times.into_iter().zip(turns).map(|(time, turn)| (time, pose(random.vector(2.0 * size), turn)));
    BodyMotion::Keyframes(keys.collect())
}

/// Curves of steps (0), straight lines (1), cubics (2), with keys at different times.
fn curves(random: &mut Random, duration: f64, size: f64, kind: usize) -> BodyMotion {
    let count = 1 + random.below(4);
    let at = times(random, count, duration);
    let mut place = || random.vector(2.0 * size);
    let values: Vec<DVec3> = (0..count).map(|_| place()).collect();
    let position = match kind {
        0 => Curve::Step(at.into_iter().zip(values).collect()),
        1 => Curve::Linear(at.into_iter().zip(values).collect()),
        _ => {
            let reach = size * 5.0 * (count as f64) / duration;
            let keys = at.into_iter().zip(values).map(|(time, value)| CubicKey {
                time,
                in_tangent: random.vector(reach),
                value,
                out_tangent: random.vector(reach),
            });
            Curve::Cubic(keys.collect())
        }
    };
    let count = 1 + random.below(4);
    let at = times(random, count, duration);
    let values = rotations(random, count);
    // Sometimes the rotation is of another kind.
    let kind = if random.below(4) == 0 { random.below(3) } else { kind };
    let rotation = match kind {
        0 => Curve::Step(at.into_iter().zip(values).collect()),
        1 => Curve::Linear(at.into_iter().zip(values).collect()),
        _ => {
            let reach = random.within(0.0, 1.5) * (count as f64) / duration;
            let small = if random.below(8) == 0 { 0.05 } else { 1.0 };
            let mut tangent = || {
                let v = random.vector(reach);
                DQuat::from_xyzw(v.x, v.y, v.z, random.within(-reach, reach)) * small
            };
            let keys = at.into_iter().zip(values).map(|(time, value)| CubicKey {
                time,
                in_tangent: tangent(),
                value: value * small,
                out_tangent: tangent(),
            });
            Curve::Cubic(keys.collect())
        }
    };
    BodyMotion::Curves { position, rotation }
}

/// The motion after a shift of the whole scene.
pub fn shifted(motion: &BodyMotion, way: DVec3) -> BodyMotion {
    let put = |at: &Pose| pose(at.position() + way, at.rotation());
    match motion {
        BodyMotion::Still(at) => BodyMotion::Still(put(at)),
        BodyMotion::Near { pose, error: off } => BodyMotion::Near { pose: put(pose), error: *off },
        BodyMotion::Screw(screw) => BodyMotion::Screw(screw.in_frame_of(&Pose::from_position(-way).unwrap())),
        BodyMotion::Keyframes(keys) => {
            BodyMotion::Keyframes(keys.iter().map(|(time, at)| (*time, put(at))).collect())
        }
        BodyMotion::Twist { start, linear, angular } => {
            BodyMotion::Twist { start: put(start), linear: *linear, angular: *angular }
        }
        BodyMotion::Joint { origin, axis, values } => {
            BodyMotion::Joint { origin: put(origin), axis: *axis, values: values.clone() }
        }
        BodyMotion::During { start, duration, motion } => {
            BodyMotion::During { start: *start, duration: *duration, motion: Box::new(shifted(motion, way)) }
        }
        BodyMotion::Curves { position, rotation } => {
            let add = |keys: &[(f64, DVec3)]| keys.iter().map(|(time, at)| (*time, *at + way)).collect();
            let position = match position {
                Curve::Step(keys) => Curve::Step(add(keys)),
                Curve::Linear(keys) => Curve::Linear(add(keys)),
                Curve::Cubic(keys) => {
                    Curve::Cubic(keys.iter().map(|key| CubicKey { value: key.value + way, ..*key }).collect())
                }
            };
            BodyMotion::Curves { position, rotation: rotation.clone() }
        }
    }
}

/// A body without a surface, or with one.
pub fn body(shape: Option<CollisionShape>, motion: BodyMotion, parent: Option<usize>) -> SceneBody {
    SceneBody { name: "body".into(), shape, motion, parent, group: None, solid: false }
}

/// The kind of a random scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Meshes only.
    Meshes,
    /// At least one round body.
    Round,
    /// Closed bodies, some of them solid.
    Solid,
}

/// A scene, and which of its bodies are round.
#[derive(Debug, Clone)]
pub struct SceneCase {
    pub definition: SceneDefinition,
    pub rounds: Vec<Option<Primitive>>,
}

impl SceneCase {
    pub fn scene(&self) -> Scene {
        Scene::new(self.definition.clone()).unwrap()
    }
}

/// A random scene of two to four bodies with surfaces; carriers come before the bodies attached to them.
pub fn scene_case(random: &mut Random, kind: Kind) -> SceneCase {
    for _ in 0..TRIES {
        let mut made = unaligned(random, kind);
        if aligned(random, &mut made.definition).is_some() {
            return made;
        }
    }
    panic!("no valid scene");
}

fn unaligned(random: &mut Random, kind: Kind) -> SceneCase {
    let duration = 10.0_f64.powf(random.within(-2.0, 2.0));
    let scale = if random.below(3) == 0 { 10.0_f64.powf(random.within(-3.0, 3.0)) } else { 1.0 };
    let mut bodies: Vec<SceneBody> = Vec::new();
    let mut rounds: Vec<(usize, Primitive)> = Vec::new();
    let common = match random.below(6) {
        // Far from the origin, all alike.
        0 => {
            let far = pose(random.direction() * 1e4 * scale, random.rotation());
            bodies.push(body(None, BodyMotion::Still(far), None));
            Some(0)
        }
        // Everything is attached to a moving body.
        1 => {
            bodies.push(body(None, motion(random, duration, 3.0 * scale), None));
            Some(0)
        }
        _ => None,
    };
    let alike = (random.below(5) == 0).then(|| motion(random, duration, 3.0 * scale));
    let count = if random.below(3) == 0 { 3 + random.below(2) } else { 2 };
    for i in 0..count {
        let size = scale * if random.below(3) == 0 { 10.0_f64.powf(random.within(-1.0, 1.0)) } else { 1.0 };
        let mut parent = common;
        if let Some(alike) = &alike {
            bodies.push(body(None, alike.clone(), parent));
            parent = Some(bodies.len() - 1);
        }
        if random.below(3) == 0 {
            for _ in 0..random.below(5) {
                let motion = motion(random, duration, size);
                bodies.push(body(None, motion, parent));
                parent = Some(bodies.len() - 1);
            }
            // Or attached to the body before.
            if i > 0 && random.below(3) == 0 {
                parent = bodies.iter().rposition(|body| body.shape.is_some());
            }
        }
        let shape = if kind == Kind::Round && (i == 0 || random.below(2) == 0) {
            let round = round_primitive(random, size);
            rounds.push((bodies.len(), round));
            CollisionShape::primitive(round).unwrap()
        } else {
            let raw = if kind == Kind::Solid { closed_shape(random) } else { any_shape(random) };
            let off = if random.below(2) == 0 { random.vector(size) } else { DVec3::ZERO };
            // Some solids contain others.
            let size = if kind == Kind::Solid && i == 0 { 4.0 * size } else { size };
            mesh_shape(&raw, size, off)
        };
        let mut made = body(Some(shape), motion(random, duration, size.max(0.5 * scale)), parent);
        made.solid = kind == Kind::Solid && random.below(2) == 0;
        bodies.push(made);
    }
    let round_of = |body| rounds.iter().find(|round| round.0 == body).map(|round| round.1);
    let rounds = (0..bodies.len()).map(round_of).collect();
    SceneCase {
        definition: SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies, ignore: vec![] },
        rounds,
    }
}

/// Shifts bodies so that each passes close to the first; `None` if the scene is invalid.
fn aligned(random: &mut Random, made: &mut SceneDefinition) -> Option<()> {
    let surfaces: Vec<usize> = (0..made.bodies.len()).filter(|i| made.bodies[*i].shape.is_some()).collect();
    for &other in &surfaces[1..] {
        let scene = Scene::new(made.clone()).ok()?;
        let time = made.duration * random.unit();
        let first = surfaces[0];
        let chain = |mut body: usize| {
            let mut chain = vec![body];
            while let Some(parent) = made.bodies[body].parent {
                chain.push(parent);
                body = parent;
            }
            chain
        };
        let (of_first, of_other) = (chain(first), chain(other));
        let (mover, sense) = match of_other.iter().rfind(|body| !of_first.contains(body)) {
            Some(body) => (*body, 1.0),
            None => (*of_first.iter().rfind(|body| !of_other.contains(body))?, -1.0),
        };
        let middle = |body: usize| {
            let mesh = made.bodies[body].shape.as_ref().map(|shape| shape.drawn())?;
            Some((scene.pose_at(body, time).transform_point(mesh.centre()), 0.5 * mesh.diagonal()))
        };
        let ((x, r), (y, s)) = (middle(first)?, middle(other)?);
        let apart = random.within(0.1, 1.3) * (r + s);
        let way = sense * (x + apart * random.direction() - y);
        let way = match made.bodies[mover].parent {
            Some(parent) => scene.pose_at(parent, time).inverse().transform_vector(way),
            None => way,
        };
        made.bodies[mover].motion = shifted(&made.bodies[mover].motion, way);
    }
    Scene::new(made.clone()).ok().map(|_| ())
}

/// Times at which a motion may jump or have a kink.
pub fn breaks(definition: &SceneDefinition) -> Vec<f64> {
    let times = definition.bodies.iter().flat_map(|body| match &body.motion {
        BodyMotion::Keyframes(keys) => keys.iter().map(|key| key.0).collect(),
        BodyMotion::Curves { position, rotation } => [position.times(), rotation.times()].concat(),
        _ => vec![],
    });
    let mut times: Vec<f64> = times.filter(|time| *time > 0.0 && *time < definition.duration).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}
