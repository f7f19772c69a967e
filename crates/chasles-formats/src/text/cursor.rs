//! A position in a document, from which values are read and checked, and errors are reported.
//!
//! Every error names the file, the line, the path of keys, what was found and what was expected.

use std::path::Path;

use chasles::Pose;
use glam::{DQuat, DVec3};

use super::tree::{DocumentNode, DocumentValue, quoted};
use crate::error::{Error, ErrorLocation, Result};

/// A value with its path from the root. No memory is allocated until an error is reported.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    file: &'a Path,
    up: Option<&'a Self>,
    step: PathStep<'a>,
    node: &'a DocumentNode,
}

/// One step of the path.
#[derive(Clone, Copy)]
enum PathStep<'a> {
    Key(&'a str),
    Index(usize),
    /// A list and the name of one item: `body "arm"`.
    Named(&'a str, &'a str),
}

/// The finite numbers that a key accepts.
#[derive(Clone, Copy)]
pub(crate) enum Limit {
    Any,
    NotNegative,
    Positive,
}

impl Limit {
    fn accepts(self, number: f64) -> bool {
        number.is_finite()
            && match self {
                Self::Any => true,
                Self::NotNegative => number >= 0.0,
                Self::Positive => number > 0.0,
            }
    }

    fn one(self) -> &'static str {
        match self {
            Self::Any => "a finite number",
            Self::NotNegative => "a finite number >= 0",
            Self::Positive => "a finite number > 0",
        }
    }

    fn many(self) -> &'static str {
        match self {
            Self::Any => "finite numbers",
            Self::NotNegative => "finite numbers >= 0",
            Self::Positive => "finite numbers > 0",
        }
    }
}

impl<'a> Cursor<'a> {
    /// The whole document.
    pub(crate) fn root(file: &'a Path, node: &'a DocumentNode) -> Self {
        Self { file, up: None, step: PathStep::Key(""), node }
    }

    /// The same position, with the path `list "name"` in messages.
    pub(crate) fn named(self, list: &'a str, name: &'a str) -> Self {
        Self { up: None, step: PathStep::Named(list, name), ..self }
    }

    /// The line of the value, counted from 1.
    pub(crate) fn line(&self) -> usize {
        self.node.line
    }

    /// The position of the value, for errors that are found later.
    pub(crate) fn place(&self) -> ErrorLocation {
        match self.path() {
            path if path.is_empty() => ErrorLocation::Line(self.node.line),
            path => ErrorLocation::Key { path, line: self.node.line },
        }
    }

    fn path(&self) -> String {
        let mut path = self.up.map_or_else(String::new, Cursor::path);
        match self.step {
            PathStep::Key("") => {}
            PathStep::Key(key) => push_key(&mut path, key),
            PathStep::Index(index) => path.push_str(&format!("[{index}]")),
            PathStep::Named(list, name) => path.push_str(&format!("{list} {}", quoted(name))),
        }
        path
    }

    /// An error about this value.
    #[cold]
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error { file: self.file.to_path_buf(), place: self.place(), message: message.into() }
    }

    /// An error: this value is not what was expected.
    #[cold]
    pub(crate) fn expected(&self, what: &str) -> Error {
        match (&self.node.value, &self.up) {
            // A file that is a single text is of another kind, and its content is not shown.
            (DocumentValue::Text(_), None) => self.error(format!("found text, expected {what}")),
            (value, _) => self.error(format!("found {value}, expected {what}")),
        }
    }

    /// An error about a missing key of this table.
    #[cold]
    pub(crate) fn missing(&self, key: &str, expected: &str) -> Error {
        let mut path = self.path();
        push_key(&mut path, key);
        Error::key(self.file, path, self.node.line, format!("the key is missing, expected {expected}"))
    }

    /// Whether the value is a table.
    pub(crate) fn is_table(&self) -> bool {
        matches!(self.node.value, DocumentValue::Table(_))
    }

    /// Whether the value is a list.
    pub(crate) fn is_list(&self) -> bool {
        matches!(self.node.value, DocumentValue::List(_))
    }

    /// Whether the value is a list without items.
    pub(crate) fn is_empty_list(&self) -> bool {
        matches!(&self.node.value, DocumentValue::List(items) if items.is_empty())
    }

    /// Checks that the value is a table with no keys but `known`.
    pub(crate) fn only_keys(&self, known: &[&str]) -> Result<()> {
        let DocumentValue::Table(table) = &self.node.value else {
            return Err(self.expected(&format!("a table with the keys {}", known.join(", "))));
        };
        let unknown = table.iter().filter(|(key, _)| !known.contains(key));
        let Some((key, entry)) = unknown.min_by_key(|(_, entry)| entry.key_line) else { return Ok(()) };
        let mut path = self.path();
        push_key(&mut path, key);
        let hint = did_you_mean(key, known.iter().copied());
        let message = format!("found an unknown key, expected one of {}{hint}", known.join(", "));
        Err(Error::key(self.file, path, entry.key_line, message))
    }

    /// The value of a key, if this table has it.
    pub(crate) fn get<'b>(&'b self, key: &'b str) -> Option<Cursor<'b>> {
        let DocumentValue::Table(table) = &self.node.value else { return None };
        let entry = table.get(key)?;
        Some(Cursor { file: self.file, up: Some(self), step: PathStep::Key(key), node: &entry.node })
    }

    /// The value of a required key, or an error with the expected value.
    pub(crate) fn require<'b>(&'b self, key: &'b str, expected: &str) -> Result<Cursor<'b>> {
        self.get(key).ok_or_else(|| self.missing(key, expected))
    }

    /// The items of a list.
    pub(crate) fn items<'b>(
        &'b self,
        expected: &str,
    ) -> Result<impl ExactSizeIterator<Item = Cursor<'b>> + use<'a, 'b>> {
        let DocumentValue::List(list) = &self.node.value else { return Err(self.expected(expected)) };
        Ok(list.iter().enumerate().map(|(index, node)| self.item(index, node)))
    }

    fn item<'b>(&'b self, index: usize, node: &'b DocumentNode) -> Cursor<'b> {
        Cursor { file: self.file, up: Some(self), step: PathStep::Index(index), node }
    }

    /// A string.
    pub(crate) fn text(&self) -> Result<&'a str> {
        match &self.node.value {
            DocumentValue::Text(text) => Ok(text),
            _ => Err(self.expected("a string")),
        }
    }

    /// A string that is not empty.
    pub(crate) fn nonempty_text(&self, expected: &str) -> Result<&'a str> {
        self.text().ok().filter(|text| !text.is_empty()).ok_or_else(|| self.expected(expected))
    }

    /// One of several words; returns its index.
    pub(crate) fn word(&self, words: &[&str]) -> Result<usize> {
        let Ok(text) = self.text() else {
            return Err(self.expected(&format!("one of {}", words.join(", "))));
        };
        words.iter().position(|&word| word == text).ok_or_else(|| {
            let hint = did_you_mean(text, words.iter().copied());
            self.expected(&format!("one of {}{hint}", words.join(", ")))
        })
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self) -> Result<bool> {
        match self.node.value {
            DocumentValue::Flag(flag) => Ok(flag),
            _ => Err(self.expected("true or false")),
        }
    }

    /// A finite number.
    pub(crate) fn number(&self, limit: Limit) -> Result<f64> {
        match self.node.value {
            DocumentValue::Number(number) if limit.accepts(number) => Ok(number),
            _ => Err(self.expected(limit.one())),
        }
    }

    /// A list of exactly `N` finite numbers.
    pub(crate) fn numbers<const N: usize>(&self, limit: Limit) -> Result<[f64; N]> {
        let list = match &self.node.value {
            DocumentValue::List(list) if list.len() == N => list,
            _ => return Err(self.expected(&format!("a list of {N} {}", limit.many()))),
        };
        let mut numbers = [0.0; N];
        for (index, (number, node)) in numbers.iter_mut().zip(list).enumerate() {
            *number = self.item(index, node).number(limit)?;
        }
        Ok(numbers)
    }

    /// A vector of three finite numbers.
    pub(crate) fn vector(&self) -> Result<DVec3> {
        self.numbers(Limit::Any).map(DVec3::from_array)
    }

    /// A vector of three finite numbers, not all zero, scaled by a power of two to a length of about one. The
    /// scaling rounds nothing, because a direction may define an axis through a distant point.
    pub(crate) fn direction(&self) -> Result<DVec3> {
        let vector = DVec3::from_array(self.numbers::<3>(Limit::Any)?);
        let largest = vector.abs().max_element();
        if largest == 0.0 {
            return Err(self.error("found an axis of length zero, expected a direction"));
        }
        // A subnormal number must be scaled up to show its power of two.
        let lift = if largest < f64::MIN_POSITIVE { 2.0_f64.powi(100) } else { 1.0 };
        let power = f64::from_bits((lift * largest).to_bits() & f64::INFINITY.to_bits());
        Ok(lift * vector / power)
    }

    /// A quaternion written (w, x, y, z), not all zero, normalized.
    pub(crate) fn rotation(&self) -> Result<DQuat> {
        self.unit_quaternion(self.numbers(Limit::Any)?)
    }

    /// The normalized quaternion of four numbers (w, x, y, z) in this value.
    pub(crate) fn unit_quaternion(&self, wxyz: [f64; 4]) -> Result<DQuat> {
        unit(wxyz).ok_or_else(|| {
            self.error("found a quaternion of length zero, expected a rotation such as (1, 0, 0, 0)")
        })
    }
}

/// The rotation of a quaternion (w, x, y, z) of finite numbers, normalized as in the engine, so that poses in code
/// and in files have the same bits. `None` if all numbers are zero.
pub(crate) fn unit([w, x, y, z]: [f64; 4]) -> Option<DQuat> {
    Pose::new(DVec3::ZERO, DQuat::from_xyzw(x, y, z, w)).ok().map(|pose| pose.rotation())
}

fn push_key(path: &mut String, key: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    let bare = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    match key.len() <= 60 && !key.is_empty() && key.chars().all(bare) {
        true => path.push_str(key),
        false => path.push_str(&quoted(key)),
    }
}

/// The end of a message about an unknown word: the closest known word, if it is similar.
pub(crate) fn did_you_mean<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> String {
    let found_len = found.chars().count();
    // A third of the characters may differ, at most three; the distance is computed only if the lengths allow it.
    let limit = (found_len / 3).clamp(1, 3);
    known
        .filter(|word| word.chars().count().abs_diff(found_len) <= limit)
        .map(|word| (strsim::osa_distance(found, word), word))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map_or_else(String::new, |(_, word)| format!("; did you mean {}?", quoted(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quaternions_of_any_size_are_rotations() {
        for size in [1e-320, 1e-200, 1e-3, 1.0, 1e200, 8e307] {
            let DQuat { w, x, y, z } = unit([size, -size, 0.0, size]).unwrap();
            let third = 1.0 / 3f64.sqrt();
            assert!((w - third).abs() < 1e-15 && x == -w && y == 0.0 && z == w, "{size}: {w} {x} {y} {z}");
        }
        assert_eq!(unit([0.0, -0.0, 0.0, 0.0]), None);
        assert_eq!(unit([0.0, 5e-324, 0.0, 0.0]), Some(DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)));
        assert_eq!(unit([f64::MAX, 1e-320, 0.0, 0.0]), Some(DQuat::IDENTITY));
        assert_eq!(unit([0.5; 4]), Some(DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5)));
    }

    #[test]
    fn only_close_words_are_suggested() {
        let known = ["rotation", "position", "box"];
        let check =
            |found: &str, hint: &str| assert_eq!(did_you_mean(found, known.into_iter()), hint, "{found}");
        check("rotatoin", r#"; did you mean "rotation"?"#);
        check("positions", r#"; did you mean "position"?"#);
        check("bx", r#"; did you mean "box"?"#);
        check("orientation", "");
        check("", "");
        check(&"x".repeat(1_000_000), "");
    }
}
