//! Mass properties at a density, as `chasles info --density` tells them.
//!
//! ```json
//! {"density":1000.0,"volume":2.0,"mass":2000.0,"center":[0,0,0],"inertia":[[..],[..],[..]]}
//! ```

use chasles::MassProperties;
use glam::{DMat3, DVec3};
use serde::Serialize;

use crate::text::json::{plain, plain_vector};

/// The mass properties of a body filled evenly. Lengths are in the unit of the file for a mesh file, in metres for a
/// body of a scene; the density is a mass per cube of that unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassInfo {
    /// Mass per volume.
    pub density: f64,
    /// Volume, centre and inertia at density 1, in the frame of the mesh or body.
    pub properties: MassProperties,
}

impl MassInfo {
    /// Of a body filled evenly with a density.
    ///
    /// # Errors
    /// A density that is not greater than 0 or not finite; a mass or an inertia too large for a double.
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

    /// What is told of the volume beyond roundings: the share by which it may be wrong, of a solid made of parts.
    #[must_use]
    pub fn doubt(&self) -> Option<f64> {
        Some(self.properties.accuracy).filter(|share| *share > ROUNDINGS)
    }
}

/// A volume that is off by no more than this share is not doubted: fewer digits are printed in a table.
const ROUNDINGS: f64 = 1e-7;

/// The keys as they are written: the order of the fields is that of the keys.
#[derive(Debug, Serialize)]
pub(crate) struct MassJson {
    density: f64,
    volume: f64,
    mass: f64,
    center: [f64; 3],
    inertia: [[f64; 3]; 3],
    /// Where it is more than roundings.
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<f64>,
}

impl MassJson {
    pub(crate) fn of(info: &MassInfo) -> Self {
        let MassProperties { volume, center, .. } = info.properties;
        let inertia = info.inertia();
        // It is symmetric: rows are columns.
        let rows: [DVec3; 3] = [inertia.x_axis, inertia.y_axis, inertia.z_axis];
        Self {
            density: info.density,
            volume: plain(volume),
            mass: plain(info.mass()),
            center: plain_vector(center),
            inertia: rows.map(plain_vector),
            accuracy: info.doubt(),
        }
    }
}
