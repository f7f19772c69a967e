//! Primitives: strips, fans, several in a mesh, and omitted parts.

use serde_json::json;

use crate::gltf::build::{Builder, TRIANGLE, triangles, vertices};

const PENTAGON: [[f32; 3]; 5] =
    [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [2.0, 2.0, 1.0], [1.0, 3.0, 0.0]];

fn triangles_of(indices: Option<&[u16]>, mode: u32) -> Vec<[u32; 3]> {
    let mut file = Builder::new();
    file.mesh(&PENTAGON, indices, mode);
    file.node(json!({"mesh": 0}));
    triangles(&file.scene(), 0)
}

#[test]
fn strips_and_fans() {
    assert_eq!(triangles_of(None, 5), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
    assert_eq!(triangles_of(None, 6), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
    assert_eq!(triangles_of(Some(&[4, 2, 0]), 4), [[4, 2, 0]]);
    // A strip that continues elsewhere: the degenerate triangles in between are no surface.
    assert_eq!(triangles_of(Some(&[0, 1, 2, 2, 4, 4, 3, 1]), 5), [[0, 1, 2], [4, 1, 3]]);
    assert_eq!(triangles_of(Some(&[0, 1, 2, 2, 4]), 6), [[1, 2, 0], [2, 4, 0]]);
}

#[test]
fn primitives_are_joined() {
    let mut file = Builder::new();
    let (first, second) = (file.floats(&PENTAGON), file.floats(&TRIANGLE));
    let (strip, lines) = (file.indices(&[0, 1, 2, 3]), file.indices(&[0, 1]));
    file.push(
        "meshes",
        json!({"name": "part", "primitives": [
            {"attributes": {"POSITION": first}, "indices": strip, "mode": 5},
            {"attributes": {"POSITION": second}},
            {"attributes": {"POSITION": first}, "indices": lines, "mode": 1},
            {"attributes": {"POSITION": second}, "mode": 0},
            {"attributes": {"COLOR_0": second}},
            {"attributes": {"POSITION": first}, "mode": 4},
            {"attributes": {"POSITION": first}, "indices": lines, "mode": 6},
        ]}),
    );
    file.node(json!({"mesh": 0}));
    let built = file.read().unwrap();
    assert_eq!(vertices(&built.scene, 0).len(), 8);
    // Vertex 5 coincides with vertex 0.
    assert_eq!(triangles(&built.scene, 0), [[0, 1, 2], [1, 3, 2], [0, 6, 7], [0, 1, 2]]);
    let place = "cell/scene.glb: mesh 0 \"part\", primitive";
    let expected = [
        format!("{place} 2: lines are left out"),
        format!("{place} 3: points are left out"),
        format!("{place} 4: it has no POSITION and is left out"),
        format!("{place} 5: the last 2 of its 5 corners make no triangle"),
        format!("{place} 6: its 2 corners make no triangle"),
    ];
    assert_eq!(built.warnings, expected);
}

/// A file may cause any number of warnings; this does not make it slower.
#[test]
fn the_number_of_warnings_is_limited() {
    let mut file = Builder::new();
    file.triangle();
    file.json["meshes"][0]["primitives"] = json!(vec![json!({"attributes": {}}); 50_000]);
    let warnings = file.facts().unwrap().warnings;
    assert_eq!(warnings.len(), 1002);
    assert_eq!(warnings[999], "mesh 0, primitive 999: it has no POSITION and is left out");
    assert_eq!(warnings[1000..], ["49000 more warnings are left out", "the scene has no triangles"]);
}

#[test]
fn nodes_without_triangles_are_not_bodies() {
    let mut file = Builder::new();
    file.triangle();
    file.mesh(&PENTAGON, None, 3);
    file.node(json!({"mesh": 1, "name": "wire"}));
    file.refused("the scene has no triangles");
    let facts = file.facts().unwrap();
    assert_eq!((facts.bodies.len(), facts.bounds), (0, None));
    let warnings = ["mesh 1, primitive 0: lines are left out", "the scene has no triangles"];
    assert_eq!(facts.warnings, warnings);
    file.node(json!({"mesh": 0, "name": "plate"}));
    let built = file.read().unwrap();
    assert_eq!((built.scene.bodies().len(), built.scene.bodies()[0].name.as_str()), (1, "plate"));
}
