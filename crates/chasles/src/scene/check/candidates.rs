//! Candidate pairs, in batches of bounded size: millions of pairs are checked without being in memory together.
//!
//! The broad phase counts while it searches. If it finds few enough pairs, they are one batch; otherwise it is
//! queried again, for the pairs of some bodies at a time. Every pair is in one batch, with all its intervals, and
//! the batches come in the order of the bodies. So the reports do not depend on the division.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::broad_phase::{SweptBox, candidates};
use crate::scene::Scene;
use crate::scene::check::sweeping::swept_boxes;
use crate::scene::report::PairListing;

/// A pair, and the intervals of time in which it can be near.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidates {
    pub(crate) bodies: [usize; 2],
    /// In order; in between the pair is proven separated.
    pub(crate) spans: Vec<[f64; 2]>,
}

/// Maximum number of candidates in a batch, unless one body alone has more: some hundred bytes each.
pub(crate) const BATCH_SIZE: usize = 1 << 19;

/// Whether to check a pair of bodies, lower number first.
pub(crate) type IsSelected<'s> = &'s (dyn Fn(usize, usize) -> bool + Sync);

/// Boxes around the bodies of a scene, for the broad phase.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    /// Sorted by body and time.
    pub(crate) boxes: Vec<SweptBox>,
    /// The length in metres by which the boxes are enlarged.
    pub(crate) pad: f64,
}

impl Bounds {
    /// Boxes around the swept volumes of all bodies. If the boxes of two bodies do not overlap, the bodies stay
    /// further apart than tolerance and clearance.
    pub(crate) fn of(scene: &Scene) -> Self {
        let pad = scene.tolerance().max(scene.largest_clearance());
        Self { boxes: swept_boxes(scene, pad), pad }
    }

    /// One box per body, its box at time 0, for the whole duration: for pairs that do not move relative to each other.
    pub(crate) fn at_start(&self, duration: f64) -> Self {
        let mut boxes = self.boxes.clone();
        boxes.dedup_by_key(|swept| swept.body);
        boxes.iter_mut().for_each(|swept| (swept.start, swept.end) = (0.0, duration.next_up()));
        Self { boxes, pad: self.pad }
    }
}

/// Returns candidate pairs, batch by batch.
pub(crate) struct CandidateBatches<'s> {
    scene: &'s Scene,
    is_selected: IsSelected<'s>,
    boxes: &'s [SweptBox],
    listed: PairListing,
    source: BatchSource,
    /// All pairs whose lower body is before this body have been returned.
    next: usize,
}

/// The pairs whose boxes overlap.
enum BatchSource {
    /// The pairs that have not been returned.
    Found(Vec<Candidates>),
    /// Too many pairs: about how many candidates each body has with higher bodies.
    Searched { counts: Vec<usize> },
}

impl<'s> CandidateBatches<'s> {
    /// The selected pairs whose boxes overlap, or all selected pairs. Pairs whose boxes do not overlap have no
    /// intervals, so the reports of pairs do not depend on which pairs are listed.
    pub(crate) fn new(
        scene: &'s Scene,
        is_selected: IsSelected<'s>,
        boxes: &'s [SweptBox],
        (listed, batch_size): (PairListing, usize),
    ) -> Self {
        let counts: Vec<AtomicUsize> = (0..scene.bodies().len()).map(|_| AtomicUsize::new(0)).collect();
        let all = AtomicUsize::new(0);
        let few = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|body| body as usize);
            is_selected(a, b) && {
                counts[a].fetch_add(1, Ordering::Relaxed);
                // The load comes first, because it does not make threads wait for each other.
                all.load(Ordering::Relaxed) <= batch_size && all.fetch_add(1, Ordering::Relaxed) < batch_size
            }
        };
        let found = gathered(boxes, &few);
        let source = if all.into_inner() <= batch_size {
            BatchSource::Found(found)
        } else {
            drop(found);
            let counts = counts.into_iter().map(AtomicUsize::into_inner).collect();
            BatchSource::Searched { counts }
        };
        Self { scene, is_selected, boxes, listed, source, next: 0 }
    }

    /// The number of all pairs, if it is known.
    pub(crate) fn count(&self) -> Option<usize> {
        match &self.source {
            BatchSource::Found(found) if self.listed == PairListing::NotClear => Some(found.len()),
            BatchSource::Found(_) | BatchSource::Searched { .. } => None,
        }
    }

    /// The next batch, of at most about `batch_size` candidates.
    pub(crate) fn next(&mut self, batch_size: usize) -> Option<Vec<Candidates>> {
        let (is_selected, first) = (self.is_selected, self.next);
        let bodies = self.scene.bodies().len();
        if first >= bodies {
            return None;
        }
        // Upper bound of the number of candidates whose lower body is `body`.
        let most = |body: usize| match (self.listed, &self.source) {
            (PairListing::All, _) => bodies - 1 - body,
            (PairListing::NotClear, BatchSource::Searched { counts }) => counts[body],
            (PairListing::NotClear, BatchSource::Found(_)) => 0,
        };
        let (mut next, mut sum) = (first, 0);
        while next < bodies && (next == first || sum + most(next) <= batch_size) {
            sum += most(next);
            next += 1;
        }
        self.next = next;
        let near = match &mut self.source {
            BatchSource::Found(found) => {
                let rest = found.split_off(found.partition_point(|pair| pair.bodies[0] < next));
                std::mem::replace(found, rest)
            }
            BatchSource::Searched { .. } => {
                let of_batch = |a: u32, b: u32| {
                    (first..next).contains(&(a as usize)) && is_selected(a as usize, b as usize)
                };
                let from = self.boxes.partition_point(|swept| (swept.body as usize) < first);
                gathered(&self.boxes[from..], &of_batch)
            }
        };
        Some(match self.listed {
            PairListing::All => self.with_the_rest(near, first..next),
            PairListing::NotClear => near,
        })
    }

    /// All selected pairs whose lower body is in a range; `near`: the pairs whose boxes overlap.
    fn with_the_rest(&self, near: Vec<Candidates>, lower: Range<usize>) -> Vec<Candidates> {
        let mut near = near.into_iter().peekable();
        let higher = |a: usize| (a + 1..self.scene.bodies().len()).map(move |b| [a, b]);
        let pairs = lower.flat_map(higher).filter(|[a, b]| (self.is_selected)(*a, *b));
        pairs
            .map(|bodies| {
                let found = near.next_if(|pair| pair.bodies == bodies);
                found.unwrap_or(Candidates { bodies, spans: Vec::new() })
            })
            .collect()
    }
}

/// The candidates of the broad phase, grouped by pair.
fn gathered(boxes: &[SweptBox], is_selected: &(dyn Fn(u32, u32) -> bool + Sync)) -> Vec<Candidates> {
    let mut pairs: Vec<Candidates> = Vec::new();
    for candidate in candidates(boxes, is_selected) {
        let bodies = candidate.bodies.map(|body| body as usize);
        let span = [candidate.start, candidate.end];
        match pairs.last_mut().filter(|last| last.bodies == bodies) {
            Some(last) => last.spans.push(span),
            None => pairs.push(Candidates { bodies, spans: vec![span] }),
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::motion::{Pose, Screw};
    use crate::pair::shape::CollisionShape;
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition};
    use crate::scene::pairing::PairClass;
    use crate::shape::Primitive;

    /// Cubes in a row, close enough for each to overlap some of the others; every other cube moves.
    fn row() -> Scene {
        let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
        let bodies = (0..60).map(|i| {
            let start = Pose::from_position(DVec3::new(0.3 * f64::from(i), 0.0, 0.0)).unwrap();
            let displacement = DVec3::new(2.0 * f64::from(i % 5), 1.0, 0.0);
            let motion = if i % 2 == 0 {
                BodyMotion::Still(start)
            } else {
                BodyMotion::Screw(Screw::translation(start, displacement))
            };
            let shape = Some(shape.clone());
            SceneBody::new(format!("c{i}"), shape, motion)
        });
        Scene::new(SceneDefinition::new(1.0, bodies.collect())).unwrap()
    }

    fn all(mut batches: CandidateBatches<'_>, batch_size: usize) -> (Vec<Candidates>, usize) {
        let (mut found, mut largest) = (Vec::new(), 0);
        while let Some(some) = batches.next(batch_size) {
            largest = largest.max(some.len());
            found.extend(some);
        }
        (found, largest)
    }

    #[test]
    fn batches_of_any_size_have_the_same_pairs_in_the_same_order() {
        let scene = row();
        let moving = |a: usize, b: usize| scene.pair_class(a, b) == PairClass::Moving;
        let boxes = Bounds::of(&scene).boxes;
        let batches = |listed, batch_size| {
            all(CandidateBatches::new(&scene, &moving, &boxes, (listed, batch_size)), batch_size)
        };
        let near = |batch_size| batches(PairListing::NotClear, batch_size);
        let (whole, _) = near(usize::MAX);
        assert!(whole.len() > 300, "{}", whole.len());
        for batch_size in [1, 40, 100] {
            let (found, largest) = near(batch_size);
            assert!(found == whole, "pieces of {batch_size}");
            // No body has more than 59 partners.
            assert!(largest <= batch_size.max(59), "{largest} in a piece of {batch_size}");
        }
        let (every, _) = batches(PairListing::All, usize::MAX);
        assert_eq!(every.len(), scene.count_moving_pairs());
        let (found, largest) = batches(PairListing::All, 10);
        assert!(found == every && largest < 10 + 59);
        // The pairs whose boxes overlap have the same intervals.
        let with_spans: Vec<_> = every.into_iter().filter(|pair| !pair.spans.is_empty()).collect();
        assert_eq!(with_spans, whole);
    }

    /// The boxes at the start are around the bodies' poses there, and give all pairs whose boxes overlap.
    #[test]
    fn boxes_at_the_start_are_those_of_the_bodies_there() {
        let scene = row();
        let still = |a: usize, b: usize| scene.pair_class(a, b) == PairClass::Static;
        let Bounds { boxes, .. } = Bounds::of(&scene).at_start(scene.duration());
        assert_eq!(boxes.len(), 60);
        let near = CandidateBatches::new(&scene, &still, &boxes, (PairListing::NotClear, 7));
        // Each of the 30 cubes, 0.6 m apart, overlaps only the next cube.
        assert_eq!(near.count(), None);
        let (found, _) = all(near, 7);
        assert_eq!(found.len(), 29);
        assert!(found.iter().all(|pair| pair.spans == [[0.0, 1.0_f64.next_up()]]), "{found:?}");
    }
}
