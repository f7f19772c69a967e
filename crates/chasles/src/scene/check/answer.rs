//! The check of one pair of bodies.

use crate::error::Error;
use crate::features::contact::Contact;
use crate::math::budget::Budget;
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::mesh_screw::timed::{PoseState, TimedContact};
use crate::motion::ScrewAxis;
use crate::motion::relative::MovingBody;
use crate::motion::track::TimedScrew;
use crate::pair::shape::CollisionShape;
use crate::pair::{ContactPlace, Pair, PairMemory};
use crate::scene::Scene;
use crate::scene::carriers::{frame_of, relative_of_points, velocity_past};
use crate::scene::check::candidates::Candidates;
use crate::scene::check::deformable_pairs::{ScenePair, add_events, deformable_report, scene_pair};
use crate::scene::check::fused::merged;
use crate::scene::closed_surfaces::ClosedSurfaces;
use crate::scene::report::{
    CheckOptions, Containment, PairListing, PairReport, PairUndecidedReason, PairVerdict, SceneContact,
    SceneInterval,
};
use crate::trajectory::contact_intervals::ContactTimeline;
use crate::trajectory::contacts::{PausedSearch, StagedSearch, contact_stage, contact_timeline};
use crate::trajectory::containment::{add_times_inside, first_time_inside};
use crate::trajectory::minimum_distance::minimum_distance;
use crate::trajectory::moving_pair::MovingPair;
use crate::trajectory::watch::{EarliestContact, ProgressMonitor};
use crate::trajectory::within_distance::{WithinIntervals, within_intervals};

/// Budget, in steps, of all contact places at the start of an interval.
const STEPS_OF_PLACES: u64 = 20_000_000;

/// The parts of two bodies that are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContactScope {
    Surfaces,
    /// The points of one body against the other body.
    Points,
}

/// Two shapes of two bodies, and their relative motion.
struct PairQuery<'a> {
    bodies: [usize; 2],
    moving: MovingPair<'a>,
    scope: ContactScope,
}

/// The progress of the check of a pair.
pub(crate) enum PairProgress {
    /// The complete results.
    Complete(PairReport, Vec<Containment>),
    /// No results yet: the pair was examined through its first smooth intervals.
    Paused(Box<PausedSearch>),
}

impl PairProgress {
    /// Whether the results only say that the pair is clear; if only the first contact is required, clear up to the
    /// earliest contact of any pair.
    pub(crate) fn is_clear(&self, earliest: Option<&EarliestContact>) -> bool {
        let is_after_first_contact = |time: f64| earliest.is_some_and(|earliest| earliest.is_before(time));
        match self {
            Self::Complete(row, inside) => {
                let is_clear = row.verdict == PairVerdict::Clear || is_after_first_contact(row.clear_until);
                is_clear && inside.iter().all(|inside| is_after_first_contact(inside.from))
            }
            Self::Paused(_) => false,
        }
    }
}

/// The options of a check, and the data for queries about pairs.
pub(crate) struct CheckContext<'a> {
    pub(crate) closed_surfaces: &'a ClosedSurfaces<'a>,
    /// The points of each body, if only points are tested.
    pub(crate) points: Option<&'a [Option<CollisionShape>]>,
    pub(crate) options: &'a CheckOptions,
    pub(crate) watch: &'a dyn ProgressMonitor,
    /// The earliest contact of all pairs, if only this is required.
    pub(crate) earliest: Option<&'a EarliestContact>,
}

/// The report of a pair that was not examined.
fn stopped(scene: &Scene, bodies: [usize; 2]) -> PairReport {
    PairReport {
        verdict: PairVerdict::Undecided,
        clear_until: 0.0,
        undecided: vec![[0.0, scene.duration()]],
        reason: Some(PairUndecidedReason::Stopped),
        ..PairReport::clear(bodies, scene.duration())
    }
}

/// Checks one pair, through the smooth intervals that start before `until`, in seconds, from where the search
/// paused. A pair of shapes that are not rigid surfaces is examined to its end at once. The report is complete
/// once the pair has been examined to its end.
///
/// # Errors
/// A motion leaves the range of coordinates.
pub(crate) fn answer(
    scene: &Scene,
    Candidates { bodies: [a, b], spans }: &Candidates,
    context: &CheckContext<'_>,
    memory: &mut PairMemory,
    (paused, until): (Option<Box<PausedSearch>>, f64),
) -> Result<PairProgress, Error> {
    let [a, b] = [*a, *b];
    let paused = match paused {
        None if context.watch.is_over() => {
            return Ok(PairProgress::Complete(stopped(scene, [a, b]), Vec::new()));
        }
        Some(paused) if paused.reached >= until && !context.watch.is_over() => {
            return Ok(PairProgress::Paused(paused));
        }
        paused => paused.map(|paused| *paused),
    };
    let whole = match scene_pair(scene, [a, b], context.options.guarantee)? {
        Some(ScenePair::Constant(pair)) => pair,
        Some(ScenePair::Deformable(pair)) => {
            let how = (context.options, context.watch);
            let (row, inside) = deformable_report(scene, *pair, spans, context.closed_surfaces, how)?;
            return Ok(PairProgress::Complete(row, inside));
        }
        None => return Ok(PairProgress::Complete(PairReport::clear([a, b], scene.duration()), Vec::new())),
    };
    let Some(points) = context.points else {
        let pair = whole.with_epsilon(scene.epsilon());
        let relative = scene.relative([a, b]);
        let moving = MovingPair { pair: &pair, relative: &relative, watch: context.watch };
        let pair_query = PairQuery { bodies: [a, b], moving, scope: ContactScope::Surfaces };
        let query = query(scene, context.options);
        let stage = (paused, until, context.earliest);
        let found = match contact_stage(&moving, (&mut *memory, spans), &query, stage)? {
            StagedSearch::Complete(found) => found,
            StagedSearch::Paused(paused) => return Ok(PairProgress::Paused(Box::new(paused))),
        };
        let (mut report, inside) = report(scene, &pair_query, found, context, memory)?;
        if context.options.events {
            add_events(scene, &mut report, (context.options, context.watch))?;
        }
        return Ok(PairProgress::Complete(report, inside));
    };
    // The points of each body against the other body.
    let relative = relative_of_points(scene, [a, b]);
    let bodies = [a, b].map(|body| &scene.bodies[body]);
    let (shapes, interiors) = (bodies.map(|body| body.shape.as_ref()), bodies.map(|body| body.interior()));
    let [points_a, points_b] = [a, b].map(|body| points[body].as_ref());
    let halves = [(points_a, shapes[1]), (shapes[0], points_b)];
    let mut parts = Vec::new();
    for (of_a, of_b) in halves {
        if let (Some(of_a), Some(of_b)) = (of_a, of_b) {
            let pair = Pair::with_interiors([of_a, of_b], interiors).with_epsilon(scene.epsilon());
            let moving = MovingPair { pair: &pair, relative: &relative, watch: context.watch };
            let pair_query = PairQuery { bodies: [a, b], moving, scope: ContactScope::Points };
            let query = query(scene, context.options);
            let found = contact_timeline(&moving, (&mut *memory, spans), &query)?;
            parts.push(report(scene, &pair_query, found, context, memory)?.0);
        }
    }
    if parts.is_empty() {
        let undecided = PairReport { reason: Some(PairUndecidedReason::NoPoints), ..stopped(scene, [a, b]) };
        return Ok(PairProgress::Complete(undecided, Vec::new()));
    }
    Ok(PairProgress::Complete(merged([a, b], parts), Vec::new()))
}

/// The options of the query for each screw of a pair.
pub(crate) fn query(scene: &Scene, options: &CheckOptions) -> Options {
    Options {
        tolerance: Some(scene.tolerance()),
        budget: options.budget,
        memory: options.memory,
        ..Options::default()
    }
}

/// The report of two shapes, from their contacts.
fn report(
    scene: &Scene,
    pair_query: &PairQuery<'_>,
    mut found: ContactTimeline,
    CheckContext { closed_surfaces, options, .. }: &CheckContext<'_>,
    memory: &mut PairMemory,
) -> Result<(PairReport, Vec<Containment>), Error> {
    let PairQuery { bodies: [a, b], moving, scope } = *pair_query;
    let MovingPair { pair, relative, watch } = moving;
    let mut report = PairReport::clear([a, b], scene.duration());
    let is_set = pair.rigid().is_none();
    report.epsilon = (is_set || scene.states_epsilon()).then(|| scene.epsilon());
    let solid = [a, b].map(|body| scene.bodies[body].solid);
    if !is_set && solid != [false; 2] {
        add_times_inside(&mut found, relative, |time| pair.is_within(solid, &relative.pose_at(time, time)));
    }
    let nestings = if scope == ContactScope::Surfaces { vec![[a, b], [b, a]] } else { vec![] };
    let inside = nestings.into_iter().filter_map(|[inner, outer]| {
        let is_inside = |time: f64| {
            let pose = relative.pose_at(time, time);
            closed_surfaces.contain([inner, outer], &if inner == a { pose } else { pose.inverse() })
        };
        let from =
            if scene.bodies[outer].solid { None } else { first_time_inside(&found, relative, is_inside) };
        from.map(|from| Containment { inner, outer, from })
    });
    let inside: Vec<Containment> = inside.collect();
    report.deviation = found.deviation.max(relative.position_error);
    let overlaps = found.start == PoseState::Intersecting;
    // After a stop, the reason is the stop, not a lack of steps.
    let undecided_reason = |reason: UndecidedReason| {
        if watch.is_over() { PairUndecidedReason::Stopped } else { reason.into() }
    };
    report.reason = found.undecided.first().map(|undecided| undecided_reason(undecided.reason));
    let contact = |span: &TimedContact| {
        let places = |time: f64, piece: &TimedScrew| {
            // Bodies that overlap from the start have no contact place.
            let deep = overlaps && span.enter == [0.0; 2];
            if !options.all_contacts || deep {
                return Vec::new();
            }
            let is_over = || watch.is_over();
            let mut budget = Budget::new(STEPS_OF_PLACES.min(options.budget)).watched(Some(&is_over));
            let within = 0.5 * (piece.start + piece.end);
            pair.contact_places_at(relative, (time, within), scene.tolerance(), &mut budget)
        };
        interval(scene, span, pair_query, places)
    };
    let contacts = found.intervals.iter().map(contact).collect();
    let undecided = found.undecided.iter().map(|undecided| [undecided.from, undecided.to]).collect();
    report.set_contacts(contacts, undecided, overlaps);
    if report.verdict == PairVerdict::Clear {
        let is_over = || watch.is_over();
        let budget = Budget::new(options.budget).watched(Some(&is_over));
        let clearance = scene.clearance_of([a, b]);
        if clearance > 0.0 {
            let WithinIntervals { near, undecided } =
                match within_intervals(&moving, &mut *memory, budget, clearance)? {
                    Some(spans) if !watch.is_over() => spans,
                    _ => return Ok((stopped(scene, [a, b]), inside)),
                };
            report.reason = undecided.last().map(|undecided| undecided.reason.into());
            let undecided = undecided.iter().map(|undecided| [undecided.from, undecided.to]).collect();
            let near =
                near.iter().map(|interval| SceneInterval::new(interval.enter, interval.exit)).collect();
            report.set_near(near, undecided);
        }
        if report.verdict == PairVerdict::Near || options.listed == PairListing::All {
            let ([lower, upper], time) = minimum_distance(&moving, memory, budget)?;
            report.gap_time = Some(time);
            // Clear pairs are further apart than the tolerance.
            let least = if is_set { 0.0 } else { scene.tolerance().min(upper) };
            report.gap = Some([lower.max(least), upper]);
        }
    }
    report.end_at(scene.duration());
    report.set_clear_until(scene.duration());
    Ok((report, inside))
}

/// An interval with its contact in the world, and, if requested, with every contact place at its start.
fn interval(
    scene: &Scene,
    span: &TimedContact,
    PairQuery { bodies: [a, b], moving: MovingPair { relative, .. }, scope }: &PairQuery<'_>,
    places: impl FnOnce(f64, &TimedScrew) -> Vec<ContactPlace>,
) -> SceneInterval {
    let [a, b] = [*a, *b];
    let mut interval = SceneInterval {
        enter: span.enter,
        exit: span.exit,
        contact: None,
        contacts: Vec::new(),
        touching: span.touching,
    };
    let Some((contact, piece)) = span.contact else { return interval };
    let frame_of = |body: usize, time: f64| match scope {
        ContactScope::Surfaces => frame_of(scene, body, [a, b], time),
        ContactScope::Points => scene.pose_at(body, time),
    };
    let time = piece.not_before(contact.time[1]);
    let world = frame_of(b, time);
    let (moving, static_body, seen) = match relative.mover(0.5 * (piece.start + piece.end)) {
        MovingBody::A => (a, b, piece.screw),
        MovingBody::B => (b, a, piece.screw.inverse()),
    };
    let is_exact = relative.is_screw(piece.start, piece.end);
    let (axis, frame) = (seen.axis(), frame_of(static_body, time));
    let axis = ScrewAxis {
        direction: frame.transform_vector(axis.direction),
        point: axis.point.map(|point| frame.transform_point(point)),
        ..axis
    };
    let placed = |place: ContactPlace| {
        let point = world.transform_point(place.point);
        let when = (time, 0.5 * (piece.start + piece.end));
        let velocity = velocity_past(scene, [a, b], point, when);
        let normal = world.transform_vector(place.normal).normalize_or_zero();
        SceneContact {
            contact: Contact {
                time: span.enter,
                features: place.features,
                point,
                normal,
                approach_speed: velocity.dot(normal),
                touching: place.touching,
            },
            moving,
            static_body,
            axis: Some(axis),
            is_exact,
            velocity: Some(velocity),
            interval: [piece.start, piece.end],
        }
    };
    interval.contacts = places(time, &piece).into_iter().map(placed).collect();
    interval.contact = Some(placed(ContactPlace {
        features: contact.features,
        point: contact.point,
        normal: contact.normal,
        approach_speed: contact.approach_speed / (piece.end - piece.start),
        touching: contact.touching,
    }));
    interval
}
