//! The files of a world, each read once, however often it is included.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::kinds::{self, NodeKind};
use super::file::source::VrmlText;
use super::file::suggestions;
use super::file::syntax::VrmlDocument;
use super::file::{parse, x3d};
use crate::error::{Error, Result};
use crate::limits::{self, WORLD_BYTES, WORLD_FILE};
use crate::text::tree::quoted;

/// The files, numbered in the order in which they were read.
#[derive(Debug, Default)]
pub(super) struct Library {
    pub(super) files: Vec<LoadedFile>,
    /// File numbers by canonical path.
    files_by_path: HashMap<PathBuf, usize>,
    bytes: usize,
}

/// A file that has been read.
#[derive(Debug)]
pub(super) struct LoadedFile {
    pub(super) document: VrmlDocument,
    /// For each node and field, the numbers of the routes that lead there.
    driven: HashMap<(usize, Arc<str>), Vec<usize>>,
}

impl Library {
    /// Returns the number of the file at a path, and reads the file if needed.
    pub(super) fn load(&mut self, path: &Path) -> Result<usize> {
        let absolute_path = std::fs::canonicalize(path).map_err(|error| Error::io(path, &error))?;
        if let Some(&files_by_path) = self.files_by_path.get(&absolute_path) {
            return Ok(files_by_path);
        }
        let source = VrmlText::read(path)?;
        self.add(source, absolute_path)
    }

    /// Adds a file.
    pub(super) fn add(&mut self, source: VrmlText, absolute_path: PathBuf) -> Result<usize> {
        self.bytes = self.bytes.saturating_add(source.bytes.len());
        if self.bytes as u64 > WORLD_FILE {
            let message =
                format!("found more than {WORLD_FILE} bytes in all files of this world, expected no more");
            return Err(Error::file(&source.path, message));
        }
        let tree = (self.bytes as u64).saturating_mul(WORLD_BYTES);
        limits::check_memory(tree).map_err(|message| Error::file(&source.path, message))?;
        let mut document =
            if x3d::is_xml(&source.bytes) { x3d::parse(source)? } else { parse::parse(source)? };
        refuse_misplaced_geometry(&document)?;
        suggestions::check(&mut document)?;
        for proto in &document.protos {
            if let Some(urls) = &proto.external {
                locate(&document.source, urls, proto.at)?;
            }
        }
        let mut driven: HashMap<_, Vec<usize>> = HashMap::new();
        for (number, route) in document.routes.iter().enumerate() {
            let field: Arc<str> = kinds::field_of_event(&route.to.1).into();
            driven.entry((route.to.0, field)).or_default().push(number);
        }
        let number = self.files.len();
        self.files_by_path.insert(absolute_path, number);
        self.files.push(LoadedFile { document, driven });
        Ok(number)
    }

    pub(super) fn document(&self, file: usize) -> &VrmlDocument {
        &self.files[file].document
    }

    /// Total bytes of all files.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The paths of all files, as they were given.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.document.source.path.clone()).collect()
    }
}

impl LoadedFile {
    /// The numbers of the routes that lead to a field of a node.
    pub(super) fn routes_to(&self, node: usize, field: &str) -> &[usize] {
        self.driven.get(&(node, field.into())).map_or(&[], Vec::as_slice)
    }
}

/// The first URL that is a local file, and its fragment after `#`.
pub(super) fn locate(source: &VrmlText, urls: &[String], at: usize) -> Result<(PathBuf, Option<String>)> {
    let folder = source.path.parent().unwrap_or(Path::new(""));
    let mut missing_files = Vec::new();
    for url in urls {
        let (name, part) = match url.split_once('#') {
            Some((name, part)) => (name, Some(part.to_owned())),
            None => (url.as_str(), None),
        };
        let local = name.strip_prefix("file://").unwrap_or(name);
        // Remote files are never fetched.
        let is_remote = local.contains("://") || local.starts_with("urn:");
        for name in [local.to_owned(), decoded(local)] {
            let path = folder.join(&name);
            if !is_remote && !name.is_empty() && path.is_file() {
                return Ok((path, part));
            }
        }
        missing_files.push(if is_remote { quoted(url) } else { folder.join(local).display().to_string() });
    }
    let message = match missing_files.as_slice() {
        [] => "found no file named".to_owned(),
        missing_files => format!("found no file {}", missing_files.join(", nor ")),
    };
    Err(source.error(at, message))
}

/// Decodes `%20` and similar escapes to bytes.
fn decoded(url: &str) -> String {
    let mut bytes = Vec::with_capacity(url.len());
    let mut rest = url.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Refuses geometry in any field of a known node other than the geometry of a Shape, even if the field is never
/// used.
fn refuse_misplaced_geometry(document: &VrmlDocument) -> Result<()> {
    for node in document.nodes.iter().filter(|node| node.proto.is_none()) {
        let takes_any = kinds::kind(&node.kind).is_none() || &*node.kind == "Script";
        for field in
            node.fields.iter().filter(|field| !takes_any && !is_geometry_of_shape(&node.kind, &field.name))
        {
            for child in field.value.nodes().unwrap_or_default() {
                let child = &document.nodes[*child];
                if child.proto.is_none() && kinds::kind(&child.kind) == Some(NodeKind::Geometry) {
                    return Err(document.source.error(child.at, kinds::misplaced(&child.kind)));
                }
            }
        }
    }
    Ok(())
}

fn is_geometry_of_shape(kind: &str, field: &str) -> bool {
    kind == "Shape" && field == "geometry"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_urls_are_undone() {
        assert_eq!(decoded("a%20b%2fc%"), "a b/c%");
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }
}
