//! The pairs of links and bodies of a cell that are tested, and their clearances.

use crate::robot::RobotCell;
use crate::scene::definition::PairSide;

/// The group of the bodies of the world that no link carries: they are not tested against each other.
pub(super) const WORLD: &str = "world";

/// Whether two links or bodies are not exempt from testing by the robot itself or by their group.
pub(super) fn is_testable(cell: &RobotCell, a: usize, b: usize) -> bool {
    let links = cell.robot().links().len();
    let pair = [a.min(b), a.max(b)];
    let world = |body: usize| body.checked_sub(links).map(|number| &cell.definition.world[number].body);
    let one_group = match [a, b].map(world) {
        [Some(x), Some(y)] => x.group.is_some() && x.group == y.group,
        _ => false,
    };
    a != b
        && (cell.is_on_robot[a] || cell.is_on_robot[b])
        && !one_group
        && cell.exempt.binary_search(&pair).is_err()
}

/// See [`RobotCell::is_tested`].
pub(super) fn is_tested(cell: &RobotCell, a: usize, b: usize) -> bool {
    let is = |side: &PairSide, body: usize| matches!(side, PairSide::Every) || *side == PairSide::Body(body);
    let ignored = |[x, y]: &[PairSide; 2]| is(x, a) && is(y, b) || is(x, b) && is(y, a);
    is_testable(cell, a, b) && !cell.definition.ignore.iter().any(ignored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::CellDefinition;
    use crate::robot::Robot;
    use crate::robot::arms::{arm_with_tool, at, brick, cell, cube, path, planar, still};
    use crate::robot::definition::{AdjacentLinks, RobotDefinition};
    use crate::scene::definition::BodyMotion;
    use crate::scene::pairing::{RestingPairs, StaticPairs};
    use crate::scene::report::{CheckOptions, PairListing, PairVerdict, SkippedPairs};

    /// The number of pairs that are tested on a path, and the listed pairs.
    fn tested(definition: CellDefinition, joints: &[usize]) -> (usize, Vec<[usize; 2]>) {
        let (mut from, mut to) = (vec![0.0], vec![1.0]);
        from.extend(joints.iter().map(|_| 0.0));
        to.extend(joints.iter().map(|_| 0.3));
        let (resting, statics) = (RestingPairs::Ignored, StaticPairs::Ignored);
        let options = CheckOptions { listed: PairListing::All, resting, statics, ..CheckOptions::default() };
        let cell = RobotCell::new(definition).unwrap();
        let found = cell.check_path(&path(joints, &[&from, &to]), &options, &()).unwrap();
        let pairs: Vec<[usize; 2]> = found.report.pairs.iter().map(|pair| pair.bodies).collect();
        assert_eq!(found.report.pairs_tested, pairs.len());
        // All other pairs that are not exempt are at rest or static.
        let untested = found.report.untested;
        for statics in [StaticPairs::Named, StaticPairs::Tested] {
            let options = CheckOptions { resting: RestingPairs::Tested, statics, ..options };
            let all = cell.check_path(&path(joints, &[&from, &to]), &options, &()).unwrap().report;
            let remaining = if statics == StaticPairs::Named { untested.statics } else { 0 };
            assert_eq!(all.pairs.len(), pairs.len() + untested.resting + untested.statics - remaining);
            assert_eq!(
                (all.pairs_tested, all.untested),
                (all.pairs.len(), SkippedPairs { resting: 0, statics: remaining, ..untested })
            );
        }
        (pairs.len(), pairs)
    }

    #[test]
    fn pairs_that_move_relative_to_each_other_are_tested() {
        // Bodies that the middle joint carries (2, 3, the tool) against all others (0, 1, the table), except for 1
        // and 2.
        let (count, pairs) = tested(arm_with_tool(), &[1]);
        assert_eq!(count, 8);
        assert_eq!(pairs, [[0, 2], [0, 3], [0, 5], [1, 3], [1, 5], [2, 4], [3, 4], [4, 5]]);
        // All joints: the table is static relative to the root, the tool relative to its link.
        let (count, pairs) = tested(arm_with_tool(), &[2, 0, 1]);
        assert_eq!(count, 10);
        assert_eq!(pairs, [[0, 2], [0, 3], [0, 5], [1, 3], [1, 4], [1, 5], [2, 4], [2, 5], [3, 4], [4, 5]]);
        assert_eq!(tested(arm_with_tool(), &[]).0, 0);
    }

    #[test]
    fn exempt_pairs_are_not_tested() {
        let robot = |change: fn(&mut RobotDefinition)| {
            let mut definition = planar(3);
            change(&mut definition);
            CellDefinition { robot: Robot::new(definition).unwrap(), ..arm_with_tool() }
        };
        let adjacent = robot(|r| r.adjacent = AdjacentLinks::Tested);
        assert_eq!(tested(adjacent.clone(), &[1]).0, 9);
        assert_eq!(tested(adjacent, &[0, 1, 2]).0, 13);
        // In either order; pairs that are adjacent anyway count once.
        let disabled = robot(|r| r.disabled = vec![[3, 0], [1, 2], [2, 1]]);
        assert_eq!(tested(disabled, &[0, 1, 2]).0, 9);
        let ignoring = |ignore| CellDefinition { ignore, ..arm_with_tool() };
        let all = [0, 1, 2];
        assert_eq!(tested(ignoring(vec![[PairSide::Body(5), PairSide::Body(0)]]), &all).0, 9);
        assert_eq!(tested(ignoring(vec![[PairSide::Body(4), PairSide::Every]]), &all).0, 6);
        assert_eq!(tested(ignoring(vec![[PairSide::Every, PairSide::Body(3)]]), &all).0, 7);
        assert_eq!(tested(ignoring(vec![[PairSide::Every, PairSide::Every]]), &all).0, 0);
        // A group contains only bodies of the world: they are still tested against links.
        let mut grouped = arm_with_tool();
        grouped.world.iter_mut().for_each(|body| body.body.group = Some("g".into()));
        assert_eq!(tested(grouped, &all).0, 9);
        let mut named = arm_with_tool();
        named.world[1].body.group = Some("world".into());
        assert_eq!(tested(named, &all).0, 10);
    }

    #[test]
    fn an_attached_body_is_tested_except_against_its_own_link() {
        // A body attached to the tool is carried by the link.
        let mut definition = arm_with_tool();
        let mut tip = cube("tip", 0.1, still(0.2, 0.0, 0.0));
        tip.body.parent = Some(1);
        definition.world.push(tip);
        let (count, pairs) = tested(definition.clone(), &[0, 1, 2]);
        assert_eq!(count, 10 + 4);
        assert!(!pairs.contains(&[3, 6]) && !pairs.contains(&[5, 6]) && pairs.contains(&[4, 6]));
        // A body that moves on its link is tested against the link, and against the other bodies on it.
        let open = BodyMotion::Keyframes(vec![(0.0, at(0.2, 0.0, 0.0)), (0.5, at(0.3, 0.0, 0.0))]);
        definition.world[2].body.motion = open.clone();
        let (count, pairs) = tested(definition.clone(), &[0, 1, 2]);
        assert_eq!(count, 10 + 6);
        assert!(pairs.contains(&[3, 6]) && pairs.contains(&[5, 6]));
        // Also if the robot does not move.
        assert_eq!(tested(definition, &[]).1, [[0, 6], [1, 6], [2, 6], [3, 6], [4, 6], [5, 6]]);
        // Bodies of the world that no link carries are never tested against each other, whatever their groups.
        let mut moving = arm_with_tool();
        moving.world[0].body.motion = open;
        moving.world[0].body.group = Some("own".into());
        moving.world.push(cube("floor", 1.0, still(0.0, 0.0, -5.0)));
        assert_eq!(tested(moving, &[]).1, [[0, 4], [1, 4], [2, 4], [3, 4], [4, 5]]);
    }

    #[test]
    fn skipped_pairs_are_counted_by_the_reason() {
        let counts = |definition: CellDefinition, joints: &[usize]| {
            let cell = RobotCell::new(definition).unwrap();
            let rows: Vec<Vec<f64>> =
                [0.0, 1.0].iter().map(|t| [&[*t][..], &vec![*t; joints.len()]].concat()).collect();
            let path = path(joints, &[&rows[0], &rows[1]]);
            let found = cell.check_path(&path, &CheckOptions::default(), &()).unwrap().report;
            (found.pairs_tested, found.untested.at_rest(), found.untested.exempt)
        };
        // There are 15 pairs. Three pairs of links are adjacent, and so are the tool and its link. The base and the
        // table can never move.
        assert_eq!(counts(arm_with_tool(), &[0, 1, 2]), (10, 1, 4));
        assert_eq!(counts(arm_with_tool(), &[1]), (10, 1, 4));
        assert_eq!(counts(arm_with_tool(), &[]), (10, 1, 4));
        let mut definition = arm_with_tool();
        definition.ignore = vec![[PairSide::Body(4), PairSide::Every]];
        assert_eq!(counts(definition.clone(), &[0, 1, 2]), (6, 0, 9));
        // Two static bodies of the world are no pair of the robot.
        definition.world.push(cube("floor", 1.0, still(0.0, 0.0, -5.0)));
        assert_eq!(counts(definition, &[0, 1, 2]), (10, 1, 9));
    }

    #[test]
    fn links_that_overlap_at_rest_are_found_unless_they_are_ignored() {
        // The last link is folded back onto the first, both before the only joint that moves.
        let mut robot = planar(3);
        robot.joints[2].origin = at(-0.9, 0.05, 0.03);
        let cell = RobotCell::new(cell(robot, vec![])).unwrap();
        let turning = path(&[0], &[&[0.0, 0.0], &[1.0, 0.5]]);
        let verdict = |resting| {
            let options = CheckOptions { resting, ..CheckOptions::default() };
            let report = cell.check_path(&turning, &options, &()).unwrap().report;
            (report.verdict, report.pairs.iter().map(|pair| pair.bodies).collect::<Vec<_>>())
        };
        assert_eq!(verdict(RestingPairs::Ignored), (PairVerdict::Clear, vec![]));
        assert_eq!(verdict(RestingPairs::Tested), (PairVerdict::Overlapping, vec![[1, 3]]));
    }

    #[test]
    fn a_link_of_several_parts_is_one_body() {
        let mut robot = planar(2);
        robot.links.iter_mut().for_each(|link| {
            link.elements.push(brick([0.1, 0.1, 0.3], at(0.5, 0.0, 0.0)));
            link.elements.push(brick([0.1, 0.3, 0.1], at(0.3, 0.0, 0.0)));
        });
        let block = cube("block", 0.2, still(2.3, 0.5, 0.0));
        let (count, pairs) = tested(cell(robot, vec![block]), &[0, 1]);
        assert_eq!((count, pairs), (3, vec![[0, 2], [1, 3], [2, 3]]));
    }
}
