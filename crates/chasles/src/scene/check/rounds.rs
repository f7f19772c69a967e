//! Many pairs, side by side in time.
//!
//! All pairs are examined up to a first time, then all up to a later time, and so on. So a check that is stopped knows
//! a time until which every pair is decided, and most of its work went into this result. The results do not depend on
//! the rounds: the search of a pair stops only where it can be resumed ([`contacts`](crate::trajectory::contacts)).

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::error::Error;
use crate::pair::PairMemory;
use crate::scene::Scene;
use crate::scene::check::answer::{PairProgress, answer};
use crate::scene::check::candidates::Candidates;
use crate::scene::check::context::CheckContext;
use crate::scene::report::{Containment, PairListing, PairReport};
use crate::trajectory::contacts::SuspendedSearch;
use crate::trajectory::watch::ProgressMonitor;

/// The first round ends at this fraction of the duration, and each later round at `GROWTH` times the time. A stop loses
/// only the last round, so at least 1 / `GROWTH` of the work remains useful if work is spread evenly over time.
const FIRST: f64 = 1.0 / 16_384.0;
const GROWTH: f64 = 1.25;

/// The reports of pairs, in the order of the pairs; clear pairs only if all pairs are to be listed.
///
/// # Errors
/// A motion leaves the range of coordinates.
pub(crate) fn answers(
    scene: &Scene,
    pairs: &[Candidates],
    context: &CheckContext<'_>,
) -> Result<Vec<(PairReport, Vec<Containment>)>, Error> {
    let duration = scene.duration();
    let progress = ProgressCounter { watch: context.watch, parts: AtomicUsize::new(0) };
    let mut complete = Vec::new();
    let mut open: Vec<(usize, Option<Box<SuspendedSearch>>)> =
        (0..pairs.len()).map(|place| (place, None)).collect();
    let mut until = FIRST * duration;
    while !open.is_empty() {
        let round: Vec<Result<(usize, PairProgress), Error>> = open
            .into_par_iter()
            .map_init(PairMemory::default, |memory, (place, suspended)| {
                let before = suspended.as_ref().map_or(0, |suspended| parts(suspended.reached / duration));
                let answer = answer(&pairs[place], context, memory, (suspended, until))?;
                let now = match &answer {
                    PairProgress::Complete(..) => PARTS,
                    PairProgress::Suspended(suspended) => parts(suspended.reached / duration),
                };
                progress.add(now - before);
                Ok((place, answer))
            })
            .filter(|answer| {
                let is_clear = answer.as_ref().is_ok_and(|(_, answer)| answer.is_clear(context.earliest));
                !is_clear || context.options.listed == PairListing::All
            })
            .collect();
        open = Vec::new();
        for answer in round {
            match answer? {
                (place, PairProgress::Complete(row, inside)) => complete.push((place, (row, inside))),
                (place, PairProgress::Suspended(suspended)) => open.push((place, Some(suspended))),
            }
        }
        // Skips rounds without work.
        let next = open.iter().flat_map(|(_, suspended)| suspended).map(|suspended| suspended.reached);
        let least = next.fold(f64::INFINITY, f64::min).next_up();
        until = (GROWTH * until).max(least);
    }
    complete.sort_unstable_by_key(|(place, _)| *place);
    Ok(complete.into_iter().map(|(_, row)| row).collect())
}

/// The progress of a pair is counted in this number of parts.
const PARTS: usize = 1 << 12;

/// The number of parts of a pair that are done after a fraction of the scene's duration.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to `PARTS`")]
fn parts(fraction: f64) -> usize {
    (fraction.clamp(0.0, 1.0) * PARTS as f64) as usize
}

/// Sums the parts of all pairs, and reports progress by one pair for every `PARTS` parts.
struct ProgressCounter<'w> {
    watch: &'w dyn ProgressMonitor,
    parts: AtomicUsize,
}

impl ProgressCounter<'_> {
    fn add(&self, parts: usize) {
        let before = self.parts.fetch_add(parts, Ordering::Relaxed);
        let whole = (before + parts) / PARTS - before / PARTS;
        if whole > 0 {
            self.watch.done(whole);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::motion::Pose;
    use crate::pair::shape::CollisionShape;
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition};
    use crate::scene::report::{CheckOptions, PairUndecidedReason};
    use crate::shape::Primitive;
    use chasles_testing::Random;

    /// Stops after `most` queries.
    struct Stopping {
        queries: AtomicUsize,
        most: usize,
    }

    impl ProgressMonitor for Stopping {
        fn is_over(&self) -> bool {
            self.queries.fetch_add(1, Ordering::Relaxed) >= self.most
        }
    }

    /// Cubes that swing through 61 keys; some cubes collide.
    fn swarm() -> Scene {
        let mut random = Random(11);
        let bodies = (0..6).map(|number| {
            let mut place = || 6.0 * DVec3::new(random.unit(), random.unit(), random.unit());
            let keys = (0..61).map(|key| (f64::from(key), Pose::from_position(place()).unwrap())).collect();
            let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).ok();
            let motion = BodyMotion::Keyframes(keys);
            SceneBody::new(format!("c{number}"), shape, motion)
        });
        let bodies = bodies.collect();
        Scene::new(SceneDefinition::new(60.0, bodies)).unwrap()
    }

    #[test]
    fn after_a_stop_all_pairs_are_decided_up_to_one_time() {
        let scene = swarm();
        let whole = scene.check(&CheckOptions::default(), &()).unwrap();
        assert!(whole.pairs.len() > 3 && whole.followed_until == 60.0);
        let mut known = 0;
        for most in [1, 20, 200, 800, 1600, 3200] {
            let watch = Stopping { queries: AtomicUsize::new(0), most };
            let report = scene.check(&CheckOptions::default(), &watch).unwrap();
            let until = report.followed_until;
            known += usize::from(until > 0.0 && until < 60.0);
            for pair in &report.pairs {
                assert!(
                    pair.reason != Some(PairUndecidedReason::Stopped) || pair.undecided[0][0] >= until,
                    "{pair:?}"
                );
                let starts_before =
                    |pair: &&PairReport| pair.intervals.iter().any(|one| one.enter[1] < until);
                let same = whole.pairs.iter().find(|other| other.bodies == pair.bodies);
                let of_both = [Some(pair), same].map(|pair| {
                    let intervals = pair.filter(starts_before).map_or(&[][..], |pair| &pair.intervals[..]);
                    intervals.iter().map(|one| one.enter).filter(|enter| enter[1] < until).collect::<Vec<_>>()
                });
                assert_eq!(of_both[0], of_both[1], "{pair:?}");
            }
            // No pair with an earlier contact is missing.
            let early = whole.pairs.iter().filter(|pair| pair.clear_until < until);
            assert!(
                early.into_iter().all(|pair| report.pairs.iter().any(|other| other.bodies == pair.bodies))
            );
        }
        assert!(known > 1, "{known}");
    }
}
