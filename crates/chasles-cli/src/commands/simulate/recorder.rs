//! Writes the moments of a simulation: lines of a recording, rows of a table, or an animation for other programs,
//! depending on the name of the file.

use std::path::{Path, PathBuf};

use chasles::{SimulationDefinition, SimulationState};
use chasles_formats::figures::number;
use chasles_formats::printable::printable_path;
use chasles_formats::recording::{self, RecordedPoses, ResumableRecording, simulated_scene};
use chasles_formats::report::moments;
use chasles_formats::{Error, gltf};
use chasles_viewer::{Playback, animation};

use crate::args::SimulateArgs;
use crate::commands::render::{is_animation, warn_thinned};
use crate::exit::Failure;
use crate::output::Output;
use crate::shown;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordingFormat {
    /// A recording, JSON Lines.
    Lines,
    /// A table, CSV.
    Rows,
    /// An animation, binary glTF. It is written at the end, as a whole.
    Animation,
}

impl RecordingFormat {
    /// Chooses the format from the extension of the file's name. Output to standard output is a recording.
    pub(super) fn of(output: &Path) -> Result<Self, Failure> {
        if is_animation(output)? {
            return Ok(Self::Animation);
        }
        let end = output.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
        Ok(match end.as_deref() {
            Some("csv") => Self::Rows,
            _ => Self::Lines,
        })
    }
}

/// The maximum number of vertex positions that an animation may keep: as many as fit into one gibibyte.
const MAX_POSITIONS: usize = (1 << 30) / 12;

/// Records moments, after the moments of an earlier recording if there is one.
pub(super) struct Recorder {
    pub(super) scene: PathBuf,
    output: Option<(RecordingFormat, Output)>,
    file: Option<PathBuf>,
    /// The frames of an animation until now.
    frames: Vec<RecordedPoses>,
    /// The time of the last moment, in seconds.
    pub(super) reached: f64,
}

impl Recorder {
    /// Opens the file and writes its start. `resumed` is the earlier recording.
    pub(super) fn create(
        args: &SimulateArgs,
        definition: &SimulationDefinition,
        resumed: Option<&ResumableRecording>,
    ) -> Result<Self, Failure> {
        let before = resumed.map_or(&[][..], |resumed| &resumed.moments);
        let reached = before.last().map_or(0.0, |last| last.time);
        let mut recorder =
            Self { scene: args.scene.clone(), output: None, file: None, frames: Vec::new(), reached };
        let Some(path) = &args.output else { return Ok(recorder) };
        recorder.file = Some(path.clone()).filter(|path| path != "-");
        let form = RecordingFormat::of(path)?;
        if form == RecordingFormat::Rows && !definition.flexible.is_empty() {
            let what = "found flexible bodies, which have no poses for the rows of a table, expected a .jsonl or .glb file";
            return Err(Failure::Bad(format!("{}: {what}", printable_path(path))));
        }
        let output = match form {
            RecordingFormat::Lines => {
                let name = recording::scene_name(&args.scene, recorder.file.as_deref());
                // The earlier moments may be as deep as their own recording allows.
                let depth = resumed.map_or(definition.depth, |resumed| definition.depth.max(resumed.depth));
                let mut lines = recording::head(&name, definition, depth).into_bytes();
                match resumed {
                    None => {
                        let mut output = Output::growing(path)?;
                        output.bytes(&lines)?;
                        output.flush()?;
                        output
                    }
                    Some(resumed) => {
                        lines.extend_from_slice(&resumed.lines);
                        Output::continued(path, &lines)?
                    }
                }
            }
            RecordingFormat::Rows => {
                let mut output = Output::growing(path)?;
                output.line(moments::HEADER)?;
                before.iter().try_for_each(|moment| output.line(&moments::rows(definition, moment)))?;
                output.flush()?;
                output
            }
            RecordingFormat::Animation => {
                let output = Output::open(Some(path))?;
                before.iter().try_for_each(|moment| recorder.add_frame(moment))?;
                output
            }
        };
        recorder.output = Some((form, output));
        Ok(recorder)
    }

    /// Records a moment. Lines and rows are written immediately, so that the file is valid up to this moment if the
    /// run is interrupted.
    pub(super) fn moment(
        &mut self,
        definition: &SimulationDefinition,
        moment: &SimulationState,
    ) -> Result<(), Failure> {
        self.reached = moment.time;
        let Some((form, output)) = &mut self.output else { return Ok(()) };
        let text = match form {
            RecordingFormat::Lines => recording::line(definition, moment),
            RecordingFormat::Rows => moments::rows(definition, moment),
            RecordingFormat::Animation => return self.add_frame(moment),
        };
        output.line(&text)?;
        output.flush()
    }

    /// Keeps the poses and shapes of a moment for an animation.
    fn add_frame(&mut self, moment: &SimulationState) -> Result<(), Failure> {
        let frame = RecordedPoses::of(moment);
        let all = |each: usize| (self.frames.len() + 1).saturating_mul(each);
        let counts = [
            ("poses", all(frame.poses.len()), gltf::MAX_POSES),
            ("positions of vertices", all(frame.vertices.iter().map(Vec::len).sum()), MAX_POSITIONS),
        ];
        if let Some((of, _, maximum)) = counts.into_iter().find(|(_, count, maximum)| count > maximum) {
            let file = self.file.as_deref().unwrap_or(&self.scene);
            let what = format!(
                "found more than {maximum} {of} at {} s, expected no more in a file",
                number(moment.time)
            );
            return Err(Error::file(
                file,
                what + ": a greater `record` makes fewer, or a recording takes them",
            )
            .into());
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Writes the rest.
    pub(super) fn finish(self, definition: &SimulationDefinition) -> Result<(), Failure> {
        let Self { scene, output, file, frames, reached } = self;
        match output {
            None => Ok(()),
            Some((RecordingFormat::Lines | RecordingFormat::Rows, output)) => output.finish(),
            Some((RecordingFormat::Animation, mut output)) => {
                let file = file.unwrap_or_else(|| scene.clone());
                match animated((&scene, &file), definition, frames, reached)
                    .and_then(|bytes| output.bytes(&bytes))
                {
                    Ok(()) => output.finish(),
                    Err(failure) => Err(output.give_up(failure)),
                }
            }
        }
    }

    /// Adds the place of the incomplete recording to a failure.
    pub(super) fn give_up(self, failure: Failure) -> Failure {
        match (&self.file, self.output) {
            (_, Some((RecordingFormat::Animation, output))) => output.give_up(failure),
            (Some(file), _) => failure.and(&format!("the recording so far is in {}", printable_path(file))),
            (None, _) => failure,
        }
    }
}

/// The motion of a simulation's bodies until a time, as a file.
fn animated(
    (scene, file): (&Path, &Path),
    definition: &SimulationDefinition,
    frames: Vec<RecordedPoses>,
    until: f64,
) -> Result<Vec<u8>, Failure> {
    let simulated_scene =
        simulated_scene(definition, frames).map_err(|error| Error::file(scene, error.to_string()))?;
    let name = shown::name(scene);
    let playback = Playback::of_scene(&name, simulated_scene, None)?;
    warn_thinned(&playback, until, (scene, file));
    Ok(animation::glb(&name, &playback, until).map_err(|what| Error::file(file, what))?)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Args, Command};

    fn definition() -> SimulationDefinition {
        let text = b"format = 1\nduration = 2\n[[body]]\nname = 'egg, raw'\nsphere = 0.1\nmass = 1\n";
        let path = Path::new("scene.toml");
        let file = chasles_formats::scene::file::parse(text, path).unwrap();
        chasles_formats::scene::build::simulation(&file, path).unwrap().definition
    }

    fn moment() -> SimulationState {
        SimulationState {
            time: 0.5,
            poses: vec![chasles::Pose::IDENTITY],
            velocities: vec![[glam::DVec3::ZERO; 2]],
            flexible: vec![],
            released: vec![],
            contacts: vec![],
            energy: chasles::SimulationEnergy::default(),
            losses: chasles::EnergyLosses::default(),
            forced: vec![],
        }
    }

    #[test]
    fn a_growing_file_is_readable() {
        let folder = tempfile::tempdir().unwrap();
        for (name, last) in [
            ("run.jsonl", "{\"t\":0.5,"),
            ("run.CSV", "0.5,\"egg, raw\",0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0\n"),
        ] {
            let file = folder.path().join(name);
            let path = file.to_str().unwrap();
            let Command::Simulate(args) =
                Args::parse_from(["chasles", "simulate", "s.toml", "-o", path]).command
            else {
                panic!()
            };
            let mut recorder = Recorder::create(&args, &definition(), None).unwrap();
            recorder.moment(&definition(), &moment()).unwrap();
            let text = std::fs::read_to_string(&file).unwrap();
            assert_eq!(
                (text.lines().count(), text.ends_with('\n'), recorder.reached),
                (2, true, 0.5),
                "{text}"
            );
            assert!(text.lines().nth(1).unwrap().starts_with(last.trim_end()), "{text}");
            let failure = recorder.give_up(Failure::Bad("x: it broke".into()));
            assert_eq!(failure, Failure::Bad(format!("x: it broke; the recording so far is in {path}")));
        }
    }
}
