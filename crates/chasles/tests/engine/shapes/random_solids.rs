//! Random formulas, trees of parts, grids and height fields in motion, compared with a slow twin that subdivides
//! space and time with its own intervals. The twin finds points that certainly belong to both bodies, and proves that
//! there are none within a distance.
//!
//! - When the report says that bodies are clear of each other, the twin finds no common point.
//! - When it says that they are in contact, the twin cannot prove that they are further apart than epsilon.
//! - At the start of a contact, the point is on both surfaces, and the normal leads out of the first body and into
//!   the second.
//!
//! `CHASLES_LONG=1` tests 1,000,000 pairs, which takes some two hours on two cores; `CHASLES_SEEDS=0..50000` in
//! addition selects a part of them.

use crate::cases::count;
use crate::cases::seeds::{Counter, Wrong, for_all, for_each, seed_range};
use crate::shapes::random_solid_cases::twin::Found;
use crate::shapes::random_solid_cases::walk::walk;
use crate::shapes::random_solid_cases::{Case, case, doubtful};
use crate::shapes::solid_cases::truth::Inside;
use chasles::{CheckOptions, PairListing, PairReport, PairUndecidedReason, PairVerdict, SceneInterval};
use chasles_testing::Random;
use glam::DVec3;

/// Rounding errors of both sides, in metres.
const TINY: f64 = 1e-9;

/// Allowed width of enclosures, as a fraction of the duration.
const SHARP: f64 = 1e-6;

/// Numbers of tested cases.
#[derive(Debug, Default)]
struct Counts {
    clear: Counter,
    near: Counter,
    contact: Counter,
    overlapping: Counter,
    undecided: Counter,
    /// Intervals reported as free; those proven mostly free, and free except for a hundredth.
    free: Counter,
    mostly: Counter,
    wholly: Counter,
    /// Times within intervals; those at which the bodies certainly meet, and those at which they are certainly within
    /// epsilon.
    within: Counter,
    met: Counter,
    close: Counter,
    /// Reported minimum gaps, and gaps that the budget leaves undecided.
    gaps: Counter,
    open: Counter,
    /// Times reported as undecided although the bodies penetrate deeply.
    deep: Counter,
    /// Points of contact, and those whose normal certainly leads into a body instead of out of it.
    normals: Counter,
    inward: Counter,
}

/// Compares a report with the twin.
struct Held<'a> {
    case: &'a Case,
    report: &'a PairReport,
    counts: &'a Counts,
    random: &'a mut Random,
    /// Up to this distance bodies count as touching: 0, or the clearance.
    distance: f64,
    /// Number of boxes for one query of the twin.
    looks: usize,
    wrong: Wrong,
}

impl Held<'_> {
    fn run(mut self) -> Wrong {
        self.free();
        for (number, interval) in self.report.intervals.iter().enumerate() {
            self.interval(number, interval);
        }
        self.start();
        self.least();
        self.undecided();
        if !self.wrong.is_empty() {
            self.wrong.push(format!("{:?}", self.report));
            self.wrong.push(self.case.description());
        }
        self.wrong
    }

    /// No contact outside the intervals.
    fn free(&mut self) {
        let duration = self.case.duration;
        let known =
            self.report.intervals.iter().map(|i| [i.enter[0], i.exit.map_or(duration, |exit| exit[1])]);
        let mut taken: Vec<[f64; 2]> = known.chain(self.report.undecided.iter().copied()).collect();
        taken.sort_by(|a, b| a[0].total_cmp(&b[0]));
        taken.push([duration; 2]);
        let mut from = 0.0;
        let mut free = Vec::new();
        for [begin, end] in taken {
            if from < begin {
                free.push([from, begin]);
            }
            from = end.max(from);
        }
        if self.report.clear_until > free.first().map_or(0.0, |span| span[1]) {
            self.wrong.push("clear until after a begin".into());
        }
        let share = 4 * self.looks / free.len().max(1);
        for [from, to] in free {
            let walked = walk(self.case, [from, to], self.distance, share);
            if let Some((time, near)) = walked.near {
                self.wrong.push(format!("missed: {near:e} apart at {time:?} of [{from:?}, {to:?}]"));
            }
            self.counts.free.add();
            self.counts.mostly.add_if(walked.proven > 0.5 * (to - from));
            self.counts.wholly.add_if(walked.proven > 0.99 * (to - from));
        }
    }

    /// In an interval the bodies are never further apart than epsilon.
    fn interval(&mut self, number: usize, interval: &SceneInterval) {
        let SceneInterval { enter: [lo, hi], exit, contact, .. } = interval;
        let (case, duration) = (self.case, self.case.duration);
        let exit = exit.unwrap_or([duration; 2]);
        if lo > hi || exit[0] > exit[1] || *hi > exit[1] || *lo > exit[0] {
            self.wrong.push(format!("interval {number} is out of order"));
        }
        // Times at the ends get more boxes, because the gap is close to epsilon there.
        let mut times = vec![(*hi, 4 * self.looks)];
        if exit[0] >= *hi {
            times.push((exit[0], 4 * self.looks));
            times.extend([(); 2].map(|()| (self.random.within(*hi, exit[0]), self.looks)));
        }
        let within = self.distance + case.epsilon * (1.0 + 1e-6) + TINY;
        for (time, looks) in times {
            self.counts.within.add();
            match case.stance(time).decide(within, looks) {
                Found::Apart => {
                    self.wrong
                        .push(format!("invented: more than {within:e} apart at {time:?}, interval {number}"));
                }
                Found::Near { .. } => self.counts.close.add(),
                Found::Unknown => {}
            }
        }
        if self.distance == 0.0 && exit[0] > *hi {
            let found = case.stance(0.5 * (hi + exit[0])).decide(0.0, 4 * self.looks);
            self.counts.met.add_if(matches!(found, Found::Near { .. }));
        }
        // The enter is not reported later, or the exit earlier, than a time of deep penetration.
        let slack = SHARP * duration;
        if self.distance == 0.0 {
            for time in [hi - 1.5 * slack, exit[0] + 1.5 * slack] {
                let is_before = *lo > 0.0 && time > *lo && time < *hi;
                let is_after = exit[1] < duration && time > exit[0] && time < exit[1];
                if !(is_before || is_after) || !self.are_deep(time) {
                    continue;
                }
                if self.report.reason.is_some() {
                    self.counts.deep.add();
                } else {
                    self.wrong.push(format!("an end of interval {number} is wide, though deep at {time:?}"));
                }
            }
        }
        // After an undecided interval they may penetrate deeply when a contact is first proven.
        let is_begin = *hi > 0.0 && !self.report.undecided.iter().any(|[from, to]| from < hi && hi <= to);
        if let Some(contact) = contact.filter(|_| is_begin && self.distance == 0.0) {
            self.place(number, *hi, (contact.contact.point, contact.contact.normal));
        }
    }

    /// At the start of an interval the point is on both bodies, and the normal leads from the first to the second.
    fn place(&mut self, number: usize, time: f64, (point, normal): (DVec3, DVec3)) {
        let case = self.case;
        if (normal.length() - 1.0).abs() > 1e-9 {
            self.wrong.push(format!("the normal of interval {number} is no unit: {normal}"));
        }
        let frames = case.frames(time);
        let at = frames[0].back(point);
        let normal = frames[0].turn.transpose() * normal;
        let off = 2.0 * case.epsilon + TINY + SHARP * case.duration * case.rate();
        let mut stance = case.stance(time);
        self.counts.normals.add();
        for (side, sense) in [(0, 1.0), (1, -1.0)] {
            let around = stance.slope(side, (at, DVec3::splat(off)), 0.0);
            if around.value.lo > 0.0 || around.value.hi < 0.0 {
                self.wrong
                    .push(format!("the point of interval {number} is off body {side}: {:?}", around.value));
            }
            let along: Vec<_> = (0..3).map(|i| around.gradient[i].scaled(sense * normal[i])).collect();
            let slope = along[0].plus(along[1]).plus(along[2]);
            if slope.hi < 0.0 && case.sides[side].inside == Inside::Filled {
                self.counts.inward.add();
            }
        }
    }

    /// A deep overlap at the start is reported as such, and a reported touch is not deep.
    fn start(&mut self) {
        let deep = self.distance == 0.0 && self.are_deep(0.0);
        let told = self.report.verdict;
        if deep && told != PairVerdict::Overlapping && told != PairVerdict::Undecided {
            // Without enough steps it may be reported as a contact from the start.
            if told == PairVerdict::Contact && self.report.reason == Some(PairUndecidedReason::Budget) {
                self.counts.deep.add();
            } else {
                self.wrong.push(format!("{told:?} though deep at the start"));
            }
        }
        if told == PairVerdict::Overlapping {
            match self.case.stance(0.0).decide(TINY, self.looks) {
                Found::Apart => self.wrong.push("overlapping, and apart at the start".into()),
                Found::Near { .. } => self.counts.met.add(),
                Found::Unknown => {}
            }
        }
    }

    /// Checks the minimum gap of a pair that is clear or near.
    fn least(&mut self) {
        let (Some([lower, upper]), Some(time)) = (self.report.gap, self.report.gap_time) else {
            return;
        };
        if upper == f64::INFINITY {
            // One of the bodies is empty.
            return;
        }
        let room = (0.01 * upper).max(1e-5).max(self.case.epsilon);
        self.counts.gaps.add();
        self.counts.open.add_if(upper - lower > 1.001 * room + TINY);
        if let Found::Apart = self.case.stance(time).decide(upper * (1.0 + 1e-9) + TINY, self.looks) {
            self.wrong.push(format!("the gap is more than {upper} at {time:?}"));
        }
        if lower > 4e-7 {
            let short = lower - 2e-7;
            if let Found::Near { distance, .. } = self.case.stance(time).decide(short, self.looks) {
                self.wrong.push(format!("the gap is {distance} at {time:?}, not {lower}"));
            }
        }
    }

    /// No time of deep penetration is undecided.
    fn undecided(&mut self) {
        for [from, to] in &self.report.undecided {
            let times = [*from, 0.5 * (from + to), self.random.within(*from, *to), *to];
            if times.into_iter().any(|time| self.are_deep(time)) {
                self.counts.deep.add();
                return;
            }
        }
    }

    /// Whether a ball of radius epsilon is in both bodies: then they must be moved by two epsilon to separate.
    fn are_deep(&mut self, time: f64) -> bool {
        let case = self.case;
        let mut stance = case.stance(time);
        let Found::Near { at, .. } = stance.decide(0.0, self.looks) else { return false };
        let inward = [0, 1].map(|side| -stance.about(side, at).gradient.normalize_or_zero());
        let ways = [DVec3::ZERO, inward[0], inward[1], inward[0] + inward[1]];
        (0..6).any(|k| {
            let step = 2.0 * case.epsilon * f64::from(1 << k);
            ways.iter().any(|way| stance.holds_cube(at + step * *way, case.epsilon))
        })
    }
}

/// The report of a clear pair whose gap is not requested.
fn clear(case: &Case) -> PairReport {
    PairReport {
        bodies: [0, 1],
        verdict: PairVerdict::Clear,
        intervals: Vec::new(),
        clear_until: case.duration,
        undecided: Vec::new(),
        reason: None,
        deviation: 0.0,
        gap: None,
        gap_time: None,
        epsilon: Some(case.epsilon),
        events: Vec::new(),
    }
}

/// The effort for a case.
#[derive(Debug, Clone, Copy)]
struct Effort {
    /// Steps of the engine: at most a thousandth of its usual budget.
    budget: u64,
    /// Number of boxes for one query of the twin.
    looks: usize,
    /// The minimum gap of clear pairs costs more than everything else.
    listed: PairListing,
}

impl Effort {
    const MUCH: Self = Self { budget: 500_000, looks: 300, listed: PairListing::All };

    /// A small effort for most seeds, so that a million pairs can be tested; for some seeds so few steps that they
    /// run out anywhere.
    fn of_seed(seed: u64) -> Self {
        match seed % 64 {
            0 => Self::MUCH,
            of_few if of_few % 8 == 1 => Self { budget: 10_000, looks: 80, listed: PairListing::NotClear },
            _ => Self { budget: 100_000, looks: 80, listed: PairListing::NotClear },
        }
    }
}

/// The errors in the report of a case.
fn check_case((seed, case): (u64, &Case), effort: Effort, counts: &Counts) -> Wrong {
    let Effort { budget, looks, listed } = effort;
    let options = CheckOptions { listed, budget, ..CheckOptions::default() };
    let report = case.scene().check(&options, &()).unwrap();
    let report = &report.pairs.first().cloned().unwrap_or_else(|| {
        assert_eq!(
            (report.verdict, report.pairs_clear, listed),
            (PairVerdict::Clear, 1, PairListing::NotClear)
        );
        clear(case)
    });
    let of = match report.verdict {
        PairVerdict::Clear => &counts.clear,
        PairVerdict::Near => &counts.near,
        PairVerdict::Contact => &counts.contact,
        PairVerdict::Overlapping => &counts.overlapping,
        PairVerdict::Undecided => &counts.undecided,
    };
    of.add();
    let distance = if report.verdict <= PairVerdict::Near { case.clearance } else { 0.0 };
    let random = &mut Random(!seed);
    Held { case, report, counts, random, distance, looks, wrong: Wrong::new() }.run()
}

#[test]
fn random_solids_touch_when_the_twin_does() {
    let counts = Counts::default();
    for_each(seed_range(200, 1_000_000), |seed| {
        check_case((seed, &case(&mut Random(seed))), Effort::of_seed(seed), &counts)
    });
    println!("{counts:?}");
    let [clear, near, contact, overlapping, undecided] =
        [&counts.clear, &counts.near, &counts.contact, &counts.overlapping, &counts.undecided]
            .map(Counter::get);
    let all = clear + near + contact + overlapping + undecided;
    assert!(5 * clear > all && 10 * contact > all && 30 * overlapping > all && near > 0, "{counts:?}");
    assert!(5 * undecided < all, "{counts:?}");
    // The twin decides most queries.
    let [free, mostly, wholly] = [&counts.free, &counts.mostly, &counts.wholly].map(Counter::get);
    assert!(2 * mostly > free && 4 * wholly > free, "{counts:?}");
    let [within, close, met] = [&counts.within, &counts.close, &counts.met].map(Counter::get);
    assert!(3 * close > 2 * within && 6 * met > within && within > all, "{counts:?}");
    // Hardly any normal leads into a body where it should lead out of it.
    assert!(
        counts.normals.get() > all / 10 && 100 * counts.inward.get() < counts.normals.get(),
        "{counts:?}"
    );
}

/// A sheet without an interior is undecided, and hides no later contact.
#[test]
fn an_undecided_interval_hides_no_later_contact() {
    let counts = Counts::default();
    let cases = count(10);
    for_all(cases, |seed| check_case((seed, &doubtful(&mut Random(seed))), Effort::MUCH, &counts));
    println!("{counts:?}");
    let all = usize::try_from(cases).unwrap();
    assert!(2 * counts.undecided.get() > all && counts.clear.get() == 0, "{counts:?}");
}

/// If the gradients at an edge or a tip suggest that the bodies lie side by side, the space between them determines
/// the direction from the first to the second.
#[test]
fn a_normal_at_an_edge_or_a_tip_leads_from_the_first_body_to_the_second() {
    let counts = Counts::default();
    let seeds = [1911, 2065, 4016, 4209];
    for_all(seeds.len() as u64, |number| {
        let seed = seeds[usize::try_from(number).unwrap()];
        check_case((seed, &case(&mut Random(seed))), Effort::MUCH, &counts)
    });
    assert_eq!((counts.inward.get(), counts.normals.get()), (0, seeds.len()), "{counts:?}");
}

/// If the steps run out after a start is known and before the contact is followed, the contact ends after it starts.
/// If they run out before an overlap at the start is decided, the result is undecided.
#[test]
fn a_contact_cut_short_by_the_budget_is_reported_as_such() {
    let counts = Counts::default();
    let effort = Effort { budget: 100_000, ..Effort::MUCH };
    let seeds = [50_667, 139_085];
    for_all(2, |number| {
        let seed = seeds[usize::try_from(number).unwrap()];
        check_case((seed, &case(&mut Random(seed))), effort, &counts)
    });
    assert_eq!((counts.contact.get(), counts.undecided.get()), (2, 0), "{counts:?}");
}

/// A sphere without thickness, written so that it has no interior, is undecided, and not for lack of steps.
#[test]
fn a_curved_surface_ends_undecided() {
    let case = case(&mut Random(583));
    let report = case.scene().check(&CheckOptions::default(), &()).unwrap();
    let told: Vec<_> = report.pairs.iter().map(|pair| (pair.verdict, pair.reason)).collect();
    assert_eq!(
        told,
        [(PairVerdict::Undecided, Some(PairUndecidedReason::Rounding))],
        "{}",
        case.description()
    );
}

/// Two solids that overlap at a corner, where the detected sides lead out through a third one.
#[test]
fn bodies_that_overlap_at_a_corner_are_deep() {
    let case = case(&mut Random(65_190));
    let report = case.scene().check(&CheckOptions::default(), &()).unwrap();
    assert_eq!(report.verdict, PairVerdict::Overlapping, "{}", case.description());
}
