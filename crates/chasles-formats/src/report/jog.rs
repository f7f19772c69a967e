//! Answers of `chasles jog` as JSON, one object per line, and refused moves, which the viewer uses too.

use chasles::{MoveOutcome, PairReport, Robot, RobotCell, SeparatedPair};
use serde_json::{Map, Value, json};

use super::answer::FeaturesEntry;
use super::verdict::{reason, verdict};
use crate::robot::joint_values::{self, JointValues};
use crate::text::json::json_line;

/// The result of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum JogOutcome<'a> {
    /// The command was carried out, perhaps with a message.
    Done(Option<&'a str>),
    /// The command was carried out as an escape: the move only separates overlapping bodies.
    Escape(&'a [SeparatedPair]),
    /// The command was invalid or failed.
    Error(&'a str),
    /// A move was refused, or only some segments of a path were carried out.
    Refused(&'a Refusal),
}

/// A move that was not carried out, or only in part.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The fraction of the path, in [0, 1], that is proven clear.
    pub free: f64,
    /// The joint values at the end of the clear part.
    pub free_until: JointValues,
    /// The pairs in contact or undecided; times are fractions of the path.
    pub pairs: Vec<PairReport>,
    /// For each pair, the joint values at its first contact; `None`: no contact is known.
    pub joints: Vec<Option<JointValues>>,
    /// For a path, the number of segments that were carried out before.
    pub segments: Option<usize>,
}

impl Refusal {
    /// The refusal in a move's outcome; `None` if the move was not refused. `segments` as in the field.
    #[must_use]
    pub fn of(robot: &Robot, outcome: MoveOutcome, segments: Option<usize>) -> Option<Self> {
        let MoveOutcome::Refused { free, values, found } = outcome else { return None };
        let names = joint_values::names(robot);
        let first = |entries: &Vec<chasles::PathEntry>| {
            let entry = entries.first()?;
            Some(names.iter().cloned().zip(entry.positions.iter().copied()).collect())
        };
        Some(Self {
            free,
            free_until: joint_values::by_name(robot, &values),
            joints: found.entries.iter().map(first).collect(),
            pairs: found.report.pairs,
            segments,
        })
    }

    /// The refusal as JSON: the entries of an answer, and the joint values at the first contact.
    #[must_use]
    pub fn to_value(&self, cell: &RobotCell) -> Value {
        let mut entries = self.entries(cell);
        entries.insert("joints".into(), self.at_first().map_or(Value::Null, |joints| object(joints)));
        Value::Object(entries)
    }

    /// The joint values at the first contact; for simultaneous contacts, of the first pair.
    fn at_first(&self) -> Option<&JointValues> {
        let enter = |pair: &PairReport| pair.intervals.first().map(|interval| interval.enter[1]);
        let pairs = self.pairs.iter().zip(&self.joints);
        let contact_value = pairs.filter_map(|(pair, joints)| Some((enter(pair)?, joints.as_ref()?)));
        contact_value.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, joints)| joints)
    }

    fn entries(&self, cell: &RobotCell) -> Map<String, Value> {
        let mut entries = Map::new();
        entries.insert("free".into(), json!(self.free));
        entries.insert("free_until".into(), object(&self.free_until));
        entries.insert("segments".into(), json!(self.segments));
        let pairs = self.pairs.iter().zip(&self.joints);
        let pairs = pairs.map(|(pair, joints)| contact_value(pair, joints.as_ref(), cell));
        entries.insert("pairs".into(), pairs.collect());
        entries
    }
}

/// The overlapping pairs that an escape separates, wholly or in part, as JSON: names, and depths in metres, 0 for
/// separated bodies.
#[must_use]
pub fn escape_json(separated: &[SeparatedPair], cell: &RobotCell) -> Value {
    let pair_value = |pair: &SeparatedPair| {
        let [a, b] = pair.bodies.map(|body| cell.name(body));
        json!({ "a": a, "b": b, "depth_before": pair.before, "depth": pair.after })
    };
    separated.iter().map(pair_value).collect()
}

/// An answer as one line of JSON, with its line end: the command, the joint values after it, and its result.
#[must_use]
pub fn to_json(
    command: &str,
    joints: &[(String, f64)],
    outcome: &JogOutcome<'_>,
    cell: &RobotCell,
) -> String {
    let mut reply = Map::new();
    reply.insert("command".into(), json!(command));
    reply.insert("joints".into(), object(joints));
    let mut insert = |key: &str, value: Value| reply.insert(key.into(), value);
    match outcome {
        JogOutcome::Done(text) => {
            insert("outcome", json!("done"));
            if let Some(text) = text {
                insert("text", json!(text));
            }
        }
        JogOutcome::Escape(separated) => {
            insert("outcome", json!("done"));
            insert("way_out", escape_json(separated, cell));
        }
        JogOutcome::Error(error) => {
            insert("outcome", json!("error"));
            insert("error", json!(error));
        }
        JogOutcome::Refused(refusal) => {
            insert("outcome", json!("refused"));
            reply.extend(refusal.entries(cell));
        }
    }
    json_line(&Value::Object(reply))
}

fn object(values: &[(String, f64)]) -> Value {
    Value::Object(values.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}

fn contact_value(pair: &PairReport, joints: Option<&JointValues>, cell: &RobotCell) -> Value {
    let [a, b] = pair.bodies.map(|body| cell.name(body));
    let first = pair.intervals.first();
    let contact = first.and_then(|interval| interval.contact).map(|contact| contact.contact);
    let features = contact.map(|contact| FeaturesEntry::of(contact.features));
    json!({
        "a": a,
        "b": b,
        "bodies": pair.bodies,
        "verdict": verdict(pair.verdict),
        "enter": first.map(|interval| interval.enter),
        "joints": joints.map(|joints| object(joints)),
        "point": contact.map(|contact| contact.point.to_array()),
        "normal": contact.map(|contact| contact.normal.to_array()),
        "kind": features.as_ref().map(|entry| entry.kind),
        "features": features.as_ref().map(|entry| json!({ "a": entry.a, "b": entry.b })),
        "clear_until": pair.clear_until,
        "why": pair.reason.map(reason),
    })
}
