//! Spur gears in a row, each driving the next at the right ratio.
//!
//! Involute teeth of module 1 and pressure angle 20 degrees, addendum 0.9, dedendum 1.25. Each tooth is thinner than half a pitch
//! by `PLAY` of the module on the pitch circle, so that gears in mesh keep apart; flanks are chords of involutes, which
//! they cut by less than a thousandth of the module.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use chasles::{Body, BodyMotion, Error, Mesh, Pose, Scene, SceneBody, SceneDefinition, SceneShape, Screw};
use glam::{DQuat, DVec2, DVec3};

use crate::cases::shapes::Raw;

/// Numbers of teeth, in turn: from 18 on, teeth of these heights meet on their involutes only.
const TEETH: [u32; 4] = [18, 24, 20, 30];
/// How much thinner than half a pitch a tooth is on the pitch circle, in modules.
const PLAY: f64 = 0.1;
/// Above the pitch circle and below it, in modules.
const ADDENDUM: f64 = 0.9;
const DEDENDUM: f64 = 1.25;
/// In degrees.
const PRESSURE_ANGLE: f64 = 20.0;
/// Points of each flank, without its foot.
const FLANK: u32 = 6;
/// In modules.
const WIDTH: f64 = 4.0;

/// Whether a train can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Train {
    /// Every tooth in the middle of a gap.
    Right,
    /// The middle gear is turned by half a tooth.
    WrongPhase,
}

impl Train {
    /// A row of gears along x, in which the first makes one turn in a second.
    ///
    /// # Errors
    /// None.
    pub fn scene(self, gears: u32) -> Result<Scene, Error> {
        let shapes: Vec<SceneShape> = TEETH.iter().map(|teeth| shape(*teeth)).collect::<Result<_, _>>()?;
        let (mut x, mut phase, mut angle) = (0.0, 0.0, TAU);
        let mut bodies = Vec::new();
        for number in 0..gears {
            let kind = number as usize % TEETH.len();
            let radius = 0.5 * f64::from(TEETH[kind]);
            let wrong = self == Self::WrongPhase && number == gears / 2;
            let turn = phase + if wrong { PI / f64::from(TEETH[kind]) } else { 0.0 };
            let place = DVec3::new(x, 0.0, 0.0);
            let start = Pose::new(place, DQuat::from_rotation_z(turn))?;
            bodies.push(SceneBody {
                name: format!("gear {number}"),
                shape: Some(shapes[kind].clone()),
                motion: BodyMotion::Screw(Screw::about(start, DVec3::Z, place, 0.0, angle)?),
                parent: None,
                group: None,
                solid: false,
            });
            // Where they meet, a tooth of one is half a pitch from a tooth of the other.
            let next = 0.5 * f64::from(TEETH[(number as usize + 1) % TEETH.len()]);
            phase = PI - (radius * phase + FRAC_PI_2) / next;
            angle *= -radius / next;
            x += radius + next;
        }
        Scene::new(SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] })
    }
}

fn shape(teeth: u32) -> Result<SceneShape, Error> {
    let (points, triangles) = gear(teeth);
    Ok(SceneShape::mesh(Arc::new(Body::new(Mesh::new(points, triangles)?))))
}

/// A gear about z, the middle of a tooth on the x axis.
#[must_use]
pub fn gear(teeth: u32) -> Raw {
    let outline = outline(teeth);
    let count = outline.len() as u32;
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

/// Counter-clockwise; every ray from the centre meets it once.
fn outline(teeth: u32) -> Vec<DVec2> {
    let pitch = 0.5 * f64::from(teeth);
    let (tip, root) = (pitch + ADDENDUM, pitch - DEDENDUM);
    let base = pitch * PRESSURE_ANGLE.to_radians().cos();
    // The angle by which an involute has left its start on the base circle.
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
    // Where the root circle is above the base circle, the flank begins at its foot.
    tooth.dedup();
    (0..teeth)
        .flat_map(|i| {
            let middle = TAU * f64::from(i) / f64::from(teeth);
            tooth.iter().map(move |(radius, angle)| *radius * DVec2::from_angle(middle + angle))
        })
        .collect()
}
