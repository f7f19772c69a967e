//! Queries about two shapes at given poses: whether they intersect, and how far apart they are.

use glam::DVec3;
use rayon::prelude::*;

use crate::instant::gap::GapLimits;
use crate::math::budget::Budget;
use crate::motion::chain::MovingBall;
use crate::motion::pose::RoundedPose;
use crate::motion::{Pose, Screw};
use crate::pair::shape::CollisionShape;
use crate::pair::{Pair, PairMemory};

/// Two shapes and their poses.
#[derive(Debug, Clone, Copy)]
pub struct PosedShapes<'a> {
    /// The first shape, and its pose in the world.
    pub a: (&'a CollisionShape, Pose),
    /// The second shape, and its pose in the world.
    pub b: (&'a CollisionShape, Pose),
}

/// The intersection of two surfaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intersection {
    /// Whether the surfaces intersect. Curved surfaces that cannot be proven separated count as intersecting.
    pub intersects: bool,
    /// The intersecting triangles of the first and the second mesh, in order. For a curved shape they are triangles
    /// of [`CollisionShape::drawn`], which lies inside the true surface.
    pub triangles: Vec<[u32; 2]>,
}

/// The distance of two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// A proven lower bound in metres, rounding included; 0 if the surfaces intersect.
    pub lower: f64,
    /// An upper bound in metres.
    pub upper: f64,
    /// The witness points on both surfaces, in the world. Up to rounding, their distance is at most `upper`.
    pub points: [DVec3; 2],
}

/// The bounds of a distance differ by at most this fraction of the distance, or this fraction of the larger body.
const RELATIVE_ACCURACY: f64 = 1e-9;
const ABSOLUTE_ACCURACY: f64 = 1e-12;

/// Maximum number of pairs of boxes and triangles examined for one distance: some seconds of work.
const STEPS: u64 = 10_000_000;

/// Whether two surfaces intersect at their poses, and the intersecting triangles.
///
/// Guarantee: for meshes, the answer is exact for the corners as computed, which are rounded. Only surfaces count:
/// a body wholly inside another does not intersect it.
///
/// # Example
/// ```
/// use chasles::{PosedShapes, Pose, Primitive, CollisionShape, distance, intersection};
/// use glam::DVec3;
///
/// let cube = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE })?;
/// let ball = CollisionShape::primitive(Primitive::Sphere { radius: 0.5 })?;
/// let at = |x: f64| PosedShapes { a: (&cube, Pose::IDENTITY), b: (&ball, Pose::from_position(DVec3::X * x).unwrap()) };
/// assert!(intersection(&at(0.9)).intersects);
/// let apart = distance(&at(1.25));
/// assert!(apart.lower <= 0.25 && 0.25 <= apart.upper && apart.upper - apart.lower < 1e-9);
/// assert!(apart.points[1].distance(DVec3::X * 0.75) < 1e-9);
/// # Ok::<(), chasles::Error>(())
/// ```
#[must_use]
pub fn intersection(posed: &PosedShapes<'_>) -> Intersection {
    posed.intersection(&mut PairMemory::default())
}

/// The distance of two surfaces at their poses.
///
/// Guarantee: both bounds are proven. Up to rounding, they differ by at most 1e-9 of the distance or 1e-12 of the
/// larger body, except for meshes so close over a large number of triangles that 10 million steps do not suffice.
#[must_use]
pub fn distance(posed: &PosedShapes<'_>) -> Separation {
    posed.distance(&mut PairMemory::default())
}

/// As [`intersection`], for many pairs of shapes in their order, on all threads of the calling thread's rayon pool.
#[must_use]
pub fn intersections(posed: &[PosedShapes<'_>]) -> Vec<Intersection> {
    let each = posed.par_iter();
    each.map_init(PairMemory::default, |memory, posed| posed.intersection(memory)).collect()
}

/// As [`distance`], for many pairs of shapes in their order, on all threads of the calling thread's rayon pool.
#[must_use]
pub fn distances(posed: &[PosedShapes<'_>]) -> Vec<Separation> {
    let each = posed.par_iter();
    each.map_init(PairMemory::default, |memory, posed| posed.distance(memory)).collect()
}

impl PosedShapes<'_> {
    /// A's pose in B's frame, and the maximum error of a point of A, in metres.
    fn relative_pose(&self) -> (Pose, f64) {
        let [a, b] = [self.a.1, self.b.1].map(RoundedPose::given);
        let RoundedPose { pose, rounding } = Screw::still_rounded(&a).in_rounded_frame_of(&b).start_rounded();
        let reach = |matter: MovingBall| matter.centre.length() + matter.radius;
        let (a, b) = (self.a.0, self.b.0);
        let as_set = a.is_set() || b.is_set();
        (pose, rounding.at(reach(a.moving_ball(as_set)) + reach(b.moving_ball(as_set))))
    }

    fn intersection(&self, memory: &mut PairMemory) -> Intersection {
        let pair = Pair::new(self.a.0, self.b.0);
        let budget = &mut Budget::new(u64::MAX);
        let (intersects, triangles) =
            pair.intersection_at(memory, &self.relative_pose().0, budget).unwrap_or((true, Vec::new()));
        Intersection { intersects, triangles }
    }

    fn distance(&self, memory: &mut PairMemory) -> Separation {
        let (pose, rounding) = self.relative_pose();
        let pair = Pair::new(self.a.0, self.b.0);
        let limits = GapLimits {
            relative: RELATIVE_ACCURACY,
            absolute: ABSOLUTE_ACCURACY * pair.size(),
            steps: STEPS,
            ..GapLimits::EXACT
        };
        let found = pair.distance_at(memory, &pose, &limits);
        Separation {
            lower: (found.lower - rounding).max(0.0),
            upper: found.upper + rounding,
            points: found.points.map(|point| self.b.1.transform_point(point)),
        }
    }
}
