//! Bodies in flush poses on an integer grid, whose cells determine the depth.

use std::collections::BTreeSet;

use glam::{DQuat, DVec3};

use crate::body::PreparedMesh;
use crate::mesh_screw::query::{Options, Outcome};
use crate::motion::{Pose, Screw};
use crate::predict::{contact_intervals, first_contact};
use crate::shape::{Mesh, Primitive};
use chasles_testing::{Random, cases};

type GridCell = [i32; 3];

/// The surface of a set of unit cells, as a closed mesh: two triangles for each side that belongs to a single cell.
fn surface(cells: &BTreeSet<GridCell>) -> PreparedMesh {
    let (mut points, mut faces): (Vec<DVec3>, Vec<[u32; 3]>) = Default::default();
    for cell in cells {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut next = *cell;
                next[axis] += 2 * side - 1;
                if cells.contains(&next) {
                    continue;
                }
                let first = u32::try_from(points.len()).unwrap();
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                for (i, j) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                    let mut corner = *cell;
                    corner[axis] += side;
                    corner[u] += i;
                    corner[v] += j;
                    points.push(DVec3::from_array(corner.map(f64::from)));
                }
                let quad = [first, first + 1, first + 2, first + 3];
                let quad = if side == 1 { quad } else { [quad[0], quad[3], quad[2], quad[1]] };
                faces.extend([[quad[0], quad[1], quad[2]], [quad[0], quad[2], quad[3]]]);
            }
        }
    }
    PreparedMesh::new(Mesh::new(points, faces).unwrap())
}

fn block(from: GridCell, size: GridCell) -> BTreeSet<GridCell> {
    let range = |c: usize| from[c]..from[c] + size[c];
    let cells = range(0).flat_map(|x| range(1).flat_map(move |y| range(2).map(move |z| [x, y, z])));
    cells.collect()
}

/// A box, an L, a T or a U.
fn shape(random: &mut Random) -> BTreeSet<GridCell> {
    let mut draw = || 1 + i32::try_from(random.below(4)).unwrap();
    let size = [draw(), draw(), draw()];
    let mut cells = block([0; 3], size);
    if random.below(2) == 0 {
        // A second block that shares a side with the first, flush at the bottom.
        let mut draw = |most: i32| 1 + i32::try_from(random.below(usize::try_from(most).unwrap())).unwrap();
        let (width, height) = (draw(size[1]), draw(size[2]));
        cells.extend(block([size[0], 0, 0], [draw(3), width, height]));
    }
    cells
}

/// Whether the surfaces of two sets of cells intersect for all translations by less than a cell, including 0. On
/// the grid only the signs of a translation matter, so 27 translations represent all.
fn are_deep(a: &BTreeSet<GridCell>, b: &BTreeSet<GridCell>) -> bool {
    let moves = (0..27).map(|k| [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1]);
    moves.into_iter().all(|[x, y, z]| {
        // Each cell becomes 4 x 4 x 4 small ones. A is moved by one small cell, a quarter of a cell.
        let fine = |cells: &BTreeSet<GridCell>, aside: GridCell| -> BTreeSet<GridCell> {
            let all = cells.iter().flat_map(|cell| block(cell.map(|c| 4 * c), [4; 3]));
            all.map(|cell| [cell[0] + aside[0], cell[1] + aside[1], cell[2] + aside[2]]).collect()
        };
        let (a, b) = (fine(a, [x, y, z]), fine(b, [0; 3]));
        let shared = a.intersection(&b).count();
        // A body is strictly inside the other if the other contains its small cells and all their neighbours.
        let is_inside = |inner: &BTreeSet<GridCell>, outer: &BTreeSet<GridCell>| {
            let around = inner.iter().flat_map(|cell| block(cell.map(|c| c - 1), [3; 3]));
            around.into_iter().all(|cell| outer.contains(&cell))
        };
        // The surfaces intersect if the bodies share a small cell, and neither is strictly inside the other.
        shared > 0 && !is_inside(&a, &b) && !is_inside(&b, &a)
    })
}

fn outcome(a: &PreparedMesh, b: &PreparedMesh, pose: &Pose, displacement: DVec3) -> Outcome {
    let screw = Screw::translation(*pose, displacement);
    let found = first_contact(a, b, &screw, &Options::default()).unwrap().outcome;
    let intervals = contact_intervals(a, b, &screw, &Options::default()).unwrap().outcome;
    let kind = |outcome: &Outcome| std::mem::discriminant(outcome);
    assert_eq!(kind(&found), kind(&intervals), "{found:?} {intervals:?}");
    found
}

#[test]
fn bodies_on_a_grid_overlap_if_no_small_translation_separates_them() {
    let (mut deep, mut touching, mut clear) = (0, 0, 0);
    for seed in 0..cases(50, 150) {
        let random = &mut Random(seed);
        let (a, b) = (shape(random), shape(random));
        let aside = [0; 3].map(|_| i32::try_from(random.below(7)).unwrap() - 3);
        let moved: BTreeSet<GridCell> =
            a.iter().map(|c| [c[0] + aside[0], c[1] + aside[1], c[2] + aside[2]]).collect();
        let bodies = [&a, &b].map(surface);
        let pose = Pose::from_position(DVec3::from_array(aside.map(f64::from))).unwrap();
        // The same bodies elsewhere in the world, rotated: flush up to rounding.
        let rotation = if seed % 2 == 0 { DQuat::IDENTITY } else { random.even_rotation() };
        let world = Pose::new(random.vector(10.0), rotation).unwrap();
        let pose = if seed % 2 == 0 { pose } else { world.inverse().compose(&world.compose(&pose)) };
        let found = outcome(&bodies[0], &bodies[1], &pose, 0.25 * random.vector(1.0));
        let expected = are_deep(&moved, &b);
        match found {
            Outcome::Overlapping(_) => {
                deep += 1;
                assert!(expected, "seed {seed}: only touching");
            }
            Outcome::Contact(_) | Outcome::Clear => {
                assert!(!expected, "seed {seed}: {found:?}");
                touching += usize::from(matches!(found, Outcome::Contact(contact) if contact.time[0] == 0.0));
                clear += usize::from(matches!(found, Outcome::Clear));
            }
            Outcome::Undecided { .. } => panic!("seed {seed}: {found:?}"),
        }
    }
    assert!(deep > 2 && touching > 4 && clear > 3, "{deep} deep, {touching} touching, {clear} clear");
}

#[test]
fn a_coincident_body_overlaps_and_a_neighbour_does_not() {
    let shapes = [
        Primitive::Box { size: DVec3::new(1.0, 2.0, 3.0) },
        Primitive::Cylinder { radius: 0.5, height: 2.0 },
        Primitive::Cone { radius: 0.5, height: 1.0 },
        Primitive::Capsule { radius: 0.3, height: 1.0 },
    ];
    for shape in shapes {
        let body = PreparedMesh::new(shape.tessellate().unwrap().mesh);
        for seed in 0..4 {
            let rotation = Random(seed).even_rotation();
            let pose = Pose::new(DVec3::new(0.3, -0.2, 0.7), rotation).unwrap();
            let seen = Screw::still(pose).in_frame_of(&pose).start();
            let found = outcome(&body, &body, &seen, 0.1 * DVec3::X);
            assert!(matches!(found, Outcome::Overlapping(_)), "{shape:?}: {found:?}");
        }
    }
    // Cylinders with a common axis and radius: one higher by half, one shorter, one on top of the other.
    let cylinder = |height: f64| {
        PreparedMesh::new(Primitive::Cylinder { radius: 0.5, height }.tessellate().unwrap().mesh)
    };
    let at = |z: f64| Pose::from_position(DVec3::Z * z).unwrap();
    for (height, z, deep) in [(2.0, 1.0, true), (1.0, 0.2, true), (1.0, 0.5, true), (2.0, 2.0, false)] {
        let found = outcome(&cylinder(height), &cylinder(2.0), &at(z), 0.01 * DVec3::X);
        assert_eq!(matches!(found, Outcome::Overlapping(_)), deep, "{height} {z}: {found:?}");
    }
}

#[test]
fn a_cup_in_a_cup_that_fits_only_touches() {
    // A cup is a block without its middle, open at the top. The inner cup fits into the outer cup on all sides.
    let cup = |size: i32, height: i32| {
        let mut cells = block([0; 3], [size, size, height]);
        let hollow = block([1, 1, 1], [size - 2, size - 2, height]);
        cells.retain(|cell| !hollow.contains(cell));
        cells
    };
    let (inner, outer) = (surface(&cup(4, 3)), surface(&cup(6, 4)));
    for aside in [DVec3::ZERO, 1e-10 * DVec3::new(1.0, -0.5, 0.3)] {
        let pose = Pose::from_position(DVec3::ONE + aside).unwrap();
        let found = outcome(&inner, &outer, &pose, 0.5 * DVec3::Z);
        assert!(matches!(found, Outcome::Contact(contact) if contact.time[0] == 0.0), "{found:?}");
    }
    // A block that fills a hollow of its size, and a block in a corner of a larger box.
    let mut around = block([0; 3], [5; 3]);
    around.retain(|cell| cell.iter().any(|c| *c == 0 || *c == 4));
    let filling = surface(&block([0; 3], [3; 3]));
    let found =
        outcome(&filling, &surface(&around), &Pose::from_position(DVec3::ONE).unwrap(), 0.1 * DVec3::X);
    assert!(!matches!(found, Outcome::Overlapping(_)), "{found:?}");
    let (small, large) = (surface(&block([0; 3], [2; 3])), surface(&block([0; 3], [5; 3])));
    let found = outcome(&small, &large, &Pose::IDENTITY, 0.1 * DVec3::ONE);
    assert!(matches!(found, Outcome::Contact(contact) if contact.time[0] == 0.0), "{found:?}");
}
