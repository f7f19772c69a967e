//! Times, and statistics of many times.
//!
//! The clock is the thread's own processor time. On a shared machine, wall time would include the work of other
//! processes, for long queries more than for short ones.

use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// Shorter runs are repeated in one block, so that the cost of reading the clock is negligible. In seconds.
const BLOCK: f64 = 50e-6;

/// Seconds of processor time of this thread.
fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Seconds of processor time of all threads of this process.
#[must_use]
pub fn of_all_threads() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Calls a function repeatedly. Returns its value, and its processor time in seconds: the median of the repetitions
/// after a first run, which does not count.
pub fn timed<T>(repetitions: usize, mut f: impl FnMut() -> T) -> (T, f64) {
    let start = now();
    let mut value = f();
    let first = now() - start;
    let block = (BLOCK / first).ceil().clamp(1.0, 1000.0) as u32;
    let seconds = (0..repetitions).map(|_| {
        let start = now();
        for _ in 0..block {
            value = f();
        }
        (now() - start) / f64::from(block)
    });
    let seconds = median(seconds.collect::<Vec<_>>());
    // Without repetitions, the first run counts.
    (value, if seconds.is_nan() { first } else { seconds })
}

/// Calls a function once. Returns its value and its time in seconds.
///
/// Two clocks run. The inner clock is the wall clock, whose reading takes about 20 ns. The outer clock is the
/// thread's processor time, whose reading is a system call and takes about 200 ns. The smaller time counts: for an
/// uninterrupted thread it is the finer clock, and an interrupted thread does not pay for other processes.
pub fn once<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let processor = now();
    let wall = Instant::now();
    let value = f();
    let wall = wall.elapsed().as_secs_f64();
    (value, wall.min(now() - processor))
}

/// The quantile: the value below which a fraction of all values lies. NaN if there are no values.
#[must_use]
pub fn quantile(values: impl IntoIterator<Item = f64>, fraction: f64) -> f64 {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted.get((fraction * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
}

/// The median. NaN if there are no values.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    quantile(values, 0.5)
}

/// The least-squares line y = intercept + slope x through points: `[intercept, slope]`.
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
