//! Whether bodies stay apart between two times, each on the screw that joins its poses, or on its own motion: first any
//! two of them, then all.
//!
//! Mostly a plane proves it: all of one body is on one side of it at both times, and no point strays further from the
//! straight line between its places than its turn allows. Where no plane does, the search for contacts along screws is
//! asked. A pair that touches or is in each other by rounding is shifted apart first: the shift bounds how deep it is.
//! Where both bodies turn, the way of the one past the other is a screw but for a deviation, which can be longer than
//! the gap; it falls with the square of the time, so that what is not proven is halved.

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

/// What is known of a pair between two times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum PairSeparation {
    /// A translation no longer than this, in metres, parts them at every time; 0: they are apart.
    Within(f64),
    /// They are apart up to this share of the time.
    Until(f64),
    /// Nothing is known.
    Unknown,
}

/// Where two bodies nearly touch at the begin of a span, from the first to the second.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Directions {
    /// The nearest first.
    pub(crate) normals: Vec<DVec3>,
    /// Between those where they touch; 0: there are none, or they are against each other.
    pub(crate) out: DVec3,
    /// How deep they are in each other there, in metres; below 0: how far apart.
    pub(crate) past: f64,
}

/// Where bodies are at two times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepPoses<'s> {
    /// In seconds.
    pub(crate) times: [f64; 2],
    /// By body of the scene, at both times.
    pub(crate) poses: [&'s [Pose]; 2],
    /// All bodies stand as at the first time, those too that have a motion.
    pub(crate) is_still: bool,
}

impl StepPoses<'_> {
    /// Whether a body does not move.
    pub(crate) fn stands(&self, world: &World, body: usize) -> bool {
        let [begin, end] = self.poses;
        let is_dynamic = world.numbers[body].is_some();
        self.is_still || world.stands(body) || is_dynamic && begin[body] == end[body]
    }
}

/// Shifts that may part bodies, as shares of the depth that is allowed: short ones too, for a body in another must not be
/// shifted into its other side.
const SHIFTS: [f64; 3] = [0.01, 0.1, 1.0];

/// A shift that undoes all touches leaves this share of the gap of rest between bodies.
const AWAY: f64 = 0.1;

/// It is no longer than this many times what bodies are in each other at the begin, and the gap of rest.
const DEEPER: f64 = 1.1;

/// Bodies may be past each plane by this share of it where they are searched first as they are.
const CLOSE: f64 = 0.1;

/// Bodies that are past each plane by more than so many times that depth are around each other.
const WIDE: f64 = 10.0;

/// A span is halved so often, while its screw is off by more than this share of the depth that is allowed.
const HALVINGS: u32 = 5;
const OFF: f64 = 1e-3;

/// Whether two bodies stay apart by more than a distance. They may be in each other by `depth` at most. A final watch gives no new result.
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

/// What is asked of a pair.
struct SeparationRequest<'d> {
    directions: &'d Directions,
    distance: f64,
    depth: f64,
}

/// The ways of two bodies in a span.
struct StepMotions<'s> {
    world: &'s World,
    span: &'s StepPoses<'s>,
    bodies: [usize; 2],
    /// `None`: the body has a motion of its own.
    screws: [Option<Screw>; 2],
    watch: &'s dyn ProgressMonitor,
}

impl StepMotions<'_> {
    /// Whether the bodies stay apart between two fractions of the span, which is halved at most `halvings` times.
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

    /// That of bodies with a motion of their own too.
    fn pose_of_any(&self, body: usize, share: f64) -> Pose {
        self.pose(body, share)
            .unwrap_or_else(|| self.world.scene().pose_at(self.bodies[body], self.time(share)))
    }

    /// Directions in which the bodies may be apart where they nearly touch nowhere.
    fn separating_directions(&self, share: f64) -> Option<[DVec3; 7]> {
        let (a, b) = (self.pose(0, share)?, self.pose(1, share)?);
        plane_directions(self.world, self.bodies, [&a, &b])
    }

    /// Directions in which the bodies may be apart between two shares: as they are at the begin, or turned with each body.
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

    /// By how much the bodies are past a plane across a direction from the first to the second, at most; `None`: no plane
    /// can be looked at.
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

    /// The shortest shift of the first body that undoes all touches between two shares, as far as their ends show it; `None`:
    /// none that is short enough was found. It is hardly longer than the depth at the start: shorter steps are better for bodies
    /// that approach each other.
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

    /// How far a point of a body may be from the straight line between its places in the span.
    fn chord_deviation(&self, i: usize) -> Option<f64> {
        Some(chord_deviation(
            self.screws[i].as_ref()?,
            self.world.scene().bodies()[self.bodies[i]].shape.as_ref()?,
        ))
    }

    /// The search between two shares of the span, and how far the screw that was searched is off the way.
    fn along_a_screw(
        &self,
        [from, to]: [f64; 2],
        (distance, shift): (f64, DVec3),
        memory: &mut PairMemory,
    ) -> (PairSeparation, f64) {
        let (scene, bodies) = (self.world.scene(), self.bodies);
        let Some(pair) = scene.pair(bodies) else { return (PairSeparation::Within(0.0), 0.0) };
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
            // They need not be apart by so much even at the begin: there is nothing to search.
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

/// Directions in which shifts may part bodies: across the plane that they are least past, or where there is none, as
/// between rings in each other, those in which they touch.
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

/// How far the motion of a body that waits for its first contact may be from the screw that is reported, in metres; 0 of
/// all others. Both are near the straight lines between the places of its points.
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

/// Where pairs nearly touch.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SeparatingHints {
    /// At the begin of a span.
    begin: Vec<Hint>,
    /// On the way.
    ahead: Vec<Hint>,
}

#[derive(Debug, Clone, PartialEq)]
struct Hint {
    bodies: [usize; 2],
    directions: Directions,
    gap: f64,
}

/// What is known of all pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Proven {
    /// A translation no longer than this parts any two bodies at every time.
    Apart(f64),
    /// These are not proven to be apart; the first to meet comes first.
    Until(Vec<BlockingPair>),
}

/// Two bodies that are in each other's way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlockingPair {
    pub(crate) bodies: [usize; 2],
    /// Up to this share of the time they are apart.
    pub(crate) share: f64,
}

impl SeparatingHints {
    pub(crate) fn of(world: &World, station: &StepState) -> Self {
        let near = TOUCHING * rest_gap(world);
        Self { begin: hints(&station.touches(), |touch| touch.gap <= near), ahead: Vec::new() }
    }

    /// Takes up what was seen on the way.
    pub(crate) fn note_anticipated(&mut self, ahead: &[AnticipatedContact]) {
        let mut touches: Vec<&ContactPoint> = ahead.iter().map(|own| &own.touch).collect();
        touches.sort_by_key(|touch| touch.bodies);
        self.ahead = hints(&touches, |_| true);
    }

    /// The directions in which a pair may be apart, and its gap at the begin.
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

/// What touches, sorted by pairs, tells of each; those that do `touch` tell between which directions they are apart.
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

/// Bodies nearer than this many gaps of rest touch: they may be in each other on their way, by the depth that is allowed.
const TOUCHING: f64 = 4.0;

/// Directions of one pair that are tried, at most.
const NORMALS: usize = 8;

/// How far each body moves in a span, at most.
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

/// What is known of the pairs of a span whose begin and times are the same, with other ends.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ProvenPairs {
    ends: Vec<Pose>,
    meetings: StepContacts,
    /// By pairs, in order.
    found: Vec<([usize; 2], PairSeparation)>,
}

impl ProvenPairs {
    /// What is known of a pair, if it goes the same ways.
    fn find(&self, bodies: [usize; 2], (ends, meetings): (&[Pose], &StepContacts)) -> Option<PairSeparation> {
        let is_same = bodies.iter().all(|body| self.ends.get(*body) == Some(&ends[*body]))
            && self.meetings.is_bouncing(bodies) == meetings.is_bouncing(bodies)
            && self.meetings.is_landing(bodies) == meetings.is_landing(bodies);
        let found = || self.found.binary_search_by_key(&bodies, |found| found.0).ok();
        is_same.then(found).flatten().map(|i| self.found[i].1)
    }
}

/// Whether all bodies stay apart by more than a distance. Those that touch at the begin or land may be in each other by the depth
/// that is allowed; those that will rebound touch at that distance.
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
        // Those that stand are where they were proven to be when they came there, or at the begin.
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
        // Those that will rebound are followed up to where they touch, unless they touch elsewhere already.
        let is_bouncing = gap > 0.5 * distance && meetings.is_bouncing(pair.bodies);
        let is_touching = gap <= TOUCHING * rest_gap(world) || meetings.is_landing(pair.bodies);
        let (distance, depth) = if is_bouncing || !is_touching || is_awaited && !span.is_still {
            // Springs are met in their zones, and not before.
            let is_met =
                world.definition.method != SimulationMethod::Spring || gap <= PenaltySpring::zone(world);
            (if is_met { distance.min(0.5 * gap) } else { distance }, 0.0)
        } else {
            (0.0, world.definition.depth)
        };
        // The motion of a body that waits is near the reported screw.
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
