//! Where edges of two bodies cross on the screen (Buss 2005, "Pixel algorithm", sixth step).

use crate::features::event::FeaturePair;
use crate::math::budget::{Budget, OutOfBudget};
use crate::screen::pixels::cells::{Cells, Raster, Slices};
use crate::screen::pixels::chart::{Chart, Extent, meeting_span};
use crate::screen::pixels::curve::{OFF, Pen, ROUNDING, Segment, Window, may_cross};
use crate::screen::pixels::meet::Meetings;
use crate::screen::pixels::parts::Parts;

/// Two curves that cross are drawn by segments within [`OFF`] of them, and those come this close to each other.
const APART: f64 = 2.0 * OFF + ROUNDING;

/// An edge of A after some turns.
type Image = (u32, i64);

/// Asks for the collisions of all edges that cross on the screen.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn crossings(
    chart: &Chart,
    (a, b): (&Parts, &Parts),
    pixel: f64,
    meetings: &mut Meetings<'_>,
    budget: &mut Budget<'_>,
) -> Result<(), OutOfBudget> {
    if b.edges.is_empty() {
        return Ok(());
    }
    let whole_b = b.edges.iter().fold(Extent::NONE, |all, edge| all.with(&edge.extent));
    let mut images: Vec<Image> = Vec::with_capacity(a.edges.len());
    let mut whole_a = Extent::NONE;
    for (number, edge) in (0_u32..).zip(&a.edges) {
        for turns in chart.turns(&edge.extent, &whole_b) {
            budget.step()?;
            let extent = edge.extent.shifted(chart.shift(turns));
            if extent.overlaps(&whole_b) && meeting_span(extent.tau, whole_b.tau).is_some() {
                budget.keep::<Image>()?;
                images.push((number, turns));
                whole_a = whole_a.with(&extent);
            }
        }
    }
    let Some(common) = whole_a.common(&whole_b) else { return Ok(()) };
    let window = Window::new(common, pixel);
    let pen = Pen { chart, window: &window };
    let mut drawn: Vec<Segment> = Vec::with_capacity(4 * b.edges.len());
    for (number, edge) in (0_u32..).zip(&b.edges) {
        if edge.extent.overlaps(&common) && meeting_span(whole_a.tau, edge.extent.tau).is_some() {
            pen.draw((number, edge), chart.shift(0), &mut drawn, budget)?;
        }
    }
    let span = drawn.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], segment| {
        [low.min(segment.tau[0]), high.max(segment.tau[1])]
    });
    if drawn.is_empty() {
        return Ok(());
    }
    let raster = Raster { chart, window: &window, slices: Slices::new(span) };
    let cells = Cells::new(&drawn, raster, budget)?;
    // The image of A's edge that an edge of B was last asked with.
    let mut asked = vec![u32::MAX; b.edges.len()];
    let mut strokes = Vec::with_capacity(64);
    for (image, (number, turns)) in (0_u32..).zip(&images) {
        let (edge_a, shift) = (&a.edges[*number as usize], chart.shift(*turns));
        strokes.drain(..).for_each(|_: Segment| budget.give_back::<Segment>());
        pen.draw((*number, edge_a), shift, &mut strokes, budget)?;
        let tau = edge_a.extent.shifted(shift).tau;
        for stroke in &strokes {
            cells.near(stroke, APART, budget, |other, budget| {
                let segment = &drawn[other as usize];
                if asked[segment.edge as usize] == image
                    || meeting_span(stroke.tau, segment.tau).is_none()
                    || !may_cross(stroke, segment)
                {
                    return Ok(());
                }
                asked[segment.edge as usize] = image;
                let edge_b = &b.edges[segment.edge as usize];
                let Some(span) = meeting_span(tau, edge_b.extent.tau) else { return Ok(()) };
                meetings.ask(FeaturePair::EdgeEdge { a: edge_a.edge, b: edge_b.edge }, span, budget)
            })?;
        }
    }
    Ok(())
}
