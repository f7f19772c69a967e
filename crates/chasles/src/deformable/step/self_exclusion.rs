//! Parts of a surface that cannot meet themselves during a step, so that pairs of their features need not be examined.
//!
//! Suppose that, seen along a direction d, every triangle of a part shows the same side, strictly, and the border of
//! the part is one closed curve that does not meet itself. A point that is on no edge then lies in as many triangles
//! as the curve's winding number around it: none or one. So no two triangles overlap in the projection along d, and
//! features without a common vertex share no point, neither in the projection nor in space: around a common point
//! both would cover an area, unless it is on the border of both, which does not meet itself.
//!
//! Both conditions are checked for all times of the step. The side that a triangle shows is a polynomial of
//! degree 2. Two edges of the border are separated along some direction perpendicular to d at both ends, or form an
//! open angle at their common vertex. (Volino and Magnenat-Thalmann 1994 have the conditions at one time, and omit
//! the border's; Tang, Curtis, Yoon and Manocha 2009 have the first one for all times.)

use glam::{DVec2, DVec3};

use crate::deformable::elementary::crossings::{Line, cross};
use crate::deformable::step::hierarchy::{Hierarchy, VertexMotion};
use crate::shape::Mesh;

/// For each node of the tree, the border of its part if it is a single closed curve.
#[derive(Debug, Clone, Default)]
pub(crate) struct Borders(Vec<Option<Box<[u32]>>>);

/// Parts with fewer faces are not worth the test, and parts with more are not tried.
const FACES: std::ops::RangeInclusive<usize> = 24..=1 << 15;

/// No neighbouring face, or an invalid one.
const OPEN: u32 = u32::MAX;
const BAD: u32 = u32::MAX - 1;

/// The rounding error of products of lengths and of projected positions, as a fraction of the lengths.
const ROUNDINGS: f64 = 128.0 * f64::EPSILON;

impl Borders {
    /// The borders of a surface that is tested against itself.
    pub(crate) fn new(tree: &Hierarchy, mesh: &Mesh) -> Self {
        let beyond = neighbor_faces(mesh);
        let mut place = vec![0_u32; mesh.triangles().len()];
        for (at, face) in (0..).zip(tree.faces(0)) {
            place[*face as usize] = at;
        }
        let mut next = vec![OPEN; mesh.vertex_count()];
        let border = |node: u32| {
            let faces = tree.faces(node);
            if !FACES.contains(&faces.len()) {
                return None;
            }
            let first = place[faces[0] as usize];
            let range = first..first + u32::try_from(faces.len()).ok()?;
            border_of(mesh, faces, &beyond, |face| range.contains(&place[face as usize]), &mut next)
        };
        Self((0..tree.count()).map(border).collect())
    }

    /// The nodes of the tree that are proven not to meet themselves during a step; nodes inside them are not marked.
    /// Vertices may deviate from their straight paths by `deviation`, in metres.
    pub(crate) fn unfolded(
        &self,
        tree: &Hierarchy,
        mesh: &Mesh,
        motion: &VertexMotion<'_>,
        deviation: f64,
    ) -> Vec<bool> {
        let mut all = vec![false; self.0.len()];
        let mut waiting = vec![0_u32];
        while let Some(node) = waiting.pop() {
            let faces = tree.faces(node);
            if faces.len() < *FACES.start() {
                continue;
            }
            let is_unfolded = self.0[node as usize]
                .as_deref()
                .is_some_and(|border| SurfaceRegion { mesh, motion, deviation, faces, border }.is_unfolded());
            all[node as usize] = is_unfolded;
            if !is_unfolded && let Some(children) = tree.children(node) {
                waiting.extend(children);
            }
        }
        all
    }
}

/// The neighbouring face across each side of each face: it has the same side in the opposite direction.
fn neighbor_faces(mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut sides: Vec<([u32; 2], bool, u32, usize)> = Vec::with_capacity(3 * mesh.triangles().len());
    for (face, corners) in (0_u32..).zip(mesh.triangles()) {
        for side in 0..3 {
            let [v, w] = [corners[side], corners[(side + 1) % 3]];
            sides.push(([v.min(w), v.max(w)], v < w, face, side));
        }
    }
    sides.sort_unstable();
    let mut beyond = vec![[BAD; 3]; mesh.triangles().len()];
    for one in sides.chunk_by(|x, y| x.0 == y.0) {
        match *one {
            [(_, _, face, side)] => beyond[face as usize][side] = OPEN,
            [(_, false, f, i), (_, true, g, k)] => {
                beyond[f as usize][i] = g;
                beyond[g as usize][k] = f;
            }
            _ => {}
        }
    }
    beyond
}

/// The border of some faces, if it is one curve that visits no vertex twice. `next` has one entry per vertex, all
/// `OPEN` before and after.
fn border_of(
    mesh: &Mesh,
    faces: &[u32],
    beyond: &[[u32; 3]],
    is_own: impl Fn(u32) -> bool,
    next: &mut [u32],
) -> Option<Box<[u32]>> {
    let mut ends = Vec::new();
    let mut is_one = true;
    for &face in faces {
        let corners = mesh.triangles()[face as usize];
        for side in 0..3 {
            let other = beyond[face as usize][side];
            if other == BAD {
                is_one = false;
            } else if other == OPEN || !is_own(other) {
                let [from, to] = [corners[side], corners[(side + 1) % 3]];
                is_one &= next[from as usize] == OPEN;
                next[from as usize] = to;
                ends.push(from);
            }
        }
    }
    let mut border = Vec::with_capacity(ends.len());
    if let Some(&start) = ends.first().filter(|_| is_one) {
        let mut vertex = start;
        for _ in 0..ends.len() {
            border.push(vertex);
            vertex = next[vertex as usize];
            if vertex == OPEN || vertex == start {
                break;
            }
        }
        is_one = vertex == start && border.len() == ends.len();
    }
    ends.iter().for_each(|v| next[*v as usize] = OPEN);
    (is_one && border.len() >= 3).then(|| border.into_boxed_slice())
}

/// A part of a surface during a step.
struct SurfaceRegion<'a> {
    mesh: &'a Mesh,
    motion: &'a VertexMotion<'a>,
    deviation: f64,
    faces: &'a [u32],
    border: &'a [u32],
}

/// A projected edge of the border: its ends at the start and at the end of the step, and the box of its path.
struct Edge {
    start: [DVec2; 2],
    end: [DVec2; 2],
    min: DVec2,
    max: DVec2,
    number: usize,
}

impl SurfaceRegion<'_> {
    fn is_unfolded(&self) -> bool {
        let Some(direction) = self.direction() else { return false };
        self.faces.iter().all(|face| self.shows_one_side(*face, direction))
            && self.has_simple_border(direction)
    }

    /// Two sides of a face, at the start and at the end.
    fn sides(&self, face: u32) -> [Line; 2] {
        let [a, b, c] = self.mesh.triangles()[face as usize].map(|v| v as usize);
        let VertexMotion { start, end, .. } = *self.motion;
        [[start[b] - start[a], end[b] - end[a]], [start[c] - start[a], end[c] - end[a]]]
    }

    /// The mean normal at the middle of the step.
    fn direction(&self) -> Option<DVec3> {
        let normal = |face: &u32| {
            let [e, f] = self.sides(*face).map(|[from, to]| from + to);
            e.cross(f)
        };
        self.faces.iter().map(normal).sum::<DVec3>().try_normalize()
    }

    /// Whether a face shows the side of its normal throughout.
    fn shows_one_side(&self, face: u32, direction: DVec3) -> bool {
        let [e, f] = self.sides(face);
        let [of_e, of_f] = [e, f].map(|[p, q]| p.abs().element_sum().max(q.abs().element_sum()));
        // Each end of a side may deviate.
        let deviation = 2.0 * self.deviation;
        let error = ROUNDINGS * of_e * of_f + deviation * (of_e + of_f) + deviation * deviation;
        // A NaN proves nothing.
        cross(e, f).into_iter().all(|normal| normal.dot(direction) > error)
    }

    /// Whether the border, projected along a direction, never meets itself.
    fn has_simple_border(&self, direction: DVec3) -> bool {
        let VertexMotion { start, end, .. } = *self.motion;
        let (x, y) = direction.any_orthonormal_pair();
        let origin = start[self.border[0] as usize];
        // A common translation has no effect.
        let drift = self.border.iter().map(|v| end[*v as usize] - start[*v as usize]).sum::<DVec3>()
            / self.border.len() as f64;
        let projected = |p: DVec3| DVec2::new(p.dot(x), p.dot(y));
        let mut far = origin.abs().element_sum() + drift.abs().element_sum();
        let places: Vec<[DVec2; 2]> = self
            .border
            .iter()
            .map(|v| {
                let (from, to) = (start[*v as usize], end[*v as usize]);
                far = far.max(from.abs().element_sum()).max(to.abs().element_sum());
                [projected(from - origin), projected(to - origin - drift)]
            })
            .collect();
        let margin = 2.0 * self.deviation + ROUNDINGS * far;
        let count = places.len();
        let mut edges: Vec<Edge> = (0..count)
            .map(|number| {
                let [p, q] = [places[number], places[(number + 1) % count]];
                let (start, end) = ([p[0], q[0]], [p[1], q[1]]);
                let min = p[0].min(q[0]).min(p[1]).min(q[1]) - margin;
                let max = p[0].max(q[0]).max(p[1]).max(q[1]) + margin;
                Edge { start, end, min, max, number }
            })
            .collect();
        edges.sort_unstable_by(|a, b| a.min.x.total_cmp(&b.min.x).then(a.number.cmp(&b.number)));
        edges.iter().enumerate().all(|(i, a)| {
            let nearby = edges[i + 1..].iter().take_while(|b| b.min.x <= a.max.x);
            let mut near = nearby.filter(|b| b.min.y <= a.max.y && a.min.y <= b.max.y);
            near.all(|b| {
                let follows = |edge: &Edge, other: &Edge| (other.number + 1) % count == edge.number;
                if follows(b, a) {
                    form_open_angle(a, b, margin)
                } else if follows(a, b) {
                    form_open_angle(b, a, margin)
                } else {
                    are_separated(a, b, margin)
                }
            })
        })
    }
}

/// Whether two edges, the second of which starts at the end of the first, have no other common point.
fn form_open_angle(a: &Edge, b: &Edge, margin: f64) -> bool {
    let back = [a.start[0] - a.start[1], a.end[0] - a.end[1]];
    let on = [b.start[1] - b.start[0], b.end[1] - b.end[0]];
    let size = |[p, q]: [DVec2; 2]| p.abs().element_sum().max(q.abs().element_sum());
    let (of_back, of_on) = (size(back), size(on));
    let error = ROUNDINGS * of_back * of_on + 2.0 * margin * (of_back + of_on) + 4.0 * margin * margin;
    // Bernstein coefficients of a product.
    let quadratic = |product: fn(DVec2, DVec2) -> f64| {
        let [[p, q], [r, s]] = [back, on];
        [product(p, r), 0.5 * (product(p, s) + product(q, r)), product(q, s)]
    };
    let turns = quadratic(DVec2::perp_dot);
    let along = quadratic(DVec2::dot);
    turns.iter().all(|c| *c > error) || turns.iter().all(|c| *c < -error) || along.iter().all(|c| *c < -error)
}

/// Whether two edges are separated throughout along a fixed direction.
fn are_separated(a: &Edge, b: &Edge, margin: f64) -> bool {
    let middle = |edge: &Edge| edge.start[0] + edge.start[1] + edge.end[0] + edge.end[1];
    let along = |edge: &Edge| edge.start[1] - edge.start[0] + edge.end[1] - edge.end[0];
    let across = [a, b].map(|edge| along(edge).perp());
    let directions = [across[0], across[1], middle(b) - middle(a), along(a), along(b)];
    directions.into_iter().filter_map(DVec2::try_normalize).any(|n| {
        let gap = |ends: [[DVec2; 2]; 2]| {
            let [[p, q], [r, s]] = ends.map(|ends| ends.map(|p| n.dot(p)));
            [r.min(s) - p.max(q), p.min(q) - r.max(s)]
        };
        let (first, last) = (gap([a.start, b.start]), gap([a.end, b.end]));
        (0..2).any(|side| first[side] > margin && last[side] > margin)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deformable::step::hierarchy::RefitBoxes;

    /// A strip of squares, each of two triangles, whose vertices are at positions given by (along, across).
    fn strip(length: u32, place: impl Fn(f64, f64) -> DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let vertices = (0..=length).flat_map(|i| [0.0, 1.0].map(|v| place(f64::from(i), v))).collect();
        let square = |i: u32| [[2 * i, 2 * i + 2, 2 * i + 3], [2 * i, 2 * i + 3, 2 * i + 1]];
        (vertices, (0..length).flat_map(square).collect())
    }

    /// The largest excluded part, as a fraction of all faces.
    fn excluded_fraction(
        (start, triangles): (Vec<DVec3>, Vec<[u32; 3]>),
        end: Vec<DVec3>,
        deviation: f64,
    ) -> f64 {
        let mesh = Mesh::new(start.clone(), triangles).unwrap();
        let tree = Hierarchy::new(&mesh);
        let motion = VertexMotion { start: &start, end: &end, centre: start[0] };
        let mut fitted = RefitBoxes::default();
        tree.fit(&mesh, &motion, deviation, &mut fitted);
        let unfolded = Borders::new(&tree, &mesh).unfolded(&tree, &mesh, &motion, deviation);
        let parts = (0..tree.count()).filter(|node| unfolded[*node as usize]);
        let most = parts.map(|node| tree.faces(node).len()).max().unwrap_or(0);
        most as f64 / mesh.triangles().len() as f64
    }

    #[test]
    fn a_region_seen_from_one_side_is_excluded() {
        let flat = |height: f64| strip(40, move |u, v| DVec3::new(u, v, height));
        // A large translation, with a slight bend.
        let bent = strip(40, |u, v| DVec3::new(u + 1000.0, v, 50.0 + 4.0 * (0.2 * u).sin())).0;
        assert_eq!(excluded_fraction(flat(0.0), bent.clone(), 0.0), 1.0);
        assert_eq!(excluded_fraction(flat(0.0), bent.clone(), 0.01), 1.0);
        // Vertices that may deviate by as much as a square.
        assert_eq!(excluded_fraction(flat(0.0), bent, 1.0), 0.0);
        // A strip that rotates by half a turn shows both sides.
        let over = strip(40, |u, v| DVec3::new(u, -v, 0.0)).0;
        assert_eq!(excluded_fraction(flat(0.0), over, 0.0), 0.0);
        // A strip that winds over itself is not excluded as a whole, though it shows one side, but in parts.
        let wound = |height: f64| {
            strip(64, move |u, v| {
                DVec3::new((2.0 + v) * (0.105 * u).cos(), (2.0 + v) * (0.105 * u).sin(), height * u)
            })
        };
        let fraction = excluded_fraction(wound(0.02), wound(-0.02).0, 0.0);
        assert!(0.1 < fraction && fraction < 1.0, "{fraction}");
    }

    #[test]
    fn a_border_that_meets_itself_is_refused() {
        // Two strips that share only one vertex, and a strip with inconsistent orientation.
        let (vertices, triangles) = strip(30, |u, v| DVec3::new(u, v, 0.0));
        let pinched: Vec<[u32; 3]> = triangles.iter().copied().filter(|t| !t.contains(&30)).collect();
        assert!(excluded_fraction((vertices.clone(), pinched), vertices.clone(), 0.0) < 1.0);
        let mut mixed = triangles;
        mixed[30].swap(0, 1);
        assert!(excluded_fraction((vertices.clone(), mixed), vertices, 0.0) < 1.0);
        // A border that folds back on itself at a vertex: a spike without width.
        let edge = |ends: [DVec2; 2], number: usize| Edge {
            start: ends,
            end: ends,
            min: DVec2::ZERO,
            max: DVec2::ZERO,
            number,
        };
        let first = edge([DVec2::ZERO, DVec2::X], 0);
        for (to, is_open) in [
            (DVec2::ZERO, false),
            (DVec2::new(0.5, 0.0), false),
            (DVec2::new(0.5, 0.5), true),
            (2.0 * DVec2::X, true),
        ] {
            assert_eq!(form_open_angle(&first, &edge([DVec2::X, to], 1), 0.0), is_open, "{to}");
        }
        assert!(are_separated(&first, &edge([DVec2::Y, DVec2::new(3.0, 0.1)], 2), 0.0));
        assert!(!are_separated(&first, &edge([DVec2::new(0.5, 0.0), DVec2::Y], 2), 0.0));
    }
}
