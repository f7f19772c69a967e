//! `chasles check`: Ctrl-C reports what is known, and `--watch` runs until then. Real processes and real signals.

#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::process::Stdio;
use std::sync::mpsc::Receiver;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::running::{Running, ended, lines, takes_signals, works_on};
use crate::support::{Folder, PATIENCE, Run, awaited};

/// A second signal within this time counts as an echo of the first.
const ECHO: Duration = Duration::from_millis(300);

/// Two bodies that meet at 1 s; then needles that rotate hundreds of times, close to each other: proofs about all of
/// them take very long.
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

fn start(folder: &Folder, args: &[&str]) -> Running {
    Running::start(folder, args, Stdio::null())
}

/// All output, and the exit status.
fn finish(mut running: Running) -> Run {
    let (stderr, stdout) = (lines(running.0.stderr.take().unwrap()), lines(running.0.stdout.take().unwrap()));
    let all =
        |lines: Receiver<String>| lines.into_iter().fold(String::new(), |text, line| text + &line + "\n");
    let (stdout, stderr) = (all(stdout), all(stderr));
    Run { status: ended(&mut running.0), stdout, stderr }
}

#[test]
fn ctrl_c_prints_the_known_answers() {
    let folder = Folder::new();
    folder.write("scene.toml", long_scene());
    let args = ["check", "scene.toml", "--json", "--threads", "1", "--csv", "r.csv", "--junit", "r.xml"];
    // The first pair may take a while: wait longer until it is decided.
    for hundredths in [50, 200, 800, 3200] {
        let running = start(&folder, &args);
        takes_signals(&running.0);
        works_on(&running.0, 0, hundredths);
        running.interrupt();
        let run = finish(running);
        let report = run.json().remove(0);
        let pairs = report["pairs"].as_array().unwrap();
        let stopped =
            |pair: &&Value| pair["why"].as_str().is_some_and(|reason| reason.starts_with("stopped: "));
        let unanswered: Vec<_> = pairs.iter().filter(stopped).collect();
        assert!(unanswered.len() > 100 && report["pairs_tested"] == 1770 + 60 + 61, "{}", run.stderr);
        for pair in &unanswered {
            // The pair being followed is known up to the time reached.
            assert_eq!(pair["verdict"], "undecided", "{pair}");
            assert_eq!(pair["unknown"], serde_json::json!([[pair["clear_until"], 10.0]]));
        }
        let not_begun = unanswered.iter().filter(|pair| pair["clear_until"] == 0.0).count();
        assert!(not_begun + 1 >= unanswered.len());
        let reported = format!("chasles: stopped: {} of 1891 pairs are not answered\n", unanswered.len());
        assert!(
            run.stderr.ends_with(&reported) && run.stderr.contains("stopping; Ctrl-C once more"),
            "{}",
            run.stderr
        );
        // The files are complete, and agree with the report.
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
        // In addition to the pairs, the whole scene is undecided.
        assert_eq!(
            (run.status, &report["verdict"], errors),
            (Some(3), &"undecided".into(), unanswered.len() + 1)
        );
    }
    panic!("the first pair was never answered");
}

#[test]
fn a_stopped_check_without_contact_is_undecided() {
    let folder = Folder::new();
    folder.write("scene.toml", long_scene().replace("[0, 0, -1]", "[0, 0, 1]"));
    // A signal that a parent process passes on again, as `timeout` does, counts as one signal for a short time.
    let run = awaited("a signal that is handled before its echo is over", || {
        let running = start(&folder, &["check", "scene.toml", "--threads", "2"]);
        takes_signals(&running.0);
        // A signal that comes while files are read ends the program.
        works_on(&running.0, 0, 20);
        let since = Instant::now();
        running.interrupt_times(3);
        let run = finish(running);
        // If the machine is too busy to handle all three in that time, the program may end at the later signals,
        // which proves nothing.
        let late = run.status == Some(130) && since.elapsed() >= ECHO;
        (!late).then_some(run)
    });
    assert_eq!(run.status, Some(3), "{}", run.stderr);
    assert!(
        run.stdout.starts_with("scene.toml: UNDECIDED\n62 bodies over 10 s, 1891 pairs tested: "),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("\nNot answered, since the check was stopped: "), "{}", run.stdout);
    // Thousands of pairs do not flood the screen.
    assert!(run.stdout.lines().count() < 120, "{}", run.stdout);
}

/// Needles that rotate and swing close to each other from key to key, long enough for minutes of work.
fn keyed_scene() -> String {
    let mut text = String::from("format = 1\nduration = 20000\n");
    for i in 0..20 {
        let height = 0.02 * f64::from(i);
        let [mut times, mut positions, mut rotations] = [const { String::new() }; 3];
        for key in 0..5000 {
            let (time, turn) = (f64::from(4 * key), f64::from((37 * key + 11 * i) % 97) / 97.0);
            // Writing to a string does not fail.
            let _ = write!(times, "{time:?},");
            let _ = write!(positions, "[{:?},{:?},{height:?}],", 0.3 * turn, 0.1 * (1.0 - turn));
            let _ = write!(rotations, "[{:?},0,0,{:?}],", (3.0 * turn).cos(), (3.0 * turn).sin());
        }
        let _ = write!(
            text,
            "[[body]]\nname = 'needle{i}'\nbox = [1, 0.015, 0.015]\n[body.motion]\nkind = 'keyframes'\n\
             interpolation = 'linear'\ntimes = [{times}]\npositions = [{positions}]\nrotations = [{rotations}]\n"
        );
    }
    text
}

#[test]
fn ctrl_c_prints_the_proven_clear_time() {
    let folder = Folder::new();
    folder.write("scene.toml", keyed_scene());
    for threads in ["1", "2"] {
        let running = start(&folder, &["check", "scene.toml", "--json", "--threads", threads]);
        takes_signals(&running.0);
        works_on(&running.0, 0, 300);
        running.interrupt();
        let run = finish(running);
        let report = run.json().remove(0);
        let until = report["followed_until"].as_f64().unwrap();
        assert!(until > 0.0 && until < 20_000.0, "{}", run.stderr);
        assert!(
            run.stderr.contains("of 190 pairs are not answered; nothing touches before "),
            "{}",
            run.stderr
        );
        let pairs = report["pairs"].as_array().unwrap();
        assert!(pairs.iter().all(|pair| pair["clear_until"].as_f64().unwrap() >= until), "{until}");
        assert!(pairs.iter().any(|pair| pair["clear_until"] == until));
        assert_eq!(run.status, Some(3));
    }
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let folder = Folder::new();
    folder.write("scene.toml", long_scene());
    let mut running = start(&folder, &["check", "scene.toml", "--json", "--threads", "2"]);
    takes_signals(&running.0);
    works_on(&running.0, 0, 20);
    // The report, which is more than a pipe holds, is not read: the program cannot end by itself.
    let stdout = running.0.stdout.take();
    let stderr = lines(running.0.stderr.take().unwrap());
    running.interrupt();
    let output = stderr.recv_timeout(PATIENCE).unwrap();
    assert!(output.contains("Ctrl-C once more ends at once"), "{output}");
    // Longer than an echo lasts, which started before the line.
    thread::sleep(2 * ECHO);
    running.interrupt();
    assert_eq!(ended(&mut running.0), Some(130));
    drop(stdout);
}

/// Reading a pipe without a writer lasts forever.
#[test]
fn ctrl_c_ends_reading_at_once() {
    let folder = Folder::new();
    let pipe = folder.path("scene.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for args in [
        &["render", "scene.toml", "-o", "a.png"][..],
        &["view", "scene.toml", "--no-open"],
        &["check", "scene.toml", "--watch"],
    ] {
        let mut running = start(&folder, args);
        takes_signals(&running.0);
        running.interrupt();
        assert_eq!(ended(&mut running.0), Some(130), "{args:?}");
        assert_eq!(folder.names(), ["scene.toml"]);
    }
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
    let folder = Folder::new();
    // Atomically: a file that is being written could be read while it is empty.
    let replace = |name: &str, content: String| {
        folder.write("new", content);
        std::fs::rename(folder.path("new"), folder.path(name)).unwrap();
    };
    let wall = |x: &str| format!("v {x} -1 -1\nv {x} 1 -1\nv {x} 0 1\nf 1 2 3\n");
    folder.write("scene.toml", scene("-2", "wall.obj"));
    folder.write("wall.obj", wall("0"));
    let args = ["check", "scene.toml", "--watch", "--json", "--csv", "r.csv"];
    let mut running = start(&folder, &args);
    let stdout = lines(running.0.stdout.take().unwrap());
    let stderr = lines(running.0.stderr.take().unwrap());
    let report = || -> Value { serde_json::from_str(&stdout.recv_timeout(PATIENCE).unwrap()).unwrap() };
    let message = || stderr.recv_timeout(PATIENCE).unwrap();
    let enter = |report: &Value| report["pairs"][0]["intervals"][0]["enter"][1].as_f64().unwrap();
    let about = |time: f64, expected: f64| assert!((time - expected).abs() < 1e-6, "{time} for {expected}");

    about(enter(&report()), 1.25);
    assert_eq!(message(), "chasles: watching 2 files; Ctrl-C ends");
    // The scene changes.
    replace("scene.toml", scene("-10", "wall.obj"));
    about(enter(&report()), 0.25);
    message();
    assert_eq!(folder.read("r.csv").lines().count(), 2);
    // A mesh changes.
    replace("wall.obj", wall("0.50"));
    about(enter(&report()), 0.2);
    message();
    // An error is reported, and the program waits for the next change.
    replace("scene.toml", "format = 1\nduration = -2\n".into());
    let error = message();
    assert!(error.starts_with("chasles: scene.toml:2: duration: found -2"), "{error}");
    assert_eq!(message(), "chasles: watching 1 file; Ctrl-C ends");
    // The same for a mesh that does not exist yet.
    replace("scene.toml", scene("-1", "later.obj"));
    let error = message();
    assert!(error.contains("later.obj: cannot be read"), "{error}");
    message();
    replace("later.obj", wall("0"));
    assert_eq!(report()["verdict"], "clear");
    message();
    running.interrupt();
    assert_eq!(message(), "chasles: stopping; Ctrl-C once more ends at once");
    assert_eq!(ended(&mut running.0), Some(0));
    assert!(stdout.recv_timeout(PATIENCE).is_err(), "nothing is checked without a change");
}

#[test]
fn watch_ends_with_the_status_of_the_last_check() {
    let folder = Folder::new();
    folder.write("scene.toml", "format = 1\nduration = 1\n[[body]]\nname = 'a'\nbox = [1, 1, 1]\n\
        [[body]]\nname = 'b'\nbox = [1, 1, 1]\npose = { position = [0.6, 0.1, 0.2] }\n[body.motion]\nkind = 'twist'\n\
        linear = [1, 0, 0]\nangular = [0, 0, 0]\n");
    for (args, status) in [(&["--at", "0.1"][..], 1), (&["--at", "0.9"], 0), (&[], 1), (&["--at", "2"], 2)] {
        let mut running = start(&folder, &[&["check", "scene.toml", "--watch"], args].concat());
        let stderr = lines(running.0.stderr.take().unwrap());
        while !stderr.recv_timeout(PATIENCE).unwrap().contains("watching") {}
        running.interrupt();
        assert_eq!(ended(&mut running.0), Some(status), "{args:?}");
    }
}
