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
pub struct FrameChunks {
    bodies: Vec<Option<FrameSequence>>,
}

/// The frames of one body.
#[derive(Debug, Clone)]
struct FrameSequence {
    body: String,
    surface: Arc<DeformingSurface>,
    origin: DVec3,
    /// The first displayed frame, and the number of displayed frames.
    first: usize,
    count: usize,
}

/// A body with frames that a file omits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OmittedFrames {
    /// The name of the body.
    pub body: String,
    /// The number of frames that a page with a server shows.
    pub frames: usize,
    /// The number of frames that the file omits.
    pub omitted: usize,
}

impl FrameChunks {
    pub(super) fn of(shown: &Shown) -> Self {
        Self { bodies: shown.bodies.iter().map(|body| FrameSequence::of(shown, body)).collect() }
    }

    /// Returns the size of a piece of a body's frames, in bytes: about one mebibyte, or a single frame that is
    /// larger. `None` if there is no such piece.
    #[must_use]
    pub fn size(&self, [body, piece]: [usize; 2]) -> Option<usize> {
        let sequence = self.sequence(body)?;
        Some(sequence.piece(piece)?.len() * sequence.frame())
    }

    /// Reads a piece of a body's frames. `None` if there is no such piece.
    ///
    /// # Errors
    /// A message with body and frame: a frame cannot be read, or has changed since the scene was read.
    #[must_use]
    pub fn read(&self, [body, piece]: [usize; 2]) -> Option<Result<Vec<u8>, String>> {
        let sequence = self.sequence(body)?;
        Some(sequence.read(sequence.piece(piece)?))
    }

    /// The document's entry for a body's frames, without their positions. `None` if the body always has its first
    /// shape.
    pub(super) fn entry(&self, body: usize, start: f64) -> Option<DeformingEntry> {
        let sequence = self.sequence(body)?;
        let times = &sequence.surface.times()[sequence.first..sequence.first + sequence.count];
        Some(DeformingEntry {
            times: packed(times.iter().map(|time| (start + time).to_le_bytes())),
            piece: sequence.frames_per_chunk(),
            frames: None,
            left_out: 0,
        })
    }

    /// The entries of all bodies with the positions of their frames, in at most `maximum` bytes in total. If the
    /// frames do not fit, a body keeps every second frame (or third, and so on) and the last, or no frames. Also
    /// returns the bodies with omitted frames.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn within(
        &self,
        maximum: usize,
        start: f64,
    ) -> Result<(Vec<Option<DeformingEntry>>, Vec<OmittedFrames>), String> {
        let sequences: Vec<&FrameSequence> = self.bodies.iter().flatten().collect();
        let longest = sequences.iter().map(|sequence| sequence.count).max().unwrap_or(0);
        let bytes = |every: usize| {
            let sizes = sequences.iter().map(|sequence| sequence.every_nth(every).count() * sequence.frame());
            sizes.fold(0_usize, usize::saturating_add)
        };
        let mut every = 1;
        while bytes(every) > maximum && every < longest {
            every += 1 + every / 8;
        }
        let is_any = bytes(every) <= maximum;
        let (mut entries, mut omitted) = (Vec::with_capacity(self.bodies.len()), Vec::new());
        for sequence in &self.bodies {
            let Some(sequence) = sequence else {
                entries.push(None);
                continue;
            };
            let every_nth: Vec<usize> = if is_any { sequence.every_nth(every).collect() } else { Vec::new() };
            let times =
                every_nth.iter().map(|frame| (start + sequence.surface.times()[*frame]).to_le_bytes());
            let left_out = sequence.count - every_nth.len();
            if left_out > 0 {
                omitted.push(OmittedFrames {
                    body: sequence.body.clone(),
                    frames: sequence.count,
                    omitted: left_out,
                });
            }
            let times = packed(times);
            let frames = Some(packed(sequence.read(every_nth)?.into_iter().map(|byte| [byte])));
            entries.push(Some(DeformingEntry {
                times,
                piece: sequence.frames_per_chunk(),
                frames,
                left_out,
            }));
        }
        Ok((entries, omitted))
    }

    fn sequence(&self, body: usize) -> Option<&FrameSequence> {
        self.bodies.get(body)?.as_ref()
    }
}

impl FrameSequence {
    /// The frames that a body passes through while it is displayed. `None` if only the first shape is displayed.
    fn of(shown: &Shown, body: &ShownBody) -> Option<Self> {
        let [(shape, _)] = shown.parts(body)[..] else { return None };
        let surface = shape.deforming_surface()?;
        let (times, duration) = (surface.times(), shown.scene.duration());
        let first = times.partition_point(|time| *time <= 0.0).saturating_sub(1);
        let last = times.partition_point(|time| *time < duration).min(times.len() - 1).max(first);
        let count = last - first + 1;
        let sequence = || Self {
            body: body.name.clone(),
            surface: Arc::clone(surface),
            origin: centre(shape),
            first,
            count,
        };
        (last > 0).then(sequence)
    }

    /// Bytes of a frame.
    fn frame(&self) -> usize {
        self.surface.mesh().vertex_count().saturating_mul(VERTEX)
    }

    fn frames_per_chunk(&self) -> usize {
        (limits::CHUNK / self.frame().max(1)).clamp(1, self.count)
    }

    /// The frames of a piece.
    fn piece(&self, number: usize) -> Option<std::ops::Range<usize>> {
        let frames = self.frames_per_chunk();
        let start = number.checked_mul(frames).filter(|start| *start < self.count)?;
        let end = (start + frames).min(self.count);
        Some(self.first + start..self.first + end)
    }

    /// Every `every`-th frame, and the last.
    fn every_nth(&self, every: usize) -> impl Iterator<Item = usize> {
        let last = self.first + self.count - 1;
        (self.first..last).step_by(every).chain([last])
    }

    fn read(&self, frames: impl IntoIterator<Item = usize>) -> Result<Vec<u8>, String> {
        let mut positions = vec![DVec3::ZERO; self.surface.mesh().vertex_count()];
        let mut bytes = Vec::new();
        for frame in frames {
            self.surface
                .read(frame, &mut positions)
                .map_err(|error| format!("body {:?}, frame {frame}: {error}", self.body))?;
            let numbers = positions.iter().flat_map(|position| (*position - self.origin).to_array());
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
pub(crate) fn positions_at(surface: &DeformingSurface, time: f64) -> Result<Vec<DVec3>, Error> {
    let times = surface.times();
    let next = times.partition_point(|other| *other <= time);
    let mut positions = vec![DVec3::ZERO; surface.mesh().vertex_count()];
    surface.read(next.saturating_sub(1), &mut positions)?;
    if next == 0 || next == times.len() || times[next - 1] == time {
        return Ok(positions);
    }
    let fraction = (time - times[next - 1]) / (times[next] - times[next - 1]);
    let mut after = vec![DVec3::ZERO; positions.len()];
    surface.read(next, &mut after)?;
    positions.iter_mut().zip(after).for_each(|(position, after)| *position = position.lerp(after, fraction));
    Ok(positions)
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

    fn pieces(times: Vec<f64>, duration: f64) -> FrameChunks {
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
        FrameChunks::of(&Shown::scene(Scene::new(definition).unwrap()))
    }

    fn heights(bytes: &[u8]) -> Vec<f32> {
        let numbers: Vec<f32> =
            bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
        numbers.chunks_exact(9).map(|frame| frame[2]).collect()
    }

    #[test]
    fn shapes_are_interpolated_between_frames_and_constant_outside() {
        let surface = surface(vec![1.0, 2.0, 4.0]);
        for (time, z) in
            [(0.0, 0.0), (1.0, 0.0), (1.25, 0.25), (2.0, 1.0), (3.0, 1.5), (4.0, 2.0), (9.0, 2.0)]
        {
            let positions = positions_at(&surface, time).unwrap();
            assert_eq!(positions[2], DVec3::new(0.0, 4.0, z), "{time}");
        }
    }

    #[test]
    fn only_visible_frames_are_sent() {
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
    fn pieces_are_complete_frames_of_about_a_mebibyte() {
        // Each frame has 36 bytes.
        let shown = pieces((0..100_000).map(f64::from).collect(), 1e6);
        let check_chunk = limits::CHUNK / 36;
        assert_eq!(shown.size([0, 0]), Some(36 * check_chunk));
        assert_eq!(shown.size([0, 3]), Some(36 * (100_000 - 3 * check_chunk)));
        assert_eq!(shown.size([0, 4]), None);
        let second = heights(&shown.read([0, 1]).unwrap().unwrap());
        let middle = 0.5 * 99_999.0;
        #[expect(clippy::cast_possible_truncation, reason = "as it is written")]
        let first = (check_chunk as f64 - middle) as f32;
        assert_eq!((second.len(), second[0]), (check_chunk, first));
    }

    #[test]
    fn excess_frames_of_a_file_are_omitted_and_counted() {
        let shown = pieces((0..100).map(f64::from).collect(), 99.0);
        let (everything, omitted) = shown.within(3600, 0.0).unwrap();
        assert_eq!((everything[0].as_ref().unwrap().left_out, omitted), (0, vec![]));
        for maximum in [3599, 1000, 200, 72] {
            let (reduced, omitted) = shown.within(maximum, 0.0).unwrap();
            let entry = reduced[0].as_ref().unwrap();
            let bytes = entry.frames.as_ref().unwrap().len() / 4 * 3;
            assert!(bytes <= maximum && bytes + 3600 / 9 > maximum.min(1000), "{maximum}: {bytes}");
            let every_nth = 100 - entry.left_out;
            assert_eq!(
                (entry.times.len(), bytes / 36),
                ((8 * every_nth).div_ceil(3) * 4, every_nth),
                "{maximum}"
            );
            assert_eq!(
                omitted,
                [OmittedFrames { body: "sail".into(), frames: 100, omitted: entry.left_out }]
            );
        }
        let (none, omitted) = shown.within(71, 0.0).unwrap();
        assert_eq!((none[0].as_ref().unwrap().frames.as_deref(), omitted[0].omitted), (Some(""), 100));
    }
}
