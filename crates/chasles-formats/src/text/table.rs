//! Tables of keys and values, and short texts without heap memory.
//!
//! A line with thousands of bodies has about ten thousand tables of a few short keys: a heap allocation for each key
//! would take most of the reading time.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

/// A text; a short one is stored inline.
#[derive(Clone)]
pub(crate) enum Text {
    /// The number of bytes in use, and the bytes.
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

/// Maximum bytes of an inline text: with their count they take no more room than the pointer of a longer text.
const SHORT: usize = 22;

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(used), Ok(length)) => {
                used.copy_from_slice(text.as_bytes());
                Self::Short(length, bytes)
            }
            _ => Self::Long(text.into()),
        }
    }
}

impl Text {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Short(length, bytes) => &bytes[..usize::from(*length)],
            Self::Long(text) => text.as_bytes(),
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            // Only complete texts are stored.
            Self::Short(..) => std::str::from_utf8(self.bytes()).unwrap_or_default(),
            Self::Long(text) => text,
        }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Keys with their values, in key order.
#[derive(Debug, Clone)]
pub(crate) enum Table<E> {
    /// At most [`LINEAR_LIMIT`], sorted.
    Few(Vec<(Text, E)>),
    Many(BTreeMap<String, E>),
}

/// Maximum number of keys in a sorted list, which an insertion may have to move.
const LINEAR_LIMIT: usize = 32;

impl<E> Table<E> {
    pub(crate) fn new() -> Self {
        Self::Few(Vec::new())
    }

    /// Adds a key; returns the key if the table has it already.
    pub(crate) fn insert(&mut self, key: Text, entry: E) -> Result<(), Text> {
        if let Self::Few(few) = self
            && few.len() == LINEAR_LIMIT
        {
            *self = Self::Many(few.drain(..).map(|(key, entry)| (str::to_owned(&key), entry)).collect());
        }
        match self {
            Self::Few(few) => match place(few, key.bytes()) {
                Ok(_) => Err(key),
                Err(place) => {
                    few.insert(place, (key, entry));
                    Ok(())
                }
            },
            Self::Many(many) if many.contains_key(&*key) => Err(key),
            Self::Many(many) => {
                many.insert(str::to_owned(&key), entry);
                Ok(())
            }
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&E> {
        match self {
            Self::Few(few) => place(few, key.as_bytes()).ok().map(|place| &few[place].1),
            Self::Many(many) => many.get(key),
        }
    }

    /// All entries, in key order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &E)> {
        let (few, many) = match self {
            Self::Few(few) => (few.as_slice(), None),
            Self::Many(many) => (&[][..], Some(many)),
        };
        let many = many.into_iter().flatten().map(|(key, entry)| (key.as_str(), entry));
        few.iter().map(|(key, entry)| (&**key, entry)).chain(many)
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &E> {
        self.iter().map(|(_, entry)| entry)
    }
}

/// The index of a key, or the index at which it belongs.
fn place<E>(few: &[(Text, E)], key: &[u8]) -> Result<usize, usize> {
    few.binary_search_by(|(entry_key, _)| entry_key.bytes().cmp(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_equal_maps() {
        for count in [0, 1, 5, LINEAR_LIMIT - 1, LINEAR_LIMIT, LINEAR_LIMIT + 1, 100] {
            let (mut table, mut map) = (Table::new(), BTreeMap::new());
            for i in 0..count {
                // In no order, with some long keys and some multi-byte letters.
                let key =
                    format!("{}{}", i * 37 % 101, ["", "ü", "a key of more than twenty-two bytes"][i % 3]);
                assert!(table.insert(Text::from(&*key), i).is_ok());
                map.insert(key, i);
            }
            let entries_found: Vec<(&str, usize)> = table.iter().map(|(key, entry)| (key, *entry)).collect();
            let expected: Vec<(&str, usize)> = map.iter().map(|(key, line)| (key.as_str(), *line)).collect();
            assert_eq!(entries_found, expected);
            assert_eq!(table.values().count(), count);
            for (key, line) in &map {
                assert_eq!(table.get(key), Some(line), "{key}");
                let twice = table.insert(Text::from(&**key), 1_000).unwrap_err();
                assert_eq!(&*twice, key);
                assert_eq!(table.get(key), Some(line), "{key}");
            }
            assert!(table.get("none").is_none());
        }
    }

    #[test]
    fn texts_of_any_length_are_unchanged() {
        for length in 0..60 {
            let text: String = "aüß€𝄞x".chars().cycle().take(length).collect();
            assert_eq!(
                (&*Text::from(&*text), format!("{:?}", Text::from(&*text))),
                (&*text, format!("{text:?}"))
            );
        }
        assert_eq!(size_of::<Text>(), 24);
    }
}
