//! `chasles check`: verdicts, times by formula, places in the world, the table, the exit status.

use crate::support::{Folder, Run};
use serde_json::Value;

/// A cube of one metre at the origin.
const BLOCK: &str = "[[body]]\nname = 'block'\nbox = [1, 1, 1]\n";

/// A cube of half a metre with a motion.
fn cart(lines: &str) -> String {
    format!("[[body]]\nname = 'cart'\nbox = [0.5, 0.5, 0.5]\n{lines}\n")
}

fn run(duration: f64, bodies: &[&str], args: &[&str]) -> Run {
    let folder = Folder::new();
    folder.write("scene.toml", format!("format = 1\nduration = {duration:?}\n{}", bodies.concat()));
    folder.run(&[&["check", "scene.toml"], args].concat())
}

#[track_caller]
fn report(duration: f64, bodies: &[&str]) -> Value {
    let run = run(duration, bodies, &["--json"]);
    assert_eq!(run.stderr, "");
    run.json().remove(0)
}

/// The times in an enclosure; `None` for an exit of null.
fn span(value: &Value) -> Option<[f64; 2]> {
    value.as_array().map(|span| [span[0].as_f64().unwrap(), span[1].as_f64().unwrap()])
}

#[track_caller]
fn assert_holds(value: &Value, time: f64, width: f64) {
    let [lo, hi] = span(value).expect("an enclosure");
    assert!(lo <= time + 1e-12 && time <= hi + 2e-9 && hi - lo <= width, "[{lo}, {hi}] for {time}");
}

/// The only pair is in contact in these intervals, each with narrow enclosures.
#[track_caller]
fn assert_intervals(report: &Value, expected: &[(f64, Option<f64>)]) {
    let [pair] = &report["pairs"].as_array().unwrap()[..] else { panic!("one pair: {report}") };
    let intervals = pair["intervals"].as_array().unwrap();
    assert_eq!(intervals.len(), expected.len(), "{report}");
    for (interval, (enter, exit)) in intervals.iter().zip(expected) {
        assert_holds(&interval["enter"], *enter, 1e-8);
        match exit {
            // The exit is enclosed until the gap exceeds the tolerance.
            Some(exit) => {
                let [lo, hi] = span(&interval["exit"]).expect("an exit");
                assert!(lo <= exit + 1e-8 && *exit <= hi + 1e-12 && hi - lo < 1e-8, "{interval} for {exit}");
            }
            None => assert_eq!(interval["exit"], Value::Null),
        }
    }
}

#[test]
fn the_table_of_a_cart_through_a_block_is_exact() {
    // Faces at 0.5 and 0.25: they meet at x = 0.75 and separate at -0.75, at 4 m/s from x = 2.75.
    let cart = cart(
        "pose = { position = [2.75, 0.4, 0.2] }\n[body.motion]\nkind = 'twist'\nlinear = [-4, 0, 0]\nangular = [0, 0, 0]",
    );
    let report = report(2.0, &[BLOCK, &cart]);
    assert_intervals(&report, &[(0.5, Some(0.875))]);
    let keys: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let first = ["format", "verdict", "duration", "bodies", "pairs_tested"];
    let then = ["pairs_standing", "pairs_exempt", "contacts_at_start", "tolerance", "warnings", "pairs"];
    let mut expected = [&first[..], &then, &["assembled", "static_overlaps"]].concat();
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!((&report["format"], &report["verdict"]), (&1.into(), &"contact".into()));
    assert_eq!((&report["duration"], &report["bodies"]), (&2.0.into(), &2.into()));
    assert_eq!(report["pairs_tested"], 1);
    assert!((report["tolerance"].as_f64().unwrap() - 3_f64.sqrt() * 1e-9).abs() < 1e-20);
    let pair = &report["pairs"][0];
    assert_eq!((&pair["a"], &pair["b"]), (&"block".into(), &"cart".into()));
    assert_eq!((&pair["gap"], &pair["deviation"]), (&0.0.into(), &0.0.into()));
    assert!(pair.get("why").is_none() && pair.get("clear_until").is_none());
    let contact = &pair["intervals"][0]["contact"];
    assert_eq!(contact["touching"], false);
    assert!((contact["point"][0].as_f64().unwrap() - 0.5).abs() < 1e-8);
    assert!((contact["normal"][0].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert!((contact["approach_speed"].as_f64().unwrap() - 4.0).abs() < 1e-9);
    assert_eq!(contact["screw"]["moving"], "cart");
    assert_eq!(contact["screw"]["point"], Value::Null);
    assert!((contact["screw"]["slide"].as_f64().unwrap() - 8.0).abs() < 1e-12);
}

#[test]
fn overlap_touch_and_clear_have_their_exit_status() {
    let at = |x: f64, speed: f64| {
        let motion =
            format!("[body.motion]\nkind = 'twist'\nlinear = [{speed:?}, 0, 0]\nangular = [0, 0, 0]");
        cart(&format!("pose = {{ position = [{x:?}, 0, 0] }}\n{motion}"))
    };
    for (cart, verdict, status) in [
        (at(0.6, 1.0), "overlapping", 1),
        (at(0.75, 1.0), "contact", 1),
        (at(2.0, -1.0), "contact", 1),
        (at(2.0, 1.0), "clear", 0),
        (at(0.751, 0.0), "clear", 0),
    ] {
        let run = run(1.5, &[BLOCK, &cart], &["--json"]);
        let report = &run.json()[0];
        assert_eq!((&report["verdict"], run.status), (&verdict.into(), Some(status)), "{report}");
        let listed = report["pairs"].as_array().unwrap().len();
        assert_eq!(listed, usize::from(verdict != "clear"));
        if verdict == "overlapping" || cart.contains("[0.75,") {
            assert_eq!(report["pairs"][0]["intervals"][0]["enter"], serde_json::json!([0.0, 0.0]));
            assert!(report["pairs"][0]["intervals"][0].get("contact").is_none());
        }
    }
    // With a budget of one step the report is undecided.
    let undecided = run(1.5, &[BLOCK, &at(2.0, -1.0)], &["--json", "--budget", "1"]);
    let report = &undecided.json()[0];
    assert_eq!((&report["verdict"], undecided.status), (&"undecided".into(), Some(3)));
    assert!(report["pairs"][0]["why"].as_str().unwrap().starts_with("budget: "));
    assert!(report["pairs"][0]["clear_until"].as_f64().unwrap() <= 1.25);
}

#[test]
fn filters_attached_bodies_and_all_pairs() {
    let bodies = "\
        [[body]]\nname = 'tool'\nbox = [1, 1, 1]\nparent = 'hand'\npose = { position = [0, 0, -0.8] }\ngroup = 'arm'\n\
        [[body]]\nname = 'hand'\nbox = [1, 1, 1]\ngroup = 'arm'\npose = { position = [0, 0, 5] }\n\
        [body.motion]\nkind = 'twist'\nlinear = [0, 0, -1]\nangular = [0, 0, 0]\n\
        [[body]]\nname = 'lamp'\nbox = [0.1, 0.1, 0.1]\nparent = 'hand'\n\
        [[body]]\nname = 'table'\nbox = [9, 9, 1]\npose = { position = [0, 0, -0.5] }\n\
        [[body]]\nname = 'cup'\nbox = [1, 1, 1]\npose = { position = [0, 0, 1] }\nparent = 'table'\n";
    let run = |more: &str, args: &[&str]| {
        let run = run(4.0, &[bodies, more], &[&["--json"], args].concat());
        run.json().remove(0)
    };
    let names = |report: &Value| {
        let pairs = report["pairs"].as_array().unwrap().iter();
        pairs.map(|p| format!("{}-{} {}", p["a"], p["b"], p["verdict"]).replace('"', "")).collect::<Vec<_>>()
    };
    // Tool, lamp and hand are rigidly joined, and so are table and cup.
    let report = run("", &[]);
    assert_eq!(report["pairs_tested"], 6);
    let met = ["tool-table contact", "tool-cup contact", "hand-cup contact", "lamp-cup contact"];
    assert_eq!(names(&report), met);
    // The tool's underside is 3.7 above the table, 2.7 above the cup, in the frame of the rider's carrier.
    assert_holds(&report["pairs"][0]["intervals"][0]["enter"], 3.7, 1e-7);
    assert_holds(&report["pairs"][1]["intervals"][0]["enter"], 2.7, 1e-7);
    assert_eq!(report["pairs"][1]["intervals"][0]["contact"]["screw"]["moving"], "tool");

    let ignored =
        run("[[ignore]]\npair = ['cup', 'tool']\n[[ignore]]\npair = ['*', 'hand']\n", &["--all-pairs"]);
    assert_eq!(ignored["pairs_tested"], 3);
    assert_eq!(names(&ignored), ["tool-table contact", "lamp-table clear", "lamp-cup contact"]);
    let nothing = run("[[ignore]]\npair = ['*', '*']\n", &["--all-pairs"]);
    assert_eq!((&nothing["pairs_tested"], &nothing["verdict"]), (&0.into(), &"clear".into()));
}

#[test]
fn meshes_are_scaled_and_shared() {
    let folder = Folder::new();
    folder.write(
        "parts/tetra.obj",
        "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n",
    );
    let bodies = "[[body]]\nname = 'a'\nmesh = 'parts/tetra.obj'\nscale = 0.1\n\
        [[body]]\nname = 'b'\nmesh = 'parts/tetra.obj'\nscale = 0.2\n\
        pose = { position = [0.2, 0.2, 3], rotation = [0, 1, 0, 0] }\n\
        [body.motion]\nkind = 'twist'\nlinear = [0, 0, -0.5]\nangular = [0, 0, 0]\n";
    folder.write("scene.toml", format!("format = 1\nduration = 4\n{bodies}"));
    let report = &folder.run(&["check", "scene.toml", "--json"]).json()[0];
    // B hangs upside down, its tip 2 below (0.2, 0.2), over a's face x + y + z = 1 at height 0.6: 0.4 lower.
    assert_holds(&report["pairs"][0]["intervals"][0]["enter"], 0.8, 1e-7);
    let contact = &report["pairs"][0]["intervals"][0]["contact"];
    assert_eq!(
        (&contact["kind"], &contact["a"], &contact["b"]),
        (&"face-vertex".into(), &[2].into(), &[3].into())
    );
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let mut bodies = String::new();
    for i in 0..40 {
        let (x, y) = (f64::from(i % 8), f64::from(i / 8));
        let shape = ["box = [0.6, 0.5, 0.9]", "sphere = 0.4", "cone = { radius = 0.4, height = 0.9 }"]
            [i as usize % 3];
        bodies += &format!("[[body]]\nname = 'b{i}'\n{shape}\npose = {{ position = [{x:?}, {y:?}, 0] }}\n");
    }
    bodies += "[[body]]\nname = 'sweeper'\nbox = [0.3, 5, 0.3]\n[body.motion]\nkind = 'screw'\naxis = [0.1, 0.2, 1]\n\
               point = [4, 2, 0]\nslide = 0.4\nangle = 9\n";
    let runs = ["1", "2", "8"].map(|threads| {
        let json = run(3.0, &[&bodies], &["--json", "--all-pairs", "--threads", threads]);
        let text = run(3.0, &[&bodies], &["--threads", threads]);
        (json, text)
    });
    assert_eq!(runs[0].0.json()[0]["pairs"].as_array().unwrap().len(), 40);
    assert_eq!(runs[0].0.status, Some(1));
    assert!(runs[1] == runs[0] && runs[2] == runs[0]);
    assert!(runs[0].1.stdout.lines().all(|line| line.chars().count() <= 100), "{}", runs[0].1.stdout);
}

#[test]
fn help_has_examples_and_formats() {
    let folder = Folder::new();
    let run = folder.run(&["check", "--help"]);
    assert_eq!(run.status, Some(0));
    for words in [
        "EXAMPLES", "EXIT STATUS", "--all-pairs", "[[ignore]]", "undecided", "near", "solid", "clearance",
        "\"linear\"", "\"step\"", "twist", "--csv", "--junit", "--at", "--watch", "--threads",
        "gap_at_least", "Ctrl-C", "ROBOT.urdf --path PATH.csv", "JointTrajectory", "--clearance-file",
    ] {
        assert!(run.stdout.contains(words), "{words}");
    }
    assert!(!run.stdout.contains("not supported"));
    assert!(folder.run(&["check", "-h"]).stdout.lines().count() < 70);
}

/// The scene in the help is valid.
#[test]
fn the_scene_in_the_help_is_a_scene() {
    let folder = Folder::new();
    let help = folder.run(&["check", "--help"]).stdout;
    let (_, scene) = help.split_once("SCENES\n").unwrap();
    let (scene, _) = scene.split_once("\nMOTIONS\n").unwrap();
    folder.write("scene.toml", format!("{scene}\n[[body]]\nname = 'arm'\nsphere = 0.1\n"));
    folder.write("gripper.stl", "solid g\n");
    let run = folder.run(&["check", "scene.toml"]);
    assert!(run.status == Some(2) && run.stderr.contains("gripper.stl"), "{}", run.stderr);
    let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]].map(|face| {
        let corner = |i: usize| ["0 0 0", "1 0 0", "0 1 0", "0 0 1"][i];
        let [a, b, c] = face.map(corner);
        format!("facet normal 0 0 0\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet\n")
    });
    folder.write("gripper.stl", format!("solid g\n{}endsolid\n", tetrahedron.concat()));
    let run = folder.run(&["check", "scene.toml", "--json"]);
    assert!(run.status.is_some_and(|status| status != 2), "{}", run.stderr);
    assert_eq!((&run.json()[0]["bodies"], &run.json()[0]["clearance"]), (&3.into(), &0.01.into()));
}
