//! Spur gears in a row, each driving the next at the right ratio.
//!
//! Their teeth are the teeth of [`chasles_testing::gears`].

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use chasles::{
    BodyMotion, CollisionShape, Error, Mesh, Pose, PreparedMesh, Scene, SceneBody, SceneDefinition, Screw,
};
use chasles_testing::gears::gear;
use glam::{DQuat, DVec3};

/// Numbers of teeth, in turn. With 18 or more, teeth of these heights touch only on their involutes.
const TEETH: [u32; 4] = [18, 24, 20, 30];

/// Whether the train can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Train {
    /// Every tooth is in the middle of a gap.
    Right,
    /// The middle gear is rotated by half a tooth.
    WrongPhase,
}

impl Train {
    /// A row of gears along x, in which the first makes one revolution per second.
    ///
    /// # Errors
    /// None.
    pub fn scene(self, gears: u32) -> Result<Scene, Error> {
        let shapes: Vec<CollisionShape> =
            TEETH.iter().map(|teeth| shape(*teeth)).collect::<Result<_, _>>()?;
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
            // On the line between two gears, a tooth of one is half a pitch from a tooth of the other.
            let next = 0.5 * f64::from(TEETH[(number as usize + 1) % TEETH.len()]);
            phase = PI - (radius * phase + FRAC_PI_2) / next;
            angle *= -radius / next;
            x += radius + next;
        }
        Scene::new(SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] })
    }
}

fn shape(teeth: u32) -> Result<CollisionShape, Error> {
    let (points, triangles) = gear(teeth);
    Ok(CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points, triangles)?))))
}
