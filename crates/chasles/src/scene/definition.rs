//! The definition of a scene: bodies, how they move, which ride on which, and which pairs are not tested.

use std::collections::BTreeMap;

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
use crate::sets::tree::cells::Interior;

/// How a body moves, in the frame of its parent, or of the world where it has none.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum BodyMotion {
    /// It stands still at this pose.
    Still(Pose),
    /// One screw, spread evenly over the duration of the scene.
    Screw(Screw),
    /// Poses at times in seconds, joined by the screws between them ([`Screw::between`]), held before the first and
    /// after the last. The times increase, and may lie outside the duration.
    Keyframes(Vec<(f64, Pose)>),
    /// Constant velocities from a pose on.
    Twist {
        /// The pose at time 0.
        start: Pose,
        /// Velocity of the body's origin, in metres per second.
        linear: DVec3,
        /// Angular velocity, in radians per second.
        angular: DVec3,
    },
    /// Position and rotation along curves of their own. At the jumps of a step curve nothing is swept.
    Curves {
        /// Position of the body's origin, in metres.
        position: Curve<DVec3>,
        /// Quaternions of any length but zero.
        rotation: Curve<DQuat>,
    },
    /// A joint on the parent.
    Joint {
        /// Where the body stands at value 0.
        origin: Pose,
        /// How the joint lets it move.
        axis: JointAxis,
        /// In radians or metres.
        values: Curve<f64>,
    },
    /// Another motion, as it would be in a scene of its own, held before and after.
    During {
        /// When it begins, in seconds; may lie before 0.
        start: f64,
        /// For how long it lasts, in seconds, greater than 0.
        duration: f64,
        /// The motion.
        motion: Box<Self>,
    },
    /// A constant pose, where points of the body may be off by a distance, each in its own way at each time. So the
    /// report also holds for a shape that is not quite rigid, or is known only to this distance.
    Near {
        /// The pose.
        pose: Pose,
        /// In metres, 0 or more.
        off: f64,
    },
}

/// A body of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneBody {
    /// For messages.
    pub name: String,
    /// Its shape, in the body's frame. `None`: it has no surface, and only carries others.
    pub shape: Option<CollisionShape>,
    /// In the frame of the parent, or of the world.
    pub motion: BodyMotion,
    /// The body that this one rides on, by its number.
    pub parent: Option<usize>,
    /// Bodies of one group are not tested against each other.
    pub group: Option<String>,
    /// Whether a body wholly inside it counts as in contact; a mesh must then be closed.
    pub solid: bool,
}

impl SceneBody {
    /// Whether its inside belongs to it.
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

/// The definition that a [`Scene`] is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneDefinition {
    /// In seconds, greater than 0: the check runs over [0, `duration`].
    pub duration: f64,
    /// Surfaces closer than this touch, in metres. `None`: 1e-9 of the largest diagonal of a body's bounding box.
    pub tolerance: Option<f64>,
    /// Pairs that come this close, in metres, are reported too; 0: only those that touch.
    pub clearance: f64,
    /// The bodies, numbered from 0.
    pub bodies: Vec<SceneBody>,
    /// Pairs that are not tested, in either order.
    pub ignore: Vec<[PairSide; 2]>,
}

/// Bodies in motion, checked and ready for [`Scene::check`].
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    duration: f64,
    /// The duration of the scene that this one is a part of.
    whole_duration: f64,
    tolerance: f64,
    /// Whether the tolerance was given.
    states_tolerance: bool,
    epsilon: f64,
    /// Whether the epsilon was given.
    states_epsilon: bool,
    clearance: f64,
    /// Bodies that are tested against themselves, in order.
    self_tested: Vec<usize>,
    /// Pairs with a clearance of their own, lower number first, in order.
    clearances: Vec<([usize; 2], f64)>,
    pub(crate) bodies: Vec<SceneBody>,
    /// How each body moves in its parent's frame.
    pub(crate) placed: Vec<Riding>,
    /// Pairs that are not tested, lower number first, in order.
    pub(crate) ignored_pairs: Vec<[usize; 2]>,
    /// Bodies that are not tested at all.
    pub(crate) ignored_bodies: Vec<bool>,
}

/// Where a body stands in the tree of those that ride on each other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Riding {
    pub(crate) track: Track,
    /// The track without its spin, for a round body that turns about its own axis.
    pub(crate) without_spin: Option<Track>,
    /// The pose in the parent's frame, where it never changes.
    pub(crate) constant: Option<Pose>,
    /// Bodies above this one.
    pub(crate) depth: usize,
    /// The lowest body with a declared motion, of this body and its parents: two bodies with the same one never move
    /// relative to each other.
    pub(crate) rides_on: Option<usize>,
    /// The nearest body that can move in its parent's frame, among this body and its parents, whether it moves or
    /// rests; if there is none, the topmost parent. Bodies with the same `assembly` are rigidly joined.
    pub(crate) assembly: usize,
    /// Whether this body or any of its parents can move.
    pub(crate) can_move: bool,
}

impl Scene {
    /// Checks a definition.
    ///
    /// # Errors
    /// A duration that is not greater than 0, a tolerance or clearance that is negative, no bodies; a parent or an
    /// ignored body that does not exist, parents that form a circle; a list of keys that is empty, whose times do not
    /// increase or whose values are NaN; a motion that leads out of the range of coordinates; a solid body whose mesh
    /// is not closed. The message names the body.
    pub fn new(definition: SceneDefinition) -> Result<Self, Error> {
        let SceneDefinition { duration, tolerance, clearance, bodies, ignore } = definition;
        check_positive(duration, "duration")?;
        check_not_negative(tolerance.unwrap_or(0.0), "tolerance")?;
        check_not_negative(clearance, "clearance")?;
        if bodies.is_empty() {
            return Error::out_of_range(0.0, "at least one body", "bodies");
        }
        let named = [ignore.iter().flatten().find_map(|side| match side {
            PairSide::Body(body) if *body >= bodies.len() => Some((*body, "ignored pair".to_owned())),
            _ => None,
        })];
        let parents = bodies.iter().map(|body| match body.parent {
            Some(parent) if parent >= bodies.len() => {
                Some((parent, format!("parent of body {:?}", body.name)))
            }
            _ => None,
        });
        if let Some((body, place)) = named.into_iter().chain(parents).flatten().next() {
            return Error::out_of_range(body as f64, "the number of a body", place);
        }
        let open =
            |body: &&SceneBody| body.solid && !body.shape.as_ref().is_some_and(CollisionShape::is_closed);
        if let Some(body) = bodies.iter().find(open) {
            return Err(Error::new(ErrorKind::NotClosed, format!("solid body {:?}", body.name)));
        }
        let largest = bodies
            .iter()
            .filter_map(|body| body.shape.as_ref())
            .map(CollisionShape::diagonal)
            .fold(0.0, f64::max);
        let placed = motions_of_bodies(&bodies, duration)?;
        let (ignored_pairs, ignored_bodies) = filters(&ignore, bodies.len());
        let states_tolerance = tolerance.is_some();
        let tolerance = tolerance.unwrap_or(DEFAULT_TOLERANCE * largest);
        let clearances = Vec::new();
        let epsilon = EPSILON * largest;
        Ok(Self {
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
            placed,
            ignored_pairs,
            ignored_bodies,
        })
    }

    /// The same scene with another epsilon: how exactly pairs with a solid, a cloud or a parametric surface are told, in
    /// metres. Closer than this they may count as touching. Without this it is 1e-6 of the largest diagonal of a body's
    /// bounding box.
    ///
    /// # Errors
    /// An epsilon that is not greater than 0.
    pub fn with_epsilon(mut self, epsilon: f64) -> Result<Self, Error> {
        check_positive(epsilon, "epsilon")?;
        (self.epsilon, self.states_epsilon) = (epsilon, true);
        Ok(self)
    }

    /// The same scene, in which some pairs of bodies, in either order, have a clearance of their own, in metres; if a
    /// pair stands here more than once, the last counts.
    ///
    /// # Errors
    /// A body that does not exist, a clearance that is negative.
    pub fn with_clearances(mut self, clearances: &[([usize; 2], f64)]) -> Result<Self, Error> {
        for (pair, clearance) in clearances {
            let bodies = pair.iter().find(|body| **body >= self.bodies.len());
            if let Some(body) = bodies {
                return Error::out_of_range(*body as f64, "the number of a body", "clearance");
            }
            check_not_negative(*clearance, "clearance")?;
        }
        let own: BTreeMap<[usize; 2], f64> =
            clearances.iter().map(|([a, b], own)| ([*a.min(b), *a.max(b)], *own)).collect();
        self.clearances = own.into_iter().collect();
        Ok(self)
    }

    /// The same scene, in which these bodies are tested against themselves: two of their features that have no common
    /// vertex, and meet.
    ///
    /// # Errors
    /// A body that does not exist, or whose vertices do not move on their own.
    pub fn with_self_tests(mut self, bodies: &[usize]) -> Result<Self, Error> {
        for &body in bodies {
            let Some(own) = self.bodies.get(body) else {
                return Error::out_of_range(
                    body as f64,
                    "the number of a body",
                    "body that is tested against itself",
                );
            };
            if own.shape.as_ref().and_then(CollisionShape::deforming_surface).is_none() {
                let what = "a test against itself of a body that does not deform is";
                return Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", own.name)));
            }
        }
        self.self_tested = bodies.to_vec();
        self.self_tested.sort_unstable();
        self.self_tested.dedup();
        Ok(self)
    }

    /// The same scene up to a time within its duration, without clearances.
    pub(crate) fn up_to(&self, time: f64) -> Self {
        Self { duration: time, clearance: 0.0, clearances: Vec::new(), ..self.clone() }
    }

    /// Whether a body is tested against itself.
    #[must_use]
    pub fn is_self_tested(&self, body: usize) -> bool {
        self.self_tested.binary_search(&body).is_ok()
    }

    /// Whether the epsilon was given ([`Self::with_epsilon`]).
    #[must_use]
    pub fn states_epsilon(&self) -> bool {
        self.states_epsilon
    }

    /// How exactly pairs with a solid, a cloud or a parametric surface are told, in metres.
    #[must_use]
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// In seconds: the check runs over [0, `duration`].
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// The same of the scene that this one is a part of ([`Self::up_to`]): between two frames bodies that deform are
    /// told exactly, and between a frame and another time they are not.
    pub(crate) fn whole_duration(&self) -> f64 {
        self.whole_duration
    }

    /// Surfaces closer than this touch, in metres.
    #[must_use]
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Pairs that come this close are reported too, in metres.
    #[must_use]
    pub fn clearance(&self) -> f64 {
        self.clearance
    }

    /// How close two bodies, the lower number first, come before that is reported, in metres.
    #[must_use]
    pub fn clearance_of(&self, pair: [usize; 2]) -> f64 {
        let own = self.clearances.binary_search_by_key(&pair, |(pair, _)| *pair);
        own.map_or(self.clearance, |own| self.clearances[own].1)
    }

    /// The pairs that have a clearance of their own ([`Self::with_clearances`]), the lower number first, in order.
    #[must_use]
    pub fn own_clearances(&self) -> &[([usize; 2], f64)] {
        &self.clearances
    }

    /// A definition that makes the same scene, but for what `with_` methods have added.
    #[must_use]
    pub fn definition(&self) -> SceneDefinition {
        SceneDefinition {
            duration: self.duration,
            tolerance: self.states_tolerance.then_some(self.tolerance),
            clearance: self.clearance,
            bodies: self.bodies.clone(),
            ignore: self.ignored(),
        }
    }

    /// The pairs that are not tested ([`SceneDefinition::ignore`]), in order.
    fn ignored(&self) -> Vec<[PairSide; 2]> {
        let bodies = self.ignored_bodies.iter().enumerate().filter(|(_, ignored)| **ignored);
        let bodies = bodies.map(|(body, _)| [PairSide::Every, PairSide::Body(body)]);
        bodies.chain(self.ignored_pairs.iter().map(|pair| pair.map(PairSide::Body))).collect()
    }

    /// The largest clearance of any pair.
    pub(crate) fn largest_clearance(&self) -> f64 {
        self.clearances.iter().fold(self.clearance, |largest, (_, own)| largest.max(*own))
    }

    /// The bodies, in order.
    #[must_use]
    pub fn bodies(&self) -> &[SceneBody] {
        &self.bodies
    }

    /// How many of the bodies have a surface.
    #[must_use]
    pub fn surfaces(&self) -> usize {
        self.bodies.iter().filter(|body| body.shape.is_some()).count()
    }

    /// The pose of a body in the world at a time in [0, `duration`]; at a jump, the pose after it.
    ///
    /// # Panics
    /// If there is no such body.
    #[must_use]
    pub fn pose_at(&self, body: usize, time: f64) -> Pose {
        let mut pose = self.pose_in_parent(body, time);
        let mut above = self.bodies[body].parent;
        while let Some(parent) = above {
            pose = self.pose_in_parent(parent, time).compose(&pose);
            above = self.bodies[parent].parent;
        }
        pose
    }

    /// The same in the frame of the body's parent.
    pub(crate) fn pose_in_parent(&self, body: usize, time: f64) -> Pose {
        self.placed[body].track.piece_at(time).pose_at(time)
    }
}

/// How every body moves, parents before children.
fn motions_of_bodies(bodies: &[SceneBody], duration: f64) -> Result<Vec<Riding>, Error> {
    let mut placed: Vec<Option<Riding>> = vec![None; bodies.len()];
    for start in 0..bodies.len() {
        // Up to one that is placed, then down again.
        let mut chain = vec![];
        let mut next = Some(start);
        while let Some(index) = next.filter(|index| placed[*index].is_none()) {
            if chain.len() == bodies.len() {
                return Error::out_of_range(
                    index as f64,
                    "parents that form no circle",
                    format!("parent of body {:?}", bodies[index].name),
                );
            }
            chain.push(index);
            next = bodies[index].parent;
        }
        for &index in chain.iter().rev() {
            let body = &bodies[index];
            let above = body.parent.and_then(|parent| placed[parent].as_ref());
            let track = track_of((&body.name, &body.motion), duration)?;
            let constant = track.constant();
            let is_turned = body.shape.as_ref().is_some_and(CollisionShape::is_turned_about_z);
            let without_spin = if is_turned { without_spin(&track) } else { None };
            let declared = is_declared(&body.motion);
            let (assembly, can_move) = mounted(index, declared, above);
            let at = Riding {
                depth: above.map_or(0, |above| above.depth + 1),
                rides_on: if declared { Some(index) } else { above.and_then(|above| above.rides_on) },
                assembly,
                can_move,
                track,
                without_spin,
                constant,
            };
            placed[index] = Some(at);
        }
    }
    Ok(placed.into_iter().flatten().collect())
}

/// Whether a motion is declared, even if it changes no pose.
pub(crate) fn is_declared(motion: &BodyMotion) -> bool {
    !matches!(motion, BodyMotion::Still(_) | BodyMotion::Near { .. })
}

/// The values of [`Riding::assembly`] and [`Riding::can_move`]; `can_move`: whether the body can move in its parent's
/// frame.
pub(crate) fn mounted(body: usize, can_move: bool, above: Option<&Riding>) -> (usize, bool) {
    match above {
        Some(above) if !can_move => (above.assembly, above.can_move),
        _ => (body, can_move),
    }
}

fn track_of((name, motion): (&str, &BodyMotion), duration: f64) -> Result<Track, Error> {
    let place = |what: &str| format!("{what} of body {name:?}");
    let kind = |value, expected| ErrorKind::OutOfRange { value, expected };
    let keyframes = || place("keyframes");
    let track = match motion {
        BodyMotion::Still(pose) => Track::still(*pose, duration),
        BodyMotion::Near { pose, off } => {
            if !(*off >= 0.0 && off.is_finite()) {
                return Err(Error::new(kind(*off, "a finite number of 0 or more"), place("deviation")));
            }
            Track::constant_with_error(*pose, *off, duration)
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
            Track::joint((*origin, *axis), values, duration)?
        }
        BodyMotion::During { start, duration: lasting, motion } => {
            check_number(*start, || place("start of the motion"))?;
            if !(*lasting > 0.0 && lasting.is_finite()) {
                return Err(Error::new(
                    kind(*lasting, "a finite number greater than 0"),
                    place("duration of the motion"),
                ));
            }
            track_of((name, motion), *lasting)?.during(*start, duration)
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
    use crate::shape::Primitive;

    fn body(name: &str, parent: Option<usize>) -> SceneBody {
        let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::new(2.0, 3.0, 6.0) }).unwrap();
        SceneBody {
            name: name.into(),
            shape: Some(shape),
            motion: BodyMotion::Still(Pose::IDENTITY),
            parent,
            group: None,
            solid: false,
        }
    }

    fn definition() -> SceneDefinition {
        let bodies = vec![body("a", None), body("b", Some(0))];
        SceneDefinition { duration: 2.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] }
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
    fn what_has_no_meaning_is_refused() {
        let with = |duration, tolerance| SceneDefinition { duration, tolerance, ..definition() };
        refused(with(0.0, None), "duration: found 0, expected a finite number greater than 0");
        refused(with(f64::NAN, None), "duration: found NaN, expected a finite number greater than 0");
        refused(with(1.0, Some(-1.0)), "tolerance: found -1, expected a finite number, not negative");
        refused(
            SceneDefinition { bodies: vec![], ..definition() },
            "bodies: found 0, expected at least one body",
        );
        let bodies = vec![body("a", Some(2)), body("b", None)];
        refused(
            SceneDefinition { bodies, ..definition() },
            "parent of body \"a\": found 2, expected the number of a body",
        );
        let ignore = vec![[PairSide::Every, PairSide::Body(7)]];
        refused(
            SceneDefinition { ignore, ..definition() },
            "ignored pair: found 7, expected the number of a body",
        );
        let bodies = vec![body("a", Some(1)), body("b", Some(0))];
        refused(
            SceneDefinition { bodies, ..definition() },
            "parent of body \"a\": found 0, expected parents that form no circle",
        );
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
        // Children first: body i of the list rides on body i + 1.
        let bodies: Vec<_> = bodies
            .enumerate()
            .map(|(i, body)| SceneBody { parent: (i + 1 < 20_000).then_some(i + 1), ..body })
            .collect();
        let scene = Scene::new(SceneDefinition { bodies, ..definition() }).unwrap();
        assert_eq!(scene.pose_at(0, 1.0), Pose::IDENTITY);
    }
}
