//! The program `chasles`: when, where and how moving things collide.
//!
//! The only crate that prints and exits. Every command is a module with a function `run` that takes its parsed
//! arguments and gives back the exit status; what goes wrong comes back as a [`Failure`], printed here.

mod exit;
mod args;
mod output;
mod words;
mod stop;
mod progress;
mod meshes;
mod problems;
mod scenes;
mod robots;
mod paths;
mod shown;
mod render;
mod view;
mod check;
mod batch;
mod impulse;
mod simulate;
mod screen;
mod info;
mod jog;
mod pairs;
mod completions;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command};
use crate::exit::{Failure, Status};
use crate::output::complain;

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(status) => status.into(),
        // Whoever reads our answers has seen enough, as in `chasles batch .. | head`.
        Err(Failure::ClosedPipe) => Status::Fine.into(),
        Err(Failure::Bad(message)) => {
            complain(&message);
            Status::Bad.into()
        }
    }
}

fn run(args: Args) -> Result<Status, Failure> {
    match args.command {
        Command::Check(args) => check::run(&args),
        Command::Render(args) => render::run(&args),
        Command::View(args) => view::run(&args),
        Command::Batch(args) => batch::run(&args),
        Command::Impulse(args) => impulse::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Screen(args) => screen::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Jog(args) => jog::run(&args),
        Command::Pairs(args) => pairs::run(&args),
        Command::Completions(args) => completions::run(&args),
    }
}
