//! Meshes as trees: triangles below the boxes of the mesh's hierarchy.

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::bvh::layout::{LEAF, NONE, WIDTH};
use crate::instant::nearest_on::{nearest_on, nearest_with};
use crate::math::direction::unit_along;
use crate::sets::tree::node::{Children, ProvenPoint, TreeNode};
use crate::sets::tree::sheet::Flat;
use crate::sets::volume::number_of;
use crate::sets::volume::{ConvexCore, SweptVolume};

/// The surface of a mesh as a tree.
#[derive(Debug)]
pub(crate) struct MeshTree<'s> {
    body: &'s PreparedMesh,
    pub(crate) nodes: Vec<TreeNode>,
    /// The part of the mesh that each node contains.
    parts: Vec<FacesPart>,
    /// The triangle that had the last point found; the next is often nearby.
    last: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FacesPart {
    /// A block of the hierarchy.
    Block(u32),
    Triangle(u32),
}

/// Boxes are enlarged by this, in units of the hierarchy: more than the f32 rounding error.
const PAD: f64 = 1e-6;

impl<'s> MeshTree<'s> {
    pub(crate) fn new(body: &'s PreparedMesh) -> Self {
        let mesh = body.mesh();
        let volume = SweptVolume::new(ConvexCore::Hull([mesh.centre()].into()), mesh.radius(), 0.0);
        let size = 2.0 * mesh.radius();
        let root = TreeNode { volume, error: size, size, children: Children::Unopened };
        Self { body, nodes: vec![root], parts: vec![FacesPart::Block(0)], last: None }
    }

    pub(crate) fn restart(&mut self) {
        self.nodes.truncate(1);
        self.parts.truncate(1);
        self.last = None;
        self.nodes[0].children = Children::Unopened;
    }

    pub(crate) fn split(&mut self, node: u32) -> (u32, u32) {
        let first = number_of(self.nodes.len());
        if let FacesPart::Block(block) = self.parts[node as usize] {
            if block & LEAF == 0 { self.split_boxes(block) } else { self.split_triangles(block & !LEAF) }
        }
        let last = number_of(self.nodes.len());
        self.nodes[node as usize].children = Children::Known(first, last);
        (first, last)
    }

    fn split_boxes(&mut self, block: u32) {
        let (mesh, bvh) = (self.body.mesh(), self.body.bvh());
        let boxes = &bvh.boxes[block as usize];
        for lane in (0..WIDTH).filter(|lane| boxes.child[*lane] != NONE) {
            let vector = |v: &[[f32; WIDTH]; 3]| bvh.unit * DVec3::from_array(v.map(|x| f64::from(x[lane])));
            let centre = mesh.centre() + vector(&boxes.centre);
            let [u, v, w] = [0, 1, 2].map(|axis| vector(&boxes.axes[axis]));
            let core = ConvexCore::Cuboid { centre, half: [u, v, w] };
            let size = 2.0 * (u + v + w).length().max((u + v - w).length());
            let volume = SweptVolume::new(core, 0.0, PAD * bvh.unit);
            // The triangles nearly fill a flat box's thickness, but their position inside the box is less certain.
            let mut half = [u, v, w].map(DVec3::length);
            half.sort_by(f64::total_cmp);
            let error = (2.0 * (half[0] + 0.3 * half[1])).max(1e-3 * size).min(size);
            self.nodes.push(TreeNode { volume, error, size, children: Children::Unopened });
            self.parts.push(FacesPart::Block(boxes.child[lane]));
        }
    }

    fn split_triangles(&mut self, block: u32) {
        let (mesh, bvh) = (self.body.mesh(), self.body.bvh());
        for face in bvh.triangles[block as usize].face.into_iter().filter(|face| *face != NONE) {
            let corners = mesh.triangles()[face as usize].map(|v| mesh.vertex(v));
            let [p, q, r] = corners;
            let size = p.distance(q).max(q.distance(r)).max(r.distance(p));
            self.nodes.push(TreeNode {
                volume: SweptVolume::hull(corners),
                error: 0.0,
                size,
                children: Children::Exact,
            });
            self.parts.push(FacesPart::Triangle(face));
        }
    }

    pub(crate) fn face(&self, node: u32) -> Option<u32> {
        match self.parts[node as usize] {
            FacesPart::Triangle(face) => Some(face),
            FacesPart::Block(_) => None,
        }
    }

    pub(crate) fn proven_point(&mut self, near: DVec3, within: f64) -> Option<ProvenPoint> {
        let on = nearest_with(self.body, near, within, self.last)?;
        self.last = Some(on.face);
        Some(ProvenPoint { point: on.point, depth: 0.0 })
    }

    /// The nearest point of the surface, and the normal of its triangle.
    pub(crate) fn tangent_plane(&self, near: DVec3) -> Option<(DVec3, DVec3)> {
        let on = nearest_on(self.body, near, f64::INFINITY)?;
        let [p, q, r] = self.body.mesh().local_triangle(on.face);
        Some((on.point, unit_along((q - p).cross(r - p))))
    }

    /// The triangle nearest to a point.
    pub(crate) fn flat(&self, at: DVec3) -> Option<Flat> {
        let mesh = self.body.mesh();
        let on = nearest_on(self.body, at, f64::INFINITY)?;
        let [p, q, r] = mesh.triangles()[on.face as usize].map(|v| mesh.vertex(v));
        Flat::between([p, q, r, r], 0.0)
    }

    pub(crate) fn normal(&self, node: u32) -> Option<DVec3> {
        let [p, q, r] = self.body.mesh().local_triangle(self.face(node)?);
        Some(unit_along((q - p).cross(r - p))).filter(|normal| *normal != DVec3::ZERO)
    }
}
