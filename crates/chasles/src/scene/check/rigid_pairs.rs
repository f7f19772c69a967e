//! The searches about a pair of constant shapes that move: its contacts, its clearance and its minimum distance.

use crate::error::Error;
use crate::features::contact::Contact;
use crate::math::budget::Budget;
use crate::mesh_screw::query::UndecidedReason;
use crate::mesh_screw::timed::{PoseState, TimedContact};
use crate::motion::ScrewAxis;
use crate::motion::relative::MovingBody;
use crate::motion::track::TimedScrew;
use crate::pair::{ContactPlace, PairMemory};
use crate::scene::Scene;
use crate::scene::carriers::{frame_of, velocity_past};
use crate::scene::check::context::{CheckContext, FoundContacts, FoundIntervals};
use crate::scene::report::{Containment, PairUndecidedReason, SceneContact, SceneInterval};
use crate::trajectory::contact_intervals::ContactTimeline;
use crate::trajectory::containment::{add_times_inside, first_time_inside};
use crate::trajectory::minimum_distance::minimum_distance;
use crate::trajectory::moving_pair::MovingPair;
use crate::trajectory::within_distance::{WithinIntervals, within_intervals};

/// Budget, in steps, of all contact places at the start of an interval.
const STEPS_OF_PLACES: u64 = 20_000_000;

/// The parts of two bodies that are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContactScope {
    Surfaces,
    /// The points of one body against the other body.
    Points,
}

/// Two shapes of two bodies, their relative motion, and their contacts along it.
pub(crate) struct RigidSearch<'a> {
    pub(crate) bodies: [usize; 2],
    pub(crate) moving: MovingPair<'a>,
    pub(crate) scope: ContactScope,
    pub(crate) timeline: ContactTimeline,
    pub(crate) memory: &'a mut PairMemory,
}

impl RigidSearch<'_> {
    /// The precision of the pair, if an epsilon decides it.
    pub(crate) fn epsilon(&self, scene: &Scene) -> Option<f64> {
        (self.is_set() || scene.states_epsilon()).then(|| scene.epsilon())
    }

    /// Whether a body is a solid, a cloud or a parametric surface.
    fn is_set(&self) -> bool {
        self.moving.pair.rigid().is_none()
    }

    /// The contacts, in the world.
    pub(crate) fn contacts(&mut self, context: &CheckContext<'_>) -> FoundContacts {
        let CheckContext { scene, closed_surfaces, options, watch, .. } = *context;
        let MovingPair { pair, relative, .. } = self.moving;
        let solid = self.bodies.map(|body| scene.bodies[body].solid);
        if !self.is_set() && solid != [false; 2] {
            let is_within = |time: f64| pair.is_within(solid, &relative.pose_at(time, time));
            add_times_inside(&mut self.timeline, relative, is_within);
        }
        let [a, b] = self.bodies;
        let nestings = match self.scope {
            ContactScope::Surfaces => vec![[a, b], [b, a]],
            ContactScope::Points => vec![],
        };
        let inside = nestings.into_iter().filter(|[_, outer]| !scene.bodies[*outer].solid);
        let inside = inside.filter_map(|[inner, outer]| {
            let is_inside = |time: f64| {
                let pose = relative.pose_at(time, time);
                closed_surfaces.contain([inner, outer], &if inner == a { pose } else { pose.inverse() })
            };
            let from = first_time_inside(&self.timeline, relative, is_inside)?;
            Some(Containment { inner, outer, from })
        });
        let inside = inside.collect();
        let found = &self.timeline;
        let overlaps = found.start == PoseState::Intersecting;
        // After a stop, the reason is the stop, not a lack of steps.
        let undecided_reason = |reason: UndecidedReason| {
            if watch.is_over() { PairUndecidedReason::Stopped } else { reason.into() }
        };
        let reason = found.undecided.first().map(|undecided| undecided_reason(undecided.reason));
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
            interval(scene, span, self, places)
        };
        let found = FoundIntervals {
            intervals: found.intervals.iter().map(contact).collect(),
            undecided: found.undecided.iter().map(|undecided| [undecided.from, undecided.to]).collect(),
            reason,
            deviation: found.deviation.max(relative.position_error),
        };
        FoundContacts { found, overlaps, inside }
    }

    /// The intervals in which the pair, which has no contact, is within the clearance; `None` after a stop.
    ///
    /// # Errors
    /// A motion leaves the range of coordinates.
    pub(crate) fn near(
        &mut self,
        clearance: f64,
        budget: Budget<'_>,
    ) -> Result<Option<FoundIntervals>, Error> {
        let found = within_intervals(&self.moving, self.memory, budget, clearance)?;
        let found = found.filter(|_| !self.moving.watch.is_over());
        Ok(found.map(|WithinIntervals { near, undecided }| FoundIntervals {
            intervals: near.iter().map(|near| SceneInterval::new(near.enter, near.exit)).collect(),
            undecided: undecided.iter().map(|undecided| [undecided.from, undecided.to]).collect(),
            reason: undecided.last().map(|undecided| undecided.reason.into()),
            deviation: self.moving.relative.position_error,
        }))
    }

    /// An enclosure of the minimum distance of a pair without contact, in metres, and its time.
    ///
    /// # Errors
    /// A motion leaves the range of coordinates.
    pub(crate) fn gap(&mut self, scene: &Scene, budget: Budget<'_>) -> Result<([f64; 2], f64), Error> {
        let ([lower, upper], time) = minimum_distance(&self.moving, self.memory, budget)?;
        // Clear pairs are further apart than the tolerance.
        let least = if self.is_set() { 0.0 } else { scene.tolerance().min(upper) };
        Ok(([lower.max(least), upper], time))
    }
}

/// An interval with its contact in the world, and, if requested, with every contact place at its start.
fn interval(
    scene: &Scene,
    span: &TimedContact,
    RigidSearch { bodies: [a, b], moving: MovingPair { relative, .. }, scope, .. }: &RigidSearch<'_>,
    places: impl FnOnce(f64, &TimedScrew) -> Vec<ContactPlace>,
) -> SceneInterval {
    let [a, b] = [*a, *b];
    let mut interval = SceneInterval { touching: span.touching, ..SceneInterval::new(span.enter, span.exit) };
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
