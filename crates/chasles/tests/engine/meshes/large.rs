//! Meshes of 100,000 triangles, compared with samples of their overlap by an independent method.

use std::collections::HashMap;

use crate::cases::extremes::sphere;
use crate::cases::{Case, Raw, count, pose, torus};
use chasles::triangles_intersect;
use chasles::{Mesh, Options, Outcome, PreparedMesh, Query, QueryKind, Screw, Workspace};
use chasles_testing::Random;
use glam::DVec3;

/// Triangles by the cells of a uniform grid that their bounding boxes intersect.
struct Grid {
    cell: f64,
    cells: HashMap<[i64; 3], Vec<u32>>,
    triangles: Vec<[DVec3; 3]>,
}

fn bounds(t: &[DVec3; 3]) -> (DVec3, DVec3) {
    (t[0].min(t[1]).min(t[2]), t[0].max(t[1]).max(t[2]))
}

impl Grid {
    fn new(raw: &Raw, cell: f64) -> Self {
        let triangles: Vec<_> = raw.1.iter().map(|t| t.map(|v| raw.0[v as usize])).collect();
        let mut grid = Self { cell, cells: HashMap::new(), triangles };
        for (i, triangle) in (0..).zip(&grid.triangles) {
            for at in cells_of(cell, triangle) {
                grid.cells.entry(at).or_default().push(i);
            }
        }
        grid
    }

    /// Whether a triangle intersects one of the grid.
    fn meets(&self, triangle: &[DVec3; 3]) -> bool {
        let (low, high) = bounds(triangle);
        cells_of(self.cell, triangle).filter_map(|at| self.cells.get(&at)).flatten().any(|i| {
            let other = &self.triangles[*i as usize];
            let (from, to) = bounds(other);
            low.cmple(to).all() && from.cmple(high).all() && triangles_intersect(triangle, other)
        })
    }
}

/// The cells that the bounding box of a triangle intersects.
fn cells_of(cell: f64, triangle: &[DVec3; 3]) -> impl Iterator<Item = [i64; 3]> {
    let (low, high) = bounds(triangle);
    #[expect(clippy::cast_possible_truncation, reason = "the meshes are small")]
    let number = |p: DVec3| (p / cell).to_array().map(|x| x.floor() as i64);
    let (low, high) = (number(low), number(high));
    let range = move |c: usize| low[c]..=high[c];
    range(0).flat_map(move |x| range(1).flat_map(move |y| range(2).map(move |z| [x, y, z])))
}

/// Whether the surfaces intersect at a time.
fn intersect(case: &Case, grid: &Grid, t: f64) -> bool {
    let at = |v: &DVec3| case.screw.point_at(case.screw.start().transform_point(*v), t);
    let moved: Vec<DVec3> = case.a.0.iter().map(at).collect();
    case.a.1.iter().any(|f| grid.meets(&f.map(|v| moved[v as usize])))
}

/// A motion past the other body, of one of the kinds that the chart distinguishes.
fn motion(random: &mut Random, kind: u64) -> Screw {
    let start = pose(1.6 * random.direction(), random.rotation());
    let (axis, to) = (random.direction(), 0.7 * random.direction() - start.position());
    match kind % 6 {
        0 => Screw::translation(start, 1.5 * to),
        1 => Screw::between(start, pose(start.position() + 1.5 * to, random.rotation())),
        // About an axis through B, with several turns on the way.
        2 => Screw::about(start, to, random.vector(0.1), 1.5 * to.length(), 20.0).unwrap(),
        // Rotating about itself while it approaches.
        3 => Screw::about(start, to, start.position(), 1.5 * to.length(), random.within(1.0, 9.0)).unwrap(),
        // About an axis beside both, and about one far away.
        4 => Screw::about(start, axis, random.vector(1.5), 0.3, 3.0).unwrap(),
        _ => {
            let far = 1e6 * to.normalize().any_orthonormal_vector();
            let axis = far.cross(to).normalize();
            Screw::about(start, axis, start.position() - far, 0.0, -1.5 * to.length() / 1e6).unwrap()
        }
    }
}

#[test]
fn sampled_overlap_of_large_meshes_contradicts_no_answer() {
    let mut ring = torus(0.55, 0.22, (320, 160));
    for v in &mut ring.0 {
        *v *= 1.0 + 0.01 * ((40.0 * v.x).sin() + (35.0 * v.y).sin() * (50.0 * v.z).cos());
    }
    let shapes = [sphere(6, 0.04), ring];
    let bodies = shapes.clone().map(|raw| PreparedMesh::new(Mesh::new(raw.0, raw.1).unwrap()));
    let grids = [0, 1].map(|i| Grid::new(&shapes[i], 0.02));
    let workspace = &mut Workspace::default();
    let (mut met, mut crossed) = (0, 0);
    let motions = 12 * (count(1) / 10).max(1);
    for seed in 0..motions {
        let random = &mut Random(seed);
        let (i, j) = (random.below(2), random.below(2));
        let case = Case { a: shapes[i].clone(), b: shapes[j].clone(), screw: motion(random, seed) };
        let prediction = Query { a: &bodies[i], b: &bodies[j], screw: case.screw }
            .predict(QueryKind::FirstContact, &Options::default(), workspace)
            .unwrap();
        let outcome = prediction.outcome;
        let free_until = match &outcome {
            Outcome::Clear => 1.0,
            Outcome::Contact(contact) => contact.time[0],
            Outcome::Overlapping(_) => {
                assert!(intersect(&case, &grids[j], 0.0), "seed {seed}");
                continue;
            }
            Outcome::Undecided { .. } => unreachable!("seed {seed}: {outcome:?}"),
        };
        let close = [1e-9, 1e-7, 1e-5, 1e-3].map(|dt| free_until - dt);
        let samples = (0..4).map(|_| free_until * random.unit()).chain(close);
        for t in samples.filter(|t| *t >= 0.0 && *t < free_until) {
            assert!(!intersect(&case, &grids[j], t), "seed {seed}: at {t}, {outcome:?}");
        }
        if let Outcome::Contact(contact) = &outcome {
            met += 1;
            assert!(contact.time[1] - contact.time[0] < 1e-6, "seed {seed}: wide, {contact:?}");
            let soon = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4].map(|dt| contact.time[1] + dt);
            crossed += u64::from(soon.into_iter().any(|t| intersect(&case, &grids[j], t)));
        }
    }
    assert!(2 * met > motions && 10 * crossed >= 9 * met, "{crossed} of {met} of {motions}");
}
