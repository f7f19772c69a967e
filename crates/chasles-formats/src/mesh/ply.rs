//! PLY, the polygon format of Stanford: text, or binary of either byte order.
//!
//! Reference: G. Turk, "The PLY Polygon File Format", 1994. The reader uses the properties `x`, `y`, `z` and
//! `vertex_indices` of the elements `vertex`, `face` and `tristrips`, and skips the rest. A strip of triangles ends
//! with -1 or its row; triangles in it that repeat a vertex only connect parts of the strip, and are left out.

use std::path::Path;

use glam::DVec3;

use super::MeshFile;
use super::ply_header::{self, Element, PropertyLayout};
use super::ply_rows::{PlyRows, Remaining};
use super::soup::Soup;
use crate::error::{Error, Result};
use crate::text::lines::quoted;

/// Reads a PLY file.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<MeshFile> {
    let (header, rest) = ply_header::parse(bytes, path)?;
    let vertices = header.elements.iter().find(|element| element.name == b"vertex");
    let vertices = vertices.map_or(0, |element| element.rows);
    let columns: Vec<Vec<Column>> =
        header.elements.iter().map(|element| columns(element, path)).collect::<Result<_>>()?;
    let mut soup = Soup::new(path, header.unit());
    let mut rows = PlyRows::new(&header, bytes, rest);
    for (element, columns) in header.elements.iter().zip(&columns) {
        if element.rows > 0 && element.name == b"face_strips" {
            soup.skip_face(rows.place(), "the element `face_strips` is not read");
        }
        // Rows without properties have no content, however many the header declares.
        if !columns.is_empty() {
            read_element(element, columns, vertices, &mut rows, &mut soup)?;
        }
    }
    let remaining = rows.remaining();
    let at = rows.place();
    match remaining {
        Remaining::Nothing => {}
        Remaining::Little => soup.note(at, "everything after the last row is skipped"),
        Remaining::Rows => soup.skip_face(at, "found more rows than the header says"),
    }
    Ok(soup.finish())
}

/// Reads only the vertices of a PLY file, with warnings; later elements are not parsed.
pub(crate) fn vertices(bytes: &[u8], path: &Path) -> Result<(Vec<DVec3>, Vec<String>)> {
    let (header, rest) = ply_header::parse(bytes, path)?;
    let mut soup = Soup::new(path, header.unit());
    let mut rows = PlyRows::new(&header, bytes, rest);
    for element in &header.elements {
        let is_vertex = element.name == b"vertex";
        let columns = match is_vertex {
            true => columns(element, path)?,
            false => unused(element),
        };
        if !columns.is_empty() {
            read_element(element, &columns, 0, &mut rows, &mut soup)?;
        }
        if is_vertex {
            break;
        }
    }
    Ok(soup.finish_points())
}

/// The properties of an element that is skipped.
fn unused(element: &Element) -> Vec<Column> {
    let column = |property: &ply_header::Property| Column { layout: property.layout, purpose: Use::Nothing };
    element.properties.iter().map(column).collect()
}

/// The use of a property.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// A coordinate of a vertex, by its axis.
    Coordinate(usize),
    /// The corners of a face, or of strips of triangles.
    Corners,
    Nothing,
}

/// A property and its use.
#[derive(Clone, Copy)]
struct Column {
    layout: PropertyLayout,
    purpose: Use,
}

/// Determines the used properties of an element, and checks that the required ones are present.
fn columns(element: &Element, path: &Path) -> Result<Vec<Column>> {
    let column = |property: &ply_header::Property| {
        let purpose = match (&*element.name, &*property.name, property.layout) {
            (b"vertex", b"x", PropertyLayout::Value(_)) => Use::Coordinate(0),
            (b"vertex", b"y", PropertyLayout::Value(_)) => Use::Coordinate(1),
            (b"vertex", b"z", PropertyLayout::Value(_)) => Use::Coordinate(2),
            (
                b"face" | b"tristrips",
                b"vertex_indices" | b"vertex_index",
                PropertyLayout::List { item, .. },
            ) if !item.is_float() => Use::Corners,
            _ => Use::Nothing,
        };
        Column { layout: property.layout, purpose }
    };
    let columns: Vec<Column> = element.properties.iter().map(column).collect();
    let once = |purpose| columns.iter().filter(|column| column.purpose == purpose).count() == 1;
    let missing = match &*element.name {
        b"vertex" if !(0..3).all(|axis| once(Use::Coordinate(axis))) => "one number each named x, y and z",
        b"face" | b"tristrips" if !once(Use::Corners) => "one list of whole numbers named vertex_indices",
        _ => return Ok(columns),
    };
    if element.rows == 0 {
        return Ok(columns);
    }
    Err(Error::line(
        path,
        element.line,
        format!("element {}: expected {missing} among its properties", quoted(&element.name)),
    ))
}

fn read_element(
    element: &Element,
    columns: &[Column],
    vertices: u64,
    rows: &mut PlyRows<'_>,
    soup: &mut Soup<'_>,
) -> Result<()> {
    rows.check_length(element, soup)?;
    for row in 0..element.rows {
        let at = rows.start_row(element, row, soup)?;
        let mut point = [0.0; 3];
        for column in columns {
            match (column.layout, column.purpose) {
                (PropertyLayout::Value(value), Use::Coordinate(axis)) => {
                    point[axis] = rows.value(value, soup)?
                }
                (PropertyLayout::Value(value), _) => rows.skip(value, soup)?,
                (PropertyLayout::List { count, item }, purpose) => {
                    let count = rows.count(count, item, soup)?;
                    if purpose == Use::Corners && element.name == b"tristrips" {
                        let mut strip = Strip::default();
                        for _ in 0..count {
                            match rows.value(item, soup)? {
                                -1.0 => std::mem::take(&mut strip).end(at, soup),
                                index => strip.corner(vertex_index(index, vertices, at, soup)?, at, soup)?,
                            }
                        }
                        strip.end(at, soup);
                    } else if purpose == Use::Corners {
                        for _ in 0..count {
                            let index = rows.value(item, soup)?;
                            soup.corner(at, vertex_index(index, vertices, at, soup)?)?;
                        }
                    } else {
                        for _ in 0..count {
                            rows.skip(item, soup)?;
                        }
                    }
                }
            }
        }
        match &*element.name {
            b"vertex" => soup.vertex(at, DVec3::from_array(point))?,
            b"face" => soup.end_face(at),
            _ => {}
        }
        rows.end(soup);
    }
    Ok(())
}

/// Triangles that each share an edge with the triangle before.
#[derive(Default)]
struct Strip {
    /// Its last two corners.
    last: [u32; 2],
    corners: usize,
}

impl Strip {
    /// Adds a corner, and from the third corner the triangle that it completes; every other triangle is reversed.
    fn corner(&mut self, corner: u32, at: usize, soup: &mut Soup<'_>) -> Result<()> {
        let [a, b] = self.last;
        if self.corners >= 2 && a != b && b != corner && corner != a {
            let [first, second] = if self.corners.is_multiple_of(2) { [a, b] } else { [b, a] };
            for corner in [first, second, corner] {
                soup.corner(at, corner)?;
            }
            soup.end_face(at);
        }
        (self.last, self.corners) = ([b, corner], self.corners + 1);
        Ok(())
    }

    fn end(self, at: usize, soup: &mut Soup<'_>) {
        if (1..3).contains(&self.corners) {
            soup.note(at, "a strip of fewer than 3 corners is left out");
        }
    }
}

/// Checks an index against the number of vertices that the header declares, because the vertices may come later.
fn vertex_index(index: f64, vertices: u64, at: usize, soup: &Soup<'_>) -> Result<u32> {
    if index.fract() != 0.0 {
        return Err(soup.error(at, format!("vertex index {index} is not a whole number")));
    }
    // An f64 holds every integer type here; the cast clamps other values.
    #[expect(clippy::cast_possible_truncation, reason = "checked by the comparison, which clamping fails")]
    let checked = index as i64;
    match u32::try_from(checked) {
        Ok(checked) if u64::from(checked) < vertices => Ok(checked),
        _ if vertices == 0 => {
            Err(soup.error(at, format!("vertex index {index} out of range: the file has no vertices")))
        }
        _ => {
            Err(soup.error(at, format!("vertex index {index} out of range: expected 0 to {}", vertices - 1)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{self, MeshFormat};

    const HEADER: &str = "element vertex 4\nproperty double x\nproperty double y\nproperty double z\nproperty float quality\n\
                          element face 1\nproperty uchar red\nproperty list uchar uint vertex_indices\nend_header\n";

    fn text(header: &str, rows: &str) -> Vec<u8> {
        format!("ply\nformat ascii 1.0\n{header}{rows}").into_bytes()
    }

    /// A square in binary, with `f64` coordinates.
    fn square(big: bool) -> Vec<u8> {
        let name = if big { "big" } else { "little" };
        let mut bytes = format!("ply\nformat binary_{name}_endian 1.0\n{HEADER}").into_bytes();
        for (x, y) in [(0.1, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
            for value in [x, y, -0.5f64] {
                bytes.extend(if big { value.to_be_bytes() } else { value.to_le_bytes() });
            }
            bytes.extend(if big { 7f32.to_be_bytes() } else { 7f32.to_le_bytes() });
        }
        bytes.extend([255, 4]);
        for index in 0..4u32 {
            bytes.extend(if big { index.to_be_bytes() } else { index.to_le_bytes() });
        }
        bytes
    }

    fn read(bytes: &[u8]) -> MeshFile {
        parse(bytes, Path::new("part.ply")).unwrap()
    }

    const PAST: &str = "; --allow-missing-geometry reads on without it";

    #[track_caller]
    fn refused(bytes: &[u8], message: &str) {
        assert_eq!(
            mesh::parse(bytes, MeshFormat::Ply, Path::new("part.ply")).unwrap_err().to_string(),
            message
        );
    }

    #[test]
    fn text_and_both_byte_orders_agree() {
        let rows = "0.1 0 -0.5 7\n1 0 -.5 7\n\n1 1 -5e-1 7\n0 1 -0.5 7\n255 4 0 1 2 3\n";
        let mesh = read(&text(HEADER, rows));
        assert_eq!(mesh.vertices[0], DVec3::new(0.1, 0.0, -0.5));
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        assert!(mesh.warnings.is_empty());
        assert_eq!(read(&square(false)), mesh);
        assert_eq!(read(&square(true)), mesh);
        assert_eq!(read(&text(&HEADER.replace('\n', "\r\n"), &rows.replace('\n', "\r\n"))), mesh);
    }

    #[test]
    fn other_elements_are_skipped_and_faces_may_come_first() {
        let header = "element face 1\nproperty list int int vertex_index\nelement edge 1\nproperty list char short n\n\
                      element nothing 4000000000000\nelement vertex 3\nproperty uchar x\nproperty int8 y\nproperty float z\nend_header\n";
        let mesh = read(&text(header, "3 2 1 0\n2 5 6\n0 0 0\n1 0 0\n0 -1 0.25\n"));
        assert_eq!(mesh.triangles, [[2, 1, 0]]);
        assert_eq!(mesh.vertices[2], DVec3::new(0.0, -1.0, 0.25));
    }

    #[test]
    fn triangle_strips_are_split() {
        let header = |order: &str| {
            format!(
                "ply\nformat {order} 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n\
                 element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
            )
        };
        let points: Vec<[f32; 3]> = (0..6).map(|i| [i as f32 / 2.0, (i % 2) as f32, 0.0]).collect();
        // A strip of three triangles, a strip turned back by repeated corners, and a strip without triangles.
        let strips = [0, 1, 2, 3, 4, -1, 2, 3, 4, 4, 5, 5, 1, 2, -1, 0, 1];
        let rows: String = points.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect();
        let text = format!(
            "{}{rows}{} {}\n",
            header("ascii"),
            strips.len(),
            strips.map(|i| i.to_string()).join(" ")
        );
        let mut binary = header("binary_little_endian").into_bytes();
        binary.extend(points.iter().flatten().flat_map(|x| x.to_le_bytes()));
        binary.extend([17].iter().chain(&strips).flat_map(|i: &i32| i.to_le_bytes()));
        for (bytes, place) in [(text.into_bytes(), "line 16"), (binary, "byte 244")] {
            let mesh = read(&bytes);
            assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4], [2, 3, 4], [1, 5, 2]]);
            let warning = format!("a strip of fewer than 3 corners is left out ({place})");
            assert_eq!(mesh.warnings, [warning]);
        }
        let bad = format!("{}{rows}6 0 1 2 6 1 2\n", header("ascii"));
        refused(bad.as_bytes(), "part.ply:16: vertex index 6 out of range: expected 0 to 5");
        let none = header("ascii").replace("vertex_indices", "others");
        let expected = "expected one list of whole numbers named vertex_indices among its properties";
        refused(none.as_bytes(), &format!("part.ply:7: element `tristrips`: {expected}"));
    }

    #[test]
    fn doubtful_content_gives_warnings() {
        let rows = "0 0 0 nan\n1 0 0 0\n1 1 0 0\n0 1 0 0\n0 2 0 1 2 3\nmore\n";
        let more_rows = rows.replace("more", "3 0 1 2");
        refused(
            &text(HEADER, &more_rows),
            &format!("part.ply:17: found more rows than the header says{PAST}"),
        );
        assert_eq!(
            read(&text(HEADER, rows)).warnings,
            [
                "a value other than a coordinate is not finite: not used (line 12)",
                "a face of fewer than 3 corners is left out (line 16)",
                "a row has more values than the header declares: skipped (line 16)",
                "everything after the last row is skipped (line 17)",
                "the file has no triangles",
            ]
        );
        assert_eq!(read(b"ply\nformat ascii 1.0\nend_header\n").warnings, ["the file has no triangles"]);
        let strips = "element face_strips 1\nproperty list int int vertex_indices\nend_header\n";
        refused(
            &text(strips, "3 0 1 2\n"),
            &format!("part.ply:5: the element `face_strips` is not read{PAST}"),
        );
        let mut long = square(false);
        long.push(0);
        assert_eq!(read(&long).warnings.len(), 1);
        let at = square(false).len();
        long.extend([1; 12]);
        refused(&long, &format!("part.ply: byte {at}: found more rows than the header says{PAST}"));
    }

    #[test]
    fn errors_of_text() {
        let face = |row: &str| text(HEADER, &format!("0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n{row}"));
        refused(&face("0 3 0 1 4\n"), "part.ply:16: vertex index 4 out of range: expected 0 to 3");
        refused(&face("0 3 0 1 -1\n"), "part.ply:16: vertex index -1 out of range: expected 0 to 3");
        refused(&face("0 3 0 1 1.5\n"), "part.ply:16: `1.5` is not a whole number");
        refused(&face("0 2000000000 0 1 2\n"), "part.ply:16: a list of 2000000000 values: found 3");
        refused(
            &face("0 -3 0 1 2\n"),
            "part.ply:16: a list of -3 values: expected a whole number of 0 or more",
        );
        refused(&face("0\n"), "part.ply:16: a row of 1 values: expected more");
        refused(&face(""), "part.ply:15: the file ends after 0 rows of element `face`: expected 1");
        refused(&text(HEADER, "0 nan 0 0\n"), "part.ply:12: y of a vertex is NaN: expected a finite number");
        refused(&text(HEADER, "0 zero 0 0\n"), "part.ply:12: `zero` is not a number");
        refused(
            &text(&HEADER.replace("double z", "double w"), ""),
            "part.ply:3: element `vertex`: expected one number each named x, y and z among its properties",
        );
        refused(
            &text(&HEADER.replace("uint vertex", "float vertex"), ""),
            "part.ply:8: element `face`: expected one list of whole numbers named vertex_indices among its properties",
        );
        refused(
            &text("element face 1\nproperty list int int vertex_index\nend_header\n", "1 0"),
            "part.ply:6: vertex index 0 out of range: the file has no vertices",
        );
    }

    #[test]
    fn errors_of_binary() {
        let bytes = square(false);
        let body = bytes.len() - 4 * 28 - 18;
        let face = bytes.len() - 18;
        refused(
            &bytes[..body + 100],
            &format!("part.ply: byte {body}: 4 rows of element `vertex` take 112 bytes or more, found 100"),
        );
        refused(
            &bytes[..bytes.len() - 1],
            &format!("part.ply: byte {}: a list of 4 values: found 3", face + 2),
        );
        let mut index = bytes.clone();
        index[face + 2..face + 6].copy_from_slice(&u32::MAX.to_le_bytes());
        refused(
            &index,
            &format!("part.ply: byte {face}: vertex index 4294967295 out of range: expected 0 to 3"),
        );
        let mut nan = bytes.clone();
        nan[body + 28..body + 36].copy_from_slice(&f64::NAN.to_le_bytes());
        refused(
            &nan,
            &format!("part.ply: byte {}: x of a vertex is NaN: expected a finite number", body + 28),
        );
        let huge = String::from_utf8_lossy(&bytes[..body]).replace("vertex 4", "vertex 18446744073709551615");
        refused(
            huge.as_bytes(),
            &format!(
                "part.ply: byte {}: 18446744073709551615 rows of element `vertex` take 516508834063867445220 bytes or \
                 more, found 0",
                body + 19
            ),
        );
    }
}
