//! `chasles completions`: what lets a shell complete our arguments.

use clap::CommandFactory as _;

use crate::args::{Args, CompletionsArgs};
use crate::exit::{Failure, Status};
use crate::output;

/// Prints the completions of a shell.
pub(crate) fn run(args: &CompletionsArgs) -> Result<Status, Failure> {
    // Into memory first: the generator panics where the pipe that it writes to is closed.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "chasles", &mut script);
    output::print(&script)?;
    Ok(Status::Fine)
}
