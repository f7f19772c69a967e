//! What `chasles pairs` tells of the links of a robot, as JSON.

use chasles::{PairVerdict, Robot};
use serde_json::{Value, json};

use super::verdict::verdict;
use crate::text::json::json_line;

/// Why two links might be exempt from testing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A joint joins them.
    Adjacent,
    /// They touch in all postures that were taken.
    Always,
    /// They touch in none of them.
    Never,
    /// They touch in some postures: no reason.
    Sometimes,
}

impl Reason {
    /// The word for it, which SRDF files use too.
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

/// What is known of two links.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkPair {
    /// Their numbers, the lower first.
    pub links: [usize; 2],
    /// Why they might be exempt from testing.
    pub reason: Reason,
    /// In so many postures they touch.
    pub touching: usize,
    /// Whether they are exempt already.
    pub disabled: bool,
    /// Whether an exemption is proposed.
    pub proposed: bool,
    /// The worst verdict of all paths; `None`: no path moves them relative to each other.
    pub on_paths: Option<PairVerdict>,
}

/// One line of JSON, with its line end: the number of sampled postures, the seed, the pairs. `warnings`: the warnings
/// about the input.
#[must_use]
pub fn to_json(
    robot: &Robot,
    pairs: &[LinkPair],
    (postures, seed): (usize, u64),
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
        &json!({ "format": 1, "postures": postures, "seed": seed, "warnings": warnings, "pairs": pairs }),
    )
}
