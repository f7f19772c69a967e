//! Formats counts, sentences and columns as text. Numbers are formatted by [`figures`](chasles_formats::figures).

use std::fmt::Write as _;

/// A count with its noun.
pub(crate) fn count(number: usize, one: &str) -> String {
    let plural = if number == 1 {
        ""
    } else if one.ends_with("dy") {
        "ies"
    } else {
        "s"
    };
    let stem = if plural == "ies" { one.trim_end_matches('y') } else { one };
    format!("{number} {stem}{plural}")
}

/// Wraps a text to lines of at most 100 columns.
pub(crate) fn wrapped(indent: &str, text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let fits = lines.last().is_some_and(|line| line.len() + word.len() + indent.len() < 100);
        match lines.last_mut() {
            Some(line) if fits || line.is_empty() => {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines.iter().fold(String::new(), |all, line| format!("{all}{indent}{line}\n"))
}

/// Aligns rows of cells. The first row has the headings; a column without cells is left out.
pub(crate) fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |rows: &[[String; N]], column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
    };
    let used: Vec<_> = (0..N)
        .filter(|column| width(rows.get(1..).unwrap_or_default(), *column) > 0)
        .map(|column| (column, width(rows, column)))
        .collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<_> =
            used.iter().map(|(column, width)| format!("{:<width$}", row[*column], width = *width)).collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_their_nouns() {
        assert_eq!(
            (count(1, "body"), count(0, "body"), count(2, "pair")),
            ("1 body".into(), "0 bodies".into(), "2 pairs".into())
        );
    }
}
