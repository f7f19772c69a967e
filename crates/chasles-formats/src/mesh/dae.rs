//! COLLADA: the triangles and polygons in the scene of a `.dae` file.
//!
//! Lengths are in metres, converted from the unit that the file states. The file's up axis is ignored, as in the
//! usual robot tools: only the nodes of the scene rotate coordinates. Each instance of a geometry has its own
//! vertices, in the order of the scene: all positions of its source, unused ones included.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use glam::{DAffine3, DMat3, DVec3};
use roxmltree::{Document, Node, NodeId};

use super::MeshFile;
use super::soup::{LocationUnit, Soup};
use crate::error::{Error, Result};
use crate::text::similar::nearest;
use crate::text::tree::quoted;
use crate::text::xml::{XmlText, children, elements, tag};

mod numbers;
mod geometry;

use self::geometry::DaeGeometry;
use self::numbers::{finite, numbers};

/// Elements of nodes that contain a transform or an instance.
const IN_NODES: [&str; 9] = [
    "matrix", "translate", "rotate", "scale", "lookat", "instance_geometry", "instance_controller",
    "instance_node", "node",
];

/// Maximum depth of node references; a deeper chain is treated as a cycle.
const DEPTH: usize = 64;
/// Maximum number of elements of nodes, counted at each use.
const ELEMENTS: usize = 4_000_000;
/// Maximum number of vertices and corners of all instances: 2 GB of memory.
const CORNERS: usize = 50_000_000;

/// Whether the bytes begin like a COLLADA file.
pub(super) fn is_collada(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1024)];
    head.windows(8).any(|window| window == b"<COLLADA")
}

/// Reads the scene of the file; without a scene, all geometries in their own frames.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<MeshFile> {
    let text = XmlText::new(bytes.to_vec(), path)?;
    let document = text.document()?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        let message = format!("found {}, expected <COLLADA>", tag(root));
        return Err(Error::line(path, text.line_of(root), message));
    }
    let reader = DaeReader {
        text: &text,
        ids: Ids::of(&document),
        soup: Soup::new(path, LocationUnit::Line),
        geometries: HashMap::new(),
        elements: 0,
    };
    reader.read(root)
}

struct DaeReader<'a, 'i> {
    text: &'a XmlText<'a>,
    ids: Ids<'a, 'i>,
    soup: Soup<'a>,
    /// The geometries that have been read.
    geometries: HashMap<NodeId, Rc<DaeGeometry>>,
    /// The number of elements visited.
    elements: usize,
}

/// A node to be processed.
struct Shown<'a, 'i> {
    node: Node<'a, 'i>,
    /// The map from the frame of its parent to metres in the frame of the file.
    outer: DAffine3,
    /// Number of references on the path to it.
    depth: usize,
}

impl<'a, 'i> DaeReader<'a, 'i> {
    fn read(mut self, root: Node<'a, 'i>) -> Result<MeshFile> {
        let unit = self.unit(root)?;
        let animations = children(root, "library_animations").flat_map(|library| library.descendants());
        if let Some(channel) = animations.into_iter().find(|node| node.tag_name().name() == "channel") {
            let line = self.text.line_of(channel);
            self.soup.note(line, "animations are ignored: a mesh has the pose of its nodes");
        }
        match self.scene(root)? {
            Some(scene) => self.show_all(scene, unit)?,
            None => {
                let libraries = children(root, "library_geometries");
                for geometry in libraries.flat_map(|library| children(library, "geometry")) {
                    let line = self.text.line_of(geometry);
                    self.soup.note(line, "there is no scene: geometries have their own coordinates");
                    self.show_geometry(geometry, unit)?;
                }
            }
        }
        Ok(MeshFile { in_metres: true, ..self.soup.finish() })
    }

    /// The scaling from the unit of the file to metres.
    fn unit(&mut self, root: Node<'a, 'i>) -> Result<DAffine3> {
        let Some(asset) = children(root, "asset").next() else { return Ok(DAffine3::IDENTITY) };
        if let Some(up) = children(asset, "up_axis").next() {
            let axis = up.text().unwrap_or_default().trim();
            if axis != "Z_UP" {
                let line = self.text.line_of(up);
                self.soup
                    .note(line, &format!("up_axis {} is ignored: the mesh is not rotated", quoted(axis)));
            }
        }
        let stated = children(asset, "unit").find_map(|unit| Some((unit, unit.attribute("meter")?)));
        let Some((unit, meter)) = stated else { return Ok(DAffine3::IDENTITY) };
        match finite(meter) {
            Some(scale) if scale > 0.0 => Ok(DAffine3::from_scale(DVec3::splat(scale))),
            _ => {
                let found = format!("unit: meter {}: expected a number greater than 0", quoted(meter));
                Err(self.error(unit, found))
            }
        }
    }

    /// The scene that the file selects.
    fn scene(&self, root: Node<'a, 'i>) -> Result<Option<Node<'a, 'i>>> {
        let mut instances =
            children(root, "scene").flat_map(|scene| children(scene, "instance_visual_scene"));
        if let Some(instance) = instances.next() {
            return self.target(instance, "visual_scene").map(Some);
        }
        let mut scenes =
            children(root, "library_visual_scenes").flat_map(|library| children(library, "visual_scene"));
        match (scenes.next(), scenes.next()) {
            (scene, None) => Ok(scene),
            (_, Some(second)) => {
                Err(self.error(second, "a second scene, and no <scene> that says which is shown"))
            }
        }
    }

    /// The target of an instance.
    fn target(&self, instance: Node<'a, 'i>, kind: &'static str) -> Result<Node<'a, 'i>> {
        let Some(url) = instance.attribute("url") else {
            return Err(self.error(instance, format!("{} without url", tag(instance))));
        };
        let Some(id) = url.strip_prefix('#') else {
            let found = format!("{}: url {}: expected # and an id of this file", tag(instance), quoted(url));
            return Err(self.error(instance, found));
        };
        match self.ids.0.get(&(kind, id)) {
            Some(Some(node)) => Ok(*node),
            Some(None) => Err(self.error(instance, format!("there are several <{kind}> {}", quoted(id)))),
            None => Err(self.error(instance, format!("there is no <{kind}> {}", quoted(id)))),
        }
    }

    /// Processes the nodes of a scene, children before siblings.
    fn show_all(&mut self, scene: Node<'a, 'i>, unit: DAffine3) -> Result<()> {
        let shown = |node| Shown { node, outer: unit, depth: 0 };
        let mut waiting: Vec<_> = children(scene, "node").map(shown).collect();
        waiting.reverse();
        while let Some(Shown { node, outer, depth }) = waiting.pop() {
            let mut pose = outer;
            let first = waiting.len();
            for child in elements(node) {
                self.elements += 1;
                if self.elements > ELEMENTS {
                    return Err(
                        self.error(child, format!("more than {ELEMENTS} elements of nodes are shown"))
                    );
                }
                match child.tag_name().name() {
                    "matrix" | "translate" | "rotate" | "scale" => pose *= self.transform(child)?,
                    "lookat" | "skew" => {
                        return Err(self.error(child, format!("{} is not supported", tag(child))));
                    }
                    "instance_controller" => {
                        return Err(self.error(child, "a mesh that is bent (skin or morph) is not supported"));
                    }
                    "instance_geometry" => {
                        let geometry = self.target(child, "geometry")?;
                        self.show_geometry(geometry, pose)?;
                    }
                    "node" => waiting.push(Shown { node: child, outer: pose, depth }),
                    "instance_node" if depth < DEPTH => {
                        let node = self.target(child, "node")?;
                        waiting.push(Shown { node, outer: pose, depth: depth + 1 });
                    }
                    "instance_node" => {
                        let found = format!("nodes are shown within each other {DEPTH} times: in a cycle?");
                        return Err(self.error(child, found));
                    }
                    "asset" | "extra" | "instance_camera" | "instance_light" | "instance_formula" => {}
                    name => {
                        if let Some(hint_name) = nearest(name, IN_NODES.into_iter()) {
                            let found = format!("found {}: did you mean <{hint_name}>?", tag(child));
                            return Err(self.error(child, found));
                        }
                    }
                }
            }
            waiting[first..].reverse();
        }
        Ok(())
    }

    /// A transform of a node; it applies to the content before the transforms already collected.
    fn transform(&self, element: Node<'a, 'i>) -> Result<DAffine3> {
        Ok(match element.tag_name().name() {
            "translate" => DAffine3::from_translation(DVec3::from_array(numbers(self.text, element)?)),
            "scale" => DAffine3::from_scale(DVec3::from_array(numbers(self.text, element)?)),
            "rotate" => {
                let [x, y, z, degrees] = numbers(self.text, element)?;
                let largest = DVec3::new(x, y, z).abs().max_element();
                if largest == 0.0 && degrees != 0.0 {
                    return Err(self.error(element, "rotate: an axis of length 0"));
                }
                let axis = (DVec3::new(x, y, z) / largest).normalize_or(DVec3::X);
                DAffine3::from_axis_angle(axis, degrees.to_radians())
            }
            _ => {
                let m: [f64; 16] = numbers(self.text, element)?;
                if m[12..] != [0.0, 0.0, 0.0, 1.0] {
                    return Err(
                        self.error(element, format!("matrix: last row {:?}: expected 0 0 0 1", &m[12..]))
                    );
                }
                let column = |i: usize| DVec3::new(m[i], m[4 + i], m[8 + i]);
                let matrix3 = DMat3::from_cols(column(0), column(1), column(2));
                DAffine3 { matrix3, translation: column(3) }
            }
        })
    }

    /// Adds a geometry with this pose; a reflection reverses its faces.
    fn show_geometry(&mut self, geometry: Node<'a, 'i>, pose: DAffine3) -> Result<()> {
        let read = match self.geometries.get(&geometry.id()) {
            Some(read) => Rc::clone(read),
            None => {
                let read = Rc::new(DaeGeometry::read(self.text, &mut self.soup, geometry)?);
                self.geometries.insert(geometry.id(), Rc::clone(&read));
                read
            }
        };
        let line = self.text.line_of(geometry);
        let first = self.soup.next_vertex_index(line)?;
        for point in &read.positions {
            self.soup.vertex(line, pose.transform_point3(*point))?;
        }
        self.soup.next_vertex_index(line)?;
        let mirrored = pose.matrix3.determinant() < 0.0;
        let mut start = 0;
        for face in &read.faces {
            let corners = &read.corners[start..face.end];
            start = face.end;
            for i in 0..corners.len() {
                // The first corner stays first.
                let i = if mirrored { (corners.len() - i) % corners.len() } else { i };
                self.soup.corner(face.line, first + corners[i])?;
            }
            self.soup.end_face(face.line);
        }
        if self.soup.vertices.len() + self.soup.corners() > CORNERS {
            return Err(self.error(geometry, format!("more than {CORNERS} vertices and corners are shown")));
        }
        Ok(())
    }

    #[cold]
    fn error(&self, node: Node<'_, '_>, message: impl Into<String>) -> Error {
        Error::line(self.text.path(), self.text.line_of(node), message)
    }
}

/// Elements by kind and id; `None` if several elements have the id.
struct Ids<'a, 'i>(HashMap<(&'static str, &'a str), Option<Node<'a, 'i>>>);

impl<'a, 'i> Ids<'a, 'i> {
    fn of(document: &'a Document<'i>) -> Self {
        let mut ids = HashMap::new();
        for node in document.descendants().filter(Node::is_element) {
            let kinds = ["geometry", "node", "visual_scene"];
            let kind = kinds.into_iter().find(|kind| *kind == node.tag_name().name());
            if let (Some(kind), Some(id)) = (kind, node.attribute("id")) {
                ids.entry((kind, id)).and_modify(|known| *known = None).or_insert(Some(node));
            }
        }
        Self(ids)
    }
}
