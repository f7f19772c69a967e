//! Proves that all bodies stay separated during a step, and collects the contact directions that help.

use std::borrow::Cow;

use glam::DVec3;

use crate::math::time_interval::TimeInterval;
use crate::motion::chain::{MovingBall, chain_rates, chain_segments};
use crate::motion::{Pose, Screw};
use crate::pair::PairMemory;
use crate::simulate::rows::ContactPoint;
use crate::simulate::separation::{
    Directions, PairSeparation, SeparationRequest, StepMotions, StepPoses, UnprovenFrom, waiting_deviation,
};
use crate::simulate::state::nearby::{NearPair, for_pairs, is_borne_by_neighbours, near_pairs};
use crate::simulate::state::springs::PenaltySpring;
use crate::simulate::state::world::{World, middle, rest_gap};
use crate::simulate::state::{AnticipatedContact, StepContacts, StepState};
use crate::trajectory::watch::ProgressMonitor;

/// The contacts of pairs that nearly touch.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SeparatingHints {
    /// At the start of a step.
    start: Vec<Hint>,
    /// Anticipated during the step.
    anticipated: Vec<Hint>,
}

#[derive(Debug, Clone, PartialEq)]
struct Hint {
    bodies: [usize; 2],
    directions: Directions,
    gap: f64,
}

/// The length, in metres, of a translation that separates any two bodies at every time. The error is the pairs that are
/// not proven separated, earliest first.
pub(crate) type StepProof = Result<f64, Vec<BlockingPair>>;

/// Two bodies that are not proven separated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BlockingPair {
    pub(crate) bodies: [usize; 2],
    /// They are separated up to this fraction of the time.
    pub(crate) fraction: f64,
}

impl SeparatingHints {
    pub(crate) fn of(world: &World, state: &StepState) -> Self {
        let near = TOUCHING_FACTOR * rest_gap(world);
        Self { start: hints(&state.contact_points(), |touch| touch.gap <= near), anticipated: Vec::new() }
    }

    /// Replaces the anticipated contacts.
    pub(crate) fn set_anticipated(&mut self, anticipated: &[AnticipatedContact]) {
        let mut touches: Vec<&ContactPoint> = anticipated.iter().map(|own| &own.touch).collect();
        touches.sort_by_key(|touch| touch.bodies);
        self.anticipated = hints(&touches, |_| true);
    }

    /// The contact directions of a pair, and its gap at the start.
    fn find(&self, bodies: [usize; 2]) -> (Cow<'_, Directions>, f64) {
        let find = |all: &'_ [Hint]| all.binary_search_by_key(&bodies, |hint| hint.bodies).ok();
        let start = find(&self.start).map(|i| &self.start[i]);
        let gap = start.map_or(f64::INFINITY, |hint| hint.gap);
        let anticipated = find(&self.anticipated).map(|i| &self.anticipated[i].directions);
        let directions = match (start.map(|hint| &hint.directions), anticipated) {
            (Some(start), None) => Cow::Borrowed(start),
            (None, None) => Cow::Owned(Directions::default()),
            (None, Some(later)) => Cow::Owned(Directions { depth: -gap, ..later.clone() }),
            (Some(start), Some(later)) => {
                let mut own = start.clone();
                own.normals.extend(&later.normals);
                let is_zero = own.mean_normal == DVec3::ZERO;
                own.mean_normal = if is_zero { later.mean_normal } else { own.mean_normal };
                Cow::Owned(own)
            }
        };
        (directions, gap)
    }

    fn is_anticipated(&self, bodies: [usize; 2]) -> bool {
        self.anticipated.binary_search_by_key(&bodies, |hint| hint.bodies).is_ok()
    }
}

/// The hints of each pair, from contacts sorted by pair; contacts that `is_touching` accepts define the
/// mean normal.
fn hints(touches: &[&ContactPoint], is_touching: impl Fn(&ContactPoint) -> bool) -> Vec<Hint> {
    let of_pair = |own: &[&ContactPoint]| {
        let mut own = own.to_vec();
        own.sort_by(|p, q| p.gap.total_cmp(&q.gap));
        let mut normals: Vec<DVec3> = Vec::new();
        for touch in &own {
            let is_known = normals.iter().any(|normal| normal.dot(touch.normal) > 1.0 - 1e-9);
            if !is_known && normals.len() < MAX_NORMALS {
                normals.push(touch.normal);
            }
        }
        let sum: DVec3 = own.iter().filter(|touch| is_touching(touch)).map(|touch| touch.normal).sum();
        let mean_normal = sum.normalize_or_zero();
        let directions = Directions { normals, mean_normal, depth: -own[0].gap };
        Hint { bodies: own[0].bodies, directions, gap: own[0].gap }
    };
    touches.chunk_by(|one, other| one.bodies == other.bodies).map(of_pair).collect()
}

/// Bodies closer than the rest gap times this factor touch, and may overlap by the allowed depth.
const TOUCHING_FACTOR: f64 = 4.0;

/// Maximum number of directions tried per pair.
const MAX_NORMALS: usize = 8;

/// A bound of the travel of each body in a step.
fn travels(world: &World, step: &StepPoses<'_>) -> Vec<f64> {
    let own = |body: usize| {
        let Some(shape) = world.scene().bodies()[body].shape.as_ref() else { return 0.0 };
        if step.is_static(world, body) {
            return 0.0;
        }
        let extent = shape.extent();
        let (centre, radius) = (middle(shape), extent.half.length() + extent.beyond);
        if world.is_recorded(body) {
            let screw = Screw::between(step.poses[0][body], step.poses[1][body]);
            let arm = screw.start_rotation() * centre;
            let speed = screw.velocity_across_at(arm).length() + screw.angle() * radius + screw.slide().abs();
            return speed * (1.0 + 1e-9) + waiting_deviation(world, step, body);
        }
        let chain = world.scene().chain(body, None);
        let [start, end] = step.times;
        let ball = MovingBall { centre, radius };
        chain_rates(chain_segments(&chain, 0.5 * (start + end)), &ball, TimeInterval::new(start, end)).0.speed
            * (end - start)
    };
    (0..world.numbers.len()).map(own).collect()
}

/// The results for the pairs of a step with the same start and times, but other end poses.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ProvenPairs {
    ends: Vec<Pose>,
    contacts: StepContacts,
    /// Sorted by pair.
    found: Vec<([usize; 2], PairSeparation)>,
}

impl ProvenPairs {
    /// The earlier result for a pair, if its end poses and its kind of contact are the same.
    fn find(&self, bodies: [usize; 2], ends: &[Pose], contacts: &StepContacts) -> Option<PairSeparation> {
        let is_same = bodies.iter().all(|body| self.ends.get(*body) == Some(&ends[*body]))
            && self.contacts.is_bouncing(bodies) == contacts.is_bouncing(bodies)
            && self.contacts.is_landing(bodies) == contacts.is_landing(bodies);
        let found = || self.found.binary_search_by_key(&bodies, |found| found.0).ok();
        is_same.then(found).flatten().map(|i| self.found[i].1)
    }
}

/// The separation to prove for all bodies in a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProofRequest<'s> {
    pub(crate) step: StepPoses<'s>,
    pub(crate) hints: &'s SeparatingHints,
    /// The pairs that collide during the step.
    pub(crate) contacts: &'s StepContacts,
    /// The distance that bodies must keep, in metres. Bodies that touch at the start or land may overlap by the
    /// allowed depth; bodies that will rebound touch at this distance.
    pub(crate) distance: f64,
}

impl ProofRequest<'_> {
    /// Checks one pair.
    fn separation(
        &self,
        world: &World,
        pair: &NearPair,
        memory: &mut PairMemory,
        watch: &dyn ProgressMonitor,
    ) -> PairSeparation {
        let bodies = pair.bodies;
        let (directions, gap) = self.hints.find(bodies);
        let (distance, depth) = self.required_separation(world, bodies, gap);
        // The true motion of a waiting body deviates from the reported screw.
        let deviation = bodies.iter().map(|body| waiting_deviation(world, &self.step, *body)).sum::<f64>();
        let request = SeparationRequest { directions: &directions, distance: distance + deviation, depth };
        let motions = StepMotions::new(world, &self.step, bodies, watch);
        let found = motions.separation(&request, memory);
        let may_overlap = depth > 0.0 || self.contacts.is_bouncing(bodies) || world.awaits_contact(bodies);
        if found.is_err()
            && !may_overlap
            // Otherwise some contact is not at a seam.
            && gap == f64::INFINITY
            && is_borne_by_neighbours(world, pair, self.step.poses[0], memory, watch)
        {
            // The neighbours' contacts keep the depth small.
            let request =
                SeparationRequest { distance: deviation, depth: world.definition.settings.depth, ..request };
            return motions.separation(&request, memory);
        }
        found
    }

    /// The distance that two bodies with this gap at the start must keep, and the depth by which they may overlap.
    fn required_separation(&self, world: &World, bodies: [usize; 2], gap: f64) -> (f64, f64) {
        let distance = self.distance;
        let is_awaited = world.awaits_contact(bodies);
        // Pairs that will rebound are followed until they touch, unless they already touch elsewhere.
        let is_bouncing = gap > 0.5 * distance && self.contacts.is_bouncing(bodies);
        let is_touching = gap <= TOUCHING_FACTOR * rest_gap(world) || self.contacts.is_landing(bodies);
        let may_overlap = !is_bouncing && is_touching && (!is_awaited || self.step.is_still);
        if may_overlap {
            return (0.0, world.definition.settings.depth);
        }
        // With springs, bodies may come closer than `distance` only inside a spring's zone.
        let is_in_zone = !world.is_sprung() || gap <= PenaltySpring::zone(world);
        (if is_in_zone { distance.min(0.5 * gap) } else { distance }, 0.0)
    }
}

/// Checks whether all bodies stay separated in a step; `known` has the results of the trial before, and gets those of
/// this one. If the monitor requires an immediate stop, `known` has none, and pairs remain undecided.
pub(crate) fn prove(
    world: &World,
    request: &ProofRequest<'_>,
    known: &mut ProvenPairs,
    watch: &dyn ProgressMonitor,
) -> StepProof {
    let ProofRequest { step, hints, contacts, distance } = request;
    let travels: Vec<f64> = travels(world, step).into_iter().map(|travel| travel + distance).collect();
    let mut near = near_pairs(world, step.poses[0], &travels);
    if !step.is_still {
        // Static pairs were proven when they stopped, or at the start.
        near.retain(|pair| !pair.bodies.iter().all(|body| step.is_static(world, *body)));
    }
    let before = &*known;
    let own = |memory: &mut PairMemory, pair: &NearPair| {
        let known = before.find(pair.bodies, step.poses[1], contacts);
        let known = known.filter(|_| !hints.is_anticipated(pair.bodies));
        known.unwrap_or_else(|| request.separation(world, pair, memory, watch))
    };
    let found = for_pairs(&near, own);
    let proven = combine(&near, &found);
    *known = if watch.is_final() {
        ProvenPairs::default()
    } else {
        let found = near.iter().map(|pair| pair.bodies).zip(found).collect();
        ProvenPairs { ends: step.poses[1].to_vec(), contacts: (*contacts).clone(), found }
    };
    proven
}

/// The result for all pairs from the results for each.
fn combine(near: &[NearPair], found: &[PairSeparation]) -> StepProof {
    let mut deepest = 0.0_f64;
    let mut blocking = Vec::new();
    for (pair, separation) in near.iter().zip(found) {
        match *separation {
            Ok(depth) => deepest = deepest.max(depth),
            Err(UnprovenFrom(fraction)) => blocking.push(BlockingPair { bodies: pair.bodies, fraction }),
        }
    }
    if blocking.is_empty() {
        return Ok(deepest);
    }
    blocking.sort_by(|p, q| p.fraction.total_cmp(&q.fraction).then(p.bodies.cmp(&q.bodies)));
    Err(blocking)
}
