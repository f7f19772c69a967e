//! The best fit of the rest shape to a deformed one, and the springs that pull the vertices there.
//!
//! The best rotation is found as in Horn (1987), "Closed-form solution of absolute orientation using unit
//! quaternions": an eigenvector of a symmetric 4 x 4 matrix, so it never mirrors. The energy of the springs is the
//! minimum over all poses of the rest shape. So its gradient needs no derivative of the pose, and momentum and
//! angular momentum are conserved.

use glam::{DMat3, DQuat, DVec3};
use nalgebra::{Matrix4, SymmetricEigen};

/// Maximum number of sweeps for the eigenvectors; a dozen suffice.
const MAX_SWEEPS: usize = 200;

/// The springs that model the inside of a body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VolumeSprings {
    /// By vertex: its position in the rest shape, from the centre of mass.
    rest: Vec<DVec3>,
    /// Stiffness per kilogram, in newtons per metre.
    pub(super) stiffness: f64,
}

/// The best pose of the rest shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ShapeMatch {
    centre: DVec3,
    rotation: DMat3,
}

impl VolumeSprings {
    /// Springs that pull vertices with these masses to their current positions, with a stiffness per kilogram.
    pub(super) fn new(positions: &[DVec3], masses: &[f64], stiffness: f64) -> Self {
        let centre = centre(positions, masses);
        Self { rest: positions.iter().map(|position| *position - centre).collect(), stiffness }
    }

    pub(super) fn fit(&self, positions: &[DVec3], masses: &[f64]) -> ShapeMatch {
        let centre = centre(positions, masses);
        // Sums of products of coordinates, the rest shape first.
        let mut s = DMat3::ZERO;
        for ((rest, position), mass) in self.rest.iter().zip(positions).zip(masses) {
            let own = *mass * (*position - centre);
            s += DMat3::from_cols(*rest * own.x, *rest * own.y, *rest * own.z);
        }
        ShapeMatch { centre, rotation: DMat3::from_quat(rotation_of(&s)) }
    }

    /// The target position of a vertex.
    fn target(&self, fit: &ShapeMatch, vertex: usize) -> DVec3 {
        fit.centre + fit.rotation * self.rest[vertex]
    }

    /// Adds the accelerations by these springs.
    pub(super) fn add(&self, fit: &ShapeMatch, positions: &[DVec3], accelerations: &mut [DVec3]) {
        for (vertex, (position, own)) in positions.iter().zip(accelerations).enumerate() {
            *own += self.stiffness * (self.target(fit, vertex) - *position);
        }
    }

    /// In joules.
    pub(super) fn energy(&self, fit: &ShapeMatch, positions: &[DVec3], masses: &[f64]) -> f64 {
        let own = |(vertex, (position, mass)): (usize, (&DVec3, &f64))| {
            mass * self.target(fit, vertex).distance_squared(*position)
        };
        0.5 * self.stiffness * positions.iter().zip(masses).enumerate().map(own).sum::<f64>()
    }
}

/// The centre of mass.
pub(super) fn centre(positions: &[DVec3], masses: &[f64]) -> DVec3 {
    let mass: f64 = masses.iter().sum();
    positions.iter().zip(masses).map(|(position, own)| *position * (*own / mass)).sum()
}

/// The rotation that brings the first factor of these sums of products nearest to the second.
fn rotation_of(s: &DMat3) -> DQuat {
    let [a, b, c] = [s.x_axis, s.y_axis, s.z_axis];
    let matrix = Matrix4::new(
        a.x + b.y + c.z,
        c.y - b.z,
        a.z - c.x,
        b.x - a.y,
        c.y - b.z,
        a.x - b.y - c.z,
        b.x + a.y,
        a.z + c.x,
        a.z - c.x,
        b.x + a.y,
        b.y - a.x - c.z,
        c.y + b.z,
        b.x - a.y,
        a.z + c.x,
        c.y + b.z,
        c.z - a.x - b.y,
    );
    let size = matrix.abs().max();
    if !(size.is_normal() && size.is_finite()) {
        return DQuat::IDENTITY;
    }
    let Some(found) = SymmetricEigen::try_new(matrix / size, f64::EPSILON, MAX_SWEEPS) else {
        return DQuat::IDENTITY;
    };
    let largest = (0..4)
        .fold(0, |largest, i| if found.eigenvalues[i] > found.eigenvalues[largest] { i } else { largest });
    let q = found.eigenvectors.column(largest);
    DQuat::from_xyzw(q[1], q[2], q[3], q[0]).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_finds_a_rotation_and_never_mirrors() {
        let rest = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::Y, 3.0 * DVec3::Z, DVec3::ONE];
        let masses = [1.0, 2.0, 0.5, 1.0, 3.0];
        let inside = VolumeSprings::new(&rest, &masses, 1.0);
        for i in 0..50 {
            let axis = DVec3::new((f64::from(i) * 1.7).sin(), (f64::from(i) * 0.9).cos(), 0.3).normalize();
            let rotation = DQuat::from_axis_angle(axis, 0.13 * f64::from(i));
            let moved = rest.map(|p| rotation * p + DVec3::new(5.0, -2.0, 1.0));
            let fit = inside.fit(&moved, &masses);
            assert!(inside.energy(&fit, &moved, &masses) < 1e-25, "{i}");
            let mirrored = moved.map(|p| DVec3::new(p.x, p.y, -p.z));
            let fit = inside.fit(&mirrored, &masses);
            assert!(fit.rotation.determinant() > 0.99 && inside.energy(&fit, &mirrored, &masses) > 0.1);
        }
    }

    #[test]
    fn volume_springs_conserve_momenta_and_their_forces_are_the_slope_of_their_energy() {
        let rest = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::Y, 3.0 * DVec3::Z, DVec3::ONE];
        let masses = [1.0, 2.0, 0.5, 1.0, 3.0];
        let inside = VolumeSprings::new(&rest, &masses, 7.0);
        let positions =
            [DVec3::X, DVec3::new(1.5, 0.3, 0.0), DVec3::Y, DVec3::new(0.2, 0.1, 2.5), DVec3::ONE];
        let energy = |positions: &[DVec3]| inside.energy(&inside.fit(positions, &masses), positions, &masses);
        let mut found = vec![DVec3::ZERO; 5];
        inside.add(&inside.fit(&positions, &masses), &positions, &mut found);
        let forces: Vec<DVec3> = found.iter().zip(masses).map(|(a, m)| *a * m).collect();
        let turned: DVec3 = forces.iter().zip(positions).map(|(f, p)| p.cross(*f)).sum();
        assert!(forces.iter().sum::<DVec3>().length() < 1e-12 && turned.length() < 1e-10, "{turned}");
        for (i, force) in forces.iter().enumerate() {
            for axis in 0..3 {
                let [mut up, mut down] = [positions; 2];
                (up[i][axis], down[i][axis]) = (up[i][axis] + 1e-5, down[i][axis] - 1e-5);
                let slope = (energy(&up) - energy(&down)) / 2e-5;
                assert!((slope + force[axis]).abs() < 1e-6 * (1.0 + slope.abs()), "{i} {axis}: {slope}");
            }
        }
    }
}
