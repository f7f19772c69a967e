//! Numbers and values made of numbers, read from the bytes that the fuzzer mutates.

use chasles::{Pose, Screw};
use glam::{DQuat, DVec3};

/// A reader of bytes. After their end it returns zeros.
#[derive(Debug, Clone)]
pub struct Bytes<'a>(&'a [u8]);

/// Numbers that are likely to cause faults: NaN and infinities, the limits of the allowed ranges, and numbers that
/// vanish by rounding.
const ODD: [f64; 24] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    -0.0,
    f64::MIN_POSITIVE,
    5e-324,
    f64::MAX,
    1e300,
    -1e300,
    1e70,
    9.9e69,
    -9.9e69,
    1e35,
    1e17,
    1e9,
    -1e6,
    1e-300,
    1e-70,
    1e-17,
    1e-9,
    -1e-9,
    f64::EPSILON,
    std::f64::consts::PI,
    std::f64::consts::TAU,
];

impl<'a> Bytes<'a> {
    /// A reader of these bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number below `count`.
    pub fn below(&mut self, count: u8) -> usize {
        usize::from(self.byte() % count)
    }

    /// True once in `times` values of a byte.
    pub fn once_in(&mut self, times: u8) -> bool {
        self.byte() % times == times - 1
    }

    /// A multiple of 1/16 between -7 and 7, so that many numbers are equal and many features are coplanar;
    /// occasionally a number of `ODD`, or an arbitrary number.
    pub fn number(&mut self) -> f64 {
        match self.byte() {
            255 => f64::from_bits(u64::from_le_bytes([(); 8].map(|()| self.byte()))),
            254 => f64::from(f32::from_bits(u32::from_le_bytes([(); 4].map(|()| self.byte())))),
            byte @ 230..=253 => ODD[usize::from(byte - 230)],
            byte => (f64::from(byte) - 115.0) / 16.0,
        }
    }

    /// Usually a small positive number.
    pub fn size(&mut self) -> f64 {
        let number = self.number();
        if number.abs() < 8.0 { number.abs() + 1.0 / 16.0 } else { number }
    }

    /// Three numbers.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::from_array([(); 3].map(|()| self.number()))
    }

    /// A quaternion of any length.
    pub fn quaternion(&mut self) -> DQuat {
        match self.byte() % 4 {
            0 => DQuat::IDENTITY,
            1 => DQuat::from_xyzw(0.0, 0.0, 1.0, 1.0),
            2 => DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
            _ => DQuat::from_array([(); 4].map(|()| self.number())),
        }
    }

    /// A pose, if the numbers are valid.
    pub fn pose(&mut self) -> Option<Pose> {
        let position = self.vector();
        Pose::new(position, self.quaternion()).ok()
    }

    /// A screw of any kind, if the numbers are valid.
    pub fn screw(&mut self) -> Option<Screw> {
        let start = self.pose()?;
        Some(match self.byte() % 4 {
            0 => Screw::still(start),
            1 => Screw::between(start, self.pose()?),
            2 => {
                let end = Pose::from_position(self.vector()).ok()?;
                Screw::translation(start, end.position())
            }
            _ => {
                let (direction, point) = (self.vector(), self.vector());
                Screw::about(start, direction, point, self.number(), self.number()).ok()?
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_numbers_and_end_in_zeros() {
        let mut bytes = Bytes::new(&[115, 131, 230, 255, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 248]);
        assert_eq!((bytes.number(), bytes.number()), (0.0, 1.0));
        assert!(bytes.number().is_nan());
        assert_eq!((bytes.number(), bytes.number()), (1.0, 1e-17));
        assert_eq!((bytes.byte(), bytes.below(3), bytes.once_in(2)), (0, 0, false));
        assert_eq!(Bytes::new(&[116, 99]).size(), 0.125);
    }

    #[test]
    fn screws_of_all_kinds_are_made() {
        let at = [115, 115, 115, 0];
        for (kind, rest) in [(0, vec![]), (1, vec![131, 115, 115, 1]), (2, vec![131, 115, 115])] {
            assert!(Bytes::new(&[&at[..], &[kind], &rest].concat()).screw().is_some());
        }
        let about = [&at[..], &[3], &[115, 115, 131], &[115; 3], &[131, 147]].concat();
        let screw = Bytes::new(&about).screw().expect("an axis");
        assert_eq!((screw.slide(), screw.angle()), (1.0, 2.0));
        assert_eq!(Bytes::new(&[230]).screw(), None);
    }
}
