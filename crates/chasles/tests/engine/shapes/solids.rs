//! Solids, clouds and parametric surfaces, compared with closed forms: the distance of two bodies is known at every
//! time, up to rounding, by arithmetic independent of the engine. Its rate of change is bounded too, so a search by
//! samples misses no contact.
//!
//! `CHASLES_LONG=1` multiplies the number of cases by 100.

use std::sync::Arc;

use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::cases::{count, fewer};
use crate::shapes::solid_cases::held::{Counts, check, check_case};
use crate::shapes::solid_cases::truth::{Axis, Frame, Inside, Placed, Set, Way};
use crate::shapes::solid_cases::{
    BOXES, Case, Thing, ball, body, box_in_guise, case, cloud, duration, epsilon, local, moved, probe, scene,
    shell, stand, still, target, way,
};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, PairListing, PairVerdict, PartShape, Pose, Primitive, Screw,
    Solid,
};
use chasles_testing::Random;
use glam::DVec3;

#[test]
fn bodies_with_a_known_distance_touch_when_it_is_zero() {
    let counts = Counts::default();
    for_all(count(90), |seed| check_case(&case(&mut Random(seed)), &counts));
    let [clear, contact, overlapping, undecided, several] = counts.totals();
    let text =
        format!("{clear} clear, {contact} contact, {overlapping} overlapping, {several} several times");
    println!("{text}");
    let all = clear + contact + overlapping + undecided;
    assert!(6 * clear > all && 5 * contact > all && 20 * overlapping > all, "{text}");
    let [regular, sharp] = [counts.regular.get(), counts.sharp.get()];
    assert!(regular > 10 && 10 * sharp >= 8 * regular, "{sharp} of {regular} begins are sharp");
}

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for seed in 0..count(6) {
        let random = &mut Random(3_000_000 + seed);
        let duration = duration(random);
        let bodies: Vec<_> = (0..4)
            .map(|_| {
                let thing = target(random);
                let probe = probe(random, &thing);
                let moving = way(random, duration).1;
                body(if random.one_in(2) { &thing } else { &probe }, moving)
            })
            .collect();
        let made = || scene(bodies.clone(), duration, 1e-3);
        let options = CheckOptions { listed: PairListing::All, budget: 200_000, ..CheckOptions::default() };
        let answers = pools.each_ref().map(|pool| {
            let scene = made();
            format!("{:?}", pool.install(|| scene.check(&options, &()).unwrap()))
        });
        assert_eq!(answers[0], answers[1], "seed {seed}");
    }
}

/// Round bodies in their exact form, whose surface or interior is followed as they spin about their centre: a ball
/// moves with its centre, but results about its parts must include their rotation.
#[test]
fn rotating_round_bodies_touch_at_their_true_surface() {
    let counts = Counts::default();
    for_all(count(60), |seed| {
        let random = &mut Random(6_000_000 + seed);
        let duration = duration(random);
        let (size, half) = (random.within(0.3, 1.0), random.within(0.0, 0.5));
        let is_ball = random.one_in(2);
        let (set, primitive) = if is_ball {
            (Set::Balls(vec![(DVec3::ZERO, size)]), Primitive::Sphere { radius: size })
        } else {
            (Set::Capsule { half, radius: size }, Primitive::Capsule { radius: size, height: 2.0 * half })
        };
        let inside = if random.one_in(3) { Inside::Filled } else { Inside::Hollow };
        let round = Thing {
            placed: Placed { set, inside, frame: Frame::HOME },
            shape: CollisionShape::primitive(primitive).unwrap(),
            guise: "round".into(),
        };
        // It comes so close that it barely touches or barely misses, and is static or slow there.
        let reach = size + 0.05;
        let (stands, still) = still(random);
        let way = random.direction();
        let place = stands.at(0.0).out(reach * random.within(0.95, 1.3) * way);
        let (pose, start) = stand(random, place);
        let linear = random.vector(0.3) / duration;
        let angular = random.direction() * 10.0_f64.powf(random.within(0.0, 2.0)) / duration;
        let twist =
            (Way::Twist { start, linear, angular }, BodyMotion::Twist { start: pose, linear, angular });
        let case = Case {
            things: [round, cloud(vec![DVec3::ZERO], 0.05)],
            ways: [twist.0, stands],
            motions: [twist.1, still],
            duration,
            epsilon: 10.0_f64.powf(random.within(-5.0, -2.5)),
        };
        check_case(&case, &counts)
    });
    let [clear, contact, overlapping, ..] = counts.totals();
    assert!(clear > 0 && contact > 0 && overlapping > 0, "{:?}", counts.totals());
}

/// A small body inside a large one, a hollow surface with a body inside, and a thin wall that a fast point crosses.
#[test]
fn inner_bodies_overlap_and_thin_walls_stop_points() {
    let counts = Counts::default();
    for_all(fewer(40, 2), |seed| {
        let random = &mut Random(4_000_000 + seed);
        let duration = duration(random);
        let which = random.below(3);
        let (first, second) = match which {
            // The whole motion in the interior, and close to the wall.
            0 | 1 => {
                let half =
                    DVec3::new(random.within(0.5, 1.0), random.within(0.5, 1.0), random.within(0.5, 1.0));
                let (own, guise) = (local(random), BOXES[random.below(BOXES.len())]);
                let mut around = box_in_guise(random, half, guise, own);
                if which == 1 {
                    around.placed.inside = Inside::Hollow;
                }
                let radius = random.within(0.0, 0.2);
                (around, cloud(vec![random.vector(0.1)], radius))
            }
            _ => (shell(random, 0.5, 4e-4), cloud(vec![random.vector(0.05)], 0.0)),
        };
        let (stands, still) = still(random);
        let place = stands.at(0.0).out(first.placed.frame.out(random.vector(0.1)));
        let (pose, start) = stand(random, place);
        let speed = if which == 2 { random.within(0.0, 2000.0) } else { random.within(0.0, 2.0) };
        let linear = random.direction() * speed / duration;
        let angular = random.vector(1.0) / duration;
        let case = Case {
            things: [first, second],
            ways: [stands, Way::Twist { start, linear, angular }],
            motions: [still, BodyMotion::Twist { start: pose, linear, angular }],
            duration,
            epsilon: if which == 2 { 10.0_f64.powf(random.within(-6.0, -4.5)) } else { epsilon(random) },
        };
        check_case(&case, &counts)
    });
    println!("{:?}", counts.totals());
}

/// Bodies that start in deep penetration, anywhere.
#[test]
fn bodies_deep_inside_at_the_start_overlap_for_every_shape_kind() {
    let deep = Counter::default();
    for_all(fewer(100, 2), |seed| {
        let random = &mut Random(8_000_000 + seed);
        let half = DVec3::new(random.within(0.3, 0.8), random.within(0.3, 0.8), random.within(0.3, 0.8));
        let guise = BOXES[random.below(BOXES.len())];
        let first = box_in_guise(random, half, guise, (Pose::IDENTITY, Frame::HOME, 1.0));
        let radius = random.within(0.2, 0.5);
        let second = loop {
            let made = ball(random, radius);
            if made.guise != "sphere" {
                break made;
            }
        };
        let place = DVec3::new(random.side(), random.side(), random.side()) * (half + 0.5 * radius);
        let (pose, start) = stand(random, place);
        let (linear, angular) = (random.vector(1e-3), DVec3::ZERO);
        let case = Case {
            things: [first, second],
            ways: [Way::Still(Frame::HOME), Way::Twist { start, linear, angular }],
            motions: [BodyMotion::Still(Pose::IDENTITY), BodyMotion::Twist { start: pose, linear, angular }],
            duration: 1.0,
            epsilon: epsilon(random),
        };
        let verdict = check(&case.scene()).verdict;
        let is_deep = case.gap(0.0) < -0.01;
        deep.add_if(is_deep);
        if is_deep && verdict != PairVerdict::Overlapping {
            return vec![format!("{verdict:?} with a gap of {}", case.gap(0.0)), case.description()];
        }
        Wrong::new()
    });
    assert!(deep.get() > 12, "{}", deep.get());
}

/// A deep ball among many that touch, at any position in the list.
#[test]
fn bodies_that_touch_at_many_places_and_penetrate_at_one_overlap() {
    let deep = Counter::default();
    for_all(fewer(60, 2), |seed| {
        let random = &mut Random(9_000_000 + seed);
        let half = DVec3::new(1.0, 1.0, 0.3);
        let guise = BOXES[random.below(BOXES.len())];
        let plate = box_in_guise(random, half, guise, (Pose::IDENTITY, Frame::HOME, 1.0));
        let (epsilon, radius) = (10.0_f64.powf(random.within(-5.0, -3.0)), random.within(0.02, 0.1));
        let mut points: Vec<DVec3> = (0..2 + random.below(20))
            .map(|_| {
                let above = half.z + radius + 0.5 * epsilon * random.side();
                DVec3::new(0.8 * random.side(), 0.8 * random.side(), above)
            })
            .collect();
        let is_deep = !random.one_in(3);
        if is_deep {
            let which = random.below(points.len());
            points[which].z -= epsilon * 10.0_f64.powf(random.within(0.5, 2.0));
        }
        deep.add_if(is_deep);
        let linear = random.vector(1e-3);
        let case = Case {
            things: [plate, cloud(points, radius)],
            ways: [Way::Still(Frame::HOME), Way::Twist { start: Frame::HOME, linear, angular: DVec3::ZERO }],
            motions: [
                BodyMotion::Still(Pose::IDENTITY),
                BodyMotion::Twist { start: Pose::IDENTITY, linear, angular: DVec3::ZERO },
            ],
            duration: 1.0,
            epsilon,
        };
        let verdict = check(&case.scene()).verdict;
        let right = if is_deep { PairVerdict::Overlapping } else { PairVerdict::Contact };
        if verdict == right {
            Wrong::new()
        } else {
            vec![format!("{verdict:?}, not {right:?}"), case.description()]
        }
    });
    assert!(deep.get() > 9, "{}", deep.get());
}

/// Bodies that separate only for a moment, in the middle of one movement: a point between two balls, or a point of a
/// box that bulges out of its top.
#[test]
fn bodies_that_separate_for_a_moment_have_two_contacts() {
    let counts = Counts::default();
    for_all(fewer(40, 2), |seed| {
        let random = &mut Random(9_000_000 + seed);
        let duration = duration(random);
        let epsilon = 10.0_f64.powf(random.within(-6.0, -4.0));
        let (first, start, axis) = if random.one_in(2) {
            // Each ball contains a box, whose function alone gives a wrong depth of the two together.
            let radius = random.within(0.2, 0.6);
            let place = (radius + random.within(3.0, 100.0) * epsilon) * DVec3::X;
            let ball = PartShape::Primitive(Primitive::Sphere { radius });
            let size = DVec3::splat(radius * random.within(0.6, 1.1));
            let cuboid = PartShape::Primitive(Primitive::Box { size });
            let mut parts: Vec<_> = [place, -place]
                .into_iter()
                .flat_map(|place| [&ball, &cuboid].map(|shape| moved(shape.clone(), place)))
                .collect();
            let which = if random.one_in(2) { vec![0, 2] } else { vec![0, 1, 2, 3] };
            parts.push(moved(PartShape::Union(which), DVec3::ZERO));
            let shape = CollisionShape::solid(Arc::new(Solid::new(parts).unwrap())).unwrap();
            let set = Set::Balls(vec![(place, radius), (-place, radius)]);
            let far = random.within(0.3, 1.0) * place;
            let beside = 0.1 * radius * DVec3::new(0.0, random.side(), random.side());
            let axis = Axis { direction: DVec3::X, point: DVec3::ZERO, slide: 2.0 * far.x, angle: 0.0 };
            (Thing { placed: filled(set), shape, guise: "two balls".into() }, beside - far, axis)
        } else {
            let half = DVec3::splat(0.5);
            let first = box_in_guise(random, half, "primitive", (Pose::IDENTITY, Frame::HOME, 1.0));
            let (arm, angle) = (random.within(0.2, 1.0), 0.3_f64);
            let out = random.within(0.1, 0.9) * arm * (1.0 - angle.cos());
            let point = DVec3::new(0.0, 0.0, 0.5 + out - arm);
            let start = point + arm * DVec3::new(-angle.sin(), 0.0, angle.cos());
            (first, start, Axis { direction: DVec3::Y, point, slide: 0.0, angle: 2.0 * angle })
        };
        let pose = Pose::from_position(start).unwrap();
        let start = Frame { turn: Frame::HOME.turn, place: start };
        let screw = Screw::about(pose, axis.direction, axis.point, axis.slide, axis.angle).unwrap();
        let goes = Way::Steps { start, times: vec![0.0, duration], axes: vec![axis] };
        let case = Case {
            things: [first, cloud(vec![DVec3::ZERO], 0.0)],
            ways: [Way::Still(Frame::HOME), goes],
            motions: [BodyMotion::Still(Pose::IDENTITY), BodyMotion::Screw(screw)],
            duration,
            epsilon,
        };
        let mut wrong = check_case(&case, &counts);
        let times = check(&case.scene()).intervals.len();
        if times != 2 {
            wrong.push(format!("{times} intervals"));
        }
        wrong
    });
}

fn filled(set: Set) -> Placed {
    Placed { set, inside: Inside::Filled, frame: Frame::HOME }
}
