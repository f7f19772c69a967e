//! Static bodies: intersection and distance.

use std::mem::MaybeUninit;

use chasles::PosedShapes;

use crate::argument::{needed, needed_out};
use crate::body::Body;
use crate::pose::Pose;
use crate::status::{Failure, Status, guarded};

/// The distance of two bodies.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// A proven lower bound, in metres; 0 if the surfaces intersect.
    pub lower: f64,
    /// A proven upper bound, in metres.
    pub upper: f64,
    /// A point of A's surface, in the common frame of the poses, in metres.
    pub point_a: [f64; 3],
    /// A point of B's surface, at a distance of at most `upper` from `point_a`, up to rounding.
    pub point_b: [f64; 3],
}

fn posed<'a>(
    [a, b]: [Option<&'a Body>; 2],
    [pose_a, pose_b]: [Option<&Pose>; 2],
) -> Result<PosedShapes<'a>, Failure> {
    Ok(PosedShapes {
        a: (&needed(a, "a")?.shape, needed(pose_a, "pose_a")?.checked("pose_a")?),
        b: (&needed(b, "b")?.shape, needed(pose_b, "pose_b")?.checked("pose_b")?),
    })
}

/// The distance of two bodies at fixed poses. Only surfaces count: for a body wholly inside another, the result is
/// the distance of the surfaces.
///
/// @param a The first body.
/// @param pose_a Its pose, in any frame that both poses share.
/// @param b The second body.
/// @param pose_b Its pose, in the same frame.
/// @param separation Where the answer is written.
///
/// Both bounds are proven. They differ by at most 1e-9 of the distance or 1e-12 of the larger body, except for
/// meshes that are too close together over too many triangles for 10 million steps of work.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_distance(
    a: Option<&Body>,
    pose_a: Option<&Pose>,
    b: Option<&Body>,
    pose_b: Option<&Pose>,
    separation: Option<&mut MaybeUninit<Separation>>,
) -> Status {
    guarded(|| {
        let place = needed_out(separation, "separation")?;
        let found = chasles::distance(&posed([a, b], [pose_a, pose_b])?);
        let [point_a, point_b] = found.points.map(|point| point.to_array());
        place.write(Separation { lower: found.lower, upper: found.upper, point_a, point_b });
        Ok(())
    })
}

/// Whether the surfaces of two bodies intersect at fixed poses.
///
/// @param a The first body.
/// @param pose_a Its pose, in any frame that both poses share.
/// @param b The second body.
/// @param pose_b Its pose, in the same frame.
/// @param intersects Where 1 is written if they intersect, and 0 otherwise.
///
/// For two meshes the answer is exact for the transformed vertices. Round bodies count as intersecting unless they
/// are proven separated.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_intersects(
    a: Option<&Body>,
    pose_a: Option<&Pose>,
    b: Option<&Body>,
    pose_b: Option<&Pose>,
    intersects: Option<&mut MaybeUninit<u32>>,
) -> Status {
    guarded(|| {
        let place = needed_out(intersects, "intersects")?;
        place.write(chasles::intersection(&posed([a, b], [pose_a, pose_b])?).intersects.into());
        Ok(())
    })
}
