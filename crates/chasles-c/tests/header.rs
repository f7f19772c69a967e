//! The header is what the sources say, and the documents show what the example does.

use std::fs;
use std::path::{Path, PathBuf};

fn own() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn header() -> PathBuf {
    own().join("include/chasles.h")
}

/// The header, made of the sources.
fn made() -> Vec<u8> {
    let config = cbindgen::Config::from_file(own().join("cbindgen.toml")).expect("cbindgen.toml is right");
    let made = cbindgen::Builder::new().with_crate(own()).with_config(config).generate();
    let mut text = Vec::new();
    made.expect("the sources can be read").write(&mut text);
    text
}

/// With `CHASLES_WRITE=1` the header is written anew.
#[test]
fn the_header_is_up_to_date() {
    let made = made();
    if std::env::var_os("CHASLES_WRITE").is_some() {
        fs::write(header(), &made).expect("include/chasles.h");
    }
    let found = fs::read(header()).expect("include/chasles.h");
    assert!(found == made, "run `CHASLES_WRITE=1 cargo test -p chasles-c --test header`");
}

#[test]
fn every_function_documents_its_threads() {
    let header = fs::read_to_string(header()).expect("include/chasles.h");
    let mut comment = String::new();
    let mut functions = 0;
    for line in header.lines() {
        if line.trim_start().starts_with("///") {
            comment += line;
            continue;
        }
        // A declaration begins at the margin, with the type that is returned.
        if line.contains("chasles_") && line.contains('(') && !line.starts_with([' ', '#', '/']) {
            functions += 1;
            assert!(comment.contains("Threads:"), "{line}");
        }
        comment.clear();
    }
    assert!(functions >= 29, "{functions} functions");
}

/// The lines without what is indented.
fn plain(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_cpp_code_of_the_book_is_in_the_example() {
    let read =
        |path: &str| fs::read_to_string(own().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let sources = [read("examples/eigen/main.cpp"), read("examples/eigen/CMakeLists.txt")];
    let sources = sources.each_ref().map(|source| plain(source));
    let mut pages: Vec<PathBuf> = fs::read_dir(own().join("../../docs"))
        .expect("docs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    let mut blocks = 0;
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        let page = page.display();
        let mut rest = text.as_str();
        while let Some(start) = ["```cpp\n", "```cmake\n"].iter().filter_map(|kind| rest.find(kind)).min() {
            rest = &rest[start..];
            let (_, after) = rest.split_once('\n').expect("a line after the fence");
            let (block, after) = after.split_once("```").expect("a closing fence");
            let block = plain(block);
            assert!(
                sources.iter().any(|source| source.windows(block.len()).any(|lines| lines == block)),
                "{page}: the example has not\n{}",
                block.join("\n")
            );
            (rest, blocks) = (after, blocks + 1);
        }
    }
    assert!(blocks >= 3, "{blocks} blocks");
}
