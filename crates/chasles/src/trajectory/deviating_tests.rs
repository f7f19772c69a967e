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
enum Verdict {
    Clear,
    Contact([f64; 2]),
    Overlapping,
    Undecided(f64, UndecidedReason),
}

fn verdict(outcome: &Outcome) -> Verdict {
    match outcome {
        Outcome::Clear => Verdict::Clear,
        Outcome::Contact(contact) => Verdict::Contact(contact.time),
        Outcome::Overlapping(_) => Verdict::Overlapping,
        Outcome::Undecided { clear_until, reason } => Verdict::Undecided(*clear_until, *reason),
    }
}

#[track_caller]
fn query(a: &PreparedMesh, b: &PreparedMesh, screw: &Screw, deviation: f64) -> Verdict {
    let options = within(deviation);
    let first = verdict(&first_contact(a, b, screw, &options).unwrap().outcome);
    let any = verdict(&any_contact(a, b, screw, &options).unwrap().outcome);
    let intervals = contact_intervals(a, b, screw, &options).unwrap();
    assert_eq!(first, any, "deviation {deviation}");
    assert_eq!(first, verdict(&intervals.outcome), "deviation {deviation}: {intervals:?}");
    match first {
        Verdict::Contact([lo, hi]) => {
            let interval = intervals.intervals[0];
            assert!(interval.enter[0] == lo && interval.enter[1] >= hi, "{interval:?} {lo} {hi}");
            if let Some([last, separated]) = interval.exit {
                assert!(last <= separated && lo <= separated, "{interval:?}");
            }
        }
        Verdict::Clear | Verdict::Undecided(..) => assert!(intervals.intervals.is_empty()),
        Verdict::Overlapping => assert_eq!(intervals.intervals[0].enter, [0.0; 2]),
    }
    first
}

/// The times, as fractions of the path, between which boxes with these half sizes share a point. `from`: the middle
/// of A at the start, relative to B.
fn common_times(half: DVec3, from: DVec3, displacement: DVec3) -> Option<[f64; 2]> {
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for c in 0..3 {
        if displacement[c] == 0.0 {
            if from[c].abs() > half[c] {
                return None;
            }
            continue;
        }
        let [x, y] = [(-half[c] - from[c]) / displacement[c], (half[c] - from[c]) / displacement[c]];
        (first, last) = (first.max(x.min(y)), last.min(x.max(y)));
    }
    (first <= last).then_some([first, last])
}

#[test]
fn the_result_for_a_straight_path_is_valid_for_each_offset_path() {
    let (mut clear, mut contacts, mut open) = (0, 0, 0);
    for seed in 0..160 {
        let random = &mut Random(seed);
        let size = [1.0, 1e-3, 40.0][random.below(3)];
        let sizes = [0; 2].map(|_| size * DVec3::from_array([0; 3].map(|_| random.within(0.2, 1.0))));
        let half = 0.5 * (sizes[0] + sizes[1]);
        let deviation = size * 10.0_f64.powf(random.within(-6.0, 0.0));
        let from = size * DVec3::new(-2.6, random.within(-1.6, 1.6), random.within(-0.5, 0.5));
        let displacement = size * DVec3::new(random.within(1.0, 6.0), random.within(-0.3, 0.3), 0.0);
        let bodies = sizes.map(box_of);
        let found = query(&bodies[0], &bodies[1], &Screw::translation(at(from), displacement), deviation);
        // Offsets of the deviation, along each axis and at random.
        let offsets: Vec<DVec3> = (0..60)
            .map(|k| match k {
                0..3 => deviation * DVec3::AXES[k],
                3..6 => -deviation * DVec3::AXES[k - 3],
                _ => deviation * random.direction(),
            })
            .chain([DVec3::ZERO])
            .collect();
        let times: Vec<Option<[f64; 2]>> =
            offsets.iter().map(|offset| common_times(half, from + *offset, displacement)).collect();
        let slack = 1e-9;
        match found {
            Verdict::Clear => {
                clear += 1;
                assert!(times.iter().all(Option::is_none), "seed {seed}: {found:?}");
            }
            Verdict::Contact([lo, hi]) => {
                contacts += 1;
                for time in &times {
                    let [first, _] = time.unwrap_or_else(|| panic!("seed {seed}: {found:?} but not aside"));
                    assert!(lo <= first + slack && first <= hi + slack, "seed {seed}: {found:?} {first}");
                }
            }
            Verdict::Undecided(until, reason) => {
                open += 1;
                assert_eq!(reason, UndecidedReason::Deviation, "seed {seed}");
                let first = times.iter().flatten().map(|time| time[0]).fold(1.0, f64::min);
                assert!(until <= first + slack, "seed {seed}: {found:?} {first}");
            }
            Verdict::Overlapping => panic!("seed {seed}"),
        }
        // If the boxes always stay further apart than 1.02 deviations, they must be clear.
        let gap = (0..=4000)
            .map(|i| (from + displacement * (f64::from(i) / 4000.0)).abs() - half)
            .map(|out| out.max(DVec3::ZERO).length())
            .fold(f64::INFINITY, f64::min);
        assert!(
            gap < 1.02 * deviation || found == Verdict::Clear,
            "seed {seed}: {gap} {deviation} {found:?}"
        );
    }
    assert!(clear > 30 && contacts > 30 && open > 10, "{clear} clear, {contacts} met, {open} open");
}

#[test]
fn a_body_that_sinks_into_a_table_has_contact_at_most_a_deviation_deep() {
    let table = box_of(DVec3::new(9.0, 9.0, 6.0));
    let ball = PreparedMesh::new(Primitive::Sphere { radius: 0.5 }.tessellate().unwrap().mesh);
    let brick = box_of(DVec3::new(0.7, 0.9, 1.1));
    for (seed, power) in (0..26)
        .zip([-6.0, -5.0, -4.0, -3.0, -2.5, -2.0, -1.5, -1.0, -0.7, -0.4, -0.2, -0.05, 0.0].iter().cycle())
    {
        let random = &mut Random(seed);
        let deviation = 10.0_f64.powf(*power);
        let body = if seed % 2 == 0 { &ball } else { &brick };
        let rotation = random.even_rotation();
        let lowest = body.mesh().local().iter().map(|p| (rotation * *p).z).fold(f64::INFINITY, f64::min);
        // The lowest point starts 2 m above the table, and sinks 4 m.
        let start = Pose::new(DVec3::new(0.2, -0.1, 3.0 + 2.0 - lowest), rotation).unwrap();
        let angle = [0.0, 1.0, 9.0][random.below(3)];
        let screw = Screw::about(start, DVec3::Z, DVec3::new(0.1, 0.3, 0.0), -4.0, angle).unwrap();
        let found = query(body, &table, &screw, deviation);
        let [earliest, latest] = [2.0 - deviation, 2.0 + deviation].map(|displacement| displacement / 4.0);
        let Verdict::Contact([lo, hi]) = found else { panic!("seed {seed}: {found:?} at {deviation}") };
        assert!(lo <= earliest && earliest - lo < 1e-6, "seed {seed}: {lo} {earliest} at {deviation}");
        assert!(latest <= hi + 1e-9 && hi - latest < 1e-6, "seed {seed}: {hi} {latest} at {deviation}");
    }
}

#[test]
fn a_pass_is_clear_for_deviations_smaller_than_the_gap() {
    let (a, b) = (box_of(DVec3::splat(0.2)), box_of(DVec3::new(1.0, 1.0, 0.2)));
    let pass = |z: f64| Screw::translation(at(DVec3::new(-2.0, 0.0, z)), 4.0 * DVec3::X);
    for deviation in [0.002, 0.0032, 0.004, 0.01, 0.1, 0.49] {
        assert_eq!(query(&a, &b, &pass(0.7), deviation), Verdict::Clear);
        assert_eq!(query(&a, &b, &pass(3.2), deviation), Verdict::Clear);
    }
    let Verdict::Undecided(until, UndecidedReason::Deviation) = query(&a, &b, &pass(0.7), 0.51) else {
        panic!()
    };
    assert!(until > 0.2 && until < 0.4, "{until}");
    // The lower part of A hits the upper part of B.
    for deviation in [0.002, 0.0032, 0.01, 0.05] {
        let Verdict::Contact([lo, hi]) = query(&a, &b, &pass(0.1), deviation) else { panic!("{deviation}") };
        let [earliest, latest] = [1.4 - deviation, 1.4 + deviation].map(|displacement| displacement / 4.0);
        assert!(lo <= earliest && earliest - lo < 1e-6 && hi >= latest - 1e-9 && hi - latest < 1e-6);
    }
    // Overlapping at the start, by more than the deviation, then by less.
    let inside = |x: f64| Screw::translation(at(DVec3::new(x, 0.0, 0.05)), -DVec3::X);
    assert_eq!(query(&a, &b, &inside(-0.5), 0.02), Verdict::Overlapping);
    assert!(matches!(
        query(&a, &b, &inside(-0.59), 0.02),
        Verdict::Undecided(0.0, UndecidedReason::Deviation)
    ));
}

#[test]
fn the_enclosure_of_the_end_of_contact_is_valid_for_every_motion() {
    let (a, b) = (box_of(DVec3::splat(0.4)), box_of(DVec3::new(1.0, 1.0, 1.0)));
    for deviation in [1e-6, 1e-3, 0.05] {
        let from = DVec3::new(-2.0, 0.1, 0.05);
        let screw = Screw::translation(at(from), DVec3::new(4.0, 0.0, 0.0));
        let found = contact_intervals(&a, &b, &screw, &within(deviation)).unwrap();
        // The surfaces separate while A is inside B, so there are two contacts: [0.325, 0.425] and [0.575, 0.675].
        let intervals: Vec<_> = found.intervals.iter().map(|i| (i.enter, i.exit.unwrap())).collect();
        assert_eq!(intervals.len(), 2, "{intervals:?}");
        for ((enter, exit), [start, end]) in intervals.iter().zip([[0.325, 0.425], [0.575, 0.675]]) {
            let off = 0.25 * deviation;
            assert!(enter[0] <= start - off && start + off <= enter[1] + 1e-9, "{enter:?} at {deviation}");
            assert!(exit[0] <= end - off + 1e-9 && end + off <= exit[1] + 1e-9, "{exit:?} at {deviation}");
            assert!(enter[1] - enter[0] < 3.0 * off + 1e-6 && exit[1] - exit[0] < 3.0 * off + 1e-6);
        }
    }
}

#[test]
fn a_rotation_in_a_plane_is_decided() {
    // A rod that rotates about its end, towards a post.
    let (rod, post) = (box_of(DVec3::new(1.0, 0.1, 0.1)), box_of(DVec3::new(0.3, 0.3, 0.3)));
    let start = Pose::new(DVec3::new(0.5, 0.0, 0.0), DQuat::IDENTITY).unwrap();
    let screw = Screw::about(start, DVec3::Z, DVec3::ZERO, 0.0, 2.0).unwrap();
    let seen = screw.in_frame_of(&at(DVec3::new(0.2, 0.8, 0.02)));
    let exact = verdict(&first_contact(&rod, &post, &seen, &Options::default()).unwrap().outcome);
    let Verdict::Contact([first, _]) = exact else { panic!("{exact:?}") };
    for deviation in [1e-5, 1e-3, 0.02] {
        let Verdict::Contact([lo, hi]) = query(&rod, &post, &seen, deviation) else { panic!("{deviation}") };
        assert!(lo < first && first < hi && hi - lo < 8.0 * deviation, "{lo} {hi} {first} at {deviation}");
    }
}
