//! Paths whose angles are in degrees.

use chasles::{Joint, JointAxis, RobotDefinition};

use super::PathFile;
use crate::text::tree::{number_text, quoted};

/// A limit above this, in radians, looks like degrees: just over two revolutions.
const MAX_REVOLUTIONS: f64 = 12.7;

impl PathFile {
    /// Converts a path with angles in degrees to radians: the positions and velocities of revolute joints. Prismatic
    /// joints stay in metres; [`resolve`](super::resolve) reports joints that the robot lacks.
    #[must_use]
    pub fn in_radians(&self, robot: &RobotDefinition) -> Self {
        let is_revolute = revolute_columns(self, robot);
        let mut path = self.clone();
        for waypoint in &mut path.waypoints {
            for (column, _) in &is_revolute {
                for values in [&mut waypoint.positions, &mut waypoint.velocities] {
                    // Velocities are optional.
                    if let Some(value) = values.get_mut(*column) {
                        *value = value.to_radians();
                    }
                }
            }
        }
        path
    }

    /// Whether angles in radians look like degrees: a sentence with the evidence.
    ///
    /// The evidence: taken as degrees, all angles are within their limits. Taken as radians, either an angle of more
    /// than a whole revolution is beyond its limits, or a quarter of the nonzero angles exceed a whole revolution:
    /// at least three angles, or one if the limits of its joint look like degrees too.
    #[must_use]
    pub fn degrees_warning(&self, robot: &RobotDefinition) -> Option<String> {
        let (mut beyond, mut rotated) = (None, None);
        let (mut count, mut whole_revolutions, mut fits, mut loose) = (0_usize, 0_usize, true, false);
        for (column, joint) in revolute_columns(self, robot) {
            for waypoint in &self.waypoints {
                let value = waypoint.positions[column];
                count += usize::from(value != 0.0);
                fits &= joint.allows(value.to_radians());
                if !joint.allows(value) && value.abs() > std::f64::consts::TAU {
                    beyond.get_or_insert((joint, value));
                }
                if value.abs() > std::f64::consts::TAU {
                    loose |= joint
                        .limits
                        .is_some_and(|limits| limits.iter().any(|limit| limit.abs() > MAX_REVOLUTIONS));
                    whole_revolutions += 1;
                    rotated.get_or_insert((joint, value));
                }
            }
        }
        let many = (whole_revolutions >= 3 || loose) && 4 * whole_revolutions >= count;
        let (joint, value) = beyond.filter(|_| fits).or(rotated.filter(|_| fits && many))?;
        let (name, value) = (quoted(&joint.name), number_text(value));
        let what = "angles look like degrees, and are taken as radians";
        Some(format!("{what}: found {value} for the joint {name} (--degrees takes them as degrees)"))
    }
}

/// The columns of revolute joints.
fn revolute_columns<'a>(path: &PathFile, robot: &'a RobotDefinition) -> Vec<(usize, &'a Joint)> {
    let is_revolute = |joint: &&Joint| matches!(joint.axis, Some(JointAxis::Revolute(_)));
    let joint = |name: &String| robot.joints.iter().filter(is_revolute).find(|joint| joint.name == *name);
    path.joints.iter().enumerate().filter_map(|(column, name)| Some((column, joint(name)?))).collect()
}
