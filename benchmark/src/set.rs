//! A set of problems in a folder: meshes, problems and certificates as files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::certify::OmissionReason;
use crate::shapes::{Raw, ordered};

/// A folder of problems, while it is being filled.
#[derive(Debug)]
pub struct Set {
    folder: PathBuf,
    /// Numbers of rejected problems, by family, kind and reason.
    pub omitted: BTreeMap<(String, OmissionReason), usize>,
    taken: BTreeMap<String, Vec<(String, String)>>,
}

impl Set {
    /// An empty set.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn new(folder: &Path) -> io::Result<Self> {
        for part in ["meshes", "robots"] {
            fs::create_dir_all(folder.join(part))?;
        }
        Ok(Self { folder: folder.into(), omitted: BTreeMap::new(), taken: BTreeMap::new() })
    }

    /// Takes a problem if it has a certificate; otherwise counts the reason. Returns whether it was taken.
    pub fn take(
        &mut self,
        family: &str,
        problem: &Value,
        answer: Result<Map<String, Value>, OmissionReason>,
    ) -> bool {
        let name = problem["name"].as_str().unwrap_or_default();
        if io::stderr().is_terminal() {
            // The padding overwrites a longer previous name.
            eprint!("\r{family}: {} taken, now {name:<40}", self.count(family));
        }
        match answer {
            Ok(certificate) => {
                let mut named = Map::from_iter([("name".to_owned(), Value::from(name))]);
                named.extend(certificate);
                let lines = (problem.to_string(), Value::from(named).to_string());
                self.taken.entry(family.into()).or_default().push(lines);
                true
            }
            Err(omitted) => {
                let kind = name.rsplit_once('_').map_or(name, |(kind, _)| kind);
                *self.omitted.entry((kind.into(), omitted)).or_insert(0) += 1;
                false
            }
        }
    }

    /// Writes a mesh. Returns its name for problems, and the mesh as written.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn mesh(&self, name: &str, raw: Raw) -> io::Result<(String, Raw)> {
        let raw = ordered(raw);
        let path = format!("meshes/{name}.obj");
        self.write_mesh(&path, &raw)?;
        Ok((path, raw))
    }

    /// Writes a mesh whose triangles are already in order.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_mesh(&self, path: &str, (points, triangles): &Raw) -> io::Result<()> {
        let mut text = String::new();
        for p in points {
            let _ = writeln!(text, "v {} {} {}", p.x, p.y, p.z);
        }
        for [a, b, c] in triangles {
            let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
        }
        fs::write(self.folder.join(path), text)
    }

    /// Writes another file of a problem.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn file(&self, path: &str, text: &str) -> io::Result<()> {
        fs::write(self.folder.join(path), text)
    }

    /// Writes problems and certificates, one file of each per family.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self) -> io::Result<()> {
        for (family, lines) in &self.taken {
            let [mut problems, mut certificates] = [String::new(), String::new()];
            for (problem, certificate) in lines {
                let _ = writeln!(problems, "{problem}");
                let _ = writeln!(certificates, "{certificate}");
            }
            fs::write(self.folder.join(format!("{family}.jsonl")), problems)?;
            fs::write(self.folder.join(format!("{family}.certified.jsonl")), certificates)?;
        }
        Ok(())
    }

    /// The number of problems of a family that were taken.
    #[must_use]
    pub fn count(&self, family: &str) -> usize {
        self.taken.get(family).map_or(0, Vec::len)
    }
}

/// Rounds coordinates to some decimals, to keep files short. The rounded values are the exact ones from then on.
#[must_use]
pub fn rounded((mut points, triangles): Raw, decimals: i32) -> Raw {
    let scale = 10.0_f64.powi(decimals);
    points.iter_mut().for_each(|p| *p = (*p * scale).round() / scale + 0.0);
    (points, triangles)
}
