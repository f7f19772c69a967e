//! Scenes in glTF 2.0: `.gltf` with its buffers beside it or inside, and `.glb`.
//!
//! Every node with a mesh becomes a body; nodes without a mesh carry other nodes. Animations move nodes exactly
//! along the curves of the file, without sampling. All animations that move different nodes are played together.
//! Linear changes of morph weights are also exact. Skins, and weights that change in other ways, become rigs of the
//! engine, with a proven deviation. Other changes of shape with time, such as animated scales, are refused unless
//! they are as small as the rounding of files.
//!
//! Scenes can also be written as `.glb`: see [`to_glb`].
//!
//! For any input, reading ends, and takes memory in proportion to the file and its buffers.

use std::path::Path;

use chasles::{BodyMotion, Scene, SceneBody, SceneDefinition};

pub(crate) mod fault;
mod document;
mod container;
mod accessor;
mod geometry;
mod animation;
mod hierarchy;
mod skin;
pub(crate) mod frames;
mod extensions;
pub(crate) mod names;
mod loaded;
mod colours;
mod bodies;
mod extent;
mod shaded;
mod sampled;
mod morphed;
mod writer;

use self::bodies::RigidNode;
use self::loaded::{GltfPurpose, Loaded};
use crate::error::{Error, Result};
use crate::info::SceneInfo;
use crate::limits;
use crate::scene::appearance::{Appearance, UpAxis};
use crate::scene::build::BuiltScene;

pub use self::morphed::{MAX_FRAMES, MovingMesh, max_frames};
pub use self::writer::{AnimatedBody, AnimatedScene, MAX_POSES, to_glb};

/// Options for reading a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GltfOptions {
    /// The animation to play, by its name or else by its number from 0. `None` or [`ALL`]: all animations, which
    /// must move different nodes or different paths of a node; each holds its last key.
    pub animation: Option<String>,
    /// If animations exclude each other ([`rivals`]): the number of the rival to play, together with the animations
    /// that have no rival. `None`: such a file is refused.
    pub rival: Option<usize>,
    /// Pairs that come this close are reported too, in metres.
    pub clearance: f64,
}

/// Whether a file's name has one of the extensions `.gltf` and `.glb`.
#[must_use]
pub fn is_gltf(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension
        .is_some_and(|extension| ["gltf", "glb"].iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// Reads the default scene of the file, or else its first scene, or else all its nodes.
///
/// Bodies are in the order of the file's nodes. A body has the name of its node or else of its mesh, or else a name
/// such as `node7`; a name that is taken gets `#2`. Vertices are the mesh's positions, primitive by primitive,
/// scaled by the nodes above and given in the frame of the body; triangles are the primitives' triangles. The scene
/// ends at the last key of the animation, or after one second if no node is animated.
///
/// # Errors
/// With its place, input that cannot be read: a missing or short buffer, numbers out of range, positions and keys
/// that are not finite, nodes that do not form trees, extensions that change shapes, vertices of a skin without
/// joints. Features that are not supported: GPU instancing, and animated or non-uniform scales above a rotating
/// node, unless a skin deforms the shapes below. A scene without triangles.
pub fn read(path: &Path, options: &GltfOptions) -> Result<BuiltScene> {
    parse(&limits::read(path, limits::GLTF_FILE)?, path, options)
}

/// Like [`read`], from the bytes of a file. Messages name `path`, and buffers are looked up beside it.
///
/// # Errors
/// As for [`read`].
///
/// # Example
/// ```
/// use chasles_formats::gltf::{self, GltfOptions};
///
/// // A triangle that rises by two metres in half a second.
/// let text = r#"{"asset": {"version": "2.0"},
///     "nodes": [{"name": "lift", "mesh": 0}],
///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
///     "animations": [{"channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
///                     "samplers": [{"input": 1, "output": 2}]}],
///     "accessors": [{"bufferView": 0, "componentType": 5121, "type": "VEC3", "count": 3},
///                   {"bufferView": 1, "componentType": 5126, "type": "SCALAR", "count": 2},
///                   {"bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 2, "byteOffset": 8}],
///     "bufferViews": [{"buffer": 0, "byteLength": 9}, {"buffer": 0, "byteOffset": 12, "byteLength": 32}],
///     "buffers": [{"byteLength": 44, "uri":
/// "data:;base64,AAAAAQAAAAEAAAAAAAAAAAAAAD8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEA="}]}"#; let scene =
/// gltf::parse(text.as_bytes(), "lift.gltf".as_ref(), &GltfOptions::default())?.scene; assert_eq!(scene.duration(),
/// 0.5); assert_eq!(scene.pose_at(0, 0.25).position().to_array(), [0.0, 0.0, 1.0]);
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn parse(bytes: &[u8], path: &Path, options: &GltfOptions) -> Result<BuiltScene> {
    let mut loaded = Loaded::of(bytes, path, (options, GltfPurpose::Motion))?;
    let nodes = bodies::nodes(&mut loaded).map_err(|fault| fault.of_file(path))?;
    let colours = nodes.iter().map(|node| node.colours.clone()).collect();
    let bodies = bodies_of(nodes);
    if bodies.iter().all(|body| body.shape.is_none()) {
        return Err(Error::file(path, "the scene has no triangles"));
    }
    let duration = if loaded.animation.end > 0.0 { loaded.animation.end } else { 1.0 };
    let deviation =
        |body: &SceneBody| if let BodyMotion::Near { error: off, .. } = body.motion { off } else { 0.0 };
    let deviation = bodies.iter().map(deviation).fold(0.0, f64::max);
    let definition =
        SceneDefinition { duration, tolerance: None, clearance: options.clearance, bodies, ignore: vec![] };
    let made = |definition| Scene::new(definition).map_err(|error| Error::file(path, error.to_string()));
    let mut scene = made(definition)?;
    // If points may deviate by a distance, touching is decidable only with a tolerance of several times that
    // distance.
    let tolerance = KNOWN_EXTENSIONS * deviation;
    if tolerance > scene.tolerance() {
        let definition = scene.definition();
        scene = made(SceneDefinition { tolerance: Some(tolerance), ..definition })?;
    }
    let warnings =
        loaded.warnings.list().iter().map(|warning| Error::file(path, warning).to_string()).collect();
    let solid = vec![None; scene.bodies().len()];
    let appearance = Appearance { up: UpAxis::Y, colours };
    Ok(BuiltScene { scene, appearance, warnings, solid, missing: vec![] })
}

/// The name that selects all animations of a file, unless an animation has this name.
pub const ALL: &str = "all";

/// The names of the animations that exclude each other because they move the same nodes, in the order of the file.
/// The list is empty if all animations can be played together.
///
/// # Errors
/// As for [`read`], without the errors about motions.
pub fn rivals(path: &Path) -> Result<Vec<String>> {
    let bytes = limits::read(path, limits::GLTF_FILE)?;
    Ok(Loaded::of(&bytes, path, (&GltfOptions::default(), GltfPurpose::Facts))?.rivals)
}

/// The facts about a file: its bodies as in [`read`], and their bounding box at the start of the first animation.
///
/// Deforming bodies have their initial shape. Other changes of shape are warnings here.
///
/// # Errors
/// As for [`read`], without the errors about motions.
pub fn facts(path: &Path) -> Result<SceneInfo> {
    let bytes = limits::read(path, limits::GLTF_FILE)?;
    let loaded = Loaded::of(&bytes, path, (&GltfOptions::default(), GltfPurpose::Facts))?;
    extent::facts(&loaded).map_err(|fault| fault.of_file(path))
}

/// Tolerance for points that may deviate, as a multiple of the deviation.
const KNOWN_EXTENSIONS: f64 = 4.0;

/// The bodies of the engine.
fn bodies_of(nodes: Vec<RigidNode>) -> Vec<SceneBody> {
    let body = |RigidNode { name, parent, motion, shape, .. }| SceneBody {
        name,
        shape,
        motion,
        parent,
        group: None,
        solid: false,
    };
    nodes.into_iter().map(body).collect()
}
