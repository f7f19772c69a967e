//! How close bodies on joints are to a dead point.

use chasles::ImpulseProblem;
use nalgebra::{DMatrix, Matrix3, Vector3};

use super::equations::joint_directions;

/// Eigenvalues below this count as zero: the joint is redundant.
const NONE: f64 = 1e-11;

/// The ratio of the minimum nonzero speed per unit of joint impulse to the maximum. Velocities are scaled by the
/// roots of masses and inertias, and directions so that each alone gives speed 1. The ratio is 1 for bodies without
/// joints.
pub(crate) fn least_hold(problem: &ImpulseProblem) -> f64 {
    let dynamic: Vec<usize> =
        (0..problem.bodies.len()).filter(|body| problem.bodies[*body].mass.is_some()).collect();
    let rows = joint_directions(problem);
    if rows.is_empty() || dynamic.is_empty() {
        return 1.0;
    }
    let mut all = DMatrix::<f64>::zeros(rows.len(), 6 * dynamic.len());
    for (number, row) in rows.iter().enumerate() {
        for (place, body) in dynamic.iter().enumerate() {
            let mass = problem.bodies[*body].mass.unwrap();
            let [p, q] = row(*body);
            let inertia = Matrix3::from_fn(|i, k| mass.inertia.col(k)[i]);
            let factor = inertia.cholesky().unwrap().l();
            let q: Vector3<f64> = factor.solve_lower_triangular(&Vector3::new(q.x, q.y, q.z)).unwrap();
            for k in 0..3 {
                all[(number, 6 * place + k)] = p[k] / mass.mass.sqrt();
                all[(number, 6 * place + 3 + k)] = q[k];
            }
        }
        let length = all.row(number).norm();
        if length > 0.0 {
            all.row_mut(number).unscale_mut(length);
        }
    }
    let own = all.singular_values();
    own.iter().copied().filter(|own| *own > NONE).fold(f64::INFINITY, f64::min) / own.max()
}
