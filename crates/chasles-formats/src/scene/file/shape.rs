//! The shape of a body or of a part of a solid.
//!
//! **Units.** Numbers that are lengths are in the unit of the shape: sizes, spacings, origins, offsets, radii and
//! the poses of parts, and also the coordinates of clouds and meshes and the heights of height fields. Formulas, and
//! the bounds of their variables, are always in metres: a number such as `0.5^2` in a formula does not show its
//! unit. The values of a level set have no unit, since only their signs and ratios matter.

use std::path::Path;

use chasles::{Expression, PartShape, Primitive};
use glam::DVec3;

use super::entries::{HeightsEntry, LevelSetEntry, ParametricEntry, PartShapeEntry, PointsEntry};
use super::{PoseEntry, metres, resolve_path};
use crate::error::Result;
use crate::scene::units::LengthUnit;
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::number_text;

/// The keys of primitives.
pub(super) const PRIMITIVES: [&str; 5] = ["box", "sphere", "cylinder", "cone", "capsule"];

/// Returns the only key among `shapes` that a table has, with its value.
pub(super) fn only_shape<'b>(
    at: &'b Cursor<'b>,
    shapes: &[&'static str],
) -> Result<(&'static str, Cursor<'b>)> {
    let mut present = shapes.iter().filter_map(|&key| at.get(key).map(|value| (key, value)));
    let Some(shape) = present.next() else {
        return Err(at.error(format!("found no shape, expected one of {}", shapes.join(", "))));
    };
    match present.next() {
        None => Ok(shape),
        Some((_, second)) => {
            Err(second.error(format!("found a second shape beside `{}`, expected one", shape.0)))
        }
    }
}

/// Refuses a key that belongs to another shape than the given one.
pub(super) fn check_owner(at: &Cursor<'_>, shape: &str, key: &str, owner: &str) -> Result<()> {
    match at.get(key).filter(|_| shape != owner) {
        None => Ok(()),
        Some(value) => {
            Err(value.error(format!("found `{key}` beside `{shape}`, expected it beside `{owner}` alone")))
        }
    }
}

/// Reads the primitive under this key.
pub(super) fn primitive(key: &str, value: &Cursor<'_>, unit: LengthUnit) -> Result<Primitive> {
    match key {
        "box" => {
            let size = metres(unit, DVec3::from_array(value.numbers(Limit::Positive)?));
            Ok(Primitive::Box { size })
        }
        "sphere" => Ok(Primitive::Sphere { radius: unit.metres(value.number(Limit::Positive)?) }),
        _ => {
            value.only_keys(&["radius", "height"])?;
            let size = |key| {
                value
                    .require(key, "a finite number > 0")?
                    .number(Limit::Positive)
                    .map(|size| unit.metres(size))
            };
            let (radius, height) = (size("radius")?, size("height")?);
            Ok(match key {
                "cylinder" => Primitive::Cylinder { radius, height },
                "cone" => Primitive::Cone { radius, height },
                _ => Primitive::Capsule { radius, height },
            })
        }
    }
}

/// Reads a position and a rotation.
pub(super) fn pose(at: &Cursor<'_>, unit: LengthUnit) -> Result<PoseEntry> {
    at.only_keys(&["position", "rotation"])?;
    let mut pose = PoseEntry::IDENTITY;
    if let Some(position) = at.get("position") {
        pose.position = metres(unit, position.vector()?);
    }
    if let Some(rotation) = at.get("rotation") {
        pose.rotation = rotation.rotation()?;
    }
    Ok(pose)
}

/// Reads a formula of x, y and z under `implicit`, with the `bounds` beside it in the same table.
pub(super) fn implicit(at: &Cursor<'_>) -> Result<PartShapeEntry> {
    const EXPECTED: &str = "the minimum and the maximum corner of a box, [[x, y, z], [x, y, z]]";
    let value = at.require("implicit", "a formula")?;
    let formula = formula(&value, &["x", "y", "z"])?;
    let place = at.require("bounds", EXPECTED)?;
    let corners: Vec<_> = place.items(EXPECTED)?.collect();
    let [minimum, maximum] = corners.as_slice() else { return Err(place.expected(EXPECTED)) };
    let bounds @ [minimum, maximum] = [minimum.vector()?, maximum.vector()?];
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        if minimum[axis] >= maximum[axis] {
            let [from, to] = [minimum[axis], maximum[axis]].map(number_text);
            return Err(
                place.error(format!("found {from} to {to} along {name}, expected bounds that increase"))
            );
        }
    }
    let ranges = [0, 1, 2].map(|axis| [minimum[axis], maximum[axis]]);
    formula.check(&ranges).map_err(|error| value.error(error.to_string()))?;
    Ok(PartShapeEntry::Complete(PartShape::Formula { formula, bounds }))
}

fn formula(at: &Cursor<'_>, variables: &[&str]) -> Result<Expression> {
    let Ok(text) = at.text() else {
        return Err(at.expected(&format!("a formula of {}, as a string", variables.join(", "))));
    };
    Expression::parse(text, variables).map_err(|error| at.error(error.to_string()))
}

/// Reads a surface given by formulas of u and v.
pub(super) fn parametric(at: &Cursor<'_>) -> Result<ParametricEntry> {
    at.only_keys(&["x", "y", "z", "u", "v"])?;
    let range = |key| {
        let at = at.require(key, "a range, [from, to]")?;
        let [from, to] = at.numbers(Limit::Any)?;
        match from < to {
            true => Ok([from, to]),
            false => {
                let [from, to] = [from, to].map(number_text);
                Err(at.error(format!("found {from} to {to}, expected a range that increases")))
            }
        }
    };
    let ranges = [range("u")?, range("v")?];
    let coordinate = |key| {
        let at = at.require(key, "a formula of u and v")?;
        let formula = formula(&at, &["u", "v"])?;
        formula.check(&ranges).map_err(|error| at.error(error.to_string()))?;
        Ok(formula)
    };
    let coordinates = [coordinate("x")?, coordinate("y")?, coordinate("z")?];
    Ok(ParametricEntry { coordinates, ranges })
}

/// Reads a level set.
pub(super) fn level_set(at: &Cursor<'_>, scene: &Path, unit: LengthUnit) -> Result<LevelSetEntry> {
    at.only_keys(&["file", "spacing", "origin"])?;
    let file = at.require("file", SAMPLES)?.nonempty_text(SAMPLES)?;
    let spacing = metres(unit, DVec3::from_array(spacing(at)?));
    let origin = at.get("origin").map_or(Ok(DVec3::ZERO), |at| at.vector())?;
    Ok(LevelSetEntry { file: resolve_path(scene, file), spacing, origin: metres(unit, origin) })
}

/// Reads a height field.
pub(super) fn heights(at: &Cursor<'_>, scene: &Path, unit: LengthUnit) -> Result<HeightsEntry> {
    at.only_keys(&["file", "spacing", "origin", "bottom"])?;
    let file = at.require("file", SAMPLES)?.nonempty_text(SAMPLES)?;
    let spacing: [f64; 2] = spacing(at)?;
    let origin: [f64; 2] = at.get("origin").map_or(Ok([0.0; 2]), |at| at.numbers(Limit::Any))?;
    let bottom = at.require("bottom", "a height below every sample, a finite number")?.number(Limit::Any)?;
    let metres = |lengths: [f64; 2]| lengths.map(|length| unit.metres(length));
    Ok(HeightsEntry {
        file: resolve_path(scene, file),
        spacing: metres(spacing),
        origin: metres(origin),
        bottom: unit.metres(bottom),
    })
}

/// Description of a file of samples, for errors.
const SAMPLES: &str = "the path of an array of NumPy (.npy)";

/// Reads the spacing of a grid: a number for each axis, or one number for all axes.
fn spacing<const N: usize>(at: &Cursor<'_>) -> Result<[f64; N]> {
    let expected = format!("a finite number > 0, or a list of {N} of them");
    let spacing = at.require("spacing", &expected)?;
    match spacing.is_list() {
        true => spacing.numbers(Limit::Positive),
        false => {
            spacing.number(Limit::Positive).map(|step| [step; N]).map_err(|_| spacing.expected(&expected))
        }
    }
}

/// Reads a point cloud, with the `radius` beside it in the same table.
pub(super) fn points(at: &Cursor<'_>, scene: &Path, unit: LengthUnit) -> Result<PointsEntry> {
    const EXPECTED: &str = "the path of a file of points (.xyz, .pcd or .ply)";
    let file = at.require("points", EXPECTED)?.nonempty_text(EXPECTED)?;
    let radius = at.require("radius", "the radius of each point, a finite number >= 0")?;
    let radius = unit.metres(radius.number(Limit::NotNegative)?);
    Ok(PointsEntry { file: resolve_path(scene, file), radius })
}
