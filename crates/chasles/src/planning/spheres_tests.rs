//! Tests that trees of spheres contain what they must, and protrude only a little.

use std::f64::consts::TAU;
use std::sync::Arc;

use glam::DVec3;

use super::boxes::boxes;
use super::chain::{Chain, JointEdge};
use super::interior_spheres::balls;
use super::shells::ClosedShells;
use super::spheres::BoundingSphere;
use super::sweep::{ALL, MovingTree, Obstacle, SweepTest, TestStack, may_meet};
use crate::body::PreparedMesh;
use crate::math::lanes::Instructions;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::chart::narrow;
use crate::motion::Pose;
use crate::pair::shape::CollisionShape;
use crate::robot::Robot;
use crate::robot::arms::planar;
use crate::shape::{Mesh, Primitive};
use chasles_testing::{Random, cases};

/// A grid of triangles. Rows and columns may be closed.
fn sheet(rows: u32, columns: u32, place: impl Fn(u32, u32) -> DVec3) -> Mesh {
    let points = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let number = |row: u32, column: u32| (row % rows) * columns + column % columns;
    let triangles =
        (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).flat_map(|(r, c)| {
            let corners = [number(r, c), number(r + 1, c), number(r + 1, c + 1), number(r, c + 1)];
            [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
        });
    let triangles = triangles.collect();
    Mesh::new(points.map(|(row, column)| place(row, column)).collect(), triangles).unwrap()
}

/// A ring with a round section of diameter `thick`.
fn ring(radius: f64, thick: f64) -> Mesh {
    sheet(48, 24, |row, column| {
        let [u, v] = [TAU * f64::from(row) / 48.0, TAU * f64::from(column) / 24.0];
        let radial = radius + 0.5 * thick * v.cos();
        DVec3::new(radial * u.cos(), radial * u.sin(), 0.5 * thick * v.sin())
    })
}

/// Random triangles, which enclose no volume.
fn soup(random: &mut Random) -> Mesh {
    let vertices = (0..30).map(|_| random.vector(0.3)).collect();
    let triangles = (0..10).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Mesh::new(vertices, triangles).unwrap()
}

fn of_mesh(mesh: Mesh) -> CollisionShape {
    CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh)))
}

fn shapes(random: &mut Random) -> Vec<CollisionShape> {
    let primitive = |primitive| CollisionShape::primitive(primitive).unwrap();
    vec![
        of_mesh(ring(0.3, 0.1)),
        of_mesh(soup(random)),
        primitive(Primitive::Box { size: DVec3::new(0.4, 0.01, 0.2) }),
        primitive(Primitive::Cylinder { radius: 0.05, height: 0.4 }),
        primitive(Primitive::Sphere { radius: 0.1 }),
    ]
}

/// Points on the surface of a shape at a pose.
fn points(shape: &CollisionShape, pose: &Pose, random: &mut Random) -> Vec<DVec3> {
    let mesh = shape.drawn();
    let triangles = mesh.triangles();
    let some = (0..300).map(|_| {
        let corners = triangles[random.below(triangles.len())].map(|vertex| mesh.local()[vertex as usize]);
        let (x, y) = (random.within(0.0, 1.0), random.within(0.0, 1.0));
        let (x, y) = if x + y > 1.0 { (1.0 - x, 1.0 - y) } else { (x, y) };
        let place = corners[0] + x * (corners[1] - corners[0]) + y * (corners[2] - corners[0]);
        pose.transform_point(mesh.centre() + place)
    });
    some.collect()
}

/// The leaves that contain a point together with all spheres above them.
fn leaves_with(tree: &[BoundingSphere], point: DVec3) -> Vec<usize> {
    let (mut found, mut waiting) = (Vec::new(), vec![0]);
    while let Some(number) = waiting.pop() {
        let ball = &tree[number];
        if ball.middle().distance(point) > f64::from(ball.radius) {
            continue;
        }
        if ball.count == 0 {
            found.push(number);
        }
        waiting.extend((ball.first..ball.first + ball.count).map(|child| child as usize));
    }
    found
}

#[test]
fn every_point_of_a_surface_is_in_a_leaf_and_in_all_balls_above() {
    for seed in 0..cases(3, 6) {
        let random = &mut Random(seed);
        let pose = Pose::new(random.vector(0.5), random.even_rotation()).unwrap();
        for shape in shapes(random) {
            let tree = balls(
                &shape,
                &pose,
                (&ClosedShells::new(&shape, &pose), [0.05, 0.01, 0.004][random.below(3)]),
            );
            for point in points(&shape, &pose, random) {
                assert!(!leaves_with(&tree, point).is_empty(), "seed {seed}: {point}");
            }
        }
    }
}

#[test]
fn spheres_of_a_ring_protrude_only_a_little() {
    let fine = 0.008;
    let tree = balls(&of_mesh(ring(0.3, 0.1)), &Pose::IDENTITY, (&ClosedShells::default(), fine));
    let (mut deep, mut all) = (0, 0);
    for ball in tree.iter().filter(|ball| ball.count == 0) {
        let centre = ball.middle();
        // The distance of the centre from the circle in the middle of the ring.
        let radial = DVec3::new(centre.truncate().length() - 0.3, 0.0, centre.z).length();
        let out = radial + f64::from(ball.radius) - 0.05;
        assert!(out < fine, "{out}");
        all += 1;
        deep += usize::from(out < 0.3 * fine);
    }
    assert!(10 * deep > 9 * all, "{deep} of {all}");
}

#[test]
fn the_instructions_of_the_processor_change_no_bit() {
    let mut definition = planar(3);
    for joint in &mut definition.joints {
        joint.origin = Pose::from_position(DVec3::new(0.2, 0.1, 0.1)).unwrap();
    }
    let robot = Robot::new(definition).unwrap();
    let chain = Chain::new(&robot, &[0, 1, 2], &robot.rest());
    let fine = 0.02;
    let ring = of_mesh(ring(0.3, 0.1));
    let tree = balls(&ring, &Pose::IDENTITY, (&ClosedShells::new(&ring, &Pose::IDENTITY), fine));
    let (mut some, mut deep, mut none) = (0, 0, 0);
    for seed in 0..100 {
        let random = &mut Random(seed);
        let ends = [0; 2].map(|_| [0; 3].map(|_| random.within(-3.0, 3.0)));
        let edge = JointEdge { from: &ends[0], to: &ends[1] };
        let mut at = Vec::new();
        chain.poses_at_ends(
            &edge,
            TimeInterval::new(random.within(0.0, 0.5), random.within(0.5, 1.0)),
            &mut at,
        );
        let mut moving = |group: usize| MovingTree {
            balls: &tree,
            at: &at[group],
            chord_error: [random.within(0.0, 1e-3), 1e-4].map(narrow),
        };
        let (own, other) = (moving(3), moving(2));
        let obstacle = Pose::new(random.vector(0.8), random.even_rotation()).unwrap();
        let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::new(0.6, 0.4, 0.5) }).unwrap();
        let static_boxes = boxes(&shape, &obstacle, 0.0);
        for other in [
            Obstacle::StaticBoxes(&static_boxes),
            Obstacle::MovingSpheres(other),
            Obstacle::StaticSpheres(&tree),
        ] {
            for ends_when_deep in [false, true] {
                let found = [Instructions::Detected, Instructions::Portable].map(|instructions| {
                    let test = SweepTest { intervals: ALL, ends_when_deep, instructions };
                    let mut waiting = TestStack::default();
                    (may_meet(&own, &other, &test, &mut waiting), waiting.tests)
                });
                assert_eq!(found[0], found[1], "seed {seed}");
                some += usize::from(found[0].0.intervals != 0);
                deep += usize::from(found[0].0.deep.is_some());
                none += usize::from(found[0].0.intervals == 0);
            }
        }
    }
    assert!(some > 100 && deep > 20 && none > 100, "{some} {deep} {none}");
}
