//! The reports of several paths as a person reads them: those that are not free, and a summary of all at the end.

use std::fmt::Write as _;

use chasles::PairVerdict;
use chasles_formats::printable::printable;
use chasles_formats::scene_report::{verdict, worst};
use chasles_formats::subject::Answer;

use super::table::{columns, table};
use super::words::{count, enclosure, name, wrapped};

/// So many paths are told in full.
const TABLES: usize = 6;

/// Names are cut to this in the summary, so that its lines fit on 100 columns.
const NAME: usize = 40;
const BODY: usize = 15;

/// The reports on lines of at most 100 columns.
pub(super) fn path_table(robot: &str, answers: &[Answer<'_>]) -> String {
    let mut text = String::new();
    let robot = printable(robot);
    let not_free = answers.iter().filter_map(|answer| {
        let (subject, report) = answer.found.ok()?;
        (report.verdict != PairVerdict::Clear).then_some((answer.name, subject, report))
    });
    for (path, subject, report) in not_free.take(TABLES) {
        text.push_str(&table(&format!("{robot} on {path}"), subject, report));
        text.push('\n');
    }
    let whole = worst(answers).map_or("error", verdict).to_uppercase();
    // Writing to a string does not fail.
    let _ = writeln!(text, "{robot}: {whole}\n{}: {}\n", count(answers.len(), "path"), counts(answers));
    let mut rows = vec![["path", "verdict", "pairs", "first", "from", "segment"].map(String::from)];
    rows.extend(answers.iter().map(row));
    text.push_str(&columns(&rows));
    for Answer { found, .. } in answers {
        if let Err(message) = found {
            text.push('\n');
            text.push_str(&wrapped("", &printable(message)));
        }
    }
    text
}

/// How many paths there are of each verdict, the worst first.
fn counts(answers: &[Answer<'_>]) -> String {
    let words = ["error", "overlapping", "contact", "undecided", "near", "clear"];
    let of = |word: &str| answers.iter().filter(|answer| word_of(answer) == word).count();
    let told = words.into_iter().map(|word| (of(word), word)).filter(|(count, _)| *count > 0);
    told.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

fn word_of(answer: &Answer<'_>) -> &'static str {
    answer.found.map_or("error", |(_, report)| verdict(report.verdict))
}

/// A path with what it first meets.
fn row(answer: &Answer<'_>) -> [String; 6] {
    let (path, word) = (name(answer.name, NAME), word_of(answer).to_owned());
    let Ok((subject, report)) = answer.found else {
        return [path, word, String::new(), String::new(), String::new(), String::new()];
    };
    let worse = report.pairs.iter().filter(|pair| pair.verdict != PairVerdict::Clear).count();
    let pairs = if worse == 0 { String::new() } else { worse.to_string() };
    let first = report
        .pairs
        .iter()
        .enumerate()
        .filter_map(|(number, pair)| Some((number, pair, pair.intervals.first()?)))
        .min_by(|(_, _, x), (_, _, y)| x.enter[0].total_cmp(&y.enter[0]));
    let Some((number, pair, interval)) = first else {
        return [path, word, pairs, String::new(), String::new(), String::new()];
    };
    let [a, b] = subject.names(pair).map(|body| name(body, BODY));
    let from = match interval.enter {
        enter if subject.is_start(enter) => "the start".into(),
        enter => enclosure(enter, subject.duration()),
    };
    let segment = subject.entry(number, 0).map_or_else(String::new, |(segment, _)| segment.to_string());
    [path, word, pairs, format!("{a} and {b}"), from, segment]
}
