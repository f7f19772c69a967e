//! A recording that a simulation goes on from: of a run that was ended, or one whose scene lasts longer now.

use std::path::Path;

use chasles::{Moment, Pose, Release, SimulationDefinition};

use super::lines::{CUT, Lines, SAME_TIME};
use crate::error::{Error, Result};
use crate::limits;
use crate::text::tree::{number_text, quoted};

/// What was recorded so far.
#[derive(Debug, Clone, PartialEq)]
pub struct Begun {
    /// The moments, without their contacts; one at least.
    pub moments: Vec<Moment>,
    /// Their lines as they stand in the recording, each with its end.
    pub lines: Vec<u8>,
    /// Bodies were never deeper in each other than this, in metres, says the recording.
    pub depth: f64,
    /// What is doubtful, in a sentence with the file's name: that the last line is cut off.
    pub warning: Option<String>,
}

/// Poses are the same within this, in metres and as a share of the coordinates.
const SAME_PLACE: f64 = 1e-9;

fn is_same_place(own: &Pose, other: &Pose) -> bool {
    let far = SAME_PLACE * (1.0 + own.position().length());
    let is_turned = own.rotation().dot(other.rotation()).abs() < 1.0 - SAME_PLACE;
    own.position().distance(other.position()) <= far && !is_turned
}

/// Reads a recording of a simulation until its last whole line. It may name any scene: what counts are the bodies.
///
/// # Errors
/// As [`read`](super::read), but for the scene that it names; a recording without a time, or one that is not of this
/// simulation: of other dynamic bodies, of other poses at time 0, longer than the duration, or with bodies that wait for
/// their first contact elsewhere than where their motions have them.
pub fn begun(path: &Path, definition: &SimulationDefinition) -> Result<Begun> {
    parse_begun(&limits::read(path, limits::RECORDING_FILE)?, path, definition)
}

/// The same of the bytes of a file; `path` is for messages.
///
/// # Errors
/// As [`begun`], but for reading the file.
pub fn parse_begun(bytes: &[u8], path: &Path, definition: &SimulationDefinition) -> Result<Begun> {
    let Lines { head, mut moments, text, cut, beside: _ } = Lines::parse(bytes, path)?;
    let scene = &definition.scene;
    let bodies = scene.bodies().iter().zip(&definition.bodies);
    let dynamic = bodies.enumerate().filter(|(_, (_, own))| own.dynamics.is_some());
    let dynamic: Vec<(usize, &str)> =
        dynamic.map(|(number, (body, _))| (number, body.name.as_str())).collect();
    if !head.bodies.iter().map(String::as_str).eq(dynamic.iter().map(|(_, name)| *name)) {
        let names = |names: &mut dyn Iterator<Item = &str>| names.map(quoted).collect::<Vec<_>>().join(", ");
        let found = names(&mut head.bodies.iter().map(String::as_str));
        let expected = names(&mut dynamic.iter().map(|(_, name)| *name));
        let what = format!(
            "found {found}, expected the dynamic bodies of the scene, {expected}: is it of another scene?"
        );
        return Err(Error::key(path, "bodies", head.line, what));
    }
    let duration = scene.duration();
    match moments.last_mut() {
        None => return Err(Error::file(path, "found no line with a time, expected one at least")),
        Some(last) if last.time > duration + SAME_TIME => {
            let [found, most] = [last.time, duration].map(number_text);
            let what =
                format!("found a last time of {found}, expected at most the duration of the scene, {most}");
            return Err(Error::file(path, what));
        }
        Some(last) if (last.time - duration).abs() <= SAME_TIME => last.time = duration,
        Some(_) => {}
    }
    if let Some(first) = moments.first().filter(|first| first.time == 0.0) {
        for ((number, name), pose) in dynamic.iter().zip(&first.poses) {
            if !is_same_place(&scene.pose_at(*number, 0.0), pose) {
                let name = quoted(name);
                let what =
                    format!("body {name} is not where the scene has it at time 0: is it of another scene?");
                return Err(Error::file(path, what));
            }
        }
    }
    for moment in &mut moments {
        for own in &mut moment.released {
            let (number, name) = dynamic[own.body];
            if definition.bodies[number].release != Release::Contact {
                let name = quoted(name);
                let what = format!(
                    "body {name} was released at its first contact, and is dynamic from time 0 on in the scene: is it of another scene?"
                );
                return Err(Error::file(path, what));
            }
            own.body = number;
        }
    }
    if let Some(last) = moments.last() {
        for ((number, name), pose) in dynamic.iter().zip(&last.poses) {
            let waits = definition.bodies[*number].release == Release::Contact
                && last.released.iter().all(|own| own.body != *number);
            if waits && !is_same_place(&scene.pose_at(*number, last.time), pose) {
                let (name, time) = (quoted(name), number_text(last.time));
                let what = format!(
                    "body {name} is not where its motion has it at {time} s: is it of another scene?"
                );
                return Err(Error::file(path, what));
            }
        }
    }
    let warning = cut.map(|error| {
        let message = CUT.to_owned() + ": the simulation goes on from the line before";
        Error { message, ..error }.to_string()
    });
    Ok(Begun { moments, lines: text, depth: head.depth, warning })
}
