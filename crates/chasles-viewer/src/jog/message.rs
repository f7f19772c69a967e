//! Parses the messages of clients, one text frame each. Parsing is strict: an unknown field or type is an error.

use std::collections::BTreeSet;
use std::fmt;

use chasles_formats::robot::joint_values::JointChange;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::limits;

/// A message: the request, and the `id` that its answer repeats.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    pub(crate) id: Option<Id>,
    pub(crate) request: Request,
}

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Request {
    Take,
    Release,
    Resume { secret: String },
    Work(Work),
    Path,
    Stop,
    Ping,
}

/// The subject of the messages of a server. Each subject has message types of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Robot,
    Simulation,
}

/// A request to the robot or to the simulation, allowed only to the client in control.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Work {
    /// Moves joints simultaneously: at least one joint, each at most once.
    Move(Vec<(String, JointChange)>),
    Undo,
    Clear,
    /// Follows a path, given as the text of a file of this name.
    Replay {
        name: String,
        text: String,
    },
    Simulate(SimulationCommand),
}

/// A request to a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SimulationCommand {
    Play,
    Pause,
    /// Advances to the next moment.
    Step,
    Restart,
    /// Grabs a body at a point of its frame, in metres.
    Grab {
        body: usize,
        point: [f64; 3],
    },
    /// Moves the hand to a point of the world, in metres.
    Drag {
        target: [f64; 3],
    },
    Drop,
}

/// The identifier that a client gives to a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Number(serde_json::Number),
    Text(String),
}

/// The maximum length of an `id` or of a name, in bytes.
const MAX_NAME: usize = 256;

/// Parses a message.
///
/// # Errors
/// A message with the found and the expected value; also the `id`, if it could be parsed.
pub(crate) fn parse(text: &str, subject: Subject) -> Result<Message, (Option<Id>, String)> {
    let parse_error = |error: serde_json::Error| (None, format!("the message is not understood: {error}"));
    let fields: Fields = serde_json::from_str(text).map_err(parse_error)?;
    let (id, maximum) = (fields.id.clone(), limits::MESSAGE);
    if text.len() > maximum && fields.kind != "replay" {
        let message = format!("found a message of {} bytes, expected at most {maximum}", text.len());
        return Err((id, message));
    }
    match fields.request(subject) {
        Ok(request) => Ok(Message { id, request }),
        Err(message) => Err((id, message)),
    }
}

/// All fields that a message may have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(rename = "type")]
    kind: String,
    id: Option<Id>,
    joints: Option<Joints>,
    secret: Option<String>,
    name: Option<String>,
    text: Option<String>,
    body: Option<usize>,
    point: Option<[f64; 3]>,
    target: Option<[f64; 3]>,
}

impl Fields {
    fn request(self, subject: Subject) -> Result<Request, String> {
        let Self { kind, joints, secret, name, text, body, point, target, .. } = self;
        let kind = kind.as_str();
        let (kinds, others) = match subject {
            Subject::Robot => (&ROBOT[..], &SIMULATION[..]),
            Subject::Simulation => (&SIMULATION[..], &ROBOT[..]),
        };
        let is_known = SHARED.contains(&kind) || kinds.contains(&kind);
        for (key, is_present, is_expected) in [
            ("joints", joints.is_some(), kind == "move"),
            ("secret", secret.is_some(), kind == "resume"),
            ("name", name.is_some(), kind == "replay"),
            ("text", text.is_some(), kind == "replay"),
            ("body", body.is_some(), kind == "grab"),
            ("point", point.is_some(), kind == "grab"),
            ("target", target.is_some(), kind == "drag"),
        ] {
            if is_known && is_present != is_expected {
                let [found, expected] = if is_present { ["a", "none"] } else { ["no", "one"] };
                return Err(format!(
                    "found {found} key {key} in a message of type {kind}, expected {expected}"
                ));
            }
        }
        if others.contains(&kind) {
            let here = [&SHARED[..], kinds].concat().join(", ");
            return Err(format!("found the type {kind:?}, which is not valid here, expected one of {here}"));
        }
        let order = |order| Ok(Request::Work(Work::Simulate(order)));
        match (kind, body, point, target) {
            ("play", ..) => return order(SimulationCommand::Play),
            ("pause", ..) => return order(SimulationCommand::Pause),
            ("step", ..) => return order(SimulationCommand::Step),
            ("restart", ..) => return order(SimulationCommand::Restart),
            ("drop", ..) => return order(SimulationCommand::Drop),
            ("grab", Some(body), Some(point), _) => return order(SimulationCommand::Grab { body, point }),
            ("drag", _, _, Some(target)) => return order(SimulationCommand::Drag { target }),
            _ => {}
        }
        Ok(match (kind, joints, secret, name, text) {
            ("take", ..) => Request::Take,
            ("release", ..) => Request::Release,
            ("undo", ..) => Request::Work(Work::Undo),
            ("clear", ..) => Request::Work(Work::Clear),
            ("path", ..) => Request::Path,
            ("stop", ..) => Request::Stop,
            ("ping", ..) => Request::Ping,
            ("resume", _, Some(secret), ..) => Request::Resume { secret },
            ("move", Some(joints), ..) => Request::Work(Work::Move(joints.0)),
            ("replay", _, _, Some(name), Some(text)) => {
                if name.len() > MAX_NAME {
                    let found = name.len();
                    return Err(format!("found a name of {found} bytes, expected at most {MAX_NAME}"));
                }
                Request::Work(Work::Replay { name, text })
            }
            _ => {
                let shown: String = kind.chars().take(40).collect();
                return Err(format!(
                    "found the type {shown:?}, expected one of {}",
                    [&SHARED[..], kinds].concat().join(", ")
                ));
            }
        })
    }
}

/// Message types: the shared types, and those of one subject alone.
const SHARED: [&str; 5] = ["take", "release", "resume", "stop", "ping"];
const ROBOT: [&str; 5] = ["move", "undo", "clear", "path", "replay"];
const SIMULATION: [&str; 7] = ["play", "pause", "step", "restart", "grab", "drag", "drop"];

/// Joints, each with its change.
struct Joints(Vec<(String, JointChange)>);

/// `{"by":0.1}` or `{"to":1.0}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    by: Option<f64>,
    to: Option<f64>,
}

impl<'de> Deserialize<'de> for Joints {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(JointsVisitor)
    }
}

struct JointsVisitor;

impl<'de> Visitor<'de> for JointsVisitor {
    type Value = Joints;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of joints, each with {\"by\":NUMBER} or {\"to\":NUMBER}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Joints, A::Error> {
        let mut joints = Vec::new();
        let mut names = BTreeSet::new();
        while let Some((name, step)) = map.next_entry::<String, Step>()? {
            let change = match step {
                Step { by: Some(by), to: None } => JointChange::By(by),
                Step { by: None, to: Some(to) } => JointChange::To(to),
                _ => return Err(de::Error::custom(format!("joint {name:?}: expected one of by and to"))),
            };
            if !names.insert(name.clone()) {
                return Err(de::Error::custom(format!("found joint {name:?} twice, expected it once")));
            }
            joints.push((name, change));
        }
        if joints.is_empty() {
            return Err(de::Error::custom("found no joint, expected at least one"));
        }
        Ok(Joints(joints))
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

/// Accepts a number or a short text without buffering anything else.
struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a text of at most 256 bytes as id")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Id, E> {
        Ok(Id::Number(number.into()))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Id, E> {
        Ok(Id::Number(number.into()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Id, E> {
        let number = serde_json::Number::from_f64(number);
        number.map(Id::Number).ok_or_else(|| E::custom("expected a finite number as id"))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Id, E> {
        match text.len() <= MAX_NAME {
            true => Ok(Id::Text(text.to_owned())),
            false => Err(E::invalid_length(text.len(), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let request = |text: &str| parse(text, Subject::Robot).unwrap().request;
        assert_eq!(request(r#"{"type":"take"}"#), Request::Take);
        assert_eq!(request(r#"{"id":null,"type":"undo"}"#), Request::Work(Work::Undo));
        let joints = r#"{"type":"move","joints":{"b":{"by":-0.1},"a":{"to":1}},"id":7}"#;
        let expected = vec![("b".to_owned(), JointChange::By(-0.1)), ("a".to_owned(), JointChange::To(1.0))];
        let read = parse(joints, Subject::Robot).unwrap();
        assert_eq!(
            (read.request, read.id),
            (Request::Work(Work::Move(expected)), Some(Id::Number(7.into())))
        );
        let replay = r#"{"type":"replay","name":"a.csv","text":"time,a\n0,0\n","id":"x"}"#;
        let read = parse(replay, Subject::Robot).unwrap();
        assert_eq!(read.id, Some(Id::Text("x".into())));
        let work = Work::Replay { name: "a.csv".into(), text: "time,a\n0,0\n".into() };
        assert_eq!(read.request, Request::Work(work));
        assert_eq!(request(r#"{"type":"resume","secret":"s"}"#), Request::Resume { secret: "s".into() });
    }

    #[test]
    fn invalid_messages_are_errors() {
        let long = format!(r#"{{"type":"move","joints":{{"{}":{{"by":1}}}}}}"#, "a".repeat(70_000));
        let id = format!(r#"{{"type":"take","id":"{}"}}"#, "a".repeat(300));
        let deep = "[".repeat(100_000);
        for (text, message) in [
            ("", "EOF while parsing"),
            ("null", "invalid type: null"),
            ("[]", "invalid length 0"),
            ("{}", "missing field `type`"),
            (deep.as_str(), "the message is not understood"),
            (r#"{"type":"fly"}"#, "found the type \"fly\", expected one of take, release"),
            (r#"{"type":"take","more":1}"#, "unknown field `more`"),
            (r#"{"type":"take","type":"take"}"#, "duplicate field `type`"),
            (r#"{"type":"take","joints":{"a":{"by":1}}}"#, "found a key joints in a message of type take"),
            (r#"{"type":"move"}"#, "found no key joints in a message of type move, expected one"),
            (r#"{"type":"move","joints":{}}"#, "found no joint, expected at least one"),
            (r#"{"type":"move","joints":{"a":{}}}"#, "expected one of by and to"),
            (r#"{"type":"move","joints":{"a":{"by":1,"to":1}}}"#, "expected one of by and to"),
            (r#"{"type":"move","joints":{"a":{"by":1},"a":{"by":2}}}"#, "found joint \"a\" twice"),
            (r#"{"type":"move","joints":{"a":{"by":1e999}}}"#, "number out of range"),
            (r#"{"type":"move","joints":{"a":{"by":"1"}}}"#, "invalid type: string"),
            (r#"{"type":"replay","name":"a"}"#, "found no key text in a message of type replay"),
            (r#"{"type":"take","id":[1]}"#, "a number or a text of at most 256 bytes"),
            (id.as_str(), "a number or a text of at most 256 bytes"),
            (long.as_str(), "bytes, expected at most 65536"),
        ] {
            let (_, found) = parse(text, Subject::Robot).unwrap_err();
            assert!(found.contains(message), "{}: {found}", &text[..text.len().min(80)]);
        }
        // If the id could be parsed, the answer can repeat it.
        assert_eq!(
            parse(r#"{"type":"fly","id":3}"#, Subject::Robot).unwrap_err().0,
            Some(Id::Number(3.into()))
        );
    }

    #[test]
    fn commands_to_a_simulation_are_read_if_there_is_one() {
        let request = |text: &str| parse(text, Subject::Simulation).map(|message| message.request);
        let order = |order| Ok(Request::Work(Work::Simulate(order)));
        assert_eq!(request(r#"{"type":"play"}"#), order(SimulationCommand::Play));
        assert_eq!(request(r#"{"type":"ping"}"#), Ok(Request::Ping));
        let grab = r#"{"type":"grab","body":3,"point":[0,0.5,-1]}"#;
        assert_eq!(request(grab), order(SimulationCommand::Grab { body: 3, point: [0.0, 0.5, -1.0] }));
        assert_eq!(
            request(r#"{"type":"drag","target":[1,2,3]}"#),
            order(SimulationCommand::Drag { target: [1.0, 2.0, 3.0] })
        );
        for (text, message) in [
            (r#"{"type":"grab","body":3}"#, "found no key point in a message of type grab, expected one"),
            (r#"{"type":"drag"}"#, "found no key target in a message of type drag, expected one"),
            (r#"{"type":"drop","body":1}"#, "found a key body in a message of type drop, expected none"),
            (r#"{"type":"grab","body":-1,"point":[0,0,0]}"#, "invalid value: integer `-1`"),
            (r#"{"type":"grab","body":1,"point":[0,0]}"#, "invalid length 2"),
            (r#"{"type":"drag","target":[0,0,1e999]}"#, "number out of range"),
            (
                r#"{"type":"undo"}"#,
                "found the type \"undo\", which is not valid here, \
                 expected one of take, release, resume, stop, ping, play",
            ),
            (
                r#"{"type":"fly"}"#,
                "found the type \"fly\", expected one of take, release, resume, stop, ping, play",
            ),
        ] {
            let (_, found) = parse(text, Subject::Simulation).unwrap_err();
            assert!(found.contains(message), "{text}: {found}");
        }
        let (_, found) = parse(r#"{"type":"play"}"#, Subject::Robot).unwrap_err();
        assert!(found.starts_with("found the type \"play\", which is not valid here"), "{found}");
    }
}
