//! Points inside and outside closed surfaces, compared with rays in other directions in whole numbers, and with
//! winding numbers.

use chasles_testing::{Random, cases};
use glam::{DQuat, DVec3};

use super::inside::{Location, is_inside};
use super::triangle_gap_tests::{power, rotation};
use crate::body::PreparedMesh;
use crate::shape::{Mesh, MeshFacts};

/// Whole numbers, so that results are exact.
type WholePoint = [i128; 3];

type WholeMesh = (Vec<WholePoint>, Vec<[u32; 3]>);

fn minus(a: WholePoint, b: WholePoint) -> WholePoint {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: WholePoint, b: WholePoint) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: WholePoint, b: WholePoint) -> WholePoint {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn is_on(p: WholePoint, [a, b, c]: [WholePoint; 3]) -> bool {
    let normal = cross(minus(b, a), minus(c, a));
    let sides = [[a, b], [b, c], [c, a]];
    if normal == [0; 3] {
        return sides.iter().any(|[v, w]| {
            let (along, r) = (minus(*w, *v), minus(p, *v));
            cross(along, r) == [0; 3]
                && dot(along, r) >= 0
                && dot(minus(p, *w), along) <= 0
                && (along != [0; 3] || r == [0; 3])
        });
    }
    let is_outside = |[v, w]: &[WholePoint; 2]| dot(cross(minus(*w, *v), minus(p, *v)), normal) < 0;
    dot(normal, minus(p, a)) == 0 && !sides.iter().any(is_outside)
}

/// Whether a ray passes through a triangle; `None` if it meets the border.
fn passes((p, direction): (WholePoint, WholePoint), [a, b, c]: [WholePoint; 3]) -> Option<bool> {
    let normal = cross(minus(b, a), minus(c, a));
    if normal == [0; 3] {
        return Some(false);
    }
    let orientation = |v: WholePoint, w: WholePoint| dot(cross(minus(v, p), minus(w, p)), direction).signum();
    let orientations = [orientation(a, b), orientation(b, c), orientation(c, a)];
    if orientations.contains(&1) && orientations.contains(&-1) {
        return Some(false);
    }
    if orientations.contains(&0) {
        return None;
    }
    Some(dot(normal, minus(a, p)).signum() == dot(normal, direction).signum())
}

/// The slow twin: rays in random directions, until one meets no border.
fn by_counting(raw: &WholeMesh, p: WholePoint, random: &mut Random) -> Location {
    let triangles = || raw.1.iter().map(|t| t.map(|v| raw.0[v as usize]));
    if triangles().any(|t| is_on(p, t)) {
        return Location::OnSurface;
    }
    loop {
        let direction = [0; 3].map(|_| whole(random.within(-1e4, 1e4)));
        let count = triangles().try_fold(0, |n, t| Some(n + i32::from(passes((p, direction), t)?)));
        match count {
            Some(n) if n % 2 == 1 => return Location::Inside,
            Some(_) => return Location::Outside,
            None => {}
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "small numbers")]
fn whole(x: f64) -> i128 {
    x.round() as i128
}

/// The triangles of an octahedron, or with each triangle divided into four.
fn sphere(fine: bool) -> (usize, Vec<[u32; 3]>) {
    let faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    if !fine {
        return (6, faces.to_vec());
    }
    let mut middles = Vec::new();
    let mut middle = |v: u32, w: u32| {
        let edge = (v.min(w), v.max(w));
        let at = middles.iter().position(|e| *e == edge).unwrap_or_else(|| {
            middles.push(edge);
            middles.len() - 1
        });
        6 + u32::try_from(at).unwrap()
    };
    let cut = faces.iter().flat_map(|&[a, b, c]| {
        let [d, e, f] = [middle(a, b), middle(b, c), middle(c, a)];
        [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
    });
    let cut = cut.collect();
    (6 + middles.len(), cut)
}

fn box_of(lo: WholePoint, hi: WholePoint) -> WholeMesh {
    let corner = |i: usize| [0, 1, 2].map(|bit| if i >> bit & 1 == 1 { hi[bit] } else { lo[bit] });
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    ((0..8).map(corner).collect(), faces)
}

fn both(mut a: WholeMesh, b: WholeMesh) -> WholeMesh {
    let n = u32::try_from(a.0.len()).unwrap();
    a.0.extend(b.0);
    a.1.extend(b.1.iter().map(|t| t.map(|v| v + n)));
    a
}

/// A torus of quads, each divided into two triangles, with corners on a grid.
fn torus(random: &mut Random, radius: f64) -> WholeMesh {
    let (around, across) = (7, 5);
    let angle = |i: u32, n: u32| std::f64::consts::TAU * f64::from(i) / f64::from(n);
    let rotation = rotation(random);
    let mut raw = (Vec::new(), Vec::new());
    for i in 0..around {
        for j in 0..across {
            let ((s, c), (up, out)) = (angle(i, around).sin_cos(), angle(j, across).sin_cos());
            let v = radius * (rotation * DVec3::new((1.0 + 0.4 * out) * c, (1.0 + 0.4 * out) * s, 0.4 * up));
            raw.0.push(v.to_array().map(whole));
            let at = |i: u32, j: u32| i % around * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            raw.1.extend([[a, b, c], [a, c, d]]);
        }
    }
    raw
}

/// A closed surface, usually self-intersecting, flat, or of needles, and its approximate size.
fn surface(random: &mut Random) -> (WholeMesh, f64) {
    let (raw, size) = match random.below(7) {
        // Corners on a coarse grid: many of them coincide, and many triangles are flat.
        kind @ 0..=2 => {
            let size = [1.0, 3.0, 40.0][kind];
            let (count, faces) = sphere(random.below(2) == 0);
            let vertices = (0..count).map(|_| random.vector(size).to_array().map(whole));
            ((vertices.collect(), faces), size)
        }
        3 => (box_of([-2; 3], [2; 3]), 2.0),
        // Nested shells, the inner one hollow, with or without a small body in it.
        4 => {
            let shells = both(box_of([-4; 3], [4; 3]), box_of([-3; 3], [2, 3, 3]));
            let shift = whole(random.within(-1.0, 1.0));
            (both(shells, box_of([shift - 1, -1, -1], [shift + 1, 1, 1])), 4.0)
        }
        5 => {
            let length = 1 << 18;
            let (count, faces) = sphere(false);
            let vertices = (0..count).map(|_| {
                let [x, y, z] = random.vector(2.0).to_array().map(whole);
                [whole(random.within(-1.0, 1.0) * length as f64), x, y + z]
            });
            ((vertices.collect(), faces), 3.0)
        }
        _ => (torus(random, 30.0), 40.0),
    };
    // Midpoints of edges and centroids of triangles are whole numbers, too.
    (((raw.0.iter().map(|v| v.map(|x| 6 * x)).collect()), raw.1), 6.0 * size)
}

/// A random point, or a point at a special location.
fn point(raw: &WholeMesh, size: f64, random: &mut Random) -> WholePoint {
    let face = raw.1[random.below(raw.1.len())].map(|v| raw.0[v as usize]);
    let [a, b, c] = face;
    let sum = |weights: [i128; 3]| {
        [0, 1, 2].map(|i| (weights[0] * a[i] + weights[1] * b[i] + weights[2] * c[i]) / 6)
    };
    match random.below(7) {
        0 => a,
        1 => sum([3, 3, 0]),
        2 => sum([2, 2, 2]),
        // In the plane of a triangle beyond an edge, and collinear with an edge.
        3 => sum([6, 6, -6]),
        4 => sum([12, -6, 0]),
        5 => [0, 1, 2].map(|i| sum([2, 2, 2])[i] + whole(random.within(-2.0, 2.0))),
        _ => random.vector(1.2 * size).to_array().map(whole),
    }
}

fn placed(raw: &WholeMesh, place: impl Fn(WholePoint) -> DVec3) -> PreparedMesh {
    PreparedMesh::from(Mesh::new(raw.0.iter().map(|v| place(*v)).collect(), raw.1.clone()).unwrap())
}

#[test]
fn locations_agree_with_exact_counts_of_crossings() {
    let mut found = [0; 3];
    for seed in 0..cases(250, 1500) {
        let random = &mut Random(seed);
        let (raw, size) = surface(random);
        // All sizes, and far from the origin; exact for all of them.
        let scale = 2.0_f64.powi([0, -3, -700, 200][random.below(4)]);
        let far = [[0.0; 3], [1_048_576.0, -3_145_728.0, 7.0]][random.below(2)];
        let place = |v: WholePoint| scale * (DVec3::from_array(v.map(|x| x as f64)) + DVec3::from_array(far));
        let body = placed(&raw, place);
        for _ in 0..24 {
            let p = point(&raw, size, random);
            let expected = by_counting(&raw, p, random);
            assert_eq!(is_inside(&body, place(p)), expected, "seed {seed}: {p:?} {raw:?}");
            found[expected as usize] += 1;
        }
    }
    assert!(found.iter().all(|n| *n > 300), "{found:?}");
}

/// The winding number of a surface about a point, from the solid angles of its triangles (van Oosterom, Strackee
/// 1983).
fn winding_number(mesh: &Mesh, p: DVec3) -> f64 {
    let angle = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|v| (mesh.vertex(v) - p).normalize());
        2.0 * a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
    };
    mesh.triangles().iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

#[test]
fn locations_agree_with_winding_numbers() {
    let mut inside = 0;
    for seed in 0..cases(80, 400) {
        let random = &mut Random(1_000_000 + seed);
        let (raw, size) = if seed % 2 == 0 { (torus(random, 1e6), 1.5e6) } else { surface(random) };
        let rotation: DQuat = rotation(random);
        let jitter = power(random, -9.0, -3.0);
        let moved: Vec<DVec3> = raw
            .0
            .iter()
            .map(|v| rotation * DVec3::from_array(v.map(|x| x as f64)) + size * jitter * random.vector(1.0))
            .collect();
        let body = PreparedMesh::from(Mesh::new(moved, raw.1.clone()).unwrap());
        for _ in 0..30 {
            let p = size * random.vector(1.0);
            let winding = winding_number(body.mesh(), p);
            // This close to the surface, the computed angles are not accurate.
            if (winding - winding.round()).abs() > 1e-6 {
                continue;
            }
            let odd = whole(winding) % 2 != 0;
            let expected = if odd { Location::Inside } else { Location::Outside };
            assert_eq!(is_inside(&body, p), expected, "seed {seed}: {p} {winding}");
            inside += i32::from(odd);
        }
    }
    assert!(inside > 150, "{inside}");
}

#[test]
fn shells_within_each_other() {
    let raw = both(both(box_of([0; 3], [9; 3]), box_of([1; 3], [8; 3])), box_of([3; 3], [6; 3]));
    let body = placed(&raw, |v| DVec3::from_array(v.map(|x| x as f64)));
    assert!(MeshFacts::of(body.mesh()).closed);
    for (x, expected) in [
        (-1.0, Location::Outside),
        (0.0, Location::OnSurface),
        (0.5, Location::Inside),
        (2.0, Location::Outside),
        (4.5, Location::Inside),
        (6.0, Location::OnSurface),
        (6.0 + 1e-15, Location::Outside),
        (9.0 - 2e-15, Location::Inside),
    ] {
        // Rays through corners, through edges, and through the diagonals of faces.
        for p in [DVec3::splat(x), DVec3::new(x, 4.5, 4.5), DVec3::new(4.5, 4.5, x)] {
            assert_eq!(is_inside(&body, p), expected, "{p}");
        }
    }
    for p in [DVec3::splat(f64::MAX), DVec3::splat(1e70), DVec3::new(-1e300, 4.5, 4.5)] {
        assert_eq!(is_inside(&body, p), Location::Outside, "{p}");
    }
}
