//! Draws the collision screen: the two bodies, projected along the flow lines on which a screw moves all points
//! (Buss 2005, "Collision detection with relative screw motion").
//!
//! ```text
//! letters   text in pixels
//! view      maps points of space to the screen, and screen positions back to flow lines
//! surface   the leading or trailing surface of a body, in small pieces on the screen, and its outline
//! plot      maps positions on the screen to pixels
//! legend    explains colours and marks
//! samples   both bodies in small pieces of space, with the clearances of A
//! document  the document of the page of a screen
//! ```
//!
//! Both bodies are drawn over each other. If a leading part of A has a trailing part of B ahead of it, the colour
//! shows their clearance along the flow line.

mod letters;
mod view;
mod surface;
mod plot;
mod legend;
mod patches;
mod document;

use chasles::{
    Clearance, ContactFeatures, Error, FlowLineHit, Options, PreparedMesh, Screw, ScrewFrame,
    facing_surfaces, probes, screw_frame,
};
use chasles_formats::report::clearance_map::colour;
use glam::DVec3;

pub use self::document::ScreenDocument;
use self::legend::Scale;
use self::plot::Plot;
use self::surface::Surface;
use self::view::View;
use crate::render::Picture;
use crate::render::canvas::{Canvas, Colour};

/// The content of a picture of the screen.
#[derive(Debug, Clone)]
pub struct ScreenShown<'a> {
    /// The moving body.
    pub a: &'a PreparedMesh,
    /// The static body.
    pub b: &'a PreparedMesh,
    /// The motion of A in the frame of B.
    pub screw: &'a Screw,
    /// The duration of the motion, and its unit, such as `s`.
    pub duration: (f64, &'a str),
    /// The collisions to mark.
    pub collisions: Vec<ScreenMark>,
}

/// A collision to mark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScreenMark {
    /// Time, in [0, 1].
    pub time: f64,
    /// Point in the frame of B, in metres.
    pub point: DVec3,
    /// Unit normal from A to B, in the frame of B.
    pub normal: DVec3,
    /// The features that collide.
    pub features: ContactFeatures,
    /// Whether the collision is proper.
    pub proper: bool,
}

/// The style of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkStyle {
    /// A proper collision.
    Filled,
    /// A collision that is not proper.
    White,
    /// A nearer part of B on the same flow line is hit before.
    Hollow,
}

const BACKGROUND: [Colour; 2] = [[0xff; 3]; 2];
const OUTLINE_A: Colour = [0x1b, 0x5e, 0x9e];
const OUTLINE_B: Colour = [0x9c, 0x5a, 0x00];
const FILL_A: Colour = [0xdc, 0xe9, 0xf5];
const FILL_B: Colour = [0xf7, 0xe9, 0xd2];
const FILL_BOTH: Colour = [0xd4, 0xd4, 0xd4];
const PERIOD_END: Colour = [0xb0, 0xb0, 0xb0];
const MARK: Colour = [0x10, 0x10, 0x10];
const WHITE: Colour = [0xff; 3];

/// Two times that differ by less than this fraction of the motion count as equal.
const TIME_TOLERANCE: f64 = 1e-7;

/// Draws the picture in this size, in pixels. The same input gives the same bits.
///
/// # Errors
/// As [`first_contact`](chasles::first_contact); also if width or height is outside 1 to 4096.
pub fn draw_screen(
    shown: &ScreenShown<'_>,
    size: [u32; 2],
    options: &Options,
) -> Result<Picture, ScreenError> {
    if size.iter().any(|side| !(1..=LARGEST).contains(side)) {
        return Err(ScreenError::Size(size));
    }
    let frame = screw_frame(shown.b, shown.screw);
    let view = View::new(frame);
    let [a, b] = facing_surfaces(shown.a, shown.b, shown.screw).map(|surface| Surface::new(&surface, &view));
    let marks: Vec<_> =
        shown.collisions.iter().filter_map(|mark| Some((mark, view.place(mark.point)?))).collect();
    let places = a.places().chain(b.places()).chain(marks.iter().map(|(_, place)| *place));
    let plot = Plot::new(size, places);
    let (in_a, in_b) = (plot.covered(&a), plot.covered(&b));
    let clearances = clearances(shown, options, (&view, &plot), (&in_a, &in_b))?;

    let mut canvas = Canvas::new(size, BACKGROUND);
    for cell in 0..plot.cells() {
        let fill = match (in_a[cell], in_b[cell]) {
            (false, false) => continue,
            (true, false) => FILL_A,
            (false, true) => FILL_B,
            (true, true) => FILL_BOTH,
        };
        plot.paint(&mut canvas, cell, fill);
    }
    let furthest = clearances.iter().map(|(_, clearance)| clearance.time).fold(0.0, f64::max);
    let furthest = if furthest > 0.0 { furthest } else { 1.0 };
    for (cell, clearance) in &clearances {
        plot.paint(&mut canvas, *cell, colour(clearance.time / furthest));
    }
    plot.period_ends(&mut canvas, &view, PERIOD_END);
    for (surface, outline) in [(&b, OUTLINE_B), (&a, OUTLINE_A)] {
        surface.creases().iter().for_each(|ends| plot.line(&mut canvas, *ends, 0.5, outline));
        surface.outline().iter().for_each(|ends| plot.line(&mut canvas, *ends, 2.0, outline));
    }
    let mark_styles = mark_styles(shown, options)?;
    for ((mark, place), style) in marks.iter().zip(mark_styles) {
        plot.mark(&mut canvas, *place, (mark.features, style));
    }
    let scale = Scale { furthest, duration: shown.duration, angle: frame.angle, speed: plot.speed(&frame) };
    legend::draw(&mut canvas, &plot, &scale);
    Ok(Picture::of(&canvas, size))
}

/// The largest width and height, in pixels.
const LARGEST: u32 = 4096;

/// The reason why no picture can be drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum ScreenError {
    /// A width or height outside 1 to 4096.
    Size([u32; 2]),
    /// A body has a length, in metres, that cannot be drawn.
    Length(f64),
    /// The engine rejects the bodies or the screw.
    Engine(Error),
}

impl std::fmt::Display for ScreenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size([width, height]) => {
                write!(f, "size: found {width}x{height}, expected 1 to {LARGEST} pixels each way")
            }
            Self::Length(found) => {
                write!(f, "found a length of {found:e} m, expected 1e-30 to 1e30 m: others are not drawn")
            }
            Self::Engine(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ScreenError {}

impl From<Error> for ScreenError {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

/// The clearances of the cells that both bodies cover and in which B is ahead.
fn clearances(
    shown: &ScreenShown<'_>,
    options: &Options,
    (view, plot): (&View, &Plot),
    (in_a, in_b): (&[bool], &[bool]),
) -> Result<Vec<(usize, Clearance)>, Error> {
    let both = (0..plot.cells()).filter(|cell| in_a[*cell] && in_b[*cell]);
    let lines: Vec<(usize, DVec3)> =
        both.filter_map(|cell| Some((cell, view.track(plot.middle(cell))?))).collect();
    let points: Vec<DVec3> = lines.iter().map(|(_, point)| *point).collect();
    let found = probes((shown.a, shown.b), shown.screw, &points, options)?;
    let clearances = lines.iter().zip(found).filter_map(|((cell, _), found)| match found.hit {
        FlowLineHit::Part(clearance) => Some((*cell, clearance)),
        FlowLineHit::Nothing | FlowLineHit::Undecided(_) => None,
    });
    Ok(clearances.collect())
}

/// The style of each mark.
fn mark_styles(shown: &ScreenShown<'_>, options: &Options) -> Result<Vec<MarkStyle>, Error> {
    let points: Vec<DVec3> = shown.collisions.iter().map(|mark| mark.point).collect();
    let found = probes((shown.a, shown.b), shown.screw, &points, options)?;
    let style = |(mark, nearest): (&ScreenMark, chasles::Probe)| match nearest.hit {
        FlowLineHit::Part(clearance) if clearance.time < mark.time - TIME_TOLERANCE => MarkStyle::Hollow,
        _ if mark.proper => MarkStyle::Filled,
        _ => MarkStyle::White,
    };
    Ok(shown.collisions.iter().zip(found).map(style).collect())
}

/// The speed of a point at a distance from the axis, in metres for the whole motion.
fn speed_at(frame: &ScrewFrame, radius: f64) -> f64 {
    (frame.angle * radius).hypot(frame.slide)
}
