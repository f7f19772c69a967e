//! `chasles check --at`: the pairs that intersect at one time, of a scene or of a robot on its path.

use std::fmt::Write as _;

use chasles::{Interpenetration, IntersectingPair, Penetration, Scene};
use chasles_formats::figures::{direction, number};
use chasles_formats::printable::printable;
use chasles_formats::report::static_pairs::{self, ReportedIntersection};

use super::names::{Names, TableWidth};
use crate::args::CheckArgs;
use crate::exit::{Failure, Status};
use crate::output;
use crate::threads::Pool;
use crate::warnings::Warnings;
use crate::words::{columns, count, wrapped};

/// The intended length of shortened names, such that lines fit into 100 columns.
const NAME: usize = 22;

/// The maximum number of pairs of bodies that are listed with their triangles, and the maximum number of triangle
/// pairs for each.
const PAIRS: usize = 12;
const TRIANGLES: usize = 24;

/// The pairs that intersect at one time.
pub(super) struct StaticIntersections<'a> {
    /// The title of the scene or path.
    pub(super) title: String,
    /// The names of the bodies.
    pub(super) names: Vec<&'a str>,
    /// In seconds.
    pub(super) time: f64,
    /// The number of pairs that were tested.
    pub(super) tested: usize,
    pub(super) pairs: Vec<ReportedIntersection>,
}

/// Prints the bodies of a scene that intersect at a time, with their triangles and penetration depths.
pub(super) fn at(
    args: &CheckArgs,
    scene: &Scene,
    (time, pool): (f64, &Pool),
    warnings: &Warnings,
) -> Result<Status, Failure> {
    is_within(time, [0.0, scene.duration()], "the duration")?;
    let pairs = pool.install(|| {
        let found = scene.static_intersections(time)?;
        let found_penetrations = scene.penetrations(&found, time);
        let convex = scene.interpenetrations(&found, time);
        let report_pair = |((pair, penetration), interpenetration)| ReportedIntersection {
            pair,
            penetration,
            interpenetration,
        };
        Ok::<_, chasles::Error>(
            found.into_iter().zip(found_penetrations).zip(convex).map(report_pair).collect(),
        )
    });
    let intersections = StaticIntersections {
        title: args.scene.display().to_string(),
        names: scene.bodies().iter().map(|body| body.name.as_str()).collect(),
        time,
        tested: scene.count_moving_pairs() + scene.count_pairs().at_rest(),
        pairs: pairs.map_err(|error| Failure::Bad(format!("--at: {error}")))?,
    };
    print_result(args, &intersections, warnings)
}

/// Rejects a time outside of an interval.
pub(super) fn is_within(time: f64, [start, end]: [f64; 2], what: &str) -> Result<(), Failure> {
    if (start..=end).contains(&time) {
        return Ok(());
    }
    let [start, end] = [start, end].map(number);
    let expected = format!("expected a time within {what}, {start} to {end} s");
    Err(Failure::Bad(format!("--at: found {time}, {expected}")))
}

/// Prints the result.
pub(super) fn print_result(
    args: &CheckArgs,
    intersections: &StaticIntersections<'_>,
    warnings: &Warnings,
) -> Result<Status, Failure> {
    let text = if args.json {
        static_pairs::to_json(
            &intersections.names,
            (intersections.time, &intersections.pairs),
            &warnings.list(),
        )
    } else {
        table(intersections, TableWidth::of_output())
    };
    let status = if intersections.pairs.is_empty() { Status::Fine } else { Status::Contact };
    match output::print(text.as_bytes()) {
        Err(Failure::ClosedPipe) if !args.watch => Ok(status),
        printed => printed.map(|()| status),
    }
}

/// The result on lines of at most 100 columns, if names fit.
fn table(intersections: &StaticIntersections<'_>, width: TableWidth) -> String {
    let tested = count(intersections.tested, "pair");
    let found = match intersections.pairs.len() {
        0 => format!("none of {tested} intersects"),
        1 => format!("1 of {tested} intersects"),
        many => format!("{many} of {tested} intersect"),
    };
    let mut text =
        format!("{} at {} s: {found}\n", printable(&intersections.title), number(intersections.time));
    if intersections.pairs.is_empty() {
        return text;
    }
    let body = |body: usize| intersections.names.get(body).copied().unwrap_or_default();
    let fitting = Names::fitting(
        width,
        intersections.pairs.iter().flat_map(|report_pair| report_pair.pair.bodies).map(body),
        NAME,
    );
    let names = |pair: &IntersectingPair| pair.bodies.map(|number| fitting.of(body(number)));
    let mut rows = vec![["a", "b", "triangles", "apart when a moves by"].map(String::from)];
    for ReportedIntersection { pair, penetration, .. } in &intersections.pairs {
        let [a, b] = names(pair);
        let penetration_text = penetration.as_ref().map_or_else(String::new, penetration_text);
        rows.push([a, b, pair.triangles.len().to_string(), penetration_text]);
    }
    text.push('\n');
    text.push_str(&columns(&rows));
    let convex = intersections
        .pairs
        .iter()
        .filter_map(|report_pair| Some((&report_pair.pair, report_pair.interpenetration.as_ref()?)));
    for (pair, interpenetration) in convex.take(PAIRS) {
        let [a, b] = names(pair);
        text.push('\n');
        text.push_str(&wrapped("", &insides([&a, &b], interpenetration)));
    }
    for ReportedIntersection { pair, .. } in
        intersections.pairs.iter().filter(|report_pair| !report_pair.pair.triangles.is_empty()).take(PAIRS)
    {
        let [a, b] = names(pair);
        let shown = pair.triangles.iter().take(TRIANGLES).map(|[a, b]| format!("{a}-{b}"));
        let mut list = shown.collect::<Vec<_>>().join(", ");
        if pair.triangles.len() > TRIANGLES {
            let _ = write!(list, " and {} more", pair.triangles.len() - TRIANGLES);
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\ntriangles of {a} and {b}:");
        text.push_str(&wrapped("  ", &list));
    }
    let cut = intersections.pairs.len() > PAIRS
        || intersections.pairs.iter().any(|report_pair| report_pair.pair.triangles.len() > TRIANGLES);
    if cut {
        text.push_str("\n--json lists all triangles\n");
    }
    text
}

/// Describes how two convex bodies intersect, in a sentence.
fn insides([a, b]: [&str; 2], interpenetration: &Interpenetration) -> String {
    match interpenetration {
        Interpenetration::Disjoint => {
            format!("{a} and {b} are convex and touch: their interiors have no common point")
        }
        Interpenetration::Shared { inside, points: [of_a, of_b] } => {
            let at = inside.map_or_else(String::new, |p| {
                let [x, y, z] = p.to_array().map(number);
                format!(", such as ({x}, {y}, {z})")
            });
            let [in_b, in_a] = [of_a, of_b].map(|points| count(points.len(), "point"));
            format!(
                "{a} and {b} are convex and interpenetrate: their interiors have common points{at}. \
                 {in_b} of {a} and {in_a} of {b} are inside the other (--json lists them)"
            )
        }
    }
}

/// The length and direction of a penetration translation.
fn penetration_text(penetration: &Penetration) -> String {
    match penetration.translation.try_normalize() {
        Some(along) => format!("{} m along {}", number(penetration.length), direction(along)),
        None => "0 m".into(),
    }
}
