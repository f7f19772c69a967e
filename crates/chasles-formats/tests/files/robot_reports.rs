//! Reports of robots on paths, and the files specific to them: clearances of pairs.

use chasles::{
    AdjacentLinks, BodyMotion, CellDefinition, CheckOptions, CollisionShape, Joint, JointAxis, Link,
    LinkElement, PairListing, PathReport, Pose, Primitive, Robot, RobotCell, RobotDefinition, SceneBody,
    WorldBody,
};
use chasles_formats::Subject;
use chasles_formats::report::subject::NamedResult;
use chasles_formats::report::{csv, json, junit};
use chasles_formats::robot::clearance_file;
use chasles_formats::robot::joint_path::{PathFile, PathOptions, TrapezoidalLimit, parse, resolve};
use glam::DVec3;
use serde_json::Value;

/// A cube of 1 m on a slide along x above a turntable, in front of a wall of 1 m whose near face is at x = 3.
fn cell(clearance: f64) -> RobotCell {
    let cube = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
    let element = LinkElement { shape: cube.clone(), pose: Pose::IDENTITY, solid: false };
    let link = |name: &str, elements| Link { name: name.into(), elements };
    let joint = |name, parent, axis| Joint::new(name, [parent, parent + 1], Some(axis));
    let robot = Robot::new(RobotDefinition {
        name: "cart".into(),
        links: vec![link("base", vec![]), link("turntable", vec![]), link("block", vec![element])],
        joints: vec![
            joint("turn", 0, JointAxis::Revolute(DVec3::Z)),
            joint("slide", 1, JointAxis::Prismatic(DVec3::X)),
        ],
        disabled: vec![],
        adjacent: AdjacentLinks::Skipped,
    });
    let wall = Pose::from_position(DVec3::new(3.5, 0.1, 0.2)).unwrap();
    let body = SceneBody {
        name: "wall".into(),
        shape: Some(cube),
        motion: BodyMotion::Still(wall),
        parent: None,
        group: None,
        solid: false,
    };
    RobotCell::new(CellDefinition {
        robot: robot.unwrap(),
        base: Pose::IDENTITY,
        world: vec![WorldBody { body, link: None }],
        world_duration: 1.0,
        ignore: vec![],
        tolerance: None,
        clearance,
        clearances: vec![],
    })
    .unwrap()
}

/// There and back from 5 s; the wall is reached in the middle of segment 1 and left in the middle of segment 2.
const PATH: &str = "time,slide,turn\n5,0,0\n6,2,0\n8,3,0\n10,2,0\n11,0,0\n";

fn checked(cell: &RobotCell, file: &PathFile) -> PathReport {
    let path = resolve(file, cell.robot().definition()).unwrap();
    cell.check_path(&path, &CheckOptions { listed: PairListing::NotClear, ..CheckOptions::default() }, &())
        .unwrap()
}

fn path(text: &str) -> PathFile {
    parse(text.as_bytes(), "p.csv".as_ref(), PathOptions::default()).unwrap()
}

fn near(value: &Value, expected: f64) -> bool {
    (value.as_f64().unwrap() - expected).abs() < 1e-6
}

#[test]
fn json_has_segment_and_joints_at_path_times() {
    let (cell, file) = (cell(0.0), path(PATH));
    let found = checked(&cell, &file);
    let subject = Subject::path(&cell, &file, &found);
    assert_eq!((subject.time_interval(), subject.bodies()), ([5.0, 11.0], 2));
    let text = json::to_json(&subject, &found.report);
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&json["verdict"], &json["duration"], &json["pairs_tested"]),
        (&"contact".into(), &6.0.into(), &1.into())
    );
    let pair = &json["pairs"][0];
    assert_eq!((&pair["a"], &pair["b"]), (&"block".into(), &"wall".into()));
    let intervals = pair["intervals"].as_array().unwrap();
    assert_eq!(intervals.len(), 1);
    assert!(near(&intervals[0]["enter"][0], 7.0) && near(&intervals[0]["exit"][1], 9.0), "{text}");
    assert_eq!(intervals[0]["segment"], 1);
    assert!(near(&intervals[0]["joints"]["slide"], 2.5) && near(&intervals[0]["joints"]["turn"], 0.0));
    // In the order of the path, whatever their names.
    assert!(
        text.contains("\"segment\":1,\"joints\":{\"slide\":2.5")
            && text.contains(",\"turn\":0.0},\"touching\":"),
        "{text}"
    );
    assert_eq!(intervals[0]["contact"]["screw"]["moving"], "block");
}

#[test]
fn segments_of_a_retimed_path_are_numbered_as_in_its_file() {
    let (cell, file) = (cell(0.0), path(PATH));
    let limits = [TrapezoidalLimit { velocity: 0.25, acceleration: 0.5 }; 2];
    let timed = file.retimed(&limits).unwrap();
    let found = checked(&cell, &timed);
    let subject = Subject::path(&cell, &timed, &found);
    let (segment, values) = subject.entry(0, 0).unwrap();
    // The first segment has three pieces and the second has three; this is the fifth, as the engine counts.
    assert_eq!((found.entries[0][0].segment, segment), (4, 1));
    assert!((values[0] - 2.5).abs() < 1e-6);
}

#[test]
fn csv_has_columns_for_segment_and_joints() {
    let (cell, file) = (cell(0.0), path(PATH));
    let found = checked(&cell, &file);
    let subject = Subject::path(&cell, &file, &found);
    let text = csv::to_csv(&subject, &found.report);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(head[19..], ["why", "segment", "joint slide", "joint turn"]);
    let rows: Vec<_> = reader.records().map(|row| row.unwrap()).collect();
    assert_eq!((rows.len(), &rows[0][0], &rows[0][20]), (1, "block", "1"));
    assert!((rows[0][21].parse::<f64>().unwrap() - 2.5).abs() < 1e-6 && &rows[0][22] == "0.0", "{text}");
    // Another path with other joints, a path without listed pairs, and a path that could not be checked.
    let (turned, still) = (path("time,turn\n0,0\n1,1\n"), path("time,turn,slide\n0,0,0\n1,0,1\n"));
    let (about, along) = (checked(&cell, &turned), checked(&cell, &still));
    let subjects = [Subject::path(&cell, &turned, &about), Subject::path(&cell, &still, &along)];
    let answers = [
        NamedResult { name: "a", found: Ok((&subject, &found.report)) },
        NamedResult { name: "b", found: Ok((&subjects[0], &about.report)) },
        NamedResult { name: "c", found: Err("c: gone") },
        NamedResult { name: "d", found: Ok((&subjects[1], &along.report)) },
    ];
    let text = csv::to_csv_of_all(&answers, &[]);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let head: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(
        (head[0].as_str(), head.len(), &head[21..]),
        ("path", 24, &["segment", "joint slide", "joint turn"].map(String::from)[..])
    );
    let rows: Vec<Vec<String>> =
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    let reported: Vec<_> = rows.iter().map(|row| [&row[0], &row[3], &row[20]].map(String::as_str)).collect();
    assert_eq!(
        reported,
        [["a", "contact", ""], ["b", "clear", ""], ["c", "error", "c: gone"], ["d", "clear", ""]]
    );
}

#[test]
fn junit_has_a_suite_for_each_path() {
    let (cell, file) = (cell(0.0), path(PATH));
    let found = checked(&cell, &file);
    let subject = Subject::path(&cell, &file, &found);
    let free = path("time,slide\n-1,0\n1,1\n");
    let clear = checked(&cell, &free);
    let other = Subject::path(&cell, &free, &clear);
    let xml = junit::to_junit_of_all(
        &[
            NamedResult { name: "a.csv", found: Ok((&subject, &found.report)) },
            NamedResult { name: "b.csv", found: Ok((&other, &clear.report)) },
            NamedResult { name: "c.csv", found: Err("c.csv:3: found \"x\" & more") },
        ],
        &[],
    );
    let document = roxmltree::Document::parse(&xml).unwrap();
    let suites: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testsuite")).collect();
    let reported =
        |key: &'static str| suites.iter().map(|suite| suite.attribute(key).unwrap()).collect::<Vec<_>>();
    assert_eq!(reported("name"), ["a.csv", "b.csv", "c.csv"]);
    assert_eq!(
        (reported("tests"), reported("failures"), reported("errors")),
        (vec!["2", "1", "1"], vec!["2", "0", "0"], vec!["0", "0", "1"])
    );
    let failures: Vec<_> = document.descendants().filter(|node| node.has_tag_name("failure")).collect();
    let message = failures[1].attribute("message").unwrap();
    assert!(
        message.starts_with("contact from [6.99999") || message.starts_with("contact from [7.0"),
        "{message}"
    );
    assert!(message.contains(" s (segment 1) until ["), "{message}");
    let text = failures[1].text().unwrap();
    assert!(text.contains("\nfirst in segment 1, at slide = 2.5") && text.contains(", turn = 0.0"), "{text}");
    let error = document.descendants().find(|node| node.has_tag_name("error")).unwrap();
    assert_eq!(error.attribute("message"), Some("c.csv:3: found \"x\" & more"));
    assert!(xml.contains("name=\"the whole path\""));
}

#[test]
fn json_of_several_has_the_worst_verdict() {
    let (cell, file, free) = (cell(0.0), path(PATH), path("time,slide\n0,0\n1,1\n"));
    let (met, clear) = (checked(&cell, &file), checked(&cell, &free));
    let subjects = [Subject::path(&cell, &file, &met), Subject::path(&cell, &free, &clear)];
    let a = NamedResult { name: "a", found: Ok((&subjects[0], &met.report)) };
    let b = NamedResult { name: "b", found: Ok((&subjects[1], &clear.report)) };
    let c = NamedResult { name: "c", found: Err("c: gone") };
    for (answers, worst) in [
        (&[b][..], "clear"),
        (&[b, a], "contact"),
        (&[a, b], "contact"),
        (&[a, c, b], "error"),
        (&[], "clear"),
    ] {
        let json: Value = serde_json::from_str(&json::to_json_of_all(answers, &[])).unwrap();
        assert_eq!((&json["format"], &json["verdict"]), (&1.into(), &worst.into()));
        let paths = json["paths"].as_array().unwrap();
        assert_eq!(paths.len(), answers.len());
        for (path, answer) in paths.iter().zip(answers) {
            assert_eq!(path["path"], answer.name);
            match answer.found {
                Ok((subject, report)) => {
                    let alone: Value = serde_json::from_str(&json::to_json(subject, report)).unwrap();
                    let mut path = path.clone();
                    path.as_object_mut().unwrap().remove("path");
                    assert_eq!(path, alone);
                }
                Err(error) => {
                    assert_eq!((&path["verdict"], &path["error"]), (&"error".into(), &error.into()))
                }
            }
        }
    }
}

#[test]
fn clearances_of_pairs() {
    let cell = cell(0.25);
    let read = |text: &str| clearance_file::parse(text.as_bytes(), "c.csv".as_ref(), &cell);
    assert_eq!(read("a,b,clearance\n").unwrap(), []);
    let all = read("# cell\n a , b,clearance\n*,block,0.5\nwall,block,1e-3\n\"turntable\",*,0\n").unwrap();
    // 0 base, 1 turntable, 2 block, 3 wall.
    let expected = [([0, 1], 0.0), ([0, 2], 0.5), ([1, 2], 0.0), ([1, 3], 0.0), ([2, 3], 1e-3)];
    assert_eq!(all, expected);
    let cases = [
        ("", "c.csv: found no line, expected a header `a,b,clearance`"),
        ("a,b\n", "c.csv:1: found `a,b`, expected a header `a,b,clearance`"),
        ("a,b,clearance\nwall,block\n", "c.csv:2: found 2 cells, expected 3, as in the header"),
        (
            "a,b,clearance\n\nwal,block,1\n",
            "c.csv:3: found `wal`, expected the name of a link, of a body of the world, or `*`; did you mean \"wall\"?",
        ),
        (
            "a,b,clearance\nwall,,1\n",
            "c.csv:2: found ``, expected the name of a link, of a body of the world, or `*`",
        ),
        ("a,b,clearance\nwall,wall,1\n", "c.csv:2: found \"wall\" twice, expected two bodies"),
        (
            "a,b,clearance\n*,*,1\n",
            "c.csv:2: found `*` twice, expected a name: the clearance of all pairs is an option of its own",
        ),
        ("a,b,clearance\nwall,block,-1\n", "c.csv:2: clearance: found `-1`, expected a finite number >= 0"),
        ("a,b,clearance\nwall,block,nan\n", "c.csv:2: clearance: found `nan`, expected a finite number >= 0"),
    ];
    for (text, message) in cases {
        assert_eq!(read(text).unwrap_err().to_string(), message);
    }
    // A block that comes within 1 m of the wall, and a clearance of 2 m for this pair only.
    let file = path("time,slide\n0,0\n2,1.5\n");
    let own = cell.with_clearances(read("a,b,clearance\nblock,wall,2\n").unwrap()).unwrap();
    assert!(checked(&cell, &file).report.pairs.is_empty());
    let found = checked(&own, &file);
    let subject = Subject::path(&own, &file, &found);
    let json: Value = serde_json::from_str(&json::to_json(&subject, &found.report)).unwrap();
    assert_eq!(
        (&json["verdict"], &json["clearance"], &json["pairs"][0]["clearance"]),
        (&"near".into(), &0.25.into(), &2.0.into())
    );
    let interval = &json["pairs"][0]["intervals"][0];
    assert!(interval["enter"][0].as_f64().unwrap() > 0.5 && interval["segment"] == 0, "{json}");
}
