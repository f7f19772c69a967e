//! The gap of two meshes compared with every pair of triangles, and its bounds in 32 bits compared with known
//! points.

use chasles_testing::meshes::{box_of, grid};
use chasles_testing::{Random, cases};
use glam::{DMat3, DQuat, DVec3};

use super::gap::{Gap, GapLimits, GapSearch, gap};
use super::gap_bounds::{HierarchyPose, PlacedEight, PlacedLane, gaps};
use super::triangle_gap::TriangleCorners;
use super::triangle_gap_tests::{on_grid, power, rotation, triangle};
use crate::body::PreparedMesh;
use crate::bvh::layout::{BoxBlock, NONE, TriangleBlock, WIDTH};
use crate::math::distance::{point_triangle, segment_segment};
use crate::math::lanes::Instructions;
use crate::mesh_screw::chart::narrow;
use crate::mesh_screw::overlap::triangles_intersect;
use crate::motion::Pose;
use crate::shape::Mesh;

pub(crate) type RawMesh = (Vec<DVec3>, Vec<[u32; 3]>);

fn soup(count: u32, mut corners: impl FnMut(u32) -> TriangleCorners) -> RawMesh {
    let vertices = (0..count).flat_map(&mut corners).collect();
    (vertices, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect())
}

fn tube((n, m): (u32, u32), radii: [f64; 2]) -> RawMesh {
    grid((n, m), |u, v| {
        let (sin, cos) = (std::f64::consts::TAU * u).sin_cos();
        let (up, out) = (std::f64::consts::TAU * v).sin_cos();
        let r = radii[0] + radii[1] * out;
        DVec3::new(r * cos, r * sin, radii[1] * up)
    })
}

/// A shape of size about one.
pub(crate) fn shape(random: &mut Random) -> RawMesh {
    match random.below(9) {
        0 => box_of(DVec3::ONE),
        1 => box_of(DVec3::new(1.0, power(random, -8.0, 0.0), power(random, -8.0, 0.0))),
        2 => tube((6, 5), [0.5, 0.2]),
        3 => grid((5, 5), |u, v| DVec3::new(u - 0.5, v - 0.5, 0.0)),
        4 => grid((5, 5), |u, v| DVec3::new(u - 0.5, v - 0.5, 0.1 * (9.0 * u).sin() * (7.0 * v).cos())),
        5 => soup(20, |_| triangle(random).0.map(|p| 0.5 * p)),
        6 => {
            let thin = power(random, -15.0, -3.0);
            soup(12, |_| [0; 3].map(|_| random.vector(0.6) * DVec3::new(1.0, thin, thin)))
        }
        7 => soup(30, |_| {
            let at = random.vector(0.5);
            [0; 3].map(|_| at + random.vector(1e-3))
        }),
        _ => soup(1, |_| triangle(random).0),
    }
}

struct GapCase {
    a: RawMesh,
    b: RawMesh,
    pose: Pose,
}

impl GapCase {
    fn bodies(&self) -> (PreparedMesh, PreparedMesh) {
        let body = |raw: &RawMesh| PreparedMesh::new(Mesh::new(raw.0.clone(), raw.1.clone()).unwrap());
        (body(&self.a), body(&self.b))
    }
}

/// Shapes of similar or different sizes, near or far from each other, with or without parallel faces, near or far
/// from their origins.
fn case(random: &mut Random) -> GapCase {
    let (mut a, mut b) = (shape(random), shape(random));
    if random.below(8) == 0 {
        b = a.clone();
    }
    let mut spacing =
        [random.vector(2.0), random.vector(0.8), on_grid(random, 1.5), random.vector(30.0)][random.below(4)];
    if random.below(5) == 0 {
        // Faces of boxes and plates that nearly coincide.
        spacing =
            [1.0 + power(random, -16.0, -1.0), 1.0][random.below(2)] * [DVec3::X, DVec3::Z][random.below(2)];
    }
    let rotation = if random.below(3) == 0 { DQuat::IDENTITY } else { rotation(random) };
    if random.below(6) == 0 {
        let scale = power(random, -6.0, 6.0);
        a.0.iter_mut().for_each(|p| *p *= scale);
        spacing *= scale.max(1.0);
    }
    let scale = [1.0, 1e-6, 1e6][random.below(3)];
    let far = [[DVec3::ZERO; 2], [random.vector(1e6), random.vector(1e6)]][random.below(2)];
    a.0.iter_mut().for_each(|p| *p = scale * *p + far[0]);
    b.0.iter_mut().for_each(|p| *p = scale * *p + far[1]);
    let pose = Pose::new(scale * spacing + far[1] - rotation * far[0], rotation).unwrap();
    GapCase { a, b, pose }
}

/// A case; every third is moved until the bodies almost touch.
fn close_case(random: &mut Random) -> GapCase {
    let case = case(random);
    if random.below(3) > 0 {
        return case;
    }
    let (a, b) = case.bodies();
    let Gap { points: [p, q], .. } = gap(&mut GapSearch::default(), &a, &b, &case.pose, &GapLimits::EXACT);
    let closer = (1.0 - power(random, -16.0, -2.0)) * (q - p);
    let pose = Pose::new(case.pose.position() + closer, case.pose.rotation()).unwrap();
    GapCase { pose, ..case }
}

/// The placed triangles, relative to the centre of B, and a bound of their error.
fn placed(
    a: &PreparedMesh,
    b: &PreparedMesh,
    pose: &Pose,
) -> (Vec<TriangleCorners>, Vec<TriangleCorners>, f64) {
    let (a, b) = (a.mesh(), b.mesh());
    let rotated_centre = pose.rotation() * a.centre();
    let offset = pose.position() - b.centre() + rotated_centre;
    let faces = |mesh: &Mesh| 0..u32::try_from(mesh.triangles().len()).unwrap();
    let on_a = faces(a).map(|f| a.local_triangle(f).map(|p| offset + pose.rotation() * p)).collect();
    let on_b = faces(b).map(|f| b.local_triangle(f)).collect();
    let reach = offset.length() + a.diagonal() + b.diagonal() + rotated_centre.length();
    (on_a, on_b, 16.0 * f64::EPSILON * reach)
}

/// The slow twin: every pair of triangles, every pair of features.
fn least_distance(on_a: &[TriangleCorners], on_b: &[TriangleCorners]) -> f64 {
    let edges = |t: &TriangleCorners| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let mut least = f64::INFINITY;
    for a in on_a {
        for b in on_b {
            let faces =
                a.iter().map(|p| point_triangle(*p, b)).chain(b.iter().map(|p| point_triangle(*p, a)));
            let sides = edges(a).map(|e| edges(b).map(|f| segment_segment(e, f)));
            let squared = faces.chain(sides.into_iter().flatten()).map(|closest| closest.squared);
            least = squared.fold(least, f64::min);
            if triangles_intersect(a, b) {
                return 0.0;
            }
        }
    }
    least.sqrt()
}

#[test]
fn the_gap_is_that_of_the_nearest_pair() {
    let search = &mut GapSearch::default();
    let (mut touching, mut near, mut separated) = (0, 0, 0);
    for seed in 0..cases(500, 2500) {
        let random = &mut Random(seed);
        let case = close_case(random);
        let (a, b) = case.bodies();
        let (on_a, on_b, rounding) = placed(&a, &b, &case.pose);
        let truth = least_distance(&on_a, &on_b);
        let found = gap(search, &a, &b, &case.pose, &GapLimits::EXACT);
        let what = || format!("seed {seed}: {truth} {rounding} {found:?}");
        assert!(found.lower <= truth + rounding && found.upper <= truth + 3.0 * rounding, "{}", what());
        assert!(found.lower <= found.upper && (truth > 0.0 || found.lower == 0.0), "{}", what());
        // The points are on the triangles, and have the stated distance.
        let far =
            4.0 * f64::EPSILON * (b.mesh().centre().length() + a.mesh().diagonal() + b.mesh().diagonal());
        let [face_a, face_b] = found.faces.map(|f| f as usize);
        let [p, q] = found.points.map(|p| p - b.mesh().centre());
        assert!(point_triangle(p, &on_a[face_a]).squared.sqrt() <= rounding + far, "{}", what());
        assert!(point_triangle(q, &on_b[face_b]).squared.sqrt() <= rounding + far, "{}", what());
        let distance = if found.upper == 0.0 { 0.0 } else { p.distance(q) };
        assert!((distance - found.upper).abs() <= 2.0 * (rounding + far), "{}", what());
        touching += i32::from(found.upper == 0.0);
        near += i32::from(found.upper > 0.0 && truth < 1e-3 * a.mesh().diagonal());
        separated += i32::from(found.lower > 0.0);
        // A search leaves no state behind, and the portable kernels give the same result.
        let mut portable = GapSearch::default();
        portable.instructions = Instructions::Portable;
        assert_eq!(gap(&mut portable, &a, &b, &case.pose, &GapLimits::EXACT), found, "{}", what());
    }
    assert!(touching > 20 && near > 12 && separated > 200, "{touching} {near} {separated}");
}

#[test]
fn swapped_bodies_have_the_same_gap() {
    let search = &mut GapSearch::default();
    for seed in 0..cases(300, 2000) {
        let random = &mut Random(1_000_000 + seed);
        let case = close_case(random);
        let (a, b) = case.bodies();
        let inverse = case.pose.inverse();
        let (_, _, rounding) = placed(&a, &b, &case.pose);
        let (_, _, back) = placed(&b, &a, &inverse);
        // The inverse pose is itself rounded.
        let far = 1e-15 * (case.pose.position().length() + inverse.position().length());
        let margin = 4.0 * (rounding + back + far);
        let found = gap(search, &a, &b, &case.pose, &GapLimits::EXACT);
        let swapped = gap(search, &b, &a, &inverse, &GapLimits::EXACT);
        assert!((found.upper - swapped.upper).abs() <= margin, "seed {seed}: {found:?} {swapped:?} {margin}");
    }
    let (cube, plate) = (
        PreparedMesh::from(mesh(&box_of(DVec3::ONE))),
        PreparedMesh::from(mesh(&box_of(DVec3::new(3.0, 4.0, 1.0)))),
    );
    // A corner of the cube, which balances on it, above the plate.
    let rotation = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::NEG_Z);
    let pose = Pose::new(DVec3::new(0.1, 0.2, 0.5 + 0.75_f64.sqrt() + 0.25), rotation).unwrap();
    let found = gap(search, &cube, &plate, &pose, &GapLimits::EXACT);
    assert!((found.upper - 0.25).abs() < 5e-14 && (found.lower - 0.25).abs() < 5e-14, "{found:?}");
    assert!(found.points[0].distance(DVec3::new(0.1, 0.2, 0.75)) < 1e-14, "{found:?}");
    assert!(found.points[1].distance(DVec3::new(0.1, 0.2, 0.5)) < 1e-14, "{found:?}");
    let swapped = gap(search, &plate, &cube, &pose.inverse(), &GapLimits::EXACT);
    let [on_plate, on_cube] = swapped.points.map(|p| pose.transform_point(p));
    assert!(on_plate.distance(found.points[1]) < 1e-14 && on_cube.distance(found.points[0]) < 1e-14);
}

pub(crate) fn mesh(raw: &RawMesh) -> Mesh {
    Mesh::new(raw.0.clone(), raw.1.clone()).unwrap()
}

#[test]
fn every_limit_is_kept() {
    let search = &mut GapSearch::default();
    let exact = GapLimits::EXACT;
    let mut spared = [0; 4];
    for seed in 0..cases(400, 2000) {
        let random = &mut Random(2_000_000 + seed);
        let case = close_case(random);
        let (a, b) = case.bodies();
        let (_, _, rounding) = placed(&a, &b, &case.pose);
        let Gap { lower, upper, .. } = gap(search, &a, &b, &case.pose, &exact);
        let check = |found: &Gap| {
            let what = format!("seed {seed}: {lower} {upper} {found:?}");
            assert!(found.lower <= upper && found.upper >= upper * (1.0 - 1e-15), "{what}");
            what
        };
        // No search can decide more than the exact search.
        let margin = 2.0 * (upper - lower) + 4.0 * rounding;

        let relative = power(random, -4.0, -0.1);
        let found = gap(search, &a, &b, &case.pose, &GapLimits { relative, ..exact });
        let what = check(&found);
        assert!(found.upper - found.lower <= relative * found.upper + margin, "{what} {relative}");
        spared[0] += i32::from(found.upper > upper);

        let absolute = power(random, -4.0, 0.0) * a.mesh().diagonal();
        let found = gap(search, &a, &b, &case.pose, &GapLimits { absolute, ..exact });
        let what = check(&found);
        assert!(found.upper - found.lower <= absolute + margin, "{what} {absolute}");

        let beyond = random.within(0.0, 2.0) * upper;
        let found = gap(search, &a, &b, &case.pose, &GapLimits { beyond, ..exact });
        let what = check(&found);
        assert!(found.lower >= beyond || found.upper - found.lower <= margin, "{what} {beyond}");
        spared[1] += i32::from(found.upper > upper);

        let enough = random.within(0.0, 3.0) * upper;
        let found = gap(search, &a, &b, &case.pose, &GapLimits { enough, ..exact });
        let what = check(&found);
        assert!(found.upper <= enough || found.upper - found.lower <= margin, "{what} {enough}");
        spared[2] += i32::from(found.upper > upper);

        // After too few steps the bounds are still valid.
        let steps = random.below(30) as u64;
        let found = gap(search, &a, &b, &case.pose, &GapLimits { steps, ..exact });
        check(&found);
        assert!(found.steps <= steps, "seed {seed}: {} steps of {steps}", found.steps);
        spared[3] += i32::from(found.lower < lower);
    }
    assert!(spared.iter().all(|n| *n > 12), "{spared:?}");
}

#[test]
fn larger_meshes_need_no_allocation() {
    let search = &mut GapSearch::default();
    let (knee, ring) = (
        PreparedMesh::from(mesh(&tube((24, 12), [0.7, 0.25]))),
        PreparedMesh::from(mesh(&tube((20, 16), [0.8, 0.2]))),
    );
    for seed in 0..cases(10, 40) {
        let random = &mut Random(3_000_000 + seed);
        let pose = Pose::new(random.vector(1.5), rotation(random)).unwrap();
        let (on_a, on_b, rounding) = placed(&knee, &ring, &pose);
        let truth = least_distance(&on_a, &on_b);
        let found = gap(search, &knee, &ring, &pose, &GapLimits::EXACT);
        assert!((found.upper - truth).abs() <= 3.0 * rounding, "seed {seed}: {truth} {found:?}");
        assert!(truth - found.lower <= 1e-13, "seed {seed}: {truth} {found:?}");
        let mut again = None;
        let counted = allocation_counter::measure(|| {
            again = Some(gap(search, &knee, &ring, &pose, &GapLimits::EXACT));
        });
        assert_eq!((again, counted.count_total), (Some(found), 0), "seed {seed}");
    }
}

#[test]
fn extreme_and_nan_numbers_are_accepted() {
    let search = &mut GapSearch::default();
    let raw = box_of(DVec3::ONE);
    let nan = f64::NAN;
    let no_numbers = GapLimits { beyond: nan, relative: nan, absolute: nan, enough: nan, ..GapLimits::EXACT };
    let scales: [f64; 7] = [5e-324, 1e-310, 1e-200, 1e-30, 1.0, 1e30, 9e69];
    for scale in scales {
        for other in scales {
            let body = |scale: f64| {
                PreparedMesh::from(mesh(&(raw.0.iter().map(|p| scale * *p).collect(), raw.1.clone())))
            };
            for position in [0.0_f64, 1.5 * scale, 4.0 * scale, other, 1e-5, 9e69] {
                let pose = Pose::from_position(DVec3::new(position.min(9e69), 0.0, 0.0)).unwrap();
                // The smaller cube is inside the larger one, or outside.
                let (x, reach) = (pose.position().x, 0.5 * (scale + other));
                let truth = (0.5 * (scale - other).abs() - x).max(x - reach);
                let (a, b) = (body(scale), body(other));
                for limits in [GapLimits::EXACT, no_numbers] {
                    let found = gap(search, &a, &b, &pose, &limits);
                    let margin = 1e-14 * (scale + other + position) + 1e-300;
                    assert!(found.lower <= truth.max(0.0) + margin, "{scale} {other} {position} {found:?}");
                    assert!(found.upper >= truth - margin, "{scale} {other} {position} {found:?}");
                }
            }
        }
    }
}

/// Eight boxes and eight triangles with exact corners.
struct EightMeshes {
    boxes: BoxBlock,
    triangles: TriangleBlock,
    corners: [TriangleCorners; WIDTH],
}

impl EightMeshes {
    const EMPTY: Self = Self {
        boxes: BoxBlock {
            centre: [[0.0; WIDTH]; 3],
            axes: [[[0.0; WIDTH]; 3]; 3],
            octagon: [[0.0; WIDTH]; 2],
            child: [0; WIDTH],
        },
        triangles: TriangleBlock { corners: [[[0.0; WIDTH]; 3]; 3], face: [0; WIDTH] },
        corners: [[DVec3::ZERO; 3]; WIDTH],
    };

    /// Puts a box and a triangle into a lane, each of which has its support point along -n at a given position.
    fn put(&mut self, lane: usize, (place, n): (DVec3, DVec3), random: &mut Random) {
        let size = power(random, -6.0, 0.0);
        let axes = [size * random.vector(0.5), size * random.vector(0.5), 0.01 * size * random.vector(1.0)];
        let centre = place + axes.iter().map(|g| g.dot(n).signum() * *g).sum::<DVec3>();
        let mut corners = [place; 3];
        for corner in &mut corners[1..] {
            let side = size * random.vector(0.5);
            *corner += side.dot(n).signum() * side;
        }
        self.corners[lane] = corners;
        for c in 0..3 {
            self.boxes.centre[c][lane] = narrow(centre[c]);
            for k in 0..3 {
                self.boxes.axes[k][c][lane] = narrow(axes[k][c]);
                self.triangles.corners[k][c][lane] = narrow(corners[k][c]);
            }
        }
    }

    /// The support points of the box and of the triangle along a direction.
    fn furthest(&self, lane: usize, n: DVec3) -> [DVec3; 2] {
        let vector = |v: &[[f32; WIDTH]; 3]| DVec3::from_array(v.map(|x| f64::from(x[lane])));
        let axes = self.boxes.axes.each_ref().map(vector);
        let corner = vector(&self.boxes.centre) + axes.iter().map(|g| g.dot(n).signum() * *g).sum::<DVec3>();
        let along = |p: &&DVec3, q: &&DVec3| p.dot(n).total_cmp(&q.dot(n));
        [corner, *self.corners[lane].iter().max_by(along).unwrap()]
    }

    fn placed(&self, place: &HierarchyPose, instructions: Instructions) -> [PlacedEight; 2] {
        let mut out = [PlacedEight::EMPTY; 2];
        out[0].place_boxes(&self.boxes, place, instructions);
        out[1].place_triangles(&self.triangles, place, instructions);
        out
    }
}

#[test]
fn bounds_in_32_bits_are_no_more_than_the_distance_of_any_points() {
    let (mut positive, mut tight) = (0, 0);
    for seed in 0..cases(1000, 6000) {
        let random = &mut Random(4_000_000 + seed);
        let n = random.vector(1.0).normalize();
        let rotation = DMat3::from_quat(rotation(random));
        let (unit_a, unit_b) = (power(random, -3.0, 0.0), power(random, -3.0, 0.0));
        let margin = [0.0, 1e-5][random.below(2)];
        let (at_a, at_b) = (random.vector(0.5), random.vector(0.5));
        let place_a = HierarchyPose::new(rotation, at_a, unit_a, 1.0, margin);
        let place_b = HierarchyPose::new(DMat3::IDENTITY, at_b, unit_b, 1.0, margin);
        let mut a = EightMeshes::EMPTY;
        a.put(0, (random.vector(0.5), rotation.transpose() * n), random);
        // The bounds are valid after a displacement of A by less than its margin.
        let shift = margin * random.vector(0.5);
        let on_a = a.furthest(0, rotation.transpose() * n).map(|p| at_a + shift + rotation * (unit_a * p));
        let spacing = [0.0, power(random, -8.0, 0.0)][random.below(2)];
        let mut b = EightMeshes::EMPTY;
        for lane in 0..WIDTH {
            b.put(lane, ((on_a[lane % 2] + spacing * n - at_b) / unit_b, n), random);
        }
        b.boxes.child[7] = NONE;
        for (kind_a, p) in on_a.iter().enumerate() {
            for kind_b in 0..2 {
                let bounds = [Instructions::Detected, Instructions::Portable].map(|instructions| {
                    let (a, b) = (a.placed(&place_a, instructions), b.placed(&place_b, instructions));
                    (
                        gaps(PlacedLane { block: &a[kind_a], lane: 0 }, &b[kind_b], instructions),
                        gaps(PlacedLane { block: &b[kind_b], lane: 0 }, &a[kind_a], instructions),
                    )
                });
                assert_eq!(bounds[0], bounds[1], "seed {seed}");
                for lane in 0..WIDTH {
                    let q = at_b + unit_b * b.furthest(lane, -n)[kind_b];
                    let (bound, distance) = (f64::from(bounds[0].0[lane]), p.distance(q));
                    if kind_b == 0 && lane == 7 {
                        assert!(bound.is_infinite());
                        continue;
                    }
                    assert!(bound <= distance, "seed {seed} {kind_a}{kind_b} {lane}: {bound} {distance}");
                    positive += i32::from(bound > 0.0);
                    tight += i32::from(bound > 0.5 * distance);
                }
                let (bound, q) = (f64::from(bounds[0].1[0]), at_b + unit_b * b.furthest(0, -n)[kind_b]);
                assert!(bound <= p.distance(q), "seed {seed} {kind_a}{kind_b}: {bound}");
            }
        }
    }
    assert!(positive > 2_800 && tight > 1_300, "{positive} {tight}");
}
