//! Tests of bounds in straight coordinates near the axis.
//!
//! The helical chart is weak for boxes that wrap far around the axis, because flat faces curve in its coordinates;
//! near the axis it excludes nothing. So such bounds are also tested in straight coordinates: two across the axis
//! and one along it. In these A rotates about the axis and slides along it. Let a direction n be fixed to one
//! bound, F. The other bound, G, is separated from F along n as long as every point p of G is beyond F along n. In
//! the frame of F, with r(t) the position of p across the axis and w the angular speed,
//!
//! ```text
//!     n . p(t) = n . r(t) + (linear in t),     (n . r)'' = -w^2 n . r
//! ```
//!
//! If G is on the side of the axis to which n points, n . r is concave and so above its chord: bounds that are
//! separated at both ends of an interval are separated throughout. Otherwise it is below its chord by at most
//! `(w (t1 - t0))^2 / 8` times the extent of G on the other side. The only excess is this curvature term, and it
//! is small if one bound lies outside the other and n is fixed to the inner one. The chord of the gap also gives
//! the fraction of the interval for which the two are separated.

use multiversion::multiversion;

use crate::bvh::layout::{Lanes, NONE, WIDTH};
use crate::math::lanes::{Instructions, dot, dot_abs, extent, max, min};
use crate::mesh_screw::chart::{ChartMotion, ChartPlacement, ChartTransform};
use crate::mesh_screw::charted::{Charted, ChartedBound, ChartedLane};
use crate::mesh_screw::lane_intervals::{EightOf, LaneIntervals, OneAgainstEight};

/// Memory for bounds in straight coordinates.
#[derive(Debug, Clone, Default)]
pub(crate) struct NearAxis {
    a: Straight,
    b: Straight,
    motion: RelativeScrew,
}

/// The blocks of one body in straight coordinates.
#[derive(Debug, Clone, Default)]
struct Straight {
    placement: ChartPlacement,
    blocks: Vec<Charted>,
    used: usize,
    /// The index in `blocks` of each block of the chart, or [`NONE`].
    places: Vec<u32>,
}

/// The motion of the one bound relative to the eight.
#[derive(Debug, Clone, Copy, Default)]
struct RelativeScrew {
    /// The x coordinate of the axis.
    axis: f32,
    /// Angular speed in radians per unit of time.
    rate: f32,
    /// Speed along the axis.
    slide: f32,
    /// The longest time from the placement of A.
    latest: f32,
}

/// Rounding of a position along a direction, relative to all lengths that enter: 1e-6 for the rotation and half of
/// that for the rest, doubled.
const ROUNDING: f32 = 3e-6;

/// Rounding of the fraction of an interval in which two bounds are separated, and of a time.
const FRACTION_ROUNDING: f32 = 1e-6;

/// Minimum difference of gaps, so that its reciprocal is finite.
const TINY: f32 = 1e-30;

/// Maximum rotation of A from its placement in radians: a quarter turn, with a margin for rounding.
const MAX_ROTATION: f32 = 1.6;

impl NearAxis {
    /// Starts a search, with the placements of both bodies in the helical chart.
    pub(crate) fn start(&mut self, a: &ChartTransform, b: &ChartTransform, sweep: &ChartMotion) {
        self.a.start(a);
        self.b.start(b);
        self.motion = RelativeScrew {
            axis: -a.inverse_k,
            rate: sweep.rate(),
            slide: sweep.speed[1],
            latest: sweep.latest,
        };
    }

    /// Reduces the intervals in which one bound can meet the live bounds of the eight.
    #[inline(never)]
    pub(crate) fn cut(
        &mut self,
        intervals: &mut LaneIntervals,
        bounds: &OneAgainstEight<'_>,
        instructions: Instructions,
    ) {
        if self.motion.rate * self.motion.latest > MAX_ROTATION {
            return;
        }
        let (of_one, of_eight, motion) = match bounds.eight_of {
            EightOf::OfB => (&mut self.a, &mut self.b, self.motion),
            EightOf::OfA => (&mut self.b, &mut self.a, self.motion.reversed()),
        };
        let one = ChartedLane { block: of_one.block(&bounds.one, instructions), lane: bounds.one.lane() };
        let eight = of_eight.block(&bounds.eight, instructions);
        match instructions {
            Instructions::Detected => cut_fast(one, eight, &motion, intervals),
            Instructions::Portable => cut_portable(one, eight, &motion, intervals),
        }
    }
}

impl Straight {
    fn start(&mut self, at: &ChartTransform) {
        self.placement = ChartPlacement { transform: at.straight(), sweep: ChartMotion::default() };
        self.used = 0;
        self.places.clear();
    }

    /// The block of a bound, charted if it has not been.
    fn block(
        &mut self,
        ChartedBound { block, place, bvh }: &ChartedBound<'_>,
        instructions: Instructions,
    ) -> &Charted {
        let number = (place / 8) as usize;
        if self.places.len() <= number {
            self.places.resize(number + 1, NONE);
        }
        if self.places[number] == NONE {
            if self.used == self.blocks.len() {
                self.blocks.push(Charted::EMPTY);
            }
            self.places[number] = u32::try_from(self.used).unwrap_or(NONE);
            self.blocks[self.used].chart(bvh, block.node, &self.placement, instructions);
            self.used += 1;
        }
        &self.blocks[self.places[number] as usize]
    }
}

impl RelativeScrew {
    /// The inverse motion: the eight relative to the one.
    fn reversed(self) -> Self {
        Self { rate: -self.rate, slide: -self.slide, ..self }
    }

    /// The transform of the one bound at a time.
    #[inline(always)]
    fn at(&self, t: f32) -> AxialMotion {
        let (sin, cos) = sine_and_cosine(self.rate * t);
        AxialMotion { sin, cos, lift: self.slide * t }
    }
}

/// A rotation about the axis, and a translation along it.
#[derive(Clone, Copy)]
struct AxialMotion {
    sin: f32,
    cos: f32,
    lift: f32,
}

impl AxialMotion {
    /// A direction of the rotating bound, after the rotation.
    #[inline(always)]
    fn rotated_direction(&self, v: [f32; 3]) -> [f32; 3] {
        [v[0] * self.cos - v[1] * self.sin, v[0] * self.sin + v[1] * self.cos, v[2]]
    }

    #[inline(always)]
    fn reversed(&self) -> Self {
        Self { sin: -self.sin, cos: self.cos, lift: -self.lift }
    }
}

/// Sine and cosine of an angle of at most [`MAX_ROTATION`], with an error of at most 2e-7.
#[inline(always)]
fn sine_and_cosine(x: f32) -> (f32, f32) {
    let s = x * x;
    let sin = 1.0 + s * (-0.166_666_57 + s * (0.008_333_017 + s * (-0.000_198_065_96 + s * 2.599_604_6e-6)));
    let cos =
        0.999_999_94 + s * (-0.499_998_9 + s * (0.041_663_22 + s * (-0.001_385_099 + s * 2.309_246_2e-5)));
    (x * sin, cos)
}

/// A bound in straight coordinates relative to the axis.
#[derive(Clone, Copy)]
struct StraightBound {
    centre: [f32; 3],
    generators: [[f32; 3]; 3],
    octagon: [f32; 2],
    pad: [f32; 3],
    /// Maximum extent from its centre, across the axis and along it.
    reach: [f32; 2],
    /// Bound of the distance of its centre from the axis.
    distance: f32,
}

impl StraightBound {
    #[inline(always)]
    fn new(block: &Charted, lane: usize, axis: f32) -> Self {
        let take = |v: &[Lanes; 3]| [v[0][lane], v[1][lane], v[2][lane]];
        let (centre, half) = (take(&block.centre), take(&block.half));
        let centre = [centre[0] - axis, centre[1], centre[2]];
        Self {
            centre,
            generators: [take(&block.generators[0]), take(&block.generators[1]), take(&block.generators[2])],
            octagon: [block.octagon[0][lane], block.octagon[1][lane]],
            pad: take(&block.pad),
            reach: [length_at_most(half[0], half[1]), half[2]],
            distance: length_at_most(centre[0], centre[1]),
        }
    }
}

/// A bound of a length across the axis, at most an eighth too large: (M + m / 2)^2 >= M^2 + m^2 if M >= m.
#[inline(always)]
fn length_at_most(x: f32, y: f32) -> f32 {
    let (x, y) = (x.abs(), y.abs());
    max(x, y) + 0.5 * min(x, y)
}

/// The fixed bound's range along a direction `n`.
#[derive(Clone, Copy)]
struct FixedRange {
    n: [f32; 3],
    low: f32,
    high: f32,
}

/// The error of a gap that is interpolated linearly in an interval.
#[derive(Clone, Copy)]
struct GapError {
    /// The chord error, relative to lengths across the axis.
    curvature: f32,
    rounding: f32,
}

/// Lower bounds of the gap of two bounds along a direction at both ends of an interval, such that the gap can be
/// interpolated linearly in between: with the rotating bound beyond the fixed bound, and before it.
#[inline(always)]
fn gaps<const LEAF: bool>(
    FixedRange { n, low, high }: FixedRange,
    rotating: &StraightBound,
    ends: &[AxialMotion; 2],
    GapError { curvature, rounding }: GapError,
) -> [[f32; 2]; 2] {
    let end = |motion: &AxialMotion| {
        // The direction in the frame of the rotating bound.
        let back = motion.reversed().rotated_direction(n);
        let across = back[0] * rotating.centre[0] + back[1] * rotating.centre[1];
        let place = across + n[2] * (rotating.centre[2] + motion.lift);
        let (minimum, maximum) = extent::<LEAF>(back, rotating.generators, rotating.octagon);
        let pad = dot_abs(back, rotating.pad);
        (across, place + minimum - pad, place + maximum + pad)
    };
    let (first, last) = (end(&ends[0]), end(&ends[1]));
    // In between, the distance of the centre from the axis along n exceeds its chord by at most the chord's error.
    let range = length_at_most(n[0], n[1]) * (rotating.reach[0] + curvature * rotating.distance);
    let below_chord = curvature * max(0.0, range - min(first.0, last.0)) + rounding;
    let above_chord = curvature * max(0.0, range + max(first.0, last.0)) + rounding;
    [
        [first.1 - high - below_chord, last.1 - high - below_chord],
        [low - first.2 - above_chord, low - last.2 - above_chord],
    ]
}

/// The loop over eight lanes.
#[inline(always)]
fn cut_of<const ONE_LEAF: bool, const LEAF: bool>(
    ChartedLane { block: other, lane }: ChartedLane<'_>,
    block: &Charted,
    motion: &RelativeScrew,
    intervals: &mut LaneIntervals,
) {
    let lane = lane % WIDTH;
    let one = StraightBound::new(other, lane, motion.axis);
    let normal = [other.normal[0][lane], other.normal[1][lane], other.normal[2][lane]];
    let (normal_at, normal_reach) = (dot(normal, one.centre) + other.height[lane], other.reach[lane]);
    let normal_length = normal[0].abs() + normal[1].abs() + normal[2].abs();
    let sum = |s: &StraightBound| s.distance + s.centre[2].abs() + s.reach[0] + s.reach[1];
    let lengths = sum(&one) + motion.axis.abs() + motion.slide.abs() * motion.latest;
    let mut separated = 0;
    for i in 0..WIDTH {
        let eight = StraightBound::new(block, i, motion.axis);
        let rounding = ROUNDING * (lengths + sum(&eight));
        let (first, last) = (intervals.first[i], intervals.last[i]);
        let ends = [motion.at(first), motion.at(last)];
        let rotation = motion.rate * (last - first);
        let curvature = 0.125_001 * rotation * rotation;
        // The fractions of the interval in which they are separated, from its start and up to its end.
        let (mut early, mut late) = (0.0, 0.0);
        let mut add = |gaps: [[f32; 2]; 2]| {
            for [x, y] in gaps {
                // A NaN compares false, so it proves nothing.
                let inverse = 1.0 / max(TINY, (x - y).abs());
                early = max(if x > 0.0 { if y > 0.0 { 2.0 } else { x * inverse } } else { 0.0 }, early);
                late = max(if y > 0.0 { if x > 0.0 { 2.0 } else { y * inverse } } else { 0.0 }, late);
            }
        };
        let n = [block.normal[0][i], block.normal[1][i], block.normal[2][i]];
        let (at, reach) = (dot(n, eight.centre) + block.height[i], block.reach[i]);
        let error = GapError { curvature, rounding: rounding * (n[0].abs() + n[1].abs() + n[2].abs()) };
        let range = FixedRange { n, low: at - reach, high: at + reach };
        add(gaps::<ONE_LEAF>(range, &one, &ends, error));
        let range = FixedRange { n: normal, low: normal_at - normal_reach, high: normal_at + normal_reach };
        let back = [ends[0].reversed(), ends[1].reversed()];
        let error = GapError { curvature, rounding: rounding * normal_length };
        add(gaps::<LEAF>(range, &eight, &back, error));
        // Along the vector between the centres at the start.
        let from = ends[0].rotated_direction(one.centre);
        let n =
            [from[0] - eight.centre[0], from[1] - eight.centre[1], from[2] + ends[0].lift - eight.centre[2]];
        let (minimum, maximum) = extent::<LEAF>(n, eight.generators, eight.octagon);
        let (at, pad) = (dot(n, eight.centre), dot_abs(n, eight.pad));
        let error = GapError { curvature, rounding: rounding * (n[0].abs() + n[1].abs() + n[2].abs()) };
        let range = FixedRange { n, low: at + minimum - pad, high: at + maximum + pad };
        add(gaps::<ONE_LEAF>(range, &one, &ends, error));
        let (early, late) = (early * (1.0 - FRACTION_ROUNDING), late * (1.0 - FRACTION_ROUNDING));
        separated |= u32::from(early > 1.0) << i;
        let (length, rounding) = (last - first, FRACTION_ROUNDING * (first.abs() + last.abs()));
        intervals.first[i] = max(first + early * length - rounding, first);
        intervals.last[i] = min(last - late * length + rounding, last);
        separated |= u32::from(intervals.first[i] > intervals.last[i]) << i;
    }
    intervals.live &= !separated;
}

#[inline(always)]
fn cut_of_any(one: ChartedLane<'_>, block: &Charted, motion: &RelativeScrew, intervals: &mut LaneIntervals) {
    match (one.block.is_leaf, block.is_leaf) {
        (false, false) => cut_of::<false, false>(one, block, motion, intervals),
        (false, true) => cut_of::<false, true>(one, block, motion, intervals),
        (true, false) => cut_of::<true, false>(one, block, motion, intervals),
        (true, true) => cut_of::<true, true>(one, block, motion, intervals),
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn cut_fast(one: ChartedLane, block: &Charted, motion: &RelativeScrew, intervals: &mut LaneIntervals) {
    cut_of_any(one, block, motion, intervals);
}

#[inline(never)]
fn cut_portable(
    one: ChartedLane<'_>,
    block: &Charted,
    motion: &RelativeScrew,
    intervals: &mut LaneIntervals,
) {
    cut_of_any(one, block, motion, intervals);
}

#[cfg(test)]
mod tests {
    use chasles_testing::{Random, cases};

    use super::*;
    use crate::math::lanes::in_octagon;

    #[expect(clippy::cast_possible_truncation, reason = "numbers for kernels in 32 bits")]
    fn number(random: &mut Random) -> f32 {
        random.side() as f32
    }

    fn vector(random: &mut Random, size: f32) -> [f32; 3] {
        [0; 3].map(|_| size * number(random))
    }

    #[test]
    fn sine_and_cosine_are_within_their_error() {
        for i in -1000_i16..=1000 {
            let x = MAX_ROTATION * f32::from(i) / 1000.0;
            let (sin, cos) = sine_and_cosine(x);
            let (true_sin, true_cos) = f64::from(x).sin_cos();
            assert!(
                (f64::from(sin) - true_sin).abs() < 2e-7 && (f64::from(cos) - true_cos).abs() < 2e-7,
                "{x}"
            );
        }
    }

    #[test]
    fn gaps_are_never_below_their_interpolated_lower_bounds() {
        let random = &mut Random(5);
        let (mut bent, mut tight) = (0, 0);
        for case in 0..cases(4_000, 20_000) {
            let size = [0.01, 0.3, 1.0][case % 3];
            let generators = [0; 3].map(|_| vector(random, size));
            let mut centre = vector(random, 2.0);
            if case % 5 == 0 {
                (centre[0], centre[1]) = (0.1 * centre[0], 0.1 * centre[1]);
            }
            let (leaf, pad) = (case % 2 == 0, vector(random, 0.1).map(f32::abs));
            let octagon = [0; 2].map(|_| number(random).abs());
            let reach = |c: usize| {
                let along = generators.map(|g| g[c].abs());
                let sum = in_octagon(generators[0][c], generators[1][c], octagon) + along[2];
                pad[c] + if leaf { max(max(along[0], along[1]), along[2]) } else { sum }
            };
            let shape = StraightBound {
                centre,
                generators,
                octagon,
                pad,
                reach: [length_at_most(reach(0), reach(1)) * 1.000_001, reach(2)],
                distance: length_at_most(centre[0], centre[1]),
            };
            let motion =
                RelativeScrew { axis: 0.0, rate: 1.5 * number(random), slide: number(random), latest: 1.0 };
            let (t, u) = (number(random), number(random));
            let (first, last) = (min(t, u), max(t, u));
            let ends = [motion.at(first), motion.at(last)];
            let n = vector(random, 1.0);
            let range = FixedRange { n, low: number(random), high: 1.0 + number(random) };
            let rotation = motion.rate * (last - first);
            let curvature = 0.125_001 * rotation * rotation;
            let find = |curvature: f32, rounding: f32| {
                let error = GapError { curvature, rounding };
                if leaf {
                    gaps::<true>(range, &shape, &ends, error)
                } else {
                    gaps::<false>(range, &shape, &ends, error)
                }
            };
            let (given, even) = (find(curvature, 1e-5), find(0.0, 0.0));
            for step in 0..=8 {
                let fraction = f64::from(step) / 8.0;
                let t = f64::from(first) + fraction * (f64::from(last) - f64::from(first));
                let (sin, cos) = (f64::from(motion.rate) * t).sin_cos();
                let along = |v: [f32; 3], lift: f64| {
                    let [x, y, z] = v.map(f64::from);
                    let [n_x, n_y, n_z] = n.map(f64::from);
                    n_x * (x * cos - y * sin) + n_y * (x * sin + y * cos) + n_z * (z + lift)
                };
                let place = along(centre, f64::from(motion.slide) * t);
                let corners = generators.map(|g| along(g, 0.0));
                let (least, greatest) = if leaf {
                    (
                        corners.iter().copied().fold(9.0, f64::min),
                        corners.iter().copied().fold(-9.0, f64::max),
                    )
                } else {
                    let [x, y, z] = corners;
                    let [k0, k1] = octagon.map(f64::from);
                    let ends = [x + k0 * y, k0 * x + y, x - k1 * y, k1 * x - y];
                    let most = ends.into_iter().map(f64::abs).fold(0.0, f64::max) + z.abs();
                    (-most, most)
                };
                let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
                let loose = (0..3).map(|c| along(axes[c], 0.0).abs() * f64::from(pad[c])).sum::<f64>();
                let (least, greatest) = (least - loose, greatest + loose);
                let beyond = place + least - f64::from(range.high);
                let before = f64::from(range.low) - place - greatest;
                for (side, exact) in [beyond, before].into_iter().enumerate() {
                    let [x, y] = given[side].map(f64::from);
                    let chord = x + fraction * (y - x);
                    assert!(chord <= exact, "case {case}, {step}: {chord} > {exact} of {given:?}");
                    // Without the reduction for curvature, the value is not always a lower bound.
                    let [p, q] = even[side].map(f64::from);
                    bent += u32::from(p + fraction * (q - p) > exact + 1e-3);
                    tight +=
                        u32::from(exact - chord < 2.5e-5 && curvature > 1e-3 && (step == 0 || step == 8));
                }
            }
        }
        assert!(bent > 10 && tight > 1_500, "{bent}, {tight}");
    }
}
