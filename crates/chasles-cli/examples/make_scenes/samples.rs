//! The samples of a height field, and a cloud of points.

/// The distance between samples of the hill in metres, and their numbers along x and along y.
const STEP: f64 = 0.125;
const SAMPLES: [u32; 2] = [17, 9];
/// The x of the first sample.
const CORNER: f64 = -1.0;
/// The sample of the thorn, and its height above the slope.
const THORN: [u32; 2] = [8, 6];
const HIGHER: f64 = 0.25;

/// A slope of 3 in 4 along x with a thorn in it, as a file of NumPy.
pub(crate) fn hill() -> Vec<u8> {
    let [along, across] = SAMPLES;
    let height =
        |i: u32, j: u32| 0.75 * (CORNER + f64::from(i) * STEP) + if [i, j] == THORN { HIGHER } else { 0.0 };
    let heights = (0..along).flat_map(|i| (0..across).map(move |j| height(i, j)));
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({along}, {across}), }}");
    // Everything before the samples is a multiple of 64 bytes long, and ends with a line feed.
    header.extend(std::iter::repeat_n(' ', 63 - (10 + header.len()) % 64));
    header.push('\n');
    let length = u16::try_from(header.len()).expect("a short header");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(heights.flat_map(f64::to_le_bytes));
    bytes
}

/// The points of the cloud in the plane z = 0: their number on each side of the middle, and their distance in metres.
pub(crate) const HALF_LATTICE: i8 = 8;
pub(crate) const LATTICE_STEP: f64 = 0.01;

pub(crate) fn lattice() -> String {
    let mut text =
        "# Points 10 mm apart in a plane.\n# Written by the example make_scenes; do not edit.\n".to_owned();
    for i in -HALF_LATTICE..=HALF_LATTICE {
        for j in -HALF_LATTICE..=HALF_LATTICE {
            text += &format!("{:?} {:?} 0.0\n", f64::from(i) / 100.0, f64::from(j) / 100.0);
        }
    }
    text
}
