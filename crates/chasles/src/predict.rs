//! Queries about two meshes, one of which moves along a screw: the first contact, any contact, all contacts, and
//! all contact intervals. Queries run one at a time, or many on all cores.

use rayon::prelude::*;

use crate::body::PreparedMesh;
use crate::error::Error;
use crate::features::collector::EventFilter;
use crate::features::contact::Contact;
use crate::features::pairs::Aim;
use crate::instant::flush::deepen;
use crate::math::budget::IsOver;
use crate::mesh_screw::intervals::{ContactInterval, Intervals, intervals_of};
use crate::mesh_screw::pipeline::{ScrewSearch, Workspace};
use crate::mesh_screw::query::{Counters, Options, Outcome, Prediction, Start, UndecidedReason};
use crate::motion::Screw;
use crate::trajectory::deviating::{DeviatingContacts, PossibleContact, deviating_contacts};
use crate::trajectory::watch::ProgressMonitor;

/// When, where and how body `a`, moving along `screw`, first touches the static body `b`.
///
/// The screw moves A's frame in B's frame ([`Screw::in_frame_of`]). Swapping the bodies and inverting the screw
/// gives the same times and the opposite normal.
///
/// Guarantee: [`Outcome::Clear`](crate::Outcome::Clear) and the time before a contact's enclosure are proven in
/// continuous time for the surfaces of both meshes, rounding included.
///
/// # Errors
/// A tolerance that is negative or not finite.
pub fn first_contact(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    options: &Options,
) -> Result<Prediction, Error> {
    Query { a, b, screw: *screw }.predict(QueryKind::FirstContact, options, &mut Workspace::default())
}

/// Whether the bodies come into contact: like [`first_contact`], but the search ends with any proven contact.
///
/// Like [`first_contact`], the search goes forward in time. If [`first_contact`] is decided, this function takes at
/// most as many steps.
///
/// # Errors
/// As [`first_contact`].
pub fn any_contact(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    options: &Options,
) -> Result<Prediction, Error> {
    Query { a, b, screw: *screw }.predict(QueryKind::AnyContact, options, &mut Workspace::default())
}

/// Every contact of a vertex and a face or of two edges during the motion. The outcome is the same as for
/// [`first_contact`].
///
/// # Errors
/// As [`first_contact`].
pub fn all_contacts(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    options: &Options,
) -> Result<Prediction, Error> {
    Query { a, b, screw: *screw }.predict(QueryKind::AllContacts, options, &mut Workspace::default())
}

/// Every contact that starts at most `after`, in units of t, later than the end of the enclosure of the first
/// contact. The outcome is the same as for [`first_contact`].
///
/// # Errors
/// As [`first_contact`]; an `after` that is negative or NaN.
pub fn first_contacts(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    after: f64,
    options: &Options,
) -> Result<Prediction, Error> {
    Query { a, b, screw: *screw }.predict(
        QueryKind::FirstContacts { after },
        options,
        &mut Workspace::default(),
    )
}

/// When the bodies first come within a distance of each other: the tolerance of the options, which may be large.
///
/// The outcome's contact is the closest pair of features at that time, `touching`. Its enclosure is proven up to a
/// hundredth of the distance: before `time[0]` the bodies are further apart than the distance, and at `time[1]`
/// they are at most 1.01 times the distance apart.
///
/// # Errors
/// As [`first_contact`].
pub fn first_within(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    options: &Options,
) -> Result<Prediction, Error> {
    Query { a, b, screw: *screw }.predict(QueryKind::FirstWithin, options, &mut Workspace::default())
}

/// Every interval in which the surfaces of `a`, moving along `screw`, and `b` intersect or touch.
///
/// # Errors
/// As [`first_contact`](crate::first_contact).
pub fn contact_intervals(
    a: &PreparedMesh,
    b: &PreparedMesh,
    screw: &Screw,
    options: &Options,
) -> Result<Intervals, Error> {
    Query { a, b, screw: *screw }.intervals(options, &mut Workspace::default())
}

/// Two bodies and a motion: A moves, B is static.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The moving body.
    pub a: &'a PreparedMesh,
    /// The static body.
    pub b: &'a PreparedMesh,
    /// The motion of A's frame as seen from B's frame.
    pub screw: Screw,
}

/// The kind of result computed for a [`Query`]. Each variant corresponds to the function of the same name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum QueryKind {
    /// [`first_contact`]
    FirstContact,
    /// [`any_contact`]
    AnyContact,
    /// [`all_contacts`]
    AllContacts,
    /// [`first_contacts`]
    FirstContacts {
        /// In units of t.
        after: f64,
    },
    /// [`first_within`]
    FirstWithin,
}

impl Query<'_> {
    /// Answers the query with a reusable workspace. After the workspace has grown, only the answer is allocated,
    /// unless the bodies touch at the start.
    ///
    /// # Errors
    /// As the function of the same name as the kind.
    pub fn predict(
        &self,
        kind: QueryKind,
        options: &Options,
        workspace: &mut Workspace,
    ) -> Result<Prediction, Error> {
        self.answer(kind, (options, None), workspace)
    }

    /// As `predict`, but also ends when `watch` is over, with the outcome of an exhausted budget.
    ///
    /// # Errors
    /// As the function of the same name as the kind.
    pub fn predict_watched(
        &self,
        kind: QueryKind,
        options: &Options,
        watch: &dyn ProgressMonitor,
        workspace: &mut Workspace,
    ) -> Result<Prediction, Error> {
        let is_over = || watch.is_over();
        self.answer(kind, (options, Some(&is_over)), workspace)
    }

    /// The intervals of contact, as [`contact_intervals`], with a reusable workspace.
    ///
    /// # Errors
    /// As [`first_contact`].
    pub fn intervals(&self, options: &Options, workspace: &mut Workspace) -> Result<Intervals, Error> {
        self.answer_intervals((options, None), workspace)
    }

    /// As `intervals`, but also ends when `watch` is over, with the outcome of an exhausted budget.
    ///
    /// # Errors
    /// As [`first_contact`].
    pub fn intervals_watched(
        &self,
        options: &Options,
        watch: &dyn ProgressMonitor,
        workspace: &mut Workspace,
    ) -> Result<Intervals, Error> {
        let is_over = || watch.is_over();
        self.answer_intervals((options, Some(&is_over)), workspace)
    }

    fn answer(
        &self,
        kind: QueryKind,
        (options, is_over): (&Options, Option<IsOver<'_>>),
        workspace: &mut Workspace,
    ) -> Result<Prediction, Error> {
        let search = ScrewSearch::new(self.a, self.b, &self.screw, options)?.watched(is_over);
        if kind == QueryKind::FirstWithin || !deviates(&search) {
            let mut found = answer(&search, kind, workspace)?;
            if kind != QueryKind::FirstWithin && options.start == Start::Report {
                deepen(&search, workspace, &mut found.outcome, &mut found.counters);
                if matches!(found.outcome, Outcome::Overlapping(_)) {
                    found.contacts.clear();
                }
            }
            return Ok(found);
        }
        let nominal = Query::answer(self, kind, (&exactly(options), is_over), workspace)?;
        let known = deviating_contacts((self.a, self.b), &self.screw, (options, is_over), workspace)?;
        let outcome = outcome_of(&known, search.tolerance, &nominal.outcome);
        // All contacts of features are doubtful, because the features may be off by the deviation.
        let doubtful = nominal.doubtful + nominal.contacts.len();
        let steps = nominal.counters.steps + known.steps;
        Ok(Prediction {
            outcome,
            contacts: Vec::new(),
            doubtful,
            counters: Counters { steps, ..nominal.counters },
            ..nominal
        })
    }

    fn answer_intervals(
        &self,
        (options, is_over): (&Options, Option<IsOver<'_>>),
        workspace: &mut Workspace,
    ) -> Result<Intervals, Error> {
        let search = ScrewSearch::new(self.a, self.b, &self.screw, options)?.watched(is_over);
        if !deviates(&search) {
            let mut found = intervals_of(&search, workspace);
            if options.start == Start::Report {
                deepen(&search, workspace, &mut found.outcome, &mut found.counters);
            }
            if let (Outcome::Overlapping(_), Some(first)) = (&found.outcome, found.intervals.first_mut()) {
                first.touching = false;
            }
            return Ok(found);
        }
        let nominal = Query::answer_intervals(self, (&exactly(options), is_over), workspace)?;
        let known = deviating_contacts((self.a, self.b), &self.screw, (options, is_over), workspace)?;
        let mut outcome = outcome_of(&known, search.tolerance, &nominal.outcome);
        let mut intervals = Vec::new();
        if let Some(reason) = known.lack {
            // The first contact may be certain, but its end is not.
            outcome = undecided(&known, reason);
        } else if matches!(outcome, Outcome::Contact(_) | Outcome::Overlapping(_)) {
            let first = nominal.intervals.first();
            let contact_in = |enter: [f64; 2]| {
                let mut contacts = nominal.intervals.iter().filter_map(|interval| interval.contact);
                let contact =
                    contacts.find(|contact| contact.time[1] >= enter[0] && contact.time[0] <= enter[1]);
                contact.map(|contact| Contact { time: enter, ..contact })
            };
            let only_touching = first.is_some_and(|first| first.touching) && nominal.intervals.len() == 1;
            intervals = merged(&known.intervals)
                .iter()
                .map(|span| span.interval(contact_in, only_touching))
                .collect();
        }
        let counters = Counters { steps: nominal.counters.steps + known.steps, ..nominal.counters };
        Ok(Intervals { outcome, intervals, counters, ..nominal })
    }
}

/// Whether a deviation is too large to count as rounding.
fn deviates(search: &ScrewSearch<'_>) -> bool {
    let Options { deviation, start, .. } = search.options;
    deviation > NEGLIGIBLE * search.tolerance && start == Start::Report
}

/// A deviation of up to this fraction of the tolerance counts as rounding.
const NEGLIGIBLE: f64 = 0.01;

fn exactly(options: &Options) -> Options {
    Options { deviation: 0.0, ..*options }
}

fn undecided(known: &DeviatingContacts, reason: UndecidedReason) -> Outcome {
    Outcome::Undecided { clear_until: known.intervals.first().map_or(1.0, |span| span.enter), reason }
}

/// The outcome for the first contact; `nominal` is the outcome for the screw itself.
fn outcome_of(known: &DeviatingContacts, tolerance: f64, nominal: &Outcome) -> Outcome {
    let Some(first) = known.intervals.first() else {
        return known.lack.map_or(Outcome::Clear, |reason| undecided(known, reason));
    };
    let by = known.intervals.iter().find_map(|span| span.certain);
    match (by, nominal) {
        (_, Outcome::Overlapping(pairs)) if known.deep_at_start > tolerance => {
            Outcome::Overlapping(pairs.clone())
        }
        (Some(by), Outcome::Contact(contact)) => {
            Outcome::Contact(Contact { time: [first.enter, by.max(first.enter)], ..*contact })
        }
        _ => undecided(known, known.lack.unwrap_or(UndecidedReason::Deviation)),
    }
}

/// Joins intervals of possible contact. An interval without certain contact is joined to the next interval if it is
/// the first, otherwise to the previous one.
fn merged(spans: &[PossibleContact]) -> Vec<PossibleContact> {
    let mut all: Vec<PossibleContact> = Vec::new();
    for span in spans {
        match all.last_mut() {
            Some(last) if last.certain.is_none() => {
                *last = PossibleContact { enter: last.enter, ..*span };
            }
            Some(last) if span.certain.is_none() => last.exit = span.exit,
            _ => all.push(*span),
        }
    }
    all
}

impl PossibleContact {
    /// The interval that encloses the contact of every motion. `contact_in` finds the contact that starts in an
    /// enclosure.
    fn interval(&self, contact_in: impl Fn([f64; 2]) -> Option<Contact>, touching: bool) -> ContactInterval {
        let by = self.certain.unwrap_or(1.0);
        let [since, until] = self.certain_interval.unwrap_or([by, self.enter]);
        let enter = [self.enter, since.max(by).max(self.enter)];
        let from_start = enter[1] <= 0.0;
        let to_end = self.exit.is_none() && until >= 1.0;
        ContactInterval {
            enter,
            exit: (!to_end).then_some([until, self.exit.unwrap_or(1.0).max(until)]),
            crossed: if touching { f64::NEG_INFINITY } else { until },
            contact: if from_start { None } else { contact_in(enter) },
            touching,
        }
    }
}

fn answer(search: &ScrewSearch<'_>, kind: QueryKind, workspace: &mut Workspace) -> Result<Prediction, Error> {
    let filter = match kind {
        QueryKind::FirstContact => EventFilter::First,
        QueryKind::AnyContact => EventFilter::Any,
        QueryKind::AllContacts => EventFilter::All,
        QueryKind::FirstContacts { after } if after >= 0.0 => EventFilter::Early { after },
        QueryKind::FirstContacts { after } => {
            return Error::out_of_range(after, "a number, not negative", "after");
        }
        QueryKind::FirstWithin => {
            return Ok(search.run(EventFilter::First, Aim::Within, workspace).prediction());
        }
    };
    Ok(search.predict(filter, workspace))
}

/// Answers many queries of one kind, in their order, on all threads of the calling thread's rayon pool.
///
/// # Errors
/// Each as the function of the same name as the kind.
#[must_use]
pub fn predictions(
    queries: &[Query<'_>],
    kind: QueryKind,
    options: &Options,
) -> Vec<Result<Prediction, Error>> {
    answer_each(queries, |query, workspace| query.predict(kind, options, workspace))
}

/// The intervals of contact of many queries, as [`predictions`].
///
/// # Errors
/// Each as [`contact_intervals`].
#[must_use]
pub fn all_intervals(queries: &[Query<'_>], options: &Options) -> Vec<Result<Intervals, Error>> {
    answer_each(queries, |query, workspace| query.intervals(options, workspace))
}

/// Fewer queries than this are not worth another thread.
const MIN_QUERIES: usize = 4;

fn answer_each<T: Send>(
    queries: &[Query<'_>],
    answer: impl Fn(&Query<'_>, &mut Workspace) -> T + Sync,
) -> Vec<T> {
    let queries = queries.par_iter().with_min_len(MIN_QUERIES);
    queries.map_init(Workspace::default, |workspace, query| answer(query, workspace)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use glam::DVec3;

    use super::*;
    use crate::motion::Pose;
    use crate::shape::Primitive;

    /// Over after this number of calls.
    struct After(usize, AtomicUsize);

    impl ProgressMonitor for After {
        fn is_over(&self) -> bool {
            self.1.fetch_add(1, Ordering::Relaxed) >= self.0
        }
    }

    #[test]
    fn a_query_ends_where_its_watch_is_over() {
        let ball = Primitive::Sphere { radius: 1.0 }.tessellate().unwrap().mesh;
        let ball = PreparedMesh::new(ball);
        let start = Pose::from_position(DVec3::new(-3.0, 0.1, 0.2)).unwrap();
        let screw = Screw::translation(start, DVec3::new(6.0, 0.0, 0.0));
        let query = Query { a: &ball, b: &ball, screw };
        let (options, mut workspace) = (Options::default(), Workspace::default());
        let stopped = query.predict_watched(
            QueryKind::AllContacts,
            &options,
            &After(0, AtomicUsize::new(0)),
            &mut workspace,
        );
        let undecided = Outcome::Undecided { clear_until: 0.0, reason: UndecidedReason::Budget };
        assert_eq!(stopped.unwrap().outcome, undecided);
        let stopped = query.intervals_watched(&options, &After(0, AtomicUsize::new(0)), &mut workspace);
        assert_eq!(stopped.unwrap().outcome, undecided);
        // Monitoring without stopping does not change the result.
        let watched = query.predict_watched(QueryKind::AllContacts, &options, &(), &mut workspace).unwrap();
        assert_eq!(watched, query.predict(QueryKind::AllContacts, &options, &mut workspace).unwrap());
        let watched = query.intervals_watched(&options, &(), &mut workspace).unwrap();
        assert_eq!(watched, query.intervals(&options, &mut workspace).unwrap());
        // The monitor is called repeatedly.
        let stop_counter = After(usize::MAX, AtomicUsize::new(0));
        let watched =
            query.predict_watched(QueryKind::AllContacts, &options, &stop_counter, &mut workspace).unwrap();
        assert!(stop_counter.1.into_inner() as u64 >= watched.counters.steps / 4096);
    }
}
