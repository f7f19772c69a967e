//! The camera. The projection is parallel, so that lengths across the viewing direction can be compared, as in a
//! drawing.

use glam::{DMat3, DVec3};

/// Maps points of the world to positions on a picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Camera {
    /// Rotation matrix with rows: to the right, up, and towards the eye.
    rotation: DMat3,
    /// The centre of the picture, in the coordinates of the eye.
    middle: DVec3,
    /// Pixels per metre.
    scale: f64,
    /// Half the size of the picture, in pixels.
    half: [f64; 2],
}

/// The fraction of the picture that the bodies fill.
const FILLED_FRACTION: f64 = 0.88;

/// The bounding box of points, seen from a direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViewBox {
    rotation: DMat3,
    /// The corners of the box, in coordinates of the eye: to the right, up, and towards the eye.
    minimum: DVec3,
    maximum: DVec3,
}

impl ViewBox {
    /// An empty box seen from a direction, with z up (with y up if seen from above or below).
    pub(super) fn new(from: DVec3) -> Self {
        let towards = from.normalize_or(DVec3::Z);
        let up = if towards.truncate().length() > 1e-9 { DVec3::Z } else { DVec3::Y };
        let right = up.cross(towards).normalize_or(DVec3::X);
        let rotation = DMat3::from_cols(right, towards.cross(right), towards).transpose();
        Self { rotation, minimum: DVec3::INFINITY, maximum: DVec3::NEG_INFINITY }
    }

    /// Extends the box to contain these points.
    pub(super) fn extend(&mut self, points: impl Iterator<Item = DVec3>) {
        for point in points {
            let projected = self.rotation * point;
            (self.minimum, self.maximum) = (self.minimum.min(projected), self.maximum.max(projected));
        }
    }
}

impl Camera {
    /// Chooses scale and centre such that the whole box is in the picture.
    pub(super) fn new(size: [u32; 2], projected: &ViewBox) -> Self {
        let ViewBox { rotation, minimum: mut lo, maximum: mut hi } = *projected;
        if lo.x > hi.x {
            (lo, hi) = (DVec3::ZERO, DVec3::ZERO);
        }
        let [width, height] = size.map(f64::from);
        // A single point gets a scale as if it were one metre wide.
        let extent =
            |range: f64, side: f64| if range > 0.0 { FILLED_FRACTION * side / range } else { f64::INFINITY };
        let scale = extent(hi.x - lo.x, width).min(extent(hi.y - lo.y, height));
        let scale = if scale.is_finite() { scale } else { FILLED_FRACTION * width.min(height) };
        Self { rotation, middle: 0.5 * (lo + hi), scale, half: [0.5 * width, 0.5 * height] }
    }

    /// The position of a point, in pixels. The third coordinate is the depth, also in pixels.
    pub(super) fn project(&self, point: DVec3) -> DVec3 {
        let projected = (self.rotation * point - self.middle) * self.scale;
        DVec3::new(self.half[0] + projected.x, self.half[1] - projected.y, -projected.z)
    }

    /// Rotates a direction into the coordinates of the eye: to the right, up, and towards the eye.
    pub(super) fn rotated(&self, direction: DVec3) -> DVec3 {
        self.rotation * direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera(size: [u32; 2], from: DVec3, points: &[DVec3]) -> Camera {
        let mut projected = ViewBox::new(from);
        projected.extend(points.iter().copied());
        Camera::new(size, &projected)
    }

    #[test]
    fn everything_is_inside_the_picture() {
        let points = [DVec3::new(1e6, 0.0, 0.0), DVec3::new(1e6 + 2.0, 1.0, -3.0), DVec3::new(1e6, 0.5, 0.5)];
        for from in [DVec3::X, -DVec3::Y, DVec3::Z, -DVec3::Z, DVec3::new(1.0, -2.0, 0.5), DVec3::ZERO] {
            let camera = camera([200, 100], from, &points);
            for point in points {
                let project = camera.project(point);
                assert!(
                    (0.0..=200.0).contains(&project.x) && (0.0..=100.0).contains(&project.y),
                    "{from}: {project}"
                );
            }
        }
        // Viewed along y: x is to the right, z is up, and smaller y is nearer.
        let front = camera([100, 100], -DVec3::Y, &[DVec3::ZERO, DVec3::ONE]);
        let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|point| front.project(point));
        assert!(x.x > o.x + 80.0 && z.y < o.y - 80.0 && y.z > o.z + 80.0, "{o} {x} {y} {z}");
        assert!((x.x - o.x - 88.0).abs() < 1e-9);
        assert!(camera([10, 10], DVec3::X, &[]).project(DVec3::ZERO).is_finite());
    }
}
