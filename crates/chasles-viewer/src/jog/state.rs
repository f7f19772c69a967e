//! What all clients are told: where the robot is, and how its last move went.

use axum::extract::ws::Utf8Bytes;
use chasles::{Pose, Session};
use serde::Serialize;
use serde_json::Value;

/// Seven numbers: x, y, z and the quaternion w, x, y, z.
pub(crate) type PlainPose = [f64; 7];

/// A state, but for who has control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct JogStatus {
    /// One value for each joint that can be set, in order.
    pub(crate) values: Vec<f64>,
    /// Of each link, then of each body of the world, in the world.
    pub(crate) poses: Vec<PlainPose>,
    /// How many moves are recorded.
    pub(crate) moves: usize,
    /// Poses of all bodies at even steps of the last move, both ends among them, where it turned so much that the screws between the
    /// ends would show another way.
    pub(crate) way: Option<Vec<Vec<PlainPose>>>,
    /// Why the last move was refused.
    pub(crate) refusal: Option<Value>,
    /// What the last move parted on the way out of an overlap.
    pub(crate) way_out: Option<Value>,
    /// What became of the path that was last replayed.
    pub(crate) verdict: Option<Value>,
}

/// A state as all are told it.
pub(crate) struct State<'a> {
    /// Each state has a higher one than the state before.
    pub(crate) revision: u64,
    /// The client that has control.
    pub(crate) controller: Option<u64>,
    /// What there is to see: a JSON object that is not empty.
    pub(crate) standing: &'a str,
}

/// A joint that turns by more than this, in radians, in a step of a move shows another way than the screw.
const TURN: f64 = 0.1;

/// Steps of the way that are told of a move, and of a path.
const MOST_STEPS: usize = 16;
const MOST_STEPS_OF_PATH: usize = 64;

/// What follows `{"type":"state","state":` and ends the message.
const HEAD: &str = "{\"type\":\"state\",\"state\":";

impl State<'_> {
    /// The message that tells it.
    pub(crate) fn to_message(&self) -> Utf8Bytes {
        let controller = self.controller.map_or_else(|| "null".to_owned(), |client| client.to_string());
        let (revision, rest) = (self.revision, self.standing.strip_prefix('{').unwrap_or("}"));
        format!("{HEAD}{{\"revision\":{revision},\"controller\":{controller},{rest}}}").into()
    }
}

/// What there is to see, as JSON.
pub(crate) fn text_of(standing: &impl Serialize) -> String {
    serde_json::to_string(standing).unwrap_or_default()
}

/// The first message to a client, which has the state of another message.
pub(crate) fn hello(client: u64, secret: &str, state: &str) -> String {
    let state = state.strip_prefix(HEAD).and_then(|state| state.strip_suffix('}')).unwrap_or("null");
    format!("{{\"type\":\"hello\",\"client\":{client},\"secret\":\"{secret}\",\"state\":{state}}}")
}

impl JogStatus {
    /// Where the robot of a session is.
    pub(crate) fn of(session: &Session) -> Self {
        let robot = session.cell().robot();
        let values = session.values();
        Self {
            values: chasles_formats::robot::joint_values::set(robot).map(|joint| values[joint]).collect(),
            poses: poses(session, values),
            moves: session.postures().len() - 1,
            way: None,
            refusal: None,
            way_out: None,
            verdict: None,
        }
    }

    /// The same, with the way from one posture to another.
    pub(crate) fn by_way(self, session: &Session, [from, to]: [&[f64]; 2]) -> Self {
        let joints = session.cell().robot().joints();
        let turns = |joint: &usize| matches!(joints[*joint].axis, Some(chasles::JointAxis::Revolute(_)));
        let turned = (0..joints.len()).filter(turns).map(|joint| (to[joint] - from[joint]).abs());
        let steps = (turned.fold(0.0, f64::max) / TURN).ceil().clamp(1.0, MOST_STEPS as f64);
        if steps < 2.0 {
            return self;
        }
        let mut share = 0.0;
        let mut way = Vec::new();
        while share <= steps {
            let part = |(from, to): (&f64, &f64)| from + share / steps * (to - from);
            let values: Vec<f64> = from.iter().zip(to).map(part).collect();
            way.push(poses(session, &values));
            share += 1.0;
        }
        Self { way: Some(way), ..self }
    }

    /// The same, with the way through postures: some of them, the first and the last among them.
    pub(crate) fn by_postures(self, session: &Session, postures: &[Vec<f64>]) -> Self {
        if postures.len() < 2 {
            return self;
        }
        let (last, steps) = (postures.len() - 1, (postures.len() - 1).min(MOST_STEPS_OF_PATH));
        let way = (0..=steps).map(|step| poses(session, &postures[step * last / steps])).collect();
        Self { way: Some(way), ..self }
    }
}

fn poses(session: &Session, values: &[f64]) -> Vec<PlainPose> {
    session.poses(values).iter().map(plain).collect()
}

fn plain(pose: &Pose) -> PlainPose {
    let ([x, y, z], turn) = (pose.position().to_array(), pose.rotation());
    [x, y, z, turn.w, turn.x, turn.y, turn.z]
}
