//! From transforms to rigid frames: scales are brought down into the shapes, motion stays in the frames that carry them.
//!
//! A transform is x -> T + C + R(O S O' (x - C)). Where nothing of it moves it is no frame of its own: what stands between a
//! shape and the nearest transform above that moves is x -> Q (G x) + p, with a rotation Q, a linear map G, which goes into
//! the shape, and a position p. A transform below that whose T or R moves has its frame at T + C there,
//!
//! ```text
//! p + Q G (T(t) + C) + Q G R(t) O S O' (x - C)
//! ```
//!
//! which is rigid where only T moves, or where G is a factor times a rotation.

use glam::{DMat3, DQuat, DVec3};

use super::rotation::turn;
use super::tree::Transform;
use crate::gltf::frames::{NOT_WORTH_A_WORD, turn_and_factor};

/// What stands between a frame and what carries it: x -> rotation (linear x) + position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TransformRest {
    /// The transform that moves and carries it; none: the world.
    pub(super) carrier: Option<usize>,
    pub(super) rotation: DQuat,
    pub(super) position: DVec3,
    pub(super) linear: DMat3,
}

impl TransformRest {
    pub(super) const WORLD: Self =
        Self { carrier: None, rotation: DQuat::IDENTITY, position: DVec3::ZERO, linear: DMat3::IDENTITY };

    pub(super) fn vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * (self.linear * vector)
    }

    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.position + self.vector(point)
    }

    /// What is below a transform that stands still.
    pub(super) fn below(&self, transform: &Transform) -> Self {
        let position = self.point(transform.translation + transform.center);
        let (rotation, linear) = self.turned(turn(transform.rotation));
        Self { carrier: self.carrier, rotation, position, linear: linear * scaling(transform) }
            .around(transform)
    }

    /// What is below a transform by its number that moves, in a frame whose origin is its centre and whose axes are turned so
    /// that what is left of what was above is `rotation` and `linear`.
    pub(super) fn inside(number: usize, transform: &Transform, rotation: DQuat, linear: DMat3) -> Self {
        let linear = linear * scaling(transform);
        Self { carrier: Some(number), rotation, position: DVec3::ZERO, linear }.around(transform)
    }

    /// Rotation and linear map, followed by a rotation.
    pub(super) fn turned(&self, turned: DQuat) -> (DQuat, DMat3) {
        if turned == DQuat::IDENTITY {
            return (self.rotation, self.linear);
        }
        match self.turn_and_factor() {
            Ok((turn, factor)) => ((turn * turned).normalize(), DMat3::from_diagonal(DVec3::splat(factor))),
            Err(_) => (self.rotation, self.linear * DMat3::from_quat(turned)),
        }
    }

    /// Rotation and linear map as a rotation and a factor, negative for a mirror; otherwise the share by which they differ.
    pub(super) fn turn_and_factor(&self) -> Result<(DQuat, f64), f64> {
        match turn_and_factor(self.linear) {
            Some((turn, factor, error)) if error < NOT_WORTH_A_WORD => Ok((self.rotation * turn, factor)),
            Some((_, _, error)) => Err(error),
            None => Err(f64::INFINITY),
        }
    }

    /// The centre goes to the origin.
    fn around(self, transform: &Transform) -> Self {
        let position =
            if transform.center == DVec3::ZERO { self.position } else { self.point(-transform.center) };
        Self { position, ..self }
    }
}

/// The scale of a transform along its own axes, or those that are stated.
fn scaling(transform: &Transform) -> DMat3 {
    let scale = transform.scale;
    let diagonal = DMat3::from_diagonal(scale);
    // Evenly, it has no axes.
    if transform.scale_orientation.1 == 0.0 || (scale.x == scale.y && scale.y == scale.z) {
        return diagonal;
    }
    let orientation = DMat3::from_quat(turn(transform.scale_orientation));
    orientation * diagonal * orientation.transpose()
}
