//! Vertices that are stopped if impulses alone do not keep surfaces separated: they move together (the impact zones
//! of Provot 1997 and of Bridson, Fedkiw and Anderson 2002, without rotations).
//!
//! Features whose vertices share one velocity never approach each other. Each round joins features that still
//! collide, so finally no features collide: if all vertices are one zone, or static, there is no relative motion. A
//! zone keeps its momentum, and stops if it touches a static body. Neither creates energy.

use glam::DVec3;

use crate::flexible::definition::VertexImpact;
use crate::flexible::points::FlexibleBodyData;
use crate::flexible::vertex_contact::{Velocities, VertexContact};

/// Groups of vertices that move together.
#[derive(Debug, Clone)]
pub(super) struct RigidZones {
    /// The first vertex of each body in a common numbering.
    first_vertices: Vec<usize>,
    /// By vertex of all bodies: another vertex of its zone, or itself.
    parents: Vec<usize>,
    /// By vertex that represents its zone: whether the zone is static.
    is_static: Vec<bool>,
    /// Contacts of two bodies; the first vertex gives the zone.
    contacts: Vec<VertexContact>,
}

impl RigidZones {
    /// One zone per vertex.
    pub(super) fn new(velocities: &Velocities) -> Self {
        let mut count = 0;
        let mut first_vertex = |velocities: &Vec<DVec3>| {
            count += velocities.len();
            count - velocities.len()
        };
        let first_vertices = velocities.iter().map(&mut first_vertex).collect();
        Self {
            first_vertices,
            parents: (0..count).collect(),
            is_static: vec![false; count],
            contacts: Vec::new(),
        }
    }

    fn zone_of(&self, mut vertex: usize) -> usize {
        while self.parents[vertex] != vertex {
            vertex = self.parents[vertex];
        }
        vertex
    }

    /// Joins all vertices of a contact.
    pub(super) fn join(&mut self, contact: &VertexContact) {
        let vertices =
            contact.corners.iter().map(|corner| self.first_vertices[corner.flexible] + corner.vertex);
        let mut zones: Vec<usize> = vertices.map(|vertex| self.zone_of(vertex)).collect();
        zones.sort_unstable();
        let Some(first) = zones.first().copied() else { return };
        let is_static = contact.has_static_body() || zones.iter().any(|zone| self.is_static[*zone]);
        zones.iter().for_each(|zone| self.parents[*zone] = first);
        self.is_static[first] = is_static;
        if contact.bodies[0] != contact.bodies[1] {
            self.contacts.push(contact.clone());
        }
    }

    /// Sets the velocity of each zone's vertices to that of its centre of mass, or to zero.
    pub(super) fn stop(&self, velocities: &mut Velocities, inverse: &[&[f64]]) {
        let mut sums = vec![(0.0, DVec3::ZERO); self.parents.len()];
        let mut all = Vec::new();
        for (own, first) in self.first_vertices.iter().enumerate() {
            for (vertex, inverse) in inverse[own].iter().enumerate().filter(|(_, inverse)| **inverse > 0.0) {
                let zone = self.zone_of(first + vertex);
                let mass = 1.0 / inverse;
                sums[zone].0 += mass;
                sums[zone].1 += mass * velocities[own][vertex];
                all.push((own, vertex, zone));
            }
        }
        let mut members = vec![0_usize; self.parents.len()];
        all.iter().for_each(|(_, _, zone)| members[*zone] += 1);
        for (own, vertex, zone) in all {
            if self.is_static[zone] {
                velocities[own][vertex] = DVec3::ZERO;
            } else if members[zone] > 1 {
                velocities[own][vertex] = sums[zone].1 / sums[zone].0;
            }
        }
    }

    /// The impulses between the bodies of each zone that changed the velocities from `before` to `after`.
    pub(super) fn impacts(
        &self,
        points: &[FlexibleBodyData],
        [before, after]: [&Velocities; 2],
        time: f64,
    ) -> Vec<VertexImpact> {
        let mut is_reported = vec![false; self.parents.len()];
        let mut impacts = Vec::new();
        for contact in &self.contacts {
            let Some(corner) = contact.corners.first() else { continue };
            let zone = self.zone_of(self.first_vertices[corner.flexible] + corner.vertex);
            if std::mem::replace(&mut is_reported[zone], true) {
                continue;
            }
            let gained = |body: usize| {
                let own = points.iter().position(|points| points.body == body)?;
                let inverse = points[own].inverse.iter().enumerate().filter(|(_, inverse)| **inverse > 0.0);
                let inside =
                    inverse.filter(|(vertex, _)| self.zone_of(self.first_vertices[own] + vertex) == zone);
                Some(inside.map(|(v, inverse)| (after[own][v] - before[own][v]) / *inverse).sum::<DVec3>())
            };
            let [a, b] = contact.bodies;
            let impulse = gained(b).or_else(|| gained(a).map(|gained| -gained)).unwrap_or_default();
            let VertexContact { bodies, point, normal, .. } = *contact;
            impacts.push(VertexImpact { bodies, time, point, normal, impulse });
        }
        impacts
    }
}
