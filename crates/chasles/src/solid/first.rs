//! When do two bodies first come within a distance?
//!
//! Pairs of nodes wait in the order of the time until which they are proven apart. The earliest is taken, and the node
//! with the greater error opened; so nothing comes within the distance before the time of the pair that is taken. Where
//! neither has an error that matters, points of both bodies near to each other prove that the distance is reached.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::math::budget::Budget;
use crate::math::direction::unit_along;
use crate::solid::leg::{Leg, LegOutcome, Way};
use crate::solid::tree::Tree;
use crate::solid::tree::node::{Sure, TreeNode};
use crate::solid::volume::{Placement, VolumeGap, Wanted, apart};

/// Both trees of a pair, the one that moves first.
#[derive(Debug)]
pub(crate) struct Trees<'s> {
    pub(crate) first: Tree<'s>,
    pub(crate) second: Tree<'s>,
}

/// How near, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Closeness {
    /// Bodies that are this far apart count as touching: 0, or a clearance.
    pub(crate) distance: f64,
    /// So much further apart they may count as touching.
    pub(crate) epsilon: f64,
}

/// Points of two bodies near to each other, in the frame of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SetWitness {
    /// Of the first body and of the second, each with all points around it within a radius.
    pub(crate) points: [DVec3; 2],
    pub(crate) depths: [f64; 2],
    pub(crate) nodes: [u32; 2],
}

impl SetWitness {
    /// How far apart the bodies are at most: less than 0 where they overlap.
    pub(crate) fn gap(&self) -> f64 {
        self.points[0].distance(self.points[1]) - self.depths[0] - self.depths[1]
    }
}

/// Two bodies that have come within a distance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) time: f64,
    pub(crate) witness: SetWitness,
    /// The unit direction from the first to the second along which their volumes were proven apart.
    pub(crate) normal: DVec3,
}

/// What a search found.
#[derive(Debug, Clone, Copy)]
pub(crate) enum First {
    /// They stay further apart than the distance.
    Beyond,
    Met(Arrival),
    /// Nothing is known from this time on.
    Unknown {
        time: f64,
        spent: bool,
    },
}

/// A pair of nodes.
#[derive(Debug, Clone, Copy)]
struct WaitingNodes {
    /// Time since the begin of the search.
    since: f64,
    size: f64,
    nodes: [u32; 2],
    /// The direction along which they were last seen apart.
    towards: DVec3,
}

impl WaitingNodes {
    /// The earliest first; of these the smallest; of these the first.
    fn order(&self, other: &Self) -> Ordering {
        let by_time = other.since.total_cmp(&self.since);
        by_time.then(other.size.total_cmp(&self.size)).then(other.nodes.cmp(&self.nodes))
    }
}

impl PartialEq for WaitingNodes {
    fn eq(&self, other: &Self) -> bool {
        self.order(other) == Ordering::Equal
    }
}

impl Eq for WaitingNodes {}

impl PartialOrd for WaitingNodes {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for WaitingNodes {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order(other)
    }
}

/// Pairs of nodes along a leg that together have all that is not proven apart to its end.
#[derive(Debug)]
pub(crate) struct Frontier {
    /// The time at which it began.
    origin: f64,
    /// Until this time what is not in it is proven apart.
    end: f64,
    queue: BinaryHeap<WaitingNodes>,
    /// Of the trees whose nodes it names.
    ages: Option<[u32; 2]>,
}

impl Frontier {
    pub(crate) fn new(origin: f64) -> Self {
        Self { origin, end: origin, queue: BinaryHeap::new(), ages: None }
    }

    /// The pairs that may be near between two times, the first of which is not before any that wait. Nothing is known
    /// where it does not reach so far.
    pub(crate) fn between(&self, (from, to, way): (f64, f64, Way)) -> Self {
        let sign = way.sign();
        if (self.end - to) * sign < 0.0 {
            return Self::new(from);
        }
        let last = (to - self.origin) * sign;
        let queue = self.queue.iter().filter(|waiting| waiting.since <= last).copied().collect();
        Self { queue, ..*self }
    }
}

/// Pairs of nodes that together have all of two bodies, from one look at their gap to the next: what was far apart still
/// is, but for the way that the bodies have gone.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    /// By how far apart they were at least, plus how far the bodies had gone by then.
    queue: BinaryHeap<WaitingNodes>,
    /// How far the bodies have gone since the first look at most, in metres.
    gone: f64,
    /// Of the trees whose nodes it names.
    ages: Option<[u32; 2]>,
}

impl Looked {
    /// No point of either body has gone further than this since the last look, in metres, as seen from the other.
    pub(crate) fn go(&mut self, way: f64) {
        self.gone = (self.gone + way) * (1.0 + 4.0 * f64::EPSILON);
    }

    /// What is left of a distance that a pair had by its place in the queue.
    fn left(&self, since: f64) -> f64 {
        since - self.gone - 4.0 * f64::EPSILON * (since.abs() + self.gone)
    }
}

/// Errors of at most this share of epsilon do not matter.
pub(crate) const FINE: f64 = 1.0 / 16.0;

/// Volumes that are nearer than this share of epsilon touch.
pub(crate) const TOUCH: f64 = 1.0 / 16.0;

/// While volumes are far larger than epsilon, they are followed until their gap is this share of their errors.
const COARSE: f64 = 0.03;

/// Volumes smaller than this share of epsilon that cannot be proven to meet leave a doubt.
const SMALLEST: f64 = 1e-3;

/// Beside a doubt at the same time no more pairs of nodes are looked at for points that prove a contact.
const MOST_BESIDE_DOUBT: usize = 5_000;

/// Where points are sought, the distance of volumes is computed to this share, or this share of what touches.
const FINE_SHARE: f64 = 1e-3;
const FINE_PART: f64 = 0.02;

/// The cosine of a large angle between the way from one volume to another and that out of a surface.
const SIDEWAYS: f64 = 0.3;

/// Steps of the budget that a pair of nodes takes.
pub(crate) const STEPS_A_PAIR: u64 = 100;

/// No more pairs wait at a time: some hundred megabytes.
const MOST_WAITING: usize = 4_000_000;

impl Trees<'_> {
    /// Whether nodes, and pairs that wait, take as much memory as they should.
    pub(crate) fn is_full(&self, waiting: usize) -> bool {
        waiting >= MOST_WAITING || self.first.is_full() || self.second.is_full()
    }

    /// Forgets nodes where there are too many: their numbers, and witnesses, mean nothing afterwards.
    pub(crate) fn tidy(&mut self) {
        self.first.tidy();
        self.second.tidy();
    }

    /// The first time, from `from` on in the direction of time given to `end`, at which the bodies may be within a
    /// distance, with points that prove it. The frontier has what earlier searches along the leg found out.
    pub(crate) fn next(
        &mut self,
        frontier: &mut Frontier,
        leg: &Leg<'_>,
        (from, end, way): (f64, f64, Way),
        (near, budget): (Closeness, &mut Budget<'_>),
    ) -> First {
        let sign = way.sign();
        let fine = FINE * near.epsilon;
        let Frontier { origin, end: reached, queue, ages } = frontier;
        let origin = *origin;
        // Times are counted from where the frontier began.
        let begin = (from - origin) * sign;
        let mut doubt: Option<f64> = None;
        let push = |trees: &Self,
                    (nodes, towards): ([u32; 2], DVec3),
                    since: f64,
                    queue: &mut BinaryHeap<WaitingNodes>| {
            let (a, b) = (trees.first.node(nodes[0]), trees.second.node(nodes[1]));
            let enough = (TOUCH * near.epsilon).max(COARSE * (a.error + b.error));
            let time = if since <= begin { from } else { origin + sign * since };
            match leg.follow((&a.volume, &b.volume), (time, end, way), (near.distance, enough), towards) {
                LegOutcome::Beyond => {}
                LegOutcome::At { time, towards } => {
                    let since = since.max((time - origin) * sign);
                    queue.push(WaitingNodes { since, size: a.size + b.size, nodes, towards });
                }
            }
        };
        let own = [self.first.age(), self.second.age()];
        if *ages != Some(own) {
            // Nothing is known, or the numbers of its nodes mean nothing any more.
            queue.clear();
            (*ages, *reached) = (Some(own), end);
            push(self, ([0, 0], DVec3::ZERO), begin, queue);
        }
        let mut tried = f64::INFINITY;
        let mut beside = 0;
        while let Some(WaitingNodes { since, size, nodes, towards }) = queue.pop() {
            if doubt.is_some_and(|doubt| since > doubt) || beside > MOST_BESIDE_DOUBT {
                break;
            }
            beside += usize::from(doubt.is_some());
            let time = if since <= begin { from } else { origin + sign * since };
            let full = self.is_full(queue.len());
            if full || budget.take(STEPS_A_PAIR).is_err() || budget.step().is_err() {
                let time = doubt.map_or(time, |doubt| origin + sign * doubt);
                return First::Unknown { time, spent: true };
            }
            if since < begin {
                push(self, (nodes, towards), begin, queue);
                continue;
            }
            let (a, b) = (self.first.node(nodes[0]), self.second.node(nodes[1]));
            let (of_a, of_b) = (a.error, b.error);
            let is_fine = of_a.max(of_b) <= fine;
            // At the begin, where much may overlap, points are tried for sooner.
            let is_early = since == begin && of_a + of_b <= 0.5 * tried;
            if is_fine || is_early {
                let enough = TOUCH * near.epsilon;
                let volumes = (&a.volume, &b.volume);
                let reached = leg.follow(volumes, (time, end, way), (near.distance, enough), towards);
                let LegOutcome::At { time: then, towards } = reached else { continue };
                let later = (then - origin) * sign;
                if later > since && is_fine {
                    queue.push(WaitingNodes { since: later, size, nodes, towards });
                    continue;
                }
                if is_early {
                    tried = of_a + of_b;
                }
                let stand = leg.stand(time);
                let wanted = Wanted {
                    less: near.distance,
                    share: FINE_SHARE,
                    absolute: FINE_PART * enough,
                    more: near.distance + enough,
                    towards,
                };
                let found = apart(volumes, &stand, &wanted);
                if then == time
                    && found.at_least - near.distance <= enough
                    && let Some(witness) = self.witness(nodes, found.points, &stand, near)
                {
                    let normal = self.direction(&witness, leg, (time, sign), &found);
                    queue.push(WaitingNodes { since, size, nodes, towards });
                    return First::Met(Arrival { time, witness, normal });
                }
            }
            let (a, b) = (self.first.node(nodes[0]), self.second.node(nodes[1]));
            let open_first = if is_fine {
                // Volumes that are as good as the bodies, and yet no points prove it: smaller ones may.
                if opened_size(a, b) <= SMALLEST * near.epsilon {
                    doubt = Some(doubt.map_or(since, |doubt: f64| doubt.min(since)));
                    continue;
                }
                if of_a == 0.0 || of_b == 0.0 { of_b == 0.0 } else { a.size >= b.size }
            } else {
                of_a >= of_b
            };
            let children = if open_first { self.first.open(nodes[0]) } else { self.second.open(nodes[1]) };
            for child in children {
                let nodes = if open_first { [child, nodes[1]] } else { [nodes[0], child] };
                push(self, (nodes, towards), since, queue);
            }
        }
        match doubt {
            Some(doubt) => First::Unknown { time: origin + sign * doubt, spent: false },
            None => First::Beyond,
        }
    }

    /// The direction from the first body to the second where they meet: that along which their volumes are apart, unless
    /// the surface of a body with an inside says that they are apart sideways. Volumes that overlap tell none: then the
    /// surface does, or the way that the bodies go.
    fn direction(
        &mut self,
        witness: &SetWitness,
        leg: &Leg<'_>,
        (time, sign): (f64, f64),
        found: &VolumeGap,
    ) -> DVec3 {
        let (moment, stand) = leg.moment(time);
        let [of_a, of_b] = witness.nodes;
        let out_a = self.first.outward(of_a, stand.back(witness.points[0])).map(|n| stand.turn * n);
        let out_b = self.second.outward(of_b, witness.points[1]).map(|n| -n);
        let velocity = sign * leg.velocity_at(&(moment, stand), witness.points[0]);
        // Where volumes overlap only the motion tells of a direction.
        let told = if found.at_least > 0.0 { found.normal } else { velocity };
        let across = match (out_a, out_b) {
            (Some(a), Some(b)) if a.dot(b) > 0.0 => Some(unit_along(a + b)),
            // At an edge or a tip of one of them, whose sides say little.
            (Some(a), Some(b)) => Some(if b.dot(told) > a.dot(told) { b } else { a }),
            (only, None) | (None, only) => only,
        };
        match across {
            Some(across) if found.at_least <= 0.0 || across.dot(found.normal) < SIDEWAYS => across,
            None if found.at_least <= 0.0 => {
                if velocity.dot(found.normal) < 0.0 {
                    -found.normal
                } else {
                    found.normal
                }
            }
            _ => found.normal,
        }
    }

    /// Points of both bodies, near to points of two nodes' volumes, that are certainly within a distance.
    pub(crate) fn witness(
        &mut self,
        nodes: [u32; 2],
        points: [DVec3; 2],
        stand: &Placement,
        near: Closeness,
    ) -> Option<SetWitness> {
        // Where volumes overlap, the points are one.
        let within = near.epsilon + points[0].distance(points[1]).max(near.distance);
        let reach = 0.5 * near.epsilon
            + self.first.node(nodes[0]).error.max(self.second.node(nodes[1]).error).min(within);
        let exact = self.first.sure_of_exact(nodes[0], stand.back(points[0]));
        let a = match exact {
            Some(exact) => exact,
            None => self.first.sure(nodes[0], stand.back(points[0]), reach)?,
        };
        let at = stand.out(a.point);
        let goal = if near.distance == 0.0 { at } else { points[1] };
        let b = match self.second.sure_of_exact(nodes[1], points[1]) {
            Some(exact) => exact,
            None => self.second.sure(nodes[1], goal, within + reach)?,
        };
        // Once more from there, which is nearer.
        let better = (near.distance == 0.0)
            .then(|| self.first.sure(nodes[0], stand.back(b.point), within + reach))
            .flatten();
        let made =
            |a: Sure| SetWitness { points: [stand.out(a.point), b.point], depths: [a.depth, b.depth], nodes };
        let (one, other) = (made(a), better.map(made));
        let witness = other.filter(|other| other.gap() < one.gap()).unwrap_or(one);
        (witness.gap() + 2.0 * stand.rounding <= near.distance + near.epsilon).then_some(witness)
    }

    /// How far apart the bodies are where the first stands, in metres: bounds, as near as `wanted` says, or until the
    /// lower one is more than `beyond`, or the upper one no more than `enough`; with points that are as far apart as
    /// the upper bound. Where the budget does not suffice the bounds are wider than asked.
    pub(crate) fn gap(&mut self, stand: &Placement, limits: &SetLimits, budget: &mut Budget<'_>) -> Nearest {
        self.gap_again(stand, limits, &mut Looked::default(), budget)
    }

    /// The same, where `looked` has what an earlier look found out.
    pub(crate) fn gap_again(
        &mut self,
        stand: &Placement,
        limits: &SetLimits,
        looked: &mut Looked,
        budget: &mut Budget<'_>,
    ) -> Nearest {
        let own = [self.first.age(), self.second.age()];
        let mut queue = BinaryHeap::new();
        if looked.ages != Some(own) {
            *looked = Looked { ages: Some(own), ..Looked::default() };
            queue.push(self.standing(([0, 0], DVec3::ZERO), 0.0, stand, limits));
        }
        let mut told = Vec::new();
        let found = self.nearest((&mut queue, looked, &mut told), (stand, limits), budget);
        if found.bounds[0] <= 0.0 {
            // Where bodies overlap, much of them waits that nobody needs to look at again.
            *looked = Looked::default();
        } else {
            let gone = looked.gone;
            let kept = queue.into_iter().chain(told);
            looked.queue.extend(kept.map(|next| WaitingNodes { since: next.since + gone, ..next }));
        }
        found
    }

    /// A pair of nodes, and the direction that is tried first, with how far apart they are at least where the first body
    /// stands.
    fn standing(
        &self,
        (nodes, towards): ([u32; 2], DVec3),
        least: f64,
        stand: &Placement,
        limits: &SetLimits,
    ) -> WaitingNodes {
        let (a, b) = (self.first.node(nodes[0]), self.second.node(nodes[1]));
        // More exactly than their errors they need not be known.
        let absolute = (0.05 * limits.absolute).max(0.01 * (a.error + b.error));
        let wanted = Wanted { less: 0.0, share: 0.05 * limits.share, absolute, more: limits.beyond, towards };
        let found = apart((&a.volume, &b.volume), stand, &wanted);
        let since = found.at_least.max(least);
        WaitingNodes { since, size: a.size + b.size, nodes, towards: found.normal }
    }

    /// The gap of pairs of nodes, of such as were measured here and of others, which are measured when they may be the
    /// nearest. Such as tell no more are put aside.
    fn nearest(
        &mut self,
        (queue, others, told): (&mut BinaryHeap<WaitingNodes>, &mut Looked, &mut Vec<WaitingNodes>),
        (stand, limits): (&Placement, &SetLimits),
        budget: &mut Budget<'_>,
    ) -> Nearest {
        let (mut at_most, mut best) = (f64::INFINITY, None);
        let mut tried = f64::INFINITY;
        let mut at_least = f64::INFINITY;
        loop {
            let other = others.queue.peek().map(|next| others.left(next.since));
            let here = queue.peek().map(|next| next.since);
            let since = other.unwrap_or(f64::INFINITY).min(here.unwrap_or(f64::INFINITY));
            let room = limits.absolute.max(limits.share * at_most);
            if since >= at_most - room || since > limits.beyond || at_most <= limits.enough {
                at_least = at_least.min(since);
                break;
            }
            let full = self.is_full(others.queue.len() + queue.len());
            if full || budget.take(STEPS_A_PAIR).is_err() || budget.step().is_err() {
                let bounds = [at_least.min(since).min(at_most), at_most];
                return Nearest { bounds, witness: best, spent: true };
            }
            if other == Some(since)
                && let Some(next) = others.queue.pop()
            {
                queue.push(self.standing((next.nodes, next.towards), since.max(0.0), stand, limits));
                continue;
            }
            let Some(next) = queue.pop() else { break };
            let nodes = next.nodes;
            let (a, b) = (self.first.node(nodes[0]), self.second.node(nodes[1]));
            let errors = a.error + b.error;
            if errors <= 0.25 * limits.absolute || errors <= 0.5 * tried {
                tried = tried.min(errors);
                let wanted = Wanted {
                    less: 0.0,
                    share: 1e-6,
                    absolute: 0.01 * limits.absolute,
                    more: f64::INFINITY,
                    towards: next.towards,
                };
                let found = apart((&a.volume, &b.volume), stand, &wanted);
                let epsilon = limits.absolute + 2.0 * errors;
                let near = Closeness { distance: found.at_least.max(0.0), epsilon };
                if let Some(witness) = self.witness(nodes, found.points, stand, near) {
                    let gap = witness.gap().max(0.0) + stand.rounding;
                    if gap < at_most {
                        (at_most, best) = (gap, Some(witness));
                    }
                }
            }
            let (a, b) = (self.first.node(nodes[0]), self.second.node(nodes[1]));
            if opened_size(a, b) <= SMALLEST * limits.absolute {
                // As near as it can be told.
                at_least = at_least.min(since);
                told.push(next);
                continue;
            }
            let open_first = a.error >= b.error;
            let children = if open_first { self.first.open(nodes[0]) } else { self.second.open(nodes[1]) };
            for child in children {
                let nodes = if open_first { [child, nodes[1]] } else { [nodes[0], child] };
                queue.push(self.standing((nodes, next.towards), since, stand, limits));
            }
        }
        Nearest { bounds: [at_least.min(at_most), at_most], witness: best, spent: false }
    }
}

/// How large the nodes of two are that can be opened; a node without error cannot.
fn opened_size(a: &TreeNode, b: &TreeNode) -> f64 {
    [a, b].into_iter().filter(|node| node.error > 0.0).map(|node| node.size).sum()
}

/// How near two bodies are that stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    /// The gap is in these, in metres.
    pub(crate) bounds: [f64; 2],
    /// Points as far apart as the upper bound, where any were found.
    pub(crate) witness: Option<SetWitness>,
    /// Whether the budget ran out.
    pub(crate) spent: bool,
}

/// How exactly a gap is wanted, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SetLimits {
    pub(crate) share: f64,
    pub(crate) absolute: f64,
    /// A greater gap need not be known.
    pub(crate) beyond: f64,
    /// Nor need a lesser one.
    pub(crate) enough: f64,
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use crate::motion::Pose;
    use crate::motion::relative::Mover;
    use crate::shape::{PartShape, Primitive, Solid, SolidPart};
    use crate::solid::follow::SolidPair;
    use crate::solid::program::Program;
    use crate::solid::tree::TreeSource;
    use crate::solid::tree::cells::{Built, Filling};
    use chasles_testing::Random;

    /// Some balls within one metre of the origin.
    fn balls(random: &mut Random) -> Built {
        let mut parts: Vec<SolidPart> = (0..3)
            .map(|_| SolidPart {
                shape: PartShape::Primitive(Primitive::Sphere { radius: random.within(0.1, 0.4) }),
                pose: Pose::from_position(random.vector(0.6)).unwrap(),
                scale: 1.0,
            })
            .collect();
        parts.push(SolidPart { shape: PartShape::Union(vec![0, 1, 2]), pose: Pose::IDENTITY, scale: 1.0 });
        let solid = Solid::new(parts).unwrap();
        Built::new(Program::new(&solid), solid.bounds(), Filling::Solid)
    }

    #[test]
    fn a_look_that_goes_on_tells_the_same_gap_as_a_new_one() {
        let random = &mut Random(17);
        let limits = SetLimits { share: 0.0, absolute: 1e-3, beyond: 0.3, enough: 0.0 };
        let mut nearer = 0;
        for _ in 0..60 {
            let built = [balls(random), balls(random)];
            let [a, b] = built.each_ref().map(TreeSource::Built);
            let pair = SolidPair { a, b, epsilon: 1e-3 };
            let mut trees = pair.trees(Mover::A);
            let mut looked = Looked::default();
            let mut place = random.direction() * random.within(1.2, 2.5);
            let mut turn = DQuat::IDENTITY;
            let mut last = f64::INFINITY;
            for _ in 0..20 {
                let stand = Placement::new(&Pose::new(place, turn).unwrap(), 0.0);
                let mut budget = Budget::new(100_000_000);
                let again = trees.gap_again(&stand, &limits, &mut looked, &mut budget);
                let anew = pair.trees(Mover::A).gap(&stand, &limits, &mut budget);
                assert!(!again.spent && !anew.spent);
                let [again, anew] = [again.bounds, anew.bounds];
                assert!(again[0] <= anew[1] && anew[0] <= again[1], "{again:?} {anew:?} at {place}");
                let is_told = again[0] > limits.beyond || again[1] - again[0] <= 1.01 * limits.absolute;
                assert!(is_told, "{again:?} {anew:?} at {place}");
                nearer += usize::from(last > limits.beyond && again[1] < limits.beyond);
                last = again[0];
                let (step, angle) = (random.vector(0.03) - 0.02 * place, 0.05 * random.unit());
                place += step;
                turn = DQuat::from_axis_angle(random.direction(), angle) * turn;
                looked.go(step.length() + angle);
            }
        }
        assert!(nearer > 20, "{nearer}");
    }
}
