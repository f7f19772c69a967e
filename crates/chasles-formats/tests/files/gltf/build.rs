//! Writes glTF files.

use std::path::Path;

use chasles::Scene;
use chasles_formats::Result;
use chasles_formats::gltf::{self, GltfOptions};
use chasles_formats::info::SceneInfo;
use chasles_formats::scene::build::BuiltScene;
use chasles_testing::Random;
use glam::DVec3;
use serde_json::{Value, json};

/// A document with one buffer.
#[derive(Debug, Clone)]
pub(crate) struct Builder {
    pub(crate) json: Value,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) const U8: u32 = 5121;
pub(crate) const U16: u32 = 5123;
pub(crate) const F32: u32 = 5126;

impl Builder {
    pub(crate) fn new() -> Self {
        let lists = ["nodes", "meshes", "accessors", "bufferViews", "animations"];
        let mut json = json!({"asset": {"version": "2.0"}});
        for list in lists {
            json[list] = json!([]);
        }
        Self { json, bytes: vec![] }
    }

    /// Adds a value to a list of the document and returns its index.
    pub(crate) fn push(&mut self, list: &str, value: Value) -> usize {
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    /// A view of new bytes.
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.push("bufferViews", json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}))
    }

    /// An accessor of new bytes.
    pub(crate) fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        let entry = json!({"bufferView": view, "componentType": component, "type": kind, "count": count});
        self.push("accessors", entry)
    }

    pub(crate) fn floats<const N: usize>(&mut self, rows: &[[f32; N]]) -> usize {
        let kind = if N == 16 { "MAT4" } else { ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1] };
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(kind, F32, rows.len(), &bytes)
    }

    pub(crate) fn indices(&mut self, indices: &[u16]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        self.accessor("SCALAR", U16, indices.len(), &bytes)
    }

    /// A mesh of one primitive.
    pub(crate) fn mesh(&mut self, positions: &[[f32; 3]], indices: Option<&[u16]>, mode: u32) -> usize {
        let mut primitive = json!({"attributes": {"POSITION": self.floats(positions)}, "mode": mode});
        if let Some(indices) = indices {
            primitive["indices"] = json!(self.indices(indices));
        }
        self.push("meshes", json!({"primitives": [primitive]}))
    }

    /// A mesh of one triangle with three different sides.
    pub(crate) fn triangle(&mut self) -> usize {
        self.mesh(&TRIANGLE, None, 4)
    }

    pub(crate) fn node(&mut self, node: Value) -> usize {
        self.push("nodes", node)
    }

    /// Adds a channel to an animation, which is created if it does not exist.
    pub(crate) fn channel(&mut self, animation: usize, target: (usize, &str), sampler: Value) {
        let animations = self.json["animations"].as_array_mut().unwrap();
        while animations.len() <= animation {
            animations.push(json!({"channels": [], "samplers": []}));
        }
        let entry = &mut animations[animation];
        let number = entry["samplers"].as_array().unwrap().len();
        entry["samplers"].as_array_mut().unwrap().push(sampler);
        let channel = json!({"sampler": number, "target": {"node": target.0, "path": target.1}});
        entry["channels"].as_array_mut().unwrap().push(channel);
    }

    /// Keys of a channel with linear interpolation.
    pub(crate) fn linear<const N: usize>(&mut self, target: (usize, &str), keys: &[(f32, [f32; N])]) {
        let input = self.floats(&keys.iter().map(|key| [key.0]).collect::<Vec<_>>());
        let output = self.floats(&keys.iter().map(|key| key.1).collect::<Vec<_>>());
        self.channel(0, target, json!({"input": input, "output": output}));
    }

    /// Keys of the weights of a node's morph targets, with linear interpolation.
    pub(crate) fn weights<const N: usize>(&mut self, node: usize, keys: &[(f32, [f32; N])]) {
        let input = self.floats(&keys.iter().map(|key| [key.0]).collect::<Vec<_>>());
        let output =
            self.floats(&keys.iter().flat_map(|key| key.1.map(|weight| [weight])).collect::<Vec<_>>());
        self.channel(0, (node, "weights"), json!({"input": input, "output": output}));
    }

    /// As a binary file.
    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut document = self.json.clone();
        if document.get("buffers").is_none() {
            document["buffers"] = json!([{"byteLength": self.bytes.len()}]);
        }
        glb(document.to_string().as_bytes(), &self.bytes)
    }

    /// As a text file with everything inside.
    pub(crate) fn embedded(&self) -> String {
        let mut document = self.json.clone();
        let uri = format!("data:application/octet-stream;base64,{}", base64(&self.bytes));
        document["buffers"] = json!([{"byteLength": self.bytes.len(), "uri": uri}]);
        document.to_string()
    }

    pub(crate) fn read(&self) -> Result<BuiltScene> {
        parse(&self.glb(), None)
    }

    #[track_caller]
    pub(crate) fn scene(&self) -> Scene {
        let built = self.read().unwrap();
        assert_eq!(built.warnings, [""; 0]);
        built.scene
    }

    pub(crate) fn facts(&self) -> Result<SceneInfo> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scene.glb");
        std::fs::write(&path, self.glb()).unwrap();
        gltf::facts(&path)
    }

    /// Asserts that the file is refused with this message, without its name.
    #[track_caller]
    pub(crate) fn refused(&self, message: &str) {
        let error = self.read().unwrap_err().to_string();
        assert_eq!(error.strip_prefix("cell/scene.glb: "), Some(message), "{error}");
    }
}

pub(crate) const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.25], [0.0, 2.0, 0.5]];

pub(crate) fn parse(bytes: &[u8], animation: Option<&str>) -> Result<BuiltScene> {
    parse_rival(bytes, animation, None)
}

/// As [`parse`], but for animations that move the same nodes: `rival` is the number of the animation to play.
pub(crate) fn parse_rival(bytes: &[u8], animation: Option<&str>, rival: Option<usize>) -> Result<BuiltScene> {
    let options = GltfOptions { animation: animation.map(Into::into), rival, clearance: 0.0 };
    gltf::parse(bytes, Path::new("cell/scene.glb"), &options)
}

/// A binary file from its two chunks.
pub(crate) fn glb(json: &[u8], binary: &[u8]) -> Vec<u8> {
    let padded = |bytes: &[u8], fill: u8| {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), fill);
        bytes
    };
    let (json, binary) = (padded(json, b' '), padded(binary, 0));
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend(u32::try_from(28 + json.len() + binary.len()).unwrap().to_le_bytes());
    file.extend([length(&json), *b"JSON"].concat());
    file.extend(&json);
    file.extend([length(&binary), *b"BIN\0"].concat());
    file.extend(&binary);
    file
}

fn base64(bytes: &[u8]) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let digit = char::from(digits[(bits >> (18 - 6 * i) & 63) as usize]);
            text.push(if i <= group.len() { digit } else { '=' });
        }
    }
    text
}

/// The vertices of a body in its own frame.
pub(crate) fn vertices(scene: &Scene, body: usize) -> Vec<DVec3> {
    let mesh = scene.bodies()[body].shape.as_ref().unwrap().drawn();
    (0..mesh.vertex_count()).map(|i| mesh.vertex(u32::try_from(i).unwrap())).collect()
}

/// The triangles of a body.
pub(crate) fn triangles(scene: &Scene, body: usize) -> Vec<[u32; 3]> {
    scene.bodies()[body].shape.as_ref().unwrap().drawn().triangles().to_vec()
}

/// A number in [-1, 1] with 16 random bits.
pub(crate) fn single(random: &mut Random) -> f32 {
    let bits = u16::try_from(random.bits() >> 48).unwrap();
    f32::from(bits) / 32767.5 - 1.0
}

/// [`single`] for each of N numbers.
pub(crate) fn singles<const N: usize>(random: &mut Random) -> [f32; N] {
    [(); N].map(|()| single(random))
}
