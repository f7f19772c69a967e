//! Sort and sweep: boxes are sorted by their lower bounds along one axis, and each is compared with the boxes that
//! start before it ends.
//!
//! The axis, which may be time, is the one with the largest spread in units of the boxes' own extent, so that few
//! boxes overlap along it. In a wide world many still do: the number of comparisons grows with the power 5/3 to 2 of
//! the number of boxes.

use multiversion::multiversion;
use rayon::prelude::*;

use crate::broad_phase::eight::{Eight, WIDTH};
use crate::broad_phase::swept_box::{AXES, CandidatePair, IsTested, SweptBox, typical_extent, widest_axis};

/// Number of boxes that one task sweeps.
const TASK: usize = 256;

/// The candidate pairs, unsorted.
pub(crate) fn search(boxes: &[SweptBox], is_tested: IsTested<'_>) -> Vec<CandidatePair> {
    let places: Vec<[f64; AXES]> = boxes.iter().map(SweptBox::centre).collect();
    let axis = widest_axis(places.iter(), &typical_extent(boxes));
    let mut sorted: Vec<&SweptBox> = boxes.iter().collect();
    sorted.par_sort_unstable_by(|x, y| x.lower()[axis].total_cmp(&y.lower()[axis]).then(x.body.cmp(&y.body)));
    let blocks: Vec<Eight> = sorted
        .par_chunks(WIDTH)
        .map(|eight| Eight::of(eight.iter().map(|b| [b.lower(), b.upper()])))
        .collect();
    let tasks = (0..sorted.len().div_ceil(TASK)).into_par_iter().map(|task| {
        let (mut partners, mut found) = (Vec::new(), Vec::new());
        for i in task * TASK..sorted.len().min((task + 1) * TASK) {
            sweep(&blocks, i, axis, &mut partners);
            found.extend(partners.iter().filter_map(|j| sorted[i].candidate(sorted[*j], is_tested)));
        }
        found
    });
    tasks.collect::<Vec<_>>().concat()
}

/// The boxes after index `i` that overlap box `i`.
#[multiversion(targets("x86_64+avx2"))]
fn sweep(blocks: &[Eight], i: usize, axis: usize, partners: &mut Vec<usize>) {
    partners.clear();
    let (block, lane) = (&blocks[i / WIDTH], i % WIDTH);
    let bounds = [block.lower.map(|l| l[lane]), block.upper.map(|u| u[lane])];
    for (block, eight) in blocks.iter().enumerate().skip(i / WIDTH) {
        if eight.lower[axis][0] > bounds[1][axis] {
            break;
        }
        let mut live = eight.overlapping(&bounds);
        while live != 0 {
            let j = block * WIDTH + live.trailing_zeros() as usize;
            live &= live - 1;
            if j > i {
                partners.push(j);
            }
        }
    }
}
