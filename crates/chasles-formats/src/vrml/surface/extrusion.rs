//! `Extrusion`: a cross-section swept along a spine (VRML97, 6.18).

use glam::{DQuat, DVec3};

use super::form::VrmlGeometry;
use super::workshop::Workshop;
use crate::error::Result;
use crate::mesh::polygon::Outcome;
use crate::vrml::fields::{flag, points};
use crate::vrml::graph::{Graph, NodeInstance};
use crate::vrml::rotation::rotation;

/// The surface of an `Extrusion`: two triangles for each quadrangle between two points of the spine, and two caps. A
/// cap of a closed cross-section leaves out the repeated last point.
pub(crate) fn extrusion(
    graph: &Graph,
    instance: NodeInstance,
    workshop: &mut Workshop<'_>,
) -> Result<VrmlGeometry> {
    let square = || vec![[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
    let section: Vec<[f64; 2]> = points(graph, instance, "crossSection")?.unwrap_or_else(square);
    let spine: Vec<[f64; 3]> =
        points(graph, instance, "spine")?.unwrap_or_else(|| vec![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let spine: Vec<DVec3> = spine.into_iter().map(DVec3::from_array).collect();
    let scales: Vec<[f64; 2]> = points(graph, instance, "scale")?.unwrap_or_default();
    let rotations: Vec<[f64; 4]> = points(graph, instance, "orientation")?.unwrap_or_default();
    for (name, found) in [("scale", scales.len()), ("orientation", rotations.len())] {
        if found > 1 && found < spine.len() {
            let message = format!(
                "found {found} values of {name}, expected one, or one for each of {} points of the spine",
                spine.len()
            );
            return Err(graph.error(instance, message));
        }
    }
    let rotations: Vec<DQuat> = rotations
        .iter()
        .map(|rotation_here| {
            rotation(*rotation_here)
                .map_err(|message| graph.error(instance, format!("orientation: {message}")))
        })
        .collect::<Result<_>>()?;
    if spine.len() < 2 || section.len() < 2 {
        return Ok(VrmlGeometry::Mesh { vertices: vec![], triangles: vec![] });
    }
    let requested = spine.len().saturating_mul(section.len()).saturating_mul(3);
    workshop.budget.spend(requested).map_err(|message| graph.error(instance, message))?;
    let mut vertices = Vec::with_capacity(spine.len() * section.len());
    for (i, axes) in planes(&spine).iter().enumerate() {
        let one_of = |count: usize| if count > 1 { i } else { 0 };
        let [sx, sz] = *scales.get(one_of(scales.len())).unwrap_or(&[1.0, 1.0]);
        let rotation_here = rotations.get(one_of(rotations.len())).copied().unwrap_or(DQuat::IDENTITY);
        for [x, z] in &section {
            let [x_axis, y_axis, z_axis] = *axes;
            let p = rotation_here * DVec3::new(x * sx, 0.0, z * sz);
            vertices.push(spine[i] + p.x * x_axis + p.y * y_axis + p.z * z_axis);
        }
    }
    let mut triangles = sides(spine.len(), section.len());
    let corners = if section.first() == section.last() { section.len() - 1 } else { section.len() };
    let number = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
    let last = (spine.len() - 1) * section.len();
    let caps: [(&str, Vec<u32>); 2] = [
        ("beginCap", (0..corners).rev().map(number).collect()),
        ("endCap", (0..corners).map(|i| number(last + i)).collect()),
    ];
    for (name, polygon) in caps {
        if flag(graph, instance, name, true)?
            && workshop.cutter.cut(&vertices, &polygon, &mut triangles) != Outcome::Cut
        {
            let warning = format!("{name} crosses itself or is too intricate; it is cut as a fan");
            workshop.warnings.push(graph.warning(instance, &warning));
        }
    }
    if !flag(graph, instance, "ccw", true)? {
        triangles.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
    }
    Ok(VrmlGeometry::Mesh { vertices, triangles })
}

/// The quadrangles between the points of a spine, two triangles each.
fn sides(spine: usize, section: usize) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    for i in 1..spine {
        for j in 1..section {
            let number = |i: usize, j: usize| u32::try_from(i * section + j).unwrap_or(u32::MAX);
            let [a, b, c, d] = [number(i - 1, j - 1), number(i - 1, j), number(i, j), number(i, j - 1)];
            triangles.extend([[a, c, d], [a, b, c]]);
        }
    }
    triangles
}

/// The axes of the plane of the cross-section at each point of a spine: y along the spine, and z across the plane in
/// which the spine bends. The sign of z is chosen so that it stays close to the z of the point before.
fn planes(spine: &[DVec3]) -> Vec<[DVec3; 3]> {
    let n = spine.len();
    let is_closed = spine[0] == spine[n - 1] && n > 2;
    let neighbours = |i: usize| match i {
        0 if is_closed => (n - 2, 1),
        0 => (0, 1),
        i if i == n - 1 && is_closed => (n - 2, 1),
        i if i == n - 1 => (n - 2, n - 1),
        i => (i - 1, i + 1),
    };
    let along: Vec<DVec3> = (0..n)
        .map(|i| {
            let (before, after) = neighbours(i);
            (spine[after] - spine[before]).normalize_or_zero()
        })
        .collect();
    let across: Vec<DVec3> = (0..n)
        .map(|i| {
            let (before, after) = neighbours(i);
            let forward = (spine[after] - spine[i]).normalize_or_zero();
            let bend = forward.cross((spine[before] - spine[i]).normalize_or_zero());
            // A smaller value is rounding error of a straight line.
            if bend.length_squared() > 1e-20 { bend.normalize() } else { DVec3::ZERO }
        })
        .collect();
    let along = fill_gaps(along);
    let across = fill_gaps(across);
    let mut planes = Vec::with_capacity(n);
    let mut last: Option<DVec3> = None;
    for i in 0..n {
        let y = along[i].unwrap_or(DVec3::Y);
        let mut z = match across[i] {
            Some(z) => z,
            // For a straight spine, the plane is rotated from y to the spine by the smallest angle.
            None => DQuat::from_rotation_arc(DVec3::Y, y) * DVec3::Z,
        };
        if last.is_some_and(|last| last.dot(z) < 0.0) {
            z = -z;
        }
        last = Some(z);
        let x = y.cross(z).normalize_or(DVec3::X);
        planes.push([x, y, z]);
    }
    planes
}

/// Replaces each zero vector by the vector before it, or by the first nonzero vector; `None` if all are zero.
fn fill_gaps(vectors: Vec<DVec3>) -> Vec<Option<DVec3>> {
    let mut last = vectors.iter().copied().find(|vector| *vector != DVec3::ZERO);
    let fill = |vector: DVec3| {
        if vector != DVec3::ZERO {
            last = Some(vector);
        }
        last
    };
    vectors.into_iter().map(fill).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_planes_are_across_the_spine() {
        // A vertical spine keeps the axes. A spine along x rotates them from y to x about z.
        assert_eq!(planes(&[DVec3::ZERO, DVec3::Y, 3.0 * DVec3::Y]), [[DVec3::X, DVec3::Y, DVec3::Z]; 3]);
        for axes in planes(&[DVec3::ZERO, DVec3::X]) {
            let requested = [-DVec3::Y, DVec3::X, DVec3::Z];
            assert!(
                axes.iter().zip(requested).all(|(axis, requested)| axis.distance(requested) < 1e-15),
                "{axes:?}"
            );
        }
        // A corner from y to x bends about -z; the ends use its plane, and z does not flip.
        let curved = planes(&[DVec3::ZERO, DVec3::Y, DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 2.0, 0.0)]);
        assert!(curved.iter().all(|axes| axes[2].distance(curved[0][2]) < 1e-15), "{curved:?}");
        for [x, y, z] in curved {
            assert!(x.dot(y).abs() < 1e-15 && y.dot(z).abs() < 1e-15 && x.cross(y).distance(z) < 1e-15);
        }
    }

    #[test]
    fn a_closed_spine_ends_where_it_starts() {
        let ring = [DVec3::X, DVec3::Y, -DVec3::X, -DVec3::Y, DVec3::X];
        let planes = planes(&ring);
        assert_eq!(planes[0], planes[4]);
        assert!(planes[0][1].distance(DVec3::Y) < 1e-15, "{planes:?}");
    }
}
