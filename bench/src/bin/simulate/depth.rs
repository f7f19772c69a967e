//! The penetration depth of bodies, by one formula for every engine.

use glam::{DMat3, DQuat, DVec3};
use rapier3d_f64::parry::query::PointQuery;
use rapier3d_f64::parry::shape::{TriMesh, TriMeshFlags};

use crate::scene::{Bodies, Case, ROCK};

/// The measure of penetration depth.
pub(crate) enum Measure {
    /// For boxes of this size: the minimum overlap over the separating axis directions.
    Boxes(DVec3),
    /// For rocks: the depth of a vertex below another rock's surface, which is a lower bound of the penetration depth.
    Rocks(Vec<TriMesh>),
}

impl Measure {
    pub(crate) fn new(case: &Case) -> Self {
        match &case.bodies {
            Bodies::Boxes(size) => Self::Boxes(*size),
            Bodies::Rocks(rocks) => {
                let mesh = |(vertices, triangles): &(Vec<DVec3>, Vec<[u32; 3]>)| {
                    TriMesh::with_flags(vertices.clone(), triangles.clone(), TriMeshFlags::ORIENTED)
                        .expect("a closed mesh")
                };
                Self::Rocks(rocks.iter().map(mesh).collect())
            }
        }
    }

    /// The maximum depth of any two bodies, or of a body and the floor.
    pub(crate) fn deepest(&self, places: &[(DVec3, DQuat)]) -> f64 {
        match self {
            Self::Boxes(size) => boxes(*size, places),
            Self::Rocks(rocks) => of_rocks(rocks, places),
        }
    }
}

fn boxes(size: DVec3, places: &[(DVec3, DQuat)]) -> f64 {
    let turns: Vec<DMat3> = places.iter().map(|(_, turn)| DMat3::from_quat(*turn)).collect();
    let reach = |turn: &DMat3, n: DVec3| 0.5 * (size * (turn.transpose() * n).abs()).element_sum();
    let axes = |turn: &DMat3| [turn.x_axis, turn.y_axis, turn.z_axis];
    let mut deepest = 0.0_f64;
    for (i, (at, _)) in places.iter().enumerate() {
        deepest = deepest.max(reach(&turns[i], DVec3::Z) - at.z);
        for (k, (other, _)) in places.iter().enumerate().skip(i + 1) {
            let between = *other - *at;
            if between.length() > size.length() {
                continue;
            }
            let mut directions: Vec<DVec3> = axes(&turns[i]).into_iter().chain(axes(&turns[k])).collect();
            for u in axes(&turns[i]) {
                directions.extend(axes(&turns[k]).map(|v| u.cross(v)));
            }
            let overlap = |n: &DVec3| {
                let n = n.normalize();
                reach(&turns[i], n) + reach(&turns[k], n) - between.dot(n).abs()
            };
            let minimum =
                directions.iter().filter(|n| n.length() > 1e-9).map(overlap).fold(f64::INFINITY, f64::min);
            deepest = deepest.max(minimum);
        }
    }
    deepest
}

fn of_rocks(rocks: &[TriMesh], places: &[(DVec3, DQuat)]) -> f64 {
    let mut deepest = 0.0_f64;
    for (rock, (at, turn)) in rocks.iter().zip(places) {
        for vertex in rock.vertices() {
            let vertex = *at + *turn * *vertex;
            deepest = deepest.max(-vertex.z);
            for (other, (there, turned)) in rocks.iter().zip(places) {
                if at == there || vertex.distance(*there) > ROCK {
                    continue;
                }
                let local = turned.conjugate() * (vertex - *there);
                let projection = other.project_local_point(local, true);
                // The projection leaves a point inside where it is.
                if projection.is_inside {
                    let surface = other.project_local_point(local, false);
                    deepest = deepest.max(surface.point.distance(local));
                }
            }
        }
    }
    deepest
}
