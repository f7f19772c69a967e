//! Bodies that are no meshes: parts of solids, formulas, a parametric surface, heights and points.

use crate::make_scenes::expected::{add_contact, scene};
use crate::make_scenes::scene::{Body, Contact, Interval, Motion, Pair, Pose, Scene, Shape};
use crate::make_scenes::solid::rounded;

/// These scenes, in the order of the table.
pub(crate) fn scenes() -> Vec<Scene> {
    vec![
        pin_in_hole(),
        pin_on_rim(),
        pin_tight(1e-5),
        pin_tight(-1e-5),
        tori_of_formulas(),
        balls_over_hill(),
        fingers_at_points(),
    ]
}

/// The files of samples, and their contents.
pub(crate) fn files() -> Vec<(&'static str, Vec<u8>)> {
    vec![("samples/hill.npy", hill()), ("samples/lattice.xyz", lattice().into_bytes())]
}

/// In metres, where a scene has no other.
const EPSILON: f64 = 1e-6;

/// A body that turns as it goes.
fn flying(name: &'static str, shape: &'static str, position: [f64; 3], linear: [f64; 3]) -> Body {
    let mut body = Body::of(name, Shape::Written(shape));
    (body.pose, body.motion) = (Pose::at(position), Motion::Twist { linear, angular: [0.0, 0.0, 3.0] });
    body
}

/// Sets how exactly times are told, of bodies that come together and part no slower than this, in metres a second: between
/// the moment at which the gap is epsilon and the one at which the depth is, and within 1e-6 of the duration.
fn tell(scene: &mut Scene, epsilon: f64, slowest: f64) {
    scene.parts_within = 1.1 * epsilon / slowest;
    scene.times_within = scene.parts_within / scene.duration + 1e-6;
}

fn add_near(scene: &mut Scene, pair: [usize; 2], (enter, exit): (f64, f64), gap: f64) {
    let [a, b] = pair.map(|i| scene.bodies[i].name);
    let intervals = vec![Interval { enter, exit: Some(exit), contact: None }];
    scene.pairs.push(Pair { a, b, verdict: "near", intervals, gap: Some(gap) });
}

/// The hole of the plate: its radius, and that of the pin, in metres.
const HOLE: f64 = 0.01;
const PIN: f64 = 0.008;
/// The middle of the hole at the top of the plate.
const MOUTH: [f64; 3] = [0.03, 0.01, 0.01];
/// How fast the pin comes down, in metres a second.
const DOWN: f64 = 0.1;
/// The way of which the pin's lower end comes to the top of the plate, and of which its upper end leaves the bottom.
const TO_TOP: f64 = 0.025;
const TO_BOTTOM: f64 = 0.075;

/// A plate of 20 mm with a hole through it, and a pin of 30 mm that comes down `beside` metres off the hole's axis.
fn pin(name: &'static str, shape: &'static str, beside: f64) -> Scene {
    let [x, y, _] = MOUTH;
    let start = [rounded(x + 0.6 * beside), rounded(y + 0.8 * beside), 0.05];
    let pin = flying("pin", shape, start, [0.0, 0.0, -DOWN]);
    let plate = "csg.difference = [\n  { box = [0.12, 0.1, 0.02] },\n  \
                 { cylinder = { radius = 0.01, height = 0.04 }, pose = { position = [0.03, 0.01, 0.0] } },\n]";
    let plate = Body::of("plate", Shape::Written(plate));
    Scene { epsilon: Some(EPSILON), ..scene(name, 1.0, vec![pin, plate]) }
}

const FLAT_PIN: &str = "cylinder = { radius = 0.008, height = 0.03 }";

fn pin_in_hole() -> Scene {
    let mut scene = pin("pin-in-hole", FLAT_PIN, 0.001);
    scene.clearance = 0.002;
    let gap = HOLE - 0.001 - PIN;
    // The height over the mouth at which the lower rim of the pin is as near to that of the hole as the clearance.
    let height = (scene.clearance.powi(2) - gap * gap).sqrt();
    add_near(&mut scene, [0, 1], ((TO_TOP - height) / DOWN, (TO_BOTTOM + height) / DOWN), gap);
    tell(&mut scene, EPSILON, DOWN * height / 0.002);
    Scene {
        about: "A pin of 16 mm comes down through a hole of 20 mm in a plate, 1 mm off its axis, with a clearance of 2 mm.",
        truth: "Formula: 1 mm is left beside it; the rims are 2 mm apart where the pin's end is sqrt(2^2 - 1) mm over or under the \
                plate.",
        ..scene
    }
}

fn pin_on_rim() -> Scene {
    let beside = 0.0045;
    let mut scene = pin("pin-on-rim", "capsule = { radius = 0.008, height = 0.03 }", beside);
    // How high the middle of the round end is over the rim, which is so far beside it.
    let away = HOLE - beside;
    let height = (PIN * PIN - away * away).sqrt();
    let [x, y, top] = MOUTH;
    let point = Some([x + 0.6 * HOLE, y + 0.8 * HOLE, top]);
    // At the rim any normal between those of plate and hole is one.
    let contact = Some(Contact { features: None, point, normal: None });
    let (enter, exit) = ((TO_TOP - height) / DOWN, Some((TO_BOTTOM + height) / DOWN));
    add_contact(&mut scene, [0, 1], vec![Interval { enter, exit, contact }]);
    tell(&mut scene, EPSILON, DOWN * height / PIN);
    // Round against round, they are within epsilon for sqrt(epsilon times the hole's radius) along the rim.
    scene.points_within = 2e-4;
    Scene {
        about: "A pin with round ends comes down 4.5 mm off the axis of the hole, and meets the rim from above.",
        truth: "Formula: the end of radius 8 mm meets the rim, 5.5 mm beside its axis, when its middle is sqrt(8^2 - 5.5^2) mm above.",
        ..scene
    }
}

/// A pin with `play` metres between it and the hole's wall.
fn pin_tight(play: f64) -> Scene {
    let name = if play > 0.0 { "pin-tight" } else { "pin-too-tight" };
    let mut scene = pin(name, FLAT_PIN, HOLE - PIN - play);
    if play > 0.0 {
        scene.about = "The flat pin again, 10 micrometres from the wall of the hole.";
        scene.truth = "Formula: 10 - 8 - 1.99 mm are left beside it.";
        return scene;
    }
    let contact = Some(Contact { features: None, point: None, normal: Some([0.0, 0.0, -1.0]) });
    let (enter, exit) = (TO_TOP / DOWN, Some(TO_BOTTOM / DOWN));
    add_contact(&mut scene, [0, 1], vec![Interval { enter, exit, contact }]);
    tell(&mut scene, EPSILON, DOWN);
    scene.about = "The flat pin, 10 micrometres too far aside: it strikes the plate beside the hole.";
    scene.truth = "Formula: it falls 25 mm to the plate's top at 0.1 m/s, and another 50 mm until its upper end leaves the bottom.";
    scene
}

/// Two links of a chain as `linked-tori-pulled` has them, truly round.
fn tori_of_formulas() -> Scene {
    let (radius, tube, start, speed) = (0.05, 0.012, 0.054, 0.04);
    let torus = "implicit = \"(sqrt(x^2 + y^2) - 0.05)^2 + z^2 - 0.012^2\"\n\
                 bounds = [[-0.07, -0.07, -0.02], [0.07, 0.07, 0.02]]";
    let link = flying("link", torus, [start, 0.0, 0.0], [speed, 0.0, 0.0]);
    let upright = "parametric = { x = \"(0.05 + 0.012*cos(v))*cos(u)\", y = \"0.012*sin(v)\", \
                   z = \"(0.05 + 0.012*cos(v))*sin(u)\", u = [0, 6.283185307179586], v = [0, 6.283185307179586] }";
    let other = Body::of("other link", Shape::Written(upright));
    let mut scene = Scene { epsilon: Some(EPSILON), ..scene("tori-of-formulas", 1.0, vec![link, other]) };
    let point = Some([rounded(radius - tube), 0.0, 0.0]);
    let contact = Some(Contact { features: None, point, normal: Some([1.0, 0.0, 0.0]) });
    let enter = (2.0 * (radius - tube) - start) / speed;
    add_contact(&mut scene, [0, 1], vec![Interval { enter, exit: None, contact }]);
    tell(&mut scene, EPSILON, speed);
    // Round against round, they are within epsilon for about sqrt(epsilon times the tube's radius).
    scene.points_within = 2e-4;
    scene.normals_within = 0.02;
    Scene {
        about: "The links again, one a formula and one a parametric surface: one is pulled taut, turning in itself.",
        truth: "Formula: the squared distance of points of the middle circles is linear in the cosine of either angle, so that it is \
                least at an end of both: it is (2 R - the distance of the middles)^2. They meet where that distance is 2 (R - r).",
        ..scene
    }
}

/// How far the samples of the hill stand apart, in metres; there are so many along x and along y.
const STEP: f64 = 0.125;
const SAMPLES: [u32; 2] = [17, 9];
/// Where the first sample stands.
const CORNER: [f64; 2] = [-1.0, -0.5];
/// The sample that is a thorn, and how much higher than the slope.
const THORN: [u32; 2] = [8, 6];
const HIGHER: f64 = 0.25;

/// A slope of 3 in 4 along x with a thorn in it.
fn hill() -> Vec<u8> {
    let [along, across] = SAMPLES;
    let height = |i: u32, j: u32| {
        0.75 * (CORNER[0] + f64::from(i) * STEP) + if [i, j] == THORN { HIGHER } else { 0.0 }
    };
    let heights = (0..along).flat_map(|i| (0..across).map(move |j| height(i, j)));
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({along}, {across}), }}");
    // What comes before the samples is a multiple of 64 bytes long, and ends with a line feed.
    header.extend(std::iter::repeat_n(' ', 63 - (10 + header.len()) % 64));
    header.push('\n');
    let length = u16::try_from(header.len()).expect("a short header");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(heights.flat_map(f64::to_le_bytes));
    bytes
}

/// A ball falls on a slope, and another flies up along it, over a thorn.
fn balls_over_hill() -> Scene {
    let falling = flying("falling", "sphere = 0.25", [-0.25, -0.3125, 1.125], [0.0, 0.0, -1.0]);
    // After 1 s it is 0.3125 m from the thorn's tip, at (0, 0.25, 0.25), along the normal (-0.6, 0, 0.8) of the slope.
    let passing = flying("passing", "sphere = 0.25", [-0.9875, 0.25, -0.1], [0.8, 0.0, 0.6]);
    let field =
        "heights = { file = \"samples/hill.npy\", spacing = 0.125, origin = [-1.0, -0.5], bottom = -1.0 }";
    let mut scene =
        scene("balls-over-hill", 2.0, vec![falling, passing, Body::of("hill", Shape::Written(field))]);
    scene.bodies[0].group = Some("balls");
    scene.bodies[1].group = Some("balls");
    (scene.clearance, scene.epsilon) = (0.09375, Some(EPSILON));
    let contact =
        Contact { features: None, point: Some([-0.1, -0.3125, -0.075]), normal: Some([0.6, 0.0, -0.8]) };
    add_contact(&mut scene, [0, 2], vec![Interval { enter: 1.0, exit: None, contact: Some(contact) }]);
    let (apart, reach) = (0.3125_f64, 0.25 + scene.clearance);
    let half = (reach * reach - apart * apart).sqrt();
    add_near(&mut scene, [1, 2], (1.0 - half, 1.0 + half), apart - 0.25);
    tell(&mut scene, EPSILON, half / reach);
    // Within epsilon a ball of 0.25 m meets a plane on a disc of this radius.
    scene.points_within = 2e-3;
    scene.normals_within = 8e-3;
    Scene {
        about: "Two balls and a height field, a slope with a thorn: one falls on the slope, the other flies up along it and passes \
                the tip of the thorn, with a clearance of 94 mm.",
        truth: "Formula: the middle of the one is 0.25 m from the slope's plane after 1 s; that of the other passes the tip 0.3125 m \
                away, and all else is below the plane through the tip that is parallel to the slope.",
        ..scene
    }
}

/// Points 10 mm apart in the plane z = 0, so many to either side of the middle.
const HALF_LATTICE: i8 = 8;
const LATTICE_STEP: f64 = 0.01;

fn lattice() -> String {
    let mut text =
        "# Points 10 mm apart in a plane.\n# Written by the example make_scenes; do not edit.\n".to_owned();
    for i in -HALF_LATTICE..=HALF_LATTICE {
        for j in -HALF_LATTICE..=HALF_LATTICE {
            text += &format!("{:?} {:?} 0.0\n", f64::from(i) / 100.0, f64::from(j) / 100.0);
        }
    }
    text
}

/// Two fingers of a gripper come down on a cloud of points: a round one meets a point, a thin one goes between the rows.
fn fingers_at_points() -> Scene {
    // The round end is (3, 4) mm beside the point (20, -40) mm.
    let finger = "capsule = { radius = 0.011, height = 0.04 }";
    let finger = flying("finger", finger, [0.023, -0.036, 0.08], [0.0, 0.0, -DOWN]);
    let mut blade = Body::of("blade", Shape::Written("box = [0.035, 0.004, 0.04]"));
    blade.pose = Pose::at([-0.03, 0.035, 0.05]);
    blade.motion = Motion::Twist { linear: [0.0, 0.0, -DOWN], angular: [0.0; 3] };
    let points = Body::of("points", Shape::Written("points = \"samples/lattice.xyz\"\nradius = 0.002"));
    let mut scene = scene("fingers-at-points", 1.0, vec![finger, blade, points]);
    scene.bodies[0].group = Some("gripper");
    scene.bodies[1].group = Some("gripper");
    (scene.clearance, scene.epsilon) = (0.0015, Some(EPSILON));
    let normal = [-3.0 / 13.0, -4.0 / 13.0, -12.0 / 13.0];
    let [x, y, z] = normal.map(|x| -0.002 * x);
    let number =
        (2 + i32::from(HALF_LATTICE)) * (2 * i32::from(HALF_LATTICE) + 1) - 4 + i32::from(HALF_LATTICE);
    let contact = Contact {
        features: Some(("solid-point", vec![], vec![number.unsigned_abs()])),
        point: Some([0.02 + x, -0.04 + y, z]),
        normal: Some(normal),
    };
    let enter = (0.06 - 0.012) / DOWN;
    add_contact(&mut scene, [0, 2], vec![Interval { enter, exit: None, contact: Some(contact) }]);
    // Half of what is between two rows, less half of the blade, less the points' radius.
    let gap = 0.5 * LATTICE_STEP - 0.002 - 0.002;
    let reach = 0.002 + scene.clearance;
    let height = (reach * reach - (gap + 0.002) * (gap + 0.002)).sqrt();
    add_near(&mut scene, [1, 2], ((0.03 - height) / DOWN, (0.07 + height) / DOWN), gap);
    tell(&mut scene, EPSILON, DOWN * height / reach);
    // Within epsilon two balls meet on a disc of this radius.
    scene.points_within = 1e-4;
    scene.normals_within = 0.02;
    Scene {
        about: "Two fingers come down on a cloud of points, balls of 2 mm in rows 10 mm apart: a round finger meets a point, a thin \
                one goes between two rows, with a clearance of 1.5 mm.",
        truth: "Formula: the round end of 11 mm is 5 mm beside a ball and meets it 12 mm above (5, 12, 13); the thin one of 4 mm has \
                1 mm to either side, and is as near as the clearance where its end is sqrt(3.5^2 - 3^2) mm over or under the rows.",
        ..scene
    }
}
