//! Point caches: the vertices of a mesh at many times, as animation programs write them.
//!
//! | kind | header | numbers |
//! |---|---|---|
//! | PC2 | `POINTCACHE2\0`, int 1, points, float start, float rate, int samples | little-endian, `f32` |
//! | MDD | int frames, int points, a float for the time of each frame in seconds | big-endian, `f32` |
//!
//! Both continue with three floats for each point of each frame. Reference: T. Lowery, "PC2 file format", and the
//! exporters of Blender. The header is compared with the length of the file before memory is allocated, so a header
//! with absurd counts costs nothing. Frames are read one by one on request, and none is kept here, however long the
//! cache.

mod header;

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use glam::DVec3;

use crate::error::{Error, Result};
use crate::limits;
use crate::reading;
use header::{FrameTimes, POINT, PointCacheHeader};

/// The supported formats of point caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointCacheFormat {
    /// `.pc2`, of 3ds Max, Blender and others.
    Pc2,
    /// `.mdd`, of `LightWave`, Blender and others.
    Mdd,
}

impl PointCacheFormat {
    /// The format of a file's extension, in upper or lower case.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "pc2" => Some(Self::Pc2),
            "mdd" => Some(Self::Mdd),
            _ => None,
        }
    }
}

/// An opened cache whose header fits its length. Frames are read on request.
#[derive(Debug)]
pub struct PointCache<S = File> {
    path: PathBuf,
    header: PointCacheHeader,
    warnings: Vec<String>,
    source: Mutex<S>,
}

impl PointCache {
    /// Opens a cache and reads its header. The file's extension determines the format.
    ///
    /// # Errors
    /// A name that ends in neither `.pc2` nor `.mdd`; a file that cannot be read, is not regular or is too large;
    /// and as for [`PointCache::of`].
    pub fn open(path: &Path) -> Result<Self> {
        let Some(format) = PointCacheFormat::from_extension(path) else {
            return Err(Error::file(path, "unknown kind of point cache: expected .pc2 or .mdd"));
        };
        let length = limits::check_regular(path)?;
        if length > limits::CACHE_FILE {
            let message = format!("found {length} bytes, expected at most {}", limits::CACHE_FILE);
            return Err(Error::file(path, message));
        }
        Self::of(reading::open(path)?, length, format, path)
    }
}

impl<S: Read + Seek> PointCache<S> {
    /// Like `open`, for any source of `length` bytes, positioned at its start; messages name `path`.
    ///
    /// ```
    /// use chasles_formats::samples::point_cache::{PointCacheFormat, PointCache};
    /// let mut bytes = b"POINTCACHE2\0".to_vec();
    /// bytes.extend([1_i32, 1].into_iter().flat_map(i32::to_le_bytes));
    /// bytes.extend([12_f32, 6.0].into_iter().flat_map(f32::to_le_bytes));
    /// bytes.extend(2_i32.to_le_bytes());
    /// bytes.extend([1_f32, 2.0, 3.0, 4.0, 5.0, 6.0].into_iter().flat_map(f32::to_le_bytes));
    /// let length = bytes.len() as u64;
    /// let cache = PointCache::of(std::io::Cursor::new(bytes), length, PointCacheFormat::Pc2, "a.pc2".as_ref())?;
    /// assert_eq!(cache.times(24.0)?, [0.5, 0.75]);
    /// let mut points = [glam::DVec3::ZERO];
    /// cache.read(1, &mut points)?;
    /// assert_eq!(points[0].to_array(), [4.0, 5.0, 6.0]);
    /// # Ok::<(), chasles_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// With the byte, what was found and what was expected: a wrong signature, fewer than two frames or no points,
    /// counts above the limits, a file that is too short for its counts.
    pub fn of(mut source: S, length: u64, format: PointCacheFormat, path: &Path) -> Result<Self> {
        let header = PointCacheHeader::read(&mut BufReader::new(&mut source), length, format, path)?;
        let mut warnings = Vec::new();
        let beyond = length - header.end();
        if beyond > 0 {
            let frames = header.frames;
            warnings.push(format!("{beyond} bytes after the last of {frames} frames are skipped"));
        }
        Ok(Self { path: path.to_path_buf(), header, warnings, source: Mutex::new(source) })
    }

    /// The number of frames: at least two.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.header.frames
    }

    /// The number of points in each frame: at least one.
    #[must_use]
    pub fn points(&self) -> usize {
        self.header.points
    }

    /// Warnings about ignored content, one sentence each.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The time of each frame in seconds: finite, increasing. A PC2 file counts in frames of the program that wrote
    /// it, at `fps` frames per second: its sample i is at (start + i * rate) / `fps`. An MDD file has times, and
    /// ignores `fps`.
    ///
    /// # Errors
    /// Times that are not finite or do not increase.
    pub fn times(&self, fps: f64) -> Result<Vec<f64>> {
        let times: Vec<f64> = match &self.header.times {
            FrameTimes::Listed(times) => times.clone(),
            FrameTimes::Rate { start, rate } => {
                if !(*rate > 0.0 && rate.is_finite()) {
                    let message = format!("found the sample rate {rate}, expected a finite number > 0");
                    return Err(Error::byte(&self.path, header::RATE_BYTE, message));
                }
                (0..self.header.frames).map(|i| (start + i as f64 * rate) / fps).collect()
            }
        };
        let fault = |frame: usize, found: String, expected: &str| {
            Error::file(&self.path, format!("frame {frame}: found the time {found}, expected {expected}"))
        };
        if let Some(frame) = times.iter().position(|time| !time.is_finite()) {
            return Err(fault(frame, times[frame].to_string(), "a finite number"));
        }
        match times.windows(2).position(|pair| pair[1] <= pair[0]) {
            None => Ok(times),
            Some(i) => {
                let found = format!("{} after {}", times[i + 1], times[i]);
                Err(fault(i + 1, found, "times that increase"))
            }
        }
    }

    /// Reads a frame, counted from 0, with the values of the file.
    ///
    /// # Errors
    /// A frame that does not exist, a slice of another length than the number of points; a file that cannot be read;
    /// with frame and vertex, a number that is not finite.
    pub fn read(&self, frame: usize, points: &mut [DVec3]) -> Result<()> {
        let PointCacheHeader { frames, points: count, .. } = self.header;
        if frame >= frames || points.len() != count {
            let message = format!(
                "found a buffer for {} points of frame {frame}, expected {count} points of a frame below {frames}",
                points.len()
            );
            return Err(Error::file(&self.path, message));
        }
        let complain = |error: std::io::Error| Error::io(&self.path, &error);
        // A poisoned lock is harmless, because each read starts with a seek.
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        source.seek(SeekFrom::Start(self.header.start_of(frame))).map_err(complain)?;
        let mut stream = BufReader::with_capacity((POINT * count).min(BUFFER), &mut *source);
        for (vertex, point) in points.iter_mut().enumerate() {
            let mut bytes = [0; POINT];
            stream.read_exact(&mut bytes).map_err(complain)?;
            let coordinates = self.header.point(bytes);
            if let Some(axis) = coordinates.iter().position(|x| !x.is_finite()) {
                let (name, value) = (["x", "y", "z"][axis], coordinates[axis]);
                let what = format!("{name} of vertex {vertex} is {value}: expected a finite number");
                return Err(Error::file(&self.path, format!("frame {frame}: {what}")));
            }
            *point = DVec3::from_array(coordinates.map(f64::from));
        }
        Ok(())
    }
}

/// Buffer size of a read, in bytes.
const BUFFER: usize = 1 << 16;

#[cfg(test)]
mod tests;
