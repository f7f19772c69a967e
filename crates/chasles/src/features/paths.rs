//! A cache of the paths of vertices along one screw.

use crate::motion::helix::Helix;

/// A cache of the paths of recently used vertices.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    vertices: [u32; PATHS],
    paths: [Helix; PATHS],
}

/// A power of two: neighbours in a mesh usually have neighbouring numbers.
const PATHS: usize = 64;

/// An empty entry.
const NO_VERTEX: u32 = u32::MAX;

impl Default for Paths {
    fn default() -> Self {
        Self { vertices: [NO_VERTEX; PATHS], paths: [Helix::default(); PATHS] }
    }
}

impl Paths {
    /// Removes all paths.
    pub(super) fn clear(&mut self) {
        self.vertices = [NO_VERTEX; PATHS];
    }

    /// The path of a vertex, computed by `path` if it is not stored.
    #[inline]
    pub(super) fn get(&mut self, vertex: u32, path: impl Fn() -> Helix) -> &Helix {
        let place = vertex as usize % PATHS;
        if self.vertices[place] != vertex {
            (self.vertices[place], self.paths[place]) = (vertex, path());
        }
        &self.paths[place]
    }
}
