//! The input and the output of flexible bodies.

use glam::DVec3;

use crate::impulses::problem::SurfaceProperties;
use crate::scene::Scene;

/// A body of a scene whose mesh is elastic: its vertices are point masses, joined by springs.
///
/// Springs of equal stiffness lie along all edges of the mesh and, across each edge, between the two opposite
/// vertices. In a closed mesh more springs model the inside: each vertex is pulled to its position in the rest shape,
/// at the pose that fits all vertices best. The rest shape is the shape at time 0 or, if the simulation continues
/// from a state, the shape in the scene.
///
/// Each vertex has mass in proportion to a third of the area around it, and at least a tenth of the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FlexibleBody {
    /// Its number in the scene. It has no [`Dynamics`](crate::Dynamics).
    pub body: usize,
    /// In kilograms, greater than 0.
    pub mass: f64,
    /// Stiffness of each spring, in newtons per metre, greater than 0. The in-plane stiffness of a sheet of evenly
    /// sized triangles does not depend on their size. The springs of the inside together have four times this.
    pub stiffness: f64,
    /// Damping of each spring, as a fraction of critical damping; at least 0.
    pub damping: f64,
    /// Velocity of the centre of mass at time 0, in metres per second and world axes.
    pub linear: DVec3,
    /// Angular velocity at time 0, in radians per second and world axes.
    pub angular: DVec3,
}

/// The vertices of a flexible body at one time.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FlexibleState {
    /// All vertices of its mesh, in metres, in the world. Each vertex moves straight from state to state.
    pub vertices: Vec<DVec3>,
    /// Their velocities, in metres per second.
    pub velocities: Vec<DVec3>,
}

/// The contact model of flexible bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContactModel {
    /// Fast contacts rebound at once, slow ones stop.
    Impulses,
    /// Springs inside a zone.
    Springs,
}

/// The input of the simulation of flexible bodies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlexibleInput<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) bodies: &'a [FlexibleBody],
    /// By body of the scene.
    pub(crate) surfaces: &'a [SurfaceProperties],
    pub(crate) gravity: DVec3,
    /// The largest step, in seconds.
    pub(crate) step: f64,
    pub(crate) depth: f64,
    pub(crate) model: ContactModel,
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

/// All flexible bodies at a recorded time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FlexibleOutput {
    pub(crate) time: f64,
    pub(crate) states: Vec<FlexibleState>,
    /// The impacts since the previous output.
    pub(crate) impacts: Vec<VertexImpact>,
    /// In joules; `potential` includes the energy of the springs.
    pub(crate) kinetic: f64,
    pub(crate) potential: f64,
    /// The energy that contacts and damping dissipated since time 0; it never falls.
    pub(crate) dissipated: f64,
}
