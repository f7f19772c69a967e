//! Contact of every motion within a deviation, compared with shifted screws, for boxes and spheres with closed forms.

use glam::{DQuat, DVec3};

use crate::body::PreparedMesh;
use crate::mesh_screw::query::{Options, Outcome, UndecidedReason};
use crate::motion::{Pose, Screw};
use crate::predict::{any_contact, contact_intervals, first_contact};
use crate::shape::{Mesh, Primitive};
use chasles_testing::{Random, meshes};

fn box_of(size: DVec3) -> PreparedMesh {
    let (vertices, triangles) = meshes::box_of(size);
    PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())
}

fn at(position: DVec3) -> Pose {
    Pose::from_position(position).unwrap()
}

fn within(deviation: f64) -> Options {
    Options { deviation, ..Options::default() }
}

/// The verdict, and the enclosure of a contact. All three queries must agree.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Told {
    Clear,
    Contact([f64; 2]),
    Overlapping,
    Undecided(f64, UndecidedReason),
}

fn told(outcome: &Outcome) -> Told {
    match outcome {
        Outcome::Clear => Told::Clear,
        Outcome::Contact(contact) => Told::Contact(contact.time),
        Outcome::Overlapping(_) => Told::Overlapping,
        Outcome::Undecided { clear_until, reason } => Told::Undecided(*clear_until, *reason),
    }
}

#[track_caller]
fn ask(a: &PreparedMesh, b: &PreparedMesh, screw: &Screw, deviation: f64) -> Told {
    let options = within(deviation);
    let first = told(&first_contact(a, b, screw, &options).unwrap().outcome);
    let any = told(&any_contact(a, b, screw, &options).unwrap().outcome);
    let intervals = contact_intervals(a, b, screw, &options).unwrap();
    assert_eq!(first, any, "deviation {deviation}");
    assert_eq!(first, told(&intervals.outcome), "deviation {deviation}: {intervals:?}");
    match first {
        Told::Contact([lo, hi]) => {
            let interval = intervals.intervals[0];
            assert!(interval.enter[0] == lo && interval.enter[1] >= hi, "{interval:?} {lo} {hi}");
            if let Some([last, apart]) = interval.exit {
                assert!(last <= apart && lo <= apart, "{interval:?}");
            }
        }
        Told::Clear | Told::Undecided(..) => assert!(intervals.intervals.is_empty()),
        Told::Overlapping => assert_eq!(intervals.intervals[0].enter, [0.0; 2]),
    }
    first
}

/// The times, as fractions of the path, between which boxes with these half sizes share a point. `from`: the middle
/// of A at the start, relative to B.
fn shared(half: DVec3, from: DVec3, way: DVec3) -> Option<[f64; 2]> {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for c in 0..3 {
        if way[c] == 0.0 {
            if from[c].abs() > half[c] {
                return None;
            }
            continue;
        }
        let [x, y] = [(-half[c] - from[c]) / way[c], (half[c] - from[c]) / way[c]];
        (first, last) = (first.max(x.min(y)), last.min(x.max(y)));
    }
    (first <= last).then_some([first, last])
}

#[test]
fn boxes_on_straight_ways_meet_as_each_way_aside_does() {
    let (mut clear, mut met, mut open) = (0, 0, 0);
    for seed in 0..160 {
        let random = &mut Random(seed);
        let size = [1.0, 1e-3, 40.0][random.below(3)];
        let sizes = [0; 2].map(|_| size * DVec3::from_array([0; 3].map(|_| random.within(0.2, 1.0))));
        let half = 0.5 * (sizes[0] + sizes[1]);
        let deviation = size * 10.0_f64.powf(random.within(-6.0, 0.0));
        let from = size * DVec3::new(-2.6, random.within(-1.6, 1.6), random.within(-0.5, 0.5));
        let way = size * DVec3::new(random.within(1.0, 6.0), random.within(-0.3, 0.3), 0.0);
        let bodies = sizes.map(box_of);
        let found = ask(&bodies[0], &bodies[1], &Screw::translation(at(from), way), deviation);
        // Offsets of the deviation, along each axis and at random.
        let asides: Vec<DVec3> = (0..60)
            .map(|k| match k {
                0..3 => deviation * DVec3::AXES[k],
                3..6 => -deviation * DVec3::AXES[k - 3],
                _ => deviation * random.direction(),
            })
            .chain([DVec3::ZERO])
            .collect();
        let times: Vec<Option<[f64; 2]>> =
            asides.iter().map(|aside| shared(half, from + *aside, way)).collect();
        let slack = 1e-9;
        match found {
            Told::Clear => {
                clear += 1;
                assert!(times.iter().all(Option::is_none), "seed {seed}: {found:?}");
            }
            Told::Contact([lo, hi]) => {
                met += 1;
                for time in &times {
                    let [first, _] = time.unwrap_or_else(|| panic!("seed {seed}: {found:?} but not aside"));
                    assert!(lo <= first + slack && first <= hi + slack, "seed {seed}: {found:?} {first}");
                }
            }
            Told::Undecided(until, reason) => {
                open += 1;
                assert_eq!(reason, UndecidedReason::Deviation, "seed {seed}");
                let first = times.iter().flatten().map(|time| time[0]).fold(1.0, f64::min);
                assert!(until <= first + slack, "seed {seed}: {found:?} {first}");
            }
            Told::Overlapping => panic!("seed {seed}"),
        }
        // If the boxes always stay further apart than 1.02 deviations, they must be clear.
        let gap = (0..=4000)
            .map(|i| (from + way * (f64::from(i) / 4000.0)).abs() - half)
            .map(|out| out.max(DVec3::ZERO).length())
            .fold(f64::INFINITY, f64::min);
        assert!(gap < 1.02 * deviation || found == Told::Clear, "seed {seed}: {gap} {deviation} {found:?}");
    }
    assert!(clear > 30 && met > 30 && open > 10, "{clear} clear, {met} met, {open} open");
}

#[test]
fn what_sinks_into_a_table_on_any_screw_meets_it_by_the_depth_of_the_deviation() {
    let table = box_of(DVec3::new(9.0, 9.0, 6.0));
    let ball = PreparedMesh::new(Primitive::Sphere { radius: 0.5 }.tessellate().unwrap().mesh);
    let brick = box_of(DVec3::new(0.7, 0.9, 1.1));
    for (seed, power) in (0..26)
        .zip([-6.0, -5.0, -4.0, -3.0, -2.5, -2.0, -1.5, -1.0, -0.7, -0.4, -0.2, -0.05, 0.0].iter().cycle())
    {
        let random = &mut Random(seed);
        let deviation = 10.0_f64.powf(*power);
        let body = if seed % 2 == 0 { &ball } else { &brick };
        let turn = random.even_rotation();
        let lowest = body.mesh().local().iter().map(|p| (turn * *p).z).fold(f64::INFINITY, f64::min);
        // The lowest point starts 2 m above the table, and sinks 4 m.
        let start = Pose::new(DVec3::new(0.2, -0.1, 3.0 + 2.0 - lowest), turn).unwrap();
        let angle = [0.0, 1.0, 9.0][random.below(3)];
        let screw = Screw::about(start, DVec3::Z, DVec3::new(0.1, 0.3, 0.0), -4.0, angle).unwrap();
        let found = ask(body, &table, &screw, deviation);
        let [earliest, latest] = [2.0 - deviation, 2.0 + deviation].map(|way| way / 4.0);
        let Told::Contact([lo, hi]) = found else { panic!("seed {seed}: {found:?} at {deviation}") };
        assert!(lo <= earliest && earliest - lo < 1e-6, "seed {seed}: {lo} {earliest} at {deviation}");
        assert!(latest <= hi + 1e-9 && hi - latest < 1e-6, "seed {seed}: {hi} {latest} at {deviation}");
    }
}

#[test]
fn far_apart_is_clear_at_any_deviation_and_a_pass_at_no_more_than_the_gap() {
    let (a, b) = (box_of(DVec3::splat(0.2)), box_of(DVec3::new(1.0, 1.0, 0.2)));
    let pass = |z: f64| Screw::translation(at(DVec3::new(-2.0, 0.0, z)), 4.0 * DVec3::X);
    for deviation in [0.002, 0.0032, 0.004, 0.01, 0.1, 0.49] {
        assert_eq!(ask(&a, &b, &pass(0.7), deviation), Told::Clear);
        assert_eq!(ask(&a, &b, &pass(3.2), deviation), Told::Clear);
    }
    let Told::Undecided(until, UndecidedReason::Deviation) = ask(&a, &b, &pass(0.7), 0.51) else { panic!() };
    assert!(until > 0.2 && until < 0.4, "{until}");
    // The lower part of A hits the upper part of B.
    for deviation in [0.002, 0.0032, 0.01, 0.05] {
        let Told::Contact([lo, hi]) = ask(&a, &b, &pass(0.1), deviation) else { panic!("{deviation}") };
        let [earliest, latest] = [1.4 - deviation, 1.4 + deviation].map(|way| way / 4.0);
        assert!(lo <= earliest && earliest - lo < 1e-6 && hi >= latest - 1e-9 && hi - latest < 1e-6);
    }
    // Overlapping at the start, by more than the deviation, then by less.
    let inside = |x: f64| Screw::translation(at(DVec3::new(x, 0.0, 0.05)), -DVec3::X);
    assert_eq!(ask(&a, &b, &inside(-0.5), 0.02), Told::Overlapping);
    assert!(matches!(ask(&a, &b, &inside(-0.59), 0.02), Told::Undecided(0.0, UndecidedReason::Deviation)));
}

#[test]
fn no_motion_leaves_contact_before_the_end_is_told() {
    let (a, b) = (box_of(DVec3::splat(0.4)), box_of(DVec3::new(1.0, 1.0, 1.0)));
    for deviation in [1e-6, 1e-3, 0.05] {
        let from = DVec3::new(-2.0, 0.1, 0.05);
        let screw = Screw::translation(at(from), DVec3::new(4.0, 0.0, 0.0));
        let found = contact_intervals(&a, &b, &screw, &within(deviation)).unwrap();
        // The surfaces separate while A is inside B, so there are two contacts: [0.325, 0.425] and [0.575, 0.675].
        let spans: Vec<_> = found.intervals.iter().map(|i| (i.enter, i.exit.unwrap())).collect();
        assert_eq!(spans.len(), 2, "{spans:?}");
        for ((enter, exit), [begin, end]) in spans.iter().zip([[0.325, 0.425], [0.575, 0.675]]) {
            let off = 0.25 * deviation;
            assert!(enter[0] <= begin - off && begin + off <= enter[1] + 1e-9, "{enter:?} at {deviation}");
            assert!(exit[0] <= end - off + 1e-9 && end + off <= exit[1] + 1e-9, "{exit:?} at {deviation}");
            assert!(enter[1] - enter[0] < 3.0 * off + 1e-6 && exit[1] - exit[0] < 3.0 * off + 1e-6);
        }
    }
}

#[test]
fn a_flat_turn_is_decided_too() {
    // A rod that rotates about its end, towards a post.
    let (rod, post) = (box_of(DVec3::new(1.0, 0.1, 0.1)), box_of(DVec3::new(0.3, 0.3, 0.3)));
    let start = Pose::new(DVec3::new(0.5, 0.0, 0.0), DQuat::IDENTITY).unwrap();
    let screw = Screw::about(start, DVec3::Z, DVec3::ZERO, 0.0, 2.0).unwrap();
    let seen = screw.in_frame_of(&at(DVec3::new(0.2, 0.8, 0.02)));
    let exact = told(&first_contact(&rod, &post, &seen, &Options::default()).unwrap().outcome);
    let Told::Contact([first, _]) = exact else { panic!("{exact:?}") };
    for deviation in [1e-5, 1e-3, 0.02] {
        let Told::Contact([lo, hi]) = ask(&rod, &post, &seen, deviation) else { panic!("{deviation}") };
        assert!(lo < first && first < hi && hi - lo < 8.0 * deviation, "{lo} {hi} {first} at {deviation}");
    }
}
