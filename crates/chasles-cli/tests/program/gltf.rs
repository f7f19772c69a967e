//! glTF files: their contents and their collisions.

use crate::support::Folder;
use serde_json::{Value, json};

/// Two parallel triangles: one descends to the other within a second and continues, or moves under it.
fn document() -> Value {
    let channel = json!({"sampler": 0, "target": {"node": 1, "path": "translation"}});
    let animation = |name: &str, output: usize| json!({"name": name, "channels": [channel], "samplers": [{"input": 1, "output": output}]});
    json!({
        "asset": {"version": "2.0"},
        "nodes": [{"name": "table", "mesh": 0}, {"name": "cup", "mesh": 0, "translation": [0, 0, 4]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "animations": [animation("down", 2), animation("under", 3)],
        "accessors": [
            {"bufferView": 0, "componentType": 5121, "type": "VEC3", "count": 3},
            {"bufferView": 0, "byteOffset": 12, "componentType": 5126, "type": "SCALAR", "count": 2},
            {"bufferView": 0, "byteOffset": 20, "componentType": 5126, "type": "VEC3", "count": 2},
            {"bufferView": 0, "byteOffset": 32, "componentType": 5126, "type": "VEC3", "count": 2},
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 56}],
        "buffers": [{"byteLength": 56, "uri": "numbers.bin"}],
    })
}

fn numbers() -> Vec<u8> {
    let keys = [0.0_f32, 2.0, 0.25, 0.25, 1.0, 0.25, 0.25, -1.0, 0.25, 0.25, -1.5];
    let corners = [0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0];
    corners.into_iter().chain(keys.into_iter().flat_map(f32::to_le_bytes)).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("scene.gltf", document().to_string());
    folder.write("numbers.bin", numbers());
    folder
}

#[test]
fn facts_of_a_scene() {
    let folder = folder();
    let run = folder.run(&["info", "--json", "scene.gltf"]);
    let warning = "animations that move the same nodes: \"down\", \"under\"; the first of them is taken";
    let bodies = json!([{"name": "table", "triangles": 1}, {"name": "cup", "triangles": 1}]);
    let expected = json!({
        "format": 1, "kind": "scene", "bodies": bodies, "animations": ["down", "under"], "triangles": 2,
        "bounds": [[0.0, 0.0, 0.0], [4.25, 4.25, 1.0]], "warnings": [warning],
    });
    assert_eq!((run.status, run.json()), (Some(0), vec![expected]));
    let table = folder.run(&["info", "scene.gltf"]).stdout;
    assert_eq!(
        table,
        format!(
            "file                  scene.gltf\n\
             kind                  scene\n\
             bodies                2\n\
             triangles             2\n\
             from                  0 0 0\n\
             to                    4.25 4.25 1\n\
             size                  4.25 4.25 1\n\
             animation             down\n\
             animation             under\n\
             body                  table: 1 triangles\n\
             body                  cup: 1 triangles\n\
             warning               {warning}\n"
        )
    );
}

#[test]
fn one_animation_is_checked() {
    let folder = folder();
    let run = folder.run(&["check", "--json", "--animation", "down", "scene.gltf"]);
    let report = &run.json()[0];
    assert_eq!(
        (run.status, &report["verdict"], &report["duration"]),
        (Some(1), &json!("contact"), &json!(2.0))
    );
    let enter = &report["pairs"][0]["intervals"][0]["enter"];
    let [lo, hi] = [0, 1].map(|i| enter[i].as_f64().unwrap());
    assert!((0.999_999..=1.0).contains(&lo) && (1.0 - 1e-8..1.000_001).contains(&hi), "{enter}");
    assert_eq!(run.stderr, "");
    for chosen in ["under", "1"] {
        let run = folder.run(&["check", "--json", "--animation", chosen, "scene.gltf"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        assert_eq!(run.json()[0]["pairs_tested"], json!(1));
    }
    let refused = folder.run(&["check", "--animation", "jump", "scene.gltf"]);
    refused.refused(
        "scene.gltf: animations: found no animation with the name or number \"jump\": it has \"down\", \"under\"",
    );
}

/// Animations that move the same node cannot be played together, so they are checked in turn, with one report.
#[test]
fn exclusive_animations_are_checked_one_after_the_other() {
    let folder = folder();
    folder.run(&["check", "scene.gltf"]).refused(
        "scene.gltf: animations: \"down\" and \"under\" both move the translation of node 1 \"cup\", so that they cannot be \
         played together: --animation NAME plays one of \"down\", \"under\", --animation all checks each in turn",
    );
    for all in ["all", "each"] {
        let run = folder.run(&["check", "--json", "--animation", all, "scene.gltf"]);
        let report = &run.json()[0];
        assert_eq!((run.status, &report["verdict"]), (Some(1), &json!("contact")));
        let verdicts: Vec<_> =
            report["paths"].as_array().unwrap().iter().map(|one| (&one["path"], &one["verdict"])).collect();
        assert_eq!(verdicts, [(&json!("down"), &json!("contact")), (&json!("under"), &json!("clear"))]);
    }
    let table = folder.run(&["check", "--animation", "all", "scene.gltf"]).stdout;
    assert!(
        table.starts_with("scene.gltf on down: CONTACT\n") && table.contains("\n2 animations: "),
        "{table}"
    );
    let shown = folder.run(&["check", "--animation", "all", "--html", "a.html", "scene.gltf"]);
    shown.refused("scene.gltf: --html: found 2 animations that are checked in turn, expected one");
}

#[test]
fn unsupported_files_are_errors() {
    let folder = folder();
    folder.write("scene.toml", "format = 1\nduration = 1.0\n[[body]]\nname = 'a'\nsphere = 1\n");
    folder
        .run(&["check", "scene.toml", "--animation", "under"])
        .refused("scene.toml: --animation is for glTF files only");
    folder.write("part.GLB", "glTF");
    for command in ["info", "check"] {
        let run = folder.run(&[command, "part.GLB"]);
        run.refused("part.GLB: byte 4: the file ends here: expected 4 bytes at byte 4");
    }
}
