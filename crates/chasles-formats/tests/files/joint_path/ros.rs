//! Trajectories of ROS.

use chasles_formats::robot::joint_path::{Accelerations, PathOptions, parse};
use chasles_testing::Random;

use super::read;

/// As printed by `ros2 topic echo`.
const ECHO: &str = "header:
  stamp:
    sec: 0
    nanosec: 0
  frame_id: ''
joint_names:
- shoulder
- elbow
points:
- positions:
  - 0.0
  - 1.0e-01
  velocities:
  - 0.0
  - 0.5
  accelerations: []
  effort: []
  time_from_start:
    sec: 0
    nanosec: 0
- positions:
  - 1
  - -0.25
  velocities: []
  accelerations: []
  effort: []
  time_from_start:
    sec: 2
    nanosec: 500000000
---
";

/// The same as a goal of an action in ROS 1, in JSON.
const GOAL: &str = r#"{"header": {"seq": 1}, "goal": {
  "trajectory": {"joint_names": ["shoulder", "elbow"], "points": [
    {"positions": [0.0, 0.1], "velocities": [0, 0.5], "time_from_start": {"secs": 0, "nsecs": 0}},
    {"positions": [1, -0.25], "time_from_start": {"secs": 2, "nsecs": 500000000}}]},
  "path_tolerance": [], "goal_time_tolerance": {"secs": 1, "nsecs": 0}}}"#;

#[test]
fn equivalent_messages_read_equal() {
    let indented = |key: &str| {
        let lines = ECHO.trim_end_matches("---\n").lines().map(|line| format!("  {line}\n"));
        format!("{key}:\n{}", lines.collect::<String>())
    };
    let robot = format!(
        "multi_dof_joint_trajectory:\n  header: {{}}\n  joint_names: []\n  points: []\n{}",
        indented("joint_trajectory")
    );
    let plain = "joint_names: [shoulder, elbow]\npoints: [{positions: [0, 0.1], velocities: [0, .5], time_from_start: 0}, \
                 {positions: [1, -0.25], time_from_start: 2.5}]\n";
    let files = [
        (ECHO, "p.yaml"),
        (&indented("trajectory"), "p.yml"),
        (&robot, "p.YAML"),
        (plain, "p.yaml"),
        (GOAL, "p.json"),
        (&GOAL.replace('\n', ""), "p.json"),
        (&GOAL.replace("  ", "\t"), "p.json"),
        (&format!("\u{feff}{}", GOAL.replace('\n', "\r\n")), "p.json"),
    ];
    for (text, file) in files {
        let path = read(text, file).unwrap_or_else(|error| panic!("{error} in {text}"));
        assert_eq!(path.joints, ["shoulder", "elbow"]);
        assert_eq!(super::numbers(&path), (vec![0.0, 2.5], vec![0.0, 0.1, 1.0, -0.25]), "{text}");
        assert_eq!(path.waypoints[0].velocities, [0.0, 0.5]);
        assert!(path.waypoints[1].velocities.is_empty());
        assert_eq!(path.waypoints[1].segment, 1);
    }
}

#[test]
fn invalid_input_is_an_error_with_key() {
    let cases = [
        (
            "elbow\npoints",
            "shoulder\npoints",
            "p.yaml:7: joint_names: found the joint \"shoulder\" twice, expected it once",
        ),
        ("- elbow", "- 7", "p.yaml:8: joint_names[1]: found 7, expected the name of a joint"),
        (
            "- elbow\n",
            "",
            "p.yaml:10: points[0].positions: found a list of length 2, expected a list of 1 finite numbers, one a joint",
        ),
        (
            "  - 0.5\n",
            "",
            "p.yaml:14: points[0].velocities: found a list of length 1, expected a list of 2 finite numbers, one a joint",
        ),
        ("-0.25", ".nan", "p.yaml:23: points[1].positions[1]: found NaN, expected a finite number"),
        ("-0.25", "'...'", "p.yaml:23: points[1].positions[1]: found \"...\", expected a finite number"),
        ("- -0.25", "-", "p.yaml:23: points[1].positions[1]: found nothing, expected a finite number"),
        (
            "sec: 2",
            "sec: -2",
            "p.yaml:21: points[1]: found the time -1.5 after 0, expected times that increase from waypoint to waypoint",
        ),
        (
            "    sec: 2\n",
            "",
            "p.yaml:28: points[1].time_from_start.sec: the key is missing, expected seconds, a finite number",
        ),
        (
            "sec: 2\n",
            "secs: 2\n",
            "p.yaml:29: points[1].time_from_start.nanosec: found an unknown key, expected one of secs, nsecs",
        ),
        (
            "  effort: []\n  time_from_start:\n    sec: 2",
            "  efort: []\n  time_from_start:\n    sec: 2",
            "p.yaml:26: points[1].efort: found an unknown key, expected one of positions, velocities, accelerations, effort, \
             time_from_start; did you mean \"effort\"?",
        ),
        (
            "points:",
            "pionts:",
            "p.yaml:9: pionts: found an unknown key, expected one of joint_names, points, header; did you mean \"points\"?",
        ),
        (
            "joint_names:",
            "names:",
            "p.yaml:6: names: found an unknown key, expected one of joint_names, points, header",
        ),
        ("---", "---\njoint_names: []", "p.yaml:31: found a second document, expected one trajectory a file"),
    ];
    for (from, to, message) in cases {
        let text = ECHO.replacen(from, to, 1);
        assert_ne!(text, ECHO);
        assert_eq!(read(&text, "p.yaml").unwrap_err(), message, "{from:?} as {to:?}");
    }
    let others = [
        (
            "[1, 2]",
            "p.yaml:1: found a list of length 2, expected a table with the keys joint_names, points, header",
        ),
        (
            "a: 1",
            "p.yaml:1: joint_names: the key is missing, expected joint_names and points, or a trajectory that has them",
        ),
        ("joint_names: [a]", "p.yaml:1: points: the key is missing, expected a list of waypoints"),
        ("joint_names: [a]\npoints: []", "p.yaml: found no waypoint, expected at least two"),
        ("joint_names: []\npoints: []", "p.yaml:1: joint_names: found no joint, expected at least one"),
        (
            "joint_names: [a]\npoints: [{positions: [1], time_from_start: 0}]",
            "p.yaml:2: points[0]: found one waypoint, expected at least two",
        ),
        (
            "trajectory: {joint_names: [a], points: []}\nmulti_dof_trajectory: {joint_names: [base]}\n",
            "p.yaml:2: multi_dof_trajectory: found motion of other kinds, expected that of joints only",
        ),
        ("trajectory: {}\ngoal: {}\n", "p.yaml:2: goal: found a second trajectory, expected one"),
        (
            "trajectory: {}\ntrajectory_start: {}\n",
            "p.yaml:2: trajectory_start: found an unknown key, expected one of joint_trajectory, trajectory, goal, \
             multi_dof_joint_trajectory, multi_dof_trajectory, header, goal_id, path_tolerance, component_path_tolerance, \
             goal_tolerance, component_goal_tolerance, goal_time_tolerance",
        ),
        (
            "trajectory: [1]",
            "p.yaml:1: trajectory: found a list of length 1, expected a table with the keys joint_names, points, header",
        ),
    ];
    for (text, message) in others {
        assert_eq!(read(text, "p.yaml").unwrap_err(), message, "{text}");
    }
    let message = read(&GOAL.replacen("-0.25", "\"up\"", 1), "p.json").unwrap_err();
    assert_eq!(
        message,
        "p.json:4: goal.trajectory.points[1].positions[1]: found \"up\", expected a finite number"
    );
}

/// Accelerations must be those of the cubic, otherwise the path is refused: the quintic through them would be another
/// motion.
#[test]
fn accelerations_are_refused_unless_the_cubic_has_them() {
    let mut random = Random(3);
    for seed in 0..chasles_testing::cases(500, 2000) {
        // Any polynomial of degree three: its own values at two times.
        let c: [f64; 4] = std::array::from_fn(|_| random.side());
        let (t0, h) = (random.side(), 0.01 + random.side().abs());
        let at = |t: f64| {
            [
                c[0] + t * (c[1] + t * (c[2] + t * c[3])),
                c[1] + t * (2.0 * c[2] + t * 3.0 * c[3]),
                2.0 * c[2] + 6.0 * c[3] * t,
            ]
        };
        let text = |off: [f64; 2]| {
            let point = |t: f64, off: f64| {
                let [p, v, a] = at(t);
                let a = a + off;
                format!(
                    "{{\"positions\":[{p:?}],\"velocities\":[{v:?}],\"accelerations\":[{a:?}],\"time_from_start\":{t:?}}}"
                )
            };
            format!(
                "{{\"joint_names\":[\"a\"],\"points\":[{},{}]}}",
                point(t0, off[0]),
                point(t0 + h, off[1])
            )
        };
        assert!(read(&text([0.0; 2]), "p.json").is_ok(), "{seed}");
        // Both ends count: if one differs, the motion is different.
        let off = 1e-3 * (1.0 + random.side().abs()) * (1.0 + 1.0 / (h * h));
        for off in [[off, 0.0], [0.0, -off]] {
            let message = read(&text(off), "p.json").unwrap_err();
            let start =
                "p.json:1: points[1].accelerations: found accelerations that lead \"a\" away from the cubic";
            assert!(message.starts_with(start), "{seed}: {message}");
            let unused = PathOptions { accelerations: Accelerations::Unused, ..PathOptions::default() };
            assert!(parse(text(off).as_bytes(), "p.json".as_ref(), unused).is_ok());
        }
    }
    let message = read(
        "joint_names: [a]\npoints:\n- {positions: [0], accelerations: [0], time_from_start: 0}\n",
        "p.yaml",
    );
    assert_eq!(
        message.unwrap_err(),
        "p.yaml:3: points[0].velocities: the key is missing, expected velocities where there are accelerations"
    );
}

/// After any change of a byte or a piece, reading gives a valid path or a one-line error.
#[test]
fn mutations_end_in_a_path_or_an_error() {
    let mut random = Random(17);
    let pieces = [
        "&a ", "*a ", "- ", ": ", "[", "]", "{", "}", "'", "\"", "\n", "\t", ",", "#", "| ", "!!str ",
        "---\n", "\u{fffd}", "1e400", "%",
    ];
    for _ in 0..chasles_testing::cases(1_000, 6000) {
        let (text, file) =
            [(ECHO, "p.yaml"), (GOAL, "p.json"), (GOAL, "p.yaml"), ("time,a\n0,1\n2,3\n", "p.csv")]
                [random.below(4)];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            let end = (at + random.below(4)).min(bytes.len());
            let piece = pieces[random.below(pieces.len())].bytes();
            match random.below(3) {
                0 => drop(bytes.splice(at..end, piece)),
                1 => drop(bytes.splice(at..at, piece)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        match parse(&bytes, file.as_ref(), PathOptions::default()) {
            Ok(path) => {
                assert!(path.waypoints.len() >= 2 && !path.joints.is_empty());
                assert!(path.waypoints.windows(2).all(|pair| pair[0].time < pair[1].time));
                for waypoint in &path.waypoints {
                    assert_eq!(waypoint.positions.len(), path.joints.len());
                    assert!([0, path.joints.len()].contains(&waypoint.velocities.len()));
                    assert!(
                        waypoint
                            .positions
                            .iter()
                            .chain(&waypoint.velocities)
                            .all(|number| number.is_finite())
                    );
                }
            }
            Err(error) => {
                let message = error.to_string();
                assert!(message.starts_with(file) && !message.contains('\n'), "{message:?}");
            }
        }
    }
}

#[test]
fn long_lines_and_deep_nesting_have_bounds() {
    let many = format!("joint_names: [a]\npoints: [{}", "1,".repeat(11_000_000));
    assert_eq!(
        read(&many, "p.yaml").unwrap_err(),
        "p.yaml:2: found more than 10000000 numbers, expected no more"
    );
    for (text, file) in [
        ("[".repeat(1_000_000), "p.yaml"),
        ("[".repeat(1_000_000), "p.json"),
        ("- ".repeat(1_000_000), "p.yaml"),
        ("{\"a\":".repeat(1_000_000), "p.json"),
        ("? ".repeat(1_000_000), "p.yaml"),
        ("a".repeat(30_000_000), "p.yaml"),
        (format!("\"{}", "a".repeat(30_000_000)), "p.yaml"),
        (format!("\"{}\"", "a".repeat(30_000_000)), "p.json"),
        (" ".repeat(30_000_000), "p.yaml"),
        ("\n".repeat(30_000_000), "p.yaml"),
        ("#".repeat(30_000_000), "p.yaml"),
        ("---\n".repeat(1_000_000), "p.yaml"),
        ("&a ".repeat(1_000_000), "p.yaml"),
        ("!!a ".repeat(1_000_000), "p.yaml"),
        ("%a b\n".repeat(1_000_000), "p.yaml"),
    ] {
        let start = std::time::Instant::now();
        let message = read(&text, file).unwrap_err();
        assert!(message.len() < 300 && message.starts_with(file), "{message}");
        assert!(start.elapsed().as_secs() < 120, "{message}");
    }
}
