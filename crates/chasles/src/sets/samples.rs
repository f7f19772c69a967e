//! Points of a body's surface at a given maximum spacing.

use glam::DVec3;

use crate::sets::tree::{BoundingTree, TreeSource};

/// If a volume yields no point, it is cut down to this fraction of the spacing.
const SMALLEST: f64 = 1.0 / 32.0;

/// Points of a surface, in the order of its tree. Each surface point has a sample within half of `spacing`, in
/// metres. `None` if there would be more than `max_count` points, or the tree would grow too large.
pub(crate) fn samples(source: TreeSource<'_>, spacing: f64, max_count: usize) -> Option<Vec<DVec3>> {
    let mut tree = BoundingTree::new(source);
    let mut found = Vec::new();
    let mut open = vec![0_u32];
    while let Some(number) = open.pop() {
        let node = tree.node(number);
        let (size, middle) = (node.size, node.volume.middle);
        let reach = 0.5 * spacing - node.volume.furthest_from(middle);
        if reach > 0.0
            && let Some(proven) = tree.proven_point(number, middle, reach)
        {
            found.push(proven.point);
            if found.len() > max_count {
                return None;
            }
            continue;
        }
        if size <= SMALLEST * spacing {
            continue;
        }
        if tree.is_full() {
            return None;
        }
        let children = tree.split(number);
        // Drops a volume that can no longer be cut: it is as small as f64 allows.
        open.extend(children.rev().filter(|child| tree.node(*child).size < size || size > spacing));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::motion::Pose;
    use crate::pair::shape::CollisionShape;
    use crate::sets::program::Program;
    use crate::sets::tree::cells::{Interior, PreparedSolid};
    use crate::shape::{Expression, HeightField, ParametricSurface, PartShape, Primitive, Solid, SolidPart};
    use chasles_testing::Random;

    #[test]
    fn a_height_field_has_as_many_samples_as_its_surface_needs() {
        let counts = [21, 21];
        let heights = (0..441)
            .map(|index| 0.1 * (f64::from(index / 21) / 3.0).sin() * (f64::from(index % 21) / 3.0).cos())
            .collect();
        let field = HeightField::new(heights, counts, [0.05; 2], [-0.5; 2], -0.3).unwrap();
        let part = PartShape::Heights(Arc::new(field));
        let solid = Solid::new(vec![SolidPart { shape: part, pose: Pose::IDENTITY, scale: 1.0 }]).unwrap();
        let built = PreparedSolid::new(Program::new(&solid), solid.bounds(), Interior::Hollow);
        let spacing = 0.05;
        let points = samples(TreeSource::Solid(&built), spacing, 200_000).map(|points| points.len());
        // Some 3.6 square metres.
        assert!(points.is_some_and(|points| points < 20_000), "{points:?}");
    }

    #[test]
    fn every_point_of_a_surface_is_near_a_sample() {
        let random = &mut Random(11);
        let size = DVec3::new(1.0, 0.5, 0.2);
        let cube = Program::primitive(&Primitive::Box { size });
        let cube = PreparedSolid::new(cube, [-0.5 * size, 0.5 * size], Interior::Hollow);
        let ball = CollisionShape::primitive(Primitive::Sphere { radius: 0.3 }).unwrap();
        let texts = ["u", "v", "u*v"].map(|text| Expression::parse(text, &["u", "v"]).unwrap());
        let saddle = ParametricSurface::new(texts, [[-0.5, 0.5]; 2], 1.0).unwrap();
        let saddle = CollisionShape::parametric(Arc::new(saddle)).unwrap();
        for spacing in [0.3, 0.05] {
            let near = |points: &[DVec3], p: DVec3| points.iter().any(|q| q.distance(p) <= 0.5 * spacing);
            let on_cube = samples(TreeSource::Solid(&cube), spacing, 100_000).unwrap();
            let on_ball = samples(ball.source(Interior::Hollow), spacing, 100_000).unwrap();
            let on_saddle = samples(saddle.source(Interior::Hollow), spacing, 100_000).unwrap();
            for _ in 0..500 {
                let mut p = DVec3::new(random.side(), random.side(), random.side());
                let axis = random.below(3);
                p[axis] = 1.0_f64.copysign(p[axis]);
                let q = p * DVec3::new(0.5, 0.25, 0.1);
                let minimum = on_cube.iter().map(|s| s.distance(q)).fold(9.0, f64::min);
                assert!(near(&on_cube, q), "{q} {spacing} {minimum} of {}", on_cube.len());
                assert!(near(&on_ball, 0.3 * random.direction()));
                let [u, v] = [0.5 * random.side(), 0.5 * random.side()];
                assert!(near(&on_saddle, DVec3::new(u, v, u * v)));
            }
            assert!(on_ball.iter().all(|p| (p.length() - 0.3).abs() < 1e-9));
            assert!(on_saddle.iter().all(|p| (p.z - p.x * p.y).abs() < 1e-12));
        }
        assert_eq!(samples(ball.source(Interior::Hollow), 1e-3, 1000), None);
    }
}
