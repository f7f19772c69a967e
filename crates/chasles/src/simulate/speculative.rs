//! Speculative contacts: contacts during a step that are not visible at its start, because bodies rotate far. A step
//! that is not proven is first tried again with them, and only then shortened.

use crate::motion::{Pose, Screw};
use crate::simulate::nearby::{NearPair, touches};
use crate::simulate::proof::BlockingPair;
use crate::simulate::rows::ContactPoint;
use crate::simulate::stepping::{AnticipatedContact, FreeFlight, StepState};
use crate::simulate::world::{World, rest_gap};
use crate::trajectory::watch::ProgressMonitor;

/// Bodies are examined when they collide, if that is between these fractions of a step, and otherwise at its end.
const LATE: [f64; 2] = [0.02, 0.98];

/// Adds the contacts of pairs that did not stay separated; returns whether there are any.
pub(crate) fn add_anticipated_contacts(
    world: &World,
    (station, drift): (&StepState, &FreeFlight),
    (duration, barriers): (f64, &[BlockingPair]),
    known: &mut Vec<AnticipatedContact>,
    watch: &dyn ProgressMonitor,
) -> bool {
    let within = station.time + 0.5 * duration;
    let movers = world.movers(&station.rigid, station.time, within);
    let [begin, end] = [&station.poses, &drift.poses];
    // Only the poses of the examined pair are used.
    let mut poses: Vec<Pose> = end.clone();
    let mut is_any = false;
    for barrier in barriers {
        let share = barrier.share;
        let is_after_first_contact = !(LATE[0]..LATE[1]).contains(&share);
        for body in barrier.bodies {
            let way = || Screw::between(begin[body], end[body]);
            poses[body] = if is_after_first_contact { end[body] } else { way().pose_at(share) };
        }
        let near = [NearPair { bodies: barrier.bodies, travel: world.definition.depth }];
        for touch in touches(world, &near, &poses, watch) {
            // The contact point at the start, averaged over both bodies.
            let [a, b] = touch
                .bodies
                .map(|body| begin[body].transform_point(poses[body].inverse().transform_point(touch.point)));
            let point = 0.5 * (a + b);
            let speed = |body: usize| {
                let [linear, angular] = drift.pushed[body];
                touch.normal.dot(linear + angular.cross(point - movers[body].center))
            };
            let [of_a, of_b] = touch.bodies.map(speed);
            // Faster by the distance that is missing there.
            let passed = if is_after_first_contact { duration } else { share * duration };
            let before = of_b - of_a;
            let mut least = before - (touch.gap - rest_gap(world)) / passed;
            if !is_after_first_contact {
                // At that speed they must not come closer in the rest of the step either.
                let speed = |body: usize| {
                    let [linear, angular] = drift.pushed[body];
                    let way = share * duration * linear;
                    touch.normal.dot(linear + angular.cross(touch.point - movers[body].center - way))
                };
                let [of_a, of_b] = touch.bodies.map(speed);
                let gap = touch.gap + (of_b - of_a) * (duration - passed);
                least = least.max(before - (gap - rest_gap(world)) / duration);
            }
            // Contacts may separate bodies only as slowly as a step cannot distinguish from rest.
            let most = world.definition.gravity.length() * duration;
            let own = AnticipatedContact { touch: ContactPoint { point, ..touch }, least: least.min(most) };
            if !point.is_finite() || !least.is_finite() {
                continue;
            }
            is_any = true;
            match known.iter_mut().find(|other| other.touch.is_same(&touch)) {
                Some(other) => *other = own,
                None => known.push(own),
            }
        }
    }
    is_any
}
