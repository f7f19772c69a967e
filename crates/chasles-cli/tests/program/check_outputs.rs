//! `chasles check`: several reports in one run, and their destinations.

use std::process::Stdio;

use crate::support::{Folder, Run};

/// A cart that runs into a block at 0.5 s and leaves it at 0.875 s, and a post that is never touched.
const SCENE: &str = "format = 1\nduration = 2\n\
    [[body]]\nname = 'block'\nbox = [1, 1, 1]\n\
    [[body]]\nname = 'cart, \"red\"'\nbox = [0.5, 0.5, 0.5]\npose = { position = [2.75, 0.4, 0.2] }\n\
    [body.motion]\nkind = 'twist'\nlinear = [-4, 0, 0]\nangular = [0, 0, 0]\n\
    [[body]]\nname = 'post'\nmesh = 'post.obj'\npose = { position = [0, 9, 0] }\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("scene.toml", SCENE);
    folder.write("post.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder
}

#[test]
fn standard_output_takes_one_report_of_any_kind() {
    let folder = folder();
    folder.run(&["check", "scene.toml", "--csv", "r.csv", "--junit", "out.xml", "--all-pairs"]);
    for (args, file) in [(&["--csv", "-"], "r.csv"), (&["--junit", "-"], "out.xml")] {
        let run = folder.run(&[&["check", "scene.toml", "--all-pairs"], &args[..]].concat());
        assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
        assert_eq!(run.stdout, folder.read(file));
    }
    let json = folder.run(&["check", "scene.toml", "--json", "--csv", "r.csv"]);
    assert_eq!((json.status, json.json().len()), (Some(1), 1));
    // The clear pair is a row and a passing test.
    let all = folder.run(&["check", "scene.toml", "--all-pairs", "--csv", "-"]);
    assert!(all.stdout.lines().nth(2).is_some_and(|row| row.contains(",post,clear,,,")), "{}", all.stdout);
    let all = folder.run(&["check", "scene.toml", "--all-pairs", "--junit", "-"]);
    assert!(all.stdout.contains("and post\"/>\n") && all.stdout.contains("failures=\"2\""), "{}", all.stdout);
}

#[test]
fn conflicting_output_paths_are_errors_and_change_no_file() {
    let folder = folder();
    let run = |args: &[&str]| folder.run(&[&["check", "scene.toml"], args].concat());
    let one = "standard output: found more than one of --json, --csv -, --junit - and --html -, expected one: others go to files";
    run(&["--json", "--csv", "-"]).refused(one);
    run(&["--junit", "-", "--csv", "-"]).refused(one);
    run(&["--junit", "r", "--csv", "./r"]).refused("r: found for two reports, expected two files");
    run(&["--csv", "./scene.toml"])
        .refused("./scene.toml: is a file of the scene, which is never overwritten");
    run(&["--junit", "post.obj"]).refused("post.obj: is a file of the scene, which is never overwritten");
    let missing = run(&["--csv", "r.csv", "--junit", "gone/r.xml"]);
    assert!(
        missing.status == Some(2) && missing.stderr.contains("gone/r.xml: cannot be written"),
        "{}",
        missing.stderr
    );
    assert_eq!(folder.names(), ["post.obj", "scene.toml"]);
    assert_eq!(folder.read("scene.toml"), SCENE);
}

#[test]
fn an_old_report_stays_until_the_new_one_is_complete() {
    let folder = folder();
    folder.write("r.csv", "old");
    folder.write("bad.toml", SCENE.replace("post.obj", "gone.obj"));
    assert_eq!(folder.run(&["check", "bad.toml", "--csv", "r.csv"]).status, Some(2));
    assert_eq!(folder.read("r.csv"), "old");
    assert_eq!(folder.run(&["check", "scene.toml", "--csv", "r.csv"]).status, Some(1));
    assert!(folder.read("r.csv").starts_with("a,b,verdict,"));
}

#[test]
fn the_clearance_of_the_arguments_overrides_that_of_the_scene() {
    let folder = folder();
    folder.write("scene.toml", SCENE.replace("duration = 2\n", "duration = 2\nclearance = 0.25\n"));
    let clearance = |args: &[&str]| {
        let run = folder.run(&[&["check", "scene.toml", "--json"], args].concat());
        run.json()[0].get("clearance").cloned()
    };
    assert_eq!(clearance(&[]), Some(0.25.into()));
    assert_eq!(clearance(&["--clearance", "0.5"]), Some(0.5.into()));
    assert_eq!(clearance(&["--clearance", "0"]), None);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_keeps_the_exit_status() {
    let folder = folder();
    for args in [
        &["check", "scene.toml"][..],
        &["check", "scene.toml", "--csv", "r.csv"],
        &["check", "scene.toml", "--at", "0.7"],
    ] {
        let mut child = folder.program(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""), "{args:?}");
    }
    assert_eq!(folder.read("r.csv").lines().count(), 2);
}
