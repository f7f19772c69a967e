//! Intervals in which paths exceed joint limits, compared with dense samples, and their messages.

use chasles::{
    AdjacentLinks, Joint, JointAxis, JointLimit, JointPath, LimitBreach, Link, Mimic, Pose, Robot,
    RobotDefinition, Waypoint,
};
use chasles_formats::report::breach::{LimitTreatment, ReportedBreach};
use chasles_formats::robot::joint_path::resolve;
use chasles_testing::Random;
use glam::DVec3;

use super::read;

/// `lift` slides and `turn` rotates; `shade` follows `turn` twice as fast and backward.
fn robot(limits: [Option<[f64; 2]>; 3], speeds: [Option<f64>; 3]) -> Robot {
    let joint = |index: usize| Joint {
        name: ["lift", "turn", "shade"][index].into(),
        parent: index,
        child: index + 1,
        origin: Pose::IDENTITY,
        axis: Some(if index == 0 { JointAxis::Prismatic(DVec3::Z) } else { JointAxis::Revolute(DVec3::Z) }),
        rest: 0.0,
        limits: limits[index],
        velocity: speeds[index],
        mimic: (index == 2).then_some(Mimic { joint: 1, multiplier: -2.0, offset: 0.5 }),
    };
    Robot::new(RobotDefinition {
        name: "lift".into(),
        links: (0..4).map(|link| Link { name: format!("l{link}"), elements: vec![] }).collect(),
        joints: (0..3).map(joint).collect(),
        disabled: vec![],
        adjacent: AdjacentLinks::Skipped,
    })
    .unwrap()
}

/// The sentences of a report.
fn sentences(text: &str, file: &str, robot: &Robot) -> Vec<String> {
    let file = read(text, file).unwrap();
    let loose = robot.clone().without_limits();
    let path = resolve(&file, loose.definition()).unwrap();
    path.check(&loose).unwrap();
    let reported = |breach| ReportedBreach::new(breach, (robot, LimitTreatment::Findings), &file).sentence();
    path.limit_breaches(robot).iter().map(reported).collect()
}

#[test]
fn breach_times_are_where_limits_are_crossed() {
    let limited = robot([Some([0.0, 1.5]), None, Some([-0.5, 1.0])], [Some(2.0), Some(1.0), None]);
    // Up to 2 at 11 s and constant, down to -0.5 at 14 s; the rotation continues at 0.5 rad/s and finally at 2.
    let text = "time,lift,turn\n10,0,0\n11,2,0.5\n12,2,1\n14,-0.5,1\n15,0,3\n";
    let expected = [
        "joint \"lift\": found 2 m at 11 s, beyond its upper limit of 1.5 m, from 10.75 s until 12.4 s in segments 0 to 2",
        "joint \"shade\": found -5.5 rad at 15 s, beyond its lower limit of -0.5 rad, from 11 s until 15 s in segments 1 to 3",
        "joint \"lift\": found -0.5 m at 14 s, beyond its lower limit of 0 m, from 13.6 s until 15 s in segments 2 to 3",
        "joint \"turn\": found 2 rad/s at 14 s, beyond its maximum speed of 1 rad/s, from 14 s until 15 s in segment 3",
    ];
    assert_eq!(sentences(text, "p.csv", &limited), expected);
    // There are no breaches within the rounding of files, and without limits.
    let near =
        robot([Some([-0.5, 2.0 - 1e-6]), None, Some([-5.500_001, 0.5])], [Some(2.0 - 1e-6), Some(2.0), None]);
    assert_eq!(sentences(text, "p.csv", &near), [""; 0]);
    assert_eq!(sentences(text, "p.csv", &robot([None; 3], [None; 3])), [""; 0]);
    // A cubic from rest to rest is fastest halfway, at one and a half times the mean.
    let ros = "joint_names: [turn]\npoints:\n- {positions: [0], velocities: [0], time_from_start: 0}\n\
               - {positions: [2], velocities: [0], time_from_start: 2}\n";
    let fast = robot([None; 3], [None, Some(1.125), None]);
    let reported = "joint \"turn\": found 1.5 rad/s at 1 s, beyond its maximum speed of 1.125 rad/s, from 0.5 s until 1.5 s in segment 0";
    assert_eq!(sentences(ros, "p.yaml", &fast), [reported]);
    // Numbers have six digits.
    let third = robot([None; 3], [None, Some(1.0 / 3.0), None]);
    let reported = "joint \"turn\": found 0.777778 rad/s at 0 s, beyond its maximum speed of 0.333333 rad/s, from 0 s until 9 s in segment 0";
    assert_eq!(sentences("time,lift,turn\n0,0,0\n9,0,7\n", "p.csv", &third), [reported]);
}

/// Value and speed of the joints between two waypoints, by the textbook.
fn sample([from, to]: [&Waypoint; 2], column: usize, u: f64) -> [f64; 2] {
    let h = to.time - from.time;
    let [p, q] = [from.positions[column], to.positions[column]];
    if from.velocities.is_empty() || to.velocities.is_empty() {
        return [(1.0 - u) * p + u * q, (q - p) / h];
    }
    let [v, w] = [h * from.velocities[column], h * to.velocities[column]];
    let value =
        (1.0 - u) * (1.0 - u) * ((1.0 + 2.0 * u) * p + u * v) + u * u * ((3.0 - 2.0 * u) * q - (1.0 - u) * w);
    let rate = 6.0 * u * (1.0 - u) * (q - p) + (1.0 - u) * (1.0 - 3.0 * u) * v + u * (3.0 * u - 2.0) * w;
    [value, rate / h]
}

/// The excess of a joint that follows a column over a limit.
fn excess(limit: JointLimit, joint: usize, [value, speed]: [f64; 2]) -> f64 {
    let [value, speed] = if joint == 2 { [-2.0 * value + 0.5, -2.0 * speed] } else { [value, speed] };
    match limit {
        JointLimit::Minimum(least) => least - value,
        JointLimit::Maximum(maximum) => value - maximum,
        JointLimit::Speed(maximum) => speed.abs() - maximum,
    }
}

#[test]
fn breaches_equal_those_of_dense_samples() {
    let mut random = Random(19);
    let (mut breaches, mut samples) = (0, 0);
    for seed in 0..chasles_testing::cases(300, 1_500) {
        let mut limit = || (random.below(4) > 0).then(|| [-random.unit(), random.unit()]);
        let limits = [limit(), limit(), limit()];
        let speeds = [0; 3].map(|_| (random.below(3) > 0).then(|| 2.0 * random.unit() + 0.01));
        let robot = robot(limits, speeds);
        let mut time = 5.0;
        let cubic = random.below(3);
        let waypoint = |_| {
            time += [0.1, 1.0, 2.5][random.below(3)];
            let pair = |random: &mut Random| vec![1.5 * random.side(), 1.5 * random.side()];
            let positions = if random.below(5) == 0 { vec![1.0, -1.0] } else { pair(&mut random) };
            let velocities = if cubic > random.below(2) { pair(&mut random) } else { vec![] };
            Waypoint { time, positions, velocities }
        };
        let path = JointPath { joints: vec![0, 1], waypoints: (0..4).map(waypoint).collect() };
        let found = path.limit_breaches(&robot);
        breaches += found.len();
        assert!(found.windows(2).all(|two| two[0].interval[0] <= two[1].interval[0]), "{seed}");
        for joint in 0..3 {
            let column = joint.min(1);
            let [least, maximum] = limits[joint].map_or([None; 2], |limits| limits.map(Some));
            let of_joint = [
                least.map(JointLimit::Minimum),
                maximum.map(JointLimit::Maximum),
                speeds[joint].map(JointLimit::Speed),
            ];
            for limit in of_joint.into_iter().flatten() {
                let own: Vec<&LimitBreach> =
                    found.iter().filter(|breach| (breach.joint, breach.limit) == (joint, limit)).collect();
                for (number, pair) in path.waypoints.windows(2).enumerate() {
                    for step in 0..=300 {
                        let u = f64::from(step) / 300.0;
                        let (time, pair) =
                            (pair[0].time + u * (pair[1].time - pair[0].time), [&pair[0], &pair[1]]);
                        let excess = excess(limit, joint, sample(pair, column, u));
                        let within = |breach: &&&LimitBreach| {
                            breach.segments[0] <= number
                                && number <= breach.segments[1]
                                && breach.interval[0] - 1e-9 <= time
                                && time <= breach.interval[1] + 1e-9
                        };
                        let inside = own.iter().find(within);
                        samples += 1;
                        // An excess larger than the rounding of files must be reported.
                        assert!(
                            excess < 3e-5 || inside.is_some(),
                            "{seed}: {joint} {limit:?} at {time}: {excess}"
                        );
                        if let Some(breach) = inside {
                            let strictly =
                                breach.interval[0] + 1e-6 < time && time < breach.interval[1] - 1e-6;
                            assert!(excess > -1e-9 || !strictly, "{seed}: {breach:?} at {time}: {excess}");
                            assert!(
                                breach.excess() > excess - 1e-9,
                                "{seed}: {breach:?} at {time}: {excess}"
                            );
                        }
                    }
                }
                for breach in own {
                    let [start, end] = breach.interval;
                    assert!(start < end && breach.excess() > 0.0, "{seed}: {breach:?}");
                    assert!((start..=end).contains(&breach.worst_time), "{seed}: {breach:?}");
                    let segment = path.segment_at(breach.worst_time);
                    let near = (segment..(segment + 2).min(3)).any(|segment| {
                        let pair = [&path.waypoints[segment], &path.waypoints[segment + 1]];
                        let u = (breach.worst_time - pair[0].time) / (pair[1].time - pair[0].time);
                        (excess(limit, joint, sample(pair, column, u)) - breach.excess()).abs() < 1e-9
                    });
                    assert!(near, "{seed}: {breach:?}");
                }
            }
        }
    }
    assert!(breaches > 400 && samples > 150_000, "{breaches} {samples}");
}
