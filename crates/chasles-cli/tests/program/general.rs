//! The program as a whole: help, version, completions, wrong usage.

use crate::support::{Folder, Run};

#[test]
fn help_has_examples_and_formats() {
    let folder = Folder::new();
    let words: [(&[&str], &[&str]); 4] = [
        (
            &["--help"],
            &["batch", "impulse", "info", "completions", "EXIT STATUS", "EXAMPLES", "chasles info part.stl"],
        ),
        (
            &["batch", "--help"],
            &[
                "PROBLEMS\n", "\"pose1\"", "ANSWERS\n", "undecided", "EXIT STATUS", "EXAMPLES", "--all",
                "all.jsonl > FILE",
            ],
        ),
        (&["info", "--help"], &["FACTS\n", "non_manifold_edges", "EXIT STATUS", "EXAMPLES"]),
        (&["completions", "--help"], &["bash", "zsh", "fish", "elvish", "powershell", "EXAMPLES"]),
    ];
    for (args, words) in words {
        let run = folder.run(args);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        for word in words {
            assert!(run.stdout.contains(word), "{args:?}: {word} is not in\n{}", run.stdout);
        }
        // The short help fits on a page.
        let short: Vec<_> = args.iter().map(|arg| if *arg == "--help" { "-h" } else { arg }).collect();
        assert!(folder.run(&short).stdout.lines().count() < 30, "{args:?}");
    }
}

/// Every problem in the help is valid.
#[test]
fn the_problems_in_the_help_are_problems() {
    let folder = Folder::new();
    let help = folder.run(&["batch", "--help"]).stdout;
    let (_, problems) = help.split_once("PROBLEMS\n").unwrap();
    let (problems, _) = problems.split_once("\n\n").unwrap();
    let problems = problems.replace(",\n ", ",").replace("(on one line)", "");
    folder.write("all.jsonl", &problems);
    folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("b.stl", "solid b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 1 0 1\nvertex 0 1 1\nendloop\nendfacet\nendsolid\n");
    let run = folder.run(&["batch", "all.jsonl"]);
    let verdicts: Vec<_> = run.json().iter().map(|answer| answer["verdict"].clone()).collect();
    assert_eq!(verdicts, ["contact", "contact"], "{problems}\n{}", run.stdout);
}

#[test]
fn version() {
    let run = Folder::new().run(&["--version"]);
    assert_eq!((run.status, run.stdout), (Some(0), format!("chasles {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn completions_of_every_shell_know_the_commands() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = folder.run(&["completions", shell]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        for word in [
            "batch", "impulse", "simulate", "info", "completions", "threads", "tolerance", "junit", "watch",
            "clearance",
        ] {
            assert!(run.stdout.contains(word), "{shell}: {word}");
        }
    }
    let run = folder.run(&["completions", "tcsh"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("tcsh"), "{}", run.stderr);
}

#[test]
fn wrong_use_is_reported_on_standard_error() {
    let folder = Folder::new();
    let cases: [(&[&str], &str); 4] = [
        (&[], "Usage: chasles"),
        (&["batsh"], "batch"),
        (&["batch"], "PROBLEMS.jsonl"),
        (&["info", "a.obj", "--jsn"], "--json"),
    ];
    for (args, word) in cases {
        let run = folder.run(args);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.contains(word), "{args:?}: {}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_success() {
    use std::process::Stdio;

    let folder = Folder::new();
    folder.write("part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for args in [&["completions", "bash"][..], &["info", "part.obj"], &["--help"]] {
        let mut child = folder.program(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{args:?}");
    }
}
