//! The surface of a body for drawing: the parts that matter to the other body, and the lines that bound them.

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::features::screw_motion::ScrewMotion;
use crate::motion::{Pose, Screw};
use crate::screen::facing::{FacingMesh, Role};
use crate::screen::flow::Flow;
use crate::shape::Mesh;

/// The surface of one body of a pair on a screw, in B's frame: A at its start pose, B at its static pose. The leading
/// parts of A and the trailing parts of B **matter**: no other parts can collide.
#[derive(Debug, Clone)]
pub struct FacingSurface<'a> {
    mesh: &'a Mesh,
    role: Role,
    /// The pose of A at the start.
    start: Pose,
    /// The centre of B's mesh, the origin of the flow's coordinates.
    centre: DVec3,
    flow: Flow,
    /// A part of A matters if n.v is more than this, a part of B if -n.v is.
    speed_tolerance: f64,
    /// The unit normals of the faces, outward; zero if a face has no area.
    normals: Vec<DVec3>,
}

/// Lines in B's frame, by their ends: the borders of the parts that matter, and the creases between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FacingBorders {
    /// The borders of the parts that matter.
    pub outline: Vec<[DVec3; 2]>,
    /// Edges between two parts that matter at which the surface bends by more than 30 degrees.
    pub creases: Vec<[DVec3; 2]>,
}

/// Returns the surfaces of two bodies, A's first. Parts matter with the same tolerance of n.v as in
/// [`facings`](crate::facings).
#[must_use]
pub fn facing_surfaces<'a>(
    a: &'a PreparedMesh,
    b: &'a PreparedMesh,
    screw: &Screw,
) -> [FacingSurface<'a>; 2] {
    let motion = ScrewMotion::new(a.mesh(), b.mesh(), screw);
    [(a, Role::A), (b, Role::B)].map(|(body, role)| {
        let faced = FacingMesh::new(body.mesh(), role, &motion);
        let normals = (0_u32..).zip(body.mesh().triangles()).map(|(face, _)| faced.normal(face)).collect();
        FacingSurface {
            mesh: body.mesh(),
            role,
            start: screw.start(),
            centre: b.mesh().centre(),
            flow: faced.flow,
            speed_tolerance: faced.speed_tolerance,
            normals,
        }
    })
}

/// Cosine of the angle between two faces above which their common edge is no crease.
const SMOOTH: f64 = 0.866;

/// Points of an edge this close together, as a fraction of its length, count as one: except for rounding, coplanar
/// faces stop mattering at the same point.
const SAME: f64 = 1e-12;

impl<'a> FacingSurface<'a> {
    /// The mesh, in its own frame.
    #[must_use]
    pub fn mesh(&self) -> &'a Mesh {
        self.mesh
    }

    /// The position in B's frame of a point of the body's frame.
    #[must_use]
    pub fn placed(&self, point: DVec3) -> DVec3 {
        match self.role {
            Role::A => self.start.transform_point(point),
            Role::B => point,
        }
    }

    /// The corners of a face of the mesh, in B's frame.
    ///
    /// # Panics
    /// If the mesh has no such face.
    #[must_use]
    pub fn corners(&self, face: u32) -> [DVec3; 3] {
        self.mesh.triangles()[face as usize].map(|v| self.placed(self.mesh.vertex(v)))
    }

    /// Whether a face of the mesh matters at a point of the face, given in B's frame.
    ///
    /// # Panics
    /// If the mesh has no such face.
    #[must_use]
    pub fn matters(&self, face: u32, point: DVec3) -> bool {
        self.normal_speed_excess(face, point) > 0.0
    }

    /// The border lines and creases of the parts that matter.
    #[must_use]
    pub fn borders(&self) -> FacingBorders {
        let mut borders = FacingBorders::default();
        let faces = (0_u32..).zip(self.mesh.triangles());
        borders.outline.extend(faces.filter_map(|(face, _)| self.split(face)));
        for (edge, ends) in (0_u32..).zip(self.mesh.edges()) {
            let ends = ends.map(|v| self.placed(self.mesh.vertex(v)));
            self.add_edge(ends, self.mesh.around().faces_at_edge(edge), &mut borders);
        }
        borders
    }

    /// The excess of n.v (A) or -n.v (B) of a face over the speed tolerance at a point: affine on the face.
    fn normal_speed_excess(&self, face: u32, point: DVec3) -> f64 {
        let facing = self.normals[face as usize].dot(self.flow.at(point - self.centre));
        match self.role {
            Role::A => facing - self.speed_tolerance,
            Role::B => -facing - self.speed_tolerance,
        }
    }

    /// Adds an edge between faces, split at the points where one of the faces stops mattering.
    fn add_edge(&self, [from, to]: [DVec3; 2], faces: &[u32], borders: &mut FacingBorders) {
        let normal = |face: u32| self.normals[face as usize];
        let is_smooth = matches!(faces[..], [f, g] if normal(f).dot(normal(g)) >= SMOOTH);
        let mut cuts = vec![0.0, 1.0];
        for face in faces {
            let [f, g] = [from, to].map(|end| self.normal_speed_excess(*face, end));
            if (f > 0.0) != (g > 0.0) {
                cuts.push(f / (f - g));
            }
        }
        cuts.sort_by(f64::total_cmp);
        for part in cuts.windows(2).filter(|part| part[1] - part[0] > SAME) {
            let middle = from.lerp(to, 0.5 * (part[0] + part[1]));
            let matter = faces.iter().filter(|face| self.matters(**face, middle)).count();
            let ends = [from.lerp(to, part[0]), from.lerp(to, part[1])];
            if matter > 0 && (matter < faces.len() || faces.len() == 1) {
                borders.outline.push(ends);
            } else if matter > 0 && !is_smooth {
                borders.creases.push(ends);
            }
        }
    }

    /// The line within a face at which it stops mattering.
    fn split(&self, face: u32) -> Option<[DVec3; 2]> {
        let corners = self.corners(face);
        let excess = corners.map(|corner| self.normal_speed_excess(face, corner));
        let mut zeros = [0, 1, 2].into_iter().filter_map(|k| {
            let (next, [f, g]) = ((k + 1) % 3, [excess[k], excess[(k + 1) % 3]]);
            ((f > 0.0) != (g > 0.0)).then(|| corners[k] + (f / (f - g)) * (corners[next] - corners[k]))
        });
        Some([zeros.next()?, zeros.next()?])
    }
}

#[cfg(test)]
mod tests {
    use chasles_testing::{Random, cases};

    use super::*;
    use crate::screen::facing::facings;
    use crate::shape::Primitive;

    fn cube() -> PreparedMesh {
        PreparedMesh::new(Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh)
    }

    #[test]
    fn an_edge_is_a_border_while_exactly_one_of_its_faces_matters() {
        // A cube rotates about z, about an axis off its centre: each upright side leads on one side of the foot of
        // the axis.
        let cube = cube();
        let screw = Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::new(0.25, 0.0, 0.0), 0.0, 1.0).unwrap();
        let FacingBorders { outline, creases } = facing_surfaces(&cube, &cube, &screw)[0].borders();
        let length = |lines: &[[DVec3; 2]]| lines.iter().map(|[p, q]| p.distance(*q)).sum::<f64>();
        // The side x = 1/2 leads in y < 0, x = -1/2 in y > 0, y = 1/2 in x > 1/4, y = -1/2 in x < 1/4. Top and bottom
        // slide.
        let around = 2.0 * (0.5 + 0.5 + 0.25 + 0.75);
        // Four lines at which sides stop leading, and the upright edges: both or one of the adjacent sides lead
        // there.
        let upright = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[x, y]: [f64; 2]| {
            let leads = [x * y < 0.0, if y > 0.0 { x > 0.25 } else { x < 0.25 }];
            leads.iter().filter(|leads| **leads).count()
        });
        let [one, both] = [1, 2]
            .map(|wanted| upright.iter().map(|leads| f64::from(u8::from(*leads == wanted))).sum::<f64>());
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

    #[test]
    fn the_surfaces_and_the_counts_agree_on_the_faces_that_matter() {
        for seed in 0..cases(100, 500) {
            let random = &mut Random(seed);
            let (a, b) = (cube(), cube());
            // With whole numbers some faces slide.
            let mut whole = || random.vector(2.0).round();
            let start = Pose::from_position(whole()).unwrap();
            let (point, direction, slide) = (whole(), whole() + 0.25 * DVec3::Z, whole().x);
            let screw = Screw::about(start, direction, point, slide, 2.0).unwrap();
            let counted = facings(&a, &b, &screw).map(|facing| facing.faces);
            let surfaces = facing_surfaces(&a, &b, &screw);
            let found = surfaces.map(|surface| {
                let matters = |face: &u32| surface.corners(*face).iter().any(|p| surface.matters(*face, *p));
                (0..12).filter(matters).count()
            });
            let expected = [counted[0].forward + counted[0].split, counted[1].backward + counted[1].split];
            assert_eq!(found, expected, "seed {seed}");
        }
    }
}
