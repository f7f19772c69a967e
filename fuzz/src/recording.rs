//! Recordings of simulations: a recording that is read from arbitrary bytes can be played, written again and continued.

use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use chasles::{ProgressMonitor, Simulation, SimulationDefinition, SimulationState, StepResult};
use chasles_formats::recording::{self, RecordedScene, ResumableRecording};
use chasles_formats::scene;

use crate::readers::{accepted, check_valid};
use crate::seeds;

/// The scene that the seeds name, and a recording beside it.
const SCENE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/drop.toml");
const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/run.jsonl");

pub(crate) static DEFINITION: LazyLock<SimulationDefinition> = LazyLock::new(|| {
    let path = Path::new(SCENE);
    let file = scene::file::read(path).expect("the scene beside the recordings");
    scene::build::simulation(&file, path).expect("a sound scene").definition
});

/// The moments of the first seed.
pub(crate) fn seed_moments() -> Vec<SimulationState> {
    let text = &seeds::recording()[0];
    recording::parse_resumable(text, Path::new(RECORDING), &DEFINITION).expect("a sound recording").moments
}

/// A recording: for playing, and for a simulation that continues from it.
pub fn recording(bytes: &[u8]) {
    let path = Path::new(RECORDING);
    if let Some(played) = accepted(recording::parse(bytes, path), path) {
        played_on(&played);
    }
    if let Some(resumable) = accepted(recording::parse_resumable(bytes, path, &DEFINITION), path) {
        continue_recording(&resumable);
    }
}

/// Checks that times increase, impulses belong to bodies of the scene, and the scene can be checked.
fn played_on(RecordedScene { scene, scene_path, dynamics: recorded }: &RecordedScene) {
    let (lines, contacts) = (&recorded.lines, &recorded.contacts);
    assert!(lines.windows(2).all(|two| two[0].time < two[1].time));
    assert!(lines.windows(2).all(|two| two[0].contacts_end <= two[1].contacts_end));
    assert!(lines.last().is_some_and(|last| last.contacts_end == contacts.len()));
    for contact in contacts {
        assert!(contact.bodies.iter().all(|body| *body < scene.bodies.len()), "{contact:?}");
        assert!(contact.point.is_finite() && contact.impulse.is_finite() && contact.time >= 0.0);
    }
    if let Some(built) = accepted(scene::build::build(scene, scene_path), scene_path) {
        assert_eq!(built.scene.duration(), scene.duration);
        check_valid(&built.scene);
    }
}

/// Checks that moments are written as they were read, and that a simulation continues from the last.
fn continue_recording(resumable: &ResumableRecording) {
    let ResumableRecording { moments, lines, depth, .. } = resumable;
    assert!(*depth > 0.0 && !moments.is_empty());
    let head = recording::head("drop.toml", &DEFINITION, DEFINITION.depth);
    let written: String = moments.iter().map(|moment| recording::line(&DEFINITION, moment)).collect();
    assert_eq!(lines.iter().filter(|byte| **byte == b'\n').count(), moments.len());
    let path = Path::new(RECORDING);
    let again = recording::parse_resumable((head + &written).as_bytes(), path, &DEFINITION);
    let again = again.expect("what was written is read");
    assert_eq!(&again.moments, moments, "{written}");
    if let Some(Ok(mut simulation)) =
        moments.last().map(|last| Simulation::resumed(DEFINITION.clone(), last, false))
    {
        let few_moments = Few(AtomicU32::new(0));
        // The loop must terminate.
        while let Ok(StepResult::Moments(_)) = simulation.advance(&few_moments) {}
    }
}

/// Stops a simulation after a number of calls.
struct Few(AtomicU32);

impl ProgressMonitor for Few {
    fn is_over(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= 40
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_read() {
        let path = Path::new(RECORDING);
        for (number, seed) in crate::seeds::recording().iter().enumerate() {
            let played = recording::parse(seed, path).unwrap();
            assert_eq!(played.dynamics.contacts.len(), 1, "seed {number}");
            let resumable = recording::parse_resumable(seed, path, &DEFINITION).unwrap();
            assert_eq!(resumable.warning.is_some(), number == 1, "seed {number}");
        }
    }
}
