//! A recording as a scene: that which it names, with the recorded poses as keyframes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use chasles::Pose;
use glam::{DQuat, DVec3};

use crate::error::{Error, Place, Result};
use crate::limits;
use crate::printable::printable_path;
use crate::problems::document;
use crate::recording::recorded::{Reader, Recorded};
use crate::scene_file::{self, Interpolation, MotionEntry, PoseEntry, SceneFile, beside};
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::{number_text, quoted};

/// Two times are the same within this, in seconds.
const SAME_TIME: f64 = 1e-9;

/// How a recording begins that this program has written.
const BEGIN: &[u8] = br#"{"format":1,"kind":"recording","#;

/// A recording and the scene that it is of.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    /// The scene with the recorded poses as keyframes and the recording's duration. Joined pairs are not tested.
    pub scene: SceneFile,
    /// Where the scene was found.
    pub scene_path: PathBuf,
    /// Its impulses and energies.
    pub recorded: Recorded,
}

/// Whether a file is meant as a recording, by its name or its first bytes. Its first line decides whether it is one.
#[must_use]
pub fn is_recording(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jsonl")) {
        return true;
    }
    // A pipe is not touched: what is read of it would be lost.
    if limits::check_regular(path).is_err() {
        return false;
    }
    let mut bytes = [0; BEGIN.len()];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut bytes).is_ok()) && bytes == BEGIN
}

/// Reads a recording and the scene that it names.
///
/// A run that was cut off leaves a recording that ends before its duration, perhaps in the middle of a line. It counts
/// until its last whole line, and a warning of the scene says so.
///
/// # Errors
/// A file that cannot be read; no recording by its first line; a line that is none of a recording, with its number and
/// key; times that do not increase or pass the duration; no time after the first. A scene that is not where the
/// recording says, that is broken, or that lacks a body that the recording names or has another dynamic one.
pub fn read(path: &Path) -> Result<Played> {
    parse(&limits::read(path, limits::RECORDING_FILE)?, path)
}

fn parse(bytes: &[u8], path: &Path) -> Result<Played> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines =
        lines.enumerate().filter(|(_, line)| !line.is_empty()).map(|(at, line)| (at + 1, line)).peekable();
    let Some((number, first)) = lines.next() else {
        return Err(Error::file(path, "the file is empty, expected a recording of `chasles simulate`"));
    };
    let head = head(first, number, path)?;
    let mut track = Track::new(head.bodies.len());
    let mut warnings = Vec::new();
    while let Some((number, line)) = lines.next() {
        let is_cut = lines.peek().is_none() && !bytes.ends_with(b"\n");
        match document(line, number, path) {
            Err(error) if is_cut => {
                let what = "the line is cut off, as by a run that was ended: the recording counts until the line before";
                warnings.push(Error { message: what.into(), ..error }.to_string());
            }
            document => track.take(&Cursor::root(path, &document?), (&head, number))?,
        }
    }
    let Some(last) = track.times.last().copied().filter(|last| *last > 0.0) else {
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
    let Track { times, bodies, beside } = track;
    with_keyframes(&mut scene, (&head, path), (times, bodies))?;
    let recorded = beside.of(&scene, path)?;
    at_the_same_pace(&mut scene, duration);
    scene.warnings.extend(warnings);
    Ok(Played { scene, scene_path, recorded })
}

/// What the first line says.
struct Head {
    scene: String,
    duration: f64,
    bodies: Vec<String>,
    line: usize,
}

fn head(line: &[u8], number: usize, path: &Path) -> Result<Head> {
    let expected = "`\"kind\":\"recording\"` in the first line, as `chasles simulate` writes it; problems are for \
                    chasles batch and chasles impulse";
    let document = document(line, number, path)?;
    let root = Cursor::root(path, &document);
    match root.get("kind") {
        Some(kind) if kind.text() == Ok("recording") => {}
        Some(kind) => return Err(kind.expected(expected)),
        None => return Err(root.missing("kind", expected)),
    }
    let format = root.require("format", "1")?;
    if format.number(Limit::Any)? != 1.0 {
        return Err(format.expected("1, the only format that this program reads"));
    }
    root.only_keys(&["format", "kind", "scene", "duration", "depth", "bodies"])?;
    let scene = root.require("scene", "the path of a scene file")?;
    let scene = scene.filled_text("the path of a scene file")?.to_owned();
    let duration = root.require("duration", "seconds, a finite number > 0")?.number(Limit::Positive)?;
    root.require("depth", "metres, a finite number > 0")?.number(Limit::Positive)?;
    let list = root.require("bodies", "a list of names of bodies")?;
    let mut bodies = Vec::new();
    let mut seen = BTreeSet::new();
    for at in list.items("a list of names of bodies")? {
        let name = at.text()?.to_owned();
        if !seen.insert(name.clone()) {
            return Err(at.expected("a name that stands there once"));
        }
        bodies.push(name);
    }
    Ok(Head { scene, duration, bodies, line: number })
}

/// Where a body is at the times of a recording.
type Places = (Vec<DVec3>, Vec<DQuat>);

/// The times of a recording, where each body is then, and what else is told.
struct Track {
    times: Vec<f64>,
    bodies: Vec<Places>,
    beside: Reader,
}

impl Track {
    fn new(bodies: usize) -> Self {
        let bodies = vec![(Vec::new(), Vec::new()); bodies];
        Self { times: Vec::new(), bodies, beside: Reader::default() }
    }

    /// Takes a line of a number. Velocities, which nobody needs, are checked none the less.
    fn take(&mut self, root: &Cursor<'_>, (head, number): (&Head, usize)) -> Result<()> {
        if !root.is_table() {
            return Err(root.expected("an object with the keys t, poses, velocities, contacts, energy"));
        }
        root.only_keys(&["t", "poses", "velocities", "contacts", "energy"])?;
        let at = root.require("t", "seconds, a finite number >= 0")?;
        let time = at.number(Limit::NotNegative)?;
        if let Some(before) = self.times.last().filter(|before| **before >= time) {
            return Err(
                at.expected(&format!("a time after that of the line before, {}", number_text(*before)))
            );
        }
        if time > head.duration + SAME_TIME {
            let duration = number_text(head.duration);
            return Err(at.expected(&format!("at most the duration, {duration}")));
        }
        self.times.push(time);
        each(root, ("poses", head.bodies.len()), |index, at| {
            let [x, y, z, wxyz @ ..] = at.numbers::<7>(Limit::Any)?;
            let rotation = at.unit_quaternion(wxyz)?;
            let pose =
                Pose::new(DVec3::new(x, y, z), rotation).map_err(|error| at.error(error.to_string()))?;
            let (positions, rotations) = &mut self.bodies[index];
            positions.push(pose.position());
            rotations.push(pose.rotation());
            Ok(())
        })?;
        each(root, ("velocities", head.bodies.len()), |_, at| at.numbers::<6>(Limit::Any).map(drop))?;
        self.beside.take(root, (time, number))
    }
}

/// Reads a list that has an item for each of so many bodies.
fn each(
    root: &Cursor<'_>,
    (key, bodies): (&str, usize),
    mut read: impl FnMut(usize, &Cursor<'_>) -> Result<()>,
) -> Result<()> {
    let expected = format!("a list of length {bodies}, one item for each of the bodies");
    let list = root.require(key, &expected)?;
    let items = list.items(&expected)?;
    if items.len() != bodies {
        return Err(list.expected(&expected));
    }
    items.enumerate().try_for_each(|(index, item)| read(index, &item))
}

/// Where the scene of a recording is: beside the recording, or else as written.
fn found(head: &Head, path: &Path) -> Result<PathBuf> {
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
            place: Place::Key { path: "scene".into(), line: head.line },
            message: what,
        }
    })
}

/// Gives the recorded bodies of a scene their keyframes.
fn with_keyframes(
    scene: &mut SceneFile,
    (head, path): (&Head, &Path),
    (times, bodies): (Vec<f64>, Vec<Places>),
) -> Result<()> {
    let complain = |what: String| Error::key(path, "bodies", head.line, what);
    let names: BTreeMap<&str, usize> =
        scene.bodies.iter().enumerate().map(|(number, body)| (body.name.as_str(), number)).collect();
    let mut numbers = Vec::with_capacity(head.bodies.len());
    for name in &head.bodies {
        match names.get(name.as_str()) {
            Some(number) if scene.bodies[*number].mass.is_some() => numbers.push(*number),
            _ => {
                let found = quoted(name);
                return Err(complain(format!(
                    "found {found}, expected the dynamic bodies of the scene: has it changed?"
                )));
            }
        }
    }
    let recorded: BTreeSet<usize> = numbers.iter().copied().collect();
    let lacks =
        |(number, body): &(usize, &scene_file::BodyEntry)| body.mass.is_some() && !recorded.contains(number);
    if let Some((_, body)) = scene.bodies.iter().enumerate().find(lacks) {
        let lacking = quoted(&body.name);
        return Err(complain(format!("{lacking} is missing, a dynamic body of the scene: has it changed?")));
    }
    for (number, (positions, rotations)) in numbers.into_iter().zip(bodies) {
        let (times, interpolation) = (times.clone(), Interpolation::Screw);
        let body = &mut scene.bodies[number];
        body.pose = PoseEntry::IDENTITY;
        body.motion = Some(MotionEntry::Keyframes { times, positions, rotations, interpolation });
    }
    Ok(())
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
