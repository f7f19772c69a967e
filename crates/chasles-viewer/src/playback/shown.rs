//! The displayed scene or robot: numbered bodies, the parts of the engine's scene that each body has, and the
//! mapping between displayed time and scene time.

use std::borrow::Cow;

use chasles::{
    BodyMotion, CollisionShape, Error as EngineError, JointPath, KeyLimits, PathScene, Pose, RobotCell,
    Scene, Waypoint, WorldKeys,
};
use glam::DVec3;

/// A scene of the engine, with its displayed bodies.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) scene: Scene,
    pub(crate) bodies: Vec<ShownBody>,
    /// Displayed start and end, in seconds. The start corresponds to time 0 of the scene.
    pub(crate) time_interval: [f64; 2],
}

/// A displayed body.
#[derive(Debug, Clone)]
pub(crate) struct ShownBody {
    pub(crate) name: String,
    /// The number of the body of the scene whose motion it has.
    pub(crate) mover: usize,
    /// The bodies of the scene that form its surface.
    pub(crate) surfaces: Vec<usize>,
    /// The body that carries it, as a number among the displayed bodies.
    pub(crate) parent: Option<usize>,
}

/// A deviation below this fraction of a body's size is invisible.
const RELATIVE_TOLERANCE: f64 = 1e-4;

/// The maximum number of additional keys of a body, beside the keys of its motion; a key has 64 bytes.
const MAX_KEYS: usize = 20_000;

impl Shown {
    pub(crate) fn scene(scene: Scene) -> Self {
        let body = |(number, body): (usize, &chasles::SceneBody)| ShownBody {
            name: body.name.clone(),
            mover: number,
            surfaces: body.shape.iter().map(|_| number).collect(),
            parent: body.parent,
        };
        let bodies = scene.bodies().iter().enumerate().map(body).collect();
        let time_interval = [0.0, scene.duration()];
        Self { scene, bodies, time_interval }
    }

    /// A robot on a path, or at rest.
    pub(crate) fn robot(cell: &RobotCell, path: Option<&JointPath>) -> Result<Self, EngineError> {
        let still;
        let (cell, path, time_interval) = match path {
            Some(path) => (Cow::Borrowed(cell), path, path.interval()),
            None => {
                let waypoint = |time| Waypoint { time, positions: vec![], velocities: vec![] };
                still = JointPath { joints: vec![], waypoints: vec![waypoint(0.0), waypoint(1.0)] };
                (Cow::Owned(cell.with_static_world(0.0)?), &still, [0.0; 2])
            }
        };
        let PathScene { scene, owners } = cell.path_scene(path)?;
        let links = cell.robot().links().len();
        let bodies = (0..cell.count()).map(|number| {
            // A link moves with the scene's body of the same number; a body of the world is its own surface.
            let mut of_it = (0..owners.len()).filter(|body| owners[*body] == number);
            let mover = of_it.next().unwrap_or(number);
            let rest_parts: Vec<usize> = if number < links { of_it.collect() } else { vec![mover] };
            let has_surface = |body: &usize| scene.bodies()[*body].shape.is_some();
            let parent = match number.checked_sub(links) {
                None => cell.robot().joint_above(number).map(|joint| cell.robot().joints()[joint].parent),
                Some(of_world) => {
                    let world = &cell.definition().world[of_world];
                    world.body.parent.map(|parent| links + parent).or(world.link)
                }
            };
            let surfaces = rest_parts.into_iter().filter(has_surface).collect();
            ShownBody { name: cell.name(number).to_owned(), mover, surfaces, parent }
        });
        Ok(Self { bodies: bodies.collect(), scene, time_interval })
    }

    /// The parts of a body's surface, each with its pose in the body's frame.
    pub(crate) fn parts(&self, body: &ShownBody) -> Vec<(&CollisionShape, Pose)> {
        let part = |number: &usize| {
            let part = &self.scene.bodies()[*number];
            let frame = match &part.motion {
                // An element of a link is static in the link's frame.
                BodyMotion::Still(pose) if *number != body.mover => *pose,
                _ => Pose::IDENTITY,
            };
            Some((part.shape.as_ref()?, frame))
        };
        body.surfaces.iter().filter_map(part).collect()
    }

    /// The motion of a body in the world, in displayed time.
    pub(crate) fn keys(&self, body: &ShownBody) -> WorldKeys {
        let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let mut radius_bound = 0.0_f64;
        for (shape, frame) in self.parts(body) {
            // For a deforming shape, the box contains all frames.
            let [lower, upper] = match shape.deforming_surface() {
                Some(surface) => surface.bounds(),
                None => shape.drawn().bounds(),
            };
            let centre = frame.transform_point(0.5 * lower + 0.5 * upper);
            (lo, hi) = (lo.min(centre), hi.max(centre));
            radius_bound = radius_bound.max(0.5 * lower.distance(upper));
        }
        // A body without surface is bounded by its origin.
        let (centre, half) =
            if lo.x <= hi.x { (0.5 * (lo + hi), 0.5 * (hi - lo)) } else { (DVec3::ZERO, DVec3::ZERO) };
        let radius = (half.length() + radius_bound) * (1.0 + 1e-12);
        let size = if radius > 0.0 { 2.0 * radius } else { self.largest() };
        let limits = KeyLimits { centre, radius, deviation: RELATIVE_TOLERANCE * size, max_keys: MAX_KEYS };
        let mut keys = self.scene.keys(body.mover, &limits);
        if self.time_interval[0] == self.time_interval[1] {
            keys.keys.truncate(1);
        }
        keys.keys.iter_mut().for_each(|(time, _)| *time = self.time_shown(*time));
        keys
    }

    /// The largest diagonal of a mesh.
    fn largest(&self) -> f64 {
        let shapes = self.scene.bodies().iter().filter_map(|body| body.shape.as_ref());
        shapes.map(|shape| shape.drawn().diagonal()).fold(0.0, f64::max)
    }

    /// Converts a time of the scene to displayed time.
    pub(crate) fn time_shown(&self, time: f64) -> f64 {
        let [start, end] = self.time_interval;
        if time >= self.scene.duration() { end } else { (start + time).min(end) }
    }

    /// Converts displayed time to a time of the scene.
    pub(crate) fn time_of_scene(&self, time: f64) -> f64 {
        let [start, end] = self.time_interval;
        let duration = self.scene.duration();
        if time >= end && end > start { duration } else { (time - start).clamp(0.0, duration) }
    }
}
