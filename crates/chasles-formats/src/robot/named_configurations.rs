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
pub struct NamedConfiguration {
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
pub struct ResolvedConfiguration {
    /// One value per joint, within the limits.
    pub values: Vec<f64>,
    /// The numbers of the joints that it sets, increasing: the others keep their value, or follow another joint.
    pub joints: Vec<usize>,
    /// Warnings about entries without effect on this robot: one sentence each, with its place.
    pub warnings: Vec<String>,
}

/// Values of joints that differ by less than this, in radians or metres, are equal.
const SAME: f64 = 1e-5;

/// The names that [`find`] accepts, each once, in the order of the file.
#[must_use]
pub fn names(configurations: &[NamedConfiguration]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for configuration in configurations {
        if !names.contains(&configuration.name) {
            names.push(configuration.name.clone());
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
    configurations: &[NamedConfiguration],
    (robot, from): (&Robot, &[f64]),
) -> Result<ResolvedConfiguration, String> {
    let selected: Vec<&NamedConfiguration> =
        configurations.iter().filter(|configuration| configuration.name == name).collect();
    let of_group = |configuration: &&NamedConfiguration| configuration.is_of_group(name);
    let selected =
        if selected.is_empty() { configurations.iter().filter(of_group).collect() } else { selected };
    if selected.is_empty() {
        let known = names(configurations);
        let found = quoted(name);
        if known.is_empty() {
            let message = "where there is none: group_state in an SRDF makes configurations";
            return Err(format!("found the configuration {found}, {message} (--srdf)"));
        }
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        let known: Vec<String> = known.iter().map(|name| quoted(name)).collect();
        return Err(format!("found the configuration {found}, expected one of {}{hint}", known.join(", ")));
    }
    let mut settings: Vec<(usize, f64, &NamedConfiguration)> = Vec::new();
    let mut warnings = Vec::new();
    for configuration in &selected {
        for (joint, value) in &configuration.joints {
            let value = match value {
                Ok(value) => *value,
                Err(message) => return Err(configuration.error(message.clone())),
            };
            let Some(number) = robot.joints().iter().position(|known| known.name == *joint) else {
                let what = format!("the robot has no joint {}: skipped", quoted(joint));
                warnings.push(configuration.error(what));
                continue;
            };
            check(configuration, &robot.joints()[number], value)?;
            let differs = |(other, known, _): &&(usize, f64, _)| *other == number && *known != value;
            if let Some((_, known, other)) = settings.iter().find(differs) {
                let [known, value] = [*known, value].map(number_text);
                let [a, b] = [other, *configuration].map(|configuration| quoted(&configuration.full_name()));
                let message =
                    format!("the joint {} is at {known} in {a} and at {value} in {b}", quoted(joint));
                return Err(configuration.error(format!("{message}: expected the name of one of them")));
            }
            settings.push((number, value, configuration));
        }
    }
    if settings.is_empty() {
        return Err(selected[0].error("found no joint of the robot, expected at least one".into()));
    }
    let mut values = from.to_vec();
    let mut joints = Vec::new();
    for (joint, value, _) in settings.iter().filter(|(joint, ..)| robot.is_set(*joint)) {
        values[*joint] = *value;
        joints.push(*joint);
    }
    joints.sort_unstable();
    joints.dedup();
    robot.complete(&mut values);
    for (number, value, configuration) in settings {
        let joint = &robot.joints()[number];
        let (name, value_text) = (quoted(&joint.name), number_text(value));
        if joint.axis.is_none() && value != 0.0 {
            warnings
                .push(configuration.error(format!("the joint {name} is fixed: {value_text} has no effect")));
        } else if joint.axis.is_some() && (values[number] - value).abs() > SAME {
            let mimicked_value = number_text(values[number]);
            let what =
                format!("the joint {name} follows another, to {mimicked_value}: {value_text} has no effect");
            warnings.push(configuration.error(what));
        }
    }
    Ok(ResolvedConfiguration { values, joints, warnings })
}

/// A name of a configuration, and the result of [`find`] for it.
pub type ListedConfiguration = (String, Result<ResolvedConfiguration, String>);

/// All configurations, in the order of the file, completed by the rest values of a robot. They have the names of
/// [`names`]; if groups with the same name conflict, each group has its own `GROUP/NAME`.
#[must_use]
pub fn resolve_all(configurations: &[NamedConfiguration], robot: &Robot) -> Vec<ListedConfiguration> {
    let mut by_name: BTreeMap<&str, Vec<NamedConfiguration>> = BTreeMap::new();
    configurations.iter().for_each(|configuration| {
        by_name.entry(&configuration.name).or_default().push(configuration.clone())
    });
    let rest = robot.rest();
    let mut resolve_all = Vec::new();
    for configuration in configurations {
        // Each name is handled at its first use, and then removed.
        let Some(same_name) = by_name.remove(configuration.name.as_str()) else { continue };
        let found = find(&configuration.name, &same_name, (robot, &rest));
        if found.is_ok() || same_name.len() == 1 {
            resolve_all.push((configuration.name.clone(), found));
            continue;
        }
        let mut groups_so_far = BTreeSet::new();
        for name in same_name.iter().map(NamedConfiguration::full_name) {
            if groups_so_far.insert(name.clone()) {
                let found = find(&name, &same_name, (robot, &rest));
                resolve_all.push((name, found));
            }
        }
    }
    resolve_all
}

/// Returns an error if an independent joint cannot have this value.
fn check(configuration: &NamedConfiguration, joint: &Joint, value: f64) -> Result<(), String> {
    match joint.limits {
        Some(limits) if joint.mimic.is_none() && joint.axis.is_some() && !joint.allows(value) => {
            let [value, minimum, maximum] = [value, limits[0], limits[1]].map(number_text);
            let found = format!("found the joint {} at {value}", quoted(&joint.name));
            Err(configuration.error(format!("{found}, beyond its limits: expected {minimum} to {maximum}")))
        }
        _ => Ok(()),
    }
}

impl NamedConfiguration {
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
        Error::key(&self.file, format!("configuration {}", quoted(&self.full_name())), self.line, message)
            .to_string()
    }
}
