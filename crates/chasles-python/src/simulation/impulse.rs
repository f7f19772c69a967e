//! Velocities of bodies after a collision at one moment.

use std::path::Path;

use chasles::{ImpulseOutcome, ImpulseWorkspace, ProgressMonitor as _};
use chasles_formats::problems::impulse::parse_line;
use chasles_formats::report::impulse::to_line;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rayon::prelude::*;

use crate::arguments::{Threads, value_error};
use crate::mesh::{from_json, json_text};
use crate::work::{Runner, Work};

/// Solves one problem: returns the line of its result, or the error.
fn solve_line(text: &str, workspace: &mut ImpulseWorkspace) -> Result<String, String> {
    const FILE: &str = "problem";
    let line = parse_line(text.as_bytes(), 1, Path::new(FILE));
    let message = |text: String| text.strip_prefix("problem:1: ").map_or(text.clone(), str::to_owned);
    let line = line.map_err(|error| message(error.error))?;
    let outcome: &ImpulseOutcome = line.problem.solve_with(workspace).map_err(|error| error.to_string())?;
    Ok(to_line(&line, outcome))
}

/// The velocities after a collision of any number of bodies at one moment, with their joints, for one problem or a
/// list of problems.
///
/// A problem is a dict with the keys of ``chasles impulse``: ``name``, ``bodies``, ``contacts``, ``joints``; arrays
/// are accepted for lists. The answer is a dict with the keys that ``chasles impulse`` writes; a list of problems has a
/// list of answers. All cores solve problems, or ``threads``. A bad problem is a ValueError with its place in the list,
/// and no problem is solved.
///
/// Guarantee: joints hold, no contact approaches, no impulse pulls, and friction is within its cone, to 1e-9 of the
/// maximum speed if masses are within a factor 1e4 of each other; ``verdict`` reports if that was not possible.
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
        let text = json_text(problems, "problems")?;
        let solve = |_: &Work| solve_line(&text, &mut ImpulseWorkspace::default());
        let line = Runner::new(py, progress).run(threads, solve)?;
        return from_json(py, &line.map_err(|error| value_error("problems", error))?);
    }
    let mut texts = Vec::new();
    for (row, problem) in problems.try_iter()?.enumerate() {
        texts.push(json_text(&problem?, &format!("problems[{row}]"))?);
    }
    let runner = Runner::new(py, progress);
    let lines: Result<Vec<Option<String>>, (usize, String)> = runner.run(threads, |work| {
        work.begin(texts.len());
        let each =
            texts.par_iter().enumerate().map_init(ImpulseWorkspace::default, |workspace, (row, text)| {
                if work.is_over() {
                    return Ok(None);
                }
                let line = solve_line(text, workspace).map_err(|error| (row, error))?;
                work.done(1);
                Ok(Some(line))
            });
        // The first bad problem in the list, with any number of threads.
        each.collect::<Vec<_>>().into_iter().collect()
    })?;
    let lines = lines.map_err(|(row, error)| value_error(format_args!("problems[{row}]"), error))?;
    runner.report_progress(texts.len(), texts.len())?;
    let answers = lines.into_iter().flatten().map(|line| from_json(py, &line));
    Ok(PyList::new(py, answers.collect::<PyResult<Vec<_>>>()?)?.into_any())
}
