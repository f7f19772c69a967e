//! The shapes of bodies, as a scene file describes them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chasles::{Expression, FramesInMemory, PartShape, Primitive};
use glam::DVec3;

use super::PoseEntry;

/// The shape of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeEntry {
    /// A mesh file. A path relative to the scene file is resolved against its folder.
    Mesh(PathBuf),
    /// A box, ball, cylinder, cone or capsule, centred at the origin, its axis along z.
    Primitive(Primitive),
    /// A solid: a formula, a level set, a height field, or a Boolean combination of parts.
    Solid(SolidEntry),
    /// A surface given by formulas of two parameters.
    Parametric(Box<ParametricEntry>),
    /// Points, each the centre of a ball.
    Points(PointsEntry),
    /// Triangles whose vertices move independently. The file has it under the body's motion.
    Deforming(Box<DeformingEntry>),
    /// A flexible body with the positions of its vertices from a recording.
    Recorded(Box<RecordedEntry>),
}

/// The positions of a body's vertices over time, interpolated linearly between frames.
#[derive(Debug, Clone, PartialEq)]
pub enum DeformingEntry {
    /// A mesh for each time, all with the same triangles.
    Meshes {
        /// Seconds, strictly increasing, at least one; may lie outside the duration.
        times: Vec<f64>,
        /// Mesh files, one for each time.
        files: Vec<PathBuf>,
    },
    /// The points of a cache.
    Cache {
        /// The mesh file that has the triangles. Its vertices are not used.
        mesh: PathBuf,
        /// The cache, `.pc2` or `.mdd`.
        file: PathBuf,
        /// Seconds, strictly increasing, in place of the times of the cache.
        times: Option<Vec<f64>>,
        /// Frames per second of a PC2 file, above 0.
        fps: f64,
    },
}

/// The recorded positions of a flexible body's vertices, interpolated linearly between frames.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEntry {
    /// The shape of the body in its scene: a mesh or a box, whose triangles are used here.
    pub rest: ShapeEntry,
    /// Seconds, strictly increasing, at least one.
    pub times: Vec<f64>,
    /// The positions of all vertices at each time, in metres and in the body's frame, with `scale` applied.
    pub frames: Arc<FramesInMemory>,
}

/// A solid.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidEntry {
    /// Its key in the file: `implicit`, `csg`, `level_set` or `heights`.
    pub key: &'static str,
    /// Its parts, each after its operands: at least one, and the last is the whole solid.
    pub parts: Vec<PartEntry>,
}

/// A part of a solid.
#[derive(Debug, Clone, PartialEq)]
pub struct PartEntry {
    /// Its shape.
    pub shape: PartShapeEntry,
    /// Its pose in the frame of the parent part. The identity for the last part.
    pub pose: PoseEntry,
    /// Factor by which the shape is enlarged before the pose is applied. Finite, above 0; 1 for all shapes but
    /// meshes.
    pub scale: f64,
    /// Its path in the file, for errors: `body "plate".csg.difference[1].cylinder`.
    pub path: String,
    /// The line of this path, counted from 1.
    pub line: usize,
}

/// The shape of a part of a solid.
#[derive(Debug, Clone, PartialEq)]
pub enum PartShapeEntry {
    /// A shape that needs no other file. The numbers of its parts are lower than the number of this part, and it has
    /// at least one part; a normal is not zero.
    Complete(PartShape),
    /// The region that a closed mesh encloses.
    Mesh(PathBuf),
    /// A level set.
    LevelSet(LevelSetEntry),
    /// A height field.
    Heights(HeightsEntry),
}

/// A function sampled on a three-dimensional grid. The solid is the region where the function is not positive.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelSetEntry {
    /// The samples, `.npy`.
    pub file: PathBuf,
    /// Distance between adjacent samples on each axis, in metres; above 0.
    pub spacing: DVec3,
    /// The position of the first sample, in metres.
    pub origin: DVec3,
}

/// Heights sampled on a two-dimensional grid.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightsEntry {
    /// The samples, `.npy`: lengths in the unit of the shape.
    pub file: PathBuf,
    /// Distance between adjacent samples on each axis, in metres; above 0.
    pub spacing: [f64; 2],
    /// The position of the first sample, in metres.
    pub origin: [f64; 2],
    /// The height of the flat bottom of the solid, in metres.
    pub bottom: f64,
}

/// The surface of the points (x(u, v), y(u, v), z(u, v)).
#[derive(Debug, Clone, PartialEq)]
pub struct ParametricEntry {
    /// The formulas of x, y and z, in metres.
    pub coordinates: [Expression; 3],
    /// The increasing ranges of u and v.
    pub ranges: [[f64; 2]; 2],
}

/// Points, each the centre of a ball.
#[derive(Debug, Clone, PartialEq)]
pub struct PointsEntry {
    /// The points, `.xyz`, `.pcd` or `.ply`, in the unit of the shape.
    pub file: PathBuf,
    /// Radius of each ball, in metres; 0 or more.
    pub radius: f64,
}

impl ShapeEntry {
    /// The key of the shape in the table of its body.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Self::Mesh(_) => "mesh",
            Self::Primitive(primitive) => primitive_key(primitive),
            Self::Solid(solid) => solid.key,
            Self::Parametric(_) => "parametric",
            Self::Points(_) => "points",
            Self::Deforming(_) => "motion",
            Self::Recorded(recorded) => recorded.rest.key(),
        }
    }

    /// The shape of the body in its scene, without a recording.
    pub(crate) fn at_rest(&self) -> &Self {
        match self {
            Self::Recorded(recorded) => &recorded.rest,
            _ => self,
        }
    }

    /// The files that the shape names, in order.
    pub(super) fn files(&self) -> Vec<&Path> {
        match self {
            Self::Mesh(file) => vec![file],
            Self::Primitive(_) | Self::Parametric(_) => vec![],
            Self::Points(points) => vec![&points.file],
            Self::Deforming(frames) => match &**frames {
                DeformingEntry::Meshes { files, .. } => files.iter().map(PathBuf::as_path).collect(),
                DeformingEntry::Cache { mesh, file, .. } => vec![mesh, file],
            },
            Self::Recorded(recorded) => recorded.rest.files(),
            Self::Solid(solid) => solid.parts.iter().filter_map(|part| part.shape.file()).collect(),
        }
    }

    /// The sizes that the shape states as numbers, each above 0.
    pub(super) fn sizes(&self) -> Vec<f64> {
        match self {
            Self::Mesh(_) | Self::Parametric(_) | Self::Deforming(_) | Self::Recorded(_) => vec![],
            Self::Primitive(primitive) => primitive_sizes(primitive),
            Self::Solid(solid) => solid.parts.iter().flat_map(|part| part.shape.sizes()).collect(),
            Self::Points(points) => Some(points.radius).filter(|radius| *radius > 0.0).into_iter().collect(),
        }
    }
}

impl PartShapeEntry {
    /// The file that the part names.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Mesh(file) => Some(file),
            Self::LevelSet(grid) => Some(&grid.file),
            Self::Heights(field) => Some(&field.file),
            _ => None,
        }
    }

    fn sizes(&self) -> Vec<f64> {
        match self {
            Self::Complete(PartShape::Primitive(primitive)) => primitive_sizes(primitive),
            Self::LevelSet(grid) => grid.spacing.to_array().to_vec(),
            Self::Heights(field) => field.spacing.to_vec(),
            _ => vec![],
        }
    }
}

fn primitive_key(primitive: &Primitive) -> &'static str {
    match primitive {
        Primitive::Box { .. } => "box",
        Primitive::Sphere { .. } => "sphere",
        Primitive::Cylinder { .. } => "cylinder",
        Primitive::Cone { .. } => "cone",
        Primitive::Capsule { .. } => "capsule",
    }
}

fn primitive_sizes(primitive: &Primitive) -> Vec<f64> {
    match *primitive {
        Primitive::Box { size } => size.to_array().to_vec(),
        Primitive::Sphere { radius } => vec![radius],
        Primitive::Cylinder { radius, height }
        | Primitive::Cone { radius, height }
        | Primitive::Capsule { radius, height } => vec![radius, height],
    }
}
