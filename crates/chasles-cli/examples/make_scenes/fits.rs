//! Fits with known play: how far one part may go either way along its motion before it binds.

use crate::make_scenes::double::Double;
use crate::make_scenes::expected::{TOUCHING, meet, scene};
use crate::make_scenes::scene::{Body, Motion, Play, Pose, Scene};
use crate::make_scenes::solid::{Solid, cuboid, extrusion, rounded};

pub(crate) fn scenes() -> Vec<Scene> {
    vec![plug_in_socket(), key_in_hub()]
}

/// Half of the width of the slot, and of the plug, in metres.
const SLOT: f64 = 3.15e-3;
const PLUG: f64 = 3.0e-3;
/// How far the plug's leading corner stays from the wall that it leans towards.
const LEANING: f64 = 0.05e-3;
/// The tangent of half of the angle by which the plug leans.
const HALF_LEAN: f64 = 0.025;
/// How far the plug's leading face is from the mouth at the start.
const BEFORE: f64 = -2.0e-3;

/// A plug that is not held quite straight is pushed into a socket.
fn plug_in_socket() -> Scene {
    let outline = [
        [0.0, -6e-3],
        [11e-3, -6e-3],
        [11e-3, 6e-3],
        [0.0, 6e-3],
        [0.0, SLOT],
        [8e-3, SLOT],
        [8e-3, -SLOT],
        [0.0, -SLOT],
    ];
    let faces = [[0, 1, 6], [0, 6, 7], [1, 2, 5], [1, 5, 6], [2, 3, 5], [3, 4, 5]];
    let socket = Body::new("socket", "socket", extrusion(&outline, &faces, (-4e-3, 4e-3)));
    let mut plug = Body::new("plug", "plug", cuboid([-12e-3, -PLUG, -3e-3], [0.0, PLUG, 3e-3]));
    let half = Double::from(HALF_LEAN);
    let norm = Double::from(1.0) + half * half;
    let (sin, cos) = ((half + half) / norm, (Double::from(1.0) - half * half) / norm);
    let up = rounded((Double::from(SLOT) - Double::from(LEANING) - Double::from(PLUG) * cos).round());
    plug.pose = Pose { position: [BEFORE, up, 0.0], rotation: [1.0, 0.0, 0.0, HALF_LEAN] };
    let slide = 10e-3;
    plug.motion = Motion::Screw { axis: [1.0, 0.0, 0.0], point: [0.0; 3], slide, angle: 0.0 };
    let mut scene = scene("plug-in-socket", 1.0, vec![plug, socket]);
    // The lower side, through the leading lower corner, comes to the lower edge of the mouth.
    let rise = Double::from(up) - Double::from(PLUG) * cos + Double::from(SLOT);
    let deep = rise * cos / sin - Double::from(PLUG) * sin;
    let way = deep - Double::from(BEFORE);
    meet(&mut scene, [0, 1], &[((way / Double::from(slide)).round(), None)]);
    scene.pairs[0].intervals[0].contact = None;
    scene.times_within = TOUCHING;
    let forward = Play { angle: 0.0, metres: rounded(way.round()) };
    Scene {
        about: "A plug that leans by 2.9 degrees is pushed into a socket with 0.15 mm of play at either side: it binds before \
                it is home.",
        truth: "Formula: (rise / tan(lean)) - half the plug's width times sin(lean), where rise is how far the leading lower \
                corner is above the slot's wall; with bisection. Back, it is free.",
        play: Some([Some(forward), None]),
        ..scene
    }
}

/// Half of the width of the keyway, and of the key, and how far the key reaches out, in metres.
const KEYWAY: f64 = 3.1e-3;
const KEY: f64 = 3.0e-3;
const REACH: f64 = 13e-3;
/// The tangent of half of the angle by which the key stands aside at the start.
const HALF_ASIDE: f64 = 0.0005;

/// A key turns about its shaft's axis in the keyway of a hub.
fn key_in_hub() -> Scene {
    let mut key = Body::new("key", "key", cuboid([6e-3, -KEY, -4e-3], [REACH, KEY, 4e-3]));
    key.pose.rotation = [1.0, 0.0, 0.0, HALF_ASIDE];
    let angle = 0.02;
    key.motion = Motion::Screw { axis: [0.0, 0.0, 1.0], point: [0.0; 3], slide: 0.0, angle };
    let sides = [(KEYWAY, KEYWAY + 3e-3), (-KEYWAY - 3e-3, -KEYWAY)];
    let [mut hub, other] = sides.map(|(from, to)| cuboid([10e-3, from, -6e-3], [14e-3, to, 6e-3]));
    add(&mut hub, &other);
    let mut scene = scene("key-in-hub", 1.0, vec![key, Body::new("keyway", "keyway", hub)]);
    // The outer corner of the key comes to the wall.
    let play = (KEYWAY / REACH.hypot(KEY)).asin() - KEY.atan2(REACH);
    let aside = 2.0 * HALF_ASIDE.atan();
    let [forward, backward] =
        [play - aside, play + aside].map(|angle| Play { angle: rounded(angle), metres: 0.0 });
    meet(&mut scene, [0, 1], &[((play - aside) / angle, None)]);
    scene.pairs[0].intervals[0].contact = None;
    scene.times_within = TOUCHING;
    Scene {
        about: "A key of 6 mm turns in a keyway of 6.2 mm, 13 mm from its axis: by 0.38 degrees one way, and 0.50 the other.",
        truth: "Formula: asin(half the keyway / the corner's distance) - atan(half the key / its reach), less or plus the angle \
                at which it stands at the start; with bisection.",
        play: Some([Some(forward), Some(backward)]),
        ..scene
    }
}

fn add(solid: &mut Solid, other: &Solid) {
    let before = u32::try_from(solid.vertices.len()).expect("these meshes are small");
    solid.vertices.extend(&other.vertices);
    solid.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + before)));
}
