//! The places where two bodies touch at one time: features, point and normal of each.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::features::contact::ContactFeatures;
use crate::math::budget::Budget;
use crate::math::priority::{Priority, QueueEntry};
use crate::motion::Pose;
use crate::motion::relative::MovingBody;
use crate::sets::between::normal_between;
use crate::sets::first::{DistanceTolerance, FINE, STEPS_A_PAIR, SetContact, TreePair};
use crate::sets::follow::corner::deeper_witness_from_corner;
use crate::sets::follow::near_interval::{MotionToEnd, deeper_witness};
use crate::sets::tree::Element;
use crate::sets::volume::{DistanceGoal, RoundedTransform, VolumeGap, separation};

/// A place where two bodies touch, in the frame of B.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactPlace {
    pub(crate) features: ContactFeatures,
    pub(crate) point: DVec3,
    pub(crate) normal: DVec3,
    /// In metres per second.
    pub(crate) approach_speed: f64,
    pub(crate) touching: bool,
}

/// A pair of nodes that are near.
#[derive(Debug, Clone, Copy)]
struct NearNodes {
    /// The sum of both nodes' errors, in metres.
    error: f64,
    nodes: [u32; 2],
    gap: VolumeGap,
}

impl Priority for NearNodes {
    /// Largest error first; ties by node numbers.
    fn order(&self, other: &Self) -> Ordering {
        self.error.total_cmp(&other.error).then(other.nodes.cmp(&self.nodes))
    }
}

/// The maximum number of pairs of nodes examined for places: if surfaces fit each other, the result is as coarse as
/// this allows.
const MAX_NEAR: usize = 2048;

/// The maximum number of pairs of nodes per place that are tried for points that prove it.
const TRIES: usize = 8;

/// The nearest pairs of nodes of a group, up to `TRIES`.
fn nearest_of(found: &[NearNodes], group: Vec<usize>) -> impl Iterator<Item = NearNodes> {
    let mut nearest: Vec<NearNodes> = group.into_iter().map(|i| found[i]).collect();
    nearest.sort_by(|x, y| x.gap.lower.total_cmp(&y.gap.lower).then(x.nodes.cmp(&y.nodes)));
    nearest.into_iter().take(TRIES)
}

/// The place of a contact. The contact's normal is an estimate.
pub(crate) fn contact_place(
    trees: &mut TreePair<'_>,
    motion_to_end: &MotionToEnd<'_>,
    contact: &SetContact,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> ContactPlace {
    let MotionToEnd { relative, mover, within, .. } = *motion_to_end;
    let SetContact { time, witness, .. } = *contact;
    let motion_part = motion_to_end.motion_part(time);
    let point = 0.5 * (witness.points[0] + witness.points[1]);
    let velocity = motion_part.velocity_at(&motion_part.sample(time), point);
    let normal = normal_between(trees, contact, &motion_part, near, budget);
    let approach_speed = velocity.dot(normal);
    let elements = [trees.first.number(witness.nodes[0]), trees.second.number(witness.nodes[1])];
    let (point, normal, elements) = match mover {
        MovingBody::A => (point, normal, elements),
        MovingBody::B => {
            // From A's frame to B's, with the roles exchanged.
            let pose: Pose = relative.pose_at(time, within);
            let [of_b, of_a] = elements;
            (pose.transform_point(point), -pose.transform_vector(normal), [of_a, of_b])
        }
    };
    ContactPlace {
        features: features_of(elements),
        point,
        normal,
        approach_speed,
        touching: witness.gap() >= 0.0,
    }
}

/// All separate places at which the bodies are within a distance at a time, in the order of the features. Each
/// point of a cloud is a place of its own. If more than [`MAX_NEAR`] pairs of nodes are near, or the budget
/// runs out, places close together may count as one.
pub(crate) fn contact_places(
    trees: &mut TreePair<'_>,
    motion_to_end: &MotionToEnd<'_>,
    time: f64,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> Vec<ContactPlace> {
    let transform = motion_to_end.motion_part(time).transform_at(time);
    let found = near_nodes(trees, &transform, near, budget);
    let mut places: Vec<ContactPlace> = Vec::new();
    for group in groups(trees, &found, near) {
        let proven = nearest_of(&found, group).find_map(|NearNodes { nodes, gap, .. }| {
            let witness = trees.witness(nodes, gap.points, &transform, near)?;
            Some(SetContact { time, witness, normal: gap.normal })
        });
        if let Some(contact) = proven {
            places.push(contact_place(trees, motion_to_end, &contact, near, budget));
        }
    }
    places.sort_by(|x, y| {
        let by_point = || (0..3).map(|i| x.point[i].total_cmp(&y.point[i])).find(|o| o.is_ne());
        x.features.numbers().cmp(&y.features.numbers()).then_with(|| by_point().unwrap_or(Ordering::Equal))
    });
    places
}

/// Whether the bodies are proven to overlap by more than epsilon at any of the places where they are near at a
/// time.
pub(crate) fn are_deep(
    trees: &mut TreePair<'_>,
    motion_to_end: &MotionToEnd<'_>,
    time: f64,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> bool {
    let transform = motion_to_end.motion_part(time).transform_at(time);
    let found = near_nodes(trees, &transform, near, budget);
    groups(trees, &found, near).into_iter().any(|group| {
        nearest_of(&found, group).any(|NearNodes { nodes, gap, .. }| {
            trees.witness(nodes, gap.points, &transform, near).is_some_and(|witness| {
                let climbed = deeper_witness(trees, witness, &transform, near, budget);
                climbed.gap() < -near.epsilon
                    || deeper_witness_from_corner(trees, climbed, &transform, near, budget).gap()
                        < -near.epsilon
            })
        })
    })
}

/// Pairs of nodes with negligible errors that are within a distance, for a given transform of the first body.
fn near_nodes(
    trees: &mut TreePair<'_>,
    transform: &RoundedTransform,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> Vec<NearNodes> {
    let fine = FINE * near.epsilon;
    let mut queue = BinaryHeap::new();
    let push = |trees: &TreePair<'_>, nodes: [u32; 2], queue: &mut BinaryHeap<QueueEntry<NearNodes>>| {
        let (a, b) = (trees.first.node(nodes[0]), trees.second.node(nodes[1]));
        let goal = DistanceGoal {
            less: near.distance,
            relative: 1e-3,
            absolute: 0.05 * near.epsilon,
            more: near.distance + near.epsilon,
            towards: DVec3::ZERO,
        };
        let gap = separation(trees.volumes(nodes), transform, &goal);
        // A NaN counts as near.
        if gap.lower.is_nan() || gap.lower <= near.distance + near.epsilon {
            queue.push(QueueEntry(NearNodes { error: a.error + b.error, nodes, gap }));
        }
    };
    push(trees, [0, 0], &mut queue);
    let mut found: Vec<NearNodes> = Vec::new();
    while let Some(QueueEntry(next)) = queue.pop() {
        let [a, b] = [trees.first.node(next.nodes[0]).error, trees.second.node(next.nodes[1]).error];
        let many = trees.is_full(queue.len()) || queue.len() + found.len() > MAX_NEAR;
        if a.max(b) <= fine || many || budget.take(STEPS_A_PAIR + 1).is_err() {
            found.push(next);
            continue;
        }
        let opens_first = a >= b;
        let children =
            if opens_first { trees.first.split(next.nodes[0]) } else { trees.second.split(next.nodes[1]) };
        for child in children {
            let nodes = if opens_first { [child, next.nodes[1]] } else { [next.nodes[0], child] };
            push(trees, nodes, &mut queue);
        }
    }
    found
}

/// Groups of connected pairs of nodes, by index: each group is one place.
fn groups(trees: &TreePair<'_>, found: &[NearNodes], near: DistanceTolerance) -> Vec<Vec<usize>> {
    let point = |element: Option<Element>| match element {
        Some(Element::Point(point)) => Some(point),
        _ => None,
    };
    // For each pair: its numbered points, its position, and its extent.
    let extents: Vec<_> = found
        .iter()
        .map(|NearNodes { nodes: [a, b], gap, .. }| {
            let points = [point(trees.first.number(*a)), point(trees.second.number(*b))];
            let size = trees.first.node(*a).size.min(trees.second.node(*b).size);
            (points, 0.5 * (gap.points[0] + gap.points[1]), 0.5 * size + near.epsilon)
        })
        .collect();
    let mut group: Vec<usize> = (0..found.len()).collect();
    for i in 0..extents.len() {
        for j in 0..i {
            let ((of_i, at_i, reach_i), (of_j, at_j, reach_j)) = (&extents[i], &extents[j]);
            let is_one = if *of_i == [None; 2] && *of_j == [None; 2] {
                at_i.distance(*at_j) <= reach_i + reach_j
            } else {
                of_i == of_j
            };
            let (group_i, group_j) = (group[i], group[j]);
            if is_one && group_i != group_j {
                let (keep, drop) = (group_i.min(group_j), group_i.max(group_j));
                group.iter_mut().filter(|number| **number == drop).for_each(|number| *number = keep);
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); found.len()];
    for (i, number) in group.into_iter().enumerate() {
        groups[number].push(i);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The features of a contact, from the numbered elements of A and B.
fn features_of(elements: [Option<Element>; 2]) -> ContactFeatures {
    match elements {
        [Some(Element::Point(a)), Some(Element::Point(b))] => ContactFeatures::PointPoint { a, b },
        [Some(Element::Point(a)), _] => ContactFeatures::PointSolid { a },
        [_, Some(Element::Point(b))] => ContactFeatures::SolidPoint { b },
        [a, b] => {
            let face = |element: Option<Element>| match element {
                Some(Element::Face(face)) => Some(face),
                _ => None,
            };
            ContactFeatures::SurfaceSurface { a: face(a), b: face(b) }
        }
    }
}
