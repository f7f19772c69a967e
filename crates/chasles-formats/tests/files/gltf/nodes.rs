//! Nodes: which nodes are bodies, their names, and their poses.

use chasles::BodyMotion;
use chasles_formats::gltf::is_gltf;
use glam::{DQuat, DVec3};
use serde_json::json;

use crate::gltf::build::{Builder, TRIANGLE, vertices};

fn names(file: &Builder) -> Vec<String> {
    let names: Vec<String> = file.scene().bodies().iter().map(|body| body.name.clone()).collect();
    let facts = file.facts().unwrap();
    assert_eq!(facts.bodies.iter().map(|body| body.name.clone()).collect::<Vec<_>>(), names);
    names
}

#[test]
fn bodies_are_named_by_nodes_or_else_by_meshes() {
    let mut file = Builder::new();
    file.triangle();
    let bare = file.triangle();
    file.json["meshes"][0]["name"] = json!("plate");
    for node in [
        json!({"mesh": bare}),
        json!({"mesh": 0}),
        json!({"mesh": 0, "name": ""}),
        json!({"mesh": 0, "name": "plate#2"}),
        json!({"name": "empty"}),
        json!({"mesh": 0, "name": "arm"}),
        json!({"mesh": bare, "name": "arm"}),
    ] {
        file.node(node);
    }
    assert_eq!(names(&file), ["node0", "plate", "plate#2", "plate#2#2", "arm", "arm#2"]);
}

#[test]
fn the_default_scene_is_read_or_the_first_or_all_nodes() {
    let mut file = Builder::new();
    file.triangle();
    for (name, children) in [("a", vec![]), ("b", vec![3]), ("c", vec![]), ("d", vec![])] {
        file.node(json!({"mesh": 0, "name": name, "children": children}));
    }
    assert_eq!(names(&file), ["a", "b", "c", "d"]);
    file.json["scenes"] = json!([{"nodes": [2]}, {"nodes": [1, 0]}, {}]);
    assert_eq!(names(&file), ["c"]);
    file.json["scene"] = json!(1);
    // In the order of the file.
    assert_eq!(names(&file), ["a", "b", "d"]);
    file.json["scene"] = json!(2);
    file.refused("the scene has no triangles");
    file.json["scene"] = json!(3);
    file.refused("scene 3: there is none: expected a number below 3");
    file.json["scenes"] = json!([{"nodes": [3]}]);
    file.json["scene"] = json!(0);
    file.refused("scene 0, node 3 \"d\": it is a child of node 1, expected a root");
    file.json["scenes"] = json!([{"nodes": [0, 0]}]);
    file.refused("scene 0, node 0 \"a\": it is there twice");
    file.json["scenes"] = json!([{"nodes": [4]}]);
    file.refused("scene 0, node 4: there is none: expected a number below 4");
}

#[test]
fn scales_are_applied_to_the_meshes() {
    let mut file = Builder::new();
    file.triangle();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    file.node(json!({"translation": [1, 2, 3], "scale": [2, 2, 2], "rotation": [0, 0, half, half], "children": [1, 2]}));
    file.node(json!({"mesh": 0, "translation": [1, 0, 0], "scale": [1, -1, 3]}));
    file.node(json!({"mesh": 0, "matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1]}));
    file.node(json!({"mesh": 0}));
    let scene = file.scene();
    let corners = TRIANGLE.map(|row| DVec3::from_array(row.map(f64::from)));
    let close = |found: Vec<DVec3>, expected: [DVec3; 3]| {
        assert!(found.iter().zip(expected).all(|(a, b)| a.distance(b) < 1e-15), "{found:?} {expected:?}");
    };
    close(vertices(&scene, 0), corners.map(|v| v * DVec3::new(2.0, -2.0, 6.0)));
    close(vertices(&scene, 1), corners.map(|v| 2.0 * DVec3::new(v.x + 0.5 * v.y, v.y, v.z)));
    let pose = scene.pose_at(0, 0.0);
    assert!(pose.position().distance(DVec3::new(1.0, 4.0, 3.0)) < 1e-15, "{pose:?}");
    assert!(pose.rotation().abs_diff_eq(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), 1e-15));
    assert!(scene.pose_at(1, 0.0).position().distance(DVec3::new(1.0, 2.0, 13.0)) < 1e-14);
    // Without a scale the vertices equal the file's to the bit, and bodies have no parents.
    assert_eq!(vertices(&scene, 2), corners);
    let still =
        |body: &chasles::SceneBody| body.parent.is_none() && matches!(body.motion, BodyMotion::Still(_));
    assert!(scene.bodies().iter().all(still));
    assert_eq!((scene.duration(), scene.count_moving_pairs()), (1.0, 0));
}

#[test]
fn bounds_are_in_world_coordinates() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0, "translation": [10, 0, 0], "rotation": [0, 0, 1, 0], "children": [1]}));
    file.node(json!({"mesh": 0, "scale": [3, 1, -2]}));
    file.linear((1, "translation"), &[(0.5, [0.0, 1.0, 0.0]), (1.0, [9.0, 9.0, 9.0])]);
    let facts = file.facts().unwrap();
    assert_eq!(facts.bounds, Some([DVec3::new(7.0, -3.0, -1.0), DVec3::new(10.0, 0.0, 0.5)]));
    assert_eq!((facts.triangles(), facts.animations), (2, vec!["0".to_owned()]));
}

#[test]
fn nodes_with_zero_scale_are_omitted() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0, "name": "seen", "scale": [1, 1, 0], "children": [1]}));
    file.node(json!({"mesh": 0, "name": "hidden", "scale": [0, 0, 0], "children": [2]}));
    file.node(json!({"mesh": 0, "name": "below", "scale": [1e300, 1e300, 1e300]}));
    let built = file.read().unwrap();
    assert_eq!(built.scene.bodies().len(), 1);
    let warning = "node 1 \"hidden\": its scale is 0, so that it is ignored with its children";
    assert_eq!(built.warnings, [format!("cell/scene.glb: {warning}")]);
    assert_eq!(file.facts().unwrap().warnings, [warning]);
    file.json["nodes"][1]["scale"] = json!([1, 1, 1]);
    let error = file.read().unwrap_err().to_string();
    assert!(error.contains("node 2 \"below\", mesh 0: vertex 1: found 1e300"), "{error}");
    file.json["nodes"][1]["scale"] = json!([1e300, 1e300, 1]);
    assert!(file.read().unwrap_err().to_string().contains("node 1 \"hidden\", mesh 0"));
    assert!(file.facts().unwrap_err().to_string().ends_with("\"below\": it lies beyond all finite numbers"));
}

/// A hidden node is left out, and a warning says so.
#[test]
fn hidden_nodes_are_omitted() {
    let mut file = Builder::new();
    file.triangle();
    let visible = |visible: bool| json!({"KHR_node_visibility": {"visible": visible}});
    file.node(json!({"mesh": 0, "name": "seen", "extensions": visible(true), "children": [1]}));
    file.node(json!({"mesh": 0, "name": "hidden", "extensions": visible(false), "children": [2]}));
    file.node(json!({"mesh": 0, "name": "below", "extensions": visible(true)}));
    file.json["extensionsRequired"] = json!(["KHR_node_visibility"]);
    let built = file.read().unwrap();
    assert_eq!(built.scene.bodies().iter().map(|body| body.name.as_str()).collect::<Vec<_>>(), ["seen"]);
    let warning = "node 1 \"hidden\": KHR_node_visibility hides it with all below it: they are left out, and not tested";
    assert_eq!(built.warnings, [format!("cell/scene.glb: {warning}")]);
    assert_eq!(
        (file.facts().unwrap().bodies.len(), file.facts().unwrap().warnings),
        (1, vec![warning.to_owned()])
    );
}

#[test]
fn rotations_are_normalized() {
    let mut file = Builder::new();
    file.triangle();
    file.node(json!({"mesh": 0, "rotation": [0, 3e200, 0, 4e200]}));
    let built = file.read().unwrap();
    assert!(
        built.warnings[0].contains("node 0: its rotation has the length inf, expected 1"),
        "{:?}",
        built.warnings
    );
    let rotation = built.scene.pose_at(0, 0.0).rotation();
    assert!(rotation.abs_diff_eq(DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8), 1e-15));
    // Seven digits are the best accuracy of a file.
    file.json["nodes"][0]["rotation"] = json!([0, 0.6000001, 0, 0.8000001]);
    file.scene();
    file.json["nodes"][0]["rotation"] = json!([0, 0, 0, 0]);
    file.refused("node 0, rotation: found zero length");
}

#[test]
fn shared_meshes_are_stored_once() {
    let mut file = Builder::new();
    file.triangle();
    for (x, scale) in [(0, 1.0), (1, 1.0), (2, 2.0), (3, 2.0)] {
        file.node(json!({"mesh": 0, "translation": [x, 0, 0], "scale": [scale, scale, scale]}));
    }
    let scene = file.scene();
    let body = |i: usize| std::ptr::from_ref(scene.bodies()[i].shape.as_ref().unwrap().drawn());
    assert!(body(0) == body(1) && body(2) == body(3) && body(0) != body(2));
}

#[test]
fn chains_of_any_length() {
    let mut file = Builder::new();
    file.triangle();
    for i in 0..50_000 {
        file.node(json!({"translation": [0.5, 0, 0], "children": [i + 1]}));
    }
    file.node(json!({"mesh": 0, "name": "end"}));
    let scene = file.scene();
    assert_eq!(scene.pose_at(0, 0.0).position(), DVec3::new(25_000.0, 0.0, 0.0));
    file.json["nodes"][50_000]["children"] = json!([7]);
    file.refused("node 7: it is a child of node 6 and of node 50000, expected one parent");
    file.json["nodes"][6]["children"] = json!([]);
    let error = file.read().unwrap_err().to_string();
    assert!(error.ends_with("it is below itself"), "{error}");
}

#[test]
fn files_by_name() {
    for (name, expected) in
        [("a.gltf", true), ("a.GLB", true), ("gltf", false), ("a.toml", false), ("", false)]
    {
        assert_eq!(is_gltf(name.as_ref()), expected, "{name}");
    }
}
