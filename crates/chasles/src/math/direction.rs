//! The direction of a vector of any length.

use glam::DVec3;

/// The unit vector along `v`; zero if `v` is zero or a component is not finite.
///
/// `v` is first scaled by its largest component: squares of components below 1e-154 underflow, and the result would
/// not be a unit vector.
#[must_use]
pub(crate) fn unit_along(v: DVec3) -> DVec3 {
    let largest = v.abs().max_element();
    // A vector so short that its reciprocal overflows has too few digits for a direction.
    if largest >= f64::MIN_POSITIVE && v.is_finite() { (v / largest).normalize() } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_unit_vectors_for_every_length() {
        for scale in [1e-307, 1e-160, 1e-30, 1.0, 1e160, 1e307] {
            let unit = unit_along(scale * DVec3::new(3.0, 0.0, -4.0));
            assert!(unit.distance(DVec3::new(0.6, 0.0, -0.8)) < 1e-15, "{scale}: {unit}");
        }
        assert_eq!(unit_along(DVec3::ZERO), DVec3::ZERO);
        assert_eq!(unit_along(DVec3::splat(5e-324)), DVec3::ZERO);
        assert_eq!(unit_along(DVec3::new(1.0, f64::NAN, 0.0)), DVec3::ZERO);
        assert_eq!(unit_along(DVec3::new(f64::NAN, 0.0, 0.0)), DVec3::ZERO);
        assert_eq!(unit_along(DVec3::splat(f64::INFINITY)), DVec3::ZERO);
    }
}
