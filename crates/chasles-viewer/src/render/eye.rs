//! The camera. The projection is parallel, so that lengths across the viewing direction can be compared, as in a
//! drawing.

use glam::{DMat3, DVec3};

/// Maps points of the world to positions on a picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Eye {
    /// Rotation matrix with rows: to the right, up, and towards the eye.
    turn: DMat3,
    /// The centre of the picture, in the coordinates of the eye.
    middle: DVec3,
    /// Pixels per metre.
    scale: f64,
    /// Half the size of the picture, in pixels.
    half: [f64; 2],
}

/// The fraction of the picture that the bodies fill.
const FILLED: f64 = 0.88;

/// The bounding box of points, seen from a direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    turn: DMat3,
    /// The corners of the box, in coordinates of the eye: to the right, up, and towards the eye.
    least: DVec3,
    greatest: DVec3,
}

impl Seen {
    /// An empty box seen from a direction, with z up (with y up if seen from above or below).
    pub(super) fn new(from: DVec3) -> Self {
        let towards = from.normalize_or(DVec3::Z);
        let up = if towards.truncate().length() > 1e-9 { DVec3::Z } else { DVec3::Y };
        let right = up.cross(towards).normalize_or(DVec3::X);
        let turn = DMat3::from_cols(right, towards.cross(right), towards).transpose();
        Self { turn, least: DVec3::INFINITY, greatest: DVec3::NEG_INFINITY }
    }

    /// Extends the box to contain these points.
    pub(super) fn take(&mut self, points: impl Iterator<Item = DVec3>) {
        for point in points {
            let seen = self.turn * point;
            (self.least, self.greatest) = (self.least.min(seen), self.greatest.max(seen));
        }
    }
}

impl Eye {
    /// Chooses scale and centre such that the whole box is in the picture.
    pub(super) fn new(size: [u32; 2], seen: &Seen) -> Self {
        let Seen { turn, least: mut lo, greatest: mut hi } = *seen;
        if lo.x > hi.x {
            (lo, hi) = (DVec3::ZERO, DVec3::ZERO);
        }
        let [width, height] = size.map(f64::from);
        // A single point gets a scale as if it were one metre wide.
        let extent = |range: f64, side: f64| if range > 0.0 { FILLED * side / range } else { f64::INFINITY };
        let scale = extent(hi.x - lo.x, width).min(extent(hi.y - lo.y, height));
        let scale = if scale.is_finite() { scale } else { FILLED * width.min(height) };
        Self { turn, middle: 0.5 * (lo + hi), scale, half: [0.5 * width, 0.5 * height] }
    }

    /// The position of a point, in pixels. The third coordinate is the depth, also in pixels.
    pub(super) fn place(&self, point: DVec3) -> DVec3 {
        let seen = (self.turn * point - self.middle) * self.scale;
        DVec3::new(self.half[0] + seen.x, self.half[1] - seen.y, -seen.z)
    }

    /// Rotates a direction into the coordinates of the eye: to the right, up, and towards the eye.
    pub(super) fn turned(&self, direction: DVec3) -> DVec3 {
        self.turn * direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eye(size: [u32; 2], from: DVec3, points: &[DVec3]) -> Eye {
        let mut seen = Seen::new(from);
        seen.take(points.iter().copied());
        Eye::new(size, &seen)
    }

    #[test]
    fn everything_comes_into_the_picture() {
        let points = [DVec3::new(1e6, 0.0, 0.0), DVec3::new(1e6 + 2.0, 1.0, -3.0), DVec3::new(1e6, 0.5, 0.5)];
        for from in [DVec3::X, -DVec3::Y, DVec3::Z, -DVec3::Z, DVec3::new(1.0, -2.0, 0.5), DVec3::ZERO] {
            let eye = eye([200, 100], from, &points);
            for point in points {
                let place = eye.place(point);
                assert!(
                    (0.0..=200.0).contains(&place.x) && (0.0..=100.0).contains(&place.y),
                    "{from}: {place}"
                );
            }
        }
        // Viewed along y: x is to the right, z is up, and smaller y is nearer.
        let front = eye([100, 100], -DVec3::Y, &[DVec3::ZERO, DVec3::ONE]);
        let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|point| front.place(point));
        assert!(x.x > o.x + 80.0 && z.y < o.y - 80.0 && y.z > o.z + 80.0, "{o} {x} {y} {z}");
        assert!((x.x - o.x - 88.0).abs() < 1e-9);
        assert!(eye([10, 10], DVec3::X, &[]).place(DVec3::ZERO).is_finite());
    }
}
