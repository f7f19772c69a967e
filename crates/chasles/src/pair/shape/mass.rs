//! How heavy is a shape: volume, centre of mass and inertia of each kind.

use super::{CollisionShape, Kind};
use crate::error::{Error, ErrorKind};
use crate::sets::mass::solid_mass;
use crate::shape::MassProperties;

impl CollisionShape {
    /// Volume, centre of mass and inertia of the shape, filled evenly with density 1, in its own frame.
    ///
    /// A primitive is told by its closed formula, a closed mesh by exact integrals over its triangles, whatever is
    /// said of its inside elsewhere. A solid made of parts or formulas is told to a bound of what was not decided
    /// ([`MassProperties::accuracy`]), in a bounded time.
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
