//! Errors and warnings about a glTF file, without the file's name.

use std::path::Path;

use crate::error::Error;
use crate::text::tree::quoted;

/// An error: the place in the document, and what was found and expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    place: String,
    message: String,
}

/// A result, or an error about the file.
pub(super) type GltfResult<T> = std::result::Result<T, Fault>;

impl Fault {
    #[cold]
    pub(super) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// The same error with the enclosing element in front of the place: `mesh 0, primitive 1`.
    #[must_use]
    pub(super) fn within(self, outer: &str) -> Self {
        Self { place: format!("{outer}, {}", self.place), ..self }
    }

    /// The error with the name of its file.
    #[must_use]
    pub(super) fn of_file(self, path: &Path) -> Error {
        Error::key(path, self.place, 0, self.message)
    }
}

/// An element of the document by its number, and its name if it has one: `node 3 "wheel"`.
pub(super) fn named(kind: &str, number: usize, name: Option<&str>) -> String {
    match name {
        Some(name) if !name.is_empty() => format!("{kind} {number} {}", quoted(name)),
        _ => format!("{kind} {number}"),
    }
}

/// An element of a list, by a number in the document.
pub(super) fn element<'a, T>(list: &'a [T], number: usize, kind: &str) -> GltfResult<&'a T> {
    list.get(number).ok_or_else(|| {
        Fault::new(
            format!("{kind} {number}"),
            format!("there is none: expected a number below {}", list.len()),
        )
    })
}
