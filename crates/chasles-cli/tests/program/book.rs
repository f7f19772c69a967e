//! Tests the book in `docs/` and the README with the program: commands are run, scenes are checked, links are followed.
//!
//! The words after the three backticks of a fenced block define its kind:
//!
//! - `console`: a session. `$ ` starts a command, and the lines up to the next command are all that it prints, on
//!   standard output and standard error together. `...` matches any text: alone on a line any number of lines,
//!   otherwise text within the line. A line `# exit status 1` after the output is the status; without it the status
//!   is 0.
//! - `json output`: the values that the last command before it printed, formatted for reading; last digits may differ.
//! - `toml scene`: a whole scene, which `chasles check` accepts.
//! - any block with `file=NAME`: stored under that name for the commands below it in the same document.
//!
//! The commands of a document run in one folder, which has a copy of `scenes/` like the root of the repository.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

/// Maximum number of characters in a line of Markdown.
const LONGEST_LINE: usize = 120;

/// The commands allowed at the start of a command line and after a `|`.
const COMMANDS: [&str; 3] = ["chasles", "printf", "cat"];

/// How the README starts the program before it is installed.
const FROM_SOURCE: &str = "cargo run --release -p chasles-cli --";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A document, by its path from the root of the repository.
struct Document {
    name: String,
    text: String,
}

/// A fenced block: the words after its backticks, and its lines with the number of the first one.
struct Block {
    words: Vec<String>,
    line: usize,
    lines: Vec<String>,
}

/// A command of a session, and its expected result.
struct Expected {
    line: usize,
    command: String,
    output: Vec<String>,
    status: i32,
}

fn read(name: String) -> Document {
    let text = fs::read_to_string(root().join(&name)).expect(&name);
    Document { name, text }
}

/// The Markdown files of a folder, sorted.
fn documents_in(folder: &str) -> Vec<Document> {
    let entries = fs::read_dir(root().join(folder)).expect(folder);
    let names = entries.map(|entry| entry.expect(folder).file_name().into_string().expect("a name in UTF-8"));
    let mut names: Vec<_> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names
        .into_iter()
        .map(|name| read(if folder.is_empty() { name } else { format!("{folder}/{name}") }))
        .collect()
}

/// The chapters of the book, and the README.
fn book() -> Vec<Document> {
    let mut documents = documents_in("docs");
    documents.push(read("README.md".into()));
    documents
}

/// The text outside fenced blocks, line by line with its number, and the blocks.
fn parts(document: &Document) -> (Vec<(usize, &str)>, Vec<Block>) {
    let (mut prose, mut blocks, mut open) = (Vec::new(), Vec::new(), None);
    for (line, text) in (1..).zip(document.text.lines()) {
        open = match (text.strip_prefix("```"), open) {
            (Some(info), None) => {
                let words = info.split_whitespace().map(str::to_owned).collect();
                Some(Block { words, line: line + 1, lines: vec![] })
            }
            (Some(_), Some(block)) => {
                blocks.push(block);
                None
            }
            (None, Some(mut block)) => {
                block.lines.push(text.to_owned());
                Some(block)
            }
            (None, None) => {
                prose.push((line, text));
                None
            }
        };
    }
    assert!(open.is_none(), "{}: a fenced block does not end", document.name);
    (prose, blocks)
}

fn session(block: &Block) -> Vec<Expected> {
    let mut commands: Vec<Expected> = Vec::new();
    for (line, text) in (block.line..).zip(&block.lines) {
        if let Some(command) = text.strip_prefix("$ ") {
            let command = command.replace(FROM_SOURCE, "chasles");
            commands.push(Expected { line, command, output: vec![], status: 0 });
            continue;
        }
        let last = commands.last_mut().unwrap_or_else(|| panic!("line {line}: a session begins with `$ `"));
        match text.strip_prefix("# exit status ") {
            Some(status) => last.status = status.parse().unwrap_or_else(|_| panic!("line {line}: no status")),
            None => last.output.push(text.clone()),
        }
    }
    // A blank line may separate a command from the next.
    for command in &mut commands {
        while command.output.last().is_some_and(String::is_empty) {
            command.output.pop();
        }
    }
    commands
}

/// Whether a text matches a pattern, in which `...` matches any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split("...");
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// Whether lines match patterns, in which a line `...` matches any number of lines.
fn lines_match(patterns: &[String], lines: &[&str]) -> bool {
    match patterns.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=lines.len()).any(|skip| lines_match(rest, &lines[skip..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| matches(first, line) && lines_match(rest, others)),
    }
}

/// Whether two values are equal, except for the last digits of numbers, which a change of the engine may affect.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
            (a - b).abs() <= 1e-9 + 1e-9 * a.abs()
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| alike(value, other)))
        }
        _ => a == b,
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("a file")),
        }
    }
}

/// A folder to run the commands of one document in.
fn stage() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&root().join("scenes"), &folder.path().join("scenes"));
    folder
}

fn shell(folder: &Path, command: &str) -> (String, Option<i32>) {
    let mut path = OsString::from(Path::new(env!("CARGO_BIN_EXE_chasles")).parent().expect("its folder"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code())
}

/// Runs a command of a session; returns its output, or the error.
fn run(folder: &Path, expected: &Expected) -> Result<String, String> {
    let strange = |part: &&str| !COMMANDS.contains(&part.split_whitespace().next().unwrap_or_default());
    if let Some(part) = expected.command.split(" | ").find(strange) {
        return Err(format!("`{part}` is none of {}", COMMANDS.join(", ")));
    }
    let (output, status) = shell(folder, &expected.command);
    if status != Some(expected.status) {
        return Err(format!("exit status {status:?}, not {}, with\n{output}", expected.status));
    }
    let lines: Vec<&str> = output.lines().collect();
    match lines_match(&expected.output, &lines) {
        true => Ok(output),
        false => Err(format!("it prints\n{output}and not\n{}\n", expected.output.join("\n"))),
    }
}

/// The error in a block, given the output of the last command.
fn try_block(folder: &Path, block: &Block, printed: &mut String) -> Result<(), String> {
    let has = |word: &str| block.words.iter().any(|found| found == word);
    let at = |line: usize, message: String| format!("line {line}: {message}");
    if let Some(name) = block.words.iter().find_map(|word| word.strip_prefix("file=")) {
        fs::write(folder.join(name), block.lines.join("\n") + "\n").expect("written");
    }
    if has("scene") {
        fs::write(folder.join("whole.toml"), block.lines.join("\n")).expect("written");
        let (output, status) = shell(folder, "chasles check whole.toml");
        if !matches!(status, Some(0 | 1 | 3)) {
            return Err(at(block.line, format!("it is no scene: {output}")));
        }
    }
    if has("console") {
        for expected in session(block) {
            *printed = run(folder, &expected).map_err(|wrong| at(expected.line, wrong))?;
        }
    }
    if has("output") {
        let values = |text: &str| {
            let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
            values
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| at(block.line, format!("not JSON: {error}")))
        };
        let (shown, found) = (values(&block.lines.join("\n"))?, values(printed)?);
        if shown.len() != found.len() || !shown.iter().zip(&found).all(|(a, b)| alike(a, b)) {
            return Err(at(block.line, format!("the last command printed\n{printed}")));
        }
    }
    Ok(())
}

#[test]
fn commands_print_what_the_book_says() {
    let try_all = |document: Document| {
        let (_, blocks) = parts(&document);
        let (folder, mut printed) = (stage(), String::new());
        let wrong = blocks.iter().filter_map(|block| try_block(folder.path(), block, &mut printed).err());
        let wrong: Vec<String> = wrong.map(|message| format!("{}: {message}", document.name)).collect();
        let lines = blocks.iter().flat_map(|block| &block.lines);
        (wrong, lines.filter(|line| line.starts_with("$ ")).count())
    };
    let (wrong, commands): (Vec<_>, Vec<_>) = book().into_par_iter().map(try_all).unzip();
    let (wrong, commands) = (wrong.concat(), commands.iter().sum::<usize>());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(commands >= 30, "{commands} commands: they are not found");
}

/// The targets of the links in a line of Markdown.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

/// The anchor of a heading in links.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut wrong = Vec::new();
    let mut documents: Vec<_> = documents_in("docs").into_iter().chain(documents_in("")).collect();
    documents.extend(["scenes/README.md", "bench/README.md", "web/README.md"].map(|name| read(name.into())));
    for document in &documents {
        let folder = root().join(Path::new(&document.name).parent().expect("a folder"));
        for (line, text) in parts(document).0 {
            for link in
                links(text).filter(|link| !link.starts_with("http://") && !link.starts_with("https://"))
            {
                let (file, heading) = link.split_once('#').unwrap_or((link, ""));
                let target = if file.is_empty() { root().join(&document.name) } else { folder.join(file) };
                // The book is built from this folder alone.
                let outside = document.name.starts_with("docs/") && file.contains("..");
                let found = target.exists() && !outside;
                let found = found
                    && (heading.is_empty() || {
                        let target =
                            Document { name: link.into(), text: fs::read_to_string(&target).expect(link) };
                        let headings = parts(&target).0;
                        headings.iter().any(|(_, text)| text.starts_with('#') && anchor(text) == heading)
                    });
                if !found {
                    wrong.push(format!("{}, line {line}: {link}", document.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_summary_lists_every_chapter_and_chapters_show_every_picture() {
    let chapters = documents_in("docs");
    let summary = chapters.iter().find(|document| document.name == "docs/SUMMARY.md").expect("a summary");
    let listed: BTreeSet<_> = summary.text.lines().flat_map(links).map(str::to_owned).collect();
    let files = chapters.iter().filter_map(|document| document.name.strip_prefix("docs/"));
    let files: BTreeSet<_> = files.filter(|name| *name != "SUMMARY.md").map(str::to_owned).collect();
    assert_eq!(listed, files);

    let all: String = book().into_iter().map(|document| document.text).collect();
    for entry in fs::read_dir(root().join("docs/pictures")).expect("pictures") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name in UTF-8");
        assert!(all.contains(&format!("pictures/{name})")), "nothing shows docs/pictures/{name}");
    }
}

/// The files in a folder and below it, with paths from the root of the repository.
fn files_below(folder: &str, files: &mut Vec<String>) {
    for entry in fs::read_dir(root().join(folder)).expect(folder) {
        let entry = entry.expect(folder);
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let path = format!("{folder}/{name}");
        match entry.file_type().expect("a kind of file").is_dir() {
            true if ["target", "node_modules", "dist"].contains(&name.as_str()) => {}
            true => files_below(&path, files),
            false => files.push(path),
        }
    }
}

/// The words of the Rust sources outside comments.
fn words_of(files: &[String]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for file in files.iter().filter(|file| file.ends_with(".rs")) {
        let text = fs::read_to_string(root().join(file)).expect(file);
        let code = text.lines().filter_map(|line| line.split("//").next());
        words.extend(code.flat_map(|line| line.split(|c: char| !is_of_word(c)).map(str::to_owned)));
    }
    words
}

fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[test]
fn names_and_files_of_the_sources_exist() {
    let mut files = Vec::new();
    ["crates", "bench", "web/src", "web/tests", ".ci", "docs", "fuzz", "benchmark", "scenes"]
        .iter()
        .for_each(|folder| files_below(folder, &mut files));
    let words = words_of(&files);
    let is_file = |path: &str| {
        let [inner, end] = [format!("/{path}/"), format!("/{path}")];
        files.iter().any(|file| {
            let stem = file.strip_suffix(".rs").or(file.strip_suffix(".ts")).unwrap_or(file);
            let name = format!("/{file}");
            name.contains(&inner) || name.ends_with(&end) || format!("/{stem}").ends_with(&end)
        })
    };
    let mut wrong = Vec::new();
    for document in book().into_iter().chain(documents_in("")).chain(documents_in("bench")) {
        // Lists of the sources' files; other chapters name files of users.
        let lists_files =
            ["ARCHITECTURE.md", "DESIGN.md", "CONTRIBUTING.md"].contains(&document.name.as_str());
        // Have names of other libraries, and former names.
        let is_foreign = ["docs/coming-from.md", "CHANGELOG.md"].contains(&document.name.as_str());
        for (line, text) in parts(&document).0 {
            for span in text.split('`').skip(1).step_by(2) {
                let path = span.split('(').next().unwrap_or_default();
                let is_name = path.contains("::") && path.chars().all(|c| is_of_word(c) || c == ':');
                if is_name && !is_foreign && !path.split("::").all(|word| words.contains(word)) {
                    wrong.push(format!("{}:{line}: no source has the name {span}", document.name));
                }
                let of_path = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_./".contains(c);
                let is_path = lists_files && span.contains('/') && span.chars().all(of_path);
                if is_path && !span.starts_with("target/") && !is_file(span.trim_matches('/')) {
                    wrong.push(format!("{}:{line}: no source has the path {span}", document.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn lines_of_the_book_are_not_too_long() {
    for document in book() {
        for (line, text) in (1..).zip(document.text.lines()) {
            let long = text.chars().count();
            assert!(long <= LONGEST_LINE, "{}, line {line}: {long} characters", document.name);
        }
    }
}

#[test]
fn patterns_match_as_documented() {
    for (pattern, text, expected) in [
        ("clear", "clear", true),
        ("clear", "clear ", false),
        ("a ... c", "a b c", true),
        ("a ... c", "a b d", false),
        ("...c", "c", true),
        ("a...", "ab", true),
        ("a...b...a", "aba", true),
        ("a...a", "a", false),
    ] {
        assert_eq!(matches(pattern, text), expected, "{pattern:?} {text:?}");
    }
    let pattern = ["a", "...", "d"].map(str::to_owned);
    assert!(lines_match(&pattern, &["a", "d"]) && lines_match(&pattern, &["a", "b", "c", "d"]));
    assert!(!lines_match(&pattern, &["a", "b"]) && !lines_match(&pattern, &["a", "d", "e"]));
}
