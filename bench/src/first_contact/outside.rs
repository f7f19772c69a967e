//! Peers outside Rust: python-fcl and coal, through `python/sampled.py`, on cases that are written to a folder.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use chasles::Screw;

use crate::cases::shapes::Raw;
use crate::first_contact::queries::CaseResult;
use crate::peers::sample_times;

/// The peers of the script: its word, the library, and the name in tables.
pub const PEERS: [(&str, &str, &str); 4] = [
    ("fcl-sampled", "fcl", "python-fcl, static test at 100 poses"),
    ("fcl-naive", "fcl", "FCL's own sampling, 100 poses"),
    ("fcl-advancement", "fcl", "FCL, conservative advancement"),
    ("coal-sampled", "coal", "coal through Python, static test at 100 poses"),
];

/// A Python with some of the libraries.
#[derive(Debug, Clone)]
pub struct Python {
    program: PathBuf,
    /// Libraries and versions.
    pub libraries: Vec<(String, String)>,
}

/// A peer's answer to one case: the time of contact, and the seconds it took.
pub type Timed = (Option<f64>, f64);

impl Python {
    /// This Python, if the script runs in it and finds a library.
    #[must_use]
    pub fn find(program: &Path) -> Option<Self> {
        let output = Command::new(program).arg(script()).arg("check").output().ok()?;
        let words = String::from_utf8(output.stdout).ok()?;
        let libraries: Vec<_> = words
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(library, version)| (library.to_owned(), version.to_owned()))
            .collect();
        (output.status.success() && !libraries.is_empty())
            .then(|| Self { program: program.to_owned(), libraries })
    }

    /// Whether it has a library.
    #[must_use]
    pub fn has(&self, library: &str) -> bool {
        self.libraries.iter().any(|(name, _)| name == library)
    }

    /// A peer's answers to the first cases of a folder, as many as it computes within the time limit.
    ///
    /// # Errors
    /// The script fails.
    pub fn query(&self, folder: &Path, peer: &str, seconds: f64) -> io::Result<Vec<Timed>> {
        let mut command = Command::new(&self.program);
        // One thread, as for all contestants.
        command
            .env("OMP_NUM_THREADS", "1")
            .arg(script())
            .arg("ask")
            .arg(folder)
            .args([peer, &seconds.to_string()]);
        let output = command.output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let answer = |line: &str| {
            let mut words = line.split_whitespace().skip(1);
            let time = words.next()?;
            let time = if time == "none" { None } else { Some(time.parse().ok()?) };
            Some((time, words.next()?.parse().ok()?))
        };
        Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(answer).collect())
    }
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("python/sampled.py")
}

/// Writes bodies and cases in the format of the script.
///
/// # Errors
/// Errors of the file system.
pub fn write(folder: &Path, raw: &[Raw], cases: &[&CaseResult]) -> io::Result<()> {
    let cases: Vec<_> = cases.iter().map(|queried| (queried.case.bodies, queried.case.screw)).collect();
    write_cases(folder, raw, &cases)
}

/// The same for pairs of bodies, by number, and the motion of the first body.
///
/// # Errors
/// Errors of the file system.
pub fn write_cases(folder: &Path, raw: &[Raw], cases: &[([usize; 2], Screw)]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for ((points, triangles), i) in raw.iter().zip(0..) {
        let points = points.iter().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes);
        std::fs::write(folder.join(format!("{i}.points")), points.collect::<Vec<u8>>())?;
        let triangles = triangles.iter().flatten().copied().flat_map(u32::to_le_bytes);
        std::fs::write(folder.join(format!("{i}.triangles")), triangles.collect::<Vec<u8>>())?;
    }
    let mut numbers = vec![cases.len() as f64];
    for (bodies, screw) in cases {
        numbers.extend(bodies.map(|i| i as f64));
        for t in sample_times() {
            let pose = screw.pose_at(t);
            let [x, y, z, w] = pose.rotation().to_array();
            numbers.extend(pose.position().to_array().into_iter().chain([w, x, y, z]));
        }
    }
    std::fs::write(folder.join("cases"), numbers.into_iter().flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::first_contact::queries::run;
    use crate::first_contact::sets::{Kind, Set};

    #[test]
    fn what_is_written_has_the_size_it_says() -> Result<(), Box<dyn std::error::Error>> {
        let set = Set::new(Kind::Cubes, 12, 3)?;
        let queried = run(&set)?;
        let folder = std::env::temp_dir().join(format!("chasles-bench-test-{}", std::process::id()));
        write(&folder, &Kind::Cubes.raw(12), &queried.iter().collect::<Vec<_>>())?;
        let size = |name: &str| std::fs::metadata(folder.join(name)).map(|m| m.len());
        assert_eq!((size("0.points")?, size("1.triangles")?), (8 * 3 * 8, 4 * 3 * 12));
        assert_eq!(size("cases")?, 8 * (1 + 3 * (2 + 7 * 100)));
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }
}
