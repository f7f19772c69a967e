//! Values of joints by their names, for those who move a robot by hand.

use chasles::Robot;

use crate::text::cursor::did_you_mean;

/// The values of joints, by name.
pub type JointValues = Vec<(String, f64)>;

/// What is to become of the value of a joint, in radians or metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// It is to be this.
    To(f64),
    /// It is to change by this.
    By(f64),
}

impl Change {
    /// The value that was `value`.
    #[must_use]
    pub fn applied(self, value: f64) -> f64 {
        match self {
            Self::To(to) => to,
            Self::By(by) => value + by,
        }
    }
}

/// The numbers of the joints that can be set, in order.
pub fn set(robot: &Robot) -> impl Iterator<Item = usize> + '_ {
    (0..robot.joints().len()).filter(|joint| robot.is_set(*joint))
}

/// The names of the joints that can be set, in order.
#[must_use]
pub fn names(robot: &Robot) -> Vec<String> {
    set(robot).map(|joint| robot.joints()[joint].name.clone()).collect()
}

/// So many names are told in a message.
const MOST_NAMES: usize = 40;

/// What could have been meant by a name that no joint bears: those that there are, and the nearest of them.
pub(super) fn expected(found: &str, known: &[&str]) -> String {
    let hint = did_you_mean(found, known.iter().copied());
    let told = known[..known.len().min(MOST_NAMES)].join(", ");
    match known.len() {
        0 => "none: it has no joint that can be set".into(),
        count if count > MOST_NAMES => format!("one of {told} and {} more{hint}", count - MOST_NAMES),
        _ => format!("one of {told}{hint}"),
    }
}

/// The values of the joints that can be set, of one value for every joint.
///
/// # Panics
/// If there are fewer values than joints.
#[must_use]
pub fn by_name(robot: &Robot, values: &[f64]) -> JointValues {
    set(robot).map(|joint| (robot.joints()[joint].name.clone(), values[joint])).collect()
}

/// One value a joint, some of them changed. Those of joints that follow others are left as they are.
///
/// # Errors
/// In a sentence: an unknown joint, one that is fixed or follows another.
pub fn changed(robot: &Robot, values: &[f64], moves: &[(String, Change)]) -> Result<Vec<f64>, String> {
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
