//! A machine that grants no threads, and standard output that cannot be written.

use crate::support::{Folder, Run};

const FALLS: &str = "format = 1\nduration = 1\n\
    [[body]]\nname = 'ball'\nsphere = 0.1\n\
    [body.motion]\nkind = 'keyframes'\ntimes = [0, 1]\npositions = [[0, 0, 1], [0, 0, -0.5]]\n\
    [[body]]\nname = 'floor'\nbox = [2, 2, 0.1]\n";

const DROPS: &str = "format = 1\nduration = 0.1\n\
    [[body]]\nname = 'ball'\nsphere = 0.1\ndensity = 700.0\npose = { position = [0, 0, 1] }\n\
    [[body]]\nname = 'floor'\nbox = [2, 2, 0.1]\n";

/// Runs the program where no thread can be started: their stacks would be larger than the address space.
fn without_threads(folder: &Folder, args: &[&str]) -> Run {
    folder.program(args).env("RUST_MIN_STACK", (1_u64 << 47).to_string()).output().unwrap().into()
}

#[track_caller]
fn assert_refused(run: &Run, message: &str) {
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.starts_with(&format!("chasles: {message}")) && run.stdout.is_empty(), "{run:?}");
}

#[test]
fn one_thread_is_the_main_thread() {
    let folder = Folder::new();
    folder.write("falls.toml", FALLS);
    folder.write("drops.toml", DROPS);
    for args in [
        &["check", "falls.toml"][..],
        &["check", "falls.toml", "--all-pairs", "--json"],
        &["check", "falls.toml", "--at", "0.7"],
        &["simulate", "drops.toml", "-o", "-"],
    ] {
        let usual = folder.run(args);
        assert!(usual.status.is_some_and(|status| status < 2), "{usual:?}");
        let alone = without_threads(&folder, &[args, &["--threads", "1"]].concat());
        assert_eq!((alone.status, &alone.stdout), (usual.status, &usual.stdout), "{args:?}: {alone:?}");
    }
}

#[test]
fn without_threads_commands_say_so() {
    let folder = Folder::new();
    folder.write("falls.toml", FALLS);
    folder.write("drops.toml", DROPS);
    for args in [
        &["check", "falls.toml"][..],
        &["check", "falls.toml", "--threads", "2"],
        &["check", "falls.toml", "--threads", "1", "--html", "a.html"],
        &["simulate", "drops.toml", "-o", "-"],
        &["info", "falls.toml"],
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
