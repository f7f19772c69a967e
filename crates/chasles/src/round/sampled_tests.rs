//! Round pairs against dense samples.

use glam::{DQuat, DVec3};

use super::support::RoundShape;
use super::tests::{Meshed, pose, v};
use super::*;
use crate::round::support::tests::round;
use crate::shape::{Mesh, Primitive};
use chasles_testing::{Random, cases};

/// A mesh of a few random triangles, a box, or a coarse polyhedron, offset from its frame's centre by `offset`.
pub(super) fn random_mesh(random: &mut Random, scale: f64, offset: DVec3) -> Mesh {
    let mesh = match random.below(3) {
        0 => Primitive::Box { size: scale * v(random.within(0.1, 1.5), random.within(0.1, 1.5), 0.7) },
        1 => Primitive::Cone { radius: scale * random.within(0.1, 0.9), height: scale },
        _ => {
            let count = [1, 2, 3, 4][random.below(4)];
            let mut points: Vec<DVec3> =
                (0..3 * count).map(|_| scale * random.vector(1.0) + offset).collect();
            // Sometimes a needle or a point.
            if random.below(3) == 0 {
                points[2] = points[0] + 1e-9 * (points[2] - points[0]);
            }
            if random.below(6) == 0 {
                (points[1], points[2]) = (points[0], points[0]);
            }
            return Mesh::new(points, (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
        }
    };
    let mesh = mesh.tessellate().unwrap().mesh;
    let points = (0_u32..).take(mesh.vertex_count()).map(|i| mesh.vertex(i) + offset).collect();
    Mesh::new(points, mesh.triangles().to_vec()).unwrap()
}

/// Points all over a surface.
fn mesh_samples(mesh: &Mesh, steps: u32) -> Vec<DVec3> {
    let fraction = |i: u32| f64::from(i) / f64::from(steps);
    let mut all = Vec::new();
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|i| mesh.vertex(i));
        for (i, j) in (0..=steps).flat_map(|i| (0..=steps - i).map(move |j| (i, j))) {
            all.push(a + fraction(i) * (b - a) + fraction(j) * (c - a));
        }
    }
    all
}

/// Points all over a round surface: support points in many directions, and points of the caps.
fn round_samples(round: RoundShape, count: u32) -> Vec<DVec3> {
    let placed = super::at_origin(round);
    let mut all = Vec::new();
    for i in 0..count {
        let z = 1.0 - 2.0 * (f64::from(i) + 0.5) / f64::from(count);
        let angle = 2.399_963_229_728_653 * f64::from(i);
        let n = v((1.0 - z * z).sqrt() * angle.cos(), (1.0 - z * z).sqrt() * angle.sin(), z);
        let p = placed.support(n);
        all.push(p);
        // Along its straight lines, and towards the middle of a cap.
        if let Some([low, high]) = placed.line_facing(n) {
            let fraction = f64::from(i % 17) / 16.0;
            all.push(low + fraction * (high - low));
            all.push(v(fraction * low.x, fraction * low.y, low.z));
            all.push(v(fraction * high.x, fraction * high.y, high.z));
        }
        if let RoundShape::Capsule { height, .. } = round {
            all.push(p - v(0.0, 0.0, p.z.signum() * height * f64::from(i % 17) / 16.0));
        }
    }
    all
}

/// Minimum and maximum signed distance of samples of a surface.
fn signed_range(round: RoundShape, points: impl Iterator<Item = DVec3>) -> (f64, f64) {
    let placed = super::at_origin(round);
    points.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), p| {
        let (value, _) = placed.signed_distance(p);
        (lo.min(value), hi.max(value))
    })
}

/// The gap according to dense samples; `None` if they are on both sides.
#[derive(Debug)]
struct Sampled {
    gap: Option<f64>,
    /// The maximum distance of a surface point from the nearest sample.
    mesh_width: f64,
}

/// Compares a state with samples. The gap is at most the sampled gap, and at least that minus the samples' spacing.
fn check_state(found: &RoundFound, sampled: &Sampled, small: f64, case: &str) {
    match found.state {
        RoundState::Separated { lower, upper } => {
            let Some(gap) = sampled.gap else { panic!("{case}: {found:?} {sampled:?}") };
            assert!(lower > 0.0 && lower <= gap + small, "{case}: {found:?} {sampled:?}");
            assert!(upper >= gap - sampled.mesh_width - small, "{case}: {found:?} {sampled:?}");
            assert!(upper - lower <= 1e3 * small, "{case}: {found:?}");
            assert!(
                (found.points[0].distance(found.points[1]) - upper).abs() <= 1e3 * small,
                "{case}: {found:?}"
            );
        }
        RoundState::Intersecting { margin } => {
            assert!(margin > 0.0);
            // If all samples lie on one side, they are near the other.
            assert!(sampled.gap.is_none_or(|gap| gap <= sampled.mesh_width), "{case}: {found:?} {sampled:?}");
        }
        RoundState::Touching { .. } => {
            assert!(sampled.gap.is_none_or(|gap| gap <= sampled.mesh_width), "{case}: {found:?} {sampled:?}");
        }
    }
}

pub(super) fn random_pose(random: &mut Random, scale: f64) -> Pose {
    let axis = random.direction();
    let angle = if random.below(4) == 0 { 0.0 } else { random.within(0.0, 6.0) };
    pose(scale * random.within(0.0, 2.0) * random.direction(), axis, angle)
}

/// Moved and rotated so that every point within a radius moves by less than the margin.
pub(super) fn moved_by(random: &mut Random, pose: &Pose, margin: f64, radius: f64) -> Pose {
    let fraction = random.unit();
    let shift = 0.999 * fraction * margin * random.direction();
    let rotation = DQuat::from_axis_angle(random.direction(), 0.999 * (1.0 - fraction) * margin / radius);
    Pose::new(pose.position() + shift, rotation * pose.rotation()).unwrap()
}

#[test]
fn states_against_meshes_agree_with_dense_samples() {
    let random = &mut Random(21);
    let memory = &mut RoundMemory::default();
    let mut counts = [0; 3];
    for i in 0..cases(500, 3000) {
        let scale = [1.0, 1e-6, 1e6][i % 3];
        let offset = if i % 5 == 0 { scale * v(30.0, -50.0, 20.0) } else { DVec3::ZERO };
        let ratio = [1.0, 1.0, 0.05, 4.0][random.below(4)];
        let round = round(random, scale * ratio);
        let meshed = Meshed::new(random_mesh(random, scale, offset));
        let pose = random_pose(random, scale);
        let pose = Pose::new(pose.position() + offset, pose.rotation()).unwrap();
        let place = RoundPair::RoundMesh(round, meshed.surface()).found_at(memory, &pose);
        let found = place.state;
        let back = pose.inverse();
        let (mesh, steps) = (meshed.0.mesh(), 12);
        let range = |triangle: &[u32; 3]| {
            let points = Mesh::new(triangle.map(|i| mesh.vertex(i)).to_vec(), vec![[0, 1, 2]]).unwrap();
            let points = mesh_samples(&points, steps);
            signed_range(round, points.into_iter().map(|p| back.transform_point(p)))
        };
        // Each triangle by itself is inside, outside or across.
        let ranges: Vec<_> = mesh.triangles().iter().map(range).collect();
        let gap = |&(lo, hi): &(f64, f64)| if lo > 0.0 { Some(lo) } else { (hi < 0.0).then_some(-hi) };
        let gap = ranges.iter().map(gap).try_fold(f64::INFINITY, |least, gap| Some(least.min(gap?)));
        let sampled = Sampled { gap, mesh_width: mesh.diagonal() / f64::from(steps) };
        let small = 1e-12 * scale * if i % 5 == 0 { 60.0 } else { 1.0 };
        check_state(&place, &sampled, small, &format!("{i}: {round:?} {pose:?}"));
        counts[match found {
            RoundState::Separated { .. } => 0,
            RoundState::Intersecting { .. } => 1,
            RoundState::Touching { .. } => 2,
        }] += 1;
        // With the roles exchanged.
        let swapped = RoundPair::MeshRound(meshed.surface(), round).state_at(memory, &back);
        match (found, swapped) {
            (RoundState::Separated { upper, .. }, RoundState::Separated { upper: other, .. }) => {
                assert!((upper - other).abs() <= 1e3 * small, "{i}");
            }
            (RoundState::Intersecting { margin }, RoundState::Intersecting { margin: other }) => {
                assert!(
                    (margin - other).abs() <= 0.3 * margin.max(other) + 1e3 * small,
                    "{i} {margin} {other}"
                );
            }
            (found, swapped) => panic!("{i}: {found:?} {swapped:?}"),
        }
        // Moved by less than the margin, it still intersects.
        if let RoundState::Intersecting { margin } = found {
            let moved = moved_by(random, &pose, margin, round.radius());
            let moved = RoundPair::RoundMesh(round, meshed.surface()).state_at(memory, &moved);
            assert!(!matches!(moved, RoundState::Separated { .. }), "{i}: {found:?} {moved:?}");
        }
    }
    assert!(counts[0] > 60 && counts[1] > 60 && counts[2] < 5, "{counts:?}");
}

#[test]
fn states_of_two_round_shapes_agree_with_dense_samples() {
    let random = &mut Random(22);
    let memory = &mut RoundMemory::default();
    let (mut inside, mut counts) = (0, [0; 3]);
    for i in 0..cases(300, 1500) {
        let scale = [1.0, 1e-6, 1e6][i % 3];
        let ratio = [1.0, 1.0, 0.1, 10.0][random.below(4)];
        let (a, b) = (round(random, scale), round(random, ratio * scale));
        let pose = random_pose(random, 0.6 * scale * ratio.max(1.0));
        let place = RoundPair::RoundRound(a, b).found_at(memory, &pose);
        let found = place.state;
        let back = pose.inverse();
        let count = 1500;
        let a_in_b = signed_range(b, round_samples(a, count).into_iter().map(|p| pose.transform_point(p)));
        let b_in_a = signed_range(a, round_samples(b, count).into_iter().map(|p| back.transform_point(p)));
        let gap = if a_in_b.0 > 0.0 && b_in_a.0 > 0.0 {
            Some(a_in_b.0.min(b_in_a.0))
        } else if a_in_b.1 < 0.0 || b_in_a.1 < 0.0 {
            inside += 1;
            Some((-a_in_b.1).max(-b_in_a.1))
        } else {
            None
        };
        // The samples of the smaller shape are closer together.
        let width = 0.2 * a.radius().max(b.radius());
        let sampled = Sampled { gap, mesh_width: width };
        let small = 1e-12 * scale * ratio.max(1.0);
        check_state(&place, &sampled, small, &format!("{i}: {a:?} {b:?} {pose:?}"));
        let swapped = RoundPair::RoundRound(b, a).state_at(memory, &back);
        match (found, swapped) {
            (RoundState::Separated { upper, .. }, RoundState::Separated { upper: other, .. }) => {
                assert!((upper - other).abs() <= 1e3 * small, "{i} {found:?} {swapped:?}");
                counts[0] += 1;
            }
            (RoundState::Intersecting { margin }, RoundState::Intersecting { .. }) => {
                counts[1] += 1;
                let moved = moved_by(random, &pose, margin, a.radius());
                let moved = RoundPair::RoundRound(a, b).state_at(memory, &moved);
                assert!(!matches!(moved, RoundState::Separated { .. }), "{i}: {found:?} {moved:?}");
            }
            (found, swapped) => {
                counts[2] += 1;
                assert!(
                    matches!(found, RoundState::Touching { .. })
                        == matches!(swapped, RoundState::Touching { .. })
                );
            }
        }
    }
    assert!(inside > 4 && counts[0] > 40 && counts[1] > 40 && counts[2] < 5, "{inside} {counts:?}");
}

/// Random screws, many with contact: through a point near B, with some rotation.
pub(super) fn random_screw(random: &mut Random, scale: f64) -> Screw {
    let start = random_pose(random, 1.5 * scale);
    match random.below(4) {
        0 => Screw::translation(start, 3.0 * scale * random.direction() - start.position()),
        1 => {
            let (axis, point) = (random.direction(), scale * random.vector(1.0));
            Screw::about(start, axis, point, scale * random.within(-1.0, 1.0), random.within(0.0, 20.0))
                .unwrap()
        }
        _ => Screw::between(start, random_pose(random, 0.8 * scale)),
    }
}
