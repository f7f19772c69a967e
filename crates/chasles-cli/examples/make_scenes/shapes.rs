//! Expected results of bodies that are not meshes: parts of solids, formulas, a parametric surface, heights and points.

use serde_json::json;

use crate::make_scenes::expected::{TruePair, Truth, in_contact};
use crate::make_scenes::samples::{HALF_LATTICE, LATTICE_STEP};
use crate::make_scenes::scene::Scene;
use crate::make_scenes::solid::rounded;

/// The radius of the plate's hole, and of the pin, in metres.
const HOLE: f64 = 0.01;
const PIN: f64 = 0.008;
/// The middle of the hole at the top of the plate.
const MOUTH: [f64; 3] = [0.03, 0.01, 0.01];
/// The speed of the pin and of the fingers, in metres a second.
const DOWN: f64 = 0.1;
/// The distances that the pin moves until its lower end is at the top of the plate, and until its upper end is at the
/// bottom of the plate.
const TO_TOP: f64 = 0.025;
const TO_BOTTOM: f64 = 0.075;

/// Panics unless the pin moves down `beside` metres from the hole's axis, and hole and pin have the radii of the
/// formulas.
fn assert_pin(scene: &Scene, shape: &str, beside: f64) {
    let [pin, plate] = [0, 1].map(|i| &scene.bodies[i]);
    let [x, y, _] = MOUTH;
    assert_eq!(
        pin.pose.position,
        [rounded(x + 0.6 * beside), rounded(y + 0.8 * beside), 0.05],
        "the pin's position"
    );
    assert_eq!(pin.table["motion"]["linear"], json!([0.0, 0.0, -DOWN]), "the pin's velocity");
    assert_eq!(pin.number(&format!("/{shape}/radius")), PIN, "the pin's radius");
    assert_eq!(plate.number("/csg/difference/1/cylinder/radius"), HOLE, "the hole's radius");
}

pub(crate) fn pin_in_hole(scene: &Scene) -> Truth {
    let beside = 0.001;
    assert_pin(scene, "cylinder", beside);
    let (gap, clearance) = (HOLE - beside - PIN, scene.number("/clearance"));
    // At this height over the mouth, the distance between the rims of pin and hole is the clearance.
    let height = (clearance.powi(2) - gap * gap).sqrt();
    let times = [(TO_TOP - height) / DOWN, (TO_BOTTOM + height) / DOWN];
    let near = TruePair::near([0, 1], times, gap);
    Truth::of(vec![near]).with_epsilon(scene, DOWN * height / clearance)
}

pub(crate) fn pin_on_rim(scene: &Scene) -> Truth {
    let beside = 0.0045;
    assert_pin(scene, "capsule", beside);
    // The rim is at this distance from the axis of the pin, and the middle of the round end at this height over the
    // rim.
    let away = HOLE - beside;
    let height = (PIN * PIN - away * away).sqrt();
    let [x, y, top] = MOUTH;
    // At the rim every direction between the normals of plate and hole is a normal.
    let contact = json!({ "point": [x + 0.6 * HOLE, y + 0.8 * HOLE, top] });
    let [enter, exit] = [(TO_TOP - height) / DOWN, (TO_BOTTOM + height) / DOWN];
    let truth = in_contact(enter, Some(exit), Some(contact)).with_epsilon(scene, DOWN * height / PIN);
    // Two curved surfaces: they are within epsilon for sqrt(epsilon times the hole's radius) along the rim.
    Truth { points_within: 2e-4, ..truth }
}

pub(crate) fn pin_tight(scene: &Scene) -> Truth {
    assert_pin(scene, "cylinder", HOLE - PIN - 1e-5);
    Truth::of(Vec::new())
}

pub(crate) fn pin_too_tight(scene: &Scene) -> Truth {
    assert_pin(scene, "cylinder", HOLE - PIN + 1e-5);
    let contact = json!({ "normal": [0.0, 0.0, -1.0] });
    in_contact(TO_TOP / DOWN, Some(TO_BOTTOM / DOWN), Some(contact)).with_epsilon(scene, DOWN)
}

/// The two links of a chain of `linked-tori-pulled`, as exact tori.
pub(crate) fn tori_of_formulas(scene: &Scene) -> Truth {
    let (radius, tube) = (0.05, 0.012);
    let [start, speed] = ["/pose/position/0", "/motion/linear/0"].map(|key| scene.bodies[0].number(key));
    let contact = json!({ "point": [rounded(radius - tube), 0.0, 0.0], "normal": [1.0, 0.0, 0.0] });
    let enter = (2.0 * (radius - tube) - start) / speed;
    let truth = in_contact(enter, None, Some(contact)).with_epsilon(scene, speed);
    // Two curved surfaces: they are within epsilon for about sqrt(epsilon times the tube's radius).
    Truth { points_within: 2e-4, normals_within: Some(0.02), ..truth }
}

/// A ball falls on a slope of 3 in 4, and a second ball moves up along the slope, over a thorn.
pub(crate) fn balls_over_hill(scene: &Scene) -> Truth {
    // After 1 s the middle of the falling ball is 0.25 m from the slope. The other is 0.3125 m from the thorn's tip,
    // which is at (0, 0.25, 0.25), along the normal (-0.6, 0, 0.8) of the slope.
    let contact = json!({ "point": [-0.1, -0.3125, -0.075], "normal": [0.6, 0.0, -0.8] });
    let falling = TruePair::in_contact([0, 2], 1.0, None, Some(contact));
    let (apart, radius) = (0.3125_f64, scene.bodies[1].number("/sphere"));
    let reach = radius + scene.number("/clearance");
    let half = (reach * reach - apart * apart).sqrt();
    let passing = TruePair::near([1, 2], [1.0 - half, 1.0 + half], apart - radius);
    let truth = Truth::of(vec![falling, passing]).with_epsilon(scene, half / reach);
    // A ball of 0.25 m is within epsilon of a plane on a disc of this radius.
    Truth { points_within: 2e-3, normals_within: Some(8e-3), ..truth }
}

/// Two fingers of a gripper come down on a cloud of points: a round one meets a point, a thin one enters between the
/// rows.
pub(crate) fn fingers_at_points(scene: &Scene) -> Truth {
    // The round end is (3, 4) mm beside the point (20, -40) mm.
    let ball = scene.bodies[2].number("/radius");
    let normal = [-3.0 / 13.0, -4.0 / 13.0, -12.0 / 13.0];
    let [x, y, z] = normal.map(|x| -ball * x);
    let index =
        (2 + i32::from(HALF_LATTICE)) * (2 * i32::from(HALF_LATTICE) + 1) - 4 + i32::from(HALF_LATTICE);
    let contact = json!({
        "kind": "solid-point", "a": [], "b": [index], "point": [0.02 + x, -0.04 + y, z], "normal": normal,
    });
    let round = TruePair::in_contact([0, 2], (0.06 - 0.012) / DOWN, None, Some(contact));
    // Half of the width between two rows, less half of the blade, less the points' radius.
    let gap = 0.5 * LATTICE_STEP - 0.5 * scene.bodies[1].number("/box/1") - ball;
    let reach = ball + scene.number("/clearance");
    let height = (reach * reach - (gap + ball) * (gap + ball)).sqrt();
    let thin = TruePair::near([1, 2], [(0.03 - height) / DOWN, (0.07 + height) / DOWN], gap);
    let truth = Truth::of(vec![round, thin]).with_epsilon(scene, DOWN * height / reach);
    // Two balls are within epsilon on a disc of this radius.
    Truth { points_within: 1e-4, normals_within: Some(0.02), ..truth }
}
