//! Moves of a robot, which are refused unless the whole move is proven free. (Sinjur's robot was refused if its end
//! position intersected something; here the whole path counts.)

use crate::error::Error;
use crate::robot::RobotCell;
use crate::robot::check::PathReport;
use crate::robot::escape::{SeparatedPair, escaping_pairs};
use crate::robot::path::{JointPath, Waypoint};
use crate::scene::pairing::{RestingPairs, StaticPairs};
use crate::scene::report::CheckOptions;
use crate::scene::report::{NearestReport, PairVerdict};
use crate::trajectory::watch::ProgressMonitor;

/// The outcome of a move.
#[derive(Debug, Clone, PartialEq)]
pub enum MoveOutcome {
    /// The whole move is proven free.
    Free,
    /// The move is an escape: bodies overlap at its start, and it only separates them. Proven: no other two bodies
    /// come together, nor within their clearance. Each overlapping pair separates and stays separated, or is less
    /// deep at the end; until then it is never deeper than at the start, up to a millionth and four tolerances. The
    /// clearance of these pairs is ignored. Sorted by the bodies.
    Escape(Vec<SeparatedPair>),
    /// The move meets an obstacle, or possibly does.
    Refused {
        /// The fraction of the move, in [0, 1], that is proven free, also as a move of its own: from its end the
        /// robot can leave again. It ends far enough before the obstacle that the surfaces are outside tolerance and
        /// clearance.
        free: f64,
        /// The configuration there: one value for each joint of the robot.
        values: Vec<f64>,
        /// The report of the move; times are fractions of the move.
        found: Box<PathReport>,
    },
}

/// Fraction of the move: invisibly small, and larger than a tolerance of 1e-9 m on a move of a metre.
const FIRST_STEP_BACK: f64 = 2e-9;

/// See [`RobotCell::try_move`].
pub(super) fn try_move(
    cell: &RobotCell,
    [from, to]: [&[f64]; 2],
    options: &CheckOptions,
    watch: &dyn ProgressMonitor,
) -> Result<MoveOutcome, Error> {
    let path = straight_path(cell, [from, to])?;
    // The move does not change pairs that it leaves at rest.
    let (resting, statics) = (RestingPairs::Ignored, StaticPairs::Ignored);
    let options = &CheckOptions { naming: NearestReport::Nothing, resting, statics, ..*options };
    let found = cell.check_path(&path, options, watch)?;
    if found.report.verdict == PairVerdict::Clear {
        return Ok(MoveOutcome::Free);
    }
    if let Some(separated) = escaping_pairs(cell, &path, &found, options, watch)? {
        return Ok(MoveOutcome::Escape(separated));
    }
    let free = free_fraction(cell, &path, found.report.clear_until, options, watch)?;
    let mut values = from.to_vec();
    for (joint, value) in path.joints.iter().zip(path.positions_at(free)) {
        values[*joint] = value;
    }
    cell.robot().complete(&mut values);
    Ok(MoveOutcome::Refused { free, values, found: Box::new(found) })
}

/// The path of a move: straight, in one second.
pub(super) fn straight_path(cell: &RobotCell, [from, to]: [&[f64]; 2]) -> Result<JointPath, Error> {
    let count = cell.robot().joints().len();
    if let Some(wrong) = [from, to].into_iter().find(|values| values.len() != count) {
        return Error::out_of_range(wrong.len() as f64, "one value a joint", "values of a move");
    }
    let joints: Vec<usize> = (0..count).filter(|joint| cell.robot().is_set(*joint)).collect();
    let waypoint = |time: f64, values: &[f64]| {
        let positions = joints.iter().map(|joint| values[*joint]).collect();
        Waypoint { time, positions, velocities: Vec::new() }
    };
    Ok(JointPath { waypoints: vec![waypoint(0.0, from), waypoint(1.0, to)], joints: joints.clone() })
}

/// The fraction of a move, or of a part of a move, up to which the move is free, also as a move of its own. It
/// lies before the start of contact: at the contact the surfaces are within the tolerance already, and no move
/// would be free, not even back. At most `maximum`; the start of the part if no such fraction is found.
pub(super) fn free_fraction(
    cell: &RobotCell,
    path: &JointPath,
    maximum: f64,
    options: &CheckOptions,
    watch: &dyn ProgressMonitor,
) -> Result<f64, Error> {
    let (mut end, mut step_back) = (maximum, FIRST_STEP_BACK);
    let start = path.waypoints[0].time;
    while end - step_back > start {
        let fraction = end - step_back;
        let part = path.part_until(fraction);
        let found = cell.check_path(&part, options, watch)?.report;
        if found.verdict == PairVerdict::Clear {
            return Ok(fraction);
        }
        // A pair that touched later may have come within its clearance long before.
        end = end.min(found.clear_until);
        step_back *= 8.0;
    }
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::arms::{at, brick, cart_on_rail, cell, cube, joint, planar, still};
    use crate::robot::definition::Mimic;
    use crate::scene::definition::BodyMotion;

    fn try_move(cell: &RobotCell, from: &[f64], to: &[f64]) -> MoveOutcome {
        cell.try_move([from, to], &CheckOptions::default(), &()).unwrap()
    }

    #[track_caller]
    fn refused_at(cell: &RobotCell, from: &[f64], to: &[f64], expected: f64) -> Vec<f64> {
        let MoveOutcome::Refused { free, values, found } = try_move(cell, from, to) else { panic!("free") };
        assert!((free - expected).abs() < 1e-6 && free <= expected, "{free}, not {expected}: {found:?}");
        assert_eq!(found.report.verdict, PairVerdict::Contact);
        let clear_until = found.report.clear_until;
        assert!(free <= clear_until && clear_until <= expected + 1e-12, "{free} {clear_until}");
        for ((value, from), to) in values.iter().zip(from).zip(to) {
            assert!((value - (from + free * (to - from))).abs() < 1e-12, "{values:?}");
        }
        values
    }

    /// A bar of one metre that rotates about z, its end 0.9 from the axis and 0.1 thick, below a wall at y = 0.5 (a
    /// cube of 4).
    fn under_a_wall() -> RobotCell {
        RobotCell::new(cell(planar(1), vec![cube("wall", 4.0, still(3.5, 2.5, 0.0))])).unwrap()
    }

    /// The angle at which its corner touches the wall.
    fn angle_of_contact() -> f64 {
        let (x, y) = (0.9_f64, 0.05_f64);
        (0.5 / x.hypot(y)).asin() - y.atan2(x)
    }

    #[test]
    fn a_move_is_refused_at_its_first_contact() {
        let cell = under_a_wall();
        let angle = angle_of_contact();
        assert_eq!(try_move(&cell, &[-1.0], &[angle - 1e-6]), MoveOutcome::Free);
        let values = refused_at(&cell, &[-1.0], &[2.0], (angle + 1.0) / 3.0);
        refused_at(&cell, &[0.0], &[angle + 1e-3], angle / (angle + 1e-3));
        // Only a configuration in between is in contact, not the end.
        let end = std::f64::consts::TAU;
        refused_at(&cell, &[0.0], &[end], angle / end);
        // Back, down, and all the way round to the other side of the wall.
        assert_eq!(try_move(&cell, &values, &[-1.0]), MoveOutcome::Free);
        assert_eq!(try_move(&cell, &values, &[values[0] - 1e-9]), MoveOutcome::Free);
        assert_eq!(try_move(&cell, &values, &[values[0] - 3.0]), MoveOutcome::Free);
        // Further up is refused again, and the new configuration has the same properties.
        let MoveOutcome::Refused { values: again, free, .. } = try_move(&cell, &values, &[2.0]) else {
            panic!("free")
        };
        assert!(free < 1e-6 && again[0] >= values[0], "{free}");
        assert_eq!(try_move(&cell, &again, &[0.0]), MoveOutcome::Free);
    }

    #[test]
    fn a_slide_is_refused_at_the_wall_and_free_away_from_it() {
        let robot = cart_on_rail(vec![brick([0.2; 3], at(0.0, 0.0, 0.0))]);
        // The faces are parallel, 0.7 apart.
        let cell = RobotCell::new(cell(robot, vec![cube("wall", 1.0, still(1.3, 0.0, 0.0))])).unwrap();
        for step in [0.71, 1.0, 5.0] {
            let values = refused_at(&cell, &[0.0], &[step], 0.7 / step);
            assert_eq!(try_move(&cell, &values, &[-3.0]), MoveOutcome::Free);
            assert_eq!(try_move(&cell, &values, &[0.0]), MoveOutcome::Free);
        }
        assert_eq!(try_move(&cell, &[0.0], &[0.7 - 1e-6]), MoveOutcome::Free);
    }

    #[test]
    fn a_move_ends_before_its_clearance_is_violated() {
        let robot = cart_on_rail(vec![brick([0.2; 3], at(0.0, 0.0, 0.0))]);
        let mut definition = cell(robot, vec![cube("wall", 1.0, still(1.3, 0.0, 0.0))]);
        definition.clearance = 0.05;
        let cell = RobotCell::new(definition).unwrap();
        // Into the wall, and only near it.
        for end in [2.0, 0.68] {
            let MoveOutcome::Refused { free, values, .. } = try_move(&cell, &[0.0], &[end]) else {
                panic!("free")
            };
            assert!((free * end - 0.65).abs() < 1e-6 && free * end < 0.65, "{free}");
            assert_eq!(try_move(&cell, &values, &[-1.0]), MoveOutcome::Free);
        }
        assert_eq!(try_move(&cell, &[0.0], &[0.65 - 1e-6]), MoveOutcome::Free);
    }

    #[test]
    fn followers_move_along_and_the_world_moves_for_a_second() {
        let mut robot = planar(3);
        robot.joints[0].axis = None;
        robot.joints[2].mimic = Some(Mimic { joint: 1, multiplier: -1.0, offset: 0.25 });
        let wall = cube("wall", 1.0, still(4.0, 1.4, 0.0));
        let cell = RobotCell::new(cell(robot, vec![wall])).unwrap();
        let MoveOutcome::Refused { values, free, .. } = try_move(&cell, &[7.0, 0.0, 8.0], &[9.0, 1.5, 9.0])
        else {
            panic!("free")
        };
        // The value of a fixed joint stays as given; the value of a follower follows.
        let turned = 1.5 * free;
        assert_eq!(values[0], 7.0);
        assert!((values[1] - turned).abs() < 1e-15 && (values[2] - (0.25 - turned)).abs() < 1e-15);
        assert_eq!(try_move(&cell, &values, &[0.0; 3]), MoveOutcome::Free);

        // A moving body hits a robot at rest.
        let from = BodyMotion::Keyframes(vec![(0.0, at(0.5, 3.0, 0.0)), (0.5, at(0.5, 0.0, 0.0))]);
        let mut definition = cell.definition().clone();
        definition.world = vec![cube("visitor", 0.9, from)];
        let cell = RobotCell::new(definition).unwrap();
        let MoveOutcome::Refused { free, .. } = try_move(&cell, &[0.0; 3], &[0.0; 3]) else { panic!("free") };
        let expected = 0.5 * (3.0 - 0.5) / 3.0;
        assert!((free - expected).abs() < 1e-6, "{free}");
        let after = cell.with_static_world(0.2).unwrap();
        assert_eq!(try_move(&after, &[0.0; 3], &[0.0, 0.1, 0.0]), MoveOutcome::Free);
    }

    #[test]
    fn invalid_moves_are_errors() {
        let mut robot = planar(2);
        robot.joints[0].limits = Some([-1.0, 1.0]);
        robot.joints[1] = joint("end", [1, 2], None);
        let cell = RobotCell::new(cell(robot, vec![cube("wall", 1.0, still(1.0, 1.0, 0.0))])).unwrap();
        let error = |from: &[f64], to: &[f64]| {
            cell.try_move([from, to], &CheckOptions::default(), &()).unwrap_err().to_string()
        };
        // The second joint is fixed, but a value for it is required nevertheless.
        assert_eq!(error(&[0.0], &[1.0]), "values of a move: found 1, expected one value a joint");
        assert_eq!(error(&[0.0; 2], &[1.0; 3]), "values of a move: found 3, expected one value a joint");
        let limits = "expected a value within its limits, -1 to 1";
        assert_eq!(error(&[0.0; 2], &[1.5, 0.0]), format!("joint \"j1\" at waypoint 1: found 1.5, {limits}"));
        assert_eq!(error(&[-2.0, 0.0], &[0.0; 2]), format!("joint \"j1\" at waypoint 0: found -2, {limits}"));
        assert_eq!(
            error(&[0.0; 2], &[f64::NAN, 0.0]),
            "joint \"j1\" at waypoint 1: found NaN, expected a finite number"
        );
    }
}
