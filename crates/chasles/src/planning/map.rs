//! Where in the values of few joints two parts of a robot stay apart: a map, made once.
//!
//! Links that few joints join are mostly so close that balls cannot tell them apart, yet apart. How they are to each other
//! depends on the values of these joints alone. A map cuts the box of these values into cells. In the middle of a cell the
//! gap of the true shapes is asked; if it is more than any values of the cell can take away, the cell is **free**. A point
//! moves no more than its greatest distance from the axis for each radian. Else the cell is halved, those that are large
//! and have a large gap first, until the work is used up. An edge whose values stay in free cells needs no more proof.

use std::cell::RefCell;
use std::collections::BinaryHeap;

use crate::instant::gap::GapLimits;
use crate::math::budget::Budget;
use crate::pair::{Pair, PairMemory};
use crate::planning::chain::{Chain, GroupAt, Leg, Way};
use crate::planning::near::{GroupsAt, Near};
use crate::planning::part::Part;

/// Values that a map has, at most.
pub(crate) const MOST_VALUES: usize = 3;

/// Cells of a map that are halved, at most.
const CELLS: usize = 4096;

/// A value is swept so far at a time, to either side, in radians: bounds over more are coarse.
const SHORT: f64 = 0.2;

/// A place of the map.
type Place = [f64; MOST_VALUES];

/// A map of two parts.
#[derive(Debug, Clone)]
pub(crate) struct Map {
    /// The planner's values that it is of.
    values: Vec<usize>,
    /// Those that are where they were after a full turn, whose range is one.
    comes_round: [bool; MOST_VALUES],
    /// Middle and half of the length of the range of each value.
    middle: Place,
    half: Place,
    /// For each cell that is halved along which value, and where its two halves stand.
    cells: Vec<Halved>,
    /// The first cell.
    root: u32,
    /// In free cells surfaces are further apart than this, in metres.
    pub(crate) distance: f64,
}

/// A cell that is halved.
#[derive(Debug, Clone, Copy)]
struct Halved {
    along: u32,
    /// Numbers of halved cells, or [`FREE`] or [`OPEN`].
    parts: [u32; 2],
}

/// A cell in which both stay apart.
const FREE: u32 = u32::MAX;

/// A cell of which nothing is known.
const OPEN: u32 = u32::MAX - 1;

/// What a map is made of.
pub(crate) struct Mapped<'c> {
    pub(crate) chain: &'c Chain,
    /// From the group that stands to that which is seen to move.
    pub(crate) leg: &'c Leg,
    /// That which is seen to move first.
    pub(crate) parts: [&'c Part; 2],
    /// Steps of work.
    pub(crate) steps: u64,
    /// The range of each value of the planner, and whether that is a full turn after which all is as before.
    pub(crate) ranges: &'c [([f64; 2], bool)],
    pub(crate) distance: f64,
    /// How far any of the parts can be from the root, in metres.
    pub(crate) reach: f64,
}

/// A cell that waits to be halved: which part of which halved cell it is.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Waiting {
    worth: f64,
    number: usize,
    of: Option<(usize, usize)>,
    /// Along which value it is to be halved.
    along: usize,
    middle: Place,
    half: Place,
}

/// What is used while a map is made.
struct Asking {
    /// How far each value moves points at most, in metres for each radian.
    speeds: Vec<f64>,
    /// How far poses may be off, in metres.
    rounding: f64,
    budget: Budget<'static>,
    memory: PairMemory,
    groups: Vec<GroupAt>,
    queue: BinaryHeap<Waiting>,
    from: Vec<f64>,
    to: Vec<f64>,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.worth.total_cmp(&other.worth).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Mapped<'_> {
    /// The map; `None` where there are too many values, one without bounds, a joint that slides, or nothing free.
    pub(crate) fn map(&self) -> Option<Map> {
        let values = self.chain.values_of(self.leg);
        let bounded = values.iter().all(|value| self.ranges[*value].0.iter().all(|end| end.is_finite()));
        if values.is_empty() || values.len() > MOST_VALUES || !bounded || !self.chain.only_turns(self.leg) {
            return None;
        }
        let (mut middle, mut half) = ([0.0; MOST_VALUES], [0.0; MOST_VALUES]);
        let mut comes_round = [false; MOST_VALUES];
        for (at, value) in values.iter().enumerate() {
            let ([least, most], round) = self.ranges[*value];
            (middle[at], half[at], comes_round[at]) = (least.midpoint(most), 0.5 * (most - least), round);
        }
        let unset = vec![0.0; self.ranges.len()];
        let ends = |end: usize| self.ranges.iter().map(|(range, _)| range[end]).collect::<Vec<f64>>();
        let rounding = {
            // Values that the leg has not may be without bounds, and count for nothing.
            let way = Way { from: &ends(0), to: &ends(1) };
            self.chain.bounds(self.leg, &way).rounding(self.parts[0].reach(), self.reach)
        };
        let mut asking = Asking {
            rounding,
            speeds: values.iter().map(|value| self.speed(*value)).collect(),
            budget: Budget::new(self.steps),
            memory: PairMemory::default(),
            groups: Vec::new(),
            queue: BinaryHeap::new(),
            from: unset.clone(),
            to: unset,
        };
        let mut map =
            Map { values, comes_round, middle, half, cells: Vec::new(), root: OPEN, distance: self.distance };
        let first = Waiting { worth: f64::INFINITY, number: 0, of: None, along: 0, middle, half };
        self.ask(first, &mut map, &mut asking);
        while asking.budget.left() > 0
            && map.cells.len() < CELLS
            && let Some(Waiting { of, along, middle, half, .. }) = asking.queue.pop()
        {
            let number = map.cells.len();
            map.cells.push(Halved { along: number_of(along), parts: [OPEN; 2] });
            map.set(of, number_of(number));
            for (part, sense) in [-0.5, 0.5].into_iter().enumerate() {
                let (mut middle, mut half) = (middle, half);
                middle[along] += sense * half[along];
                half[along] *= 0.5;
                let (number, of) = (2 * number + part, Some((number, part)));
                self.ask(Waiting { worth: 0.0, number, of, along, middle, half }, &mut map, &mut asking);
            }
        }
        map.has_free().then_some(map)
    }

    /// How far a value moves a point of what moves at most, in metres for each radian.
    fn speed(&self, value: usize) -> f64 {
        let from = vec![0.0; self.ranges.len()];
        let mut to = from.clone();
        to[value] = 1.0;
        let [speed, more] = self.chain.bounds(self.leg, &Way { from: &from, to: &to }).speed;
        speed + more * self.parts[0].reach()
    }

    /// Marks a cell as free, or lets it wait.
    fn ask(&self, mut cell: Waiting, map: &mut Map, asking: &mut Asking) {
        let moved: Vec<f64> = asking.speeds.iter().zip(cell.half).map(|(speed, half)| speed * half).collect();
        let swept = largest(&moved, |_| true);
        // Values are off by EDGE at most.
        let edge: f64 = asking.speeds.iter().map(|speed| 2.0 * speed * EDGE).sum();
        let by_others: f64 = (0..moved.len()).filter(|at| *at != swept).map(|at| moved[at]).sum();
        let wanted = (self.distance + asking.rounding + by_others + edge) * (1.0 + 1e-9);
        let gap = self.gap(&cell, map, wanted + moved[swept] * (1.0 + 1e-9), asking);
        let is_free = match gap {
            None => true,
            Some(most) if most <= wanted || by_others > 0.4 * most => {
                // Nothing but smaller steps across helps.
                cell.along = largest(&moved, |at| at != swept || by_others <= 0.0);
                false
            }
            Some(_) => {
                cell.along = if cell.half[swept] > SHORT { swept } else { largest(&moved, |at| at != swept) };
                self.is_free_along(&cell, map, (swept, wanted), asking)
            }
        };
        if is_free {
            map.set(cell.of, FREE);
        } else {
            let size: f64 = moved.iter().product();
            cell.worth = size * gap.map_or(1.0, |most| (most / wanted).clamp(0.01, 1.0));
            asking.queue.push(cell);
        }
    }

    /// An upper bound of the gap in the middle of a cell; `None` if the gap is proven to be more than is wanted.
    fn gap(&self, cell: &Waiting, map: &Map, wanted: f64, asking: &mut Asking) -> Option<f64> {
        map.values.iter().zip(cell.middle).for_each(|(value, middle)| asking.from[*value] = middle);
        let Asking { from, groups, memory, budget, .. } = asking;
        self.chain.place_at(&Way { from, to: from }, 0.0, groups);
        let [a, b] = self.parts;
        let [of_a, of_b] = [a, b].map(|part| groups[part.group].pose.compose(&part.pose));
        let centres = of_a.transform_point(a.centre).distance(of_b.transform_point(b.centre));
        if (centres - a.radius - b.radius) * (1.0 - 1e-9) > wanted {
            return None;
        }
        let pose = of_b.inverse().compose(&of_a);
        // It is only asked whether the gap is more than is wanted.
        let limits = GapLimits {
            beyond: wanted,
            enough: 0.25 * wanted,
            share: 0.3,
            steps: budget.left(),
            ..GapLimits::EXACT
        };
        let near = Pair::new(&a.shape, &b.shape).nearness_at(memory, &pose, &limits);
        let _ = budget.take(near.steps.max(1));
        (near.at_least < wanted || near.at_least.is_nan()).then_some(near.at_most)
    }

    /// Whether both stay further apart than is wanted while one value goes through the cell, and all others stand.
    fn is_free_along(
        &self,
        cell: &Waiting,
        map: &Map,
        (swept, wanted): (usize, f64),
        asking: &mut Asking,
    ) -> bool {
        let value = map.values[swept];
        let (middle, half) = (cell.middle[swept], cell.half[swept]);
        let sweeps = (half / SHORT).ceil().max(1.0);
        let mut sweep = 0.0;
        while sweep < sweeps {
            let at = |sweep: f64| middle - half + 2.0 * half * (sweep / sweeps);
            let Asking { from, to, memory, budget, .. } = asking;
            to.clone_from(from);
            (from[value], to[value]) = (at(sweep), at(sweep + 1.0));
            let at = RefCell::new(GroupsAt::default());
            let way = Way { from, to };
            let bounds = self.chain.bounds(self.leg, &way);
            let Self { chain, parts, reach, .. } = *self;
            let near = Near { chain, way: &way, parts, bounds, reach, at: &at, tolerance: 0.0 };
            if near.apart_until((0.0, 1.0), wanted, memory, budget) < 1.0 {
                return false;
            }
            sweep += 1.0;
        }
        true
    }
}

/// The place of the largest number of those that are chosen; of the first if none is.
fn largest(numbers: &[f64], chosen: impl Fn(usize) -> bool) -> usize {
    (0..numbers.len())
        .filter(|at| chosen(*at))
        .max_by(|x, y| numbers[*x].total_cmp(&numbers[*y]))
        .unwrap_or(0)
}

#[expect(clippy::cast_possible_truncation, reason = "maps have some thousand cells")]
fn number_of(count: usize) -> u32 {
    count as u32
}

impl Map {
    fn set(&mut self, of: Option<(usize, usize)>, to: u32) {
        match of {
            Some((number, part)) => self.cells[number].parts[part] = to,
            None => self.root = to,
        }
    }

    fn has_free(&self) -> bool {
        self.root == FREE || self.cells.iter().any(|cell| cell.parts.contains(&FREE))
    }

    /// Whether a way stays in free cells between two times.
    pub(crate) fn is_free_on(&self, way: &Way<'_>, (begin, end): (f64, f64)) -> bool {
        let mut from = [0.0; MOST_VALUES];
        let mut to = [0.0; MOST_VALUES];
        for (at, value) in self.values.iter().enumerate() {
            (from[at], to[at]) = (way.at(*value, begin), way.at(*value, end));
        }
        self.is_free_between(from, to)
    }

    fn is_free_between(&self, mut from: Place, mut to: Place) -> bool {
        for at in 0..self.values.len() {
            if !self.comes_round[at] {
                continue;
            }
            // Whole turns that both have gone; then the way may leave the range on one side.
            let turn = 2.0 * self.half[at];
            let turns = ((from[at].midpoint(to[at]) - self.middle[at]) / turn).round() * turn;
            (from[at], to[at]) = (from[at] - turns, to[at] - turns);
            let (least, most) = (self.middle[at] - self.half[at], self.middle[at] + self.half[at]);
            for border in [least, most] {
                let (before, after) = (from[at] - border, to[at] - border);
                // A little beyond the border is as free as what is on it: the cells are wider than they need be.
                if before * after < 0.0 && before.abs() > EDGE && after.abs() > EDGE {
                    let share = before / (before - after);
                    let mut cut = from;
                    (0..MOST_VALUES).for_each(|k| cut[k] += share * (to[k] - from[k]));
                    cut[at] = border;
                    let inside = |x: f64| least <= x && x <= most;
                    let beyond = if inside(from[at]) { to } else { from };
                    let within = if inside(from[at]) { from } else { to };
                    let back = if border == most { -turn } else { turn };
                    let (mut start, mut end) = (cut, beyond);
                    (start[at], end[at]) = (start[at] + back, end[at] + back);
                    return self.is_free_between(within, cut) && self.is_free_between(start, end);
                }
            }
        }
        for at in 0..self.values.len() {
            let reach = self.half[at] + EDGE;
            let is_inside = |x: f64| (x - self.middle[at]).abs() <= reach;
            if !is_inside(from[at]) || !is_inside(to[at]) {
                return false;
            }
        }
        self.is_free_in(self.root, (self.middle, self.half), from, to)
    }

    fn is_free_in(&self, cell: u32, (middle, half): (Place, Place), from: Place, to: Place) -> bool {
        if cell == FREE || cell == OPEN {
            return cell == FREE;
        }
        let Halved { along, parts } = self.cells[cell as usize];
        let along = along as usize;
        let (before, after) = (from[along] - middle[along], to[along] - middle[along]);
        let part = |part: usize| {
            let (mut middle, mut half) = (middle, half);
            half[along] *= 0.5;
            middle[along] += if part == 0 { -half[along] } else { half[along] };
            (middle, half)
        };
        match (before <= 0.0, after <= 0.0) {
            (true, true) => self.is_free_in(parts[0], part(0), from, to),
            (false, false) => self.is_free_in(parts[1], part(1), from, to),
            (first, _) => {
                let share = before / (before - after);
                let mut cut = from;
                (0..MOST_VALUES).for_each(|k| cut[k] += share * (to[k] - from[k]));
                cut[along] = middle[along];
                let (here, there) = if first { (0, 1) } else { (1, 0) };
                self.is_free_in(parts[here], part(here), from, cut)
                    && self.is_free_in(parts[there], part(there), cut, to)
            }
        }
    }
}

/// Values may be off by this much, in radians: cells are proven for as much more.
const EDGE: f64 = 1e-9;
