//! Compares the report about two bodies with their gap, which is known at every time.

use chasles::{CheckOptions, PairListing, PairReport, PairVerdict, Scene};

use crate::cases::seeds::{Counter, Wrong};
use crate::shapes::solid_cases::Case;
use crate::shapes::solid_cases::truth::{Below, Inside, Lipschitz, below, least};

/// Rounding errors of both sides, in metres.
const TINY: f64 = 1e-9;

/// Allowed width of enclosures, as a fraction of the duration.
pub(crate) const SHARP: f64 = 1e-6;

/// Numbers of tested cases.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    clear: Counter,
    contact: Counter,
    overlapping: Counter,
    undecided: Counter,
    several: Counter,
    /// Starts after which bodies penetrate deeply, and those with narrow enclosures.
    pub(crate) regular: Counter,
    pub(crate) sharp: Counter,
}

impl Counts {
    pub(crate) fn add(&self, report: &PairReport) {
        let of = match report.verdict {
            PairVerdict::Clear | PairVerdict::Near => &self.clear,
            PairVerdict::Contact => &self.contact,
            PairVerdict::Overlapping => &self.overlapping,
            PairVerdict::Undecided => &self.undecided,
        };
        of.add();
        self.several.add_if(report.intervals.len() > 1);
    }

    pub(crate) fn totals(&self) -> [usize; 5] {
        [&self.clear, &self.contact, &self.overlapping, &self.undecided, &self.several].map(Counter::get)
    }
}

pub(crate) fn check(scene: &Scene) -> PairReport {
    let options = CheckOptions { listed: PairListing::All, ..CheckOptions::default() };
    let report = scene.check(&options, &()).unwrap();
    assert_eq!(report.pairs.len(), 1);
    report.pairs[0].clone()
}

/// Compares a report with the true gap.
pub(crate) fn hold(case: &Case, report: &PairReport, counts: &Counts) -> Wrong {
    case.with_gap(|gap| hold_gap((case, counts), gap, report))
}

fn hold_gap((case, counts): (&Case, &Counts), gap: &Lipschitz<'_>, report: &PairReport) -> Wrong {
    let mut wrong = Wrong::new();
    let (epsilon, duration) = (case.epsilon, case.duration);
    let at = |time: f64| (gap.value)(time);
    if report.epsilon != Some(epsilon) {
        wrong.push("epsilon is not told".into());
    }
    let met = report.verdict >= PairVerdict::Contact;
    if met == report.intervals.is_empty() {
        wrong.push("contact without intervals, or the other way round".into());
    }

    // No contact is missed: there is none outside the intervals.
    let undecided = report.undecided.clone();
    let mut apart = Vec::new();
    let mut from = 0.0;
    let known = report.intervals.iter().map(|i| [i.enter[0], i.exit.map_or(duration, |exit| exit[1])]);
    let mut taken: Vec<[f64; 2]> = known.chain(undecided.iter().copied()).collect();
    taken.sort_by(|a, b| a[0].total_cmp(&b[0]));
    for [begin, end] in taken {
        apart.push([from, begin]);
        from = end.max(from);
    }
    apart.push([from, duration]);
    // An interval that starts at once leaves no time before it.
    apart.retain(|[from, to]| from < to);
    for span in apart {
        if let Below::At(time) = below(gap, span, -TINY) {
            wrong.push(format!("missed: {:e} at {time}", at(time)));
        }
    }

    // No contact is invented.
    let above = |value: f64| -value;
    let negated = |time: f64| above(at(time));
    let beyond = Lipschitz { value: &negated, rate: gap.rate };
    let far = |span: [f64; 2]| below(&beyond, span, -(epsilon + TINY));
    let slack = TINY + SHARP * duration * gap.rate;
    for (i, interval) in report.intervals.iter().enumerate() {
        let [lo, hi] = interval.enter;
        let exit = interval.exit.unwrap_or([duration; 2]);
        if lo > hi || exit[0] > exit[1] || hi > exit[1] || lo > exit[0] {
            wrong.push(format!("interval {i} is out of order"));
        }
        if at(hi) > epsilon + TINY {
            wrong.push(format!("interval {i} begins with a gap of {:e}", at(hi)));
        }
        if lo < hi && at(hi) > TINY {
            wrong.push(format!("interval {i} has not begun at {hi}: {:e}", at(hi)));
        }
        if is_regular(case, gap, lo) {
            counts.regular.add();
            counts.sharp.add_if(hi - lo <= SHARP * duration);
            if lo == hi {
                wrong.push(format!("interval {i} may begin before or after {lo}"));
            }
        }
        if lo > 0.0 && at(hi) < -epsilon - slack {
            wrong.push(format!("interval {i}: only at a depth of {:e} it has begun for certain", -at(hi)));
        }
        if interval.exit.is_some() && report.undecided.is_empty() {
            if at(exit[0]) > epsilon + TINY {
                wrong.push(format!("interval {i} ends with a gap of {:e}", at(exit[0])));
            }
            // A reported touch may only have come near: a touch has no end that can be checked.
            if exit[0] < exit[1] && !interval.touching && at(exit[0]) > TINY {
                wrong.push(format!("interval {i} has ended at {}: {:e}", exit[0], at(exit[0])));
            }
            if at(exit[0]) < -epsilon - slack {
                wrong.push(format!("interval {i}: at a depth of {:e} it may have ended", -at(exit[0])));
            }
        }
        if let Below::At(time) = far([hi, exit[0]]) {
            wrong.push(format!("interval {i}: {:e} apart at {time}", at(time)));
        }
        if let Some(next) = report.intervals.get(i + 1) {
            // The gap that separates them may be hard to detect.
            let between = [exit[0], next.enter[1]];
            let parts = below(&beyond, between, -(epsilon - TINY));
            if !matches!(parts, Below::At(_)) {
                wrong.push(format!("intervals {i} and the next are one"));
            }
        }
        // At its start, the point is on both bodies.
        if let Some(contact) = interval.contact.filter(|_| hi > 0.0) {
            let point = contact.contact.point;
            for (thing, way) in case.things.iter().zip(&case.ways) {
                let off = thing.placed.level(way.at(hi).back(point));
                if off.abs() > 2.0 * epsilon + slack {
                    wrong.push(format!("the point of interval {i} is {off:e} off {}", thing.guise));
                }
            }
            let normal = contact.contact.normal;
            if (normal.length() - 1.0).abs() > 1e-9 {
                wrong.push(format!("the normal of interval {i} is no unit: {normal}"));
            }
            // The normal leads out of A and into B.
            let step = 8.0 * epsilon;
            for ((thing, way), sense) in case.things.iter().zip(&case.ways).zip([1.0, -1.0]) {
                let [out, back] = [sense, -sense]
                    .map(|sense| thing.placed.level(way.at(hi).back(point + sense * step * normal)));
                if thing.placed.inside == Inside::Filled && out < back - 0.5 * step {
                    wrong.push(format!("the normal of interval {i} leads the other way at {}", thing.guise));
                }
            }
        }
    }

    let start = at(0.0);
    if (report.verdict == PairVerdict::Overlapping) != (start < -epsilon - TINY) {
        // For non-convex sets the gap is only an upper bound of minus the depth.
        let filled = case.things.iter().all(|thing| thing.placed.inside == Inside::Filled);
        let exact = filled && case.things.iter().all(|thing| thing.placed.set.is_convex());
        // Hollow bodies are reported as in contact: finding 2.
        if filled && start < -epsilon - TINY || exact && start > -epsilon + TINY {
            wrong.push(format!("{:?} with a gap of {start:e} at the start", report.verdict));
        }
    }
    if report.verdict == PairVerdict::Undecided || !report.undecided.is_empty() || report.reason.is_some() {
        wrong.push("undecided".into());
    }

    if report.verdict == PairVerdict::Clear {
        wrong.extend(hold_least(case, gap, report));
    }
    if !wrong.is_empty() {
        wrong.push(format!("{report:?}"));
        wrong.push(case.description());
    }
    wrong
}

/// Whether solids that come into contact at a time do so at a fair speed, and continue until they penetrate deeply.
fn is_regular(case: &Case, gap: &Lipschitz<'_>, time: f64) -> bool {
    let at = |time: f64| (gap.value)(time);
    let step = 2.0 * case.epsilon / gap.rate;
    let speed = (at(time - step) - at(time)) / step;
    let later = time + 3.0 * case.epsilon / speed;
    case.things.iter().all(|thing| thing.placed.inside == Inside::Filled)
        && time > step
        && speed > 0.1 * gap.rate
        && later < case.duration
        && (1..=8).all(|k| {
            let share = f64::from(k) / 8.0;
            at(time + share * (later - time)) < -share * 1.5 * case.epsilon
        })
}

/// The minimum gap of a pair that is clear.
fn hold_least(case: &Case, gap: &Lipschitz<'_>, report: &PairReport) -> Wrong {
    let mut wrong = Wrong::new();
    let (Some([lower, upper]), Some(time)) = (report.gap, report.gap_time) else {
        return vec!["clear without a gap".into()];
    };
    let ([lo, hi], _) = least(gap, [0.0, case.duration], 1e-7);
    let told = (gap.value)(time);
    if lower > hi + TINY || upper < lo - TINY || told > upper + TINY {
        wrong.push(format!("the least gap is in [{lo}, {hi}], told as [{lower}, {upper}] at {time}: {told}"));
    }
    let room = (0.01 * upper).max(1e-5).max(case.epsilon);
    if upper - lower > 1.001 * room + TINY {
        wrong.push(format!("the least gap is told as [{lower}, {upper}] only"));
    }
    wrong
}

/// Compares the scene's report with the true gap.
pub(crate) fn check_case(case: &Case, counts: &Counts) -> Wrong {
    let report = check(&case.scene());
    counts.add(&report);
    hold(case, &report, counts)
}
