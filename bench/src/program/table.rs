//! Tables as Markdown for readers and as CSV for programs, from the same cells.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crate::program::machine::Machine;

/// One cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A number of things.
    Count(u64),
    /// A fraction of 1.
    Fraction(f64),
    /// Seconds.
    Time(f64),
    /// A ratio.
    Ratio(f64),
    /// A length of motion, in units of t.
    TimeFraction(f64),
    /// Words.
    Text(String),
    /// An empty cell.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// A table with a heading and an explanation.
#[derive(Debug, Clone)]
pub struct Table {
    /// The heading.
    pub title: String,
    /// An explanation of the measurement, and of what is unfair about it, in Markdown.
    pub text: String,
    /// The heading of each column; the first column has the rows' names.
    pub columns: Vec<String>,
    /// Name and cells of each row.
    pub rows: Vec<(String, Vec<Cell>)>,
}

impl Table {
    /// A table without rows.
    #[must_use]
    pub fn new(title: &str, text: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|c| (*c).to_owned()).collect();
        Self { title: title.into(), text: text.into(), columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, name: &str, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push((name.into(), cells.into_iter().collect()));
    }
}

/// A run of a bench.
#[derive(Debug, Clone)]
pub struct Report {
    /// The heading.
    pub title: String,
    /// The machine and the day.
    pub machine: Machine,
    /// The settings of the run: name and value.
    pub settings: Vec<(String, String)>,
    /// The results.
    pub tables: Vec<Table>,
}

impl Report {
    /// Writes `<date>-<name>.md` and `.csv` into a folder, and returns their paths.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn write(&self, folder: &Path, name: &str) -> io::Result<[PathBuf; 2]> {
        std::fs::create_dir_all(folder)?;
        let path = |ending: &str| folder.join(format!("{}-{name}.{ending}", self.machine.date));
        let paths = [path("md"), path("csv")];
        std::fs::write(&paths[0], self.markdown())?;
        std::fs::write(&paths[1], self.csv())?;
        Ok(paths)
    }

    /// Prints the report, writes both files into a folder, and prints their names on standard error.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn publish(&self, folder: &Path, name: &str) -> io::Result<()> {
        print!("{}", self.markdown());
        for path in self.write(folder, name)? {
            eprintln!("{}", path.display());
        }
        Ok(())
    }

    fn circumstances(&self) -> Vec<(String, String)> {
        let m = &self.machine;
        let machine = [
            ("date", &m.date),
            ("processor", &m.processor),
            ("load", &m.load),
            ("rustc", &m.rustc),
            ("engine", &m.engine),
        ];
        let machine = machine.map(|(name, value)| (name.to_owned(), value.clone()));
        machine.into_iter().chain(self.settings.iter().cloned()).collect()
    }

    /// The report as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n", self.title);
        for (name, value) in self.circumstances() {
            let _ = writeln!(out, "* {name}: {value}");
        }
        for table in &self.tables {
            let _ = writeln!(out, "\n## {}\n\n{}\n", table.title, table.text);
            let _ = writeln!(out, "| {} |", table.columns.join(" | "));
            let _ = writeln!(out, "|---|{}", "--:|".repeat(table.columns.len() - 1));
            for (name, cells) in &table.rows {
                let cells: Vec<_> = cells.iter().map(Cell::shown).collect();
                let _ = writeln!(out, "| {name} | {} |", cells.join(" | "));
            }
        }
        out
    }

    /// The report as CSV: a line for each cell.
    #[must_use]
    pub fn csv(&self) -> String {
        let circumstances = self.circumstances();
        let mut out: String = circumstances.iter().map(|(name, _)| format!("{},", quoted(name))).collect();
        out += "table,row,column,value,unit\n";
        let before: String = circumstances.iter().map(|(_, value)| format!("{},", quoted(value))).collect();
        for table in &self.tables {
            for (name, cells) in &table.rows {
                for (cell, column) in cells.iter().zip(&table.columns[1..]) {
                    let Some((value, unit)) = cell.plain() else { continue };
                    let words = [&table.title, name, column, &value].map(|w| quoted(w)).join(",");
                    let _ = writeln!(out, "{before}{words},{unit}");
                }
            }
        }
        out
    }
}

impl Cell {
    /// The cell for readers.
    fn shown(&self) -> String {
        match self {
            Self::Count(n) => grouped(*n),
            Self::Fraction(x) | Self::Time(x) | Self::Ratio(x) | Self::TimeFraction(x) if x.is_nan() => {
                "none".into()
            }
            Self::Fraction(x) => format!("{:.1} %", 100.0 * x),
            Self::Time(x) if *x < 1e-6 => format!("{:.1} ns", 1e9 * x),
            Self::Time(x) if *x < 1e-3 => format!("{:.1} us", 1e6 * x),
            Self::Time(x) => format!("{:.2} ms", 1e3 * x),
            Self::Ratio(x) if *x < 100.0 => format!("{x:.2}"),
            Self::Ratio(x) => format!("{x:.0}"),
            Self::TimeFraction(x) => format!("{x:.1e}"),
            Self::Text(text) => text.clone(),
            Self::Empty => String::new(),
        }
    }

    /// The cell for programs: value and unit.
    fn plain(&self) -> Option<(String, &'static str)> {
        match self {
            Self::Count(n) => Some((n.to_string(), "count")),
            Self::Fraction(x) => Some((format!("{x:.6}"), "share")),
            Self::Time(x) => Some((format!("{x:.4e}"), "s")),
            Self::Ratio(x) => Some((format!("{x:.4}"), "ratio")),
            Self::TimeFraction(x) => Some((format!("{x:.3e}"), "t")),
            Self::Text(text) => Some((text.clone(), "text")),
            Self::Empty => None,
        }
    }
}

fn grouped(n: u64) -> String {
    if n < 1000 { n.to_string() } else { format!("{},{:03}", grouped(n / 1000), n % 1000) }
}

fn quoted(word: &str) -> String {
    if word.contains([',', '"', '\n']) { format!("\"{}\"", word.replace('"', "\"\"")) } else { word.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_for_people_and_for_programs() {
        let of = |cell: Cell| (cell.shown(), cell.plain().map(|p| p.0));
        assert_eq!(of(Cell::Count(1_026_540)), ("1,026,540".into(), Some("1026540".into())));
        assert_eq!(of(Cell::Time(3.9e-7)), ("390.0 ns".into(), Some("3.9000e-7".into())));
        assert_eq!(of(Cell::Fraction(0.505)), ("50.5 %".into(), Some("0.505000".into())));
        assert_eq!(of(Cell::Empty), (String::new(), None));
        assert_eq!(quoted("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
