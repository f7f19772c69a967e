//! Round convex shapes: their support function, and the signed distance from their surface.
//!
//! A round shape is a profile rotated about an axis, so its placement is given by its centre and the direction of
//! its axis; a rotation about the axis changes nothing. For a convex body K with support function h(n) = max n·x
//! over K, the **signed distance** of a point is
//!
//! ```text
//! sd(p) = max over unit n of n·p - h(n)
//! ```
//!
//! negative inside. It is convex and 1-Lipschitz.

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::shape::Primitive;

/// A round primitive, in metres; its axis is z, its centre the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RoundShape {
    Sphere {
        radius: f64,
    },
    Cylinder {
        radius: f64,
        height: f64,
    },
    /// The tip is up.
    Cone {
        radius: f64,
        height: f64,
    },
    /// The height of the cylindrical part.
    Capsule {
        radius: f64,
        height: f64,
    },
}

/// A placed round shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Placed {
    pub(crate) round: RoundShape,
    pub(crate) centre: DVec3,
    /// A unit vector.
    pub(crate) axis: DVec3,
}

impl RoundShape {
    /// `None` for a box, which is treated as a mesh.
    pub(crate) fn of(primitive: &Primitive) -> Option<Self> {
        match *primitive {
            Primitive::Box { .. } => None,
            Primitive::Sphere { radius } => Some(Self::Sphere { radius }),
            Primitive::Cylinder { radius, height } => Some(Self::Cylinder { radius, height }),
            Primitive::Cone { radius, height } => Some(Self::Cone { radius, height }),
            Primitive::Capsule { radius, height } => Some(Self::Capsule { radius, height }),
        }
    }

    /// The radius of the largest ball inside.
    pub(crate) fn inradius(&self) -> f64 {
        match *self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => radius,
            Self::Cylinder { radius, height } => radius.min(0.5 * height),
            Self::Cone { radius, height } => {
                let sum = radius + length_of(radius, height);
                if sum > 0.0 { height * (radius / sum) } else { 0.0 }
            }
        }
    }

    /// An upper bound of the distance of any point from the centre.
    pub(crate) fn radius(&self) -> f64 {
        match *self {
            Self::Sphere { radius } => radius,
            Self::Capsule { radius, height } => radius + 0.5 * height,
            Self::Cylinder { radius, height } | Self::Cone { radius, height } => {
                length_of(radius, 0.5 * height) * (1.0 + 4.0 * f64::EPSILON)
            }
        }
    }

    /// The maximum offsets of points from the centre, along and across the axis. The radius of a ball around each
    /// point is not included, as rotation does not change a ball.
    pub(crate) fn arms(&self) -> [f64; 2] {
        match *self {
            Self::Sphere { .. } => [0.0; 2],
            Self::Capsule { height, .. } => [0.5 * height, 0.0],
            Self::Cylinder { radius, height } | Self::Cone { radius, height } => [0.5 * height, radius],
        }
    }

    /// The maximum distance from the centre of the points that carry the surface; 0 for a ball, whose motion is its
    /// centre's, however it spins.
    pub(crate) fn core_radius(&self) -> f64 {
        let [along, across] = self.arms();
        length_of(along, across) * (1.0 + 4.0 * f64::EPSILON)
    }

    /// Signed distance and its gradient in the plane of (distance from the axis, height).
    fn profile_distance(&self, across: f64, z: f64) -> (f64, [f64; 2]) {
        match *self {
            Self::Sphere { radius } => from_point(across, z, radius),
            Self::Capsule { radius, height } => {
                let beyond = (z.abs() - 0.5 * height).max(0.0);
                from_point(across, beyond.copysign(z), radius)
            }
            Self::Cylinder { radius, height } => {
                let (side, end) = (across - radius, z.abs() - 0.5 * height);
                let up = 1.0_f64.copysign(z);
                if side > 0.0 && end > 0.0 {
                    from_point(side, end * up, 0.0)
                } else if side > end {
                    (side, [1.0, 0.0])
                } else {
                    (end, [0.0, up])
                }
            }
            Self::Cone { radius, height } => cone_distance(radius, height, across, z),
        }
    }
}

/// The distance of (x, y) from the origin minus a radius, and its gradient.
fn from_point(x: f64, y: f64, radius: f64) -> (f64, [f64; 2]) {
    let length = length_of(x, y);
    let gradient = if length > 0.0 { [x / length, y / length] } else { [1.0, 0.0] };
    (length - radius, gradient)
}

fn cone_distance(radius: f64, height: f64, across: f64, z: f64) -> (f64, [f64; 2]) {
    let slant = length_of(radius, height);
    // Depth below the base, depth below the tip, and coordinates outward from the side and along it from the tip.
    let (base, below) = (-z - 0.5 * height, 0.5 * height - z);
    let normal = if slant > 0.0 { [height / slant, radius / slant] } else { [1.0, 0.0] };
    let side = across * normal[0] - below * normal[1];
    let along = across * normal[1] + below * normal[0];
    if base <= 0.0 && side <= 0.0 {
        return if side > base { (side, normal) } else { (base, [0.0, -1.0]) };
    }
    if base > 0.0 && across <= radius {
        (base, [0.0, -1.0])
    } else if along <= 0.0 {
        from_point(across, -below, 0.0)
    } else if along >= slant || base > 0.0 {
        from_point(across - radius, -base, 0.0)
    } else {
        (side, normal)
    }
}

/// Lengths below 1e-154 become 0; every rounding bound here covers that.
fn length_of(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

impl Placed {
    /// The components of a vector along and across the axis.
    fn parts(&self, v: DVec3) -> (f64, DVec3) {
        let along = v.dot(self.axis);
        (along, v - along * self.axis)
    }

    /// The unit vector along `across`, the component across the axis of a vector of the given length; zero if
    /// `across` is shorter than the rounding of that length and thus has no direction. Rounding also leaves a
    /// component along the axis, which is removed again.
    fn outward(&self, across: DVec3, length: f64) -> DVec3 {
        if across.length() <= 4.0 * f64::EPSILON * length {
            return DVec3::ZERO;
        }
        let unit = unit_along(across);
        unit_along(unit - unit.dot(self.axis) * self.axis)
    }

    /// The support function along a unit vector: the maximum of n·x.
    pub(crate) fn reach(&self, n: DVec3) -> f64 {
        let (along, across) = self.parts(n);
        let beyond = match self.round {
            RoundShape::Sphere { radius } => radius,
            RoundShape::Capsule { radius, height } => radius + 0.5 * height * along.abs(),
            RoundShape::Cylinder { radius, height } => radius * across.length() + 0.5 * height * along.abs(),
            RoundShape::Cone { radius, height } => {
                (0.5 * height * along).max(radius * across.length() - 0.5 * height * along)
            }
        };
        n.dot(self.centre) + beyond
    }

    /// A support point along a unit vector.
    pub(crate) fn support(&self, n: DVec3) -> DVec3 {
        let (along, across) = self.parts(n);
        let end = |height: f64| 0.5 * height.copysign(along) * self.axis;
        let arm = match self.round {
            RoundShape::Sphere { radius } => radius * n,
            RoundShape::Capsule { radius, height } => radius * n + end(height),
            RoundShape::Cylinder { radius, height } => radius * self.outward(across, 1.0) + end(height),
            RoundShape::Cone { radius, height } => {
                let half = 0.5 * height * self.axis;
                if height * along > radius * across.length() {
                    half
                } else {
                    radius * self.outward(across, 1.0) - half
                }
            }
        };
        self.centre + arm
    }

    /// The signed distance of a point, exact inside and outside up to a few rounding errors, and its gradient: a
    /// unit vector n with sd(q) >= sd(p) + n·(q - p) for every q.
    pub(crate) fn signed_distance(&self, p: DVec3) -> (f64, DVec3) {
        let (z, across) = self.parts(p - self.centre);
        let distance = across.length();
        let (value, [outward, up]) = self.round.profile_distance(distance, z);
        let radial = match outward {
            0.0 => DVec3::ZERO,
            _ if distance > 0.01 * z.abs() => across / distance,
            _ => match self.outward(across, z.abs()) {
                DVec3::ZERO => self.axis.any_orthonormal_vector(),
                radial => radial,
            },
        };
        (value, outward * radial + up * self.axis)
    }

    /// The direction of the surface's straight line nearest to a point; zero if the surface has none.
    pub(crate) fn generator(&self, p: DVec3) -> DVec3 {
        match self.round {
            RoundShape::Sphere { .. } => DVec3::ZERO,
            RoundShape::Cylinder { .. } | RoundShape::Capsule { .. } => self.axis,
            RoundShape::Cone { radius, height } => {
                let (z, across) = self.parts(p - self.centre);
                unit_along(radius * self.outward(across, z.abs()) - height * self.axis)
            }
        }
    }

    /// The point of the nearer rim that is nearest to a point, and the tangent there, with the length of the radius.
    pub(crate) fn on_rim(&self, p: DVec3) -> Option<(DVec3, DVec3)> {
        let (z, across) = self.parts(p - self.centre);
        let (radius, end) = match self.round {
            RoundShape::Sphere { .. } | RoundShape::Capsule { .. } => return None,
            RoundShape::Cylinder { radius, height } => (radius, 0.5 * height.copysign(z)),
            RoundShape::Cone { radius, height } => (radius, -0.5 * height),
        };
        let radial = self.outward(across, z.abs());
        let point = self.centre + end * self.axis + radius * radial;
        Some((point, radius * self.axis.cross(radial)))
    }

    /// The straight line of a cylinder's or cone's surface that faces a unit vector.
    pub(crate) fn line_facing(&self, n: DVec3) -> Option<[DVec3; 2]> {
        let (_, across) = self.parts(n);
        let radial = self.outward(across, 1.0);
        let ends = |low: f64, high: f64, height: f64| {
            let half = 0.5 * height * self.axis;
            Some([self.centre + low * radial - half, self.centre + high * radial + half])
        };
        match self.round {
            RoundShape::Sphere { .. } | RoundShape::Capsule { .. } => None,
            RoundShape::Cylinder { radius, height } => ends(radius, radius, height),
            RoundShape::Cone { radius, height } => ends(radius, 0.0, height),
        }
    }

    /// The set of points at least `depth` inside, for a depth up to the inradius: it is a shape of the same kind.
    pub(crate) fn shrunk(&self, depth: f64) -> Self {
        let less = |size: f64, by: f64| (size - by).max(0.0);
        let (round, shift) = match self.round {
            RoundShape::Sphere { radius } => (RoundShape::Sphere { radius: less(radius, depth) }, 0.0),
            RoundShape::Capsule { radius, height } => {
                (RoundShape::Capsule { radius: less(radius, depth), height }, 0.0)
            }
            RoundShape::Cylinder { radius, height } => {
                (RoundShape::Cylinder { radius: less(radius, depth), height: less(height, 2.0 * depth) }, 0.0)
            }
            RoundShape::Cone { radius, height } => {
                // Towards the centre of the inscribed ball, which is one inradius above the base.
                let inradius = self.round.inradius();
                let fraction = if inradius > 0.0 { less(1.0, depth / inradius) } else { 0.0 };
                let shift = (1.0 - fraction) * (inradius - 0.5 * height);
                (RoundShape::Cone { radius: fraction * radius, height: fraction * height }, shift)
            }
        };
        Self { round, centre: self.centre + shift * self.axis, axis: self.axis }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use chasles_testing::Random;

    use super::*;

    /// A random shape of size about `scale`, sometimes flat or thin.
    pub(crate) fn round(random: &mut Random, scale: f64) -> RoundShape {
        let mut size = || {
            let thin = if random.unit() < 0.2 { 1e-3 } else { 1.0 };
            scale * thin * random.within(0.2, 1.0)
        };
        let (radius, height) = (size(), size());
        match random.below(4) {
            0 => RoundShape::Sphere { radius },
            1 => RoundShape::Cylinder { radius, height },
            2 => RoundShape::Cone { radius, height },
            _ => RoundShape::Capsule { radius, height },
        }
    }

    pub(crate) fn placed(random: &mut Random, scale: f64) -> Placed {
        let axis = if random.one_in(4) { DVec3::Z } else { random.direction() };
        Placed { round: round(random, scale), centre: random.vector(scale), axis }
    }

    /// Whether a point is in the shape, from its definition.
    fn contains(placed: &Placed, p: DVec3) -> bool {
        let d = p - placed.centre;
        let z = d.dot(placed.axis);
        let across = (d - z * placed.axis).length();
        match placed.round {
            RoundShape::Sphere { radius } => d.length() <= radius,
            RoundShape::Cylinder { radius, height } => across <= radius && z.abs() <= 0.5 * height,
            RoundShape::Cone { radius, height } => {
                z >= -0.5 * height && across <= radius * (0.5 - z / height)
            }
            RoundShape::Capsule { radius, height } => {
                let nearest = z.clamp(-0.5 * height, 0.5 * height);
                across.hypot(z - nearest) <= radius
            }
        }
    }

    #[test]
    fn the_support_point_attains_the_reach_and_no_inner_point_exceeds_it() {
        let random = &mut Random(1);
        for _ in 0..3000 {
            let placed = placed(random, 1.0);
            let n = if random.unit() < 0.2 { placed.axis } else { random.direction() };
            let (reach, support) = (placed.reach(n), placed.support(n));
            assert!((n.dot(support) - reach).abs() < 1e-14, "{placed:?} {n}");
            assert!(placed.signed_distance(support).0.abs() < 1e-14, "{placed:?} {n}");
            for _ in 0..30 {
                let p = placed.centre + placed.round.radius() * random.vector(1.0);
                assert!(!contains(&placed, p) || n.dot(p) <= reach + 1e-14);
            }
        }
    }

    #[test]
    fn the_signed_distance_is_the_maximum_over_all_directions() {
        let random = &mut Random(2);
        for _ in 0..3000 {
            let placed = placed(random, 1.0);
            let p = placed.centre + random.within(0.0, 1.5) * random.vector(1.0);
            let (value, n) = placed.signed_distance(p);
            // Attained by the gradient, and no direction gives more.
            assert!((n.length() - 1.0).abs() < 1e-14);
            assert!((n.dot(p) - placed.reach(n) - value).abs() < 1e-14, "{placed:?} {p} {value}");
            assert_eq!(contains(&placed, p), value <= 0.0, "{placed:?} {p} {value}");
            for _ in 0..50 {
                let other = random.direction();
                assert!(other.dot(p) - placed.reach(other) <= value + 1e-14, "{placed:?} {p}");
            }
        }
    }

    #[test]
    fn the_signed_distance_agrees_with_the_bound_of_the_primitive() {
        let random = &mut Random(3);
        for _ in 0..3000 {
            let (radius, height) = (random.within(0.1, 2.0), random.within(0.1, 2.0));
            let primitives = [
                Primitive::Sphere { radius },
                Primitive::Cylinder { radius, height },
                Primitive::Cone { radius, height },
                Primitive::Capsule { radius, height },
            ];
            for primitive in primitives {
                let round = RoundShape::of(&primitive).unwrap();
                let placed = Placed { round, centre: DVec3::ZERO, axis: DVec3::Z };
                let p = 2.0 * random.vector(1.0);
                let (value, bound) = (placed.signed_distance(p).0, primitive.distance_outside(p));
                assert!(bound <= value + 1e-14, "{primitive:?} {p}");
                assert!(value > 0.0 || bound > value - 1e-14, "{primitive:?} {p}");
            }
        }
        assert_eq!(RoundShape::of(&Primitive::Box { size: DVec3::ONE }), None);
    }

    #[test]
    fn a_shrunk_shape_contains_the_points_at_that_depth() {
        let random = &mut Random(4);
        for _ in 0..3000 {
            let placed = placed(random, 1.0);
            let depth = random.unit() * placed.round.inradius();
            let shrunk = placed.shrunk(depth);
            let p = placed.centre + placed.round.radius() * random.vector(1.0);
            let (value, inner) = (placed.signed_distance(p).0, shrunk.signed_distance(p).0);
            if value + depth <= 0.0 {
                assert!((inner - value - depth).abs() < 1e-13, "{placed:?} {depth} {p}");
            } else {
                assert!(inner >= value + depth - 1e-13);
            }
            assert!(placed.shrunk(placed.round.inradius()).round.inradius() < 1e-15);
        }
    }
}
