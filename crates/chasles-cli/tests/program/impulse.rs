//! `chasles impulse`: answers, their order, and the treatment of bad lines.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Folder, Run};

/// Two bodies without contact, one of them keyframed.
const FREE: &str = r#"{"name":"free","bodies":[{"name":"a","mass":2,"inertia":[1,2,3],"center":[0,0,1],"linear":[0.1,-0.0,1e-300],"angular":[0,7,0]},{"name":"floor","keyframed":true}]}"#;
/// A ball on a floor, and a bar that a hinge holds to it.
const DROP: &str = r#"{"name":"drop","bodies":[{"name":"ball","mass":2,"inertia":[0.1,0.1,0.1],"center":[0,0,1],"linear":[1,0,-3]},{"name":"bar","mass":1,"inertia":[0.4,0.4,0.1],"center":[0,2,1]},{"name":"floor","keyframed":true}],"contacts":[{"a":"floor","b":"ball","point":[0,0,0],"normal":[0,0,1],"elasticity":0.5,"friction":0.3}],"joints":[{"kind":"hinge","a":"ball","b":"bar","point":[0,1,1],"axis":[1,0,0]}]}"#;
/// A body crushed by keyframed jaws.
const CRUSHED: &str = r#"{"name":"crushed","bodies":[{"name":"jaw","keyframed":true,"linear":[1,0,0]},{"name":"egg","mass":1,"inertia":[1,1,1],"center":[0,0,0]},{"name":"wall","keyframed":true}],"contacts":[{"a":"jaw","b":"egg","point":[-1,0,0],"normal":[1,0,0]},{"a":"egg","b":"wall","point":[1,0,0],"normal":[1,0,0]}]}"#;

fn folder(problems: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("all.jsonl", problems.join("\n"));
    folder
}

/// The same problem under another name.
fn renamed(problem: &str, name: &str) -> String {
    let (_, rest) = problem.split_once(',').unwrap();
    format!("{{\"name\":\"{name}\",{rest}")
}

#[test]
fn bodies_that_nothing_touches_fly_on() {
    let run = folder(&[FREE]).run(&["impulse", "all.jsonl"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let bodies = r#"[{"name":"a","linear":[0.1,0.0,1e-300],"angular":[0.0,7.0,0.0]},{"name":"floor","linear":[0.0,0.0,0.0],"angular":[0.0,0.0,0.0]}]"#;
    let begin = format!(
        r#"{{"name":"free","verdict":"solved","bodies":{bodies},"contacts":[],"joints":[],"energy":{{"before":"#
    );
    assert!(run.stdout.starts_with(&begin), "{}", run.stdout);
    assert_eq!(run.json()[0]["energy"]["dissipated"], json!(0.0));
}

#[test]
fn an_answer_has_all_its_keys_in_the_order_of_the_problem() {
    let run = folder(&[DROP]).run(&["impulse", "all.jsonl"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    // Numbers and the state are left out: the test compares keys, names and brackets.
    let mut shape = String::new();
    for piece in run.stdout.trim_end().split_inclusive([',', '[', ']', '{', '}', ':']) {
        let (text, end) = piece.split_at(piece.len() - 1);
        let left_out = text.parse::<f64>().is_ok() || ["\"none\"", "\"stick\"", "\"slide\""].contains(&text);
        shape.extend([if left_out { "" } else { text }, end]);
    }
    let body = |name: &str| format!(r#"{{"name":"{name}","linear":[,,],"angular":[,,]}}"#);
    let expected = format!(
        r#"{{"name":"drop","verdict":"solved","bodies":[{},{},{}],"contacts":[{{"impulse":[,,],"state":}}],"joints":[{{"impulse":[,,],"moment":[,,]}}],"energy":{{"before":,"after":,"dissipated":}}}}"#,
        body("ball"),
        body("bar"),
        body("floor")
    );
    assert_eq!(shape, expected);
}

#[test]
fn what_cannot_be_solved_says_why() {
    let folder = folder(&[FREE, CRUSHED]);
    let run = folder.run(&["impulse", "all.jsonl"]);
    assert_eq!(run.status, Some(3));
    let told = run.json()[1]["why"].as_str().unwrap().to_owned();
    let whys = ["contact 0 of \"jaw\" and \"egg\"", "contact 1 of \"egg\" and \"wall\""]
        .map(|contact| format!("{contact} would still approach"));
    assert!(whys.contains(&told), "{told}");
    let begin = r#"{"name":"crushed","verdict":"unsolvable","why":"contact "#;
    assert!(run.stdout.lines().nth(1).unwrap().starts_with(begin), "{}", run.stdout);
    assert_eq!(run.stderr, "chasles: 1 of 2 lines not solved: see \"why\" there\n");
    // An error takes precedence.
    folder.write("all.jsonl", format!("{CRUSHED}\n?"));
    let run = folder.run(&["impulse", "all.jsonl"]);
    assert_eq!((run.status, run.stderr.lines().count()), (Some(2), 2));
}

#[test]
fn bad_lines_are_answered_and_the_others_too() {
    let lines = [
        "{oops",
        "",
        "[1,2,3]",
        &FREE.replace("\"mass\":2", "\"mass\":0"),
        &DROP.replace("\"axis\":[1,0,0]", "\"axis\":[0,0,0]"),
        &DROP.replace("\"b\":\"ball\"", "\"b\":\"bal\""),
        r#"{"bodies":[{"name":"a","keyframed":true}],"names":0,"name":"p7"}"#,
        FREE,
    ];
    let run = folder(&lines).run(&["impulse", "all.jsonl"]);
    assert_eq!(run.status, Some(2));
    let answers = run.json();
    let error = |name: Value, told: &str, answer: &Value| {
        assert_eq!((&answer["name"], &answer["verdict"]), (&name, &json!("error")));
        let error = answer["error"].as_str().unwrap();
        assert!(error.starts_with(told), "{error}");
    };
    error(Value::Null, "all.jsonl:1: not JSON: ", &answers[0]);
    error(
        Value::Null,
        "all.jsonl:3: found a list of length 3, expected an object with the keys name, ",
        &answers[1],
    );
    error(json!("free"), "all.jsonl:4: bodies[0].mass: found 0, expected a finite number > 0", &answers[2]);
    error(json!("drop"), "all.jsonl:5: joints[0].axis: found a vector of length zero", &answers[3]);
    let told = "all.jsonl:6: contacts[0].b: found \"bal\", expected the name of one of the bodies; did you mean \"ball\"?";
    error(json!("drop"), told, &answers[4]);
    error(json!("p7"), "all.jsonl:7: names: found an unknown key", &answers[5]);
    assert_eq!((answers.len(), &answers[6]["verdict"]), (7, &json!("solved")));
    assert!(
        run.stdout.starts_with(r#"{"name":null,"verdict":"error","error":"all.jsonl:1: "#),
        "{}",
        run.stdout
    );
    assert_eq!(run.stderr, "chasles: 6 of 7 lines could not be answered: see \"error\" there\n");
}

#[test]
fn any_number_of_threads_gives_the_same_bytes_in_order() {
    let names: Vec<_> = (0..300).map(|i| format!("p{i}")).collect();
    let problems: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            renamed([FREE, DROP, CRUSHED, r#"{"name":"",7}"#, r#"{"name":"","bodies":7}"#][i % 5], name)
        })
        .collect();
    let folder = folder(&problems.iter().map(String::as_str).collect::<Vec<_>>());
    let run = |threads| folder.run(&["impulse", "all.jsonl", "--threads", threads]);
    let one = run("1");
    let told: Vec<_> = one.json().iter().map(|answer| answer["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!((told, one.status), (names, Some(2)));
    assert_eq!(run("2"), one);
    assert_eq!(run("8"), one);
}

#[test]
fn a_mechanism_may_be_larger_than_a_problem_of_meshes() {
    // A chain of 10,000 links: four megabytes on one line.
    let links = 10_000;
    let bodies: Vec<_> = (0..links)
        .map(|i| format!(r#"{{"name":"link {i}","mass":1,"inertia":[[0.4,0.01,0],[0.01,0.4,0],[0,0,0.4]],"center":[{i},0,0],"linear":[0,0,1],"angular":[0,0,0],"elasticity":0.25,"friction":"rough"}}"#))
        .collect();
    let joints: Vec<_> = (1..links)
        .map(|i| {
            format!(
                r#"{{"kind":"hinge","a":"link {}","b":"link {i}","point":[{i}.5,0,0],"axis":[0,0,1]}}"#,
                i - 1
            )
        })
        .collect();
    let chain =
        format!(r#"{{"name":"chain","bodies":[{}],"joints":[{}]}}"#, bodies.join(","), joints.join(","));
    assert!(chain.len() > 2 << 20);
    let run = folder(&[&chain]).run(&["impulse", "all.jsonl"]);
    let answer = &run.json()[0];
    assert_eq!((run.status, &answer["verdict"]), (Some(0), &json!("solved")));
    let lengths = ["bodies", "joints"].map(|key| answer[key].as_array().unwrap().len());
    assert_eq!(lengths, [links, links - 1]);
}

#[test]
fn answers_come_as_soon_as_their_turn_does() {
    let folder = Folder::new();
    let mut child = folder
        .program(&["impulse", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for (problem, told) in [(FREE, "\"solved\""), ("?", "standard input:2: "), (DROP, "\"solved\"")] {
        writeln!(input, "{problem}").unwrap();
        let answer = answers.next().unwrap().unwrap();
        assert!(answer.contains(told), "{answer}");
    }
    drop(input);
    assert!(answers.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn a_file_of_answers_is_whole_or_not_there() {
    let folder = folder(&[FREE, "?", DROP]);
    let printed = folder.run(&["impulse", "all.jsonl"]);
    folder.write("answers.jsonl", "of yesterday");
    let run = folder.run(&["impulse", "all.jsonl", "-o", "answers.jsonl"]);
    assert_eq!((run.status, run.stdout.as_str(), &run.stderr), (Some(2), "", &printed.stderr));
    assert_eq!(folder.read("answers.jsonl"), printed.stdout);
    assert_eq!(folder.names(), ["all.jsonl", "answers.jsonl"]);
    assert_eq!(folder.run(&["impulse", "all.jsonl", "-o", "-"]), printed);

    let run = folder.run(&["impulse", "all.jsonl", "-o", "./all.jsonl"]);
    run.refused("./all.jsonl: is the file of problems, which stays");
    let run = folder.run(&["impulse", "gone.jsonl", "-o", "answers.jsonl"]);
    run.refused("gone.jsonl: cannot be read: No such file or directory (os error 2)");
    folder.write("all.jsonl", "");
    let run = folder.run(&["impulse", "all.jsonl"]);
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "", ""));
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_stopped_keeps_whole_lines() {
    use std::os::unix::process::ExitStatusExt as _;

    use crate::running::Running;
    use crate::support::awaited;

    let folder = Folder::new();
    folder.write("answers.jsonl", "of yesterday");
    for output in [&[][..], &["-o", "answers.jsonl"]] {
        let args = [&["impulse", "-"], output].concat();
        let mut running = Running::start(&folder, &args, Stdio::piped());
        // The input stays open, so that the program does not end by itself.
        let mut input = running.0.stdin.take().unwrap();
        write!(input, "{FREE}\n{DROP}\n").unwrap();
        if output.is_empty() {
            let mut answers = BufReader::new(running.0.stdout.take().unwrap()).lines();
            for name in ["free", "drop"] {
                let answer = answers.next().unwrap().unwrap();
                assert!(
                    answer.starts_with(&format!("{{\"name\":\"{name}\"")) && answer.ends_with('}'),
                    "{answer}"
                );
            }
        }
        crate::running::takes_signals(&running.0);
        // A signal that arrives while the handler is being installed may be lost.
        let status = awaited("its end", || {
            running.interrupt();
            running.0.try_wait().unwrap()
        });
        assert_eq!(status.signal(), Some(2));
        assert_eq!((folder.read("answers.jsonl").as_str(), folder.names().len()), ("of yesterday", 1));
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_success() {
    let folder = folder(&[FREE; 2000]);
    let mut child = folder
        .program(&["impulse", "all.jsonl"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
}

/// The problem in the help is valid.
#[test]
fn help_teaches_with_a_problem_that_is_solved() {
    let folder = Folder::new();
    let help = folder.run(&["impulse", "--help"]).stdout;
    for word in
        ["PROBLEMS\n", "ANSWERS\n", "EXIT STATUS", "EXAMPLES", "unsolvable", "\"rough\"", "all.jsonl > FILE"]
    {
        assert!(help.contains(word), "{word} is not in\n{help}");
    }
    let (_, problem) = help.split_once("PROBLEMS\n").unwrap();
    let (problem, _) = problem.split_once("\n\n").unwrap();
    folder.write("all.jsonl", problem.replace("(on one line)", "").replace('\n', " "));
    let run = folder.run(&["impulse", "all.jsonl"]);
    assert_eq!((run.status, &run.json()[0]["verdict"]), (Some(0), &json!("solved")), "{}", run.stdout);
    assert!(folder.run(&["impulse", "-h"]).stdout.lines().count() < 25);
}
