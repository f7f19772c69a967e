//! Counts how often each vertex enters and leaves the other body.
//!
//! While a vertex is not near the other surface, the vertex stays inside or outside. One query, by the parity of a
//! ray in exact arithmetic, decides which. Everything that happens while the vertex is near (it goes through a face,
//! an edge or a vertex, or only touches one) is one episode. An episode is an entry or an exit if the sides before and
//! after it differ. So entries minus exits always agree with the queries at the start and the end, if both are known.

use glam::DVec3;

use crate::body::{PreparedMesh, PreparedPair};
use crate::features::event::{EventKind, FeatureEvent, FeaturePair};
use crate::instant::inside::{Location, is_inside};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::distance::point_triangle;
use crate::mesh_screw::pipeline::ScrewSearch;
use crate::motion::{Pose, Screw};
use crate::screen::facing::Role;
use crate::screen::proper::MatchingParts;

/// How often a vertex enters and leaves the other body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexPassages {
    /// The vertex.
    pub vertex: u32,
    /// Whether the vertex is inside the other body at the start; `None` if it is within the tolerance of the surface.
    pub start: Option<bool>,
    /// As `start`, at the end of the motion.
    pub end: Option<bool>,
    /// Number of entries; one that passes several faces, edges or vertices within the tolerance counts once.
    pub entries: u32,
    /// Number of exits.
    pub exits: u32,
}

/// A query for the vertices of one body and the closed surface of the other.
struct PassageQuery<'s> {
    role: Role,
    /// The body with the vertices.
    body: &'s PreparedMesh,
    /// The other body.
    solid: &'s PreparedMesh,
    surfaces: &'s MatchingParts<'s>,
    screw: &'s Screw,
    tolerance: f64,
}

/// An interval of time in which a vertex is near the other surface, or passes through it.
#[derive(Debug, Clone, Copy)]
struct NearTime {
    from: f64,
    until: f64,
    /// If the interval is one clean passage: whether the vertex is inside afterwards.
    clean: Option<bool>,
}

/// Numbers of entries and exits of one vertex.
struct PassageCounts {
    entries: u32,
    exits: u32,
}

/// Computes the passages of A's vertices through B and of B's vertices through A, from the events of the whole
/// motion; `None` if the other body is not closed. Vertices that stay outside throughout are left out.
pub(super) fn passages(
    search: &ScrewSearch<'_>,
    surfaces: &MatchingParts<'_>,
    screw: &Screw,
    events: &[FeatureEvent],
    budget: &mut Budget<'_>,
) -> Result<[Option<Vec<VertexPassages>>; 2], OutOfBudget> {
    let mut found = [None, None];
    let PreparedPair { a, b } = search.bodies;
    for ((role, body, solid), found) in [(Role::A, a, b), (Role::B, b, a)].into_iter().zip(&mut found) {
        if solid.mesh().around().is_closed() {
            let query = PassageQuery { role, body, solid, surfaces, screw, tolerance: search.tolerance };
            *found = Some(query.passages_of_all(events, budget)?);
        }
    }
    Ok(found)
}

impl PassageQuery<'_> {
    fn passages_of_all(
        &self,
        events: &[FeatureEvent],
        budget: &mut Budget<'_>,
    ) -> Result<Vec<VertexPassages>, OutOfBudget> {
        let mut near: Vec<(u32, u32, &FeatureEvent)> = events
            .iter()
            .filter_map(|event| self.vertex_and_face(event).map(|(v, f)| (v, f, event)))
            .collect();
        near.sort_by(|(v, _, x), (w, _, y)| v.cmp(w).then(x.lo.total_cmp(&y.lo)));
        let mut found = Vec::new();
        let mut remaining = &near[..];
        for vertex in self.body.mesh().used_vertices() {
            budget.step()?;
            let (of_vertex, others) = remaining.split_at(remaining.partition_point(|(v, ..)| *v == vertex));
            remaining = others;
            let passages = self.passages_of_one(vertex, of_vertex);
            let VertexPassages { start, end, entries, exits, .. } = passages;
            let stays_outside = start == Some(false) && end == Some(false) && entries + exits == 0;
            if !stays_outside {
                found.push(passages);
            }
        }
        Ok(found)
    }

    /// The vertex of this body and the face of the other body in an event.
    fn vertex_and_face(&self, event: &FeatureEvent) -> Option<(u32, u32)> {
        match (self.role, event.pair) {
            (Role::A, FeaturePair::VertexFace { vertex, face })
            | (Role::B, FeaturePair::FaceVertex { face, vertex }) => Some((vertex, face)),
            _ => None,
        }
    }

    fn passages_of_one(&self, vertex: u32, near: &[(u32, u32, &FeatureEvent)]) -> VertexPassages {
        let start_pose = self.screw.start();
        if near.is_empty() {
            let start = Some(self.is_inside_at(vertex, &start_pose));
            return VertexPassages { vertex, start, end: start, entries: 0, exits: 0 };
        }
        let end_pose = self.screw.end();
        let side = |pose: &Pose| {
            let touches =
                near.iter().any(|(_, face, _)| self.distance(vertex, *face, pose) <= self.tolerance);
            (!touches).then(|| self.is_inside_at(vertex, pose))
        };
        let (start, end) = (side(&start_pose), side(&end_pose));
        let near_times = self.near_times(near);
        let PassageCounts { entries, exits } = self
            .count_by_directions(&near_times, start, end)
            .unwrap_or_else(|| self.count_by_queries(vertex, &near_times, start, end));
        VertexPassages { vertex, start, end, entries, exits }
    }

    /// The intervals in which a vertex is near, in order; overlapping intervals are merged.
    fn near_times(&self, near: &[(u32, u32, &FeatureEvent)]) -> Vec<NearTime> {
        let mut merged: Vec<NearTime> = Vec::new();
        for (_, _, event) in near {
            let until = if event.crosses() { event.hi } else { event.hi.max(event.end[1]) };
            match merged.last_mut() {
                Some(last) if event.lo <= last.until => {
                    *last = NearTime { until: last.until.max(until), clean: None, ..*last };
                }
                _ => merged.push(NearTime { from: event.lo, until, clean: self.enters(event) }),
            }
        }
        merged
    }

    /// Whether an event is certainly a passage inward (true) or outward (false).
    fn enters(&self, event: &FeatureEvent) -> Option<bool> {
        if event.kind != EventKind::Crossing {
            return None;
        }
        let basis = self.surfaces.motion.basis(event.representative_time());
        let (facing, speed_tolerance) = self.surfaces.facing_of(event.pair, &basis);
        // `facing` is positive if the velocity of A relative to B is along the outward normal of the face. A vertex of
        // A enters against the normal of B's face, and a face of A that moves along its normal takes in a vertex of B.
        let inward = if self.role == Role::A { -facing } else { facing };
        (inward.abs() > speed_tolerance).then_some(inward > 0.0)
    }

    /// Counts by the directions of passages; `None` if the direction of one is uncertain, if a side at the start or the
    /// end is unknown, or if these disagree.
    fn count_by_directions(
        &self,
        near_times: &[NearTime],
        start: Option<bool>,
        end: Option<bool>,
    ) -> Option<PassageCounts> {
        let (mut inside, mut entries, mut exits) = (start?, 0, 0);
        for near in near_times {
            let enters = near.clean?;
            if enters == inside {
                return None;
            }
            inside = enters;
            if enters { entries += 1 } else { exits += 1 }
        }
        (inside == end?).then_some(PassageCounts { entries, exits })
    }

    /// Counts by queries between passages: on which side is the vertex?
    fn count_by_queries(
        &self,
        vertex: u32,
        near_times: &[NearTime],
        start: Option<bool>,
        end: Option<bool>,
    ) -> PassageCounts {
        let (mut before, mut entries, mut exits) = (start, 0, 0);
        for (i, near) in near_times.iter().enumerate() {
            let next = near_times.get(i + 1);
            let after = match next {
                None if end.is_some() || near.until >= 1.0 => end,
                _ => {
                    let until = next.map_or(1.0, |next| next.from);
                    let pose = self.screw.pose_at(0.5 * (near.until + until));
                    Some(self.is_inside_at(vertex, &pose))
                }
            };
            match (before, after) {
                (Some(false), Some(true)) => entries += 1,
                (Some(true), Some(false)) => exits += 1,
                _ => {}
            }
            before = after;
        }
        PassageCounts { entries, exits }
    }

    /// Whether a vertex is inside the other body, with A at a pose in B's frame.
    fn is_inside_at(&self, vertex: u32, pose: &Pose) -> bool {
        // A vertex within the tolerance of the surface may be on either side.
        is_inside(self.solid, self.vertex_in_frame(vertex, pose)) == Location::Inside
    }

    /// The vertex in the frame of the other body.
    fn vertex_in_frame(&self, vertex: u32, pose: &Pose) -> DVec3 {
        let point = self.body.mesh().vertex(vertex);
        match self.role {
            Role::A => pose.transform_point(point),
            Role::B => pose.inverse().transform_point(point),
        }
    }

    /// The distance of a vertex from a face of the other body, in metres.
    fn distance(&self, vertex: u32, face: u32, pose: &Pose) -> f64 {
        let mesh = self.solid.mesh();
        let point = self.vertex_in_frame(vertex, pose) - mesh.centre();
        point_triangle(point, &mesh.local_triangle(face)).squared.sqrt()
    }
}
