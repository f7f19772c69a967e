//! Extensions that a file requires: extensions that change no shape are ignored.

use super::document::List;
use super::fault::{Fault, GltfResult};
use crate::text::tree::quoted;

/// Refuses required extensions that are not supported.
pub(super) fn check(required: &List<String>) -> GltfResult<()> {
    match required.iter().find(|name| !is_harmless(name)) {
        None => Ok(()),
        Some(name) => {
            Err(Fault::new("extensionsRequired", format!("found {}, which is not read", quoted(name))))
        }
    }
}

/// Whether an extension is supported, or does not affect bodies and motions.
fn is_harmless(name: &str) -> bool {
    /// Materials, textures, lights and metadata.
    const APPEARANCE_EXTENSIONS: [&str; 8] = [
        "KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_", "KHR_lights_", "EXT_lights_",
        "KHR_xmp", "KHR_techniques_webgl",
    ];
    ["KHR_mesh_quantization", "KHR_node_visibility"].contains(&name)
        || APPEARANCE_EXTENSIONS.iter().any(|prefix| name.starts_with(prefix))
}
