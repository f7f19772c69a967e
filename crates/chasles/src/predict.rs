//! The queries about two meshes of which one moves along a screw: the first contact, any, all of them, and every span of contact.

use rayon::prelude::*;

use crate::body::Body;
use crate::error::{Error, ErrorKind};
use crate::features::collector::Wanted;
use crate::features::pairs::Aim;
use crate::motion::Screw;
use crate::search::intervals::{Intervals, intervals_of};
use crate::search::pipeline::{Search, Workspace};
use crate::search::query::{Options, Prediction};

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

/// Every span during which the surfaces of `a`, moving along `screw`, and `b` intersect or touch.
///
/// # Errors
/// As [`first_contact`](crate::first_contact).
pub fn contact_intervals(a: &Body, b: &Body, screw: &Screw, options: &Options) -> Result<Intervals, Error> {
    contact_intervals_with(&mut Workspace::default(), a, b, screw, options)
}

/// As [`contact_intervals`], with memory from query to query.
///
/// # Errors
/// As [`first_contact`](crate::first_contact).
pub fn contact_intervals_with(
    workspace: &mut Workspace,
    a: &Body,
    b: &Body,
    screw: &Screw,
    options: &Options,
) -> Result<Intervals, Error> {
    Ok(intervals_of(&Search::new((a, b), screw, options)?, workspace))
}
