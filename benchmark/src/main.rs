//! Makes problems with certificates: see README.md.
//!
//!     chasles-benchmark small|large FOLDER
//!     chasles-benchmark size FOLDER TRIANGLES       one screw of large meshes

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;

use chasles_benchmark::set::Set;
use chasles_benchmark::{cloths, features, robots, screws};

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let made = match &words[..] {
        [which, folder] if which == "small" => small(Path::new(folder)),
        [which, folder] if which == "large" => large(Path::new(folder)),
        [which, folder, n] if which == "size" => size(Path::new(folder), n.parse().unwrap_or(1000)),
        _ => {
            eprintln!("usage: chasles-benchmark small|large FOLDER | size FOLDER TRIANGLES");
            return ExitCode::from(2);
        }
    };
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("chasles-benchmark: {error}");
            ExitCode::from(2)
        }
    }
}

fn small(folder: &Path) -> io::Result<()> {
    let mut set = Set::new(folder)?;
    screws::small(&mut set, 1, 3)?;
    screws::sizes(&mut set, 2, &[1000], 2)?;
    features::make(&mut set, 3, 4);
    cloths::make(&mut set, 4, 6, 1)?;
    robots::make(&mut set, 5, 12)?;
    finish(&set)
}

fn large(folder: &Path) -> io::Result<()> {
    let mut set = Set::new(folder)?;
    screws::small(&mut set, 1001, 40)?;
    screws::sizes(&mut set, 1002, &[1000, 10_000, 100_000, 1_000_000], 4)?;
    features::make(&mut set, 1003, 400);
    cloths::make(&mut set, 1004, 20, 8)?;
    robots::make(&mut set, 1005, 200)?;
    finish(&set)
}

fn size(folder: &Path, triangles: u32) -> io::Result<()> {
    let mut set = Set::new(folder)?;
    screws::sizes(&mut set, 1002, &[triangles], 1)?;
    finish(&set)
}

fn finish(set: &Set) -> io::Result<()> {
    set.write()?;
    if io::stderr().is_terminal() {
        eprintln!();
    }
    for ((kind, reason), count) in &set.omitted {
        println!("not taken: {count} of {kind}: {reason:?}");
    }
    for family in ["screws", "features", "cloths", "robots"] {
        println!("taken: {} of {family}", set.count(family));
    }
    Ok(())
}
