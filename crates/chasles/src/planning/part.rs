//! One shape of a robot or of its world, and its bounding tree.

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

/// A shape that belongs to a link or is a body of the world.
#[derive(Debug, Clone)]
pub(crate) struct CollisionPart {
    /// The number of the link or world body.
    pub(crate) owner: usize,
    /// The group that it moves with; 0 if it is static.
    pub(crate) group: usize,
    /// Its pose in the frame of the group.
    pub(crate) pose: Pose,
    pub(crate) shape: CollisionShape,
    /// Whether its interior belongs to it.
    pub(crate) solid: bool,
    /// The centre of its extent in its own frame, and the radius of the extent about it, in metres.
    pub(crate) centre: DVec3,
    pub(crate) radius: f64,
    pub(crate) tree: PartTree,
    pub(crate) shells: Arc<ClosedShells>,
    /// A box that contains it, in the frame of the group.
    hull: RoundedBox,
    /// The centre of its extent in the frame of the group.
    middle: DVec3,
    /// Points on each connected piece of its surface, in the frame of the group. They are all inside or all outside
    /// a closed surface that the piece does not intersect. Empty if there are very many pieces.
    probes: Vec<Vec<DVec3>>,
    /// The minimum over all pieces of the longest distance between two probes of a piece, in metres; 0 without probes.
    smallest: f64,
}

/// Maximum number of spheres visited in a search for an enclosing shell, and of spheres on its stack.
const MAX_VISITS: usize = 64;
const MAX_WAITING: usize = 64;

/// The length of a piece is reduced by this fraction, which exceeds the rounding error.
const SHORTENED: f64 = 1e-12;

/// The bounding tree of a part.
#[derive(Debug, Clone)]
pub(crate) enum PartTree {
    /// For a part of the robot.
    Balls(Arc<Vec<BoundingSphere>>),
    /// For a part of the world.
    Boxes(Vec<RoundedBox>),
}

/// The link or world body that a part belongs to, by its number, and the shape of the part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfBody<'b> {
    pub(crate) owner: usize,
    pub(crate) shape: &'b CollisionShape,
    pub(crate) solid: bool,
}

impl CollisionPart {
    /// A part of the robot, or a body attached to it. Its smallest spheres have radii of about `fine` metres. The
    /// tree of an equal part in `known` is reused.
    pub(crate) fn of_robot(
        body: OfBody<'_>,
        (group, pose): (usize, Pose),
        (known, fine): (&[Self], f64),
    ) -> Self {
        let part = Self::bare(body, (group, pose), PartTree::Balls(Arc::default()));
        if let Some(other) = known.iter().find(|other| other.is_equal_to(&part)) {
            return Self { tree: other.tree.clone(), shells: other.shells.clone(), ..part };
        }
        let shells = ClosedShells::new(body.shape, &pose);
        let tree = PartTree::Balls(Arc::new(balls(body.shape, &pose, (&shells, fine))));
        Self { tree, shells: Arc::new(shells), ..part }
    }

    /// A part of the world, whose pose may be off by `rounding` metres.
    pub(crate) fn of_world(body: OfBody<'_>, pose: Pose, rounding: f64) -> Self {
        let mut tree = boxes(body.shape, &pose, rounding);
        let shells = ClosedShells::of_static(body.shape, &pose);
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

    /// The two parts as a pair, with their interiors if they are solid.
    pub(crate) fn pair_with<'p>(&'p self, other: &'p Self) -> Pair<'p> {
        Pair::of_bodies([(&self.shape, self.solid), (&other.shape, other.solid)])
    }

    /// Whether one of the two parts is inside the other, which is solid, with this part at `pose` in the frame of
    /// the other. Their surfaces must not intersect.
    pub(crate) fn is_within(&self, other: &Self, pose: &Pose) -> bool {
        self.pair_with(other).is_within([self.solid, other.solid], pose)
    }

    /// Quick test whether one of the two parts may be inside the other, which is solid. The functions transform
    /// points from the group of each part to the group of the other, accurate to `rounding` metres. `false` for a
    /// set, whose interior is tested together with its surface.
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
        let may_contain = |outer: &Self, inner: &Self, seen: &dyn Fn(DVec3) -> DVec3| {
            let is_piece_in =
                |piece: &Vec<DVec3>| !piece.iter().any(|probe| is_out(outer, seen(*probe), 0.0));
            let fits = outer.solid && inner.smallest <= 2.0 * (outer.radius + rounding);
            fits && (inner.probes.is_empty() || inner.probes.iter().any(is_piece_in))
        };
        may_contain(other, self, to_other) || may_contain(self, other, to_own)
    }

    /// Whether both parts belong to the robot and have the same shape, group and pose in the group.
    pub(crate) fn is_equal_to(&self, other: &Self) -> bool {
        let are_on_robot = [self, other].iter().all(|part| matches!(part.tree, PartTree::Balls(_)));
        let same = self.group == other.group && self.pose == other.pose && self.solid == other.solid;
        are_on_robot && same && self.shape.is_same(&other.shape)
    }

    /// Whether the root sphere's contents may be inside this part, off its surface, at the start of the first chord.
    pub(crate) fn may_enclose(&self, whole: &MovingTree<'_>) -> bool {
        let (ball, (rotation, origin)) = (&whole.balls[0], whole.at.first());
        let reach = f64::from(ball.radius) + f64::from(whole.chord_error[0]);
        let more = f64::from(whole.chord_error[1]) * ball.middle().length();
        self.solid
            && !self.shape.is_set()
            && !self.hull.is_beyond(rotation * ball.middle() + origin, reach + more)
    }

    /// Whether the part has one shell and includes everything that the shell encloses.
    pub(crate) fn is_filled(&self) -> bool {
        self.solid && self.shells.all.len() == 1
    }

    /// The spheres of a part of the robot.
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

    /// The number of a shell that certainly encloses a point, which is given in the group's frame to within
    /// `rounding` metres. The search may miss a shell.
    pub(crate) fn encloses(&self, place: DVec3, rounding: f64) -> Option<usize> {
        let balls = match &self.tree {
            PartTree::Boxes(boxes) => {
                return (boxes[0].distance(place) + rounding < f64::from(boxes[0].inner)).then_some(0);
            }
            PartTree::Balls(balls) => balls,
        };
        let mut waiting = [0_usize; MAX_WAITING];
        let mut count = 1;
        for _ in 0..MAX_VISITS {
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

    /// The maximum distance of its points from the origin of the group's frame, in metres.
    pub(crate) fn reach(&self) -> f64 {
        self.middle.length() + self.radius
    }
}
