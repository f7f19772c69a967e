//! What is shown as an animated file, for other programs: binary glTF, with the colours of our pictures.

use chasles::{Mesh, Pose};
use chasles_formats::gltf::{AnimatedBody, AnimatedScene, to_glb};

use crate::playback::Playback;
use crate::render::{MOVES, STANDS};

/// Places are at most about this share of a body's size off between the times of a file.
const WITHIN: f64 = 1e-4;

/// The motion of all bodies with a surface until a time, in seconds of what is shown, as a file in binary glTF 2.0: y is
/// up there, and its time 0 is where the motion begins. Bodies that deform have their first shape: see [`bending`].
///
/// # Errors
/// In a sentence: a coordinate that a number of 32 bits does not hold; a file of more than a gibibyte.
pub fn glb(name: &str, playback: &Playback, until: f64) -> Result<Vec<u8>, String> {
    let shown = playback.shown();
    let begin = shown.span[0];
    let mut meshes: Vec<&Mesh> = Vec::new();
    let mut bodies = Vec::new();
    for (number, body) in shown.bodies.iter().enumerate() {
        let (mut parts, mut size) = (Vec::new(), 0.0_f64);
        for (shape, frame) in shown.parts(body) {
            let mesh = shape.drawn();
            let known = meshes.iter().position(|other| std::ptr::eq(*other, mesh));
            parts.push((known.unwrap_or(meshes.len()), frame));
            if known.is_none() {
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
            before.chain(end).map(|(time, pose)| ((time - begin).max(0.0), pose)).collect();
        let colour = if playback.moves(number) { MOVES } else { STANDS };
        let within = WITHIN * if size > 0.0 { size } else { 1.0 };
        bodies.push(AnimatedBody { name: &body.name, colour, parts, keys, within });
    }
    to_glb(&AnimatedScene { name, meshes, bodies })
}

/// The names of the bodies that deform, of which [`glb`] writes the first shape alone.
#[must_use]
pub fn bending(playback: &Playback) -> Vec<&str> {
    let shown = playback.shown();
    let bends = |body: &&crate::playback::ShownBody| {
        let mut surfaces = shown.parts(body).into_iter().filter_map(|(shape, _)| shape.deforming_surface());
        surfaces.any(|surface| surface.times().len() > 1)
    };
    shown.bodies.iter().filter(bends).map(|body| body.name.as_str()).collect()
}
