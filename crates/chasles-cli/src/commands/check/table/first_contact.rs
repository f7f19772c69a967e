//! One contact in detail: place, features, and the motion of the bodies there.

use std::fmt::Write as _;

use chasles::{ContactFeatures, PairReport, PairVerdict, SceneContact};
use chasles_formats::figures::{direction, enclosure, moment, number, vector};
use chasles_formats::report::verdict::verdict;
use glam::DVec3;

use super::CheckTable;
use crate::words::wrapped;

/// A tangential velocity below this fraction of the velocity is rounding.
const NOISE: f64 = 1e-9;

/// The speed and direction in which one body slides along the other, if it slides.
fn sliding(velocity: DVec3, normal: DVec3) -> Option<String> {
    let along = velocity - velocity.dot(normal) * normal;
    let speed = along.length();
    (speed > NOISE * velocity.length())
        .then(|| format!("{} m/s along {}", number(speed), direction(along / speed)))
}

impl CheckTable<'_> {
    /// The first contact of all pairs, and before it a pair in contact from the start.
    pub(super) fn first_contact(&self) -> String {
        let report = self.report;
        let first_contact_of = |(index, pair): (usize, &PairReport)| {
            let interval = pair.intervals.iter().find(|interval| interval.contact.is_some())?;
            Some((index, interval.enter))
        };
        let first_contacts = report.pairs.iter().enumerate().filter_map(first_contact_of);
        let earliest =
            first_contacts.min_by(|(_, x), (_, y)| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])));
        let first = earliest.and_then(|(index, _)| self.contact_of_pair(index));
        let starts = |pair: &&PairReport| {
            pair.intervals.first().is_some_and(|first| self.subject.is_start(first.enter))
        };
        let from_start = report.pairs.iter().find(starts).map(|pair| {
            let [a, b] = pair.bodies.map(|body| self.name(body));
            format!("\n{a} and {b}: {} from the start\n", verdict(pair.verdict))
        });
        from_start.into_iter().chain(first).collect()
    }

    /// The first contact of a pair, or the first time it comes near. `None` if there is no such contact, or if the
    /// pair is in contact from the start.
    pub(super) fn contact_of_pair(&self, index: usize) -> Option<String> {
        let (subject, report) = (self.subject, self.report);
        let pair: &PairReport = &report.pairs[index];
        let first = pair.intervals.iter().position(|interval| interval.contact.is_some())?;
        let interval = &pair.intervals[first];
        let place = interval.contact.as_ref()?;
        let contact = &place.contact;
        let duration = subject.duration();
        let [a, b] = pair.bodies.map(|body| self.name(body));
        let verb = match pair.verdict {
            PairVerdict::Near => {
                let clearance = subject.own_clearance(pair.bodies).unwrap_or(subject.clearance());
                format!("comes within {} m of", number(clearance))
            }
            _ if interval.touching => "touches".into(),
            _ => "meets".into(),
        };
        let mut text = format!("\n{a} {verb} {b} at {}\n", enclosure(interval.enter, duration));
        let features = match contact.features {
            ContactFeatures::VertexFace { a: v, b: f } => format!("vertex {v} of {a}, face {f} of {b}"),
            ContactFeatures::FaceVertex { a: f, b: v } => format!("face {f} of {a}, vertex {v} of {b}"),
            ContactFeatures::EdgeEdge { a: [v, w], b: [p, q] } => {
                format!("edge {v}-{w} of {a}, edge {p}-{q} of {b}")
            }
            ContactFeatures::Surfaces { a: face_a, b: face_b } => {
                let surface = |face: Option<u32>, body: &str| match face {
                    Some(face) => format!("face {face} of {body}"),
                    None => format!("the round surface of {body}"),
                };
                format!("{}, {}", surface(face_a, &a), surface(face_b, &b))
            }
            ContactFeatures::SurfaceSurface { a: face_a, b: face_b } => {
                let surface = |face: Option<u32>, body: &str| match face {
                    Some(face) => format!("face {face} of {body}"),
                    None => format!("the surface of {body}"),
                };
                format!("{}, {}", surface(face_a, &a), surface(face_b, &b))
            }
            ContactFeatures::PointSolid { a: p } => format!("point {p} of {a}, the surface of {b}"),
            ContactFeatures::SolidPoint { b: p } => format!("the surface of {a}, point {p} of {b}"),
            ContactFeatures::PointPoint { a: p, b: q } => format!("point {p} of {a}, point {q} of {b}"),
        };
        let rows = [
            ("where", format!("{} m", vector(contact.point))),
            ("normal", format!("{}, from {a} to {b}", direction(contact.normal))),
            ("features", features),
            ("approach", format!("{} m/s along the normal", number(contact.approach_speed))),
        ];
        let sliding = place.velocity.and_then(|velocity| sliding(velocity, contact.normal));
        for (key, value) in rows.into_iter().chain(sliding.map(|sliding| ("sliding", sliding))) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {key:<10}{value}");
        }
        if let Some((segment, values)) = subject.entry(index, first) {
            let _ = writeln!(text, "  {:<10}{segment}", "segment");
            let joints = subject.joints().iter().zip(values);
            let joints: Vec<_> = joints
                .map(|(joint, value)| format!("{} = {}", self.joints.of(joint), number(*value)))
                .collect();
            let lines = wrapped(&" ".repeat(12), &joints.join(", "));
            let _ = writeln!(text, "  {:<10}{}", "joints", lines.trim());
        }
        text.push_str(&self.screw(place));
        Some(text)
    }

    /// The screw on which two bodies come into contact, if their relative motion is a screw.
    fn screw(&self, place: &SceneContact) -> String {
        let subject = self.subject;
        let body = |body: usize| self.name(body);
        let Some(axis) = place.axis.filter(|_| place.is_exact) else { return String::new() };
        let [from, to] = place.interval.map(|time| moment(time, subject.duration()));
        let head = format!(
            "  {:<10}of {} seen from {}, from {from} to {to} s",
            "screw",
            body(place.moving),
            body(place.static_body)
        );
        let along = direction(axis.direction);
        let slide = format!("slides {} m", number(axis.slide));
        let lines = match axis.point {
            Some(point) => {
                let rotation = format!("turns {} degrees, {slide}", number(axis.angle.to_degrees()));
                vec![rotation, format!("about {along} through {} m", vector(point))]
            }
            None if axis.slide == 0.0 => vec!["is static".into()],
            None => vec![format!("{slide} along {along}")],
        };
        lines.iter().fold(head + "\n", |text, line| format!("{text}{:12}{line}\n", ""))
    }
}
