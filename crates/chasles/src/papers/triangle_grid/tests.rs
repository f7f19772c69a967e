use std::collections::BTreeSet;
use std::ops::ControlFlow;

use chasles_testing::{Random, cases};
use glam::{DQuat, DVec3};

use super::{GridBody, Mobility, TriangleGrid, TrianglePairVisitor, TriangleRef};
use crate::motion::Pose;
use crate::shape::{Mesh, Primitive};

type TrianglePair = [TriangleRef; 2];

/// All pairs that a search reports; asserts that each is reported once.
fn pairs(search: impl FnOnce(TrianglePairVisitor<'_>) -> ControlFlow<()>) -> BTreeSet<TrianglePair> {
    let mut found = BTreeSet::new();
    let end = search(&mut |a, b| {
        assert!(a < b, "{a:?} {b:?}");
        assert!(found.insert([a, b]), "{a:?} {b:?} twice");
        ControlFlow::Continue(())
    });
    assert_eq!(end, ControlFlow::Continue(()));
    found
}

fn overlap(grid: &TriangleGrid<'_>, pair: &TrianglePair) -> bool {
    let [[a, b, c], [p, q, r]] = pair.map(|name| grid.triangle(name));
    let low = [a.min(b).min(c), p.min(q).min(r)];
    let high = [a.max(b).max(c), p.max(q).max(r)];
    (0..3).all(|i| low[0][i] <= high[1][i] && low[1][i] <= high[0][i])
}

/// Asserts that a grid reports each pair of triangles whose bounds overlap, and no pair that need not be tested.
fn check(grid: &TriangleGrid<'_>, bodies: &[GridBody<'_>], what: &str) -> [usize; 2] {
    let mut all = BTreeSet::new();
    for (a, one) in (0..).zip(bodies) {
        for (b, other) in (0..a).zip(bodies) {
            if one.mobility == Mobility::Static && other.mobility == Mobility::Static {
                continue;
            }
            for s in (0..).take(one.mesh.triangles().len()) {
                let of_b = (0..).take(other.mesh.triangles().len());
                all.extend(
                    of_b.map(|t| {
                        [TriangleRef { body: b, triangle: t }, TriangleRef { body: a, triangle: s }]
                    }),
                );
            }
        }
    }
    assert_eq!(pairs(|visit| grid.all_pairs(visit)), all, "{what}");
    let found = pairs(|visit| grid.candidates(visit));
    assert!(found.is_subset(&all), "{what}");
    let missed: Vec<_> = all.difference(&found).filter(|pair| overlap(grid, pair)).collect();
    assert!(missed.is_empty(), "{what}: {missed:?}");
    [found.len(), all.len()]
}

fn pose(random: &mut Random, origin: DVec3, reach: f64) -> Pose {
    let place = DVec3::from_array([(); 3].map(|()| random.within(-reach, reach)));
    let turn = DQuat::from_xyzw(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.3, 0.4);
    // On average every other body is placed so that it touches another exactly.
    if random.within(0.0, 2.0) < 1.0 {
        Pose::from_position(origin + place.round()).unwrap()
    } else {
        Pose::new(origin + place, turn).unwrap()
    }
}

fn needle(length: f64) -> Mesh {
    Mesh::new(vec![DVec3::ZERO, length * DVec3::X, 0.5 * length * DVec3::X], vec![[0, 1, 2], [0, 0, 0]])
        .unwrap()
}

#[test]
fn overlapping_triangles_share_a_cell_after_moves() {
    let of = |primitive: Primitive| primitive.tessellate().unwrap().mesh;
    let (mut found, mut all) = (0, 0);
    for seed in 0..cases(80, 400_u64) {
        let random = &mut Random(seed << 32);
        let scale = 10_f64.powf(random.within(-6.0, 6.0).round());
        let origin = if seed.is_multiple_of(3) { DVec3::splat(1e6 * scale) } else { DVec3::ZERO };
        let meshes = [
            of(Primitive::Box { size: DVec3::new(1.0, 2.0, 1.0) * scale }),
            of(Primitive::Cylinder { radius: 0.5 * scale, height: 3.0 * scale }),
            of(Primitive::Box {
                size: DVec3::splat(if seed.is_multiple_of(5) { 1e6 } else { 1e-3 }) * scale,
            }),
            needle(2.0 * scale),
        ];
        let body = |i: usize, random: &mut Random| GridBody {
            mesh: &meshes[i % 4],
            pose: pose(random, origin, 3.0 * scale),
            mobility: if i.is_multiple_of(3) { Mobility::Static } else { Mobility::Dynamic },
        };
        let mut bodies: Vec<GridBody<'_>> = (0..(seed % 8) as usize).map(|i| body(i, random)).collect();
        let mut grid = TriangleGrid::new(&bodies).unwrap();
        let start = grid.clone();
        let came_from = bodies.clone();
        for turn in 0..3 {
            let [some, of_all] = check(&grid, &bodies, &format!("seed {seed}, {turn}"));
            (found, all) = (found + some, all + of_all);
            // Further and further outside the space of the grid.
            for (number, body) in (0..).zip(&mut bodies) {
                if body.mobility == Mobility::Dynamic {
                    body.pose = pose(random, origin, 10_f64.powi(turn) * 3.0 * scale);
                    grid.move_body(number, body.pose).unwrap();
                }
            }
        }
        // Back again, in another order.
        for (number, body) in (0..).zip(&came_from).collect::<Vec<(u32, _)>>().into_iter().rev() {
            if body.mobility == Mobility::Dynamic {
                grid.move_body(number, body.pose).unwrap();
            }
        }
        assert_eq!(grid, start, "seed {seed}");
    }
    assert!(found > 1_000 && 2 * found < all, "{found} of {all}");
}

#[test]
fn a_search_ends_when_its_visitor_returns_break() {
    let cube = Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh;
    let body = GridBody { mesh: &cube, pose: Pose::IDENTITY, mobility: Mobility::Dynamic };
    let grid = TriangleGrid::new(&[body, body]).unwrap();
    for by_grid in [0, 1] {
        let mut calls = 0;
        let visit: TrianglePairVisitor<'_> = &mut |_, _| {
            calls += 1;
            if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let end = if by_grid == 1 { grid.candidates(visit) } else { grid.all_pairs(visit) };
        assert_eq!((end, calls), (ControlFlow::Break(()), 3));
    }
}

#[test]
fn only_dynamic_bodies_of_the_grid_can_be_moved() {
    let cube = Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh;
    let body = |mobility| GridBody { mesh: &cube, pose: Pose::IDENTITY, mobility };
    let mut grid = TriangleGrid::new(&[body(Mobility::Static), body(Mobility::Dynamic)]).unwrap();
    let said = |result: Result<(), crate::Error>| result.unwrap_err().to_string();
    let refused = said(grid.move_body(0, Pose::IDENTITY));
    assert_eq!(refused, "body of the grid: found 0, expected a dynamic body");
    let refused = said(grid.move_body(2, Pose::IDENTITY));
    assert_eq!(refused, "body of the grid: found 2, expected the number of a body");
    grid.move_body(1, Pose::IDENTITY).unwrap();
    check(&TriangleGrid::new(&[]).unwrap(), &[], "none");
}

#[test]
fn memory_is_bounded_where_sizes_differ_widely() {
    let tiny = Primitive::Box { size: DVec3::splat(1e-4) }.tessellate().unwrap().mesh;
    let wall = Primitive::Box { size: DVec3::splat(100.0) }.tessellate().unwrap().mesh;
    let random = &mut Random(7);
    let mut bodies: Vec<GridBody<'_>> = (0..200)
        .map(|_| GridBody { mesh: &tiny, pose: pose(random, DVec3::ZERO, 50.0), mobility: Mobility::Dynamic })
        .collect();
    bodies.push(GridBody { mesh: &wall, pose: Pose::IDENTITY, mobility: Mobility::Static });
    for space in [[DVec3::ZERO; 2], [DVec3::splat(-1e9), DVec3::splat(1e9)], [DVec3::NAN, DVec3::INFINITY]] {
        let grid = TriangleGrid::with_space(&bodies, space).unwrap();
        let listed: usize = grid.cells.iter().map(Vec::len).sum();
        assert!(listed <= 16 * grid.triangles.len() && grid.cells.len() <= 64 * grid.triangles.len());
        check(&grid, &bodies, "tiny ones and a wall");
    }
}
