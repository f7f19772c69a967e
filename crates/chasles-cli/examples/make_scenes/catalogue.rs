//! The scenes.

use std::f64::consts::TAU;

use crate::make_scenes::deforming;
use crate::make_scenes::double::Double;
use crate::make_scenes::expected::{FEW_SAMPLES, SAMPLES, TOUCHING, add_contact, keep_clear, meet, scene};
use crate::make_scenes::fits;
use crate::make_scenes::moving;
use crate::make_scenes::scene::{Body, Contact, Interval, Motion, Pose, Scene, Shape};
use crate::make_scenes::shapes;
use crate::make_scenes::solid::{Solid, Torus, block_with_hole, cuboid, extrusion, pyramid, rounded};
use crate::make_scenes::thread;
use crate::make_scenes::truth::TruthCase;

/// All scenes, in the order of the table.
pub(crate) fn scenes() -> Vec<Scene> {
    let mut scenes = vec![
        half_turn_gripper(),
        figure1_face_vertex(),
        figure1_edge_edge(),
        bolt_in_nut(),
        bolt_off_pitch(),
        torus_through_torus(),
        linked_tori(),
        linked_tori_pulled(),
        needle_through_plate(),
        grazing(1e-6),
        grazing(-1e-6),
        sliding_box(),
        landing_flat(),
        far_axis(),
    ];
    scenes.extend(moving::scenes());
    scenes.extend(fits::scenes());
    scenes.extend(shapes::scenes());
    scenes.extend(deforming::scenes());
    scenes
}

/// An L-shaped finger on a hub swings half a turn past a part. Both poses are free.
fn half_turn_gripper() -> Scene {
    let outline = [[-0.04, -0.03], [0.3, -0.03], [0.3, 0.1], [0.26, 0.1], [0.26, 0.02], [-0.04, 0.02]];
    let finger = extrusion(&outline, &[[0, 1, 4], [1, 2, 3], [1, 3, 4], [0, 4, 5]], (-0.02, 0.02));
    let mut finger = Body::new("finger", "finger", finger);
    let start = Pose::at([0.0, 0.0, 0.15]);
    let end = Pose { position: [0.0, 0.0, 0.25], rotation: [0.0, 0.0, 0.0, 1.0] };
    finger.motion = Motion::Keyframes([start, end]);
    let mut part = Body::new("part", "part", cuboid([-0.03, -0.03, -0.1], [0.03, 0.03, 0.1]));
    // An edge turned towards the hub, and leaning.
    part.pose = Pose { position: [0.0, PART, 0.2], rotation: [0.9, 0.1, 0.2, 0.35] };
    let mut table = Body::new("table", "", cuboid([0.0; 3], [1.0; 3]));
    table.shape = Shape::cuboid([1.0, 1.0, 0.05]);
    table.pose = Pose::at([0.0, 0.0, -0.025]);
    let mut camera = Body::new("camera", "", cuboid([0.0; 3], [1.0; 3]));
    camera.shape = Shape::cuboid([0.05, 0.05, 0.5]);
    camera.pose = Pose::at([-0.3, 0.3, 0.25]);
    let mut scene = scene("half-turn-gripper", 2.0, vec![finger, part, table, camera]);
    scene.about = "An L-shaped finger swings half a turn past a part, between two poses that are both free: it clips the \
                   part for 2 ms, and none of 100 samples shows it.";
    scene.truth =
        "Bisection; the generator looks at 100 and 101 evenly spaced poses and finds none in contact.";
    let question = TruthCase::new(&scene, [0, 1]);
    let intervals = question.meetings(0.0, SAMPLES);
    for steps in [99, 100] {
        let met = (0..=steps).any(|i| question.intersect(2.0 * f64::from(i) / f64::from(steps)));
        assert!(!met, "a sample shows the contact");
    }
    add_contact(&mut scene, [0, 1], intervals);
    keep_clear(&scene, [0, 2], FEW_SAMPLES);
    keep_clear(&scene, [0, 3], FEW_SAMPLES);
    scene
}

/// How far the part of the gripper stands from the hub, in metres.
const PART: f64 = 0.35897;

/// The paper's figure: a block with a through hole moves right to left along a screw towards an L-shaped extrusion.
fn figure1(name: &'static str, bracket_turn: [f64; 4], [from, to]: [Pose; 2]) -> Scene {
    let mut block = Body::new("block", "block", block_with_hole(0.1, 0.055, 0.08));
    block.motion = Motion::Keyframes([from, to]);
    let outline = [[0.0, 0.0], [0.3, 0.0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.3], [0.0, 0.3]];
    let bracket = extrusion(&outline, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], (-0.06, 0.06));
    let mut bracket = Body::new("bracket", "bracket", bracket);
    bracket.pose.rotation = bracket_turn;
    let mut scene = scene(name, 1.0, vec![block, bracket]);
    scene.truth = "Bisection.";
    meet(&mut scene, [0, 1], &[]);
    scene
}

fn figure1_face_vertex() -> Scene {
    let from = Pose { position: [0.9, 0.05, 0.1], rotation: [0.9, 0.1, 0.35, 0.2] };
    let to = Pose { position: [-0.7, 0.25, -0.1], rotation: [0.5, 0.6, 0.5, 0.4] };
    let about = "Figure 1, top, of Kim and Rossignac (2003): a block with a through hole moves right to left along a screw; \
                 one of its faces meets a vertex of an L-shaped extrusion.";
    Scene { about, ..figure1("figure1-face-vertex", [1.0, 0.0, 0.0, 0.0], [from, to]) }
}

fn figure1_edge_edge() -> Scene {
    let from = Pose { position: [0.9, 0.05, 0.1], rotation: [1.0, 0.0, 0.0, 0.0] };
    let to = Pose { position: [-0.7, 0.25, -0.1], rotation: [0.8, 0.5, 0.2, 0.3] };
    let about =
        "Figure 1, bottom: block and L stand differently, and an edge of the block meets an edge of the L.";
    Scene { about, ..figure1("figure1-edge-edge", [0.9, 0.2, 0.3, -0.15], [from, to]) }
}

/// A bolt screwed down into a nut by some turns, half a second each.
fn bolt(name: &'static str, turns: f64, pitch: f64) -> Scene {
    let mut bolt = Body::new("bolt", "bolt", thread::bolt());
    bolt.pose = Pose::at([0.0, 0.0, rounded(thread::engaged(7.0))]);
    let (axis, point) = ([0.0, 0.0, 1.0], [0.0; 3]);
    bolt.motion = Motion::Screw { axis, point, slide: rounded(-turns * pitch), angle: -turns * TAU };
    scene(name, 0.5 * turns, vec![bolt, Body::new("nut", "nut", thread::nut())])
}

fn bolt_in_nut() -> Scene {
    let mut scene = bolt("bolt-in-nut", 4.0, thread::PITCH);
    scene.about =
        "An M10-like bolt follows its thread into a nut, four turns down, with 0.2 mm of radial play.";
    scene.truth = "Formula: the play between the two helicoids is 0.115 mm along the axis, of which the flat triangles take \
                   at most 0.033 mm.";
    assert!(thread::lost_play() < 0.033e-3 && thread::axial_play() > 0.115e-3, "{}", thread::lost_play());
    keep_clear(&scene, [0, 1], 24);
    scene
}

fn bolt_off_pitch() -> Scene {
    let error = 0.04e-3;
    let mut scene = bolt("bolt-off-pitch", 2.6, thread::PITCH + error);
    scene.about = "The same bolt, pushed down 1.54 mm a turn instead of 1.5: in the third turn its flanks begin to scrape along \
                   the nut's, facet by facet.";
    scene.truth = "Bisection; formula: it begins after 1.9 to 2.9 turns, the axial play (less what the triangles take) over the \
                   error of 0.04 mm a turn.";
    let seconds_per_turn = 0.5;
    let earliest = (thread::axial_play() - thread::lost_play()) / error * seconds_per_turn;
    let latest = thread::axial_play() / error * seconds_per_turn;
    let intervals = TruthCase::new(&scene, [0, 1]).meetings(earliest, FEW_SAMPLES);
    assert!(intervals[0].enter <= latest, "{earliest} {} {latest}", intervals[0].enter);
    add_contact(&mut scene, [0, 1], intervals);
    scene
}

/// A torus flies through the hole of a larger one, head over heels.
fn torus_through_torus() -> Scene {
    let small = Torus { radius: 0.03, tube: 0.008, sections: 24, corners: 10 };
    let large = Torus { radius: 0.1, tube: 0.02, sections: 24, corners: 10 };
    let mut flying = Body::new("ring", "torus-small", small.solid());
    // Turned so that it tumbles about the axis of the screw, on which its middle lies.
    flying.pose = Pose { position: [-0.06, -0.03, -0.3], rotation: [0.8, 0.6, 0.0, 0.0] };
    let (axis, point) = ([0.2, 0.1, 1.0], flying.pose.position);
    flying.motion = Motion::Screw { axis, point, slide: 0.6, angle: TAU };
    let scene =
        scene("torus-through-torus", 1.0, vec![flying, Body::new("hoop", "torus-large", large.solid())]);
    keep_clear(&scene, [0, 1], FEW_SAMPLES);
    Scene {
        about: "A torus flies through the hole of a larger one along a screw of a full turn, tumbling.",
        truth: "Formula: the ball of 38 mm around the small one's middle, which goes through the hoop's middle, stays \
                28 mm away from the hoop.",
        ..scene
    }
}

/// Two links of a chain at right angles, the second through the middle of the first.
fn links(tube: f64) -> Vec<Body> {
    let link = |mesh| {
        let torus = Torus { radius: LINK, tube, sections: 24, corners: 10 };
        Body::new("", mesh, torus.solid())
    };
    let (mesh, half) = (if tube > 0.015 { "link-thick" } else { "link-thin" }, 0.5_f64.sqrt());
    let moving = Body { name: "link", pose: Pose::at([LINK, 0.0, 0.0]), ..link(mesh) };
    let upright = Pose { rotation: [half, half, 0.0, 0.0], ..Pose::IDENTITY };
    vec![moving, Body { name: "other link", pose: upright, ..link(mesh) }]
}

/// Of the circle in the middle of a link's tube, in metres.
const LINK: f64 = 0.05;

fn linked_tori() -> Scene {
    let mut bodies = links(0.02);
    let (axis, point) = ([0.0, 0.0, 1.0], [LINK, 0.0, 0.0]);
    bodies[0].motion = Motion::Screw { axis, point, slide: 0.0, angle: TAU };
    let scene = scene("linked-tori", 1.0, bodies);
    keep_clear(&scene, [0, 1], FEW_SAMPLES);
    Scene {
        about: "Two links of a chain, one of which makes a full turn through the other: their convex hulls overlap all along.",
        truth: "Formula: their middle circles stay 50 mm apart, of which the tubes take 40 and the flat faces less than 1.",
        ..scene
    }
}

fn linked_tori_pulled() -> Scene {
    let (tube, slide) = (0.012, 0.04);
    let mut bodies = links(tube);
    let (axis, point) = ([1.0, 0.0, 0.0], [0.0; 3]);
    bodies[0].motion = Motion::Screw { axis, point, slide, angle: 0.5 };
    let mut scene = scene("linked-tori-pulled", 1.0, bodies);
    // The middles of the inner edges, on the axis of the screw: (radius - tube) cos(pi / sections) from each middle.
    let (_, cos) = Double::from(TAU / 48.0).sin_cos();
    let inner = (Double::from(LINK) - Double::from(tube)) * cos;
    let enter = ((inner + inner - Double::from(LINK)) / Double::from(slide)).round();
    meet(&mut scene, [0, 1], &[(enter, None)]);
    scene.about =
        "One link of a chain is pulled taut, turning as it goes: an inner edge of each meets the other.";
    scene.truth = "Formula: (2 (R - r) cos(pi/24) - R) / slide, with bisection.";
    scene
}

/// A needle, pointed at both ends, through a plate.
fn needle_through_plate() -> Scene {
    let mut needle = Solid::new();
    let square = |x: f64| [[x, -5e-5, -5e-5], [x, 5e-5, -5e-5], [x, 5e-5, 5e-5], [x, -5e-5, 5e-5]];
    let (tip, tail) = (needle.vertex([0.0; 3]), needle.vertex([-1.0, 0.0, 0.0]));
    let (front, back) = (needle.ring(square(-0.01)), needle.ring(square(-0.99)));
    needle.fan(tip, &front);
    needle.band(&back, &front);
    needle.fan(tail, &back.into_iter().rev().collect::<Vec<_>>());
    let mut needle = Body::new("needle", "needle", needle);
    needle.pose = Pose::at([-1.0, 0.0, 0.0]);
    let (axis, point) = ([1.0, 0.0, 0.0], [0.0; 3]);
    needle.motion = Motion::Screw { axis, point, slide: 4.0, angle: 7.0 * TAU };
    let plate = Body::new("plate", "plate", cuboid([0.0, -0.2, -0.25], [0.001, 0.2, 0.15]));
    let mut scene = scene("needle-through-plate", 0.004, vec![needle, plate]);
    meet(&mut scene, [0, 1], &[(0.001, Some(0.002_001))]);
    scene.about = "A needle 1 m long and 0.1 mm thick flies through a plate of 1 mm at 1000 m/s, spinning.";
    scene.truth =
        "Formula: the tip reaches the plate after 1 m, the tail leaves it after 2.001 m; with bisection.";
    scene
}

/// A corner that passes a wall along an arc, `gap` metres below it.
fn grazing(gap: f64) -> Scene {
    let (apex, angle, wall) = ([-0.3, 0.4, 0.0], -1.287_002_217_586_57, 0.5 + gap);
    let base = [[-0.26, 0.31, -0.02], [-0.26, 0.31, 0.02], [-0.22, 0.34, 0.02], [-0.22, 0.34, -0.02]];
    let mut tool = Body::new("tool", "grazing-tool", pyramid(&base, apex));
    let (axis, point) = ([0.0, 0.0, 1.0], [0.0; 3]);
    tool.motion = Motion::Screw { axis, point, slide: 0.0, angle };
    let (name, mesh) =
        if gap > 0.0 { ("grazing-clear", "wall-above") } else { ("grazing-contact", "wall-below") };
    let wall_box = cuboid([-0.2, wall, -0.1], [0.25, 0.6, 0.15]);
    let mut scene = scene(name, 1.0, vec![tool, Body::new("wall", mesh, wall_box)]);
    if gap > 0.0 {
        keep_clear(&scene, [0, 1], FEW_SAMPLES);
        scene.about = "A corner passes a wall along an arc of radius 0.5 m, 1 micrometre below it.";
        scene.truth = "Formula: the arc's top is at 0.5 m, the wall at 0.500001.";
        return scene;
    }
    // It is at the wall's height where its angle from the wall's normal has the cosine wall / radius.
    let [x, y, wall] = [apex[0], apex[1], wall].map(Double::from);
    let from_normal = (-x).atan2(y);
    let half = (wall / (x * x + y * y).sqrt()).acos();
    let time = |angle_left: Double| (angle_left / -Double::from(angle)).round();
    meet(&mut scene, [0, 1], &[(time(from_normal - half), Some(time(from_normal + half)))]);
    scene.about = "The same corner, 1 micrometre into the wall.";
    scene.truth = "Formula: the angle from the top of the arc is acos(0.499999 / 0.5), before it and after; with bisection.";
    scene
}

/// A box slides over the end of a table.
fn sliding_box() -> Scene {
    let mut sliding = Body::new("box", "resting-box", cuboid([-0.125, -0.125, 0.0], [0.125, 0.125, 0.25]));
    let (axis, point) = ([1.0, 0.0, 0.0], [0.0; 3]);
    sliding.motion = Motion::Screw { axis, point, slide: 1.0, angle: 0.0 };
    let table = Body::new("table", "resting-table", cuboid([-0.5, -0.25, -0.125], [0.5, 0.25, 0.0]));
    let mut scene = scene("sliding-box", 2.0, vec![sliding, table]);
    let intervals = vec![Interval { enter: 0.0, exit: Some(1.25), contact: None }];
    add_contact(&mut scene, [0, 1], intervals);
    scene.times_within = TOUCHING;
    scene.about = "A box slides along a table and off its end: faces coplanar from the start, touching, not overlapping.";
    scene.truth = "Formula: its rear edge passes the table's end after 0.625 m.";
    scene
}

/// A box lands flat on a pedestal of its own size, and goes on through it.
fn landing_flat() -> Scene {
    let mut falling = Body::new("box", "resting-box", cuboid([-0.125, -0.125, 0.0], [0.125, 0.125, 0.25]));
    falling.pose = Pose::at([0.0, 0.0, 1.0]);
    let (axis, point) = ([0.0, 0.0, -1.0], [0.0; 3]);
    falling.motion = Motion::Screw { axis, point, slide: 2.0, angle: 0.0 };
    let pedestal = Body::new("pedestal", "pedestal", cuboid([-0.125, -0.125, -0.25], [0.125, 0.125, 0.0]));
    let mut scene = scene("landing-flat", 2.0, vec![falling, pedestal]);
    let contact = Contact { features: None, point: None, normal: Some([0.0, 0.0, -1.0]) };
    let intervals = vec![Interval { enter: 1.0, exit: Some(1.5), contact: Some(contact) }];
    add_contact(&mut scene, [0, 1], intervals);
    scene.times_within = TOUCHING;
    scene.about = "A box lands flat on a pedestal of its own outline, edge on edge, and goes on through it, side along side.";
    scene.truth =
        "Formula: it falls 1 m at 1 m/s, and another 0.5 m until its top leaves the pedestal's bottom.";
    scene
}

/// A part that turns about an axis a thousand kilometres away.
fn far_axis() -> Scene {
    let (distance, angle) = (1e6, 1e-4);
    let base = [[-0.05, 0.1, -0.05], [0.05, 0.1, -0.05], [0.05, 0.1, 0.05], [-0.05, 0.1, 0.05]];
    let mut part = Body::new("part", "far-part", pyramid(&base, [0.0; 3]));
    let (axis, point) = ([0.0, 0.0, -1.0], [0.0, -distance, 0.0]);
    part.motion = Motion::Screw { axis, point, slide: 0.0, angle };
    let drop = 1.25e-3;
    let post = Body::new("post", "far-post", cuboid([49.9, -1.0, -0.1], [50.15, -drop, 0.12]));
    let mut scene = scene("far-axis", 10.0, vec![part, post]);
    // Its corner drops by distance (1 - cos) = 2 distance sin^2 of half the angle.
    let sine = (Double::from(drop) / Double::from(2.0 * distance)).sqrt();
    let half = sine.atan2((Double::ONE - sine * sine).sqrt());
    let enter = (Double::from(20.0) * half / Double::from(angle)).round();
    meet(&mut scene, [0, 1], &[(enter, None)]);
    // The corner comes down at 0.5 mm/s: it is within the tolerance of 1e-9 m for 2e-6 s, in which it goes 2e-5 m.
    scene.times_within = 1e-6;
    scene.points_within = 1e-4;
    scene.about = "A part turns by 1e-4 rad about an axis 1e6 m away, drops 1.25 mm on its way of 50 m, and its corner meets \
                   the top of a post.";
    scene.truth =
        "Formula: 2 asin(sqrt(drop / (2 distance))) of the angle; with bisection, which also gives the exit.";
    scene
}
