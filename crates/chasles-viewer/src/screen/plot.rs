//! Maps positions of the screen to pixels, and draws a field of small cells, lines, and marks.

use chasles::{ContactFeatures, ScrewFrame};
use glam::{DVec2, DVec3};

use super::surface::Surface;
use super::view::View;
use super::{MARK, MarkStyle, WHITE};
use crate::render::canvas::{Canvas, Colour};

/// The position of the screen in the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plot {
    /// Left, top, right and bottom of the field, in pixels.
    pub(super) field: [f64; 4],
    /// The screen position in the middle of the field, in metres.
    middle: DVec2,
    /// Pixels per metre.
    scale: f64,
    /// The size of letters: the side of a dot, in pixels.
    pub(super) dot: f64,
    columns: usize,
    rows: usize,
}

/// The side of a cell, in pixels.
const CELL: f64 = 3.0;

/// Half the size of a mark, in pixels.
const RADIUS: f64 = 6.0;

impl Plot {
    /// Lays out a picture of this size such that all the given positions fit into the field.
    pub(super) fn new(size: [u32; 2], places: impl Iterator<Item = DVec2>) -> Self {
        let [width, height] = size.map(f64::from);
        let dot = (width.min(height) / 360.0).floor().clamp(1.0, 4.0);
        let margin = 8.0 * dot;
        // The legend is to the right of the field, and lines of text are below it.
        let right = (width - 84.0 * dot).max(0.6 * width);
        let bottom = (height - 26.0 * dot).max(0.6 * height);
        let field = [margin, margin, right, bottom];
        let empty = [DVec2::INFINITY, DVec2::NEG_INFINITY];
        let [lo, hi] = places.fold(empty, |[lo, hi], place| [lo.min(place), hi.max(place)]);
        let (lo, hi) = if lo.x <= hi.x { (lo, hi) } else { (DVec2::splat(-1.0), DVec2::ONE) };
        let extent = hi - lo;
        let space = DVec2::new(right - margin, bottom - margin) - DVec2::splat(4.0 * RADIUS);
        let fits = (space.max(DVec2::ONE) / extent).min_element();
        let scale = if fits.is_finite() && fits > 0.0 { fits } else { 1.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand")]
        let cells = |length: f64| (length / CELL).ceil().clamp(1.0, 4096.0) as usize;
        let middle = lo + 0.5 * extent;
        let (columns, rows) = (cells(right - margin), cells(bottom - margin));
        Self { field, middle, scale, dot, columns, rows }
    }

    /// The number of cells.
    pub(super) fn cells(&self) -> usize {
        self.columns * self.rows
    }

    /// The screen position of a cell's centre.
    pub(super) fn middle(&self, cell: usize) -> DVec2 {
        let [left, top, right, bottom] = self.field;
        let [x, y] = [(cell % self.columns) as f64 + 0.5, (cell / self.columns) as f64 + 0.5];
        let from_middle =
            DVec2::new(left + CELL * x - 0.5 * (left + right), 0.5 * (top + bottom) - top - CELL * y);
        self.middle + from_middle / self.scale
    }

    /// The range of positions that the field shows, as minimum and maximum.
    pub(super) fn range(&self) -> [DVec2; 2] {
        let [left, top, right, bottom] = self.field;
        let half = 0.5 * DVec2::new(right - left, bottom - top) / self.scale;
        [self.middle - half, self.middle + half]
    }

    /// The speed of a point in the middle of the field, in metres for the whole motion, and the distance of the
    /// middle from the axis.
    pub(super) fn speed(&self, frame: &ScrewFrame) -> (f64, f64) {
        let radius = self.middle.x.abs();
        (super::speed_at(frame, radius), radius)
    }

    /// Converts a screen position to pixels.
    fn pixel(&self, place: DVec2) -> DVec3 {
        let [left, top, right, bottom] = self.field;
        let from_middle = self.scale * (place - self.middle);
        DVec3::new(0.5 * (left + right) + from_middle.x, 0.5 * (top + bottom) - from_middle.y, 0.0)
    }

    /// The cells whose centres a surface covers.
    pub(super) fn covered(&self, surface: &Surface) -> Vec<bool> {
        let mut covered = vec![false; self.cells()];
        let [left, top, ..] = self.field;
        for triangle in surface.triangles() {
            let [p, q, r] = triangle.map(|place| {
                let pixel = self.pixel(place);
                DVec2::new((pixel.x - left) / CELL - 0.5, (pixel.y - top) / CELL - 0.5)
            });
            let (lo, hi) = (p.min(q).min(r), p.max(q).max(r));
            let area = (q - p).perp_dot(r - p);
            if area == 0.0 || !area.is_finite() {
                continue;
            }
            for row in cell_range(lo.y, hi.y, self.rows) {
                for column in cell_range(lo.x, hi.x, self.columns) {
                    let at = DVec2::new(column as f64, row as f64);
                    let sides = [(p, q), (q, r), (r, p)];
                    if sides.iter().all(|(from, to)| (*to - *from).perp_dot(at - *from) / area >= 0.0) {
                        covered[row * self.columns + column] = true;
                    }
                }
            }
        }
        covered
    }

    /// Paints a cell.
    pub(super) fn paint(&self, canvas: &mut Canvas, cell: usize, colour: Colour) {
        let [left, top, ..] = self.field;
        let corner = [(cell % self.columns) as f64, (cell / self.columns) as f64];
        let [x, y] = [left + CELL * corner[0], top + CELL * corner[1]];
        rectangle(canvas, [x, y, x + CELL, y + CELL], colour);
    }

    /// Draws a line of the screen.
    pub(super) fn line(&self, canvas: &mut Canvas, ends: [DVec2; 2], width: f64, colour: Colour) {
        canvas.line(ends.map(|place| self.pixel(place)), width, colour);
    }

    /// Draws the boundaries of the displayed revolution, if the motion rotates.
    pub(super) fn period_ends(&self, canvas: &mut Canvas, view: &View, colour: Colour) {
        let [lo, hi] = self.range();
        let end = |column: usize, sense: f64| {
            let radius = lo.x + (hi.x - lo.x) * column as f64 / self.columns as f64;
            DVec2::new(radius, 0.5 * sense * view.period(radius.max(0.0)))
        };
        for (column, sense) in (0..self.columns).flat_map(|column| [(column, 1.0), (column, -1.0)]) {
            let ends = [end(column, sense), end(column + 1, sense)];
            let inside = |place: &DVec2| place.x > 0.0 && place.y != 0.0 && (lo.y..=hi.y).contains(&place.y);
            if ends.iter().all(inside) {
                self.line(canvas, ends, 1.5, colour);
            }
        }
    }

    /// Draws the mark of a collision.
    pub(super) fn mark(&self, canvas: &mut Canvas, place: DVec2, kind: (ContactFeatures, MarkStyle)) {
        mark(canvas, self.pixel(place), kind);
    }
}

/// Draws the mark of a collision at a pixel: a triangle pointing up for a vertex of A, a triangle pointing down for
/// a vertex of B, and a square for edges.
pub(super) fn mark(canvas: &mut Canvas, at: DVec3, (features, style): (ContactFeatures, MarkStyle)) {
    let corner = |x: f64, y: f64| at + RADIUS * DVec3::new(x, y, 0.0);
    let corners = match features {
        ContactFeatures::VertexFace { .. } => {
            vec![corner(0.0, -1.0), corner(0.9, 0.7), corner(-0.9, 0.7)]
        }
        ContactFeatures::FaceVertex { .. } => {
            vec![corner(0.0, 1.0), corner(0.9, -0.7), corner(-0.9, -0.7)]
        }
        _ => {
            vec![corner(-0.75, -0.75), corner(0.75, -0.75), corner(0.75, 0.75), corner(-0.75, 0.75)]
        }
    };
    let fill = match style {
        MarkStyle::Filled => Some(MARK),
        MarkStyle::White => Some(WHITE),
        MarkStyle::Hollow => None,
    };
    for (i, next) in (1..corners.len()).enumerate().skip(1) {
        if let Some(fill) = fill {
            canvas.triangle([corners[0], corners[i], corners[next]], fill);
        }
    }
    for (i, from) in corners.iter().enumerate() {
        canvas.line([*from, corners[(i + 1) % corners.len()]], 1.5, MARK);
    }
}

/// Fills a rectangle, given left, top, right and bottom.
pub(super) fn rectangle(canvas: &mut Canvas, [left, top, right, bottom]: [f64; 4], colour: Colour) {
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    canvas.triangle([corner(left, top), corner(right, top), corner(right, bottom)], colour);
    canvas.triangle([corner(left, top), corner(right, bottom), corner(left, bottom)], colour);
}

/// The integers from `lo` to `hi` that are valid cells.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the field")]
fn cell_range(lo: f64, hi: f64, count: usize) -> std::ops::Range<usize> {
    let end = count as f64;
    lo.ceil().clamp(0.0, end) as usize..(hi.floor() + 1.0).clamp(0.0, end) as usize
}
