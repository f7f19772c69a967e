//! `chasles simulate --from`: resuming a recording; and the same states as a table.

use serde_json::{Value, json};

use crate::support::Folder;

/// A ball that falls on a floor and bounces, and a ball that flies past.
const SCENE: &str = r#"format = 1
duration = 0.6

[simulation]
gravity = [0, 0, -9.81]
step = 0.005
record = 0.05

[[body]]
name = "floor"
box = [2, 2, 1]
pose = { position = [0, 0, -0.5] }

[[body]]
name = "ball"
sphere = 0.1
mass = 1.0
elasticity = 0.5
pose = { position = [0, 0, 0.5] }

[[body]]
name = "leaf, \"dry\""
sphere = 0.1
mass = 0.1
pose = { position = [0, 0, 9] }
velocity = { linear = [1, 0, 0], angular = [0, 0, 1] }
"#;

/// A folder with the scene and its whole recording.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("drop.toml", SCENE);
    let run = folder.run(&["simulate", "drop.toml", "-o", "whole.jsonl"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    folder
}

/// The given number of lines of a recording, and a part of the next line.
fn cut(text: &str, lines: usize) -> String {
    let whole: usize = text.split_inclusive('\n').take(lines).map(str::len).sum();
    text[..whole + 40].to_owned()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Whether two recordings have the same times, and the same positions of bodies within 1e-6 m.
#[track_caller]
fn nearly_same(a: &str, b: &str) {
    let (a, b) = (lines(a), lines(b));
    assert_eq!((a.len(), &a[0]), (b.len(), &b[0]));
    for (a, b) in a.iter().zip(&b).skip(1) {
        let numbers = |line: &Value| {
            let poses = line["poses"].as_array().unwrap().iter();
            let all = poses.flat_map(|pose| pose.as_array().unwrap()).chain([&line["t"]]);
            all.map(|x| x.as_f64().unwrap()).collect::<Vec<_>>()
        };
        let off = numbers(a).iter().zip(numbers(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-6, "{off} between\n{a}\n{b}");
        assert!(
            (a["energy"]["dissipated"].as_f64().unwrap() - b["energy"]["dissipated"].as_f64().unwrap()).abs()
                < 1e-6
        );
    }
}

#[test]
fn a_truncated_recording_is_continued_in_place() {
    let folder = folder();
    let whole = folder.read("whole.jsonl");
    for number in [2, 7, whole.lines().count() - 1] {
        folder.write("run.jsonl", cut(&whole, number));
        let run = folder.run(&["simulate", "drop.toml", "--from", "run.jsonl", "-o", "run.jsonl"]);
        let last: Value = serde_json::from_str(whole.lines().nth(number - 1).unwrap()).unwrap();
        let warning = format!(
            "chasles: warning: run.jsonl:{}: the line is cut off, as by a run that was ended: \
             the simulation continues from the line before\n",
            number + 1
        );
        assert_eq!((run.status, run.stderr), (Some(0), warning));
        let time = last["t"].as_f64().unwrap();
        assert!(run.stdout.contains("  time        0.6 of 0.6 s, from ") || time == 0.0, "{}", run.stdout);
        let text = folder.read("run.jsonl");
        let kept: usize = whole.split_inclusive('\n').take(number).map(str::len).sum();
        assert_eq!(&text[..kept], &whole[..kept]);
        nearly_same(&text, &whole);
    }
    assert_eq!(folder.names(), ["drop.toml", "run.jsonl", "whole.jsonl"]);
}

#[test]
fn the_whole_recording_goes_to_another_file_or_to_standard_output() {
    let folder = folder();
    let whole = folder.read("whole.jsonl");
    folder.write("cut.jsonl", cut(&whole, 4));
    let before = folder.read("cut.jsonl");
    folder.write("out/keep", "");
    let run = folder.run(&["simulate", "drop.toml", "--from", "cut.jsonl", "-o", "out/run.jsonl", "--json"]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let reported = &run.json()[0];
    assert_eq!(reported["records"], json!(whole.lines().count() - 4));
    // It names the scene relative to its own location.
    let text = folder.read("out/run.jsonl");
    assert_eq!(lines(&text)[0]["scene"], json!("../drop.toml"));
    nearly_same(&text.replace("../drop.toml", "drop.toml"), &whole);
    let run = folder.run(&["simulate", "drop.toml", "--from", "cut.jsonl", "-o", "-"]);
    nearly_same(&run.stdout, &whole);
    // A report alone.
    let run = folder.run(&["simulate", "drop.toml", "--from", "cut.jsonl", "--check"]);
    assert!(run.status == Some(0) && run.stdout.starts_with("drop.toml: clear\n"), "{}", run.stdout);
    assert_eq!(folder.read("cut.jsonl"), before);
}

#[test]
fn a_finished_recording_is_copied_and_a_longer_scene_continues() {
    let folder = folder();
    let whole = folder.read("whole.jsonl");
    let done = "chasles: whole.jsonl: reaches the end of the scene: nothing remains to be simulated\n";
    for output in ["copy.jsonl", "whole.jsonl"] {
        let run = folder.run(&["simulate", "drop.toml", "--from", "whole.jsonl", "-o", output]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), done));
        assert_eq!(folder.read(output), whole);
    }
    folder.write("drop.toml", SCENE.replace("duration = 0.6", "duration = 0.7"));
    let run = folder.run(&["simulate", "drop.toml", "--from", "whole.jsonl", "-o", "whole.jsonl"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let longer = folder.read("whole.jsonl");
    assert!(longer.contains(whole.split_once('\n').unwrap().1));
    let read = lines(&longer);
    assert_eq!((&read[0]["duration"], &read[read.len() - 1]["t"]), (&json!(0.7), &json!(0.7)));
}

#[test]
fn a_recording_of_another_scene_is_an_error_and_keeps_files() {
    let folder = folder();
    let whole = folder.read("whole.jsonl");
    folder.write("keep.jsonl", "of yesterday");
    let from = |scene: &str, from: &str| folder.run(&["simulate", scene, "--from", from, "-o", "keep.jsonl"]);
    folder.write("other.toml", SCENE.replace("\"ball\"", "\"egg\""));
    from("other.toml", "whole.jsonl").refused(
        "whole.jsonl:1: bodies: found \"ball\", \"leaf, \\\"dry\\\"\", expected the dynamic bodies of the scene, \"egg\", \
         \"leaf, \\\"dry\\\"\": is it of another scene?",
    );
    folder.write("other.toml", SCENE.replace("[0, 0, 9]", "[0, 0, 8]"));
    from("other.toml", "whole.jsonl").refused(
        "whole.jsonl: body \"leaf, \\\"dry\\\"\" is not where the scene has it at time 0: is it of another scene?",
    );
    folder.write("other.toml", SCENE.replace("duration = 0.6", "duration = 0.5"));
    from("other.toml", "whole.jsonl")
        .refused("whole.jsonl: found a last time of 0.6, expected at most the duration of the scene, 0.5");
    from("drop.toml", "gone.jsonl")
        .refused("gone.jsonl: cannot be read: No such file or directory (os error 2)");
    folder.write("head.jsonl", cut(&whole, 1));
    from("drop.toml", "head.jsonl").refused("head.jsonl: found no line with a time, expected one at least");
    let run = from("drop.toml", "drop.toml");
    assert!(run.status == Some(2) && run.stderr.starts_with("chasles: drop.toml:1: "), "{}", run.stderr);
    folder.write("deep.toml", SCENE.replace("[simulation]", "[simulation]\ndepth = 1e-5"));
    folder.run(&["simulate", "deep.toml", "--from", "whole.jsonl", "--check"]).refused(
        "whole.jsonl:1: depth: found a depth of 0.0001 m, expected at most that of the scene, 1e-5 m, with --check",
    );
    assert_eq!(folder.read("keep.jsonl"), "of yesterday");
    // The earlier lines keep their depth.
    let run = folder.run(&["simulate", "deep.toml", "--from", "whole.jsonl", "-o", "longer.jsonl"]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert!(folder.read("longer.jsonl").contains("\"depth\":0.0001,"));
    // A table would overwrite the recording.
    folder.write("run.csv", &whole);
    folder
        .run(&["simulate", "drop.toml", "--from", "run.csv", "-o", "run.csv"])
        .refused("run.csv: is the recording that --from continues, expected another file for another format");
    assert_eq!((folder.read("run.csv"), folder.read("whole.jsonl")), (whole.clone(), whole));
}

#[test]
fn a_table_has_a_row_for_each_moment_and_dynamic_body() {
    let folder = folder();
    let run = folder.run(&["simulate", "drop.toml", "-o", "run.csv"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.ends_with("  recording   run.csv\n"), "{}", run.stdout);
    let (table, recording) = (folder.read("run.csv"), lines(&folder.read("whole.jsonl")));
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some("time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz"));
    for line in &recording[1..] {
        for (body, name) in ["ball", "\"leaf, \"\"dry\"\"\""].iter().enumerate() {
            let row = rows.next().unwrap();
            let (head, cells) = row.split_once(name).expect(row);
            let cells: Vec<f64> = cells[1..].split(',').map(|cell| cell.parse().expect(row)).collect();
            let numbers = ["poses", "velocities"].iter().flat_map(|key| line[key][body].as_array().unwrap());
            assert_eq!(cells, numbers.map(|x| x.as_f64().unwrap()).collect::<Vec<_>>());
            assert_eq!(head.trim_end_matches(',').parse::<f64>().unwrap(), line["t"].as_f64().unwrap());
        }
    }
    assert_eq!(rows.next(), None);
    // The same for an existing recording, and for a resumed one.
    folder.write("cut.jsonl", cut(&folder.read("whole.jsonl"), 3));
    folder.run(&["simulate", "drop.toml", "--from", "whole.jsonl", "-o", "copy.csv"]);
    assert_eq!(folder.read("copy.csv"), table);
    folder.run(&["simulate", "drop.toml", "--from", "cut.jsonl", "-o", "more.csv"]);
    let more = folder.read("more.csv");
    assert_eq!(more.lines().count(), table.lines().count());
    assert_eq!(more.lines().take(5).collect::<Vec<_>>(), table.lines().take(5).collect::<Vec<_>>());
}
