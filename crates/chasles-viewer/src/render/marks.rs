//! The content of a picture: the parts of bodies at their poses, and the marks of contacts.

use chasles::{Mesh, Pose};
use chasles_formats::report::reported::{ReportedContact, ReportedInterval, ReportedKind, ReportedPair};
use glam::DVec3;

use super::Highlight;
use crate::playback::{Playback, positions_at};

/// A part of a body.
#[derive(Debug, Clone)]
pub(super) struct Part<'p> {
    /// The number of the body.
    pub(super) body: usize,
    /// The number of the part in the scene of the engine.
    pub(super) number: usize,
    pub(super) mesh: &'p Mesh,
    /// Positions of its vertices in its frame, if it deforms.
    places: Option<Vec<DVec3>>,
    pub(super) pose: Pose,
    pub(super) moves: bool,
}

/// A mark, in world coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Mark {
    /// Two bodies that touch or are close to each other; the point, and the normal at the start of a contact.
    Pair {
        bodies: [usize; 2],
        point: Option<(DVec3, Option<DVec3>)>,
        near: bool,
    },
    Face([DVec3; 3]),
    Edge([DVec3; 2]),
    Vertex(DVec3),
    /// The point of an event of two features.
    Event(DVec3),
}

/// Contacts that start within this fraction of the duration after a time are marked at the time, and contacts that
/// started within it before have their normal.
const TIME_TOLERANCE: f64 = 1e-6;

/// Events within this fraction of the duration before a time are marked, as in the web page.
const RECENT: f64 = 0.04;

impl Part<'_> {
    /// The position of a vertex in the world.
    pub(super) fn place(&self, vertex: u32) -> DVec3 {
        let place = match &self.places {
            Some(places) => places[vertex as usize],
            None => self.mesh.vertex(vertex),
        };
        self.pose.transform_point(place)
    }

    /// The corners of its triangles in the world.
    pub(super) fn corners(&self) -> impl Iterator<Item = DVec3> + Clone + '_ {
        self.mesh.triangles().iter().flatten().map(|corner| self.place(*corner))
    }
}

/// All parts of all bodies with their poses at a time; or a message why a shape could not be read.
pub(super) fn parts(playback: &Playback, time: f64) -> Result<Vec<Part<'_>>, String> {
    let shown = playback.shown();
    let at = shown.time_of_scene(time);
    let mut parts = Vec::new();
    for (number, body) in shown.bodies.iter().enumerate() {
        for surface in &body.surfaces {
            let Some(shape) = &shown.scene.bodies()[*surface].shape else { continue };
            let pose = shown.scene.pose_at(*surface, at);
            let moves = playback.moves(number);
            let deforming = shape.deforming_surface().map(|surface| positions_at(surface, at)).transpose();
            let places = deforming.map_err(|error| format!("body {:?}: {error}", body.name))?;
            parts.push(Part { body: number, number: *surface, mesh: shape.drawn(), places, pose, moves });
        }
    }
    Ok(parts)
}

/// The marks at a time.
pub(super) fn marks(playback: &Playback, time: f64, highlight: Highlight, parts: &[Part<'_>]) -> Vec<Mark> {
    let [start, end] = playback.time_interval();
    let tolerance = TIME_TOLERANCE * (end - start);
    let lasts = |interval: &&ReportedInterval| {
        let exit = interval.exit.map_or(end, |exit| exit[1]);
        interval.enter[0] - tolerance <= time && time <= exit
    };
    let (mut marks, mut pairs) = (Vec::new(), Vec::new());
    for (pair, bodies) in playback.reported_pairs() {
        let near = pair.verdict == "near";
        let recent = (time - RECENT * (end - start)).max(start)..=time + tolerance;
        let events = pair.events.iter().filter(|event| recent.contains(&event.time[1]));
        marks.extend(events.map(|event| Mark::Event(vector(event.contact.point))));
        let Some(interval) = pair.intervals.iter().find(lasts) else { continue };
        let start_event =
            start_event_of(pair, interval, tolerance).filter(|_| time <= interval.enter[1] + tolerance);
        let point = match start_event {
            Some(contact) => Some((vector(contact.point), Some(vector(contact.normal)))),
            None => nearest(playback, time, bodies).map(|point| (point, None)),
        };
        if highlight == Highlight::Features {
            if let Some(contact) = start_event {
                marks.extend(features(contact, bodies, parts));
            }
            marks.extend(intersecting(playback, time, bodies, parts));
        }
        pairs.push(Mark::Pair { bodies, point, near });
    }
    // Pairs come last, so that their points are drawn over features.
    marks.extend(pairs);
    marks
}

/// The contact that starts an interval. For deforming bodies, the first event close enough to the start.
fn start_event_of<'r>(
    pair: &'r ReportedPair,
    interval: &'r ReportedInterval,
    tolerance: f64,
) -> Option<&'r ReportedContact> {
    let [lo, hi] = [interval.enter[0] - tolerance, interval.enter[1] + tolerance];
    let first = || pair.events.iter().find(|event| event.time[0] <= hi && lo <= event.time[1]);
    interval.contact.as_ref().or_else(|| first().map(|event| &event.contact))
}

/// The midpoint of the witness points of two bodies.
fn nearest(playback: &Playback, time: f64, bodies: [usize; 2]) -> Option<DVec3> {
    let shown = playback.shown();
    let at = [shown.time_of_scene(time)];
    let [a, b] = bodies.map(|body| &shown.bodies[body].surfaces);
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| [*a, *b]));
    let found = pairs.filter_map(|pair| Some(*shown.scene.distances(pair, &at).ok()??.first()?));
    let nearest_pair = found.min_by(|x, y| x.upper.total_cmp(&y.upper))?;
    Some(0.5 * (nearest_pair.points[0] + nearest_pair.points[1]))
}

/// The features of a contact. The report does not say which part of a body has the feature, so the part whose
/// feature is nearest to the contact point is used.
fn features(contact: &ReportedContact, bodies: [usize; 2], parts: &[Part<'_>]) -> Vec<Mark> {
    let kinds = match contact.kind {
        ReportedKind::VertexFace => [1, 3],
        ReportedKind::FaceVertex => [3, 1],
        ReportedKind::EdgeEdge => [2, 2],
        ReportedKind::Surfaces | ReportedKind::SurfaceSurface => [3, 3],
        // The mesh that displays a cloud has no vertex for each of its points.
        ReportedKind::PointSolid | ReportedKind::SolidPoint | ReportedKind::PointPoint => return Vec::new(),
    };
    let point = vector(contact.point);
    let mut marks = Vec::new();
    for (i, numbers) in [&contact.a, &contact.b].into_iter().enumerate() {
        let of_part = |part: &Part<'_>| feature(part, kinds[i], numbers);
        let found = parts.iter().filter(|part| part.body == bodies[i]).filter_map(of_part);
        marks.extend(
            found.min_by(|x, y| distance_of_centre(x, point).total_cmp(&distance_of_centre(y, point))),
        );
    }
    marks
}

/// A vertex, edge or face of a part, by the number of its corners.
fn feature(part: &Part<'_>, corners: usize, numbers: &[u32]) -> Option<Mark> {
    let vertex = |number: &u32| ((*number as usize) < part.mesh.vertex_count()).then(|| part.place(*number));
    match (corners, numbers) {
        (1, [number]) => vertex(number).map(Mark::Vertex),
        (2, [from, to]) => Some(Mark::Edge([vertex(from)?, vertex(to)?])),
        (3, [face]) => {
            let triangle = part.mesh.triangles().get(*face as usize)?;
            Some(Mark::Face(triangle.map(|corner| part.place(corner))))
        }
        _ => None,
    }
}

/// The distance of a feature's centre from a point.
fn distance_of_centre(mark: &Mark, point: DVec3) -> f64 {
    let middle = match mark {
        Mark::Face([p, q, r]) => (*p + *q + *r) / 3.0,
        Mark::Edge([p, q]) => 0.5 * (*p + *q),
        Mark::Vertex(p) | Mark::Event(p) => *p,
        Mark::Pair { .. } => return f64::INFINITY,
    };
    middle.distance(point)
}

/// The triangles of two bodies that intersect each other at a time.
fn intersecting(playback: &Playback, time: f64, bodies: [usize; 2], parts: &[Part<'_>]) -> Vec<Mark> {
    let shown = playback.shown();
    let Ok(pairs) = shown.scene.static_intersections(shown.time_of_scene(time)) else { return Vec::new() };
    let mut marks = Vec::new();
    for pair in pairs {
        for (side, number) in pair.bodies.into_iter().enumerate() {
            let part = parts.iter().find(|part| part.number == number && bodies.contains(&part.body));
            let other =
                parts.iter().any(|part| part.number == pair.bodies[1 - side] && bodies.contains(&part.body));
            let Some(part) = part.filter(|_| other) else { continue };
            let mut faces: Vec<u32> = pair.triangles.iter().map(|triangles| triangles[side]).collect();
            faces.sort_unstable();
            faces.dedup();
            marks.extend(faces.into_iter().filter_map(|face| feature(part, 3, &[face])));
        }
    }
    marks
}

fn vector(numbers: [f64; 3]) -> DVec3 {
    DVec3::from_array(numbers)
}
