//! Queries about two bodies along a screw, and their answers.

use crate::features::contact::Contact;

/// The options of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Surfaces closer than this touch, in metres. `None`: 1e-9 of the larger diagonal of the bodies' bounding
    /// boxes.
    pub tolerance: Option<f64>,
    /// The treatment of contact at the start.
    pub start: Start,
    /// Steps of work after which the answer is [`Outcome::Undecided`]. A step takes between 10 ns and 1 us.
    pub budget: u64,
    /// Bytes for candidates and contacts that are stored until the answer is known. If more are needed, the answer
    /// is [`Outcome::Undecided`]. The answer itself and the hierarchies of the bodies are not counted: total memory
    /// may be several times as much.
    pub memory: u64,
    /// The search method. The answers are the same.
    pub search: SearchMethod,
    /// Bound of the distance, in metres, from the true motion to the screw: every answer holds for any motion
    /// within this distance of the screw. The answer is contact if every such motion has contact, and its time
    /// encloses the first contact of each. Contact that only some of these motions have is
    /// [`UndecidedReason::Deviation`].
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

/// The treatment of contact at the start that does not close.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// Touching at the start is a contact at t = 0.
    #[default]
    Report,
    /// Touching that has lasted since the start, sliding included, is ignored until it leads to surfaces that
    /// intersect more deeply than the tolerance. Takes the work of [`all_contacts`](crate::all_contacts).
    IgnoreSeparating,
}

/// The method that finds pairs of features.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Outcome {
    /// Proven: the surfaces do not come closer than the tolerance during the whole motion.
    Clear,
    /// The first contact (in [`any_contact`](crate::any_contact) some contact).
    Contact(Contact),
    /// At t = 0 the surfaces intersect more deeply than the tolerance. The intersecting triangles of A and B, in order.
    Overlapping(Vec<[u32; 2]>),
    /// No answer could be proven.
    Undecided {
        /// Proven free of contact up to this time.
        clear_until: f64,
        /// The reason.
        reason: UndecidedReason,
    },
}

/// The reason why nothing could be proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UndecidedReason {
    /// The budget was used up.
    Budget,
    /// More memory was needed than allowed.
    Memory,
    /// It depends on the rounding of coordinates this far from the origin whether the surfaces touch.
    Rounding,
    /// Some motions within the deviation have contact, or may have contact, and others do not.
    Deviation,
}

/// The rest of a motion, from the time at which it becomes undecided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UndecidedRest {
    /// Proven free of contact up to this time.
    pub clear_until: f64,
    /// The reason.
    pub reason: UndecidedReason,
}

/// The result of a query, and the work it took.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Prediction {
    /// The answer.
    pub outcome: Outcome,
    /// Contacts of two features, sorted by time, then by features: all contacts from
    /// [`all_contacts`](crate::all_contacts), the early ones from [`first_contacts`](crate::first_contacts); empty
    /// for other queries.
    pub contacts: Vec<Contact>,
    /// Number of pairs of features left out of `contacts`, because rounding leaves undecided whether they come
    /// within the tolerance.
    pub doubtful: usize,
    /// The tolerance used, in metres.
    pub tolerance: f64,
    /// The work of the query.
    pub counters: Counters,
}

/// The work of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counters {
    /// Blocks of eight bounds that were tested against one bound.
    pub box_pairs: u64,
    /// Pairs of triangles whose features were tested.
    pub triangle_pairs: u64,
    /// Pairs of features whose function was searched for roots over the whole motion.
    pub functions: u64,
    /// Steps of the budget that were spent.
    pub steps: u64,
}
