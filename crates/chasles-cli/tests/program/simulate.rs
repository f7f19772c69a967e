//! `chasles simulate`: its output and recordings, refused input, and recordings as scenes.

use serde_json::json;

use crate::support::Folder;

/// A ball above a floor.
const SCENE: &str = r#"format = 1
duration = 0.5

[simulation]
gravity = [0, 0, -9.81]
step = 0.01
record = 0.1

[[body]]
name = "floor"
box = [2, 2, 1]
pose = { position = [0, 0, -0.5] }

[[body]]
name = "ball"
sphere = 0.1
mass = 1.0
elasticity = 0.5
pose = { position = [0, 0, 1] }
"#;

const HEAD: &str =
    r#"{"format":1,"kind":"recording","scene":"drop.toml","duration":0.5,"depth":0.0001,"bodies":["ball"]}"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("drop.toml", SCENE);
    folder
}

/// A recording of the scene in which the ball is at these heights at these times.
fn recording(heights: &[(f64, f64)]) -> String {
    let lines = heights.iter().map(|(time, height)| {
        format!(
            r#"{{"t":{time},"poses":[[0,0,{height},1,0,0,0]],"velocities":[[0,0,0,0,0,0]],"contacts":[],"energy":{{"kinetic":0,"potential":0,"dissipated":0}}}}"#
        )
    });
    [HEAD.to_owned()].into_iter().chain(lines).map(|line| line + "\n").collect()
}

#[test]
fn the_summary_is_a_table_or_json() {
    let folder = folder();
    let run = folder.run(&["simulate", "drop.toml"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let words: Vec<_> = run.stdout.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(
        words,
        ["drop.toml:", "time", "steps", "records", "impulses", "deepest", "energy", "dissipated"]
    );
    assert!(run.stdout.starts_with("drop.toml: unchecked\n"), "{}", run.stdout);
    let run = folder.run(&["simulate", "drop.toml", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let reported = &run.json()[0];
    assert_eq!(
        (&reported["format"], &reported["verdict"], &reported["duration"]),
        (&json!(1), &json!("unchecked"), &json!(0.5))
    );
    assert!(
        reported["deepest"].is_null() && reported["steps"].is_u64() && reported["energy"]["start"].is_f64(),
        "{reported}"
    );
}

#[test]
fn a_recording_goes_to_a_file_or_to_standard_output() {
    let folder = folder();
    folder.write("run.jsonl", "of yesterday");
    let run = folder.run(&["simulate", "drop.toml", "-o", "run.jsonl"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.ends_with("  recording   run.jsonl\n"), "{}", run.stdout);
    let written = folder.read("run.jsonl");
    assert!(written.starts_with(&format!("{HEAD}\n")) && written.ends_with("}\n"), "{written}");
    assert_eq!(folder.names(), ["drop.toml", "run.jsonl"]);
    let run = folder.run(&["simulate", "drop.toml", "-o", "-"]);
    assert_eq!((run.status, run.stdout, run.stderr.as_str()), (Some(0), written.clone(), ""));
    for threads in ["1", "3"] {
        let run = folder.run(&["simulate", "drop.toml", "-o", "other.jsonl", "--json", "--threads", threads]);
        assert_eq!((run.status, run.json().len(), folder.read("other.jsonl")), (Some(0), 1, written.clone()));
    }
}

#[test]
fn invalid_scenes_are_errors_and_keep_old_files() {
    let folder = folder();
    folder.write("run.jsonl", recording(&[(0.0, 1.0), (0.5, 0.5)]));
    let before = folder.read("run.jsonl");
    let run = |scene: &str| folder.run(&["simulate", scene, "-o", "run.jsonl"]);
    folder.write("bad.toml", SCENE.replace("elasticity = 0.5", "elasticity = 1.5"));
    run("bad.toml")
        .refused("bad.toml:18: body \"ball\".elasticity: found 1.5, expected a number from 0 to 1");
    folder.write("bad.toml", SCENE.replace("mass = 1.0", ""));
    run("bad.toml").refused(
        "bad.toml: found no dynamic body, expected one with `mass` or `density` at least: nothing else moves by itself",
    );
    run("gone.toml").refused("gone.toml: cannot be read: No such file or directory (os error 2)");
    run("run.jsonl").refused(
        "run.jsonl: found a recording, expected the scene that it names: chasles view plays recordings",
    );
    folder.write("arm.urdf", "<robot name='x'/>");
    run("arm.urdf").refused("arm.urdf: found a file without masses, expected a scene in TOML");
    assert_eq!(folder.read("run.jsonl"), before);

    let run = folder.run(&["simulate", "drop.toml", "-o", "./drop.toml"]);
    run.refused("./drop.toml: is a file of the scene, which is never overwritten");
    assert_eq!(folder.read("drop.toml"), SCENE);
    let run = folder.run(&["simulate", "drop.toml", "-o", "-", "--json"]);
    run.refused("standard output: found both --json and -o -, expected one: the recording goes to a file");
    let run = folder.run(&["simulate", "drop.toml", "-o", "gone/run.jsonl"]);
    run.refused("gone/run.jsonl: cannot be written: No such file or directory (os error 2)");
}

#[test]
fn doubtful_scenes_are_simulated_with_warnings() {
    let folder = folder();
    folder.write("drop.toml", SCENE.replace("mass = 1.0", "mass = 1.0\ninertia = [1, 1, 3]"));
    let warning = "chasles: warning: drop.toml:18: body \"ball\".inertia: no body has this inertia: one principal moment is greater than \
                   the sum of the others\n";
    for command in ["simulate", "check"] {
        let run = folder.run(&[command, "drop.toml"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), warning));
    }
}

#[test]
fn a_recording_is_a_scene() {
    let folder = folder();
    // It falls from 1 m until it is halfway in the floor.
    folder.write("run.jsonl", recording(&[(0.0, 1.0), (0.25, 0.5), (0.5, 0.0)]));
    let run = folder.run(&["check", "run.jsonl", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let report = &run.json()[0];
    assert_eq!(
        (&report["duration"], &report["bodies"], &report["verdict"]),
        (&json!(0.5), &json!(2), &json!("contact"))
    );
    let enter = report["pairs"][0]["intervals"][0]["enter"][0].as_f64().unwrap();
    assert!((enter - 0.45).abs() < 1e-6, "{enter}");
    let run = folder.run(&["info", "run.jsonl", "--json"]);
    assert_eq!((run.status, &run.json()[0]["duration"]), (Some(0), &json!(0.5)));
    // The masses are those of the bodies of its scene, dynamic or not.
    let bodies = |file: &str| {
        let run = folder.run(&["info", file, "--json", "--density", "1000"]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        run.json()[0]["bodies"].clone()
    };
    let weighed = bodies("run.jsonl");
    assert_eq!(weighed, bodies("drop.toml"));
    assert_eq!(weighed[0]["mass"]["mass"], json!(4000.0));

    folder.write("run.jsonl", recording(&[(0.0, 1.0), (0.25, 0.5)]));
    let run = folder.run(&["check", "run.jsonl"]);
    let warning =
        "chasles: warning: run.jsonl: the recording ends at 0.25 s of 0.5 s: it is checked until there\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), warning));
    folder.write("run.jsonl", recording(&[(0.0, 1.0), (0.25, 0.5)]).replace("[0,0,0.5,1,", "[0,0,null,1,"));
    let run = folder.run(&["check", "run.jsonl"]);
    run.refused("run.jsonl:3: poses[0][2]: found null, expected a finite number");
    folder.write("run.jsonl", recording(&[(0.0, 1.0), (0.5, 1.0)]).replace("drop", "gone"));
    let run = folder.run(&["check", "run.jsonl"]);
    run.refused("run.jsonl:1: scene: found \"gone.toml\", expected the scene of the recording: gone.toml is not there");
    folder.write("problems.jsonl", "{\"name\":\"p1\"}\n");
    let run = folder.run(&["check", "problems.jsonl"]);
    assert!(
        run.stderr.contains("problems.jsonl:1: kind: the key is missing, expected `\"kind\":\"recording\"`"),
        "{run:?}"
    );
}

#[test]
fn help_has_examples_and_formats() {
    let run = Folder::new().run(&["simulate", "--help"]);
    for word in [
        "SCENES\n", "RECORDINGS", "THE REPORT", "EXIT STATUS", "EXAMPLES", "elasticity", "crushed", "--check",
    ] {
        assert!(run.stdout.contains(word), "{word} is not in\n{}", run.stdout);
    }
    let columns = run.stdout.split("EXAMPLES").next().unwrap().lines().map(|line| line.chars().count()).max();
    assert!(columns < Some(121), "{columns:?}");
}
