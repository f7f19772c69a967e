//! All pairs of boxes: slow, and obviously right. What the other methods are held against.

use crate::broad_phase::swept_box::{Candidate, SweptBox, Wanted};

/// The candidates, in no order.
pub(crate) fn search(boxes: &[SweptBox], wanted: Wanted<'_>) -> Vec<Candidate> {
    let pairs = boxes.iter().enumerate().flat_map(|(i, a)| boxes[i + 1..].iter().map(move |b| (a, b)));
    pairs.filter_map(|(a, b)| a.candidate(b, wanted)).collect()
}
