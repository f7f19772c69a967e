//! The distance that each vertex of A can travel before contact, as a PLY mesh with colours for mesh viewers.

use std::fmt::Write as _;

use chasles::{ClearanceMap, Mesh, Pose};

use super::answer::reason;

/// Quality of a vertex that no collision awaits.
pub const NO_COLLISION: f64 = -1.0;

/// Colour of a vertex that no collision awaits: grey.
const GREY: [u8; 3] = [160; 3];

/// Colours from near to far, at equal steps: red over yellow and green to blue, with clear differences in lightness.
const SCALE: [[u8; 3]; 5] = [[165, 0, 38], [244, 109, 67], [254, 224, 144], [116, 173, 209], [49, 54, 149]];

/// The colour of a fraction from 0, near, to 1, far. Values outside are clamped, and NaN counts as 0.
#[must_use]
pub fn colour(fraction: f64) -> [u8; 3] {
    let fraction = if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) };
    let place = fraction * (SCALE.len() - 1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 4")]
    let below = (place.floor() as usize).min(SCALE.len() - 2);
    let part = place - below as f64;
    std::array::from_fn(|i| {
        let [low, high] = [SCALE[below][i], SCALE[below + 1][i]].map(f64::from);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
        let byte = (low + part * (high - low)).round() as u8;
        byte
    })
}

/// The mesh of A at a pose, in ASCII PLY. Each vertex has a `quality`, the distance in metres along its flow line
/// until contact, or -1 if there is none, and a colour, from red for near to blue for far.
///
/// Vertices and faces have the numbers of the mesh. Positions are in metres.
#[must_use]
pub fn to_ply(mesh: &Mesh, pose: &Pose, map: &ClearanceMap) -> String {
    let metres = map.of_vertices.iter().flatten().map(|clearance| clearance.metres);
    let furthest = metres.fold(0.0, f64::max);
    let undecided = match map.reason {
        Some(reason_text) => format!(
            "comment {} vertices are undecided and have {NO_COLLISION} too; {}\n",
            map.undecided,
            reason(reason_text)
        ),
        None => String::new(),
    };
    let mut text = format!(
        "ply\nformat ascii 1.0\n\
         comment chasles screen --map: quality is the distance along the motion until contact, in metres; {NO_COLLISION} where no collision follows\n\
         comment colours from red at 0 m to blue at {} m; grey where no collision follows\n{undecided}\
         element vertex {}\n\
         property double x\nproperty double y\nproperty double z\nproperty double quality\n\
         property uchar red\nproperty uchar green\nproperty uchar blue\n\
         element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        furthest + 0.0,
        mesh.vertex_count(),
        mesh.triangles().len(),
    );
    let clearances = map.of_vertices.iter().copied().chain(std::iter::repeat(None));
    for (vertex, clearance) in (0..mesh.vertex_count()).zip(clearances) {
        // A mesh never has more vertices than a 32-bit number can count.
        let place = u32::try_from(vertex).map_or(glam::DVec3::ZERO, |vertex| mesh.vertex(vertex));
        let [x, y, z] = pose.transform_point(place).to_array().map(|x| x + 0.0);
        let (quality, [red, green, blue]) = match clearance {
            Some(clearance) if furthest > 0.0 => (clearance.metres, colour(clearance.metres / furthest)),
            Some(clearance) => (clearance.metres, colour(0.0)),
            None => (NO_COLLISION, GREY),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{x} {y} {z} {} {red} {green} {blue}", quality + 0.0);
    }
    for [p, q, r] in mesh.triangles() {
        let _ = writeln!(text, "3 {p} {q} {r}");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use chasles::Clearance;
    use glam::DVec3;

    use super::*;
    use crate::mesh::{self, MeshFormat};

    #[test]
    fn colours_cover_the_whole_scale() {
        assert_eq!((colour(0.0), colour(1.0)), (SCALE[0], SCALE[4]));
        assert_eq!((colour(-3.0), colour(9.0), colour(f64::NAN)), (SCALE[0], SCALE[4], SCALE[0]));
        assert_eq!((colour(0.25), colour(0.125)), (SCALE[1], [205, 55, 53]));
    }

    #[test]
    fn the_map_is_a_mesh_that_can_be_read() {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        let mesh = Mesh::new(vertices.clone(), vec![[0, 1, 2]]).unwrap();
        let pose = Pose::from_position(DVec3::new(-0.0, 0.0, 2.5)).unwrap();
        let at = |metres| Some(Clearance { time: 0.5, angle: 0.0, metres });
        let map = ClearanceMap {
            of_vertices: vec![at(0.0), None, at(0.5)],
            minimum: None,
            undecided: 0,
            reason: None,
        };
        let text = to_ply(&mesh, &pose, &map);
        let body = "end_header\n0 0 2.5 0 165 0 38\n1 0 2.5 -1 160 160 160\n0 1 2.5 0.5 49 54 149\n3 0 1 2\n";
        assert!(text.ends_with(body), "{text}");
        assert!(
            text.contains("; -1 where no collision follows\n") && text.contains("blue at 0.5 m;"),
            "{text}"
        );
        let read = mesh::parse(text.as_bytes(), MeshFormat::Ply, Path::new("map.ply")).unwrap();
        assert_eq!((read.triangles, read.vertices[2]), (vec![[0, 1, 2]], DVec3::new(0.0, 1.0, 2.5)));
        // Without any collision the result is still a mesh.
        let nothing = to_ply(
            &mesh,
            &pose,
            &ClearanceMap { of_vertices: vec![], minimum: None, undecided: 0, reason: None },
        );
        assert!(nothing.contains("1 0 2.5 -1 160 160 160\n"), "{nothing}");
    }
}
