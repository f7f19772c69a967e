//! The expected results for a robot on its paths, and for worlds in VRML, by formulas alone.

use serde_json::{Value, json};

use crate::make_scenes::camera;
use crate::make_scenes::scene::Scene;

/// The maximum width of an enclosure of a time, in seconds.
const TIMES_WITHIN: f64 = 1e-6;

/// The maximum error of a point, in metres.
const POINTS_WITHIN: f64 = 1e-4;

/// A round body is in contact while it is within the tolerance, here at most 4e-9 m: at most this time in seconds, at
/// 0.3 m/s.
const WITHIN_TOLERANCE: f64 = 2e-8;

/// The distance from the middle of a finger to the middle of the arm, and the thickness of a finger, in metres.
const FINGER: f64 = 0.03;
const FINGER_THICK: f64 = 0.004;

/// The values of each expected report that has arguments, by their keys. `read` reads a scene by its name.
pub(crate) fn truths(read: impl Fn(&str) -> Scene) -> Vec<(&'static str, Value)> {
    let wire = read("robots/wire");
    // Ten pairs of links: the base with all but the upper arm (4), the upper arm with the hand and fingers (3), the
    // forearm with the fingers (2), the fingers with each other (1). Five links with the wire.
    let (links, links_and_wire) = (10, 15);
    vec![
        ("arm-free", arm_free(&wire, links_and_wire)),
        ("arm-wire", values(links_and_wire, WITHIN_TOLERANCE, arm_wire(&wire))),
        ("arm-trajectory", values(links_and_wire, WITHIN_TOLERANCE, arm_trajectory(&wire))),
        ("arm-grip", values(links, 0.0, arm_grip())),
        // The ball with all links but the hand (5); the table with the ball and with all links but the base (6).
        ("arm-part", values(links + 11, 0.0, arm_part())),
        // All six links with the parcel.
        ("arm-conveyor", values(links + 6, 0.0, arm_conveyor(&read("robots/conveyor")))),
        // Five links with the cloud.
        ("arm-seen", values(links + 5, 1e-6, arm_seen(&read("robots/seen")))),
        ("gate-world", values(1, WITHIN_TOLERANCE, gate_world())),
        ("press-world", values(1, WITHIN_TOLERANCE, press_world())),
    ]
}

/// The values of a report, with the pairs in contact.
fn values(pairs_tested: usize, parts_within: f64, pairs: Vec<Value>) -> Value {
    json!({
        "verdict": if pairs.is_empty() { "clear" } else { "contact" },
        "exit_status": i32::from(!pairs.is_empty()),
        "pairs_tested": pairs_tested,
        "times_within": TIMES_WITHIN,
        "parts_within": parts_within,
        "points_within": POINTS_WITHIN,
        "normals_within": null,
        "play": null,
        "pairs": pairs,
    })
}

/// Two bodies in contact once, with the values of the contact that are unique.
fn contact([a, b]: [&str; 2], enter: f64, exit: Option<f64>, contact: Value) -> Value {
    let interval = json!({ "enter": enter, "exit": exit, "contact": contact });
    json!({ "a": a, "b": b, "verdict": "contact", "intervals": [interval] })
}

/// The same on a path, with the segment and the value of a joint at the start of contact.
fn on_path(mut contact: Value, segment: usize, joint: &str, value: f64) -> Value {
    let interval = &mut contact["intervals"][0];
    interval["segment"] = json!(segment);
    interval["joints"] = json!({ joint: value });
    contact
}

/// The wire's position, and its radius.
fn wire_at(wire: &Scene) -> ([f64; 2], f64) {
    let [x, y, _] = wire.bodies[0].pose.position;
    ([x, y], wire.bodies[0].number("/cylinder/radius"))
}

fn arm_free(wire: &Scene, pairs_tested: usize) -> Value {
    let ([x, y], _) = wire_at(wire);
    // The elbow is at 0.4 m, the middle of the hand is 0.3 m from it, and no point of the hand is 0.05 m from its
    // middle.
    let reach = |elbow: f64| (0.4 + 0.3 * elbow.cos()).hypot(0.3 * elbow.sin()) + 0.05;
    assert!(reach(1.7) < 0.53 && reach(2.0) < reach(1.7) && x.hypot(y) > 0.69);
    values(pairs_tested, 0.0, Vec::new())
}

/// The angles of the arm at which the face of a finger reaches the wire and leaves it. `offset` is the distance of the
/// finger's middle from the arm.
fn angles_at_wire(wire: &Scene, offset: f64) -> [f64; 2] {
    let ([x, y], radius) = wire_at(wire);
    let reach = 0.5 * FINGER_THICK + radius;
    [offset + reach, offset - reach].map(|side| y.atan2(x) - (side / x.hypot(y)).asin())
}

/// Two fingers pass the wire, at the times of these angles of the arm.
fn passes(wire: &Scene, time: impl Fn(f64) -> f64) -> Vec<Value> {
    let pass = |(finger, offset)| {
        let [enter, exit] = angles_at_wire(wire, offset);
        let contact = contact([finger, "wire"], time(enter), Some(time(exit)), json!({}));
        on_path(contact, 0, "turn", enter)
    };
    [("left", FINGER), ("right", -FINGER)].map(pass).into()
}

fn arm_wire(wire: &Scene) -> Vec<Value> {
    for [enter, exit] in [FINGER, -FINGER].map(|offset| angles_at_wire(wire, offset)) {
        for steps in [99, 100] {
            let mut samples = (0..=steps).map(|i| -1.2 + 2.4 * f64::from(i) / f64::from(steps));
            assert!(!samples.any(|angle| enter - 1e-4 <= angle && angle <= exit + 1e-4), "a sample shows it");
        }
    }
    passes(wire, |angle| 2.0 * (angle + 1.2) / 2.4)
}

fn arm_trajectory(wire: &Scene) -> Vec<Value> {
    passes(wire, |angle| {
        let fraction = (angle + 1.2) / 2.4;
        3.0 * (0.5 - ((1.0 - 2.0 * fraction).asin() / 3.0).sin())
    })
}

fn arm_grip() -> Vec<Value> {
    let contact = contact(["left", "right"], 2.8, None, json!({ "normal": [0.0, -1.0, 0.0] }));
    vec![on_path(contact, 0, "grip", 0.028)]
}

fn arm_part() -> Vec<Value> {
    let at = json!({ "point": [0.7, 0.0, 0.1], "normal": [0.0, 0.0, 1.0] });
    vec![on_path(contact(["table", "ball"], 1.5, None, at), 0, "reach", 0.045)]
}

fn arm_conveyor(conveyor: &Scene) -> Vec<Value> {
    let speed = conveyor.bodies[0].number("/motion/linear/1");
    let pass = |(finger, distance)| {
        let normal = json!({ "normal": [0.0, -1.0, 0.0] });
        let contact = contact([finger, "parcel"], distance / speed, Some((distance + 0.204) / speed), normal);
        on_path(contact, 1, "reach", 0.1)
    };
    [("left", 0.528), ("right", 0.468)].map(pass).into()
}

fn arm_seen(seen: &Scene) -> Vec<Value> {
    camera::assert_pose(seen.bodies[0].pose);
    let strike = |(finger, offset)| {
        let finger_box = [[0.7, offset, 0.2], [0.01, 0.5 * FINGER_THICK, 0.03]];
        let angles = camera::contact_angles(finger_box, seen.bodies[0].number("/radius"), [-1.2, 1.2]);
        let [enter, exit] = angles.map(|angle| 2.0 * (angle + 1.2) / 2.4);
        on_path(contact([finger, "seen"], enter, Some(exit), json!({})), 0, "turn", angles[0])
    };
    [("left", FINGER), ("right", -FINGER)].map(strike).into()
}

fn gate_world() -> Vec<Value> {
    let (x, z) = (0.42_f64, 0.43_f64);
    // Half the leaf, and the ball's radius.
    let [enter, exit] = [0.15, -0.15].map(|side: f64| z.atan2(x) - (side / x.hypot(z)).asin());
    let time = |angle: f64| 1.0 + 2.0 * (angle - 0.2);
    let contact = contact(["GATE/LEAF", "POST/BALL"], time(enter), Some(time(exit)), json!({}));
    vec![on_path(contact, 1, "GATE.rotation", enter)]
}

fn press_world() -> Vec<Value> {
    let at = json!({ "point": [0.0, 0.5, 0.0], "normal": [0.0, -1.0, 0.0] });
    vec![contact(["HEAD/BALL", "ANVIL"], 1.25 / 0.75, Some(4.0 - 1.25 / 0.75), at)]
}
