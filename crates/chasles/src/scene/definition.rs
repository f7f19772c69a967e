//! The definition of a scene: bodies, their motions, which bodies carry which, and which pairs are not tested.

use glam::{DQuat, DVec3};

use crate::error::{Error, ErrorKind, check_not_negative, check_number, check_positive, check_vector};
use crate::math::direction::unit_along;
use crate::mesh_screw::pipeline::DEFAULT_TOLERANCE;
use crate::motion::curve::check_times;
use crate::motion::spin::without_spin;
use crate::motion::track::Track;
use crate::motion::{Curve, JointAxis, Pose, Screw};
use crate::pair::EPSILON;
use crate::pair::shape::CollisionShape;
use crate::scene::Scene;
use crate::sets::tree::cells::Interior;

/// The motion of a body, in the frame of its parent, or in the world if it has no parent.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyMotion {
    /// A constant pose.
    Still(Pose),
    /// One screw, spread evenly over the duration of the scene.
    Screw(Screw),
    /// Poses at times in seconds, joined by the screws between them ([`Screw::between`]), held before the first and
    /// after the last. The times increase, and may lie outside the duration.
    Keyframes(Vec<(f64, Pose)>),
    /// Constant velocities, from a start pose.
    Twist {
        /// The pose at time 0.
        start: Pose,
        /// Velocity of the body's origin, in metres per second.
        linear: DVec3,
        /// Angular velocity, in radians per second.
        angular: DVec3,
    },
    /// Position and rotation, each along its own curve. A jump of a step curve sweeps no volume.
    Curves {
        /// Position of the body's origin, in metres.
        position: Curve<DVec3>,
        /// Quaternions of any length except 0.
        rotation: Curve<DQuat>,
    },
    /// A joint on the parent.
    Joint {
        /// The pose of the body at joint value 0.
        origin: Pose,
        /// The kind and direction of the joint's motion.
        axis: JointAxis,
        /// The joint value, in radians or metres.
        values: Curve<f64>,
    },
    /// Another motion, as in a scene of its own; its first and last poses are held before and after it.
    During {
        /// The start of the motion, in seconds; may be negative.
        start: f64,
        /// The duration of the motion, in seconds, greater than 0.
        duration: f64,
        /// The motion.
        motion: Box<Self>,
    },
    /// A constant pose with an error: each point of the body may be off by a distance, independently at each time.
    /// So the report also holds for a shape that is not quite rigid, or is known only to this distance.
    Near {
        /// The pose.
        pose: Pose,
        /// The maximum error, in metres, 0 or more.
        error: f64,
    },
}

/// A body of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneBody {
    /// The name, for messages.
    pub name: String,
    /// The shape, in the body's frame. `None`: the body has no surface, and only carries other bodies.
    pub shape: Option<CollisionShape>,
    /// The motion, in the frame of the parent, or of the world.
    pub motion: BodyMotion,
    /// The number of the body that carries this body.
    pub parent: Option<usize>,
    /// Bodies of one group are not tested against each other.
    pub group: Option<String>,
    /// Whether a body wholly inside this body counts as in contact; a mesh must then be closed.
    pub solid: bool,
}

impl SceneBody {
    /// A hollow body without a parent or a group.
    pub(crate) fn new(name: impl Into<String>, shape: Option<CollisionShape>, motion: BodyMotion) -> Self {
        Self { name: name.into(), shape, motion, parent: None, group: None, solid: false }
    }

    /// Whether the interior belongs to the body.
    pub(crate) fn interior(&self) -> Interior {
        if self.solid { Interior::Solid } else { Interior::Hollow }
    }
}

/// One side of a pair that is not tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PairSide {
    /// Every body.
    Every,
    /// One body, by its number.
    Body(usize),
}

/// The definition from which a [`Scene`] is made.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneDefinition {
    /// In seconds, greater than 0: the check runs over [0, `duration`].
    pub duration: f64,
    /// Surfaces closer than this touch, in metres. `None`: 1e-9 of the largest diagonal of a body's bounding box.
    pub tolerance: Option<f64>,
    /// Pairs that come this close, in metres, are reported too; 0: only pairs that touch.
    pub clearance: f64,
    /// The bodies, numbered from 0.
    pub bodies: Vec<SceneBody>,
    /// Pairs that are not tested, in either order.
    pub ignore: Vec<[PairSide; 2]>,
}

impl SceneDefinition {
    /// All pairs of the bodies, with the default tolerance and without a clearance.
    pub(crate) fn new(duration: f64, bodies: Vec<SceneBody>) -> Self {
        Self { duration, tolerance: None, clearance: 0.0, bodies, ignore: Vec::new() }
    }
}

/// The place of a body in the tree of carriers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BodyPlacement {
    pub(crate) track: Track,
    /// The track without its spin, for a round body that rotates about its own axis.
    pub(crate) without_spin: Option<Track>,
    /// The pose in the parent's frame, if it is constant.
    pub(crate) constant: Option<Pose>,
    /// The number of carriers.
    pub(crate) depth: usize,
    /// The lowest body with a declared motion, among this body and its carriers. Two bodies with the same value
    /// never move relative to each other.
    pub(crate) moving_ancestor: Option<usize>,
    /// The nearest body that can move in its parent's frame, among this body and its carriers, whether it moves or
    /// rests; if there is none, the topmost carrier. Bodies with the same `assembly` are rigidly joined.
    pub(crate) assembly: usize,
    /// Whether this body or any of its carriers can move.
    pub(crate) can_move: bool,
}

/// See [`Scene::new`].
pub(super) fn checked(definition: SceneDefinition) -> Result<Scene, Error> {
    let SceneDefinition { duration, tolerance, clearance, bodies, ignore } = definition;
    check_positive(duration, "duration")?;
    check_not_negative(tolerance.unwrap_or(0.0), "tolerance")?;
    check_not_negative(clearance, "clearance")?;
    if bodies.is_empty() {
        return Error::out_of_range(0.0, "at least one body", "bodies");
    }
    let missing_ignored = [ignore.iter().flatten().find_map(|side| match side {
        PairSide::Body(body) if *body >= bodies.len() => Some((*body, "ignored pair".to_owned())),
        _ => None,
    })];
    let parents = bodies.iter().map(|body| match body.parent {
        Some(parent) if parent >= bodies.len() => Some((parent, format!("parent of body {:?}", body.name))),
        _ => None,
    });
    if let Some((body, place)) = missing_ignored.into_iter().chain(parents).flatten().next() {
        return Error::out_of_range(body as f64, "the number of a body", place);
    }
    let open = |body: &&SceneBody| body.solid && !body.shape.as_ref().is_some_and(CollisionShape::is_closed);
    if let Some(body) = bodies.iter().find(open) {
        return Err(Error::new(ErrorKind::NotClosed, format!("solid body {:?}", body.name)));
    }
    let largest = bodies
        .iter()
        .filter_map(|body| body.shape.as_ref())
        .map(CollisionShape::diagonal)
        .fold(0.0, f64::max);
    let placements = motions_of_bodies(&bodies, duration)?;
    let (ignored_pairs, ignored_bodies) = filters(&ignore, bodies.len());
    let states_tolerance = tolerance.is_some();
    let tolerance = tolerance.unwrap_or(DEFAULT_TOLERANCE * largest);
    let clearances = Vec::new();
    let epsilon = EPSILON * largest;
    Ok(Scene {
        duration,
        whole_duration: duration,
        tolerance,
        states_tolerance,
        epsilon,
        states_epsilon: false,
        clearance,
        self_tested: Vec::new(),
        clearances,
        bodies,
        placements,
        ignored_pairs,
        ignored_bodies,
    })
}

/// The places of all bodies in the tree of carriers; computes parents before children.
fn motions_of_bodies(bodies: &[SceneBody], duration: f64) -> Result<Vec<BodyPlacement>, Error> {
    let mut placed: Vec<Option<BodyPlacement>> = vec![None; bodies.len()];
    for start in 0..bodies.len() {
        // Up to a body that has its place, then down again.
        let mut chain = vec![];
        let mut next = Some(start);
        while let Some(index) = next.filter(|index| placed[*index].is_none()) {
            if chain.len() == bodies.len() {
                let place = format!("parent of body {:?}", bodies[index].name);
                return Error::out_of_range(index as f64, "parents that form no circle", place);
            }
            chain.push(index);
            next = bodies[index].parent;
        }
        for &index in chain.iter().rev() {
            let body = &bodies[index];
            let above = body.parent.and_then(|parent| placed[parent].as_ref());
            let track = track_of((&body.name, &body.motion), duration)?;
            let constant = track.constant();
            let is_symmetric = body.shape.as_ref().is_some_and(CollisionShape::is_turned_about_z);
            let without_spin = if is_symmetric { without_spin(&track) } else { None };
            let declared = is_declared(&body.motion);
            let (assembly, can_move) = assembly_of(index, declared, above);
            placed[index] = Some(BodyPlacement {
                depth: above.map_or(0, |above| above.depth + 1),
                moving_ancestor: if declared {
                    Some(index)
                } else {
                    above.and_then(|above| above.moving_ancestor)
                },
                assembly,
                can_move,
                track,
                without_spin,
                constant,
            });
        }
    }
    Ok(placed.into_iter().flatten().collect())
}

/// Whether a motion is declared, even if it changes no pose.
pub(crate) fn is_declared(motion: &BodyMotion) -> bool {
    !matches!(motion, BodyMotion::Still(_) | BodyMotion::Near { .. })
}

/// The values of [`BodyPlacement::assembly`] and [`BodyPlacement::can_move`]; `can_move`: whether the body can move in
/// its parent's frame.
pub(crate) fn assembly_of(body: usize, can_move: bool, above: Option<&BodyPlacement>) -> (usize, bool) {
    match above {
        Some(above) if !can_move => (above.assembly, above.can_move),
        _ => (body, can_move),
    }
}

fn track_of((name, motion): (&str, &BodyMotion), duration: f64) -> Result<Track, Error> {
    let place = |what: &str| format!("{what} of body {name:?}");
    let keyframes = || place("keyframes");
    let track = match motion {
        BodyMotion::Still(pose) => Track::still(*pose, duration),
        BodyMotion::Near { pose, error } => {
            if !(*error >= 0.0 && error.is_finite()) {
                return Error::out_of_range(*error, "a finite number of 0 or more", place("deviation"));
            }
            Track::constant_with_error(*pose, *error, duration)
        }
        BodyMotion::Screw(screw) => Track::from_screw(*screw, duration),
        BodyMotion::Keyframes(keys) => {
            check_times(&keys.iter().map(|key| key.0).collect::<Vec<_>>(), keyframes)?;
            Track::keyframes(keys, duration)
        }
        BodyMotion::Twist { start, linear, angular } => {
            check_vector(*linear, || place("linear velocity"))?;
            check_vector(*angular, || place("angular velocity"))?;
            Track::twist(*start, [*linear, *angular], duration)?
        }
        BodyMotion::Curves { position, rotation } => {
            position.check(keyframes, || place("position of a key"))?;
            rotation.check(keyframes, || place("rotation of a key"))?;
            Track::curves(position, &rotation.normalised(), duration)?
        }
        BodyMotion::Joint { origin, axis, values } => {
            check_times(&values.times(), keyframes)?;
            check_vector(axis.direction(), || place("joint axis"))?;
            if unit_along(axis.direction()) == DVec3::ZERO {
                return Err(Error::new(ErrorKind::ZeroLength, place("joint axis")));
            }
            for value in values.values().into_iter().chain(values.tangents()) {
                check_number(value, || place("joint value"))?;
            }
            Track::joint(*origin, *axis, values, duration)?
        }
        BodyMotion::During { start, duration: own_duration, motion } => {
            check_number(*start, || place("start of the motion"))?;
            check_positive(*own_duration, place("duration of the motion"))?;
            track_of((name, motion), *own_duration)?.during(*start, duration)
        }
    };
    for piece in &track.0 {
        check_vector(piece.pose_at(piece.end()).position(), || place("position in the motion"))?;
    }
    Ok(track)
}

/// Pairs and bodies that are not tested.
fn filters(ignore: &[[PairSide; 2]], count: usize) -> (Vec<[usize; 2]>, Vec<bool>) {
    let mut pairs = Vec::new();
    let mut bodies = vec![false; count];
    for pair in ignore {
        match *pair {
            [PairSide::Every, PairSide::Every] => bodies.fill(true),
            [PairSide::Every, PairSide::Body(body)] | [PairSide::Body(body), PairSide::Every] => {
                bodies[body] = true
            }
            [PairSide::Body(a), PairSide::Body(b)] => pairs.push([a.min(b), a.max(b)]),
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    (pairs, bodies)
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::scene::Scene;
    use crate::shape::Primitive;

    fn body(name: &str, parent: Option<usize>) -> SceneBody {
        let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::new(2.0, 3.0, 6.0) }).unwrap();
        SceneBody { parent, ..SceneBody::new(name, Some(shape), BodyMotion::Still(Pose::IDENTITY)) }
    }

    fn definition() -> SceneDefinition {
        let bodies = vec![body("a", None), body("b", Some(0))];
        SceneDefinition::new(2.0, bodies)
    }

    #[track_caller]
    fn refused(definition: SceneDefinition, message: &str) {
        assert_eq!(Scene::new(definition).unwrap_err().to_string(), message);
    }

    #[test]
    fn the_tolerance_follows_the_largest_body() {
        assert!((Scene::new(definition()).unwrap().tolerance() - 7e-9).abs() < 1e-20);
        let mut larger = definition();
        larger.bodies[0].shape = CollisionShape::primitive(Primitive::Sphere { radius: 10.0 }).ok();
        assert!((Scene::new(larger).unwrap().tolerance() - 20e-9 * 3_f64.sqrt()).abs() < 1e-20);
        let set = SceneDefinition { tolerance: Some(0.0), ..definition() };
        assert_eq!(Scene::new(set).unwrap().tolerance(), 0.0);
    }

    #[test]
    fn definitions_without_meaning_are_refused() {
        let with = |duration, tolerance| SceneDefinition { duration, tolerance, ..definition() };
        refused(with(0.0, None), "duration: found 0, expected a finite number greater than 0");
        refused(with(f64::NAN, None), "duration: found NaN, expected a finite number greater than 0");
        refused(with(1.0, Some(-1.0)), "tolerance: found -1, expected a finite number, not negative");
        let of = |bodies| SceneDefinition { bodies, ..definition() };
        refused(of(vec![]), "bodies: found 0, expected at least one body");
        let bodies = vec![body("a", Some(2)), body("b", None)];
        refused(of(bodies), "parent of body \"a\": found 2, expected the number of a body");
        let ignore = vec![[PairSide::Every, PairSide::Body(7)]];
        refused(
            SceneDefinition { ignore, ..definition() },
            "ignored pair: found 7, expected the number of a body",
        );
        let bodies = vec![body("a", Some(1)), body("b", Some(0))];
        refused(of(bodies), "parent of body \"a\": found 0, expected parents that form no circle");
    }

    #[test]
    fn motions_are_checked() {
        let at = |x| Pose::from_position(DVec3::new(x, 0.0, 0.0)).unwrap();
        let moving = |motion| {
            let mut definition = definition();
            definition.bodies[1].motion = motion;
            definition
        };
        let keys =
            |times: &[f64]| moving(BodyMotion::Keyframes(times.iter().map(|t| (*t, at(*t))).collect()));
        let place = "keyframes of body \"b\": found";
        refused(keys(&[]), &format!("{place} 0, expected at least one key"));
        refused(keys(&[1.0, 1.0]), &format!("{place} 1, expected times that are finite and increase"));
        let far = BodyMotion::Screw(Screw::translation(at(9e69), DVec3::X * 9e69));
        assert!(Scene::new(moving(far)).unwrap_err().to_string().contains("motion of body \"b\""));
    }

    #[test]
    fn a_long_chain_of_riders_is_no_trouble() {
        let bodies = (0..20_000).map(|i: usize| body("link", i.checked_sub(1))).rev();
        // Children first: body i + 1 of the list carries body i.
        let bodies: Vec<_> = bodies
            .enumerate()
            .map(|(i, body)| SceneBody { parent: (i + 1 < 20_000).then_some(i + 1), ..body })
            .collect();
        let scene = Scene::new(SceneDefinition { bodies, ..definition() }).unwrap();
        assert_eq!(scene.pose_at(0, 1.0), Pose::IDENTITY);
    }
}
