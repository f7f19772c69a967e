//! `chasles jog` and `chasles pairs`: Ctrl-C. Real processes and real signals.

#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

use crate::support::{Folder, PATIENCE, ended, takes_signals, worked, works_on};

/// A needle that turns about two axes, within a ball that only just keeps clear of a bar: it takes very long to prove that of
/// millions of turns.
const SPINNER: &str = r#"<robot name="spinner">
  <link name="base"><collision><origin xyz="0.37 0.37 0"/><geometry><box size="0.01 0.01 1"/></geometry></collision></link>
  <link name="hub"/>
  <link name="needle"><collision><geometry><box size="1 0.01 0.01"/></geometry></collision></link>
  <joint name="tilt" type="continuous"><parent link="base"/><child link="hub"/><axis xyz="0 0 1"/></joint>
  <joint name="spin" type="continuous"><parent link="hub"/><child link="needle"/><axis xyz="0 1 0"/></joint>
</robot>"#;

/// The program, running; ended with the test, whatever happens.
struct Running {
    child: Child,
    input: ChildStdin,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

impl Running {
    fn start(folder: &Folder, args: &[&str]) -> Self {
        let mut command = folder.program(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (stdout, stderr) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        Self { input: child.stdin.take().unwrap(), stdout, stderr, child }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn answer(&self) -> Value {
        serde_json::from_str(&self.stdout.recv_timeout(PATIENCE).unwrap()).unwrap()
    }

    fn interrupt(&self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already, unless the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines() {
            if sender.send(line.unwrap()).is_err() {
                return;
            }
        }
    });
    lines
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("spinner.urdf", SPINNER);
    folder
}

#[test]
fn ctrl_c_refuses_the_move_that_is_being_proven() {
    let folder = folder();
    let mut running = Running::start(&folder, &["jog", "spinner.urdf", "--json"]);
    running.say("tilt = 1");
    assert_eq!(running.answer()["outcome"], "done");
    // It waits, and takes no time for it: what it takes from now on is for the next move.
    let before = worked(&running.child);
    running.say("spin += 1.1e6, tilt += 1e6\nsave after.csv");
    works_on(&running.child, before, 40);
    running.interrupt();
    assert_eq!(
        running.stderr.recv_timeout(PATIENCE).unwrap(),
        "chasles: stopping this move; Ctrl-C once more ends at once"
    );
    let answer = running.answer();
    assert_eq!((&answer["outcome"], &answer["joints"]["spin"]), (&"refused".into(), &0.0.into()), "{answer}");
    assert_eq!(answer["pairs"][0]["verdict"], "undecided");
    assert!(answer["pairs"][0]["why"].as_str().unwrap().starts_with("stopped: "), "{answer}");
    // What follows in a script was meant for elsewhere.
    assert_eq!((ended(&mut running.child), folder.names()), (Some(1), vec![String::from("spinner.urdf")]));
}

#[test]
fn ctrl_c_ends_a_program_that_waits() {
    let folder = folder();
    let mut running = Running::start(&folder, &["jog", "spinner.urdf", "--json"]);
    running.say("tilt = 1");
    // A move has ended before it is told.
    running.answer();
    running.interrupt();
    assert_eq!(ended(&mut running.child), Some(130));
}

#[test]
fn ctrl_c_ends_pairs_without_an_answer() {
    let folder = folder();
    folder.write("spin.csv", "time,tilt,spin\n0,0,0\n1,1e6,1.1e6\n");
    for more in [&["--postures", "50000000"][..], &["--postures", "10", "--path", "spin.csv"]] {
        let args = [&["pairs", "spinner.urdf", "--write", "out.srdf"], more].concat();
        let mut running = Running::start(&folder, &args);
        takes_signals(&running.child);
        works_on(&running.child, worked(&running.child), 60);
        running.interrupt();
        let said: Vec<String> = running.stderr.iter().collect();
        assert_eq!(ended(&mut running.child), Some(2), "{said:?}");
        assert!(said.last().unwrap().starts_with("chasles: stopped before all "), "{said:?}");
        assert_eq!(running.stdout.iter().count(), 0);
        assert_eq!(folder.names(), ["spin.csv", "spinner.urdf"]);
    }
}
