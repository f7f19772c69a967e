//! Bounding boxes of the meshes of a file, in the world frame.

use std::collections::HashMap;

use glam::{DAffine3, DVec3};

/// Computes bounding boxes of meshes in the world frame.
pub(crate) struct WorldBounds {
    /// Number of vertices that may still be transformed one by one.
    remaining: usize,
    /// The bounding boxes of meshes in their own frames.
    boxes: HashMap<usize, [DVec3; 2]>,
}

impl WorldBounds {
    /// At most `transformed` vertices are transformed one by one.
    pub(crate) fn new(transformed: usize) -> Self {
        Self { remaining: transformed, boxes: HashMap::new() }
    }

    /// The bounding box of the mesh with this number, at this place in the world. After too many vertices, it is the
    /// bounding box of the mesh's own box.
    pub(crate) fn of(
        &mut self,
        number: usize,
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        world: &DAffine3,
    ) -> [DVec3; 2] {
        let points = || triangles.iter().flatten().map(|corner| vertices[*corner as usize]);
        let count = 3 * triangles.len();
        if self.remaining >= count {
            self.remaining -= count;
            return bounding_box(points().map(|point| world.transform_point3(point)));
        }
        self.remaining = 0;
        let local_box = *self.boxes.entry(number).or_insert_with(|| bounding_box(points()));
        bounding_box(corners(local_box).map(|corner| world.transform_point3(corner)))
    }

    /// Whether there were too many vertices.
    pub(crate) fn is_spent(&self) -> bool {
        self.remaining == 0
    }
}

/// The bounding box of points.
pub(crate) fn bounding_box(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    points.fold(start, |[lo, hi], point| [lo.min(point), hi.max(point)])
}

/// The bounding box of boxes; `None` if there are none.
pub(crate) fn enclosing_box(boxes: impl IntoIterator<Item = [DVec3; 2]>) -> Option<[DVec3; 2]> {
    boxes.into_iter().reduce(|[lo, hi], [l, h]| [lo.min(l), hi.max(h)])
}

/// The corners of a box.
pub(crate) fn corners([lo, hi]: [DVec3; 2]) -> impl Iterator<Item = DVec3> {
    (0..8).map(move |corner: usize| {
        let side = |axis: usize| if corner >> axis & 1 == 0 { lo[axis] } else { hi[axis] };
        DVec3::new(side(0), side(1), side(2))
    })
}
