//! The twin of the enclosure: every time that the engine returns is compared with the true time, computed in exact
//! arithmetic.
//!
//! The search and its slow reference share the functions whose roots are times, and the bounds of rounding: comparing
//! the two cannot reveal errors of both. Here nothing is shared. Doubles are exact rational numbers, a quaternion of
//! any doubles is divided by its exact norm, and queries are decided by signs of integers, or if sines are needed by
//! fixed point with 384 binary places.
//!
//! Requirements on an answer about surfaces that first meet at t:
//!
//! - contact that crosses: lo <= t <= hi, and the named features meet in it;
//! - contact that touches: lo <= t, the gap at lo is at least the tolerance, at hi at most a hundredth more; the same
//!   if no features cross at all;
//! - clear: only if the surfaces never come within the tolerance, and always if they stay further apart by three
//!   hundredths of it;
//! - undecided: only if eight roundings of the largest coordinate are more than a tenth of the tolerance, and then
//!   clear only before t;
//! - an enclosure is at most a millionth of the motion wide, or 1e-12 of the largest coordinate divided by the speed
//!   at which the features approach.
//!
//! `CHASLES_LONG=1` multiplies the number of cases by 100.

#![allow(clippy::cast_possible_truncation, reason = "small numbers of a generator")]

mod verdict;
mod translation;
mod shapes;
mod touches;
mod chains;
mod screws;
mod lattice;

use crate::cases::{count, fewer};
use chains::{MODES, chained};
use chasles_testing::Random;
use shapes::{Far, KINDS, bent_pair, convex_pair, moved, single, turned};
use touches::{TOUCHES, Touch, ask, ask_interval, touch};
use translation::{Known, Translation};
use verdict::Tally;

/// Maximum number of cases that a seed's generator makes until one is of the wanted kind.
const TRIES: usize = 50;

/// The first case of a generator in which surfaces that start separated meet.
fn known(random: &mut Random, make: impl Fn(&mut Random) -> Translation) -> Option<Known> {
    (0..TRIES).map(|_| make(random).known()).find(|known| known.first().is_some())
}

/// All tests of convex bodies that meet and separate.
fn ask_convex(tally: &mut Tally, group: &str, seed: u64, known: &Known) {
    tally.add(&format!("{group}: first"), seed, known.ask_first());
    tally.add(&format!("{group}: all"), seed, known.ask_all());
    tally.add(&format!("{group}: any"), seed, known.ask_any());
    tally.add(&format!("{group}: interval"), seed, known.ask_interval(false));
    let back = known.case.reversed().known();
    if known.inside[1] {
        tally.add(&format!("{group}: exit"), seed, back.ask_interval(true));
    } else if back.first().is_some() {
        tally.add(&format!("{group}: back"), seed, back.ask_interval(false));
    }
}

#[test]
fn single_features_meet_at_their_constructed_times() {
    let mut tally = Tally::default();
    for seed in 0..fewer(6300, 7) {
        let random = &mut Random(seed);
        let kind = KINDS[seed as usize % 3];
        let power = 1 + seed / 3 % 6;
        let far = if seed / 18 % 2 == 0 { 0.0 } else { 10.0_f64.powi(2 + random.below(6) as i32) };
        let make = |random: &mut Random| {
            let placed = single(random, kind, 0.1_f64.powi(power as i32));
            let placed = turned(random, placed);
            moved(random, placed, Far(far), 1e-9)
        };
        let Some(known) = known(random, make) else {
            tally.skip();
            continue;
        };
        let group = format!("{kind:?}{} 1e-{power}", if far > 0.0 { " far" } else { "" });
        ask_convex(&mut tally, &group, seed, &known);
    }
    tally.finish();
}

#[test]
fn convex_bodies_touch_and_separate_at_their_constructed_times() {
    let mut tally = Tally::default();
    for seed in 0..fewer(400, 2) {
        let random = &mut Random(seed);
        let power = seed % 7;
        let far = if power == 0 { 0.0 } else { 10.0_f64.powi(1 + power as i32) };
        let make = |random: &mut Random| {
            let placed = convex_pair(random);
            moved(random, placed, Far(far), 1e-9)
        };
        let Some(known) = known(random, make) else {
            tally.skip();
            continue;
        };
        ask_convex(&mut tally, &format!("far {far:e}"), seed, &known);
        tally.add("within", seed, known.ask_within(random.within(0.001, 0.1)));
    }
    tally.finish();
}

#[test]
fn bent_bodies_meet_when_they_are_said_to() {
    let mut tally = Tally::default();
    for seed in 0..count(100) {
        let random = &mut Random(seed);
        let make = |random: &mut Random| {
            let placed = bent_pair(random);
            moved(random, placed, Far(0.0), 1e-9)
        };
        let Some(known) = known(random, make) else {
            tally.skip();
            continue;
        };
        tally.add("first", seed, known.ask_first());
        tally.add("all", seed, known.ask_all());
        tally.add("any", seed, known.ask_any());
    }
    tally.finish();
}

#[test]
fn touches_are_distinguished_from_crossings_and_misses() {
    let mut tally = Tally::default();
    for seed in 0..fewer(2700, 6) {
        let random = &mut Random(seed);
        let kind = TOUCHES[seed as usize % 9];
        let length = 0.1_f64.powi(seed as i32 / 9 % 5);
        let tolerance = [1e-9, 1e-7, 1e-11][seed as usize / 45 % 3];
        // The largest distance at which vertices keep their intended positions, to a thousandth of the tolerance.
        let farthest = 1e-3 * tolerance / f64::EPSILON;
        let may_be_far = kind != Touch::Land && random.below(2) == 0;
        let far = if may_be_far { farthest.powf(random.unit()) } else { 0.0 };
        let make = |random: &mut Random| touch(random, kind, length, (tolerance, Far(far)));
        let Some(known) = (0..TRIES).find_map(|_| make(random)) else {
            tally.skip();
            continue;
        };
        let group = format!("{kind:?}{}", if far > 0.0 { " far" } else { "" });
        tally.add(&group, seed, ask(&known, kind));
        tally.add(&format!("{group}: interval"), seed, ask_interval(&known, kind));
    }
    tally.finish();
}

#[test]
fn bodies_on_chains_of_frames_touch_and_separate_at_their_constructed_times() {
    let mut tally = Tally::default();
    for seed in 0..fewer(420, 2) {
        let random = &mut Random(seed);
        let mode = MODES[seed as usize % 6];
        let power = seed / 6 % 7;
        let Some(verdict) =
            (0..TRIES).find_map(|_| chained(random, mode, 10.0_f64.powi(power as i32 + 1)).ask())
        else {
            tally.skip();
            continue;
        };
        tally.add(&format!("{mode:?} 1e{}", power + 1), seed, verdict);
    }
    tally.finish();
}

#[test]
fn rotating_features_meet_at_their_constructed_times() {
    let mut tally = Tally::default();
    for seed in 0..fewer(210, 2) {
        let random = &mut Random(seed);
        let kind = KINDS[seed as usize % 3];
        let far = if seed / 3 % 2 == 0 { 0.0 } else { 10.0_f64.powi(1 + seed as i32 / 6 % 7) };
        let Some(known) = screws::known(random, |random| screws::features(random, kind, far)) else {
            tally.skip();
            continue;
        };
        tally.add(&format!("{kind:?} far {far:e}: first"), seed, known.ask_first());
        tally.add(&format!("{kind:?} far {far:e}: all"), seed, known.ask_all());
    }
    tally.finish();
}

#[test]
fn an_axis_may_be_given_by_any_of_its_points() {
    let mut tally = Tally::default();
    for seed in 0..count(90) {
        let random = &mut Random(seed);
        let power = [None, None, Some(10), Some(17), Some(20), Some(27), Some(34), Some(40), Some(53)]
            [seed as usize % 9];
        let Some(known) = screws::known(random, |random| screws::about(random, power)) else {
            tally.skip();
            continue;
        };
        let group = power.map_or("near".into(), |power| format!("2^{power}"));
        tally.add(&format!("{group}: first"), seed, known.ask_first());
        tally.add(&format!("{group}: all"), seed, known.ask_all());
        let radius = random.within(0.2, 0.4);
        if let Some(verdict) = known.ask_ball(radius, [1.0, 0.5, 3.0][random.below(3)]) {
            tally.add(&format!("{group}: ball"), seed, verdict);
        }
        tally.add(
            &format!("{group}: scene"),
            seed,
            known.ask_scene([1.0, 0.5, random.within(0.3, 9.0)][random.below(3)]),
        );
    }
    tally.finish();
}

#[test]
fn bows_above_a_face_touch_or_miss_as_they_are_said_to() {
    let mut tally = Tally::default();
    for seed in 0..fewer(300, 3) {
        let random = &mut Random(seed);
        let kind = screws::BOWS[seed as usize % 3];
        let Some(known) = (0..TRIES).find_map(|_| screws::bow(random, kind)) else {
            tally.skip();
            continue;
        };
        tally.add(&format!("{kind:?}"), seed, known.ask_bow(kind));
    }
    tally.finish();
}

#[test]
fn blocks_on_a_lattice_touch_and_separate_at_their_constructed_times() {
    let mut tally = Tally::default();
    for seed in 0..fewer(600, 3) {
        let passing = lattice::passing(&mut Random(seed));
        tally.add(passing.group(), seed, passing.ask());
    }
    tally.finish();
}
