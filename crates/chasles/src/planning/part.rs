//! One shape of a robot or of its world, and the tree that holds it.

use std::sync::Arc;

use glam::DVec3;

use crate::motion::Pose;
use crate::pair::Pair;
use crate::pair::shape::CollisionShape;
use crate::planning::boxes::{RoundedBox, boxes};
use crate::planning::interior_spheres::balls;
use crate::planning::shells::ClosedShells;
use crate::planning::spheres::BoundingSphere;
use crate::planning::sweep::MovingTree;

/// A shape that is a part of a link, or a body of the world.
#[derive(Debug, Clone)]
pub(crate) struct CollisionPart {
    /// The number of the link or body of the world.
    pub(crate) owner: usize,
    /// The group that it moves with; 0: it stands.
    pub(crate) group: usize,
    /// Where it is in the frame of the group.
    pub(crate) pose: Pose,
    pub(crate) shape: CollisionShape,
    /// Whether its inside belongs to it.
    pub(crate) solid: bool,
    /// The centre of its extent in its own frame, and how far it reaches from there, in metres.
    pub(crate) centre: DVec3,
    pub(crate) radius: f64,
    pub(crate) tree: PartTree,
    pub(crate) shells: Arc<ClosedShells>,
    /// A box that holds it, in the frame of the group.
    hull: RoundedBox,
    /// Its centre in the frame of the group.
    middle: DVec3,
    /// Points of each piece of its surface, all of which are inside what the piece is inside of, in the frame of the
    /// group; none where there are very many pieces.
    probes: Vec<Vec<DVec3>>,
    /// The longest distance between probes of the piece where it is shortest, in metres; 0 without probes.
    smallest: f64,
}

/// Balls that are looked at for what encloses a place, and that wait meanwhile.
const LOOKS: usize = 64;
const WAITING: usize = 64;

/// The length of a piece is taken as shorter by this fraction, which is more than the rounding.
const SHORTENED: f64 = 1e-12;

/// What holds a part.
#[derive(Debug, Clone)]
pub(crate) enum PartTree {
    /// Of one of the robot.
    Balls(Arc<Vec<BoundingSphere>>),
    /// Of one of the world.
    Boxes(Vec<RoundedBox>),
}

/// What a part is of: a link or a body of the world, by its number, and its shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfBody<'b> {
    pub(crate) owner: usize,
    pub(crate) shape: &'b CollisionShape,
    pub(crate) solid: bool,
}

impl CollisionPart {
    /// A part of the robot, or one that rides on it, whose smallest balls have radii of about `fine` metres. The balls
    /// of `known` parts are not made again.
    pub(crate) fn riding(
        body: OfBody<'_>,
        (group, pose): (usize, Pose),
        (known, fine): (&[Self], f64),
    ) -> Self {
        let part = Self::bare(body, (group, pose), PartTree::Balls(Arc::default()));
        if let Some(other) = known.iter().find(|other| other.is_as(&part)) {
            return Self { tree: other.tree.clone(), shells: other.shells.clone(), ..part };
        }
        let shells = ClosedShells::new(body.shape, &pose);
        let tree = PartTree::Balls(Arc::new(balls(body.shape, &pose, (&shells, fine))));
        Self { tree, shells: Arc::new(shells), ..part }
    }

    /// A part of the world, whose pose may be off by `rounding` metres.
    pub(crate) fn standing(body: OfBody<'_>, pose: Pose, rounding: f64) -> Self {
        let mut tree = boxes(body.shape, &pose, rounding);
        let shells = ClosedShells::standing(body.shape, &pose);
        tree[0] = shells.filled(tree[0], (body.shape, &pose));
        Self { shells: Arc::new(shells), ..Self::bare(body, (0, pose), PartTree::Boxes(tree)) }
    }

    fn bare(
        OfBody { owner, shape, solid }: OfBody<'_>,
        (group, pose): (usize, Pose),
        tree: PartTree,
    ) -> Self {
        let extent = shape.extent();
        let radius = extent.radius + extent.beyond;
        let hull = RoundedBox::of_extent(&extent, &pose);
        let middle = pose.transform_point(extent.centre);
        let place = |piece: Vec<DVec3>| piece.into_iter().map(|point| pose.transform_point(point)).collect();
        let probes: Vec<Vec<DVec3>> = shape.outermost().into_iter().map(place).collect();
        let length = |piece: &Vec<DVec3>| {
            let from = |p: &DVec3| piece.iter().map(|q| p.distance(*q)).fold(0.0, f64::max);
            piece.iter().map(from).fold(0.0, f64::max)
        };
        let smallest = probes.iter().map(length).reduce(f64::min).unwrap_or(0.0) * (1.0 - SHORTENED);
        let (shape, shells) = (shape.clone(), Arc::default());
        let centre = extent.centre;
        Self {
            owner,
            group,
            pose,
            shape,
            solid,
            centre,
            radius,
            tree,
            shells,
            hull,
            middle,
            probes,
            smallest,
        }
    }

    /// The two as a pair, with the insides that belong to them.
    pub(crate) fn pair_with<'p>(&'p self, other: &'p Self) -> Pair<'p> {
        Pair::of_bodies([(&self.shape, self.solid), (&other.shape, other.solid)])
    }

    /// Whether one of the two is inside the other, a solid one, where the first is at a pose in the frame of the second and
    /// their surfaces do not intersect.
    pub(crate) fn is_within(&self, other: &Self, pose: &Pose) -> bool {
        self.pair_with(other).is_within([self.solid, other.solid], pose)
    }

    /// Whether one of the two may be inside the other, a solid one: a quick test. The functions lead from the group of
    /// each to the group of the other, to `rounding` metres. The insides of sets are followed with their surfaces.
    pub(crate) fn may_be_inside(
        &self,
        other: &Self,
        [to_other, to_own]: [&dyn Fn(DVec3) -> DVec3; 2],
        rounding: f64,
    ) -> bool {
        if self.shape.is_set() || other.shape.is_set() {
            return false;
        }
        let is_out = |outer: &Self, place: DVec3, beyond: f64| outer.hull.is_beyond(place, beyond + rounding);
        if is_out(other, to_other(self.middle), self.radius) {
            return false;
        }
        let may_hold = |outer: &Self, inner: &Self, seen: &dyn Fn(DVec3) -> DVec3| {
            let is_piece_in =
                |piece: &Vec<DVec3>| !piece.iter().any(|probe| is_out(outer, seen(*probe), 0.0));
            let fits = outer.solid && inner.smallest <= 2.0 * (outer.radius + rounding);
            fits && (inner.probes.is_empty() || inner.probes.iter().any(is_piece_in))
        };
        may_hold(other, self, to_other) || may_hold(self, other, to_own)
    }

    /// Whether both ride on the robot, the same shape in the same place of the same group.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        let ride = [self, other].iter().all(|part| matches!(part.tree, PartTree::Balls(_)));
        let same = self.group == other.group && self.pose == other.pose && self.solid == other.solid;
        ride && same && self.shape.is_same(&other.shape)
    }

    /// Whether the contents of a ball may be inside this part at the first end of its chord, apart from the surface.
    pub(crate) fn may_enclose(&self, whole: &MovingTree<'_>) -> bool {
        let (ball, (turn, origin)) = (&whole.balls[0], whole.at.first());
        let reach = f64::from(ball.radius) + f64::from(whole.bend[0]);
        let more = f64::from(whole.bend[1]) * ball.middle().length();
        self.solid
            && !self.shape.is_set()
            && !self.hull.is_beyond(turn * ball.middle() + origin, reach + more)
    }

    /// Whether all that a shell of it encloses belongs to it.
    pub(crate) fn is_filled(&self) -> bool {
        self.solid && self.shells.all.len() == 1
    }

    /// The balls of a part of the robot.
    pub(crate) fn balls(&self) -> &[BoundingSphere] {
        match &self.tree {
            PartTree::Balls(balls) => balls,
            PartTree::Boxes(_) => &[],
        }
    }

    /// The boxes of a part of the world.
    pub(crate) fn boxes(&self) -> &[RoundedBox] {
        match &self.tree {
            PartTree::Boxes(boxes) => boxes,
            PartTree::Balls(_) => &[],
        }
    }

    /// The number of a shell that encloses a place of the group's frame, known to `rounding` metres. Not all are found.
    pub(crate) fn encloses(&self, place: DVec3, rounding: f64) -> Option<usize> {
        let balls = match &self.tree {
            PartTree::Boxes(boxes) => {
                return (boxes[0].distance(place) + rounding < f64::from(boxes[0].inner)).then_some(0);
            }
            PartTree::Balls(balls) => balls,
        };
        let mut waiting = [0_usize; WAITING];
        let mut count = 1;
        for _ in 0..LOOKS {
            count = usize::checked_sub(count, 1)?;
            let BoundingSphere { radius, inner, shell, first, count: below, .. } = balls[waiting[count]];
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
        self.middle.length() + self.radius
    }
}
