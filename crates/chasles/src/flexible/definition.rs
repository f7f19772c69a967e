//! What a flexible body is made from, and what is told of it.

use glam::DVec3;

use crate::impulses::problem::Friction;
use crate::scene::Scene;

/// A body of a scene whose mesh is elastic: its vertices are point masses, joined by springs.
///
/// Springs of one stiffness lie along all edges of the mesh, and across each edge between the two vertices that face it.
/// In a closed mesh further springs stand for the inside: each vertex is drawn to its place in the rest shape, where that
/// fits all vertices best. The rest shape is the shape at time 0, or that of the scene where the simulation goes on from
/// a moment.
///
/// The mass sits in the vertices: each has a third of the area around it, and none has less than a tenth of the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FlexibleBody {
    /// Its number in the scene. It has no [`Dynamics`](crate::Dynamics).
    pub body: usize,
    /// In kilograms, greater than 0.
    pub mass: f64,
    /// Of each spring, in newtons per metre, greater than 0. A sheet of evenly sized triangles is as stiff in its plane
    /// however fine they are. The springs of the inside have four times this together.
    pub stiffness: f64,
    /// What each spring loses, as a share of the damping at which it would not swing; at least 0.
    pub damping: f64,
    /// Velocity of the centre of mass at time 0, in metres per second and world axes.
    pub linear: DVec3,
    /// At time 0, in radians per second and world axes.
    pub angular: DVec3,
}

/// Where the vertices of a flexible body are at one time.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FlexibleState {
    /// Of all vertices of its mesh, in metres, in the world. Between two moments each goes straight.
    pub vertices: Vec<DVec3>,
    /// Of each, in metres per second.
    pub velocities: Vec<DVec3>,
}

/// How contacts of flexible bodies are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContactModel {
    /// Violent ones rebound at once, gentle ones are held.
    Impulses,
    /// By springs in a zone.
    Springs,
}

/// A scene as flexible bodies see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) bodies: &'a [FlexibleBody],
    /// By body of the scene: its elasticity and friction.
    pub(crate) surfaces: &'a [(f64, Friction)],
    pub(crate) gravity: DVec3,
    /// The largest step, in seconds.
    pub(crate) step: f64,
    pub(crate) depth: f64,
    pub(crate) answer: ContactModel,
}

/// An impulse on body B at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct VertexImpact {
    pub(crate) bodies: [usize; 2],
    pub(crate) time: f64,
    pub(crate) point: DVec3,
    /// From A to B.
    pub(crate) normal: DVec3,
    pub(crate) impulse: DVec3,
}

/// All flexible bodies at a time that is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FlexibleOutput {
    pub(crate) time: f64,
    pub(crate) states: Vec<FlexibleState>,
    /// Since the time told before.
    pub(crate) strikes: Vec<VertexImpact>,
    /// In joules; the springs' energy counts with the potential one.
    pub(crate) kinetic: f64,
    pub(crate) potential: f64,
    /// What contacts and damping took since time 0; never falls.
    pub(crate) taken: f64,
}
