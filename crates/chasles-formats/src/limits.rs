//! How much is read, and how much is made of it: the bounds of all readers, in one place, and how files are read within them.
//!
//! They are far above what people work with, and there so that a file that is wrong, hostile or none (a device, a pipe that does
//! not end) is an error and not the end of all memory. What the structure of one format alone decides stands with that format.

use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;

use crate::error::{Error, Result};
use crate::reading;

/// Bytes of a mesh in OBJ, STL, PLY or OFF. Triangles and vertices are bounded on their own.
pub(crate) const MESH_FILE: u64 = 4 << 30;

/// Triangles of one mesh, and vertices: while they are read they take up to 100 bytes each.
pub(crate) const MESH_PARTS: usize = 50_000_000;

/// Bytes of a file of points. The points are bounded on their own.
pub(crate) const CLOUD_FILE: u64 = 4 << 30;

/// Points of a cloud, and of all clouds of a scene.
pub(crate) const CLOUD_POINTS: usize = 50_000_000;

/// Bytes of memory that a point takes until it is ready to be checked, beside its file.
pub(crate) const POINT_BYTES: u64 = 100;

/// Bytes of a point cache, of which one frame at a time is read. All are looked at once: so many take a minute or two.
pub(crate) const CACHE_FILE: u64 = 64 << 30;

/// Frames of a point cache: their times are kept.
pub(crate) const CACHE_FRAMES: usize = 10_000_000;

/// Bytes of vertices of a sequence of meshes that are kept; the files beyond are read anew whenever they are needed.
pub(crate) const SEQUENCE_KEPT: usize = 1 << 28;

/// Bytes of a file of samples.
pub(crate) const GRID_FILE: u64 = 4 << 30;

/// Samples of a grid, and of all grids of a scene: a cube of 640 along each edge.
pub(crate) const GRID_SAMPLES: usize = 1 << 28;

/// Triangles of all bodies of a scene or robot; a mesh counts once for each size in which it is used.
pub(crate) const SCENE_TRIANGLES: usize = 50_000_000;

/// Bytes of memory that a triangle takes until it is ready to be checked, as measured: 220 at most.
const TRIANGLE_BYTES: u64 = 256;

/// Bytes of a scene in TOML: half a million keyframes, or a hundred thousand bodies.
pub(crate) const SCENE_FILE: u64 = 32 << 20;

/// Bytes of memory that each value of a scene in TOML takes while it is read, as measured: 152 where each is a digit and a
/// comma.
const SCENE_VALUE_BYTES: u64 = 160;

/// Bytes of memory that an element, a text or an attribute of an XML file takes.
const XML_NODE_BYTES: u64 = 72;

/// Bytes of a recording: ten thousand lines of a thousand bodies.
pub(crate) const RECORDING_FILE: u64 = 4 << 30;

/// Bytes of memory that each of them takes once it is read, as reckoned for poses whose numbers have one digit: 16 bytes of
/// text are kept beside 56 bytes of numbers, which become keyframes.
const RECORDING_BYTES: u64 = 8;

/// Bytes of memory that each byte of one of its lines takes while that is read, as those of [`IMPULSE_LINE_BYTES`].
const RECORDING_LINE_BYTES: u64 = 32;

/// Bytes of an XML file: a robot, a COLLADA mesh, pairs of links.
pub(crate) const XML_FILE: u64 = 256 << 20;

/// Bytes of a glTF file: what the length in its binary form can say.
pub(crate) const GLTF_FILE: u64 = (4 << 30) - 1;

/// Bytes of the numbers of a glTF file that is written.
pub(crate) const GLTF_WRITTEN: usize = 1 << 30;

/// Bytes of a world in VRML or X3D, and of all files that it includes.
pub(crate) const WORLD_FILE: u64 = 512 << 20;

/// Bytes of memory that each of these takes: its text is kept beside its numbers, which take up to four times as much.
pub(crate) const WORLD_BYTES: u64 = 5;

/// Bytes that a packed world may unpack to: what was packed may be a thousandth of it.
pub(crate) const WORLD_UNPACKED: u64 = 128 << 20;

/// Bytes of a path.
pub(crate) const PATH_FILE: u64 = 256 << 20;

/// Waypoints of a path: almost three hours of a hundred a second. Each takes up to 1500 bytes until it is read.
pub(crate) const PATH_WAYPOINTS: usize = 1_000_000;

/// Numbers of a path: an hour of six joints at a hundred waypoints a second is a quarter of it.
pub(crate) const PATH_NUMBERS: usize = 10_000_000;

/// Keys of a motion in a file of their own, which may have as many bytes as a path.
pub(crate) const MOTION_KEYS: usize = 1_000_000;

/// Bytes of a report that is read back.
pub(crate) const REPORT_FILE: u64 = 1 << 30;

/// Bytes of a file of clearances: a million pairs.
pub(crate) const CLEARANCE_FILE: u64 = 64 << 20;

/// Bytes of a file of problems that is read as a whole.
pub(crate) const PROBLEM_FILE: u64 = 1 << 30;

/// Bytes of one line of a file of problems, which needs two names of files and some numbers.
pub const PROBLEM_LINE: u64 = 1 << 20;

/// Bytes of one line of a file of problems of impulses, which has all bodies and joints of a mechanism: a hundred thousand.
pub const IMPULSE_LINE: u64 = 64 << 20;

/// Bytes of memory that each of these takes while it is read, as measured: 7 where numbers have all their digits, 25 where
/// they have one.
pub(crate) const IMPULSE_LINE_BYTES: u64 = 32;

/// Bytes of what is no regular file, whatever is expected in it: a pipe or a device does not say how long it is.
const STREAM: u64 = 256 << 20;

/// The bytes of a file, of which there may be so many.
///
/// # Errors
/// A file that cannot be read, that is larger, or that memory does not hold.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let complain = |error: std::io::Error| Error::io(path, &error);
    let file = reading::open(path)?;
    let facts = file.metadata().map_err(complain)?;
    // A file that grows meanwhile, or a pipe, is known to be too large when more has come than may be.
    let (known, most) = match facts.is_file() {
        true => (facts.len(), most),
        false => (0, most.min(STREAM)),
    };
    let too_large =
        |found: String| Error::file(path, format!("found {found} bytes, expected at most {most}"));
    if known > most {
        return Err(too_large(known.to_string()));
    }
    reading::check_limit(known).map_err(|message| Error::file(path, message))?;
    let mut bytes = Vec::new();
    if usize::try_from(known).map_or(true, |known| bytes.try_reserve_exact(known).is_err()) {
        return Err(Error::file(path, no_room(known)));
    }
    file.take(most.min(reading::memory()) + 1).read_to_end(&mut bytes).map_err(complain)?;
    if bytes.len() as u64 > most {
        return Err(too_large(format!("more than {most}")));
    }
    reading::check_limit(bytes.len() as u64).map_err(|message| Error::file(path, message))?;
    Ok(bytes)
}

/// The bytes at the beginning of a file, so many where it has them, and how long the whole file is.
///
/// # Errors
/// As [`check_regular`].
pub(crate) fn head(path: &Path, most: u64) -> Result<(Vec<u8>, u64)> {
    let length = check_regular(path)?;
    let complain = |error: std::io::Error| Error::io(path, &error);
    let mut bytes = Vec::new();
    reading::open(path)?.take(most).read_to_end(&mut bytes).map_err(complain)?;
    Ok((bytes, length))
}

/// Refuses anything but a regular file, since a pipe or a device that a file names would be waited for, perhaps for ever; gives the
/// length.
///
/// # Errors
/// What is not there, or is no file.
pub(crate) fn check_regular(path: &Path) -> Result<u64> {
    let facts = std::fs::metadata(reading::allowed(path)?).map_err(|error| Error::io(path, &error))?;
    match facts.is_file() {
        true => Ok(facts.len()),
        false => Err(Error::file(path, "cannot be read: it is no file")),
    }
}

/// Whether there is room for triangles until they are ready to be checked; otherwise what is wrong.
pub(crate) fn check_triangles(triangles: usize) -> std::result::Result<(), String> {
    check_room((triangles as u64).saturating_mul(TRIANGLE_BYTES))
}

/// Whether there is room for what a recording of so many bytes tells, and for the tree of its longest line; otherwise what
/// is wrong.
pub(crate) fn check_recording(bytes: usize, longest: usize) -> std::result::Result<(), String> {
    let whole = (bytes as u64).saturating_mul(RECORDING_BYTES);
    check_room(whole.saturating_add((longest as u64).saturating_mul(RECORDING_LINE_BYTES)))
}

/// An upper bound of the memory for reading a text in TOML, in bytes.
pub(crate) fn memory_of_toml(text: &[u8]) -> u64 {
    let values = text.iter().filter(|byte| b",=[{\n".contains(byte)).count() as u64;
    4 * text.len() as u64 + SCENE_VALUE_BYTES * values
}

/// An upper bound of the memory for reading a text in XML, in bytes.
pub(crate) fn memory_of_xml(text: &[u8]) -> u64 {
    let [elements, attributes] =
        [b'<', b'='].map(|own| text.iter().filter(|byte| **byte == own).count() as u64);
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

/// Whether so much memory is to be had, as far as the system says so beforehand; otherwise what is wrong.
pub(crate) fn check_room(bytes: u64) -> std::result::Result<(), String> {
    let mut room: Vec<u8> = Vec::new();
    // Not touched, so that nothing is taken from anyone; looked at, so that it is really asked for.
    let granted =
        usize::try_from(bytes).is_ok_and(|bytes| black_box(&mut room).try_reserve_exact(bytes).is_ok());
    if granted { Ok(()) } else { Err(no_room(bytes)) }
}

#[cold]
fn no_room(bytes: u64) -> String {
    format!("takes {} megabytes of memory, which are not to be had", bytes.div_ceil(1 << 20))
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
        // Refused by its length: not a byte of it is there.
        std::fs::File::create(&path).unwrap().set_len(MESH_FILE + 1).unwrap();
        let message = read(&path, MESH_FILE).unwrap_err().to_string();
        assert!(message.ends_with("a: found 4294967297 bytes, expected at most 4294967296"), "{message}");
        assert!(read(folder.path(), 9).unwrap_err().to_string().contains("cannot be read"));
    }

    #[test]
    #[cfg(unix)]
    fn what_does_not_end_is_refused() {
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
    fn memory_that_no_machine_has_is_refused() {
        assert_eq!(check_room(1 << 20), Ok(()));
        assert_eq!(check_triangles(1 << 12), Ok(()));
        for bytes in [1 << 60, u64::MAX] {
            let message = check_room(bytes).unwrap_err();
            assert!(message.ends_with("megabytes of memory, which are not to be had"), "{message}");
        }
        assert!(check_triangles(usize::MAX / 2).is_err());
        assert!(
            check_recording(1 << 20, 1 << 10).is_ok() && check_recording(1 << 20, usize::MAX / 64).is_err()
        );
        assert!(check_recording(usize::MAX / 8, 0).is_err());
    }
}
