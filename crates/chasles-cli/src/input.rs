//! Reads the files that a command names. Read `scenes` first.
//!
//! ```text
//! meshes    a cache of meshes: each file is read once per run
//! problems  pair problems, one per line, answered in order by several threads
//! scenes    scenes of any format
//! robots    robots and their cells
//! paths     the path files of a robot
//! ```

pub(crate) mod meshes;
pub(crate) mod problems;
pub(crate) mod scenes;
pub(crate) mod robots;
pub(crate) mod paths;
