//! The header of a PLY file: the layout of the rows that follow.

use std::path::Path;

use super::soup::LocationUnit;
use crate::error::{Error, Result};
use crate::text::lines::{TextLines, quoted, words};

/// The encoding of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlyEncoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Type {
    fn from_name(name: &[u8]) -> Option<Self> {
        match name {
            b"char" | b"int8" => Some(Self::I8),
            b"uchar" | b"uint8" => Some(Self::U8),
            b"short" | b"int16" => Some(Self::I16),
            b"ushort" | b"uint16" => Some(Self::U16),
            b"int" | b"int32" => Some(Self::I32),
            b"uint" | b"uint32" => Some(Self::U32),
            b"float" | b"float32" => Some(Self::F32),
            b"double" | b"float64" => Some(Self::F64),
            _ => None,
        }
    }

    /// Bytes per value in a binary file.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

/// One value, or a list of values with their number in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PropertyLayout {
    Value(Type),
    List { count: Type, item: Type },
}

/// A column of an element.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Vec<u8>,
    pub(super) layout: PropertyLayout,
}

/// A table of rows with the same properties.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: Vec<u8>,
    pub(super) rows: u64,
    pub(super) properties: Vec<Property>,
    /// The line of the header that declares it.
    pub(super) line: usize,
}

/// A header, with its end.
#[derive(Debug)]
pub(super) struct PlyHeader {
    pub(super) encoding: PlyEncoding,
    pub(super) elements: Vec<Element>,
    /// The line of the first row, if the rows are text.
    pub(super) first_line: usize,
}

/// Whether the rows of a PLY file are text.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    parse(bytes, Path::new("")).is_ok_and(|(header, _)| header.encoding == PlyEncoding::Text)
}

impl PlyHeader {
    /// The unit of positions in the rows.
    pub(super) fn unit(&self) -> LocationUnit {
        if self.encoding == PlyEncoding::Text { LocationUnit::Line } else { LocationUnit::Byte }
    }
}

/// Reads the header; returns it with the bytes after it.
pub(super) fn parse<'a>(bytes: &'a [u8], path: &Path) -> Result<(PlyHeader, &'a [u8])> {
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    let mut rest = bytes;
    let mut at = 0;
    // In a file whose lines end in \r alone, a binary row may start with \n, so the first line determines the line
    // ends.
    let old_mac = bytes.starts_with(b"ply\r") && !bytes.starts_with(b"ply\r\n");
    let end_of_line = if old_mac { b'\r' } else { b'\n' };
    loop {
        at += 1;
        let end = rest.iter().position(|&b| b == end_of_line).unwrap_or(rest.len());
        let line = &rest[..end];
        if at > 1 && rest.is_empty() {
            return Err(Error::line(path, at - 1, "the file ends within the header: expected end_header"));
        }
        rest = rest.get(end + 1..).unwrap_or_default();
        let words: Vec<&[u8]> = words(line).collect();
        if at == 1 {
            if words != [b"ply"] {
                return Err(Error::line(path, 1, "found a file of another kind: expected ply"));
            }
            continue;
        }
        match words.as_slice() {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", name, version] => encoding = Some(format(name, version, path, at)?),
            [b"element", name, rows] => {
                let rows =
                    std::str::from_utf8(rows).ok().and_then(|rows| rows.parse().ok()).ok_or_else(|| {
                        Error::line(
                            path,
                            at,
                            format!("number of rows {} is not a whole number of 0 or more", quoted(rows)),
                        )
                    })?;
                if elements.iter().any(|element| element.name == *name) {
                    return Err(Error::line(path, at, format!("element {} is declared twice", quoted(name))));
                }
                elements.push(Element { name: name.to_vec(), rows, properties: Vec::new(), line: at });
            }
            [b"property", layout @ .., name] => {
                let layout = self::layout(layout, path, at)?;
                let Some(element) = elements.last_mut() else {
                    return Err(Error::line(path, at, "a property before the first element"));
                };
                element.properties.push(Property { name: name.to_vec(), layout });
            }
            [b"end_header"] => break,
            _ => {
                let message =
                    format!("found {}: expected format, element, property or end_header", quoted(line));
                return Err(Error::line(path, at, message));
            }
        }
    }
    let Some(encoding) = encoding else {
        return Err(Error::line(path, at, "the header has no format: expected ascii or binary"));
    };
    Ok((PlyHeader { encoding, elements, first_line: at + 1 }, rest))
}

fn format(name: &[u8], version: &[u8], path: &Path, at: usize) -> Result<PlyEncoding> {
    if version != b"1.0" {
        return Err(Error::line(path, at, format!("found version {}: expected 1.0", quoted(version))));
    }
    match name {
        b"ascii" => Ok(PlyEncoding::Text),
        b"binary_little_endian" => Ok(PlyEncoding::LittleEndian),
        b"binary_big_endian" => Ok(PlyEncoding::BigEndian),
        _ => {
            let expected = "expected ascii, binary_little_endian or binary_big_endian";
            Err(Error::line(path, at, format!("found format {}: {expected}", quoted(name))))
        }
    }
}

fn layout(words: &[&[u8]], path: &Path, at: usize) -> Result<PropertyLayout> {
    let value = |name: &[u8]| {
        Type::from_name(name).ok_or_else(|| {
            Error::line(
                path,
                at,
                format!("found type {}: expected one such as uchar, int, float or double", quoted(name)),
            )
        })
    };
    match words {
        [name] => Ok(PropertyLayout::Value(value(name)?)),
        [b"list", count, item] => {
            let (count_type, item) = (value(count)?, value(item)?);
            if count_type.is_float() {
                let message =
                    format!("lists are counted in {}: expected a type of whole numbers", quoted(count));
                return Err(Error::line(path, at, message));
            }
            Ok(PropertyLayout::List { count: count_type, item })
        }
        _ => Err(Error::line(
            path,
            at,
            "a property of a wrong form: expected a type and a name, or list, two types and a name",
        )),
    }
}

/// The lines of the rows, in a text file.
pub(super) fn lines<'a>(header: &PlyHeader, rows: &'a [u8]) -> TextLines<'a> {
    TextLines::starting_at(rows, header.first_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_and_line_ends() {
        let text = "ply\nformat binary_big_endian 1.0\ncomment a b\nobj_info c\n\nelement vertex 3 \n\
                    property float32 x\nelement face 1\nproperty list uint8 int vertex_index\nend_header\n";
        for ends in ["\n", "\r\n", "\r"] {
            let bytes = [text.replace('\n', ends).as_bytes(), b"\n\x01"].concat();
            let (header, rest) = parse(&bytes, Path::new("part.ply")).unwrap();
            assert_eq!(
                (header.encoding, header.first_line, rest),
                (PlyEncoding::BigEndian, 11, &b"\n\x01"[..])
            );
            assert_eq!(header.elements[0].rows, 3);
            assert_eq!(header.elements[0].properties[0].layout, PropertyLayout::Value(Type::F32));
            assert_eq!(
                header.elements[1].properties[0].layout,
                PropertyLayout::List { count: Type::U8, item: Type::I32 }
            );
        }
    }

    #[test]
    fn errors_have_location_and_reason() {
        let cases = [
            ("plain", ":1: found a file of another kind: expected ply"),
            ("ply\nformat ascii 1.0", ":2: the file ends within the header: expected end_header"),
            ("ply\nformat ascii 2.0\n", ":2: found version `2.0`: expected 1.0"),
            (
                "ply\nformat text 1.0\n",
                ":2: found format `text`: expected ascii, binary_little_endian or binary_big_endian",
            ),
            ("ply\nend_header\n", ":2: the header has no format: expected ascii or binary"),
            ("ply\nelement vertex -1\n", ":2: number of rows `-1` is not a whole number of 0 or more"),
            ("ply\nelement a 1\nelement a 1\n", ":3: element `a` is declared twice"),
            ("ply\nproperty float x\n", ":2: a property before the first element"),
            (
                "ply\nelement a 1\nproperty half x\n",
                ":3: found type `half`: expected one such as uchar, int, float or double",
            ),
            (
                "ply\nelement a 1\nproperty list float int x\n",
                ":3: lists are counted in `float`: expected a type of whole numbers",
            ),
            (
                "ply\nelement a 1\nproperty list int x\n",
                ":3: a property of a wrong form: expected a type and a name, or list, two types and a name",
            ),
            ("ply\nvertex 3\n", ":2: found `vertex 3`: expected format, element, property or end_header"),
        ];
        for (text, message) in cases {
            let found = parse(text.as_bytes(), Path::new("part.ply")).unwrap_err().to_string();
            assert_eq!(found, format!("part.ply{message}"));
        }
    }
}
