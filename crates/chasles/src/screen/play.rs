//! The play of a fit: how far A can move forward and backward along a screw before it binds.

use std::f64::consts::TAU;

use crate::body::PreparedMesh;
use crate::error::Error;
use crate::features::collector::EventFilter;
use crate::features::contact::Contact;
use crate::features::screw_motion::ScrewMotion;
use crate::math::budget::IsOver;
use crate::mesh_screw::pipeline::{ScrewSearch, Workspace};
use crate::mesh_screw::query::{Options, Outcome, Start, UndecidedReason};
use crate::motion::Screw;
use crate::screen::clearance::period;
use crate::trajectory::watch::ProgressMonitor;

/// How far A can move along a screw from the start of the motion, in both directions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Play {
    /// Along the motion, and beyond its end.
    pub forward: Free,
    /// Backward from the start.
    pub backward: Free,
}

/// How far A can move in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Free {
    /// Until A touches B.
    Binds(Binding),
    /// Without limit: proven.
    Never,
    /// Undecided.
    Undecided {
        /// Proven free until this time, in units of the given motion.
        free_until: f64,
        /// The reason.
        reason: UndecidedReason,
    },
    /// The surfaces intersect at the start, more deeply than the tolerance.
    Overlapping,
}

/// The first contact of A with B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Binding {
    /// Enclosure [lo, hi] of the time, in units of the given motion, not negative in both directions: A is proven
    /// free until lo.
    pub time: [f64; 2],
    /// The angle by which A has rotated at hi, in radians, not negative.
    pub angle: f64,
    /// The distance that A has slid along the axis at hi, in metres, not negative.
    pub slide: f64,
    /// The contact. Its time is `time`; its speed is per unit of the given motion, positive if A approaches in the
    /// direction of this movement.
    pub contact: Contact,
}

/// Proves how far body `a` can move along `screw` from its start, forward and backward, before it touches the static
/// body `b`.
///
/// The proof is that of [`first_contact`](crate::first_contact), and is not limited to the end of the motion: a pure
/// rotation is followed through a whole turn, any other motion until the bodies have passed each other along the
/// axis. Contact at the start does not bind while it slides or separates ([`Start::IgnoreSeparating`], whatever the
/// options say): a bolt that rests on the flank of its thread may turn. A motion with a slide per turn below rounding
/// error counts as a pure rotation.
///
/// # Errors
/// As [`first_contact`](crate::first_contact).
pub fn play(a: &PreparedMesh, b: &PreparedMesh, screw: &Screw, options: &Options) -> Result<Play, Error> {
    play_watched((a, b), screw, options, &())
}

/// As [`play`], and also stops when a monitor reports that it is over, as if the budget had run out.
///
/// # Errors
/// As [`play`].
pub fn play_watched(
    bodies: (&PreparedMesh, &PreparedMesh),
    screw: &Screw,
    options: &Options,
    watch: &dyn ProgressMonitor,
) -> Result<Play, Error> {
    let workspace = &mut Workspace::default();
    let search = PlaySearch { bodies, options, is_over: &|| watch.is_over() };
    let forward = search.free(screw, workspace)?;
    let backward = search.free(&screw.backward(), workspace)?;
    Ok(Play { forward, backward })
}

/// Motions of more than this angle are followed in parts, in radians: eight turns.
const PART: f64 = 8.0 * TAU;

/// Minimum cost of a part in steps, so that any number of turns ends.
const STEPS_PER_PART: u64 = 1000;

/// A body is back at its start if it is within this fraction of a turn of a whole turn.
const BACK: f64 = 1e-6;

/// Two bodies, and the limits of the search.
struct PlaySearch<'a> {
    bodies: (&'a PreparedMesh, &'a PreparedMesh),
    options: &'a Options,
    is_over: IsOver<'a>,
}

impl PlaySearch<'_> {
    /// How far A can move along a screw.
    fn free(&self, screw: &Screw, workspace: &mut Workspace) -> Result<Free, Error> {
        let Self { bodies, options, is_over } = *self;
        let whole = ScrewSearch::new(bodies.0, bodies.1, screw, options)?;
        let period = period(&whole.motion);
        let end = if period.is_finite() { period } else { passing_time(&whole) };
        let longest = PART / screw.angle();
        let (mut from, mut remaining, mut touches) = (0.0_f64, options.budget, false);
        loop {
            let length = longest.min(end - from);
            // The first part keeps the given start, to the last bit.
            let part = if from == 0.0 { *screw } else { screw.part(from, from + 1.0) }.extended(length);
            let search = ScrewSearch::new(
                bodies.0,
                bodies.1,
                &part,
                &Options { budget: remaining, start: Start::Report, ..*options },
            )?;
            let mut found = search.watched(Some(is_over)).predict(EventFilter::First, workspace);
            let touching = matches!(
                found.outcome,
                Outcome::Contact(contact) if contact.touching && contact.time[1] <= 0.0
            );
            remaining = remaining.saturating_sub(found.counters.steps);
            if touching {
                touches |= from == 0.0;
                let sliding = Options { budget: remaining, start: Start::IgnoreSeparating, ..*options };
                found = ScrewSearch::new(bodies.0, bodies.1, &part, &sliding)?
                    .watched(Some(is_over))
                    .predict(EventFilter::First, workspace);
                remaining = remaining.saturating_sub(found.counters.steps);
            }
            let at = |t: f64| from + t * length;
            match found.outcome {
                Outcome::Clear => {}
                Outcome::Overlapping(_) if from == 0.0 => return Ok(Free::Overlapping),
                // A touching contact has become deeper than the tolerance here.
                Outcome::Overlapping(_) => {
                    return Ok(Free::Undecided { free_until: from, reason: UndecidedReason::Rounding });
                }
                Outcome::Undecided { clear_until, reason } => {
                    return Ok(Free::Undecided { free_until: at(clear_until), reason });
                }
                Outcome::Contact(contact) => {
                    let is_back_at_start =
                        contact.touching && touches && at(contact.time[0]) >= (1.0 - BACK) * period;
                    return Ok(if is_back_at_start {
                        Free::Never
                    } else {
                        Free::Binds(binding(contact, from, length, screw))
                    });
                }
            }
            from += length;
            if from >= end {
                return Ok(Free::Never);
            }
            remaining = remaining.saturating_sub(STEPS_PER_PART);
            if remaining == 0 {
                return Ok(Free::Undecided { free_until: from, reason: UndecidedReason::Budget });
            }
        }
    }
}

/// The time by which A has passed B along the axis; if the slide is zero, 1 (the whole motion).
fn passing_time(search: &ScrewSearch<'_>) -> f64 {
    let ScrewMotion { slide, rounding, .. } = search.motion;
    let (length, (a, b)) = (slide.length(), (search.bodies.a, search.bodies.b));
    if length == 0.0 {
        return 1.0;
    }
    let direction = slide / length;
    let radii = a.mesh().radius() + b.mesh().radius();
    let margin = 2.0 * search.tolerance + 4.0 * rounding + 1e-6 * radii;
    let behind = a.mesh().triangles().iter().flatten().map(|v| {
        let place = search.motion.placed(a.mesh().local()[*v as usize]);
        direction.dot(place)
    });
    let ahead = b.mesh().triangles().iter().flatten().map(|v| direction.dot(b.mesh().local()[*v as usize]));
    let distance = ahead.fold(f64::NEG_INFINITY, f64::max) - behind.fold(f64::INFINITY, f64::min) + margin;
    // Even if the bodies have already passed each other, a short motion reveals contacts at the start.
    distance.max(margin) / length
}

/// A contact of the part of the motion that starts at `from` and lasts for `length`, as a contact of the whole motion.
fn binding(contact: Contact, from: f64, length: f64, screw: &Screw) -> Binding {
    let [lo, hi] = contact.time.map(|t| from + t * length);
    let margin = 4.0 * f64::EPSILON;
    let time = [lo * (1.0 - margin), hi * (1.0 + margin)];
    let contact = Contact { time, approach_speed: contact.approach_speed / length, ..contact };
    Binding { time, angle: time[1] * screw.angle(), slide: time[1] * screw.slide().abs(), contact }
}
