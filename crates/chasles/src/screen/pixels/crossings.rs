//! Finds crossings of edges of two bodies on the screen (Buss 2005, "Pixel algorithm", sixth step).

use crate::features::event::FeaturePair;
use crate::math::budget::{Budget, OutOfBudget};
use crate::screen::pixels::cells::{PixelCells, Raster, Slices};
use crate::screen::pixels::chart::{ChartExtent, PixelChart, collision_interval};
use crate::screen::pixels::curve::{CHORD_ERROR, Pen, ROUNDING, ScreenWindow, Segment, may_cross};
use crate::screen::pixels::meet::PixelMeetings;
use crate::screen::pixels::parts::VisibleParts;

/// Curves are within [`CHORD_ERROR`] of their segments, so the segments of two crossing curves come this close to each
/// other.
const NEAR: f64 = 2.0 * CHORD_ERROR + ROUNDING;

/// An edge of A after some turns, with its range of w.
#[derive(Debug, Clone, Copy)]
struct EdgeImage {
    number: u32,
    turns: i64,
    w: [f64; 2],
}

/// Finds the collisions of all edges that cross on the screen.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn crossings(
    chart: &PixelChart,
    [a, b]: [&VisibleParts; 2],
    pixel: f64,
    meetings: &mut PixelMeetings<'_>,
    budget: &mut Budget<'_>,
) -> Result<(), OutOfBudget> {
    if b.edges.is_empty() {
        return Ok(());
    }
    let whole_b = b.edges.iter().fold(ChartExtent::NONE, |all, edge| all.union(&edge.extent));
    let mut images: Vec<EdgeImage> = Vec::with_capacity(a.edges.len());
    for (number, edge) in (0_u32..).zip(&a.edges) {
        for turns in chart.turns(&edge.extent, &whole_b) {
            budget.step()?;
            let extent = edge.extent.shifted(chart.shift(turns));
            if extent.overlaps(&whole_b) && collision_interval(extent.tau, whole_b.tau).is_some() {
                budget.keep::<EdgeImage>()?;
                images.push(EdgeImage { number, turns, w: extent.w });
            }
        }
    }
    // The images after different turns may lie far apart, with much of B between them, so each group has its own
    // window.
    let width = {
        let whole_a = a.edges.iter().fold(ChartExtent::NONE, |all, edge| all.union(&edge.extent));
        whole_a.w[1] - whole_a.w[0]
    };
    images.sort_unstable_by(|i, j| {
        i.w[0].total_cmp(&j.w[0]).then(i.number.cmp(&j.number)).then(i.turns.cmp(&j.turns))
    });
    let mut screen =
        Screen { chart, a, b, pixel, meetings, tested_with: vec![u32::MAX; b.edges.len()], images: 0 };
    let mut first = 0;
    while first < images.len() {
        let mut reach = images[first].w[1];
        let mut end = first + 1;
        while end < images.len() && images[end].w[0] <= reach + width {
            reach = reach.max(images[end].w[1]);
            end += 1;
        }
        screen.draw(&images[first..end], budget)?;
        first = end;
    }
    Ok(())
}

/// The drawing, and the collisions found in it.
struct Screen<'s, 'm> {
    chart: &'s PixelChart,
    a: &'s VisibleParts,
    b: &'s VisibleParts,
    pixel: f64,
    meetings: &'s mut PixelMeetings<'m>,
    /// For each edge of B: the number of the last image of an edge of A that it was tested with.
    tested_with: Vec<u32>,
    /// Number of images drawn.
    images: u32,
}

impl Screen<'_, '_> {
    /// Draws images of A's edges and the edges of B that may cover them, and finds the collisions where they cross.
    fn draw(&mut self, images: &[EdgeImage], budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
        let (chart, a, b) = (self.chart, self.a, self.b);
        let extent = |i: &EdgeImage| a.edges[i.number as usize].extent.shifted(chart.shift(i.turns));
        let whole_a = images.iter().fold(ChartExtent::NONE, |all, image| all.union(&extent(image)));
        let is_near = |extent: &ChartExtent| {
            extent.overlaps(&whole_a) && collision_interval(whole_a.tau, extent.tau).is_some()
        };
        let extents = b.edges.iter().map(|edge| &edge.extent).filter(|extent| is_near(extent));
        let whole_b = extents.fold(ChartExtent::NONE, |all, extent| all.union(extent));
        let Some(common) = whole_a.common(&whole_b) else { return Ok(()) };
        let window = ScreenWindow::new(common, self.pixel);
        let pen_a = Pen { chart, window: &window, edges: &a.edges };
        let pen_b = Pen { edges: &b.edges, ..pen_a };
        let mut drawn: Vec<Segment> = Vec::with_capacity(4 * b.edges.len());
        for (number, edge) in (0_u32..).zip(&b.edges) {
            if is_near(&edge.extent) {
                pen_b.draw(number, chart.shift(0), &mut drawn, budget)?;
            }
        }
        if drawn.is_empty() {
            return Ok(());
        }
        let interval = drawn.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], segment| {
            [low.min(segment.tau[0]), high.max(segment.tau[1])]
        });
        let raster = Raster { chart, window: &window, slices: Slices::new(interval) };
        let cells = PixelCells::new(&drawn, raster, budget)?;
        let mut strokes = Vec::with_capacity(64);
        for image in images {
            let (edge_a, shift) = (&a.edges[image.number as usize], chart.shift(image.turns));
            strokes.drain(..).for_each(|_: Segment| budget.give_back::<Segment>());
            pen_a.draw(image.number, shift, &mut strokes, budget)?;
            let (tau, this) = (edge_a.extent.shifted(shift).tau, self.images);
            let (tested_with, meetings) = (&mut self.tested_with, &mut *self.meetings);
            for stroke in &strokes {
                cells.find_near(stroke, NEAR, budget, |other, budget| {
                    let segment = &drawn[other as usize];
                    if tested_with[segment.edge as usize] == this
                        || collision_interval(stroke.tau, segment.tau).is_none()
                        || !may_cross(stroke, segment)
                    {
                        return Ok(());
                    }
                    tested_with[segment.edge as usize] = this;
                    let edge_b = &b.edges[segment.edge as usize];
                    let Some(interval) = collision_interval(tau, edge_b.extent.tau) else { return Ok(()) };
                    meetings.find_collisions(
                        FeaturePair::EdgeEdge { a: edge_a.edge, b: edge_b.edge },
                        interval,
                        budget,
                    )
                })?;
            }
            self.images += 1;
        }
        Ok(())
    }
}
