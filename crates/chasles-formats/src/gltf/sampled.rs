//! Samples a motion along screws for linear interpolation and slerp, in `f32`.
//!
//! Slerp between two rotations is the rotation of a screw. But glTF moves the origin on a straight line, and a screw
//! moves it on a helix: samples are added until the chord error is at most the given bound. Some players, such as
//! Blender, interpolate quaternions linearly; with [`MAX_ANGLE`] the error is then less than 1e-4 rad.

use chasles::{Pose, Screw};
use glam::DQuat;

use super::shaded::narrow;

/// The samples of a motion.
pub(super) struct Samples {
    /// Increasing times in seconds; a single time if the body is static.
    pub(super) times: Vec<f32>,
    pub(super) places: Vec<[f32; 3]>,
    /// (x, y, z, w), unit; successive rotations differ by less than half a revolution.
    pub(super) rotations: Vec<[f32; 4]>,
}

/// Maximum rotation between two samples, in radians: 10 degrees.
const MAX_ANGLE: f64 = 0.175;

/// A pose in the format's numbers.
pub(super) fn to_single_precision(pose: &Pose) -> Result<([f32; 3], [f32; 4]), String> {
    let place = narrow(pose.position());
    if place.iter().any(|x| !x.is_finite()) {
        return Err(format!(
            "found a place {:e} m away, expected less than 3e38 m",
            pose.position().length()
        ));
    }
    #[expect(clippy::cast_possible_truncation, reason = "the format has no more digits")]
    let rotation_row = pose.rotation().normalize().to_array().map(|x| (x + 0.0) as f32);
    Ok((place, rotation_row))
}

/// At most `maximum` samples of a motion. `keys` are poses at times that do not decrease, at least one.
///
/// If several keys have equal times in `f32`, the first key has that time, and the last the next `f32`, so that a
/// jump remains a jump.
pub(super) fn sampled(keys: &[(f64, Pose)], within: f64, maximum: usize) -> Result<Samples, String> {
    let mut dense: Vec<(f64, Pose)> = Vec::with_capacity(keys.len());
    let moves = keys.windows(2).any(|pair| pair[0].1 != pair[1].1);
    for (number, key) in keys.iter().enumerate().take(if moves { keys.len() } else { 1 }) {
        if let Some((time, pose)) = number.checked_sub(1).map(|before| keys[before]) {
            let screw = Screw::between(pose, key.1);
            let parts = parts(&screw, within).min(maximum as f64 + 1.0);
            let mut part = 1.0;
            while part < parts {
                let fraction = part / parts;
                dense.push((time + (key.0 - time) * fraction, screw.pose_at(fraction)));
                part += 1.0;
            }
        }
        dense.push(*key);
        if dense.len() > maximum {
            return Err(format!("found more than {maximum} poses, expected no more"));
        }
    }
    let mut samples = Samples { times: Vec::new(), places: Vec::new(), rotations: Vec::new() };
    let mut first_index = 0;
    while let Some((time, first)) = dense.get(first_index) {
        let start = narrow_time(*time);
        let same = dense[first_index..].iter().take_while(|(time, _)| narrow_time(*time) == start).count();
        let end = first_index + same;
        samples.push(start, first)?;
        // The time must not be subnormal, which some programs treat as 0.
        let after = start.next_up().max(f32::MIN_POSITIVE);
        if same > 1 && dense.get(end).is_none_or(|(next, _)| narrow_time(*next) > after) {
            samples.push(after, &dense[end - 1].1)?;
        }
        first_index = end;
    }
    Ok(samples)
}

/// The number of parts into which a screw is divided: an integer.
fn parts(screw: &Screw, within: f64) -> f64 {
    let velocity = screw.velocity_at(screw.start().position(), 0.0);
    let across = (velocity - velocity.dot(screw.direction()) * screw.direction()).length();
    // The chord error of an arc with angle b at the distance r from the axis is at most r b^2 / 8; r b is `across`.
    let chord_parts = (0.125 * across * screw.angle() / within).sqrt();
    let parts = chord_parts.max(screw.angle() / MAX_ANGLE).ceil();
    if parts.is_finite() { parts.max(1.0) } else { 1.0 }
}

#[expect(clippy::cast_possible_truncation, reason = "the format has no more digits")]
fn narrow_time(time: f64) -> f32 {
    (time + 0.0) as f32
}

impl Samples {
    fn push(&mut self, time: f32, pose: &Pose) -> Result<(), String> {
        let (place, mut rotation_row) = to_single_precision(pose)?;
        if let Some(before) = self.rotations.last() {
            let [before, current] =
                [*before, rotation_row].map(|rotation_row| DQuat::from_array(rotation_row.map(f64::from)));
            // The same rotation, on the shorter arc.
            if before.dot(current) < 0.0 {
                rotation_row = rotation_row.map(|x| 0.0 - x);
            }
        }
        self.times.push(time);
        self.places.push(place);
        self.rotations.push(rotation_row);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    fn at(x: f64) -> Pose {
        Pose::from_position(x * DVec3::X).unwrap()
    }

    /// The pose that a player shows at a time.
    fn played(samples: &Samples, time: f64) -> (DVec3, DQuat) {
        let next = samples
            .times
            .partition_point(|other| f64::from(*other) <= time)
            .clamp(1, samples.times.len() - 1);
        let [first_index, end] = [next - 1, next].map(|i| f64::from(samples.times[i]));
        let fraction = (time - first_index) / (end - first_index);
        let place = |i: usize| DVec3::from_array(samples.places[i].map(f64::from));
        let rotation_row = |i: usize| DQuat::from_array(samples.rotations[i].map(f64::from)).normalize();
        // Linear interpolation, as in Blender.
        (
            place(next - 1).lerp(place(next), fraction),
            (rotation_row(next - 1) * (1.0 - fraction) + rotation_row(next) * fraction).normalize(),
        )
    }

    #[test]
    fn large_rotations_are_sampled_within_the_requested_error() {
        let start = Pose::from_position(DVec3::new(3.0, 0.0, 0.0)).unwrap();
        let screw = Screw::about(start, DVec3::Z, DVec3::ZERO, 0.5, 2.9).unwrap();
        let keys = [(0.0, start), (2.0, screw.end())];
        for within in [0.1, 1e-3, 1e-5] {
            let samples = sampled(&keys, within, 1_000_000).unwrap();
            assert!(samples.times.windows(2).all(|pair| pair[0] < pair[1]));
            for i in 0..=1000 {
                let fraction = f64::from(i) / 1000.0;
                let (place, rotation_row) = played(&samples, 2.0 * fraction);
                let pose = screw.pose_at(fraction);
                let error = place.distance(pose.position());
                assert!(error <= 1.1 * within + 1e-6, "{error} m for {within} at {fraction}");
                let angle = 2.0 * rotation_row.dot(pose.rotation()).abs().min(1.0).acos();
                assert!(angle < 1e-4 + 1e-3 * within, "{angle} at {fraction}");
            }
        }
        assert!(sampled(&keys, 1e-12, 1000).is_err());
    }

    #[test]
    fn times_increase_in_single_precision_and_jumps_are_kept() {
        // Some of these times are equal in f32.
        let keys: Vec<(f64, Pose)> =
            (0..40).map(|i| (1.0 + f64::from(i) * 2e-8, at(f64::from(i)))).chain([(2.0, at(40.0))]).collect();
        let samples = sampled(&keys, 1.0, 1000).unwrap();
        assert!(samples.times.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", samples.times);
        assert_eq!(
            (samples.places[0], samples.places[samples.places.len() - 1]),
            ([0.0; 3], [40.0, 0.0, 0.0])
        );
        let jump =
            sampled(&[(0.0, at(0.0)), (1.0, at(1.0)), (1.0, at(5.0)), (2.0, at(6.0))], 1.0, 10).unwrap();
        assert_eq!(jump.times, [0.0, 1.0, 1.0_f32.next_up(), 2.0]);
        assert_eq!(jump.places.iter().map(|place| place[0]).collect::<Vec<_>>(), [0.0, 1.0, 5.0, 6.0]);
        // A jump at time 0 also gets a second time, and a static body has one pose.
        let first_index = sampled(&[(0.0, at(0.0)), (0.0, at(2.0)), (1.0, at(3.0))], 1.0, 10).unwrap();
        assert!(first_index.times[1] > 0.0 && first_index.times.len() == 3);
        assert_eq!(sampled(&[(0.0, at(1.0)), (1.0, at(1.0))], 1.0, 10).unwrap().times, [0.0]);
    }

    #[test]
    fn quaternions_keep_their_sign() {
        // Three revolutions, as quaternions of alternating signs.
        let pose = |i: i32| {
            let rotation_row = DQuat::from_rotation_z(f64::from(i) * 0.9);
            Pose::new(DVec3::ZERO, if i % 2 == 0 { rotation_row } else { -rotation_row }).unwrap()
        };
        let keys: Vec<(f64, Pose)> = (0..22).map(|i| (f64::from(i), pose(i))).collect();
        let samples = sampled(&keys, 1.0, 1000).unwrap();
        assert_eq!(samples.times.len(), 21 * 6 + 1);
        for pair in samples.rotations.windows(2) {
            let [a, b] =
                [pair[0], pair[1]].map(|rotation_row| DQuat::from_array(rotation_row.map(f64::from)));
            assert!(a.dot(b) > 0.99, "{a} {b}");
        }
    }

    #[test]
    fn numbers_beyond_single_precision_are_errors() {
        let too_far = sampled(&[(0.0, at(1e39))], 1.0, 10).err().unwrap();
        assert!(too_far.contains("expected less than 3e38 m"), "{too_far}");
    }
}
