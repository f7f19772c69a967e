//! Reads the problems of a file: one problem, on a line or spread over several, or several problems, one per line.

use std::collections::VecDeque;

use chasles_formats::limits::PROBLEM_LINE;
use chasles_formats::problems::{is_complete_json, is_continued};
use chasles_formats::{Error, Result};

use crate::exit::Failure;
use crate::input::problems::Problems;
use crate::input::problems::lines::ProblemLine;

/// The problems of a file.
pub(super) enum ProblemSource {
    One(ProblemLine),
    Several(Box<dyn Iterator<Item = Result<ProblemLine>> + Send>),
}

/// Reads only as far as needed to decide between one and several.
pub(super) fn read(problems: Problems) -> std::result::Result<ProblemSource, Failure> {
    let path = problems.path.clone();
    let mut lines = problems.lines(PROBLEM_LINE);
    let Some(first) = lines.next().transpose()? else {
        return Err(Error::file(&path, "found no problem, expected one a line").into());
    };
    let spread = is_continued(&first.text);
    let mut read = VecDeque::from([Ok(first)]);
    if !spread {
        read.extend(lines.next());
    } else {
        // One object on several lines, or a truncated line: the rest of the file decides.
        let mut bytes = 0;
        while bytes <= PROBLEM_LINE {
            let Some(line) = lines.next() else { break };
            bytes = line.as_ref().map_or(u64::MAX, |line| line.end);
            read.push_back(line);
        }
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        if let Some(joined_line) = join_lines(&read)
            && (is_complete_json(&joined_line.text) || is_json)
        {
            return Ok(ProblemSource::One(joined_line));
        }
    }
    match read.len() {
        1 => match read.pop_front() {
            Some(Ok(line)) => Ok(ProblemSource::One(line)),
            _ => Ok(ProblemSource::Several(Box::new(lines))),
        },
        _ => Ok(ProblemSource::Several(Box::new(read.into_iter().chain(lines)))),
    }
}

/// All lines joined into one, if they could be read and are not too long together.
fn join_lines(lines: &VecDeque<Result<ProblemLine>>) -> Option<ProblemLine> {
    let mut text = Vec::new();
    let (mut number, mut end) = (0, 0);
    for line in lines {
        let line = line.as_ref().ok()?;
        if text.is_empty() {
            number = line.number;
        } else {
            text.push(b' ');
        }
        text.extend_from_slice(&line.text);
        end = line.end;
    }
    (end <= PROBLEM_LINE).then_some(ProblemLine { number, text, end })
}
