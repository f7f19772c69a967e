//! A cache of meshes: each file is read, and its body built, once per run, however many problems use it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use chasles::{Mesh, PreparedMesh};
use chasles_formats::{Error, mesh};

/// The maximum number of triangles in the cache, at about 200 bytes each: 2 GB. A larger cache drops the least
/// recently used meshes, which are read again when needed.
const CACHED_TRIANGLES: usize = 10_000_000;

/// The fixed cost of a mesh, in triangles.
const OVERHEAD: usize = 16;

/// The result of reading a mesh file.
#[derive(Debug)]
pub(crate) struct LoadedMesh {
    /// The body in the file's own frame and unit, or an error message.
    pub(crate) body: Result<Arc<PreparedMesh>, String>,
    /// The reader's warnings, with the file's name.
    pub(crate) warnings: Arc<[String]>,
}

/// Meshes by path, shared by any number of threads.
#[derive(Debug)]
pub(crate) struct Meshes {
    shelf: Mutex<Shelf>,
    cached_triangles: usize,
}

#[derive(Debug, Default)]
struct Shelf {
    slots: HashMap<PathBuf, Slot>,
    /// The number of requests.
    clock: u64,
    /// The sum of the weights of the slots.
    weight: usize,
}

#[derive(Debug)]
struct Slot {
    /// Empty while a thread reads the file; other threads that need the file wait.
    mesh: Arc<OnceLock<Arc<LoadedMesh>>>,
    /// The clock at the last request.
    used: u64,
    /// The weight of this mesh; 0 until it is read.
    weight: usize,
}

impl Meshes {
    /// An empty cache.
    pub(crate) fn new() -> Self {
        Self { shelf: Mutex::default(), cached_triangles: CACHED_TRIANGLES }
    }

    /// Returns the mesh in a file. A thread waits if another thread is reading the file.
    ///
    /// Never call this from a rayon task: a thread that waits for a part of its own mesh could steal a task that
    /// waits for the same mesh.
    pub(crate) fn get(&self, path: &Path) -> Arc<LoadedMesh> {
        let cell = self.shelf().cell(path);
        let mut read_here = false;
        let mesh = cell.get_or_init(|| {
            read_here = true;
            Arc::new(LoadedMesh::read(path))
        });
        if read_here {
            self.shelf().weigh(path, mesh.weight(), self.cached_triangles);
        }
        Arc::clone(mesh)
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        // No code that can panic runs between two consistent states of the shelf.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shelf {
    fn cell(&mut self, path: &Path) -> Arc<OnceLock<Arc<LoadedMesh>>> {
        self.clock += 1;
        if let Some(slot) = self.slots.get_mut(path) {
            slot.used = self.clock;
            return Arc::clone(&slot.mesh);
        }
        let slot = Slot { mesh: Arc::default(), used: self.clock, weight: 0 };
        Arc::clone(&self.slots.entry(path.to_path_buf()).or_insert(slot).mesh)
    }

    /// Adds the weight of a mesh that was just read. If the total exceeds the limit, drops the least recently used
    /// meshes.
    fn weigh(&mut self, path: &Path, weight: usize, limit: usize) {
        if let Some(slot) = self.slots.get_mut(path) {
            slot.weight = weight;
            self.weight += weight;
        }
        if self.weight <= limit {
            return;
        }
        let others = self.slots.iter().filter(|(other, slot)| slot.weight > 0 && *other != path);
        let mut by_age: Vec<_> = others.map(|(path, slot)| (slot.used, path.clone())).collect();
        by_age.sort_unstable();
        // Well below the limit, so that the next meshes do not need another sort.
        for (_, path) in by_age {
            if self.weight <= limit - limit / 4 {
                break;
            }
            self.weight -= self.slots.remove(&path).map_or(0, |slot| slot.weight);
        }
    }
}

impl LoadedMesh {
    fn read(path: &Path) -> Self {
        let file = match mesh::read_named(path, mesh::MissingGeometry::Refused) {
            Ok(file) => file,
            Err(error) => return Self { body: Err(error.to_string()), warnings: [].into() },
        };
        let warnings = file.warnings.iter().map(|warning| Error::file(path, warning).to_string()).collect();
        let body = Mesh::new(file.vertices, file.triangles)
            .map(|mesh| Arc::new(PreparedMesh::new(mesh)))
            .map_err(|error| Error::file(path, error.to_string()).to_string());
        Self { body, warnings }
    }

    fn weight(&self) -> usize {
        OVERHEAD + self.body.as_ref().map_or(0, |body| body.mesh().triangles().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_triangles(path: &Path, count: usize) {
        let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned() + &"f 1 2 3\n".repeat(count);
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn threads_share_one_copy_of_a_mesh() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part.obj");
        write_triangles(&path, 20_000);
        let meshes = Meshes::new();
        let read: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| meshes.get(&path))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(read.iter().all(|mesh| Arc::ptr_eq(mesh, &read[0])));
        // The mesh was read once, so the file may be gone.
        std::fs::remove_file(&path).unwrap();
        assert!(meshes.get(&path).body.is_ok());
    }

    #[test]
    fn the_meshes_unused_for_longest_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = (0..5).map(|i| folder.path().join(format!("{i}.obj"))).collect();
        for path in &paths {
            write_triangles(path, 100 - OVERHEAD);
        }
        let meshes = Meshes { cached_triangles: 450, ..Meshes::new() };
        let first: Vec<_> = paths[..4].iter().map(|path| meshes.get(path)).collect();
        assert!(Arc::ptr_eq(&meshes.get(&paths[0]), &first[0]));
        meshes.get(&paths[4]);
        // A weight of 500 exceeds the limit, so meshes are dropped down to 300. Meshes 0 and 4 were used last and stay.
        assert_eq!(meshes.shelf().weight, 300);
        assert!(Arc::ptr_eq(&meshes.get(&paths[0]), &first[0]));
        assert!(Arc::ptr_eq(&meshes.get(&paths[3]), &first[3]));
        assert!(!Arc::ptr_eq(&meshes.get(&paths[1]), &first[1]));
        assert_eq!(meshes.shelf().weight, 400);
    }

    #[test]
    fn a_mesh_larger_than_the_cache_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part.obj");
        write_triangles(&path, 10);
        let meshes = Meshes { cached_triangles: 5, ..Meshes::new() };
        let mesh = meshes.get(&path);
        assert_eq!(mesh.body.as_ref().unwrap().mesh().triangles().len(), 10);
        assert!(Arc::ptr_eq(&mesh, &meshes.get(&path)));
    }

    #[test]
    fn unreadable_files_are_errors_with_their_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("points.obj");
        std::fs::write(&path, "v 0 0 0\n").unwrap();
        let mesh = Meshes::new().get(&path);
        let error = mesh.body.as_ref().unwrap_err();
        assert!(error.ends_with("points.obj: mesh: found no triangles, expected at least one"), "{error}");
        assert!(mesh.warnings[0].ends_with("points.obj: the file has no triangles"), "{:?}", mesh.warnings);
    }
}
