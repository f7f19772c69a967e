//! The contact normal: the direction from one body to the other at the place where they touch.
//!
//! The contact normal of two convex bodies is their separating direction: the normal of a face if a face takes part,
//! the direction perpendicular to both edges if two edges touch. The search collects all volumes near the place and
//! all candidate directions: the normals of both surfaces there, and the directions that separate volumes. The
//! normal is the candidate with the smallest overlap. A surface normal wins a tie, as it is exact.

use glam::DVec3;

use crate::math::budget::Budget;
use crate::math::direction::unit_along;
use crate::sets::bounded_motion::BoundedMotion;
use crate::sets::first::{DistanceTolerance, FINE, SetContact, TreePair};
use crate::sets::tree::BoundingTree;
use crate::sets::volume::{
    DistanceGoal, RoundedTransform, VolumePair, separating_direction, separation, separation_along,
};

/// Volumes within this distance of the place count, in units of epsilon.
const AROUND: f64 = 4.0;

/// The maximum number of pairs of volumes considered, and of pairs for which a separating direction is computed.
const MAX_PAIRS: usize = 256;
const MAX_SEPARATIONS: usize = 8;

/// Directions whose overlaps differ by less than this fraction of epsilon are equally good.
const AS_GOOD: f64 = 0.25;

/// Two surfaces touch face to face if the cosine of the angle between their normals exceeds this.
const FACING: f64 = 0.9998;

/// A candidate normal, and the minimum separation of all volumes along it.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    normal: DVec3,
    separation: f64,
}

/// The candidate with the largest separation; the first of equals.
fn best(candidates: &[Candidate]) -> Option<Candidate> {
    candidates
        .iter()
        .copied()
        .reduce(|best, next| if next.separation > best.separation { next } else { best })
}

/// The normal of a contact: the unit direction from the first to the second body, in the frame of the second. The
/// contact's own normal is an estimate. The part of the motion contains the time of the contact.
pub(crate) fn normal_between(
    trees: &mut TreePair<'_>,
    contact: &SetContact,
    motion_part: &BoundedMotion<'_>,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> DVec3 {
    let SetContact { time, witness, normal: estimate } = *contact;
    let sample = motion_part.sample(time);
    let transform = &sample.transform;
    let at = 0.5 * (witness.points[0] + witness.points[1]);
    let velocity = motion_part.velocity_at(&sample, at);
    let at_in_a = transform.inverse_transform_point(at);
    let (distance, fine) = (AROUND * near.epsilon + 0.5 * near.distance, FINE * near.epsilon);
    let (around_a, reach_a) = trees.first.around(at_in_a, distance, fine, budget);
    let (around_b, reach_b) = trees.second.around(at, distance, fine, budget);
    let mut nodes = [around_a, around_b];
    // If there are many nodes nearby, they contain the bodies only within a smaller distance, so smaller
    // overlaps count.
    let as_good = AS_GOOD * near.epsilon * (reach_a.min(reach_b) / distance);
    for (around, node) in nodes.iter_mut().zip(witness.nodes) {
        if around.is_empty() {
            around.push(node);
        }
    }
    let [of_a, of_b] = &nodes;
    let facing = |out: DVec3| if out.dot(estimate) < 0.0 { -out } else { out };
    let out_a = directions(&mut trees.first, of_a, witness.nodes[0], at_in_a);
    let out_a: Vec<DVec3> = out_a.into_iter().map(|n| transform.rotation * n).collect();
    let out_b: Vec<DVec3> =
        directions(&mut trees.second, of_b, witness.nodes[1], at).into_iter().map(|n| -n).collect();
    // A surface without interior may be touched from either side.
    let sided = |out: Vec<DVec3>, is_surface: bool| -> Vec<DVec3> {
        if is_surface { out.into_iter().flat_map(|n| [facing(n), -facing(n)]).collect() } else { out }
    };
    let out_a = sided(out_a, trees.first.is_surface());
    let out_b = sided(out_b, trees.second.is_surface());
    let pairs = pairs_around(trees, &nodes, transform, distance);
    let Some(first) = pairs.first() else { return estimate };
    let rated = |normal: &DVec3| {
        let separations = pairs.iter().map(|volumes| separation_along(*volumes, transform, *normal));
        Candidate { normal: *normal, separation: separations.fold(f64::INFINITY, f64::min) }
    };
    let [of_a, of_b]: [Vec<Candidate>; 2] = [&out_a, &out_b].map(|out| out.iter().map(rated).collect());
    let guesses = || [estimate, unit_along(velocity)].into_iter().chain(out_a.iter().chain(&out_b).copied());
    let between = std::iter::once(first).chain(pairs.iter().skip(1).take(MAX_SEPARATIONS - 1));
    let separating = between.filter_map(|volumes| separating_direction(*volumes, transform, guesses()));
    let others: Vec<Candidate> = separating.chain([estimate]).map(|normal| rated(&normal)).collect();
    let found = [&of_a, &of_b, &others].map(|candidates| best(candidates));
    let separations = found.iter().flatten().map(|candidate| candidate.separation);
    let maximum = separations.fold(f64::NEG_INFINITY, f64::max);
    let is_good = |candidate: &Candidate| candidate.separation >= maximum - as_good;
    let [a, b, other] = found.map(|candidate| candidate.filter(is_good));
    match (a, b) {
        (Some(a), Some(b)) if a.normal.dot(b.normal) > FACING => unit_along(a.normal + b.normal),
        (Some(a), Some(b)) if b.separation > a.separation => b.normal,
        (Some(face), _) | (None, Some(face)) => face.normal,
        (None, None) => other.map_or(estimate, |other| other.normal),
    }
}

/// The volumes of pairs of nodes near each other, the nearest first.
fn pairs_around<'t>(
    trees: &'t TreePair<'_>,
    [of_a, of_b]: &[Vec<u32>; 2],
    transform: &RoundedTransform,
    distance: f64,
) -> Vec<VolumePair<'t>> {
    let goal = DistanceGoal {
        less: 0.0,
        relative: 0.1,
        absolute: 0.01 * distance,
        more: 2.0 * distance,
        towards: DVec3::ZERO,
    };
    let mut pairs = Vec::new();
    for a in of_a {
        for b in of_b {
            let volumes = trees.volumes([*a, *b]);
            let gap = separation(volumes, transform, &goal).lower;
            if gap <= 2.0 * distance {
                pairs.push((gap, [*a, *b], volumes));
            }
        }
    }
    pairs.sort_by(|x, y| x.0.max(0.0).total_cmp(&y.0.max(0.0)).then(x.1.cmp(&y.1)));
    pairs.into_iter().take(MAX_PAIRS).map(|(.., volumes)| volumes).collect()
}

/// The outward directions of a body, or the normals of its surface, at a surface point, from its nodes there.
fn directions(tree: &mut BoundingTree<'_>, nodes: &[u32], node: u32, at: DVec3) -> Vec<DVec3> {
    let mut found: Vec<DVec3> = Vec::new();
    for number in std::iter::once(node).chain(nodes.iter().copied()) {
        let normal = tree.normal(number, at);
        found.extend(normal.filter(|n| found.iter().all(|other| other.distance(*n) > 1e-9)));
    }
    found
}
