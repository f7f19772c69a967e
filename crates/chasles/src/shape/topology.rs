//! The connectivity of a mesh: equal vertices, edges shared by triangles, and the features that each triangle owns.
//! One hash table finds equal vertices, and one sort finds the edges. The time is never quadratic.

use glam::DVec3;

/// The connectivity of a mesh's triangles. It does not change when vertices move.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Topology {
    /// By vertex; equal vertices are replaced by the first.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The unique edges, lower vertex first, in the order in which the triangles use them.
    pub(super) edges: Vec<[u32; 2]>,
    /// The edges of each triangle; entry i is the edge from corner i to corner i + 1.
    pub(super) triangle_edges: Vec<[u32; 3]>,
    /// The first two faces at each edge; [`NO_FACE`] if there is no second.
    pub(super) edge_faces: Vec<[u32; 2]>,
    /// The features that each triangle is the first to use.
    pub(super) owned: Vec<Owned>,
    /// The corners, numbered three per triangle, whose given vertex was replaced by an equal one: (corner, given
    /// vertex).
    pub(super) joined: Vec<(u32, u32)>,
}

impl Topology {
    /// The topology of triangles whose corners are among these vertices.
    pub(super) fn new(vertices: &[DVec3], mut triangles: Vec<[u32; 3]>) -> Self {
        let first = first_equal_vertices(vertices);
        let mut joined = Vec::new();
        for (corner, index) in (0_u32..).zip(triangles.iter_mut().flatten()) {
            let given = std::mem::replace(index, first[*index as usize]);
            if given != *index {
                joined.push((corner, given));
            }
        }
        Self::of_joined(vertices.len(), triangles, joined)
    }

    /// The topology of triangles in which equal vertices are already merged.
    pub(super) fn of_joined(vertices: usize, triangles: Vec<[u32; 3]>, joined: Vec<(u32, u32)>) -> Self {
        let (edges, edge_faces, triangle_edges) = edges(vertices, &triangles);
        let owned = owners(vertices, &triangles, &triangle_edges);
        Self { triangles, edges, triangle_edges, edge_faces, owned, joined }
    }
}

/// The vertices and edges that a triangle owns: every used vertex and edge belongs to the first triangle that uses
/// it. A pair of triangles is then tested on 3.3 pairs of features on average instead of 15 (chart findings,
/// "Leaf"). Bits 0 to 2 are vertices, 3 to 5 edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owned(u8);

impl Owned {
    /// Whether the triangle owns its vertex `corner`.
    pub(crate) fn vertex(self, corner: usize) -> bool {
        self.0 >> corner & 1 == 1
    }

    /// Whether the triangle owns its edge from `corner` to the next.
    pub(crate) fn edge(self, corner: usize) -> bool {
        self.0 >> (3 + corner) & 1 == 1
    }
}

/// No triangle: the other side of a border edge.
pub(crate) const NO_FACE: u32 = u32::MAX;

/// Above this number of uses of edges, the sort is split over threads.
const PARALLEL: usize = 16_384;

/// For every vertex the first that is equal to it, -0 counting as 0.
fn first_equal_vertices(vertices: &[DVec3]) -> Vec<u32> {
    // Open addressing, at most half full: a vertex is at the index of its hash or at one of the next indices.
    let bits = (2 * vertices.len()).next_power_of_two().ilog2().max(1);
    let mut table = vec![u32::MAX; 1 << bits];
    let first = |(i, v): (u32, &DVec3)| {
        let mut at = hash(*v, bits);
        while table[at] != u32::MAX {
            if vertices[table[at] as usize] == *v {
                return table[at];
            }
            at = (at + 1) & (table.len() - 1);
        }
        table[at] = i;
        i
    };
    (0..).zip(vertices).map(first).collect()
}

/// A hash of `bits` bits that depends on all bits of a vertex. The high halves of products are combined with the low
/// ones, because coordinates on a grid differ in few of their bits.
fn hash(v: DVec3, bits: u32) -> usize {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        #[expect(clippy::cast_possible_truncation, reason = "the halves")]
        let (low, high) = (product as u64, (product >> 64) as u64);
        low ^ high
    };
    // 0 + -0 is 0. The constants are digits of pi: odd, with as many ones as zeros.
    let [x, y, z] = (v + DVec3::ZERO).to_array().map(f64::to_bits);
    let mixed = fold(fold(x ^ 0x243f_6a88_85a3_08d3, y ^ 0x1319_8a2e_0370_7345) ^ z, 0xa409_3822_299f_31d1);
    #[expect(clippy::cast_possible_truncation, reason = "as many bits as the table has")]
    let place = (mixed >> (64 - bits)) as usize;
    place
}

/// Unique edges, their first two faces, and the edges of each triangle.
type Edges = (Vec<[u32; 2]>, Vec<[u32; 2]>, Vec<[u32; 3]>);

/// The edges of triangles whose vertices are numbered below `vertices`: unique edges, their first two faces, and the
/// edges of each triangle.
fn edges(vertices: usize, triangles: &[[u32; 3]]) -> Edges {
    let mut of_triangles = first_uses(vertices, triangles);
    let unique = triangles.len() * 3 / 2 + 3;
    let (mut vertices, mut faces) = (Vec::with_capacity(unique), Vec::with_capacity(unique));
    for (face, triangle) in (0_u32..).zip(triangles) {
        for corner in 0..3 {
            let this = 3 * face as usize + corner;
            let first = of_triangles.as_flattened()[this] as usize;
            let edge = if first == this {
                let (v, w) = (triangle[corner], triangle[(corner + 1) % 3]);
                vertices.push([v.min(w), v.max(w)]);
                faces.push([face, NO_FACE]);
                number(vertices.len() - 1)
            } else {
                // The entry of the first use now holds the number of the edge.
                let edge = of_triangles.as_flattened()[first];
                let second = &mut faces[edge as usize][1];
                if *second == NO_FACE {
                    *second = face;
                }
                edge
            };
            of_triangles[face as usize][corner] = edge;
        }
    }
    (vertices, faces, of_triangles)
}

/// For every use of an edge, the first use of that edge. Uses are numbered three per triangle.
fn first_uses(vertices: usize, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let uses = || {
        let corners = triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        (0_u32..).zip(corners.map(|(v, w)| (v.min(w), v.max(w))))
    };
    // A counting sort by the lower vertex: first the start of each vertex's uses, then, after filling, their end.
    let mut begins = vec![0_u32; vertices];
    uses().for_each(|(_, (lower, _))| begins[lower as usize] += 1);
    let mut total = 0;
    for begin in &mut begins {
        total += std::mem::replace(begin, total);
    }
    let mut ends = begins.clone();
    let mut sorted = vec![0; 3 * triangles.len()];
    for (this, (lower, upper)) in uses() {
        let end = &mut ends[lower as usize];
        sorted[*end as usize] = u64::from(upper) << 32 | u64::from(this);
        *end += 1;
    }
    sort_by_upper(&mut sorted, &ends, 0);
    let mut first_uses = vec![[0; 3]; triangles.len()];
    let places = first_uses.as_flattened_mut();
    for (begin, end) in begins.into_iter().zip(ends) {
        let mut first = u64::MAX;
        for &key in &sorted[begin as usize..end as usize] {
            if key >> 32 != first >> 32 {
                first = key;
            }
            places[use_of_key(key) as usize] = use_of_key(first);
        }
    }
    first_uses
}

/// Sorts the uses of each lower vertex, which end at `ends`, by the upper vertex and then by their numbers. The uses
/// of the first lower vertex start at `begin`.
fn sort_by_upper(uses: &mut [u64], ends: &[u32], mut begin: u32) {
    if uses.len() > PARALLEL && ends.len() > 1 {
        let (left_ends, right_ends) = ends.split_at(ends.len() / 2);
        let middle = left_ends[left_ends.len() - 1];
        let (left, right) = uses.split_at_mut((middle - begin) as usize);
        rayon::join(|| sort_by_upper(left, left_ends, begin), || sort_by_upper(right, right_ends, middle));
        return;
    }
    let mut rest = uses;
    for &end in ends {
        let (of_vertex, others) = rest.split_at_mut((end - begin) as usize);
        of_vertex.sort_unstable();
        (rest, begin) = (others, end);
    }
}

/// The use in a key: its lower half.
fn use_of_key(key: u64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    let this = key as u32;
    this
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The features that each triangle is the first to use.
fn owners(vertices: usize, triangles: &[[u32; 3]], edges: &[[u32; 3]]) -> Vec<Owned> {
    let mut used = vec![false; vertices];
    // Edges are numbered in the order of their use.
    let mut unused_edge = 0;
    let owned = triangles.iter().zip(edges).map(|(triangle, edges)| {
        let mut mask = 0;
        for corner in 0..3 {
            if !std::mem::replace(&mut used[triangle[corner] as usize], true) {
                mask |= 1 << corner;
            }
            if edges[corner] == unused_edge {
                unused_edge += 1;
                mask |= 8 << corner;
            }
        }
        Owned(mask)
    });
    owned.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::shape::Mesh;

    fn random(seed: &mut u64, below: u32) -> u32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as u32 % below
    }

    /// The slow twin of [`first_equal_vertices`].
    fn first_equal_by_bits(vertices: &[DVec3]) -> Vec<u32> {
        let mut seen = HashMap::new();
        let bits = |v: &DVec3| (*v + DVec3::ZERO).to_array().map(f64::to_bits);
        (0_u32..).zip(vertices).map(|(i, v)| *seen.entry(bits(v)).or_insert(i)).collect()
    }

    /// The slow twin of [`edges`].
    fn edges_by_map(triangles: &[[u32; 3]]) -> Edges {
        let mut numbers = HashMap::new();
        let (mut edges, mut faces, mut of_triangles) = (Vec::new(), Vec::<[u32; 2]>::new(), Vec::new());
        for (face, triangle) in (0_u32..).zip(triangles) {
            let of_triangle = [0, 1, 2].map(|corner| {
                let (v, w) = (triangle[corner], triangle[(corner + 1) % 3]);
                let next = number(edges.len());
                let edge = *numbers.entry([v.min(w), v.max(w)]).or_insert(next);
                if edge == next {
                    edges.push([v.min(w), v.max(w)]);
                    faces.push([face, NO_FACE]);
                } else if faces[edge as usize][1] == NO_FACE {
                    faces[edge as usize][1] = face;
                }
                edge
            });
            of_triangles.push(of_triangle);
        }
        (edges, faces, of_triangles)
    }

    fn check(vertices: u32, triangles: &[[u32; 3]]) {
        assert_eq!(edges(vertices as usize, triangles), edges_by_map(triangles));
    }

    #[test]
    fn edges_equal_those_of_a_hash_map() {
        let seed = &mut 7;
        // Few vertices: triangles with repeated ones, and many on each edge.
        for vertices in [1, 2, 3, 5, 20, 300, 40_000] {
            for count in [1, 2, 10, 1000, 30_000] {
                let triangles: Vec<_> = (0..count).map(|_| [0; 3].map(|_| random(seed, vertices))).collect();
                check(vertices, &triangles);
            }
        }
    }

    #[test]
    fn fans_and_books_take_linear_time() {
        // A quadratic method would take minutes.
        let count = 100_000;
        let fan: Vec<_> = (0..count).map(|i| [0, i + 1, i + 2]).collect();
        let fan_of_last: Vec<_> = (0..count).map(|i| [i, count + 1, i + 1]).collect();
        let book: Vec<_> = (0..count).map(|i| [0, 1, 2 + i]).collect();
        for triangles in [&fan, &fan_of_last, &book] {
            check(count + 2, triangles);
        }
        let equal = first_equal_vertices(&vec![DVec3::ONE; 300_000]);
        assert!(equal.iter().all(|first| *first == 0));
    }

    #[test]
    fn equal_vertices_equal_those_of_a_hash_map() {
        let seed = &mut 3;
        for (count, steps) in [(0, 1), (1, 1), (10, 2), (1000, 5), (30_000, 30), (100_000, 1000)] {
            for scale in [1.0, 0.1, 1e-310, 1e60] {
                let coordinate =
                    |seed: &mut u64| scale * (f64::from(random(seed, steps)) - f64::from(steps / 2));
                let mut vertices: Vec<_> =
                    (0..count).map(|_| DVec3::from_array([0; 3].map(|_| coordinate(seed)))).collect();
                vertices.extend([DVec3::ZERO, -DVec3::ZERO, DVec3::new(0.0, -0.0, 0.0)]);
                assert_eq!(first_equal_vertices(&vertices), first_equal_by_bits(&vertices));
            }
        }
    }
    #[test]
    fn a_moved_mesh_keeps_its_topology() {
        let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
        // Two corners are equal: they stay one vertex, which moves with the first corner.
        let corners: Vec<DVec3> = [0, 1, 2, 4, 2].map(corner).to_vec();
        let mesh = Mesh::new(corners.clone(), vec![[0, 1, 4], [0, 3, 2], [1, 4, 3]]).unwrap();
        let places: Vec<DVec3> = corners.iter().zip(1..).map(|(p, i)| *p * 3.0 + f64::from(i)).collect();
        let moved = mesh.moved(places.clone()).unwrap();
        let anew = Mesh::new(places, mesh.triangles().to_vec()).unwrap();
        assert_eq!((moved.edges(), moved.bounds()), (anew.edges(), anew.bounds()));
        assert_eq!((mesh.triangles()[0], moved.edges()), ([0, 1, 2], mesh.edges()));
        assert!(mesh.moved(vec![DVec3::ZERO; 4]).is_err());
        assert!(mesh.moved(vec![DVec3::NAN; 5]).unwrap_err().to_string().contains("vertex 0"));
    }
}
