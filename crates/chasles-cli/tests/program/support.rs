//! Runs the program in a folder of its own, and observes it while it runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A program that takes longer than this hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// A folder that is deleted after the test.
pub(crate) struct Folder(TempDir);

/// The result of a run of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of the files in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program with the folder as its working directory.
    pub(crate) fn program(&self, args: &[&str]) -> Command {
        program(self.0.path(), args)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.program(args).stdin(Stdio::null()).output().unwrap().into()
    }
}

fn program(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chasles"));
    command.current_dir(folder).args(args);
    command
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// The lines of standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// Empty standard output, status 2, and one line on standard error.
    #[track_caller]
    pub(crate) fn refused(&self, message: &str) {
        let expected =
            Self { status: Some(2), stdout: String::new(), stderr: format!("chasles: {message}\n") };
        assert_eq!(*self, expected);
    }
}

/// Polls until there is a result.
#[track_caller]
pub(crate) fn awaited<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "never came: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The data of a page in a single file.
pub(crate) fn page_data(file: &str) -> Value {
    let begin = file.find("type=\"application/json\">").unwrap() + 24;
    let data = &file[begin..begin + file[begin..].find("</script>").unwrap()];
    serde_json::from_str(data).unwrap()
}

/// Asserts that a list of numbers is this one, to 1e-9.
#[track_caller]
pub(crate) fn near(value: &Value, expected: &[f64]) {
    let got: Vec<f64> = value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    let close = got.len() == expected.len() && got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(close, "{got:?} for {expected:?}");
}
