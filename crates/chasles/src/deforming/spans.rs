//! When an edge and a face, or two other features, meet during a step: spans that are proven, and what is left in doubt.
//!
//! An edge AB meets a face PQR where A and B are on different sides of its plane, and the line AB passes on the same side
//! of its three edges: signs of five volumes, each a cubic function of time. Where all signs are certain on an interval
//! of time, so is the answer there; other intervals are halved. Features that are apart are parted by a plane, too.
//!
//! Vertices may be off their straight ways by a length: the volumes' bounds of error then hold that as well, and what
//! is proven holds for the true ways.

use glam::DVec3;

use crate::deforming::elementary::crossings::{Line, ROUNDINGS, SIZES, cross, cubic, halved, has_one_sign};
use crate::deforming::elementary::features::{MovingFeatures, MovingKind};
use crate::features::distance::{Closest, point_triangle, segment_segment};

/// Points on their way.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meeting {
    /// An edge AB and a face PQR.
    EdgeFace {
        begin: [DVec3; 5],
        end: [DVec3; 5],
    },
    Features(MovingFeatures),
}

/// What is proven of two features in a step, in order of time: where they meet, and where they may.
#[derive(Debug, Clone, Default)]
pub(super) struct Spans {
    pub(super) met: Vec<[f64; 2]>,
    pub(super) doubt: Vec<[f64; 2]>,
    /// Memory.
    waiting: Vec<Interval>,
    halves: Vec<Interval>,
}

impl Spans {
    pub(super) fn clear(&mut self) {
        self.met.clear();
        self.doubt.clear();
    }
}

/// How exactly vertices and times are to be told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accuracy {
    /// How far any vertex may be from its straight way, in metres.
    pub(super) off: f64,
    /// Intervals of time are not halved below this share of the step.
    pub(super) narrowest: f64,
}

/// Intervals in doubt at a time, at most: what rests so throughout must not take forever.
const MOST: usize = 64;

/// The rounding of a difference of heights, as a share of the size.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Adds what is proven of two features to the spans, which are cleared first. Nobody asks what is outside of some
/// windows of time.
pub(super) fn spans(meeting: &Meeting, windows: &[[f64; 2]], accuracy: &Accuracy, found: &mut Spans) {
    found.clear();
    let local = Local::new(meeting, accuracy.off);
    let is_parted = |window: &[f64; 2]| {
        [DVec3::X, DVec3::Y, DVec3::Z].into_iter().any(|n| local.is_parted_by(n, *window))
    };
    if windows.iter().all(|window| is_parted(window) || local.is_parted_in(*window)) {
        return;
    }
    let (volumes, errors) = local.volumes(accuracy.off);
    let narrowest = accuracy.narrowest.max(0.25 * accuracy.off / local.travel());
    let Spans { met, doubt, waiting, halves } = found;
    waiting.clear();
    waiting.push(Interval { from: 0.0, to: 1.0, volumes });
    while !waiting.is_empty() {
        halves.clear();
        // Where much is left in doubt, finer intervals say no more.
        let is_last = waiting.len() > MOST;
        for interval in waiting.drain(..) {
            let Interval { from, to, .. } = interval;
            let mut known =
                if local.count == 5 { interval.told(&errors) } else { interval.told_of_four(errors[0]) };
            if known == Known::Open && local.is_parted_in([from, to]) {
                known = Known::Apart;
            }
            match known {
                Known::Apart => {}
                Known::Met => met.push([from, to]),
                Known::Open if is_last || to - from <= narrowest => doubt.push([from, to]),
                Known::Open => halves.extend(interval.halves()),
            }
        }
        std::mem::swap(waiting, halves);
    }
    join(met);
    join(doubt);
}

/// Puts intervals in order, and joins those that touch.
pub(super) fn join(spans: &mut Vec<[f64; 2]>) {
    spans.sort_unstable_by(|x, y| x[0].total_cmp(&y[0]));
    spans.dedup_by(|next, last| {
        let is_one = next[0] <= last[1];
        if is_one {
            last[1] = last[1].max(next[1]);
        }
        is_one
    });
}

/// What is known on an interval of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Apart,
    Met,
    Open,
}

/// An interval of time, and the volumes on it by their coefficients of Bernstein: of A and B over the face, and of the
/// edge and the sides of the face; of other features one alone.
#[derive(Debug, Clone, Copy)]
struct Interval {
    from: f64,
    to: f64,
    volumes: [[f64; 4]; 5],
}

impl Interval {
    fn told(&self, errors: &[f64; 5]) -> Known {
        let sign = |k: usize| {
            let certain = has_one_sign(&self.volumes[k], errors[k]);
            if certain { self.volumes[k][0].signum() } else { 0.0 }
        };
        let [a, b] = [sign(0), sign(1)];
        if a * b > 0.0 {
            return Known::Apart;
        }
        let around = [sign(2), sign(3), sign(4)];
        let (least, most) =
            around.iter().fold((1.0_f64, -1.0_f64), |(least, most), s| (least.min(*s), most.max(*s)));
        if least * most < 0.0 {
            Known::Apart
        } else if a * b < 0.0 && least * most > 0.0 {
            Known::Met
        } else {
            Known::Open
        }
    }

    /// The same for a vertex and a face, or two edges: not in one plane they are apart.
    fn told_of_four(&self, error: f64) -> Known {
        if has_one_sign(&self.volumes[0], error) { Known::Apart } else { Known::Open }
    }

    /// Both halves.
    fn halves(&self) -> [Self; 2] {
        let middle = 0.5 * (self.from + self.to);
        let [mut sooner, mut later] = [*self; 2];
        (sooner.to, later.from) = (middle, middle);
        for (k, volume) in self.volumes.iter().enumerate() {
            (sooner.volumes[k], later.volumes[k]) = halved(volume);
        }
        [sooner, later]
    }
}

/// The points relative to the begin of the first of them.
struct Local {
    count: usize,
    /// How many of them are of the first feature.
    firsts: usize,
    begin: [DVec3; 5],
    end: [DVec3; 5],
    /// How far along a unit direction a point must be ahead of another to be so for certain; not a number where sizes
    /// are too large or too small for that.
    ahead: f64,
}

impl Local {
    fn new(meeting: &Meeting, off: f64) -> Self {
        let (count, firsts, begin, end) = match meeting {
            Meeting::EdgeFace { begin, end } => (5, 2, *begin, *end),
            Meeting::Features(MovingFeatures { kind, begin, end }) => {
                let firsts = if *kind == MovingKind::VertexFace { 1 } else { 2 };
                let five = |[a, b, c, d]: [DVec3; 4]| [a, b, c, d, d];
                (4, firsts, five(*begin), five(*end))
            }
        };
        let centre = begin[0];
        let [begin, end] = [begin, end].map(|points| points.map(|p| p - centre));
        let size = begin.iter().chain(&end).fold(DVec3::ZERO, |most, p| most.max(p.abs())).max_element();
        let ahead = if SIZES.contains(&size) { ROUNDING * size + 2.0 * off } else { f64::NAN };
        Self { count, firsts, begin, end, ahead }
    }

    /// How far a point goes as seen from the first.
    fn travel(&self) -> f64 {
        let way = |i: usize| self.end[i] - self.begin[i];
        (1..self.count).map(|i| way(i).distance(way(0))).fold(f64::MIN_POSITIVE, f64::max)
    }

    fn at(&self, time: f64) -> [DVec3; 5] {
        std::array::from_fn(|i| self.begin[i] + time * (self.end[i] - self.begin[i]))
    }

    /// Whether a direction, or the opposite one, parts the features between two times.
    fn is_parted_by(&self, n: DVec3, times: [f64; 2]) -> bool {
        let enough = self.ahead * n.length();
        let gaps = times.map(|time| {
            let heights = self.at(time).map(|p| n.dot(p));
            let range = |of: &[f64]| {
                of.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], h| [lo.min(*h), hi.max(*h)])
            };
            let [first, second] = [range(&heights[..self.firsts]), range(&heights[self.firsts..self.count])];
            [second[0] - first[1], first[0] - second[1]]
        });
        (0..2).any(|way| gaps.iter().all(|gap| gap[way] > enough))
    }

    /// Whether the direction between the nearest points in the middle parts the features.
    fn is_parted_in(&self, [from, to]: [f64; 2]) -> bool {
        let [a, b, c, d, e] = self.at(0.5 * (from + to));
        let Closest { a, b, .. } = match (self.count, self.firsts) {
            (5, _) => {
                let sides = [[c, d], [d, e], [e, c]].map(|side| segment_segment([a, b], side));
                let ends = [a, b].map(|p| point_triangle(p, &[c, d, e]));
                let all = sides.into_iter().chain(ends);
                let nearest = all.min_by(|x, y| x.squared.total_cmp(&y.squared));
                nearest.unwrap_or(ends[0])
            }
            (_, 1) => point_triangle(a, &[b, c, d]),
            _ => segment_segment([a, b], [c, d]),
        };
        self.is_parted_by(b - a, [from, to])
    }

    /// The volumes on the whole step, and bounds of their errors; infinite where a volume says nothing.
    fn volumes(&self, off: f64) -> ([[f64; 4]; 5], [f64; 5]) {
        let to = |i: usize, j: usize| [self.begin[j] - self.begin[i], self.end[j] - self.end[i]];
        let (mut volumes, mut errors) = ([[0.0; 4]; 5], [f64::INFINITY; 5]);
        let sides: &[[Line; 3]] = match (self.count, self.firsts) {
            (5, _) => {
                let (ab, pq, pr) = (to(0, 1), to(2, 3), to(2, 4));
                &[
                    [to(2, 0), pq, pr],
                    [to(2, 1), pq, pr],
                    [to(0, 2), ab, pq],
                    [to(0, 3), ab, to(3, 4)],
                    [to(0, 4), ab, to(4, 2)],
                ]
            }
            (_, 1) => &[[to(1, 0), to(1, 2), to(1, 3)]],
            _ => &[[to(0, 2), to(0, 1), to(2, 3)]],
        };
        for (k, [w, e, f]) in sides.iter().enumerate() {
            let lengths = [w, e, f].map(|[p, q]| p.length().max(q.length()));
            if lengths.iter().all(|length| SIZES.contains(length)) {
                let [x, y, z] = lengths;
                // Each side may be off by as much as both of its ends.
                let both = 2.0 * off;
                let moved = both * (x * y + y * z + z * x + both * (x + y + z + both));
                volumes[k] = cubic(cross(*e, *f), *w);
                errors[k] = ROUNDINGS * x * y * z + 1.000_001 * moved;
            }
        }
        (volumes, errors)
    }
}
