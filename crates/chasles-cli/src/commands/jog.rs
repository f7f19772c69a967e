//! `chasles jog`: moves a robot by hand. A move is made only if it is proven free.
//!
//! ```text
//! lines      lines of the input
//! command    the command on a line
//! interrupt  Ctrl-C
//! ```

mod lines;
mod command;
mod interrupt;

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use chasles::{
    CheckOptions, MoveOutcome, PairReport, PairUndecidedReason, PairVerdict, SeparatedPair, Session,
};
use chasles_formats::Error;
use chasles_formats::figures::{moment, moment_before, number, vector};
use chasles_formats::printable::{printable, printable_path};
use chasles_formats::report::jog::{self, JogOutcome, Refusal};
use chasles_formats::report::verdict;
use chasles_formats::robot::joint_path::{self, PathOptions};
use chasles_formats::robot::joint_values;
use chasles_formats::robot::named_configurations;

use self::command::JogCommand;
use self::interrupt::Interrupt;
use crate::args::JogArgs;
use crate::exit::{Failure, Status};
use crate::input::robots::{self, ReadCell};
use crate::output::{self, Output, complain, same};
use crate::warnings::Warnings;

/// The result of a command.
enum Done {
    /// The robot has moved, or a file was written.
    Well,
    /// A text to print.
    Message(String),
    /// The robot has moved on the way out of an overlap.
    Escape(Vec<SeparatedPair>),
    /// A move was refused, or a path was followed only partly.
    Refused(Box<Refusal>),
}

/// Reads commands from standard input until its end.
pub(crate) fn run(args: &JogArgs, warnings: &Warnings) -> Result<Status, Failure> {
    let model = robots::model(&args.robot, &args.cell)?;
    let read = robots::cell(model, (&args.robot, &args.cell), args.clearance, warnings)?;
    warnings.refuse()?;
    let session = Session::new(&read.cell, args.time, CheckOptions::default());
    let mut session = session.map_err(|error| Failure::Bad(error.to_string()))?;
    let interrupt = Interrupt::install()?;
    let talks = io::stdin().is_terminal() && !args.json;
    if talks {
        let count = joint_values::names(session.cell().robot()).len();
        complain(&format!("{}: {count} joints; help lists the commands", args.robot.display()));
    }
    let mut status = Status::Fine;
    let mut input = io::stdin().lock();
    loop {
        if talks {
            // If standard error is closed, nobody reads the prompt.
            let _ = write!(io::stderr(), "jog> ");
        }
        let line = lines::next(&mut input)
            .map_err(|error| Failure::Bad(format!("standard input: cannot be read: {error}")))?;
        let Some(line) = line else { break };
        let found = line.bad.map_or_else(|| command::parse(&line.text), Err);
        match found {
            Ok(JogCommand::Quit) => break,
            Ok(JogCommand::Nothing) => continue,
            _ => {}
        }
        interrupt.start_move();
        let done = found.and_then(|command| carry_out(&command, &mut session, (&interrupt, &read), warnings));
        let stopped = interrupt.end_move();
        status = match &done {
            Err(_) => Status::Bad,
            Ok(Done::Refused(_)) if status == Status::Fine => Status::Contact,
            _ => status,
        };
        let text_of = match args.json {
            true => as_json(line.text.trim(), &done, &session),
            false => as_text(&done, &session),
        };
        output::print(text_of.as_bytes())?;
        // The rest of a script assumes that this command succeeded.
        if stopped && !talks {
            break;
        }
    }
    // In a session, the user has seen all errors.
    Ok(if talks { Status::Fine } else { status })
}

/// Carries out a command. `read` has the named configurations, and the files that were read, which must not be
/// overwritten.
fn carry_out(
    command: &JogCommand,
    session: &mut Session,
    (interrupt, read): (&Interrupt, &ReadCell),
    warnings: &Warnings,
) -> Result<Done, String> {
    match command {
        JogCommand::Nothing | JogCommand::Quit => Ok(Done::Well),
        JogCommand::Help => Ok(Done::Message(command::HELP.into())),
        JogCommand::PrintConfiguration => Ok(Done::Well),
        JogCommand::Undo => match session.undo() {
            true => Ok(Done::Well),
            false => Err("found no move to undo".into()),
        },
        JogCommand::Move(moves) => {
            let values = joint_values::changed(session.cell().robot(), session.values(), moves)?;
            let outcome = session.move_to_values(values, interrupt).map_err(|error| error.to_string())?;
            Ok(text_of(outcome, session, None))
        }
        JogCommand::Go(name) => {
            let from = (session.cell().robot(), session.values());
            let found = named_configurations::find(name, &read.configurations, from)?;
            warnings.add_all(&found.warnings);
            let outcome =
                session.move_to_values(found.values, interrupt).map_err(|error| error.to_string())?;
            Ok(text_of(outcome, session, None))
        }
        JogCommand::Save(file) => {
            if read.files.iter().any(|read| same(file, read)) {
                let message = "is a file of the robot or its world, which is never overwritten";
                return Err(Error::file(file, message).to_string());
            }
            save(file, session)?;
            let moves = session.configurations().len() - 1;
            let unit = if moves == 1 { "move" } else { "moves" };
            Ok(Done::Message(format!("{}: {moves} {unit}", printable_path(file))))
        }
        JogCommand::Replay(file) => replay(file, session, interrupt),
    }
}

fn text_of(outcome: MoveOutcome, session: &Session, segments: Option<usize>) -> Done {
    if let MoveOutcome::Escape(separated) = outcome {
        return Done::Escape(separated);
    }
    let refusal = Refusal::of(session.cell().robot(), outcome, segments);
    refusal.map_or(Done::Well, |refusal| Done::Refused(Box::new(refusal)))
}

/// Follows a path, after a move to its start. Joints that the path does not name move to their rest value.
fn replay(file: &Path, session: &mut Session, interrupt: &Interrupt) -> Result<Done, String> {
    let path = joint_path::read(file, PathOptions::default()).map_err(|error| error.to_string())?;
    let robot = session.cell().robot();
    let configurations = joint_path::to_configurations(&path, robot).map_err(|error| error.to_string())?;
    for (number, values) in configurations.into_iter().enumerate() {
        let outcome = session.move_to_values(values, interrupt).map_err(|error| error.to_string())?;
        if matches!(outcome, MoveOutcome::Refused { .. }) {
            return Ok(text_of(outcome, session, Some(number.saturating_sub(1))));
        }
    }
    Ok(Done::Well)
}

/// Writes the configurations as a path.
fn save(file: &Path, session: &Session) -> Result<(), String> {
    let path = joint_path::from_configurations(session.cell().robot(), session.configurations(), file);
    let text = joint_path::to_csv(&path).map_err(|error| error.to_string())?;
    let write = || {
        let mut output = Output::open(Some(file))?;
        output.line(&text)?;
        output.finish()
    };
    write().map_err(|failure| match failure {
        Failure::Bad(message) => message,
        Failure::ClosedPipe => format!("{}: cannot be written: closed", file.display()),
    })
}

fn as_text(done: &Result<Done, String>, session: &Session) -> String {
    let joints = |of: &[(String, f64)]| {
        let text_of = |(name, value): &(String, f64)| format!("{} {}", printable(name), number(*value));
        let all: Vec<String> = of.iter().map(text_of).collect();
        all.join("  ")
    };
    match done {
        Err(message) => format!("error: {}\n", printable(message)),
        Ok(Done::Well) => {
            format!("{}\n", joints(&joint_values::by_name(session.cell().robot(), session.values())))
        }
        Ok(Done::Escape(separated)) => {
            let values = joint_values::by_name(session.cell().robot(), session.values());
            let mut text =
                format!("{}\nan escape from an overlap, which cannot be undone:\n", joints(&values));
            for pair in separated {
                let [a, b] = pair.bodies.map(|body| printable(session.cell().name(body)));
                let is_separated = pair.after <= 0.0;
                let after = if is_separated {
                    "is separated now".to_owned()
                } else {
                    format!("is {} m now", number(pair.after))
                };
                let _ = writeln!(text, "  {a} was {} m in {b} and {after}", number(pair.before));
            }
            text
        }
        Ok(Done::Message(text)) => format!("{text}\n"),
        Ok(Done::Refused(refusal)) => {
            let mut text = String::from("refused: ");
            if let Some(segments) = refusal.segments {
                // Writing to a string cannot fail.
                let _ = write!(text, "after {segments} segments of the path ");
            }
            let _ = writeln!(text, "the move is free up to {} %", percent_free(refusal.free));
            let _ = writeln!(text, "  there: {}", joints(&refusal.free_until));
            let stopped = |pair: &&PairReport| pair.reason == Some(PairUndecidedReason::Stopped);
            let unanswered = refusal.pairs.iter().filter(stopped).count();
            if unanswered > 0 {
                let _ = writeln!(text, "  stopped: {unanswered} pairs are not answered");
            }
            for pair in refusal.pairs.iter().filter(|pair| !stopped(pair)) {
                let [a, b] = pair.bodies.map(|body| printable(session.cell().name(body)));
                let contact_text = match (pair.verdict, pair.intervals.first()) {
                    (PairVerdict::Undecided, _) | (_, None) => {
                        let why = pair
                            .reason
                            .map_or_else(String::new, |cause| format!(": {}", verdict::reason(cause)));
                        format!(
                            "contact of {a} and {b} is undecided from {} % on{why}",
                            percent_free(pair.clear_until)
                        )
                    }
                    (PairVerdict::Near, Some(interval)) => {
                        format!("{a} comes near {b} at {} %", percent(interval.enter[1]))
                    }
                    (PairVerdict::Overlapping, Some(interval)) if interval.enter[1] <= 0.0 => {
                        format!("{a} overlaps {b} already: only a move that separates them is carried out")
                    }
                    (_, Some(interval)) => {
                        let place = interval.contact.map_or_else(String::new, |contact| {
                            format!(" at {} m", vector(contact.contact.point))
                        });
                        format!("{a} meets {b} at {} %{place}", percent(interval.enter[1]))
                    }
                };
                let _ = writeln!(text, "  {contact_text}");
            }
            text
        }
    }
}

/// A fraction of a path, in percent.
fn percent(fraction: f64) -> String {
    moment(100.0 * fraction, 100.0)
}

/// A free fraction of a path, in percent, rounded down.
fn percent_free(fraction: f64) -> String {
    moment_before(100.0 * fraction, 100.0)
}

fn as_json(line: &str, done: &Result<Done, String>, session: &Session) -> String {
    let outcome = match done {
        Err(message) => JogOutcome::Error(message),
        Ok(Done::Well) => JogOutcome::Done(None),
        Ok(Done::Message(text)) => JogOutcome::Done(Some(text)),
        Ok(Done::Escape(separated)) => JogOutcome::Escape(separated),
        Ok(Done::Refused(refusal)) => JogOutcome::Refused(refusal),
    };
    let joints = joint_values::by_name(session.cell().robot(), session.values());
    jog::to_json(line, &joints, &outcome, session.cell())
}
