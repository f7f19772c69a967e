//! A robot that is moved by hand: each move stops before the first obstacle, and is recorded.

use crate::error::Error;
use crate::motion::Pose;
use crate::robot::RobotCell;
use crate::robot::check::PathReport;
use crate::robot::moves::{MoveOutcome, free_fraction, straight_path};
use crate::scene::definition::BodyMotion;
use crate::scene::report::CheckOptions;
use crate::scene::report::{NearestReport, PairVerdict};
use crate::trajectory::watch::ProgressMonitor;

/// A robot in a static world: its configuration and how it got there.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    cell: RobotCell,
    options: CheckOptions,
    /// One value for each joint: the first is the start configuration, the last the current one.
    configurations: Vec<Vec<f64>>,
}

/// A move that is not free ends this far before the obstacle, in radians or metres of the joint that moves most. The
/// distance is invisibly small, and large enough to prove moves along the obstacle free, not only moves away from it.
const MARGIN: f64 = 2e-7;

/// A long move is checked in parts of this size, in radians or metres, but in at most [`MAX_PARTS`].
const PART_LENGTH: f64 = 0.1;
const MAX_PARTS: f64 = 32.0;

/// Maximum number of halvings of the fraction of a move, from the fraction that should be free.
const MAX_HALVINGS: u32 = 40;

impl Session {
    /// A robot at rest; the world has its poses at a time of the paths, in seconds.
    ///
    /// # Errors
    /// A time that is not finite.
    pub fn new(cell: &RobotCell, time: f64, options: CheckOptions) -> Result<Self, Error> {
        let cell = cell.with_static_world(time)?;
        let rest = cell.robot().rest();
        // The nearest distance of a free move is not used.
        let options = CheckOptions { naming: NearestReport::Nothing, ..options };
        Ok(Self { cell, options, configurations: vec![rest] })
    }

    /// The robot in its cell; all motions of the world are [`BodyMotion::Still`].
    #[must_use]
    pub fn cell(&self) -> &RobotCell {
        &self.cell
    }

    /// The current configuration: one value for each joint.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        self.configurations.last().map_or(&[], Vec::as_slice)
    }

    /// All configurations since the start, since `Session::forget`, or since the last escape from an overlap: at
    /// least one. The move from each to the next is proven free.
    #[must_use]
    pub fn configurations(&self) -> &[Vec<f64>] {
        &self.configurations
    }

    /// Moves to joint values, one for each joint, along a straight line in joint space, if the whole move is free or
    /// an escape from an overlap; otherwise the robot does not move. An escape is not recorded: no move leads back.
    /// Values of joints that follow others are ignored.
    ///
    /// # Errors
    /// As [`RobotCell::try_move`].
    pub fn move_to_values(
        &mut self,
        values: Vec<f64>,
        watch: &dyn ProgressMonitor,
    ) -> Result<MoveOutcome, Error> {
        let values = self.completed(values);
        let outcome = self.cell.try_move([self.values(), &values], &self.options, watch)?;
        match &outcome {
            MoveOutcome::Free => self.configurations.push(values),
            MoveOutcome::Escape(_) => self.configurations = vec![values],
            MoveOutcome::Refused { .. } => {}
        }
        Ok(outcome)
    }

    /// As [`Session::move_to_values`], but a refused move is executed as far as it is free, less a margin of 2e-7
    /// radians or metres: the outcome's fraction and values state how far that is. From there the robot can leave
    /// again. A part shorter than the margin is not moved at all. A move from an overlap is executed wholly or not at
    /// all.
    ///
    /// The report covers the first part of the move that is not free, about a tenth of a radian or metre long; later
    /// contacts are not searched for. Times are fractions of the whole move.
    ///
    /// # Errors
    /// As [`RobotCell::try_move`]; the robot has not moved.
    pub fn advance(&mut self, values: Vec<f64>, watch: &dyn ProgressMonitor) -> Result<MoveOutcome, Error> {
        let to = self.completed(values);
        let (free, found) = match self.first_obstacle(&to, watch)? {
            // No fraction is free if bodies overlap at the start, but the move may be an escape.
            Some((free, found)) if found.report.clear_until > 0.0 => (free, found),
            _ => match self.move_to_values(to.clone(), watch)? {
                MoveOutcome::Refused { free, found, .. } => (free, found),
                done => return Ok(done),
            },
        };
        let from = self.values().to_vec();
        // Infinite if no joint moves.
        let margin = MARGIN / self.largest_joint_distance(&to);
        let mut fraction = free - margin;
        for _ in 0..MAX_HALVINGS {
            if fraction <= margin || watch.is_over() {
                break;
            }
            let part = self.values_at(&to, fraction);
            // Free in parts so far; here it is proven as one move that ends the margin before the obstacle.
            if self.move_to_values(part.clone(), watch)? == MoveOutcome::Free {
                return Ok(MoveOutcome::Refused { free: fraction, values: part, found });
            }
            fraction *= 0.5;
        }
        Ok(MoveOutcome::Refused { free: 0.0, values: from, found })
    }

    /// The fraction up to which a long move is free, found part by part, and the report of the obstacle there, if
    /// there is one. Following the surfaces beyond the first contact to the end of the move would take a hundred
    /// times as long.
    fn first_obstacle(
        &self,
        to: &[f64],
        watch: &dyn ProgressMonitor,
    ) -> Result<Option<(f64, Box<PathReport>)>, Error> {
        let path = straight_path(&self.cell, [self.values(), to])?;
        path.check(self.cell.robot())?;
        let count = (self.largest_joint_distance(to) / PART_LENGTH).ceil().clamp(1.0, MAX_PARTS);
        let mut number = 0.0;
        // A single part is the move itself.
        while count > 1.0 && number < count {
            let mut part = path.clone();
            for (waypoint, fraction) in
                part.waypoints.iter_mut().zip([number / count, (number + 1.0) / count])
            {
                waypoint.time = fraction;
                waypoint.positions = path.positions_at(fraction);
            }
            let found = self.cell.check_path(&part, &self.options, watch)?;
            if found.report.verdict != PairVerdict::Clear {
                let clear_until = found.report.clear_until;
                let free = free_fraction(&self.cell, &part, clear_until, &self.options, watch)?;
                return Ok(Some((free, Box::new(found))));
            }
            number += 1.0;
        }
        Ok(None)
    }

    /// The distance of the joint that moves most, in radians or metres.
    fn largest_joint_distance(&self, to: &[f64]) -> f64 {
        let is_set = |joint: &usize| self.cell.robot().is_set(*joint);
        let distances = (0..to.len()).filter(is_set).map(|joint| (to[joint] - self.values()[joint]).abs());
        distances.fold(0.0, f64::max)
    }

    /// Undoes the last move, which is also free backward. Returns whether there was a move to undo.
    pub fn undo(&mut self) -> bool {
        let can_undo = self.configurations.len() > 1;
        if can_undo {
            self.configurations.pop();
        }
        can_undo
    }

    /// Forgets the moves: the record starts at the current configuration.
    pub fn forget(&mut self) {
        self.configurations.drain(..self.configurations.len() - 1);
    }

    /// The pose of each link and then of each body of the world, in the world, for one value for each joint.
    ///
    /// # Panics
    /// If there is not one value for each joint.
    #[must_use]
    pub fn poses(&self, values: &[f64]) -> Vec<Pose> {
        let definition = self.cell.definition();
        let links = definition.robot.link_poses(values);
        let mut poses: Vec<Pose> = links.iter().map(|pose| definition.base.compose(pose)).collect();
        let links = poses.len();
        let mut known = vec![false; definition.world.len()];
        poses.resize(links + known.len(), Pose::IDENTITY);
        for number in 0..known.len() {
            // Up the parents to a known pose, and down again: a parent may have a later number.
            let mut chain = vec![];
            let mut next = Some(number);
            while let Some(body) = next.filter(|body| !known[*body]) {
                chain.push(body);
                next = definition.world[body].body.parent;
            }
            for body in chain.into_iter().rev() {
                let world = &definition.world[body];
                let BodyMotion::Still(local_pose) = &world.body.motion else { continue };
                let parent = world.body.parent.map(|parent| links + parent).or(world.link);
                poses[links + body] = parent.map_or(*local_pose, |parent| poses[parent].compose(local_pose));
                known[body] = true;
            }
        }
        poses
    }

    /// The joint values at a fraction of the move from the current configuration.
    fn values_at(&self, to: &[f64], fraction: f64) -> Vec<f64> {
        let robot = self.cell.robot();
        let mut values = self.values().to_vec();
        for joint in (0..values.len()).filter(|joint| robot.is_set(*joint)) {
            values[joint] += fraction * (to[joint] - values[joint]);
        }
        robot.complete(&mut values);
        values
    }

    /// Completes values; the move itself reports a wrong number of values.
    fn completed(&self, mut values: Vec<f64>) -> Vec<f64> {
        if values.len() == self.cell.robot().joints().len() {
            self.cell.robot().complete(&mut values);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::arms::{at, brick, cell, cube, joint, link, path, planar, sliding, still};
    use crate::robot::definition::{Mimic, RobotDefinition};

    fn session(cell: &RobotCell) -> Session {
        Session::new(cell, 0.0, CheckOptions::default()).unwrap()
    }

    /// A bar that rotates below a wall at y = 0.5, and the angle at which its corner touches the wall.
    fn under_a_wall() -> (RobotCell, f64) {
        let cell = RobotCell::new(cell(planar(1), vec![cube("wall", 4.0, still(3.5, 2.5, 0.0))])).unwrap();
        let (x, y) = (0.9_f64, 0.05_f64);
        (cell, (0.5 / x.hypot(y)).asin() - y.atan2(x))
    }

    #[test]
    fn a_refused_move_ends_just_before_the_contact_and_the_robot_can_leave() {
        let (cell, angle) = under_a_wall();
        for ends in [[1.0, 0.2], [2.0, -1.0], [100.0, 0.5]] {
            let mut session = session(&cell);
            let outcome = session.advance(vec![ends[0]], &()).unwrap();
            let MoveOutcome::Refused { free, values, found } = outcome else { panic!("free") };
            assert_eq!((session.values(), session.configurations().len()), (&values[..], 2));
            assert!(values[0] < angle && angle - values[0] < 1e-6, "{values:?} {angle}");
            assert!((values[0] - free * ends[0]).abs() < 1e-15);
            assert!((found.entries[0][0].positions[0] - angle).abs() < 1e-9);
            // It does not creep further up.
            for _ in 0..3 {
                let again = session.advance(vec![ends[0]], &()).unwrap();
                assert!(matches!(again, MoveOutcome::Refused { free: 0.0, .. }), "{again:?}");
            }
            assert_eq!(session.values(), values);
            assert_eq!(session.move_to_values(vec![values[0] - 1e-9], &()).unwrap(), MoveOutcome::Free);
            assert_eq!(
                session.move_to_values(vec![ends[1].min(angle - 1e-6)], &()).unwrap(),
                MoveOutcome::Free
            );
        }
    }

    /// A cart that is stopped by a wall slides along it: the faces stay separated by the margin.
    #[test]
    fn moves_along_the_obstacle_are_free() {
        let up = Some(crate::motion::JointAxis::Prismatic(glam::DVec3::Y));
        let robot = RobotDefinition {
            links: vec![
                link("rail", vec![]),
                link("lift", vec![]),
                link("cart", vec![brick([0.2; 3], at(0.0, 0.0, 0.0))]),
            ],
            joints: vec![joint("rise", [0, 1], up), joint("slide", [1, 2], sliding())],
            ..planar(0)
        };
        let cell = RobotCell::new(cell(robot, vec![cube("wall", 1.0, still(1.3, 0.0, 0.0))])).unwrap();
        let mut session = session(&cell);
        let refused = session.advance(vec![0.0, 3.0], &()).unwrap();
        assert_ne!(refused, MoveOutcome::Free);
        let x = session.values()[1];
        assert!(x < 0.7 && 0.7 - x < 1e-6, "{x}");
        for y in [0.3, -0.2, 0.1] {
            assert_eq!(session.advance(vec![y, x], &()).unwrap(), MoveOutcome::Free, "{y}");
        }
        assert_eq!(session.advance(vec![2.0, x], &()).unwrap(), MoveOutcome::Free);
    }

    #[test]
    fn moves_are_recorded_undone_and_forgotten() {
        let (cell, _) = under_a_wall();
        let mut session = session(&cell);
        assert!(!session.undo());
        for value in [-0.5, -1.0, -1.5] {
            assert_eq!(session.move_to_values(vec![value], &()).unwrap(), MoveOutcome::Free);
        }
        assert!(session.move_to_values(vec![1.0], &()).unwrap() != MoveOutcome::Free);
        assert!(session.undo());
        assert_eq!(session.configurations(), [[0.0], [-0.5], [-1.0]]);
        session.forget();
        assert_eq!(session.configurations(), [[-1.0]]);
        assert!(!session.undo());
        // Invalid values move nothing.
        for wrong in [vec![], vec![0.0; 2], vec![f64::NAN], vec![f64::INFINITY]] {
            assert!(session.advance(wrong.clone(), &()).is_err(), "{wrong:?}");
        }
        assert_eq!(session.configurations(), [[-1.0]]);
    }

    #[test]
    fn a_monitor_can_stop_a_move() {
        struct Over;
        impl ProgressMonitor for Over {
            fn is_over(&self) -> bool {
                true
            }
        }
        let (cell, _) = under_a_wall();
        let mut session = session(&cell);
        let MoveOutcome::Refused { free, values, found } = session.advance(vec![1.0], &Over).unwrap() else {
            panic!("free")
        };
        assert_eq!((free, &values[..], found.report.verdict), (0.0, &[0.0][..], PairVerdict::Undecided));
        assert_eq!(session.configurations().len(), 1);
    }

    #[test]
    fn poses_are_those_of_links_and_of_the_bodies_on_them() {
        let mut robot = planar(2);
        robot.joints[1].mimic = Some(Mimic { joint: 0, multiplier: 2.0, offset: 0.0 });
        let mut held = cube("held", 0.1, still(0.0, 0.5, 0.0));
        held.body.parent = Some(1);
        let mut tool = cube("tool", 0.1, still(0.25, 0.0, 0.0));
        tool.link = Some(2);
        let slide = BodyMotion::Keyframes(vec![(0.0, at(5.0, 0.0, 0.0)), (2.0, at(7.0, 0.0, 0.0))]);
        let mut definition = cell(robot, vec![held, tool, cube("guest", 0.1, slide)]);
        definition.world_duration = 2.0;
        definition.base = at(0.0, 0.0, 1.0);
        let cell = RobotCell::new(definition).unwrap();
        let session = Session::new(&cell, 1.0, CheckOptions::default()).unwrap();
        let quarter = std::f64::consts::FRAC_PI_2;
        let mut values = vec![quarter, 0.0];
        cell.robot().complete(&mut values);
        let poses = session.poses(&values);
        // The first joint is at (1, 0), the second a metre up from it and rotated by another half turn: it points
        // down, and the body held by the tool on it lies to the right.
        let expected = [
            [0.0, 0.0, 1.0],
            [1.0, 0.0, 1.0],
            [1.0, 1.0, 1.0],
            [1.5, 0.75, 1.0],
            [1.0, 0.75, 1.0],
            [6.0, 0.0, 0.0],
        ];
        assert_eq!(poses.len(), expected.len());
        for (number, (pose, expected)) in poses.iter().zip(expected).enumerate() {
            let error = pose.position().distance(glam::DVec3::from_array(expected));
            assert!(error < 1e-12, "{number}: {} not {expected:?}", pose.position());
        }
        assert!(Session::new(&cell, f64::NAN, CheckOptions::default()).is_err());
    }

    /// Moves back and forth among posts, most of them refused: the record, as one path, is free, and nothing else was
    /// moved.
    #[test]
    fn a_recorded_path_is_free() {
        let mut state = 1_u64;
        let mut random = |minimum: f64, maximum: f64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            minimum + (maximum - minimum) * ((state >> 11) as f64 / (1_u64 << 53) as f64)
        };
        let (mut refused, mut free) = (0, 0);
        for seed in 0..12 {
            let posts = (0..5).map(|i| {
                let (angle, away) = (random(0.4, 5.9), random(1.2, 2.8));
                let size = if seed % 3 == 0 { 0.3 } else { random(0.05, 0.4) };
                cube(&format!("post{i}"), size, still(1.0 + away * angle.cos(), away * angle.sin(), 0.0))
            });
            let cell = RobotCell::new(cell(planar(3), posts.collect())).unwrap();
            let mut session = session(&cell);
            for _ in 0..12 {
                let to: Vec<f64> = (0..3).map(|_| random(-2.5, 2.5)).collect();
                let before = session.values().to_vec();
                match session.advance(to.clone(), &()).unwrap() {
                    MoveOutcome::Escape(pairs) => panic!("{seed}: nothing overlaps, {pairs:?}"),
                    MoveOutcome::Free => {
                        free += 1;
                        assert_eq!(session.values(), to);
                    }
                    MoveOutcome::Refused { free: fraction, values, .. } => {
                        refused += 1;
                        assert_eq!(session.values(), values);
                        // The same fraction as for the whole move at once.
                        let whole = cell.try_move([&before, &to], &CheckOptions::default(), &()).unwrap();
                        let MoveOutcome::Refused { free: at_once, .. } = whole else { panic!("{seed}") };
                        let longest = (0..3).map(|k| (to[k] - before[k]).abs()).fold(0.0, f64::max);
                        assert!(
                            (at_once - fraction) * longest < 1e-6 && fraction <= at_once,
                            "{fraction} {at_once}"
                        );
                        for joint in 0..3 {
                            let expected = before[joint] + fraction * (to[joint] - before[joint]);
                            assert!((values[joint] - expected).abs() < 1e-12);
                        }
                    }
                }
                // It can return at any time.
                let back = cell.try_move([session.values(), &before], &CheckOptions::default(), &()).unwrap();
                assert_eq!(back, MoveOutcome::Free, "{seed}");
            }
            let rows: Vec<Vec<f64>> = session
                .configurations()
                .iter()
                .enumerate()
                .map(|(k, configuration)| [&[k as f64][..], configuration].concat())
                .collect();
            if rows.len() > 1 {
                let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
                let found = cell.check_path(&path(&[0, 1, 2], &rows), &CheckOptions::default(), &()).unwrap();
                assert_eq!(found.report.verdict, PairVerdict::Clear, "{seed}: {:?}", found.report);
            }
        }
        assert!(refused > 20 && free > 20, "{refused} {free}");
    }
}
