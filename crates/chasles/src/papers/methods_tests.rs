//! Compares every method with all pairs, and all pairs with an independent count.

use chasles_testing::{Random, cases};
use glam::DVec3;

use super::methods::{BroadPhase, candidates};
use crate::broad_phase::{CandidatePair, SweptBox};

/// A scene from a seed: bodies that drift through a cube, with many kinds of sizes, positions and times.
fn scene(seed: u64) -> Vec<SweptBox> {
    let random = &mut Random(seed);
    let kind = random.below(8);
    let bodies = [0, 1, 2, 3, 9, 40, 90][random.below(7)];
    let slots = 1 + random.below(12);
    let scale = 10_f64.powf(random.within(-6.0, 6.0).round());
    let origin = if random.below(4) == 0 { random.vector(1e6) } else { DVec3::ZERO };
    // Boxes with whole-number bounds touch exactly, or coincide.
    let whole = random.below(3) == 0;
    let world = if kind == 6 { 0.0 } else { random.within(1.0, 12.0) };
    let mut boxes = Vec::new();
    for body in 0..bodies {
        let size = match (kind, body) {
            (0, 0) => 1e6,
            (1, _) => 10_f64.powf(random.within(-3.0, 3.0)),
            _ => random.within(0.2, 2.0),
        };
        let (mut place, drift) = (random.vector(world), random.vector(0.5));
        let mut start = if kind == 2 { random.within(-3.0, 3.0) } else { 0.0 };
        for _ in 0..slots {
            let length = if kind == 2 { random.within(0.0, 1.0) } else { 1.0 };
            let round = |x: DVec3| if whole { x.round() } else { x };
            let (a, b) = (round(place), round(place + drift));
            let mut half = DVec3::splat(if whole { size.ceil() } else { size } * 0.5);
            if random.below(6) == 0 {
                half[random.below(3)] = 0.0;
            }
            let (mut min, mut max) = (origin + scale * (a.min(b) - half), origin + scale * (a.max(b) + half));
            if kind == 3 && random.below(5) == 0 {
                let axis = random.below(3);
                match random.below(3) {
                    0 => min[axis] = f64::NEG_INFINITY,
                    1 => max[axis] = f64::INFINITY,
                    _ => (min, max) = (DVec3::NEG_INFINITY, DVec3::INFINITY),
                }
            }
            if kind == 4 && random.below(10) == 0 {
                min.x = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, max.x + 1.0][random.below(5)];
            }
            boxes.push(SweptBox { body: body * 7 % 1000, start, end: start + length, min, max });
            start += if kind == 5 { random.within(0.0, 2.0) } else { length };
            place += drift;
        }
    }
    if random.below(3) == 0 {
        for i in (1..boxes.len()).rev() {
            boxes.swap(i, random.below(i + 1));
        }
    }
    boxes
}

fn is_tested(a: u32, b: u32) -> bool {
    assert!(a < b, "{a} {b}");
    !(a + b).is_multiple_of(5)
}

/// Compares bits, so that 0 and -0 differ.
fn bits(found: &[CandidatePair]) -> Vec<([u32; 2], u64, u64)> {
    found.iter().map(|c| (c.bodies, c.start.to_bits(), c.end.to_bits())).collect()
}

fn check(boxes: &[SweptBox], what: &str) -> Vec<CandidatePair> {
    let slow = candidates(boxes, &is_tested, BroadPhase::BruteForce);
    for method in BroadPhase::ALL {
        let found = candidates(boxes, &is_tested, method);
        assert_eq!(bits(&found), bits(&slow), "{what}, {}", method.name());
    }
    slow
}

#[test]
fn every_method_finds_what_all_pairs_find() {
    let (mut empty, mut found) = (0, 0);
    for seed in 0..cases(400, 4000) {
        let candidates = check(&scene(seed), &format!("seed {seed}"));
        empty += usize::from(candidates.is_empty());
        found += candidates.len();
    }
    assert!(10 < empty && found > 5_000, "{empty} without candidates, {found} candidates");
}

/// Whether two boxes of a pair overlap at a time, straight from the definition.
fn meet_at(boxes: &[SweptBox], bodies: [u32; 2], time: f64) -> bool {
    let of = |body: u32| boxes.iter().filter(move |b| b.body == body && b.start <= time && time <= b.end);
    of(bodies[0]).any(|a| of(bodies[1]).any(|b| (0..3).all(|i| a.min[i] <= b.max[i] && b.min[i] <= a.max[i])))
}

#[test]
fn all_pairs_finds_the_boxes_that_overlap_at_each_time() {
    let mut moments = [0; 2];
    for seed in 0..cases(150, 800) {
        // Without boxes that have NaN bounds.
        let boxes: Vec<SweptBox> = scene(seed).into_iter().filter(|b| b.min.cmple(b.max).all()).collect();
        let found = check(&boxes, &format!("seed {seed}"));
        for pair in found.windows(2) {
            let order = pair[0].bodies.cmp(&pair[1].bodies);
            assert!(order.is_lt() || (order.is_eq() && pair[0].end < pair[1].start), "seed {seed}: {pair:?}");
        }
        let random = &mut Random(!seed);
        for _ in 0..if boxes.is_empty() { 0 } else { 40 } {
            let any = |random: &mut Random| boxes[random.below(boxes.len())];
            let (one, other) = (any(random), any(random));
            let bodies = [one.body.min(other.body), one.body.max(other.body)];
            if bodies[0] == bodies[1] || !is_tested(bodies[0], bodies[1]) {
                continue;
            }
            for time in [one.start, one.end, random.within(one.start, one.end)] {
                let listed = found.iter().any(|c| c.bodies == bodies && c.start <= time && time <= c.end);
                assert_eq!(listed, meet_at(&boxes, bodies, time), "seed {seed}: {bodies:?} at {time}");
                moments[usize::from(listed)] += 1;
            }
        }
    }
    assert!(moments.iter().all(|n| *n > 700), "{moments:?}");
}

fn at(body: u32, interval: [f64; 2], min: [f64; 3], max: [f64; 3]) -> SweptBox {
    SweptBox { body, start: interval[0], end: interval[1], min: min.into(), max: max.into() }
}

/// All candidates by each method, without a filter.
fn each(boxes: &[SweptBox]) -> Vec<CandidatePair> {
    let of = |method| candidates(boxes, &|_, _| true, method);
    let found = of(BroadPhase::BruteForce);
    for method in BroadPhase::ALL {
        assert_eq!(bits(&of(method)), bits(&found), "{}", method.name());
    }
    found
}

#[test]
fn touching_boxes_overlap_and_empty_boxes_do_not() {
    assert_eq!(each(&[]), []);
    let unit = at(3, [0.0, 1.0], [0.0; 3], [1.0; 3]);
    assert_eq!(each(&[unit]), []);
    assert_eq!(each(&[unit, unit]), [], "a body does not meet itself");
    let corner = at(1, [1.0, 2.0], [1.0; 3], [2.0; 3]);
    let touch = [CandidatePair { bodies: [1, 3], start: 1.0, end: 1.0 }];
    assert_eq!(each(&[unit, corner]), touch, "at a corner, at an instant");
    for beyond in [
        at(1, [1.0f64.next_up(), 2.0], [1.0; 3], [2.0; 3]),
        at(1, [1.0, 2.0], [1.0f64.next_up(), 1.0, 1.0], [2.0; 3]),
    ] {
        assert_eq!(each(&[unit, beyond]), []);
    }
    let point = at(9, [0.5, 0.5], [0.5; 3], [0.5; 3]);
    assert_eq!(each(&[unit, point]), [CandidatePair { bodies: [3, 9], start: 0.5, end: 0.5 }]);
    assert_eq!(each(&[unit, at(1, [0.0, 1.0], [0.9, 0.0, 0.0], [0.1, 1.0, 1.0])]), [], "empty in space");
    assert_eq!(each(&[unit, at(1, [0.9, 0.1], [0.0; 3], [1.0; 3])]), [], "empty in time");
    let all = at(1, [f64::NAN, f64::INFINITY], [f64::NEG_INFINITY; 3], [f64::NAN; 3]);
    assert_eq!(each(&[unit, all]), [CandidatePair { bodies: [1, 3], start: 0.0, end: 1.0 }]);
}

#[test]
fn adjacent_intervals_of_a_pair_are_joined() {
    let still = at(0, [0.0, 9.0], [0.0; 3], [1.0; 3]);
    let near = |start: f64| at(1, [start, start + 1.0], [0.5; 3], [0.6; 3]);
    let away = |start: f64| at(1, [start, start + 1.0], [5.0; 3], [6.0; 3]);
    let boxes = [still, near(0.0), near(1.0), away(2.0), away(3.0), near(4.0), away(5.0), near(-7.0)];
    let intervals: Vec<_> = each(&boxes).iter().map(|c| [c.start, c.end]).collect();
    assert_eq!(intervals, [[0.0, 2.0], [4.0, 5.0]]);
    // The filter is called only for boxes that overlap.
    for method in BroadPhase::ALL {
        let separate = [still, away(0.0), at(2, [0.0, 1.0], [-9.0; 3], [-8.0; 3])];
        assert_eq!(candidates(&separate, &|a, b| panic!("{a} {b}"), method), []);
    }
}

/// Thousands of bodies over several time slots, each drifting by a part of its size; `place` determines the scene.
fn thousands(bodies: u32, mut place: impl FnMut(u32, &mut Random) -> (DVec3, f64)) -> Vec<SweptBox> {
    let random = &mut Random(5);
    (0..bodies)
        .flat_map(|body| {
            let (at, size) = place(body, random);
            let drift = random.vector(0.3 * size);
            (0..4).map(move |slot| {
                let (min, max) = (at + f64::from(slot) * drift, at + f64::from(slot) * drift + size);
                SweptBox { body, start: f64::from(slot), end: f64::from(slot + 1), min, max }
            })
        })
        .collect()
}

#[test]
fn thousands_of_bodies_of_every_arrangement() {
    let giant = thousands(1500, |body, random| {
        if body == 700 { (DVec3::splat(-100.0), 200.0) } else { (random.vector(20.0), 1e-3) }
    });
    assert_eq!(
        check(&giant, "one giant among tiny ones").len(),
        (0..1500).filter(|b| *b != 700 && (b + 700) % 5 != 0).count()
    );
    let far = thousands(1500, |_, random| (DVec3::splat(1e6) + random.vector(1e-5), 1e-6));
    assert!(check(&far, "far from the origin").len() > 100);
    let clusters =
        thousands(1500, |body, random| (DVec3::splat(1e9 * f64::from(body % 2)) + random.vector(8.0), 1.0));
    assert!(check(&clusters, "two clusters").len() > 1000);
    let row = thousands(3000, |body, _| (DVec3::new(0.9 * f64::from(body), 0.0, 0.0), 0.8));
    assert!(check(&row, "a row").len() > 1000);
    let stack = thousands(300, |_, _| (DVec3::ZERO, 1.0));
    assert_eq!(
        check(&stack, "all in one place").len(),
        (0..300).flat_map(|a| (a + 1..300).map(move |b| a + b)).filter(|s| s % 5 != 0).count()
    );
}

#[test]
fn the_answer_is_the_same_for_any_number_of_threads() {
    let boxes = thousands(3000, |_, random| (random.vector(15.0), 1.0));
    let expected = bits(&candidates(&boxes, &is_tested, BroadPhase::Bvh));
    assert!(expected.len() > 300);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for method in [BroadPhase::Bvh, BroadPhase::Sweep, BroadPhase::Grid, BroadPhase::Octree] {
            let found = pool.install(|| candidates(&boxes, &is_tested, method));
            assert_eq!(bits(&found), expected, "{}, {threads} threads", method.name());
        }
    }
}

#[test]
fn methods_have_names_of_their_own() {
    let names = BroadPhase::ALL.map(BroadPhase::name);
    assert_eq!(names, ["bvh", "sweep", "grid", "octree", "brute-force"]);
    assert_eq!(BroadPhase::ALL[0], BroadPhase::default());
}
