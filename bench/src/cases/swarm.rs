//! Many bodies that move through a cube, and their swept boxes.

use chasles::broad_phase::SweptBox;
use glam::{DQuat, DVec3};

use crate::cases::shapes::lump;
use chasles_testing::Random;

/// The number of time spans of the motion.
pub const SLOTS: u32 = 16;

/// The motion of the bodies.
#[derive(Debug, Clone, Copy)]
pub struct Swarm {
    /// Number of bodies.
    pub bodies: u32,
    /// Space for each body: the side of its part of the cube, in units of the mean radius of a body, 0.5.
    pub spacing: f64,
    /// The maximum distance that a body travels, in the same units.
    pub path: f64,
    /// The seed.
    pub seed: u64,
}

impl Swarm {
    /// The swept boxes of all bodies, by body and time, and the number of triangles.
    ///
    /// Each body, a box of 12 triangles or a lump of 12 to 80, slides along and rotates about an axis through its
    /// centre: a screw. In each span a vertex moves along an arc of a helix, which deviates from its chord by at
    /// most an eighth of the radius times the angle squared.
    #[must_use]
    pub fn boxes(&self) -> (Vec<SweptBox>, usize) {
        let random = &mut Random(self.seed);
        let half = 0.25 * self.spacing * f64::from(self.bodies).cbrt();
        // Shapes are created once and shared by many bodies, because their creation is not measured.
        let lumps: Vec<_> =
            (8..=42).map(|vertices| lump(vertices, 1.0, u64::from(vertices as u32))).collect();
        let cube: Vec<DVec3> = (0..8)
            .map(|i| DVec3::from_array([0, 1, 2].map(|b| if i >> b & 1 == 1 { 0.577 } else { -0.577 })))
            .collect();
        let (mut boxes, mut triangles) = (Vec::new(), 0);
        for body in 0..self.bodies {
            let shape = random.bits() as usize % (2 * lumps.len());
            let (vertices, faces) = lumps.get(shape).map_or((&cube, 12), |(v, t)| (v, t.len()));
            triangles += faces;
            let size = random.within(0.3, 0.7);
            let scale = DVec3::new(random.within(0.4, 1.0), random.within(0.4, 1.0), 1.0);
            let (start, turn) = (random.vector(half), random.even_rotation());
            let (axis, path) = (random.direction_of_two(), 0.5 * random.within(0.0, self.path));
            let angle = random.within(-3.0, 3.0);
            let local: Vec<DVec3> = vertices.iter().map(|v| turn * (size * scale * *v)).collect();
            let at = |time: f64| {
                let (turn, place) = (DQuat::from_axis_angle(axis, angle * time), start + path * time * axis);
                let points = local.iter().map(|v| turn * *v + place);
                points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(lo, hi), p| (lo.min(p), hi.max(p)))
            };
            let step = angle / f64::from(SLOTS);
            let pad = DVec3::splat(size * step * step / 8.0 + 1e-12);
            let time = |slot: u32| f64::from(slot) / f64::from(SLOTS);
            let mut from = at(0.0);
            for slot in 0..SLOTS {
                let to = at(time(slot + 1));
                let (min, max) = (from.0.min(to.0) - pad, from.1.max(to.1) + pad);
                boxes.push(SweptBox { body, start: time(slot), end: time(slot + 1), min, max });
                from = to;
            }
        }
        (boxes, triangles)
    }
}
