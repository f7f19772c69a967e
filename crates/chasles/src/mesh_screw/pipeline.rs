//! The query pipeline: two bodies, one screw, a proven answer.
//!
//! ```text
//! start        do the surfaces intersect at t = 0?                 mesh_screw::overlap
//! search       pairs of triangles that can meet, and when          mesh_screw::traversal
//! features     times of vertex-face and edge-edge meetings         features::pairs
//! collector    the events that the query needs                     features::collector
//! contact      point, normal and approach speed                    features::contact
//! ```

use crate::body::{PreparedMesh, PreparedPair};
use crate::error::{Error, check_not_negative};
use crate::features::collector::{Collector, EventFilter};
use crate::features::contact::Contact;
use crate::features::event::{EventKind, FeatureEvent};
use crate::features::pairs::{Aim, FeatureGoal, FeatureTests, Memory};
use crate::features::screw_motion::ScrewMotion;
use crate::math::budget::{Budget, IsOver, OutOfBudget, price_of_turns};
use crate::math::lanes::Instructions;
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::meetings::{FeatureVisitor, MeetingCandidates, PairFilter};
use crate::mesh_screw::overlap::{Overlap, OverlapGoal, overlap};
use crate::mesh_screw::query::{
    Counters, Options, Outcome, Prediction, SearchMethod, Start, UndecidedReason,
};
use crate::mesh_screw::reference::all_pairs;
use crate::mesh_screw::slab::Slab;
use crate::mesh_screw::traversal::{Charts, PairOnScrew, Work};
use crate::motion::{Pose, Screw};

/// The memory of queries, for reuse: once it has grown, a query allocates only its answer, unless the bodies touch
/// at the start. Then the test of their depth allocates memory of its own.
///
/// Queries have no other effect on later queries.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    pub(crate) charts: Charts,
    pub(crate) slab: Slab,
    pub(crate) features: Memory,
    pub(crate) candidates: MeetingCandidates,
}

impl Workspace {
    /// A workspace whose queries use only the instructions that every processor of this architecture has. The
    /// answers are the same, to the last bit.
    #[must_use]
    pub fn portable() -> Self {
        let mut workspace = Self::default();
        workspace.charts.instructions = Instructions::Portable;
        workspace
    }

    /// The intersecting triangles of two bodies, with A at a pose in B's frame.
    pub(crate) fn overlap_of(
        &mut self,
        bodies: PreparedPair<'_>,
        pose: &Pose,
        depth: OverlapGoal,
        budget: &mut Budget<'_>,
    ) -> Result<Overlap, OutOfBudget> {
        let motion = ScrewMotion::new(bodies.a.mesh(), bodies.b.mesh(), &Screw::still(*pose));
        overlap(&mut self.charts, &PairOnScrew { bodies, motion: &motion, pad: 0.0 }, 0.0, depth, budget)
    }
}

/// Two bodies, a motion and the options of a query.
pub(crate) struct ScrewSearch<'a> {
    pub(crate) bodies: PreparedPair<'a>,
    pub(crate) motion: ScrewMotion,
    pub(crate) tolerance: f64,
    pub(crate) options: Options,
    /// The callback that can stop the work.
    is_over: Option<IsOver<'a>>,
}

/// The method that finds the pairs of features.
pub(crate) enum PairSource<'s> {
    Hierarchy,
    /// The hierarchy, restricted to some pairs.
    Filtered(&'s PairFilter<'s>),
    /// A function that passes to the collector the events that the tests find.
    Pairs(&'s mut PairSearch<'s>),
}

/// If the budget runs out, the error is the time up to which all events were found.
type PairSearch<'s> = dyn FnMut(&mut FeatureTests<'_>, &mut Collector) -> Result<(), f64> + 's;

/// The relation of the surfaces at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StartOverlap {
    /// The surfaces do not intersect as computed.
    Separated,
    /// The surfaces intersect, but not provably more deeply than the tolerance.
    Shallow,
    /// These triangles intersect, some more deeply than the tolerance.
    Deep(Vec<[u32; 2]>),
}

/// The result of a search.
pub(crate) struct SearchResult<'a> {
    pub(crate) search: &'a ScrewSearch<'a>,
    pub(crate) at_start: StartOverlap,
    pub(crate) collector: Collector,
    /// If the budget ran out, the time up to which all events were found.
    pub(crate) complete_until: Option<f64>,
    /// The exhausted resource.
    pub(crate) lack: UndecidedReason,
    pub(crate) counters: Counters,
}

impl<'a> ScrewSearch<'a> {
    pub(crate) fn new(
        a: &'a PreparedMesh,
        b: &'a PreparedMesh,
        screw: &Screw,
        options: &Options,
    ) -> Result<Self, Error> {
        let tolerance = match options.tolerance {
            Some(value) => {
                check_not_negative(value, "tolerance")?;
                value
            }
            None => DEFAULT_TOLERANCE * a.mesh().diagonal().max(b.mesh().diagonal()),
        };
        check_not_negative(options.deviation, "deviation")?;
        let motion = ScrewMotion::new(a.mesh(), b.mesh(), screw).within(options.deviation);
        Ok(Self { bodies: PreparedPair::new(a, b), motion, tolerance, options: *options, is_over: None })
    }

    /// The same search, which also ends when `is_over` returns true, as if the budget had run out.
    pub(crate) fn watched(self, is_over: Option<IsOver<'a>>) -> Self {
        Self { is_over, ..self }
    }

    /// The budget that is left after `steps`, in steps of this motion. If the motion has many turns, each of these
    /// costs several steps of the options' budget.
    pub(crate) fn budget_after(&self, steps: u64) -> Budget<'a> {
        self.for_turns(self.static_budget(steps))
    }

    /// The budget that is left after `steps`, for work at one time. Its cost does not depend on the number of
    /// turns.
    fn static_budget(&self, steps: u64) -> Budget<'a> {
        let remaining = self.options.budget.saturating_sub(steps);
        Budget::new(remaining).with_memory(self.options.memory).watched(self.is_over)
    }

    /// A budget of the same work in steps of this motion.
    fn for_turns(&self, budget: Budget<'a>) -> Budget<'a> {
        match price_of_turns(self.motion.angle) {
            1 => budget,
            price => budget.part(budget.remaining() / price),
        }
    }

    /// The spent steps of the options' budget; `rest` is the rest of a budget from [`Self::budget_after`].
    pub(crate) fn spent(&self, rest: &Budget<'_>) -> u64 {
        self.options.budget.saturating_sub(rest.remaining().saturating_mul(price_of_turns(self.motion.angle)))
    }

    /// The first contact.
    pub(crate) fn first_contact(&self, workspace: &mut Workspace) -> Prediction {
        self.predict(EventFilter::First, workspace)
    }

    /// The answer to a query.
    pub(crate) fn predict(&self, filter: EventFilter, workspace: &mut Workspace) -> Prediction {
        if self.options.start == Start::Report {
            return self.run(filter, Aim::Contact, workspace).prediction();
        }
        let found = self.run(EventFilter::All, Aim::Contact, workspace);
        let mut prediction = found.prediction();
        let touching_at_start = matches!(prediction.outcome, Outcome::Contact(contact) if contact.touching && contact.time[1] <= 0.0);
        if touching_at_start {
            let mut budget = self.budget_after(found.counters.steps);
            prediction.outcome = match self.first_closing_event(
                &found.collector.sorted_events(),
                &mut workspace.charts,
                &mut budget,
            ) {
                Ok(event) => found.answer(event),
                Err(OutOfBudget) => Outcome::Undecided { clear_until: 0.0, reason: lack(&budget) },
            };
            prediction.counters.steps = self.spent(&budget);
        }
        if filter != EventFilter::All {
            prediction.contacts.clear();
            prediction.doubtful = 0;
        }
        prediction
    }

    /// The first of the sorted events that either comes after the touching at the start, or ends it because the bodies
    /// close: the surfaces intersect more deeply than the tolerance before the next event.
    fn first_closing_event(
        &self,
        events: &[FeatureEvent],
        charts: &mut Charts,
        budget: &mut Budget<'_>,
    ) -> Result<Option<FeatureEvent>, OutOfBudget> {
        let mut touching_until = 0.0;
        let mut rest = events;
        while let Some(first) = rest.first() {
            if first.lo > touching_until + SAME_TIME {
                let mut later = Collector::new(EventFilter::First);
                rest.iter().for_each(|event| later.add(*event));
                return Ok(later.first());
            }
            let (simultaneous, after) = rest.split_at(rest.partition_point(|e| e.hi <= first.hi + SAME_TIME));
            let now = simultaneous.iter().map(|e| e.hi).fold(0.0, f64::max);
            let next = after.iter().map(|e| e.lo).fold(1.0, f64::min).max(now);
            let mut deep = |t: f64| {
                let found = self.overlap_at(t, OverlapGoal::Deeper(self.tolerance), charts, budget)?;
                Ok(found.depth > self.tolerance)
            };
            if deep(0.5 * (now + next))? || deep(next)? {
                let crossing = simultaneous.iter().find(|e| e.kind == EventKind::Crossing);
                return Ok(Some(*crossing.unwrap_or(first)));
            }
            touching_until = simultaneous.iter().map(|e| e.end[1]).fold(touching_until, f64::max);
            rest = after;
        }
        Ok(None)
    }

    /// Runs the search with the method of the options.
    pub(crate) fn run(&self, filter: EventFilter, aim: Aim, workspace: &mut Workspace) -> SearchResult<'_> {
        let source = match self.options.search {
            SearchMethod::Hierarchy => PairSource::Hierarchy,
            SearchMethod::Reference => PairSource::Pairs(&mut all_pairs),
        };
        self.run_by(source, filter, aim, workspace)
    }

    pub(crate) fn run_by(
        &self,
        source: PairSource<'_>,
        filter: EventFilter,
        aim: Aim,
        workspace: &mut Workspace,
    ) -> SearchResult<'_> {
        let Workspace { charts, slab, features, candidates } = workspace;
        charts.work = Work::default();
        let mut collector = Collector::new(filter);
        let mut budget = self.static_budget(0);
        let pad = aim.pad(&self.motion, self.tolerance);
        let scene = PairOnScrew { bodies: self.bodies, motion: &self.motion, pad };
        let mut hulls = scene.hulls();
        let start = if scene.is_clear_at(0.0, hulls.as_mut()) {
            Ok(StartOverlap::Separated)
        } else {
            self.start_overlap(filter, charts, &mut budget)
        };
        let budget = self.for_turns(budget);
        let goal = FeatureGoal { tolerance: self.tolerance, aim };
        let mut tests = FeatureTests::new(self.bodies, &self.motion, goal, budget, features);
        let searched = match (&start, filter) {
            (Err(OutOfBudget), _) => Err(0.0),
            _ if self.is_undecidable() => Ok(()),
            // After a deep overlap at the start, later contact is needed only for intervals.
            (Ok(StartOverlap::Deep(_)), _) if filter != EventFilter::Throughout => Ok(()),
            (Ok(_), _) => match source {
                PairSource::Hierarchy | PairSource::Filtered(_) => {
                    let pair_filter =
                        if let PairSource::Filtered(pair_filter) = source { Some(pair_filter) } else { None };
                    let mut meetings =
                        FeatureVisitor::new(&mut tests, candidates, &mut collector, pair_filter);
                    let searched = match slab.search(&scene, hulls.as_mut(), &mut meetings) {
                        Ok(Some(from)) => {
                            charts.search(&scene, TimeInterval::new(from, 1.0), hulls.as_mut(), &mut meetings)
                        }
                        Ok(None) => Ok(()),
                        Err(until) => Err(until),
                    };
                    searched.map_err(|until| until.min(meetings.earliest()))
                }
                PairSource::Pairs(search) => search(&mut tests, &mut collector),
            },
        };
        let lack = lack(&tests.budget);
        let counters = Counters {
            box_pairs: charts.work.box_pairs,
            triangle_pairs: charts.work.triangle_pairs,
            functions: tests.functions,
            steps: self.spent(&tests.budget),
        };
        SearchResult {
            search: self,
            at_start: start.unwrap_or(StartOverlap::Separated),
            collector,
            complete_until: searched.err(),
            lack,
            counters,
        }
    }

    /// Whether every query is undecided, because rounding is too large (far from the origin or after many turns), or
    /// because lengths are so small that products underflow.
    pub(crate) fn is_undecidable(&self) -> bool {
        let size = self.bodies.a.mesh().diagonal().max(self.bodies.b.mesh().diagonal());
        let coarse = self.motion.rounding >= 1e-3 * size && self.motion.rounding > self.tolerance;
        coarse || self.motion.reach < SMALLEST_REACH
    }

    fn start_overlap(
        &self,
        filter: EventFilter,
        charts: &mut Charts,
        budget: &mut Budget<'_>,
    ) -> Result<StartOverlap, OutOfBudget> {
        if filter == EventFilter::Separation {
            let found = self.overlap_at(0.0, OverlapGoal::Any, charts, budget)?;
            let deep = StartOverlap::Deep(Vec::new());
            return Ok(if found.intersects { deep } else { StartOverlap::Separated });
        }
        let found = self.overlap_at(0.0, OverlapGoal::Deeper(self.tolerance), charts, budget)?;
        Ok(if found.depth > self.tolerance {
            StartOverlap::Deep(self.overlap_at(0.0, OverlapGoal::All, charts, budget)?.pairs)
        } else if found.intersects {
            StartOverlap::Shallow
        } else {
            StartOverlap::Separated
        })
    }

    /// The intersecting triangles at a time.
    pub(crate) fn overlap_at(
        &self,
        t: f64,
        depth: OverlapGoal,
        charts: &mut Charts,
        budget: &mut Budget<'_>,
    ) -> Result<Overlap, OutOfBudget> {
        let scene = PairOnScrew { bodies: self.bodies, motion: &self.motion, pad: 0.0 };
        overlap(charts, &scene, t, depth, budget)
    }
}

impl SearchResult<'_> {
    /// The answer to a query for the first contact.
    pub(crate) fn outcome(&self) -> Outcome {
        if let StartOverlap::Deep(pairs) = &self.at_start {
            return Outcome::Overlapping(pairs.clone());
        }
        if self.complete_until.is_some() {
            return Outcome::Undecided { clear_until: self.clear_until(), reason: self.lack };
        }
        if self.search.is_undecidable() {
            return Outcome::Undecided { clear_until: 0.0, reason: UndecidedReason::Rounding };
        }
        self.answer(self.collector.first())
    }

    /// The answer if the given event, or none, is the first.
    fn answer(&self, first: Option<FeatureEvent>) -> Outcome {
        match first {
            None => Outcome::Clear,
            Some(event) if event.kind == EventKind::Undecided => {
                Outcome::Undecided { clear_until: event.lo, reason: UndecidedReason::Rounding }
            }
            Some(event) => Outcome::Contact(self.contact(&event)),
        }
    }

    /// The time before which the surfaces are proven separated.
    pub(crate) fn clear_until(&self) -> f64 {
        if self.at_start != StartOverlap::Separated {
            return 0.0;
        }
        self.complete_until.unwrap_or(1.0).min(self.collector.earliest_start()).clamp(0.0, 1.0)
    }

    /// The contact of an event.
    pub(crate) fn contact(&self, event: &FeatureEvent) -> Contact {
        let PreparedPair { a, b } = self.search.bodies;
        Contact::new(event, a.mesh(), b.mesh(), &self.search.motion)
    }

    /// The answer as it is reported.
    pub(crate) fn reported_outcome(&self) -> Outcome {
        // With coarse rounding, the depth of an intersection may be too small for a proof and too large for a touch.
        let is_undecided = self.at_start == StartOverlap::Shallow;
        match self.outcome() {
            Outcome::Clear if is_undecided => UNDECIDED_AT_START,
            Outcome::Undecided { reason, .. } if is_undecided => {
                Outcome::Undecided { clear_until: 0.0, reason }
            }
            Outcome::Contact(contact)
                if is_undecided && contact.time[0] > 0.0 && !self.collector.accepts_any() =>
            {
                UNDECIDED_AT_START
            }
            outcome => outcome,
        }
    }

    pub(crate) fn prediction(&self) -> Prediction {
        let outcome = self.reported_outcome();
        let events = match outcome {
            Outcome::Overlapping(_) => Vec::new(),
            _ => self.collector.sorted_events(),
        };
        let decided = events.iter().filter(|event| event.kind != EventKind::Undecided);
        let contacts: Vec<Contact> = decided.map(|event| self.contact(event)).collect();
        let doubtful = events.len() - contacts.len();
        let (tolerance, counters) = (self.search.tolerance, self.counters);
        Prediction { outcome, contacts, doubtful, tolerance, counters }
    }
}

/// The exhausted resource of a spent budget.
pub(crate) fn lack(budget: &Budget<'_>) -> UndecidedReason {
    if budget.lacks_memory() { UndecidedReason::Memory } else { UndecidedReason::Budget }
}

const UNDECIDED_AT_START: Outcome =
    Outcome::Undecided { clear_until: 0.0, reason: UndecidedReason::Rounding };

/// Above this, products of four lengths keep their digits.
const SMALLEST_REACH: f64 = 1e-65;

/// Events that are closer in time than this fraction of the motion count as simultaneous.
const SAME_TIME: f64 = 1e-9;

/// Default tolerance as a fraction of the larger diagonal.
pub(crate) const DEFAULT_TOLERANCE: f64 = 1e-9;
