//! The package `chasles` for Python: the public face of the engine, in NumPy.
//!
//! What is proven, and how, is said where it stands: in the engine. Here arguments become the engine's, and its answers
//! become objects and arrays of Python.
//!
//! ```text
//! given      arguments: arrays, poses, numbers, with the place in messages
//! kept       answers as bytes: pickles, and what counts as equal
//! work       calls that take long: without the GIL, with progress, ended by Ctrl-C
//! pose       poses and screws
//! mesh       meshes and bodies
//! answer     predictions, contacts, intervals
//! query      the queries about two bodies, one at a time
//! many       many first contacts at a time
//! shape      shapes and motions of scenes
//! report     reports of scenes and paths
//! scene      scenes
//! world      the bodies around a robot
//! path       paths of robots
//! edges      edges and postures of planners
//! robot      robots
//! program    the program itself
//! ```
//!
//! Each uses only those above it.

mod given;
mod kept;
mod work;
mod pose;
mod mesh;
mod answer;
mod query;
mod many;
mod shape;
mod report;
mod scene;
mod world;
mod path;
mod edges;
mod robot;
mod program;

/// The part of the package that is written in Rust; `chasles` says what is in it.
#[pyo3::pymodule]
mod _chasles {
    #[pymodule_export]
    use crate::answer::{Contact, Intervals, Prediction};
    #[pymodule_export]
    use crate::many::first_contact_many;
    #[pymodule_export]
    use crate::mesh::{Body, Mesh};
    #[pymodule_export]
    use crate::pose::{Pose, Screw};
    #[pymodule_export]
    use crate::program::run_program;
    #[pymodule_export]
    use crate::query::{all_contacts, any_contact, contact_intervals, first_contact};
    #[pymodule_export]
    use crate::report::{PairReport, Report, SceneInterval};
    #[pymodule_export]
    use crate::robot::Robot;
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::shape::{Box, Capsule, Cone, Cylinder, Keyframes, Sphere, Twist};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's own name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init() {
        crate::work::import();
    }
}
