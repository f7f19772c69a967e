//! The frame in which a screw is described: its axis, and the coordinates of the screen (Buss 2005, "Screen
//! coordinates").

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::math::direction::unit_along;
use crate::motion::Screw;

/// A screw in B's frame, with the reference directions of the screen's coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScrewFrame {
    /// Unit direction of the axis; without rotation, of the displacement.
    pub direction: DVec3,
    /// The point of the axis nearest to the centre of B's bounding box, in metres. It is the centre itself if the
    /// motion does not rotate, or rotates so little that the distance of the axis overflows.
    pub point: DVec3,
    /// Unit vector perpendicular to the direction at which the angle theta about the axis is 0. It points from the
    /// axis to the centre of B; if the axis passes through the centre, or there is no axis, it is any perpendicular.
    pub zero: DVec3,
    /// Slide along the direction over the whole motion, in metres.
    pub slide: f64,
    /// Angle about the direction over the whole motion, in radians, not negative.
    pub angle: f64,
    /// Velocity across the axis at B's centre.
    across: DVec3,
    centre: DVec3,
    turns: bool,
}

/// Returns the screw of A's frame in B's frame, and the reference of the screen's coordinates.
///
/// The computation avoids distant points of the axis: [`ScrewFrame::screen`] stays accurate near B wherever the axis
/// is, as far as coordinates measured from the axis allow.
#[must_use]
pub fn screw_frame(b: &PreparedMesh, screw: &Screw) -> ScrewFrame {
    let (direction, centre, angle) = (screw.direction(), b.mesh().centre(), screw.angle());
    let across = screw.velocity_across_at(centre - screw.start().position());
    let from_axis = across.cross(direction) / angle;
    let turns = angle > 0.0 && (centre - from_axis).is_finite();
    // Closer to the axis than the centre's own rounding error, the direction would be arbitrary.
    let near = from_axis.length() <= ON_AXIS * (centre.length() + b.mesh().diagonal());
    let towards = if turns && !near { unit_along(from_axis) } else { DVec3::ZERO };
    let zero = unit_along(towards - towards.dot(direction) * direction);
    let zero = if zero == DVec3::ZERO { perpendicular(direction) } else { zero };
    let point = if turns { centre - from_axis } else { centre };
    ScrewFrame { direction, point, zero, slide: screw.slide(), angle, across, centre, turns }
}

/// The axis passes through B's centre if it is nearer than this fraction of the lengths there.
const ON_AXIS: f64 = 1e-14;

/// A unit vector perpendicular to `direction`: the coordinate axis least aligned with it, made perpendicular.
fn perpendicular(direction: DVec3) -> DVec3 {
    let size = direction.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    unit_along(axis - axis.dot(direction) * direction)
}

impl ScrewFrame {
    /// Returns the screen coordinates of a point of B's frame, in metres: its distance r from the axis, and the
    /// distance h across the flow line on the unrolled cylinder of radius r. With the slide d, the angle b and theta
    /// in (-pi, pi]:
    ///
    /// ```text
    /// h = (b r z - d r theta) / sqrt(b^2 r^2 + d^2)
    /// ```
    ///
    /// On the axis, where theta is undefined, h is 0, or z if the slide is zero. Without rotation the coordinates are
    /// those along `zero` and along direction x zero, measured from `point`.
    #[must_use]
    pub fn screen(&self, point: DVec3) -> [f64; 2] {
        let side = self.direction.cross(self.zero);
        let offset = point - self.centre;
        if !self.turns {
            return [offset.dot(self.zero), offset.dot(side)];
        }
        let (d, b) = (self.slide, self.angle);
        let z = self.direction.dot(offset);
        let from_axis = (self.across + (b * self.direction).cross(offset)).cross(self.direction) / b;
        let r = from_axis.length();
        let theta = libm::atan2(from_axis.dot(side), from_axis.dot(self.zero));
        let speed = (b * r).hypot(d);
        let h = if r == 0.0 && d == 0.0 { z } else { (b * r * z - d * r * theta) / speed };
        [r, h]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Pose;
    use crate::shape::Primitive;

    fn cube() -> PreparedMesh {
        PreparedMesh::new(Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh)
    }

    #[test]
    fn coordinates_are_those_of_the_formula() {
        let body = cube();
        let axis = (DVec3::new(1.0, 2.0, -2.0) / 3.0, DVec3::new(0.3, -0.8, 0.1));
        for (slide, angle) in [(0.7, 2.0), (0.0, 1.0), (-0.4, 9.0), (0.3, -1.2)] {
            let screw = Screw::about(Pose::IDENTITY, axis.0, axis.1, slide, angle).unwrap();
            let frame = screw_frame(&body, &screw);
            let (s, z0) = (frame.direction, frame.zero);
            assert!(s.dot(z0).abs() < 1e-15 && (z0.length() - 1.0).abs() < 1e-15);
            assert!((frame.point - axis.1).cross(axis.0).length() < 1e-15);
            let (d, b) = (frame.slide, frame.angle);
            let point = DVec3::new(0.6, 0.2, 0.9);
            let o = point - frame.point;
            let z = o.dot(s);
            let o = o - z * s;
            let (r, theta) = (o.length(), s.cross(z0).dot(o).atan2(z0.dot(o)));
            let h = (b * r * z - d * r * theta) / (b * r).hypot(d);
            let [screen_r, screen_h] = frame.screen(point);
            assert!((screen_r - r).abs() < 1e-15 && (screen_h - h).abs() < 1e-14, "{screen_h} {h}");
        }
    }

    #[test]
    fn every_motion_has_a_frame() {
        let body = cube();
        let still = Screw::still(Pose::IDENTITY);
        let about =
            |point, slide, angle| Screw::about(Pose::IDENTITY, DVec3::Z, point, slide, angle).unwrap();
        for screw in [
            still,
            Screw::translation(Pose::IDENTITY, DVec3::new(0.0, -2.0, 1.0)),
            about(DVec3::ZERO, 0.0, 1.0),
            about(DVec3::splat(1e69), 1.0, 1e-300),
            about(1e6 * DVec3::X, 1e-300, 1e-8),
            about(DVec3::X, 0.0, 5e-324),
        ] {
            let frame = screw_frame(&body, &screw);
            assert!(frame.point.is_finite() && (frame.zero.length() - 1.0).abs() < 1e-14, "{frame:?}");
            assert!(frame.zero.dot(frame.direction).abs() < 1e-14);
            for point in [DVec3::ZERO, DVec3::ONE, 1e60 * DVec3::ONE] {
                assert!(frame.screen(point).iter().all(|x| x.is_finite()), "{frame:?}");
            }
        }
    }
}
