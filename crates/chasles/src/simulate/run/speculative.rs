//! Speculative contacts: contacts during a step that are not visible at its start, because bodies rotate far. A step
//! that is not proven is first tried again with them, and only then shortened.

use crate::motion::{Pose, Screw};
use crate::simulate::proof::BlockingPair;
use crate::simulate::rows::{ContactPoint, SolverBody};
use crate::simulate::state::nearby::{NearPair, contact_points};
use crate::simulate::state::world::{MotionTime, World, rest_gap};
use crate::simulate::state::{AnticipatedContact, StepState};
use crate::simulate::stepping::FreeFlight;
use crate::trajectory::watch::ProgressMonitor;

/// Bodies are examined when they collide, if that is between these fractions of a step, and otherwise at its end.
const EXAMINED_FRACTIONS: [f64; 2] = [0.02, 0.98];

/// A flight in which bodies did not stay separated.
struct BlockedFlight<'s> {
    world: &'s World,
    state: &'s StepState,
    flight: &'s FreeFlight,
    /// All bodies at the start.
    solver_bodies: Vec<SolverBody>,
}

/// The contacts of pairs that did not stay separated in a flight.
pub(crate) fn anticipated_contacts(
    world: &World,
    state: &StepState,
    flight: &FreeFlight,
    blocking: &[BlockingPair],
    watch: &dyn ProgressMonitor,
) -> Vec<AnticipatedContact> {
    let at = MotionTime { time: state.time, within: state.time + 0.5 * flight.duration };
    let own = BlockedFlight { world, state, flight, solver_bodies: world.solver_bodies(&state.rigid, at) };
    // Only the poses of the examined pair are used.
    let mut poses: Vec<Pose> = flight.poses.clone();
    let mut found = Vec::new();
    for pair in blocking {
        let fraction = own.examined_fraction(pair);
        for body in pair.bodies {
            poses[body] = own.pose_at(body, fraction);
        }
        let near = [NearPair { bodies: pair.bodies, travel: world.definition.settings.depth }];
        for touch in contact_points(world, &near, &poses, watch) {
            found.extend(own.anticipated_contact(&touch, &poses, fraction));
        }
    }
    found
}

/// Adds contacts to the known ones, and replaces known contacts of the same features.
pub(crate) fn merge_contacts(known: &mut Vec<AnticipatedContact>, found: Vec<AnticipatedContact>) {
    for own in found {
        match known.iter_mut().find(|other| other.touch.is_same(&own.touch)) {
            Some(other) => *other = own,
            None => known.push(own),
        }
    }
}

impl BlockedFlight<'_> {
    /// The fraction of the step at which a pair is examined; `None`: at its end, after the first contact.
    fn examined_fraction(&self, pair: &BlockingPair) -> Option<f64> {
        Some(pair.fraction)
            .filter(|fraction| (EXAMINED_FRACTIONS[0]..EXAMINED_FRACTIONS[1]).contains(fraction))
    }

    fn pose_at(&self, body: usize, fraction: Option<f64>) -> Pose {
        let [start, end] = [self.state.poses[body], self.flight.poses[body]];
        fraction.map_or(end, |fraction| Screw::between(start, end).pose_at(fraction))
    }

    /// The target of a contact that bodies at these poses have at a fraction of the step; `None` if a number is not
    /// finite.
    fn anticipated_contact(
        &self,
        touch: &ContactPoint,
        poses: &[Pose],
        fraction: Option<f64>,
    ) -> Option<AnticipatedContact> {
        let duration = self.flight.duration;
        // The contact point at the start, averaged over both bodies.
        let [a, b] = touch.bodies.map(|body| {
            self.state.poses[body].transform_point(poses[body].inverse().transform_point(touch.point))
        });
        let point = 0.5 * (a + b);
        let speed = |body: usize| {
            let [linear, angular] = self.flight.velocities[body];
            touch.normal.dot(linear + angular.cross(point - self.solver_bodies[body].center))
        };
        let [of_a, of_b] = touch.bodies.map(speed);
        // Faster by the distance that is missing there.
        let passed = fraction.map_or(duration, |fraction| fraction * duration);
        let before = of_b - of_a;
        let mut min_speed = before - (touch.gap - rest_gap(self.world)) / passed;
        if let Some(fraction) = fraction {
            // At that speed they must not come closer in the rest of the step either.
            let speed = |body: usize| {
                let [linear, angular] = self.flight.velocities[body];
                let path = fraction * duration * linear;
                touch.normal.dot(linear + angular.cross(touch.point - self.solver_bodies[body].center - path))
            };
            let [of_a, of_b] = touch.bodies.map(speed);
            let gap = touch.gap + (of_b - of_a) * (duration - passed);
            min_speed = min_speed.max(before - (gap - rest_gap(self.world)) / duration);
        }
        // Contacts may separate bodies only as slowly as a step cannot distinguish from rest.
        let rest_speed = self.world.definition.settings.gravity.length() * duration;
        let touch = ContactPoint { point, ..*touch };
        let own = AnticipatedContact { touch, min_speed: min_speed.min(rest_speed) };
        (point.is_finite() && min_speed.is_finite()).then_some(own)
    }
}
