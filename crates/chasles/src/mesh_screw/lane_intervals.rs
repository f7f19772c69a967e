//! The times at which one bound can meet each of eight others, in the chart.
//!
//! First the intervals of (rho, u, z) are compared: rho must overlap, and u and z each leave an interval of time.
//! For the remaining bounds of the eight, two slabs follow: along the normal of each of the eight, and along the
//! normal of the one. In the chart a slab moves at constant speed, so it leaves an interval of time too. A shape's
//! own separating direction excludes times that a box along the chart's coordinates cannot. The last slab is along
//! the vector between the centres at the first remaining time.

use multiversion::multiversion;

use crate::bvh::layout::{Lanes, WIDTH};
use crate::math::lanes::{Instructions, dot, dot_abs, extent, max, min};
use crate::mesh_screw::chart::{ChartInterval, ChartMotion, between};
use crate::mesh_screw::charted::ChartedBound;
use crate::mesh_screw::queue::QueuedPair;

/// The body to which the eight bounds belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EightOf {
    /// The moving body.
    OfA,
    /// The static body.
    OfB,
}

/// A bound and the block of eight bounds against which it is tested.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OneAgainstEight<'a> {
    pub(crate) one: ChartedBound<'a>,
    /// The first of the eight.
    pub(crate) eight: ChartedBound<'a>,
    pub(crate) eight_of: EightOf,
}

/// The times at which one bound can meet each of eight: from `first` to `last` if its bit of `live` is set,
/// otherwise never; this is proven.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
pub(crate) struct LaneIntervals {
    pub(crate) first: Lanes,
    pub(crate) last: Lanes,
    pub(crate) live: u32,
}

/// The loops over eight lanes, for one bound and eight others, each triangles or boxes; the eight belong to A or to
/// B.
#[expect(clippy::needless_range_loop, reason = "a loop over lanes, for the compiler to make vectors of")]
#[inline(always)]
fn intervals_of_lanes<const ONE_LEAF: bool, const LEAF: bool, const OF_A: bool>(
    bounds: &OneAgainstEight<'_>,
    sweep: &ChartMotion,
    pair: &QueuedPair,
    out: &mut LaneIntervals,
) {
    let (other, lane, block) = (bounds.one.block, bounds.one.lane(), bounds.eight.block);
    let take = |v: &[Lanes; 3]| [v[0][lane % WIDTH], v[1][lane % WIDTH], v[2][lane % WIDTH]];
    let (centre, half) = (take(&other.centre), take(&other.half));
    let [su, sz] = sweep.inverse;
    let arc = sweep.arc(ChartInterval::new(pair.first, pair.last));
    let mut away: [Lanes; 3] = [[0.0; WIDTH]; 3];
    let mut live = 0;
    for i in 0..WIDTH {
        let from_a = |c: usize| {
            if OF_A { centre[c] - block.centre[c][i] } else { block.centre[c][i] - centre[c] }
        };
        let (d_rho, d_u, d_z) = (from_a(0), arc.nearest_period(from_a(1)), from_a(2));
        let h = [block.half[0][i] + half[0], block.half[1][i] + half[1], block.half[2][i] + half[2]];
        let free = h[1] >= arc.widest;
        let (first_u, last_u) = ((d_u - h[1]) * su, (d_u + h[1]) * su);
        let (first_u, last_u) = if free { (pair.first, pair.last) } else { (first_u, last_u) };
        let first = max(max(pair.first, (d_z - h[2]) * sz), first_u);
        let last = min(min(pair.last, (d_z + h[2]) * sz), last_u);
        let can_meet = d_rho.abs() <= h[0] && first <= last;
        live |= u32::from(can_meet) << i;
        away[0][i] = d_rho;
        away[1][i] = d_u;
        away[2][i] = d_z;
        out.first[i] = first;
        out.last[i] = last;
    }
    out.live = live;
    if live == 0 {
        return;
    }
    let (pad, normal) = (take(&other.pad), take(&other.normal));
    let g_one = [take(&other.generators[0]), take(&other.generators[1]), take(&other.generators[2])];
    let octagon_one = [other.octagon[0][lane % WIDTH], other.octagon[1][lane % WIDTH]];
    let (height_one, reach_one) = (other.height[lane % WIDTH], other.reach[lane % WIDTH]);
    let inverse_one = other.inverse_speed[lane % WIDTH];
    let mut still_live = 0;
    for i in 0..WIDTH {
        let lanes = |v: &[Lanes; 3]| [v[0][i], v[1][i], v[2][i]];
        let (d, pad_eight) = (lanes(&away), lanes(&block.pad));
        let free = block.half[1][i] + half[1] >= arc.widest;
        let g_eight = [lanes(&block.generators[0]), lanes(&block.generators[1]), lanes(&block.generators[2])];
        let octagon_eight = [block.octagon[0][i], block.octagon[1][i]];
        // From the upper end of A to the lower end of B, and from the lower end to the upper.
        let ends = |along: f32, eight: (f32, f32), one: (f32, f32)| {
            if OF_A {
                (along + one.0 - eight.1, along + one.1 - eight.0)
            } else {
                (along + eight.0 - one.1, along + eight.1 - one.0)
            }
        };
        let n = lanes(&block.normal);
        let (height, loose) = (block.height[i], block.reach[i] + dot_abs(n, pad));
        let face_range = (height - loose, height + loose);
        let (low, high) = ends(dot(n, d), face_range, extent::<ONE_LEAF>(n, g_one, octagon_one));
        let by_eight = between(low, high, block.inverse_speed[i]);
        let loose = reach_one + dot_abs(normal, pad_eight);
        let face_range = (height_one - loose, height_one + loose);
        let (low, high) = ends(dot(normal, d), extent::<LEAF>(normal, g_eight, octagon_eight), face_range);
        let by_one = between(low, high, inverse_one);
        let first = max(out.first[i], max(by_eight.start, by_one.start));
        let last = min(out.last[i], min(by_eight.end, by_one.end));
        // Along the vector between the centres at that time.
        let n = [d[0], d[1] - sweep.speed[0] * first, d[2] - sweep.speed[1] * first];
        let (inverse_speed, loose) = sweep.along(n);
        let loose = loose + dot_abs(n, pad) + dot_abs(n, pad_eight);
        let of_eight = extent::<LEAF>(n, g_eight, octagon_eight);
        let (low, high) = ends(dot(n, d), of_eight, extent::<ONE_LEAF>(n, g_one, octagon_one));
        let by_gap = between(low - loose, high + loose, inverse_speed);
        let first = max(first, by_gap.start);
        let last = min(last, by_gap.end);
        let (first, last) = if free { (out.first[i], out.last[i]) } else { (first, last) };
        still_live |= u32::from(first <= last) << i;
        out.first[i] = first;
        out.last[i] = last;
    }
    out.live = live & still_live;
}

#[inline(always)]
fn intervals_of_any_lanes(
    bounds: &OneAgainstEight<'_>,
    sweep: &ChartMotion,
    pair: &QueuedPair,
    out: &mut LaneIntervals,
) {
    match (bounds.one.block.is_leaf, bounds.eight.block.is_leaf, bounds.eight_of) {
        (false, false, EightOf::OfA) => intervals_of_lanes::<false, false, true>(bounds, sweep, pair, out),
        (false, false, EightOf::OfB) => intervals_of_lanes::<false, false, false>(bounds, sweep, pair, out),
        (false, true, EightOf::OfA) => intervals_of_lanes::<false, true, true>(bounds, sweep, pair, out),
        (false, true, EightOf::OfB) => intervals_of_lanes::<false, true, false>(bounds, sweep, pair, out),
        (true, false, EightOf::OfA) => intervals_of_lanes::<true, false, true>(bounds, sweep, pair, out),
        (true, false, EightOf::OfB) => intervals_of_lanes::<true, false, false>(bounds, sweep, pair, out),
        (true, true, EightOf::OfA) => intervals_of_lanes::<true, true, true>(bounds, sweep, pair, out),
        (true, true, EightOf::OfB) => intervals_of_lanes::<true, true, false>(bounds, sweep, pair, out),
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn intervals_of_lanes_fast(
    bounds: &OneAgainstEight,
    sweep: &ChartMotion,
    pair: &QueuedPair,
    out: &mut LaneIntervals,
) {
    intervals_of_any_lanes(bounds, sweep, pair, out);
}

impl LaneIntervals {
    /// Finds the times at which a bound can meet each of eight others, within the interval of a pair.
    #[inline]
    pub(crate) fn find(
        &mut self,
        bounds: &OneAgainstEight<'_>,
        sweep: &ChartMotion,
        pair: &QueuedPair,
        instructions: Instructions,
    ) {
        match instructions {
            Instructions::Detected => intervals_of_lanes_fast(bounds, sweep, pair, self),
            Instructions::Portable => intervals_of_any_lanes(bounds, sweep, pair, self),
        }
    }
}
