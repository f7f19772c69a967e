//! The visitor that finds meetings of the features that the triangles of a pair own.
//!
//! A candidate is a pair of features. It is examined when the search has reached the time from which its features may
//! meet. If they come near each other, the candidate is tested for the whole motion only when the search has reached
//! that time. By then an earlier contact has usually been found, and the test is unnecessary. While one candidate is
//! likely to have an event soon, the other candidates are examined only up to that time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use crate::features::collector::Collector;
use crate::features::event::FeaturePair;
use crate::features::pairs::{FeatureFunction, FeatureTests};
use crate::math::budget::OutOfBudget;
use crate::math::priority::{Priority, QueueEntry};
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::traversal::{SearchEnd, Triangles, Visitor};

/// Pairs of features that may meet. The memory is reused.
#[derive(Debug, Clone, Default)]
pub(crate) struct MeetingCandidates {
    waiting: BinaryHeap<QueueEntry<MeetingCandidate>>,
    /// Candidates that are postponed while another is likely to have an event, and the time at which the first is due
    /// again. Most are never examined again, so they are not sorted.
    postponed: Vec<MeetingCandidate>,
    postponed_until: f64,
    searched: FxHashSet<FeaturePair>,
    /// The time at which the features of a candidate are near each other. Other candidates wait until this candidate
    /// has been tested.
    likely: f64,
    /// The number of recent candidates without an event, minus the number of candidates with an event; at most
    /// [`MAX_MISSES`] in size.
    misses: i32,
}

impl MeetingCandidates {
    /// Counts a candidate, with or without an event.
    fn count_candidate(&mut self, has_meeting: bool) {
        self.misses = (self.misses + if has_meeting { -1 } else { 1 }).clamp(-MAX_MISSES, MAX_MISSES);
    }
}

/// Limit of this count.
const MAX_MISSES: i32 = 8;

/// Two features that may meet, from a time on.
#[derive(Debug, Clone, Copy)]
struct MeetingCandidate {
    from: f64,
    pair: FeaturePair,
    state: CandidateState,
}

/// The state of a candidate.
#[derive(Debug, Clone, Copy)]
enum CandidateState {
    /// Not examined yet. In this part of the search, the features do not meet after this time.
    Pending(f64),
    /// From the candidate's time to this time the function is within its window level, and the features are near
    /// each other at some time.
    Near(f64),
    /// All windows of the whole motion that start up to this time were searched; the next starts at the candidate's
    /// time.
    Searched(f64),
}

impl Priority for MeetingCandidate {
    /// The earliest candidate comes first.
    fn order(&self, other: &Self) -> Ordering {
        other.from.total_cmp(&self.from).then_with(|| other.pair.cmp(&self.pair))
    }
}

/// The search extends this much further than needed, as a fraction of the motion: for nearly parallel edges the
/// enclosure of a meeting starts long before the meeting.
const BEYOND: f64 = 1e-6;

/// Selects the pairs of features to be tested.
pub(crate) type PairFilter<'c> = dyn Fn(FeaturePair) -> bool + 'c;

/// Finds meetings of features.
pub(crate) struct FeatureVisitor<'s, 'a> {
    tests: &'s mut FeatureTests<'a>,
    candidates: &'s mut MeetingCandidates,
    collector: &'s mut Collector,
    /// The selection, if not all pairs are to be tested.
    filter: Option<&'s PairFilter<'s>>,
}

impl<'s, 'a> FeatureVisitor<'s, 'a> {
    pub(crate) fn new(
        tests: &'s mut FeatureTests<'a>,
        candidates: &'s mut MeetingCandidates,
        collector: &'s mut Collector,
        filter: Option<&'s PairFilter<'s>>,
    ) -> Self {
        candidates.waiting.clear();
        candidates.postponed.clear();
        candidates.postponed_until = f64::INFINITY;
        candidates.searched.clear();
        candidates.likely = f64::INFINITY;
        candidates.misses = 0;
        Self { tests, candidates, collector, filter }
    }

    /// The earliest time at which untested features may meet.
    pub(crate) fn earliest(&self) -> f64 {
        let waiting = self.candidates.waiting.peek().map_or(f64::INFINITY, |candidate| candidate.0.from);
        waiting.min(self.candidates.postponed_until)
    }

    /// Adds a pair of features that may meet during an interval; examines it if the search has reached the
    /// interval.
    fn offer(
        &mut self,
        pair: FeaturePair,
        TimeInterval { start: from, end: until }: TimeInterval,
        now: f64,
    ) -> Result<(), OutOfBudget> {
        if self.filter.is_some_and(|filter| !filter(pair)) {
            return Ok(());
        }
        let candidate = MeetingCandidate { from, pair, state: CandidateState::Pending(until) };
        if from <= now {
            return self.examine(candidate);
        }
        self.store(candidate)
    }

    /// Stores a candidate for later.
    fn store(&mut self, candidate: MeetingCandidate) -> Result<(), OutOfBudget> {
        self.tests.budget.keep::<MeetingCandidate>()?;
        self.candidates.waiting.push(QueueEntry(candidate));
        Ok(())
    }

    /// Adds a pair of features that may meet during an interval whose start the search has reached.
    pub(crate) fn offer_now(&mut self, pair: FeaturePair, interval: TimeInterval) -> Result<(), OutOfBudget> {
        self.offer(pair, interval, interval.start)
    }

    /// Examines a candidate. It is stored again if it may meet later, or if the budget does not suffice.
    fn examine(&mut self, candidate: MeetingCandidate) -> Result<(), OutOfBudget> {
        self.examine_now(candidate).inspect_err(|_| self.candidates.waiting.push(QueueEntry(candidate)))
    }

    fn examine_now(
        &mut self,
        MeetingCandidate { from, pair, state }: MeetingCandidate,
    ) -> Result<(), OutOfBudget> {
        let again = matches!(state, CandidateState::Pending(_)) && self.collector.accepts_any_order();
        if again && self.candidates.searched.contains(&pair) {
            return Ok(());
        }
        let Some(function) = self.tests.function(pair) else { return Ok(()) };
        let until = match state {
            CandidateState::Pending(until) => until,
            CandidateState::Near(until) => {
                self.candidates.likely = f64::INFINITY;
                let function = self.tests.with_features(pair, function);
                return self.search_windows_once(&function, until + BEYOND);
            }
            CandidateState::Searched(until) => {
                let function = self.tests.with_features(pair, function);
                return self.search_windows(&function, TimeInterval::new(until, from));
            }
        };
        let likely = if self.candidates.likely > from { self.candidates.likely } else { f64::INFINITY };
        let end = until.min(self.collector.bound().min(likely) + BEYOND);
        let middle = self.tests.basis(from + 0.5 * (end - from));
        if self.tests.may_vanish(&function, TimeInterval::new(from, end), &middle) {
            let function = self.tests.with_features(pair, function);
            if self.tests.may_approach(&function, TimeInterval::new(from, end), &middle) {
                if self.collector.accepts_any_order() {
                    // A test of the interval alone costs much less than one of the whole motion, but is useless if
                    // most pairs that come this far have an event.
                    if self.candidates.misses > 0
                        && self.tests.first_near(&function, TimeInterval::new(from, end))?.is_none()
                    {
                        self.candidates.count_candidate(false);
                        return Ok(());
                    }
                    let before = self.collector.count();
                    self.search_windows_once(&function, f64::INFINITY)?;
                    self.candidates.count_candidate(self.collector.count() > before);
                    return Ok(());
                }
                if let Some(near) = self.tests.first_near(&function, TimeInterval::new(from, end))? {
                    let state = CandidateState::Near(near.hi);
                    self.candidates.likely = self.candidates.likely.min(near.hi);
                    return self.store(MeetingCandidate { from: near.lo, pair, state });
                }
            }
        }
        if likely < until.min(self.collector.bound()) {
            self.tests.budget.keep::<MeetingCandidate>()?;
            self.candidates.postponed.push(MeetingCandidate {
                from: likely,
                pair,
                state: CandidateState::Pending(until),
            });
            self.candidates.postponed_until = self.candidates.postponed_until.min(likely);
        }
        Ok(())
    }

    /// Searches the windows of a pair that start up to a time. A pair that was searched before continues by itself.
    fn search_windows_once(&mut self, function: &FeatureFunction, until: f64) -> Result<(), OutOfBudget> {
        let first_time = self.candidates.searched.insert(function.pair);
        if first_time {
            // A hash table is half empty.
            self.tests.budget.keep::<[FeaturePair; 2]>()?;
        }
        if first_time {
            self.search_windows(function, TimeInterval::new(f64::NEG_INFINITY, until))
        } else {
            Ok(())
        }
    }

    /// Searches the windows that start after one time and up to another. The next window is stored for later.
    fn search_windows(
        &mut self,
        function: &FeatureFunction,
        starts: TimeInterval,
    ) -> Result<(), OutOfBudget> {
        if let Some(from) = self.tests.find_events_in_windows(function, starts, self.collector)? {
            let state = CandidateState::Searched(starts.end);
            self.store(MeetingCandidate { from, pair: function.pair, state })?;
        }
        Ok(())
    }
}

impl Visitor for FeatureVisitor<'_, '_> {
    fn step(&mut self) -> Result<(), OutOfBudget> {
        self.tests.budget.step()
    }

    fn move_to(&mut self, t: f64) -> Result<(), OutOfBudget> {
        loop {
            if self.candidates.postponed_until <= t.min(self.collector.bound()) {
                self.candidates.postponed_until = f64::INFINITY;
                self.candidates.waiting.extend(self.candidates.postponed.drain(..).map(QueueEntry));
            }
            let Some(QueueEntry(candidate)) = self.candidates.waiting.peek().copied() else { break };
            if candidate.from > self.collector.bound() {
                self.candidates.waiting.clear();
            }
            if candidate.from > t.min(self.collector.bound()) {
                break;
            }
            self.candidates.waiting.pop();
            self.tests.budget.give_back::<MeetingCandidate>();
            self.examine(candidate)?;
        }
        Ok(())
    }

    fn horizon(&self) -> SearchEnd {
        SearchEnd { bound: self.collector.bound(), wake: self.earliest() }
    }

    fn accepts_earliest_only(&self) -> bool {
        !self.collector.accepts_any_order()
    }

    fn triangles(&mut self, pair: &Triangles<'_>) -> Result<(), OutOfBudget> {
        let (face_a, face_b) = pair.faces;
        let (a, b) = (self.tests.a, self.tests.b);
        let (own_a, own_b) = (a.owned_features(face_a), b.owned_features(face_b));
        let features = &pair.features;
        let now = pair.clock.time(features.first());
        for i in 0..3 {
            if own_a.vertex(i)
                && let Some(interval) = features.vertex_face(i)
            {
                let vertex = a.triangles()[face_a as usize][i];
                self.offer(
                    FeaturePair::VertexFace { vertex, face: face_b },
                    pair.clock.interval(interval),
                    now,
                )?;
            }
            if own_b.vertex(i)
                && let Some(interval) = features.face_vertex(i)
            {
                let vertex = b.triangles()[face_b as usize][i];
                self.offer(
                    FeaturePair::FaceVertex { face: face_a, vertex },
                    pair.clock.interval(interval),
                    now,
                )?;
            }
            for j in (0..3).filter(|j| own_a.edge(i) && own_b.edge(*j)) {
                if let Some(interval) = features.edge_edge(i, j) {
                    let (a, b) =
                        (a.triangle_edges()[face_a as usize][i], b.triangle_edges()[face_b as usize][j]);
                    self.offer(FeaturePair::EdgeEdge { a, b }, pair.clock.interval(interval), now)?;
                }
            }
        }
        // If the order is irrelevant, the remaining candidates are examined at once.
        if self.collector.accepts_any_order() { self.move_to(f64::INFINITY) } else { Ok(()) }
    }
}
