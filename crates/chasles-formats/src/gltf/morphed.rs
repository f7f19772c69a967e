//! A mesh whose vertices move as morph targets: one for each frame but the first, with weights that change evenly.
//!
//! Between two frames the weights of both add up to one, so that each vertex goes straight. There are no normals, with
//! which every target would be twice as large: programs work them out, and show such a mesh with flat faces.

use std::collections::BTreeMap;

use chasles::DeformingSurface;
use glam::DVec3;

use super::shaded::narrow;
use crate::limits::GLTF_WRITTEN;

/// Frames of a mesh that a file has room for, at most: the numbers of all weights grow as their square.
pub const MOST_FRAMES: usize = 1000;

/// Frames of a mesh of so many vertices that are written of one mesh among others, where it has more: [`MOST_FRAMES`], or as
/// many as take a quarter of the room of a file; two at least.
#[must_use]
pub fn most_frames(vertices: usize) -> usize {
    const VERTEX: usize = 12;
    (GLTF_WRITTEN / 4 / VERTEX / vertices.max(1)).clamp(2, MOST_FRAMES)
}

/// A mesh whose vertices move, evenly along straight lines from frame to frame.
#[derive(Debug, Clone)]
pub struct MovingMesh<'a> {
    /// The number of its mesh among those of the scene.
    pub mesh: usize,
    /// Triangles and places of vertices.
    pub surface: &'a DeformingSurface,
    /// Times in seconds of the file, increasing, with numbers of frames of the surface; one at least, [`MOST_FRAMES`] at
    /// most. It has its first shape before the first.
    pub frames: Vec<(f64, usize)>,
    /// It moves until then, in seconds of the file; at least 0.
    pub until: f64,
}

/// The numbers of it.
pub(super) struct Morphed {
    /// In the first frame, of the vertices that triangles use.
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Of each further frame: from the positions to where the vertices are.
    pub(super) targets: Vec<Vec<[f32; 3]>>,
    /// Seconds, increasing.
    pub(super) times: Vec<[f32; 1]>,
    /// At each of the times one for each target.
    pub(super) weights: Vec<[f32; 1]>,
}

/// Works them out.
///
/// # Errors
/// In a sentence: no frame, or too many; one that cannot be read; a coordinate that `f32` does not hold.
pub(super) fn morphed(moving: &MovingMesh<'_>) -> Result<Morphed, String> {
    let MovingMesh { surface, ref frames, .. } = *moving;
    if frames.is_empty() || frames.len() > MOST_FRAMES {
        return Err(format!("found {} frames, expected 1 to {MOST_FRAMES}", frames.len()));
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
        let own = used.keys().filter_map(|vertex| places.get(*vertex as usize));
        let ways: Vec<[f32; 3]> = match number {
            0 => own.map(|place| narrow(*place)).collect(),
            _ => {
                let ways = own.zip(&positions);
                ways.map(|(place, first)| narrow(*place - DVec3::from_array(first.map(f64::from)))).collect()
            }
        };
        if ways.as_flattened().iter().any(|x| !x.is_finite()) {
            return Err("found a mesh with a coordinate of 3e38 m or more, expected less".into());
        }
        match number {
            0 => positions = ways,
            _ => targets.push(ways),
        }
    }
    let (times, weights) = weights(frames, moving.until);
    Ok(Morphed { positions, triangles, targets, times, weights })
}

/// Times, and at each of them the weights of all frames but the first.
#[expect(clippy::cast_possible_truncation, reason = "the format has no more digits")]
fn weights(frames: &[(f64, usize)], until: f64) -> (Vec<[f32; 1]>, Vec<[f32; 1]>) {
    let (mut times, mut weights): (Vec<[f32; 1]>, Vec<[f32; 1]>) = (Vec::new(), Vec::new());
    for (time, _) in frames {
        let time = time.clamp(0.0, until.max(0.0));
        let told = [(time + 0.0) as f32];
        if times.last().is_some_and(|last| *last >= told) {
            continue;
        }
        times.push(told);
        let next = frames.partition_point(|(other, _)| *other <= time);
        let last = next.saturating_sub(1);
        let share = match (frames.get(last), frames.get(next)) {
            (Some((begin, _)), Some((end, _))) if next > 0 => (time - begin) / (end - begin),
            _ => 0.0,
        };
        for frame in 1..frames.len() {
            weights.push([match frame {
                _ if frame == last => (1.0 - share) as f32,
                _ if frame == next => share as f32,
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
        assert_eq!([0, 8, 22_000].map(most_frames), [MOST_FRAMES; 3]);
        assert_eq!([100_000, usize::MAX].map(most_frames), [223, 2]);
    }

    #[test]
    fn weights_are_those_of_the_two_frames_around_a_time() {
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
        // Times that are one in 32 bits are one.
        assert_eq!(rows(&[(1.0, 0), (1.0 + 1e-12, 1), (2.0, 2)], 2.0).len(), 2);
    }
}
