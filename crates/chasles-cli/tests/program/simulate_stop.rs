//! `chasles simulate`: Ctrl-C, and runs that are killed. Real processes and real signals.

#![cfg(target_os = "linux")]

use std::io::Read as _;
use std::process::Stdio;

use serde_json::json;

use crate::running::{Running, ended, takes_signals, works_on};
use crate::support::{Folder, awaited};

/// A ball that flies for a day.
const SCENE: &str = "format = 1\nduration = 86400\n[[body]]\nname = 'ball'\nsphere = 0.1\nmass = 1\n\
    velocity = { linear = [0.001, 0, 0] }\n[[body]]\nname = 'post'\nbox = [1, 1, 1]\npose = { position = [0, 9, 0] }\n";

/// Starts a simulation and waits until a few times are recorded.
fn start(folder: &Folder, output: &str) -> Running {
    folder.write("fly.toml", SCENE);
    let args = ["simulate", "fly.toml", "-o", output, "--json", "--threads", "1"];
    let running = Running::start(folder, &args, Stdio::null());
    takes_signals(&running.0);
    awaited("lines of the recording", || {
        let text = std::fs::read_to_string(folder.path(output)).unwrap_or_default();
        (text.lines().count() > 5).then_some(())
    });
    running
}

#[test]
fn ctrl_c_ends_the_simulation_and_keeps_the_recording() {
    let folder = Folder::new();
    let mut running = start(&folder, "run.jsonl");
    running.interrupt();
    assert_eq!(ended(&mut running.0), Some(3));
    let (mut stdout, mut stderr) = (String::new(), String::new());
    running.0.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    running.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let reported: serde_json::Value = serde_json::from_str(&stdout).expect(&stdout);
    assert_eq!(
        (&reported["verdict"], &reported["why"]),
        (&json!("undecided"), &json!("the simulation was stopped"))
    );
    let time = reported["time"].as_f64().unwrap();
    assert!(stderr.ends_with(" s; the recording so far is in run.jsonl\n"), "{stderr}");
    assert!(stderr.contains("chasles: fly.toml: stopped at "), "{stderr}");

    let text = folder.read("run.jsonl");
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((last["t"].as_f64(), text.ends_with("}\n")), (Some(time), true));
    let run = folder.run(&["check", "run.jsonl", "--json"]);
    assert_eq!((run.status, run.json()[0]["duration"].as_f64()), (Some(0), Some(time)));
    assert!(run.stderr.contains("run.jsonl: the recording ends at "), "{}", run.stderr);
}

#[test]
fn ctrl_c_leaves_complete_rows_of_a_table() {
    let folder = Folder::new();
    let mut running = start(&folder, "run.csv");
    running.interrupt();
    assert_eq!(ended(&mut running.0), Some(3));
    let mut stderr = String::new();
    running.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(stderr.ends_with(" s; the recording so far is in run.csv\n"), "{stderr}");
    let text = folder.read("run.csv");
    assert!(text.ends_with('\n') && text.lines().count() > 5);
    assert!(text.lines().all(|row| row.split(',').count() == 15), "{text}");
}

#[test]
fn a_stopped_run_keeps_its_recording() {
    let folder = Folder::new();
    let mut running = start(&folder, "run.jsonl");
    running.0.kill().unwrap();
    running.0.wait().unwrap();
    let run = folder.run(&["check", "run.jsonl"]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("run.jsonl: the recording ends at "), "{}", run.stderr);
}

#[test]
fn ctrl_c_leaves_a_complete_animation() {
    let folder = Folder::new();
    folder.write("fly.toml", SCENE);
    folder.write("run.glb", "of yesterday");
    let args = ["simulate", "fly.toml", "-o", "run.glb", "--threads", "1"];
    let mut running = Running::start(&folder, &args, Stdio::null());
    takes_signals(&running.0);
    works_on(&running.0, 0, 20);
    assert_eq!(folder.read("run.glb"), "of yesterday");
    running.interrupt();
    assert_eq!(ended(&mut running.0), Some(3));
    let info = folder.run(&["info", "run.glb", "--json"]);
    assert_eq!((info.status, &info.json()[0]["animations"]), (Some(0), &json!(["fly.toml"])));
    assert_eq!(folder.names(), ["fly.toml", "run.glb"]);
}

#[test]
fn ctrl_c_leaves_complete_pictures_of_a_film() {
    let folder = Folder::new();
    folder.write("fly.toml", SCENE);
    let args = ["render", "fly.toml", "-o", "film", "--frames", "5000", "--size", "64x48"];
    let mut running = Running::start(&folder, &args, Stdio::null());
    takes_signals(&running.0);
    let names = || {
        let entries = std::fs::read_dir(folder.path("film")).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    };
    awaited("pictures", || (names().len() > 20).then_some(()));
    running.interrupt();
    assert_eq!(ended(&mut running.0), Some(2));
    let mut stderr = String::new();
    running.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let pictures = names();
    let reported =
        format!("chasles: stopped: {} of 5000 pictures are in film, each of them whole\n", pictures.len());
    assert!(stderr.ends_with(&reported), "{stderr}");
    for picture in pictures {
        let bytes = std::fs::read(&picture).unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n") && bytes.ends_with(b"IEND\xaeB`\x82"), "{picture:?}");
    }
}
