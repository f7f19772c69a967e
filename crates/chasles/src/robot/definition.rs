//! The definition of a robot: links, the joints between them, and exempt pairs of links.

use crate::motion::{JointAxis, Pose};
use crate::pair::shape::CollisionShape;

/// A link: a rigid part of a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// For messages and reports; unique among the links.
    pub name: String,
    /// The parts of its surface; empty if the link only carries others.
    pub elements: Vec<LinkElement>,
}

/// A part of the surface of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkElement {
    /// Its shape.
    pub shape: CollisionShape,
    /// The pose of the shape in the frame of the link.
    pub pose: Pose,
    /// Whether the part is solid: a body wholly inside it then counts as in contact. Its surface must be closed.
    pub solid: bool,
}

/// A joint: carries one link on another.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// For messages, paths and reports; unique among the joints.
    pub name: String,
    /// The number of the carrying link.
    pub parent: usize,
    /// The number of the carried link; no other joint carries it.
    pub child: usize,
    /// The frame of the child at value 0, in the frame of the parent.
    pub origin: Pose,
    /// How the child moves; `None` for a fixed joint.
    pub axis: Option<JointAxis>,
    /// The value if a path does not name the joint.
    pub rest: f64,
    /// The minimum and maximum value, in radians or metres.
    pub limits: Option<[f64; 2]>,
    /// The maximum speed, in radians or metres per second.
    pub velocity: Option<f64>,
    /// The joint that this joint follows, if its value is not set by itself.
    pub mimic: Option<Mimic>,
}

impl Joint {
    /// A joint without limits that carries the second link on the first. Their frames are equal at value 0, the rest.
    #[must_use]
    pub fn new(name: impl Into<String>, [parent, child]: [usize; 2], axis: Option<JointAxis>) -> Self {
        Self {
            name: name.into(),
            parent,
            child,
            origin: Pose::IDENTITY,
            axis,
            rest: 0.0,
            limits: None,
            velocity: None,
            mimic: None,
        }
    }
}

/// A joint whose value is the value of another, times `multiplier`, plus `offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mimic {
    /// The number of the other joint, which may itself follow another.
    pub joint: usize,
    /// Factor.
    pub multiplier: f64,
    /// In radians or metres.
    pub offset: f64,
}

/// Whether links that one joint connects are tested against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AdjacentLinks {
    /// They are built to touch: not tested.
    #[default]
    Skipped,
    /// Tested like all others.
    Tested,
}

/// The definition of a `Robot`.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotDefinition {
    /// For messages.
    pub name: String,
    /// The links, numbered from 0.
    pub links: Vec<Link>,
    /// The joints, numbered from 0: they make one tree of all links.
    pub joints: Vec<Joint>,
    /// Pairs of links that are not tested, in either order.
    pub disabled: Vec<[usize; 2]>,
    /// Whether links connected by a joint, of any kind, are tested.
    pub adjacent: AdjacentLinks,
}
