//! Point caches: where each vertex of a mesh is at each of many times, as animation programs write them.
//!
//! | kind | header | numbers |
//! |---|---|---|
//! | PC2 | `POINTCACHE2\0`, int 1, points, float start, float rate, int samples | little-endian, `f32` |
//! | MDD | int frames, int points, a float for the time of each frame in seconds | big-endian, `f32` |
//!
//! Both continue with three floats for each point of each frame. Reference: T. Lowery, "PC2 file format", and the
//! exporters of Blender. A header is held against the length of the file before anything is made of it, so that a
//! header that promises terabytes costs nothing. Frames are read one by one as they are asked for: however long the
//! cache, none is kept here.

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

/// The kinds of point caches that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointCacheFormat {
    /// `.pc2`, of 3ds Max, Blender and others.
    Pc2,
    /// `.mdd`, of `LightWave`, Blender and others.
    Mdd,
}

impl PointCacheFormat {
    /// The format that the name of a file states, whatever the case of its letters.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "pc2" => Some(Self::Pc2),
            "mdd" => Some(Self::Mdd),
            _ => None,
        }
    }
}

/// An opened cache, whose header fits its length. Frames are read when they are asked for.
#[derive(Debug)]
pub struct PointCache<S = File> {
    path: PathBuf,
    header: PointCacheHeader,
    warnings: Vec<String>,
    source: Mutex<S>,
}

impl PointCache {
    /// Opens a cache and reads its header. Its name tells the kind.
    ///
    /// # Errors
    /// A name that ends in neither `.pc2` nor `.mdd`; what cannot be read, is no regular file or too large; and as
    /// [`PointCache::of`].
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
    /// The same of anything that is so many bytes long and stands at its beginning; `path` names it in messages.
    ///
    /// ```
    /// use chasles_formats::point_cache::{PointCacheFormat, PointCache};
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
    /// With byte, what was found and what was expected: another beginning than the format has, fewer than two frames
    /// or no points, more than are read, a file that is too short for its counts.
    pub fn of(mut source: S, length: u64, format: PointCacheFormat, path: &Path) -> Result<Self> {
        let header = PointCacheHeader::read(&mut BufReader::new(&mut source), length, format, path)?;
        let mut warnings = Vec::new();
        let beyond = length - header.end();
        if beyond > 0 {
            let frames = header.frames;
            warnings.push(format!("{beyond} bytes after the last of {frames} frames are passed over"));
        }
        Ok(Self { path: path.to_path_buf(), header, warnings, source: Mutex::new(source) })
    }

    /// How many frames there are: at least two.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.header.frames
    }

    /// How many points each of them has: at least one.
    #[must_use]
    pub fn points(&self) -> usize {
        self.header.points
    }

    /// What was passed over, one sentence each.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// When each frame is, in seconds: finite, increasing. A PC2 counts in frames of the program that wrote it, of which `fps` are a
    /// second: its sample i is at (start + i * rate) / `fps`. An MDD has times, whatever `fps` is.
    ///
    /// # Errors
    /// Times that are not finite or do not increase.
    pub fn times(&self, fps: f64) -> Result<Vec<f64>> {
        let times: Vec<f64> = match &self.header.times {
            FrameTimes::Given(times) => times.clone(),
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

    /// Reads a frame, counted from 0, as it stands in the file.
    ///
    /// # Errors
    /// A frame that there is not, another number of points than each frame has; a file that cannot be read; with frame and
    /// vertex, a number that is not finite.
    pub fn read(&self, frame: usize, points: &mut [DVec3]) -> Result<()> {
        let PointCacheHeader { frames, points: count, .. } = self.header;
        if frame >= frames || points.len() != count {
            let message = format!(
                "found a wish for {} points of frame {frame}, expected {count} points of a frame below {frames}",
                points.len()
            );
            return Err(Error::file(&self.path, message));
        }
        let complain = |error: std::io::Error| Error::io(&self.path, &error);
        // A reader that panicked has left nothing half done: each begins with its own place.
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        source.seek(SeekFrom::Start(self.header.begin_of(frame))).map_err(complain)?;
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

/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;

#[cfg(test)]
mod tests;
