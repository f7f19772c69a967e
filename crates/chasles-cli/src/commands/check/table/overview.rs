//! Lines of contacts: one for each contact, or one for each pair if there are many.

use std::fmt::Write as _;

use chasles::{Horizon, PairReport, PairVerdict, SceneInterval};
use chasles_formats::figures::{enclosure, gap, moment, moment_before};
use chasles_formats::report::verdict::verdict;

use super::super::terms::was_stopped;
use super::CheckTable;
use crate::words::{columns, count};

/// The maximum number of pairs that are listed if contacts are grouped by pair.
const GROUPS: usize = 40;

/// The minimum gap of a pair without contact.
fn minimum_gap(pair: &PairReport) -> String {
    match pair.verdict {
        PairVerdict::Contact | PairVerdict::Overlapping => String::new(),
        _ => pair.gap.map_or(String::new(), gap),
    }
}

impl CheckTable<'_> {
    /// One line for each interval of each answered pair.
    pub(super) fn overview(&self, order: &[usize]) -> String {
        let (subject, report) = (self.subject, self.report);
        let mut rows = vec![["a", "b", "verdict", "from", "segment", "until", "least gap"].map(String::from)];
        let duration = subject.duration();
        for (index, pair) in self.answered(order) {
            let [a, b] = pair.bodies.map(|body| self.name(body));
            let (word, minimum_gap) = (verdict(pair.verdict), minimum_gap(pair));
            for (place, interval) in pair.intervals.iter().enumerate() {
                let enter = self.enter(interval);
                let segment =
                    subject.entry(index, place).map_or_else(String::new, |(segment, _)| segment.to_string());
                let exit = match (report.horizon, interval.exit) {
                    (Horizon::FirstContact, _) => "not followed".into(),
                    (Horizon::End, Some(exit)) => enclosure(exit, duration),
                    (Horizon::End, None) => "the end".into(),
                };
                let [a, b, word, minimum_gap] =
                    if place == 0 { [&a, &b, word, &minimum_gap] } else { [""; 4] }.map(String::from);
                rows.push([a, b, word, enter, segment, exit, minimum_gap]);
            }
            if pair.intervals.is_empty() {
                rows.push([a, b, word.into(), self.free(pair), String::new(), String::new(), minimum_gap]);
            }
        }
        if rows.len() > 1 { format!("\n{}", columns(&rows)) } else { String::new() }
    }

    /// One line for each answered pair: the number of contact intervals, the start of the first, and the length of
    /// the longest.
    pub(super) fn groups(&self, order: &[usize]) -> String {
        let (subject, report) = (self.subject, self.report);
        let heads = ["a", "b", "verdict", "times", "first", "segment", "longest", "least gap"];
        let mut rows = vec![heads.map(String::from)];
        let [_, end] = subject.time_interval();
        let (mut listed, mut more) = (0, 0);
        for (index, pair) in self.answered(order) {
            if pair.verdict != PairVerdict::Clear {
                if listed == GROUPS {
                    more += 1;
                    continue;
                }
                listed += 1;
            }
            let [a, b] = pair.bodies.map(|body| self.name(body));
            let word = verdict(pair.verdict).to_owned();
            let Some(first) = pair.intervals.first() else {
                let none = String::new;
                rows.push([a, b, word, none(), self.free(pair), none(), none(), minimum_gap(pair)]);
                continue;
            };
            let segment =
                subject.entry(index, 0).map_or_else(String::new, |(segment, _)| segment.to_string());
            let lasts = pair
                .intervals
                .iter()
                .map(|interval| interval.exit.map_or(end, |exit| exit[1]) - interval.enter[0]);
            let longest = match report.horizon {
                Horizon::FirstContact => "not followed".into(),
                Horizon::End => format!("{} s", moment(lasts.fold(0.0, f64::max), subject.duration())),
            };
            let times = pair.intervals.len().to_string();
            rows.push([a, b, word, times, self.enter(first), segment, longest, minimum_gap(pair)]);
        }
        let mut text = if rows.len() > 1 { format!("\n{}", columns(&rows)) } else { String::new() };
        if more > 0 {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "and {more} more pairs");
        }
        text
    }

    /// One line with the number of unanswered pairs.
    pub(super) fn stopped(&self) -> String {
        let stopped = self.report.pairs.iter().filter(|pair| was_stopped(pair)).count();
        if stopped == 0 {
            return String::new();
        }
        let mut text = format!("\nNot answered, since the check was stopped: {}.", count(stopped, "pair"));
        if self.report.followed_until > self.subject.time_interval()[0] {
            let until = moment_before(self.report.followed_until, self.subject.duration());
            let _ = write!(text, " All pairs are reported until {until} s.");
        }
        text.push('\n');
        text
    }

    /// The answered pairs, with their indices in the report.
    fn answered(&self, order: &[usize]) -> impl Iterator<Item = (usize, &PairReport)> {
        let pairs = order.iter().map(|index| (*index, &self.report.pairs[*index]));
        pairs.filter(|(_, pair)| !was_stopped(pair))
    }

    /// The start of an interval.
    pub(super) fn enter(&self, interval: &SceneInterval) -> String {
        match interval.enter {
            enter if self.subject.is_start(enter) => "the start".into(),
            enter => enclosure(enter, self.subject.duration()),
        }
    }

    /// The time until which a pair without intervals is proven clear, unless that is the whole duration.
    fn free(&self, pair: &PairReport) -> String {
        match pair.verdict {
            PairVerdict::Clear | PairVerdict::Near => String::new(),
            _ => format!("clear until {} s", moment_before(pair.clear_until, self.subject.duration())),
        }
    }
}
