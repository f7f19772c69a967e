//! What a simulation is made from.

use glam::{DMat3, DVec3};

use crate::flexible::definition::FlexibleBody;
use crate::impulses::problem::{Friction, JointKind};
use crate::scene::Scene;

/// What makes a body move by forces and impulses, from its release on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dynamics {
    /// In kilograms, greater than 0.
    pub mass: f64,
    /// About the centre of mass, in the body's axes, in kg m^2: symmetric and positive definite.
    pub inertia: DMat3,
    /// The centre of mass, in the body's frame.
    pub center: DVec3,
    /// Velocity of the centre at time 0, in metres per second and world axes; of no matter with [`Release::Contact`].
    pub linear: DVec3,
    /// At time 0, in radians per second and world axes; of no matter with [`Release::Contact`].
    pub angular: DVec3,
}

/// From when on a body that has [`Dynamics`] moves by forces and impulses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Release {
    /// From time 0 on. It has no motion of its own.
    #[default]
    Start,
    /// From its first contact on. Until then it is keyframed: it moves, or stands, as the scene says, and goes on from
    /// there with the velocities of its motion. What touches it can be any body that can collide with it. Bodies that
    /// wait and that joints hold together are released together; their joints hold from then on as they are then.
    Contact,
}

/// How a body of the scene takes part.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SimulatedBody {
    /// `None`: it moves as the scene says, whatever happens (a keyframed body).
    pub dynamics: Option<Dynamics>,
    /// Of no matter without dynamics.
    pub release: Release,
    /// In [0, 1]; of two bodies the lower counts.
    pub elasticity: f64,
    /// Of two bodies the higher counts.
    pub friction: Friction,
}

/// A joint of two bodies of the scene, at least one of them dynamic. They do not collide with each other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SimulatedJoint {
    /// The numbers of the bodies A and B, which differ.
    pub bodies: [usize; 2],
    /// In the world at time 0, in metres.
    pub point: DVec3,
    /// What it leaves free. Its axis is in the world at time 0, and rides on A.
    pub kind: JointKind,
}

/// How contacts are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SimulationMethod {
    /// Gentle contacts are held, violent ones answered by impulses.
    #[default]
    Both,
    /// The same, today.
    Impulse,
    /// Stiff springs (paper 004, 3.1) whose speed of rebound is the elasticity times that of the impact.
    Spring,
}

/// A scene, its masses and its joints.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationDefinition {
    /// Shapes, poses at time 0, motions of the keyframed bodies, pairs that do not collide, and the duration.
    pub scene: Scene,
    /// One for each body of the scene, in order.
    pub bodies: Vec<SimulatedBody>,
    /// What holds them together.
    pub joints: Vec<SimulatedJoint>,
    /// Bodies whose vertices are point masses joined by springs. They are told beside those that have [`Dynamics`], and
    /// cannot collide with them yet.
    pub flexible: Vec<FlexibleBody>,
    /// In metres per square second.
    pub gravity: DVec3,
    /// The largest step, in seconds, greater than 0.
    pub step: f64,
    /// All multiples of this time are recorded, in seconds, greater than 0.
    pub record: f64,
    /// How contacts are answered.
    pub method: SimulationMethod,
    /// Interpenetration deeper than this is a failure, in metres, greater than 0.
    pub depth: f64,
}
