//! Trapezoidal timing.

use chasles_formats::ErrorLocation;
use chasles_formats::robot::joint_path::{PathFile, PathWaypoint, TrapezoidalLimit};
use chasles_testing::Random;

fn path(positions: &[Vec<f64>]) -> PathFile {
    let waypoint = |(segment, positions): (usize, &Vec<f64>)| PathWaypoint {
        time: 7.0 + segment as f64,
        positions: positions.clone(),
        velocities: vec![],
        segment,
        place: ErrorLocation::Line(segment + 2),
    };
    PathFile {
        file: "p.csv".into(),
        joints: (0..positions[0].len()).map(|joint| format!("j{joint}")).collect(),
        joints_place: ErrorLocation::Line(1),
        waypoints: positions.iter().enumerate().map(waypoint).collect(),
        may_be_cut: false,
    }
}

/// Position, velocity and acceleration of a joint on the cubic between two waypoints, `u` from 0 to 1: by the
/// definition.
fn cubic([from, to]: [&PathWaypoint; 2], joint: usize, u: f64) -> [f64; 3] {
    let h = to.time - from.time;
    let [p, q] = [from.positions[joint], to.positions[joint]];
    let [v, w] = [from.velocities[joint] * h, to.velocities[joint] * h];
    let position = (2.0 * u * u * u - 3.0 * u * u + 1.0) * p
        + (u * u * u - 2.0 * u * u + u) * v
        + (3.0 * u * u - 2.0 * u * u * u) * q
        + (u * u * u - u * u) * w;
    let velocity =
        (6.0 * u * u - 6.0 * u) * (p - q) + (3.0 * u * u - 4.0 * u + 1.0) * v + (3.0 * u * u - 2.0 * u) * w;
    let acceleration = (12.0 * u - 6.0) * (p - q) + (6.0 * u - 4.0) * v + (6.0 * u - 2.0) * w;
    [position, velocity / h, acceleration / (h * h)]
}

/// A lower bound of the time: the slowest joint by itself, from rest to rest.
fn minimum_time(distance: &[f64], limits: &[TrapezoidalLimit]) -> f64 {
    let alone = |(distance, maximum): (&f64, &TrapezoidalLimit)| {
        let distance = distance.abs();
        match distance * maximum.acceleration < maximum.velocity * maximum.velocity {
            true => 2.0 * (distance / maximum.acceleration).sqrt(),
            false => distance / maximum.velocity + maximum.velocity / maximum.acceleration,
        }
    };
    distance.iter().zip(limits).map(alone).fold(0.0, f64::max)
}

/// The motion stays on the straight lines, within the limits, and reaches a limit in every piece; each segment starts
/// and ends at rest.
#[test]
fn trapezoids_keep_limits_and_reach_them() {
    let mut random = Random(29);
    for seed in 0..chasles_testing::cases(300, 1000) {
        let joints = 1 + random.below(4);
        let count = 2 + random.below(3);
        let mut positions: Vec<Vec<f64>> = Vec::new();
        for _ in 0..count {
            let next = match random.below(6) {
                0 => positions.last().cloned(),
                _ => None,
            };
            let size = 10_f64.powf(2.0 * random.side());
            let new =
                (0..joints).map(|_| if random.below(4) == 0 { 0.0 } else { size * random.side() }).collect();
            positions.push(next.unwrap_or(new));
        }
        let limits: Vec<_> = (0..joints)
            .map(|_| TrapezoidalLimit {
                velocity: 10_f64.powf(random.side()),
                acceleration: 10_f64.powf(random.side()),
            })
            .collect();
        let path = path(&positions);
        let distances: Vec<Vec<f64>> = positions
            .windows(2)
            .map(|pair| pair[1].iter().zip(&pair[0]).map(|(q, p)| q - p).collect())
            .collect();
        let moves = |distance: &[f64]| distance.iter().any(|distance| *distance != 0.0);
        let Ok(timed) = path.retimed(&limits) else {
            assert!(!distances.iter().any(|distance| moves(distance)), "{seed}");
            continue;
        };
        assert_eq!((timed.waypoints[0].time, &timed.joints), (7.0, &path.joints));
        let mut time = 7.0;
        for (segment, distance) in distances.iter().enumerate() {
            let pieces: Vec<_> =
                timed.waypoints.windows(2).filter(|pair| pair[0].segment == segment).collect();
            assert_eq!(pieces.is_empty(), !moves(distance), "{seed}");
            let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { continue };
            assert!(pieces.len() == 2 || pieces.len() == 3);
            let size = distance.iter().fold(0.0, |size: f64, distance| size.max(distance.abs()));
            let near = |a: f64, b: f64, unit: f64| (a - b).abs() <= 1e-9 * unit;
            for (key, waypoint) in [(&first[0], segment), (&last[1], segment + 1)] {
                assert!(
                    (0..joints).all(|joint| near(key.positions[joint], positions[waypoint][joint], size))
                );
                assert!(key.velocities.iter().all(|velocity| *velocity == 0.0));
                assert_eq!(
                    key.place,
                    path.waypoints[if key.segment == segment { segment } else { key.segment }].place
                );
            }
            assert!(near(first[0].time, time, time), "{seed}");
            time += least_time_in_step(distance, &limits);
            assert!(
                near(last[1].time, time, time)
                    && time - first[0].time >= minimum_time(distance, &limits) * (1.0 - 1e-12)
            );
            for piece in pieces {
                let mut reached = 0.0_f64;
                for u in [0.0, 0.2, 0.5, 0.8, 1.0] {
                    let lead = (0..joints).find(|&joint| distance[joint].abs() == size).unwrap();
                    let s = (cubic([&piece[0], &piece[1]], lead, u)[0] - positions[segment][lead])
                        / distance[lead];
                    for joint in 0..joints {
                        let [position, velocity, acceleration] = cubic([&piece[0], &piece[1]], joint, u);
                        assert!(
                            near(position, positions[segment][joint] + s * distance[joint], size),
                            "{seed}"
                        );
                        let maximum = limits[joint];
                        for (value, maximum) in
                            [(velocity, maximum.velocity), (acceleration, maximum.acceleration)]
                        {
                            assert!(value.abs() <= maximum * (1.0 + 1e-6), "{seed}: {value} {maximum}");
                            reached = reached.max(value.abs() / maximum);
                        }
                    }
                }
                assert!(reached > 1.0 - 1e-6, "{seed}: {reached}");
            }
        }
    }
}

/// The time of one segment by stepping: s moves with the smallest rate and acceleration that any joint allows.
fn least_time_in_step(distance: &[f64], limits: &[TrapezoidalLimit]) -> f64 {
    let mut slowest = TrapezoidalLimit { velocity: f64::INFINITY, acceleration: f64::INFINITY };
    for (distance, maximum) in distance.iter().zip(limits).filter(|(distance, _)| **distance != 0.0) {
        slowest.velocity = slowest.velocity.min(maximum.velocity / distance.abs());
        slowest.acceleration = slowest.acceleration.min(maximum.acceleration / distance.abs());
    }
    if slowest.velocity.is_infinite() { 0.0 } else { minimum_time(&[1.0], &[slowest]) }
}

#[test]
fn a_trapezoid_and_a_triangle_have_exact_keys() {
    let limits = [
        TrapezoidalLimit { velocity: 1.0, acceleration: 1.0 },
        TrapezoidalLimit { velocity: 10.0, acceleration: 10.0 },
    ];
    let timed =
        path(&[vec![0.0, 1.0], vec![3.0, -2.0], vec![3.0, -2.0], vec![3.0, 8.0]]).retimed(&limits).unwrap();
    let keys: Vec<_> = timed
        .waypoints
        .iter()
        .map(|w| (w.time, w.positions.clone(), w.velocities.clone(), w.segment, w.place.clone()))
        .collect();
    assert_eq!(
        keys,
        [
            (7.0, vec![0.0, 1.0], vec![0.0, -0.0], 0, ErrorLocation::Line(2)),
            (8.0, vec![0.5, 0.5], vec![1.0, -1.0], 0, ErrorLocation::Line(2)),
            (10.0, vec![2.5, -1.5], vec![1.0, -1.0], 0, ErrorLocation::Line(2)),
            (11.0, vec![3.0, -2.0], vec![0.0, 0.0], 2, ErrorLocation::Line(4)),
            (12.0, vec![3.0, 3.0], vec![0.0, 10.0], 2, ErrorLocation::Line(4)),
            (13.0, vec![3.0, 8.0], vec![0.0, 0.0], 3, ErrorLocation::Line(5)),
        ]
    );
}

#[test]
fn paths_that_cannot_be_retimed_are_errors() {
    let one = TrapezoidalLimit { velocity: 1.0, acceleration: 1.0 };
    let distance = path(&[vec![0.0, 0.0], vec![1.0, 0.0]]);
    let message =
        |path: &PathFile, limits: &[TrapezoidalLimit]| path.retimed(limits).unwrap_err().to_string();
    assert_eq!(message(&distance, &[one]), "p.csv: found 1 limits, expected one for each of 2 joints");
    for (value, found) in [(0.0, "0"), (-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let expected = |what: &str| {
            format!(
                "p.csv: found {found} as the maximum {what} of the joint \"j1\", expected a finite number > 0"
            )
        };
        assert_eq!(
            message(&distance, &[one, TrapezoidalLimit { velocity: value, ..one }]),
            expected("speed")
        );
        assert_eq!(
            message(&distance, &[one, TrapezoidalLimit { acceleration: value, ..one }]),
            expected("acceleration")
        );
    }
    let still = path(&[vec![1.0], vec![1.0], vec![1.0]]);
    assert_eq!(message(&still, &[one]), "p.csv: found waypoints that are all the same, expected a motion");
    let slow = TrapezoidalLimit { velocity: 1e-300, acceleration: 1e-300 };
    let far = path(&[vec![0.0], vec![1e300]]);
    assert_eq!(message(&far, &[slow]), "p.csv:2: found a segment that takes too long for 64-bit numbers");
    let fast = TrapezoidalLimit { velocity: 1e9, acceleration: 1e300 };
    assert!(message(&distance, &[fast, fast]).contains("expected times that increase"));
}

#[test]
fn no_key_is_outside_the_ends() {
    let mut random = Random(31);
    for _ in 0..chasles_testing::cases(4_000, 20_000) {
        let [p, q] = [random.side(), random.side()];
        let limit =
            TrapezoidalLimit { velocity: 1.0, acceleration: 10_f64.powf(1.0 + 12.0 * random.side().abs()) };
        let timed = path(&[vec![p], vec![q]]).retimed(&[limit]);
        for waypoint in timed.iter().flat_map(|timed| &timed.waypoints) {
            assert!(p.min(q) <= waypoint.positions[0] && waypoint.positions[0] <= p.max(q));
        }
    }
}
