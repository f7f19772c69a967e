//! The report of a check as a person reads it: who meets whom and when, then each meeting, then what was proven.

use std::fmt::Write as _;
use std::path::Path;

use chasles::{ContactFeatures, PairReport, PairVerdict, Scene, SceneContact, SceneReport};
use chasles_formats::scene_report::{reason, verdict};

use super::words::{count, direction, enclosure, moment, moment_before, name, number, vector};

/// Names are cut to this in the table, so that its lines fit on 100 columns.
const NAME: usize = 22;

/// So many meetings are told in full.
const MEETINGS: usize = 12;

/// The report on lines of at most 100 columns.
pub(super) fn table(file: &Path, scene: &Scene, report: &SceneReport) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{}: {}\n{} over {} s, {} tested",
        file.display(),
        verdict(report.verdict).to_uppercase(),
        count(scene.bodies().len(), "body"),
        number(scene.duration()),
        count(report.pairs_tested, "pair")
    );
    text.push_str(&overview(scene, report));
    let meetings: Vec<_> = report.pairs.iter().filter_map(|pair| meeting(scene, pair)).collect();
    text.extend(meetings.iter().take(MEETINGS).map(String::as_str));
    if meetings.len() > MEETINGS {
        let _ = writeln!(text, "\nand {} more: --json tells all of them", meetings.len() - MEETINGS);
    }
    text.push_str(&doubts(scene, report));
    text.push_str(&proof(scene, report));
    text
}

/// One line for each interval of each pair.
fn overview(scene: &Scene, report: &SceneReport) -> String {
    if report.pairs.is_empty() {
        return String::new();
    }
    let mut rows = vec![["a", "b", "verdict", "from", "until"].map(String::from)];
    let duration = scene.duration();
    for pair in &report.pairs {
        let [a, b] = pair.bodies.map(|body| name(&scene.bodies()[body].name, NAME));
        let word = verdict(pair.verdict);
        for (index, interval) in pair.intervals.iter().enumerate() {
            let enter = match interval.enter {
                [0.0, 0.0] => "the start".into(),
                enter => enclosure(enter, duration),
            };
            let exit = interval.exit.map_or("the end".into(), |exit| enclosure(exit, duration));
            let [a, b, word] = if index == 0 { [&a, &b, word] } else { ["", "", ""] }.map(String::from);
            rows.push([a, b, word, enter, exit]);
        }
        if pair.intervals.is_empty() {
            let free = match pair.verdict {
                PairVerdict::Clear => String::new(),
                _ => format!("clear until {} s", moment_before(pair.clear_until, duration)),
            };
            rows.push([a, b, word.into(), free, String::new()]);
        }
    }
    let widths: Vec<_> =
        (0..5).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::from("\n");
    for row in rows {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    text
}

/// How a pair first meets; none where it does not, or has met from the start.
fn meeting(scene: &Scene, pair: &PairReport) -> Option<String> {
    let (interval, place) = pair.intervals.iter().find_map(|i| i.contact.as_ref().map(|c| (i, c)))?;
    let contact = &place.contact;
    let duration = scene.duration();
    let [a, b] = pair.bodies.map(|body| name(&scene.bodies()[body].name, NAME));
    let verb = if interval.touching { "touches" } else { "meets" };
    let mut text = format!("\n{a} {verb} {b} at {}\n", enclosure(interval.enter, duration));
    let features = match contact.features {
        ContactFeatures::VertexFace { a: v, b: f } => format!("vertex {v} of {a}, face {f} of {b}"),
        ContactFeatures::FaceVertex { a: f, b: v } => format!("face {f} of {a}, vertex {v} of {b}"),
        ContactFeatures::EdgeEdge { a: [v, w], b: [p, q] } => {
            format!("edge {v}-{w} of {a}, edge {p}-{q} of {b}")
        }
    };
    let rows = [
        ("where", format!("{} m", vector(contact.point))),
        ("normal", format!("{}, from {a} to {b}", direction(contact.normal))),
        ("features", features),
        ("approach", format!("{} m/s along the normal", number(contact.approach_speed))),
    ];
    for (key, value) in rows {
        let _ = writeln!(text, "  {key:<10}{value}");
    }
    text.push_str(&screw(scene, place));
    Some(text)
}

/// The screw on which two bodies meet.
fn screw(scene: &Scene, place: &SceneContact) -> String {
    let body = |body: usize| name(&scene.bodies()[body].name, NAME);
    let axis = &place.axis;
    let [from, to] = place.span.map(|time| moment(time, scene.duration()));
    let head = format!(
        "  {:<10}of {} seen from {}, from {from} to {to} s",
        "screw",
        body(place.moving),
        body(place.standing)
    );
    let along = direction(axis.direction);
    let slide = format!("slides {} m", number(axis.slide));
    let lines = match axis.point {
        Some(point) => {
            let turn = format!("turns {} degrees, {slide}", number(axis.angle.to_degrees()));
            vec![turn, format!("about {along} through {} m", vector(point))]
        }
        None if axis.slide == 0.0 => vec!["stands still".into()],
        None => vec![format!("{slide} along {along}")],
    };
    lines.iter().fold(head + "\n", |text, line| format!("{text}{:12}{line}\n", ""))
}

/// Why something is not decided, or not sharply.
fn doubts(scene: &Scene, report: &SceneReport) -> String {
    let mut text = String::new();
    for pair in report.pairs.iter().filter(|pair| !pair.unknown.is_empty()).take(MEETINGS) {
        let [a, b] = pair.bodies.map(|body| name(&scene.bodies()[body].name, NAME));
        let spans = pair.unknown.iter().take(3).map(|span| enclosure(*span, scene.duration()));
        let spans = spans.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "\n{a} and {b}: not decided from {spans}");
        if let Some(doubt) = pair.doubt {
            text.push_str(&wrapped("  ", reason(doubt)));
        }
    }
    text
}

/// What holds for certain.
fn proof(scene: &Scene, report: &SceneReport) -> String {
    let clear = match (report.pairs_clear, report.pairs_tested) {
        (_, 0) => "No two bodies move relative to each other and are tested: nothing to prove.".into(),
        (clear, tested) if clear == tested => {
            format!(
                "Proven: every pair keeps clear at every moment from 0 to {} s.",
                number(scene.duration())
            )
        }
        (clear, tested) => {
            let first = match report.clear_until {
                0.0 => String::new(),
                until => format!(" Before {} s nothing touches.", moment_before(until, scene.duration())),
            };
            format!("Proven: {clear} of {} clear at every moment.{first}", count(tested, "pair"))
        }
    };
    let mut text = String::from("\n");
    text.push_str(&wrapped("", &clear));
    if report.pairs_tested == 0 {
        return text;
    }
    let touching = format!("Surfaces closer than {} m count as touching.", number(report.tolerance));
    text.push_str(&wrapped("", &touching));
    let bodies = scene.bodies();
    let deviation = bodies.iter().map(|body| body.shape.deviation()).fold(0.0, f64::max);
    if deviation > 0.0 {
        let round = format!(
            "Polyhedra stand in for round bodies, whose surfaces lie at most {} m outside them: this is contained in the verdicts \
             and in the times; features of round bodies are those of the polyhedra.",
            number(deviation)
        );
        text.push_str(&wrapped("", &round));
    }
    text
}

/// A text on lines of at most 100 columns.
fn wrapped(indent: &str, text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let fits = lines.last().is_some_and(|line| line.len() + word.len() + indent.len() < 100);
        match lines.last_mut() {
            Some(line) if fits || line.is_empty() => {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines.iter().fold(String::new(), |all, line| format!("{all}{indent}{line}\n"))
}
