//! The legend, which explains colours and marks. It is drawn beside and below the field.

use chasles::ContactFeatures;
use chasles_formats::figures::rounded;
use chasles_formats::report::clearance_map::colour;
use glam::DVec3;

use super::letters::write;
use super::plot::{Plot, mark, rectangle};
use super::{MARK, MarkStyle, OUTLINE_A, OUTLINE_B};
use crate::render::canvas::Canvas;

/// The scale of the colours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale<'a> {
    /// The time of the last colour, in the motion's own unit.
    pub(super) furthest: f64,
    /// The duration of the motion, and its unit.
    pub(super) duration: (f64, &'a str),
    /// The angle of the whole motion, in radians.
    pub(super) angle: f64,
    /// The speed in the middle of the field, in metres for the whole motion, and the distance of the middle from
    /// the axis.
    pub(super) speed: (f64, f64),
}

/// The number of labelled steps of the scale.
const STEPS: usize = 4;

/// Draws the whole legend.
pub(super) fn draw(canvas: &mut Canvas, plot: &Plot, scale: &Scale<'_>) {
    let dot = plot.dot;
    let [left, top, right, bottom] = plot.field;
    let grey = [0x80; 3];
    for [from, to] in [[[left, top], [right, top]], [[right, top], [right, bottom]]]
        .into_iter()
        .chain([[[right, bottom], [left, bottom]], [[left, bottom], [left, top]]])
    {
        canvas.line([from, to].map(|[x, y]| DVec3::new(x, y, 0.0)), 1.0, grey);
    }
    let x = right + 4.0 * dot;
    write(canvas, [x, top], dot, ("way ahead", MARK));
    let high = top + 24.0 * dot;
    let low = (high + 0.7 * (bottom - high)).max(high + 20.0 * dot);
    let bar = 8.0 * dot;
    let slices = 96;
    for slice in 0..slices {
        let [from, to] = [slice, slice + 1].map(|k| low - (low - high) * f64::from(k) / f64::from(slices));
        let fraction = (f64::from(slice) + 0.5) / f64::from(slices);
        rectangle(canvas, [x, to, x + bar, from], colour(fraction));
    }
    for step in 0..=STEPS {
        let fraction = step as f64 / STEPS as f64;
        let time = fraction * scale.furthest;
        let at = low - fraction * (low - high);
        canvas.line([DVec3::new(x, at, 0.0), DVec3::new(x + bar + 2.0 * dot, at, 0.0)], 1.0, MARK);
        let mut numbers = vec![format!("{} {}", three_digits(time * scale.duration.0), scale.duration.1)];
        if scale.angle > 0.0 {
            numbers.push(format!("{} deg", three_digits((time * scale.angle).to_degrees())));
        }
        numbers.push(format!("{} m", three_digits(time * scale.speed.0)));
        let enough = (low - high) / STEPS as f64 >= 27.0 * dot;
        let shown = if enough { numbers.len() } else { 1 };
        for (line, number) in numbers.iter().take(shown).enumerate() {
            let above = at - 3.5 * dot + 8.0 * dot * (line as f64 - 0.5 * (shown - 1) as f64);
            write(canvas, [x + bar + 4.0 * dot, above], dot, (number, MARK));
        }
    }
    let mut y = low + 18.0 * dot;
    // If the motion rotates, the length of the flow line depends on the distance from the axis.
    if scale.angle > 0.0 {
        for line in ["metres at", &format!("r = {}", three_digits(scale.speed.1))] {
            write(canvas, [x, y], dot, (line, MARK));
            y += 9.0 * dot;
        }
    }
    y += 4.0 * dot;
    for (name, outline) in [("A leads", OUTLINE_A), ("B trails", OUTLINE_B)] {
        rectangle(canvas, [x, y + 2.0 * dot, x + bar, y + 4.0 * dot], outline);
        write(canvas, [x + bar + 4.0 * dot, y], dot, (name, MARK));
        y += 9.0 * dot;
    }
    below(canvas, plot, scale.angle > 0.0);
}

/// Draws the range of the field, and the meaning of the marks.
fn below(canvas: &mut Canvas, plot: &Plot, is_rotation: bool) {
    let dot = plot.dot;
    let [left, _, _, bottom] = plot.field;
    let [lo, hi] = plot.range();
    // Distances from the axis are not negative.
    let (names, left_end) = if is_rotation { (["r", "h"], lo.x.max(0.0)) } else { (["x", "y"], lo.x) };
    let across = format!("{} {} to {} m", names[0], three_digits(left_end), three_digits(hi.x));
    let range = format!("{across}, {} {} to {} m", names[1], three_digits(lo.y), three_digits(hi.y));
    write(canvas, [left, bottom + 4.0 * dot], dot, (&range, MARK));
    let kinds = [
        (ContactFeatures::VertexFace { a: 0, b: 0 }, MarkStyle::Filled, "vertex-face"),
        (ContactFeatures::FaceVertex { a: 0, b: 0 }, MarkStyle::Filled, "face-vertex"),
        (ContactFeatures::EdgeEdge { a: [0; 2], b: [0; 2] }, MarkStyle::Filled, "edge-edge"),
        (ContactFeatures::EdgeEdge { a: [0; 2], b: [0; 2] }, MarkStyle::White, "not proper"),
        (ContactFeatures::EdgeEdge { a: [0; 2], b: [0; 2] }, MarkStyle::Hollow, "behind"),
    ];
    let (mut x, y) = (left, bottom + 15.0 * dot);
    for (features, style, name) in kinds {
        if style == MarkStyle::Hollow {
            rectangle(canvas, [x - 3.0, y - 2.0 * dot, x + 13.0, y + 9.0 * dot], colour(0.6));
        }
        mark(canvas, DVec3::new(x + 5.0, y + 3.5 * dot, 0.0), (features, style));
        write(canvas, [x + 14.0, y], dot, (name, MARK));
        x += 24.0 + 6.0 * dot * name.len() as f64;
    }
}

/// Rounds to three digits, which fit into the space.
fn three_digits(value: f64) -> String {
    rounded(value, 3)
}
