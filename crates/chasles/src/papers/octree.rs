//! A broad phase by an octree of points, inserted in scrambled order.
//!
//! Moore and Wilhelms, "Collision detection and response for computer animation" (1988), in their section on flexible
//! surfaces: each point of the tree has up to eight subtrees, for the points in each octant about it, and a query
//! visits the subtrees that its box intersects. Here the points are the centres of swept boxes, and time is an
//! additional axis, which doubles the octants. Each subtree stores the bounds of its boxes; the paper instead
//! enlarges the query by the longest displacement, so one giant would enlarge every query. Boxes that are points in
//! the same time interval give the tree of the paper (`flexible`).
//!
//! The order of insertion is scrambled because bodies are mostly listed in spatial order, like a row of parts or the
//! links of a chain. Each would then be inserted below its predecessor, and the tree would be a list. In random order
//! the tree is almost balanced, like a binary search tree.

use rayon::prelude::*;

use crate::broad_phase::swept_box::{AXES, CandidatePair, IsTested, SweptBox};

/// Octants about a point, before and after it in time.
const OCTANTS: usize = 1 << AXES;

/// No subtree: the root, number 0, is never below another node.
const NONE: u32 = 0;

/// Number of boxes for which one task finds partners.
const TASK: usize = 256;

/// A box with its subtrees.
struct OctreeNode {
    centre: [f64; AXES],
    /// Bounds of this box and of all boxes below it.
    lower: [f64; AXES],
    upper: [f64; AXES],
    item: u32,
    /// The next node with the same centre, which no octant can separate.
    same: u32,
    octants: [u32; OCTANTS],
}

/// The tree; its root comes first.
pub(crate) struct Octree {
    nodes: Vec<OctreeNode>,
}

/// The candidate pairs, unsorted.
pub(crate) fn search(boxes: &[SweptBox], is_tested: IsTested<'_>) -> Vec<CandidatePair> {
    let tree = Octree::of(boxes);
    let tasks = (0..boxes.len().div_ceil(TASK)).into_par_iter().map(|task| {
        let (mut stack, mut found) = (Vec::new(), Vec::new());
        for i in task * TASK..boxes.len().min((task + 1) * TASK) {
            let query = &boxes[i];
            tree.visit(query, &mut stack, |item| {
                // Each pair is found from both its boxes.
                if item > i {
                    found.extend(query.candidate(&boxes[item], is_tested));
                }
            });
        }
        found
    });
    tasks.collect::<Vec<_>>().concat()
}

impl Octree {
    /// The tree of boxes; their number must be less than 2^32.
    pub(crate) fn of(boxes: &[SweptBox]) -> Self {
        let mut nodes: Vec<OctreeNode> = Vec::with_capacity(boxes.len());
        for item in scrambled(boxes.len()) {
            let b = &boxes[item as usize];
            let node = OctreeNode {
                centre: b.centre(),
                lower: b.lower(),
                upper: b.upper(),
                item,
                same: NONE,
                octants: [NONE; OCTANTS],
            };
            insert(&mut nodes, node);
        }
        Self { nodes }
    }

    /// Calls `call` with the number of each box that may overlap `query`; returns the number of nodes visited.
    pub(crate) fn visit(&self, query: &SweptBox, stack: &mut Vec<u32>, mut call: impl FnMut(usize)) -> u64 {
        let (lower, upper) = (query.lower(), query.upper());
        let mut visited = 0;
        stack.clear();
        stack.push(0);
        while let Some(node) = stack.pop().and_then(|at| self.nodes.get(at as usize)) {
            visited += 1;
            if (0..AXES).any(|axis| node.lower[axis] > upper[axis] || lower[axis] > node.upper[axis]) {
                continue;
            }
            let mut same = node;
            loop {
                call(same.item as usize);
                if same.same == NONE {
                    break;
                }
                visited += 1;
                same = &self.nodes[same.same as usize];
            }
            stack.extend(node.octants.iter().copied().filter(|below| *below != NONE));
        }
        visited
    }
}

fn insert(nodes: &mut Vec<OctreeNode>, mut new: OctreeNode) {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the search refuses more boxes than a u32 can number"
    )]
    let place = nodes.len() as u32;
    let mut at = 0;
    while let Some(node) = nodes.get_mut(at) {
        for axis in 0..AXES {
            node.lower[axis] = node.lower[axis].min(new.lower[axis]);
            node.upper[axis] = node.upper[axis].max(new.upper[axis]);
        }
        if node.centre == new.centre {
            new.same = std::mem::replace(&mut node.same, place);
            break;
        }
        let above = |axis: usize| usize::from(new.centre[axis] >= node.centre[axis]) << axis;
        let below = &mut node.octants[(0..AXES).map(above).sum::<usize>()];
        if *below == NONE {
            *below = place;
            break;
        }
        at = *below as usize;
    }
    nodes.push(new);
}

/// The numbers below a count in a pseudo-random order, always the same (Fisher and Yates, with splitmix64).
fn scrambled(count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(count).collect();
    let mut state = 0_u64;
    for i in (1..count).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        #[expect(clippy::cast_possible_truncation, reason = "at most i")]
        order.swap(i, (z % (i as u64 + 1)) as usize);
    }
    order
}
