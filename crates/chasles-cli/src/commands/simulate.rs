//! `chasles simulate`: simulates bodies with masses, which move, bounce and come to rest.

mod recorder;
mod suggestions;

use std::fmt::Write as _;
use std::path::PathBuf;

use chasles::{
    ProgressMonitor as _, Release, Released, SimulatedBody, Simulation, SimulationDefinition,
    SimulationEnergy, SimulationSummary, StepResult,
};
use chasles_formats::Error;
use chasles_formats::figures::number;
use chasles_formats::printable::{printable, printable_path};
use chasles_formats::recording::{self, ResumableRecording};
use chasles_formats::report::simulation::{SimulationVerdict, causes, energy_warning, to_json};

use self::recorder::{Recorder, RecordingFormat};
use crate::args::SimulateArgs;
use crate::exit::{Failure, Status};
use crate::input::scenes::{self, DynamicScene, SimulatedDuration};
use crate::output::{complain, print, same};
use crate::progress::{PairProgress, Part};
use crate::stop::Stop;
use crate::threads::Pool;
use crate::warnings::Warnings;

/// Runs the simulation, records it and prints a summary.
pub(crate) fn run(args: &SimulateArgs, warnings: &Warnings) -> Result<Status, Failure> {
    let pool = Pool::new(args.threads)?;
    let DynamicScene { definition, masses, files } =
        scenes::simulation(&args.scene, SimulatedDuration::OfScene, warnings)?;
    check_output(args, &files)?;
    let resumed_run = resumed_run(args, &definition, warnings)?;
    warnings.refuse()?;
    let simulation =
        pool.install(|| match resumed_run.as_ref().and_then(|resumed_run| resumed_run.moments.last()) {
            Some(from) => Simulation::resumed(definition, from, args.check),
            None => Simulation::new(definition, args.check),
        });
    let file = args.from.as_deref().unwrap_or(&args.scene);
    let mut simulation = simulation.map_err(|error| Error::file(file, error.to_string()))?;
    // All other input is checked before this line, because an older recording is lost now.
    let mut recorder = Recorder::create(args, simulation.definition(), resumed_run.as_ref())?;
    let from = resumed_run.map(|_| recorder.reached);
    let stop = Stop::install()?;
    let ending = advance(&mut simulation, &mut recorder, (&pool, &stop));
    let reached = recorder.reached;
    let ending = match ending {
        Ok(ending) => ending,
        Err(Failure::ClosedPipe) => return Err(Failure::ClosedPipe),
        Err(failure) => return Err(recorder.give_up(failure)),
    };
    recorder.finish(simulation.definition())?;
    let suggested = if args.suggest {
        let progress = PairProgress::new(&stop, "pairs");
        let definition_and_masses = (simulation.definition(), masses.as_slice());
        Some(pool.install(|| suggestions::compute(args, definition_and_masses, &progress))?)
    } else {
        None
    };
    let is_printed = args.output.as_deref().is_some_and(|output| output == "-");
    let summary = simulation.summary();
    let outcome = Outcome {
        definition: simulation.definition(),
        summary: &summary,
        released: simulation.released(),
        ending: &ending,
        reached,
        from,
    };
    outcome.complain(args);
    if let Some(warning) = energy_warning(outcome.definition, outcome.summary) {
        warnings.add(warning);
    }
    let status = outcome.status();
    let text = match (args.json, is_printed) {
        (true, _) => {
            let report = to_json(outcome.definition, outcome.summary, (&ending, reached), &warnings.list());
            suggested.map_or_else(String::new, |found| suggestions::lines(outcome.definition, &found))
                + &report
        }
        (false, true) => String::new(),
        (false, false) => {
            let suggested = suggested.map(|found| suggestions::table(outcome.definition, &found));
            outcome.table(args) + &suggested.unwrap_or_default()
        }
    };
    match print(text.as_bytes()) {
        // The reader of the pipe has closed it; the result is still valid.
        Ok(()) | Err(Failure::ClosedPipe) => Ok(status),
        Err(failure) => Err(failure),
    }
}

/// The recording from which the simulation continues, if there is one; prints warnings.
fn resumed_run(
    args: &SimulateArgs,
    definition: &SimulationDefinition,
    warnings: &Warnings,
) -> Result<Option<ResumableRecording>, Failure> {
    let Some(file) = &args.from else { return Ok(None) };
    let resumed_run = recording::read_resumable(file, definition)?;
    if args.check && resumed_run.depth > definition.settings.depth {
        // All digits are printed, because rounded numbers may look equal.
        let (found, expected) = (resumed_run.depth, definition.settings.depth);
        let what = format!(
            "found a depth of {found:?} m, expected at most that of the scene, {expected:?} m, with --check"
        );
        return Err(Error::key(file, "depth", 1, what).into());
    }
    if let Some(warning) = &resumed_run.warning {
        warnings.add(warning.as_str());
    }
    if resumed_run.moments.last().is_some_and(|last| last.time >= definition.scene.duration()) {
        complain(&format!(
            "{}: reaches the end of the scene: nothing remains to be simulated",
            printable_path(file)
        ));
    }
    Ok(Some(resumed_run))
}

/// Refuses to record into a file of the scene, or on standard output beside JSON.
fn check_output(args: &SimulateArgs, files: &[PathBuf]) -> Result<(), Failure> {
    match args.output.as_deref() {
        Some(output) if output == "-" && args.json => {
            let choice = "found both --json and -o -, expected one: the recording goes to a file";
            Err(Failure::Bad(format!("standard output: {choice}")))
        }
        Some(output) if output == "-" && args.suggest => {
            let choice = "found both --suggest and -o -, expected one: the recording goes to a file";
            Err(Failure::Bad(format!("standard output: {choice}")))
        }
        Some(output) if files.iter().any(|file| same(output, file)) => Err(Failure::Bad(format!(
            "{}: is a file of the scene, which is never overwritten",
            printable_path(output)
        ))),
        Some(output)
            if RecordingFormat::of(output)? != RecordingFormat::Lines
                && args.from.as_ref().is_some_and(|file| same(output, file)) =>
        {
            let what = "is the recording that --from continues, expected another file for another format";
            Err(Failure::Bad(format!("{}: {what}", printable_path(output))))
        }
        _ => Ok(()),
    }
}

/// Advances the simulation to its end, and records it.
fn advance(
    simulation: &mut Simulation,
    recorder: &mut Recorder,
    (pool, stop): (&Pool, &Stop),
) -> Result<StepResult, Failure> {
    let progress = PairProgress::new(stop, "%");
    progress.begin(100);
    let mut percent = 0_u16;
    let duration = simulation.definition().scene.duration();
    loop {
        let advanced = pool.install(|| simulation.advance(&Part(&progress)));
        let moments = match advanced.map_err(|error| Error::file(&recorder.scene, error.to_string()))? {
            StepResult::Moments(moments) => moments,
            ending => return Ok(ending),
        };
        for moment in &moments {
            recorder.moment(simulation.definition(), moment)?;
        }
        let before = percent;
        while percent < 100 && 0.01 * (f64::from(percent) + 1.0) * duration <= recorder.reached {
            percent += 1;
        }
        progress.done(usize::from(percent - before));
    }
}

/// The outcome of a simulation.
struct Outcome<'a> {
    definition: &'a SimulationDefinition,
    summary: &'a SimulationSummary,
    released: &'a [Released],
    ending: &'a StepResult,
    reached: f64,
    /// The time from which it was continued.
    from: Option<f64>,
}

impl Outcome<'_> {
    fn verdict(&self) -> SimulationVerdict {
        SimulationVerdict::of(self.ending, self.summary.deepest)
    }

    fn status(&self) -> Status {
        match self.verdict() {
            SimulationVerdict::Unchecked | SimulationVerdict::Clear => Status::Fine,
            SimulationVerdict::Undecided | SimulationVerdict::Crushed => Status::Undecided,
        }
    }

    fn name(&self, body: usize) -> &str {
        self.definition.scene.bodies().get(body).map_or("", |body| body.name.as_str())
    }

    /// Names of bodies: "a", "b" and "c".
    fn names(&self, bodies: &[usize]) -> String {
        let names: Vec<_> = bodies.iter().map(|body| format!("{:?}", self.name(*body))).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
            None => String::new(),
        }
    }

    /// The bodies that were released at their first contact. `None` if no body waits for its first contact.
    fn released(&self) -> Option<String> {
        const NAMED: usize = 3;
        let waits = |body: &&SimulatedBody| body.dynamics.is_some() && body.release == Release::Contact;
        let all = self.definition.bodies.iter().filter(waits).count();
        if all == 0 {
            return None;
        }
        let mut text = format!("{} of {all}", self.released.len());
        for (number_of, Released { body, time }) in self.released.iter().take(NAMED).enumerate() {
            let sign = if number_of == 0 { ':' } else { ',' };
            // Writing to a string cannot fail.
            let _ = write!(text, "{sign} {:?} at {} s", self.name(*body), number(*time));
        }
        if self.released.len() > NAMED {
            text += ", ..";
        }
        Some(text)
    }

    /// The fault that ended the simulation, if there was one.
    fn fault(&self) -> Option<String> {
        let depth = number(self.definition.settings.depth);
        match self.ending {
            StepResult::Crushed { time, bodies } => {
                let (names, time) = (self.names(bodies), number(*time));
                Some(format!("crushed at {time} s: no velocities keep {names} out of each other"))
            }
            StepResult::Stuck { time, bodies } => {
                let (names, time) = (self.names(bodies), number(*time));
                Some(format!("stuck at {time} s: no step keeps {names} from going deeper than {depth} m"))
            }
            StepResult::Stopped | StepResult::Moments(_) => {
                Some(format!("stopped at {} s", number(self.reached)))
            }
            StepResult::Finished => None,
        }
    }

    /// Prints on standard error what went wrong, and the file of the incomplete recording.
    fn complain(&self, args: &SimulateArgs) {
        let Some(fault) = self.fault() else { return };
        let file = args.output.as_deref().filter(|path| *path != "-" && *self.ending != StepResult::Finished);
        let so_far = file.map_or_else(String::new, |file| {
            format!("; the recording so far is in {}", printable_path(file))
        });
        complain(&format!("{}: {fault}{so_far}", printable_path(&args.scene)));
    }

    /// The summary as text.
    fn table(&self, args: &SimulateArgs) -> String {
        let SimulationSummary { steps, records, impulses, deepest, energy, losses, forced } = self.summary;
        let [start, end] =
            energy.map(|SimulationEnergy { kinetic, potential, .. }| number(kinetic + potential));
        let allowed = number(self.definition.settings.depth);
        let deepest = match deepest {
            Some(0.0) => "0: no surfaces cross, proven".into(),
            Some(depth) => format!("at most {} m, proven; {allowed} m are allowed", number(*depth)),
            None => "not checked: --check proves it".into(),
        };
        let lost: Vec<String> =
            causes(losses).iter().map(|(cause, joules)| format!("{} J {cause}", number(*joules))).collect();
        let since = self.from.map_or_else(String::new, |from| format!(", from {} s on", number(from)));
        let duration = number(self.definition.scene.duration());
        let mut rows = vec![
            ("time", format!("{} of {duration} s{since}", number(self.reached))),
            ("steps", steps.to_string()),
            ("records", records.to_string()),
            ("impulses", impulses.to_string()),
            ("deepest", deepest),
            ("energy", format!("{start} J at the start, {end} J at the end")),
        ];
        if !lost.is_empty() {
            rows.push(("dissipated", lost.join(", ")));
        }
        if let Some(first) = forced.first() {
            let (names, time) = (self.names(&first.bodies), number(first.time));
            rows.push(("forced", format!("{} stops; the first at {time} s: {names}", forced.len())));
        }
        if let Some(released) = self.released() {
            rows.push(("released", released));
        }
        if let Some(file) = &args.output {
            rows.push(("recording", file.display().to_string()));
        }
        let mut text = format!("{}: {}\n", printable_path(&args.scene), self.verdict().word());
        for (name, value) in rows {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {name:<12}{}", printable(&value));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use chasles_formats::scene;
    use clap::Parser as _;

    use super::*;
    use crate::args::{Args, Command};

    fn definition() -> SimulationDefinition {
        let text = b"format = 1\nduration = 2\n[[body]]\nname = 'jaw'\nbox = [1, 1, 1]\n\
            [[body]]\nname = 'egg'\nsphere = 0.1\nmass = 1\npose = { position = [0, 0, 1] }\n";
        let path = Path::new("scene.toml");
        scene::build::simulation(&scene::file::parse(text, path).unwrap(), path).unwrap().definition
    }

    /// The status, the message on standard error, and the line of the table about the depth.
    fn status_and_text(ending: StepResult, deepest: Option<f64>) -> (Status, Option<String>, String) {
        let energy = [SimulationEnergy { kinetic: 1.0, potential: 0.5, dissipated: 0.0 }; 2];
        let losses = chasles::EnergyLosses::default();
        let summary =
            SimulationSummary { steps: 10, records: 4, impulses: 2, deepest, energy, losses, forced: vec![] };
        let definition = definition();
        let outcome = Outcome {
            definition: &definition,
            summary: &summary,
            released: &[],
            ending: &ending,
            reached: 0.25,
            from: None,
        };
        let Command::Simulate(args) =
            Args::parse_from(["chasles", "simulate", "s.toml", "-o", "r.jsonl"]).command
        else {
            panic!()
        };
        let table = outcome.table(&args);
        let start =
            format!("s.toml: {}\n  time        0.25 of 2 s\n  steps       10\n", outcome.verdict().word());
        let end = "  energy      1.5 J at the start, 1.5 J at the end\n  recording   r.jsonl\n";
        assert!(table.starts_with(&start) && table.ends_with(end), "{table}");
        let deepest = table.lines().find_map(|line| line.strip_prefix("  deepest     ")).unwrap().to_owned();
        (outcome.status(), outcome.fault(), deepest)
    }

    #[test]
    fn every_outcome_has_its_sentence() {
        let (bodies, time) = ([0, 1], 0.5);
        let unchecked = "not checked: --check proves it".to_owned();
        assert_eq!(status_and_text(StepResult::Finished, None), (Status::Fine, None, unchecked.clone()));
        let crossing = "0: no surfaces cross, proven".to_owned();
        assert_eq!(status_and_text(StepResult::Finished, Some(0.0)), (Status::Fine, None, crossing));
        let within = "at most 5e-5 m, proven; 0.0001 m are allowed".to_owned();
        assert_eq!(status_and_text(StepResult::Finished, Some(5e-5)), (Status::Fine, None, within));
        let fault = "crushed at 0.5 s: no velocities keep \"egg\", \"jaw\" and \"egg\" out of each other";
        let crushed = (Status::Undecided, Some(fault.into()), unchecked.clone());
        assert_eq!(status_and_text(StepResult::Crushed { time, bodies: vec![1, 0, 1] }, None), crushed);
        let fault = "stuck at 0.5 s: no step keeps \"jaw\" and \"egg\" from going deeper than 0.0001 m";
        let stuck = (Status::Undecided, Some(fault.into()), unchecked.clone());
        assert_eq!(status_and_text(StepResult::Stuck { time, bodies }, None), stuck);
        let stopped = (Status::Undecided, Some("stopped at 0.25 s".into()), unchecked);
        assert_eq!(status_and_text(StepResult::Stopped, None), stopped);
    }
}
