//! Contacts that a step makes and that its begin does not show: bodies that turn far in it meet elsewhere than where they
//! nearly touch. A step that is not proven is made again with them, before it is made shorter.

use crate::motion::{Pose, Screw};
use crate::simulate::nearby::{NearPair, touches};
use crate::simulate::proof::BlockingPair;
use crate::simulate::rows::ContactPoint;
use crate::simulate::stepping::{AnticipatedContact, FreeFlight, StepState};
use crate::simulate::world::{World, rest_gap};
use crate::trajectory::watch::ProgressMonitor;

/// Bodies are looked at where they meet, if that is between these shares of a step, and else as they are at its end.
const LATE: [f64; 2] = [0.02, 0.98];

/// Adds the contacts of pairs that were not apart all of the way; whether there are any.
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
    // Only those of the pair that is looked at count.
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
            // The points of both bodies that are there, at the begin.
            let [a, b] = touch
                .bodies
                .map(|body| begin[body].transform_point(poses[body].inverse().transform_point(touch.point)));
            let point = 0.5 * (a + b);
            let speed = |body: usize| {
                let [linear, angular] = drift.pushed[body];
                touch.normal.dot(linear + angular.cross(point - movers[body].center))
            };
            let [of_a, of_b] = touch.bodies.map(speed);
            // By what the motion lacks there, faster.
            let passed = if is_after_first_contact { duration } else { share * duration };
            let before = of_b - of_a;
            let mut least = before - (touch.gap - rest_gap(world)) / passed;
            if !is_after_first_contact {
                // Nor may they come closer in the rest of the step, as fast as they do there.
                let speed = |body: usize| {
                    let [linear, angular] = drift.pushed[body];
                    let way = share * duration * linear;
                    touch.normal.dot(linear + angular.cross(touch.point - movers[body].center - way))
                };
                let [of_a, of_b] = touch.bodies.map(speed);
                let gap = touch.gap + (of_b - of_a) * (duration - passed);
                least = least.max(before - (gap - rest_gap(world)) / duration);
            }
            // Bodies may be made to part only as slowly as a step cannot tell from rest.
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
