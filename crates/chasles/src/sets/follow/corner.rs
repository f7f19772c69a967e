//! The direction inward from a corner at which several sides of each body meet.
//!
//! The gradients of two bodies at a point show one side of each. At a corner, the direction against both may lead
//! out through a third side. Such a side is detected when a step ends outside it; the next direction leads inward
//! from all sides found so far.

use glam::DVec3;

use crate::math::budget::Budget;
use crate::math::direction::unit_along;
use crate::sets::first::{DistanceTolerance, TreePair, WitnessPoints};
use crate::sets::follow::near_interval::{DeeperEstimates, NearbySearch, points_near, proven};
use crate::sets::tree::BoundingTree;
use crate::sets::volume::RoundedTransform;

/// The maximum number of tries to get deeper.
const TRIES: usize = 24;

/// The maximum number of iterations for the shortest vector.
const STEPS: usize = 16;

/// Directions that differ by less than this are equal.
const SAME_DIRECTION: f64 = 1e-6;

/// An estimate of the shortest vector in the convex hull of unit vectors (Frank and Wolfe's iteration). It leads
/// outward from all sides, if any direction does.
fn shortest(normals: &[DVec3]) -> DVec3 {
    let mut best = normals.iter().sum::<DVec3>() / normals.len().max(1) as f64;
    for _ in 0..STEPS {
        let Some(vertex) = normals.iter().min_by(|x, y| x.dot(best).total_cmp(&y.dot(best))) else { break };
        let edge = *vertex - best;
        let fraction = -best.dot(edge) / edge.length_squared();
        // A NaN ends the iteration: the vector has reached the tip.
        if fraction.is_nan() || fraction <= 0.0 {
            break;
        }
        best += fraction.min(1.0) * edge;
    }
    best
}

/// A witness moved to where both bodies are deeper, away from all sides encountered. The steps are estimates;
/// points prove their end.
pub(crate) fn deeper_witness_from_corner(
    trees: &mut TreePair<'_>,
    start: WitnessPoints,
    transform: &RoundedTransform,
    near: DistanceTolerance,
    budget: &mut Budget<'_>,
) -> WitnessPoints {
    let reach = near.distance + near.epsilon + start.gap().abs();
    let mut best = start;
    let mut estimates = DeeperEstimates { witnesses: Vec::new(), reach };
    let mut step = near.epsilon;
    let mut normals = sides_at(trees, &best, best.points[1], transform);
    for _ in 0..TRIES {
        let out = shortest(&normals);
        if out.length() < SAME_DIRECTION {
            break;
        }
        let goal = best.points[1] - step * unit_along(out);
        let around = 4.0 * step + reach;
        let search = NearbySearch { nodes: best.nodes, points: [goal; 2], reach: around };
        let next = points_near(trees, search, transform, BoundingTree::guess, budget);
        if let Some(next) = next.filter(|next| next.gap() < best.gap()) {
            (best, step) = (next, 2.0 * step);
            estimates.add(next, around);
            normals = sides_at(trees, &best, best.points[1], transform);
            continue;
        }
        let encountered = sides_at(trees, &best, goal, transform);
        let known = normals.len();
        for normal in encountered {
            if normals.iter().all(|other| other.distance(normal) > SAME_DIRECTION) {
                normals.push(normal);
            }
        }
        if normals.len() == known {
            step *= 0.4;
        }
    }
    proven(trees, &estimates, start, transform, budget)
}

/// The outward directions of both bodies near a point.
fn sides_at(
    trees: &mut TreePair<'_>,
    witness: &WitnessPoints,
    at: DVec3,
    transform: &RoundedTransform,
) -> Vec<DVec3> {
    let out_a = trees
        .first
        .outward(witness.nodes[0], transform.inverse_transform_point(at))
        .map(|n| transform.rotation * n);
    let out_b = trees.second.outward(witness.nodes[1], at);
    out_a.into_iter().chain(out_b).filter(|out| *out != DVec3::ZERO).collect()
}

#[cfg(test)]
mod tests {
    use chasles_testing::{Random, cases};

    use super::*;

    /// The direction leads inward from each of several sides that meet at a corner.
    #[test]
    fn the_direction_leads_inward_from_all_sides() {
        let mut narrow = 0;
        for seed in 0..cases(2_000, 10_000) {
            let random = &mut Random(seed);
            let inward = random.direction();
            let sides = 2 + random.below(4);
            let min_cosine = random.within(0.05, 0.5);
            let mut normals = Vec::new();
            while normals.len() < sides {
                let normal = random.direction();
                if normal.dot(inward) < -min_cosine {
                    normals.push(normal);
                }
            }
            let out = shortest(&normals);
            let worst = normals.iter().map(|normal| normal.dot(unit_along(out))).fold(1.0, f64::min);
            narrow += usize::from(worst <= 0.0);
        }
        // The iteration is stopped early if there are few inward directions.
        assert!(narrow < 100, "{narrow}");
        assert_eq!(shortest(&[DVec3::X, -DVec3::X]), DVec3::ZERO);
    }
}
