//! Two static shapes, compared with all pairs of triangles and with closed forms.

use std::sync::Arc;

use crate::cases::{box_of, fewer, l_shape, octahedron, pose};
use chasles::{
    CollisionShape, Mesh, Pose, PosedShapes, PreparedMesh, Primitive, distance, distances, intersection,
    intersections, triangles_intersect,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

fn mesh(random: &mut Random) -> CollisionShape {
    let (vertices, triangles) = match random.below(3) {
        0 => box_of(DVec3::new(random.within(0.2, 1.5), 1.0, random.within(0.2, 1.5))),
        1 => l_shape(random.within(0.2, 0.5), random.within(0.2, 1.0)),
        _ => octahedron(DVec3::new(1.0, random.within(0.2, 1.0), random.within(0.2, 1.0))),
    };
    CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())))
}

fn somewhere(random: &mut Random, reach: f64) -> Pose {
    pose(random.vector(reach), random.rotation())
}

fn triangles(shape: &CollisionShape, at: &Pose) -> Vec<[DVec3; 3]> {
    let mesh = shape.drawn();
    mesh.triangles().iter().map(|t| t.map(|v| at.transform_point(mesh.vertex(v)))).collect()
}

#[test]
fn the_triangles_that_intersect_are_those_of_all_pairs() {
    let (mut met, mut apart) = (0, 0);
    for seed in 0..fewer(1000, 4) {
        let random = &mut Random(seed);
        let shapes = [mesh(random), mesh(random)];
        let poses = [somewhere(random, 1.2), somewhere(random, 1.2)];
        let stance = PosedShapes { a: (&shapes[0], poses[0]), b: (&shapes[1], poses[1]) };
        let [a, b] = [0, 1].map(|i| triangles(&shapes[i], &poses[i]));
        let mut expected = Vec::new();
        for (i, x) in (0..).zip(&a) {
            expected.extend((0..).zip(&b).filter(|(_, y)| triangles_intersect(x, y)).map(|(j, _)| [i, j]));
        }
        let found = intersection(&stance);
        assert_eq!((found.intersects, &found.triangles), (!expected.is_empty(), &expected), "seed {seed}");
        let gap = distance(&stance);
        assert_eq!(gap.upper > 1e-12, expected.is_empty(), "seed {seed}: {gap:?}");
        assert!(gap.lower <= gap.upper && gap.upper <= gap.lower * (1.0 + 1e-8) + 1e-11);
        // The points are on the surfaces, and no corner of one is nearer to a corner of the other.
        assert!(gap.points[0].distance(gap.points[1]) <= gap.upper + 1e-12, "seed {seed}: {gap:?}");
        let corners = a.iter().flatten().flat_map(|p| b.iter().flatten().map(|q| p.distance(*q)));
        assert!(gap.lower <= corners.fold(f64::INFINITY, f64::min), "seed {seed}: {gap:?}");
        // Swapped, the distance is the same except for rounding.
        let swapped = distance(&PosedShapes { a: stance.b, b: stance.a });
        assert!((swapped.upper - gap.upper).abs() < 1e-8 * gap.upper + 1e-11, "seed {seed}");
        met += usize::from(found.intersects);
        apart += usize::from(!found.intersects);
        assert_eq!(intersections(&[stance; 3]), vec![found; 3]);
        assert_eq!(distances(&[stance; 3]), vec![gap; 3]);
    }
    assert!(met > 18 && apart > 18, "{met} {apart}");
}

#[test]
fn distances_of_balls_and_boxes_are_those_of_formulas() {
    for seed in 0..fewer(1000, 4) {
        let random = &mut Random(seed);
        let [r, s] = [random.within(0.1, 1.0), random.within(0.1, 1.0)];
        let size = DVec3::new(random.within(0.2, 2.0), random.within(0.2, 2.0), random.within(0.2, 2.0));
        let of = |primitive| CollisionShape::primitive(primitive).unwrap();
        let (ball, other) = (of(Primitive::Sphere { radius: r }), of(Primitive::Sphere { radius: s }));
        let brick = of(Primitive::Box { size });
        let (at, to) = (somewhere(random, 2.0), somewhere(random, 2.0));
        let centres = at.position().distance(to.position());
        // A ball within the other is separated from it too: only surfaces count.
        let exact = (centres - r - s).max((r - s).abs() - centres);
        check(&PosedShapes { a: (&ball, at), b: (&other, to) }, exact, seed);
        let seen = to.inverse().transform_point(at.position());
        let out = (seen.abs() - 0.5 * size).max(DVec3::ZERO).length();
        let deep = (0.5 * size - seen.abs()).min_element();
        if out > 0.0 || deep > r {
            let exact = if out > 0.0 { out - r } else { deep - r };
            // A ball that contains the whole box is separated from its surface as well, but without such a formula.
            if (0..8).any(|i| {
                let sign = DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0;
                seen.distance(0.5 * size * sign) > r
            }) {
                check(&PosedShapes { a: (&ball, at), b: (&brick, to) }, exact, seed);
                check(&PosedShapes { a: (&brick, to), b: (&ball, at) }, exact, seed);
            }
        }
    }
}

#[test]
fn far_from_the_origin_rounding_is_counted() {
    for seed in 0..fewer(1000, 4) {
        let random = &mut Random(seed);
        // All numbers are multiples of 2^-10, so that the difference of two positions is exact.
        let grid = |v: DVec3| (v * 1024.0).round() / 1024.0;
        let reach = 10_f64.powf(random.within(0.0, 9.0));
        let far = grid(random.vector(reach));
        let way = grid(random.vector(4.0));
        let [r, s] = [random.within(0.1, 1.0), random.within(0.1, 1.0)];
        let ball = |radius| CollisionShape::primitive(Primitive::Sphere { radius }).unwrap();
        let (a, b) = (ball(r), ball(s));
        let poses = [pose(far, random.rotation()), pose(far + way, random.rotation())];
        let gap = distance(&PosedShapes { a: (&a, poses[0]), b: (&b, poses[1]) });
        let exact = (way.length() - r - s).max((r - s).abs() - way.length()).max(0.0);
        assert!(gap.lower <= exact + 1e-14 && exact <= gap.upper + 1e-14, "seed {seed}: {exact} {gap:?}");
        assert!(gap.upper - gap.lower < 1e-8 + 1e-14 * far.length(), "seed {seed}: {gap:?}");
        // A box whose mesh is as far from its own frame as its frame from the world, in the opposite direction.
        let brick =
            Mesh::new(box_of(DVec3::ONE).0.iter().map(|v| *v - far).collect(), box_of(DVec3::ONE).1).unwrap();
        let brick = CollisionShape::mesh(Arc::new(PreparedMesh::new(brick)));
        let gap = distance(&PosedShapes {
            a: (&brick, pose(far, DQuat::IDENTITY)),
            b: (&a, pose(way, random.rotation())),
        });
        let out = (way.abs() - 0.5).max(DVec3::ZERO).length();
        if out > r {
            let exact = out - r;
            assert!(gap.lower <= exact + 1e-14 && exact <= gap.upper + 1e-14, "seed {seed}: {exact} {gap:?}");
        }
    }
}

/// Compares the answers with the true distance, which is negative if the surfaces intersect.
fn check(stance: &PosedShapes<'_>, exact: f64, seed: u64) {
    let (gap, met) = (distance(stance), intersection(stance).intersects);
    if exact.abs() > 1e-9 {
        assert_eq!(met, exact < 0.0, "seed {seed}: {exact} {gap:?}");
    }
    let exact = exact.max(0.0);
    assert!(gap.lower <= exact + 1e-14 && exact <= gap.upper + 1e-14, "seed {seed}: {exact} {gap:?}");
    assert!(gap.upper - gap.lower < 1e-8, "seed {seed}: {gap:?}");
}
