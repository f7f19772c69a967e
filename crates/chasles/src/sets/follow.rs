//! Every interval in which two bodies are within a distance, along one smooth interval of their motion.

use crate::features::contact::Contact;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::piece::{AtStart, ContactSpan, ScrewContacts, UndecidedInterval};
use crate::mesh_screw::query::UndecidedReason;
use crate::motion::relative::{MotionInterval, MovingBody, RelativeMotion};
use crate::motion::track::TimedScrew;
use crate::sets::bounded_motion::{BoundedMotion, TimeDirection};
use crate::sets::first::{
    DistanceTolerance, First, STEPS_A_PAIR, SetContact, SetFront, TreePair, WitnessPoints,
};
use crate::sets::hold::{HoldGoal, MotionToEnd, NearInterval};
use crate::sets::place::ContactPlace;
use crate::sets::tree::{BoundingTree, TreeSource};

/// A pair of bodies, each as a set of points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetPair<'s> {
    pub(crate) a: TreeSource<'s>,
    pub(crate) b: TreeSource<'s>,
    /// The accuracy of their description, in metres.
    pub(crate) epsilon: f64,
}

impl<'s> SetPair<'s> {
    /// The trees of both bodies, the moving body's first.
    pub(crate) fn trees(&self, mover: MovingBody) -> TreePair<'s> {
        let (a, b) = (BoundingTree::new(self.a), BoundingTree::new(self.b));
        match mover {
            MovingBody::A => TreePair { first: a, second: b },
            MovingBody::B => TreePair { first: b, second: a },
        }
    }
}

/// The maximum number of steps for which the first contact is followed, if only the first contact is needed.
const STEPS_OF_FIRST: u64 = 300_000;

/// The search for the end of a contact starts with an interval longer than the last step of the contact search by
/// this factor.
const LONGER: f64 = 4.0;

/// The search for contacts of two bodies in one smooth interval.
struct SetPairSearch<'t, 's, 'a, 'b> {
    trees: &'t mut TreePair<'s>,
    route: MotionToEnd<'a>,
    stretch: &'a MotionInterval,
    /// The part of the motion being searched, and its bounds.
    leg: BoundedMotion<'a>,
    frontier: SetFront,
    near: DistanceTolerance,
    goal: HoldGoal,
    budget: &'t mut Budget<'b>,
}

/// Every interval, between two times of one smooth interval, in which the bodies are within a distance. Times in
/// seconds. If the goal is [`HoldGoal::Deep`], only the first contact is computed; later contacts are unknown.
pub(crate) fn follow(
    pair: &SetPair<'_>,
    (relative, stretch): (&RelativeMotion<'_>, &MotionInterval),
    TimeInterval { start: from, end: to }: TimeInterval,
    (near, goal): (DistanceTolerance, HoldGoal),
    budget: &mut Budget<'_>,
) -> ScrewContacts {
    let TimeInterval { start: begin, end } = stretch.interval();
    let within = 0.5 * (begin + end);
    let (mover, _) = relative.motion_bounds(begin, end);
    let mut trees = pair.trees(mover);
    let route = MotionToEnd { relative, mover, within, end: to };
    SetPairSearch {
        trees: &mut trees,
        route,
        stretch,
        leg: route.leg(from),
        frontier: SetFront::new(from),
        near,
        goal,
        budget,
    }
    .run(from)
}

impl SetPairSearch<'_, '_, '_, '_> {
    fn run(&mut self, begin: f64) -> ScrewContacts {
        let mut found = ScrewContacts::clear();
        let mut time = begin;
        let end = self.route.end;
        loop {
            match self.next(time) {
                First::Beyond => return found,
                First::Unknown { time, spent } => {
                    let reason = if spent { UndecidedReason::Budget } else { UndecidedReason::Rounding };
                    found.undecided = Some(UndecidedInterval { from: time, to: end, reason });
                    return found;
                }
                First::Met(arrival) => {
                    let at_begin = arrival.time <= begin && found.met.is_empty();
                    let (best, deep) = if at_begin || self.near.distance > 0.0 {
                        (arrival, None)
                    } else {
                        let known = (arrival, TimeDirection::Forward, &self.frontier);
                        let span = [time, self.leg.to];
                        self.trees.sharpened((&self.route, span), known, self.near, self.budget)
                    };
                    let mut met = ContactSpan::touched([best.time, deep.unwrap_or(best.time)]);
                    met.contact = Some(self.contact(&best));
                    let begun = (arrival.time, arrival.witness);
                    let held = self.follow_contact(begun);
                    // A surface may be followed only while it is within epsilon, and pass through later.
                    let crossing = held.deep.filter(|_| self.trees.are_surfaces());
                    if let (Some([crossing, _]), None, false) = (crossing, deep, at_begin) {
                        met.enter[1] = met.enter[1].max(crossing);
                    }
                    if held.depth > 0.0 || deep.is_some() {
                        (met.touching, met.crossed) = (false, held.until.max(met.enter[1]));
                    }
                    if at_begin {
                        found.from_begin = true;
                        let deep = held.at_begin.max(-arrival.witness.gap());
                        // The bodies may be deeper elsewhere.
                        let overlap = held.crossed
                            || deep > self.near.epsilon
                            || self.near.distance == 0.0
                                && self.trees.are_deep((&self.route, begin), self.near, self.budget);
                        found.start = if overlap { AtStart::Overlapping } else { AtStart::Touching };
                        if !overlap && self.budget.remaining() == 0 {
                            // The budget ran out before the search for deeper places was complete.
                            return self.unfollowed(found, met, met.enter[1]);
                        }
                    }
                    if self.goal == HoldGoal::Deep && held.parted.is_none() {
                        return self.unfollowed(found, met, met.enter[1]);
                    }
                    let Some(parted) = held.parted else {
                        // `enter` may prove overlap at a later time than the contact could be followed to.
                        let until = held.until.max(met.enter[1]);
                        if held.spent && until < end {
                            return self.unfollowed(found, met, until);
                        }
                        found.met.push(met);
                        return found;
                    };
                    let touched = held.until.min(parted);
                    met.exit = Some(self.exit((met.enter[1], touched), (crossing, parted)));
                    found.met.push(met);
                    time = parted;
                    self.trees.forget_nodes();
                }
            }
        }
    }

    /// Follows a contact from start to end; if only the first contact is needed, until it is proven to be more than
    /// a touch.
    fn follow_contact(&mut self, begun: (f64, WitnessPoints)) -> NearInterval {
        let steps = match self.goal {
            HoldGoal::Parted => self.budget.remaining(),
            HoldGoal::Deep => STEPS_OF_FIRST,
        };
        let mut part = self.budget.part(steps);
        let given = part.remaining();
        let held = self.trees.follow_contact(&self.route, begun, (self.near, self.goal), &mut part);
        // `part` never holds more than the budget has left, so this succeeds.
        let _ = self.budget.take(given - part.remaining());
        held
    }

    /// The result for a contact that was followed up to a time, at which the budget ran out.
    fn unfollowed(&self, mut found: ScrewContacts, met: ContactSpan, until: f64) -> ScrewContacts {
        let end = self.route.end;
        found.met.push(ContactSpan { exit: Some([until, end]), ..met });
        found.undecided = Some(UndecidedInterval { from: until, to: end, reason: UndecidedReason::Budget });
        found
    }

    /// The next time at which the bodies come within the distance.
    fn next(&mut self, from: f64) -> First {
        let mut time = from;
        loop {
            if time >= self.leg.to && time < self.route.end {
                self.leg = self.route.leg(time);
                self.frontier = SetFront::new(time);
            }
            let to = self.leg.to;
            let asked = (self.near, &mut *self.budget);
            let found =
                self.trees.next(&mut self.frontier, &self.leg, (time, to, TimeDirection::Forward), asked);
            if !matches!(found, First::Beyond) || to >= self.route.end {
                return found;
            }
            time = to;
        }
    }

    /// An enclosure of the end of a contact. The bodies touched at `begin`, were near until `held`, and were
    /// separated at `parted`. `crossing`: the first and last time at which the surfaces are known to cross.
    fn exit(&mut self, (begin, held): (f64, f64), (crossing, parted): (Option<[f64; 2]>, f64)) -> [f64; 2] {
        let MotionToEnd { relative, mover, within, .. } = self.route;
        let mut time = parted;
        let mut length = LONGER * (parted - held).max(1e-9 * parted);
        while time > begin && self.budget.take(STEPS_A_PAIR).is_ok() {
            let to = (time - length).max(begin);
            let leg = BoundedMotion::on_interval(relative, mover, within, TimeInterval::new(to, time));
            let mut frontier = SetFront::new(time);
            let asked = (self.near, &mut *self.budget);
            match self.trees.next(&mut frontier, &leg, (time, to, TimeDirection::Backward), asked) {
                First::Beyond => {
                    time = to;
                    length *= 2.0;
                }
                First::Met(arrival) if self.near.distance > 0.0 => return [arrival.time; 2],
                First::Met(arrival) => {
                    let known = (arrival, TimeDirection::Backward, &frontier);
                    let (best, deep) =
                        self.trees.sharpened((&self.route, [parted, begin]), known, self.near, self.budget);
                    let deep = deep.or(crossing.map(|[_, last]| last)).unwrap_or(best.time);
                    return [deep.max(begin).min(best.time), best.time];
                }
                First::Unknown { time, .. } => return [held.min(time), time],
            }
        }
        [held.min(parted), parted]
    }

    /// The contact's place and normal, and the screw that the bodies are on.
    fn contact(&mut self, arrival: &SetContact) -> (Contact, TimedScrew) {
        let SetContact { time, witness, normal } = arrival;
        let piece = match self.stretch {
            MotionInterval::Exact(piece) => *piece,
            MotionInterval::General { .. } => {
                let leg = self.route.leg(*time);
                self.route.relative.screw(leg.from, leg.to).0
            }
        };
        let ContactPlace { features, point, normal, approach_speed, touching } =
            self.trees.contact_place(&self.route, (*time, self.near), (witness, *normal), self.budget);
        let contact = Contact {
            time: [piece.fraction(*time); 2],
            features,
            point,
            normal,
            approach_speed: approach_speed * (piece.end - piece.begin),
            touching,
        };
        (contact, piece)
    }
}

/// All separate places at which two bodies are within epsilon of touching at a time, in seconds.
pub(crate) fn contact_places_at(
    pair: &SetPair<'_>,
    relative: &RelativeMotion<'_>,
    (time, within): (f64, f64),
    budget: &mut Budget<'_>,
) -> Vec<ContactPlace> {
    let (mover, _) = relative.motion_bounds(time, time);
    let route = MotionToEnd { relative, mover, within, end: time };
    let near = DistanceTolerance { distance: 0.0, epsilon: pair.epsilon };
    pair.trees(mover).contact_places(&route, time, near, budget)
}
