//! The content of a robot's file: links, joints, and collision geometry.

use std::path::Path;

use chasles::{JointAxis, Pose, Primitive};
use glam::DVec3;
use roxmltree::Node;

use super::colours::Materials;
use super::fields::{self, XmlField};
use crate::error::{Error, Result, Warnings};
use crate::limits;
use crate::robot::xacro;
use crate::text::similar::nearest;
use crate::text::tree::quoted;
use crate::text::xml::{XmlText, children, elements, tag};

/// The content of a file.
#[derive(Debug)]
pub(super) struct UrdfDocument {
    pub(super) name: String,
    pub(super) links: Vec<LinkEntry>,
    pub(super) joints: Vec<UrdfJoint>,
}

/// A link.
#[derive(Debug)]
pub(super) struct LinkEntry {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) surfaces: Vec<UrdfSurface>,
}

/// A part of the surface of a link.
#[derive(Debug)]
pub(super) struct UrdfSurface {
    /// The place in the file and its line, for messages.
    pub(super) key: String,
    pub(super) line: usize,
    /// The pose in the frame of the link.
    pub(super) pose: Pose,
    pub(super) geometry: UrdfGeometry,
    /// The colour of the material, if there is one.
    pub(super) colour: Option<[u8; 3]>,
}

/// The shape of a part.
#[derive(Debug)]
pub(super) enum UrdfGeometry {
    /// A primitive with sizes greater than 0.
    Primitive(Primitive),
    /// A file name as in the file, and nonzero factors.
    Mesh { name: String, scale: DVec3 },
}

/// A joint.
#[derive(Debug)]
pub(super) struct UrdfJoint {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) parent: NameRef,
    pub(super) child: NameRef,
    pub(super) origin: Pose,
    pub(super) axis: Option<JointAxis>,
    pub(super) limits: Option<[f64; 2]>,
    pub(super) velocity: Option<f64>,
    pub(super) mimic: Option<MimicEntry>,
    /// The kind of a joint with several coordinates, which has no axis.
    pub(super) free: Option<FreeKind>,
}

/// A joint with several coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) enum FreeKind {
    /// Motion in the plane normal to this unit vector.
    Planar(DVec3),
    /// Unrestricted motion.
    Floating,
}

/// A reference by name, and its line.
#[derive(Debug)]
pub(super) struct NameRef {
    pub(super) name: String,
    pub(super) line: usize,
}

/// A joint that follows another.
#[derive(Debug)]
pub(super) struct MimicEntry {
    pub(super) joint: NameRef,
    pub(super) multiplier: f64,
    pub(super) offset: f64,
}

/// How to treat links with visual geometry and without collision geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawn {
    /// A warning names such links.
    Named,
    /// The visual geometry is the collision geometry of such links.
    Taken,
}

/// The type of a joint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UrdfJointType {
    Fixed,
    Revolute,
    Continuous,
    Prismatic,
    Planar,
    Floating,
}

/// Limits between these values, in radians, look like degrees: from just over two revolutions to two revolutions in
/// degrees.
const DEGREES: [f64; 2] = [12.7, 720.0];

/// The elements that are shapes.
const SHAPES: [&str; 5] = ["box", "sphere", "cylinder", "capsule", "mesh"];

/// Maximum deviation of a direction's length from 1 without a warning.
const SLACK: f64 = 1e-3;

/// Whether the first element of a file is `robot`.
pub(super) fn is_robot_start(path: &Path) -> bool {
    // A pipe is not read here, because its bytes would be missing later.
    let Ok((head, _)) = limits::head(path, 1 << 16) else { return false };
    let head = String::from_utf8_lossy(&head);
    let mut rest = head.trim_start_matches('\u{FEFF}').trim_start();
    loop {
        let end = if rest.starts_with("<?") {
            "?>"
        } else if rest.starts_with("<!--") {
            "-->"
        } else {
            break;
        };
        rest = rest.split_once(end).map_or("", |(_, after)| after.trim_start());
    }
    let after = rest.strip_prefix("<robot").and_then(|after| after.chars().next());
    after.is_some_and(|after| after.is_whitespace() || after == '>')
}

impl UrdfDocument {
    /// Reads the content of a file. Elements without effect on collisions are ignored.
    pub(super) fn read(text: &XmlText, drawn: Drawn, warnings: &mut Warnings) -> Result<Self> {
        let document = text.document()?;
        let root = document.root_element();
        let robot = XmlField::new(text, root, "robot");
        if root.tag_name().name() != "robot" {
            let message = format!("found {}, expected <robot>", tag(root));
            return Err(Error::line(text.path(), text.line_of(root), message));
        }
        xacro::refuse(text, root, "a robot")?;
        let name = match root.attribute("name") {
            Some(name) => name.to_owned(),
            None => {
                let stem = text.path().file_stem().map_or_else(String::new, |s| s.to_string_lossy().into());
                warnings.push(robot.error(format!("found no name: called {}", quoted(&stem))));
                stem
            }
        };
        robot.check_elements(&["link", "joint", "material", "transmission", "gazebo"], warnings)?;
        let materials = Materials::of(root);
        let entry = |node: Node, kind: &str| {
            let field = XmlField::new(text, node, kind);
            field.check_attributes(&["name", "type"])?;
            let name = field.name("name")?;
            Ok((name.to_owned(), format!("{kind} {}", quoted(name))))
        };
        let mut links = vec![];
        let mut unseen = vec![];
        for node in children(root, "link") {
            let (name, key) = entry(node, "link")?;
            let field = XmlField::new(text, node, key);
            let mut link = link(&field, name, warnings)?;
            if link.surfaces.is_empty() && has_geometry(node, "visual") {
                match drawn {
                    Drawn::Named => unseen.push((link.name.clone(), link.line)),
                    Drawn::Taken => link.surfaces = surfaces(&field, "visual", warnings)?,
                }
            }
            let colours = materials.of_link(node, link.surfaces.len());
            link.surfaces.iter_mut().zip(colours).for_each(|(surface, colour)| surface.colour = colour);
            links.push(link);
        }
        warnings.extend(unchecked(text.path(), &unseen));
        let mut joints = vec![];
        for node in children(root, "joint") {
            let (name, key) = entry(node, "joint")?;
            joints.push(joint(&XmlField::new(text, node, key), name, warnings)?);
        }
        if links.is_empty() {
            return Err(robot.error("found no links, expected at least one"));
        }
        Ok(Self { name, links, joints })
    }
}

fn link(field: &XmlField, name: String, warnings: &mut Warnings) -> Result<LinkEntry> {
    field.check_elements(&["collision", "visual", "inertial"], warnings)?;
    let surfaces = surfaces(field, "collision", warnings)?;
    Ok(LinkEntry { name, line: field.line(), surfaces })
}

/// Whether a link has a shape of this kind: collision or visual.
fn has_geometry(link: Node, kind: &'static str) -> bool {
    children(link, kind)
        .any(|part| children(part, "geometry").any(|geometry| elements(geometry).next().is_some()))
}

/// A warning about links that have visual geometry and no collision geometry.
fn unchecked(path: &Path, links: &[(String, usize)]) -> Option<Error> {
    /// The maximum number of links that the warning names.
    const NAMED: usize = 12;
    let (first, line) = links.first()?;
    let others = links.iter().skip(1).take(NAMED - 1).map(|(name, _)| format!(", {}", quoted(name)));
    let rest = links.len().saturating_sub(NAMED);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    let what = format!(
        "found visual geometry and no collision geometry in {}{}{rest}: the check ignores it \
         (--use-visual takes it)",
        quoted(first),
        others.collect::<String>()
    );
    Some(Error::key(path, format!("link {}", quoted(first)), *line, what))
}

/// The parts of the surface of a link, from its elements of this kind: collision or visual.
fn surfaces(field: &XmlField, kind: &'static str, warnings: &mut Warnings) -> Result<Vec<UrdfSurface>> {
    let mut surfaces = vec![];
    for (i, node) in children(field.node, kind).enumerate() {
        let collision = field.within(node, &format!("{kind} {}", i + 1));
        collision.check_elements(&["origin", "geometry", "material"], warnings)?;
        let pose = collision.origin(warnings)?;
        let mut geometries = children(node, "geometry");
        let Some(first) = geometries.next() else {
            return Err(collision.error("found no geometry, expected one"));
        };
        if let Some(second) = geometries.next() {
            return Err(collision.within(second, "geometry").error("found a second one, expected one"));
        }
        let mut shapes = elements(first);
        let Some(shape) = shapes.next() else {
            return Err(collision.error("found an empty geometry, expected a shape"));
        };
        if let Some(second) = shapes.next() {
            let found = format!("found {} beside {}, expected one shape", tag(second), tag(shape));
            return Err(collision.within(second, "geometry").error(found));
        }
        let (geometry, shape) = geometry(&collision, shape, warnings)?;
        surfaces.push(UrdfSurface { line: shape.line(), key: shape.key, pose, geometry, colour: None });
    }
    Ok(surfaces)
}

fn geometry<'a, 'i>(
    collision: &XmlField<'a, 'i>,
    node: Node<'a, 'i>,
    warnings: &mut Warnings,
) -> Result<(UrdfGeometry, XmlField<'a, 'i>)> {
    let kind = node.tag_name().name();
    let shape = collision.within(node, kind);
    let attributes: &[&str] = match kind {
        "box" => &["size"],
        "sphere" => &["radius"],
        "cylinder" | "capsule" => &["radius", "length"],
        _ => &["filename", "scale"],
    };
    shape.check_elements(&[], warnings)?;
    if let Some(origin) = children(node, "origin").next() {
        let found =
            format!("found <origin> in {}, which has no effect: expected it in <collision>", tag(node));
        return Err(shape.within(origin, "origin").error(found));
    }
    if SHAPES.contains(&kind) {
        shape.check_all_attributes(attributes, warnings)?;
    }
    let primitive = match kind {
        "box" => {
            let Some(size) = shape.numbers("size")? else {
                return Err(shape.error("found no size, expected 3 numbers"));
            };
            if let Some(bad) = size.into_iter().find(|size| *size <= 0.0) {
                return Err(shape.error(format!("size: found {bad}, expected numbers greater than 0")));
            }
            Primitive::Box { size: DVec3::from_array(size) }
        }
        "sphere" => Primitive::Sphere { radius: shape.size("radius")? },
        "cylinder" => Primitive::Cylinder { radius: shape.size("radius")?, height: shape.size("length")? },
        "capsule" => Primitive::Capsule { radius: shape.size("radius")?, height: shape.size("length")? },
        "mesh" => {
            let name = shape.name("filename")?.to_owned();
            let scale = shape.numbers("scale")?.map_or(DVec3::ONE, DVec3::from_array);
            if scale.to_array().contains(&0.0) {
                return Err(shape.error("scale: found 0, expected other numbers"));
            }
            return Ok((UrdfGeometry::Mesh { name, scale }, shape));
        }
        _ => {
            let hint = nearest(kind, SHAPES.into_iter());
            let hint = hint.map_or_else(String::new, |similar| format!("; did you mean <{similar}>?"));
            let message = format!(
                "unknown geometry {}: expected box, cylinder, sphere, capsule or mesh{hint}",
                tag(node)
            );
            return Err(collision.within(node, "geometry").error(message));
        }
    };
    Ok((UrdfGeometry::Primitive(primitive), shape))
}

fn joint(field: &XmlField, name: String, warnings: &mut Warnings) -> Result<UrdfJoint> {
    let known = ["origin", "parent", "child", "axis", "limit", "mimic", "dynamics", "calibration"];
    field.check_elements(&known, warnings)?;
    let kind = field.node.attribute("type");
    let kind = match kind {
        Some("fixed") => UrdfJointType::Fixed,
        Some("revolute") => UrdfJointType::Revolute,
        Some("continuous") => UrdfJointType::Continuous,
        Some("prismatic") => UrdfJointType::Prismatic,
        Some("planar") => UrdfJointType::Planar,
        Some("floating") => UrdfJointType::Floating,
        _ => {
            let found = kind.map_or("found no type".into(), |kind| format!("type {}", quoted(kind)));
            return Err(field.error(format!("{found}: expected fixed, revolute, continuous or prismatic")));
        }
    };
    let parent = end(field, "parent", warnings)?;
    let child = end(field, "child", warnings)?;
    let origin = field.origin(warnings)?;
    let mut joint = UrdfJoint {
        name,
        line: field.line(),
        parent,
        child,
        origin,
        axis: None,
        limits: None,
        velocity: None,
        mimic: None,
        free: None,
    };
    if kind == UrdfJointType::Fixed {
        return Ok(joint);
    }
    if kind == UrdfJointType::Floating {
        joint.free = Some(FreeKind::Floating);
        return Ok(joint);
    }
    let axis = axis(field, warnings)?;
    if kind == UrdfJointType::Planar {
        joint.free = Some(FreeKind::Planar(axis));
        return Ok(joint);
    }
    let slides = kind == UrdfJointType::Prismatic;
    joint.axis = Some(if slides { JointAxis::Prismatic(axis) } else { JointAxis::Revolute(axis) });
    match field.child("limit", warnings) {
        Some(limit) => {
            limit.check_attributes(&["lower", "upper", "velocity", "effort", "acceleration", "jerk"])?;
            joint.limits = limits(&limit, kind, warnings)?;
            joint.velocity = velocity(&limit, warnings)?;
        }
        None if kind == UrdfJointType::Continuous => {}
        None => warnings.push(field.error("found no limit, expected one: taken as without limits")),
    }
    joint.mimic = mimic(field, warnings)?;
    Ok(joint)
}

/// The parent or child link of a joint.
fn end(field: &XmlField, which: &'static str, warnings: &mut Warnings) -> Result<NameRef> {
    let Some(end) = field.child(which, warnings) else {
        return Err(field.error(format!("found no {which}, expected a link")));
    };
    end.check_attributes(&["link"])?;
    Ok(NameRef { name: end.name("link")?.to_owned(), line: end.line() })
}

/// The unit direction of a moving joint.
fn axis(field: &XmlField, warnings: &mut Warnings) -> Result<DVec3> {
    let Some(axis) = field.child("axis", warnings) else { return Ok(DVec3::X) };
    axis.check_attributes(&["xyz"])?;
    let Some(xyz) = axis.numbers("xyz")? else {
        return Err(axis.error("found no xyz, expected 3 numbers"));
    };
    let direction = DVec3::from_array(xyz);
    let largest = direction.abs().max_element();
    if largest == 0.0 {
        return Err(axis.error("found 0 0 0, expected a direction"));
    }
    let length = direction.length();
    if (length - 1.0).abs() <= 2.0 * f64::EPSILON {
        return Ok(direction);
    }
    if (length - 1.0).abs() > SLACK || length.is_nan() {
        let [x, y, z] = xyz;
        let what = format!("{x} {y} {z} is not of length 1: only its direction counts");
        warnings.push(axis.error(what));
    }
    // Scaled first, so that the squares of 1e-200 and 1e200 stay in range.
    Ok((direction / largest).normalize())
}

/// Lower and upper limit; a missing limit is 0. The limits of a continuous joint are ignored.
fn limits(limit: &XmlField, kind: UrdfJointType, warnings: &mut Warnings) -> Result<Option<[f64; 2]>> {
    let ends = [limit.numbers("lower")?, limit.numbers("upper")?];
    if kind == UrdfJointType::Continuous {
        if ends.iter().flatten().any(|[end]| *end != 0.0) {
            warnings.push(limit.error("lower and upper of a continuous joint do not count"));
        }
        return Ok(None);
    }
    let [lower, upper] = ends.map(|end| end.map_or(0.0, |[end]| end));
    if kind == UrdfJointType::Revolute
        && [lower, upper].into_iter().any(|end| fields::is_degrees(end, DEGREES))
    {
        let what = format!("{lower} to {upper} looks like degrees, and is taken as radians");
        warnings.push(limit.error(what));
    }
    if lower > upper {
        return Err(limit.error(format!("found lower {lower}, upper {upper}, expected lower <= upper")));
    }
    Ok(Some([lower, upper]))
}

/// The maximum speed; `None` if it is not greater than 0, as some programs write for an unknown speed.
fn velocity(limit: &XmlField, warnings: &mut Warnings) -> Result<Option<f64>> {
    let Some([velocity]) = limit.numbers("velocity")? else { return Ok(None) };
    if velocity > 0.0 {
        return Ok(Some(velocity));
    }
    warnings.push(limit.error(format!("velocity {velocity} is not greater than 0: it is ignored")));
    Ok(None)
}

fn mimic(field: &XmlField, warnings: &mut Warnings) -> Result<Option<MimicEntry>> {
    let Some(mimic) = field.child("mimic", warnings) else { return Ok(None) };
    mimic.check_attributes(&["joint", "multiplier", "offset"])?;
    let joint = NameRef { name: mimic.name("joint")?.to_owned(), line: mimic.line() };
    let [multiplier] = mimic.numbers("multiplier")?.unwrap_or([1.0]);
    let [offset] = mimic.numbers("offset")?.unwrap_or([0.0]);
    Ok(Some(MimicEntry { joint, multiplier, offset }))
}
