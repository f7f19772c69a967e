//! Reports of checked scenes, and of robots on paths, as CSV (RFC 4180), one row per interval, for spreadsheets and
//! scripts.
//!
//! ```csv
//! a,b,verdict,enter_from,enter_to,exit_from,exit_to,touching,kind,point_x,..,gap_at_least,gap,deviation,why
//! gripper,table,contact,0.5,0.5000000001,0.875,0.8750000001,false,vertex-face,0.5,..,,0.0,0.0,
//! ```
//!
//! A row has the pair's two names and verdict, the enclosures of the interval's start and end in seconds, the
//! contact at its start, and values of the whole pair. A pair without intervals has one row, in which the cells of
//! intervals are empty. Unknown values are empty: `exit_from` and `exit_to` if the interval lasts to the end, the
//! place if the interval begins at 0 or at a jump. Lines end in LF; numbers are written as in [`json`](super::json).
//! Text is [`printable`](crate::printable), and never a formula to a spreadsheet: names that begin with `=`, `+`,
//! `-`, `@` or an apostrophe get an apostrophe in front.
//!
//! The warnings about the input follow the rows as comments, one line each: `# warning: ..`. A reader without comments
//! takes such a line for a row with a single cell.
//!
//! Overlaps outside the verdict are in the JSON report only. If violations of joint limits are findings, each
//! violation has a row: the joint as `a`, the verdict `beyond limits`, and the reason as `why`.
//!
//! The report of a path has more columns: `segment`, and `joint <name>` for each joint, at the start of the interval.
//! Reports of several paths have the name of the path in a first column `path`, and columns for all their joints. A
//! path that could not be checked has one row, with verdict `error` and the reason as `why`; a path without listed
//! pairs has one row with its verdict.

use std::borrow::Cow;

use chasles::{PairReport, SceneInterval, SceneReport};
use serde::Serialize;

use super::subject::{NamedResult, Subject};
use super::verdict::{gap_lower_bound, gap_upper_bound, reason, verdict};
use crate::printable::{printable, printable_cell};
use crate::text::json::{plain, plain_vector};

/// The names of the columns, in order.
const COLUMNS: [&str; 20] = [
    "a", "b", "verdict", "enter_from", "enter_to", "exit_from", "exit_to", "touching", "kind", "point_x",
    "point_y", "point_z", "normal_x", "normal_y", "normal_z", "approach_speed", "gap_at_least", "gap",
    "deviation", "why",
];

/// The report as CSV, with a header line; `subject` is what the report is about.
///
/// ```
/// use chasles::CheckOptions;
/// use chasles_formats::report::csv;
/// use chasles_formats::Subject;
/// use chasles_formats::scene;
/// let text = b"format = 1\nduration = 2.0\n[[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n";
/// let path = "scene.toml".as_ref();
/// let scene = scene::build::build(&scene::file::parse(text, path)?, path)?.scene;
/// let report = scene.check(&CheckOptions::default(), &()).unwrap();
/// let csv = csv::to_csv(&Subject::scene(&scene), &report);
/// assert!(csv.starts_with("a,b,verdict,enter_from,") && csv.lines().count() == 1);
/// # Ok::<(), chasles_formats::Error>(())
/// ```
#[must_use]
pub fn to_csv(subject: &Subject<'_>, report: &SceneReport) -> String {
    let joints: Vec<&str> = subject.joints().iter().map(String::as_str).collect();
    let text = csv_text(|writer| {
        match subject.is_path() {
            true => {
                writer.write_record(COLUMNS.into_iter().map(String::from).chain(path_columns(&joints)))?
            }
            false => writer.write_record(COLUMNS)?,
        }
        rows(subject, report, &joints).iter().try_for_each(|row| writer.serialize(row))
    });
    text + &comments(subject.warnings())
}

/// Warnings as lines that follow the rows.
fn comments(warnings: &[String]) -> String {
    warnings.iter().map(|warning| format!("# warning: {}\n", printable(warning))).collect()
}

/// The reports of several paths as CSV, the header first. `warnings` has the same meaning as in
/// [`to_json_of_all`](super::json::to_json_of_all).
#[must_use]
pub fn to_csv_of_all(answers: &[NamedResult<'_>], warnings: &[String]) -> String {
    let mut joints: Vec<&str> = Vec::new();
    for (subject, _) in answers.iter().filter_map(|answer| answer.found.ok()) {
        for joint in subject.joints() {
            if !joints.contains(&joint.as_str()) {
                joints.push(joint);
            }
        }
    }
    let text = csv_text(|writer| {
        let columns = ["path"].into_iter().chain(COLUMNS).map(String::from);
        writer.write_record(columns.chain(path_columns(&joints)))?;
        for NamedResult { name, found } in answers {
            let rows = match found {
                Ok((subject, report)) if report.pairs.is_empty() && !subject.exceeds_limits() => {
                    vec![ReportRow::without_interval(
                        ["", "", verdict(report.verdict)],
                        PathCells::unknown(&joints),
                    )]
                }
                Ok((subject, report)) => rows(subject, report, &joints),
                Err(error) => {
                    vec![ReportRow {
                        why: Some(printable_cell(error)),
                        ..ReportRow::without_interval(["", "", "error"], PathCells::unknown(&joints))
                    }]
                }
            };
            let name = printable_cell(name);
            rows.iter().try_for_each(|row| writer.serialize((&name, row)))?;
        }
        Ok(())
    });
    let subject_warnings =
        answers.iter().filter_map(|answer| answer.found.ok()).map(|(subject, _)| subject.warnings());
    [warnings].into_iter().chain(subject_warnings).fold(text, |text, warnings| text + &comments(warnings))
}

/// The names of the additional columns of paths.
fn path_columns(joints: &[&str]) -> impl Iterator<Item = String> {
    ["segment".to_owned()]
        .into_iter()
        .chain(joints.iter().map(|joint| printable_cell(&format!("joint {joint}")).into_owned()))
}

/// One row per interval, and one for each pair without intervals.
fn rows<'a>(subject: &'a Subject<'a>, report: &'a SceneReport, joints: &[&str]) -> Vec<ReportRow<'a>> {
    let mut rows = Vec::new();
    for (number, pair) in report.pairs.iter().enumerate() {
        let unknown = || if subject.is_path() { PathCells::unknown(joints) } else { PathCells::default() };
        for (index, interval) in pair.intervals.iter().enumerate() {
            let path_cells = subject.entry(number, index).map_or_else(unknown, |(segment, values)| {
                let value = |joint: &&str| {
                    let column = subject.joints().iter().position(|name| name == joint)?;
                    values.get(column).copied().map(plain)
                };
                PathCells { segment: vec![Some(segment)], joints: joints.iter().map(value).collect() }
            });
            rows.push(ReportRow { path_cells, ..ReportRow::new(subject, pair, Some(interval)) });
        }
        if pair.intervals.is_empty() {
            rows.push(ReportRow { path_cells: unknown(), ..ReportRow::new(subject, pair, None) });
        }
    }
    for breach in subject.breaches().iter().filter(|breach| breach.finding) {
        rows.push(ReportRow {
            enter: Cells(Some([breach.from; 2])),
            exit: Cells(Some([breach.until; 2])),
            why: Some(printable_cell(&breach.sentence()).into_owned().into()),
            ..ReportRow::without_interval(
                [breach.joint, "", "beyond limits"],
                PathCells { segment: vec![Some(breach.segments[0])], ..PathCells::unknown(joints) },
            )
        });
    }
    rows
}

/// The text of rows, written to memory.
pub(super) fn csv_text(write: impl FnOnce(&mut csv::Writer<Vec<u8>>) -> csv::Result<()>) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    write(&mut writer)
        .expect("memory takes every byte, and every row has as many cells as there are columns");
    let bytes = writer.into_inner().expect("memory takes every byte");
    String::from_utf8(bytes).expect("cells are text, and so is what is put between them")
}

/// A row: the order of the fields is the order of the columns.
#[derive(Default, Serialize)]
struct ReportRow<'a> {
    pair: [Cow<'a, str>; 3],
    enter: Cells<2>,
    exit: Cells<2>,
    touching: Option<bool>,
    kind: Option<&'static str>,
    point: Cells<3>,
    normal: Cells<3>,
    approach_speed: Option<f64>,
    gap_at_least: Option<f64>,
    gap: Option<f64>,
    deviation: Option<f64>,
    why: Option<Cow<'a, str>>,
    path_cells: PathCells,
}

/// The place on a path at which an interval starts: the cells of the additional columns of paths.
#[derive(Serialize, Default)]
struct PathCells {
    segment: Vec<Option<usize>>,
    joints: Vec<Option<f64>>,
}

impl PathCells {
    /// Empty cells.
    fn unknown(joints: &[&str]) -> Self {
        Self { segment: vec![None], joints: vec![None; joints.len()] }
    }
}

/// N cells, with numbers or all empty.
#[derive(Default)]
struct Cells<const N: usize>(Option<[f64; N]>);

impl<const N: usize> Serialize for Cells<N> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..N).map(|i| self.0.map(|numbers| plain(numbers[i]))))
    }
}

impl<'a> ReportRow<'a> {
    /// A pair with its verdict and empty cells.
    fn without_interval(pair: [&'a str; 3], path_cells: PathCells) -> Self {
        Self { pair: pair.map(printable_cell), path_cells, ..Self::default() }
    }

    fn new(subject: &Subject<'a>, pair: &PairReport, interval: Option<&SceneInterval>) -> Self {
        let [a, b] = subject.names(pair);
        let place = interval.and_then(|interval| interval.contact.as_ref()).map(|place| &place.contact);
        Self {
            enter: Cells(interval.map(|interval| interval.enter)),
            exit: Cells(interval.and_then(|interval| interval.exit)),
            touching: interval.map(|interval| interval.touching),
            kind: place.map(|contact| contact.features.kind()),
            point: Cells(place.map(|contact| plain_vector(contact.point))),
            normal: Cells(place.map(|contact| plain_vector(contact.normal))),
            approach_speed: place.map(|contact| plain(contact.approach_speed)),
            gap_at_least: gap_lower_bound(pair),
            gap: gap_upper_bound(pair),
            deviation: Some(pair.deviation),
            why: pair.reason.map(|cause| reason(cause).into()),
            ..Self::without_interval([a, b, verdict(pair.verdict)], PathCells::default())
        }
    }
}

#[cfg(test)]
mod tests {
    use chasles::{PairUndecidedReason, PairVerdict};
    use chasles_testing::Random;

    use super::*;
    use crate::report::json::tests::{pair, report, scene, two_intervals};

    fn csv(names: [&str; 2], pair: PairReport) -> String {
        to_csv(&Subject::scene(&scene(names, 0.0)), &report(pair))
    }

    fn header() -> String {
        COLUMNS.join(",") + "\n"
    }

    #[test]
    fn interval_rows_are_exact() {
        let contact_report =
            PairReport { intervals: two_intervals(), deviation: 1e-9, ..pair(PairVerdict::Contact) };
        let expected = header()
            + "table,cup,contact,0.0,0.0,0.25,0.25,true,,,,,,,,,,0.0,1e-9,\n"
            + "table,cup,contact,0.5,0.75,,,false,edge-edge,0.0,1.5,2e-7,0.0,0.0,1.0,3.0,,0.0,1e-9,\n";
        assert_eq!(csv(["table", "cup"], contact_report), expected);
    }

    #[test]
    fn pairs_without_intervals_have_one_row() {
        let clear = PairReport { gap: Some([0.5, 0.5625]), ..pair(PairVerdict::Clear) };
        let row = "table,cup,clear,,,,,,,,,,,,,,0.5,0.5625,0.0,\n";
        assert_eq!(csv(["table", "cup"], clear), header() + row);
        let cause = Some(PairUndecidedReason::Budget);
        let undecided =
            PairReport { undecided: vec![[0.25, 2.0]], reason: cause, ..pair(PairVerdict::Undecided) };
        let row = format!("table,cup,undecided,,,,,,,,,,,,,,,,0.0,{}\n", reason(PairUndecidedReason::Budget));
        assert_eq!(csv(["table", "cup"], undecided), header() + &row);
        let nothing = chasles::SceneReport { pairs: vec![], ..report(pair(PairVerdict::Clear)) };
        assert_eq!(to_csv(&Subject::scene(&scene(["a", "b"], 0.0)), &nothing), header());
    }

    #[test]
    fn warnings_follow_the_rows_as_comments() {
        let scene = scene(["a", "b"], 0.0);
        let subject = Subject::scene(&scene).with_warnings(vec!["odd, \"very\"\nodd".into(), "more".into()]);
        let found = report(pair(PairVerdict::Clear));
        let (rows, csv_with_warnings) = (to_csv(&Subject::scene(&scene), &found), to_csv(&subject, &found));
        assert_eq!(csv_with_warnings, rows.clone() + "# warning: odd, \"very\"\\nodd\n# warning: more\n");
        let mut reader =
            csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(csv_with_warnings.as_bytes());
        assert_eq!(reader.records().map(Result::unwrap).count(), 1);
        let all = to_csv_of_all(&[NamedResult { name: "p", found: Err("bad") }], &["shared".into()]);
        assert!(all.ends_with(",bad,\n# warning: shared\n"), "{all}");
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        for (name, cell) in [
            ("a b", "a b"),
            ("a,b", "\"a,b\""),
            ("a \"cup\"", "\"a \"\"cup\"\"\""),
            ("two\nlines", "two\\nlines"),
            ("=1,2", "\"'=1,2\""),
        ] {
            let text = csv([name, "x"], pair(PairVerdict::Clear));
            assert!(text.contains(&format!("\n{cell},x,clear,")), "{text}");
        }
    }

    /// For any names, a reader gets back their printable form, never as a formula, and every row has all its cells.
    #[test]
    fn any_name_reads_back() {
        let characters: Vec<char> = "a,\"\r\n;' \t\0\u{1}\u{feff}é\u{1f600}=+-@".chars().collect();
        let mut random = Random(1);
        let mut draw = |below: usize| random.below(below);
        let verdicts =
            [PairVerdict::Clear, PairVerdict::Near, PairVerdict::Contact, PairVerdict::Overlapping];
        for _ in 0..3000 {
            let names: [String; 2] =
                std::array::from_fn(|_| (0..=draw(6)).map(|_| characters[draw(characters.len())]).collect());
            let intervals = if draw(2) == 0 { two_intervals() } else { vec![] };
            let rows = intervals.len().max(1);
            let found = PairReport { intervals, ..pair(verdicts[draw(4)]) };
            let word = verdict(found.verdict);
            let text = csv([&names[0], &names[1]], found);
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            assert_eq!(reader.headers().unwrap(), &COLUMNS[..]);
            let read: Vec<_> = reader.records().map(|record| record.expect(&text)).collect();
            assert_eq!(read.len(), rows, "{text:?}");
            for record in read {
                assert_eq!((record.len(), &record[2]), (20, word));
                for (name, cell) in names.iter().zip(&record) {
                    assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']), "{cell:?}");
                    assert_eq!(cell.strip_prefix('\'').unwrap_or(cell), printable(name));
                }
            }
        }
    }
}
