//! Bodies whose vertices move independently: `[body.motion]` of the kind `deforming`.

use std::path::{Path, PathBuf};

use super::entries::{DeformingEntry, ShapeEntry};
use super::resolve_path;
use super::shape::check_owner;
use crate::error::{Error, Result};
use crate::samples::point_cache;
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::number_text;

/// The name of this kind of motion.
pub(super) const DEFORMING: &str = "deforming";

/// Default frames per second of a PC2 file without `times` and `fps`: the rate of films, and of Blender.
const FRAMES_A_SECOND: f64 = 24.0;

/// Reads the frames of a body, and the line of the key that names their files. `shapes` are the keys of shapes;
/// among them the body may only have `mesh`.
pub(super) fn deforming(
    body: &Cursor<'_>,
    motion: &Cursor<'_>,
    (scene, shapes): (&Path, &[&str]),
) -> Result<(DeformingEntry, usize)> {
    motion.only_keys(&["kind", "times", "meshes", "cache", "fps"])?;
    for key in shapes.iter().filter(|key| **key != "mesh") {
        if let Some(shape) = body.get(key) {
            return Err(shape.error(format!(
                "found `{key}` on a body that deforms, expected none: its frames are its shape"
            )));
        }
    }
    for (key, owner) in [("bounds", "implicit"), ("radius", "points")] {
        check_owner(body, "kind = \"deforming\"", key, owner)?;
    }
    if let Some(solid) = body.get("solid") {
        return Err(
            solid.error("found `solid` on a body that deforms, expected none: its surface is followed")
        );
    }
    match (motion.get("meshes"), motion.get("cache")) {
        (Some(meshes), None) => sequence(body, motion, &meshes, scene),
        (None, Some(cache)) => cached(body, motion, &cache, scene),
        (Some(_), Some(cache)) => {
            Err(cache.error("found `cache` beside `meshes`, expected one of them: both are frames"))
        }
        (None, None) => {
            Err(motion
                .error("found neither `meshes` nor `cache`, expected one of them: the frames of the body"))
        }
    }
}

/// Reads a sequence of mesh files, one for each time.
fn sequence(
    body: &Cursor<'_>,
    motion: &Cursor<'_>,
    meshes: &Cursor<'_>,
    scene: &Path,
) -> Result<(DeformingEntry, usize)> {
    const EXPECTED: &str = "a list of mesh files, one for each of `times`";
    if let Some(mesh) = body.get("mesh") {
        return Err(
            mesh.error("found `mesh` beside `meshes`, expected one of them: the frames are the shape")
        );
    }
    if let Some(fps) = motion.get("fps") {
        return Err(fps.error("found `fps` beside `meshes`, expected none: `times` says when they are"));
    }
    let times = times(motion)?;
    let files: Vec<PathBuf> = meshes
        .items(EXPECTED)?
        .map(|file| file.nonempty_text("the path of a mesh file").map(|file| resolve_path(scene, file)))
        .collect::<Result<_>>()?;
    if files.len() != times.len() {
        let found = format!("found {} files for {} times", files.len(), times.len());
        return Err(meshes.error(format!("{found}, expected one for each of `times`")));
    }
    Ok((DeformingEntry::Meshes { times, files }, meshes.line()))
}

/// Reads a mesh with a point cache.
fn cached(
    body: &Cursor<'_>,
    motion: &Cursor<'_>,
    cache: &Cursor<'_>,
    scene: &Path,
) -> Result<(DeformingEntry, usize)> {
    const MESH: &str = "the path of the mesh file whose triangles the points of `motion.cache` belong to";
    const CACHE: &str = "the path of a point cache (.pc2 or .mdd)";
    let mesh = resolve_path(scene, body.require("mesh", MESH)?.nonempty_text(MESH)?);
    let file = resolve_path(scene, cache.nonempty_text(CACHE)?);
    let format = point_cache::PointCacheFormat::from_extension(&file).ok_or_else(|| cache.expected(CACHE))?;
    let frame_times = motion.get("times").map(|_| times(motion)).transpose()?;
    let fps = motion.get("fps").map(|fps| Ok::<_, Error>((fps.number(Limit::Positive)?, fps))).transpose()?;
    if let Some((_, fps)) = &fps {
        let beside = match (&frame_times, format) {
            (Some(_), _) => {
                Some("found `fps` beside `times`, expected one of them: both say when the frames are")
            }
            (None, point_cache::PointCacheFormat::Mdd) => {
                Some("found `fps` beside an MDD, expected none: it has times")
            }
            (None, point_cache::PointCacheFormat::Pc2) => None,
        };
        if let Some(beside) = beside {
            return Err(fps.error(beside));
        }
    }
    let fps = fps.map_or(FRAMES_A_SECOND, |(fps, _)| fps);
    Ok((DeformingEntry::Cache { mesh, file, times: frame_times, fps }, cache.line()))
}

/// Reads increasing times: at least one.
pub(super) fn times(at: &Cursor<'_>) -> Result<Vec<f64>> {
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
    Ok(times)
}

/// Reads whether a body is tested against itself. Only a body that deforms can be.
pub(super) fn against_itself(body: &Cursor<'_>, shape: &ShapeEntry) -> Result<bool> {
    match (body.get("self"), shape) {
        (None, _) => Ok(false),
        (Some(stated), ShapeEntry::Deforming(_)) => stated.flag(),
        (Some(stated), _) => Err(stated
            .error("found `self` on a rigid body, expected none: only a body that deforms can meet itself")),
    }
}
