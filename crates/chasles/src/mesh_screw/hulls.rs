//! The times at which the convex hulls of two small bodies can be near each other, in 64 bits.
//!
//! Conservative advancement of the hulls. The algorithm of Gilbert, Johnson and Keerthi (1988) finds a direction
//! that separates them; it starts from the corners that were nearest at the previous time. Along a direction every
//! corner has a known position, speed and bound of acceleration, so a parabola is a lower bound of the gap. Any
//! direction is safe: a badly chosen direction only shortens the step. The direction is fixed to B, or to A in the
//! inverse motion: to the body whose face is nearest.

use std::cmp::Ordering;

use glam::{DMat3, DVec3};

use crate::features::screw_motion::ScrewMotion;
use crate::math::direction::unit_along;
use crate::math::safe_time::safe_time;
use crate::math::simplex::nearest_weights;
use crate::math::time_interval::TimeInterval;

/// Two sets of corners, whose hulls contain two bodies, and the motion of the first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HullPair<'a> {
    a: &'a [DVec3],
    b: &'a [DVec3],
    motion: &'a ScrewMotion,
    /// Corners within this distance of each other count as in contact.
    reach: f64,
    /// Bounds of the speed across the axis of A's corners, and of A's material points at corners of B.
    across: [f64; 2],
    /// A bound of the path length of a corner per unit of time.
    speed: f64,
    /// The sum of the radii.
    size: f64,
    /// The nearest corners of the previous query.
    nearest: Simplex,
}

/// The time until which two hulls are separated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HullSeparation {
    pub(crate) until: f64,
    /// A unit direction from A to B, along which the hulls were separated shortly before.
    pub(crate) along: DVec3,
}

/// The corners of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HullCorners<'a> {
    /// Relative to the body's centre, in metres.
    pub(crate) points: &'a [DVec3],
    /// Their maximum distance from the centre.
    pub(crate) radius: f64,
}

/// Maximum number of time steps; the result is valid after any number of steps.
const STEPS: usize = 24;

/// Maximum number of directions tried at one time.
const DIRECTIONS: usize = 8;

/// A direction along which the gap is at least this fraction of the distance is accepted.
const ENOUGH_GAP: f64 = 0.8;

/// A step with a movement of at most this fraction of the size ends the advancement.
const CLOSE: f64 = 0.005;

/// The position and velocity of A at one time.
#[derive(Debug, Clone, Copy)]
struct MovingFrame {
    axes: DMat3,
    centre: DVec3,
    velocity: DVec3,
}

/// Corners of the Minkowski difference of the hulls, as pairs of corners of A and B.
#[derive(Debug, Clone, Copy, Default)]
struct Simplex {
    corners: [(usize, usize); 4],
    count: usize,
}

/// The body that has more corners in the nearest simplex.
enum FaceOf {
    OfA,
    OfB,
    OfNeither,
}

impl Simplex {
    fn face(&self) -> FaceOf {
        let corners = &self.corners[..self.count];
        let different = |of: fn(&(usize, usize)) -> usize| {
            let first =
                |(i, corner): &(usize, &(usize, usize))| corners[..*i].iter().all(|c| of(c) != of(corner));
            corners.iter().enumerate().filter(first).count()
        };
        match different(|c| c.0).cmp(&different(|c| c.1)) {
            Ordering::Greater => FaceOf::OfA,
            Ordering::Less => FaceOf::OfB,
            Ordering::Equal => FaceOf::OfNeither,
        }
    }
}

/// A unit direction from A to B, with the gap of the hulls along it.
#[derive(Debug, Clone, Copy)]
struct HullGap {
    direction: DVec3,
    /// The end of A and the start of B along the direction.
    far_a: f64,
    near_b: f64,
}

impl<'a> HullPair<'a> {
    /// `None` if there are no corners. Hulls that come within `pad` metres of each other count as meeting.
    pub(crate) fn new(
        a: HullCorners<'a>,
        b: HullCorners<'a>,
        motion: &'a ScrewMotion,
        pad: f64,
    ) -> Option<Self> {
        if a.points.is_empty() || b.points.is_empty() {
            return None;
        }
        let at_b = motion.velocity - motion.omega.cross(motion.offset);
        let across = [(motion.velocity, a.radius), (at_b, b.radius)]
            .map(|(velocity, radius)| (velocity.length() + motion.angle * radius) * (1.0 + 1e-12));
        let speed = motion.slide.length() + across[0];
        Some(Self {
            a: a.points,
            b: b.points,
            motion,
            reach: pad + 4.0 * motion.rounding,
            across,
            speed,
            size: a.radius + b.radius,
            nearest: Simplex::default(),
        })
    }

    /// The time in [first, last] until which the hulls are proven separated; `None` if they are separated
    /// throughout.
    pub(crate) fn separated_until(
        &mut self,
        TimeInterval { start: first, end: last }: TimeInterval,
    ) -> Option<HullSeparation> {
        let (mut t, mut along) = (first, DVec3::X);
        for _ in 0..STEPS {
            let place = self.place(t);
            let Some(gap) = self.separation(&place) else { break };
            along = gap.direction;
            let remaining = last - t;
            let step = self.step(&place, &gap, remaining);
            if step >= remaining {
                return None;
            }
            t = (t + step * (1.0 - 1e-12)).max(t);
            if step * self.speed < CLOSE * self.size {
                break;
            }
        }
        Some(HullSeparation { until: t, along })
    }

    /// Whether the hulls are proven separated at a time.
    pub(crate) fn are_separated_at(&mut self, t: f64) -> bool {
        self.separation(&self.place(t)).is_some()
    }

    /// The distance within which bodies count as meeting, if they have this much time to approach.
    pub(crate) fn contact_distance(&self, time: f64) -> f64 {
        (self.reach + self.speed * time) * (1.0 + 1e-12)
    }

    /// The time in which no corner moves further than a fraction of the sum of the radii; NaN if both the speed and
    /// the size are zero.
    pub(crate) fn time_for(&self, fraction: f64) -> f64 {
        fraction * self.size / self.speed
    }

    fn place(&self, t: f64) -> MovingFrame {
        let basis = &self.motion.basis(t);
        let path = self.motion.path(DVec3::ZERO);
        MovingFrame {
            axes: self.motion.rotation_at(basis),
            centre: path.at(basis),
            velocity: path.velocity(basis),
        }
    }

    /// A direction along which the hulls are separated.
    fn separation(&mut self, place: &MovingFrame) -> Option<HullGap> {
        let mut simplex = self.nearest;
        let gap = self.separation_from(&mut simplex, place);
        self.nearest = simplex;
        gap
    }

    /// On return, the simplex contains the nearest corners.
    fn separation_from(&self, simplex: &mut Simplex, place: &MovingFrame) -> Option<HullGap> {
        let difference = |(i, j): (usize, usize)| self.b[j] - (place.centre + place.axes * self.a[i]);
        let mut w = simplex.corners.map(difference);
        let mut nearest = if simplex.count == 0 { -place.centre } else { reduced(simplex, &mut w)? };
        let mut best = None;
        for _ in 0..DIRECTIONS {
            let direction = unit_along(nearest);
            if direction == DVec3::ZERO {
                break;
            }
            let local = place.axes.transpose() * direction;
            let (i, far) = support(self.a, local);
            let (j, near) = support(self.b, -direction);
            let gap = HullGap { direction, far_a: direction.dot(place.centre) + far, near_b: -near };
            let length = gap.near_b - gap.far_a;
            if length > self.reach && best.is_none_or(|best: HullGap| length > best.near_b - best.far_a) {
                best = Some(gap);
            }
            if simplex.corners[..simplex.count].contains(&(i, j))
                || length >= ENOUGH_GAP * nearest.length() && simplex.count > 0
            {
                break;
            }
            if simplex.count == 4 {
                break;
            }
            simplex.corners[simplex.count] = (i, j);
            w[simplex.count] = difference((i, j));
            simplex.count += 1;
            let Some(closer) = reduced(simplex, &mut w) else { break };
            nearest = closer;
        }
        best
    }

    /// The time for which the hulls certainly stay separated; at most `limit`. The direction is fixed to the body
    /// whose face is nearest; if there is no such face, to the body with the longer proof.
    fn step(&self, place: &MovingFrame, gap: &HullGap, limit: f64) -> f64 {
        match self.nearest.face() {
            FaceOf::OfA => self.step_of_b(place, gap, limit),
            FaceOf::OfB => self.step_of_a(place, gap, limit),
            FaceOf::OfNeither => self.step_of_a(place, gap, limit).max(self.step_of_b(place, gap, limit)),
        }
    }

    /// The time for which A's corners certainly stay before the start of B along a direction fixed to B; at most
    /// `limit`.
    fn step_of_a(&self, place: &MovingFrame, gap: &HullGap, limit: f64) -> f64 {
        let n = gap.direction;
        let acceleration = self.acceleration_bound(n, self.across[0]);
        let back = place.axes.transpose();
        let (local, rotation_rate) = (back * n, back * n.cross(self.motion.omega));
        let ahead = gap.near_b - n.dot(place.centre) - self.reach;
        let speed = n.dot(place.velocity);
        first_arrival(
            self.a.iter().map(|p| (ahead - local.dot(*p), speed + rotation_rate.dot(*p))),
            acceleration,
            limit,
        )
    }

    /// The same for B's corners relative to A, with a direction that rotates with A.
    fn step_of_b(&self, place: &MovingFrame, gap: &HullGap, limit: f64) -> f64 {
        let n = gap.direction;
        let acceleration = self.acceleration_bound(n, self.across[1]);
        let rotation_rate = n.cross(self.motion.omega);
        let behind = gap.far_a + self.reach;
        let speed = n.dot(place.velocity) - rotation_rate.dot(place.centre);
        first_arrival(
            self.b.iter().map(|p| (n.dot(*p) - behind, speed + rotation_rate.dot(*p))),
            acceleration,
            limit,
        )
    }

    /// A bound of the acceleration, along a direction, of a point that moves across the axis at the speed `across`.
    fn acceleration_bound(&self, n: DVec3, across: f64) -> f64 {
        let along = n.dot(self.motion.direction);
        let radial = (1.0 - along * along).max(0.0).sqrt() + 1e-7;
        self.motion.angle * across * radial
    }
}

/// The first time, at most `limit`, at which any of some points may have moved by its distance, given its speed and
/// a bound of all accelerations.
#[inline]
fn first_arrival(points: impl Iterator<Item = (f64, f64)>, acceleration: f64, limit: f64) -> f64 {
    let mut earliest = limit;
    for (distance, speed) in points {
        if distance > (speed + 0.5 * acceleration * earliest) * earliest {
            continue;
        }
        earliest = earliest.min(safe_time(distance, speed, acceleration));
    }
    earliest
}

/// The support point along a direction, and its coordinate.
#[inline]
fn support(corners: &[DVec3], n: DVec3) -> (usize, f64) {
    let further = |x: (usize, f64), y: (usize, f64)| if y.1 > x.1 { y } else { x };
    let mut best = (0, f64::NEG_INFINITY);
    // Four at a time, which the processor compares side by side.
    let mut fours = corners.chunks_exact(4);
    for (i, four) in (0..).step_by(4).zip(&mut fours) {
        let [p, q, r, s] = [0, 1, 2, 3].map(|k| (i + k, n.dot(four[k])));
        best = further(best, further(further(p, q), further(r, s)));
    }
    let rest = fours.remainder();
    for (i, p) in (corners.len() - rest.len()..).zip(rest) {
        best = further(best, (i, n.dot(*p)));
    }
    best
}

/// The point nearest to the origin; the simplex keeps only the corners that determine it. `None` if the origin is
/// inside.
fn reduced(simplex: &mut Simplex, w: &mut [DVec3; 4]) -> Option<DVec3> {
    let (weights, within) = nearest_weights(w, simplex.count);
    if within {
        return None;
    }
    let (mut kept, mut nearest) = (0, DVec3::ZERO);
    for i in 0..simplex.count {
        if weights[i] > 0.0 {
            nearest += weights[i] * w[i];
            (simplex.corners[kept], w[kept]) = (simplex.corners[i], w[i]);
            kept += 1;
        }
    }
    simplex.count = kept;
    Some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::PreparedMesh;
    use crate::math::distance::{point_triangle, segment_segment};
    use crate::mesh_screw::small_bodies::{body, one_of, screw};
    use crate::motion::{Pose, Screw};
    use crate::shape::Mesh;
    use chasles_testing::{Random, cases};

    /// The minimum distance of the triangles: the distance of the hulls of convex bodies, as long as they are
    /// separated.
    fn distance(a: &Mesh, b: &Mesh, motion: &ScrewMotion, t: f64) -> f64 {
        let basis = motion.basis(t);
        let moved: Vec<[DVec3; 3]> = (a.triangles().iter())
            .map(|t| t.map(|v| motion.path(a.local()[v as usize]).at(&basis)))
            .collect();
        let mut least = f64::INFINITY;
        let edges = |[p, q, r]: [DVec3; 3]| [[p, q], [q, r], [r, p]];
        for x in &moved {
            for face in 0..b.triangles().len() {
                let y = b.local_triangle(u32::try_from(face).unwrap());
                for i in 0..3 {
                    least = least.min(point_triangle(x[i], &y).squared).min(point_triangle(y[i], x).squared);
                    for edge in edges(y) {
                        least = least.min(segment_segment(edges(*x)[i], edge).squared);
                    }
                }
            }
        }
        least.sqrt()
    }

    #[test]
    fn surfaces_stay_beyond_the_pad_until_the_returned_time() {
        let (mut meet, mut close, mut clear) = (0, 0, 0);
        for seed in 0..cases(500, 2000) {
            let random = &mut Random(seed * 7919 + 1);
            let (a, b, screw) = (body(random), body(random), screw(random));
            let motion = ScrewMotion::new(a.mesh(), b.mesh(), &screw);
            let pad = one_of(random, &[0.0, 1e-9, 0.1]);
            let [corners_a, corners_b] =
                [&a, &b].map(|body| HullCorners { points: body.corners(), radius: body.mesh().radius() });
            let mut hulls = HullPair::new(corners_a, corners_b, &motion, pad).unwrap();
            let interval = one_of(
                random,
                &[(0.0, 1.0), (0.3, 0.8), (0.5, 0.5)].map(|(start, end)| TimeInterval::new(start, end)),
            );
            let until = hulls.separated_until(interval).map(|separation| separation.until);
            let separated = until.unwrap_or(interval.end);
            assert!(interval.start <= separated && separated <= interval.end, "seed {seed}: {separated}");
            let far = |t: f64| distance(a.mesh(), b.mesh(), &motion, t);
            for i in 0..=20 {
                let t = interval.start + (separated - interval.start) * f64::from(i) / 20.0;
                // Hulls that are not separated at the start make no claim for that time.
                let claimed = until.is_none() || t > interval.start;
                assert!(!claimed || far(t) > pad, "seed {seed}: {} at {t} of {until:?}", far(t));
            }
            // From the nearest corners of that query, at any other time.
            let t = 0.5 * (1.0 + random.side());
            let claimed = hulls.are_separated_at(t);
            assert!(!claimed || far(t) > pad, "seed {seed}: {} at {t}", far(t));
            match until {
                None => clear += 1,
                Some(t) => {
                    meet += 1;
                    close += u32::from(far(t) < pad + 0.1 * hulls.size);
                }
            }
        }
        // The bound is effective, too: it usually ends where they come close.
        assert!(
            clear > 55 && meet > 55 && f64::from(close) > 0.85 * f64::from(meet),
            "{clear} {meet} {close}"
        );
    }

    #[test]
    fn a_face_that_approaches_straight_is_reached_in_few_steps() {
        let square = |z: f64| {
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            corners.map(|(x, y)| DVec3::new(x, y, z)).to_vec()
        };
        let mesh = |z: f64| Mesh::new(square(z), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let (a, b) = (PreparedMesh::new(mesh(0.0)), PreparedMesh::new(mesh(0.0)));
        let screw = Screw::translation(Pose::from_position(DVec3::Z).unwrap(), DVec3::new(0.0, 0.0, -2.0));
        let motion = ScrewMotion::new(a.mesh(), b.mesh(), &screw);
        fn corners(body: &PreparedMesh) -> HullCorners<'_> {
            HullCorners { points: body.corners(), radius: 1.5 }
        }
        let empty = HullCorners { points: &[], radius: 1.5 };
        let mut hulls = HullPair::new(corners(&a), corners(&b), &motion, 0.0).unwrap();
        let HullSeparation { until: t, along } = hulls.separated_until(TimeInterval::new(0.0, 1.0)).unwrap();
        assert!(along.distance(-DVec3::Z) < 1e-12, "{along}");
        assert!((0.5 - 1e-9..0.5).contains(&t), "{t}");
        assert!(hulls.separated_until(TimeInterval::new(0.0, 0.49)).is_none());
        assert!(HullPair::new(empty, corners(&b), &motion, 0.0).is_none());
    }
}
