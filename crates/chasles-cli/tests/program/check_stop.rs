//! `chasles check`: Ctrl-C tells what is known, and `--watch` goes on until then. Real processes and real signals.

#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Folder, Run};

/// What takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Two that meet at 1 s; then needles that turn hundreds of times, close to each other: it takes very long to prove anything of all.
fn long_scene() -> String {
    let mut text = String::from(
        "format = 1\nduration = 10\n[[body]]\nname = 'anvil'\nbox = [1, 1, 1]\npose = { position = [90, 0, 0] }\n\
         [[body]]\nname = 'hammer'\nbox = [1, 1, 1]\npose = { position = [90.1, 0.1, 2] }\n\
         [body.motion]\nkind = 'twist'\nlinear = [0, 0, -1]\nangular = [0, 0, 0]\n",
    );
    for i in 0..60 {
        let (x, y) = (0.003 * f64::from(i), 0.02 * f64::from(i));
        let spin = 300 + i;
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "[[body]]\nname = 'needle{i}'\nbox = [1, 0.01, 0.01]\npose = {{ position = [{x:?}, {y:?}, 0] }}\n\
             [body.motion]\nkind = 'twist'\nlinear = [0, 0, 0]\nangular = [0, {spin}, {:?}]\n",
            0.1 * f64::from(i)
        );
    }
    text
}

/// The program, running; ended with the test, whatever happens.
struct Running(Child);

impl Running {
    fn start(folder: &Folder, args: &[&str]) -> Self {
        let mut command = folder.program(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    /// Waits until it takes Ctrl-C.
    fn takes_signals(&self) {
        let status = format!("/proc/{}/status", self.0.id());
        let begin = Instant::now();
        loop {
            let text = std::fs::read_to_string(&status).unwrap();
            let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
            // The bit of signal 2, SIGINT.
            if u64::from_str_radix(caught, 16).unwrap() & 2 != 0 {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "it never takes Ctrl-C");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn interrupt(&self) {
        self.interrupt_times(1);
    }

    /// So many signals in a row.
    fn interrupt_times(&self, times: usize) {
        let ids = vec![self.0.id().to_string(); times];
        assert!(Command::new("kill").arg("-INT").args(ids).status().unwrap().success());
    }

    /// The lines of a stream as they come.
    fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
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

    /// Its exit status, when it has ended by itself.
    fn ended(&mut self) -> Option<i32> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.code();
            }
            assert!(begin.elapsed() < PATIENCE, "it does not end");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// All that it says, and its exit status.
    fn finish(mut self) -> Run {
        let stderr = Self::lines(self.0.stderr.take().unwrap());
        let stdout = Self::lines(self.0.stdout.take().unwrap());
        let all =
            |lines: Receiver<String>| lines.into_iter().fold(String::new(), |text, line| text + &line + "\n");
        let (stdout, stderr) = (all(stdout), all(stderr));
        Run { status: self.ended(), stdout, stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already, unless the test has failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn ctrl_c_tells_what_is_known() {
    let folder = Folder::new();
    folder.write("scene.toml", long_scene());
    let args = ["check", "scene.toml", "--json", "--threads", "1", "--csv", "r.csv", "--junit", "r.xml"];
    // On a machine that is busy the first pair may take a while: wait longer until it is answered.
    for wait in [0.5, 2.0, 8.0, 32.0] {
        let running = Running::start(&folder, &args);
        running.takes_signals();
        thread::sleep(Duration::from_secs_f64(wait));
        running.interrupt();
        let run = running.finish();
        let report = run.json().remove(0);
        let pairs = report["pairs"].as_array().unwrap();
        let stopped = |pair: &&Value| pair["why"].as_str().is_some_and(|why| why.starts_with("stopped: "));
        let unanswered: Vec<_> = pairs.iter().filter(stopped).collect();
        assert!(unanswered.len() > 100 && report["pairs_tested"] == 1770 + 60 + 61, "{}", run.stderr);
        for pair in &unanswered {
            // The pair that was being followed is known up to where it was.
            assert_eq!(pair["verdict"], "undecided", "{pair}");
            assert_eq!(pair["unknown"], serde_json::json!([[pair["clear_until"], 10.0]]));
        }
        let not_begun = unanswered.iter().filter(|pair| pair["clear_until"] == 0.0).count();
        assert!(not_begun + 1 >= unanswered.len());
        let told = format!("chasles: stopped: {} of 1891 pairs are not answered\n", unanswered.len());
        assert!(
            run.stderr.ends_with(&told) && run.stderr.contains("stopping; Ctrl-C once more"),
            "{}",
            run.stderr
        );
        // The files are whole, and say the same.
        assert_eq!(folder.names(), ["r.csv", "r.xml", "scene.toml"]);
        assert_eq!(folder.read("r.csv").matches(",undecided,").count(), unanswered.len());
        let errors = folder.read("r.xml").matches("<error type=\"undecided\"").count();
        if pairs[0]["b"] == "hammer" && pairs[0]["verdict"] == "contact" {
            assert_eq!(
                (run.status, &report["verdict"], errors),
                (Some(1), &"contact".into(), unanswered.len())
            );
            let enter = &pairs[0]["intervals"][0]["enter"];
            assert!((enter[1].as_f64().unwrap() - 1.0).abs() < 1e-6, "{enter}");
            return;
        }
        // Beside the pairs, the whole is not decided.
        assert_eq!(
            (run.status, &report["verdict"], errors),
            (Some(3), &"undecided".into(), unanswered.len() + 1)
        );
    }
    panic!("the first pair was never answered");
}

#[test]
fn a_scene_in_which_nothing_is_met_yet_is_undecided() {
    let folder = Folder::new();
    folder.write("scene.toml", long_scene().replace("[0, 0, -1]", "[0, 0, 1]"));
    let running = Running::start(&folder, &["check", "scene.toml", "--threads", "2"]);
    running.takes_signals();
    // Passed on by whoever has got it too, as `timeout` does, it is still one.
    running.interrupt_times(3);
    let run = running.finish();
    assert_eq!(run.status, Some(3), "{}", run.stderr);
    assert!(
        run.stdout.starts_with("scene.toml: UNDECIDED\n62 bodies over 10 s, 1891 pairs tested: "),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("\nNot answered, since the check was stopped: "), "{}", run.stdout);
    // Thousands of pairs fill no screens.
    assert!(run.stdout.lines().count() < 120, "{}", run.stdout);
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let folder = Folder::new();
    folder.write("scene.toml", long_scene());
    let mut running = Running::start(&folder, &["check", "scene.toml", "--json", "--threads", "2"]);
    running.takes_signals();
    // Nobody reads the report, which is more than a pipe holds: the program cannot end by itself.
    let stdout = running.0.stdout.take();
    let stderr = Running::lines(running.0.stderr.take().unwrap());
    running.interrupt();
    let said = stderr.recv_timeout(PATIENCE).unwrap();
    assert!(said.contains("Ctrl-C once more ends at once"), "{said}");
    thread::sleep(Duration::from_millis(500));
    running.interrupt();
    assert_eq!(running.ended(), Some(130));
    drop(stdout);
}

#[test]
fn watch_checks_again_when_a_file_changes() {
    let scene = |speed: &str, mesh: &str| {
        format!(
            "format = 1\nduration = 2\n[[body]]\nname = 'block'\nmesh = '{mesh}'\n\
             [[body]]\nname = 'cart'\nbox = [1, 1, 1]\npose = {{ position = [3, 0.1, 0.2] }}\n\
             [body.motion]\nkind = 'twist'\nlinear = [{speed}, 0, 0]\nangular = [0, 0, 0]\n"
        )
    };
    let wall = |x: &str| format!("v {x} -1 -1\nv {x} 1 -1\nv {x} 0 1\nf 1 2 3\n");
    let folder = Folder::new();
    folder.write("scene.toml", scene("-2", "wall.obj"));
    folder.write("wall.obj", wall("0"));
    let args = ["check", "scene.toml", "--watch", "--json", "--csv", "r.csv"];
    let mut running = Running::start(&folder, &args);
    let stdout = Running::lines(running.0.stdout.take().unwrap());
    let stderr = Running::lines(running.0.stderr.take().unwrap());
    let report = || -> Value { serde_json::from_str(&stdout.recv_timeout(PATIENCE).unwrap()).unwrap() };
    let message = || stderr.recv_timeout(PATIENCE).unwrap();
    let enter = |report: &Value| report["pairs"][0]["intervals"][0]["enter"][1].as_f64().unwrap();
    let about = |time: f64, expected: f64| assert!((time - expected).abs() < 1e-6, "{time} for {expected}");

    about(enter(&report()), 1.25);
    assert_eq!(message(), "chasles: watching 2 files; Ctrl-C ends");
    // The scene changes.
    folder.write("scene.toml", scene("-10", "wall.obj"));
    about(enter(&report()), 0.25);
    message();
    assert_eq!(folder.read("r.csv").lines().count(), 2);
    // A mesh changes.
    folder.write("wall.obj", wall("0.50"));
    about(enter(&report()), 0.2);
    message();
    // An error is told and waited out.
    folder.write("scene.toml", "format = 1\nduration = -2\n");
    let error = message();
    assert!(error.starts_with("chasles: scene.toml:2: duration: found -2"), "{error}");
    assert_eq!(message(), "chasles: watching 1 file; Ctrl-C ends");
    // So is a mesh that is not there yet.
    folder.write("scene.toml", scene("-1", "later.obj"));
    let error = message();
    assert!(error.contains("later.obj: cannot be read"), "{error}");
    message();
    folder.write("later.obj", wall("0"));
    assert_eq!(report()["verdict"], "clear");
    message();
    running.interrupt();
    assert_eq!(message(), "chasles: stopping; Ctrl-C once more ends at once");
    assert_eq!(running.ended(), Some(0));
    assert!(stdout.recv_timeout(PATIENCE).is_err(), "nothing is checked without a change");
}

#[test]
fn watch_ends_with_the_status_of_the_last_check() {
    let folder = Folder::new();
    folder.write("scene.toml", "format = 1\nduration = 1\n[[body]]\nname = 'a'\nbox = [1, 1, 1]\n\
        [[body]]\nname = 'b'\nbox = [1, 1, 1]\npose = { position = [0.6, 0.1, 0.2] }\n[body.motion]\nkind = 'twist'\n\
        linear = [1, 0, 0]\nangular = [0, 0, 0]\n");
    for (args, status) in [(&["--at", "0.1"][..], 1), (&["--at", "0.9"], 0), (&[], 1), (&["--at", "2"], 2)] {
        let mut running = Running::start(&folder, &[&["check", "scene.toml", "--watch"], args].concat());
        let stderr = Running::lines(running.0.stderr.take().unwrap());
        while !stderr.recv_timeout(PATIENCE).unwrap().contains("watching") {}
        running.interrupt();
        assert_eq!(running.ended(), Some(status), "{args:?}");
    }
}
