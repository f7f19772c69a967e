//! Mass properties at a density, for `chasles info --density`.
//!
//! ```json
//! {"density":1000.0,"volume":2.0,"mass":2000.0,"center":[0,0,0],"inertia":[[..],[..],[..]]}
//! ```

use chasles::MassProperties;
use glam::{DMat3, DVec3};
use serde::Serialize;

use crate::text::json::{plain, plain_vector};

/// The mass properties of a body of uniform density. Lengths are in the unit of the file for a mesh file, and in
/// metres for a body of a scene; the density is a mass per cube of that unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassInfo {
    /// Mass per volume.
    pub density: f64,
    /// Volume, centre and inertia at density 1, in the frame of the mesh or body.
    pub properties: MassProperties,
}

impl MassInfo {
    /// Mass properties at a uniform density.
    ///
    /// # Errors
    /// A density that is not greater than 0 or not finite; a mass or an inertia that overflows.
    pub fn of(density: f64, properties: MassProperties) -> Result<Self, String> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(format!("density: found {density}, expected a finite number greater than 0"));
        }
        let info = Self { density, properties };
        if info.mass().is_finite() && info.inertia().is_finite() {
            Ok(info)
        } else {
            Err(format!(
                "density: found {density:e}, with which the mass or the inertia is too large for a double"
            ))
        }
    }

    /// Density times volume.
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.density * self.properties.volume
    }

    /// About the centre of mass, along the axes of the body's frame.
    #[must_use]
    pub fn inertia(&self) -> DMat3 {
        self.properties.inertia * self.density
    }

    /// The relative error of the volume of a solid made of parts, if it exceeds rounding errors.
    #[must_use]
    pub fn relative_error(&self) -> Option<f64> {
        Some(self.properties.accuracy).filter(|fraction| *fraction > ROUNDINGS)
    }
}

/// Relative error of a volume that counts as rounding: a table prints fewer digits.
const ROUNDINGS: f64 = 1e-7;

/// The mass properties in JSON: the order of the fields is the order of the keys.
#[derive(Debug, Serialize)]
pub(crate) struct MassJson {
    density: f64,
    volume: f64,
    mass: f64,
    center: [f64; 3],
    inertia: [[f64; 3]; 3],
    /// Present if it exceeds rounding errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<f64>,
}

impl MassJson {
    pub(crate) fn of(info: &MassInfo) -> Self {
        let MassProperties { volume, center, .. } = info.properties;
        let inertia = info.inertia();
        // The matrix is symmetric, so its rows are its columns.
        let rows: [DVec3; 3] = [inertia.x_axis, inertia.y_axis, inertia.z_axis];
        Self {
            density: info.density,
            volume: plain(volume),
            mass: plain(info.mass()),
            center: plain_vector(center),
            inertia: rows.map(plain_vector),
            accuracy: info.relative_error(),
        }
    }
}
