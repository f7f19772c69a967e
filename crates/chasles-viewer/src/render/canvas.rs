//! A canvas with a depth buffer: triangles, lines and discs, where each sample shows the surface nearest to the eye.
//!
//! Among surfaces of equal depth the last one drawn is visible, so overlays can be drawn in layers at a depth of
//! -infinity. Every pixel is the mean of two by two samples. Positions are in pixels, x to the right and y down;
//! depth increases away from the eye.

use glam::DVec3;

/// Red, green and blue, 0 to 255.
pub(crate) type Colour = [u8; 3];

/// Samples of a pixel along each axis.
const SUBPIXELS: usize = 2;

/// A canvas for drawing.
#[derive(Debug, Clone)]
pub(crate) struct Canvas {
    size: [usize; 2],
    colours: Vec<Colour>,
    depths: Vec<f32>,
}

impl Canvas {
    /// Creates a canvas of this size in pixels, with a vertical gradient from the top colour to the bottom colour.
    pub(crate) fn new(size: [u32; 2], [top, bottom]: [Colour; 2]) -> Self {
        let size = size.map(|side| side as usize * SUBPIXELS);
        let row = |y: usize| mixed(top, bottom, (y as f64 + 0.5) / size[1] as f64);
        let colours = (0..size[1]).flat_map(|y| std::iter::repeat_n(row(y), size[0])).collect();
        Self { size, colours, depths: vec![f32::INFINITY; size[0] * size[1]] }
    }

    /// Draws a triangle, given the positions and depths of its corners.
    pub(crate) fn triangle(&mut self, corners: [DVec3; 3], colour: Colour) {
        let [p, q, r] = corners.map(fine);
        let across = |a: DVec3, b: DVec3, x: f64, y: f64| (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
        let area = across(p, q, r.x, r.y);
        if area == 0.0 || !area.is_finite() {
            return;
        }
        let columns = pixel_range(p.x.min(q.x).min(r.x), p.x.max(q.x).max(r.x), self.size[0]);
        for y in pixel_range(p.y.min(q.y).min(r.y), p.y.max(q.y).max(r.y), self.size[1]) {
            for x in columns.clone() {
                let (mx, my) = (x as f64 + 0.5, y as f64 + 0.5);
                let barycentric =
                    [across(q, r, mx, my), across(r, p, mx, my), across(p, q, mx, my)].map(|s| s / area);
                if barycentric.iter().all(|fraction| *fraction >= 0.0) {
                    let depth = barycentric[0] * p.z + barycentric[1] * q.z + barycentric[2] * r.z;
                    self.set(x, y, depth, colour);
                }
            }
        }
    }

    /// Draws a line with a width in pixels, given the positions and depths of its ends.
    pub(crate) fn line(&mut self, [p, q]: [DVec3; 2], width: f64, colour: Colour) {
        let length = (q - p).truncate().length();
        if !length.is_finite() {
            return;
        }
        // Avoids infinity minus infinity, for a line in front of everything.
        let deeper = if p.z == q.z { 0.0 } else { q.z - p.z };
        let (p, direction, radius_in_subpixels) =
            (fine(p), fine((q - p).with_z(deeper)), 0.5 * width * SUBPIXELS as f64);
        let (lo, hi) =
            (p.truncate().min((p + direction).truncate()), p.truncate().max((p + direction).truncate()));
        let squared = (direction.x * direction.x + direction.y * direction.y).max(f64::MIN_POSITIVE);
        for y in pixel_range(lo.y - radius_in_subpixels, hi.y + radius_in_subpixels, self.size[1]) {
            for x in pixel_range(lo.x - radius_in_subpixels, hi.x + radius_in_subpixels, self.size[0]) {
                let (dx, dy) = (x as f64 + 0.5 - p.x, y as f64 + 0.5 - p.y);
                let fraction = ((dx * direction.x + dy * direction.y) / squared).clamp(0.0, 1.0);
                let (ox, oy) = (dx - fraction * direction.x, dy - fraction * direction.y);
                if ox * ox + oy * oy <= radius_in_subpixels * radius_in_subpixels {
                    self.set(x, y, p.z + fraction * direction.z, colour);
                }
            }
        }
    }

    /// Draws a disc, given its centre and its radius in pixels.
    pub(crate) fn disc(&mut self, centre: DVec3, radius: f64, colour: Colour) {
        self.line([centre; 2], 2.0 * radius, colour);
    }

    fn set(&mut self, x: usize, y: usize, depth: f64, colour: Colour) {
        let at = y * self.size[0] + x;
        #[expect(clippy::cast_possible_truncation, reason = "depths are compared to no more digits")]
        let depth = depth as f32;
        if depth <= self.depths[at] {
            (self.depths[at], self.colours[at]) = (depth, colour);
        }
    }

    /// The pixels, row by row from the top.
    pub(crate) fn pixels(&self) -> Vec<u8> {
        let (columns, rows) = (self.size[0] / SUBPIXELS, self.size[1] / SUBPIXELS);
        let mut pixels = Vec::with_capacity(3 * columns * rows);
        for y in 0..rows {
            for x in 0..columns {
                for channel in 0..3 {
                    let samples = (0..SUBPIXELS * SUBPIXELS).map(|i| {
                        let at =
                            (y * SUBPIXELS + i / SUBPIXELS) * self.size[0] + x * SUBPIXELS + i % SUBPIXELS;
                        usize::from(self.colours[at][channel])
                    });
                    let mean = (samples.sum::<usize>() + SUBPIXELS * SUBPIXELS / 2) / (SUBPIXELS * SUBPIXELS);
                    pixels.push(u8::try_from(mean).unwrap_or(u8::MAX));
                }
            }
        }
        pixels
    }
}

/// Converts a position from pixels to samples.
fn fine(place: DVec3) -> DVec3 {
    DVec3::new(place.x * SUBPIXELS as f64, place.y * SUBPIXELS as f64, place.z)
}

/// The samples whose centres may lie between two positions.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the canvas; no number is 0"
)]
fn pixel_range(lo: f64, hi: f64, count: usize) -> std::ops::Range<usize> {
    let end = count as f64;
    (lo - 0.5).floor().clamp(0.0, end) as usize..(hi + 0.5).ceil().clamp(0.0, end) as usize
}

/// Interpolates between two colours.
pub(crate) fn mixed(from: Colour, to: Colour, fraction: f64) -> Colour {
    std::array::from_fn(|i| {
        let value = f64::from(from[i]) + fraction * (f64::from(to[i]) - f64::from(from[i]));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
        let byte = value.round().clamp(0.0, 255.0) as u8;
        byte
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: Colour = [255; 3];
    const RED: Colour = [255, 0, 0];
    const BLUE: Colour = [0, 0, 255];

    fn at(x: f64, y: f64, z: f64) -> DVec3 {
        DVec3::new(x, y, z)
    }

    #[test]
    fn the_nearest_surface_is_visible_in_any_order() {
        let square = |z: f64| [at(2.0, 2.0, z), at(8.0, 2.0, z), at(8.0, 8.0, z), at(2.0, 8.0, z)];
        for order in [[0, 1], [1, 0]] {
            let mut canvas = Canvas::new([10, 10], [WHITE; 2]);
            for i in order {
                let (z, colour) = [(1.0, RED), (2.0, BLUE)][i];
                let [a, b, c, d] = square(z);
                canvas.triangle([a, b, c], colour);
                canvas.triangle([a, c, d], colour);
            }
            let pixels = canvas.pixels();
            for y in 0..10 {
                for x in 0..10 {
                    let inside = (2..8).contains(&x) && (2..8).contains(&y);
                    let expected = if inside { RED } else { WHITE };
                    assert_eq!(pixels[3 * (10 * y + x)..][..3], expected, "{x} {y}");
                }
            }
        }
    }

    #[test]
    fn empty_and_outside_triangles_paint_nothing() {
        let mut canvas = Canvas::new([4, 4], [WHITE; 2]);
        canvas.triangle([at(1.0, 1.0, 0.0), at(2.0, 2.0, 0.0), at(3.0, 3.0, 0.0)], RED);
        canvas.triangle([at(f64::NAN, 1.0, 0.0), at(2.0, 2.0, 0.0), at(3.0, 0.0, 0.0)], RED);
        canvas.triangle([at(-9.0, -9.0, 0.0), at(-8.0, -9.0, 0.0), at(-9.0, -8.0, 0.0)], RED);
        canvas.line([at(f64::INFINITY, 0.0, 0.0), at(0.0, 0.0, 0.0)], 1.0, RED);
        canvas.disc(at(1e9, 0.0, 0.0), 3.0, RED);
        assert!(canvas.pixels().iter().all(|byte| *byte == 255));
        // The diagonal covers half of each pixel on it.
        canvas.triangle([at(0.0, 0.0, 0.0), at(4.0, 0.0, 0.0), at(0.0, 4.0, 0.0)], [0; 3]);
        assert_eq!(canvas.pixels()[..3], [0; 3]);
        canvas.disc(at(3.0, 3.0, f64::NEG_INFINITY), 1.0, RED);
        canvas.disc(at(3.0, 3.0, f64::NEG_INFINITY), 1.0, BLUE);
        assert_eq!(canvas.pixels()[3 * (4 * 2 + 2)..][..2], [64, 64]);
    }
}
