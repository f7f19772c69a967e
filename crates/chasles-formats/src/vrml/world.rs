//! A world: its files, the graph of their nodes, and the tree that is made of it.

use std::path::{Path, PathBuf};

use super::graph::Graph;
use super::library::Library;
use super::tree::WorldTree;
use super::unfold::unfold;
use crate::error::Result;

/// A world that has been read, with all files that it includes.
#[derive(Debug)]
pub struct World {
    pub(super) path: PathBuf,
    pub(super) graph: Graph,
    pub(super) tree: WorldTree,
}

impl World {
    /// The world that a file of the library is; `path` names it in messages.
    pub(super) fn of(library: Library, file: usize, path: &Path) -> Result<Self> {
        let mut graph = Graph::new(library);
        let tree = unfold(&mut graph, file)?;
        Ok(Self { path: path.to_path_buf(), graph, tree })
    }
}
