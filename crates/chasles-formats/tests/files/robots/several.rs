//! Several robots as one, and their paths as one path.

use std::path::Path;

use chasles::{Robot, RobotDefinition};
use chasles_formats::robot::joint_path::{self, PathFile, PathOptions, combine, resolve};
use chasles_formats::robot::named_configurations::find;
use chasles_formats::robot::several::{are_robots, read};
use chasles_formats::robot::urdf::{self, RobotFile, UrdfOptions};
use chasles_testing::Random;

/// A post with a rotating arm, and a hand on it that follows the rotation.
const ARM: &str = "<robot name='arm'>
    <link name='post'/><link name='hand'/><link name='arm'/>
    <joint name='grip' type='continuous'><origin xyz='1 0 0'/><parent link='arm'/><child link='hand'/><axis xyz='0 1 0'/>
        <mimic joint='turn' multiplier='2'/></joint>
    <joint name='turn' type='revolute'><origin xyz='0 0 1'/><parent link='post'/><child link='arm'/><axis xyz='0 0 1'/>
        <limit lower='-3' upper='3' velocity='1'/></joint></robot>";
const SRDF: &str = "<robot name='arm'><disable_collisions link1='post' link2='hand'/>
    <group_state name='home' group='g'><joint name='turn' value='1'/></group_state></robot>";
const ROBOTS: &str = "format = 1\n[[robot]]\nname = 'left'\nurdf = 'arm.urdf'\nsrdf = 'arm.srdf'\n\
                      base = { position = [1, 2, 3], rotation = [0.8, 0, 0, 0.6] }\n[[robot]]\nname = 'right'\nurdf = 'arm.urdf'\n";

fn folder(robots: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("arm.urdf", ARM), ("arm.srdf", SRDF), ("robots.toml", robots)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn both() -> [RobotFile; 2] {
    let folder = folder(ROBOTS);
    let file = folder.path().join("robots.toml");
    assert!(
        are_robots(&file)
            && !are_robots(&folder.path().join("arm.urdf"))
            && !are_robots(Path::new("gone.toml"))
    );
    let options = UrdfOptions::default();
    [read(&file, &options).unwrap(), urdf::read(&folder.path().join("arm.urdf"), &options).unwrap()]
}

#[test]
fn each_robot_has_the_poses_that_it_has_alone() {
    let [whole, one] = both();
    let RobotDefinition { links, disabled, .. } = &whole.definition;
    let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(
        names,
        ["robots", "left/post", "left/hand", "left/arm", "right/post", "right/hand", "right/arm"]
    );
    // Only the pair of the left robot, which has the SRDF.
    assert_eq!(disabled, &[[1, 2]]);
    let across = |a: usize, b: usize| a.min(b) < 4 && a.max(b) >= 4 && a.min(b) > 0;
    let joined = |pair: [usize; 2]| across(pair[0], pair[1]);
    assert!(!whole.definition.joints.iter().any(|joint| joined([joint.parent, joint.child])));
    assert_eq!(
        (whole.configurations[0].full_name().as_str(), whole.configurations.len()),
        ("left/g/home", 1)
    );
    assert_eq!(whole.files.len(), 4);
    let whole_robot = Robot::new(whole.definition.clone()).unwrap();
    for name in ["home", "left/home", "left/g/home"] {
        let found = find(name, &whole.configurations, (&whole_robot, &whole_robot.rest())).unwrap();
        assert_eq!(
            (found.values[whole.joint("left/turn").unwrap()], found.warnings.len()),
            (1.0, 0),
            "{name}"
        );
    }
    assert!(find("lef/home", &whole.configurations, (&whole_robot, &whole_robot.rest())).is_err());
    let (robot, alone) = (Robot::new(whole.definition.clone()).unwrap(), Robot::new(one.definition).unwrap());
    let base = robot.joints()[whole.joint("left").unwrap()].origin;
    let mut random = Random(3);
    for _ in 0..100 {
        let turns = [2.0 * random.side(), 2.0 * random.side()];
        let mut values = robot.rest();
        for (name, value) in ["left/turn", "right/turn"].into_iter().zip(turns) {
            values[whole.joint(name).unwrap()] = value;
        }
        robot.complete(&mut values);
        let poses = robot.link_poses(&values);
        for (first, turn, base) in [(1, turns[0], base), (4, turns[1], chasles::Pose::IDENTITY)] {
            let mut own = vec![0.0, turn];
            alone.complete(&mut own);
            for (link, pose) in alone.link_poses(&own).iter().enumerate() {
                let (found, expected) = (poses[first + link], base.compose(pose));
                assert!(found.position().distance(expected.position()) < 1e-14);
                assert!(found.rotation().dot(expected.rotation()).abs() > 1.0 - 1e-14);
            }
        }
    }
}

#[test]
fn files_without_robots_are_errors() {
    let message = |robots: &str| {
        let folder = folder(robots);
        let error = read(&folder.path().join("robots.toml"), &UrdfOptions::default()).unwrap_err();
        error.to_string().replace(&format!("{}/", folder.path().display()), "")
    };
    for (robots, expected) in [
        ("[[robot]]\nname = 'a'\nurdf = 'arm.urdf'\n", "robots.toml: format: "),
        (
            "format = 2\n[[robot]]\nname = 'a'\nurdf = 'arm.urdf'\n",
            "robots.toml:1: format: found 2, expected 1",
        ),
        (
            "format = 1\n[[robot]]\nurdf = 'arm.urdf'\n",
            "robots.toml:2: robot[0].name: the key is missing, expected the name of the robot",
        ),
        (
            "format = 1\n[[robot]]\nname = 'a/b'\nurdf = 'arm.urdf'\n",
            "robots.toml:3: robot[0].name: found \"a/b\", expected a name without /",
        ),
        ("format = 1\n[[robot]]\nname = 'a'\nurdf = 'gone.urdf'\n", "gone.urdf: "),
        (
            "format = 1\n[[robot]]\nname = 'a'\nurdf = 'arm.urdf'\nspeed = 2\n",
            "robots.toml:5: robot[0].speed: found an unknown key",
        ),
        (
            &ROBOTS.replace("right", "left"),
            "robots.toml:7: robot[1]: found the name \"left\" twice, expected it once",
        ),
    ] {
        let found = message(robots);
        assert!(found.starts_with(expected), "{found}");
    }
}

fn path(text: &str, name: &str) -> PathFile {
    joint_path::parse(text.as_bytes(), Path::new(name), PathOptions::default()).unwrap()
}

/// Random waypoints, joined uniformly or by cubics that rest at both ends.
fn random_path(random: &mut Random, cubic: bool) -> PathFile {
    let mut time = random.side();
    let mut text = String::from("joint_names: [turn]\npoints:\n");
    let count = 2 + random.below(4);
    for number in 0..count {
        time += [0.25, 0.5, random.unit() + 0.01][random.below(3)];
        let velocity = if number == 0 || number + 1 == count { 0.0 } else { random.side() };
        let velocities = if cubic { format!("velocities: [{velocity:?}], ") } else { String::new() };
        text += &format!("- {{positions: [{:?}], {velocities}time_from_start: {time:?}}}\n", random.side());
    }
    path(&text, "p.yaml")
}

/// Both robots follow their own paths at each time, and rest at the ends: compared by dense samples.
#[test]
fn combined_paths_move_as_each_path_alone() {
    let [whole, one] = both();
    let mut random = Random(8);
    for seed in 0..chasles_testing::cases(150, 500) {
        let cubic = random.below(2) == 0;
        let own = [random_path(&mut random, cubic), random_path(&mut random, cubic)];
        let named = [("left".to_owned(), own[0].clone()), ("right".to_owned(), own[1].clone())];
        let all = combine(&named, "both").unwrap();
        assert_eq!(all.joints, ["left/turn", "right/turn"]);
        let merged = resolve(&all, &whole.definition).unwrap();
        merged.check(&Robot::new(whole.definition.clone()).unwrap()).unwrap();
        let alone = own.map(|own| resolve(&own, &one.definition).unwrap());
        let [start, end] = merged.interval();
        assert_eq!(start, alone[0].interval()[0].min(alone[1].interval()[0]));
        assert_eq!(end, alone[0].interval()[1].max(alone[1].interval()[1]));
        for step in 0..=1000 {
            let time = start + (end - start) * f64::from(step) / 1000.0;
            let found = merged.positions_at(time.min(end));
            for (found, own) in found.iter().zip(&alone) {
                let [from, to] = own.interval();
                let expected = own.positions_at(time.clamp(from, to))[0];
                assert!((found - expected).abs() < 1e-13, "{seed} at {time}: {found} {expected}");
            }
        }
    }
}

#[test]
fn paths_that_cannot_be_combined_are_errors() {
    let even = path("time,turn\n0,0\n2,1\n", "e.csv");
    let cubic = |velocity: &str, end: &str| {
        let text = format!(
            "joint_names: [turn]\npoints:\n- {{positions: [0], velocities: [{velocity}], time_from_start: 0}}\n\
             - {{positions: [0], velocities: [0], time_from_start: {end}}}\n"
        );
        path(&text, "c.yaml")
    };
    let message = |a: &PathFile, b: &PathFile, right: &str| {
        combine(&[("left".into(), a.clone()), (right.into(), b.clone())], "both").unwrap_err().to_string()
    };
    assert_eq!(message(&even, &even, "left"), "e.csv: a second path of the robot \"left\", expected one");
    let some = "c.yaml: found velocities at some waypoints of the paths that robots follow together, expected them at all or none";
    assert_eq!(message(&even, &cubic("0", "1"), "right"), some);
    let mut late = cubic("1", "1");
    late.waypoints.iter_mut().for_each(|waypoint| waypoint.time += 0.5);
    let ends = "c.yaml:3: points[0]: found a velocity at the start or end of the path, expected 0: \
                another robot still moves";
    assert_eq!(message(&cubic("0", "1"), &late, "right"), ends);
    assert!(combine(&[("left".into(), cubic("1", "2")), ("right".into(), cubic("1", "2"))], "both").is_ok());
}
