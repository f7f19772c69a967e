//! The output of a simulation: states, contacts and energies.

use std::ops::AddAssign;

use glam::DVec3;

use crate::flexible::definition::FlexibleState;
use crate::motion::Pose;

/// All bodies that have [`Dynamics`](crate::Dynamics) at one time, and the contacts since the state before. Each body
/// moves from state to state on the screw between its poses ([`Screw::between`](crate::Screw::between)).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SimulationState {
    /// In seconds.
    pub time: f64,
    /// The poses of these bodies, in the order of the scene.
    pub poses: Vec<Pose>,
    /// The velocity of each centre of mass in metres per second, and the angular velocity in radians per second, both
    /// in world axes.
    pub velocities: Vec<[DVec3; 2]>,
    /// The flexible bodies, in the order of the definition. Each vertex moves straight from state to state.
    pub flexible: Vec<FlexibleState>,
    /// The bodies released at their first contact up to this time, ordered by time, then by number.
    pub released: Vec<Released>,
    /// The impulses since the state before.
    pub contacts: Vec<MomentContact>,
    /// The energy at this time.
    pub energy: SimulationEnergy,
    /// The causes of the dissipated energy.
    pub losses: EnergyLosses,
    /// The forced stops since the state before.
    pub forced: Vec<ForcedStop>,
}

/// Bodies that were stopped because no step was possible without it: the last resort of a simulation.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ForcedStop {
    /// In seconds.
    pub time: f64,
    /// The numbers of the bodies in the scene, in order.
    pub bodies: Vec<usize>,
    /// Their kinetic energy, which is lost, in joules.
    pub energy: f64,
}

/// An impulse between two bodies of the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MomentContact {
    /// The numbers of the bodies A and B in the scene.
    pub bodies: [usize; 2],
    /// In seconds; for a lasting contact, the end of the step.
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

/// The energy of all bodies that have [`Dynamics`](crate::Dynamics) and of all flexible bodies, in joules. Bodies
/// that are still keyframed count too, so the energy does not jump when they are released.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SimulationEnergy {
    /// The kinetic energy.
    pub kinetic: f64,
    /// The sum of -mass gravity . centre, and the energy of the springs of flexible bodies.
    pub potential: f64,
    /// Energy that contacts, joints and the damping of flexible bodies have dissipated since time 0; never falls.
    pub dissipated: f64,
}

/// Dissipated energy by its cause, in joules. The sum is [`SimulationEnergy::dissipated`], to rounding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EnergyLosses {
    /// By impulses along the normals of contacts: impacts that are not fully elastic, and landing.
    pub impacts: f64,
    /// By a second compression in an impact, because contacts still approached after the restitution.
    pub repeated: f64,
    /// By impulses across the normals of contacts, and by bodies that fall asleep.
    pub friction: f64,
    /// By springs at contacts, and by flexible bodies: their damping, and the contacts of their points.
    pub springs: f64,
    /// By joints, whose velocities an impact made to fit.
    pub joints: f64,
    /// By joints, whose velocities did not fit at the start.
    pub joints_at_start: f64,
    /// By forced stops ([`ForcedStop`]).
    pub forced: f64,
    /// Before the state from which a simulation was continued, from all causes.
    pub earlier: f64,
}

impl EnergyLosses {
    /// The sum.
    #[must_use]
    pub fn total(&self) -> f64 {
        let Self { impacts, repeated, friction, springs, joints, joints_at_start, forced, earlier } = *self;
        impacts + repeated + friction + springs + joints + joints_at_start + forced + earlier
    }

    /// Interpolates linearly.
    pub(crate) fn lerp(&self, other: &Self, fraction: f64) -> Self {
        let mean = |p: f64, q: f64| p + fraction * (q - p);
        Self {
            impacts: mean(self.impacts, other.impacts),
            repeated: mean(self.repeated, other.repeated),
            friction: mean(self.friction, other.friction),
            springs: mean(self.springs, other.springs),
            joints: mean(self.joints, other.joints),
            joints_at_start: mean(self.joints_at_start, other.joints_at_start),
            forced: mean(self.forced, other.forced),
            earlier: mean(self.earlier, other.earlier),
        }
    }

    /// Energy that was dissipated before the start.
    pub(crate) fn before_start(earlier: f64) -> Self {
        Self { earlier, ..Self::default() }
    }
}

impl AddAssign for EnergyLosses {
    fn add_assign(&mut self, other: Self) {
        self.impacts += other.impacts;
        self.repeated += other.repeated;
        self.friction += other.friction;
        self.springs += other.springs;
        self.joints += other.joints;
        self.joints_at_start += other.joints_at_start;
        self.forced += other.forced;
        self.earlier += other.earlier;
    }
}

/// The result of advancing a simulation.
#[derive(Debug, Clone, PartialEq)]
pub enum StepResult {
    /// The next recorded states, in order; more follow.
    Moments(Vec<SimulationState>),
    /// The end of the duration is reached, and all states have been returned.
    Finished,
    /// A dynamic body is crushed between keyframed bodies: no velocities satisfy all contacts. The states up to there
    /// have been returned.
    Crushed {
        /// In seconds.
        time: f64,
        /// The bodies of the scene that block each other.
        bodies: Vec<usize>,
    },
    /// Every step would make bodies penetrate deeper than allowed. The states up to there have been returned.
    Stuck {
        /// In seconds.
        time: f64,
        /// The two bodies that would penetrate.
        bodies: [usize; 2],
    },
    /// The monitor requested a stop. The next call continues the simulation.
    Stopped,
}

/// Statistics of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationSummary {
    /// Number of steps.
    pub steps: u64,
    /// Number of returned states.
    pub records: u64,
    /// Number of contact impulses.
    pub impulses: u64,
    /// The maximum penetration depth, if requested: at any time on the recorded screws, a translation no longer than
    /// this, in metres, separates any two bodies, proven; 0 if no surfaces cross. It never exceeds the allowed depth:
    /// states that cannot be proven are not recorded.
    pub deepest: Option<f64>,
    /// At the first state, and at the last returned one.
    pub energy: [SimulationEnergy; 2],
    /// The causes of the dissipated energy, at the last returned state.
    pub losses: EnergyLosses,
    /// The forced stops, in order of time: none, if all proofs and solvers succeed.
    pub forced: Vec<ForcedStop>,
}
