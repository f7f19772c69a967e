//! Surfaces given by formulas of two parameters.

use glam::DVec3;

use crate::error::{Error, check_number, check_positive, check_vector};
use crate::math::interval::RealInterval;
use crate::shape::expression::{Expression, TapeMemory};

/// The surface of the points (x(u, v), y(u, v), z(u, v)), in metres.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "PlainSurface"))]
pub struct ParametricSurface {
    coordinates: [Expression; 3],
    ranges: [[f64; 2]; 2],
    scale: f64,
}

impl ParametricSurface {
    /// A surface from formulas of u and v for x, y and z, and the ranges of u and v. Its size is `scale` times the
    /// size that the formulas give.
    ///
    /// # Errors
    /// A range does not increase, or its ends are not finite; or the scale is not greater than 0.
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

    /// The factor by which the surface is larger than the formulas give.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// A box that contains the surface: its minimum and maximum corner, in metres.
    ///
    /// # Errors
    /// The formulas give no bounds.
    pub fn bounds(&self) -> Result<[DVec3; 2], Error> {
        /// The number of parts that each parameter is cut into: bounds over large ranges are coarse.
        const PARTS: usize = 16;
        let mut memory = TapeMemory::default();
        let [mut min_corner, mut max_corner] = [DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY)];
        let part = |[from, to]: [f64; 2], n: usize| {
            let end = |n: usize| if n == PARTS { to } else { from + (to - from) * n as f64 / PARTS as f64 };
            RealInterval::new(end(n), end(n + 1))
        };
        for (i, j) in (0..PARTS).flat_map(|i| (0..PARTS).map(move |j| (i, j))) {
            let over = [part(self.ranges[0], i), part(self.ranges[1], j), RealInterval::ZERO];
            for (axis, formula) in self.coordinates.iter().enumerate() {
                let range = formula.range(&over, &mut memory);
                min_corner[axis] = min_corner[axis].min((self.scale * range.lo).next_down());
                max_corner[axis] = max_corner[axis].max((self.scale * range.hi).next_up());
            }
        }
        check_vector(min_corner, || "bounds of the surface".into())?;
        check_vector(max_corner, || "bounds of the surface".into())?;
        Ok([min_corner, max_corner])
    }
}

/// A surface as deserialized.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PlainSurface {
    coordinates: [Expression; 3],
    ranges: [[f64; 2]; 2],
    scale: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<PlainSurface> for ParametricSurface {
    type Error = Error;

    fn try_from(PlainSurface { coordinates, ranges, scale }: PlainSurface) -> Result<Self, Error> {
        Self::new(coordinates, ranges, scale)
    }
}
