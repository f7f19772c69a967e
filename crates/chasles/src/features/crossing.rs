//! Tests whether two features pass through each other at a root of their function: a proven crossing of the
//! surfaces.
//!
//! At a root the point is in the plane of the face, or the lines of the edges intersect. The features cross if this
//! position is inside both, further from their borders than rounding can move it. A point that meets the border
//! itself is, up to rounding, inside neither adjacent face. But if two faces share that edge, a point that is on the
//! positive side of both before, and on the negative side of both after, has passed through one face. Near the edge
//! the two faces divide space into two parts. Whether the edge is a ridge or a groove, one part contains all points
//! on the positive side of both, and the other part all points on the negative side of both.

use glam::DVec3;

use crate::features::advance::{Features, Limits};
use crate::features::event::FeaturePair;
use crate::features::screw_motion::ScrewMotion;
use crate::math::direction::unit_along;
use crate::math::distance::point_segment_squared;
use crate::math::roots::Root;
use crate::math::rounding::of_direction_across;
use crate::motion::helix::Helix;
use crate::shape::Mesh;
use crate::shape::mesh::NO_FACE;

/// Enclosures of at most this width are not narrowed further.
const MIN_WIDTH: f64 = 1e-12;

/// Error of a height over a plane, in roundings of a position: the roundings of the point, of the plane and of the
/// height itself.
const HEIGHT: f64 = 4.0;

/// The relation of two features at a root of their function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CrossingTest {
    /// The features provably pass through each other, in this enclosure.
    Through(Root),
    /// The features come within the tolerance of each other, but a crossing is not proven.
    Near(Root),
    /// The features are separated, or the enclosure is too wide to decide.
    Separated,
}

/// Tests whether features pass through each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crossings<'a> {
    pub(crate) a: &'a Mesh,
    pub(crate) b: &'a Mesh,
    pub(crate) motion: &'a ScrewMotion,
    pub(crate) tolerance: f64,
}

/// Two faces that share an edge.
struct FacesAtEdge {
    /// Unit normals, both to the same side, with bounds of their errors in radians.
    normals: [(DVec3, f64); 2],
    /// The ends of the edge.
    edge: [DVec3; 2],
    /// The other edges of both faces.
    borders: [[DVec3; 2]; 4],
}

impl Crossings<'_> {
    /// Tests whether two features pass through each other at a root of their function, and encloses the time.
    pub(crate) fn at(&self, pair: FeaturePair, features: &Features, root: Root) -> CrossingTest {
        let speed = features.speed();
        let width = root.hi - root.lo;
        // Narrow enclosures are decided below at the same cost.
        if width > MIN_WIDTH {
            let reach = self.tolerance + self.motion.rounding + speed * width;
            let middle = self.motion.basis(0.5 * (root.lo + root.hi));
            if features.closest(&middle).squared > reach * reach {
                return CrossingTest::Separated;
            }
        }
        let narrow = if width > MIN_WIDTH { self.narrowed(features, root) } else { root };
        // In such a short time the features move along straight lines, up to the curvature of the path.
        let displacement = speed * (narrow.hi - narrow.lo);
        let curvature = self.motion.angle * displacement * (narrow.hi - narrow.lo);
        let near = self.tolerance + self.motion.rounding;
        if curvature > near {
            return CrossingTest::Separated;
        }
        let error = HEIGHT * self.motion.rounding + displacement + curvature;
        let (mut is_inside, mut is_near) = (true, true);
        for t in [narrow.lo, narrow.hi] {
            let basis = self.motion.basis(t);
            let closest = features.closest(&basis);
            is_near &= closest.squared <= (near + displacement).powi(2);
            is_inside &= closest.interior
                && features.distance_to_border(&basis, &closest) > features.play(&basis, error);
        }
        if !is_near {
            CrossingTest::Separated
        } else if is_inside {
            CrossingTest::Through(narrow)
        } else {
            self.through_shared_border(pair, features, narrow)
                .map_or(CrossingTest::Near(narrow), CrossingTest::Through)
        }
    }

    /// An enclosure of the time at which a point passes through one of the two faces that share the edge that it
    /// meets.
    fn through_shared_border(&self, pair: FeaturePair, features: &Features, root: Root) -> Option<Root> {
        let Features::PointTriangle(path, _) = features else { return None };
        let faces = self.faces(pair, path, root)?;
        let error = HEIGHT * self.motion.rounding;
        let mut width = (root.hi - root.lo).max(f64::EPSILON);
        // Widens the interval until the point is certainly on one side of both faces at its start, and on the other
        // side of both at its end.
        while width * path.speed() <= self.tolerance {
            let ends = [root.lo - width, root.hi + width];
            if ends[0] < 0.0 || ends[1] > 1.0 {
                return None;
            }
            let places = ends.map(|t| path.at(&self.motion.basis(t)));
            let [before, after] = places;
            let passes =
                |sign: f64| faces.is_beyond(before, sign, error) && faces.is_beyond(after, -sign, error);
            if passes(1.0) || passes(-1.0) {
                let displacement = path.speed() * (ends[1] - ends[0]) + error;
                let is_far_from_borders =
                    places.into_iter().all(|p| faces.is_far_from_borders(p, displacement));
                return is_far_from_borders.then_some(Root { lo: ends[0], hi: ends[1] });
            }
            width *= 2.0;
        }
        None
    }

    /// The two faces at the edge that a point passes at a root, if two faces share it.
    fn faces(&self, pair: FeaturePair, path: &Helix, root: Root) -> Option<FacesAtEdge> {
        let (mesh, face) = match pair {
            FeaturePair::VertexFace { face, .. } => (self.b, face),
            FeaturePair::FaceVertex { face, .. } => (self.a, face),
            FeaturePair::EdgeEdge { .. } => return None,
        };
        let place = |v: u32| match pair {
            FeaturePair::VertexFace { .. } => self.b.local()[v as usize],
            _ => self.motion.placed(self.a.local()[v as usize]),
        };
        let corners = mesh.triangles()[face as usize];
        let point = path.at(&self.motion.basis(0.5 * (root.lo + root.hi)));
        let squared =
            |i: usize| point_segment_squared(point, [place(corners[i]), place(corners[(i + 1) % 3])]);
        let nearest = (0..3).min_by(|i, j| squared(*i).total_cmp(&squared(*j)))?;
        let edge = mesh.triangle_edges()[face as usize][nearest];
        let neighbour =
            mesh.edge_faces(edge).into_iter().find(|other| *other != face && *other != NO_FACE)?;
        let [p, q, r] = [0, 1, 2].map(|i| corners[(nearest + i) % 3]);
        let s = mesh.triangles()[neighbour as usize].into_iter().find(|v| *v != p && *v != q)?;
        let [p, q, r, s] = [p, q, r, s].map(place);
        // From the same side, the neighbour traverses the edge in the opposite direction.
        let normals = [[q - p, r - p], [p - q, s - q]].map(|[l, m]| {
            let across = l.cross(m);
            let lengths = [l.length(), m.length()];
            (unit_along(across), of_direction_across(lengths, across.length(), self.motion.rounding))
        });
        Some(FacesAtEdge { normals, edge: [p, q], borders: [[q, r], [r, p], [p, s], [s, q]] })
    }

    /// A narrower enclosure of a root by the sign of the gap itself, for nearly parallel edges and thin triangles,
    /// for which the function's enclosure is wide.
    fn narrowed(&self, features: &Features, root: Root) -> Root {
        let limits = Limits { angle: self.motion.angle, rounding: self.motion.rounding };
        let gap = |t: f64| {
            let (gap, rounding) = features.signed_gap(&self.motion.basis(t), limits);
            // Non-zero only if the sign is certain.
            (t, if gap.abs() > rounding { gap } else { 0.0 })
        };
        let (mut before, mut after) = (gap(root.lo), gap(root.hi));
        if before.1 * after.1 >= 0.0 {
            return root;
        }
        let negative_before = before.1 < 0.0;
        let (mut zero, mut slope) = (None, 0.0);
        for step in 0..100 {
            if after.0 - before.0 <= MIN_WIDTH {
                return Root { lo: before.0, hi: after.0 };
            }
            slope = (after.1 - before.1).abs() / (after.0 - before.0);
            let chord = before.0 + before.1.abs() / slope;
            let inner = step % 3 != 2 && chord > before.0 && chord < after.0;
            let next = gap(if inner { chord } else { 0.5 * (before.0 + after.0) });
            if next.1 == 0.0 {
                zero = Some(next.0);
                break;
            }
            if (next.1 < 0.0) == negative_before {
                before = next;
            } else {
                after = next;
            }
        }
        let Some(zero) = zero else { return Root { lo: before.0, hi: after.0 } };
        // Steps outwards from the time of uncertain sign until the sign is certain.
        let outwards = |end: f64, sign: f64| {
            let mut width = 4.0 * limits.rounding / slope;
            while width < (end - zero).abs() {
                let t = zero + width * sign;
                if gap(t).1 != 0.0 {
                    return t;
                }
                width *= 2.0;
            }
            end
        };
        Root { lo: outwards(before.0, -1.0), hi: outwards(after.0, 1.0) }
    }
}

impl FacesAtEdge {
    /// Whether a point near the edge, with a position error of up to `error` metres, is on the side `sign` of both
    /// planes.
    fn is_beyond(&self, p: DVec3, sign: f64, error: f64) -> bool {
        let [from, to] = self.edge;
        let along = to - from;
        // Relative to the nearest point of the edge, so that errors of the planes' directions do not grow along the
        // edge.
        let arm = p - (from + (p - from).dot(along) / along.length_squared() * along);
        self.normals.iter().all(|(normal, tilt)| sign * normal.dot(arm) > error + tilt * arm.length())
    }

    /// Whether the other edges of the two faces are further than twice `reach` from a point, so that only the
    /// shared edge is near it.
    fn is_far_from_borders(&self, p: DVec3, reach: f64) -> bool {
        self.borders.iter().all(|border| point_segment_squared(p, *border) > 4.0 * reach * reach)
    }
}
