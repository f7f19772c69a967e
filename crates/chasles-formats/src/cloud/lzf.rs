//! LZF, the compression of PCD files: literal runs of bytes, and copies of earlier bytes.
//!
//! Reference: M. Lehmann's `liblzf`. A control byte below 32 is followed by that number of literal bytes plus one.
//! Any other control byte has a length in its upper three bits (7: the next byte is added to it) and, with the byte
//! after, the distance back to the start of the copy.

/// Decompresses bytes to exactly `expected` bytes; otherwise returns the error.
///
/// At most 264 bytes of memory are taken for every three compressed bytes.
pub(super) fn unpacked(packed: &[u8], expected: usize) -> Result<Vec<u8>, String> {
    // A copy of 264 bytes takes three bytes, and literal runs expand nothing.
    if expected as u128 > packed.len() as u128 * 88 {
        return Err(format!("{} packed bytes are too few for {expected}", packed.len()));
    }
    let mut bytes = Vec::with_capacity(expected);
    let mut rest = packed;
    let cut = || "the packed bytes end too early".to_owned();
    let mut next = |count: usize| {
        let (head, tail) = rest.split_at_checked(count)?;
        rest = tail;
        Some(head)
    };
    while let Some(control) = next(1) {
        let control = usize::from(control[0]);
        if control < 32 {
            bytes.extend_from_slice(next(control + 1).ok_or_else(cut)?);
        } else {
            let mut length = (control >> 5) + 2;
            if length == 9 {
                length += usize::from(next(1).ok_or_else(cut)?[0]);
            }
            let back = ((control & 31) << 8) + usize::from(next(1).ok_or_else(cut)?[0]) + 1;
            let Some(from) = bytes.len().checked_sub(back) else {
                return Err(format!("a copy starts {back} bytes back after {} bytes", bytes.len()));
            };
            // A copy may overlap its own output.
            for place in from..from + length {
                bytes.push(bytes[place]);
            }
        }
        if bytes.len() > expected {
            return Err(format!("more than {expected} bytes are packed"));
        }
    }
    match bytes.len() == expected {
        true => Ok(bytes),
        false => Err(format!("{} bytes are packed, expected {expected}", bytes.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_runs_and_copies_are_decoded() {
        assert_eq!(unpacked(&[2, b'a', b'b', b'c'], 3).unwrap(), b"abc");
        // Three bytes, then a copy of six from a distance of two, which overlaps its output.
        assert_eq!(unpacked(&[2, b'a', b'b', b'c', 4 << 5, 1], 9).unwrap(), b"abcbcbcbc");
        // A long copy: 9 + 255.
        let long = unpacked(&[0, 7, 7 << 5, 255, 0], 265).unwrap();
        assert_eq!(long, [7; 265]);
        // A distance of more than 256.
        let far: Vec<u8> =
            (0..32).flat_map(|k| [&[31_u8][..], &[k; 32]].concat()).chain([(1 << 5) | 3, 255]).collect();
        let all = unpacked(&far, 1027).unwrap();
        assert_eq!(all[1024..], all[..3]);
        assert_eq!(unpacked(&[], 0), Ok(vec![]));
    }

    #[test]
    fn invalid_compressed_data_are_errors() {
        for (packed, expected, what) in [
            (&[2, b'a'][..], 3, "the packed bytes end too early"),
            (&[0, b'a', 1 << 5], 4, "the packed bytes end too early"),
            (&[0, b'a', 1 << 5, 1], 4, "a copy starts 2 bytes back after 1 bytes"),
            (&[0, b'a', 1 << 5, 0], 3, "more than 3 bytes are packed"),
            (&[0, b'a'], 2, "1 bytes are packed, expected 2"),
            (&[0, b'a'], 200, "2 packed bytes are too few for 200"),
        ] {
            assert_eq!(unpacked(packed, expected), Err(what.to_owned()));
        }
    }
}
