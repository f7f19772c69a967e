//! The JSON of a glTF file: the parts that describe a scene, as in the file.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::Path;

use serde::de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::text::tree::quoted;

/// A document of version 2. Only the types of numbers have been checked: an index may be out of range.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GltfJson {
    pub(super) extensions_required: List<String>,
    pub(super) scene: Option<JsonIndex>,
    pub(super) scenes: List<SceneJson>,
    pub(super) nodes: List<NodeEntry>,
    pub(super) meshes: List<MeshJson>,
    /// Materials, unchecked, because an invalid appearance is not an error.
    pub(super) materials: Value,
    pub(super) skins: List<SkinEntry>,
    pub(super) accessors: List<AccessorEntry>,
    pub(super) buffer_views: List<BufferViewEntry>,
    pub(super) buffers: List<BufferEntry>,
    pub(super) animations: List<AnimationEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SceneJson {
    #[serde(default)]
    pub(super) nodes: List<JsonIndex>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct NodeEntry {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) children: List<JsonIndex>,
    pub(super) mesh: Option<JsonIndex>,
    pub(super) skin: Option<JsonIndex>,
    /// Column-major.
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<[f64; 3]>,
    /// (x, y, z, w).
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    /// Weights of morph targets, in place of the mesh's weights.
    pub(super) weights: Option<List<f64>>,
    #[serde(default)]
    pub(super) extensions: NodeExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) instancing: Option<IgnoredAny>,
    #[serde(rename = "KHR_node_visibility")]
    pub(super) visibility: Option<VisibilityEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct VisibilityEntry {
    pub(super) visible: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub(super) struct MeshJson {
    pub(super) name: Option<String>,
    pub(super) primitives: List<PrimitiveEntry>,
    #[serde(default)]
    pub(super) weights: List<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PrimitiveEntry {
    pub(super) attributes: AttributesJson,
    pub(super) indices: Option<JsonIndex>,
    pub(super) mode: Option<JsonIndex>,
    /// The number of a material, if valid.
    #[serde(default)]
    pub(super) material: Value,
    #[serde(default)]
    pub(super) targets: List<AttributesJson>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

/// The accessors of a primitive, or of one of its targets.
#[derive(Debug, Default)]
pub(super) struct AttributesJson {
    pub(super) position: Option<JsonIndex>,
    /// The accessors `JOINTS_n` with their n.
    pub(super) joints: Vec<(usize, JsonIndex)>,
    /// The accessors `WEIGHTS_n` with their n.
    pub(super) weights: Vec<(usize, JsonIndex)>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SkinEntry {
    pub(super) name: Option<String>,
    pub(super) joints: List<JsonIndex>,
    pub(super) inverse_bind_matrices: Option<JsonIndex>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccessorEntry {
    pub(super) buffer_view: Option<JsonIndex>,
    #[serde(default)]
    pub(super) byte_offset: JsonIndex,
    pub(super) component_type: JsonIndex,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: JsonIndex,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<Box<SparseEntry>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SparseEntry {
    pub(super) count: JsonIndex,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: JsonIndex,
    #[serde(default)]
    pub(super) byte_offset: JsonIndex,
    pub(super) component_type: JsonIndex,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: JsonIndex,
    #[serde(default)]
    pub(super) byte_offset: JsonIndex,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferViewEntry {
    pub(super) buffer: JsonIndex,
    #[serde(default)]
    pub(super) byte_offset: JsonIndex,
    pub(super) byte_length: JsonIndex,
    pub(super) byte_stride: Option<JsonIndex>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferEntry {
    pub(super) uri: Option<String>,
    pub(super) byte_length: JsonIndex,
}

#[derive(Debug, Deserialize)]
pub(super) struct AnimationEntry {
    pub(super) name: Option<String>,
    pub(super) channels: List<ChannelEntry>,
    pub(super) samplers: List<SamplerEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChannelEntry {
    pub(super) sampler: JsonIndex,
    pub(super) target: TargetEntry,
}

#[derive(Debug, Deserialize)]
pub(super) struct TargetEntry {
    pub(super) node: Option<JsonIndex>,
    pub(super) path: String,
    #[serde(default)]
    pub(super) extensions: TargetExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct TargetExtensions {
    #[serde(rename = "KHR_animation_pointer")]
    pub(super) pointer: Option<PointerEntry>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PointerEntry {
    pub(super) pointer: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct SamplerEntry {
    pub(super) input: JsonIndex,
    pub(super) output: JsonIndex,
    pub(super) interpolation: Option<String>,
}

/// The source of a document's JSON, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A whole text file; errors state the line.
    Text,
    /// The first chunk of a binary file.
    Chunk,
}

/// Reads the document of a file.
pub(super) fn parse(json: &[u8], origin: Origin, path: &Path) -> Result<GltfJson> {
    let json = json.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(json);
    let complain = |error: serde_json::Error| match origin {
        Origin::Text => {
            let (line, column) = (error.line(), error.column());
            let text = error.to_string();
            let text = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
            Error::line(path, line.max(1), format!("{text} (column {column})"))
        }
        Origin::Chunk => Error::key(path, "JSON chunk", 0, error.to_string()),
    };
    // The version is checked first, because documents of version 1 have another structure.
    let AssetHead { asset } = serde_json::from_slice(json).map_err(complain)?;
    for (key, version) in [("version", Some(&asset.version)), ("minVersion", asset.min_version.as_ref())] {
        if let Some(version) = version.filter(|version| version.split('.').next() != Some("2")) {
            let message = format!("found glTF {}, expected 2.0", quoted(version));
            return Err(Error::key(path, format!("asset.{key}"), 0, message));
        }
    }
    serde_json::from_slice(json).map_err(complain)
}

#[derive(Deserialize)]
struct AssetHead {
    asset: AssetJson,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AssetJson {
    version: String,
    min_version: Option<String>,
}

/// A nonnegative integer, such as an index, count or offset. Some programs write 3 as 3.0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct JsonIndex(pub(super) usize);

impl<'de> Deserialize<'de> for JsonIndex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(IndexVisitor)
    }
}

struct IndexVisitor;

impl Visitor<'_> for IndexVisitor {
    type Value = JsonIndex;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, not negative")
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> std::result::Result<JsonIndex, E> {
        usize::try_from(value)
            .map(JsonIndex)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> std::result::Result<JsonIndex, E> {
        /// All integers up to this value are exact.
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        if value.fract() == 0.0 && (0.0..=LARGEST).contains(&value) {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number of at most 2^53")]
            #[expect(clippy::cast_sign_loss, reason = "not negative")]
            return self.visit_u64(value as u64);
        }
        Err(E::invalid_value(de::Unexpected::Float(value), &self))
    }
}

impl<'de> Deserialize<'de> for AttributesJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(AttributesVisitor)
    }
}

struct AttributesVisitor;

impl<'de> Visitor<'de> for AttributesVisitor {
    type Value = AttributesJson;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("accessors by the names of attributes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<AttributesJson, A::Error> {
        let mut attributes = AttributesJson::default();
        while let Some(key) = map.next_key::<String>()? {
            let set = |prefix: &str| key.strip_prefix(prefix).and_then(|number| number.parse().ok());
            if key == "POSITION" {
                if attributes.position.replace(map.next_value()?).is_some() {
                    return Err(de::Error::duplicate_field("POSITION"));
                }
            } else if let Some(number) = set("JOINTS_") {
                attributes.joints.push((number, map.next_value()?));
            } else if let Some(number) = set("WEIGHTS_") {
                attributes.weights.push((number, map.next_value()?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(attributes)
    }
}

/// A list of bounded length: an element of 3 bytes can take hundreds of bytes in memory.
#[derive(Debug)]
pub(super) struct List<T>(Vec<T>);

/// Maximum number of elements; a longer list is treated as malicious.
const LONGEST: usize = 1 << 20;

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> std::result::Result<List<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            if list.len() == LONGEST {
                return Err(de::Error::custom(format!("found a list of more than {LONGEST} elements")));
            }
            list.push(element);
        }
        Ok(List(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(json: &str) -> String {
        parse(json.as_bytes(), Origin::Text, Path::new("a.gltf")).unwrap_err().to_string()
    }

    #[test]
    fn numbers_and_lists_are_read_as_written() {
        let json = "\u{feff}{\"asset\":{\"version\":\"2.1\"},\"scene\":1.0,\"nodes\":[{\"children\":[3,2]}],\"x\":[{}]}";
        let document = parse(json.as_bytes(), Origin::Text, Path::new("a.gltf")).unwrap();
        assert_eq!(
            (document.scene, document.nodes[0].children.to_vec()),
            (Some(JsonIndex(1)), vec![JsonIndex(3), JsonIndex(2)])
        );
    }

    #[test]
    fn values_of_another_kind_are_errors_with_line() {
        let with = |rest: &str| message(&format!("{{\"asset\":{{\"version\":\"2.0\"}},\n{rest}}}"));
        assert_eq!(
            with("\"scene\":-1"),
            "a.gltf:2: invalid type: integer `-1`, expected a whole number, not negative (column 10)"
        );
        assert!(with("\"scene\":0.5").contains("floating point `0.5`, expected a whole number"));
        assert!(with("\"nodes\":{}").starts_with("a.gltf:2: invalid type: map, expected a list"));
        assert!(with("\"nodes\":[{\"scale\":[1,2]}]").contains("invalid length 2"));
        assert!(with("\"nodes\":[{\"scale\":[1,2,3,4]}]").starts_with("a.gltf:2: "));
        assert!(with("\"nodes\":[],\"nodes\":[]").contains("duplicate field `nodes`"));
        assert!(with(&format!("\"nodes\":[{}{{}}]", "{},".repeat(LONGEST))).contains("more than 1048576"));
    }

    #[test]
    fn unsupported_versions_are_errors() {
        let old_version = r#"{"asset":{"version":"1.0"},"nodes":{"a":{}}}"#;
        assert_eq!(message(old_version), "a.gltf: asset.version: found glTF \"1.0\", expected 2.0");
        let new = r#"{"asset":{"version":"2.5","minVersion":"3.0"}}"#;
        assert_eq!(message(new), "a.gltf: asset.minVersion: found glTF \"3.0\", expected 2.0");
        assert!(message("{}").contains("missing field `asset`"));
        assert!(message(&"[".repeat(100_000)).starts_with("a.gltf:1: "));
    }
}
