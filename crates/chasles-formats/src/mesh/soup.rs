//! Collects the content of a mesh file during reading: vertices, faces and warnings.

use std::path::Path;

use glam::DVec3;

use super::MeshFile;
use super::polygon::{Cutter, Outcome};
use crate::error::{Error, Result};
use crate::limits::MESH_PARTS;
use crate::text::lines::{is_not_finite, number, quoted};

/// The unit of positions in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LocationUnit {
    /// Lines of a text, from 1.
    Line,
    /// Bytes of a binary file, from 0.
    Byte,
}

/// Vertices, faces and warnings of a file that is being read.
pub(super) struct Soup<'a> {
    pub(super) path: &'a Path,
    unit: LocationUnit,
    pub(super) vertices: Vec<DVec3>,
    /// Triangles of a format without polygons; otherwise empty until `finish`.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Corners of all faces, face after face.
    corners: Vec<u32>,
    faces: Vec<SoupFace>,
    notes: Vec<Note>,
    /// The first surface that was left out.
    missing: Option<Error>,
    /// Maximum number of vertices, and of triangles.
    maximum_vertices: usize,
}

/// The end of a face in the list of corners, and its place in the file.
struct SoupFace {
    end: usize,
    at: usize,
}

/// One kind of warning: its count and first place.
struct Note {
    what: String,
    at: usize,
    count: usize,
}

/// Maximum number of kinds of warnings; a malicious file could otherwise have as many kinds as lines.
const NOTES: usize = 16;

impl<'a> Soup<'a> {
    pub(super) fn new(path: &'a Path, unit: LocationUnit) -> Self {
        Self {
            path,
            unit,
            vertices: Vec::new(),
            triangles: Vec::new(),
            corners: Vec::new(),
            faces: Vec::new(),
            notes: Vec::new(),
            missing: None,
            maximum_vertices: MESH_PARTS,
        }
    }

    /// An error at a line or a byte.
    #[cold]
    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> Error {
        match self.unit {
            LocationUnit::Line => Error::line(self.path, at, message),
            LocationUnit::Byte => Error::byte(self.path, at, message),
        }
    }

    /// Adds a warning; equal warnings are counted and reported once.
    #[cold]
    pub(super) fn note(&mut self, at: usize, what: &str) {
        if let Some(note) = self.notes.iter_mut().find(|note| note.what == what) {
            note.count += 1;
        } else if self.notes.len() < NOTES {
            self.notes.push(Note { what: what.to_owned(), at, count: 1 });
        }
    }

    /// Records a surface that is left out. Surfaces with the same wording give one warning.
    #[cold]
    pub(super) fn skip_face(&mut self, at: usize, what: &str) {
        if self.missing.is_none() {
            self.missing = Some(self.error(at, what));
        }
        self.note(at, what);
    }

    /// Checks that a point is finite.
    pub(super) fn point(&self, at: usize, point: DVec3) -> Result<DVec3> {
        match "xyz".chars().zip(point.to_array()).find(|(_, value)| !value.is_finite()) {
            None => Ok(point),
            Some((axis, value)) => {
                Err(self.error(at, format!("{axis} of a vertex is {value}: expected a finite number")))
            }
        }
    }

    /// Adds a vertex.
    pub(super) fn vertex(&mut self, at: usize, point: DVec3) -> Result<()> {
        let point = self.point(at, point)?;
        self.next_vertex_index(at)?;
        self.vertices.push(point);
        Ok(())
    }

    /// Adds the vertex of a line of text: three coordinates, and optionally more values, whose name in a warning is
    /// `extra`.
    pub(super) fn vertex_words<'w>(
        &mut self,
        at: usize,
        mut words: impl Iterator<Item = &'w [u8]>,
        extra: &str,
    ) -> Result<()> {
        let mut point = [0.0; 3];
        for (found, value) in point.iter_mut().enumerate() {
            let Some(word) = words.next() else {
                return Err(self.error(at, format!("a vertex of {found} coordinates: expected 3")));
            };
            *value = number(word)
                .ok_or_else(|| self.error(at, format!("coordinate {} is not a number", quoted(word))))?;
        }
        if words.any(is_not_finite) {
            self.note(at, &format!("{extra} of a vertex is not finite: not used"));
        }
        self.vertex(at, DVec3::from_array(point))
    }

    /// The index of the next vertex, if there is room for it.
    pub(super) fn next_vertex_index(&self, at: usize) -> Result<u32> {
        match u32::try_from(self.vertices.len()) {
            Ok(index) if self.vertices.len() < self.maximum_vertices => Ok(index),
            _ => Err(self.too_many(at, "vertices")),
        }
    }

    /// The number of corners of all faces.
    pub(super) fn corners(&self) -> usize {
        self.corners.len()
    }

    /// Adds a corner to the current face.
    pub(super) fn corner(&mut self, at: usize, vertex: u32) -> Result<()> {
        // A face has two more corners than triangles.
        if self.corners.len() >= self.maximum_vertices + 2 * (self.faces.len() + 1) {
            return Err(self.too_many(at, "triangles"));
        }
        self.corners.push(vertex);
        Ok(())
    }

    /// Adds a triangle of a format without polygons.
    pub(super) fn triangle(&mut self, at: usize, corners: [u32; 3]) -> Result<()> {
        if self.triangles.len() >= self.maximum_vertices {
            return Err(self.too_many(at, "triangles"));
        }
        self.triangles.push(corners);
        Ok(())
    }

    #[cold]
    fn too_many(&self, at: usize, what: &str) -> Error {
        self.error(at, format!("found more than {} {what}, expected no more", self.maximum_vertices))
    }

    /// Ends a face. A face with fewer than three corners has no surface and is left out with a warning.
    pub(super) fn end_face(&mut self, at: usize) {
        let start = self.faces.last().map_or(0, |face| face.end);
        let end = self.corners.len();
        if end - start < 3 {
            self.corners.truncate(start);
            self.note(at, "a face of fewer than 3 corners is left out");
        } else {
            self.faces.push(SoupFace { end, at });
        }
    }

    /// The first corner that does not refer to a vertex, with the place of its face.
    pub(super) fn corner_out_of_range(&self) -> Option<(usize, u32)> {
        let position = self.corners.iter().position(|&corner| corner as usize >= self.vertices.len())?;
        let face = self.faces.partition_point(|face| face.end <= position);
        Some((self.faces[face].at, self.corners[position]))
    }

    /// The vertices, and the warnings as sentences.
    pub(super) fn finish_points(self) -> (Vec<DVec3>, Vec<String>) {
        let warnings = self.notes.iter().map(|note| note.sentence(self.unit)).collect();
        (self.vertices, warnings)
    }

    /// Cuts the polygons and formats the warnings.
    pub(super) fn finish(mut self) -> MeshFile {
        let mut cutter = Cutter::default();
        let corners = std::mem::take(&mut self.corners);
        let faces = std::mem::take(&mut self.faces);
        self.triangles.reserve(corners.len().saturating_sub(2 * faces.len()));
        let mut polygons = Vec::new();
        if corners.len() > 3 * faces.len() {
            let ends = [0].into_iter().chain(faces.iter().map(|face| face.end));
            let counts =
                ends.zip(&faces).map(|(start, face)| u32::try_from(face.end - start).unwrap_or(u32::MAX));
            polygons = counts.collect();
        }
        let mut start = 0;
        for face in &faces {
            match cutter.cut(&self.vertices, &corners[start..face.end], &mut self.triangles) {
                Outcome::Cut => {}
                Outcome::Crossing => self.note(
                    face.at,
                    "a polygon crosses itself or is far from flat: its triangles cover all of it and maybe more",
                ),
                Outcome::TooIntricate => self.note(
                    face.at,
                    "a polygon has too many corners to be cut in time: its triangles cover all of it and maybe more",
                ),
            }
            start = face.end;
        }
        if self.triangles.is_empty() {
            self.notes.push(Note { what: "the file has no triangles".to_owned(), at: 0, count: 0 });
        }
        let unit = self.unit;
        let warnings = self.notes.iter().map(|note| note.sentence(unit)).collect();
        let Self { vertices, triangles, missing, .. } = self;
        MeshFile { vertices, triangles, polygons, warnings, missing, in_metres: false }
    }
}

impl Note {
    fn sentence(&self, unit: LocationUnit) -> String {
        let Self { what, at, count } = self;
        let place = match unit {
            LocationUnit::Line => format!("line {at}"),
            LocationUnit::Byte => format!("byte {at}"),
        };
        match count {
            0 => what.clone(),
            1 => format!("{what} ({place})"),
            _ => format!("{what} ({count} times, first at {place})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_vertices_and_triangles_are_limited() {
        let soup = || Soup { maximum_vertices: 3, ..Soup::new(Path::new("a.obj"), LocationUnit::Line) };
        let refused = |what: &str| Err(format!("a.obj:7: found more than 3 {what}, expected no more"));
        let mut full_soup = soup();
        for _ in 0..3 {
            full_soup.vertex(1, DVec3::ZERO).unwrap();
            full_soup.triangle(1, [0; 3]).unwrap();
        }
        assert_eq!(full_soup.vertex(7, DVec3::ZERO).map_err(|e| e.to_string()), refused("vertices"));
        assert_eq!(full_soup.triangle(7, [0; 3]).map_err(|e| e.to_string()), refused("triangles"));
        // Faces with three triangles in total, and some faces that are left out: the next corner is one too many.
        for faces in [&[5][..], &[3, 3, 3], &[3, 2, 4], &[4, 1, 3]] {
            let mut full_soup = soup();
            full_soup.vertex(1, DVec3::ZERO).unwrap();
            for corners in faces {
                for _ in 0..*corners {
                    full_soup.corner(1, 0).unwrap();
                }
                full_soup.end_face(1);
            }
            let more = (0..3).try_for_each(|_| full_soup.corner(7, 0));
            assert_eq!(more.map_err(|e| e.to_string()), refused("triangles"), "{faces:?}");
            assert!(full_soup.finish().triangles.len() <= 3);
        }
    }
}
