//! The nearest points of a round shape and another convex shape.

use glam::DVec3;

use super::support::Placed;
use crate::math::direction::unit_along;
pub(crate) use crate::math::gjk::NearestPoints;
use crate::math::gjk::{self, GjkPrecision};

/// The shape that a round shape is tested against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ConvexShape {
    Triangle([DVec3; 3]),
    Round(Placed),
}

impl ConvexShape {
    /// The minimum of n·x.
    pub(crate) fn minimum(&self, n: DVec3) -> f64 {
        match self {
            Self::Triangle([a, b, c]) => n.dot(*a).min(n.dot(*b)).min(n.dot(*c)),
            Self::Round(placed) => -placed.reach(-n),
        }
    }

    pub(super) fn support(&self, n: DVec3) -> DVec3 {
        match self {
            Self::Triangle(corners) => {
                let [x, y, z] = corners.map(|p| n.dot(p));
                corners[if x >= y && x >= z {
                    0
                } else if y >= z {
                    1
                } else {
                    2
                }]
            }
            Self::Round(placed) => placed.support(n),
        }
    }

    pub(super) fn moved(&self, by: DVec3) -> Self {
        match self {
            Self::Triangle(corners) => Self::Triangle(corners.map(|p| p + by)),
            Self::Round(placed) => Self::Round(Placed { centre: placed.centre + by, ..*placed }),
        }
    }

    /// Some point of the shape.
    pub(super) fn middle(&self) -> DVec3 {
        match self {
            Self::Triangle([a, b, c]) => (*a + *b + *c) / 3.0,
            Self::Round(placed) => placed.centre,
        }
    }
}

/// The required accuracy of a distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RoundPrecision {
    /// Relative accuracy.
    pub(super) relative: f64,
    /// For larger distances, in metres, it suffices to prove that they are larger.
    pub(super) stop_above: f64,
}

/// The nearest points, with the distance at the required accuracy, or a common point.
pub(super) fn gjk(a: &Placed, b: &ConvexShape, precision: RoundPrecision) -> NearestPoints {
    let towards = unit_along(b.middle() - a.centre);
    let accuracy = GjkPrecision {
        relative: precision.relative,
        absolute: 0.0,
        ignored_below: 0.0,
        stop_above: precision.stop_above,
    };
    gjk::gjk(towards, a.round.radius(), accuracy, |n| [a.support(n), b.support(-n)])
}
