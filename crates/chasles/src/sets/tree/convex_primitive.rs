//! Solid primitives, each exactly one convex volume.

use glam::DVec3;

use crate::math::direction::unit_along;
use crate::round::at_origin;
use crate::round::support::RoundShape;
use crate::sets::tree::node::{Children, ProvenPoint, TreeNode};
use crate::sets::volume::{ConvexCore, SweptVolume, corners};
use crate::shape::Primitive;

/// A solid primitive.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConvexPrimitive(pub(crate) Primitive);

impl ConvexPrimitive {
    pub(crate) fn node(&self) -> TreeNode {
        let volume = match self.0 {
            Primitive::Box { size } => SweptVolume::hull(corners([-0.5 * size, 0.5 * size])),
            Primitive::Sphere { radius } => {
                SweptVolume::new(ConvexCore::Hull([DVec3::ZERO].into()), radius, 0.0)
            }
            Primitive::Capsule { radius, height } => {
                let end = 0.5 * height * DVec3::Z;
                SweptVolume::new(ConvexCore::Hull([end, -end].into()), radius, 0.0)
            }
            Primitive::Cylinder { radius, height } => SweptVolume::new(
                ConvexCore::Round(at_origin(RoundShape::Cylinder { radius, height })),
                0.0,
                0.0,
            ),
            Primitive::Cone { radius, height } => {
                SweptVolume::new(ConvexCore::Round(at_origin(RoundShape::Cone { radius, height })), 0.0, 0.0)
            }
        };
        TreeNode { volume, error: 0.0, size: 2.0 * self.0.half_size().length(), children: Children::Exact }
    }

    /// The signed distance and its gradient.
    fn level(&self, p: DVec3) -> (f64, DVec3) {
        if let Primitive::Box { size } = self.0 {
            let over = p.abs() - 0.5 * size;
            let sign = DVec3::new(1.0_f64.copysign(p.x), 1.0_f64.copysign(p.y), 1.0_f64.copysign(p.z));
            if over.max_element() > 0.0 {
                let outward = over.max(DVec3::ZERO);
                return (outward.length(), unit_along(outward * sign));
            }
            let axis = (0..3).max_by(|i, j| over[*i].total_cmp(&over[*j])).unwrap_or(0);
            return (over[axis], DVec3::AXES[axis] * sign[axis]);
        }
        RoundShape::of(&self.0).map_or((0.0, DVec3::Z), |round| at_origin(round).signed_distance(p))
    }

    /// The nearest point of the solid.
    pub(crate) fn proven_point(&self, near: DVec3) -> ProvenPoint {
        let (value, out) = self.level(near);
        if value > 0.0 {
            return ProvenPoint { point: near - value * out, depth: 0.0 };
        }
        let roundings = 64.0 * f64::EPSILON * self.0.half_size().element_sum();
        ProvenPoint { point: near, depth: (-value - roundings).max(0.0) }
    }

    pub(crate) fn normal(&self, at: DVec3) -> DVec3 {
        self.level(at).1
    }
}
