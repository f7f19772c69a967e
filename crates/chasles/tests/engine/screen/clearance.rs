//! The clearance along flow lines, compared with a slow, independent twin: every triangle is tested along a dense
//! sample of the line.

#![allow(clippy::cast_possible_truncation, reason = "small numbers")]

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::cases::{self, box_of, case, fewer, pose, shape};
use crate::screen::screen_samples::{Hit, Surface, said, span};
use chasles::{
    Clearance, Error, ErrorKind, FlowLineHit, Free, Mesh, Options, Play, Pose, PreparedMesh, Screw,
    UndecidedReason, clearance_map, first_contact, play, probes,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

fn body((vertices, faces): cases::Raw) -> PreparedMesh {
    PreparedMesh::new(Mesh::new(vertices, faces).unwrap())
}

fn moved((vertices, faces): cases::Raw, by: DVec3) -> cases::Raw {
    (vertices.into_iter().map(|v| v + by).collect(), faces)
}

/// The clearance at one point.
fn probe(a: &PreparedMesh, b: &PreparedMesh, screw: &Screw, point: DVec3) -> Option<Clearance> {
    match probes((a, b), screw, &[point], &Options::default()).unwrap()[0].hit {
        FlowLineHit::Nothing => None,
        FlowLineHit::Part(clearance) => Some(clearance),
        FlowLineHit::Undecided(why) => panic!("{why:?}"),
    }
}

/// A case in which A approaches B: with any kind of motion, and a start such that a point near A's centre flows to a
/// point near B's.
fn on_the_way(random: &mut Random) -> cases::Case {
    let any = case(random);
    if random.one_in(3) {
        return any;
    }
    let (axis, point) = (random.direction(), random.vector(1.5));
    let (slide, angle, far) = match random.below(6) {
        0 => (0.0, random.within(0.2, 9.0), 1.0),
        1 => (random.within(1.0, 3.0), 0.0, 1.0),
        2 => (random.within(-3.0, 3.0), 10.0_f64.powf(random.within(-12.0, -1.0)), 1.0),
        3 => (random.within(-1.0, 1.0), random.within(1.0, 3.0) * 1e-6, 1e6),
        4 => (random.within(0.1, 1.0), random.within(5.0, 20.0), 1.0),
        _ => (random.within(-2.0, 2.0), random.within(-3.0, 3.0), 1.0),
    };
    let point = point + if far > 1.0 { far * axis.any_orthonormal_vector() } else { DVec3::ZERO };
    let near = pose(random.vector(0.3), random.rotation());
    let screw = Screw::about(near, axis, point, slide, angle).unwrap();
    let speed = screw.velocity_at(near.position(), 0.0).length();
    let back = screw.point_at(near.position(), -random.within(0.3, 2.5) / speed);
    let screw = Screw::about(pose(back, random.rotation()), axis, point, slide, angle).unwrap();
    cases::Case { screw, ..any }
}

#[test]
fn probes_agree_with_a_test_of_every_triangle() {
    let (mut asked, mut sure, mut nothing) = (0, 0, 0);
    for seed in 0..fewer(1500, 5) {
        let random = &mut Random(seed);
        let case = on_the_way(random);
        let ((a, b), screw) = (case.bodies(), case.screw);
        let start = screw.start();
        let surfaces = [(&a, start, 1.0), (&b, Pose::IDENTITY, -1.0)];
        let [from, to] = surfaces.map(|(body, at, sign)| Surface::new(body, at, sign, &screw));
        for _ in 0..3 {
            // Through a point of A or B, or anywhere.
            let side = [&from, &to][random.below(2)];
            let [p, q, r] = side.triangles[random.below(side.triangles.len())];
            let (u, v) = (random.unit(), random.unit());
            let point = match random.below(3) {
                0 => (1.0 + 4.0 * random.unit().round()) * random.vector(0.4),
                _ => screw.point_at(p + 0.5 * u * (q - p) + 0.5 * v * (r - p), random.side()),
            };
            let Some((span, period)) = span(&screw, point, 8.0) else { continue };
            let speed = screw.velocity_at(point, 0.0).length();
            if speed < 1e-6 {
                continue;
            }
            let hits = [&from, &to].map(|surface| surface.hits(&screw, point, span));
            let slack = 1e-8 * case.size() / speed;
            let said = said(&hits[0], &hits[1], period, slack);
            let doubt = hits.iter().flatten().any(|hit| !hit.sure);
            let answer = probe(&a, &b, &screw, point);
            let blur = if doubt { 0.1 / speed + 0.1 / (1e-9 + screw.angle()).max(1.0) } else { 0.0 };
            let checked = said.check(answer.map(|c| c.time), slack, blur);
            sure += usize::from(checked.unwrap_or_else(|why| panic!("seed {seed}, {point}: {why}")));
            asked += 1;
            nothing += usize::from(answer.is_none());
            if let Some(c) = answer {
                assert!((c.metres - c.time * speed).abs() <= 1e-12 * c.metres && c.time >= 0.0);
                assert!((c.angle - c.time * screw.angle()).abs() <= 1e-12 * c.angle);
            }
        }
    }
    println!("{asked} probes, {sure} with a sure answer, {nothing} with nothing");
    assert!(sure * 7 > asked && nothing * 6 > asked, "{asked}: {sure}, {nothing}");
}

#[test]
fn the_map_agrees_with_a_test_of_every_triangle() {
    let (mut asked, mut sure) = (0, 0);
    for seed in 0..fewer(400, 4) {
        let random = &mut Random(50_000 + seed);
        let case = on_the_way(random);
        let ((a, b), screw) = (case.bodies(), case.screw);
        let to = Surface::new(&b, Pose::IDENTITY, -1.0, &screw);
        let map = clearance_map(&a, &b, &screw, &Options::default()).unwrap();
        assert_eq!((map.undecided, map.of_vertices.len()), (0, a.mesh().vertex_count()), "seed {seed}");
        for (v, answer) in (0..).zip(&map.of_vertices) {
            let point = screw.start().transform_point(a.mesh().vertex(v));
            let speed = screw.velocity_at(point, 0.0).length();
            let leads = a.mesh().triangles().iter().filter(|t| t.contains(&v)).map(|t| {
                let [p, q, r] = t.map(|w| a.mesh().vertex(w));
                let normal = screw.start().rotation() * (q - p).cross(r - p).normalize_or_zero();
                normal.dot(screw.velocity_at(point, 0.0))
            });
            let leads = leads.fold(0.0, f64::max) / speed.max(1e-6);
            if leads < 1e-14 {
                assert_eq!(*answer, None, "seed {seed}, vertex {v}");
            }
            let Some((span, period)) = span(&screw, point, 8.0) else { continue };
            if leads < 1e-5 || speed < 1e-6 {
                continue;
            }
            let slack = 1e-8 * case.size() / speed;
            let hits = to.hits(&screw, point, span);
            let said = said(&[Hit { time: 0.0, sure: true }], &hits, period, slack);
            let doubt = hits.iter().any(|hit| !hit.sure);
            let blur = if doubt { 0.1 / speed + 0.1 / (1e-9 + screw.angle()).max(1.0) } else { 0.0 };
            let checked = said.check(answer.map(|c| c.time), slack, blur);
            sure += usize::from(checked.unwrap_or_else(|why| panic!("seed {seed}, vertex {v}: {why}")));
            asked += 1;
        }
        let least = map.of_vertices.iter().flatten().map(|c| c.time).fold(f64::INFINITY, f64::min);
        assert_eq!(map.minimum.map_or(f64::INFINITY, |(_, c)| c.time), least);
        if let Some((v, c)) = map.minimum {
            assert_eq!(map.of_vertices[v as usize], Some(c));
        }
    }
    println!("{asked} vertices, {sure} with a sure answer");
    assert!(sure * 10 > asked, "{asked}: {sure}");
}

#[test]
fn the_clearance_of_two_boxes_is_their_gap() {
    let (a, b) = (body(box_of(DVec3::ONE)), body(box_of(DVec3::ONE)));
    let options = Options::default();
    // 0.3 m apart, 2 m in the whole motion.
    let screw = Screw::translation(Pose::from_position(DVec3::new(-1.3, 0.1, 0.2)).unwrap(), 2.0 * DVec3::X);
    let clearance = probe(&a, &b, &screw, DVec3::new(77.0, 0.2, -0.1)).unwrap();
    assert!((clearance.time - 0.15).abs() < 1e-14 && (clearance.metres - 0.3).abs() < 2e-14);
    assert_eq!(clearance.angle, 0.0);
    // Beside A, beside B.
    assert_eq!(probe(&a, &b, &screw, DVec3::new(0.0, -0.45, 0.0)), None);
    assert_eq!(probe(&a, &b, &screw, DVec3::new(0.0, 0.55, 0.0)), None);
    let map = clearance_map(&a, &b, &screw, &options).unwrap();
    // The four vertices in front; one of them is level with B.
    let told: Vec<_> = (0..8).filter(|v| map.of_vertices[*v].is_some()).collect();
    assert_eq!(told, [1]);
    assert!((map.minimum.unwrap().1.metres - 0.3).abs() < 1e-15);
    // Without the shift all leading vertices are level with B.
    let level = Screw::translation(Pose::from_position(-1.3 * DVec3::X).unwrap(), 2.0 * DVec3::X);
    let map = clearance_map(&a, &body(box_of(DVec3::new(1.0, 1.5, 1.5))), &level, &options).unwrap();
    assert_eq!(map.of_vertices.iter().flatten().count(), 4);
    // It is not limited to the end of the motion, and never negative.
    let short = Screw::translation(Pose::from_position(-1.3 * DVec3::X).unwrap(), 0.01 * DVec3::X);
    assert!((probe(&a, &b, &short, DVec3::new(0.0, 0.1, 0.2)).unwrap().time - 30.0).abs() < 1e-12);
    let past = Screw::translation(Pose::from_position(1.3 * DVec3::X).unwrap(), 2.0 * DVec3::X);
    assert_eq!(probe(&a, &b, &past, DVec3::ZERO), None);
    // Touching at the start, with either rounding: the clearance is zero.
    for shift in [0.0, 1e-16, -1e-16, 1e-12, -1e-12] {
        let touching =
            Screw::translation(Pose::from_position((-1.0 - shift) * DVec3::X).unwrap(), 2.0 * DVec3::X);
        let clearance = probe(&a, &b, &touching, DVec3::new(0.0, 0.1, 0.2)).unwrap();
        assert!(clearance.time < 1e-12, "{shift}: {clearance:?}");
    }
}

#[test]
fn a_bar_that_turns_comes_round() {
    // A bar along x rotates about z, from its first side to a post a quarter turn ahead.
    let bar = body(moved(box_of(DVec3::new(1.0, 0.1, 0.1)), 1.0 * DVec3::X));
    let post = body(moved(box_of(DVec3::new(0.2, 0.2, 1.0)), 1.0 * DVec3::Y));
    for (sense, way) in [(1.0, FRAC_PI_2), (-1.0, 3.0 * FRAC_PI_2)] {
        let screw = Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::ZERO, 0.0, sense * 0.5).unwrap();
        // On the circle of radius r: sines of half widths over r.
        let r: f64 = 1.0;
        let angle = way - (0.05 / r).asin() - (0.1 / r).asin();
        for theta in [0.0, 0.3, 2.0, -3.0, 3.1] {
            let clearance =
                probe(&bar, &post, &screw, r * DVec3::new(f64::cos(theta), f64::sin(theta), 0.02));
            let clearance = clearance.unwrap();
            assert!((clearance.angle - angle).abs() < 1e-14, "{} {angle}", clearance.angle);
            assert!((clearance.time - angle / 0.5).abs() < 1e-13);
            assert!((clearance.metres - angle).abs() < 1e-14);
        }
        // Points on the axis do not move, and no points outside both bodies meet.
        for point in [DVec3::ZERO, DVec3::Z, 9.0 * DVec3::X, 0.02 * DVec3::X, 1e60 * DVec3::ONE] {
            assert_eq!(probe(&bar, &post, &screw, point), None);
        }
        let Play { forward, backward } = play(&bar, &post, &screw, &Options::default()).unwrap();
        for (free, way) in [(forward, way), (backward, TAU - way)] {
            let Free::Binds(binding) = free else { panic!("{free:?}") };
            // The bar's corner, at distance 1.5 or less, touches the post's side, or its face touches the post's
            // corner.
            assert!(binding.angle < way - (0.05_f64).asin() - (0.1_f64).asin() && binding.angle > way - 0.3);
            assert_eq!(binding.slide, 0.0);
            assert!(binding.contact.approach_speed > 0.0 && binding.time == binding.contact.time);
        }
    }
}

#[test]
fn a_ring_about_a_shaft_turns_freely() {
    let (inner, outer) = (body(box_of(DVec3::new(0.5, 0.5, 1.0))), body(cases::torus(1.0, 0.2, (40, 12))));
    let screw = Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::ZERO, 0.0, 0.7).unwrap();
    let options = Options::default();
    let free = Play { forward: Free::Never, backward: Free::Never };
    assert_eq!(play(&inner, &outer, &screw, &options).unwrap(), free);
    assert_eq!(clearance_map(&inner, &outer, &screw, &options).unwrap().minimum, None);
    // A shaft that touches a bearing all around only slides.
    let shaft = body(cases::torus(0.5, 0.2, (24, 12)));
    let bearing = body(moved(box_of(DVec3::new(3.0, 3.0, 1.0)), DVec3::new(0.0, 0.0, -0.7)));
    assert_eq!(play(&shaft, &bearing, &screw, &options).unwrap(), free);
    // But it binds at once along the axis, in one direction.
    let down = Screw::translation(Pose::IDENTITY, -DVec3::Z);
    let Play { forward, backward } = play(&shaft, &bearing, &down, &options).unwrap();
    let Free::Binds(binding) = forward else { panic!("{forward:?}") };
    assert!(binding.time[1] < 1e-8 && backward == Free::Never, "{binding:?} {backward:?}");
    let sunk = Screw::translation(Pose::from_position(-0.01 * DVec3::Z).unwrap(), -DVec3::Z);
    let overlapping = Play { forward: Free::Overlapping, backward: Free::Overlapping };
    assert_eq!(play(&shaft, &bearing, &sunk, &options).unwrap(), overlapping);
}

#[test]
fn play_ends_at_the_first_contact_within_the_motion() {
    let mut met = 0;
    for seed in 0..fewer(400, 3) {
        let random = &mut Random(70_000 + seed);
        let case = case(random);
        let ((a, b), screw) = (case.bodies(), case.screw);
        let options = Options { budget: 300_000, ..Options::default() };
        let Play { forward, backward } = play(&a, &b, &screw, &options).unwrap();
        // Backward from the start is the reverse of the motion that ends there.
        let reversed = screw.reversed();
        let there = Screw::about(
            screw.start(),
            -screw.direction(),
            reversed.axis().point.unwrap_or(DVec3::ZERO),
            screw.slide(),
            screw.angle(),
        );
        let backwards = (screw.angle() > 1e-3).then(|| there.unwrap());
        for (free, screw) in [(forward, Some(screw)), (backward, backwards)] {
            let Some(screw) = screw else { continue };
            let first = first_contact(&a, &b, &screw, &options).unwrap().outcome;
            match (first, free) {
                (chasles::Outcome::Overlapping(_), free) => {
                    assert_eq!(free, Free::Overlapping, "seed {seed}")
                }
                (chasles::Outcome::Contact(contact), Free::Binds(binding)) if contact.time[0] > 1e-6 => {
                    let same = (binding.time[1] - contact.time[1]).abs() < 1e-7;
                    assert!(same, "seed {seed}: {contact:?} {binding:?}");
                    met += 1;
                }
                (chasles::Outcome::Contact(contact), free) if contact.time[0] > 1e-6 => {
                    assert!(matches!(free, Free::Undecided { .. }), "seed {seed}: {contact:?} {free:?}");
                }
                (chasles::Outcome::Clear, Free::Binds(binding)) => {
                    assert!(binding.time[1] > 1.0 - 1e-9, "seed {seed}: {binding:?}");
                }
                _ => {}
            }
        }
    }
    assert!(met > 10, "{met}");
}

#[test]
fn direction_frame_and_a_far_axis_change_no_clearance() {
    for seed in 0..fewer(300, 3) {
        let random = &mut Random(30_000 + seed);
        let (a, b) = (body(shape(random)), body(shape(random)));
        let far = [1.0, 1e3, 1e6][random.below(3)];
        let axis = random.direction();
        let point = far * axis.any_orthonormal_vector() + random.vector(0.5);
        let start = pose(1.5 * random.direction(), random.rotation());
        let (slide, angle) = (random.within(-2.0, 2.0), random.within(0.5, 2.0) / far);
        let screw = Screw::about(start, axis, point, slide, angle).unwrap();
        // The same axis, named in the opposite direction; then half the motion, and B's frame elsewhere.
        let other = Screw::about(start, -2.0 * axis, point, -slide, -angle).unwrap();
        let half = Screw::about(start, axis, point, 0.5 * slide, 0.5 * angle).unwrap();
        let place = pose(random.vector(2.0), random.rotation());
        let inverse = place.inverse();
        let vertices =
            (0..b.mesh().vertex_count() as u32).map(|v| inverse.transform_point(b.mesh().vertex(v)));
        let elsewhere =
            PreparedMesh::new(Mesh::new(vertices.collect(), b.mesh().triangles().to_vec()).unwrap());
        let seen = screw.in_frame_of(&place);
        for _ in 0..3 {
            let point = start.transform_point(random.vector(0.5));
            let Some(clearance) = probe(&a, &b, &screw, point) else { continue };
            let near = |other: Option<Clearance>, factor: f64| {
                let time = other.map_or(f64::NAN, |c| factor * c.time);
                let speed = clearance.metres / clearance.time;
                let slack = 1e-9 * clearance.time + 1e-9 / speed;
                assert!(
                    (time - clearance.time).abs() < slack || clearance.time == 0.0,
                    "seed {seed}: {clearance:?} {other:?}"
                );
            };
            near(probe(&a, &b, &other, point), 1.0);
            near(probe(&a, &b, &half, point), 0.5);
            near(probe(&a, &elsewhere, &seen, inverse.transform_point(point)), 1.0);
            // The roles swapped: B moves in the opposite direction past A.
            let from_a = screw.inverse();
            near(probe(&b, &a, &from_a, start.inverse().transform_point(point)), 1.0);
        }
    }
}

#[test]
fn what_cannot_be_asked_or_told() {
    let (a, b) = (body(box_of(DVec3::ONE)), body(box_of(DVec3::ONE)));
    let options = Options::default();
    let screw = Screw::translation(Pose::from_position(-2.0 * DVec3::X).unwrap(), DVec3::X);
    for bad in [f64::NAN, f64::INFINITY, 1e71] {
        let error: Error =
            probes((&a, &b), &screw, &[DVec3::ZERO, DVec3::new(0.0, bad, 0.0)], &options).unwrap_err();
        assert_eq!(error.place(), "probe 1");
    }
    let negative = Options { tolerance: Some(-1.0), ..options };
    assert!(probes((&a, &b), &screw, &[], &negative).is_err());
    assert!(clearance_map(&a, &b, &screw, &negative).is_err());
    let error = play(&a, &b, &screw, &negative).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OutOfRange { .. }));
    // No motion.
    let still = Screw::still(screw.start());
    assert_eq!(probe(&a, &b, &still, DVec3::ZERO), None);
    assert_eq!(clearance_map(&a, &b, &still, &options).unwrap().minimum, None);
    assert_eq!(play(&a, &b, &still, &options).unwrap().forward, Free::Never);
    // An insufficient budget.
    let poor = Options { budget: 20, ..options };
    let told = probes((&a, &b), &screw, &[DVec3::ZERO], &poor).unwrap()[0].hit;
    assert_eq!(told, FlowLineHit::Undecided(UndecidedReason::Budget));
    let map = clearance_map(&a, &b, &screw, &poor).unwrap();
    assert_eq!((map.undecided, map.reason, map.minimum), (4, Some(UndecidedReason::Budget), None));
    // Any number of turns terminates.
    let start = Pose::new(DVec3::new(0.0, 0.3, 1.5), DQuat::from_rotation_x(0.7)).unwrap();
    for slide in [1e-3, 1e-9, 1e-14, 1e-18, 1e-30, 1e-300, 5e-324, 0.0] {
        for angle in [1e-300, 1e-12, 6.0, 1e3, 1e12, 1e60] {
            let screw =
                Screw::about(start, DVec3::new(0.1, 0.2, 1.0), 0.1 * DVec3::X, -slide, angle).unwrap();
            let options = Options { budget: 100_000, ..options };
            let points = [DVec3::ZERO, DVec3::new(0.3, 0.2, 0.1), DVec3::splat(1e60)];
            for told in probes((&a, &b), &screw, &points, &options).unwrap() {
                assert!(told.screen.iter().all(|x| x.is_finite()), "{slide} {angle}");
                if let FlowLineHit::Part(c) = told.hit {
                    assert!(c.time >= 0.0 && c.metres.is_finite() && c.angle.is_finite());
                }
            }
            clearance_map(&a, &b, &screw, &options).unwrap();
            play(&a, &b, &screw, &options).unwrap();
        }
    }
    // Points, lines, and lengths at the limits.
    for scale in [1e-300, 1e-100, 1e-20, 1e20, 1e69] {
        for faces in [vec![[0, 0, 0]], vec![[0, 1, 1]], vec![[0, 1, 2]]] {
            let vertices = vec![DVec3::ZERO, scale * DVec3::X, scale * DVec3::Y];
            let thing = body((vertices, faces));
            for screw in [screw, Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::ZERO, 1.0, 2.0).unwrap()] {
                for (p, q) in [(&thing, &b), (&a, &thing), (&thing, &thing)] {
                    let options = Options { budget: 100_000, ..options };
                    probes((p, q), &screw, &[DVec3::ZERO, scale * DVec3::ONE], &options).unwrap();
                    clearance_map(p, q, &screw, &options).unwrap();
                    play(p, q, &screw, &options).unwrap();
                }
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let (a, b) = (body(cases::torus(1.0, 0.3, (60, 24))), body(cases::torus(1.0, 0.4, (50, 30))));
    let start = pose(DVec3::new(0.1, 0.3, 1.2), DQuat::from_rotation_x(0.7));
    let screw = Screw::about(start, DVec3::new(0.1, 0.2, 1.0), DVec3::X, -1.0, 20.0).unwrap();
    for budget in [100_000, 500_000_000] {
        let options = Options { budget, ..Options::default() };
        let maps = [1, 2, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| clearance_map(&a, &b, &screw, &options).unwrap())
        });
        assert!(maps[0].minimum.is_some(), "{:?}", maps[0].undecided);
        assert_eq!(maps[0].undecided > 0, budget == 100_000);
        assert!(maps[0] == maps[1] && maps[1] == maps[2]);
    }
}
