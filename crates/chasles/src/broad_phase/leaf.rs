//! The leaves of the hierarchy: each contains consecutive boxes of one body.
//!
//! A body's boxes follow each other in time and need not be compared with each other, and a box that overlaps one box
//! usually overlaps its neighbours too. With several boxes in a leaf, the hierarchy is smaller, and one overlap of two
//! leaves usually yields several intervals of the pair.

use rayon::prelude::*;

use crate::broad_phase::swept_box::{AXES, CandidatePair, IsTested, SweptBox};

/// Maximum number of boxes in a leaf.
const MAX_BOXES: usize = 8;

/// Two leaves are merged unless the merged bounds are expected to have more than this number of times the overlaps of
/// both; determined by measurement.
const BOX_COST: f64 = 2.0;

/// A leaf: consecutive boxes of one body, and their common bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BoxLeaf {
    /// Lower and upper bounds of all boxes, time first.
    pub(crate) bounds: [[f64; AXES]; 2],
    /// The index of the first box.
    pub(crate) first: u32,
    /// The number of boxes.
    pub(crate) count: u32,
}

/// A task divides the boxes of all bodies that start among this number of boxes.
const TASK: usize = 4096;

/// Divides sorted boxes into leaves. Two halves become one leaf if its bounds are not expected to overlap much more
/// than both halves do. The expected overlap of two boxes is proportional to the product of the sums of their extents.
/// `typical` are the median extents of all boxes.
pub(crate) fn leaves(boxes: &[SweptBox], typical: &[f64; AXES]) -> Vec<BoxLeaf> {
    let starts_here = |i: usize| i == 0 || boxes[i - 1].body != boxes[i].body;
    let tasks = (0..boxes.len().div_ceil(TASK)).into_par_iter().map(|task| {
        let mut out = Vec::new();
        let (mut i, end) = (task * TASK, boxes.len().min((task + 1) * TASK));
        // A body that starts before this task's range belongs to an earlier task.
        while i < end && !starts_here(i) {
            i += 1;
        }
        while i < end {
            let count = boxes[i..].iter().take_while(|b| b.body == boxes[i].body).count();
            for first in (i..i + count).step_by(MAX_BOXES) {
                divide(boxes, first, MAX_BOXES.min(i + count - first), typical, &mut out);
            }
            i += count;
        }
        out
    });
    tasks.collect::<Vec<_>>().concat()
}

/// Divides `count` boxes, starting at `first`, into one leaf, or into two halves that are divided in the same way.
/// Returns the expected overlaps of the better choice, and the bounds.
fn divide(
    boxes: &[SweptBox],
    first: usize,
    count: usize,
    typical: &[f64; AXES],
    out: &mut Vec<BoxLeaf>,
) -> (f64, [[f64; AXES]; 2]) {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the search refuses more boxes than a u32 can number"
    )]
    let leaf = |bounds| BoxLeaf { bounds, first: first as u32, count: count as u32 };
    if count <= 1 {
        let bounds = [boxes[first].lower(), boxes[first].upper()];
        out.push(leaf(bounds));
        return (expected(&bounds, typical), bounds);
    }
    let start = out.len();
    let half = count / 2;
    let (one, a) = divide(boxes, first, half, typical, out);
    let (other, b) = divide(boxes, first + half, count - half, typical, out);
    let bounds = around(&a, &b);
    let whole = expected(&bounds, typical);
    if whole > BOX_COST * (one + other) {
        return (one + other, bounds);
    }
    out.truncate(start);
    out.push(leaf(bounds));
    (whole, bounds)
}

/// The expected number of boxes that overlap these bounds, up to a constant factor. Axes along which boxes have no
/// extent, as in a flat world, do not count.
fn expected([lower, upper]: &[[f64; AXES]; 2], typical: &[f64; AXES]) -> f64 {
    let axes = (0..AXES).filter(|axis| typical[*axis] > 0.0);
    axes.map(|axis| upper[axis] - lower[axis] + typical[axis]).product()
}

fn around(a: &[[f64; AXES]; 2], b: &[[f64; AXES]; 2]) -> [[f64; AXES]; 2] {
    [
        std::array::from_fn(|axis| a[0][axis].min(b[0][axis])),
        std::array::from_fn(|axis| a[1][axis].max(b[1][axis])),
    ]
}

/// The candidates of two leaves: an interval for each overlap of boxes; consecutive intervals that adjoin are merged.
pub(crate) fn compare(
    boxes: &[SweptBox],
    [a, b]: [&BoxLeaf; 2],
    is_tested: IsTested<'_>,
    found: &mut Vec<CandidatePair>,
) {
    let boxes_of = |leaf: &BoxLeaf| &boxes[leaf.first as usize..(leaf.first + leaf.count) as usize];
    let (of_a, of_b) = (boxes_of(a), boxes_of(b));
    if of_a[0].body == of_b[0].body {
        return;
    }
    let start = found.len();
    for x in of_a {
        for y in of_b {
            // Each body's boxes are sorted by their start.
            if y.start > x.end {
                break;
            }
            let Some(common) = x.common(y) else { continue };
            match found[start..].last_mut() {
                None if !is_tested(common.bodies[0], common.bodies[1]) => return,
                Some(last) if last.start <= common.start && common.start <= last.end => {
                    last.end = last.end.max(common.end);
                }
                _ => found.push(common),
            }
        }
    }
}
