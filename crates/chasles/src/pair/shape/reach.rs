//! How far a shape reaches along a direction.

use glam::DVec3;

use super::{Kind, SceneShape};
use crate::round::at_origin;

impl SceneShape {
    /// How far the surface reaches along a direction: the greatest n.x. `None` where that takes long to tell.
    pub(crate) fn reach(&self, n: DVec3) -> Option<f64> {
        match &self.kind {
            Kind::Round(round, _) => Some(at_origin(*round).reach(n)),
            Kind::Mesh(_) => {
                let body = self.drawn_body();
                let corners = body.corners().iter().map(|corner| n.dot(*corner));
                let furthest = corners.fold(f64::NEG_INFINITY, f64::max);
                furthest.is_finite().then(|| furthest + n.dot(body.mesh().centre()))
            }
            _ => None,
        }
    }
}
