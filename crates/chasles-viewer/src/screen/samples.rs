//! Cuts both bodies into small pieces and computes the clearance of each leading piece of A. The page paints the
//! pieces.

use std::collections::BTreeMap;

use chasles::{Error, FacingSurface, Mesh, Options, PreparedMesh, Screw, clearance_map};
use glam::DVec3;

/// The size of a piece, as a fraction of its body's size.
const FINE: f64 = 1.0 / 60.0;

/// The maximum number of relevant pieces of a body, unless it has more faces.
const MOST: usize = 20_000;

/// If there are too many pieces, their size is multiplied by this factor.
const COARSER: f64 = 1.3;

/// Marks a piece that does not matter to the other body, in place of a time.
pub(super) const APART: f32 = -2.0;

/// Marks a piece with no surface ahead, in place of a time.
pub(super) const NOTHING: f32 = -1.0;

/// The pieces of a body.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Pieces {
    /// A tree for each face, depth first: 0 is a piece; 1, 2 and 3 are a cut through the midpoint of the edge that
    /// starts at corner 0, 1 or 2 of the triangle. Let p, q, r be the corners, starting with the first corner of that
    /// edge, and m the midpoint of p and q. The subtree of (p, m, r) comes first, then the subtree of (m, q, r).
    pub(super) cuts: Vec<u8>,
    /// The corners of each piece in the frame of the body. `None` if the piece does not matter to the other body.
    pieces: Vec<Option<[DVec3; 3]>>,
    matter: usize,
}

impl Pieces {
    /// Cuts a body until its pieces are small, or until there are too many.
    pub(super) fn new(faced: &FacingSurface<'_>) -> Self {
        let mut step = FINE * faced.mesh().diagonal();
        let most = MOST.max(faced.mesh().triangles().len());
        loop {
            if let Some(pieces) = Self::cut(faced, step, most) {
                return pieces;
            }
            step *= COARSER;
        }
    }

    /// Cuts a body until no edge of a relevant piece is longer than a step. `None` if there are too many pieces.
    fn cut(faced: &FacingSurface<'_>, step: f64, most: usize) -> Option<Self> {
        let mut pieces = Self::default();
        for (face, corners) in (0..).zip(faced.mesh().triangles()) {
            let mut rest = vec![corners.map(|v| faced.mesh().vertex(v))];
            while let Some(corners) = rest.pop() {
                let matters_at = |point: DVec3| faced.matters(face, faced.placed(point));
                let matters = corners.iter().any(|corner| matters_at(*corner));
                let length = |k: usize| corners[k].distance(corners[(k + 1) % 3]);
                let longest = if length(1) > length(0) { 1 } else { 0 };
                let longest = if length(2) > length(longest) { 2 } else { longest };
                if matters && length(longest) > step {
                    pieces.cuts.push([1, 2, 3][longest]);
                    let [p, q, r] = [0, 1, 2].map(|k| corners[(longest + k) % 3]);
                    let middle = 0.5 * (p + q);
                    // The last triangle that is pushed is processed first.
                    rest.extend([[middle, q, r], [p, middle, r]]);
                } else {
                    pieces.cuts.push(0);
                    let shown = matters && matters_at(middle(&corners));
                    pieces.pieces.push(shown.then_some(corners));
                    pieces.matter += usize::from(shown);
                    if pieces.matter > most {
                        return None;
                    }
                }
            }
        }
        Some(pieces)
    }

    /// For each piece 0, or [`APART`] if it does not matter.
    pub(super) fn facing(&self) -> Vec<f32> {
        self.pieces.iter().map(|piece| if piece.is_some() { 0.0 } else { APART }).collect()
    }

    /// For each piece of A, the time from its centre until contact, [`NOTHING`] if no surface is ahead, or
    /// [`APART`]. Also returns the number of undecided pieces.
    ///
    /// # Errors
    /// As [`first_contact`](chasles::first_contact).
    pub(super) fn times(
        &self,
        b: &PreparedMesh,
        screw: &Screw,
        options: &Options,
    ) -> Result<(Vec<f32>, usize), Error> {
        let shown: Vec<&[DVec3; 3]> = self.pieces.iter().flatten().collect();
        if shown.is_empty() {
            return Ok((self.facing(), 0));
        }
        // Each piece is split into three triangles around its centre, so that the centre is a vertex. Equal
        // positions are merged.
        let mut numbers = BTreeMap::new();
        let (mut vertices, mut triangles, mut middles) = (Vec::new(), Vec::new(), Vec::new());
        for corners in shown {
            let mut number = |point: DVec3| {
                let key = point.to_array().map(|x| (x + 0.0).to_bits());
                *numbers.entry(key).or_insert_with(|| {
                    vertices.push(point);
                    u32::try_from(vertices.len() - 1).expect("a few for each face of a mesh")
                })
            };
            let [p, q, r] = corners.map(&mut number);
            let m = number(middle(corners));
            triangles.extend([[m, p, q], [m, q, r], [m, r, p]]);
            middles.push(m);
        }
        let fine = PreparedMesh::new(Mesh::new(vertices, triangles)?);
        let map = clearance_map(&fine, b, screw, options)?;
        let mut middles = middles.into_iter();
        let times = self.pieces.iter().map(|piece| {
            let middle = if piece.is_some() { middles.next() } else { None };
            match middle.map(|v| map.of_vertices[v as usize]) {
                #[expect(clippy::cast_possible_truncation, reason = "a colour has no more digits")]
                Some(Some(clearance)) => clearance.time as f32,
                Some(None) => NOTHING,
                None => APART,
            }
        });
        Ok((times.collect(), map.undecided))
    }
}

fn middle([p, q, r]: &[DVec3; 3]) -> DVec3 {
    (p + q + r) / 3.0
}

#[cfg(test)]
mod tests {
    use chasles::{Pose, Primitive, facing_surfaces};

    use super::*;

    fn cube() -> Mesh {
        Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh
    }

    fn from_left(way: f64) -> Screw {
        Screw::translation(
            Pose::from_position(DVec3::new(-3.0, 0.25, 0.0)).unwrap(),
            DVec3::new(way, 0.0, 0.0),
        )
    }

    #[test]
    fn pieces_are_small_and_cover_what_leads() {
        let (body, screw) = (PreparedMesh::new(cube()), from_left(4.0));
        let pieces = Pieces::new(&facing_surfaces(&body, &body, &screw)[0]);
        let area = |[p, q, r]: &[DVec3; 3]| 0.5 * (q - p).cross(r - p).length();
        let shown: Vec<_> = pieces.pieces.iter().flatten().collect();
        assert!((shown.iter().map(|piece| area(piece)).sum::<f64>() - 1.0).abs() < 1e-12);
        for [p, q, r] in &shown {
            assert!([p, q, r].iter().all(|corner| corner.x == 0.5));
            let longest = p.distance(*q).max(q.distance(*r)).max(r.distance(*p));
            assert!(longest <= FINE * body.mesh().diagonal(), "{longest}");
        }
        assert_eq!(pieces.matter, shown.len());
        // Ten faces are one piece each.
        assert_eq!(pieces.pieces.len() - shown.len(), 10);
    }

    #[test]
    fn times_are_those_of_the_middles() {
        let (body, screw) = (PreparedMesh::new(cube()), from_left(4.0));
        let pieces = Pieces::new(&facing_surfaces(&body, &body, &screw)[0]);
        let (times, undecided) = pieces.times(&body, &screw, &Options::default()).unwrap();
        assert_eq!(undecided, 0);
        for (piece, time) in pieces.pieces.iter().zip(times) {
            let expected = match piece {
                None => APART,
                // A starts at 2.5 m and moves left by 4 m; it extends a quarter beyond the side of B.
                Some(corners) if middle(corners).y + 0.25 > 0.5 => NOTHING,
                Some(_) => 0.5,
            };
            assert!((time - expected).abs() < 1e-6, "{piece:?}: {time}");
        }
    }

    #[test]
    fn many_faces_are_cut_no_further() {
        let sphere = Primitive::Sphere { radius: 1.0 };
        let body = PreparedMesh::new(sphere.tessellate().unwrap().mesh);
        let screw = Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::ZERO, 0.5, 40.0).unwrap();
        let pieces = Pieces::new(&facing_surfaces(&body, &body, &screw)[1]);
        assert!(pieces.matter > 1000 && pieces.matter <= MOST.max(body.mesh().triangles().len()));
        assert!(pieces.facing().iter().filter(|time| **time == 0.0).count() == pieces.matter);
    }
}
