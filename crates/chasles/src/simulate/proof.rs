//! Proves that bodies stay separated during a step: first one pair, then all. Each body moves on the screw between
//! its poses, or on its own motion.
//!
//! Usually a separating plane proves it: each body is on its own side at both times, and the rotation bounds how far
//! its points leave the straight lines between their positions. Without a plane, the pair is searched for contacts
//! along its relative screw. A pair that touches, or overlaps by rounding, is first shifted apart; the shift bounds
//! the depth. If both bodies rotate, the screw only approximates their relative motion, and the deviation can exceed
//! the gap. It falls with the square of the time, so an unproven interval is halved.

use std::borrow::Cow;

use glam::DVec3;
use rayon::prelude::*;

use crate::features::collector::EventFilter;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::motion::carried::{Carrier, MovingBall, OUTSIDE, carried, pieces};
use crate::motion::relative::RelativeMotion;
use crate::motion::track::{TimedScrew, Track, TrackSegment};
use crate::motion::{Pose, Screw};
use crate::pair::{Apart, PairMemory};
use crate::simulate::definition::SimulationMethod;
use crate::simulate::nearby::{
    NearPair, ROUNDING, STEPS, chord_deviation, middle, near_pairs, plane_directions, reach_along,
};
use crate::simulate::rows::ContactPoint;
use crate::simulate::springs::PenaltySpring;
use crate::simulate::stepping::{AnticipatedContact, StepContacts, StepState};
use crate::simulate::world::{World, rest_gap};
use crate::touch::place::Reach;
use crate::touch::undone::undone;
use crate::trajectory::watch::ProgressMonitor;

/// The result for one pair of bodies between two times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PairSeparation {
    /// A translation no longer than this, in metres, separates them at every time; 0: they are separated.
    Within(f64),
    /// They are separated up to this fraction of the time.
    Until(f64),
    /// Undecided.
    Unknown,
}

/// The contacts of two bodies at the start of a step; normals point from the first to the second.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Directions {
    /// The contact normals, nearest contact first.
    pub(crate) normals: Vec<DVec3>,
    /// The mean normal of the touching contacts; 0 if there are none, or they cancel.
    pub(crate) out: DVec3,
    /// Penetration depth at the nearest contact, in metres; negative: the gap.
    pub(crate) past: f64,
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
    pub(crate) fn stands(&self, world: &World, body: usize) -> bool {
        let [begin, end] = self.poses;
        let is_dynamic = world.numbers[body].is_some();
        self.is_still || world.stands(body) || is_dynamic && begin[body] == end[body]
    }
}

/// Shifts that are tried to separate bodies, as fractions of the allowed depth. Short ones are tried too, because a
/// long shift can move a body into the far side of the other.
const SHIFTS: [f64; 3] = [0.01, 0.1, 1.0];

/// A shift that removes all contacts leaves this fraction of the rest gap.
const AWAY: f64 = 0.1;

/// The shift is at most the depth at the start times this factor, plus the rest gap.
const DEEPER: f64 = 1.1;

/// A pair that overlaps across a plane by at most this fraction of the depth is first searched without a shift.
const CLOSE: f64 = 0.1;

/// Bodies that overlap across every plane by more than the depth times this factor are interlocked.
const WIDE: f64 = 10.0;

/// Maximum number of halvings; only while the screw's deviation exceeds this fraction of the allowed depth.
const HALVINGS: u32 = 5;
const OFF: f64 = 1e-3;

/// Checks whether two bodies stay more than `distance` apart; they may overlap by at most `depth`. If the monitor
/// requires an immediate stop, searches end undecided.
pub(crate) fn separation(
    (world, span): (&World, &StepPoses<'_>),
    bodies: [usize; 2],
    (directions, distance, depth): (&Directions, f64, f64),
    memory: &mut PairMemory,
    watch: &dyn ProgressMonitor,
) -> PairSeparation {
    let way = |body: usize| {
        let is_moved = span.is_still || world.stands(body) || world.is_told(body);
        is_moved.then(|| Screw::between(span.poses[0][body], span.poses[1][body]))
    };
    let asked = SeparationRequest { directions, distance, depth };
    StepMotions { world, span, bodies, screws: bodies.map(way), watch }.separation(
        &asked,
        [0.0, 1.0],
        HALVINGS,
        memory,
    )
}

/// The separation to prove for a pair.
struct SeparationRequest<'d> {
    directions: &'d Directions,
    distance: f64,
    depth: f64,
}

/// The motions of two bodies during a step.
struct StepMotions<'s> {
    world: &'s World,
    span: &'s StepPoses<'s>,
    bodies: [usize; 2],
    /// `None`: the body has its own motion.
    screws: [Option<Screw>; 2],
    watch: &'s dyn ProgressMonitor,
}

impl StepMotions<'_> {
    /// Checks whether the bodies stay separated between two fractions of the step, with at most `halvings` halvings.
    fn separation(
        &self,
        asked: &SeparationRequest<'_>,
        [from, to]: [f64; 2],
        halvings: u32,
        memory: &mut PairMemory,
    ) -> PairSeparation {
        let (distance, depth) = (asked.distance, asked.depth);
        let mut least: Option<(f64, DVec3)> = None;
        let own = asked.directions.normals.is_empty().then(|| self.separating_directions(from)).flatten();
        let normals = own.as_ref().map_or(asked.directions.normals.as_slice(), |own| own.as_slice());
        for turned in [false, true] {
            for normal in self.normals(normals, [from, to], turned) {
                let Some(overlap) = self.depth_past_plane([from, to], normal) else { continue };
                if least.is_none_or(|(least, _)| overlap < least) {
                    least = Some((overlap, normal));
                }
            }
            if let Some((overlap, _)) = least
                && overlap + distance <= depth
            {
                return PairSeparation::Within((overlap + distance).max(0.0));
            }
        }
        let unshifted =
            |memory: &mut PairMemory| self.along_a_screw([from, to], (distance, DVec3::ZERO), memory);
        let is_close = least.is_none_or(|(overlap, _)| overlap <= CLOSE * depth);
        let mut found = is_close.then(|| unshifted(memory));
        if let Some((PairSeparation::Within(_), _)) = found {
            return PairSeparation::Within(0.0);
        }
        if depth > 0.0 {
            let plane = least.filter(|(overlap, _)| *overlap <= WIDE * depth);
            for normal in separating_shifts(asked.directions, plane) {
                let shifts = SHIFTS.iter().map(|share| share * depth);
                for shift in shifts.filter(|shift| *shift > asked.directions.past.min(0.99 * depth)) {
                    let parted = self.along_a_screw([from, to], (distance, -shift * normal), memory).0;
                    if matches!(parted, PairSeparation::Within(_)) {
                        return PairSeparation::Within(shift);
                    }
                }
            }
            if plane.is_none()
                && let Some(shift) = self.shortest_shift([from, to], asked, memory)
                && let (PairSeparation::Within(_), _) =
                    self.along_a_screw([from, to], (distance, shift), memory)
            {
                return PairSeparation::Within(shift.length());
            }
        }
        let (searched, deviation) = found.take().unwrap_or_else(|| unshifted(memory));
        if matches!(searched, PairSeparation::Within(_)) {
            return searched;
        }
        if halvings == 0 || deviation <= OFF * self.world.definition.depth {
            return searched;
        }
        let middle = 0.5 * (from + to);
        let [first, second] = [[from, middle], [middle, to]];
        let before = match self.separation(asked, first, halvings - 1, memory) {
            PairSeparation::Within(before) => before,
            other => return other,
        };
        match self.separation(asked, second, halvings - 1, memory) {
            PairSeparation::Within(after) => PairSeparation::Within(before.max(after)),
            PairSeparation::Until(share) => PairSeparation::Until(share),
            PairSeparation::Unknown => PairSeparation::Until(middle),
        }
    }

    fn pose(&self, body: usize, share: f64) -> Option<Pose> {
        let number = self.bodies[body];
        if share == 0.0 || share == 1.0 {
            return Some(self.span.poses[usize::from(share == 1.0)][number]);
        }
        Some(self.screws[body].as_ref()?.pose_at(share))
    }

    fn time(&self, share: f64) -> f64 {
        let [begin, end] = self.span.times;
        if share == 1.0 { end } else { begin + share * (end - begin) }
    }

    /// The pose, also of a body with its own motion.
    fn pose_of_any(&self, body: usize, share: f64) -> Pose {
        self.pose(body, share)
            .unwrap_or_else(|| self.world.scene().pose_at(self.bodies[body], self.time(share)))
    }

    /// Directions that may separate the bodies if they have no near contact.
    fn separating_directions(&self, share: f64) -> Option<[DVec3; 7]> {
        let (a, b) = (self.pose(0, share)?, self.pose(1, share)?);
        plane_directions(self.world, self.bodies, [&a, &b])
    }

    /// Directions that may separate the bodies between two fractions: as at the start, or rotated with each body.
    fn normals(&self, normals: &[DVec3], [from, to]: [f64; 2], turned: bool) -> Vec<DVec3> {
        if !turned {
            return normals.to_vec();
        }
        let turn = |screw: &Screw| {
            screw.pose_at(0.5 * (from + to)).rotation() * screw.start().rotation().conjugate()
        };
        let turns = self.screws.iter().flatten().map(turn);
        turns.flat_map(|turn| normals.iter().map(move |normal| turn * *normal)).collect()
    }

    /// An upper bound of the overlap across a plane whose normal points from the first body to the second; `None` if
    /// no bound is available.
    fn depth_past_plane(&self, [from, to]: [f64; 2], normal: DVec3) -> Option<f64> {
        let [first, second] = [(0, normal), (1, -normal)].map(|(i, normal)| {
            let shape = self.world.scene().bodies()[self.bodies[i]].shape.as_ref()?;
            let reach = |share: f64| reach_along(shape, &self.pose(i, share)?, normal);
            if self.span.stands(self.world, self.bodies[i]) {
                return reach(0.0);
            }
            Some(reach(from)?.max(reach(to)?) + (to - from).powi(2) * self.chord_deviation(i)?)
        });
        Some(first? + second?)
    }

    /// The shortest shift of the first body that removes all contacts at two fractions of the step; `None` if no
    /// short one was found. It is hardly longer than the depth at the start: approaching bodies need shorter steps.
    fn shortest_shift(
        &self,
        [from, to]: [f64; 2],
        asked: &SeparationRequest<'_>,
        memory: &mut PairMemory,
    ) -> Option<DVec3> {
        let depth = asked.depth;
        let most = depth.min(DEEPER * asked.directions.past + rest_gap(self.world));
        if most <= 0.0 {
            return None;
        }
        let own = self.world.scene().pair(self.bodies)?;
        let facings = self.bodies.map(|body| self.world.facings[body]);
        let reach = Reach { gap: depth, depth };
        let is_final = || self.watch.is_final();
        let mut budget = Budget::new(STEPS).watched(Some(&is_final));
        let pose = |share: f64| self.pose_of_any(1, share).inverse().compose(&self.pose_of_any(0, share));
        let touches = |pose: &Pose| own.contact_points_at(memory, (pose, &reach), facings, &mut budget);
        let found =
            undone(&[pose(from), pose(to)], [AWAY * rest_gap(self.world), most], touches).ok().flatten()?;
        let shift = self.pose_of_any(1, from).transform_vector(found);
        (shift != DVec3::ZERO).then_some(shift)
    }

    /// A bound of the distance of a body's points from the straight lines between their positions.
    fn chord_deviation(&self, i: usize) -> Option<f64> {
        Some(chord_deviation(
            self.screws[i].as_ref()?,
            self.world.scene().bodies()[self.bodies[i]].shape.as_ref()?,
        ))
    }

    /// The search between two fractions of the step, and the deviation of its screw from the relative motion.
    fn along_a_screw(
        &self,
        [from, to]: [f64; 2],
        (distance, shift): (f64, DVec3),
        memory: &mut PairMemory,
    ) -> (PairSeparation, f64) {
        let (scene, bodies) = (self.world.scene(), self.bodies);
        let Some(pair) = scene.pair(bodies) else { return (PairSeparation::Within(0.0), 0.0) };
        let Some(pair) = pair.rigid() else { return (PairSeparation::Unknown, 0.0) };
        let [begin, end] = self.span.times;
        let tracks = [0, 1].map(|i| {
            let is_own = self.span.is_still || self.world.is_told(bodies[i]);
            let screw = self.screws[i].filter(|_| is_own)?;
            Some(Track(vec![TrackSegment::Screw(TimedScrew { begin, end, screw })]))
        });
        let chains = [0, 1].map(|i| match &tracks[i] {
            Some(track) => vec![Carrier { track, is_constant: false }],
            None => scene.chain(bodies[i], None),
        });
        let matter = bodies.map(|body| {
            scene.bodies()[body].shape.as_ref().map_or(MovingBall::POINT, |own| own.matter(false))
        });
        let relative = RelativeMotion::new(scene.duration().max(end), chains, matter);
        let (mut piece, deviation) = relative.screw(self.time(from), self.time(to));
        let failed = if from == 0.0 { PairSeparation::Unknown } else { PairSeparation::Until(from) };
        let apart = piece.screw.start().transform_point(matter[0].centre).distance(matter[1].centre);
        let farthest = apart + matter[0].radius + matter[1].radius;
        if !deviation.is_finite() || distance + deviation > farthest {
            // Even at the start they cannot be this far apart, so the search would fail.
            return (failed, deviation);
        }
        if shift != DVec3::ZERO {
            // In the frame of the second body.
            let shift = self.pose_of_any(1, from).rotation().conjugate() * shift;
            let moved = |pose: Pose| Pose::from_parts(pose.position() + shift, pose.rotation());
            piece.screw = Screw::between(moved(piece.screw.start()), moved(piece.screw.end()));
        }
        let least = ROUNDING * (pair.size() + piece.screw.start().position().abs().element_sum());
        let is_final = || self.watch.is_final();
        let mut budget = Budget::new(STEPS).watched(Some(&is_final));
        memory.forget();
        let distance = distance + deviation + least;
        let asked = (distance, EventFilter::Apart);
        let found = match pair.separated_on_screw(memory, &piece.screw, asked, &mut budget) {
            Ok(Apart::Throughout) => PairSeparation::Within(0.0),
            Ok(Apart::Until(share)) => PairSeparation::Until(from + share * (to - from)),
            Ok(Apart::Overlapping) => PairSeparation::Until(from),
            Ok(Apart::Unknown) | Err(_) => failed,
        };
        (found, deviation)
    }
}

/// Directions of shifts that may separate bodies: the normal of the plane with the smallest overlap or, without a
/// plane, as for interlocked rings, the contact directions.
fn separating_shifts(directions: &Directions, least: Option<(f64, DVec3)>) -> Vec<DVec3> {
    if let Some((_, normal)) = least {
        return vec![normal];
    }
    let nearest = directions.normals.first().copied();
    let mut found = vec![directions.out];
    found.extend(nearest.filter(|normal| normal.dot(directions.out) < 1.0 - 1e-9));
    found.retain(|normal| *normal != DVec3::ZERO);
    found
}

/// A bound of the deviation of the motion of a body that waits for its first contact from its reported screw, in
/// metres; 0 for all others. Both are near the straight lines between the positions of its points.
pub(crate) fn hold_deviation(world: &World, span: &StepPoses<'_>, body: usize) -> f64 {
    if !world.awaits_contact([body; 2]) || span.stands(world, body) {
        return 0.0;
    }
    let chain = world.scene().chain(body, None);
    let [begin, end] = span.times;
    let within = 0.5 * (begin + end);
    if chain.iter().all(|carrier| {
        carrier.is_constant || matches!(carrier.track.piece_at(within), TrackSegment::Screw(_))
    }) && chain.len() == 1
    {
        return 0.0;
    }
    let Some(shape) = world.scene().bodies()[body].shape.as_ref() else { return 0.0 };
    let matter =
        MovingBall { centre: middle(shape), radius: shape.extent().half.length() + shape.extent().beyond };
    let bends = carried(pieces(&chain, within), &matter, TimeInterval::new(begin, end)).0.change;
    let bent = 0.125 * (end - begin) * (end - begin) * bends * OUTSIDE;
    bent + chord_deviation(&Screw::between(span.poses[0][body], span.poses[1][body]), shape)
}

/// The contacts of pairs that nearly touch.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SeparatingHints {
    /// At the start of a step.
    begin: Vec<Hint>,
    /// Anticipated during the step.
    ahead: Vec<Hint>,
}

#[derive(Debug, Clone, PartialEq)]
struct Hint {
    bodies: [usize; 2],
    directions: Directions,
    gap: f64,
}

/// The result for all pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Proven {
    /// A translation no longer than this, in metres, separates any two bodies at every time.
    Apart(f64),
    /// The pairs that are not proven separated, earliest first.
    Until(Vec<BlockingPair>),
}

/// Two bodies that are not proven separated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlockingPair {
    pub(crate) bodies: [usize; 2],
    /// They are separated up to this fraction of the time.
    pub(crate) share: f64,
}

impl SeparatingHints {
    pub(crate) fn of(world: &World, station: &StepState) -> Self {
        let near = TOUCHING * rest_gap(world);
        Self { begin: hints(&station.touches(), |touch| touch.gap <= near), ahead: Vec::new() }
    }

    /// Replaces the anticipated contacts.
    pub(crate) fn note_anticipated(&mut self, ahead: &[AnticipatedContact]) {
        let mut touches: Vec<&ContactPoint> = ahead.iter().map(|own| &own.touch).collect();
        touches.sort_by_key(|touch| touch.bodies);
        self.ahead = hints(&touches, |_| true);
    }

    /// The contact directions of a pair, and its gap at the start.
    fn find(&self, bodies: [usize; 2]) -> (Cow<'_, Directions>, f64) {
        let find = |all: &'_ [Hint]| all.binary_search_by_key(&bodies, |hint| hint.bodies).ok();
        let begin = find(&self.begin).map(|i| &self.begin[i]);
        let gap = begin.map_or(f64::INFINITY, |hint| hint.gap);
        let ahead = find(&self.ahead).map(|i| &self.ahead[i].directions);
        let directions = match (begin.map(|hint| &hint.directions), ahead) {
            (Some(begin), None) => Cow::Borrowed(begin),
            (None, None) => Cow::Owned(Directions::default()),
            (None, Some(ahead)) => Cow::Owned(Directions { past: -gap, ..ahead.clone() }),
            (Some(begin), Some(ahead)) => {
                let mut own = begin.clone();
                own.normals.extend(&ahead.normals);
                own.out = if own.out == DVec3::ZERO { ahead.out } else { own.out };
                Cow::Owned(own)
            }
        };
        (directions, gap)
    }

    fn is_ahead(&self, bodies: [usize; 2]) -> bool {
        self.ahead.binary_search_by_key(&bodies, |hint| hint.bodies).is_ok()
    }
}

/// The hints of each pair, from contacts sorted by pair; contacts that `is_touching` accepts define `out`.
fn hints(touches: &[&ContactPoint], is_touching: impl Fn(&ContactPoint) -> bool) -> Vec<Hint> {
    let of_pair = |own: &[&ContactPoint]| {
        let mut own = own.to_vec();
        own.sort_by(|p, q| p.gap.total_cmp(&q.gap));
        let mut normals: Vec<DVec3> = Vec::new();
        for touch in &own {
            let is_known = normals.iter().any(|normal| normal.dot(touch.normal) > 1.0 - 1e-9);
            if !is_known && normals.len() < NORMALS {
                normals.push(touch.normal);
            }
        }
        let out: DVec3 = own.iter().filter(|touch| is_touching(touch)).map(|touch| touch.normal).sum();
        let directions = Directions { normals, out: out.normalize_or_zero(), past: -own[0].gap };
        Hint { bodies: own[0].bodies, directions, gap: own[0].gap }
    };
    touches.chunk_by(|one, other| one.bodies == other.bodies).map(of_pair).collect()
}

/// Bodies closer than the rest gap times this factor touch, and may overlap by the allowed depth.
const TOUCHING: f64 = 4.0;

/// Maximum number of directions tried per pair.
const NORMALS: usize = 8;

/// A bound of the travel of each body in a step.
fn travels(world: &World, span: &StepPoses<'_>) -> Vec<f64> {
    let own = |body: usize| {
        let Some(shape) = world.scene().bodies()[body].shape.as_ref() else { return 0.0 };
        if span.stands(world, body) {
            return 0.0;
        }
        let extent = shape.extent();
        let (centre, radius) = (middle(shape), extent.half.length() + extent.beyond);
        if world.is_told(body) {
            let screw = Screw::between(span.poses[0][body], span.poses[1][body]);
            let arm = screw.start_rotation() * centre;
            let speed = screw.velocity_across_at(arm).length() + screw.angle() * radius + screw.slide().abs();
            return speed * (1.0 + 1e-9) + hold_deviation(world, span, body);
        }
        let chain = world.scene().chain(body, None);
        let [begin, end] = span.times;
        let matter = MovingBall { centre, radius };
        carried(pieces(&chain, 0.5 * (begin + end)), &matter, TimeInterval::new(begin, end)).0.speed
            * (end - begin)
    };
    (0..world.numbers.len()).map(own).collect()
}

/// The results for the pairs of a step with the same start and times, but other end poses.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ProvenPairs {
    ends: Vec<Pose>,
    meetings: StepContacts,
    /// Sorted by pair.
    found: Vec<([usize; 2], PairSeparation)>,
}

impl ProvenPairs {
    /// The earlier result for a pair, if its end poses and its kind of contact are the same.
    fn find(&self, bodies: [usize; 2], (ends, meetings): (&[Pose], &StepContacts)) -> Option<PairSeparation> {
        let is_same = bodies.iter().all(|body| self.ends.get(*body) == Some(&ends[*body]))
            && self.meetings.is_bouncing(bodies) == meetings.is_bouncing(bodies)
            && self.meetings.is_landing(bodies) == meetings.is_landing(bodies);
        let found = || self.found.binary_search_by_key(&bodies, |found| found.0).ok();
        is_same.then(found).flatten().map(|i| self.found[i].1)
    }
}

/// Checks whether all bodies stay more than `distance` apart. Bodies that touch at the start or land may overlap by
/// the allowed depth; bodies that will rebound touch at `distance`.
pub(crate) fn prove(
    world: &World,
    span: &StepPoses<'_>,
    (hints, meetings, known): (&SeparatingHints, &StepContacts, &mut ProvenPairs),
    distance: f64,
    watch: &dyn ProgressMonitor,
) -> Proven {
    let travels: Vec<f64> = travels(world, span).into_iter().map(|travel| travel + distance).collect();
    let mut near = near_pairs(world, span.poses[0], &travels);
    if !span.is_still {
        // Static pairs were proven when they stopped, or at the start.
        near.retain(|pair| !pair.bodies.iter().all(|body| span.stands(world, *body)));
    }
    let before = &*known;
    let own = |memory: &mut PairMemory, pair: &NearPair| {
        let known = before.find(pair.bodies, (span.poses[1], meetings));
        if let Some(known) = known.filter(|_| !hints.is_ahead(pair.bodies)) {
            return known;
        }
        let is_awaited = world.awaits_contact(pair.bodies);
        let (directions, gap) = hints.find(pair.bodies);
        // Pairs that will rebound are followed until they touch, unless they already touch elsewhere.
        let is_bouncing = gap > 0.5 * distance && meetings.is_bouncing(pair.bodies);
        let is_touching = gap <= TOUCHING * rest_gap(world) || meetings.is_landing(pair.bodies);
        let (distance, depth) = if is_bouncing || !is_touching || is_awaited && !span.is_still {
            // With springs, bodies may come closer than `distance` only inside a spring's zone.
            let is_met =
                world.definition.method != SimulationMethod::Spring || gap <= PenaltySpring::zone(world);
            (if is_met { distance.min(0.5 * gap) } else { distance }, 0.0)
        } else {
            (0.0, world.definition.depth)
        };
        // The true motion of a waiting body deviates from the reported screw.
        let distance =
            distance + pair.bodies.iter().map(|body| hold_deviation(world, span, *body)).sum::<f64>();
        separation((world, span), pair.bodies, (&directions, distance, depth), memory, watch)
    };
    let found: Vec<PairSeparation> = if near.len() < 16 {
        let mut memory = PairMemory::default();
        near.iter().map(|pair| own(&mut memory, pair)).collect()
    } else {
        near.par_iter().map_init(PairMemory::default, own).collect()
    };
    let mut deepest = 0.0_f64;
    let mut barriers = Vec::new();
    for (pair, parted) in near.iter().zip(&found) {
        let share = match *parted {
            PairSeparation::Within(depth) => {
                deepest = deepest.max(depth);
                continue;
            }
            PairSeparation::Until(share) => share,
            PairSeparation::Unknown => 0.0,
        };
        barriers.push(BlockingPair { bodies: pair.bodies, share });
    }
    *known = if watch.is_final() {
        ProvenPairs::default()
    } else {
        let found = near.iter().map(|pair| pair.bodies).zip(found).collect();
        ProvenPairs { ends: span.poses[1].to_vec(), meetings: meetings.clone(), found }
    };
    if barriers.is_empty() {
        return Proven::Apart(deepest);
    }
    barriers.sort_by(|p, q| p.share.total_cmp(&q.share).then(p.bodies.cmp(&q.bodies)));
    Proven::Until(barriers)
}
