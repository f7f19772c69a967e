//! Facts about a file, as `chasles info` tells them.
//!
//! ```json
//! {"format":1,"kind":"mesh","vertices":8,"triangles":12,"closed":true,"pieces":1,"degenerate_triangles":0,
//!  "non_manifold_edges":0,"bounds":[[0,0,0],[1,1,1]],"warnings":[]}
//! ```

use std::path::Path;

use chasles::{Mesh, MeshFacts};
use glam::DVec3;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::mesh::MeshFile;
use crate::report::{json_line, plain_vector};

/// Facts about a mesh file. Before edges are counted, vertices equal bit for bit (-0 = 0) are merged.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshInfo {
    /// Vertices as in the file; of an STL, after merging equal ones.
    pub vertices: usize,
    /// Triangles, after polygons are cut.
    pub triangles: usize,
    /// Whether every edge has exactly two triangles, and there is one.
    pub closed: bool,
    /// Sets of triangles joined by edges.
    pub pieces: usize,
    /// Triangles whose area is exactly zero.
    pub degenerate_triangles: usize,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Lower and upper corner of the box around the triangles, in the unit of the file; none without triangles.
    pub bounds: Option<[DVec3; 2]>,
    /// What the reader passed over or found doubtful, one sentence each.
    pub warnings: Vec<String>,
}

impl MeshInfo {
    /// The facts about the mesh that was read from the file at `path`.
    ///
    /// A file without triangles has facts too: its vertices, and a warning from the reader.
    ///
    /// # Errors
    /// When the engine does not take the mesh: a coordinate beyond 1e70, too many triangles.
    pub fn of(file: MeshFile, path: &Path) -> Result<Self> {
        let MeshFile { vertices, triangles, warnings } = file;
        if triangles.is_empty() {
            return Ok(Self {
                vertices: vertices.len(),
                triangles: 0,
                closed: false,
                pieces: 0,
                degenerate_triangles: 0,
                non_manifold_edges: 0,
                bounds: None,
                warnings,
            });
        }
        let mesh = Mesh::new(vertices, triangles).map_err(|error| Error::file(path, error.to_string()))?;
        let facts = MeshFacts::of(&mesh);
        Ok(Self {
            vertices: facts.vertices,
            triangles: facts.triangles,
            closed: facts.closed,
            pieces: facts.pieces,
            degenerate_triangles: facts.degenerate_triangles,
            non_manifold_edges: facts.non_manifold_edges,
            bounds: Some(facts.bounds),
            warnings,
        })
    }

    /// The facts as one line of JSON, its end included. Names and order of the keys are fixed.
    ///
    /// ```
    /// use chasles_formats::{info::MeshInfo, mesh::{self, Format}};
    ///
    /// let text = b"v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n";
    /// let path = "part.obj".as_ref();
    /// let info = MeshInfo::of(mesh::parse(text, Format::Obj, path)?, path)?;
    /// assert!(info.to_json().starts_with(r#"{"format":1,"kind":"mesh","vertices":3,"triangles":1,"closed":false"#));
    /// # Ok::<(), chasles_formats::Error>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        json_line(&MeshLine {
            format: 1,
            kind: "mesh",
            vertices: self.vertices,
            triangles: self.triangles,
            closed: self.closed,
            pieces: self.pieces,
            degenerate_triangles: self.degenerate_triangles,
            non_manifold_edges: self.non_manifold_edges,
            bounds: self.bounds.map(|corners| corners.map(plain_vector)),
            warnings: &self.warnings,
        })
    }
}

/// The facts as they are written: the order of the fields is that of the keys.
#[derive(Serialize)]
struct MeshLine<'a> {
    format: u32,
    kind: &'static str,
    vertices: usize,
    triangles: usize,
    closed: bool,
    pieces: usize,
    degenerate_triangles: usize,
    non_manifold_edges: usize,
    bounds: Option<[[f64; 3]; 2]>,
    warnings: &'a [String],
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<MeshInfo> {
        let file = MeshFile { vertices, triangles, warnings: vec!["odd".into()] };
        MeshInfo::of(file, Path::new("set/part.off"))
    }

    #[test]
    fn the_line_is_written_to_the_letter() {
        // A tetrahedron, whose first corner stands there twice, once with -0.
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.5, 0.0], [0.0, 0.0, 2.0], [-0.0, 0.0, 0.0]];
        let faces = vec![[0, 2, 1], [4, 1, 3], [1, 2, 3], [0, 3, 2]];
        let line = info(corners.map(DVec3::from_array).to_vec(), faces).unwrap().to_json();
        assert_eq!(
            line,
            "{\"format\":1,\"kind\":\"mesh\",\"vertices\":5,\"triangles\":4,\"closed\":true,\"pieces\":1,\
             \"degenerate_triangles\":0,\"non_manifold_edges\":0,\"bounds\":[[0.0,0.0,0.0],[1.0,1.5,2.0]],\
             \"warnings\":[\"odd\"]}\n"
        );
    }

    #[test]
    fn no_triangles_have_facts_too() {
        let line = info(vec![DVec3::ONE], vec![]).unwrap().to_json();
        assert!(line.contains(r#""vertices":1,"triangles":0,"closed":false,"pieces":0"#), "{line}");
        assert!(line.contains(r#""bounds":null,"warnings":["odd"]}"#), "{line}");
    }

    #[test]
    fn what_the_engine_refuses_is_told_with_the_file() {
        let error = info(vec![DVec3::splat(1e101); 3], vec![[0, 1, 2]]).unwrap_err().to_string();
        assert_eq!(error, "set/part.off: vertex 0: found 1e101, expected a magnitude below 1e70");
    }
}
