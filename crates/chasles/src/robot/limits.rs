//! Finds intervals in which a path exceeds joint limits: limits of values, and limits of speeds.
//!
//! A joint moves uniformly or along a cubic between two waypoints, so value and speed are monotone between a few
//! extrema, and a limit is crossed at most once between two extrema.

use crate::motion::CubicKey;
use crate::motion::curve::number_jet;
use crate::robot::Robot;
use crate::robot::path::{JointPath, Waypoint, keys};
use crate::robot::tree::{Follower, LIMIT_TOLERANCE};

/// An interval of time in which a joint exceeds one of its limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitBreach {
    /// The number of the joint, which may follow another.
    pub joint: usize,
    /// The limit that is exceeded.
    pub limit: JointLimit,
    /// Start and end, in seconds of the path: the value or speed crosses the limit there, to a few roundings.
    pub interval: [f64; 2],
    /// The segments of the path in which the interval starts and ends: 0 lies between the first waypoint and the
    /// second.
    pub segments: [usize; 2],
    /// The value, or the signed speed, farthest beyond the limit: in radians or metres, or per second.
    pub worst: f64,
    /// The first time at which that is reached, in seconds.
    pub worst_time: f64,
}

/// A limit of a joint.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum JointLimit {
    /// The minimum value, in radians or metres.
    Minimum(f64),
    /// The maximum value, in radians or metres.
    Maximum(f64),
    /// The maximum speed in both directions, in radians or metres per second.
    Speed(f64),
}

impl JointPath {
    /// Finds the intervals in which joints exceed their limits on this path, including joints that follow those of
    /// the path, sorted by time.
    ///
    /// A value whose excess is allowed ([`Joint::allows`](crate::Joint::allows)), or a speed that exceeds its limit
    /// by at most 1e-5 of the limit, is no breach. The path must fit the robot except for the limits:
    /// [`JointPath::check`] accepts it for [`Robot::without_limits`].
    ///
    /// # Panics
    /// If the path names a joint that does not exist, or a waypoint does not have one value for each joint.
    #[must_use]
    pub fn limit_breaches(&self, robot: &Robot) -> Vec<LimitBreach> {
        let mut found = Vec::new();
        for (number, joint) in robot.joints().iter().enumerate() {
            let follower = robot.followed_joint(number);
            let column = self.joints.iter().position(|moved| *moved == follower.joint);
            let Some(column) = column.filter(|_| joint.axis.is_some()) else { continue };
            let [minimum, maximum] = joint.limits.map_or([None; 2], |limits| limits.map(Some));
            let limits = [
                minimum.map(JointLimit::Minimum),
                maximum.map(JointLimit::Maximum),
                joint.velocity.map(JointLimit::Speed),
            ];
            for limit in limits.into_iter().flatten() {
                let mut breaches: Vec<LimitBreach> = Vec::new();
                for (segment, pair) in self.waypoints.windows(2).enumerate() {
                    let values = JointSegment::new([&pair[0], &pair[1]], column, &follower);
                    for breach in values.breaches(limit) {
                        let next = LimitBreach { joint: number, limit, segments: [segment; 2], ..breach };
                        match breaches.last_mut().filter(|last| last.interval[1] == next.interval[0]) {
                            Some(last) => last.append(&next),
                            None => breaches.push(next),
                        }
                    }
                }
                breaches.retain(|breach| match limit {
                    JointLimit::Speed(maximum) => breach.excess() > LIMIT_TOLERANCE * maximum,
                    JointLimit::Minimum(_) | JointLimit::Maximum(_) => !joint.allows(breach.worst),
                });
                found.extend(breaches);
            }
        }
        // The sort is stable: at equal times, breaches stay in the order of the joints.
        found.sort_by(|a, b| a.interval[0].total_cmp(&b.interval[0]));
        found
    }
}

impl LimitBreach {
    /// The excess of the worst value or speed over the limit.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.limit.excess(self.worst)
    }

    /// Appends an interval that starts where this one ends.
    fn append(&mut self, next: &Self) {
        self.interval[1] = next.interval[1];
        self.segments[1] = next.segments[1];
        if next.excess() > self.excess() {
            (self.worst, self.worst_time) = (next.worst, next.worst_time);
        }
    }
}

impl JointLimit {
    /// The excess of a value, or a speed, over this limit; negative within the limit.
    fn excess(self, value: f64) -> f64 {
        match self {
            Self::Minimum(minimum) => minimum - value,
            Self::Maximum(maximum) => value - maximum,
            Self::Speed(maximum) => value.abs() - maximum,
        }
    }
}

/// The value of a joint on a segment.
struct JointSegment {
    times: [f64; 2],
    values: [f64; 2],
    /// The keys of the cubic; `None` if the joint moves uniformly.
    cubic: Option<[CubicKey<f64>; 2]>,
}

impl JointSegment {
    fn new([from, to]: [&Waypoint; 2], column: usize, follower: &Follower) -> Self {
        let &Follower { factor, offset, .. } = follower;
        let followed = |key: CubicKey<f64>| CubicKey {
            time: key.time,
            in_tangent: factor * key.in_tangent,
            value: factor * key.value + offset,
            out_tangent: factor * key.out_tangent,
        };
        let values = [from, to].map(|waypoint| factor * waypoint.positions[column] + offset);
        let cubic = keys(from, to, column).map(|keys| keys.map(followed));
        Self { times: [from.time, to.time], values, cubic }
    }

    fn value(&self, time: f64) -> f64 {
        let ([from, to], [start, end]) = (self.values, self.times);
        match &self.cubic {
            _ if time == start => from,
            _ if time == end => to,
            Some([from, to]) => number_jet(from, to, time).value,
            None => from + (time - start) / (end - start) * (to - from),
        }
    }

    fn speed(&self, time: f64) -> f64 {
        match &self.cubic {
            Some([from, to]) => number_jet(from, to, time).first,
            None => (self.values[1] - self.values[0]) / (self.times[1] - self.times[0]),
        }
    }

    /// The intervals in which the joint exceeds a limit; the caller sets joint and segments.
    fn breaches(&self, limit: JointLimit) -> Vec<LimitBreach> {
        let quantity = |time: f64| match limit {
            JointLimit::Minimum(_) | JointLimit::Maximum(_) => self.value(time),
            JointLimit::Speed(_) => self.speed(time),
        };
        let excess = |time: f64| limit.excess(quantity(time));
        let mut found: Vec<LimitBreach> = Vec::new();
        for pair in self.extrema(limit).windows(2) {
            let [start, end] = [pair[0], pair[1]];
            let (at_start, at_end) = (excess(start), excess(end));
            let interval = match (at_start > 0.0, at_end > 0.0) {
                (true, true) => [start, end],
                (true, false) => [start, crossing_time(&excess, start, end)],
                (false, true) => [crossing_time(&excess, end, start), end],
                (false, false) => continue,
            };
            let worst_time = if at_end > at_start { end } else { start };
            let segments = [0; 2];
            let next =
                LimitBreach { joint: 0, limit, interval, segments, worst: quantity(worst_time), worst_time };
            match found.last_mut().filter(|last| last.interval[1] == interval[0]) {
                Some(last) => last.append(&next),
                None => found.push(next),
            }
        }
        found
    }

    /// The ends of the segment, and the times in between at which the value has an extremum, or the speed or its
    /// magnitude.
    fn extrema(&self, limit: JointLimit) -> Vec<f64> {
        let [start, end] = self.times;
        let mut times = vec![start, end];
        if let Some([from, to]) = &self.cubic {
            // With s from 0 to 1 the derivative with respect to s is a s^2 + 2 b s + c.
            let h = end - start;
            let (out, into, rise) = (h * from.out_tangent, h * to.in_tangent, to.value - from.value);
            let (a, b, c) = (3.0 * (out + into - 2.0 * rise), 3.0 * rise - 2.0 * out - into, out);
            let zeros = |c: f64| {
                let q = -(b + (b * b - a * c).max(0.0).sqrt().copysign(b));
                [q / a, c / q]
            };
            let extrema = match limit {
                JointLimit::Minimum(_) | JointLimit::Maximum(_) => zeros(c).to_vec(),
                // The speed has an extremum where its derivative is 0, its magnitude also where the speed is 0.
                JointLimit::Speed(_) => [&[-b / a][..], &zeros(c)].concat(),
            };
            times.extend(extrema.into_iter().filter(|s| *s > 0.0 && *s < 1.0).map(|s| start + s * h));
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }
}

/// The time at which a function crosses 0, between `beyond`, where it is positive, and `within`, where it is not. The
/// function is monotone between them.
fn crossing_time(excess: &dyn Fn(f64) -> f64, mut beyond: f64, mut within: f64) -> f64 {
    // Bisects until no number lies between: at most some 1100 times for any two numbers.
    loop {
        let middle = 0.5 * beyond + 0.5 * within;
        if middle == beyond
            || middle == within
            || !(middle > beyond.min(within) && middle < beyond.max(within))
        {
            return within;
        }
        if excess(middle) > 0.0 {
            beyond = middle;
        } else {
            within = middle;
        }
    }
}
