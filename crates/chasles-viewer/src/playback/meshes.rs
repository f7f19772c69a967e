//! Meshes of the document. Bodies that share a mesh share its entry.

use std::collections::BTreeMap;

use chasles::{CollisionShape, Mesh, Pose};
use glam::DVec3;

use super::document::{BoxEntry, MeshEntry, packed, seven};

/// The meshes of a document, numbered in order of first use.
#[derive(Debug, Default)]
pub(super) struct Meshes {
    pub(super) entries: Vec<MeshEntry>,
    /// Keyed by the address of the mesh, because shapes may share it.
    numbers: BTreeMap<*const Mesh, usize>,
}

/// Lengths in this range, in metres, can be drawn; other lengths do not fit into 32-bit floats.
const SHOWN: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

impl Meshes {
    /// Returns the number of a shape's mesh, and adds the mesh if it is new.
    ///
    /// # Errors
    /// A message, if the size cannot be drawn.
    pub(super) fn add(&mut self, shape: &CollisionShape) -> Result<usize, String> {
        let mesh = shape.drawn();
        let place = std::ptr::from_ref(mesh);
        if let Some(number) = self.numbers.get(&place) {
            return Ok(*number);
        }
        let [lo, hi] = bounds(shape);
        let (size, far) = (lo.distance(hi), centre(shape).abs().max_element());
        if size > 0.0 && !SHOWN.contains(&size) || far > *SHOWN.end() {
            let found = if far > *SHOWN.end() { far } else { size };
            return Err(format!(
                "found a length of {found:e} m, expected 1e-30 to 1e30 m: others are not drawn"
            ));
        }
        self.entries.push(entry(shape)?);
        self.numbers.insert(place, self.entries.len() - 1);
        Ok(self.entries.len() - 1)
    }
}

/// The bounding box of a shape. For a deforming shape it contains all frames.
fn bounds(shape: &CollisionShape) -> [DVec3; 2] {
    match shape.deforming_surface() {
        Some(surface) => surface.bounds(),
        None => shape.drawn().bounds(),
    }
}

/// The origin to which the vertices of a shape are relative in the document.
pub(super) fn centre(shape: &CollisionShape) -> DVec3 {
    match shape.deforming_surface() {
        Some(_) => {
            let [lo, hi] = bounds(shape);
            0.5 * lo + 0.5 * hi
        }
        None => shape.drawn().centre(),
    }
}

/// Converts a length to `f32`. The clamp is for vertices without a triangle, which may lie anywhere.
#[expect(clippy::cast_possible_truncation, reason = "what is drawn has no more digits")]
pub(super) fn narrow(length: f64) -> f32 {
    length.clamp(-*SHOWN.end(), *SHOWN.end()) as f32
}

/// Encodes the vertex positions of a shape, given in the frame of its body, like positions in the document:
/// relative to the origin of its mesh.
pub(crate) fn packed_places(shape: &CollisionShape, places: impl Iterator<Item = DVec3>) -> String {
    let origin = centre(shape);
    packed(places.flat_map(|place| (place - origin).to_array().map(narrow)).map(f32::to_le_bytes))
}

/// Vertices and triangles in the order of the file.
fn entry(shape: &CollisionShape) -> Result<MeshEntry, String> {
    let (mesh, centre) = (shape.drawn(), centre(shape));
    let [lo, hi] = bounds(shape);
    let count = u32::try_from(mesh.vertex_count()).map_err(|_| "found too many vertices".to_owned())?;
    let corners = mesh.triangles().iter().flatten();
    Ok(MeshEntry {
        origin: centre.to_array(),
        positions: packed_places(shape, (0..count).map(|vertex| mesh.vertex(vertex))),
        triangles: packed(corners.map(|corner| corner.to_le_bytes())),
        bounds: BoxEntry {
            pose: Pose::from_position(centre).map(|pose| seven(&pose)).map_err(|error| error.to_string())?,
            half: (0.5 * (hi - lo)).to_array(),
        },
    })
}
