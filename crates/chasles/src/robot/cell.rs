//! A robot in its cell: its base, and the bodies around it and attached to its links.

use crate::error::{Error, ErrorKind, check_not_negative, check_positive};
use crate::motion::Pose;
use crate::robot::Robot;
use crate::robot::RobotCell;
use crate::robot::definition::AdjacentLinks;
use crate::scene::{BodyMotion, PairSide, SceneBody};

/// A body of the world around a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldBody {
    /// The body; its parent is another body of the world, by its index in the world.
    pub body: SceneBody,
    /// The number of the link that the body is attached to: it moves with the link, and is tested against the rest of
    /// the world as well.
    pub link: Option<usize>,
}

/// The definition of a [`RobotCell`]. Bodies are numbered: links first, then the bodies of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct CellDefinition {
    /// The robot.
    pub robot: Robot,
    /// The pose of the root link in the world.
    pub base: Pose,
    /// The bodies around the robot.
    pub world: Vec<WorldBody>,
    /// Duration of the world's motions, in seconds from time 0 of the paths; before and after, the bodies keep their
    /// first and last poses.
    pub world_duration: f64,
    /// Exempt pairs, in either order, besides those of the robot itself.
    pub ignore: Vec<[PairSide; 2]>,
    /// As [`SceneDefinition::tolerance`](crate::SceneDefinition::tolerance).
    pub tolerance: Option<f64>,
    /// As [`SceneDefinition::clearance`](crate::SceneDefinition::clearance).
    pub clearance: f64,
    /// Pairs of bodies with their own clearance, in metres, in either order; if a pair occurs more than once, the
    /// last entry counts.
    pub clearances: Vec<([usize; 2], f64)>,
}

/// See [`RobotCell::new`].
pub(super) fn checked(definition: CellDefinition) -> Result<RobotCell, Error> {
    let links = definition.robot.links().len();
    let count = links + definition.world.len();
    let CellDefinition { world_duration, tolerance, clearance, .. } = definition;
    check_positive(world_duration, "duration of the world")?;
    for (value, place) in [(tolerance.unwrap_or(0.0), "tolerance"), (clearance, "clearance")] {
        check_not_negative(value, place)?;
    }
    let deforms =
        |body: &SceneBody| body.shape.as_ref().is_some_and(|shape| shape.deforming_surface().is_some());
    if let Some(WorldBody { body, .. }) = definition.world.iter().find(|other| deforms(&other.body)) {
        let what = "a body that deforms beside a robot is";
        return Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", body.name)));
    }
    let mut is_on_robot: Vec<bool> = (0..count).map(|body| body < links).collect();
    for (number, WorldBody { body, link }) in definition.world.iter().enumerate() {
        if let Some(link) = link.filter(|link| *link >= links || body.parent.is_some()) {
            let place = format!("link of body {:?}", body.name);
            return Error::out_of_range(link as f64, "the number of a link, or a parent", place);
        }
        is_on_robot[links + number] = link.is_some();
    }
    if let Some(PairSide::Body(body)) =
        definition.ignore.iter().flatten().find(|side| matches!(side, PairSide::Body(body) if *body >= count))
    {
        return Error::out_of_range(*body as f64, "the number of a body", "ignored pair");
    }
    for (pair, clearance) in &definition.clearances {
        if let Some(body) = pair.iter().find(|body| **body >= count) {
            return Error::out_of_range(*body as f64, "the number of a body", "clearance");
        }
        check_not_negative(*clearance, "clearance")?;
    }
    let mut cell = RobotCell { epsilon: None, is_on_robot, exempt: exempt_pairs(&definition), definition };
    // Checking the world alone finds its own faults, and proves that parents form a tree.
    cell.world_alone()?;
    for start in 0..cell.definition.world.len() {
        let mut top = start;
        while let Some(parent) = cell.definition.world[top].body.parent {
            top = parent;
        }
        cell.is_on_robot[links + start] = cell.is_on_robot[links + top];
    }
    Ok(cell)
}

/// Pairs that are never tested, lower number first, sorted: disabled or adjacent links, and a link with a body
/// attached to it, which counts as adjacent.
fn exempt_pairs(cell: &CellDefinition) -> Vec<[usize; 2]> {
    let (robot, definition) = (&cell.robot, cell.robot.definition());
    let adjacent: Vec<[usize; 2]> = match definition.adjacent {
        AdjacentLinks::Skipped => {
            let still = |world: &&WorldBody| matches!(world.body.motion, BodyMotion::Still(_));
            let attached = (robot.links().len()..).zip(&cell.world).filter(|(_, world)| still(world));
            let attached = attached.filter_map(|(number, world)| Some([world.link?, number]));
            robot.joints().iter().map(|joint| [joint.parent, joint.child]).chain(attached).collect()
        }
        AdjacentLinks::Tested => Vec::new(),
    };
    let mut pairs: Vec<[usize; 2]> =
        definition.disabled.iter().chain(&adjacent).map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::robot::arms::{at, cell, cube, path, planar, still};
    use crate::scene::report::{CheckOptions, PairVerdict};

    #[track_caller]
    fn refused(change: impl Fn(&mut CellDefinition), message: &str) {
        let mut definition =
            cell(planar(2), vec![cube("a", 1.0, still(9.0, 0.0, 0.0)), cube("b", 1.0, still(0.0, 9.0, 0.0))]);
        change(&mut definition);
        assert_eq!(RobotCell::new(definition).unwrap_err().to_string(), message);
    }

    #[test]
    fn invalid_definitions_are_refused() {
        refused(
            |c| c.world[1].link = Some(3),
            "link of body \"b\": found 3, expected the number of a link, or a parent",
        );
        let both = |c: &mut CellDefinition| (c.world[1].link, c.world[1].body.parent) = (Some(1), Some(0));
        refused(both, "link of body \"b\": found 1, expected the number of a link, or a parent");
        refused(
            |c| c.ignore = vec![[PairSide::Every, PairSide::Body(5)]],
            "ignored pair: found 5, expected the number of a body",
        );
        refused(|c| c.clearances = vec![([5, 0], 0.1)], "clearance: found 5, expected the number of a body");
        let number = "expected a finite number, not negative";
        refused(|c| c.clearances = vec![([1, 0], -0.1)], &format!("clearance: found -0.1, {number}"));
        refused(|c| c.clearances = vec![([1, 0], f64::NAN)], &format!("clearance: found NaN, {number}"));
        // Errors of the world on its own.
        refused(
            |c| c.world[1].body.parent = Some(2),
            "parent of body \"b\": found 2, expected the number of a body",
        );
        refused(
            |c| c.world[1].body.parent = Some(1),
            "parent of body \"b\": found 1, expected parents that form no circle",
        );
        refused(
            |c| c.world[0].body.motion = BodyMotion::Keyframes(vec![]),
            "keyframes of body \"a\": found 0, expected at least one key",
        );
        let open = |c: &mut CellDefinition| (c.world[0].body.solid, c.world[0].body.shape) = (true, None);
        refused(
            open,
            "solid body \"a\": found a mesh that is not closed, expected every edge to have two triangles",
        );
        // With a world and without.
        for count in [0, 2] {
            let with = |change: fn(&mut CellDefinition)| {
                move |c: &mut CellDefinition| {
                    c.world.truncate(count);
                    change(c);
                }
            };
            refused(with(|c| c.clearance = -1.0), &format!("clearance: found -1, {number}"));
            refused(with(|c| c.tolerance = Some(f64::NAN)), &format!("tolerance: found NaN, {number}"));
            refused(
                with(|c| c.world_duration = 0.0),
                "duration of the world: found 0, expected a finite number greater than 0",
            );
        }
    }

    #[test]
    fn bodies_are_numbered_links_first() {
        let cell = cell(planar(1), vec![cube("a", 1.0, still(9.0, 0.0, 0.0))]);
        let cell = RobotCell::new(cell).unwrap();
        assert_eq!((cell.count(), cell.name(0), cell.name(1), cell.name(2)), (3, "l0", "l1", "a"));
    }

    #[test]
    fn a_static_world_has_the_poses_of_its_time() {
        // The block descends from 9 to 0.5 between 1 s and 3 s of 4, and the body on it rotates.
        let mut rider = cube(
            "rider",
            0.2,
            BodyMotion::Twist { start: at(1.0, 0.0, 0.0), linear: DVec3::ZERO, angular: DVec3::Z },
        );
        rider.body.parent = Some(0);
        let mut tool = cube(
            "tool",
            0.1,
            BodyMotion::Twist { start: at(0.5, 0.0, 0.0), linear: DVec3::Y, angular: DVec3::ZERO },
        );
        tool.link = Some(1);
        let comes = BodyMotion::Keyframes(vec![(1.0, at(1.5, 9.0, 0.0)), (3.0, at(1.5, 0.5, 0.0))]);
        let world = vec![cube("lift", 0.2, comes), rider, tool];
        let definition = CellDefinition { world_duration: 4.0, ..cell(planar(1), world) };
        let moving = RobotCell::new(definition).unwrap();
        for (time, lift, angle) in
            [(-5.0, 9.0, 0.0), (0.5, 9.0, 0.5), (2.0, 4.75, 2.0), (3.5, 0.5, 3.5), (99.0, 0.5, 4.0)]
        {
            let still_cell = moving.with_static_world(time).unwrap();
            let pose = |number: usize| match &still_cell.definition().world[number].body.motion {
                BodyMotion::Still(pose) => *pose,
                other => panic!("{other:?} moves"),
            };
            let [lifted, ridden, held] = [0, 1, 2].map(pose);
            assert!(lifted.position().distance(DVec3::new(1.5, lift, 0.0)) < 1e-14, "{time}");
            assert!(ridden.position().distance(DVec3::X) < 1e-15, "{time}");
            let turned = DVec3::new(f64::cos(angle), f64::sin(angle), 0.0);
            assert!(ridden.transform_vector(DVec3::X).distance(turned) < 1e-14, "{time}");
            assert!(held.position().distance(DVec3::new(0.5, angle, 0.0)) < 1e-14, "{time}");
            // Everything else is unchanged.
            let expected = CellDefinition {
                world: still_cell.definition().world.clone(),
                ..moving.definition().clone()
            };
            assert_eq!(still_cell.definition(), &expected);
        }
        let turning = path(&[0], &[&[0.0, 0.0], &[1.0, 1.0]]);
        let verdict = |cell: &RobotCell| {
            cell.check_path(&turning, &CheckOptions::default(), &()).unwrap().report.verdict
        };
        assert_eq!(verdict(&moving.with_static_world(0.0).unwrap()), PairVerdict::Clear);
        assert_eq!(verdict(&moving.with_static_world(4.0).unwrap()), PairVerdict::Contact);
        let error = moving.with_static_world(f64::NAN).unwrap_err().to_string();
        assert_eq!(error, "time: found NaN, expected a finite number");
        // A cell without a world is unchanged.
        let alone = RobotCell::new(cell(planar(1), vec![])).unwrap();
        assert_eq!(alone.with_static_world(1.0).unwrap(), alone);
    }
}
