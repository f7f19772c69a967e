//! The binary data of a glTF file: the chunks of a binary file, and internal and external buffers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::document::{BufferEntry, Origin};
use super::fault::{Fault, GltfResult};
use crate::error::{Error, Result};
use crate::limits::{self, GLTF_FILE};
use crate::reading;
use crate::text::tree::quoted;

/// The two parts of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GlbChunks<'a> {
    pub(super) json: &'a [u8],
    pub(super) origin: Origin,
    /// The second chunk of a binary file: buffer 0, if that has no URI.
    pub(super) binary: Option<&'a [u8]>,
}

/// Splits a binary file into its chunks; any other file is JSON.
pub(super) fn split<'a>(bytes: &'a [u8], path: &Path) -> Result<GlbChunks<'a>> {
    if !bytes.starts_with(MAGIC) {
        return Ok(GlbChunks { json: bytes, origin: Origin::Text, binary: None });
    }
    let word = |at: usize| match bytes.get(at..at + 4) {
        Some(&[a, b, c, d]) => Ok(u32::from_le_bytes([a, b, c, d])),
        _ => {
            Err(Error::byte(path, bytes.len(), format!("the file ends here: expected 4 bytes at byte {at}")))
        }
    };
    let version = word(4)?;
    if version != 2 {
        return Err(Error::byte(path, 4, format!("found version {version} of binary glTF, expected 2")));
    }
    let length = word(8)? as usize;
    if length != bytes.len() {
        let message = format!("found a length of {length} bytes, but the file has {}", bytes.len());
        return Err(Error::byte(path, 8, message));
    }
    // Returns the bytes of a chunk, and the position of its end.
    let chunk = |at: usize, kind: u32| -> Result<Option<(&'a [u8], usize)>> {
        let (size, found) = (word(at)? as usize, word(at + 4)?);
        let end = (at + 8).saturating_add(size);
        let Some(content) = bytes.get(at + 8..end) else {
            let message = format!("found a chunk of {size} bytes, but {} are left", bytes.len() - at - 8);
            return Err(Error::byte(path, at, message));
        };
        Ok((found == kind).then_some((content, end)))
    };
    let Some((json, end)) = chunk(12, JSON)? else {
        return Err(Error::byte(path, 16, "expected the chunk JSON first"));
    };
    // Some programs pad the first chunk wrongly; the rest is then too short for a second chunk.
    let binary = if bytes.len() < end + 8 { None } else { chunk(end, BIN)?.map(|(content, _)| content) };
    Ok(GlbChunks { json, origin: Origin::Chunk, binary })
}

pub(super) const MAGIC: &[u8] = b"glTF";
const JSON: u32 = u32::from_le_bytes(*b"JSON");
const BIN: u32 = u32::from_le_bytes(*b"BIN\0");

/// The bytes of all buffers of a document. Shared data is stored once.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    stores: Vec<Cow<'a, [u8]>>,
    /// For each buffer its store and its length, which is at most the length of the store.
    of: Vec<(usize, usize)>,
}

impl<'a> Buffers<'a> {
    /// Loads every buffer: the binary chunk, `data:` URIs, and files beside the file at `path`.
    pub(super) fn load(entries: &[BufferEntry], binary: Option<&'a [u8]>, path: &Path) -> GltfResult<Self> {
        let mut loaded = Self { stores: Vec::new(), of: Vec::with_capacity(entries.len()) };
        let mut files = HashMap::new();
        // No file is read beyond the length of the longest buffer.
        let longest = entries.iter().map(|entry| entry.byte_length.0).max().unwrap_or(0);
        for (number, entry) in entries.iter().enumerate() {
            let place = || format!("buffer {number}");
            let store = match (&entry.uri, binary) {
                (Some(uri), _) if uri.starts_with("data:") => {
                    let bytes = data(uri).map_err(|message| Fault::new(place(), message))?;
                    loaded.keep(Cow::Owned(bytes))
                }
                (Some(uri), _) => {
                    let fault =
                        |error: Error| Fault::new(place(), format!("{} {}", quoted(uri), error.message));
                    let complain = |error: io::Error| fault(Error::io(path, &error));
                    let file = beside(path, uri).map_err(|message| Fault::new(place(), message))?;
                    let file = reading::allowed(&file).map_err(fault)?;
                    let file = file.canonicalize().map_err(complain)?;
                    match files.get(&file) {
                        Some(store) => *store,
                        None => {
                            let bytes = contents(&file, longest, loaded.total()).map_err(fault)?;
                            let store = loaded.keep(Cow::Owned(bytes));
                            files.insert(file, store);
                            store
                        }
                    }
                }
                (None, Some(binary)) if number == 0 => loaded.keep(Cow::Borrowed(binary)),
                (None, _) => return Err(Fault::new(place(), "found no uri, and no binary chunk for it")),
            };
            let (there, length) = (loaded.stores[store].len(), entry.byte_length.0);
            if there < length {
                let message = format!("found {there} bytes, expected its byteLength, {length}");
                return Err(Fault::new(place(), message));
            }
            loaded.of.push((store, length));
        }
        Ok(loaded)
    }

    fn keep(&mut self, bytes: Cow<'a, [u8]>) -> usize {
        self.stores.push(bytes);
        self.stores.len() - 1
    }

    /// The bytes of a buffer, if it exists.
    pub(super) fn get(&self, buffer: usize) -> Option<&[u8]> {
        let (store, length) = *self.of.get(buffer)?;
        self.stores[store].get(..length)
    }

    /// The total number of bytes.
    pub(super) fn total(&self) -> usize {
        self.stores.iter().map(|store| store.len()).sum()
    }
}

/// The file of a relative URI, with `%20` and similar escapes decoded.
fn beside(path: &Path, uri: &str) -> std::result::Result<PathBuf, String> {
    let expected = "expected a relative path or a data: URI";
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    if scheme.is_some() || uri.starts_with(['/', '\\']) || uri.is_empty() {
        return Err(format!("found the uri {}, {expected}", quoted(uri)));
    }
    let Some(decoded) = percent_decoded(uri).filter(|decoded| !decoded.contains('\0')) else {
        return Err(format!("found the uri {}, which is not percent-encoded UTF-8", quoted(uri)));
    };
    let file = Path::new(&decoded);
    if file.is_absolute() {
        return Err(format!("found the uri {}, {expected}", quoted(uri)));
    }
    Ok(path.parent().unwrap_or(Path::new("")).join(file))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digit = |at: usize| char::from(*tail.get(at)?).to_digit(16);
        bytes.push(u8::try_from(16 * digit(0)? + digit(1)?).ok()?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
}

/// The first `maximum` bytes of a regular file; `others` is the number of bytes of other buffers in memory.
fn contents(file: &Path, maximum: usize, others: usize) -> Result<Vec<u8>> {
    // No buffer may be longer than a glTF file.
    let maximum = GLTF_FILE.min(maximum as u64);
    let length = maximum.min(limits::check_regular(file)?);
    limits::check_memory(length + others as u64).map_err(|message| Error::file(file, message))?;
    limits::head(file, maximum).map(|(bytes, _)| bytes)
}

/// The bytes of a `data:` URI, in base64 for any media type.
fn data(uri: &str) -> std::result::Result<Vec<u8>, String> {
    let Some((_, text)) = uri.split_once(',').filter(|(head, _)| head.ends_with(";base64")) else {
        return Err(format!("found {}, expected data:..;base64,..", quoted(uri)));
    };
    base64(text.as_bytes()).ok_or_else(|| "found a data: URI that is not base64".into())
}

/// Decodes base64 (RFC 4648, section 4); the padding may be missing.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let digits = match text {
        [rest @ .., b'=', b'='] | [rest @ .., b'='] if text.len().is_multiple_of(4) => rest,
        file_bytes => file_bytes,
    };
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0;
        for &digit in group {
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        bits <<= 6 * (4 - group.len());
        // A single remaining digit encodes no byte.
        let count = group.len().checked_sub(1).filter(|count| *count > 0)?;
        bytes.extend_from_slice(&bits.to_be_bytes()[1..=count]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_rfc_4648() {
        let cases = [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE", "fooba"),
        ];
        for (text, bytes) in cases {
            assert_eq!(base64(text.as_bytes()).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        assert_eq!(base64(b"+/8A"), Some(vec![0xfb, 0xff, 0]));
        for bad in ["Z", "Zm9vY", "Zm 9", "Zm9v=", "Z===", "Zg=a", "Zm-_"] {
            assert_eq!(base64(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn uris_name_files_in_the_same_folder() {
        let path = Path::new("cell/scene.gltf");
        let file = |uri| beside(path, uri).map(|file| file.display().to_string());
        assert_eq!(file("a%20b%C3%A9/c.bin").as_deref(), Ok("cell/a bé/c.bin"));
        assert_eq!(file("../x.bin").as_deref(), Ok("cell/../x.bin"));
        for bad in ["http://x/y", "file:///a", "/etc/x", "%2Fetc", "%zz", "%4", "%ff", "a%00", "", "C:x"] {
            assert!(file(bad).unwrap_err().contains(bad), "{bad}");
        }
    }

    #[test]
    fn chunks_are_compared_with_the_file_length() {
        let path = Path::new("a.glb");
        let glb = |words: &[u32], rest: &[u8]| {
            let head = words.iter().flat_map(|word| word.to_le_bytes());
            MAGIC.iter().copied().chain(head).chain(rest.iter().copied()).collect::<Vec<u8>>()
        };
        let file_bytes = glb(&[2, 32, 4, JSON], b"{}  \x04\0\0\0BIN\0");
        let message = split(&file_bytes, path).unwrap_err().to_string();
        assert_eq!(message, "a.glb: byte 24: found a chunk of 4 bytes, but 0 are left");
        let file_bytes = glb(&[2, 34, 4, JSON], b"{}  \x02\0\0\0BIN\0ab");
        let parts = GlbChunks { json: b"{}  ", origin: Origin::Chunk, binary: Some(b"ab") };
        assert_eq!(split(&file_bytes, path).unwrap(), parts);
        let other = glb(&[2, 34, 4, JSON], b"{}  \x02\0\0\0NIB\0ab");
        assert_eq!(split(&other, path).unwrap().binary, None);
        for bad in [
            glb(&[1, 34, 4, JSON], b"{}  "),
            glb(&[2, 34, 4, JSON], b"{}  "),
            glb(&[2, 24, u32::MAX, JSON], b"{}  "),
            glb(&[2, 24, 4, BIN], b"{}  "),
            glb(&[2], b""),
            glb(&[], b""),
        ] {
            assert!(split(&bad, path).is_err(), "{bad:?}");
        }
    }
}
