//! Draws edges on the screen: curves, as chains of segments that are accurate to a small fraction of a pixel (Buss
//! 2005, "Pixel algorithm", third step).

use crate::math::budget::{Budget, OutOfBudget};
use crate::screen::pixels::chart::{ChartExtent, PixelChart, Shift, Spot};
use crate::screen::pixels::parts::{PartEdge, extent_between};

/// Maximum distance of a segment from the curve, in pixels of the window.
pub(crate) const CHORD_ERROR: f64 = 0.125;

/// The part of the screen that is drawn, in pixels: rows of rho, columns of w.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScreenWindow {
    pub(crate) extent: ChartExtent,
    /// Metres per pixel.
    pub(crate) pixel: f64,
    /// The size in rho and in w, in pixels.
    pub(crate) size: [f64; 2],
}

/// A straight piece of an edge on the screen: rho and w in pixels from the corner of a window. In w, these pixels are
/// converted to lengths across the flow by the chart's scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    pub(crate) from: [f64; 2],
    pub(crate) to: [f64; 2],
    /// Contains the tau of every point of the piece.
    pub(crate) tau: [f64; 2],
    /// Maximum distance of the curve from the segment in w; in rho it is [`CHORD_ERROR`].
    pub(crate) chord_error: f64,
    /// Index into the list of the body's edges that matter.
    pub(crate) edge: u32,
}

impl ScreenWindow {
    /// The window with this extent, with pixels of `pixel` metres.
    pub(crate) fn new(extent: ChartExtent, pixel: f64) -> Self {
        let size = [extent.rho, extent.w].map(|[low, high]| (high - low) / pixel);
        Self { extent, pixel, size }
    }

    /// The position of a point of the screen, in pixels from the corner of the window.
    #[inline]
    pub(crate) fn pixels_at(&self, rho: f64, w: f64) -> [f64; 2] {
        [(rho - self.extent.rho[0]) / self.pixel, (w - self.extent.w[0]) / self.pixel]
    }

    /// rho of a row, a distance in pixels from the corner of the window.
    pub(crate) fn rho(&self, row: f64) -> f64 {
        self.extent.rho[0] + row * self.pixel
    }
}

/// A point of an edge: its parameter, and its position on the screen.
#[derive(Clone, Copy)]
struct Knot {
    at: f64,
    spot: Spot,
}

/// A curved piece that needs more segments than this is halved and tested again, because its halves may need fewer.
const MAX_SEGMENTS: f64 = 3.0;

/// The same limit for pieces of nearly constant curvature. Such a piece is halved because a half may lie outside the
/// window.
const MAX_EVEN_SEGMENTS: f64 = 24.0;

/// An edge closer to the axis than this, in pixels, passes through the axis.
const AT_AXIS: f64 = 1e-3;

/// Maximum number of halvings.
const MAX_DEPTH: u32 = 64;

/// Draws edges in a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pen<'c> {
    pub(crate) chart: &'c PixelChart,
    pub(crate) window: &'c ScreenWindow,
    /// The edges of one body that matter.
    pub(crate) edges: &'c [PartEdge],
}

impl Pen<'_> {
    /// Adds the segments of the edge with a number, after some turns, that may intersect the window.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(crate) fn draw(
        &self,
        number: u32,
        shift: Shift,
        out: &mut Vec<Segment>,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        let edge = &self.edges[number as usize];
        let [from, to] = edge.ends;
        let mut stroke = Stroke { pen: self, number, edge, shift, out, budget };
        stroke.piece([Knot { at: 0.0, spot: from }, Knot { at: 1.0, spot: to }], 0)
    }
}

/// The state of drawing one edge.
struct Stroke<'s, 'c, 'w> {
    pen: &'s Pen<'c>,
    number: u32,
    edge: &'s PartEdge,
    shift: Shift,
    out: &'s mut Vec<Segment>,
    budget: &'s mut Budget<'w>,
}

impl Stroke<'_, '_, '_> {
    fn knot(&self, at: f64) -> Knot {
        let spot = self.pen.chart.spot_near(self.edge.from + at * self.edge.vector, self.edge.ends[0].u);
        // u is within half a turn of both ends: an edge through the axis jumps by half a turn there.
        Knot {
            at,
            spot: self.pen.chart.nearest_turn(spot, 0.5 * (self.edge.ends[0].u + self.edge.ends[1].u)),
        }
    }

    fn piece(&mut self, [start, end]: [Knot; 2], depth: u32) -> Result<(), OutOfBudget> {
        self.budget.step()?;
        let Pen { chart, window, .. } = *self.pen;
        let from = self.edge.from + start.at * self.edge.vector;
        let vector = (end.at - start.at) * self.edge.vector;
        let extent = extent_between(chart, from, vector, [&start.spot, &end.spot]).shifted(self.shift);
        if !extent.overlaps(&window.extent) {
            return Ok(());
        }
        let squared = vector.x * vector.x + vector.y * vector.y;
        let foot = chart.foot(from, vector);
        // At its foot a line's distance from the axis is entirely across the line, and may even be 0.
        let lever = if foot.is_some() { 1.0 } else { chart.lever(from, vector, extent.rho[0]) };
        let bounds = chart.curvature_bounds(extent.rho[0], lever);
        let error = |bound: f64| if squared == 0.0 || bound == 0.0 { 0.0 } else { 0.125 * squared * bound };
        // The scale is largest furthest from the axis.
        let scale = chart.metres_per_w(extent.rho[1]);
        let tau_error = error(bounds.tau);
        let largest =
            error(bounds.rho).max(error(bounds.w) * scale).max(tau_error * chart.speed) / window.pixel;
        let chord_error = CHORD_ERROR / scale;
        if largest <= CHORD_ERROR {
            return self.segment([&start.spot, &end.spot], chord_error, tau_error);
        }
        let fraction = foot.map_or(0.5, |(_, at)| at.clamp(0.05, 0.95));
        let middle = start.at + fraction * (end.at - start.at);
        let longest = CHORD_ERROR * window.pixel;
        if squared <= longest * longest || depth >= MAX_DEPTH || !(middle > start.at && middle < end.at) {
            // A pixel next to the axis: the curve may be anywhere in its box.
            let width = (extent.w[1] - extent.w[0]) / window.pixel;
            let tau_error = extent.tau[1] - extent.tau[0];
            return self.segment([&start.spot, &end.spot], chord_error.max(width), tau_error);
        }
        if let Some((rho, _)) = foot
            && chart.radius(rho) <= AT_AXIS * window.pixel
        {
            // One piece up to the axis has the angle of the start, the other has the angle of the end: they differ by
            // half a turn.
            let at = chart.spot(self.edge.from + middle * self.edge.vector);
            let knot = |side: &Knot| Knot { at: middle, spot: Spot { u: side.spot.u, ..at } };
            self.piece([start, knot(&start)], depth + 1)?;
            return self.piece([knot(&end), end], depth + 1);
        }
        let count = (largest / CHORD_ERROR).sqrt().ceil();
        let is_even = chart.radii(extent.rho[1]) <= 2.0 * chart.radii(extent.rho[0]);
        if count <= MAX_SEGMENTS || (is_even && count <= MAX_EVEN_SEGMENTS) {
            let mut last = start;
            let mut next = 1.0;
            while next <= count {
                let fraction = next / count;
                let knot =
                    if next == count { end } else { self.knot(start.at + fraction * (end.at - start.at)) };
                self.budget.step()?;
                self.segment([&last.spot, &knot.spot], chord_error, tau_error)?;
                last = knot;
                next += 1.0;
            }
            return Ok(());
        }
        // The curve is steepest where it is nearest to the axis.
        let middle = self.knot(middle);
        self.piece([start, middle], depth + 1)?;
        self.piece([middle, end], depth + 1)
    }

    fn segment(&mut self, [p, q]: [&Spot; 2], chord_error: f64, tau_error: f64) -> Result<(), OutOfBudget> {
        let Pen { chart, window, .. } = *self.pen;
        let place = |s: &Spot| window.pixels_at(s.rho, chart.w(s) + self.shift.w);
        let [t, s] = [chart.tau(p) + self.shift.tau, chart.tau(q) + self.shift.tau];
        self.budget.keep::<Segment>()?;
        self.out.push(Segment {
            from: place(p),
            to: place(q),
            tau: [t.min(s) - tau_error, t.max(s) + tau_error],
            chord_error,
            edge: self.number,
        });
        Ok(())
    }
}

/// Whether the curves of two segments may cross.
#[inline]
pub(crate) fn may_cross(a: &Segment, b: &Segment) -> bool {
    let margins = [2.0 * CHORD_ERROR + ROUNDING, a.chord_error + b.chord_error + ROUNDING];
    may_meet_line(a, b, margins) && may_meet_line(b, a, margins)
}

/// Whether `b` may intersect the line of `a`: `b` is not entirely on one side of the line, further than the margins in
/// rho and w from it.
#[inline]
fn may_meet_line(a: &Segment, b: &Segment, margins: [f64; 2]) -> bool {
    let (x, y) = (a.to[0] - a.from[0], a.to[1] - a.from[1]);
    let side = |p: [f64; 2]| x * (p[1] - a.from[1]) - y * (p[0] - a.from[0]);
    let (from, to) = (side(b.from), side(b.to));
    let margin = x.abs() * margins[1] + y.abs() * margins[0];
    !((from > margin && to > margin) || (from < -margin && to < -margin))
}

/// Upper bound of the rounding error of a point, in pixels.
pub(crate) const ROUNDING: f64 = 1e-6;
