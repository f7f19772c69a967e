//! A mesh at many times: files with the same triangles and different vertices.
//!
//! Each file is read at the first query of its frame. The vertices of the first frames are kept, as many as fit in a
//! limit of memory; later files are read again each time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use glam::DVec3;

use crate::error::{Error, Result};
use crate::limits;
use crate::mesh::{self, MeshFile, MissingGeometry};
use crate::printable::printable_path;

/// Mesh files that are the frames of one surface.
#[derive(Debug)]
pub struct MeshSequence {
    files: Vec<PathBuf>,
    first: MeshFile,
    /// The vertices of the first frames that have been read.
    cached: Vec<OnceLock<Vec<DVec3>>>,
}

impl MeshSequence {
    /// Opens a sequence of files and reads the first.
    ///
    /// # Errors
    /// No files; as for [`mesh::read_named`].
    pub fn open(files: Vec<PathBuf>) -> Result<Self> {
        let Some(first) = files.first() else {
            return Err(Error::file(Path::new(""), "found no files, expected at least one"));
        };
        let first = mesh::read_named(first, MissingGeometry::Refused)?;
        let bytes = (first.vertices.len() * size_of::<DVec3>()).max(1);
        let cached = (limits::SEQUENCE_KEPT / bytes).min(files.len());
        Ok(Self { files, first, cached: (0..cached).map(|_| OnceLock::new()).collect() })
    }

    /// The mesh of the first file, whose triangles apply to all frames.
    #[must_use]
    pub fn first(&self) -> &MeshFile {
        &self.first
    }

    /// The number of files: at least one.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.files.len()
    }

    /// Writes the vertices of a frame, counted from 0, as in its file.
    ///
    /// # Errors
    /// A frame that does not exist, or another number of vertices; as for [`mesh::read_named`]; with the file and
    /// the difference: counts or corners that differ from the first file. Polygons with the same corners are equal,
    /// however they are cut.
    pub fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<()> {
        let Some(file) = self.files.get(frame).filter(|_| vertices.len() == self.first.vertices.len()) else {
            let message = format!("found a buffer for {} vertices of frame {frame}", vertices.len());
            return Err(Error::file(&self.files[0], message));
        };
        if let Some(cached) = self.cached.get(frame).and_then(OnceLock::get) {
            vertices.copy_from_slice(cached);
            return Ok(());
        }
        if frame == 0 {
            vertices.copy_from_slice(&self.first.vertices);
            return Ok(());
        }
        let mesh = mesh::read_named(file, MissingGeometry::Refused)?;
        if let Some(what) = difference(&self.first, &mesh) {
            let first = printable_path(&self.files[0]);
            return Err(Error::file(file, format!("found {what} as in {first}")));
        }
        vertices.copy_from_slice(&mesh.vertices);
        if let Some(cached) = self.cached.get(frame) {
            // Another thread may have read the same frame.
            let _ = cached.set(mesh.vertices);
        }
        Ok(())
    }
}

/// The first difference between a mesh and the first mesh, and the expected value.
fn difference(first: &MeshFile, mesh: &MeshFile) -> Option<String> {
    for (what, found, expected) in [
        ("vertices", mesh.vertices.len(), first.vertices.len()),
        ("triangles", mesh.triangles.len(), first.triangles.len()),
    ] {
        if found != expected {
            return Some(format!("{found} {what}, expected {expected}"));
        }
    }
    if mesh.in_metres != first.in_metres {
        let [found, expected] =
            [mesh.in_metres, first.in_metres].map(|stated| if stated { "a" } else { "no" });
        return Some(format!("{found} unit of its own, expected {expected} unit"));
    }
    if mesh.triangles == first.triangles {
        return None;
    }
    // The cut of a polygon depends on its corners' positions, so equal polygons may have different triangles.
    let mut start = 0;
    let triangles = first.triangles.len();
    let faces =
        [&first.polygons, &mesh.polygons].map(|corners| corners.iter().map(|corners| *corners as usize));
    let [mut of_first, mut of_mesh] = faces;
    while start < triangles {
        let [expected, found] = [of_first.next().unwrap_or(3), of_mesh.next().unwrap_or(3)];
        if found != expected {
            return Some(format!("{found} corners of the polygon of triangle {start}, expected {expected}"));
        }
        let end = (start + expected.saturating_sub(2).max(1)).min(triangles);
        let [first_triangles, new] = [first, mesh].map(|mesh| &mesh.triangles[start..end]);
        if first_triangles != new && (expected == 3 || outline(first_triangles) != outline(new)) {
            let [first_triangles, new] = [first_triangles, new]
                .map(|corners| corners.iter().map(|c| format!("{c:?}")).collect::<Vec<_>>());
            let what = if expected == 3 {
                "with the corners"
            } else {
                "and the rest of its polygon with the corners"
            };
            return Some(format!(
                "triangle {start} {what} {}, expected {}",
                new.join(" "),
                first_triangles.join(" ")
            ));
        }
        start = end;
    }
    None
}

/// The edges of a polygon with their directions, computed from its triangles.
fn outline(triangles: &[[u32; 3]]) -> Vec<([u32; 2], i32)> {
    let mut edges: BTreeMap<[u32; 2], i32> = BTreeMap::new();
    for [a, b, c] in triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let (edge, direction) = if from < to { ([*from, *to], 1) } else { ([*to, *from], -1) };
            *edges.entry(edge).or_default() += direction;
        }
    }
    edges.into_iter().filter(|(_, balance)| *balance != 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sequence of OBJ files with these texts, and their folder.
    fn sequence(texts: &[&str]) -> (MeshSequence, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = |i: usize| folder.path().join(format!("f{i}.obj"));
        texts.iter().enumerate().for_each(|(i, text)| std::fs::write(path(i), text).unwrap());
        (MeshSequence::open((0..texts.len()).map(path).collect()).unwrap(), folder)
    }

    /// A square with the given last corner, as a polygon or as two triangles.
    fn square(corner: &str, faces: &str) -> String {
        format!("v 0 0 0\nv 1 0 0\nv 1 1 0\nv {corner}\n{faces}\n")
    }

    fn message(texts: &[&str]) -> String {
        let (sequence, folder) = sequence(texts);
        let error = sequence.read(1, &mut vec![DVec3::ZERO; sequence.first().vertices.len()]).unwrap_err();
        error.to_string().replace(&format!("{}/", folder.path().display()), "")
    }

    #[test]
    fn frames_are_read_in_any_order_and_kept() {
        let texts = ["0 1 0", "0 1 2", "0 1 4"].map(|corner| square(corner, "f 1 2 3\nf 1 3 4"));
        let (sequence, folder) = sequence(&texts.each_ref().map(String::as_str));
        assert_eq!((sequence.frames(), sequence.cached.len()), (3, 3));
        let mut vertices = [DVec3::NAN; 4];
        for frame in [2, 0, 1] {
            sequence.read(frame, &mut vertices).unwrap();
            assert_eq!(vertices[3], DVec3::new(0.0, 1.0, 2.0 * frame as f64));
        }
        drop(folder);
        sequence.read(2, &mut vertices).unwrap();
        assert_eq!(vertices[3].z, 4.0, "kept, though the file is gone");
        assert!(sequence.read(3, &mut vertices).is_err() && sequence.read(0, &mut vertices[..3]).is_err());
    }

    #[test]
    fn frames_beyond_the_memory_limit_are_read_again() {
        let texts = ["0 1 0", "0 1 2"].map(|corner| square(corner, "f 1 2 3\nf 1 3 4"));
        let (mut sequence, folder) = sequence(&texts.each_ref().map(String::as_str));
        sequence.cached.clear();
        let mut vertices = [DVec3::NAN; 4];
        sequence.read(1, &mut vertices).unwrap();
        std::fs::write(folder.path().join("f1.obj"), square("0 1 7", "f 1 2 3\nf 1 3 4")).unwrap();
        sequence.read(1, &mut vertices).unwrap();
        assert_eq!(vertices[3].z, 7.0);
        std::fs::write(folder.path().join("f1.obj"), square("0 1 7", "f 1 2 3\nf 1 4 3")).unwrap();
        assert!(sequence.read(1, &mut vertices).is_err());
    }

    #[test]
    fn polygons_are_the_same_wherever_they_are_cut() {
        // The first is cut from the first corner to the third, and the second, which is not convex, from the second
        // corner to the fourth.
        let [flat, moved_corner] = ["0 1 0", "0.9 0.2 0"].map(|corner| square(corner, "f 1 2 3 4"));
        let cut = |text: &str| {
            mesh::parse(text.as_bytes(), mesh::MeshFormat::Obj, Path::new("a.obj")).unwrap().triangles
        };
        assert_ne!(cut(&flat), cut(&moved_corner));
        let (sequence, _folder) = sequence(&[&flat, &moved_corner]);
        let mut vertices = [DVec3::NAN; 4];
        sequence.read(1, &mut vertices).unwrap();
        assert_eq!(vertices[3], DVec3::new(0.9, 0.2, 0.0));
        let flipped = square("0.9 0.2 0", "f 4 3 2 1");
        let error_message = message(&[&flat, &flipped]);
        assert!(
            error_message
                .starts_with("f1.obj: found triangle 0 and the rest of its polygon with the corners"),
            "{error_message}"
        );
    }

    #[test]
    fn a_different_triangulation_is_an_error_with_the_file() {
        let valid = square("0 1 0", "f 1 2 3\nf 1 3 4");
        let cases = [
            ("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nf 1 2 3\n".to_owned(), "3 vertices, expected 4"),
            (square("0 1 0", "f 1 2 3"), "1 triangles, expected 2"),
            (
                square("0 1 0", "f 1 3 4\nf 1 2 3"),
                "triangle 0 with the corners [0, 2, 3], expected [0, 1, 2]",
            ),
            (
                square("0 1 0", "f 1 2 3\nf 1 4 3"),
                "triangle 1 with the corners [0, 3, 2], expected [0, 2, 3]",
            ),
            (square("0.9 0.2 0", "f 1 2 3 4"), "4 corners of the polygon of triangle 0, expected 3"),
        ];
        for (other, what) in cases {
            assert_eq!(message(&[&valid, &other]), format!("f1.obj: found {what} as in f0.obj"));
        }
        assert!(
            message(&[&valid, &square("0 nan 0", "f 1 2 3\nf 1 3 4")])
                .contains("f1.obj:4: y of a vertex is NaN")
        );
        assert!(message(&[&valid, ""]).contains("f1.obj: the file is empty"));
        assert!(MeshSequence::open(vec![]).is_err());
    }
}
