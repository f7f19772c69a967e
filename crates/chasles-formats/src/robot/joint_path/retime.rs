//! Trapezoidal timing: from rest at each waypoint to rest at the next, as fast as the limits of speed and
//! acceleration allow.
//!
//! The joints move in step along the straight line between two waypoints: q(s) = p + s (q - p), s from 0 to 1. The
//! rate of s grows linearly, stays constant, and falls linearly; if the segment is too short for full speed, the
//! rate only grows and falls. The slowest joint by its limits sets the pace. Each part of such a motion is a
//! parabola or a line, and so a cubic with the positions and velocities at its ends.

use super::{PathFile, PathWaypoint};
use crate::error::{Error, Result};
use crate::text::tree::{number_text, quoted};

/// Maximum speed and acceleration of a joint, each finite and above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrapezoidalLimit {
    /// In radians or metres a second.
    pub velocity: f64,
    /// In radians or metres per square second.
    pub acceleration: f64,
}

impl PathFile {
    /// The path through the same waypoints with trapezoidal timing. `limits` has one entry per joint, in their
    /// order.
    ///
    /// The path starts at the time of the first waypoint; the times and velocities of the other waypoints are
    /// ignored. Waypoints are added at changes of acceleration, all waypoints have velocities, and
    /// [`PathWaypoint::segment`] keeps the numbers of this path. A segment without motion takes no time.
    ///
    /// # Errors
    /// A number of limits that is not the number of joints, a limit that is not finite and above 0, a path without
    /// motion, times that are equal as 64-bit numbers.
    ///
    /// # Example
    /// ```
    /// use chasles_formats::robot::joint_path::{PathOptions, TrapezoidalLimit, parse};
    /// let path = parse(b"time,lift\n0,0\n1,3\n", "up.csv".as_ref(), PathOptions::default())?;
    /// let timed = path.retimed(&[TrapezoidalLimit { velocity: 1.0, acceleration: 1.0 }])?;
    /// let times: Vec<_> = timed.waypoints.iter().map(|waypoint| waypoint.time).collect();
    /// assert_eq!(times, [0.0, 1.0, 3.0, 4.0]);
    /// # Ok::<(), chasles_formats::Error>(())
    /// ```
    pub fn retimed(&self, limits: &[TrapezoidalLimit]) -> Result<Self> {
        self.check_limits(limits)?;
        let mut waypoints: Vec<PathWaypoint> = Vec::new();
        let mut time = self.waypoints.first().map_or(0.0, |first| first.time);
        for pair in self.waypoints.windows(2) {
            let [from, to] = [&pair[0], &pair[1]];
            let displacement: Vec<f64> =
                to.positions.iter().zip(&from.positions).map(|(to, from)| to - from).collect();
            let Some(profile) = Profile::new(&displacement, limits) else { continue };
            for key in profile.keys() {
                // Rounding must not lead beyond either end, because the ends may be limits.
                let between = |(from, to): (&f64, &f64)| {
                    (from + key.s * (to - from)).clamp(from.min(*to), from.max(*to))
                };
                waypoints.push(PathWaypoint {
                    time: time + key.time,
                    positions: from.positions.iter().zip(&to.positions).map(between).collect(),
                    velocities: displacement.iter().map(|displacement| key.rate * displacement).collect(),
                    ..from.clone()
                });
            }
            time += profile.duration();
        }
        let Some(last) = self.waypoints.last().filter(|_| !waypoints.is_empty()) else {
            return Err(Error::file(&self.file, "found waypoints that are all the same, expected a motion"));
        };
        waypoints.push(PathWaypoint { time, velocities: vec![0.0; last.positions.len()], ..last.clone() });
        let timed = Self { waypoints, ..self.clone() };
        if let Some(waypoint) = timed.waypoints.iter().find(|waypoint| !waypoint.time.is_finite()) {
            return Err(self.error(&waypoint.place, "found a segment that takes too long for 64-bit numbers"));
        }
        timed.check()?;
        Ok(timed)
    }

    fn check_limits(&self, limits: &[TrapezoidalLimit]) -> Result<()> {
        if limits.len() != self.joints.len() {
            let message = format!(
                "found {} limits, expected one for each of {} joints",
                limits.len(),
                self.joints.len()
            );
            return Err(Error::file(&self.file, message));
        }
        for (name, limit) in self.joints.iter().zip(limits) {
            for (what, value) in [("speed", limit.velocity), ("acceleration", limit.acceleration)] {
                if !(value.is_finite() && value > 0.0) {
                    let [name, found] = [quoted(name), number_text(value)];
                    let message = format!(
                        "found {found} as the maximum {what} of the joint {name}, expected a finite number > 0"
                    );
                    return Err(Error::file(&self.file, message));
                }
            }
        }
        Ok(())
    }
}

/// The profile of s from 0 to 1.
struct Profile {
    /// Duration of the growth of the rate, and of its fall, in seconds.
    ramp: f64,
    /// Duration of the constant rate, in seconds.
    cruise: f64,
    /// The maximum rate, per second.
    rate: f64,
}

/// A point of a profile where its acceleration changes.
struct ProfileKnot {
    time: f64,
    s: f64,
    rate: f64,
}

impl Profile {
    /// `None` for a segment without motion.
    fn new(displacement: &[f64], limits: &[TrapezoidalLimit]) -> Option<Self> {
        let lowest_limit = |limit: fn(&TrapezoidalLimit) -> f64| {
            displacement
                .iter()
                .zip(limits)
                .map(|(displacement, joint_limit)| limit(joint_limit) / displacement.abs())
                .fold(f64::INFINITY, f64::min)
        };
        let [rate, acceleration] = [
            lowest_limit(|joint_limit| joint_limit.velocity),
            lowest_limit(|joint_limit| joint_limit.acceleration),
        ];
        if rate == f64::INFINITY || acceleration == f64::INFINITY {
            return None;
        }
        let ramp = rate / acceleration;
        let cruise = 1.0 / rate - ramp;
        if cruise > 0.0 {
            return Some(Self { ramp, cruise, rate });
        }
        let ramp = acceleration.sqrt().recip();
        Some(Self { ramp, cruise: 0.0, rate: ramp.recip() })
    }

    fn duration(&self) -> f64 {
        2.0 * self.ramp + self.cruise
    }

    /// The start of each part; the end is the start of the next segment.
    fn keys(&self) -> Vec<ProfileKnot> {
        let ramped = 0.5 * self.ramp * self.rate;
        let mut keys = vec![ProfileKnot { time: 0.0, s: 0.0, rate: 0.0 }];
        keys.push(ProfileKnot { time: self.ramp, s: ramped.min(0.5), rate: self.rate });
        if self.cruise > 0.0 {
            keys.push(ProfileKnot {
                time: self.ramp + self.cruise,
                s: 1.0 - ramped.min(0.5),
                rate: self.rate,
            });
        }
        keys
    }
}
