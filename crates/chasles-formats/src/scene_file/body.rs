//! One body of a scene: its shape, pose and motion.

use std::path::Path;

use chasles::Primitive;
use glam::DVec3;

use super::{BodyEntry, Interpolation, MotionEntry, Names, PoseEntry, ShapeEntry, beside, lookup, unit};
use crate::error::{Error, Result};
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::number_text;
use crate::units::Unit;

const SHAPES: [&str; 6] = ["mesh", "box", "sphere", "cylinder", "cone", "capsule"];

const KEYS: [&str; 14] = [
    "name", "mesh", "box", "sphere", "cylinder", "cone", "capsule", "unit", "scale", "pose", "parent",
    "group", "solid", "motion",
];

/// A body as it was read.
pub(super) struct Read {
    pub(super) body: BodyEntry,
    /// Said of a pose beside keyframes.
    pub(super) idle_pose: Option<Error>,
}

/// Reads a body whose name is known to be sound.
pub(super) fn body(item: &Cursor<'_>, names: &Names<'_>, (scene, around): (&Path, Unit)) -> Result<Read> {
    let name = item.require("name", "a name")?.text()?;
    let at = item.named("body", name);
    at.only_keys(&KEYS)?;

    let unit = at.get("unit").map(|at| unit(&at)).transpose()?;
    let (shape, shape_line) = shape(&at, scene, unit.unwrap_or(around))?;
    let scale = at.get("scale").map_or(Ok(1.0), |at| at.number(Limit::Positive))?;
    // Two sound numbers whose product is not: told here, where the line is known.
    let lost = |size: &f64| !((size * scale).is_finite() && size * scale > 0.0);
    if let Some(size) = sizes(&shape).into_iter().find(lost) {
        let expected = format!("a scale with which the size {} stays finite and > 0", number_text(size));
        return Err(at.require("scale", &expected)?.expected(&expected));
    }

    let motion = at.get("motion").map(|at| motion(&at, around)).transpose()?;
    let given = at.get("pose").map(|at| pose(&at, around)).transpose()?.unwrap_or(PoseEntry::IDENTITY);
    let (pose, idle_pose) = match (at.get("pose"), &motion) {
        (Some(pose), Some(MotionEntry::Keyframes { .. })) => {
            let doubt =
                pose.error("found a pose beside keyframes, expected one of them: the keys are the poses");
            (PoseEntry::IDENTITY, Some(doubt))
        }
        _ => (given, None),
    };
    let parent = at.get("parent").map(|at| lookup(&at, names)).transpose()?;
    let group = at.get("group").map(|at| at.text().map(str::to_owned)).transpose()?;
    let solid = at.get("solid").map_or(Ok(false), |at| at.flag())?;
    let (name, line) = (name.to_owned(), at.line());
    let body = BodyEntry { name, shape, unit, scale, pose, parent, group, solid, motion, line, shape_line };
    Ok(Read { body, idle_pose })
}

fn shape(at: &Cursor<'_>, scene: &Path, unit: Unit) -> Result<(ShapeEntry, usize)> {
    let mut given = SHAPES.iter().filter_map(|&key| at.get(key).map(|value| (key, value)));
    let Some((key, value)) = given.next() else {
        return Err(at.error(format!("found no shape, expected one of {}", SHAPES.join(", "))));
    };
    if let Some((_, second)) = given.next() {
        return Err(second.error(format!("found a second shape beside `{key}`, expected one")));
    }
    let shape = match key {
        "mesh" => ShapeEntry::Mesh(beside(scene, value.filled_text("the path of a mesh file")?)),
        "box" => {
            let size = metres(unit, DVec3::from_array(value.numbers(Limit::Positive)?));
            ShapeEntry::Primitive(Primitive::Box { size })
        }
        "sphere" => {
            ShapeEntry::Primitive(Primitive::Sphere { radius: unit.metres(value.number(Limit::Positive)?) })
        }
        _ => {
            value.only_keys(&["radius", "height"])?;
            let size = |key| {
                value
                    .require(key, "a finite number > 0")?
                    .number(Limit::Positive)
                    .map(|size| unit.metres(size))
            };
            let (radius, height) = (size("radius")?, size("height")?);
            ShapeEntry::Primitive(match key {
                "cylinder" => Primitive::Cylinder { radius, height },
                "cone" => Primitive::Cone { radius, height },
                _ => Primitive::Capsule { radius, height },
            })
        }
    };
    Ok((shape, value.line()))
}

fn metres(unit: Unit, lengths: DVec3) -> DVec3 {
    DVec3::from_array(lengths.to_array().map(|length| unit.metres(length)))
}

/// The lengths that a shape gives in numbers.
fn sizes(shape: &ShapeEntry) -> Vec<f64> {
    match *shape {
        ShapeEntry::Mesh(_) => vec![],
        ShapeEntry::Primitive(Primitive::Box { size }) => size.to_array().to_vec(),
        ShapeEntry::Primitive(Primitive::Sphere { radius }) => vec![radius],
        ShapeEntry::Primitive(
            Primitive::Cylinder { radius, height }
            | Primitive::Cone { radius, height }
            | Primitive::Capsule { radius, height },
        ) => vec![radius, height],
    }
}

fn pose(at: &Cursor<'_>, unit: Unit) -> Result<PoseEntry> {
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

fn motion(at: &Cursor<'_>, unit: Unit) -> Result<MotionEntry> {
    const KINDS: [&str; 3] = ["keyframes", "twist", "screw"];
    const VECTOR: &str = "a list of 3 finite numbers";
    if !at.is_table() {
        return Err(at.expected("a table headed [body.motion]"));
    }
    match at.require("kind", "one of keyframes, twist, screw")?.word(&KINDS)? {
        0 => keyframes(at, unit),
        1 => {
            at.only_keys(&["kind", "linear", "angular"])?;
            let linear = metres(unit, at.require("linear", VECTOR)?.vector()?);
            Ok(MotionEntry::Twist { linear, angular: at.require("angular", VECTOR)?.vector()? })
        }
        _ => {
            at.only_keys(&["kind", "axis", "point", "slide", "angle"])?;
            Ok(MotionEntry::Screw {
                axis: at.require("axis", VECTOR)?.direction()?,
                point: metres(unit, at.require("point", VECTOR)?.vector()?),
                slide: unit.metres(at.require("slide", "a length, a finite number")?.number(Limit::Any)?),
                angle: at.require("angle", "radians, a finite number")?.number(Limit::Any)?,
            })
        }
    }
}

fn keyframes(at: &Cursor<'_>, unit: Unit) -> Result<MotionEntry> {
    at.only_keys(&["kind", "times", "positions", "rotations", "interpolation"])?;
    let interpolation = match at.get("interpolation") {
        None => Interpolation::Screw,
        Some(word) => {
            let kinds = [Interpolation::Screw, Interpolation::Linear, Interpolation::Step];
            kinds[word.word(&["screw", "linear", "step"])?]
        }
    };

    let list = at.require("times", "a list of seconds")?;
    let mut times = Vec::new();
    for item in list.items("a list of seconds")? {
        let time = item.number(Limit::Any)?;
        if let Some(last) = times.last().filter(|&&last| time <= last) {
            return Err(item.error(format!(
                "found {} after {}, expected times that increase",
                number_text(time),
                number_text(*last)
            )));
        }
        times.push(time);
    }
    if times.is_empty() {
        return Err(list.expected("at least one time"));
    }
    let positions =
        each_time(at, "positions", times.len(), |at| at.vector().map(|position| metres(unit, position)))?;
    let rotations = each_time(at, "rotations", times.len(), |at| at.rotation())?;
    Ok(MotionEntry::Keyframes { times, positions, rotations, interpolation })
}

/// A list of as many values as there are times.
fn each_time<T>(
    at: &Cursor<'_>,
    key: &str,
    times: usize,
    read: impl Fn(&Cursor<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let expected = format!("a list of length {times}, one item for each of the times");
    let list = at.require(key, &expected)?;
    let items = list.items(&expected)?;
    if items.len() != times {
        return Err(list.expected(&expected));
    }
    items.map(|item| read(&item)).collect()
}
