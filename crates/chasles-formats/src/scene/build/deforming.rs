//! Bodies whose vertices move independently, with their frames in files or in a recording.

use std::sync::Arc;

use chasles::{CollisionShape, DeformingSurface, Frames, FramesInMemory, Mesh};
use glam::DVec3;

use super::files::{Files, TWO_UNITS, metres};
use crate::error::Error;
use crate::printable::{printable, printable_path};
use crate::samples::mesh_sequence::MeshSequence;
use crate::samples::point_cache::PointCache;
use crate::scene::file::{BodyTable, DeformingEntry, RecordedEntry};
use crate::scene::units::LengthUnit;

/// Frames in files, with the unit and scale that convert them to metres.
#[derive(Debug)]
struct FileFrames {
    source: FrameSource,
    unit: LengthUnit,
    scale: f64,
}

#[derive(Debug)]
enum FrameSource {
    Cache(PointCache),
    Meshes(MeshSequence),
}

impl Frames for FileFrames {
    fn read(&self, frame: usize, vertices: &mut [DVec3]) -> Result<(), chasles::Error> {
        let read = match &self.source {
            FrameSource::Cache(cache) => cache.read(frame, vertices),
            FrameSource::Meshes(meshes) => meshes.read(frame, vertices),
        };
        read.map_err(|error| {
            let place = Error { message: String::new(), ..error.clone() }.to_string();
            chasles::Error::unreadable(place.trim_end_matches(": "), printable(&error.message))
        })?;
        vertices.iter_mut().for_each(|vertex| *vertex = self.scale * metres(self.unit, *vertex));
        Ok(())
    }
}

/// Builds the surface of a body, in a scene of at most `max_triangles` triangles. `default_unit` is the unit of files
/// that state none. The error is a sentence about the files.
pub(super) fn surface(
    entry: &BodyTable,
    frames: &DeformingEntry,
    (files, max_triangles): (&mut Files<'_>, usize),
    default_unit: LengthUnit,
) -> Result<DeformingSurface, String> {
    let read = read(frames, files, max_triangles).map_err(|error| error.to_string())?;
    // The points of a cache have the unit of the scene, whatever unit the mesh states.
    let unit = match (&read.source, entry.unit) {
        (FrameSource::Meshes(meshes), stated) if meshes.first().in_metres => match stated {
            Some(_) => return Err(TWO_UNITS.into()),
            None => LengthUnit::Metres,
        },
        (_, stated) => stated.unwrap_or(default_unit),
    };
    let OpenFrames { source, triangles, vertices, times } = read;
    let frames = FileFrames { source, unit, scale: entry.scale };
    let made = (|| {
        let mut first = vec![DVec3::ZERO; vertices];
        frames.read(0, &mut first)?;
        DeformingSurface::new(Mesh::new(first, triangles)?, times, Arc::new(frames))
    })();
    made.map_err(|error: chasles::Error| error.to_string())
}

/// Builds the surface of a recorded flexible body. The error is a sentence that explains why the recording does not
/// fit the shape at rest.
pub(super) fn recorded(recorded: &RecordedEntry, rest: &CollisionShape) -> Result<DeformingSurface, String> {
    const CHANGED: &str = "has the scene changed?";
    let RecordedEntry { rest: _, times, frames } = recorded;
    let Some(body) = rest.body() else {
        return Err(format!("found neither a mesh nor a box, expected one of a flexible body: {CHANGED}"));
    };
    let (mesh, first) = (body.mesh(), frames.0.first().map_or(&[][..], Vec::as_slice));
    if mesh.vertex_count() != first.len() {
        let (found, expected) = (mesh.vertex_count(), first.len());
        return Err(format!("found {found} vertices, expected {expected}, as in the recording: {CHANGED}"));
    }
    // The mesh merges equal vertices into the first one, as the simulation does.
    let made = Mesh::new(first.to_vec(), mesh.triangles().to_vec())
        .and_then(|mesh| DeformingSurface::new(mesh, times.clone(), Arc::<FramesInMemory>::clone(frames)));
    made.map_err(|error| error.to_string())
}

/// The opened files of a body.
struct OpenFrames {
    source: FrameSource,
    triangles: Vec<[u32; 3]>,
    /// Number of vertices in each frame.
    vertices: usize,
    times: Vec<f64>,
}

fn read(
    frames: &DeformingEntry,
    files: &mut Files<'_>,
    max_triangles: usize,
) -> crate::error::Result<OpenFrames> {
    match frames {
        DeformingEntry::Meshes { times, files: names } => {
            let meshes = MeshSequence::open(names.clone())?;
            let first = meshes.first();
            files.count(&names[0], first, (1, max_triangles))?;
            let (triangles, vertices) = (first.triangles.clone(), first.vertices.len());
            Ok(OpenFrames { source: FrameSource::Meshes(meshes), triangles, vertices, times: times.clone() })
        }
        DeformingEntry::Cache { mesh: name, file, times, fps } => {
            let mesh = files.mesh(name, 1, max_triangles)?;
            let cache = PointCache::open(file)?;
            files.warn(file, cache.warnings());
            let (points, vertices) = (cache.points(), mesh.vertices.len());
            if points != vertices {
                let mesh = printable_path(name);
                let message = format!("found {points} points, expected {vertices}, the vertices of {mesh}");
                return Err(Error::file(file, message));
            }
            let times = match times {
                None => cache.times(*fps)?,
                Some(times) if times.len() == cache.frames() => times.clone(),
                Some(times) => {
                    let (found, frames) = (times.len(), cache.frames());
                    let message = format!("found {frames} frames for {found} `times`, expected one for each");
                    return Err(Error::file(file, message));
                }
            };
            Ok(OpenFrames { source: FrameSource::Cache(cache), triangles: mesh.triangles, vertices, times })
        }
    }
}
