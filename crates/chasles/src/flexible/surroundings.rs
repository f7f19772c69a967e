//! Tests surfaces against each other: near features, and all events of a step, exactly.
//!
//! Each flexible body is tested against itself, against all static bodies that can collide with it, as one surface,
//! against each static round body (`beside_round`), and against each other flexible body that can collide with it.

use glam::DVec3;
use rayon::prelude::*;

use crate::deformable::elementary::features::MovingKind;
use crate::deformable::elementary::place::nearest;
use crate::deformable::step::{MovingSurfaces, SelfTest, SurfaceFeatures, SurfaceStep};
use crate::error::Error;
use crate::features::contact::ContactFeatures;
use crate::flexible::beside_round::RoundPairing;
use crate::flexible::vertex_contact::{ContactCorner, VertexContact};
use crate::math::direction::unit_along;
use crate::shape::Mesh;

/// Maximum number of steps for the test of one pairing.
const BUDGET: u64 = 50_000_000;

/// The normal of features closer than this, in metres, is the face's, or the direction across both edges.
const NO_DIRECTION: f64 = 1e-11;

/// A tested surface.
#[derive(Debug, Clone)]
struct TestedSurface {
    mesh: Mesh,
    owner: SurfaceOwner,
}

#[derive(Debug, Clone)]
enum SurfaceOwner {
    /// A flexible body: its number among the flexible bodies, and in the scene.
    Flexible {
        number: usize,
        body: usize,
    },
    Static(Vec<StaticPart>),
}

/// A static body: its number in the scene, and the ends of its vertices and triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
struct StaticPart {
    body: usize,
    vertices: u32,
    triangles: u32,
}

/// One surface and itself, or two surfaces.
#[derive(Debug, Clone)]
struct Pairing {
    sides: Vec<TestedSurface>,
    surfaces: MovingSurfaces,
    /// The vertices of the sides before and after a step; static ones do not change.
    start: Vec<Vec<DVec3>>,
    end: Vec<Vec<DVec3>>,
}

/// The place where two features nearly touch.
#[derive(Debug, Clone, Copy)]
struct ContactGeometry {
    /// The weights of the nearest points: of the second and third corner of a face, or along both edges.
    weights: [f64; 2],
    /// On B.
    point: DVec3,
    /// From A to B, unit.
    normal: DVec3,
    /// In metres.
    gap: f64,
}

/// All pairings of surfaces.
#[derive(Debug, Clone)]
pub(super) struct NeighbourSurfaces {
    pairings: Vec<Pairing>,
    rounds: Vec<RoundPairing>,
    /// Maximum number of steps for the test of one pairing.
    budget: u64,
}

/// Two features that meet during a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StepEvent {
    /// As a fraction of the step, rounded down.
    pub(super) time: f64,
    /// Its gap is 0.
    pub(super) contact: VertexContact,
}

/// All events of a step, sorted by time; if there are none, the surfaces are proven separated. The error is two bodies
/// for which the budget did not suffice.
pub(super) type StepTest = Result<Vec<StepEvent>, [usize; 2]>;

/// The static bodies that can collide with a flexible body, as triangles in the world.
#[derive(Debug, Clone, Default)]
pub(super) struct StaticTriangles {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    parts: Vec<StaticPart>,
}

impl StaticTriangles {
    /// Adds a body with its vertices in the world.
    pub(super) fn add(&mut self, body: usize, mesh: &Mesh, positions: &[DVec3]) {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let first = number(self.vertices.len());
        self.vertices.extend(positions);
        self.triangles.extend(mesh.triangles().iter().map(|own| own.map(|v| v.saturating_add(first))));
        let (vertices, triangles) = (number(self.vertices.len()), number(self.triangles.len()));
        self.parts.push(StaticPart { body, vertices, triangles });
    }
}

impl NeighbourSurfaces {
    /// From the meshes and scene numbers of all flexible bodies, the static triangles around each of them, the pairings
    /// with static round bodies, and the pairs that can collide.
    pub(super) fn new(
        flexible: &[(Mesh, usize)],
        static_surfaces: Vec<StaticTriangles>,
        rounds: Vec<RoundPairing>,
        may_collide: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Self, Error> {
        let side = |number: usize| {
            let (mesh, body) = flexible[number].clone();
            TestedSurface { mesh, owner: SurfaceOwner::Flexible { number, body } }
        };
        let mut pairings = Vec::new();
        for (number, surface) in static_surfaces.into_iter().enumerate() {
            pairings.push(Pairing::new(vec![side(number)], &[]));
            if !surface.triangles.is_empty() {
                let mesh = Mesh::new(surface.vertices.clone(), surface.triangles)?;
                let other = TestedSurface { mesh, owner: SurfaceOwner::Static(surface.parts) };
                pairings.push(Pairing::new(vec![side(number), other], &surface.vertices));
            }
            let others = number + 1..flexible.len();
            let others = others.filter(|other| may_collide(flexible[number].1, flexible[*other].1));
            pairings.extend(others.map(|other| Pairing::new(vec![side(number), side(other)], &[])));
        }
        Ok(Self { pairings, rounds, budget: BUDGET })
    }

    /// All pairs of features of different bodies closer than `reach`, in metres. In a single body, only the `known`
    /// ones that are still that close: its near features need not approach each other, so events alone find them.
    ///
    /// # Errors
    /// A position that is not finite; more candidates than the budget has steps.
    pub(super) fn near_features(
        &mut self,
        positions: &[Vec<DVec3>],
        reach: f64,
        known: &[VertexContact],
    ) -> Result<Vec<VertexContact>, Error> {
        let budget = self.budget;
        let own = |(number, pairing): (usize, &mut Pairing)| {
            pairing.set(positions, positions);
            if pairing.sides.len() < 2 {
                let known = known.iter().filter(|contact| contact.key.0 == number);
                let again = |contact: &VertexContact| {
                    let pair = SurfaceFeatures { surfaces: [0, 0], features: contact.key.1 };
                    pairing.contact_of_features(number, &pair, reach)
                };
                return Ok(known.filter_map(again).collect());
            }
            let step = SurfaceStep { start: &pairing.start, end: &pairing.start };
            let found = pairing.surfaces.candidates(&step, reach, budget)?;
            Ok(found.iter().filter_map(|pair| pairing.contact_of_features(number, pair, reach)).collect())
        };
        let found: Result<Vec<Vec<VertexContact>>, Error> =
            self.pairings.par_iter_mut().enumerate().map(own).collect();
        let first = self.pairings.len();
        let rounds = (first..).zip(&self.rounds);
        let beside_round = rounds.flat_map(|(number, own)| own.near_features(number, positions, reach));
        Ok(found?.into_iter().flatten().chain(beside_round).collect())
    }

    /// The number in the scene of a flexible body whose surface intersects itself or another at these positions, or
    /// for which that is undecided.
    ///
    /// # Errors
    /// A position that is not finite.
    pub(super) fn intersecting_body(&mut self, positions: &[Vec<DVec3>]) -> Result<Option<usize>, Error> {
        let budget = self.budget;
        for pairing in &mut self.pairings {
            pairing.set(positions, positions);
            let step = SurfaceStep { start: &pairing.start, end: &pairing.start };
            let both = [0, pairing.sides.len() - 1];
            let found = pairing.surfaces.intervals(&step, both, budget)?;
            if !found.intervals.is_empty() || !found.undecided.is_empty() {
                return Ok(Some(pairing.bodies()[0]));
            }
        }
        Ok(self.rounds.iter().find(|own| own.is_touching(positions)).map(|own| own.bodies()[0]))
    }

    /// All features that meet while vertices move straight from `start` to `end`, sorted by time.
    ///
    /// # Errors
    /// A position that is not finite.
    pub(super) fn events(&mut self, start: &[Vec<DVec3>], end: &[Vec<DVec3>]) -> Result<StepTest, Error> {
        let budget = self.budget;
        let own = |(number, pairing): (usize, &mut Pairing)| {
            pairing.set(start, end);
            let step = SurfaceStep { start: &pairing.start, end: &pairing.end };
            let found = pairing.surfaces.events(&step, 0.0, budget)?;
            if !found.is_complete || !found.undecided.is_empty() {
                return Ok(Err(pairing.bodies()));
            }
            let mut events = Vec::new();
            for event in &found.events {
                let time = event.contact.time[0];
                let geometry = ContactGeometry {
                    weights: event.contact.weights,
                    point: event.contact.point,
                    normal: event.contact.normal,
                    gap: 0.0,
                };
                let Some(mut contact) = pairing.vertex_contact(number, &event.pair, geometry) else {
                    return Ok(Err(pairing.bodies()));
                };
                // The points that meet move straight towards each other; if they nearly touch at the start, only this
                // motion gives the sign of the normal.
                let displacement = |corner: &ContactCorner| {
                    let ContactCorner { flexible, vertex, weight } = *corner;
                    weight * (end[flexible][vertex] - start[flexible][vertex])
                };
                if contact.corners.iter().map(displacement).sum::<DVec3>().dot(contact.normal) > 0.0 {
                    contact.normal = -contact.normal;
                }
                events.push(StepEvent { time, contact });
            }
            Ok(Ok(events))
        };
        let found: Result<Vec<_>, Error> = self.pairings.par_iter_mut().enumerate().map(own).collect();
        let mut all = Vec::new();
        for found in found? {
            match found {
                Ok(events) => all.extend(events),
                Err(bodies) => return Ok(Err(bodies)),
            }
        }
        for (number, own) in (self.pairings.len()..).zip(&self.rounds) {
            let Some(events) = own.events(number, start, end) else { return Ok(Err(own.bodies())) };
            all.extend(events.into_iter().map(|(time, contact)| StepEvent { time, contact }));
        }
        all.sort_by(|p, q| p.time.total_cmp(&q.time).then(p.contact.key.cmp(&q.contact.key)));
        Ok(Ok(all))
    }
}

impl Pairing {
    fn new(sides: Vec<TestedSurface>, static_vertices: &[DVec3]) -> Self {
        let test = if sides.len() == 1 { SelfTest::Tested } else { SelfTest::Skipped };
        let surfaces = MovingSurfaces::new(sides.iter().map(|side| (side.mesh.clone(), test)).collect());
        let positions: Vec<Vec<DVec3>> = sides
            .iter()
            .map(|side| match side.owner {
                SurfaceOwner::Flexible { .. } => Vec::new(),
                SurfaceOwner::Static(_) => static_vertices.to_vec(),
            })
            .collect();
        Self { sides, surfaces, start: positions.clone(), end: positions }
    }

    fn set(&mut self, start: &[Vec<DVec3>], end: &[Vec<DVec3>]) {
        for (i, side) in self.sides.iter().enumerate() {
            if let SurfaceOwner::Flexible { number, .. } = side.owner {
                self.start[i].clone_from(&start[number]);
                self.end[i].clone_from(&end[number]);
            }
        }
    }

    /// One body of each side.
    fn bodies(&self) -> [usize; 2] {
        let body = |side: &TestedSurface| match &side.owner {
            SurfaceOwner::Flexible { body, .. } => *body,
            SurfaceOwner::Static(parts) => parts.first().map_or(0, |part| part.body),
        };
        [body(&self.sides[0]), body(&self.sides[self.sides.len() - 1])]
    }

    /// The contact of two features at the start, if they are within a reach.
    fn contact_of_features(
        &self,
        number: usize,
        pair: &SurfaceFeatures,
        reach: f64,
    ) -> Option<VertexContact> {
        let (kind, corners) = self.corners(pair)?;
        let points = corners.map(|(side, vertex)| self.start[side][vertex]);
        let (weights, [first, second]) = nearest(kind, &points);
        let is_swapped = matches!(pair.features, ContactFeatures::FaceVertex { .. });
        let [a, b] = if is_swapped { [second, first] } else { [first, second] };
        let gap = a.distance(b);
        if !(gap > 0.0 && gap < reach) {
            return None;
        }
        let normal = if gap > NO_DIRECTION {
            (b - a) / gap
        } else {
            let [p, q, r, s] = points;
            let across = match kind {
                MovingKind::VertexFace => unit_along(r - q).cross(unit_along(s - q)),
                MovingKind::EdgeEdge => unit_along(q - p).cross(unit_along(s - r)),
            };
            unit_along(across) * (b - a).dot(across).signum()
        };
        (normal != DVec3::ZERO).then_some(())?;
        self.vertex_contact(number, pair, ContactGeometry { weights, point: b, normal, gap })
    }

    /// The corners of two features, by side and vertex, first feature first; a vertex comes before a face.
    fn corners(&self, pair: &SurfaceFeatures) -> Option<(MovingKind, [(usize, usize); 4])> {
        let [a, b] = pair.surfaces;
        let face = |side: usize, face: u32| {
            self.sides[side].mesh.triangles()[face as usize].map(|v| (side, v as usize))
        };
        let vertex_face = |vertex: (usize, usize), [p, q, r]: [(usize, usize); 3]| {
            Some((MovingKind::VertexFace, [vertex, p, q, r]))
        };
        match pair.features {
            ContactFeatures::VertexFace { a: v, b: f } => vertex_face((a, v as usize), face(b, f)),
            ContactFeatures::FaceVertex { a: f, b: v } => vertex_face((b, v as usize), face(a, f)),
            ContactFeatures::EdgeEdge { a: [p, q], b: [r, s] } => {
                let [p, q, r, s] = [p, q, r, s].map(|v| v as usize);
                Some((MovingKind::EdgeEdge, [(a, p), (a, q), (b, r), (b, s)]))
            }
            _ => None,
        }
    }

    /// A contact of two features.
    fn vertex_contact(
        &self,
        number: usize,
        pair: &SurfaceFeatures,
        geometry: ContactGeometry,
    ) -> Option<VertexContact> {
        let ContactGeometry { weights: [u, v], point, normal, gap } = geometry;
        let (kind, corners) = self.corners(pair)?;
        let is_swapped = matches!(pair.features, ContactFeatures::FaceVertex { .. });
        let of_b = if is_swapped { -1.0 } else { 1.0 };
        // A's weights are negative: the first feature is A's, unless the vertex is B's.
        let weights = match kind {
            MovingKind::VertexFace => [-1.0, 1.0 - u - v, u, v],
            MovingKind::EdgeEdge => [u - 1.0, -u, 1.0 - v, v],
        };
        let moving = |((side, vertex), weight): ((usize, usize), f64)| match self.sides[side].owner {
            SurfaceOwner::Flexible { number, .. } => {
                Some(ContactCorner { flexible: number, vertex, weight: of_b * weight })
            }
            SurfaceOwner::Static(_) => None,
        };
        let corners = corners.into_iter().zip(weights).filter_map(moving).collect();
        let bodies = pair.surfaces.map(|side| self.body(side, pair));
        Some(VertexContact { bodies, key: (number, pair.features), corners, point, normal, gap }.ordered())
    }

    /// The body of a side that has one of the features. Static bodies are the second side.
    fn body(&self, side: usize, pair: &SurfaceFeatures) -> usize {
        let parts = match &self.sides[side].owner {
            SurfaceOwner::Flexible { body, .. } => return *body,
            SurfaceOwner::Static(parts) => parts,
        };
        let has = |part: &&StaticPart| match pair.features {
            ContactFeatures::VertexFace { b: face, .. } => face < part.triangles,
            ContactFeatures::FaceVertex { b: v, .. } | ContactFeatures::EdgeEdge { b: [v, _], .. } => {
                v < part.vertices
            }
            _ => true,
        };
        parts.iter().find(has).map_or(0, |part| part.body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Primitive;

    #[test]
    fn a_pairing_whose_budget_runs_out_is_undecided() {
        let mesh = Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh;
        let positions: Vec<DVec3> = (0..8).map(|v| mesh.vertex(v)).collect();
        let mut table = StaticTriangles::default();
        table.add(4, &mesh, &positions);
        let mut own = NeighbourSurfaces::new(&[(mesh, 7)], vec![table], vec![], &|_, _| true).unwrap();
        let at =
            |height: f64| vec![positions.iter().map(|place| *place + height * DVec3::Z).collect::<Vec<_>>()];
        // It moves down without reaching the static body, then further.
        assert_eq!(own.events(&at(1.2), &at(1.1)).unwrap(), Ok(vec![]));
        let Ok(events) = own.events(&at(1.2), &at(0.9)).unwrap() else { panic!() };
        assert!(!events.is_empty());
        for budget in [0, 1] {
            own.budget = budget;
            for end in [1.1, 0.9] {
                assert_eq!(own.events(&at(1.2), &at(end)).unwrap(), Err([7, 7]), "{budget} {end}");
            }
        }
    }
}
