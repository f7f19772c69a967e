//! Curves through keys: a position or a rotation as a function of time.

use glam::{DQuat, DVec3};

use crate::error::{Error, ErrorKind, check_vector};

/// A value over time, given by keys with increasing times in seconds; constant before the first key and after the
/// last.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Curve<T> {
    /// Each key's value holds until the next key, where it jumps.
    Step(Vec<(f64, T)>),
    /// Linear from key to key, at a constant rate: positions along straight lines, rotations about fixed axes by
    /// the smaller angle (for exactly half a turn, about the axis whose first non-zero component is positive).
    Linear(Vec<(f64, T)>),
    /// Cubic Hermite splines, as in glTF 2.0 (appendix C.4): from key k to k + 1, h seconds later, for s in [0, 1],
    ///
    /// ```text
    /// (2 s^3 - 3 s^2 + 1) v_k + h (s^3 - 2 s^2 + s) out_k + (3 s^2 - 2 s^3) v_k+1 + h (s^3 - s^2) in_k+1
    /// ```
    ///
    /// Quaternions are then normalised.
    Cubic(Vec<CubicKey<T>>),
}

/// A key of a cubic spline.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CubicKey<T> {
    /// Time in seconds.
    pub time: f64,
    /// Derivative just before the key, per second.
    pub in_tangent: T,
    /// The value at the key. For a rotation, a quaternion that need not be normalised.
    pub value: T,
    /// Derivative just after the key, per second.
    pub out_tangent: T,
}

impl<T: Copy> Curve<T> {
    /// A constant value.
    pub fn constant(value: T) -> Self {
        Self::Step(vec![(0.0, value)])
    }

    /// The times of the keys.
    #[must_use]
    pub fn times(&self) -> Vec<f64> {
        match self {
            Self::Step(keys) | Self::Linear(keys) => keys.iter().map(|key| key.0).collect(),
            Self::Cubic(keys) => keys.iter().map(|key| key.time).collect(),
        }
    }

    /// The values at the keys.
    #[must_use]
    pub fn values(&self) -> Vec<T> {
        match self {
            Self::Step(keys) | Self::Linear(keys) => keys.iter().map(|key| key.1).collect(),
            Self::Cubic(keys) => keys.iter().map(|key| key.value).collect(),
        }
    }

    /// The derivatives at the keys of a cubic; empty for other curves.
    #[must_use]
    pub fn tangents(&self) -> Vec<T> {
        match self {
            Self::Step(_) | Self::Linear(_) => Vec::new(),
            Self::Cubic(keys) => keys.iter().flat_map(|key| [key.in_tangent, key.out_tangent]).collect(),
        }
    }

    /// The smooth parts of the curve within [0, `duration`], in order, without gaps.
    pub(crate) fn parts(&self, duration: f64) -> Vec<CurveSegment<T>> {
        let (times, values) = (self.times(), self.values());
        let constant =
            |start: f64, end: f64, value: T| CurveSegment { start, end, shape: CurveKind::Constant(value) };
        let mut parts = Vec::new();
        let (Some(first), Some(last)) = (times.first(), times.last()) else { return parts };
        if *first > 0.0 {
            parts.push(constant(0.0, first.min(duration), values[0]));
        }
        for k in 0..times.len() - 1 {
            let (start, end) = (times[k], times[k + 1]);
            if end <= 0.0 || start >= duration {
                continue;
            }
            let shape = match self {
                Self::Step(keys) => CurveKind::Constant(keys[k].1),
                Self::Linear(keys) => CurveKind::Linear(keys[k].1, keys[k + 1].1),
                Self::Cubic(keys) => CurveKind::Cubic(keys[k], keys[k + 1]),
            };
            parts.push(CurveSegment { start, end, shape });
        }
        if *last < duration {
            parts.push(constant(last.max(0.0), duration, values[times.len() - 1]));
        }
        // A step at the very end: its value gets an interval of the shortest possible length.
        if let (Self::Step(keys), Some(k)) = (self, times.iter().position(|time| *time == duration)) {
            parts.push(constant(duration, duration.next_up(), keys[k].1));
        }
        parts
    }
}

/// Checks that times of keys are finite and increasing, and that there is at least one.
pub(crate) fn check_times(times: &[f64], place: impl Fn() -> String) -> Result<(), Error> {
    let steps = times.windows(2).find(|pair| pair[1] <= pair[0]).map(|pair| pair[1]);
    if let Some(value) = times.iter().copied().find(|time| !time.is_finite()).or(steps) {
        return Error::out_of_range(value, "times that are finite and increase", place());
    }
    if times.is_empty() {
        return Error::out_of_range(0.0, "at least one key", place());
    }
    Ok(())
}

/// Upper bound of the components of quaternions and of their derivatives, so that squares stay finite.
const LARGEST_ROTATION: f64 = 1e70;

impl Curve<DVec3> {
    /// Checks the times and values of the keys; `times` and `values` name their locations for messages.
    pub(crate) fn check(&self, times: impl Fn() -> String, values: impl Fn() -> String) -> Result<(), Error> {
        check_times(&self.times(), times)?;
        let mut all = self.values().into_iter().chain(self.tangents());
        all.try_for_each(|value| check_vector(value, &values))
    }
}

impl Curve<DQuat> {
    /// Checks the times and values of the keys; `times` and `values` name their locations for messages.
    pub(crate) fn check(&self, times: impl Fn() -> String, values: impl Fn() -> String) -> Result<(), Error> {
        check_times(&self.times(), times)?;
        let keys = self.values();
        let rotations = keys.iter().copied().chain(self.tangents());
        let mut numbers = rotations.flat_map(|q| q.to_array());
        if let Some(bad) = numbers.find(|x| x.is_nan() || x.abs() >= LARGEST_ROTATION) {
            return Err(Error::new(ErrorKind::NotFinite(bad), values()));
        }
        if keys.iter().any(|q| q.length_squared() == 0.0) {
            return Err(Error::new(ErrorKind::ZeroLength, values()));
        }
        Ok(())
    }

    /// The curve with normalised quaternions, except for a cubic, whose shape depends on their lengths.
    pub(crate) fn normalised(&self) -> Self {
        let unit = |keys: &[(f64, DQuat)]| {
            keys.iter().map(|(time, rotation)| (*time, rotation.normalize())).collect()
        };
        match self {
            Self::Step(keys) => Self::Step(unit(keys)),
            Self::Linear(keys) => Self::Linear(unit(keys)),
            Self::Cubic(_) => self.clone(),
        }
    }
}

/// A smooth part of a curve: between two of its keys, or constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CurveSegment<T> {
    /// Start in seconds; may be before the required part.
    pub(crate) start: f64,
    /// End in seconds; may be after the required part.
    pub(crate) end: f64,
    pub(crate) shape: CurveKind<T>,
}

/// The shape of a part of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CurveKind<T> {
    /// A constant value.
    Constant(T),
    /// Linear from one value to another.
    Linear(T, T),
    /// A cubic between two keys.
    Cubic(CubicKey<T>, CubicKey<T>),
}

impl<T: Copy> CubicKey<T> {
    /// The same key, `by` seconds later.
    pub(crate) fn later(&self, by: f64) -> Self {
        Self { time: self.time + by, ..*self }
    }
}

impl<T: Copy> CurveSegment<T> {
    /// The same part, `by` seconds later.
    pub(crate) fn later(&self, by: f64) -> Self {
        let shape = match self.shape {
            CurveKind::Cubic(from, to) => CurveKind::Cubic(from.later(by), to.later(by)),
            unchanged => unchanged,
        };
        Self { start: self.start + by, end: self.end + by, shape }
    }
}

/// A cubic with its first two derivatives by time, at one time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Jet<T> {
    pub(crate) value: T,
    pub(crate) first: T,
    pub(crate) second: T,
}

/// The weights of v0, out0, v1, in1 in a cubic and in its first two derivatives, at the fraction `s` of `h`
/// seconds.
fn weights(s: f64, h: f64) -> [[f64; 4]; 3] {
    let (s2, s3) = (s * s, s * s * s);
    [
        [2.0 * s3 - 3.0 * s2 + 1.0, h * (s3 - 2.0 * s2 + s), 3.0 * s2 - 2.0 * s3, h * (s3 - s2)],
        [(6.0 * s2 - 6.0 * s) / h, 3.0 * s2 - 4.0 * s + 1.0, (6.0 * s - 6.0 * s2) / h, 3.0 * s2 - 2.0 * s],
        [(12.0 * s - 6.0) / (h * h), (6.0 * s - 4.0) / h, (6.0 - 12.0 * s) / (h * h), (6.0 * s - 2.0) / h],
    ]
}

/// A number on a cubic between two keys at a time, with its derivatives.
pub(crate) fn number_jet(from: &CubicKey<f64>, to: &CubicKey<f64>, time: f64) -> Jet<f64> {
    let h = to.time - from.time;
    let [value, first, second] = weights((time - from.time) / h, h)
        .map(|[a, b, c, d]| a * from.value + b * from.out_tangent + c * to.value + d * to.in_tangent);
    Jet { value, first, second }
}

/// The third derivative of a number on a cubic between two keys: a constant.
pub(crate) fn number_jerk(from: &CubicKey<f64>, to: &CubicKey<f64>) -> f64 {
    let h = to.time - from.time;
    (12.0 * (from.value - to.value) / h + 6.0 * (from.out_tangent + to.in_tangent)) / (h * h)
}

/// Like [`number_jerk`], for a position.
pub(crate) fn position_jerk(from: &CubicKey<DVec3>, to: &CubicKey<DVec3>) -> DVec3 {
    let h = to.time - from.time;
    (12.0 * (from.value - to.value) / h + 6.0 * (from.out_tangent + to.in_tangent)) / (h * h)
}

/// A position on a cubic between two keys at a time, with its derivatives.
pub(crate) fn position_jet(from: &CubicKey<DVec3>, to: &CubicKey<DVec3>, time: f64) -> Jet<DVec3> {
    let h = to.time - from.time;
    let [value, first, second] = weights((time - from.time) / h, h)
        .map(|[a, b, c, d]| a * from.value + b * from.out_tangent + c * to.value + d * to.in_tangent);
    Jet { value, first, second }
}

/// Like [`position_jet`], for a quaternion, which is not normalised.
pub(crate) fn rotation_jet(from: &CubicKey<DQuat>, to: &CubicKey<DQuat>, time: f64) -> Jet<DQuat> {
    let h = to.time - from.time;
    let [value, first, second] = weights((time - from.time) / h, h)
        .map(|[a, b, c, d]| from.value * a + from.out_tangent * b + to.value * c + to.in_tangent * d);
    Jet { value, first, second }
}
