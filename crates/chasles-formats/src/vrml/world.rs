//! A world: its files, the graph of their nodes, and the tree unfolded from the graph.

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
    /// Builds the world of a file in the library. Messages name `path`.
    pub(super) fn of(library: Library, file: usize, path: &Path) -> Result<Self> {
        let mut graph = Graph::new(library);
        let tree = unfold(&mut graph, file)?;
        Ok(Self { path: path.to_path_buf(), graph, tree })
    }
}
