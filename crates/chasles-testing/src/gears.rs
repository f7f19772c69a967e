//! Spur gears.
//!
//! Involute teeth of module 1 and pressure angle 20 degrees, addendum 0.9, dedendum 1.25. On the pitch circle each
//! tooth is thinner than half a pitch, by `PLAY` modules, so that meshing gears keep apart. Flanks are chords of
//! involutes, and deviate from them by less than a thousandth of the module.

use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};

/// The difference between half a pitch and a tooth's thickness on the pitch circle, in modules.
const PLAY: f64 = 0.1;
/// Height above the pitch circle and depth below it, in modules.
const ADDENDUM: f64 = 0.9;
const DEDENDUM: f64 = 1.25;
/// In degrees.
const PRESSURE_ANGLE: f64 = 20.0;
/// Points of each flank, without its foot.
const FLANK: u32 = 6;
/// In modules.
const WIDTH: f64 = 4.0;

/// A gear about z, with the middle of a tooth on the x axis.
#[must_use]
pub fn gear(teeth: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let outline = outline(teeth);
    // The number of points of a gear always fits.
    let count = u32::try_from(outline.len()).unwrap_or(0);
    let half = 0.5 * WIDTH;
    let ring = |z: f64| outline.iter().map(move |p| p.extend(z));
    let centres = [-half, half].map(|z| DVec3::new(0.0, 0.0, z));
    let points = ring(-half).chain(ring(half)).chain(centres).collect();
    let triangles = (0..count).flat_map(|i| {
        let (j, low, high) = ((i + 1) % count, 2 * count, 2 * count + 1);
        [[i, j, j + count], [i, j + count, i + count], [j, i, low], [i + count, j + count, high]]
    });
    (points, triangles.collect())
}

/// Counter-clockwise; every ray from the centre intersects the outline once.
fn outline(teeth: u32) -> Vec<DVec2> {
    let pitch = 0.5 * f64::from(teeth);
    let (tip, root) = (pitch + ADDENDUM, pitch - DEDENDUM);
    let base = pitch * PRESSURE_ANGLE.to_radians().cos();
    // The angle between a point of an involute and the involute's start on the base circle.
    let involute = |radius: f64| {
        let tangent = ((radius / base).powi(2) - 1.0).max(0.0).sqrt();
        tangent - tangent.atan()
    };
    let half_tooth = (0.25 * PI - 0.5 * PLAY) / pitch;
    let from = base.max(root);
    let flank: Vec<(f64, f64)> = (0..FLANK)
        .map(|i| {
            let radius = from + (tip - from) * f64::from(i) / f64::from(FLANK - 1);
            (radius, half_tooth + involute(pitch) - involute(radius))
        })
        .collect();
    let foot = (root, flank[0].1);
    let up = std::iter::once(foot).chain(flank).map(|(radius, angle)| (radius, -angle));
    let mut tooth: Vec<(f64, f64)> = up.collect();
    tooth.extend(tooth.clone().into_iter().rev().map(|(radius, angle)| (radius, -angle)));
    // If the root circle is above the base circle, the flank starts at its foot.
    tooth.dedup();
    (0..teeth)
        .flat_map(|i| {
            let middle = TAU * f64::from(i) / f64::from(teeth);
            tooth.iter().map(move |(radius, angle)| *radius * DVec2::from_angle(middle + angle))
        })
        .collect()
}
