//! Edges and configurations of a planner.

use std::mem::MaybeUninit;
use std::ptr;

use chasles_c::cell::{Cell, chasles_cell_check_path};
use chasles_c::contact::{Options, Verdict, chasles_options_default};
use chasles_c::edges::{
    Edge, EdgeChecker, EdgeOptions, chasles_edge_checker_check_configuration,
    chasles_edge_checker_check_configurations, chasles_edge_checker_check_edge,
    chasles_edge_checker_check_edges, chasles_edge_checker_configurations_free,
    chasles_edge_checker_edges_free, chasles_edge_checker_free, chasles_edge_checker_joint_count,
    chasles_edge_checker_make, chasles_edge_checker_reach, chasles_edge_options_default,
};
use chasles_c::status::Status;
use chasles_testing::Random;

use crate::cells::{arm, scene};
use crate::{last_error, refused, written};

fn checker(cell: &Cell, options: Option<&EdgeOptions>) -> Box<EdgeChecker> {
    // SAFETY: the arrays of the options have their lengths, and the handle is one of `Box::into_raw`.
    unsafe { Box::from_raw(written(|place| chasles_edge_checker_make(Some(cell), options, place))) }
}

fn edge(checker: &EdgeChecker, from: &[f64], to: &[f64]) -> Edge {
    // SAFETY: both have as many values as the checker has joints.
    written(|place| unsafe {
        chasles_edge_checker_check_edge(Some(checker), from.as_ptr(), to.as_ptr(), place)
    })
}

fn configuration(checker: &EdgeChecker, values: &[f64]) -> Edge {
    // SAFETY: as many values as the checker has joints.
    written(|place| unsafe {
        chasles_edge_checker_check_configuration(Some(checker), values.as_ptr(), place)
    })
}

fn wire() -> Box<Cell> {
    arm(Some(&scene("robots/wire.toml")), -1.0)
}

#[test]
fn an_edge_is_free_where_the_path_is_clear() {
    let cell = wire();
    let checker = checker(&cell, None);
    let count = chasles_edge_checker_joint_count(Some(&checker));
    assert_eq!((count, chasles_edge_checker_joint_count(None)), (4, 0));
    // The sweep of the book, and half of it.
    let [away, before, beyond] = [[-1.2, 0.0, 0.0, 0.0], [0.0; 4], [1.2, 0.0, 0.0, 0.0]];
    let free = edge(&checker, &away, &before);
    assert_eq!((free.verdict, free.a, free.b), (Verdict::Clear, -1, -1));
    assert!(free.at[0].is_nan());
    let blocked = edge(&checker, &away, &beyond);
    assert_eq!((blocked.verdict, blocked.b), (Verdict::Contact, 6));
    assert!(blocked.at[0] > 0.52 && blocked.at[1] < 0.57, "{blocked:?}");
    // The first contact is at 1.05088218 of 2 s.
    let reach = written(|place| {
        // SAFETY: four values each.
        unsafe { chasles_edge_checker_reach(Some(&checker), away.as_ptr(), beyond.as_ptr(), place) }
    });
    assert_eq!((reach.a, reach.b), (4, 6));
    assert!(reach.free_until <= 0.525_441_1 && reach.free_until > 0.52, "{reach:?}");
    assert!(reach.at[1] >= 0.525_441_05, "{reach:?}");
    let whole = written(|place| {
        // SAFETY: as above.
        unsafe { chasles_edge_checker_reach(Some(&checker), away.as_ptr(), before.as_ptr(), place) }
    });
    assert!(whole.free_until == 1.0 && whole.a == -1 && whole.at[0].is_nan(), "{whole:?}");
    // Where the left finger is in the wire.
    assert_eq!(configuration(&checker, &[0.0623, 0.0, 0.0, 0.0]).verdict, Verdict::Contact);
    assert_eq!(configuration(&checker, &away).verdict, Verdict::Clear);
    chasles_edge_checker_free(Some(checker));
    chasles_edge_checker_free(None);
}

#[test]
fn many_edges_have_the_answers_of_single_edges_and_paths() {
    let cell = wire();
    let checker = checker(&cell, None);
    let mut random = Random(3);
    let mut configuration = || {
        let angle = |unit: f64| 2.9 * (2.0 * unit - 1.0);
        [angle(random.unit()), angle(random.unit()), 0.29 * random.unit(), 0.029 * random.unit()]
    };
    let (from, to): (Vec<_>, Vec<_>) = (0..200).map(|_| (configuration(), configuration())).unzip();
    let many = |threads| {
        let mut places = vec![MaybeUninit::<Edge>::uninit(); from.len()];
        let options = Options { threads, ..chasles_options_default() };
        let (f, t) = (from.as_flattened().as_ptr(), to.as_flattened().as_ptr());
        // SAFETY: the arrays have these lengths, and what succeeds has written every place.
        unsafe {
            let (count, places) = (places.len(), places.as_mut_ptr().cast());
            let status =
                chasles_edge_checker_check_edges(Some(&checker), f, t, count, Some(&options), places);
            assert_eq!(status, Status::Ok, "{}", last_error());
        }
        // SAFETY: as above.
        places.into_iter().map(|place| unsafe { place.assume_init() }).collect::<Vec<_>>()
    };
    let bits = |edge: &Edge| (edge.verdict, edge.a, edge.b, edge.at.map(f64::to_bits));
    let all = many(0);
    let [free, blocked] = [Verdict::Clear, Verdict::Contact]
        .map(|verdict| all.iter().filter(|edge| edge.verdict == verdict).count());
    assert!(free > 20 && blocked > 20 && free + blocked == 200, "{free} free, {blocked} blocked");
    assert!(many(1).iter().zip(&all).all(|(one, other)| bits(one) == bits(other)));
    for ((from, to), answer) in from.iter().zip(&to).zip(&all) {
        assert_eq!(bits(&edge(&checker, from, to)), bits(answer));
        let values = [*from, *to];
        let path = written(|place| {
            let (times, values) = ([0.0, 1.0], values.as_flattened().as_ptr());
            // SAFETY: two waypoints of four values.
            unsafe { chasles_cell_check_path(Some(&cell), times.as_ptr(), values, 2, None, place) }
        });
        assert_eq!(path.verdict == Verdict::Clear, answer.verdict == Verdict::Clear, "{from:?} {to:?}");
    }
}

#[test]
fn masks_are_true_where_the_checks_prove_clear() {
    let cell = wire();
    let usual = chasles_edge_options_default();
    let ends: Vec<[f64; 4]> = (0..40).map(|row| [-1.2 + 0.06 * f64::from(row), 0.0, 0.0, 0.0]).collect();
    let (first, count) = (ends.as_flattened().as_ptr(), ends.len());
    let last = ends[count / 2..].as_flattened().as_ptr();
    // Without a budget, edges are undecided: they are false in the mask.
    for budget in [usual.budget, 0] {
        let checker = checker(&cell, Some(&EdgeOptions { budget, ..usual }));
        let (mut edges, mut mask) = (vec![MaybeUninit::<Edge>::zeroed(); count], vec![2_u8; count]);
        let places = edges.as_mut_ptr().cast();
        // SAFETY: all arrays have these lengths.
        let (half, statuses) = unsafe {
            let (checker, half) = (Some(&*checker), count / 2);
            let statuses = [
                chasles_edge_checker_check_configurations(checker, first, count, None, places),
                chasles_edge_checker_configurations_free(checker, first, count, None, mask.as_mut_ptr()),
            ];
            (half, statuses)
        };
        assert_eq!(statuses, [Status::Ok; 2], "{}", last_error());
        // SAFETY: zeros are an edge, and the call has written every place.
        let clear = |edge: &MaybeUninit<Edge>| unsafe { edge.assume_init() }.verdict == Verdict::Clear;
        let expected: Vec<u8> = edges.iter().map(|edge| clear(edge).into()).collect();
        assert_eq!(mask, expected);
        let single: Vec<u8> = ends
            .iter()
            .map(|values| (configuration(&checker, values).verdict == Verdict::Clear).into())
            .collect();
        assert_eq!(mask, single);
        // SAFETY: as above.
        let statuses = unsafe {
            [
                chasles_edge_checker_check_edges(Some(&checker), first, last, half, None, places),
                chasles_edge_checker_edges_free(Some(&checker), first, last, half, None, mask.as_mut_ptr()),
            ]
        };
        assert_eq!(statuses, [Status::Ok; 2], "{}", last_error());
        let expected: Vec<u8> = edges[..half].iter().map(|edge| clear(edge).into()).collect();
        assert_eq!(mask[..half], expected);
        assert!(expected.contains(&0) && (budget == 0 || expected.contains(&1)));
    }
}

#[test]
fn a_planner_may_set_some_joints_in_its_own_order() {
    let cell = wire();
    // The reach, then the turn; the elbow is bent, so that the fingers pass the wire inside.
    let (joints, bent, straight) = ([2_usize, 0], [9.0, 2.0, 9.0, 0.0], [9.0, 0.0, 9.0, 0.0]);
    let usual = chasles_edge_options_default();
    let with = |values: &[f64; 4], preparation| {
        let (joints, values) = (joints.as_ptr(), values.as_ptr());
        let options = EdgeOptions { joints, joint_count: 2, values, preparation, ..usual };
        checker(&cell, Some(&options))
    };
    // The less is prepared, the longer an edge takes: the answers are the same.
    for preparation in [usual.preparation, 0] {
        let (folded, stretched) = (with(&bent, preparation), with(&straight, preparation));
        assert_eq!(chasles_edge_checker_joint_count(Some(&folded)), 2);
        let [from, to] = [[0.0, -0.5], [0.0, 0.5]];
        assert_eq!(edge(&stretched, &from, &to).verdict, Verdict::Contact);
        assert_eq!(edge(&folded, &from, &to).verdict, Verdict::Clear);
    }
}

#[test]
fn invalid_input_is_an_error() {
    let cell = wire();
    let refusal = |options: EdgeOptions| {
        let mut place = MaybeUninit::new(ptr::dangling_mut());
        // SAFETY: the arrays are as long as is said.
        let status = unsafe { chasles_edge_checker_make(Some(&cell), Some(&options), Some(&mut place)) };
        // SAFETY: it was written before.
        assert!(status == Status::Argument && unsafe { place.assume_init() }.is_null());
        last_error()
    };
    let usual = chasles_edge_options_default();
    let joints =
        |joints: &[usize]| EdgeOptions { joints: joints.as_ptr(), joint_count: joints.len(), ..usual };
    assert_eq!(refusal(joints(&[0, 4])), "options: joints: found 4, expected a number below 4");
    assert!(refusal(joints(&[1, 1])).contains("\"elbow\""), "{}", last_error());
    let beyond = [0.0, 0.0, 0.0, 0.5];
    assert!(
        refusal(EdgeOptions { values: beyond.as_ptr(), ..joints(&[0]) }).contains("\"grip\""),
        "{}",
        last_error()
    );

    let checker = checker(&cell, None);
    let (good, nan, beyond) = ([0.0; 4], [0.0, f64::NAN, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0]);
    let failure = |to: *const f64| {
        refused(|place: Option<&mut MaybeUninit<Edge>>| {
            // SAFETY: four values each, or NULL.
            unsafe { chasles_edge_checker_check_edge(Some(&checker), good.as_ptr(), to, place) }
        })
    };
    assert!(failure(nan.as_ptr()).contains("found NaN"), "{}", last_error());
    assert!(
        failure(beyond.as_ptr()).contains("\"turn\"") && last_error().contains("found 4"),
        "{}",
        last_error()
    );
    assert_eq!(failure(ptr::null()), "to: found NULL, expected 4 elements");
    let (pair, mut edges) = ([[0.0; 4], beyond], [MaybeUninit::<Edge>::zeroed(); 2]);
    let first = pair.as_flattened().as_ptr();
    // SAFETY: two edges of four values.
    let status = unsafe {
        chasles_edge_checker_check_edges(Some(&checker), first, first, 2, None, edges.as_mut_ptr().cast())
    };
    assert!(status == Status::Argument && last_error().contains("\"turn\""), "{}", last_error());
    let mut mask = [2_u8; 2];
    // SAFETY: as above.
    let status = unsafe {
        chasles_edge_checker_configurations_free(Some(&checker), first, 2, None, mask.as_mut_ptr())
    };
    assert!(status == Status::Argument && last_error().contains("\"turn\""), "{}", last_error());
    assert_eq!(mask, [2; 2]);
}
