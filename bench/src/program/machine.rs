//! The circumstances of a result besides the code: date, machine, compiler.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The circumstances of a run.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Today in UTC, year-month-day.
    pub date: String,
    /// The processor's model name and the number of processors.
    pub processor: String,
    /// The compiler.
    pub rustc: String,
    /// The commit of the engine.
    pub engine: String,
    /// The average number of processes that want a processor, over 1, 5 and 15 minutes.
    pub load: String,
}

impl Machine {
    /// This machine, now.
    #[must_use]
    pub fn here() -> Self {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        Self {
            date: date(seconds / 86400),
            processor: processor(),
            rustc: env!("BENCH_RUSTC").into(),
            engine: engine(),
            load: load(),
        }
    }
}

/// The date (year-month-day) of a number of days since 1970 (Howard Hinnant, "chrono-compatible low-level date
/// algorithms").
fn date(days: u64) -> String {
    let z = days + 719_468;
    let (era, day) = (z / 146_097, z % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + u64::from(month <= 2))
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {} cores", model.map_or("unknown", |(_, name)| name.trim()), count)
}

fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let averages: Vec<_> = load.split_whitespace().take(3).collect();
    if averages.is_empty() { "unknown".into() } else { averages.join(" ") }
}

fn engine() -> String {
    let git = |arguments: &[&str]| {
        let git = Command::new("git")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .arg("--no-optional-locks")
            .args(arguments)
            .output();
        git.ok().filter(|o| o.status.success()).map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned())
    };
    let Some(commit) = git(&["rev-parse", "--short", "HEAD"]) else { return "unknown".into() };
    match git(&["status", "--porcelain", "--", "../crates/chasles"]) {
        Some(changes) if changes.is_empty() => commit,
        _ => format!("{commit} with uncommitted changes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_convert_to_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(20_453), "2025-12-31");
    }
}
