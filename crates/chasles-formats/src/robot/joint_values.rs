//! Values of joints by name, for moving a robot by hand.

use chasles::Robot;

use crate::text::cursor::did_you_mean;

/// The values of joints, by name.
pub type JointValues = Vec<(String, f64)>;

/// A change of the value of a joint, in radians or metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointChange {
    /// Sets the value.
    To(f64),
    /// Adds to the value.
    By(f64),
}

impl JointChange {
    /// Applies the change to a value.
    #[must_use]
    pub fn applied(self, value: f64) -> f64 {
        match self {
            Self::To(to) => to,
            Self::By(by) => value + by,
        }
    }
}

/// The numbers of the joints that can be set, in order.
pub fn settable(robot: &Robot) -> impl Iterator<Item = usize> + '_ {
    (0..robot.joints().len()).filter(|joint| robot.is_set(*joint))
}

/// The names of the joints that can be set, in order.
#[must_use]
pub fn names(robot: &Robot) -> Vec<String> {
    settable(robot).map(|joint| robot.joints()[joint].name.clone()).collect()
}

/// Maximum number of names in a message.
const MAX_NAMES: usize = 40;

/// The expected names for an unknown joint: the known joints, and the most similar of their names.
pub(super) fn expected(found: &str, known: &[&str]) -> String {
    let hint = did_you_mean(found, known.iter().copied());
    let known_list = known[..known.len().min(MAX_NAMES)].join(", ");
    match known.len() {
        0 => "none: it has no joint that can be set".into(),
        count if count > MAX_NAMES => format!("one of {known_list} and {} more{hint}", count - MAX_NAMES),
        _ => format!("one of {known_list}{hint}"),
    }
}

/// The values of the joints that can be set, from one value per joint.
///
/// # Panics
/// If there are fewer values than joints.
#[must_use]
pub fn by_name(robot: &Robot, values: &[f64]) -> JointValues {
    settable(robot).map(|joint| (robot.joints()[joint].name.clone(), values[joint])).collect()
}

/// One value per joint, with some changed. The values of joints that follow others stay as they are.
///
/// # Errors
/// In a sentence: an unknown joint, or a joint that is fixed or follows another.
pub fn changed(robot: &Robot, values: &[f64], moves: &[(String, JointChange)]) -> Result<Vec<f64>, String> {
    let mut values = values.to_vec();
    for (name, change) in moves {
        let Some(joint) = robot.joints().iter().position(|joint| joint.name == *name) else {
            let known = names(robot);
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return Err(format!("found the joint {name}, expected {}", expected(name, &known)));
        };
        if !robot.is_set(joint) {
            return Err(format!(
                "found the joint {name}, which is fixed or follows another, expected one that can be set"
            ));
        }
        values[joint] = change.applied(values[joint]);
    }
    Ok(values)
}
