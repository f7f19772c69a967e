//! Fits with known play: the free motion of one part, forward and backward, before it binds.

use crate::make_scenes::double::Double;
use crate::make_scenes::expected::{TOUCHING, Truth, bisected};
use crate::make_scenes::scene::Scene;
use crate::make_scenes::solid::rounded;

/// By bisection and a formula. The contact is not unique: parts bind with whole edges.
fn binding(scene: &Scene, enter: f64, play: [Option<[f64; 2]>; 2]) -> Truth {
    let mut truth = bisected(scene).with_formula(scene, &[(enter, None)]);
    truth.pairs[0].intervals[0].contact = None;
    Truth { times_within: TOUCHING, play: Some(play), ..truth }
}

/// Half of the width of the slot, in metres.
const SLOT: f64 = 3.15e-3;

/// A plug that leans is pushed into a socket.
pub(crate) fn plug_in_socket(scene: &Scene) -> Truth {
    let plug = &scene.bodies[0];
    let [before, up, _] = plug.pose.position;
    let [_, plug_half] = plug.extent(1).map(Double::from);
    // The tangent of half of the angle by which the plug leans.
    let half = Double::from(plug.pose.rotation[3]);
    let norm = Double::from(1.0) + half * half;
    let (sin, cos) = ((half + half) / norm, (Double::from(1.0) - half * half) / norm);
    // The lower side, through the leading lower corner, touches the lower edge of the mouth.
    let rise = Double::from(up) - plug_half * cos + Double::from(SLOT);
    let deep = rise * cos / sin - plug_half * sin;
    let way = deep - Double::from(before);
    let enter = (way / Double::from(plug.number("/motion/slide"))).round();
    binding(scene, enter, [Some([0.0, rounded(way.round())]), None])
}

/// Half of the width of the keyway, in metres.
const KEYWAY: f64 = 3.1e-3;

/// A key rotates about its shaft's axis in the keyway of a hub, until its outer corner touches a wall.
pub(crate) fn key_in_hub(scene: &Scene) -> Truth {
    let key = &scene.bodies[0];
    // The largest distance of the key from the axis, and half of its width.
    let [[_, reach], [_, half]] = [0, 1].map(|axis| key.extent(axis));
    let play = (KEYWAY / reach.hypot(half)).asin() - half.atan2(reach);
    // The angle at the start: the file has the tangent of its half.
    let aside = 2.0 * key.pose.rotation[3].atan();
    let angles = [play - aside, play + aside];
    let enter = angles[0] / key.number("/motion/angle");
    binding(scene, enter, angles.map(|angle| Some([rounded(angle), 0.0])))
}
