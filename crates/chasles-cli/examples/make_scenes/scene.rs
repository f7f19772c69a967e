//! A scene of the folder, with the raw numbers of its file. The program's readers are not used.

use std::path::Path;

use serde_json::Value;

use crate::make_scenes::frames::Frames;
use crate::make_scenes::meshes;
use crate::make_scenes::solid::{Solid, cuboid};

/// A scene as its file describes it.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    /// The name of its files, without their endings.
    pub(crate) name: String,
    /// Seconds.
    pub(crate) duration: f64,
    pub(crate) bodies: Vec<Body>,
    /// All keys of the file.
    pub(crate) table: Value,
}

#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) name: String,
    /// The surface at the start of the motion; `None` for shapes that only formulas describe.
    pub(crate) surface: Option<Solid>,
    /// The pose at the start; keyframes replace it.
    pub(crate) pose: Pose,
    pub(crate) motion: Motion,
    /// The index of the body that carries this one.
    pub(crate) parent: Option<usize>,
    /// All keys of the body.
    pub(crate) table: Value,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pose {
    /// Metres.
    pub(crate) position: [f64; 3],
    /// (w, x, y, z), of any length.
    pub(crate) rotation: [f64; 4],
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Motion {
    None,
    /// About an axis through a point, spread over the duration.
    Screw {
        axis: [f64; 3],
        point: [f64; 3],
        slide: f64,
        angle: f64,
    },
    /// The screw that joins two poses, one at 0 and one at the end.
    Keyframes([Pose; 2]),
    /// Constant velocities of the body's origin and about it, per second.
    Twist {
        linear: [f64; 3],
        angular: [f64; 3],
    },
    /// Poses, each of which lasts until the next key.
    Steps(Vec<(f64, Pose)>),
    /// The vertices move on their own.
    Deforming(Box<Frames>),
}

impl Pose {
    const IDENTITY: Self = Self { position: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0] };
}

impl Scene {
    /// Reads `<name>.toml` in the folder.
    pub(crate) fn read(folder: &Path, name: &str) -> Self {
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml")));
        let text = text.unwrap_or_else(|error| panic!("{name}.toml: {error}"));
        let table: Value = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}.toml: {error}"));
        let duration = number(&table, "/duration");
        let tables = table["body"].as_array().map_or(&[][..], Vec::as_slice);
        let mut bodies: Vec<_> = tables.iter().map(|body| Body::new(folder, body, duration)).collect();
        for (body, keys) in bodies.iter_mut().zip(tables) {
            body.parent = tables.iter().position(|parent| parent["name"] == keys["parent"]);
        }
        Self { name: name.to_owned(), duration, bodies, table }
    }

    /// The number of a key, or of a path of keys such as `/simulation/depth`.
    pub(crate) fn number(&self, key: &str) -> f64 {
        number(&self.table, key)
    }

    /// The pairs of bodies with a surface that the program tests: their groups differ, and at least one body moves.
    pub(crate) fn pairs(&self) -> Vec<[usize; 2]> {
        let tested = |[a, b]: [usize; 2]| {
            let [first, second] = [a, b].map(|i| &self.bodies[i]);
            if a == b {
                return first.table["self"] == true;
            }
            let groups = [first, second].map(|body| &body.table["group"]);
            let one_group = !groups[0].is_null() && groups[0] == groups[1];
            !one_group && (self.moves(a) || self.moves(b))
        };
        let with_surface = |i: &usize| self.bodies[*i].surface.is_some();
        let indices: Vec<_> = (0..self.bodies.len()).filter(with_surface).collect();
        let pairs = indices.iter().flat_map(|a| indices.iter().map(|b| [*a, *b]));
        pairs.filter(|[a, b]| a <= b && tested([*a, *b])).collect()
    }

    /// Whether a body moves, itself or with its parent.
    fn moves(&self, body: usize) -> bool {
        let Body { motion, parent, .. } = &self.bodies[body];
        *motion != Motion::None || parent.is_some_and(|parent| self.moves(parent))
    }
}

impl Body {
    fn new(folder: &Path, table: &Value, duration: f64) -> Self {
        let name = table["name"].as_str().expect("a body has a name").to_owned();
        let deforming = (table["motion"]["kind"] == "deforming").then(|| meshes::deforming(&name));
        let motion = match (&deforming, table.get("motion")) {
            (_, None) => Motion::None,
            (Some((_, frames)), Some(motion)) => {
                Motion::Deforming(Box::new(with_times(frames.clone(), motion)))
            }
            (None, Some(motion)) => rigid_motion(motion, duration),
        };
        let surface = match (deforming, table["mesh"].as_str()) {
            (Some((surface, _)), _) => Some(surface),
            (None, Some(mesh)) => Some(Solid::read(&folder.join(mesh))),
            (None, None) => table.get("box").map(|_| cuboid(numbers(table, "/box"))),
        };
        let pose = table.get("pose").map_or(Pose::IDENTITY, |pose| Pose {
            position: numbers(pose, "/position"),
            rotation: if pose["rotation"].is_null() {
                [1.0, 0.0, 0.0, 0.0]
            } else {
                numbers(pose, "/rotation")
            },
        });
        Self { name, surface, pose, motion, parent: None, table: table.clone() }
    }

    /// The number of a key, or of a path of keys such as `/motion/angle`.
    pub(crate) fn number(&self, key: &str) -> f64 {
        number(&self.table, key)
    }

    /// The lowest and highest coordinate of the surface along an axis, in its own frame.
    pub(crate) fn extent(&self, axis: usize) -> [f64; 2] {
        let vertices = &self.surface.as_ref().expect("a surface").vertices;
        let [low, high] = [f64::min, f64::max];
        [low, high].map(|of| vertices.iter().map(|v| v[axis]).reduce(of).expect("vertices"))
    }
}

/// The motion of a body whose shape does not change.
fn rigid_motion(motion: &Value, duration: f64) -> Motion {
    match motion["kind"].as_str() {
        Some("screw") => Motion::Screw {
            axis: numbers(motion, "/axis"),
            point: numbers(motion, "/point"),
            slide: number(motion, "/slide"),
            angle: number(motion, "/angle"),
        },
        Some("twist") => {
            Motion::Twist { linear: numbers(motion, "/linear"), angular: numbers(motion, "/angular") }
        }
        Some("keyframes") => {
            let count = motion["times"].as_array().map_or(0, Vec::len);
            let key = |i: usize| {
                let position = numbers(motion, &format!("/positions/{i}"));
                let pose = Pose { position, rotation: numbers(motion, &format!("/rotations/{i}")) };
                (number(motion, &format!("/times/{i}")), pose)
            };
            let keys: Vec<_> = (0..count).map(key).collect();
            match keys[..] {
                _ if motion["interpolation"] == "step" => Motion::Steps(keys),
                [(start, from), (end, to)] if start == 0.0 && end == duration => {
                    Motion::Keyframes([from, to])
                }
                _ => panic!("a scene has two keys, one at 0 and one at the end: {motion}"),
            }
        }
        _ => panic!("the truth does not know this motion: {motion}"),
    }
}

/// The frames at the times that the scene gives them; an MDD cache has the times itself.
fn with_times(frames: Frames, motion: &Value) -> Frames {
    let count = frames.places.len();
    let times = match (&motion["times"], motion["fps"].as_f64()) {
        (Value::Array(_), _) => (0..count).map(|i| number(motion, &format!("/times/{i}"))).collect(),
        (_, Some(fps)) => (0_u32..).map(|i| f64::from(i) / fps).take(count).collect(),
        _ => frames.times,
    };
    Frames { times, ..frames }
}

/// The numbers at a JSON pointer.
fn numbers<const N: usize>(table: &Value, pointer: &str) -> [f64; N] {
    std::array::from_fn(|i| number(table, &format!("{pointer}/{i}")))
}

fn number(table: &Value, pointer: &str) -> f64 {
    let found = table.pointer(pointer).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("expected a number at {pointer} of {table}"))
}
