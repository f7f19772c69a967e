//! Small bodies and motions for tests, from seeds.

use glam::{DQuat, DVec3};

use crate::body::Body;
use crate::motion::{Pose, Screw};
use crate::shape::Mesh;

/// A generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Below 2^31.
    pub(crate) fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).unwrap()
    }

    /// In [-1, 1].
    pub(crate) fn number(&mut self) -> f64 {
        f64::from(self.bits()) / f64::from(1_u32 << 30) - 1.0
    }

    pub(crate) fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[(self.bits() >> 8) as usize % values.len()]
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}

/// Boxes, plates and needles, bipyramids, flat and degenerate things; away from their frame's origin.
pub(crate) fn body(random: &mut Random) -> Body {
    let size = DVec3::new(1.0, random.one_of(&[1.0, 0.3, 0.0]), random.one_of(&[1.0, 0.1, 1e-3, 0.0]));
    let at = random.one_of(&[0.0, 0.0, 3.0]) * random.vector();
    let (points, triangles) = if random.number() < 0.5 {
        let corner = |i: usize| DVec3::from([0, 1, 2].map(|c| if i >> c & 1 == 1 { 1.0 } else { -1.0 }));
        let quads = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        let halves = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
        ((0..8).map(corner).collect::<Vec<_>>(), halves.collect::<Vec<_>>())
    } else {
        let ring = |i: u32| DVec3::new((f64::from(i) * 1.2).cos(), (f64::from(i) * 1.2).sin(), 0.0);
        let points = (0..5).map(ring).chain([DVec3::Z, -DVec3::Z]);
        (points.collect(), (0..5).flat_map(|i| [[i, (i + 1) % 5, 5], [i, (i + 1) % 5, 6]]).collect())
    };
    Body::new(Mesh::new(points.into_iter().map(|p| at + size * p).collect(), triangles).unwrap())
}

/// Mostly past or into a body at the origin.
pub(crate) fn screw(random: &mut Random) -> Screw {
    let far = random.one_of(&[1.5, 3.0, 6.0]);
    let turn = DQuat::from_xyzw(random.number(), random.number(), random.number(), random.number());
    let start = Pose::new(far * random.vector(), turn).unwrap();
    if random.number() < 0.4 {
        let end = Pose::new(-0.8 * start.position() + 0.5 * random.vector(), DQuat::from_rotation_x(1.0));
        return Screw::between(start, end.unwrap());
    }
    let point = random.one_of(&[0.0, 1.0, 30.0, 1e4]) * random.vector();
    let angle = random.one_of(&[0.0, 1e-9, 0.01, 1.0, 3.0, 20.0]);
    let slide = random.one_of(&[0.0, 2.0, 8.0]) * random.number();
    Screw::about(start, random.vector(), point, slide, angle).unwrap()
}
