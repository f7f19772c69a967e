//! Algorithm 1 of the paper on arbitrary geometry, compared with closed forms and fine sampling that share no
//! arithmetic with it.

use std::f64::consts::TAU;

use chasles::papers::points_on_curves::{
    Implicit, Motions, Parametric, PathBox, PathCover, PointContact, PointCounters, PointOptions,
    PointOutcome, PointTarget, PointsOutcome, SampledLevelSet, Soup, contacts_of_points,
    first_contact_of_points,
};
use chasles::{Expression, Mesh, ParametricSurface, UndecidedReason, UndecidedRest};
use chasles_testing::Random;
use glam::DVec3;

use crate::cases::fewer;
use crate::shapes::point_cases::{
    Beside, Case, DoubtfulBall, Plain, Recorder, beside, cloud, level_set, wall,
};

const BOTH: [PathCover; 2] = [PathCover::Boxes, PathCover::Segments];

fn one(case: &Case, target: &mut dyn PointTarget, options: &PointOptions) -> PointOutcome {
    contacts_of_points(&[case.point], &case.motions(), target, options).unwrap().0[0]
}

fn contact(outcome: PointOutcome) -> PointContact {
    let PointOutcome::Contact(contact) = outcome else { panic!("{outcome:?}") };
    contact
}

fn formula(text: &str) -> Expression {
    Expression::parse(text, &["x", "y", "z"]).unwrap()
}

/// Asserts that the true time is in the enclosure, up to the slack that epsilon allows at this speed.
#[track_caller]
fn assert_time(found: PointContact, truth: f64, speed: f64, epsilon: f64, cover: PathCover) {
    let (slack, [lo, hi]) = (1.5 * epsilon / speed, found.time);
    assert!(lo <= truth + 1e-12 || cover == PathCover::Segments, "{found:?}, {truth}");
    assert!(lo <= truth + slack && truth - hi <= slack && hi - lo <= slack, "{found:?}, {truth}");
}

#[test]
fn a_helix_meets_a_plane_a_cylinder_and_a_ball_at_the_times_of_closed_forms() {
    // About z, two turns and a slide: the point is 0.5 from the axis at x = 1.
    let a = Plain {
        position: DVec3::new(1.5, 0.0, 0.9),
        on_axis: DVec3::X,
        slide: -1.3,
        angle: 2.0 * TAU,
        ..Plain::still(DVec3::ZERO)
    };
    let case = Case { a, b: Plain::still(DVec3::ZERO), point: DVec3::ZERO };
    let speed = (1.3_f64 * 1.3 + TAU * TAU).sqrt();
    let bounds = [DVec3::splat(-2.0), DVec3::splat(2.0)];
    // Distance from the axis of z: d^2 = 1.25 + cos(4 pi t), from the origin: plus (0.9 - 1.3 t)^2.
    let ball = |t: f64| 1.25 + (2.0 * TAU * t).cos() + (0.9 - 1.3 * t).powi(2) - 0.64;
    let mut bracket = [0.0, 0.001];
    while ball(bracket[1]) > 0.0 {
        bracket = bracket.map(|t| t + 0.001);
    }
    for _ in 0..60 {
        let middle = 0.5 * (bracket[0] + bracket[1]);
        bracket[usize::from(ball(middle) <= 0.0)] = middle;
    }
    let plane = formula("z + 0.1");
    let cylinder = formula("x^2 + y^2 - 0.49");
    let sphere = formula("x^2 + y^2 + z^2 - 0.64");
    // Slides down at an angle to the plane; cuts into the cylinder and the ball at an angle too.
    let times = [1.0 / 1.3, (0.49_f64 - 1.25).acos() / (2.0 * TAU), bracket[1]];
    let across = [1.3, TAU * 0.5, TAU * 0.2];
    for epsilon in [1e-2, 1e-4, 1e-7] {
        for ((formula, truth), across) in [&plane, &cylinder, &sphere].into_iter().zip(times).zip(across) {
            for cover in BOTH {
                let options = PointOptions { epsilon, cover, ..PointOptions::default() };
                let found = one(&case, &mut Implicit::new(formula, bounds).unwrap(), &options);
                let found = contact(found);
                assert_time(found, truth, across.min(speed), epsilon, cover);
                assert!(found.place.distance(found.surface.point) <= epsilon, "{found:?}");
                assert!((found.surface.normal.length() - 1.0).abs() < 1e-12);
            }
        }
    }
    // The normal of the plane and of the cylinder.
    let options = PointOptions { epsilon: 1e-7, ..PointOptions::default() };
    let on_plane = contact(one(&case, &mut Implicit::new(&plane, bounds).unwrap(), &options));
    assert!(on_plane.surface.normal.distance(DVec3::Z) < 1e-12);
    let on_side = contact(one(&case, &mut Implicit::new(&cylinder, bounds).unwrap(), &options));
    assert!(on_side.surface.normal.distance(on_side.place.with_z(0.0) / 0.7) < 1e-5);
}

#[test]
fn a_plane_sampled_by_a_level_set_is_met_when_the_plane_is() {
    let random = &mut Random(11);
    let mut met = 0;
    for _ in 0..700 {
        let (normal, offset) = (random.direction(), random.within(-0.5, 0.5));
        let grid = level_set(2.0, [7, 5, 9], |x| normal.dot(x) - offset);
        let mut sampled = SampledLevelSet { level_set: &grid };
        // A body that only slides, so that the time is a quotient.
        let from = random.vector(1.5);
        let way = random.direction();
        let slide = random.within(0.5, 1.5);
        let start = normal.dot(from) - offset;
        let truth = -start / (slide * normal.dot(way));
        let to = from + slide * way;
        if start < 0.02 || !(0.02..0.98).contains(&truth) || to.abs().max_element() > 1.9 {
            continue;
        }
        met += 1;
        let a = Plain { position: from, direction: way, slide, ..Plain::still(DVec3::ZERO) };
        let case = Case { a, b: Plain::still(DVec3::ZERO), point: DVec3::ZERO };
        for cover in BOTH {
            let options = PointOptions { epsilon: 1e-6, cover, ..PointOptions::default() };
            let found = contact(one(&case, &mut sampled, &options));
            assert_time(found, truth, slide * normal.dot(way).abs(), 1e-6, cover);
            assert!(found.surface.normal.distance(normal) < 1e-9, "{found:?} {normal}");
        }
    }
    assert!(met > 20, "{met}");
}

#[test]
fn the_boxes_contain_the_path() {
    let mut boxes = 0;
    for seed in 0..fewer(4000, 8) {
        let random = &mut Random(seed << 20);
        let case = Case::drawn(random, &[1.0, 6.0, 30.0]);
        let small = 10_f64.powf(random.within(-1.0, 1.0));
        let mut recorder = Recorder { small, boxes: Vec::new() };
        let found = one(&case, &mut recorder, &PointOptions { epsilon: 1e-9, ..PointOptions::default() });
        assert_eq!(found, PointOutcome::Clear, "seed {seed}");
        boxes += recorder.boxes.len();
        for i in 0..=200 {
            let place = case.at(f64::from(i) / 200.0);
            let holds = |region: &PathBox| {
                let within = region.axes.map(|axis| axis.dot(place - region.centre).abs());
                within.iter().zip(region.half).all(|(x, half)| *x <= half + 1e-13)
            };
            assert!(recorder.boxes.iter().any(holds), "seed {seed}, {i}");
        }
    }
    assert!(boxes > 1_000, "{boxes}");
}

#[test]
fn bodies_with_equal_motions_are_static_relative_to_each_other() {
    let ball = formula("x^2 + y^2 + z^2 - 0.25");
    let bounds = [-DVec3::ONE, DVec3::ONE];
    for seed in 0..300 {
        let random = &mut Random(seed << 22);
        let b = Plain::drawn(random, 3.0, 30.0);
        let point = random.direction() * 0.51;
        let motions = Motions { a: b.screw(), b: b.screw() };
        let target = &mut Implicit::new(&ball, bounds).unwrap();
        let (outcomes, counters) =
            contacts_of_points(&[point], &motions, target, &PointOptions::default()).unwrap();
        assert!(outcomes[0] == PointOutcome::Clear && counters.intervals < 4, "seed {seed}: {counters:?}");
    }
}

#[test]
fn far_from_the_origin_of_the_world_nothing_changes_but_digits() {
    let ball = formula("x^2 + y^2 + z^2 - 0.25");
    let bounds = [-DVec3::ONE, DVec3::ONE];
    let far = DVec3::new(1e6, -2e6, 5e5);
    let mut met = 0;
    for seed in 0..600 {
        let random = &mut Random(seed << 18);
        let case = Case::drawn(random, &[2.0]);
        let moved = |body: &Plain| {
            let (position, on_axis) = (body.position + far, body.on_axis + far);
            Plain { position, on_axis, ..*body }
        };
        let other = Case { a: moved(&case.a), b: moved(&case.b), point: case.point };
        let options = PointOptions { epsilon: 1e-6, ..PointOptions::default() };
        let target = &mut Implicit::new(&ball, bounds).unwrap();
        match [case, other].map(|case| one(&case, &mut *target, &options)) {
            [PointOutcome::Contact(here), PointOutcome::Contact(there)] => {
                met += 1;
                // The boxes are larger by rounding: they may be bisected once more or less.
                let way = case.at(here.time[0]).distance(case.at(there.time[1]));
                assert!(way < 4e-6, "seed {seed}: {here:?} {there:?}");
            }
            [here, there] => assert_eq!(here, there, "seed {seed}"),
        }
    }
    assert!(met > 15, "{met}");
}

#[test]
fn an_undecided_point_is_no_contact() {
    let mut met = [0; 2];
    for seed in 0..fewer(1000, 4) {
        let random = &mut Random(seed << 16);
        let case = Case::drawn(random, &[2.0]);
        let epsilon = 10_f64.powf(random.within(-4.0, -1.0));
        for (place, cover) in BOTH.into_iter().enumerate() {
            let options = PointOptions { epsilon, cover, ..PointOptions::default() };
            if let PointOutcome::Contact(contact) = one(&case, &mut DoubtfulBall, &options) {
                met[place] += 1;
                let [lo, hi] = contact.time;
                for time in [lo, 0.5 * (lo + hi), hi] {
                    let gap = case.at(time).length() - 0.7;
                    assert!(gap <= epsilon + 1e-12, "seed {seed}, {cover:?}: {gap} {contact:?}");
                }
            }
        }
    }
    assert!(met.iter().all(|n| *n > 15), "{met:?}");
}

/// A target with closed-form bounds.
struct Known<'a> {
    target: Box<dyn PointTarget + 'a>,
    /// A lower bound of the distance; the distance itself if `is_exact`.
    distance: Box<dyn Fn(DVec3) -> f64 + 'a>,
    /// A lower bound of the depth of a point inside, or 0.
    depth: Box<dyn Fn(DVec3) -> f64 + 'a>,
}

fn beyond(x: DVec3, half: DVec3) -> f64 {
    (x.abs() - half).max(DVec3::ZERO).length()
}

/// The depth inside a set within a cube, with `inside` the depth below the set's surface.
fn depth_in_cube(x: DVec3, inside: f64, half: f64) -> f64 {
    inside.min(half - x.abs().max_element()).max(0.0)
}

#[test]
fn no_point_is_missed_and_none_is_claimed_too_early() {
    // The third is a disc, the fourth a ball with a bore: an intersection and a difference.
    let formulas = [
        "x^2 + y^2 + z^2 - 0.49",
        "x^2 + y^2 - 0.25",
        "max(max(z - 0.3, -0.3 - z), sqrt(x^2 + y^2) - 0.8)",
        "max(x^2 + y^2 + z^2 - 0.49, 0.09 - x^2 - y^2)",
    ]
    .map(formula);
    let sphere = ["0.35*cos(u)*cos(v)", "0.35*sin(u)*cos(v)", "0.35*sin(v)"]
        .map(|text| Expression::parse(text, &["u", "v"]).unwrap());
    let sphere = ParametricSurface::new(sphere, [[0.0, 6.3], [-1.6, 1.6]], 2.0).unwrap();
    let (normal, offset) = (DVec3::new(0.6, 0.0, -0.8), 0.1);
    let grid = level_set(1.0, [6, 9, 7], |x| normal.dot(x) - offset);
    let cube = DVec3::ONE;
    let bounds = [-cube, cube];
    let (mut met, mut clear) = ([[0; 2]; 6], 0);
    for seed in 0..fewer(4000, 8) {
        let random = &mut Random(seed << 24 | 5);
        let case = Case::drawn(random, &[1.0, 6.0, 20.0]);
        let kind = random.below(6);
        let known = match kind {
            0 => Known {
                target: Box::new(Implicit::new(&formulas[0], bounds).unwrap()),
                distance: Box::new(|x| (x.length() - 0.7).max(0.0)),
                depth: Box::new(|x| (0.7 - x.length()).max(0.0)),
            },
            1 => Known {
                target: Box::new(Implicit::new(&formulas[1], bounds).unwrap()),
                distance: Box::new(|x| {
                    (x.with_z(0.0).length() - 0.5).max(0.0).hypot((x.z.abs() - 1.0).max(0.0))
                }),
                depth: Box::new(|x| depth_in_cube(x, 0.5 - x.with_z(0.0).length(), 1.0)),
            },
            2 => Known {
                target: Box::new(Implicit::new(&formulas[2], bounds).unwrap()),
                distance: Box::new(|x| {
                    (x.with_z(0.0).length() - 0.8).max(0.0).hypot((x.z.abs() - 0.3).max(0.0))
                }),
                depth: Box::new(|x| (0.8 - x.with_z(0.0).length()).min(0.3 - x.z.abs()).max(0.0)),
            },
            3 => Known {
                target: Box::new(Implicit::new(&formulas[3], bounds).unwrap()),
                distance: Box::new(|x| (x.length() - 0.7).max(0.3 - x.with_z(0.0).length()).max(0.0)),
                depth: Box::new(|x| (0.7 - x.length()).min(x.with_z(0.0).length() - 0.3).max(0.0)),
            },
            4 => {
                // A surface: a point that starts inside cannot leave without contact.
                let side = (case.at(0.0).length() - 0.7).signum();
                Known {
                    target: Box::new(Parametric::new(&sphere)),
                    distance: Box::new(|x| (x.length() - 0.7).abs()),
                    depth: Box::new(move |x| (side * (0.7 - x.length())).max(0.0)),
                }
            }
            _ => Known {
                target: Box::new(SampledLevelSet { level_set: &grid }),
                distance: Box::new(|x| beyond(x, cube).max(normal.dot(x) - offset)),
                depth: Box::new(|x| depth_in_cube(x, offset - normal.dot(x), 1.0)),
            },
        };
        let Known { mut target, distance, depth } = known;
        let epsilon = 10_f64.powf(random.within(-6.0, -1.0));
        let samples = 400;
        let step = 1.0 / f64::from(samples);
        for (place, cover) in BOTH.into_iter().enumerate() {
            let options = PointOptions { epsilon, cover, ..PointOptions::default() };
            let outcome = one(&case, target.as_mut(), &options);
            let name = format!("seed {seed}, kind {kind}, epsilon {epsilon}, {cover:?}: {outcome:?}");
            // With boxes there is no touch before; with segments no penetration deeper than epsilon.
            let allowed = if cover == PathCover::Boxes { 1e-12 } else { epsilon + 1e-12 };
            let clear_until = match outcome {
                PointOutcome::Clear => f64::INFINITY,
                PointOutcome::Contact(contact) => {
                    met[kind][place] += 1;
                    let [lo, hi] = contact.time;
                    for share in [0.0, 0.3, 0.5, 0.8, 1.0] {
                        let gap = distance(case.at(lo + share * (hi - lo)));
                        assert!(gap <= epsilon + 1e-12, "{name}: {gap}");
                    }
                    assert!(distance(contact.surface.point) < 1e-12, "{name}");
                    assert!(contact.place.distance(contact.surface.point) <= epsilon + 1e-12, "{name}");
                    // The enclosure is no longer than epsilon of the path, as far as speeds are known.
                    let way: f64 = (0..16)
                        .map(|i| [i, i + 1].map(|n| case.at(lo + f64::from(n) / 16.0 * (hi - lo))))
                        .map(|[p, q]| p.distance(q))
                        .sum();
                    assert!(way <= 1.1 * epsilon, "{name}: {way}");
                    lo
                }
                PointOutcome::Undecided(_) => panic!("{name}"),
            };
            for i in 0..=samples {
                let t = f64::from(i) * step;
                let inside = depth(case.at(t));
                assert!(t >= clear_until || inside <= allowed, "{name}: {inside} at {t}");
            }
            if outcome == PointOutcome::Clear {
                clear += 1;
            }
        }
    }
    assert!(met.iter().flatten().all(|n| *n > 4) && clear > 30, "{met:?} {clear}");
}

#[test]
fn points_do_not_pass_through_a_soup() {
    let (mut met, mut clear, mut deep) = (0, 0, 0);
    for seed in 0..fewer(1500, 8) {
        let random = &mut Random(seed << 28 | 3);
        let case = Case::drawn(random, &[1.0, 6.0]);
        let count = 1 + random.below(40);
        let vertices: Vec<DVec3> = (0..3 * count).map(|_| random.vector(1.2)).collect();
        let triangles: Vec<[u32; 3]> = (0..).step_by(3).map(|i| [i, i + 1, i + 2]).take(count).collect();
        let corners: Vec<[DVec3; 3]> = vertices.chunks(3).map(|t| [t[0], t[1], t[2]]).collect();
        let mut soup = Soup::new(&Mesh::new(vertices, triangles).unwrap());
        let epsilon = 10_f64.powf(random.within(-5.0, -1.5));
        for cover in BOTH {
            let outcome = one(&case, &mut soup, &PointOptions { epsilon, cover, ..PointOptions::default() });
            let name = format!("seed {seed}, epsilon {epsilon}, {cover:?}: {outcome:?}");
            let clear_until = match outcome {
                PointOutcome::Clear => {
                    clear += 1;
                    1.0
                }
                PointOutcome::Contact(contact) => {
                    met += 1;
                    let place = case.at(0.5 * (contact.time[0] + contact.time[1]));
                    let gap = corners.iter().map(|t| beside(place, *t).distance).fold(9.0, f64::min);
                    assert!(gap <= epsilon + 1e-12, "{name}: {gap}");
                    assert!(contact.surface.point.distance(place) <= epsilon + 1e-12, "{name}");
                    contact.time[0]
                }
                PointOutcome::Undecided(_) => panic!("{name}"),
            };
            // A foot that changes sides further inside than the distance between samples has passed through. The
            // segments may miss the last epsilon.
            let samples = 600;
            let (step, slack) =
                (1.0 / f64::from(samples), if cover == PathCover::Boxes { 0.0 } else { epsilon });
            for t in &corners {
                let times = (0..=samples).map(|i| f64::from(i) * step).take_while(|time| *time < clear_until);
                let places: Vec<Beside> = times.map(|time| beside(case.at(time), *t)).collect();
                for pair in places.windows(2) {
                    let inside = pair
                        .iter()
                        .all(|place| place.inside > step * case.speed() + slack && place.above.abs() > slack);
                    assert!(!inside || pair[0].above * pair[1].above > 0.0, "{name}");
                    deep += usize::from(inside);
                }
            }
        }
    }
    assert!(met > 50 && clear > 50 && deep > 1000, "{met} {clear} {deep}");
}

#[test]
fn a_point_on_ten_turns_does_not_miss_a_thin_wall() {
    // Ten turns through a wall without thickness, and through one of a micrometre.
    let thin = formula("abs(z) - 5e-7");
    let bounds = [DVec3::splat(-1.0), DVec3::splat(1.0)];
    let a = Plain {
        position: DVec3::new(0.5, 0.0, 0.4),
        direction: DVec3::Y,
        angle: 10.0 * TAU,
        ..Plain::still(DVec3::ZERO)
    };
    let case = Case { a, b: Plain::still(DVec3::ZERO), point: DVec3::ZERO };
    let truth = 0.4_f64.atan2(0.5) / (10.0 * TAU);
    let wall = wall(1.0);
    let targets: [&mut dyn PointTarget; 2] =
        [&mut Implicit::new(&thin, bounds).unwrap(), &mut Soup::new(&wall)];
    for target in targets {
        for cover in BOTH {
            let options = PointOptions { epsilon: 1e-5, cover, ..PointOptions::default() };
            let mut found = one(&case, &mut *target, &options);
            // The sense of rotation decides the initial direction of the point; in the opposite direction the path is
            // half a turn longer.
            if contact(found).time[0] > 0.04 {
                let a = Plain { angle: -case.a.angle, ..case.a };
                found = one(&Case { a, ..case }, &mut *target, &options);
            }
            assert_time(contact(found), truth, 10.0 * TAU * 0.6, 1e-5, cover);
        }
    }
}

#[test]
fn testing_later_points_only_until_the_first_contact_changes_nothing() {
    let ball = formula("x^2 + y^2 + z^2 - 0.25");
    let bounds = [-DVec3::ONE, DVec3::ONE];
    let (mut met, mut lesser, mut all) = (0, 0, 0);
    for seed in 0..fewer(200, 2) {
        let random = &mut Random(seed << 30);
        let case = Case::drawn(random, &[3.0]);
        let mut points = cloud(30, seed);
        for cover in BOTH {
            let options = PointOptions { epsilon: 1e-4, cover, ..PointOptions::default() };
            let target = &mut Implicit::new(&ball, bounds).unwrap();
            let found = first_contact_of_points(&points, &case.motions(), target, &options).unwrap();
            let (each, counters) = contacts_of_points(&points, &case.motions(), target, &options).unwrap();
            let of_each = |outcome: &PointOutcome| match outcome {
                PointOutcome::Contact(contact) => Some(*contact),
                _ => None,
            };
            let contacts: Vec<PointContact> = each.iter().filter_map(of_each).collect();
            let end = contacts.iter().map(|contact| contact.time[1]).fold(f64::INFINITY, f64::min);
            let first: Vec<_> = contacts.into_iter().filter(|contact| contact.time[0] <= end).collect();
            if first.is_empty() {
                assert_eq!((found.outcome, found.clear_until), (PointsOutcome::Clear, 1.0), "seed {seed}");
                continue;
            }
            met += 1;
            let begin = first.iter().map(|contact| contact.time[0]).fold(1.0, f64::min);
            assert_eq!((&found.outcome, found.clear_until), (&PointsOutcome::Contact(first), begin));
            assert!(found.counters.intervals <= counters.intervals);
            (lesser, all) = (lesser + found.counters.intervals, all + counters.intervals);
            // The order of the points changes only their numbers.
            let times = |outcome: PointsOutcome| {
                let PointsOutcome::Contact(contacts) = outcome else { panic!("{outcome:?}") };
                let mut times: Vec<_> = contacts.iter().map(|c| c.time.map(f64::to_bits)).collect();
                times.sort_unstable();
                times
            };
            points.reverse();
            let backward = first_contact_of_points(&points, &case.motions(), target, &options).unwrap();
            assert_eq!(times(backward.outcome), times(found.outcome), "seed {seed}");
            points.reverse();
        }
    }
    assert!(met > 18 && 10 * lesser < 9 * all, "{met} {lesser} {all}");
}

#[test]
fn corners_that_land_together_are_all_reported() {
    let corners: Vec<DVec3> =
        [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(x, y)| DVec3::new(x, y, -0.5)).to_vec();
    let mut points = corners.clone();
    points.extend(corners.iter().map(|corner| corner + DVec3::Z));
    let a = Plain {
        position: DVec3::Z,
        direction: -DVec3::Z,
        slide: 1.0,
        angle: 1.0,
        ..Plain::still(DVec3::ZERO)
    };
    let motions = Motions { a: a.screw(), b: Plain::still(DVec3::ZERO).screw() };
    let mut soup = Soup::new(&wall(2.0));
    for cover in BOTH {
        let options = PointOptions { epsilon: 1e-5, cover, ..PointOptions::default() };
        let found = first_contact_of_points(&points, &motions, &mut soup, &options).unwrap();
        let PointsOutcome::Contact(contacts) = found.outcome else { panic!("they land") };
        assert_eq!(contacts.iter().map(|contact| contact.point).collect::<Vec<_>>(), [0, 1, 2, 3]);
        for contact in contacts {
            assert_time(contact, 0.5, 1.0, 1e-5, cover);
            assert_eq!(contact.surface.normal, DVec3::Z);
        }
    }
}

#[test]
fn the_work_grows_with_the_number_of_points_and_no_faster() {
    let grid = level_set(1.0, [20, 20, 20], |x| x.length() - 0.6);
    let a = Plain {
        position: DVec3::new(1.4, 0.2, 0.0),
        on_axis: DVec3::new(0.9, 0.1, 0.0),
        slide: 0.3,
        angle: 3.0,
        ..Plain::still(DVec3::ZERO)
    };
    let b = Plain { angle: 2.0, direction: DVec3::X, ..Plain::still(DVec3::ZERO) };
    let motions = Motions { a: a.screw(), b: b.screw() };
    for cover in BOTH {
        let options = PointOptions { epsilon: 1e-4, cover, ..PointOptions::default() };
        let work = [100, 1000, 10_000].map(|count| {
            let target = &mut SampledLevelSet { level_set: &grid };
            let (outcomes, counters) =
                contacts_of_points(&cloud(count, 9), &motions, target, &options).unwrap();
            let met = outcomes.iter().filter(|outcome| matches!(outcome, PointOutcome::Contact(_))).count();
            assert!(met > count / 10 && met < count, "{met}");
            counters
        });
        println!("{cover:?}: {work:?}");
        for pair in work.windows(2) {
            let of =
                [|c: &PointCounters| c.intervals, |c: &PointCounters| c.queries, |c: &PointCounters| c.steps];
            for count in of {
                let ratio = count(&pair[1]) as f64 / count(&pair[0]) as f64;
                assert!((8.0..12.5).contains(&ratio), "{cover:?}: {ratio}");
            }
        }
        // Ten times the accuracy takes a few more bisections, not ten times as many.
        let [coarse, fine] = [1e-4, 1e-5].map(|epsilon| {
            let options = PointOptions { epsilon, ..options };
            let target = &mut SampledLevelSet { level_set: &grid };
            contacts_of_points(&cloud(1000, 9), &motions, target, &options).unwrap().1.intervals as f64
        });
        assert!(fine < 4.0 * coarse, "{cover:?}: {coarse} {fine}");
    }
}

#[test]
fn undecided_points_are_reported_with_a_reason() {
    // A plane without an interior: rounding never proves a point of it.
    let flat = formula("(z - 0.1)^2");
    let bounds = [-DVec3::ONE, DVec3::ONE];
    let a = Plain {
        position: 0.5 * DVec3::Z,
        direction: -DVec3::Z,
        slide: 1.0,
        angle: 2.0,
        ..Plain::still(DVec3::ZERO)
    };
    let case = Case { a, b: Plain::still(DVec3::ZERO), point: DVec3::ZERO };
    let options = PointOptions { epsilon: 1e-3, ..PointOptions::default() };
    let target = &mut Implicit::new(&flat, bounds).unwrap();
    let PointOutcome::Undecided(UndecidedRest { clear_until, reason }) = one(&case, target, &options) else {
        panic!("no inside")
    };
    assert!(reason == UndecidedReason::Rounding && (0.399..=0.4).contains(&clear_until), "{clear_until}");
    // Less than rounding.
    let ball = formula("x^2 + y^2 + z^2 - 0.04");
    let target = &mut Implicit::new(&ball, bounds).unwrap();
    let outcome = one(&case, target, &PointOptions { epsilon: 1e-300, ..options });
    assert!(
        matches!(outcome, PointOutcome::Undecided(rest) if rest.reason == UndecidedReason::Rounding),
        "{outcome:?}"
    );
    // With any budget, never more than proven, and the same answer as soon as the budget suffices.
    let full = contact(one(&case, target, &options));
    let mut decided = 0;
    for budget in 0..200 {
        match one(&case, target, &PointOptions { budget, ..options }) {
            PointOutcome::Undecided(UndecidedRest { clear_until, reason: UndecidedReason::Budget }) => {
                assert!(decided == 0 && clear_until <= full.time[0], "{budget}");
            }
            outcome => {
                assert_eq!(outcome, PointOutcome::Contact(full));
                decided += 1;
            }
        }
    }
    assert!(decided > 20, "{decided}");
    // Points that were not reached are not clear.
    let points = cloud(50, 1);
    let few = PointOptions { budget: 60, ..options };
    let found = first_contact_of_points(&points, &case.motions(), target, &few).unwrap();
    assert_eq!(found.clear_until, 0.0);
    let motions = case.motions();
    let bad = [(-1.0, 0.0), (f64::NAN, 0.0), (1e-3, f64::INFINITY)];
    for (epsilon, x) in bad {
        let options = PointOptions { epsilon, ..options };
        assert!(first_contact_of_points(&[DVec3::splat(x)], &motions, target, &options).is_err());
    }
    assert!(Implicit::new(&ball, [DVec3::ONE, DVec3::ONE]).is_err());
}
