//! Paths in joint space.
//!
//! Each joint moves uniformly between two waypoints, or along the cubic with the velocities of both waypoints. Along
//! a uniform segment the motion of a link relative to its parent link is exactly one screw. Relative to a link
//! further down the chain it is not a screw.

use crate::error::{Error, check_number};
use crate::motion::curve::number_jet;
use crate::motion::{CubicKey, Curve};
use crate::robot::Robot;

/// The configurations of joints over time.
#[derive(Debug, Clone, PartialEq)]
pub struct JointPath {
    /// The numbers of the joints that the path moves. The others rest.
    pub joints: Vec<usize>,
    /// At least two, sorted by time.
    pub waypoints: Vec<Waypoint>,
}

/// One configuration of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Waypoint {
    /// In seconds, strictly increasing.
    pub time: f64,
    /// One value for each joint of the path, in radians or metres.
    pub positions: Vec<f64>,
    /// One velocity for each joint of the path, in radians or metres per second; empty if not given. If both ends of
    /// a segment have velocities, its joints move along cubics, otherwise uniformly.
    pub velocities: Vec<f64>,
}

impl JointPath {
    /// The time of the first waypoint and of the last, in seconds.
    ///
    /// # Panics
    /// If there are no waypoints.
    #[must_use]
    pub fn interval(&self) -> [f64; 2] {
        [self.waypoints[0].time, self.waypoints[self.waypoints.len() - 1].time]
    }

    /// The segment that contains a time; at a waypoint between two segments, the earlier one. Segment 0 lies between
    /// the first waypoint and the second.
    #[must_use]
    pub fn segment_at(&self, time: f64) -> usize {
        let after = self.waypoints.partition_point(|waypoint| waypoint.time < time);
        after.saturating_sub(1).min(self.waypoints.len().saturating_sub(2))
    }

    /// The values of the joints of the path, one for each, at a time within its interval.
    ///
    /// # Panics
    /// If there are fewer than two waypoints.
    #[must_use]
    pub fn positions_at(&self, time: f64) -> Vec<f64> {
        let segment = self.segment_at(time);
        let [from, to] = [&self.waypoints[segment], &self.waypoints[segment + 1]];
        let time = time.clamp(from.time, to.time);
        (0..self.joints.len())
            .map(|column| match keys(from, to, column) {
                _ if time == from.time => from.positions[column],
                _ if time == to.time => to.positions[column],
                Some([from, to]) => number_jet(&from, &to, time).value,
                None => {
                    let fraction = (time - from.time) / (to.time - from.time);
                    from.positions[column] + fraction * (to.positions[column] - from.positions[column])
                }
            })
            .collect()
    }

    /// The part of a path of one segment, along straight lines, that ends at `time`.
    pub(crate) fn part_until(&self, time: f64) -> Self {
        let mut part = self.clone();
        part.waypoints[1] = Waypoint { time, positions: self.positions_at(time), velocities: Vec::new() };
        part
    }

    /// Checks that the path fits a robot.
    ///
    /// # Errors
    /// A joint that does not exist, is listed twice, is fixed or follows another; fewer than two waypoints, times
    /// that do not increase, a wrong number of values; a value that is NaN or exceeds the limits of its joint, or of
    /// a joint that follows it, at a waypoint or on a cubic between two.
    pub fn check(&self, robot: &Robot) -> Result<(), Error> {
        for (column, &joint) in self.joints.iter().enumerate() {
            let Some(found) = robot.joints().get(joint) else {
                return Error::out_of_range(joint as f64, "the number of a joint", "path");
            };
            if !robot.is_set(joint) {
                let place = format!("path, joint {:?}", found.name);
                return Error::out_of_range(
                    joint as f64,
                    "a joint that is not fixed and follows no other",
                    place,
                );
            }
            if self.joints[..column].contains(&joint) {
                return Error::out_of_range(2.0, "each joint once", format!("path, joint {:?}", found.name));
            }
        }
        if self.waypoints.len() < 2 {
            return Error::out_of_range(self.waypoints.len() as f64, "at least two waypoints", "path");
        }
        let mut previous = f64::NEG_INFINITY;
        for (number, waypoint) in self.waypoints.iter().enumerate() {
            let place = format!("at waypoint {number}");
            if !(waypoint.time > previous && waypoint.time.is_finite()) {
                return Error::out_of_range(
                    waypoint.time,
                    "times that are finite and increase",
                    format!("path, {place}"),
                );
            }
            previous = waypoint.time;
            let count = self.joints.len();
            let (positions, velocities) = (waypoint.positions.len(), waypoint.velocities.len());
            if positions != count || ![0, count].contains(&velocities) {
                let found = if positions == count { velocities } else { positions };
                let expected = "one position a joint, and one velocity or none";
                return Error::out_of_range(found as f64, expected, format!("path, {place}"));
            }
            for column in 0..count {
                self.check_value(robot, column, waypoint.positions[column], &place)?;
            }
            for (joint, velocity) in self.joints.iter().zip(&waypoint.velocities) {
                let name = &robot.joints()[*joint].name;
                check_number(*velocity, || format!("velocity of joint {name:?} {place}"))?;
            }
        }
        for (number, pair) in self.waypoints.windows(2).enumerate() {
            let place = format!("between waypoints {number} and {}", number + 1);
            for column in 0..self.joints.len() {
                if let Some([from, to]) = keys(&pair[0], &pair[1], column) {
                    let distance = (to.time - from.time) * from.out_tangent.abs().max(to.in_tangent.abs());
                    let name = &robot.joints()[self.joints[column]].name;
                    check_number(distance, || format!("velocity times duration of joint {name:?} {place}"))?;
                    for value in values_at_extrema(&from, &to) {
                        self.check_value(robot, column, value, &place)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks that a value of a joint of the path lies within its limits, and that the values of the joints that
    /// follow it lie within theirs.
    fn check_value(&self, robot: &Robot, column: usize, value: f64, place: &str) -> Result<(), Error> {
        for joint in 0..robot.joints().len() {
            let followed = robot.followed_joint(joint);
            if followed.joint == self.joints[column] {
                robot.check_limits(joint, followed.factor * value + followed.offset, place)?;
            }
        }
        Ok(())
    }

    /// The value of each joint of a robot over time; the path starts at time 0. ([`Self::check`] has accepted the
    /// path.)
    pub(crate) fn curves(&self, robot: &Robot) -> Vec<Curve<f64>> {
        let joint_curves: Vec<Curve<f64>> = (0..self.joints.len()).map(|column| self.curve(column)).collect();
        (0..robot.joints().len())
            .map(|joint| {
                let followed = robot.followed_joint(joint);
                match self.joints.iter().position(|moved| *moved == followed.joint) {
                    Some(column) => scaled(&joint_curves[column], followed.factor, followed.offset),
                    None => Curve::constant(
                        followed.factor * robot.joints()[followed.joint].rest + followed.offset,
                    ),
                }
            })
            .collect()
    }

    fn curve(&self, column: usize) -> Curve<f64> {
        let start = self.waypoints[0].time;
        if self.waypoints.iter().all(|waypoint| waypoint.velocities.is_empty()) {
            let key = |waypoint: &Waypoint| (waypoint.time - start, waypoint.positions[column]);
            return Curve::Linear(self.waypoints.iter().map(key).collect());
        }
        // Straight segments among cubic ones: the tangents at both ends are the slope.
        let mut cubic: Vec<CubicKey<f64>> = self
            .waypoints
            .iter()
            .map(|waypoint| {
                let (time, value) = (waypoint.time - start, waypoint.positions[column]);
                CubicKey { time, in_tangent: 0.0, value, out_tangent: 0.0 }
            })
            .collect();
        for (k, pair) in self.waypoints.windows(2).enumerate() {
            let slope = (cubic[k + 1].value - cubic[k].value) / (cubic[k + 1].time - cubic[k].time);
            let [out, into] = keys(&pair[0], &pair[1], column)
                .map_or([slope; 2], |[from, to]| [from.out_tangent, to.in_tangent]);
            (cubic[k].out_tangent, cubic[k + 1].in_tangent) = (out, into);
        }
        Curve::Cubic(cubic)
    }
}

/// The cubic of a segment; `None` if the joint moves uniformly.
pub(crate) fn keys(from: &Waypoint, to: &Waypoint, column: usize) -> Option<[CubicKey<f64>; 2]> {
    let key = |waypoint: &Waypoint| {
        let tangent = *waypoint.velocities.get(column)?;
        let value = waypoint.positions[column];
        Some(CubicKey { time: waypoint.time, in_tangent: tangent, value, out_tangent: tangent })
    };
    Some([key(from)?, key(to)?])
}

/// The values of a cubic at its extrema between its keys.
fn values_at_extrema(from: &CubicKey<f64>, to: &CubicKey<f64>) -> Vec<f64> {
    // With s from 0 to 1 the derivative with respect to s is a s^2 + 2 b s + c.
    let h = to.time - from.time;
    let (out, into) = (h * from.out_tangent, h * to.in_tangent);
    let rise = to.value - from.value;
    let (a, b, c) = (3.0 * (out + into - 2.0 * rise), 3.0 * rise - 2.0 * out - into, out);
    let root = (b * b - a * c).max(0.0).sqrt();
    let q = -(b + if b < 0.0 { -root } else { root });
    let (minimum, maximum) = (from.value.min(to.value), from.value.max(to.value));
    let rounding = 16.0 * f64::EPSILON * (from.value.abs() + to.value.abs() + out.abs() + into.abs());
    [q / a, c / q]
        .into_iter()
        .filter(|s| *s > 0.0 && *s < 1.0)
        .map(|s| number_jet(from, to, from.time + s * h).value)
        .map(|value| {
            // A cubic that stops at a limit reverses there, not beyond it.
            let between = value.clamp(minimum, maximum);
            if (value - between).abs() <= rounding { between } else { value }
        })
        .collect()
}

fn scaled(curve: &Curve<f64>, factor: f64, offset: f64) -> Curve<f64> {
    let scaled =
        |keys: &[(f64, f64)]| keys.iter().map(|(time, value)| (*time, factor * value + offset)).collect();
    match curve {
        Curve::Step(keys) => Curve::Step(scaled(keys)),
        Curve::Linear(keys) => Curve::Linear(scaled(keys)),
        Curve::Cubic(keys) => Curve::Cubic(
            keys.iter()
                .map(|key| CubicKey {
                    time: key.time,
                    in_tangent: factor * key.in_tangent,
                    value: factor * key.value + offset,
                    out_tangent: factor * key.out_tangent,
                })
                .collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::arms::{path, planar};
    use crate::robot::definition::{Mimic, RobotDefinition};

    fn robot(change: impl Fn(&mut RobotDefinition)) -> Robot {
        let mut definition = planar(4);
        change(&mut definition);
        Robot::new(definition).unwrap()
    }

    /// Joint 1 has limits, joint 2 follows joint 1, joint 3 is fixed.
    fn limited() -> Robot {
        robot(|r| {
            r.joints[1].limits = Some([-1.0, 2.0]);
            r.joints[2].mimic = Some(Mimic { joint: 1, multiplier: -2.0, offset: 0.5 });
            r.joints[2].limits = Some([-3.0, 2.3]);
            r.joints[3].axis = None;
        })
    }

    #[track_caller]
    fn refused(path: &JointPath, message: &str) {
        assert_eq!(path.check(&limited()).unwrap_err().to_string(), message);
    }

    fn cubic(joints: &[usize], rows: &[(f64, &[f64], &[f64])]) -> JointPath {
        let waypoint = |(time, positions, velocities): &(f64, &[f64], &[f64])| Waypoint {
            time: *time,
            positions: positions.to_vec(),
            velocities: velocities.to_vec(),
        };
        JointPath { joints: joints.to_vec(), waypoints: rows.iter().map(waypoint).collect() }
    }

    #[test]
    fn paths_that_do_not_fit_the_robot_are_refused() {
        assert!(path(&[1, 0], &[&[0.0, 0.5, 9.0], &[1.0, -0.5, 8.0]]).check(&limited()).is_ok());
        refused(&path(&[4], &[&[0.0, 0.5], &[1.0, 0.5]]), "path: found 4, expected the number of a joint");
        let set = "expected a joint that is not fixed and follows no other";
        refused(&path(&[0, 2], &[]), &format!("path, joint \"j3\": found 2, {set}"));
        refused(&path(&[3], &[]), &format!("path, joint \"j4\": found 3, {set}"));
        refused(&path(&[0, 1, 0], &[]), "path, joint \"j1\": found 2, expected each joint once");
        refused(&path(&[0], &[]), "path: found 0, expected at least two waypoints");
        refused(&path(&[0], &[&[0.0, 1.0]]), "path: found 1, expected at least two waypoints");
        let times = "expected times that are finite and increase";
        refused(&path(&[0], &[&[0.0, 1.0], &[0.0, 1.0]]), &format!("path, at waypoint 1: found 0, {times}"));
        refused(
            &path(&[0], &[&[f64::NAN, 1.0], &[0.0, 1.0]]),
            &format!("path, at waypoint 0: found NaN, {times}"),
        );
        refused(
            &path(&[0], &[&[0.0, 1.0], &[f64::INFINITY, 1.0]]),
            &format!("path, at waypoint 1: found inf, {times}"),
        );
        let counts = "expected one position a joint, and one velocity or none";
        refused(
            &path(&[0, 1], &[&[0.0, 1.0, 1.0], &[1.0, 1.0]]),
            &format!("path, at waypoint 1: found 1, {counts}"),
        );
        refused(
            &cubic(&[0, 1], &[(0.0, &[1.0, 1.0], &[]), (1.0, &[1.0, 1.0], &[0.0, 0.0, 0.0])]),
            &format!("path, at waypoint 1: found 3, {counts}"),
        );
        refused(
            &path(&[0], &[&[0.0, 1.0], &[1.0, f64::NAN]]),
            "joint \"j1\" at waypoint 1: found NaN, expected a finite number",
        );
        // Checked even if the other end has no velocities, so that it is not used.
        refused(
            &cubic(&[0], &[(0.0, &[1.0], &[]), (1.0, &[1.0], &[f64::NAN])]),
            "velocity of joint \"j1\" at waypoint 1: found NaN, expected a finite number",
        );
        refused(
            &cubic(&[0], &[(0.0, &[1.0], &[1e60]), (1e300, &[1.0], &[0.0])]),
            "velocity times duration of joint \"j1\" between waypoints 0 and 1: found inf, expected a finite number",
        );
    }

    #[test]
    fn limits_hold_at_waypoints_and_between() {
        let at = |value: f64| path(&[1], &[&[0.0, 0.0], &[1.0, value]]);
        assert!(at(1.75).check(&limited()).is_ok() && at(-0.9).check(&limited()).is_ok());
        let own = "expected a value within its limits, -1 to 2";
        refused(&at(-1.5), &format!("joint \"j2\" at waypoint 1: found -1.5, {own}"));
        // Followers have limits, too.
        let follower = "expected a value within its limits, -3 to 2.3";
        refused(&at(1.8), &format!("joint \"j3\" at waypoint 1: found -3.1, {follower}"));
        refused(&at(-0.95), &format!("joint \"j3\" at waypoint 1: found 2.4, {follower}"));
        // Higher by 4 h v / 27, at a third of the segment: s (1 - s)^2 h v.
        let hump =
            |value: f64, speed: f64| cubic(&[1], &[(1.0, &[value], &[speed]), (3.0, &[value], &[0.0])]);
        assert!(hump(1.0, 2.5).check(&limited()).is_ok());
        let message = hump(1.0, 3.0).check(&limited()).unwrap_err().to_string();
        // 1 + 4/27 * 6 lies within the joint's own limits, but its follower is then at -3.27.
        assert!(message.starts_with("joint \"j3\" between waypoints 0 and 1: found -3.277"), "{message}");
        let message = hump(1.5, 3.5).check(&limited()).unwrap_err().to_string();
        assert!(message.starts_with("joint \"j2\" between waypoints 0 and 1: found 2.53"), "{message}");
        let message = hump(-0.5, -3.0).check(&limited()).unwrap_err().to_string();
        assert!(message.starts_with("joint \"j2\" between waypoints 0 and 1: found -1.3"), "{message}");
        // Both ends and the middle are well within the limits: only the extrema in between exceed them.
        let both = cubic(&[1], &[(0.0, &[0.5], &[16.0]), (1.0, &[0.5], &[16.0])]);
        assert!(both.check(&limited()).is_err());
    }

    /// A cubic that ends at its limit with zero speed reverses there: rounding does not lead beyond the limit.
    #[test]
    fn a_cubic_may_stop_at_a_limit() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 * 0.5_f64.powi(53)
        };
        let mut turned = 0;
        for _ in 0..chasles_testing::cases(4_000, 20_000) {
            let (from, to, h) = (-3.0 * random(), 3.0 * random(), 0.1 + 2.0 * random());
            // Towards the end, slowly enough not to overshoot.
            let speed = 2.9 * random() * (to - from) / h;
            let robot = robot(|r| r.joints[0].limits = Some([from, to]));
            for [from, to] in [[from, to], [to, from]] {
                let speed = if from < to { speed } else { -speed };
                let stops = cubic(&[0], &[(0.0, &[from], &[speed]), (h, &[to], &[0.0])]);
                assert_eq!(stops.check(&robot), Ok(()));
                let starts = cubic(&[0], &[(5.0, &[from], &[0.0]), (5.0 + h, &[to], &[speed])]);
                assert_eq!(starts.check(&robot), Ok(()));
                let [out, into] = keys(&stops.waypoints[0], &stops.waypoints[1], 0).unwrap();
                turned += values_at_extrema(&out, &into).len();
            }
        }
        assert!(turned > 120, "only {turned} turn before their end, by a rounding");
    }

    #[test]
    fn segments_and_positions_at_given_times() {
        let rows = path(&[2, 0], &[&[-1.0, 0.0, 5.0], &[0.5, 3.0, 5.0], &[2.0, 2.0, -1.0]]);
        assert_eq!(rows.interval(), [-1.0, 2.0]);
        let segments = [-2.0, -1.0, 0.0, 0.5, 0.5_f64.next_up(), 2.0, 9.0].map(|time| rows.segment_at(time));
        assert_eq!(segments, [0, 0, 0, 0, 1, 1, 1]);
        assert_eq!(rows.positions_at(-1.0), [0.0, 5.0]);
        assert_eq!(rows.positions_at(-0.5), [1.0, 5.0]);
        assert_eq!(rows.positions_at(0.5), [3.0, 5.0]);
        assert_eq!(rows.positions_at(1.25), [2.5, 2.0]);
        assert_eq!(rows.positions_at(2.0), [2.0, -1.0]);
        let hump = cubic(&[1], &[(1.0, &[1.0], &[2.0]), (3.0, &[2.0], &[-1.0]), (4.0, &[0.0], &[])]);
        // In the middle of a Hermite cubic: (v + w) / 2 + h (out - in) / 8; then straight.
        assert_eq!(hump.positions_at(2.0), [1.5 + 2.0 * 3.0 / 8.0]);
        assert_eq!(hump.positions_at(3.5), [1.0]);
    }

    #[test]
    fn curves_have_the_values_of_the_positions() {
        let robot = limited();
        let mixed = cubic(
            &[1, 0],
            &[
                (10.0, &[0.0, 1.0], &[0.3, -2.0]),
                (11.0, &[0.5, 2.0], &[0.0, 1.0]),
                (11.5, &[0.4, 9.0], &[]),
                (13.0, &[0.1, -9.0], &[0.2, 0.0]),
                (14.0, &[0.1, -9.0], &[-0.2, 0.0]),
            ],
        );
        assert!(mixed.check(&robot).is_ok());
        let uniform = path(&[1, 0], &[&[10.0, 0.0, 1.0], &[11.0, 0.5, 2.0], &[14.0, 0.4, 9.0]]);
        for path in [mixed, uniform] {
            let curves = path.curves(&robot);
            assert_eq!(curves[3], Curve::constant(0.0));
            for i in 0..=400 {
                let time = f64::from(i) / 100.0;
                let [b, a] = path.positions_at(10.0 + time)[..] else { panic!("two joints") };
                for (curve, expected) in curves.iter().zip([a, b, -2.0 * b + 0.5, 0.0]) {
                    let value = match curve {
                        Curve::Cubic(keys) => {
                            let k = keys.partition_point(|key| key.time < time).clamp(1, keys.len() - 1);
                            number_jet(&keys[k - 1], &keys[k], time).value
                        }
                        Curve::Linear(keys) => {
                            let k = keys.partition_point(|key| key.0 < time).clamp(1, keys.len() - 1);
                            let [from, to] = [keys[k - 1], keys[k]];
                            from.1 + (time - from.0) / (to.0 - from.0) * (to.1 - from.1)
                        }
                        Curve::Step(keys) => keys[0].1,
                    };
                    assert!((value - expected).abs() < 1e-13, "{time}: {value} {expected} {curve:?}");
                }
            }
        }
        // Joints that the path does not name rest, and so do their followers.
        let robot = self::robot(|r| {
            r.joints[1].rest = 0.75;
            r.joints[2].mimic = Some(Mimic { joint: 1, multiplier: -2.0, offset: 0.5 });
        });
        let curves = path(&[0], &[&[0.0, 0.0], &[1.0, 1.0]]).curves(&robot);
        let expected = [0.75, -1.0, 0.0].map(Curve::constant);
        assert_eq!(curves[1..], expected);
    }
}
