//! A robot that is moved step by step, each step only if it is free all the way.

use chasles::{CheckOptions, MoveOutcome, RobotCell};

use super::command::Change;
use super::interrupt::Interrupt;

/// The robot, where it is and how it came there.
pub(super) struct Session {
    /// The world stands still.
    cell: RobotCell,
    options: CheckOptions,
    interrupt: Interrupt,
    /// Postures, one value a joint: the first is where the robot began, the last where it is.
    postures: Vec<Vec<f64>>,
}

impl Session {
    pub(super) fn new(cell: RobotCell, interrupt: Interrupt) -> Self {
        let rest = cell.robot().rest();
        Self { cell, options: CheckOptions::default(), interrupt, postures: vec![rest] }
    }

    pub(super) fn cell(&self) -> &RobotCell {
        &self.cell
    }

    /// One value a joint.
    pub(super) fn values(&self) -> &[f64] {
        self.postures.last().map_or(&[], Vec::as_slice)
    }

    /// All postures since the beginning.
    pub(super) fn postures(&self) -> &[Vec<f64>] {
        &self.postures
    }

    /// Moves joints by name, all at once.
    ///
    /// # Errors
    /// An unknown joint, one that is fixed or follows another, a value beyond limits.
    pub(super) fn change(&mut self, moves: &[(String, Change)]) -> Result<MoveOutcome, String> {
        let robot = self.cell.robot();
        let mut values = self.values().to_vec();
        for (name, change) in moves {
            let set = |number: &usize| robot.is_set(*number);
            let Some(joint) = robot.joints().iter().position(|joint| joint.name == *name) else {
                let known: Vec<&str> =
                    (0..values.len()).filter(set).map(|k| robot.joints()[k].name.as_str()).collect();
                return Err(format!("found the joint {name}, expected one of {}", known.join(", ")));
            };
            if !robot.is_set(joint) {
                return Err(format!(
                    "found the joint {name}, which is fixed or follows another, expected one that can be set"
                ));
            }
            values[joint] = change.applied(values[joint]);
        }
        self.go(values)
    }

    /// Moves to joint values, one a joint: straight on in joint space.
    ///
    /// # Errors
    /// A value beyond limits.
    pub(super) fn go(&mut self, mut values: Vec<f64>) -> Result<MoveOutcome, String> {
        self.cell.robot().complete(&mut values);
        let outcome = self.cell.try_move([self.values(), &values], &self.options, &self.interrupt);
        let outcome = outcome.map_err(|error| error.to_string())?;
        if outcome == MoveOutcome::Free {
            self.postures.push(values);
        }
        Ok(outcome)
    }

    /// Takes the last move back: the way was free, and is so backward.
    pub(super) fn undo(&mut self) -> Result<(), String> {
        if self.postures.len() < 2 {
            return Err("found no move to take back".into());
        }
        self.postures.pop();
        Ok(())
    }
}
