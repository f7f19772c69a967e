//! The input of a simulation: a scene with masses, joints and settings.

use glam::{DMat3, DVec3};

use crate::flexible::definition::FlexibleBody;
use crate::impulses::problem::{Friction, JointKind, SurfaceProperties};
use crate::scene::Scene;

/// The mass and velocity of a body that moves by forces and impulses from its release on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dynamics {
    /// In kilograms, greater than 0.
    pub mass: f64,
    /// Inertia about the centre of mass, in the body's axes, in kg m^2: symmetric and positive definite.
    pub inertia: DMat3,
    /// The centre of mass, in the body's frame.
    pub center: DVec3,
    /// Velocity of the centre of mass at time 0, in metres per second and world axes; ignored with
    /// [`Release::Contact`].
    pub linear: DVec3,
    /// Angular velocity at time 0, in radians per second and world axes; ignored with [`Release::Contact`].
    pub angular: DVec3,
}

/// When a body that has [`Dynamics`] starts to move by forces and impulses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Release {
    /// At time 0. The body has no motion of its own.
    #[default]
    Start,
    /// At its first contact with any body that can collide with it. Until then it is keyframed: it moves, or is
    /// static, as the scene says. Then it continues with the velocities of its motion. Waiting bodies that joints
    /// connect are released together; their joints then hold the relative poses of that time.
    Contact,
}

/// The physical properties of a body of the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SimulatedBody {
    /// `None`: a keyframed body, which always moves as the scene says.
    pub dynamics: Option<Dynamics>,
    /// Ignored without dynamics.
    pub release: Release,
    /// Restitution, in [0, 1]; the lower value of two bodies counts.
    pub elasticity: f64,
    /// The higher value of two bodies counts.
    pub friction: Friction,
}

impl SimulatedBody {
    pub(crate) fn surface(&self) -> SurfaceProperties {
        SurfaceProperties { elasticity: self.elasticity, friction: self.friction }
    }
}

/// A joint of two bodies of the scene, at least one of them dynamic. They do not collide with each other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SimulatedJoint {
    /// The numbers of the bodies A and B, which differ.
    pub bodies: [usize; 2],
    /// The anchor point, in the world at time 0, in metres.
    pub point: DVec3,
    /// The degrees of freedom. The axis is given in the world at time 0, and moves with A.
    pub kind: JointKind,
}

/// The contact model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SimulationMethod {
    /// Slow contacts are held, fast ones are answered by impulses.
    #[default]
    Both,
    /// Currently the same as `Both`.
    Impulse,
    /// Stiff springs (paper 004, 3.1), whose rebound speed is the restitution times the impact speed.
    Spring,
}

/// The order of the impacts of contacts that are closed at the same moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ImpactOrder {
    /// They are one problem.
    #[default]
    Together,
    /// One after the other, as if small gaps separated the bodies: always the contact that approaches fastest.
    OneByOne,
}

/// A scene, its masses and its joints.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationDefinition {
    /// Shapes, poses at time 0, motions of the keyframed bodies, pairs that do not collide, and the duration.
    pub scene: Scene,
    /// One for each body of the scene, in order.
    pub bodies: Vec<SimulatedBody>,
    /// The joints between the bodies.
    pub joints: Vec<SimulatedJoint>,
    /// Bodies whose vertices are point masses joined by springs. They are recorded beside bodies with [`Dynamics`],
    /// and cannot collide with them yet.
    pub flexible: Vec<FlexibleBody>,
    /// In metres per square second.
    pub gravity: DVec3,
    /// The largest time step, in seconds, greater than 0.
    pub step: f64,
    /// The time between records, in seconds, greater than 0; all its multiples are recorded.
    pub record: f64,
    /// The contact model.
    pub method: SimulationMethod,
    /// The order of simultaneous impacts.
    pub touching: ImpactOrder,
    /// The allowed penetration depth, in metres, greater than 0; deeper is a failure.
    pub depth: f64,
    /// The maximum number of recorded states, at least 1: a simulation that needs more ends with an error.
    pub max_records: u64,
}

impl SimulationDefinition {
    /// The usual maximum number of recorded states.
    pub const MAX_RECORDS: u64 = 1_000_000;
}
