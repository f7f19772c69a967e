//! The shapes of a scene. Bodies that name the same file with the same keys share one shape.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use chasles::{
    CollisionShape, Mesh, ParametricSurface, PartShape, PointCloud, Pose, PreparedMesh, Primitive, Solid,
    SolidError, SolidPart,
};
use glam::DVec3;

use super::deforming;
use super::files::{Files, TWO_UNITS, metres};
use crate::error::{Error, Result};
use crate::limits::SCENE_TRIANGLES;
use crate::mesh::MeshFile;
use crate::scene::file::{
    BodyTable, ParametricEntry, PartEntry, PartShapeEntry, PointsEntry, SceneFile, ShapeEntry, SolidEntry,
};
use crate::scene::units::LengthUnit;

/// The shapes of a scene that is being built.
pub(super) struct SceneShapes<'a> {
    scene: &'a Path,
    /// The unit of files that state none and whose body states none.
    unit: LengthUnit,
    /// For each mesh file, the first body of each size in which the file is used.
    sizes: HashMap<&'a Path, Vec<&'a BodyTable>>,
    meshes: HashMap<(&'a Path, Size), CollisionShape>,
    /// Other shapes that are made from one file; without numbers, meshes whose pieces are convex.
    shared: HashMap<(&'a Path, Size, Vec<u64>), CollisionShape>,
    files: Files<'a>,
    /// Maximum number of triangles in the scene.
    pub(super) max_triangles: usize,
    /// Warnings about shapes.
    shape_warnings: Vec<String>,
}

/// Unit and scale of a mesh. Two meshes of a file are equal if these bits are.
type Size = (Option<LengthUnit>, u64);

fn size_of(entry: &BodyTable) -> Size {
    (entry.unit, entry.scale.to_bits())
}

impl<'a> SceneShapes<'a> {
    pub(super) fn new(file: &'a SceneFile, scene: &'a Path) -> Self {
        let mut meshes_so_far = HashSet::new();
        let mut sizes: HashMap<_, Vec<_>> = HashMap::new();
        for entry in &file.bodies {
            if let ShapeEntry::Mesh(file) = entry.shape.at_rest()
                && meshes_so_far.insert((file, size_of(entry)))
            {
                sizes.entry(file.as_path()).or_default().push(entry);
            }
        }
        Self {
            scene,
            unit: file.unit.unwrap_or_default(),
            sizes,
            meshes: HashMap::new(),
            shared: HashMap::new(),
            files: Files::new(file.unread),
            max_triangles: SCENE_TRIANGLES,
            shape_warnings: Vec::new(),
        }
    }

    /// The warnings about files and shapes.
    pub(super) fn warnings(&self) -> Vec<String> {
        [&self.files.warnings[..], &self.shape_warnings].concat()
    }

    /// The surfaces that were left out.
    pub(super) fn missing(self) -> Vec<String> {
        self.files.missing
    }

    /// The shape of a body.
    pub(super) fn shape(&mut self, entry: &'a BodyTable) -> Result<CollisionShape> {
        self.made(entry, &entry.shape)
    }

    /// A shape of a body: its own, or the shape at rest of a recorded body.
    fn made(&mut self, entry: &'a BodyTable, shape: &'a ShapeEntry) -> Result<CollisionShape> {
        let complain = |error: chasles::Error| entry.shape_error(self.scene, error.to_string());
        match shape {
            ShapeEntry::Mesh(file) => {
                let key = (file.as_path(), size_of(entry));
                if !self.meshes.contains_key(&key) {
                    self.read_mesh(entry, file)?;
                }
                match entry.convex {
                    true => self.shared(entry, file, Vec::new(), |shapes| shapes.convex(entry, key)),
                    false => Ok(self.meshes[&key].clone()),
                }
            }
            ShapeEntry::Primitive(primitive) => match primitive.scaled(entry.scale) {
                Primitive::Box { size } if entry.convex => CollisionShape::convex_box(size),
                primitive => CollisionShape::primitive(primitive),
            }
            .map_err(complain),
            ShapeEntry::Parametric(surface) => {
                let ParametricEntry { coordinates, ranges } = &**surface;
                let surface = ParametricSurface::new(coordinates.clone(), *ranges, entry.scale);
                surface.and_then(|surface| CollisionShape::parametric(Arc::new(surface))).map_err(complain)
            }
            ShapeEntry::Points(points) => {
                let numbers = vec![points.radius.to_bits()];
                self.shared(entry, &points.file, numbers, |shapes| shapes.cloud(entry, points))
            }
            ShapeEntry::Deforming(frames) => {
                let files = (&mut self.files, self.max_triangles);
                let surface = deforming::surface(entry, frames, files, self.unit);
                let surface = surface.map_err(|message| entry.shape_error(self.scene, message))?;
                Ok(CollisionShape::deforming(Arc::new(surface)))
            }
            ShapeEntry::Recorded(recorded) => {
                let rest = self.made(entry, &recorded.rest)?;
                let surface = deforming::recorded(recorded, &rest);
                let surface = surface.map_err(|message| entry.shape_error(self.scene, message))?;
                Ok(CollisionShape::deforming(Arc::new(surface)))
            }
            ShapeEntry::Solid(solid) => match solid.parts.as_slice() {
                [PartEntry { shape: PartShapeEntry::LevelSet(grid), .. }] => {
                    let numbers = [grid.spacing, grid.origin].into_iter().flat_map(|three| three.to_array());
                    let numbers = numbers.map(f64::to_bits).collect();
                    self.shared(entry, &grid.file, numbers, |shapes| shapes.solid(entry, solid))
                }
                [PartEntry { shape: PartShapeEntry::Heights(field), .. }] => {
                    let numbers = [field.spacing, field.origin].concat().into_iter().chain([field.bottom]);
                    let numbers = numbers.map(f64::to_bits).collect();
                    self.shared(entry, &field.file, numbers, |shapes| shapes.solid(entry, solid))
                }
                _ => self.solid(entry, solid),
            },
        }
    }

    /// A mesh with convex pieces.
    fn convex(&self, entry: &BodyTable, key: (&'a Path, Size)) -> Result<CollisionShape> {
        let mesh = &self.meshes[&key];
        let body = mesh.body().map(Arc::clone);
        let shape = body.map_or(Ok(mesh.clone()), CollisionShape::convex_mesh);
        shape
            .map_err(|error| entry.shape_error(self.scene, Error::file(key.0, error.to_string()).to_string()))
    }

    /// Returns the shape that is made from a file and numbers, made once.
    fn shared(
        &mut self,
        entry: &BodyTable,
        file: &'a Path,
        numbers: Vec<u64>,
        make: impl FnOnce(&mut Self) -> Result<CollisionShape>,
    ) -> Result<CollisionShape> {
        let key = (file, size_of(entry), numbers);
        if let Some(shape) = self.shared.get(&key) {
            return Ok(shape.clone());
        }
        let shape = make(self)?;
        self.shared.insert(key, shape.clone());
        Ok(shape)
    }

    fn cloud(&mut self, entry: &BodyTable, points: &PointsEntry) -> Result<CollisionShape> {
        let PointsEntry { file, radius } = points;
        let unit = entry.unit.unwrap_or(self.unit);
        let read = self.files.points(file, unit);
        let mut read = read.map_err(|error| entry.shape_error(self.scene, error.to_string()))?;
        read.iter_mut().for_each(|(_, point)| *point *= entry.scale);
        let cloud = PointCloud::new(read, entry.scale * radius);
        cloud
            .and_then(|cloud| CollisionShape::cloud(Arc::new(cloud)))
            .map_err(|error| entry.shape_error(self.scene, Error::file(file, error.to_string()).to_string()))
    }

    fn solid(&mut self, entry: &BodyTable, solid: &'a SolidEntry) -> Result<CollisionShape> {
        let unit = entry.unit.unwrap_or(self.unit);
        let last = solid.parts.len() - 1;
        let mut parts = Vec::with_capacity(solid.parts.len());
        for (number, part) in solid.parts.iter().enumerate() {
            let complain = |message: String| part.error(self.scene, message);
            let shape = self.part(part, unit).map_err(|error| complain(error.to_string()))?;
            let pose = Pose::new(part.pose.position, part.pose.rotation);
            let pose = pose.map_err(|error| complain(error.to_string()))?;
            let scale = if number == last { part.scale * entry.scale } else { part.scale };
            parts.push(SolidPart { shape, pose, scale });
        }
        let made = Solid::new(parts).map_err(|SolidError { part, error }| {
            let part = &solid.parts[part.min(last)];
            let message = match part.shape.file() {
                Some(file) => Error::file(file, error.to_string()).to_string(),
                None => error.to_string(),
            };
            part.error(self.scene, message)
        })?;
        let shape = CollisionShape::solid(Arc::new(made))
            .map_err(|error| entry.shape_error(self.scene, error.to_string()))?;
        self.shape_warnings
            .extend(nothing_inside(&shape).map(|what| entry.shape_error(self.scene, what).to_string()));
        Ok(shape)
    }

    fn part(&mut self, part: &'a PartEntry, unit: LengthUnit) -> Result<PartShape> {
        Ok(match &part.shape {
            PartShapeEntry::Complete(shape) => shape.clone(),
            PartShapeEntry::Mesh(file) => {
                PartShape::Mesh(self.files.part_mesh(file, unit, self.max_triangles)?)
            }
            PartShapeEntry::LevelSet(grid) => PartShape::LevelSet(self.files.level_set(grid)?),
            PartShapeEntry::Heights(field) => PartShape::Heights(self.files.heights(field, unit)?),
        })
    }

    /// Reads a mesh and creates it in all sizes that the scene uses, so that the file's own numbers need not be
    /// kept.
    fn read_mesh(&mut self, entry: &BodyTable, file: &'a Path) -> Result<()> {
        let sizes = self.sizes.remove(file).unwrap_or_default();
        let read = self.files.mesh(file, sizes.len(), self.max_triangles);
        let MeshFile { vertices, triangles, in_metres, .. } =
            read.map_err(|error| entry.shape_error(self.scene, error.to_string()))?;
        for entry in sizes {
            let complain =
                |message: String| entry.shape_error(self.scene, Error::file(file, message).to_string());
            let unit = match entry.unit {
                Some(_) if in_metres => {
                    return Err(complain(TWO_UNITS.into()));
                }
                None if in_metres => LengthUnit::Metres,
                stated => stated.unwrap_or(self.unit),
            };
            let point = |vertex: &DVec3| entry.scale * metres(unit, *vertex);
            let mesh = Mesh::new(vertices.iter().map(point).collect(), triangles.clone());
            let mesh = mesh.map_err(|error| complain(error.to_string()))?;
            let shape = CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh)));
            self.meshes.insert((file, size_of(entry)), shape);
        }
        Ok(())
    }
}

/// A warning about a solid that has no point within its bounds.
fn nothing_inside(solid: &CollisionShape) -> Option<&'static str> {
    solid.is_empty().then_some("the solid has no point within its bounds")
}
