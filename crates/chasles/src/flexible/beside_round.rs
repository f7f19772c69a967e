//! A flexible body beside a static round body: near features, and the first contact of each triangle in a step.
//!
//! Vertices move straight, and the round body has its true surface. The gap of a triangle falls no faster than its
//! corners move, so one sample proves it for a while (conservative advancement).

use std::collections::BTreeMap;

use glam::DVec3;

use crate::deformable::against_round::{SampledFace, face_gap, rough_gap};
use crate::features::contact::ContactFeatures;
use crate::flexible::vertex_contact::{ContactCorner, VertexContact};
use crate::math::rounding::of_positions;
use crate::round::support::Placed;
use crate::shape::Mesh;

/// Two surfaces count as in contact below this fraction of the depth.
const CLOSEST: f64 = 0.01;

/// Maximum number of samples for one step.
const MAX_SAMPLES: u64 = 5_000_000;

/// A weight of a corner below this is zero: the nearest point is on an edge, or a corner.
const NO_WEIGHT: f64 = 1e-6;

/// A bound of a path is increased by this factor, for rounding.
const OUTSIDE: f64 = 1.0 + 1e-9;

/// A flexible body, and a static round body that it can collide with.
#[derive(Debug, Clone)]
pub(super) struct RoundPairing {
    /// The flexible body's number among the flexible bodies.
    flexible: usize,
    /// The round body and the flexible body, by number in the scene.
    bodies: [usize; 2],
    placed: Placed,
    triangles: Vec<[u32; 3]>,
    /// In metres.
    closest: f64,
}

/// A triangle that touches the round body at a time, as a fraction of the step.
struct RoundTouch {
    time: f64,
    corners: [DVec3; 3],
    sample: SampledFace,
}

impl RoundPairing {
    /// A flexible body by its number among the flexible bodies, with its mesh; and the numbers in the scene of the
    /// round body and the flexible body.
    pub(super) fn new(
        (flexible, mesh): (usize, &Mesh),
        bodies: [usize; 2],
        placed: Placed,
        depth: f64,
    ) -> Self {
        let triangles = mesh.triangles().to_vec();
        Self { flexible, bodies, placed, triangles, closest: CLOSEST * depth }
    }

    /// The flexible and the round body.
    pub(super) fn bodies(&self) -> [usize; 2] {
        [self.bodies[1], self.bodies[0]]
    }

    fn corners(positions: &[DVec3], triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|v| positions[v as usize])
    }

    /// An upper bound of the rounding error of a gap.
    fn error(&self, corners: &[DVec3; 3]) -> f64 {
        let far = corners.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        let own = self.placed.centre.length() + self.placed.round.radius();
        of_positions(2.0 * far) + of_positions(2.0 * own)
    }

    /// All features closer than a reach. `number` identifies the pairing in the keys of contacts.
    pub(super) fn near_features(
        &self,
        number: usize,
        positions: &[Vec<DVec3>],
        reach: f64,
    ) -> Vec<VertexContact> {
        let positions = &positions[self.flexible];
        let mut found = BTreeMap::new();
        for triangle in &self.triangles {
            let corners = Self::corners(positions, *triangle);
            if rough_gap(&self.placed, &corners) < reach {
                let sample = face_gap(&self.placed, &corners);
                let contacts = self.contacts(number, *triangle, (&corners, &sample), reach);
                contacts.into_iter().for_each(|contact| {
                    found.entry(contact.key).or_insert(contact);
                });
            }
        }
        found.into_values().collect()
    }

    /// Whether the surfaces meet at these positions, or nearly do.
    pub(super) fn is_touching(&self, positions: &[Vec<DVec3>]) -> bool {
        let mut samples = 0;
        self.triangles.iter().any(|triangle| {
            let corners = Self::corners(&positions[self.flexible], *triangle);
            !matches!(self.first_touch([corners; 2], &mut samples), Some(None))
        })
    }

    /// The features that meet while vertices move straight from `start` to `end`, with their times as fractions of the
    /// step. If there are none, the surfaces are proven separated. `None`: undecided.
    pub(super) fn events(
        &self,
        number: usize,
        start: &[Vec<DVec3>],
        end: &[Vec<DVec3>],
    ) -> Option<Vec<(f64, VertexContact)>> {
        let (start, end) = (&start[self.flexible], &end[self.flexible]);
        let mut samples = 0;
        let mut found: BTreeMap<_, (f64, VertexContact)> = BTreeMap::new();
        for triangle in &self.triangles {
            let ends = [start, end].map(|positions| Self::corners(positions, *triangle));
            let Some(touch) = self.first_touch(ends, &mut samples)? else { continue };
            let sampled = (&touch.corners, &touch.sample);
            let contacts = self.contacts(number, *triangle, sampled, 2.0 * self.closest);
            if contacts.is_empty() {
                return None;
            }
            for mut contact in contacts {
                contact.gap = 0.0;
                let earlier = found.get(&contact.key).is_some_and(|(time, _)| *time <= touch.time);
                if !earlier {
                    found.insert(contact.key, (touch.time, contact));
                }
            }
        }
        Some(found.into_values().collect())
    }

    /// When a triangle first touches the round body while its corners move straight; `Some(None)`: never, proven;
    /// `None`: undecided.
    fn first_touch(&self, [start, end]: [[DVec3; 3]; 2], samples: &mut u64) -> Option<Option<RoundTouch>> {
        let length = (0..3).map(|i| start[i].distance(end[i])).fold(0.0, f64::max) * OUTSIDE;
        let error = self.error(&start).max(self.error(&end));
        if rough_gap(&self.placed, &start) - error - length > self.closest {
            return Some(None);
        }
        let mut time = 0.0;
        loop {
            *samples += 1;
            if *samples > MAX_SAMPLES {
                return None;
            }
            let corners = if time >= 1.0 {
                end
            } else {
                std::array::from_fn(|i| start[i] + time * (end[i] - start[i]))
            };
            let sample = face_gap(&self.placed, &corners);
            let gap = sample.gap[0] - error;
            // A NaN counts as a contact.
            let is_apart = gap > self.closest;
            if !is_apart {
                return Some(Some(RoundTouch { time: time.min(1.0), corners, sample }));
            }
            if time >= 1.0 {
                return Some(None);
            }
            // Until then the gap is at least half of the closest.
            let safe = (gap - 0.5 * self.closest) / (length * OUTSIDE);
            time = if safe >= 1.0 - time { 1.0 } else { time + safe };
        }
    }

    /// The contacts of a triangle within a reach: at each near corner, and at its nearest point.
    fn contacts(
        &self,
        number: usize,
        triangle: [u32; 3],
        (corners, sample): (&[DVec3; 3], &SampledFace),
        reach: f64,
    ) -> Vec<VertexContact> {
        let mut found = Vec::new();
        for (i, corner) in corners.iter().enumerate() {
            let (value, outward) = self.placed.signed_distance(*corner);
            if value.abs() < reach {
                let mut weights = [0.0; 3];
                weights[i] = 1.0;
                // It is outside, or inside.
                let normal = if value < 0.0 { -outward } else { outward };
                found.push(self.contact(number, (triangle, weights), (*corner, normal), value.abs()));
            }
        }
        let weights = weights_at(corners, sample.points[1]);
        let is_corner = weights.contains(&1.0);
        let has_normal = (sample.normal.length_squared() - 1.0).abs() < 1e-3;
        if !is_corner && has_normal && sample.gap[1] < reach {
            let at = (sample.points[1], sample.normal);
            found.push(self.contact(number, (triangle, weights), at, sample.gap[1]));
        }
        found
    }

    fn contact(
        &self,
        number: usize,
        (triangle, weights): ([u32; 3], [f64; 3]),
        (point, normal): (DVec3, DVec3),
        gap: f64,
    ) -> VertexContact {
        let own = triangle.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
        let (mut vertices, mut corners) = (Vec::new(), Vec::new());
        for (vertex, weight) in own {
            vertices.push(vertex);
            corners.push(ContactCorner { flexible: self.flexible, vertex: vertex as usize, weight });
        }
        vertices.sort_unstable();
        // The round body has one feature: its surface.
        let features = match vertices.as_slice() {
            [v] => ContactFeatures::VertexFace { a: *v, b: 0 },
            [v, w] => ContactFeatures::EdgeEdge { a: [*v, *w], b: [0, 0] },
            _ => {
                let face = self.triangles.iter().position(|own| *own == triangle).unwrap_or(0);
                ContactFeatures::FaceVertex { a: u32::try_from(face).unwrap_or(u32::MAX), b: 0 }
            }
        };
        VertexContact { bodies: self.bodies, key: (number, features), corners, point, normal, gap }.ordered()
    }
}

/// The weights of the corners at a point of a triangle; they are at least 0, and their sum is 1.
fn weights_at([a, b, c]: &[DVec3; 3], point: DVec3) -> [f64; 3] {
    let (u, v, w) = (*b - *a, *c - *a, point - *a);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let (wu, wv) = (w.dot(u), w.dot(v));
    let area = uu * vv - uv * uv;
    let raw = if area > 0.0 {
        let (s, t) = ((vv * wu - uv * wv) / area, (uu * wv - uv * wu) / area);
        [1.0 - s - t, s, t]
    } else {
        [1.0, 0.0, 0.0]
    };
    let positive = raw.map(|weight| if weight > NO_WEIGHT { weight } else { 0.0 });
    let sum: f64 = positive.iter().sum();
    if sum > 0.0 { positive.map(|weight| weight / sum) } else { [1.0, 0.0, 0.0] }
}
