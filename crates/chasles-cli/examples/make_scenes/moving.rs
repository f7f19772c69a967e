//! Scenes in which both bodies move, ride, jump, are round, come near or go inside.

use crate::make_scenes::double::Double;
use crate::make_scenes::expected::{FEW_SAMPLES, TOUCHING, add_contact, keep_clear, meet, scene};
use crate::make_scenes::scene::{Body, Contact, Interval, Motion, Pair, Pose, Scene, Shape};
use crate::make_scenes::solid::{Solid, cuboid, extrusion, pyramid};
use crate::make_scenes::truth::TruthCase;

/// These scenes, in the order of the table.
pub(crate) fn scenes() -> Vec<Scene> {
    vec![two_twists(), arm_past_post(), round_dip(), near_corner(), near_balls(), inside_solid(), jump()]
}

/// Times of a motion that was cut into screws, and of round bodies, are enclosed within this share of the duration.
const CUT: f64 = 1e-6;

/// Two bodies that fly at each other, each turning about a line of its own.
fn two_twists() -> Scene {
    let outline = [[0.0, 0.0], [0.3, 0.0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.3], [0.0, 0.3]];
    let bracket = extrusion(&outline, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], (-0.06, 0.06));
    let mut bracket = Body::new("bracket", "bracket", bracket);
    bracket.pose = Pose { position: [-0.6, 0.1, 0.05], rotation: [0.9, 0.2, 0.3, -0.15] };
    bracket.motion = Motion::Twist { linear: [0.5, -0.05, 0.0], angular: [0.4, -0.9, 1.1] };
    let base = [[-0.1, -0.1, 0.0], [0.1, -0.1, 0.0], [0.1, 0.1, 0.0], [-0.1, 0.1, 0.0]];
    let mut tent = Body::new("tent", "tent", pyramid(&base, [0.02, 0.03, 0.25]));
    tent.pose = Pose { position: [0.6, 0.0, 0.0], rotation: [0.7, 0.1, -0.5, 0.4] };
    tent.motion = Motion::Twist { linear: [-0.4, 0.1, 0.05], angular: [-1.3, 0.2, 0.7] };
    let mut scene = scene("two-twists", 2.0, vec![bracket, tent]);
    meet(&mut scene, [0, 1], &[]);
    scene.times_within = CUT;
    scene.points_within = 1e-5;
    scene.about = "Two bodies, each flying straight and turning at a constant rate, meet in the air: seen from either, \
                   the other is on no screw.";
    scene.truth = "Bisection.";
    scene
}

/// Three links, each riding on the one before, and a post.
fn arm_past_post() -> Scene {
    let mut base = Body::new("base", "upper-arm", cuboid([0.0, -0.04, -0.04], [0.4, 0.04, 0.04]));
    let (axis, point) = ([0.0, 0.0, 1.0], [0.0; 3]);
    base.motion = Motion::Screw { axis, point, slide: 0.0, angle: 1.6 };
    let mut fore = Body::new("forearm", "forearm", cuboid([0.0, -0.03, -0.03], [0.3, 0.03, 0.03]));
    fore.pose = Pose::at([0.42, 0.0, 0.0]);
    let (axis, point) = ([0.0, 1.0, 0.0], [0.42, 0.0, 0.0]);
    fore.motion = Motion::Screw { axis, point, slide: 0.0, angle: -0.7 };
    let mut hand = Body::new("hand", "hand", cuboid([0.0, -0.05, -0.02], [0.15, 0.05, 0.02]));
    hand.pose = Pose::at([0.32, 0.0, 0.0]);
    hand.motion = Motion::Twist { linear: [0.02, 0.0, 0.0], angular: [2.0, 0.0, 0.0] };
    let mut bodies = vec![base, fore, hand];
    for (i, body) in bodies.iter_mut().enumerate() {
        body.group = Some("arm");
        body.parent = i.checked_sub(1);
    }
    bodies.push(Body::new("post", "post", cuboid([0.52, 0.52, -0.5], [0.6, 0.6, 0.5])));
    let mut scene = scene("arm-past-post", 1.0, bodies);
    meet(&mut scene, [2, 3], &[]);
    keep_clear(&scene, [0, 3], FEW_SAMPLES);
    keep_clear(&scene, [1, 3], FEW_SAMPLES);
    scene.times_within = CUT;
    scene.points_within = 1e-5;
    scene.about = "An arm of three links, each riding on the one before and turning about a line of its own: the hand clips a \
                   post, the others pass it.";
    scene.truth = "Bisection.";
    scene
}

/// Round bodies fall through a slab, upright spin and all.
fn round_dip() -> Scene {
    let thickness = 0.125;
    let mut slab = Body::of("slab", Shape::cuboid([4.0, 2.0, thickness]));
    slab.pose = Pose::at([0.0, 0.0, -0.5 * thickness]);
    let tilted = [0.8, 0.6, 0.0, 0.0];
    // Cosine and sine of the tilt, from the quaternion.
    let (cos, sin) = (0.28, 0.96);
    let round = [
        ("ball", "sphere = 0.25", [1.0, 0.0, 0.0, 0.0], 0.25),
        ("capsule", "capsule = { radius = 0.1, height = 0.4 }", tilted, 0.2 * cos + 0.1),
        ("cylinder", "cylinder = { radius = 0.1, height = 0.4 }", tilted, 0.2 * cos + 0.1 * sin),
    ];
    let mut bodies = Vec::new();
    let mut expected = Vec::new();
    for (i, (name, shape, rotation, reach)) in (-1_i8..).zip(round) {
        let x = f64::from(i);
        let mut body = Body::of(name, Shape::Written(shape));
        body.pose = Pose { position: [x, 0.0, 1.0], rotation };
        body.motion = Motion::Screw { axis: [0.0, 0.0, -1.0], point: [x, 0.0, 0.0], slide: 2.0, angle: 2.0 };
        bodies.push(body);
        // It reaches as far up and down from its middle, which falls 1 m to the top of the slab at 1 m/s.
        let point = (name == "ball").then_some([x, 0.0, 0.0]);
        let contact = Contact { features: None, point, normal: Some([0.0, 0.0, -1.0]) };
        let exit = Some(1.0 + thickness + reach);
        expected.push(Interval { enter: 1.0 - reach, exit, contact: Some(contact) });
    }
    bodies.push(slab);
    let mut scene = scene("round-dip", 2.0, bodies);
    for (i, interval) in expected.into_iter().enumerate() {
        add_contact(&mut scene, [i, 3], vec![interval]);
    }
    // Each with the slab and with each other.
    scene.pairs_tested = 6;
    scene.times_within = TOUCHING;
    // The tolerance is 4.5e-9 m, and they fall at 1 m/s.
    scene.parts_within = 5e-9;
    // Within the tolerance a ball of 0.25 m meets a plane on a disc of this radius.
    scene.points_within = 1e-4;
    scene.about = "A ball, a tilted capsule and a tilted cylinder fall through a slab, spinning: round, whatever stands in for them.";
    scene.truth = "Formula: each falls at 1 m/s from 1 m above, and reaches as far down and up as its radius and half of its \
                   height times the sine and cosine of its tilt.";
    scene
}

/// A corner passes a wall along an arc.
fn near_corner() -> Scene {
    let (apex, angle, wall, clearance) = ([-0.3, 0.4, 0.0], -1.287_002_217_586_57, 0.51, 0.03);
    let base = [[-0.26, 0.31, -0.02], [-0.26, 0.31, 0.02], [-0.22, 0.34, 0.02], [-0.22, 0.34, -0.02]];
    let mut tool = Body::new("tool", "grazing-tool", pyramid(&base, apex));
    let (axis, point) = ([0.0, 0.0, 1.0], [0.0; 3]);
    tool.motion = Motion::Screw { axis, point, slide: 0.0, angle };
    let wall_box = cuboid([-0.5, wall, -0.1], [0.5, 0.6, 0.15]);
    let mut scene = scene("near-corner", 1.0, vec![tool, Body::new("wall", "wall-near", wall_box)]);
    scene.clearance = clearance;
    keep_clear(&scene, [0, 1], FEW_SAMPLES);
    // As near as that where its angle from the wall's normal has the cosine (wall - clearance) / radius.
    let [x, y, wall, clearance] = [apex[0], apex[1], wall, clearance].map(Double::from);
    let radius = (x * x + y * y).sqrt();
    let from_normal = (-x).atan2(y);
    let half = ((wall - clearance) / radius).acos();
    let time = |angle_left: Double| (angle_left / -Double::from(angle)).round();
    let [enter, exit] = [time(from_normal - half), time(from_normal + half)];
    add_near(&mut scene, (enter, exit), (wall - radius).round());
    scene.about =
        "A corner passes a wall along an arc of radius 0.5 m, 1 cm below it, with a clearance of 3 cm.";
    scene.truth = "Formula: the arc's top is 1 cm below the wall; 3 cm at the angle acos(0.48 / 0.5) before it and after.";
    scene
}

/// Two balls that fly past each other, both turning.
fn near_balls() -> Scene {
    let ball = |name, shape, position, linear, angular| {
        let mut ball = Body::of(name, Shape::Written(shape));
        (ball.pose, ball.motion) = (Pose::at(position), Motion::Twist { linear, angular });
        ball
    };
    let one = ball("ball", "sphere = 0.25", [-1.0, 0.0, 0.0], [0.75, 0.0, 0.0], [0.0, 0.0, 3.0]);
    let other = ball("other ball", "sphere = 0.125", [1.0, 0.0, 0.4375], [-0.25, 0.0, 0.0], [1.0, -2.0, 0.0]);
    let mut scene = scene("near-balls", 4.0, vec![one, other]);
    scene.clearance = 0.125;
    // Their middles pass at 1 m/s after 2 s, 0.4375 m apart.
    let [radii, clearance, apart] = [0.375, 0.125, 0.4375].map(Double::from);
    let reach = radii + clearance;
    let half = (reach * reach - apart * apart).sqrt();
    let two = Double::from(2.0);
    add_near(&mut scene, ((two - half).round(), (two + half).round()), (apart - radii).round());
    scene.about = "Two balls fly past each other, 62.5 mm apart, with a clearance of 125 mm.";
    scene.truth = "Formula: the middles pass 0.4375 m apart; sqrt(0.5^2 - 0.4375^2) s before that and after it they are 0.5 m apart.";
    scene
}

fn add_near(scene: &mut Scene, (enter, exit): (f64, f64), gap: f64) {
    let [a, b] = [0, 1].map(|i| scene.bodies[i].name);
    let intervals = vec![Interval { enter, exit: Some(exit), contact: None }];
    scene.pairs.push(Pair { a, b, verdict: "near", intervals, gap: Some(gap) });
    scene.times_within = CUT;
}

/// A crystal flies through a solid block: in at one side, wholly inside for a while, out at the other.
fn inside_solid() -> Scene {
    let mut crystal = Solid::new();
    // Never all in one plane with a side of the block, where the static test would see no crossing.
    let waist = [[0.02, -0.1, 0.0], [-0.02, 0.0, -0.1], [0.02, 0.1, 0.0], [-0.02, 0.0, 0.1]];
    let (front, back) = (crystal.vertex([0.125, 0.0, 0.0]), crystal.vertex([-0.125, 0.0, 0.0]));
    let waist = crystal.ring(waist);
    crystal.fan(front, &waist);
    crystal.fan(back, &waist.into_iter().rev().collect::<Vec<_>>());
    let mut crystal = Body::new("crystal", "crystal", crystal);
    crystal.pose = Pose::at([-1.0, 0.05, 0.03]);
    crystal.motion = Motion::Twist { linear: [1.0, 0.0, 0.0], angular: [3.0, 0.0, 0.0] };
    let mut block = Body::new("block", "solid-block", cuboid([-0.5; 3], [0.5; 3]));
    block.solid = true;
    let mut scene = scene("inside-solid", 2.0, vec![crystal, block]);
    // The surfaces meet twice, as it comes in and as it goes out; the block is solid in between.
    meet(&mut scene, [0, 1], &[(0.375, Some(0.625)), (1.375, Some(1.625))]);
    let intervals = &mut scene.pairs[0].intervals;
    assert_eq!(intervals.len(), 2, "in and out");
    intervals[0].exit = intervals[1].exit;
    intervals.truncate(1);
    scene.about = "A crystal flies through a solid block, for 0.75 s wholly inside it: one span of contact, from tip to tail.";
    scene.truth =
        "Formula: its tip reaches the block after 0.375 m, its tail leaves it after 1.625 m; with bisection.";
    scene
}

/// A box that jumps into another and out again.
fn jump() -> Scene {
    let keys = [(0.0, [-1.0, 0.0, 0.0]), (1.25, [0.1, 0.2, 0.15]), (2.5, [1.0, 0.0, 0.0])];
    let keys = keys.map(|(time, position)| (time, Pose { position, rotation: [0.9, 0.1, 0.3, 0.2] }));
    let mut jumper = Body::of("jumper", Shape::cuboid([0.4, 0.3, 0.5]));
    let mut met = Vec::new();
    for (_, pose) in keys {
        jumper.pose = pose;
        let still = scene("jump", 4.0, vec![jumper, Body::of("block", Shape::cuboid([0.5, 0.5, 0.5]))]);
        met.push(TruthCase::new(&still, [0, 1]).intersect(0.0));
        jumper = still.bodies.into_iter().next().expect("the first of two");
    }
    assert_eq!(met, [false, true, false], "only the middle pose is in the block");
    (jumper.pose, jumper.motion) = (Pose::IDENTITY, Motion::Steps(keys.to_vec()));
    let mut scene = scene("jump", 4.0, vec![jumper, Body::of("block", Shape::cuboid([0.5, 0.5, 0.5]))]);
    let (enter, exit) = (keys[1].0, Some(keys[2].0));
    add_contact(&mut scene, [0, 1], vec![Interval { enter, exit, contact: None }]);
    // Contact that begins and ends at a jump does so at its very time.
    scene.times_within = 0.0;
    scene.about =
        "A box with step keys jumps into a block, and out of it past the other side: nothing is swept.";
    scene.truth = "Formula: contact lasts from the second key to the third; a static test finds it in the second pose alone.";
    scene
}
