//! All bodies at one time: keyframed bodies at the poses of the scene, dynamic bodies at their simulated poses.

use glam::{DMat3, DVec3};

use crate::broad_phase::{SweptBox, candidates};
use crate::impulses::problem::{RigidMass, SurfaceProperties};
use crate::motion::Pose;
use crate::motion::chain::{breaks as breaks_of, chain_segments};
use crate::pair::shape::CollisionShape;
use crate::scene::Scene;
use crate::simulate::definition::{
    Dynamics, Release, SimulatedJoint, SimulationDefinition, SimulationMethod,
};
use crate::simulate::recorded::Released;
use crate::simulate::rows::SolverBody;
use crate::simulate::state::joints::{Articulation, JointAnchors, articulations};
use crate::simulate::state::pull::MouseForce;
use crate::simulate::state::rigid::RigidState;
use crate::touch::posed_mesh::Winding;

/// Data that is constant during a simulation, except for the pull and for bodies that are released.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct World {
    pub(crate) definition: SimulationDefinition,
    /// By body of the scene: its number among the dynamic bodies.
    pub(crate) numbers: Vec<Option<usize>>,
    /// The bodies that are dynamic now.
    pub(crate) dynamic: Vec<usize>,
    /// The bodies that still wait for their first contact.
    pub(crate) waiting: Vec<usize>,
    /// The bodies that had their first contact, ordered by time, then by number.
    pub(crate) released: Vec<Released>,
    pub(crate) joints: Vec<JointAnchors>,
    /// The articulations of bodies that are awake.
    pub(crate) articulations: Vec<Articulation>,
    /// By body of the scene: its articulation, and its number there.
    joined: Vec<Option<(usize, usize)>>,
    pub(crate) facings: Vec<Winding>,
    /// Pairs of bodies with a joint, lower number first, sorted.
    joined_pairs: Vec<[usize; 2]>,
    /// By body of the scene: its pose, if it is static.
    static_poses: Vec<Option<Pose>>,
    /// By body of the scene: the bodies beside it that never move relative to it, if both are keyframed or static.
    pub(crate) neighbours: Vec<Vec<FixedNeighbour>>,
    /// By body of the scene: its sleeping island, named by the island's first body.
    pub(crate) asleep: Vec<Option<usize>>,
    /// By body of the scene: whether it is stopped by force for a while.
    pub(crate) stopped: Vec<bool>,
    /// Times at which the motion of a keyframed body is not smooth, sorted.
    pub(crate) breaks: Vec<f64>,
    /// The mouse force.
    pub(crate) pull: Option<MouseForce>,
}

/// A time at which keyframed motions are evaluated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MotionTime {
    /// In seconds.
    pub(crate) time: f64,
    /// A time of the smooth interval to which `time` belongs: where a motion breaks, it selects the side.
    pub(crate) within: f64,
}

/// A keyframed body at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct KeyframedState {
    pub(crate) pose: Pose,
    /// Velocity of the body's origin, and angular velocity.
    pub(crate) velocity: [DVec3; 2],
}

/// A body that is fixed beside another one: both are static, or their keyframed motions keep them together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FixedNeighbour {
    pub(crate) body: usize,
    /// Its bounding box in the frame of the other body, enlarged by the allowed depth.
    pub(crate) bounds: [DVec3; 2],
}

/// The gap at which contacts rest, as a fraction of the allowed depth.
const REST_FRACTION: f64 = 0.01;

/// The gap at which contacts rest, in metres.
pub(crate) fn rest_gap(world: &World) -> f64 {
    REST_FRACTION * world.definition.settings.depth
}

/// The middle of a shape's bounding box.
pub(crate) fn middle(shape: &CollisionShape) -> DVec3 {
    let [low, high] = shape.bounds();
    0.5 * (low + high)
}

/// The number of times at which the relative pose of two keyframed bodies is compared, and the maximum difference,
/// relative to the size of the numbers.
const SAMPLES: u32 = 16;
const SAME_POSE: f64 = 1e-9;

/// The axis-aligned box that contains a body at a pose.
pub(crate) fn bounding_box(world: &World, body: usize, pose: &Pose) -> Option<[DVec3; 2]> {
    let shape = world.scene().bodies()[body].shape.as_ref()?;
    let extent = shape.extent();
    let rotation = DMat3::from_quat(pose.rotation());
    let half = extent.half + DVec3::splat(extent.beyond);
    let reach =
        rotation.x_axis.abs() * half.x + rotation.y_axis.abs() * half.y + rotation.z_axis.abs() * half.z;
    let (centre, reach) = (pose.transform_point(middle(shape)), reach * (1.0 + 1e-9));
    Some([centre - reach, centre + reach])
}

/// By body: the bodies that are fixed beside it.
fn fixed_neighbours(world: &World) -> Vec<Vec<FixedNeighbour>> {
    let scene = world.scene();
    let count = scene.bodies().len();
    let margin = world.definition.settings.depth;
    let starts: Vec<Pose> = (0..count).map(|body| scene.pose_at(body, 0.0)).collect();
    let boxed = |body: usize| {
        let [min, max] = bounding_box(world, body, &starts[body])?;
        let number = u32::try_from(body).ok()?;
        Some(SweptBox { body: number, start: 0.0, end: 1.0, min: min - margin, max: max + margin })
    };
    let keyframed = (0..count).filter(|body| world.numbers[*body].is_none());
    let boxes: Vec<SweptBox> = keyframed.filter_map(boxed).collect();
    let mut neighbours = vec![Vec::new(); count];
    for pair in candidates(&boxes, &|a, b| world.is_fixed_to(a as usize, b as usize)) {
        let [a, b] = pair.bodies.map(|body| body as usize);
        for (own, other) in [(a, b), (b, a)] {
            let relative = starts[own].inverse().compose(&starts[other]);
            let Some([min, max]) = bounding_box(world, other, &relative) else { continue };
            neighbours[own].push(FixedNeighbour { body: other, bounds: [min - margin, max + margin] });
        }
    }
    neighbours.iter_mut().for_each(|own| own.sort_unstable_by_key(|other| other.body));
    neighbours
}

impl World {
    /// With bodies that were released before, ordered by time, then by number.
    pub(crate) fn new(definition: SimulationDefinition, released: Vec<Released>) -> Self {
        let scene = &definition.scene;
        let joints = &definition.joints;
        let mut joined_pairs: Vec<[usize; 2]> = joints
            .iter()
            .map(|joint| [joint.bodies[0].min(joint.bodies[1]), joint.bodies[0].max(joint.bodies[1])])
            .collect();
        joined_pairs.sort_unstable();
        joined_pairs.dedup();
        let facings = scene
            .bodies()
            .iter()
            .map(|body| body.shape.as_ref().map_or(Winding::Open, |s| Winding::of(s.drawn())));
        let facings = facings.collect();
        let mut world = Self {
            numbers: Vec::new(),
            dynamic: Vec::new(),
            waiting: Vec::new(),
            released,
            joints: Vec::new(),
            articulations: Vec::new(),
            joined: Vec::new(),
            facings,
            joined_pairs,
            static_poses: Vec::new(),
            neighbours: Vec::new(),
            asleep: Vec::new(),
            stopped: Vec::new(),
            breaks: Vec::new(),
            pull: None,
            definition,
        };
        world.classify_bodies();
        world
    }

    /// Classifies the bodies as dynamic, waiting or keyframed, given the releases. All are awake afterwards.
    pub(crate) fn classify_bodies(&mut self) {
        let Self { definition, released, .. } = &*self;
        let scene = &definition.scene;
        let count = scene.bodies().len();
        // The time from which each body is dynamic.
        let mut since: Vec<Option<f64>> = definition
            .bodies
            .iter()
            .map(|body| (body.dynamics.is_some() && body.release == Release::Start).then_some(0.0))
            .collect();
        released.iter().for_each(|own| since[own.body] = Some(own.time));
        let is_dynamic = |body: usize| since[body].is_some();
        let dynamic: Vec<usize> = (0..count).filter(|body| is_dynamic(*body)).collect();
        let waiting = (0..count).filter(|body| !is_dynamic(*body) && self.is_recorded(*body)).collect();
        let mut numbers = vec![None; count];
        dynamic.iter().enumerate().for_each(|(number, body)| numbers[*body] = Some(number));
        let poses: Vec<Pose> = (0..count).map(|body| scene.pose_at(body, 0.0)).collect();
        let placed = |joint: &SimulatedJoint| {
            let own = JointAnchors::new(joint, joint.bodies.each_ref().map(|body| &poses[*body]));
            let first = joint.bodies.into_iter().filter_map(|body| since[body]).min_by(f64::total_cmp);
            match first.filter(|since| *since > 0.0) {
                None => own,
                Some(since) => {
                    let [a, b] = joint.bodies.map(|body| scene.pose_at(body, since));
                    own.relative_to_poses([&a, &b])
                }
            }
        };
        let joints = definition.joints.iter().map(placed).collect();
        let mut breaks = Vec::new();
        let mut static_poses = vec![None; count];
        for body in (0..count).filter(|body| !is_dynamic(*body)) {
            let chain = scene.chain(body, None);
            if chain.iter().all(|carrier| carrier.is_constant) {
                static_poses[body] = Some(poses[body]);
            } else {
                breaks.extend(breaks_of(chain.iter(), scene.duration()));
            }
        }
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();
        (self.numbers, self.dynamic, self.waiting) = (numbers, dynamic, waiting);
        (self.joints, self.asleep, self.stopped) = (joints, vec![None; count], vec![false; count]);
        (self.static_poses, self.breaks) = (static_poses, breaks);
        self.neighbours = fixed_neighbours(self);
        self.link_articulations();
    }

    /// Finds the articulations of the bodies that move.
    pub(crate) fn link_articulations(&mut self) {
        let is_awake = |body: usize| self.is_mobile(body);
        let articulations = articulations(&self.definition.joints, is_awake);
        let mut joined = vec![None; self.numbers.len()];
        for (number, articulation) in articulations.iter().enumerate() {
            for (own, body) in articulation.members.iter().enumerate().filter(|(_, body)| is_awake(**body)) {
                joined[*body] = Some((number, own));
            }
        }
        (self.articulations, self.joined) = (articulations, joined);
    }

    /// Whether a body is recorded: it is dynamic, or waits to be. It moves on the screw between its poses.
    pub(crate) fn is_recorded(&self, body: usize) -> bool {
        self.definition.bodies[body].dynamics.is_some()
    }

    /// Whether one of two bodies waits for its first contact.
    pub(crate) fn awaits_contact(&self, bodies: [usize; 2]) -> bool {
        bodies.iter().any(|body| self.numbers[*body].is_none() && self.is_recorded(*body))
    }

    /// The surface properties of two bodies that touch.
    pub(crate) fn surface_properties(&self, bodies: [usize; 2]) -> SurfaceProperties {
        let [a, b] = bodies.map(|body| self.definition.bodies[body].surface());
        a.combined(b)
    }

    /// Whether contacts are springs.
    pub(crate) fn is_sprung(&self) -> bool {
        self.definition.settings.method == SimulationMethod::Spring
    }

    pub(crate) fn scene(&self) -> &Scene {
        &self.definition.scene
    }

    /// A time of the smooth interval of the keyframed motions after a time.
    pub(crate) fn smooth_time_after(&self, time: f64) -> f64 {
        let duration = self.scene().duration();
        if time <= 0.0 || time >= duration {
            return time;
        }
        let corner = self.breaks.iter().copied().find(|corner| *corner > time);
        0.5 * (time + corner.unwrap_or(duration).min(duration))
    }

    /// A time of the smooth interval of the keyframed motions before a time; at time 0, of the first one.
    pub(crate) fn smooth_time_before(&self, time: f64) -> f64 {
        let corner = self.breaks.iter().copied().rfind(|corner| *corner < time);
        if time <= 0.0 { self.smooth_time_after(time) } else { 0.5 * (time + corner.unwrap_or(0.0)) }
    }

    /// Whether a body is static.
    pub(crate) fn is_static(&self, body: usize) -> bool {
        self.static_poses[body].is_some()
    }

    /// Whether the motion of a body is given: it is static, keyframed, or waits for its first contact.
    pub(crate) fn is_keyframed(&self, body: usize) -> bool {
        self.numbers[body].is_none()
    }

    /// Whether two keyframed bodies keep their relative pose, as far as samples show.
    fn is_fixed_to(&self, a: usize, b: usize) -> bool {
        if self.is_static(a) || self.is_static(b) {
            return self.is_static(a) && self.is_static(b);
        }
        let scene = self.scene();
        let relative = |time: f64| scene.pose_at(a, time).inverse().compose(&scene.pose_at(b, time));
        let start = relative(0.0);
        let size = 1.0 + start.position().length();
        (1..=SAMPLES).all(|sample| {
            let now = relative(scene.duration() * f64::from(sample) / f64::from(SAMPLES));
            let rotation = now.rotation() * start.rotation().conjugate();
            let is_same_rotation = rotation.xyz().length() <= SAME_POSE;
            is_same_rotation && now.position().distance(start.position()) <= SAME_POSE * size
        })
    }

    /// Whether a body keeps its pose: it is static, asleep or stopped.
    pub(crate) fn is_immobile(&self, body: usize) -> bool {
        self.is_static(body) || self.numbers[body].is_some() && !self.is_mobile(body)
    }

    /// Whether forces and impulses move a body: it is dynamic, awake and not stopped.
    pub(crate) fn is_mobile(&self, body: usize) -> bool {
        self.numbers[body].is_some() && self.asleep[body].is_none() && !self.stopped[body]
    }

    /// The articulation that joints connect a body to.
    pub(crate) fn articulation_of(&self, body: usize) -> Option<&Articulation> {
        self.joined[body].map(|(number, _)| &self.articulations[number])
    }

    /// Whether two bodies can collide.
    pub(crate) fn may_collide(&self, a: usize, b: usize) -> bool {
        (self.is_recorded(a) || self.is_recorded(b)) && !self.scene().is_exempt(a, b) && !self.is_joined(a, b)
    }

    /// Whether a joint connects two bodies.
    pub(crate) fn is_joined(&self, a: usize, b: usize) -> bool {
        self.joined_pairs.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// The poses of all bodies at a time.
    pub(crate) fn poses(&self, rigid: &[RigidState], at: MotionTime) -> Vec<Pose> {
        let own = |body: usize| match self.numbers[body] {
            Some(number) => rigid[number].pose(),
            None => self.keyframed_state(body, at).pose,
        };
        (0..self.numbers.len()).map(own).collect()
    }

    /// A keyframed body at a time.
    pub(crate) fn keyframed_state(&self, body: usize, at: MotionTime) -> KeyframedState {
        let MotionTime { time, within } = at;
        if let Some(pose) = self.static_poses[body] {
            return KeyframedState { pose, velocity: [DVec3::ZERO; 2] };
        }
        let chain = self.scene().chain(body, None);
        let (mut pose, mut velocity) = (Pose::IDENTITY, [DVec3::ZERO; 2]);
        for piece in chain_segments(&chain, within) {
            let own = piece.pose_at(time);
            pose = if pose == Pose::IDENTITY { own } else { own.compose(&pose) };
            let [linear, angular] = piece.velocities_at(pose.position(), time);
            velocity = [own.rotation() * velocity[0] + linear, own.rotation() * velocity[1] + angular];
        }
        KeyframedState { pose, velocity }
    }

    /// The waiting bodies, as if released at a time with the velocities of their motions.
    pub(crate) fn waiting_states(&self, at: MotionTime) -> Vec<RigidState> {
        let own = |body: &usize| {
            let dynamics = self.definition.bodies[*body].dynamics.as_ref()?;
            let KeyframedState { pose, velocity: [linear, angular] } = self.keyframed_state(*body, at);
            let arm = pose.transform_vector(dynamics.center);
            let linear = linear + angular.cross(arm);
            Some(RigidState::new(&Dynamics { linear, angular, ..*dynamics }, &pose))
        };
        self.waiting.iter().filter_map(own).collect()
    }

    /// All bodies for the contact solver; sleeping and stopped bodies count as static.
    pub(crate) fn solver_bodies(&self, rigid: &[RigidState], at: MotionTime) -> Vec<SolverBody> {
        let keyframed = |center: DVec3, velocity: [DVec3; 2]| SolverBody {
            mass: None,
            inverse: (0.0, DMat3::ZERO),
            center,
            velocity,
            joined: None,
        };
        let own = |body: usize| match self.numbers[body] {
            Some(number) if !self.is_mobile(body) => keyframed(rigid[number].center, [DVec3::ZERO; 2]),
            Some(number) => {
                let RigidState { mass, center, linear, angular, .. } = rigid[number];
                SolverBody {
                    mass: Some(RigidMass { mass, inertia: rigid[number].inertia() }),
                    inverse: (1.0 / mass, rigid[number].inverse_inertia()),
                    center,
                    velocity: [linear, angular],
                    joined: self.joined[body],
                }
            }
            None => {
                let KeyframedState { pose, velocity } = self.keyframed_state(body, at);
                keyframed(pose.position(), velocity)
            }
        };
        (0..self.numbers.len()).map(own).collect()
    }
}
