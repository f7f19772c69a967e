//! Random scenes of two bodies, each made for the engine and as a set with a known distance.

pub(crate) mod held;
pub(crate) mod truth;

use std::sync::Arc;

use chasles::{
    BodyMotion, CollisionShape, Expression, HeightField, LevelSet, Mesh, ParametricSurface, PartShape,
    PointCloud, Pose, PreparedMesh, Primitive, Scene, SceneBody, SceneDefinition, Screw, Solid, SolidPart,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};
use truth::{Axis, Frame, Inside, Lipschitz, Placed, Set, Way, gap, turn};

/// A body in both forms.
#[derive(Debug, Clone)]
pub(crate) struct Thing {
    pub(crate) placed: Placed,
    pub(crate) shape: CollisionShape,
    /// A description of how it was made.
    pub(crate) guise: String,
}

/// Two bodies in motion.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) things: [Thing; 2],
    pub(crate) ways: [Way; 2],
    pub(crate) motions: [BodyMotion; 2],
    pub(crate) duration: f64,
    pub(crate) epsilon: f64,
}

impl Case {
    pub(crate) fn scene(&self) -> Scene {
        self.scene_of([0, 1])
    }

    /// The scene with the bodies in a given order.
    pub(crate) fn scene_of(&self, order: [usize; 2]) -> Scene {
        let bodies = order.map(|i| body(&self.things[i], self.motions[i].clone()));
        scene(bodies.into(), self.duration, self.epsilon)
    }

    /// The gap at a time: the distance of separated bodies, otherwise at least minus their depth.
    pub(crate) fn gap(&self, time: f64) -> f64 {
        let frames = [self.ways[0].at(time), self.ways[1].at(time)];
        gap(&self.things[0].placed, &self.things[1].placed, |p| frames[0].back(frames[1].out(p)))
    }

    /// An upper bound of the rate of change of the gap, per second.
    pub(crate) fn rate(&self) -> f64 {
        let speed = |i: usize| self.ways[i].speed(self.things[i].placed.radius());
        1e-9 + 1.0001 * (speed(0) + speed(1))
    }

    pub(crate) fn with_gap<T>(&self, ask: impl FnOnce(&Lipschitz<'_>) -> T) -> T {
        ask(&Lipschitz { value: &|time| self.gap(time), rate: self.rate() })
    }

    pub(crate) fn description(&self) -> String {
        let [a, b] = &self.things;
        format!(
            "{} of {:?}\n      on {:?}\n    {} of {:?}\n      on {:?}\n    duration {}, epsilon {}",
            a.guise,
            a.placed,
            self.motions[0],
            b.guise,
            b.placed,
            self.motions[1],
            self.duration,
            self.epsilon
        )
    }
}

pub(crate) fn body(thing: &Thing, motion: BodyMotion) -> SceneBody {
    let open = matches!(thing.guise.as_str(), "parametric" | "cloud");
    SceneBody {
        name: thing.guise.clone(),
        shape: Some(thing.shape.clone()),
        motion,
        parent: None,
        group: None,
        solid: !open && thing.placed.inside == Inside::Filled,
    }
}

pub(crate) fn scene(bodies: Vec<SceneBody>, duration: f64, epsilon: f64) -> Scene {
    let definition = SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
    Scene::new(definition).unwrap().with_epsilon(epsilon).unwrap()
}

pub(crate) fn part(shape: PartShape) -> SolidPart {
    SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 }
}

pub(crate) fn moved(shape: PartShape, place: DVec3) -> SolidPart {
    SolidPart { pose: Pose::from_position(place).unwrap(), ..part(shape) }
}

/// The points in a box at which a function of x, y and z is not positive.
pub(crate) fn formula(text: &str, half: DVec3) -> PartShape {
    let formula = Expression::parse(text, &["x", "y", "z"]).unwrap();
    PartShape::Formula { formula, bounds: [-half, half] }
}

/// A solid of parts, whose whole is placed at a pose and scaled.
fn solid(mut parts: Vec<SolidPart>, pose: Pose, scale: f64) -> CollisionShape {
    let last = parts.last_mut().unwrap();
    // The last part is at its home pose.
    assert_eq!(last.pose, Pose::IDENTITY);
    (last.pose, last.scale) = (pose, scale);
    CollisionShape::solid(Arc::new(Solid::new(parts).unwrap())).unwrap()
}

/// A pose, also as a frame.
pub(crate) fn stand(random: &mut Random, place: DVec3) -> (Pose, Frame) {
    let (axis, angle) = (random.direction(), random.within(0.0, 3.0));
    let pose = Pose::new(place, DQuat::from_axis_angle(axis, angle)).unwrap();
    (pose, Frame { turn: turn(axis, angle), place })
}

/// The pose of a solid in its body, and its scale, which is a power of two.
pub(crate) fn local(random: &mut Random) -> (Pose, Frame, f64) {
    if random.one_in(2) {
        return (Pose::IDENTITY, Frame::HOME, 1.0);
    }
    let place = random.vector(0.2);
    let (pose, frame) = stand(random, place);
    (pose, frame, [0.5, 1.0, 2.0][random.below(3)])
}

fn thing(set: Set, frame: Frame, shape: CollisionShape, guise: &str) -> Thing {
    Thing { placed: Placed { set, inside: Inside::Filled, frame }, shape, guise: guise.into() }
}

/// A closed mesh of a box.
pub(crate) fn box_mesh(half: DVec3) -> Arc<Mesh> {
    let (points, faces) = crate::cases::box_of(2.0 * half);
    Arc::new(Mesh::new(points, faces).unwrap())
}

/// The ways to make a box.
///
/// Not as a "distance", for which the engine stays undecided at large depth, and takes minutes for its hollow
/// surface: finding 4.
pub(crate) const BOXES: [&str; 12] = [
    "primitive", "box part", "half-spaces", "formula", "bounds", "level set", "heights", "mesh", "mesh part",
    "two boxes", "cut box", "box and ball",
];

/// A box made in one of these ways, whose parts are at a pose.
pub(crate) fn box_in_guise(random: &mut Random, half: DVec3, guise: &str, own: (Pose, Frame, f64)) -> Thing {
    let (pose, frame, scale) = own;
    let set = Set::Box { half };
    let cuboid = |size: DVec3| PartShape::Primitive(Primitive::Box { size });
    // In the frame of the part, before scaling.
    let h = half / scale;
    let built = |parts| thing(set.clone(), frame, solid(parts, pose, scale), guise);
    match guise {
        "primitive" => {
            let shape = CollisionShape::primitive(Primitive::Box { size: 2.0 * half }).unwrap();
            thing(set, Frame::HOME, shape, guise)
        }
        "mesh" => {
            let mesh = Arc::unwrap_or_clone(box_mesh(half));
            thing(set, Frame::HOME, CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh))), guise)
        }
        "box part" => built(vec![part(cuboid(2.0 * h))]),
        "half-spaces" => {
            let mut sides = Vec::new();
            for axis in 0..3 {
                for sign in [1.0, -1.0] {
                    let length = 2.0_f64.powi(i32::try_from(random.below(7)).unwrap() - 3);
                    let normal = sign * length * DVec3::AXES[axis];
                    sides.push(part(PartShape::HalfSpace { normal, offset: length * h[axis] }));
                }
            }
            sides.push(part(PartShape::Intersection((0..6).collect())));
            built(sides)
        }
        "formula" => {
            let text = format!("max(abs(x) - {}, abs(y) - {}, abs(z) - {})", h.x, h.y, h.z);
            built(vec![part(formula(&text, h * random.within(1.0, 1.5)))])
        }
        "distance" => {
            let text = format!(
                "sqrt(max(abs(x) - {0}, 0)^2 + max(abs(y) - {1}, 0)^2 + max(abs(z) - {2}, 0)^2) \
                 + min(max(abs(x) - {0}, abs(y) - {1}, abs(z) - {2}), 0)",
                h.x, h.y, h.z
            );
            built(vec![part(formula(&text, h * 1.25))])
        }
        "bounds" => built(vec![part(formula("x - 100", h))]),
        "level set" => {
            let counts = [2 + random.below(3), 2 + random.below(3), 2 + random.below(3)];
            let spacing = 2.0 * h / DVec3::from_array(counts.map(|n| (n - 1) as f64));
            let samples = (0..counts.iter().product()).map(|_| random.within(-2.0, -0.5)).collect();
            let grid = LevelSet::new(samples, counts, spacing, -h).unwrap();
            built(vec![part(PartShape::LevelSet(Arc::new(grid)))])
        }
        "heights" => {
            let counts = [2 + random.below(3), 2 + random.below(3)];
            let spacing = [0, 1].map(|axis| 2.0 * h[axis] / (counts[axis] - 1) as f64);
            let field =
                HeightField::new(vec![h.z; counts[0] * counts[1]], counts, spacing, [-h.x, -h.y], -h.z);
            built(vec![part(PartShape::Heights(Arc::new(field.unwrap())))])
        }
        "mesh part" => built(vec![part(PartShape::Mesh(box_mesh(h)))]),
        "two boxes" => {
            // They overlap: where faces coincide a skin may count.
            let size = DVec3::new(1.25 * h.x, 2.0 * h.y, 2.0 * h.z);
            let shift = DVec3::new(0.375 * h.x, 0.0, 0.0);
            let two = [moved(cuboid(size), shift), moved(cuboid(size), -shift)];
            built(two.into_iter().chain([part(PartShape::Union(vec![0, 1]))]).collect())
        }
        "box and ball" => {
            // In the middle of the ball its function is flat, and gives little information about the depth.
            let ball = PartShape::Primitive(Primitive::Sphere { radius: 0.75 * h.min_element() });
            built(vec![part(cuboid(2.0 * h)), part(ball), part(PartShape::Union(vec![0, 1]))])
        }
        "cut box" => {
            let cut = PartShape::HalfSpace { normal: -2.0 * DVec3::Y, offset: -2.0 * h.y };
            let long = cuboid(2.0 * h * DVec3::new(1.0, 3.0, 1.0));
            let other = moved(cuboid(h * DVec3::new(4.0, 4.0, 4.0)), DVec3::new(0.0, -3.0 * h.y, 0.0));
            built(vec![part(long), part(cut), other, part(PartShape::Difference(vec![0, 1, 2]))])
        }
        other => panic!("no guise {other}"),
    }
}

/// A ball at the origin of its body, or at a position in it.
pub(crate) fn ball(random: &mut Random, radius: f64) -> Thing {
    let (pose, frame, scale) = local(random);
    let r = radius / scale;
    let set = Set::Balls(vec![(DVec3::ZERO, radius)]);
    let wide = DVec3::splat(r * random.within(1.01, 1.6));
    let which = random.below(6);
    let guise =
        ["sphere", "ball part", "ball of squares", "ball of a root", "ball of a quotient", "cloud"][which];
    let built = |shape| thing(set.clone(), frame, solid(vec![part(shape)], pose, scale), guise);
    match which {
        0 => {
            let shape = CollisionShape::primitive(Primitive::Sphere { radius }).unwrap();
            thing(set, Frame::HOME, shape, "sphere")
        }
        1 => built(PartShape::Primitive(Primitive::Sphere { radius: r })),
        2 => built(formula(&format!("x^2 + y^2 + z^2 - {r}^2"), wide)),
        3 => built(formula(&format!("sqrt(x*x + y*y + z*z) - {r}"), wide)),
        4 => built(formula(&format!("3*(x^2 + y^2 + z^2)/{r}^2 - 3"), wide)),
        _ => cloud(vec![random.vector(0.3)], radius),
    }
}

pub(crate) fn cloud(points: Vec<DVec3>, radius: f64) -> Thing {
    let numbered = (0_u32..).zip(points.iter().copied()).collect();
    let made = PointCloud::new(numbered, radius).unwrap();
    let set = Set::Balls(points.into_iter().map(|point| (point, radius)).collect());
    thing(set, Frame::HOME, CollisionShape::cloud(Arc::new(made)).unwrap(), "cloud")
}

pub(crate) fn capsule(random: &mut Random, (radius, half): (f64, f64)) -> Thing {
    let (pose, frame, scale) = local(random);
    let (r, h) = (radius / scale, half / scale);
    let set = Set::Capsule { half, radius };
    let built = |parts| thing(set.clone(), frame, solid(parts, pose, scale), "capsule");
    match random.below(4) {
        0 => {
            let shape = CollisionShape::primitive(Primitive::Capsule { radius, height: 2.0 * half }).unwrap();
            thing(set, Frame::HOME, shape, "primitive")
        }
        1 => built(vec![part(PartShape::Primitive(Primitive::Capsule { radius: r, height: 2.0 * h }))]),
        2 => {
            let text = format!("x^2 + y^2 + max(abs(z) - {h}, 0)^2 - {r}^2");
            built(vec![part(formula(&text, 1.25 * DVec3::new(r, r, h + r)))])
        }
        _ => {
            let end = PartShape::Primitive(Primitive::Sphere { radius: r });
            let ends = [moved(end.clone(), h * DVec3::Z), moved(end, -h * DVec3::Z)];
            let middle = PartShape::Primitive(Primitive::Cylinder { radius: r, height: 2.0 * h });
            let parts = ends.into_iter().chain([part(middle), part(PartShape::Union(vec![0, 1, 2]))]);
            built(parts.collect())
        }
    }
}

fn torus(random: &mut Random, (large, small): (f64, f64)) -> Thing {
    let (pose, frame, scale) = local(random);
    let (l, s) = (large / scale, small / scale);
    let set = Set::Torus { large, small };
    let wide = 1.1 * DVec3::new(l + s, l + s, s);
    let built = |text: String| {
        thing(set.clone(), frame, solid(vec![part(formula(&text, wide))], pose, scale), "torus")
    };
    match random.below(4) {
        0 | 1 => built(format!("(sqrt(x^2 + y^2) - {l})^2 + z^2 - {s}^2")),
        2 => built(format!("(x^2 + y^2 + z^2 + {l}^2 - {s}^2)^2 - 4*{l}^2*(x^2 + y^2)")),
        _ => {
            let texts = [
                format!("({large} + {small}*cos(v))*cos(u)"),
                format!("({large} + {small}*cos(v))*sin(u)"),
                format!("{small}*sin(v)"),
            ];
            let tau = std::f64::consts::TAU;
            patch(set, &texts, [[0.0, tau], [0.0, tau]])
        }
    }
}

fn patch(set: Set, texts: &[String; 3], ranges: [[f64; 2]; 2]) -> Thing {
    let coordinates = [0, 1, 2].map(|i| Expression::parse(&texts[i], &["u", "v"]).unwrap());
    let surface = ParametricSurface::new(coordinates, ranges, 1.0).unwrap();
    let shape = CollisionShape::parametric(Arc::new(surface)).unwrap();
    let placed = Placed { set, inside: Inside::Hollow, frame: Frame::HOME };
    Thing { placed, shape, guise: "parametric".into() }
}

fn sphere_patch(radius: f64) -> Thing {
    let texts =
        [format!("{radius}*cos(u)*cos(v)"), format!("{radius}*sin(u)*cos(v)"), format!("{radius}*sin(v)")];
    let pi = std::f64::consts::PI;
    patch(Set::Balls(vec![(DVec3::ZERO, radius)]), &texts, [[-pi, pi], [-0.5 * pi, 0.5 * pi]])
}

pub(crate) fn shell(random: &mut Random, outer: f64, thick: f64) -> Thing {
    let (pose, frame, scale) = local(random);
    let inner = outer - thick;
    let set = Set::Shell { outer, inner };
    let sphere = |radius: f64| part(PartShape::Primitive(Primitive::Sphere { radius: radius / scale }));
    let parts = if random.one_in(2) {
        vec![sphere(outer), sphere(inner), part(PartShape::Difference(vec![0, 1]))]
    } else {
        let text =
            format!("max(x^2 + y^2 + z^2 - {}^2, {}^2 - x^2 - y^2 - z^2)", outer / scale, inner / scale);
        vec![part(formula(&text, DVec3::splat(1.25 * outer / scale)))]
    };
    thing(set, frame, solid(parts, pose, scale), "shell")
}

/// Any body with a known distance.
pub(crate) fn target(random: &mut Random) -> Thing {
    let size = random.within(0.3, 1.0);
    let mut made = match random.below(10) {
        0 | 1 => ball(random, size),
        2..=4 => {
            let half =
                size * DVec3::new(random.within(0.1, 1.0), random.within(0.1, 1.0), random.within(0.1, 1.0));
            let own = local(random);
            let guise = BOXES[random.below(BOXES.len())];
            box_in_guise(random, half, guise, own)
        }
        5 => capsule(random, (0.4 * size, 0.6 * size)),
        6 | 7 => {
            let small = 0.7 * size * random.within(0.1, 0.6);
            torus(random, (0.7 * size, small))
        }
        8 => sphere_patch(size),
        _ => {
            let thick = size * random.within(0.05, 0.3);
            shell(random, size, thick)
        }
    };
    // Hollow: the surface alone.
    if made.guise != "cloud" && made.guise != "parametric" && random.one_in(5) {
        made.placed.inside = Inside::Hollow;
    }
    made
}

/// A body whose distance from any target has a closed form.
pub(crate) fn probe(random: &mut Random, target: &Thing) -> Thing {
    let convex = target.placed.set.is_convex() && target.placed.inside == Inside::Filled;
    let size = 10.0_f64.powf(random.within(-1.5, -0.3));
    let made = match random.below(4) {
        0 | 1 if convex => capsule(random, (0.3 * size, size)),
        0 => cloud(vec![random.vector(0.1)], 0.0),
        1 => ball(random, size),
        2 => {
            let points = (0..1 + random.below(12)).map(|_| random.vector(2.0 * size)).collect();
            cloud(points, if random.one_in(3) { 0.0 } else { random.within(0.0, 0.3) })
        }
        _ => ball(random, size),
    };
    // Two bodies of the old kinds are not treated as sets.
    let is_old = |thing: &Thing| matches!(thing.guise.as_str(), "primitive" | "sphere" | "mesh");
    if is_old(&made) && is_old(target) { cloud(vec![random.vector(0.1)], size) } else { made }
}

/// A motion that mostly leads past the origin.
pub(crate) fn way(random: &mut Random, duration: f64) -> (Way, BodyMotion) {
    let from = random.direction() * random.within(0.2, 2.5);
    let (pose, start) = stand(random, from);
    match random.below(5) {
        0 | 1 => {
            let linear = (random.vector(0.7) - from) * random.within(0.7, 2.0) / duration;
            let most = if random.one_in(4) { 0.0 } else { 4.0 * random.unit() };
            let angular = random.vector(most) / duration;
            (Way::Twist { start, linear, angular }, BodyMotion::Twist { start: pose, linear, angular })
        }
        2 => {
            let axis = Axis {
                direction: random.direction(),
                point: random.vector(1.0),
                slide: random.within(-1.5, 1.5),
                angle: random.within(-7.0, 7.0),
            };
            let screw = Screw::about(pose, axis.direction, axis.point, axis.slide, axis.angle).unwrap();
            (Way::Steps { start, times: vec![0.0, duration], axes: vec![axis] }, BodyMotion::Screw(screw))
        }
        _ => {
            let count = 2 + random.below(3);
            let mut times = vec![duration * random.within(-0.3, 0.3)];
            let mut axes = Vec::new();
            let mut keys = vec![(times[0], pose)];
            let (mut place, mut rotation) = (from, pose.rotation());
            for _ in 1..count {
                let time = times[times.len() - 1] + duration * random.within(0.1, 0.6);
                let direction = random.direction();
                // Far from half a turn, for which both senses are possible.
                let angle = random.within(0.2, 2.5);
                let axis =
                    Axis { direction, point: random.vector(1.0), slide: random.within(-1.0, 1.0), angle };
                let by = turn(direction, angle);
                place = axis.point + by * (place - axis.point) + axis.slide * direction;
                rotation = DQuat::from_axis_angle(direction, angle) * rotation;
                times.push(time);
                axes.push(axis);
                keys.push((time, Pose::new(place, rotation).unwrap()));
            }
            (Way::Steps { start, times, axes }, BodyMotion::Keyframes(keys))
        }
    }
}

/// A static body.
pub(crate) fn still(random: &mut Random) -> (Way, BodyMotion) {
    let place = random.vector(0.3);
    let (pose, frame) = stand(random, place);
    (Way::Still(frame), BodyMotion::Still(pose))
}

pub(crate) fn duration(random: &mut Random) -> f64 {
    10.0_f64.powf(random.within(-1.0, 1.0))
}

pub(crate) fn epsilon(random: &mut Random) -> f64 {
    10.0_f64.powf(random.within(-6.0, -3.0))
}

/// Two bodies, the second of which moves; sometimes both move.
pub(crate) fn case(random: &mut Random) -> Case {
    let first = target(random);
    let second = probe(random, &first);
    let duration = duration(random);
    let (stands, still) = if random.one_in(3) { way(random, duration) } else { still(random) };
    let (goes, moving) = way(random, duration);
    let epsilon = epsilon(random);
    Case { things: [first, second], ways: [stands, goes], motions: [still, moving], duration, epsilon }
}
