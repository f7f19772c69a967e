//! Landings: bodies that meet without a rebound in a step. If the normal of their contact rotates during the approach,
//! as between a ball and an edge, the step has to end where they touch, and the next one answers with the normal there.

use glam::DVec3;

use crate::motion::Pose;
use crate::simulate::rows::ContactRows;
use crate::simulate::state::nearby::{NearPair, contact_points};
use crate::simulate::state::world::{MotionTime, World, rest_gap};
use crate::simulate::state::{StepState, velocities};
use crate::simulate::stepping::FreeFlight;
use crate::trajectory::watch::ProgressMonitor;

/// A normal is the same at the end of a step if its cosine to the normal at the start is at least this (1e-3 rad).
const SAME_NORMAL: f64 = 1.0 - 5e-7;

/// Bodies touch at the start of a step if their gap is at most this number of rest gaps.
const TOUCHING_GAP: f64 = 4.0;

/// Contacts at the end of a step are searched up to this number of times the gap at its start.
const SEARCHED_GAP: f64 = 4.0;

/// The pairs that approached faster than `min_speed`, in metres per second, and landed in a flight on normals that
/// differ from those at its end.
pub(crate) fn rotated_landings(
    world: &World,
    state: &StepState,
    flight: &FreeFlight,
    min_speed: f64,
    watch: &dyn ProgressMonitor,
) -> Vec<[usize; 2]> {
    let is_landing = |of_pair: &&[ContactRows]| {
        let bodies = of_pair[0].touch.bodies;
        bodies.iter().any(|body| is_round(world, *body))
            && flight.contacts.is_landing(bodies)
            && of_pair.iter().all(|own| own.touch.gap > TOUCHING_GAP * rest_gap(world))
    };
    let pairs = state.contacts.chunk_by(|p, q| p.touch.bodies == q.touch.bodies);
    let landing: Vec<&[ContactRows]> = pairs.filter(is_landing).collect();
    if landing.is_empty() {
        return Vec::new();
    }
    let at = MotionTime { time: state.time, within: state.time + 0.5 * flight.duration };
    let initial = velocities(&world.solver_bodies(&state.rigid, at));
    let is_fast = |own: &ContactRows| -own.along_normal(&initial) > min_speed;
    let fast = landing.into_iter().filter(|of_pair| of_pair.iter().any(is_fast));
    let rotated = fast.filter(|of_pair| {
        let bodies = of_pair[0].touch.bodies;
        let impulses = flight.impulses.iter().filter(|own| own.touch.bodies == bodies);
        // At the end of the flight they may be apart again.
        let gap = of_pair.iter().map(|own| own.touch.gap).fold(0.0, f64::max);
        let pair = NearPair { bodies, travel: SEARCHED_GAP * gap + world.definition.settings.depth };
        impulses.clone().any(|own| own.normal_impulse > 0.0)
            && has_rotated(world, &flight.poses, pair, impulses.map(|own| own.touch.normal), watch)
    });
    rotated.map(|own| own[0].touch.bodies).collect()
}

/// Whether a body has a round shape: contact normals of flat faces hardly rotate.
fn is_round(world: &World, body: usize) -> bool {
    world.scene().bodies()[body].shape.as_ref().is_some_and(|shape| shape.round().is_some())
}

/// Whether some of the normals is no normal of a contact that two bodies have at these poses; without any contact
/// there, they have not rotated.
fn has_rotated(
    world: &World,
    poses: &[Pose],
    pair: NearPair,
    mut normals: impl Iterator<Item = DVec3>,
    watch: &dyn ProgressMonitor,
) -> bool {
    let touches = contact_points(world, &[pair], poses, watch);
    !touches.is_empty()
        && normals.any(|normal| touches.iter().all(|touch| touch.normal.dot(normal) < SAME_NORMAL))
}
