//! Invalid or missing input: each is refused with its place.

use serde_json::json;

use crate::gltf::build::{Builder, F32, TRIANGLE, glb, parse};

/// A rotating body below a node.
fn turning(above: serde_json::Value) -> Builder {
    let mut file = Builder::new();
    file.triangle();
    file.node(above);
    file.json["nodes"][0]["children"] = json!([1]);
    file.node(json!({"mesh": 0, "name": "wheel"}));
    file.linear((1, "rotation"), &[(0.0, [0.0, 0.0, 0.0, 1.0]), (1.0, [0.0, 0.0, 1.0, 0.0])]);
    file
}

#[test]
fn shapes_that_would_change_with_time() {
    let message = |scale: &str| {
        format!(
            "node 1 \"wheel\": it turns below the scale {scale}, which differs with the direction: \
             the shapes below it would change with time"
        )
    };
    turning(json!({"scale": [1, 2, 1]})).refused(&message("[1, 2, 1]"));
    turning(json!({"scale": [1, 1, 0]})).refused(&message("[1, 1, 0]"));
    let sheared = turning(json!({"matrix": [1, 0, 0, 0, 0.1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}));
    sheared.refused(&message("[1, 1.00498756, 1]"));
    let little = turning(json!({"scale": [1, 1.0001, 1]})).read().unwrap_err().to_string();
    assert!(little.contains(&format!("{}, by up to 0.0001", message("[1, 1.0001, 1]"))), "{little}");
    assert_eq!(turning(json!({"scale": [1, 2, 1]})).facts().unwrap().bodies.len(), 1);
    // Mirrors are constant under rotations below them.
    for fine in [json!({"scale": [-3, -3, -3]}), json!({"scale": [1, 1, -1]}), json!({"scale": [2, -2, -2]})]
    {
        turning(fine).scene();
    }
    let built = turning(json!({"scale": [1, 0.999_999_9, 1]})).read().unwrap();
    let warning =
        "1 of the bodies are below scales that are not quite even or constant: their points are off by up to";
    assert!(built.warnings[0].starts_with(&format!("cell/scene.glb: {warning}")), "{:?}", built.warnings);
    let chasles::BodyMotion::Near { error: off, .. } = built.scene.bodies()[0].motion else { panic!() };
    // A point (x, y, z) is off by at most 1e-7 times its length, for either scale.
    assert!((5e-8..3e-7).contains(&off), "{off}");

    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0, "name": "heart"}));
    file.linear((0, "scale"), &[(0.0, [1.0; 3]), (1.0, [1.0, 1.0, 1.5])]);
    let found =
        "its scale is animated, from [1, 1, 1] to [1, 1, 1.5]: the shapes below it would change with time";
    let message = file.read().unwrap_err().to_string();
    assert!(message.contains(&format!("node 0 \"heart\": {found}, by up to ")), "{message}");
    assert_eq!(file.facts().unwrap().triangles(), 1);
}

#[test]
fn skins_morphs_and_copies() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0, "name": "face"}));
    let with = |key: &str, value: serde_json::Value| {
        let mut changed = file.clone();
        changed.json["nodes"][0][key] = value;
        changed
    };
    let rest = "a point cache in a scene file can have any shapes";
    with("skin", json!(2)).refused("node 0 \"face\", skin 2: there is none: expected a number below 0");
    let copies = with("extensions", json!({"EXT_mesh_gpu_instancing": {"attributes": {}}}));
    copies.refused(&format!("node 0 \"face\": EXT_mesh_gpu_instancing repeats it: {rest}"));
    // Weights have no effect without targets, nor targets without weights.
    with("weights", json!([1])).scene();
    let target = file.floats(&TRIANGLE);
    file.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": target}]);
    file.scene();
    let mut weighed = file.clone();
    weighed.weights(0, &[(0.0, [0.0]), (1.0, [1.0])]);
    weighed.scene();
    // The first shape: a triangle without any effect of the target.
    assert_eq!(weighed.facts().unwrap().warnings, [""; 0]);
    let mut other = weighed.clone();
    other.json["animations"][0]["samplers"][0]["interpolation"] = json!("STEP");
    other.scene();
    other.json["animations"][0]["samplers"][0]["interpolation"] = json!("CUBICSPLINE");
    let values = "found 2 values, expected three for each target at each of 2 times";
    other.refused(&format!("animation 0, channel 0, sampler 0, output, accessor {}: {values}", target + 2));
    let mut many = file.clone();
    many.weights(0, &[(0.0, [0.0, 1.0]), (1.0, [1.0, 1.0])]);
    many.refused("node 0 \"face\": found 2 weights a time, expected 1, one for each morph target");
    let mut few = file.clone();
    let short = few.floats(&TRIANGLE[..2]);
    few.json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": short}]);
    few.refused(&format!(
        "mesh 0, primitive 0, POSITION, target 0, POSITION, accessor {short}: found 2 elements, expected 3, one a vertex"
    ));
    file.json["meshes"][0]["primitives"][0]["targets"] = json!([{"NORMAL": target}]);
    file.json["meshes"][0]["weights"] = json!([0.5]);
    file.scene();
}

#[test]
fn extensions_by_name() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0}));
    for name in
        ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "ACME_new", "KHR_mesh_quantization2"]
    {
        file.json["extensionsRequired"] = json!(["KHR_materials_unlit", name]);
        file.refused(&format!("extensionsRequired: found \"{name}\", which is not read"));
    }
    file.json["extensionsRequired"] = json!(["KHR_mesh_quantization", "KHR_texture_transform"]);
    file.scene();
    // The extension is not required, so plain numbers should exist too; but not here.
    file.json["meshes"][0]["primitives"][0]["extensions"] =
        json!({"KHR_draco_mesh_compression": {"bufferView": 0}});
    file.scene();
    file.json["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    file.refused(
        "mesh 0, primitive 0, POSITION, accessor 0: found KHR_draco_mesh_compression only, which is not read",
    );
}

#[test]
fn nodes_without_shapes_move_their_children() {
    let mut file = turning(json!({"name": "frame"}));
    file.linear((0, "translation"), &[(0.0, [0.0; 3]), (1.0, [1.0; 3])]);
    let scene = file.scene();
    let frame = &scene.bodies()[1];
    assert_eq!((frame.shape.is_none(), scene.surfaces(), scene.bodies()[0].parent), (true, 1, Some(1)));
    // It moves the wheel along.
    assert!(scene.pose_at(0, 0.5).position().distance(glam::DVec3::splat(0.5)) < 1e-15);
    // A node without children may move in any way.
    file.json["nodes"][0]["children"] = json!([]);
    file.scene();
}

#[test]
fn meshes_with_dangling_indices_are_errors() {
    let mut file = Builder::new();
    let position = file.floats(&TRIANGLE);
    let indices = file.indices(&[0, 1, 3]);
    let primitive = json!({"attributes": {"POSITION": position}, "indices": indices});
    file.push("meshes", json!({"name": "part", "primitives": [primitive.clone(), primitive]}));
    file.node(json!({"mesh": 1}));
    let place = "mesh 0 \"part\", primitive 0";
    file.refused(&format!("{place}, indices, accessor 1, element 2: found vertex index 3, expected below 3"));
    let with = |pointer: &str, value: serde_json::Value| {
        let mut changed = file.clone();
        *changed.json.pointer_mut(pointer).unwrap() = value;
        changed
    };
    let cases = [
        (
            "/meshes/0/primitives/0/indices",
            json!(7),
            "indices, accessor 7: there is none: expected a number below 2",
        ),
        (
            "/meshes/0/primitives/0/attributes/POSITION",
            json!(2),
            "accessor 2: there is none: expected a number below 2",
        ),
        ("/meshes/0/primitives/0/mode", json!(7), "mode: found 7, expected 0 to 6"),
        (
            "/accessors/0/componentType",
            json!(5130),
            "POSITION, accessor 0: found the component type 5130, expected 5120, 5121, 5122, 5123, 5125 or 5126",
        ),
        ("/accessors/0/type", json!("VEC2"), "POSITION, accessor 0, type: found \"VEC2\", expected VEC3"),
        ("/accessors/0/count", json!(0), "POSITION, accessor 0, count: found 0, expected at least 1"),
        (
            "/accessors/0/count",
            json!(4),
            "POSITION, accessor 0, bufferView 0: found 36 bytes, expected 4 elements of 12 bytes from byte 0 on",
        ),
        (
            "/accessors/0/byteOffset",
            json!(u64::MAX),
            "POSITION, accessor 0, bufferView 0: found 36 bytes, expected 3 elements of 12 bytes from byte 18446744073709551615 on",
        ),
        (
            "/accessors/0/bufferView",
            json!(9),
            "POSITION, accessor 0, bufferView 9: there is none: expected a number below 2",
        ),
        (
            "/accessors/0/normalized",
            json!(true),
            "POSITION, accessor 0: found normalised components of type 5126",
        ),
        (
            "/bufferViews/0/byteLength",
            json!(1000),
            "POSITION, accessor 0, bufferView 0: found 1000 bytes from byte 0 on, but its buffer has 42",
        ),
        (
            "/bufferViews/0/byteOffset",
            json!(u64::MAX),
            "POSITION, accessor 0, bufferView 0: found 36 bytes from byte 18446744073709551615 on, but its buffer has 42",
        ),
        ("/bufferViews/0/buffer", json!(1), "POSITION, accessor 0, bufferView 0: there is no buffer 1"),
        (
            "/accessors/1/componentType",
            json!(F32),
            "indices, accessor 1: found components of type 5126, expected 5121, 5123 or 5125 (unsigned integers, not normalised)",
        ),
    ];
    for (pointer, value, message) in cases {
        let mut changed = file.clone();
        if changed.json.pointer(pointer).is_none() {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            changed.json.pointer_mut(parent).unwrap()[key] = value;
        } else {
            changed = with(pointer, value);
        }
        changed.refused(&format!("{place}, {message}"));
    }
    let mut fine = file.clone();
    fine.bytes[36..42].copy_from_slice(&[0, 0, 1, 0, 2, 0]);
    fine.refused("node 0, mesh 1: there is none: expected a number below 1");
    for bits in [f32::NAN, f32::INFINITY] {
        let mut broken = file.clone();
        broken.bytes[20..24].copy_from_slice(&bits.to_le_bytes());
        let found = format!("found [1.0, 0.0, {}], expected finite numbers", f64::from(bits));
        broken.refused(&format!("{place}, POSITION, accessor 0, element 1: {found}"));
    }
}

#[test]
fn animations_with_dangling_indices_are_errors() {
    let file = turning(json!({}));
    let (place, sampler) = ("animation 0, channel 0", "animation 0, channel 0, sampler 0");
    let cases = [
        (
            "/animations/0/channels/0/sampler",
            json!(1),
            format!("{place}, sampler 1: there is none: expected a number below 1"),
        ),
        (
            "/animations/0/channels/0/target/node",
            json!(2),
            format!("{place}, target, node 2: there is none: expected a number below 2"),
        ),
        (
            "/animations/0/channels/0/target/path",
            json!("roll"),
            format!(
                "{place}, target: found the path \"roll\", expected translation, rotation, scale or weights"
            ),
        ),
        (
            "/animations/0/samplers/0/input",
            json!(9),
            format!("{sampler}, input, accessor 9: there is none: expected a number below 3"),
        ),
        (
            "/animations/0/samplers/0/output",
            json!(1),
            format!("{sampler}, output, accessor 1, type: found \"SCALAR\", expected VEC4"),
        ),
        (
            "/animations/0/samplers/0/output",
            json!(0),
            format!("{sampler}, output, accessor 0: found 3 values, expected one for each of 2 times"),
        ),
        (
            "/animations/0/samplers/0/interpolation",
            json!("CUBICSPLINE"),
            format!("{sampler}, output, accessor 2: found 2 values, expected three for each of 2 times"),
        ),
        (
            "/animations/0/samplers/0/interpolation",
            json!("SMOOTH"),
            format!("{sampler}, interpolation: found \"SMOOTH\", expected LINEAR, STEP or CUBICSPLINE"),
        ),
    ];
    for (pointer, value, message) in cases {
        let mut changed = file.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        changed.json.pointer_mut(parent).unwrap()[key] = value;
        changed.refused(&message);
    }
    let mut pointer = file.clone();
    pointer.json["animations"][0]["channels"][0]["target"] =
        json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/1/rotation"}}});
    pointer.refused(&format!(
        "{place}, target: found KHR_animation_pointer \"/nodes/1/rotation\", which is not read"
    ));
    let mut twice = file.clone();
    twice.linear((1, "rotation"), &[(0.0, [0.0, 0.0, 0.0, 1.0])]);
    twice.refused("animation 0, channel 1, target: a second channel for the rotation of node 1");
    let mut matrix = file;
    matrix.json["nodes"][1]["matrix"] = json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    matrix.refused(&format!("{place}, target, node 1 \"wheel\": found a matrix, which cannot be animated"));
    let hidden = "/nodes/1/extensions/KHR_node_visibility/visible";
    pointer.json["animations"][0]["channels"][0]["target"]["extensions"]["KHR_animation_pointer"]["pointer"] =
        json!(hidden);
    pointer.refused(&format!("{place}, target: found KHR_animation_pointer \"{hidden}\", which is not read"));

    let keys = |keys: &[(f32, [f32; 4])]| {
        let mut file = Builder::new();
        file.triangle();
        file.node(json!({"mesh": 0}));
        file.linear((0, "rotation"), keys);
        file
    };
    let unit = [0.0, 0.0, 0.0, 1.0];
    let input = format!("{sampler}, input, accessor 1");
    keys(&[(0.0, unit), (1.5, unit), (1.5, unit)])
        .refused(&format!("{input}: found time 1.5 after 1.5, expected times that increase"));
    keys(&[(-1.0, unit), (1.0, unit)]).refused(&format!("{input}: found time -1, expected none before 0"));
    keys(&[(0.0, unit), (f32::NAN, unit)])
        .refused(&format!("{input}, element 1: found [NaN], expected finite numbers"));
    keys(&[(0.0, unit), (1.0, [0.0; 4])])
        .refused(&format!("{sampler}, output, accessor 2, key 1: found a rotation of zero length"));
    keys(&[(0.0, unit), (1.0, [3e38; 4])]).scene();
}

#[test]
fn nodes_with_dangling_indices_are_errors() {
    let with = |key: &str, value: serde_json::Value| {
        let mut file = Builder::new();
        file.triangle();
        file.node(json!({"mesh": 0, "name": "part"}));
        file.json["nodes"][0][key] = value;
        file
    };
    with("children", json!([0])).refused("node 0 \"part\": it is below itself");
    with("children", json!([1])).refused("node 0 \"part\", node 1: there is none: expected a number below 1");
    with("translation", json!([0, 1e200, 0]))
        .refused("node 0 \"part\": position: found 1e200, expected a magnitude below 1e70");
    with("matrix", json!([1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]))
        .refused("node 0 \"part\": found a matrix whose last row is 1, 0, 0, 1, expected 0, 0, 0, 1");
    let mut both = with("matrix", json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]));
    both.json["nodes"][0]["scale"] = json!([1, 1, 1]);
    both.refused("node 0 \"part\": found a matrix beside translation, rotation or scale");
    let error = with("translation", json!([0, "x", 0])).read().unwrap_err().to_string();
    assert!(
        error.starts_with("cell/scene.glb: JSON chunk: invalid type: string \"x\", expected f64 at line 1")
    );
}

#[test]
fn missing_buffers_are_errors() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0}));
    let with = |buffers: serde_json::Value| {
        let mut changed = file.clone();
        changed.json["buffers"] = buffers;
        changed
    };
    with(json!([{"byteLength": 37}])).refused("buffer 0: found 36 bytes, expected its byteLength, 37");
    with(json!([{"byteLength": 36}, {"byteLength": 36}]))
        .refused("buffer 1: found no uri, and no binary chunk for it");
    with(json!([{"byteLength": 36, "uri": "gone.bin"}]))
        .refused("buffer 0: \"gone.bin\" cannot be read: No such file or directory (os error 2)");
    with(json!([{"byteLength": 36, "uri": "http://a/b"}]))
        .refused("buffer 0: found the uri \"http://a/b\", expected a relative path or a data: URI");
    with(json!([{"byteLength": 3, "uri": "data:,abc"}]))
        .refused("buffer 0: found \"data:,abc\", expected data:..;base64,..");
    with(json!([{"byteLength": 3, "uri": "data:;base64,ab?c"}]))
        .refused("buffer 0: found a data: URI that is not base64");
    let text = parse(file.json.to_string().as_bytes(), None).unwrap_err().to_string();
    assert!(text.contains("accessor 0, bufferView 0: there is no buffer 0"), "{text}");
}

#[test]
fn broken_containers_are_errors() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0}));
    let whole = file.glb();
    for end in 0..whole.len() {
        let error = parse(&whole[..end], None).unwrap_err().to_string();
        assert!(error.starts_with("cell/scene.glb:"), "{error}");
    }
    let longer = [&whole[..], &[0; 4]].concat();
    assert!(parse(&longer, None).unwrap_err().to_string().contains("byte 8: found a length of"));
    assert!(parse(&glb(b"{}", b""), None).unwrap_err().to_string().contains("missing field `asset`"));
    let old = parse(&glb(br#"{"asset":{"version":"1.0"}}"#, b""), None).unwrap_err().to_string();
    assert_eq!(old, "cell/scene.glb: asset.version: found glTF \"1.0\", expected 2.0");
}
