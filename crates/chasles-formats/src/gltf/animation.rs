//! The choice of animations to play, and the curves by which their channels move nodes.

use std::collections::{BTreeMap, BTreeSet};

use chasles::{CubicKey, Curve};
use glam::{DQuat, DVec3};

use super::accessor::{Accessors, Components, ElementBudget};
use super::document::{AnimationEntry, ChannelEntry, GltfJson, SamplerEntry};
use super::fault::{Fault, GltfResult, element, named};
use crate::text::tree::{number_text, quoted};

/// The curves of one node. Values are as in the file, not yet in the engine's frames.
#[derive(Debug, Default, PartialEq)]
pub(super) struct NodeCurves {
    pub(super) translation: Option<Curve<DVec3>>,
    /// Quaternions as in the file, of any nonzero length.
    pub(super) rotation: Option<Curve<DQuat>>,
    pub(super) scale: Option<Curve<DVec3>>,
    /// Weights of morph targets.
    pub(super) weights: Option<Weights>,
}

/// The weights of morph targets at key times.
#[derive(Debug, PartialEq)]
pub(super) struct Weights {
    pub(super) shape: SamplerInterpolation,
    pub(super) times: Vec<f64>,
    /// For each time, one value per target; for cubic interpolation, the in-tangents, values and out-tangents.
    pub(super) values: Vec<f64>,
}

impl Weights {
    /// The weight curve of each target, if the number of values fits `count` targets.
    pub(super) fn curves(&self, count: usize) -> Option<Vec<Curve<f64>>> {
        let each = self.shape.values() * count;
        if self.values.len() != self.times.len().checked_mul(each)? {
            return None;
        }
        let keys = || self.times.iter().copied().zip(self.values.chunks_exact(each));
        let curve = |target: usize| {
            let even = || keys().map(|(time, values)| (time, values[target])).collect();
            match self.shape {
                SamplerInterpolation::Step => Curve::Step(even()),
                SamplerInterpolation::Linear => Curve::Linear(even()),
                SamplerInterpolation::Cubic => {
                    let key = |(time, values): (f64, &[f64])| CubicKey {
                        time,
                        in_tangent: values[target],
                        value: values[count + target],
                        out_tangent: values[2 * count + target],
                    };
                    Curve::Cubic(keys().map(key).collect())
                }
            }
        };
        Some((0..count).map(curve).collect())
    }
}

/// The curves of the played animations, by the index of the node that they move; empty without an animation.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AnimationCurves {
    pub(super) curves: BTreeMap<usize, NodeCurves>,
    /// The maximum key time, in seconds; 0 without keys.
    pub(super) end: f64,
}

/// The animations of a document, and the animations that exclude each other.
pub(super) struct Choice<'a> {
    document: &'a GltfJson,
    /// The first two animations that move the same path of a node: their numbers, the node and the path.
    shared: Option<(usize, usize, usize, &'a str)>,
    /// The numbers of the animations that exclude each other.
    rivals: Vec<usize>,
}

impl<'a> Choice<'a> {
    /// Finds animations that move the same path of a relevant node.
    pub(super) fn of(document: &'a GltfJson, is_relevant: &[bool]) -> Self {
        let mut movers: BTreeMap<(usize, &str), usize> = BTreeMap::new();
        let mut rivals = BTreeSet::new();
        let mut shared = None;
        for (number, entry) in document.animations.iter().enumerate() {
            for ChannelEntry { target, .. } in entry.channels.iter() {
                let Some(node) =
                    target.node.map(|node| node.0).filter(|node| is_relevant.get(*node) == Some(&true))
                else {
                    continue;
                };
                let first = *movers.entry((node, &target.path)).or_insert(number);
                if first != number {
                    shared.get_or_insert((first, number, node, target.path.as_str()));
                    rivals.extend([first, number]);
                }
            }
        }
        Self { document, shared, rivals: rivals.into_iter().collect() }
    }

    /// The names of the animations that exclude each other.
    pub(super) fn rivals(&self) -> Vec<String> {
        self.rivals.iter().map(|number| self.label(*number)).collect()
    }

    fn label(&self, number: usize) -> String {
        self.document.animations.get(number).map_or_else(String::new, |entry| label(number, entry))
    }

    fn labels(&self, numbers: impl Iterator<Item = usize>) -> String {
        numbers.map(|number| self.label(number)).collect::<Vec<_>>().join(", ")
    }

    /// The numbers of the animations to play: with a name or number, that animation; without it, all animations but
    /// the rivals, of which `rival_choice` chooses one.
    pub(super) fn choose(
        &self,
        requested: Option<&str>,
        rival_choice: RivalChoice,
    ) -> GltfResult<Vec<usize>> {
        let animations = &self.document.animations;
        if let Some(requested) = requested {
            let named = animations.iter().position(|entry| entry.name.as_deref() == Some(requested));
            let numbered = || requested.parse().ok().filter(|number| *number < animations.len());
            match named.or_else(numbered) {
                Some(number) => return Ok(vec![number]),
                None if requested == super::ALL => {}
                None => {
                    let all = self.labels(0..animations.len());
                    let there =
                        if animations.is_empty() { "it has none".into() } else { format!("it has {all}") };
                    let found =
                        format!("found no animation with the name or number {}: {there}", quoted(requested));
                    return Err(Fault::new("animations", found));
                }
            }
        }
        let all = 0..animations.len();
        let Some((first, second, node, path)) = self.shared else { return Ok(all.collect()) };
        let rival = match rival_choice {
            RivalChoice::Of(rival_choice) => self.rivals.get(rival_choice),
            RivalChoice::First => self.rivals.first(),
            RivalChoice::Together => None,
        };
        let Some(rival) = rival else {
            let entry = &self.document.nodes[node];
            let [first, second] = [first, second].map(|number| self.label(number));
            let node = named("node", node, entry.name.as_deref());
            let message = format!(
                "{first} and {second} both move the {path} of {node}, so that they cannot be played together: \
                 --animation NAME plays one of {}, --animation all checks each in turn",
                self.labels(self.rivals.iter().copied())
            );
            return Err(Fault::new("animations", message));
        };
        Ok(all.filter(|number| number == rival || !self.rivals.contains(number)).collect())
    }
}

/// The rival to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RivalChoice {
    /// No rival: a file with rivals is refused.
    Together,
    /// The first rival.
    First,
    /// The rival with this number.
    Of(usize),
}

/// The label of an animation in messages and lists.
pub(super) fn label(number: usize, entry: &AnimationEntry) -> String {
    match entry.name.as_deref() {
        Some(name) if !name.is_empty() => quoted(name),
        _ => number.to_string(),
    }
}

/// Whether a curve never changes its value.
pub(super) fn is_constant<T: Copy + PartialEq>(curve: &Curve<T>, zero: T) -> bool {
    let values = curve.values();
    values.windows(2).all(|pair| pair[0] == pair[1])
        && curve.tangents().iter().all(|tangent| *tangent == zero)
}

/// Reads animations of a document: the curves of the relevant nodes, and the last key time.
pub(super) fn read(
    numbers: &[usize],
    document: &GltfJson,
    accessors: &Accessors<'_>,
    is_relevant: &[bool],
    budget: &mut ElementBudget,
) -> GltfResult<AnimationCurves> {
    let mut animation = AnimationCurves::default();
    let mut reader = SamplerReader { accessors, budget, inputs: BTreeMap::new() };
    for &number in numbers {
        let entry = element(&document.animations, number, "animation")?;
        let outer = named("animation", number, entry.name.as_deref());
        for (i, channel) in entry.channels.iter().enumerate() {
            let place = |fault: Fault| fault.within(&format!("{outer}, channel {i}"));
            let sampler = element(&entry.samplers, channel.sampler.0, "sampler").map_err(place)?;
            let in_sampler = |fault: Fault| place(fault.within(&format!("sampler {}", channel.sampler.0)));
            let target = target(channel, document).map_err(place)?;
            animation.end = animation.end.max(reader.input(sampler.input.0).map_err(in_sampler)?.last);
            if let Some(node) = target.filter(|node| is_relevant[*node]) {
                let curves = animation.curves.entry(node).or_default();
                let path = Path::of(&channel.target.path).map_err(place)?;
                if curves.has(path) {
                    let message = format!("a second channel for the {} of node {node}", channel.target.path);
                    return Err(place(Fault::new("target", message)));
                }
                reader.add(sampler, path, curves).map_err(in_sampler)?;
            }
        }
    }
    Ok(animation)
}

/// The node that a channel moves; `None` if the channel changes another property.
fn target(channel: &ChannelEntry, document: &GltfJson) -> GltfResult<Option<usize>> {
    if let Some(pointer) = &channel.target.extensions.pointer {
        let moves = ["/nodes/", "/meshes/"].iter().any(|prefix| pointer.pointer.starts_with(prefix));
        if moves {
            let message =
                format!("found KHR_animation_pointer {}, which is not read", quoted(&pointer.pointer));
            return Err(Fault::new("target", message));
        }
        return Ok(None);
    }
    let Some(node) = channel.target.node.map(|node| node.0) else { return Ok(None) };
    let entry = element(&document.nodes, node, "node").map_err(|fault| fault.within("target"))?;
    // A node with a matrix may not have channels of translation, rotation and scale; weights belong to its mesh.
    if entry.matrix.is_some() && channel.target.path != "weights" {
        let place = format!("target, {}", named("node", node, entry.name.as_deref()));
        return Err(Fault::new(place, "found a matrix, which cannot be animated"));
    }
    Ok(Some(node))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
}

impl Path {
    fn of(path: &str) -> GltfResult<Self> {
        match path {
            "translation" => Ok(Self::Translation),
            "rotation" => Ok(Self::Rotation),
            "scale" => Ok(Self::Scale),
            "weights" => Ok(Self::Weights),
            _ => {
                let expected = "expected translation, rotation, scale or weights";
                Err(Fault::new("target", format!("found the path {}, {expected}", quoted(path))))
            }
        }
    }
}

impl NodeCurves {
    fn has(&self, path: Path) -> bool {
        match path {
            Path::Translation => self.translation.is_some(),
            Path::Rotation => self.rotation.is_some(),
            Path::Scale => self.scale.is_some(),
            Path::Weights => self.weights.is_some(),
        }
    }
}

/// Key times as in the file.
#[derive(Debug)]
struct Input {
    times: Vec<f64>,
    /// The maximum time.
    last: f64,
}

/// Reads samplers, which may share their times.
struct SamplerReader<'a, 'b> {
    accessors: &'b Accessors<'a>,
    budget: &'b mut ElementBudget,
    inputs: BTreeMap<usize, Input>,
}

impl SamplerReader<'_, '_> {
    fn input(&mut self, accessor: usize) -> GltfResult<&Input> {
        if !self.inputs.contains_key(&accessor) {
            let within = |fault: Fault| fault.within("input");
            let times = self.accessors.vectors(accessor, Components::Floats, self.budget).map_err(within)?;
            let times: Vec<f64> = times.into_iter().map(|[time]| time).collect();
            let last = times.iter().copied().fold(0.0, f64::max);
            self.inputs.insert(accessor, Input { times, last });
        }
        Ok(&self.inputs[&accessor])
    }

    /// The key times, which are increasing and at least 0.
    fn times(&mut self, accessor: usize) -> GltfResult<&[f64]> {
        let times = &self.input(accessor)?.times;
        let place = || format!("input, accessor {accessor}");
        if let Some(first) = times.first().filter(|first| **first < 0.0) {
            let message = format!("found time {}, expected none before 0", number_text(*first));
            return Err(Fault::new(place(), message));
        }
        if let Some(at) = times.windows(2).position(|pair| pair[1] <= pair[0]) {
            let [before, after] = [times[at], times[at + 1]].map(number_text);
            let message = format!("found time {after} after {before}, expected times that increase");
            return Err(Fault::new(place(), message));
        }
        Ok(times)
    }

    fn add(&mut self, sampler: &SamplerEntry, path: Path, curves: &mut NodeCurves) -> GltfResult<()> {
        let shape = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => SamplerInterpolation::Linear,
            Some("STEP") => SamplerInterpolation::Step,
            Some("CUBICSPLINE") => SamplerInterpolation::Cubic,
            Some(other) => {
                let message = format!("found {}, expected LINEAR, STEP or CUBICSPLINE", quoted(other));
                return Err(Fault::new("interpolation", message));
            }
        };
        match path {
            Path::Translation => {
                curves.translation =
                    Some(self.curve(sampler, shape, Components::Floats, DVec3::from_array)?);
            }
            Path::Scale => {
                curves.scale = Some(self.curve(sampler, shape, Components::Floats, DVec3::from_array)?);
            }
            Path::Rotation => {
                let curve = self.curve(sampler, shape, Components::FloatsOrFractions, DQuat::from_array)?;
                if let Some(at) = curve.values().iter().position(|value| value.to_array() == [0.0; 4]) {
                    let place = format!("output, accessor {}, key {at}", sampler.output.0);
                    return Err(Fault::new(place, "found a rotation of zero length"));
                }
                curves.rotation = Some(curve);
            }
            Path::Weights => {
                curves.weights = Some(self.weights(sampler, shape)?);
            }
        }
        Ok(())
    }

    fn weights(&mut self, sampler: &SamplerEntry, shape: SamplerInterpolation) -> GltfResult<Weights> {
        let (input, output) = (sampler.input.0, sampler.output.0);
        let keys = self.times(input)?.len();
        let values = self.accessors.vectors(output, Components::FloatsOrFractions, self.budget);
        let values = values.map_err(|fault| fault.within("output"))?;
        if !values.len().is_multiple_of(keys.saturating_mul(shape.values())) {
            let each = if shape == SamplerInterpolation::Cubic {
                "three for each target"
            } else {
                "one for each target"
            };
            let message = format!("found {} values, expected {each} at each of {keys} times", values.len());
            return Err(Fault::new(format!("output, accessor {output}"), message));
        }
        self.budget.spend(keys, || "input".into())?;
        let times = self.input(input)?.times.clone();
        Ok(Weights { shape, times, values: values.into_iter().map(|[value]| value).collect() })
    }

    fn curve<T: Copy, const N: usize>(
        &mut self,
        sampler: &SamplerEntry,
        shape: SamplerInterpolation,
        allowed: Components,
        value: fn([f64; N]) -> T,
    ) -> GltfResult<Curve<T>> {
        let output = sampler.output.0;
        let keys = self.times(sampler.input.0)?.len();
        let (count, each) = (self.accessors.count(output)?, shape.values());
        if Some(count) != keys.checked_mul(each) {
            let expected = if each == 3 { "three for each" } else { "one for each" };
            let message = format!("found {count} values, expected {expected} of {keys} times");
            return Err(Fault::new(format!("output, accessor {output}"), message));
        }
        // The times are copied for each curve.
        self.budget.spend(keys, || "input".into())?;
        let values =
            self.accessors.vectors(output, allowed, self.budget).map_err(|fault| fault.within("output"))?;
        let times = self.input(sampler.input.0)?.times.iter().copied();
        let pairs = || times.clone().zip(values.iter().map(|numbers| value(*numbers)));
        Ok(match shape {
            SamplerInterpolation::Step => Curve::Step(pairs().collect()),
            SamplerInterpolation::Linear => Curve::Linear(pairs().collect()),
            SamplerInterpolation::Cubic => {
                let keys = times.zip(values.chunks_exact(3));
                Curve::Cubic(
                    keys.map(|(time, numbers)| CubicKey {
                        time,
                        in_tangent: value(numbers[0]),
                        value: value(numbers[1]),
                        out_tangent: value(numbers[2]),
                    })
                    .collect(),
                )
            }
        })
    }
}

/// The interpolation between keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SamplerInterpolation {
    Linear,
    Step,
    Cubic,
}

impl SamplerInterpolation {
    /// The number of values per key.
    fn values(self) -> usize {
        if self == Self::Cubic { 3 } else { 1 }
    }
}
