//! Refused input of `chasles screen`, `batch --proper` and `info --screw`: status 2, and a message that names the
//! error.

use serde_json::json;

use crate::screen::folder;
use crate::support::Folder;
use crate::thorn::STING;

/// Status 2, empty standard output, no panic, and all words on standard error.
#[track_caller]
fn refused(folder: &Folder, args: &[&str], words: &[&str]) {
    let run = folder.run(args);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{args:?}: {run:?}");
    assert!(!run.stderr.contains("panicked"), "{run:?}");
    for word in words {
        assert!(run.stderr.contains(word), "{args:?}: {word:?} in {}", run.stderr);
    }
}

#[test]
fn bad_problems() {
    let folder = folder();
    folder.write("empty.obj", "# nothing\n");
    folder.write("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
    let with_key = |key: &str| STING.replace("]}", &format!("],{key}}}"));
    for (problem, words) in [
        (STING.replace("cube.obj", "gone.obj"), &["gone.obj"][..]),
        (STING.replace("[0.1,0.2,2,1,0,0,0]", "[0.1,0.2,2,0,0,0,0]"), &["pose0", "length zero"]),
        (
            STING
                .replace("\"pose1\":[0.1,0.2,0,1,0,0,0]", r#""screw":{"s":[0,0,0],"p":[0,0,0],"d":1,"b":1}"#),
            &["screw.s", "length zero"],
        ),
        (with_key("\"colour\":3"), &["colour", "unknown key", "probes"]),
        (STING.replace(",\"pose1\":[0.1,0.2,0,1,0,0,0]", ""), &["pose1"]),
        (STING.replace("cube.obj", "empty.obj"), &["empty.obj", "no triangles"]),
        (STING.replace("cube.obj", "nan.obj"), &["nan.obj"]),
        (with_key("\"probes\":[[0,0]]"), &["probes[0]", "3 finite numbers"]),
        (with_key("\"probes\":[[0,0,0],[0,0,\"x\"]]"), &["probes[1][2]", "a finite number"]),
        (with_key("\"probes\":7"), &["probes", "a list of points"]),
        (with_key("\"probes\":[[0,0,1e999]]"), &["bad.json"]),
        ("{name: p}".into(), &["bad.json:1", "not JSON"]),
        ("[]".into(), &["bad.json:1"]),
        (String::new(), &["bad.json", "no problem"]),
    ] {
        folder.write("bad.json", problem);
        refused(&folder, &["screen", "bad.json", "--json"], words);
        refused(&folder, &["screen", "bad.json", "-o", "never.png"], words);
    }
    assert!(!folder.path("never.png").exists());
    refused(&folder, &["screen", "gone.json"], &["gone.json"]);
    refused(&folder, &["screen", "."], &["found a folder"]);
    // A probe is only for `screen`.
    folder.write("probes.json", with_key("\"probes\":[]"));
    let batch = folder.run(&["batch", "probes.json"]);
    assert!(batch.json()[0]["error"].as_str().unwrap().contains("probes: found an unknown key"), "{batch:?}");
    assert_eq!(
        folder.run(&["screen", "probes.json", "--json"]),
        folder.run(&["screen", "sting.json", "--json"])
    );
}

#[test]
fn bad_options() {
    let folder = folder();
    let screen = |args: &[&str], words: &[&str]| {
        refused(&folder, &[&["screen", "sting.json"], args].concat(), words);
    };
    screen(&["--resolution", "0"], &["--resolution"]);
    screen(&["--resolution", "-3"], &["-3", "--resolution"]);
    screen(&["--resolution", "ultra"], &["ultra", "low, medium, high"]);
    screen(&["--exact", "--resolution", "low"], &["--exact", "--resolution"]);
    screen(&["--concurrent", "-1"], &["-1", "--concurrent"]);
    screen(&["--concurrent", "nan"], &["--concurrent", "finite"]);
    screen(&["--probe", "1,2"], &["--probe", "three finite numbers"]);
    screen(&["--probe", "1,2,inf"], &["--probe", "three finite numbers"]);
    screen(&["--tolerance", "-1"], &["-1", "--tolerance"]);
    screen(&["-o", "no/such/folder/x.png"], &["no/such/folder/x.png"]);
    screen(&["--map", "no/such/folder/x.ply", "-o", "x.png"], &["no/such/folder/x.ply"]);
    screen(&["-o", "same", "--map", "same"], &["same", "two files"]);
    screen(&["-o", "-", "--map", "-"], &["two files"]);
    screen(&["-o", "sting.json"], &["sting.json", "which is never overwritten"]);
    screen(&["-o", "x.png", "--size", "0x10"], &["--size", "0x10"]);
    screen(&["--size", "400x300"], &["--output"]);
    screen(&["--pair", "a", "b"], &["--pair", "scenes"]);
    screen(&["--pair", "a"], &["--pair"]);
    screen(&["--animation", "walk"], &["--animation"]);
    for option in [["-o", "x.png"], ["--map", "x.ply"]] {
        refused(&folder, &[&["screen", "all.jsonl"], &option[..]].concat(), &["several problems"]);
    }
    assert!(!folder.path("x.png").exists() && !folder.path("x.ply").exists());
    assert_eq!(folder.read("sting.json"), STING);
}

#[test]
fn pairs_that_are_not_on_one_screw() {
    let folder = folder();
    folder.write(
        "scene.toml",
        r#"format = 1
duration = 2.0
[[body]]
name = "a"
mesh = "cube.obj"
[body.motion]
kind = "twist"
linear = [1, 0, 0]
angular = [1, 0, 0]
[[body]]
name = "b"
mesh = "cube.obj"
pose = { position = [9, 0, 0] }
[[body]]
name = "ball"
sphere = 0.5
[[body]]
name = "bent"
box = [1, 1, 1]
[body.motion]
kind = "keyframes"
times = [0, 0.5, 2]
positions = [[0, 9, 0], [1, 9, 0], [1, 12, 0]]
rotations = [[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]
interpolation = "screw"
[[body]]
name = "smooth"
box = [1, 1, 1]
[body.motion]
kind = "keyframes"
times = [0, 2]
positions = [[0, 20, 0], [1, 30, 0]]
rotations = [[1, 0, 0, 0], [0, 1, 1, 0]]
interpolation = "linear"
"#,
    );
    let screen =
        |a: &str, b: &str, words: &[&str]| refused(&folder, &["screen", "scene.toml", "--pair", a, b], words);
    screen("a", "gone", &["scene.toml", "\"gone\"", "\"ball\""]);
    screen("gone", "a", &["\"gone\""]);
    screen("a", "a", &["\"a\" twice", "two different bodies"]);
    screen("a", "ball", &["\"a\" and \"ball\"", "\"ball\", which is round", "chasles check"]);
    screen(
        "bent",
        "b",
        &["\"bent\" and \"b\"", "2 parts, the first until 0.5 s", "whole 2 s", "chasles check"],
    );
    screen("b", "smooth", &["\"b\" and \"smooth\"", "not a screw", "chasles check"]);
    screen("a", "bent", &["\"a\" and \"bent\""]);
    refused(&folder, &["screen", "scene.toml"], &["scene.toml", "--pair A B"]);
    refused(&folder, &["screen", "arm.urdf"], &["a robot", "chasles check"]);
    assert_eq!(folder.run(&["screen", "scene.toml", "--pair", "b", "a"]).status, Some(0));
}

#[test]
fn batch_rates_and_groups_only_all_contacts() {
    let folder = folder();
    for option in [&["--proper"][..], &["--concurrent", "0.1"]] {
        refused(&folder, &[&["batch", "sting.json"], option].concat(), &["--all", option[0]]);
    }
    refused(&folder, &["batch", "--all", "sting.json", "--concurrent", "-1"], &["-1", "--concurrent"]);
    let plain = folder.run(&["batch", "--all", "all.jsonl"]);
    let rated = folder.run(&["batch", "--all", "--proper", "--concurrent", "0.1", "all.jsonl"]);
    assert_eq!((plain.status, rated.status), (Some(0), Some(0)));
    // Without the requested additions, the answers are unchanged.
    let mut rated = rated.json();
    let contacts = rated[0]["contacts"].as_array_mut().unwrap();
    assert!(!contacts.is_empty());
    for contact in contacts {
        let contact = contact.as_object_mut().unwrap();
        let properness = contact.remove("properness").unwrap().as_f64().unwrap();
        assert!((-1.0..=1.0).contains(&properness), "{properness}");
        assert!(
            contact.remove("proper").unwrap().is_boolean() && contact.remove("kept").unwrap().is_boolean()
        );
    }
    let groups = rated[0].as_object_mut().unwrap().remove("concurrent").unwrap();
    assert_eq!(groups[0][0], json!(0));
    assert_eq!(rated, plain.json());
}

#[test]
fn the_facing_of_a_mesh() {
    let folder = folder();
    for screw in ["0,0,0,0,0,0,1,1", "0,0,1,0,0,0,1", "0,0,1,0,0,0,1,1,1", "0,0,nan,0,0,0,1,1", "x"] {
        refused(&folder, &["info", "cube.obj", "--screw", screw, "--json"], &["--screw"]);
    }
    let without = folder.run(&["info", "cube.obj", "--json"]);
    let run = folder.run(&["info", "cube.obj", "--screw", "0,0,-2,0,0,0,1,0", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let facing = json!({"forward": 1.0, "backward": 1.0, "along": 4.0,
        "faces": {"forward": 2, "backward": 2, "split": 0, "along": 8}, "edges": 18, "culled_edges": 13});
    assert_eq!(run.json()[0]["facing"], facing);
    assert!(run.stdout.starts_with(without.stdout.trim_end_matches("}\n")), "{}", run.stdout);
    let table = folder.run(&["info", "cube.obj", "--screw", "-1,0,0,0,0,0,1,0"]).stdout;
    assert!(table.contains("leading area          1 (2 faces)\n"), "{table}");
    assert!(table.contains("edges that are culled 13 of 18\n"), "{table}");
    folder.write("scene.glb", "glTF");
    refused(&folder, &["info", "scene.glb", "--screw", "0,0,1,0,0,0,1,0"], &["--screw", "meshes"]);
}
