//! Random bodies: each made for the engine, and as a function that is not positive in it.

use std::sync::Arc;

use chasles::{
    CollisionShape, Expression, HeightField, LevelSet, Mesh, PartShape, PointCloud, Pose, PreparedMesh,
    Primitive, Solid, SolidPart,
};
use chasles_testing::Random;
use glam::DVec3;

use super::formulas::formula;
use super::grids::{Heights, Samples};
use super::tape::{Place, Step, Tape};
use crate::shapes::solid_cases::stand;
use crate::shapes::solid_cases::truth::Frame;

/// A body in both forms.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) shape: CollisionShape,
    /// Not positive exactly in the body: in metres of its frame.
    pub(crate) tape: Tape,
    /// Upper bound of the distance of its points from the origin.
    pub(crate) radius: f64,
    /// A description of how it was made.
    pub(crate) told: String,
    /// Whether it may be hollow.
    pub(crate) may_be_hollow: bool,
}

/// A part under construction.
#[derive(Clone)]
struct Built {
    /// Its number in the list of parts.
    number: usize,
    /// Its function, in the coordinates of its parent.
    function: Place,
    /// If it is bounded, an upper bound of the distance of its points from the origin of its parent.
    radius: Option<f64>,
}

struct Builder<'r> {
    random: &'r mut Random,
    parts: Vec<SolidPart>,
    tape: Tape,
    told: String,
    /// Number of parts that may still be made.
    left: usize,
}

/// Points of half a size about the origin: the corners of a tetrahedron, and its faces.
fn tetrahedron(random: &mut Random, size: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    loop {
        let mut points: Vec<DVec3> = (0..4).map(|_| random.vector(size)).collect();
        let volume = (points[1] - points[0]).cross(points[2] - points[0]).dot(points[3] - points[0]);
        if volume.abs() < 0.2 * size.powi(3) {
            continue;
        }
        if volume > 0.0 {
            points.swap(0, 1);
        }
        return (points, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]);
    }
}

fn octahedron(random: &mut Random, size: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let stretch = DVec3::from_array([(); 3].map(|()| size * random.within(0.2, 1.0)));
    crate::cases::octahedron(stretch)
}

/// The planes of a convex mesh as one function.
fn planes(tape: &mut Tape, at: [Place; 3], points: &[DVec3], faces: &[[u32; 3]]) -> Place {
    let sides: Vec<_> = faces
        .iter()
        .map(|face| {
            let [a, b, c] = face.map(|i| points[i as usize]);
            let normal = (b - a).cross(c - a).normalize();
            let offset = points.iter().map(|p| normal.dot(*p)).fold(f64::NEG_INFINITY, f64::max);
            tape.push(Step::Affine(at, normal, -offset))
        })
        .collect();
    tape.push(Step::Greatest(sides))
}

fn cuboid(tape: &mut Tape, at: [Place; 3], [least, greatest]: [DVec3; 2]) -> Place {
    let (middle, half) = (0.5 * (least + greatest), 0.5 * (greatest - least));
    let sides = [0, 1, 2].map(|axis| {
        let from = if middle[axis] == 0.0 { at[axis] } else { tape.minus(at[axis], middle[axis]) };
        tape.beyond(from, half[axis])
    });
    tape.push(Step::Greatest(sides.to_vec()))
}

/// The function of a primitive, and its radius.
fn primitive(tape: &mut Tape, at: [Place; 3], shape: Primitive) -> (Place, f64) {
    let flat = [at[0], at[1]].map(|x| tape.square(x));
    let flat = tape.sum(&flat);
    match shape {
        Primitive::Box { size } => (cuboid(tape, at, [-0.5 * size, 0.5 * size]), 0.5 * size.length()),
        Primitive::Sphere { radius } => {
            let up = tape.square(at[2]);
            let all = tape.push(Step::Sum(flat, up));
            (tape.minus(all, radius * radius), radius)
        }
        Primitive::Cylinder { radius, height } => {
            let side = tape.minus(flat, radius * radius);
            let ends = tape.beyond(at[2], 0.5 * height);
            (tape.push(Step::Greatest(vec![side, ends])), radius.hypot(0.5 * height))
        }
        Primitive::Cone { radius, height } => {
            // The distance from the axis is no larger than that of the side at this height.
            let norm = tape.push(Step::Norm(vec![at[0], at[1]]));
            let slope = tape.times(radius / height, at[2]);
            let side = tape.push(Step::Sum(norm, slope));
            let side = tape.minus(side, 0.5 * radius);
            let down = tape.push(Step::Negative(at[2]));
            let base = tape.minus(down, 0.5 * height);
            (tape.push(Step::Greatest(vec![side, base])), radius.hypot(0.5 * height))
        }
        Primitive::Capsule { radius, height } => {
            let over = tape.beyond(at[2], 0.5 * height);
            let zero = tape.number(0.0);
            let over = tape.push(Step::Greatest(vec![over, zero]));
            let over = tape.square(over);
            let all = tape.push(Step::Sum(flat, over));
            (tape.minus(all, radius * radius), radius + 0.5 * height)
        }
    }
}

fn any_primitive(random: &mut Random, size: f64) -> Primitive {
    let radius = size * random.within(0.2, 0.7);
    let height = size * random.within(0.2, 1.2);
    match random.below(5) {
        0 => Primitive::Box { size: size * DVec3::from_array([(); 3].map(|()| random.within(0.2, 1.2))) },
        1 => Primitive::Sphere { radius },
        2 => Primitive::Cylinder { radius, height },
        3 => Primitive::Cone { radius, height },
        _ => Primitive::Capsule { radius: 0.6 * radius, height },
    }
}

impl Builder<'_> {
    /// A part at a position in its parent, of about a size.
    fn part(&mut self, at: [Place; 3], size: f64, levels: usize) -> Built {
        let place = self.random.vector(0.5 * size);
        let (pose, frame) = match self.random.below(4) {
            0 => (Pose::IDENTITY, Frame::HOME),
            1 => (Pose::from_position(place).unwrap(), Frame { place, ..Frame::HOME }),
            _ => stand(self.random, place),
        };
        let scale = [1.0, 1.0, 0.5, 2.0, 0.3, 1.7][self.random.below(6)];
        let own = [0, 1, 2].map(|axis| {
            // (p - place) . axis / scale
            let row = frame.turn.col(axis) / scale;
            self.tape.push(Step::Affine(at, row, -row.dot(frame.place)))
        });
        let (shape, function, radius) = self.shape(own, size / scale, levels);
        self.parts.push(SolidPart { shape, pose, scale });
        let radius = radius.map(|radius| frame.place.length() + scale * radius);
        Built { number: self.parts.len() - 1, function, radius }
    }

    /// The shape of a part, in its own frame.
    fn shape(&mut self, at: [Place; 3], size: f64, levels: usize) -> (PartShape, Place, Option<f64>) {
        if levels > 0 && self.left > 1 {
            return self.joined(at, size, levels);
        }
        self.left = self.left.saturating_sub(1);
        match self.random.below(12) {
            0..=4 => {
                let shape = any_primitive(self.random, size);
                let (function, radius) = primitive(&mut self.tape, at, shape);
                self.told += &format!(" {shape:?}");
                (PartShape::Primitive(shape), function, Some(radius))
            }
            8 => {
                let (points, faces) = match self.random.below(2) {
                    0 => tetrahedron(self.random, 0.8 * size),
                    _ => octahedron(self.random, 0.8 * size),
                };
                let function = planes(&mut self.tape, at, &points, &faces);
                let radius = points.iter().map(|p| p.length()).fold(0.0, f64::max);
                self.told += &format!(" mesh {points:?}");
                (PartShape::Mesh(Arc::new(Mesh::new(points, faces).unwrap())), function, Some(radius))
            }
            9 => self.level_set(at, size),
            10 => self.heights(at, size),
            _ => self.formula(at, size),
        }
    }

    fn half_space(&mut self, at: [Place; 3], size: f64) -> Built {
        let normal = self.random.direction() * [0.1, 1.0, 3.0][self.random.below(3)];
        let offset = 0.4 * size * self.random.side() * normal.length();
        let function = self.tape.push(Step::Affine(at, normal, -offset));
        let shape = PartShape::HalfSpace { normal, offset };
        self.told += &format!(" {shape:?}");
        self.parts.push(SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 });
        self.left = self.left.saturating_sub(1);
        Built { number: self.parts.len() - 1, function, radius: None }
    }

    fn joined(&mut self, at: [Place; 3], size: f64, levels: usize) -> (PartShape, Place, Option<f64>) {
        let which = self.random.below(3);
        self.told += [" union(", " intersection(", " difference("][which];
        let first = self.part(at, size, levels - 1);
        let count = 1 + self.random.below(3);
        let mut all = vec![first];
        for _ in 0..count {
            if self.left == 0 {
                break;
            }
            let next = if which > 0 && self.random.one_in(3) {
                self.half_space(at, size)
            } else {
                let smaller = if which == 2 { 0.7 * size } else { size };
                self.part(at, smaller, levels - 1)
            };
            all.push(next);
        }
        self.told += " )";
        let numbers = all.iter().map(|part| part.number).collect();
        let functions: Vec<_> = all.iter().map(|part| part.function).collect();
        match which {
            0 => {
                let radius = all.iter().map(|part| part.radius.unwrap()).fold(0.0, f64::max);
                (PartShape::Union(numbers), self.tape.push(Step::Least(functions)), Some(radius))
            }
            1 => {
                let radius = all.iter().filter_map(|part| part.radius).fold(f64::INFINITY, f64::min);
                (PartShape::Intersection(numbers), self.tape.push(Step::Greatest(functions)), Some(radius))
            }
            _ => {
                let mut functions = functions;
                for function in &mut functions[1..] {
                    *function = self.tape.push(Step::Negative(*function));
                }
                let radius = all[0].radius;
                (PartShape::Difference(numbers), self.tape.push(Step::Greatest(functions)), radius)
            }
        }
    }

    fn formula(&mut self, at: [Place; 3], size: f64) -> (PartShape, Place, Option<f64>) {
        let made = formula(self.random, size);
        let text = made.tape.text();
        let place = if self.random.one_in(3) { self.random.vector(0.1 * size) } else { DVec3::ZERO };
        let bounds = [place - made.half, place + made.half];
        let inner = self.tape.embed(&made.tape, at);
        // The exact numbers given to the engine.
        let sides = [0, 1, 2].map(|axis| {
            let below = self.tape.number(bounds[0][axis]);
            let below = self.tape.push(Step::Difference(below, at[axis]));
            let above = self.tape.minus(at[axis], bounds[1][axis]);
            self.tape.push(Step::Greatest(vec![below, above]))
        });
        let function = self.tape.push(Step::Greatest(vec![inner, sides[0], sides[1], sides[2]]));
        self.told += &format!(" {} \"{text}\" in {bounds:?}", made.family);
        let formula = Expression::parse(&text, &["x", "y", "z"]).unwrap();
        let radius = place.length() + made.half.length();
        (PartShape::Formula { formula, bounds }, function, Some(radius))
    }

    fn level_set(&mut self, at: [Place; 3], size: f64) -> (PartShape, Place, Option<f64>) {
        let counts = [(); 3].map(|()| 2 + self.random.below(4));
        let spacing = [0, 1, 2].map(|axis| {
            let wide = size * self.random.within(0.5, 1.5);
            wide / (counts[axis] - 1) as f64
        });
        let origin = [0, 1, 2].map(|axis| -0.5 * spacing[axis] * (counts[axis] - 1) as f64);
        let level = self.random.within(-0.2, 0.6);
        let values: Vec<f64> =
            (0..counts.iter().product()).map(|_| self.random.side() + level - 0.3).collect();
        let (from, step) = (DVec3::from_array(origin), DVec3::from_array(spacing));
        let grid = LevelSet::new(values.clone(), counts, step, from).unwrap();
        self.told += &format!(" level set {counts:?} {spacing:?} {origin:?} {values:?}");
        let to = from + step * DVec3::from_array(counts.map(|n| (n - 1) as f64));
        let sides = cuboid(&mut self.tape, at, [from, to]);
        let inner = self.tape.push(Step::Samples(Arc::new(Samples { values, counts, spacing, origin }), at));
        let function = self.tape.push(Step::Greatest(vec![inner, sides]));
        (PartShape::LevelSet(Arc::new(grid)), function, Some(from.length().max(to.length())))
    }

    fn heights(&mut self, at: [Place; 3], size: f64) -> (PartShape, Place, Option<f64>) {
        let counts = [(); 2].map(|()| 2 + self.random.below(5));
        let spacing = counts.map(|n| size * self.random.within(0.6, 1.8) / (n - 1) as f64);
        let origin = [0, 1].map(|axis| -0.5 * spacing[axis] * (counts[axis] - 1) as f64);
        let values: Vec<f64> =
            (0..counts.iter().product()).map(|_| 0.4 * size * self.random.side()).collect();
        let bottom = -size * self.random.within(0.45, 0.8);
        let field = HeightField::new(values.clone(), counts, spacing, origin, bottom).unwrap();
        self.told += &format!(" heights {counts:?} {spacing:?} {origin:?} {bottom} {values:?}");
        let to = [0, 1].map(|axis| origin[axis] + spacing[axis] * (counts[axis] - 1) as f64);
        let top = values.iter().fold(bottom, |top, x| top.max(*x));
        let half = DVec3::new(to[0].max(-origin[0]), to[1].max(-origin[1]), top.max(-bottom));
        let heights = Heights { values, counts, spacing, origin };
        let ground = self.tape.push(Step::Heights(Arc::new(heights), [at[0], at[1]]));
        let above = self.tape.push(Step::Difference(at[2], ground));
        let floor = self.tape.number(bottom);
        let below = self.tape.push(Step::Difference(floor, at[2]));
        let sides = [0, 1].map(|axis| {
            let middle = self.tape.minus(at[axis], 0.5 * (origin[axis] + to[axis]));
            self.tape.beyond(middle, 0.5 * (to[axis] - origin[axis]))
        });
        let function = self.tape.push(Step::Greatest(vec![above, below, sides[0], sides[1]]));
        (PartShape::Heights(Arc::new(field)), function, Some(half.length()))
    }
}

/// A solid of at most `parts` parts.
fn solid(random: &mut Random, size: f64, parts: usize) -> Made {
    let mut tape = Tape::default();
    let at = tape.coordinates();
    let mut builder = Builder { random, parts: Vec::new(), tape, told: String::new(), left: parts };
    let levels = match parts {
        1 => 0,
        2..=4 => 1,
        _ => 1 + builder.random.below(3),
    };
    let whole = builder.part(at, size, levels);
    let Builder { parts, mut tape, told, .. } = builder;
    tape.end_with(whole.function);
    let told = format!("{told} last {:?} {}", parts[parts.len() - 1].pose, parts[parts.len() - 1].scale);
    let shape = CollisionShape::solid(Arc::new(Solid::new(parts).unwrap())).unwrap();
    Made { shape, tape, radius: whole.radius.unwrap(), told, may_be_hollow: true }
}

/// A sheet across the x axis that is absent by less than rounding can resolve, and a ball behind it.
pub(crate) fn ball_behind_a_sheet(random: &mut Random) -> Made {
    let (half, radius) = (random.within(0.35, 0.5), random.within(0.1, 0.3));
    let behind = random.within(0.5, 0.8) * DVec3::X;
    let text = "(3*x - 1)^2 + 0.000000000000000001";
    let formula = Expression::parse(text, &["x", "y", "z"]).unwrap();
    let bounds = [DVec3::splat(-half), DVec3::splat(half)];
    let part = |shape, pose| SolidPart { shape, pose, scale: 1.0 };
    let parts = vec![
        part(PartShape::Formula { formula, bounds }, Pose::IDENTITY),
        part(PartShape::Primitive(Primitive::Sphere { radius }), Pose::from_position(-behind).unwrap()),
        part(PartShape::Union(vec![0, 1]), Pose::IDENTITY),
    ];
    let mut tape = Tape::default();
    let at = tape.coordinates();
    let thrice = tape.times(3.0, at[0]);
    let from = tape.minus(thrice, 1.0);
    let square = tape.square(from);
    let square = tape.minus(square, -1e-18);
    let sides = cuboid(&mut tape, at, bounds);
    let sheet = tape.push(Step::Greatest(vec![square, sides]));
    let along = tape.minus(at[0], -behind.x);
    let (ball, _) = primitive(&mut tape, [along, at[1], at[2]], Primitive::Sphere { radius });
    tape.push(Step::Least(vec![sheet, ball]));
    let shape = CollisionShape::solid(Arc::new(Solid::new(parts).unwrap())).unwrap();
    let told = format!("union( sheet \"{text}\" in {bounds:?} Sphere {radius} at -{behind} )");
    Made { shape, tape, radius: 2.0 * half + behind.x + radius, told, may_be_hollow: true }
}

/// A cloud of balls.
fn cloud(random: &mut Random, size: f64) -> Made {
    let points: Vec<DVec3> = (0..1 + random.below(12)).map(|_| random.vector(0.7 * size)).collect();
    let radius = size * random.within(0.02, 0.3);
    let mut tape = Tape::default();
    let at = tape.coordinates();
    let balls: Vec<_> = points
        .iter()
        .map(|point| {
            let from = [0, 1, 2].map(|axis| tape.minus(at[axis], point[axis]));
            primitive(&mut tape, from, Primitive::Sphere { radius }).0
        })
        .collect();
    tape.push(Step::Least(balls));
    let told = format!("cloud of radius {radius} {points:?}");
    let far = points.iter().map(|p| p.length()).fold(0.0, f64::max) + radius;
    let numbered = (0_u32..).zip(points).collect();
    let shape = CollisionShape::cloud(Arc::new(PointCloud::new(numbered, radius).unwrap())).unwrap();
    Made { shape, tape, radius: far, told, may_be_hollow: false }
}

/// A plain mesh or primitive.
pub(crate) fn plain(random: &mut Random, size: f64) -> Made {
    let mut tape = Tape::default();
    let at = tape.coordinates();
    if random.one_in(2) {
        let own = any_primitive(random, size);
        let (_, radius) = primitive(&mut tape, at, own);
        let shape = CollisionShape::primitive(own).unwrap();
        return Made { shape, tape, radius, told: format!("{own:?}"), may_be_hollow: true };
    }
    let (points, faces) =
        if random.one_in(2) { tetrahedron(random, 0.8 * size) } else { octahedron(random, 0.8 * size) };
    planes(&mut tape, at, &points, &faces);
    let radius = points.iter().map(|p| p.length()).fold(0.0, f64::max);
    let told = format!("mesh {points:?}");
    let shape = CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points, faces).unwrap())));
    Made { shape, tape, radius, told, may_be_hollow: true }
}

/// A solid of any kind.
pub(crate) fn target(random: &mut Random) -> Made {
    let size = random.within(0.7, 1.5);
    let parts = if random.one_in(2) { 1 } else { 2 + random.below(11) };
    solid(random, size, parts)
}

/// A body of any kind, often a smaller one.
pub(crate) fn other(random: &mut Random) -> Made {
    let size = if random.one_in(3) { random.within(0.1, 0.3) } else { random.within(0.4, 1.0) };
    match random.below(10) {
        0 => cloud(random, size),
        1..=3 => plain(random, size),
        4..=6 => solid(random, size, 1),
        _ => {
            let parts = 2 + random.below(5);
            solid(random, size, parts)
        }
    }
}
