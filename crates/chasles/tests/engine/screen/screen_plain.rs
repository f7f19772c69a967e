//! Meshes and contacts by independent plain arithmetic: the rules of the screen, by brute force.

#![allow(clippy::cast_possible_truncation, reason = "small meshes")]

use std::collections::HashMap;

use chasles::{Contact, ContactFeatures};
use glam::{DMat3, DVec3};

use crate::cases::{Case, Raw};

/// A mesh for these tests: vertices and triangles, with adjacency found by brute force.
pub struct Plain<'r> {
    pub vertices: Vec<DVec3>,
    pub triangles: &'r [[u32; 3]],
    /// The vertices before placement: directions of short edges are taken there, and rotated.
    pub raw: &'r [DVec3],
    pub turn: DMat3,
}

impl<'r> Plain<'r> {
    /// A mesh with its vertices placed by a function. Equal vertices count as one, the first.
    pub fn new((vertices, triangles): &'r Raw, place: impl Fn(DVec3) -> DVec3) -> Self {
        let turn = |axis: DVec3| place(axis) - place(DVec3::ZERO);
        let turn = DMat3::from_cols(turn(DVec3::X), turn(DVec3::Y), turn(DVec3::Z));
        Self { vertices: vertices.iter().map(|v| place(*v)).collect(), triangles, raw: vertices, turn }
    }

    /// The vector from one vertex to another.
    pub fn way(&self, from: u32, to: u32) -> DVec3 {
        self.turn * (self.raw[to as usize] - self.raw[from as usize])
    }

    pub fn corners(&self, face: u32) -> [DVec3; 3] {
        self.triangles[face as usize].map(|v| self.vertices[v as usize])
    }

    pub fn normal(&self, face: u32) -> DVec3 {
        let [p, q, r] = self.triangles[face as usize].map(|v| self.raw[v as usize]);
        (self.turn * (q - p).cross(r - p).normalize_or_zero()).normalize_or_zero()
    }

    pub fn faces_with(&self, vertices: &[u32]) -> Vec<u32> {
        let has = |t: &[u32; 3]| vertices.iter().all(|v| t.contains(v));
        (0_u32..).zip(self.triangles).filter(|(_, t)| has(t)).map(|(i, _)| i).collect()
    }

    pub fn neighbours(&self, vertex: u32) -> Vec<u32> {
        let mut found: Vec<u32> = self
            .triangles
            .iter()
            .filter(|t| t.contains(&vertex))
            .flatten()
            .copied()
            .filter(|v| *v != vertex)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    pub fn is_closed(&self) -> bool {
        let mut uses = HashMap::new();
        for [p, q, r] in self.triangles {
            for (v, w) in [(p, q), (q, r), (r, p)] {
                *uses.entry((v.min(w), v.max(w))).or_insert(0) += 1;
            }
        }
        uses.values().all(|n| *n == 2)
    }

    /// The winding number of the surface around a point: the sum of the solid angles of its triangles (Van Oosterom,
    /// Strackee).
    pub fn winding(&self, point: DVec3) -> f64 {
        let angle = |face: u32| {
            let [a, b, c] = self.corners(face).map(|v| v - point);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * a.dot(b.cross(c)).atan2(below)
        };
        (0..self.triangles.len() as u32).map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    pub fn distance(&self, point: DVec3) -> f64 {
        (0..self.triangles.len() as u32)
            .map(|face| self.distance_of(face, point))
            .fold(f64::INFINITY, f64::min)
    }

    pub fn distance_of(&self, face: u32, point: DVec3) -> f64 {
        let segment = |a: DVec3, b: DVec3| {
            let along = b - a;
            let t = ((point - a).dot(along) / along.length_squared().max(1e-300)).clamp(0.0, 1.0);
            point.distance(a + t * along)
        };
        let [p, q, r] = self.corners(face);
        let n = self.normal(face);
        let edges = [(p, q), (q, r), (r, p)];
        let over = n != DVec3::ZERO && edges.iter().all(|(v, w)| (*w - *v).cross(point - *v).dot(n) >= 0.0);
        let plane = if over { (point - p).dot(n).abs() } else { f64::INFINITY };
        edges.iter().map(|(v, w)| segment(*v, *w)).fold(plane, f64::min)
    }
}

/// The result of the mathematical rules for a contact; `None` if it depends on rounding.
pub struct Verdict {
    pub kept: Option<bool>,
    pub properness: f64,
    pub proper: Option<bool>,
}

/// Whether a number is positive; `None` if it is nearly zero.
fn sign(x: f64, slack: f64) -> Option<bool> {
    (x.abs() > slack).then_some(x > 0.0)
}

/// Whether any is true; `None` if undecided.
fn any(signs: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut open = false;
    for sign in signs {
        match sign {
            Some(true) => return Some(true),
            Some(false) => {}
            None => open = true,
        }
    }
    (!open).then_some(false)
}

fn all(signs: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    any(signs.into_iter().map(|sign| sign.map(|s| !s))).map(|some| !some)
}

const NEAR: f64 = 1e-6;

pub fn judged(case: &Case, contact: &Contact) -> Verdict {
    let [lo, hi] = contact.time;
    let t = if contact.touching { hi } else { 0.5 * (lo + hi) };
    let at = case.screw.pose_at(t);
    let a = Plain::new(&case.a, |v| at.transform_point(v));
    let b = Plain::new(&case.b, |v| v);
    let velocity = |x: DVec3| case.screw.velocity_at(x, t);
    let fastest = |mesh: &Plain<'_>| {
        let used = mesh.triangles.iter().flatten().map(|v| velocity(mesh.vertices[*v as usize]).length());
        used.fold(0.0, f64::max)
    };
    let (slack_a, slack_b) = (NEAR * fastest(&a), NEAR * fastest(&b));
    let leads = |face: u32, x: DVec3| sign(a.normal(face).dot(velocity(x)), slack_a);
    let trails = |face: u32, x: DVec3| sign(-b.normal(face).dot(velocity(x)), slack_b);
    let rise = |mesh: &Plain<'_>, vertex: u32, n: DVec3| {
        let rises =
            mesh.neighbours(vertex).into_iter().map(|w| mesh.way(vertex, w).normalize_or_zero().dot(n));
        let properness = rises.fold(1.0, f64::min);
        let outward: DVec3 = mesh
            .faces_with(&[vertex])
            .into_iter()
            .map(|face| {
                let others: Vec<DVec3> = mesh.triangles[face as usize]
                    .iter()
                    .filter(|v| **v != vertex)
                    .map(|v| mesh.way(vertex, *v))
                    .collect();
                let angle = if others.len() == 2 { others[0].angle_between(others[1]) } else { 0.0 };
                if angle.is_finite() { angle * mesh.normal(face) } else { DVec3::ZERO }
            })
            .sum();
        let rises = if properness.abs() < NEAR { None } else { Some(properness > 0.0) };
        let below = if mesh.is_closed() { sign(-outward.dot(n), NEAR) } else { Some(true) };
        (properness, all([rises, below]))
    };
    match contact.features {
        ContactFeatures::VertexFace { a: vertex, b: face } => {
            let n = b.normal(face);
            let (properness, proper) = rise(&a, vertex, n);
            let own = any(a.faces_with(&[vertex]).into_iter().map(|f| leads(f, a.vertices[vertex as usize])));
            Verdict { kept: all([trails(face, contact.point), own]), properness, proper }
        }
        ContactFeatures::FaceVertex { a: face, b: vertex } => {
            let n = a.normal(face);
            let (properness, proper) = rise(&b, vertex, n);
            let own =
                any(b.faces_with(&[vertex]).into_iter().map(|f| trails(f, b.vertices[vertex as usize])));
            Verdict { kept: all([leads(face, contact.point), own]), properness, proper }
        }
        ContactFeatures::EdgeEdge { a: ends_a, b: ends_b } => {
            let (faces_a, faces_b) = (a.faces_with(&ends_a), b.faces_with(&ends_b));
            let direction = |mesh: &Plain<'_>, [v, w]: [u32; 2]| mesh.way(v, w).normalize_or_zero();
            let across = direction(&a, ends_a).cross(direction(&b, ends_b)).normalize_or_zero();
            // The direction from an edge into a face, perpendicular to the edge.
            let inward = |mesh: &Plain<'_>, face: u32, ends: [u32; 2]| {
                // The corners are counter-clockwise around the normal, so the face is to the left of its edges.
                let corners = mesh.triangles[face as usize];
                let forth = (0..3).any(|i| [corners[i], corners[(i + 1) % 3]] == ends);
                let left = mesh.normal(face).cross(direction(mesh, ends)).normalize_or_zero();
                if forth { left } else { -left }
            };
            let flat = |mesh: &Plain<'_>, face: &u32| mesh.normal(*face) != DVec3::ZERO;
            let (faces_a, faces_b): (Vec<u32>, Vec<u32>) = (
                faces_a.into_iter().filter(|f| flat(&a, f)).collect(),
                faces_b.into_iter().filter(|f| flat(&b, f)).collect(),
            );
            let number = |n: DVec3| {
                let of_a = faces_a.iter().map(|f| n.dot(a.normal(*f)));
                of_a.chain(faces_b.iter().map(|f| -n.dot(b.normal(*f)))).fold(1.0, f64::min)
            };
            let behind = |mesh: &Plain<'_>, faces: &[u32], ends: [u32; 2], n: DVec3| {
                let ways: Vec<DVec3> = faces.iter().map(|f| inward(mesh, *f, ends)).collect();
                let reflex = faces.len() == 2 && mesh.normal(faces[0]).dot(ways[1]) > -NEAR;
                let heights: Vec<f64> = ways.iter().map(|w| -w.dot(n)).collect();
                let unsure = heights.iter().any(|h| h.abs() < NEAR);
                if unsure {
                    // Sides in the plane itself, or nearly so.
                    let fails = heights.iter().any(|h| *h < -NEAR);
                    if fails { Some(false) } else { None }
                } else if reflex {
                    Some(false)
                } else {
                    Some(heights.iter().all(|h| *h > 0.0))
                }
            };
            let proper = |n: DVec3| all([behind(&a, &faces_a, ends_a, n), behind(&b, &faces_b, ends_b, -n)]);
            let kept = all([
                any(faces_a.iter().map(|f| leads(*f, contact.point))),
                any(faces_b.iter().map(|f| trails(*f, contact.point))),
            ]);
            let sure =
                across != DVec3::ZERO && direction(&a, ends_a).cross(direction(&b, ends_b)).length() > NEAR;
            Verdict {
                kept,
                properness: if sure { number(across).max(number(-across)) } else { f64::NAN },
                proper: if sure { any([proper(across), proper(-across)]) } else { None },
            }
        }
        _ => panic!("meshes have no round surfaces"),
    }
}
