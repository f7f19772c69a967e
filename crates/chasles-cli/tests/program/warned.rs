//! Warnings reach whoever reads a report, in every form; with `--strict` they are errors.

use crate::support::Folder;

/// A robot whose joint is slow, so that a path can be too fast for it, and a second one.
const ROBOT: &str = "<robot name='r'>\
    <link name='a'><collision><geometry><box size='1 1 1'/></geometry></collision></link>\
    <link name='b'><collision><geometry><box size='1 1 1'/></geometry></collision></link>\
    <joint name='j' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='2 0 0'/>\
    <limit lower='-9' upper='9' velocity='1'/></joint></robot>";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("r.urdf", ROBOT);
    folder.write("fast.csv", "time,j\n0,0\n1,5\n");
    folder.write("slow.csv", "time,j\n0,0\n1,0.5\n");
    folder.write("odd.obj", "v 0 0 0\nv 30000 0 0\nv 0 30000 0\nf 1 2 3\n");
    let small = "[[body]]\nname = 'small'\nbox = [1, 1, 1]\n[body.motion]\nkind = 'twist'\nlinear = [1, 0, 0]\n\
                 angular = [0, 0, 0]\npose = { position = [0, 0, 5] }\n";
    let small = small.replace("pose = { position = [0, 0, 5] }\n", "");
    let scene = format!("format = 1\nduration = 1\n{small}[[body]]\nname = 'odd'\nmesh = 'odd.obj'\n");
    folder.write("s.toml", scene + "pose = { position = [0, 0, 9] }\n");
    folder
}

const AXIS: &str = "r.urdf:1: joint \"j\", axis: 2 0 0 is not of length 1: only its direction counts";
const FAST: &str = "fast.csv: joint \"j\": found 5 m/s at 0 s, beyond its greatest speed of 1 m/s, from 0 s until 1 s in \
                    segment 0";

fn told(warnings: &[&str]) -> String {
    warnings.iter().map(|warning| format!("chasles: warning: {warning}\n")).collect()
}

#[test]
fn every_report_of_a_path_has_them() {
    let folder = folder();
    let args = ["check", "r.urdf", "--path", "fast.csv", "--json", "--csv", "r.csv", "--junit", "r.xml"];
    let run = folder.run(&args);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), told(&[AXIS, FAST]).as_str()));
    assert_eq!(run.json()[0]["warnings"], serde_json::json!([AXIS, FAST]));
    assert!(folder.read("r.csv").ends_with(&format!("\n# warning: {AXIS}\n# warning: {FAST}\n")));
    let xml = folder.read("r.xml").replace("&quot;", "\"").replace("&#10;", "\n");
    assert!(xml.contains(&format!("<system-out>warning: {AXIS}\nwarning: {FAST}\n</system-out>")), "{xml}");
    let at = folder.run(&["check", "r.urdf", "--path", "fast.csv", "--json", "--at", "0.5"]);
    assert_eq!(at.json()[0]["warnings"], serde_json::json!([AXIS, FAST]));
}

#[test]
fn of_several_paths_each_has_its_own() {
    let folder = folder();
    let run = folder.run(&["check", "r.urdf", "--path", "slow.csv", "--path", "fast.csv", "--json"]);
    let report = &run.json()[0];
    assert_eq!(report["warnings"], serde_json::json!([AXIS]));
    assert_eq!(report["paths"][0]["warnings"], serde_json::json!([]));
    assert_eq!(report["paths"][1]["warnings"], serde_json::json!([FAST]));
}

#[test]
fn findings_are_no_warnings() {
    let folder = folder();
    let run = folder.run(&["check", "r.urdf", "--path", "fast.csv", "--limits", "report", "--json"]);
    assert_eq!(run.json()[0]["warnings"], serde_json::json!([AXIS]));
    let run = folder.run(&["check", "r.urdf", "--path", "fast.csv", "--limits", "refuse"]);
    assert_eq!(run.stderr, told(&[AXIS]) + "chasles: " + FAST + "\n");
}

#[test]
fn reports_of_other_commands_have_them() {
    let folder = folder();
    let run = folder.run(&["check", "s.toml", "--json"]);
    let warnings = run.json()[0]["warnings"].clone();
    let warning = warnings[0].as_str().unwrap();
    assert!(warning.contains("odd") && warning.contains("millimetres"), "{warning}");
    let pairs = folder.run(&["pairs", "r.urdf", "--json", "--postures", "2"]);
    assert_eq!(pairs.json()[0]["warnings"], serde_json::json!([AXIS]));
    let screen = folder.run(&["screen", "s.toml", "--pair", "small", "odd", "--json"]);
    assert_eq!(screen.json()[0]["warnings"], warnings);
    folder.write("still.toml", "format = 1\nduration = 1\n[[body]]\nname = 'a'\nsphere = 1\nmass = 1\n");
    let simulation = folder.run(&["simulate", "still.toml", "--json"]);
    assert_eq!(simulation.json()[0]["warnings"], serde_json::json!([]));
    let problem = r#"{"name":"p","a":{"mesh":"odd.obj"},"b":{"mesh":"odd.obj"},"pose0":[0,0,9,1,0,0,0],"pose1":[0,0,8,1,0,0,0]}"#;
    folder.write("p.jsonl", problem);
    let screen = folder.run(&["screen", "p.jsonl", "--json"]);
    assert_eq!(screen.json()[0]["warnings"], serde_json::json!([]), "{screen:?}");
}

#[test]
fn strict_names_them_all_and_checks_nothing() {
    let folder = folder();
    let run = folder.run(&["check", "r.urdf", "--path", "fast.csv", "--strict", "--csv", "r.csv"]);
    let expected = told(&[AXIS, FAST]) + "chasles: --strict: found 2 warnings, expected none\n";
    assert_eq!((run.status, run.stdout.as_str(), run.stderr.as_str()), (Some(2), "", expected.as_str()));
    assert!(!folder.names().contains(&"r.csv".to_owned()));
    for args in [
        &["check", "s.toml"][..],
        &["info", "r.urdf"],
        &["pairs", "r.urdf", "--postures", "2"],
        &["jog", "r.urdf"],
        &["screen", "s.toml", "--pair", "small", "odd"],
        &["render", "s.toml", "-o", "s.png"],
    ] {
        let run = folder.run(&[args, &["--strict"]].concat());
        let last = run.stderr.lines().last().unwrap();
        assert_eq!((run.status, last), (Some(2), "chasles: --strict: found 1 warning, expected none"), "{args:?}");
        assert_eq!(folder.run(args).status.filter(|status| *status == 2), None, "{args:?}");
    }
    folder.write("good.toml", "format = 1\nduration = 1\n[[body]]\nname = 'a'\nsphere = 1\n");
    assert_eq!(folder.run(&["--strict", "check", "good.toml"]).status, Some(0));
}
