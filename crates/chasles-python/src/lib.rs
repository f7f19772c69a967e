//! The package `chasles` for Python: the public interface of the engine, with NumPy arrays.
//!
//! The engine documents its guarantees and proofs. This crate converts Python's arguments to the engine's, and the
//! engine's results to Python's objects and arrays.
//!
//! ```text
//! arguments    reading arguments: arrays, numbers, files; errors that name the argument and the position in it
//! warnings     warnings about files, as Python's warnings
//! pickle       objects as bytes, for pickles and comparisons
//! work         long calls: without the GIL, with progress, ended by Ctrl-C
//! pose         poses and screws
//! mesh         meshes and bodies
//! query        queries about two bodies, and their answers
//! shape        shapes of bodies in scenes
//! motion       motions of bodies in scenes
//! report       reports of scenes and paths
//! scene        scenes
//! robot        robots and their paths, and their methods for planners
//! simulation   simulations, and impulses at one moment
//! screen       all collisions of two meshes along a screw
//! program      the program itself
//! ```
//!
//! A module uses only modules above it.

mod arguments;
mod warnings;
mod pickle;
mod work;
mod pose;
mod mesh;
mod query;
mod shape;
mod motion;
mod report;
mod scene;
mod robot;
mod simulation;
mod screen;
mod program;

/// The part of the package that is written in Rust; `chasles` says what is in it.
#[pyo3::pymodule]
mod _chasles {
    #[pymodule_export]
    use crate::mesh::{Body, Mesh};
    #[pymodule_export]
    use crate::motion::{Keyframes, Twist};
    #[pymodule_export]
    use crate::pose::{Pose, Screw};
    #[pymodule_export]
    use crate::program::run_program;
    #[pymodule_export]
    use crate::query::batch::first_contact_many;
    #[pymodule_export]
    use crate::query::prediction::{Contact, Intervals, Prediction};
    #[pymodule_export]
    use crate::query::{all_contacts, any_contact, contact_intervals, first_contact};
    #[pymodule_export]
    use crate::report::{PairReport, Report, SceneInterval};
    #[pymodule_export]
    use crate::robot::Robot;
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::screen::{ClearanceMap, ScreenReport, clearance_map, screen};
    #[pymodule_export]
    use crate::shape::{
        Box, Capsule, Cone, Cylinder, DeformingSurface, ParametricSurface, PointCloud, Solid, Sphere,
    };
    #[pymodule_export]
    use crate::simulation::{Moments, Simulation, solve_impulses};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's own name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init() {
        crate::work::remember_process();
    }
}
