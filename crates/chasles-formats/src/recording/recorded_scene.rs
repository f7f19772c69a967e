//! A recording as a scene: the scene that it names, with the recorded poses as keyframes and the recorded vertices
//! as frames.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chasles::{FramesInMemory, SimulationState};

use super::lines::{CUT, RecordingHeader, RecordingLines, TIME_TOLERANCE};
use crate::error::{Error, ErrorLocation, Result};
use crate::limits;
use crate::printable::printable_path;
use crate::recording::dynamics::RecordedDynamics;
use crate::scene;
use crate::scene::file::{
    BodyTable, KeyInterpolation, MotionEntry, PoseEntry, RecordedEntry, SceneFile, ShapeEntry, resolve_path,
};
use crate::text::tree::{number_text, quoted};

/// The start of a recording that this program has written.
const START: &[u8] = br#"{"format":1,"kind":"recording","#;

/// A recording with its scene.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedScene {
    /// The scene with the recorded poses as keyframes, flexible bodies as deforming bodies that are tested against
    /// themselves, and the recording's duration. Joined pairs are not tested.
    pub scene: SceneFile,
    /// The path at which the scene was found.
    pub scene_path: PathBuf,
    /// Its impulses, energies and releases.
    pub dynamics: RecordedDynamics,
}

/// Whether a file is meant to be a recording, by its name or its first bytes. Its first line decides whether it is
/// valid.
#[must_use]
pub fn is_recording(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl")) {
        return true;
    }
    // A pipe is not read here, because its bytes would be missing later.
    limits::head(path, START.len() as u64).is_ok_and(|(bytes, _)| bytes == START)
}

/// Reads a recording and the scene that it names.
///
/// An interrupted run leaves a recording that ends before its duration, perhaps in the middle of a line. It is read
/// up to its last complete line, with a warning of the scene.
///
/// # Errors
/// A file that cannot be read; a first line that is not the header of a recording; an invalid line, with its number
/// and key; times that do not increase or exceed the duration; no time after the first. A scene that is missing at
/// the recorded path, that is invalid, that lacks a body of the recording, or that has another dynamic or flexible
/// body.
pub fn read(path: &Path) -> Result<RecordedScene> {
    parse(&limits::read(path, limits::RECORDING_FILE)?, path)
}

/// Like [`read`], from the bytes of a file. Messages name `path`, and the scene is looked up beside it.
///
/// # Errors
/// As for [`read`], except errors of reading the recording.
pub fn parse(bytes: &[u8], path: &Path) -> Result<RecordedScene> {
    let RecordingLines { head, mut moments, cut, beside, .. } = RecordingLines::parse(bytes, path)?;
    let cut = cut.map(|error| Error {
        message: CUT.to_owned() + ": the recording counts until the line before",
        ..error
    });
    let mut warnings: Vec<String> = cut.iter().map(Error::to_string).collect();
    let Some(last) = moments.last().map(|moment| moment.time).filter(|last| *last > 0.0) else {
        return Err(Error::file(path, "found no line after time 0, expected poses at two times at least"));
    };
    let duration = if (head.duration - last).abs() <= TIME_TOLERANCE { head.duration } else { last };
    if duration < head.duration {
        let [ends, of] = [duration, head.duration].map(number_text);
        let what = format!("the recording ends at {ends} s of {of} s: it is checked until there");
        warnings.push(Error::file(path, what).to_string());
    }
    let scene_path = found(&head, path)?;
    let mut scene = scene::file::read(&scene_path)?;
    with_keyframes(&mut scene, (&head, path), &mut moments)?;
    let dynamics = beside.of(&scene, path)?;
    at_the_same_pace(&mut scene, duration);
    scene.warnings.extend(warnings);
    // Each line repeats the releases of the lines before.
    let released = moments.last().map_or(&[][..], |last| &last.released);
    let releases = super::dynamics::releases(&scene, &head.bodies, released);
    Ok(RecordedScene { scene, scene_path, dynamics: RecordedDynamics { releases, ..dynamics } })
}

/// The path of a recording's scene: beside the recording, or else as written.
fn found(head: &RecordingHeader, path: &Path) -> Result<PathBuf> {
    let places = [resolve_path(path, &head.scene), PathBuf::from(&head.scene)];
    let there = places.iter().find(|place| place.is_file());
    there.cloned().ok_or_else(|| {
        let [first, second] = places.each_ref().map(|place| printable_path(place));
        let search_text = if places[0] == places[1] {
            format!("{first} is not there")
        } else {
            format!("neither {first} nor {second} is there")
        };
        let what =
            format!("found {}, expected the scene of the recording: {search_text}", quoted(&head.scene));
        Error {
            file: path.to_path_buf(),
            place: ErrorLocation::Key { path: "scene".into(), line: head.line },
            message: what,
        }
    })
}

/// Gives the recorded bodies of a scene their keyframes or vertex positions, which are moved out of the moments.
fn with_keyframes(
    scene: &mut SceneFile,
    (head, path): (&RecordingHeader, &Path),
    moments: &mut [SimulationState],
) -> Result<()> {
    let is_rigid = |body: &BodyTable| body.is_dynamic() && !body.is_flexible();
    let all = |key: &str, kind: &str, is_one: fn(&BodyTable) -> bool, recorded_names: &[String]| {
        numbers(scene, (kind, is_one), recorded_names).map_err(|what| Error::key(path, key, head.line, what))
    };
    let rigid = all("bodies", "dynamic", is_rigid, &head.bodies)?;
    let flexible = all("flexible", "flexible", BodyTable::is_flexible, &head.flexible)?;
    let times: Vec<f64> = moments.iter().map(|moment| moment.time).collect();
    for (index, number) in rigid.into_iter().enumerate() {
        let positions = moments.iter().map(|moment| moment.poses[index].position()).collect();
        let rotations = moments.iter().map(|moment| moment.poses[index].rotation()).collect();
        let (times, interpolation) = (times.clone(), KeyInterpolation::Screw);
        let body = &mut scene.bodies[number];
        body.pose = PoseEntry::IDENTITY;
        body.motion = Some(MotionEntry::Keyframes { times, positions, rotations, interpolation });
    }
    for (index, number) in flexible.into_iter().enumerate() {
        let places = moments.iter_mut().map(|moment| std::mem::take(&mut moment.flexible[index].vertices));
        let (times, frames) = (times.clone(), Arc::new(FramesInMemory(places.collect())));
        let body = &mut scene.bodies[number];
        let rest = body.shape.clone();
        body.shape = ShapeEntry::Recorded(Box::new(RecordedEntry { rest, times, frames }));
        body.pose = PoseEntry::IDENTITY;
        (body.against_itself, body.convex) = (true, false);
    }
    Ok(())
}

/// The numbers of the scene's bodies that a recording names, which must be all bodies of this kind; otherwise the
/// error.
fn numbers(
    scene: &SceneFile,
    (kind, is_one): (&str, fn(&BodyTable) -> bool),
    recorded_names: &[String],
) -> std::result::Result<Vec<usize>, String> {
    let names = scene.numbers();
    let number = |name: &String| {
        let known = names.get(name.as_str()).copied().filter(|number| is_one(&scene.bodies[*number]));
        let found = quoted(name);
        known
            .ok_or_else(|| format!("found {found}, expected the {kind} bodies of the scene: has it changed?"))
    };
    let numbers = recorded_names.iter().map(number).collect::<std::result::Result<Vec<usize>, String>>()?;
    let known: BTreeSet<usize> = numbers.iter().copied().collect();
    let is_missing = |(number, body): &(usize, &BodyTable)| is_one(body) && !known.contains(number);
    match scene.bodies.iter().enumerate().find(is_missing) {
        Some((_, body)) => {
            let missing_name = quoted(&body.name);
            Err(format!("{missing_name} is missing, a {kind} body of the scene: has it changed?"))
        }
        None => Ok(numbers),
    }
}

/// Changes the duration of a scene. Screws, which are spread over the duration, keep their speed.
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
