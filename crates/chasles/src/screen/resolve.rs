//! Resolves contacts at which a vertex meets an edge or another vertex: one collision in place of many (Buss 2005,
//! "Types of collisions").
//!
//! If a vertex passes an edge or a vertex within the tolerance, a search finds an event with every face around it,
//! and every edge at the vertex meets the edge as well. These events are grouped by vertex and time. Several
//! vertex-face pairs describe a group; the most proper pair that matters represents it.

use glam::DVec3;

use crate::features::contact::closest_of;
use crate::features::event::{EventKind, FeatureEvent, FeaturePair};
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::distance::point_segment_squared;
use crate::screen::collision::{Collision, DegenerateFeatures};
use crate::screen::proper::{MatchingParts, Rating};
use crate::shape::Mesh;

/// A position on a surface, by the feature that contains it in its interior.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventAt {
    Vertex(u32),
    Edge(u32),
    Face,
}

/// An event, with its positions on both surfaces.
#[derive(Debug, Clone, Copy)]
struct PlacedEvent<'e> {
    event: &'e FeatureEvent,
    a: EventAt,
    b: EventAt,
}

/// The collisions made of the events of a motion, and the counts of the others.
#[derive(Debug, Default)]
pub(super) struct ResolvedEvents {
    pub(super) collisions: Vec<Collision>,
    pub(super) culled: usize,
    pub(super) doubtful: usize,
}

impl ResolvedEvents {
    fn add(&mut self, collision: Option<Collision>) {
        match collision {
            Some(collision) => self.collisions.push(collision),
            None => self.culled += 1,
        }
    }
}

/// Values of properness that differ by less count as equal.
const EQUAL: f64 = 1e-12;

/// Events of one vertex belong together if the vertex moves by less than this multiple of the distance `near` between
/// them.
const SIMULTANEOUS: f64 = 8.0;

/// Makes collisions of events, which are sorted by the ends of their enclosures.
pub(super) fn resolve(
    surfaces: &MatchingParts<'_>,
    events: &[FeatureEvent],
    tolerance: f64,
    budget: &mut Budget<'_>,
) -> Result<ResolvedEvents, OutOfBudget> {
    let near = tolerance + 4.0 * surfaces.motion.rounding;
    let resolver = Resolver { surfaces, near };
    let (mut of_a, mut of_b, mut groups) = (Vec::new(), Vec::new(), Vec::new());
    for event in events {
        budget.step()?;
        let placed = resolver.locate(event);
        match (placed.a, placed.b) {
            (EventAt::Vertex(vertex), _) => of_a.push((vertex, placed)),
            (_, EventAt::Vertex(vertex)) => of_b.push((vertex, placed)),
            _ => groups.push(vec![placed]),
        }
    }
    let mut at_vertices = resolver.grouped(of_a);
    resolver.join(&mut at_vertices, &mut of_b);
    groups.extend(at_vertices);
    groups.extend(resolver.grouped(of_b));
    let mut resolved = ResolvedEvents::default();
    groups.iter().try_for_each(|group| resolver.add_group(group, &mut resolved, budget))?;
    let order = |x: &Collision, y: &Collision| {
        let time = x.contact.time[0].total_cmp(&y.contact.time[0]);
        time.then_with(|| x.contact.features.cmp(&y.contact.features))
    };
    resolved.collisions.sort_by(order);
    Ok(resolved)
}

struct Resolver<'m, 'a> {
    surfaces: &'m MatchingParts<'a>,
    /// A contact within this distance of a border, in metres, is at the border.
    near: f64,
}

impl Resolver<'_, '_> {
    /// The positions of an event on both surfaces.
    fn locate<'e>(&self, event: &'e FeatureEvent) -> PlacedEvent<'e> {
        let (a, b) = (self.surfaces.a.mesh, self.surfaces.b.mesh);
        let motion = self.surfaces.motion;
        let basis = motion.basis(event.representative_time());
        let moved = |v: u32| motion.path(a.local()[v as usize]).at(&basis);
        let closest = closest_of(event.pair, a, b, motion, &basis);
        let (at_a, at_b) = match event.pair {
            FeaturePair::VertexFace { vertex, face } => {
                let at_b = self.locate_on_triangle(b, face, b.local_triangle(face), closest.b);
                (EventAt::Vertex(vertex), at_b)
            }
            FeaturePair::FaceVertex { face, vertex } => {
                let corners = a.triangles()[face as usize].map(moved);
                (self.locate_on_triangle(a, face, corners, closest.a), EventAt::Vertex(vertex))
            }
            FeaturePair::EdgeEdge { a: edge_a, b: edge_b } => {
                let ends = (a.edges()[edge_a as usize], b.edges()[edge_b as usize]);
                let places_b = ends.1.map(|v| b.local()[v as usize]);
                let locate_on_edge = |edge: u32, ends: [u32; 2], places: [DVec3; 2], p: DVec3| {
                    let [to_first, to_second] = places.map(|end| p.distance(end));
                    if to_first.min(to_second) > self.near {
                        EventAt::Edge(edge)
                    } else {
                        EventAt::Vertex(ends[usize::from(to_second < to_first)])
                    }
                };
                let at_a = locate_on_edge(edge_a, ends.0, ends.0.map(moved), closest.a);
                (at_a, locate_on_edge(edge_b, ends.1, places_b, closest.b))
            }
        };
        PlacedEvent { event, a: at_a, b: at_b }
    }

    fn locate_on_triangle(&self, mesh: &Mesh, face: u32, corners: [DVec3; 3], p: DVec3) -> EventAt {
        let vertices = mesh.triangles()[face as usize];
        let nearest = (0..3).min_by(|i, j| p.distance(corners[*i]).total_cmp(&p.distance(corners[*j])));
        if let Some(i) = nearest.filter(|i| p.distance(corners[*i]) <= self.near) {
            return EventAt::Vertex(vertices[i]);
        }
        let side = |i: &usize| point_segment_squared(p, [corners[*i], corners[(i + 1) % 3]]);
        let nearest = (0..3).min_by(|i, j| side(i).total_cmp(&side(j)));
        match nearest.filter(|i| side(i) <= self.near * self.near) {
            Some(i) => EventAt::Edge(mesh.triangle_edges()[face as usize][i]),
            None => EventAt::Face,
        }
    }

    /// Groups the events of each vertex that belong to the same contact.
    fn grouped<'e>(&self, mut of_vertices: Vec<(u32, PlacedEvent<'e>)>) -> Vec<Vec<PlacedEvent<'e>>> {
        // The sort is stable: the events of a vertex keep their order, so the last event of a group is the nearest.
        of_vertices.sort_by_key(|(vertex, _)| *vertex);
        let mut groups: Vec<Vec<PlacedEvent<'e>>> = Vec::new();
        let mut before = None;
        for (vertex, placed) in of_vertices {
            let last = groups.last_mut().filter(|_| before == Some(vertex));
            let joins = |group: &&mut Vec<PlacedEvent<'_>>| {
                group.last().is_some_and(|last| self.are_simultaneous(last.event, placed.event))
            };
            match last.filter(joins) {
                Some(group) => group.push(placed),
                None => groups.push(vec![placed]),
            }
            before = Some(vertex);
        }
        groups
    }

    /// Moves events of an edge of A at a vertex of B into the group of a vertex of A that meets the same vertex of B.
    fn join<'e>(&self, groups: &mut [Vec<PlacedEvent<'e>>], of_b: &mut Vec<(u32, PlacedEvent<'e>)>) {
        let mut groups_of_vertices: Vec<(u32, usize)> = Vec::new();
        for (i, group) in groups.iter().enumerate() {
            let vertices = group.iter().filter_map(|placed| placed.vertex_of_b());
            groups_of_vertices.extend(vertices.map(|vertex| (vertex, i)));
        }
        groups_of_vertices.sort_unstable();
        groups_of_vertices.dedup();
        of_b.retain(|(vertex, placed)| {
            let first = groups_of_vertices.partition_point(|(v, _)| v < vertex);
            let of_vertex = groups_of_vertices[first..].iter().take_while(|(v, _)| v == vertex);
            let has_simultaneous = |group: &[PlacedEvent<'_>]| {
                let mut at_vertex = group.iter().filter(|other| other.vertex_of_b() == Some(*vertex));
                at_vertex.any(|other| self.are_simultaneous(other.event, placed.event))
            };
            let found = of_vertex.map(|(_, group)| *group).find(|group| has_simultaneous(&groups[*group]));
            found.map(|group| groups[group].push(*placed)).is_none()
        });
    }

    /// Whether two events happen at nearly the same time and place. The duration of a touch does not matter: edges
    /// that slide along each other pass many places.
    fn are_simultaneous(&self, one: &FeatureEvent, other: &FeatureEvent) -> bool {
        let gap = (other.lo - one.hi).max(one.lo - other.hi);
        gap <= 0.0 || gap * self.surfaces.fastest() <= SIMULTANEOUS * self.near
    }

    /// Adds the collision that represents the events of one contact.
    fn add_group(
        &self,
        group: &[PlacedEvent<'_>],
        resolved: &mut ResolvedEvents,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        let mut decided: Vec<&FeatureEvent> =
            group.iter().map(|placed| placed.event).filter(|e| e.kind != EventKind::Undecided).collect();
        let Some(degenerate) = group.iter().filter_map(PlacedEvent::features_at).min() else {
            // Without a vertex at an edge or vertex each event is a collision of its own.
            resolved.doubtful += group.len() - decided.len();
            return decided.iter().try_for_each(|event| {
                budget.step()?;
                let collision = self.collision(event, None);
                resolved.add(collision);
                Ok(())
            });
        };
        let crossing = decided.iter().find(|event| event.crosses());
        let Some(first) = crossing.or(decided.first()).copied() else {
            resolved.doubtful += 1;
            return Ok(());
        };
        decided.sort_by_key(|event| event.pair);
        let mut candidates: Vec<FeaturePair> =
            group.iter().flat_map(|placed| self.candidates(placed)).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let mut best: Option<Collision> = None;
        for pair in candidates {
            budget.step()?;
            let known_event =
                decided.binary_search_by_key(&pair, |event| event.pair).ok().map(|i| *decided[i]);
            let found =
                self.collision(&known_event.unwrap_or(FeatureEvent { pair, ..*first }), Some(degenerate));
            best = match (best, found) {
                (Some(best), Some(found)) if found.properness <= best.properness + EQUAL => Some(best),
                (best, found) => found.or(best),
            };
        }
        resolved.add(best);
        Ok(())
    }

    /// An event as a collision; `None` if it does not matter.
    fn collision(&self, event: &FeatureEvent, from: Option<DegenerateFeatures>) -> Option<Collision> {
        let (contact, rating) = self.surfaces.contact(event);
        let Rating { properness, proper, matters, .. } = rating;
        matters.then_some(Collision { contact, properness, proper, from })
    }

    /// The vertex-face pairs that can describe an event.
    fn candidates(&self, placed: &PlacedEvent<'_>) -> Vec<FeaturePair> {
        let around = |at: EventAt, mesh: &Mesh| match at {
            EventAt::Vertex(vertex) => mesh.around().faces_at_vertex(vertex).to_vec(),
            EventAt::Edge(edge) => mesh.around().faces_at_edge(edge).to_vec(),
            EventAt::Face => Vec::new(),
        };
        let mut pairs = Vec::new();
        if let EventAt::Vertex(vertex) = placed.a {
            let faces = around(placed.b, self.surfaces.b.mesh);
            pairs.extend(faces.into_iter().map(|face| FeaturePair::VertexFace { vertex, face }));
        }
        if let EventAt::Vertex(vertex) = placed.b {
            let faces = around(placed.a, self.surfaces.a.mesh);
            pairs.extend(faces.into_iter().map(|face| FeaturePair::FaceVertex { face, vertex }));
        }
        if matches!(
            (placed.a, placed.b),
            (EventAt::Vertex(_), EventAt::Face) | (EventAt::Face, EventAt::Vertex(_))
        ) {
            pairs.push(placed.event.pair);
        }
        pairs
    }
}

impl PlacedEvent<'_> {
    fn vertex_of_b(&self) -> Option<u32> {
        if let EventAt::Vertex(vertex) = self.b { Some(vertex) } else { None }
    }

    /// The degenerate features of the event, if it needs resolving.
    fn features_at(&self) -> Option<DegenerateFeatures> {
        match (self.a, self.b) {
            (EventAt::Vertex(_), EventAt::Vertex(_)) => Some(DegenerateFeatures::VertexVertex),
            (EventAt::Vertex(_), EventAt::Edge(_)) => Some(DegenerateFeatures::VertexEdge),
            (EventAt::Edge(_), EventAt::Vertex(_)) => Some(DegenerateFeatures::EdgeVertex),
            _ => None,
        }
    }
}
