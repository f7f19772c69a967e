//! Tests with generated caches, valid and invalid.

use std::io::Cursor;

use super::*;

/// A PC2 file with this header, followed by these numbers.
fn pc2([version, points, samples]: [i32; 3], [start, rate]: [f32; 2], numbers: &[f32]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend([version, points].into_iter().flat_map(i32::to_le_bytes));
    bytes.extend([start, rate].into_iter().flat_map(f32::to_le_bytes));
    bytes.extend(samples.to_le_bytes());
    bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

/// The same as an MDD file, with the times before the numbers.
fn mdd([frames, points]: [i32; 2], times: &[f32], numbers: &[f32]) -> Vec<u8> {
    let mut bytes: Vec<u8> = [frames, points].into_iter().flat_map(i32::to_be_bytes).collect();
    bytes.extend(times.iter().chain(numbers).flat_map(|x| x.to_be_bytes()));
    bytes
}

/// 0.5, 1.5, and so on, for `points` points.
fn numbers(points: usize) -> Vec<f32> {
    let count = u16::try_from(3 * points).unwrap();
    (0..count).map(|i| f32::from(i) + 0.5).collect()
}

fn opened(bytes: &[u8], format: PointCacheFormat) -> Result<PointCache<Cursor<Vec<u8>>>> {
    PointCache::of(Cursor::new(bytes.to_vec()), bytes.len() as u64, format, Path::new("a.cache"))
}

/// Reads all frames.
fn all(cache: &PointCache<Cursor<Vec<u8>>>) -> Result<()> {
    let mut points = vec![DVec3::ZERO; cache.points()];
    (0..cache.frames()).try_for_each(|frame| cache.read(frame, &mut points))
}

/// The error about a cache, from any step of reading it.
fn message(bytes: &[u8], format: PointCacheFormat) -> String {
    let found = opened(bytes, format).and_then(|cache| {
        cache.times(24.0)?;
        all(&cache)
    });
    found.unwrap_err().to_string()
}

#[test]
fn both_kinds_read_the_same_frames_in_any_order() {
    let times = [0.25, 0.5, 2.0];
    let from_pc2 = opened(&pc2([1, 4, 3], [6.0, 3.0], &numbers(12)), PointCacheFormat::Pc2).unwrap();
    let from_mdd = opened(&mdd([3, 4], &times, &numbers(12)), PointCacheFormat::Mdd).unwrap();
    assert_eq!(from_pc2.times(12.0).unwrap(), [0.5, 0.75, 1.0]);
    assert_eq!(from_mdd.times(12.0).unwrap(), [0.25, 0.5, 2.0]);
    for cache in [&from_pc2, &from_mdd] {
        assert_eq!((cache.frames(), cache.points()), (3, 4));
        assert!(cache.warnings().is_empty());
        for frame in [2, 0, 1, 1] {
            let mut points = [DVec3::NAN; 4];
            cache.read(frame, &mut points).unwrap();
            for (vertex, point) in points.into_iter().enumerate() {
                let first = 12.0 * frame as f64 + 3.0 * vertex as f64 + 0.5;
                assert_eq!(point, DVec3::new(first, first + 1.0, first + 2.0));
            }
        }
        let message_part = cache.read(3, &mut [DVec3::ZERO; 4]).unwrap_err().to_string();
        assert_eq!(
            message_part,
            "a.cache: found a buffer for 4 points of frame 3, expected 4 points of a frame below 3"
        );
        assert!(cache.read(0, &mut [DVec3::ZERO; 3]).is_err());
    }
}

#[test]
fn data_after_the_last_frame_are_a_warning() {
    let mut bytes = mdd([2, 1], &[0.0, 1.0], &numbers(3));
    let cache = opened(&bytes, PointCacheFormat::Mdd).unwrap();
    assert_eq!(cache.warnings(), ["12 bytes after the last of 2 frames are skipped"]);
    let mut point = [DVec3::ZERO];
    cache.read(0, &mut point).unwrap();
    assert_eq!(point[0], DVec3::new(0.5, 1.5, 2.5), "the first two frames count");
    bytes.truncate(bytes.len() - 12);
    assert!(opened(&bytes, PointCacheFormat::Mdd).unwrap().warnings().is_empty());
}

#[test]
fn invalid_headers_are_errors() {
    let valid = numbers(6);
    let cases = [
        (vec![], PointCacheFormat::Pc2, "found 0 bytes, expected at least 32, the header of PC2"),
        (vec![0; 7], PointCacheFormat::Mdd, "found 7 bytes, expected at least 8, the header of MDD"),
        (vec![b'x'; 200], PointCacheFormat::Pc2, "byte 0: found `xxxxxxxxxxxx`, expected `POINTCACHE2\\x00`"),
        (pc2([2, 2, 3], [0.0, 1.0], &valid), PointCacheFormat::Pc2, "byte 12: found version 2, expected 1"),
        (
            pc2([1, 0, 3], [0.0, 1.0], &valid),
            PointCacheFormat::Pc2,
            "byte 16: found 0 points, expected 1 to 50000000",
        ),
        (
            pc2([1, -2, 3], [0.0, 1.0], &valid),
            PointCacheFormat::Pc2,
            "byte 16: found -2 points, expected 1 to 50000000",
        ),
        (
            pc2([1, 2, 0], [0.0, 1.0], &valid),
            PointCacheFormat::Pc2,
            "byte 28: found 0 samples, expected 2 to 10000000",
        ),
        (mdd([-1, 2], &[], &valid), PointCacheFormat::Mdd, "byte 0: found -1 frames, expected 2 to 10000000"),
        (
            pc2([1, 2, 1], [0.0, 1.0], &valid),
            PointCacheFormat::Pc2,
            "byte 28: found 1 samples, expected 2 to 10000000",
        ),
        (mdd([1, 2], &[], &valid), PointCacheFormat::Mdd, "byte 0: found 1 frames, expected 2 to 10000000"),
        (mdd([2, 0], &[], &valid), PointCacheFormat::Mdd, "byte 4: found 0 points, expected 1 to 50000000"),
        (
            pc2([1, 2, 3], [0.0, 1.0], &valid[1..]),
            PointCacheFormat::Pc2,
            "the file ends after 100 bytes, expected 104: a header of 32 and 3 frames of 2 points",
        ),
        (
            mdd([3, 2], &[0.0, 1.0, 2.0], &valid[1..]),
            PointCacheFormat::Mdd,
            "the file ends after 88 bytes, expected 92: a header of 20 and 3 frames of 2 points",
        ),
        (
            pc2([1, 50_000_000, 10_000_000], [0.0, 1.0], &valid),
            PointCacheFormat::Pc2,
            "the file ends after 104 bytes, expected 6000000000000032: a header of 32 and 10000000 frames of 50000000 \
             points",
        ),
        (
            pc2([1, 2, 3], [0.0, 0.0], &valid),
            PointCacheFormat::Pc2,
            "byte 24: found the sample rate 0, expected a finite number > 0",
        ),
        (
            pc2([1, 2, 3], [0.0, f32::INFINITY], &valid),
            PointCacheFormat::Pc2,
            "byte 24: found the sample rate inf, expected a finite number > 0",
        ),
        (
            pc2([1, 2, 3], [f32::NAN, 1.0], &valid),
            PointCacheFormat::Pc2,
            "frame 0: found the time NaN, expected a finite number",
        ),
        (
            // At 24 frames per second: at so late a start, one more frame is lost in rounding.
            pc2([1, 2, 3], [1e20, 1e-3], &valid),
            PointCacheFormat::Pc2,
            "frame 1: found the time 4166666750170322400 after 4166666750170322400, expected times that increase",
        ),
        (
            mdd([3, 2], &[0.0, 1.0, 0.5], &valid),
            PointCacheFormat::Mdd,
            "frame 2: found the time 0.5 after 1, expected times that increase",
        ),
    ];
    for (bytes, format, expected) in cases {
        assert_eq!(message(&bytes, format), format!("a.cache: {expected}"));
    }
}

#[test]
fn numbers_that_are_not_finite_are_errors_with_frame_and_vertex() {
    for (place, invalid, message_part) in [
        (0, f32::NAN, "frame 0: x of vertex 0 is NaN"),
        (10, f32::INFINITY, "frame 1: y of vertex 1 is inf"),
        (17, f32::NEG_INFINITY, "frame 2: z of vertex 1 is -inf"),
    ] {
        let mut invalid_numbers = numbers(6);
        invalid_numbers[place] = invalid;
        for (bytes, format) in [
            (pc2([1, 2, 3], [0.0, 1.0], &invalid_numbers), PointCacheFormat::Pc2),
            (mdd([3, 2], &[0.0, 1.0, 2.0], &invalid_numbers), PointCacheFormat::Mdd),
        ] {
            assert_eq!(message(&bytes, format), format!("a.cache: {message_part}: expected a finite number"));
            let cache = opened(&bytes, format).unwrap();
            let frame = place / 6;
            let mut points = [DVec3::ZERO; 2];
            assert!(cache.read(frame, &mut points).unwrap_err().to_string().contains(message_part));
            assert!(cache.read((frame + 1) % 3, &mut points).is_ok());
        }
    }
}

#[test]
fn a_header_that_promises_much_takes_no_memory() {
    // The file has the stated length without content: a sparse file of 40 gigabytes, of which one frame is read.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("huge.PC2");
    std::fs::write(&path, pc2([1, 1_000, 3_500_000], [0.0, 1.0], &[])).unwrap();
    let file = File::options().write(true).open(&path).unwrap();
    let short = PointCache::open(&path).unwrap_err().to_string();
    assert!(
        short.ends_with("expected 42000000032: a header of 32 and 3500000 frames of 1000 points"),
        "{short}"
    );
    file.set_len(42_000_000_032).unwrap();
    let cache = PointCache::open(&path).unwrap();
    let mut points = vec![DVec3::NAN; 1_000];
    cache.read(3_499_999, &mut points).unwrap();
    assert!(points.iter().all(|point| *point == DVec3::ZERO));
    file.set_len(limits::CACHE_FILE + 1).unwrap();
    let long = PointCache::open(&path).unwrap_err().to_string();
    assert!(long.ends_with("found 68719476737 bytes, expected at most 68719476736"), "{long}");
}

#[test]
fn a_file_that_shrinks_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mdd");
    std::fs::write(&path, mdd([2, 1], &[0.0, 1.0], &numbers(2))).unwrap();
    let cache = PointCache::open(&path).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(20).unwrap();
    let message = cache.read(1, &mut [DVec3::ZERO]).unwrap_err().to_string();
    assert!(message.contains("a.mdd: cannot be read: "), "{message}");
}

#[test]
fn formats_are_recognized_by_name() {
    for (name, format) in [
        ("a.pc2", Some(PointCacheFormat::Pc2)),
        ("a.MDD", Some(PointCacheFormat::Mdd)),
        ("a.abc", None),
        ("pc2", None),
    ] {
        assert_eq!(PointCacheFormat::from_extension(Path::new(name)), format);
    }
    let message = PointCache::open(Path::new("a.abc")).unwrap_err().to_string();
    assert_eq!(message, "a.abc: unknown kind of point cache: expected .pc2 or .mdd");
    let message = PointCache::open(Path::new("gone.pc2")).unwrap_err().to_string();
    assert!(message.starts_with("gone.pc2: cannot be read: "), "{message}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("folder.mdd");
    std::fs::create_dir(&path).unwrap();
    assert!(PointCache::open(&path).unwrap_err().to_string().ends_with("cannot be read: it is not a file"));
}
