//! Cuts both bodies into small pieces and computes the clearance of each leading piece of A. The page paints the
//! pieces.

use std::collections::BTreeMap;

use chasles::{Error, FacingSurface, Mesh, Options, PreparedMesh, Screw, clearance_map};
use glam::DVec3;

/// The size of a piece, as a fraction of its body's size.
const PATCH_SIZE: f64 = 1.0 / 60.0;

/// The maximum number of relevant pieces of a body, unless it has more faces.
const MAX_PATCHES: usize = 20_000;

/// If there are too many pieces, their size is multiplied by this factor.
const COARSER: f64 = 1.3;

/// Marks a piece that does not matter to the other body, in place of a time.
pub(super) const IRRELEVANT: f32 = -2.0;

/// Marks a piece with no surface ahead, in place of a time.
pub(super) const NO_SURFACE_AHEAD: f32 = -1.0;

/// The pieces of a body.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Patches {
    /// A tree for each face, depth first: 0 is a piece; 1, 2 and 3 are a cut through the midpoint of the edge that
    /// starts at corner 0, 1 or 2 of the triangle. Let p, q, r be the corners, starting with the first corner of that
    /// edge, and m the midpoint of p and q. The subtree of (p, m, r) comes first, then the subtree of (m, q, r).
    pub(super) cuts: Vec<u8>,
    /// The corners of each piece in the frame of the body. `None` if the piece does not matter to the other body.
    patches: Vec<Option<[DVec3; 3]>>,
    relevant_count: usize,
}

impl Patches {
    /// Cuts a body until its pieces are small, or until there are too many.
    pub(super) fn new(faced: &FacingSurface<'_>) -> Self {
        let mut step = PATCH_SIZE * faced.mesh().diagonal();
        let maximum = MAX_PATCHES.max(faced.mesh().triangles().len());
        loop {
            if let Some(patches) = Self::cut(faced, step, maximum) {
                return patches;
            }
            step *= COARSER;
        }
    }

    /// Cuts a body until no edge of a relevant piece is longer than a step. `None` if there are too many pieces.
    fn cut(faced: &FacingSurface<'_>, step: f64, maximum: usize) -> Option<Self> {
        let mut patches = Self::default();
        for (face, corners) in (0..).zip(faced.mesh().triangles()) {
            let mut stack = vec![corners.map(|v| faced.mesh().vertex(v))];
            while let Some(corners) = stack.pop() {
                let is_relevant_at = |point: DVec3| faced.matters(face, faced.placed(point));
                let is_relevant = corners.iter().any(|corner| is_relevant_at(*corner));
                let length = |k: usize| corners[k].distance(corners[(k + 1) % 3]);
                let longest = if length(1) > length(0) { 1 } else { 0 };
                let longest = if length(2) > length(longest) { 2 } else { longest };
                if is_relevant && length(longest) > step {
                    patches.cuts.push([1, 2, 3][longest]);
                    let [p, q, r] = [0, 1, 2].map(|k| corners[(longest + k) % 3]);
                    let centroid = 0.5 * (p + q);
                    // The last triangle that is pushed is processed first.
                    stack.extend([[centroid, q, r], [p, centroid, r]]);
                } else {
                    patches.cuts.push(0);
                    let shown = is_relevant && is_relevant_at(centroid(&corners));
                    patches.patches.push(shown.then_some(corners));
                    patches.relevant_count += usize::from(shown);
                    if patches.relevant_count > maximum {
                        return None;
                    }
                }
            }
        }
        Some(patches)
    }

    /// For each piece 0, or [`IRRELEVANT`] if it does not matter.
    pub(super) fn facing(&self) -> Vec<f32> {
        self.patches.iter().map(|patch| if patch.is_some() { 0.0 } else { IRRELEVANT }).collect()
    }

    /// For each piece of A, the time from its centre until contact, [`NO_SURFACE_AHEAD`] if no surface is ahead, or
    /// [`IRRELEVANT`]. Also returns the number of undecided pieces.
    ///
    /// # Errors
    /// As [`first_contact`](chasles::first_contact).
    pub(super) fn times(
        &self,
        b: &PreparedMesh,
        screw: &Screw,
        options: &Options,
    ) -> Result<(Vec<f32>, usize), Error> {
        let shown: Vec<&[DVec3; 3]> = self.patches.iter().flatten().collect();
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
            let m = number(centroid(corners));
            triangles.extend([[m, p, q], [m, q, r], [m, r, p]]);
            middles.push(m);
        }
        let fine = PreparedMesh::new(Mesh::new(vertices, triangles)?);
        let map = clearance_map(&fine, b, screw, options)?;
        let mut middles = middles.into_iter();
        let times = self.patches.iter().map(|patch| {
            let centroid = if patch.is_some() { middles.next() } else { None };
            match centroid.map(|v| map.of_vertices[v as usize]) {
                #[expect(clippy::cast_possible_truncation, reason = "a colour has no more digits")]
                Some(Some(clearance)) => clearance.time as f32,
                Some(None) => NO_SURFACE_AHEAD,
                None => IRRELEVANT,
            }
        });
        Ok((times.collect(), map.undecided))
    }
}

fn centroid([p, q, r]: &[DVec3; 3]) -> DVec3 {
    (p + q + r) / 3.0
}

#[cfg(test)]
mod tests {
    use chasles::{Pose, Primitive, facing_surfaces};

    use super::*;

    fn cube() -> Mesh {
        Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh
    }

    fn screw_from_left(offset: f64) -> Screw {
        Screw::translation(
            Pose::from_position(DVec3::new(-3.0, 0.25, 0.0)).unwrap(),
            DVec3::new(offset, 0.0, 0.0),
        )
    }

    #[test]
    fn pieces_are_small_and_cover_the_leading_faces() {
        let (body, screw) = (PreparedMesh::new(cube()), screw_from_left(4.0));
        let patches = Patches::new(&facing_surfaces(&body, &body, &screw)[0]);
        let area = |[p, q, r]: &[DVec3; 3]| 0.5 * (q - p).cross(r - p).length();
        let shown: Vec<_> = patches.patches.iter().flatten().collect();
        assert!((shown.iter().map(|patch| area(patch)).sum::<f64>() - 1.0).abs() < 1e-12);
        for [p, q, r] in &shown {
            assert!([p, q, r].iter().all(|corner| corner.x == 0.5));
            let longest = p.distance(*q).max(q.distance(*r)).max(r.distance(*p));
            assert!(longest <= PATCH_SIZE * body.mesh().diagonal(), "{longest}");
        }
        assert_eq!(patches.relevant_count, shown.len());
        // Ten faces are one piece each.
        assert_eq!(patches.patches.len() - shown.len(), 10);
    }

    #[test]
    fn times_are_at_the_middles_of_pieces() {
        let (body, screw) = (PreparedMesh::new(cube()), screw_from_left(4.0));
        let patches = Patches::new(&facing_surfaces(&body, &body, &screw)[0]);
        let (times, undecided) = patches.times(&body, &screw, &Options::default()).unwrap();
        assert_eq!(undecided, 0);
        for (patch, time) in patches.patches.iter().zip(times) {
            let expected = match patch {
                None => IRRELEVANT,
                // A starts at 2.5 m and moves left by 4 m; it extends a quarter beyond the side of B.
                Some(corners) if centroid(corners).y + 0.25 > 0.5 => NO_SURFACE_AHEAD,
                Some(_) => 0.5,
            };
            assert!((time - expected).abs() < 1e-6, "{patch:?}: {time}");
        }
    }

    #[test]
    fn large_meshes_are_not_refined() {
        let sphere = Primitive::Sphere { radius: 1.0 };
        let body = PreparedMesh::new(sphere.tessellate().unwrap().mesh);
        let screw = Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::ZERO, 0.5, 40.0).unwrap();
        let patches = Patches::new(&facing_surfaces(&body, &body, &screw)[1]);
        assert!(
            patches.relevant_count > 1000
                && patches.relevant_count <= MAX_PATCHES.max(body.mesh().triangles().len())
        );
        assert!(patches.facing().iter().filter(|time| **time == 0.0).count() == patches.relevant_count);
    }
}
