//! Compares `chasles check` and `chasles simulate` with our own scenes, and these with the generator's files and truth.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde_json::Value;

use crate::make_scenes;

/// Maximum error of each coordinate of a normal, unless the expected report gives another.
const NORMALS_WITHIN: f64 = 1e-9;

/// A lower end may be later than the true time by no more than the truth's own last digits, as a fraction of the
/// duration.
const DIGITS: f64 = 1e-15;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

/// Every file below a folder, by its path in the folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder").map(|entry| entry.expect("an entry").path())
        {
            if entry.is_dir() {
                open.push(entry);
            } else {
                let name = entry.strip_prefix(folder).expect("below it").to_owned();
                files.insert(name, std::fs::read(&entry).expect("a file"));
            }
        }
    }
    files
}

#[test]
fn computed_files_are_those_of_the_generator() {
    let kept = contents(&folder());
    let hint = "run `cargo run -p chasles-cli --example make_scenes`";
    for (name, bytes) in make_scenes::files() {
        let same = kept.get(Path::new(&name)).is_some_and(|kept| *kept == bytes);
        assert!(same, "scenes/{name} is missing or not what it should be: {hint}");
    }
}

#[test]
fn expected_values_are_those_of_bisection_and_formulas() {
    let differences = make_scenes::differences(&folder());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// A report's sentences are in the README, and the first is the head of its scene. Each file of a scene is named by
/// another file.
#[test]
fn files_of_the_folder_agree_with_each_other() {
    let kept = contents(&folder());
    let texts: BTreeMap<_, _> =
        kept.iter().map(|(name, bytes)| (name, String::from_utf8_lossy(bytes))).collect();
    let readme = &texts[&PathBuf::from("README.md")];
    let mut rows = readme.lines().filter(|line| line.starts_with("| [`") || line.starts_with("| `")).count();
    for (name, report) in &texts {
        let file = name.file_name().and_then(|file| file.to_str()).expect("a name");
        let Some(stem) = [".expected.json", ".end.json"].iter().find_map(|end| file.strip_suffix(end)) else {
            let named = texts.iter().any(|(other, text)| other != name && text.contains(file));
            assert!(named || file == "README.md", "scenes/{} is named by no other file", name.display());
            continue;
        };
        let report: Value = serde_json::from_str(report).expect("JSON");
        let [scene, about, truth] = ["scene", "about", "truth"].map(|key| text(&report[key]));
        let head = match report["arguments"].as_array() {
            Some(arguments) => {
                let command: Vec<_> = [scene].into_iter().chain(arguments.iter().map(text)).collect();
                format!("`{stem}` | `{}`", command.join(" "))
            }
            None => {
                let first = texts[&PathBuf::from(scene)].lines().next();
                assert_eq!(first, Some(&format!("# {about}")[..]), "the first line of {scene}");
                format!("[`{stem}`]({stem}.toml)")
            }
        };
        let row = format!("| {head} | {about} | {truth} |\n");
        assert!(readme.contains(&row), "scenes/README.md has no row {row}");
        rows -= 1;
    }
    assert_eq!(rows, 0, "rows of scenes/README.md that belong to no report");
}

#[test]
fn the_program_gives_the_expected_answers() {
    hold(".expected.json", check);
}

#[test]
fn simulations_end_as_expected() {
    hold(".end.json", simulate);
}

/// Compares the program with the files of the folder that have this ending.
fn hold(ending: &str, run: impl Fn(&Value) -> Result<(), String> + Sync) {
    let mut files = contents(&folder());
    files.retain(|name, _| name.to_string_lossy().ends_with(ending));
    let try_one = |(name, bytes): (&PathBuf, &Vec<u8>)| {
        let expected: Value = serde_json::from_slice(bytes).expect("JSON");
        run(&expected).err().map(|reason| format!("{}: {reason}", name.display()))
    };
    let wrong: Vec<String> = files.par_iter().filter_map(try_one).collect();
    assert!(!files.is_empty(), "no scenes");
    assert!(wrong.is_empty(), "{} of {} scenes:\n{}", wrong.len(), files.len(), wrong.join("\n"));
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// `Err` with both values if they differ.
fn same(what: &str, found: &Value, expected: &Value) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found}, expected {expected}")) }
}

/// Runs the program on a scene and compares its report.
fn check(expected: &Value) -> Result<(), String> {
    let arguments = expected["arguments"].as_array().map_or(&[][..], Vec::as_slice);
    let output = Command::new(env!("CARGO_BIN_EXE_chasles"))
        .current_dir(folder())
        .args(["check", text(&expected["scene"]), "--json"])
        .args(arguments.iter().map(text))
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("no report: {error}; {}", String::from_utf8_lossy(&output.stderr)))?;
    same("exit status", &output.status.code().into(), &expected["exit_status"])?;
    for key in ["verdict", "duration", "bodies", "pairs_tested"] {
        same(key, &report[key], &expected[key])?;
    }
    let (pairs, expected_pairs) = (list(&report["pairs"]), list(&expected["pairs"]));
    same("pairs", &pairs.len().into(), &expected_pairs.len().into())?;
    for (pair, required) in pairs.iter().zip(expected_pairs) {
        for key in ["a", "b", "verdict"] {
            same(key, &pair[key], &required[key])?;
        }
        let wanted_gap = &required["gap"];
        let (intervals, required) = (list(&pair["intervals"]), list(&required["intervals"]));
        same("intervals", &intervals.len().into(), &required.len().into())?;
        for (i, (interval, required)) in intervals.iter().zip(required).enumerate() {
            self::interval(interval, required, expected)
                .map_err(|reason| format!("interval {i}: {reason}"))?;
        }
        gap(pair, wanted_gap)?;
    }
    play(expected)
}

/// Runs a simulation to its end, with its depths proven, and compares the final positions of bodies.
fn simulate(expected: &Value) -> Result<(), String> {
    let kept = tempfile::tempdir().expect("a folder");
    let recording = kept.path().join("recording.jsonl");
    let output = Command::new(env!("CARGO_BIN_EXE_chasles"))
        .current_dir(folder())
        .args(["simulate", text(&expected["scene"]), "--check", "--json", "--output"])
        .arg(&recording)
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("no report: {error}; {}", String::from_utf8_lossy(&output.stderr)))?;
    for key in ["verdict", "duration"] {
        same(key, &report[key], &expected[key])?;
    }
    same("exit status", &output.status.code().into(), &expected["exit_status"])?;
    let lines = std::fs::read_to_string(&recording).expect("a recording");
    let value = |line: Option<&str>| -> Value { serde_json::from_str(line.expect("a line")).expect("JSON") };
    let (head, last) = (value(lines.lines().next()), value(lines.lines().last()));
    same("the last line", &last["t"], &expected["duration"])?;
    for place in list(&expected["end"]) {
        let among = |key: &str| {
            let names = head[key].as_array().map_or(&[][..], Vec::as_slice);
            names.iter().position(|body| *body == place["body"])
        };
        let points = match (among("bodies"), among("flexible")) {
            (Some(body), _) => std::slice::from_ref(&last["poses"][body]),
            (None, Some(body)) => list(&last["vertices"][body]),
            (None, None) => return Err(format!("{} does not move", place["body"])),
        };
        let inside = |point: &Value, i: usize| {
            (number(&place["low"][i])..=number(&place["high"][i])).contains(&number(&point[i]))
        };
        if let Some(point) = points.iter().find(|point| !(0..3).all(|i| inside(point, i))) {
            return Err(format!("{} ends at {point}, expected within {place}", place["body"]));
        }
    }
    if head["flexible"].is_array() {
        return checked(&recording);
    }
    Ok(())
}

/// The simulation guarantees that flexible bodies never pass through anything: the check of its recording must agree.
fn checked(recording: &Path) -> Result<(), String> {
    let output = Command::new(env!("CARGO_BIN_EXE_chasles"))
        .current_dir(folder())
        .args(["check", "--json"])
        .arg(recording)
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("no report: {error}; {}", String::from_utf8_lossy(&output.stderr)))?;
    same("the recording", &report["verdict"], &"clear".into())
}

/// How far the first body can move in both directions along its motion before it binds.
fn play(expected: &Value) -> Result<(), String> {
    let required = &expected["play"];
    if required.is_null() {
        return Ok(());
    }
    let output = Command::new(env!("CARGO_BIN_EXE_chasles"))
        .current_dir(folder())
        .args(["screen", text(&expected["scene"]), "--pair", text(&required["a"]), text(&required["b"])])
        .args(["--play", "--json"])
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("no report: {error}; {}", String::from_utf8_lossy(&output.stderr)))?;
    for free_motion in ["forward", "backward"] {
        let (found, required) = (&report["play"][free_motion], &required[free_motion]);
        let verdict = if required.is_null() { "free" } else { "binds" };
        same(free_motion, &found["verdict"], &verdict.into())?;
        for (key, of) in [("angle", "angle"), ("slide", "metres")] {
            if !required.is_null() && (number(&found[key]) - number(&required[of])).abs() > PLAY_WITHIN {
                return Err(format!("play {free_motion}: {key} {}, expected {}", found[key], required[of]));
            }
        }
    }
    Ok(())
}

/// Radians and metres.
const PLAY_WITHIN: f64 = 1e-9;

/// The minimum distance of a near pair is enclosed, within 1 % or 1e-5 m.
fn gap(found: &Value, required: &Value) -> Result<(), String> {
    if required.is_null() {
        return Ok(());
    }
    let ([lo, hi], required) = (["gap_at_least", "gap"].map(|key| number(&found[key])), number(required));
    let digits = 1e-14;
    let holds = lo <= required + digits && required <= hi + digits;
    let sharp = hi - lo <= 1e-5_f64.max(0.01 * hi);
    if holds && sharp { Ok(()) } else { Err(format!("gap: found [{lo}, {hi}], expected {required}")) }
}

/// The position along a path at which an interval starts.
fn free_motion(found: &Value, required: &Value) -> Result<(), String> {
    let Some(joints) = required["joints"].as_object() else { return Ok(()) };
    same("segment", &found["segment"], &required["segment"])?;
    for (joint, required) in joints {
        let found = &found["joints"][joint];
        if !found.as_f64().is_some_and(|found| (found - number(required)).abs() <= 1e-6) {
            return Err(format!("{joint}: found {found}, expected {required}"));
        }
    }
    Ok(())
}

fn interval(found: &Value, required: &Value, expected: &Value) -> Result<(), String> {
    free_motion(found, required)?;
    let limits = (number(&expected["times_within"]), DIGITS * number(&expected["duration"]));
    let blurred = limits.1 + expected["parts_within"].as_f64().unwrap_or(0.0);
    let contact = &found["contact"];
    if number(&required["enter"]) == 0.0 {
        same("enter", &found["enter"], &serde_json::json!([0.0, 0.0]))?;
        same("contact", contact, &Value::Null)?;
    } else {
        time("enter", &found["enter"], &required["enter"], limits)?;
        // A proven crossing has occurred by the end of its enclosure; a touch depends on the tolerance.
        let met = number(&found["enter"][1]) >= number(&required["enter"]) - blurred;
        if !met && contact["touching"] != true {
            return Err(format!("enter: {} ends before {}", found["enter"], required["enter"]));
        }
    }
    if required["exit"].is_null() {
        same("exit", &found["exit"], &Value::Null)?;
    } else if found["exit"].is_null() {
        return Err(format!("exit: none, expected {}", required["exit"]));
    } else {
        time("exit", &found["exit"], &required["exit"], (limits.0, blurred))?;
        if number(&found["exit"][1]) < number(&required["exit"]) - limits.1 {
            return Err(format!("exit: {} ends before {}", found["exit"], required["exit"]));
        }
    }
    let normals_within = expected["normals_within"].as_f64().unwrap_or(NORMALS_WITHIN);
    place(contact, &required["contact"], [number(&expected["points_within"]), normals_within])
}

/// An enclosure starts at or before the true time and extends no further than `within` from it.
fn time(what: &str, found: &Value, required: &Value, (within, digits): (f64, f64)) -> Result<(), String> {
    let ([lo, hi], required) = ([0, 1].map(|i| number(&found[i])), number(required));
    let ordered = lo <= hi && lo <= required + digits;
    if ordered && required - lo <= within && (hi - required).abs() <= within {
        return Ok(());
    }
    Err(format!("{what}: found [{lo}, {hi}], expected {required} within {within}"))
}

/// The features, the point and the normal, as far as they are unique.
fn place(found: &Value, required: &Value, [points_within, normals_within]: [f64; 2]) -> Result<(), String> {
    for key in ["kind", "a", "b"] {
        if !required[key].is_null() {
            same(key, &found[key], &required[key])?;
        }
    }
    for (key, within) in [("point", points_within), ("normal", normals_within)] {
        let near = |(i, x): (usize, &Value)| {
            found[key][i].as_f64().is_some_and(|found| (found - number(x)).abs() <= within)
        };
        if !required[key].as_array().is_none_or(|required| required.iter().enumerate().all(near)) {
            return Err(format!("{key}: found {}, expected {}", found[key], required[key]));
        }
    }
    Ok(())
}
