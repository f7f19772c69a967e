//! A hierarchy of space-time boxes over leaves of the bodies' boxes, eight wide.
//!
//! Leaves are sorted by repeated halving at the median, along the axis (time is one) with the largest spread in units
//! of a typical extent. In that order, every eight leaves form a block, every eight blocks form a block of the next
//! level, and so on. So the tree needs no pointers, and medians keep it balanced for any positions and sizes of the
//! boxes. (It is an R-tree packed from above: Leutenegger, Lopez and Edgington 1997, "STR", with medians instead of
//! slabs.)

use multiversion::multiversion;
use rayon::prelude::*;

use crate::broad_phase::eight::{Eight, WIDTH};
use crate::broad_phase::leaf::{BoxLeaf, compare, leaves};
use crate::broad_phase::swept_box::{
    AXES, CandidatePair, IsTested, SweptBox, centre, typical_extent, widest_axis,
};

/// Number of leaves for which one task finds the partners.
const TASK: usize = 256;

/// Fewer leaves than this are sorted by one thread.
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
    let leaves = arranged(leaves(boxes, &typical), &typical);
    let levels = levels(&leaves);
    let tasks = (0..leaves.len().div_ceil(TASK)).into_par_iter().map(|task| {
        let (mut stack, mut partners, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for i in task * TASK..leaves.len().min((task + 1) * TASK) {
            if is_over() {
                break;
            }
            partners_after(&levels, i, &leaves[i].bounds, &mut stack, &mut partners);
            for j in &partners {
                compare(boxes, [&leaves[i], &leaves[*j]], is_tested, &mut found);
            }
        }
        found
    });
    tasks.collect::<Vec<_>>().concat()
}

/// A leaf to be sorted.
struct Ordered {
    centre: [f64; AXES],
    leaf: u32,
}

/// The leaves in the order of the blocks.
fn arranged(leaves: Vec<BoxLeaf>, typical: &[f64; AXES]) -> Vec<BoxLeaf> {
    let mut placed: Vec<Ordered> = (0..)
        .zip(&leaves)
        .map(|(leaf, bounded)| Ordered { centre: centre(&bounded.bounds[0], &bounded.bounds[1]), leaf })
        .collect();
    let mut capacity = WIDTH;
    while capacity < placed.len() {
        capacity *= WIDTH;
    }
    arrange(&mut placed, capacity / WIDTH, typical);
    placed.iter().map(|p| leaves[p.leaf as usize]).collect()
}

/// Sorts leaves for a block whose lanes hold `capacity` leaves each.
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

/// The blocks of all levels, the blocks of leaves first. Each block contains eight blocks of the level before; the
/// last level is one block.
fn levels(leaves: &[BoxLeaf]) -> Vec<Vec<Eight>> {
    let mut levels: Vec<Vec<Eight>> =
        vec![leaves.par_chunks(WIDTH).map(|eight| Eight::of(eight.iter().map(|leaf| leaf.bounds))).collect()];
    while let Some(level) = levels.last().filter(|level| level.len() > 1) {
        let above = level.par_chunks(WIDTH).map(|eight| Eight::of(eight.iter().map(Eight::around)));
        levels.push(above.collect());
    }
    levels
}

/// The leaves after index `i` whose bounds overlap the given bounds.
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
            // The last leaf below this child: each pair is found from its first leaf.
            } else if ((child + 1) << (3 * level)) > i + 1 {
                stack.push((level - 1, child));
            }
        }
    }
}
