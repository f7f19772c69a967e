//! Which parts of a body matter to the other, and where they end.

use chasles::{Mesh, Screw};
use glam::DVec3;

/// Which body of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Its leading parts matter.
    Moving,
    /// Its trailing parts matter.
    Standing,
}

/// A body of a pair in the frame of B, at the start of the motion.
#[derive(Debug, Clone)]
pub(super) struct Faced<'a> {
    pub(super) mesh: &'a Mesh,
    role: Role,
    screw: &'a Screw,
    /// The corners of each face and its unit normal.
    pub(super) faces: Vec<([DVec3; 3], DVec3)>,
}

/// Straight lines at which a body stops to matter, and at which it turns.
#[derive(Debug, Clone, Default)]
pub(super) struct Borders {
    /// Where what matters ends.
    pub(super) outline: Vec<[DVec3; 2]>,
    /// Edges at which what matters turns sharply.
    pub(super) creases: Vec<[DVec3; 2]>,
}

/// Cosine of the angle between two triangles above which the edge between them is no crease.
const SMOOTH: f64 = 0.866;

/// A surface is taken to slide along itself where the speed along its normal is at most this share of its speed.
const ALONG: f64 = 1e-9;

impl<'a> Faced<'a> {
    pub(super) fn new((mesh, role): (&'a Mesh, Role), screw: &'a Screw) -> Self {
        let mut faced = Self { mesh, role, screw, faces: Vec::new() };
        let corners = mesh.triangles().iter().map(|corners| corners.map(|v| faced.placed(mesh.vertex(v))));
        let normal = |[p, q, r]: [DVec3; 3]| (q - p).cross(r - p).normalize_or_zero();
        faced.faces = corners.map(|corners| (corners, normal(corners))).collect();
        faced
    }

    /// A point of the body in the frame of B.
    pub(super) fn placed(&self, point: DVec3) -> DVec3 {
        match self.role {
            Role::Moving => self.screw.start().transform_point(point),
            Role::Standing => point,
        }
    }

    /// How fast a face moves outward at a point of B's frame, where it matters: positive.
    pub(super) fn outward(&self, point: DVec3, normal: DVec3) -> f64 {
        let sense = if self.role == Role::Moving { 1.0 } else { -1.0 };
        let velocity = self.screw.velocity_at(point, 0.0);
        sense * normal.dot(velocity) - ALONG * velocity.length()
    }

    /// The lines at which it stops to matter, or turns.
    pub(super) fn borders(&self) -> Borders {
        let mut borders = Borders::default();
        borders.outline.extend(self.faces.iter().filter_map(|face| self.split(*face)));
        let mut beside: Vec<Vec<usize>> = vec![Vec::new(); self.mesh.edges().len()];
        for (face, edges) in self.mesh.triangle_edges().iter().enumerate() {
            edges.iter().for_each(|edge| beside[*edge as usize].push(face));
        }
        for (edge, beside) in self.mesh.edges().iter().zip(&beside) {
            let ends = edge.map(|v| self.placed(self.mesh.vertex(v)));
            self.add_edge(ends, beside, &mut borders);
        }
        borders
    }

    /// An edge between faces: in parts, where one of them stops to matter on the way.
    fn add_edge(&self, [from, to]: [DVec3; 2], beside: &[usize], borders: &mut Borders) {
        let normal = |face: usize| self.faces[face].1;
        let is_smooth = matches!(beside[..], [f, g] if normal(f).dot(normal(g)) >= SMOOTH);
        let mut cuts = vec![0.0, 1.0];
        for face in beside {
            let [f, g] = [from, to].map(|end| self.outward(end, normal(*face)));
            if (f > 0.0) != (g > 0.0) {
                cuts.push(f / (f - g));
            }
        }
        cuts.sort_by(f64::total_cmp);
        for part in cuts.windows(2).filter(|part| part[0] < part[1]) {
            let middle = from.lerp(to, 0.5 * (part[0] + part[1]));
            let matter = beside.iter().filter(|face| self.outward(middle, normal(**face)) > 0.0).count();
            let ends = [from.lerp(to, part[0]), from.lerp(to, part[1])];
            if matter > 0 && (matter < beside.len() || beside.len() == 1) {
                borders.outline.push(ends);
            } else if matter > 0 && !is_smooth {
                borders.creases.push(ends);
            }
        }
    }

    /// The line within a face at which it stops to matter. The speed is affine on a face: it is straight.
    fn split(&self, (corners, normal): ([DVec3; 3], DVec3)) -> Option<[DVec3; 2]> {
        let speeds = corners.map(|corner| self.outward(corner, normal));
        let mut zeros = [0, 1, 2].into_iter().filter_map(|k| {
            let (next, [f, g]) = ((k + 1) % 3, [speeds[k], speeds[(k + 1) % 3]]);
            ((f > 0.0) != (g > 0.0)).then(|| corners[k] + (f / (f - g)) * (corners[next] - corners[k]))
        });
        Some([zeros.next()?, zeros.next()?])
    }
}

#[cfg(test)]
mod tests {
    use chasles::{Pose, Primitive};

    use super::*;

    #[test]
    fn an_edge_is_a_border_as_far_as_one_of_its_faces_matters() {
        // A cube that turns about z, an axis beside it: each of its upright sides leads on one side of the foot of the axis.
        let mesh = Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh;
        let screw = Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::new(0.25, 0.0, 0.0), 0.0, 1.0).unwrap();
        let faced = Faced::new((&mesh, Role::Moving), &screw);
        let Borders { outline, creases } = faced.borders();
        let length = |lines: &[[DVec3; 2]]| lines.iter().map(|[p, q]| p.distance(*q)).sum::<f64>();
        // The side x = 1/2 leads in y < 0, x = -1/2 in y > 0, y = 1/2 in x > 1/4, y = -1/2 in x < 1/4. Top and bottom slide.
        let around = 2.0 * (0.5 + 0.5 + 0.25 + 0.75);
        // Four lines at which sides stop to lead, and the upright edges: beside each both sides lead, or one.
        let upright = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[x, y]: [f64; 2]| {
            let leads = [x * y < 0.0, if y > 0.0 { x > 0.25 } else { x < 0.25 }];
            leads.iter().filter(|leads| **leads).count()
        });
        let [one, both] =
            [1, 2].map(|wanted| upright.iter().filter(|leads| **leads == wanted).count() as f64);
        assert!(
            (length(&outline) - (around + 4.0 + one)).abs() < 1e-6,
            "{} {around} {one}",
            length(&outline)
        );
        assert!((length(&creases) - both).abs() < 1e-6, "{} {both}", length(&creases));
        for ends in outline.iter().filter(|[p, q]| p.z == q.z && p.z == 0.5 && p.x == 0.5 && q.x == 0.5) {
            assert!(ends.iter().all(|end| end.y < 1e-6), "{ends:?}");
        }
    }
}
