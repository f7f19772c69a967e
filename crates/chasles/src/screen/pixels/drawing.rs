//! The screen as a picture needs it: the outlines of both bodies' parts as chains of points.

use crate::math::budget::Budget;
use crate::screen::facing::{Faced, Role};
use crate::screen::pixels::chart::{ChartExtent, PixelChart, Shift, Spot};
use crate::screen::pixels::curve::{Pen, ScreenWindow, Segment};
use crate::screen::pixels::parts::{PartEdge, Parts, part_edge};

/// The screens of two bodies, one over the other.
#[derive(Debug, Clone, PartialEq)]
pub struct ScreenDrawing {
    /// The outlines of A's leading parts.
    pub a: Vec<DrawnLine>,
    /// The outlines of B's trailing parts.
    pub b: Vec<DrawnLine>,
    /// What a whole turn adds to the height, in metres, and to tau; `None` in a translation. What is drawn of a body
    /// repeats itself at every turn.
    pub turn: Option<[f64; 2]>,
    /// Whether all was drawn within the memory.
    pub whole: bool,
}

/// A line on the screen, as a chain of points.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnLine {
    /// What it is.
    pub line: ScreenLine,
    /// Its points in order.
    pub points: Vec<ScreenPoint>,
}

/// What a line of the screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreenLine {
    /// The part of an edge at which a face matters; the edge by its two vertices, the lower first.
    Edge([u32; 2]),
    /// Where a face turns from leading to trailing: it bounds the part, but collides with nothing.
    Fold(u32),
}

/// A point of the screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScreenPoint {
    /// Distance from the axis less that of the origin of the screen, in metres; in a translation, the first of the two
    /// coordinates across it.
    pub radius: f64,
    /// Distance across the flow at the origin's distance from the axis, in metres.
    pub height: f64,
    /// The time since the flow passed the screen, in times of the whole motion. A's point and B's point on one place
    /// of the screen meet at the time tau of B less tau of A.
    pub tau: f64,
}

/// Draws the outlines of both bodies, right to an eighth of a pixel of the window that holds them all.
pub(crate) fn drawing(
    chart: &PixelChart,
    faced: [&Faced<'_>; 2],
    pixel: f64,
    budget: &mut Budget<'_>,
) -> ScreenDrawing {
    let mut drawn = [Vec::new(), Vec::new()];
    let mut whole = true;
    for (faced, lines) in faced.into_iter().zip(&mut drawn) {
        let parts = Parts::new(faced, chart);
        let folds = folds(faced, chart);
        let all = parts.edges.iter().chain(folds.iter().map(|(_, edge)| edge));
        let extent = all.clone().fold(ChartExtent::NONE, |all, edge| all.with(&edge.extent));
        let window = ScreenWindow::new(extent, pixel);
        let names = parts.edges.iter().map(|edge| ScreenLine::Edge(faced.mesh.edges()[edge.edge as usize]));
        let names = names.chain(folds.iter().map(|(face, _)| ScreenLine::Fold(*face)));
        for (edge, line) in all.zip(names) {
            let mut segments = Vec::new();
            let pen = Pen { chart, window: &window };
            whole &= pen.draw((0, edge), Shift::default(), &mut segments, budget).is_ok();
            lines.push(DrawnLine { line, points: points(chart, &window, edge, &segments) });
        }
    }
    let [a, b] = drawn;
    let turn = chart.turn().is_finite().then(|| chart.shift(1)).map(|shift| [shift.w, shift.tau]);
    ScreenDrawing { a, b, turn, whole }
}

/// The ends of segments, one after the other.
fn points(
    chart: &PixelChart,
    window: &ScreenWindow,
    edge: &PartEdge,
    segments: &[Segment],
) -> Vec<ScreenPoint> {
    let point = |spot: &Spot| ScreenPoint { radius: spot.rho, height: chart.w(spot), tau: chart.tau(spot) };
    let mut points = vec![point(&edge.ends[0])];
    let mut inner: Vec<ScreenPoint> = segments
        .iter()
        .map(|segment| ScreenPoint {
            radius: window.rho(segment.to[0]),
            height: window.extent.w[0] + segment.to[1] * window.pixel,
            tau: segment.to_tau,
        })
        .collect();
    inner.pop();
    points.extend(inner);
    points.push(point(&edge.ends[1]));
    points
}

/// Where faces turn from leading to trailing, with their numbers.
fn folds(faced: &Faced<'_>, chart: &PixelChart) -> Vec<(u32, PartEdge)> {
    let mut folds = Vec::new();
    for (face, corners) in (0_u32..).zip(faced.mesh.triangles()) {
        let facing = faced.at_corners(face);
        let leads = |g: &f64| match faced.role {
            Role::A => *g > faced.slack,
            Role::B => *g < -faced.slack,
        };
        if !facing.iter().any(leads) || !facing.iter().any(|g| leads(&-g)) {
            continue;
        }
        let places = corners.map(|v| chart.frame(faced.placed(v)));
        let mut cuts = Vec::new();
        for i in 0..3 {
            let (g, h) = (facing[i], facing[(i + 1) % 3]);
            if (g < 0.0) != (h < 0.0) {
                cuts.push(places[i] + g / (g - h) * (places[(i + 1) % 3] - places[i]));
            }
        }
        if let [from, to] = cuts[..] {
            folds.push((face, part_edge(chart, u32::MAX, [from, to], [chart.spot(from), chart.spot(to)])));
        }
    }
    folds
}
