//! Tests of the order of modules: a crate is readable from top to bottom.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the modules of a crate in the order in which they may use each other, each with its path in `use`
/// declarations. Modules in a folder come before the file that declares them. `root` is the crate's root file in
/// the folder `src`.
///
/// # Panics
/// If a file cannot be read.
#[must_use]
pub fn in_order(src: &Path, root: &str) -> Vec<(String, PathBuf)> {
    let mut modules = Vec::new();
    add(src, &src.join(root), "crate", &mut modules);
    modules
}

fn add(folder: &Path, file: &Path, path: &str, modules: &mut Vec<(String, PathBuf)>) {
    for name in declared(&read(file)) {
        let (child, inner) = (folder.join(format!("{name}.rs")), format!("{path}::{name}"));
        add(&folder.join(&name), &child, &inner, modules);
        modules.push((inner, child));
    }
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The modules that a source text declares, in order.
fn declared(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| {
        let heads = ["pub(crate) mod ", "pub(super) mod ", "pub mod ", "mod "];
        heads.iter().find_map(|head| line.strip_prefix(head))?.strip_suffix(';')
    });
    names.map(str::to_owned).collect()
}

/// Asserts that each module uses only modules above it in the list of its parent, and possibly the module that declares
/// it. Files whose names end in `tests`, and code after the first `#[cfg(test)]` of a file, may use all modules.
///
/// # Panics
/// If a module uses a module below it, or a file cannot be read.
#[track_caller]
pub fn assert_only_those_above_are_used(src: &Path, root: &str) {
    let modules = in_order(src, root);
    for (i, (path, file)) in modules.iter().enumerate() {
        if path.ends_with("tests") {
            continue;
        }
        let text = read(file);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines() {
            let Some(used) = used_by(line) else { continue };
            let used = whole(used, path);
            for (later, _) in &modules[i + 1..] {
                let below = used == *later || used.starts_with(&format!("{later}::"));
                // A folder's own file comes after the files in it.
                let own_folder = path.starts_with(&format!("{later}::"));
                assert!(!below || own_folder, "{}: `{}` is below {path}", file.display(), line.trim());
            }
        }
    }
}

/// Asserts that no two types of a crate have the same name. Associated types are exempt.
///
/// # Panics
/// If two types have the same name, or a file cannot be read.
#[track_caller]
pub fn assert_type_names_are_unique(src: &Path, root: &str) {
    if let Some((name, [first, second])) = repeated_type(src, root) {
        panic!("{} and {} both define {name}", first.display(), second.display());
    }
}

/// A name of two types, and the files that define them.
fn repeated_type(src: &Path, root: &str) -> Option<(String, [PathBuf; 2])> {
    let mut types: BTreeMap<String, PathBuf> = BTreeMap::new();
    for file in in_order(src, root).into_iter().map(|(_, file)| file).chain([src.join(root)]) {
        for name in read(&file).lines().filter_map(defined_type) {
            if let Some(other) = types.insert(name.to_owned(), file.clone()) {
                return Some((name.to_owned(), [other, file]));
            }
        }
    }
    None
}

/// The name of the type that a line defines.
fn defined_type(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let code = match code.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => code,
    };
    // An indented alias belongs to a trait.
    let alias = if line.starts_with(' ') { None } else { code.strip_prefix("type ") };
    let heads = ["struct ", "enum ", "trait ", "union "];
    let name = heads.iter().find_map(|head| code.strip_prefix(head)).or(alias)?;
    name.split(|letter: char| !letter.is_alphanumeric()).next()
}

/// The path that a line imports, with any visibility.
#[must_use]
pub fn used_by(line: &str) -> Option<&str> {
    let heads = ["use ", "pub use ", "pub(crate) use ", "pub(super) use "];
    let used = heads.iter().find_map(|head| line.trim_start().strip_prefix(head))?;
    Some(used.trim_end_matches(';'))
}

/// An imported path, from the root of the crate.
fn whole(used: &str, path: &str) -> String {
    if let Some(rest) = used.strip_prefix("self::") {
        return format!("{path}::{rest}");
    }
    let (mut used, mut path) = (used, path);
    while let (Some(rest), Some((above, _))) = (used.strip_prefix("super::"), path.rsplit_once("::")) {
        (used, path) = (rest, above);
        if !used.starts_with("super::") {
            return format!("{path}::{used}");
        }
    }
    used.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_use_is_found() {
        for line in
            ["use crate::a;", "    pub use crate::a;", "pub(crate) use crate::a;", "pub(super) use crate::a;"]
        {
            assert_eq!(used_by(line), Some("crate::a"));
        }
        assert_eq!(used_by("let used = crate::a;"), None);
    }

    #[test]
    fn paths_are_resolved_from_the_root() {
        assert_eq!(whole("crate::a::B", "crate::c"), "crate::a::B");
        assert_eq!(whole("self::a::B", "crate::c"), "crate::c::a::B");
        assert_eq!(whole("super::a::B", "crate::c::d"), "crate::c::a::B");
        assert_eq!(whole("super::super::a", "crate::c::d::e"), "crate::c::a");
        assert_eq!(whole("glam::DVec3", "crate::c"), "glam::DVec3");
    }

    #[test]
    fn every_kind_of_type_is_found() {
        for line in
            ["struct Aa;", "    enum Aa {", "pub trait Aa: Bb {", "pub(crate) type Aa = Bb;", "union Aa<T> {"]
        {
            assert_eq!(defined_type(line), Some("Aa"), "{line}");
        }
        for line in ["    type Error = Bb;", "let a = Aa {", "/// struct Aa", "pub fn aa() {"] {
            assert_eq!(defined_type(line), None, "{line}");
        }
    }

    #[test]
    fn a_repeated_type_name_is_found() {
        let folder = std::env::temp_dir().join(format!("chasles-names-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (root, twice) = (folder.join("lib.rs"), folder.join("twice.rs"));
        fs::write(&root, "mod twice;\npub struct Bb;\n").unwrap();
        fs::write(&twice, "struct Aa;\nfn f() {\n    struct Aa;\n}\n").unwrap();
        let found = repeated_type(&folder, "lib.rs");
        fs::write(&twice, "struct Aa;\nfn f() {\n    struct Cc;\n}\n").unwrap();
        let unique = repeated_type(&folder, "lib.rs");
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, Some(("Aa".to_owned(), [twice.clone(), twice])));
        assert_eq!(unique, None);
    }

    #[test]
    fn the_package_for_python_reads_from_top_to_bottom() {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chasles-python/src");
        assert_only_those_above_are_used(&src, "lib.rs");
        assert_type_names_are_unique(&src, "lib.rs");
    }

    #[test]
    fn this_crate_reads_from_top_to_bottom() {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        assert_only_those_above_are_used(&src, "lib.rs");
        assert_type_names_are_unique(&src, "lib.rs");
        let names: Vec<_> = in_order(&src, "lib.rs").into_iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"crate::modules".to_owned()), "{names:?}");
    }
}
