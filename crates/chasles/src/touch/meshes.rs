//! Places at which two meshes nearly touch.
//!
//! A vertex in front of a face, and two edges that cross where each body is convex, are places at which the gap is
//! linear in the motion: a body rests on such places. If a vertex is nearest to an edge or a vertex instead, the pair
//! counts if it is a local minimum of the distance of the surfaces.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat3, DVec3};

use crate::body::{PreparedMesh, PreparedPair};
use crate::instant::gap::GapSearch;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::distance::{point_triangle, segment_segment};
use crate::touch::place::{Reach, TouchPlace, TouchQuery, key, thinned, vertex_of};
use crate::touch::posed_mesh::{MAX_SINE, OrientedMesh, PosedMesh, Winding};

/// A triangle near the other mesh, with the features that it owns: each vertex and each edge is owned by one triangle.
/// Expensive values are computed on demand, because most features are near no feature of the other mesh.
struct NearTriangle<'m> {
    posed: &'m PosedMesh<'m>,
    face: u32,
    corners: [DVec3; 3],
    outward: OnceCell<DVec3>,
    vertices: [Option<u32>; 3],
    edges: [Option<SideEdge>; 3],
}

struct SideEdge {
    edge: u32,
    ends: [DVec3; 2],
    /// The directions across the edge into its faces, if the body is convex there.
    ridge: OnceCell<Option<[Option<DVec3>; 2]>>,
}

impl<'m> NearTriangle<'m> {
    fn new(posed: &'m PosedMesh<'m>, face: u32) -> Self {
        let mesh = posed.mesh;
        let owned = mesh.owned_features(face);
        let vertices = std::array::from_fn(|i| owned.vertex(i).then(|| mesh.triangles()[face as usize][i]));
        let edges = std::array::from_fn(|i| {
            let edge = owned.edge(i).then(|| mesh.triangle_edges()[face as usize][i])?;
            let ends = mesh.edges()[edge as usize].map(|vertex| posed.point(vertex));
            Some(SideEdge { edge, ends, ridge: OnceCell::new() })
        });
        let corners = posed.triangle(face);
        Self { posed, face, corners, outward: OnceCell::new(), vertices, edges }
    }

    /// The triangles with the given numbers, each once, in order.
    fn all_features(posed: &'m PosedMesh<'m>, mut faces: Vec<u32>) -> Vec<Self> {
        faces.sort_unstable();
        faces.dedup();
        faces.into_iter().map(|face| Self::new(posed, face)).collect()
    }

    /// See [`PosedMesh::outward`].
    fn outward(&self) -> DVec3 {
        *self.outward.get_or_init(|| self.posed.outward(self.face))
    }

    fn ridge(&self, edge: &SideEdge) -> Option<[Option<DVec3>; 2]> {
        *edge.ridge.get_or_init(|| {
            let into = self.posed.directions_into_faces(edge.edge);
            self.posed.is_ridge(edge.edge, &into).then_some(into)
        })
    }
}

/// The places at which two meshes nearly touch, A at a pose in B's frame.
///
/// # Errors
/// [`OutOfBudget`].
pub(crate) fn touches(
    search: &mut GapSearch,
    a: OrientedMesh<'_>,
    b: OrientedMesh<'_>,
    TouchQuery { pose, reach }: TouchQuery<'_>,
    budget: &mut Budget<'_>,
) -> Result<Vec<TouchPlace>, OutOfBudget> {
    let distance = reach.gap.max(reach.allowed_depth());
    let faces = search.near_faces(PreparedPair::new(a.body, b.body), pose, distance, budget)?;
    if faces.is_empty() {
        return Ok(Vec::new());
    }
    // Relative to the centre of B's mesh.
    let centre = b.body.mesh().centre();
    let rotation = DMat3::from_quat(pose.rotation());
    let offset = (pose.position() - centre) + rotation * a.body.mesh().centre();
    let on_a = a.posed(rotation, offset);
    let on_b = b.posed(DMat3::IDENTITY, DVec3::ZERO);
    let sides_a = NearTriangle::all_features(&on_a, faces.iter().map(|pair| pair[0]).collect());
    let sides_b = NearTriangle::all_features(&on_b, faces.iter().map(|pair| pair[1]).collect());
    let side = |sides: &[NearTriangle<'_>], face: u32| sides.partition_point(|side| side.face < face);
    let mut found = TouchCollector { reach: *reach, places: Vec::new(), corners: Vec::new(), nearest: None };
    for [face_a, face_b] in faces {
        budget.step()?;
        let features = [&sides_a[side(&sides_a, face_a)], &sides_b[side(&sides_b, face_b)]];
        found.vertices(features, false);
        found.vertices([features[1], features[0]], true);
        found.edges(features);
    }
    found.corners([&on_a, &on_b]);
    found.add_outward_directions([(&on_a, a.body), (&on_b, b.body)]);
    found.nearest([&on_a, &on_b]);
    let mut places = thinned(found.places);
    for place in &mut places {
        place.points = place.points.map(|p| p + centre);
    }
    Ok(places)
}

/// A vertex is on a face, and an edge is along another, within this fraction of the allowed depth.
const ON_SURFACE: f64 = 1e-3;

/// Two pairs of faces face away if the difference of their normal sums, along the direction, exceeds this (of 4).
const FACING_AWAY: f64 = 1.0;

/// The overlap of the bodies along a direction from A to B, if their corners are few.
fn overlap(bodies: [(&PosedMesh<'_>, &PreparedMesh); 2], normal: DVec3) -> Option<f64> {
    let reach = |(posed, body): (&PosedMesh<'_>, &PreparedMesh), normal: DVec3| {
        let all = body.corners().iter().map(|corner| normal.dot(posed.offset + posed.rotation * *corner));
        Some(all.fold(f64::NEG_INFINITY, f64::max)).filter(|reach| reach.is_finite())
    };
    Some(reach(bodies[0], normal)? + reach(bodies[1], -normal)?)
}

struct BorderVertex {
    vertex: u32,
    face: u32,
    nearest: DVec3,
    swapped: bool,
}

/// Points of A and B, the triangles that contain them, and their squared distance.
#[derive(Debug, Clone, Copy)]
struct NearestFeatures {
    points: [DVec3; 2],
    faces: [u32; 2],
    squared: f64,
}

struct TouchCollector {
    reach: Reach,
    places: Vec<TouchPlace>,
    corners: Vec<BorderVertex>,
    nearest: Option<NearestFeatures>,
}

impl TouchCollector {
    fn add_pair(&mut self, points: [DVec3; 2], faces: [u32; 2], squared: f64) {
        if self.nearest.is_none_or(|least| squared < least.squared) {
            self.nearest = Some(NearestFeatures { points, faces, squared });
        }
    }

    /// Adds a place unless its features have one with about the same normal.
    fn add(&mut self, place: TouchPlace) {
        if !(-self.reach.allowed_depth()..=self.reach.gap).contains(&place.gap) || !place.normal.is_finite() {
            return;
        }
        let is_known = |other: &TouchPlace| other.key == place.key && other.normal.dot(place.normal) > 0.99;
        if !self.places.iter().any(is_known) {
            self.places.push(place);
        }
    }

    /// The vertices owned by a triangle of the first mesh, over a triangle of the second.
    fn vertices(&mut self, [side, over]: [&NearTriangle<'_>; 2], swapped: bool) {
        for (vertex, point) in side.vertices.into_iter().zip(side.corners) {
            let Some(vertex) = vertex else { continue };
            let closest = point_triangle(point, &over.corners);
            let (points, faces) = ([point, closest.b], [side.face, over.face]);
            let ordered = |[p, q]: [u32; 2]| if swapped { [q, p] } else { [p, q] };
            self.add_pair(
                if swapped { [points[1], points[0]] } else { points },
                ordered(faces),
                closest.squared,
            );
            let away = point - closest.b;
            let distance = away.length();
            if distance > self.reach.gap.max(self.reach.allowed_depth()) {
                continue;
            }
            let outward = over.outward();
            if outward == DVec3::ZERO {
                continue;
            }
            // Over the interior of the triangle, or beyond its border by so little that the offset has no direction.
            let offset_along_face = away.cross(outward).length();
            let is_over = closest.interior
                || offset_along_face <= (1e-6 * distance).max(ON_SURFACE * self.reach.allowed_depth());
            if !is_over {
                self.corners.push(BorderVertex { vertex, face: over.face, nearest: closest.b, swapped });
                continue;
            }
            let side = match over.posed.winding {
                Winding::Open => self.outer_side(side.posed, vertex, away, outward),
                Winding::Outward | Winding::Inward => outward,
            };
            let (points, normal) =
                if swapped { ([closest.b, point], side) } else { ([point, closest.b], -side) };
            self.add(TouchPlace { points, normal, gap: away.dot(side), key: key(swapped, vertex, 0) });
        }
    }

    /// The side of a face of an open mesh on which the body of a vertex is. It is the side of the vertex, unless the
    /// vertex has passed through the face: it is then a local maximum of its body in that direction.
    fn outer_side(&self, mesh: &PosedMesh<'_>, vertex: u32, away: DVec3, outward: DVec3) -> DVec3 {
        let side = if away.dot(outward) < 0.0 { -outward } else { outward };
        let may_be_past = away.length() <= self.reach.allowed_depth();
        let is_past =
            may_be_past && !mesh.is_local_maximum(vertex, -side) && mesh.is_local_maximum(vertex, side);
        if is_past { -side } else { side }
    }

    /// Removes places of vertices. For a vertex behind or on several faces, only the face through which it entered is
    /// kept: the face with the smallest overlap along its normal, if the corners are few and that overlap is at most
    /// `reach.depth`. Otherwise it is the nearest face into which no edge at the vertex continues, or the nearest face.
    /// A vertex in front of a face is not behind any other.
    fn add_outward_directions(&mut self, bodies: [(&PosedMesh<'_>, &PreparedMesh); 2]) {
        let on = ON_SURFACE * self.reach.allowed_depth();
        let continues = |place: &TouchPlace| {
            vertex_of(place.key).is_some_and(|(of_b, vertex)| match of_b {
                false => !bodies[0].0.is_local_maximum(vertex, place.normal),
                true => !bodies[1].0.is_local_maximum(vertex, -place.normal),
            })
        };
        let mut best: BTreeMap<u64, ((bool, bool, f64), DVec3)> = BTreeMap::new();
        for place in self.places.iter().filter(|place| place.gap < on) {
            let overlap = overlap(bodies, place.normal).filter(|overlap| *overlap <= self.reach.depth);
            let score = match overlap {
                Some(overlap) => (false, false, overlap),
                None => (true, continues(place), -place.gap),
            };
            let entry = best.entry(place.key).or_insert((score, place.normal));
            if score < entry.0 {
                *entry = (score, place.normal);
            }
        }
        let outside: BTreeSet<u64> =
            self.places.iter().filter(|place| place.gap >= on).map(|place| place.key).collect();
        self.places.retain(|place| {
            let is_best = || best.get(&place.key).is_none_or(|(_, normal)| *normal == place.normal);
            place.gap >= on || !outside.contains(&place.key) && is_best()
        });
    }

    /// Adds the nearest points of the surfaces if no place is about as near. The gap is negative if they penetrate.
    fn nearest(&mut self, [a, b]: [&PosedMesh<'_>; 2]) {
        let least = self.places.iter().map(|place| place.gap).fold(f64::INFINITY, f64::min);
        let Some(NearestFeatures { points, faces, squared }) = self.nearest else { return };
        let gap = squared.sqrt();
        let normal = (points[1] - points[0]).normalize_or_zero();
        let is_past = |on: &PosedMesh<'_>, face: u32, at: DVec3, away: DVec3| on.is_behind(face, at, away);
        let is_past = (ON_SURFACE * self.reach.allowed_depth()..=self.reach.allowed_depth()).contains(&gap)
            && (is_past(b, faces[1], points[1], -normal) || is_past(a, faces[0], points[0], normal));
        let (normal, gap) = if is_past { (-normal, -gap) } else { (normal, gap) };
        let is_nearest = if is_past { 0.9 * gap < least } else { least > 0.0 && gap < 0.9 * least };
        if is_nearest && normal != DVec3::ZERO {
            self.add(TouchPlace { points, normal, gap, key: u64::MAX });
        }
    }

    fn edges(&mut self, [of_a, of_b]: [&NearTriangle<'_>; 2]) {
        let limit = self.reach.gap.max(self.reach.allowed_depth());
        for one in of_a.edges.iter().flatten() {
            for other in of_b.edges.iter().flatten() {
                let closest = segment_segment(one.ends, other.ends);
                let is_near = closest.interior && closest.squared <= limit * limit;
                if !is_near && self.nearest.is_some_and(|least| closest.squared >= least.squared) {
                    continue;
                }
                let (Some(into), Some(into_other)) = (of_a.ridge(one), of_b.ridge(other)) else { continue };
                self.add_pair([closest.a, closest.b], [of_a.face, of_b.face], closest.squared);
                let [l, m] = [one.ends, other.ends].map(|[from, to]| to - from);
                let across = l.cross(m);
                // The deviation of one edge from the other over its length.
                let deviation = across.length() / l.length().max(m.length());
                let is_across = deviation > ON_SURFACE * self.reach.allowed_depth();
                if !is_near || !is_across {
                    continue;
                }
                let (unit, between) = (across.normalize_or_zero(), closest.b - closest.a);
                // Whether A's interior is behind, and B's ahead, in a direction.
                let fits = |n: DVec3| {
                    into.into_iter().flatten().all(|into| into.dot(n) <= MAX_SINE)
                        && into_other.into_iter().flatten().all(|into| into.dot(n) >= -MAX_SINE)
                };
                let toward = unit * if unit.dot(between) >= 0.0 { 1.0 } else { -1.0 };
                // Edges within nearly flat faces fit both directions. If only the direction between the edges counted,
                // penetrating edges would be reported as separated.
                let outward =
                    |side: &NearTriangle<'_>, edge: &SideEdge| side.posed.outward_of_edge(edge.edge);
                let is_past = || toward.dot(outward(of_b, other) - outward(of_a, one)) > FACING_AWAY;
                let normal = match (fits(toward), fits(-toward)) {
                    (true, false) => toward,
                    (true, true) if !is_past() => toward,
                    (_, true) => -toward,
                    (false, false) => continue,
                };
                let gap = between.dot(normal);
                let key = key(true, one.edge, 1 + other.edge);
                self.add(TouchPlace { points: [closest.a, closest.b], normal, gap, key });
            }
        }
    }

    /// Vertices that are nearest to an edge or a vertex, in front of or past the other surface.
    fn corners(&mut self, [a, b]: [&PosedMesh<'_>; 2]) {
        let corners = std::mem::take(&mut self.corners);
        let mut of_vertex: BTreeMap<(bool, u32), Vec<&BorderVertex>> = BTreeMap::new();
        for corner in &corners {
            of_vertex.entry((corner.swapped, corner.vertex)).or_default().push(corner);
        }
        let over_faces: BTreeSet<u64> = self.places.iter().map(|place| place.key).collect();
        for corner in &corners {
            let [posed, other_posed] = if corner.swapped { [b, a] } else { [a, b] };
            let point = posed.point(corner.vertex);
            let away = point - corner.nearest;
            let distance = away.length();
            if distance <= 1e-12 * posed.mesh.radius() {
                continue;
            }
            // Whether another face that contains the nearest point has a point nearer to the vertex.
            let is_passed = of_vertex[&(corner.swapped, corner.vertex)].iter().any(|rival| {
                point.distance(rival.nearest) < distance * (1.0 - 1e-9)
                    && point_triangle(corner.nearest, &other_posed.triangle(rival.face)).squared
                        <= (1e-9 * distance).powi(2)
            });
            let is_over_face = over_faces.contains(&key(corner.swapped, corner.vertex, 0));
            let is_behind = distance > ON_SURFACE * self.reach.allowed_depth()
                && other_posed.is_behind(corner.face, corner.nearest, away);
            let gap = if is_behind { -distance } else { distance };
            // From the body of the vertex to the other.
            let toward = -away / gap;
            if is_passed || is_over_face || !posed.is_local_maximum(corner.vertex, toward) {
                continue;
            }
            let (points, normal) = if corner.swapped {
                ([corner.nearest, point], -toward)
            } else {
                ([point, corner.nearest], toward)
            };
            let key = key(corner.swapped, corner.vertex, u32::MAX);
            self.add(TouchPlace { points, normal, gap, key });
        }
    }
}

#[cfg(test)]
mod tests {
    use chasles_testing::meshes::{box_of, torus};
    use glam::DQuat;

    use super::*;
    use crate::motion::Pose;
    use crate::shape::Mesh;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

    fn winding(triangles: Vec<[u32; 3]>) -> Winding {
        Winding::of(&Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], triangles).unwrap())
    }

    #[test]
    fn a_mesh_has_an_interior_if_it_is_closed_and_consistently_oriented() {
        let reversed = |[a, b, c]: [u32; 3]| [a, c, b];
        assert_eq!(winding(TETRAHEDRON.to_vec()), Winding::Outward);
        assert_eq!(winding(TETRAHEDRON.map(reversed).to_vec()), Winding::Inward);
        assert_eq!(winding(TETRAHEDRON[1..].to_vec()), Winding::Open);
        let mut apart = TETRAHEDRON.to_vec();
        apart[2] = reversed(apart[2]);
        assert_eq!(winding(apart), Winding::Open);
    }

    fn block(half: DVec3) -> PreparedMesh {
        let (vertices, triangles) = box_of(2.0 * half);
        PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())
    }

    fn touch_places(bodies: [&PreparedMesh; 2], pose: &Pose, reach: &Reach) -> Vec<TouchPlace> {
        let [on_a, on_b] = bodies.map(|body| OrientedMesh { body, winding: Winding::of(body.mesh()) });
        let (query, budget) = (TouchQuery { pose, reach }, &mut Budget::new(1_000_000));
        touches(&mut GapSearch::default(), on_a, on_b, query, budget).unwrap()
    }

    /// The distance of two blocks, by alternating projections.
    fn distance(halves: [DVec3; 2], pose: &Pose, rounds: usize) -> f64 {
        let mut on_b = DVec3::ZERO;
        let mut least = f64::INFINITY;
        for _ in 0..rounds {
            let in_a = pose.inverse().transform_point(on_b).clamp(-halves[0], halves[0]);
            let on_a = pose.transform_point(in_a);
            on_b = on_a.clamp(-halves[1], halves[1]);
            least = least.min(on_a.distance(on_b));
        }
        least
    }

    /// An L of two arms, each one metre long, and 0.1 m high.
    fn angle() -> PreparedMesh {
        let outline = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.5), (0.5, 0.5), (0.5, 1.0), (0.0, 1.0)];
        let vertices = [0.0, 0.1].map(|z| outline.map(|(x, y)| DVec3::new(x, y, z))).concat();
        let mut triangles = Vec::new();
        for [p, q, r] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
            triangles.extend([[p, r, q], [p + 6, q + 6, r + 6]]);
        }
        for p in 0..6 {
            let q = (p + 1) % 6;
            triangles.extend([[p, q, q + 6], [p, q + 6, p + 6]]);
        }
        PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())
    }

    /// Inner radius 0.3 m, outer radius 0.5 m, with vertices on the x-axis.
    fn ring() -> PreparedMesh {
        let (vertices, triangles) = torus(0.4, 0.1, (20, 10));
        PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())
    }

    #[test]
    fn rings_with_slightly_penetrating_inner_corners_are_past_each_other() {
        let (a, b) = (ring(), ring());
        let rotation = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        for inside in [1e-6, 9e-6, 8e-5] {
            // B's inner side is at 0.3 m on the x-axis, like A's; B is behind it, A in front.
            let pose = Pose::new(DVec3::new(0.6 + inside, 3e-7, -2e-7), rotation).unwrap().inverse();
            let places = touch_places([&a, &b], &pose, &Reach { gap: 1e-3, depth: 1e-4 });
            let outward = pose.transform_vector(-DVec3::X);
            assert!(places.iter().all(|place| place.normal.dot(outward) > 0.5), "{inside}: {places:?}");
            assert!(places.iter().any(|place| (place.gap + inside).abs() < 0.3 * inside), "{places:?}");
        }
    }

    /// A block of 1 m whose top and bottom triangles deviate from the plane by a few micrometres.
    fn rough_block(random: &mut chasles_testing::Random) -> PreparedMesh {
        let at = |i: u32, k: u32, z: f64| DVec3::new(f64::from(i) / 4.0 - 0.5, f64::from(k) / 4.0 - 0.5, z);
        let grid = |z: f64| (0..25).map(move |i| at(i % 5, i / 5, z));
        let rough = |v: DVec3| v + 2e-6 * random.side() * DVec3::Z;
        let vertices: Vec<DVec3> = grid(-0.5).chain(grid(0.5)).map(rough).collect();
        let mut triangles = Vec::new();
        for p in (0..19).filter(|p| p % 5 < 4) {
            for [q, r, s] in [[p, p + 1, p + 6], [p, p + 6, p + 5]] {
                triangles.extend([[q, s, r], [q + 25, r + 25, s + 25]]);
            }
        }
        let rim: Vec<u32> = [vec![0, 1, 2, 3, 4, 9, 14, 19, 24], vec![23, 22, 21, 20, 15, 10, 5]].concat();
        for (i, p) in rim.iter().enumerate() {
            let q = rim[(i + 1) % rim.len()];
            triangles.extend([[*p, q, q + 25], [*p, q + 25, p + 25]]);
        }
        PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())
    }

    #[test]
    fn slightly_penetrating_flat_faces_are_past_each_other_at_all_crossing_edges() {
        let mut edges = 0;
        for seed in 0..60 {
            let random = &mut chasles_testing::Random(seed);
            let (a, b) = (rough_block(random), rough_block(random));
            assert_eq!(Winding::of(a.mesh()), Winding::Outward);
            let rotation = DQuat::from_rotation_z(0.7 * random.side());
            let above = DVec3::new(0.3 * random.side(), 0.3 * random.side(), 1.0 - 4e-6);
            let pose = Pose::new(above, rotation).unwrap();
            let places = touch_places([&a, &b], &pose, &Reach { gap: 1e-5, depth: 1e-4 });
            let down = |place: &TouchPlace| place.normal.dot(DVec3::NEG_Z) > 0.99 && place.gap < 1e-6;
            let wrong: Vec<_> = places.iter().filter(|place| !down(place)).collect();
            assert!(wrong.is_empty(), "{seed}: {wrong:?}");
            edges += places.iter().filter(|place| vertex_of(place.key).is_none()).count();
        }
        assert!(edges > 60, "{edges}");
    }

    #[test]
    fn a_corner_slightly_past_the_edge_of_a_notch_has_its_normal_across_the_edge() {
        let (a, b) = (angle(), block(DVec3::splat(0.05)));
        for inside in [1e-6, 1e-5, 6e-5] {
            // B's upper corner is past both walls, over neither, and nearest to the edge between them.
            let pose = Pose::from_position(-DVec3::new(0.55 - inside, 0.55 - inside, 0.03)).unwrap();
            let places = touch_places([&a, &b], &pose, &Reach { gap: 1e-3, depth: 1e-4 });
            let out = DVec3::new(1.0, 1.0, 0.0).normalize();
            let is_penetrating = |place: &TouchPlace| {
                place.normal.dot(out) > 0.999 && (place.gap + 2.0_f64.sqrt() * inside).abs() < 1e-9
            };
            assert!(places.iter().any(is_penetrating), "{inside}: {places:?}");
            assert!(places.iter().all(|place| place.normal.dot(out) > 0.7), "{inside}: {places:?}");
        }
    }

    #[test]
    fn a_block_as_high_as_a_wall_that_it_penetrates_has_the_normal_of_the_wall() {
        let (a, b) = (angle(), block(DVec3::splat(0.05)));
        for inside in [1e-8, 2e-7, 4e-5] {
            // Its corners are also on the top and the bottom, and edges continue from each into the wall.
            let pose = Pose::from_position(-DVec3::new(0.55 - inside, 0.75, 0.05)).unwrap();
            let places = touch_places([&a, &b], &pose, &Reach { gap: 1e-3, depth: 1e-4 });
            let penetrating = places.iter().filter(|place| (place.gap + inside).abs() < 1e-12);
            assert!(penetrating.clone().all(|place| place.normal.dot(DVec3::X) > 0.999), "{places:?}");
            assert!(penetrating.count() >= 4, "{places:?}");
        }
    }

    #[test]
    fn a_corner_beside_a_wall_and_far_below_its_top_has_the_normal_of_the_wall() {
        let (a, b) = (angle(), block(DVec3::splat(0.05)));
        for below in [6e-4, 1.5e-3] {
            // In the notch, slightly in front of the wall across the x-axis; its lower corners are below the top.
            let pose = Pose::from_position(-DVec3::new(0.55 + 1e-7, 0.75, 0.15 - below)).unwrap();
            let places = touch_places([&a, &b], &pose, &Reach { gap: 1e-3, depth: 5e-4 });
            assert!(places.iter().all(|place| place.normal.dot(DVec3::X) > 0.999), "{places:?}");
            let corners = places.iter().filter(|place| place.points[1].z < -0.049).count();
            assert!(corners >= 2, "{places:?}");
        }
    }

    #[test]
    fn the_minimum_gap_of_the_places_of_blocks_is_their_distance() {
        let (mut search, mut seen) = (GapSearch::default(), 0);
        for seed in 0..400 {
            let random = &mut chasles_testing::Random(seed);
            let halves = [(); 2].map(|()| {
                DVec3::new(random.within(0.1, 0.5), random.within(0.1, 0.5), random.within(0.1, 0.5))
            });
            let [a, b] = halves.map(block);
            let rotation = if random.one_in(3) { glam::DQuat::IDENTITY } else { random.rotation() };
            let pose = Pose::new(random.vector(1.2), rotation).unwrap();
            if !(1e-2..0.25).contains(&distance(halves, &pose, 100)) {
                continue;
            }
            let expected = distance(halves, &pose, 5_000);
            let reach = Reach { gap: 0.3, depth: 0.0025 };
            let [on_a, on_b] = [&a, &b].map(|body| OrientedMesh { body, winding: Winding::of(body.mesh()) });
            let query = TouchQuery { pose: &pose, reach: &reach };
            let budget = &mut Budget::new(1_000_000);
            let places = touches(&mut search, on_a, on_b, query, budget).unwrap();
            let least = places.iter().map(|place| place.gap).fold(f64::INFINITY, f64::min);
            assert!((least - expected).abs() < 1e-6, "seed {seed}: {least} for {expected}");
            for place in &places {
                let [p, q] = place.points;
                let p = pose.inverse().transform_point(p).abs() - halves[0];
                let q = q.abs() - halves[1];
                assert!(
                    p.max_element().abs() < 1e-9 && q.max_element().abs() < 1e-9,
                    "seed {seed}: {place:?}"
                );
                assert!((place.normal.length() - 1.0).abs() < 1e-9);
            }
            seen += 1;
        }
        assert!(seen > 40, "{seen}");
    }

    #[test]
    fn near_faces_include_every_near_pair() {
        let mut search = GapSearch::default();
        for seed in 0..100 {
            let random = &mut chasles_testing::Random(seed);
            let halves = [(); 2].map(|()| DVec3::splat(random.within(0.1, 0.5)));
            let [a, b] = halves.map(block);
            let pose = Pose::new(random.vector(1.2), random.rotation()).unwrap();
            let (budget, reach) = (&mut Budget::new(1_000_000), random.within(0.01, 0.4));
            let found = search.near_faces(PreparedPair::new(&a, &b), &pose, reach, budget).unwrap();
            for far in [1e30, 1e60, f64::INFINITY] {
                let all = search.near_faces(PreparedPair::new(&a, &b), &pose, far, budget).unwrap();
                assert_eq!(all.len(), 144, "seed {seed}: {far} m");
            }
            let corners = |body: &PreparedMesh, face: u32| {
                body.mesh().triangles()[face as usize].map(|vertex| body.mesh().vertex(vertex))
            };
            for face in 0..12 {
                for over in 0..12 {
                    let moved_corners = corners(&a, face).map(|corner| pose.transform_point(corner));
                    let other = corners(&b, over);
                    let is_near = moved_corners
                        .iter()
                        .any(|corner| point_triangle(*corner, &other).squared < reach * reach * (1.0 - 1e-9));
                    assert!(!is_near || found.contains(&[face, over]), "seed {seed}: {face} {over}");
                }
            }
        }
    }
}
