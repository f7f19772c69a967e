//! Reports in every format contain the warnings; with `--strict` the warnings are errors.

use crate::support::Folder;

/// A robot with two warnings: the axis of its joint is not of length 1, and a path can exceed the speed of the joint.
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
const FAST: &str = "fast.csv: joint \"j\": found 5 m/s at 0 s, beyond its maximum speed of 1 m/s, from 0 s until 1 s in \
                    segment 0";

fn reported(warnings: &[&str]) -> String {
    warnings.iter().map(|warning| format!("chasles: warning: {warning}\n")).collect()
}

#[test]
fn every_report_of_a_path_has_warnings() {
    let folder = folder();
    let args = ["check", "r.urdf", "--path", "fast.csv", "--json", "--csv", "r.csv", "--junit", "r.xml"];
    let run = folder.run(&args);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), reported(&[AXIS, FAST]).as_str()));
    assert_eq!(run.json()[0]["warnings"], serde_json::json!([AXIS, FAST]));
    assert!(folder.read("r.csv").ends_with(&format!("\n# warning: {AXIS}\n# warning: {FAST}\n")));
    let xml = folder.read("r.xml").replace("&quot;", "\"").replace("&#10;", "\n");
    assert!(xml.contains(&format!("<system-out>warning: {AXIS}\nwarning: {FAST}\n</system-out>")), "{xml}");
    let at = folder.run(&["check", "r.urdf", "--path", "fast.csv", "--json", "--at", "0.5"]);
    assert_eq!(at.json()[0]["warnings"], serde_json::json!([AXIS, FAST]));
}

#[test]
fn each_of_several_paths_has_its_own_warnings() {
    let folder = folder();
    let run = folder.run(&["check", "r.urdf", "--path", "slow.csv", "--path", "fast.csv", "--json"]);
    let report = &run.json()[0];
    assert_eq!(report["warnings"], serde_json::json!([AXIS]));
    assert_eq!(report["paths"][0]["warnings"], serde_json::json!([]));
    assert_eq!(report["paths"][1]["warnings"], serde_json::json!([FAST]));
}

#[test]
fn findings_are_not_warnings() {
    let folder = folder();
    let run = folder.run(&["check", "r.urdf", "--path", "fast.csv", "--limits", "report", "--json"]);
    assert_eq!(run.json()[0]["warnings"], serde_json::json!([AXIS]));
    let run = folder.run(&["check", "r.urdf", "--path", "fast.csv", "--limits", "refuse"]);
    assert_eq!(run.stderr, reported(&[AXIS]) + "chasles: " + FAST + "\n");
}

#[test]
fn reports_of_other_commands_have_warnings() {
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
    // Lines have the key only if one of their meshes has a warning.
    folder.write("plain.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("ship.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nspaceship 7\n");
    let poses = r#""pose0":[0,0,9,1,0,0,0],"pose1":[0,0,8,1,0,0,0]"#;
    let line =
        |a: &str, b: &str| format!(r#"{{"name":"p","a":{{"mesh":"{a}"}},"b":{{"mesh":"{b}"}},{poses}}}"#);
    let lines = [line("ship.obj", "plain.obj"), line("plain.obj", "plain.obj"), line("ship.obj", "none.obj")];
    folder.write("p.jsonl", lines.join("\n"));
    let batch = folder.run(&["batch", "p.jsonl"]).json();
    let ship = &batch[0]["warnings"];
    assert!(ship[0].as_str().unwrap().starts_with("ship.obj: ") && ship[1].is_null(), "{batch:?}");
    assert_eq!((batch[1].get("warnings"), &batch[2]["warnings"]), (None, ship));
    assert_eq!(batch[2]["verdict"], "error");
    let screen = folder.run(&["screen", "p.jsonl", "--json"]).json();
    assert_eq!([&screen[0]["warnings"], &screen[2]["warnings"]], [ship; 2]);
    assert_eq!(screen[1]["warnings"], serde_json::json!([]));
}

/// A post beside the arm, and a hand that has only visual geometry.
fn cell() -> Folder {
    let folder = Folder::new();
    let link = |name: &str, kind: &str, geometry: &str| {
        format!(
            "<link name='{name}'><{kind}><origin xyz='0.2 0 0'/><geometry>{geometry}</geometry></{kind}></link>"
        )
    };
    let joint = |name: &str, [parent, child]: [&str; 2], x: f64| {
        format!(
            "<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/><origin xyz='{x} 0 0'/>\
             <axis xyz='0 0 1'/><limit lower='-3' upper='3' velocity='9'/></joint>"
        )
    };
    let robot = [
        "<robot name='r'><link name='base'/>".to_owned(),
        link("arm", "collision", "<box size='0.4 0.05 0.05'/>"),
        link("hand", "visual", "<box size='0.4 0.05 0.05'/>"),
        joint("turn", ["base", "arm"], 0.0),
        joint("wrist", ["arm", "hand"], 0.4) + "</robot>",
    ];
    folder.write("r.urdf", robot.concat());
    let post = "[[body]]\nname = 'post'\nsphere = 0.05\npose = { position = [0.6, 0, 0] }\n";
    folder.write("w.toml", format!("format = 1\nduration = 1\n{post}"));
    folder.write("p.csv", "time,turn\n0,-0.5\n2,0.5\n3,1\n");
    folder.write("late.csv", "time,turn\n2,0.5\n3,1\n");
    folder.write("rows.csv", "turn,wrist\n-0.5,0\n0.5,0\n");
    let home = "<group_state name='home' group='g'><joint name='turn' value='-0.5'/></group_state>";
    folder.write("r.srdf", format!("<robot name='r'>{home}</robot>"));
    folder
}

#[test]
fn visual_geometry_is_reported_or_used() {
    let folder = cell();
    let args = ["check", "r.urdf", "--path", "p.csv", "--world", "w.toml", "--json"];
    let run = folder.run(&args);
    let warning = run.json()[0]["warnings"][0].as_str().unwrap().to_owned();
    assert!(run.status == Some(0) && warning.contains("no collision geometry in \"hand\""), "{run:?}");
    let run = folder.run(&[&args[..], &["--use-visual"]].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    assert_eq!(run.json()[0]["pairs"][0]["a"], "hand");
    let info = folder.run(&["info", "r.urdf", "--use-visual", "--json"]);
    assert_eq!(info.json()[0]["bodies"][1]["name"], "hand");
    folder
        .run(&["info", "w.toml", "--use-visual"])
        .refused("w.toml: found --use-visual, which is for robots (.urdf)");
    folder.write("bare.urdf", "<robot name='b'><link name='a'/></robot>");
    let run = folder.run(&["check", "bare.urdf", "--path", "p.csv"]);
    assert!(
        run.status == Some(2) && run.stderr.contains("found no collision geometry in any link"),
        "{run:?}"
    );
}

#[test]
fn the_edge_from_the_start_is_checked() {
    let folder = cell();
    let check = |path: &str, more: &[&str]| {
        let args = ["check", "r.urdf", "--path", path, "--world", "w.toml", "--use-visual", "--json"];
        folder.run(&[&args[..], more].concat())
    };
    let whole = check("p.csv", &[]).json()[0]["pairs"].clone();
    let late = check("late.csv", &["--srdf", "r.srdf", "--start", "home"]);
    assert_eq!((late.status, &late.json()[0]["pairs"]), (Some(1), &whole));
    // Without a start the robot has no position before 2 s.
    assert_eq!(check("late.csv", &[]).status, Some(0));
}

#[test]
fn a_retimed_path_needs_no_times() {
    let folder = cell();
    let run = folder.run(&["check", "r.urdf", "--path", "rows.csv", "--retime", "2", "--json"]);
    // One radian from rest to rest at 2 rad/s^2 takes 2 sqrt(1/2) s.
    let duration = run.json()[0]["duration"].as_f64().unwrap();
    assert!((duration - 2.0_f64.sqrt()).abs() < 1e-9, "{duration}");
    let run = folder.run(&["check", "r.urdf", "--path", "rows.csv"]);
    assert!(run.status == Some(2) && run.stderr.contains("found no column called time"), "{run:?}");
}

#[test]
fn strict_reports_all_warnings_and_checks_nothing() {
    let folder = folder();
    let run = folder.run(&["check", "r.urdf", "--path", "fast.csv", "--strict", "--csv", "r.csv"]);
    let expected = reported(&[AXIS, FAST]) + "chasles: --strict: found 2 warnings, expected none\n";
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
        assert_eq!(
            (run.status, last),
            (Some(2), "chasles: --strict: found 1 warning, expected none"),
            "{args:?}"
        );
        assert_eq!(folder.run(args).status.filter(|status| *status == 2), None, "{args:?}");
    }
    folder.write("good.toml", "format = 1\nduration = 1\n[[body]]\nname = 'a'\nsphere = 1\n");
    assert_eq!(folder.run(&["--strict", "check", "good.toml"]).status, Some(0));
}
