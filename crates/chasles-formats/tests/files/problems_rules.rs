//! Each rule of the problem lines: accepted lines, and refused lines with their messages.

use std::path::Path;

use chasles_formats::problems::{ProblemFile, ProblemMotion, parse_line, read};
use chasles_formats::scene::file::PoseEntry;
use glam::{DQuat, DVec3};

const FILE: &str = "set/all.jsonl";

const TO: &str = r#"{"name":"p1","a":{"mesh":"a.obj"},"b":{"mesh":"/m/b.obj"},"pose0":[1,2,3,1,0,0,0],"pose1":[0,0,0.1,0,3e-200,0,4e-200]}"#;
const SCREW: &str = r#"{"name":"p2","a":{"mesh":"a.obj"},"b":{"mesh":"b.obj"},"pose0":[0,0,0,2,0,0,0],"screw":{"s":[0,0,2],"p":[1,0,-0.0],"d":0.5,"b":-62.83}}"#;

/// Asserts that the line is refused; its name is (or is not) known, and the message contains the place and all the
/// words.
#[track_caller]
fn refused(line: &str, name: Option<&str>, words: &[&str]) {
    let bad = parse_line(line.as_bytes(), 7, Path::new(FILE)).expect_err(line);
    assert_eq!(bad.name.as_deref(), name, "{line}");
    assert!(bad.error.starts_with("set/all.jsonl:7: "), "{}", bad.error);
    for word in words {
        assert!(bad.error.contains(word), "{:?} lacks {word:?}", bad.error);
    }
    assert!(!bad.error.contains('\n') && bad.error.len() < 600, "{}", bad.error);
}

#[test]
fn both_motions_are_read() {
    let problem = parse_line(TO.as_bytes(), 1, Path::new(FILE)).unwrap();
    assert_eq!(problem.name, "p1");
    assert_eq!((problem.a.as_path(), problem.b.as_path()), ("set/a.obj".as_ref(), "/m/b.obj".as_ref()));
    assert_eq!(problem.pose0, PoseEntry { position: DVec3::new(1.0, 2.0, 3.0), rotation: DQuat::IDENTITY });
    let rotation = DQuat::from_xyzw(0.6, 0.0, 0.8, 0.0);
    let position = DVec3::new(0.0, 0.0, 0.1);
    assert_eq!(problem.motion, ProblemMotion::To(PoseEntry { position, rotation }));

    let problem = parse_line(SCREW.as_bytes(), 1, Path::new(FILE)).unwrap();
    assert_eq!(problem.pose0, PoseEntry::IDENTITY);
    assert_eq!(problem.motion, ProblemMotion::Screw { s: DVec3::Z, p: DVec3::X, d: 0.5, b: -62.83 });
}

#[test]
fn numbers_keep_every_bit() {
    for number in [0.1 + 0.2, 1.0 / 3.0, 5e-324, f64::MAX, -1.7976931348623155e308, 9007199254740993.0] {
        let line = SCREW.replace("-62.83", &format!("{number:?}"));
        let problem = parse_line(line.as_bytes(), 1, Path::new(FILE)).unwrap();
        let ProblemMotion::Screw { b, .. } = problem.motion else { panic!() };
        assert_eq!(b.to_bits(), number.to_bits());
    }
}

#[test]
fn each_key_has_its_rules() {
    let check = |from: &str, to: &str, words: &[&str]| {
        let both = [(TO, "p1"), (SCREW, "p2")].map(|(line, name)| (line.contains(from), line, name));
        let (_, line, name) = both.into_iter().find(|&(fits, ..)| fits).expect(from);
        refused(&line.replacen(from, to, 1), Some(name), words);
    };
    check(r#""pose0":[1,2,3,1,0,0,0],"#, "", &["pose0", "missing", "list of 7", "qw, qx, qy, qz"]);
    check("[1,2,3,1,0,0,0]", "[1,2,3,1,0,0]", &["pose0", "length 6", "list of 7"]);
    check("[1,2,3,1,0,0,0]", "[1,2,3,0,0,-0.0,1e-999]", &["pose0", "quaternion of length zero"]);
    check("[1,2,3,1,0,0,0]", "[1,2,null,1,0,0,0]", &["pose0[2]", "found null", "finite number"]);
    check("[1,2,3,1,0,0,0]", "[1,2,3,1,0,0,true]", &["pose0[6]", "found true"]);
    check("[1,2,3,1,0,0,0]", r#""there""#, &["pose0", r#"found "there""#]);
    check("[1,2,3,1,0,0,0]", "[1e999,2,3,1,0,0,0]", &["number out of range", "column"]);
    check("[1,2,3,1,0,0,0]", "[NaN,2,3,1,0,0,0]", &["not JSON", "column"]);
    check(r#","pose1""#, r#","pose2""#, &["pose2", "unknown key", r#"did you mean "pose"#]);
    check(r#","pose1":[0,0,0.1,0,3e-200,0,4e-200]"#, "", &["pose1", "missing", "pose1 or screw"]);
    check(r#","screw""#, r#","pose1":[0,0,0,1,0,0,0],"screw""#, &["screw", "beside pose1"]);
    check(r#"{"mesh":"a.obj"}"#, r#""a.obj""#, &["a: ", r#"found "a.obj""#, "keys mesh"]);
    check(r#"{"mesh":"a.obj"}"#, "{}", &["a.mesh", "missing"]);
    check(r#"{"mesh":"a.obj"}"#, r#"{"mesh":""}"#, &["a.mesh", r#"found """#]);
    check(r#"{"mesh":"a.obj"}"#, r#"{"mesh":["a.obj"]}"#, &["a.mesh", "found a list of length 1"]);
    check(r#"{"mesh":"a.obj"}"#, r#"{"mesh":"a.obj","scale":2}"#, &["a.scale", "unknown key"]);
    check(r#""b":{"mesh":"/m/b.obj"},"#, "", &["b: ", "missing"]);
    check("[0,0,2]", "[0,0,0]", &["screw.s", "axis of length zero"]);
    check("[0,0,2]", "[0,2]", &["screw.s", "length 2", "list of 3"]);
    check(r#","d":0.5"#, "", &["screw.d", "missing", "metres"]);
    check(r#""b":-62.83"#, r#""b":"-62.83""#, &["screw.b", r#"found "-62.83""#]);
    check(r#""b":-62.83"#, r#""b":1,"turns":3"#, &["screw.turns", "unknown key"]);
    check(r#""d":0.5"#, r#""d":0.5,"d":0.5"#, &[r#"key "d" twice"#]);
    check(r#"{"s":[0,0,2],"p":[1,0,-0.0],"d":0.5,"b":-62.83}"#, "7", &["screw", "found 7"]);
    refused(&TO.replace(r#""p1""#, "1"), None, &["name", "found 1", "string"]);
    refused(&TO.replace(r#""name":"p1","#, ""), None, &["name", "missing"]);
    refused(&TO.replace(r#""name""#, r#""nam""#), None, &["nam", r#"did you mean "name"?"#]);
}

#[test]
fn broken_lines_keep_their_name_where_it_can_be_read() {
    refused(&TO[..60], Some("p1"), &["not JSON", "EOF", "column 60"]);
    refused(&TO[..10], None, &["not JSON"]);
    refused(&format!("{TO} {TO}"), Some("p1"), &["not JSON", "trailing characters"]);
    for line in ["", "7", "null", "[1]", r#""p1""#] {
        refused(line, None, &["expected"]);
    }
    refused("[1]", None, &["found a list of length 1", "a table with the keys name, a, b"]);
    for deep in ["[", r#"{"a":"#, r#"{"name":"p3","a":["#] {
        let name = deep.contains("p3").then_some("p3");
        refused(&deep.repeat(100_000), name, &["recursion limit"]);
    }
    let line = [TO.as_bytes(), b"\xff"].concat();
    let bad = parse_line(&line, 2, Path::new(FILE)).unwrap_err();
    assert_eq!(bad.name.as_deref(), Some("p1"));
    assert!(bad.error.contains("all.jsonl:2: not UTF-8: found the byte 0xff at byte "), "{}", bad.error);
}

#[test]
fn a_bad_line_leaves_the_others_readable() {
    let bytes = [b"\xef\xbb\xbf\r\n", TO.as_bytes(), b"\r\n \t\n\xff\n", SCREW.as_bytes()].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.jsonl");
    std::fs::write(&path, &bytes).unwrap();
    let file = read(&path).unwrap();
    let numbers: Vec<_> = file.lines().map(|(number, _)| number).collect();
    assert_eq!(numbers, [2, 4, 5]);
    let problems: Vec<_> = file.problems().collect();
    assert_eq!(problems[0].as_ref().unwrap().name, "p1");
    assert!(problems[1].as_ref().unwrap_err().error.contains("all.jsonl:4: not UTF-8"));
    assert_eq!(problems[2].as_ref().unwrap().a, folder.path().join("a.obj"));

    assert_eq!(ProblemFile::new(Vec::new(), &path).problems().count(), 0);
    let error = read(&folder.path().join("none.jsonl")).unwrap_err();
    assert!(error.to_string().contains("none.jsonl: cannot be read"), "{error}");
}
