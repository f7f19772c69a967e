//! A world as a scene that its own clocks move.

use chasles::{BodyMotion, Curve, Scene, SceneBody, SceneDefinition};
use glam::{DMat3, DQuat, DVec3};

use super::animation::Track;
use super::bodies::VrmlShapes;
use super::graph::Graph;
use super::rotation::quaternion;
use super::tree::Transform;
use super::world::World;
use crate::error::{Error, Result};
use crate::figures::rounded;
use crate::gltf::frames::CarrierMap;
use crate::scene::appearance::{Appearance, ColourRange, UpAxis};
use crate::scene::build::BuiltScene;

/// Builds the scene.
pub(super) fn scene(world: &World, clearance: f64) -> Result<BuiltScene> {
    let World { graph, tree, path, .. } = world;
    if let Some(error) = tree.refused.first() {
        return Err(error.clone());
    }
    if tree.shapes.is_empty() {
        return Err(Error::file(path, "the world has no triangles"));
    }
    let cycles = tree.transforms.iter().filter(|transform| moves(transform)).flat_map(cycles);
    let longest = cycles.fold(0.0, f64::max);
    let duration = if longest > 0.0 { longest } else { 1.0 };
    let mut frames = Frames { graph, duration, rests: Vec::new(), motions: Vec::new() };
    for (number, transform) in tree.transforms.iter().enumerate() {
        frames.add(number, transform)?;
    }
    // Shapes come first, so that body numbers agree with the report.
    let mut numbers = vec![None; tree.transforms.len()];
    for (number, (ancestor, _)) in frames.motions.iter().enumerate() {
        numbers[*ancestor] = Some(tree.shapes.len() + number);
    }
    let mut colours = Vec::new();
    let mut shapes = VrmlShapes::new(graph, tree);
    let mut bodies = Vec::new();
    for shape in &tree.shapes {
        let rest = shape.transform.map_or(CarrierMap::WORLD, |transform| frames.rests[transform]);
        let parent = rest.ancestor.and_then(|ancestor| numbers[ancestor]);
        let (made, pose) = shapes.of(shape, &rest)?;
        let triangles = made.as_ref().map_or(0, |made| made.drawn().triangles().len());
        colours.push(shape.colour.map(|colour| ColourRange { triangles, colour }).into_iter().collect());
        let (name, motion) = (shape.name.clone(), BodyMotion::Still(pose));
        bodies.push(SceneBody { name, shape: made, motion, parent, group: None, solid: false });
    }
    for (ancestor, (parent, motion)) in frames.motions {
        let name = format!("transform {ancestor}");
        let parent = parent.and_then(|parent| numbers[parent]);
        bodies.push(SceneBody { name, shape: None, motion, parent, group: None, solid: false });
    }
    let mut warnings = tree.warnings.list();
    warnings.extend(shapes.warnings());
    if longest == 0.0 {
        let warning = "nothing in this world moves by itself: the check is of its bodies at rest";
        warnings.push(Error::file(path, warning).to_string());
    }
    let definition = SceneDefinition { duration, tolerance: None, clearance, bodies, ignore: vec![] };
    let scene = Scene::new(definition).map_err(|error| Error::file(path, error.to_string()))?;
    let solid = vec![None; scene.bodies().len()];
    let appearance = Appearance { up: UpAxis::Y, colours };
    Ok(BuiltScene { scene, appearance, warnings, solid, missing: vec![] })
}

fn moves(transform: &Transform) -> bool {
    let motion = &transform.motion;
    motion.translation.as_ref().is_some_and(|track| track.constant().is_none())
        || motion.rotation.as_ref().is_some_and(|track| track.constant().is_none())
}

fn cycles(transform: &Transform) -> impl Iterator<Item = f64> {
    let motion = &transform.motion;
    let translation = motion.translation.as_ref().filter(|track| track.constant().is_none());
    let rotation = motion.rotation.as_ref().filter(|track| track.constant().is_none());
    translation.map(|track| track.cycle).into_iter().chain(rotation.map(|track| track.cycle))
}

struct Frames<'a> {
    graph: &'a Graph,
    duration: f64,
    /// For each transform, the map to the moving transform that carries it.
    rests: Vec<CarrierMap>,
    /// The moving transforms, each with its carrier and motion.
    motions: Vec<(usize, (Option<usize>, BodyMotion))>,
}

impl Frames<'_> {
    fn add(&mut self, number: usize, transform: &Transform) -> Result<()> {
        let above = transform.parent.map_or(CarrierMap::WORLD, |parent| self.rests[parent]);
        // A clock with constant values only sets the static pose.
        let mut transform = transform.clone();
        let translation = transform.motion.translation.take();
        let rotation = transform.motion.rotation.take();
        if let Some(constant) = translation.as_ref().and_then(Track::constant) {
            transform.translation = constant;
        }
        let fixed = rotation.as_ref().and_then(Track::constant);
        if let Some(constant) = fixed {
            transform.rotation = constant.to_axis_angle();
        }
        let translation = translation.filter(|track| track.constant().is_none());
        let rotation = rotation.filter(|track| track.constant().is_none());
        if translation.is_none() && rotation.is_none() {
            self.rests.push(above.below(&transform));
            return Ok(());
        }
        let position = match translation {
            Some(track) => {
                let curve =
                    track.curve(self.graph, self.duration, |a: DVec3, b, fraction| a.lerp(b, fraction))?;
                mapped(curve, |value| above.point(value + transform.center))
            }
            None => Curve::constant(above.point(transform.translation + transform.center)),
        };
        let (rotation, linear) = match rotation {
            Some(track) => {
                let (rotation_part, factor) = above.rotation_and_factor().map_err(|fraction| {
                    let by = if fraction.is_finite() { format!(" by {} of it", rounded(fraction, 2)) } else { String::new() };
                    let message = format!("it turns below a scale that differs with the direction{by}: the shapes below it would change with time");
                    self.graph.error(transform.instance, message)
                })?;
                let curve =
                    track.curve(self.graph, self.duration, |a: DQuat, b, fraction| a.slerp(b, fraction))?;
                (
                    mapped(curve, |value| (rotation_part * value).normalize()),
                    DMat3::from_diagonal(DVec3::splat(factor)),
                )
            }
            None => {
                let (rotation, linear) = above.rotated(quaternion(transform.rotation));
                (Curve::constant(rotation), linear)
            }
        };
        self.motions.push((number, (above.ancestor, BodyMotion::Curves { position, rotation })));
        self.rests.push(CarrierMap::inside(number, &transform, DQuat::IDENTITY, linear));
        Ok(())
    }
}

fn mapped<T>(curve: Curve<T>, map: impl Fn(T) -> T) -> Curve<T> {
    match curve {
        Curve::Linear(keys) => {
            Curve::Linear(keys.into_iter().map(|(time, value)| (time, map(value))).collect())
        }
        other => other,
    }
}
