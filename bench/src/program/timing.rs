//! Times, and what is quoted of many.
//!
//! The clock is the thread's own processor time: on a shared machine a long query would otherwise pay for its neighbours,
//! and a short one not.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// Shorter runs are repeated in one go, so that reading the clock does not count, in seconds.
const BLOCK: f64 = 50e-6;

/// Seconds of processor time that this thread has had.
fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Seconds of processor time that all threads of this process have had.
#[must_use]
pub fn of_all_threads() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// What a function gives, and the seconds of processor time it takes: the median of some repetitions, after a first one
/// that does not count.
pub fn timed<T>(repetitions: usize, mut f: impl FnMut() -> T) -> (T, f64) {
    let begin = now();
    let mut value = f();
    let first = now() - begin;
    let block = (BLOCK / first).ceil().clamp(1.0, 1000.0) as u32;
    let seconds = (0..repetitions).map(|_| {
        let begin = now();
        for _ in 0..block {
            value = f();
        }
        (now() - begin) / f64::from(block)
    });
    let seconds = median(seconds.collect::<Vec<_>>());
    // Without repetitions the first one is all there is.
    (value, if seconds.is_nan() { first } else { seconds })
}

/// What a function gives, and the seconds it takes this once.
///
/// Two clocks run: that of the wall, whose reading costs some 20 ns, and within it nothing else; around it that of the thread's
/// processor time, whose reading costs some 200 ns, since it is a call into the system. The less of the two counts:
/// a thread that is not interrupted has the finer clock, and one that is does not pay for its neighbours.
pub fn once<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let processor = now();
    let wall = Instant::now();
    let value = f();
    let wall = wall.elapsed().as_secs_f64();
    (value, wall.min(now() - processor))
}

/// The value below which a share of all values lies; NaN of none.
#[must_use]
pub fn quantile(values: impl IntoIterator<Item = f64>, share: f64) -> f64 {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((share * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
}

/// The middle value; NaN of none.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    quantile(values, 0.5)
}

/// The line y = intercept + slope x through points, by least squares: `[intercept, slope]`.
#[must_use]
pub fn line(points: &[(f64, f64)]) -> [f64; 2] {
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>()
        / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>();
    [y - slope * x, slope]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_lines() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(quantile((0..=100).map(f64::from), 0.95), 95.0);
        assert!(median([]).is_nan());
        let [intercept, slope] = line(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]);
        assert!((intercept - 1.0).abs() < 1e-12 && (slope - 2.0).abs() < 1e-12);
    }
}
