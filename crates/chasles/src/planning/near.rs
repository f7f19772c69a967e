//! Two parts whose balls may meet, by their true shapes.

use std::cell::RefCell;

use crate::math::budget::Budget;
use crate::motion::moment::{Bends, Moment};
use crate::pair::passed::Passed;
use crate::pair::{Beyond, Pair, PairMemory};
use crate::planning::chain::{Chain, GroupAt, ROUNDINGS, Way, WayBounds};
use crate::planning::part::Part;

/// All groups at the time that was last asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupsAt {
    time: Option<f64>,
    groups: Vec<GroupAt>,
}

impl GroupsAt {
    /// Forgets the time: another way is asked about.
    pub(crate) fn forget(&mut self) {
        self.time = None;
    }
}

/// A pair of parts on a way.
pub(crate) struct Near<'c> {
    pub(crate) chain: &'c Chain,
    pub(crate) way: &'c Way<'c>,
    pub(crate) parts: [&'c Part; 2],
    /// Of the group of the first as seen from that of the second.
    pub(crate) bounds: WayBounds,
    /// How far either can be from the root, and the root from the origin of the world if one stands there, in metres.
    pub(crate) reach: f64,
    /// How fast either moves past the root where the first is, both together, once for each joint on its way from there
    /// and for four frames more.
    pub(crate) speed: f64,
    pub(crate) at: &'c RefCell<GroupsAt>,
    /// Within this the surfaces touch, in metres.
    pub(crate) tolerance: f64,
}

/// What is known of a pair in a span of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    Apart,
    /// They are apart up to a time, and intersect at one.
    Meets {
        apart_until: f64,
        at: f64,
    },
    /// They are apart up to this time, and what comes then is not proven.
    Unknown(f64),
}

/// Surfaces that stay apart for less than this share of an edge are looked at for contact.
const LEAST_STEP: f64 = 1e-6;

/// Times after a stop at which intersection is looked for, each after four times as long: to 1/4 of the edge.
const LOOKS: u32 = 9;

impl Near<'_> {
    /// How far a computed pose may move any point, in metres.
    fn rounding(&self) -> f64 {
        self.bounds.rounding(self.parts[0].reach(), self.reach)
    }

    fn moment(&self, time: f64) -> Moment {
        let mut at = self.at.borrow_mut();
        let GroupsAt { time: known, groups } = &mut *at;
        if *known != Some(time) {
            self.chain.place_at(self.way, time, groups);
            *known = Some(time);
        }
        let [a, b] = self.parts.map(|part| &groups[part.group]);
        let [of_a, of_b] =
            [(a, self.parts[0]), (b, self.parts[1])].map(|(group, part)| group.pose.compose(&part.pose));
        let centre = of_a.transform_point(self.parts[0].centre);
        let turn = of_b.rotation().conjugate();
        Moment {
            pose: of_b.inverse().compose(&of_a),
            velocity: turn * (a.velocity_of(centre) - b.velocity_of(centre)),
            spin: turn * (a.spin() - b.spin()),
        }
    }

    fn bends(&self) -> Bends {
        let part = self.parts[0];
        let arm = part.reach();
        let WayBounds { bend, jerk, .. } = self.bounds;
        // Velocities are differences of those in the frame of the root, where both may be faster.
        let velocity_rounding = ROUNDINGS * f64::EPSILON * self.speed;
        Bends {
            change: (bend[0] + bend[1] * arm) * (1.0 + 1e-9),
            jerk: (jerk[0] + jerk[1] * arm) * (1.0 + 1e-9),
            rounding: self.rounding(),
            velocity_rounding,
        }
    }

    /// Whether the two certainly intersect at a time.
    pub(crate) fn certainly_meets(
        &self,
        time: f64,
        memory: &mut PairMemory,
        budget: &mut Budget<'_>,
    ) -> bool {
        let pose = self.moment(time).pose;
        let pair = Pair::new(&self.parts[0].shape, &self.parts[1].shape);
        pair.certainly_meets(memory, (&pose, self.rounding()), budget)
    }

    /// A time until which the two stay further apart than the tolerance.
    fn apart_until(&self, span: (f64, f64), memory: &mut PairMemory, budget: &mut Budget<'_>) -> f64 {
        let pair = Pair::new(&self.parts[0].shape, &self.parts[1].shape);
        let moment = |time: f64| self.moment(time);
        let passed = Passed { moment: &moment, bends: self.bends() };
        let ask = Beyond { distance: 1.05 * self.tolerance, least_step: LEAST_STEP };
        pair.passes_apart(memory, (&passed, span), &ask, budget)
    }

    /// What is known of the two from one time to another.
    pub(crate) fn follow(
        &self,
        (begin, end): (f64, f64),
        memory: &mut PairMemory,
        budget: &mut Budget<'_>,
        looks: &mut u64,
    ) -> Verdict {
        let until = self.apart_until((begin, end), memory, budget);
        if until >= end {
            let solid = self.parts.map(|part| part.solid);
            let pair = Pair::new(&self.parts[0].shape, &self.parts[1].shape);
            let within = solid.contains(&true) && pair.is_within(solid, &self.moment(begin).pose);
            return if within { Verdict::Meets { apart_until: begin, at: begin } } else { Verdict::Apart };
        }
        let mut after = LEAST_STEP;
        for _ in 0..LOOKS {
            let time = (until + after).min(end);
            *looks += 1;
            if self.certainly_meets(time, memory, budget) {
                return Verdict::Meets { apart_until: until, at: time };
            }
            if time >= end {
                break;
            }
            after *= 4.0;
        }
        Verdict::Unknown(until)
    }
}
