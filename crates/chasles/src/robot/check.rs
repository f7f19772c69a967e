//! Checks whether a path is free, and finds the contacts of its links otherwise.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::robot::RobotCell;
use crate::robot::path::JointPath;
use crate::robot::path_scene::{PathScene, scene_on};
use crate::scene::Scene;
use crate::scene::nearest::NearestPair;
use crate::scene::pairing::PairCounts;
use crate::scene::report::{
    CheckOptions, Containment, PairListing, PairReport, PairVerdict, SceneReport, SkippedPairs,
};
use crate::trajectory::watch::ProgressMonitor;

/// The result for a path.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PathReport {
    /// Pairs of links and bodies of the world, links first; times are times of the path.
    pub report: SceneReport,
    /// The robot's configuration when an interval starts: one list for each pair of the report, with one entry for
    /// each interval.
    pub entries: Vec<Vec<PathEntry>>,
}

/// The position on a path at which an interval starts: the end of the start's enclosure.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PathEntry {
    /// The segment: 0 lies between the first waypoint and the second.
    pub segment: usize,
    /// One value for each joint of the path, in radians or metres.
    pub positions: Vec<f64>,
}

/// See [`RobotCell::check_path`].
pub(super) fn check_path(
    cell: &RobotCell,
    path: &JointPath,
    options: &CheckOptions,
    watch: &dyn ProgressMonitor,
) -> Result<PathReport, Error> {
    path.check(cell.robot())?;
    let PathScene { scene, owners } = scene_on(cell, path)?;
    // The features of a link with several parts have no numbers of their own.
    let found = scene.check_owners(&owners, &CheckOptions { events: false, ..*options }, watch)?;
    let clock = PathClock { interval: path.interval(), duration: scene.duration() };
    let counts = count_pairs(cell, &scene, &owners);
    let classes = scene.tested_classes(options.resting, options.statics);
    let tested = counts.moving + classes.count_at_rest(&counts);
    let is_listed = |pair: &PairReport| pair.verdict != PairVerdict::Clear;
    let pairs = found.pairs;
    let mut report = SceneReport {
        pairs_tested: tested,
        untested: SkippedPairs::of(&counts, classes),
        pairs_clear: tested - pairs.iter().filter(|pair| is_listed(pair)).count(),
        pairs: pairs
            .into_iter()
            .filter(|pair| options.listed == PairListing::All || is_listed(pair))
            .collect(),
        clear_until: clock.enclosed([found.clear_until; 2])[0],
        followed_until: clock.enclosed([found.followed_until; 2])[0],
        nearest: found
            .nearest
            .map(|nearest| NearestPair { time: clock.enclosed([nearest.time; 2])[0], ..nearest }),
        inside: found
            .inside
            .into_iter()
            .map(|inside| Containment { from: clock.enclosed([inside.from; 2])[0], ..inside })
            .collect(),
        ..found
    };
    report.pairs.iter_mut().for_each(|pair| clock.convert(pair));
    let entry = |time: f64| PathEntry { segment: path.segment_at(time), positions: path.positions_at(time) };
    let entries = report
        .pairs
        .iter()
        .map(|pair| pair.intervals.iter().map(|interval| entry(interval.enter[1])).collect())
        .collect();
    Ok(PathReport { report, entries })
}

/// See [`RobotCell::count_pairs_on`].
pub(super) fn count_pairs_on(cell: &RobotCell, path: &JointPath) -> Result<PairCounts, Error> {
    let PathScene { scene, owners } = cell.path_scene(path)?;
    Ok(count_pairs(cell, &scene, &owners))
}

fn count_pairs(cell: &RobotCell, scene: &Scene, owners: &[usize]) -> PairCounts {
    let mut counted = BTreeSet::new();
    let mut counts = PairCounts::default();
    let surfaces: Vec<usize> =
        (0..owners.len()).filter(|body| scene.bodies()[*body].shape.is_some()).collect();
    for (i, &a) in surfaces.iter().enumerate() {
        for &b in &surfaces[i + 1..] {
            let pair = [owners[a], owners[b]];
            // All parts of two links are treated alike: the first pair of parts gives the class.
            if pair[0] == pair[1] || !pair.iter().any(|body| cell.is_on_robot(*body)) || !counted.insert(pair)
            {
                continue;
            }
            match scene.is_exempt(a, b) {
                true => counts.exempt += 1,
                false => counts.add(scene.pair_class(a, b)),
            }
        }
    }
    counts
}

/// Converts the time of a scene, which starts at 0, to the time of a path.
struct PathClock {
    interval: [f64; 2],
    duration: f64,
}

impl PathClock {
    /// Converts an enclosure, rounded outward.
    fn enclosed(&self, [lo, hi]: [f64; 2]) -> [f64; 2] {
        let [start, end] = self.interval;
        // Waypoints were rounded when the start was subtracted, and now the sum is rounded. With a start of 0 both
        // are exact.
        let rounding = 2.0 * f64::EPSILON * (start.abs() + self.duration);
        let at = |time: f64, outward: f64| match time {
            _ if time <= 0.0 => start,
            _ if time >= self.duration => end,
            _ if start == 0.0 => time,
            _ => (start + time + outward).clamp(start, end),
        };
        [at(lo, -rounding), at(hi, rounding)]
    }

    fn convert(&self, pair: &mut PairReport) {
        pair.clear_until = self.enclosed([pair.clear_until; 2])[0];
        pair.undecided.iter_mut().for_each(|interval| *interval = self.enclosed(*interval));
        pair.gap_time = pair.gap_time.map(|time| self.enclosed([time; 2])[0]);
        for interval in &mut pair.intervals {
            interval.enter = self.enclosed(interval.enter);
            interval.exit = interval.exit.map(|exit| self.enclosed(exit));
            for contact in interval.contact.iter_mut().chain(&mut interval.contacts) {
                contact.contact.time = interval.enter;
                contact.interval = self.enclosed(contact.interval);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::JointAxis;
    use crate::robot::arms::{at, brick, cart_on_rail, cell, cube, joint, path, still};
    use crate::robot::cell::CellDefinition;
    use crate::robot::definition::{Joint, RobotDefinition};
    use crate::robot::path::Waypoint;
    use crate::scene::definition::BodyMotion;

    #[test]
    fn the_clock_encloses_the_times_of_the_path() {
        for [start, end] in [[0.0, 2.0], [-1.0, 0.5], [1e9, 1e9 + 3.0], [0.1, 0.7], [-1e-9, 1.0]] {
            let clock = PathClock { interval: [start, end], duration: end - start };
            for i in 0..=1000 {
                let time = clock.duration * f64::from(i) / 1000.0;
                let [lo, hi] = clock.enclosed([time; 2]);
                let allowance = 1e-15 * (start.abs() + end.abs());
                assert!(start <= lo && lo <= hi && hi <= end);
                assert!((lo - (start + time)).abs() <= allowance && (hi - (start + time)).abs() <= allowance);
                // The exact sum, as two numbers, and half a rounding of the waypoints.
                let sum = start + time;
                let rounding_error = (start - (sum - (sum - start))) + (time - (sum - start));
                let half = 0.5 * f64::EPSILON * clock.duration;
                let inside = |bound: f64, sense: f64| sense * ((bound - sum) - rounding_error) >= half;
                let exact = i == 0 || i == 1000 || start == 0.0;
                assert!(exact || inside(hi, 1.0) || hi == end, "{start} {time}");
                assert!(exact || inside(lo, -1.0) || lo == start, "{start} {time}");
            }
            assert_eq!(clock.enclosed([0.0, clock.duration]), [start, end]);
            assert_eq!(clock.enclosed([0.0; 2]), [start; 2]);
            assert_eq!(clock.enclosed([clock.duration; 2]), [end; 2]);
        }
        // A path that starts at 0 keeps its times.
        let clock = PathClock { interval: [0.0, 2.0], duration: 2.0 };
        assert_eq!(clock.enclosed([0.3, 0.7]), [0.3, 0.7]);
    }

    /// A cart on a rail along x with two bricks, 1 apart, that passes through posts.
    fn cart(posts: &[(&str, f64)]) -> CellDefinition {
        let bricks = vec![brick([0.2; 3], at(0.0, 0.0, 0.0)), brick([0.2; 3], at(1.0, 0.0, 0.0))];
        let world = posts.iter().map(|(name, x)| cube(name, 0.4, still(*x, 0.0, 0.0))).collect();
        cell(cart_on_rail(bricks), world)
    }

    fn check(cell: CellDefinition, path: &JointPath, listed: PairListing) -> PathReport {
        let options = CheckOptions { listed, ..CheckOptions::default() };
        RobotCell::new(cell).unwrap().check_path(path, &options, &()).unwrap()
    }

    #[track_caller]
    fn assert_encloses([lo, hi]: [f64; 2], time: f64) {
        assert!(lo <= time && time <= hi && hi - lo < 1e-6, "{time} is not in [{lo}, {hi}]");
    }

    #[test]
    fn times_segments_and_values_are_those_of_the_path() {
        // At 2 m/s from time 10, then back at 1 m/s from 12.
        let path = path(&[0], &[&[10.0, 0.0], &[12.0, 4.0], &[16.0, 0.0]]);
        let found = check(cart(&[("post", 3.0), ("far", 9.0)]), &path, PairListing::NotClear);
        let report = &found.report;
        assert_eq!((report.pairs_tested, report.pairs_clear, report.pairs.len()), (2, 1, 1));
        assert_eq!(report.verdict, PairVerdict::Contact);
        let [pair] = &report.pairs[..] else { panic!("{report:?}") };
        assert_eq!(pair.bodies, [1, 2]);
        // Both bricks enter and leave, in both directions; in between they are wholly inside, without intersecting
        // surfaces.
        assert_eq!(pair.intervals.len(), 8, "{:?}", pair.intervals);
        let (there, back) = (&pair.intervals[0], &pair.intervals[7]);
        assert_encloses(there.enter, 10.85);
        assert_encloses(back.exit.unwrap(), 14.3);
        assert!(pair.clear_until <= 10.85 && pair.clear_until == report.clear_until);
        let entries = &found.entries[0];
        let segments: Vec<usize> = entries.iter().map(|entry| entry.segment).collect();
        assert_eq!(segments, [0, 0, 0, 0, 1, 1, 1, 1]);
        assert!((entries[0].positions[0] - 1.7).abs() < 1e-6);
        let contact = there.contact.unwrap();
        assert_eq!((contact.contact.time, contact.moving, contact.static_body), (there.enter, 1, 2));
        assert!((contact.contact.point.x - 2.8).abs() < 1e-6 && contact.contact.point.y.abs() < 0.11);
        assert!((contact.contact.normal.x - 1.0).abs() < 1e-9);
        assert!((contact.contact.approach_speed - 2.0).abs() < 1e-9);
        assert!(
            contact.interval[0] <= 10.0 && contact.interval[1] >= 12.0 && contact.interval[1] < 12.0 + 1e-9
        );
    }

    #[test]
    fn contact_from_the_start_begins_with_the_path() {
        let path = path(&[0], &[&[-3.0, 0.0], &[-1.0, 0.2]]);
        let found = check(cart(&[("post", 0.2)]), &path, PairListing::NotClear);
        let [pair] = &found.report.pairs[..] else { panic!("{:?}", found.report) };
        assert_eq!(
            (pair.verdict, pair.intervals[0].enter, pair.clear_until),
            (PairVerdict::Overlapping, [-3.0; 2], -3.0)
        );
        assert_eq!(found.entries[0][0], PathEntry { segment: 0, positions: vec![0.0] });
    }

    #[test]
    fn gaps_are_those_of_the_nearest_part_at_the_time_of_the_path() {
        let path = path(&[0], &[&[5.0, 0.0], &[6.0, -1.0], &[7.0, 1.0]]);
        let found = check(cart(&[("post", 2.6)]), &path, PairListing::All);
        let [pair] = &found.report.pairs[..] else { panic!("{:?}", found.report) };
        let [lower, upper] = pair.gap.unwrap();
        // The front brick ends at 2.1, the post starts at 2.4.
        assert!(lower <= 0.3 && 0.3 <= upper && upper - lower < 0.004, "{lower} {upper}");
        assert!((pair.gap_time.unwrap() - 7.0).abs() < 0.01 && pair.verdict == PairVerdict::Clear);
        assert_eq!((pair.clear_until, found.report.clear_until), (7.0, 7.0));
        // Two parts in one pair: near, with its own clearance.
        let near = |own: Vec<([usize; 2], f64)>| {
            let cell = CellDefinition { clearances: own, ..cart(&[("post", 2.6), ("far", 2.65)]) };
            check(cell, &path, PairListing::NotClear)
        };
        assert_eq!(near(vec![]).report.pairs, []);
        let found = near(vec![([2, 1], 0.31)]);
        let [pair] = &found.report.pairs[..] else { panic!("{:?}", found.report) };
        assert_eq!(
            (pair.bodies, pair.verdict, found.report.verdict),
            ([1, 2], PairVerdict::Near, PairVerdict::Near)
        );
        assert_encloses(pair.intervals[0].enter, 7.0 - 0.01 / 2.0);
        assert_eq!(pair.intervals[0].exit, None);
        assert!((found.entries[0][0].positions[0] - 0.99).abs() < 1e-6);
    }

    /// Paths at the ends of the range of numbers: a result or an error, and never "clear" because of overflow.
    #[test]
    fn extreme_paths_give_errors_or_true_reports() {
        let options = CheckOptions { budget: 2_000, ..CheckOptions::default() };
        let turning = Joint {
            axis: Some(JointAxis::Revolute(glam::DVec3::new(0.0, 1e-150, 3e-150))),
            ..joint("slide", [0, 1], None)
        };
        for swap in [false, true] {
            let mut definition = cart(&[("post", 1.5)]);
            if swap {
                let robot = RobotDefinition {
                    joints: vec![turning.clone()],
                    ..definition.robot.definition().clone()
                };
                definition.robot = crate::robot::Robot::new(robot).unwrap();
            }
            let cell = RobotCell::new(definition).unwrap();
            let sizes = [1e-300, 1e-20, 1e9, 1e30, 9e69, 1e300];
            for time in sizes {
                for value in sizes {
                    for velocity in [None, Some(0.0), Some(1e-200), Some(1e50), Some(1e300)] {
                        let at = |time, value: f64| Waypoint {
                            time,
                            positions: vec![value],
                            velocities: velocity.into_iter().collect(),
                        };
                        let path =
                            JointPath { joints: vec![0], waypoints: vec![at(-time, 0.0), at(time, value)] };
                        let Ok(found) = cell.check_path(&path, &options, &()) else { continue };
                        // A slide that reaches the post certainly touches it, at any speed.
                        let meets = !swap && value > 1.0;
                        assert!(
                            !meets || found.report.verdict >= PairVerdict::Undecided,
                            "{path:?}: {found:?}"
                        );
                    }
                }
            }
        }
        // A world that starts long before or after the path, and rotates a lot.
        let spin = BodyMotion::Twist {
            start: at(3.0, 0.0, 0.0),
            linear: glam::DVec3::ZERO,
            angular: glam::DVec3::Z * 1e6,
        };
        for start in [-1e300, -1.0, 1e300] {
            let definition = CellDefinition { world: vec![cube("spun", 0.4, spin.clone())], ..cart(&[]) };
            let path = path(&[0], &[&[start, 0.0], &[start + start.abs(), 1.0]]);
            let cell = RobotCell::new(definition).unwrap();
            if let Ok(found) = cell.check_path(&path, &options, &()) {
                assert_ne!(found.report.pairs_tested, 0);
            }
        }
    }
}
