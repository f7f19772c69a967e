//! One bound against eight in the chart: during which times can they meet?
//!
//! First the intervals of (rho, u, z): rho must overlap, u and z leave an interval of time each. Where some of the eight remain,
//! two slabs: along the normal of each of the eight, and along that of the one. In the chart a slab moves evenly, so that it
//! leaves an interval of time, too; and a separating direction of a shape's own cuts what a box along the chart's
//! coordinates cannot.

use multiversion::multiversion;

use crate::bvh::layout::{Lanes, WIDTH};
use crate::narrow_phase::chart::Sweep;
use crate::narrow_phase::charted::Charted;
use crate::narrow_phase::lanes::{Instructions, max, min};
use crate::narrow_phase::queue::Pair;

/// Which body the eight bounds belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eight {
    /// The moving one.
    OfA,
    /// The standing one.
    OfB,
}

/// During which times one bound can meet each of eight: from `first` to `last` where a bit of `live` is set, and else not at
/// all, proven.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
pub(crate) struct Spans {
    pub(crate) first: Lanes,
    pub(crate) last: Lanes,
    pub(crate) live: u32,
}

/// Roundings in an interval of time, relative to the numbers it comes from.
pub(crate) const ROUNDING: f32 = 5e-7;

/// A length that matters only where there is no direction, and nothing may be concluded.
const NO_DIRECTION: f32 = 1e-18;

/// Adding and taking this away rounds a number below 2^22 to the nearest whole one, on every processor alike.
pub(crate) const WHOLE: f32 = 12_582_912.0;

/// The extent of generators along a direction: below and above the centre.
#[inline(always)]
fn extent(n: [f32; 3], g: [[f32; 3]; 3], is_leaf: bool) -> (f32, f32) {
    let along = |g: [f32; 3]| n[0] * g[0] + n[1] * g[1] + n[2] * g[2];
    let (d0, d1, d2) = (along(g[0]), along(g[1]), along(g[2]));
    if is_leaf {
        (min(min(d0, d1), d2), max(max(d0, d1), d2))
    } else {
        let sum = d0.abs() + d1.abs() + d2.abs();
        (-sum, sum)
    }
}

/// The times at which the shapes can meet along a direction: `low` and `high` bound how far apart they are, from A to B.
#[inline(always)]
pub(crate) fn slab(n: [f32; 3], (low, high): (f32, f32), sweep: &Sweep) -> (f32, f32) {
    let [su, sz] = sweep.speed;
    let speed = n[1] * su + n[2] * sz;
    // The speed may be all rounding.
    let loose = ROUNDING * (n[1].abs() * su + n[2].abs() * sz) * sweep.latest + NO_DIRECTION;
    let (low, high) = (low - ROUNDING * low.abs() - loose, high + ROUNDING * high.abs() + loose);
    let speed = if speed.abs() < 1e-30 { 1e-30 } else { speed };
    let inverse = 1.0 / speed;
    let (x, y) = (low * inverse, high * inverse);
    (min(x, y), max(x, y))
}

#[inline(always)]
fn spans_of(
    (other, lane): (&Charted, usize),
    block: &Charted,
    (which, sweep): (Eight, &Sweep),
    pair: &Pair,
    out: &mut Spans,
) {
    let take = |v: &[Lanes; 3]| [v[0][lane % WIDTH], v[1][lane % WIDTH], v[2][lane % WIDTH]];
    let (centre, half) = (take(&other.centre), take(&other.half));
    let sign = if which == Eight::OfB { 1.0 } else { -1.0 };
    let [su, sz] = sweep.inverse;
    let mut between: [Lanes; 3] = [[0.0; WIDTH]; 3];
    let mut live = 0;
    for i in 0..WIDTH {
        let d_rho = sign * (block.centre[0][i] - centre[0]);
        let d_u = sign * (block.centre[1][i] - centre[1]);
        let d_z = sign * (block.centre[2][i] - centre[2]);
        let turns = (d_u - sweep.middle) * sweep.inverse_period;
        let d_u = d_u - sweep.period * ((turns + WHOLE) - WHOLE);
        let h_rho = block.half[0][i] + half[0];
        let h_z = block.half[2][i] + half[2];
        let h_u = block.half[1][i] + half[1];
        let h_z = h_z + ROUNDING * (d_z.abs() + h_z);
        let h_u = h_u + ROUNDING * (d_u.abs() + h_u);
        let free = h_u >= sweep.widest;
        let (first_u, last_u) =
            if free { (pair.first, pair.last) } else { ((d_u - h_u) * su, (d_u + h_u) * su) };
        let first = max(max(pair.first, (d_z - h_z) * sz), first_u);
        let last = min(min(pair.last, (d_z + h_z) * sz), last_u);
        let meets = d_rho.abs() <= h_rho && first <= last;
        live |= u32::from(meets) << i;
        between[0][i] = d_rho;
        between[1][i] = d_u;
        between[2][i] = d_z;
        out.first[i] = first;
        out.last[i] = last;
    }
    out.live = live;
    if live == 0 {
        return;
    }
    let (pad, normal, thickness) = (take(&other.pad), take(&other.normal), other.thickness[lane % WIDTH]);
    let generators = [take(&other.generators[0]), take(&other.generators[1]), take(&other.generators[2])];
    let mut still = 0;
    for i in 0..WIDTH {
        let d = [between[0][i], between[1][i], between[2][i]];
        let free = block.half[1][i] + half[1] >= sweep.widest;
        let loose = [
            block.pad[0][i] + pad[0] + ROUNDING * d[0].abs(),
            block.pad[1][i] + pad[1] + ROUNDING * d[1].abs(),
            block.pad[2][i] + pad[2] + ROUNDING * d[2].abs(),
        ];
        let lanes = |v: &[Lanes; 3]| [v[0][i], v[1][i], v[2][i]];
        // From the upper end of A along n to the lower end of B, and from the lower to the upper.
        let apart = |n: [f32; 3], eight: (f32, f32), one: (f32, f32)| {
            let along = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
            let loose = n[0].abs() * loose[0] + n[1].abs() * loose[1] + n[2].abs() * loose[2];
            let (low, high) = if which == Eight::OfB {
                (eight.0 - one.1, eight.1 - one.0)
            } else {
                (one.0 - eight.1, one.1 - eight.0)
            };
            (along + low - loose, along + high + loose)
        };
        let n = lanes(&block.normal);
        let own = (-block.thickness[i], block.thickness[i]);
        let by_eight = slab(n, apart(n, own, extent(n, generators, other.is_leaf)), sweep);
        let own = (-thickness, thickness);
        let g = [lanes(&block.generators[0]), lanes(&block.generators[1]), lanes(&block.generators[2])];
        let by_one = slab(normal, apart(normal, extent(normal, g, block.is_leaf), own), sweep);
        let first = max(out.first[i], max(by_eight.0, by_one.0));
        let last = min(out.last[i], min(by_eight.1, by_one.1));
        let (first, last) = if free { (out.first[i], out.last[i]) } else { (first, last) };
        still |= u32::from(first <= last) << i;
        out.first[i] = first;
        out.last[i] = last;
    }
    out.live = live & still;
}

#[multiversion(targets("x86_64+avx2"))]
fn spans_fast(
    one: (&Charted, usize),
    block: &Charted,
    context: (Eight, &Sweep),
    pair: &Pair,
    out: &mut Spans,
) {
    spans_of(one, block, context, pair, out);
}

impl Spans {
    /// Finds when a child of one block can meet each of the eight of another, within the span of a pair.
    #[inline]
    pub(crate) fn find(
        &mut self,
        one: (&Charted, usize),
        block: &Charted,
        (which, sweep, instructions): (Eight, &Sweep, Instructions),
        pair: &Pair,
    ) {
        let context = (which, sweep);
        match instructions {
            Instructions::Detected => spans_fast(one, block, context, pair, self),
            Instructions::Portable => spans_of(one, block, context, pair, self),
        }
    }
}
