//! The scene of a robot on a path: links, the parts of their surfaces and the world as bodies of a [`Scene`].

use crate::error::Error;
use crate::robot::path::JointPath;
use crate::robot::tested_pairs::{WORLD, is_testable};
use crate::robot::{CellDefinition, RobotCell, WorldBody};
use crate::scene::{BodyMotion, PairSide, Scene, SceneBody, SceneDefinition};

/// The scene of a robot on a path. Each link is the body with its own number, without a surface. The parts of the
/// links' surfaces follow, each with its link as parent, and then the world.
#[derive(Debug, Clone, PartialEq)]
pub struct PathScene {
    /// The scene; its time 0 is the start of the path.
    pub scene: Scene,
    /// For each body of the scene, in order, the link or body of the world that it belongs to.
    pub owners: Vec<usize>,
}

/// The scene of a checked path.
pub(crate) fn scene_on(cell: &RobotCell, path: &JointPath) -> Result<PathScene, Error> {
    let CellDefinition { robot, base, world, .. } = &cell.definition;
    let [start, end] = path.interval();
    let curves = path.curves(robot);
    let links = robot.links().len();
    let (mut bodies, mut owners, mut resting) = (Vec::new(), Vec::new(), Vec::new());
    for (number, link) in robot.links().iter().enumerate() {
        let (motion, parent) = match robot.joint_above(number) {
            Some(joint) => {
                let above = &robot.joints()[joint];
                if above.axis.is_some() {
                    resting.push(number);
                }
                (above.motion(curves[joint].clone()), Some(above.parent))
            }
            None => (BodyMotion::Still(*base), None),
        };
        let name = link.name.clone();
        bodies.push(SceneBody { name, shape: None, motion, parent, group: None, solid: false });
        owners.push(number);
    }
    for (number, link) in robot.links().iter().enumerate() {
        for element in &link.elements {
            let (shape, motion) = (element.shape.clone(), BodyMotion::Still(element.pose));
            let body = SceneBody::new(&link.name, Some(shape), motion);
            bodies.push(SceneBody { parent: Some(number), solid: element.solid, ..body });
            owners.push(number);
        }
    }
    let first_world = bodies.len();
    for (number, WorldBody { body, link }) in world.iter().enumerate() {
        let parent = body.parent.map(|parent| first_world + parent).or(*link);
        let motion = match &body.motion {
            BodyMotion::Still(pose) => BodyMotion::Still(*pose),
            moving => BodyMotion::During {
                start: -start,
                duration: cell.definition.world_duration,
                motion: Box::new(moving.clone()),
            },
        };
        let group = (!cell.is_on_robot[links + number]).then(|| WORLD.to_owned());
        bodies.push(SceneBody { parent, motion, group, ..body.clone() });
        owners.push(links + number);
    }
    let ignore = exempt_pairs_of_parts(cell, &owners);
    let mut scene = Scene::new(SceneDefinition {
        duration: end - start,
        tolerance: cell.definition.tolerance,
        clearance: cell.definition.clearance,
        bodies,
        ignore,
    })?
    .with_resting(&resting);
    if let Some(epsilon) = cell.epsilon {
        scene = scene.with_epsilon(epsilon)?;
    }
    let mut clearances = Vec::new();
    for (pair, clearance) in &cell.definition.clearances {
        for a in (0..owners.len()).filter(|a| owners[*a] == pair[0]) {
            for b in (0..owners.len()).filter(|b| owners[*b] == pair[1]) {
                clearances.push(([a, b], *clearance));
            }
        }
    }
    Ok(PathScene { scene: scene.with_clearances(&clearances)?, owners })
}

/// Exempt pairs of bodies of a path's scene.
fn exempt_pairs_of_parts(cell: &RobotCell, owners: &[usize]) -> Vec<[PairSide; 2]> {
    let links = cell.robot().links().len();
    let mut ignore = Vec::new();
    for pair in &cell.definition.ignore {
        let bodies = pair.map(|side| match side {
            PairSide::Every => vec![PairSide::Every],
            PairSide::Body(owner) => {
                (0..owners.len()).filter(|body| owners[*body] == owner).map(PairSide::Body).collect()
            }
        });
        for a in &bodies[0] {
            ignore.extend(bodies[1].iter().map(|b| [*a, *b]));
        }
    }
    for a in 0..owners.len() {
        for b in a + 1..owners.len() {
            let (x, y) = (owners[a], owners[b]);
            // Bodies of the world that no link carries are in one group, so their pairs are exempt already.
            let neither_is_on_robot =
                x >= links && y >= links && !cell.is_on_robot[x] && !cell.is_on_robot[y];
            if !neither_is_on_robot && !is_testable(cell, x, y) {
                ignore.push([PairSide::Body(a), PairSide::Body(b)]);
            }
        }
    }
    ignore
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::arms::{arm_with_tool, at, cell, cube, path, planar, still};
    use crate::scene::report::{CheckOptions, PairVerdict};

    #[test]
    fn an_attached_body_moves_with_its_link() {
        // The tool reaches 0.35 above the last link: a quarter turn of the first joint moves the tool sideways.
        let mut definition = arm_with_tool();
        definition.world[0] = cube("block", 0.2, still(1.0 - 0.3, 2.95, 0.0));
        let cell = RobotCell::new(definition.clone()).unwrap();
        let turning = path(&[0], &[&[0.0, 0.0], &[1.0, std::f64::consts::FRAC_PI_2]]);
        let found = cell.check_path(&turning, &CheckOptions::default(), &()).unwrap().report;
        assert_eq!(found.pairs.iter().map(|pair| pair.bodies).collect::<Vec<_>>(), [[4, 5]]);
        definition.world[1].link = Some(1);
        let cell = RobotCell::new(definition).unwrap();
        assert_eq!(
            cell.check_path(&turning, &CheckOptions::default(), &()).unwrap().report.verdict,
            PairVerdict::Clear
        );
    }

    #[test]
    fn the_base_carries_the_robot_and_not_the_world() {
        let mut definition = cell(planar(1), vec![cube("block", 0.2, still(1.0, 0.5, 0.0))]);
        let turning = path(&[0], &[&[0.0, 0.0], &[1.0, 3.0]]);
        let verdict = |definition: &CellDefinition| {
            let cell = RobotCell::new(definition.clone()).unwrap();
            cell.check_path(&turning, &CheckOptions::default(), &()).unwrap().report.verdict
        };
        assert_eq!(verdict(&definition), PairVerdict::Contact);
        definition.base = at(0.0, -2.0, 0.0);
        assert_eq!(verdict(&definition), PairVerdict::Clear);
        definition.world[0].body.motion = still(1.0, -1.5, 0.0);
        assert_eq!(verdict(&definition), PairVerdict::Contact);
    }

    #[test]
    fn the_world_moves_in_the_time_of_the_path() {
        // A door that closes between 1 s and 2 s: a path at 0 s is free, one at 5 s is not, and one that starts at -1
        // s touches the door late.
        let closes = BodyMotion::Keyframes(vec![(1.0, at(1.5, 9.0, 0.0)), (2.0, at(1.5, 0.0, 0.0))]);
        let mut definition = cell(planar(1), vec![cube("door", 0.2, closes)]);
        definition.world_duration = 2.0;
        let cell = RobotCell::new(definition).unwrap();
        let check = |start: f64, duration: f64| {
            let turning = path(&[0], &[&[start, 0.5], &[start + duration, 1.0]]);
            cell.check_path(&turning, &CheckOptions::default(), &()).unwrap()
        };
        assert_eq!(check(0.0, 1.0).report.verdict, PairVerdict::Clear);
        assert_eq!(check(-7.0, 8.0).report.verdict, PairVerdict::Clear);
        // Behind the closed door the bar starts on its own side and does not touch it.
        assert_eq!(check(5.0, 1.0).report.verdict, PairVerdict::Clear);
        let swept = check(-1.0, 3.0);
        let [pair] = &swept.report.pairs[..] else { panic!("{:?}", swept.report) };
        let enter = pair.intervals[0].enter;
        // The angle is 0.5 + t / 6 with t from -1 s; the bar's end is at (1 + 0.9 cos, 0.9 sin): they touch while the
        // door passes the bar's height.
        assert!(enter[0] > 1.8 && enter[1] < 2.0 && enter[1] - enter[0] < 1e-4, "{enter:?}");
    }
}
