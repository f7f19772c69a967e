//! Point clouds in XYZ, PCD and PLY files.
//!
//! Points keep their numbers in the file, from 0. Lengths are in the unit of the file; the points are neither scaled
//! nor moved, and the viewpoint of a PCD file is ignored. A coordinate that is not finite is an error, except in PCD
//! files, in which sensors write it for a missing measurement: such points are left out and counted in a warning,
//! and the other points keep their numbers.
//!
//! For any input, reading ends: a count in a file is trusted only as far as the file is long.

mod xyz;
mod pcd_header;
mod lzf;
mod pcd;

use std::path::Path;

use glam::DVec3;

use crate::error::{Error, Result};
use crate::limits;
use crate::mesh;
use crate::text::lines::cut_number;

/// A cloud as in its file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CloudFile {
    /// The points with their increasing numbers. All coordinates are finite.
    pub points: Vec<(u32, DVec3)>,
    /// The number of points that were left out because a coordinate is not finite.
    pub dropped: usize,
    /// Warnings about ignored or suspicious content, one sentence each.
    pub warnings: Vec<String>,
}

/// The supported formats of point clouds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudFormat {
    /// Text, one point per line.
    Xyz,
    /// The Point Cloud Library's format: text, binary or compressed.
    Pcd,
    /// The vertices of a PLY file.
    Ply,
}

impl CloudFormat {
    /// The format of a file's extension, in upper or lower case.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "xyz" => Some(Self::Xyz),
            "pcd" => Some(Self::Pcd),
            "ply" => Some(Self::Ply),
            _ => None,
        }
    }

    /// The format that a file's first bytes identify, if any: XYZ has no signature.
    #[must_use]
    pub fn from_content(bytes: &[u8]) -> Option<Self> {
        if mesh::MeshFormat::from_content(bytes) == Some(mesh::MeshFormat::Ply) {
            Some(Self::Ply)
        } else if pcd_header::is_pcd_start(bytes) {
            Some(Self::Pcd)
        } else {
            None
        }
    }
}

/// Reads a file in the format of its extension, or else of its content.
///
/// # Errors
/// When the file cannot be read, is not a regular file, is too large or of an unknown format, and as for [`parse`].
pub fn read(path: &Path) -> Result<CloudFile> {
    limits::check_regular(path)?;
    let bytes = limits::read(path, limits::CLOUD_FILE)?;
    let Some(format) = CloudFormat::from_extension(path).or_else(|| CloudFormat::from_content(&bytes)) else {
        return Err(Error::file(path, "unknown kind of cloud: expected .xyz, .pcd or .ply"));
    };
    parse(&bytes, format, path)
}

/// Reads a cloud from the bytes of a file; `path` is used only in messages.
///
/// ```
/// use chasles_formats::cloud::{self, CloudFormat};
/// let cloud = cloud::parse(b"# scan\n0 0 1\n\n0.5 0 1 255 # seen twice\n", CloudFormat::Xyz, "a.xyz".as_ref())?;
/// assert_eq!(cloud.points[1], (1, glam::DVec3::new(0.5, 0.0, 1.0)));
/// # Ok::<(), chasles_formats::Error>(())
/// ```
///
/// # Errors
/// With the line or byte, what was found and what was expected: a file that is empty, truncated or not of this
/// format, no points or too many, or, except in PCD files, a coordinate that is not a finite number.
pub fn parse(bytes: &[u8], format: CloudFormat, path: &Path) -> Result<CloudFile> {
    if bytes.is_empty() {
        return Err(Error::file(path, "the file is empty: expected points"));
    }
    let mut cloud = match format {
        CloudFormat::Xyz => xyz::parse(bytes, path),
        CloudFormat::Pcd => pcd::parse(bytes, path),
        CloudFormat::Ply => ply(bytes, path),
    }?;
    let is_text = || match format {
        CloudFormat::Xyz => true,
        CloudFormat::Pcd => pcd_header::is_text(bytes),
        CloudFormat::Ply => mesh::ply_header::is_text(bytes),
    };
    cloud.warnings.extend(cut_number(bytes).filter(|_| is_text()));
    match (cloud.points.len(), cloud.dropped) {
        (0, 0) => Err(Error::file(path, "found no points, expected at least one")),
        (0, dropped) => {
            let what = format!("found {dropped} points of which none is a number, expected at least one");
            Err(Error::file(path, what))
        }
        _ => Ok(cloud),
    }
}

/// Reads the vertices of a PLY file.
fn ply(bytes: &[u8], path: &Path) -> Result<CloudFile> {
    let (vertices, warnings) = mesh::ply::vertices(bytes, path)?;
    let points = (0..).zip(vertices).collect();
    Ok(CloudFile { points, dropped: 0, warnings })
}

/// Refuses more points than the limit, or than fit in memory.
fn check_count(count: u64, path: &Path) -> Result<()> {
    let maximum = limits::CLOUD_POINTS as u64;
    if count > maximum {
        return Err(Error::file(path, format!("found {count} points, expected at most {maximum}")));
    }
    limits::check_room(count * limits::POINT_BYTES).map_err(|message| Error::file(path, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_by_extension_and_by_content() {
        assert_eq!(CloudFormat::from_extension(Path::new("a/b.XYZ")), Some(CloudFormat::Xyz));
        assert_eq!(CloudFormat::from_extension(Path::new("b.las")), None);
        assert_eq!(CloudFormat::from_content(b"ply\nformat"), Some(CloudFormat::Ply));
        assert_eq!(CloudFormat::from_content(b"# .PCD v0.7\nVERSION 0.7\n"), Some(CloudFormat::Pcd));
        assert_eq!(CloudFormat::from_content(b"VERSION 0.7\n"), Some(CloudFormat::Pcd));
        assert_eq!(CloudFormat::from_content(b"0 0 0\n"), None);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scan");
        std::fs::write(&path, "0 0 0\n").unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.ends_with("scan: unknown kind of cloud: expected .xyz, .pcd or .ply"), "{message}");
        assert!(read(folder.path()).unwrap_err().to_string().ends_with("cannot be read: it is not a file"));
    }

    #[test]
    fn vertices_of_a_mesh_are_points() {
        let text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n\
                    property uchar red\nelement face 1\nproperty list uchar int others\nend_header\n\
                    0 0.5 1 7\n1 2 3 8\n";
        let cloud = parse(text.as_bytes(), CloudFormat::Ply, Path::new("a.ply")).unwrap();
        let expected = vec![(0, DVec3::new(0.0, 0.5, 1.0)), (1, DVec3::new(1.0, 2.0, 3.0))];
        assert_eq!((cloud.points, cloud.warnings), (expected, vec![]));
        let refused = |text: &str| {
            parse(text.as_bytes(), CloudFormat::Ply, Path::new("a.ply")).unwrap_err().to_string()
        };
        let nan = refused(&text.replace("0.5", "nan"));
        assert_eq!(nan, "a.ply:11: y of a vertex is NaN: expected a finite number");
        assert_eq!(
            refused(&text.replace("1 2 3 8\n", "")),
            "a.ply:11: the file ends after 1 rows of element `vertex`: expected 2"
        );
        assert_eq!(
            refused("ply\nformat ascii 1.0\nend_header\n"),
            "a.ply: found no points, expected at least one"
        );
    }
}
