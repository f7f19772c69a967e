//! One body of a scene: its shape, pose and motion.

use std::path::Path;

use glam::DQuat;

use super::deforming::{DEFORMING, against_itself, deforming, times};
use super::entries::{PartShapeEntry, ShapeEntry, SolidEntry};
use super::shape::{self, check_owner, pose};
use super::simulation::{self, BODY_KEYS};
use super::{
    BodyIndex, BodyTable, KeyInterpolation, MotionEntry, PoseEntry, csg, lookup, metres, resolve_path, unit,
};
use crate::error::{Error, Result};
use crate::samples::motion_keys;
use crate::scene::units::LengthUnit;
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::number_text;

const SHAPES: [&str; 12] = [
    "mesh", "box", "sphere", "cylinder", "cone", "capsule", "implicit", "csg", "parametric", "level_set",
    "heights", "points",
];

/// Keys that a body may have beside its shape.
const OTHERS: [&str; 12] = [
    "name", "bounds", "radius", "unit", "scale", "pose", "parent", "group", "solid", "convex", "self",
    "motion",
];

/// A parsed body.
pub(super) struct ParsedBody {
    pub(super) body: BodyTable,
    /// The warning about a pose beside keyframes.
    pub(super) idle_pose: Option<Error>,
    /// The warning about its inertia.
    pub(super) warning: Option<String>,
}

/// Reads a body whose name has been checked.
pub(super) fn body(
    item: &Cursor<'_>,
    names: &BodyIndex<'_>,
    (scene, default_unit): (&Path, LengthUnit),
) -> Result<ParsedBody> {
    let name = item.require("name", "a name")?.text()?;
    let at = item.named("body", name);
    let [first, rest @ ..] = OTHERS;
    at.only_keys(&[&[first], &SHAPES[..], &rest, &BODY_KEYS].concat())?;

    let convex = convex(&at)?;
    let unit = at.get("unit").map(|at| unit(&at)).transpose()?;
    let (shape, shape_line) = match at.get("motion").filter(is_deforming) {
        Some(motion) => {
            let (frames, line) = deforming(&at, &motion, (scene, &SHAPES))?;
            (ShapeEntry::Deforming(Box::new(frames)), line)
        }
        None => shape(&at, scene, unit.unwrap_or(default_unit))?,
    };
    if let (Some(unit), Some(at)) = (unit, at.get("unit"))
        && unit != LengthUnit::Metres
        && matches!(shape.key(), "implicit" | "parametric")
    {
        return Err(at.error(
            "found a unit beside formulas, which are in metres, expected none; `scale` makes them larger",
        ));
    }
    let scale = at.get("scale").map_or(Ok(1.0), |at| at.number(Limit::Positive))?;
    // Two valid numbers can have an invalid product. The error is reported here, where the line is known.
    let is_invalid = |size: &f64| !((size * scale).is_finite() && size * scale > 0.0);
    if let Some(size) = shape.sizes().into_iter().find(is_invalid) {
        let expected = format!("a scale with which the size {} stays finite and > 0", number_text(size));
        return Err(at.require("scale", &expected)?.expected(&expected));
    }

    let rigid = at.get("motion").filter(|motion| !is_deforming(motion));
    let motion = rigid.map(|at| motion(&at, (scene, default_unit))).transpose()?;
    let stated = at.get("pose").map(|at| pose(&at, default_unit)).transpose()?.unwrap_or(PoseEntry::IDENTITY);
    let (pose, idle_pose) = match (at.get("pose"), &motion) {
        (Some(pose), Some(MotionEntry::Keyframes { .. } | MotionEntry::KeyFile { .. })) => {
            let warning =
                pose.error("found a pose beside keyframes, expected one of them: the keys are the poses");
            (PoseEntry::IDENTITY, Some(warning))
        }
        _ => (stated, None),
    };
    let parent = at.get("parent").map(|at| lookup(&at, names)).transpose()?;
    let group = at.get("group").map(|at| at.text().map(str::to_owned)).transpose()?;
    let solid = solid(&at, &shape)?;
    let against_itself = against_itself(&at, &shape)?;
    let (mass, warning) = simulation::mass(&at, default_unit)?;
    let (elasticity, friction) = simulation::contact_material(&at)?;
    let (name, line) = (name.to_owned(), at.line());
    let body = BodyTable {
        name,
        shape,
        unit,
        scale,
        pose,
        parent,
        group,
        solid,
        convex,
        against_itself,
        motion,
        mass,
        elasticity,
        friction,
        line,
        shape_line,
    };
    Ok(ParsedBody { body, idle_pose, warning })
}

fn shape(at: &Cursor<'_>, scene: &Path, unit: LengthUnit) -> Result<(ShapeEntry, usize)> {
    let (key, value) = shape::only_shape(at, &SHAPES)?;
    check_owner(at, key, "bounds", "implicit")?;
    check_owner(at, key, "radius", "points")?;
    let part = |shape| {
        ShapeEntry::Solid(SolidEntry {
            key,
            parts: vec![csg::entry(shape, (PoseEntry::IDENTITY, 1.0), &value)],
        })
    };
    let shape = match key {
        "mesh" => ShapeEntry::Mesh(resolve_path(scene, value.nonempty_text("the path of a mesh file")?)),
        "implicit" => part(shape::implicit(at)?),
        "csg" => ShapeEntry::Solid(SolidEntry { key, parts: csg::csg(&value, (scene, unit))? }),
        "parametric" => ShapeEntry::Parametric(Box::new(shape::parametric(&value)?)),
        "level_set" => part(PartShapeEntry::LevelSet(shape::level_set(&value, scene, unit)?)),
        "heights" => part(PartShapeEntry::Heights(shape::heights(&value, scene, unit)?)),
        "points" => ShapeEntry::Points(shape::points(at, scene, unit)?),
        _ => ShapeEntry::Primitive(shape::primitive(key, &value, unit)?),
    };
    Ok((shape, value.line()))
}

/// Reads the key `solid`: whether containment in the body counts.
fn solid(at: &Cursor<'_>, shape: &ShapeEntry) -> Result<Option<bool>> {
    let stated = at.get("solid");
    match (shape, stated) {
        (ShapeEntry::Parametric(_) | ShapeEntry::Points(_), Some(stated)) => {
            let what =
                if matches!(shape, ShapeEntry::Points(_)) { "points are balls" } else { "it is a surface" };
            let key = shape.key();
            Err(stated
                .error(format!("found `solid` beside `{key}`, expected none: {what}, whatever the key says")))
        }
        (_, stated) => stated.map(|stated| stated.flag()).transpose(),
    }
}

/// Reads whether the pieces of a body are convex. Only a rigid mesh or a box may have this key.
fn convex(at: &Cursor<'_>) -> Result<bool> {
    let is_rigid_mesh = at.get("mesh").is_some() && !at.get("motion").is_some_and(|at| is_deforming(&at));
    match at.get("convex") {
        None => Ok(false),
        Some(stated) if !is_rigid_mesh && at.get("box").is_none() => Err(stated.error(
            "found `convex` in a body that is neither a rigid mesh nor a box, expected none: it says that the pieces of a \
             mesh are convex",
        )),
        Some(stated) => stated.flag(),
    }
}

/// Whether a motion deforms the body.
fn is_deforming(motion: &Cursor<'_>) -> bool {
    motion.get("kind").is_some_and(|kind| kind.text() == Ok(DEFORMING))
}

fn motion(at: &Cursor<'_>, (scene, unit): (&Path, LengthUnit)) -> Result<MotionEntry> {
    // The last kind is handled elsewhere.
    const KINDS: [&str; 4] = ["keyframes", "twist", "screw", DEFORMING];
    const VECTOR: &str = "a list of 3 finite numbers";
    if !at.is_table() {
        return Err(at.expected("a table headed [body.motion]"));
    }
    match at.require("kind", "one of keyframes, twist, screw, deforming")?.word(&KINDS)? {
        0 => keyframes(at, (scene, unit)),
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

/// Reads keyframes, from the scene file or a separate file.
fn keyframes(at: &Cursor<'_>, (scene, unit): (&Path, LengthUnit)) -> Result<MotionEntry> {
    const FILE: &str = "the path of a file of keys (.csv or .npy)";
    at.only_keys(&["kind", "keys", "times", "positions", "rotations", "interpolation"])?;
    let interpolation = match at.get("interpolation") {
        None => KeyInterpolation::Screw,
        Some(word) => {
            let kinds = [KeyInterpolation::Screw, KeyInterpolation::Linear, KeyInterpolation::Step];
            kinds[word.word(&["screw", "linear", "step"])?]
        }
    };

    if let Some(keys) = at.get("keys") {
        for key in ["times", "positions", "rotations"] {
            if let Some(stated) = at.get(key) {
                let found =
                    format!("found `{key}` beside `keys`, expected one of them: the file has all three");
                return Err(stated.error(found));
            }
        }
        let file = resolve_path(scene, keys.nonempty_text(FILE)?);
        let format = motion_keys::KeyFileFormat::from_extension(&file).ok_or_else(|| keys.expected(FILE))?;
        return Ok(MotionEntry::KeyFile { file, format, unit, interpolation, line: keys.line() });
    }
    if at.get("times").is_none() {
        return Err(at.error("found neither `times` nor `keys`, expected one of them: the poses over time"));
    }
    let times = times(at)?;
    let positions =
        each_time(at, "positions", times.len(), |at| at.vector().map(|position| metres(unit, position)))?;
    let rotations = match at.get("rotations") {
        Some(_) => each_time(at, "rotations", times.len(), |at| at.rotation())?,
        // Without rotations the body keeps the axes of its parent.
        None => vec![DQuat::IDENTITY; times.len()],
    };
    Ok(MotionEntry::Keyframes { times, positions, rotations, interpolation })
}

/// Reads a list with one value for each time.
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
