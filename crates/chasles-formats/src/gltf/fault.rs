//! What is wrong with a glTF file or looks so, before the file's name is added.

use std::path::Path;

use crate::error::Error;
use crate::text::tree::quoted;

/// A fault: where in the document, and what was found and expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    place: String,
    message: String,
}

/// What is read, or why not.
pub(super) type GltfResult<T> = std::result::Result<T, Fault>;

impl Fault {
    #[cold]
    pub(super) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// The same, in a larger thing: `mesh 0, primitive 1` and then the place.
    #[must_use]
    pub(super) fn within(self, outer: &str) -> Self {
        Self { place: format!("{outer}, {}", self.place), ..self }
    }

    /// The fault with the name of its file.
    #[must_use]
    pub(super) fn of_file(self, path: &Path) -> Error {
        Error::key(path, self.place, 0, self.message)
    }
}

/// A thing of the document by its number, and its name where it has one: `node 3 "wheel"`.
pub(super) fn named(kind: &str, number: usize, name: Option<&str>) -> String {
    match name {
        Some(name) if !name.is_empty() => format!("{kind} {number} {}", quoted(name)),
        _ => format!("{kind} {number}"),
    }
}

/// An element of a list by a number that the document gives.
pub(super) fn element<'a, T>(list: &'a [T], number: usize, kind: &str) -> GltfResult<&'a T> {
    list.get(number).ok_or_else(|| {
        Fault::new(
            format!("{kind} {number}"),
            format!("there is none: expected a number below {}", list.len()),
        )
    })
}

/// What was passed over or looks wrong, one sentence each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GltfWarnings {
    list: Vec<String>,
    left_out: usize,
}

impl GltfWarnings {
    /// A file may give cause for millions; nobody reads more than the first of them.
    const MOST: usize = 1000;

    pub(crate) fn push(&mut self, warning: String) {
        if self.list.len() < Self::MOST {
            self.list.push(warning);
        } else {
            self.left_out += 1;
        }
    }

    /// The first of them, and how many more there were.
    #[must_use]
    pub(crate) fn list(&self) -> Vec<String> {
        let mut list = self.list.clone();
        if self.left_out > 0 {
            list.push(format!("{} more warnings are left out", self.left_out));
        }
        list
    }
}
