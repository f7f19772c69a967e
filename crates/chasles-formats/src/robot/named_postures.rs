//! Named configurations of a robot: the `group_state`s of an SRDF.
//!
//! They are stored as in the file, and checked against a robot only when used: a check does not depend on unused
//! configurations, and such files often serve several robots.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use chasles::{Joint, Robot};

use crate::error::Error;
use crate::text::cursor::did_you_mean;
use crate::text::tree::{number_text, quoted};

/// A named configuration as in its file.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPosture {
    /// Its name; configurations of several groups may have the same name.
    pub name: String,
    /// Its group of joints; empty if the file names no group.
    pub group: String,
    /// The names of joints with their values, in radians or metres; or the error about an invalid value.
    pub joints: Vec<(String, Result<f64, String>)>,
    /// The file, for messages.
    pub file: PathBuf,
    /// The line in the file.
    pub line: usize,
}

/// A configuration of a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPosture {
    /// One value per joint, within the limits.
    pub values: Vec<f64>,
    /// The numbers of the joints that it sets, increasing: the others keep their value, or follow another joint.
    pub joints: Vec<usize>,
    /// Warnings about entries without effect on this robot: one sentence each, with its place.
    pub doubts: Vec<String>,
}

/// Values of joints that differ by less than this, in radians or metres, are equal.
const SAME: f64 = 1e-5;

/// The names that [`find`] accepts, each once, in the order of the file.
#[must_use]
pub fn names(postures: &[NamedPosture]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for posture in postures {
        if !names.contains(&posture.name) {
            names.push(posture.name.clone());
        }
    }
    names
}

/// The configuration with this name. Joints that it does not name keep their value in `from`, which has one value
/// per joint.
///
/// Configurations of several groups with the same name are merged. `GROUP/NAME` selects one group. `ROBOT/NAME`
/// selects one of several robots, whose groups are called `ROBOT/GROUP`.
///
/// # Errors
/// In a sentence: an unknown name, with the known names; a value that is not a number or is beyond the limits of its
/// joint; groups that give one joint two values; no joint of the robot.
pub fn find(
    name: &str,
    postures: &[NamedPosture],
    (robot, from): (&Robot, &[f64]),
) -> Result<FoundPosture, String> {
    let own: Vec<&NamedPosture> = postures.iter().filter(|posture| posture.name == name).collect();
    let of_group = |posture: &&NamedPosture| posture.is_of_group(name);
    let own = if own.is_empty() { postures.iter().filter(of_group).collect() } else { own };
    if own.is_empty() {
        let known = names(postures);
        let found = quoted(name);
        if known.is_empty() {
            let message = "where there is none: group_state in an SRDF makes postures";
            return Err(format!("found the posture {found}, {message} (--srdf)"));
        }
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        let known: Vec<String> = known.iter().map(|name| quoted(name)).collect();
        return Err(format!("found the posture {found}, expected one of {}{hint}", known.join(", ")));
    }
    let mut given: Vec<(usize, f64, &NamedPosture)> = Vec::new();
    let mut doubts = Vec::new();
    for posture in &own {
        for (joint, value) in &posture.joints {
            let value = match value {
                Ok(value) => *value,
                Err(message) => return Err(posture.error(message.clone())),
            };
            let Some(number) = robot.joints().iter().position(|known| known.name == *joint) else {
                let what = format!("the robot has no joint {}: passed over", quoted(joint));
                doubts.push(posture.error(what));
                continue;
            };
            check(posture, &robot.joints()[number], value)?;
            let differs = |(other, known, _): &&(usize, f64, _)| *other == number && *known != value;
            if let Some((_, known, other)) = given.iter().find(differs) {
                let [known, value] = [*known, value].map(number_text);
                let [a, b] = [other, *posture].map(|posture| quoted(&posture.full_name()));
                let message =
                    format!("the joint {} is at {known} in {a} and at {value} in {b}", quoted(joint));
                return Err(posture.error(format!("{message}: expected the name of one of them")));
            }
            given.push((number, value, posture));
        }
    }
    if given.is_empty() {
        return Err(own[0].error("found no joint of the robot, expected at least one".into()));
    }
    let mut values = from.to_vec();
    let mut joints = Vec::new();
    for (joint, value, _) in given.iter().filter(|(joint, ..)| robot.is_set(*joint)) {
        values[*joint] = *value;
        joints.push(*joint);
    }
    joints.sort_unstable();
    joints.dedup();
    robot.complete(&mut values);
    for (number, value, posture) in given {
        let joint = &robot.joints()[number];
        let (name, value_text) = (quoted(&joint.name), number_text(value));
        if joint.axis.is_none() && value != 0.0 {
            doubts.push(posture.error(format!("the joint {name} is fixed: {value_text} has no effect")));
        } else if joint.axis.is_some() && (values[number] - value).abs() > SAME {
            let follows = number_text(values[number]);
            let what = format!("the joint {name} follows another, to {follows}: {value_text} has no effect");
            doubts.push(posture.error(what));
        }
    }
    Ok(FoundPosture { values, joints, doubts })
}

/// A name of a configuration, and the result of [`find`] for it.
pub type Offered = (String, Result<FoundPosture, String>);

/// All configurations, in the order of the file, completed by the rest values of a robot. They have the names of
/// [`names`]; if groups with the same name conflict, each group has its own `GROUP/NAME`.
#[must_use]
pub fn offers(postures: &[NamedPosture], robot: &Robot) -> Vec<Offered> {
    let mut by_name: BTreeMap<&str, Vec<NamedPosture>> = BTreeMap::new();
    postures.iter().for_each(|posture| by_name.entry(&posture.name).or_default().push(posture.clone()));
    let rest = robot.rest();
    let mut offers = Vec::new();
    for posture in postures {
        // Each name is handled at its first use, and then removed.
        let Some(own) = by_name.remove(posture.name.as_str()) else { continue };
        let found = find(&posture.name, &own, (robot, &rest));
        if found.is_ok() || own.len() == 1 {
            offers.push((posture.name.clone(), found));
            continue;
        }
        let mut told = BTreeSet::new();
        for name in own.iter().map(NamedPosture::full_name) {
            if told.insert(name.clone()) {
                let found = find(&name, &own, (robot, &rest));
                offers.push((name, found));
            }
        }
    }
    offers
}

/// Returns an error if an independent joint cannot have this value.
fn check(posture: &NamedPosture, joint: &Joint, value: f64) -> Result<(), String> {
    match joint.limits {
        Some(limits) if joint.mimic.is_none() && joint.axis.is_some() && !joint.allows(value) => {
            let [value, least, most] = [value, limits[0], limits[1]].map(number_text);
            let found = format!("found the joint {} at {value}", quoted(&joint.name));
            Err(posture.error(format!("{found}, beyond its limits: expected {least} to {most}")))
        }
        _ => Ok(()),
    }
}

impl NamedPosture {
    /// `GROUP/NAME`, or the name alone if there is no group.
    #[must_use]
    pub fn full_name(&self) -> String {
        if self.group.is_empty() { self.name.clone() } else { format!("{}/{}", self.group, self.name) }
    }

    /// Whether `name` is `GROUP/NAME`, for its group or a group that contains it.
    fn is_of_group(&self, name: &str) -> bool {
        let group = name.strip_suffix(&self.name).and_then(|group| group.strip_suffix('/'));
        group.is_some_and(|group| {
            let within = self.group.strip_prefix(group);
            within.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// A sentence with file, line and name.
    fn error(&self, message: String) -> String {
        Error::key(&self.file, format!("posture {}", quoted(&self.full_name())), self.line, message)
            .to_string()
    }
}
