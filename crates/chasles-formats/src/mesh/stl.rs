//! STL, stereolithography: triangles without indices, as text or binary.
//!
//! Reference: "Stereolithography Interface Specification", 3D Systems, 1989. Equal points become one vertex: equal
//! bit for bit, but -0 equals 0. Points within a tolerance are not welded.

use std::collections::HashMap;
use std::path::Path;

use glam::DVec3;

use super::MeshFile;
use super::soup::{LocationUnit, Soup};
use crate::error::{Error, Result};
use crate::text::lines::{TextLines, is_not_finite, number, quoted, words};

/// Bytes before the triangles of a binary file: 80 arbitrary bytes and the number of triangles.
const HEAD: usize = 84;

/// Bytes of a triangle in a binary file: normal, three corners, two arbitrary bytes.
const TRIANGLE: usize = 50;

/// Whether the length or the first bytes are those of an STL file.
pub(super) fn is_stl(bytes: &[u8]) -> bool {
    declared_length(bytes) == Some(bytes.len() as u64) || is_solid_start(bytes)
}

/// Reads an STL file.
///
/// Many binary files begin with `solid`, so the length decides. It identifies the kind unless the file is truncated,
/// and then a text file has no zero bytes.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<MeshFile> {
    let exact = declared_length(bytes) == Some(bytes.len() as u64);
    let text = is_solid_start(bytes) && !bytes.iter().take(512).any(|&b| b == 0);
    if text && !exact { parse_text(bytes, path) } else { parse_binary(bytes, path) }
}

/// The length that a binary file states by its number of triangles.
fn declared_length(bytes: &[u8]) -> Option<u64> {
    let count = u32::from_le_bytes(*bytes.get(80..HEAD)?.first_chunk()?);
    Some(HEAD as u64 + TRIANGLE as u64 * u64::from(count))
}

fn is_solid_start(bytes: &[u8]) -> bool {
    words(bytes).next().is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
}

/// The vertices by their coordinates; equal coordinates share a vertex.
#[derive(Default)]
struct VertexIndex {
    known: HashMap<[u64; 3], u32>,
}

impl VertexIndex {
    fn of(&mut self, at: usize, point: DVec3, soup: &mut Soup<'_>) -> Result<u32> {
        // Adding zero turns -0 into 0 and changes no other value.
        let point = soup.point(at, point)? + DVec3::ZERO;
        let key = point.to_array().map(f64::to_bits);
        if let Some(&index) = self.known.get(&key) {
            return Ok(index);
        }
        let index = soup.next_vertex_index(at)?;
        soup.vertices.push(point);
        self.known.insert(key, index);
        Ok(index)
    }
}

const NORMAL: &str = "a normal is not finite: not used";

fn parse_binary(bytes: &[u8], path: &Path) -> Result<MeshFile> {
    let Some(declared) = declared_length(bytes) else {
        let message = format!(
            "found {} bytes: expected `solid`, or {HEAD} bytes at the head of a binary file",
            bytes.len()
        );
        return Err(Error::byte(path, bytes.len(), message));
    };
    let (found, triangles) = (bytes.len() as u64, (declared - HEAD as u64) / TRIANGLE as u64);
    if found < declared {
        let message =
            format!("the file ends here: expected {declared} bytes for {triangles} triangles, found {found}");
        return Err(Error::byte(path, bytes.len(), message));
    }
    let mut soup = Soup::new(path, LocationUnit::Byte);
    let mut index = VertexIndex::default();
    let (body, _) = bytes[HEAD..].as_chunks::<TRIANGLE>();
    let mut at = HEAD;
    for triangle in body.iter().take(usize::try_from(triangles).unwrap_or(usize::MAX)) {
        let (floats, _) = triangle.as_chunks::<4>();
        let mut vectors = floats
            .as_chunks::<3>()
            .0
            .iter()
            .map(|&vector| DVec3::from_array(vector.map(|value| f64::from(f32::from_le_bytes(value)))));
        if vectors.next().is_some_and(|normal| !normal.is_finite()) {
            soup.note(at, NORMAL);
        }
        let mut corners = [0; 3];
        for (i, (corner, point)) in corners.iter_mut().zip(vectors).enumerate() {
            *corner = index.of(at + 12 * (i + 1), point, &mut soup)?;
        }
        soup.triangle(at, corners)?;
        at += TRIANGLE;
    }
    let after = &bytes[at..];
    if after.len() >= TRIANGLE && after.iter().any(|byte| *byte != 0) {
        let more = after.len() / TRIANGLE;
        let what = format!("found {more} more triangles than the {triangles} that the header says");
        soup.skip_face(at, &what);
    } else if !after.is_empty() {
        soup.note(at, "bytes after the last triangle are skipped");
    }
    Ok(soup.finish())
}

/// The state of the text reader.
enum State {
    /// Between facets.
    Outside,
    /// In a facet, before or after its loop.
    Facet { corners: Option<[u32; 3]> },
    /// In a loop, after some of its corners.
    Loop { corners: [u32; 3], found: usize },
}

fn parse_text(bytes: &[u8], path: &Path) -> Result<MeshFile> {
    let mut soup = Soup::new(path, LocationUnit::Line);
    let mut index = VertexIndex::default();
    let mut state = State::Outside;
    let mut solid_is_open = false;
    let mut lines = TextLines::new(bytes);
    for (at, line) in lines.by_ref() {
        let mut words = words(line);
        // A line may hold several statements, as in `facet normal 0 0 1 outer loop`.
        while let Some(word) = words.next() {
            let unexpected = |soup: &Soup<'_>, expected: &str| {
                Err(soup.error(at, format!("found {}: expected {expected}", quoted(word))))
            };
            let keyword = word.to_ascii_lowercase();
            state = match (&*keyword, state) {
                (b"solid", State::Outside) => {
                    solid_is_open = true;
                    // The rest of the line is a name.
                    {
                        words.by_ref().for_each(drop);
                        State::Outside
                    }
                }
                (b"endsolid" | b"end", State::Outside) => {
                    solid_is_open = false;
                    {
                        words.by_ref().for_each(drop);
                        State::Outside
                    }
                }
                (b"color", State::Outside) => {
                    words.by_ref().for_each(drop);
                    State::Outside
                }
                (b"facet", State::Outside) => {
                    let normal = words.by_ref().take(4).skip(1);
                    if normal.filter(|word| is_not_finite(word)).count() > 0 {
                        soup.note(at, NORMAL);
                    }
                    State::Facet { corners: None }
                }
                (b"outer", State::Facet { corners: None }) => {
                    words.next();
                    State::Loop { corners: [0; 3], found: 0 }
                }
                (b"vertex", State::Loop { mut corners, found }) => {
                    let point = point(&mut words, at, &soup)?;
                    let Some(corner) = corners.get_mut(found) else {
                        return Err(soup.error(at, "a facet of more than 3 vertices: expected 3"));
                    };
                    *corner = index.of(at, point, &mut soup)?;
                    State::Loop { corners, found: found + 1 }
                }
                (b"endloop", State::Loop { corners, found: 3 }) => State::Facet { corners: Some(corners) },
                (b"endloop", State::Loop { found, .. }) => {
                    return Err(soup.error(at, format!("a facet of {found} vertices: expected 3")));
                }
                (b"endfacet", State::Facet { corners: Some(corners) }) => {
                    soup.triangle(at, corners)?;
                    State::Outside
                }
                (_, State::Outside) => return unexpected(&soup, "facet or endsolid"),
                (_, State::Facet { corners: None }) => return unexpected(&soup, "outer loop"),
                (_, State::Facet { .. }) => return unexpected(&soup, "endfacet"),
                (_, State::Loop { .. }) => return unexpected(&soup, "vertex or endloop"),
            };
        }
    }
    let end = lines.number();
    if !matches!(state, State::Outside) {
        return Err(soup.error(end, "the file ends within a facet: expected endfacet"));
    }
    if solid_is_open {
        soup.note(end, "the file ends without endsolid");
    }
    Ok(soup.finish())
}

fn point<'w>(words: &mut impl Iterator<Item = &'w [u8]>, at: usize, soup: &Soup<'_>) -> Result<DVec3> {
    let mut point = [0.0; 3];
    for (found, value) in point.iter_mut().enumerate() {
        let Some(word) = words.next() else {
            return Err(soup.error(at, format!("a vertex of {found} coordinates: expected 3")));
        };
        *value = number(word)
            .ok_or_else(|| soup.error(at, format!("coordinate {} is not a number", quoted(word))))?;
    }
    Ok(DVec3::from_array(point))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{self, MeshFormat};

    /// A binary file with this header, these triangles and this stated count.
    fn binary(head: &[u8], triangles: &[[f32; 9]], count: u32) -> Vec<u8> {
        let mut bytes = head.to_vec();
        bytes.resize(80, b' ');
        bytes.extend(count.to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.iter().flat_map(|value| value.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    const SQUARE: [[f32; 9]; 2] =
        [[0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 1.0, 1.0, 0.0], [-0.0, 0.0, 0.0, 1.0, 1.0, -0.0, 0.0, 1.0, 0.0]];

    const TEXT: &str = "solid a b facet\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 0.1 0 0\n   vertex 1 1 0\n  endloop\n endfacet\n";

    #[track_caller]
    fn refused(bytes: &[u8], message: &str) {
        assert_eq!(
            mesh::parse(bytes, MeshFormat::Stl, Path::new("part.stl")).unwrap_err().to_string(),
            message
        );
    }

    #[test]
    fn binary_files_may_start_with_any_text() {
        for head in [&b"solid text"[..], b"exported", b"solid facet normal"] {
            let mesh = parse(&binary(head, &SQUARE, 2), Path::new("part.stl")).unwrap();
            assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
            assert_eq!(mesh.vertices[1].x, f64::from(0.1f32));
            assert!(mesh.vertices[0].x.is_sign_positive());
            assert!(mesh.warnings.is_empty());
        }
    }

    #[test]
    fn text_in_full_precision() {
        let second = TEXT.replace("0 0 0", "-0 0 0e7").replace("solid a b facet", "SOLID").to_uppercase();
        let mesh = parse(format!("{TEXT}endsolid a b\r\n{second}endsolid").as_bytes(), Path::new("part.stl"))
            .unwrap();
        assert_eq!(mesh.vertices, [DVec3::ZERO, DVec3::new(0.1, 0.0, 0.0), DVec3::new(1.0, 1.0, 0.0)]);
        assert_eq!(mesh.triangles, [[0, 1, 2]; 2]);
        assert!(mesh.warnings.is_empty());
        let line = "solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\nendsolid";
        assert_eq!(parse(line.as_bytes(), Path::new("part.stl")).unwrap().triangles, [[0, 1, 2]]);
    }

    #[test]
    fn doubtful_content_gives_warnings() {
        let warnings = |bytes: &[u8]| parse(bytes, Path::new("part.stl")).unwrap().warnings;
        assert_eq!(warnings(b"solid Empty\nendsolid Empty"), ["the file has no triangles"]);
        assert_eq!(warnings(&binary(b"", &[], 0)), ["the file has no triangles"]);
        assert_eq!(
            warnings(TEXT.replace("normal 0 0 1", "normal nan nan nan").as_bytes()),
            ["a normal is not finite: not used (line 2)", "the file ends without endsolid (line 8)"]
        );
        let mut long = binary(b"", &SQUARE[..1], 1);
        long.extend([0; 60]);
        long[84..88].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(
            warnings(&long),
            [
                "a normal is not finite: not used (byte 84)",
                "bytes after the last triangle are skipped (byte 134)"
            ]
        );
    }

    #[test]
    fn errors_of_binary_files() {
        refused(
            &binary(b"", &SQUARE, u32::MAX),
            "part.stl: byte 184: the file ends here: expected 214748364834 bytes for 4294967295 triangles, found 184",
        );
        let mut short = binary(b"solid\0", &SQUARE, 2);
        short.pop();
        refused(
            &short,
            "part.stl: byte 183: the file ends here: expected 184 bytes for 2 triangles, found 183",
        );
        refused(
            &[1; 83],
            "part.stl: byte 83: found 83 bytes: expected `solid`, or 84 bytes at the head of a binary file",
        );
        refused(
            &binary(b"", &SQUARE, 1),
            "part.stl: byte 134: found 1 more triangles than the 1 that the header says; \
             --allow-missing-geometry reads on without it",
        );
        let mut nan = SQUARE;
        nan[1][4] = f32::NAN;
        refused(&binary(b"", &nan, 2), "part.stl: byte 158: y of a vertex is NaN: expected a finite number");
    }

    #[test]
    fn errors_of_text_files() {
        let refused = |text: &str, message: &str| refused(text.as_bytes(), message);
        refused(&TEXT[..TEXT.len() - 10], "part.stl:7: the file ends within a facet: expected endfacet");
        refused(
            &TEXT.replace("vertex 1 1 0", "vertex 1 1"),
            "part.stl:6: a vertex of 2 coordinates: expected 3",
        );
        refused(&TEXT.replace("0.1", "0,1"), "part.stl:5: coordinate `0,1` is not a number");
        refused(&TEXT.replace("0.1", "inf"), "part.stl:5: x of a vertex is inf: expected a finite number");
        refused(&TEXT.replace("   vertex 0 0 0\n", ""), "part.stl:6: a facet of 2 vertices: expected 3");
        refused(
            &TEXT.replace("  endloop", "vertex 1 2 3"),
            "part.stl:7: a facet of more than 3 vertices: expected 3",
        );
        refused(&TEXT.replace("outer", "inner"), "part.stl:3: found `inner`: expected outer loop");
        refused(&TEXT.replace("endloop", "end"), "part.stl:7: found `end`: expected vertex or endloop");
        refused(&TEXT.replace("endfacet", "facet"), "part.stl:8: found `facet`: expected endfacet");
        refused("solid a\nvertex 1 2 3", "part.stl:2: found `vertex`: expected facet or endsolid");
    }
}
