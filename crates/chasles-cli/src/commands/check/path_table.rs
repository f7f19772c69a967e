//! The reports of several paths as text: the paths that are not clear, then a summary of all.

use std::fmt::Write as _;

use chasles::PairVerdict;
use chasles_formats::figures::enclosure;
use chasles_formats::printable::printable;
use chasles_formats::report::subject::NamedResult;
use chasles_formats::report::verdict::{verdict, worst_verdict};

use super::names::{Names, TableWidth};
use super::table::{Extent, table};
use crate::words::{columns, count, wrapped};

/// The maximum number of paths with a full report.
const TABLES: usize = 6;

/// The intended length of names in the summary, such that its lines fit into 100 columns.
const NAME: usize = 40;
const BODY: usize = 15;

/// The reports on lines of at most 100 columns.
pub(super) fn path_table(robot: &str, answers: &[NamedResult<'_>], scope: (TableWidth, Extent)) -> String {
    table_of_all((robot, "path"), answers, scope)
}

/// A table of several reports of any kind; `what` names the kind.
pub(super) fn table_of_all(
    (robot, what): (&str, &str),
    answers: &[NamedResult<'_>],
    (width, extent): (TableWidth, Extent),
) -> String {
    let mut text = String::new();
    let robot = printable(robot);
    let not_free = answers.iter().filter_map(|answer| {
        let (subject, report) = answer.found.ok()?;
        (report.verdict != PairVerdict::Clear || subject.exceeds_limits())
            .then_some((answer.name, subject, report))
    });
    let max_tables = if extent == Extent::All { usize::MAX } else { TABLES };
    for (path, subject, report) in not_free.take(max_tables) {
        text.push_str(&table(&format!("{robot} on {path}"), (subject, report), (width, extent)));
        text.push('\n');
    }
    let overall_verdict = worst_verdict(answers).map_or("error", verdict).to_uppercase();
    let count_beyond_limits = answers.iter().filter(|answer| is_beyond_limits(answer)).count();
    let (title, counted) = match count_beyond_limits {
        0 => (String::new(), String::new()),
        _ => (", BEYOND LIMITS".into(), format!("; {count_beyond_limits} beyond limits")),
    };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{robot}: {overall_verdict}{title}\n{}: {}{counted}\n",
        count(answers.len(), what),
        counts(answers)
    );
    let mut rows = vec![[what, "verdict", "pairs", "first", "from", "segment"].map(String::from)];
    let firsts: Vec<_> = answers.iter().map(first).collect();
    let bodies = firsts.iter().flatten().flat_map(|first| first.0);
    let bodies = Names::fitting(width, bodies, BODY);
    let paths = Names::fitting(width, answers.iter().map(|answer| answer.name), NAME);
    rows.extend(
        answers.iter().zip(&firsts).map(|(answer, first)| row(answer, first.as_ref(), (&paths, &bodies))),
    );
    text.push_str(&columns(&rows));
    for NamedResult { found, .. } in answers {
        if let Err(message) = found {
            text.push('\n');
            text.push_str(&wrapped("", &printable(message)));
        }
    }
    text
}

/// The number of paths of each verdict, the worst first.
fn counts(answers: &[NamedResult<'_>]) -> String {
    let words = ["error", "overlapping", "contact", "undecided", "near", "clear"];
    let of = |word: &str| answers.iter().filter(|answer| word_of(answer) == word).count();
    let counted_words = words.into_iter().map(|word| (of(word), word)).filter(|(count, _)| *count > 0);
    counted_words.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

fn is_beyond_limits(answer: &NamedResult<'_>) -> bool {
    answer.found.is_ok_and(|(subject, _)| subject.exceeds_limits())
}

fn word_of(answer: &NamedResult<'_>) -> &'static str {
    answer.found.map_or("error", |(_, report)| verdict(report.verdict))
}

/// The first contact of a path: the names of the pair, the start, and the segment.
type First<'a> = ([&'a str; 2], String, String);

fn first<'a>(answer: &NamedResult<'a>) -> Option<First<'a>> {
    let (subject, report) = answer.found.ok()?;
    let pairs = report.pairs.iter().enumerate();
    let (number, pair, interval) = pairs
        .filter_map(|(number, pair)| Some((number, pair, pair.intervals.first()?)))
        .min_by(|(_, _, x), (_, _, y)| x.enter[0].total_cmp(&y.enter[0]))?;
    let from = match interval.enter {
        enter if subject.is_start(enter) => "the start".into(),
        enter => enclosure(enter, subject.duration()),
    };
    let segment = subject.entry(number, 0).map_or_else(String::new, |(segment, _)| segment.to_string());
    Some((subject.names(pair), from, segment))
}

/// The row of a path, with its first contact.
fn row(
    answer: &NamedResult<'_>,
    first: Option<&First<'_>>,
    (paths, bodies): (&Names, &Names),
) -> [String; 6] {
    let (path, mut word) = (paths.of(answer.name), word_of(answer).to_owned());
    if is_beyond_limits(answer) {
        word.push_str(", beyond limits");
    }
    let worse = answer.found.map_or(0, |(_, report)| {
        report.pairs.iter().filter(|pair| pair.verdict != PairVerdict::Clear).count()
    });
    let pairs = if worse == 0 { String::new() } else { worse.to_string() };
    let Some((names, from, segment)) = first else {
        return [path, word, pairs, String::new(), String::new(), String::new()];
    };
    let [a, b] = names.map(|body| bodies.of(body));
    [path, word, pairs, format!("{a} and {b}"), from.clone(), segment.clone()]
}
