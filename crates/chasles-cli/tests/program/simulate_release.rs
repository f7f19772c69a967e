//! `chasles simulate` of bodies that are keyframed until their first contact, and its suggestions for those that stay
//! keyframed.

use serde_json::{Value, json};

use chasles_viewer::page;

use crate::support::{Folder, page_data};

/// A ball that is thrown along keyframes at a crate, which floats, beside a fan.
const THROW: &str = r#"format = 1
duration = 0.6

[simulation]
gravity = [0, 0, -9.81]
step = 0.005
record = 0.05

[[body]]
name = "fan"
box = [1, 0.1, 0.1]
pose = { position = [0, 0, -4] }
motion = { kind = "twist", linear = [0, 0, 0], angular = [0, 0, 5] }

[[body]]
name = "ball, thrown"
sphere = 0.1
mass = 1.0
release = "contact"
elasticity = 0.5

[body.motion]
kind = "keyframes"
times = [0, 1]
positions = [[-1, 0, 0], [3, 0, 0]]
rotations = [[1, 0, 0, 0], [1, 0, 0, 0]]

[[body]]
name = "crate"
box = [0.2, 0.2, 0.2]
density = 250.0
release = "contact"
elasticity = 0.5
pose = { position = [0.4, 0, 0] }
"#;

/// Carts that drive into and through each other, and a wall.
const CARTS: &str = r#"format = 1
duration = 1.0

[[body]]
name = "wall"
box = [0.2, 2, 2]
pose = { position = [-2, 0, 0] }

[[body]]
name = "cart"
box = [0.4, 0.2, 0.2]
mass = 3
release = "never"
elasticity = 0.5
motion = { kind = "twist", linear = [2, 0, 0], angular = [0, 0, 0] }

[[body]]
name = "crate"
box = [0.2, 0.2, 0.2]
mass = 1
release = "never"
elasticity = 0.5
pose = { position = [1.3, 0, 0] }
"#;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[test]
fn a_thrown_ball_is_released_recorded_checked_and_continued() {
    let folder = Folder::new();
    folder.write("throw.toml", THROW);
    let run = folder.run(&["simulate", "throw.toml", "-o", "run.jsonl", "--check"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.starts_with("throw.toml: clear\n"), "{}", run.stdout);
    let row = "  released    2 of 2: \"ball, thrown\" at 0.3 s, \"crate\" at 0.3 s\n";
    assert!(run.stdout.contains(row), "{}", run.stdout);
    let text = folder.read("run.jsonl");
    let recording = lines(&text);
    assert_eq!(recording[0]["bodies"], json!(["ball, thrown", "crate"]));
    let mut at = 0.0;
    for line in &recording[1..] {
        let time = line["t"].as_f64().unwrap();
        if let Some(released) = line.get("released") {
            let released = released.as_array().unwrap();
            at = released[0]["t"].as_f64().unwrap();
            assert!((at - 0.3).abs() < 1e-8 && time >= at, "{line}");
            assert_eq!(
                (&released[0]["body"], &released[1]["body"]),
                (&json!("ball, thrown"), &json!("crate"))
            );
        } else {
            assert!(time < 0.3, "{line}");
            let x = line["poses"][0][0].as_f64().unwrap();
            assert!((x - (4.0 * time - 1.0)).abs() < 1e-15, "{line}");
            assert_eq!(line["velocities"][0], json!([4.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
        }
    }
    assert!(recording.iter().any(|line| line["t"] == json!(at)), "the release has no line of its own");
    let last = recording.last().unwrap();
    // As a scene it has a single contact, in which both only touch.
    let run = folder.run(&["check", "run.jsonl", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""), "{}", run.stdout);
    let pairs = run.json()[0]["pairs"].clone();
    assert_eq!(pairs.as_array().unwrap().len(), 1, "{pairs}");
    assert_eq!((&pairs[0]["a"], &pairs[0]["b"]), (&json!("ball, thrown"), &json!("crate")));
    let enter = pairs[0]["intervals"][0]["enter"][0].as_f64().unwrap();
    assert!((enter - 0.3).abs() < 1e-8, "{enter}");
    // Resumed before the release and after it.
    let place = recording.iter().position(|line| line.get("released").is_some()).unwrap();
    for number in [2, place + 1] {
        let kept: String = text.split_inclusive('\n').take(number).collect();
        folder.write("cut.jsonl", &kept);
        let run = folder.run(&["simulate", "throw.toml", "--from", "cut.jsonl", "-o", "cut.jsonl"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        let (again, kept) = (folder.read("cut.jsonl"), lines(&kept));
        let again = lines(&again);
        assert_eq!(again[..number], kept);
        assert_eq!(again.len(), recording.len());
        let end = &again[again.len() - 1];
        assert_eq!(end["released"], last["released"], "from line {number}");
        for body in 0..2 {
            let x = |line: &Value| line["poses"][body][0].as_f64().unwrap();
            assert!((x(end) - x(last)).abs() < 1e-6, "from line {number}");
        }
    }
    // As a table, and as a scene whose keyframes differ.
    folder.run(&["simulate", "throw.toml", "--from", "run.jsonl", "-o", "run.csv"]);
    assert!(folder.read("run.csv").contains("\"ball, thrown\","));
    let kept: String = text.split_inclusive('\n').take(4).collect();
    folder.write("cut.jsonl", kept);
    folder.write("other.toml", THROW.replace("[3, 0, 0]", "[4, 0, 0]"));
    folder.run(&["simulate", "other.toml", "--from", "cut.jsonl"]).refused(
        "cut.jsonl: body \"ball, thrown\" is not where its motion has it at 0.1 s: is it of another scene?",
    );
}

#[test]
fn invalid_releases_are_errors_with_body_and_key() {
    let folder = Folder::new();
    let refused = |from: &str, to: &str, reported: &str| {
        assert!(THROW.contains(from), "{from}");
        folder.write("bad.toml", THROW.replace(from, to));
        folder.run(&["simulate", "bad.toml"]).refused(&format!("bad.toml{reported}"));
    };
    refused(
        "mass = 1.0\nrelease = \"contact\"",
        "mass = 1.0",
        ":18: body \"ball, thrown\".mass: found `mass` in a body that has a motion, expected one of them, or \
         `release = \"contact\"` beside both: a body with a motion is keyframed",
    );
    refused(
        "mass = 1.0\n",
        "",
        ":18: body \"ball, thrown\".release: found `release` in a body that has no mass, expected `mass` or `density` beside it",
    );
    refused(
        "mass = 1.0\nrelease = \"contact\"",
        "mass = 1.0\nrelease = \"touch\"",
        ":19: body \"ball, thrown\".release: found \"touch\", expected one of start, contact, never",
    );
    refused(
        "times = [0, 1]",
        "interpolation = \"step\"\ntimes = [0, 0.5]",
        ": motion of body \"ball, thrown\": a motion that jumps, of a body that is dynamic from its first contact on, is not built",
    );
}

#[test]
fn collisions_of_keyframed_bodies_have_suggestions() {
    let folder = Folder::new();
    folder.write("carts.toml", CARTS);
    let run = folder.run(&["simulate", "carts.toml", "--suggest", "-o", "run.jsonl"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let recording = folder.read("run.jsonl");
    for threads in ["1", "3"] {
        let run = folder.run(&[
            "simulate", "carts.toml", "--suggest", "--json", "-o", "other.jsonl", "--threads", threads,
        ]);
        let [suggestion, report] = &run.json()[..] else { panic!("{}", run.stdout) };
        assert_eq!((&suggestion["kind"], &report["verdict"]), (&json!("suggestion"), &json!("unchecked")));
        assert_eq!((&suggestion["a"], &suggestion["b"]), (&json!("cart"), &json!("crate")));
        assert!((suggestion["t"].as_f64().unwrap() - 0.5).abs() < 1e-8);
        let number = |value: &Value| value.as_f64().unwrap();
        assert!((number(&suggestion["impulse"][0]) - 2.25).abs() < 1e-9);
        assert!((number(&suggestion["after"]["b"]["linear"][0]) - 2.25).abs() < 1e-9);
        assert!(suggestion["contacts"].as_array().unwrap().len() >= 3);
        // The option changes no motion.
        assert_eq!(folder.read("other.jsonl"), recording);
    }
    // Off by default; and without any mass.
    let run = folder.run(&["simulate", "carts.toml", "--json"]);
    assert_eq!(run.json().len(), 1);
    folder.write("throw.toml", THROW);
    let run = folder.run(&["simulate", "throw.toml", "--suggest"]);
    assert_eq!(run.status, Some(0));
    assert!(
        run.stderr.contains("found no keyframed body with a mass, expected one at least"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.ends_with("  suggestions 0\n"), "{}", run.stdout);
    let run = folder.run(&["simulate", "carts.toml", "--suggest", "-o", "-"]);
    run.refused("standard output: found both --suggest and -o -, expected one: the recording goes to a file");
}

#[test]
fn the_page_has_the_suggestions_of_the_report() {
    let folder = Folder::new();
    folder.write("carts.toml", CARTS);
    let reported = folder.run(&["simulate", "carts.toml", "--suggest", "--json", "-o", "run.jsonl"]).json();
    if page::html().is_err() {
        return;
    }
    // For the scene, and for a shorter recording of it.
    let run: String = folder.read("run.jsonl").split_inclusive('\n').take(70).collect();
    folder.write("run.jsonl", run);
    for file in ["carts.toml", "run.jsonl"] {
        assert_eq!(folder.run(&["check", file, "--html", "page.html"]).status, Some(1));
        let data = page_data(&folder.read("page.html"));
        let suggested = &data["suggested"];
        let [own] = &suggested["list"].as_array().unwrap()[..] else { panic!("{suggested}") };
        assert_eq!(
            (&own["t"], &own["pair"], &suggested["left_out"]),
            (&reported[0]["t"], &json!([1, 2]), &json!(0))
        );
        assert_eq!(
            own["places"].as_array().unwrap().len(),
            reported[0]["contacts"].as_array().unwrap().len()
        );
        let six = |side: &str| {
            let velocity = &reported[0]["after"][side];
            [&velocity["linear"], &velocity["angular"]]
                .map(|three| three.as_array().unwrap().clone())
                .concat()
        };
        assert_eq!(own["after"], json!([six("a"), six("b")]));
        // It starts at the report's contact: with another duration, up to rounding.
        let contact =
            data["report"]["pairs"].as_array().unwrap().iter().find(|pair| pair["b"] == "crate").unwrap();
        let [enter, t] =
            [&contact["intervals"][0]["enter"][0], &own["t"]].map(|value| value.as_f64().unwrap());
        assert!(if file == "carts.toml" { enter == t } else { (enter - t).abs() < 1e-12 }, "{enter} and {t}");
    }
    // Without a mass of a keyframed body there are no suggestions.
    folder.write("throw.toml", THROW);
    folder.run(&["check", "throw.toml", "--html", "page.html"]);
    assert!(page_data(&folder.read("page.html"))["suggested"].is_null());
    // Without a computable impulse the page is still written.
    folder.write("open.toml", CARTS.replace("mass = 1\n", "mass = 1\ncenter = [0, 0, 1e80]\n"));
    let run = folder.run(&["check", "open.toml", "--html", "page.html"]);
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.starts_with("chasles: warning: open.toml: center of body \"crate\""),
        "{}",
        run.stderr
    );
    assert!(run.stderr.ends_with(": no impulses are suggested\n"), "{}", run.stderr);
    assert!(page_data(&folder.read("page.html"))["suggested"].is_null());
}

#[test]
fn a_recording_lists_released_bodies() {
    let folder = Folder::new();
    folder.write("throw.toml", THROW);
    folder.run(&["simulate", "throw.toml", "-o", "run.jsonl"]);
    let info = folder.run(&["info", "run.jsonl"]);
    let rows = "released              ball, thrown: keyframed until 0.3 s, dynamic since\n\
                released              crate: keyframed until 0.3 s, dynamic since\n";
    assert!(info.stdout.contains(rows), "{}", info.stdout);
    let released = folder.run(&["info", "run.jsonl", "--json"]).json()[0]["released"].clone();
    let last = lines(&folder.read("run.jsonl")).pop().unwrap();
    assert_eq!(released, last["released"]);
    if page::html().is_ok() {
        folder.run(&["check", "run.jsonl", "--html", "page.html"]);
        let data = page_data(&folder.read("page.html"));
        let t = &last["released"][0]["t"];
        assert_eq!(data["recording"]["releases"], json!([{ "body": 1, "t": t }, { "body": 2, "t": t }]));
    }
    // In a run that ended before, they still wait.
    let kept: String = folder.read("run.jsonl").split_inclusive('\n').take(4).collect();
    folder.write("run.jsonl", kept);
    let info = folder.run(&["info", "run.jsonl"]);
    assert!(
        info.stdout.contains("released              crate: keyframed until the end\n"),
        "{}",
        info.stdout
    );
    let waits = json!([{ "body": "ball, thrown", "t": null }, { "body": "crate", "t": null }]);
    assert_eq!(folder.run(&["info", "run.jsonl", "--json"]).json()[0]["released"], waits);
    // Without waiting bodies there is no such line.
    folder.write("carts.toml", CARTS);
    assert!(!folder.run(&["info", "carts.toml"]).stdout.contains("released"));
}
