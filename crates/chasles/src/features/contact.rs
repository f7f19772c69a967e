//! Contacts: point, normal and approach speed of two features that meet.

use glam::DVec3;

use crate::features::event::{EventKind, FeatureEvent, FeaturePair};
use crate::features::screw_motion::ScrewMotion;
use crate::math::direction::unit_along;
use crate::math::distance::{Closest, point_triangle, segment_segment};
use crate::math::screw_function::Basis;
use crate::shape::Mesh;

/// Whether two bodies, or parts of bodies, ever come within a distance, and when they first do.
///
/// `C` describes the contact, and `U` the undecided rest: by default, the time until which they are proven clear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FirstContact<C, U = f64> {
    /// Proven: they are never within the distance.
    Clear,
    /// Proven: they come within the distance.
    Contact(C),
    /// Neither is proven.
    Undecided(U),
}

/// Two features of two meshes, by the numbers of vertices and triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContactFeatures {
    /// A vertex of A and a triangle of B.
    VertexFace {
        /// Vertex of A.
        a: u32,
        /// Triangle of B.
        b: u32,
    },
    /// A triangle of A and a vertex of B.
    FaceVertex {
        /// Triangle of A.
        a: u32,
        /// Vertex of B.
        b: u32,
    },
    /// An edge of A and an edge of B, each by its two vertices, the lower first.
    EdgeEdge {
        /// Edge of A.
        a: [u32; 2],
        /// Edge of B.
        b: [u32; 2],
    },
    /// Two surfaces, at least one a rounded primitive.
    Surfaces {
        /// The triangle of A, or `None` if A is a rounded primitive.
        a: Option<u32>,
        /// The triangle of B, or `None` if B is a rounded primitive.
        b: Option<u32>,
    },
    /// Two surfaces, at least one a solid's or a parametric surface.
    SurfaceSurface {
        /// The triangle of A, if A is a mesh.
        a: Option<u32>,
        /// The triangle of B, if B is a mesh.
        b: Option<u32>,
    },
    /// A point of the cloud A and any other body.
    PointSolid {
        /// The number of the point.
        a: u32,
    },
    /// Any other body and a point of the cloud B.
    SolidPoint {
        /// The number of the point.
        b: u32,
    },
    /// Points of two clouds.
    PointPoint {
        /// The number of the point of A.
        a: u32,
        /// The number of the point of B.
        b: u32,
    },
}

impl ContactFeatures {
    /// The kind as in reports, for example `vertex-face`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::VertexFace { .. } => "vertex-face",
            Self::FaceVertex { .. } => "face-vertex",
            Self::EdgeEdge { .. } => "edge-edge",
            Self::Surfaces { .. } => "surfaces",
            Self::SurfaceSurface { .. } => "surface-surface",
            Self::PointSolid { .. } => "point-solid",
            Self::SolidPoint { .. } => "solid-point",
            Self::PointPoint { .. } => "point-point",
        }
    }

    /// The numbers of the features of A and of B, for sorting; for an edge, its lower vertex.
    pub(crate) fn numbers(&self) -> [Option<u32>; 2] {
        match *self {
            Self::VertexFace { a, b } | Self::FaceVertex { a, b } | Self::PointPoint { a, b } => {
                [Some(a), Some(b)]
            }
            Self::EdgeEdge { a: [a, _], b: [b, _] } => [Some(a), Some(b)],
            Self::Surfaces { a, b } | Self::SurfaceSurface { a, b } => [a, b],
            Self::PointSolid { a } => [Some(a), None],
            Self::SolidPoint { b } => [None, Some(b)],
        }
    }
}

/// A meeting of two features, with time and place.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Enclosure [lo, hi] of the time, in [0, 1]. Before lo the features are proven separated; at hi they have met.
    /// If no crossing is proven (`touching`), they are further apart than the tolerance until lo, and at hi the gap
    /// has fallen to its minimum, within a factor of 8.
    pub time: [f64; 2],
    /// The features.
    pub features: ContactFeatures,
    /// The point of contact at the end of the enclosure, in B's frame, in metres; if a gap remains, its middle.
    pub point: DVec3,
    /// Unit normal from A to B, in B's frame: the normal of the face, or the common normal of both edges. For
    /// features that only touch at a border: the direction between their closest points when they come within the
    /// tolerance.
    pub normal: DVec3,
    /// Speed at which the features approach along the normal, in metres per unit of t; negative if they separate.
    pub approach_speed: f64,
    /// Whether the surfaces may only touch; false if they are proven to pass through each other.
    pub touching: bool,
}

/// Motion whose speed along the normal is at most this fraction of the speed counts as sliding.
const SLIDING: f64 = 1e-9;

/// Two edges count as parallel if the sine of their angle is at most this: the common normal is then not defined.
const PARALLEL: f64 = 1e-9;

impl Contact {
    /// Computes the contact of an event.
    pub(crate) fn new(event: &FeatureEvent, a: &Mesh, b: &Mesh, motion: &ScrewMotion) -> Self {
        let basis = motion.basis(event.representative_time());
        let closest = closest_of(event.pair, a, b, motion, &basis);
        let axis = axis_of(event.pair, a, b, motion, &basis);
        // Features that only touch, at a border, have no normal of their own; the direction between them when they
        // come near is used.
        let border_normal =
            (!event.crosses()).then(|| closest_of(event.pair, a, b, motion, &motion.basis(event.lo)));
        let border_normal = border_normal.filter(|first| !first.interior);
        let border_normal = border_normal.map(|first| first.b - first.a);
        let border_normal =
            border_normal.filter(|between| between.length() > 64.0 * motion.rounding).map(unit_along);
        // Out of B if its triangles are oriented outwards: the side on which A is expected. Rarely needed.
        let outward = || match event.pair {
            FeaturePair::VertexFace { .. } => axis,
            FeaturePair::FaceVertex { .. } => -axis,
            FeaturePair::EdgeEdge { a: edge_a, b: edge_b } => {
                let outward_a = motion.rotation_at(&basis) * outward_at(a, edge_a);
                unit_along(outward_at(b, edge_b) - outward_a)
            }
        };
        let between = closest.b - closest.a;
        let velocity = velocity(motion, &basis, closest.a);
        let gap = between.length();
        let reliable_gap = gap > 64.0 * motion.rounding && !event.crosses();
        // Parallel edges have no common normal; the perpendicular direction between them is used, or else the
        // faces' normals.
        let axis = match axis {
            DVec3::ZERO if reliable_gap => between / gap,
            DVec3::ZERO if outward() != DVec3::ZERO => outward(),
            DVec3::ZERO if unit_along(velocity) != DVec3::ZERO => unit_along(velocity),
            DVec3::ZERO => DVec3::Z,
            axis => axis,
        };
        let speed = axis.dot(velocity);
        let along = if speed.abs() > SLIDING * velocity.length() && event.crosses() {
            speed
        } else if reliable_gap {
            axis.dot(between)
        } else {
            let along = -axis.dot(outward());
            if along == 0.0 { speed } else { along }
        };
        let normal = border_normal.unwrap_or(if along < 0.0 { -axis } else { axis });
        Self {
            time: [event.lo, event.hi],
            features: features_of(event.pair, a, b),
            point: 0.5 * (closest.a + closest.b) + b.centre(),
            normal,
            approach_speed: normal.dot(velocity),
            touching: event.kind != EventKind::Crossing,
        }
    }
}

/// The features with the numbers of vertices and triangles of the two meshes.
pub(crate) fn features_of(pair: FeaturePair, a: &Mesh, b: &Mesh) -> ContactFeatures {
    match pair {
        FeaturePair::VertexFace { vertex, face } => ContactFeatures::VertexFace { a: vertex, b: face },
        FeaturePair::FaceVertex { face, vertex } => ContactFeatures::FaceVertex { a: face, b: vertex },
        FeaturePair::EdgeEdge { a: edge_a, b: edge_b } => {
            ContactFeatures::EdgeEdge { a: a.edges()[edge_a as usize], b: b.edges()[edge_b as usize] }
        }
    }
}

/// The closest points of two features at a time; the point of A first.
pub(crate) fn closest_of(
    pair: FeaturePair,
    a: &Mesh,
    b: &Mesh,
    motion: &ScrewMotion,
    basis: &Basis,
) -> Closest {
    let moved = |v: u32| motion.path(a.local()[v as usize]).at(basis);
    let fixed = |v: u32| b.local()[v as usize];
    match pair {
        FeaturePair::VertexFace { vertex, face } => point_triangle(moved(vertex), &b.local_triangle(face)),
        FeaturePair::FaceVertex { face, vertex } => {
            let closest = point_triangle(fixed(vertex), &a.triangles()[face as usize].map(moved));
            Closest { a: closest.b, b: closest.a, ..closest }
        }
        FeaturePair::EdgeEdge { a: edge_a, b: edge_b } => {
            let (ends_a, ends_b) = (a.edges()[edge_a as usize], b.edges()[edge_b as usize]);
            segment_segment(ends_a.map(moved), ends_b.map(fixed))
        }
    }
}

/// The unit normal of the face, or the common normal of both edges; zero if there is none.
fn axis_of(pair: FeaturePair, a: &Mesh, b: &Mesh, motion: &ScrewMotion, basis: &Basis) -> DVec3 {
    let moved = |v: u32| motion.path(a.local()[v as usize]).at(basis);
    let normal = |[p, q, r]: [DVec3; 3]| unit_along((q - p).cross(r - p));
    match pair {
        FeaturePair::VertexFace { face, .. } => normal(b.local_triangle(face)),
        FeaturePair::FaceVertex { face, .. } => normal(a.triangles()[face as usize].map(moved)),
        FeaturePair::EdgeEdge { a: edge_a, b: edge_b } => {
            let [p, q] = a.edges()[edge_a as usize].map(moved);
            let [r, s] = b.edges()[edge_b as usize].map(|v| b.local()[v as usize]);
            let across = unit_along(q - p).cross(unit_along(s - r));
            if across.length() > PARALLEL { unit_along(across) } else { DVec3::ZERO }
        }
    }
}

/// The velocity of the material point of A at a position.
fn velocity(motion: &ScrewMotion, basis: &Basis, place: DVec3) -> DVec3 {
    let centre = motion.path(DVec3::ZERO);
    centre.velocity(basis) + motion.omega.cross(place - centre.at(basis))
}

/// The sum of the normals of the faces at an edge, in the mesh's frame.
fn outward_at(mesh: &Mesh, edge: u32) -> DVec3 {
    let sum = mesh
        .edge_faces(edge)
        .into_iter()
        .filter(|face| *face != crate::shape::mesh::NO_FACE)
        .map(|face| {
            let [p, q, r] = mesh.local_triangle(face);
            unit_along((q - p).cross(r - p))
        })
        .sum::<DVec3>();
    unit_along(sum)
}
