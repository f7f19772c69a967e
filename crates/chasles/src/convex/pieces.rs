//! The pieces of a mesh, each checked to be closed, oriented outwards and convex.
//!
//! Equal vertices count as one vertex, so four triangles share an edge that two pieces have in common. Rotating about
//! the edge into the interior, each triangle is joined to the next one of opposite orientation.

use std::cmp::Ordering;

use glam::DVec3;
use num_bigint::BigInt;

use crate::convex::hull::{Hull, bounds};
use crate::convex::sides::{Height, height, quotient, side, sign, whole_height};
use crate::error::{ConvexFault, Error, ErrorKind};
use crate::math::budget::Budget;
use crate::math::direction::unit_along;
use crate::math::exact::cross_of_corners;
use crate::math::whole::{WholeUnit, cross, difference, dot};
use crate::shape::Mesh;

/// The closed convex pieces of a mesh. Vertices and triangles have the numbers of the mesh.
///
/// A piece is a set of triangles joined by edges. It may have dents of up to 1e-9 of its size (the diagonal of its
/// bounding box), which rounding causes between coplanar neighbours. A triangle that uses a vertex twice belongs to
/// no piece.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexPieces {
    pieces: Vec<ConvexPiece>,
}

/// One closed convex piece of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexPiece {
    /// Its triangles, in ascending order.
    pub triangles: Vec<u32>,
    /// Its vertices, in ascending order.
    pub vertices: Vec<u32>,
    /// The enclosed volume, in the cube of the mesh's unit.
    pub volume: f64,
    /// Lower and upper corner of its bounding box.
    pub bounds: [DVec3; 2],
}

/// Maximum depth of a dent, as a fraction of the piece's size.
const FLAT: f64 = 1e-9;

/// Maximum number of triangles at an edge. An edge of more triangles is reported as open, because pairing them
/// takes time quadratic in their number.
const MAX_AT_EDGE: usize = 1000;

/// Maximum relative error of a volume in doubles; beyond this it is computed exactly.
const MAX_VOLUME_ERROR: f64 = 1e-11;

impl ConvexPieces {
    /// The pieces of a mesh. Takes a few microseconds per triangle.
    ///
    /// # Errors [`ErrorKind::NotConvex`] if a piece is open, inside out, flat or not convex, with its number,
    /// location and amount.
    pub fn of(mesh: &Mesh) -> Result<Self, Error> {
        let fault = |(piece, fault)| Error::new(ErrorKind::NotConvex { piece, fault }, "mesh");
        let (shared_edges, unpaired) = shared_edges(mesh);
        let (piece_of, count) = number_pieces(mesh, &shared_edges);
        if let Some((face, unpaired)) = unpaired {
            return Err(fault((piece_of[face as usize].unwrap_or(0), unpaired)));
        }
        let mut triangles = vec![Vec::new(); count];
        for (face, piece) in (0_u32..).zip(&piece_of) {
            if let Some(piece) = piece {
                triangles[*piece].push(face);
            }
        }
        let mut edges_of = vec![Vec::new(); count];
        for shared in shared_edges {
            if let Some(piece) = piece_of[shared.faces[0] as usize] {
                edges_of[piece].push(shared);
            }
        }
        let checked = triangles.into_iter().zip(&edges_of).enumerate();
        let checked = checked.map(|(piece, (triangles, shared_edges))| {
            checked_piece(mesh, triangles, shared_edges).map_err(|wrong| fault((piece, wrong)))
        });
        let pieces: Vec<ConvexPiece> = checked.collect::<Result<_, _>>()?;
        if pieces.is_empty() {
            return Err(fault((0, ConvexFault::Flat { face: 0 })));
        }
        Ok(Self { pieces })
    }

    /// The pieces, in the order of their first triangles; at least one.
    #[must_use]
    pub fn pieces(&self) -> &[ConvexPiece] {
        &self.pieces
    }
}

/// Two triangles joined at an edge. The first triangle traverses the edge from its lower to its higher vertex.
#[derive(Debug, Clone, Copy)]
struct SharedEdge {
    edge: [u32; 2],
    faces: [u32; 2],
}

/// The use of an edge by a triangle.
#[derive(Debug, Clone, Copy)]
struct EdgeUse {
    face: u32,
    /// The corner of the triangle that is not on the edge.
    apex: u32,
    /// Whether the triangle traverses the edge from its lower to its higher vertex.
    is_upward: bool,
}

/// Whether a triangle uses a vertex twice.
fn uses_vertex_twice([a, b, c]: [u32; 3]) -> bool {
    a == b || b == c || c == a
}

/// All pairs of joined triangles, and the first triangle with an edge that cannot be paired, with the fault.
fn shared_edges(mesh: &Mesh) -> (Vec<SharedEdge>, Option<(u32, ConvexFault)>) {
    let mut uses: Vec<(u32, EdgeUse)> = Vec::with_capacity(3 * mesh.triangles().len());
    for (face, (corners, edges)) in (0_u32..).zip(mesh.triangles().iter().zip(mesh.triangle_edges())) {
        if uses_vertex_twice(*corners) {
            continue;
        }
        for i in 0..3 {
            let [from, to, apex] = [0, 1, 2].map(|k| corners[(i + k) % 3]);
            uses.push((edges[i], EdgeUse { face, apex, is_upward: from < to }));
        }
    }
    uses.sort_by_key(|(edge, used)| (*edge, used.face));
    let mut shared_edges = Vec::with_capacity(uses.len() / 2);
    let mut unpaired: Option<(u32, ConvexFault)> = None;
    for at_edge in uses.chunk_by(|(edge, _), (other, _)| edge == other) {
        let edge = mesh.edges()[at_edge[0].0 as usize];
        let (up, down): (Vec<EdgeUse>, Vec<EdgeUse>) =
            at_edge.iter().map(|(_, used)| *used).partition(|used| used.is_upward);
        let triangles = at_edge.len();
        if up.len() != down.len() || triangles > MAX_AT_EDGE {
            let face = at_edge[0].1.face;
            let fault = if triangles == 2 {
                ConvexFault::Turned { edge }
            } else {
                ConvexFault::Open { edge, triangles }
            };
            if unpaired.is_none_or(|(first, _)| face < first) {
                unpaired = Some((face, fault));
            }
            continue;
        }
        let mut rest = down;
        for used in up {
            let found = (0..rest.len()).reduce(|best, next| {
                let before = comes_before(mesh, edge, used.apex, [rest[next].apex, rest[best].apex]);
                if before { next } else { best }
            });
            if let Some(found) = found {
                shared_edges.push(SharedEdge { edge, faces: [used.face, rest.remove(found).face] });
            }
        }
    }
    (shared_edges, unpaired)
}

/// Whether the half plane from the edge through `p` comes before that through `q`, rotating about the edge into the
/// interior from a triangle with the given apex that uses the edge upward.
fn comes_before(mesh: &Mesh, [v, w]: [u32; 2], apex: u32, [p, q]: [u32; 2]) -> bool {
    let [v, w, apex] = [v, w, apex].map(|i| mesh.vertex(i));
    let point = |i: u32| mesh.vertex(i);
    // 0: in the first half turn; 1: opposite to the triangle; 2: in the second half turn; 3: the triangle's own
    // half plane.
    let quarter = |p: DVec3| match side(&[v, w, apex], p) {
        Ordering::Less => 0,
        Ordering::Greater => 2,
        Ordering::Equal => {
            let unit = WholeUnit::of_points(&[v, w, apex, p]);
            let [v, w, apex, p] = [v, w, apex, p].map(|p| unit.point(p));
            let along = difference(&w, &v);
            let [apex_normal, p_normal] = [apex, p].map(|p| cross(&along, &difference(&p, &v)));
            if sign(&dot(&apex_normal, &p_normal)) == Ordering::Greater { 3 } else { 1 }
        }
    };
    let (of_p, of_q) = (quarter(point(p)), quarter(point(q)));
    of_p < of_q || of_p == of_q && of_p % 2 == 0 && side(&[v, w, point(q)], point(p)) == Ordering::Greater
}

/// The number of each triangle's piece (`None` if it belongs to no piece), and the number of pieces.
fn number_pieces(mesh: &Mesh, shared_edges: &[SharedEdge]) -> (Vec<Option<usize>>, usize) {
    let count = mesh.triangles().len();
    let mut neighbours = vec![Vec::new(); count];
    for SharedEdge { faces: [f, g], .. } in shared_edges {
        neighbours[*f as usize].push(*g as usize);
        neighbours[*g as usize].push(*f as usize);
    }
    let mut piece_of: Vec<Option<usize>> = vec![None; count];
    let mut pieces = 0;
    for first in 0..count {
        if piece_of[first].is_some() || uses_vertex_twice(mesh.triangles()[first]) {
            continue;
        }
        piece_of[first] = Some(pieces);
        let mut front = vec![first];
        while let Some(face) = front.pop() {
            for other in &neighbours[face] {
                if piece_of[*other].is_none() {
                    piece_of[*other] = Some(pieces);
                    front.push(*other);
                }
            }
        }
        pieces += 1;
    }
    (piece_of, pieces)
}

fn checked_piece(
    mesh: &Mesh,
    triangles: Vec<u32>,
    shared_edges: &[SharedEdge],
) -> Result<ConvexPiece, ConvexFault> {
    let face = triangles[0];
    let of_face = |face: &u32| mesh.triangles()[*face as usize];
    let mut vertices: Vec<u32> = triangles.iter().flat_map(of_face).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let unscaled = bounds(vertices.iter().map(|v| mesh.vertex(*v)));
    // The scaled extent is between 1 and 4, so that no product overflows or underflows.
    let scale = power_of_two_under((unscaled[1] - unscaled[0]).max_element());
    let point = |v: u32| mesh.vertex(v) * scale;
    let (lower, upper) = (unscaled[0] * scale, unscaled[1] * scale);
    let (centre, max_depth) = (0.5 * (lower + upper), FLAT * lower.distance(upper));
    // No budget limits the reading of a mesh: the work depends on the mesh alone.
    let hull = Hull::of(vertices.iter().map(|v| point(*v)).collect(), &mut Budget::new(u64::MAX));
    let Ok(Some(hull)) = hull else { return Err(ConvexFault::Flat { face }) };
    let signed_volume = volume(centre, triangles.iter().map(|face| of_face(face).map(point)));
    match signed_volume.sign {
        Ordering::Less => return Err(ConvexFault::InsideOut { face }),
        Ordering::Equal => return Err(ConvexFault::Flat { face }),
        Ordering::Greater => {}
    }
    for shared in shared_edges {
        let depth = dent(mesh, shared, &point);
        if depth > max_depth {
            return Err(ConvexFault::Dent { edge: shared.edge, depth: depth / scale });
        }
    }
    if let Some((place, depth)) = point_below_hull(&hull, max_depth) {
        return Err(ConvexFault::Sunken { vertex: vertices[place], depth: depth / scale });
    }
    let around = volume(centre, (0..hull.facets().len()).map(|facet| hull.corners(facet)));
    let unscaled_volume = |volume: f64| volume / scale / scale / scale;
    let area = |facet: usize| 0.5 * cross_of_corners(hull.corners(facet)).length();
    let area: f64 = (0..hull.facets().len()).map(area).sum();
    // If no point of the surface is deeper than `max_depth` below the hull, the volumes differ by at most
    // `max_depth * area`.
    if (signed_volume.value - around.value).abs() > max_depth * area {
        let [volume, hull] = [signed_volume.value, around.value].map(unscaled_volume);
        return Err(ConvexFault::Volume { volume, hull });
    }
    let volume = unscaled_volume(signed_volume.value);
    Ok(ConvexPiece { triangles, vertices, volume, bounds: unscaled })
}

/// The reciprocal of a power of two that is at most `length` and close to it.
fn power_of_two_under(length: f64) -> f64 {
    let exponent = (length.to_bits() >> 52 & 0x7ff).clamp(1, 2045);
    f64::from_bits((2046 - exponent) << 52)
}

/// A volume and its sign.
struct SignedVolume {
    value: f64,
    sign: Ordering,
}

/// The volume enclosed by triangles. Its sign is exact.
fn volume(centre: DVec3, triangles: impl Iterator<Item = [DVec3; 3]> + Clone) -> SignedVolume {
    let mut sum = Height { value: 0.0, error: 0.0 };
    for corners in triangles.clone() {
        let Height { value, error } = height(&corners, centre);
        sum.value -= value;
        sum.error += error + 2.0 * f64::EPSILON * sum.value.abs();
    }
    if sum.error <= MAX_VOLUME_ERROR * sum.value.abs() {
        return SignedVolume { value: sum.value / 6.0, sign: sum.value.total_cmp(&0.0) };
    }
    let lengths = triangles.clone().flatten().flat_map(|p| p.to_array()).chain(centre.to_array());
    let unit = WholeUnit::of(lengths);
    let whole: BigInt = triangles.map(|corners| -whole_height(unit, &corners, centre)).sum();
    SignedVolume { value: quotient(&whole, &(unit.cubes_in_one() * 6)), sign: sign(&whole) }
}

/// The depth of the dent that two triangles form: the minimum width of the tetrahedron of their corners, or 0 if
/// they form no dent.
fn dent(mesh: &Mesh, shared: &SharedEdge, point: &impl Fn(u32) -> DVec3) -> f64 {
    let SharedEdge { edge: [v, w], faces } = *shared;
    let apex = |face: u32| {
        let corners = mesh.triangles()[face as usize];
        corners.into_iter().find(|corner| *corner != v && *corner != w).unwrap_or(v)
    };
    let origin = point(v);
    let [v, w, p, q] = [v, w, apex(faces[0]), apex(faces[1])].map(|i| point(i) - origin);
    let over = cross_of_corners([v, w, p]).dot(q - v);
    let normals = [
        cross_of_corners([v, w, p]),
        cross_of_corners([v, w, q]),
        cross_of_corners([p, q, v]),
        cross_of_corners([p, q, w]),
        (w - v).cross(q - p),
        (p - v).cross(q - w),
        (q - v).cross(w - p),
    ];
    let longest = normals.iter().map(|n| n.length()).fold(0.0, f64::max);
    // If all four corners are so close to one line that the cross products vanish, they form no dent.
    if over <= 0.0 || longest <= FLAT * FLAT * FLAT { 0.0 } else { over / longest }
}

/// The first point deeper than `max_depth` below the hull's surface: its index among the points, and its depth.
fn point_below_hull(hull: &Hull, max_depth: f64) -> Option<(usize, f64)> {
    let mut is_corner = vec![false; hull.points().len()];
    for corner in hull.facets().iter().flatten() {
        is_corner[*corner as usize] = true;
    }
    let planes: Vec<(DVec3, DVec3)> = (0..hull.facets().len())
        .map(|facet| hull.corners(facet))
        .map(|corners| (corners[0], unit_along(cross_of_corners(corners))))
        .collect();
    let mut last = 0;
    let inner = hull.points().iter().enumerate().filter(|(place, _)| !is_corner[*place]);
    for (place, point) in inner {
        let depth_under = |facet: usize| match planes[facet] {
            (_, DVec3::ZERO) => f64::INFINITY,
            (corner, normal) => (corner - *point).dot(normal),
        };
        let near = hull.facets_from(last).find(|facet| depth_under(*facet) <= max_depth);
        let Some(near) = near else {
            return Some((place, (0..planes.len()).map(depth_under).fold(f64::INFINITY, f64::min)));
        };
        last = near;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f64; 3]; 8] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
        [1.0, 1.0, 1.0],
    ];
    const FACES: [[u32; 3]; 12] = [
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];

    fn mesh(points: &[[f64; 3]], faces: &[[u32; 3]]) -> Mesh {
        Mesh::new(points.iter().map(|p| DVec3::from_array(*p)).collect(), faces.to_vec()).unwrap()
    }

    fn fault(points: &[[f64; 3]], faces: &[[u32; 3]]) -> (usize, ConvexFault) {
        match ConvexPieces::of(&mesh(points, faces)).unwrap_err().kind() {
            ErrorKind::NotConvex { piece, fault } => (*piece, *fault),
            other => panic!("{other:?}"),
        }
    }

    /// Cubes at the given positions along x, with consecutive vertex numbers.
    fn cubes(places: &[f64]) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let points = places.iter().flat_map(|x| CORNERS.map(|p| [p[0] + x, p[1], p[2]])).collect();
        let faces = (0_u32..).step_by(8).take(places.len());
        (points, faces.flat_map(|first| FACES.map(|face| face.map(|v| v + first))).collect())
    }

    #[test]
    fn pieces_that_share_a_face_or_an_edge_are_separate() {
        // Two cubes that share four vertices, five edges and two triangles; one apart; and one above that shares an
        // edge.
        let (mut points, mut faces) = cubes(&[0.0, 1.0, 5.0]);
        points.extend(CORNERS.map(|[x, y, z]| [x - 1.0, y, z + 1.0]));
        faces.extend(FACES.map(|face| face.map(|v| v + 24)));
        let found = ConvexPieces::of(&mesh(&points, &faces)).unwrap();
        let reported: Vec<_> =
            found.pieces().iter().map(|p| (p.triangles.clone(), p.vertices.len(), p.volume)).collect();
        let expected = [0, 12, 24, 36].map(|first| ((first..first + 12).collect::<Vec<u32>>(), 8, 1.0));
        assert_eq!(reported, expected);
        assert_eq!(found.pieces()[2].bounds, [DVec3::new(5.0, 0.0, 0.0), DVec3::new(6.0, 1.0, 1.0)]);
    }

    #[test]
    fn pieces_of_extreme_sizes_are_accepted() {
        for scale in [1e-300, 1e-150, 1e-3, 1e60] {
            let scaled = CORNERS.map(|p| p.map(|x| x * scale));
            assert_eq!(ConvexPieces::of(&mesh(&scaled, &FACES)).unwrap().pieces().len(), 1, "{scale}");
            let inward = FACES.map(|[a, b, c]| [a, c, b]);
            assert_eq!(fault(&scaled, &inward), (0, ConvexFault::InsideOut { face: 0 }));
        }
    }

    #[test]
    fn faults_are_reported_with_piece_and_location() {
        let (points, mut faces) = cubes(&[0.0, 3.0]);
        faces.remove(14);
        assert!(matches!(fault(&points, &faces), (1, ConvexFault::Open { triangles: 1, .. })));
        let (points, mut faces) = cubes(&[0.0]);
        faces[4].swap(0, 1);
        assert!(matches!(fault(&points, &faces), (0, ConvexFault::Turned { .. })));
        // A duplicated triangle.
        faces[4].swap(0, 1);
        faces.push(faces[4]);
        assert!(matches!(fault(&points, &faces), (0, ConvexFault::Open { triangles: 3, .. })));
        assert_eq!(fault(&CORNERS[..4], &[[0, 1, 2], [2, 1, 0]]), (0, ConvexFault::Flat { face: 0 }));
        // One corner pushed in: dents between its triangles and the triangles of the other corners.
        let mut dented = CORNERS;
        dented[7] = [0.9, 0.9, 0.9];
        let (piece, ConvexFault::Dent { depth, .. }) = fault(&dented, &FACES) else { panic!("no dent") };
        assert!(piece == 0 && (0.01..0.2).contains(&depth), "{depth}");
    }

    /// Every edge is convex and every vertex is on the hull, but the surface winds around its interior twice.
    #[test]
    fn a_surface_that_winds_twice_is_refused_by_its_volume() {
        for many in [5_u32, 11] {
            let angle = |i: u32| 4.0 * std::f64::consts::PI * f64::from(i) / f64::from(many);
            let mut points: Vec<[f64; 3]> =
                (0..many).map(|i| [angle(i).cos(), angle(i).sin(), 0.0]).collect();
            points.extend([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]);
            let faces = (0..many).map(|i| (i, (i + 1) % many));
            let faces: Vec<[u32; 3]> = faces.flat_map(|(i, j)| [[i, j, many], [j, i, many + 1]]).collect();
            let (_, found) = fault(&points, &faces);
            assert!(matches!(found, ConvexFault::Volume { .. }), "{found}");
        }
        // Two copies of the same surface are two pieces.
        let twice = [FACES, FACES].concat();
        assert_eq!(ConvexPieces::of(&mesh(&CORNERS, &twice)).unwrap().pieces().len(), 2);
    }

    #[test]
    fn dents_of_a_billionth_of_the_size_are_allowed_and_larger_ones_are_refused() {
        // The top consists of four triangles around a centre that is slightly sunken.
        let sunk = |depth: f64| {
            let mut points = CORNERS.to_vec();
            points.push([0.5, 0.5, 1.0 - depth]);
            let mut faces = FACES.to_vec();
            faces.splice(2..4, [[4, 5, 8], [5, 7, 8], [7, 6, 8], [6, 4, 8]]);
            ConvexPieces::of(&mesh(&points, &faces))
        };
        let size = 3.0_f64.sqrt();
        assert!(sunk(0.9e-9 * size).is_ok() && sunk(0.0).is_ok());
        assert!(sunk(4e-9 * size).is_err());
        // If the centre is raised by any amount, the solid is convex.
        assert!(sunk(-0.1).is_ok());
    }

    /// Every edge is convex, or nearly so, and every vertex is on the hull, but the surface as a whole has a dent.
    #[test]
    fn a_wide_shallow_dent_is_found_by_its_volume() {
        let many = 2000_u32;
        // A square top of strips, whose middle sags in an arc.
        let sag = 1e-6;
        let height = |i: u32| 1.0 - sag * (std::f64::consts::PI * f64::from(i) / f64::from(many)).sin();
        let mut points: Vec<[f64; 3]> = Vec::new();
        for i in 0..=many {
            let x = f64::from(i) / f64::from(many);
            points.extend([[x, 0.0, height(i)], [x, 1.0, height(i)]]);
        }
        let last = 2 * many;
        let floor = u32::try_from(points.len()).unwrap();
        points.extend([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
        let [p, q, r, s] = [0, 1, 2, 3].map(|i| floor + i);
        let mut faces = vec![[p, q, r], [q, s, r], [p, 0, q], [q, 0, 1], [r, s, last], [s, last + 1, last]];
        for i in 0..many {
            let [a, b, c, d] = [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3];
            faces.extend([[a, c, b], [b, c, d], [p, c, a], [q, b, d]]);
        }
        faces.extend([[p, r, last], [q, last + 1, s]]);
        let (_, found) = fault(&points, &faces);
        assert!(matches!(found, ConvexFault::Volume { .. }), "{found}");
    }

    #[test]
    fn a_shallow_bowl_is_found_by_the_vertex_that_lies_in_it() {
        // A prism with a bowl in its top, so shallow that no single edge is a dent.
        let (rings, around, sag) = (16_u32, 32_u32, 1e-8);
        let fraction = |i: u32, of: u32| f64::from(i) / f64::from(of);
        let mut points = Vec::new();
        let mut ring = |radius: f64, height: f64| {
            points.extend((0..around).map(|i| {
                let (sin, cos) = (std::f64::consts::TAU * fraction(i, around)).sin_cos();
                [radius * cos, radius * sin, height]
            }));
        };
        ring(0.5, 0.0);
        for i in 0..rings {
            let depth = sag * (std::f64::consts::FRAC_PI_2 * fraction(i, rings)).sin();
            ring(0.5 * (1.0 - fraction(i, rings)), 1.0 - depth);
        }
        let [floor, middle] = [0, 1].map(|i| (rings + 1) * around + i);
        points.extend([[0.0; 3], [0.0, 0.0, 1.0 - sag]]);
        let mut faces = Vec::new();
        for i in 0..around {
            let next = (i + 1) % around;
            faces.push([floor, next, i]);
            for ring in 0..rings {
                let [a, b, c, d] = [i, next, i + around, next + around].map(|v| v + ring * around);
                faces.extend([[a, b, d], [a, d, c]]);
            }
            faces.push([rings * around + i, rings * around + next, middle]);
        }
        match fault(&points, &faces) {
            (0, ConvexFault::Sunken { vertex, depth }) => {
                assert!(
                    vertex >= 2 * around && depth > 1.7e-9 && depth <= sag * 1.000_001,
                    "{vertex} {depth}"
                );
            }
            other => panic!("{other:?}"),
        }
        // Without the bowl, the solid is convex.
        points.iter_mut().filter(|point| point[2] > 0.5).for_each(|point| point[2] = 1.0);
        assert_eq!(ConvexPieces::of(&mesh(&points, &faces)).unwrap().pieces().len(), 1);
    }
}
