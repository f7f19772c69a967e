//! For a robot that is jogged: which bodies move with its joints, and its named configurations.

use chasles::Robot;
use chasles_formats::robot::named_configurations::{self, NamedConfiguration, ResolvedConfiguration};

use super::document::ConfigurationEntry;

/// For each body: whether a joint carries it, directly or through other bodies. Links come first, by number, then
/// bodies that may be attached to links.
pub(super) fn is_moved_by_joint(robot: &Robot, parents: &[Option<usize>]) -> Vec<bool> {
    let links = robot.links().len();
    let is_jointed = |body: usize| {
        let joint = if body < links { robot.joint_above(body) } else { None };
        joint.is_some_and(|joint| robot.joints()[joint].axis.is_some())
    };
    let mut known: Vec<Option<bool>> =
        (0..parents.len()).map(|body| is_jointed(body).then_some(true)).collect();
    for start in 0..parents.len() {
        // Climb to an ancestor whose answer is known, then assign the answer on the way back.
        let mut ancestors = Vec::new();
        let mut at = Some(start);
        while let Some(body) = at.filter(|body| known[*body].is_none()) {
            ancestors.push(body);
            at = parents[body];
        }
        let moves = at.and_then(|body| known[body]).unwrap_or(false);
        ancestors.into_iter().for_each(|body| known[body] = Some(moves));
    }
    known.into_iter().map(|moves| moves.unwrap_or(false)).collect()
}

/// All configurations, in the order of their file. A configuration that the robot cannot take has an error.
pub(super) fn configurations(
    robot: &Robot,
    configurations: &[NamedConfiguration],
) -> Vec<ConfigurationEntry> {
    let entry = |(name, found): named_configurations::ListedConfiguration| match found {
        Ok(ResolvedConfiguration { values, joints, warnings }) => {
            let set = |joint: usize| (robot.joints()[joint].name.clone(), values[joint]);
            ConfigurationEntry {
                name,
                joints: joints.into_iter().map(set).collect(),
                doubts: warnings,
                error: None,
            }
        }
        Err(error) => ConfigurationEntry { name, joints: Vec::new(), doubts: Vec::new(), error: Some(error) },
    };
    named_configurations::resolve_all(configurations, robot).into_iter().map(entry).collect()
}
