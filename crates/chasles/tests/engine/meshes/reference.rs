//! The hierarchy against its slow twin, and both against themselves: swapped, reversed, moved, scaled.

use crate::cases::{self, Case, case, count, fewer, pose};
use chasles::papers::rejection;
use chasles::{
    Contact, ContactFeatures, Counters, Mesh, Options, Outcome, Pose, PreparedMesh, Screw, SearchMethod,
    all_contacts, any_contact, first_contact,
};
use chasles_testing::Random;
use glam::DVec3;

fn outcome(case: &Case, search: SearchMethod) -> Outcome {
    let (a, b) = case.bodies();
    first_contact(&a, &b, &case.screw, &Options { search, ..Options::default() }).unwrap().outcome
}

#[test]
fn the_hierarchy_gives_the_bits_of_the_reference() {
    let mut verdicts = [0; 4];
    for seed in 0..fewer(4000, 2) {
        let case = case(&mut Random(seed));
        let slow = outcome(&case, SearchMethod::Reference);
        let fast = outcome(&case, SearchMethod::Hierarchy);
        assert_eq!(fast, slow, "seed {seed}");
        let (a, b) = case.bodies();
        let rejecting = rejection::first_contact(&a, &b, &case.screw, &Options::default()).unwrap();
        assert_eq!(rejecting.0.outcome, slow, "seed {seed}, rejection tests");
        verdicts[kind(&slow)] += 1;
    }
    // All kinds of answers occurred, and few undecided ones.
    assert!(verdicts[..3].iter().all(|n| *n > 100), "{verdicts:?}");
    assert_eq!(verdicts[3], 0, "{verdicts:?}");
}

fn kind(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Clear => 0,
        Outcome::Contact(_) => 1,
        Outcome::Overlapping(_) => 2,
        Outcome::Undecided { .. } => 3,
    }
}

/// Whether two enclosures of the same time are consistent.
fn agree(a: [f64; 2], b: [f64; 2]) -> bool {
    a[0] <= b[1] + 1e-9 && b[0] <= a[1] + 1e-9
}

/// The same answer, up to rounding: the same kind, and times that agree.
fn assert_same(seed: u64, what: &str, one: &Outcome, other: &Outcome) {
    match (one, other) {
        (Outcome::Contact(x), Outcome::Contact(y)) => {
            assert!(agree(x.time, y.time), "seed {seed}, {what}: {:?} and {:?}", x, y);
        }
        (Outcome::Overlapping(x), Outcome::Overlapping(y)) => {
            // Triangles that barely touch may be reported either way.
            let both = x.iter().filter(|pair| y.contains(pair)).count();
            assert!(both > 0, "seed {seed}, {what}: {x:?} and {y:?}");
        }
        _ => assert_eq!(kind(one), kind(other), "seed {seed}, {what}: {one:?} and {other:?}"),
    }
}

#[test]
fn swapped_bodies_meet_at_the_same_time_with_the_opposite_normal() {
    for seed in 0..count(2000) {
        let case = case(&mut Random(seed));
        let (a, b) = case.bodies();
        let one = outcome(&case, SearchMethod::Hierarchy);
        let mut other = first_contact(&b, &a, &case.screw.inverse(), &Options::default()).unwrap().outcome;
        if let Outcome::Overlapping(pairs) = &mut other {
            pairs.iter_mut().for_each(|pair| pair.reverse());
        }
        assert_same(seed, "swapped", &one, &other);
        if let (Outcome::Contact(x), Outcome::Contact(y)) = (&one, &other)
            && swapped(y.features) == x.features
            && !x.touching
            && !y.touching
        {
            let back = case.screw.pose_at(0.5 * (y.time[0] + y.time[1])).transform_vector(y.normal);
            assert!(back.distance(-x.normal) < 1e-6, "seed {seed}: {x:?} and {back:?} of {y:?}");
        }
    }
}

fn swapped(features: ContactFeatures) -> ContactFeatures {
    match features {
        ContactFeatures::VertexFace { a, b } => ContactFeatures::FaceVertex { a: b, b: a },
        ContactFeatures::FaceVertex { a, b } => ContactFeatures::VertexFace { a: b, b: a },
        ContactFeatures::EdgeEdge { a, b } => ContactFeatures::EdgeEdge { a: b, b: a },
        _ => unreachable!("both are meshes"),
    }
}

#[test]
fn a_scale_by_a_power_of_two_changes_no_time() {
    for seed in 0..count(1000) {
        let random = &mut Random(seed);
        let case = case(random);
        let factor = 2.0_f64.powf(random.below(40) as f64 - 20.0);
        let scaled = |raw: &cases::Raw| (raw.0.iter().map(|v| *v * factor).collect(), raw.1.clone());
        let axis = case.screw.axis();
        let start = pose(factor * case.screw.start().position(), case.screw.start().rotation());
        // Only the twist is scaled: rebuilt from an axis it would round differently.
        let screw = match axis.point {
            None => Screw::translation(start, factor * axis.slide * axis.direction),
            Some(_) => Screw::between(start, {
                let end = case.screw.end();
                pose(factor * end.position(), end.rotation())
            }),
        };
        let unscaled = match axis.point {
            None => Screw::translation(case.screw.start(), axis.slide * axis.direction),
            Some(_) => Screw::between(case.screw.start(), case.screw.end()),
        };
        let one = outcome(&Case { screw: unscaled, ..case.clone() }, SearchMethod::Hierarchy);
        let other = Case { a: scaled(&case.a), b: scaled(&case.b), screw };
        let other = outcome(&other, SearchMethod::Hierarchy);
        match (&one, &other) {
            (Outcome::Contact(x), Outcome::Contact(y)) => {
                let difference = (x.time[0] - y.time[0]).abs().max((x.time[1] - y.time[1]).abs());
                assert!(difference < 1e-12 && x.features == y.features, "seed {seed}: {x:?} and {y:?}");
            }
            _ => assert_eq!(one, other, "seed {seed}"),
        }
    }
}

#[test]
fn a_rigid_motion_of_everything_changes_no_answer() {
    for seed in 0..count(2000) {
        let random = &mut Random(seed);
        let case = case(random);
        let one = outcome(&case, SearchMethod::Hierarchy);
        // B's vertices are moved within its frame, and the screw with them.
        let place = pose(random.vector(3.0), random.rotation());
        let b = (case.b.0.iter().map(|v| place.transform_point(*v)).collect(), case.b.1.clone());
        let moved = Case { a: case.a.clone(), b, screw: case.screw.in_frame_of(&place.inverse()) };
        assert_same(seed, "moved", &one, &outcome(&moved, SearchMethod::Hierarchy));
    }
}

#[test]
fn time_reversed_finds_the_same_contacts() {
    for seed in 0..count(1000) {
        let case = case(&mut Random(seed));
        let (a, b) = case.bodies();
        let all = |screw: &Screw| all_contacts(&a, &b, screw, &Options::default()).unwrap();
        let (forth, back) = (all(&case.screw), all(&case.screw.reversed()));
        let crossing = |contacts: &[Contact]| -> Vec<([f64; 2], ContactFeatures)> {
            contacts.iter().filter(|c| !c.touching).map(|c| (c.time, c.features)).collect()
        };
        if [&forth, &back].iter().any(|p| matches!(p.outcome, Outcome::Overlapping(_))) {
            continue;
        }
        // A crossing within the tolerance of a border may be reported as a touch in one direction only.
        for (one, other) in [(&forth, &back), (&back, &forth)] {
            for (time, features) in crossing(&one.contacts) {
                let mirrored = [1.0 - time[1], 1.0 - time[0]];
                let found = other.contacts.iter().any(|c| c.features == features && agree(c.time, mirrored));
                assert!(found, "seed {seed}: {features:?} at {time:?}");
            }
        }
    }
}

#[test]
fn any_contact_is_a_contact_where_there_is_one() {
    for seed in 0..count(1000) {
        let case = case(&mut Random(seed));
        let (a, b) = case.bodies();
        let any = any_contact(&a, &b, &case.screw, &Options::default()).unwrap();
        let first = first_contact(&a, &b, &case.screw, &Options::default()).unwrap();
        // It is the same search, which only ends sooner.
        let work = |c: Counters| [c.box_pairs, c.triangle_pairs, c.functions, c.steps];
        for (less, more) in work(any.counters).into_iter().zip(work(first.counters)) {
            assert!(less <= more, "seed {seed}: {:?}, {:?}", any.counters, first.counters);
        }
        let (any, first) = (any.outcome, first.outcome);
        assert_eq!(kind(&any), kind(&first), "seed {seed}");
        if let (Outcome::Contact(any), Outcome::Contact(first)) = (any, first) {
            assert!(any.time[1] >= first.time[0], "seed {seed}: {any:?} before {first:?}");
        }
    }
}

/// Whether the surfaces intersect at a time, by every pair of triangles.
fn intersect(case: &Case, t: f64) -> bool {
    let moved: Vec<DVec3> =
        case.a.0.iter().map(|v| case.screw.point_at(case.screw.start().transform_point(*v), t)).collect();
    let triangle = |vertices: &[DVec3], t: &[u32; 3]| t.map(|v| vertices[v as usize]);
    case.a.1.iter().any(|f| {
        case.b.1.iter().any(|g| chasles::triangles_intersect(&triangle(&moved, f), &triangle(&case.b.0, g)))
    })
}

/// The sign of the volume spanned by the features of a contact at a time, in exact arithmetic on the moved coordinates.
fn side(case: &Case, features: ContactFeatures, t: f64) -> f64 {
    let a = |v: u32| case.screw.point_at(case.screw.start().transform_point(case.a.0[v as usize]), t);
    let b = |v: u32| case.b.0[v as usize];
    let points = match features {
        ContactFeatures::VertexFace { a: v, b: f } => {
            let [x, y, z] = case.b.1[f as usize].map(b);
            [x, y, z, a(v)]
        }
        ContactFeatures::FaceVertex { a: f, b: v } => {
            let [x, y, z] = case.a.1[f as usize].map(a);
            [x, y, z, b(v)]
        }
        ContactFeatures::EdgeEdge { a: [v, w], b: [x, y] } => [a(v), a(w), b(x), b(y)],
        _ => unreachable!("both are meshes"),
    };
    let [p, q, r, s] = points.map(|p| robust::Coord3D { x: p.x, y: p.y, z: p.z });
    robust::orient3d(p, q, r, s)
}

#[test]
fn sampled_overlap_contradicts_no_answer() {
    let (mut crossed, mut intersected) = (0, 0);
    for seed in 0..count(1000) {
        let random = &mut Random(seed);
        let case = case(random);
        let outcome = outcome(&case, SearchMethod::Hierarchy);
        let free_until = match &outcome {
            Outcome::Clear => 1.0,
            Outcome::Contact(contact) => contact.time[0],
            Outcome::Overlapping(_) => {
                assert!(intersect(&case, 0.0), "seed {seed}");
                continue;
            }
            Outcome::Undecided { .. } => unreachable!("seed {seed}: {outcome:?}"),
        };
        for _ in 0..if free_until > 1e-6 { 50 } else { 0 } {
            // Not closer to the contact than the rounding of a static test.
            let t = (free_until - 1e-9) * random.unit().sqrt();
            assert!(!intersect(&case, t), "seed {seed}: intersecting at {t}, {outcome:?}");
        }
        if let Outcome::Contact(contact) = &outcome
            && !contact.touching
            && contact.approach_speed > 1e-3 * case.size()
        {
            crossed += 1;
            assert!(contact.time[1] - contact.time[0] < 1e-8, "seed {seed}: wide, {contact:?}");
            let [before, after] = [contact.time[0] - 1e-9, contact.time[1] + 1e-9];
            let sides = [before, after].map(|t| side(&case, contact.features, t));
            assert!(sides[0] * sides[1] < 0.0, "seed {seed}: {sides:?} {contact:?}");
            let soon = (0..20).map(|i| 3e-14 * 3.0_f64.powi(i));
            intersected += usize::from(soon.into_iter().any(|dt| intersect(&case, contact.time[1] + dt)));
        }
    }
    // Sheets that pass flat through each other may intersect for an instant only, but few do.
    assert!(crossed > 100 && 10 * intersected > 9 * crossed, "{intersected} of {crossed}");
}

#[test]
fn slivers_on_one_line_touch_and_do_not_overlap() {
    let along = DVec3::new(1.0, -2.0, 0.5);
    let sliver = |corners: [f64; 3]| {
        let corners = corners.map(|x| x * along).to_vec();
        PreparedMesh::new(Mesh::new(corners, vec![[0, 1, 2]]).unwrap())
    };
    let still = Screw::still(Pose::IDENTITY);
    for corners in [[0.5, 3.0, 0.75], [1.0, 2.0, 3.0], [0.25; 3]] {
        let (a, b) = (sliver([-1.0, 1.0, 0.0]), sliver(corners));
        for (a, b) in [(&a, &b), (&b, &a)] {
            let outcome = first_contact(a, b, &still, &Options::default()).unwrap().outcome;
            let Outcome::Contact(contact) = outcome else { panic!("{corners:?}: {outcome:?}") };
            assert!(contact.touching && contact.time[0] <= 0.0, "{contact:?}");
        }
    }
}
