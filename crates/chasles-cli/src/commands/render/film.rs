//! The pictures of a film, each in a file of its own in a folder.

use std::fs;
use std::path::Path;

use chasles::ProgressMonitor as _;
use chasles_formats::printable::printable_path;
use chasles_viewer::render::Film;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::options;
use crate::args::RenderArgs;
use crate::exit::{Failure, Status};
use crate::output::Output;
use crate::progress::PairProgress;
use crate::shown::{self, Contacts, WorldMode};
use crate::stop::Stop;
use crate::warnings::Warnings;
use crate::words::count;

/// The maximum number of pictures of a film: nine hours at 30 per second.
const MAX_PICTURES: usize = 1_000_000;

/// The minimum number of digits in the names of pictures, as `ffmpeg -i NAME-%04d.png` reads them.
const DIGITS: usize = 4;

/// Renders all pictures of a film and writes them.
pub(super) fn run(args: &RenderArgs, stop: &Stop, warnings: &Warnings) -> Result<Status, Failure> {
    let folder = &args.output;
    if folder == "-" || folder.is_file() {
        let what = "found a file, expected a folder for the pictures of a film";
        return Err(Failure::Bad(format!("{}: {what}", printable_path(folder))));
    }
    let stem = args
        .shown
        .scene
        .file_stem()
        .map_or_else(|| "film".into(), |stem| stem.to_string_lossy().into_owned());
    let playback = shown::read(&args.shown, WorldMode::Played, Contacts::Shown(stop), warnings)?.playback;
    let times = times(args, playback.time_interval())?;
    let digits = times.len().to_string().len().max(DIGITS);
    let name = |number: usize| format!("{stem}-{number:0digits$}.png");
    fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    // A program that joins pictures to a film takes all consecutive numbers.
    let next_picture = folder.join(name(times.len() + 1));
    if next_picture.exists() {
        let what = "is left of a longer film, and would be taken for a picture of this one; expected a folder without it";
        return Err(Failure::Bad(format!("{}: {what}", printable_path(&next_picture))));
    }
    let fault = |error: &dyn std::fmt::Display| Failure::Bad(format!("render: {error}"));
    let film = Film::new(&playback, times, &options(args)).map_err(|error| fault(&error))?;
    let progress = PairProgress::new(stop, "pictures");
    progress.begin(film.count());
    let draw = |number: usize| -> Result<usize, Failure> {
        if progress.is_over() {
            return Ok(0);
        }
        let Some(picture) = film.picture(number) else { return Ok(0) };
        let png = picture.map_err(|error| fault(&error))?.to_png().map_err(|error| fault(&error))?;
        write(&folder.join(name(number + 1)), &png)?;
        progress.done(1);
        Ok(1)
    };
    let drawn: usize = (0..film.count()).into_par_iter().map(draw).try_reduce(|| 0, |a, b| Ok(a + b))?;
    if drawn < film.count() {
        let (all, place) = (count(film.count(), "picture"), printable_path(folder));
        return Err(Failure::Bad(format!("stopped: {drawn} of {all} are in {place}, each of them whole")));
    }
    Ok(Status::Fine)
}

/// Writes a file, which appears only when it is complete.
fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut output = Output::open(Some(file))?;
    output.bytes(bytes)?;
    output.finish()
}

/// The times of the pictures, in seconds: `frames` times evenly from start to end, or `fps` times per second.
fn times(args: &RenderArgs, [start, end]: [f64; 2]) -> Result<Vec<f64>, Failure> {
    let frames = match (args.frames, args.fps) {
        (Some(frames), _) => {
            let last = (frames.get() - 1).max(1) as f64;
            let at = |number: usize| start + (end - start) * (number as f64 / last);
            return checked(frames.get() as f64)
                .map(|()| (0..frames.get()).map(at).map(|time| time.min(end)).collect());
        }
        (None, Some(fps)) => fps,
        (None, None) => 1.0,
    };
    // A picture at the end counts, in spite of rounding.
    let last = ((end - start) * frames * (1.0 + 1e-12)).floor();
    checked(last + 1.0)?;
    let mut times = Vec::new();
    let mut number = 0.0;
    while number <= last {
        times.push((start + number / frames).min(end));
        number += 1.0;
    }
    Ok(times)
}

fn checked(frames: f64) -> Result<(), Failure> {
    if frames <= MAX_PICTURES as f64 {
        return Ok(());
    }
    Err(Failure::Bad(format!("render: found a film of {frames} pictures, expected at most {MAX_PICTURES}")))
}
