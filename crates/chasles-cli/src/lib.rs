//! The program `chasles`: time, place and nature of collisions of moving bodies.
//!
//! This is the only crate that prints and exits. Every command is a module of `commands` with a function `run`, which
//! takes the parsed arguments and returns the exit status or a `Failure`; failures are printed here. The crate is a
//! library because the Python package contains the same program.

mod exit;
mod args;
mod output;
mod words;
mod warnings;
mod stop;
mod threads;
mod progress;
mod input;
mod shown;
mod commands;

use std::ffi::OsString;
use std::io::{self, Write as _};

use chasles_formats::reading::{ReadLimits, set_read_limits};
use clap::Parser as _;

use crate::args::{Args, Command};
use crate::commands::{batch, check, completions, impulse, info, jog, pairs, render, screen, simulate, view};
use crate::exit::{Failure, Status};
use crate::output::complain;
use crate::warnings::{WarningMode, Warnings};

/// Runs the program and returns the exit status: 0 done, 1 contact, 2 bad input, 3 undecided. The first argument is
/// the name of the program. Invalid arguments end the process.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let answered = match Args::try_parse_from(args) {
        Ok(args) => of_command(args),
        // Help and version are normal output, which can fail, for example on a full disk.
        Err(answer) if !answer.use_stderr() => {
            let printed = answer.print().and_then(|()| io::stdout().flush());
            printed.map(|()| Status::Fine).map_err(|error| Failure::printing(&error))
        }
        Err(wrong) => wrong.exit(),
    };
    let status = match answered {
        Ok(status) => status,
        // The reader has closed the pipe, as in `chasles batch .. | head`.
        Err(Failure::ClosedPipe) => Status::Fine,
        Err(Failure::Bad(message)) => {
            complain(&message);
            Status::Bad
        }
    };
    status.code()
}

fn of_command(args: Args) -> Result<Status, Failure> {
    let confine = match &args.command {
        Command::View(view) if args.confine.is_empty() && view.listen.is_some() => view.shown.folders(),
        _ => args.confine,
    };
    let folders =
        ReadLimits::resolved(&confine).map_err(|error| Failure::Bad(format!("--confine: {error}")))?;
    set_read_limits(ReadLimits { folders, memory: args.memory << 20 });
    threads::start(args.command.is_alone())?;
    let warnings = Warnings::new(if args.strict { WarningMode::Errors } else { WarningMode::Printed });
    let status = match args.command {
        Command::Check(args) => check::run(&args, &warnings),
        Command::Render(args) => render::run(&args, &warnings),
        Command::View(args) => view::run(&args, &warnings),
        Command::Batch(args) => batch::run(&args, &warnings),
        Command::Impulse(args) => impulse::run(&args, &warnings),
        Command::Simulate(args) => simulate::run(&args, &warnings),
        Command::Screen(args) => screen::run(&args, &warnings),
        Command::Info(args) => info::run(&args, &warnings),
        Command::Jog(args) => jog::run(&args, &warnings),
        Command::Pairs(args) => pairs::run(&args, &warnings),
        Command::Completions(args) => completions::run(&args),
    }?;
    warnings.status_with_warnings(status)
}
