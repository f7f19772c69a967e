//! Seeded random screw motions of a body past a static body at the origin.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use chasles::{Error, Pose, Screw};
use glam::{DQuat, DVec3};

use chasles_testing::Random;

/// At some time, the centre of A is at most this far from the centre of B.
pub const PASSING: f64 = 2.9;
/// The maximum distance of the axis from the centre of A.
pub const AXIS_AWAY: f64 = 3.0;
/// The maximum slide along the axis.
pub const SLIDE: f64 = 2.5;

/// A family of motions. At a time that is uniform in [0, 1], the centre of A is at a distance from the centre of B
/// that is uniform in [0, 2.9], and A has a random rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweep {
    /// At that time the axis is 0 to 3 from the centre of A; the angle is up to pi and the slide up to 2.5, in
    /// either sense.
    Passing,
    /// As `Passing`, with a tenth of the angle and of the slide: A starts close to B and stays there.
    Near,
    /// The axis is 1e3 to 1e8 away, log-uniform; the arc has a length of up to 4, the slide is as in `Passing`.
    FarAxis,
    /// The axis is at most 0.5 from the centre of A.
    ThroughAxis,
    /// A joint: exactly half a revolution, no slide, the axis 0 to 3 away. Every second axis is parallel to a
    /// coordinate axis, with A rotated by right angles, so that edges and faces stay parallel.
    HalfTurn,
}

impl Sweep {
    /// A motion of the family.
    ///
    /// # Errors
    /// None.
    pub fn screw(self, random: &mut Random) -> Result<Screw, Error> {
        let motion_state_at = random.within(0.0, 1.0);
        let centre = random.within(0.0, PASSING) * random.direction_of_two();
        let aligned = self == Self::HalfTurn && random.bits() & 1 == 1;
        let (rotation, direction) = if aligned {
            (right_angles(random), DVec3::AXES[(random.bits() % 3) as usize])
        } else {
            (random.even_rotation(), random.direction_of_two())
        };
        let slide = random.within(-SLIDE, SLIDE);
        let (away, angle) = match self {
            Self::Passing | Self::Near => (random.within(0.0, AXIS_AWAY), random.within(-PI, PI)),
            Self::FarAxis => {
                let away = 10.0_f64.powf(random.within(3.0, 8.0));
                (away, random.within(-4.0, 4.0) / away)
            }
            Self::ThroughAxis => (random.within(0.0, 0.5), random.within(-PI, PI)),
            Self::HalfTurn => (random.within(0.0, AXIS_AWAY), PI),
        };
        let (slide, angle) = match self {
            Self::Near => (0.1 * slide, 0.1 * angle),
            Self::HalfTurn => (0.0, angle),
            _ => (slide, angle),
        };
        let across =
            DQuat::from_axis_angle(direction, random.within(0.0, TAU)) * direction.any_orthonormal_vector();
        let axis = centre + away * across;
        let there = Pose::new(centre, rotation)?;
        let back = Screw::about(there, direction, axis, -motion_state_at * slide, -motion_state_at * angle)?;
        Screw::about(back.end(), direction, axis, slide, angle)
    }
}

/// A rotation that maps the coordinate axes to themselves.
fn right_angles(random: &mut Random) -> DQuat {
    let quarter = |bits: u64| FRAC_PI_2 * (bits % 4) as f64;
    DQuat::from_rotation_z(quarter(random.bits()))
        * DQuat::from_rotation_y(quarter(random.bits()))
        * DQuat::from_rotation_x(quarter(random.bits()))
}

/// The minimum distance of the moving body's origin from the static body's origin along a motion, to about a hundredth.
#[must_use]
pub fn closest_approach(screw: &Screw) -> f64 {
    let start = screw.start().position();
    let distances = (0..=256).map(|i| screw.point_at(start, f64::from(i) / 256.0).length());
    distances.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Sweep; 5] =
        [Sweep::Passing, Sweep::Near, Sweep::FarAxis, Sweep::ThroughAxis, Sweep::HalfTurn];

    #[test]
    fn the_centre_passes_within_reach() -> Result<(), Error> {
        for sweep in ALL {
            for seed in 0..200 {
                let screw = sweep.screw(&mut Random(seed))?;
                assert!(closest_approach(&screw) < PASSING + 0.05, "{sweep:?}, seed {seed}");
                assert_eq!(screw, sweep.screw(&mut Random(seed))?);
                assert!(screw.angle() <= PI && screw.slide().abs() <= SLIDE);
            }
        }
        Ok(())
    }

    #[test]
    fn families_are_what_they_say() -> Result<(), Error> {
        for seed in 0..200 {
            let screw = Sweep::Near.screw(&mut Random(seed))?;
            assert!(screw.angle() <= 0.1 * PI && screw.slide().abs() <= 0.1 * SLIDE);
            let screw = Sweep::HalfTurn.screw(&mut Random(seed))?;
            assert_eq!((screw.angle(), screw.slide()), (PI, 0.0));
            let screw = Sweep::FarAxis.screw(&mut Random(seed))?;
            let arc = screw.start().position().distance(screw.end().position());
            assert!(arc < 5.0, "seed {seed}: {arc}");
        }
        Ok(())
    }
}
