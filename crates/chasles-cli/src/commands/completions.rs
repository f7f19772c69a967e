//! `chasles completions`: scripts for the completion of arguments in a shell.

use clap::CommandFactory as _;

use crate::args::{Args, CompletionsArgs};
use crate::exit::{Failure, Status};
use crate::output;

/// Prints the completion script of a shell.
pub(crate) fn run(args: &CompletionsArgs) -> Result<Status, Failure> {
    // Into memory first: the generator panics if it writes to a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "chasles", &mut script);
    output::print(&script)?;
    Ok(Status::Fine)
}
