//! Answers to pair problems, one JSON object per line.
//!
//! ```json
//! {"name":"p1","verdict":"clear"}
//! {"name":"p2","verdict":"contact","time":[0.5,0.5],"contact":{"kind":"vertex-face","a":[4],"b":[17],..}}
//! {"name":"p3","verdict":"overlapping","pairs":[[0,7],[3,7]]}
//! {"name":"p4","verdict":"undecided","clear_until":0.25,"why":"budget: .."}
//! {"name":"p5","verdict":"error","error":"all.jsonl:5: pose1: missing: .."}
//! ```
//!
//! With `--proper`, each contact of the list of all contacts also has `"properness":0.4,"proper":true,"kept":true`;
//! `--concurrent` adds `"concurrent":[[0,1],[2]]`. Pairs of features that rounding leaves undecided are not in the
//! list; `"doubtful":2` is their number. Warnings about the meshes come last: `"warnings":["a.stl: .."]`. Names and
//! order of the keys are fixed. Numbers have the shortest form that reads back the same; -0 is written as 0.

use chasles::{
    Contact, ContactFeatures, FeatureContact, FeatureMeeting, MovingKind, Outcome, Prediction, Rating,
    UndecidedReason, concurrent,
};
use serde::Serialize;

use crate::text::json::{json_line, plain, plain_vector};

/// The answer to a pair problem.
#[derive(Debug, Clone, PartialEq)]
pub enum ProblemAnswer<'a> {
    /// An answer of the engine.
    Found {
        /// The problem's name.
        name: &'a str,
        /// The outcome, with its contacts if it has any.
        prediction: &'a Prediction,
        /// Optional information about the contacts.
        extras: ContactExtras<'a>,
    },
    /// An answer about two features whose vertices move independently.
    Features {
        /// The problem's name.
        name: &'a str,
        /// The kinds of the two features.
        kind: MovingKind,
        /// The time and place of their contact.
        outcome: &'a FeatureMeeting,
    },
    /// The problem could not be posed: its line or one of its meshes is invalid.
    Error {
        /// The problem's name, if it could be read.
        name: Option<&'a str>,
        /// The file and place, what was found, and what was expected.
        error: &'a str,
    },
}

/// Optional information about all contacts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactExtras<'a> {
    /// How proper each contact is, in the order of the contacts.
    pub ratings: Option<&'a [Option<Rating>]>,
    /// Contacts whose start times differ by at most this value are grouped.
    pub concurrent: Option<f64>,
}

impl ProblemAnswer<'_> {
    /// The answer as one line, with its line end. `warnings` are about the input; the key is missing if there are
    /// none.
    ///
    /// ```
    /// use chasles_formats::report::answer::ProblemAnswer;
    /// let answer = ProblemAnswer::Error { name: None, error: "all.jsonl:3: not JSON" };
    /// assert_eq!(answer.to_line(&[]), "{\"name\":null,\"verdict\":\"error\",\"error\":\"all.jsonl:3: not JSON\"}\n");
    /// ```
    #[must_use]
    pub fn to_line(&self, warnings: &[String]) -> String {
        json_line(&AnswerJson { warnings, ..AnswerJson::of(self) })
    }
}

/// An answer in JSON: the order of the fields is the order of the keys.
#[derive(Default, Serialize)]
struct AnswerJson<'a> {
    name: Option<&'a str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<ContactJson>,
    #[serde(skip_serializing_if = "Option::is_none", rename = "contact")]
    met: Option<FeatureEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contacts: Option<Vec<TimedContact>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrent: Option<Vec<Vec<usize>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubtful: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pairs: Option<&'a [[u32; 2]]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clear_until: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

/// Two features in JSON: the keys `kind`, `a` and `b`.
#[derive(Serialize)]
pub struct FeaturesEntry {
    pub(crate) kind: &'static str,
    pub(crate) a: Numbers,
    pub(crate) b: Numbers,
}

/// A contact in JSON.
#[derive(Serialize)]
pub struct ContactJson {
    #[serde(flatten)]
    features: FeaturesEntry,
    /// The contact point, in metres.
    pub point: [f64; 3],
    normal: [f64; 3],
    touching: bool,
    approach_speed: f64,
}

/// The meeting of two features in JSON.
#[derive(Serialize)]
struct FeatureEntry {
    kind: &'static str,
    u: f64,
    v: f64,
    point: [f64; 3],
    normal: [f64; 3],
    touching: bool,
}

/// An entry of the list of all contacts, with its own time.
#[derive(Serialize)]
struct TimedContact {
    #[serde(flatten)]
    contact: ContactJson,
    time: [f64; 2],
    #[serde(flatten)]
    rating: Option<RatingEntry>,
}

/// How proper a contact is.
#[derive(Serialize)]
struct RatingEntry {
    properness: f64,
    proper: bool,
    kept: bool,
}

/// A feature: the number of its vertex or face, or the two vertices of an edge.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Numbers {
    /// A round surface, which has no number.
    None([u32; 0]),
    One([u32; 1]),
    Edge([u32; 2]),
}

impl Numbers {
    fn of(face: Option<u32>) -> Self {
        face.map_or(Self::None([]), |face| Self::One([face]))
    }
}

impl<'a> AnswerJson<'a> {
    fn of(answer: &ProblemAnswer<'a>) -> Self {
        match *answer {
            ProblemAnswer::Error { name, error } => Self { error: Some(error), ..Self::new(name, "error") },
            ProblemAnswer::Features { name, kind, outcome: meeting } => {
                let name = Some(name);
                match meeting {
                    FeatureMeeting::Clear => Self::new(name, "clear"),
                    FeatureMeeting::Contact(contact) => Self {
                        time: Some(contact.time.map(plain)),
                        met: Some(FeatureEntry::of(kind, contact)),
                        ..Self::new(name, "contact")
                    },
                    FeatureMeeting::Undecided(clear_until) => Self {
                        clear_until: Some(plain(*clear_until)),
                        why: Some(reason(UndecidedReason::Budget)),
                        ..Self::new(name, "undecided")
                    },
                }
            }
            ProblemAnswer::Found { name, prediction, extras } => {
                let name = Some(name);
                match &prediction.outcome {
                    Outcome::Clear => Self::new(name, "clear"),
                    Outcome::Contact(first) => Self {
                        time: Some(first.time.map(plain)),
                        contact: Some(ContactJson::of(first)),
                        contacts: all(&prediction.contacts, extras.ratings),
                        concurrent: groups(&prediction.contacts, extras.concurrent),
                        doubtful: (prediction.doubtful > 0).then_some(prediction.doubtful),
                        ..Self::new(name, "contact")
                    },
                    Outcome::Overlapping(pairs) => {
                        Self { pairs: Some(pairs), ..Self::new(name, "overlapping") }
                    }
                    Outcome::Undecided { clear_until, reason: cause } => Self {
                        clear_until: Some(plain(*clear_until)),
                        why: Some(reason(*cause)),
                        ..Self::new(name, "undecided")
                    },
                }
            }
        }
    }

    fn new(name: Option<&'a str>, verdict: &'static str) -> Self {
        Self { name, verdict, ..Self::default() }
    }
}

impl FeatureEntry {
    fn of(kind: MovingKind, contact: &FeatureContact) -> Self {
        let FeatureContact { weights: [u, v], point, normal, touching, .. } = *contact;
        let kind = match kind {
            MovingKind::VertexFace => "vertex-face",
            MovingKind::EdgeEdge => "edge-edge",
        };
        Self {
            kind,
            u: plain(u),
            v: plain(v),
            point: plain_vector(point),
            normal: plain_vector(normal),
            touching,
        }
    }
}

/// The list of all contacts; `None` if only the first contact was requested.
fn all(contacts: &[Contact], ratings: Option<&[Option<Rating>]>) -> Option<Vec<TimedContact>> {
    let rated = |place: usize| {
        let Rating { properness, proper, matters: kept, .. } = (*ratings?.get(place)?)?;
        Some(RatingEntry { properness: plain(properness), proper, kept })
    };
    let timed = |(place, contact): (usize, &Contact)| TimedContact {
        contact: ContactJson::of(contact),
        time: contact.time.map(plain),
        rating: rated(place),
    };
    (!contacts.is_empty()).then(|| contacts.iter().enumerate().map(timed).collect())
}

/// The groups of concurrent contacts, if requested.
fn groups(contacts: &[Contact], within: Option<f64>) -> Option<Vec<Vec<usize>>> {
    let within = within.filter(|_| !contacts.is_empty())?;
    Some(concurrent(contacts.iter().map(|contact| contact.time[0]), within))
}

/// The reason why an answer is undecided, in a sentence; its first word is for programs.
#[must_use]
pub fn reason(reason: UndecidedReason) -> &'static str {
    match reason {
        UndecidedReason::Budget => {
            "budget: the allowed steps of work were used up before an answer was proven; more may decide it"
        }
        UndecidedReason::Memory => "memory: the search needed more memory than is allowed",
        UndecidedReason::Rounding => {
            "rounding: whether the surfaces touch depends on less than the rounding of coordinates this large"
        }
        UndecidedReason::Deviation => {
            "deviation: some motions within the deviation may have contact, and others have none; a smaller one may \
             decide it"
        }
    }
}

impl ContactJson {
    pub(crate) fn of(contact: &Contact) -> Self {
        Self {
            features: FeaturesEntry::of(contact.features),
            point: plain_vector(contact.point),
            normal: plain_vector(contact.normal),
            touching: contact.touching,
            approach_speed: plain(contact.approach_speed),
        }
    }
}

impl FeaturesEntry {
    /// Converts two features.
    #[must_use]
    pub fn of(features: ContactFeatures) -> Self {
        let (a, b) = match features {
            ContactFeatures::VertexFace { a, b }
            | ContactFeatures::FaceVertex { a, b }
            | ContactFeatures::PointPoint { a, b } => (Numbers::One([a]), Numbers::One([b])),
            ContactFeatures::EdgeEdge { a, b } => (Numbers::Edge(a), Numbers::Edge(b)),
            ContactFeatures::Surfaces { a, b } | ContactFeatures::SurfaceSurface { a, b } => {
                (Numbers::of(a), Numbers::of(b))
            }
            ContactFeatures::PointSolid { a } => (Numbers::One([a]), Numbers::of(None)),
            ContactFeatures::SolidPoint { b } => (Numbers::of(None), Numbers::One([b])),
        };
        Self { kind: features.kind(), a, b }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    fn line(outcome: Outcome, contacts: Vec<Contact>) -> String {
        line_with(outcome, contacts, 0, ContactExtras::default())
    }

    fn line_with(
        outcome: Outcome,
        contacts: Vec<Contact>,
        doubtful: usize,
        extras: ContactExtras<'_>,
    ) -> String {
        let prediction = Prediction {
            outcome,
            contacts,
            doubtful,
            tolerance: 1e-9,
            counters: chasles::Counters::default(),
        };
        ProblemAnswer::Found { name: "p \"1\"", prediction: &prediction, extras }.to_line(&[])
    }

    fn contact(features: ContactFeatures) -> Contact {
        Contact {
            time: [-0.0, 0.1 + 0.2],
            features,
            point: DVec3::new(-0.0, 1e-9, 1.0 / 3.0),
            normal: DVec3::new(-0.0, -1.0, 0.0),
            approach_speed: 2.5,
            touching: false,
        }
    }

    #[test]
    fn contact_format_is_exact() {
        let first = contact(ContactFeatures::VertexFace { a: 4, b: 17 });
        let head = r#"{"name":"p \"1\"","verdict":"contact","time":[0.0,0.30000000000000004],"contact":"#;
        let body = r#""point":[0.0,1e-9,0.3333333333333333],"normal":[0.0,-1.0,0.0],"touching":false,"approach_speed":2.5"#;
        let vertex_face = format!(r#"{{"kind":"vertex-face","a":[4],"b":[17],{body}"#);
        assert_eq!(line(Outcome::Contact(first), vec![]), format!("{head}{vertex_face}}}}}\n"));

        let others = [
            ContactFeatures::FaceVertex { a: 1, b: 2 },
            ContactFeatures::EdgeEdge { a: [0, 1], b: [u32::MAX - 1, u32::MAX] },
        ];
        let contacts = [first].into_iter().chain(others.map(contact)).collect();
        let time = r#""time":[0.0,0.30000000000000004]"#;
        let face_vertex = format!(r#"{{"kind":"face-vertex","a":[1],"b":[2],{body},{time}}}"#);
        let edge_edge =
            format!(r#"{{"kind":"edge-edge","a":[0,1],"b":[4294967294,4294967295],{body},{time}}}"#);
        let list = format!("[{vertex_face},{time}}},{face_vertex},{edge_edge}]");
        let expected = format!("{head}{vertex_face}}},\"contacts\":{list}}}\n");
        assert_eq!(line(Outcome::Contact(first), contacts), expected);
        let expected = format!("{head}{vertex_face}}},\"doubtful\":2}}\n");
        assert_eq!(line_with(Outcome::Contact(first), vec![], 2, ContactExtras::default()), expected);
    }

    #[test]
    fn contacts_have_ratings_and_groups() {
        let first = contact(ContactFeatures::VertexFace { a: 4, b: 17 });
        let later = Contact { time: [0.5, 0.5], ..contact(ContactFeatures::FaceVertex { a: 1, b: 2 }) };
        let contacts = vec![first, first, later];
        let rating =
            |properness| Rating { properness, proper: properness > 0.0, matters: true, normal: DVec3::X };
        let ratings = [-0.0, 0.25, -1.0].map(|properness| Some(rating(properness)));
        let extras = ContactExtras { ratings: Some(&ratings), concurrent: Some(0.1) };
        let outcome = Outcome::Contact(first);
        let found = line_with(outcome.clone(), contacts.clone(), 2, extras);
        let rated = [
            r#""time":[0.0,0.30000000000000004],"properness":0.0,"proper":false,"kept":true}"#,
            r#""time":[0.0,0.30000000000000004],"properness":0.25,"proper":true,"kept":true}"#,
            r#""time":[0.5,0.5],"properness":-1.0,"proper":false,"kept":true}],"concurrent":[[0,1],[2]],"doubtful":2}"#,
        ];
        assert!(rated.iter().all(|part| found.contains(part)), "{found}");
        // Each option adds only its own keys; a list without contacts gets none.
        let without = line(outcome.clone(), contacts.clone());
        let grouped =
            line_with(outcome.clone(), contacts, 0, ContactExtras { ratings: None, concurrent: Some(0.1) });
        assert_eq!(grouped, without.replace("]}\n", "],\"concurrent\":[[0,1],[2]]}\n"));
        let clear = line_with(Outcome::Clear, vec![], 0, extras);
        assert_eq!(clear, line(Outcome::Clear, vec![]));
    }

    #[test]
    fn the_other_verdicts() {
        let undecided = |reason| line(Outcome::Undecided { clear_until: -0.0, reason }, vec![]);
        assert_eq!(line(Outcome::Clear, vec![]), "{\"name\":\"p \\\"1\\\"\",\"verdict\":\"clear\"}\n");
        assert_eq!(
            line(Outcome::Overlapping(vec![[0, 7], [3, 7]]), vec![]),
            "{\"name\":\"p \\\"1\\\"\",\"verdict\":\"overlapping\",\"pairs\":[[0,7],[3,7]]}\n"
        );
        let reasons = [
            (UndecidedReason::Budget, "budget: "),
            (UndecidedReason::Memory, "memory: "),
            (UndecidedReason::Rounding, "rounding: "),
            (UndecidedReason::Deviation, "deviation: "),
        ];
        for (why, word) in reasons {
            let start =
                format!(r#"{{"name":"p \"1\"","verdict":"undecided","clear_until":0.0,"why":"{word}"#);
            assert!(undecided(why).starts_with(&start), "{}", undecided(why));
        }
        assert_eq!(
            ProblemAnswer::Error { name: Some("p1"), error: "a \"b\"\n" }.to_line(&[]),
            "{\"name\":\"p1\",\"verdict\":\"error\",\"error\":\"a \\\"b\\\"\\n\"}\n"
        );
        assert_eq!(
            ProblemAnswer::Error { name: None, error: "b" }.to_line(&["a.stl: odd".into()]),
            "{\"name\":null,\"verdict\":\"error\",\"error\":\"b\",\"warnings\":[\"a.stl: odd\"]}\n"
        );
    }
}
