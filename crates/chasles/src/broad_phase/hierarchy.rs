//! A hierarchy of space-time boxes over runs of the bodies' boxes, eight wide.
//!
//! Runs are sorted by repeated halving at the median, along the axis (time is one) with the largest spread in units
//! of a typical extent. In that order, every eight runs form a block, every eight blocks form a block of the next
//! level, and so on. So the tree needs no pointers, and medians keep it balanced for any positions and sizes of the
//! boxes. (It is an R-tree packed from above: Leutenegger, Lopez and Edgington 1997, "STR", with medians instead of
//! slabs.)

use multiversion::multiversion;
use rayon::prelude::*;

use crate::broad_phase::eight::{Eight, WIDTH};
use crate::broad_phase::run::{Run, compare, runs};
use crate::broad_phase::swept_box::{
    AXES, CandidatePair, IsTested, SweptBox, centre, typical_extent, widest_axis,
};

/// Number of runs for which one task finds the partners.
const TASK: usize = 256;

/// Fewer runs than this are sorted by one thread.
const SEQUENTIAL: usize = 4096;

/// The candidates, unordered. The boxes are sorted by body and start.
pub(crate) fn search(boxes: &[SweptBox], is_tested: IsTested<'_>) -> Vec<CandidatePair> {
    search_until(boxes, is_tested, &|| false)
}

/// Like [`search`]. Once `is_over` returns true, the search ends with the candidates found until then.
pub(crate) fn search_until(
    boxes: &[SweptBox],
    is_tested: IsTested<'_>,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Vec<CandidatePair> {
    let typical = typical_extent(boxes);
    let runs = arranged(runs(boxes, &typical), &typical);
    let levels = levels(&runs);
    let tasks = (0..runs.len().div_ceil(TASK)).into_par_iter().map(|task| {
        let (mut stack, mut partners, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for i in task * TASK..runs.len().min((task + 1) * TASK) {
            if is_over() {
                break;
            }
            partners_after(&levels, i, &runs[i].bounds, &mut stack, &mut partners);
            for j in &partners {
                compare(boxes, [&runs[i], &runs[*j]], is_tested, &mut found);
            }
        }
        found
    });
    tasks.collect::<Vec<_>>().concat()
}

/// A run to be sorted.
struct Ordered {
    centre: [f64; AXES],
    run: u32,
}

/// The runs in the order of the blocks.
fn arranged(runs: Vec<Run>, typical: &[f64; AXES]) -> Vec<Run> {
    let mut placed: Vec<Ordered> = (0..)
        .zip(&runs)
        .map(|(run, r)| Ordered { centre: centre(&r.bounds[0], &r.bounds[1]), run })
        .collect();
    let mut capacity = WIDTH;
    while capacity < placed.len() {
        capacity *= WIDTH;
    }
    arrange(&mut placed, capacity / WIDTH, typical);
    placed.iter().map(|p| runs[p.run as usize]).collect()
}

/// Sorts runs for a block whose lanes hold `capacity` runs each.
fn arrange(placed: &mut [Ordered], mut capacity: usize, typical: &[f64; AXES]) {
    if placed.len() <= WIDTH {
        return;
    }
    while placed.len() <= capacity {
        capacity /= WIDTH;
    }
    let axis = widest_axis(placed.iter().map(|p| &p.centre), typical);
    let half = placed.len().div_ceil(capacity) / 2 * capacity;
    placed.select_nth_unstable_by(half, |x, y| x.centre[axis].total_cmp(&y.centre[axis]));
    let is_small = placed.len() < SEQUENTIAL;
    let (low, high) = placed.split_at_mut(half);
    if is_small {
        arrange(low, capacity, typical);
        arrange(high, capacity, typical);
    } else {
        rayon::join(|| arrange(low, capacity, typical), || arrange(high, capacity, typical));
    }
}

/// The blocks of all levels, the blocks of runs first. Each block contains eight blocks of the level before; the
/// last level is one block.
fn levels(runs: &[Run]) -> Vec<Vec<Eight>> {
    let mut levels: Vec<Vec<Eight>> =
        vec![runs.par_chunks(WIDTH).map(|eight| Eight::of(eight.iter().map(|r| r.bounds))).collect()];
    while let Some(level) = levels.last().filter(|level| level.len() > 1) {
        let above = level.par_chunks(WIDTH).map(|eight| Eight::of(eight.iter().map(Eight::around)));
        levels.push(above.collect());
    }
    levels
}

/// The runs after index `i` whose bounds overlap the given bounds.
#[multiversion(targets("x86_64+avx2"))]
fn partners_after(
    levels: &[Vec<Eight>],
    i: usize,
    bounds: &[[f64; AXES]; 2],
    stack: &mut Vec<(usize, usize)>,
    partners: &mut Vec<usize>,
) {
    partners.clear();
    stack.push((levels.len() - 1, 0));
    while let Some((level, block)) = stack.pop() {
        let mut live = levels[level][block].overlapping(bounds);
        while live != 0 {
            let child = block * WIDTH + live.trailing_zeros() as usize;
            live &= live - 1;
            if level == 0 {
                if child > i {
                    partners.push(child);
                }
            // The last run below this child: each pair is found from its first run.
            } else if ((child + 1) << (3 * level)) > i + 1 {
                stack.push((level - 1, child));
            }
        }
    }
}
