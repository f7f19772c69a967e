//! The guarantees of the queries, one by one, on cases whose answer is known by formula.

use crate::cases::extremes::sphere;
use crate::cases::{Raw, box_of, fewer, octahedron, pose};
use chasles::{
    ContactFeatures, Mesh, Options, Outcome, Pose, PreparedMesh, Screw, SearchMethod, Start, UndecidedReason,
    all_contacts, any_contact, contact_intervals, first_contact, first_within,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

fn body(raw: Raw) -> PreparedMesh {
    PreparedMesh::new(Mesh::new(raw.0, raw.1).unwrap())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    pose(DVec3::new(x, y, z), DQuat::IDENTITY)
}

fn outcome(a: &PreparedMesh, b: &PreparedMesh, screw: &Screw, options: &Options) -> Outcome {
    first_contact(a, b, screw, options).unwrap().outcome
}

fn time(outcome: &Outcome) -> [f64; 2] {
    let Outcome::Contact(contact) = outcome else { panic!("{outcome:?}") };
    contact.time
}

#[track_caller]
fn assert_at(outcome: &Outcome, t: f64) {
    let [lo, hi] = time(outcome);
    assert!(lo <= t + 1e-14 && t <= hi + 1e-8 && hi - lo < 1e-6, "{outcome:?} for {t}");
}

#[test]
fn aligned_equal_boxes_meet_face_on_face() {
    let a = body(box_of(DVec3::ONE));
    for (from, to, t) in [
        (at(-3.0, 0.0, 0.0), at(1.0, 0.0, 0.0), 0.5),
        (at(0.0, 2.0, 0.0), at(0.0, 0.0, 0.0), 0.5),
        (at(3.0, 3.0, 3.0), at(-1.0, -1.0, -1.0), 0.5),
        (at(0.0, 0.0, -5.0), at(0.0, 0.0, 3.0), 0.5),
    ] {
        assert_at(&outcome(&a, &a, &Screw::between(from, to), &Options::default()), t);
    }
}

#[test]
fn the_normal_points_from_a_to_b_and_the_speed_is_that_of_approach() {
    let (a, b) = (body(octahedron(DVec3::ONE)), body(box_of(DVec3::splat(4.0))));
    let screw = Screw::between(at(0.3, 0.1, 6.0), at(0.3, 0.1, 2.0));
    let Outcome::Contact(contact) = outcome(&a, &b, &screw, &Options::default()) else { panic!() };
    assert_eq!(contact.features, ContactFeatures::VertexFace { a: 5, b: 2 });
    assert!(contact.normal.distance(-DVec3::Z) < 1e-12 && (contact.approach_speed - 4.0).abs() < 1e-12);
    assert!(contact.point.distance(DVec3::new(0.3, 0.1, 2.0)) < 1e-12 && !contact.touching);
    // With the bodies swapped.
    let Outcome::Contact(contact) = outcome(&b, &a, &screw.inverse(), &Options::default()) else { panic!() };
    assert_eq!(contact.features, ContactFeatures::FaceVertex { a: 2, b: 5 });
    assert!(contact.normal.distance(DVec3::Z) < 1e-12, "{contact:?}");
}

#[test]
fn touching_at_the_start_is_distinguished_from_closing() {
    let (a, b) = (body(box_of(DVec3::ONE)), body(box_of(DVec3::new(6.0, 6.0, 1.0))));
    let ignore = Options { start: Start::IgnoreSeparating, ..Options::default() };
    let rest = at(0.2, 0.1, 1.0);
    let lift = Screw::between(rest, at(0.2, 0.1, 2.0));
    assert_eq!(time(&outcome(&a, &b, &lift, &Options::default())), [0.0, 0.0]);
    assert_eq!(outcome(&a, &b, &lift, &ignore), Outcome::Clear);
    let slide = Screw::between(rest, at(1.2, 0.4, 1.0));
    assert_eq!(time(&outcome(&a, &b, &slide, &Options::default())), [0.0, 0.0]);
    assert_eq!(outcome(&a, &b, &slide, &ignore), Outcome::Clear);
    let press = Screw::between(rest, at(0.2, 0.1, 0.5));
    assert_eq!(time(&outcome(&a, &b, &press, &ignore)), [0.0, 0.0]);
    // Sliding on the floor of a step, into its riser.
    let mut step = box_of(DVec3::new(6.0, 6.0, 1.0));
    let riser = box_of(DVec3::new(1.0, 6.0, 3.0));
    let shift = u32::try_from(step.0.len()).unwrap();
    step.0.extend(riser.0.iter().map(|v| *v + DVec3::new(3.0, 0.0, 0.25)));
    step.1.extend(riser.1.iter().map(|t| t.map(|v| v + shift)));
    let into = Screw::between(rest, at(2.2, 0.1, 1.0));
    assert_at(&outcome(&a, &body(step), &into, &ignore), 0.9);
}

#[test]
fn a_touch_below_rounding_is_undecided_and_a_crossing_is_not() {
    let (a, b) = (body(box_of(DVec3::ONE)), body(box_of(DVec3::new(6.0, 6.0, 1.0))));
    let slide = Screw::between(at(0.2, 0.1, 1.0), at(1.2, 0.4, 1.0));
    let land = Screw::between(at(0.2, 0.1, 3.0), at(0.7, 0.4, 0.5));
    for tolerance in [0.0, 1e-18, 1e-15] {
        let options = Options { tolerance: Some(tolerance), ..Options::default() };
        let sliding = outcome(&a, &b, &slide, &options);
        assert_eq!(
            sliding,
            Outcome::Undecided { clear_until: 0.0, reason: UndecidedReason::Rounding },
            "{tolerance}"
        );
        assert_at(&outcome(&a, &b, &land, &options), 0.8);
    }
}

#[test]
fn the_first_time_within_a_distance() {
    // Corner towards corner: features that never meet, but come close to each other.
    let a = body(octahedron(DVec3::ONE));
    let screw = Screw::between(at(-6.0, 0.0, 0.0), at(6.0, 0.0, 0.0));
    let within = |b: &PreparedMesh, screw: &Screw, distance: f64| {
        let options = Options { tolerance: Some(distance), ..Options::default() };
        first_within(&a, b, screw, &options).unwrap().outcome
    };
    for distance in [1e-6, 1e-3, 0.5, 2.0] {
        let [lo, hi] = time(&within(&a, &screw, distance));
        let exact = (6.0 - 2.0 - distance) / 12.0;
        assert!(lo <= exact + 1e-14 && exact - lo <= 0.011 * distance / 12.0 + 1e-12, "{lo} for {exact}");
        assert!(hi >= lo && hi <= exact + 1e-12);
    }
    // A corner at (-3, y) past an edge along z: nearest at (-3, 2).
    let ends = [DVec3::new(0.0, 0.0, -5.0), DVec3::new(0.0, 0.0, 5.0), DVec3::new(5.0, 0.0, 5.0)];
    let post = body((ends.to_vec(), vec![[0, 1, 2]]));
    let towards = Screw::between(at(-4.0, 8.0, 0.0), at(-4.0, 2.0, 0.0));
    assert_eq!(within(&post, &towards, 3.5), Outcome::Clear);
    let exact = (8.0 - (3.7_f64.powi(2) - 9.0).sqrt()) / 6.0;
    let [lo, hi] = time(&within(&post, &towards, 3.7));
    assert!(lo <= exact && hi <= exact + 1e-12 && exact - lo < 0.02, "[{lo}, {hi}] for {exact}");
}

#[test]
fn degenerate_triangles_are_hit_like_others() {
    let plate = body(box_of(DVec3::new(2.0, 2.0, 0.1)));
    let down = Screw::between(at(0.2, 0.3, 2.0), at(0.2, 0.3, -2.0));
    let tip = DVec3::new(0.0, 0.0, -0.5);
    for corners in [
        // A segment, with its third point at an end, inside, and all three at one point.
        vec![DVec3::ZERO, tip, tip],
        vec![DVec3::ZERO, 0.3 * tip, tip],
        vec![tip, tip, tip],
    ] {
        let needle = body((corners, vec![[0, 1, 2]]));
        assert_at(&outcome(&needle, &plate, &down, &Options::default()), (2.0 - 0.5 - 0.05) / 4.0);
        assert_at(&outcome(&plate, &needle, &down.inverse(), &Options::default()), (2.0 - 0.5 - 0.05) / 4.0);
    }
    // Two segments that cross in the air, and two that pass.
    let segment = |from: DVec3, to: DVec3| body((vec![from, to, to], vec![[0, 1, 2]]));
    let (x, y) = (segment(-DVec3::X, DVec3::X), segment(-DVec3::Y, DVec3::Y));
    assert_at(
        &outcome(&x, &y, &Screw::between(at(0.1, 0.2, 1.0), at(0.1, 0.2, -1.0)), &Options::default()),
        0.5,
    );
    // A point that hits a segment, and one that passes it.
    let point = body((vec![DVec3::new(0.25, 0.0, 0.0)], vec![[0, 0, 0]]));
    assert_at(
        &outcome(&point, &x, &Screw::between(at(0.0, 0.0, 1.0), at(0.0, 0.0, -1.0)), &Options::default()),
        0.5,
    );
    let past = Screw::between(at(0.0, 1e-6, 1.0), at(0.0, 1e-6, -1.0));
    assert_eq!(outcome(&point, &x, &past, &Options::default()), Outcome::Clear);
    let beside = Screw::between(at(0.1, 1.2, 1.0), at(0.1, 1.2, -1.0));
    assert_eq!(outcome(&x, &y, &beside, &Options::default()), Outcome::Clear);
}

#[test]
fn edges_that_are_parallel_at_the_start_are_not_missed() {
    // One edge rotates in a plane half a tolerance above another, to which it is parallel at the start, and so never
    // crosses it: |l x m| at t = 0 is zero, and useless as a scale for small values.
    let segment = |from: DVec3, to: DVec3| body((vec![from, to, to], vec![[0, 1, 2]]));
    let b = segment(-DVec3::X, DVec3::X);
    let pivot = DVec3::new(1.0, 1.0, 0.0);
    for (height, met) in [(1e-9, true), (0.0, true), (4e-9, false)] {
        let a = segment(DVec3::new(-1.0, 1.0, height), DVec3::new(1.0, 1.0, height));
        for direction in [DVec3::Z, -DVec3::Z] {
            let angle = direction.z * std::f64::consts::FRAC_PI_2;
            let screw = Screw::about(Pose::IDENTITY, direction, pivot, 0.0, angle).unwrap();
            let outcome = outcome(&a, &b, &screw, &Options::default());
            if met {
                // Half the length of the edge is the height of the pivot: it has rotated by 30 degrees.
                let [lo, hi] = time(&outcome);
                assert!(lo <= 1.0 / 3.0 && 1.0 / 3.0 <= hi + 1e-8 && hi - lo < 1e-6, "{height}: {outcome:?}");
            } else {
                assert_eq!(outcome, Outcome::Clear, "{height}");
            }
        }
    }
}

#[test]
fn edges_that_turn_past_parallel_at_a_distance_do_not_cross() {
    // The function of the two edges changes its sign when they become parallel, as it does when they cross.
    let segment = |from: DVec3, to: DVec3| body((vec![from, to, to], vec![[0, 1, 2]]));
    let b = segment(-DVec3::X, DVec3::X);
    for height in [4e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-2, 0.5] {
        for angle in [1e-6, 1e-3, 0.6, 3.0] {
            let a = segment(DVec3::new(-1.0, 0.0, height), DVec3::new(1.0, 0.0, height));
            for slide in [0.0, 0.4 * height, 1e-3 * height] {
                let start = pose(DVec3::ZERO, DQuat::from_rotation_z(-0.6 * angle));
                let screw = Screw::about(start, DVec3::Z, DVec3::ZERO, -slide, angle).unwrap();
                assert_eq!(
                    outcome(&a, &b, &screw, &Options::default()),
                    Outcome::Clear,
                    "{height} {angle} {slide}"
                );
            }
        }
    }
}

#[test]
fn far_from_the_origin_results_are_as_accurate_as_the_input() {
    let (a, b) = (octahedron(DVec3::ONE), box_of(DVec3::new(3.0, 3.0, 1.0)));
    for far in [1e3, 1e6, 1e9, 1e12, 1e15, 1e18, 1e60] {
        let offset = DVec3::new(far, -0.7 * far, 0.3 * far);
        let moved = |raw: &Raw| body((raw.0.iter().map(|v| *v + offset).collect(), raw.1.clone()));
        let place = |z: f64| pose(offset + DVec3::new(0.2, 0.1, z), DQuat::IDENTITY);
        let screw = Screw::between(place(3.0), place(-3.0));
        // Beyond 1e15 the bodies themselves are distorted by rounding; the query must still terminate.
        let far_pose = outcome(&body(a.clone()), &moved(&b), &screw, &Options::default());
        // A's own frame may be as far away, and rotate: its centre then has a rounding error, which the answer
        // includes.
        let turn = DQuat::from_rotation_z(1.0);
        let back = |z: f64| pose(DVec3::new(0.2, 0.1, z) - turn * offset, turn);
        let screw = Screw::between(back(3.0), back(-3.0));
        let far_frame = outcome(&moved(&a), &body(b.clone()), &screw, &Options::default());
        let blur = 1e-15 * far + 1e-8;
        for outcome in [far_pose, far_frame].into_iter().filter(|_| far <= 1e15) {
            match outcome {
                Outcome::Contact(contact) => {
                    let [lo, hi] = contact.time;
                    assert!(
                        lo <= 0.25 + blur && hi >= 0.25 - blur && hi - lo < blur + 1e-6,
                        "{far}: {contact:?}"
                    );
                }
                _ => assert!(
                    matches!(outcome, Outcome::Undecided { reason: UndecidedReason::Rounding, .. })
                        && far > 1e6,
                    "{far}: {outcome:?}"
                ),
            }
        }
    }
}

#[test]
fn tiny_and_huge_bodies_give_correct_results() {
    for scale in [1e-60, 1e-30, 1e-12, 1e12, 1e30, 1e60] {
        let scaled = |(vertices, faces): Raw| (vertices.iter().map(|v| *v * scale).collect(), faces);
        let a = body(scaled(octahedron(DVec3::ONE)));
        let b = body(scaled(box_of(DVec3::new(3.0, 3.0, 1.0))));
        let turn = DQuat::from_rotation_z(1.0);
        let start = pose(scale * DVec3::new(0.2, 0.1, 3.0), DQuat::IDENTITY);
        let screw = Screw::between(start, pose(scale * DVec3::new(0.2, 0.1, -3.0), turn));
        assert_at(&outcome(&a, &b, &screw, &Options::default()), 0.25);
    }
}

#[test]
fn any_angle_is_bounded_work() {
    let (a, b) = (body(box_of(DVec3::ONE)), body(box_of(DVec3::ONE)));
    let start = at(1.6, 0.0, 0.0);
    for angle in [1e3, 1e6, 1e12, 1e60] {
        let screw =
            Screw::about(start, DVec3::new(0.1, 0.2, 1.0), DVec3::new(1.6, 0.0, 0.0), 1e-3, angle).unwrap();
        let options = Options { budget: 200_000, ..Options::default() };
        // It rotates on the spot, close to B: clear, if that can be decided at all.
        let outcome = any_contact(&a, &b, &screw, &options).unwrap().outcome;
        assert!(matches!(outcome, Outcome::Clear | Outcome::Undecided { .. }), "{angle}: {outcome:?}");
        // If not even one turn can be distinguished from the next, the answer says so at once.
        if angle > 1e20 {
            assert_eq!(outcome, Outcome::Undecided { clear_until: 0.0, reason: UndecidedReason::Rounding });
        }
    }
}

#[test]
fn too_little_memory_is_undecided_and_never_clear() {
    let [a, b] = [sphere(2, 0.1), sphere(2, 0.07)].map(body);
    let screw =
        Screw::between(at(3.0, 0.1, 0.2), pose(DVec3::new(-3.0, 0.3, 0.1), DQuat::from_rotation_z(0.2)));
    for ask in [first_contact, any_contact, all_contacts] {
        let whole = ask(&a, &b, &screw, &Options::default()).unwrap();
        let Outcome::Contact(contact) = &whole.outcome else { panic!("{:?}", whole.outcome) };
        let mut lacking = 0;
        for memory in (0..24).map(|power| 1 << power) {
            let found = ask(&a, &b, &screw, &Options { memory, ..Options::default() }).unwrap();
            match found.outcome {
                Outcome::Undecided { clear_until, reason: UndecidedReason::Memory } => {
                    assert!(clear_until <= contact.time[1], "{memory}: {clear_until}");
                    lacking += 1;
                }
                _ => assert_eq!(found, whole, "{memory}"),
            }
        }
        assert!((4..24).contains(&lacking), "{lacking}");
    }
    let whole = contact_intervals(&a, &b, &screw, &Options::default()).unwrap();
    let found = contact_intervals(&a, &b, &screw, &Options { memory: 10_000, ..Options::default() }).unwrap();
    assert!(
        matches!(found.outcome, Outcome::Undecided { reason: UndecidedReason::Memory, .. }),
        "{:?}",
        found.outcome
    );
    assert!(found.intervals.is_empty() && !whole.intervals.is_empty());
}

/// An overlap at the start is the whole answer: no further search is done.
#[test]
fn all_contacts_of_overlapping_bodies_take_no_more_work_than_the_first() {
    let ball = body(sphere(3, 0.0));
    for screw in [
        Screw::about(at(0.3, 0.1, 0.0), DVec3::Z, DVec3::ZERO, 0.0, 1.0).unwrap(),
        Screw::between(at(0.3, 0.1, 0.0), at(2.5, 0.0, 0.4)),
    ] {
        let [first, all] =
            [first_contact, all_contacts].map(|ask| ask(&ball, &ball, &screw, &Options::default()).unwrap());
        assert_eq!(first, all);
        assert!(matches!(all.outcome, Outcome::Overlapping(_)));
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let triangle = || vec![[0, 1, 2]];
    let new = |vertices: &[DVec3], faces| Mesh::new(vertices.to_vec(), faces).unwrap_err().to_string();
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    assert_eq!(new(&corners, vec![]), "mesh: found no triangles, expected at least one");
    assert_eq!(new(&corners[..2], triangle()), "triangle 0: found vertex index 2, expected below 2");
    let bad = [DVec3::ZERO, DVec3::new(0.0, f64::NAN, 0.0), DVec3::Y];
    assert_eq!(new(&bad, triangle()), "vertex 1: found NaN, expected a finite number");
    let huge = [DVec3::ZERO, DVec3::splat(1e71), DVec3::Y];
    assert_eq!(new(&huge, triangle()), "vertex 1: found 1e71, expected a magnitude below 1e70");
    let a = body((corners.to_vec(), triangle()));
    for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
        let options = Options { tolerance: Some(tolerance), ..Options::default() };
        let error = first_contact(&a, &a, &Screw::still(Pose::IDENTITY), &options).unwrap_err();
        assert_eq!(error.place(), "tolerance");
    }
}

/// Numbers of all sizes, including awkward ones.
fn awkward(random: &mut Random) -> f64 {
    let sizes =
        [0.0, 5e-324, 1e-308, 1e-160, 1e-70, 1e-30, 1e-9, 0.5, 1.0, 1.0 + f64::EPSILON, 3.0, 1e9, 1e30, 4e69];
    let size = sizes[random.below(sizes.len())];
    [size, -size, size * random.within(-1.0, 1.0)][random.below(3)]
}

#[test]
fn no_input_causes_a_panic_or_an_invalid_result() {
    for seed in 0..fewer(600, 3) {
        let random = &mut Random(seed);
        // Half of the cases have one size, so that the largest does not absorb all others.
        let same = awkward(random);
        let mixed = random.below(2) == 0;
        let number = |random: &mut Random| if mixed { awkward(random) } else { same * random.dyadic(1.0) };
        let vector = |random: &mut Random| DVec3::new(number(random), number(random), number(random));
        let mesh = |random: &mut Random| {
            let vertices = (0..4 + random.below(6)).map(|_| vector(random)).collect::<Vec<_>>();
            let n = vertices.len();
            let corner = |random: &mut Random| u32::try_from(random.below(n)).unwrap();
            let faces =
                (0..1 + random.below(8)).map(|_| [corner(random), corner(random), corner(random)]).collect();
            body((vertices, faces))
        };
        let (a, b) = (mesh(random), mesh(random));
        let rotation = DQuat::from_xyzw(awkward(random), awkward(random), awkward(random), 1.0);
        let (Ok(start), Ok(end)) =
            (Pose::new(vector(random), rotation), Pose::new(vector(random), random.rotation()))
        else {
            panic!("seed {seed}: finite poses are refused");
        };
        let about = Screw::about(start, vector(random), vector(random), awkward(random), awkward(random));
        let options = Options { budget: 20_000, ..Options::default() };
        for screw in [Some(Screw::between(start, end)), about.ok()].into_iter().flatten() {
            let found = chasles::contact_intervals(&a, &b, &screw, &options).unwrap();
            for interval in &found.intervals {
                let [lo, hi] = interval.enter;
                assert!(0.0 <= lo && lo <= hi && hi <= 1.0, "seed {seed}: {interval:?}");
            }
            match first_contact(&a, &b, &screw, &options).unwrap().outcome {
                Outcome::Contact(contact) => {
                    let [lo, hi] = contact.time;
                    assert!(0.0 <= lo && lo <= hi && hi <= 1.0, "seed {seed}: {contact:?}");
                    assert!((contact.normal.length() - 1.0).abs() < 1e-9, "seed {seed}: {contact:?}");
                    assert!(contact.point.is_finite(), "seed {seed}: {contact:?}");
                }
                Outcome::Undecided { clear_until, .. } => {
                    assert!((0.0..=1.0).contains(&clear_until), "seed {seed}: {clear_until}");
                }
                Outcome::Clear | Outcome::Overlapping(_) => {}
            }
        }
    }
}

#[test]
fn bodies_that_intersect_at_the_start_are_never_clear_however_uncertain_the_motion() {
    let tip = vec![DVec3::ZERO, DVec3::new(0.3, 0.0, 1.0), DVec3::new(-0.3, 0.1, 1.0)];
    let tip = PreparedMesh::new(Mesh::new(tip, vec![[0, 1, 2]]).unwrap());
    let corners = [(-2.0, -2.0), (2.0, -2.0), (0.0, 2.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let floor = PreparedMesh::new(Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap());
    let deviation = 0.01;
    for depth in [0.005, 0.0101, 0.012, 0.015, 0.0199, 0.021, 0.05] {
        for way in [DVec3::new(0.0, 0.0, -0.5), DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.0, 0.0, 0.5)] {
            let start = Pose::from_position(DVec3::new(0.0, 0.0, -depth)).unwrap();
            let screw = Screw::translation(start, way);
            for search in [SearchMethod::Hierarchy, SearchMethod::Reference] {
                let options = Options { deviation, tolerance: Some(1e-6), search, ..Options::default() };
                let outcome = first_contact(&tip, &floor, &screw, &options).unwrap().outcome;
                let told = match &outcome {
                    Outcome::Overlapping(_) => true,
                    Outcome::Contact(contact) => contact.time[0] == 0.0,
                    Outcome::Undecided { clear_until, .. } => *clear_until == 0.0,
                    Outcome::Clear => false,
                };
                assert!(told, "{depth} deep, {way}: {outcome:?}");
            }
        }
    }
}

/// A box far from its own frame slides over another, one tolerance above it: rounding leaves open whether its corners
/// touch.
#[test]
fn events_undecided_by_rounding_are_counted_and_are_no_contacts() {
    let small = box_of(DVec3::splat(0.5));
    for far in [0.0, 1e7] {
        let offset = DVec3::new(far, 0.0, 0.0);
        let a = body((small.0.iter().map(|v| *v + offset).collect(), small.1.clone()));
        let b = body(box_of(DVec3::ONE));
        let turn = DQuat::from_xyzw(0.0, 0.3, 0.0, 0.9).normalize();
        let height = small.0.iter().map(|v| (turn * *v).z).fold(f64::INFINITY, f64::min);
        let place = |x: f64| pose(DVec3::new(x, 0.1, 0.5 - height + 1e-9) - turn * offset, turn);
        let screw = Screw::between(place(-2.0), place(2.0));
        let options = Options { tolerance: Some(1e-9), ..Options::default() };
        let found = all_contacts(&a, &b, &screw, &options).unwrap();
        let open = matches!(found.outcome, Outcome::Undecided { reason: UndecidedReason::Rounding, .. });
        assert_eq!((open, found.doubtful > 0, found.contacts.is_empty()), (far > 0.0, far > 0.0, far > 0.0));
        // If only the first contact is requested, there is no list, and no contact is left out.
        assert_eq!(first_contact(&a, &b, &screw, &options).unwrap().doubtful, 0);
    }
}
