//! Bounds around the axis, of which the helical chart says little: they go all round it there.
//!
//! But what is near the axis hardly moves as it turns. So coordinates are straight here, two across the axis and one along it: A slides
//! along the axis, and is turned as it is half-way through the span of a pair. By how much it turns from the begin of the span until then,
//! times the distance from the axis of the one that is nearer to it, bounds are enlarged: which of the two turns does not matter.

use crate::bvh::layout::{Bvh, NONE, WIDTH};
use crate::narrow_phase::chart::{Placement, Sweep, narrow};
use crate::narrow_phase::charted::Charted;
use crate::narrow_phase::lanes::{Instructions, max, min};
use crate::narrow_phase::queue::Pair;
use crate::narrow_phase::spans::{Eight, Spans};

/// The memory of what is looked at in straight coordinates.
#[derive(Debug, Clone)]
pub(crate) struct NearAxis {
    a: Straight,
    b: Straight,
    sweep: Sweep,
    /// Where the axis is, along x.
    axis: f32,
    /// The bound that is turned is the first of these.
    turned: Box<Charted>,
    spans: Spans,
}

/// The blocks of one body in straight coordinates.
#[derive(Debug, Clone, Default)]
struct Straight {
    at: Placement,
    blocks: Vec<Charted>,
    used: usize,
    /// Where a block of the chart is among these, or [`NONE`].
    places: Vec<u32>,
    sweep: Sweep,
}

/// A bound in the chart by its place, and its body's hierarchy.
pub(crate) struct Bound<'a> {
    pub(crate) block: &'a Charted,
    pub(crate) place: u32,
    pub(crate) bvh: &'a Bvh,
}

/// A turn about the axis.
#[derive(Debug, Clone, Copy)]
struct Turn {
    cos: f32,
    sin: f32,
    axis: f32,
    /// What is turned is enlarged by this, across the axis.
    pad: f32,
}

/// Roundings of a turned place, relative to its distance from the axis, and of the turn itself.
const ROUNDING: f32 = 2e-6;

impl Default for NearAxis {
    fn default() -> Self {
        Self {
            a: Straight::default(),
            b: Straight::default(),
            sweep: Sweep::default(),
            axis: 0.0,
            turned: Box::new(Charted::EMPTY),
            spans: Spans::default(),
        }
    }
}

impl NearAxis {
    /// Begins a search, with both bodies' places in the helical chart.
    pub(crate) fn start(&mut self, (a, b): (&Placement, &Placement), sweep: &Sweep) {
        self.sweep = sweep.along_axis();
        self.a.start(a, &self.sweep);
        self.b.start(b, &self.sweep);
        self.axis = -a.inverse_k;
    }

    /// Cuts the spans in which one bound can meet those of eight that go far round the axis; all of them, where it does so itself.
    #[inline(never)]
    pub(crate) fn cut(
        &mut self,
        spans: &mut Spans,
        (one, eight): (&Bound<'_>, &Bound<'_>),
        (pair, sweep): (&Pair, &Sweep),
        (which, instructions): (Eight, Instructions),
    ) {
        let lane = (one.place % 8) as usize;
        let one_around = one.block.is_around(lane);
        let looked_at = (0..WIDTH).filter(|i| one_around || eight.block.is_around(*i));
        let looked_at = spans.live & looked_at.fold(0_u32, |bits, i| bits | 1 << i);
        if looked_at == 0 {
            return;
        }
        let (of_one, of_eight) = match which {
            Eight::OfB => (&mut self.a, &mut self.b),
            Eight::OfA => (&mut self.b, &mut self.a),
        };
        let one = of_one.block(one, instructions);
        let eight = of_eight.block(eight, instructions);
        let lanes = (0..WIDTH).filter(|i| looked_at >> i & 1 == 1);
        let furthest = lanes.map(|i| eight.distance(i, self.axis)).fold(0.0, max);
        let furthest = min(furthest, one.distance(lane, self.axis));
        let rate = sweep.rate();
        let angle = 0.5 * f64::from(rate) * (f64::from(pair.first) + f64::from(pair.last));
        let (sin, cos) = libm::sincos(if which == Eight::OfB { angle } else { -angle });
        let pad = 0.500_001 * rate * (pair.last - pair.first) * furthest;
        let turn = Turn { cos: narrow(cos), sin: narrow(sin), axis: self.axis, pad };
        self.turned.turn((one, lane), &turn);
        self.spans.find((&self.turned, 0), eight, (which, &self.sweep, instructions), pair);
        for i in (0..WIDTH).filter(|i| looked_at >> i & 1 == 1) {
            spans.first[i] = max(spans.first[i], self.spans.first[i]);
            spans.last[i] = min(spans.last[i], self.spans.last[i]);
            let meets = self.spans.live >> i & 1 == 1 && spans.first[i] <= spans.last[i];
            spans.live &= !(u32::from(!meets) << i);
        }
    }
}

impl Straight {
    fn start(&mut self, at: &Placement, sweep: &Sweep) {
        (self.at, self.sweep) = (at.straight(), *sweep);
        self.used = 0;
        self.places.clear();
    }

    /// The block of a bound, charted if it has not been.
    fn block(&mut self, Bound { block, place, bvh }: &Bound<'_>, instructions: Instructions) -> &Charted {
        let number = (place / 8) as usize;
        if self.places.len() <= number {
            self.places.resize(number + 1, NONE);
        }
        if self.places[number] == NONE {
            if self.used == self.blocks.len() {
                self.blocks.push(Charted::EMPTY);
            }
            self.places[number] = u32::try_from(self.used).unwrap_or(NONE);
            let at = (&self.at, &self.sweep);
            self.blocks[self.used].chart(bvh, block.node, at, instructions);
            self.used += 1;
        }
        &self.blocks[self.places[number] as usize]
    }
}

impl Charted {
    /// How far from the axis a bound of a straight chart reaches, at most.
    fn distance(&self, lane: usize, axis: f32) -> f32 {
        let [x, y] = [self.centre[0][lane] - axis, self.centre[1][lane]].map(f32::abs);
        let [across_x, across_y] = self.reach_of(self.generators.map(|g| [g[0][lane], g[1][lane]]));
        let (x, y) = (x + across_x + self.pad[0][lane], y + across_y + self.pad[1][lane]);
        (x * x + y * y).sqrt() * (1.0 + ROUNDING) + ROUNDING * axis.abs()
    }

    /// How far generators reach from the centre, along either coordinate.
    fn reach_of(&self, generators: [[f32; 2]; 3]) -> [f32; 2] {
        let reach = |[p, q, r]: [f32; 3]| if self.is_leaf { max(max(p, q), r) } else { p + q + r };
        [0, 1].map(|c| reach(generators.map(|g| g[c].abs())))
    }

    /// Makes the first of these bounds that of a lane of a straight chart, turned about the axis.
    fn turn(&mut self, (block, lane): (&Self, usize), turn: &Turn) {
        let lane = lane % WIDTH;
        let about = |x: f32, y: f32| [x * turn.cos - y * turn.sin, x * turn.sin + y * turn.cos];
        let (x, y) = (block.centre[0][lane] - turn.axis, block.centre[1][lane]);
        let [u, v] = about(x, y);
        (self.centre[0][0], self.centre[1][0], self.centre[2][0]) = (u + turn.axis, v, block.centre[2][lane]);
        let turned = block.generators.map(|g| about(g[0][lane], g[1][lane]));
        let reach = block.reach_of(turned);
        for (mine, (of, [u, v])) in self.generators.iter_mut().zip(block.generators.iter().zip(turned)) {
            (mine[0][0], mine[1][0], mine[2][0]) = (u, v, of[2][lane]);
        }
        let [n_x, n_y] = about(block.normal[0][lane], block.normal[1][lane]);
        (self.normal[0][0], self.normal[1][0], self.normal[2][0]) = (n_x, n_y, block.normal[2][lane]);
        let rounding = ROUNDING * (x.abs() + y.abs() + turn.axis.abs() + reach[0] + reach[1]);
        let pad = block.pad[0][lane] + block.pad[1][lane] + turn.pad + rounding;
        for (c, reach) in reach.into_iter().enumerate() {
            self.pad[c][0] = pad;
            self.half[c][0] = reach + pad;
        }
        (self.pad[2][0], self.half[2][0]) = (block.pad[2][lane], block.half[2][lane]);
        self.reach[0] = block.reach[lane] + (n_x.abs() + n_y.abs()) * pad;
        self.inverse_speed[0] = block.inverse_speed[lane];
        self.is_leaf = block.is_leaf;
    }
}
