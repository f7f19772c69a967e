//! The package `chasles` for Python: the public face of the engine, in NumPy.
//!
//! What is proven, and how, is said where it stands: in the engine. Here arguments become the engine's, and its answers
//! become objects and arrays of Python.
//!
//! ```text
//! given      arguments: arrays, poses, numbers, with the place in messages
//! warned     warnings about files, as Python's warnings
//! kept       answers as bytes: pickles, and what counts as equal
//! work       calls that take long: without the GIL, with progress, ended by Ctrl-C
//! pose       poses and screws
//! mesh       meshes and bodies
//! answer     predictions, contacts, intervals
//! query      the queries about two bodies, one at a time
//! many       many first contacts at a time
//! shape      shapes of bodies in scenes
//! motion     motions of bodies in scenes
//! report     reports of scenes and paths
//! scene      scenes
//! world      the bodies around a robot
//! path       paths of robots
//! edges      edges and postures of planners
//! robot      robots
//! simulate   simulations, and impulses of one moment
//! screen     all collisions of two meshes along a screw
//! program    the program itself
//! ```
//!
//! Each uses only those above it.

mod given;
mod warned;
mod kept;
mod work;
mod pose;
mod mesh;
mod answer;
mod query;
mod many;
mod shape;
mod motion;
mod report;
mod scene;
mod world;
mod path;
mod edges;
mod robot;
mod simulate;
mod screen;
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
    use crate::motion::{Keyframes, Twist};
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
    use crate::screen::{ClearanceMap, ScreenReport, clearance_map, screen};
    #[pymodule_export]
    use crate::shape::{
        Box, Capsule, Cone, Cylinder, DeformingSurface, ParametricSurface, PointCloud, Solid, Sphere,
    };
    #[pymodule_export]
    use crate::simulate::{Moments, Simulation, solve_impulses};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's own name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init() {
        crate::work::import();
    }
}
