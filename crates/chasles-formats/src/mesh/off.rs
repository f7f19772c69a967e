//! OFF, the Object File Format of Geomview, as text.
//!
//! Reference: "OFF Files", section 4.2.5 of the Geomview manual. A row is a line, as every program writes it: vertex
//! rows begin with x y z, whatever the keyword's prefix adds after it.

use std::path::Path;

use super::MeshFile;
use super::soup::{LocationUnit, Soup};
use crate::error::{Error, Result};
use crate::text::lines::{TextLines, integer, quoted, words};

/// Whether the first word is the keyword of an OFF file.
pub(super) fn has_keyword(bytes: &[u8]) -> bool {
    OffLines::new(bytes).next().and_then(|(_, row)| words(row).next()).and_then(keyword).is_some()
}

/// Lines with content, without their comments.
struct OffLines<'a> {
    lines: TextLines<'a>,
}

impl<'a> OffLines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { lines: TextLines::new(bytes) }
    }
}

impl<'a> Iterator for OffLines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        self.lines
            .by_ref()
            .map(|(at, line)| (at, line.split(|&b| b == b'#').next().unwrap_or_default()))
            .find(|(_, line)| !line.trim_ascii().is_empty())
    }
}

/// Splits a word into the keyword's prefix and the rest that some programs append without a space.
fn keyword(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = word.windows(3).position(|part| part == b"OFF")?;
    let (prefix, rest) = (&word[..at], &word[at + 3..]);
    let known = prefix.iter().all(|b| b"STCN4n".contains(b));
    let number_follows = rest.first().is_none_or(u8::is_ascii_digit);
    (known && number_follows).then_some((prefix, rest))
}

/// Reads an OFF file.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<MeshFile> {
    let mut rows = OffLines::new(bytes);
    let (vertices, faces) = counts(&mut rows, path)?;
    let mut soup = Soup::new(path, LocationUnit::Line);
    for row in 0..vertices {
        let Some((at, line)) = rows.next() else {
            let message = format!("the file ends after {row} vertices: expected {vertices}");
            return Err(soup.error(rows.lines.number(), message));
        };
        soup.vertex_words(at, words(line), "a colour or normal")?;
    }
    for row in 0..faces {
        let Some((at, line)) = rows.next() else {
            let message = format!("the file ends after {row} faces: expected {faces}");
            return Err(soup.error(rows.lines.number(), message));
        };
        face(line, at, &mut soup)?;
    }
    if let Some((at, line)) = rows.next() {
        match words(line).next().and_then(integer) {
            Some(3..) => {
                soup.skip_face(at, &format!("found more than the {faces} faces that the file counts"))
            }
            _ => soup.note(at, "lines after the last face are skipped"),
        }
    }
    Ok(soup.finish())
}

/// Reads the keyword and the numbers of vertices and faces, on its line or the next.
fn counts(rows: &mut OffLines<'_>, path: &Path) -> Result<(u64, u64)> {
    let Some((at, line)) = rows.next() else {
        return Err(Error::file(path, "the file has no text: expected the keyword OFF"));
    };
    let mut head = words(line);
    let first = head.next().unwrap_or_default();
    let Some((prefix, glued)) = keyword(first) else {
        return Err(Error::line(path, at, "found a file of another kind: expected the keyword OFF"));
    };
    if prefix.iter().any(|b| b"4n".contains(b)) {
        let message = format!("found {}: only vertices of three dimensions are read", quoted(first));
        return Err(Error::line(path, at, message));
    }
    let glued = (!glued.is_empty()).then_some(glued);
    let mut found: Vec<&[u8]> = glued.into_iter().chain(head).collect();
    if found.first().is_some_and(|word| word.eq_ignore_ascii_case(b"BINARY")) {
        return Err(Error::line(path, at, "binary OFF is not read: expected text"));
    }
    let mut at = at;
    if found.is_empty() {
        let Some((next, line)) = rows.next() else {
            return Err(Error::line(
                path,
                at,
                "the file ends after the keyword: expected vertex, face and edge counts",
            ));
        };
        at = next;
        found = words(line).take(4).collect();
    }
    // The number of edges is ignored, but a line without it is often a row of another kind.
    if found.len() != 3 {
        let message = format!("a line of {} counts: expected 3, of vertices, faces and edges", found.len());
        return Err(Error::line(path, at, message));
    }
    let count = |word: &[u8]| {
        integer(word).and_then(|count| u64::try_from(count).ok()).ok_or_else(|| {
            Error::line(path, at, format!("count {} is not a whole number of 0 or more", quoted(word)))
        })
    };
    count(found[2])?;
    Ok((count(found[0])?, count(found[1])?))
}

/// Reads a face: the number of corners, their indices from 0, and optionally a colour.
fn face(line: &[u8], at: usize, soup: &mut Soup<'_>) -> Result<()> {
    let mut words = words(line);
    let word = words.next().unwrap_or_default();
    let corners = integer(word).and_then(|corners| u64::try_from(corners).ok()).ok_or_else(|| {
        soup.error(at, format!("number of corners {} is not a whole number of 0 or more", quoted(word)))
    })?;
    for found in 0..corners {
        let Some(word) = words.next() else {
            return Err(soup.error(at, format!("a face of {found} vertex indices: expected {corners}")));
        };
        let index = integer(word)
            .ok_or_else(|| soup.error(at, format!("vertex index {} is not a whole number", quoted(word))))?;
        let vertices = soup.vertices.len();
        match u32::try_from(index) {
            Ok(index) if (index as usize) < vertices => soup.corner(at, index)?,
            _ if vertices == 0 => {
                let message = format!("vertex index {index} out of range: the file has no vertices");
                return Err(soup.error(at, message));
            }
            _ => {
                let message = format!("vertex index {index} out of range: expected 0 to {}", vertices - 1);
                return Err(soup.error(at, message));
            }
        }
    }
    soup.end_face(at);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{self, MeshFormat};

    fn read(text: &str) -> MeshFile {
        parse(text.as_bytes(), Path::new("part.off")).unwrap()
    }

    #[test]
    fn variants_of_the_header() {
        let heads = [
            "OFF\n4 1 0\n",
            "OFF 4 1 0\n",
            " \t OFF4 1 0 # or nah\n",
            "\u{feff}OFF\r\n# a square\r\n\r\n4 1 4 # counts\r\n",
        ];
        for head in heads {
            let mesh = read(&format!("{head}0 0 0\n1 0 0 # corner\n\n1 1 0\n0 1 0\n4 0 1 2 3 255 0 0"));
            assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]], "{head}");
            assert!(mesh.warnings.is_empty());
        }
        for head in ["COFF", "NOFF", "CNOFF", "STOFF", "STCNOFF"] {
            let mesh = read(&format!("{head}\n3 1 0\n0.1 0 0 1 2 3\n1 0 0 1 2 3\n0 1 0 1 2 nan\n3 0 1 2\n"));
            assert_eq!((mesh.vertices[0].x, mesh.triangles), (0.1, vec![[0, 1, 2]]));
            assert_eq!(mesh.warnings, ["a colour or normal of a vertex is not finite: not used (line 5)"]);
        }
    }

    #[test]
    fn doubtful_content_gives_warnings() {
        let mesh = read("OFF\n3 3 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 1\n2 0 1\n0\nmore\n");
        assert_eq!(mesh.triangles, [[0, 1, 1]]);
        assert_eq!(
            mesh.warnings,
            [
                "a face of fewer than 3 corners is left out (2 times, first at line 7)",
                "lines after the last face are skipped (line 9)",
            ]
        );
        assert_eq!(read("OFF\n0 0 0\n").warnings, ["the file has no triangles"]);
    }

    #[test]
    fn errors_have_location_and_reason() {
        let cases = [
            ("# only\n", "part.off: the file has no text: expected the keyword OFF"),
            ("8 6 12\n", "part.off:1: found a file of another kind: expected the keyword OFF"),
            ("OFFICE\n", "part.off:1: found a file of another kind: expected the keyword OFF"),
            ("4OFF\n1 0 0\n", "part.off:1: found `4OFF`: only vertices of three dimensions are read"),
            ("OFF BINARY\n\0\0", "part.off:1: binary OFF is not read: expected text"),
            ("OFF\n", "part.off:1: the file ends after the keyword: expected vertex, face and edge counts"),
            ("OFF\n3 4\n0 0 0\n", "part.off:2: a line of 2 counts: expected 3, of vertices, faces and edges"),
            ("OFF\n3 -4 0\n", "part.off:2: count `-4` is not a whole number of 0 or more"),
            ("OFF\n3 4 x\n", "part.off:2: count `x` is not a whole number of 0 or more"),
            (
                "OFF\n1 1 0\n0 0 0\n3 0 0 0\n3 0 0 0\n",
                "part.off:5: found more than the 1 faces that the file counts; --allow-missing-geometry reads on \
                 without it",
            ),
            (
                "OFF\n4000000000 1 0\n0 0 0\n",
                "part.off:3: the file ends after 1 vertices: expected 4000000000",
            ),
            (
                "OFF\n1 4000000000 0\n0 0 0\n3 0 0 0\n",
                "part.off:4: the file ends after 1 faces: expected 4000000000",
            ),
            ("OFF\n1 0 0\n0 0\n", "part.off:3: a vertex of 2 coordinates: expected 3"),
            ("OFF\n1 0 0\n0 a 0\n", "part.off:3: coordinate `a` is not a number"),
            ("OFF\n1 0 0\n0 inf 0\n", "part.off:3: y of a vertex is inf: expected a finite number"),
            ("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "part.off:4: vertex index 1 out of range: expected 0 to 0"),
            ("OFF\n1 1 0\n0 0 0\n3 0 0 -1\n", "part.off:4: vertex index -1 out of range: expected 0 to 0"),
            ("OFF\n0 1 0\n3 0 0 1\n", "part.off:3: vertex index 0 out of range: the file has no vertices"),
            (
                "OFF\n1 1 0\n0 0 0\n4000000000 0 0\n",
                "part.off:4: a face of 2 vertex indices: expected 4000000000",
            ),
            (
                "OFF\n1 1 0\n0 0 0\n-3 0 0\n",
                "part.off:4: number of corners `-3` is not a whole number of 0 or more",
            ),
            ("OFF\n1 1 0\n0 0 0\n3 0 0 0.5\n", "part.off:4: vertex index `0.5` is not a whole number"),
        ];
        for (text, message) in cases {
            assert_eq!(
                mesh::parse(text.as_bytes(), MeshFormat::Off, Path::new("part.off")).unwrap_err().to_string(),
                message
            );
        }
    }
}
