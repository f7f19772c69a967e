//! A geometry of a COLLADA file: positions, and faces between them.

use std::collections::HashMap;

use glam::DVec3;
use roxmltree::Node;

use super::numbers::{index, number};
use crate::error::{Error, Result};
use crate::mesh::soup::Soup;
use crate::text::tree::quoted;
use crate::text::xml::{XmlText, children, elements, tag, words};

/// Positions and faces, in the frame and unit of the geometry.
#[derive(Debug, Default)]
pub(super) struct DaeGeometry {
    pub(super) positions: Vec<DVec3>,
    /// The positions' numbers of all faces, face after face.
    pub(super) corners: Vec<u32>,
    pub(super) faces: Vec<DaeFace>,
}

/// A face.
#[derive(Debug)]
pub(super) struct DaeFace {
    /// The end of its corners in the list.
    pub(super) end: usize,
    /// The line on which its list starts.
    pub(super) line: usize,
}

/// Maximum number of values per corner.
const OFFSETS: usize = 1024;

impl DaeGeometry {
    /// Reads a geometry; content without a surface is ignored with a warning.
    pub(super) fn read(text: &XmlText, soup: &mut Soup, node: Node<'_, '_>) -> Result<Self> {
        let mut mesh = None;
        for child in elements(node) {
            match child.tag_name().name() {
                "mesh" if mesh.is_none() => mesh = Some(child),
                "asset" | "extra" => {}
                "spline" => soup.note(text.line_of(child), "a spline has no surface: skipped"),
                _ => return Err(error(text, child, format!("{} is not supported", tag(child)))),
            }
        }
        let mut geometry = Self::default();
        if let Some(mesh) = mesh {
            MeshElement::of(text, mesh)?.read(&mut geometry, soup)?;
        }
        Ok(geometry)
    }

    fn end_face(&mut self, line: usize) {
        self.faces.push(DaeFace { end: self.corners.len(), line });
    }
}

/// A mesh with its sources of numbers.
struct MeshElement<'a, 'i> {
    text: &'a XmlText<'a>,
    mesh: Node<'a, 'i>,
    /// The sources by id.
    sources: HashMap<&'a str, Node<'a, 'i>>,
    vertices: Option<Node<'a, 'i>>,
}

impl<'a, 'i> MeshElement<'a, 'i> {
    fn of(text: &'a XmlText<'a>, mesh: Node<'a, 'i>) -> Result<Self> {
        let mut sources = HashMap::new();
        for source in children(mesh, "source") {
            let id = source.attribute("id").unwrap_or_default();
            if sources.insert(id, source).is_some() {
                return Err(error(text, source, format!("a second <source> {}", quoted(id))));
            }
        }
        let mut vertices = children(mesh, "vertices");
        let first = vertices.next();
        if let Some(second) = vertices.next() {
            return Err(error(text, second, "a second <vertices>"));
        }
        Ok(Self { text, mesh, sources, vertices: first })
    }

    fn read(&self, geometry: &mut DaeGeometry, soup: &mut Soup) -> Result<()> {
        if let Some(vertices) = self.vertices {
            let position = children(vertices, "input").find(|i| i.attribute("semantic") == Some("POSITION"));
            let Some(input) = position else {
                return Err(error(self.text, vertices, "<vertices> without an input of POSITION"));
            };
            geometry.positions = self.positions(input)?;
        }
        for primitive in elements(self.mesh) {
            match primitive.tag_name().name() {
                "source" | "vertices" | "extra" => {}
                "lines" | "linestrips" => {
                    soup.note(self.text.line_of(primitive), "lines have no surface: skipped");
                }
                "triangles" | "tristrips" | "trifans" | "polygons" | "polylist" => {
                    self.faces(primitive, geometry)?;
                }
                _ => {
                    let found = format!("{} in a mesh is not supported", tag(primitive));
                    return Err(error(self.text, primitive, found));
                }
            }
        }
        Ok(())
    }

    /// The points of the source to which an input refers.
    fn positions(&self, input: Node<'a, 'i>) -> Result<Vec<DVec3>> {
        let text = self.text;
        let id = local(text, input, "source")?;
        let Some(&source) = self.sources.get(id) else {
            return Err(error(text, input, format!("there is no <source> {} in this mesh", quoted(id))));
        };
        let Some(array) = children(source, "float_array").next() else {
            return Err(error(text, source, "a source of positions without <float_array>"));
        };
        let accessor = children(source, "technique_common").flat_map(|common| children(common, "accessor"));
        let Some(accessor) = accessor.into_iter().next() else {
            return Err(error(text, source, "a source of positions without <accessor>"));
        };
        let of = local(text, accessor, "source")?;
        if array.attribute("id") != Some(of) {
            let found = format!("<accessor> of {}: expected the <float_array> beside it", quoted(of));
            return Err(error(text, accessor, found));
        }
        let values = words(array).map(|word| number(text, array, word)).collect::<Result<Vec<_>>>()?;
        let count = whole_number(text, accessor, "count", None)?;
        let stride = whole_number(text, accessor, "stride", Some(1))?;
        let offset = whole_number(text, accessor, "offset", Some(0))?;
        // Values without a name do not belong to the point.
        let named =
            children(accessor, "param").enumerate().filter(|(_, param)| param.attribute("name").is_some());
        let mut places: Vec<usize> = named.map(|(place, _)| place).collect();
        if children(accessor, "param").next().is_none() {
            places = vec![0, 1, 2];
        }
        let [x, y, z, ..] = places[..] else {
            let found = format!("<accessor> of {} named numbers: expected 3 of a position", places.len());
            return Err(error(text, accessor, found));
        };
        let maximum = x.max(y).max(z);
        if maximum >= stride {
            let found = format!("<accessor>: stride {stride}, expected at least {}", maximum + 1);
            return Err(error(text, accessor, found));
        }
        let end = count.checked_mul(stride).and_then(|length| length.checked_add(offset));
        if end.is_none_or(|end| end > values.len()) {
            let found = format!(
                "<accessor>: {count} positions of {stride} numbers from {offset} on: expected at most the {} of <float_array>",
                values.len()
            );
            return Err(error(text, accessor, found));
        }
        let rows = values[offset..].chunks_exact(stride).take(count);
        Ok(rows.map(|row| DVec3::new(row[x], row[y], row[z])).collect())
    }

    /// Adds the faces of a primitive.
    fn faces(&self, primitive: Node<'a, 'i>, geometry: &mut DaeGeometry) -> Result<()> {
        let text = self.text;
        let mut layout = InputLayout { stride: 1, vertex: None };
        for input in children(primitive, "input") {
            let offset = whole_number(text, input, "offset", None)?;
            if offset > OFFSETS {
                return Err(error(text, input, format!("offset {offset}: expected at most {OFFSETS}")));
            }
            layout.stride = layout.stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") && layout.vertex.is_none() {
                let id = local(text, input, "source")?;
                if self.vertices.and_then(|vertices| vertices.attribute("id")) != Some(id) {
                    return Err(error(
                        text,
                        input,
                        format!("there is no <vertices> {} in this mesh", quoted(id)),
                    ));
                }
                layout.vertex = Some(offset);
            }
        }
        if let Some(holes) = children(primitive, "ph").next() {
            return Err(error(text, holes, "a polygon with holes is not supported"));
        }
        let before = geometry.faces.len();
        let lists = children(primitive, "p").collect::<Vec<_>>();
        let kind = primitive.tag_name().name();
        if kind == "polylist" {
            self.polylist(primitive, &lists, layout, geometry)?;
        } else {
            for list in lists {
                let corners = self.corners(list, layout, geometry.positions.len())?;
                let line = text.line_of(list);
                let mut add = |face: &[u32]| {
                    geometry.corners.extend_from_slice(face);
                    geometry.end_face(line);
                };
                let three = corners.windows(3);
                match kind {
                    "triangles" if corners.len() % 3 == 0 => corners.chunks(3).for_each(add),
                    "triangles" => {
                        let found =
                            format!("<p>: {} corners: expected three for each triangle", corners.len());
                        return Err(error(text, list, found));
                    }
                    "tristrips" => three.enumerate().for_each(|(i, w)| {
                        add(&if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] });
                    }),
                    "trifans" => three.for_each(|w| add(&[corners[0], w[1], w[2]])),
                    _ => add(&corners),
                }
            }
        }
        let made = geometry.faces.len() - before;
        let strips = matches!(kind, "tristrips" | "trifans");
        let count = whole_number(text, primitive, "count", Some(made))?;
        // For strips and fans the count is the number of strips or fans.
        if count == made || strips {
            return Ok(());
        }
        Err(error(text, primitive, format!("{}: count {count}, found {made}", tag(primitive))))
    }

    /// Adds polygons whose numbers of corners are in a separate list.
    fn polylist(
        &self,
        primitive: Node<'a, 'i>,
        lists: &[Node<'a, 'i>],
        layout: InputLayout,
        geometry: &mut DaeGeometry,
    ) -> Result<()> {
        let mut corners = vec![];
        for list in lists {
            corners.append(&mut self.corners(*list, layout, geometry.positions.len())?);
        }
        let line = lists.first().map_or(0, |list| self.text.line_of(*list));
        let mut rest = &corners[..];
        for counts in children(primitive, "vcount") {
            for word in words(counts) {
                let count = index(self.text, counts, word)?;
                let Some((face, after)) = rest.split_at_checked(count) else {
                    let found =
                        format!("<vcount>: more corners than the {} of <p>: expected as many", corners.len());
                    return Err(Error::line(self.text.path(), self.text.line_of_word(word), found));
                };
                geometry.corners.extend_from_slice(face);
                geometry.end_face(line);
                rest = after;
            }
        }
        if rest.is_empty() {
            return Ok(());
        }
        let found = format!("<p>: {} corners more than <vcount> has: expected as many", rest.len());
        Err(error(self.text, primitive, found))
    }

    /// The positions' numbers in a list of indices.
    fn corners(&self, list: Node<'a, 'i>, layout: InputLayout, positions: usize) -> Result<Vec<u32>> {
        let InputLayout { stride, vertex } = layout;
        let mut corners = vec![];
        let mut count = 0;
        for word in words(list) {
            let found = index(self.text, list, word)?;
            if vertex == Some(count % stride) {
                match u32::try_from(found) {
                    Ok(corner) if found < positions => corners.push(corner),
                    _ => {
                        let expected = format!("expected a position below {positions}");
                        let message = format!("<p>: found {found}, {expected}");
                        return Err(Error::line(self.text.path(), self.text.line_of_word(word), message));
                    }
                }
            }
            count += 1;
        }
        if vertex.is_none() && count > 0 {
            return Err(error(self.text, list, "<p> without an input of VERTEX beside it"));
        }
        if count % stride != 0 {
            let found = format!("<p>: {count} numbers: expected {stride} for each corner");
            return Err(error(self.text, list, found));
        }
        Ok(corners)
    }
}

/// The layout of a corner's values in a list.
#[derive(Clone, Copy)]
struct InputLayout {
    stride: usize,
    /// The index of the position's number among them.
    vertex: Option<usize>,
}

/// The id in this file to which an attribute refers.
fn local<'a>(text: &XmlText, node: Node<'a, '_>, name: &str) -> Result<&'a str> {
    let value = node.attribute(name).unwrap_or_default();
    value.strip_prefix('#').ok_or_else(|| {
        let found = format!("{}: {name} {}: expected # and an id of this file", tag(node), quoted(value));
        error(text, node, found)
    })
}

/// An integer attribute.
fn whole_number(text: &XmlText, node: Node<'_, '_>, name: &str, unset: Option<usize>) -> Result<usize> {
    let found = match (node.attribute(name), unset) {
        (None, Some(unset)) => return Ok(unset),
        (None, None) => "nothing".to_owned(),
        (Some(value), _) => match value.trim().parse() {
            Ok(number) => return Ok(number),
            Err(_) => quoted(value),
        },
    };
    let message = format!("{}: {name}: found {found}, expected a whole number, not negative", tag(node));
    Err(error(text, node, message))
}

#[cold]
fn error(text: &XmlText, node: Node<'_, '_>, message: impl Into<String>) -> Error {
    Error::line(text.path(), text.line_of(node), message)
}
