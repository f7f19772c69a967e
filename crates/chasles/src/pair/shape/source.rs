//! What a shape was made of: for those who send it elsewhere.

use std::sync::Arc;

use super::{CollisionShape, Kind};
use crate::body::PreparedMesh;
use crate::deformable::surface::DeformingSurface;
use crate::shape::{ParametricSurface, PointCloud, Primitive, Solid};

/// What a shape was made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ShapeSource<'a> {
    /// A mesh; [`CollisionShape::convex_pieces`] says whether its pieces are convex.
    Mesh(&'a Arc<PreparedMesh>),
    /// A primitive.
    Primitive(Primitive),
    /// A solid.
    Solid(&'a Arc<Solid>),
    /// Points.
    Cloud(&'a Arc<PointCloud>),
    /// A surface given by formulas.
    Parametric(&'a Arc<ParametricSurface>),
    /// A mesh whose vertices move on their own.
    Deforming(&'a Arc<DeformingSurface>),
}

impl CollisionShape {
    /// What the shape was made of.
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

    /// A number that all clones of a shape share, and no other shape does as long as one of them is there.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.shown).addr()
    }
}
