//! A process of `bench/python/binding.py`: each request is one line, each answer is one line.

use std::error::Error;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The process. It ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Python {
    child: Child,
    /// `None` after the request to end.
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Python {
    /// Starts the process, which reads from a folder and writes into it.
    pub(crate) fn start(program: &Path, folder: &Path) -> Result<Self, Box<dyn Error>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/binding.py");
        let mut child = Command::new(program)
            .arg(script)
            .arg(folder)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("--python {}: {error}", program.display()))?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let from = from.ok_or_else(|| io::Error::other("no standard output"))?;
        Ok(Self { child, to, from: BufReader::new(from) })
    }

    /// Sends the name of a method with its arguments, and reads the answer.
    pub(crate) fn query(&mut self, words: &[&str]) -> Result<Reply, Box<dyn Error>> {
        if let Some(to) = &mut self.to {
            writeln!(to, "{}", words.join("\t"))?;
            to.flush()?;
        }
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            return Err(format!("{}: binding.py ended without an answer", words.join(" ")).into());
        }
        Ok(Reply(line))
    }

    /// The seconds in an answer.
    pub(crate) fn seconds(&mut self, words: &[&str]) -> Result<f64, Box<dyn Error>> {
        self.query(words)?.number("seconds")
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        self.to = None;
        let _ = self.child.wait();
    }
}

/// A JSON object of numbers and of words without commas and braces.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply(String);

impl Reply {
    /// The value of a key, without quotation marks.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Box<dyn Error>> {
        let fields = self.0.trim().trim_matches(['{', '}']).split(',');
        let mut pairs = fields.filter_map(|field| field.split_once(':'));
        let found = pairs.find(|(key, _)| key.trim().trim_matches('"') == name);
        let (_, value) = found.ok_or_else(|| format!("binding.py: no {name} in {}", self.0.trim()))?;
        Ok(value.trim().trim_matches('"'))
    }

    /// The number of a key.
    pub(crate) fn number(&self, name: &str) -> Result<f64, Box<dyn Error>> {
        Ok(self.text(name)?.parse()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_name() {
        let reply = Reply("{\"seconds\": 1.5e-06, \"built\": \"2026-11-27 22:32\", \"none\": \"\"}\n".into());
        assert_eq!(reply.number("seconds").ok(), Some(1.5e-6));
        assert_eq!(reply.text("built").ok(), Some("2026-11-27 22:32"));
        assert_eq!(reply.text("none").ok(), Some(""));
        assert!(reply.text("other").is_err());
    }
}
