//! Flexible bodies for tests, and properties of their states.

use std::sync::Arc;

use chasles::glam::DVec3;
use chasles::{
    BodyMotion, CollisionShape, FeatureMeeting, FlexibleBody, FlexibleState, Friction, Mesh, MovingFeatures,
    MovingKind, Pose, PreparedMesh, Release, SceneBody, SimulatedBody, SimulationState,
};

use crate::response::setup::Setup;

/// A cube about the origin of a given size, each face of which has `n` times `n` squares.
pub(crate) fn cube(size: f64, n: u32) -> Mesh {
    let mut numbers = std::collections::BTreeMap::new();
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut vertex = |at: [u32; 3]| {
        *numbers.entry(at).or_insert_with(|| {
            vertices.push(size * (DVec3::from_array(at.map(f64::from)) / f64::from(n) - 0.5));
            u32::try_from(vertices.len() - 1).unwrap()
        })
    };
    for axis in 0..3 {
        for side in [0, n] {
            for i in 0..n {
                for j in 0..n {
                    let mut corner = |u: u32, v: u32| {
                        let mut at = [0; 3];
                        (at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]) = (side, i + u, j + v);
                        vertex(at)
                    };
                    let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    let (one, other) =
                        if (i + j) % 2 == 0 { ([a, b, c], [a, c, d]) } else { ([a, b, d], [b, c, d]) };
                    for [p, q, r] in [one, other] {
                        triangles.push(if side == 0 { [p, r, q] } else { [p, q, r] });
                    }
                }
            }
        }
    }
    Mesh::new(vertices, triangles).unwrap()
}

/// A square sheet about the origin perpendicular to z, with `n` times `n` squares.
pub(crate) fn sheet(size: f64, n: u32) -> Mesh {
    let at = |k: u32| size * (f64::from(k) / f64::from(n) - 0.5);
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| DVec3::new(at(i), at(j), 0.0))).collect();
    let corner = |i: u32, j: u32| i * (n + 1) + j;
    let triangles = (0..n)
        .flat_map(|i| {
            (0..n).map(move |j| [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)])
        })
        .flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    Mesh::new(vertices, triangles).unwrap()
}

impl Setup {
    /// Adds a flexible body, by default without friction and elasticity.
    pub(crate) fn flexible(&mut self, mesh: Mesh, pose: Pose, given: FlexibleBody) -> usize {
        let body = self.bodies.len();
        self.bodies.push(SceneBody {
            name: format!("jelly {body}"),
            shape: Some(CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh)))),
            motion: BodyMotion::Still(pose),
            parent: None,
            group: None,
            solid: false,
        });
        let friction = Friction::Coefficient(0.0);
        self.own.push(SimulatedBody { dynamics: None, release: Release::Start, elasticity: 0.0, friction });
        self.flexible.push(FlexibleBody { body, ..given });
        body
    }
}

/// A jelly of a mass and a stiffness, without damping, at rest.
pub(crate) fn jelly(mass: f64, stiffness: f64) -> FlexibleBody {
    FlexibleBody { body: 0, mass, stiffness, damping: 0.0, linear: DVec3::ZERO, angular: DVec3::ZERO }
}

pub(crate) fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_position(DVec3::new(x, y, z)).unwrap()
}

/// The mean of the vertices.
pub(crate) fn middle(state: &FlexibleState) -> DVec3 {
    state.vertices.iter().sum::<DVec3>() / state.vertices.len() as f64
}

pub(crate) fn lowest(state: &FlexibleState) -> f64 {
    state.vertices.iter().map(|v| v.z).fold(f64::INFINITY, f64::min)
}

pub(crate) fn whole_energy(moment: &SimulationState) -> f64 {
    moment.energy.kinetic + moment.energy.potential + moment.energy.dissipated
}

/// The centre of mass, the momentum and the angular momentum about the origin.
pub(crate) struct Momenta {
    pub(crate) centre: DVec3,
    pub(crate) linear: DVec3,
    pub(crate) angular: DVec3,
}

/// The momenta of a state, with masses proportional to a third of the area around each vertex.
pub(crate) fn momenta(state: &FlexibleState, given: &FlexibleBody, rest: &Mesh) -> Momenta {
    let mut areas = vec![0.0; rest.vertex_count()];
    for triangle in rest.triangles() {
        let [a, b, c] = triangle.map(|v| rest.vertex(v));
        for v in triangle {
            areas[*v as usize] += (b - a).cross(c - a).length();
        }
    }
    let whole: f64 = areas.iter().sum();
    let masses = areas.iter().map(|area| given.mass * area / whole);
    let mut sums = Momenta { centre: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO };
    for (mass, (place, velocity)) in masses.zip(state.vertices.iter().zip(&state.velocities)) {
        sums.centre += mass / given.mass * *place;
        sums.linear += mass * *velocity;
        sums.angular += mass * place.cross(*velocity);
    }
    sums
}

/// A monitor that stops after `most` queries.
pub(crate) struct After<'a> {
    pub(crate) asked: &'a std::sync::atomic::AtomicU32,
    pub(crate) most: u32,
}

impl chasles::ProgressMonitor for After<'_> {
    fn is_over(&self) -> bool {
        self.asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= self.most
    }
}

/// A mesh with its vertices before and after.
pub(crate) type Moving<'a> = (&'a Mesh, (&'a Vec<DVec3>, &'a Vec<DVec3>));

fn features_meet(kind: MovingKind, corners: [(&Moving<'_>, u32); 4]) -> bool {
    let begin = corners.map(|(own, v)| own.1.0[v as usize]);
    let end = corners.map(|(own, v)| own.1.1[v as usize]);
    // Separated boxes settle most cases.
    let bounds = |range: std::ops::Range<usize>| {
        let all = begin[range.clone()].iter().chain(&end[range]);
        all.fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[lo, hi], p| [lo.min(*p), hi.max(*p)])
    };
    let first = if kind == MovingKind::VertexFace { 1 } else { 2 };
    let [[a, b], [c, d]] = [bounds(0..first), bounds(first..4)];
    if a.cmpgt(d).any() || c.cmpgt(b).any() {
        return false;
    }
    let features = MovingFeatures { kind, start: begin, end };
    !matches!(features.first_contact(0.0, 1_000_000_000).unwrap(), FeatureMeeting::Clear)
}

/// Whether any vertex and face, or any two edges, of two surfaces meet.
pub(crate) fn meet(a: Moving<'_>, b: Moving<'_>) -> bool {
    let vertex_face = |vertices: &Moving<'_>, faces: &Moving<'_>| {
        let count = u32::try_from(vertices.0.vertex_count()).unwrap();
        (0..count).any(|v| {
            faces.0.triangles().iter().any(|[p, q, r]| {
                features_meet(MovingKind::VertexFace, [(vertices, v), (faces, *p), (faces, *q), (faces, *r)])
            })
        })
    };
    let edges = a.0.edges().iter().any(|[p, q]| {
        let own =
            |[r, s]: &[u32; 2]| features_meet(MovingKind::EdgeEdge, [(&a, *p), (&a, *q), (&b, *r), (&b, *s)]);
        b.0.edges().iter().any(own)
    });
    edges || vertex_face(&a, &b) || vertex_face(&b, &a)
}

/// Whether any two features of a surface without a common vertex meet.
pub(crate) fn meets_itself(own: Moving<'_>) -> bool {
    let count = u32::try_from(own.0.vertex_count()).unwrap();
    let vertices = (0..count).any(|v| {
        own.0.triangles().iter().filter(|face| !face.contains(&v)).any(|[p, q, r]| {
            features_meet(MovingKind::VertexFace, [(&own, v), (&own, *p), (&own, *q), (&own, *r)])
        })
    });
    let edges = own.0.edges();
    vertices
        || edges.iter().enumerate().any(|(i, [p, q])| {
            let others = edges[i + 1..].iter().filter(|other| !other.contains(p) && !other.contains(q));
            others.into_iter().any(|[r, s]| {
                features_meet(MovingKind::EdgeEdge, [(&own, *p), (&own, *q), (&own, *r), (&own, *s)])
            })
        })
}
