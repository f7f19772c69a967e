//! Pairs of which at least one body deforms, and bodies with themselves; also the events of two rigid meshes.

use glam::DVec3;

use crate::deformable::DeformablePair;
use crate::deformable::against_round::MovingRoundBody;
use crate::deformable::contact_intervals::ProximityGoal;
use crate::deformable::contacts::DeformingContacts;
use crate::deformable::entry::FirstFeatures;
use crate::deformable::events::DeformingEvent;
use crate::deformable::moving_mesh::MovingMesh;
use crate::deformable::step::cover::StepInterval;
use crate::error::{Error, ErrorKind};
use crate::features::contact::Contact;
use crate::math::budget::Budget;
use crate::pair::Pair;
use crate::pair::shape::CollisionShape;
use crate::poses::Separation;
use crate::scene::Scene;
use crate::scene::carriers::common_carrier;
use crate::scene::check::context::{CheckContext, FoundContacts, FoundIntervals};
use crate::scene::report::{
    Containment, Guarantee, IntersectingPair, PairUndecidedReason, SceneContact, SceneEvent, SceneInterval,
};

/// Budget, in steps, of the gap at one time.
const STEPS_OF_A_GAP: u64 = 10_000_000;

/// Two bodies with a surface, in the form that answers queries about them.
pub(crate) enum ScenePair<'s> {
    /// Both shapes are constant: queries are about a pose.
    Constant(Pair<'s>),
    /// At least one body deforms: queries are about a time.
    Deformable(Box<DeformableBodies<'s>>),
}

/// Two bodies of which at least one deforms, or a body with itself (the same number twice).
pub(crate) struct DeformableBodies<'s> {
    pub(crate) bodies: [usize; 2],
    pair: DeformablePair<'s>,
}

/// Two bodies as a pair; `None`: a body has no surface.
///
/// # Errors
/// As [`deformable_bodies`].
pub(crate) fn scene_pair(
    scene: &Scene,
    bodies: [usize; 2],
    guarantee: Guarantee,
) -> Result<Option<ScenePair<'_>>, Error> {
    match scene.pair(bodies) {
        Some(_) if bodies.into_iter().any(|body| scene.is_deforming(body)) => {
            deformable_bodies(scene, bodies, guarantee)
                .map(|pair| Some(ScenePair::Deformable(Box::new(pair))))
        }
        pair => Ok(pair.map(ScenePair::Constant)),
    }
}

/// Two bodies of which at least one deforms, or a body with itself.
///
/// # Errors
/// Only points are to be tested; a body is a solid, a cloud or a parametric surface.
pub(crate) fn deformable_bodies(
    scene: &Scene,
    bodies: [usize; 2],
    guarantee: Guarantee,
) -> Result<DeformableBodies<'_>, Error> {
    if guarantee != Guarantee::Surfaces {
        let what = "points alone of a body that deforms, or against one, are";
        return Err(Error::new(
            ErrorKind::NotBuilt(what),
            format!("body {:?}", scene.bodies[bodies[0]].name),
        ));
    }
    Ok(DeformableBodies { bodies, pair: deformable_pair(scene, bodies)? })
}

/// A pair, or a body with itself, in the frame of the common carrier.
fn deformable_pair(scene: &Scene, [a, b]: [usize; 2]) -> Result<DeformablePair<'_>, Error> {
    let common = frame_body(scene, [a, b]);
    let duration = scene.whole_duration();
    let mut moving_meshes = Vec::with_capacity(2);
    let mut round = None;
    for body in if a == b { vec![a] } else { vec![a, b] } {
        let own = &scene.bodies[body];
        let shape = own.shape.as_ref();
        match (shape.and_then(CollisionShape::vertices), shape.and_then(CollisionShape::round)) {
            (Some(vertices), _) => moving_meshes.push(MovingMesh::new(vertices, scene.chain(body, common))),
            (None, Some(shape)) => round = Some((shape, body)),
            (None, None) => {
                let what =
                    "a test of a solid, a cloud or a parametric surface against a body that deforms is";
                return Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", own.name)));
            }
        }
    }
    let Some((shape, body)) = round else { return Ok(DeformablePair::new(moving_meshes, duration)) };
    let other = scene.bodies[if body == a { b } else { a }].shape.as_ref();
    match (moving_meshes.pop(), other.and_then(CollisionShape::pieces)) {
        (Some(moving_mesh), Some(pieces)) => {
            let round = MovingRoundBody::new(shape, scene.chain(body, common), pieces, body == a);
            Ok(DeformablePair::with_round(moving_mesh, round, duration))
        }
        _ => Ok(DeformablePair::new(moving_meshes, duration)),
    }
}

/// The pairs of triangles that intersect at a time. Round bodies have no triangles; their pairs are listed unless
/// proven separated.
///
/// # Errors
/// A frame cannot be read.
pub(crate) fn static_deformable_intersection(
    scene: &Scene,
    DeformableBodies { bodies, pair: mut following }: DeformableBodies<'_>,
    time: f64,
) -> Result<Option<IntersectingPair>, Error> {
    let triangles = following.triangles_at(time)?;
    let mut is_separated = true;
    if following.round.is_some() {
        is_separated = following.gap_at(time, &mut Budget::new(STEPS_OF_A_GAP))?.bounds[0] > 0.0;
    }
    let meets = !is_separated
        || !triangles.is_empty()
        || is_in_solid(scene, bodies, time, following.vertices_at(time)?);
    Ok(meets.then_some(IntersectingPair { bodies, triangles }))
}

/// Whether, at a time, a piece of one of two bodies is inside the other, a solid body; the surfaces do not
/// intersect. `places`: the positions of their vertices in the frame of the common carrier.
fn is_in_solid(scene: &Scene, bodies: [usize; 2], time: f64, places: [&[DVec3]; 2]) -> bool {
    let is_in =
        |outer: usize| scene.bodies[bodies[outer]].solid && is_in(scene, bodies, outer, (time, places));
    bodies[0] != bodies[1] && (is_in(0) || is_in(1))
}

/// Whether a piece of the other body is inside `outer` (0: the first body, 1: the second), solid or not. Bodies
/// that deform have no interior.
fn is_in(scene: &Scene, bodies: [usize; 2], outer: usize, (time, places): (f64, [&[DVec3]; 2])) -> bool {
    let shapes = [bodies[1 - outer], bodies[outer]].map(|body| scene.bodies[body].shape.as_ref());
    let [Some(inside), Some(around)] = shapes else { return false };
    let Some(pieces) = inside.pieces() else { return false };
    let pose = scene.pose_at(bodies[outer], time).inverse();
    let seen = match common_carrier(scene, bodies[0], bodies[1]) {
        Some(carrier) => pose.compose(&scene.pose_at(carrier, time)),
        None => pose,
    };
    let places = places[1 - outer];
    pieces.first().iter().any(|v| around.contains_point(seen.transform_point(places[*v as usize])))
}

/// The distances at given times.
///
/// # Errors
/// A frame cannot be read.
pub(crate) fn deformable_distances(
    scene: &Scene,
    DeformableBodies { bodies, pair: mut following }: DeformableBodies<'_>,
    times: &[f64],
) -> Result<Vec<Separation>, Error> {
    let carrier = common_carrier(scene, bodies[0], bodies[1]);
    let mut found = Vec::with_capacity(times.len());
    for &time in times {
        let gap = following.gap_at(time, &mut Budget::new(STEPS_OF_A_GAP))?;
        let is_inside = gap.bounds[1] > 0.0 && is_in_solid(scene, bodies, time, following.vertices_at(time)?);
        let [lower, upper] = if is_inside { [0.0; 2] } else { gap.bounds };
        let points = match carrier {
            None => gap.points,
            Some(carrier) => {
                let pose = scene.pose_at(carrier, time);
                gap.points.map(|point| pose.transform_point(point))
            }
        };
        found.push(Separation { lower, upper, points });
    }
    Ok(found)
}

impl DeformableBodies<'_> {
    /// The contacts, in the world. Outside of `spans`, the bodies are known to be separated.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn contacts(
        &mut self,
        spans: &[[f64; 2]],
        context: &CheckContext<'_>,
        budget: &mut Budget<'_>,
    ) -> Result<FoundContacts, Error> {
        let CheckContext { scene, closed_surfaces, .. } = *context;
        let (pair, bodies, [a, b]) = (&mut self.pair, self.bodies, self.bodies);
        let contact_goal = ProximityGoal { within: 0.0, tolerance: scene.tolerance() };
        let mut found = pair.follow(spans, &contact_goal, budget)?;
        if a != b && bodies.iter().any(|body| scene.bodies[*body].solid) {
            let is_inside = |time: f64, places: [&[DVec3]; 2]| is_in_solid(scene, bodies, time, places);
            pair.add_times_inside(spans, &mut found, budget, is_inside)?;
        }
        let mut inside = Vec::new();
        for outer in if a == b { 0..0 } else { 0..2 } {
            let body = bodies[outer];
            let is_inside = |time: f64, places: [&[DVec3]; 2]| {
                is_in(scene, bodies, outer, (time, places)) && closed_surfaces.is_closed(body)
            };
            if !scene.bodies[body].solid
                && let Some(from) = pair.first_time_inside(spans, &found, is_inside)?
            {
                inside.push(Containment { inner: bodies[1 - outer], outer: body, from });
            }
        }
        let (mut intervals, mut separated) = (Vec::with_capacity(found.contacts.len()), 0.0);
        for interval in &found.contacts {
            let entry = pair.entry(interval.enter, separated, budget)?;
            let contact = entry.map(|entry| deformable_contact(scene, bodies, (interval.enter, &entry)));
            let meets =
                found.certain.iter().any(|span| interval.enter[0] <= span[1] && span[0] <= interval.exit[1]);
            let touching = !meets || interval.enter[0] >= interval.exit[0];
            intervals.push(SceneInterval { contact, touching, ..interval_of(scene, interval) });
            separated = interval.exit[1];
        }
        let starts = intervals.first().is_some_and(|first| first.enter == [0.0; 2]);
        let overlaps = found.intersects_at_start() && starts;
        Ok(FoundContacts { found: found_intervals(found, intervals, context), overlaps, inside })
    }

    /// The intervals in which the pair, which has no contact, is within the clearance.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn near(
        &mut self,
        spans: &[[f64; 2]],
        clearance: f64,
        context: &CheckContext<'_>,
        mut budget: Budget<'_>,
    ) -> Result<FoundIntervals, Error> {
        let goal = ProximityGoal { within: clearance, tolerance: context.scene.tolerance() };
        let near = self.pair.follow(spans, &goal, &mut budget)?;
        let intervals = near.contacts.iter().map(|near| interval_of(context.scene, near)).collect();
        Ok(found_intervals(near, intervals, context))
    }

    /// An enclosure of the minimum distance of two bodies, in metres, and its time; `None` if the budget does not
    /// suffice for an upper bound.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn gap(
        &mut self,
        scene: &Scene,
        mut budget: Budget<'_>,
    ) -> Result<Option<([f64; 2], f64)>, Error> {
        let [a, b] = self.bodies.map(|body| scene.bodies[body].shape.as_ref());
        let [a, b] = [a, b].map(|shape| shape.map_or(0.0, CollisionShape::diagonal));
        let gap = self.pair.minimum_distance(a.min(b), &mut budget)?;
        Ok(gap.bounds[1].is_finite().then_some((gap.bounds, gap.time)))
    }

    /// The events during contact intervals, in the world, and whether they are all.
    ///
    /// # Errors
    /// An error of the search for events.
    pub(crate) fn events(
        &mut self,
        scene: &Scene,
        intervals: &[SceneInterval],
        budget: &mut Budget<'_>,
    ) -> Result<(Vec<SceneEvent>, bool), Error> {
        let end = scene.whole_duration();
        let whole = |interval: &SceneInterval| [interval.enter[0], interval.exit.map_or(end, |exit| exit[1])];
        let spans: Vec<[f64; 2]> = intervals.iter().map(whole).collect();
        let (events, is_complete) = self.pair.events(&spans, budget)?;
        let carrier = frame_body(scene, self.bodies);
        Ok((events.iter().map(|event| world_event(scene, event, carrier)).collect(), is_complete))
    }
}

/// The results of a search, with the given intervals of the scene.
fn found_intervals(
    found: DeformingContacts,
    intervals: Vec<SceneInterval>,
    context: &CheckContext<'_>,
) -> FoundIntervals {
    let DeformingContacts { undecided, is_spent, deviation, .. } = found;
    let reason = match (is_spent, undecided.is_empty()) {
        (true, _) => Some(context.spent_reason()),
        (false, false) => Some(PairUndecidedReason::Rounding),
        (false, true) => None,
    };
    FoundIntervals { intervals, undecided, reason, deviation }
}

/// Two bodies that do not deform, as a pair that answers queries about events; `None`: a body is not a mesh.
///
/// # Errors
/// As [`deformable_bodies`].
pub(crate) fn constant_meshes(
    scene: &Scene,
    bodies: [usize; 2],
) -> Result<Option<DeformableBodies<'_>>, Error> {
    let is_mesh =
        |body: &usize| scene.bodies[*body].shape.as_ref().and_then(CollisionShape::vertices).is_some();
    let pair = bodies.iter().all(is_mesh).then(|| deformable_pair(scene, bodies)).transpose()?;
    Ok(pair.map(|pair| DeformableBodies { bodies, pair }))
}

/// The body in whose frame the trajectories of a pair are given.
fn frame_body(scene: &Scene, [a, b]: [usize; 2]) -> Option<usize> {
    if a == b { Some(a) } else { common_carrier(scene, a, b) }
}

/// An interval without its contact.
fn interval_of(scene: &Scene, StepInterval { enter, exit }: &StepInterval) -> SceneInterval {
    let (enter, exit) = (*enter, *exit);
    SceneInterval::new(enter, (exit[0] < scene.whole_duration()).then_some(exit))
}

/// The contact with which an interval starts, in the world.
fn deformable_contact(
    scene: &Scene,
    [a, b]: [usize; 2],
    (time, entry): ([f64; 2], &FirstFeatures),
) -> SceneContact {
    let SceneEvent { features, point, normal, .. } =
        world_event(scene, &entry.event, frame_body(scene, [a, b]));
    let touching = entry.event.contact.touching;
    let contact = Contact { time, features, point, normal, approach_speed: entry.speed, touching };
    SceneContact {
        contact,
        moving: a,
        static_body: b,
        axis: None,
        is_exact: false,
        velocity: None,
        interval: entry.span,
    }
}

/// An event in the world.
fn world_event(scene: &Scene, event: &DeformingEvent, carrier: Option<usize>) -> SceneEvent {
    let DeformingEvent { features, contact } = *event;
    let [point, normal] = match carrier {
        None => [contact.point, contact.normal],
        Some(carrier) => {
            let pose = scene.pose_at(carrier, contact.time[1]);
            [pose.transform_point(contact.point), pose.transform_vector(contact.normal)]
        }
    };
    SceneEvent { features, time: contact.time, point, normal }
}
