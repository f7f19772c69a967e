//! Warnings about scenes that are valid but probably mistaken: angles in degrees, and quaternions in another order.

use std::f64::consts::TAU;

use glam::DQuat;

use super::BodyTable;
use crate::figures::rounded;
use crate::text::cursor::{Cursor, Limit};
use crate::text::tree::number_text;

/// Multiples of this number from [`MIN_DEGREES`] to [`MAX_DEGREES`] look like degrees.
const STEP: f64 = 5.0;
const MIN_DEGREES: f64 = 15.0;
/// Ten revolutions in degrees.
const MAX_DEGREES: f64 = 3600.0;

/// Half a revolution about z. The same four numbers mean the identity in the order (x, y, z, w).
const HALF_TURN: DQuat = DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0);

/// Returns the warnings, one sentence each. `items` are the tables of the bodies.
pub(super) fn warnings(items: &[Cursor<'_>], bodies: &[BodyTable]) -> Vec<String> {
    let mut found = Vec::new();
    let mut half_turn: Option<(String, usize)> = None;
    let mut has_identity = false;
    for (item, body) in items.iter().zip(bodies) {
        let at = item.named("body", &body.name);
        let motion = at.get("motion");
        found.extend(motion.as_ref().and_then(|motion| degrees(&motion.get("angle")?)));
        let pose = at.get("pose");
        let stated = pose.as_ref().and_then(|pose| pose.get("rotation"));
        let keys = motion.as_ref().and_then(|motion| motion.get("rotations"));
        let rotations = stated.as_ref().and_then(|rotation| Some(vec![rotation.rotation().ok()?]));
        let keyed = keys.as_ref().and_then(|keys| {
            let items = keys.items("rotations").ok()?;
            items.map(|item| item.rotation().ok()).collect::<Option<Vec<_>>>()
        });
        for (place, rotations) in [(stated, rotations), (keys, keyed)] {
            let (Some(place), Some(rotations)) = (place, rotations) else { continue };
            has_identity |= rotations.contains(&DQuat::IDENTITY);
            if rotations.iter().all(|rotation| *rotation == HALF_TURN) {
                match &mut half_turn {
                    Some((_, more)) => *more += 1,
                    None => half_turn = Some((other_order(&place), 0)),
                }
            }
        }
    }
    // A file that contains [1, 0, 0, 0] uses the right order.
    if let Some((half_turn_warning, more)) = half_turn.filter(|_| !has_identity) {
        let rest = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        found.push(half_turn_warning + &rest);
    }
    found
}

/// Returns a warning if an angle looks like degrees.
fn degrees(at: &Cursor<'_>) -> Option<String> {
    let angle = at.number(Limit::Any).ok()?;
    if angle % STEP != 0.0 || !(MIN_DEGREES..=MAX_DEGREES).contains(&angle.abs()) {
        return None;
    }
    let [found, radians] = [angle, angle.to_radians()].map(number_text);
    let revolutions = rounded(angle.abs() / TAU, 3);
    let what = format!(
        "found {found}, which looks like degrees, and is taken as radians: \
         {revolutions} revolutions; {found} degrees are {radians}"
    );
    Some(at.error(what).to_string())
}

fn other_order(at: &Cursor<'_>) -> String {
    let what = "found [0, 0, 0, 1], half a revolution about z, because rotations are (w, x, y, z): \
                the identity is [1, 0, 0, 0]";
    at.error(what).to_string()
}
