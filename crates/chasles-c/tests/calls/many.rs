//! Many queries at a time, and many threads with one body.

use std::mem::MaybeUninit;
use std::ptr;

use chasles_c::contact::{
    Options, Prediction, Query, Verdict, chasles_first_contact, chasles_first_contacts,
    chasles_options_default,
};
use chasles_c::pose::Pose;
use chasles_c::status::Status;
use chasles_testing::Random;

use crate::{at, ball, boxed, last_error, written};

/// The bytes of an answer: NaN and all.
fn bits(prediction: &Prediction) -> Vec<u64> {
    let Prediction { time, point, normal, clear_until, approach_speed, tolerance, .. } = prediction;
    let numbers = time.iter().chain(point).chain(normal).chain([clear_until, approach_speed, tolerance]);
    let words = [prediction.verdict as u64, prediction.kind as u64, u64::from(prediction.touching)];
    numbers.map(|number| number.to_bits()).chain(words).collect()
}

fn answers(queries: &[Query<'_>], options: &Options) -> (Status, Vec<Prediction>) {
    let mut places = vec![MaybeUninit::<Prediction>::zeroed(); queries.len()];
    let first = places.as_mut_ptr().cast();
    // SAFETY: both arrays have this length.
    let status = unsafe { chasles_first_contacts(queries.as_ptr(), queries.len(), Some(options), first) };
    // SAFETY: zeros are an answer too: `CHASLES_VERDICT_CLEAR` and numbers.
    (status, places.into_iter().map(|place| unsafe { place.assume_init() }).collect())
}

#[test]
fn many_answers_equal_single_answers_for_any_number_of_threads() {
    let (ball, cube, block) = (ball(0.4), boxed(0.6, 0.6, 0.6), boxed(1.0, 2.0, 0.5));
    let mut random = Random(7);
    let mut number = || random.unit() * 4.0 - 2.0;
    let mut pose = || Pose {
        position: [number(), number(), number()],
        quaternion: [number(), number(), number(), number()],
    };
    let queries: Vec<Query> = (0..200)
        .map(|i| {
            let a = if i % 3 == 0 { &*ball } else { &*cube };
            Query { a: Some(a), b: Some(&block), start: pose(), end: pose() }
        })
        .collect();
    let usual = chasles_options_default();
    let (status, all) = answers(&queries, &usual);
    assert_eq!(status, Status::Ok, "{}", last_error());
    for verdict in [Verdict::Clear, Verdict::Contact, Verdict::Overlapping] {
        let count = all.iter().filter(|answer| answer.verdict == verdict).count();
        assert!(count > 10, "{count} {verdict:?}");
    }
    for (query, answer) in queries.iter().zip(&all) {
        let (start, end) = (Some(&query.start), Some(&query.end));
        let single = written(|place| chasles_first_contact(query.a, query.b, start, end, None, place));
        assert_eq!(bits(&single), bits(answer));
    }
    for threads in [1, 2, 5] {
        let (status, again) = answers(&queries, &Options { threads, ..usual });
        assert_eq!(status, Status::Ok, "{}", last_error());
        assert!(all.iter().zip(&again).all(|(one, other)| bits(one) == bits(other)), "{threads} threads");
    }
}

#[test]
fn an_invalid_query_is_named_and_nothing_is_written() {
    let cube = boxed(1.0, 1.0, 1.0);
    let good = Query { a: Some(&cube), b: Some(&cube), start: at(0.0, 0.0, 1.0), end: at(0.0, 0.0, 3.0) };
    let bad = |change: &dyn Fn(&mut Query<'_>)| {
        let mut queries = vec![good; 5];
        change(&mut queries[3]);
        let (status, written) = answers(&queries, &chasles_options_default());
        assert_eq!(status, Status::Argument);
        assert!(written.iter().all(|answer| answer.time == [0.0; 2] && answer.tolerance == 0.0));
        last_error()
    };
    assert_eq!(bad(&|query| query.b = None), "query 3: b: found NULL");
    assert_eq!(
        bad(&|query| query.start.position[1] = f64::NAN),
        "query 3: start: position: found NaN, expected a finite number"
    );
    // SAFETY: NULL is refused, and nothing is looked at where there is nothing.
    let call = |queries, count| unsafe { chasles_first_contacts(queries, count, None, ptr::null_mut()) };
    assert_eq!(
        (call(ptr::null(), 2), last_error()),
        (Status::Argument, "queries: found NULL, expected 2 elements".into())
    );
    assert_eq!(call(&raw const good, 1), Status::Argument);
    assert_eq!(last_error(), "predictions: found NULL, expected 1 elements");
    assert_eq!(call(ptr::null(), 0), Status::Ok);
}

#[test]
fn threads_share_a_body() {
    let (ball, cube) = (ball(0.5), boxed(1.0, 1.0, 1.0));
    let ask = || {
        let (start, end) = (at(0.0, 0.0, 3.0), at(0.1, 0.0, -3.0));
        written(|place| {
            chasles_first_contact(Some(&ball), Some(&cube), Some(&start), Some(&end), None, place)
        })
    };
    let alone = bits(&ask());
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| bits(&ask()))).collect();
        threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), alone));
    });
}
