//! What is told of a simulation.

use glam::DVec3;

use crate::flexible::definition::FlexibleState;
use crate::motion::Pose;

/// All bodies that have [`Dynamics`](crate::Dynamics) at one time, and what happened since the moment before. Between
/// two moments each body moves on the screw that joins its poses ([`Screw::between`](crate::Screw::between)).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SimulationState {
    /// In seconds.
    pub time: f64,
    /// Of these bodies, in the order of the scene.
    pub poses: Vec<Pose>,
    /// Of each: that of its centre of mass in metres per second, and the angular one in radians per second, both in
    /// world axes.
    pub velocities: Vec<[DVec3; 2]>,
    /// Of the flexible bodies, in the order of the definition. Between two moments each vertex goes straight.
    pub flexible: Vec<FlexibleState>,
    /// The bodies that were keyframed at first and are dynamic by now, since when; in the order of time, then of the scene.
    pub released: Vec<Released>,
    /// The impulses since the moment before.
    pub contacts: Vec<MomentContact>,
    /// At this time.
    pub energy: SimulationEnergy,
}

/// An impulse between two bodies of the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MomentContact {
    /// The numbers of the bodies A and B in the scene.
    pub bodies: [usize; 2],
    /// In seconds; where a contact lasts, the end of the step.
    pub time: f64,
    /// In metres, in the world.
    pub point: DVec3,
    /// From A to B, unit.
    pub normal: DVec3,
    /// On B, in newton seconds.
    pub impulse: DVec3,
}

/// A body that was keyframed until its first contact ([`Release::Contact`](crate::Release::Contact)).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Released {
    /// Its number in the scene.
    pub body: usize,
    /// When it became dynamic, in seconds.
    pub time: f64,
}

/// Energy of all bodies that have [`Dynamics`](crate::Dynamics), in joules: of those that are still keyframed too, so that
/// it does not jump where they are released; and of all flexible bodies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SimulationEnergy {
    /// Of their motion.
    pub kinetic: f64,
    /// -sum of mass gravity . centre, and the energy of the springs of flexible bodies.
    pub potential: f64,
    /// What contacts, joints and the damping of flexible bodies have taken since time 0; never falls.
    pub dissipated: f64,
}

/// How a simulation ends, or goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum StepResult {
    /// Moments that were reached, in order; more follow.
    Moments(Vec<SimulationState>),
    /// The duration is over; every moment has been told.
    Finished,
    /// A dynamic body is crushed between keyframed ones: no velocities satisfy all. Moments up to there have been told.
    Crushed {
        /// In seconds.
        time: f64,
        /// Bodies of the scene that are in each other's way.
        bodies: Vec<usize>,
    },
    /// No step could be made that keeps bodies from going deeper than is allowed. Moments up to there have been told.
    Stuck {
        /// In seconds.
        time: f64,
        /// The two bodies that would.
        bodies: [usize; 2],
    },
    /// Somebody wanted an end. The simulation goes on where it is asked again.
    Stopped,
}

/// What a simulation tells of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimulationSummary {
    /// Steps that were made.
    pub steps: u64,
    /// Moments that were told.
    pub records: u64,
    /// Impulses that contacts gave.
    pub impulses: u64,
    /// How deep bodies were in each other, where that was asked: some translation no longer than this, in metres, parts any
    /// two bodies at any time on the screws that were told, proven; 0 where no surfaces cross. Never more than the depth
    /// that is allowed: what cannot be proven is not told.
    pub deepest: Option<f64>,
    /// At the first moment, and at the last one told.
    pub energy: [SimulationEnergy; 2],
}
