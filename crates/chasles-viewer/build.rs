//! Builds the page of `web/` into one HTML file, which becomes part of the program.
//!
//! Where the page cannot be built (Node is not there, or there is no network for its packages) the build goes on with a warning, and the
//! program says what is missing when the page is asked for. `CHASLES_PAGE=DIR` names a folder with an `index.html` that was built before.
//! Nothing is written outside of `OUT_DIR`: what the page is made of is copied there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What the page is made of, in `web/`.
const SOURCES: [&str; 6] =
    ["package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "index.html", "src"];

/// Lines of a failed program's output that are repeated.
const TOLD: usize = 8;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CHASLES_PAGE");
    let made = match env::var_os("CHASLES_PAGE") {
        Some(folder) => given(Path::new(&folder)),
        None => {
            for source in SOURCES.iter().map(|name| web.join(name)).filter(|path| path.exists()) {
                println!("cargo::rerun-if-changed={}", source.display());
            }
            build(&web, &out.join("web"))
        }
    };
    let page = made.unwrap_or_else(|why| {
        for line in why.lines() {
            println!("cargo::warning=the page of the viewer is not built: {line}");
        }
        String::new()
    });
    fs::write(out.join("page.html"), page).expect("OUT_DIR can be written");
}

/// A page that was built before.
fn given(folder: &Path) -> Result<String, String> {
    let file = folder.join("index.html");
    println!("cargo::rerun-if-changed={}", file.display());
    fs::read_to_string(&file).map_err(|error| format!("CHASLES_PAGE: {}: {error}", file.display()))
}

/// The page, built from a copy of `web`.
fn build(web: &Path, copy: &Path) -> Result<String, String> {
    if !web.join("package.json").exists() {
        return Err("there is no folder web beside the crates".into());
    }
    let version = output(Command::new("node").arg("--version"))
        .map_err(|_| "install Node 18 or newer, with npm".to_owned())?;
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|n| n.parse::<u32>().ok());
    if major.is_none_or(|major| major < 18) {
        return Err(format!("found Node {}, expected 18 or newer", version.trim()));
    }
    let lock = "package-lock.json";
    let kept = fs::read(copy.join(lock)).ok();
    refresh(web, copy).map_err(|error| format!("{}: {error}", copy.display()))?;
    let same = kept.is_some() && kept == fs::read(copy.join(lock)).ok();
    if !(same && copy.join("node_modules/.package-lock.json").exists()) {
        let install =
            ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"];
        output(npm().args(install).current_dir(copy))?;
    }
    output(npm().args(["run", "build"]).current_dir(copy))?;
    let file = copy.join("dist/index.html");
    fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
}

fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Copies what the page is made of, and keeps the packages that were installed.
fn refresh(web: &Path, copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy)?;
    for entry in fs::read_dir(copy)? {
        let path = entry?.path();
        match path.file_name() == Some(OsStr::new("node_modules")) {
            true => {}
            false if path.is_dir() => fs::remove_dir_all(path)?,
            false => fs::remove_file(path)?,
        }
    }
    SOURCES.iter().try_for_each(|name| copy_all(&web.join(name), &copy.join(name)))
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_all(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else if from.exists() {
        fs::copy(from, to)?;
    }
    Ok(())
}

/// Runs a program; its output, or what it said last.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let said = text(&output.stdout) + &text(&output.stderr);
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(TOLD)..].join("\n");
    Err(format!("{name} ended with {}\n{last}", output.status))
}
