//! The triangles of meshes: joins primitives, and converts strips and fans.

use std::collections::HashMap;

use glam::DVec3;

use super::accessor::{Accessors, Components, ElementBudget};
use super::document::{JsonIndex, MeshJson, PrimitiveEntry};
use super::fault::{Fault, GltfResult, named};
use crate::error::Warnings;

/// The triangles of one mesh of the document, in its own frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct GltfGeometry {
    /// The positions of its accessors, one accessor after the other in the order in which primitives first use them.
    pub(super) vertices: Vec<DVec3>,
    /// The triangles, primitive by primitive.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The displacements of the vertices for each morph target; vertices beyond the end of a list are not displaced.
    pub(super) targets: Vec<Vec<DVec3>>,
    /// The material of each primitive with triangles, and the number of triangles up to its end.
    pub(super) materials: Vec<(Option<u64>, usize)>,
    /// The origin of the vertices, in their order.
    pub(super) parts: Vec<VertexRange>,
}

/// Consecutive vertices of one primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VertexRange {
    /// The first primitive that uses the vertices.
    pub(super) primitive: usize,
    pub(super) count: usize,
}

/// The accessors that identify a set of vertices: positions, targets, and the attributes that bind them to joints.
type AccessorKey = (usize, Vec<Option<usize>>, Vec<(usize, JsonIndex)>);

impl GltfGeometry {
    /// The corners of the triangles in order: each vertex as often as it is used.
    pub(super) fn corners(&self) -> impl Iterator<Item = DVec3> {
        self.triangles.iter().flatten().map(|corner| self.vertices[*corner as usize])
    }

    /// Whether it has morph targets that move vertices.
    pub(super) fn has_targets(&self) -> bool {
        self.targets.iter().any(|target| !target.is_empty())
    }

    /// The vertices for given weights of the targets; a target without a weight has weight 0.
    pub(super) fn morphed(&self, weights: &[f64]) -> Vec<DVec3> {
        let mut vertices = self.vertices.clone();
        for (target, weight) in self.targets.iter().zip(weights) {
            vertices
                .iter_mut()
                .zip(target)
                .for_each(|(vertex, displacement)| *vertex += *weight * *displacement);
        }
        vertices
    }
}

/// Reads a mesh; primitives without triangles are left out with a warning.
pub(super) fn read(
    accessors: &Accessors<'_>,
    number: usize,
    entry: &MeshJson,
    budget: &mut ElementBudget,
    warnings: &mut Warnings,
) -> GltfResult<GltfGeometry> {
    let mut geometry = GltfGeometry::default();
    // The first vertex of each set of vertices in the mesh.
    let mut starts = HashMap::new();
    for (i, primitive) in entry.primitives.iter().enumerate() {
        let place = || format!("{}, primitive {i}", named("mesh", number, entry.name.as_deref()));
        let (starts, geometry) = (&mut starts, &mut geometry);
        let mut read = PrimitiveReader { accessors, primitive: (i, primitive), budget, starts, geometry };
        if let Some(warning) = read.primitive().map_err(|fault| fault.within(&place()))? {
            warnings.push(format!("{}: {warning}", place()));
        }
        geometry.materials.push((primitive.material.as_u64(), geometry.triangles.len()));
    }
    if entry.primitives.is_empty() {
        warnings.push(format!("{}: it has no primitives", named("mesh", number, entry.name.as_deref())));
    }
    Ok(geometry)
}

/// Adds one primitive to a mesh.
struct PrimitiveReader<'a, 'b> {
    accessors: &'b Accessors<'a>,
    /// The primitive, with its number.
    primitive: (usize, &'b PrimitiveEntry),
    budget: &'b mut ElementBudget,
    starts: &'b mut HashMap<AccessorKey, u32>,
    geometry: &'b mut GltfGeometry,
}

impl PrimitiveReader<'_, '_> {
    /// Adds the triangles, or returns a warning about content that is left out.
    fn primitive(&mut self) -> GltfResult<Option<String>> {
        let mode = match self.primitive.1.mode.map_or(TRIANGLES, |mode| mode.0) {
            mode @ (TRIANGLES | TRIANGLE_STRIP | TRIANGLE_FAN) => mode,
            0 => return Ok(Some("points are left out".into())),
            1..=3 => return Ok(Some("lines are left out".into())),
            mode => return Err(Fault::new("mode", format!("found {mode}, expected 0 to 6"))),
        };
        let Some(position) = self.primitive.1.attributes.position.map(|accessor| accessor.0) else {
            return Ok(Some("it has no POSITION and is left out".into()));
        };
        let mut warning = None;
        if !self.accessors.is_backed(position)? {
            if self.primitive.1.extensions.draco.is_some() {
                let message = "found KHR_draco_mesh_compression only, which is not read";
                return Err(Fault::new(format!("POSITION, accessor {position}"), message));
            }
            warning = Some(format!("accessor {position} names no bytes: all its positions are 0"));
        }
        let (start, count) = self.vertices(position).map_err(|fault| fault.within("POSITION"))?;
        let indices = match self.primitive.1.indices {
            None => (0..count).collect(),
            Some(accessor) => self.indices(accessor.0, count).map_err(|fault| fault.within("indices"))?,
        };
        // A strip has about as many triangles as indices, and a list a third of that.
        self.budget.spend(indices.len(), || "triangles".into())?;
        let shift = |corners: [usize; 3]| corners.map(|corner| start + indices[corner]);
        let triangles = &mut self.geometry.triangles;
        match mode {
            TRIANGLES => {
                triangles.extend((0..indices.len() / 3).map(|i| shift([3 * i, 3 * i + 1, 3 * i + 2])));
                let rest = indices.len() % 3;
                if rest > 0 {
                    warning =
                        Some(format!("the last {rest} of its {} corners make no triangle", indices.len()));
                }
            }
            // Degenerate triangles only connect parts of a strip and are not part of the surface.
            TRIANGLE_STRIP => {
                let corners = |i| if i % 2 == 0 { [i, i + 1, i + 2] } else { [i, i + 2, i + 1] };
                triangles.extend((2..indices.len()).map(|i| shift(corners(i - 2))).filter(differ));
            }
            _ => triangles.extend((2..indices.len()).map(|i| shift([i - 1, i, 0])).filter(differ)),
        }
        if mode != TRIANGLES && indices.len() < 3 {
            warning = Some(format!("its {} corners make no triangle", indices.len()));
        }
        Ok(warning)
    }

    /// The first vertex of an accessor in the mesh, and the number of its vertices.
    fn vertices(&mut self, accessor: usize) -> GltfResult<(u32, u32)> {
        let vertices = &mut self.geometry.vertices;
        let count = self.accessors.count(accessor)?;
        let small = |count: usize| {
            let message = format!("found {count} vertices, expected at most {} in a mesh", u32::MAX);
            u32::try_from(count).map_err(|_| Fault::new(format!("accessor {accessor}"), message))
        };
        let targets = self.primitive.1.targets.iter().map(|target| target.position.map(|moved| moved.0));
        let bound = &self.primitive.1.attributes;
        let bound = bound.joints.iter().chain(&bound.weights).copied().collect();
        let key = (accessor, targets.collect::<Vec<_>>(), bound);
        let start = match self.starts.get(&key) {
            Some(start) => *start,
            None => {
                let start = small(vertices.len())?;
                let positions = self.accessors.vectors(accessor, Components::Any, self.budget)?;
                vertices.extend(positions.into_iter().map(DVec3::from_array));
                small(vertices.len())?;
                self.targets(&key.1, start as usize, count)?;
                self.geometry.parts.push(VertexRange { primitive: self.primitive.0, count });
                self.starts.insert(key, start);
                start
            }
        };
        Ok((start, small(count)?))
    }

    /// Reads the displacements of morph targets for `count` vertices that start at `start`.
    fn targets(&mut self, targets: &[Option<usize>], start: usize, count: usize) -> GltfResult<()> {
        let all = &mut self.geometry.targets;
        all.resize_with(all.len().max(targets.len()), Vec::new);
        for (number, accessor) in targets.iter().enumerate() {
            let Some(accessor) = *accessor else { continue };
            let within = |fault: Fault| fault.within(&format!("target {number}, POSITION"));
            let displacements =
                self.accessors.vectors(accessor, Components::Any, self.budget).map_err(within)?;
            if displacements.len() != count {
                let message =
                    format!("found {} elements, expected {count}, one a vertex", displacements.len());
                return Err(within(Fault::new(format!("accessor {accessor}"), message)));
            }
            // Zeros for the vertices of primitives that the target does not move.
            self.budget
                .spend(start.saturating_sub(all[number].len()), || "vertices".into())
                .map_err(within)?;
            all[number].resize(start, DVec3::ZERO);
            all[number].extend(displacements.into_iter().map(DVec3::from_array));
        }
        Ok(())
    }

    fn indices(&mut self, accessor: usize, vertices: u32) -> GltfResult<Vec<u32>> {
        let indices = self.accessors.indices(accessor, self.budget)?;
        match indices.iter().position(|index| *index >= vertices) {
            None => Ok(indices),
            Some(at) => {
                let message = format!("found vertex index {}, expected below {vertices}", indices[at]);
                Err(Fault::new(format!("accessor {accessor}, element {at}"), message))
            }
        }
    }
}

const TRIANGLES: usize = 4;
const TRIANGLE_STRIP: usize = 5;
const TRIANGLE_FAN: usize = 6;

fn differ([a, b, c]: &[u32; 3]) -> bool {
    a != b && b != c && c != a
}
