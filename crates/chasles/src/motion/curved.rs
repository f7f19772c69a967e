//! A smooth interval of motion that is not a screw: position and rotation each follow a curve of their own.

use glam::{DQuat, DVec3};

use crate::math::rounding::Rounding;
use crate::math::time_interval::TimeInterval;
use crate::motion::curve::{
    CubicKey, CurveKind, CurveSegment, Jet, position_jerk, position_jet, rotation_jet,
};
use crate::motion::joint::CubicRotation;
use crate::motion::pose::Pose;
use crate::motion::rates::Rates;
use crate::motion::screw::Screw;

/// A motion over an interval: the position of the body's origin and the body's rotation, both in the parent's
/// frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Curved {
    pub(crate) position: CurveSegment<DVec3>,
    pub(crate) rotation: RotationCurve,
}

/// A rotation as a function of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RotationCurve {
    Constant(DQuat),
    /// At a constant rate from one time to another, about the origin.
    Uniform {
        start: f64,
        end: f64,
        screw: Screw,
    },
    Cubic(CubicKey<DQuat>, CubicKey<DQuat>),
    /// The rotation of a revolute joint.
    About(CubicRotation),
}

impl RotationCurve {
    /// The rotation along a part of a curve.
    pub(crate) fn new(part: &CurveSegment<DQuat>) -> Self {
        let about_origin = |rotation: DQuat| Pose::from_parts(DVec3::ZERO, rotation);
        match part.shape {
            // Before its first and after its last key, a cubic has a value that need not be normalised.
            CurveKind::Constant(rotation) => Self::Constant(rotation.normalize()),
            CurveKind::Linear(from, to) => {
                let screw = Screw::between(about_origin(from), about_origin(to));
                if screw.angle() == 0.0 {
                    return Self::Constant(from);
                }
                Self::Uniform { start: part.start, end: part.end, screw }
            }
            CurveKind::Cubic(from, to) => {
                let still = from.value == to.value
                    && [from.out_tangent, to.in_tangent].iter().all(|q| q.length_squared() == 0.0);
                if still { Self::Constant(from.value.normalize()) } else { Self::Cubic(from, to) }
            }
        }
    }

    fn later(&self, by: f64) -> Self {
        match *self {
            Self::Constant(rotation) => Self::Constant(rotation),
            Self::Uniform { start, end, screw } => Self::Uniform { start: start + by, end: end + by, screw },
            Self::Cubic(from, to) => Self::Cubic(from.later(by), to.later(by)),
            Self::About(cubic) => {
                Self::About(CubicRotation { from: cubic.from.later(by), to: cubic.to.later(by), ..cubic })
            }
        }
    }

    fn at(&self, time: f64) -> DQuat {
        match self {
            Self::Constant(rotation) => *rotation,
            Self::Uniform { start, end, screw } => {
                screw.pose_at(((time - start) / (end - start)).clamp(0.0, 1.0)).rotation()
            }
            Self::Cubic(from, to) => {
                let q = rotation_jet(from, to, time).value;
                // If the spline passes through zero, no rotation is defined; the rates there are infinite.
                if q.length_squared() > 0.0 { q.normalize() } else { DQuat::IDENTITY }
            }
            Self::About(cubic) => cubic.at(time),
        }
    }

    /// The angular velocity, in radians per second.
    fn velocity(&self, time: f64) -> DVec3 {
        match self {
            Self::Constant(_) => DVec3::ZERO,
            Self::Uniform { start, end, screw } => screw.omega() / (end - start),
            Self::Cubic(from, to) => {
                // omega = 2 u' u* with u = q / |q|; the component of q' along u drops out.
                let Jet { value, first, .. } = rotation_jet(from, to, time);
                2.0 * DQuat::mul_quat(first, value.conjugate()).xyz() / value.length_squared()
            }
            Self::About(cubic) => cubic.velocity(time),
        }
    }

    /// The measure, in radians, with which the rounding error grows: the angle from zero; for a spline of
    /// quaternions, the sum of the terms' magnitudes relative to the length of the sum, which is infinite if the
    /// sum may pass through zero.
    fn rotation_measure(&self, TimeInterval { start, end }: TimeInterval) -> f64 {
        match self {
            Self::Constant(_) => 0.0,
            Self::Uniform { screw, .. } => screw.angle(),
            Self::Cubic(from, to) => {
                let (half, h) = (0.5 * (end - start), to.time - from.time);
                let length = |q: DQuat| q.length_squared().sqrt();
                let parts = length(from.value)
                    + length(to.value)
                    + h * (length(from.out_tangent) + length(to.in_tangent));
                let [middle, first, last] =
                    [start + half, start, end].map(|time| rotation_jet(from, to, time));
                let second = length(first.second).max(length(last.second));
                let least = length(middle.value) - (length(middle.first) + second * half) * half;
                if least > 0.0 { CUBIC * parts / least } else { f64::INFINITY }
            }
            Self::About(cubic) => {
                let (from, to) = (&cubic.from, &cubic.to);
                let h = to.time - from.time;
                let parts = from.value.abs() + to.value.abs();
                CUBIC * (parts + h * (from.out_tangent.abs() + to.in_tangent.abs()))
            }
        }
    }

    /// Bounds of angular speed, acceleration and jerk, in radians per second, per second squared and per second cubed.
    fn rates(&self, interval: TimeInterval) -> [f64; 3] {
        let TimeInterval { start, end } = interval;
        match self {
            Self::Constant(_) => [0.0; 3],
            Self::Uniform { start, end, screw } => [screw.angle() / (end - start), 0.0, 0.0],
            Self::Cubic(from, to) => {
                let half = 0.5 * (end - start);
                let length = |q: DQuat| q.length_squared().sqrt();
                let [middle, first, last] =
                    [start + half, start, end].map(|time| rotation_jet(from, to, time));
                // The second derivative is linear.
                let second = length(first.second).max(length(last.second));
                let speed = length(middle.first) + second * half;
                let least = length(middle.value) - speed * half;
                if least <= 0.0 {
                    return [f64::INFINITY; 3];
                }
                // For u = q / |q|: |u'| <= |q'| / |q| and |u''| <= |q''| / |q| + 3 (|q'| / |q|)^2; omega = 2 u' u*.
                let (u1, q2) = (speed / least, second / least);
                [2.0 * u1, 2.0 * (q2 + 3.0 * u1 * u1) + 2.0 * u1 * u1, f64::INFINITY]
            }
            Self::About(cubic) => cubic.rates(interval),
        }
    }
}

/// The weights of a cubic are sums of up to four terms of at most 3, so each has an error of up to 4 roundings of
/// 3: this factor times the rounding of an angle.
const CUBIC: f64 = 8.0;

/// Factor by which bounds are enlarged to cover the rounding of the few operations that compute them.
const OUTSIDE: f64 = 1.0 + 1e-12;

impl Curved {
    /// Whether the body never moves.
    pub(crate) fn is_still(&self) -> bool {
        let rests = match self.position.shape {
            CurveKind::Constant(_) => true,
            CurveKind::Linear(from, to) => from == to,
            CurveKind::Cubic(from, to) => {
                from.value == to.value && from.out_tangent == DVec3::ZERO && to.in_tangent == DVec3::ZERO
            }
        };
        rests && matches!(self.rotation, RotationCurve::Constant(_))
    }

    /// The same motion, `by` seconds later.
    pub(crate) fn later(&self, by: f64) -> Self {
        Self { position: self.position.later(by), rotation: self.rotation.later(by) }
    }

    /// The pose at a time, in seconds.
    pub(crate) fn pose_at(&self, time: f64) -> Pose {
        Pose::from_parts(self.position_at(time), self.rotation.at(time))
    }

    fn position_at(&self, time: f64) -> DVec3 {
        let CurveSegment { start, end, shape } = self.position;
        match shape {
            CurveKind::Constant(position) => position,
            CurveKind::Linear(from, to) if time <= start => from + 0.0 * to,
            CurveKind::Linear(_, to) if time >= end => to,
            CurveKind::Linear(from, to) => from + (time - start) / (end - start) * (to - from),
            CurveKind::Cubic(from, to) => position_jet(&from, &to, time).value,
        }
    }

    /// The velocity of the origin, in metres per second, and the angular velocity, in radians per second.
    pub(crate) fn velocities_at(&self, time: f64) -> [DVec3; 2] {
        let linear = match self.position.shape {
            CurveKind::Constant(_) => DVec3::ZERO,
            CurveKind::Linear(from, to) => (to - from) / (self.position.end - self.position.start),
            CurveKind::Cubic(from, to) => position_jet(&from, &to, time).first,
        };
        [linear, self.rotation.velocity(time)]
    }

    /// The rounding of the poses between two times, if the body's origin is within `place` metres of the parent's
    /// origin.
    pub(crate) fn rounding(&self, interval: TimeInterval, place: f64) -> Rounding {
        let length = match self.position.shape {
            CurveKind::Constant(_) => 0.0,
            CurveKind::Linear(from, to) => from.length() + to.length(),
            CurveKind::Cubic(from, to) => {
                let h = to.time - from.time;
                let ends = from.value.length() + to.value.length();
                CUBIC * (ends + h * (from.out_tangent.length() + to.in_tangent.length()))
            }
        };
        Rounding::GIVEN.along(place, length, self.rotation.rotation_measure(interval))
    }

    /// Upper bounds of the motion between two times.
    pub(crate) fn rates(&self, interval: TimeInterval) -> Rates {
        let TimeInterval { start, end } = interval;
        let spins = self.rotation.rates(interval);
        let speeds = match self.position.shape {
            CurveKind::Constant(_) => [0.0; 3],
            CurveKind::Linear(from, to) => {
                [from.distance(to) / (self.position.end - self.position.start), 0.0, 0.0]
            }
            CurveKind::Cubic(from, to) => {
                let half = 0.5 * (end - start);
                let [middle, first, last] = [start + half, start, end].map(|t| position_jet(&from, &to, t));
                let Jet { first: velocity, .. } = middle;
                let change = first.second.length().max(last.second.length());
                [velocity.length() + change * half, change, position_jerk(&from, &to).length()]
            }
        };
        let [spin, spin_change, spin_jerk] = spins.map(|bound| bound * OUTSIDE);
        let [speed, speed_change, speed_jerk] = speeds.map(|bound| bound * OUTSIDE);
        Rates { spin, spin_change, spin_jerk, speed, speed_change, speed_jerk }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::{Random, cases};

    fn cubic(random: &mut Random, seed: u64) -> Curved {
        let (start, end) = (random.side(), random.side() + 2.5);
        // Some have keys of nearly opposite signs, some are nearly static.
        let size = [3.0, 1.0, 1e-3][(seed % 3) as usize];
        let near = random.quaternion();
        let mut key = |time: f64, sign: f64| CubicKey {
            time,
            in_tangent: random.quaternion() * size,
            value: (near + random.quaternion() * (0.5 * size)) * sign,
            out_tangent: random.quaternion() * size,
        };
        let sign = if seed.is_multiple_of(5) { -1.0 } else { 1.0 };
        let rotation = RotationCurve::Cubic(key(start, 1.0), key(end, sign));
        let mut place = |time: f64| CubicKey {
            time,
            in_tangent: 3.0 * random.vector(1.0),
            value: random.vector(1.0),
            out_tangent: 3.0 * random.vector(1.0),
        };
        let shape = CurveKind::Cubic(place(start), place(end));
        Curved { position: CurveSegment { start, end, shape }, rotation }
    }

    #[test]
    fn rates_bound_speeds_and_accelerations_at_every_time() {
        const STEPS: u32 = 32;
        let (mut finite, mut near) = (0, [0; 4]);
        for seed in 0..cases(1500, 6000) {
            let random = &mut Random(seed);
            let curved = cubic(random, seed);
            let (start, end) = (curved.position.start, curved.position.end);
            let length = (end - start) * 10.0_f64.powf(-2.0 + 2.0 * random.side());
            let from = start + (end - start - length) * (0.5 + 0.5 * random.side());
            let rates = curved.rates(TimeInterval::new(from, from + length));
            let step = length / f64::from(STEPS);
            let times: Vec<f64> = (0..=STEPS).map(|i| from + step * f64::from(i)).collect();
            let CurveKind::Cubic(first, last) = &curved.position.shape else { continue };
            let [before, after] = [start, end].map(|time| position_jet(first, last, time).second);
            let jerk = before.distance(after) / (end - start);
            assert!((jerk - rates.speed_jerk).abs() < 1e-9 * jerk, "seed {seed}: {jerk} {rates:?}");
            let path: Vec<DVec3> = times.iter().map(|time| curved.position_at(*time)).collect();
            let check = |bound: f64, found: f64, slack: f64| {
                assert!(found <= bound + slack, "seed {seed}: {found} and {bound}");
                u32::from(found > 0.8 * bound && bound > 100.0 * slack)
            };
            for pair in path.windows(2) {
                near[0] += check(rates.speed * step, pair[0].distance(pair[1]), 1e-14);
            }
            for three in path.windows(3) {
                let bent = (three[0] - 2.0 * three[1] + three[2]).length();
                near[1] += check(rates.speed_change * step * step, bent, 1e-13);
            }
            if !rates.spin.is_finite() {
                continue;
            }
            finite += 1;
            let spins: Vec<DVec3> = times.iter().map(|time| curved.rotation.velocity(*time)).collect();
            for spin in &spins {
                near[2] += check(rates.spin, spin.length(), 1e-9);
            }
            for pair in spins.windows(2) {
                let slack = 1e-9 * (1.0 + rates.spin);
                near[3] += check(rates.spin_change * step, pair[0].distance(pair[1]), slack);
            }
        }
        assert!(finite > 600 && near.iter().all(|near| *near > 90), "{finite} finite, {near:?}");
    }

    #[test]
    fn the_pose_has_the_angular_velocity_of_its_jet() {
        let step = 1e-6;
        for seed in 0..500 {
            let curved = cubic(&mut Random(seed), seed);
            let time = 0.5 * (curved.position.start + curved.position.end);
            let spin = curved.rotation.velocity(time);
            let [before, after] = [-step, step].map(|offset| curved.pose_at(time + offset).rotation());
            let rate = (after * before.conjugate()).xyz() / step;
            let rate = if after.dot(before) < 0.0 { -rate } else { rate };
            assert!(rate.distance(spin) < 1e-4 * (1.0 + spin.length().powi(3)), "seed {seed}: {rate} {spin}");
        }
    }
}
