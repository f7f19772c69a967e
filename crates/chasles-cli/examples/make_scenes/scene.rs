//! A scene with what is true of it, and the two files that say so.

use std::fmt::Write as _;

use crate::make_scenes::frames::Frames;
use crate::make_scenes::solid::{Solid, cuboid};

/// A scene and its expected report.
pub(crate) struct Scene {
    /// The name of its files, without their endings.
    pub(crate) name: &'static str,
    /// What happens in it, in a sentence.
    pub(crate) about: &'static str,
    /// Where the expected values come from, in a sentence.
    pub(crate) truth: &'static str,
    /// Seconds.
    pub(crate) duration: f64,
    /// Metres.
    pub(crate) clearance: f64,
    /// Metres, where it is not the default.
    pub(crate) epsilon: Option<f64>,
    pub(crate) bodies: Vec<Body>,
    /// How many pairs are tested.
    pub(crate) pairs_tested: usize,
    /// The pairs that are not clear.
    pub(crate) pairs: Vec<Pair>,
    /// How far the ends of an enclosure may lie from the true time, as a share of the duration.
    pub(crate) times_within: f64,
    /// How much later than the surfaces part an exit may begin, and how much before they meet an entry may end, in seconds:
    /// while they are within the tolerance or epsilon they touch.
    pub(crate) parts_within: f64,
    /// How far a point of contact may lie from the true one, in metres.
    pub(crate) points_within: f64,
    /// How far each coordinate of a normal may be from the true one, where that is more than rounding.
    pub(crate) normals_within: f64,
    /// How far the first body may go on along its motion, and how far back, before it binds on the second.
    pub(crate) play: Option<[Option<Play>; 2]>,
}

/// A way along a screw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Play {
    /// Radians.
    pub(crate) angle: f64,
    /// Metres along the axis.
    pub(crate) metres: f64,
}

pub(crate) struct Body {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// Where it starts; keyframes replace it.
    pub(crate) pose: Pose,
    pub(crate) motion: Motion,
    /// The number of the body that it rides on.
    pub(crate) parent: Option<usize>,
    pub(crate) group: Option<&'static str>,
    pub(crate) solid: bool,
    pub(crate) self_tested: bool,
}

pub(crate) enum Shape {
    /// A file `meshes/<name>.obj`.
    Mesh(&'static str, Solid),
    /// A surface with a border, as its motion begins, which has its files by this name.
    Surface(&'static str, Solid),
    /// A box by its full sizes, and its mesh.
    Box([f64; 3], Solid),
    /// As the file says it; only formulas know about it.
    Written(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pose {
    /// Metres.
    pub(crate) position: [f64; 3],
    /// (w, x, y, z).
    pub(crate) rotation: [f64; 4],
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Motion {
    None,
    /// As the scene format has it: about an axis through a point, spread over the duration.
    Screw {
        axis: [f64; 3],
        point: [f64; 3],
        slide: f64,
        angle: f64,
    },
    /// The screw that joins two poses, one at 0 and one at the end.
    Keyframes([Pose; 2]),
    /// Constant velocities, of the body's origin and about it, a second.
    Twist {
        linear: [f64; 3],
        angular: [f64; 3],
    },
    /// Poses that hold from their times on.
    Steps(Vec<(f64, Pose)>),
    /// The vertices move on their own.
    Deforming(Box<Frames>),
}

/// A pair of bodies that meet, or come near.
pub(crate) struct Pair {
    pub(crate) a: &'static str,
    pub(crate) b: &'static str,
    pub(crate) verdict: &'static str,
    pub(crate) intervals: Vec<Interval>,
    /// The least distance, in metres, where they only come near.
    pub(crate) gap: Option<f64>,
}

/// A span of contact, or of nearness, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Interval {
    pub(crate) enter: f64,
    /// None: it lasts to the end.
    pub(crate) exit: Option<f64>,
    /// None: from the start, at a jump, or not unique.
    pub(crate) contact: Option<Contact>,
}

/// The contact with which an interval begins. What is not given is not unique.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Contact {
    pub(crate) features: Option<(&'static str, Vec<u32>, Vec<u32>)>,
    /// Metres, in the world.
    pub(crate) point: Option<[f64; 3]>,
    /// From `a` to `b`, in the world.
    pub(crate) normal: Option<[f64; 3]>,
}

impl Pose {
    pub(crate) const IDENTITY: Self = Self { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] };

    pub(crate) fn at(position: [f64; 3]) -> Self {
        Self { position, ..Self::IDENTITY }
    }
}

impl Shape {
    pub(crate) fn cuboid(size: [f64; 3]) -> Self {
        Self::Box(size, cuboid(size.map(|x| -0.5 * x), size.map(|x| 0.5 * x)))
    }

    pub(crate) fn solid(&self) -> &Solid {
        match self {
            Self::Mesh(_, solid) | Self::Surface(_, solid) | Self::Box(_, solid) => solid,
            Self::Written(text) => panic!("{text} has no mesh"),
        }
    }
}

impl Body {
    /// A mesh that stands still at the origin.
    pub(crate) fn new(name: &'static str, mesh: &'static str, solid: Solid) -> Self {
        Self::of(name, Shape::Mesh(mesh, solid))
    }

    /// A shape that stands still at the origin.
    pub(crate) fn of(name: &'static str, shape: Shape) -> Self {
        let (pose, motion) = (Pose::IDENTITY, Motion::None);
        Self { name, shape, pose, motion, parent: None, group: None, solid: false, self_tested: false }
    }
}

impl Scene {
    /// The worst of the pairs' verdicts; no scene of ours has undecided ones.
    fn verdict(&self) -> &'static str {
        let any = |verdict: &str| self.pairs.iter().any(|pair| pair.verdict == verdict);
        ["overlapping", "contact", "near"].into_iter().find(|verdict| any(verdict)).unwrap_or("clear")
    }

    /// The scene file.
    pub(crate) fn to_toml(&self) -> String {
        let mut text = format!("# {}\n# Written by the example make_scenes; do not edit.\n", self.about);
        write!(text, "format = 1\nduration = {:?}\n", self.duration).expect(INFALLIBLE);
        if self.clearance > 0.0 {
            writeln!(text, "clearance = {:?}", self.clearance).expect(INFALLIBLE);
        }
        if let Some(epsilon) = self.epsilon {
            writeln!(text, "epsilon = {epsilon:?}").expect(INFALLIBLE);
        }
        for body in &self.bodies {
            write!(text, "\n[[body]]\nname = {:?}\n", body.name).expect(INFALLIBLE);
            match &body.shape {
                Shape::Mesh(mesh, _) => writeln!(text, "mesh = \"meshes/{mesh}.obj\""),
                Shape::Surface(name, _) => write!(text, "{}", frames_of(body).mesh_key(name)),
                Shape::Box(size, _) => writeln!(text, "box = {size:?}"),
                Shape::Written(shape) => writeln!(text, "{shape}"),
            }
            .expect(INFALLIBLE);
            if let Some(parent) = body.parent {
                writeln!(text, "parent = {:?}", self.bodies[parent].name).expect(INFALLIBLE);
            }
            if let Some(group) = body.group {
                writeln!(text, "group = {group:?}").expect(INFALLIBLE);
            }
            if body.solid {
                text.push_str("solid = true\n");
            }
            if body.self_tested {
                text.push_str("self = true\n");
            }
            let Pose { position, rotation } = body.pose;
            if body.pose != Pose::IDENTITY {
                writeln!(text, "pose = {{ position = {position:?}, rotation = {rotation:?} }}")
                    .expect(INFALLIBLE);
            }
            text.push_str(&self.motion(body));
        }
        text
    }

    fn motion(&self, body: &Body) -> String {
        match &body.motion {
            Motion::None => String::new(),
            Motion::Screw { axis, point, slide, angle } => format!(
                "[body.motion]\nkind = \"screw\"\naxis = {axis:?}\npoint = {point:?}\nslide = {slide:?}\n\
                 angle = {angle:?}\n"
            ),
            Motion::Keyframes([from, to]) => format!(
                "[body.motion]\nkind = \"keyframes\"\ntimes = [0.0, {:?}]\npositions = [{:?}, {:?}]\n\
                 rotations = [{:?}, {:?}]\n",
                self.duration, from.position, to.position, from.rotation, to.rotation
            ),
            Motion::Twist { linear, angular } => {
                format!("[body.motion]\nkind = \"twist\"\nlinear = {linear:?}\nangular = {angular:?}\n")
            }
            Motion::Steps(keys) => {
                let times: Vec<_> = keys.iter().map(|(time, _)| time).collect();
                let positions: Vec<_> = keys.iter().map(|(_, pose)| pose.position).collect();
                let rotations: Vec<_> = keys.iter().map(|(_, pose)| pose.rotation).collect();
                format!(
                    "[body.motion]\nkind = \"keyframes\"\ninterpolation = \"step\"\ntimes = {times:?}\n\
                     positions = {positions:?}\nrotations = {rotations:?}\n"
                )
            }
            Motion::Deforming(frames) => frames.to_toml(body.name),
        }
    }

    /// The expected report.
    pub(crate) fn to_expected(&self) -> String {
        let mut text = String::from("{\n");
        let mut line = |key: &str, value: String| writeln!(text, "  \"{key}\": {value},").expect(INFALLIBLE);
        line("scene", format!("\"{}.toml\"", self.name));
        line("about", format!("{:?}", self.about));
        line("truth", format!("{:?}", self.truth));
        line("verdict", format!("{:?}", self.verdict()));
        line("exit_status", i32::from(self.verdict() != "clear").to_string());
        line("duration", format!("{:?}", self.duration));
        line("bodies", self.bodies.len().to_string());
        line("pairs_tested", self.pairs_tested.to_string());
        line("times_within", format!("{:e}", in_digits(self.times_within * self.duration)));
        if self.parts_within > 0.0 {
            line("parts_within", format!("{:e}", self.parts_within));
        }
        line("points_within", format!("{:e}", self.points_within));
        if self.normals_within > 0.0 {
            line("normals_within", format!("{:e}", self.normals_within));
        }
        if let Some([forward, backward]) = self.play {
            let way = |way: Option<Play>| match way {
                Some(Play { angle, metres }) => format!("{{\"angle\": {angle:?}, \"metres\": {metres:?}}}"),
                None => "null".to_owned(),
            };
            let (a, b) = (self.bodies[0].name, self.bodies[1].name);
            line(
                "play",
                format!(
                    "{{\"a\": {a:?}, \"b\": {b:?}, \"forward\": {}, \"backward\": {}}}",
                    way(forward),
                    way(backward)
                ),
            );
        }
        let pairs: Vec<_> = self.pairs.iter().map(Pair::to_json).collect();
        match pairs[..] {
            [] => text.push_str("  \"pairs\": []\n}\n"),
            _ => write!(text, "  \"pairs\": [\n{}\n  ]\n}}\n", pairs.join(",\n")).expect(INFALLIBLE),
        }
        text
    }
}

/// The frames of a body that deforms.
fn frames_of(body: &Body) -> &Frames {
    match &body.motion {
        Motion::Deforming(frames) => frames,
        _ => panic!("{} has no frames", body.name),
    }
}

/// To three digits.
fn in_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().expect("a number")
}

const INFALLIBLE: &str = "a string takes every byte";

impl Pair {
    fn to_json(&self) -> String {
        let Self { a, b, verdict, intervals, gap } = self;
        let intervals: Vec<_> = intervals.iter().map(Interval::to_json).collect();
        let gap = gap.map_or(String::new(), |gap| format!(", \"gap\": {gap:?}"));
        format!(
            "    {{\"a\": {a:?}, \"b\": {b:?}, \"verdict\": {verdict:?}, \"intervals\": [\n{}\n    ]{gap}}}",
            intervals.join(",\n")
        )
    }
}

impl Interval {
    fn to_json(&self) -> String {
        let exit = self.exit.map_or("null".into(), |exit| format!("{exit:?}"));
        let mut text = format!("      {{\"enter\": {:?}, \"exit\": {exit}", self.enter);
        if let Some(contact) = &self.contact {
            text.push_str(",\n       \"contact\": {");
            if let Some((kind, a, b)) = &contact.features {
                write!(text, "\"kind\": {kind:?}, \"a\": {a:?}, \"b\": {b:?}, ").expect(INFALLIBLE);
            }
            if let Some(point) = contact.point {
                let comma = if contact.normal.is_some() { ", " } else { "" };
                write!(text, "\"point\": {point:?}{comma}").expect(INFALLIBLE);
            }
            if let Some(normal) = contact.normal {
                write!(text, "\"normal\": {normal:?}").expect(INFALLIBLE);
            }
            text.push('}');
        }
        text.push('}');
        text
    }
}
