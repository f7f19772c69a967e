//! Postures that have names, which the page offers where a robot is jogged.

use chasles::Robot;
use chasles_formats::robot::named_postures::{self, FoundPosture, NamedPosture};

use super::document::PostureEntry;

/// All of them, in the order of their file. One that the robot cannot have says why.
pub(super) fn entries(robot: &Robot, postures: &[NamedPosture]) -> Vec<PostureEntry> {
    let entry = |(name, found): named_postures::Offered| match found {
        Ok(FoundPosture { values, joints, doubts }) => {
            let set = |joint: usize| (robot.joints()[joint].name.clone(), values[joint]);
            PostureEntry { name, joints: joints.into_iter().map(set).collect(), doubts, error: None }
        }
        Err(error) => PostureEntry { name, joints: Vec::new(), doubts: Vec::new(), error: Some(error) },
    };
    named_postures::offers(postures, robot).into_iter().map(entry).collect()
}
