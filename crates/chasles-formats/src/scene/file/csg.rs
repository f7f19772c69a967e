//! Constructive solid geometry: nested tables become a flat list, with each part after its operands.
//!
//! This reader recurses through the nesting of the file, which `text::tree` bounds. All later code uses the flat
//! list.

use std::path::Path;

use chasles::PartShape;

use super::entries::{PartEntry, PartShapeEntry};
use super::shape::{self, PRIMITIVES, check_owner, pose};
use super::{PoseEntry, resolve_path};
use crate::error::{Error, ErrorLocation, Result};
use crate::scene::units::LengthUnit;
use crate::text::cursor::{Cursor, Limit};

const OPERATIONS: [&str; 3] = ["union", "intersection", "difference"];

/// Shapes of a part other than operations and primitives.
const OTHERS: [&str; 5] = ["half_space", "implicit", "mesh", "level_set", "heights"];

/// Keys that a part may have beside its shape.
const BESIDE: [&str; 3] = ["bounds", "scale", "pose"];

/// Shapes of a body that cannot be part of a solid, because they have no interior.
const SURFACES: [&str; 2] = ["points", "parametric"];

/// The scene file, from which relative paths start, and the unit of lengths.
type CsgContext<'a> = (&'a Path, LengthUnit);

/// Reads the parts of the solid under `csg`; the last part is the whole solid.
pub(super) fn csg(at: &Cursor<'_>, csg_context: CsgContext<'_>) -> Result<Vec<PartEntry>> {
    at.only_keys(&OPERATIONS)?;
    let mut present = OPERATIONS.iter().filter_map(|&key| at.get(key).map(|value| (key, value)));
    let Some((key, value)) = present.next() else {
        return Err(at.error("found no operation, expected one of union, intersection, difference"));
    };
    if let Some((_, second)) = present.next() {
        return Err(second.error(format!("found a second operation beside `{key}`, expected one")));
    }
    let mut parts = Vec::new();
    let shape = operation(key, &value, csg_context, &mut parts)?;
    parts.push(entry(shape, (PoseEntry::IDENTITY, 1.0), &value));
    Ok(parts)
}

fn operation(
    key: &str,
    value: &Cursor<'_>,
    csg_context: CsgContext<'_>,
    parts: &mut Vec<PartEntry>,
) -> Result<PartShapeEntry> {
    const EXPECTED: &str = "a list of one part or more, each a table";
    let items = value.items(EXPECTED)?;
    if items.len() == 0 {
        return Err(value.error("found an empty list, expected one part or more"));
    }
    let of: Vec<usize> = items.map(|item| part(&item, csg_context, parts)).collect::<Result<_>>()?;
    Ok(PartShapeEntry::Complete(match key {
        "union" => PartShape::Union(of),
        "intersection" => PartShape::Intersection(of),
        _ => PartShape::Difference(of),
    }))
}

/// Appends a part after its operands; returns its number.
fn part(at: &Cursor<'_>, csg_context: CsgContext<'_>, parts: &mut Vec<PartEntry>) -> Result<usize> {
    let (scene, unit) = csg_context;
    if let Some(surface) = SURFACES.iter().find_map(|key| at.get(key)) {
        return Err(surface.error("found a shape without an inside, expected a part that is solid"));
    }
    let shapes = [&OPERATIONS[..], &PRIMITIVES, &OTHERS].concat();
    at.only_keys(&[&shapes[..], &BESIDE].concat())?;
    let (key, value) = shape::only_shape(at, &shapes)?;
    check_owner(at, key, "bounds", "implicit")?;
    check_owner(at, key, "scale", "mesh")?;
    let pose = at.get("pose").map_or(Ok(PoseEntry::IDENTITY), |at| pose(&at, unit))?;
    let scale = at.get("scale").map_or(Ok(1.0), |at| at.number(Limit::Positive))?;
    let shape = match key {
        _ if OPERATIONS.contains(&key) => operation(key, &value, csg_context, parts)?,
        _ if PRIMITIVES.contains(&key) => {
            PartShapeEntry::Complete(PartShape::Primitive(shape::primitive(key, &value, unit)?))
        }
        "half_space" => half_space(&value, unit)?,
        "implicit" => shape::implicit(at)?,
        "mesh" => PartShapeEntry::Mesh(resolve_path(scene, value.nonempty_text("the path of a mesh file")?)),
        "level_set" => PartShapeEntry::LevelSet(shape::level_set(&value, scene, unit)?),
        _ => PartShapeEntry::Heights(shape::heights(&value, scene, unit)?),
    };
    parts.push(entry(shape, (pose, scale), &value));
    Ok(parts.len() - 1)
}

fn half_space(at: &Cursor<'_>, unit: LengthUnit) -> Result<PartShapeEntry> {
    at.only_keys(&["normal", "offset"])?;
    let place = at.require("normal", "a direction, a list of 3 finite numbers")?;
    let normal = place.vector()?;
    // With a shorter normal, the offset could not be converted to a length in metres.
    if normal.length() < 1e-100 {
        return Err(place.error("found a normal of length zero, expected a direction"));
    }
    let offset = at.require("offset", "a finite number")?.number(Limit::Any)?;
    Ok(PartShapeEntry::Complete(PartShape::HalfSpace { normal, offset: unit.metres(offset) }))
}

/// Makes a part that errors describe as the value at this place.
pub(super) fn entry(shape: PartShapeEntry, (pose, scale): (PoseEntry, f64), at: &Cursor<'_>) -> PartEntry {
    let (path, line) = match at.place() {
        ErrorLocation::Key { path, line } => (path, line),
        _ => (String::new(), at.line()),
    };
    PartEntry { shape, pose, scale, path, line }
}

impl PartEntry {
    /// An error about this part that is found later, such as a mesh that is not closed.
    #[cold]
    pub fn error(&self, scene: &Path, message: impl Into<String>) -> Error {
        Error::key(scene, self.path.clone(), self.line, message)
    }
}
