//! Writes the folder `scenes/`: scene files, their meshes, and what is true of them.
//!
//! ```text
//! cargo run -p chasles-cli --example make_scenes [FOLDER]
//! ```
//!
//! The same bytes at every run. The test `scenes` holds the files in the tree to them.

#[path = "make_scenes/mod.rs"]
mod make_scenes;

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let own = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes"));
    let folder = std::env::args_os().nth(1).map_or_else(own, PathBuf::from);
    make_scenes::write(&folder)
}
