//! Paths in joint space.
//!
//! Between two waypoints each joint moves evenly, or along the cubic that has the velocities of both. Along an even segment the
//! motion of a link on the next is one screw, exactly; that of a link on one further down is none, and is never called so.

use crate::error::{Error, ErrorKind};
use crate::motion::curve::number_jet;
use crate::motion::{CubicKey, Curve};
use crate::robot::tree::Robot;

/// Where joints are to be, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct JointPath {
    /// The numbers of the joints that the path moves. The others rest.
    pub joints: Vec<usize>,
    /// At least two, in order of time.
    pub waypoints: Vec<Waypoint>,
}

/// One point of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Waypoint {
    /// In seconds, increasing from one to the next.
    pub time: f64,
    /// One value a joint of the path, in radians or metres.
    pub positions: Vec<f64>,
    /// As many, per second; empty: not given. Where both ends of a segment have them its joints move along cubics, else evenly.
    pub velocities: Vec<f64>,
}

impl JointPath {
    /// The time of the first waypoint and of the last, in seconds.
    ///
    /// # Panics
    /// If there are no waypoints.
    #[must_use]
    pub fn span(&self) -> [f64; 2] {
        [self.waypoints[0].time, self.waypoints[self.waypoints.len() - 1].time]
    }

    /// The segment in which a time lies: of two that meet there, the earlier; 0 lies between the first waypoint and the second.
    #[must_use]
    pub fn segment_at(&self, time: f64) -> usize {
        let after = self.waypoints.partition_point(|waypoint| waypoint.time < time);
        after.saturating_sub(1).min(self.waypoints.len().saturating_sub(2))
    }

    /// One value a joint of the path at a time within its span.
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
                    let share = (time - from.time) / (to.time - from.time);
                    from.positions[column] + share * (to.positions[column] - from.positions[column])
                }
            })
            .collect()
    }

    /// Whether the path fits a robot.
    ///
    /// # Errors
    /// A joint that does not exist, stands twice, is fixed or follows another; fewer than two waypoints, times that do not increase,
    /// a wrong number of values, one that is no number or lies beyond the limits of its joint, there or on the way of a cubic.
    pub fn check(&self, robot: &Robot) -> Result<(), Error> {
        let wrong = |value: f64, expected, place: String| {
            Err(Error::new(ErrorKind::OutOfRange { value, expected }, place))
        };
        for (column, &joint) in self.joints.iter().enumerate() {
            let Some(found) = robot.joints().get(joint) else {
                return wrong(joint as f64, "the number of a joint", "path".into());
            };
            if !robot.is_set(joint) {
                let place = format!("path, joint {:?}", found.name);
                return wrong(joint as f64, "a joint that is not fixed and follows no other", place);
            }
            if self.joints[..column].contains(&joint) {
                return wrong(2.0, "each joint once", format!("path, joint {:?}", found.name));
            }
        }
        if self.waypoints.len() < 2 {
            return wrong(self.waypoints.len() as f64, "at least two waypoints", "path".into());
        }
        let mut before = f64::NEG_INFINITY;
        for (number, waypoint) in self.waypoints.iter().enumerate() {
            let place = format!("at waypoint {number}");
            if !(waypoint.time > before && waypoint.time.is_finite()) {
                return wrong(waypoint.time, "times that are finite and increase", format!("path, {place}"));
            }
            before = waypoint.time;
            let count = self.joints.len();
            if waypoint.positions.len() != count || ![0, count].contains(&waypoint.velocities.len()) {
                let found = waypoint.positions.len() as f64;
                return wrong(
                    found,
                    "one position a joint, and one velocity or none",
                    format!("path, {place}"),
                );
            }
            for column in 0..count {
                robot.check_limits(self.joints[column], waypoint.positions[column], &place)?;
            }
        }
        for (number, pair) in self.waypoints.windows(2).enumerate() {
            for column in 0..self.joints.len() {
                if let Some([from, to]) = keys(&pair[0], &pair[1], column) {
                    for value in turning_values(&from, &to) {
                        let place = format!("between waypoints {number} and {}", number + 1);
                        robot.check_limits(self.joints[column], value, &place)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The value of each joint of a robot over time, which begins at 0 where the path begins. (Checked: [`Self::check`].)
    pub(crate) fn curves(&self, robot: &Robot) -> Vec<Curve<f64>> {
        let own: Vec<Curve<f64>> = (0..self.joints.len()).map(|column| self.curve(column)).collect();
        (0..robot.joints().len())
            .map(|joint| {
                let followed = robot.followed(joint);
                match self.joints.iter().position(|moved| *moved == followed.joint) {
                    Some(column) => scaled(&own[column], followed.factor, followed.offset),
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

/// The cubic of a segment, where it is one.
fn keys(from: &Waypoint, to: &Waypoint, column: usize) -> Option<[CubicKey<f64>; 2]> {
    let key = |waypoint: &Waypoint| {
        let tangent = *waypoint.velocities.get(column)?;
        let value = waypoint.positions[column];
        Some(CubicKey { time: waypoint.time, in_tangent: tangent, value, out_tangent: tangent })
    };
    Some([key(from)?, key(to)?])
}

/// The values of a cubic where it turns back between its keys.
fn turning_values(from: &CubicKey<f64>, to: &CubicKey<f64>) -> Vec<f64> {
    // With s from 0 to 1 the derivative by s is a s^2 + 2 b s + c.
    let h = to.time - from.time;
    let (out, into) = (h * from.out_tangent, h * to.in_tangent);
    let rise = to.value - from.value;
    let (a, b, c) = (3.0 * (out + into - 2.0 * rise), 3.0 * rise - 2.0 * out - into, out);
    let root = (b * b - a * c).max(0.0).sqrt();
    let q = -(b + if b < 0.0 { -root } else { root });
    [q / a, c / q]
        .into_iter()
        .filter(|s| *s > 0.0 && *s < 1.0)
        .map(|s| number_jet(from, to, from.time + s * h).value)
        .collect()
}

fn scaled(curve: &Curve<f64>, factor: f64, offset: f64) -> Curve<f64> {
    let even =
        |keys: &[(f64, f64)]| keys.iter().map(|(time, value)| (*time, factor * value + offset)).collect();
    match curve {
        Curve::Step(keys) => Curve::Step(even(keys)),
        Curve::Linear(keys) => Curve::Linear(even(keys)),
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
