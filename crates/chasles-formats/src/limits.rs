//! Limits of all readers, and the functions that read files within them.
//!
//! The limits are far above practical sizes. They turn a faulty or malicious file, a device, or an endless pipe into
//! an error before it exhausts the memory. Limits that concern the structure of one format are in its module.

use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;

use crate::error::{Error, Result};
use crate::reading;

/// Maximum bytes of a mesh in OBJ, STL, PLY or OFF. Triangles and vertices have separate limits.
pub(crate) const MESH_FILE: u64 = 4 << 30;

/// Maximum number of triangles in a mesh, and of vertices: each takes up to 100 bytes while it is read.
pub(crate) const MESH_PARTS: usize = 50_000_000;

/// Maximum bytes of a point cloud file. The points have a separate limit.
pub(crate) const CLOUD_FILE: u64 = 4 << 30;

/// Maximum number of points in a cloud, and in all clouds of a scene.
pub(crate) const CLOUD_POINTS: usize = 50_000_000;

/// Bytes of memory that a point takes until it can be checked, in addition to its file.
pub(crate) const POINT_BYTES: u64 = 100;

/// Maximum bytes of a point cache. One frame is in memory at a time; reading all frames at this size takes a minute
/// or two.
pub(crate) const CACHE_FILE: u64 = 64 << 30;

/// Maximum number of frames in a point cache, whose times are kept.
pub(crate) const CACHE_FRAMES: usize = 10_000_000;

/// Maximum bytes of vertices of a mesh sequence in memory; other files are read again at each use.
pub(crate) const SEQUENCE_KEPT: usize = 1 << 28;

/// Maximum bytes of a file of samples.
pub(crate) const GRID_FILE: u64 = 4 << 30;

/// Maximum number of samples in a grid, and in all grids of a scene: a cube with 640 samples along each edge.
pub(crate) const GRID_SAMPLES: usize = 1 << 28;

/// Maximum number of triangles of all bodies of a scene or robot; a mesh counts once for each size in which it is
/// used.
pub(crate) const SCENE_TRIANGLES: usize = 50_000_000;

/// Bytes of memory that a triangle takes until it can be checked. Measured: at most 220.
const TRIANGLE_BYTES: u64 = 256;

/// Maximum bytes of a scene in TOML: half a million keyframes, or a hundred thousand bodies.
pub(crate) const SCENE_FILE: u64 = 32 << 20;

/// Bytes of memory that each value of a scene in TOML takes while it is read. Measured: 152 if each value is a digit
/// and a comma.
const SCENE_VALUE_BYTES: u64 = 160;

/// Bytes of memory that an element, a text or an attribute of an XML file takes.
const XML_NODE_BYTES: u64 = 72;

/// Maximum bytes of a recording: ten thousand lines of a thousand bodies.
pub(crate) const RECORDING_FILE: u64 = 4 << 30;

/// Bytes of memory that each byte of a recording takes once it is read. Estimated for poses whose numbers have one
/// digit: 16 bytes of text are kept beside 56 bytes of numbers, which become keyframes.
const RECORDING_BYTES: u64 = 8;

/// Bytes of memory that each byte of a line of a recording takes while the line is read, as for
/// [`IMPULSE_LINE_BYTES`].
const RECORDING_LINE_BYTES: u64 = 32;

/// Maximum bytes of an XML file: a robot, a COLLADA mesh, an SRDF.
pub(crate) const XML_FILE: u64 = 256 << 20;

/// Maximum bytes of a glTF file: the maximum length that its binary form can state.
pub(crate) const GLTF_FILE: u64 = (4 << 30) - 1;

/// Maximum bytes of the numbers in a glTF file that is written.
pub(crate) const GLTF_WRITTEN: usize = 1 << 30;

/// Maximum bytes of a world in VRML or X3D, with all files that it includes.
pub(crate) const WORLD_FILE: u64 = 512 << 20;

/// Bytes of memory that each byte of a world takes: its text is kept beside its numbers, which take up to four times
/// as much.
pub(crate) const WORLD_BYTES: u64 = 5;

/// Maximum bytes of a decompressed world, whose compressed file may be a thousand times smaller.
pub(crate) const WORLD_UNPACKED: u64 = 128 << 20;

/// Maximum bytes of a path.
pub(crate) const PATH_FILE: u64 = 256 << 20;

/// Maximum number of waypoints in a path: almost three hours at a hundred per second. Each takes up to 1500 bytes
/// while it is read.
pub(crate) const PATH_WAYPOINTS: usize = 1_000_000;

/// Maximum number of values in a path. An hour of six joints at a hundred waypoints per second takes a quarter of
/// this number.
pub(crate) const PATH_NUMBERS: usize = 10_000_000;

/// Maximum number of keys in a separate file of a motion. The file has the same maximum bytes as a path.
pub(crate) const MOTION_KEYS: usize = 1_000_000;

/// Maximum bytes of a report that is read back.
pub(crate) const REPORT_FILE: u64 = 1 << 30;

/// Maximum bytes of a file of clearances: a million pairs.
pub(crate) const CLEARANCE_FILE: u64 = 64 << 20;

/// Maximum bytes of a file of problems that is read as a whole.
pub(crate) const PROBLEM_FILE: u64 = 1 << 30;

/// Maximum bytes of one line of a file of problems, which needs two file names and some numbers.
pub const PROBLEM_LINE: u64 = 1 << 20;

/// Maximum bytes of one line of a file of impulse problems, which has all bodies and joints of a mechanism: a
/// hundred thousand.
pub const IMPULSE_LINE: u64 = 64 << 20;

/// Bytes of memory that each byte of such a line takes while it is read. Measured: 7 for numbers with all their
/// digits, 25 for numbers with one digit.
pub(crate) const IMPULSE_LINE_BYTES: u64 = 32;

/// Maximum bytes read from a pipe or device, for any format, because its length is unknown.
const STREAM: u64 = 256 << 20;

/// Reads a file of at most `maximum` bytes.
///
/// # Errors
/// A file that cannot be read, that is larger, or that does not fit in memory.
pub(crate) fn read(path: &Path, maximum: u64) -> Result<Vec<u8>> {
    let complain = |error: std::io::Error| Error::io(path, &error);
    let file = reading::open(path)?;
    let facts = file.metadata().map_err(complain)?;
    // A growing file or a pipe is known to be too large only after more than `maximum` bytes were read.
    let (known, maximum) = match facts.is_file() {
        true => (facts.len(), maximum),
        false => (0, maximum.min(STREAM)),
    };
    let too_large =
        |found: String| Error::file(path, format!("found {found} bytes, expected at most {maximum}"));
    if known > maximum {
        return Err(too_large(known.to_string()));
    }
    reading::check_limit(known).map_err(|message| Error::file(path, message))?;
    let mut bytes = Vec::new();
    if usize::try_from(known).map_or(true, |known| bytes.try_reserve_exact(known).is_err()) {
        return Err(Error::file(path, memory_error(known)));
    }
    file.take(maximum.min(reading::memory()) + 1).read_to_end(&mut bytes).map_err(complain)?;
    if bytes.len() as u64 > maximum {
        return Err(too_large(format!("more than {maximum}")));
    }
    reading::check_limit(bytes.len() as u64).map_err(|message| Error::file(path, message))?;
    Ok(bytes)
}

/// The first `maximum` bytes of a file, or all if it is shorter, and the length of the whole file.
///
/// # Errors
/// As for [`check_regular`].
pub(crate) fn head(path: &Path, maximum: u64) -> Result<(Vec<u8>, u64)> {
    let length = check_regular(path)?;
    let complain = |error: std::io::Error| Error::io(path, &error);
    let mut bytes = Vec::new();
    reading::open(path)?.take(maximum).read_to_end(&mut bytes).map_err(complain)?;
    Ok((bytes, length))
}

/// Refuses everything but a regular file, because reading a pipe or device could block for ever; returns the length.
///
/// # Errors
/// A path that does not exist, or is not a file.
pub(crate) fn check_regular(path: &Path) -> Result<u64> {
    let facts = std::fs::metadata(reading::allowed(path)?).map_err(|error| Error::io(path, &error))?;
    match facts.is_file() {
        true => Ok(facts.len()),
        false => Err(Error::file(path, "cannot be read: it is not a file")),
    }
}

/// Checks that there is memory for triangles until they can be checked; otherwise returns the error.
pub(crate) fn check_triangles(triangles: usize) -> std::result::Result<(), String> {
    check_room((triangles as u64).saturating_mul(TRIANGLE_BYTES))
}

/// Checks that there is memory for the content of a recording of this length, and for the tree of its longest line;
/// otherwise returns the error.
pub(crate) fn check_recording(bytes: usize, longest: usize) -> std::result::Result<(), String> {
    let total = (bytes as u64).saturating_mul(RECORDING_BYTES);
    check_room(total.saturating_add((longest as u64).saturating_mul(RECORDING_LINE_BYTES)))
}

/// An upper bound of the memory for reading a text in TOML, in bytes.
pub(crate) fn memory_of_toml(text: &[u8]) -> u64 {
    let values = text.iter().filter(|byte| b",=[{\n".contains(byte)).count() as u64;
    4 * text.len() as u64 + SCENE_VALUE_BYTES * values
}

/// An upper bound of the memory for reading a text in XML, in bytes.
pub(crate) fn memory_of_xml(text: &[u8]) -> u64 {
    let [elements, attributes] =
        [b'<', b'='].map(|sign| text.iter().filter(|byte| **byte == sign).count() as u64);
    2 * text.len() as u64 + XML_NODE_BYTES * (2 * elements + attributes)
}

/// Checks the memory that reading takes against the limit of all files and against the available memory.
///
/// # Errors
/// A message with both values.
pub(crate) fn check_memory(bytes: u64) -> std::result::Result<(), String> {
    reading::check_limit(bytes)?;
    check_room(bytes)
}

/// Checks that this much memory is available, as far as the system reports it in advance; otherwise returns the
/// error.
pub(crate) fn check_room(bytes: u64) -> std::result::Result<(), String> {
    let mut block: Vec<u8> = Vec::new();
    // The memory is not touched, so none is used; `black_box` keeps the allocation from being optimized away.
    let granted =
        usize::try_from(bytes).is_ok_and(|bytes| black_box(&mut block).try_reserve_exact(bytes).is_ok());
    if granted { Ok(()) } else { Err(memory_error(bytes)) }
}

#[cold]
fn memory_error(bytes: u64) -> String {
    format!("takes {} megabytes of memory, which are not available", bytes.div_ceil(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{ReadLimits, with_read_limits};

    #[test]
    fn files_are_read_up_to_their_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, [7; 10]).unwrap();
        assert_eq!(read(&path, 10).unwrap(), [7; 10]);
        let message = read(&path, 9).unwrap_err().to_string();
        assert!(message.ends_with("a: found 10 bytes, expected at most 9"), "{message}");
        // The length alone is refused: the file has no content.
        std::fs::File::create(&path).unwrap().set_len(MESH_FILE + 1).unwrap();
        let message = read(&path, MESH_FILE).unwrap_err().to_string();
        assert!(message.ends_with("a: found 4294967297 bytes, expected at most 4294967296"), "{message}");
        assert!(read(folder.path(), 9).unwrap_err().to_string().contains("cannot be read"));
    }

    #[test]
    #[cfg(unix)]
    fn unterminated_elements_are_errors() {
        let message = read(Path::new("/dev/zero"), 1000).unwrap_err().to_string();
        assert_eq!(message, "/dev/zero: found more than 1000 bytes, expected at most 1000");
        let message = read(Path::new("/dev/zero"), MESH_FILE).unwrap_err().to_string();
        assert_eq!(message, format!("/dev/zero: found more than {STREAM} bytes, expected at most {STREAM}"));
        assert_eq!(read(Path::new("/dev/null"), 1000), Ok(vec![]));
        let limits = ReadLimits { memory: 3 << 20, ..ReadLimits::default() };
        let message =
            with_read_limits(limits, || read(Path::new("/dev/zero"), MESH_FILE)).unwrap_err().to_string();
        assert_eq!(message, "/dev/zero: takes 4 megabytes of memory to read, expected at most 3 (--memory)");
    }

    #[test]
    fn unavailable_memory_is_an_error() {
        assert_eq!(check_room(1 << 20), Ok(()));
        assert_eq!(check_triangles(1 << 12), Ok(()));
        for bytes in [1 << 60, u64::MAX] {
            let message = check_room(bytes).unwrap_err();
            assert!(message.ends_with("megabytes of memory, which are not available"), "{message}");
        }
        assert!(check_triangles(usize::MAX / 2).is_err());
        assert!(
            check_recording(1 << 20, 1 << 10).is_ok() && check_recording(1 << 20, usize::MAX / 64).is_err()
        );
        assert!(check_recording(usize::MAX / 8, 0).is_err());
    }
}
