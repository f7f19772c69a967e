//! A mesh with moving vertices as morph targets: one target for each frame but the first, with linear weights.
//!
//! The weights of two successive frames add up to one, so each vertex moves on a straight line between them. There
//! are no normals, which would double the size of every target: programs compute them, and show such a mesh with
//! flat faces.

use std::collections::BTreeMap;

use chasles::DeformingSurface;
use glam::DVec3;

use super::shaded::narrow;
use crate::limits::GLTF_WRITTEN;

/// Maximum number of frames of a mesh in a file: the number of weights is quadratic in it.
pub const MAX_FRAMES: usize = 1000;

/// Maximum number of frames written for a mesh with this number of vertices beside other meshes: [`MAX_FRAMES`], or
/// the number that takes a quarter of a file's maximum size; at least two.
#[must_use]
pub fn max_frames(vertices: usize) -> usize {
    const VERTEX: usize = 12;
    (GLTF_WRITTEN / 4 / VERTEX / vertices.max(1)).clamp(2, MAX_FRAMES)
}

/// A mesh whose vertices move linearly from frame to frame.
#[derive(Debug, Clone)]
pub struct MovingMesh<'a> {
    /// The number of the mesh in the scene.
    pub mesh: usize,
    /// Triangles and vertex positions.
    pub surface: &'a DeformingSurface,
    /// Increasing times in seconds of the file, with frame numbers of the surface; at least one and at most
    /// [`MAX_FRAMES`]. Before the first time the mesh has the shape of the first frame.
    pub frames: Vec<(f64, usize)>,
    /// The end of the motion, in seconds of the file; at least 0.
    pub until: f64,
}

/// The arrays of the file.
pub(super) struct Morphed {
    /// Positions in the first frame, of the vertices that triangles use.
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// For each further frame, the displacements of the vertices from the first frame.
    pub(super) targets: Vec<Vec<[f32; 3]>>,
    /// Increasing times in seconds.
    pub(super) times: Vec<[f32; 1]>,
    /// For each time, one weight per target.
    pub(super) weights: Vec<[f32; 1]>,
}

/// Computes the arrays.
///
/// # Errors
/// In a sentence: no frame, or too many; a frame that cannot be read; a coordinate that `f32` cannot hold.
pub(super) fn morphed(moving: &MovingMesh<'_>) -> Result<Morphed, String> {
    let MovingMesh { surface, ref frames, .. } = *moving;
    if frames.is_empty() || frames.len() > MAX_FRAMES {
        return Err(format!("found {} frames, expected 1 to {MAX_FRAMES}", frames.len()));
    }
    let mesh = surface.mesh();
    let corners = mesh.triangles().as_flattened();
    let used: BTreeMap<u32, u32> = corners.iter().map(|corner| (*corner, 0)).collect();
    let used: BTreeMap<u32, u32> = used.into_keys().zip(0..).collect();
    let number = |corner: u32| used.get(&corner).copied().unwrap_or(0);
    let triangles = mesh.triangles().iter().map(|corners| corners.map(number)).collect();
    let mut places = vec![DVec3::ZERO; mesh.vertex_count()];
    let (mut positions, mut targets): (Vec<[f32; 3]>, Vec<_>) = (Vec::new(), Vec::new());
    for (number, (_, frame)) in frames.iter().enumerate() {
        surface.read(*frame, &mut places).map_err(|error| error.to_string())?;
        let base_positions = used.keys().filter_map(|vertex| places.get(*vertex as usize));
        let displacements: Vec<[f32; 3]> = match number {
            0 => base_positions.map(|place| narrow(*place)).collect(),
            _ => {
                let displacements = base_positions.zip(&positions);
                displacements
                    .map(|(place, first)| narrow(*place - DVec3::from_array(first.map(f64::from))))
                    .collect()
            }
        };
        if displacements.as_flattened().iter().any(|x| !x.is_finite()) {
            return Err("found a mesh with a coordinate of 3e38 m or more, expected less".into());
        }
        match number {
            0 => positions = displacements,
            _ => targets.push(displacements),
        }
    }
    let (times, weights) = weights(frames, moving.until);
    Ok(Morphed { positions, triangles, targets, times, weights })
}

/// The times, with the weights of all frames but the first at each time.
#[expect(clippy::cast_possible_truncation, reason = "the format has no more digits")]
fn weights(frames: &[(f64, usize)], until: f64) -> (Vec<[f32; 1]>, Vec<[f32; 1]>) {
    let (mut times, mut weights): (Vec<[f32; 1]>, Vec<[f32; 1]>) = (Vec::new(), Vec::new());
    for (time, _) in frames {
        let time = time.clamp(0.0, until.max(0.0));
        let rounded_time = [(time + 0.0) as f32];
        if times.last().is_some_and(|last| *last >= rounded_time) {
            continue;
        }
        times.push(rounded_time);
        let next = frames.partition_point(|(other, _)| *other <= time);
        let last = next.saturating_sub(1);
        let fraction = match (frames.get(last), frames.get(next)) {
            (Some((start, _)), Some((end, _))) if next > 0 => (time - start) / (end - start),
            _ => 0.0,
        };
        for frame in 1..frames.len() {
            weights.push([match frame {
                _ if frame == last => (1.0 - fraction) as f32,
                _ if frame == next => fraction as f32,
                _ => 0.0,
            }]);
        }
    }
    (times, weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_meshes_have_fewer_frames() {
        assert_eq!([0, 8, 22_000].map(max_frames), [MAX_FRAMES; 3]);
        assert_eq!([100_000, usize::MAX].map(max_frames), [223, 2]);
    }

    #[test]
    fn weights_interpolate_the_two_nearest_frames() {
        let rows = |frames: &[(f64, usize)], until: f64| {
            let (times, weights) = weights(frames, until);
            let each = frames.len() - 1;
            let rows = weights.as_flattened().chunks(each).map(<[f32]>::to_vec);
            times.into_iter().map(|[time]| time).zip(rows).collect::<Vec<_>>()
        };
        let frames = [(-1.0, 4), (1.0, 5), (2.0, 6), (4.0, 9)];
        assert_eq!(
            rows(&frames, 3.0),
            [
                (0.0, vec![0.5, 0.0, 0.0]),
                (1.0, vec![1.0, 0.0, 0.0]),
                (2.0, vec![0.0, 1.0, 0.0]),
                (3.0, vec![0.0, 0.5, 0.5]),
            ]
        );
        assert_eq!(rows(&frames[1..], 9.0).last(), Some(&(4.0, vec![0.0, 1.0])));
        assert_eq!(rows(&frames[1..], 9.0)[0], (1.0, vec![0.0, 0.0]));
        // Times that are equal in 32 bits are merged.
        assert_eq!(rows(&[(1.0, 0), (1.0 + 1e-12, 1), (2.0, 2)], 2.0).len(), 2);
    }
}
