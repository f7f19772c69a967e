//! Pairs of bodies to be looked at closely, in pieces of bounded size: millions of pairs are checked without being in
//! memory together.
//!
//! The broad phase counts while it searches. If it finds few enough pairs, they are one piece; otherwise it is asked
//! again, for the pairs of some bodies at a time. Every pair is in one piece, with all its spans, and the pieces come
//! in the order of the bodies. So the answers do not depend on the cuts.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::broad_phase::{SweptBox, candidates};
use crate::scene::definition::Scene;
use crate::scene::pairing::Standing;
use crate::scene::sweeping::swept_boxes;

/// A pair, and the spans of time in which it can be near.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidates {
    pub(crate) bodies: [usize; 2],
    /// In order; apart in between, proven.
    pub(crate) spans: Vec<[f64; 2]>,
}

/// Candidates in a piece, unless one body alone has more: some hundred bytes each.
pub(crate) const PIECE: usize = 1 << 19;

/// Hands out pairs.
pub(crate) struct Portions<'s> {
    scene: &'s Scene,
    standing: Standing,
    /// Sorted by body and time; empty where every pair is a candidate.
    pub(crate) boxes: Vec<SweptBox>,
    /// How much the boxes are enlarged, in metres.
    pub(crate) pad: f64,
    source: Supply,
    /// The pairs whose lower body is before this one have been handed out.
    next: usize,
}

enum Supply {
    /// Every pair that is tested, over the whole duration.
    Every,
    /// All there are.
    Found(Vec<Candidates>),
    /// Too many: about how many candidates each body has with higher ones.
    Searched { counts: Vec<usize> },
}

impl<'s> Portions<'s> {
    /// Every pair that is tested, over the whole duration.
    pub(crate) fn every(scene: &'s Scene, standing: Standing) -> Self {
        Self { scene, standing, boxes: Vec::new(), pad: 0.0, source: Supply::Every, next: 0 }
    }

    /// The pairs that are tested and whose swept boxes meet: all others are further apart than tolerance and clearance.
    pub(crate) fn near(scene: &'s Scene, standing: Standing, piece: usize) -> Self {
        let pad = scene.tolerance().max(scene.largest_clearance());
        let boxes = swept_boxes(scene, pad);
        let counts: Vec<AtomicUsize> = (0..scene.bodies().len()).map(|_| AtomicUsize::new(0)).collect();
        let all = AtomicUsize::new(0);
        let wanted = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|body| body as usize);
            scene.is_tested(a, b, standing) && {
                counts[a].fetch_add(1, Ordering::Relaxed);
                all.fetch_add(1, Ordering::Relaxed) < piece
            }
        };
        let found = gathered(&boxes, &wanted);
        let source = if all.into_inner() <= piece {
            Supply::Found(found)
        } else {
            drop(found);
            let counts = counts.into_iter().map(AtomicUsize::into_inner).collect();
            Supply::Searched { counts }
        };
        Self { scene, standing, boxes, pad, source, next: 0 }
    }

    /// How many pairs there are in all, where that is known.
    pub(crate) fn count(&self) -> Option<usize> {
        match &self.source {
            Supply::Found(found) => Some(found.len()),
            Supply::Every | Supply::Searched { .. } => None,
        }
    }

    /// The next piece, of at most about this many candidates.
    pub(crate) fn next(&mut self, piece: usize) -> Option<Vec<Candidates>> {
        let (scene, standing, first) = (self.scene, self.standing, self.next);
        let bodies = scene.bodies().len();
        if first >= bodies {
            return None;
        }
        match &mut self.source {
            Supply::Found(found) => {
                self.next = bodies;
                Some(std::mem::take(found))
            }
            Supply::Every => {
                let mut found = Vec::new();
                while self.next < bodies && found.len() < piece {
                    let a = self.next;
                    let tested = (a + 1..bodies).filter(|b| scene.is_tested(a, *b, standing));
                    found.extend(tested.map(|b| Candidates {
                        bodies: [a, b],
                        spans: vec![[0.0, scene.duration().next_up()]],
                    }));
                    self.next += 1;
                }
                Some(found)
            }
            Supply::Searched { counts } => {
                let mut sum = 0;
                while self.next < bodies && (self.next == first || sum + counts[self.next] <= piece) {
                    sum += counts[self.next];
                    self.next += 1;
                }
                let lower = first..self.next;
                let wanted = |a: u32, b: u32| {
                    lower.contains(&(a as usize)) && scene.is_tested(a as usize, b as usize, standing)
                };
                let from = self.boxes.partition_point(|swept| (swept.body as usize) < first);
                Some(gathered(&self.boxes[from..], &wanted))
            }
        }
    }
}

/// The candidates of the broad phase, pair by pair.
fn gathered(boxes: &[SweptBox], wanted: &(dyn Fn(u32, u32) -> bool + Sync)) -> Vec<Candidates> {
    let mut pairs: Vec<Candidates> = Vec::new();
    for candidate in candidates(boxes, wanted) {
        let bodies = candidate.bodies.map(|body| body as usize);
        let span = [candidate.begin, candidate.end];
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
    use crate::pair::shape::SceneShape;
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition};
    use crate::shape::Primitive;

    /// Cubes in a row, close enough for each to meet some of the others, of which every other one moves.
    fn row() -> Scene {
        let shape = SceneShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
        let bodies = (0..60).map(|i| {
            let start = Pose::from_position(DVec3::new(0.3 * f64::from(i), 0.0, 0.0)).unwrap();
            let way = DVec3::new(2.0 * f64::from(i % 5), 1.0, 0.0);
            let motion = if i % 2 == 0 {
                BodyMotion::Still(start)
            } else {
                BodyMotion::Screw(Screw::translation(start, way))
            };
            let shape = Some(shape.clone());
            SceneBody { name: format!("c{i}"), shape, motion, parent: None, group: None, solid: false }
        });
        Scene::new(SceneDefinition {
            duration: 1.0,
            tolerance: None,
            clearance: 0.0,
            bodies: bodies.collect(),
            ignore: vec![],
        })
        .unwrap()
    }

    fn all(mut pieces: Portions<'_>, piece: usize) -> (Vec<Candidates>, usize) {
        let (mut found, mut largest) = (Vec::new(), 0);
        while let Some(some) = pieces.next(piece) {
            largest = largest.max(some.len());
            found.extend(some);
        }
        (found, largest)
    }

    #[test]
    fn pieces_of_any_size_are_the_same_pairs_in_the_same_order() {
        let scene = row();
        let (whole, _) = all(Portions::near(&scene, Standing::Skipped, usize::MAX), usize::MAX);
        assert!(whole.len() > 300, "{}", whole.len());
        for piece in [1, 40, 100] {
            let (found, largest) = all(Portions::near(&scene, Standing::Skipped, piece), piece);
            assert!(found == whole, "pieces of {piece}");
            // No body has more than 59 partners.
            assert!(largest <= piece.max(59), "{largest} in a piece of {piece}");
        }
        let (whole, _) = all(Portions::every(&scene, Standing::Skipped), usize::MAX);
        assert_eq!(whole.len(), scene.count_tested_pairs());
        let (found, largest) = all(Portions::every(&scene, Standing::Skipped), 10);
        assert!(found == whole && largest < 10 + 59);
    }
}
