//! The distance of two convex shapes by the algorithm of Gilbert, Johnson and Keerthi (1988).
//!
//! The difference of both shapes is convex, and its point nearest to the origin is the difference of the nearest
//! points. The search for it uses simplices of up to four support points. A support point proves a lower bound of the
//! distance, whatever the rounding before; the nearest point of a simplex proves an upper bound.

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::math::simplex::nearest_weights;

/// The nearest points of two shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NearestPoints {
    /// They are at least so far apart, up to the rounding of positions; not positive where none was proven.
    pub(crate) lower: f64,
    /// Upper bound of the distance; not positive where the shapes have a point in common.
    pub(crate) upper: f64,
    /// Nearest points of the first and of the second shape; where the shapes have a point in common, each is in both.
    pub(crate) points: [DVec3; 2],
    /// The unit direction, from the first to the second, along which `lower` is proven.
    pub(crate) normal: DVec3,
}

/// Steps at most; most shapes need 5 to 20.
const STEPS: usize = 48;

/// Points that are nearer to each other than this share of the size are one.
const COMMON: f64 = 1e-14;

/// A point of the difference, second less first, with the points it is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Supported {
    w: DVec3,
    x: DVec3,
    y: DVec3,
}

/// How exactly a distance is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Exactness {
    /// As a share of what is left of the distance without `less`.
    pub(crate) share: f64,
    /// Or in metres, whichever is more.
    pub(crate) absolute: f64,
    /// Distances below this are of no interest, in metres: the sum of radii around the shapes.
    pub(crate) less: f64,
    /// Nor is how much greater than this a distance is.
    pub(crate) more: f64,
}

/// The nearest points, with the distance known as exactly as is wanted, or a point in common. `support` gives the points
/// of the first shape furthest along a unit vector and of the second furthest against it. `towards` is the unit vector
/// that is tried first, or zero; `size` is that of the first.
#[inline]
pub(crate) fn gjk(
    (towards, size): (DVec3, f64),
    wanted: Exactness,
    support: impl Fn(DVec3) -> [DVec3; 2],
) -> NearestPoints {
    let corner = |n: DVec3| {
        let [x, y] = support(n);
        Supported { w: y - x, x, y }
    };
    let first = corner(if towards == DVec3::ZERO { DVec3::X } else { towards });
    let mut simplex = [first; 4];
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    let mut count = 1;
    let mut v = first.w;
    let mut best = NearestPoints {
        lower: f64::NEG_INFINITY,
        upper: v.length(),
        points: [first.x, first.y],
        normal: unit_along(v),
    };
    let scale = size + v.length();
    for _ in 0..STEPS {
        if best.lower > wanted.more {
            break;
        }
        let n = unit_along(v);
        if n == DVec3::ZERO || best.upper <= f64::EPSILON * scale {
            best.upper = 0.0;
            break;
        }
        let next = corner(n);
        let gap = n.dot(next.w);
        if gap > best.lower {
            (best.lower, best.normal) = (gap, n);
        }
        let enough = (wanted.share * (best.upper - wanted.less)).max(wanted.absolute);
        if best.upper - best.lower <= enough
            || best.upper < wanted.less
            || simplex[..count].iter().any(|corner| corner.w == next.w)
        {
            break;
        }
        simplex[count] = next;
        count += 1;
        let (found, inside) = nearest_weights(&simplex.map(|corner| corner.w), count);
        // Only those that matter are kept.
        let mut kept = 0;
        for i in 0..count {
            if found[i] > 0.0 {
                simplex[kept] = simplex[i];
                weights[kept] = found[i];
                kept += 1;
            }
        }
        count = kept;
        let sum = |part: fn(&Supported) -> DVec3| {
            simplex[..count]
                .iter()
                .zip(&weights)
                .map(|(corner, weight)| *weight * part(corner))
                .sum::<DVec3>()
        };
        let (x, y) = (sum(|c| c.x), sum(|c| c.y));
        if inside {
            // In a flat simplex the weights have no digits.
            if x.distance(y) <= COMMON * scale {
                best.points = [x, y];
                best.upper = 0.0;
            }
            break;
        }
        v = sum(|c| c.w);
        let length = v.length();
        if length.is_nan() || length >= best.upper {
            break;
        }
        best.upper = length;
        best.points = [x, y];
    }
    best
}
