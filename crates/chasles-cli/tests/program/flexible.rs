//! Recordings of flexible bodies: the output of `chasles simulate` is checked, shown, resumed and exported.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::support::{Folder, page_data};

/// A jelly that falls on a table, beside a rigid box that falls forever.
const SCENE: &str = r#"format = 1
duration = 0.3

[simulation]
gravity = [0, 0, -9.81]
record = 0.02

[[body]]
name = "table"
box = [1, 1, 0.1]
pose = { position = [0, 0, -0.05] }
friction = 0.3

[[body]]
name = "jelly"
box = [0.2, 0.2, 0.2]
pose = { position = [0, 0, 0.18], rotation = [0.9, 0.3, 0.2, 0.1] }
mass = 1.0
flexible = { stiffness = 500.0, damping = 0.1 }

[[body]]
name = "crate"
box = [0.1, 0.1, 0.1]
pose = { position = [3, 0, 0] }
mass = 1.0

[[ignore]]
pair = ["crate", "*"]
"#;

/// A folder with the scene and its whole recording. It is simulated once.
fn folder() -> Folder {
    static RECORDING: OnceLock<String> = OnceLock::new();
    let folder = Folder::new();
    folder.write("jelly.toml", SCENE);
    let recording = RECORDING.get_or_init(|| {
        let run = folder.run(&["simulate", "jelly.toml", "--check", "-o", "jelly.jsonl"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        assert!(run.stdout.starts_with("jelly.toml: clear\n"), "{}", run.stdout);
        folder.read("jelly.jsonl")
    });
    folder.write("jelly.jsonl", recording);
    folder
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[test]
fn a_recording_is_checked_listed_and_rendered() {
    let folder = folder();
    let run = folder.run(&["check", "jelly.jsonl", "--json", "--html", "page.html"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let report = &run.json()[0];
    // With the table, and with itself.
    assert_eq!((&report["verdict"], &report["pairs_tested"]), (&json!("clear"), &json!(2)));
    let page = page_data(&folder.read("page.html"));
    let bodies = page["bodies"].as_array().unwrap();
    let jelly = bodies.iter().find(|body| body["name"] == "jelly").unwrap();
    assert!(jelly["deforming"].is_object(), "{}", jelly["deforming"]);

    let run = folder.run(&["info", "jelly.jsonl"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.contains("jelly: deforming"), "{}", run.stdout);
    for (at, picture) in [("0", "begin.png"), ("0.3", "end.png")] {
        let run = folder.run(&["render", "jelly.jsonl", "--at", at, "--size", "80x60", "-o", picture]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    }
    let picture = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_ne!(picture("begin.png"), picture("end.png"));

    // A vertex that is moved through the table in the last line is detected.
    let text = folder.read("jelly.jsonl");
    let mut reported = lines(&text);
    reported.last_mut().unwrap()["vertices"][0][0] = json!([0.0, 0.0, -0.2]);
    let broken: String = reported.iter().map(|line| format!("{line}\n")).collect();
    folder.write("broken.jsonl", broken);
    let run = folder.run(&["check", "broken.jsonl", "--json"]);
    assert_eq!((run.status, &run.json()[0]["verdict"]), (Some(1), &json!("contact")));
}

#[test]
fn an_animation_has_the_shapes_and_a_table_is_refused() {
    let folder = folder();
    let run = folder.run(&["simulate", "jelly.toml", "-o", "run.glb"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let run = folder.run(&["simulate", "jelly.toml", "--from", "jelly.jsonl", "-o", "from.glb"]);
    let done = "chasles: jelly.jsonl: reaches the end of the scene: nothing remains to be simulated\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), done));
    let run = folder.run(&["render", "jelly.jsonl", "-o", "render.glb"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let file = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(file("run.glb"), file("from.glb"));
    // They name their source, and are otherwise equal.
    assert_eq!(file("run.glb").len().abs_diff(file("render.glb").len()) % 4, 0);
    // Our own reader finds a deforming body, and finds the scene clear.
    for name in ["run.glb", "render.glb"] {
        let run = folder.run(&["check", name, "--json"]);
        let report = &run.json()[0];
        assert_eq!((run.status, &report["verdict"]), (Some(0), &json!("clear")), "{name}");
        let binary = file(name);
        let text = String::from_utf8_lossy(&binary);
        assert!(text.contains("\"targets\":[{\"POSITION\":") && text.contains("\"path\":\"weights\""));
    }
    folder.run(&["simulate", "jelly.toml", "-o", "run.csv"]).refused(
        "run.csv: found flexible bodies, which have no poses for the rows of a table, expected a .jsonl or .glb file",
    );
    assert!(!folder.names().contains(&"run.csv".to_owned()));
}
