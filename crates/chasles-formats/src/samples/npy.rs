//! NPY, NumPy's file of one array: the samples of level sets and height fields.
//!
//! Reference: NEP 1, "A simple file format for NumPy arrays", and `numpy.lib.format`: versions 1.0, 2.0 and 3.0.
//! Numbers of 32 and 64 bits (`f4`, `f8`) in either byte order are read, in C or Fortran order. Other types are
//! errors, because converted or rounded samples would define another surface.

mod header;

use std::path::Path;

use crate::error::{Error, Result};
use crate::limits;
use header::NpyHeader;

/// An array as in its file.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayFile {
    /// The number of values along each axis.
    pub counts: Vec<usize>,
    /// The values in C order (the last axis varies fastest), whatever the order of the file. They may be NaN or
    /// infinite.
    pub values: Vec<f64>,
    /// Warnings about ignored content, one sentence each.
    pub warnings: Vec<String>,
}

/// Reads a file.
///
/// # Errors
/// When the file cannot be read or is not a regular file, and as for [`parse`]. The header is checked first: an
/// array that does not fit in memory is refused before it is read.
pub fn read(path: &Path) -> Result<ArrayFile> {
    let (head, length) = limits::head(path, header::LONGEST)?;
    NpyHeader::parse(&head, path)?.check(length, path)?;
    parse(&limits::read(path, limits::GRID_FILE)?, path)
}

/// Reads an array from the bytes of a file; `path` is used only in messages.
///
/// ```
/// use chasles_formats::samples::npy;
/// let header = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }\n";
/// let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
/// bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
/// bytes.extend(header.as_bytes());
/// bytes.extend([1_f32, 2.0, 3.0, 4.0].into_iter().flat_map(f32::to_le_bytes));
/// let array = npy::parse(&bytes, "a.npy".as_ref())?;
/// assert_eq!((array.counts, array.values), (vec![2, 2], vec![1.0, 3.0, 2.0, 4.0]));
/// # Ok::<(), chasles_formats::Error>(())
/// ```
///
/// # Errors
/// A file that is not NPY, has another dtype than `f4` or `f8`, has too many samples, or ends before its last
/// sample.
pub fn parse(bytes: &[u8], path: &Path) -> Result<ArrayFile> {
    let header = NpyHeader::parse(bytes, path)?;
    header.check(bytes.len() as u64, path)?;
    let data = &bytes[header.start..];
    let size = header.item.size();
    let count = header.count();
    let mut warnings = Vec::new();
    if data.len() > count * size {
        warnings.push(format!("{} bytes after the last value are skipped", data.len() - count * size));
    }
    let value = |place: usize| header.item.value(&data[place * size..(place + 1) * size]);
    let values = match header.fortran {
        false => (0..count).map(value).collect(),
        true => fortran(&header.counts, count).map(value).collect(),
    };
    Ok(ArrayFile { counts: header.counts.clone(), values, warnings })
}

/// For each value in C order, its index in a file in Fortran order.
fn fortran(counts: &[usize], count: usize) -> impl Iterator<Item = usize> {
    // The distance in the file to the next value along each axis.
    let strides: Vec<usize> = counts
        .iter()
        .scan(1_usize, |product, count| {
            let stride = *product;
            // The product overflows only if an axis of length 0 leaves no values.
            *product = product.wrapping_mul(*count);
            Some(stride)
        })
        .collect();
    let mut at = vec![0; counts.len()];
    let mut place = 0;
    (0..count).map(move |_| {
        let found = place;
        for axis in (0..counts.len()).rev() {
            at[axis] += 1;
            place += strides[axis];
            if at[axis] < counts[axis] {
                break;
            }
            place -= strides[axis] * counts[axis];
            at[axis] = 0;
        }
        found
    })
}

impl ArrayFile {
    /// The counts along exactly N axes.
    ///
    /// # Errors
    /// An array with another number of axes.
    pub fn axes<const N: usize>(&self, path: &Path) -> Result<[usize; N]> {
        <[usize; N]>::try_from(self.counts.as_slice()).map_err(|_| {
            let found = header::shape(&self.counts);
            let what =
                format!("found an array of {} axes, shape {found}, expected {N} axes", self.counts.len());
            Error::file(path, what)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        match version {
            1 => bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes()),
            _ => bytes.extend(u32::try_from(header.len()).unwrap().to_le_bytes()),
        }
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn doubles(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn message(bytes: &[u8]) -> String {
        parse(bytes, Path::new("sdf.npy")).unwrap_err().to_string()
    }

    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "small multiples of a half")]
    fn all_versions_kinds_and_orders_are_read() {
        let sample = |[i, j, k]: [usize; 3]| (i * 100 + j * 10 + k) as f64 + 0.5;
        let counts = [2, 3, 4];
        let places = || (0..2).flat_map(|i| (0..3).flat_map(move |j| (0..4).map(move |k| [i, j, k])));
        let expected: Vec<f64> = places().map(sample).collect();
        let transposed = (0..4).flat_map(|k| (0..3).flat_map(move |j| (0..2).map(move |i| [i, j, k])));
        let transposed: Vec<f64> = transposed.map(sample).collect();
        for version in 1..=3 {
            for (fortran, values) in [("False", &expected), ("True", &transposed)] {
                for kind in ["<f4", ">f4", "<f8", ">f8"] {
                    let bytes: Vec<u8> = values
                        .iter()
                        .flat_map(|value| match kind {
                            "<f4" => (*value as f32).to_le_bytes().to_vec(),
                            ">f4" => (*value as f32).to_be_bytes().to_vec(),
                            "<f8" => value.to_le_bytes().to_vec(),
                            _ => value.to_be_bytes().to_vec(),
                        })
                        .collect();
                    for header in [
                        format!(
                            "{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': (2, 3, 4), }}   \n"
                        ),
                        format!("{{\"shape\":(2,3,4),\"fortran_order\":{fortran},\"descr\":\"{kind}\"}}"),
                        format!(
                            " {{ 'shape' : ( 2L, 3L , 4L,),'descr':'{kind}' , 'fortran_order':{fortran}}} \n"
                        ),
                    ] {
                        let array = parse(&file(version, &header, &bytes), Path::new("a.npy")).unwrap();
                        assert_eq!(
                            (array.counts.as_slice(), &array.values),
                            (&counts[..], &expected),
                            "{header}"
                        );
                        assert_eq!(array.warnings, [] as [&str; 0]);
                        assert_eq!(array.axes::<3>(Path::new("a.npy")), Ok(counts));
                    }
                }
            }
        }
    }

    #[test]
    fn stated_sizes_are_compared_with_the_file() {
        let shaped = |shape: &str, data: &[u8]| {
            message(&file(1, &format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}"), data))
        };
        assert_eq!(
            shaped("(2, 2)", &doubles(&[1.0; 3])),
            "sdf.npy: the file ends after 24 bytes of values, expected 32 for the shape (2, 2)"
        );
        let huge = "found 1000000000000 values, shape (1000000, 1000000), expected at most 268435456";
        assert_eq!(shaped("(1000000, 1000000)", &[]), format!("sdf.npy: {huge}"));
        let over = shaped("(9999999999, 9999999999, 9999999999, 9999999999)", &[]);
        assert!(over.ends_with("expected at most 268435456"), "{over}");
        assert!(shaped("(99999999999999999999,)", &[]).contains("not a count"));
        let bytes = file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 99999999999)}", &[]);
        assert_eq!(parse(&bytes, Path::new("a.npy")).unwrap().values, [] as [f64; 0]);
        let one =
            parse(&file(2, "{'descr': '<f8', 'fortran_order': False, 'shape': ()}", &[0; 9]), Path::new("a"));
        let one = one.unwrap();
        assert_eq!((one.values, one.counts), (vec![0.0], vec![]));
        assert_eq!(one.warnings, ["1 bytes after the last value are skipped"]);
    }

    #[test]
    fn invalid_headers_are_errors_before_the_data() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("big.npy");
        let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4000, 4000, 4000)}";
        std::fs::write(&path, file(1, header, &[])).unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_len(1 << 39).unwrap();
        let message = read(&path).unwrap_err().to_string();
        let expected = "found 64000000000 values, shape (4000, 4000, 4000), expected at most 268435456";
        assert!(message.ends_with(expected), "{message}");
        assert!(read(folder.path()).unwrap_err().to_string().ends_with("cannot be read: it is not a file"));
        std::fs::write(
            &path,
            file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", &doubles(&[7.0])),
        )
        .unwrap();
        assert_eq!(read(&path).unwrap().values, [7.0]);
    }

    #[test]
    fn axes_are_reported() {
        let bytes = file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}", &doubles(&[0.0; 2]));
        let array = parse(&bytes, Path::new("a.npy")).unwrap();
        let message = array.axes::<3>(Path::new("a.npy")).unwrap_err().to_string();
        assert_eq!(message, "a.npy: found an array of 2 axes, shape (1, 2), expected 3 axes");
    }
}
