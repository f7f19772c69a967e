//! How long intersecting bodies are proven to keep intersecting.

use std::f64::consts::TAU;

use glam::DVec3;

use super::intersecting::intersecting_for;
use super::sampled_tests::{moved_by, random_mesh, random_pose, random_screw};
use super::support::RoundShape;
use super::tests::{Meshed, pose, v};
use super::*;
use crate::round::support::tests::round;
use crate::shape::Primitive;
use chasles_testing::{Random, cases};

/// Compares the time with states along the motion, also for bodies that are displaced by the deviation. Returns
/// whether any time was proven.
fn check(pair: RoundPair<'_>, screw: &Screw, (deviation, radius): (f64, f64), random: &mut Random) -> bool {
    let memory = &mut RoundMemory::default();
    let found = pair.found_at(memory, &screw.start());
    let until = pair.intersects_for(&found, screw, deviation);
    assert!(until <= 1.0, "{until}");
    if until <= 0.0 {
        return false;
    }
    for i in 0..=40 {
        let at = screw.pose_at(until * f64::from(i) / 40.0);
        for at in [at, moved_by(random, &at, deviation, radius)] {
            let found = pair.state_at(memory, &at);
            assert!(
                !matches!(found, RoundState::Separated { .. }),
                "{i} of {until}: {found:?} {pair:?} {screw:?}"
            );
        }
    }
    true
}

#[test]
fn bodies_intersect_for_as_long_as_is_proven() {
    let random = &mut Random(51);
    let mut proven = [0; 3];
    for i in 0..cases(800, 4000) {
        let scale = [1.0, 1e-6, 1e6][i % 3];
        let ratio = [1.0, 1.0, 0.1, 4.0][random.below(4)];
        let (round, other) = (round(random, scale * ratio), round(random, scale));
        let meshed = Meshed::new(random_mesh(random, scale, DVec3::ZERO));
        let start = random_pose(random, 0.7 * scale);
        let on = random_screw(random, scale).part(0.0, random.within(0.0, 0.3));
        let screw =
            Screw::about(start, on.direction(), scale * random.vector(1.0), on.slide(), on.angle()).unwrap();
        let deviation = scale * [0.0, 1e-9, 1e-3][random.below(3)];
        let kind = random.below(3);
        let (pair, radius) = match kind {
            0 => (RoundPair::RoundMesh(round, meshed.surface()), round.radius()),
            1 => (RoundPair::MeshRound(meshed.surface(), round), meshed.0.mesh().radius()),
            _ => (RoundPair::RoundRound(round, other), round.radius()),
        };
        proven[kind] += usize::from(check(pair, &screw, (deviation, radius), random));
    }
    assert!(proven.iter().all(|count| *count > 25), "{proven:?}");
}

#[test]
fn near_bodies_stay_near_for_the_proven_time() {
    let random = &mut Random(52);
    let memory = &mut RoundMemory::default();
    let (mut certain, mut nearer, mut meeting) = (0, 0, 0);
    for i in 0..cases(1200, 6000) {
        let scale = [1.0, 1e-6, 1e6][i % 3];
        let round = round(random, scale);
        let meshed = Meshed::new(random_mesh(random, scale, DVec3::ZERO));
        let pair = match random.below(2) {
            0 => RoundPair::RoundMesh(round, meshed.surface()),
            _ => RoundPair::MeshRound(meshed.surface(), round),
        };
        let screw = random_screw(random, scale);
        let t = random.unit();
        let found = pair.found_at(memory, &screw.pose_at(t));
        let gap = found.state.gap().max(1e-3 * scale);
        let limits = [gap * random.within(1.0, 1.1), gap * 10.0_f64.powf(random.within(-1.0, 1.0))];
        let lasts = intersecting_for(&found, &screw, pair.speed(&screw), t, limits);
        assert!(lasts >= 0.0 && lasts.is_finite(), "{lasts}");
        if lasts == 0.0 {
            continue;
        }
        certain += 1;
        meeting += u32::from(matches!(found.state, RoundState::Intersecting { .. }));
        nearer += u32::from(limits[1] < limits[0]);
        for step in 0..=20 {
            let after = lasts * f64::from(step) / 20.0;
            let now = pair.state_at(memory, &screw.pose_at(t + after));
            let lower = if let RoundState::Separated { lower, .. } = now { lower } else { 0.0 };
            assert!(lower <= limits[0].max(limits[1]), "{i}, {step}: {lower} beyond {limits:?}, {screw:?}");
        }
    }
    assert!(certain > 450 && nearer > 40 && meeting > 40, "{certain} {nearer} {meeting}");
}

#[test]
fn flat_sliding_takes_few_steps_at_any_depth_and_rolling_a_step_for_each_contact_patch() {
    let table = Meshed::new(Primitive::Box { size: v(8.0, 8.0, 2.0) }.tessellate().unwrap().mesh);
    let steps_of = |round: RoundShape, screw: &Screw| {
        let pair = RoundPair::RoundMesh(round, table.surface());
        let (memory, mut t, mut steps) = (&mut RoundMemory::default(), 0.0, 0);
        while t < 1.0 {
            let rest = screw.part(t, 1.0);
            let fraction = pair.intersects_for(&pair.found_at(memory, &rest.start()), &rest, 0.0);
            assert!(fraction > 0.0 && steps < 1000, "{round:?} {screw:?}: {t} after {steps}");
            t = if fraction >= 1.0 { 1.0 } else { t + fraction * (1.0 - t) };
            steps += 1;
        }
        steps
    };
    for depth in [1e-3, 1e-8, 1e-12] {
        let down = v(-2.0, 0.3, 1.5 - depth);
        let upright = pose(down, DVec3::X, 0.0);
        for screw in [
            Screw::translation(upright, 4.0 * DVec3::X),
            Screw::about(upright, DVec3::Z, down, 0.0, 6.0).unwrap(),
        ] {
            let steps = steps_of(RoundShape::Cylinder { radius: 0.7, height: 1.0 }, &screw);
            assert!(steps <= 40, "{depth} {screw:?}: {steps}");
        }
        // On a circle: proportional to the square root of the depth over the path's curvature.
        let circle = Screw::about(upright, DVec3::Z, DVec3::ZERO, 0.0, 20.0 * depth.sqrt()).unwrap();
        assert!(steps_of(RoundShape::Cylinder { radius: 0.7, height: 1.0 }, &circle) <= 60);
        // A round shape touches in a patch of about this radius, and crossing it takes a step.
        let patch = (2.0 * 0.5 * depth).sqrt();
        let lying = pose(down, DVec3::X, 0.25 * TAU);
        for round in [
            RoundShape::Cylinder { radius: 0.5, height: 1.0 },
            RoundShape::Capsule { radius: 0.5, height: 1.0 },
            RoundShape::Sphere { radius: 0.5 },
        ] {
            let slides = steps_of(round, &Screw::translation(lying, 40.0 * patch * DVec3::X));
            let spins = steps_of(round, &Screw::about(lying, DVec3::Y, down, 0.0, 3.0).unwrap());
            assert!(slides <= 120 && spins <= 60, "{round:?} {depth}: {slides} {spins}");
        }
    }
}

#[test]
fn a_point_stays_beyond_a_plane_for_the_proven_time() {
    let random = &mut Random(52);
    let mut ended = 0;
    for i in 0..3000 {
        let scale = [1.0, 1e-6, 1e6][i % 3];
        let (radius, height) = (scale * random.within(0.2, 1.0), scale * random.within(0.2, 1.0));
        let screw = random_screw(random, scale);
        let path = RoundPath::moving(RoundShape::Cone { radius, height }, &screw, DVec3::ZERO, 0.0);
        let (n, point) = (random.direction(), path.at(0.0).support(random.direction()));
        let maximum = n.dot(point) - scale * random.within(0.0, 0.5);
        let until = path.point_separated_for(point, n, maximum, 0.0);
        ended += usize::from(until < 1.0);
        for k in 0..=40 {
            let moved = screw.point_at(point, until.min(1.0) * f64::from(k) / 40.0);
            assert!(n.dot(moved) >= maximum - 1e-12 * scale, "{i}: {k} of {until}: {screw:?}");
        }
    }
    assert!(ended > 500 && ended < 2500, "{ended}");
}
