//! Files that are broken in every way: reading never panics, and an accepted file is a valid scene.

use std::path::Path;

use chasles_formats::gltf::{self, GltfOptions};
use chasles_formats::scene::build::BuiltScene;
use chasles_testing::{Random, cases};
use serde_json::json;

use crate::gltf::build::{Builder, U8, glb, parse, vertices};

/// A file with a bit of everything.
fn everything() -> Builder {
    let mut file = Builder::new();
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.5]];
    let strip = file.mesh(&square, Some(&[0, 1, 2, 3]), 5);
    let fan = file.mesh(&square, None, 6);
    let bytes = file.accessor("VEC3", U8, 3, &[0, 0, 0, 9, 0, 0, 0, 9, 0]);
    let (at, to) = (file.view(&[2]), file.view(&[1, 2, 3]));
    file.json["accessors"][bytes]["sparse"] = json!({
        "count": 1, "indices": {"bufferView": at, "componentType": U8}, "values": {"bufferView": to},
    });
    let plain = file.push("meshes", json!({"primitives": [{"attributes": {"POSITION": bytes}}]}));
    file.node(json!({"mesh": strip, "name": "base", "children": [1, 2], "scale": [2, 2, 2]}));
    file.node(json!({"mesh": fan, "rotation": [0, 0.6, 0, 0.8], "translation": [1, 0, 2]}));
    file.node(json!({"mesh": plain, "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 1]}));
    file.node(json!({"mesh": plain, "scale": [1, -2, 3]}));
    file.linear((0, "translation"), &[(0.0, [0.0; 3]), (0.5, [1.0; 3]), (2.0, [0.0; 3])]);
    file.linear((1, "rotation"), &[(0.0, [0.0, 0.0, 0.0, 1.0]), (1.0, [0.0, 0.0, 1.0, 0.0])]);
    let (input, output) = (file.floats(&[[0.5], [1.5]]), file.floats(&[[0.25; 3]; 6]));
    let sampler = json!({"input": input, "output": output, "interpolation": "CUBICSPLINE"});
    file.channel(0, (3, "translation"), sampler);
    file.json["scenes"] = json!([{"nodes": [0, 3]}]);
    file.json["scene"] = json!(0);
    file
}

/// Every query works on an accepted file.
fn assert_queries_work(built: &BuiltScene) {
    let scene = &built.scene;
    assert!(scene.duration() > 0.0 && !scene.bodies().is_empty());
    for body in 0..scene.bodies().len() {
        if scene.bodies()[body].shape.is_some() {
            assert!(vertices(scene, body).iter().all(|vertex| vertex.is_finite()));
        }
        for part in [0.0, 0.3, 1.0] {
            let pose = scene.pose_at(body, part * scene.duration());
            assert!(pose.position().is_finite() && pose.rotation().is_normalized(), "{pose:?}");
        }
    }
}

/// Reads and queries a file; returns whether it was accepted.
fn is_accepted(bytes: &[u8]) -> bool {
    match parse(bytes, None) {
        Ok(built) => {
            assert_queries_work(&built);
            true
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("cell/scene.glb") && !text.contains('\n'), "{text}");
            false
        }
    }
}

#[test]
fn the_unchanged_file_is_valid() {
    let file = everything();
    let built = file.read().unwrap();
    assert_eq!((built.scene.bodies().len(), built.warnings.len()), (4, 0));
    assert_queries_work(&built);
    let embedded = parse(file.embedded().as_bytes(), None).unwrap();
    assert_eq!(embedded, built);
}

#[test]
fn bytes_that_are_changed() {
    let whole = everything().glb();
    let mut read = 0;
    let count = cases(1_200, 12_000);
    for seed in 0..count {
        let random = &mut Random(seed);
        let mut bytes = whole.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len().max(1));
            match random.below(4) {
                _ if bytes.is_empty() => {}
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = b"0123456789{}[],:\"-.e"[random.below(20)],
                2 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
                _ if random.one_in(20) => bytes.truncate(at),
                _ => bytes[at] = bytes[at].wrapping_add(1),
            }
        }
        read += u64::from(is_accepted(&bytes));
    }
    assert!(count < 15 * read && read < count, "{read} of {count}");
}

#[test]
fn numbers_that_are_changed() {
    let file = everything();
    let text = file.json.to_string();
    let bounds =
        format!("{},\"buffers\":[{{\"byteLength\":{}}}]}}", &text[..text.len() - 1], file.bytes.len());
    // The positions of the numbers in the document.
    let numbers: Vec<(usize, usize)> = {
        let bytes = bounds.as_bytes();
        let digit = |at: usize| bytes[at].is_ascii_digit() || b".-".contains(&bytes[at]);
        let starts =
            (1..bytes.len()).filter(|at| digit(*at) && !digit(at - 1) && b"[:,".contains(&bytes[at - 1]));
        starts.map(|start| (start, (start..bytes.len()).find(|at| !digit(*at)).unwrap())).collect()
    };
    let odd = [
        "0", "1", "2", "3", "4", "5", "7", "255", "-1", "0.5", "-0.0", "1e70", "1e300", "1e-300",
        "4294967295", "4294967296", "9007199254740993", "18446744073709551615", "18446744073709551616",
        "null", "\"x\"", "[]", "{}", "5120", "5121", "5123", "5125", "5126", "true",
    ];
    let mut read = 0;
    let count = cases(1_200, 12_000);
    for seed in 0..count {
        let random = &mut Random(seed);
        let mut text = bounds.clone();
        let mut places = [numbers[random.below(numbers.len())], numbers[random.below(numbers.len())]];
        places.sort_unstable();
        for (start, end) in places.into_iter().rev().take(1 + random.below(2)) {
            text.replace_range(start..end, odd[random.below(odd.len())]);
        }
        read += u64::from(is_accepted(&glb(text.as_bytes(), &file.bytes)));
    }
    assert!(count < 15 * read && read < count, "{read} of {count}");
}

#[test]
fn floats_that_are_changed() {
    let file = everything();
    let json = {
        let glb = file.glb();
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        glb[20..20 + length].to_vec()
    };
    let odd = [0.0, -0.0, 1e-45, 1e-38, 3e38, -3e38, 1e20, f32::NAN, f32::INFINITY, 1e-20, 0.5, 2.0];
    let mut read = 0;
    let count = cases(600, 6_000);
    for seed in 0..count {
        let random = &mut Random(seed);
        let mut bytes = file.bytes.clone();
        for _ in 0..=random.below(4) {
            let at = 4 * random.below(bytes.len() / 4);
            bytes[at..at + 4].copy_from_slice(&odd[random.below(odd.len())].to_le_bytes());
        }
        read += u64::from(is_accepted(&glb(&json, &bytes)));
    }
    assert!(count < 15 * read && read < count, "{read} of {count}");
}

#[test]
fn facts_of_broken_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.glb");
    let whole = everything().glb();
    let mut read = 0;
    let count = cases(300, 1_500);
    for seed in 0..count {
        let random = &mut Random(seed);
        let mut bytes = whole.clone();
        for _ in 0..=random.below(2) {
            let at = random.below(bytes.len());
            bytes[at] = b"0123456789-.e\"\x00\xff"[random.below(16)];
        }
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(facts) = gltf::facts(&path) {
            assert!(facts.bounds.is_none_or(|corners| corners.iter().all(|corner| corner.is_finite())));
            assert!(facts.bodies.len() <= 4);
            read += 1;
        }
    }
    assert!(count < 20 * read && read < count, "{read} of {count}");
}

#[test]
fn buffers_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = everything();
    let length = file.bytes.len();
    std::fs::create_dir(folder.path().join("a b")).unwrap();
    std::fs::write(folder.path().join("a b/data.bin"), [&file.bytes[..], b"more"].concat()).unwrap();
    file.json["buffers"] = json!([{"byteLength": length, "uri": "a%20b/data.bin"}]);
    let path = folder.path().join("scene.gltf");
    let read = |file: &Builder| {
        std::fs::write(&path, file.json.to_string()).unwrap();
        gltf::read(&path, &GltfOptions::default())
    };
    assert_eq!(read(&file).unwrap().scene.bodies().len(), 4);
    // A file that is named many times is read once.
    let twice = json!({"byteLength": length, "uri": "a%20b/../a%20b/data.bin"});
    file.json["buffers"] = json!(vec![twice; 2_000]);
    assert_eq!(read(&file).unwrap().scene.bodies().len(), 4);
    file.json["buffers"][0]["byteLength"] = json!(length + 5);
    let message = read(&file).unwrap_err().to_string();
    assert!(message.ends_with(&format!(
        "buffer 0: found {} bytes, expected its byteLength, {}",
        length + 4,
        length + 5
    )));
    for (uri, what) in
        [("a%20b", "it is not a file"), ("../../../../../../../../dev/zero", "it is not a file")]
    {
        file.json["buffers"][0]["uri"] = json!(uri);
        let message = read(&file).unwrap_err().to_string();
        assert!(
            message.contains(&format!("scene.gltf: buffer 0: \"{uri}\" cannot be read: {what}")),
            "{message}"
        );
    }
    let missing = gltf::read(Path::new("gone/none.gltf"), &GltfOptions::default()).unwrap_err().to_string();
    assert!(missing.starts_with("gone/none.gltf: cannot be read: "), "{missing}");
}
