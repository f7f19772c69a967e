//! Seeded small bodies and motions for tests.

use chasles_testing::Random;
use glam::{DQuat, DVec3};

use crate::body::PreparedMesh;
use crate::motion::{Pose, Screw};
use crate::shape::Mesh;

/// One of some values.
pub(crate) fn one_of<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len())]
}

/// Boxes, plates and needles, bipyramids, flat and degenerate bodies; some away from their frame's origin.
pub(crate) fn body(random: &mut Random) -> PreparedMesh {
    let size = DVec3::new(1.0, one_of(random, &[1.0, 0.3, 0.0]), one_of(random, &[1.0, 0.1, 1e-3, 0.0]));
    let at = one_of(random, &[0.0, 0.0, 3.0]) * random.vector(1.0);
    let (points, triangles) = if random.side() < 0.5 {
        let corner = |i: usize| DVec3::from([0, 1, 2].map(|c| if i >> c & 1 == 1 { 1.0 } else { -1.0 }));
        let quads = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        let halves = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
        ((0..8).map(corner).collect::<Vec<_>>(), halves.collect::<Vec<_>>())
    } else {
        let ring = |i: u32| DVec3::new((f64::from(i) * 1.2).cos(), (f64::from(i) * 1.2).sin(), 0.0);
        let points = (0..5).map(ring).chain([DVec3::Z, -DVec3::Z]);
        (points.collect(), (0..5).flat_map(|i| [[i, (i + 1) % 5, 5], [i, (i + 1) % 5, 6]]).collect())
    };
    PreparedMesh::new(Mesh::new(points.into_iter().map(|p| at + size * p).collect(), triangles).unwrap())
}

/// Mostly past or into a body at the origin.
pub(crate) fn screw(random: &mut Random) -> Screw {
    let far = one_of(random, &[1.5, 3.0, 6.0]);
    let rotation = DQuat::from_xyzw(random.side(), random.side(), random.side(), random.side());
    let start = Pose::new(far * random.vector(1.0), rotation).unwrap();
    if random.side() < 0.4 {
        let end = Pose::new(-0.8 * start.position() + 0.5 * random.vector(1.0), DQuat::from_rotation_x(1.0));
        return Screw::between(start, end.unwrap());
    }
    let point = one_of(random, &[0.0, 1.0, 30.0, 1e4]) * random.vector(1.0);
    let angle = one_of(random, &[0.0, 1e-9, 0.01, 1.0, 3.0, 20.0]);
    let slide = one_of(random, &[0.0, 2.0, 8.0]) * random.side();
    Screw::about(start, random.vector(1.0), point, slide, angle).unwrap()
}
