//! The engine's modules depend only on those above them in `lib.rs`, and inside a folder on those above them there.

use std::fs;
use std::path::{Path, PathBuf};

use chasles_testing::modules;

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn modules_use_only_those_above_them() {
    modules::assert_only_those_above_are_used(&src(), "lib.rs");
}

#[test]
fn type_names_are_unique() {
    modules::assert_type_names_are_unique(&src(), "lib.rs");
}

/// Only `pair.rs` and the modules behind it know the kinds of shapes.
#[test]
fn callers_of_a_pair_know_no_kind_of_shape() {
    let (askers, behind) = (["trajectory", "predict", "poses", "scene", "robot"], ["mesh_motion", "round"]);
    let mut looked_at = 0;
    for (path, file) in modules::in_order(&src(), "lib.rs") {
        let room = path.split("::").nth(1).unwrap();
        if !askers.contains(&room) || path.ends_with("tests") {
            continue;
        }
        looked_at += 1;
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let uses = code.lines().filter_map(modules::used_by).filter_map(|used| used.strip_prefix("crate::"));
        for used in uses {
            let room = used.split("::").next().unwrap();
            assert!(!behind.contains(&room), "{} uses {used}", file.display());
        }
    }
    assert!(looked_at > 30, "{looked_at}");
}

#[test]
fn the_engine_prints_reads_and_times_nothing() {
    let modules = modules::in_order(&src(), "lib.rs");
    assert!(modules.len() > 15, "{modules:?}");
    for (_, file) in modules {
        let text = fs::read_to_string(&file).unwrap();
        for word in ["std::fs", "std::io", "std::time", "std::env", "println!", "eprintln!", "std::net"] {
            assert!(!text.contains(word), "{} uses {word}", file.display());
        }
    }
}

/// The example of the front page, line by line, without the lines that rustdoc hides.
fn front_page_example() -> Vec<String> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let doc = text.lines().filter_map(|line| line.strip_prefix("//!"));
    let lines = doc.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let code = lines.skip_while(|line| *line != "```").skip(1).take_while(|line| *line != "```");
    code.filter(|line| !line.starts_with("# ")).map(str::to_owned).collect()
}

#[test]
fn the_readme_shows_the_example_of_the_front_page() {
    let example = front_page_example();
    assert!(example.len() > 10, "{example:?}");
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let code = readme.split("```rust\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(code.lines().collect::<Vec<_>>(), example);
}
