//! Scenes of Moore and Wilhelms (1988) and their kin, for `chasles simulate`: with what must be true at their end.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::fmt::Write as _;

use glam::{DQuat, DVec3};

use crate::make_scenes::solid::{Solid, gridded, octasphere};
use crate::make_scenes::thread;

/// A scene that goes on by itself.
pub(crate) struct GeneratedSimulation {
    /// The name of its files, without their endings.
    pub(crate) name: &'static str,
    /// What happens in it, in a sentence.
    pub(crate) about: &'static str,
    /// Why its bodies must end where they are expected, in a sentence.
    pub(crate) truth: &'static str,
    /// Seconds.
    duration: f64,
    /// What `[simulation]` says beside the defaults.
    settings: &'static str,
    parts: Parts,
    /// Where bodies are at the end: name, and the corners of a box that holds the body's origin, in metres; of a flexible
    /// body all its vertices.
    end: Vec<(String, [f64; 3], [f64; 3])>,
}

/// Bodies and joints, as the scene file has them.
#[derive(Default)]
struct Parts {
    bodies: String,
    joints: String,
}

const GRAVITY: &str = "gravity = [0.0, 0.0, -9.81]\n";
const INFALLIBLE: &str = "a string takes every byte";

/// To a micrometre. The sines of two machines may differ in their last bit; after rounding the files do not.
fn rounded(x: f64) -> f64 {
    (x * 1e6).round() / 1e6 + 0.0
}

fn list<const N: usize>(values: [f64; N]) -> String {
    format!("{:?}", values.map(rounded))
}

impl Parts {
    /// Adds a body by the lines of its shape and of its further keys.
    fn body(&mut self, name: &str, shape: &str, (at, turn): (DVec3, DQuat), keys: &str) {
        let DQuat { x, y, z, w } = turn;
        let position = list(at.to_array());
        let rotation = if w == 1.0 { String::new() } else { format!(", rotation = {}", list([w, x, y, z])) };
        write!(
            self.bodies,
            "\n[[body]]\nname = {name:?}\n{shape}\npose = {{ position = {position}{rotation} }}\n{keys}"
        )
        .expect(INFALLIBLE);
    }

    /// Adds a joint of some kind, with the axis that it has.
    fn joint(&mut self, kind: &str, [a, b]: [&str; 2], point: DVec3, axis: Option<DVec3>) {
        let point = list(point.to_array());
        write!(self.joints, "\n[[joint]]\nkind = {kind:?}\na = {a:?}\nb = {b:?}\npoint = {point}\n")
            .expect(INFALLIBLE);
        if let Some(axis) = axis {
            writeln!(self.joints, "axis = {}", list(axis.to_array())).expect(INFALLIBLE);
        }
    }
}

impl GeneratedSimulation {
    /// The scene file.
    pub(crate) fn to_toml(&self) -> String {
        let Self { about, duration, settings, parts, .. } = self;
        format!(
            "# {about}\n# Written by the example make_scenes; do not edit.\nformat = 1\nduration = {duration:?}\n\n\
             [simulation]\n{settings}{}{}",
            parts.bodies, parts.joints
        )
    }

    /// What must be true at the end.
    pub(crate) fn to_expected(&self) -> String {
        let Self { name, about, truth, duration, end, .. } = self;
        let place = |(body, low, high): &(String, [f64; 3], [f64; 3])| {
            format!("    {{\"body\": {body:?}, \"low\": {}, \"high\": {}}}", list(*low), list(*high))
        };
        let end: Vec<_> = end.iter().map(place).collect();
        format!(
            "{{\n  \"scene\": \"{name}.toml\",\n  \"about\": {about:?},\n  \"truth\": {truth:?},\n  \
             \"verdict\": \"clear\",\n  \"exit_status\": 0,\n  \"duration\": {duration:?},\n  \"end\": [\n{}\n  ]\n}}\n",
            end.join(",\n")
        )
    }
}

/// All of them, in the order of the table.
pub(crate) fn scenes() -> Vec<GeneratedSimulation> {
    vec![
        rock_pile(),
        sitting_down(),
        dominoes(),
        wrecking_ball(),
        chain_net(),
        bolt_driven(),
        marbles(),
        jellies(),
    ]
}

/// The meshes that only these scenes use, by their names.
pub(crate) fn meshes() -> Vec<(&'static str, Solid)> {
    vec![
        ("jelly-ball", octasphere(2, 0.09)),
        ("jelly-bar", gridded([8, 2, 2], [0.48, 0.12, 0.12])),
        ("jelly-cube", gridded([3, 3, 3], [0.16, 0.16, 0.16])),
        ("rock-long", rock(0.3, DVec3::new(1.2, 0.9, 0.75))),
        ("rock-round", rock(1.7, DVec3::new(1.0, 1.0, 0.8))),
        ("rock-sharp", rock(4.1, DVec3::new(1.3, 0.8, 0.9))),
    ]
}

/// An octahedron cut once, with vertices further out and further in: it is not convex.
fn rock(phase: f64, stretch: DVec3) -> Solid {
    let mut solid = octasphere(1, 0.08);
    for (vertex, i) in solid.vertices.iter_mut().zip(0_i32..) {
        let bump = 1.0 + 0.22 * (phase + 2.4 * f64::from(i * (i + 1))).sin();
        *vertex = (DVec3::from(*vertex) * stretch * bump).to_array().map(rounded);
    }
    solid
}

fn still(x: f64, y: f64, z: f64) -> (DVec3, DQuat) {
    (DVec3::new(x, y, z), DQuat::IDENTITY)
}

fn cuboid(x: f64, y: f64, z: f64) -> String {
    format!("box = {}", list([x, y, z]))
}

fn rock_pile() -> GeneratedSimulation {
    let mut parts = Parts::default();
    parts.body("ground", &cuboid(1.2, 1.2, 0.06), still(0.0, 0.0, -0.03), "friction = 1.0\n");
    let mut end = Vec::new();
    for (layer, (count, radius)) in (0_i32..).zip([(4, 0.15), (4, 0.14), (3, 0.13), (3, 0.1)]) {
        for i in 0..count {
            let k = f64::from(i32::try_from(end.len()).expect("few") + 1);
            let angle = TAU * f64::from(i) / f64::from(count) + 0.7 * f64::from(layer);
            let height = 0.12 + 0.22 * f64::from(layer) + 0.02 * f64::from(i);
            let at = DVec3::new(radius * angle.cos(), radius * angle.sin(), height);
            let axis = DVec3::new(k.sin(), (2.0 * k).cos(), (3.0 * k).sin() + 0.2).normalize();
            let mesh = ["rock-long", "rock-round", "rock-sharp"][end.len() % 3];
            let name = format!("rock {k}");
            let shape = format!("mesh = \"meshes/{mesh}.obj\"");
            let turn = DQuat::from_axis_angle(axis, 1.1 * k);
            parts.body(&name, &shape, (at, turn), "density = 2600.0\nfriction = 1.0\n");
            end.push((name, [-0.6, -0.6, 0.02], [0.6, 0.6, 0.4]));
        }
    }
    GeneratedSimulation {
        name: "rock-pile",
        about: "Fourteen rocks, none of them convex, fall into a pile.",
        truth: "They fall within 0.25 m of the middle; friction keeps them on the ground, and a rock is as thick as 0.04 m.",
        duration: 1.5,
        settings: GRAVITY,
        parts,
        end,
    }
}

/// A limb from joint to joint, in a plane across y, and what its shape is drawn out along.
fn limb(from: DVec3, to: DVec3) -> ((DVec3, DQuat), f64) {
    let along = to - from;
    ((0.5 * (from + to), DQuat::from_rotation_y(along.x.atan2(along.z))), along.length())
}

const FLESH: &str = "density = 1000.0\nfriction = 0.6\n";

fn sitting_down() -> GeneratedSimulation {
    let mut parts = Parts::default();
    let wood = "friction = 0.7\n";
    parts.body("floor", &cuboid(1.5, 1.0, 0.04), still(0.2, 0.0, -0.02), wood);
    parts.body("seat", &cuboid(0.42, 0.44, 0.04), still(0.02, 0.0, 0.43), wood);
    let back = (DVec3::new(-0.22, 0.0, 0.73), DQuat::from_rotation_y(-0.14));
    parts.body("back", &cuboid(0.03, 0.44, 0.56), back, wood);
    for (name, x, y) in [("1", -0.16, -0.19), ("2", -0.16, 0.19), ("3", 0.2, -0.19), ("4", 0.2, 0.19)] {
        parts.body(&format!("leg {name}"), &cuboid(0.04, 0.04, 0.41), still(x, y, 0.205), wood);
    }
    let capsule = |radius: f64, length: f64| {
        format!("capsule = {{ radius = {radius:?}, height = {:?} }}", rounded(length - 2.0 * radius))
    };
    let knee = DVec3::new(0.42, 0.0, 0.49);
    let hip = knee + 0.42 * DVec3::new(-(PI / 6.0).cos(), 0.0, 0.5);
    let up = DVec3::new(-(0.24_f64.sin()), 0.0, 0.24_f64.cos());
    let neck = hip + 0.54 * up;
    let (pose, length) = limb(hip - 0.07 * up, neck);
    parts.body("trunk", &cuboid(0.17, 0.3, length), pose, FLESH);
    parts.body("head", "sphere = 0.11", (neck + 0.15 * up, DQuat::IDENTITY), FLESH);
    parts.joint("fixed", ["trunk", "head"], neck, None);
    for (side, y) in [("right", -0.09), ("left", 0.09)] {
        let name = |part: &str| format!("{side} {part}");
        let [thigh, shin, foot, arm, forearm] = ["thigh", "shin", "foot", "upper arm", "forearm"].map(name);
        let beside = |at: DVec3, y: f64| DVec3 { y, ..at };
        let (hip, knee) = (beside(hip, y), beside(knee, y));
        let ankle = DVec3::new(0.46, y, 0.09);
        let (pose, length) = limb(hip, knee);
        parts.body(&thigh, &capsule(0.07, length), pose, FLESH);
        let (pose, length) = limb(knee, ankle);
        parts.body(&shin, &capsule(0.05, length), pose, FLESH);
        let sole = "density = 1000.0\nfriction = 1.0\n";
        parts.body(&foot, &cuboid(0.26, 0.1, 0.06), still(ankle.x + 0.07, y, 0.03), sole);
        parts.joint("hinge", ["trunk", &thigh], hip, Some(DVec3::Y));
        parts.joint("hinge", [&thigh, &shin], knee, Some(DVec3::Y));
        parts.joint("hinge", [&shin, &foot], ankle, Some(DVec3::Y));
        let shoulder = beside(neck - 0.06 * up, 2.2 * y);
        let elbow = shoulder + DVec3::new(0.08, 0.0, -0.26);
        let (pose, length) = limb(shoulder, elbow);
        parts.body(&arm, &capsule(0.045, length), pose, FLESH);
        let (pose, length) = limb(elbow, elbow + DVec3::new(0.25, 0.0, 0.02));
        parts.body(&forearm, &capsule(0.04, length), pose, FLESH);
        parts.joint("ball", ["trunk", &arm], shoulder, None);
        parts.joint("hinge", [&arm, &forearm], elbow, Some(DVec3::Y));
    }
    GeneratedSimulation {
        name: "sitting-down",
        about: "A figure of twelve limbs on eleven joints sits down on a chair.",
        truth: "Seat, back and floor hold it: its trunk, 0.61 m long, stands on the seat, 0.45 m up, and leans against the back.",
        duration: 1.6,
        settings: GRAVITY,
        parts,
        end: vec![
            ("trunk".into(), [-0.2, -0.1, 0.7], [0.2, 0.1, 0.85]),
            ("head".into(), [-0.3, -0.1, 1.0], [0.2, 0.1, 1.35]),
        ],
    }
}

fn dominoes() -> GeneratedSimulation {
    let mut parts = Parts::default();
    parts.body("table", &cuboid(1.2, 0.8, 0.04), still(0.0, 0.1, -0.02), "friction = 0.5\n");
    for i in 0..14 {
        let angle = PI * (-0.15 + 1.3 * f64::from(i) / 13.0);
        let turn = DQuat::from_rotation_z(angle + FRAC_PI_2);
        let at = DVec3::new(0.36 * angle.cos(), 0.36 * angle.sin(), 0.07);
        let mut keys = "density = 700.0\nfriction = 0.3\n".to_owned();
        if i == 0 {
            // It turns about its lower edge.
            let [linear, angular] =
                [DVec3::new(0.224, 0.0, 0.0), DVec3::new(0.0, 3.2, 0.0)].map(|v| list((turn * v).to_array()));
            keys += &format!("velocity = {{ linear = {linear}, angular = {angular} }}\n");
        }
        parts.body(&format!("domino {}", i + 1), &cuboid(0.02, 0.07, 0.14), (at, turn), &keys);
    }
    GeneratedSimulation {
        name: "dominoes",
        about: "The first of fourteen dominoes on an arc is pushed over, and all fall.",
        truth: "Each is nearer to the next than it is tall; a domino that stands has its middle 0.07 m up.",
        duration: 1.6,
        settings: GRAVITY,
        parts,
        end: [2, 8, 14].map(|i| (format!("domino {i}"), [-0.6, -0.3, 0.005], [0.6, 0.5, 0.06])).into(),
    }
}

fn wrecking_ball() -> GeneratedSimulation {
    let mut parts = Parts::default();
    parts.body("ground", &cuboid(3.0, 2.0, 0.1), still(0.3, 0.0, -0.05), "friction = 0.6\n");
    parts.body("boom", &cuboid(0.12, 0.12, 0.12), still(0.0, 0.0, 2.0), "");
    let (lean, length) = (1.08_f64, 0.32);
    let along = DVec3::new(-lean.sin(), 0.0, -lean.cos());
    let at = |way: f64| DVec3::new(0.0, 0.0, 2.0) + way * along;
    let mut holder = "boom".to_owned();
    for i in 0..4 {
        let name = format!("link {}", i + 1);
        let pose = (at(length * (f64::from(i) + 0.5)), DQuat::from_rotation_y(lean));
        parts.body(&name, "capsule = { radius = 0.025, height = 0.26 }", pose, "density = 7800.0\n");
        parts.joint("ball", [&holder, &name], at(length * f64::from(i)), None);
        holder = name;
    }
    let pose = (at(4.0 * length + 0.2), DQuat::IDENTITY);
    parts.body("ball", "sphere = 0.2", pose, "density = 7800.0\nfriction = 0.3\n");
    parts.joint("ball", [&holder, "ball"], at(4.0 * length), None);
    for (row, shift) in (0_i32..).zip([-0.05, 0.05, -0.05, 0.05]) {
        for i in 0..3 {
            let pose = still(0.32, 0.3 * f64::from(i - 1) + shift, 0.08 + 0.16 * f64::from(row));
            let name = format!("brick {}", 3 * row + i + 1);
            parts.body(&name, &cuboid(0.16, 0.298, 0.16), pose, "density = 1800.0\nfriction = 0.6\n");
        }
    }
    GeneratedSimulation {
        name: "wrecking-ball",
        about: "A ball of 261 kg on a chain of four links swings into a wall of twelve bricks.",
        truth: "The ball comes down to 0.52 m with 2 kJ, and a brick weighs 14 kg: those in its way do not stay.",
        duration: 1.3,
        settings: GRAVITY,
        parts,
        end: vec![
            ("brick 8".into(), [0.5, -3.0, -9.0], [9.0, 3.0, 3.0]),
            ("brick 11".into(), [0.5, -3.0, -9.0], [9.0, 3.0, 3.0]),
        ],
    }
}

/// How far the knots of the net are apart, in metres, and how many there are a side.
const KNOT: f64 = 0.12;
const KNOTS: i32 = 4;

fn chain_net() -> GeneratedSimulation {
    let mut parts = Parts::default();
    parts.body("ground", &cuboid(1.0, 1.0, 0.03), still(0.0, 0.0, -0.015), "group = \"frame\"\n");
    let middle = 0.5 * f64::from(KNOTS - 1);
    let knot =
        |[i, j]: [i32; 2]| DVec3::new((f64::from(i) - middle) * KNOT, (f64::from(j) - middle) * KNOT, 0.6);
    let keys = "density = 7800.0\nfriction = 0.3\ngroup = \"net\"\n";
    let rod = |parts: &mut Parts, name: &str, [from, to]: [DVec3; 2]| {
        let along = to - from;
        let turn = DQuat::from_rotation_arc(DVec3::Z, along.normalize());
        let shape = cuboid(0.012, 0.012, along.length() - 0.014);
        parts.body(name, &shape, (0.5 * (from + to), turn), keys);
    };
    // At each knot, the rods that end there.
    let mut ends = std::collections::BTreeMap::<[i32; 2], Vec<String>>::new();
    for (i, j) in (0..KNOTS).flat_map(|i| (0..KNOTS).map(move |j| (i, j))) {
        for (way, next) in [("x", [i + 1, j]), ("y", [i, j + 1])] {
            if next.iter().all(|k| *k < KNOTS) {
                let name = format!("rod {}{}{way}", i + 1, j + 1);
                rod(&mut parts, &name, [knot([i, j]), knot(next)]);
                ends.entry([i, j]).or_default().push(name.clone());
                ends.entry(next).or_default().push(name);
            }
        }
    }
    let last = KNOTS - 1;
    for (k, corner) in (1..).zip([[0, 0], [0, last], [last, 0], [last, last]]) {
        let [x, y] = corner.map(|i| 0.26 * (f64::from(i) - middle).signum());
        let (post, tie) = (format!("post {k}"), format!("tie {k}"));
        let keys = "group = \"frame\"\n";
        parts.body(&post, "cylinder = { radius = 0.015, height = 0.7 }", still(x, y, 0.35), keys);
        let top = DVec3::new(x, y, 0.7);
        rod(&mut parts, &tie, [knot(corner), top]);
        parts.joint("ball", [&post, &tie], top, None);
        ends.entry(corner).or_default().push(tie);
    }
    for (at, names) in &ends {
        for name in &names[1..] {
            parts.joint("ball", [&names[0], name], knot(*at), None);
        }
    }
    parts.body("ball", "sphere = 0.13", still(0.01, 0.02, 0.85), "density = 2000.0\nfriction = 0.3\n");
    GeneratedSimulation {
        name: "chain-net",
        about: "A ball of 18 kg falls into a net of 28 rods, held at its corners.",
        truth: "The ball is wider than the meshes of the net, which can sink by 0.5 m at most: it is caught.",
        duration: 0.8,
        settings: "gravity = [0.0, 0.0, -9.81]\nrecord = 0.02\n",
        parts,
        end: vec![("ball".into(), [-0.2, -0.2, 0.3], [0.2, 0.2, 0.8])],
    }
}

fn bolt_driven() -> GeneratedSimulation {
    let mut parts = Parts::default();
    let (duration, start) = (0.25, thread::engaged(5.0));
    let (turning, sinking) = (-TAU / duration, -thread::PITCH / duration);
    parts.body("nut", "mesh = \"meshes/nut.obj\"", still(0.0, 0.0, 0.0), "");
    let (linear, angular) = (list([0.0, 0.0, sinking]), list([0.0, 0.0, turning]));
    let keys = format!("density = 7800.0\nvelocity = {{ linear = {linear}, angular = {angular} }}\n");
    parts.body("bolt", "mesh = \"meshes/bolt.obj\"", still(0.0, 0.0, start), &keys);
    let motion = format!("[body.motion]\nkind = \"twist\"\nlinear = [0.0, 0.0, 0.0]\nangular = {angular}\n");
    parts.body("driver", &cuboid(0.012, 0.002, 0.03), still(0.0, 0.0, start + 0.0315), &motion);
    for x in [-0.005, 0.005] {
        parts.joint("piston", ["driver", "bolt"], DVec3::new(x, 0.0, 0.03), Some(DVec3::Z));
    }
    let end = start - thread::PITCH;
    GeneratedSimulation {
        name: "bolt-driven",
        about: "A driver turns a bolt once, and the bolt, free to slide along it, is drawn into its nut.",
        truth: "Formula: it sinks by the pitch, and it may begin and end anywhere in the axial play of 0.115 mm.",
        duration,
        settings: "gravity = [0.0, 0.0, -9.81]\ndepth = 1e-5\n",
        parts,
        end: vec![("bolt".into(), [-1e-4, -1e-4, end - 1.3e-4], [1e-4, 1e-4, end + 1.3e-4])],
    }
}

fn marbles() -> GeneratedSimulation {
    let mut parts = Parts::default();
    let wood = "friction = 0.2\nelasticity = 0.2\n";
    let plank = |parts: &mut Parts, name: &str, [from, to]: [[f64; 2]; 2]| {
        let [from, to] = [from, to].map(|[x, z]| DVec3::new(x, 0.0, z));
        let along = to - from;
        let turn = DQuat::from_rotation_y((-along.z).atan2(along.x));
        parts.body(name, &cuboid(along.length(), 0.06, 0.01), (0.5 * (from + to), turn), wood);
    };
    parts.body("board", &cuboid(0.9, 0.02, 0.84), still(0.0, 0.04, 0.41), wood);
    plank(&mut parts, "chute", [[-0.44, 0.8], [-0.06, 0.66]]);
    plank(&mut parts, "stop", [[-0.435, 0.86], [-0.435, 0.8]]);
    for (name, angle) in [("vane 1", 0.44), ("vane 2", 0.44 + FRAC_PI_2)] {
        let pose = (DVec3::new(0.0, 0.0, 0.6), DQuat::from_rotation_y(angle));
        let motion = "[body.motion]\nkind = \"twist\"\nlinear = [0.0, 0.0, 0.0]\nangular = [0.0, 5.0, 0.0]\n";
        parts.body(name, &cuboid(0.15, 0.05, 0.008), pose, &format!("{wood}{motion}"));
    }
    let pose = (DVec3::new(0.01, 0.0, 0.38), DQuat::from_rotation_y(0.117));
    let keys = format!("density = 500.0\n{wood}");
    parts.body("see-saw", &cuboid(0.342, 0.05, 0.012), pose, &keys);
    parts.joint("hinge", ["board", "see-saw"], pose.0, Some(DVec3::Y));
    plank(&mut parts, "slide", [[0.2, 0.24], [0.4, 0.16]]);
    plank(&mut parts, "floor", [[-0.44, 0.005], [0.44, 0.005]]);
    plank(&mut parts, "right wall", [[0.44, 0.2], [0.44, 0.0]]);
    plank(&mut parts, "left wall", [[-0.44, 0.2], [-0.44, 0.0]]);
    let mut end = Vec::new();
    for i in 0..6 {
        let way = 0.05 * f64::from(i);
        let name = format!("marble {}", i + 1);
        let at = still(-0.4 + way, 0.0, 0.83 - 0.14 / 0.38 * (0.04 + way));
        let keys = "density = 2500.0\nfriction = 0.2\nelasticity = 0.4\n";
        parts.body(&name, "sphere = 0.022", at, keys);
        end.push((name, [-0.45, -0.05, 0.0], [0.45, 0.05, 0.3]));
    }
    GeneratedSimulation {
        name: "marbles",
        about: "Six marbles roll down a chute, through a wheel that turns, over a see-saw and into a tray. The board \
                leans back by 6 degrees.",
        truth: "Nothing but the tray and the slide above it can hold a marble.",
        duration: 2.5,
        settings: "gravity = [0.0, 1.03, -9.76]\n",
        parts,
        end,
    }
}

fn jellies() -> GeneratedSimulation {
    let mut parts = Parts::default();
    let tray = [
        ("floor", [1.0, 0.6, 0.04], [0.0, 0.0, -0.02]),
        ("step", [0.4, 0.6, 0.12], [0.3, 0.0, 0.06]),
        ("front wall", [1.0, 0.03, 0.16], [0.0, -0.315, 0.04]),
        ("back wall", [1.0, 0.03, 0.3], [0.0, 0.315, 0.11]),
        ("left wall", [0.03, 0.66, 0.2], [-0.515, 0.0, 0.06]),
        ("right wall", [0.03, 0.66, 0.3], [0.515, 0.0, 0.11]),
    ];
    for (name, [x, y, z], at) in tray {
        parts.body(name, &cuboid(x, y, z), (DVec3::from(at), DQuat::IDENTITY), "friction = 0.6\n");
    }
    let mut end = Vec::new();
    for (name, mesh, at, axis) in [
        ("bar", "bar", [0.06, -0.1, 0.26], [0.0, 0.0, 0.2]),
        ("cube 1", "cube", [-0.3, 0.12, 0.2], [0.2, -0.24, 0.2]),
        ("cube 2", "cube", [-0.26, 0.04, 0.46], [0.6, 0.4, 0.5]),
        ("cube 3", "cube", [0.34, 0.12, 0.36], [0.4, -0.4, 0.2]),
        ("ball 1", "ball", [-0.02, -0.12, 0.5], [0.0, 0.0, 0.0]),
        ("ball 2", "ball", [0.36, -0.1, 0.44], [0.0, 0.0, 0.0]),
        ("ball 3", "ball", [-0.34, -0.14, 0.34], [0.0, 0.0, 0.0]),
    ] {
        let shape = format!("mesh = \"meshes/jelly-{mesh}.obj\"");
        let pose = (DVec3::from(at), DQuat::from_scaled_axis(DVec3::from(axis)));
        let keys = "mass = 1.0\nfriction = 0.5\nflexible = { stiffness = 250.0, damping = 0.15 }\n";
        parts.body(name, &shape, pose, keys);
        end.push((name.to_owned(), [-0.5, -0.3, 0.0], [0.5, 0.3, 0.42]));
    }
    GeneratedSimulation {
        name: "jellies",
        about: "A bar, three cubes and three balls, all flexible, fall into a tray with a step, and on each other.",
        truth: "The tray holds them: nothing passes through its walls, and what is dropped on two others at most cannot \
                be higher than three of them.",
        duration: 1.2,
        settings: "gravity = [0.0, 0.0, -9.81]\nrecord = 0.02\n",
        parts,
        end,
    }
}
