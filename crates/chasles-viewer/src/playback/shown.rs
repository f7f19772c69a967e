//! What is shown, whether a scene or a robot: bodies by their numbers, which parts of a scene of the engine each of them has, and
//! how the time that is shown runs.

use std::borrow::Cow;

use chasles::{
    BodyMotion, CollisionShape, Error as EngineError, JointPath, KeyLimits, PathScene, Pose, RobotCell,
    Scene, Waypoint, WorldKeys,
};
use glam::DVec3;

/// A scene of the engine, and the bodies that are shown of it.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    pub(crate) scene: Scene,
    pub(crate) bodies: Vec<ShownBody>,
    /// In seconds: the first is where the scene's 0 is.
    pub(crate) span: [f64; 2],
}

/// A body that is shown.
#[derive(Debug, Clone)]
pub(crate) struct ShownBody {
    pub(crate) name: String,
    /// The number of the scene's body that moves as this one does.
    pub(crate) mover: usize,
    /// The bodies of the scene that have its surface.
    pub(crate) surfaces: Vec<usize>,
    /// What it rides on, by the numbers of what is shown.
    pub(crate) parent: Option<usize>,
}

/// A deviation of this share of a body is less than can be seen.
const WITHIN: f64 = 1e-4;

/// So many keys are set for a body, beside those that its motion has: at 64 bytes each.
const MOST_KEYS: usize = 20_000;

impl Shown {
    pub(crate) fn scene(scene: Scene) -> Self {
        let body = |(number, body): (usize, &chasles::SceneBody)| ShownBody {
            name: body.name.clone(),
            mover: number,
            surfaces: body.shape.iter().map(|_| number).collect(),
            parent: body.parent,
        };
        let bodies = scene.bodies().iter().enumerate().map(body).collect();
        let span = [0.0, scene.duration()];
        Self { scene, bodies, span }
    }

    /// A robot on a path, or where it stands.
    pub(crate) fn robot(cell: &RobotCell, path: Option<&JointPath>) -> Result<Self, EngineError> {
        let still;
        let (cell, path, span) = match path {
            Some(path) => (Cow::Borrowed(cell), path, path.span()),
            None => {
                let waypoint = |time| Waypoint { time, positions: vec![], velocities: vec![] };
                still = JointPath { joints: vec![], waypoints: vec![waypoint(0.0), waypoint(1.0)] };
                (Cow::Owned(cell.standing_at(0.0)?), &still, [0.0; 2])
            }
        };
        let PathScene { scene, owners } = cell.path_scene(path)?;
        let links = cell.robot().links().len();
        let bodies = (0..cell.count()).map(|number| {
            // Links carry, each as the body of its own number; a body of the world is its own surface.
            let mut of_it = (0..owners.len()).filter(|body| owners[*body] == number);
            let mover = of_it.next().unwrap_or(number);
            let rest: Vec<usize> = if number < links { of_it.collect() } else { vec![mover] };
            let has_surface = |body: &usize| scene.bodies()[*body].shape.is_some();
            let parent = match number.checked_sub(links) {
                None => cell.robot().joint_above(number).map(|joint| cell.robot().joints()[joint].parent),
                Some(of_world) => {
                    let world = &cell.definition().world[of_world];
                    world.body.parent.map(|parent| links + parent).or(world.link)
                }
            };
            let surfaces = rest.into_iter().filter(has_surface).collect();
            ShownBody { name: cell.name(number).to_owned(), mover, surfaces, parent }
        });
        Ok(Self { bodies: bodies.collect(), scene, span })
    }

    /// The parts of a body's surface, and where each stands in its frame.
    pub(crate) fn parts(&self, body: &ShownBody) -> Vec<(&CollisionShape, Pose)> {
        let part = |number: &usize| {
            let part = &self.scene.bodies()[*number];
            let frame = match &part.motion {
                // An element of a link stands still on it.
                BodyMotion::Still(pose) if *number != body.mover => *pose,
                _ => Pose::IDENTITY,
            };
            Some((part.shape.as_ref()?, frame))
        };
        body.surfaces.iter().filter_map(part).collect()
    }

    /// The motion of a body in the world; times are those that are shown.
    pub(crate) fn keys(&self, body: &ShownBody) -> WorldKeys {
        let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let mut reach = 0.0_f64;
        for (shape, frame) in self.parts(body) {
            // Around all the shapes of one that deforms.
            let [least, greatest] = match shape.deforming_surface() {
                Some(surface) => surface.bounds(),
                None => shape.drawn().bounds(),
            };
            let centre = frame.transform_point(0.5 * least + 0.5 * greatest);
            (lo, hi) = (lo.min(centre), hi.max(centre));
            reach = reach.max(0.5 * least.distance(greatest));
        }
        // Of what has no surface the origin counts.
        let (centre, half) =
            if lo.x <= hi.x { (0.5 * (lo + hi), 0.5 * (hi - lo)) } else { (DVec3::ZERO, DVec3::ZERO) };
        let radius = (half.length() + reach) * (1.0 + 1e-12);
        let size = if radius > 0.0 { 2.0 * radius } else { self.largest() };
        let limits = KeyLimits { centre, radius, within: WITHIN * size, most: MOST_KEYS };
        let mut keys = self.scene.keys(body.mover, &limits);
        if self.span[0] == self.span[1] {
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

    /// The time that is shown at a time of the scene.
    pub(crate) fn time_shown(&self, time: f64) -> f64 {
        let [begin, end] = self.span;
        if time >= self.scene.duration() { end } else { (begin + time).min(end) }
    }

    /// The time of the scene at a time that is shown.
    pub(crate) fn time_of_scene(&self, time: f64) -> f64 {
        let [begin, end] = self.span;
        let duration = self.scene.duration();
        if time >= end && end > begin { duration } else { (time - begin).clamp(0.0, duration) }
    }
}
