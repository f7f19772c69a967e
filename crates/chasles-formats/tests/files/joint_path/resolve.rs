//! Paths for a robot: joints by number, within limits.

use chasles::{AdjacentLinks, Joint, JointAxis, Link, Mimic, Pose, RobotDefinition};
use chasles_formats::robot::joint_path::{PathFile, resolve};
use chasles_testing::Random;
use glam::DVec3;

use super::read;

/// Three joints that move, a fixed one, and one that follows the second.
fn robot(limits: Option<[f64; 2]>) -> RobotDefinition {
    let joint = |(index, name): (usize, &&str)| Joint {
        name: (*name).into(),
        parent: index,
        child: index + 1,
        origin: Pose::IDENTITY,
        axis: (index != 2).then_some(JointAxis::Revolute(DVec3::Z)),
        rest: 0.0,
        limits: [None, limits, None, limits, None][index],
        velocity: None,
        mimic: (index == 3).then_some(Mimic { joint: 1, multiplier: 3.0, offset: 0.0 }),
    };
    RobotDefinition {
        name: "arm".into(),
        links: (0..6).map(|link| Link { name: format!("l{link}"), elements: vec![] }).collect(),
        joints: ["shoulder_pan", "elbow", "flange", "finger", "wrist"]
            .iter()
            .enumerate()
            .map(joint)
            .collect(),
        disabled: vec![],
        adjacent: AdjacentLinks::Skipped,
    }
}

fn message(path: &PathFile, limits: [f64; 2]) -> String {
    resolve(path, &robot(Some(limits))).unwrap_err().to_string()
}

#[test]
fn names_become_numbers() {
    let path = read("time,wrist,elbow\n0,1,2\n1,3,4\n", "p.csv").unwrap();
    let found = resolve(&path, &robot(Some([2.0, 4.0]))).unwrap();
    assert_eq!(found.joints, [4, 1]);
    assert_eq!((found.waypoints[1].time, &found.waypoints[1].positions), (1.0, &vec![3.0, 4.0]));
    assert!(found.waypoints[0].velocities.is_empty());
}

#[test]
fn immovable_joints_in_a_path_are_errors() {
    let cases = [
        (
            "elbow_99",
            "found the joint \"elbow_99\", which the robot \"arm\" does not have, expected one of shoulder_pan, elbow, wrist",
        ),
        (
            "shoulder_pam",
            "found the joint \"shoulder_pam\", which the robot \"arm\" does not have, expected one of shoulder_pan, elbow, wrist; \
             did you mean \"shoulder_pan\"?",
        ),
        ("flange", "found the joint \"flange\", which is fixed, expected one that moves"),
        (
            "finger",
            "found the joint \"finger\", which follows the joint \"elbow\", expected one that moves by itself",
        ),
        // Joints that cannot be moved are not proposed.
        (
            "flangee",
            "found the joint \"flangee\", which the robot \"arm\" does not have, expected one of shoulder_pan, elbow, wrist",
        ),
    ];
    for (name, what) in cases {
        let path = read(&format!("\ntime,{name}\n0,0\n1,0\n"), "p.csv").unwrap();
        assert_eq!(message(&path, [-1.0, 1.0]), format!("p.csv:2: {what}"));
    }
}

#[test]
fn values_beyond_limits_are_errors_with_line() {
    let path = read("time,wrist,elbow\n0,9,0.5\n2,0,-1\n3,0,0\n", "p.csv").unwrap();
    assert!(resolve(&path, &robot(Some([-1.0, 0.5]))).is_ok());
    let low = "p.csv:3: found the joint \"elbow\" at -1 (at 2 s), beyond its limits: expected -0.9 to 0.5";
    assert_eq!(message(&path, [-0.9, 0.5]), low);
    let high = "p.csv:2: found the joint \"elbow\" at 0.5 (at 0 s), beyond its limits: expected -1 to 0.499";
    assert_eq!(message(&path, [-1.0, 0.499]), high);
    // Half a turn, as files write it.
    let path = read("time,elbow\n0,3.141592653589793\n2,-3.141592653589793\n", "p.csv").unwrap();
    let [near, far] = ["3.14159", "3.1415"].map(|digits| digits.parse::<f64>().unwrap());
    assert!(resolve(&path, &robot(Some([-near, near]))).is_ok());
    assert!(message(&path, [-far, far]).contains("beyond its limits"));
    let ros = "joint_names: [elbow]\npoints:\n- {positions: [0], time_from_start: 0}\n\
               - {positions: [2], time_from_start: 1}\n";
    let reported =
        "p.yaml:4: points[1]: found the joint \"elbow\" at 2 (at 1 s), beyond its limits: expected -1 to 1";
    assert_eq!(message(&read(ros, "p.yaml").unwrap(), [-1.0, 1.0]), reported);
}

/// A cubic may exceed limits between two waypoints within them: compared with dense samples.
#[test]
fn cubics_keep_limits_along_the_whole_path() {
    let mut random = Random(41);
    let (mut kept, mut broken) = (0, 0);
    for seed in 0..chasles_testing::cases(2_000, 20_000) {
        let [p, q] = [random.side(), random.side()];
        let mut slope = || if random.below(6) == 0 { 0.0 } else { 6.0 * random.side() };
        let (v, w) = (slope(), slope());
        let h = [1.0, 0.1, 3.0][random.below(3)];
        let (v, w) = if random.below(8) == 0 { ((q - p) / h, (q - p) / h) } else { (v, w) };
        let text = format!(
            "joint_names: [elbow]\npoints:\n- {{positions: [{p:?}], velocities: [{v:?}], time_from_start: 5}}\n\
             - {{positions: [{q:?}], velocities: [{w:?}], time_from_start: {:?}}}\n",
            5.0 + h
        );
        let path = read(&text, "p.yaml").unwrap();
        let (mut least, mut maximum) = (p.min(q), p.max(q));
        for step in 0..=400 {
            let u = f64::from(step) / 400.0;
            let value = (1.0 - u) * (1.0 - u) * ((1.0 + 2.0 * u) * p + u * h * v)
                + u * u * ((3.0 - 2.0 * u) * q - (1.0 - u) * h * w);
            (least, maximum) = (least.min(value), maximum.max(value));
        }
        // Samples miss the top of a cubic by less than this.
        let missed = 1e-4 * (2.0 + h * (v.abs() + w.abs()));
        let found = |limits: [f64; 2]| resolve(&path, &robot(Some(limits))).is_ok();
        assert!(found([least - missed, maximum + missed]), "{seed}: {text}");
        kept += 1;
        // Twice the allowed rounding of files.
        let more = |limit: f64| 2e-5 * limit.abs().max(1.0);
        for limits in [[least + more(least), maximum + missed], [least - missed, maximum - more(maximum)]] {
            assert!(!found(limits), "{seed}: {limits:?} {text}");
            broken += 1;
        }
    }
    assert!(kept > 0 && broken > 0);
    let text = "joint_names: [elbow]\npoints:\n- {positions: [0], velocities: [4], time_from_start: 0}\n\
                - {positions: [0], velocities: [-4], time_from_start: 1}\n";
    let reported = "p.yaml:3: points[0]: found the joint \"elbow\" at 1 (at 0.5 s), beyond its limits: expected -1 to 0.9";
    assert_eq!(message(&read(text, "p.yaml").unwrap(), [-1.0, 0.9]), reported);
    assert!(resolve(&read(text, "p.yaml").unwrap(), &robot(Some([0.0, 1.0]))).is_ok());
}
