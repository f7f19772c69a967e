//! Bodies that collide at one moment: their velocities afterwards.

use std::path::Path;

use chasles::{ImpulseOutcome, ImpulseWorkspace, ProgressMonitor as _};
use chasles_formats::impulse::parse_line;
use chasles_formats::report::impulse::to_line;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rayon::prelude::*;

use crate::given::{Threads, refused};
use crate::mesh::{as_json, from_json};
use crate::work::{Teller, Work};

/// What one problem comes to: the line that tells it, or why it is bad.
fn solved(text: &str, workspace: &mut ImpulseWorkspace) -> Result<String, String> {
    const FILE: &str = "problem";
    let named = parse_line(text.as_bytes(), 1, Path::new(FILE));
    let told = |text: String| text.strip_prefix("problem:1: ").map_or(text.clone(), str::to_owned);
    let named = named.map_err(|bad| told(bad.error))?;
    let outcome: &ImpulseOutcome = named.problem.solve_with(workspace).map_err(|error| error.to_string())?;
    Ok(to_line(&named, outcome))
}

/// The velocities after a collision of any number of bodies at one moment, with their joints: one problem or a list of
/// them.
///
/// A problem is a dict with the keys of ``chasles impulse``: ``name``, ``bodies``, ``contacts``, ``joints``; arrays
/// will do for lists. The answer is a dict with the keys that ``chasles impulse`` writes, a list of them for a list.
/// Problems are solved by all cores, or ``threads``. A bad problem: ValueError, with its place in the list; nothing is
/// solved.
///
/// Guarantee: joints hold, no contact approaches, none pulls, and friction is within its cone, to 1e-9 of the greatest
/// speed where masses are within 1e4 of each other; ``verdict`` says where that could not be.
///
/// >>> ball = {"name": "ball", "mass": 2, "inertia": [1, 1, 1], "center": [0, 0, 1], "linear": [0, 0, -3]}
/// >>> touch = {"a": "floor", "b": "ball", "point": [0, 0, 0], "normal": [0, 0, 1], "elasticity": 0.5}
/// >>> problem = {"name": "drop", "bodies": [ball, {"name": "floor", "keyframed": True}], "contacts": [touch]}
/// >>> [round(speed, 9) for speed in chasles.solve_impulses(problem)["bodies"][0]["linear"]]
/// [0.0, 0.0, 1.5]
#[pyfunction]
#[pyo3(signature = (problems, *, threads=None, progress=None))]
pub(crate) fn solve_impulses<'py>(
    problems: &Bound<'py, PyAny>,
    threads: Option<Threads>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = problems.py();
    if problems.is_instance_of::<PyDict>() {
        let text = as_json(problems, "problems")?;
        let solve = |_: &Work| solved(&text, &mut ImpulseWorkspace::default());
        let line = Teller::new(py, progress).look_after(threads, solve)?;
        return from_json(py, &line.map_err(|error| refused("problems", error))?);
    }
    let mut texts = Vec::new();
    for (row, problem) in problems.try_iter()?.enumerate() {
        texts.push(as_json(&problem?, &format!("problems[{row}]"))?);
    }
    let teller = Teller::new(py, progress);
    let lines: Result<Vec<Option<String>>, (usize, String)> = teller.look_after(threads, |work| {
        work.begin(texts.len());
        let each =
            texts.par_iter().enumerate().map_init(ImpulseWorkspace::default, |workspace, (row, text)| {
                if work.is_over() {
                    return Ok(None);
                }
                let line = solved(text, workspace).map_err(|error| (row, error))?;
                work.done(1);
                Ok(Some(line))
            });
        // The first that is bad, whichever thread comes to it first.
        each.collect::<Vec<_>>().into_iter().collect()
    })?;
    let lines = lines.map_err(|(row, error)| refused(format_args!("problems[{row}]"), error))?;
    teller.tell(texts.len(), texts.len())?;
    let answers = lines.into_iter().flatten().map(|line| from_json(py, &line));
    Ok(PyList::new(py, answers.collect::<PyResult<Vec<_>>>()?)?.into_any())
}
