//! Where a path is beyond the limits of joints, in words and as entries of reports.

use chasles::{JointAxis, JointLimit, LimitBreach, Robot};
use serde::Serialize;

use crate::figures::number;
use crate::robot::joint_path::PathFile;
use crate::text::json::plain;
use crate::text::tree::quoted;

/// What it means that a path is beyond the limits of joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LimitsAre {
    /// It is said beside the report.
    #[default]
    Told,
    /// It is a finding, as a contact is.
    Findings,
}

/// A time in which a joint is beyond one of its limits, as reports have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToldBreach<'a> {
    /// The name of the joint.
    pub joint: &'a str,
    /// Which limit, by the word of the URDF: lower, upper or velocity.
    pub kind: &'static str,
    /// The limit.
    pub limit: f64,
    /// The value, or the speed with its sign, farthest beyond it.
    pub found: f64,
    /// The unit of both: rad, m, rad/s or m/s.
    pub unit: &'static str,
    /// When it is farthest beyond first, in seconds.
    pub at: f64,
    /// When it begins to be beyond, in seconds.
    pub from: f64,
    /// When it ends.
    pub until: f64,
    /// The segments of the file in which it begins and ends.
    pub segments: [usize; 2],
    /// Whether it is a finding.
    pub finding: bool,
}

impl<'a> ToldBreach<'a> {
    /// A breach of a path of the robot, which [`resolve`](crate::robot::joint_path::resolve) made of `file`.
    ///
    /// # Panics
    /// If the robot has no such joint.
    #[must_use]
    pub fn new(breach: &LimitBreach, (robot, are): (&'a Robot, LimitsAre), file: &PathFile) -> Self {
        let joint = &robot.joints()[breach.joint];
        let slides = matches!(joint.axis, Some(JointAxis::Prismatic(_)));
        let (kind, limit) = match breach.limit {
            JointLimit::Least(least) => ("lower", least),
            JointLimit::Most(most) => ("upper", most),
            JointLimit::Speed(most) => ("velocity", most),
        };
        let unit = match (kind, slides) {
            ("velocity", true) => "m/s",
            ("velocity", false) => "rad/s",
            (_, true) => "m",
            (_, false) => "rad",
        };
        let [limit, found, at, from, until] =
            [limit, breach.worst, breach.worst_time, breach.span[0], breach.span[1]].map(plain);
        let segments = breach.segments.map(|segment| file.segment(segment));
        let finding = are == LimitsAre::Findings;
        Self { joint: &joint.name, kind, limit, found, unit, at, from, until, segments, finding }
    }

    /// Which limit, for people.
    #[must_use]
    pub fn limit_word(&self) -> &'static str {
        match self.kind {
            "lower" => "lower limit",
            "upper" => "upper limit",
            _ => "greatest speed",
        }
    }

    /// The segments, for people: `3`, or `3 to 5`.
    #[must_use]
    pub fn segments_word(&self) -> String {
        let [first, last] = self.segments;
        if first == last { first.to_string() } else { format!("{first} to {last}") }
    }

    /// All of it in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let [found, limit, at, from, until] =
            [self.found, self.limit, self.at, self.from, self.until].map(number);
        let (joint, unit, word) = (quoted(self.joint), self.unit, self.limit_word());
        let segments = if self.segments[0] == self.segments[1] { "segment" } else { "segments" };
        format!(
            "joint {joint}: found {found} {unit} at {at} s, beyond its {word} of {limit} {unit}, from {from} s until {until} s \
             in {segments} {}",
            self.segments_word()
        )
    }
}
