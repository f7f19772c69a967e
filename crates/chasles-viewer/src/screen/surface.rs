//! The relevant surface of a body on the screen, in small pieces, and its outline.

use chasles::{FacingBorders, FacingSurface};
use glam::{DVec2, DVec3};

use super::view::View;

/// The visible surface of a body.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    triangles: Vec<[DVec2; 3]>,
    outline: Vec<[DVec2; 2]>,
    creases: Vec<[DVec2; 2]>,
}

/// The maximum number of small triangles that the cutting adds for a body of many faces.
const MAX_TRIANGLES: usize = 400_000;

/// The size of a piece, as a fraction of the body's size.
const STEP_FRACTION: f64 = 0.02;

/// The maximum number of parts per side into which an edge or triangle is cut.
const MAX_PARTS: usize = 64;

impl Surface {
    /// Creates the visible surface of a body.
    pub(super) fn new(faced: &FacingSurface<'_>, view: &View) -> Self {
        let faces = faced.mesh().triangles();
        let maximum = (MAX_TRIANGLES / faces.len().max(1)).isqrt().clamp(1, MAX_PARTS);
        let step = STEP_FRACTION * faced.mesh().diagonal();
        let mut surface = Self { triangles: vec![], outline: vec![], creases: vec![] };
        for (face, _) in (0..).zip(faces) {
            surface.add_face((faced, face), (step, maximum), view);
        }
        let FacingBorders { outline, creases } = faced.borders();
        surface.outline = outline.into_iter().flat_map(|ends| lines(ends, (step, maximum), view)).collect();
        surface.creases = creases.into_iter().flat_map(|ends| lines(ends, (step, maximum), view)).collect();
        surface
    }

    /// Adds the relevant small triangles of a face.
    fn add_face(
        &mut self,
        (faced, face): (&FacingSurface<'_>, u32),
        (step, maximum): (f64, usize),
        view: &View,
    ) {
        let [p, q, r] = faced.corners(face);
        if ![p, q, r].iter().any(|corner| faced.matters(face, *corner)) {
            return;
        }
        let longest = p.distance(q).max(q.distance(r)).max(r.distance(p));
        let count = part_count(longest, step, maximum);
        let at = |i: usize, j: usize| {
            let [u, v] = [i, j].map(|x| x as f64 / count as f64);
            p + u * (q - p) + v * (r - p)
        };
        for i in 0..count {
            for j in 0..count - i {
                let low = [at(i, j), at(i + 1, j), at(i, j + 1)];
                self.add_triangle(low, (faced, face), view);
                if i + j + 2 <= count {
                    let high = [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                    self.add_triangle(high, (faced, face), view);
                }
            }
        }
    }

    fn add_triangle(&mut self, corners: [DVec3; 3], (faced, face): (&FacingSurface<'_>, u32), view: &View) {
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        if !faced.matters(face, middle) {
            return;
        }
        let [Some(p), Some(q), Some(r)] = corners.map(|corner| view.place(corner)) else { return };
        if view.are_together(p, q) && view.are_together(q, r) && view.are_together(r, p) {
            self.triangles.push([p, q, r]);
        }
    }

    /// Small triangles that cover the relevant surface.
    pub(super) fn triangles(&self) -> &[[DVec2; 3]] {
        &self.triangles
    }

    /// The outline of the relevant surface.
    pub(super) fn outline(&self) -> &[[DVec2; 2]] {
        &self.outline
    }

    /// Edges at which the surface bends sharply.
    pub(super) fn creases(&self) -> &[[DVec2; 2]] {
        &self.creases
    }

    /// All positions of the surface.
    pub(super) fn places(&self) -> impl Iterator<Item = DVec2> + '_ {
        self.triangles.iter().flatten().chain(self.outline.iter().flatten()).copied()
    }
}

/// The number of parts into which a length is cut.
fn part_count(length: f64, step: f64, maximum: usize) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let count = (length / step).ceil().clamp(1.0, maximum as f64) as usize;
    count.max(1)
}

/// Maps a straight line of space to short lines of the screen.
fn lines([from, to]: [DVec3; 2], (step, maximum): (f64, usize), view: &View) -> Vec<[DVec2; 2]> {
    let count = part_count(from.distance(to), step, maximum);
    let at = |i: usize| view.place(from.lerp(to, i as f64 / count as f64));
    let short = (0..count).filter_map(|i| Some([at(i)?, at(i + 1)?]));
    short.filter(|[p, q]| view.are_together(*p, *q)).collect()
}
