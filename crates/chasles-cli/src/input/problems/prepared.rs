//! A problem in the form for the engine: two bodies and a screw.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chasles::{Pose, PreparedMesh, Screw};
use chasles_formats::Error;
use chasles_formats::problems::{Problem, ProblemMotion};
use chasles_formats::scene::file::PoseEntry;

use crate::input::meshes::Meshes;

/// A mesh file, and the reader's warnings about it.
pub(crate) type MeshWarnings = (PathBuf, Arc<[String]>);

/// A problem, ready to be solved.
#[derive(Debug, Clone)]
pub(crate) struct PreparedProblem {
    /// A and B.
    pub(crate) bodies: [Arc<PreparedMesh>; 2],
    /// The motion of A in the frame of B.
    pub(crate) screw: Screw,
}

impl PreparedProblem {
    /// Creates the motion and gets the meshes of the problem on the `number`th line of the file at `path`.
    pub(crate) fn new(
        problem: &Problem,
        (path, number): (&Path, usize),
        meshes: &Meshes,
        warnings: &mut Vec<MeshWarnings>,
    ) -> Result<Self, String> {
        // The motion comes first: if it is invalid, no mesh needs to be read.
        let at = |key: &str, error: chasles::Error| engine_error((path, number), key, &error);
        let pose = |key: &str, entry: PoseEntry| {
            Pose::new(entry.position, entry.rotation).map_err(|error| at(key, error))
        };
        let start = pose("pose0", problem.pose0)?;
        let screw = match problem.motion {
            ProblemMotion::To(end) => Screw::between(start, pose("pose1", end)?),
            ProblemMotion::Screw { s, p, d, b } => {
                Screw::about(start, s, p, d, b).map_err(|error| at("screw", error))?
            }
        };
        let mut get = |path: &PathBuf| {
            let mesh = meshes.get(path);
            if !mesh.warnings.is_empty() {
                warnings.push((path.clone(), Arc::clone(&mesh.warnings)));
            }
            mesh.body.clone()
        };
        let (a, b) = (get(&problem.a), get(&problem.b));
        Ok(Self { bodies: [a?, b?], screw })
    }
}

/// The engine's error about the problem on the `number`th line of the file at `path`.
pub(crate) fn engine_error((path, number): (&Path, usize), key: &str, error: &chasles::Error) -> String {
    Error::key(path, key, number, error.to_string()).to_string()
}

/// The warnings about the meshes of a problem. If one mesh is both bodies, its warnings come once.
pub(crate) fn warnings_of(warnings: &[MeshWarnings]) -> Vec<String> {
    let [first, rest @ ..] = warnings else { return Vec::new() };
    let other = rest.iter().filter(|(file, _)| *file != first.0);
    [first].into_iter().chain(other).flat_map(|(_, warnings)| warnings.iter().cloned()).collect()
}
