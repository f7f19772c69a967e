//! The report of `chasles pairs` on the links of a robot, as JSON.

use chasles::{PairVerdict, Robot};
use serde_json::{Value, json};

use super::verdict::verdict;
use crate::text::json::json_line;

/// The reason why two links might be exempt from testing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A joint connects them.
    Adjacent,
    /// They touch in all sampled configurations.
    Always,
    /// They touch in no sampled configuration.
    Never,
    /// They touch in some configurations, which is no reason for an exemption.
    Sometimes,
}

impl Reason {
    /// The word for the reason, as in SRDF files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Adjacent => "Adjacent",
            Self::Always => "Always",
            Self::Never => "Never",
            Self::Sometimes => "Sometimes",
        }
    }
}

/// The findings about two links.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkPair {
    /// The numbers of the links, in increasing order.
    pub links: [usize; 2],
    /// The reason for an exemption.
    pub reason: Reason,
    /// The number of sampled configurations in which they touch.
    pub touching: usize,
    /// Whether they are exempt already.
    pub disabled: bool,
    /// Whether an exemption is proposed.
    pub proposed: bool,
    /// The worst verdict of all paths; `None`: no path moves them relative to each other.
    pub on_paths: Option<PairVerdict>,
}

/// One line of JSON, with its line end: the number of sampled configurations, the seed, and the pairs. `warnings`
/// are about the input.
#[must_use]
pub fn to_json(
    robot: &Robot,
    pairs: &[LinkPair],
    (configurations, seed): (usize, u64),
    warnings: &[String],
) -> String {
    let name = |link: usize| &robot.links()[link].name;
    let pairs: Vec<Value> = pairs
        .iter()
        .map(|pair| {
            json!({
                "a": name(pair.links[0]),
                "b": name(pair.links[1]),
                "reason": pair.reason.word(),
                "touching": pair.touching,
                "disabled": pair.disabled,
                "proposed": pair.proposed,
                "on_paths": pair.on_paths.map(verdict),
            })
        })
        .collect();
    json_line(
        &json!({ "format": 1, "postures": configurations, "seed": seed, "warnings": warnings, "pairs": pairs }),
    )
}
