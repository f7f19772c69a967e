//! `chasles batch`: answers, their order, and the treatment of bad lines.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Folder, Run, awaited, near};
use crate::thorn::{self, CUBE, SHORT, STING, THORN};

/// As the sting, with a whole turn during the motion.
const SCREW: &str = r#"{"name":"drill","a":{"mesh":"thorn.obj"},"b":{"mesh":"cube.obj"},"pose0":[0.1,0.2,2,1,0,0,0],"screw":{"s":[0,0,1],"p":[0,0,0],"d":-2,"b":6.283185307179586}}"#;
const OVERLAPPING: &str = r#"{"name":"in","a":{"mesh":"cube.obj"},"b":{"mesh":"cube.obj"},"pose0":[0.9,0.05,0.03,1,0,0,0],"pose1":[3,0,0,1,0,0,0]}"#;

fn folder(problems: &[&str]) -> Folder {
    let folder = thorn::meshes();
    folder.write("all.jsonl", problems.join("\n"));
    folder
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// The keys in the order in which the line has them, at the top level.
fn order<'a>(line: &str, keys: &[&'a str]) -> Vec<&'a str> {
    let mut keys: Vec<_> =
        keys.iter().map(|key| (line.find(&format!("\"{key}\":")).unwrap(), *key)).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, key)| key).collect()
}

#[test]
fn each_verdict() {
    let folder = folder(&[STING, SCREW, SHORT, OVERLAPPING]);
    let run = folder.run(&["batch", "all.jsonl"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let [sting, drill, short, within] = &run.json()[..] else { panic!("{}", run.stdout) };

    for (answer, name, point, speed) in
        [(sting, "sting", [0.1, 0.2, 0.5], 2.0), (drill, "drill", [0.2, -0.1, 0.5], 2.0)]
    {
        assert_eq!((&answer["name"], &answer["verdict"]), (&json!(name), &json!("contact")));
        let [lo, hi] = [0, 1].map(|i| answer["time"][i].as_f64().unwrap());
        assert!(lo <= 0.75 + 1e-12 && hi >= 0.75 - 1e-12 && hi - lo < 1e-9, "[{lo}, {hi}]");
        let contact = &answer["contact"];
        assert_eq!((&contact["kind"], &contact["a"]), (&json!("vertex-face"), &json!([3])));
        // The second polygon of the cube is the upper side: triangles 2 and 3.
        assert!([json!([2]), json!([3])].contains(&contact["b"]), "{contact}");
        near(&contact["point"], &point);
        near(&contact["normal"], &[0.0, 0.0, -1.0]);
        assert_eq!(contact["touching"], json!(false));
        assert!((contact["approach_speed"].as_f64().unwrap() - speed).abs() < 1e-9);
        assert!(answer.get("contacts").is_none());
    }
    let line = run.stdout.lines().next().unwrap();
    let expected = ["name", "verdict", "time", "contact", "kind", "a", "b", "point", "normal", "touching"];
    assert_eq!(order(line, &expected), expected);
    assert!(!run.stdout.contains("-0.0,") && !run.stdout.contains("-0.0]"), "{}", run.stdout);

    assert_eq!(*short, json!({"name": "short", "verdict": "clear"}));
    assert_eq!((keys(within), &within["verdict"]), (vec!["name", "pairs", "verdict"], &json!("overlapping")));
    assert!(within["pairs"].as_array().unwrap().contains(&json!([0, 6])), "{within}");
}

#[test]
fn all_contacts_are_listed_in_time() {
    let folder = folder(&[STING, SHORT]);
    let run = folder.run(&["batch", "--all", "all.jsonl"]);
    let answers = run.json();
    let contacts = answers[0]["contacts"].as_array().unwrap();
    let mut first = contacts[0].clone();
    assert_eq!(first.as_object_mut().unwrap().remove("time"), Some(answers[0]["time"].clone()));
    assert_eq!(first, answers[0]["contact"]);
    // Later the thorn's edges reach the rim of the upper side.
    assert!(
        contacts.len() > 1 && contacts.iter().any(|contact| contact["kind"] == "edge-edge"),
        "{}",
        run.stdout
    );
    let times: Vec<_> = contacts.iter().map(|contact| contact["time"][0].as_f64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(answers[1], json!({"name": "short", "verdict": "clear"}));
}

#[test]
fn a_small_budget_gives_undecided() {
    let folder = folder(&[STING]);
    let run = folder.run(&["batch", "all.jsonl", "--budget", "2"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let answer = &run.json()[0];
    assert_eq!(
        (keys(answer), &answer["verdict"]),
        (vec!["clear_until", "name", "verdict", "why"], &json!("undecided"))
    );
    assert!(answer["clear_until"].as_f64().unwrap() <= 0.75);
    let reason = answer["why"].as_str().unwrap();
    assert!(reason.starts_with("budget: ") && reason.split(' ').count() > 5, "{reason}");
}

#[test]
fn bodies_within_the_tolerance_touch() {
    let folder = folder(&[SHORT]);
    let run = folder.run(&["batch", "all.jsonl", "--tolerance", "0.2"]);
    assert_eq!((&run.json()[0]["verdict"], run.status), (&json!("contact"), Some(0)));
    for bad in ["-1", "nan", "x"] {
        let run = folder.run(&["batch", "all.jsonl", "--tolerance", bad]);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""));
        assert!(
            run.stderr.contains("--tolerance") && run.stderr.contains("a finite number of metres"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn features_that_move_are_answered_exactly() {
    let face = "[-1,-1,0],[2,-1,0],[-1,2,0]";
    let falls = |to: &str| format!(r#"{{"name":"f","vertex_face":[[0,0,1],{face}, [0,0,{to}],{face}]}}"#);
    // One edge slides along the line of another until their ends meet.
    let line =
        r#"{"name":"l","edge_edge":[[0,0,0],[1,2,3],[2,4,6],[3,6,9], [0,0,0],[1,2,3],[0.5,1,1.5],[3,6,9]]"#;
    let bad = [
        (
            r#"{"name":"b","edge_edge":[[0,0,0]]}"#.to_owned(),
            "edge_edge: found a list of length 1, expected a list of 8 points",
        ),
        (format!("{line},\"distance\":-1}}"), "distance: found -1, expected "),
        (format!("{line},\"pose0\":0}}"), "pose0: found an unknown key"),
        (
            format!(r#"{line},"vertex_face":[]}}"#),
            "edge_edge: found edge_edge beside vertex_face, expected one of them",
        ),
    ];
    let mut lines = vec![
        falls("-1"),
        falls("1e-300"),
        falls("0"),
        format!("{line}}}"),
        format!("{line},\"distance\":20}}"),
    ];
    lines.extend(bad.iter().map(|(line, _)| line.clone()));
    let folder = folder(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let run = folder.run(&["batch", "all.jsonl"]);
    let answers = run.json();
    assert_eq!((run.status, answers.len()), (Some(2), lines.len()), "{}", run.stdout);
    let time = |answer: &Value| [0, 1].map(|i| answer["time"][i].as_f64().unwrap());
    let [lo, hi] = time(&answers[0]);
    assert!(lo <= 0.5 && 0.5 <= hi && hi - lo < 1e-9, "[{lo}, {hi}]");
    let contact = &answers[0]["contact"];
    assert_eq!((&contact["kind"], &contact["touching"]), (&json!("vertex-face"), &json!(false)));
    near(&contact["normal"], &[0.0, 0.0, -1.0]);
    near(&contact["point"], &[0.0, 0.0, 0.0]);
    let expected = ["name", "verdict", "time", "contact", "kind", "u", "v", "point", "normal", "touching"];
    assert_eq!(order(run.stdout.lines().next().unwrap(), &expected), expected);
    assert_eq!(answers[1], json!({"name": "f", "verdict": "clear"}));
    assert_eq!(answers[2]["time"], json!([1.0, 1.0]));
    let [lo, hi] = time(&answers[3]);
    assert!(lo <= 2.0 / 3.0 && 2.0 / 3.0 <= hi && answers[3]["contact"]["kind"] == json!("edge-edge"));
    assert_eq!(answers[4]["time"], json!([0.0, 0.0]));
    for (answer, (_, reported)) in answers[5..].iter().zip(&bad) {
        assert!(answer["error"].as_str().unwrap().contains(reported), "{answer}");
    }
    let run = folder.run(&["batch", "all.jsonl", "--budget", "2"]);
    let left = &run.json()[3];
    assert_eq!(left["verdict"], json!("undecided"));
    assert!(
        left["clear_until"].as_f64().unwrap() <= 2.0 / 3.0
            && left["why"].as_str().unwrap().starts_with("budget: ")
    );
}

#[test]
fn bad_lines_are_answered_and_the_others_too() {
    let unreadable = STING.replace("cube.obj", "gone.stl").replace("sting", "p3");
    let points = STING.replace("thorn.obj", "points.obj").replace("sting", "p4");
    let far = STING.replace("[0.1,0.2,0,", "[1e120,0,0,").replace("sting", "p5");
    let lines =
        ["{oops", "", r#"{"name":"p2","a":{"mesh":7}}"#, &unreadable, &points, &far, "\u{feff}", SHORT];
    let folder = folder(&lines);
    folder.write("points.obj", "v 0 0 0\n");
    let run = folder.run(&["batch", "all.jsonl"]);
    assert_eq!(run.status, Some(2));
    let answers = run.json();
    let error = |name: Value, parts: &[&str], answer: &Value| {
        assert_eq!((&answer["name"], &answer["verdict"]), (&name, &json!("error")));
        let error = answer["error"].as_str().unwrap();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    error(Value::Null, &["all.jsonl:1: "], &answers[0]);
    error(json!("p2"), &["all.jsonl:3: a.mesh: found 7"], &answers[1]);
    error(json!("p3"), &["gone.stl: cannot be read: "], &answers[2]);
    error(json!("p4"), &["points.obj: mesh: found no triangles"], &answers[3]);
    error(json!("p5"), &["all.jsonl:6: pose1", "1e120"], &answers[4]);
    error(Value::Null, &["all.jsonl:7: "], &answers[5]);
    assert_eq!(answers[6], json!({"name": "short", "verdict": "clear"}));
    assert_eq!(answers.len(), 7);
    assert!(
        run.stdout.starts_with(r#"{"name":null,"verdict":"error","error":"all.jsonl:1: "#),
        "{}",
        run.stdout
    );
    assert_eq!(
        run.stderr,
        "chasles: warning: points.obj: the file has no triangles\n\
         chasles: 6 of 7 lines could not be answered: see \"error\" there\n"
    );
}

#[test]
fn warnings_of_readers_are_printed_once() {
    let folder = folder(&[STING.replace("cube", "odd").as_str(); 5]);
    folder.write("odd.obj", CUBE.to_owned() + "f 1 2\n");
    let run = folder.run(&["batch", "all.jsonl", "--threads", "3"]);
    assert_eq!((run.status, run.stdout.lines().count()), (Some(0), 5));
    assert!(
        run.stderr.starts_with("chasles: warning: odd.obj: ") && run.stderr.lines().count() == 1,
        "{}",
        run.stderr
    );
}

#[test]
fn any_number_of_threads_gives_the_same_bytes_in_order() {
    let problems: Vec<String> = (0..300)
        .map(|i| {
            let line = [STING, SCREW, SHORT, OVERLAPPING, "{\"name\":\"sting\"}"][i % 5];
            let line = line.replacen("0.1,", &format!("0.{i},"), 1);
            let name = line.split('"').nth(3).unwrap();
            line.replacen(name, &format!("p{i}"), 1)
        })
        .collect();
    let folder = folder(&problems.iter().map(String::as_str).collect::<Vec<_>>());
    for all in [&[][..], &["--all"]] {
        let run = |threads| folder.run(&[&["batch", "all.jsonl", "--threads", threads], all].concat());
        let one = run("1");
        let names: Vec<_> =
            one.json().iter().map(|answer| answer["name"].as_str().unwrap().to_owned()).collect();
        assert_eq!(names, (0..300).map(|i| format!("p{i}")).collect::<Vec<_>>());
        for verdict in ["contact", "clear", "overlapping", "error"] {
            assert!(one.stdout.contains(&format!("\"verdict\":\"{verdict}\"")), "{verdict}");
        }
        assert_eq!(one.status, Some(2));
        assert_eq!(run("2"), one);
        assert_eq!(run("8"), one);
    }
}

#[test]
fn concatenated_shards_are_the_whole_answer() {
    let problems: Vec<String> = (0..41)
        .map(|i| match i % 9 {
            3 => String::new(),
            5 => "{\"name\":".into(),
            _ => [STING, SCREW, SHORT, OVERLAPPING][i % 4].replacen(
                "\"name\":\"",
                &format!("\"name\":\"{i}"),
                1,
            ),
        })
        .collect();
    let folder = folder(&problems.iter().map(String::as_str).collect::<Vec<_>>());
    let run = |args: &[&str]| folder.run(&[&["batch", "all.jsonl"], args].concat());
    let whole = run(&[]).stdout;
    assert!(whole.lines().count() > 30);
    for count in [1, 2, 3, 7, 40] {
        let shards = (1..=count).map(|number| run(&["--shard", &format!("{number}/{count}")]).stdout);
        assert_eq!(shards.collect::<String>(), whole, "{count}");
    }
    assert_eq!(run(&["--shard", "1/1000000"]).stdout, "");
    for wrong in ["0/4", "5/4", "1/0", "1", "a/b", "1/1000001"] {
        let reported = run(&["--shard", wrong]);
        assert_eq!(reported.status, Some(2));
        assert!(reported.stderr.contains("such as 1/4"), "{}", reported.stderr);
    }
    let found = "standard input: found no file whose length is known, expected one for --shard";
    folder.run(&["batch", "-", "--shard", "1/2"]).refused(found);
}

#[test]
fn meshes_are_relative_to_the_file_of_problems() {
    let folder = Folder::new();
    folder.write("set/cube.obj", CUBE);
    folder.write("set/thorn.obj", THORN);
    folder.write("set/all.jsonl", STING);
    let run = folder.run(&["batch", "set/all.jsonl"]);
    assert_eq!((run.status, &run.json()[0]["verdict"]), (Some(0), &json!("contact")));
}

#[test]
fn answers_are_written_as_soon_as_their_predecessors() {
    let folder = folder(&[]);
    let mut child = folder
        .program(&["batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for (problem, verdict) in [(STING, "contact"), (SHORT, "clear"), ("?", "standard input:3: ")] {
        writeln!(input, "{problem}").unwrap();
        let answer = answers.next().unwrap().unwrap();
        assert!(answer.contains(verdict), "{answer}");
    }
    drop(input);
    assert!(answers.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn unreadable_input_is_an_error() {
    let folder = folder(&[]);
    let run = folder.run(&["batch", "gone.jsonl", "-o", "answers.jsonl"]);
    run.refused("gone.jsonl: cannot be read: No such file or directory (os error 2)");
    folder.write("set/a", "");
    folder.run(&["batch", "set"]).refused("set: found a folder, expected a file of problems");
    assert_eq!(folder.names(), ["all.jsonl", "cube.obj", "set", "thorn.obj"]);
    let run = folder.run(&["batch", "all.jsonl", "--threads", "0"]);
    assert_eq!(run.status, Some(2));
    // A file without problems is no error.
    let run = folder.run(&["batch", "all.jsonl"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn a_file_of_answers_is_complete_or_absent() {
    let folder = folder(&[STING, "?", SHORT]);
    let printed = folder.run(&["batch", "all.jsonl"]);
    folder.write("answers.jsonl", "of yesterday");
    let run = folder.run(&["batch", "all.jsonl", "-o", "answers.jsonl"]);
    assert_eq!((run.status, run.stdout.as_str(), &run.stderr), (Some(2), "", &printed.stderr));
    assert_eq!(folder.read("answers.jsonl"), printed.stdout);
    assert_eq!(folder.names(), ["all.jsonl", "answers.jsonl", "cube.obj", "thorn.obj"]);

    let run = folder.run(&["batch", "all.jsonl", "--output", "gone/answers.jsonl"]);
    run.refused("gone/answers.jsonl: cannot be written: No such file or directory (os error 2)");
    let run = folder.run(&["batch", "all.jsonl", "-o", "./all.jsonl"]);
    run.refused("./all.jsonl: is the file of problems, which is never overwritten");
    let run = folder.run(&["batch", "all.jsonl", "-o", "-"]);
    assert_eq!(run, printed);
}

/// Starts a run that has answered two problems and waits for more.
#[cfg(target_os = "linux")]
fn waiting(folder: &Folder) -> std::process::Child {
    folder.write("answers.jsonl", "of yesterday");
    let args = ["batch", "-", "-o", "answers.jsonl"];
    let mut child = folder.program(&args).stdin(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.as_mut().unwrap();
    write!(input, "{STING}\n{SHORT}\n").unwrap();
    awaited("whole lines", || {
        let names = folder.names();
        let part = names.iter().find(|name| name.starts_with("answers.jsonl."))?;
        (folder.read(part).matches('\n').count() == 2).then_some(())
    });
    child
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_run_leaves_the_old_file_unchanged() {
    use std::os::unix::process::ExitStatusExt as _;
    let folder = folder(&[]);
    let before = ["all.jsonl", "answers.jsonl", "cube.obj", "thorn.obj"];
    // Under nohup SIGHUP is ignored, here and by all child processes.
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let is_ignored = status.lines().any(|line| {
        line.starts_with("SigIgn:")
            && line.ends_with(|digit: char| digit.to_digit(16).is_some_and(|mask| mask & 1 == 1))
    });
    let hangup = (!is_ignored).then_some(("-HUP", 1));
    for (name, number) in [("-TERM", 15), ("-INT", 2)].into_iter().chain(hangup) {
        let mut child = waiting(&folder);
        // `wait` would close the input, and at the end of its input the program ends by itself.
        let _input = child.stdin.take();
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([name, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        assert_eq!(
            (folder.read("answers.jsonl").as_str(), &folder.names()[..]),
            ("of yesterday", &before.map(String::from)[..])
        );
    }
    // A signal that cannot be caught leaves a temporary file behind; the older file is intact.
    let mut child = waiting(&folder);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(folder.read("answers.jsonl"), "of yesterday");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file_unchanged() {
    let folder = folder(&[STING; 400]);
    folder.write("answers.jsonl", "of yesterday");
    // Files may have 1 or 2 KiB, depending on the shell; exceeding this is an error instead of a signal.
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$0\" batch all.jsonl -o answers.jsonl";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_chasles")]).current_dir(folder.path(""));
    let run = Run::from(shell.output().unwrap());
    run.refused("answers.jsonl: cannot be written: File too large (os error 27)");
    assert_eq!(folder.read("answers.jsonl"), "of yesterday");
    assert_eq!(folder.names(), ["all.jsonl", "answers.jsonl", "cube.obj", "thorn.obj"]);
}

#[test]
fn answers_before_an_error_are_kept_and_reported() {
    let folder = folder(&[SHORT]);
    folder.write("all.jsonl", format!("{SHORT}\n{}", " ".repeat(1 << 21)));
    let run = folder.run(&["batch", "all.jsonl", "-o", "answers.jsonl"]);
    let (message, kept) =
        run.stderr.trim_end().split_once("; the answers so far are in ").expect(&run.stderr);
    assert!(
        message.ends_with("all.jsonl:2: found a line of more than 1048576 bytes, expected at most 1048576"),
        "{message}"
    );
    assert!(folder.read(kept).contains("\"verdict\":\"clear\""), "{kept}");
    assert_eq!(run.status, Some(2));
}

/// A file at a predictable name is not followed, and two runs do not disturb each other.
#[cfg(unix)]
#[test]
fn names_of_temporary_files_are_unpredictable() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder(&[STING, SHORT]);
    folder.write("mine", "all that I have");
    std::os::unix::fs::symlink("mine", folder.path("answers.jsonl.part")).unwrap();
    let runs: Vec<_> = (0..4)
        .map(|_| folder.program(&["batch", "all.jsonl", "-o", "answers.jsonl"]).spawn().unwrap())
        .collect();
    for mut run in runs {
        assert_eq!(run.wait().unwrap().code(), Some(0));
    }
    assert_eq!(folder.read("mine"), "all that I have");
    let printed = folder.run(&["batch", "all.jsonl"]);
    assert_eq!(folder.read("answers.jsonl"), printed.stdout);
    let names = ["all.jsonl", "answers.jsonl", "answers.jsonl.part", "cube.obj", "mine", "thorn.obj"];
    assert_eq!(folder.names(), names);
    // Permissions are those of any new file, or of the older file.
    let rights = |name: &str| std::fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(rights("answers.jsonl"), rights("mine"));
    std::fs::set_permissions(folder.path("answers.jsonl"), std::fs::Permissions::from_mode(0o604)).unwrap();
    folder.run(&["batch", "all.jsonl", "-o", "answers.jsonl"]);
    assert_eq!(rights("answers.jsonl"), 0o604);
}

#[cfg(unix)]
#[test]
fn a_device_stays_a_device() {
    let folder = folder(&[SHORT]);
    let run = folder.run(&["batch", "all.jsonl", "-o", "/dev/null"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    // A symbolic link still leads to the answers.
    std::os::unix::fs::symlink("answers.jsonl", folder.path("link")).unwrap();
    folder.write("answers.jsonl", "");
    folder.run(&["batch", "all.jsonl", "-o", "link"]);
    assert_eq!(folder.read("answers.jsonl"), "{\"name\":\"short\",\"verdict\":\"clear\"}\n");
    assert!(std::fs::symlink_metadata(folder.path("link")).unwrap().is_symlink());
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_success() {
    let folder = folder(&[STING; 2000]);
    let mut child = folder
        .program(&["batch", "all.jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
}
