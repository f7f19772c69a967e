//! The options of a bench: `--name value`, in any order. If a name occurs several times, its last value counts.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

/// The options on a command line. Each bench takes the options that it knows, and [`BenchArguments::end`] rejects
/// the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchArguments {
    options: Vec<[String; 2]>,
    known: Vec<&'static str>,
}

impl BenchArguments {
    /// The options of this program.
    ///
    /// # Errors
    /// A name without a value.
    pub fn here() -> Result<Self, String> {
        Self::of(std::env::args().skip(1))
    }

    /// The options in a list of arguments.
    ///
    /// # Errors
    /// A name without a value.
    pub fn of(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Vec::new();
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name}: a value must follow"))?;
            options.push([name, value]);
        }
        Ok(Self { options, known: Vec::new() })
    }

    /// The text of an option, if it was given.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
        let (ours, rest) =
            std::mem::take(&mut self.options).into_iter().partition(|[other, _]| other == name);
        self.options = rest;
        let ours: Vec<[String; 2]> = ours;
        ours.into_iter().next_back().map(|[_, value]| value)
    }

    /// The value of an option, if it was given.
    ///
    /// # Errors
    /// The text does not parse.
    pub fn value<T: FromStr<Err: Display>>(&mut self, name: &'static str) -> Result<Option<T>, String> {
        self.read_by(name, |text| text.parse().map_err(|error| format!("{error}")))
    }

    /// The value of an option, parsed by a function, if it was given.
    ///
    /// # Errors
    /// The option's name with the error of the function.
    pub fn read_by<T>(
        &mut self,
        name: &'static str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let found = |text: String| read(&text).map_err(|error| format!("{name} {text}: {error}"));
        self.text(name).map(found).transpose()
    }

    /// The folder for reports: `--out`, or by default the results folder of this repository.
    pub fn out(&mut self) -> PathBuf {
        let out = self.text("--out");
        out.map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/results").into(), PathBuf::from)
    }

    /// Checks that all options were taken.
    ///
    /// # Errors
    /// An option is unknown.
    pub fn end(self) -> Result<(), String> {
        match self.options.first() {
            None => Ok(()),
            Some([name, _]) => Err(format!("{name}: expected one of {}", self.known.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<BenchArguments, String> {
        BenchArguments::of(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_in_any_order() {
        let mut options = parsed("--b 2.5 --a 1 --out here --a 3").unwrap();
        assert_eq!(options.value("--a"), Ok(Some(3)));
        assert_eq!(options.value("--b"), Ok(Some(2.5)));
        assert_eq!(options.value::<u8>("--c"), Ok(None));
        assert_eq!(options.out(), PathBuf::from("here"));
        assert_eq!(options.end(), Ok(()));
        assert!(parsed("").unwrap().out().ends_with("results"));
    }

    #[test]
    fn invalid_input_is_reported() {
        assert_eq!(parsed("--a 1 --b").unwrap_err(), "--b: a value must follow");
        let mut options = parsed("--a x --z 1").unwrap();
        assert_eq!(options.value::<u32>("--a").unwrap_err(), "--a x: invalid digit found in string");
        assert_eq!(options.text("--b"), None);
        assert_eq!(options.end().unwrap_err(), "--z: expected one of --a, --b");
    }
}
