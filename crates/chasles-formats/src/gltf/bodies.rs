//! Converts the nodes of a file to the bodies of a scene, and to the frames that carry them.

use std::collections::HashMap;
use std::sync::Arc;

use chasles::{
    BodyMotion, CollisionShape, DeformingSurface, Frames, Mesh, MorphTarget, Pose, PreparedMesh, Rig,
    RigDefinition,
};
use glam::{DMat3, DVec3};

use super::accessor::ElementBudget;
use super::colours;
use super::fault::{Fault, GltfResult};
use super::frames::{self, NodeFrame};
use super::geometry::GltfGeometry;
use super::hierarchy::place_of;
use super::loaded::{Loaded, Morph};
use crate::figures::rounded;
use crate::limits;
use crate::scene::appearance::ColourRange;

/// A rigid node in the frame of another; without a shape it only carries other nodes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RigidNode {
    pub(super) name: String,
    /// Its index in the list of nodes.
    pub(super) parent: Option<usize>,
    pub(super) motion: BodyMotion,
    pub(super) shape: Option<CollisionShape>,
    pub(super) colours: Vec<ColourRange>,
}

/// The nodes of a scene: first the nodes with a shape, in the order of the file, then the nodes that only carry
/// others.
pub(super) fn nodes(loaded: &mut Loaded) -> GltfResult<Vec<RigidNode>> {
    let entries = &loaded.document.nodes;
    // The pose of a node with a skin does not matter.
    let shown = loaded.shown.iter().enumerate();
    let shown: Vec<bool> =
        shown.map(|(node, mesh)| mesh.is_some() && !loaded.skins.contains_key(&node)).collect();
    let carriers = loaded.tree.carriers(&shown);
    let mut frames =
        frames::frames(&loaded.tree, entries, &loaded.animation, &carriers, &mut loaded.warnings)?;
    let bodies = loaded.bodies();
    for &(node, ..) in &bodies {
        if let Some(reason) = loaded.deformation(node) {
            let known = "a point cache in a scene file can have any shapes";
            return Err(Fault::new(place_of(node, &entries[node]), format!("{reason}: {known}")));
        }
    }
    let morphs =
        bodies.iter().map(|(node, _, mesh)| loaded.morph(*node, *mesh)).collect::<GltfResult<Vec<_>>>()?;
    let rigid = bodies.iter().zip(&morphs).filter(|(body, _)| shown[body.0]);
    let sizes = if frames.iter().flatten().any(NodeFrame::is_loose) {
        sizes(loaded)?
    } else {
        vec![0.0; entries.len()]
    };
    let deviations = rigid.map(|((node, _, mesh), morph)| {
        let maximum_distance = maximum_distance(&loaded.meshes[*mesh], morph);
        let of_tree = (&loaded.tree, &entries[..]);
        Ok((
            *node,
            frames::deviation((*node, maximum_distance, &sizes), of_tree, &loaded.animation, &frames)?,
        ))
    });
    let deviations = deviations.collect::<GltfResult<HashMap<usize, f64>>>()?;
    let deviates = |node: usize| deviations.get(&node).is_some_and(|off| *off > 0.0);
    let carriers = frames.iter().enumerate();
    // A node whose shape deviates may carry nodes with a smaller deviation. So it also becomes a separate frame
    // without a shape.
    let only_carry = carriers.filter(|(node, frame)| {
        (!shown[*node] || deviates(*node)) && frame.as_ref().is_some_and(|frame| frame.moves)
    });
    let only_carry: Vec<usize> = only_carry.map(|(node, _)| node).collect();
    let mut numbers = vec![None; entries.len()];
    // A node with a skin may also move other nodes, as a separate frame.
    for (number, node) in bodies.iter().map(|body| body.0).chain(only_carry.iter().copied()).enumerate() {
        numbers[node] = Some(number);
    }
    let mut budget = loaded.budget.clone();
    let mut shapes = GltfShapes { meshes: &loaded.meshes, made: HashMap::new(), budget: &mut budget };
    let mut nodes = Vec::with_capacity(bodies.len() + only_carry.len());
    for ((node, name, mesh), morph) in bodies.into_iter().zip(morphs) {
        let place = || place_of(node, &entries[node]);
        if let Some(skin) = loaded.skins.get(&node) {
            let rig = skin.rig(&loaded.tree, entries, &loaded.animation)?;
            let shape =
                shapes.rigged(mesh, DMat3::IDENTITY, (rig, morph)).map_err(|fault| fault.within(&place()))?;
            let motion = BodyMotion::Still(Pose::IDENTITY);
            let colours = colours::of(&loaded.meshes[mesh], &loaded.document.materials);
            nodes.push(RigidNode { name, parent: None, motion, shape: Some(shape), colours });
            continue;
        }
        let off = deviations.get(&node).copied().unwrap_or(0.0);
        let is_separate = off > 0.0 && frames[node].as_ref().is_some_and(|frame| frame.moves);
        let frame = if is_separate { frames[node].clone() } else { frames[node].take() };
        let Some(frame) = frame else { continue };
        let shape = match morph {
            Morph::Nothing => shapes.shape(mesh, frame.linear),
            morph => shapes.morphed(mesh, frame.linear, morph),
        };
        let shape = shape.map_err(|fault| fault.within(&place()))?;
        let colours = colours::of(&loaded.meshes[mesh], &loaded.document.materials);
        let (ancestor, motion) = match frame.motion {
            _ if is_separate => (Some(node), BodyMotion::Near { pose: Pose::IDENTITY, error: off }),
            BodyMotion::Still(pose) if off > 0.0 => (frame.ancestor, BodyMotion::Near { pose, error: off }),
            motion => (frame.ancestor, motion),
        };
        let parent = ancestor.and_then(|ancestor| numbers[ancestor]);
        nodes.push(RigidNode { name, parent, motion, shape: Some(shape), colours });
    }
    if let Some((node, off)) =
        deviations.iter().max_by(|x, y| x.1.total_cmp(y.1)).filter(|(_, off)| **off > 0.0)
    {
        let count = deviations.values().filter(|off| **off > 0.0).count();
        loaded.warnings.push(format!(
            "{count} of the bodies are below scales that are not quite even or constant: their points are off by up to {} m \
             ({}), which the report takes into account",
            rounded(*off, 2),
            place_of(*node, &entries[*node])
        ));
    }
    for node in only_carry {
        let Some(frame) = frames[node].take() else { continue };
        let parent = frame.ancestor.and_then(|ancestor| numbers[ancestor]);
        let name = place_of(node, &entries[node]);
        nodes.push(RigidNode { name, parent, motion: frame.motion, shape: None, colours: Vec::new() });
    }
    Ok(nodes)
}

/// The maximum distance of the points of a mesh from the origin of its node.
fn maximum_distance(geometry: &GltfGeometry, morph: &Morph<'_>) -> f64 {
    let maximum_length = |places: &[DVec3]| places.iter().map(|place| place.length()).fold(0.0, f64::max);
    match morph {
        Morph::Nothing => maximum_length(&geometry.vertices),
        Morph::Still(weights) => maximum_length(&geometry.morphed(weights)),
        Morph::Moving { values, .. } => {
            let frames = values.chunks_exact(geometry.targets.len());
            frames.map(|weights| maximum_length(&geometry.morphed(weights))).fold(0.0, f64::max)
        }
        Morph::Bending(weights) => {
            let targets = geometry.targets.iter().zip(weights);
            let displacement: f64 = targets
                .map(|(displacements, weight)| {
                    frames::maximum_of_curve(weight) * maximum_length(displacements)
                })
                .sum();
            maximum_length(&geometry.vertices) + displacement
        }
    }
}

/// For each node, the diagonal of the bounding box of all meshes below it at time 0.
fn sizes(loaded: &Loaded) -> GltfResult<Vec<f64>> {
    let worlds = loaded.tree.world_transforms(&loaded.document.nodes, &loaded.animation)?;
    let nothing = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    let mut boxes = vec![nothing; worlds.len()];
    for &node in loaded.tree.order.iter().rev() {
        if let Some(mesh) = loaded.shown[node].filter(|_| !loaded.skins.contains_key(&node)) {
            boxes[node] = loaded.meshes[mesh].corners().fold(boxes[node], |[lo, hi], corner| {
                let place = worlds[node].transform_point3(corner);
                [lo.min(place), hi.max(place)]
            });
        }
        if let Some(parent) = loaded.tree.parents[node] {
            let ([lo, hi], [l, h]) = (boxes[node], boxes[parent]);
            boxes[parent] = [lo.min(l), hi.max(h)];
        }
    }
    Ok(boxes.into_iter().map(|[lo, hi]| if lo.x <= hi.x { lo.distance(hi) } else { 0.0 }).collect())
}

/// The shapes of a scene; nodes with equal mesh and scale share a shape.
struct GltfShapes<'a> {
    meshes: &'a [GltfGeometry],
    made: HashMap<(usize, [u64; 9]), CollisionShape>,
    budget: &'a mut ElementBudget,
}

impl<'a> GltfShapes<'a> {
    /// A mesh that becomes a shape, whose memory is counted together with the displacements of its targets.
    fn counted(&mut self, number: usize, displacements: usize) -> GltfResult<&'a GltfGeometry> {
        let geometry = &self.meshes[number];
        let place = || format!("mesh {number}");
        self.budget.spend(geometry.vertices.len() + displacements + geometry.triangles.len(), place)?;
        limits::check_triangles(geometry.triangles.len()).map_err(|message| Fault::new(place(), message))?;
        Ok(geometry)
    }

    /// As `counted`, for a mesh that targets may change.
    fn counted_with_targets(&mut self, number: usize) -> GltfResult<&'a GltfGeometry> {
        self.counted(number, self.meshes[number].targets.iter().map(Vec::len).sum())
    }

    fn shape(&mut self, number: usize, linear: DMat3) -> GltfResult<CollisionShape> {
        let key = (number, frames::map_key(linear));
        if let Some(shape) = self.made.get(&key) {
            return Ok(shape.clone());
        }
        let GltfGeometry { vertices, triangles, .. } = self.counted(number, 0)?;
        let mesh = Mesh::new(mapped(vertices.clone(), linear), triangles.clone());
        let mesh = mesh.map_err(mesh_fault(number))?;
        let shape = CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh)));
        self.made.insert(key, shape.clone());
        Ok(shape)
    }

    /// The shape of a mesh that morph targets change.
    fn morphed(&mut self, number: usize, linear: DMat3, morph: Morph<'_>) -> GltfResult<CollisionShape> {
        let geometry = self.counted_with_targets(number)?;
        let fault = mesh_fault(number);
        let first = |weights: &[f64]| {
            Mesh::new(mapped(geometry.morphed(weights), linear), geometry.triangles.clone()).map_err(fault)
        };
        match morph {
            Morph::Nothing => self.shape(number, linear),
            bending @ Morph::Bending(_) => self.rigged(number, linear, (RigDefinition::default(), bending)),
            Morph::Still(weights) => Ok(CollisionShape::mesh(Arc::new(PreparedMesh::new(first(weights)?)))),
            Morph::Moving { times, values } => {
                let each = geometry.targets.len();
                let frames =
                    MorphFrames { geometry: geometry.clone(), linear, values: values.to_vec(), each };
                let mesh = first(&values[..each])?;
                let surface = DeformingSurface::new(mesh, times.to_vec(), Arc::new(frames));
                Ok(CollisionShape::deforming(Arc::new(surface.map_err(fault)?)))
            }
        }
    }

    /// The shape of a mesh that a skin or morph targets deform.
    fn rigged(
        &mut self,
        number: usize,
        linear: DMat3,
        (rig, morph): (RigDefinition, Morph<'_>),
    ) -> GltfResult<CollisionShape> {
        let geometry = self.counted_with_targets(number)?;
        let fault = mesh_fault(number);
        let weights = morph.curves(geometry.targets.len());
        let targets = geometry.targets.iter().zip(weights);
        let targets = targets.map(|(displacements, weight)| MorphTarget {
            displacements: mapped(displacements.clone(), linear),
            weight,
        });
        let vertices = mapped(geometry.vertices.clone(), linear);
        let rig = Rig::new(RigDefinition { vertices, targets: targets.collect(), ..rig }).map_err(fault)?;
        let triangles = geometry.triangles.clone();
        if rig.times().len() > 1 {
            let surface = DeformingSurface::of_rig(triangles, Arc::new(rig)).map_err(fault)?;
            return Ok(CollisionShape::deforming(Arc::new(surface)));
        }
        let mut places = Vec::new();
        rig.vertices_at(0.0, &mut places);
        Ok(CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(places, triangles).map_err(fault)?))))
    }
}

/// Makes errors about a mesh.
fn mesh_fault(number: usize) -> impl Fn(chasles::Error) -> Fault + Copy {
    move |error| Fault::new(format!("mesh {number}"), error.to_string())
}

/// The shapes of a mesh with time-dependent morph weights. Linear weights give linear vertex paths, so no sampling
/// is needed.
#[derive(Debug)]
struct MorphFrames {
    geometry: GltfGeometry,
    linear: DMat3,
    /// `each` weights per frame.
    values: Vec<f64>,
    each: usize,
}

impl Frames for MorphFrames {
    fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), chasles::Error> {
        let weights = self.values.chunks_exact(self.each).nth(frame);
        let weights = weights.filter(|_| vertices.len() == self.geometry.vertices.len());
        let Some(weights) = weights else {
            let found = format!("found a buffer for {} vertices of it", vertices.len());
            return Err(chasles::Error::unreadable(format!("frame {frame}"), found));
        };
        vertices.copy_from_slice(&mapped(self.geometry.morphed(weights), self.linear));
        Ok(())
    }
}

/// Applies a linear map to vertices.
fn mapped(mut vertices: Vec<DVec3>, linear: DMat3) -> Vec<DVec3> {
    if linear != DMat3::IDENTITY {
        vertices.iter_mut().for_each(|vertex| *vertex = linear * *vertex);
    }
    vertices
}
