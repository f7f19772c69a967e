//! Whether a path is free, and if not, where along it which links meet what.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::robot::cell::{PathScene, RobotCell};
use crate::robot::fused::fused;
use crate::robot::path::JointPath;
use crate::scene::check::CheckOptions;
use crate::scene::report::{Listed, PairReport, PairVerdict, SceneReport};
use crate::scene::watch::Watch;

/// The answer about a path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathReport {
    /// Pairs of links and bodies of the world, links first; times are those of the path.
    pub report: SceneReport,
    /// Where the robot is when an interval begins: one a pair of the report, and in it one an interval.
    pub entries: Vec<Vec<PathEntry>>,
}

/// Where along a path an interval begins: at the end of its enclosure.
#[derive(Debug, Clone, PartialEq)]
pub struct PathEntry {
    /// 0 lies between the first waypoint and the second.
    pub segment: usize,
    /// One value a joint of the path, in radians or metres.
    pub positions: Vec<f64>,
}

impl RobotCell {
    /// Which links meet each other or the world along a path, when and where. As [`Scene::check`](crate::Scene::check) for the true
    /// motion of every link, with the same guarantees; never one body of the world against another.
    ///
    /// # Errors
    /// As [`JointPath::check`], and a motion that leads out of the range of coordinates.
    pub fn check_path(
        &self,
        path: &JointPath,
        options: &CheckOptions,
        watch: &dyn Watch,
    ) -> Result<PathReport, Error> {
        path.check(self.robot())?;
        let PathScene { scene, owners } = self.scene(path)?;
        let found = scene.check(options, watch)?;
        let clock = Clock { span: path.span(), duration: scene.duration() };
        let pairs = Self::pairs(found.pairs, &owners);
        let mut tested = BTreeSet::new();
        for a in 0..owners.len() {
            tested.extend(
                (a + 1..owners.len()).filter(|b| scene.is_tested(a, *b)).map(|b| [owners[a], owners[b]]),
            );
        }
        let listed = |pair: &PairReport| pair.verdict != PairVerdict::Clear;
        let mut report = SceneReport {
            pairs_tested: tested.len(),
            pairs_clear: tested.len() - pairs.iter().filter(|pair| listed(pair)).count(),
            pairs: pairs.into_iter().filter(|pair| options.listed == Listed::All || listed(pair)).collect(),
            clear_until: clock.enclosed([found.clear_until; 2])[0],
            verdict: found.verdict,
            tolerance: found.tolerance,
        };
        report.pairs.iter_mut().for_each(|pair| clock.set(pair, &owners));
        let entry =
            |time: f64| PathEntry { segment: path.segment_at(time), positions: path.positions_at(time) };
        let entries = report
            .pairs
            .iter()
            .map(|pair| pair.intervals.iter().map(|interval| entry(interval.enter[1])).collect())
            .collect();
        Ok(PathReport { report, entries })
    }

    /// Those of parts as those of what the parts belong to, in order.
    fn pairs(parts: Vec<PairReport>, owners: &[usize]) -> Vec<PairReport> {
        let mut grouped: BTreeMap<[usize; 2], Vec<PairReport>> = BTreeMap::new();
        for part in parts {
            grouped.entry(part.bodies.map(|body| owners[body])).or_default().push(part);
        }
        grouped.into_iter().map(|(pair, parts)| fused(pair, parts)).collect()
    }
}

/// From the time of a scene, which begins at 0, to that of a path.
struct Clock {
    span: [f64; 2],
    duration: f64,
}

impl Clock {
    /// An enclosure, still one.
    fn enclosed(&self, [lo, hi]: [f64; 2]) -> [f64; 2] {
        let [begin, end] = self.span;
        let at = |time: f64, outward: fn(f64) -> f64| match time {
            _ if time <= 0.0 => begin,
            _ if time >= self.duration => end,
            // A sum with 0 is exact.
            _ if begin == 0.0 => time,
            _ => outward(begin + time).clamp(begin, end),
        };
        [at(lo, f64::next_down), at(hi, f64::next_up)]
    }

    fn set(&self, pair: &mut PairReport, owners: &[usize]) {
        pair.clear_until = self.enclosed([pair.clear_until; 2])[0];
        pair.unknown.iter_mut().for_each(|span| *span = self.enclosed(*span));
        pair.gap_time = pair.gap_time.map(|time| self.enclosed([time; 2])[0]);
        for interval in &mut pair.intervals {
            interval.enter = self.enclosed(interval.enter);
            interval.exit = interval.exit.map(|exit| self.enclosed(exit));
            if let Some(contact) = &mut interval.contact {
                contact.contact.time = interval.enter;
                contact.moving = owners[contact.moving];
                contact.standing = owners[contact.standing];
                contact.span = self.enclosed(contact.span);
            }
        }
    }
}
