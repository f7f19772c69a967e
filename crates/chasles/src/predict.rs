//! The whole pipeline on one page: two bodies, one screw, a proven answer.
//!
//! ```text
//! start        do the surfaces intersect at t = 0?                          narrow_phase::overlap
//! search       which triangles can meet, and when?                          narrow_phase::traversal
//! features     when do a vertex and a face, an edge and an edge, meet?      narrow_phase::features
//! collector    which of these events answer the question?                   narrow_phase::collector
//! contact      where, which way, how fast?                                  narrow_phase::contact
//! ```

use crate::body::Body;
use crate::error::{Error, ErrorKind};
use crate::math::roots::{Budget, OutOfBudget};
use crate::motion::Screw;
use crate::narrow_phase::collector::{Collector, Wanted};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::event::Meeting;
use crate::narrow_phase::features::FeatureTests;
use crate::narrow_phase::overlap::{Search, overlap};
use crate::narrow_phase::reference::all_pairs;
use crate::narrow_phase::traversal::{Work, traverse};
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
    /// Which search is used. The answers are the same.
    pub search: SearchMethod,
}

impl Default for Options {
    fn default() -> Self {
        Self { tolerance: None, start: Start::Report, budget: 2_000_000_000, search: SearchMethod::Hierarchy }
    }
}

/// What to do with contact at the start that does not close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// Touching at the start is a contact at t = 0.
    #[default]
    Report,
    /// Features that touch at the start and come apart or slide are passed over, for as long as they stay within the
    /// tolerance and do not close.
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
    /// Whether the surfaces touch lies below the rounding of coordinates that far from the origin.
    Rounding,
}

/// What a query found, and the work it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The answer.
    pub outcome: Outcome,
    /// Every contact of two features, sorted by time, then features: only from [`all_contacts`].
    pub contacts: Vec<Contact>,
    /// The tolerance that was used, in metres.
    pub tolerance: f64,
    /// The work it took.
    pub counters: Counters,
}

/// The work of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Pairs of boxes that were tested.
    pub box_pairs: u64,
    /// Pairs of triangles whose features were asked.
    pub triangle_pairs: u64,
    /// Pairs of features whose function was searched for roots.
    pub functions: u64,
    /// Steps of the budget that were spent.
    pub steps: u64,
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
    predict(a, b, screw, options, Wanted::First)
}

/// Whether the bodies meet at all: as [`first_contact`], but the search ends with any proven contact.
///
/// # Errors
/// As [`first_contact`].
pub fn any_contact(a: &Body, b: &Body, screw: &Screw, options: &Options) -> Result<Prediction, Error> {
    predict(a, b, screw, options, Wanted::Any)
}

/// Every contact of a vertex and a face or of two edges during the motion; the outcome is that of [`first_contact`].
///
/// # Errors
/// As [`first_contact`].
pub fn all_contacts(a: &Body, b: &Body, screw: &Screw, options: &Options) -> Result<Prediction, Error> {
    predict(a, b, screw, options, Wanted::All)
}

fn predict(
    a: &Body,
    b: &Body,
    screw: &Screw,
    options: &Options,
    wanted: Wanted,
) -> Result<Prediction, Error> {
    let tolerance = match options.tolerance {
        Some(value) if value >= 0.0 && value.is_finite() => value,
        Some(value) => {
            let kind = ErrorKind::OutOfRange { value, expected: "a finite number, not negative" };
            return Err(Error::new(kind, "tolerance"));
        }
        None => DEFAULT_TOLERANCE * a.mesh().diagonal().max(b.mesh().diagonal()),
    };
    let motion = RelativeMotion::new(a.mesh(), b.mesh(), screw);
    let mut budget = Budget(options.budget);
    let mut work = Work::default();
    let overlapping =
        overlap((a, b), &motion, 0.0, Search::Deeper(tolerance), &mut budget).and_then(|found| {
            let deep = found.depth > tolerance;
            deep.then(|| overlap((a, b), &motion, 0.0, Search::All, &mut budget)).transpose()
        });
    let mut tests = FeatureTests::new((a.mesh(), b.mesh()), &motion, tolerance, budget);
    let mut collector = Collector::new(wanted);
    if options.start == Start::IgnoreSeparating {
        collector = collector.ignoring_separating((a.mesh(), b.mesh()), &motion);
    }
    let early = match overlapping {
        Ok(None) => None,
        Ok(Some(found)) => Some(Outcome::Overlapping(found.pairs)),
        Err(OutOfBudget) => Some(Outcome::Undecided { clear_until: 0.0, why: Doubt::Budget }),
    };
    let outcome = early.unwrap_or_else(|| {
        let searched = match options.search {
            SearchMethod::Hierarchy => traverse((a, b), &mut tests, &mut work, &mut collector),
            SearchMethod::Reference => all_pairs(&mut tests, &mut collector),
        };
        match (searched, collector.first()) {
            (Ok(()), None) => Outcome::Clear,
            (Ok(()), Some(event)) if event.meeting == Meeting::Undecided => {
                Outcome::Undecided { clear_until: event.lo, why: Doubt::Rounding }
            }
            (Ok(()), Some(event)) => Outcome::Contact(Contact::new(&event, a.mesh(), b.mesh(), &motion)),
            (Err(given_until), _) => {
                Outcome::Undecided { clear_until: given_until.min(collector.begin()), why: Doubt::Budget }
            }
        }
    });
    let counters = Counters {
        box_pairs: work.box_pairs,
        triangle_pairs: work.triangle_pairs,
        functions: tests.functions,
        steps: options.budget - tests.budget.0,
    };
    let contact = |event| Contact::new(&event, a.mesh(), b.mesh(), &motion);
    let contacts = collector.into_events().into_iter().map(contact).collect();
    Ok(Prediction { outcome, contacts, tolerance, counters })
}

/// Touching means within this share of the larger diagonal, unless set.
const DEFAULT_TOLERANCE: f64 = 1e-9;
