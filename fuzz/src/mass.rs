//! Masses of shapes from bytes, against the integer arithmetic of the engine's tests.

use chasles::{MassProperties, Mesh, Primitive};
use glam::DVec3;

use crate::bytes::Bytes;
use crate::mass_twin::twin;

/// The sizes for which no number of the twin overflows or underflows a double.
const SIZES: [f64; 2] = [1e-6, 1e6];

/// A closed or nearly closed mesh of a few pieces, and a primitive: the results are valid, a volume has the
/// reported accuracy, and a body keeps its mass under a pose.
pub fn mass(bytes: &[u8]) {
    let mut bytes = Bytes::new(bytes);
    if let Ok(found) = primitive(&mut bytes).mass_properties() {
        check_valid(&found);
        placed(&found, &mut bytes);
    }
    let Some(mesh) = closed(&mut bytes) else { return };
    let Ok(found) = mesh.mass_properties() else { return };
    check_valid(&found);
    placed(&found, &mut bytes);
    let numbers = (0..).take(mesh.vertex_count()).flat_map(|v| mesh.vertex(v).to_array());
    if !numbers.into_iter().all(|x| x == 0.0 || (SIZES[0]..=SIZES[1]).contains(&x.abs())) {
        return;
    }
    let (volume, ..) = twin(&mesh);
    let error = (found.volume - volume).abs();
    let corners: Vec<DVec3> = (0..).take(mesh.vertex_count()).map(|v| mesh.vertex(v)).collect();
    assert!(
        error <= found.accuracy * found.volume,
        "{corners:?} {:?}: {found:?}, not {volume:e}",
        mesh.triangles()
    );
}

fn check_valid(found: &MassProperties) {
    let MassProperties { volume, center, inertia, accuracy } = found;
    assert!(*volume > 0.0 && volume.is_finite() && center.is_finite() && *accuracy >= 0.0, "{found:?}");
    assert!(inertia.is_finite() && *inertia == inertia.transpose(), "{found:?}");
    let moments = [inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z];
    assert!(moments.iter().all(|moment| *moment > 0.0), "{found:?}");
    // A moment is at most the sum of the other two, up to rounding. If a body's volume is small relative to its
    // size, rounding costs the moments as many digits as the volume.
    let all: f64 = moments.iter().sum();
    let limit = 0.5 * all * (1.0 + 1e-9 + 64.0 * accuracy);
    assert!(moments.iter().all(|moment| *moment <= limit), "{found:?}");
}

fn placed(found: &MassProperties, bytes: &mut Bytes<'_>) {
    let (Some(pose), scale) = (bytes.pose(), bytes.size()) else { return };
    if let Ok(placed) = found.placed(&pose, scale) {
        check_valid(&placed);
        let volume = found.volume * scale * scale * scale;
        assert!((placed.volume - volume).abs() <= 1e-14 * volume, "{placed:?}");
    }
}

fn primitive(bytes: &mut Bytes<'_>) -> Primitive {
    match bytes.below(5) {
        0 => Primitive::Box { size: DVec3::new(bytes.size(), bytes.size(), bytes.size()) },
        1 => Primitive::Sphere { radius: bytes.size() },
        2 => Primitive::Cylinder { radius: bytes.size(), height: bytes.size() },
        3 => Primitive::Cone { radius: bytes.size(), height: bytes.size() },
        _ => Primitive::Capsule { radius: bytes.size(), height: bytes.size() },
    }
}

/// The faces of a tetrahedron, and of two tetrahedra with a common base, all oriented outwards.
const TETRAHEDRON: &[[u32; 3]] = &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
const TWO: &[[u32; 3]] = &[[0, 1, 3], [1, 2, 3], [2, 0, 3], [1, 0, 4], [2, 1, 4], [0, 2, 4]];
/// The faces of an octahedron.
const OCTAHEDRON: &[[u32; 3]] =
    &[[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];

/// One to three pieces with arbitrary corners.
fn closed(bytes: &mut Bytes<'_>) -> Option<Mesh> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for _ in 0..1 + bytes.below(3) {
        let first = u32::try_from(vertices.len()).ok()?;
        let (count, faces) = [(4, TETRAHEDRON), (5, TWO), (6, OCTAHEDRON)][bytes.below(3)];
        vertices.extend((0..count).map(|_| bytes.vector()));
        let is_flipped = bytes.once_in(4);
        let flipped = |[a, b, c]: [u32; 3]| if is_flipped { [a, c, b] } else { [a, b, c] };
        triangles.extend(faces.iter().map(|face| flipped(face.map(|v| v + first))));
    }
    if bytes.once_in(16) {
        triangles.pop();
    }
    Mesh::new(vertices, triangles).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_inputs_have_mass_properties() {
        let mut accepted = 0;
        for seed in 0..400 {
            let mut random = chasles_testing::Random(seed);
            let bytes: Vec<u8> = (0..120).map(|_| 83 + u8::try_from(random.below(64)).unwrap()).collect();
            let found = closed(&mut Bytes::new(&bytes)).map(|mesh| mesh.mass_properties().is_ok());
            accepted += usize::from(found == Some(true));
        }
        assert!(accepted > 100, "{accepted}");
    }
}
