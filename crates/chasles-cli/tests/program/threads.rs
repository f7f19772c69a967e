//! A machine that cannot start threads, and standard output that cannot be written.

use std::process::{Command, Stdio};

use crate::running::{Running, ended, takes_signals};
use crate::support::{Folder, Run, awaited};

const FALLS: &str = "format = 1\nduration = 1\n\
    [[body]]\nname = 'ball'\nsphere = 0.1\n\
    [body.motion]\nkind = 'keyframes'\ntimes = [0, 1]\npositions = [[0, 0, 1], [0, 0, -0.5]]\n\
    [[body]]\nname = 'floor'\nbox = [2, 2, 0.1]\n";

const DROPS: &str = "format = 1\nduration = 0.1\n\
    [[body]]\nname = 'ball'\nsphere = 0.1\ndensity = 700.0\npose = { position = [0, 0, 1] }\n\
    [[body]]\nname = 'floor'\nbox = [2, 2, 0.1]\n";

/// A ball that flies for a day.
const FLIES: &str = "format = 1\nduration = 86400\n[[body]]\nname = 'ball'\nsphere = 0.1\nmass = 1\n\
    velocity = { linear = [0.001, 0, 0] }\n[[body]]\nname = 'post'\nbox = [1, 1, 1]\npose = { position = [0, 9, 0] }\n";

const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

/// Two tetrahedra that meet, and two that do not.
const PAIRS: &str = r#"{"name":"p","a":{"mesh":"a.obj"},"b":{"mesh":"a.obj"},"pose0":[3,0,0,1,0,0,0],"pose1":[0,0,0,1,0,0,0]}
{"name":"q","a":{"mesh":"a.obj"},"b":{"mesh":"a.obj"},"pose0":[3,0,0,1,0,0,0],"pose1":[4,0,0,1,0,0,0]}
"#;

const IMPULSES: &str = r#"{"name":"p","bodies":[{"name":"a","keyframed":true},{"name":"b","mass":1,"inertia":[1,1,1],"center":[0,0,1],"linear":[0,0,-1]}],"contacts":[{"a":"a","b":"b","point":[0,0,0],"normal":[0,0,1]}]}
"#;

fn scenes() -> Folder {
    let folder = Folder::new();
    folder.write("falls.toml", FALLS);
    folder.write("drops.toml", DROPS);
    folder.write("flies.toml", FLIES);
    folder.write("a.obj", TETRAHEDRON);
    folder.write("pairs.jsonl", PAIRS);
    folder.write("impulses.jsonl", IMPULSES);
    folder
}

/// The program without the possibility to start threads: their stacks would be larger than the address space.
fn program(folder: &Folder, args: &[&str]) -> Command {
    let mut command = folder.program(args);
    command.env("RUST_MIN_STACK", (1_u64 << 47).to_string());
    command
}

fn without_threads(folder: &Folder, args: &[&str]) -> Run {
    program(folder, args).output().unwrap().into()
}

#[track_caller]
fn assert_refused(run: &Run, message: &str) {
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.starts_with(&format!("chasles: {message}")) && run.stdout.is_empty(), "{run:?}");
}

#[test]
fn one_thread_is_the_main_thread() {
    let folder = scenes();
    for args in [
        &["check", "falls.toml"][..],
        &["check", "falls.toml", "--all-pairs", "--json"],
        &["check", "falls.toml", "--at", "0.7"],
        &["simulate", "drops.toml", "-o", "-"],
        &["batch", "pairs.jsonl"],
        &["screen", "pairs.jsonl", "--json"],
        &["impulse", "impulses.jsonl"],
    ] {
        let usual = folder.run(args);
        assert!(usual.status.is_some_and(|status| status < 2), "{usual:?}");
        let alone = without_threads(&folder, &[args, &["--threads", "1"]].concat());
        assert_eq!((alone.status, &alone.stdout), (usual.status, &usual.stdout), "{args:?}: {alone:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn signals_end_a_command_without_threads() {
    use std::os::unix::process::ExitStatusExt as _;
    let folder = scenes();
    let started = || {
        let args = ["simulate", "flies.toml", "-o", "flight.jsonl", "--threads", "1"];
        let running = Running::of(program(&folder, &args).stdin(Stdio::null()));
        takes_signals(&running.0);
        awaited("lines of the recording", || {
            let text = std::fs::read_to_string(folder.path("flight.jsonl")).unwrap_or_default();
            (text.lines().count() > 5).then_some(())
        });
        running
    };
    let mut first = started();
    first.interrupt();
    // It ends by itself, after it has reported the time reached.
    assert_eq!(ended(&mut first.0), Some(3));
    let mut second = started();
    second.interrupt_times(3);
    awaited("its end", || second.0.try_wait().unwrap());
    let mut third = started();
    let id = third.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(awaited("its end", || third.0.try_wait().unwrap()).signal(), Some(15));
}

#[test]
fn commands_report_missing_threads() {
    let folder = scenes();
    for args in [
        &["check", "falls.toml"][..],
        &["check", "falls.toml", "--threads", "2"],
        &["check", "falls.toml", "--threads", "1", "--html", "a.html"],
        &["simulate", "drops.toml", "-o", "-"],
        &["info", "falls.toml"],
        &["batch", "pairs.jsonl"],
        &["impulse", "impulses.jsonl", "--threads", "2"],
        &["screen", "pairs.jsonl"],
        &["view", "falls.toml", "--no-open"],
        &["render", "falls.toml", "-o", "a.png"],
    ] {
        assert_refused(&without_threads(&folder, args), "cannot start threads: ");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn help_that_cannot_be_printed_is_an_error() {
    let folder = Folder::new();
    for args in [["--help"], ["--version"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let run: Run = folder.program(&args).stdout(full).output().unwrap().into();
        assert_refused(&run, "standard output: cannot be written: ");
    }
}
