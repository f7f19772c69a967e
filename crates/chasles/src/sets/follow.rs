//! Every interval in which two bodies are within a distance, along one smooth interval of their motion. This file is
//! the one to read first.
//!
//! ```text
//! near_interval  how long two bodies stay near
//! corner         the inward direction where several sides meet
//! sharpen        when two surfaces start to touch
//! place          where two surfaces touch
//! ```

pub(crate) mod near_interval;
mod corner;
mod sharpen;
pub(crate) mod place;

use crate::features::contact::{Contact, FirstContact};
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::query::{UndecidedReason, UndecidedRest};
use crate::mesh_screw::timed::{PoseState, ScrewContacts, TimedContact, UndecidedInterval};
use crate::motion::relative::{MotionInterval, MovingBody, RelativeMotion};
use crate::motion::track::TimedScrew;
use crate::sets::bounded_motion::{BoundedMotion, DirectedInterval, TimeDirection};
use crate::sets::first::{
    DistanceTolerance, FirstSetContact, STEPS_A_PAIR, SearchLimits, SetContact, SetFront, TreePair,
    WitnessPoints,
};
use crate::sets::follow::near_interval::{
    ContactGoal, MotionToEnd, NearInterval, NearIntervalSearch, StopCondition,
};
use crate::sets::follow::place::{ContactPlace, are_deep, contact_place, contact_places};
use crate::sets::follow::sharpen::{Arrival, sharper_contact};
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

/// One smooth interval of a relative motion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SmoothMotion<'a> {
    pub(crate) relative: &'a RelativeMotion<'a>,
    pub(crate) interval: &'a MotionInterval,
}

/// The maximum number of steps for which the first contact is followed, if only the first contact is needed.
const STEPS_OF_FIRST: u64 = 300_000;

/// The search for the end of a contact starts with an interval longer than the last step of the contact search by
/// this factor.
const LONGER: f64 = 4.0;

/// The search for contacts of two bodies in one smooth interval.
struct SetPairSearch<'t, 's, 'a, 'b> {
    trees: &'t mut TreePair<'s>,
    motion_to_end: MotionToEnd<'a>,
    interval: &'a MotionInterval,
    /// The part of the motion that is searched now, and its bounds.
    motion_part: BoundedMotion<'a>,
    front: SetFront,
    goal: ContactGoal,
    budget: &'t mut Budget<'b>,
}

/// Every part of an interval, itself a part of one smooth interval, in which the bodies are within a distance. Times in
/// seconds. With [`StopCondition::Overlapping`], only the first contact is computed; later contacts are unknown.
pub(crate) fn follow(
    pair: &SetPair<'_>,
    motion: SmoothMotion<'_>,
    TimeInterval { start: from, end: to }: TimeInterval,
    goal: ContactGoal,
    budget: &mut Budget<'_>,
) -> ScrewContacts {
    let SmoothMotion { relative, interval } = motion;
    let TimeInterval { start, end } = interval.interval();
    let within = 0.5 * (start + end);
    let (mover, _) = relative.motion_bounds(start, end);
    let mut trees = pair.trees(mover);
    let motion_to_end = MotionToEnd { relative, mover, within, end: to };
    SetPairSearch {
        trees: &mut trees,
        motion_to_end,
        interval,
        motion_part: motion_to_end.motion_part(from),
        front: SetFront::new(from),
        goal,
        budget,
    }
    .run(from)
}

impl SetPairSearch<'_, '_, '_, '_> {
    fn run(&mut self, start: f64) -> ScrewContacts {
        let ContactGoal { near, stop: goal } = self.goal;
        let mut found = ScrewContacts::clear();
        let mut time = start;
        let end = self.motion_to_end.end;
        loop {
            match self.next(time) {
                FirstContact::Clear => return found,
                FirstContact::Undecided(UndecidedRest { clear_until, reason }) => {
                    found.undecided = Some(UndecidedInterval { from: clear_until, to: end, reason });
                    return found;
                }
                FirstContact::Contact(arrival) => {
                    let at_start = arrival.time <= start && found.intervals.is_empty();
                    let (best, deep) = if at_start || near.distance > 0.0 {
                        (arrival, None)
                    } else {
                        let interval = DirectedInterval {
                            from: time,
                            to: self.motion_part.to,
                            direction: TimeDirection::Forward,
                        };
                        let known = Arrival { contact: arrival, interval, front: &self.front };
                        sharper_contact(self.trees, &self.motion_to_end, known, near, self.budget)
                    };
                    let mut span = TimedContact::touched([best.time, deep.unwrap_or(best.time)]);
                    span.contact = Some(self.contact(&best));
                    let followed = self.follow_contact(arrival.time, arrival.witness);
                    // A surface may be followed only while it is within epsilon, and pass through later.
                    let crossing = followed.deep.filter(|_| self.trees.are_surfaces());
                    if let (Some([crossing, _]), None, false) = (crossing, deep, at_start) {
                        span.enter[1] = span.enter[1].max(crossing);
                    }
                    if followed.depth > 0.0 || deep.is_some() {
                        (span.touching, span.crossed) = (false, followed.until.max(span.enter[1]));
                    }
                    if at_start {
                        found.from_start = true;
                        let deep = followed.depth_at_start.max(-arrival.witness.gap());
                        // The bodies may be deeper elsewhere.
                        let overlap = followed.crossed_at_start
                            || deep > near.epsilon
                            || near.distance == 0.0
                                && are_deep(self.trees, &self.motion_to_end, start, near, self.budget);
                        found.start = if overlap { PoseState::Intersecting } else { PoseState::Touching };
                        if !overlap && self.budget.remaining() == 0 {
                            // The budget ran out before the search for deeper places was complete.
                            return self.undecided_after(found, span, span.enter[1]);
                        }
                    }
                    if goal == StopCondition::Overlapping && followed.separated.is_none() {
                        return self.undecided_after(found, span, span.enter[1]);
                    }
                    let Some(separated) = followed.separated else {
                        // `enter` may prove overlap at a later time than the contact could be followed to.
                        let until = followed.until.max(span.enter[1]);
                        if followed.spent && until < end {
                            return self.undecided_after(found, span, until);
                        }
                        found.intervals.push(span);
                        return found;
                    };
                    let touched = followed.until.min(separated);
                    span.exit = Some(self.exit(span.enter[1], touched, crossing, separated));
                    found.intervals.push(span);
                    time = separated;
                    self.trees.forget_nodes();
                }
            }
        }
    }

    /// Follows a contact from start to end; if only the first contact is needed, until it is proven to be more than
    /// a touch.
    fn follow_contact(&mut self, start: f64, witness: WitnessPoints) -> NearInterval {
        let steps = match self.goal.stop {
            StopCondition::Separated => self.budget.remaining(),
            StopCondition::Overlapping => STEPS_OF_FIRST,
        };
        let mut part = self.budget.part(steps);
        let allowed = part.remaining();
        let mut search = NearIntervalSearch {
            trees: &mut *self.trees,
            motion_to_end: &self.motion_to_end,
            goal: self.goal,
        };
        let followed = search.run(start, witness, &mut part);
        // `part` never exceeds the rest of the budget, so this succeeds.
        let _ = self.budget.take(allowed - part.remaining());
        followed
    }

    /// The result for a contact that was followed up to a time, at which the budget ran out.
    fn undecided_after(&self, mut found: ScrewContacts, span: TimedContact, until: f64) -> ScrewContacts {
        let end = self.motion_to_end.end;
        found.intervals.push(TimedContact { exit: Some([until, end]), ..span });
        found.undecided = Some(UndecidedInterval { from: until, to: end, reason: UndecidedReason::Budget });
        found
    }

    /// The next time at which the bodies come within the distance.
    fn next(&mut self, from: f64) -> FirstSetContact {
        let mut time = from;
        loop {
            if time >= self.motion_part.to && time < self.motion_to_end.end {
                self.motion_part = self.motion_to_end.motion_part(time);
                self.front = SetFront::new(time);
            }
            let to = self.motion_part.to;
            let interval = DirectedInterval { from: time, to, direction: TimeDirection::Forward };
            let limits = SearchLimits { near: self.goal.near, budget: &mut *self.budget };
            let found = self.trees.next(&mut self.front, &self.motion_part, interval, limits);
            if !matches!(found, FirstContact::Clear) || to >= self.motion_to_end.end {
                return found;
            }
            time = to;
        }
    }

    /// An enclosure of the end of a contact. The bodies touched at `start`, were near until `near_until`, and were
    /// separated at `separated`. `crossing`: the first and last time at which the surfaces are known to cross.
    fn exit(&mut self, start: f64, near_until: f64, crossing: Option<[f64; 2]>, separated: f64) -> [f64; 2] {
        let near = self.goal.near;
        let MotionToEnd { relative, mover, within, .. } = self.motion_to_end;
        let mut time = separated;
        let mut length = LONGER * (separated - near_until).max(1e-9 * separated);
        while time > start && self.budget.take(STEPS_A_PAIR).is_ok() {
            let to = (time - length).max(start);
            let motion_part =
                BoundedMotion::on_interval(relative, mover, within, TimeInterval::new(to, time));
            let mut front = SetFront::new(time);
            let direction = TimeDirection::Backward;
            let limits = SearchLimits { near, budget: &mut *self.budget };
            match self.trees.next(
                &mut front,
                &motion_part,
                DirectedInterval { from: time, to, direction },
                limits,
            ) {
                FirstContact::Clear => {
                    time = to;
                    length *= 2.0;
                }
                FirstContact::Contact(arrival) if near.distance > 0.0 => return [arrival.time; 2],
                FirstContact::Contact(arrival) => {
                    let interval = DirectedInterval { from: separated, to: start, direction };
                    let known = Arrival { contact: arrival, interval, front: &front };
                    let (best, deep) =
                        sharper_contact(self.trees, &self.motion_to_end, known, near, self.budget);
                    let deep = deep.or(crossing.map(|[_, last]| last)).unwrap_or(best.time);
                    return [deep.max(start).min(best.time), best.time];
                }
                FirstContact::Undecided(UndecidedRest { clear_until, .. }) => {
                    return [near_until.min(clear_until), clear_until];
                }
            }
        }
        [near_until.min(separated), separated]
    }

    /// The contact's place and normal, and the screw that the bodies are on.
    fn contact(&mut self, arrival: &SetContact) -> (Contact, TimedScrew) {
        let time = arrival.time;
        let timed_screw = match self.interval {
            MotionInterval::Exact(timed_screw) => *timed_screw,
            MotionInterval::General { .. } => {
                let motion_part = self.motion_to_end.motion_part(time);
                self.motion_to_end.relative.screw(motion_part.from, motion_part.to).0
            }
        };
        let ContactPlace { features, point, normal, approach_speed, touching } =
            contact_place(self.trees, &self.motion_to_end, arrival, self.goal.near, self.budget);
        let contact = Contact {
            time: [timed_screw.fraction(time); 2],
            features,
            point,
            normal,
            approach_speed: approach_speed * (timed_screw.end - timed_screw.start),
            touching,
        };
        (contact, timed_screw)
    }
}

/// All separate places at which two bodies are within epsilon of touching at a time, in seconds. `within` is a time of
/// the smooth interval.
pub(crate) fn contact_places_at(
    pair: &SetPair<'_>,
    relative: &RelativeMotion<'_>,
    time: f64,
    within: f64,
    budget: &mut Budget<'_>,
) -> Vec<ContactPlace> {
    let (mover, _) = relative.motion_bounds(time, time);
    let motion_to_end = MotionToEnd { relative, mover, within, end: time };
    let near = DistanceTolerance { distance: 0.0, epsilon: pair.epsilon };
    contact_places(&mut pair.trees(mover), &motion_to_end, time, near, budget)
}
