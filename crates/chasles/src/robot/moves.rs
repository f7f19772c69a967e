//! Moves that are refused: a robot moves only if it is proven free all the way. (Sinjur's robot was refused where its end position
//! intersected something; here the way counts.)

use crate::error::Error;
use crate::robot::cell::RobotCell;
use crate::robot::check::PathReport;
use crate::robot::path::{JointPath, Waypoint};
use crate::scene::check::CheckOptions;
use crate::scene::report::PairVerdict;
use crate::scene::watch::Watch;

/// What becomes of a move.
#[derive(Debug, Clone, PartialEq)]
pub enum MoveOutcome {
    /// The whole way is proven free.
    Free,
    /// Something is, or may be, in the way.
    Refused {
        /// The share of the way, in [0, 1], that is proven free.
        free: f64,
        /// The joint values there, one a joint of the robot.
        values: Vec<f64>,
        /// What was found; times are shares of the way.
        found: Box<PathReport>,
    },
}

impl RobotCell {
    /// Whether all joints can move evenly and in step from values to others, one a joint of the robot, while the world does what it
    /// does in its first second. (For a world that stands, see [`RobotCell::standing_at`].) Those of joints that are fixed or follow
    /// others are not looked at.
    ///
    /// # Errors
    /// As [`JointPath::check`]: values beyond limits, at either end.
    pub fn try_move(
        &self,
        [from, to]: [&[f64]; 2],
        options: &CheckOptions,
        watch: &dyn Watch,
    ) -> Result<MoveOutcome, Error> {
        let joints: Vec<usize> =
            (0..self.robot().joints().len()).filter(|joint| self.robot().is_set(*joint)).collect();
        let waypoint = |time: f64, values: &[f64]| {
            // Where a value is missing there is none to move to: the check names it.
            let value = |joint: &usize| values.get(*joint).copied().unwrap_or(f64::NAN);
            Waypoint { time, positions: joints.iter().map(value).collect(), velocities: Vec::new() }
        };
        let path =
            JointPath { waypoints: vec![waypoint(0.0, from), waypoint(1.0, to)], joints: joints.clone() };
        let found = self.check_path(&path, options, watch)?;
        if found.report.verdict == PairVerdict::Clear {
            return Ok(MoveOutcome::Free);
        }
        let free = found.report.clear_until;
        let mut values = from.to_vec();
        for (joint, value) in joints.iter().zip(path.positions_at(free)) {
            values[*joint] = value;
        }
        self.robot().complete(&mut values);
        Ok(MoveOutcome::Refused { free, values, found: Box::new(found) })
    }
}
