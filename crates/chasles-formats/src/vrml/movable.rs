//! A world as a robot: the columns of a path move its named transforms as joints.
//!
//! A column `ARM.rotation` rotates the transform with the `DEF` name ARM about the axis in the file, in radians.
//! `ARM.translation.x`, `.y` and `.z` move it, in the units of its parent. If one column moves several transforms
//! (by `USE`), or a scale above changes the lengths of its values, further joints follow the first.

use std::collections::BTreeMap;

use chasles::{
    AdjacentLinks, CollisionShape, Joint, JointAxis, Link, LinkElement, Mimic, Pose, RobotDefinition,
};
use glam::{DMat3, DVec3};

use super::bodies::VrmlShapes;
use super::rotation::quaternion;
use super::tree::{MovingField, Transform};
use super::world::World;
use crate::error::{Error, Result};
use crate::gltf::frames::CarrierMap;
use crate::gltf::names::NameAllocator;
use crate::scene::appearance::{Appearance, ColourRange, UpAxis};
use crate::text::tree::quoted;

/// A world whose named transforms are joints.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldRobot {
    /// Its links: the world, one for each shape, and frames without shapes between them. Its joints: fixed joints,
    /// one joint with the name of each column, and the joints that follow those.
    pub definition: RobotDefinition,
    /// The colours of its links.
    pub appearance: Appearance,
    /// Warnings, one sentence each with its place.
    pub warnings: Vec<String>,
}

/// The target of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Moved {
    handle: usize,
    /// 0 for x, 1 for y, 2 for z; 0 for a rotation.
    axis: usize,
}

/// A joint that a column moves.
#[derive(Debug, Clone, Copy)]
struct Drive {
    joint: usize,
    /// The factor applied to the values of the column.
    factor: f64,
    /// The value in the file.
    rest: f64,
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// All columns that could move a transform, in the order of the file.
pub(super) fn columns(world: &World) -> Vec<String> {
    let handles = &world.tree.handles;
    let mut times_used = BTreeMap::new();
    for handle in handles {
        *times_used.entry((&handle.name, handle.part)).or_insert(0) += 1;
    }
    let mut columns = Vec::new();
    for handle in handles {
        let is_one = times_used[&(&handle.name, handle.part)] == 1;
        let name = if is_one { &*handle.name } else { &*handle.path };
        match handle.part {
            MovingField::Translation => columns.extend(AXES.map(|axis| format!("{name}.translation.{axis}"))),
            MovingField::Rotation => columns.push(format!("{name}.rotation")),
        }
    }
    columns
}

/// Builds the robot whose joints are these columns.
pub(super) fn robot(world: &World, columns: &[String]) -> Result<WorldRobot> {
    let World { graph, tree, path, .. } = world;
    let mut moved = BTreeMap::new();
    for (number, column) in columns.iter().enumerate() {
        if let Some(other) = moved.insert(look_up(world, column)?, number) {
            let [first, second] = [quoted(&columns[other]), quoted(column)];
            return Err(Error::file(
                path,
                format!("the columns {first} and {second} move the same, expected one"),
            ));
        }
    }
    let mut names = NameAllocator::default();
    tree.shapes.iter().for_each(|shape| drop(names.unique(shape.name.clone())));
    let drives = vec![Vec::new(); columns.len()];
    let mut building = Building {
        world,
        moved,
        drives,
        names,
        links: vec![],
        joints: vec![],
        rests: vec![],
        carriers: vec![],
    };
    building.ancestor("world");
    for (number, transform) in tree.transforms.iter().enumerate() {
        let ancestor = building.transform(number, transform)?;
        building.carriers.push(ancestor);
    }
    let mut shapes = VrmlShapes::new(graph, tree);
    let mut colours = Vec::new();
    for shape in &tree.shapes {
        let rest = shape.transform.map_or(CarrierMap::WORLD, |transform| building.rests[transform]);
        let ancestor = building.link_of(rest.ancestor);
        let (made, origin) = shapes.of(shape, &rest)?;
        let triangles = made.as_ref().map_or(0, |made| made.drawn().triangles().len());
        let colour_runs = shape.colour.map(|colour| ColourRange { triangles, colour }).into_iter().collect();
        // Links without a shape have no colours.
        colours.resize(building.links.len(), Vec::new());
        colours.push(colour_runs);
        let element =
            |shape: CollisionShape| LinkElement { solid: shape.is_closed(), shape, pose: Pose::IDENTITY };
        let elements = made.map(element).into_iter().collect();
        building.links.push(Link { name: shape.name.clone(), elements });
        building.join(ancestor, origin, None);
    }
    for (column, name) in columns.iter().enumerate() {
        building.drive(column, name);
    }
    let mut warnings = tree.warnings.list();
    warnings.extend(shapes.warnings());
    let name = path.file_stem().map_or_else(|| "world".into(), |stem| stem.to_string_lossy().into_owned());
    let Building { links, joints, .. } = building;
    let definition =
        RobotDefinition { name, links, joints, disabled: vec![], adjacent: AdjacentLinks::Tested };
    Ok(WorldRobot { definition, appearance: Appearance { up: UpAxis::Y, colours }, warnings })
}

/// Finds the target of a column.
fn look_up(world: &World, column: &str) -> Result<Moved> {
    let fault = |message: String| Error::file(&world.path, message);
    let found = AXES.iter().enumerate().find_map(|(axis, name)| {
        let named = column.strip_suffix(name)?.strip_suffix(".translation.")?;
        Some((named, MovingField::Translation, axis))
    });
    let found = found.or_else(|| Some((column.strip_suffix(".rotation")?, MovingField::Rotation, 0)));
    let Some((name, part, axis)) = found else {
        let expected = "<DEF>.rotation, or <DEF>.translation.x, .y or .z";
        return Err(fault(format!(
            "found the column {}, expected {expected}{}",
            quoted(column),
            like(world, column)
        )));
    };
    let handles = || world.tree.handles.iter().enumerate().filter(|(_, handle)| handle.part == part);
    let named: Vec<_> = handles().filter(|(_, handle)| *handle.name == *name).collect();
    // If several transforms have the name, the path identifies one.
    let named =
        if named.len() == 1 { named } else { handles().filter(|(_, handle)| handle.path == name).collect() };
    match named[..] {
        [(handle, _)] => Ok(Moved { handle, axis }),
        [] => {
            let same: Vec<_> =
                handles().filter(|(_, handle)| *handle.name == *name).map(|(_, h)| quoted(&h.path)).collect();
            let message = match same.len() {
                0 => format!(
                    "found the column {}, expected a Transform that DEF names{}",
                    quoted(column),
                    like(world, column)
                ),
                count => {
                    let first = same[..count.min(3)].join(", ");
                    format!(
                        "found the column {}, which {count} Transforms are named: expected a path such as {first}",
                        quoted(column)
                    )
                }
            };
            Err(fault(message))
        }
        _ => Err(fault(format!(
            "found the column {}, which {} Transforms are named",
            quoted(column),
            named.len()
        ))),
    }
}

/// A suggestion of a column with a similar name.
fn like(world: &World, column: &str) -> String {
    let columns = columns(world);
    let similarities = columns.iter().take(10_000).map(|known| (strsim::jaro_winkler(known, column), known));
    let best = similarities
        .fold((0.8, None), |best, (score, known)| if score > best.0 { (score, Some(known)) } else { best });
    best.1.map_or(String::new(), |known| format!("; did you mean {}?", quoted(known)))
}

struct Building<'a> {
    world: &'a World,
    moved: BTreeMap<Moved, usize>,
    /// For each column, the joints that it moves.
    drives: Vec<Vec<Drive>>,
    /// The names of links.
    names: NameAllocator,
    links: Vec<Link>,
    joints: Vec<Joint>,
    /// For each transform, the map to the moving transform that carries it.
    rests: Vec<CarrierMap>,
    /// The link of each moving transform.
    carriers: Vec<Option<usize>>,
}

impl Building<'_> {
    /// Adds a link without a shape.
    fn ancestor(&mut self, name: &str) {
        let name = self.names.unique(name.into());
        self.links.push(Link { name, elements: vec![] });
    }

    /// Joins the last link to another.
    fn join(&mut self, parent: usize, origin: Pose, axis: Option<JointAxis>) {
        let child = self.links.len() - 1;
        let name = format!("joint of {}", self.links[child].name);
        self.joints.push(Joint { origin, ..Joint::new(name, [parent, child], axis) });
    }

    /// The link of a moving transform, or the world.
    fn link_of(&self, transform: Option<usize>) -> usize {
        transform.and_then(|transform| self.carriers[transform]).unwrap_or(0)
    }

    /// Adds the joints of a transform; returns its link if it moves.
    fn transform(&mut self, number: usize, transform: &Transform) -> Result<Option<usize>> {
        let above = transform.parent.map_or(CarrierMap::WORLD, |parent| self.rests[parent]);
        let moved = &self.moved;
        let column = |part: MovingField, axis: usize| {
            let handle = transform.handles[usize::from(part == MovingField::Rotation)]?;
            moved.get(&Moved { handle, axis }).copied()
        };
        let slides: Vec<(usize, usize)> =
            (0..3).filter_map(|axis| Some((axis, column(MovingField::Translation, axis)?))).collect();
        let rotation_columns = column(MovingField::Rotation, 0);
        if slides.is_empty() && rotation_columns.is_none() {
            self.rests.push(above.below(transform));
            return Ok(None);
        }
        let graph = &self.world.graph;
        let complain = |error: chasles::Error| graph.error(transform.instance, error.to_string());
        let mut parent = self.link_of(above.ancestor);
        let mut rest_of_translation = transform.translation;
        slides.iter().for_each(|(axis, _)| rest_of_translation[*axis] = 0.0);
        let mut origin =
            Pose::from_position(above.point(rest_of_translation + transform.center)).map_err(complain)?;
        let name = graph.def(transform.instance).map_or("transform", |name| &**name);
        for (axis, column) in slides {
            let along = above.linear.col(axis);
            let factor = along.length();
            if !(factor > 0.0 && factor.is_finite()) {
                return Err(graph.error(
                    transform.instance,
                    "found a scale in a node above that makes motion impossible",
                ));
            }
            self.ancestor(name);
            let direction = (above.rotation * (along / factor)).normalize();
            self.join(parent, origin, Some(JointAxis::Prismatic(direction)));
            let rest = transform.translation[axis];
            self.drives[column].push(Drive { joint: self.joints.len() - 1, factor, rest });
            (parent, origin) = (self.links.len() - 1, Pose::IDENTITY);
        }
        let (rotation, linear) = match rotation_columns {
            None => above.rotated(quaternion(transform.rotation)),
            Some(column) => {
                let (rotation_part, factor) = above.rotation_and_factor().map_err(|_| {
                    let message = "it is turned below a scale that differs with the direction: the shapes below it would change";
                    graph.error(transform.instance, message)
                })?;
                let (axis, rest) = transform.rotation;
                self.ancestor(name);
                self.join(parent, origin, Some(JointAxis::Revolute((rotation_part * axis).normalize())));
                self.drives[column].push(Drive { joint: self.joints.len() - 1, factor: 1.0, rest });
                (rotation_part, DMat3::from_diagonal(DVec3::splat(factor)))
            }
        };
        self.rests.push(CarrierMap::inside(number, transform, rotation, linear));
        Ok(Some(self.links.len() - 1))
    }

    /// Names the joint that a column moves; the other joints of the column follow it.
    fn drive(&mut self, column: usize, name: &str) {
        let drives = std::mem::take(&mut self.drives[column]);
        let Some(first) = drives.first().copied() else { return };
        let leader = match drives.iter().find(|drive| drive.factor == 1.0) {
            Some(drive) => drive.joint,
            // A joint that moves no shape takes the values with factor 1.
            None => {
                self.ancestor(name);
                self.join(0, Pose::IDENTITY, self.joints[first.joint].axis);
                self.joints.len() - 1
            }
        };
        self.joints[leader].name = name.into();
        self.joints[leader].rest = first.rest;
        for (number, drive) in drives.iter().filter(|drive| drive.joint != leader).enumerate() {
            let joint = &mut self.joints[drive.joint];
            joint.name = format!("{name} #{}", number + 2);
            joint.rest = drive.factor * drive.rest;
            joint.mimic = Some(Mimic { joint: leader, multiplier: drive.factor, offset: 0.0 });
        }
    }
}
