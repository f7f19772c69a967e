//! What bodies are made of, as a scene file tells it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chasles::{Expression, FramesInMemory, Primitive};
use glam::DVec3;

use super::PoseEntry;

/// What a body is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeEntry {
    /// A mesh file. A path relative to the scene file is resolved against its folder.
    Mesh(PathBuf),
    /// A box, ball, cylinder, cone or capsule, centred, its axis along z.
    Primitive(Primitive),
    /// A solid: a formula, a level set, a height field, or parts that are joined, cut and subtracted.
    Solid(SolidEntry),
    /// A surface given by formulas of two parameters.
    Parametric(Box<ParametricEntry>),
    /// Points, each a ball.
    Points(PointsEntry),
    /// Triangles whose vertices move on their own. It stands in the body's motion.
    Deforming(Box<DeformingEntry>),
    /// A flexible body with the places of its vertices, as a recording tells them.
    Recorded(Box<RecordedEntry>),
}

/// Where the vertices of a body are at times: evenly along straight lines from each to the next.
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
        /// Seconds, strictly increasing, in place of those of the cache.
        times: Option<Vec<f64>>,
        /// How many frames of a PC2 are a second, above 0.
        fps: f64,
    },
}

/// Where the vertices of a flexible body were at times: evenly along straight lines from each to the next.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEntry {
    /// What the body is made of in its scene: a mesh or a box, whose triangles count here.
    pub rest: ShapeEntry,
    /// Seconds, strictly increasing, at least one.
    pub times: Vec<f64>,
    /// The places of all vertices at each of the times, in metres and in the body's frame, the `scale` included.
    pub frames: Arc<FramesInMemory>,
}

/// A solid.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidEntry {
    /// The key that it stands under: `implicit`, `csg`, `level_set` or `heights`.
    pub key: &'static str,
    /// Its parts, each behind those that it is made of: at least one, and the last is the whole.
    pub parts: Vec<PartEntry>,
}

/// A part of a solid.
#[derive(Debug, Clone, PartialEq)]
pub struct PartEntry {
    /// What it is.
    pub shape: PartShapeEntry,
    /// Where it is in the frame of the part that it belongs to. The identity for the last part.
    pub pose: PoseEntry,
    /// It is this many times as large, before the pose. Finite, above 0; 1 for all but meshes.
    pub scale: f64,
    /// Where it stands in the file, for errors: `body "plate".csg.difference[1].cylinder`.
    pub path: String,
    /// The line of that, counted from 1.
    pub line: usize,
}

/// What a part of a solid is.
#[derive(Debug, Clone, PartialEq)]
pub enum PartShapeEntry {
    /// Everything that is in one of these parts, by their numbers: at least one, each lower than that of this part.
    Union(Vec<usize>),
    /// Everything that is in all of these parts.
    Intersection(Vec<usize>),
    /// The first of these parts without the others.
    Difference(Vec<usize>),
    /// A primitive.
    Primitive(Primitive),
    /// The points x with `normal`.x <= `offset`.
    HalfSpace {
        /// Of any length but zero.
        normal: DVec3,
        /// Metres times the length of the normal.
        offset: f64,
    },
    /// Where a formula of x, y and z is not positive, within a box.
    Formula {
        /// The formula, in metres.
        formula: Expression,
        /// The least and the greatest corner of the box, in metres.
        bounds: [DVec3; 2],
    },
    /// What a closed mesh surrounds.
    Mesh(PathBuf),
    /// A level set.
    LevelSet(LevelSetEntry),
    /// A height field.
    Heights(HeightsEntry),
}

/// A function sampled on a grid of three axes; the solid is where it is not positive.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelSetEntry {
    /// The samples, `.npy`.
    pub file: PathBuf,
    /// From sample to sample, in metres; above 0.
    pub spacing: DVec3,
    /// The place of the first sample, in metres.
    pub origin: DVec3,
}

/// Heights sampled on a grid of two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightsEntry {
    /// The samples, `.npy`, lengths in the unit of the shape.
    pub file: PathBuf,
    /// From sample to sample, in metres; above 0.
    pub spacing: [f64; 2],
    /// The place of the first sample, in metres.
    pub origin: [f64; 2],
    /// Down to where the ground goes, in metres.
    pub bottom: f64,
}

/// The surface of the points (x(u, v), y(u, v), z(u, v)).
#[derive(Debug, Clone, PartialEq)]
pub struct ParametricEntry {
    /// The formulas of x, y and z, in metres.
    pub coordinates: [Expression; 3],
    /// The ranges of u and v, which increase.
    pub ranges: [[f64; 2]; 2],
}

/// Points, each a ball.
#[derive(Debug, Clone, PartialEq)]
pub struct PointsEntry {
    /// The points, `.xyz`, `.pcd` or `.ply`, in the unit of the shape.
    pub file: PathBuf,
    /// Of each ball, in metres; 0 or more.
    pub radius: f64,
}

impl ShapeEntry {
    /// The key of a body that the shape stands under.
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

    /// What the body is made of in its scene, whatever a recording tells of it.
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

    /// The sizes that the shape gives in numbers, each above 0.
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
            Self::Primitive(primitive) => primitive_sizes(primitive),
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
