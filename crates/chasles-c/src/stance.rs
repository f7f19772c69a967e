//! Bodies that stand: do they intersect, how far are they apart?

use std::mem::MaybeUninit;

use chasles::PosedShapes;

use crate::body::Body;
use crate::given::{needed, wanted};
use crate::pose::Pose;
use crate::status::{Failure, Status, guarded};

/// How far two bodies are apart.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// A proven lower bound, in metres; 0 where the surfaces intersect.
    pub lower: f64,
    /// A proven upper bound, in metres.
    pub upper: f64,
    /// A point of A's surface, in the frame of the poses, in metres.
    pub point_a: [f64; 3],
    /// A point of B's surface, which is no further from `point_a` than `upper`, up to rounding.
    pub point_b: [f64; 3],
}

fn stance<'a>(
    [a, b]: [Option<&'a Body>; 2],
    [pose_a, pose_b]: [Option<&Pose>; 2],
) -> Result<PosedShapes<'a>, Failure> {
    Ok(PosedShapes {
        a: (&needed(a, "a")?.shape, needed(pose_a, "pose_a")?.checked("pose_a")?),
        b: (&needed(b, "b")?.shape, needed(pose_b, "pose_b")?.checked("pose_b")?),
    })
}

/// How far two bodies are apart where they stand. Only surfaces count: of a body that is wholly inside another it is the
/// distance of the surfaces.
///
/// @param a The first body.
/// @param pose_a Where it stands, in any frame that both poses share.
/// @param b The second body.
/// @param pose_b Where it stands, in that frame.
/// @param separation Where the answer is written.
///
/// Both bounds are proven. They differ by at most 1e-9 of the distance or 1e-12 of the larger body, but for meshes that lie
/// so close together over so many triangles that 10 million steps of work do not suffice.
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
        let place = wanted(separation, "separation")?;
        let found = chasles::distance(&stance([a, b], [pose_a, pose_b])?);
        let [point_a, point_b] = found.points.map(|point| point.to_array());
        place.write(Separation { lower: found.lower, upper: found.upper, point_a, point_b });
        Ok(())
    })
}

/// Whether the surfaces of two bodies intersect where they stand.
///
/// @param a The first body.
/// @param pose_a Where it stands, in any frame that both poses share.
/// @param b The second body.
/// @param pose_b Where it stands, in that frame.
/// @param intersects Where 1 is written if they do, and else 0.
///
/// Of two meshes the answer is exact for their corners as they are placed. Round bodies that cannot be proven apart count
/// as intersecting.
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
        let place = wanted(intersects, "intersects")?;
        place.write(chasles::intersection(&stance([a, b], [pose_a, pose_b])?).intersects.into());
        Ok(())
    })
}
