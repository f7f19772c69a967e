//! Intersecting bodies of a grid at their current poses, by the two methods and the two stopping rules of Sinjur.
//!
//! "Collision detection between moving objects using uniform space subdivision", 4.1: stop at the first two triangles
//! that intersect, or continue until all colliding bodies are known, skipping pairs that are known already. The raw
//! method tests every pair of triangles, the grid method (4.2) only pairs that share a cell. A test first compares
//! the bounds of two triangles, then calls [`triangles_intersect`], which is exact where the paper's rule for
//! coplanar triangles (5) is wrong.

use std::ops::ControlFlow;

use glam::DVec3;
use rustc_hash::FxHashSet;

use crate::mesh_screw::overlap::triangles_intersect;
use crate::papers::triangle_grid::{TriangleGrid, TriangleRef};

/// How pairs of triangles are chosen. Both methods give the same results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StaticMethod {
    /// Only pairs that share a cell.
    #[default]
    Grid,
    /// All pairs.
    Raw,
}

/// The work of a static check, in pairs of triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StaticCounters {
    /// Pairs of triangles that were tested, as the paper counts them.
    pub pairs: u64,
    /// Pairs with overlapping bounds, which needed the exact test.
    pub exact: u64,
}

/// The result of [`first_hit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstHit {
    /// Two triangles that intersect, the lower first, or `None`. If there are several, the method decides which;
    /// whether there are any does not depend on the method.
    pub triangles: Option<[TriangleRef; 2]>,
    /// The work.
    pub counters: StaticCounters,
}

/// The result of [`colliding_bodies`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollidingBodies {
    /// The pairs of bodies whose surfaces intersect, lower number first, sorted.
    pub bodies: Vec<[u32; 2]>,
    /// The work.
    pub counters: StaticCounters,
}

/// Whether any two bodies intersect; stops at the first two triangles found that intersect. Two static bodies are not
/// compared.
///
/// Guarantee: exact for the corners that [`TriangleGrid::triangle`] returns, which are within one or two units in the
/// last place of the true corners: surfaces that touch exactly may give either result.
#[must_use]
pub fn first_hit(grid: &TriangleGrid<'_>, method: StaticMethod) -> FirstHit {
    let mut answer = FirstHit { triangles: None, counters: StaticCounters::default() };
    let _ = each_pair(grid, method, &mut |a, b| {
        if answer.counters.intersect(grid, [a, b]) {
            answer.triangles = Some([a, b]);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    answer
}

/// Finds all pairs of bodies that intersect. Once a pair is known, its other triangles are not tested.
///
/// Guarantee: as [`first_hit`].
#[must_use]
pub fn colliding_bodies(grid: &TriangleGrid<'_>, method: StaticMethod) -> CollidingBodies {
    let (mut known, mut counters) = (FxHashSet::default(), StaticCounters::default());
    let _ = each_pair(grid, method, &mut |a, b| {
        let bodies = [a.body, b.body];
        if !known.contains(&bodies) && counters.intersect(grid, [a, b]) {
            known.insert(bodies);
        }
        ControlFlow::Continue(())
    });
    let mut bodies: Vec<_> = known.into_iter().collect();
    bodies.sort_unstable();
    CollidingBodies { bodies, counters }
}

fn each_pair(
    grid: &TriangleGrid<'_>,
    method: StaticMethod,
    visit: &mut dyn FnMut(TriangleRef, TriangleRef) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match method {
        StaticMethod::Grid => grid.candidates(visit),
        StaticMethod::Raw => grid.all_pairs(visit),
    }
}

impl StaticCounters {
    /// Whether two triangles intersect.
    fn intersect(&mut self, grid: &TriangleGrid<'_>, pair: [TriangleRef; 2]) -> bool {
        self.pairs += 1;
        let [a, b] = pair.map(|name| grid.triangle(name));
        let low = |t: &[DVec3; 3]| t[0].min(t[1]).min(t[2]);
        let high = |t: &[DVec3; 3]| t[0].max(t[1]).max(t[2]);
        if !(low(&a).cmple(high(&b)).all() && low(&b).cmple(high(&a)).all()) {
            return false;
        }
        self.exact += 1;
        triangles_intersect(&a, &b)
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use chasles_testing::{Random, cases};

    use super::*;
    use crate::motion::Pose;
    use crate::papers::triangle_grid::{GridBody, Mobility};
    use crate::shape::{Mesh, Primitive};

    fn cube(size: f64) -> Mesh {
        Primitive::Box { size: DVec3::splat(size) }.tessellate().unwrap().mesh
    }

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose::from_position(DVec3::new(x, y, z)).unwrap()
    }

    #[test]
    fn both_rules_by_both_methods() {
        let cube = cube(1.0);
        let body = |pose, mobility| GridBody { mesh: &cube, pose, mobility };
        let bodies = [
            body(at(0.0, 0.0, 0.0), Mobility::Static),
            body(at(0.5, 0.5, 0.5), Mobility::Static),
            body(at(3.0, 0.0, 0.0), Mobility::Dynamic),
            body(at(6.0, 0.0, 0.0), Mobility::Dynamic),
        ];
        let mut grid = TriangleGrid::new(&bodies).unwrap();
        let check = |grid: &TriangleGrid<'_>, expected: &[[u32; 2]]| {
            let [by_grid, raw] = [StaticMethod::Grid, StaticMethod::Raw].map(|method| {
                let found = colliding_bodies(grid, method);
                assert_eq!(found.bodies, expected, "{method:?}");
                let first = first_hit(grid, method);
                assert_eq!(first.triangles.is_some(), !expected.is_empty(), "{method:?}");
                if let Some(pair) = first.triangles {
                    assert!(expected.contains(&pair.map(|t| t.body)), "{method:?}: {pair:?}");
                    let [a, b] = pair.map(|t| grid.triangle(t));
                    assert!(triangles_intersect(&a, &b));
                    assert!(first.counters.pairs <= found.counters.pairs);
                }
                found.counters
            });
            assert!(by_grid.pairs < raw.pairs && by_grid.exact <= raw.exact, "{by_grid:?} {raw:?}");
        };
        // The two static bodies overlap, but are not compared.
        check(&grid, &[]);
        assert_eq!(colliding_bodies(&grid, StaticMethod::Raw).counters.pairs, 5 * 144);
        grid.move_body(3, at(3.5, 0.5, 0.5)).unwrap();
        check(&grid, &[[2, 3]]);
        grid.move_body(2, at(1.2, 0.4, 0.3)).unwrap();
        check(&grid, &[[1, 2]]);
        grid.move_body(3, at(0.9, 0.1, -0.2)).unwrap();
        check(&grid, &[[0, 3], [1, 2], [1, 3], [2, 3]]);
        // Outside the space of the grid.
        grid.move_body(2, at(-50.0, 0.0, 0.0)).unwrap();
        grid.move_body(3, at(-50.5, 0.5, 0.2)).unwrap();
        check(&grid, &[[2, 3]]);
    }

    #[test]
    fn a_star_of_two_coplanar_triangles_collides() {
        let up = vec![DVec3::new(-1.0, -0.6, 0.0), DVec3::new(1.0, -0.6, 0.0), DVec3::new(0.0, 1.2, 0.0)];
        let mesh = Mesh::new(up, vec![[0, 1, 2]]).unwrap();
        let turned = Pose::new(DVec3::ZERO, DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0)).unwrap();
        let of = |pose| GridBody { mesh: &mesh, pose, mobility: Mobility::Dynamic };
        let grid = TriangleGrid::new(&[of(Pose::IDENTITY), of(turned)]).unwrap();
        for method in [StaticMethod::Grid, StaticMethod::Raw] {
            assert_eq!(colliding_bodies(&grid, method).bodies, [[0, 1]]);
        }
    }

    /// Triangles of many sizes and kinds: whole-number corners touch exactly, and some triangles have no area.
    fn soup(random: &mut Random, size: f64) -> Mesh {
        let whole = random.within(0.0, 2.0) < 1.0;
        let count = random.within(1.0, 9.0);
        let mut vertices = Vec::new();
        for _ in 0..(0..).take_while(|i| f64::from(*i) < count).count() {
            let reach = if random.within(0.0, 6.0) < 1.0 { 4.0 * size } else { size };
            let mut point = || DVec3::from_array([(); 3].map(|()| random.within(-reach, reach)));
            let mut corners = [point(), point(), point()];
            if whole {
                corners = corners.map(|p| (p / size * 2.0).round() * (0.5 * size));
            }
            vertices.extend(corners);
        }
        let triangles = (0..).step_by(3).map(|i| [i, i + 1, i + 2]).take(vertices.len() / 3).collect();
        Mesh::new(vertices, triangles).unwrap()
    }

    /// All triangles of all bodies against all, from the definition.
    fn twin(grid: &TriangleGrid<'_>, bodies: &[GridBody<'_>]) -> Vec<[u32; 2]> {
        let triangles = |body: u32| {
            let count = bodies[body as usize].mesh.triangles().len();
            (0..).take(count).map(move |triangle| grid.triangle(TriangleRef { body, triangle }))
        };
        let mut out = Vec::new();
        for a in 0..u32::try_from(bodies.len()).unwrap() {
            for b in 0..a {
                let tested = [a, b].iter().any(|i| bodies[*i as usize].mobility == Mobility::Dynamic);
                if tested && triangles(a).any(|s| triangles(b).any(|t| triangles_intersect(&s, &t))) {
                    out.push([b, a]);
                }
            }
        }
        out.sort_unstable();
        out
    }

    #[test]
    fn grid_and_raw_method_find_what_all_triangles_against_all_find() {
        let mut contacts = [0; 2];
        for seed in 0..cases(200, 1500_u64) {
            let random = &mut Random(seed << 32);
            let size = 10_f64.powf(random.within(-6.0, 6.0).round());
            let origin = if seed % 4 == 0 { 1e6 * size } else { 0.0 };
            let count = (seed % 7) as usize;
            let meshes: Vec<Mesh> = (0..count).map(|_| soup(random, size)).collect();
            let pose = |random: &mut Random| {
                let mut place = || origin + size * random.within(-4.0, 4.0).round();
                let (position, w) = (DVec3::new(place(), place(), place()), random.within(-1.0, 1.0));
                let turn = if w < 0.0 { DQuat::IDENTITY } else { DQuat::from_xyzw(0.3, w, 0.2, 0.5) };
                Pose::new(position, turn).unwrap()
            };
            let body = |mesh| {
                let is_static = random.within(0.0, 3.0) < 1.0;
                let mobility = if is_static { Mobility::Static } else { Mobility::Dynamic };
                GridBody { mesh, pose: pose(random), mobility }
            };
            let mut bodies: Vec<GridBody<'_>> = meshes.iter().map(body).collect();
            let mut grid = TriangleGrid::new(&bodies).unwrap();
            for turn in 0..3 {
                let expected = twin(&grid, &bodies);
                for method in [StaticMethod::Grid, StaticMethod::Raw] {
                    let found = colliding_bodies(&grid, method).bodies;
                    assert_eq!(found, expected, "seed {seed}, {turn}, {method:?}");
                    let any = first_hit(&grid, method).triangles.is_some();
                    assert_eq!(any, !expected.is_empty(), "seed {seed}, {turn}, {method:?}");
                }
                contacts[usize::from(expected.is_empty())] += 1;
                for (number, body) in (0..).zip(&mut bodies) {
                    if body.mobility == Mobility::Dynamic {
                        body.pose = pose(random);
                        grid.move_body(number, body.pose).unwrap();
                    }
                }
            }
        }
        assert!(contacts.iter().all(|n| *n > 60), "{contacts:?}");
    }
}
