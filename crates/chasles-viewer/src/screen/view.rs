//! Maps points of space to positions on the screen, and screen positions back to flow lines.

use std::f64::consts::TAU;

use chasles::ScrewFrame;
use glam::{DVec2, DVec3};

/// The mapping between space and screen.
///
/// A flow line that winds around the axis several times has one position per revolution. The position nearest to
/// height 0 is used, for points of both bodies, so that all points of a flow line have the same position.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    frame: ScrewFrame,
}

impl View {
    pub(super) fn new(frame: ScrewFrame) -> Self {
        Self { frame }
    }

    /// The difference in height between two revolutions of a flow line at a distance from the axis. It is 0 if the
    /// position does not repeat.
    pub(super) fn period(&self, radius: f64) -> f64 {
        let speed = super::speed_at(&self.frame, radius);
        let period = (TAU * radius * self.frame.slide / speed).abs();
        if self.frame.angle > 0.0 && period.is_finite() { period } else { 0.0 }
    }

    /// The position of a point of B's frame: distance from the axis and height, in metres. `None` if the position
    /// is not finite.
    pub(super) fn place(&self, point: DVec3) -> Option<DVec2> {
        let [radius, height] = self.frame.screen(point);
        let period = self.period(radius);
        let revolutions = if period > 0.0 { (height / period).round() } else { 0.0 };
        let place = DVec2::new(radius, height - revolutions * period);
        place.is_finite().then_some(place)
    }

    /// Whether two positions that are close on a body are close on the screen, with no end of a revolution between
    /// them.
    pub(super) fn are_together(&self, p: DVec2, q: DVec2) -> bool {
        let period = self.period(0.5 * (p.x + q.x));
        period == 0.0 || (p.y - q.y).abs() < 0.5 * period
    }

    /// A point of B's frame on the flow line at a screen position. `None` outside of the displayed revolution.
    pub(super) fn track(&self, place: DVec2) -> Option<DVec3> {
        let ScrewFrame { direction, point, zero, angle, .. } = self.frame;
        let flat = point + place.x * zero + place.y * direction.cross(zero);
        if angle == 0.0 {
            return Some(flat);
        }
        let period = self.period(place.x);
        if place.x <= 0.0 || (period > 0.0 && place.y.abs() > 0.5 * period) {
            return None;
        }
        let along = place.y * super::speed_at(&self.frame, place.x) / (angle * place.x);
        let rotated = point + place.x * zero + along * direction;
        // If the rotation is so small that the axis is out of reach of the numbers, it counts as a translation.
        let error = |point: DVec3| DVec2::from_array(self.frame.screen(point)).distance(place);
        let found = if error(rotated) <= error(flat) { rotated } else { flat };
        found.is_finite().then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use chasles::{Pose, PreparedMesh, Primitive, Screw, screw_frame};

    use super::*;

    fn view(slide: f64, angle: f64) -> View {
        let cube = PreparedMesh::new(Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh);
        let axis = DVec3::new(1.0, 2.0, 2.0);
        let screw = Screw::about(Pose::IDENTITY, axis, DVec3::new(0.3, -0.8, 0.1), slide, angle).unwrap();
        View::new(screw_frame(&cube, &screw))
    }

    #[test]
    fn tracks_project_back_to_their_place() {
        for (slide, angle) in [(0.5, 2.0), (0.0, 1.0), (1.0, 0.0), (-0.3, 40.0), (1.0, 1e-9)] {
            let view = view(slide, angle);
            for point in [DVec3::X, DVec3::new(0.2, 1.0, -0.4), DVec3::new(-0.9, 0.3, 0.3)] {
                let place = view.place(point).unwrap();
                let again = view.place(view.track(place).unwrap()).unwrap();
                assert!(again.distance(place) < 1e-6, "{slide} {angle}: {again} for {place}");
            }
        }
    }

    #[test]
    fn points_on_the_screw_keep_their_place() {
        let axis = DVec3::new(1.0, 2.0, 2.0);
        for (slide, angle) in [(0.5, 2.0), (0.0, 1.0), (1.0, 0.0), (-0.3, 40.0)] {
            let screw = Screw::about(Pose::IDENTITY, axis, DVec3::new(0.3, -0.8, 0.1), slide, angle).unwrap();
            let view = view(slide, angle);
            let place = view.place(DVec3::X).unwrap();
            for t in [0.2, 0.5, 1.0] {
                let later = view.place(screw.point_at(DVec3::X, t)).unwrap();
                let difference = (later.y - place.y).abs();
                let difference = difference.min((difference - view.period(place.x)).abs());
                assert!((later.x - place.x).abs() < 1e-12 && difference < 1e-12, "{slide} {angle} at {t}");
            }
        }
    }
}
