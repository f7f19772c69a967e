//! The hierarchy against its slow twin, and the hierarchy against itself: swapped, scaled.

use crate::cases::{self, Case, case, fewer, pose};
use chasles::papers::rejection;
use chasles::{
    ContactFeatures, Counters, Mesh, Options, Outcome, Pose, PreparedMesh, Screw, SearchMethod, any_contact,
    first_contact,
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
    for seed in 0..fewer(4000, 6) {
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
    assert!(verdicts[..3].iter().all(|n| *n > 25), "{verdicts:?}");
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
    for seed in 0..fewer(2000, 5) {
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
    for seed in 0..fewer(1000, 4) {
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
fn any_contact_is_a_contact_where_there_is_one() {
    for seed in 0..fewer(1000, 4) {
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
