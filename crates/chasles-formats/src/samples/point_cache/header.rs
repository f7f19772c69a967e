//! The header of a point cache, compared with the length of the file.

use std::io::Read;
use std::path::Path;

use super::PointCacheFormat;
use crate::error::{Error, Result};
use crate::limits;
use crate::text::lines::quoted;

/// Bytes of a point: three floats.
pub(super) const POINT: usize = 12;

/// Position of the sample rate in a PC2 file.
pub(super) const RATE_BYTE: usize = 24;

/// Minimum number of frames: a single shape would be a mesh, so a cache with one frame was probably truncated.
const FRAMES: usize = 2;

const MAGIC: &[u8; 12] = b"POINTCACHE2\0";
const PC2_HEAD: u64 = 32;
const MDD_HEAD: u64 = 8;

/// The layout of the data after the header.
#[derive(Debug)]
pub(super) struct PointCacheHeader {
    format: PointCacheFormat,
    pub(super) frames: usize,
    pub(super) points: usize,
    pub(super) times: FrameTimes,
    /// The position of the first point.
    data_start: u64,
}

/// The times of the frames.
#[derive(Debug)]
pub(super) enum FrameTimes {
    /// Frame i is at `start` + i * `rate`, in frames of the program that wrote the file.
    Rate { start: f64, rate: f64 },
    /// Times in seconds.
    Listed(Vec<f64>),
}

impl PointCacheHeader {
    /// Reads a header from a stream of `length` bytes, up to the first point.
    pub(super) fn read(
        stream: &mut impl Read,
        length: u64,
        format: PointCacheFormat,
        path: &Path,
    ) -> Result<Self> {
        let (name, head) = match format {
            PointCacheFormat::Pc2 => ("PC2", PC2_HEAD),
            PointCacheFormat::Mdd => ("MDD", MDD_HEAD),
        };
        if length < head {
            let message = format!("found {length} bytes, expected at least {head}, the header of {name}");
            return Err(Error::file(path, message));
        }
        match format {
            PointCacheFormat::Pc2 => Self::pc2(stream, length, path),
            PointCacheFormat::Mdd => Self::mdd(stream, length, path),
        }
    }

    fn pc2(stream: &mut impl Read, length: u64, path: &Path) -> Result<Self> {
        let magic: [u8; 12] = bytes(stream, path)?;
        if &magic != MAGIC {
            let found = quoted(&magic);
            return Err(Error::byte(path, 0, format!("found {found}, expected `POINTCACHE2\\x00`")));
        }
        let [version, points] =
            [i32::from_le_bytes(bytes(stream, path)?), i32::from_le_bytes(bytes(stream, path)?)];
        if version != 1 {
            return Err(Error::byte(path, 12, format!("found version {version}, expected 1")));
        }
        let [start, rate] =
            [f32::from_le_bytes(bytes(stream, path)?), f32::from_le_bytes(bytes(stream, path)?)];
        let samples = i32::from_le_bytes(bytes(stream, path)?);
        let points = count(points, ("points", 1, limits::MESH_PARTS), 16, path)?;
        let frames = count(samples, ("samples", FRAMES, limits::CACHE_FRAMES), 28, path)?;
        let times = FrameTimes::Rate { start: f64::from(start), rate: f64::from(rate) };
        Self { format: PointCacheFormat::Pc2, frames, points, times, data_start: PC2_HEAD }
            .checked(length, path)
    }

    fn mdd(stream: &mut impl Read, length: u64, path: &Path) -> Result<Self> {
        let [frames, points] =
            [i32::from_be_bytes(bytes(stream, path)?), i32::from_be_bytes(bytes(stream, path)?)];
        let frames = count(frames, ("frames", FRAMES, limits::CACHE_FRAMES), 0, path)?;
        let points = count(points, ("points", 1, limits::MESH_PARTS), 4, path)?;
        let data_start = MDD_HEAD + 4 * frames as u64;
        let mut header = Self {
            format: PointCacheFormat::Mdd,
            frames,
            points,
            times: FrameTimes::Listed(vec![]),
            data_start,
        };
        // Checked before the times are read, whose number the header states.
        header = header.checked(length, path)?;
        let times: Result<Vec<f64>> =
            (0..frames).map(|_| Ok(f64::from(f32::from_be_bytes(bytes(stream, path)?)))).collect();
        header.times = FrameTimes::Listed(times?);
        Ok(header)
    }

    /// The header, if the file is long enough for its counts.
    fn checked(self, length: u64, path: &Path) -> Result<Self> {
        let expected =
            u128::from(self.data_start) + self.frames as u128 * self.points as u128 * POINT as u128;
        if u128::from(length) < expected {
            let Self { frames, points, data_start, .. } = self;
            let message = format!(
                "the file ends after {length} bytes, expected {expected}: a header of {data_start} and {frames} frames of \
                 {points} points"
            );
            return Err(Error::file(path, message));
        }
        Ok(self)
    }

    /// The position of a frame, which the check has shown to be in the file.
    pub(super) fn start_of(&self, frame: usize) -> u64 {
        self.data_start + frame as u64 * self.points as u64 * POINT as u64
    }

    /// The position after the last frame.
    pub(super) fn end(&self) -> u64 {
        self.start_of(self.frames)
    }

    /// The coordinates of a point from its bytes.
    pub(super) fn point(&self, bytes: [u8; POINT]) -> [f32; 3] {
        let number = |axis: usize| -> f32 {
            let raw = [0, 1, 2, 3].map(|i| bytes[4 * axis + i]);
            match self.format {
                PointCacheFormat::Pc2 => f32::from_le_bytes(raw),
                PointCacheFormat::Mdd => f32::from_be_bytes(raw),
            }
        };
        [number(0), number(1), number(2)]
    }
}

fn bytes<const N: usize>(stream: &mut impl Read, path: &Path) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).map_err(|error| Error::io(path, &error))?;
    Ok(bytes)
}

/// Checks that a count is in its range.
fn count(
    found: i32,
    (what, minimum, maximum): (&str, usize, usize),
    byte: usize,
    path: &Path,
) -> Result<usize> {
    let count = usize::try_from(found).unwrap_or(0);
    if (minimum..=maximum).contains(&count) {
        return Ok(count);
    }
    Err(Error::byte(path, byte, format!("found {found} {what}, expected {minimum} to {maximum}")))
}
