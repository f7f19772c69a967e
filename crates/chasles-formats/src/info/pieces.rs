//! The convex pieces of a mesh file, for `chasles info --pieces`.
//!
//! ```json
//! {"format":1,"kind":"pieces","convex":true,"pieces":[{"triangles":12,"vertices":8,"first":0,"volume":1.0,
//!  "bounds":[[0,0,0],[1,1,1]]}],"warnings":[]}
//! {"format":1,"kind":"pieces","convex":false,"why":"mesh: found piece 0 that is not convex: ..","pieces":[],"warnings":[]}
//! ```

use std::path::Path;

use chasles::{ConvexPieces, ErrorKind, Mesh};
use glam::DVec3;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::mesh::MeshFile;
use crate::text::json::{json_line, plain, plain_vector};

/// Whether a mesh file consists of closed convex pieces, with their facts.
#[derive(Debug, Clone, PartialEq)]
pub struct PiecesInfo {
    /// The pieces, in the order of their first triangles; or the piece that is not convex, with the place and the
    /// deviation.
    pub pieces: std::result::Result<Vec<PieceInfo>, String>,
    /// Warnings of the reader, one sentence each.
    pub warnings: Vec<String>,
}

/// A closed convex piece of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PieceInfo {
    /// The number of its triangles.
    pub triangles: usize,
    /// The number of vertices that its triangles use.
    pub vertices: usize,
    /// The number of its first triangle in the file, after polygons are triangulated.
    pub first: u32,
    /// Volume, in the cube of the file's unit.
    pub volume: f64,
    /// Lower and upper corner of its bounding box, in the unit of the file.
    pub bounds: [DVec3; 2],
}

impl PiecesInfo {
    /// The pieces of the mesh that was read from the file at `path`.
    ///
    /// # Errors
    /// When the engine refuses the mesh: no triangles, a coordinate beyond 1e70.
    pub fn of(file: MeshFile, path: &Path) -> Result<Self> {
        let MeshFile { vertices, triangles, warnings, .. } = file;
        let complain = |error: chasles::Error| Error::file(path, error.to_string());
        let mesh = Mesh::new(vertices, triangles).map_err(complain)?;
        let pieces = match ConvexPieces::of(&mesh) {
            Ok(found) => Ok(found
                .pieces()
                .iter()
                .map(|piece| PieceInfo {
                    triangles: piece.triangles.len(),
                    vertices: piece.vertices.len(),
                    first: piece.triangles.first().copied().unwrap_or_default(),
                    volume: piece.volume,
                    bounds: piece.bounds,
                })
                .collect()),
            Err(error) => match error.kind() {
                ErrorKind::NotConvex { piece, fault } => Err(format!("piece {piece}: {fault}")),
                _ => return Err(complain(error)),
            },
        };
        Ok(Self { pieces, warnings })
    }

    /// The facts as one line of JSON, with its line end. Names and order of the keys are fixed.
    #[must_use]
    pub fn to_json(&self) -> String {
        let entry = |piece: &PieceInfo| PieceLine {
            triangles: piece.triangles,
            vertices: piece.vertices,
            first: piece.first,
            volume: plain(piece.volume),
            bounds: piece.bounds.map(plain_vector),
        };
        json_line(&PiecesLine {
            format: 1,
            kind: "pieces",
            convex: self.pieces.is_ok(),
            why: self.pieces.as_ref().err().map(String::as_str),
            pieces: self.pieces.iter().flatten().map(entry).collect(),
            warnings: &self.warnings,
        })
    }
}

#[derive(Serialize)]
struct PiecesLine<'a> {
    format: u32,
    kind: &'static str,
    convex: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    pieces: Vec<PieceLine>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct PieceLine {
    triangles: usize,
    vertices: usize,
    first: u32,
    volume: f64,
    bounds: [[f64; 3]; 2],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{self, MeshFormat};

    const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 3 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\n";

    fn to_json_line(text: &str) -> String {
        let path = "part.obj".as_ref();
        let file = mesh::parse(text.as_bytes(), MeshFormat::Obj, path).unwrap();
        PiecesInfo::of(file, path).unwrap().to_json()
    }

    #[test]
    fn pieces_format_is_exact() {
        let expected = "{\"format\":1,\"kind\":\"pieces\",\"convex\":true,\"pieces\":[{\"triangles\":4,\"vertices\":4,\
                        \"first\":0,\"volume\":1.0,\"bounds\":[[0.0,0.0,0.0],[1.0,3.0,2.0]]}],\"warnings\":[]}\n";
        assert_eq!(to_json_line(&format!("{TETRAHEDRON}f 3 1 4\n")), expected);
    }

    #[test]
    fn nonconvex_pieces_are_located() {
        let expected = "{\"format\":1,\"kind\":\"pieces\",\"convex\":false,\
                        \"why\":\"piece 0: it is open: edge 0-2 has 1 triangle\",\"pieces\":[],\"warnings\":[]}\n";
        assert_eq!(to_json_line(TETRAHEDRON), expected);
    }
}
