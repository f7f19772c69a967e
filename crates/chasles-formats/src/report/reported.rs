//! Reads reports that `chasles check --json` wrote, to show them beside their subject.
//!
//! Only the required parts are parsed, and kept beside the text: the pairs and their times. A report contains
//! neither shapes nor motions nor the files of those: the caller supplies its subject.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::limits;

/// A report of one scene or path.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportFile {
    /// The file, for messages.
    pub file: PathBuf,
    /// The whole text: one JSON object, without surrounding blanks.
    pub text: String,
    /// Duration of the checked scene or path, in seconds.
    pub duration: f64,
    /// The pairs of the report, in its order.
    pub pairs: Vec<ReportedPair>,
}

/// A pair of a report.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ReportedPair {
    /// The name of the first body.
    pub a: String,
    /// The name of the second body.
    pub b: String,
    /// The word of the verdict: contact, near and others.
    #[serde(default)]
    pub verdict: String,
    /// The intervals in which they touch, or are near.
    #[serde(default)]
    pub intervals: Vec<ReportedInterval>,
    /// The time of minimum distance, in seconds, if reported.
    pub gap_time: Option<f64>,
    /// The first contact of each pair of features, if a body deforms and they were requested.
    #[serde(default)]
    pub events: Vec<ReportedEvent>,
}

/// The first contact of two features.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ReportedEvent {
    /// An enclosure of the time, in seconds.
    pub time: [f64; 2],
    /// The features in contact, with their point.
    #[serde(flatten)]
    pub contact: ReportedContact,
}

/// An interval of a report: enclosures in seconds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ReportedInterval {
    /// The start.
    pub enter: [f64; 2],
    /// The end; `None`: the interval lasts to the end.
    pub exit: Option<[f64; 2]>,
    /// The contact at the start, if reported.
    #[serde(default)]
    pub contact: Option<ReportedContact>,
}

/// The contact at the start of an interval.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ReportedContact {
    /// The kinds of the two features, the first body's first.
    pub kind: ReportedKind,
    /// The numbers of the first body's feature: a vertex, a face or the ends of an edge; empty for a round surface.
    pub a: Vec<u32>,
    /// The numbers of the second body's feature.
    pub b: Vec<u32>,
    /// The contact point, in the world frame.
    pub point: [f64; 3],
    /// Unit normal from the first body to the second.
    pub normal: [f64; 3],
}

/// The kinds of the two features in contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReportedKind {
    /// A vertex of the first body and a face of the second.
    VertexFace,
    /// A face of the first body and a vertex of the second.
    FaceVertex,
    /// An edge of each body.
    EdgeEdge,
    /// Surfaces, of which one or both are round.
    Surfaces,
    /// Surfaces, of which one or both belong to a solid or are parametric.
    SurfaceSurface,
    /// A point of the first body, which is a cloud.
    PointSolid,
    /// A point of the second body, which is a cloud.
    SolidPoint,
    /// A point of each body.
    PointPoint,
}

#[derive(Deserialize)]
struct ReportInput {
    format: u64,
    #[serde(default)]
    paths: Option<Vec<serde::de::IgnoredAny>>,
    duration: Option<f64>,
    pairs: Option<Vec<ReportedPair>>,
}

/// Reads a report.
///
/// # Errors
/// When the file cannot be read or is too large, and as for [`parse`].
pub fn read(path: &Path) -> Result<ReportFile> {
    let bytes = limits::read(path, limits::REPORT_FILE)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        Error::byte(path, error.utf8_error().valid_up_to(), "found no UTF-8, expected text")
    })?;
    parse(&text, path)
}

/// Reads a report from its text.
///
/// # Errors
/// Text that is not JSON, with the line; a report of several paths; an object that is not a report.
///
/// ```
/// use chasles_formats::report::reported::parse;
/// let text = r#"{"format":1,"verdict":"near","duration":2.0,"pairs":[{"a":"cup","b":"table","intervals":[]}]}"#;
/// let report = parse(text, "report.json".as_ref())?;
/// assert_eq!((report.duration, report.pairs[0].b.as_str()), (2.0, "table"));
/// # Ok::<(), chasles_formats::Error>(())
/// ```
pub fn parse(text: &str, path: &Path) -> Result<ReportFile> {
    let text = text.trim();
    let expected = "expected a report as chasles check --json writes it";
    let document: ReportInput = serde_json::from_str(text)
        .map_err(|error| Error::line(path, error.line(), format!("{error}; {expected}")))?;
    if document.format != 1 {
        return Err(Error::key(path, "format", 0, format!("found {}, expected 1", document.format)));
    }
    if let Some(paths) = document.paths {
        let found = format!("found the reports of {} paths, expected that of one", paths.len());
        return Err(Error::key(path, "paths", 0, found));
    }
    let Some(duration) = document.duration.filter(|duration| *duration >= 0.0) else {
        return Err(Error::key(path, "duration", 0, format!("found none that is a time; {expected}")));
    };
    let Some(pairs) = document.pairs else {
        return Err(Error::key(path, "pairs", 0, format!("found none; {expected}")));
    };
    Ok(ReportFile { file: path.to_owned(), text: text.to_owned(), duration, pairs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Subject;
    use crate::report::json;
    use crate::report::json::tests::{pair, report, scene, two_intervals};
    use chasles::{ContactFeatures, PairReport, PairVerdict, SceneEvent};
    use glam::DVec3;

    fn message(text: &str) -> String {
        parse(text, "r.json".as_ref()).unwrap_err().to_string()
    }

    #[test]
    fn written_files_read_back_equal() {
        let events = vec![SceneEvent {
            features: ContactFeatures::VertexFace { a: 3, b: 7 },
            time: [0.5, 0.75],
            point: DVec3::new(1.0, 2.0, 3.0),
            normal: DVec3::Y,
        }];
        let found = report(PairReport { intervals: two_intervals(), events, ..pair(PairVerdict::Contact) });
        let written = json::to_json(&Subject::scene(&scene(["table", "a \"cup\""], 0.0)), &found);
        let read = parse(&written, "r.json".as_ref()).unwrap();
        let contact = ReportedContact {
            kind: ReportedKind::EdgeEdge,
            a: vec![0, 1],
            b: vec![4, 6],
            point: [0.0, 1.5, 2e-7],
            normal: [0.0, 0.0, 1.0],
        };
        let intervals = vec![
            ReportedInterval { enter: [0.0; 2], exit: Some([0.25, 0.25]), contact: None },
            ReportedInterval { enter: [0.5, 0.75], exit: None, contact: Some(contact) },
        ];
        let expected = ReportedPair {
            a: "table".into(),
            b: "a \"cup\"".into(),
            verdict: "contact".into(),
            intervals,
            gap_time: None,
            events: vec![ReportedEvent {
                time: [0.5, 0.75],
                contact: ReportedContact {
                    kind: ReportedKind::VertexFace,
                    a: vec![3],
                    b: vec![7],
                    point: [1.0, 2.0, 3.0],
                    normal: [0.0, 1.0, 0.0],
                },
            }],
        };
        assert_eq!((read.duration, read.pairs), (2.0, vec![expected]));
        assert_eq!(read.text, written.trim_end());
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &written).unwrap();
        assert_eq!(super::read(file.path()).unwrap().text, written.trim_end());
        std::fs::write(file.path(), b"{\"format\": \xff}").unwrap();
        assert!(super::read(file.path()).unwrap_err().to_string().contains("byte 11: found no UTF-8"));
    }

    #[test]
    fn files_that_are_no_reports_are_errors_with_location() {
        assert!(message("{\"format\":1,\n\"pairs\":[}").starts_with("r.json:2: "));
        assert_eq!(message(r#"{"format":2}"#), "r.json: format: found 2, expected 1");
        let several = r#"{"format":1,"verdict":"clear","paths":[{"path":"a.csv"},{}]}"#;
        assert_eq!(message(several), "r.json: paths: found the reports of 2 paths, expected that of one");
        for (text, key) in [
            (r#"{"format":1}"#, "duration"),
            (r#"{"format":1,"duration":-1,"pairs":[]}"#, "duration"),
            (r#"{"format":1,"duration":1}"#, "pairs"),
        ] {
            assert!(message(text).starts_with(&format!("r.json: {key}: found ")), "{}", message(text));
        }
        for text in ["", "[]", "7", r#"{"format":1,"duration":1,"pairs":[{"a":"x"}]}"#] {
            assert!(message(text).contains("expected a report as chasles check --json"), "{}", message(text));
        }
    }
}
