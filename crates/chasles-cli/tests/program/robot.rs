//! `chasles check` of robots on paths.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::{Folder, Run};

/// A block of 1 m on a slide along x, at most 5 m far and 0.5 m/s fast, and a finger that it can rotate.
const CART: &str = r#"<robot name="cart">
  <link name="base"/>
  <link name="block"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="finger">
    <collision><origin xyz="0.5 0 1.5"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="base"/><child link="block"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="5" effort="1" velocity="0.5"/>
  </joint>
  <joint name="turn" type="continuous">
    <parent link="block"/><child link="finger"/><axis xyz="0 0 1"/>
  </joint>
</robot>"#;

/// A wall whose near face is at x = 3.
const WALL: &str = "format = 1\nduration = 1.0\n[[body]]\nname = 'wall'\nbox = [1, 1, 1]\n\
                    pose = { position = [3.5, 0.1, 0.2] }\n";

/// To the wall, which the block reaches in segment 1 at 7 s, halfway.
const HIT: &str = "time,slide\n5,0\n6,2\n8,3\n";
/// The warning about its first segment.
const TOO_FAST: &str = "chasles: warning: hit.csv: joint \"slide\": found 2 m/s at 5 s, beyond its maximum speed of 0.5 m/s, \
                        from 5 s until 6 s in segment 0\n";
const FREE: &str = "time,slide,turn\n0,0,0\n1,1,3\n";

fn folder() -> Folder {
    let folder = Folder::new();
    let files = [("cart.urdf", CART), ("wall.toml", WALL), ("hit.csv", HIT), ("free.csv", FREE)];
    files.iter().for_each(|(name, text)| folder.write(name, text));
    folder
}

/// `chasles check cart.urdf --world wall.toml ..`
fn check(folder: &Folder, more: &[&str]) -> Run {
    folder.run(&[&["check", "cart.urdf", "--world", "wall.toml"], more].concat())
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error} in {run:?}"))
}

fn near(value: &Value, expected: f64) -> bool {
    (value.as_f64().unwrap() - expected).abs() < 1e-6
}

#[test]
fn one_time_of_a_path() {
    let folder = folder();
    // At 7.5 s the block extends to 3.25; it has reached the wall's near face at 7 s.
    let run = check(&folder, &["--path", "hit.csv", "--at", "7.5"]);
    let begins = "cart.urdf on hit.csv at 7.5 s: 1 of 2 pairs intersects\n\n  \
                  a      b     triangles  apart when a moves by\n  block  wall  ";
    assert!(run.status == Some(1) && run.stdout.starts_with(begins), "{run:?}");
    assert!(run.stdout.contains("  0.25 m along (-1, 0, 0)\n"), "{}", run.stdout);
    let json = json(&check(&folder, &["--path", "hit.csv", "--at", "7.5", "--json"]));
    assert!(near(&json["pairs"][0]["depth"], 0.25) && near(&json["pairs"][0]["translation"][0], -0.25));
    let free = check(&folder, &["--path", "hit.csv", "--at", "6.9"]);
    let expected = "cart.urdf on hit.csv at 6.9 s: none of 2 pairs intersects\n";
    assert_eq!((free.status, free.stdout.as_str(), free.stderr.as_str()), (Some(0), expected, TOO_FAST));
    check(&folder, &["--path", "hit.csv", "--path", "free.csv", "--at", "7"])
        .refused("--at: found 2 paths, expected one: one is examined");
}

#[test]
fn input_files_are_never_overwritten() {
    let folder = folder();
    let same = check(&folder, &["--path", "hit.csv", "--csv", "hit.csv"]);
    assert_eq!((same.status, folder.read("hit.csv").as_str()), (Some(2), HIT));
    let same = check(&folder, &["--path", "hit.csv", "--csv", "cart.urdf"]);
    assert_eq!((same.status, folder.read("cart.urdf").as_str()), (Some(2), CART));
}

#[test]
fn many_paths_make_one_report() {
    let folder = folder();
    folder.write("program/b.csv", HIT);
    folder.write("program/a.json", r#"{"joint_names":["turn"],"points":[{"positions":[0],"time_from_start":0},{"positions":[9],"time_from_start":1}]}"#);
    folder.write("program/notes.txt", "not a path");
    folder.write("program/c.YAML", "joint_names: [turn]\npoints: []\n");
    let run = check(
        &folder,
        &["--path", "program", "--path", "free.csv", "--json", "--junit", "r.xml", "--csv", "r.csv"],
    );
    let report = json(&run);
    let reported: Vec<_> =
        report["paths"].as_array().unwrap().iter().map(|path| (&path["path"], &path["verdict"])).collect();
    let expected = [
        ("program/a.json", "clear"),
        ("program/b.csv", "contact"),
        ("program/c.YAML", "error"),
        ("free.csv", "clear"),
    ];
    assert_eq!(
        reported,
        expected
            .map(|(path, verdict)| (Value::from(path), Value::from(verdict)))
            .iter()
            .map(|(p, v)| (p, v))
            .collect::<Vec<_>>()
    );
    let complaint = "program/c.YAML: found no waypoint, expected at least two";
    let too_fast = "chasles: warning: program/b.csv: joint \"slide\": found 2 m/s";
    assert!(run.status == Some(2) && run.stderr.starts_with(too_fast), "{run:?}");
    assert!(run.stderr.ends_with(&format!("\nchasles: {complaint}\n")), "{run:?}");
    assert_eq!((&report["verdict"], &report["paths"][2]["error"]), (&"error".into(), &complaint.into()));
    // Each report is the same as for the path alone.
    let alone = json(&check(&folder, &["--path", "hit.csv", "--json"]));
    assert_eq!(alone["pairs"], report["paths"][1]["pairs"]);
    assert_eq!(folder.read("r.xml").matches("<testsuite ").count(), 4);
    let rows = folder.read("r.csv");
    assert_eq!(
        rows.lines()
            .filter(|line| !line.starts_with("# warning: "))
            .map(|line| line.split(',').next().unwrap().to_owned())
            .collect::<Vec<_>>(),
        ["path", "program/a.json", "program/b.csv", "program/c.YAML", "free.csv"]
    );
    // A summary at the end.
    let table = check(&folder, &["--path", "program", "--path", "free.csv"]).stdout;
    let summary = "\ncart.urdf: ERROR\n4 paths: 1 error, 1 contact, 2 clear\n\n  \
                   path            verdict  pairs  first           from  segment\n  \
                   program/a.json  clear\n  \
                   program/b.csv   contact  1      block and wall  7 s   1\n  \
                   program/c.YAML  error\n  \
                   free.csv        clear\n\nprogram/c.YAML: found no waypoint, expected at least two\n";
    assert!(
        table.starts_with("cart.urdf on program/b.csv: CONTACT\n") && table.ends_with(summary),
        "{table}"
    );
}

/// The status is that of the worst path: contact before undecided before clear.
#[test]
fn the_status_is_that_of_the_worst() {
    let folder = folder();
    let status = |more: &[&str]| check(&folder, more).status;
    assert_eq!(status(&["--path", "free.csv", "--path", "free.csv"]), Some(0));
    assert_eq!(status(&["--path", "free.csv", "--path", "hit.csv"]), Some(1));
    assert_eq!(status(&["--path", "hit.csv", "--path", "gone.csv"]), Some(2));
    assert_eq!(status(&["--path", "hit.csv", "--path", "free.csv", "--budget", "1"]), Some(3));
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let folder = folder();
    let mut paths = Vec::new();
    for k in 0..12 {
        let mut text = String::from("time,slide,turn\n");
        for row in 0..4 {
            let _ = writeln!(
                text,
                "{row},{},{}",
                f64::from((k * 7 + row * 5) % 11) * 0.4,
                f64::from(k * row) * 0.3
            );
        }
        folder.write(&format!("program/{k}.csv"), text);
        paths.push(k);
    }
    let run = |threads| check(&folder, &["--path", "program", "--json", "--all-pairs", "--threads", threads]);
    let one = run("1");
    assert_eq!((one.status, json(&one)["paths"].as_array().unwrap().len()), (Some(1), paths.len()));
    assert_eq!(run("4"), one);
}

#[test]
fn the_options_define_the_cell() {
    let folder = folder();
    let first = |more: &[&str]| {
        let report = json(&check(&folder, &[&["--path", "hit.csv", "--json"], more].concat()));
        (report["verdict"].clone(), report["pairs"][0]["intervals"][0]["enter"][0].as_f64())
    };
    // Half a metre closer to the wall, and rotated away from it.
    let (verdict, enter) = first(&["--base", "0.5,0,0,1,0,0,0"]);
    assert!(verdict == "contact" && (enter.unwrap() - 6.0).abs() < 1e-6);
    assert_eq!(first(&["--base=-1,0,0,0,0,0,2"]).0, "clear");
    folder
        .write("off.srdf", r#"<robot name="cart"><disable_collisions link1="base" link2="block"/></robot>"#);
    assert_eq!(first(&["--srdf", "off.srdf"]).0, "contact");
    // Closer than 0.5 m to the wall from 6 s; the finger, at 1.5 m, has its own clearance.
    let (verdict, enter) = first(&["--clearance", "0.5"]);
    assert!(verdict == "contact" && (enter.unwrap() - 7.0).abs() < 1e-6);
    folder.write("clear.csv", "a,b,clearance\n*,finger,0.9\nwall,block,0\n");
    let run = check(
        &folder,
        &["--path", "free.csv", "--json", "--clearance-file", "clear.csv", "--clearance", "3"],
    );
    let report = json(&run);
    assert_eq!((run.status, &report["verdict"]), (Some(0), &"clear".into()));
    folder.write("near.csv", "a,b,clearance\nblock,wall,2\n");
    let report = json(&check(&folder, &["--path", "free.csv", "--json", "--clearance-file", "near.csv"]));
    assert_eq!((&report["verdict"], &report["pairs"][0]["clearance"]), (&"near".into(), &2.0.into()));
    folder.write("bad.csv", "a,b,clearance\nblok,wall,2\n");
    let run = check(&folder, &["--path", "free.csv", "--clearance-file", "bad.csv"]);
    assert_eq!(run.status, Some(2));
    assert!(
        run.stderr.starts_with("chasles: bad.csv:2: found `blok`")
            && run.stderr.contains("did you mean \"block\"?")
    );
}

#[test]
fn timing_of_its_own_and_cubics() {
    let folder = folder();
    // 3 m at half a metre per second, with 0.5 s to start and to stop, twice: 2 m take 5 s, 1 m takes 3 s.
    let run = check(&folder, &["--path", "hit.csv", "--retime", "0.5", "--json"]);
    let report = json(&run);
    assert!(near(&report["duration"], 8.0), "{report}");
    let interval = &report["pairs"][0]["intervals"][0];
    assert!(
        near(&interval["enter"][0], 11.5)
            && near(&interval["joints"]["slide"], 2.5)
            && interval["segment"] == 1,
        "{report}"
    );
    let no_speed = check(&folder, &["--path", "free.csv", "--retime", "0.5"]);
    assert_eq!(no_speed.status, Some(2));
    assert!(
        no_speed
            .stderr
            .contains("found no speed of the joint \"turn\" in its robot, expected one for --retime"),
        "{}",
        no_speed.stderr
    );
    let point = |x: f64, a: f64, t: f64| {
        format!("{{\"positions\":[{x}],\"velocities\":[0],\"accelerations\":[{a}],\"time_from_start\":{t}}}")
    };
    folder.write(
        "five.json",
        format!(
            "{{\"joint_names\":[\"slide\"],\"points\":[{},{}]}}",
            point(0.0, 0.0, 0.0),
            point(1.0, 0.0, 1.0)
        ),
    );
    let run = check(&folder, &["--path", "five.json"]);
    assert_eq!(run.status, Some(2));
    assert!(
        run.stderr.contains("five.json:1: points[1].accelerations: found accelerations"),
        "{}",
        run.stderr
    );
    assert_eq!(check(&folder, &["--path", "five.json", "--cubic"]).status, Some(0));
}

#[test]
fn invalid_input_is_reported() {
    let folder = folder();
    folder.write("beyond.csv", "time,slide\n0,0\n1,5.5\n");
    folder.write("twice.csv", "time,slide,slide\n0,0,0\n1,1,1\n");
    folder.write("nothing/readme", "");
    let cases: [(&[&str], &str); 13] = [
        (&["check", "cart.urdf"], "cart.urdf: found no --path, expected the path of the robot"),
        (&["check", "cart.urdf", "--path", "gone.csv"], "gone.csv: cannot be read: "),
        (
            &["check", "cart.urdf", "--path", "beyond.csv"],
            "beyond.csv:3: found the joint \"slide\" at 5.5 (at 1 s), beyond its limits: expected 0 to 5",
        ),
        (&["check", "cart.urdf", "--path", "twice.csv"], "twice.csv:1: found the joint \"slide\" twice"),
        (&["check", "cart.urdf", "--path", "nothing"], "nothing: found no path in this folder"),
        (
            &["check", "cart.urdf", "--path", "hit.csv", "--at", "1"],
            "--at: found 1, expected a time within the path, 5 to 8 s",
        ),
        (
            &["check", "wall.toml", "--path", "hit.csv"],
            "wall.toml: found --path, which is for robots (.urdf) and worlds (.wrl) only",
        ),
        (
            &["check", "wall.toml", "--cubic"],
            "wall.toml: found --cubic, which is for robots (.urdf) and worlds (.wrl) only",
        ),
        (&["check", "gone.urdf", "--path", "hit.csv"], "gone.urdf: cannot be read: "),
        (&["check", "cart.urdf", "--path", "hit.csv", "--world", "gone.toml"], "gone.toml: cannot be read: "),
        (&["check", "cart.urdf", "--path", "hit.csv", "--srdf", "gone.srdf"], "gone.srdf: cannot be read: "),
        (&["check", "cart.urdf", "--path", "hit.csv", "--base", "0,0,0,0,0,0,0"], "--base"),
        (&["check", "cart.urdf", "--path", "hit.csv", "--package", "x"], "NAME=DIR"),
    ];
    for (args, message) in cases {
        let run = folder.run(args);
        assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(run.stderr.contains(message), "{message:?} in {}", run.stderr);
    }
}

/// Nodes with a DEF name in a world move by the columns of a path; another path moves other nodes.
#[test]
fn paths_move_the_transforms_of_worlds() {
    let folder = Folder::new();
    let world = "#VRML V2.0 utf8\nDEF CART Transform { children DEF BLOCK Shape { geometry Box { size 1 1 1 } } }\n\
                 DEF ARM Transform { rotation 0 0 1 0 center 3.5 0 0 translation 0 3 0.2\n\
                 children Transform { translation 3.5 0.1 0 children DEF WALL Shape { geometry Box { size 1 1 1 } } } }\n";
    folder.write("w.wrl", world);
    folder.write("hit.csv", "time,CART.translation.x,CART.translation.y\n5,0,3\n6,2,3\n8,3,3\n");
    folder.write("free.csv", "time,ARM.rotation\n0,0\n1,3\n");
    folder.write("bad.csv", "time,LEG.rotation\n0,0\n1,3\n");
    let run = folder.run(&["check", "w.wrl", "--path", "hit.csv", "--json"]);
    let interval = &json(&run)["pairs"][0]["intervals"][0];
    assert!(near(&interval["enter"][0], 7.0) && interval["segment"] == 1, "{run:?}");
    assert!(near(&interval["joints"]["CART.translation.x"], 2.5));
    let run = folder
        .run(&["check", "w.wrl", "--path", "free.csv", "--path", "bad.csv", "--path", "hit.csv", "--json"]);
    let verdicts: Vec<_> =
        json(&run)["paths"].as_array().unwrap().iter().map(|path| path["verdict"].clone()).collect();
    assert_eq!((run.status, verdicts), (Some(2), ["clear", "error", "contact"].map(Value::from).to_vec()));
    assert!(run.stderr.contains("bad.csv:1: ") && run.stderr.contains("LEG"), "{}", run.stderr);
    let run = folder.run(&["check", "w.wrl", "--path", "free.csv", "--srdf", "x.srdf"]);
    assert!(
        run.status == Some(2) && run.stderr.contains("found --srdf, which is not for worlds"),
        "{}",
        run.stderr
    );
    let run = folder.run(&["check", "w.wrl", "--cubic"]);
    assert!(run.status == Some(2) && run.stderr.contains("w.wrl: found no --path"), "{}", run.stderr);
}

#[test]
fn limits_are_errors_warnings_or_findings() {
    let folder = folder();
    // Beyond 5 m from 2 s to 3.5 s, and too fast until 2.5 s.
    folder.write("far.csv", "time,slide,turn\n0,3,0\n2,5,0\n2.5,6,0\n4.5,4,0\n");
    let alone = |more: &[&str]| folder.run(&[&["check", "cart.urdf", "--path", "far.csv"], more].concat());
    let beyond = "far.csv:4: found the joint \"slide\" at 6 (at 2.5 s), beyond its limits: expected 0 to 5";
    alone(&[]).refused(beyond);
    alone(&["--limits", "refuse"]).refused(beyond);
    let fast = "joint \"slide\": found 2 m/s at 2 s, beyond its maximum speed of 0.5 m/s, from 0 s until 4.5 s in segments 0 to 2";
    let far = "joint \"slide\": found 6 m at 2.5 s, beyond its upper limit of 5 m, from 2 s until 3.5 s in segments 1 to 2";
    let run = alone(&["--limits", "warn", "--json"]);
    assert_eq!(
        (run.status, run.stderr),
        (Some(0), format!("chasles: warning: far.csv: {fast}\nchasles: warning: far.csv: {far}\n"))
    );
    let run = alone(&["--limits", "report", "--json", "--csv", "r.csv", "--junit", "r.xml"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let report = json(&run);
    assert_eq!(report["verdict"], "clear");
    let [first, second] = &report["limits"].as_array().unwrap()[..] else { panic!("{report}") };
    assert_eq!(
        (&first["kind"], &first["unit"], &first["segments"]),
        (&"velocity".into(), &"m/s".into(), &serde_json::json!([0, 2]))
    );
    assert_eq!(
        (&second["joint"], &second["kind"], &second["finding"]),
        (&"slide".into(), &"upper".into(), &true.into())
    );
    for (key, value) in [("limit", 5.0), ("found", 6.0), ("at", 2.5), ("from", 2.0), ("until", 3.5)] {
        assert!(near(&second[key], value), "{key} of {second}");
    }
    let text = folder.read("r.csv");
    let row = text.lines().nth(2).unwrap();
    let ends = format!(",,,,,,,,,,,,,\"{}\",1,,", far.replace('"', "\"\""));
    assert!(row.starts_with("slide,,beyond limits,2.0,2.0,3.") && row.ends_with(&ends), "{row}");
    let xml = folder.read("r.xml");
    assert!(
        xml.contains("tests=\"2\" failures=\"1\"") && xml.contains("name=\"the limits of joints\""),
        "{xml}"
    );
    let run = alone(&["--limits", "report"]);
    let begins = "cart.urdf on far.csv: CLEAR, BEYOND LIMITS\n2 bodies over 4.5 s, 0 pairs tested\nNot tested: 1 pair that is exempt\n\n  \
                  joint  beyond its     of       found  at     from  until  segment\n  \
                  slide  maximum speed  0.5 m/s  2 m/s  2 s    0 s   4.5 s  0 to 2\n  \
                  slide  upper limit    5 m      6 m    2.5 s  2 s   3.5 s  1 to 2\n";
    assert!(run.stdout.starts_with(begins), "{}", run.stdout);
    // A path within its limits is unchanged, with one additional test for a build server.
    folder.write("slow.csv", "time,slide\n0,5\n2,4\n");
    let run = folder.run(&["check", "cart.urdf", "--path", "slow.csv", "--limits", "report", "--junit", "-"]);
    assert!(run.status == Some(0) && run.stdout.contains("tests=\"2\" failures=\"0\""), "{run:?}");
    let refused = folder.run(&["check", "cart.urdf", "--path", "hit.csv", "--limits", "refuse"]);
    let reported = TOO_FAST.strip_prefix("chasles: warning: ").unwrap().trim_end();
    refused.refused(reported);
    // With several paths.
    let run =
        folder.run(&["check", "cart.urdf", "--path", "slow.csv", "--path", "far.csv", "--limits", "report"]);
    assert_eq!(run.status, Some(1));
    let ends = "cart.urdf: CLEAR, BEYOND LIMITS\n2 paths: 2 clear; 1 beyond limits\n\n  \
                path      verdict\n  slow.csv  clear\n  far.csv   clear, beyond limits\n";
    assert!(run.stdout.ends_with(ends), "{}", run.stdout);
    folder
        .run(&["check", "wall.toml", "--limits", "warn"])
        .refused("wall.toml: found --limits, which is for robots (.urdf) and worlds (.wrl) only");
}

#[test]
fn angles_may_be_in_degrees() {
    let folder = folder();
    folder.write("turn.csv", "time,turn,slide\n0,0,0\n100,90,1\n200,180,2\n300,270,3\n");
    let run = check(&folder, &["--path", "turn.csv", "--json", "--degrees"]);
    let report = json(&run);
    let joints = &report["pairs"][0]["intervals"][0]["joints"];
    assert!(near(&joints["slide"], 2.5) && near(&joints["turn"], 225_f64.to_radians()), "{report}");
    assert_eq!(run.stderr, "");
    let run = check(&folder, &["--path", "turn.csv", "--json"]);
    let reported = "chasles: warning: turn.csv: angles look like degrees, and are taken as radians: found 90 for the joint \"turn\" \
                (--degrees takes them as degrees)\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), reported));
    folder
        .run(&["check", "wall.toml", "--degrees"])
        .refused("wall.toml: found --degrees, which is for robots (.urdf) and worlds (.wrl) only");
}

/// A limit of half a turn as files write it; exactly half a turn is within it for every motion of a robot.
#[test]
fn half_a_revolution_is_within_limits_of_pi() {
    let folder = folder();
    let limited = CART.replace(
        "<axis xyz=\"0 0 1\"/>",
        "<axis xyz=\"0 0 1\"/><limit lower=\"-3.14159265\" upper=\"3.14159\"/>",
    );
    folder.write("half.urdf", limited.replace("continuous", "revolute"));
    let pi = std::f64::consts::PI;
    folder.write("half.csv", format!("time,turn\n0,{}\n9,{pi}\n", -pi));
    folder.write("half.srdf", format!("<robot name='cart'><group_state name='half'><joint name='turn' value='{pi}'/></group_state></robot>"));
    folder.write("degrees.csv", "time,turn\n0,-180\n9,180\n");
    let run = |args: &[&str]| {
        let run = folder.run(args);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{args:?}: {run:?}");
        run
    };
    let path = ["check", "half.urdf", "--path", "half.csv"];
    for more in [&[][..], &["--limits", "report"], &["--limits", "refuse"], &["--at", "9"]] {
        run(&[&path[..], more].concat());
    }
    run(&["check", "half.urdf", "--path", "degrees.csv", "--degrees"]);
    run(&[&path[..], &["--srdf", "half.srdf", "--start", "half"]].concat());
    run(&["pairs", "half.urdf", "--postures", "3", "--path", "half.csv"]);
    folder.write("past.csv", "time,turn\n0,0\n9,3.1417\n");
    folder
        .run(&["check", "half.urdf", "--path", "past.csv"])
        .refused("past.csv:3: found the joint \"turn\" at 3.1417 (at 9 s), beyond its limits: expected -3.14159265 to 3.14159");
}

/// Two carts that face each other, 5 m apart.
const ROBOTS: &str = "format = 1\n[[robot]]\nname = 'left'\nurdf = 'cart.urdf'\n[[robot]]\nname = 'right'\nurdf = 'cart.urdf'\n\
                      base = { position = [6, 0, 0], rotation = [0, 0, 0, 1] }\n";

#[test]
fn two_robots_follow_one_clock() {
    let folder = folder();
    folder.write("robots.toml", ROBOTS);
    folder.write("l.csv", "time,slide\n0,0\n4,4\n");
    folder.write("r.csv", "time,slide\n1,0\n5,4\n");
    let run =
        folder.run(&["check", "robots.toml", "--path", "left=l.csv", "--path", "right=r.csv", "--json"]);
    let report = json(&run);
    // The left has moved 3 m, the right 2 m.
    let pairs = report["pairs"].as_array().unwrap();
    let blocks = pairs.iter().find(|pair| pair["a"] == "left/block" && pair["b"] == "right/block").unwrap();
    let entry = &blocks["intervals"][0];
    assert!(near(&entry["enter"][0], 3.0) && near(&entry["joints"]["right/slide"], 2.0), "{report}");
    assert_eq!(
        (&report["pairs_tested"], run.status),
        (&4.into(), Some(1)),
        "each link of one against each of the other"
    );
    // The same in one file, and the other commands.
    folder.write("both.csv", "time,right/slide,left/slide\n0,0,0\n1,0,1\n4,3,4\n5,4,4\n");
    let same = json(&folder.run(&["check", "robots.toml", "--path", "both.csv", "--json"]));
    assert!(near(&same["pairs"][0]["intervals"][0]["enter"][0], 3.0), "{same}");
    let info: Value = serde_json::from_str(&folder.run(&["info", "robots.toml", "--json"]).stdout).unwrap();
    assert_eq!((&info["robot"]["root"], &info["joints"][0]), (&"robots".into(), &"left/slide".into()));
    let pairs = folder.run(&["pairs", "robots.toml", "--postures", "10", "--path", "both.csv"]);
    assert!(pairs.stdout.contains("left/block"), "{pairs:?}");
    folder.run(&["check", "robots.toml", "--path", "left=l.csv", "--path", "both.csv"]).refused(
        "--path: found paths with and without the name of a robot, expected ROBOT=FILE for each or for none",
    );
    let run = folder.run(&["check", "robots.toml", "--path", "middle=l.csv"]);
    let reported = "found the joint \"middle/slide\", which the robot \"robots\" does not have, expected one of left/slide, left/turn,";
    assert!(run.status == Some(2) && run.stderr.contains(reported), "{run:?}");
    let run = folder.run(&["check", "robots.toml", "--path", "left=gone.csv"]);
    assert!(run.status == Some(2) && run.stderr.starts_with("chasles: gone.csv: "), "{run:?}");
}

/// A table that drives on a floor, and a kite.
const PLANAR_AND_FLOATING: [&str; 2] = [
    r#"<robot name="drive"><link name="floor"/><link name="table"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="base" type="planar"><parent link="floor"/><child link="table"/><axis xyz="0 0 1"/></joint></robot>"#,
    r#"<robot name="kite"><link name="air"/><link name="kite"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="fly" type="floating"><parent link="air"/><child link="kite"/></joint></robot>"#,
];

#[test]
fn planar_and_floating_joints_follow_their_columns() {
    let folder = folder();
    folder.write("drive.urdf", PLANAR_AND_FLOATING[0]);
    folder.write("kite.urdf", PLANAR_AND_FLOATING[1]);
    // The wall starts at x = 3. At 2.4 m a quarter turn about z brings the corner to the wall: at cos(a) + sin(a) =
    // 1.2.
    folder.write("free.csv", "time,fly/x,fly/qx,fly/qy,fly/qz,fly/qw\n0,2.4,0,0,0,1\n90,2.4,0,0,1,1\n");
    let run = folder.run(&["check", "kite.urdf", "--world", "wall.toml", "--path", "free.csv", "--json"]);
    let met = 45.0 - (1.2 / 2_f64.sqrt()).acos().to_degrees();
    let enter = json(&run)["pairs"][0]["intervals"][0]["enter"][0].as_f64().unwrap();
    assert!(run.status == Some(1) && (enter - met).abs() < 1e-4, "{enter} {met}");
    folder.write("none.csv", "time,slide\n0,0\n1,1\n");
    for (robot, joint) in [("drive.urdf", "base"), ("kite.urdf", "fly")] {
        let run = folder.run(&["check", robot, "--path", "none.csv"]);
        let reported = format!(
            "found no columns of the joint \"{joint}\", which is planar or floating, expected {joint}/x and others"
        );
        assert!(run.status == Some(2) && run.stderr.contains(&reported), "{run:?}");
        // These commands leave the planar and floating joints at rest.
        for command in [&["info"][..], &["pairs", "--postures", "3"]] {
            let run = folder.run(&[command, &[robot]].concat());
            assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{command:?}");
        }
    }
    // One of several paths lacks the position.
    folder.write("free.csv", "time,base/x\n0,0\n1,1\n");
    let run = folder.run(&["check", "drive.urdf", "--path", "free.csv", "--path", "none.csv"]);
    let reported = "none.csv:1: found no columns of the joint \"base\", which is planar or floating, expected base/x and others\n";
    assert!(run.status == Some(2) && run.stderr.ends_with(reported), "{run:?}");
}
