//! Counts cases, and reports failures.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::exact::rational::Ratio;

/// The error of an answer, if there is one.
pub type Verdict = Result<(), String>;

/// The unit of rounding.
pub const EPS: f64 = f64::EPSILON;

/// Whether rounding of coordinates may decide if there is contact: it then suffices that no statement is wrong.
pub fn is_blurred(reach: f64, tolerance: f64) -> bool {
    8.0 * EPS * reach > 0.1 * tolerance
}

/// Maximum width of an enclosure, as a fraction of the motion: the promised width, or the time uncertainty that
/// rounding leaves at this speed of approach.
pub fn widest(speed: f64, reach: f64) -> f64 {
    (1e-12 * reach / speed).max(1e-6)
}

/// Whether an enclosure contains a time, and is not too wide. `speed` converts times to distances.
pub fn holds(what: &str, [lo, hi]: [f64; 2], truth: &Ratio, (width, speed): (f64, f64)) -> Verdict {
    let off = |late: f64| format!("{:.2e} m of the way, width {:.2e}", late * speed, hi - lo);
    if lo.is_nan() || hi.is_nan() || lo > hi {
        return Err(format!("{what} [{lo:?}, {hi:?}] is no enclosure"));
    }
    if Ratio::of(lo) > *truth {
        let late = Ratio::of(lo).minus(truth).double();
        return Err(format!("{what} [{lo:?}, {hi:?}] begins {late:.2e} after the truth, {}", off(late)));
    }
    if Ratio::of(hi) < *truth {
        let late = truth.minus(&Ratio::of(hi)).double();
        return Err(format!("{what} [{lo:?}, {hi:?}] ends {late:.2e} before the truth, {}", off(late)));
    }
    if hi - lo > width {
        return Err(format!("{what} [{lo:?}, {hi:?}] is {:.2e} wide, {width:.2e} would do", hi - lo));
    }
    Ok(())
}

/// Whether a touch is where it is reported: at `lo` the gap is at least the tolerance, or it starts at the start; at
/// `hi` it is at most a hundredth more.
pub fn touches([lo, hi]: [f64; 2], tolerance: f64, gap_squared: impl Fn(f64) -> Ratio) -> Verdict {
    let limit = Ratio::of(tolerance);
    let told = |gap: &Ratio| gap.double().sqrt() / tolerance;
    let (first, last) = (gap_squared(lo), gap_squared(hi));
    if lo > 0.0 && first < limit.squared() {
        let less = 1.0 - told(&first);
        return Err(format!(
            "touching, and the gap at lo is {less:.2e} tolerances too little, [{lo:?}, {hi:?}]"
        ));
    }
    let most = limit.times(&Ratio::new(101.into(), 100.into()));
    if last > most.squared() {
        return Err(format!(
            "touching, and the gap at hi is {:.6} tolerances, [{lo:?}, {hi:?}]",
            told(&last)
        ));
    }
    Ok(())
}

/// The cases of a test, by group.
#[derive(Debug, Default)]
pub struct Tally {
    groups: BTreeMap<String, (u64, u64)>,
    failures: Vec<String>,
    skipped: u64,
}

impl Tally {
    pub fn add(&mut self, group: &str, seed: u64, verdict: Verdict) {
        let (passed, failed) = self.groups.entry(group.to_owned()).or_default();
        match verdict {
            Ok(()) => *passed += 1,
            Err(reason) => {
                *failed += 1;
                if *failed <= SHOWN {
                    self.failures.push(format!("{group}, seed {seed}: {reason}"));
                }
            }
        }
    }

    /// Counts a seed whose generator made no case of the wanted kind.
    pub fn skip(&mut self) {
        self.skipped += 1;
    }

    /// Prints the number of cases that passed.
    ///
    /// # Panics
    /// If a case failed, or if there were hardly any.
    pub fn finish(self) {
        let mut text = String::new();
        let (mut all, mut bad) = (0, 0);
        for (group, (passed, failed)) in &self.groups {
            writeln!(text, "{group:48} {passed:7} of {:7}", passed + failed).unwrap();
            (all, bad) = (all + passed + failed, bad + failed);
        }
        assert!(bad == 0, "{bad} of {all} do not hold:\n{text}{}", self.failures.join("\n"));
        let skipped = self.skipped;
        assert!(20 * skipped < all, "{skipped} cases could not be made, {all} were:\n{text}");
        println!("{text}{:48} {all:7}, {skipped} skipped", "all");
    }
}

/// Number of failures of a group that are printed in full.
const SHOWN: u64 = 3;
