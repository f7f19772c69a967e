//! `chasles jog` and `chasles pairs`: Ctrl-C. Real processes and real signals.

#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::Receiver;

use chasles_testing::robots::SPINNER;
use serde_json::Value;

use crate::running::{Running, ended, lines, takes_signals, worked, works_on};
use crate::support::{Folder, PATIENCE};

/// The program with its input and output.
struct Jogging {
    program: Running,
    input: ChildStdin,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

impl Jogging {
    fn start(folder: &Folder, args: &[&str]) -> Self {
        let mut program = Running::start(folder, args, Stdio::piped());
        let child = &mut program.0;
        let (stdout, stderr) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        Self { input: child.stdin.take().unwrap(), stdout, stderr, program }
    }

    fn send_line(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn answer(&self) -> Value {
        serde_json::from_str(&self.stdout.recv_timeout(PATIENCE).unwrap()).unwrap()
    }
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("spinner.urdf", SPINNER);
    folder
}

#[test]
fn ctrl_c_refuses_the_move_that_is_being_proven() {
    let folder = folder();
    let mut running = Jogging::start(&folder, &["jog", "spinner.urdf", "--json"]);
    running.send_line("tilt = 1");
    assert_eq!(running.answer()["outcome"], "done");
    // It waits without using processor time: from now on the time is for the next move.
    let before = worked(&running.program.0);
    running.send_line("spin += 1.1e6, tilt += 1e6\nsave after.csv");
    works_on(&running.program.0, before, 40);
    running.program.interrupt();
    assert_eq!(
        running.stderr.recv_timeout(PATIENCE).unwrap(),
        "chasles: stopping this move; Ctrl-C once more ends at once"
    );
    let answer = running.answer();
    assert_eq!((&answer["outcome"], &answer["joints"]["spin"]), (&"refused".into(), &0.0.into()), "{answer}");
    assert_eq!(answer["pairs"][0]["verdict"], "undecided");
    assert!(answer["pairs"][0]["why"].as_str().unwrap().starts_with("stopped: "), "{answer}");
    // The remaining lines of a script assume another configuration.
    assert_eq!(
        (ended(&mut running.program.0), folder.names()),
        (Some(1), vec![String::from("spinner.urdf")])
    );
}

#[test]
fn ctrl_c_ends_a_program_that_waits() {
    let folder = folder();
    let mut running = Jogging::start(&folder, &["jog", "spinner.urdf", "--json"]);
    running.send_line("tilt = 1");
    // A move has ended when it is reported.
    running.answer();
    running.program.interrupt();
    assert_eq!(ended(&mut running.program.0), Some(130));
}

#[test]
fn ctrl_c_ends_pairs_without_an_answer() {
    let folder = folder();
    folder.write("spin.csv", "time,tilt,spin\n0,0,0\n1,1e6,1.1e6\n");
    for more in [&["--postures", "50000000"][..], &["--postures", "10", "--path", "spin.csv"]] {
        let args = [&["pairs", "spinner.urdf", "--write", "out.srdf"], more].concat();
        let mut running = Jogging::start(&folder, &args);
        takes_signals(&running.program.0);
        works_on(&running.program.0, worked(&running.program.0), 60);
        running.program.interrupt();
        let output: Vec<String> = running.stderr.iter().collect();
        assert_eq!(ended(&mut running.program.0), Some(2), "{output:?}");
        assert!(output.last().unwrap().starts_with("chasles: stopped before all "), "{output:?}");
        assert_eq!(running.stdout.iter().count(), 0);
        assert_eq!(folder.names(), ["spin.csv", "spinner.urdf"]);
    }
}
