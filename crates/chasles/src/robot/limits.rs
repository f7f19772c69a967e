//! Where a path leaves the limits of joints: those of their values, and those of their speeds.
//!
//! Between two waypoints a joint moves evenly or along a cubic, so that value and speed are monotone between a few places,
//! at which they turn. Between two of these a limit is passed at most once.

use crate::motion::CubicKey;
use crate::motion::curve::number_jet;
use crate::robot::path::{JointPath, Waypoint, keys};
use crate::robot::tree::{Follower, LIMIT_SLACK, Robot};

/// A time in which a joint is beyond one of its limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimitBreach {
    /// The number of the joint, which may follow another.
    pub joint: usize,
    /// What it is beyond.
    pub limit: JointLimit,
    /// From when to when, in seconds of the path: where value or speed passes the limit, to a few roundings.
    pub span: [f64; 2],
    /// The segments of the path in which the span begins and ends: 0 lies between the first waypoint and the second.
    pub segments: [usize; 2],
    /// The value, or the speed with its sign, farthest beyond the limit: in radians or metres, or those per second.
    pub worst: f64,
    /// When that is reached first, in seconds.
    pub worst_time: f64,
}

/// A limit of a joint.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub enum JointLimit {
    /// The least value, in radians or metres.
    Least(f64),
    /// The greatest value, in radians or metres.
    Most(f64),
    /// The greatest speed either way, in radians or metres per second.
    Speed(f64),
}

impl JointPath {
    /// Where joints are beyond their limits on this path, joints that follow those of the path too, in order of time.
    ///
    /// A value that exceeds a limit by so little that it is allowed ([`Joint::allows`](crate::Joint::allows)), and a speed
    /// that exceeds its limit by no more than 1e-5 of it, is no breach. The path must fit the robot but for its limits:
    /// [`JointPath::check`] accepts it for [`Robot::without_limits`].
    ///
    /// # Panics
    /// If the path names a joint that does not exist, or a waypoint has not one value a joint.
    #[must_use]
    pub fn limit_breaches(&self, robot: &Robot) -> Vec<LimitBreach> {
        let mut found = Vec::new();
        for (number, joint) in robot.joints().iter().enumerate() {
            let follower = robot.followed_joint(number);
            let column = self.joints.iter().position(|moved| *moved == follower.joint);
            let Some(column) = column.filter(|_| joint.axis.is_some()) else { continue };
            let [least, most] = joint.limits.map_or([None; 2], |limits| limits.map(Some));
            let limits = [
                least.map(JointLimit::Least),
                most.map(JointLimit::Most),
                joint.velocity.map(JointLimit::Speed),
            ];
            for limit in limits.into_iter().flatten() {
                let mut spans: Vec<LimitBreach> = Vec::new();
                for (segment, pair) in self.waypoints.windows(2).enumerate() {
                    let piece = JointSegment::new([&pair[0], &pair[1]], column, &follower);
                    for span in piece.breaches(limit) {
                        let next = LimitBreach { joint: number, limit, segments: [segment; 2], ..span };
                        match spans.last_mut().filter(|last| last.span[1] == next.span[0]) {
                            Some(last) => last.resume(&next),
                            None => spans.push(next),
                        }
                    }
                }
                spans.retain(|breach| match limit {
                    JointLimit::Speed(most) => breach.excess() > LIMIT_SLACK * most,
                    JointLimit::Least(_) | JointLimit::Most(_) => !joint.allows(breach.worst),
                });
                found.extend(spans);
            }
        }
        // Stable: at one time in the order of the joints.
        found.sort_by(|a, b| a.span[0].total_cmp(&b.span[0]));
        found
    }
}

impl LimitBreach {
    /// By how much the worst value or speed is beyond the limit.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.limit.excess(self.worst)
    }

    /// Takes up the span that begins where this one ends.
    fn resume(&mut self, next: &Self) {
        self.span[1] = next.span[1];
        self.segments[1] = next.segments[1];
        if next.excess() > self.excess() {
            (self.worst, self.worst_time) = (next.worst, next.worst_time);
        }
    }
}

impl JointLimit {
    /// By how much a value, or a speed, is beyond this limit; negative within it.
    fn excess(self, value: f64) -> f64 {
        match self {
            Self::Least(least) => least - value,
            Self::Most(most) => value - most,
            Self::Speed(most) => value.abs() - most,
        }
    }
}

/// The value of a joint on a segment.
struct JointSegment {
    times: [f64; 2],
    values: [f64; 2],
    /// The keys of the cubic; `None`: it moves evenly.
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
        let ([from, to], [begin, end]) = (self.values, self.times);
        match &self.cubic {
            _ if time == begin => from,
            _ if time == end => to,
            Some([from, to]) => number_jet(from, to, time).value,
            None => from + (time - begin) / (end - begin) * (to - from),
        }
    }

    fn speed(&self, time: f64) -> f64 {
        match &self.cubic {
            Some([from, to]) => number_jet(from, to, time).first,
            None => (self.values[1] - self.values[0]) / (self.times[1] - self.times[0]),
        }
    }

    /// Where the joint is beyond a limit; joint and segments are not set yet.
    fn breaches(&self, limit: JointLimit) -> Vec<LimitBreach> {
        let quantity = |time: f64| match limit {
            JointLimit::Least(_) | JointLimit::Most(_) => self.value(time),
            JointLimit::Speed(_) => self.speed(time),
        };
        let excess = |time: f64| limit.excess(quantity(time));
        let mut found: Vec<LimitBreach> = Vec::new();
        for pair in self.extrema(limit).windows(2) {
            let [begin, end] = [pair[0], pair[1]];
            let (at_begin, at_end) = (excess(begin), excess(end));
            let span = match (at_begin > 0.0, at_end > 0.0) {
                (true, true) => [begin, end],
                (true, false) => [begin, passage(&excess, begin, end)],
                (false, true) => [passage(&excess, end, begin), end],
                (false, false) => continue,
            };
            let worst_time = if at_end > at_begin { end } else { begin };
            let segments = [0; 2];
            let next =
                LimitBreach { joint: 0, limit, span, segments, worst: quantity(worst_time), worst_time };
            match found.last_mut().filter(|last| last.span[1] == span[0]) {
                Some(last) => last.resume(&next),
                None => found.push(next),
            }
        }
        found
    }

    /// Begin and end of the segment, and the times between at which the value turns, or what its speed is compared by.
    fn extrema(&self, limit: JointLimit) -> Vec<f64> {
        let [begin, end] = self.times;
        let mut times = vec![begin, end];
        if let Some([from, to]) = &self.cubic {
            // With s from 0 to 1 the derivative by s is a s^2 + 2 b s + c.
            let h = end - begin;
            let (out, into, rise) = (h * from.out_tangent, h * to.in_tangent, to.value - from.value);
            let (a, b, c) = (3.0 * (out + into - 2.0 * rise), 3.0 * rise - 2.0 * out - into, out);
            let zeros = |c: f64| {
                let q = -(b + (b * b - a * c).max(0.0).sqrt().copysign(b));
                [q / a, c / q]
            };
            let turns = match limit {
                JointLimit::Least(_) | JointLimit::Most(_) => zeros(c).to_vec(),
                // The speed turns where its derivative is 0, and so does its magnitude where it is 0 itself.
                JointLimit::Speed(_) => [&[-b / a][..], &zeros(c)].concat(),
            };
            times.extend(turns.into_iter().filter(|s| *s > 0.0 && *s < 1.0).map(|s| begin + s * h));
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }
}

/// Where a function passes 0, from `beyond`, where it is positive, to `within`, where it is not, monotone between them.
fn passage(excess: &dyn Fn(f64) -> f64, mut beyond: f64, mut within: f64) -> f64 {
    // Halved until no number lies between: at most some 1100 times for any two numbers.
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
