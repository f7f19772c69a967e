//! Files in and out of Chasles: the only crate that knows a format.
//!
//! | module | what it reads or writes |
//! |---|---|
//! | [`error`] | the one error: file, place, what was found, what was expected |
//! | [`mesh`] | OBJ, STL, PLY and OFF into vertices and triangles |
//! | [`scene_file`] | scenes in TOML |
//! | [`problems`] | pair problems, one JSON object a line |

pub mod error;
pub mod mesh;
pub mod scene_file;
pub mod problems;

pub use error::{Error, Place, Result};
