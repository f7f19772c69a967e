//! The frames of deforming bodies: one shape for a picture, in pieces for a page that requests them during
//! playback, or all together for a file.
//!
//! Frames are not cached. Each is read from its file when needed, so memory use is one piece, however long the file is.

use std::sync::Arc;

use chasles::{CollisionShape, DeformingSurface, Error};
use glam::DVec3;

use super::document::{DeformingEntry, packed};
use super::meshes::{centre, narrow};
use super::shown::{Shown, ShownBody};
use crate::limits;

/// Bytes of a vertex: three 32-bit floats.
const VERTEX: usize = 12;

/// The displayed frames of all bodies, in pieces of whole frames, numbered from 0.
///
/// A piece is a list of little-endian `f32`: x, y, z of every vertex in the order of the file, frame after frame.
/// Positions are in metres in the body's frame, relative to the origin of the body's mesh in the document.
#[derive(Debug, Clone, Default)]
pub struct FramePieces {
    bodies: Vec<Option<Course>>,
}

/// The frames of one body.
#[derive(Debug, Clone)]
struct Course {
    body: String,
    surface: Arc<DeformingSurface>,
    origin: DVec3,
    /// The first displayed frame, and the number of displayed frames.
    first: usize,
    count: usize,
}

/// A body with frames that a file omits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The name of the body.
    pub body: String,
    /// The number of frames that a page with a server shows.
    pub frames: usize,
    /// The number of frames that the file omits.
    pub left_out: usize,
}

impl FramePieces {
    pub(super) fn of(shown: &Shown) -> Self {
        Self { bodies: shown.bodies.iter().map(|body| Course::of(shown, body)).collect() }
    }

    /// Returns the size of a piece of a body's frames, in bytes: about one mebibyte, or a single frame that is
    /// larger. `None` if there is no such piece.
    #[must_use]
    pub fn size(&self, [body, piece]: [usize; 2]) -> Option<usize> {
        let course = self.course(body)?;
        Some(course.piece(piece)?.len() * course.frame())
    }

    /// Reads a piece of a body's frames. `None` if there is no such piece.
    ///
    /// # Errors
    /// A message with body and frame: a frame cannot be read, or has changed since the scene was read.
    #[must_use]
    pub fn read(&self, [body, piece]: [usize; 2]) -> Option<Result<Vec<u8>, String>> {
        let course = self.course(body)?;
        Some(course.read(course.piece(piece)?))
    }

    /// The document's entry for a body's frames, without their positions. `None` if the body always has its first
    /// shape.
    pub(super) fn entry(&self, body: usize, begin: f64) -> Option<DeformingEntry> {
        let course = self.course(body)?;
        let times = &course.surface.times()[course.first..course.first + course.count];
        Some(DeformingEntry {
            times: packed(times.iter().map(|time| (begin + time).to_le_bytes())),
            piece: course.frames_a_piece(),
            frames: None,
            left_out: 0,
        })
    }

    /// The entries of all bodies with the positions of their frames, in at most `most` bytes in total. If the
    /// frames do not fit, a body keeps every second frame (or third, and so on) and the last, or no frames. Also
    /// returns the bodies with omitted frames.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn within(
        &self,
        most: usize,
        begin: f64,
    ) -> Result<(Vec<Option<DeformingEntry>>, Vec<LeftOut>), String> {
        let courses: Vec<&Course> = self.bodies.iter().flatten().collect();
        let longest = courses.iter().map(|course| course.count).max().unwrap_or(0);
        let bytes = |every: usize| {
            let sizes = courses.iter().map(|course| course.kept(every).count() * course.frame());
            sizes.fold(0_usize, usize::saturating_add)
        };
        let mut every = 1;
        while bytes(every) > most && every < longest {
            every += 1 + every / 8;
        }
        let is_any = bytes(every) <= most;
        let (mut entries, mut left) = (Vec::with_capacity(self.bodies.len()), Vec::new());
        for course in &self.bodies {
            let Some(course) = course else {
                entries.push(None);
                continue;
            };
            let kept: Vec<usize> = if is_any { course.kept(every).collect() } else { Vec::new() };
            let times = kept.iter().map(|frame| (begin + course.surface.times()[*frame]).to_le_bytes());
            let left_out = course.count - kept.len();
            if left_out > 0 {
                left.push(LeftOut { body: course.body.clone(), frames: course.count, left_out });
            }
            let times = packed(times);
            let frames = Some(packed(course.read(kept)?.into_iter().map(|byte| [byte])));
            entries.push(Some(DeformingEntry { times, piece: course.frames_a_piece(), frames, left_out }));
        }
        Ok((entries, left))
    }

    fn course(&self, body: usize) -> Option<&Course> {
        self.bodies.get(body)?.as_ref()
    }
}

impl Course {
    /// The frames that a body passes through while it is displayed. `None` if only the first shape is displayed.
    fn of(shown: &Shown, body: &ShownBody) -> Option<Self> {
        let [(shape, _)] = shown.parts(body)[..] else { return None };
        let surface = shape.deforming_surface()?;
        let (times, duration) = (surface.times(), shown.scene.duration());
        let first = times.partition_point(|time| *time <= 0.0).saturating_sub(1);
        let last = times.partition_point(|time| *time < duration).min(times.len() - 1).max(first);
        let count = last - first + 1;
        let course = || Self {
            body: body.name.clone(),
            surface: Arc::clone(surface),
            origin: centre(shape),
            first,
            count,
        };
        (last > 0).then(course)
    }

    /// Bytes of a frame.
    fn frame(&self) -> usize {
        self.surface.mesh().vertex_count().saturating_mul(VERTEX)
    }

    fn frames_a_piece(&self) -> usize {
        (limits::PIECE / self.frame().max(1)).clamp(1, self.count)
    }

    /// The frames of a piece.
    fn piece(&self, number: usize) -> Option<std::ops::Range<usize>> {
        let frames = self.frames_a_piece();
        let begin = number.checked_mul(frames).filter(|begin| *begin < self.count)?;
        let end = (begin + frames).min(self.count);
        Some(self.first + begin..self.first + end)
    }

    /// Every `every`-th frame, and the last.
    fn kept(&self, every: usize) -> impl Iterator<Item = usize> {
        let last = self.first + self.count - 1;
        (self.first..last).step_by(every).chain([last])
    }

    fn read(&self, frames: impl IntoIterator<Item = usize>) -> Result<Vec<u8>, String> {
        let mut places = vec![DVec3::ZERO; self.surface.mesh().vertex_count()];
        let mut bytes = Vec::new();
        for frame in frames {
            self.surface
                .read(frame, &mut places)
                .map_err(|error| format!("body {:?}, frame {frame}: {error}", self.body))?;
            let numbers = places.iter().flat_map(|place| (*place - self.origin).to_array());
            bytes.extend(numbers.flat_map(|number| narrow(number).to_le_bytes()));
        }
        Ok(bytes)
    }
}

/// Whether a shape ever changes.
pub(super) fn is_bending(shape: &CollisionShape) -> bool {
    shape.deforming_surface().is_some_and(|surface| surface.times().len() > 1)
}

/// Returns the positions of a surface's vertices at a time, in the body's frame: linear between two frames,
/// constant before the first frame and after the last.
///
/// # Errors
/// As [`DeformingSurface::read`].
pub(crate) fn places_at(surface: &DeformingSurface, time: f64) -> Result<Vec<DVec3>, Error> {
    let times = surface.times();
    let next = times.partition_point(|other| *other <= time);
    let mut places = vec![DVec3::ZERO; surface.mesh().vertex_count()];
    surface.read(next.saturating_sub(1), &mut places)?;
    if next == 0 || next == times.len() || times[next - 1] == time {
        return Ok(places);
    }
    let share = (time - times[next - 1]) / (times[next] - times[next - 1]);
    let mut after = vec![DVec3::ZERO; places.len()];
    surface.read(next, &mut after)?;
    places.iter_mut().zip(after).for_each(|(place, after)| *place = place.lerp(after, share));
    Ok(places)
}

#[cfg(test)]
mod tests {
    use chasles::{BodyMotion, FramesInMemory, Mesh, Pose, Scene, SceneBody, SceneDefinition};

    use super::*;

    /// A triangle that rises by a metre from frame to frame.
    fn surface(times: Vec<f64>) -> Arc<DeformingSurface> {
        let at = |frame: usize| {
            let z = frame as f64;
            vec![DVec3::new(0.0, 0.0, z), DVec3::new(2.0, 0.0, z), DVec3::new(0.0, 4.0, z)]
        };
        let frames = (0..times.len()).map(at).collect();
        let mesh = Mesh::new(at(0), vec![[0, 1, 2]]).unwrap();
        Arc::new(DeformingSurface::new(mesh, times, Arc::new(FramesInMemory(frames))).unwrap())
    }

    fn pieces(times: Vec<f64>, duration: f64) -> FramePieces {
        let body = SceneBody {
            name: "sail".into(),
            shape: Some(CollisionShape::deforming(surface(times))),
            motion: BodyMotion::Still(Pose::IDENTITY),
            parent: None,
            group: None,
            solid: false,
        };
        let (bodies, ignore) = (vec![body], vec![]);
        let definition = SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies, ignore };
        FramePieces::of(&Shown::scene(Scene::new(definition).unwrap()))
    }

    fn heights(bytes: &[u8]) -> Vec<f32> {
        let numbers: Vec<f32> =
            bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
        numbers.chunks_exact(9).map(|frame| frame[2]).collect()
    }

    #[test]
    fn shapes_are_even_between_frames_and_held_outside() {
        let surface = surface(vec![1.0, 2.0, 4.0]);
        for (time, z) in
            [(0.0, 0.0), (1.0, 0.0), (1.25, 0.25), (2.0, 1.0), (3.0, 1.5), (4.0, 2.0), (9.0, 2.0)]
        {
            let places = places_at(&surface, time).unwrap();
            assert_eq!(places[2], DVec3::new(0.0, 4.0, z), "{time}");
        }
    }

    #[test]
    fn only_frames_that_are_shown_are_given() {
        // The scene lasts from 0 to 2, so of the frames at -2 to 4 it needs those from -1 (the second) to 3.
        let shown = pieces(vec![-2.0, -1.0, 1.0, 3.0, 4.0], 2.0);
        let bytes = shown.read([0, 0]).unwrap().unwrap();
        // Relative to the middle of all shapes, which is at a height of 2 m.
        assert_eq!(heights(&bytes), [-1.0, 0.0, 1.0]);
        assert_eq!((shown.size([0, 0]), shown.size([0, 1]), shown.size([1, 0])), (Some(108), None, None));
        assert_eq!(shown.size([0, usize::MAX]), None);
        // If all frames are before the scene starts, the last frame is shown; if all are after its end, the first,
        // which is the mesh.
        assert_eq!(heights(&pieces(vec![-2.0, -1.0], 2.0).read([0, 0]).unwrap().unwrap()), [0.5]);
        assert!(pieces(vec![3.0, 4.0], 2.0).read([0, 0]).is_none());
        assert!(pieces(vec![0.0], 2.0).read([0, 0]).is_none());
    }

    #[test]
    fn pieces_are_whole_frames_about_a_mebibyte_long() {
        // Each frame has 36 bytes.
        let shown = pieces((0..100_000).map(f64::from).collect(), 1e6);
        let a_piece = limits::PIECE / 36;
        assert_eq!(shown.size([0, 0]), Some(36 * a_piece));
        assert_eq!(shown.size([0, 3]), Some(36 * (100_000 - 3 * a_piece)));
        assert_eq!(shown.size([0, 4]), None);
        let second = heights(&shown.read([0, 1]).unwrap().unwrap());
        let middle = 0.5 * 99_999.0;
        #[expect(clippy::cast_possible_truncation, reason = "as it is written")]
        let first = (a_piece as f64 - middle) as f32;
        assert_eq!((second.len(), second[0]), (a_piece, first));
    }

    #[test]
    fn a_file_takes_what_fits_and_says_what_it_leaves_out() {
        let shown = pieces((0..100).map(f64::from).collect(), 99.0);
        let (whole, left) = shown.within(3600, 0.0).unwrap();
        assert_eq!((whole[0].as_ref().unwrap().left_out, left), (0, vec![]));
        for most in [3599, 1000, 200, 72] {
            let (some, left) = shown.within(most, 0.0).unwrap();
            let entry = some[0].as_ref().unwrap();
            let bytes = entry.frames.as_ref().unwrap().len() / 4 * 3;
            assert!(bytes <= most && bytes + 3600 / 9 > most.min(1000), "{most}: {bytes}");
            let kept = 100 - entry.left_out;
            assert_eq!((entry.times.len(), bytes / 36), ((8 * kept).div_ceil(3) * 4, kept), "{most}");
            assert_eq!(left, [LeftOut { body: "sail".into(), frames: 100, left_out: entry.left_out }]);
        }
        let (none, left) = shown.within(71, 0.0).unwrap();
        assert_eq!((none[0].as_ref().unwrap().frames.as_deref(), left[0].left_out), (Some(""), 100));
    }
}
