//! Tests of the contacts proven by overlapping interiors and by points: never if the surfaces do not intersect and
//! neither part is inside a solid one, and nearly always if one is deep in the other.

use std::cell::RefCell;
use std::sync::Arc;

use glam::DVec3;

use super::chain::{Chain, JointEdge};
use super::near::{GroupsAt, PartPairMotion, speed_from_root};
use super::part::{CollisionPart, OfBody, PartTree};
use crate::body::PreparedMesh;
use crate::instant::inside::{Location, is_inside};
use crate::math::distance::point_triangle;
use crate::mesh_screw::overlap::triangles_intersect;
use crate::motion::Pose;
use crate::pair::shape::CollisionShape;
use crate::robot::Robot;
use crate::robot::arms::planar;
use crate::shape::{Mesh, Primitive};
use chasles_testing::meshes::torus;
use chasles_testing::{Random, cases};

type ShellMesh = (Vec<DVec3>, Vec<[u32; 3]>);

/// A closed box.
fn cuboid(size: DVec3, at: DVec3) -> ShellMesh {
    let mesh = CollisionShape::primitive(Primitive::Box { size }).unwrap();
    let mesh = mesh.drawn();
    (mesh.local().iter().map(|corner| mesh.centre() + *corner + at).collect(), mesh.triangles().to_vec())
}

fn both(mut a: ShellMesh, b: ShellMesh) -> ShellMesh {
    let count = u32::try_from(a.0.len()).unwrap();
    a.0.extend(b.0);
    a.1.extend(b.1.iter().map(|triangle| triangle.map(|vertex| vertex + count)));
    a
}

fn shape((vertices, triangles): ShellMesh) -> CollisionShape {
    CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())))
}

/// Rings, nested boxes, boxes without a lid, and small boxes that fit into the others.
fn some_shape(random: &mut Random) -> CollisionShape {
    let size = DVec3::new(0.3, 0.2, 0.25);
    match random.below(7) {
        // A box with one dented corner.
        6 => {
            let (mut vertices, triangles) = cuboid(size, DVec3::ZERO);
            let corner = random.below(vertices.len());
            vertices[corner] *= 0.99;
            shape((vertices, triangles))
        }
        0 => shape(torus(0.3, 0.1, (12, 7))),
        1 => shape(cuboid(size, random.vector(0.1))),
        2 => shape(both(cuboid(size, DVec3::ZERO), cuboid(0.6 * size, random.vector(0.02)))),
        3 => {
            let (vertices, mut triangles) = cuboid(size, DVec3::ZERO);
            triangles.truncate(10);
            shape((vertices, triangles))
        }
        4 => shape(cuboid(0.2 * size, DVec3::ZERO)),
        _ => CollisionShape::primitive(Primitive::Box { size: 1.5 * size }).unwrap(),
    }
}

/// The reference twin: whether any two triangles intersect.
fn intersect(a: &CollisionShape, b: &CollisionShape, pose: &Pose) -> bool {
    let placed = |shape: &CollisionShape, pose: &Pose| {
        let mesh = shape.drawn();
        let place = |vertex: u32| pose.transform_point(mesh.centre() + mesh.local()[vertex as usize]);
        mesh.triangles().iter().map(|triangle| triangle.map(place)).collect::<Vec<_>>()
    };
    let (of_a, of_b) = (placed(a, pose), placed(b, &Pose::IDENTITY));
    of_a.iter().any(|a| of_b.iter().any(|b| triangles_intersect(a, b)))
}

/// Two parts of a robot, or one of a robot and one of its world, in a random configuration: contact by interiors,
/// contact by points, and the truth.
fn contact_results(random: &mut Random, is_static: bool) -> [bool; 3] {
    let chain = {
        let robot = Robot::new(planar(2)).unwrap();
        Chain::new(&robot, &[0, 1], &robot.rest())
    };
    let shapes = [some_shape(random), some_shape(random)];
    let values = [random.within(-3.0, 3.0), random.within(-3.0, 3.0)];
    let edge = JointEdge { from: &values, to: &values };
    let mut groups = Vec::new();
    chain.poses_at(&edge, 0.0, &mut groups);
    let group = if is_static { 0 } else { 1 };
    let solid = shapes.each_ref().map(|shape| shape.is_closed() && random.one_in(2));
    let body = |number: usize| OfBody { owner: number, shape: &shapes[number], solid: solid[number] };
    let own = Pose::new(random.vector(0.3), random.even_rotation()).unwrap();
    // The pose of the other that gives this distance.
    let far = [0.05, 0.4][random.below(2)];
    let offset = Pose::new(random.vector(far), random.even_rotation()).unwrap();
    let other = groups[group].pose.inverse().compose(&groups[2].pose).compose(&own).compose(&offset);
    let parts = [
        CollisionPart::of_robot(body(0), (2, own), (&[], 0.05)),
        match is_static {
            true => CollisionPart::of_world(body(1), other, 0.0),
            false => CollisionPart::of_robot(body(1), (group, other), (&[], 0.05)),
        },
    ];
    let at = RefCell::new(GroupsAt::default());
    let of_root = [2, group].map(|group| chain.bounds(&chain.chain_path(0, group), &edge));
    let bounds = chain.bounds(&chain.chain_path(group, 2), &edge);
    let near = PartPairMotion {
        chain: &chain,
        edge: &edge,
        parts: [&parts[0], &parts[1]],
        bounds,
        reach: 5.0,
        speed: speed_from_root(of_root.each_ref(), [parts[0].reach(), bounds.reach]),
        at: &at,
        required: 0.0,
        clearance: 0.0,
    };
    let count = match &parts[1].tree {
        PartTree::Balls(balls) => balls.len(),
        PartTree::Boxes(_) => 1,
    };
    // A sample of the spheres or boxes.
    let some = |count: usize| (0..count).step_by(count.div_ceil(60));
    let by_insides = some(parts[0].balls().len())
        .flat_map(|a| some(count).map(move |b| [a, b]))
        .any(|[a, b]| near.interiors_overlap(0.0, [a, b].map(|ball| u32::try_from(ball).unwrap())));
    let by_points = near.intersects_by_points(0.0);
    let pose = offset.inverse();
    let [a, b] = &shapes;
    let is_within = || solid[1] && b.contains(a, &pose) || solid[0] && a.contains(b, &offset);
    [by_insides, by_points, intersect(a, b, &pose) || is_within()]
}

#[test]
fn parts_proven_to_intersect_do_so() {
    // How often each method proves contact among the intersecting pairs; and the number of separated pairs.
    let (mut found, mut all, mut separated) = ([0; 2], 0, 0);
    for seed in 0..200 {
        let random = &mut Random(seed);
        let is_static = random.one_in(2);
        let [by_insides, by_points, truth] = contact_results(random, is_static);
        assert!(truth || !by_insides && !by_points, "seed {seed}: {by_insides} {by_points}");
        found[0] += usize::from(by_insides);
        found[1] += usize::from(by_points);
        all += usize::from(truth);
        separated += usize::from(!truth);
    }
    assert!(
        3 * found[0] > all && 3 * found[1] > 2 * all && separated > 60,
        "{found:?} of {all}, {separated} separated"
    );
}

#[test]
fn everything_in_a_filled_ball_is_inside() {
    let mut known = 0;
    for seed in 0..40 {
        let random = &mut Random(seed);
        let shape = some_shape(random);
        let pose = Pose::new(random.vector(0.5), random.even_rotation()).unwrap();
        let part =
            CollisionPart::of_robot(OfBody { owner: 0, shape: &shape, solid: false }, (1, pose), (&[], 0.05));
        let filled: Vec<_> = part.balls().iter().filter(|ball| ball.inner > 0.0).collect();
        assert!(shape.is_closed() || filled.is_empty(), "seed {seed}");
        known += usize::from(!filled.is_empty());
        let mesh = shape.drawn();
        let corner = |vertex: u32| pose.transform_point(mesh.centre() + mesh.local()[vertex as usize]);
        let surface: Vec<_> = mesh.triangles().iter().map(|triangle| triangle.map(corner)).collect();
        for _ in 0..if filled.is_empty() { 0 } else { 50 } {
            let ball = filled[random.below(filled.len())];
            let squared = surface.iter().map(|piece| point_triangle(ball.middle(), piece).squared);
            let clear = squared.fold(f64::INFINITY, f64::min).sqrt();
            assert!(f64::from(ball.inner) < clear, "seed {seed}: {ball:?} {clear}");
            // With several shells a point may be inside two, and a ray from it then crosses an even number.
            let own = pose.inverse().transform_point(ball.middle());
            let odd = is_inside(shape.drawn_body(), own) == Location::Inside;
            assert!(odd || part.shells.all.len() > 1, "seed {seed}: {ball:?}");
        }
    }
    assert!(known > 10, "{known}");
}

#[test]
fn points_deep_in_a_nearly_filled_box_are_inside() {
    let (mut vertices, triangles) = cuboid(DVec3::new(0.3, 0.2, 0.25), DVec3::ZERO);
    let corner = vertices[0];
    vertices[0] *= 0.99;
    let shape = shape((vertices, triangles));
    let part = CollisionPart::of_world(OfBody { owner: 0, shape: &shape, solid: false }, Pose::IDENTITY, 0.0);
    let random = &mut Random(3);
    let (mut enclosed, mut all) = (0, 0);
    for _ in 0..cases(4_000, 20_000) {
        let place = corner + random.vector(0.015);
        let inside = is_inside(shape.drawn_body(), place) == Location::Inside;
        let is_enclosed = part.encloses(place, 0.0) == Some(0);
        assert!(inside || !is_enclosed, "{place}");
        (enclosed, all) = (enclosed + usize::from(is_enclosed), all + usize::from(inside));
    }
    assert!(5 * enclosed > all && all > 150, "{enclosed} of {all}");
}
