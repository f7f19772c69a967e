//! Runs a target on files, on stable Rust:
//! `cargo run --release --no-default-features --example replay -- TARGET FILE..`. A fault causes a panic, after the
//! name of the file was printed. For a folder, all its files are run.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use chasles_fuzz::{TARGETS, target};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some(target) = target(&name) else {
        let known = TARGETS.map(|target| target.name).join(", ");
        return Err(format!("found {name:?}, expected the name of a target, then files: {known}").into());
    };
    for argument in arguments {
        for file in files(Path::new(&argument))? {
            println!("{}", file.display());
            let (bytes, begin) = (std::fs::read(&file)?, Instant::now());
            (target.run)(&bytes);
            let seconds = begin.elapsed().as_secs_f64();
            if seconds > 1.0 {
                println!("  took {seconds:.1} s");
            }
        }
    }
    Ok(())
}

/// A file, or the files of a folder, sorted by name.
fn files(path: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.sort();
    Ok(files)
}
