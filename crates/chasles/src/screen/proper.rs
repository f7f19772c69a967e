//! Decides whether a collision is proper: whether, near the contact, a plane has A on one side and B on the other
//! (Buss 2005, "Types of collisions").
//!
//! The paper's number, **properness**, is kept as defined: for a vertex and a face, the smallest sine of the angle at
//! which an edge at the vertex rises from the face; for two edges, the smallest cosine between their common normal
//! and the normals of their faces. By this number some collisions are proper that are not: edges with nearly equal
//! normals that cut through a face, and vertices at the bottom of a pit. Therefore **proper** is decided separately,
//! from the directions in which the faces extend from the edges.

use glam::DVec3;

use crate::features::contact::Contact;
use crate::features::event::{FeatureEvent, FeaturePair};
use crate::features::screw_motion::ScrewMotion;
use crate::math::direction::unit_along;
use crate::math::screw_function::Basis;
use crate::screen::facing::{FacingMesh, Role, outward};
use crate::shape::Mesh;

/// How proper a collision is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// From -1 to 1. For a vertex and a face: the smallest sine of the angle at which an edge at the vertex rises
    /// from the face. For two edges: the smallest cosine between the normal, with the sign that maximizes it, and the
    /// outward normals of the faces, A's as they are and B's reversed.
    pub properness: f64,
    /// Whether, near the contact point, a plane through the point has A on one side and B on the other.
    pub proper: bool,
    /// Whether the collision is between parts that matter: leading parts of A, trailing parts of B.
    pub matters: bool,
    /// Unit normal from A to B, in B's frame.
    pub normal: DVec3,
}

/// Sines and cosines that differ by at most this count as equal.
const MARGIN: f64 = 1e-9;

/// Two surfaces that move past each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatchingParts<'a> {
    pub(crate) motion: &'a ScrewMotion,
    pub(crate) a: FacingMesh<'a>,
    pub(crate) b: FacingMesh<'a>,
}

impl<'a> MatchingParts<'a> {
    pub(crate) fn new(a: &'a Mesh, b: &'a Mesh, motion: &'a ScrewMotion) -> Self {
        Self { motion, a: FacingMesh::new(a, Role::A, motion), b: FacingMesh::new(b, Role::B, motion) }
    }

    /// The contact of an event, with the normal of its rating.
    pub(crate) fn contact(&self, event: &FeatureEvent) -> (Contact, Rating) {
        let (a, b) = (self.a.mesh, self.b.mesh);
        let contact = Contact::new(event, a, b, self.motion);
        let place = contact.point - b.centre();
        let rating =
            self.rate(event.pair, &self.motion.basis(event.representative_time()), place, contact.normal);
        let approach_speed = rating.normal.dot(self.a.flow.at(place));
        (Contact { normal: rating.normal, approach_speed, ..contact }, rating)
    }

    /// An upper bound of the speed of any vertex relative to the other body, in metres per whole motion.
    pub(crate) fn fastest(&self) -> f64 {
        self.a.fastest.max(self.b.fastest)
    }

    /// n.v of the face of a vertex-face pair at a time, and the tolerance up to which its sign is unreliable.
    pub(crate) fn facing_of(&self, pair: FeaturePair, basis: &Basis) -> (f64, f64) {
        let (faced, face, place) = match pair {
            FeaturePair::VertexFace { vertex, face } => {
                (&self.b, face, self.motion.path(self.a.mesh.local()[vertex as usize]).at(basis))
            }
            FeaturePair::FaceVertex { face, vertex } => (&self.a, face, self.b.vertex_in_frame(vertex)),
            FeaturePair::EdgeEdge { .. } => return (0.0, 0.0),
        };
        let normal = faced.normal_at(face, basis);
        (normal.dot(self.a.flow.at(place)), faced.speed_tolerance)
    }

    /// Rates the contact of two features at a time and a place, in B's axes, relative to the centre of B's mesh.
    /// `fallback` is the normal of parallel edges, which have no common normal.
    pub(crate) fn rate(&self, pair: FeaturePair, basis: &Basis, place: DVec3, fallback: DVec3) -> Rating {
        let rotation = self.motion.rotation_at(basis);
        let a = Posed { faced: &self.a, rotate: |v| unit_along(rotation * v) };
        let b = Posed { faced: &self.b, rotate: |v| v };
        let velocity = self.a.flow.at(place);
        match pair {
            FeaturePair::VertexFace { vertex, face } => {
                let normal = b.face_normal(face);
                let (properness, proper) = a.rise_of_vertex(vertex, normal);
                let kept = self.b.matters(normal.dot(velocity)) && self.a.vertex_matters(vertex);
                Rating { properness, proper, matters: kept, normal: -normal }
            }
            FeaturePair::FaceVertex { face, vertex } => {
                let normal = a.face_normal(face);
                let (properness, proper) = b.rise_of_vertex(vertex, normal);
                let kept = self.a.matters(normal.dot(velocity)) && self.b.vertex_matters(vertex);
                Rating { properness, proper, matters: kept, normal }
            }
            FeaturePair::EdgeEdge { a: edge_a, b: edge_b } => {
                let (faces_a, faces_b) = (a.faces_at_edge(edge_a), b.faces_at_edge(edge_b));
                let across = faces_a.along.cross(faces_b.along);
                let axis = if across.length() > PARALLEL { unit_along(across) } else { fallback };
                let properness = |n: DVec3| {
                    let of_a = faces_a.faces().map(|side| n.dot(side.normal));
                    let of_b = faces_b.faces().map(|side| -n.dot(side.normal));
                    of_a.chain(of_b).fold(1.0, f64::min)
                };
                let separates = |n: DVec3| faces_a.body_is_behind(n) && faces_b.body_is_behind(-n);
                let (along, against) = (properness(axis), properness(-axis));
                let (properness, normal) = if against > along { (against, -axis) } else { (along, axis) };
                let any_matters = |faced: &FacingMesh<'_>, at_edge: &EdgeFaces| {
                    at_edge.faces().any(|side| faced.matters(side.normal.dot(velocity)))
                };
                let kept = any_matters(&self.a, &faces_a) && any_matters(&self.b, &faces_b);
                Rating { properness, proper: separates(axis) || separates(-axis), matters: kept, normal }
            }
        }
    }
}

/// Edges whose unit directions have a shorter cross product than this have no common normal.
const PARALLEL: f64 = 1e-9;

/// A surface at one time; `rotate` rotates directions from its own axes to B's.
struct Posed<'s, 'a, T: Fn(DVec3) -> DVec3> {
    faced: &'s FacingMesh<'a>,
    rotate: T,
}

/// The faces at an edge.
struct EdgeFaces {
    /// Unit, along the edge.
    along: DVec3,
    /// Most edges have two faces, and a query rates many edges.
    first: [Option<FaceAtEdge>; 2],
    more: Vec<FaceAtEdge>,
}

/// A face at an edge.
#[derive(Clone, Copy)]
struct FaceAtEdge {
    /// Unit, outward.
    normal: DVec3,
    /// Unit, in the face, perpendicular to the edge, into the face.
    inward: DVec3,
}

impl<T: Fn(DVec3) -> DVec3> Posed<'_, '_, T> {
    /// The unit outward normal of a face; zero if the face has no area.
    fn face_normal(&self, face: u32) -> DVec3 {
        (self.rotate)(outward(self.faced.mesh, face))
    }

    /// The properness of a vertex on a face with this outward normal, and whether the contact is proper.
    fn rise_of_vertex(&self, vertex: u32, normal: DVec3) -> (f64, bool) {
        let mesh = self.faced.mesh;
        let (around, places) = (mesh.around(), mesh.local());
        let at = places[vertex as usize];
        let mut properness = 1.0_f64;
        for edge in around.edges_at_vertex(vertex) {
            let [v, w] = mesh.edges()[*edge as usize];
            let other = if v == vertex { w } else { v };
            let along = (self.rotate)(unit_along(places[other as usize] - at));
            properness = properness.min(normal.dot(along));
        }
        // A vertex at the bottom of a pit rises from the plane on all sides, but the solid is below it.
        let is_solid_below = || {
            let mut sum = DVec3::ZERO;
            for face in around.faces_at_vertex(vertex) {
                let corners = mesh.triangles()[*face as usize];
                let Some(i) = corners.iter().position(|v| *v == vertex) else { continue };
                let [p, q, r] = [0, 1, 2].map(|k| places[corners[(i + k) % 3] as usize]);
                let (u, v) = (unit_along(q - p), unit_along(r - p));
                let angle = u.cross(v).length().atan2(u.dot(v));
                sum += angle * outward(mesh, *face);
            }
            (self.rotate)(sum).dot(normal) < 0.0
        };
        (properness, properness >= -MARGIN && (!around.is_closed() || is_solid_below()))
    }

    fn faces_at_edge(&self, edge: u32) -> EdgeFaces {
        let mesh = self.faced.mesh;
        let [v, w] = mesh.edges()[edge as usize];
        let [start, end] = [v, w].map(|v| mesh.local()[v as usize]);
        let along = unit_along(end - start);
        let side = |face: &u32| {
            let corners = mesh.triangles()[*face as usize];
            let normal = outward(mesh, *face);
            // The corners are counter-clockwise around the normal, so a face is to the left of its edges.
            let is_forward = (0..3).any(|i| [corners[i], corners[(i + 1) % 3]] == [v, w]);
            let left = normal.cross(along);
            let inward = if is_forward { left } else { -left };
            (normal != DVec3::ZERO)
                .then(|| FaceAtEdge { normal: (self.rotate)(normal), inward: (self.rotate)(inward) })
        };
        let mut faces = mesh.around().faces_at_edge(edge).iter().filter_map(side);
        let first = [faces.next(), faces.next()];
        EdgeFaces { along: (self.rotate)(along), first, more: faces.collect() }
    }
}

impl EdgeFaces {
    fn faces(&self) -> impl Iterator<Item = &FaceAtEdge> {
        self.first.iter().flatten().chain(&self.more)
    }

    /// Whether the body lies behind the plane with normal `n` through the edge, near the edge.
    fn body_is_behind(&self, n: DVec3) -> bool {
        let behind = |side: &FaceAtEdge| -n.dot(side.inward) >= -MARGIN;
        let within = |side: &FaceAtEdge| n.dot(side.inward).abs() <= MARGIN;
        if let ([Some(first), Some(second)], []) = (&self.first, &*self.more)
            && first.normal.dot(second.inward) > MARGIN
        {
            // At a reflex edge the solid is everything but a wedge between the faces.
            return within(first) && within(second);
        }
        self.faces().all(behind)
    }
}
