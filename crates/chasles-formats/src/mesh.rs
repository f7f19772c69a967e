//! Meshes in OBJ, STL, PLY, OFF and COLLADA files, and the surfaces of OctoMap trees: vertices with the file's
//! numbers, and polygons cut into triangles.
//!
//! Coordinates keep the precision of the file: decimal text is rounded once, to the nearest `f64`, and binary `f32`
//! is widened. Lengths are in the unit of the file, and vertices are neither scaled, moved nor welded, with two
//! exceptions: STL, which has no indices, gets one vertex for each distinct point, and COLLADA, which states its
//! unit, is read in metres, with its geometries at their places in the scene.
//!
//! For any input, reading ends: a count in a file is trusted only as far as the file is long, and the work of
//! cutting polygons is bounded.

use std::path::Path;

use glam::DVec3;

use crate::error::{Error, Result};
use crate::limits;
use crate::text::lines::cut_number;

pub(crate) mod polygon;
mod soup;
mod obj;
mod off;
pub(crate) mod ply_header;
mod ply_rows;
pub(crate) mod ply;
mod stl;
mod dae;
mod cubes;
mod octomap;

/// A mesh as in its file: a list of points and the triangles between them.
///
/// `parse` and `read` guarantee only that every coordinate is finite and every index in a triangle refers to a
/// vertex. Triangles may have no area, repeat a vertex or each other, and the surface may be open. A polygon with n
/// corners becomes n - 2 triangles with its orientation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshFile {
    /// Points in the unit of the file and with its numbers, unused points included.
    ///
    /// OBJ: the `v` statements; PLY and OFF: the rows; STL: the distinct points in the order of their first use,
    /// with -0 equal to 0; COLLADA: the positions of each geometry, once for each instance in the scene; OctoMap:
    /// corners of cubes.
    pub vertices: Vec<DVec3>,
    /// Three indices into `vertices` each, in the order of the file's faces.
    pub triangles: Vec<[u32; 3]>,
    /// The number of corners of each face of the file, if any face has more than three: n corners are n - 2 of
    /// `triangles`. Empty if all faces are triangles.
    pub polygons: Vec<u32>,
    /// Warnings about ignored or suspicious content, one sentence each, with the place of its first occurrence.
    ///
    /// A file without triangles is read with such a warning; the caller decides whether it is useful.
    pub warnings: Vec<String>,
    /// The first surface of the file that was left out, as an error with its place; `None`: no surface was left out.
    pub missing: Option<Error>,
    /// Whether the file states its unit, so that the vertices are in metres.
    pub in_metres: bool,
}

/// How to treat a file with surfaces that Chasles cannot read, such as free-form surfaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MissingGeometry {
    /// The file is refused: space that such a surface fills would count as free.
    #[default]
    Refused,
    /// The file is read without such surfaces; [`MeshFile::missing`] has the first.
    Omitted,
}

/// The supported formats of mesh files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ, text.
    Obj,
    /// Stereolithography, text or binary.
    Stl,
    /// Stanford polygons: text, or binary of either byte order.
    Ply,
    /// Geomview's Object File Format, text, with the prefixes `ST`, `C` and `N`.
    Off,
    /// COLLADA, `.dae`.
    Dae,
    /// OctoMap's `.bt` and `.ot`: the surface of the occupied cubes.
    OctoMap,
}

impl MeshFormat {
    /// The format of a file's extension, in upper or lower case.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "obj" => Some(Self::Obj),
            "stl" => Some(Self::Stl),
            "ply" => Some(Self::Ply),
            "off" => Some(Self::Off),
            "dae" => Some(Self::Dae),
            "bt" | "ot" => Some(Self::OctoMap),
            _ => None,
        }
    }

    /// The format that a file's first bytes identify, if any.
    #[must_use]
    pub fn from_content(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            Some(Self::Ply)
        } else if stl::is_stl(bytes) {
            Some(Self::Stl)
        } else if off::has_keyword(bytes) {
            Some(Self::Off)
        } else if octomap::is_octomap(bytes) {
            Some(Self::OctoMap)
        } else if obj::is_obj_start(bytes) {
            Some(Self::Obj)
        } else if dae::is_collada(bytes) {
            Some(Self::Dae)
        } else {
            None
        }
    }
}

/// Reads a mesh file in the format of its extension, or else of its content.
///
/// # Errors
///
/// When the file cannot be read, is too large or of an unknown format, and as for [`parse`].
pub fn read(path: &Path, missing: MissingGeometry) -> Result<MeshFile> {
    let bytes = limits::read(path, limits::MESH_FILE)?;
    // Usual memory of a mesh while it is read, beside its file.
    limits::check_room(bytes.len() as u64 * 3).map_err(|message| Error::file(path, message))?;
    let Some(format) = MeshFormat::from_extension(path).or_else(|| MeshFormat::from_content(&bytes)) else {
        return Err(Error::file(
            path,
            "unknown kind of mesh: expected .obj, .stl, .ply, .off, .dae, .bt or .ot",
        ));
    };
    parse_with(&bytes, format, path, missing)
}

/// Like [`read`], for a file that another file names. It must be a regular file, because reading a pipe or device
/// could block for ever.
///
/// # Errors
/// As for [`read`].
pub fn read_named(path: &Path, missing: MissingGeometry) -> Result<MeshFile> {
    limits::check_regular(path)?;
    read(path, missing)
}

/// Reads a mesh from the bytes of a file; `path` is used only in messages.
///
/// A file that is well formed but has no triangles is read, with a warning.
///
/// ```
/// use chasles_formats::mesh::{self, MeshFormat};
///
/// let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
/// let mesh = mesh::parse(square, MeshFormat::Obj, "square.obj".as_ref())?;
/// assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
/// # Ok::<(), chasles_formats::Error>(())
/// ```
///
/// # Errors
///
/// With the line or byte, what was found and what was expected, when the file is empty, truncated or not of this
/// format, when a coordinate is not a finite number, when an index does not refer to a vertex, or when the file has
/// surfaces that Chasles cannot read.
pub fn parse(bytes: &[u8], format: MeshFormat, path: &Path) -> Result<MeshFile> {
    parse_with(bytes, format, path, MissingGeometry::Refused)
}

/// Like [`parse`]; `missing` decides whether a file with surfaces that Chasles cannot read is refused.
///
/// # Errors
/// As for [`parse`].
pub fn parse_with(
    bytes: &[u8],
    format: MeshFormat,
    path: &Path,
    missing: MissingGeometry,
) -> Result<MeshFile> {
    let read = parse_all(bytes, format, path)?;
    match (missing, read.missing) {
        (MissingGeometry::Refused, Some(error)) => {
            let message = format!("{}; --allow-missing-geometry reads on without it", error.message);
            Err(Error { message, ..error })
        }
        (_, missing) => Ok(MeshFile { missing, ..read }),
    }
}

fn parse_all(bytes: &[u8], format: MeshFormat, path: &Path) -> Result<MeshFile> {
    if bytes.is_empty() {
        return Err(Error::file(path, "the file is empty: expected a mesh"));
    }
    let mut read = match format {
        MeshFormat::Obj => obj::parse(bytes, path),
        MeshFormat::Stl => stl::parse(bytes, path),
        MeshFormat::Ply => ply::parse(bytes, path),
        MeshFormat::Off => off::parse(bytes, path),
        MeshFormat::Dae => dae::parse(bytes, path),
        MeshFormat::OctoMap => octomap::parse(bytes, path),
    }?;
    let is_rows = || match format {
        MeshFormat::Obj | MeshFormat::Off => true,
        MeshFormat::Ply => ply_header::is_text(bytes),
        // These formats end with a keyword or a tag, or are binary.
        MeshFormat::Stl | MeshFormat::Dae | MeshFormat::OctoMap => false,
    };
    read.warnings.extend(cut_number(bytes).filter(|_| is_rows()));
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_extension_and_by_content() {
        assert_eq!(MeshFormat::from_extension(Path::new("a/b.STL")), Some(MeshFormat::Stl));
        assert_eq!(MeshFormat::from_extension(Path::new("a/b.Dae")), Some(MeshFormat::Dae));
        assert_eq!(MeshFormat::from_extension(Path::new("a/b.step")), None);
        assert_eq!(MeshFormat::from_extension(Path::new("ply")), None);
        let cases: [(&[u8], Option<MeshFormat>); 9] = [
            (b"ply\r\nformat ascii 1.0\r\n", Some(MeshFormat::Ply)),
            (b"COFF\n0 0 0\n", Some(MeshFormat::Off)),
            (b"# a cube\nOFF\n0 0 0\n", Some(MeshFormat::Off)),
            (b"# a cube\nmtllib cube.mtl\n", Some(MeshFormat::Obj)),
            (b"solid cube\nfacet normal 0 0 1\n", Some(MeshFormat::Stl)),
            (&[0; 84], Some(MeshFormat::Stl)),
            (b"<?xml version='1.0'?>\n<COLLADA>", Some(MeshFormat::Dae)),
            (b"# Octomap OcTree file\n", Some(MeshFormat::OctoMap)),
            (b"<html>", None),
        ];
        for (bytes, format) in cases {
            assert_eq!(MeshFormat::from_content(bytes), format, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn unknown_extensions_are_read_by_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        std::fs::write(&path, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap();
        assert_eq!(read(&path, MissingGeometry::Refused).unwrap().triangles, [[0, 1, 2]]);
        std::fs::write(&path, "<html>").unwrap();
        let message = read(&path, MissingGeometry::Refused).unwrap_err().to_string();
        assert!(
            message
                .ends_with("part: unknown kind of mesh: expected .obj, .stl, .ply, .off, .dae, .bt or .ot"),
            "{message}"
        );
        let missing_file = folder.path().join("gone.obj");
        let message = read(&missing_file, MissingGeometry::Refused).unwrap_err().to_string();
        assert!(message.contains("gone.obj: cannot be read: "), "{message}");
    }

    #[test]
    fn empty_files_are_refused() {
        for format in [
            MeshFormat::Obj,
            MeshFormat::Stl,
            MeshFormat::Ply,
            MeshFormat::Off,
            MeshFormat::Dae,
            MeshFormat::OctoMap,
        ] {
            let message = parse(b"", format, Path::new("none.obj")).unwrap_err().to_string();
            assert_eq!(message, "none.obj: the file is empty: expected a mesh");
        }
    }
}
