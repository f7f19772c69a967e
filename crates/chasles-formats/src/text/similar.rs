//! Misspelt words. Ignoring a misspelt word would change the meaning of a file.

/// The known word that a misspelt word probably means; `None`: no known word is near enough.
///
/// Two words are near if they differ only in case, in at most a third of their characters (three at most), or in their
/// endings: `rotate` and `rotation`, `geom` and `geometry`.
pub(crate) fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = found.to_lowercase();
    let length = lower.chars().count();
    let limit = (length / 3).clamp(1, 3);
    let candidate = |word: &&'a str| {
        let known_lower = word.to_lowercase();
        let known_length = known_lower.chars().count();
        // The distance is computed only if the lengths allow a small one, because a word of a file may be very long.
        let edit_distance =
            (known_length.abs_diff(length) <= limit).then(|| strsim::osa_distance(&lower, &known_lower));
        if let Some(edit_distance) =
            edit_distance.filter(|edit_distance| *edit_distance <= limit && *edit_distance < length)
        {
            return Some((edit_distance, *word));
        }
        let same = lower.chars().zip(known_lower.chars()).take_while(|(a, b)| a == b).count();
        let ending = length.max(known_length) - same;
        let is_short = same == length || 2 * ending < length.max(known_length);
        (same >= LONG_PREFIX && is_short).then_some((ending, *word))
    };
    known.filter_map(|word| candidate(&word)).min().map(|(_, word)| word)
}

/// Words that share at least this number of characters at their start may differ in their endings only.
const LONG_PREFIX: usize = 4;

/// The known word with the smallest edit distance, however large that is.
pub(crate) fn closest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// The word is cut to this number of characters, because comparing long words would take long.
    const LONGEST: usize = 64;
    let found: String = found.to_lowercase().chars().take(LONGEST).collect();
    known.min_by_key(|word| (strsim::osa_distance(&found, &word.to_lowercase()), *word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_names_are_recognized() {
        let known = ["translation", "rotation", "scale", "center", "scaleOrientation", "children"];
        for (found, candidate) in [
            ("translate", Some("translation")),
            ("rotate", Some("rotation")),
            ("Rotation", Some("rotation")),
            ("centre", Some("center")),
            ("scales", Some("scale")),
            ("child", Some("children")),
            ("scaleorientation", Some("scaleOrientation")),
            ("castShadow", None),
            ("position", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(found, known.into_iter()), candidate, "{found}");
        }
        assert_eq!(nearest(&"x".repeat(1_000_000), known.into_iter()), None);
        assert_eq!(nearest("xzy", ["xyz", "rpy"].into_iter()), Some("xyz"));
        assert_eq!(nearest("collision_checking", ["collision", "visual"].into_iter()), None);
        assert_eq!(nearest("geom", ["geometry", "origin"].into_iter()), Some("geometry"));
        assert_eq!(closest("position", ["center", "scale", "translation"].into_iter()), Some("translation"));
    }
}
