//! Surfaces of links: reads and scales meshes, and makes primitives. Equal shapes are created once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use chasles::{CollisionShape, Mesh, PreparedMesh, Primitive};
use glam::DVec3;

use super::UrdfOptions;
use super::document::{UrdfGeometry, UrdfSurface};
use super::places::Places;
use crate::error::{Error, Result, Warnings};
use crate::figures::rounded;
use crate::limits::{self, SCENE_TRIANGLES};
use crate::mesh::{self, MeshFile, MissingGeometry};
use crate::scene::units::likely_millimetres;

/// The shapes of a robot.
pub(super) struct UrdfShapes<'a> {
    path: &'a Path,
    places: Places<'a>,
    made: HashMap<ShapeKey, CollisionShape>,
    meshes: HashMap<PathBuf, Rc<MeshFile>>,
    /// The mesh files that were read, in order.
    files: Vec<PathBuf>,
    unread: MissingGeometry,
    /// Surfaces that were left out: one sentence each.
    pub(super) missing: Vec<String>,
    triangles: usize,
}

/// The identity of a shape, by the bits of its numbers.
#[derive(PartialEq, Eq, Hash)]
enum ShapeKey {
    Primitive(u8, [u64; 3]),
    Mesh(PathBuf, [u64; 3]),
}

impl<'a> UrdfShapes<'a> {
    pub(super) fn new(path: &'a Path, options: &'a UrdfOptions) -> Self {
        Self {
            path,
            places: Places::new(path, &options.packages),
            made: HashMap::new(),
            meshes: HashMap::new(),
            files: vec![],
            unread: options.unread,
            missing: vec![],
            triangles: 0,
        }
    }

    /// The mesh files that were read, each once, in order.
    pub(super) fn files(self) -> Vec<PathBuf> {
        self.files
    }

    /// The shape of a part of a link.
    pub(super) fn shape(&mut self, surface: &UrdfSurface, warnings: &mut Warnings) -> Result<CollisionShape> {
        match &surface.geometry {
            UrdfGeometry::Primitive(primitive) => self.primitive(surface, primitive),
            UrdfGeometry::Mesh { name, scale } => {
                let file = self.places.find(name).map_err(|what| self.error(surface, what))?;
                self.scaled_mesh(surface, file, *scale, warnings)
            }
        }
    }

    /// Whether the file of a mesh states its unit.
    pub(super) fn states_unit(&mut self, surface: &UrdfSurface) -> bool {
        let UrdfGeometry::Mesh { name, .. } = &surface.geometry else { return false };
        let file = self.places.find(name).ok();
        file.and_then(|file| self.meshes.get(&file)).is_some_and(|read| read.in_metres)
    }

    fn primitive(&mut self, surface: &UrdfSurface, primitive: &Primitive) -> Result<CollisionShape> {
        let key = primitive_key(primitive);
        if let Some(made) = self.made.get(&key) {
            return Ok(made.clone());
        }
        let shape =
            CollisionShape::primitive(*primitive).map_err(|error| self.error(surface, error.to_string()))?;
        self.count(surface, shape.drawn().triangles().len())?;
        self.made.insert(key, shape.clone());
        Ok(shape)
    }

    fn scaled_mesh(
        &mut self,
        surface: &UrdfSurface,
        file: PathBuf,
        scale: DVec3,
        warnings: &mut Warnings,
    ) -> Result<CollisionShape> {
        let key = ShapeKey::Mesh(file.clone(), scale.to_array().map(f64::to_bits));
        if let Some(made) = self.made.get(&key) {
            return Ok(made.clone());
        }
        let read = self.mesh(surface, &file, warnings)?;
        self.count(surface, read.triangles.len())?;
        let mesh = scaled(&read, scale).map_err(|error| {
            let error = Error::file(&file, error.to_string());
            self.error(surface, error.to_string())
        })?;
        // Lengths of robots are in metres, whatever the sizes of other links.
        if !likely_millimetres(&[mesh.diagonal()]).is_empty() {
            let what = format!(
                "the mesh is {} m across: if its file is in millimetres, it needs scale=\"0.001 0.001 0.001\"",
                rounded(mesh.diagonal(), 3)
            );
            warnings.push(self.error(surface, what));
        }
        let shape = CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh)));
        self.made.insert(key, shape.clone());
        Ok(shape)
    }

    /// The content of a mesh file, which is read once.
    fn mesh(&mut self, surface: &UrdfSurface, file: &Path, warnings: &mut Warnings) -> Result<Rc<MeshFile>> {
        if let Some(read) = self.meshes.get(file) {
            return Ok(Rc::clone(read));
        }
        let read = mesh::read_named(file, self.unread);
        let read = read.map_err(|error| self.error(surface, error.to_string()))?;
        self.missing.extend(read.missing.iter().map(Error::to_string));
        for warning in &read.warnings {
            warnings.push(Error::file(file, warning.as_str()));
        }
        let read = Rc::new(read);
        self.meshes.insert(file.to_path_buf(), Rc::clone(&read));
        self.files.push(file.to_path_buf());
        Ok(read)
    }

    fn count(&mut self, surface: &UrdfSurface, triangles: usize) -> Result<()> {
        self.triangles = self.triangles.saturating_add(triangles);
        if self.triangles > SCENE_TRIANGLES {
            let found = format!("found more than {SCENE_TRIANGLES} triangles in all, expected no more");
            return Err(self.error(surface, found));
        }
        limits::check_triangles(triangles).map_err(|message| self.error(surface, message))
    }

    #[cold]
    fn error(&self, surface: &UrdfSurface, what: impl Into<String>) -> Error {
        Error::key(self.path, surface.key.clone(), surface.line, what)
    }
}

/// The mesh in metres. If the scale is a reflection, its triangles are reversed.
fn scaled(file: &MeshFile, scale: DVec3) -> std::result::Result<Mesh, chasles::Error> {
    let vertices = file.vertices.iter().map(|vertex| *vertex * scale).collect();
    let mirrored = scale.to_array().into_iter().filter(|factor| *factor < 0.0).count() % 2 == 1;
    let oriented = |&[a, b, c]: &[u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
    Mesh::new(vertices, file.triangles.iter().map(oriented).collect())
}

fn primitive_key(primitive: &Primitive) -> ShapeKey {
    let (kind, sizes) = match *primitive {
        Primitive::Box { size } => (0, size.to_array()),
        Primitive::Sphere { radius } => (1, [radius, 0.0, 0.0]),
        Primitive::Cylinder { radius, height } => (2, [radius, height, 0.0]),
        Primitive::Cone { radius, height } => (3, [radius, height, 0.0]),
        Primitive::Capsule { radius, height } => (4, [radius, height, 0.0]),
    };
    ShapeKey::Primitive(kind, sizes.map(f64::to_bits))
}
