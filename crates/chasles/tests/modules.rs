//! The engine's modules depend only on those above them in `lib.rs`, and inside a folder on those above them there.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules that a file declares, in order.
fn declared(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let names = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("pub(crate) mod ").or_else(|| line.strip_prefix("pub mod "));
        rest.or_else(|| line.strip_prefix("mod "))?.strip_suffix(';')
    });
    names.map(str::to_owned).collect()
}

/// All files in the order in which they may use each other, with the path by which they are used.
fn in_order(folder: &Path, file: &Path, path: &str, out: &mut Vec<(String, PathBuf)>) {
    for name in declared(file) {
        let (child, inner) = (folder.join(format!("{name}.rs")), format!("{path}::{name}"));
        in_order(&folder.join(&name), &child, &inner, out);
        out.push((inner, child));
    }
}

#[test]
fn modules_use_only_those_above_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = Vec::new();
    in_order(&src, &src.join("lib.rs"), "crate", &mut modules);
    assert!(modules.len() > 15, "{modules:?}");
    for (i, (path, file)) in modules.iter().enumerate() {
        let text = fs::read_to_string(file).unwrap();
        // Tests may use anything: a file of tests, and what comes after the tests' module of another.
        if path.ends_with("tests") {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap();
        for line in code.lines().filter(|line| line.trim_start().starts_with("use crate::")) {
            let used = line.trim_start().trim_start_matches("use ").trim_end_matches(';');
            for (later, _) in &modules[i + 1..] {
                let below = used == later || used.starts_with(&format!("{later}::"));
                // A folder's own file comes after the files in it.
                let own_folder = path.starts_with(&format!("{later}::"));
                assert!(
                    !below || own_folder,
                    "{}: `{}` is below {path} in lib.rs",
                    file.display(),
                    line.trim()
                );
            }
        }
    }
}

#[test]
fn the_engine_prints_reads_and_times_nothing() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = Vec::new();
    in_order(&src, &src.join("lib.rs"), "crate", &mut modules);
    for (_, file) in modules {
        let text = fs::read_to_string(&file).unwrap();
        for word in ["std::fs", "std::io", "std::time", "std::env", "println!", "eprintln!", "std::net"] {
            assert!(!text.contains(word), "{} uses {word}", file.display());
        }
    }
}

/// The example of the front page, line by line, without what rustdoc hides.
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
