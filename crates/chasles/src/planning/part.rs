//! One shape of a robot or of its world, and the tree that holds it.

use std::sync::Arc;

use glam::DVec3;

use crate::motion::Pose;
use crate::pair::shape::SceneShape;
use crate::planning::balls::Ball;
use crate::planning::boxes::{RoundedBox, boxes};
use crate::planning::inside::balls;
use crate::planning::shells::Shells;

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
    pub(crate) shells: Arc<Shells>,
}

/// Balls that are looked at for what encloses a place, and that wait meanwhile.
const LOOKS: usize = 64;
const WAITING: usize = 64;

/// What holds a part.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    /// Of one of the robot.
    Balls(Arc<Vec<Ball>>),
    /// Of one of the world.
    Boxes(Vec<RoundedBox>),
}

/// What a part is of: a link or a body of the world, by its number, and its shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfBody<'b> {
    pub(crate) owner: usize,
    pub(crate) shape: &'b SceneShape,
    pub(crate) solid: bool,
}

impl Part {
    /// A part of the robot, or one that rides on it, whose smallest balls have radii of about `fine` metres. The balls
    /// of `known` parts are not made again.
    pub(crate) fn riding(
        body: OfBody<'_>,
        (group, pose): (usize, Pose),
        (known, fine): (&[Self], f64),
    ) -> Self {
        let part = Self::bare(body, (group, pose), Tree::Balls(Arc::default()));
        if let Some(other) = known.iter().find(|other| other.is_as(&part)) {
            return Self { tree: other.tree.clone(), shells: other.shells.clone(), ..part };
        }
        let shells = Shells::new(body.shape, &pose);
        let tree = Tree::Balls(Arc::new(balls((body.shape, body.solid), &pose, (&shells, fine))));
        Self { tree, shells: Arc::new(shells), ..part }
    }

    /// A part of the world, whose pose may be off by `rounding` metres.
    pub(crate) fn standing(body: OfBody<'_>, pose: Pose, rounding: f64) -> Self {
        let mut tree = boxes((body.shape, body.solid), &pose, rounding);
        let shells = Shells::standing(body.shape, &pose);
        tree[0] = shells.filled(tree[0], (body.shape, &pose));
        Self { shells: Arc::new(shells), ..Self::bare(body, (0, pose), Tree::Boxes(tree)) }
    }

    fn bare(OfBody { owner, shape, solid }: OfBody<'_>, (group, pose): (usize, Pose), tree: Tree) -> Self {
        let extent = shape.extent();
        let radius = extent.radius + extent.beyond;
        let (shape, shells) = (shape.clone(), Arc::default());
        Self { owner, group, pose, shape, solid, centre: extent.centre, radius, tree, shells }
    }

    /// Whether both ride on the robot, the same shape in the same place of the same group.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        let ride = [self, other].iter().all(|part| matches!(part.tree, Tree::Balls(_)));
        let same = self.group == other.group && self.pose == other.pose && self.solid == other.solid;
        ride && same && self.shape.is_same(&other.shape)
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

    /// The number of a shell that encloses a place of the group's frame, known to `rounding` metres. Not all are found.
    pub(crate) fn encloses(&self, place: DVec3, rounding: f64) -> Option<usize> {
        let balls = match &self.tree {
            Tree::Boxes(boxes) => {
                return (boxes[0].distance(place) + rounding < f64::from(boxes[0].inner)).then_some(0);
            }
            Tree::Balls(balls) => balls,
        };
        let mut waiting = [0_usize; WAITING];
        let mut count = 1;
        for _ in 0..LOOKS {
            count = usize::checked_sub(count, 1)?;
            let Ball { radius, inner, shell, first, count: below, .. } = balls[waiting[count]];
            let distance = balls[waiting[count]].middle().distance(place);
            if distance + rounding < f64::from(inner) {
                return Some(shell as usize);
            }
            let children =
                (first as usize..(first + below) as usize).filter(|_| distance < f64::from(radius));
            for (child, place) in children.zip(&mut waiting[count..]) {
                (*place, count) = (child, count + 1);
            }
        }
        None
    }

    /// How far it reaches from the origin of the frame of its group, in metres.
    pub(crate) fn reach(&self) -> f64 {
        self.pose.transform_point(self.centre).length() + self.radius
    }
}
