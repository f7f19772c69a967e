//! The source data of a shape, for callers that send it elsewhere.

use std::sync::Arc;

use super::{CollisionShape, Kind};
use crate::body::PreparedMesh;
use crate::deformable::surface::DeformingSurface;
use crate::shape::{ParametricSurface, PointCloud, Primitive, Solid};

/// The source data of a shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ShapeSource<'a> {
    /// A mesh; [`CollisionShape::convex_pieces`] returns its pieces if they are convex.
    Mesh(&'a Arc<PreparedMesh>),
    /// A primitive.
    Primitive(Primitive),
    /// A solid.
    Solid(&'a Arc<Solid>),
    /// Points.
    Cloud(&'a Arc<PointCloud>),
    /// A surface given by formulas.
    Parametric(&'a Arc<ParametricSurface>),
    /// A mesh whose vertices move independently.
    Deforming(&'a Arc<DeformingSurface>),
}

impl CollisionShape {
    /// The source data of the shape.
    #[must_use]
    pub fn made_of(&self) -> ShapeSource<'_> {
        match (&self.kind, self.primitive) {
            (_, Some(primitive)) => ShapeSource::Primitive(primitive),
            (Kind::Round(_, primitive), None) => ShapeSource::Primitive(*primitive),
            (Kind::Mesh(_), None) => ShapeSource::Mesh(self.drawn_body()),
            (Kind::Solid(solid), None) => ShapeSource::Solid(solid),
            (Kind::Cloud(cloud), None) => ShapeSource::Cloud(cloud),
            (Kind::Parametric(surface), None) => ShapeSource::Parametric(surface),
            (Kind::Deforming(surface, _), None) => ShapeSource::Deforming(surface),
        }
    }

    /// A number that all clones of a shape share. It is unique while any clone exists.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.shown).addr()
    }
}
