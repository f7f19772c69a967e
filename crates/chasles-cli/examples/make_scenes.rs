//! Writes the computed files of the folder `scenes/`, and compares the expected reports there with the computed truth.
//!
//! ```text
//! cargo run -p chasles-cli --example make_scenes [FOLDER]
//! ```
//!
//! Prints each value that differs, and its exit status is 1 then. The files are the same bytes at every run.

#[path = "make_scenes/mod.rs"]
mod make_scenes;

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> std::io::Result<ExitCode> {
    let own = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes"));
    let folder = std::env::args_os().nth(1).map_or_else(own, PathBuf::from);
    for (name, bytes) in make_scenes::files() {
        std::fs::write(folder.join(name), bytes)?;
    }
    let differences = make_scenes::differences(&folder);
    for difference in &differences {
        eprintln!("{difference}");
    }
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
