//! Static convex bodies, compared with a twin over the integers: whether their interiors share a point, and which
//! features of each are inside the other.

#![allow(clippy::cast_possible_truncation, reason = "small numbers of a generator")]

use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::shapes::convex_cases::twin::{Inner, holds, interpenetration};
use crate::shapes::convex_cases::{Kind, Polyhedron, pair, scene, vector};
use chasles::{InnerFeature, InnerPoint, Interpenetration, Mesh, Pose, Scene, triangles_intersect};
use chasles_testing::Random;
use glam::DVec3;

/// The result for the only pair of a scene; `None` if it is not listed. Also the number of intersecting pairs of
/// triangles.
fn reported_interpenetration(scene: &Scene) -> (Option<Interpenetration>, usize) {
    let found = scene.static_intersections(0.5).unwrap();
    let Some(pair) = found.first() else { return (None, 0) };
    (scene.interpenetrations(&found, 0.5).remove(0), pair.triangles.len())
}

/// Whether the surfaces of two polyhedra meet.
fn surfaces_meet([a, b]: &[Polyhedron; 2]) -> bool {
    let triangles = |of: &Polyhedron| -> Vec<[DVec3; 3]> {
        of.faces.iter().map(|face| face.map(|v| vector(of.points[v as usize]))).collect()
    };
    let (a, b) = (triangles(a), triangles(b));
    a.iter().any(|t| b.iter().any(|u| triangles_intersect(t, u)))
}

/// The errors in the points of one body, given the twin's points.
fn wrong_points(of: &Polyhedron, found: &[InnerPoint], truth: &Inner) -> Wrong {
    let mut wrong = Wrong::new();
    let at = |v: u32| vector(of.points[v as usize]);
    let mut expected: Vec<(String, DVec3)> = Vec::new();
    expected.extend(truth.vertices.iter().map(|v| (format!("vertex {v}"), at(*v))));
    for ([v, w], [from, to]) in &truth.edges {
        let middle = at(*v).lerp(at(*w), 0.5 * (from + to));
        expected.push((format!("edge {v}-{w}"), middle));
    }
    let centroid = |face: u32| of.faces[face as usize].map(at).into_iter().sum::<DVec3>() / 3.0;
    expected.extend(truth.faces.iter().map(|face| (format!("face {face}"), centroid(*face))));
    let name = |point: &InnerPoint| match point.of {
        InnerFeature::Vertex(v) => format!("vertex {v}"),
        InnerFeature::Edge { vertices: [v, w], .. } => format!("edge {v}-{w}"),
        InnerFeature::Face(face) => format!("face {face}"),
    };
    if !found.iter().map(name).eq(expected.iter().map(|(name, _)| name.clone())) {
        return vec![
            format!("found {:?}", found.iter().map(name).collect::<Vec<_>>()),
            format!("truth {expected:?}"),
        ];
    }
    for (found, (name, point)) in found.iter().zip(&expected) {
        if found.point.distance(*point) > 1e-12 * (1.0 + point.length()) {
            wrong.push(format!("{name} at {}, not {point}", found.point));
        }
    }
    let ends = found.iter().filter_map(|point| match point.of {
        InnerFeature::Edge { ends, .. } => Some(ends),
        _ => None,
    });
    for (ends, ([v, w], shares)) in ends.zip(&truth.edges) {
        let expected = shares.map(|share| at(*v).lerp(at(*w), share));
        let off = ends[0].distance(expected[0]).max(ends[1].distance(expected[1]));
        if off > 1e-11 * (1.0 + ends[0].length()) {
            wrong.push(format!("edge {v}-{w} from {} to {}, not {expected:?}", ends[0], ends[1]));
        }
    }
    wrong
}

#[derive(Debug, Default)]
struct Counts {
    shared: Counter,
    touching: Counter,
    apart: Counter,
    points: Counter,
    without_points: Counter,
    without_triangles: Counter,
}

#[test]
fn interiors_intersect_when_the_twin_says_so() {
    let counts = Counts::default();
    for_all(fewer(3000, 6), |seed| {
        let (kind, pair) = pair(seed);
        let (truth, inner) = interpenetration(&pair);
        let meshes = [&pair[0], &pair[1]].map(Polyhedron::mesh);
        let (found, triangles) = reported_interpenetration(&scene(meshes, [Pose::IDENTITY; 2]));
        let mut wrong = Wrong::new();
        let meet = surfaces_meet(&pair);
        if found.is_some() != (meet || truth) {
            wrong.push(format!("listed: {}", found.is_some()));
        }
        counts.apart.add_if(found.is_none());
        match found {
            Some(Interpenetration::Shared { inside, points }) => {
                counts.shared.add();
                counts.points.add_if(points.iter().any(|points| !points.is_empty()));
                counts.without_points.add_if(points.iter().all(Vec::is_empty));
                counts.without_triangles.add_if(triangles == 0);
                if !truth {
                    wrong.push("their interiors have no common point".into());
                }
                for (polyhedron, inside) in pair.iter().zip([inside; 2]) {
                    if inside.is_none_or(|inside| !holds(polyhedron, inside.to_array())) {
                        wrong.push(format!("{inside:?} is not inside of {polyhedron:?}"));
                    }
                }
                for side in [0, 1] {
                    wrong.extend(wrong_points(&pair[side], &points[side], &inner[side]));
                }
            }
            Some(Interpenetration::Disjoint) => {
                counts.touching.add();
                if truth {
                    wrong.push("their insides share a point".into());
                }
            }
            None if truth => wrong.push("it is missed".into()),
            None => {}
        }
        if kind == Kind::Identical && (!truth || inner != [Inner::default(), Inner::default()]) {
            wrong.push("identical bodies share their inside, and have no points".into());
        }
        if !wrong.is_empty() {
            wrong.push(format!("{kind:?} {pair:?}"));
        }
        wrong
    });
    let Counts { shared, touching, apart, points, without_points, without_triangles } = &counts;
    let least = [
        (shared, 100),
        (touching, 10),
        (apart, 20),
        (points, 80),
        (without_points, 4),
        (without_triangles, 1),
    ];
    assert!(least.iter().all(|(counter, least)| counter.get() > *least), "{counts:?}");
}

/// The same bodies in another frame, or swapped, give the same answer.
#[test]
fn rotated_bodies_give_the_same_result() {
    let counts = Counts::default();
    for_all(fewer(400, 4), |seed| {
        let (kind, pair) = pair(seed);
        let (truth, inner) = interpenetration(&pair);
        let random = &mut Random(seed ^ 0xabc);
        let pose = Pose::new(random.vector(1000.0), random.rotation()).unwrap();
        let meshes = || [&pair[0], &pair[1]].map(Polyhedron::mesh);
        let mut wrong = Wrong::new();
        // With the same pose for both, the relative pose is identical, to the last bit.
        let (found, _) = reported_interpenetration(&scene(meshes(), [pose; 2]));
        let [a, b] = meshes();
        let (swapped, _) = reported_interpenetration(&scene([b, a], [pose; 2]));
        match (&found, &swapped) {
            (
                Some(Interpenetration::Shared { inside, points }),
                Some(Interpenetration::Shared { points: back, .. }),
            ) => {
                counts.shared.add();
                let numbers = |points: &[InnerPoint]| points.len();
                if !truth || points.each_ref().map(|p| numbers(p)) != [&back[1], &back[0]].map(|p| numbers(p))
                {
                    wrong.push(format!("found {found:?}, swapped {swapped:?}"));
                }
                for side in [0, 1] {
                    let unturned: Vec<InnerPoint> = points[side]
                        .iter()
                        .map(|point| InnerPoint {
                            point: pose.inverse().transform_point(point.point),
                            ..*point
                        })
                        .collect();
                    if unturned.len()
                        != inner[side].vertices.len() + inner[side].edges.len() + inner[side].faces.len()
                    {
                        wrong.push(format!("{unturned:?}, not {:?}", inner[side]));
                    }
                }
                // If they share a large volume, some double is inside.
                if inside.is_none() && kind == Kind::Identical {
                    wrong.push("no double inside".into());
                }
            }
            (None, None) if !truth => counts.apart.add(),
            (Some(Interpenetration::Disjoint), Some(Interpenetration::Disjoint)) if !truth => {
                counts.touching.add()
            }
            _ => wrong.push(format!("truth {truth}, found {found:?}, swapped {swapped:?}")),
        }
        if !wrong.is_empty() {
            wrong.push(format!("{kind:?} {pair:?} {pose:?}"));
        }
        wrong
    });
    assert!(counts.shared.get() > 18 && counts.touching.get() > 1 && counts.apart.get() > 2, "{counts:?}");
}

/// A box whose faces are divided into squares, rotated in its own frame: neighbours in one plane are coplanar only up
/// to rounding.
fn turned_box(random: &mut Random) -> Mesh {
    let turn = random.rotation();
    let steps = [-1.0, -0.3, 0.4, 1.0];
    let mut points: Vec<DVec3> = Vec::new();
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let first = u32::try_from(points.len()).unwrap();
            for u in steps {
                for v in steps {
                    let mut p = [0.0; 3];
                    (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, u, v);
                    points.push(turn * DVec3::from_array(p));
                }
            }
            for i in 0..3 {
                for j in 0..3 {
                    let [a, b, c, d] =
                        [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(|[i, j]| first + 4 * i + j);
                    let quad = if side > 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                    faces.extend(quad);
                }
            }
        }
    }
    Mesh::new(points, faces).unwrap()
}

#[test]
fn a_body_exactly_on_itself_has_no_points_whatever_its_rounding() {
    for seed in 0..fewer(40, 4) {
        let random = &mut Random(seed);
        let mesh = turned_box(random);
        let pose = Pose::new(random.vector(10.0), random.rotation()).unwrap();
        let (found, triangles) = reported_interpenetration(&scene([mesh.clone(), mesh], [pose; 2]));
        let Some(Interpenetration::Shared { inside: Some(_), points }) = found else {
            panic!("{seed}: {found:?}")
        };
        assert!(points.iter().all(Vec::is_empty) && triangles > 0, "{seed}: {points:?}");
    }
}
