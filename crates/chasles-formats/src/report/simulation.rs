//! The summary of a simulation, as one line of JSON.
//!
//! ```json
//! {"format":1,"verdict":"clear","duration":1,"steps":1000,"records":101,"impulses":12,"deepest":0.00002,
//!  "energy":{"start":9.81,"end":4.2},"warnings":[]}
//! ```
//!
//! `verdict`: `clear` (penetration is proven to stay within the allowed depth), `unchecked`, `undecided`, or
//! `crushed`. Deeper penetration is never recorded, so it has no verdict. `deepest` is null if it was not computed.
//! If the verdict is neither clear nor unchecked, `pair` or `bodies` names the bodies to blame and `time` the time;
//! an undecided verdict has its reason as `why`.

use chasles::{
    EnergyLosses, Friction, SimulatedBody, SimulationDefinition, SimulationEnergy, SimulationSummary,
    StepResult,
};
use serde::{Serialize, Serializer};

use crate::recording::ForcedStopJson;
use crate::text::json::{json_line, plain};
use crate::text::tree::number_text;

/// The verdict on a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulationVerdict {
    /// It ran to its end. The depth of penetration was not computed.
    Unchecked,
    /// It ran to its end, and penetration is proven to stay within the allowed depth.
    Clear,
    /// The simulation did not reach its end.
    Undecided,
    /// A body was crushed between others.
    Crushed,
}

impl SimulationVerdict {
    /// The verdict on a simulation with this ending and this maximum penetration, if computed.
    #[must_use]
    pub fn of(ending: &StepResult, deepest: Option<f64>) -> Self {
        match (ending, deepest) {
            (StepResult::Crushed { .. }, _) => Self::Crushed,
            (StepResult::Stuck { .. } | StepResult::Stopped | StepResult::Moments(_), _) => Self::Undecided,
            (StepResult::Finished, Some(_)) => Self::Clear,
            (StepResult::Finished, None) => Self::Unchecked,
        }
    }

    /// The word for the verdict.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unchecked => "unchecked",
            Self::Clear => "clear",
            Self::Undecided => "undecided",
            Self::Crushed => "crushed",
        }
    }
}

/// The line of JSON, with its line end. `ending` is how the simulation ended, and `reached` the time of the last
/// moment, in seconds. `warnings` are about the input.
#[must_use]
pub fn to_json(
    definition: &SimulationDefinition,
    summary: &SimulationSummary,
    (ending, reached): (&StepResult, f64),
    warnings: &[String],
) -> String {
    let SimulationSummary { steps, records, impulses, deepest, energy, losses, ref forced } = *summary;
    let [start, end] = energy.map(|SimulationEnergy { kinetic, potential, .. }| plain(kinetic + potential));
    let verdict = SimulationVerdict::of(ending, deepest);
    let name = |number: usize| definition.scene.bodies().get(number).map_or("", |body| body.name.as_str());
    let mut line = SummaryLine {
        format: 1,
        verdict: verdict.word(),
        duration: definition.scene.duration(),
        steps,
        records,
        impulses,
        deepest: deepest.map(plain),
        energy: SimulationEnergyJson { start, end, dissipated: LossesJson(causes(&losses)) },
        forced: forced.iter().map(|stop| ForcedStopJson::new(definition, stop)).collect(),
        warnings,
        pair: None,
        bodies: None,
        time: None,
        why: None,
    };
    match ending {
        StepResult::Crushed { time, bodies } => {
            line.bodies = Some(bodies.iter().map(|number| name(*number)).collect());
            line.time = Some(*time);
        }
        StepResult::Stuck { time, bodies } => {
            (line.pair, line.time) = (Some(bodies.map(name)), Some(*time));
            line.why = Some("no step was found that keeps the two from going deeper than is allowed");
        }
        StepResult::Stopped | StepResult::Moments(_) => {
            (line.time, line.why) = (Some(reached), Some("the simulation was stopped"));
        }
        StepResult::Finished => {}
    }
    json_line(&line)
}

/// The line in JSON: the order of the fields is the order of the keys.
#[derive(Serialize)]
struct SummaryLine<'a> {
    format: u32,
    verdict: &'static str,
    duration: f64,
    steps: u64,
    records: u64,
    impulses: u64,
    deepest: Option<f64>,
    energy: SimulationEnergyJson,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    forced: Vec<ForcedStopJson<'a>>,
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<[&'a str; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bodies: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

#[derive(Serialize)]
struct SimulationEnergyJson {
    start: f64,
    end: f64,
    dissipated: LossesJson,
}

/// Dissipated energy by its cause, as a table.
struct LossesJson(Vec<(&'static str, f64)>);

impl Serialize for LossesJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(cause, joules)| (cause, plain(*joules))))
    }
}

/// The causes of dissipated energy and their joules, without those that dissipated none.
#[must_use]
pub fn causes(losses: &EnergyLosses) -> Vec<(&'static str, f64)> {
    let EnergyLosses { impacts, repeated, friction, springs, joints, joints_at_start, forced, earlier } =
        *losses;
    let mut all = vec![
        ("impacts", impacts),
        ("repeated", repeated),
        ("friction", friction),
        ("springs", springs),
        ("joints", joints),
        ("joints_at_start", joints_at_start),
        ("forced", forced),
        ("earlier", earlier),
    ];
    all.retain(|(_, joules)| *joules != 0.0);
    all
}

/// Energy losses below this fraction of the energy that was exchanged bring no warning.
const UNEXPLAINED_LOSS: f64 = 1e-3;

/// A warning if contacts dissipated energy although all bodies are elastic and smooth. Causes without material properties
/// (repeated compression, joints at the start, forced stops) have names of their own, and bring no warning.
#[must_use]
pub fn energy_warning(definition: &SimulationDefinition, summary: &SimulationSummary) -> Option<String> {
    let is_conservative =
        |own: &SimulatedBody| own.elasticity == 1.0 && own.friction == Friction::Coefficient(0.0);
    if !definition.flexible.is_empty() || !definition.bodies.iter().all(is_conservative) {
        return None;
    }
    let EnergyLosses { impacts, friction, springs, joints, .. } = summary.losses;
    let lost = impacts + friction + springs + joints;
    let [start, end] = summary.energy;
    let exchanged = start.kinetic.max(end.kinetic).max((end.potential - start.potential).abs());
    (lost > UNEXPLAINED_LOSS * exchanged).then(|| {
        format!(
            "{} J were lost although all bodies are elastic and without friction: slow impacts end at rest, and joints take part in \
             impacts; a smaller `simulation.step` loses less",
            number_text(lost)
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scene;

    fn json_of(ending: &StepResult, deepest: Option<f64>) -> String {
        let text = b"format = 1\nduration = 2\n[[body]]\nname = 'jaw'\nbox = [1, 1, 1]\n\
            [[body]]\nname = 'egg'\nsphere = 0.1\nmass = 1\npose = { position = [0, 0, 1] }\n";
        let path = Path::new("scene.toml");
        let file = scene::file::parse(text, path).unwrap();
        let definition = scene::build::simulation(&file, path).unwrap().definition;
        let energy = |kinetic| SimulationEnergy { kinetic, potential: 1.0, dissipated: 9.0 };
        let summary = SimulationSummary {
            steps: 7,
            records: 3,
            impulses: 1,
            deepest,
            energy: [energy(0.5), energy(-1.0)],
            losses: EnergyLosses { impacts: 6.0, friction: 3.0, ..EnergyLosses::default() },
            forced: vec![],
        };
        to_json(&definition, &summary, (ending, 0.25), &[])
    }

    #[test]
    fn every_ending_has_its_line() {
        let line = |verdict: &str, deepest: &str, rest: &str| {
            format!(
                "{{\"format\":1,\"verdict\":\"{verdict}\",\"duration\":2.0,\"steps\":7,\"records\":3,\"impulses\":1,\
                 \"deepest\":{deepest},\"energy\":{{\"start\":1.5,\"end\":0.0,\
                 \"dissipated\":{{\"impacts\":6.0,\"friction\":3.0}}}},\"warnings\":[]{rest}}}\n"
            )
        };
        let (bodies, time) = ([0, 1], 0.5);
        let pair = ",\"pair\":[\"jaw\",\"egg\"],\"time\":0.5";
        assert_eq!(json_of(&StepResult::Finished, None), line("unchecked", "null", ""));
        assert_eq!(json_of(&StepResult::Finished, Some(-0.0)), line("clear", "0.0", ""));
        assert_eq!(json_of(&StepResult::Finished, Some(1e-5)), line("clear", "0.00001", ""));
        let crushed = StepResult::Crushed { time, bodies: vec![1, 0] };
        let bodies_and_time = ",\"bodies\":[\"egg\",\"jaw\"],\"time\":0.5";
        assert_eq!(json_of(&crushed, Some(0.25)), line("crushed", "0.25", bodies_and_time));
        assert_eq!(json_of(&crushed, None), line("crushed", "null", bodies_and_time));
        let stuck = ",\"why\":\"no step was found that keeps the two from going deeper than is allowed\"";
        let ending = StepResult::Stuck { time, bodies };
        assert_eq!(json_of(&ending, None), line("undecided", "null", &format!("{pair}{stuck}")));
        let stopped = ",\"time\":0.25,\"why\":\"the simulation was stopped\"";
        assert_eq!(json_of(&StepResult::Stopped, Some(0.5)), line("undecided", "0.5", stopped));
    }
}
