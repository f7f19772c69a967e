//! A broad phase by a uniform grid of space and time: only boxes in the same cell are compared.
//!
//! Sinjur's grid of triangles (4.2), with swept boxes in place of triangles and time as an additional axis. The cells
//! have the size of the average box, or two, four, eight ... times that size, until the boxes cover no more than
//! about sixteen cells each on average.

use rayon::prelude::*;

use crate::broad_phase::swept_box::{AXES, CandidatePair, IsTested, SweptBox};
use crate::papers::cells::{CellRange, UniformCells};

/// Maximum number of cells that boxes may cover on average, which bounds the memory.
const COVERED: f64 = 16.0;

/// The candidate pairs, unsorted.
pub(crate) fn search(boxes: &[SweptBox], is_tested: IsTested<'_>) -> Vec<CandidatePair> {
    let covers = covers(boxes);
    let mut entries: Vec<(u64, u32)> = Vec::new();
    for (i, cover) in (0..).zip(&covers) {
        entries.extend(cover.cells().map(|cell| (number(cell), i)));
    }
    entries.par_sort_unstable();
    let cells: Vec<&[(u64, u32)]> =
        entries.chunk_by(|x, y| x.0 == y.0).filter(|cell| cell.len() > 1).collect();
    let found = cells.par_iter().map(|entries| {
        let mut found = Vec::new();
        for (k, &(cell, i)) in entries.iter().enumerate() {
            for &(_, j) in &entries[k + 1..] {
                let (i, j) = (i as usize, j as usize);
                // A pair that shares several cells is compared only in the first.
                if number(covers[i].first_shared(&covers[j])) == cell {
                    found.extend(boxes[i].candidate(&boxes[j], is_tested));
                }
            }
        }
        found
    });
    found.collect::<Vec<_>>().concat()
}

/// The cells that each box covers, in a grid that is coarse enough.
fn covers(boxes: &[SweptBox]) -> Vec<CellRange<AXES>> {
    let mut cells = UniformCells::average(boxes.iter().map(|b| [b.lower(), b.upper()]));
    loop {
        let covers: Vec<_> = boxes.iter().map(|b| cells.cover(&[b.lower(), b.upper()])).collect();
        let covered: f64 = covers.iter().map(CellRange::count).sum();
        if covered <= COVERED * boxes.len() as f64 || cells.count() == [1.0; AXES] {
            return covers;
        }
        cells = cells.doubled();
    }
}

/// A single number for a cell.
fn number(cell: [u16; AXES]) -> u64 {
    cell.into_iter().fold(0, |number, along| number << 16 | u64::from(along))
}
