//! The program `chasles`: see the library of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    chasles_cli::run(std::env::args_os()).into()
}
