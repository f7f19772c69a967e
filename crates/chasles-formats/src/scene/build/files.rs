//! The files of a scene's shapes, each read once for each unit and set of parameters.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use chasles::{HeightField, LevelSet, Mesh};
use glam::DVec3;

use crate::cloud;
use crate::error::{Error, Result};
use crate::limits::{self, CLOUD_POINTS, GRID_SAMPLES};
use crate::mesh::{self, MeshFile, MissingGeometry};
use crate::samples::npy::{self, ArrayFile};
use crate::scene::file::{HeightsEntry, LevelSetEntry};
use crate::scene::units::LengthUnit;

/// The files read, and the amounts of memory that the scene uses.
#[derive(Default)]
pub(super) struct Files<'a> {
    part_meshes: HashMap<(&'a Path, LengthUnit), Arc<Mesh>>,
    level_sets: HashMap<(&'a Path, [u64; 6]), Arc<LevelSet>>,
    heights: HashMap<(&'a Path, LengthUnit, [u64; 5]), Arc<HeightField>>,
    triangles: Amount,
    samples: Amount,
    points: Amount,
    /// Warnings of the readers: one sentence each, with the file's name.
    pub(super) warnings: Vec<String>,
    /// The treatment of surfaces that Chasles cannot read.
    unread: MissingGeometry,
    /// The surfaces that were left out: one sentence each, with their place.
    pub(super) missing: Vec<String>,
}

/// A count of items that take memory.
#[derive(Default)]
struct Amount(usize);

impl Amount {
    /// Adds `more` items of one file. The error reports a sum above `maximum`.
    fn add(&mut self, more: usize, maximum: usize, what: &str, file: &Path) -> Result<()> {
        self.0 = self.0.saturating_add(more);
        match self.0 > maximum {
            true => {
                let all = self.0;
                let message = format!(
                    "found {more} {what}, with which the scene has {all}, expected at most {maximum} in all"
                );
                Err(Error::file(file, message))
            }
            false => Ok(()),
        }
    }
}

impl<'a> Files<'a> {
    pub(super) fn new(unread: MissingGeometry) -> Self {
        Self { unread, ..Self::default() }
    }

    pub(super) fn warn(&mut self, file: &Path, warnings: &[String]) {
        self.warnings.extend(warnings.iter().map(|warning| Error::file(file, warning).to_string()));
    }

    /// Reads a mesh and counts `copies` of its triangles, in a scene that may have `maximum`.
    pub(super) fn mesh(&mut self, file: &Path, copies: usize, maximum: usize) -> Result<MeshFile> {
        let mesh = mesh::read_named(file, self.unread)?;
        self.missing.extend(mesh.missing.iter().map(Error::to_string));
        self.warn(file, &mesh.warnings);
        self.count(file, &mesh, (copies, maximum))?;
        Ok(mesh)
    }

    /// Counts the triangles of a mesh that is used in `copies` sizes, in a scene that may have `maximum`.
    pub(super) fn count(
        &mut self,
        file: &Path,
        mesh: &MeshFile,
        (copies, maximum): (usize, usize),
    ) -> Result<()> {
        let requested = mesh.triangles.len().saturating_mul(copies);
        self.triangles.0 = self.triangles.0.saturating_add(requested);
        if self.triangles.0 > maximum {
            let (count, all) = (mesh.triangles.len(), self.triangles.0);
            let message = format!(
                "found {count} triangles in {copies} sizes, with which the scene has {all}, expected at most {maximum} in all"
            );
            return Err(Error::file(file, message));
        }
        limits::check_triangles(requested).map_err(|message| Error::file(file, message))
    }

    /// A mesh in metres, as a part of solids. `unit` applies to a file that states none.
    pub(super) fn part_mesh(
        &mut self,
        file: &'a Path,
        unit: LengthUnit,
        maximum: usize,
    ) -> Result<Arc<Mesh>> {
        if let Some(mesh) = self.part_meshes.get(&(file, unit)) {
            return Ok(Arc::clone(mesh));
        }
        let MeshFile { vertices, triangles, in_metres, .. } = self.mesh(file, 1, maximum)?;
        let in_unit = if in_metres { LengthUnit::Metres } else { unit };
        let vertices = vertices.into_iter().map(|vertex| metres(in_unit, vertex)).collect();
        let mesh = Mesh::new(vertices, triangles).map_err(|error| Error::file(file, error.to_string()))?;
        let mesh = Arc::new(mesh);
        self.part_meshes.insert((file, unit), Arc::clone(&mesh));
        Ok(mesh)
    }

    /// A level set.
    pub(super) fn level_set(&mut self, entry: &'a LevelSetEntry) -> Result<Arc<LevelSet>> {
        let LevelSetEntry { file, spacing, origin } = entry;
        let [a, b, c] = spacing.to_array().map(f64::to_bits);
        let [d, e, f] = origin.to_array().map(f64::to_bits);
        let key = (file.as_path(), [a, b, c, d, e, f]);
        if let Some(grid) = self.level_sets.get(&key) {
            return Ok(Arc::clone(grid));
        }
        let (values, counts) = self.samples(file)?;
        let grid = LevelSet::new(values, counts, *spacing, *origin);
        let grid = Arc::new(grid.map_err(|error| Error::file(file, error.to_string()))?);
        self.level_sets.insert(key, Arc::clone(&grid));
        Ok(grid)
    }

    /// A height field, whose samples are in `unit`.
    pub(super) fn heights(&mut self, entry: &'a HeightsEntry, unit: LengthUnit) -> Result<Arc<HeightField>> {
        let HeightsEntry { file, spacing, origin, bottom } = entry;
        let [[a, b], [c, d]] = [spacing, origin].map(|pair| pair.map(f64::to_bits));
        let key = (file.as_path(), unit, [a, b, c, d, bottom.to_bits()]);
        if let Some(field) = self.heights.get(&key) {
            return Ok(Arc::clone(field));
        }
        let (mut values, counts) = self.samples(file)?;
        values.iter_mut().for_each(|value| *value = unit.metres(*value));
        let field = HeightField::new(values, counts, *spacing, *origin, *bottom);
        let field = Arc::new(field.map_err(|error| Error::file(file, error.to_string()))?);
        self.heights.insert(key, Arc::clone(&field));
        Ok(field)
    }

    /// Reads the samples of a grid with N axes.
    fn samples<const N: usize>(&mut self, file: &Path) -> Result<(Vec<f64>, [usize; N])> {
        let array = npy::read(file)?;
        let counts = array.axes(file)?;
        let ArrayFile { values, warnings, .. } = array;
        self.warn(file, &warnings);
        self.samples.add(values.len(), GRID_SAMPLES, "samples", file)?;
        Ok((values, counts))
    }

    /// Reads the points of a cloud with their numbers, in metres.
    pub(super) fn points(&mut self, file: &Path, unit: LengthUnit) -> Result<Vec<(u32, DVec3)>> {
        let mut cloud = cloud::read(file)?;
        self.warn(file, &cloud.warnings);
        self.points.add(cloud.points.len(), CLOUD_POINTS, "points", file)?;
        cloud.points.iter_mut().for_each(|(_, point)| *point = metres(unit, *point));
        Ok(cloud.points)
    }
}

/// The error about a unit beside a file that states its own.
pub(super) const TWO_UNITS: &str = "found a unit, and a mesh that states its own, expected one of them";

/// Converts a point to metres.
pub(super) fn metres(unit: LengthUnit, point: DVec3) -> DVec3 {
    DVec3::from_array(point.to_array().map(|length| unit.metres(length)))
}
