//! Compares the three steps with the exact decision: equal in general position, but not for a body against itself.

use std::sync::Arc;

use chasles_testing::meshes::box_of;
use chasles_testing::{Random, cases};
use glam::DVec3;

use super::three_steps::{PointSelection, inside_points};
use crate::body::PreparedMesh;
use crate::convex::inner::{InnerFeature, InnerPoint, Interpenetration};
use crate::motion::Pose;
use crate::pair::shape::CollisionShape;
use crate::scene::{BodyMotion, Scene, SceneBody, SceneDefinition};
use crate::shape::Mesh;

/// A box about the origin with the given half sizes.
fn cuboid(half: DVec3) -> Mesh {
    let (mut corners, triangles) = box_of(2.0 * half);
    // The last corner repeats the first, and no triangle uses it.
    corners.push(corners[0]);
    Mesh::new(corners, triangles).unwrap()
}

/// The exact decision, with B at a pose in A's frame.
fn exactly(a: &Mesh, b: &Mesh, placed: Pose) -> Option<Interpenetration> {
    let body = |(name, mesh, pose): (&str, &Mesh, Pose)| {
        let shape = CollisionShape::convex_mesh(Arc::new(PreparedMesh::new(mesh.clone()))).unwrap();
        SceneBody::new(name, Some(shape), BodyMotion::Still(pose))
    };
    let bodies = [("a", a, Pose::IDENTITY), ("b", b, placed)].map(body).into();
    let scene = Scene::new(SceneDefinition::new(1.0, bodies)).unwrap();
    let found = scene.static_intersections(0.0).unwrap();
    if found.is_empty() { None } else { scene.interpenetrations(&found, 0.0).remove(0) }
}

fn sorted(points: &[InnerPoint]) -> Vec<([u32; 3], DVec3)> {
    let key = |of: InnerFeature| match of {
        InnerFeature::Vertex(v) => [0, v, 0],
        InnerFeature::Edge { vertices: [v, w], .. } => [1, v.min(w), v.max(w)],
        InnerFeature::Face(face) => [2, face, 0],
    };
    let mut points: Vec<_> = points.iter().map(|point| (key(point.of), point.point)).collect();
    points.sort_by_key(|(key, _)| *key);
    points
}

#[test]
fn in_general_position_the_three_steps_find_all_points() {
    let (mut shared, mut separated, mut found_points, mut sides) = (0, 0, 0, [0, 0]);
    for seed in 0..cases(100, 400) {
        let random = &mut Random(seed);
        let half = |random: &mut Random| DVec3::new(1.0, 1.0, 1.0) + random.vector(0.8);
        let [a, b] = [(); 2].map(|()| cuboid(half(random)));
        let placed = Pose::new(random.vector(2.5), random.rotation()).unwrap();
        let all = inside_points(&a, &b, &placed, PointSelection::All);
        let one = inside_points(&a, &b, &placed, PointSelection::One);
        let is_inside = all.points.iter().any(|points| !points.is_empty());
        assert_eq!(is_inside, one.points.iter().map(Vec::len).sum::<usize>() == 1, "{seed}");
        sides = [sides[0] + all.sides, sides[1] + one.sides];
        match exactly(&a, &b, placed) {
            Some(Interpenetration::Shared { points, .. }) => {
                shared += 1;
                assert!(is_inside, "{seed}");
                for (found, expected) in all.points.iter().zip(&points) {
                    let (found, expected) = (sorted(found), sorted(expected));
                    assert_eq!(found.len(), expected.len(), "{seed}");
                    for ((own, point), (key, other)) in found.iter().zip(&expected) {
                        assert!(own == key && point.distance(*other) < 1e-12, "{seed} {own:?} {key:?}");
                    }
                    found_points += found.len();
                }
            }
            Some(Interpenetration::Disjoint) | None => {
                separated += 1;
                assert!(!is_inside, "{seed}");
            }
        }
    }
    assert!(shared > 18 && separated > 8 && found_points > 180, "{shared} {separated} {found_points}");
    // The first point ends the search.
    assert!(3 * sides[1] < 2 * sides[0], "{sides:?}");
}

#[test]
fn two_coincident_bodies_have_no_point_inside_each_other() {
    let a = cuboid(DVec3::new(1.0, 2.0, 0.5));
    let found = inside_points(&a, &a, &Pose::IDENTITY, PointSelection::All);
    assert!(found.points.iter().all(Vec::is_empty) && found.sides > 0, "{found:?}");
    let exact = exactly(&a, &a, Pose::IDENTITY);
    assert!(matches!(exact, Some(Interpenetration::Shared { inside: Some(_), .. })), "{exact:?}");
    // Moved along its own sides, only the third step detects the overlap: this is its purpose.
    let moved = Pose::from_position(DVec3::X).unwrap();
    let found = inside_points(&a, &a, &moved, PointSelection::All);
    let faces =
        |points: &[InnerPoint]| points.iter().filter(|p| matches!(p.of, InnerFeature::Face(_))).count();
    assert!(found.points.iter().all(|points| faces(points) == 2), "{found:?}");
}
