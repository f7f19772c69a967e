//! `chasles jog`: moves by hand, each executed only if it is free all the way.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::support::{Folder, Run};

/// A block of 1 m on a slide along x; on it a rotating finger, a lid that follows the finger, and a fixed plate.
const CART: &str = r#"<robot name="cart">
  <link name="base"/>
  <link name="block"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="finger">
    <collision><origin xyz="0.5 0 1.5"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
  <link name="lid"><collision><origin xyz="0 0 2.5"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="plate"><collision><origin xyz="0 0 -3"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="slide" type="prismatic">
    <parent link="base"/><child link="block"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="5" effort="1" velocity="0.5"/>
  </joint>
  <joint name="turn" type="continuous">
    <parent link="block"/><child link="finger"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="shut" type="continuous">
    <parent link="block"/><child link="lid"/><axis xyz="0 0 1"/><mimic joint="turn" multiplier="-1" offset="0.5"/>
  </joint>
  <joint name="glue" type="fixed"><parent link="block"/><child link="plate"/></joint>
</robot>"#;

/// A wall whose near face is at x = 3, which the block touches at 2.5, and a post above the block whose near face is
/// at y = 0.5.
const CELL: &str = "format = 1\nduration = 1.0\n[[body]]\nname = 'wall'\nbox = [1, 1, 1]\n\
                    pose = { position = [3.5, 0.1, 0.2] }\n[[body]]\nname = 'post'\nbox = [1, 1, 0.15]\n\
                    pose = { position = [0.5, 1.0, 1.5] }\n";

/// At this angle the corner of the finger, 0.6 m along it and 0.1 m beside it, touches the post.
fn angle_of_contact() -> f64 {
    (0.5 / 0.6_f64.hypot(0.1)).asin() - 0.1_f64.atan2(0.6)
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("cart.urdf", CART);
    folder.write("cell.toml", CELL);
    folder
}

/// `chasles jog cart.urdf --world cell.toml ..`, with its input.
fn jog(folder: &Folder, more: &[&str], input: impl AsRef<[u8]>) -> Run {
    session(folder, &[&["jog", "cart.urdf", "--world", "cell.toml"], more].concat(), input)
}

fn session(folder: &Folder, args: &[&str], input: impl AsRef<[u8]>) -> Run {
    let mut child = start(folder, args);
    // It may end before all input is read.
    let _ = child.stdin.take().unwrap().write_all(input.as_ref());
    child.wait_with_output().unwrap().into()
}

fn start(folder: &Folder, args: &[&str]) -> Child {
    let mut command = folder.program(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The answers with --json to lines that are all answered.
#[track_caller]
fn answers(folder: &Folder, lines: &[&str]) -> Vec<Value> {
    let run = jog(folder, &["--json"], lines.join("\n"));
    let answers = run.json();
    assert_eq!((answers.len(), run.stderr.as_str()), (lines.len(), ""), "{run:?}");
    answers
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn near(value: &Value, expected: f64) -> bool {
    (number(value) - expected).abs() < 1e-6
}

#[test]
fn every_command_is_answered_in_words() {
    let folder = folder();
    let input = "where\r\n# nothing\n\n  slide += 0.5\nturn -= 10 deg, slide -= .25\nslide=2\nundo\nturn = 3°\n\
                 save moves.csv\nslide = 5\nundo\nreplay moves.csv\nwhere\nquit\nfly\n";
    let run = jog(&folder, &[], input);
    let expected = "slide 0  turn 0\n\
                    slide 0.5  turn 0\n\
                    slide 0.25  turn -0.174533\n\
                    slide 2  turn -0.174533\n\
                    slide 0.25  turn -0.174533\n\
                    slide 0.25  turn 0.0523599\n\
                    moves.csv: 3 moves\n\
                    refused: the move is free up to 47.3684 %\n  \
                      there: slide 2.5  turn 0.0523599\n  \
                      block meets wall at 47.3684 % at (3, ";
    assert!(run.stdout.starts_with(expected), "{}", run.stdout);
    let rest: Vec<&str> = run.stdout[expected.len()..].lines().skip(1).collect();
    assert_eq!(
        rest,
        ["slide 0.25  turn -0.174533", "slide 0.25  turn 0.0523599", "slide 0.25  turn 0.0523599"]
    );
    // The refusal determines the status; lines after quit are not read.
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let help = jog(&folder, &[], "help\n?\n");
    assert!(help.status == Some(0) && help.stdout.matches("JOINT += 0.1").count() == 2, "{help:?}");
    let nothing = jog(&folder, &[], "");
    assert_eq!(nothing, Run { status: Some(0), stdout: String::new(), stderr: String::new() });
    assert_eq!(jog(&folder, &["--json"], "\n\n#\nexit").stdout, "");
}

#[test]
fn every_command_is_answered_in_json() {
    let lines =
        [" slide += 0.5 ", "turn = 0.25, slide -= 0.125", "undo", "where", "help", "save a b.csv", "undo"];
    let folder = folder();
    let found = answers(&folder, &lines);
    let at = |slide: f64, turn: f64| json!({"slide": slide, "turn": turn});
    let expected =
        [at(0.5, 0.0), at(0.375, 0.25), at(0.5, 0.0), at(0.5, 0.0), at(0.5, 0.0), at(0.5, 0.0), at(0.0, 0.0)];
    for ((answer, line), joints) in found.iter().zip(lines).zip(expected) {
        assert_eq!(
            (&answer["command"], &answer["joints"], &answer["outcome"]),
            (&line.trim().into(), &joints, &"done".into())
        );
        let reported = matches!(line.split(' ').next(), Some("help" | "save"));
        assert_eq!(answer.get("text").is_some(), reported, "{answer}");
    }
    assert_eq!(found[5]["text"], "a b.csv: 1 move");
    assert_eq!(folder.names(), ["a b.csv", "cart.urdf", "cell.toml"]);
}

#[test]
fn moves_are_refused_only_if_their_edge_is_blocked() {
    let (folder, angle) = (folder(), angle_of_contact());
    // Into the wall; past the post, to an end that is free itself.
    let cases = [
        ("slide += 2.6, turn -= 1", "slide", 2.5, 2.6, ["block", "wall"]),
        ("turn = 180 deg", "turn", angle, std::f64::consts::PI, ["finger", "post"]),
    ];
    for (line, joint, expected, end, names) in cases {
        let found = answers(&folder, &[line, "where"]);
        let refused = &found[0];
        let (free, there) = (number(&refused["free"]), number(&refused["free_until"][joint]));
        assert!(there <= expected && expected - there < 1e-6, "{line}: {there}, not {expected}");
        assert!((free * end - there).abs() < 1e-12, "{refused}");
        assert_eq!((&refused["outcome"], &refused["segments"]), (&"refused".into(), &Value::Null));
        let pair = &refused["pairs"][0];
        assert_eq!(
            (&pair["a"], &pair["b"], &pair["verdict"]),
            (&names[0].into(), &names[1].into(), &"contact".into())
        );
        assert!(near(&pair["enter"][0], expected / end) && near(&pair["enter"][1], expected / end), "{pair}");
        assert!(number(&pair["clear_until"]) <= expected / end, "{pair}");
        let (axis, face) = if names[1] == "wall" { (0, 3.0) } else { (1, 0.5) };
        assert!((number(&pair["point"][axis]) - face).abs() < 1e-6, "{pair}");
        assert!((number(&pair["normal"][axis]) - 1.0).abs() < 1e-9, "{pair}");
        // It has not moved; and it can move as far as reported, and back again.
        assert_eq!(found[1]["joints"], json!({"slide": 0.0, "turn": 0.0}));
        let go = format!("{joint} = {there:?}");
        let found =
            answers(&folder, &[&go, &format!("{joint} += 1e-5"), "undo", "where", &format!("{joint} = 0")]);
        let reported: Vec<&str> = found.iter().map(|answer| answer["outcome"].as_str().unwrap()).collect();
        assert_eq!(reported, ["done", "refused", "done", "done", "done"], "{line}");
    }
    // Slightly less is free.
    let almost = format!("turn = {:?}", angle - 1e-6);
    assert_eq!(jog(&folder, &[], format!("slide = {:?}\nslide = 0\n{almost}\n", 2.5 - 1e-6)).status, Some(0));
}

#[test]
fn undo_reverts_moves_one_by_one_to_the_start() {
    let found = answers(
        &folder(),
        &["undo", "slide = 1", "slide = 2", "slide = 4", "undo", "undo", "undo", "slide = 0.5", "undo"],
    );
    let reported: Vec<(f64, &str)> = found
        .iter()
        .map(|answer| (number(&answer["joints"]["slide"]), answer["outcome"].as_str().unwrap()))
        .collect();
    let expected = [
        (0.0, "error"),
        (1.0, "done"),
        (2.0, "done"),
        // A refused move does not count.
        (2.0, "refused"),
        (1.0, "done"),
        (0.0, "done"),
        (0.0, "error"),
        (0.5, "done"),
        (0.0, "done"),
    ];
    assert_eq!(reported, expected);
    assert_eq!(found[0]["error"], "found no move to undo");
}

#[test]
fn saved_moves_replay_bit_for_bit() {
    let folder = folder();
    let moves = [
        "slide += 0.1", "slide += 0.2, turn -= 0.7", "turn -= 1e-17", "slide = 0.3333333333333333",
        "turn = -12 deg",
    ];
    let lines = [&moves[..], &["save a.csv"]].concat();
    let found = answers(&folder, &lines);
    let configurations: Vec<[u64; 2]> = found[..moves.len()]
        .iter()
        .map(|answer| ["slide", "turn"].map(|name| number(&answer["joints"][name]).to_bits()))
        .collect();
    let saved = folder.read("a.csv");
    let mut rows = saved.lines();
    assert_eq!(rows.next(), Some("time,slide,turn"));
    let rows: Vec<Vec<f64>> =
        rows.map(|row| row.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert_eq!(rows[0], [0.0; 3]);
    let times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(times, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let values: Vec<[u64; 2]> = rows[1..].iter().map(|row| [row[1].to_bits(), row[2].to_bits()]).collect();
    assert_eq!(values, configurations);
    // Again from rest, and from elsewhere; the way to the start is a move too.
    let again = answers(&folder, &["replay a.csv", "save b.csv", "undo", "where"]);
    assert_eq!(again[0]["joints"], found[moves.len()]["joints"]);
    let bits = |answer: &Value| ["slide", "turn"].map(|name| number(&answer["joints"][name]).to_bits());
    assert_eq!(bits(&again[3]), configurations[3]);
    let replayed = folder.read("b.csv");
    assert!(
        replayed
            .lines()
            .skip(2)
            .zip(saved.lines().skip(1))
            .all(|(b, a)| b.split_once(',').unwrap().1 == a.split_once(',').unwrap().1)
    );
    // As a path it is free.
    let check = folder.run(&["check", "cart.urdf", "--world", "cell.toml", "--path", "a.csv"]);
    assert_eq!(check.status, Some(0), "{check:?}");
    // Without moves it is static.
    let found = answers(&folder, &["save still.csv", "replay still.csv"]);
    assert_eq!((&found[0]["text"], &found[1]["outcome"]), (&"still.csv: 0 moves".into(), &"done".into()));
    assert_eq!(folder.read("still.csv"), "time,slide,turn\n0.0,0.0,0.0\n1.0,0.0,0.0\n");
}

#[test]
fn a_path_is_followed_as_far_as_it_is_free() {
    let folder = folder();
    folder.write("half.csv", "time,slide\n0,0.5\n7,1\n9,2\n10,4\n11,0\n");
    let found = answers(&folder, &["turn = -1", "replay half.csv", "where", "undo", "undo", "undo", "undo"]);
    let refused = &found[1];
    assert_eq!((&refused["outcome"], &refused["segments"]), (&"refused".into(), &2.into()));
    assert!(near(&refused["free"], 0.25) && near(&refused["free_until"]["slide"], 2.5), "{refused}");
    assert_eq!(refused["pairs"][0]["b"], "wall");
    // It stays at the end of the second segment; joints that the path does not name moved to rest on the way to its
    // start.
    assert_eq!(found[2]["joints"], json!({"slide": 2.0, "turn": 0.0}));
    let back: Vec<&Value> = found[3..].iter().map(|answer| &answer["joints"]).collect();
    let at = |slide: f64, turn: f64| json!({"slide": slide, "turn": turn});
    assert_eq!(back, [&at(1.0, 0.0), &at(0.5, 0.0), &at(0.0, -1.0), &at(0.0, 0.0)]);
    let words = jog(&folder, &[], "replay half.csv\n");
    assert!(
        words.stdout.starts_with("refused: after 2 segments of the path the move is free up to 24.9999 %\n"),
        "{}",
        words.stdout
    );
    assert_eq!(words.status, Some(1));
    // If the way to its start is not free, no part of the path is executed.
    folder.write("beyond.csv", "time,turn\n0,3\n1,3.1\n");
    let found = answers(&folder, &["replay beyond.csv"]).remove(0);
    assert_eq!((&found["segments"], &found["joints"]), (&0.into(), &at(0.0, 0.0)));
    assert!(near(&found["free_until"]["turn"], angle_of_contact()), "{found}");
}

#[test]
fn impossible_paths_are_errors_and_move_nothing() {
    let folder = folder();
    let files = [
        ("unknown.csv", "time,slyde\n0,0\n1,1\n", "unknown.csv:1: found the joint \"slyde\""),
        ("mimic.csv", "time,shut\n0,0\n1,1\n", "mimic.csv:1: found the joint \"shut\""),
        ("fixed.csv", "time,glue\n0,0\n1,1\n", "fixed.csv:1: found the joint \"glue\""),
        ("limits.csv", "time,slide\n0,0\n1,1\n2,5.5\n", "limits.csv:4: found the joint \"slide\" at 5.5"),
        ("short.csv", "time,slide\n0,1\n", "short.csv:2: found one waypoint, expected at least two"),
        ("number.csv", "time,slide\n0,1\n1,x\n", "number.csv:3: "),
        (
            "speeds.json",
            "{\"joint_names\":[\"slide\"],\"points\":[\n{\"positions\":[0],\"time_from_start\":0},\n\
             {\"positions\":[1],\"velocities\":[0.5],\"time_from_start\":1}]}",
            "speeds.json:3: ",
        ),
    ];
    for (name, text, message) in files {
        folder.write(name, text);
        let found = answers(&folder, &["slide = 1", &format!("replay {name}"), "undo"]);
        let error = found[1]["error"].as_str().unwrap();
        assert!(error.starts_with(message), "{name}: {error}");
        assert_eq!((&found[1]["joints"]["slide"], &found[2]["joints"]["slide"]), (&1.0.into(), &0.0.into()));
    }
    let all = |name: &str| {
        format!("{{\"joint_names\":[\"slide\"],\"points\":[{},{}]}}", point(0.0, name), point(1.0, name))
    };
    folder.write("cubic.json", all("\"velocities\":[0],"));
    folder.write("even.json", all(""));
    let found = answers(&folder, &["replay cubic.json", "replay even.json", "replay gone.csv"]);
    let message = "found velocities, expected positions alone: moves go straight from one to the next";
    assert!(found[0]["error"].as_str().unwrap().ends_with(message), "{}", found[0]);
    assert_eq!(found[1]["joints"]["slide"], 1.0);
    assert!(found[2]["error"].as_str().unwrap().starts_with("gone.csv: cannot be read: "), "{}", found[2]);
}

fn point(x: f64, more: &str) -> String {
    format!("{{\"positions\":[{x}],{more}\"time_from_start\":{x}}}")
}

#[test]
fn invalid_lines_are_reported_and_skipped() {
    let folder = folder();
    let cases = [
        ("fly", "found \"fly\", expected JOINT += VALUE"),
        ("elbow += 1", "found the joint elbow, expected one of slide, turn"),
        ("shut = 1", "found the joint shut, which is fixed or follows another"),
        ("glue = 1", "found the joint glue, which is fixed or follows another"),
        (
            "slide = 5.25",
            "joint \"slide\" at waypoint 1: found 5.25, expected a value within its limits, 0 to 5",
        ),
        (
            "slide -= 1.25",
            "joint \"slide\" at waypoint 1: found -0.25, expected a value within its limits, 0 to 5",
        ),
        ("slide = nan", "found \"nan\", expected a finite number"),
        ("turn += 1e999", "found \"1e999\", expected a finite number"),
        ("turn += 1e308, turn += 1", "found turn twice"),
        ("slide = 1, elbow = 2", "found the joint elbow"),
        ("slide", "found \"slide\", expected JOINT += VALUE"),
        ("undo 2", "found \"2\" after undo"),
        ("save", "found save alone, expected a file"),
        ("save no/such/folder/a.csv", "no/such/folder/a.csv: cannot be written: "),
        ("save .", ".: cannot be written: "),
        ("save cart.urdf", "cart.urdf: is a file of the robot or its world, which is never overwritten"),
        ("save ./cell.toml", "./cell.toml: is a file of the robot or its world, which is never overwritten"),
    ];
    for (line, message) in cases {
        let found = answers(&folder, &["slide = 1", line, "turn = -1"]);
        let error = found[1]["error"].as_str().unwrap_or_else(|| panic!("{line}: {}", found[1]));
        assert!(error.starts_with(message), "{line}: {error}");
        assert_eq!((&found[1]["joints"], &found[2]["outcome"]), (&found[0]["joints"], &"done".into()));
        let words = jog(&folder, &[], format!("slide = 1\n{line}\n"));
        let expected = format!("slide 1  turn 0\nerror: {error}\n");
        assert_eq!((words.status, words.stdout), (Some(2), expected));
    }
    // A finite rotation that makes the next one infinite.
    let found = answers(&folder, &["turn += 1e308", "turn += 1e308", "turn = -1"]);
    assert!(found[1]["outcome"] == "error" || found[0]["outcome"] == "refused", "{found:?}");
    assert_eq!((folder.read("cart.urdf").as_str(), folder.read("cell.toml").as_str()), (CART, CELL));
    assert_eq!(folder.names(), ["cart.urdf", "cell.toml"]);
}

#[test]
fn invalid_bytes_and_endless_lines_are_reported() {
    let folder = folder();
    let run = jog(&folder, &["--json"], b"slide = 1\n\xff\xfe\nslide = 2\nx\xe9\n");
    let found = run.json();
    assert_eq!((run.status, found.len()), (Some(2), 4), "{run:?}");
    assert_eq!(found[1]["error"], "found the byte 0xff at column 1, expected text in UTF-8");
    assert_eq!(found[3]["error"], "found the byte 0xe9 at column 2, expected text in UTF-8");
    assert_eq!((&found[2]["joints"]["slide"], &found[3]["joints"]["slide"]), (&2.0.into(), &2.0.into()));
    let mut long = vec![b'x'; 20 << 20];
    long.extend(b"\nslide = 1");
    let run = jog(&folder, &[], long);
    let expected = "error: found a line of 65536 bytes or more, expected a command\nslide 1  turn 0\n";
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), expected));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = folder();
    let mut child = start(&folder, &["jog", "cart.urdf"]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"slide = 1\n").unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "slide 1  turn 0\n");
    drop(output);
    let mut many = String::new();
    for _ in 0..10 {
        let _ = writeln!(many, "where");
    }
    let _ = input.write_all(many.as_bytes());
    drop(input);
    let run: Run = child.wait_with_output().unwrap().into();
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
}

#[test]
fn the_options_define_the_cell() {
    let folder = folder();
    let in_world = |world: &str, more: &[&str], line: &str| {
        let args = [&["jog", "cart.urdf", "--json", "--world", world], more].concat();
        let found = session(&folder, &args, line).json().remove(0);
        (found["outcome"].as_str().unwrap().to_owned(), found["free_until"]["slide"].as_f64(), found)
    };
    let refused = |more: &[&str], line: &str| in_world("cell.toml", more, line);
    let about = |found: Option<f64>, expected: f64| {
        let found = found.unwrap();
        assert!(found <= expected && expected - found < 1e-6, "{found}, not {expected}");
    };
    let (_, until, found) = refused(&["--clearance", "0.25"], "slide = 2.4");
    about(until, 2.25);
    assert_eq!(found["pairs"][0]["verdict"], "near");
    about(refused(&["--base", "1,0,0,1,0,0,0"], "slide = 2").1, 1.5);
    folder.write("clear.csv", "a,b,clearance\nwall,block,0.5\n");
    about(refused(&["--clearance-file", "clear.csv"], "slide = 2.4").1, 2.0);
    let words = jog(&folder, &["--clearance", "0.25"], "slide = 2.4\n");
    assert!(words.stdout.contains("\n  block comes near wall at 93.75"), "{}", words.stdout);
    // A wall that approaches has its pose at the requested time.
    folder.write(
        "moving.toml",
        CELL.replace("pose = { position = [3.5, 0.1, 0.2] }", "pose = { position = [3.5, 0.1, 0.2] }\n[body.motion]\nkind = 'twist'\nlinear = [-1, 0, 0]\nangular = [0, 0, 0]"),
    );
    for (time, expected) in [("0", 2.5), ("0.5", 2.0), ("9", 1.5), ("-1", 2.5)] {
        about(in_world("moving.toml", &["--time", time], "slide = 5").1, expected);
    }
    // A body attached to a link moves along.
    folder.write(
        "held.toml",
        format!("{CELL}[[body]]\nname = 'part'\nbox = [0.5, 0.5, 0.5]\npose = {{ position = [0.65, 0, 0] }}\nparent = 'block'\n"),
    );
    let (_, until, found) = in_world("held.toml", &[], "slide = 5");
    about(until, 2.1);
    let first = found["pairs"].as_array().unwrap().iter().map(|pair| number(&pair["clear_until"]));
    assert!(first.fold(1.0, f64::min) <= 2.1 / 5.0 && found["pairs"].to_string().contains("part"), "{found}");
}

/// In a world every node with a DEF name can be moved.
#[test]
fn worlds_are_moved_by_hand_too() {
    let folder = Folder::new();
    let world = "#VRML V2.0 utf8\nDEF CART Transform { translation 0 0 0 children DEF BLOCK Shape { geometry Box { size 1 1 1 } } }\n\
                 DEF DOOR Transform { rotation 0 0 1 0 translation 3.5 0.1 0.2 children DEF LEAF Shape { geometry Box { size 1 1 1 } } }\n";
    folder.write("w.wrl", world);
    let lines =
        "where\nCART.translation.x = 3\nDOOR.rotation += 0.5\nCART.translation.x += 1.5\nsave w.csv\n";
    let run = session(&folder, &["jog", "w.wrl", "--json"], lines);
    let found = run.json();
    assert_eq!((run.status, found.len(), run.stderr.as_str()), (Some(1), 5, ""), "{run:?}");
    let names: Vec<&str> = found[0]["joints"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names.len(), 8, "{names:?}");
    assert_eq!(found[0]["joints"]["DOOR.translation.x"], 3.5);
    assert!(near(&found[1]["free_until"]["CART.translation.x"], 2.5), "{}", found[1]);
    assert_eq!(
        (&found[1]["pairs"][0]["a"], &found[1]["pairs"][0]["b"]),
        (&"CART/BLOCK".into(), &"DOOR/LEAF".into())
    );
    assert_eq!(found[3]["outcome"], "done");
    let check = folder.run(&["check", "w.wrl", "--path", "w.csv"]);
    assert_eq!(check.status, Some(0), "{check:?}");
    let refused = session(&folder, &["jog", "gone.urdf"], "where\n");
    assert!(refused.status == Some(2) && refused.stderr.starts_with("chasles: gone.urdf: cannot be read: "));
}

/// Configurations of the cart: at the wall, and beside the post.
const SRDF: &str = "<robot name='cart'><group_state name='ready' group='arm'><joint name='slide' value='2'/></group_state>\n\
                    <group_state name='out' group='arm'><joint name='slide' value='4'/><joint name='turn' value='0.1'/></group_state>\n\
                    <group_state name='odd' group='arm'><joint name='slide' value='1'/><joint name='shut' value='3'/></group_state>\n\
                    <group_state name='far' group='arm'><joint name='slide' value='6'/></group_state></robot>";

#[test]
fn configurations_have_names() {
    let folder = folder();
    folder.write("cart.srdf", SRDF);
    let srdf = ["--json", "--srdf", "cart.srdf"];
    let run = jog(
        &folder,
        &[&srdf[..], &["--start", "ready"]].concat(),
        "where\nslide = 1\ngo arm/ready\ngo out\n",
    );
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""), "{run:?}");
    let found = run.json();
    let slides = [2.0, 1.0, 2.0, 2.0];
    found
        .iter()
        .zip(slides)
        .for_each(|(found, slide)| assert!(near(&found["joints"]["slide"], slide), "{found}"));
    // Half a metre of two is free, up to the wall; the configuration is refused like any move.
    assert_eq!(found[3]["outcome"], "refused");
    assert!((number(&found[3]["free"]) - 0.25).abs() < 1e-6, "{found:?}");
    assert!((number(&found[3]["free_until"]["turn"]) - 0.025).abs() < 1e-6, "{found:?}");
    // The joints that are not named keep their values; parts without effect are reported.
    let run = jog(&folder, &srdf, "turn = 0.2\ngo odd\ngo far\ngo home\n");
    assert_eq!(run.status, Some(2));
    assert_eq!(
        run.stderr,
        "chasles: warning: cart.srdf:3: configuration \"arm/odd\": the joint \"shut\" follows another, to 0.3: \
         3 has no effect\n"
    );
    let found = run.json();
    assert!(near(&found[1]["joints"]["turn"], 0.2) && near(&found[1]["joints"]["slide"], 1.0), "{found:?}");
    let errors: Vec<&Value> = found[2..].iter().map(|found| &found["error"]).collect();
    let limits = "found the joint \"slide\" at 6, beyond its limits: expected 0 to 5";
    assert_eq!(
        errors,
        [
            &json!(format!("cart.srdf:4: configuration \"arm/far\": {limits}")),
            &json!("found the configuration \"home\", expected one of \"ready\", \"out\", \"odd\", \"far\""),
        ]
    );
    // The same for the other commands.
    let none = session(&folder, &["jog", "cart.urdf", "--start", "ready"], "");
    let without = "chasles: --start: found the configuration \"ready\", where there is none: group_state in an SRDF \
                   makes configurations (--srdf)\n";
    assert_eq!((none.status, none.stderr.as_str()), (Some(2), without));
    folder.write("turn.csv", "time,turn\n0,0\n1,0.1\n");
    let check = [
        "check", "cart.urdf", "--world", "cell.toml", "--path", "turn.csv", "--srdf", "cart.srdf", "--start",
    ];
    let run = folder.run(&[&check[..], &["ready", "--at", "0"]].concat());
    assert_eq!(run.status, Some(0), "{run:?}");
    // In the wall: a joint that the path does not name keeps its value of the configuration.
    let run = folder.run(&[&check[..], &["out", "--at", "0"]].concat());
    assert_eq!(run.status, Some(1), "{run:?}");
    folder.write("scene.toml", CELL);
    let scene = folder.run(&["check", "scene.toml", "--start", "ready"]);
    assert!(
        scene.status == Some(2) && scene.stderr.contains("found --start, which is for robots"),
        "{scene:?}"
    );
}

/// A limit of half a turn as files write it; exactly half a turn is within it.
#[test]
fn half_a_revolution_is_within_limits_of_pi() {
    let folder = folder();
    let limited = CART.replace("type=\"continuous\">\n    <parent link=\"block\"/><child link=\"finger\"/>", "type=\"revolute\">\n    \
                                <limit lower=\"-3.14159265\" upper=\"3.14159265\"/><parent link=\"block\"/><child link=\"finger\"/>");
    assert!(limited.contains("revolute"));
    folder.write("half.urdf", limited);
    let pi = std::f64::consts::PI;
    let run = session(
        &folder,
        &["jog", "half.urdf", "--json"],
        format!("turn = 180 deg\nturn = {}\nundo\nturn = 3.1417\n", -pi),
    );
    let outcomes: Vec<Value> = run.json().iter().map(|found| found["outcome"].clone()).collect();
    assert_eq!(outcomes, ["done", "done", "done", "error"]);
    assert!(near(&run.json()[2]["joints"]["turn"], pi), "{run:?}");
}
