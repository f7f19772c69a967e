//! For the time being: mass properties of the mesh that shows a shape, until the engine tells those of the shape.

use chasles::SceneShape;
use glam::{DMat3, DVec3};

pub(super) struct MassProperties {
    pub(super) volume: f64,
    pub(super) center: DVec3,
    pub(super) inertia: DMat3,
}

pub(super) fn mass_properties(shape: &SceneShape) -> Result<MassProperties, String> {
    if !chasles::MeshFacts::of(shape.drawn()).closed {
        return Err("the mesh is not closed".into());
    }
    let mesh = shape.drawn();
    let (mut six, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| mesh.vertex(v));
        let det = a.dot(b.cross(c));
        six += det;
        first += (a + b + c) * det;
        let s = a + b + c;
        second += (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s)) * det;
    }
    let volume = six / 6.0;
    if volume <= 0.0 {
        return Err("the mesh surrounds no volume".into());
    }
    let center = first / 24.0 / volume;
    let second = second * (1.0 / 120.0) - outer(center, center) * volume;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    Ok(MassProperties { volume, center, inertia: DMat3::from_diagonal(DVec3::splat(trace)) - second })
}
