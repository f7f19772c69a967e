//! Point clouds: each point is a ball of the same radius.

use glam::DVec3;

use crate::error::{Error, ErrorKind, check_not_negative, check_vector};

/// Points in space, each a ball of the same radius.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "PlainCloud"))]
pub struct PointCloud {
    points: Vec<DVec3>,
    numbers: Vec<u32>,
    radius: f64,
}

impl PointCloud {
    /// A cloud from points and their numbers, which increase. The numbers are the input's, of which some may be
    /// omitted. Lengths in metres.
    ///
    /// # Errors
    /// There are no points; a coordinate is not finite or not below 1e70; the radius is negative or not finite; or
    /// the number of numbers and points differs.
    pub fn new(points: Vec<(u32, DVec3)>, radius: f64) -> Result<Self, Error> {
        check_not_negative(radius, "radius")?;
        if points.is_empty() {
            return Error::out_of_range(0.0, "at least one point", "points");
        }
        if u32::try_from(points.len()).is_err() {
            return Err(Error::new(ErrorKind::TooMany(points.len()), "points"));
        }
        for (number, point) in &points {
            check_vector(*point, || format!("point {number}"))?;
        }
        let (numbers, points) = points.into_iter().unzip();
        Ok(Self { points, numbers, radius })
    }

    /// In metres, in the body's frame.
    #[must_use]
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// The number of each point.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The minimum and maximum coordinates of the balls, in metres.
    #[must_use]
    pub fn bounds(&self) -> [DVec3; 2] {
        let [min_corner, max_corner] = self.points.iter().fold(
            [DVec3::splat(f64::INFINITY), DVec3::splat(f64::NEG_INFINITY)],
            |[min_corner, max_corner], point| [min_corner.min(*point), max_corner.max(*point)],
        );
        [min_corner - self.radius, max_corner + self.radius]
    }

    /// The radius of the ball around each point, in metres.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

/// A cloud as deserialized.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PlainCloud {
    points: Vec<DVec3>,
    numbers: Vec<u32>,
    radius: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<PlainCloud> for PointCloud {
    type Error = Error;

    fn try_from(PlainCloud { points, numbers, radius }: PlainCloud) -> Result<Self, Error> {
        if points.len() != numbers.len() {
            return Error::out_of_range(numbers.len() as f64, "as many numbers as points", "numbers");
        }
        Self::new(numbers.into_iter().zip(points).collect(), radius)
    }
}
