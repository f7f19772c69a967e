//! Writes an animated scene as binary glTF 2.0 (`.glb`), for Blender and other players.
//!
//! Each body is a node, below a root that rotates z to the format's y, if z is up. A moving body has channels of
//! translation and rotation, with linear interpolation (see [`sampled`](super::sampled) for the sampling). A mesh
//! with moving vertices has morph targets ([`morphed`](super::morphed)). Numbers are `f32`, as in the format.
//! Follows the specification of the Khronos Group, version 2.0.1: sections 3.6 (buffers), 3.7 (meshes, morph
//! targets), 3.9 (materials), 3.11 (animations) and 4.4 (the binary form).

use chasles::{Mesh, Pose};
use serde::Serialize;

use super::morphed::{Morphed, MovingMesh, morphed};
use super::sampled::{Samples, sampled, to_single_precision};
use super::shaded::{Shaded, shaded};
use crate::limits::GLTF_WRITTEN;
use crate::scene::appearance::UpAxis;

/// A scene to be written.
#[derive(Debug, Clone)]
pub struct AnimatedScene<'a> {
    /// The name of the scene and its animation.
    pub name: &'a str,
    /// The upward axis: if it is z, the root rotates it to the format's y.
    pub up: UpAxis,
    /// The shapes, each once, in metres.
    pub meshes: Vec<&'a Mesh>,
    /// The meshes whose vertices move, each once.
    pub moving: Vec<MovingMesh<'a>>,
    /// The visible bodies, in order.
    pub bodies: Vec<AnimatedBody<'a>>,
}

/// A body of an animated scene.
#[derive(Debug, Clone)]
pub struct AnimatedBody<'a> {
    /// The name of its node.
    pub name: &'a str,
    /// Red, green and blue, in sRGB.
    pub colour: [u8; 3],
    /// Numbers of meshes, with their poses in the frame of the body.
    pub parts: Vec<(usize, Pose)>,
    /// Non-decreasing times in seconds, with the pose of the body in the world, z up; at least one. Between two keys
    /// the body moves on the screw that joins them ([`Screw::between`](chasles::Screw::between)); two keys at one
    /// time are a jump.
    pub keys: Vec<(f64, Pose)>,
    /// Maximum deviation of the body's origin between the times of the file, in metres, approximate; > 0.
    pub within: f64,
}

/// Returns the file. Details that `f32` cannot represent are left out: triangles without area, and keys with equal
/// times.
///
/// # Errors
/// In a sentence: a coordinate that `f32` cannot hold; a file of more than a gibibyte; too many frames of a moving
/// mesh, or frames that cannot be read.
///
/// # Example
/// ```
/// use chasles::{Mesh, Pose};
/// use chasles_formats::scene::appearance::UpAxis;
/// use chasles_formats::gltf::{self, AnimatedBody, AnimatedScene, GltfOptions};
/// use glam::DVec3;
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
/// let at = |z: f64| Pose::from_position(z * DVec3::Z).unwrap();
/// let body = AnimatedBody {
///     name: "lift",
///     colour: [255, 0, 0],
///     parts: vec![(0, Pose::IDENTITY)],
///     keys: vec![(0.0, at(0.0)), (2.0, at(1.0))],
///     within: 1e-3,
/// };
/// let file = gltf::to_glb(&AnimatedScene { name: "rise", up: UpAxis::Z, meshes: vec![&mesh], moving: vec![], bodies: vec![body] });
/// let file = file.unwrap();
/// let read = gltf::parse(&file, "rise.glb".as_ref(), &GltfOptions::default()).unwrap().scene;
/// assert_eq!(read.duration(), 2.0);
/// ```
pub fn to_glb(scene: &AnimatedScene<'_>) -> Result<Vec<u8>, String> {
    let mut file = GltfWriter::default();
    let mut shapes = Vec::with_capacity(scene.meshes.len());
    for (number, mesh) in scene.meshes.iter().enumerate() {
        shapes.push(match scene.moving.iter().find(|moving| moving.mesh == number) {
            Some(moving) => file.moving_shape(moving)?,
            None => file.shape(mesh)?,
        });
    }
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for body in &scene.bodies {
        bodies.push(file.body(body, &shapes).map_err(|what| format!("body {:?}: {what}", body.name))?);
    }
    // A quarter revolution about x: z of the scene becomes y.
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let root = NodeJson {
        name: scene.name.into(),
        rotation: (scene.up == UpAxis::Z).then_some([-half, 0.0, 0.0, half]),
        children: bodies,
        ..NodeJson::default()
    };
    file.document.nodes.push(root);
    file.finish(scene.name)
}

/// The accessors of a mesh in the file.
#[derive(Debug, Clone)]
struct MeshAccessors {
    position: usize,
    normal: Option<usize>,
    indices: usize,
    /// Accessors of positions, one for each morph target.
    targets: Vec<usize>,
    /// The sampler of the targets' weights.
    weights: Option<usize>,
}

/// A file that is being written.
#[derive(Default)]
struct GltfWriter {
    document: GltfOutput,
    binary: Vec<u8>,
    animation: AnimationJson,
    /// By mesh and material.
    meshes: Vec<((usize, usize), usize)>,
    colours: Vec<[u8; 3]>,
}

impl GltfWriter {
    /// Appends values of N numbers each, as an accessor.
    fn accessor<const N: usize>(
        &mut self,
        (kind, component, target): (&'static str, u32, Option<u32>),
        values: impl ExactSizeIterator<Item = [[u8; 4]; N]>,
    ) -> Result<usize, String> {
        let (offset, count) = (self.binary.len(), values.len());
        if offset.saturating_add(count.saturating_mul(4 * N)) > GLTF_WRITTEN {
            return Err(format!("found more than {GLTF_WRITTEN} bytes, expected no more in a file"));
        }
        self.binary.extend(values.flatten().flatten());
        let byte_length = self.binary.len() - offset;
        self.document.buffer_views.push(BufferView { buffer: 0, byte_offset: offset, byte_length, target });
        let buffer_view = self.document.buffer_views.len() - 1;
        let accessor = Accessor { buffer_view, component_type: component, count, kind, min: None, max: None };
        self.document.accessors.push(accessor);
        Ok(self.document.accessors.len() - 1)
    }

    /// Appends `f32` values; `bounds` decides whether the accessor states their minimum and maximum.
    fn floats<const N: usize>(
        &mut self,
        (kind, target): (&'static str, Option<u32>),
        values: &[[f32; N]],
        bounds: AccessorRange,
    ) -> Result<usize, String> {
        let bytes = values.iter().map(|value| value.map(f32::to_le_bytes));
        let number = self.accessor((kind, FLOAT, target), bytes)?;
        if bounds == AccessorRange::Stated {
            let each = |pick: fn(f32, f32) -> f32, from: f32| {
                let corner = values
                    .iter()
                    .fold([from; N], |corner, value| std::array::from_fn(|i| pick(corner[i], value[i])));
                Some(corner.to_vec())
            };
            self.document.accessors[number].min = each(f32::min, f32::INFINITY);
            self.document.accessors[number].max = each(f32::max, f32::NEG_INFINITY);
        }
        Ok(number)
    }

    fn shape(&mut self, mesh: &Mesh) -> Result<MeshAccessors, String> {
        let Shaded { positions, normals, triangles } = shaded(mesh);
        if positions.iter().flatten().any(|x| !x.is_finite()) {
            return Err("found a mesh with a coordinate of 3e38 m or more, expected less".into());
        }
        let corners = triangles.as_flattened().iter().map(|corner| [corner.to_le_bytes()]);
        Ok(MeshAccessors {
            position: self.floats(("VEC3", Some(ARRAY)), &positions, AccessorRange::Stated)?,
            normal: Some(self.floats(("VEC3", Some(ARRAY)), &normals, AccessorRange::Omitted)?),
            indices: self.accessor(("SCALAR", UNSIGNED, Some(ELEMENTS)), corners)?,
            targets: Vec::new(),
            weights: None,
        })
    }

    fn moving_shape(&mut self, moving: &MovingMesh<'_>) -> Result<MeshAccessors, String> {
        let Morphed { positions, triangles, targets, times, weights } = morphed(moving)?;
        let corners = triangles.as_flattened().iter().map(|corner| [corner.to_le_bytes()]);
        let position = self.floats(("VEC3", Some(ARRAY)), &positions, AccessorRange::Stated)?;
        let indices = self.accessor(("SCALAR", UNSIGNED, Some(ELEMENTS)), corners)?;
        let targets: Result<Vec<usize>, String> = targets
            .iter()
            .map(|displacements| self.floats(("VEC3", Some(ARRAY)), displacements, AccessorRange::Stated))
            .collect();
        let targets = targets?;
        let mut sampler = None;
        if times.len() > 1 && !targets.is_empty() {
            let input = self.floats(("SCALAR", None), &times, AccessorRange::Stated)?;
            let output = self.floats(("SCALAR", None), &weights, AccessorRange::Omitted)?;
            self.animation.samplers.push(Sampler { input, output, interpolation: "LINEAR" });
            sampler = Some(self.animation.samplers.len() - 1);
        }
        Ok(MeshAccessors { position, normal: None, indices, targets, weights: sampler })
    }

    /// The number of a mesh with a colour; `None`: it has no triangle with an area.
    fn mesh(
        &mut self,
        (mesh, name, colour): (usize, &str, [u8; 3]),
        shapes: &[MeshAccessors],
    ) -> Option<usize> {
        let MeshAccessors { position, normal, indices, ref targets, .. } = shapes[mesh];
        if self.document.accessors[indices].count == 0 {
            return None;
        }
        let material = self.colours.iter().position(|other| *other == colour).unwrap_or_else(|| {
            self.colours.push(colour);
            self.document.materials.push(Material::of(colour));
            self.colours.len() - 1
        });
        if let Some((_, number)) = self.meshes.iter().find(|(key, _)| *key == (mesh, material)) {
            return Some(*number);
        }
        let attributes = AttributesOutput { position, normal };
        let target = |position: &usize| AttributesOutput { position: *position, normal: None };
        let targets = targets.iter().map(target).collect();
        let primitive = Primitive { attributes, indices, material, targets };
        self.document.meshes.push(MeshOutput { name: name.into(), primitives: [primitive] });
        let number = self.document.meshes.len() - 1;
        self.meshes.push(((mesh, material), number));
        Some(number)
    }

    /// The node of a body.
    fn body(&mut self, body: &AnimatedBody<'_>, shapes: &[MeshAccessors]) -> Result<usize, String> {
        let AnimatedBody { name, colour, .. } = *body;
        let mut node = NodeJson { name: name.into(), ..NodeJson::default() };
        let mut weights = None;
        match body.parts[..] {
            [(mesh, frame)] if frame == Pose::IDENTITY => {
                node.mesh = self.mesh((mesh, name, colour), shapes);
                weights = node.mesh.and(shapes[mesh].weights);
            }
            _ => {
                for (number, (part, frame)) in body.parts.iter().enumerate() {
                    let Some(mesh) = self.mesh((*part, name, colour), shapes) else { continue };
                    let weights = shapes[*part].weights;
                    let part = NodeJson {
                        name: format!("{name} part {number}"),
                        mesh: Some(mesh),
                        ..NodeJson::default()
                    };
                    let at = part.at(to_single_precision(frame)?);
                    self.document.nodes.push(at);
                    node.children.push(self.document.nodes.len() - 1);
                    self.weighed(weights);
                }
            }
        }
        let remaining = GLTF_WRITTEN.saturating_sub(self.binary.len()) / SAMPLE;
        let Samples { times, places, rotations: quaternions } = sampled(&body.keys, body.within, remaining)?;
        let first = (places[0], quaternions[0]);
        self.document.nodes.push(node.at(first));
        let number = self.document.nodes.len() - 1;
        self.weighed(weights);
        if times.len() > 1 {
            let times: Vec<[f32; 1]> = times.into_iter().map(|time| [time]).collect();
            let input = self.floats(("SCALAR", None), &times, AccessorRange::Stated)?;
            let translations = self.floats(("VEC3", None), &places, AccessorRange::Omitted)?;
            let rotations = self.floats(("VEC4", None), &quaternions, AccessorRange::Omitted)?;
            for (path, output) in [("translation", translations), ("rotation", rotations)] {
                self.animation.samplers.push(Sampler { input, output, interpolation: "LINEAR" });
                let target = Target { node: number, path };
                self.animation.channels.push(Channel { sampler: self.animation.samplers.len() - 1, target });
            }
        }
        Ok(number)
    }

    /// Connects a sampler of weights, if there is one, to the last node.
    fn weighed(&mut self, sampler: Option<usize>) {
        let Some(sampler) = sampler else { return };
        let target = Target { node: self.document.nodes.len() - 1, path: "weights" };
        self.animation.channels.push(Channel { sampler, target });
    }

    /// Assembles the file.
    fn finish(self, name: &str) -> Result<Vec<u8>, String> {
        let Self { mut document, mut binary, mut animation, .. } = self;
        let root = document.nodes.len() - 1;
        document.scenes = [SceneOutput { name: name.into(), nodes: [root] }];
        if !animation.channels.is_empty() {
            animation.name = name.into();
            document.animations.push(animation);
        }
        if !binary.is_empty() {
            document.buffers.push(Buffer { byte_length: binary.len() });
        }
        let mut json = serde_json::to_vec(&document).expect("memory takes every byte, and our keys are text");
        json.resize(json.len().next_multiple_of(4), b' ');
        binary.resize(binary.len().next_multiple_of(4), 0);
        let binary_chunk = if binary.is_empty() { 0 } else { 8 + binary.len() };
        let size = |bytes: usize| {
            let known = u32::try_from(bytes).ok().filter(|_| bytes <= 2 * GLTF_WRITTEN);
            known.ok_or_else(|| format!("found {bytes} bytes, expected at most {}", 2 * GLTF_WRITTEN))
        };
        let mut file = Vec::with_capacity(20 + json.len() + binary_chunk);
        file.extend(b"glTF");
        let head = [2, size(20 + json.len() + binary_chunk)?, size(json.len())?, JSON];
        file.extend(head.into_iter().flat_map(u32::to_le_bytes));
        file.append(&mut json);
        if !binary.is_empty() {
            file.extend([size(binary.len())?, BIN].into_iter().flat_map(u32::to_le_bytes));
            file.append(&mut binary);
        }
        Ok(file)
    }
}

/// Whether an accessor states the minimum and maximum of its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AccessorRange {
    Stated,
    Omitted,
}

/// Bytes of a sample: time, translation and rotation.
const SAMPLE: usize = 32;

/// Maximum number of poses of all bodies together in a file.
pub const MAX_POSES: usize = GLTF_WRITTEN / SAMPLE;

/// Constants of the format: component types, buffer targets, chunk types.
const UNSIGNED: u32 = 5125;
const FLOAT: u32 = 5126;
const ARRAY: u32 = 34962;
const ELEMENTS: u32 = 34963;
const JSON: u32 = 0x4e4f_534a;
const BIN: u32 = 0x004e_4942;

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct GltfOutput {
    asset: AssetOutput,
    scene: u32,
    scenes: [SceneOutput; 1],
    nodes: Vec<NodeJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    meshes: Vec<MeshOutput>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    materials: Vec<Material>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    animations: Vec<AnimationJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    accessors: Vec<Accessor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    buffer_views: Vec<BufferView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    buffers: Vec<Buffer>,
}

#[derive(Serialize)]
struct AssetOutput {
    version: &'static str,
    generator: &'static str,
}

impl Default for AssetOutput {
    fn default() -> Self {
        Self { version: "2.0", generator: concat!("Chasles ", env!("CARGO_PKG_VERSION")) }
    }
}

#[derive(Default, Serialize)]
struct SceneOutput {
    name: String,
    nodes: [usize; 1],
}

#[derive(Default, Serialize)]
struct NodeJson {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    translation: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rotation: Option<[f32; 4]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<usize>,
}

impl NodeJson {
    fn at(self, (translation, rotation): ([f32; 3], [f32; 4])) -> Self {
        Self { translation: Some(translation), rotation: Some(rotation), ..self }
    }
}

#[derive(Serialize)]
struct MeshOutput {
    name: String,
    primitives: [Primitive; 1],
}

#[derive(Serialize)]
struct Primitive {
    attributes: AttributesOutput,
    indices: usize,
    material: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    targets: Vec<AttributesOutput>,
}

#[derive(Serialize)]
#[serde(rename_all = "UPPERCASE")]
struct AttributesOutput {
    position: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    normal: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Material {
    pbr_metallic_roughness: PbrJson,
    double_sided: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PbrJson {
    base_color_factor: [f32; 4],
    metallic_factor: f32,
    roughness_factor: f32,
}

impl Material {
    /// A dull material whose two sides look the same, as in our pictures.
    fn of(colour: [u8; 3]) -> Self {
        // Converts sRGB to linear light, as the format requires (IEC 61966-2-1).
        let [red, green, blue] = colour.map(|value| {
            let value = f32::from(value) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        });
        let surface = PbrJson {
            base_color_factor: [red, green, blue, 1.0],
            metallic_factor: 0.0,
            roughness_factor: 0.8,
        };
        Self { pbr_metallic_roughness: surface, double_sided: true }
    }
}

#[derive(Default, Serialize)]
struct AnimationJson {
    name: String,
    channels: Vec<Channel>,
    samplers: Vec<Sampler>,
}

#[derive(Serialize)]
struct Channel {
    sampler: usize,
    target: Target,
}

#[derive(Serialize)]
struct Target {
    node: usize,
    path: &'static str,
}

#[derive(Serialize)]
struct Sampler {
    input: usize,
    output: usize,
    interpolation: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: usize,
    component_type: u32,
    count: usize,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<Vec<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Vec<f32>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BufferView {
    buffer: u32,
    byte_offset: usize,
    byte_length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Buffer {
    byte_length: usize,
}
