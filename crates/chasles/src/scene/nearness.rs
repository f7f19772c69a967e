//! How near two bodies come: the spans in which they are within a clearance, and the least gap.
//!
//! The gap changes no faster than the greatest speed v of one body as seen from the other. Between two times h apart with gaps g and
//! g' it lies between (g + g' - v h) / 2 and (g + g' + v h) / 2: what that does not decide is cut in two. Where the gap hovers just above
//! the clearance a screw with its deviation decides sooner.

use crate::error::Error;
use crate::narrow_phase::gap::GapLimits;
use crate::predict::Options;
use crate::scene::relative::{Relative, Stretch};
use crate::scene::shapes::{Apart, PairMemory, PairShapes};
use crate::scene::watch::Watch;

/// A span within the clearance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NearSpan {
    /// Enclosure of its begin, in seconds; [0, 0] where they are near from the start.
    pub(crate) enter: [f64; 2],
    /// Enclosure of its end; `None` where they are near to the end.
    pub(crate) exit: Option<[f64; 2]>,
}

/// What is near along a motion.
#[derive(Debug, Default)]
pub(crate) struct NearSpans {
    pub(crate) near: Vec<NearSpan>,
    /// Spans, of no more than [`FINEST`] of the duration each, in which it is not decided; those that meet are one.
    pub(crate) unknown: Vec<[f64; 2]>,
}

impl NearSpans {
    /// What is undecided right beside the end of a span belongs to the enclosure of that end.
    fn of(mut near: Vec<NearSpan>, mut unknown: Vec<[f64; 2]>) -> Self {
        unknown.retain(|[from, to]| {
            for span in &mut near {
                if let Some(exit) = &mut span.exit
                    && exit[1] == *from
                {
                    exit[1] = *to;
                    return false;
                }
                if span.enter[0] == *to {
                    span.enter[0] = *from;
                    return false;
                }
            }
            true
        });
        Self { near, unknown }
    }
}

/// Ends of spans are narrowed down to this share of the duration.
const SHARP: f64 = 1e-8;

/// What is near at neither end of so short a span is cut down further before it is left undecided: it may lie beside an end.
const FINEST: f64 = SHARP / 16.0;

/// Gaps within this share of the clearance count as within it.
const PLAY: f64 = 1e-9;

/// Shorter cuts than this share of the duration are given to a screw, where the gap may be hovering.
const HOVERING: f64 = 1e-3;

/// The least gap is wanted to this share, or this many metres.
const SHARE: f64 = 0.005;
const ABSOLUTE: f64 = 4e-6;

/// Looks after which no more is found out.
const LOOKS: u64 = 20_000_000;

/// A pair along its motion.
pub(crate) struct Nearby<'a> {
    pub(crate) shapes: &'a PairShapes<'a>,
    pub(crate) relative: &'a Relative<'a>,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) memory: &'a mut PairMemory,
    pub(crate) options: Options,
}

/// The gap at a time: at least and at most.
#[derive(Debug, Clone, Copy)]
struct At {
    time: f64,
    at_least: f64,
    at_most: f64,
}

/// Something between two times.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Between {
    /// Further apart than the clearance: proven.
    Beyond,
    Within,
    /// They change, or may, in so short a time.
    Changing,
}

impl Nearby<'_> {
    fn look(&mut self, time: f64, within: f64, limits: &GapLimits) -> At {
        let pose = self.relative.pose_at(time, within);
        let found = self.shapes.nearness_at(self.memory, &pose, limits);
        let rounding = self.relative.rounding(time, within);
        At { time, at_least: (found.at_least - rounding).max(0.0), at_most: found.at_most + rounding }
    }

    /// The spans in which the gap is within the clearance, and those in which it may be; `None` where the check was stopped.
    ///
    /// # Errors
    /// As [`PairShapes::apart_until`].
    pub(crate) fn spans(&mut self, clearance: f64) -> Result<Option<NearSpans>, Error> {
        let duration = self.relative.breaks.last().copied().unwrap_or(0.0);
        let mut spans = Spans { found: Vec::new(), open: false };
        let mut unknown: Vec<[f64; 2]> = Vec::new();
        let stretches: Vec<_> = self.relative.stretches().collect();
        let limits = GapLimits { share: 1e-10, ..GapLimits::EXACT };
        for stretch in stretches {
            let (begin, end) = stretch.span();
            let middle = 0.5 * (begin + end);
            let [first, last] = [begin, end].map(|time| self.look(time, middle, &limits));
            let mut waiting = vec![(first, last)];
            while let Some((from, to)) = waiting.pop() {
                if self.watch.is_over() {
                    return Ok(None);
                }
                let span = to.time - from.time;
                let swing = self.relative.speed(from.time, to.time) * span;
                let within = |at: &At| at.at_most <= clearance * (1.0 + PLAY);
                // Where the gap is the clearance itself, looks say that it stays so.
                let level = |at: &At| within(at) && at.at_least >= clearance * (1.0 - PLAY);
                let kind = if 0.5 * (from.at_least + to.at_least - swing) > clearance {
                    Between::Beyond
                } else if 0.5 * (from.at_most + to.at_most + swing) <= clearance
                    || span < HOVERING * duration && level(&from) && level(&to)
                {
                    Between::Within
                } else if span <= FINEST * duration
                    || span <= SHARP * duration && (within(&from) || within(&to))
                {
                    if within(&from) && within(&to) { Between::Within } else { Between::Changing }
                } else {
                    let hovers = span < HOVERING * duration && !within(&from) && !within(&to);
                    if hovers && self.keeps_beyond(&stretch, (from.time, to.time), clearance)? {
                        Between::Beyond
                    } else {
                        let cut = self.look(0.5 * (from.time + to.time), middle, &limits);
                        waiting.push((cut, to));
                        waiting.push((from, cut));
                        continue;
                    }
                };
                let near = [within(&from), within(&to)];
                if kind == Between::Changing
                    && near == [false; 2]
                    && !self.keeps_beyond(&stretch, (from.time, to.time), clearance)?
                {
                    match unknown.last_mut().filter(|last| last[1] == from.time) {
                        Some(last) => last[1] = to.time,
                        None => unknown.push([from.time, to.time]),
                    }
                }
                spans.add(kind, [from.time, to.time], near);
            }
        }
        Ok(Some(NearSpans::of(spans.found, unknown)))
    }

    fn keeps_beyond(
        &mut self,
        stretch: &Stretch,
        (from, to): (f64, f64),
        clearance: f64,
    ) -> Result<bool, Error> {
        let (piece, deviation) = match stretch {
            Stretch::Exact(piece) => (piece.part(from, to), 0.0),
            Stretch::General { .. } => self.relative.screw(from, to),
        };
        let distance = clearance + deviation;
        if !distance.is_finite() {
            return Ok(false);
        }
        let (apart, _) = self.shapes.apart_until(self.memory, &piece.screw, distance, &self.options)?;
        Ok(apart == Apart::Throughout)
    }

    /// Enclosure of the least gap of the whole motion, in metres, and a time at which it is no more than the upper end.
    pub(crate) fn least_gap(&mut self) -> ([f64; 2], f64) {
        let limits = GapLimits { share: 0.1 * SHARE, absolute: 0.1 * ABSOLUTE, ..GapLimits::EXACT };
        let (mut least, mut most, mut when) = (f64::INFINITY, f64::INFINITY, 0.0);
        let stretches: Vec<_> = self.relative.stretches().map(|stretch| stretch.span()).collect();
        let mut waiting = Vec::new();
        for &(begin, end) in &stretches {
            let middle = 0.5 * (begin + end);
            let [first, last] = [begin, end].map(|time| self.look(time, middle, &limits));
            for at in [first, last] {
                if at.at_most < most {
                    (most, when) = (at.at_most, at.time);
                }
            }
            waiting.push((first, last, middle));
        }
        for _ in 0..LOOKS {
            if self.watch.is_over() {
                break;
            }
            let Some((from, to, within)) = waiting.pop() else { break };
            let span = to.time - from.time;
            let swing = self.relative.speed(from.time, to.time) * span;
            let bound = 0.5 * (from.at_least + to.at_least - swing);
            let good = most - (SHARE * most).max(ABSOLUTE);
            let cut = 0.5 * (from.time + to.time);
            if bound >= good || cut <= from.time || cut >= to.time {
                least = least.min(bound.min(from.at_least).min(to.at_least));
                continue;
            }
            let cut = self.look(cut, within, &limits);
            if cut.at_most < most {
                (most, when) = (cut.at_most, cut.time);
            }
            // The nearer half first: it lowers what the other must beat.
            let halves = [(from, cut, within), (cut, to, within)];
            let [near, far] = if from.at_most < to.at_most { halves } else { [halves[1], halves[0]] };
            waiting.push(far);
            waiting.push(near);
        }
        if !waiting.is_empty() {
            least = 0.0;
        }
        ([least.clamp(0.0, most), most], when)
    }
}

/// Spans as they are put together.
struct Spans {
    found: Vec<NearSpan>,
    open: bool,
}

impl Spans {
    /// Adds what holds between two times, and whether the gap is within the clearance at each.
    fn add(&mut self, kind: Between, [from, to]: [f64; 2], [near_before, near_after]: [bool; 2]) {
        match kind {
            Between::Beyond => self.close([from; 2]),
            Between::Within => self.open([from; 2]),
            Between::Changing => {
                if near_before {
                    self.open([from; 2]);
                    self.close([from, to]);
                }
                if near_after {
                    self.open([from, to]);
                }
                if !near_before && !near_after {
                    self.close([from; 2]);
                }
            }
        }
    }

    fn open(&mut self, enter: [f64; 2]) {
        if !self.open {
            self.found.push(NearSpan { enter, exit: None });
            self.open = true;
        }
    }

    fn close(&mut self, exit: [f64; 2]) {
        if self.open
            && let Some(last) = self.found.last_mut()
        {
            last.exit = Some(exit);
            self.open = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_undecided_beside_an_end_belongs_to_it() {
        let span = |enter, exit| NearSpan { enter, exit };
        let near = vec![span([1.0, 1.1], Some([2.0, 2.1])), span([3.0, 3.1], None)];
        let found = NearSpans::of(near, vec![[0.9, 1.0], [2.1, 2.2], [2.5, 2.6], [2.9, 3.0]]);
        assert_eq!(found.near, [span([0.9, 1.1], Some([2.0, 2.2])), span([2.9, 3.1], None)]);
        assert_eq!(found.unknown, [[2.5, 2.6]]);
    }
}
