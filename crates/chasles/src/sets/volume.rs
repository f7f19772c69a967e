//! Convex volumes, their distance, and how fast it shrinks.

use glam::{DMat3, DVec3};

use crate::math::direction::unit_along;
use crate::math::gjk::{GjkPrecision, NearestPoints, gjk};
use crate::motion::Pose;
use crate::motion::state::MotionState;
use crate::round::support::Placed;

/// All points within a radius of a convex core, in metres, in the body's frame. Every point of the body is within
/// `pad` of this volume. Rotation does not change the ball around a core point, but may move the points in the pad.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SweptVolume {
    pub(crate) core: ConvexCore,
    pub(crate) radius: f64,
    pub(crate) pad: f64,
    /// Some point of the core.
    pub(crate) middle: DVec3,
    /// The maximum distance of a core point from the middle.
    spread: f64,
    /// An upper bound of the distance of core points from the frame's origin.
    far: f64,
}

/// A convex shape.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ConvexCore {
    /// The convex hull of these points; at least one.
    Hull(Box<[DVec3]>),
    /// All points centre + a u + b v + c w with a, b and c in [-1, 1].
    Cuboid {
        centre: DVec3,
        half: [DVec3; 3],
    },
    Round(Placed),
}

impl SweptVolume {
    pub(crate) fn new(core: ConvexCore, radius: f64, pad: f64) -> Self {
        let (middle, spread, far) = match &core {
            ConvexCore::Hull(points) => {
                let middle = points.iter().sum::<DVec3>() / points.len() as f64;
                let spread = points.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
                (middle, spread, points.iter().map(|p| p.abs().element_sum()).fold(0.0, f64::max))
            }
            ConvexCore::Cuboid { centre, half: [u, v, w] } => {
                let spread = [u + v, u - v]
                    .map(|across| (across + w).length_squared().max((across - w).length_squared()));
                let spread = spread[0].max(spread[1]).sqrt();
                (*centre, spread, (centre.abs() + u.abs() + v.abs() + w.abs()).element_sum())
            }
            ConvexCore::Round(placed) => {
                let reach = placed.round.radius();
                (placed.centre, reach, placed.centre.length() + reach)
            }
        };
        Self { core, radius, pad, middle, spread, far }
    }

    pub(crate) fn hull(points: impl IntoIterator<Item = DVec3>) -> Self {
        Self::new(ConvexCore::Hull(points.into_iter().collect()), 0.0, 0.0)
    }

    /// The box between two corners.
    pub(crate) fn cuboid([low, high]: [DVec3; 2]) -> Self {
        let centre = 0.5 * (low + high);
        let half = (high - centre).max(centre - low);
        let half = [half.x * DVec3::X, half.y * DVec3::Y, half.z * DVec3::Z];
        Self::new(ConvexCore::Cuboid { centre, half }, 0.0, 0.0)
    }

    /// The support point of the core along a unit vector.
    #[inline]
    fn support(&self, n: DVec3) -> DVec3 {
        match &self.core {
            ConvexCore::Hull(points) => {
                let (mut best, mut reach) = (0, points[0].dot(n));
                for (i, point) in points.iter().enumerate().skip(1) {
                    let next = point.dot(n);
                    best = if next > reach { i } else { best };
                    reach = if next > reach { next } else { reach };
                }
                points[best]
            }
            ConvexCore::Cuboid { centre, half } => {
                half.iter().fold(*centre, |p, side| p + 1.0_f64.copysign(side.dot(n)) * *side)
            }
            ConvexCore::Round(placed) => placed.support(n),
        }
    }

    /// The maximum of m·x over the core, for a vector m of any length.
    #[inline]
    pub(crate) fn reach(&self, m: DVec3) -> f64 {
        match &self.core {
            ConvexCore::Hull(points) => points.iter().map(|p| p.dot(m)).fold(f64::NEG_INFINITY, f64::max),
            ConvexCore::Cuboid { centre, half } => {
                centre.dot(m) + half.iter().map(|side| side.dot(m).abs()).sum::<f64>()
            }
            ConvexCore::Round(placed) => match m.length() {
                0.0 => 0.0,
                length => length * placed.reach(m / length),
            },
        }
    }

    /// An upper bound of the distance of the volume's points from its middle.
    pub(crate) fn reach_from_middle(&self) -> f64 {
        self.spread + self.radius + self.pad
    }

    /// An upper bound of the distance of the volume's points from `p`.
    pub(crate) fn furthest_from(&self, p: DVec3) -> f64 {
        let core = match &self.core {
            ConvexCore::Hull(points) => points.iter().map(|q| q.distance(p)).fold(0.0, f64::max),
            ConvexCore::Cuboid { centre, half: [u, v, w] } => {
                let corners = [u + v, u - v, v - u, -u - v].map(|across| {
                    let from = *centre + across - p;
                    (from + w).length().max((from - w).length())
                });
                corners.into_iter().fold(0.0, f64::max)
            }
            ConvexCore::Round(placed) => placed.centre.distance(p) + placed.round.radius(),
        };
        core + self.radius + self.pad
    }
}

/// The number of the next element after `count` elements; trees and programs stay far below the range of u32.
pub(crate) fn number_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The corners of a box.
pub(crate) fn corners(ends: [DVec3; 2]) -> [DVec3; 8] {
    std::array::from_fn(|n| {
        let side = |bit: u32| usize::from(n & (1 << bit) != 0);
        DVec3::new(ends[side(0)].x, ends[side(1)].y, ends[side(2)].z)
    })
}

/// The transform from the frame of a pair's first volume to its second volume's frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundedTransform {
    pub(crate) rotation: DMat3,
    pub(crate) translation: DVec3,
    /// An upper bound of a transformed point's rounding error, in metres.
    pub(crate) rounding: f64,
}

impl RoundedTransform {
    pub(crate) fn new(pose: &Pose, rounding: f64) -> Self {
        Self { rotation: DMat3::from_quat(pose.rotation()), translation: pose.position(), rounding }
    }

    pub(crate) fn transform_point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }

    pub(crate) fn inverse_transform_point(&self, p: DVec3) -> DVec3 {
        self.rotation.transpose() * (p - self.translation)
    }
}

/// The separation of two volumes, in the frame of the second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VolumeGap {
    /// A proven lower bound of the distance, in metres; zero or negative without a proof.
    pub(crate) lower: f64,
    /// The unit direction from the first to the second along which the bound is proven.
    pub(crate) normal: DVec3,
    /// The nearest points of both volumes, or a common point.
    pub(crate) points: [DVec3; 2],
}

/// An upper bound of the rounding error of a coordinate or a product, relative to the coordinates' size.
const ROUNDINGS: f64 = 32.0 * f64::EPSILON;

/// The required accuracy of a gap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DistanceGoal {
    /// Below this, in metres, the size of the gap does not matter.
    pub(crate) less: f64,
    /// Otherwise, the relative accuracy of the gap's excess over `less`,
    pub(crate) relative: f64,
    /// or its accuracy in metres.
    pub(crate) absolute: f64,
    /// The search stops once the gap is proven to exceed this, in metres.
    pub(crate) more: f64,
    /// A unit vector along which the volumes may be separated, tried first; zero if unknown.
    pub(crate) towards: DVec3,
}

/// Two volumes: one in the frame of the first body, one in the frame of the second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VolumePair<'v> {
    pub(crate) first: &'v SweptVolume,
    pub(crate) second: &'v SweptVolume,
}

/// The rounding error of a separation of two volumes.
#[inline]
fn separation_rounding(VolumePair { first, second }: VolumePair<'_>, transform: &RoundedTransform) -> f64 {
    let far = first.far + second.far + transform.translation.abs().element_sum();
    ROUNDINGS * far + transform.rounding
}

/// A lower bound of the separation of two volumes along a unit vector.
#[inline]
pub(crate) fn separation_along(volumes: VolumePair<'_>, transform: &RoundedTransform, n: DVec3) -> f64 {
    let VolumePair { first, second } = volumes;
    let reaches =
        first.reach(transform.rotation.transpose() * n) + n.dot(transform.translation) + second.reach(-n);
    let around = first.radius + second.radius + first.pad + second.pad;
    -reaches - around - separation_rounding(volumes, transform)
}

/// The distance of two volumes.
pub(crate) fn separation(
    volumes: VolumePair<'_>,
    transform: &RoundedTransform,
    goal: &DistanceGoal,
) -> VolumeGap {
    let VolumePair { first, second } = volumes;
    let (rotation, back) = (transform.rotation, transform.rotation.transpose());
    let DistanceGoal { less, relative, absolute, more, towards } = *goal;
    let towards = if towards == DVec3::ZERO {
        unit_along(second.middle - transform.transform_point(first.middle))
    } else {
        towards
    };
    let far = first.far + second.far + transform.translation.abs().element_sum();
    let rounding = separation_rounding(volumes, transform);
    let around = first.radius + second.radius + first.pad + second.pad;
    let accuracy = GjkPrecision {
        relative,
        absolute,
        ignored_below: around + less,
        stop_above: around + more + rounding,
    };
    let support = |n: DVec3| [rotation * first.support(back * n) + transform.translation, second.support(-n)];
    let NearestPoints { lower, points: [a, b], normal, .. } = gjk(towards, far, accuracy, support);
    let lower = lower - around - rounding;
    // Move from the cores to the surfaces of the balls; if these overlap, both points coincide.
    let between = b - a;
    let length = between.length();
    let (out_a, out_b) = if length > first.radius + second.radius {
        (first.radius / length, second.radius / length)
    } else if first.radius + second.radius > 0.0 {
        let factor = 1.0 / (first.radius + second.radius);
        (first.radius * factor, second.radius * factor)
    } else {
        (0.0, 0.0)
    };
    VolumeGap { lower, normal, points: [a + out_a * between, b - out_b * between] }
}

/// Volumes are pulled apart by this fraction of their coordinates, far more than the rounding error.
const PULL: f64 = 1e-6;

/// The maximum number of pulls, each along the direction found by the previous one.
const PULLS: usize = 6;

/// Directions that differ by less than this are equal.
const STEADY: f64 = 1e-9;

/// The unit direction from the first volume to the second that separates them. The volumes touch, or overlap by at most
/// a millionth of their coordinates; pulled apart along the direction, they are separated along it. `guesses` are unit
/// vectors to try in order, or zero. Two edges have a unique such direction, and so has a contact with a face.
pub(crate) fn separating_direction(
    volumes: VolumePair<'_>,
    transform: &RoundedTransform,
    guesses: impl IntoIterator<Item = DVec3>,
) -> Option<DVec3> {
    let pull = PULL * (volumes.first.far + volumes.second.far + transform.translation.abs().element_sum());
    let steady = |guess: DVec3| {
        let mut n = guess;
        for _ in 0..PULLS {
            let pulled = RoundedTransform { translation: transform.translation - pull * n, ..*transform };
            let goal =
                DistanceGoal { less: 0.0, relative: 1e-12, absolute: 0.0, more: f64::INFINITY, towards: n };
            let found = separation(volumes, &pulled, &goal);
            if found.lower.is_nan() || found.lower <= 0.0 {
                return None;
            }
            let is_steady = found.normal.distance(n) < STEADY;
            n = found.normal;
            if is_steady {
                break;
            }
        }
        Some(n)
    };
    guesses.into_iter().filter(|guess| *guess != DVec3::ZERO).find_map(steady)
}

/// An upper bound of the speed at which the first volume approaches along a direction, in metres per second.
/// `centre` is the point of its frame whose velocity `moment` gives.
pub(crate) fn approach_speed_along(
    first: &SweptVolume,
    transform: &RoundedTransform,
    moment: &MotionState,
    centre: DVec3,
    n: DVec3,
) -> f64 {
    let lever = transform.rotation.transpose() * n.cross(moment.spin);
    // The rounding error of the product, relative to its factors.
    let rounding = ROUNDINGS * lever.length() * (first.far + centre.abs().element_sum());
    // Points in the pad rotate about the core.
    let pad_speed = first.pad * moment.spin.length() * (1.0 + 1e-12);
    n.dot(moment.velocity) + (first.reach(lever) - lever.dot(centre)) + pad_speed + rounding
}

/// An upper bound of the acceleration along a direction, with either sign, of a point of the first volume on a
/// screw, at any time, in metres per second squared. A point with velocity u has the acceleration spin × u, which
/// has constant length and is perpendicular to the spin.
pub(crate) fn acceleration_along(
    first: &SweptVolume,
    transform: &RoundedTransform,
    moment: &MotionState,
    centre: DVec3,
    n: DVec3,
) -> f64 {
    let MotionState { velocity, spin, .. } = *moment;
    let angular_speed = spin.length();
    let around = spin.cross(transform.rotation * (first.middle - centre));
    let along = (velocity + around).dot(spin) / (angular_speed * angular_speed).max(f64::MIN_POSITIVE);
    let across = (velocity + around - along * spin).length() + angular_speed * (first.spread + first.pad);
    // The rounding error if terms cancel.
    let cancellation =
        1e-9 * (velocity.length() + angular_speed * (first.far + centre.abs().element_sum() + first.pad));
    (n.cross(spin).length() + 1e-9 * angular_speed) * (across + cancellation)
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;
    use chasles_testing::Random;

    #[test]
    fn balls_and_boxes() {
        let ball = SweptVolume::new(ConvexCore::Hull([DVec3::ZERO].into()), 0.5, 0.0);
        let cuboid = SweptVolume::cuboid([DVec3::new(2.0, -1.0, -1.0), DVec3::new(3.0, 1.0, 1.0)]);
        let transform = RoundedTransform::new(&Pose::IDENTITY, 0.0);
        let goal = DistanceGoal {
            less: 0.0,
            relative: 1e-12,
            absolute: 0.0,
            more: f64::INFINITY,
            towards: DVec3::ZERO,
        };
        let found = separation(VolumePair { first: &ball, second: &cuboid }, &transform, &goal);
        assert!((found.lower - 1.5).abs() < 1e-12 && found.normal.distance(DVec3::X) < 1e-12, "{found:?}");
        assert!(found.points[0].distance(0.5 * DVec3::X) < 1e-12, "{found:?}");
        let moment = MotionState { pose: Pose::IDENTITY, velocity: DVec3::X, spin: DVec3::Z };
        let segment = SweptVolume::hull([DVec3::new(0.0, 1.0, 0.0), DVec3::new(0.0, -1.0, 0.0)]);
        let rate = approach_speed_along(&segment, &transform, &moment, DVec3::ZERO, DVec3::X);
        // The lower end moves 1 m/s faster.
        assert!((rate - 2.0).abs() < 1e-12, "{rate}");
    }

    /// Balls on the x axis whose coordinates have 52 binary digits, which their sums exceed. The true distance is an
    /// integer multiple of a unit.
    #[test]
    fn the_separation_of_balls_is_at_most_their_distance_despite_rounding() {
        let unit = 0.5_f64.powi(45);
        let random = &mut Random(33);
        for _ in 0..2000 {
            let [shift, centre, other, radius] = [0; 4].map(|_| random.bits() >> 12);
            let [x, y, z, r] = [shift, centre, other, radius].map(|count| count as f64 * unit);
            let at = |x: f64| ConvexCore::Hull([DVec3::new(x, 0.0, 0.0)].into());
            let (first, second) = (SweptVolume::new(at(-y), r, 0.0), SweptVolume::new(at(z), 0.0, 0.0));
            let pose = Pose::from_position(DVec3::new(-x, 0.0, 0.0)).unwrap();
            let transform = RoundedTransform::new(&pose, 0.0);
            let distance = i128::from(shift) + i128::from(centre) + i128::from(other) - i128::from(radius);
            let goal = DistanceGoal {
                less: 0.0,
                relative: 0.0,
                absolute: 0.0,
                more: f64::INFINITY,
                towards: DVec3::ZERO,
            };
            let volumes = VolumePair { first: &first, second: &second };
            let found = separation(volumes, &transform, &goal).lower;
            for lower in [found, separation_along(volumes, &transform, DVec3::X)] {
                #[expect(clippy::cast_possible_truncation, reason = "rounded up, and far below 2^127")]
                let count = (lower / unit).ceil() as i128;
                assert!(count <= distance, "{lower:e}: {count} units, not {distance}");
                assert!(distance - count < 1000, "{lower:e}: {count} units, not {distance}");
            }
        }
    }

    #[test]
    fn a_box_by_its_half_axes_is_the_hull_of_its_corners() {
        let random = &mut Random(8);
        let mut separated = 0;
        for _ in 0..2000 {
            let pose = Pose::new(random.vector(2.0), random.even_rotation()).unwrap();
            let transform = RoundedTransform::new(&pose, 0.0);
            let (centre, half) = (random.vector(1.0), [0; 3].map(|_| random.vector(0.5)));
            let corners = corners([-DVec3::ONE, DVec3::ONE])
                .map(|c| centre + c.x * half[0] + c.y * half[1] + c.z * half[2]);
            let cuboid = SweptVolume::new(ConvexCore::Cuboid { centre, half }, 0.0, 0.0);
            let (hull, n) = (SweptVolume::hull(corners), random.direction());
            assert!((cuboid.reach(n) - hull.reach(n)).abs() < 1e-14);
            assert!((cuboid.support(n).dot(n) - hull.reach(n)).abs() < 1e-14);
            let from = random.vector(2.0);
            assert!((cuboid.furthest_from(from) - hull.furthest_from(from)).abs() < 1e-14);
            let other = SweptVolume::hull([0; 4].map(|_| random.vector(1.0)));
            let goal = DistanceGoal {
                less: 0.0,
                relative: 1e-9,
                absolute: 1e-9,
                more: f64::INFINITY,
                towards: DVec3::ZERO,
            };
            let pair = |first| VolumePair { first, second: &other };
            let [one, same] = [&cuboid, &hull].map(|volume| separation(pair(volume), &transform, &goal));
            assert!(one.lower <= 0.0 && same.lower <= 0.0 || (one.lower - same.lower).abs() < 1e-8);
            // No plane separates them by more than their distance; the plane along which they are separated does so
            // exactly.
            let along = |n: DVec3| separation_along(pair(&cuboid), &transform, n);
            assert!(along(n) <= one.points[0].distance(one.points[1]) + 1e-12);
            if one.lower > 0.0 {
                assert!((along(one.normal) - one.lower).abs() < 1e-12);
                separated += 1;
                // The bound required by `enough` is proven.
                let enough = DistanceGoal { more: 0.3 * one.lower, ..goal };
                assert!(separation(pair(&cuboid), &transform, &enough).lower > enough.more);
            }
        }
        assert!(separated > 500, "{separated}");
    }

    #[test]
    fn edges_separate_perpendicular_to_both_and_corners_along_a_face_normal() {
        let random = &mut Random(21);
        for case in 0..2000 {
            let (n, u, v) = (random.direction(), random.direction(), random.direction());
            let [u, v] = [u, v].map(|along| unit_along(along - along.dot(n) * n));
            if u.cross(v).length() < 0.1 {
                continue;
            }
            let mut beyond = |n: DVec3| n + random.vector(0.3);
            let tip = [beyond(-n), beyond(-n), beyond(-n)];
            let far = [beyond(n), beyond(n)];
            let (first, second) = if case % 2 == 0 {
                (vec![u, -0.7 * u, tip[0], tip[1]], vec![v, -0.4 * v, far[0], far[1]])
            } else {
                (vec![DVec3::ZERO, tip[0], tip[1], tip[2]], vec![u + v, -u, -v, far[0]])
            };
            // They touch, overlap a little, or are separated by a little.
            let shift = [0.0, 1e-9, -1e-9][case % 3];
            let transform = RoundedTransform::new(&Pose::from_position(shift * n).unwrap(), 0.0);
            let guess = unit_along(n + random.within(0.0, 3.0) * random.direction_of_two().cross(n));
            let [first, second] = [first, second].map(SweptVolume::hull);
            let volumes = VolumePair { first: &first, second: &second };
            let found = separating_direction(volumes, &transform, [DVec3::ZERO, guess]);
            assert!(found.is_some_and(|found| found.distance(n) < 1e-6), "{case}: {found:?} {n} {guess}");
        }
    }

    #[test]
    fn no_point_on_a_screw_accelerates_more_than_the_bound() {
        let random = &mut Random(3);
        let (mut accelerated, mut tight) = (0, 0);
        for _ in 0..2000 {
            let pose = Pose::new(random.vector(1.0), random.even_rotation()).unwrap();
            let transform = RoundedTransform::new(&pose, 0.0);
            let (on_axis, spin) = (random.vector(1.0), random.within(0.1, 3.0) * random.direction());
            let slide = random.side() * spin;
            let middle = random.vector(1.0);
            let points = [0; 5].map(|_| middle + 0.2 * random.direction());
            let centre = random.vector(0.5);
            let velocity = slide + spin.cross(transform.transform_point(centre) - on_axis);
            let moment = MotionState { pose, velocity, spin };
            let n = if random.below(4) == 0 { spin.normalize() } else { random.direction() };
            let bound = acceleration_along(&SweptVolume::hull(points), &transform, &moment, centre, n);
            let mut largest: f64 = 0.0;
            for point in points {
                for _ in 0..20 {
                    let rotation = DQuat::from_scaled_axis(random.within(-3.0, 3.0) * spin);
                    let arm = rotation * (transform.transform_point(point) - on_axis);
                    largest = largest.max(n.dot(spin.cross(spin.cross(arm))).abs());
                }
            }
            assert!(largest <= bound, "{largest} {bound} {spin} {n}");
            accelerated += usize::from(largest > 0.1);
            tight += usize::from(largest > 0.7 * bound);
        }
        assert!(accelerated > 1000 && tight > 400, "{accelerated} {tight}");
    }
}
