//! A recording as a scene: that which it names, with the recorded poses as keyframes and the recorded vertices as frames.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chasles::{FramesInMemory, SimulationState};

use super::lines::{CUT, RecordingHeader, RecordingLines, SAME_TIME};
use crate::error::{Error, ErrorLocation, Result};
use crate::limits;
use crate::printable::printable_path;
use crate::recording::recorded::Recorded;
use crate::scene_file::{
    self, BodyTable, KeyInterpolation, MotionEntry, PoseEntry, RecordedEntry, SceneFile, ShapeEntry, beside,
};
use crate::text::tree::{number_text, quoted};

/// How a recording begins that this program has written.
const BEGIN: &[u8] = br#"{"format":1,"kind":"recording","#;

/// A recording and the scene that it is of.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The scene with the recorded poses as keyframes, flexible bodies as ones that deform and are tested against
    /// themselves, and the recording's duration. Joined pairs are not tested.
    pub scene: SceneFile,
    /// Where the scene was found.
    pub scene_path: PathBuf,
    /// Its impulses, energies and releases.
    pub recorded: Recorded,
}

/// Whether a file is meant as a recording, by its name or its first bytes. Its first line decides whether it is one.
#[must_use]
pub fn is_recording(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl")) {
        return true;
    }
    // A pipe is not touched: what is read of it would be lost.
    limits::head(path, BEGIN.len() as u64).is_ok_and(|(bytes, _)| bytes == BEGIN)
}

/// Reads a recording and the scene that it names.
///
/// A run that was cut off leaves a recording that ends before its duration, perhaps in the middle of a line. It counts
/// until its last whole line, and a warning of the scene says so.
///
/// # Errors
/// A file that cannot be read; no recording by its first line; a line that is none of a recording, with its number and
/// key; times that do not increase or pass the duration; no time after the first. A scene that is not where the
/// recording says, that is broken, or that lacks a body that the recording names or has another dynamic or flexible one.
pub fn read(path: &Path) -> Result<Played> {
    parse(&limits::read(path, limits::RECORDING_FILE)?, path)
}

/// The same of the bytes of a file; `path` is for messages, and the scene is beside it.
///
/// # Errors
/// As [`read`], but for reading the recording.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Played> {
    let RecordingLines { head, mut moments, cut, beside, .. } = RecordingLines::parse(bytes, path)?;
    let cut = cut.map(|error| Error {
        message: CUT.to_owned() + ": the recording counts until the line before",
        ..error
    });
    let mut warnings: Vec<String> = cut.iter().map(Error::to_string).collect();
    let Some(last) = moments.last().map(|moment| moment.time).filter(|last| *last > 0.0) else {
        return Err(Error::file(path, "found no line after time 0, expected poses at two times at least"));
    };
    let duration = if (head.duration - last).abs() <= SAME_TIME { head.duration } else { last };
    if duration < head.duration {
        let [ends, of] = [duration, head.duration].map(number_text);
        let what = format!("the recording ends at {ends} s of {of} s: it is checked until there");
        warnings.push(Error::file(path, what).to_string());
    }
    let scene_path = found(&head, path)?;
    let mut scene = scene_file::read(&scene_path)?;
    with_keyframes(&mut scene, (&head, path), &mut moments)?;
    let recorded = beside.of(&scene, path)?;
    at_the_same_pace(&mut scene, duration);
    scene.warnings.extend(warnings);
    // Each line repeats the releases of those before it.
    let released = moments.last().map_or(&[][..], |last| &last.released);
    let releases = super::recorded::releases(&scene, &head.bodies, released);
    Ok(Played { scene, scene_path, recorded: Recorded { releases, ..recorded } })
}

/// Where the scene of a recording is: beside the recording, or else as written.
fn found(head: &RecordingHeader, path: &Path) -> Result<PathBuf> {
    let places = [beside(path, &head.scene), PathBuf::from(&head.scene)];
    let there = places.iter().find(|place| place.is_file());
    there.cloned().ok_or_else(|| {
        let [first, second] = places.each_ref().map(|place| printable_path(place));
        let tried = if places[0] == places[1] {
            format!("{first} is not there")
        } else {
            format!("neither {first} nor {second} is there")
        };
        let what = format!("found {}, expected the scene of the recording: {tried}", quoted(&head.scene));
        Error {
            file: path.to_path_buf(),
            place: ErrorLocation::Key { path: "scene".into(), line: head.line },
            message: what,
        }
    })
}

/// Gives the recorded bodies of a scene their keyframes, or the places of their vertices, which are taken from the moments.
fn with_keyframes(
    scene: &mut SceneFile,
    (head, path): (&RecordingHeader, &Path),
    moments: &mut [SimulationState],
) -> Result<()> {
    let is_rigid = |body: &BodyTable| body.is_dynamic() && !body.is_flexible();
    let all = |key: &str, kind: &str, is_one: fn(&BodyTable) -> bool, told: &[String]| {
        numbers(scene, (kind, is_one), told).map_err(|what| Error::key(path, key, head.line, what))
    };
    let rigid = all("bodies", "dynamic", is_rigid, &head.bodies)?;
    let flexible = all("flexible", "flexible", BodyTable::is_flexible, &head.flexible)?;
    let times: Vec<f64> = moments.iter().map(|moment| moment.time).collect();
    for (own, number) in rigid.into_iter().enumerate() {
        let positions = moments.iter().map(|moment| moment.poses[own].position()).collect();
        let rotations = moments.iter().map(|moment| moment.poses[own].rotation()).collect();
        let (times, interpolation) = (times.clone(), KeyInterpolation::Screw);
        let body = &mut scene.bodies[number];
        body.pose = PoseEntry::IDENTITY;
        body.motion = Some(MotionEntry::Keyframes { times, positions, rotations, interpolation });
    }
    for (own, number) in flexible.into_iter().enumerate() {
        let places = moments.iter_mut().map(|moment| std::mem::take(&mut moment.flexible[own].vertices));
        let (times, frames) = (times.clone(), Arc::new(FramesInMemory(places.collect())));
        let body = &mut scene.bodies[number];
        let rest = body.shape.clone();
        body.shape = ShapeEntry::Recorded(Box::new(RecordedEntry { rest, times, frames }));
        body.pose = PoseEntry::IDENTITY;
        (body.against_itself, body.convex) = (true, false);
    }
    Ok(())
}

/// The numbers of the bodies of a scene that a recording names under a key; otherwise what is wrong. They are all
/// that the scene has of the kind, which is named too.
fn numbers(
    scene: &SceneFile,
    (kind, is_one): (&str, fn(&BodyTable) -> bool),
    told: &[String],
) -> std::result::Result<Vec<usize>, String> {
    let names = scene.numbers();
    let number = |name: &String| {
        let known = names.get(name.as_str()).copied().filter(|number| is_one(&scene.bodies[*number]));
        let found = quoted(name);
        known
            .ok_or_else(|| format!("found {found}, expected the {kind} bodies of the scene: has it changed?"))
    };
    let numbers = told.iter().map(number).collect::<std::result::Result<Vec<usize>, String>>()?;
    let known: BTreeSet<usize> = numbers.iter().copied().collect();
    let lacks = |(number, body): &(usize, &BodyTable)| is_one(body) && !known.contains(number);
    match scene.bodies.iter().enumerate().find(lacks) {
        Some((_, body)) => {
            let lacking = quoted(&body.name);
            Err(format!("{lacking} is missing, a {kind} body of the scene: has it changed?"))
        }
        None => Ok(numbers),
    }
}

/// Gives a scene another duration. Screws, which are spread over the duration, go on as fast as before.
fn at_the_same_pace(scene: &mut SceneFile, duration: f64) {
    let part = duration / scene.duration;
    if part != 1.0 {
        for body in &mut scene.bodies {
            if let Some(MotionEntry::Screw { slide, angle, .. }) = &mut body.motion {
                *slide *= part;
                *angle *= part;
            }
        }
    }
    scene.duration = duration;
}
