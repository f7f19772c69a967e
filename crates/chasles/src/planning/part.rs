//! One shape of a robot or of its world, and the tree that holds it.

use std::sync::Arc;

use glam::DVec3;

use crate::motion::Pose;
use crate::pair::shape::SceneShape;
use crate::planning::balls::{Ball, balls};
use crate::planning::boxes::{RoundedBox, boxes};

/// A shape that is a part of a link, or a body of the world.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// The number of the link or body of the world.
    pub(crate) owner: usize,
    /// The group that it moves with; 0: it stands.
    pub(crate) group: usize,
    /// Where it is in the frame of the group.
    pub(crate) pose: Pose,
    pub(crate) shape: SceneShape,
    /// Whether its inside belongs to it.
    pub(crate) solid: bool,
    /// The centre of its extent in its own frame, and how far it reaches from there, in metres.
    pub(crate) centre: DVec3,
    pub(crate) radius: f64,
    pub(crate) tree: Tree,
}

/// What holds a part.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    /// Of one of the robot.
    Balls(Arc<Vec<Ball>>),
    /// Of one of the world.
    Boxes(Arc<Vec<RoundedBox>>),
}

impl Part {
    pub(crate) fn new(
        (owner, group, moves): (usize, usize, bool),
        (pose, shape): (Pose, &SceneShape),
        known: &[Self],
    ) -> Self {
        let extent = shape.extent();
        let radius = extent.radius + extent.beyond;
        let same = |other: &&Self| {
            let moves_too = matches!(other.tree, Tree::Balls(_)) == moves;
            moves_too && other.group == group && other.pose == pose && other.shape.is_same(shape)
        };
        let tree = match known.iter().find(same) {
            Some(other) => other.tree.clone(),
            None if moves => Tree::Balls(Arc::new(balls(shape, &pose))),
            None => Tree::Boxes(Arc::new(boxes(shape, &pose))),
        };
        Self { owner, group, pose, shape: shape.clone(), solid: false, centre: extent.centre, radius, tree }
    }

    /// Whether both are the same shape in the same place of the same group.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        self.group == other.group && self.pose == other.pose && self.shape.is_same(&other.shape)
    }

    /// The balls of a part of the robot.
    pub(crate) fn balls(&self) -> &[Ball] {
        match &self.tree {
            Tree::Balls(balls) => balls,
            Tree::Boxes(_) => &[],
        }
    }

    /// The boxes of a part of the world.
    pub(crate) fn boxes(&self) -> &[RoundedBox] {
        match &self.tree {
            Tree::Boxes(boxes) => boxes,
            Tree::Balls(_) => &[],
        }
    }

    /// How far it reaches from the origin of the frame of its group, in metres.
    pub(crate) fn reach(&self) -> f64 {
        self.pose.transform_point(self.centre).length() + self.radius
    }
}
