//! Pairs of which at least one body deforms, and bodies with themselves; also the events of two rigid meshes.

use glam::DVec3;

use crate::deformable::DeformablePair;
use crate::deformable::against_round::MovingRoundBody;
use crate::deformable::contact_intervals::ProximityGoal;
use crate::deformable::contacts::DeformingContacts;
use crate::deformable::entry::FirstFeatures;
use crate::deformable::events::DeformingEvent;
use crate::deformable::moving_mesh::MovingMesh;
use crate::error::{Error, ErrorKind};
use crate::features::contact::Contact;
use crate::math::budget::Budget;
use crate::pair::Pair;
use crate::pair::shape::CollisionShape;
use crate::poses::Separation;
use crate::scene::Scene;
use crate::scene::carriers::common_carrier;
use crate::scene::closed_surfaces::ClosedSurfaces;
use crate::scene::report::{
    CheckOptions, Containment, Guarantee, IntersectingPair, PairListing, PairReport, PairUndecidedReason,
    PairVerdict, SceneContact, SceneEvent, SceneInterval,
};
use crate::trajectory::watch::ProgressMonitor;

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
    bodies: [usize; 2],
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

/// The report, and which body is inside the other, a hollow body, without contact.
///
/// # Errors
/// A frame cannot be read.
pub(crate) fn deformable_report(
    scene: &Scene,
    DeformableBodies { bodies, pair: mut following }: DeformableBodies<'_>,
    spans: &[[f64; 2]],
    closed_surfaces: &ClosedSurfaces<'_>,
    (options, watch): (&CheckOptions, &dyn ProgressMonitor),
) -> Result<(PairReport, Vec<Containment>), Error> {
    let [a, b] = bodies;
    let end = scene.whole_duration();
    let is_over = || watch.is_over();
    let new_budget = || Budget::new(options.budget).watched(Some(&is_over));
    let contact_goal = ProximityGoal { within: 0.0, tolerance: scene.tolerance() };
    let mut budget = new_budget();
    let mut found = following.follow(spans, &contact_goal, &mut budget)?;
    if a != b && bodies.iter().any(|body| scene.bodies[*body].solid) {
        let is_inside = |time: f64, places: [&[DVec3]; 2]| is_in_solid(scene, bodies, time, places);
        following.add_times_inside(spans, &mut found, &mut budget, is_inside)?;
    }
    let mut inside = Vec::new();
    for outer in if a == b { 0..0 } else { 0..2 } {
        let body = bodies[outer];
        let is_inside = |time: f64, places: [&[DVec3]; 2]| {
            is_in(scene, bodies, outer, (time, places)) && closed_surfaces.is_closed(body)
        };
        if !scene.bodies[body].solid
            && let Some(from) = following.first_time_inside(spans, &found, is_inside)?
        {
            inside.push(Containment { inner: bodies[1 - outer], outer: body, from });
        }
    }
    let intersects_at_start = found.intersects_at_start();
    let DeformingContacts { contacts: found_contacts, undecided, mut is_spent, deviation, certain } = found;
    let mut report = PairReport { deviation, ..PairReport::clear(bodies, end) };
    let (mut contacts, mut separated) = (Vec::with_capacity(found_contacts.len()), 0.0);
    for found in &found_contacts {
        let entry = following.entry(found.enter, separated, &mut budget)?;
        let contact = entry.map(|entry| deformable_contact(scene, bodies, (found.enter, &entry)));
        let meets = certain.iter().any(|span| found.enter[0] <= span[1] && span[0] <= found.exit[1]);
        let touching = !meets || found.enter[0] >= found.exit[0];
        contacts.push(SceneInterval { contact, touching, ..interval_of(scene, found.enter, found.exit) });
        separated = found.exit[1];
    }
    let overlaps = intersects_at_start && contacts.first().is_some_and(|first| first.enter == [0.0; 2]);
    report.set_contacts(contacts, undecided, overlaps);
    if options.events {
        is_spent |= !add_found_events(scene, &mut report, &mut following, &mut budget)?;
    }
    let clearance = if a == b { 0.0 } else { scene.clearance_of(bodies) };
    if report.verdict == PairVerdict::Clear && clearance > 0.0 {
        let clearance_goal = ProximityGoal { within: clearance, tolerance: scene.tolerance() };
        let near = following.follow(spans, &clearance_goal, &mut new_budget())?;
        report.deviation = report.deviation.max(near.deviation);
        let intervals = near.contacts.iter().map(|near| interval_of(scene, near.enter, near.exit)).collect();
        report.set_near(intervals, near.undecided);
        is_spent = near.is_spent;
    }
    let is_listed = report.verdict == PairVerdict::Clear && options.listed == PairListing::All;
    if a != b && (report.verdict == PairVerdict::Near || is_listed) {
        let sizes =
            bodies.map(|body| scene.bodies[body].shape.as_ref().map_or(0.0, CollisionShape::diagonal));
        let gap = following.minimum_distance(sizes[0].min(sizes[1]), &mut new_budget())?;
        if gap.bounds[1].is_finite() {
            (report.gap, report.gap_time) = (Some(gap.bounds), Some(gap.time));
        }
    }
    report.reason = match (watch.is_over(), is_spent, report.undecided.is_empty()) {
        (true, true, _) => Some(PairUndecidedReason::Stopped),
        (_, true, _) => Some(PairUndecidedReason::Budget),
        (_, _, false) => Some(PairUndecidedReason::Rounding),
        _ => None,
    };
    report.set_clear_until(end);
    Ok((report, inside))
}

/// Adds the events of two meshes that do not deform, if they are in contact. Other bodies have no features.
///
/// # Errors
/// An error of the search for events.
pub(crate) fn add_events(
    scene: &Scene,
    report: &mut PairReport,
    (options, watch): (&CheckOptions, &dyn ProgressMonitor),
) -> Result<(), Error> {
    let meshes =
        report.bodies.map(|body| scene.bodies[body].shape.as_ref().and_then(CollisionShape::vertices));
    if meshes.iter().any(Option::is_none) {
        return Ok(());
    }
    let is_over = || watch.is_over();
    let mut budget = Budget::new(options.budget).watched(Some(&is_over));
    let mut following = deformable_pair(scene, report.bodies)?;
    if !add_found_events(scene, report, &mut following, &mut budget)? {
        let reason = if watch.is_over() { PairUndecidedReason::Stopped } else { PairUndecidedReason::Budget };
        report.reason = report.reason.or(Some(reason));
    }
    Ok(())
}

/// Adds the events during the contact intervals; returns whether all events were found.
fn add_found_events(
    scene: &Scene,
    report: &mut PairReport,
    following: &mut DeformablePair<'_>,
    budget: &mut Budget<'_>,
) -> Result<bool, Error> {
    if !matches!(report.verdict, PairVerdict::Contact | PairVerdict::Overlapping) {
        return Ok(true);
    }
    let whole = |interval: &SceneInterval| {
        [interval.enter[0], interval.exit.map_or(scene.whole_duration(), |exit| exit[1])]
    };
    let spans: Vec<[f64; 2]> = report.intervals.iter().map(whole).collect();
    let (events, is_complete) = following.events(&spans, budget)?;
    let carrier = frame_body(scene, report.bodies);
    report.events = events.iter().map(|event| world_event(scene, event, carrier)).collect();
    Ok(is_complete)
}

/// The body in whose frame the trajectories of a pair are given.
fn frame_body(scene: &Scene, [a, b]: [usize; 2]) -> Option<usize> {
    if a == b { Some(a) } else { common_carrier(scene, a, b) }
}

/// An interval without its contact.
fn interval_of(scene: &Scene, enter: [f64; 2], exit: [f64; 2]) -> SceneInterval {
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
