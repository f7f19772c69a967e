//! Exports a scene with its motion to an animated binary glTF file, for other programs, in the colours of our pictures.

use std::ops::Range;

use chasles::{DeformingSurface, Mesh, Pose};
use chasles_formats::gltf::{AnimatedBody, AnimatedScene, MovingMesh, max_frames, to_glb};

use crate::playback::Playback;
use crate::render::{MOVES, STATIC_COLOUR};

/// Tolerance for thinning keys, as a fraction of a body's size: between keys, positions are off by about this at most.
const WITHIN: f64 = 1e-4;

/// Returns the motion of all bodies with a surface, up to the time `until` (in seconds, on the time axis of the
/// view), as a binary glTF 2.0 file. In the file y is up, and time 0 is the start of the motion. A deforming body
/// has a morph target for each of its frames, or for some of its frames: see [`thinned`].
///
/// # Errors
/// A message: a coordinate does not fit into 32-bit floats; the file exceeds one gibibyte; a frame cannot be read.
pub fn glb(name: &str, playback: &Playback, until: f64) -> Result<Vec<u8>, String> {
    let shown = playback.shown();
    let start = shown.time_interval[0];
    let mut meshes: Vec<&Mesh> = Vec::new();
    let mut moving = Vec::new();
    let end = (until - start).max(0.0);
    let mut bodies = Vec::new();
    for (number, body) in shown.bodies.iter().enumerate() {
        let (mut parts, mut size) = (Vec::new(), 0.0_f64);
        for (shape, frame) in shown.parts(body) {
            let mesh = shape.drawn();
            let known = meshes.iter().position(|other| std::ptr::eq(*other, mesh));
            parts.push((known.unwrap_or(meshes.len()), frame));
            if known.is_none() {
                if let Some(surface) = shape.deforming_surface().filter(|surface| surface.times().len() > 1) {
                    let (frames, every) = frames(surface, end);
                    let kept = kept(frames, every).map(|frame| (surface.times()[frame], frame));
                    let mesh = meshes.len();
                    moving.push(MovingMesh { mesh, surface, frames: kept.collect(), until: end });
                }
                meshes.push(mesh);
            }
            size = size.max(mesh.diagonal());
        }
        if parts.is_empty() {
            continue;
        }
        let keys = shown.keys(body).keys;
        let last = keys.partition_point(|(time, _)| *time < until);
        let end = (last < keys.len() && last > 0)
            .then(|| (until, shown.scene.pose_at(body.mover, shown.time_of_scene(until))));
        let before = keys[..last.max(1)].iter().copied();
        let keys: Vec<(f64, Pose)> =
            before.chain(end).map(|(time, pose)| ((time - start).max(0.0), pose)).collect();
        let colour = if playback.moves(number) { MOVES } else { STATIC_COLOUR };
        let within = WITHIN * if size > 0.0 { size } else { 1.0 };
        bodies.push(AnimatedBody { name: &body.name, colour, parts, keys, within });
    }
    to_glb(&AnimatedScene { name, up: playback.up(), meshes, moving, bodies })
}

/// A deforming body with more frames than the file has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thinned<'a> {
    /// The name of the body.
    pub body: &'a str,
    /// The number of its frames up to the end of the export.
    pub frames: usize,
    /// The file holds every `every`-th frame, and the last frame.
    pub every: usize,
}

/// The deforming bodies for which [`glb`] omits frames, if the export ends at `until`.
#[must_use]
pub fn thinned(playback: &Playback, until: f64) -> Vec<Thinned<'_>> {
    let shown = playback.shown();
    let end = (until - shown.time_interval[0]).max(0.0);
    let mut thinned = Vec::new();
    for body in &shown.bodies {
        let parts = shown.parts(body);
        let surfaces = parts.iter().filter_map(|(shape, _)| shape.deforming_surface());
        let most = surfaces.map(|surface| frames(surface, end)).max_by_key(|(frames, _)| frames.len());
        if let Some((frames, every)) = most.filter(|(_, every)| *every > 1) {
            thinned.push(Thinned { body: &body.name, frames: frames.len(), every });
        }
    }
    thinned
}

/// The range of frames that a surface passes through until `end` (in the surface's own time), and the stride of the
/// frames that the file keeps. The last frame is always kept.
fn frames(surface: &DeformingSurface, end: f64) -> (Range<usize>, usize) {
    let times = surface.times();
    let first = times.partition_point(|time| *time <= 0.0).saturating_sub(1);
    let last = times.partition_point(|time| *time < end).min(times.len().saturating_sub(1)).max(first);
    let most = max_frames(surface.mesh().vertex_count());
    let every = (last - first).div_ceil(most - 1).max(1);
    (first..last + 1, every)
}

fn kept(frames: Range<usize>, every: usize) -> impl Iterator<Item = usize> {
    let last = frames.end.saturating_sub(1);
    (frames.start..last).step_by(every).chain([last])
}
