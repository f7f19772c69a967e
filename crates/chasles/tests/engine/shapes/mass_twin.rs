//! The mass of a closed mesh in integers.

use chasles::Mesh;
use glam::{DMat3, DVec3};
use num_bigint::BigInt;

use crate::exact::rational::{Ratio, Unit, cross, dot, is_negative, plus};

/// Volume, centre and inertia.
pub(crate) type Truth = (f64, DVec3, DMat3);

/// The inertia of a second moment.
pub(crate) fn inertia(second: DMat3) -> DMat3 {
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    DMat3::from_diagonal(DVec3::splat(trace)) - second
}

/// The mass properties of the volume that a mesh encloses, in integers: tetrahedra from the origin of its frame,
/// however distant.
pub(crate) fn twin(mesh: &Mesh) -> Truth {
    let numbers = (0..).take(mesh.vertex_count()).flat_map(|v| mesh.vertex(v).to_array());
    let unit = Unit::of(numbers);
    let zero = || BigInt::from(0);
    let (mut volume, mut first) = (zero(), [zero(), zero(), zero()]);
    let mut second: [[BigInt; 3]; 3] = std::array::from_fn(|_| std::array::from_fn(|_| zero()));
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| unit.vector(mesh.vertex(v)));
        let d = dot(&a, &cross(&b, &c));
        let s = plus(&a, &plus(&b, &c));
        for i in 0..3 {
            first[i] += &d * &s[i];
            for j in 0..3 {
                second[i][j] += &d * (&s[i] * &s[j] + &a[i] * &a[j] + &b[i] * &b[j] + &c[i] * &c[j]);
            }
        }
        volume += d;
    }
    // Volume d / 6, first moment f / 24, second moment m / 120; about the centre f / (4 d).
    let length = 2.0_f64.powi(unit.0);
    let ratio = |n: BigInt, d: BigInt| Ratio::new(n, d).double();
    let center = DVec3::from_array([0, 1, 2].map(|i| length * ratio(first[i].clone(), 4 * &volume)));
    let central = |i: usize, j: usize| {
        let over = 4 * &second[i][j] * &volume - 5 * &first[i] * &first[j];
        ratio(over, 480 * &volume) * length * length * length * length * length
    };
    let columns = [0, 1, 2].map(|j| DVec3::from_array([0, 1, 2].map(|i| central(i, j))));
    let sign = if is_negative(&volume) { -1.0 } else { 1.0 };
    let second = DMat3::from_cols(columns[0], columns[1], columns[2]);
    (ratio(volume, 6.into()).abs() * length * length * length, center, inertia(sign * second))
}
