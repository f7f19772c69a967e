//! Times at which two features touch along a screw: vertex-face, face-vertex and edge-edge.
//!
//! Two separated surfaces first meet at a vertex of one and a face of the other, or at an edge of each (Kim and
//! Rossignac 2003, "Collision time and contact calculation"). For each such pair the volume f(t) that the two
//! features span is a [`ScrewFunction`](crate::math::screw_function::ScrewFunction); its roots are the times at
//! which the vertex is in the plane of the face, or the lines of the edges intersect. The **distance** of the
//! features at these times then decides whether the features themselves meet, instead of barycentric coordinates or
//! alpha and beta (their equation 22). The distance is as well-conditioned for needles, parallel edges and corners
//! as for all other features, and "within the tolerance" leaves no gap between neighbouring features.
//!
//! If |f| stays small without a provable root (sliding, tangential or parallel features, degenerate triangles),
//! conservative advancement decides.

use crate::body::PreparedPair;
use crate::features::advance::{Features, Limits, PLAY, WithinGoal, WithinTime, first_within};
use crate::features::collector::Collector;
use crate::features::crossing::{CrossingTest, Crossings};
use crate::features::event::{EventKind, FeatureEvent, FeaturePair};
use crate::features::functions::{MeetingFunction, PathOf, of_pair};
use crate::features::paths::Paths;
use crate::features::screw_motion::ScrewMotion;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::roots::{Isolation, Levels, Root, Window, excluded, isolate};
use crate::math::screw_function::Basis;
use crate::math::time_interval::TimeInterval;
use crate::motion::helix::Helix;
use crate::shape::Mesh;

/// Finds the times at which pairs of features of two meshes meet.
#[derive(Debug)]
pub(crate) struct FeatureTests<'a> {
    pub(crate) a: &'a Mesh,
    pub(crate) b: &'a Mesh,
    pub(crate) motion: &'a ScrewMotion,
    pub(crate) tolerance: f64,
    pub(crate) aim: Aim,
    pub(crate) budget: Budget<'a>,
    /// The number of pairs that were tested for the whole motion.
    pub(crate) functions: u64,
    memory: &'a mut Memory,
}

/// The memory of feature tests; it can be reused to avoid allocation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    isolation: Isolation,
    paths: Paths,
    paths_seen_from_a: Paths,
    /// The basis of the last query.
    basis: Option<Basis>,
}

/// Two features with their function.
pub(crate) struct FeatureFunction {
    pub(crate) pair: FeaturePair,
    features: Features,
    function: MeetingFunction,
}

/// The goal of a feature test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    /// The times of contact.
    Contact,
    /// The first time within the tolerance, however large the tolerance is.
    Within,
}

impl Aim {
    /// The maximum distance of two features at an event, in metres.
    pub(crate) fn pad(self, motion: &ScrewMotion, tolerance: f64) -> f64 {
        match self {
            Self::Contact => 2.2 * (tolerance + motion.rounding),
            Self::Within => 1.1 * tolerance + 2.0 * motion.rounding,
        }
    }
}

/// The tolerance and the aim of feature tests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FeatureGoal {
    /// In metres.
    pub(crate) tolerance: f64,
    pub(crate) aim: Aim,
}

/// The interval of the whole motion.
pub(crate) const WHOLE: TimeInterval = TimeInterval::new(0.0, 1.0);

/// Gaps of fewer roundings than this cannot be distinguished from zero.
const CLOSEST: f64 = 32.0;

/// The movement from the start to the end of a touch, in tolerances: twice the tolerance, plus a margin.
const THROUGH: f64 = 2.2;

/// Features that are further apart than the tolerance by at most this number of roundings may still be within it.
const CLOSE: f64 = 4.0;

/// Width of the enclosure of a touch's end, relative to the time.
const RISE_WIDTH: f64 = 1e-9;

/// Maximum number of steps of the proof that the gap of two features exceeds the tolerance by less than the play.
const STEPS_BEYOND: u64 = 64;

/// Maximum number of steps of the search for the next level of distance.
const STEPS_PER_LEVEL: u64 = 1_000;

/// Each level is smaller than the previous level by this factor.
const LEVEL: f64 = 8.0;

impl<'a> FeatureTests<'a> {
    pub(crate) fn new(
        bodies: PreparedPair<'a>,
        motion: &'a ScrewMotion,
        FeatureGoal { tolerance, aim }: FeatureGoal,
        budget: Budget<'a>,
        memory: &'a mut Memory,
    ) -> Self {
        memory.paths.clear();
        memory.paths_seen_from_a.clear();
        memory.basis = None;
        let (a, b) = (bodies.a.mesh(), bodies.b.mesh());
        Self { a, b, motion, tolerance, aim, budget, functions: 0, memory }
    }

    /// Tests a pair of features for the whole motion, so that its events are the same, to the last bit, in every
    /// search.
    pub(crate) fn find_events(
        &mut self,
        pair: FeaturePair,
        collector: &mut Collector,
    ) -> Result<(), OutOfBudget> {
        let Some(pair_function) = self.feature_function(pair) else { return Ok(()) };
        self.find_events_in_windows(
            &pair_function,
            TimeInterval::new(f64::NEG_INFINITY, f64::INFINITY),
            collector,
        )
        .map(|_| ())
    }

    /// Like [`Self::find_events`], but only for the windows of the whole motion that start after the first time of
    /// `starts` and not after the second. Returns the start of the next window that is still relevant.
    pub(crate) fn find_events_in_windows(
        &mut self,
        pair_function: &FeatureFunction,
        starts: TimeInterval,
        collector: &mut Collector,
    ) -> Result<Option<f64>, OutOfBudget> {
        self.functions += 1;
        let mut isolation = std::mem::take(&mut self.memory.isolation);
        let levels = self.levels(&pair_function.function);
        let result = isolate(&pair_function.function.f, WHOLE, levels, &mut self.budget, &mut isolation)
            .and_then(|()| self.windows(pair_function, &isolation, starts, collector));
        self.memory.isolation = isolation;
        result
    }

    /// Two features with their function; `None` for a face of zero area, whose edges cover it.
    #[inline]
    pub(crate) fn feature_function(&mut self, pair: FeaturePair) -> Option<FeatureFunction> {
        let function = self.function(pair)?;
        Some(self.with_features(pair, function))
    }

    /// The function of two features; `None` as for [`Self::feature_function`].
    #[inline]
    pub(crate) fn function(&mut self, pair: FeaturePair) -> Option<MeetingFunction> {
        let (a, b, motion) = (self.a, self.b, self.motion);
        of_pair(pair, a, b, motion, &mut |path| match path {
            PathOf::FromB(vertex) => *self.path(vertex),
            PathOf::FromA(vertex) => *self.path_seen_from_a(vertex),
        })
    }

    /// Two features with a known function.
    #[inline]
    pub(crate) fn with_features(&mut self, pair: FeaturePair, function: MeetingFunction) -> FeatureFunction {
        let features = match pair {
            FeaturePair::VertexFace { vertex, face } => {
                Features::PointTriangle(*self.path(vertex), self.b.local_triangle(face))
            }
            FeaturePair::FaceVertex { face, vertex } => {
                let triangle = self.a.local_triangle(face).map(|v| self.motion.placed(v));
                Features::PointTriangle(*self.path_seen_from_a(vertex), triangle)
            }
            FeaturePair::EdgeEdge { a, b } => {
                let [v, w] = self.a.edges()[a as usize];
                let paths = [*self.path(v), *self.path(w)];
                let ends = self.b.edges()[b as usize].map(|v| self.b.local()[v as usize]);
                Features::Segments(paths, ends)
            }
        };
        FeatureFunction { pair, features, function }
    }

    /// The path of a vertex of A.
    #[inline]
    fn path(&mut self, vertex: u32) -> &Helix {
        let of = || self.motion.path(self.a.local()[vertex as usize]);
        self.memory.paths.get(vertex, of)
    }

    /// The path of a vertex of B relative to A.
    #[inline]
    fn path_seen_from_a(&mut self, vertex: u32) -> &Helix {
        let of = || self.motion.path_seen_from_a(self.b.local()[vertex as usize]);
        self.memory.paths_seen_from_a.get(vertex, of)
    }

    #[inline]
    fn levels(&self, function: &MeetingFunction) -> Levels {
        let near = (1.0 + PLAY) * self.tolerance + self.motion.rounding;
        Levels { error: function.error, window: function.error + function.scale * near }
    }

    /// The basis at a time, which is often the time of the previous query.
    #[inline]
    pub(crate) fn basis(&mut self, t: f64) -> Basis {
        match self.memory.basis {
            Some(basis) if basis.t.to_bits() == t.to_bits() => basis,
            _ => *self.memory.basis.insert(self.motion.basis(t)),
        }
    }

    /// Whether the function of two features may be within its window level in an interval, judged from the basis at
    /// the interval's middle; `false` is proven.
    #[inline]
    pub(crate) fn may_vanish(
        &self,
        function: &MeetingFunction,
        interval: TimeInterval,
        middle: &Basis,
    ) -> bool {
        !excluded(&function.f, interval, middle, self.levels(function))
    }

    /// Whether two features may be near each other in an interval, judged from the basis at its middle; `false` is
    /// proven.
    #[inline]
    pub(crate) fn may_approach(
        &self,
        pair_function: &FeatureFunction,
        interval: TimeInterval,
        middle: &Basis,
    ) -> bool {
        self.may_be_near(&pair_function.features, middle, 0.5 * (interval.end - interval.start))
    }

    /// Whether two features may be near each other at some time at most `half` from the time of `basis`; `false` is
    /// proven. A large distance of the computed closest points would not be a proof: in slivers they may be wrong.
    fn may_be_near(&self, features: &Features, basis: &Basis, half: f64) -> bool {
        let reach = self.aim.pad(self.motion, self.tolerance) + features.speed() * half;
        let closest = features.closest(basis);
        !features.are_beyond(reach, basis, &closest, self.limits())
    }

    /// The first window of an interval in which two features may meet; `None` proves that they do not.
    pub(crate) fn first_near(
        &mut self,
        FeatureFunction { features, function, .. }: &FeatureFunction,
        interval: TimeInterval,
    ) -> Result<Option<Window>, OutOfBudget> {
        let levels = self.levels(function);
        isolate(&function.f, interval, levels, &mut self.budget, &mut self.memory.isolation)?;
        let near = |window: &&Window| {
            let half = 0.5 * (window.hi - window.lo);
            self.may_be_near(features, &self.motion.basis(window.lo + half), half)
        };
        Ok(self.memory.isolation.windows.iter().find(near).copied())
    }

    fn windows(
        &mut self,
        pair_function: &FeatureFunction,
        isolation: &Isolation,
        starts: TimeInterval,
        collector: &mut Collector,
    ) -> Result<Option<f64>, OutOfBudget> {
        let FeatureFunction { pair, features, .. } = *pair_function;
        let features = &features;
        for window in isolation.windows.iter().filter(|window| window.lo > starts.start) {
            if window.lo > collector.bound() {
                break;
            }
            if window.lo > starts.end {
                return Ok(Some(window.lo));
            }
            if self.aim == Aim::Within {
                // The end of the contact is irrelevant.
                if let Some(entry) = self.entry(features, *window)? {
                    let near = self.certainly_near(features, entry, window.hi, f64::INFINITY)?;
                    let (kind, hi) =
                        near.map_or((EventKind::Undecided, entry.t), |t| (EventKind::Touching, t));
                    let (lo, end, since_start) = (entry.t, [hi; 2], entry.t <= 0.0);
                    let (positive_gap_until, crosses_by) = (f64::INFINITY, f64::NEG_INFINITY);
                    self.record(
                        FeatureEvent {
                            pair,
                            kind,
                            lo,
                            hi,
                            positive_gap_until,
                            same_event_until: hi,
                            crosses_by,
                            end,
                            since_start,
                        },
                        collector,
                    )?;
                    break;
                }
                continue;
            }
            let end = if window.lo > 0.0 {
                [0.0; 2]
            } else if !collector.keeps_all() && self.is_certainly_near(features, 0.0) {
                // The end of the contact is needed only if all events are kept.
                [0.0, window.hi]
            } else {
                self.end_of_initial_contact(features, window.hi)?
            };
            let separated_from = end[1];
            let crossings =
                Crossings { a: self.a, b: self.b, motion: self.motion, tolerance: self.tolerance };
            let (mut is_decided, mut near_crossing) = (window.simple, f64::NEG_INFINITY);
            for root in &isolation.roots[window.first_root..window.last_root] {
                match crossings.at(pair, features, *root) {
                    CrossingTest::Through(Root { lo, hi }) => {
                        let (kind, since_start) = (EventKind::Crossing, lo < separated_from);
                        let (positive_gap_until, crosses_by, same_event_until, end) = (lo, lo, hi, [lo, hi]);
                        self.record(
                            FeatureEvent {
                                pair,
                                kind,
                                lo,
                                hi,
                                positive_gap_until,
                                same_event_until,
                                crosses_by,
                                end,
                                since_start,
                            },
                            collector,
                        )?;
                        continue;
                    }
                    CrossingTest::Near(root) => near_crossing = root.lo,
                    CrossingTest::Separated => {}
                }
                is_decided = false;
            }
            if separated_from > 0.0 {
                let near = self.is_certainly_near(features, 0.0);
                let kind = if near { EventKind::Touching } else { EventKind::Undecided };
                let crosses_by = time_within(near_crossing, TimeInterval::new(0.0, separated_from));
                let (lo, hi, positive_gap_until, same_event_until) = (0.0, 0.0, 0.0, 0.0);
                self.record(
                    FeatureEvent {
                        pair,
                        kind,
                        lo,
                        hi,
                        positive_gap_until,
                        same_event_until,
                        crosses_by,
                        end,
                        since_start: true,
                    },
                    collector,
                )?;
            }
            if !is_decided && separated_from < window.hi {
                let window = Window { lo: window.lo.max(separated_from), ..*window };
                self.touches(pair_function, window, near_crossing, collector)?;
            }
        }
        Ok(None)
    }

    /// Passes an event to the collector, which may store it.
    fn record(&mut self, event: FeatureEvent, collector: &mut Collector) -> Result<(), OutOfBudget> {
        if collector.keeps_all() {
            self.budget.keep::<FeatureEvent>()?;
        }
        collector.add(event);
        Ok(())
    }

    /// The first time in a window at which the features come within the tolerance.
    fn entry(&mut self, features: &Features, window: Window) -> Result<Option<WithinTime>, OutOfBudget> {
        let goal = WithinGoal::at_distance(self.tolerance);
        first_within(features, TimeInterval::new(window.lo, window.hi), goal, self.limits(), &mut self.budget)
    }

    /// Finds touches in a window without a proven crossing: the time at which the gap falls to the tolerance, and
    /// then to smaller and smaller levels, while it stays within the tolerance. `near_crossing` is the latest time at
    /// which the features pass each other within the tolerance.
    fn touches(
        &mut self,
        FeatureFunction { pair, features, .. }: &FeatureFunction,
        window: Window,
        near_crossing: f64,
        collector: &mut Collector,
    ) -> Result<(), OutOfBudget> {
        let pair = *pair;
        let limits = self.limits();
        let mut from = window.lo;
        while from <= window.hi {
            let Some(entry) = self.entry(features, Window { lo: from, ..window })? else { break };
            let (lo, until) = (entry.t, self.separation_distance());
            let near = self.certainly_near(features, entry, window.hi, until)?;
            // A gap that exceeds the tolerance by less than the play still counts as beyond it, if a few steps
            // prove this.
            if near.is_none() {
                let goal = WithinGoal { play: 0.0, ..WithinGoal::at_distance(self.tolerance) };
                if self.in_steps(STEPS_BEYOND, features, TimeInterval::new(lo, window.hi), goal)? == Ok(None)
                {
                    break;
                }
            }
            let (kind, mut hi) = near.map_or((EventKind::Undecided, lo), |t| (EventKind::Touching, t));
            let mut positive_gap_until = if entry.certain { f64::INFINITY } else { lo };
            let mut distance = self.tolerance / LEVEL;
            while distance > CLOSEST * limits.rounding {
                let goal = WithinGoal { until, ..WithinGoal::at_distance(distance) };
                // A gap that hovers above a level is not followed to the end: from here on its minimum is not
                // proven.
                let closer =
                    match self.in_steps(STEPS_PER_LEVEL, features, TimeInterval::new(hi, window.hi), goal)? {
                        Ok(Some(closer)) => closer,
                        Ok(None) => break,
                        Err(OutOfBudget) => {
                            positive_gap_until = positive_gap_until.min(hi);
                            break;
                        }
                    };
                hi = closer.t;
                distance /= LEVEL;
                if distance <= CLOSEST * limits.rounding {
                    positive_gap_until = hi;
                }
            }
            let only_first = !collector.keeps_all() && kind == EventKind::Touching;
            let end =
                if only_first { [hi, window.hi] } else { self.separation_time(features, hi, window.hi)? };
            // In this time the features pass through the whole tolerance, unless they slide.
            let near = self.tolerance + CLOSE * self.motion.rounding;
            let through = hi + THROUGH * near / features.speed();
            let same_event_until = if entry.certain { through.max(2.0 * hi - lo) } else { through };
            let crosses_by = time_within(near_crossing, TimeInterval::new(lo, end[1]));
            self.record(
                FeatureEvent {
                    pair,
                    kind,
                    lo,
                    hi,
                    positive_gap_until,
                    same_event_until,
                    crosses_by,
                    end,
                    since_start: false,
                },
                collector,
            )?;
            from = if end[1] > hi && !only_first { end[1] } else { break };
        }
        Ok(())
    }

    /// Enclosure of the time until which the features stay within the tolerance from t = 0 on; 0 if they are
    /// separated at t = 0.
    fn end_of_initial_contact(&mut self, features: &Features, until: f64) -> Result<[f64; 2], OutOfBudget> {
        let limit = (1.0 + PLAY) * self.tolerance + self.motion.rounding;
        if features.closest(&self.motion.basis(0.0)).squared > limit * limit {
            return Ok([0.0; 2]);
        }
        self.separation_time(features, 0.0, until)
    }

    /// Enclosure of a time after `t` at which the features are separated again; slightly after `until` if they do
    /// not separate before it.
    ///
    /// The steps double, and one change within the last step is enclosed. Changes skipped here are harmless:
    /// crossings are found by their roots.
    fn separation_time(&mut self, features: &Features, t: f64, until: f64) -> Result<[f64; 2], OutOfBudget> {
        let is_separated = |tests: &mut Self, t: f64| {
            tests.budget.step()?;
            let basis = tests.motion.basis(t);
            let closest = features.closest(&basis);
            Ok(features.are_beyond(tests.separation_distance(), &basis, &closest, tests.limits()))
        };
        let mut step = 0.125 * self.tolerance.max(self.motion.rounding) / features.speed();
        let mut near = t;
        while near < until {
            let mut far = (t + step).min(until);
            if is_separated(self, far)? {
                while far - near > RISE_WIDTH * far {
                    let middle = 0.5 * (near + far);
                    if is_separated(self, middle)? {
                        far = middle;
                    } else {
                        near = middle;
                    }
                }
                return Ok([self.last_certainly_near(features, TimeInterval::new(t, near)), far]);
            }
            near = far;
            step *= 2.0;
        }
        Ok([
            self.last_certainly_near(features, TimeInterval::new(t, until)),
            until + (1.0 + until) * f64::EPSILON,
        ])
    }

    /// The time up to which features that are in contact at the start of an interval, and not separated at its end,
    /// are certainly in contact. This is the end if rounding is small relative to the tolerance.
    fn last_certainly_near(&self, features: &Features, TimeInterval { start, end }: TimeInterval) -> f64 {
        if self.motion.rounding <= PLAY * self.tolerance || self.is_certainly_near(features, end) {
            return end;
        }
        let (mut near, mut undecided) = (start, end);
        while undecided - near > RISE_WIDTH * undecided {
            let middle = 0.5 * (near + undecided);
            if self.is_certainly_near(features, middle) {
                near = middle;
            } else {
                undecided = middle;
            }
        }
        near
    }

    /// The gap beyond which features count as separated again.
    fn separation_distance(&self) -> f64 {
        (1.0 + 2.0 * PLAY) * self.tolerance + 2.0 * self.motion.rounding
    }

    /// Whether features are within 1.01 times the tolerance at a time despite rounding, which is required of a
    /// touch.
    fn is_certainly_near(&self, features: &Features, t: f64) -> bool {
        let limit = (1.0 + PLAY) * self.tolerance - self.motion.rounding;
        limit > 0.0 && features.closest(&self.motion.basis(t)).squared <= limit * limit
    }

    /// A time at which features that have come near are within the tolerance despite rounding: if rounding is large
    /// relative to the play, they must come closer by twice the rounding.
    /// `None` if they do not do so before `until`, or exceed the distance `beyond` first.
    fn certainly_near(
        &mut self,
        features: &Features,
        entry: WithinTime,
        until: f64,
        beyond: f64,
    ) -> Result<Option<f64>, OutOfBudget> {
        if entry.certain && self.is_certainly_near(features, entry.t) {
            return Ok(Some(entry.t));
        }
        let distance = self.tolerance - 2.0 * self.motion.rounding;
        if !entry.certain || distance < 0.5 * self.tolerance {
            return Ok(None);
        }
        let goal = WithinGoal { until: beyond, ..WithinGoal::at_distance(distance) };
        let nearer =
            first_within(features, TimeInterval::new(entry.t, until), goal, self.limits(), &mut self.budget)?;
        Ok(nearer.filter(|nearer| nearer.certain).map(|nearer| nearer.t))
    }

    /// Like [`first_within`], with at most `steps` steps of the budget; the inner [`OutOfBudget`] if they do not
    /// suffice.
    fn in_steps(
        &mut self,
        steps: u64,
        features: &Features,
        interval: TimeInterval,
        goal: WithinGoal,
    ) -> Result<Result<Option<WithinTime>, OutOfBudget>, OutOfBudget> {
        let mut part = self.budget.part(steps);
        let initial = part.remaining();
        let found = first_within(features, interval, goal, self.limits(), &mut part);
        self.budget.take(initial - part.remaining())?;
        // If fewer steps than these were left, the whole budget is exhausted.
        if found.is_err() && initial < steps { Err(OutOfBudget) } else { Ok(found) }
    }

    fn limits(&self) -> Limits {
        Limits { angle: self.motion.angle, rounding: self.motion.rounding }
    }
}

/// The time if it lies in an interval, otherwise minus infinity.
fn time_within(time: f64, TimeInterval { start: lo, end: hi }: TimeInterval) -> f64 {
    if (lo..=hi).contains(&time) { time } else { f64::NEG_INFINITY }
}
