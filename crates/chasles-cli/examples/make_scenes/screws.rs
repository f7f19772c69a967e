//! The truth of scenes whose bodies are meshes, or round, and move on screws, twists and keyframes.

use std::f64::consts::TAU;

use serde_json::json;

use crate::make_scenes::double::Double;
use crate::make_scenes::expected::{CUT, FEW_SAMPLES, TOUCHING, TruePair, Truth, bisected, in_contact};
use crate::make_scenes::meshes::LINK;
use crate::make_scenes::scene::{Motion, Pose, Scene};
use crate::make_scenes::solid::rounded;
use crate::make_scenes::thread;
use crate::make_scenes::truth::TruthCase;

/// Both poses of the finger are free, and so are the samples that a user would take.
pub(crate) fn half_turn_gripper(scene: &Scene) -> Truth {
    let case = TruthCase::new(scene, [0, 1]);
    for steps in [99, 100] {
        let mut times = (0..=steps).map(|i| scene.duration * f64::from(i) / f64::from(steps));
        assert!(!times.any(|time| case.intersect(time)), "a sample shows the contact");
    }
    bisected(scene)
}

/// Panics unless the bolt starts in the middle of its play and makes the expected number of revolutions, with this
/// advance per revolution.
fn assert_bolt(scene: &Scene, turns: f64, advance: f64) {
    let bolt = &scene.bodies[0];
    assert_eq!(bolt.pose.position, [0.0, 0.0, rounded(thread::engaged(7.0))], "the bolt's position");
    let (slide, angle) = (rounded(-turns * advance), -turns * TAU);
    let motion = Motion::Screw { axis: [0.0, 0.0, 1.0], point: [0.0; 3], slide, angle };
    assert_eq!(bolt.motion, motion, "the bolt's motion");
}

pub(crate) fn bolt_in_nut(scene: &Scene) -> Truth {
    assert_bolt(scene, 4.0, thread::PITCH);
    assert!(thread::lost_play() < 0.033e-3 && thread::axial_play() > 0.115e-3, "{}", thread::lost_play());
    assert!(TruthCase::new(scene, [0, 1]).contact_intervals(0.0, 24).is_empty(), "the bolt scrapes");
    Truth::of(Vec::new())
}

/// The contact starts when the error of the advance equals the axial play, reduced by the flatness of the triangles.
pub(crate) fn bolt_off_pitch(scene: &Scene) -> Truth {
    let (turns, error) = (2.6, 0.04e-3);
    assert_bolt(scene, turns, thread::PITCH + error);
    let seconds_per_turn = scene.duration / turns;
    let earliest = (thread::axial_play() - thread::lost_play()) / error * seconds_per_turn;
    let latest = thread::axial_play() / error * seconds_per_turn;
    let intervals = TruthCase::new(scene, [0, 1]).contact_intervals(earliest, FEW_SAMPLES);
    assert!(intervals[0].enter <= latest, "{earliest} {} {latest}", intervals[0].enter);
    Truth::of(vec![TruePair { bodies: [0, 1], intervals, gap: None }])
}

pub(crate) fn linked_tori_pulled(scene: &Scene) -> Truth {
    // The middles of the inner edges, on the axis of the screw: (radius - tube) cos(pi / sections) from each middle.
    let (_, cos) = Double::from(TAU / 48.0).sin_cos();
    let inner = (Double::from(LINK.radius) - Double::from(LINK.tube)) * cos;
    let [start, slide] =
        ["/pose/position/0", "/motion/slide"].map(|key| Double::from(scene.bodies[0].number(key)));
    bisected(scene).with_formula(scene, &[(((inner + inner - start) / slide).round(), None)])
}

/// The tip reaches the plate after 1 m, and the tail leaves it after 2.001 m.
pub(crate) fn needle_through_plate(scene: &Scene) -> Truth {
    bisected(scene).with_formula(scene, &[(0.001, Some(0.002_001))])
}

/// The times at which the tool's apex passes a height on its arc about z, going up and coming down.
fn arc_times(scene: &Scene, height: Double) -> [f64; 2] {
    let [x, y, _] = apex(scene);
    let angle = Double::from(scene.bodies[0].number("/motion/angle"));
    // It is at this height where its angle from the top of the arc has the cosine height / radius.
    let from_top = (-x).atan2(y);
    let half = (height / (x * x + y * y).sqrt()).acos();
    [from_top - half, from_top + half].map(|turned| (turned / -angle).round())
}

fn apex(scene: &Scene) -> [Double; 3] {
    scene.bodies[0].surface.as_ref().expect("the tool is a mesh").vertices[0].map(Double::from)
}

pub(crate) fn grazing_contact(scene: &Scene) -> Truth {
    let [wall, _] = scene.bodies[1].extent(1);
    let [enter, exit] = arc_times(scene, Double::from(wall));
    bisected(scene).with_formula(scene, &[(enter, Some(exit))])
}

pub(crate) fn near_corner(scene: &Scene) -> Truth {
    assert!(bisected(scene).pairs.is_empty(), "the corner only comes near");
    let [wall, _] = scene.bodies[1].extent(1);
    let [wall, clearance] = [wall, scene.number("/clearance")].map(Double::from);
    let [x, y, _] = apex(scene);
    let gap = (wall - (x * x + y * y).sqrt()).round();
    let near = TruePair::near([0, 1], arc_times(scene, wall - clearance), gap);
    Truth { times_within: CUT, ..Truth::of(vec![near]) }
}

/// The rear edge of the box passes the end of the table.
pub(crate) fn sliding_box(scene: &Scene) -> Truth {
    let [[rear, _], [_, end]] = [0, 1].map(|body| scene.bodies[body].extent(0));
    let speed = scene.bodies[0].number("/motion/slide") / scene.duration;
    Truth { times_within: TOUCHING, ..in_contact(0.0, Some((end - rear) / speed), None) }
}

/// A box enters a pedestal at its top, and the box's top leaves it at the bottom.
pub(crate) fn landing_flat(scene: &Scene) -> Truth {
    let [falling, pedestal] = [0, 1].map(|body| &scene.bodies[body]);
    let [[low, high], [bottom, top]] = [falling, pedestal].map(|body| body.extent(2));
    let speed = falling.number("/motion/slide") / scene.duration;
    let [enter, exit] = [low - top, high - bottom].map(|way| (falling.pose.position[2] + way) / speed);
    let contact = json!({ "normal": [0.0, 0.0, -1.0] });
    Truth { times_within: TOUCHING, ..in_contact(enter, Some(exit), Some(contact)) }
}

pub(crate) fn far_axis(scene: &Scene) -> Truth {
    let part = &scene.bodies[0];
    let [distance, angle] = ["/motion/point/1", "/motion/angle"].map(|key| part.number(key).abs());
    let [_, top] = scene.bodies[1].extent(1);
    // The corner drops by distance (1 - cos) = 2 distance sin^2 of half the angle.
    let sine = (Double::from(-top) / Double::from(2.0 * distance)).sqrt();
    let half = sine.atan2((Double::ONE - sine * sine).sqrt());
    let enter = (Double::from(2.0 * scene.duration) * half / Double::from(angle)).round();
    let truth = bisected(scene).with_formula(scene, &[(enter, None)]);
    // The corner comes down at 0.5 mm/s: it is within the tolerance of 1e-9 m for 2e-6 s, in which it moves 2e-5 m.
    Truth { times_within: 1e-6, points_within: 1e-4, ..truth }
}

/// Bodies whose relative motion is not a screw.
pub(crate) fn beyond_screws(scene: &Scene) -> Truth {
    Truth { times_within: CUT, points_within: 1e-5, ..bisected(scene) }
}

pub(crate) fn round_dip(scene: &Scene) -> Truth {
    // Cosine and sine of the tilt, from the quaternion (0.8, 0.6, 0, 0).
    let (cos, sin) = (0.28, 0.96);
    let thickness = scene.bodies[3].number("/box/2");
    let dip = |i: usize| {
        let body = &scene.bodies[i];
        // Half of its extent along z.
        let reach = match body.name.as_str() {
            "ball" => body.number("/sphere"),
            "capsule" => 0.5 * body.number("/capsule/height") * cos + body.number("/capsule/radius"),
            _ => 0.5 * body.number("/cylinder/height") * cos + body.number("/cylinder/radius") * sin,
        };
        let mut contact = json!({ "normal": [0.0, 0.0, -1.0] });
        if body.name == "ball" {
            contact["point"] = json!([body.pose.position[0], 0.0, 0.0]);
        }
        // Its middle falls to the top of the slab, which is at 0.
        let (height, speed) = (body.pose.position[2], body.number("/motion/slide") / scene.duration);
        let [enter, exit] = [height - reach, height + thickness + reach].map(|way| way / speed);
        TruePair::in_contact([i, 3], enter, Some(exit), Some(contact))
    };
    Truth {
        times_within: TOUCHING,
        // The tolerance is 4.5e-9 m, and they fall at 1 m/s.
        parts_within: Some(5e-9),
        // A ball of 0.25 m is within the tolerance of a plane on a disc of this radius.
        points_within: 1e-4,
        ..Truth::of([0, 1, 2].map(dip).into())
    }
}

pub(crate) fn near_balls(scene: &Scene) -> Truth {
    let [one, other] = [0, 1].map(|i| &scene.bodies[i]);
    let reach = Double::from(one.number("/sphere") + other.number("/sphere"));
    let [clearance, apart] = [scene.number("/clearance"), other.pose.position[2]].map(Double::from);
    let speed = Double::from(one.number("/motion/linear/0") - other.number("/motion/linear/0"));
    let before = Double::from(other.pose.position[0] - one.pose.position[0]);
    let half = ((reach + clearance) * (reach + clearance) - apart * apart).sqrt();
    let times = [before - half, before + half].map(|way| (way / speed).round());
    Truth { times_within: CUT, ..Truth::of(vec![TruePair::near([0, 1], times, (apart - reach).round())]) }
}

/// The surfaces intersect twice: when the body enters the block and when it leaves it. The block is solid in between.
pub(crate) fn inside_solid(scene: &Scene) -> Truth {
    let formula = [(0.375, Some(0.625)), (1.375, Some(1.625))];
    let mut truth = bisected(scene).with_formula(scene, &formula);
    let intervals = &mut truth.pairs[0].intervals;
    assert_eq!(intervals.len(), 2, "in and out");
    intervals[0].exit = intervals[1].exit;
    intervals.truncate(1);
    truth
}

/// Contact lasts from the second key to the third: it starts and ends at a jump, at that very time.
pub(crate) fn jump(scene: &Scene) -> Truth {
    let Motion::Steps(keys) = &scene.bodies[0].motion else { panic!("the jumper has step keys") };
    let intersect = |pose: Pose| {
        let mut still = scene.clone();
        (still.bodies[0].pose, still.bodies[0].motion) = (pose, Motion::None);
        TruthCase::new(&still, [0, 1]).intersect(0.0)
    };
    let intersecting: Vec<_> = keys.iter().map(|(_, pose)| intersect(*pose)).collect();
    assert_eq!(intersecting, [false, true, false], "only the middle pose is in the block");
    Truth { times_within: 0.0, ..in_contact(keys[1].0, Some(keys[2].0), None) }
}
