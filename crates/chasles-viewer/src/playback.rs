//! What the page is given: bodies with their shapes and motions, and the report, as one JSON document.

/// A document for the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Playback {
    json: String,
}

impl Playback {
    /// The document, as JSON.
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }
}
