//! Selects the features of two small bodies that can meet in a short time: those in the slab between the bodies.
//!
//! Along a direction that separated the two hulls just before, A ends about where B starts. Only the parts between the
//! start of B and the end of A, the slab, can meet. Edges are cut at its borders, and the remaining part of each
//! feature gets a box along the direction and two directions across it, padded by the movement in the time. Usually a
//! corner and a face remain, or two edges. No chart is needed, and the work is linear in the number of features.

use glam::{DMat3, DVec3};

use crate::body::{PreparedMesh, PreparedPair};
use crate::features::event::FeaturePair;
use crate::math::budget::OutOfBudget;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::approach::near_from;
use crate::mesh_screw::hulls::HullPair;
use crate::mesh_screw::meetings::FeatureVisitor;
use crate::mesh_screw::traversal::{PairOnScrew, Visitor};
use crate::shape::Mesh;

/// The features in the slab; the memory is reused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slab {
    a: SlabFeatures,
    b: SlabFeatures,
}

/// The features of one body, by number, with boxes of their parts in the slab.
#[derive(Debug, Clone, Default)]
struct SlabFeatures {
    /// All vertices used by a triangle, in the coordinates of the slab: x points from A to B.
    points: Vec<DVec3>,
    /// Boxes of the parts of all edges.
    cut: Vec<SlabBox>,
    vertices: Vec<(u32, SlabBox)>,
    edges: Vec<(u32, SlabBox)>,
    faces: Vec<(u32, SlabBox)>,
}

/// The coordinate at which the slab starts for a body; it extends from there towards the other body.
#[derive(Debug, Clone, Copy)]
enum SlabSide {
    From(f64),
    To(f64),
}

/// A box; the lower corner of an empty box exceeds the upper corner.
#[derive(Debug, Clone, Copy)]
struct SlabBox {
    low: DVec3,
    high: DVec3,
}

/// The position of A relative to the centre of B, and the slab in which features are selected.
struct SlabSelection {
    axes: DMat3,
    centre: DVec3,
    /// A unit direction from A to B.
    along: DVec3,
    /// In metres.
    pad: f64,
}

/// Maximum movement in the examined time, as a fraction of the radii. Convex bodies then usually meet; with twice
/// this value, queries of robot parts take a tenth longer.
const MAX_MOVEMENT: f64 = 0.005;

impl Slab {
    /// Passes on all features that can meet until shortly after the hulls of two bodies come close. Returns the end
    /// of that time, or `None` if nothing remains to be searched after it. Features that meet after that time have
    /// not been passed on.
    ///
    /// # Errors
    /// If the budget ran out: the time up to which all features were passed on.
    pub(crate) fn search(
        &mut self,
        scene: &PairOnScrew<'_>,
        hulls: Option<&mut HullPair<'_>>,
        meetings: &mut FeatureVisitor<'_, '_>,
    ) -> Result<Option<f64>, f64> {
        let Some(hulls) = hulls.filter(|_| meetings.accepts_earliest_only()) else { return Ok(Some(0.0)) };
        let near = near_from(scene.motion, TimeInterval::new(0.0, 1.0), scene.reach());
        let Some(close) = near.and_then(|first| hulls.separated_until(TimeInterval::new(first, 1.0))) else {
            return Ok(None);
        };
        let last = (close.until + hulls.time_for(MAX_MOVEMENT)).min(1.0);
        // A NaN time proves nothing.
        let half = 0.5 * (last - close.until);
        let pad = hulls.contact_distance(half);
        if !pad.is_finite() {
            return Ok(Some(close.until));
        }
        let basis = scene.motion.basis(close.until + half);
        let (axes, centre) = (scene.motion.rotation_at(&basis), scene.motion.path(DVec3::ZERO).at(&basis));
        let selection = SlabSelection { axes, centre, along: close.along, pad };
        let offer = |pair| meetings.offer_now(pair, TimeInterval::new(close.until, last));
        self.pairs(scene.bodies, &selection, offer).map_err(|OutOfBudget| close.until)?;
        if last < 1.0 {
            return Ok(Some(last));
        }
        meetings.move_to(f64::INFINITY).map_err(|OutOfBudget| last)?;
        Ok(None)
    }

    /// Calls `visit` with each pair of features within the pad of each other. If the direction of the slab separates
    /// the bodies, few other pairs are included.
    fn pairs<E>(
        &mut self,
        PreparedPair { a, b }: PreparedPair<'_>,
        &SlabSelection { axes, centre, along, pad }: &SlabSelection,
        mut visit: impl FnMut(FeaturePair) -> Result<(), E>,
    ) -> Result<(), E> {
        let (u, v) = along.any_orthonormal_pair();
        let into = DMat3::from_cols(along, u, v).transpose();
        self.a.place(a, &(into * axes), into * centre);
        self.b.place(b, &into, DVec3::ZERO);
        let along_a = a.corner_vertices().iter().map(|v| self.a.points[*v as usize].x);
        let along_b = b.corner_vertices().iter().map(|v| self.b.points[*v as usize].x);
        let (end_a, start_b) =
            (along_a.fold(f64::NEG_INFINITY, f64::max), along_b.fold(f64::INFINITY, f64::min));
        // From here on only the parts of A are padded.
        let whole_a = self.a.cut(a.mesh(), SlabSide::From(start_b - pad)).padded(pad);
        let whole_b = self.b.cut(b.mesh(), SlabSide::To(end_a + pad));
        if !whole_a.overlaps(&whole_b) {
            return Ok(());
        }
        self.a.keep(a, &whole_b.padded(pad));
        self.b.keep(b, &whole_a);
        let pad_all = |features: &mut Vec<(u32, SlabBox)>| {
            features.iter_mut().for_each(|(_, bounds)| *bounds = bounds.padded(pad));
        };
        pad_all(&mut self.a.vertices);
        pad_all(&mut self.a.edges);
        pad_all(&mut self.a.faces);
        for (vertex, face) in overlapping(&self.a.vertices, &self.b.faces) {
            visit(FeaturePair::VertexFace { vertex, face })?;
        }
        for (face, vertex) in overlapping(&self.a.faces, &self.b.vertices) {
            visit(FeaturePair::FaceVertex { face, vertex })?;
        }
        for (a, b) in overlapping(&self.a.edges, &self.b.edges) {
            visit(FeaturePair::EdgeEdge { a, b })?;
        }
        Ok(())
    }
}

/// The numbers of features whose boxes overlap.
fn overlapping(a: &[(u32, SlabBox)], b: &[(u32, SlabBox)]) -> impl Iterator<Item = (u32, u32)> {
    a.iter().flat_map(move |(i, x)| b.iter().filter(move |(_, y)| x.overlaps(y)).map(move |(j, _)| (*i, *j)))
}

impl SlabFeatures {
    fn place(&mut self, body: &PreparedMesh, axes: &DMat3, centre: DVec3) {
        self.points.resize(body.mesh().local().len(), DVec3::ZERO);
        for (vertex, corner) in body.corner_vertices().iter().zip(body.corners()) {
            self.points[*vertex as usize] = *axes * *corner + centre;
        }
    }

    /// Cuts all edges at the border of the slab; returns the bounding box of the remaining parts.
    fn cut(&mut self, mesh: &Mesh, end: SlabSide) -> SlabBox {
        self.cut.clear();
        let mut whole = SlabBox::EMPTY;
        for [v, w] in mesh.edges() {
            let (p, q) = (self.points[*v as usize], self.points[*w as usize]);
            let (x, y) = match end {
                SlabSide::From(limit) => (p.x - limit, q.x - limit),
                SlabSide::To(limit) => (limit - p.x, limit - q.x),
            };
            // The error of the cut is the rounding of a coordinate, however flat the edge is; the pad is larger.
            let part = match (x < 0.0, y < 0.0) {
                (true, true) => {
                    self.cut.push(SlabBox::EMPTY);
                    continue;
                }
                (false, false) => SlabBox::of(p, q),
                (false, true) => SlabBox::of(p, p + x / (x - y) * (q - p)),
                (true, false) => SlabBox::of(q, q + y / (y - x) * (p - q)),
            };
            whole = whole.union(&part);
            self.cut.push(part);
        }
        whole
    }

    /// Keeps the features with a part in the slab that overlaps a box.
    fn keep(&mut self, body: &PreparedMesh, whole: &SlabBox) {
        self.vertices.clear();
        self.edges.clear();
        self.faces.clear();
        for vertex in body.corner_vertices() {
            let p = self.points[*vertex as usize];
            let at = SlabBox { low: p, high: p };
            if at.overlaps(whole) {
                self.vertices.push((*vertex, at));
            }
        }
        for (i, part) in (0..).zip(&self.cut) {
            if part.overlaps(whole) {
                self.edges.push((i, *part));
            }
        }
        for (i, edges) in (0..).zip(body.mesh().triangle_edges()) {
            let [x, y, z] = edges.map(|edge| &self.cut[edge as usize]);
            // If two edges of a triangle have no part left, no corner is left; otherwise all corners of the face's
            // part are on the parts of its edges.
            if x.is_empty() && y.is_empty() {
                continue;
            }
            let part = x.union(y).union(z);
            if part.overlaps(whole) {
                self.faces.push((i, part));
            }
        }
    }
}

impl SlabBox {
    const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    #[inline]
    fn of(p: DVec3, q: DVec3) -> Self {
        Self { low: min_components(p, q), high: max_components(p, q) }
    }

    #[inline]
    fn union(&self, other: &Self) -> Self {
        Self { low: min_components(self.low, other.low), high: max_components(self.high, other.high) }
    }

    #[inline]
    fn padded(&self, pad: f64) -> Self {
        Self { low: self.low - pad, high: self.high + pad }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.low.x > self.high.x
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        let along = |c: usize| self.low[c] <= other.high[c] && other.low[c] <= self.high[c];
        along(0) && along(1) && along(2)
    }
}

/// The minimum of each coordinate, without the NaN handling of `f64::min`, which would be half of the work.
#[inline]
fn min_components(p: DVec3, q: DVec3) -> DVec3 {
    let less = |x: f64, y: f64| if y < x { y } else { x };
    DVec3::new(less(p.x, q.x), less(p.y, q.y), less(p.z, q.z))
}

/// See [`min_components`].
#[inline]
fn max_components(p: DVec3, q: DVec3) -> DVec3 {
    let more = |x: f64, y: f64| if y > x { y } else { x };
    DVec3::new(more(p.x, q.x), more(p.y, q.y), more(p.z, q.z))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::features::screw_motion::ScrewMotion;
    use crate::math::distance::{point_triangle, segment_segment};
    use crate::mesh_screw::query::{Options, Outcome, SearchMethod};
    use crate::mesh_screw::small_bodies::{body, one_of, screw};
    use crate::motion::{Pose, Screw};
    use crate::predict::first_contact;
    use chasles_testing::{Random, cases};

    /// Two small bodies as one non-convex body; sometimes with an unused vertex.
    fn two_in_one(random: &mut Random) -> PreparedMesh {
        let (one, other) = (body(random), body(random));
        let (one, other) = (one.mesh(), other.mesh());
        let vertices =
            |mesh: &Mesh| (0..mesh.local().len()).map(|i| mesh.vertex(u32::try_from(i).unwrap())).collect();
        let (mut all, more): (Vec<DVec3>, Vec<DVec3>) = (vertices(one), vertices(other));
        let (shift, count) = (0.7 * random.vector(1.0), u32::try_from(all.len()).unwrap());
        all.extend(more.iter().map(|p| *p + shift));
        if random.side() < 0.0 {
            all.push(9.0 * random.vector(1.0));
        }
        let mut triangles = one.triangles().to_vec();
        triangles.extend(other.triangles().iter().map(|t| t.map(|v| v + count)));
        if random.side() < 0.0 {
            // Each triangle with its own vertices, as in some files.
            all = triangles.iter().flatten().map(|v| all[*v as usize]).collect();
            triangles =
                (0..triangles.len()).map(|i| [0, 1, 2].map(|k| u32::try_from(3 * i + k).unwrap())).collect();
        }
        PreparedMesh::new(Mesh::new(all, triangles).unwrap())
    }

    fn any_body(random: &mut Random) -> PreparedMesh {
        if random.side() < 0.3 { two_in_one(random) } else { body(random) }
    }

    /// All pairs of features, with their distances if A's vertices are at `a`.
    fn distances(a: &Mesh, b: &Mesh, points: &[DVec3]) -> Vec<(FeaturePair, f64)> {
        let number = |i: usize| u32::try_from(i).unwrap();
        let mut all = Vec::new();
        for face in 0..number(b.triangles().len()) {
            for vertex in a.used_vertices() {
                let pair = FeaturePair::VertexFace { vertex, face };
                all.push((
                    pair,
                    point_triangle(points[vertex as usize], &b.local_triangle(face)).squared.sqrt(),
                ));
            }
        }
        for (face, corners) in (0..).zip(a.triangles()) {
            let triangle = corners.map(|v| points[v as usize]);
            for vertex in b.used_vertices() {
                let distance = point_triangle(b.local()[vertex as usize], &triangle).squared.sqrt();
                all.push((FeaturePair::FaceVertex { face, vertex }, distance));
            }
        }
        for (i, edge) in (0..).zip(a.edges()) {
            for (j, other) in (0..).zip(b.edges()) {
                let (p, q) = (edge.map(|v| points[v as usize]), other.map(|v| b.local()[v as usize]));
                all.push((FeaturePair::EdgeEdge { a: i, b: j }, segment_segment(p, q).squared.sqrt()));
            }
        }
        all
    }

    #[test]
    fn no_near_pair_of_features_is_omitted() {
        let (mut near, mut given, mut all) = (0, 0, 0);
        let mut slab = Slab::default();
        for seed in 0..cases(500, 3000) {
            let random = &mut Random(seed * 104_729 + 3);
            let (a, b, screw) = (any_body(random), any_body(random), screw(random));
            let motion = ScrewMotion::new(a.mesh(), b.mesh(), &screw);
            let scene = PairOnScrew { bodies: PreparedPair::new(&a, &b), motion: &motion, pad: 1e-9 };
            let Some(separated) = scene.hulls().unwrap().separated_until(TimeInterval::new(0.0, 1.0)) else {
                continue;
            };
            let pad = one_of(random, &[1e-3, 0.01, 0.1, 0.5]) + 4.0 * motion.rounding;
            // Any direction is valid, but selects more pairs.
            let straight = random.side() < 0.5;
            let along = if straight { separated.along } else { random.vector(1.0).normalize() };
            let basis = motion.basis(separated.until + 0.3 * pad * random.side().abs());
            let (axes, centre) = (motion.rotation_at(&basis), motion.path(DVec3::ZERO).at(&basis));
            let selection = SlabSelection { axes, centre, along, pad };
            let mut found = BTreeSet::new();
            let found_all = slab.pairs(scene.bodies, &selection, |pair| {
                assert!(found.insert(pair), "seed {seed}: {pair:?} twice");
                Ok::<(), ()>(())
            });
            assert_eq!(found_all, Ok(()));
            let points: Vec<_> = a.mesh().local().iter().map(|p| axes * *p + centre).collect();
            let pairs = distances(a.mesh(), b.mesh(), &points);
            let of_triangles: BTreeSet<_> = pairs.iter().map(|(pair, _)| *pair).collect();
            assert!(found.is_subset(&of_triangles), "seed {seed}: what no triangle has");
            for (pair, distance) in &pairs {
                let is_near = *distance <= pad - 2.0 * motion.rounding;
                assert!(
                    !is_near || found.contains(pair),
                    "seed {seed}: {pair:?} at {distance}, within {pad}"
                );
                near += u32::from(is_near);
            }
            if straight && pad < 0.02 {
                given += found.len();
                all += pairs.len();
            }
        }
        // The selection is effective, too.
        assert!(near > 1_200 && 18 * given < all, "{near}, {given} of {all}");
    }

    #[test]
    fn answers_are_the_same_as_from_all_pairs_of_features() {
        let reference = Options { search: SearchMethod::Reference, ..Options::default() };
        let (mut meets, mut clear, mut late) = (0, 0, 0);
        for seed in 0..cases(300, 1000) {
            let random = &mut Random(seed * 15_485_863 + 11);
            let (a, b, mut screw) = (any_body(random), any_body(random), screw(random));
            if random.side() < 0.3 {
                // So that they meet, if at all, just before the end of the motion.
                let whole = first_contact(&a, &b, &screw, &Options::default()).unwrap();
                let Outcome::Contact(contact) = whole.outcome else { continue };
                let end = contact.time[1] + one_of(random, &[0.0, 1e-9, 1e-4, 2e-3]);
                screw = Screw::between(screw.start(), screw.pose_at(end.min(1.0)));
                late += 1;
            }
            let tolerance = one_of(random, &[None, None, Some(1e-3), Some(0.0)]);
            let fast = first_contact(&a, &b, &screw, &Options { tolerance, ..Options::default() }).unwrap();
            let slow = first_contact(&a, &b, &screw, &Options { tolerance, ..reference }).unwrap();
            assert_eq!(fast.outcome, slow.outcome, "seed {seed}");
            meets += u32::from(matches!(fast.outcome, Outcome::Contact(_)));
            clear += u32::from(fast.outcome == Outcome::Clear);
        }
        assert!(meets > 30 && clear > 30 && late > 6, "{meets} {clear} {late}");
    }

    #[test]
    fn features_that_meet_at_the_end_are_found() {
        let corner = vec![DVec3::ZERO, DVec3::new(0.1, 0.0, 1.0), DVec3::new(-0.1, 0.1, 1.0)];
        let corner = PreparedMesh::new(Mesh::new(corner, vec![[0, 1, 2]]).unwrap());
        let corners = [(-1.0, -1.0), (1.0, -1.0), (0.0, 1.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
        let table = PreparedMesh::new(Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap());
        let start = Pose::from_position(DVec3::Z).unwrap();
        for (slide, meets) in [(-1.001, true), (-1.0 - 1e-6, true), (-1.0, true), (-0.999, false)] {
            let screw = Screw::translation(start, DVec3::new(0.0, 0.0, slide));
            let outcome = first_contact(&corner, &table, &screw, &Options::default()).unwrap().outcome;
            assert_eq!(matches!(outcome, Outcome::Contact(_)), meets, "{slide}: {outcome:?}");
        }
    }
}
