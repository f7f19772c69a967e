//! Reads a recording that a simulation continues, after an interruption or with a longer duration.

use std::path::Path;

use chasles::{Pose, Release, SimulationDefinition, SimulationState};
use glam::DVec3;

use super::lines::{CUT, RecordingHeader, RecordingLines, TIME_TOLERANCE};
use crate::error::{Error, Result};
use crate::limits;
use crate::text::tree::{number_text, quoted};

/// The recorded part of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumableRecording {
    /// The moments, without their contacts; at least one.
    pub moments: Vec<SimulationState>,
    /// The lines of the moments as in the recording, each with its line end.
    pub lines: Vec<u8>,
    /// Maximum penetration of bodies, in metres, as the recording states it.
    pub depth: f64,
    /// A warning, with the file's name, if the last line is truncated.
    pub warning: Option<String>,
}

/// Poses are equal within this tolerance: of positions in metres and relative to the coordinates, of rotations as 1
/// minus the cosine of half the angle between them.
const POSE_TOLERANCE: f64 = 1e-9;

fn is_same_pose(pose: &Pose, other: &Pose) -> bool {
    let tolerance = POSE_TOLERANCE * (1.0 + pose.position().length());
    let is_rotated = pose.rotation().dot(other.rotation()).abs() < 1.0 - POSE_TOLERANCE;
    pose.position().distance(other.position()) <= tolerance && !is_rotated
}

/// Reads a recording of a simulation up to its last complete line. It may name any scene: only the bodies matter.
///
/// # Errors
/// As for [`read`](super::read), except errors of the scene that it names; a recording without a time, or a
/// recording of another simulation: other dynamic or flexible bodies, other poses at time 0, times beyond the
/// duration, or bodies that wait for their first contact away from the pose of their motion.
pub fn read_resumable(path: &Path, definition: &SimulationDefinition) -> Result<ResumableRecording> {
    parse_resumable(&limits::read(path, limits::RECORDING_FILE)?, path, definition)
}

/// Like [`read_resumable`], from the bytes of a file; messages name `path`.
///
/// # Errors
/// As for [`read_resumable`], except errors of reading the file.
pub fn parse_resumable(
    bytes: &[u8],
    path: &Path,
    definition: &SimulationDefinition,
) -> Result<ResumableRecording> {
    let RecordingLines { head, mut moments, text, cut, beside: _ } = RecordingLines::parse(bytes, path)?;
    let scene = &definition.scene;
    let bodies = scene.bodies().iter().zip(&definition.bodies);
    let dynamic = bodies.enumerate().filter(|(_, (_, simulated))| simulated.dynamics.is_some());
    let dynamic: Vec<(usize, &str)> =
        dynamic.map(|(number, (body, _))| (number, body.name.as_str())).collect();
    check_names(("bodies", "dynamic"), (&head, path), (&head.bodies, dynamic.iter().map(|(_, name)| *name)))?;
    let flexible =
        definition.flexible.iter().filter_map(|flexible_body| scene.bodies().get(flexible_body.body));
    let names = flexible.map(|body| body.name.as_str());
    check_names(("flexible", "flexible"), (&head, path), (&head.flexible, names))?;
    let duration = scene.duration();
    match moments.last_mut() {
        None => return Err(Error::file(path, "found no line with a time, expected one at least")),
        Some(last) if last.time > duration + TIME_TOLERANCE => {
            let [found, maximum] = [last.time, duration].map(number_text);
            let what = format!(
                "found a last time of {found}, expected at most the duration of the scene, {maximum}"
            );
            return Err(Error::file(path, what));
        }
        Some(last) if (last.time - duration).abs() <= TIME_TOLERANCE => last.time = duration,
        Some(_) => {}
    }
    if let Some(first) = moments.first().filter(|first| first.time == 0.0) {
        for ((number, name), pose) in dynamic.iter().zip(&first.poses) {
            if !is_same_pose(&scene.pose_at(*number, 0.0), pose) {
                let name = quoted(name);
                let what =
                    format!("body {name} is not where the scene has it at time 0: is it of another scene?");
                return Err(Error::file(path, what));
            }
        }
    }
    check_flexible(&moments, definition).map_err(|what| Error::file(path, what))?;
    for moment in &mut moments {
        for release in &mut moment.released {
            let (number, name) = dynamic[release.body];
            if definition.bodies[number].release != Release::Contact {
                let name = quoted(name);
                let what = format!(
                    "body {name} was released at its first contact, and is dynamic from time 0 on in the scene: is it of another scene?"
                );
                return Err(Error::file(path, what));
            }
            release.body = number;
        }
        for body in moment.forced.iter_mut().flat_map(|stop| &mut stop.bodies) {
            *body = dynamic[*body].0;
        }
    }
    if let Some(last) = moments.last() {
        for ((number, name), pose) in dynamic.iter().zip(&last.poses) {
            let waits = definition.bodies[*number].release == Release::Contact
                && last.released.iter().all(|release| release.body != *number);
            if waits && !is_same_pose(&scene.pose_at(*number, last.time), pose) {
                let (name, time) = (quoted(name), number_text(last.time));
                let what = format!(
                    "body {name} is not where its motion has it at {time} s: is it of another scene?"
                );
                return Err(Error::file(path, what));
            }
        }
    }
    let warning = cut.map(|error| {
        let message = CUT.to_owned() + ": the simulation continues from the line before";
        Error { message, ..error }.to_string()
    });
    Ok(ResumableRecording { moments, lines: text, depth: head.depth, warning })
}

/// Checks that a recording names the scene's bodies of this kind, in the same order. `key` is the key of the names.
fn check_names<'a>(
    (key, kind): (&str, &str),
    (head, path): (&RecordingHeader, &Path),
    (found, expected): (&[String], impl Iterator<Item = &'a str> + Clone),
) -> Result<()> {
    if found.iter().map(String::as_str).eq(expected.clone()) {
        return Ok(());
    }
    let names = |names: &mut dyn Iterator<Item = &str>| {
        let names = names.map(quoted).collect::<Vec<_>>().join(", ");
        if names.is_empty() { "none".to_owned() } else { names }
    };
    let (found, expected) = (names(&mut found.iter().map(String::as_str)), names(&mut expected.clone()));
    let what = format!(
        "found {found}, expected the {kind} bodies of the scene, {expected}: is it of another scene?"
    );
    Err(Error::key(path, key, head.line, what))
}

/// Checks that flexible bodies have the number of vertices of the scene, and the scene's positions at time 0;
/// otherwise returns the error.
fn check_flexible(
    moments: &[SimulationState],
    definition: &SimulationDefinition,
) -> std::result::Result<(), String> {
    let scene = &definition.scene;
    let Some(first) = moments.first() else { return Ok(()) };
    for (flexible_body, state) in definition.flexible.iter().zip(&first.flexible) {
        let Some(body) = scene.bodies().get(flexible_body.body) else { continue };
        let Some(shape) = &body.shape else { continue };
        let (name, mesh) = (quoted(&body.name), shape.drawn());
        let (found, expected) = (state.vertices.len(), mesh.vertex_count());
        if found != expected {
            return Err(format!(
                "found {found} vertices of body {name}, expected {expected}, those of its mesh: is it of another scene?"
            ));
        }
        let pose = scene.pose_at(flexible_body.body, 0.0);
        let is_at_scene_position = |(number, place): (u32, &DVec3)| {
            let there = pose.transform_point(mesh.vertex(number));
            there.distance(*place) <= POSE_TOLERANCE * (1.0 + there.length())
        };
        if first.time == 0.0 && !(0_u32..).zip(&state.vertices).all(is_at_scene_position) {
            return Err(format!(
                "body {name} is not where the scene has it at time 0: is it of another scene?"
            ));
        }
    }
    Ok(())
}
