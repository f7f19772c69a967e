//! The proven statements, and undecided pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use chasles::{Containment, Guarantee, Horizon, NearestPair, PairVerdict, SceneReport};
use chasles_formats::Subject;
use chasles_formats::figures::{enclosure, gap, moment, moment_before, number, number_rounded_up};
use chasles_formats::report::verdict::{no_contact_phrase, reason};

use super::super::terms::was_stopped;
use super::{CheckTable, Extent, MAX_FULL_CONTACTS};
use crate::words::{count, wrapped};

/// The maximum number of hollow bodies that are listed with their contents, and the maximum number of inner bodies
/// for each.
const MAX_INSIDE: usize = 4;

impl CheckTable<'_> {
    /// The reasons why pairs are undecided, or not decided sharply.
    pub(super) fn undecided_text(&self) -> String {
        let (subject, report) = (self.subject, self.report);
        let mut text = String::new();
        let doubtful = report.pairs.iter().filter(|pair| !pair.undecided.is_empty() && !was_stopped(pair));
        let maximum = if self.extent == Extent::All { usize::MAX } else { MAX_FULL_CONTACTS };
        let mut more = 0;
        for (number, pair) in doubtful.enumerate() {
            if number >= maximum {
                more += 1;
                continue;
            }
            let [a, b] = pair.bodies.map(|body| self.name(body));
            let intervals = pair.undecided.iter().take(3).map(|span| enclosure(*span, subject.duration()));
            let intervals = intervals.collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "\n{a} and {b}: not decided from {intervals}");
            if let Some(reason_value) = pair.reason {
                text.push_str(&wrapped("  ", reason(reason_value)));
            }
        }
        if more > 0 {
            let _ = writeln!(text, "\nand {more} more pairs are not decided: --all lists them");
        }
        text
    }

    /// The clear pair with the smallest gap, so that a body placed a metre off is noticed.
    pub(super) fn nearest(&self) -> String {
        let Some(NearestPair { bodies, gap: bounds, time }) = self.report.nearest else {
            return String::new();
        };
        let [a, b] = bodies.map(|body| self.name(body));
        let time = moment(time, self.subject.duration());
        let separation = match bounds {
            // The lower bound is too weak to be useful.
            [lower, upper] if lower < 0.1 * upper => {
                format!("no more than {} m", number_rounded_up(upper))
            }
            bounds => gap(bounds),
        };
        wrapped("", &format!("Nearest: {a} and {b}, {separation} apart at {time} s."))
    }

    /// The addition to a verdict without contact, if bodies are inside hollow ones.
    pub(super) fn but_inside(&self) -> String {
        let inner: BTreeSet<usize> = self.report.inside.iter().map(|inside| inside.inner).collect();
        match (self.report.verdict, inner.len()) {
            (PairVerdict::Clear | PairVerdict::Near, 1) => ", but a body is inside a hollow one".into(),
            (PairVerdict::Clear | PairVerdict::Near, 2..) => {
                format!(", but {} are inside hollow ones", count(inner.len(), "body"))
            }
            _ => String::new(),
        }
    }

    /// Bodies inside closed hollow surfaces, one line per outer body.
    pub(super) fn inside(&self) -> String {
        let mut contained: BTreeMap<usize, Vec<&Containment>> = BTreeMap::new();
        for inside in &self.report.inside {
            contained.entry(inside.outer).or_default().push(inside);
        }
        let mut text = String::new();
        for (outer, all) in contained.iter().take(MAX_INSIDE) {
            let listed = all.iter().take(MAX_INSIDE).map(|inside| {
                let from = moment(inside.from, self.subject.duration());
                format!("{} from {from} s", self.name(inside.inner))
            });
            let mut listed = listed.collect::<Vec<_>>().join(", ");
            if all.len() > MAX_INSIDE {
                let _ = write!(listed, " and {} more", all.len() - MAX_INSIDE);
            }
            let outer_name = self.name(*outer);
            let solid = match self.subject.is_path() {
                true => " (by --hollow, or solid = false)",
                false => " (solid = true fills it)",
            };
            text.push_str(&wrapped("", &format!("Inside {outer_name}, which is hollow{solid}: {listed}.")));
        }
        if contained.len() > MAX_INSIDE {
            let _ = writeln!(
                text,
                "and in {} more: --json lists all",
                count(contained.len() - MAX_INSIDE, "body")
            );
        }
        text
    }
}

/// The proven statements.
pub(super) fn proof(subject: &Subject<'_>, report: &SceneReport) -> String {
    let clear = match (report.pairs_clear, report.pairs_tested) {
        (_, 0) => "No two bodies are tested against each other: nothing to prove.".into(),
        (clear, tested) if clear == tested => {
            let [start, end] = subject.time_interval().map(number);
            let but = if subject.missing().is_empty() { "" } else { ", but for the missing geometry" };
            format!("Proven: every pair keeps clear at every moment from {start} to {end} s{but}.")
        }
        _ if report.horizon == Horizon::FirstContact => {
            let before = if report.clear_until == subject.time_interval()[0] {
                "No time is proven free.".into()
            } else {
                let until = moment_before(report.clear_until, subject.duration());
                format!("Proven: before {until} s {}.", no_contact_phrase(report))
            };
            format!("{before} The time after {} s was not examined.", number(report.followed_until))
        }
        (clear, tested) => {
            let first = match report.clear_until {
                until if until == subject.time_interval()[0] => String::new(),
                until => {
                    let until = moment_before(until, subject.duration());
                    format!(" Before {until} s {}.", no_contact_phrase(report))
                }
            };
            format!("Proven: {clear} of {} clear at every moment.{first}", count(tested, "pair"))
        }
    };
    let mut text = String::from("\n");
    text.push_str(&wrapped("", &clear));
    if report.pairs_tested == 0 {
        return text;
    }
    let but = if subject.has_deforming() { "; of what deforms, only where rounding decides" } else { "" };
    let mut touching = format!("Surfaces closer than {} m count as touching{but}.", number(report.tolerance));
    if report.horizon == Horizon::FirstContact {
        if subject.has_own_clearances() || subject.clearance() > 0.0 {
            touching.push_str(" Clearances play no part for the first contact.");
        }
    } else if subject.has_own_clearances() {
        touching.push_str(" Clear pairs keep more than their clearances apart.");
    } else if subject.clearance() > 0.0 {
        let _ = write!(touching, " Clear pairs keep more than {} m apart.", number(subject.clearance()));
    }
    if let Some(epsilon) = report.epsilon {
        let pairs = match report.guarantee {
            Guarantee::Surfaces => "Pairs with a solid, a cloud or a parametric surface",
            Guarantee::Points { .. } => "All pairs",
        };
        let _ = write!(touching, " {pairs} are proven down to epsilon = {} m.", number(epsilon));
    }
    text.push_str(&wrapped("", &touching));
    if report.guarantee != Guarantee::Surfaces {
        let points = "All of this is guaranteed for the points only, on their curved paths: the surface between them \
                      was not examined.";
        text.push_str(&wrapped("", points));
    }
    let deviation = report.pairs.iter().map(|pair| pair.deviation).fold(0.0, f64::max);
    if deviation > 0.0 {
        let note = format!(
            "Of the pairs listed, what was examined lies at most {} m from the true shapes and motions: this is contained in \
             the verdicts, gaps and times.",
            number(deviation)
        );
        text.push_str(&wrapped("", &note));
    }
    text
}
