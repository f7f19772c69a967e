//! Exact tests of two parts whose bounding spheres may intersect.

use std::cell::RefCell;

use crate::features::contact::FirstContact;
use crate::instant::gap::GapLimits;
use crate::math::budget::Budget;
use crate::math::time_interval::TimeInterval;
use crate::motion::Pose;
use crate::motion::state::{BoundedMotionFn, MotionBounds, MotionState};
use crate::pair::{PairMemory, SeparationGoal};
use crate::planning::chain::{Chain, EdgeBounds, GroupAt, JointEdge, ROUNDINGS};
use crate::planning::part::{CollisionPart, PartTree};

/// All groups at the time of the last query.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupsAt {
    time: Option<f64>,
    groups: Vec<GroupAt>,
}

impl GroupsAt {
    /// Forgets the time, because the edge changes.
    pub(crate) fn forget(&mut self) {
        self.time = None;
    }
}

/// A pair of parts on an edge.
pub(crate) struct PartPairMotion<'c> {
    pub(crate) chain: &'c Chain,
    pub(crate) edge: &'c JointEdge<'c>,
    pub(crate) parts: [&'c CollisionPart; 2],
    /// Bounds for the first part's group, seen from the second's.
    pub(crate) bounds: EdgeBounds,
    /// Maximum distance of either part from the root, plus the distance of the base from the world's origin, in metres.
    pub(crate) reach: f64,
    /// Bound of the sum of both speeds relative to the root at the positions of the first part. Each speed counts
    /// once per joint between root and group and four times more for frames.
    pub(crate) speed: f64,
    pub(crate) at: &'c RefCell<GroupsAt>,
    /// At a larger distance than this, in metres, the parts are free: more than the tolerance, at least the clearance.
    pub(crate) required: f64,
    /// The required clearance in metres; 0 if only contact counts.
    pub(crate) clearance: f64,
}

/// The first contact of a pair in an interval. It is separated until the first of two times, and intersects at the
/// second; or it is separated until a time, and undecided afterwards.
pub(crate) type PartPairContact = FirstContact<[f64; 2]>;

/// A step shorter than this fraction of an edge ends the proof of separation; contact is tested next.
const LEAST_STEP: f64 = 1e-6;

/// The number of times after such a stop at which intersection is tested. The delay grows by a factor of 4 each
/// time, up to 1/4 of the edge.
const CONTACT_TESTS: u32 = 9;

/// Computes [`PartPairMotion::speed`] from the bounds of both groups relative to the root, the reach of the first
/// part from its group's origin, and the maximum distance of that origin from the second group's.
pub(crate) fn speed_from_root([a, b]: [&EdgeBounds; 2], [arm, between]: [f64; 2]) -> f64 {
    let speed =
        |bounds: &EdgeBounds, arm| (bounds.joints + 4) as f64 * (bounds.speed[0] + bounds.speed[1] * arm);
    // Both at the positions of the first part, which may be further from the second group than the second part reaches.
    speed(a, arm) + speed(b, between + arm)
}

impl PartPairMotion<'_> {
    /// Maximum error of a computed point, in metres.
    fn rounding(&self) -> f64 {
        self.bounds.rounding(self.parts[0].reach(), self.reach)
    }

    /// The groups of both parts at a time.
    fn groups(&self, time: f64) -> [GroupAt; 2] {
        let mut at = self.at.borrow_mut();
        let GroupsAt { time: known, groups } = &mut *at;
        if *known != Some(time) {
            self.chain.poses_at(self.edge, time, groups);
            *known = Some(time);
        }
        self.parts.map(|part| groups[part.group])
    }

    fn moment(&self, time: f64) -> MotionState {
        let [a, b] = &self.groups(time);
        let [of_a, of_b] =
            [(a, self.parts[0]), (b, self.parts[1])].map(|(group, part)| group.pose.compose(&part.pose));
        let centre = of_a.transform_point(self.parts[0].centre);
        let to_second = of_b.rotation().conjugate();
        MotionState {
            pose: of_b.inverse().compose(&of_a),
            velocity: to_second * (a.velocity_of(centre) - b.velocity_of(centre)),
            spin: to_second * (a.spin() - b.spin()),
        }
    }

    fn motion_bounds(&self) -> MotionBounds {
        let part = self.parts[0];
        let arm = part.reach();
        let EdgeBounds { acceleration, jerk, .. } = self.bounds;
        // The relative velocity is a difference of velocities in the frame of the root, which may be larger.
        let velocity_rounding = ROUNDINGS * f64::EPSILON * self.speed;
        MotionBounds {
            change: (acceleration[0] + acceleration[1] * arm) * (1.0 + 1e-9),
            jerk: (jerk[0] + jerk[1] * arm) * (1.0 + 1e-9),
            rounding: self.rounding(),
            velocity_rounding,
        }
    }

    /// Whether the two certainly intersect or are nearer than the clearance at a time.
    pub(crate) fn intersects_for_certain(
        &self,
        time: f64,
        memory: &mut PairMemory,
        budget: &mut Budget<'_>,
    ) -> bool {
        let (pose, rounding) = (self.moment(time).pose, self.rounding());
        let [a, b] = self.parts;
        let pair = a.pair_with(b);
        if pair.certainly_intersects(memory, (&pose, rounding), budget) {
            return true;
        }
        if self.clearance <= rounding {
            return false;
        }
        let enough = self.clearance - rounding;
        let limits =
            GapLimits { beyond: self.clearance, enough, steps: budget.remaining(), ..GapLimits::EXACT };
        let near = pair.distance_at(memory, &pose, &limits);
        budget.take(near.steps).is_ok() && near.upper < enough
    }

    /// The pose of the first part's group in the frame of the second's at a time, and its error bound in metres.
    fn relative_pose_at(&self, time: f64) -> (Pose, f64) {
        let [a, b] = self.groups(time).map(|group| group.pose);
        (b.inverse().compose(&a), self.bounds.rounding(2.0 * self.reach, self.reach))
    }

    /// Whether the parts certainly intersect at a time, or one is inside the other, which is solid. The proof is that
    /// the interiors of a sphere of the first and of a sphere or box of the second, given by their numbers, overlap.
    pub(crate) fn interiors_overlap(&self, time: f64, [in_a, in_b]: [u32; 2]) -> bool {
        let [a, b] = self.parts;
        let (pose, rounding) = self.relative_pose_at(time);
        let ball = &a.balls()[in_a as usize];
        let centre = pose.transform_point(ball.middle());
        let (distance, inner, shell) = match &b.tree {
            PartTree::Balls(balls) => {
                let ball = &balls[in_b as usize];
                (ball.middle().distance(centre), ball.inner, ball.shell)
            }
            PartTree::Boxes(boxes) => (boxes[in_b as usize].distance(centre), boxes[in_b as usize].inner, 0),
        };
        let overlap = f64::from(ball.inner) + f64::from(inner) - distance > rounding;
        if overlap && a.is_filled() && b.is_filled() {
            return true;
        }
        let shells = [(a, ball.shell), (b, shell)].map(|(part, shell)| part.shells.all.get(shell as usize));
        overlap && matches!(shells, [Some(shell), Some(other)] if shell.meets(other, &pose, rounding))
    }

    /// Whether the parts certainly intersect at a time, or one is inside a solid one. The proof: one part encloses a
    /// surface point of the other, and is solid, or another point of that surface is outside.
    pub(crate) fn intersects_by_points(&self, time: f64) -> bool {
        let [a, b] = self.parts;
        let (pose, rounding) = self.relative_pose_at(time);
        let enters = |part: &CollisionPart, other: &CollisionPart, pose: &Pose| {
            part.shells.all.iter().any(|shell| {
                let mut enclosing =
                    shell.points.iter().filter_map(|p| other.encloses(pose.transform_point(*p), rounding));
                let Some(enclosing) = enclosing.next() else { return false };
                let around = other.shells.all.get(enclosing);
                other.is_filled() || around.is_some_and(|around| shell.reaches_out_of(around, pose, rounding))
            })
        };
        enters(a, b, &pose) || enters(b, a, &pose.inverse())
    }

    /// Whether one part is inside the other, which is solid, at a time at which their surfaces do not intersect.
    pub(crate) fn is_within(&self, time: f64) -> bool {
        let [a, b] = self.parts;
        (a.solid || b.solid) && a.is_within(b, &self.moment(time).pose)
    }

    /// A time until which the surfaces stay further apart than the required distance.
    fn separated_until(
        &self,
        interval: TimeInterval,
        memory: &mut PairMemory,
        budget: &mut Budget<'_>,
    ) -> f64 {
        let [a, b] = self.parts;
        let pair = a.pair_with(b);
        let moment = |time: f64| self.moment(time);
        let passed = BoundedMotionFn { state_at: &moment, bounds: self.motion_bounds() };
        let goal = SeparationGoal { distance: self.required, min_step: LEAST_STEP };
        pair.separated_until_bounded(memory, (&passed, (interval.start, interval.end)), &goal, budget)
    }

    /// The result for the pair in an interval.
    pub(crate) fn follow(
        &self,
        interval: TimeInterval,
        memory: &mut PairMemory,
        budget: &mut Budget<'_>,
        tests: &mut u64,
    ) -> PartPairContact {
        let TimeInterval { start, end } = interval;
        let until = self.separated_until(interval, memory, budget);
        if until >= end {
            let within = self.is_within(start);
            return if within { FirstContact::Contact([start; 2]) } else { FirstContact::Clear };
        }
        let mut after = LEAST_STEP;
        for _ in 0..CONTACT_TESTS {
            let time = (until + after).min(end);
            *tests += 1;
            if self.intersects_for_certain(time, memory, budget) {
                return FirstContact::Contact([until, time]);
            }
            if time >= end {
                break;
            }
            after *= 4.0;
        }
        FirstContact::Undecided(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::shape::CollisionShape;
    use crate::planning::part::OfBody;
    use crate::robot::Robot;
    use crate::robot::arms::planar;
    use crate::shape::Primitive;
    use chasles_testing::Random;

    #[test]
    fn parts_at_relative_rest_move_within_the_rounding_bound() {
        let shape = CollisionShape::primitive(Primitive::Sphere { radius: 0.1 }).unwrap();
        let mut moved = 0;
        for seed in 0..200 {
            let random = &mut Random(seed);
            let mut definition = planar(4);
            for joint in &mut definition.joints {
                joint.origin = Pose::new(random.vector(1.0), random.even_rotation()).unwrap();
                joint.limits = None;
            }
            let robot = Robot::new(definition).unwrap();
            let chain = Chain::new(&robot, &[0, 1, 2, 3], &robot.rest());
            let mut part = |group: usize| {
                let pose = Pose::from_position(random.vector(0.5)).unwrap();
                let body = OfBody { owner: group, shape: &shape, solid: true };
                CollisionPart::of_robot(body, (group, pose), (&[], 0.1))
            };
            let parts = [part(4), part(3)];
            // The joint between the two is static.
            let from: Vec<f64> = (0..4).map(|_| random.within(-3.0, 3.0)).collect();
            let to: Vec<f64> = from
                .iter()
                .enumerate()
                .map(|(at, value)| if at < 3 { value + 3.0 } else { *value })
                .collect();
            let edge = JointEdge { from: &from, to: &to };
            let of_root = [4, 3].map(|group| chain.bounds(&chain.chain_path(0, group), &edge));
            let bounds = chain.bounds(&chain.chain_path(3, 4), &edge);
            let at = RefCell::new(GroupsAt::default());
            let near = PartPairMotion {
                chain: &chain,
                edge: &edge,
                parts: [&parts[0], &parts[1]],
                bounds,
                reach: 6.0,
                speed: speed_from_root(of_root.each_ref(), [parts[0].reach(), bounds.reach]),
                at: &at,
                required: 0.0,
                clearance: 0.0,
            };
            let MotionState { velocity, spin, .. } = near.moment(0.4);
            let most = near.motion_bounds().velocity_rounding;
            assert_eq!(bounds.speed, [0.0; 2]);
            let found = velocity.length() + spin.length() * parts[0].reach();
            assert!(found <= most && most < 1e-10, "seed {seed}: {found} {most}");
            moved += usize::from(found > 0.0);
        }
        // Counting only the joints between the two parts would allow for no error.
        assert!(moved > 100, "{moved}");
    }
}
