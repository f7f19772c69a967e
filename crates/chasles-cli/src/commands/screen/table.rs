//! The report of a screen as text: collisions by time, the facing of the surfaces, and enclosed vertices.

use std::fmt::Write as _;
use std::path::Path;

use chasles::{Binding, Clearance, Facing, FlowLineHit, Free, Play, ScrewFrame, VertexPassages};
use chasles_formats::figures::{direction, enclosure, moment, moment_before, number, vector};
use chasles_formats::printable::{printable, printable_path};
use chasles_formats::report::screen::{
    ScreenMethod, ScreenReport, ScreenVerdict, contact_place_label, undecided_reason,
};

use crate::words::{columns, count, wrapped};

/// The maximum number of collisions in the table.
const COLLISIONS: usize = 24;

/// The maximum number of groups of concurrent collisions in the table.
const GROUPS: usize = 12;

/// A problem that is invalid.
pub(super) fn failed(name: Option<&str>, error: &str) -> String {
    let name = name.map_or_else(String::new, |name| format!("{}: ", printable(name)));
    format!("{name}ERROR\n{}", wrapped("  ", &printable(error)))
}

/// The report on lines of at most 100 columns, if its numbers and names fit. `file` is the input.
pub(super) fn table(file: &Path, report: &ScreenReport) -> String {
    let table = ScreenTable { report };
    let subject = match &report.pair {
        Some(pair) => {
            let [a, b] = [0, 1].map(|side: usize| printable(&pair.names[side]));
            format!("{a} past {b}")
        }
        None => printable(&report.name).into_owned(),
    };
    let mut text = format!("{}: {subject}: {}\n", printable_path(file), report.verdict.word().to_uppercase());
    text.push_str(&wrapped("", &table.summary()));
    text.push_str(&table.screw());
    text.push_str(&table.facing());
    text.push_str(&table.collisions());
    text.push_str(&table.groups());
    text.push_str(&table.inside());
    text.push_str(&table.probes());
    text.push_str(&table.play());
    text.push_str(&table.proof());
    text
}

/// The data of a table.
struct ScreenTable<'a> {
    report: &'a ScreenReport,
}

impl ScreenTable<'_> {
    /// The duration of the motion, in the unit of the report.
    fn duration(&self) -> f64 {
        self.report.pair.as_ref().map_or(1.0, |pair| pair.duration)
    }

    /// A time with its unit. Times of a problem have no unit.
    fn with_unit(&self, time: &str) -> String {
        let without_unit = time.trim_end_matches(" s");
        if self.report.pair.is_some() { format!("{without_unit} s") } else { without_unit.into() }
    }

    /// The displayed names of A and B.
    fn name(&self, side: usize) -> String {
        match &self.report.pair {
            Some(pair) => printable(&pair.names[side]).into_owned(),
            None => ["A", "B"][side].into(),
        }
    }

    fn summary(&self) -> String {
        let report = self.report;
        let proper = report.collisions.iter().filter(|collision| collision.proper).count();
        let mut text = match report.collisions.len() {
            0 => "No collisions of parts that can collide".into(),
            found => {
                format!("{} of parts that can collide, {proper} of them proper", count(found, "collision"))
            }
        };
        match report.culled {
            Some(0) | None => {}
            Some(culled) => {
                let _ = write!(text, "; {} of other parts left out", count(culled, "contact"));
            }
        }
        if report.doubtful > 0 {
            let _ = write!(text, "; {} undecided because of rounding", count(report.doubtful, "pair"));
        }
        text + "."
    }

    fn screw(&self) -> String {
        let ScrewFrame { direction: along, point, slide, angle, .. } = self.report.screw;
        let [a, b] = [0, 1].map(|side| self.name(side));
        let slides = format!("slides {} m", number(slide));
        let motion_text = match (angle == 0.0, slide == 0.0) {
            (true, true) => "is static".into(),
            (true, false) => format!("{slides} along {}", direction(along)),
            _ => format!(
                "turns {} degrees, {slides}, about {} through {} m",
                number(angle.to_degrees()),
                direction(along),
                vector(point)
            ),
        };
        format!("\n{}", wrapped("", &format!("Seen from {b}, {a} {motion_text}.")))
    }

    /// How the surfaces face the screw.
    fn facing(&self) -> String {
        let heads = ["body", "leads", "trails", "slides", "faces split", "edges culled"];
        let mut rows = vec![heads.map(String::from)];
        for side in [0, 1] {
            let Facing { forward, backward, along, faces, edges, culled_edges } = self.report.facing[side];
            let area = |area: f64, faces: usize| format!("{} m2 ({})", number(area), count(faces, "face"));
            rows.push([
                self.name(side),
                area(forward, faces.forward),
                area(backward, faces.backward),
                area(along, faces.along),
                faces.split.to_string(),
                format!("{culled_edges} of {edges}"),
            ]);
        }
        format!("\n{}", columns(&rows))
    }

    fn collisions(&self) -> String {
        let report = self.report;
        if report.collisions.is_empty() {
            return String::new();
        }
        let heads =
            ["", "time", "meets", &self.name(0), &self.name(1), "proper", "properness", "where, m", "from"]
                .map(String::from);
        let mut rows = vec![heads];
        let duration = self.duration();
        for (place, collision) in report.collisions.iter().take(COLLISIONS).enumerate() {
            let (kind, a, b) = features(collision.features);
            rows.push([
                place.to_string(),
                self.with_unit(&enclosure(collision.time, duration)),
                kind.into(),
                a,
                b,
                if collision.proper { "yes" } else { "no" }.into(),
                number((collision.properness * 1e9).round() / 1e9),
                vector(collision.point),
                collision.from.map_or_else(String::new, |from| contact_place_label(from).into()),
            ]);
        }
        let mut text = format!("\n{}", columns(&rows));
        if report.collisions.len() > COLLISIONS {
            let _ =
                writeln!(text, "and {} more: --json lists all of them", report.collisions.len() - COLLISIONS);
        }
        text
    }

    /// The collisions that are concurrent.
    fn groups(&self) -> String {
        let (Some(groups), Some(within)) = (self.report.groups(), self.report.concurrent) else {
            return String::new();
        };
        let groups_text = groups.iter().take(GROUPS).map(|group| match group[..] {
            [] => String::new(),
            [only] => only.to_string(),
            [first, .., last] => format!("{first} to {last}"),
        });
        let mut list = groups_text.collect::<Vec<_>>().join(", ");
        if groups.len() > GROUPS {
            let _ = write!(list, " and {} more", groups.len() - GROUPS);
        }
        let within = self.with_unit(&number(within));
        let head = format!("Concurrent within {within}: {}", count(groups.len(), "group"));
        let list = if groups.is_empty() { head } else { format!("{head}: {list}") };
        format!("\n{}", wrapped("", &(list + ".")))
    }

    fn inside(&self) -> String {
        let Some(inside) = &self.report.inside else { return String::new() };
        let mut text = String::from("\n");
        for (side, passages) in inside.iter().enumerate() {
            let [name, other] = [side, 1 - side].map(|side| self.name(side));
            let sentence = match passages {
                None => format!("{other} is not closed: nothing is inside of it."),
                Some(passages) if passages.is_empty() => {
                    format!("No vertex of {name} enters {other}.")
                }
                Some(passages) => {
                    let at = |when: fn(&VertexPassages) -> Option<bool>, expected: Option<bool>| {
                        passages.iter().filter(|passages| when(passages) == expected).count()
                    };
                    let [start, end] = [at(|p| p.start, Some(true)), at(|p| p.end, Some(true))];
                    let [entries, exits] = [
                        passages.iter().map(|p| u64::from(p.entries)).sum::<u64>(),
                        passages.iter().map(|p| u64::from(p.exits)).sum::<u64>(),
                    ];
                    let mut sentence = format!(
                        "Of {name}, {} inside {other} at the start and {end} at the end; vertices go in {entries} times \
                         and out {exits} times.",
                        match start {
                            1 => "1 vertex is".into(),
                            start => format!("{start} vertices are"),
                        }
                    );
                    let doubtful = [at(|p| p.start, None), at(|p| p.end, None)];
                    if doubtful != [0, 0] {
                        let [start, end] = doubtful;
                        let _ = write!(sentence, " On the surface: {start} at the start, {end} at the end.");
                    }
                    sentence
                }
            };
            text.push_str(&wrapped("", &sentence));
        }
        text
    }

    /// The size of a clearance.
    fn clearance(&self, Clearance { time, angle, metres }: &Clearance) -> String {
        let time = self.with_unit(&moment(*time, self.duration()));
        let rotation =
            if *angle == 0.0 { String::new() } else { format!(", {} degrees", number(angle.to_degrees())) };
        format!("{} m ({time}{rotation})", number(*metres))
    }

    fn probes(&self) -> String {
        let mut rows = vec![["probe", "on the screen, m", "way until contact"].map(String::from)];
        for (place, probe) in self.report.probes.iter().enumerate() {
            let [r, h] = probe.screen.map(number);
            let hit = match &probe.hit {
                FlowLineHit::Nothing => "nothing ahead".into(),
                FlowLineHit::Part(clearance) => self.clearance(clearance),
                FlowLineHit::Undecided(reason) => format!("not found out: {}", undecided_reason(*reason)),
            };
            rows.push([place.to_string(), format!("({r}, {h})"), hit]);
        }
        if rows.len() == 1 { String::new() } else { format!("\n{}", columns(&rows)) }
    }

    fn play(&self) -> String {
        let Some(Play { forward, backward }) = &self.report.play else { return String::new() };
        let rows = [("forward", forward), ("backward", backward)].map(|(motion_text, free)| {
            let range = match free {
                Free::Binds(Binding { time, angle, slide, contact }) => {
                    let until = self.with_unit(&enclosure(*time, self.duration()));
                    let rotation = format!("{} degrees", number(angle.to_degrees()));
                    let (kind, a, b) = features(contact.features);
                    let place = vector(contact.point);
                    let slide = number(*slide);
                    format!(
                        "for {until}: {slide} m along the axis, {rotation}; then {kind} {a} on {b} at {place}"
                    )
                }
                Free::Never => "for ever".into(),
                Free::Undecided { free_until, reason } => {
                    let until = self.with_unit(&moment_before(*free_until, self.duration()));
                    format!("for {until} at least; {}", undecided_reason(*reason))
                }
                Free::Overlapping => "not at all: the surfaces intersect at the start".into(),
            };
            wrapped("  ", &format!("{motion_text:<10}{range}"))
        });
        format!("\n{} is free to move, seen from {},\n{}", self.name(0), self.name(1), rows.concat())
    }

    /// The proven statements.
    fn proof(&self) -> String {
        let mut text = match (self.report.method, self.report.verdict) {
            (ScreenMethod::Pixels { resolution, pixel }, _) => format!(
                "Found on a screen of {resolution} pixels to the smaller body, {} m each: an approximation, no proof.",
                number(pixel)
            ),
            (ScreenMethod::Exact, ScreenVerdict::Undecided { clear_until, .. }) => {
                let until = self.with_unit(&moment_before(clear_until, self.duration()));
                format!("Proven: nothing touches before {until}. The time after that is undecided.")
            }
            (ScreenMethod::Exact, ScreenVerdict::Clear) => {
                "Proven: the two bodies are clear of each other at every moment.".into()
            }
            (ScreenMethod::Exact, _) if self.report.doubtful > 0 => {
                "Proven: no collision of parts that can collide is missing, except for the pairs that rounding leaves undecided."
                    .into()
            }
            (ScreenMethod::Exact, _) => "Proven: no collision of parts that can collide is missing.".into(),
        };
        if let Some(pair) = self.report.pair.as_ref().filter(|pair| pair.deviation > 0.0) {
            let _ = write!(text, " The screw lies at most {} m from the motion.", number(pair.deviation));
        }
        let mut summary = format!("\n{}", wrapped("", &text));
        if let Some((reason, _)) = self.report.verdict.undecided_reason() {
            summary.push_str(&wrapped("  ", reason));
        }
        summary
    }
}

/// The kind of a collision, and its features of A and of B.
fn features(features: chasles::ContactFeatures) -> (&'static str, String, String) {
    use chasles::ContactFeatures::{EdgeEdge, FaceVertex, Surfaces, VertexFace};
    let face = |face: Option<u32>| face.map_or_else(String::new, |face| face.to_string());
    match features {
        VertexFace { a, b } => ("vertex-face", a.to_string(), b.to_string()),
        FaceVertex { a, b } => ("face-vertex", a.to_string(), b.to_string()),
        EdgeEdge { a: [v, w], b: [p, q] } => ("edge-edge", format!("{v}-{w}"), format!("{p}-{q}")),
        Surfaces { a, b } => ("surfaces", face(a), face(b)),
        // A screen has only meshes.
        other => (other.kind(), String::new(), String::new()),
    }
}
