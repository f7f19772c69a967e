//! Units of length, and sizes that suggest a wrong unit.

/// A unit of length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum LengthUnit {
    /// `mm`.
    Millimetres,
    /// `cm`.
    Centimetres,
    /// `m`.
    #[default]
    Metres,
    /// `in`: 25.4 mm.
    Inches,
}

impl LengthUnit {
    /// All units with their abbreviations.
    pub(crate) const ALL: [(&'static str, Self); 4] =
        [("mm", Self::Millimetres), ("cm", Self::Centimetres), ("m", Self::Metres), ("in", Self::Inches)];

    /// Converts a length to metres. The result equals the number with the shifted decimal digits, because the
    /// division by a power of ten is correctly rounded, and a product with a fraction is not.
    #[must_use]
    pub fn metres(self, length: f64) -> f64 {
        match self {
            Self::Millimetres => length / 1000.0,
            Self::Centimetres => length / 100.0,
            Self::Metres => length,
            Self::Inches => length * 254.0 / 10_000.0,
        }
    }
}

/// Objects larger than this, in metres, may be in millimetres.
const LARGE: f64 = 20.0;

/// Ratio to the size of the others.
const BESIDE: f64 = 100.0;

/// The objects, by their sizes in metres, that are probably in millimetres: objects of more than 20 m that are more
/// than a hundred times as large as the median of the others, or alone.
pub(crate) fn likely_millimetres(sizes: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|a, b| sizes[*a].total_cmp(&sizes[*b]));
    let suspicious = |(place, index): (usize, &usize)| {
        // The median of the others, found in their order without this object.
        let middle = sizes.len().saturating_sub(2) / 2;
        let other = order.get(if middle < place { middle } else { middle + 1 });
        let size = sizes[*index];
        (size > LARGE && other.is_none_or(|other| size > BESIDE * sizes[*other])).then_some(*index)
    };
    let mut found: Vec<usize> = order.iter().enumerate().filter_map(suspicious).collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_same_digits_in_metres() {
        for integer in 0..100_000_u32 {
            let length = f64::from(integer);
            let metres = |digits: String| digits.parse::<f64>().unwrap();
            assert_eq!(LengthUnit::Millimetres.metres(length), metres(format!("{integer}e-3")));
            assert_eq!(LengthUnit::Centimetres.metres(length), metres(format!("{integer}e-2")));
            assert_eq!(LengthUnit::Metres.metres(length), length);
            assert_eq!(LengthUnit::Inches.metres(length), metres(format!("{}e-4", 254 * integer)));
        }
    }

    #[test]
    fn bodies_much_larger_than_the_others_are_likely_in_millimetres() {
        for (sizes, expected) in [
            (&[][..], &[][..]),
            (&[19.0], &[]),
            (&[21.0], &[0]),
            (&[346.0, 1.0], &[0]),
            (&[1.0, 346.0, 2.0, 3.4, 0.5], &[1]),
            // A hall around machines; a factory entirely in millimetres; two objects among many.
            (&[60.0, 1.0], &[]),
            (&[300.0, 2000.0, 20_000.0], &[]),
            (&[0.3, 500.0, 0.2, 0.4, 900.0, 1.0], &[1, 4]),
        ] {
            assert_eq!(likely_millimetres(sizes), expected, "{sizes:?}");
        }
    }
}
