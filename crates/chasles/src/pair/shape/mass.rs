//! Mass properties of each kind of shape: volume, centre of mass and inertia.

use super::{CollisionShape, Kind};
use crate::error::{Error, ErrorKind};
use crate::sets::mass::solid_mass;
use crate::shape::MassProperties;

impl CollisionShape {
    /// Volume, centre of mass and inertia of the shape, filled evenly with density 1, in its own frame.
    ///
    /// A primitive uses its closed formula, a closed mesh exact integrals over its triangles, even if the mesh
    /// counts as hollow elsewhere. For a solid made of parts or formulas the result has a bound of its error, from
    /// undecided cells ([`MassProperties::accuracy`]), and takes a bounded time.
    ///
    /// # Errors
    /// As [`Mesh::mass_properties`](crate::Mesh::mass_properties) and
    /// [`Primitive::mass_properties`](crate::Primitive::mass_properties). A solid without a volume that could be
    /// proven. [`ErrorKind::NotBuilt`]: a cloud of points, a parametric surface or a surface that deforms.
    pub fn mass_properties(&self) -> Result<MassProperties, Error> {
        if let Some(primitive) = &self.primitive {
            return primitive.mass_properties();
        }
        let what = match &self.kind {
            Kind::Mesh(_) => return self.drawn().mass_properties(),
            Kind::Round(_, primitive) => return primitive.mass_properties(),
            Kind::Solid(solid) => return solid_mass(solid),
            Kind::Cloud(_) => "a mass of points, which surround nothing, is",
            Kind::Parametric(_) => "a mass of a surface given by formulas, which surrounds nothing, is",
            Kind::Deforming(..) => "a mass of a surface that deforms is",
        };
        Err(Error::new(ErrorKind::NotBuilt(what), self.word()))
    }
}
