//! Tests for closed surfaces: computed at the first query, once for all bodies with the same mesh.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::math::budget::Budget;
use crate::motion::Pose;
use crate::pair::Pair;
use crate::pair::shape::CollisionShape;
use crate::scene::Scene;

/// Maximum number of pieces of a body that a test examines. If the whole body is inside another, every piece is.
const PIECES: usize = 16;

/// Budget, in steps, of a test whether a body is inside another, if one is a solid, a cloud or a parametric surface.
const STEPS: u64 = 100_000;

/// Tests the surfaces of a scene for closedness.
pub(crate) struct ClosedSurfaces<'s> {
    scene: &'s Scene,
    /// For each body, the first body with the same mesh.
    first: Vec<usize>,
    closed: Vec<OnceLock<bool>>,
}

impl<'s> ClosedSurfaces<'s> {
    pub(crate) fn new(scene: &'s Scene) -> Self {
        let mut seen = FxHashMap::default();
        let first = scene.bodies().iter().enumerate().map(|(number, body)| {
            body.shape.as_ref().map_or(number, |shape| *seen.entry(shape.identity()).or_insert(number))
        });
        let first: Vec<usize> = first.collect();
        Self { scene, closed: first.iter().map(|_| OnceLock::new()).collect(), first }
    }

    /// Whether the first body, at `pose` in the frame of the second, is inside the second body's closed surface. The
    /// two surfaces must not intersect.
    pub(crate) fn contain(&self, bodies: [usize; 2], pose: &Pose) -> bool {
        let [inner, outer] = bodies.map(|body| &self.scene.bodies()[body]);
        let (Some(inside), Some(around)) = (&inner.shape, &outer.shape) else { return false };
        let both = [(inside, inner.solid), (around, outer.solid)];
        Pair::is_enclosed(both, pose, (PIECES, &mut Budget::new(STEPS)))
    }

    /// Whether the surface of a body is closed.
    pub(crate) fn is_closed(&self, body: usize) -> bool {
        let first = self.first[body];
        let shape = self.scene.bodies()[first].shape.as_ref();
        *self.closed[first].get_or_init(|| shape.is_some_and(CollisionShape::is_closed))
    }
}
