//! `chasles simulate`: Ctrl-C, and runs that are ended. Real processes and real signals.

#![cfg(target_os = "linux")]

use std::io::Read as _;
use std::process::Stdio;

use serde_json::json;

use crate::running::{Running, ended, takes_signals};
use crate::support::{Folder, awaited};

/// A ball that flies on for a day.
const SCENE: &str = "format = 1\nduration = 86400\n[[body]]\nname = 'ball'\nsphere = 0.1\nmass = 1\n\
    velocity = { linear = [0.001, 0, 0] }\n[[body]]\nname = 'post'\nbox = [1, 1, 1]\npose = { position = [0, 9, 0] }\n";

/// Starts a simulation and waits until a few times are recorded.
fn start(folder: &Folder) -> Running {
    folder.write("fly.toml", SCENE);
    let args = ["simulate", "fly.toml", "-o", "run.jsonl", "--json", "--threads", "1"];
    let running = Running::start(folder, &args, Stdio::null());
    takes_signals(&running.0);
    awaited("lines of the recording", || {
        let text = std::fs::read_to_string(folder.path("run.jsonl")).unwrap_or_default();
        (text.lines().count() > 5).then_some(())
    });
    running
}

#[test]
fn ctrl_c_ends_the_simulation_and_the_recording_so_far_stands() {
    let folder = Folder::new();
    let mut running = start(&folder);
    running.interrupt();
    assert_eq!(ended(&mut running.0), Some(3));
    let (mut stdout, mut stderr) = (String::new(), String::new());
    running.0.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    running.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let told: serde_json::Value = serde_json::from_str(&stdout).expect(&stdout);
    assert_eq!((&told["verdict"], &told["why"]), (&json!("undecided"), &json!("the simulation was stopped")));
    let time = told["time"].as_f64().unwrap();
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
fn a_run_that_is_ended_leaves_its_recording() {
    let folder = Folder::new();
    let mut running = start(&folder);
    running.0.kill().unwrap();
    running.0.wait().unwrap();
    let run = folder.run(&["check", "run.jsonl"]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("run.jsonl: the recording ends at "), "{}", run.stderr);
}
