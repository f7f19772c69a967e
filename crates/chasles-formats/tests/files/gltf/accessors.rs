//! Numbers of every type, with strides, offsets and sparse replacements.

use glam::DVec3;
use serde_json::json;

use crate::gltf::build::{Builder, F32, U8, U16, parse, triangles, vertices};

/// A node with one triangle whose positions are the given bytes.
fn positions(component: u32, normalized: bool, bytes: &[u8]) -> Vec<[f64; 3]> {
    let mut file = Builder::new();
    let accessor = file.accessor("VEC3", component, 3, bytes);
    file.json["accessors"][accessor]["normalized"] = json!(normalized);
    file.push("meshes", json!({"primitives": [{"attributes": {"POSITION": accessor}}]}));
    file.node(json!({"mesh": 0}));
    vertices(&file.scene(), 0).into_iter().map(|vertex| vertex.to_array()).collect()
}

#[test]
fn positions_of_every_type() {
    let bytes = [0, 1, 127, 128, 129, 255, 2, 3, 4];
    let signed = [[0.0, 1.0, 127.0], [-128.0, -127.0, -1.0], [2.0, 3.0, 4.0]];
    assert_eq!(positions(5120, false, &bytes), signed);
    // Both of the smallest bytes represent -1.
    let fraction = |x: f64| (x / 127.0).max(-1.0);
    assert_eq!(positions(5120, true, &bytes), signed.map(|row| row.map(fraction)));
    assert_eq!(positions(5120, true, &bytes)[1][..2], [-1.0, -1.0]);
    let unsigned = [[0.0, 1.0, 127.0], [128.0, 129.0, 255.0], [2.0, 3.0, 4.0]];
    assert_eq!(positions(U8, false, &bytes), unsigned);
    assert_eq!(positions(U8, true, &bytes), unsigned.map(|row| row.map(|x| x / 255.0)));

    let shorts: [i16; 9] = [0, 1, 32767, -32768, -32767, -1, 300, -300, 5];
    let bytes: Vec<u8> = shorts.iter().flat_map(|x| x.to_le_bytes()).collect();
    let rows = |values: [f64; 9]| [0, 3, 6].map(|i| [values[i], values[i + 1], values[i + 2]]);
    assert_eq!(positions(5122, false, &bytes), rows(shorts.map(f64::from)));
    assert_eq!(positions(5122, true, &bytes), rows(shorts.map(|x| (f64::from(x) / 32767.0).max(-1.0))));
    let words = shorts.map(|x| u16::from_le_bytes(x.to_le_bytes()));
    assert_eq!(positions(U16, false, &bytes), rows(words.map(f64::from)));
    assert_eq!(positions(U16, true, &bytes), rows(words.map(|x| f64::from(x) / 65535.0)));

    let wide: [u32; 9] = [0, 1, u32::MAX, 70_000, 5, 6, 7, 8, 9];
    let bytes: Vec<u8> = wide.iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(positions(5125, false, &bytes), rows(wide.map(f64::from)));
    let floats: [f32; 9] = [0.1, -0.0, 1e-40, 3e38, 2.5, -7.0, 8.0, 9.0, 0.3];
    let bytes: Vec<u8> = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(positions(F32, false, &bytes), rows(floats.map(f64::from)));
}

#[test]
fn indices_of_every_type() {
    let points: Vec<[f32; 3]> = (0..300_u16).map(|i| [f32::from(i), f32::from(i % 7), 0.0]).collect();
    for (component, numbers, expected) in [
        (U8, vec![2_u32, 0, 255], [2, 0, 255]),
        (U16, vec![299, 0, 1], [299, 0, 1]),
        (5125, vec![7, 299, 3], [7, 299, 3]),
    ] {
        let mut file = Builder::new();
        let size = [1, 2, 4][[U8, U16, 5125].iter().position(|known| *known == component).unwrap()];
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()[..size].to_vec()).collect();
        let (indices, position) = (file.accessor("SCALAR", component, 3, &bytes), file.floats(&points));
        file.push(
            "meshes",
            json!({"primitives": [{"attributes": {"POSITION": position}, "indices": indices}]}),
        );
        file.node(json!({"mesh": 0}));
        let scene = file.scene();
        assert_eq!((vertices(&scene, 0).len(), triangles(&scene, 0)), (300, vec![expected]));
    }
}

/// Two interleaved arrays in one view, an offset before them, and a stride that extends beyond the last element.
#[test]
fn strides_and_offsets() {
    let mut file = Builder::new();
    let rows = [[0.0_f32, 0.0, 0.0, 9.0, 9.0], [1.0, 0.0, 0.0, 9.0, 9.0], [0.0, 1.0, 0.0, 9.0, 9.0]];
    let bytes: Vec<u8> =
        std::iter::once(7.0).chain(rows.into_iter().flatten()).flat_map(f32::to_le_bytes).collect();
    let view = file.view(&bytes[..bytes.len() - 8]);
    file.json["bufferViews"][view]["byteStride"] = json!(20);
    let entry =
        json!({"bufferView": view, "byteOffset": 4, "componentType": F32, "type": "VEC3", "count": 3});
    let accessor = file.push("accessors", entry);
    file.push("meshes", json!({"primitives": [{"attributes": {"POSITION": accessor}}]}));
    file.node(json!({"mesh": 0}));
    let scene = file.scene();
    assert_eq!(vertices(&scene, 0), [DVec3::ZERO, DVec3::X, DVec3::Y]);
    file.json["accessors"][accessor]["count"] = json!(4);
    let what = "mesh 0, primitive 0, POSITION, accessor 0, bufferView 0";
    file.refused(&format!("{what}: found 56 bytes, expected 4 elements of 20 bytes from byte 4 on"));
    file.json["bufferViews"][view]["byteStride"] = json!(8);
    file.refused(&format!("{what}: found a stride of 8, expected at least 12 bytes"));
}

/// A file with an accessor of five positions, some of them replaced.
fn sparse(with_base: bool, indices: (u32, &[u8]), values: &[[f32; 3]]) -> Builder {
    let mut file = Builder::new();
    let base: Vec<[f32; 3]> = (0..5_u8).map(|i| [f32::from(i), 1.0, f32::from(i * i)]).collect();
    let position = file.floats(&base);
    let bytes: Vec<u8> = values.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let (at, to) = (file.view(indices.1), file.view(&bytes));
    let entry = &mut file.json["accessors"][position];
    entry["sparse"] = json!({
        "count": values.len(),
        "indices": {"bufferView": at, "componentType": indices.0},
        "values": {"bufferView": to},
    });
    if !with_base {
        entry.as_object_mut().unwrap().remove("bufferView");
    }
    file.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}, "mode": 5}]}));
    file.node(json!({"mesh": 0}));
    file
}

#[test]
fn sparse_replacements() {
    let values = [[0.5, 0.5, 0.5], [7.0, 8.0, 9.0]];
    let expected = |base: fn(f64) -> [f64; 3]| {
        let mut rows = [0.0, 1.0, 2.0, 3.0, 4.0].map(base).map(DVec3::from_array);
        (rows[1], rows[4]) = (DVec3::splat(0.5), DVec3::new(7.0, 8.0, 9.0));
        rows
    };
    let base = expected(|i| [i, 1.0, i * i]);
    for indices in [(U8, &[1, 4][..]), (U16, &[1, 0, 4, 0]), (5125, &[1, 0, 0, 0, 4, 0, 0, 0])] {
        assert_eq!(vertices(&sparse(true, indices, &values).scene(), 0), base);
    }
    assert_eq!(vertices(&sparse(false, (U8, &[1, 4]), &values).scene(), 0), expected(|_| [0.0; 3]));
    let place = "mesh 0, primitive 0, POSITION, accessor 0, sparse";
    let increase = "expected indices that increase and are below 5";
    for (indices, found) in [([4, 1], 1), ([1, 1], 1), ([1, 5], 5)] {
        sparse(true, (U8, &indices), &values)
            .refused(&format!("{place}, indices: found {found}, {increase}"));
    }
    sparse(true, (F32, &[0; 8]), &values).refused(&format!(
        "{place}, indices: found type 5126, expected 5121, 5123 or 5125 (unsigned integers, not normalised)"
    ));
    sparse(true, (U8, &[0; 6]), &[[0.0; 3]; 6])
        .refused(&format!("{place}, count: found 6, expected at most the 5 elements"));
    sparse(true, (U16, &[0; 3]), &values).refused(&format!(
        "{place}, bufferView 1: found 3 bytes, expected 2 elements of 2 bytes from byte 0 on"
    ));
}

/// Without a view all numbers are 0, for any count: they take hardly any memory.
#[test]
fn accessors_without_a_buffer_are_zero() {
    let mut file = Builder::new();
    let entry = json!({"componentType": F32, "type": "VEC3", "count": 3});
    file.push("accessors", entry);
    file.push("meshes", json!({"primitives": [{"attributes": {"POSITION": 0}}]}));
    file.node(json!({"mesh": 0}));
    let built = file.read().unwrap();
    assert_eq!(vertices(&built.scene, 0), [DVec3::ZERO; 3]);
    assert!(
        built.warnings[0]
            .ends_with("mesh 0, primitive 0: accessor 0 names no bytes: all its positions are 0")
    );
    for count in [20_000_000, u64::from(u32::MAX), u64::MAX / 2] {
        file.json["accessors"][0]["count"] = json!(count);
        let error = file.read().unwrap_err().to_string();
        assert!(error.contains("accessor 0, count: found ") && error.contains("expected fewer"), "{error}");
    }
}

/// A thousand meshes that share one large accessor: much larger than the file itself.
#[test]
fn accessors_that_share_too_much_data_are_errors() {
    let mut file = Builder::new();
    let position = file.floats(&vec![[0.0, 1.0, 2.0]; 100_000]);
    for _ in 0..300 {
        file.push("meshes", json!({"primitives": [{"attributes": {"POSITION": position}}]}));
    }
    let error = file.read().unwrap_err().to_string();
    assert!(error.contains("found 100000 elements, which other accessors may share"), "{error}");
    // It is stored once in a single mesh.
    let primitive = file.json["meshes"][0]["primitives"][0].clone();
    file.json["meshes"] = json!([{"primitives": [primitive, primitive, primitive]}]);
    file.node(json!({"mesh": 0}));
    let built = parse(&file.glb(), None).unwrap();
    assert_eq!((vertices(&built.scene, 0).len(), triangles(&built.scene, 0).len()), (100_000, 99_999));
}
