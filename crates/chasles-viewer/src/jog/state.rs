//! The state that all clients get: where the robot is, and the result of its last move.

use axum::extract::ws::Utf8Bytes;
use chasles::{Pose, Session};
use serde::Serialize;
use serde_json::Value;

/// A pose as seven numbers: x, y, z and the quaternion w, x, y, z.
pub(crate) type PlainPose = [f64; 7];

/// A state, without the client in control.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct JogStatus {
    /// One value for each joint that can be set, in order.
    pub(crate) values: Vec<f64>,
    /// Poses in the world: of each link, then of each body of the world.
    pub(crate) poses: Vec<PlainPose>,
    /// The number of recorded moves.
    pub(crate) moves: usize,
    /// Poses of all bodies at even steps of the last move, both ends included. `None` if screws between the two
    /// ends show the motion well enough, because the joints rotated little.
    pub(crate) way: Option<Vec<Vec<PlainPose>>>,
    /// Why the last move was refused.
    pub(crate) refusal: Option<Value>,
    /// The overlaps that the last move separated on its way out of an overlap.
    pub(crate) way_out: Option<Value>,
    /// The result of the last replay of a path.
    pub(crate) verdict: Option<Value>,
}

/// A state, as it is sent to all clients.
pub(crate) struct State<'a> {
    /// Increases with each state.
    pub(crate) revision: u64,
    /// The client in control.
    pub(crate) controller: Option<u64>,
    /// The state to show: a non-empty JSON object.
    pub(crate) status: &'a str,
}

/// If a joint rotates by more than this per step, in radians, the screw between two steps would differ visibly from
/// the motion.
const MAX_ROTATION: f64 = 0.1;

/// The maximum number of steps that are sent for a move, and for a path.
const MAX_STEPS: usize = 16;
const MAX_PATH_STEPS: usize = 64;

/// The start of the message, before the state.
const HEAD: &str = "{\"type\":\"state\",\"state\":";

impl State<'_> {
    /// Serializes the message.
    pub(crate) fn to_message(&self) -> Utf8Bytes {
        let controller = self.controller.map_or_else(|| "null".to_owned(), |client| client.to_string());
        let (revision, rest) = (self.revision, self.status.strip_prefix('{').unwrap_or("}"));
        format!("{HEAD}{{\"revision\":{revision},\"controller\":{controller},{rest}}}").into()
    }
}

/// Serializes the state to JSON.
pub(crate) fn text_of(status: &impl Serialize) -> String {
    serde_json::to_string(status).unwrap_or_default()
}

/// The first message to a client. `state` is a state message, of which the state is extracted.
pub(crate) fn hello(client: u64, secret: &str, state: &str) -> String {
    let state = state.strip_prefix(HEAD).and_then(|state| state.strip_suffix('}')).unwrap_or("null");
    format!("{{\"type\":\"hello\",\"client\":{client},\"secret\":\"{secret}\",\"state\":{state}}}")
}

impl JogStatus {
    /// The state of a session's robot.
    pub(crate) fn of(session: &Session) -> Self {
        let robot = session.cell().robot();
        let values = session.values();
        Self {
            values: chasles_formats::robot::joint_values::settable(robot)
                .map(|joint| values[joint])
                .collect(),
            poses: poses(session, values),
            moves: session.configurations().len() - 1,
            way: None,
            refusal: None,
            way_out: None,
            verdict: None,
        }
    }

    /// Adds the motion from one configuration to another.
    pub(crate) fn with_motion(self, session: &Session, [from, to]: [&[f64]; 2]) -> Self {
        let joints = session.cell().robot().joints();
        let is_revolute =
            |joint: &usize| matches!(joints[*joint].axis, Some(chasles::JointAxis::Revolute(_)));
        let rotation_angles =
            (0..joints.len()).filter(is_revolute).map(|joint| (to[joint] - from[joint]).abs());
        let steps = (rotation_angles.fold(0.0, f64::max) / MAX_ROTATION).ceil().clamp(1.0, MAX_STEPS as f64);
        if steps < 2.0 {
            return self;
        }
        let mut step_number = 0.0;
        let mut way = Vec::new();
        while step_number <= steps {
            let part = |(from, to): (&f64, &f64)| from + step_number / steps * (to - from);
            let values: Vec<f64> = from.iter().zip(to).map(part).collect();
            way.push(poses(session, &values));
            step_number += 1.0;
        }
        Self { way: Some(way), ..self }
    }

    /// Adds the motion through a sequence of configurations, sampled so that the first and the last are included.
    pub(crate) fn with_configurations(self, session: &Session, configurations: &[Vec<f64>]) -> Self {
        if configurations.len() < 2 {
            return self;
        }
        let (last, steps) = (configurations.len() - 1, (configurations.len() - 1).min(MAX_PATH_STEPS));
        let way = (0..=steps).map(|step| poses(session, &configurations[step * last / steps])).collect();
        Self { way: Some(way), ..self }
    }
}

fn poses(session: &Session, values: &[f64]) -> Vec<PlainPose> {
    session.poses(values).iter().map(plain).collect()
}

fn plain(pose: &Pose) -> PlainPose {
    let ([x, y, z], quaternion) = (pose.position().to_array(), pose.rotation());
    [x, y, z, quaternion.w, quaternion.x, quaternion.y, quaternion.z]
}
