//! A step that is being tried, and how it changes after a trial that is not proven.

use crate::simulate::proof::ProvenPairs;
use crate::simulate::run::speculative::merge_contacts;
use crate::simulate::state::AnticipatedContact;
use crate::simulate::stepping::{FlightRequest, SolverStart};

/// A step that is being tried.
#[derive(Debug, Clone)]
pub(crate) struct StepAttempt {
    /// In seconds.
    pub(crate) duration: f64,
    /// The number of trials.
    pub(crate) trials: usize,
    /// Two bodies that blocked the last trial.
    pub(crate) blocking: Option<[usize; 2]>,
    /// Contacts during the step that are not visible at its start.
    pub(crate) anticipated: Vec<AnticipatedContact>,
    /// The number of searches for anticipated contacts with this duration.
    searches: usize,
    /// The number of blocking pairs at the last search with this duration after which the step was tried again.
    last_blocking: usize,
    /// Whether the step was shortened, except to end at a contact.
    pub(crate) is_shortened: bool,
    /// Pairs that are followed until they touch, although they will not rebound.
    pub(crate) followed: Vec<[usize; 2]>,
    /// The starting point of its solver.
    pub(crate) start: SolverStart,
    /// Proven pairs of the previous trial with the same duration.
    pub(crate) proven: ProvenPairs,
}

/// A step that ends at a contact is shortened by this fraction; it is tiny, because the step may be long.
const CONTACT_MARGIN: f64 = 1e-13;

/// Maximum number of searches for anticipated contacts, before a step is shortened.
const MAX_SEARCHES: usize = 6;

impl StepAttempt {
    pub(crate) fn new(duration: f64) -> Self {
        Self {
            duration,
            trials: 0,
            blocking: None,
            anticipated: Vec::new(),
            searches: 0,
            last_blocking: usize::MAX,
            is_shortened: false,
            followed: Vec::new(),
            start: SolverStart::PreviousStep,
            proven: ProvenPairs::default(),
        }
    }

    /// What to try next. Contacts that would rebound faster than `min_rebound` are left to impacts.
    pub(crate) fn request(&self, min_rebound: f64) -> FlightRequest<'_> {
        let Self { duration, anticipated, followed, start, .. } = self;
        FlightRequest { duration: *duration, anticipated, followed, start, min_rebound }
    }

    /// Whether anticipated contacts may be searched again.
    pub(crate) fn may_search(&self) -> bool {
        self.searches < MAX_SEARCHES
    }

    /// Changes the step after a trial with this number of blocking pairs: it ends at a fraction of its duration
    /// where a contact is followed (`followed`), or gets the anticipated contacts `found`, or is halved.
    pub(crate) fn adapt(&mut self, followed: Option<f64>, found: Vec<AnticipatedContact>, blocking: usize) {
        let duration = self.duration;
        let is_any = !found.is_empty();
        let mut anticipated = self.anticipated.clone();
        merge_contacts(&mut anticipated, found);
        let is_progress = anticipated.len() > self.anticipated.len() || blocking < self.last_blocking;
        if let Some(fraction) = followed {
            self.duration *= (fraction * (1.0 - CONTACT_MARGIN)).min(0.9999);
        } else if is_any && is_progress {
            // Tried again while this finds more contacts, or leaves fewer blocking pairs.
            (self.anticipated, self.last_blocking) = (anticipated, blocking);
            self.searches += 1;
        } else {
            self.duration *= 0.5;
            self.is_shortened = true;
        }
        if self.duration < duration {
            self.forget();
        }
    }

    /// Tries the step again and follows more pairs until they touch.
    pub(crate) fn follow(&mut self, pairs: Vec<[usize; 2]>) {
        self.followed.extend(pairs);
        self.start = SolverStart::PreviousStep;
        self.forget();
    }

    /// Tries a shorter step, from the impulses of the step before.
    pub(crate) fn shorten(&mut self, duration: f64) {
        self.duration = duration;
        self.start = SolverStart::PreviousStep;
        self.forget();
    }

    /// Forgets the results of trials with another duration.
    fn forget(&mut self) {
        self.anticipated.clear();
        (self.searches, self.last_blocking) = (0, usize::MAX);
        self.proven = ProvenPairs::default();
    }
}
