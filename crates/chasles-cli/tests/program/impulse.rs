//! `chasles impulse`: answers, and the treatment of bad lines. `batch` tests the shared code for order, files, pipes
//! and signals.

use serde_json::{Value, json};

use crate::support::Folder;

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

#[test]
fn bodies_without_contacts_keep_their_velocity() {
    let run = folder(&[FREE]).run(&["impulse", "all.jsonl"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let bodies = r#"[{"name":"a","linear":[0.1,0.0,1e-300],"angular":[0.0,7.0,0.0]},{"name":"floor","linear":[0.0,0.0,0.0],"angular":[0.0,0.0,0.0]}]"#;
    let start = format!(
        r#"{{"name":"free","verdict":"solved","bodies":{bodies},"contacts":[],"joints":[],"energy":{{"before":"#
    );
    assert!(run.stdout.starts_with(&start), "{}", run.stdout);
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
fn unsolvable_problems_have_a_reason() {
    let folder = folder(&[FREE, CRUSHED]);
    let run = folder.run(&["impulse", "all.jsonl"]);
    assert_eq!(run.status, Some(3));
    let reported = run.json()[1]["why"].as_str().unwrap().to_owned();
    let whys = ["contact 0 of \"jaw\" and \"egg\"", "contact 1 of \"egg\" and \"wall\""]
        .map(|contact| format!("{contact} would still approach"));
    assert!(whys.contains(&reported), "{reported}");
    let start = r#"{"name":"crushed","verdict":"unsolvable","why":"contact "#;
    assert!(run.stdout.lines().nth(1).unwrap().starts_with(start), "{}", run.stdout);
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
    let error = |name: Value, reported: &str, answer: &Value| {
        assert_eq!((&answer["name"], &answer["verdict"]), (&name, &json!("error")));
        let error = answer["error"].as_str().unwrap();
        assert!(error.starts_with(reported), "{error}");
    };
    error(Value::Null, "all.jsonl:1: not JSON: ", &answers[0]);
    error(
        Value::Null,
        "all.jsonl:3: found a list of length 3, expected an object with the keys name, ",
        &answers[1],
    );
    error(json!("free"), "all.jsonl:4: bodies[0].mass: found 0, expected a finite number > 0", &answers[2]);
    error(json!("drop"), "all.jsonl:5: joints[0].axis: found a vector of length zero", &answers[3]);
    let reported = "all.jsonl:6: contacts[0].b: found \"bal\", expected the name of one of the bodies; did you mean \"ball\"?";
    error(json!("drop"), reported, &answers[4]);
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

/// The problem in the help is valid.
#[test]
fn help_has_a_problem_with_its_answer() {
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
