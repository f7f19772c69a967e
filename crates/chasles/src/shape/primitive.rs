//! Boxes, balls, cylinders, cones and capsules, and polyhedra that approximate them.
//!
//! A polyhedron approximates a round body with a **deviation**: a proven bound of how far the round surface lies
//! outside it. All its vertices lie on the round surface, so it is inside the round body. If a body touches the
//! polyhedron from outside, it touches the round body; if it stays further than the deviation from the polyhedron,
//! it does not touch the round body.
//!
//! A round body is a profile rotated about z; its polyhedron has 16 meridians.

use glam::DVec3;

use crate::error::{Error, check_number};
use crate::shape::mesh::Mesh;

/// A body given by its sizes, centred at the origin of its frame; round bodies have their axis along z.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Primitive {
    /// A box with its edges along the axes.
    Box {
        /// Full sizes along x, y and z, in metres.
        size: DVec3,
    },
    /// A ball.
    Sphere {
        /// In metres.
        radius: f64,
    },
    /// A cylinder.
    Cylinder {
        /// In metres.
        radius: f64,
        /// In metres.
        height: f64,
    },
    /// A cone, its tip at + `height` / 2.
    Cone {
        /// Radius of the base, in metres.
        radius: f64,
        /// Height from base to tip, in metres.
        height: f64,
    },
    /// A cylinder with a hemisphere on each end.
    Capsule {
        /// In metres.
        radius: f64,
        /// Height of the cylinder, without its ends, in metres.
        height: f64,
    },
}

/// A polyhedron that approximates a primitive.
#[derive(Debug, Clone, PartialEq)]
pub struct Tessellation {
    /// The polyhedron: closed, oriented outward. Every vertex lies on or inside the surface, at most 1e-15 of the
    /// size inside.
    pub mesh: Mesh,
    /// The maximum distance of the primitive's surface from the surface of the polyhedron, in metres. 0 for a box.
    pub deviation: f64,
}

/// The number of meridians of a round body.
const MERIDIANS: u32 = 16;

/// Rings are shrunk by this factor, so that no vertex is rounded out of the round body.
const INSIDE: f64 = 1.0 - 4.0 * f64::EPSILON;

/// A computed deviation is enlarged by this factor, to cover the rounding of the few operations.
const OUTSIDE: f64 = 1.0 + 1e-12;

/// sin and cos of 0, 22.5, 45, 67.5 degrees.
const EIGHTHS: [[f64; 2]; 4] = [
    [0.0, 1.0],
    [0.382_683_432_365_089_8, 0.923_879_532_511_286_7],
    [std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2],
    [0.923_879_532_511_286_7, 0.382_683_432_365_089_8],
];

/// sin and cos of 20, 40, 60, 80 degrees: the parallels of a hemisphere; the other hemisphere's are their mirror
/// images.
const NINTHS: [[f64; 2]; 4] = [
    [0.342_020_143_325_668_7, 0.939_692_620_785_908_4],
    [0.642_787_609_686_539_3, 0.766_044_443_118_978],
    [0.866_025_403_784_438_6, 0.5],
    [0.984_807_753_012_208, 0.173_648_177_666_930_36],
];

/// cos of half the angle between two meridians: the distance of the middle of a chord of the unit circle from the
/// centre.
const APOTHEM: f64 = 0.980_785_280_403_230_4;

impl Primitive {
    /// A polyhedron inside the primitive.
    ///
    /// | primitive | triangles | vertices, from the top down, rings counted from +x towards +y |
    /// |---|---|---|
    /// | box | 12 | the corner with signs -, + of x, y, z: bits 0, 1, 2 of its number |
    /// | sphere | 256 | north pole, 8 parallels of 16 (every 20 degrees), south pole |
    /// | cylinder | 64 | centre of the top, ring of 16, ring of 16, centre of the base |
    /// | cone | 32 | tip, ring of 16, centre of the base |
    /// | capsule | 256 | pole, 4 rings of 16 (every 22.5 degrees, the last the equator), 4 rings, pole |
    ///
    /// **Deviation.** A *ball* of radius r: let p be a point of the sphere and q the point at which the ray from the
    /// centre to p leaves the polyhedron, in a face whose plane is at distance d from the centre. Then |q| >= d, and
    /// |p - q| = r - |q| <= r - d. So the deviation is at most r minus the minimum distance of a face from the
    /// centre. It is attained if the foot of that distance lies in its face. The faces between two parallels are
    /// flat trapezoids, and their planes are seen edge-on in the half-plane through the middle of their chords. For
    /// the sphere the deviation is 0.0342 r, for the ends of the capsule 0.0381 r (there the ray starts at the
    /// centre of the end).
    ///
    /// A *cylinder*: the chord of the ring is r cos(pi/16) from the axis, so every point of side, rim or base is at
    /// most r (1 - cos(pi/16)) = 0.0192 r from side or base of the polyhedron, at the same height; attained at the
    /// rim. A *cone*: the same holds at every height with the radius there, which is largest at the rim.
    ///
    /// # Errors
    /// A size is not greater than 0, or so large that a coordinate is not below 1e70.
    ///
    /// # Example
    /// ```
    /// let ball = chasles::Primitive::Sphere { radius: 0.5 }.tessellate()?;
    /// assert_eq!(ball.mesh.triangles().len(), 256);
    /// assert!(ball.deviation > 0.0170 && ball.deviation < 0.0171);
    /// # Ok::<(), chasles::Error>(())
    /// ```
    pub fn tessellate(&self) -> Result<Tessellation, Error> {
        self.check()?;
        let (profile, deviation) = match *self {
            Self::Box { size } => return Ok(Tessellation { mesh: box_mesh(size)?, deviation: 0.0 }),
            Self::Sphere { radius } => (sphere_profile(radius), radius * sagging(&sphere_profile(1.0))),
            Self::Cylinder { radius, height } => {
                let top = 0.5 * height;
                (vec![[0.0, top], [radius, top], [radius, -top], [0.0, -top]], radius * CHORD_SAG)
            }
            Self::Cone { radius, height } => {
                (vec![[0.0, 0.5 * height], [radius, -0.5 * height], [0.0, -0.5 * height]], radius * CHORD_SAG)
            }
            Self::Capsule { radius, height } => {
                let sag = sagging(&capsule_end(1.0)).max(CHORD_SAG);
                (capsule_profile(radius, height), radius * sag)
            }
        };
        let mesh = revolved(&profile)?;
        // Sizes below 1e-290 have fewer digits; there the smallest normal number covers the rounding.
        Ok(Tessellation { mesh, deviation: deviation * OUTSIDE + 16.0 * f64::MIN_POSITIVE })
    }

    /// The primitive scaled by a factor about its centre.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        match *self {
            Self::Box { size } => Self::Box { size: size * factor },
            Self::Sphere { radius } => Self::Sphere { radius: radius * factor },
            Self::Cylinder { radius, height } => {
                Self::Cylinder { radius: radius * factor, height: height * factor }
            }
            Self::Cone { radius, height } => Self::Cone { radius: radius * factor, height: height * factor },
            Self::Capsule { radius, height } => {
                Self::Capsule { radius: radius * factor, height: height * factor }
            }
        }
    }

    /// Half the sizes of the bounding box along x, y and z, in metres.
    #[must_use]
    pub fn half_size(&self) -> DVec3 {
        match *self {
            Self::Box { size } => 0.5 * size,
            Self::Sphere { radius } => DVec3::splat(radius),
            Self::Cylinder { radius, height } | Self::Cone { radius, height } => {
                DVec3::new(radius, radius, 0.5 * height)
            }
            Self::Capsule { radius, height } => DVec3::new(radius, radius, radius + 0.5 * height),
        }
    }

    /// Checks that the sizes are valid.
    ///
    /// # Errors
    /// A size is not greater than 0, or too large.
    pub fn check(&self) -> Result<(), Error> {
        for (size, name) in self.sizes() {
            check_number(size, || name.into())?;
            if size <= 0.0 {
                return Error::out_of_range(size, "greater than 0", name);
            }
        }
        Ok(())
    }

    fn sizes(&self) -> Vec<(f64, &'static str)> {
        match *self {
            Self::Box { size } => {
                vec![(size.x, "box size x"), (size.y, "box size y"), (size.z, "box size z")]
            }
            Self::Sphere { radius } => vec![(radius, "sphere radius")],
            Self::Cylinder { radius, height } => {
                vec![(radius, "cylinder radius"), (height, "cylinder height")]
            }
            Self::Cone { radius, height } => vec![(radius, "cone radius"), (height, "cone height")],
            Self::Capsule { radius, height } => {
                vec![(radius, "capsule radius"), (height, "capsule height")]
            }
        }
    }
}

/// The distance of the middle of a chord of the unit circle from the circle.
const CHORD_SAG: f64 = 1.0 - APOTHEM;

/// The profile of a sphere: points [distance from the axis, height], from the top down.
fn sphere_profile(radius: f64) -> Vec<[f64; 2]> {
    let upper = NINTHS.map(|[s, c]| [s * radius, c * radius]);
    let lower = upper.map(|[x, z]| [x, -z]);
    let mut profile = vec![[0.0, radius]];
    profile.extend(upper);
    profile.extend(lower.iter().rev());
    profile.push([0.0, -radius]);
    profile
}

/// The upper end, from the pole to the equator, about the centre of its ball.
fn capsule_end(radius: f64) -> Vec<[f64; 2]> {
    EIGHTHS.into_iter().chain([[1.0, 0.0]]).map(|[s, c]| [s * radius, c * radius]).collect()
}

fn capsule_profile(radius: f64, height: f64) -> Vec<[f64; 2]> {
    let upper = capsule_end(radius).into_iter().map(|[x, z]| [x, z + 0.5 * height]).collect::<Vec<_>>();
    let lower = upper.iter().rev().map(|[x, z]| [*x, -z]);
    upper.iter().copied().chain(lower).collect()
}

/// One minus the minimum distance, from the centre, of a face over a profile of the unit sphere.
fn sagging(profile: &[[f64; 2]]) -> f64 {
    let distance = |pair: &[[f64; 2]]| {
        let [[x, z], [v, w]] = [pair[0], pair[1]].map(|[x, z]| [x * APOTHEM, z]);
        (x * w - v * z).abs() / (v - x).hypot(w - z)
    };
    1.0 - profile.windows(2).map(distance).fold(1.0, f64::min)
}

/// The surface of revolution of a profile whose ends lie on the axis, with `MERIDIANS` meridians.
fn revolved(profile: &[[f64; 2]]) -> Result<Mesh, Error> {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    // The first vertex of the level above, and whether it is a ring.
    let mut above: Option<(u32, bool)> = None;
    let mut next = 0;
    for &[x, z] in profile {
        let ring = x > 0.0;
        let count = if ring { MERIDIANS } else { 1 };
        vertices.extend((0..count).map(|i| {
            let (cos, sin) = direction(i);
            DVec3::new(x * INSIDE * cos, x * INSIDE * sin, if ring { z * INSIDE } else { z })
        }));
        if let Some((first, above_ring)) = above {
            let at = |first: u32, ring: bool, i: u32| if ring { first + i % MERIDIANS } else { first };
            for i in 0..MERIDIANS {
                let [u, v] = [i, i + 1].map(|i| at(first, above_ring, i));
                let [l, m] = [i, i + 1].map(|i| at(next, ring, i));
                if ring {
                    triangles.push([u, l, m]);
                }
                if above_ring {
                    triangles.push([u, m, v]);
                }
            }
        }
        above = Some((next, ring));
        next += count;
    }
    Mesh::new(vertices, triangles)
}

/// cos and sin of i sixteenths of a full turn, from constants: the same bits on every machine.
fn direction(i: u32) -> (f64, f64) {
    let [sin, cos] = EIGHTHS[(i % 4) as usize];
    match i / 4 % 4 {
        0 => (cos, sin),
        1 => (-sin, cos),
        2 => (-cos, -sin),
        _ => (sin, -cos),
    }
}

fn box_mesh(size: DVec3) -> Result<Mesh, Error> {
    let sign = |i: u32, bit: u32| if i >> bit & 1 == 1 { 0.5 } else { -0.5 };
    let vertices = (0..8).map(|i| size * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
    let sides = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::new(vertices, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::distance::point_triangle;
    use crate::shape::MeshFacts;

    const ROUND: [Primitive; 7] = [
        Primitive::Sphere { radius: 0.7 },
        Primitive::Cylinder { radius: 0.3, height: 2.0 },
        Primitive::Cylinder { radius: 3.0, height: 0.2 },
        Primitive::Cone { radius: 0.4, height: 3.0 },
        Primitive::Cone { radius: 4.0, height: 0.3 },
        Primitive::Capsule { radius: 0.5, height: 1.0 },
        Primitive::Capsule { radius: 0.2, height: 1e-3 },
    ];

    /// Points of the primitive's surface, densely along one meridional sector and its mirror image.
    fn samples(primitive: &Primitive) -> Vec<DVec3> {
        const FINE: u32 = 80;
        let steps = || (0..=FINE).map(|i| f64::from(i) / f64::from(FINE));
        let profile: Vec<[f64; 2]> = steps()
            .flat_map(|s| match *primitive {
                Primitive::Box { .. } => vec![],
                Primitive::Sphere { radius } => {
                    let angle = std::f64::consts::PI * s;
                    vec![[radius * angle.sin(), radius * angle.cos()]]
                }
                Primitive::Cylinder { radius, height } => {
                    let (z, top) = ((s - 0.5) * height, 0.5 * height);
                    vec![[radius, z], [radius * s, top], [radius * s, -top]]
                }
                Primitive::Cone { radius, height } => {
                    vec![[radius * (1.0 - s), (s - 0.5) * height], [radius * s, -0.5 * height]]
                }
                Primitive::Capsule { radius, height } => {
                    let angle = 0.5 * std::f64::consts::PI * s;
                    let (x, z) = (radius * angle.sin(), radius * angle.cos() + 0.5 * height);
                    vec![[x, z], [x, -z], [radius, (s - 0.5) * height]]
                }
            })
            .collect();
        let turns = || steps().map(|s| (s * std::f64::consts::PI / 4.0).sin_cos());
        profile.iter().flat_map(|&[x, z]| turns().map(move |(s, c)| DVec3::new(x * c, x * s, z))).collect()
    }

    fn distance_to(mesh: &Mesh, point: DVec3) -> f64 {
        let squared = (0..u32::try_from(mesh.triangles().len()).unwrap())
            .map(|face| point_triangle(point - mesh.centre(), &mesh.local_triangle(face)).squared)
            .fold(f64::INFINITY, f64::min);
        squared.sqrt()
    }

    #[test]
    fn counts_are_as_documented_and_surfaces_are_closed() {
        let counts = [256, 64, 64, 32, 32, 256, 256];
        let boxed = Primitive::Box { size: DVec3::new(1.0, 2.0, 3.0) };
        for (primitive, count) in ROUND.iter().zip(counts).chain([(&boxed, 12)]) {
            let mesh = primitive.tessellate().unwrap().mesh;
            assert_eq!(mesh.triangles().len(), count, "{primitive:?}");
            let facts = MeshFacts::of(&mesh);
            assert!(facts.closed && facts.pieces == 1 && facts.degenerate_triangles == 0, "{facts:?}");
            // Oriented outward: the volume is positive, and near the body's.
            let volume: f64 = mesh
                .triangles()
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|v| mesh.vertex(v));
                    a.dot(b.cross(c)) / 6.0
                })
                .sum();
            let pi = std::f64::consts::PI;
            let (whole, least) = match *primitive {
                Primitive::Box { size } => (size.element_product(), 0.99),
                Primitive::Sphere { radius } => (4.0 / 3.0 * pi * radius.powi(3), 0.9),
                Primitive::Cylinder { radius, height } => (pi * radius * radius * height, 0.97),
                Primitive::Cone { radius, height } => (pi * radius * radius * height / 3.0, 0.97),
                Primitive::Capsule { radius, height } => {
                    (pi * radius * radius * (height + 4.0 / 3.0 * radius), 0.9)
                }
            };
            assert!(volume <= whole * (1.0 + 1e-14) && volume > least * whole, "{primitive:?} {volume}");
        }
    }

    /// Other tests compare their results with it.
    impl Primitive {
        /// A lower bound of the distance, in metres, of a point in the primitive's frame from the solid primitive;
        /// up to rounding of 1e-15 of the numbers. Nonpositive if the point is inside. Moving the point by x changes
        /// it by at most x.
        pub(crate) fn distance_outside(&self, point: DVec3) -> f64 {
            let across = point.x.hypot(point.y);
            match *self {
                Self::Box { size } => (point.abs() - 0.5 * size).max_element(),
                Self::Sphere { radius } => across.hypot(point.z) - radius,
                Self::Cylinder { radius, height } => (across - radius).max(point.z.abs() - 0.5 * height),
                Self::Cone { radius, height } => {
                    let slant = radius.hypot(height);
                    let side = across * (height / slant) + (point.z - 0.5 * height) * (radius / slant);
                    side.max(-point.z - 0.5 * height)
                }
                Self::Capsule { radius, height } => {
                    across.hypot((point.z.abs() - 0.5 * height).max(0.0)) - radius
                }
            }
        }
    }

    #[test]
    fn every_vertex_is_on_or_just_inside_the_surface() {
        for primitive in ROUND {
            let mesh = primitive.tessellate().unwrap().mesh;
            for v in 0..u32::try_from(mesh.vertex_count()).unwrap() {
                let outside = primitive.distance_outside(mesh.vertex(v));
                let size = primitive.half_size().length();
                assert!(outside <= 0.0 && outside > -4e-15 * size, "{primitive:?} {v} {outside}");
            }
        }
    }

    #[test]
    fn the_deviation_bounds_the_distance_and_is_tight() {
        for primitive in ROUND {
            let Tessellation { mesh, deviation } = primitive.tessellate().unwrap();
            let sampled = samples(&primitive).into_iter().map(|p| distance_to(&mesh, p)).fold(0.0, f64::max);
            // Tight: a bound that is 1 % smaller would be wrong for each of these shapes.
            assert!(sampled <= deviation, "{primitive:?}: {sampled} {deviation}");
            assert!(sampled > 0.995 * deviation, "{primitive:?}: {sampled} {deviation}");
        }
    }

    #[test]
    fn the_distance_outside_never_exceeds_the_true_distance() {
        for primitive in ROUND {
            let surface = samples(&primitive);
            for i in 0..200_u32 {
                // In the sector of the samples.
                let [x, y, z] = [0.618, 0.414, 0.732].map(|step| (f64::from(i) * step).fract());
                let angle = y * std::f64::consts::PI / 4.0;
                let size = primitive.half_size();
                let point = DVec3::new(
                    3.0 * size.x * x * angle.cos(),
                    3.0 * size.x * x * angle.sin(),
                    3.0 * size.z * (2.0 * z - 1.0),
                );
                let bound = primitive.distance_outside(point);
                let near = surface.iter().map(|p| p.distance(point)).fold(f64::INFINITY, f64::min);
                assert!(bound <= near + 1e-12, "{primitive:?} {point} {bound} {near}");
            }
        }
        let boxed = Primitive::Box { size: DVec3::new(1.0, 2.0, 3.0) };
        assert_eq!(boxed.distance_outside(DVec3::new(0.0, -3.0, 0.0)), 2.0);
        assert!(boxed.distance_outside(DVec3::ZERO) < 0.0);
    }

    #[test]
    fn sizes_from_tiny_to_huge_and_bad_ones() {
        for size in [1e-300, 1e-12, 1e6, 1e60] {
            for primitive in ROUND.map(|p| p.scaled(size)) {
                let found = primitive.tessellate().unwrap();
                assert!(found.deviation.is_finite() && found.deviation > 0.0);
            }
        }
        let refused = |p: Primitive| p.tessellate().unwrap_err().to_string();
        assert_eq!(
            refused(Primitive::Sphere { radius: 0.0 }),
            "sphere radius: found 0, expected greater than 0"
        );
        let cone = Primitive::Cone { radius: 1.0, height: f64::NAN };
        assert_eq!(refused(cone), "cone height: found NaN, expected a finite number");
        assert!(refused(Primitive::Box { size: DVec3::new(1.0, 1e100, 1.0) }).contains("1e100"));
    }
}
