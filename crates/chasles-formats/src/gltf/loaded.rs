//! A file with all its numbers: the scene that it shows, its meshes, and the animation that moves them.

use std::collections::BTreeMap;
use std::path::Path;

use chasles::Curve;

use super::GltfOptions;
use super::accessor::{Accessors, ElementBudget};
use super::animation::{self, AnimationCurves, Choice, RivalChoice, SamplerInterpolation};
use super::container::{Buffers, split};
use super::document::{self, GltfJson};
use super::extensions;
use super::fault::{Fault, GltfResult, element};
use super::geometry::{self, GltfGeometry};
use super::hierarchy::{NodeTree, place_of};
use super::names::NameAllocator;
use super::skin::{self, Skin};
use crate::error::{Result, Warnings};

/// The purpose for which a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GltfPurpose {
    /// To follow its animations.
    Motion,
    /// To list its contents, for any choice of animation.
    Facts,
}

/// A file whose numbers have been read.
pub(super) struct Loaded {
    pub(super) document: GltfJson,
    pub(super) meshes: Vec<GltfGeometry>,
    pub(super) tree: NodeTree,
    pub(super) animation: AnimationCurves,
    /// The names of the animations that exclude each other.
    pub(super) rivals: Vec<String>,
    /// For each node of the document, its mesh, if the scene shows triangles there.
    pub(super) shown: Vec<Option<usize>>,
    /// The skins of shown nodes.
    pub(super) skins: BTreeMap<usize, Skin>,
    /// The elements that shapes may still use.
    pub(super) budget: ElementBudget,
    pub(super) warnings: Warnings,
}

impl Loaded {
    /// Splits a file into its parts and reads the data of its scene.
    pub(super) fn of(
        bytes: &[u8],
        path: &Path,
        (options, purpose): (&GltfOptions, GltfPurpose),
    ) -> Result<Self> {
        let parts = split(bytes, path)?;
        let document = document::parse(parts.json, parts.origin, path)?;
        let read = Self::load(document, parts.binary, path, (options, purpose));
        read.map_err(|fault| fault.of_file(path))
    }

    fn load(
        document: GltfJson,
        binary: Option<&[u8]>,
        path: &Path,
        (options, purpose): (&GltfOptions, GltfPurpose),
    ) -> GltfResult<Self> {
        extensions::check(&document.extensions_required)?;
        let mut tree = NodeTree::of(&document)?;
        let mut warnings = Warnings::default();
        let buffers = Buffers::load(&document.buffers, binary, path)?;
        let accessors = Accessors::new(&document, &buffers);
        let mut budget = ElementBudget::of(buffers.total());
        let meshes = document.meshes.iter().enumerate();
        let meshes =
            meshes.map(|(i, entry)| geometry::read(&accessors, i, entry, &mut budget, &mut warnings));
        let meshes = meshes.collect::<GltfResult<Vec<_>>>()?;
        let first = shown(&tree, &document, &meshes)?;
        let marked: Vec<bool> = first.iter().map(Option::is_some).collect();
        let mut is_relevant = tree.carriers(&marked);
        let mut skins = BTreeMap::new();
        for (node, mesh) in first.iter().enumerate() {
            let (Some(mesh), Some(skin)) = (*mesh, document.nodes[node].skin) else { continue };
            let skinned_mesh = (skin.0, mesh, &meshes[mesh]);
            let skin = skin::read(&accessors, &document, skinned_mesh, &mut budget, &mut warnings);
            let skin = skin.map_err(|fault| fault.within(&place_of(node, &document.nodes[node])))?;
            skin::mark_with_ancestors(skin.joints(), &tree, &mut is_relevant);
            skins.insert(node, skin);
        }
        let choice = Choice::of(&document, &is_relevant);
        let rival_choice = match options.rival {
            _ if purpose == GltfPurpose::Facts => RivalChoice::First,
            Some(rival) => RivalChoice::Of(rival),
            None => RivalChoice::Together,
        };
        let rivals = choice.rivals();
        let chosen = choice.choose(options.animation.as_deref(), rival_choice)?;
        let animation = animation::read(&chosen, &document, &accessors, &is_relevant, &mut budget)?;
        if chosen.len() > 1 {
            let names = chosen.iter().map(|number| animation::label(*number, &document.animations[*number]));
            let names = names.collect::<Vec<_>>().join(", ");
            let what = format!("{} animations are played together: {names}", chosen.len());
            warnings.push(format!("{what}; each holds its last key after its end"));
        }
        if purpose == GltfPurpose::Facts && !rivals.is_empty() {
            let names = rivals.join(", ");
            warnings
                .push(format!("animations that move the same nodes: {names}; the first of them is taken"));
        }
        tree.prune(&document.nodes, &animation, &mut warnings)?;
        let shown = shown(&tree, &document, &meshes)?;
        let budget = ElementBudget::of(buffers.total());
        Ok(Self { meshes, tree, animation, rivals, shown, skins, budget, warnings, document })
    }

    /// The nodes that are bodies, in the order of the file, with their names and meshes.
    pub(super) fn bodies(&self) -> Vec<(usize, String, usize)> {
        let shown = self.shown.iter().enumerate().filter_map(|(node, mesh)| Some((node, (*mesh)?)));
        let mut names = NameAllocator::default();
        let name = |node: usize, mesh: usize| {
            let candidates = [&self.document.nodes[node].name, &self.document.meshes[mesh].name];
            candidates
                .into_iter()
                .flatten()
                .find(|name| !name.is_empty())
                .cloned()
                .unwrap_or(format!("node{node}"))
        };
        shown.map(|(node, mesh)| (node, names.unique(name(node, mesh)), mesh)).collect()
    }

    /// The reason why the shape of a body does not follow from its mesh, if so.
    pub(super) fn deformation(&self, node: usize) -> Option<&'static str> {
        let copies = self.document.nodes[node].extensions.instancing.is_some();
        copies.then_some("EXT_mesh_gpu_instancing repeats it")
    }

    /// The effect of morph targets on the mesh of a node.
    pub(super) fn morph(&self, node: usize, mesh: usize) -> GltfResult<Morph<'_>> {
        let geometry = &self.meshes[mesh];
        if !geometry.has_targets() {
            return Ok(Morph::Nothing);
        }
        let entry = &self.document.nodes[node];
        let count = geometry.targets.len();
        let curves = self.animation.curves.get(&node).and_then(|curves| curves.weights.as_ref());
        let Some(weights) = curves else {
            let weights = entry.weights.as_deref().unwrap_or(&self.document.meshes[mesh].weights);
            return Ok(Morph::still(weights));
        };
        let (times, values) = (&weights.times, &weights.values);
        let Some(curves) = weights.curves(count) else {
            let found = values.len() / times.len().max(1);
            let message =
                format!("found {found} weights a time, expected {count}, one for each morph target");
            return Err(Fault::new(place_of(node, entry), message));
        };
        let is_even = weights.shape != SamplerInterpolation::Cubic;
        Ok(match weights.shape {
            _ if is_even && values.chunks_exact(count).all(|weights| *weights == values[..count]) => {
                Morph::still(&values[..count])
            }
            SamplerInterpolation::Linear => Morph::Moving { times, values },
            SamplerInterpolation::Step | SamplerInterpolation::Cubic => Morph::Bending(curves),
        })
    }
}

/// The effect of morph targets on a mesh.
pub(super) enum Morph<'a> {
    Nothing,
    /// The weights are constant, and not all 0.
    Still(&'a [f64]),
    /// The weights are linear between the times, with one value per target at each time.
    Moving {
        times: &'a [f64],
        values: &'a [f64],
    },
    /// The weights change in other ways.
    Bending(Vec<Curve<f64>>),
}

impl<'a> Morph<'a> {
    fn still(weights: &'a [f64]) -> Self {
        if weights.iter().all(|weight| *weight == 0.0) { Self::Nothing } else { Self::Still(weights) }
    }

    /// The weight curve of each of the `targets`.
    pub(super) fn curves(self, targets: usize) -> Vec<Curve<f64>> {
        let all = 0..targets;
        match self {
            Self::Nothing => all.map(|_| Curve::constant(0.0)).collect(),
            Self::Still(weights) => {
                all.map(|target| Curve::constant(weights.get(target).copied().unwrap_or(0.0))).collect()
            }
            Self::Moving { times, values } => {
                let keys = || times.iter().copied().zip(values.chunks_exact(targets));
                all.map(|target| {
                    Curve::Linear(keys().map(|(time, weights)| (time, weights[target])).collect())
                })
                .collect()
            }
            Self::Bending(curves) => curves,
        }
    }
}

/// For each node of the document, its mesh, if the tree contains the node and the mesh has triangles.
fn shown(tree: &NodeTree, document: &GltfJson, meshes: &[GltfGeometry]) -> GltfResult<Vec<Option<usize>>> {
    let mut shown = vec![None; document.nodes.len()];
    for &node in &tree.order {
        let entry = &document.nodes[node];
        if let Some(mesh) = entry.mesh.map(|mesh| mesh.0) {
            let geometry =
                element(meshes, mesh, "mesh").map_err(|fault| fault.within(&place_of(node, entry)))?;
            shown[node] = (!geometry.triangles.is_empty()).then_some(mesh);
        }
    }
    Ok(shown)
}
