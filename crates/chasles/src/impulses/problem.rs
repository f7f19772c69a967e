//! Bodies that collide at one moment, with their contacts and joints, and their velocities after the impulses.

use glam::{DMat3, DVec3};

/// The mass and inertia of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidMass {
    /// In kilograms, greater than 0.
    pub mass: f64,
    /// Inertia about the centre of mass in world axes, in kg m^2: symmetric and positive definite.
    pub inertia: DMat3,
}

/// The reason why a matrix is not an inertia.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InertiaFault {
    /// A number differs from the one across the diagonal by more than 1e-9 of the largest number.
    NotSymmetric {
        /// Counted from 0, above the diagonal.
        row: usize,
        /// Counted from 0.
        column: usize,
    },
    /// A principal moment is not greater than 0, within rounding.
    NotPositiveDefinite,
}

/// A rigid body at the moment of an impulse, in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpulseBody {
    /// `None`: a keyframed body, which always keeps its velocity.
    pub mass: Option<RigidMass>,
    /// The centre of mass, in metres.
    pub center: DVec3,
    /// Velocity of the centre, in metres per second.
    pub linear: DVec3,
    /// Angular velocity, in radians per second.
    pub angular: DVec3,
}

/// Friction between surfaces that touch.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Friction {
    /// Coulomb's coefficient, not negative: the maximum ratio of tangential to normal impulse.
    Coefficient(f64),
    /// The surfaces never slide while they touch.
    Rough,
}

impl Friction {
    /// The friction of two surfaces that touch: the higher of the two.
    #[must_use]
    pub fn rougher(self, other: Self) -> Self {
        match (self, other) {
            (Self::Coefficient(a), Self::Coefficient(b)) => Self::Coefficient(a.max(b)),
            _ => Self::Rough,
        }
    }
}

/// Restitution and friction of a body's surface, or of two surfaces that touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SurfaceProperties {
    /// Restitution, in [0, 1].
    pub(crate) elasticity: f64,
    pub(crate) friction: Friction,
}

impl SurfaceProperties {
    /// The properties of two surfaces that touch: the lower restitution and the higher friction.
    pub(crate) fn combined(self, other: Self) -> Self {
        Self {
            elasticity: self.elasticity.min(other.elasticity),
            friction: self.friction.rougher(other.friction),
        }
    }
}

/// A point at which two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpulseContact {
    /// The numbers of the bodies A and B, which differ.
    pub bodies: [usize; 2],
    /// In metres.
    pub point: DVec3,
    /// From A to B, of any length but 0.
    pub normal: DVec3,
    /// The fraction of the compression impulse that restitution adds, in [0, 1].
    pub elasticity: f64,
    /// Friction between the surfaces.
    pub friction: Friction,
}

/// The degrees of freedom of a joint. Axes are in the world, and of any length but 0.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointKind {
    /// Any rotation about the point.
    Ball,
    /// Rotation about the axis through the point.
    Hinge {
        /// The axis of rotation.
        axis: DVec3,
    },
    /// Any rotation, and translation along the axis.
    Slide {
        /// The direction of translation.
        axis: DVec3,
    },
    /// Translation along the axis and rotation about it.
    Piston {
        /// The axis of translation and rotation.
        axis: DVec3,
    },
    /// Any rotation, and translation across the axis.
    Plane {
        /// The normal of the plane.
        axis: DVec3,
    },
    /// No relative motion.
    Fixed,
}

impl JointKind {
    /// The axis, for the kinds that have one.
    #[must_use]
    pub fn axis(&self) -> Option<DVec3> {
        match *self {
            Self::Ball | Self::Fixed => None,
            Self::Hinge { axis } | Self::Slide { axis } | Self::Piston { axis } | Self::Plane { axis } => {
                Some(axis)
            }
        }
    }

    /// The same kind with another axis, if it has one.
    #[must_use]
    pub fn with_axis(self, axis: DVec3) -> Self {
        match self {
            Self::Ball => Self::Ball,
            Self::Fixed => Self::Fixed,
            Self::Hinge { .. } => Self::Hinge { axis },
            Self::Slide { .. } => Self::Slide { axis },
            Self::Piston { .. } => Self::Piston { axis },
            Self::Plane { .. } => Self::Plane { axis },
        }
    }
}

/// A joint of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpulseJoint {
    /// The numbers of the bodies A and B, which differ and are not both keyframed.
    pub bodies: [usize; 2],
    /// In metres.
    pub point: DVec3,
    /// Its degrees of freedom.
    pub kind: JointKind,
}

/// A problem: find the velocities after the impulses.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImpulseProblem {
    /// The bodies, numbered from 0.
    pub bodies: Vec<ImpulseBody>,
    /// The contacts between bodies.
    pub contacts: Vec<ImpulseContact>,
    /// The joints between bodies.
    pub joints: Vec<ImpulseJoint>,
}

/// The result of a problem.
#[derive(Debug, Clone, PartialEq)]
pub enum ImpulseOutcome {
    /// Velocities and impulses that satisfy all conditions.
    Solved(ImpulseAnswer),
    /// There is no solution.
    Unsolvable(Unsolvable),
    /// No solution was found, but one may exist: contacts with friction for which no impulses that obey Coulomb's law
    /// were found, or masses so different, or loops so close to a dead point, that rounding leaves it undecided.
    Unsettled,
}

/// A condition that cannot be satisfied; one of several that exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsolvable {
    /// A contact would still approach, as for a body that is crushed between keyframed ones.
    Contact(usize),
    /// A joint cannot hold.
    Joint(usize),
}

/// Velocities and impulses, in the order of the problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImpulseAnswer {
    /// The velocity of each body's centre in metres per second, and its angular velocity in radians per second.
    pub velocities: Vec<[DVec3; 2]>,
    /// By contact.
    pub contacts: Vec<ContactImpulse>,
    /// By joint.
    pub joints: Vec<JointImpulse>,
    /// The energy of the bodies that are not keyframed.
    pub energy: ImpulseEnergy,
}

/// The impulse of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactImpulse {
    /// On B at the point, in newton seconds; its opposite is on A.
    pub impulse: DVec3,
    /// Whether the surfaces slide.
    pub state: ContactState,
}

/// Whether the surfaces of a contact slide on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactState {
    /// There was no impulse.
    None,
    /// They do not slide.
    Stick,
    /// They slide, and friction is at its limit.
    Slide,
}

/// The impulse of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointImpulse {
    /// On B at the point, in newton seconds; its opposite is on A.
    pub impulse: DVec3,
    /// The additional angular impulse on B, in newton metre seconds; its opposite is on A.
    pub moment: DVec3,
}

/// Kinetic energy, in joules.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImpulseEnergy {
    /// Before the impulses.
    pub before: f64,
    /// After them.
    pub after: f64,
    /// Dissipated by contacts and joints: the same for every observer, and never negative.
    pub dissipated: f64,
    /// Dissipated by normal impulses in a second compression, because contacts still approached after the restitution;
    /// `dissipated` includes it.
    pub repeated: f64,
}
