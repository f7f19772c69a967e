//! `chasles render`: a still picture of a scene or robot at a time, the pictures of a film, or the motion as a file
//! for other programs.

mod film;

use std::path::Path;

use chasles_formats::Error;
use chasles_formats::printable::printable_path;
use chasles_viewer::Playback;
use chasles_viewer::animation::{self, Thinned};
use chasles_viewer::render::{Highlight, RenderOptions, render};

use crate::args::RenderArgs;
use crate::exit::{Failure, Status};
use crate::output::{Output, complain, same, unfinished};
use crate::shown::{self, Contacts, WorldMode};
use crate::stop::Stop;
use crate::warnings::Warnings;

/// Renders what the arguments specify and writes the file.
pub(crate) fn run(args: &RenderArgs, warnings: &Warnings) -> Result<Status, Failure> {
    if is_animation(&args.output)? {
        return animation(args, warnings);
    }
    let stop = Stop::install_before_reading()?;
    if args.frames.is_some() || args.fps.is_some() {
        return film::run(args, &stop, warnings);
    }
    // The file is opened now, so that a file that cannot be written is an error before a long check.
    let mut output = Output::open(Some(&args.output))?;
    match picture(args, &stop, warnings) {
        Ok(png) => {
            output.bytes(&png)?;
            output.finish()?;
            Ok(Status::Fine)
        }
        Err(failure) => Err(output.give_up(failure)),
    }
}

fn picture(args: &RenderArgs, stop: &Stop, warnings: &Warnings) -> Result<Vec<u8>, Failure> {
    let playback = shown::read(&args.shown, WorldMode::Played, Contacts::Shown(stop), warnings)?.playback;
    let [start, _] = playback.time_interval();
    let picture = render(&playback, args.at.unwrap_or(start), &options(args));
    let picture = picture.map_err(|error| Failure::Bad(format!("render: {error}")))?;
    picture.to_png().map_err(|error| Failure::Bad(format!("render: {error}")))
}

fn options(args: &RenderArgs) -> RenderOptions {
    let highlight = if args.highlight { Highlight::Features } else { Highlight::Points };
    let RenderOptions { size, from, .. } = RenderOptions::default();
    RenderOptions { size: args.size.unwrap_or(size), from: args.from.unwrap_or(from), highlight }
}

/// Whether a file is to contain a motion, judging from its name.
pub(crate) fn is_animation(file: &Path) -> Result<bool, Failure> {
    let end = file.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
    match end.as_deref() {
        Some("glb") => Ok(true),
        Some("gltf") => {
            let what = "found .gltf, which would be several files, expected .glb";
            Err(Error::file(file, what).into())
        }
        _ => Ok(false),
    }
}

/// Prints a warning for each deforming body for which a glTF file omits frames, if the motion ends at `until`.
pub(crate) fn warn_thinned(playback: &Playback, until: f64, (scene, file): (&Path, &Path)) {
    for Thinned { body, frames, every } in animation::thinned(playback, until) {
        let what = format!(
            "warning: body {body:?} deforms in {frames} frames: {} has room for 1 of {every}",
            printable_path(file)
        );
        complain(&Error::file(scene, what).to_string());
    }
}

/// Writes the whole motion as binary glTF, without contacts.
fn animation(args: &RenderArgs, warnings: &Warnings) -> Result<Status, Failure> {
    let RenderArgs { output, shown, .. } = args;
    let of_pictures = [
        (args.at.is_some(), "--at"),
        (args.frames.is_some(), "--frames"),
        (args.fps.is_some(), "--fps"),
        (args.size.is_some(), "--size"),
        (args.from.is_some(), "--from"),
        (args.highlight, "--highlight"),
        (shown.report.is_some(), "--report"),
        (shown.clearance.is_some(), "--clearance"),
    ];
    if let Some((_, option)) = of_pictures.into_iter().find(|(is_given, _)| *is_given) {
        let what =
            format!("found {option} beside a file in glTF, which holds the whole motion, expected a picture");
        return Err(Error::file(output, what).into());
    }
    if same(output, &shown.scene) {
        return Err(Failure::Bad(format!(
            "{}: is the displayed file, which is never overwritten",
            printable_path(output)
        )));
    }
    unfinished::end_on_interrupt();
    let mut file = Output::open(Some(output))?;
    let read = shown::read(shown, WorldMode::Played, Contacts::Unknown, warnings);
    let written = read.and_then(|read| {
        let name = shown::name(&shown.scene);
        let [_, end] = read.playback.time_interval();
        warn_thinned(&read.playback, end, (&shown.scene, output));
        animation::glb(&name, &read.playback, end).map_err(|what| Error::file(output, what).into())
    });
    match written {
        Ok(bytes) => {
            file.bytes(&bytes)?;
            file.finish()?;
            Ok(Status::Fine)
        }
        Err(failure) => Err(file.give_up(failure)),
    }
}
