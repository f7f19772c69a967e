//! The rejection tests of Kim and Rossignac (2003), "Early rejection tests": pairs of objects and of features that
//! cannot meet, decided by ranges about the axis of the screw.
//!
//! In coordinates about the axis (height along it, radius, and angle) every point keeps its radius, and its height
//! and angle grow uniformly. Comparing these ranges rejects most pairs of features. The paper compares the end points
//! of an edge or triangle; here the radius range starts at the point nearest to the axis, which may be an interior
//! point.

use glam::{DVec2, DVec3};

use crate::body::PreparedMesh;
use crate::error::Error;
use crate::features::collector::{Collector, EventFilter};
use crate::features::event::FeaturePair;
use crate::features::pairs::{Aim, FeatureTests};
use crate::features::screw_motion::ScrewMotion;
use crate::math::budget::OutOfBudget;
use crate::mesh_screw::pipeline::{PairSource, ScrewSearch, Workspace};
use crate::mesh_screw::query::{Options, Prediction};
use crate::mesh_screw::reference::all_pairs_but;
use crate::motion::Screw;
use crate::shape::Mesh;

/// Finds the first contact by the method of the paper: every pair of features that its tests do not reject is tested.
/// The result is that of [`crate::first_contact`]; touching at the start is always reported. Also returns the number
/// of pairs that each test rejected.
///
/// # Errors
/// As [`crate::first_contact`].
pub fn first_contact(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    options: &Options,
) -> Result<(Prediction, Rejections), Error> {
    let search = ScrewSearch::new(a, b, screw, options)?;
    let mut rejections = Rejections::default();
    let mut by_tests = |tests: &mut FeatureTests<'_>, out: &mut Collector| {
        let (a, b, motion) = (tests.a, tests.b, tests.motion);
        if are_objects_separated(a, b, motion, tests.tolerance, &mut rejections) {
            return Ok(());
        }
        let mut axis = AxisTests::new(a, b, motion, tests.tolerance, &mut rejections);
        let separates = |pair| match pair {
            FeaturePair::VertexFace { vertex, face } => axis.vertex_face(vertex, face),
            FeaturePair::FaceVertex { face, vertex } => axis.face_vertex(face, vertex),
            FeaturePair::EdgeEdge { a, b } => axis.edge_edge(a, b),
        };
        all_pairs_but(tests, separates, out).map_err(|OutOfBudget| 0.0)
    };
    let source = PairSource::Pairs(&mut by_tests);
    let found = search.run_by(source, EventFilter::First, Aim::Contact, &mut Workspace::default());
    let prediction = found.prediction();
    Ok((prediction, rejections))
}

/// Number of pairs that each test rejected. Each pair is counted once, by the first test that rejects it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rejections {
    /// Pairs of objects tested.
    pub objects: u64,
    /// The sphere around the swept volume of A misses the sphere around B.
    pub swept_sphere: u64,
    /// B's sphere is outside the cylinder that contains A's moving sphere.
    pub object_outside: u64,
    /// B's sphere is inside the cylinder that A's sphere does not enter.
    pub object_inside: u64,
    /// B's sphere is beyond the end caps of that cylinder.
    pub end_caps: u64,
    /// Pairs of a vertex and a triangle tested, in both roles.
    pub vertex_triangles: u64,
    /// The triangle is before or beyond the vertex's movement along the axis.
    pub along_axis: u64,
    /// The triangle is outside the cylinder of the vertex.
    pub triangle_outside: u64,
    /// The triangle is inside the cylinder of the vertex.
    pub triangle_inside: u64,
    /// The triangle is outside the angle that the vertex sweeps.
    pub swept_angle: u64,
    /// Pairs of edges tested.
    pub edge_edges: u64,
    /// Along the axis, one edge is before or beyond the movement of the other.
    pub height: u64,
    /// B's edge is inside the annulus that A's edge sweeps.
    pub edge_inside: u64,
    /// B's edge is outside that annulus.
    pub edge_outside: u64,
}

/// The ranges of a feature in height and radius.
#[derive(Debug, Clone, Copy)]
struct Ranges {
    height: [f64; 2],
    radius: [f64; 2],
}

/// Points of one mesh about the axis, with the ranges of its edges and triangles.
#[derive(Debug)]
struct Coordinates<'a> {
    mesh: &'a Mesh,
    height: Vec<f64>,
    across: Vec<DVec2>,
    edges: Vec<Ranges>,
    triangles: Vec<Ranges>,
}

/// Two meshes about the axis of their relative screw.
#[derive(Debug)]
struct AxisTests<'a> {
    a: Coordinates<'a>,
    b: Coordinates<'a>,
    slide: f64,
    /// Cosine and sine of the angle, which is used if less than a whole turn. Without an axis the angle decides
    /// nothing.
    rotation: DVec2,
    angle: f64,
    has_axis: bool,
    margin: f64,
    rejections: &'a mut Rejections,
}

/// A screw whose axis is further away than this, in units of the reach, counts as a translation in these tests.
const FAR: f64 = 1e6;

/// The axis, relative to the centre of A at t = 0.
struct AxisFromCentre {
    /// The vector to the axis, perpendicular to it. `None` if the axis is too far away to decide anything, or the
    /// screw is a translation.
    arm: Option<DVec3>,
    /// Maximum error of distances about the axis, the tolerance included.
    margin: f64,
}

impl AxisFromCentre {
    fn of(motion: &ScrewMotion, tolerance: f64) -> Self {
        let arm = motion.direction.cross(motion.velocity) / motion.angle;
        let arm = Some(arm).filter(|arm| arm.length() <= FAR * motion.reach);
        let distance = arm.map_or(0.0, DVec3::length);
        Self { arm, margin: 1.1 * tolerance + 16.0 * motion.rounding + 16.0 * f64::EPSILON * distance }
    }
}

/// Whether two objects cannot meet, by the spheres around their bounding boxes.
fn are_objects_separated(
    a: &Mesh,
    b: &Mesh,
    motion: &ScrewMotion,
    tolerance: f64,
    rejections: &mut Rejections,
) -> bool {
    rejections.objects += 1;
    let AxisFromCentre { arm, margin } = AxisFromCentre::of(motion, tolerance);
    let both = a.radius() + b.radius() + margin;
    let s = motion.direction;
    let half_slide = 0.5 * motion.slide.length();
    let along = |p: DVec3| s.dot(p).abs();
    // B's centre is the origin.
    let counter = if let Some(arm) = arm {
        // A sphere around the path of A's centre, about the nearest point p' of the axis.
        let (centre_offset, turning) = (motion.offset + arm, arm.length());
        let swept = centre_offset + 0.5 * motion.slide;
        let from_axis = (centre_offset - s.dot(centre_offset) * s).length();
        if swept.length() > both + half_slide.hypot(turning) {
            &mut rejections.swept_sphere
        } else if from_axis > turning + both {
            &mut rejections.object_outside
        } else if from_axis < turning - both {
            &mut rejections.object_inside
        } else if along(swept) > half_slide + both {
            &mut rejections.end_caps
        } else {
            return false;
        }
    } else {
        // A sphere about the middle of the chord; the path deviates from the chord by at most |acceleration| / 8.
        let end = motion.path(DVec3::ZERO).at(&motion.basis(1.0));
        let middle = 0.5 * (motion.offset + end);
        let chord_error = motion.angle * motion.velocity.length() / 8.0;
        if middle.length() > both + 0.5 * motion.offset.distance(end) + chord_error {
            &mut rejections.swept_sphere
        } else if along(middle) > half_slide + both {
            &mut rejections.end_caps
        } else {
            return false;
        }
    };
    *counter += 1;
    true
}

impl<'a> AxisTests<'a> {
    /// Transforms both meshes into coordinates about the axis. Features within `tolerance` of each other are never
    /// rejected.
    fn new(
        a: &'a Mesh,
        b: &'a Mesh,
        motion: &ScrewMotion,
        tolerance: f64,
        rejections: &'a mut Rejections,
    ) -> Self {
        let s = motion.direction;
        let axis = AxisFromCentre::of(motion, tolerance);
        let point = motion.offset + axis.arm.unwrap_or_default();
        let (x, y) = s.any_orthonormal_pair();
        // (x, y, s) is right-handed, so that the angle grows with the motion.
        let y = if x.cross(y).dot(s) < 0.0 { -y } else { y };
        let about = |p: DVec3| (s.dot(p), DVec2::new(x.dot(p - point), y.dot(p - point)));
        let points_of_a: Vec<_> = a.local().iter().map(|v| about(motion.placed(*v))).collect();
        let points_of_b: Vec<_> = b.local().iter().map(|v| about(*v)).collect();
        Self {
            a: Coordinates::new(a, &points_of_a),
            b: Coordinates::new(b, &points_of_b),
            slide: s.dot(motion.slide),
            rotation: DVec2::from_angle(motion.angle),
            angle: motion.angle,
            has_axis: axis.arm.is_some(),
            margin: axis.margin,
            rejections,
        }
    }

    /// Whether a vertex of A cannot meet a triangle of B.
    fn vertex_face(&mut self, vertex: u32, face: u32) -> bool {
        self.rejections.vertex_triangles += 1;
        let triangle = self.b.mesh.triangles()[face as usize];
        let (v, f) = (vertex as usize, face as usize);
        let moved =
            Moved { height: self.a.height[v], across: self.a.across[v], slide: self.slide, sense: 1.0 };
        self.vertex_triangle(&moved, self.b.triangles[f], triangle.map(|v| self.b.across[v as usize]))
    }

    /// Whether a triangle of A cannot meet a vertex of B. In A's frame the vertex moves in the opposite direction
    /// about the same axis.
    fn face_vertex(&mut self, face: u32, vertex: u32) -> bool {
        self.rejections.vertex_triangles += 1;
        let triangle = self.a.mesh.triangles()[face as usize];
        let (v, f) = (vertex as usize, face as usize);
        let moved =
            Moved { height: self.b.height[v], across: self.b.across[v], slide: -self.slide, sense: -1.0 };
        self.vertex_triangle(&moved, self.a.triangles[f], triangle.map(|v| self.a.across[v as usize]))
    }

    fn vertex_triangle(&mut self, vertex: &Moved, triangle: Ranges, corners: [DVec2; 3]) -> bool {
        let radius = vertex.across.length();
        let swept = [vertex.height, vertex.height + vertex.slide];
        let counter = if are_separated(swept, triangle.height, self.margin) {
            &mut self.rejections.along_axis
        } else if !self.has_axis {
            return false;
        } else if triangle.radius[0] > radius + self.margin {
            &mut self.rejections.triangle_outside
        } else if triangle.radius[1] < radius - self.margin {
            &mut self.rejections.triangle_inside
        } else if self.outside_angle(vertex, corners) {
            &mut self.rejections.swept_angle
        } else {
            return false;
        };
        *counter += 1;
        true
    }

    /// Whether a triangle is outside the wedge swept by the half plane from the axis through a vertex.
    fn outside_angle(&self, vertex: &Moved, corners: [DVec2; 3]) -> bool {
        let from = vertex.across;
        let to = DVec2::new(self.rotation.x, vertex.sense * self.rotation.y).rotate(from);
        let margin = self.margin * from.length();
        // The wedge lies ahead of the start and behind the end, in the direction of the motion.
        let behind_start = |c: DVec2| vertex.sense * from.perp_dot(c) < -margin;
        let ahead_of_end = |c: DVec2| vertex.sense * to.perp_dot(c) > margin;
        if self.angle < std::f64::consts::PI {
            corners.into_iter().all(behind_start) || corners.into_iter().all(ahead_of_end)
        } else if self.angle < std::f64::consts::TAU {
            corners.into_iter().all(|c| behind_start(c) && ahead_of_end(c))
        } else {
            false
        }
    }

    /// Whether an edge of A cannot meet an edge of B.
    fn edge_edge(&mut self, edge_a: u32, edge_b: u32) -> bool {
        let (a, b) = (self.a.edges[edge_a as usize], self.b.edges[edge_b as usize]);
        let r = &mut self.rejections;
        r.edge_edges += 1;
        let swept = [a.height[0] + self.slide.min(0.0), a.height[1] + self.slide.max(0.0)];
        let counter = if are_separated(swept, b.height, self.margin) {
            &mut r.height
        } else if !self.has_axis {
            return false;
        } else if b.radius[1] < a.radius[0] - self.margin {
            &mut r.edge_inside
        } else if b.radius[0] > a.radius[1] + self.margin {
            &mut r.edge_outside
        } else {
            return false;
        };
        *counter += 1;
        true
    }
}

/// A vertex that moves about the axis.
struct Moved {
    height: f64,
    across: DVec2,
    slide: f64,
    /// 1 if it rotates with the screw, -1 if against it.
    sense: f64,
}

/// Whether the distance of two ranges exceeds a margin. The ends of the first range may be in either order.
fn are_separated([p, q]: [f64; 2], [lo, hi]: [f64; 2], margin: f64) -> bool {
    p.max(q) < lo - margin || p.min(q) > hi + margin
}

impl<'a> Coordinates<'a> {
    fn new(mesh: &'a Mesh, points: &[(f64, DVec2)]) -> Self {
        let ranges = |corners: &[u32]| {
            let at = |v: u32| points[v as usize];
            let mut range =
                Ranges { height: [f64::INFINITY, f64::NEG_INFINITY], radius: [f64::INFINITY, 0.0] };
            for (i, v) in corners.iter().enumerate() {
                let (height, across) = at(*v);
                let (_, next) = at(corners[(i + 1) % corners.len()]);
                range.height = [range.height[0].min(height), range.height[1].max(height)];
                range.radius =
                    [range.radius[0].min(from_origin(across, next)), range.radius[1].max(across.length())];
            }
            range
        };
        let triangles = mesh.triangles().iter().map(|t| {
            let mut range = ranges(t);
            if contains_origin(t.map(|v| points[v as usize].1)) {
                range.radius[0] = 0.0;
            }
            range
        });
        Self {
            mesh,
            height: points.iter().map(|p| p.0).collect(),
            across: points.iter().map(|p| p.1).collect(),
            edges: mesh.edges().iter().map(|e| ranges(e)).collect(),
            triangles: triangles.collect(),
        }
    }
}

/// Distance of a segment from the origin.
fn from_origin(a: DVec2, b: DVec2) -> f64 {
    let along = b - a;
    let t = (-a.dot(along) / along.length_squared()).clamp(0.0, 1.0);
    // A segment of length zero gives NaN; its end gives the distance.
    if t.is_nan() { a.length() } else { (a + t * along).length() }
}

/// Whether a triangle contains the origin, its border included.
fn contains_origin([a, b, c]: [DVec2; 3]) -> bool {
    let turns = [a.perp_dot(b), b.perp_dot(c), c.perp_dot(a)];
    turns.iter().all(|t| *t >= 0.0) || turns.iter().all(|t| *t <= 0.0)
}
