//! The colours of materials: their base colours, without textures.

use serde_json::Value;

use super::geometry::GltfGeometry;
use crate::scene::appearance::{ColourRange, add, on_screen};

/// The colours of a mesh's triangles; empty if no primitive has a material. A material without a base colour, and a
/// primitive without a material, are white (specification 2.0.1, 3.9.2 and 3.9.6).
pub(super) fn of(geometry: &GltfGeometry, materials: &Value) -> Vec<ColourRange> {
    if geometry.materials.iter().all(|(material, _)| material.is_none()) {
        return Vec::new();
    }
    let mut colours: Vec<ColourRange> = Vec::new();
    let mut before = 0;
    for (material, end) in &geometry.materials {
        let triangles = end - before;
        before = *end;
        let colour = material.and_then(|material| base(materials, material)).unwrap_or([255; 3]);
        add(&mut colours, triangles, colour);
    }
    colours
}

/// The base colour of a material, which is linear in the file.
fn base(materials: &Value, material: u64) -> Option<[u8; 3]> {
    let material = materials.get(usize::try_from(material).ok()?)?;
    let factor = material.get("pbrMetallicRoughness")?.get("baseColorFactor")?;
    let part = |number: usize| factor.get(number)?.as_f64();
    Some(on_screen([part(0)?, part(1)?, part(2)?].map(to_srgb)))
}

/// Converts a linear colour component to sRGB (IEC 61966-2-1).
fn to_srgb(part: f64) -> f64 {
    if part <= 0.003_130_8 { 12.92 * part } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn colours_follow_the_primitives_and_bad_ones_are_white() {
        let geometry = |materials: &[(Option<u64>, usize)]| GltfGeometry {
            materials: materials.to_vec(),
            ..GltfGeometry::default()
        };
        let materials = json!([
            { "pbrMetallicRoughness": { "baseColorFactor": [1, 0, 0.5, 1] } },
            { "pbrMetallicRoughness": { "baseColorFactor": "red" } },
            { "pbrMetallicRoughness": { "baseColorFactor": [-1, 7, 0.002] } },
        ]);
        let colours_of = |primitives: &[(Option<u64>, usize)]| -> Vec<(usize, [u8; 3])> {
            of(&geometry(primitives), &materials).iter().map(|each| (each.triangles, each.colour)).collect()
        };
        assert_eq!(colours_of(&[(None, 4), (None, 7)]), []);
        assert_eq!(
            colours_of(&[(Some(0), 4), (None, 4), (Some(2), 10)]),
            [(4, [255, 0, 188]), (6, [0, 255, 7])]
        );
        assert_eq!(colours_of(&[(Some(1), 2), (Some(9), 3), (None, 5)]), [(5, [255; 3])]);
    }
}
