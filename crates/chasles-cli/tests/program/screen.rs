//! `chasles screen`: one problem, several, two bodies of a scene, and the files written beside the report.

use serde_json::{Value, json};

use crate::support::{Folder, near};
use crate::thorn::{self, SHORT, STING};

/// With a rotation, and in the cube from the start.
const WITHIN: &str = r#"{"name":"in","a":{"mesh":"cube.obj"},"b":{"mesh":"cube.obj"},"pose0":[0.9,0.05,0.03,1,0,0,0],"screw":{"s":[0,0,1],"p":[0,0,0],"d":0.2,"b":1}}"#;

/// A folder with meshes, and the files `sting.json`, `short.json`, `in.json` and `all.jsonl`.
pub(crate) fn folder() -> Folder {
    let folder = thorn::meshes();
    folder.write("sting.json", STING);
    folder.write("short.json", SHORT);
    folder.write("in.json", WITHIN);
    folder.write("all.jsonl", [STING, "", SHORT, WITHIN, ""].join("\n"));
    folder
}

/// A scene of 2 s in which the thorn descends on a moving cube.
fn scene() -> Folder {
    let folder = folder();
    folder.write(
        "scene.toml",
        r#"format = 1
duration = 2.0
[[body]]
name = "thorn"
mesh = "thorn.obj"
parent = "cart"
[body.motion]
kind = "keyframes"
times = [0.0, 2.0]
positions = [[0.1, 0.2, 2], [0.1, 0.2, 0]]
rotations = [[1, 0, 0, 0], [1, 0, 0, 0]]
interpolation = "screw"
[[body]]
name = "cube"
box = [1, 1, 1]
parent = "cart"
[[body]]
name = "cart"
mesh = "cube.obj"
[body.motion]
kind = "screw"
axis = [1, 0, 0]
point = [0, 0, 5]
slide = 3.0
angle = 7.0
"#,
    );
    folder
}

/// The collision of the thorn's tip with the upper side of the cube.
#[track_caller]
fn tip(report: &Value) -> Value {
    let all = report["collisions"].as_array().unwrap();
    let is_tip = |c: &&Value| c["kind"] == "vertex-face" && c["a"] == json!([3]);
    all.iter().find(is_tip).unwrap_or_else(|| panic!("{report}")).clone()
}

#[test]
fn one_problem_has_the_status_of_its_verdict() {
    let folder = folder();
    for (file, status, verdict) in
        [("sting.json", 1, "contact"), ("short.json", 0, "clear"), ("in.json", 1, "overlapping")]
    {
        let run = folder.run(&["screen", file, "--json"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(status), ""));
        let [report] = &run.json()[..] else { panic!("{}", run.stdout) };
        assert_eq!(
            (&report["format"], &report["way"], &report["verdict"]),
            (&json!(1), &json!("exact"), &json!(verdict))
        );
        assert_eq!(report["probes"], json!([]));
        assert!(report.get("concurrent").is_none() && report.get("play").is_none(), "{report}");
        assert!(report["culled"].is_u64() && report["inside"].is_object(), "{report}");
        // As a table, with the same status.
        let table = folder.run(&["screen", file]);
        assert_eq!((table.status, table.stderr.as_str()), (Some(status), ""));
        let name = report["name"].as_str().unwrap();
        let head = format!("{file}: {name}: {}\n", verdict.to_uppercase());
        assert!(table.stdout.starts_with(&head), "{}", table.stdout);
    }
}

#[test]
fn report_of_a_sting() {
    let folder = folder();
    let run = folder.run(&[
        "screen", "sting.json", "--json", "--probe", "0.1,0.2,0.3", "--probe", "9,9,9", "--concurrent",
        "0.1", "--play",
    ]);
    assert_eq!(run.status, Some(1), "{run:?}");
    let report = &run.json()[0];
    let tip = tip(report);
    let [lo, hi] = [0, 1].map(|i| tip["time"][i].as_f64().unwrap());
    assert!(lo <= 0.75 + 1e-12 && hi >= 0.75 - 1e-12 && hi - lo < 1e-9, "[{lo}, {hi}]");
    near(&tip["point"], &[0.1, 0.2, 0.5]);
    near(&tip["normal"], &[0.0, 0.0, -1.0]);
    near(&report["screw"]["direction"], &[0.0, 0.0, -1.0]);
    assert_eq!((&report["screw"]["slide"], &report["screw"]["angle"]), (&json!(2.0), &json!(0.0)));
    // Below the thorn's tip is the cube, 1.5 m away; beside it there is no hit.
    let clearance = &report["probes"][0]["clearance"];
    assert!((clearance["time"].as_f64().unwrap() - 0.75).abs() < 1e-9, "{clearance}");
    assert!((clearance["metres"].as_f64().unwrap() - 1.5).abs() < 1e-9, "{clearance}");
    assert_eq!((&clearance["angle"], &report["probes"][1]["clearance"]), (&json!(0.0), &Value::Null));
    let groups = report["concurrent"].as_array().unwrap();
    let grouped: usize = groups.iter().map(|group| group.as_array().unwrap().len()).sum();
    assert_eq!(grouped, report["collisions"].as_array().unwrap().len());
    let play = &report["play"];
    assert_eq!(
        (&play["forward"]["verdict"], &play["backward"]),
        (&json!("binds"), &json!({"verdict": "free"}))
    );
    // A cube has equal leading and trailing areas; for the thorn only the lower sides lead.
    near(&json!([report["facing"]["b"]["forward"], report["facing"]["b"]["along"]]), &[1.0, 4.0]);
    assert_eq!(report["facing"]["a"]["faces"]["forward"], json!(3));
    let keys = [
        "format", "name", "way", "verdict", "screw", "facing", "collisions", "culled", "concurrent",
        "inside", "probes", "play",
    ];
    let places: Vec<_> = keys.iter().map(|key| run.stdout.find(&format!("\"{key}\":")).unwrap()).collect();
    assert!(places.is_sorted(), "{}", run.stdout);
}

#[test]
fn a_problem_may_be_spread_over_lines_and_bring_its_probes() {
    let folder = folder();
    let spread = STING.replace(',', ",\n ").replace("}\n", "}\n\n");
    folder.write("spread.json", &spread);
    let expected = folder.run(&["screen", "sting.json", "--json", "--probe", "0.1,0.2,0.3"]);
    assert_eq!(folder.run(&["screen", "spread.json", "--json", "--probe", "0.1,0.2,0.3"]), expected);
    let with_probes = STING.replace("]}", "],\"probes\":[[0.1,0.2,0.3]]}");
    folder.write("probes.json", &with_probes);
    assert_eq!(folder.run(&["screen", "probes.json", "--json"]), expected);
    // Probes of the line come first.
    let both = folder.run(&["screen", "probes.json", "--json", "--probe", "9,9,9"]).json();
    assert_eq!(both[0]["probes"][0], expected.json()[0]["probes"][0]);
    assert_eq!(both[0]["probes"][1]["clearance"], Value::Null);
    // A truncated file is reported as one problem.
    folder.write("broken.json", "{\"name\":\"p\",\n\"a\":\n");
    let broken = folder.run(&["screen", "broken.json"]);
    assert!(broken.stderr.starts_with("chasles: broken.json:1: not JSON: "), "{broken:?}");
    assert_eq!(broken.status, Some(2));
}

#[test]
fn several_problems_are_reported_in_order_and_bad_ones_separately() {
    let folder = folder();
    let all = folder.run(&["screen", "all.jsonl", "--json"]);
    assert_eq!((all.status, all.stderr.as_str()), (Some(0), ""));
    let each: String = ["sting.json", "short.json", "in.json"]
        .map(|file| folder.run(&["screen", file, "--json"]).stdout)
        .concat();
    assert_eq!(all.stdout, each);
    for threads in ["1", "5"] {
        assert_eq!(folder.run(&["screen", "all.jsonl", "--json", "--threads", threads]), all);
    }
    let bad = r#"{"name":"bad","a":{"mesh":"gone.obj"},"b":{"mesh":"cube.obj"},"pose0":[0,0,0,1,0,0,0],"pose1":[0,0,1,1,0,0,0]}"#;
    folder.write("some.jsonl", [bad, "{", SHORT].join("\n"));
    let run = folder.run(&["screen", "some.jsonl", "--json"]);
    assert_eq!(run.status, Some(2));
    assert_eq!(run.stderr, "chasles: 2 of 3 lines could not be answered: see \"error\" there\n");
    let [first, second, third] = &run.json()[..] else { panic!("{}", run.stdout) };
    assert_eq!((&first["name"], &first["verdict"]), (&json!("bad"), &json!("error")));
    assert!(first["error"].as_str().unwrap().contains("gone.obj: cannot be read"), "{first}");
    assert_eq!((&second["name"], &second["verdict"]), (&Value::Null, &json!("error")));
    assert!(second["error"].as_str().unwrap().starts_with("some.jsonl:2: not JSON: "), "{second}");
    assert_eq!(third["verdict"], "clear");
    let table = folder.run(&["screen", "some.jsonl"]);
    assert_eq!(table.status, Some(2));
    assert!(table.stdout.starts_with("bad: ERROR\n  gone.obj: cannot be read"), "{}", table.stdout);
    assert!(table.stdout.contains("\nsome.jsonl: short: CLEAR\n"), "{}", table.stdout);
}

#[test]
fn two_bodies_of_a_scene_have_its_times_and_coordinates() {
    let folder = scene();
    let run =
        folder.run(&["screen", "scene.toml", "--pair", "thorn", "cube", "--json", "--probe", "0.1,0.2,0"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let report = &run.json()[0];
    assert_eq!(
        (&report["name"], &report["pair"], &report["duration"]),
        (&json!("scene.toml"), &json!(["thorn", "cube"]), &json!(2.0))
    );
    let tip = tip(report);
    let [lo, hi] = [0, 1].map(|i| tip["time"][i].as_f64().unwrap());
    assert!(lo <= 1.5 + 1e-12 && hi >= 1.5 - 1e-12 && hi - lo < 1e-9, "[{lo}, {hi}]");
    // The same as in the check, in the world frame, while the cart rotates.
    let check = folder.run(&["check", "scene.toml", "--json"]).json();
    let pair = check[0]["pairs"].as_array().unwrap().iter().find(|pair| pair["b"] == "cube").unwrap();
    let contact = &pair["intervals"][0]["contact"];
    for key in ["point", "normal"] {
        let expected: Vec<f64> =
            contact[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        near(&tip[key], &expected);
    }
    let clearance = &report["probes"][0]["clearance"];
    assert!((clearance["time"].as_f64().unwrap() - 1.5).abs() < 1e-9, "{clearance}");
    // With the pair swapped the cube moves.
    let back = folder.run(&["screen", "scene.toml", "--pair", "cube", "thorn", "--json"]);
    assert_eq!((back.status, &back.json()[0]["pair"]), (Some(1), &json!(["cube", "thorn"])));
    let table = folder.run(&["screen", "scene.toml", "--pair", "thorn", "cube"]).stdout;
    assert!(table.starts_with("scene.toml: thorn past cube: CONTACT\n"), "{table}");
    assert!(table.contains("Seen from cube, thorn slides 2 m along (0, 0, -1).\n"), "{table}");
}

#[test]
fn pixels_are_not_proofs() {
    let folder = folder();
    for (level, pixels) in [("low", 32), ("medium", 128), ("high", 512), ("7", 7)] {
        let run = folder.run(&["screen", "sting.json", "--json", "--resolution", level]);
        let report = &run.json()[0];
        assert_eq!((&report["way"], &report["resolution"]), (&json!("pixels"), &json!(pixels)));
        let pixel = report["pixel"].as_f64().unwrap();
        assert!(pixel > 0.0 && pixel <= 3_f64.sqrt() / f64::from(pixels) * (1.0 + 1e-12), "{pixel}");
        assert!(report.get("inside").is_none(), "{report}");
    }
}

#[test]
fn a_picture_and_a_map_are_written_beside_the_report() {
    let folder = folder();
    let report = folder.run(&["screen", "sting.json"]);
    let args = ["screen", "sting.json", "-o", "screen.png", "--map", "ahead.ply"];
    assert_eq!(folder.run(&args), report);
    let picture = std::fs::read(folder.path("screen.png")).unwrap();
    assert_eq!(
        (&picture[..8], &picture[16..24]),
        (&b"\x89PNG\r\n\x1a\n"[..], &[0, 0, 3, 192, 0, 0, 2, 208][..])
    );
    let map = folder.read("ahead.ply");
    assert!(map.contains("\n0.1 0.2 2 1.5 ") && map.contains("quality"), "{map}");
    assert_eq!(folder.run(&["info", "ahead.ply", "--json"]).json()[0]["vertices"], json!(4));
    // The same bytes again; and with a requested size.
    assert_eq!(folder.run(&args), report);
    assert_eq!((std::fs::read(folder.path("screen.png")).unwrap(), folder.read("ahead.ply")), (picture, map));
    folder.run(&["screen", "sting.json", "-o", "small.png", "--size", "400x300"]);
    assert_eq!(std::fs::read(folder.path("small.png")).unwrap()[16..24], [0, 0, 1, 144, 0, 0, 1, 44]);
    // On standard output they replace the report.
    let printed = folder.run(&["screen", "sting.json", "--map", "-"]);
    assert_eq!((printed.status, printed.stdout), (Some(1), folder.read("ahead.ply")));
}

#[test]
fn failed_runs_leave_no_files() {
    let folder = folder();
    let names = folder.names();
    folder.write("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("nan.json", STING.replace("cube.obj", "nan.obj"));
    let run = folder.run(&["screen", "nan.json", "-o", "screen.png", "--map", "ahead.ply"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("nan.obj"), "{run:?}");
    assert_eq!(folder.names().len(), names.len() + 2);
}

#[test]
fn bodies_within_the_tolerance_touch() {
    let folder = folder();
    // The tip stops 0.1 above the cube.
    let run = folder.run(&["screen", "short.json", "--tolerance", "0.11", "--json"]);
    assert_eq!((run.status, &run.json()[0]["verdict"]), (Some(1), &json!("contact")));
    let run = folder.run(&["screen", "sting.json", "--budget", "1", "--json"]);
    let report = &run.json()[0];
    assert_eq!((run.status, &report["verdict"]), (Some(3), &json!("undecided")));
    assert!(report["why"].as_str().unwrap().starts_with("budget: "), "{report}");
}
