//! Round bodies that turn about their own axes.
//!
//! A cylinder, cone or capsule that does so is the same at every time: where it is follows from its centre and its axis alone. So a can that
//! rolls, or spins where it stands, is followed as one that slides: along one screw, exactly, in place of thousands that are nearly its
//! motion.

use crate::math::rounding::Rounding;
use crate::motion::curve::{Part, Shape};
use crate::motion::curved::Turning;
use crate::motion::pose::RoundedPose;
use crate::motion::{Pose, Screw};
use crate::scene::track::{Piece, TimedScrew, Track};
use glam::DVec3;

/// The sine of an angle between the axis of a turn and that of the body which is mere rounding: of quaternions as files have them. What it
/// moves is added to the rounding of the pose.
const MERE: f64 = 16.0 * f64::EPSILON;

/// The same track of a body that is round about its z axis, without what it turns about that; `None` where it does not.
pub(crate) fn without_spin(track: &Track) -> Option<Track> {
    let mut turns = false;
    let pieces = track.0.iter().map(|piece| match held(piece) {
        Some(held) => {
            turns = true;
            Piece::Screw(held)
        }
        None => piece.clone(),
    });
    let pieces = pieces.collect();
    turns.then_some(Track(pieces))
}

/// The piece without its turn, where that is about the z axis of the body and nothing else.
fn held(piece: &Piece) -> Option<TimedScrew> {
    match piece {
        Piece::Screw(TimedScrew { begin, end, screw }) => {
            if screw.angle() == 0.0 {
                return None;
            }
            // How far the turn takes the centre.
            let way = screw.velocity_across_at(DVec3::ZERO).length();
            let mere = way <= MERE * screw.start().position().length();
            let RoundedPose { pose, rounding } = screw.start_rounded();
            let start = turned_about_axis(pose, screw.direction(), rounding)?;
            let rounding = Rounding { shift: start.rounding.shift + way, ..start.rounding };
            let way = screw.slide() * screw.direction();
            let screw = Screw::translation_rounded(&RoundedPose { rounding, ..start }, way);
            mere.then_some(TimedScrew { begin: *begin, end: *end, screw })
        }
        Piece::Curved { begin, end, curved } => {
            let direction = match curved.rotation {
                Turning::Held(_) | Turning::Cubic(..) => return None,
                Turning::Even { turn, .. } => turn.direction(),
                Turning::About(turn) => turn.axis,
            };
            let Part { begin: first, end: last, shape } = curved.position;
            let (from, way) = match shape {
                Shape::Held(at) => (at, DVec3::ZERO),
                Shape::Even(from, to) => (from, to - from),
                Shape::Cubic(..) => return None,
            };
            let rotation = curved.pose_at(*begin).rotation();
            let start = Pose::from_parts(from, rotation);
            let start = turned_about_axis(start, direction, Rounding::given(rotation))?;
            let screw = Screw::translation_rounded(&start, way);
            let (first, last) = if way == DVec3::ZERO { (*begin, *end) } else { (first, last) };
            Some(TimedScrew { begin: first, end: last, screw }.part(*begin, *end))
        }
    }
}

/// A pose that stands for all that are made of it by turns about a direction, where that is the axis of the body but for rounding.
fn turned_about_axis(pose: Pose, direction: DVec3, rounding: Rounding) -> Option<RoundedPose> {
    let axis = pose.rotation() * DVec3::Z;
    let sine = axis.cross(direction).length();
    // The axis goes round a cone of this angle; directions are computed to some roundings.
    let tilt = rounding.tilt + 2.0 * (sine + MERE);
    (sine <= MERE).then_some(RoundedPose { pose, rounding: Rounding { tilt, ..rounding } })
}
