//! First contacts and distances whose answers are known.

use std::f64::consts::{FRAC_PI_2, PI};

use chasles_c::body::Body;
use chasles_c::contact::{
    Doubt, FeatureKind, Options, Prediction, ScrewAxis, Verdict, chasles_first_contact,
    chasles_first_contact_on_screw, chasles_options_default,
};
use chasles_c::distance::{chasles_distance, chasles_intersects};
use chasles_c::pose::Pose;
use chasles_c::status::Status;

use crate::{at, ball, boxed, last_error, mesh, refused, written};

fn first(a: &Body, b: &Body, [start, end]: [Pose; 2]) -> Prediction {
    written(|place| chasles_first_contact(Some(a), Some(b), Some(&start), Some(&end), None, place))
}

fn with(options: Options, [a, b]: [&Body; 2], [start, end]: [Pose; 2]) -> Prediction {
    written(|place| chasles_first_contact(Some(a), Some(b), Some(&start), Some(&end), Some(&options), place))
}

/// Whether an enclosure holds a time, and is narrow.
fn encloses([lo, hi]: [f64; 2], time: f64) -> bool {
    lo <= time && time <= hi && hi - lo < 1e-6
}

#[test]
fn a_vertex_meets_a_face_at_the_exact_time_and_point() {
    let knife = mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.5, 0.0, 2.0]], &[[0, 1, 2]]);
    let table = mesh(
        &[[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]],
        &[[0, 1, 2], [0, 2, 3]],
    );
    let poses = [at(0.25, 0.125, 1.0), at(0.25, 0.125, -1.0)];
    let found = first(&knife, &table, poses);
    assert_eq!(
        (found.verdict, found.kind, found.doubt),
        (Verdict::Contact, FeatureKind::VertexFace, Doubt::None)
    );
    assert!(encloses(found.time, 0.5) && found.clear_until == found.time[0], "{found:?}");
    assert_eq!((found.a, found.b, found.touching), ([0, -1], [0, -1], 0));
    assert_eq!((found.normal, found.approach_speed), ([0.0, 0.0, -1.0], 2.0));
    assert!((found.point[0] - 0.25).abs() < 1e-9 && found.point[2].abs() < 1e-9, "{found:?}");
    // The same the other way round: B is seen to move upwards.
    let turned = first(&table, &knife, [at(-0.25, -0.125, -1.0), at(-0.25, -0.125, 1.0)]);
    assert_eq!((turned.kind, turned.normal), (FeatureKind::FaceVertex, [0.0, 0.0, 1.0]));
    assert!(encloses(turned.time, 0.5));
    // Beside the table nothing is met, and all that would tell of a contact is empty.
    let beside = first(&knife, &table, [at(2.5, 0.0, 1.0), at(2.5, 0.0, -1.0)]);
    assert_eq!((beside.verdict, beside.clear_until, beside.kind), (Verdict::Clear, 1.0, FeatureKind::None));
    assert!(beside.time[0].is_nan() && beside.point[2].is_nan() && beside.a == [-1; 2], "{beside:?}");
}

#[test]
fn round_bodies_are_round() {
    let (ball, block) = (ball(0.5), boxed(2.0, 2.0, 1.0));
    // From 2 m above the middle to it: the ball's lowest point is at 1.5 m, the block's top at 0.5 m.
    let found = first(&ball, &block, [at(0.1, 0.2, 2.0), at(0.1, 0.2, 0.0)]);
    assert_eq!((found.verdict, found.kind), (Verdict::Contact, FeatureKind::Surfaces));
    assert!(encloses(found.time, 0.5), "{found:?}");
    assert!(found.a == [-1; 2] && found.b[0] >= 0 && found.normal[2] < -0.999_999, "{found:?}");
    assert!((found.approach_speed - 2.0).abs() < 1e-6, "{found:?}");
    // Swapped: the block comes up to the ball.
    let swapped = first(&block, &ball, [at(-0.1, -0.2, -2.0), at(-0.1, -0.2, 0.0)]);
    assert!(swapped.normal[2] > 0.999_999 && swapped.a[0] >= 0 && swapped.b == [-1; 2], "{swapped:?}");
}

#[test]
fn meshes_and_round_bodies_can_overlap_at_the_start() {
    let (ball, block, cube) = (ball(0.5), boxed(2.0, 2.0, 1.0), boxed(0.5, 0.5, 0.5));
    for a in [&ball, &cube] {
        let found = first(a, &block, [at(0.1, 0.0, 0.6), at(0.1, 0.0, 3.0)]);
        assert_eq!((found.verdict, found.time, found.clear_until), (Verdict::Overlapping, [0.0; 2], 0.0));
        assert_eq!((found.kind, found.a), (FeatureKind::None, [-1; 2]));
        // Also where nothing moves.
        assert_eq!(first(a, &block, [at(0.1, 0.0, 0.6); 2]).verdict, Verdict::Overlapping);
        assert_eq!(first(a, &block, [at(0.1, 0.0, 1.6); 2]).verdict, Verdict::Clear);
    }
}

#[test]
fn a_screw_may_have_several_revolutions() {
    let (bar, post) = (boxed(0.2, 0.2, 0.2), boxed(0.1, 0.1, 0.1));
    let start = at(1.0, 0.0, -3.0);
    let axis = |slide, angle| ScrewAxis { direction: [0.0, 0.0, 2.0], point: [0.0, 0.0, 5.0], slide, angle };
    let on = |screw: ScrewAxis, b: &Body| {
        written(|place| {
            chasles_first_contact_on_screw(Some(&bar), Some(b), Some(&start), Some(&screw), None, place)
        })
    };
    // It stays a metre from the axis, on which the post stands.
    assert_eq!(on(axis(6.0, 6.0 * PI), &post).verdict, Verdict::Clear);
    // A post where it comes by after one and a half turns, half of the way, and not where the shorter way round leads.
    let beside = mesh(&[[-1.0, 0.0, 0.0], [-1.01, 0.0, 0.0], [-1.0, 0.01, 0.0]], &[[0, 1, 2]]);
    let found = on(axis(6.0, 6.0 * PI), &beside);
    assert!(found.verdict == Verdict::Contact && found.time[0] > 0.48 && found.time[1] < 0.5, "{found:?}");
    let shorter = [start, at(1.0, 0.0, 3.0)];
    assert_eq!(first(&bar, &beside, shorter).verdict, Verdict::Clear);
    let quarter = ScrewAxis { direction: [0.0; 3], ..axis(0.0, FRAC_PI_2) };
    let message = refused(|place: Option<&mut std::mem::MaybeUninit<Prediction>>| {
        chasles_first_contact_on_screw(Some(&bar), Some(&post), Some(&start), Some(&quarter), None, place)
    });
    assert_eq!(message, "screw: axis direction: found zero length, expected a direction");
}

#[test]
fn options_have_an_effect() {
    let (cube, block) = (boxed(1.0, 1.0, 1.0), boxed(1.0, 1.0, 1.0));
    let usual = chasles_options_default();
    let poses = [at(0.0, 0.0, 3.0), at(0.0, 0.0, 1.001)];
    assert_eq!(with(usual, [&cube, &block], poses).verdict, Verdict::Clear);
    let wide = Options { tolerance: 0.01, ..usual };
    let found = with(wide, [&cube, &block], poses);
    assert_eq!((found.verdict, found.tolerance, found.touching), (Verdict::Contact, 0.01, 1));
    let (ball, short) = (ball(0.5), Options { budget: 1, ..usual });
    assert_eq!(with(usual, [&ball, &block], poses).verdict, Verdict::Clear);
    let found = with(wide, [&ball, &block], poses);
    assert_eq!((found.verdict, found.tolerance, found.touching), (Verdict::Contact, 0.01, 1));
    let mut poor = with(short, [&cube, &block], [at(0.0, 0.1, 3.0), at(0.0, 0.2, 0.5)]);
    assert_eq!((poor.verdict, poor.doubt), (Verdict::Undecided, Doubt::Budget));
    poor = with(short, [&ball, &block], [at(0.0, 0.1, 3.0), at(0.0, 0.2, 0.5)]);
    assert_eq!((poor.verdict, poor.doubt), (Verdict::Undecided, Doubt::Budget));
    let refusal = |options: Options| {
        let (a, b) = (Some(&*cube), Some(&*block));
        refused(|place: Option<&mut std::mem::MaybeUninit<Prediction>>| {
            chasles_first_contact(a, b, Some(&poses[0]), Some(&poses[1]), Some(&options), place)
        })
    };
    let expected = "expected metres, or a negative number for the usual tolerance";
    assert_eq!(
        refusal(Options { tolerance: f64::NAN, ..usual }),
        format!("options: tolerance: found NaN, {expected}")
    );
    assert_eq!(
        refusal(Options { threads: 1025, ..usual }),
        "options: threads: found 1025, expected at most 1024"
    );
}

#[test]
fn missing_arguments_are_named() {
    let (cube, pose) = (boxed(1.0, 1.0, 1.0), at(0.0, 0.0, 3.0));
    let (a, p) = (Some(&*cube), Some(&pose));
    let zero = Pose { quaternion: [0.0; 4], ..pose };
    type Missing<'a> = (Option<&'a Body>, Option<&'a Body>, Option<&'a Pose>, Option<&'a Pose>);
    let cases: [(Missing<'_>, &str); 5] = [
        ((None, a, p, p), "a: found NULL"),
        ((a, None, p, p), "b: found NULL"),
        ((a, a, None, p), "start: found NULL"),
        ((a, a, p, None), "end: found NULL"),
        ((a, a, p, Some(&zero)), "end: rotation: found zero length, expected a direction"),
    ];
    for ((a, b, start, end), message) in cases {
        let found = refused(|place: Option<&mut std::mem::MaybeUninit<Prediction>>| {
            chasles_first_contact(a, b, start, end, None, place)
        });
        assert_eq!(found, message);
    }
    assert_eq!(chasles_first_contact(a, a, p, p, None, None), Status::Argument);
    assert_eq!(last_error(), "prediction: found NULL, expected a place for the result");
}

#[test]
fn distances_of_static_bodies_are_computed() {
    let (ball, cube) = (ball(0.5), boxed(1.0, 1.0, 1.0));
    let (origin, apart) = (at(7.0, 0.0, 0.0), at(8.25, 0.0, 0.0));
    let between = |pose: &Pose| {
        written(|place| chasles_distance(Some(&cube), Some(&origin), Some(&ball), Some(pose), place))
    };
    let meets = |pose: &Pose| {
        written(|place| chasles_intersects(Some(&cube), Some(&origin), Some(&ball), Some(pose), place))
    };
    let found = between(&apart);
    assert!(found.lower <= 0.25 && 0.25 <= found.upper && found.upper - found.lower < 1e-9, "{found:?}");
    assert!((found.point_a[0] - 7.5).abs() < 1e-9 && (found.point_b[0] - 7.75).abs() < 1e-9, "{found:?}");
    assert_eq!((meets(&apart), meets(&at(7.9, 0.0, 0.0))), (0, 1));
    assert_eq!(between(&at(7.9, 0.0, 0.0)).lower, 0.0);
    let none = refused(|place: Option<&mut std::mem::MaybeUninit<u32>>| {
        chasles_intersects(Some(&cube), None, Some(&ball), Some(&apart), place)
    });
    assert_eq!(none, "pose_a: found NULL");
}
