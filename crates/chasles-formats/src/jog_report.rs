//! Answers of `chasles jog` as JSON, one object a line.

use chasles::{PairReport, RobotCell};
use serde_json::{Map, Value, json};

use crate::scene_report::{reason, verdict};

/// The values of joints, by name.
pub type JointValues = Vec<(String, f64)>;

/// What became of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum JogOutcome<'a> {
    /// It was carried out, and there may be something to say.
    Done(Option<&'a str>),
    /// It means nothing, or something was bad.
    Error(&'a str),
    /// A move was not carried out, or only some segments of a path.
    Refused(&'a Refusal),
}

/// A move that was not carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The share of its way, in [0, 1], that is proven free.
    pub free: f64,
    /// Where that ends.
    pub free_until: JointValues,
    /// What is, or may be, met; times are shares of the way.
    pub pairs: Vec<PairReport>,
    /// Of a path, how many of its segments were carried out before.
    pub segments: Option<usize>,
}

/// An answer as one line of JSON, its end included: the command, where the robot is then, and what became of it.
#[must_use]
pub fn to_json(
    command: &str,
    joints: &[(String, f64)],
    outcome: &JogOutcome<'_>,
    cell: &RobotCell,
) -> String {
    let object = |values: &[(String, f64)]| -> Map<String, Value> {
        values.iter().map(|(name, value)| (name.clone(), json!(value))).collect()
    };
    let mut reply = Map::new();
    reply.insert("command".into(), json!(command));
    reply.insert("joints".into(), Value::Object(object(joints)));
    let mut say = |key: &str, value: Value| reply.insert(key.into(), value);
    match outcome {
        JogOutcome::Done(text) => {
            say("outcome", json!("done"));
            if let Some(text) = text {
                say("text", json!(text));
            }
        }
        JogOutcome::Error(error) => {
            say("outcome", json!("error"));
            say("error", json!(error));
        }
        JogOutcome::Refused(refusal) => {
            say("outcome", json!("refused"));
            say("free", json!(refusal.free));
            say("free_until", Value::Object(object(&refusal.free_until)));
            say("segments", json!(refusal.segments));
            say("pairs", refusal.pairs.iter().map(|pair| met(pair, cell)).collect());
        }
    }
    format!("{}\n", Value::Object(reply))
}

fn met(pair: &PairReport, cell: &RobotCell) -> Value {
    let [a, b] = pair.bodies.map(|body| cell.name(body));
    let first = pair.intervals.first();
    let contact = first.and_then(|interval| interval.contact).map(|contact| contact.contact);
    json!({
        "a": a,
        "b": b,
        "verdict": verdict(pair.verdict),
        "enter": first.map(|interval| interval.enter),
        "point": contact.map(|contact| contact.point.to_array()),
        "normal": contact.map(|contact| contact.normal.to_array()),
        "clear_until": pair.clear_until,
        "why": pair.doubt.map(reason),
    })
}
