//! Builds the page of `web/` into one HTML file, which becomes part of the program.
//!
//! If the page cannot be built, because Node or the network for its packages is missing, the build continues with a
//! warning, and the program reports what is missing when a page is requested. `CHASLES_PAGE=DIR`, an absolute path,
//! names a folder with an `index.html` that was built before.
//!
//! Besides `OUT_DIR`, only `web/node_modules` is written, if its packages are missing or older than their list. All
//! builds share it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use std::{env, fs};

/// The sources of the page, in `web/`.
const SOURCES: [&str; 6] =
    ["package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "index.html", "src"];

/// The maximum number of lines of a failed program's output in the warning.
const MAX_LINES: usize = 8;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CHASLES_PAGE");
    let made = match env::var_os("CHASLES_PAGE").filter(|folder| !folder.is_empty()) {
        // A page that the variable names is required.
        Some(folder) => Ok(read_built(Path::new(&folder)).expect("CHASLES_PAGE names the folder of a page")),
        None => {
            for source in SOURCES.iter().map(|name| web.join(name)).filter(|path| path.exists()) {
                println!("cargo::rerun-if-changed={}", source.display());
            }
            build(&web, &out.join("page"))
        }
    };
    let page = made.unwrap_or_else(|reason| {
        // A missing file makes the next build try again, for example after Node was installed.
        println!("cargo::rerun-if-changed={}", out.join("again").display());
        for line in reason.lines() {
            println!("cargo::warning=the page of the viewer is not built: {line}");
        }
        String::new()
    });
    fs::write(out.join("page.html"), page).expect("OUT_DIR can be written");
}

/// A page that was built before.
fn read_built(folder: &Path) -> Result<String, String> {
    let file = folder.join("index.html");
    println!("cargo::rerun-if-changed={}", file.display());
    fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
}

/// The page, built into a folder.
fn build(web: &Path, folder: &Path) -> Result<String, String> {
    if !web.join("package.json").exists() {
        return Err("there is no folder web beside the crates".into());
    }
    let version = output(Command::new("node").arg("--version"))
        .map_err(|_| "install Node 18.18 or newer, with npm".to_owned())?;
    let mut numbers = version.trim().trim_start_matches('v').split('.').map_while(|n| n.parse::<u32>().ok());
    if (numbers.next(), numbers.next()) < (Some(18), Some(18)) {
        return Err(format!("found Node {}, expected 18.18 or newer", version.trim()));
    }
    // Debian has npm in a package of its own.
    output(npm().arg("--version"))
        .map_err(|reason| format!("found Node {} without npm: install npm ({reason})", version.trim()))?;
    // npm writes this list when all packages are there.
    let installed = changed(&web.join("node_modules/.package-lock.json"));
    if installed
        .is_none_or(|installed| changed(&web.join("package-lock.json")).is_some_and(|list| list > installed))
    {
        let install =
            ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"];
        output(npm().args(install).current_dir(web))?;
    }
    output(npm().args(["run", "build", "--", "--emptyOutDir", "--outDir"]).arg(folder).current_dir(web))?;
    let file = folder.join("index.html");
    fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
}

fn changed(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|facts| facts.modified()).ok()
}

fn npm() -> Command {
    Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
}

/// Runs a program. Returns its output, or the lines about its errors.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    let all = text(&output.stdout) + &text(&output.stderr);
    let mut lines: Vec<&str> = all.lines().filter(|line| !line.trim().is_empty()).collect();
    let first = lines.iter().position(|line| line.to_ascii_lowercase().contains("error")).unwrap_or(0);
    lines.drain(..first);
    lines.truncate(MAX_LINES);
    Err(format!("{name} ended with {}\n{}", output.status, lines.join("\n")))
}
