//! Enclosures of the start and end of a contact that are narrower than epsilon gives.
//!
//! A search stops when the bodies are within epsilon. It is then repeated from there with a smaller epsilon, over a
//! short interval: the bodies are separated until the time found. A little later, points prove a depth. Contact
//! starts between these two times.

use glam::DVec3;

use crate::features::contact::FirstContact;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::sets::bounded_motion::{BoundedMotion, DirectedInterval};
use crate::sets::first::{DistanceTolerance, SearchLimits, SetContact, SetFront, TreePair, WitnessPoints};
use crate::sets::follow::near_interval::{MotionToEnd, carried_witness, deeper_witness};
use crate::sets::tree::BoundingTree;
use crate::sets::volume::RoundedTransform;

/// Enclosures are as narrow as this fraction of the duration, if the motion allows.
const SHARP: f64 = 2e-9;

/// Enclosures up to this fraction of the duration may extend to times at which the bodies are deeper than epsilon.
const WIDE: f64 = 4e-7;

/// The maximum number of steps of a search for a sharper time.
const STEPS: u64 = 300_000;

/// If a search exceeds the maximum, epsilon grows by this factor for the next one.
const COARSER: f64 = 32.0;

/// The maximum number of tries to prove a depth.
const DEPTH_TRIES: u32 = 10;

/// Epsilon stays above this multiple of the rounding error of a position.
const ROUNDINGS: f64 = 64.0;

/// A contact found by a search, which may be repeated to find it more sharply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival<'f> {
    pub(crate) contact: SetContact,
    /// The bodies are separated from the start of the interval to the contact. The search continues to the end.
    pub(crate) interval: DirectedInterval,
    pub(crate) front: &'f SetFront,
}

/// The same arrival in the given direction of time, as sharp as the motion allows. Also a time by which the bodies
/// are proven in contact, if one is found: at that time a depth of at most epsilon is proven, or a point of one
/// surface has passed through the other.
pub(crate) fn sharper_contact(
    trees: &mut TreePair<'_>,
    motion_to_end: &MotionToEnd<'_>,
    arrival: Arrival<'_>,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> (SetContact, Option<f64>) {
    let Arrival { contact: arrival, interval, front } = arrival;
    let DirectedInterval { from: since, to: end, direction } = interval;
    let sign = direction.sign();
    let duration = motion_to_end.relative.duration();
    let MotionToEnd { relative, mover, within, .. } = *motion_to_end;
    let here = motion_to_end.motion_part(arrival.time);
    let velocity = here.velocity_at(&here.sample(arrival.time), arrival.witness.points[0]);
    let speed = sign * velocity.dot(arrival.normal);
    // A NaN is no speed.
    if speed.is_nan() || speed <= 0.0 {
        return (arrival, None);
    }
    let to = if sign > 0.0 {
        end.min(arrival.time + 4.0 * near.epsilon / speed)
    } else {
        end.max(arrival.time - 4.0 * near.epsilon / speed)
    };
    let motion_part = BoundedMotion::on_interval(
        relative,
        mover,
        within,
        TimeInterval::new(to.min(arrival.time), to.max(arrival.time)),
    );
    let smallest = ROUNDINGS * motion_part.transform_at(arrival.time).rounding;
    let smallest = (SHARP * duration * speed).max(smallest).min(near.epsilon);
    let mut fine = DistanceTolerance { epsilon: smallest, ..near };
    let mut best = arrival;
    while 2.0 * fine.epsilon < near.epsilon {
        let mut part = budget.part(STEPS);
        let allowed = part.remaining();
        let search_interval = DirectedInterval { from: arrival.time, to, direction };
        let limits = SearchLimits { near: fine, budget: &mut part };
        let found = trees.next(&mut front.between(search_interval), &motion_part, search_interval, limits);
        let _ = budget.take(allowed - part.remaining());
        match found {
            // So near to each other, the volumes give a poorer direction, so the first normal is kept.
            FirstContact::Contact(sharper) => {
                best = SetContact { normal: arrival.normal, ..sharper };
                break;
            }
            // Accept a wider enclosure.
            FirstContact::Undecided(_) => fine.epsilon *= COARSER,
            // They come no nearer than a fraction of epsilon.
            FirstContact::Clear => return (arrival, None),
        }
    }
    fine.epsilon = fine.epsilon.min(near.epsilon);
    let before = motion_part.transform_at(best.time);
    // The depth of bodies that do not touch yet is at most the distance that their fastest point moves; a narrow
    // enclosure is accepted anyway.
    let longest = (near.epsilon / relative.speed(motion_part.from, motion_part.to)).max(WIDE * duration);
    let mut depth = best.witness.gap().max(0.0) + (0.5 * fine.epsilon).min(0.02 * near.epsilon);
    for _ in 0..DEPTH_TRIES {
        if depth > near.epsilon {
            break;
        }
        let time = best.time + sign * depth / speed;
        if (to - time) * sign < 0.0 || depth / speed > longest {
            break;
        }
        let transform = motion_part.transform_at(time);
        if trees.are_surfaces() {
            let earlier = best.time - sign * depth / speed;
            let earlier = if sign > 0.0 { earlier.max(since) } else { earlier.min(since) };
            let (from, to) = (earlier.min(time), earlier.max(time));
            let around = BoundedMotion::on_interval(relative, mover, within, TimeInterval::new(from, to));
            if is_passed(trees, &best.witness, &before, &around, 2.0 * relative.max_speed(from, to)) {
                return (best, Some(time));
            }
            depth *= 2.0;
            continue;
        }
        let there = deeper_witness(
            trees,
            carried_witness(&best.witness, &before, &transform),
            &transform,
            fine,
            budget,
        );
        if there.gap() + 2.0 * transform.rounding < 0.0 {
            return (best, Some(time));
        }
        depth *= 2.0;
    }
    (best, None)
}

/// Whether a point of one surface is proven to pass through the other in a part of the motion. `speed` exceeds the
/// speed of either point as seen from the other body.
fn is_passed(
    trees: &mut TreePair<'_>,
    witness: &WitnessPoints,
    transform: &RoundedTransform,
    motion_part: &BoundedMotion<'_>,
    speed: f64,
) -> bool {
    let ends = [motion_part.from, motion_part.to].map(|time| motion_part.transform_at(time));
    let rounding = transform.rounding + ends[0].rounding.max(ends[1].rounding);
    let displacement = speed * (motion_part.to - motion_part.from);
    let [of_a, of_b] = witness.points;
    let point_in_a = transform.inverse_transform_point(of_a);
    // The points may be this far from their surfaces.
    let [error_a, error_b] = witness.depths.map(|depth| (-depth).max(0.0) + rounding);
    let path = [ends[0].transform_point(point_in_a), ends[1].transform_point(point_in_a)];
    passes_through(&mut trees.second, witness.nodes[1], of_b, path, [error_a, displacement]) || {
        let path = [ends[0].inverse_transform_point(of_b), ends[1].inverse_transform_point(of_b)];
        passes_through(&mut trees.first, witness.nodes[0], point_in_a, path, [error_b, displacement])
    }
}

/// Whether a point, known up to an error, passes from one side of a surface near a place to the other between two
/// times. In the meantime, the point stays within `displacement` of its positions at these times.
fn passes_through(
    tree: &mut BoundingTree<'_>,
    node: u32,
    at: DVec3,
    path: [DVec3; 2],
    [error, displacement]: [f64; 2],
) -> bool {
    let Some(sheet) = tree.sheet(node, at, 4.0 * (error + displacement)) else { return false };
    if !sheet.blocks_paths(path, error + displacement) {
        return false;
    }
    match path.map(|point| tree.side_of(&sheet, [point; 2], error)) {
        [Some(one), Some(other)] => one != other,
        _ => false,
    }
}
