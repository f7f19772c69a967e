//! What of a body matters on the screen, in small pieces, and its outline.

use chasles::{Mesh, Screw};
use glam::{DVec2, DVec3};

use super::view::View;

/// Which body of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Its leading parts matter.
    Moving,
    /// Its trailing parts matter.
    Standing,
}

/// What is seen of a body.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    triangles: Vec<[DVec2; 3]>,
    outline: Vec<[DVec2; 2]>,
    creases: Vec<[DVec2; 2]>,
}

/// A body of many pieces is cut into no more than so many small triangles more.
const PIECES: usize = 400_000;

/// A piece is about this share of the body's size.
const FINE: f64 = 0.02;

/// An edge or triangle is cut into at most so many parts along each side.
const MOST: usize = 64;

/// Cosine of the angle between two triangles above which the edge between them is no crease.
const SMOOTH: f64 = 0.866;

/// A surface is taken to slide along itself where the speed along its normal is at most this share of its speed.
const ALONG: f64 = 1e-9;

impl Surface {
    /// What is seen of a body on a screw.
    pub(super) fn new((mesh, role): (&Mesh, Role), screw: &Screw, view: &View) -> Self {
        let start = screw.start();
        let place = |vertex: u32| match role {
            Role::Moving => start.transform_point(mesh.vertex(vertex)),
            Role::Standing => mesh.vertex(vertex),
        };
        // How fast a face moves outward at a point, where it matters: positive.
        let sense = if role == Role::Moving { 1.0 } else { -1.0 };
        let outward = |point: DVec3, normal: DVec3| {
            let velocity = screw.velocity_at(point, 0.0);
            sense * normal.dot(velocity) - ALONG * velocity.length()
        };
        let faces: Vec<([DVec3; 3], DVec3)> = mesh
            .triangles()
            .iter()
            .map(|corners| {
                let [p, q, r] = corners.map(place);
                ([p, q, r], (q - p).cross(r - p).normalize_or_zero())
            })
            .collect();
        let most = (PIECES / faces.len().max(1)).isqrt().clamp(1, MOST);
        let step = FINE * mesh.diagonal();
        let mut surface = Self { triangles: vec![], outline: vec![], creases: vec![] };
        for (corners, normal) in &faces {
            surface.add_face((corners, *normal), (step, most), &outward, view);
        }
        let mut beside: Vec<Vec<usize>> = vec![Vec::new(); mesh.edges().len()];
        for (face, edges) in mesh.triangle_edges().iter().enumerate() {
            edges.iter().for_each(|edge| beside[*edge as usize].push(face));
        }
        for (edge, beside) in mesh.edges().iter().zip(&beside) {
            let ends = edge.map(place);
            let middle = 0.5 * (ends[0] + ends[1]);
            let matter = beside.iter().filter(|face| outward(middle, faces[**face].1) > 0.0).count();
            let lines = lines(ends, (step, most), view);
            let is_smooth = matches!(beside[..], [f, g] if faces[f].1.dot(faces[g].1) >= SMOOTH);
            if matter > 0 && (matter < beside.len() || beside.len() == 1) {
                surface.outline.extend(lines);
            } else if matter > 0 && !is_smooth {
                surface.creases.extend(lines);
            }
        }
        surface
    }

    /// A face: the small triangles of it that matter, and the line at which it stops to.
    fn add_face(
        &mut self,
        ([p, q, r], normal): (&[DVec3; 3], DVec3),
        (step, most): (f64, usize),
        outward: &impl Fn(DVec3, DVec3) -> f64,
        view: &View,
    ) {
        let at_corners = [*p, *q, *r].map(|corner| outward(corner, normal));
        if at_corners.iter().all(|speed| *speed <= 0.0) {
            return;
        }
        let longest = p.distance(*q).max(q.distance(*r)).max(r.distance(*p));
        let count = parts(longest, step, most);
        let at = |i: usize, j: usize| {
            let [u, v] = [i, j].map(|x| x as f64 / count as f64);
            *p + u * (*q - *p) + v * (*r - *p)
        };
        for i in 0..count {
            for j in 0..count - i {
                let low = [at(i, j), at(i + 1, j), at(i, j + 1)];
                self.add_piece(low, normal, outward, view);
                if i + j + 2 <= count {
                    let high = [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                    self.add_piece(high, normal, outward, view);
                }
            }
        }
        // The speed is affine on a face: where it is zero is a straight line.
        let corners = [*p, *q, *r];
        let mut zeros = [0, 1, 2].into_iter().filter_map(|k| {
            let (next, [f, g]) = ((k + 1) % 3, [at_corners[k], at_corners[(k + 1) % 3]]);
            ((f > 0.0) != (g > 0.0)).then(|| corners[k] + (f / (f - g)) * (corners[next] - corners[k]))
        });
        if let (Some(from), Some(to)) = (zeros.next(), zeros.next()) {
            self.outline.extend(lines([from, to], (step, most), view));
        }
    }

    fn add_piece(
        &mut self,
        corners: [DVec3; 3],
        normal: DVec3,
        outward: &impl Fn(DVec3, DVec3) -> f64,
        view: &View,
    ) {
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        if outward(middle, normal) <= 0.0 {
            return;
        }
        let [Some(p), Some(q), Some(r)] = corners.map(|corner| view.place(corner)) else { return };
        if view.are_together(p, q) && view.are_together(q, r) && view.are_together(r, p) {
            self.triangles.push([p, q, r]);
        }
    }

    /// Small triangles that cover what matters.
    pub(super) fn triangles(&self) -> &[[DVec2; 3]] {
        &self.triangles
    }

    /// Where what matters ends.
    pub(super) fn outline(&self) -> &[[DVec2; 2]] {
        &self.outline
    }

    /// Edges at which it turns sharply.
    pub(super) fn creases(&self) -> &[[DVec2; 2]] {
        &self.creases
    }

    /// All places that it reaches.
    pub(super) fn places(&self) -> impl Iterator<Item = DVec2> + '_ {
        self.triangles.iter().flatten().chain(self.outline.iter().flatten()).copied()
    }
}

/// Into how many parts a length is cut.
fn parts(length: f64, step: f64, most: usize) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let count = (length / step).ceil().clamp(1.0, most as f64) as usize;
    count.max(1)
}

/// A straight line of space as short lines of the screen.
fn lines([from, to]: [DVec3; 2], (step, most): (f64, usize), view: &View) -> Vec<[DVec2; 2]> {
    let count = parts(from.distance(to), step, most);
    let at = |i: usize| view.place(from.lerp(to, i as f64 / count as f64));
    let short = (0..count).filter_map(|i| Some([at(i)?, at(i + 1)?]));
    short.filter(|[p, q]| view.are_together(*p, *q)).collect()
}
