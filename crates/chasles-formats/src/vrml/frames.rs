//! Converts transforms to rigid frames: scales move down into the shapes, and motion stays in the frames that carry
//! them. A [`CarrierMap`] maps a shape to the nearest moving transform above it, its carrier.
//!
//! A transform is x -> T + C + R(O S O' (x - C)). A transform without motion has no frame of its own: the map from a
//! shape to the nearest moving transform above it is x -> Q (G x) + p, with a rotation Q, a linear map G, which is
//! applied to the shape, and a position p. A transform below with a moving T or R has its frame at T + C there,
//!
//! ```text
//! p + Q G (T(t) + C) + Q G R(t) O S O' (x - C)
//! ```
//!
//! which is rigid if only T moves, or if G is a factor times a rotation.

use glam::{DMat3, DQuat, DVec3};

use super::rotation::quaternion;
use super::tree::Transform;
use crate::gltf::frames::{CarrierMap, NEGLIGIBLE_DEVIATION, rotation_and_factor};

impl CarrierMap {
    /// The map of the content of a static transform.
    pub(super) fn below(&self, transform: &Transform) -> Self {
        let position = self.point(transform.translation + transform.center);
        let (rotation, linear) = self.rotated(quaternion(transform.rotation));
        Self { ancestor: self.ancestor, rotation, position, linear: linear * scaling(transform) }
            .with_transform(transform)
    }

    /// The map of the content of a moving transform. Its frame has the origin at the transform's centre, and its
    /// axes are rotated so that `rotation` and `linear` remain from the maps above.
    pub(super) fn inside(number: usize, transform: &Transform, rotation: DQuat, linear: DMat3) -> Self {
        let linear = linear * scaling(transform);
        Self { ancestor: Some(number), rotation, position: DVec3::ZERO, linear }.with_transform(transform)
    }

    /// The rotation and linear map with the rotation `rotated` applied first.
    pub(super) fn rotated(&self, rotated: DQuat) -> (DQuat, DMat3) {
        if rotated == DQuat::IDENTITY {
            return (self.rotation, self.linear);
        }
        match self.rotation_and_factor() {
            Ok((rotation_part, factor)) => {
                ((rotation_part * rotated).normalize(), DMat3::from_diagonal(DVec3::splat(factor)))
            }
            Err(_) => (self.rotation, self.linear * DMat3::from_quat(rotated)),
        }
    }

    /// The rotation and linear map as a rotation and a factor, negative for a reflection. The error is the relative
    /// deviation from such a map.
    pub(super) fn rotation_and_factor(&self) -> Result<(DQuat, f64), f64> {
        match rotation_and_factor(self.linear) {
            Some((rotation_part, factor, error)) if error < NEGLIGIBLE_DEVIATION => {
                Ok((self.rotation * rotation_part, factor))
            }
            Some((_, _, error)) => Err(error),
            None => Err(f64::INFINITY),
        }
    }

    /// Moves the centre to the origin.
    fn with_transform(self, transform: &Transform) -> Self {
        let position =
            if transform.center == DVec3::ZERO { self.position } else { self.point(-transform.center) };
        Self { position, ..self }
    }
}

/// The scale of a transform along its own axes, or along the axes that the file states.
fn scaling(transform: &Transform) -> DMat3 {
    let scale = transform.scale;
    let diagonal = DMat3::from_diagonal(scale);
    // A uniform scale has no preferred axes.
    if transform.scale_orientation.1 == 0.0 || (scale.x == scale.y && scale.y == scale.z) {
        return diagonal;
    }
    let orientation = DMat3::from_quat(quaternion(transform.scale_orientation));
    orientation * diagonal * orientation.transpose()
}
