//! Proves that two bodies stay separated during a step. Each body moves on the screw between its poses, or on its own
//! motion.
//!
//! Usually a separating plane proves it: each body is on its own side at both times, and the rotation bounds how far
//! its points leave the straight lines between their positions. Without a plane, the pair is searched for contacts
//! along its relative screw. A pair that touches, or overlaps by rounding, is first shifted apart; the shift bounds
//! the depth. If both bodies rotate, the screw only approximates their relative motion, and the deviation can exceed
//! the gap. It falls with the square of the time, so an unproven interval is halved.

use glam::DVec3;

use crate::features::collector::EventFilter;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::motion::chain::{ChainBody, MovingBall, OUTSIDE, chain_rates, chain_segments};
use crate::motion::relative::RelativeMotion;
use crate::motion::track::{TimedScrew, Track, TrackSegment};
use crate::motion::{Pose, Screw};
use crate::pair::{PairMemory, SeparationTime};
use crate::simulate::state::nearby::{ROUNDING, STEPS, chord_deviation, plane_directions, support_along};
use crate::simulate::state::world::{World, middle, rest_gap};
use crate::touch::place::Reach;
use crate::touch::separating_translation::separating_translation;
use crate::trajectory::watch::ProgressMonitor;

/// The length, in metres, of a translation that separates two bodies at every time; 0: they are separated.
pub(crate) type PairSeparation = Result<f64, UnprovenFrom>;

/// Two bodies are proven separated only up to this fraction of the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UnprovenFrom(pub(crate) f64);

/// The contacts of two bodies at the start of a step; normals point from the first to the second.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Directions {
    /// The contact normals, nearest contact first.
    pub(crate) normals: Vec<DVec3>,
    /// The mean normal of the touching contacts; 0 if there are none, or they cancel.
    pub(crate) mean_normal: DVec3,
    /// Penetration depth at the nearest contact, in metres; negative: the gap.
    pub(crate) depth: f64,
}

/// The poses of all bodies at two times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepPoses<'s> {
    /// In seconds.
    pub(crate) times: [f64; 2],
    /// By body of the scene, at both times.
    pub(crate) poses: [&'s [Pose]; 2],
    /// All bodies are static at their first poses, even those with a motion.
    pub(crate) is_still: bool,
}

impl StepPoses<'_> {
    /// Whether a body is static between the two times.
    pub(crate) fn is_static(&self, world: &World, body: usize) -> bool {
        let [start, end] = self.poses;
        let is_dynamic = world.numbers[body].is_some();
        self.is_still || world.is_static(body) || is_dynamic && start[body] == end[body]
    }
}

/// Shifts that are tried to separate bodies, as fractions of the allowed depth. Short ones are tried too, because a
/// long shift can move a body into the far side of the other.
const SHIFT_FRACTIONS: [f64; 3] = [0.01, 0.1, 1.0];

/// A shift that removes all contacts leaves this fraction of the rest gap.
const SHIFT_GAP: f64 = 0.1;

/// The shift is at most the depth at the start times this factor, plus the rest gap.
const SHIFT_FACTOR: f64 = 1.1;

/// A pair that overlaps across a plane by at most this fraction of the depth is first searched without a shift.
const UNSHIFTED_OVERLAP: f64 = 0.1;

/// Bodies that overlap across every plane by more than the depth times this factor are interlocked.
const INTERLOCKED_OVERLAP: f64 = 10.0;

/// Maximum number of halvings; only while the screw's deviation exceeds this fraction of the allowed depth.
const MAX_HALVINGS: u32 = 5;
const HALVING_DEVIATION: f64 = 1e-3;

/// The separation to prove for a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SeparationRequest<'d> {
    pub(crate) directions: &'d Directions,
    /// The distance that the bodies must keep, in metres.
    pub(crate) distance: f64,
    /// They may overlap by at most this, in metres.
    pub(crate) depth: f64,
}

/// The motions of two bodies during a step.
pub(crate) struct StepMotions<'s> {
    world: &'s World,
    step: &'s StepPoses<'s>,
    bodies: [usize; 2],
    /// `None`: the body has its own motion.
    screws: [Option<Screw>; 2],
    /// If it requires an immediate stop, searches end undecided.
    watch: &'s dyn ProgressMonitor,
}

/// The result of a search along the relative screw of two bodies.
struct ScrewSeparation {
    separation: PairSeparation,
    /// The deviation of the screw from the relative motion, in metres.
    deviation: f64,
}

/// A direction across which two bodies overlap.
#[derive(Debug, Clone, Copy)]
struct PlaneOverlap {
    /// An upper bound, in metres; negative: a gap.
    overlap: f64,
    /// From the first body to the second.
    normal: DVec3,
}

/// Directions as they are at the start, or rotated with each body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DirectionMotion {
    Fixed,
    Rotated,
}

impl<'s> StepMotions<'s> {
    pub(crate) fn new(
        world: &'s World,
        step: &'s StepPoses<'s>,
        bodies: [usize; 2],
        watch: &'s dyn ProgressMonitor,
    ) -> Self {
        let screw = |body: usize| {
            let is_on_screw = step.is_still || world.is_static(body) || world.is_recorded(body);
            is_on_screw.then(|| Screw::between(step.poses[0][body], step.poses[1][body]))
        };
        Self { world, step, bodies, screws: bodies.map(screw), watch }
    }

    /// Checks whether the bodies stay separated during the step.
    pub(crate) fn separation(
        &self,
        request: &SeparationRequest<'_>,
        memory: &mut PairMemory,
    ) -> PairSeparation {
        self.separation_between(request, TimeInterval::new(0.0, 1.0), MAX_HALVINGS, memory)
    }

    /// Checks whether the bodies stay separated between two fractions of the step, with at most `halvings` halvings.
    fn separation_between(
        &self,
        request: &SeparationRequest<'_>,
        interval: TimeInterval,
        halvings: u32,
        memory: &mut PairMemory,
    ) -> PairSeparation {
        let SeparationRequest { distance, depth, .. } = *request;
        let plane = self.best_plane(request, interval);
        if let Some(PlaneOverlap { overlap, .. }) = plane
            && overlap + distance <= depth
        {
            return Ok((overlap + distance).max(0.0));
        }
        let unshifted = |memory: &mut PairMemory| self.along_screw(interval, distance, DVec3::ZERO, memory);
        let is_close = plane.is_none_or(|plane| plane.overlap <= UNSHIFTED_OVERLAP * depth);
        let searched = is_close.then(|| unshifted(memory));
        if let Some(ScrewSeparation { separation: Ok(_), .. }) = searched {
            return Ok(0.0);
        }
        if depth > 0.0
            && let Some(shift) = self.separating_shift(request, interval, plane, memory)
        {
            return Ok(shift);
        }
        let ScrewSeparation { separation, deviation } = searched.unwrap_or_else(|| unshifted(memory));
        if separation.is_ok()
            || halvings == 0
            || deviation <= HALVING_DEVIATION * self.world.definition.settings.depth
        {
            return separation;
        }
        let middle = interval.middle();
        let [first, second] =
            [TimeInterval::new(interval.start, middle), TimeInterval::new(middle, interval.end)];
        let before = self.separation_between(request, first, halvings - 1, memory)?;
        let after = self.separation_between(request, second, halvings - 1, memory)?;
        Ok(before.max(after))
    }

    /// The plane with the smallest overlap among some candidates. Rotated directions are tried only if the fixed ones
    /// do not prove the separation.
    fn best_plane(&self, request: &SeparationRequest<'_>, interval: TimeInterval) -> Option<PlaneOverlap> {
        let mut best: Option<PlaneOverlap> = None;
        let normals = &request.directions.normals;
        let own = normals.is_empty().then(|| self.separating_directions(interval.start)).flatten();
        let normals = own.as_ref().map_or(normals.as_slice(), |own| own.as_slice());
        for motion in [DirectionMotion::Fixed, DirectionMotion::Rotated] {
            for normal in self.normals(normals, interval, motion) {
                let Some(overlap) = self.overlap_across(interval, normal) else { continue };
                if best.is_none_or(|best| overlap < best.overlap) {
                    best = Some(PlaneOverlap { overlap, normal });
                }
            }
            if best.is_some_and(|best| best.overlap + request.distance <= request.depth) {
                return best;
            }
        }
        best
    }

    /// The length of a shift of the first body, up to the allowed depth, that separates the bodies, if one is found.
    fn separating_shift(
        &self,
        request: &SeparationRequest<'_>,
        interval: TimeInterval,
        plane: Option<PlaneOverlap>,
        memory: &mut PairMemory,
    ) -> Option<f64> {
        let SeparationRequest { directions, distance, depth } = *request;
        let plane = plane.filter(|plane| plane.overlap <= INTERLOCKED_OVERLAP * depth);
        for normal in shift_directions(directions, plane) {
            let shifts = SHIFT_FRACTIONS.iter().map(|fraction| fraction * depth);
            for shift in shifts.filter(|shift| *shift > directions.depth.min(0.99 * depth)) {
                let shifted = self.along_screw(interval, distance, -shift * normal, memory);
                if shifted.separation.is_ok() {
                    return Some(shift);
                }
            }
        }
        if plane.is_some() {
            return None;
        }
        let shift = self.shortest_shift(interval, request, memory)?;
        let shifted = self.along_screw(interval, distance, shift, memory);
        shifted.separation.is_ok().then(|| shift.length())
    }

    /// The pose at a fraction of the step; `None` for a body with its own motion, except at the start and the end.
    fn pose(&self, body: usize, fraction: f64) -> Option<Pose> {
        let number = self.bodies[body];
        if fraction == 0.0 || fraction == 1.0 {
            return Some(self.step.poses[usize::from(fraction == 1.0)][number]);
        }
        Some(self.screws[body].as_ref()?.pose_at(fraction))
    }

    fn time(&self, fraction: f64) -> f64 {
        let [start, end] = self.step.times;
        if fraction == 1.0 { end } else { start + fraction * (end - start) }
    }

    /// The pose, also of a body with its own motion.
    fn pose_of_any(&self, body: usize, fraction: f64) -> Pose {
        self.pose(body, fraction)
            .unwrap_or_else(|| self.world.scene().pose_at(self.bodies[body], self.time(fraction)))
    }

    /// Directions that may separate the bodies if they have no near contact.
    fn separating_directions(&self, fraction: f64) -> Option<[DVec3; 7]> {
        let (a, b) = (self.pose(0, fraction)?, self.pose(1, fraction)?);
        plane_directions(self.world, self.bodies, [&a, &b])
    }

    /// Directions that may separate the bodies between two fractions.
    fn normals(&self, normals: &[DVec3], interval: TimeInterval, motion: DirectionMotion) -> Vec<DVec3> {
        if motion == DirectionMotion::Fixed {
            return normals.to_vec();
        }
        let rotation = |screw: &Screw| {
            screw.pose_at(interval.middle()).rotation() * screw.start().rotation().conjugate()
        };
        let rotations = self.screws.iter().flatten().map(rotation);
        rotations.flat_map(|rotation| normals.iter().map(move |normal| rotation * *normal)).collect()
    }

    /// An upper bound of the overlap across a plane whose normal points from the first body to the second; `None` if
    /// no bound is available.
    fn overlap_across(&self, interval: TimeInterval, normal: DVec3) -> Option<f64> {
        let [first, second] = [(0, normal), (1, -normal)].map(|(i, normal)| {
            let shape = self.world.scene().bodies()[self.bodies[i]].shape.as_ref()?;
            let support = |fraction: f64| support_along(shape, &self.pose(i, fraction)?, normal);
            if self.step.is_static(self.world, self.bodies[i]) {
                return support(0.0);
            }
            let furthest = support(interval.start)?.max(support(interval.end)?);
            Some(furthest + interval.length().powi(2) * self.chord_deviation(i)?)
        });
        Some(first? + second?)
    }

    /// The shortest shift of the first body that removes all contacts at two fractions of the step; `None` if no
    /// short one was found. It is hardly longer than the depth at the start: approaching bodies need shorter steps.
    fn shortest_shift(
        &self,
        interval: TimeInterval,
        request: &SeparationRequest<'_>,
        memory: &mut PairMemory,
    ) -> Option<DVec3> {
        let depth = request.depth;
        let longest = depth.min(SHIFT_FACTOR * request.directions.depth + rest_gap(self.world));
        if longest <= 0.0 {
            return None;
        }
        let own = self.world.scene().pair(self.bodies)?;
        let facings = self.bodies.map(|body| self.world.facings[body]);
        let reach = Reach { gap: depth, depth };
        let is_final = || self.watch.is_final();
        let mut budget = Budget::new(STEPS).watched(Some(&is_final));
        let pose =
            |fraction: f64| self.pose_of_any(1, fraction).inverse().compose(&self.pose_of_any(0, fraction));
        let touches = |pose: &Pose| own.contact_points_at(memory, (pose, &reach), facings, &mut budget);
        let poses = [pose(interval.start), pose(interval.end)];
        let found = separating_translation(&poses, [SHIFT_GAP * rest_gap(self.world), longest], touches)
            .ok()
            .flatten()?;
        let shift = self.pose_of_any(1, interval.start).transform_vector(found);
        (shift != DVec3::ZERO).then_some(shift)
    }

    /// A bound of the distance of a body's points from the straight lines between their positions.
    fn chord_deviation(&self, i: usize) -> Option<f64> {
        Some(chord_deviation(
            self.screws[i].as_ref()?,
            self.world.scene().bodies()[self.bodies[i]].shape.as_ref()?,
        ))
    }

    /// The search between two fractions of the step, with the first body shifted.
    fn along_screw(
        &self,
        interval: TimeInterval,
        distance: f64,
        shift: DVec3,
        memory: &mut PairMemory,
    ) -> ScrewSeparation {
        let TimeInterval { start: from, end: to } = interval;
        let result = |separation: PairSeparation, deviation: f64| ScrewSeparation { separation, deviation };
        let (scene, bodies) = (self.world.scene(), self.bodies);
        let Some(pair) = scene.pair(bodies) else { return result(Ok(0.0), 0.0) };
        let failed = Err(UnprovenFrom(from));
        let Some(pair) = pair.rigid() else { return result(failed, 0.0) };
        let [begin, end] = self.step.times;
        let tracks = [0, 1].map(|i| {
            let is_on_screw = self.step.is_still || self.world.is_recorded(bodies[i]);
            let screw = self.screws[i].filter(|_| is_on_screw)?;
            Some(Track(vec![TrackSegment::Screw(TimedScrew { start: begin, end, screw })]))
        });
        let chains = [0, 1].map(|i| match &tracks[i] {
            Some(track) => vec![ChainBody { track, is_constant: false }],
            None => scene.chain(bodies[i], None),
        });
        let balls = bodies.map(|body| {
            scene.bodies()[body].shape.as_ref().map_or(MovingBall::POINT, |own| own.moving_ball(false))
        });
        let relative = RelativeMotion::new(scene.duration().max(end), chains, balls);
        let (mut piece, deviation) = relative.screw(self.time(from), self.time(to));
        let between = piece.screw.start().transform_point(balls[0].centre).distance(balls[1].centre);
        let farthest = between + balls[0].radius + balls[1].radius;
        if !deviation.is_finite() || distance + deviation > farthest {
            // The distance is already smaller at the start, so the search would fail.
            return result(failed, deviation);
        }
        if shift != DVec3::ZERO {
            // In the frame of the second body.
            let shift = self.pose_of_any(1, from).rotation().conjugate() * shift;
            let moved = |pose: Pose| Pose::from_parts(pose.position() + shift, pose.rotation());
            piece.screw = Screw::between(moved(piece.screw.start()), moved(piece.screw.end()));
        }
        let rounding = ROUNDING * (pair.size() + piece.screw.start().position().abs().element_sum());
        let is_final = || self.watch.is_final();
        let mut budget = Budget::new(STEPS).watched(Some(&is_final));
        memory.forget();
        let distance = distance + deviation + rounding;
        let query = (distance, EventFilter::Separation);
        let separation = match pair.separated_on_screw(memory, &piece.screw, query, &mut budget) {
            Ok(SeparationTime::Throughout) => Ok(0.0),
            Ok(separated) => Err(UnprovenFrom(from + separated.fraction() * (to - from))),
            Err(_) => failed,
        };
        result(separation, deviation)
    }
}

/// Directions of shifts that may separate bodies: the normal of the plane with the smallest overlap or, without a
/// plane, as for interlocked rings, the contact directions.
fn shift_directions(directions: &Directions, plane: Option<PlaneOverlap>) -> Vec<DVec3> {
    if let Some(PlaneOverlap { normal, .. }) = plane {
        return vec![normal];
    }
    let nearest = directions.normals.first().copied();
    let mut found = vec![directions.mean_normal];
    found.extend(nearest.filter(|normal| normal.dot(directions.mean_normal) < 1.0 - 1e-9));
    found.retain(|normal| *normal != DVec3::ZERO);
    found
}

/// A bound of the deviation of the motion of a body that waits for its first contact from its reported screw, in
/// metres; 0 for all others. Both are near the straight lines between the positions of its points.
pub(crate) fn waiting_deviation(world: &World, step: &StepPoses<'_>, body: usize) -> f64 {
    if !world.awaits_contact([body; 2]) || step.is_static(world, body) {
        return 0.0;
    }
    let chain = world.scene().chain(body, None);
    let [start, end] = step.times;
    let within = 0.5 * (start + end);
    if chain.iter().all(|carrier| {
        carrier.is_constant || matches!(carrier.track.segment_at(within), TrackSegment::Screw(_))
    }) && chain.len() == 1
    {
        return 0.0;
    }
    let Some(shape) = world.scene().bodies()[body].shape.as_ref() else { return 0.0 };
    let ball =
        MovingBall { centre: middle(shape), radius: shape.extent().half.length() + shape.extent().beyond };
    let acceleration =
        chain_rates(chain_segments(&chain, within), &ball, TimeInterval::new(start, end)).0.change;
    let own = 0.125 * (end - start) * (end - start) * acceleration * OUTSIDE;
    own + chord_deviation(&Screw::between(step.poses[0][body], step.poses[1][body]), shape)
}
