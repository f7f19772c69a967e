//! Static overlap: the triangles of two meshes that intersect at one time, and the depth.
//!
//! Signs of determinants in exact arithmetic decide whether two triangles intersect. Coplanar triangles are not a
//! special case: they intersect if an edge of one intersects the other, with or without a vertex inside. (Sinjur's
//! rule that two coplanar triangles intersect if a vertex of one lies in the other misses two that form a
//! six-pointed star.)

use glam::DVec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::features::witness::edges_through;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::direction::unit_along;
use crate::math::screw_function::Basis;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::traversal::{Charts, PairOnScrew, SearchEnd, Triangles, Visitor};

/// Whether two closed triangles, including degenerate ones, have a point in common: exact for the given
/// coordinates.
#[must_use]
pub fn triangles_intersect(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    let sides = |points: &[DVec3; 3], [p, q, r]: &[DVec3; 3]| points.map(|point| side(*p, *q, *r, point));
    let is_on_one_side = |sides: &[f64; 3]| sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0);
    let of_a = sides(a, b);
    if is_on_one_side(&of_a) {
        return false;
    }
    let of_b = sides(b, a);
    if is_on_one_side(&of_b) {
        return false;
    }
    let intersects = |points: &[DVec3; 3], sides: &[f64; 3], triangle: &[DVec3; 3]| {
        let ends = [[0, 1], [1, 2], [2, 0]];
        ends.iter().any(|ends| {
            segment_intersects_triangle(ends.map(|i| points[i]), ends.map(|i| sides[i]), triangle)
        })
    };
    intersects(a, &of_a, b) || intersects(b, &of_b, a)
}

/// The sign of the volume of a tetrahedron.
fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// Whether a segment intersects a triangle; `sides` are the sides of the triangle's plane on which the ends are.
fn segment_intersects_triangle([p, q]: [DVec3; 2], sides: [f64; 2], triangle: &[DVec3; 3]) -> bool {
    let [a, b, c] = *triangle;
    let [sp, sq] = sides;
    if (sp > 0.0 && sq > 0.0) || (sp < 0.0 && sq < 0.0) {
        return false;
    }
    if sp == 0.0 && sq == 0.0 {
        return coplanar_segment_intersects_triangle([p, q], triangle);
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    around.iter().all(|s| *s >= 0.0) || around.iter().all(|s| *s <= 0.0)
}

/// The three coordinate planes. At least one projection of a plane or line is injective: two of its points coincide
/// if their projections do. So a statement that holds in all three projections holds in space.
const PROJECTIONS: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

fn projected(p: DVec3, [x, y]: [usize; 2]) -> Coord<f64> {
    Coord { x: p[x], y: p[y] }
}

/// A segment in the plane of a triangle; for a triangle of zero area, in any plane that contains it.
fn coplanar_segment_intersects_triangle([p, q]: [DVec3; 2], triangle: &[DVec3; 3]) -> bool {
    let [a, b, c] = *triangle;
    let flat =
        PROJECTIONS.iter().all(|s| orient2d(projected(a, *s), projected(b, *s), projected(c, *s)) == 0.0);
    if flat {
        // A segment or a point, which the three sides cover.
        return [[a, b], [b, c], [c, a]].iter().any(|[v, w]| {
            side(p, q, *v, *w) == 0.0
                && PROJECTIONS.iter().all(|s| {
                    segments_intersect(
                        [projected(p, *s), projected(q, *s)],
                        [projected(*v, *s), projected(*w, *s)],
                    )
                })
        });
    }
    PROJECTIONS.iter().all(|s| {
        let corners = [a, b, c].map(|v| projected(v, *s));
        segment_intersects_flat_triangle([projected(p, *s), projected(q, *s)], &corners)
    })
}

fn segment_intersects_flat_triangle(segment: [Coord<f64>; 2], corners: &[Coord<f64>; 3]) -> bool {
    let [a, b, c] = *corners;
    let sides = [[a, b], [b, c], [c, a]];
    if sides.iter().any(|s| segments_intersect(segment, *s)) {
        return true;
    }
    // The segment does not intersect the border: it is entirely inside or entirely outside.
    let orientations = sides.map(|[v, w]| orient2d(v, w, segment[0]));
    orientations.iter().all(|s| *s > 0.0) || orientations.iter().all(|s| *s < 0.0)
}

fn segments_intersect([p, q]: [Coord<f64>; 2], [a, b]: [Coord<f64>; 2]) -> bool {
    let (ap, aq) = (orient2d(a, b, p), orient2d(a, b, q));
    let (pa, pb) = (orient2d(p, q, a), orient2d(p, q, b));
    let are_separated = |x: f64, y: f64| (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0);
    if are_separated(ap, aq) || are_separated(pa, pb) {
        return false;
    }
    // If neither line separates them, collinear segments may still be disjoint.
    let overlap = |p: f64, q: f64, a: f64, b: f64| p.min(q) <= a.max(b) && a.min(b) <= p.max(q);
    overlap(p.x, q.x, a.x, b.x) && overlap(p.y, q.y, a.y, b.y)
}

/// The shortest translation, over the directions of the separating-axis test and directions in the planes, that
/// separates two triangles; not positive if they are separated. An upper bound of the depth of their intersection.
fn separating_translation(a: &[DVec3; 3], b: &[DVec3; 3]) -> f64 {
    let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (ea, eb) = (edges(a), edges(b));
    let (na, nb) = (ea[0].cross(ea[1]), eb[0].cross(eb[1]));
    let translation = |candidate: DVec3| {
        let unit = unit_along(candidate);
        if unit == DVec3::ZERO {
            return f64::INFINITY;
        }
        let extent = |t: &[DVec3; 3]| {
            let [x, y, z] = t.map(|p| unit.dot(p));
            (x.min(y).min(z), x.max(y).max(z))
        };
        let ((a_lo, a_hi), (b_lo, b_hi)) = (extent(a), extent(b));
        (a_hi - b_lo).min(b_hi - a_lo)
    };
    let mut minimum = translation(na).min(translation(nb));
    for i in 0..3 {
        minimum = minimum.min(translation(na.cross(ea[i]))).min(translation(nb.cross(eb[i])));
        for m in eb {
            minimum = minimum.min(translation(ea[i].cross(m)));
        }
    }
    if minimum == f64::INFINITY {
        // All edges are parallel: segments on one line, or points. Across the line they have no extent.
        let along = ea.into_iter().chain(eb).map(unit_along).find(|unit| *unit != DVec3::ZERO);
        minimum = translation(along.map_or(DVec3::X, |along| along.any_orthonormal_vector()));
    }
    minimum
}

/// An edge of one mesh that passes through a triangle of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeThroughFace {
    /// An edge of A, a triangle of B.
    EdgeOfA { edge: u32, face: u32 },
    /// A triangle of A, an edge of B.
    EdgeOfB { face: u32, edge: u32 },
}

/// The triangles and edges of two meshes that intersect at one time.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Overlap {
    /// Whether any triangles intersect.
    pub(crate) intersects: bool,
    /// Intersecting triangles of A and B, in order, for `OverlapGoal::All`.
    pub(crate) pairs: Vec<[u32; 2]>,
    /// A lower bound of the translation that separates the deepest pair; 0 if nothing intersects.
    pub(crate) depth: f64,
    /// Edges that provably pass through a triangle, for `OverlapGoal::EdgesThrough`.
    pub(crate) through: Vec<EdgeThroughFace>,
}

/// The extent of an overlap test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum OverlapGoal {
    /// All pairs.
    All,
    /// Up to the first pair that is deeper than this.
    Deeper(f64),
    /// Whether any triangles intersect.
    Any,
    /// Whether any triangles intersect, and up to this number of edges that pass through a triangle, or a few more.
    EdgesThrough(usize),
}

/// The intersecting triangles of two bodies at a time.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn overlap(
    charts: &mut Charts,
    scene: &PairOnScrew<'_>,
    t: f64,
    depth: OverlapGoal,
    budget: &mut Budget<'_>,
) -> Result<Overlap, OutOfBudget> {
    let basis = scene.motion.basis(t);
    let mut visitor = Intersections { scene, basis, depth, budget, found: Overlap::default() };
    charts
        .search(scene, TimeInterval::new(t, t), scene.hulls().as_mut(), &mut visitor)
        .map_err(|_| OutOfBudget)?;
    let mut found = visitor.found;
    found.pairs.sort_unstable();
    Ok(found)
}

/// Collects pairs of triangles that intersect at one time.
struct Intersections<'a, 'w> {
    scene: &'a PairOnScrew<'a>,
    basis: Basis,
    depth: OverlapGoal,
    budget: &'a mut Budget<'w>,
    found: Overlap,
}

impl Visitor for Intersections<'_, '_> {
    fn step(&mut self) -> Result<(), OutOfBudget> {
        self.budget.step()
    }

    fn move_to(&mut self, _: f64) -> Result<(), OutOfBudget> {
        Ok(())
    }

    fn horizon(&self) -> SearchEnd {
        let enough = match self.depth {
            OverlapGoal::Deeper(limit) => self.found.intersects && self.found.depth > limit,
            OverlapGoal::Any => self.found.intersects,
            OverlapGoal::EdgesThrough(limit) => self.found.through.len() >= limit,
            OverlapGoal::All => false,
        };
        SearchEnd { bound: if enough { f64::NEG_INFINITY } else { f64::INFINITY }, wake: f64::INFINITY }
    }

    fn accepts_earliest_only(&self) -> bool {
        false
    }

    fn triangles(&mut self, pair: &Triangles<'_>) -> Result<(), OutOfBudget> {
        let (face_a, face_b) = pair.faces;
        let PairOnScrew { bodies, motion, .. } = self.scene;
        let (a, b) = (bodies.a.mesh(), bodies.b.mesh());
        let triangle_a =
            a.triangles()[face_a as usize].map(|v| motion.path(a.local()[v as usize]).at(&self.basis));
        let triangle_b = b.local_triangle(face_b);
        if matches!(self.depth, OverlapGoal::EdgesThrough(_)) {
            let [of_a, of_b] = edges_through(&triangle_a, &triangle_b, motion.rounding);
            let (edges_a, edges_b) =
                (a.triangle_edges()[face_a as usize], b.triangle_edges()[face_b as usize]);
            let found = &mut self.found;
            let through = (0..3).filter(|i| of_a[*i]);
            found
                .through
                .extend(through.map(|i| EdgeThroughFace::EdgeOfA { edge: edges_a[i], face: face_b }));
            let through = (0..3).filter(|i| of_b[*i]);
            found
                .through
                .extend(through.map(|i| EdgeThroughFace::EdgeOfB { face: face_a, edge: edges_b[i] }));
            // An exact test is needed only if no edge provably passes through a triangle.
            found.intersects = found.intersects
                || !found.through.is_empty()
                || triangles_intersect(&triangle_a, &triangle_b);
            return Ok(());
        }
        if triangles_intersect(&triangle_a, &triangle_b) {
            self.found.intersects = true;
            if self.depth == OverlapGoal::Any {
                return Ok(());
            }
            if self.depth == OverlapGoal::All {
                self.budget.keep::<[u32; 2]>()?;
                self.found.pairs.push([face_a, face_b]);
            }
            let depth = separating_translation(&triangle_a, &triangle_b) - 2.0 * motion.rounding;
            self.found.depth = self.found.depth.max(depth);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{PreparedMesh, PreparedPair};
    use crate::features::screw_motion::ScrewMotion;
    use crate::motion::{Pose, Screw};
    use crate::shape::{Mesh, Primitive};
    use chasles_testing::{Random, cases};

    fn v(x: f64, y: f64, z: f64) -> DVec3 {
        DVec3::new(x, y, z)
    }

    /// Every order of the corners, and both orders of the triangles.
    fn check(a: [DVec3; 3], b: [DVec3; 3], expected: bool) {
        for [i, j, k] in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let permuted = [a[i], a[j], a[k]];
            assert_eq!(triangles_intersect(&permuted, &b), expected, "{permuted:?} {b:?}");
            assert_eq!(triangles_intersect(&b, &permuted), expected, "{b:?} {permuted:?}");
        }
    }

    #[test]
    fn coplanar_triangles_of_every_kind() {
        let big = [v(0.0, 0.0, 1.0), v(4.0, 0.0, 1.0), v(0.0, 4.0, 1.0)];
        check(big, [v(1.0, 1.0, 1.0), v(2.0, 1.0, 1.0), v(1.0, 2.0, 1.0)], true);
        check(big, [v(3.0, 3.0, 1.0), v(4.0, 3.0, 1.0), v(3.0, 4.0, 1.0)], false);
        // A six-pointed star: no corner of one is inside the other.
        let up = [v(-1.0, -0.6, 0.0), v(1.0, -0.6, 0.0), v(0.0, 1.2, 0.0)];
        check(up, up.map(|p| -p), true);
        // A corner on a corner, an edge on an edge.
        check(big, [v(4.0, 0.0, 1.0), v(5.0, 0.0, 1.0), v(5.0, 1.0, 1.0)], true);
        check(big, [v(1.0, 0.0, 1.0), v(3.0, 0.0, 1.0), v(2.0, -1.0, 1.0)], true);
        check(big, big, true);
    }

    #[test]
    fn triangles_across_each_other() {
        let floor = [v(-1.0, -1.0, 0.0), v(1.0, -1.0, 0.0), v(0.0, 1.0, 0.0)];
        check(floor, [v(0.0, 0.0, -1.0), v(0.0, 0.0, 1.0), v(0.1, 0.0, 1.0)], true);
        check(floor, [v(0.0, 0.0, 0.0), v(0.0, 0.1, 1.0), v(0.1, 0.0, 1.0)], true);
        check(floor, [v(0.0, 0.0, 1e-300), v(0.0, 0.1, 1.0), v(0.1, 0.0, 1.0)], false);
        check(floor, [v(5.0, 0.0, -1.0), v(5.0, 0.0, 1.0), v(5.1, 0.0, 1.0)], false);
        // In the other half space of the plane, except for one corner that misses.
        check(floor, [v(2.0, 2.0, 0.0), v(2.0, 2.0, 1.0), v(3.0, 2.0, 1.0)], false);
    }

    #[test]
    fn early_rejections_change_no_result() {
        // All edges of each against the other, without rejection tests.
        let twin = |a: &[DVec3; 3], b: &[DVec3; 3]| {
            let intersects = |e: [DVec3; 2], t: &[DVec3; 3]| {
                segment_intersects_triangle(e, e.map(|p| side(t[0], t[1], t[2], p)), t)
            };
            let edges = |t: &[DVec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
            edges(a).iter().any(|e| intersects(*e, b)) || edges(b).iter().any(|e| intersects(*e, a))
        };
        let random = &mut Random(11);
        let mut contacts = 0;
        for case in 0..cases(20_000, 200_000) {
            // On a grid corners, edges and planes often coincide, and triangles are often flat.
            let grid = [1.0, 2.0, 1e3][case % 3];
            let mut corner = || random.vector(1.0).to_array().map(|x| (grid * x).round());
            let [a, b] = [0, 1].map(|_| [0, 1, 2].map(|_| DVec3::from_array(corner())));
            let expected = twin(&a, &b);
            assert_eq!(triangles_intersect(&a, &b), expected, "{a:?} {b:?}");
            contacts += usize::from(expected);
        }
        assert!(1_000 < contacts, "{contacts}");
    }

    #[test]
    fn a_search_ends_when_the_requested_depth_is_reached() {
        let mesh = |centre: DVec3| {
            let ball = Primitive::Capsule { radius: 1.0, height: 1.0 }.tessellate().unwrap().mesh;
            let points = (0_u32..).take(ball.vertex_count()).map(|i| ball.vertex(i) + centre).collect();
            PreparedMesh::new(Mesh::new(points, ball.triangles().to_vec()).unwrap())
        };
        let (a, b) = (mesh(DVec3::ZERO), mesh(v(0.7, 0.3, 0.2)));
        let motion = ScrewMotion::new(a.mesh(), b.mesh(), &Screw::still(Pose::IDENTITY));
        let scene = PairOnScrew { bodies: PreparedPair::new(&a, &b), motion: &motion, pad: 0.0 };
        let find = |depth: OverlapGoal| {
            let mut budget = Budget::new(u64::MAX);
            let found = overlap(&mut Charts::default(), &scene, 0.0, depth, &mut budget).unwrap();
            assert!(found.intersects);
            (found, u64::MAX - budget.remaining())
        };
        let (all, steps) = find(OverlapGoal::All);
        let (any, few) = find(OverlapGoal::Any);
        assert!(all.pairs.len() > 50 && any.pairs.is_empty() && 3 * few < steps, "{few} of {steps}");
        let (deeper, few) = find(OverlapGoal::Deeper(0.25 * all.depth));
        assert!(deeper.depth > 0.25 * all.depth && 3 * few < 2 * steps, "{few} of {steps}");
        let (some, few) = find(OverlapGoal::EdgesThrough(5));
        assert!((5..11).contains(&some.through.len()) && 2 * few < steps, "{few} of {steps}, {some:?}");
    }

    #[test]
    fn degenerate_triangles_are_segments_and_points() {
        let floor = [v(-1.0, -1.0, 0.0), v(1.0, -1.0, 0.0), v(0.0, 1.0, 0.0)];
        let (down, up) = (v(0.0, 0.0, -1.0), v(0.0, 0.0, 1.0));
        check(floor, [down, up, up], true);
        check(floor, [down, up, v(0.0, 0.0, 0.5)], true);
        check(floor, [v(0.0, 0.0, 0.5), up, up], false);
        check(floor, [DVec3::ZERO; 3], true);
        check(floor, [v(0.0, 0.0, 1e-300); 3], false);
        check([down, up, up], [v(-1.0, 0.0, 0.0), v(1.0, 0.0, 0.0), DVec3::ZERO], true);
        check([down, up, up], [v(-1.0, 1e-300, 0.0), v(1.0, 1e-300, 0.0), v(0.0, 1e-300, 0.0)], false);
        check([up; 3], [up; 3], true);
        check([up; 3], [down; 3], false);
        check([down, up, up], [up, 2.0 * up, 2.0 * up], true);
        check([down, up, up], [1.5 * up, 2.0 * up, 2.0 * up], false);
    }

    #[test]
    fn the_separating_translation_is_that_of_the_shallowest_direction() {
        let floor = [v(-1.0, -1.0, 0.0), v(1.0, -1.0, 0.0), v(0.0, 1.0, 0.0)];
        let spike = [v(0.0, 0.0, -0.01), v(0.3, 0.0, 1.0), v(-0.3, 0.0, 1.0)];
        assert!((separating_translation(&floor, &spike) - 0.01).abs() < 1e-15);
        assert!(separating_translation(&floor, &floor.map(|p| p + 1e-3 * DVec3::Z)) < 0.0);
        assert_eq!(separating_translation(&floor, &floor), 0.0);
    }

    #[test]
    fn collinear_triangles_are_separated_by_no_translation() {
        let along = v(1.0, -2.0, 0.5);
        let [whole, part] = [[-along, along, along], [0.5 * along, 3.0 * along, along]];
        for (a, b) in [(whole, part), (whole, whole), (whole, [0.25 * along; 3]), ([along; 3], [along; 3])] {
            for (a, b) in [(a, b), (b, a)] {
                assert!(triangles_intersect(&a, &b), "{a:?} {b:?}");
                let translation = separating_translation(&a, &b);
                assert!(translation.abs() < 1e-15, "{translation} {a:?} {b:?}");
            }
        }
    }
}
