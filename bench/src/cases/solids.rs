//! Seeded solids, as formulas and as parts, and motions of a mesh past them.

use std::fmt::Write as _;
use std::sync::Arc;

use chasles::{CollisionShape, Error, Expression, PartShape, Pose, Primitive, Screw, Solid, SolidPart};
use glam::{DQuat, DVec3};

use crate::cases::meshes::{bumpy_sphere, torus, torus_knot};
use crate::cases::shapes::Raw;
use crate::cases::sweeps::Sweep;
use chasles_testing::Random;

/// A family of solids. All have a radius of about 1 about their origins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// sqrt((sqrt(x^2 + y^2) - R)^2 + z^2) - r
    Torus,
    /// (x/a)^2 + (y/b)^2 + (z/c)^2 - 1
    Ellipsoid,
    /// A sheet around a gyroid, clipped by a box.
    Gyroid,
    /// The points where the sum of five Gaussian bells exceeds a level.
    Metaballs,
    /// Ten parts: the union of two boxes, two cylinders and two balls, minus two cylinders, a ball and a box.
    Parts,
}

/// All families, with their names.
pub const FAMILIES: [(&str, Family); 5] = [
    ("torus", Family::Torus),
    ("ellipsoid", Family::Ellipsoid),
    ("gyroid", Family::Gyroid),
    ("metaballs", Family::Metaballs),
    ("ten parts", Family::Parts),
];

/// A solid in two forms: the engine's shape, and one formula.
#[derive(Debug, Clone)]
pub struct FormulaSolid {
    /// The family of the solid.
    pub family: Family,
    /// The shape, for scenes.
    pub shape: CollisionShape,
    /// A formula that is not positive in the solid, within the bounds.
    pub formula: Expression,
    /// A bounding box of the solid.
    pub bounds: [DVec3; 2],
    /// Data for finding the furthest point of the solid along a direction.
    tops: Tops,
}

/// The method for finding the furthest point along a direction.
#[derive(Debug, Clone)]
enum Tops {
    Torus([f64; 2]),
    Ellipsoid(DVec3),
    /// Clipped by its bounds: by random search.
    Trial,
    /// By climbing along the surface, starting above these points.
    Climb(Vec<DVec3>),
    /// The united parts with their poses, followed by the subtracted parts, whose number is given.
    Parts(Vec<(Primitive, Pose)>, usize),
}

const VARIABLES: [&str; 3] = ["x", "y", "z"];

impl FormulaSolid {
    /// A solid of a family.
    ///
    /// # Errors
    /// None.
    ///
    /// # Panics
    /// If a formula here is invalid.
    pub fn new(family: Family, seed: u64) -> Result<Self, Error> {
        let random = &mut Random(seed);
        let (text, half, tops) = match family {
            Family::Torus => {
                let [ring, tube] = [random.within(0.5, 0.7), random.within(0.12, 0.3)];
                let text = format!("sqrt((sqrt(x^2 + y^2) - {ring})^2 + z^2) - {tube}");
                let wide = 1.05 * (ring + tube);
                (text, DVec3::new(wide, wide, 1.05 * tube), Tops::Torus([ring, tube]))
            }
            Family::Ellipsoid => {
                let axes = DVec3::from_array([0; 3].map(|_| random.within(0.3, 1.0)));
                let text = format!("(x/{})^2 + (y/{})^2 + (z/{})^2 - 1", axes.x, axes.y, axes.z);
                (text, 1.05 * axes, Tops::Ellipsoid(axes))
            }
            Family::Gyroid => {
                let (k, thick) = (random.within(5.0, 9.0), random.within(0.2, 0.5));
                let text = format!(
                    "abs(sin({k}*x)*cos({k}*y) + sin({k}*y)*cos({k}*z) + sin({k}*z)*cos({k}*x)) - {thick}"
                );
                (text, DVec3::splat(0.6), Tops::Trial)
            }
            Family::Metaballs => {
                let mut text = "0.4".to_owned();
                let mut centres = Vec::new();
                for _ in 0..5 {
                    let c = random.vector(0.5);
                    let sharp = random.within(8.0, 16.0);
                    let [dx, dy, dz] = c.to_array();
                    let _ =
                        write!(text, " - exp(-{sharp}*((x - ({dx}))^2 + (y - ({dy}))^2 + (z - ({dz}))^2))");
                    centres.push(c);
                }
                (text, DVec3::splat(1.1), Tops::Climb(centres))
            }
            Family::Parts => return Self::of_parts(random),
        };
        let formula = Expression::parse(&text, &VARIABLES).expect("a formula");
        let bounds = [-half, half];
        let part = PartShape::Formula { formula: formula.clone(), bounds };
        let solid = Solid::new(vec![SolidPart { shape: part, pose: Pose::IDENTITY, scale: 1.0 }]);
        let shape = CollisionShape::solid(Arc::new(solid.map_err(|wrong| wrong.error)?))?;
        Ok(Self { family, shape, formula, bounds, tops })
    }

    fn of_parts(random: &mut Random) -> Result<Self, Error> {
        let mut parts = Vec::new();
        let size = |random: &mut Random| DVec3::from_array([0; 3].map(|_| random.within(0.3, 1.0)));
        for kind in [0, 0, 1, 1, 2, 2, 1, 1, 2, 0] {
            let is_cutter = parts.len() >= 6;
            let part = match kind {
                0 => Primitive::Box { size: if is_cutter { 0.5 * size(random) } else { size(random) } },
                1 if is_cutter => Primitive::Cylinder { radius: random.within(0.05, 0.2), height: 2.5 },
                1 => Primitive::Cylinder { radius: random.within(0.1, 0.3), height: random.within(0.4, 1.2) },
                _ => Primitive::Sphere { radius: random.within(0.15, 0.4) },
            };
            parts.push((part, Pose::new(random.vector(0.45), random.even_rotation())?));
        }
        let mut list: Vec<SolidPart> = parts
            .iter()
            .map(|(part, pose)| SolidPart { shape: PartShape::Primitive(*part), pose: *pose, scale: 1.0 })
            .collect();
        let join = |shape| SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 };
        list.push(join(PartShape::Union((0..6).collect())));
        list.push(join(PartShape::Difference(vec![10, 6, 7, 8, 9])));
        let solid = Solid::new(list).map_err(|wrong| wrong.error)?;
        let bounds = solid.bounds();
        let texts: Vec<String> = parts.iter().map(|(part, pose)| text_of(part, pose)).collect();
        let text = format!("max(min({}), -({}))", texts[..6].join(", "), texts[6..].join("), -("));
        let formula = Expression::parse(&text, &VARIABLES).expect("a formula");
        let shape = CollisionShape::solid(Arc::new(solid))?;
        Ok(Self { family: Family::Parts, shape, formula, bounds, tops: Tops::Parts(parts, 4) })
    }

    /// The diagonal of the bounds, in metres.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.bounds[0].distance(self.bounds[1])
    }

    /// The support point of the solid along a unit vector: accurate to the last digits, for gyroids to about a
    /// thousandth. `None` if it cannot be found.
    #[must_use]
    pub fn top(&self, n: DVec3, random: &mut Random) -> Option<DVec3> {
        match &self.tops {
            Tops::Torus([ring, tube]) => {
                let level = DVec3::new(n.x, n.y, 0.0);
                Some(*ring * level.try_normalize()? + *tube * n)
            }
            Tops::Ellipsoid(axes) => {
                let stretched = *axes * n;
                Some(*axes * stretched / stretched.length())
            }
            Tops::Trial => self.by_trial(n, random),
            Tops::Climb(centres) => centres
                .iter()
                .filter_map(|centre| self.climbed(*centre + 2.0 * n, n))
                .max_by(|p, q| p.dot(n).total_cmp(&q.dot(n))),
            Tops::Parts(parts, cutters) => {
                let added = &parts[..parts.len() - cutters];
                let point = added
                    .iter()
                    .map(|(part, pose)| {
                        pose.transform_point(support(part, pose.inverse().transform_vector(n)))
                    })
                    .max_by(|p, q| p.dot(n).total_cmp(&q.dot(n)))?;
                // A point that a cutter removes is not a support point.
                let cut = &parts[parts.len() - cutters..];
                let clear = |(part, pose): &(Primitive, Pose)| {
                    Expression::parse(&text_of(part, pose), &VARIABLES)
                        .is_ok_and(|formula| formula.value(&point.to_array()) > 0.05)
                };
                cut.iter().all(clear).then_some(point)
            }
        }
    }

    fn is_in(&self, p: DVec3) -> bool {
        p.cmpge(self.bounds[0]).all()
            && p.cmple(self.bounds[1]).all()
            && self.formula.value(&p.to_array()) <= 0.0
    }

    /// The furthest of many random points, each improved by random steps.
    fn by_trial(&self, n: DVec3, random: &mut Random) -> Option<DVec3> {
        let [low, high] = self.bounds;
        let mut places: Vec<DVec3> = (0..20_000)
            .map(|_| low + (high - low) * DVec3::new(random.unit(), random.unit(), random.unit()))
            .filter(|p| self.is_in(*p))
            .collect();
        places.sort_by(|p, q| q.dot(n).total_cmp(&p.dot(n)));
        let tried = places.into_iter().take(20).map(|mut best| {
            let mut reach = 0.05;
            for _ in 0..2000 {
                let next = best + random.vector(reach);
                let next = next.clamp(low, high);
                if next.dot(n) > best.dot(n) && self.is_in(next) {
                    best = next;
                    reach *= 1.5;
                } else {
                    reach = (reach * 0.97_f64).max(1e-6);
                }
            }
            best
        });
        tried.max_by(|p, q| p.dot(n).total_cmp(&q.dot(n)))
    }

    fn slope(&self, p: DVec3) -> DVec3 {
        let step = 1e-6;
        let along = |axis: DVec3| {
            let value = |p: DVec3| self.formula.value(&p.to_array());
            (value(p + step * axis) - value(p - step * axis)) / (2.0 * step)
        };
        DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
    }

    /// Descends from a point outside to the surface, then climbs along the surface.
    fn climbed(&self, from: DVec3, n: DVec3) -> Option<DVec3> {
        let value = |p: DVec3| self.formula.value(&p.to_array());
        // Down to the first crossing.
        let mut high = (0..4000).map(|i| from - 1e-3 * f64::from(i) * n).find(|p| value(*p) <= 0.0)?;
        let mut step = 0.1;
        for _ in 0..3000 {
            let out = self.slope(high).normalize();
            let level = n - n.dot(out) * out;
            let mut next = high + step * level;
            for _ in 0..4 {
                let slope = self.slope(next);
                next -= value(next) / slope.length_squared() * slope;
            }
            if next.dot(n) > high.dot(n) && value(next).abs() < 1e-12 {
                high = next;
                step *= 1.2;
            } else {
                step *= 0.5;
            }
            if step < 1e-12 {
                break;
            }
        }
        (value(high).abs() < 1e-9).then_some(high)
    }
}

/// The support point of a primitive along a direction of its own frame.
fn support(part: &Primitive, n: DVec3) -> DVec3 {
    match *part {
        Primitive::Box { size } => 0.5 * size * n.signum(),
        Primitive::Sphere { radius } => radius * n,
        Primitive::Cylinder { radius, height } => {
            radius * DVec3::new(n.x, n.y, 0.0).normalize_or_zero() + 0.5 * height * n.z.signum() * DVec3::Z
        }
        Primitive::Cone { .. } | Primitive::Capsule { .. } => DVec3::ZERO,
    }
}

/// A primitive as a formula in the body's frame: negative inside, with a slope of at most 1.
fn text_of(part: &Primitive, pose: &Pose) -> String {
    let back = pose.inverse();
    let [c0, c1, c2] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| back.transform_vector(axis));
    let shift = back.transform_point(DVec3::ZERO);
    let own = |row: usize| format!("({}*x + {}*y + {}*z + {})", c0[row], c1[row], c2[row], shift[row]);
    let [x, y, z] = [own(0), own(1), own(2)];
    match *part {
        Primitive::Box { size } => {
            let [a, b, c] = (0.5 * size).to_array();
            format!("max(abs({x}) - {a}, abs({y}) - {b}, abs({z}) - {c})")
        }
        Primitive::Cylinder { radius, height } => {
            format!("max(sqrt({x}^2 + {y}^2) - {radius}, abs({z}) - {})", 0.5 * height)
        }
        Primitive::Sphere { radius } => format!("sqrt({x}^2 + {y}^2 + {z}^2) - {radius}"),
        Primitive::Cone { .. } | Primitive::Capsule { .. } => "1".into(),
    }
}

/// A mesh of about 1,000 triangles with a radius of 0.3 to 0.7 about its origin: a knot, a torus or a bumpy sphere.
#[must_use]
pub fn mover(seed: u64) -> Raw {
    let random = &mut Random(seed);
    let (points, triangles) = match seed % 3 {
        0 => torus_knot(1000),
        1 => torus(1000),
        _ => bumpy_sphere(1000, seed),
    };
    let reach = random.within(0.3, 0.7);
    (points.into_iter().map(|p| reach * p).collect(), triangles)
}

/// A screw past a solid of radius 1; the mover's origin comes within 1.4 of the solid's origin.
///
/// # Errors
/// None.
pub fn passing(seed: u64) -> Result<Screw, Error> {
    let random = &mut Random(seed);
    loop {
        let screw = Sweep::Passing.screw(random)?;
        let nearest = (0..=64).map(|i| screw.pose_at(f64::from(i) / 64.0).position().length());
        if nearest.fold(f64::INFINITY, f64::min) < 1.4 && screw.start().position().length() > 1.2 {
            return Ok(screw);
        }
    }
}

/// A screw on which the minimum gap between mover and solid is `gap`, in metres. A negative gap is the depth by
/// which they graze.
///
/// The mover rotates about an axis along a direction n, so that each of its points keeps its height along n.
/// Half-way, its lowest point is above the solid's highest. `None` if the solid's highest point cannot be found.
///
/// # Errors
/// None.
pub fn grazing(target: &FormulaSolid, mover: &Raw, gap: f64, seed: u64) -> Result<Option<Screw>, Error> {
    let random = &mut Random(seed);
    let Some((n, top)) = (0..20).find_map(|_| {
        let n = random.direction_of_two();
        target.top(n, random).map(|top| (n, top))
    }) else {
        return Ok(None);
    };
    let turn: DQuat = random.even_rotation();
    let heights = mover.0.iter().map(|p| turn * *p);
    let lowest = heights
        .fold(DVec3::INFINITY, |best, p| if !best.is_finite() || p.dot(n) < best.dot(n) { p } else { best });
    let halfway = Pose::new(top + gap * n - lowest, turn)?;
    let axis = halfway.position() + random.vector(1.5);
    let angle = random.within(0.5, 2.5);
    let start = Screw::about(halfway, n, axis, 0.0, -0.5 * angle)?.end();
    Screw::about(start, n, axis, 0.0, angle).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tops_are_of_the_solid_and_nothing_is_above() -> Result<(), Error> {
        for (name, family) in FAMILIES {
            for seed in 0..4 {
                let target = FormulaSolid::new(family, seed)?;
                let random = &mut Random(seed);
                let n = random.direction_of_two();
                let Some(top) = target.top(n, random) else { continue };
                assert!(target.formula.value(&top.to_array()) < 1e-9, "{name}, {seed}");
                let [low, high] = target.bounds;
                for _ in 0..20_000 {
                    let p = low + (high - low) * DVec3::new(random.unit(), random.unit(), random.unit());
                    assert!(
                        !target.is_in(p) || p.dot(n) <= top.dot(n) + 1e-3,
                        "{name}, {seed}: {p} {top} {n}"
                    );
                }
            }
        }
        Ok(())
    }

    #[test]
    fn grazing_motions_keep_their_heights() -> Result<(), Error> {
        let target = FormulaSolid::new(Family::Torus, 1)?;
        let mover = mover(1);
        let screw = grazing(&target, &mover, 0.1, 3)?.expect("a motion");
        for t in [0.0, 0.3, 1.0] {
            let lowest = |n: DVec3| {
                let heights = mover.0.iter().map(|p| screw.pose_at(t).transform_point(*p).dot(n));
                heights.fold(f64::INFINITY, f64::min)
            };
            let n = screw.direction();
            let top = target.top(n, &mut Random(0)).expect("a top");
            assert!((lowest(n) - top.dot(n) - 0.1).abs() < 1e-9, "{t}");
        }
        Ok(())
    }
}
