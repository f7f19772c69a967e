//! Violations of joint limits along a path, in words and as entries of reports.

use chasles::{JointAxis, JointLimit, LimitBreach, Robot};
use serde::Serialize;

use crate::figures::number;
use crate::robot::joint_path::PathFile;
use crate::text::json::plain;
use crate::text::tree::quoted;

/// The treatment of violations of joint limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LimitTreatment {
    /// They are listed beside the report.
    #[default]
    Reported,
    /// They are findings, like contacts.
    Findings,
}

/// An interval in which a joint violates one of its limits, as reports describe it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReportedBreach<'a> {
    /// The name of the joint.
    pub joint: &'a str,
    /// The kind of limit, by the word of the URDF: lower, upper or velocity.
    pub kind: &'static str,
    /// The limit.
    pub limit: f64,
    /// The value furthest beyond the limit; for the velocity limit, the signed speed.
    pub found: f64,
    /// The unit of `limit` and `found`: rad, m, rad/s or m/s.
    pub unit: &'static str,
    /// The first time at which the joint is furthest beyond the limit, in seconds.
    pub at: f64,
    /// The start of the violation, in seconds.
    pub from: f64,
    /// The end of the violation, in seconds.
    pub until: f64,
    /// The segments of the file that contain the start and the end.
    pub segments: [usize; 2],
    /// Whether the violation is a finding.
    pub finding: bool,
}

impl<'a> ReportedBreach<'a> {
    /// Converts a violation on a path of the robot that [`resolve`](crate::robot::joint_path::resolve) made from
    /// `file`.
    ///
    /// # Panics
    /// If the robot has no such joint.
    #[must_use]
    pub fn new(breach: &LimitBreach, (robot, are): (&'a Robot, LimitTreatment), file: &PathFile) -> Self {
        let joint = &robot.joints()[breach.joint];
        let slides = matches!(joint.axis, Some(JointAxis::Prismatic(_)));
        let (kind, limit) = match breach.limit {
            JointLimit::Minimum(minimum) => ("lower", minimum),
            JointLimit::Maximum(maximum) => ("upper", maximum),
            JointLimit::Speed(maximum) => ("velocity", maximum),
        };
        let unit = match (kind, slides) {
            ("velocity", true) => "m/s",
            ("velocity", false) => "rad/s",
            (_, true) => "m",
            (_, false) => "rad",
        };
        let [limit, found, at, from, until] =
            [limit, breach.worst, breach.worst_time, breach.interval[0], breach.interval[1]].map(plain);
        let segments = breach.segments.map(|segment| file.segment(segment));
        let finding = are == LimitTreatment::Findings;
        Self { joint: &joint.name, kind, limit, found, unit, at, from, until, segments, finding }
    }

    /// The name of the limit for people.
    #[must_use]
    pub fn limit_label(&self) -> &'static str {
        match self.kind {
            "lower" => "lower limit",
            "upper" => "upper limit",
            _ => "maximum speed",
        }
    }

    /// The segments, for people: `3`, or `3 to 5`.
    #[must_use]
    pub fn segments_label(&self) -> String {
        let [first, last] = self.segments;
        if first == last { first.to_string() } else { format!("{first} to {last}") }
    }

    /// The violation as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let [found, limit, at, from, until] =
            [self.found, self.limit, self.at, self.from, self.until].map(number);
        let (joint, unit, word) = (quoted(self.joint), self.unit, self.limit_label());
        let segments = if self.segments[0] == self.segments[1] { "segment" } else { "segments" };
        format!(
            "joint {joint}: found {found} {unit} at {at} s, beyond its {word} of {limit} {unit}, from {from} s until {until} s \
             in {segments} {}",
            self.segments_label()
        )
    }
}
