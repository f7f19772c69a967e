//! Bodies that collide at one moment, with the joints that hold them together, and what the impulses make of them.

use glam::{DMat3, DVec3};

/// How heavy a body is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidMass {
    /// In kilograms, greater than 0.
    pub mass: f64,
    /// About the centre of mass in world axes, in kg m^2: symmetric and positive definite.
    pub inertia: DMat3,
}

/// What keeps a matrix from being an inertia.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InertiaFault {
    /// A number differs from that across the diagonal by more than 1e-9 of the largest.
    NotSymmetric {
        /// Counted from 0, above the diagonal.
        row: usize,
        /// Counted from 0.
        column: usize,
    },
    /// A principal moment is not greater than 0, as far as the digits tell.
    NotPositiveDefinite,
}

/// A rigid body at the moment of an impulse, in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpulseBody {
    /// `None`: it keeps its velocity whatever happens (a keyframed body).
    pub mass: Option<RigidMass>,
    /// The centre of mass, in metres.
    pub center: DVec3,
    /// Velocity of the centre, in metres per second.
    pub linear: DVec3,
    /// In radians per second.
    pub angular: DVec3,
}

/// What holds surfaces that touch from sliding.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Friction {
    /// Coulomb's coefficient, not negative: the impulse along the surfaces is at most this times that across them.
    Coefficient(f64),
    /// They never slide while they touch.
    Rough,
}

impl Friction {
    /// That of two surfaces that touch: the higher.
    #[must_use]
    pub fn rougher(self, other: Self) -> Self {
        match (self, other) {
            (Self::Coefficient(a), Self::Coefficient(b)) => Self::Coefficient(a.max(b)),
            _ => Self::Rough,
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
    /// The share of the impulse of compression that restitution adds, in [0, 1].
    pub elasticity: f64,
    /// Along the surfaces.
    pub friction: Friction,
}

/// What a joint leaves free. Axes are in the world and of any length but 0.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum JointKind {
    /// Every turn about the point.
    Ball,
    /// A turn about the axis through the point.
    Hinge {
        /// It turns about this.
        axis: DVec3,
    },
    /// Every turn, and a shift along the axis.
    Slide {
        /// It shifts along this.
        axis: DVec3,
    },
    /// A shift along the axis and a turn about it.
    Piston {
        /// It shifts along this and turns about it.
        axis: DVec3,
    },
    /// Every turn, and shifts across the axis.
    Plane {
        /// The normal of the plane.
        axis: DVec3,
    },
    /// Nothing.
    Fixed,
}

impl JointKind {
    /// Its axis, where it has one.
    #[must_use]
    pub fn axis(&self) -> Option<DVec3> {
        match *self {
            Self::Ball | Self::Fixed => None,
            Self::Hinge { axis } | Self::Slide { axis } | Self::Piston { axis } | Self::Plane { axis } => {
                Some(axis)
            }
        }
    }

    /// The same kind with another axis, where it has one.
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
    /// What it leaves free.
    pub kind: JointKind,
}

/// A problem: what are the velocities after the impulses?
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImpulseProblem {
    /// Counted from 0.
    pub bodies: Vec<ImpulseBody>,
    /// Where bodies touch.
    pub contacts: Vec<ImpulseContact>,
    /// What holds them together.
    pub joints: Vec<ImpulseJoint>,
}

/// What is told of a problem.
#[derive(Debug, Clone, PartialEq)]
pub enum ImpulseOutcome {
    /// Velocities and impulses that satisfy all that is asked.
    Solved(ImpulseAnswer),
    /// There are none.
    Unsolvable(Unsolvable),
    /// None were found, and there may be some: contacts with friction for which no impulses were found that keep to
    /// Coulomb's law, or masses so unlike, or loops so near to a dead point, that rounding leaves it open.
    Unsettled,
}

/// What cannot be satisfied: one of those that are in each other's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsolvable {
    /// A contact would still approach, as of a body that is crushed between keyframed ones.
    Contact(usize),
    /// A joint cannot hold.
    Joint(usize),
}

/// Velocities and impulses, in the order of the problem.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImpulseAnswer {
    /// Of each body: that of its centre in metres per second, and the angular one in radians per second.
    pub velocities: Vec<[DVec3; 2]>,
    /// Of each contact.
    pub contacts: Vec<ContactImpulse>,
    /// Of each joint.
    pub joints: Vec<JointImpulse>,
    /// Of the bodies that are not keyframed.
    pub energy: ImpulseEnergy,
}

/// The impulse of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactImpulse {
    /// On B at the point, in newton seconds; its opposite is on A.
    pub impulse: DVec3,
    /// How the surfaces moved on each other.
    pub state: ContactState,
}

/// How the surfaces of a contact move on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactState {
    /// There was no impulse.
    None,
    /// They do not slide.
    Stick,
    /// They slide, and friction is as large as it can be.
    Slide,
}

/// The impulse of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointImpulse {
    /// On B at the point, in newton seconds; its opposite is on A.
    pub impulse: DVec3,
    /// On B besides, in newton metre seconds; its opposite is on A.
    pub moment: DVec3,
}

/// Kinetic energy, in joules.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImpulseEnergy {
    /// Before the impulses.
    pub before: f64,
    /// After them.
    pub after: f64,
    /// What contacts and joints took: the same for every observer, and never below 0.
    pub dissipated: f64,
}
