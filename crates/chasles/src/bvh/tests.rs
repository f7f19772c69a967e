//! The guarantees of every hierarchy, checked on meshes of all kinds.

use chasles_testing::meshes;
use glam::{DQuat, DVec3};

use super::layout::{Bvh, LEAF, NONE, WIDTH};
use crate::body::PreparedMesh;
use crate::shape::Mesh;

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    #[expect(clippy::cast_precision_loss, reason = "random bits")]
    let x = (*seed >> 11) as f64 / (1_u64 << 53) as f64;
    2.0 * x - 1.0
}

fn random_point(seed: &mut u64) -> DVec3 {
    DVec3::new(random(seed), random(seed), random(seed))
}

/// A grid of twice n by n triangles, mapped from the unit square.
fn grid(n: u32, image: impl Fn(f64, f64) -> DVec3) -> Mesh {
    let (vertices, triangles) = meshes::grid((n, n), image);
    Mesh::new(vertices, triangles).unwrap()
}

fn sphere(n: u32) -> Mesh {
    grid(n, |u, v| {
        let (sin, cos) = (std::f64::consts::TAU * u).sin_cos();
        let (ring, height) = (std::f64::consts::PI * v).sin_cos();
        DVec3::new(ring * cos, ring * sin, height)
    })
}

/// Separate triangles of three random points each.
fn soup(count: u32, mut point: impl FnMut(u32) -> DVec3) -> Mesh {
    let vertices = (0..3 * count).map(|i| point(i / 3)).collect();
    Mesh::new(vertices, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap()
}

fn meshes() -> Vec<(&'static str, Mesh)> {
    let seed = &mut 1;
    let mut all = vec![
        ("sphere", sphere(20)),
        ("large sphere", sphere(120)),
        ("one triangle", soup(1, |_| random_point(seed))),
        ("nine triangles", soup(9, |_| random_point(seed))),
        ("soup", soup(1000, |_| random_point(seed))),
        ("long prism", grid(30, |u, v| DVec3::new(1e3 * u, (7.0 * v).cos(), (7.0 * v).sin()))),
        ("oblique plane", grid(30, |u, v| u * DVec3::new(1.0, 2.0, 3.0) + v * DVec3::new(-3.0, 1.0, 1.0))),
        ("line", grid(20, |u, v| (u + v) * DVec3::new(1.0, 2.0, 3.0))),
        ("point", grid(20, |_, _| DVec3::new(0.1, 0.2, 0.3))),
        ("far away", soup(500, |_| DVec3::splat(1e6) + 1e-3 * random_point(seed))),
        ("needles", soup(500, |_| random_point(seed) * DVec3::new(1.0, 1e-9, 1e-15))),
        ("crumbs", soup(500, |i| random_point(&mut u64::from(i)) + 1e-13 * random_point(seed))),
        ("geometric series", soup(900, |i| 0.5_f64.powf(f64::from(i)) * random_point(seed))),
    ];
    for (name, scale) in [
        ("tiny", 1e-60),
        ("huge", 1e60),
        ("largest", 9e69),
        ("no squares", 1e-160),
        ("denormal", 1e-310),
        ("least", 5e-324),
    ] {
        all.push((name, soup(300, |_| scale * random_point(seed))));
    }
    let corners = vec![DVec3::X, DVec3::Y, DVec3::Z];
    all.push(("equal triangles", Mesh::new(corners, vec![[0, 1, 2]; 10_000]).unwrap()));
    all
}

/// A bound of the distance of a point from a box; negative inside.
fn outside(bvh: &Bvh, (block, lane): (usize, usize), point: DVec3) -> f64 {
    let block = &bvh.boxes[block];
    let vector = |v: &[[f32; WIDTH]; 3]| DVec3::from_array(v.map(|x| f64::from(x[lane])));
    let axes = block.axes.each_ref().map(vector);
    let offset = point - vector(&block.centre);
    let place = |i: usize| {
        let across = axes[(i + 1) % 3].cross(axes[(i + 2) % 3]);
        offset.dot(across) / axes[i].dot(across)
    };
    let over = |i: usize| (place(i).abs() - 1.0) * axes[i].length();
    // The distance beyond a cut, in lengths of the shorter axis.
    let cut =
        |k: usize, along: f64| (along.abs() - 1.0 - f64::from(block.octagon[k][lane])) * axes[1].length();
    let (x, y) = (place(0), place(1));
    over(0).max(over(1)).max(over(2)).max(cut(0, x + y)).max(cut(1, x - y))
}

/// Checks the boxes above a block, outermost first, and the block's content; counts the triangles.
fn check_child(mesh: &Mesh, bvh: &Bvh, above: &mut Vec<(usize, usize)>, seen: &mut [u32]) {
    let &(block, lane) = above.last().unwrap();
    let child = bvh.boxes[block].child[lane];
    if child & LEAF == 0 {
        check_block(mesh, bvh, child as usize, above, seen);
        return;
    }
    let leaf = &bvh.triangles[(child & !LEAF) as usize];
    let live = leaf.face.iter().take_while(|face| **face != NONE).count();
    assert!(live > 0);
    for lane in 0..WIDTH {
        let face = leaf.face[lane];
        let corner = |i: usize| DVec3::from_array(leaf.corners[i].map(|x| f64::from(x[lane])));
        if lane >= live {
            assert!(face == NONE && (0..3).all(|i| corner(i) == DVec3::ZERO));
            continue;
        }
        seen[face as usize] += 1;
        for (i, v) in mesh.local_triangle(face).iter().enumerate() {
            let v = *v / bvh.unit;
            assert!(corner(i).distance(v) < 1e-7, "{v} {}", corner(i));
            for at in above.iter() {
                let over = outside(bvh, *at, v);
                assert!(over < 1e-14, "{over} outside {at:?}");
            }
        }
    }
}

fn check_block(mesh: &Mesh, bvh: &Bvh, block: usize, above: &mut Vec<(usize, usize)>, seen: &mut [u32]) {
    let boxes = &bvh.boxes[block];
    let live = boxes.child.iter().take_while(|child| **child != NONE).count();
    assert!(live > usize::from(block > 0));
    for lane in 0..WIDTH {
        let all =
            boxes.centre.iter().chain(boxes.axes.iter().flatten()).chain(&boxes.octagon).map(|x| x[lane]);
        if lane >= live {
            assert!(boxes.child[lane] == NONE && all.clone().all(|x| x == 0.0));
            continue;
        }
        assert!(all.clone().all(|x| x.abs() <= 2.0), "{:?}", all.collect::<Vec<_>>());
        let half = boxes.axes.map(|axis| axis.map(|x| f64::from(x[lane])));
        let half = half.map(|axis| DVec3::from_array(axis).length());
        assert!(
            half[0] * 1.000_001 >= half[1] && half[1] * 1.000_001 >= half[2] && half[2] > 0.0,
            "{half:?}"
        );
        above.push((block, lane));
        check_child(mesh, bvh, above, seen);
        above.pop();
    }
}

#[test]
fn boxes_contain_all_nodes_below_them() {
    for (name, mesh) in meshes() {
        let bvh = Bvh::build(&mesh);
        assert!(bvh.unit.to_bits() << 12 == 0 && bvh.unit >= mesh.radius(), "{name}: {}", bvh.unit);
        assert!(bvh.unit < 2.0 * mesh.radius() || mesh.radius() < 1e-300, "{} {}", bvh.unit, mesh.radius());
        let mut seen = vec![0; mesh.triangles().len()];
        assert_eq!(bvh.boxes[0].child[1], NONE, "the first block has one child");
        check_block(&mesh, &bvh, 0, &mut Vec::new(), &mut seen);
        assert!(seen.iter().all(|count| *count == 1), "{name}: every triangle is in one leaf");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for (name, mesh) in meshes() {
        let build = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Bvh::build(&mesh))
        };
        let one = build(1);
        assert!(one == build(2) && one == build(8), "{name}");
    }
}

#[test]
fn boxes_rotate_with_the_surface() {
    let mesh = grid(30, |u, v| u * DVec3::new(1.0, 2.0, 3.0) + v * DVec3::new(-3.0, 1.0, 1.0));
    let bvh = Bvh::build(&mesh);
    for block in &bvh.boxes {
        for lane in (0..WIDTH).filter(|lane| block.child[*lane] != NONE) {
            let thin = DVec3::from_array(block.axes[2].map(|x| f64::from(x[lane])));
            assert!(thin.length() < 2e-6, "{thin}");
        }
    }
}

#[test]
fn corners_without_points_are_cut_off() {
    let octagon = |mesh: &Mesh| Bvh::build(mesh).boxes[0].octagon.map(|k| f64::from(k[0]));
    let disc = grid(40, |u, v| {
        let (sin, cos) = (std::f64::consts::TAU * u).sin_cos();
        v * DVec3::new(cos, sin, 0.0)
    });
    let round = std::f64::consts::SQRT_2 - 1.0;
    assert!(octagon(&disc).iter().all(|k| (k - round).abs() < 0.01), "{:?}", octagon(&disc));
    // A parallelogram fills two of the corners of its box, and reaches half of the way to the others.
    let slanted = |u: f64, v: f64| DVec3::new(3.0 * u + v, v, 0.0);
    let [k0, k1] = octagon(&grid(4, slanted));
    let (least, most) = (k0.min(k1), k0.max(k1));
    assert!((least - 0.5).abs() < 1e-5 && most == 1.0, "{least}, {most}");
}

/// The sum of the areas of all boxes, to which the time of queries is proportional.
fn cost(mesh: &Mesh) -> f64 {
    let bvh = Bvh::build(mesh);
    let mut sum = 0.0;
    for block in &bvh.boxes {
        for lane in (0..WIDTH).filter(|lane| block.child[*lane] != NONE) {
            let half = block.axes.map(|axis| DVec3::from_array(axis.map(|x| f64::from(x[lane]))).length());
            sum += half[0] * half[1] + half[1] * half[2] + half[2] * half[0];
        }
    }
    sum * bvh.unit * bvh.unit
}

#[test]
fn a_tilted_mesh_costs_no_more() {
    let tilt = DQuat::from_rotation_z(0.4) * DQuat::from_rotation_x(0.7);
    // An angled part, whose principal axes differ from those of its faces.
    let section = [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0), (0.0, 0.0)];
    let part = |turn: DQuat| {
        grid(24, |u, v| {
            let at = 6.0 * u;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 6")]
            let i = (at as usize).min(5);
            let (part, (a, b)) = (at - at.floor().min(5.0), (section[i], section[i + 1]));
            turn * DVec3::new(a.0 + part * (b.0 - a.0), a.1 + part * (b.1 - a.1), 5.0 * v)
        })
    };
    let costs = [DQuat::IDENTITY, tilt].map(|turn| cost(&part(turn)));
    assert!((costs[1] / costs[0] - 1.0).abs() < 0.05, "{costs:?}");
}

#[test]
fn blocks_are_nearly_full() {
    let mesh = sphere(100);
    let bvh = Bvh::build(&mesh);
    let leaves = bvh.triangles.len();
    assert!(mesh.triangles().len() > 7 * leaves, "{leaves} leaves");
    assert!(leaves > 4 * bvh.boxes.len(), "{} blocks", bvh.boxes.len());
    let bytes = PreparedMesh::new(mesh.clone()).hierarchy_bytes();
    assert!(bytes < 56 * mesh.triangles().len(), "{bytes} bytes");
}
