//! Normals of a mesh for drawing: smooth where triangles meet at a small angle, with creases elsewhere.

use std::collections::HashMap;

use chasles::Mesh;
use glam::DVec3;

/// Vertices with normals, and triangles. Triangles without area are left out.
pub(super) struct Shaded {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Cosine of the maximum angle, 30 degrees, between triangles that are shaded smoothly; the same as in pictures.
const SMOOTH: f64 = 0.866;

/// Maximum number of triangles around a vertex with smooth shading; above it each triangle keeps its own normal,
/// since all pairs are compared.
const MAX_NORMALS: usize = 256;

/// The mesh with normals. Vertices keep their positions, and a vertex with several normals is repeated for each.
pub(super) fn shaded(mesh: &Mesh) -> Shaded {
    let place = |corner: u32| mesh.vertex(corner);
    let areas: Vec<DVec3> = mesh
        .triangles()
        .iter()
        .map(|[p, q, r]| (place(*q) - place(*p)).cross(place(*r) - place(*p)))
        .collect();
    let units: Vec<DVec3> = areas.iter().map(|area| area.normalize_or_zero()).collect();
    // Equal vertices are merged, whatever their numbers.
    let mut numbers: HashMap<[u64; 3], u32> = HashMap::new();
    let mut about: Vec<Vec<u32>> = Vec::new();
    let mut welded: Vec<[u32; 3]> = Vec::with_capacity(units.len());
    for (face, corners) in (0_u32..).zip(mesh.triangles()) {
        welded.push(corners.map(|corner| {
            let key = place(corner).to_array().map(|x| (x + 0.0).to_bits());
            let next = u32::try_from(about.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(key).or_insert(next);
            if number == next {
                about.push(Vec::new());
            }
            about[number as usize].push(face);
            number
        }));
    }
    let mut shaded = Shaded { positions: Vec::new(), normals: Vec::new(), triangles: Vec::new() };
    let mut writer: HashMap<(u32, [u32; 3]), u32> = HashMap::new();
    for (face, (corners, merged)) in mesh.triangles().iter().zip(&welded).enumerate() {
        let unit = units[face];
        if unit == DVec3::ZERO {
            continue;
        }
        shaded.triangles.push(std::array::from_fn(|i| {
            let faces = &about[merged[i] as usize];
            let normal = if faces.len() > MAX_NORMALS { unit } else { smooth(unit, faces, (&areas, &units)) };
            let normal = narrow(normal);
            let next = u32::try_from(shaded.positions.len()).unwrap_or(u32::MAX);
            *writer.entry((merged[i], normal.map(f32::to_bits))).or_insert_with(|| {
                shaded.positions.push(narrow(place(corners[i])));
                shaded.normals.push(normal);
                next
            })
        }));
    }
    shaded
}

/// The area-weighted mean of the normals around a vertex that are close to the given normal.
fn smooth(unit: DVec3, faces: &[u32], (areas, units): (&[DVec3], &[DVec3])) -> DVec3 {
    let smooth_faces = faces.iter().filter(|face| units[**face as usize].dot(unit) >= SMOOTH);
    smooth_faces.map(|face| areas[*face as usize]).sum::<DVec3>().try_normalize().unwrap_or(unit)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the format has no more digits; what is not finite is refused"
)]
pub(super) fn narrow(vector: DVec3) -> [f32; 3] {
    vector.to_array().map(|x| (x + 0.0) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn box_of(size: DVec3) -> Mesh {
        let corner = |i: u32| {
            let side = |bit: u32| if i & bit == 0 { -0.5 } else { 0.5 };
            DVec3::new(side(1), side(2), side(4)) * size
        };
        let triangles = [
            [0, 2, 1],
            [1, 2, 3],
            [4, 5, 6],
            [5, 7, 6],
            [0, 1, 4],
            [1, 5, 4],
            [2, 6, 3],
            [3, 6, 7],
            [0, 4, 2],
            [2, 4, 6],
            [1, 3, 5],
            [3, 7, 5],
        ];
        Mesh::new((0..8).map(corner).collect(), triangles.to_vec()).unwrap()
    }

    #[test]
    fn a_box_has_creases_and_a_flat_fan_has_none() {
        let Shaded { positions, normals, triangles } = shaded(&box_of(DVec3::new(1.0, 2.0, 3.0)));
        // Three normals at each corner.
        assert_eq!((positions.len(), normals.len(), triangles.len()), (24, 24, 12));
        for corners in &triangles {
            let [p, q, r] = corners.map(|i| DVec3::from_array(positions[i as usize].map(f64::from)));
            let across = (q - p).cross(r - p).normalize();
            for corner in corners {
                let normal = DVec3::from_array(normals[*corner as usize].map(f64::from));
                assert!(normal.distance(across) < 1e-6, "{normal} for {across}");
            }
        }
        // A flat pyramid with many sides has one normal at its tip.
        let count = 100_u32;
        let rim = |i: u32| {
            DVec3::from((
                glam::DVec2::from_angle(f64::from(i) * std::f64::consts::TAU / f64::from(count)),
                0.0,
            ))
        };
        let vertices = (0..count).map(rim).chain([DVec3::new(0.0, 0.0, 0.1)]).collect();
        let sides = (0..count).map(|i| [i, (i + 1) % count, count]).collect();
        let Shaded { normals, positions, .. } = shaded(&Mesh::new(vertices, sides).unwrap());
        assert_eq!(positions.len(), 101);
        let top = positions.iter().position(|place| place[2] > 0.0).unwrap();
        assert!(DVec3::from_array(normals[top].map(f64::from)).distance(DVec3::Z) < 1e-6);
    }

    #[test]
    fn triangles_without_area_are_left_out() {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, 2.0 * DVec3::X];
        let Shaded { positions, normals, triangles } =
            shaded(&Mesh::new(vertices, vec![[0, 1, 2], [0, 1, 3]]).unwrap());
        assert_eq!((triangles.len(), positions.len(), normals), (1, 3, vec![[0.0, 0.0, 1.0]; 3]));
    }
}
