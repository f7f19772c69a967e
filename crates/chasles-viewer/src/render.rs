//! Renders a still picture of a scene or robot at a time, without a browser: for reports and build servers.
//!
//! ```text
//! canvas   draws triangles, lines and discs with a depth buffer
//! camera   the camera
//! marks    marked contacts: bodies, points, features
//! ```
//!
//! The colours are those of the page: bodies in contact in two colours that are distinguishable with any colour
//! vision, contacts in a third.

pub(crate) mod canvas;
mod camera;
mod marks;

use chasles::Mesh;
use glam::DVec3;

use self::camera::{Camera, ViewBox};
use self::canvas::{Canvas, Colour, mixed};
use self::marks::{Mark, Part, marks, parts};
use crate::playback::Playback;

/// Options of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RenderOptions {
    /// Width and height in pixels, 1 to 4096 each.
    pub size: [u32; 2],
    /// The viewing direction: the vector from the scene towards the eye. Zero means from above.
    pub from: DVec3,
    /// The marks that are drawn over the bodies.
    pub highlight: Highlight,
}

/// The marks that are drawn over the bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Highlight {
    /// Points and normals of contacts.
    Points,
    /// Points and normals, and also the features in contact and the triangles that intersect at the time.
    Features,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self { size: [1280, 720], from: DVec3::new(0.9, -1.4, 0.9), highlight: Highlight::Points }
    }
}

/// A picture: rows from the top, each pixel as red, green and blue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    size: [u32; 2],
    pixels: Vec<u8>,
}

/// The reason why no picture can be rendered.
#[derive(Debug, Clone, PartialEq)]
pub enum RenderError {
    /// A width or height outside 1 to 4096.
    Size([u32; 2]),
    /// A direction that is not finite.
    Direction(DVec3),
    /// A time outside the displayed interval, and the start and end of the interval.
    Time(f64, [f64; 2]),
    /// The shape of a deforming body cannot be read; the message names the body and the cause.
    Frames(String),
}

impl std::fmt::Display for RenderError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size([width, height]) => {
                write!(f, "size: found {width}x{height}, expected 1 to {LARGEST} pixels each way")
            }
            Self::Direction(from) => write!(f, "from: found {from}, expected a direction"),
            Self::Time(time, [start, end]) => {
                write!(f, "time: found {time}, expected a time within {start} to {end} s")
            }
            Self::Frames(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for RenderError {}

const LARGEST: u32 = 4096;

const SKY: [Colour; 2] = [[0xf7, 0xf8, 0xfa], [0xdf, 0xe3, 0xe8]];
pub(crate) const STATIC_COLOUR: Colour = [0xb9, 0xbe, 0xc6];
pub(crate) const MOVES: Colour = [0x93, 0xa1, 0xb3];
const EDGE: Colour = [0x34, 0x3b, 0x46];
const A: Colour = [0x3f, 0x94, 0xd1];
const B: Colour = [0xe6, 0xa1, 0x1c];
const CONTACT: Colour = [0xd5, 0x5e, 0x00];
const NEAR_COLOUR: Colour = [0x00, 0x9e, 0x73];
const WHITE: Colour = [0xff; 3];

/// Radius of the disc at a contact point, and length of its normal, in pixels.
const DISC: f64 = 5.0;
const NORMAL: f64 = 48.0;

/// Lines are drawn nearer to the eye than the surface that they lie on, by this number of pixels.
const ON_TOP: f64 = 0.75;

/// The edge between two triangles is not drawn if the cosine of the angle between their normals is above this
/// value: 30 degrees.
const SMOOTH: f64 = 0.866;

/// The brightness of a surface that faces away from the light.
const DIM: f64 = 0.5;

/// The direction towards the light in the coordinates of the eye: over the left shoulder.
const LIGHT: DVec3 = DVec3::new(-0.35, 0.45, 0.82);

/// Renders the bodies at a time. The marks show the contacts of the report that are active at that time, or start
/// within a millionth of the duration after it: the bodies, the contact point and, at the start of the contact, the
/// normal. Deforming bodies have their shape at that time. If the report has their events, the points of the events
/// in the last twenty-fifth of the duration before the time are marked.
///
/// # Errors
/// A size, direction or time without a picture; a frame of a deforming body cannot be read.
pub fn render(playback: &Playback, time: f64, options: &RenderOptions) -> Result<Picture, RenderError> {
    check(playback, time, options)?;
    let RenderOptions { size, from, .. } = *options;
    let parts = parts(playback, time).map_err(RenderError::Frames)?;
    let mut view_box = ViewBox::new(from);
    view_box.extend(parts.iter().flat_map(Part::corners));
    Ok(painted(playback, time, options, (&parts, &Camera::new(size, &view_box))))
}

/// The pictures of a film. The camera is fixed, and its view contains everything that appears in the film.
#[derive(Debug, Clone)]
pub struct Film<'p> {
    playback: &'p Playback,
    options: RenderOptions,
    times: Vec<f64>,
    camera: Camera,
}

impl<'p> Film<'p> {
    /// Finds a camera that shows all bodies at these times, in seconds. The film has one picture for each time.
    ///
    /// # Errors
    /// As [`render`].
    pub fn new(
        playback: &'p Playback,
        times: Vec<f64>,
        options: &RenderOptions,
    ) -> Result<Self, RenderError> {
        let mut view_box = ViewBox::new(options.from);
        for time in &times {
            check(playback, *time, options)?;
            let parts = parts(playback, *time).map_err(RenderError::Frames)?;
            view_box.extend(parts.iter().flat_map(Part::corners));
        }
        let camera = Camera::new(options.size, &view_box);
        Ok(Self { playback, options: *options, times, camera })
    }

    /// Returns the number of pictures.
    #[must_use]
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// Renders the picture with this number, counted from 0, as [`render`] does. `None` if there is no such picture.
    ///
    /// # Errors
    /// A frame of a deforming body cannot be read.
    #[must_use]
    pub fn picture(&self, number: usize) -> Option<Result<Picture, RenderError>> {
        let time = *self.times.get(number)?;
        let parts = parts(self.playback, time).map_err(RenderError::Frames);
        Some(parts.map(|parts| painted(self.playback, time, &self.options, (&parts, &self.camera))))
    }
}

/// Checks that the picture can be rendered.
fn check(playback: &Playback, time: f64, options: &RenderOptions) -> Result<(), RenderError> {
    let RenderOptions { size, from, .. } = *options;
    if size.iter().any(|side| !(1..=LARGEST).contains(side)) {
        return Err(RenderError::Size(size));
    }
    if !from.is_finite() {
        return Err(RenderError::Direction(from));
    }
    let time_interval = playback.time_interval();
    if !(time_interval[0]..=time_interval[1]).contains(&time) {
        return Err(RenderError::Time(time, time_interval));
    }
    Ok(())
}

/// Renders the bodies at a time.
fn painted(
    playback: &Playback,
    time: f64,
    options: &RenderOptions,
    (parts, camera): (&[Part<'_>], &Camera),
) -> Picture {
    let RenderOptions { size, highlight, .. } = *options;
    let marks = marks(playback, time, highlight, parts);
    let mut canvas = Canvas::new(size, SKY);
    for part in parts {
        let colour = marks.iter().find_map(|mark| match mark {
            Mark::Pair { bodies, .. } if bodies[0] == part.body => Some(A),
            Mark::Pair { bodies, .. } if bodies[1] == part.body => Some(B),
            _ => None,
        });
        let plain = if part.moves { MOVES } else { STATIC_COLOUR };
        paint_part(&mut canvas, camera, part, colour.unwrap_or(plain));
    }
    for mark in &marks {
        paint_mark(&mut canvas, camera, mark);
    }
    Picture { size, pixels: canvas.pixels() }
}

fn paint_part(canvas: &mut Canvas, camera: &Camera, part: &Part<'_>, colour: Colour) {
    let light = LIGHT.normalize();
    let normals: Vec<DVec3> = part
        .mesh
        .triangles()
        .iter()
        .map(|triangle| {
            let [p, q, r] = triangle.map(|corner| part.place(corner));
            (q - p).cross(r - p).normalize_or_zero()
        })
        .collect();
    for (triangle, normal) in part.mesh.triangles().iter().zip(&normals) {
        // Both sides are shaded alike, because the orientation of a triangle may be meaningless.
        let view_box = camera.rotated(*normal);
        let facing = if view_box.z < 0.0 { -view_box } else { view_box };
        let bright = DIM + (1.0 - DIM) * (0.5 + 0.5 * facing.dot(light));
        canvas.triangle(
            triangle.map(|corner| camera.project(part.place(corner))),
            mixed([0; 3], colour, bright),
        );
    }
    for edge in creases(part.mesh, &normals) {
        let ends = edge.map(|corner| camera.project(part.place(corner)) - ON_TOP * DVec3::Z);
        canvas.line(ends, 1.0, mixed(colour, EDGE, 0.7));
    }
}

/// The edges where a surface ends, bends sharply or branches.
fn creases(mesh: &Mesh, normals: &[DVec3]) -> Vec<[u32; 2]> {
    let mut faces: Vec<Vec<usize>> = vec![Vec::new(); mesh.edges().len()];
    for (face, edges) in mesh.triangle_edges().iter().enumerate() {
        edges.iter().for_each(|edge| faces[*edge as usize].push(face));
    }
    // A triangle without area has no normal, so the edges beside it count as smooth.
    let flat = |face: usize| normals[face] == DVec3::ZERO;
    let is_smooth = |faces: &[usize]| match faces {
        [f, g] => flat(*f) || flat(*g) || normals[*f].dot(normals[*g]).abs() >= SMOOTH,
        _ => false,
    };
    let edges = mesh.edges().iter().zip(&faces);
    edges.filter(|(_, faces)| !is_smooth(faces)).map(|(edge, _)| *edge).collect()
}

fn paint_mark(canvas: &mut Canvas, camera: &Camera, mark: &Mark) {
    // Marks are drawn in front of everything.
    let in_front = |point: DVec3| camera.project(point).with_z(f64::NEG_INFINITY);
    match mark {
        Mark::Face(corners) => {
            canvas.triangle(corners.map(|corner| camera.project(corner) - ON_TOP * DVec3::Z), CONTACT);
        }
        Mark::Edge(ends) => canvas.line(ends.map(in_front), 3.0, CONTACT),
        Mark::Vertex(point) => canvas.disc(in_front(*point), 3.0, CONTACT),
        Mark::Event(point) => {
            canvas.disc(in_front(*point), 3.5, WHITE);
            canvas.disc(in_front(*point), 2.5, CONTACT);
        }
        Mark::Pair { point: None, .. } => {}
        Mark::Pair { point: Some((point, normal)), near, .. } => {
            let colour = if *near { NEAR_COLOUR } else { CONTACT };
            if let Some(normal) = normal {
                let view_box = NORMAL * camera.rotated(*normal);
                let from = in_front(*point);
                let tip = from + DVec3::new(view_box.x, -view_box.y, 0.0);
                canvas.line([from, tip], 3.5, WHITE);
                canvas.line([from, tip], 2.0, colour);
            }
            canvas.disc(in_front(*point), DISC + 1.5, WHITE);
            canvas.disc(in_front(*point), DISC, colour);
        }
    }
}

impl Picture {
    /// Takes the pixels of a canvas of this size.
    pub(crate) fn of(canvas: &Canvas, size: [u32; 2]) -> Self {
        Self { size, pixels: canvas.pixels() }
    }

    /// Returns width and height, in pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Returns the colour of a pixel, counted from the left and the top. `None` outside of the picture.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let [width, height] = self.size;
        let at = 3 * (y as usize * width as usize + x as usize);
        let pixel = (x < width && y < height).then(|| self.pixels.get(at..at + 3))??;
        pixel.try_into().ok()
    }

    /// Encodes the picture as a PNG file.
    ///
    /// # Errors
    /// No case is known: the file is written to memory.
    pub fn to_png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(file)
    }
}
