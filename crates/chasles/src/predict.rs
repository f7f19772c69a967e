//! The whole pipeline on one page: two bodies, one screw, a proven answer.
//!
//! ```text
//! start        do the surfaces intersect at t = 0?                          narrow_phase::overlap
//! search       which triangles can meet, and when?                          narrow_phase::traversal
//! features     when do a vertex and a face, an edge and an edge, meet?      narrow_phase::features
//! collector    which of these events answer the question?                   narrow_phase::collector
//! contact      where, which way, how fast?                                  narrow_phase::contact
//! ```

use rayon::prelude::*;

use crate::body::Body;
use crate::error::{Error, ErrorKind};
use crate::math::budget::{Budget, IsOver, OutOfBudget};
use crate::motion::Screw;
use crate::narrow_phase::collector::{Collector, Wanted};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::event::{Event, Meeting};
use crate::narrow_phase::features::{Aim, FeatureTests, Memory};
use crate::narrow_phase::lanes::Instructions;
use crate::narrow_phase::meetings::{Candidates, Meetings};
use crate::narrow_phase::overlap::{Depth, Overlap, overlap};
use crate::narrow_phase::reference::{all_pairs, all_pairs_not_rejected};
use crate::narrow_phase::rejection::Rejections;
use crate::narrow_phase::slab::Slab;
use crate::narrow_phase::traversal::{Charts, Scene, Work};
use crate::relative_motion::RelativeMotion;

/// What is asked of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Surfaces closer than this touch, in metres. `None`: 1e-9 of the larger diagonal of the bodies' bounding boxes.
    pub tolerance: Option<f64>,
    /// What counts at the start.
    pub start: Start,
    /// Steps of work after which the answer is [`Outcome::Undecided`]. A step takes between 10 ns and 1 us.
    pub budget: u64,
    /// Bytes for what is kept until the answer is known, candidates and contacts, after which it is [`Outcome::Undecided`]. What the
    /// answer takes, and the hierarchies of the bodies, are not counted: memory in use may be some times as much.
    pub memory: u64,
    /// Which search is used. The answers are the same.
    pub search: SearchMethod,
    /// How far, in metres, the true motion may be from the screw: every answer holds for any motion that near. Contact that
    /// this leaves open is [`Doubt::Rounding`].
    pub deviation: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            tolerance: None,
            start: Start::Report,
            budget: 500_000_000,
            memory: 1 << 29,
            search: SearchMethod::Hierarchy,
            deviation: 0.0,
        }
    }
}

/// What to do with contact at the start that does not close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// Touching at the start is a contact at t = 0.
    #[default]
    Report,
    /// Touching that has lasted since the start, sliding included, is passed over for as long as it does not lead to
    /// surfaces that intersect more deeply than the tolerance. Takes the work of [`all_contacts`].
    IgnoreSeparating,
}

/// How pairs of features are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchMethod {
    /// Two hierarchies, traversed together over space and time.
    #[default]
    Hierarchy,
    /// Every pair of features over the whole motion: the slow twin.
    Reference,
    /// Every pair that the rejection tests of Kim and Rossignac (2003) do not tell apart: the method of their paper.
    Rejection,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Proven: nothing comes closer than the tolerance during the whole motion.
    Clear,
    /// The first contact (in [`any_contact`] some contact).
    Contact(Contact),
    /// At t = 0 the surfaces intersect more deeply than the tolerance. The intersecting triangles of A and B, in order.
    Overlapping(Vec<[u32; 2]>),
    /// No answer could be proven.
    Undecided {
        /// Proven free up to this time.
        clear_until: f64,
        /// Why.
        why: Doubt,
    },
}

/// Why nothing could be proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The budget was used up.
    Budget,
    /// What had to be kept was more than the memory that was allowed.
    Memory,
    /// Whether the surfaces touch lies below the rounding of coordinates that far from the origin.
    Rounding,
}

/// What a query found, and the work it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The answer.
    pub outcome: Outcome,
    /// Contacts of two features, sorted by time, then features: all from [`all_contacts`], the early ones from
    /// [`first_contacts`], and else none.
    pub contacts: Vec<Contact>,
    /// How many pairs of features were left out of these because rounding leaves open whether they come within the tolerance.
    pub doubtful: usize,
    /// The tolerance that was used, in metres.
    pub tolerance: f64,
    /// The work it took.
    pub counters: Counters,
}

/// The work of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Blocks of eight bounds that were tested against one.
    pub box_pairs: u64,
    /// Pairs of triangles whose features were looked at.
    pub triangle_pairs: u64,
    /// Pairs of features whose function was searched for roots over the whole motion.
    pub functions: u64,
    /// Steps of the budget that were spent.
    pub steps: u64,
    /// What each rejection test did, where [`SearchMethod::Rejection`] was asked for.
    pub rejections: Rejections,
}

/// The memory of queries, to be used again: once it has grown, a query allocates nothing but its answer.
///
/// It carries nothing else from one query to the next.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    pub(crate) charts: Charts,
    pub(crate) slab: Slab,
    pub(crate) features: Memory,
    pub(crate) candidates: Candidates,
}

impl Workspace {
    /// A workspace whose queries use only the instructions that every processor of this kind has. The answers are the same, to
    /// the last bit.
    #[must_use]
    pub fn portable() -> Self {
        let mut workspace = Self::default();
        workspace.charts.instructions = Instructions::Portable;
        workspace
    }
}

/// When, where and how body `a`, moving along `screw`, first meets the standing body `b`.
///
/// The screw is that of A's frame as seen from B's frame ([`Screw::seen_from`]). Swapping the bodies and inverting
/// the screw gives the same times and the opposite normal.
///
/// Guarantee: [`Outcome::Clear`] and the time before a contact's enclosure are proven for the surfaces of both meshes
/// in continuous time, rounding included.
///
/// # Errors
/// A tolerance that is negative or not finite.
pub fn first_contact(a: &Body, b: &Body, screw: &Screw, options: &Options) -> Result<Prediction, Error> {
    first_contact_with(&mut Workspace::default(), a, b, screw, options)
}

/// As [`first_contact`], with memory from query to query.
///
/// # Errors
/// As [`first_contact`].
pub fn first_contact_with(
    workspace: &mut Workspace,
    a: &Body,
    b: &Body,
    screw: &Screw,
    options: &Options,
) -> Result<Prediction, Error> {
    Ok(Search::new((a, b), screw, options)?.ask(Wanted::First, workspace))
}

/// Whether the bodies meet at all: as [`first_contact`], but the search ends with any proven contact.
///
/// The search goes forward in time, as that of the first contact does, and takes no more steps than it where that one is decided.
///
/// # Errors
/// As [`first_contact`].
pub fn any_contact(a: &Body, b: &Body, screw: &Screw, options: &Options) -> Result<Prediction, Error> {
    any_contact_with(&mut Workspace::default(), a, b, screw, options)
}

/// As [`any_contact`], with memory from query to query.
///
/// # Errors
/// As [`first_contact`].
pub fn any_contact_with(
    workspace: &mut Workspace,
    a: &Body,
    b: &Body,
    screw: &Screw,
    options: &Options,
) -> Result<Prediction, Error> {
    Ok(Search::new((a, b), screw, options)?.ask(Wanted::Any, workspace))
}

/// Every contact of a vertex and a face or of two edges during the motion; the outcome is that of [`first_contact`].
///
/// # Errors
/// As [`first_contact`].
pub fn all_contacts(a: &Body, b: &Body, screw: &Screw, options: &Options) -> Result<Prediction, Error> {
    all_contacts_with(&mut Workspace::default(), a, b, screw, options)
}

/// As [`all_contacts`], with memory from query to query.
///
/// # Errors
/// As [`first_contact`].
pub fn all_contacts_with(
    workspace: &mut Workspace,
    a: &Body,
    b: &Body,
    screw: &Screw,
    options: &Options,
) -> Result<Prediction, Error> {
    Ok(Search::new((a, b), screw, options)?.ask(Wanted::All, workspace))
}

/// Every contact that begins at most `after`, in units of t, later than the end of the first one's enclosure; the outcome is that of
/// [`first_contact`].
///
/// # Errors
/// As [`first_contact`]; an `after` that is negative or no number.
pub fn first_contacts(
    a: &Body,
    b: &Body,
    screw: &Screw,
    after: f64,
    options: &Options,
) -> Result<Prediction, Error> {
    first_contacts_with(&mut Workspace::default(), Query { a, b, screw: *screw }, after, options)
}

/// As [`first_contacts`], with memory from query to query.
///
/// # Errors
/// As [`first_contacts`].
pub fn first_contacts_with(
    workspace: &mut Workspace,
    Query { a, b, screw }: Query<'_>,
    after: f64,
    options: &Options,
) -> Result<Prediction, Error> {
    if after.is_nan() || after < 0.0 {
        let kind = ErrorKind::OutOfRange { value: after, expected: "a number, not negative" };
        return Err(Error::new(kind, "after"));
    }
    Ok(Search::new((a, b), &screw, options)?.ask(Wanted::Early { after }, workspace))
}

/// When the bodies first come within a distance of each other: the tolerance of the options, however large.
///
/// The outcome's contact is then the closest pair of features at that time, `touching`; its enclosure is proven up to a
/// hundredth of the distance: before `time[0]` the bodies are further apart than it, and at `time[1]` at most 1.01 times as
/// far.
///
/// # Errors
/// As [`first_contact`].
pub fn first_within(a: &Body, b: &Body, screw: &Screw, options: &Options) -> Result<Prediction, Error> {
    let search = Search::new((a, b), screw, options)?;
    Ok(search.run(Wanted::First, Aim::Within, &mut Workspace::default()).prediction())
}

/// Two bodies and a motion: A moves, B stands.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The moving body.
    pub a: &'a Body,
    /// The standing body.
    pub b: &'a Body,
    /// The motion of A's frame as seen from B's frame.
    pub screw: Screw,
}

/// The answers of [`first_contact`] to many queries, in their order, worked out on all threads of the pool it is called
/// from (rayon's).
///
/// # Errors
/// Each as [`first_contact`].
#[must_use]
pub fn first_contact_batch(queries: &[Query<'_>], options: &Options) -> Vec<Result<Prediction, Error>> {
    let answers = queries
        .par_iter()
        .with_min_len(QUERIES_AT_LEAST)
        .map_init(Workspace::default, |workspace, Query { a, b, screw }| {
            first_contact_with(workspace, a, b, screw, options)
        });
    answers.collect()
}

/// Fewer queries than this are not worth another thread.
const QUERIES_AT_LEAST: usize = 4;

/// Two bodies, a motion and what is asked of them.
pub(crate) struct Search<'a> {
    pub(crate) bodies: (&'a Body, &'a Body),
    pub(crate) motion: RelativeMotion,
    pub(crate) tolerance: f64,
    pub(crate) options: Options,
    /// Who may want an end.
    is_over: Option<IsOver<'a>>,
}

/// What the surfaces do at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StartOverlap {
    /// They do not intersect where they are computed to be.
    Apart,
    /// They do, but not provably more deeply than the tolerance.
    Shallow,
    /// These triangles intersect, some more deeply than the tolerance.
    Deep(Vec<[u32; 2]>),
}

/// What a search found.
pub(crate) struct Found<'a> {
    pub(crate) search: &'a Search<'a>,
    pub(crate) at_start: StartOverlap,
    pub(crate) collector: Collector,
    /// Where the budget ran out, the time up to which everything was found.
    pub(crate) complete_until: Option<f64>,
    /// What ran out.
    pub(crate) lack: Doubt,
    pub(crate) counters: Counters,
}

impl<'a> Search<'a> {
    pub(crate) fn new((a, b): (&'a Body, &'a Body), screw: &Screw, options: &Options) -> Result<Self, Error> {
        let tolerance = match options.tolerance {
            Some(value) if value >= 0.0 && value.is_finite() => value,
            Some(value) => {
                let kind = ErrorKind::OutOfRange { value, expected: "a finite number, not negative" };
                return Err(Error::new(kind, "tolerance"));
            }
            None => DEFAULT_TOLERANCE * a.mesh().diagonal().max(b.mesh().diagonal()),
        };
        if !(options.deviation >= 0.0 && options.deviation.is_finite()) {
            let kind =
                ErrorKind::OutOfRange { value: options.deviation, expected: "a finite number, not negative" };
            return Err(Error::new(kind, "deviation"));
        }
        let motion = RelativeMotion::new(a.mesh(), b.mesh(), screw).within(options.deviation);
        Ok(Self { bodies: (a, b), motion, tolerance, options: *options, is_over: None })
    }

    /// The same, ended by whoever is asked: as if the budget ran out.
    pub(crate) fn watched(self, is_over: Option<IsOver<'a>>) -> Self {
        Self { is_over, ..self }
    }

    /// What is left of the budget after some steps.
    pub(crate) fn budget_after(&self, steps: u64) -> Budget<'a> {
        let left = self.options.budget.saturating_sub(steps);
        Budget::new(left).with_memory(self.options.memory).watched(self.is_over)
    }

    /// The first contact.
    pub(crate) fn first_contact(&self, workspace: &mut Workspace) -> Prediction {
        self.ask(Wanted::First, workspace)
    }

    /// The answer to a question about contact.
    fn ask(&self, wanted: Wanted, workspace: &mut Workspace) -> Prediction {
        if self.options.start == Start::Report {
            return self.run(wanted, Aim::Contact, workspace).prediction();
        }
        let found = self.run(Wanted::All, Aim::Contact, workspace);
        let mut prediction = found.prediction();
        let touching_at_start = matches!(prediction.outcome, Outcome::Contact(contact) if contact.touching && contact.time[1] <= 0.0);
        if touching_at_start {
            let mut budget = self.budget_after(found.counters.steps);
            prediction.outcome = match self.first_to_close(
                &found.collector.sorted_events(),
                &mut workspace.charts,
                &mut budget,
            ) {
                Ok(event) => found.answer(event),
                Err(OutOfBudget) => Outcome::Undecided { clear_until: 0.0, why: lack(&budget) },
            };
            prediction.counters.steps = self.options.budget - budget.left();
        }
        if wanted != Wanted::All {
            prediction.contacts.clear();
            prediction.doubtful = 0;
        }
        prediction
    }

    /// The first of the sorted events that is no part of the touching at the start, or ends it by closing: the surfaces
    /// intersect more deeply than the tolerance before the next event.
    fn first_to_close(
        &self,
        events: &[Event],
        charts: &mut Charts,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Event>, OutOfBudget> {
        let mut touching_until = 0.0;
        let mut rest = events;
        while let Some(first) = rest.first() {
            if first.lo > touching_until + SAME_TIME {
                let mut later = Collector::new(Wanted::First);
                rest.iter().for_each(|event| later.add(*event));
                return Ok(later.first());
            }
            let (together, after) = rest.split_at(rest.partition_point(|e| e.hi <= first.hi + SAME_TIME));
            let now = together.iter().map(|e| e.hi).fold(0.0, f64::max);
            let next = after.iter().map(|e| e.lo).fold(1.0, f64::min).max(now);
            let mut deep = |t: f64| {
                let found = self.overlap_at(t, Depth::Deeper(self.tolerance), charts, budget)?;
                Ok(found.depth > self.tolerance)
            };
            if deep(0.5 * (now + next))? || deep(next)? {
                let crossing = together.iter().find(|e| e.meeting == Meeting::Crossing);
                return Ok(Some(*crossing.unwrap_or(first)));
            }
            touching_until = together.iter().map(|e| e.end[1]).fold(touching_until, f64::max);
            rest = after;
        }
        Ok(None)
    }

    pub(crate) fn run(&self, wanted: Wanted, aim: Aim, workspace: &mut Workspace) -> Found<'_> {
        let Workspace { charts, slab, features, candidates } = workspace;
        charts.work = Work::default();
        let mut collector = Collector::new(wanted);
        let mut budget = self.budget_after(0);
        let pad = aim.pad(&self.motion, self.tolerance);
        let scene = Scene { bodies: self.bodies, motion: &self.motion, pad };
        let mut hulls = scene.hulls();
        let start = if scene.is_clear_at(0.0, hulls.as_mut()) {
            Ok(StartOverlap::Apart)
        } else {
            self.at_start(charts, &mut budget)
        };
        let meshes = (self.bodies.0.mesh(), self.bodies.1.mesh());
        let mut tests = FeatureTests::new(meshes, &self.motion, (self.tolerance, aim), budget, features);
        let mut rejections = Rejections::default();
        let searched = match (&start, wanted) {
            (Err(OutOfBudget), _) => Err(0.0),
            _ if self.is_hopeless() => Ok(()),
            // Only for intervals does what comes after the start still matter.
            (Ok(StartOverlap::Deep(_)), _) if wanted != Wanted::Throughout => Ok(()),
            (Ok(_), _) => match self.options.search {
                SearchMethod::Hierarchy => {
                    let mut meetings = Meetings::new(&mut tests, candidates, &mut collector);
                    let searched = match slab.search(&scene, hulls.as_mut(), &mut meetings) {
                        Ok(Some(from)) => charts.search(&scene, (from, 1.0), hulls.as_mut(), &mut meetings),
                        Ok(None) => Ok(()),
                        Err(until) => Err(until),
                    };
                    searched.map_err(|until| until.min(meetings.earliest()))
                }
                SearchMethod::Reference => all_pairs(&mut tests, &mut collector),
                SearchMethod::Rejection => {
                    all_pairs_not_rejected(&mut tests, &mut rejections, &mut collector)
                }
            },
        };
        let lack = lack(&tests.budget);
        let counters = Counters {
            box_pairs: charts.work.box_pairs,
            triangle_pairs: charts.work.triangle_pairs,
            functions: tests.functions,
            steps: self.options.budget - tests.budget.left(),
            rejections,
        };
        Found {
            search: self,
            at_start: start.unwrap_or(StartOverlap::Apart),
            collector,
            complete_until: searched.err(),
            lack,
            counters,
        }
    }

    /// Whether nothing can be told: rounding is so large, so far from the origin or after so many turns, or all is so small that
    /// products underflow.
    fn is_hopeless(&self) -> bool {
        let size = self.bodies.0.mesh().diagonal().max(self.bodies.1.mesh().diagonal());
        let coarse = self.motion.rounding >= 1e-3 * size && self.motion.rounding > self.tolerance;
        coarse || self.motion.reach < SMALLEST_REACH
    }

    fn at_start(&self, charts: &mut Charts, budget: &mut Budget<'_>) -> Result<StartOverlap, OutOfBudget> {
        let found = self.overlap_at(0.0, Depth::Deeper(self.tolerance), charts, budget)?;
        Ok(if found.depth > self.tolerance {
            StartOverlap::Deep(self.overlap_at(0.0, Depth::All, charts, budget)?.pairs)
        } else if found.anywhere {
            StartOverlap::Shallow
        } else {
            StartOverlap::Apart
        })
    }

    /// Which triangles intersect at a time.
    pub(crate) fn overlap_at(
        &self,
        t: f64,
        depth: Depth,
        charts: &mut Charts,
        budget: &mut Budget<'_>,
    ) -> Result<Overlap, OutOfBudget> {
        let scene = Scene { bodies: self.bodies, motion: &self.motion, pad: 0.0 };
        overlap(charts, &scene, (t, depth), budget)
    }
}

impl Found<'_> {
    /// The answer to the question of the first contact.
    pub(crate) fn outcome(&self) -> Outcome {
        if let StartOverlap::Deep(pairs) = &self.at_start {
            return Outcome::Overlapping(pairs.clone());
        }
        if self.complete_until.is_some() {
            return Outcome::Undecided { clear_until: self.clear_until(), why: self.lack };
        }
        if self.search.is_hopeless() {
            return Outcome::Undecided { clear_until: 0.0, why: Doubt::Rounding };
        }
        self.answer(self.collector.first())
    }

    /// The answer where an event, or none, is the first that counts.
    fn answer(&self, first: Option<Event>) -> Outcome {
        match first {
            None => Outcome::Clear,
            Some(event) if event.meeting == Meeting::Undecided => {
                Outcome::Undecided { clear_until: event.lo, why: Doubt::Rounding }
            }
            Some(event) => Outcome::Contact(self.contact(&event)),
        }
    }

    /// Before this nothing meets, proven.
    pub(crate) fn clear_until(&self) -> f64 {
        if self.at_start != StartOverlap::Apart {
            return 0.0;
        }
        self.complete_until.unwrap_or(1.0).min(self.collector.begin()).clamp(0.0, 1.0)
    }

    /// The contact of an event.
    pub(crate) fn contact(&self, event: &Event) -> Contact {
        let (a, b) = self.search.bodies;
        Contact::new(event, a.mesh(), b.mesh(), &self.search.motion)
    }

    fn prediction(&self) -> Prediction {
        // Where rounding is coarse, surfaces can intersect too little to prove it and too much for a touch.
        let unsure = self.at_start == StartOverlap::Shallow;
        let outcome = match self.outcome() {
            Outcome::Clear if unsure => UNSURE_AT_START,
            Outcome::Undecided { why, .. } if unsure => Outcome::Undecided { clear_until: 0.0, why },
            Outcome::Contact(contact) if unsure && contact.time[0] > 0.0 && !self.collector.wants_any() => {
                UNSURE_AT_START
            }
            outcome => outcome,
        };
        let events = match outcome {
            Outcome::Overlapping(_) => Vec::new(),
            _ => self.collector.sorted_events(),
        };
        let decided = events.iter().filter(|event| event.meeting != Meeting::Undecided);
        let contacts: Vec<Contact> = decided.map(|event| self.contact(event)).collect();
        let doubtful = events.len() - contacts.len();
        let (tolerance, counters) = (self.search.tolerance, self.counters);
        Prediction { outcome, contacts, doubtful, tolerance, counters }
    }
}

/// What a budget lacks that ran out.
pub(crate) fn lack(budget: &Budget<'_>) -> Doubt {
    if budget.lacks_memory() { Doubt::Memory } else { Doubt::Budget }
}

const UNSURE_AT_START: Outcome = Outcome::Undecided { clear_until: 0.0, why: Doubt::Rounding };

/// Products of four lengths keep their digits above this.
const SMALLEST_REACH: f64 = 1e-65;

/// Events closer in time than this share of the motion are one.
const SAME_TIME: f64 = 1e-9;

/// Touching means within this share of the larger diagonal, unless set.
const DEFAULT_TOLERANCE: f64 = 1e-9;
