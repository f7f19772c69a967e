//! The distance of two bodies over time, as a sampled curve. Samples are denser near the times of a report.

use chasles_formats::report::reported::ReportedPair;

use super::document::GapCurve;
use super::shown::Shown;

/// The maximum number of samples of a curve.
const MAX_SAMPLES: usize = 400;

/// The minimum number of samples, however large the meshes are.
const MIN_SAMPLES: usize = 40;

/// A limit of work: the number of triangles of all samples of a curve. It takes some tenths of a second.
const TRIANGLES: usize = 40_000_000;

/// The cost of a sample apart from its triangles, in triangles.
const SAMPLE: usize = 1000;

/// Around each time of a report, samples lie at these powers of two, as fractions of the duration.
const NEAR_POWERS: [i32; 14] = [-5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15, -16, -17, -18];

/// Returns the distance of two bodies over time: the minimum over their parts. `reported_pair` is the report on the
/// pair. `None` if a body has no surface or does not exist, if both are the same body, or if a frame of a body cannot
/// be read.
pub(super) fn curve(
    shown: &Shown,
    pair: [usize; 2],
    reported_pair: Option<&ReportedPair>,
) -> Option<GapCurve> {
    let [a, b] = [shown.bodies.get(pair[0])?, shown.bodies.get(pair[1])?];
    let triangles = |part: usize| {
        let shape = shown.scene.bodies()[part].shape.as_ref();
        shape.map_or(0, |shape| shape.drawn().triangles().len())
    };
    let parts: Vec<[usize; 2]> =
        a.surfaces.iter().flat_map(|a| b.surfaces.iter().map(move |b| [*a, *b])).collect();
    // Two elements of one body always touch, so a body has no distance from itself.
    if parts.is_empty() || parts.iter().any(|[a, b]| a == b) {
        return None;
    }
    let cost: usize = parts.iter().map(|[a, b]| SAMPLE + triangles(*a) + triangles(*b)).sum();
    let times = times(shown.time_interval, reported_pair, (TRIANGLES / cost).clamp(MIN_SAMPLES, MAX_SAMPLES));
    let of_scene: Vec<f64> = times.iter().map(|time| shown.time_of_scene(*time)).collect();
    let mut gap = vec![f64::INFINITY; times.len()];
    for part in parts {
        for (gap, found) in gap.iter_mut().zip(shown.scene.distances(part, &of_scene).ok()??) {
            // Touching surfaces have gap 0, in spite of rounding.
            let touches = found.lower == 0.0 && found.upper <= shown.scene.tolerance();
            *gap = gap.min(if touches { 0.0 } else { found.upper });
        }
    }
    Some(GapCurve { pair, times, gap })
}

/// At most `maximum` times, increasing: half of them evenly spaced, the others around the times of the report.
fn times([start, end]: [f64; 2], reported_pair: Option<&ReportedPair>, maximum: usize) -> Vec<f64> {
    if start == end {
        return vec![start];
    }
    let mut centres: Vec<f64> = Vec::new();
    for interval in reported_pair.iter().flat_map(|pair| &pair.intervals) {
        centres.extend([interval.enter, interval.exit.unwrap_or([end; 2])].concat());
    }
    centres.extend(reported_pair.and_then(|pair| pair.gap_time));
    centres.retain(|time| (start..=end).contains(time));
    centres.sort_by(f64::total_cmp);
    centres.dedup();
    let mut near_times = centres.clone();
    for power in NEAR_POWERS {
        let away = (end - start) * 2.0_f64.powi(power);
        near_times.extend(centres.iter().flat_map(|time| [time - away, time + away]));
    }
    near_times.retain(|time| (start..=end).contains(time));
    near_times.truncate(maximum / 2);
    let even = maximum - near_times.len();
    let mut times: Vec<f64> = (0..even)
        .map(|i| if i + 1 == even { end } else { start + (end - start) * (i as f64 / (even - 1) as f64) })
        .chain(near_times)
        .collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

#[cfg(test)]
mod tests {
    use chasles_formats::report::reported::ReportedInterval;

    use super::*;

    #[test]
    fn samples_are_bounded_and_closer_where_something_happens() {
        let even = times([2.0, 4.0], None, 400);
        assert_eq!((even.len(), even[0], even[399]), (400, 2.0, 4.0));
        let interval = |at: f64| ReportedInterval {
            enter: [at, at + 1e-9],
            exit: Some([at + 0.1, at + 0.1]),
            contact: None,
        };
        for count in [1, 3, 1000] {
            let intervals =
                (0..count).map(|i| interval(2.0 + 1.8 * f64::from(i) / f64::from(count))).collect();
            let reported_pair = ReportedPair {
                a: "a".into(),
                b: "b".into(),
                verdict: "contact".into(),
                intervals,
                gap_time: Some(9.0),
                events: vec![],
            };
            let found = times([2.0, 4.0], Some(&reported_pair), 400);
            assert!(found.len() <= 400 && found.windows(2).all(|pair| pair[0] < pair[1]), "{count}");
            assert_eq!((found[0], found[found.len() - 1]), (2.0, 4.0));
            assert!(found.contains(&reported_pair.intervals[0].enter[0]), "{count}");
            let smallest_step = found.windows(2).map(|pair| pair[1] - pair[0]).fold(1.0, f64::min);
            assert!(smallest_step < 1e-4, "{count}: {smallest_step}");
        }
        assert_eq!(times([1.0, 1.0], None, 400), [1.0]);
    }
}
