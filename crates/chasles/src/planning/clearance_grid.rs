//! The joint values for which two link groups of a robot stay separated: a grid for few joints, computed once.
//!
//! Links with few joints between them are so close that every edge needs much work to prove them separated. Their
//! relative position depends only on the values of these joints. The grid divides the box of these values into
//! cells. Take two spheres and their distance in the middle of a cell. If a value changes by up to h, and the
//! joints are moved one after the other, a joint that rotates by h moves the centre of a sphere by at most
//!
//! ```text
//! min(h, 2) r
//! ```
//!
//! where r is the distance of the centre from the joint's axis in the middle of the cell, because the joints before
//! it move both alike. If the distances of all spheres exceed this bound, summed over all joints, the cell is
//! **free**. Otherwise it is halved along the value that moves the failing spheres most. The largest cells come
//! first, until the work is used up. A cell in which two leaf spheres certainly overlap is not divided. An edge
//! whose values stay in free cells needs no further proof.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use crate::math::interval::Side;
use crate::math::priority::{Priority, QueueEntry};
use crate::math::time_interval::TimeInterval;
use crate::motion::Pose;
use crate::planning::chain::{Chain, ChainPath, GroupAt, JointAxisAt, JointEdge};
use crate::planning::part::CollisionPart;
use crate::planning::spheres::BoundingSphere;
use crate::sets::volume::number_of;

/// Maximum number of values of a grid.
const MOST_VALUES: usize = 3;

/// Maximum number of halved cells of a grid.
const CELLS: usize = 1 << 16;

/// Steps of work for a cell, in addition to its sphere tests.
const CELL: u64 = 10;

/// A point of the grid.
type GridPoint = [f64; MOST_VALUES];

/// The clearance grid of two groups.
#[derive(Debug, Clone)]
pub(crate) struct ClearanceGrid {
    /// The planner's values that are its coordinates.
    values: Vec<usize>,
    /// Whether each value is periodic, with a range of one full turn.
    is_periodic: [bool; MOST_VALUES],
    /// The middle and half the length of the range of each value.
    middle: GridPoint,
    half: GridPoint,
    /// The halved cells.
    cells: Vec<SplitCell>,
    /// The cell of the whole range.
    root: u32,
    /// Surfaces in free cells are further apart than this, in metres.
    pub(crate) distance: f64,
}

/// A cell that is halved.
#[derive(Debug, Clone, Copy)]
struct SplitCell {
    along: u32,
    /// Numbers of halved cells, or [`FREE`] or [`OPEN`].
    parts: [u32; 2],
}

/// A cell in which the groups stay separated.
const FREE: u32 = u32::MAX;

/// A cell that is not proven free.
const OPEN: u32 = u32::MAX - 1;

/// The input of a grid.
pub(crate) struct GridInput<'c> {
    pub(crate) chain: &'c Chain,
    /// The path from the static group to the moving group.
    pub(crate) chain_path: &'c ChainPath,
    /// The pairs that must stay separated, the part of the moving group first.
    pub(crate) parts: &'c [[&'c CollisionPart; 2]],
    /// Steps of work.
    pub(crate) steps: u64,
    /// The range of each value of the planner, and whether it is a full turn of a periodic value.
    pub(crate) ranges: &'c [([f64; 2], bool)],
    pub(crate) distance: f64,
    /// The maximum distance of any part from the root, in metres.
    pub(crate) reach: f64,
}

/// Two spheres that are not separated in all of a cell.
#[derive(Debug, Clone, Copy)]
struct OverlappingSpheres {
    pair: usize,
    balls: [u32; 2],
}

/// A cell to be halved, with its position in its parent cell.
#[derive(Debug, Clone, Copy)]
struct PendingCell {
    size: f64,
    number: usize,
    parent: Option<(usize, usize)>,
    middle: GridPoint,
    half: GridPoint,
    overlapping: Option<OverlappingSpheres>,
    /// The value along which it will be halved.
    along: usize,
}

/// The state while a grid is built.
struct GridBuild {
    /// Spheres in free cells are further apart than this, in metres; includes the rounding.
    distance: f64,
    steps: u64,
    groups: Vec<GroupAt>,
    queue: BinaryHeap<QueueEntry<PendingCell>>,
    values: Vec<f64>,
    balls: Vec<[u32; 2]>,
    /// The axes in the middle of a cell. An axis moves a point in the cell by at most the factor times its arm.
    axes: Vec<(JointAxisAt, f64)>,
    /// The pose of the moving group in the frame of the other.
    pose: Pose,
}

impl Priority for PendingCell {
    fn order(&self, other: &Self) -> Ordering {
        self.size.total_cmp(&other.size).then(other.number.cmp(&self.number))
    }
}

impl GridBuild {
    /// The centre of a sphere of the moving group, in the middle of the cell.
    fn center_of(&self, ball: &BoundingSphere) -> DVec3 {
        self.pose.transform_point(ball.middle())
    }

    /// The maximum distance that the selected axes move a point in the cell.
    fn carried(&self, place: DVec3, is_selected: impl Fn(&JointAxisAt) -> bool) -> f64 {
        let selected = self.axes.iter().filter(|(axis, _)| is_selected(axis));
        selected.map(|(axis, most)| most * axis.arm(place)).sum()
    }

    /// The side of the required distance on which two spheres are in all of the cell.
    fn separation_in_cell(&self, [a, b]: [&BoundingSphere; 2]) -> Side {
        let place = self.center_of(a);
        let distance = place.distance(b.middle());
        let touch = f64::from(a.radius) + f64::from(b.radius) + self.distance;
        let carried = self.carried(place, |_| true) * (1.0 + 1e-9);
        match distance {
            distance if distance * (1.0 - 1e-9) - carried > touch => Side::Beyond,
            distance if distance + carried <= touch => Side::Within,
            _ => Side::Undecided(()),
        }
    }
}

impl GridInput<'_> {
    /// The grid; `None` if there are too many values, an unbounded value, or no free cell.
    pub(crate) fn grid(&self) -> Option<ClearanceGrid> {
        let values = self.chain.values_of(self.chain_path);
        let bounded = values.iter().all(|value| self.ranges[*value].0.iter().all(|end| end.is_finite()));
        if values.is_empty() || values.len() > MOST_VALUES || !bounded || self.parts.is_empty() {
            return None;
        }
        let (mut middle, mut half) = ([0.0; MOST_VALUES], [0.0; MOST_VALUES]);
        let mut is_periodic = [false; MOST_VALUES];
        for (at, value) in values.iter().enumerate() {
            let ([least, most], round) = self.ranges[*value];
            (middle[at], half[at], is_periodic[at]) = (least.midpoint(most), 0.5 * (most - least), round);
        }
        let ends = |end: usize| self.ranges.iter().map(|(range, _)| range[end]).collect::<Vec<f64>>();
        let rounding = {
            // Values not on this path may be unbounded; they have no effect.
            let edge = JointEdge { from: &ends(0), to: &ends(1) };
            let arm = self.parts.iter().map(|[part, _]| part.reach()).fold(0.0, f64::max);
            self.chain.bounds(self.chain_path, &edge).rounding(arm, self.reach)
        };
        let mut build = GridBuild {
            distance: self.distance + rounding,
            steps: self.steps,
            groups: Vec::new(),
            queue: BinaryHeap::new(),
            values: vec![0.0; self.ranges.len()],
            balls: Vec::new(),
            axes: Vec::new(),
            pose: Pose::IDENTITY,
        };
        let mut grid = ClearanceGrid {
            values,
            is_periodic,
            middle,
            half,
            cells: Vec::new(),
            root: OPEN,
            distance: self.distance,
        };
        let first = PendingCell {
            size: f64::INFINITY,
            number: 0,
            parent: None,
            middle,
            half,
            overlapping: None,
            along: 0,
        };
        self.classify_cell(first, &mut grid, &mut build);
        while build.steps > 0
            && grid.cells.len() < CELLS
            && let Some(QueueEntry(PendingCell { parent, along, middle, half, overlapping, .. })) =
                build.queue.pop()
        {
            let number = grid.cells.len();
            grid.cells.push(SplitCell { along: number_of(along), parts: [OPEN; 2] });
            grid.set(parent, number_of(number));
            for (part, sense) in [-0.5, 0.5].into_iter().enumerate() {
                let (mut middle, mut half) = (middle, half);
                middle[along] += sense * half[along];
                half[along] *= 0.5;
                let (number, parent) = (2 * number + part, Some((number, part)));
                let size = half.iter().take(grid.values.len()).product();
                self.classify_cell(
                    PendingCell { size, number, parent, middle, half, overlapping, along },
                    &mut grid,
                    &mut build,
                );
            }
        }
        grid.has_free().then_some(grid)
    }

    /// Marks a cell as free, or queues it.
    fn classify_cell(&self, mut cell: PendingCell, grid: &mut ClearanceGrid, build: &mut GridBuild) {
        build.steps = build.steps.saturating_sub(CELL);
        self.place_groups(&cell, grid, build);
        let balls = |OverlappingSpheres { pair, balls: [a, b] }: OverlappingSpheres| {
            let [x, y] = self.parts[pair].map(CollisionPart::balls);
            [&x[a as usize], &y[b as usize]]
        };
        let known = cell
            .overlapping
            .filter(|overlapping| build.separation_in_cell(balls(*overlapping)) != Side::Beyond);
        let Some(overlapping) = known.or_else(|| self.overlapping_leaves(build)) else {
            // While the surfaces stay separated, no part can enter or leave another.
            if !self.is_any_within(&build.pose) {
                grid.set(cell.parent, FREE);
            }
            return;
        };
        let both = balls(overlapping);
        if build.separation_in_cell(both) == Side::Within && both.iter().all(|ball| ball.count == 0) {
            return;
        }
        let place = build.center_of(both[0]);
        let carried = grid.values.iter().map(|value| build.carried(place, |axis| axis.value == *value));
        let carried: Vec<f64> = carried.collect();
        cell.along = (0..carried.len()).max_by(|x, y| carried[*x].total_cmp(&carried[*y])).unwrap_or(0);
        cell.overlapping = Some(overlapping);
        build.queue.push(QueueEntry(cell));
    }

    /// Whether in any pair one part is inside the other, which is solid, with the moving group at `pose` in the
    /// frame of the other.
    fn is_any_within(&self, pose: &Pose) -> bool {
        let back = pose.inverse();
        let seen: [&dyn Fn(DVec3) -> DVec3; 2] =
            [&|place| pose.transform_point(place), &|place| back.transform_point(place)];
        let is_within = |[a, b]: &[&CollisionPart; 2]| {
            (a.solid || b.solid)
                && a.may_be_inside(b, seen, self.distance)
                && a.is_within(b, &b.pose.inverse().compose(pose).compose(&a.pose))
        };
        self.parts.iter().any(is_within)
    }

    /// Computes the poses of all groups in the middle of a cell.
    fn place_groups(&self, cell: &PendingCell, grid: &ClearanceGrid, build: &mut GridBuild) {
        grid.values.iter().zip(cell.middle).for_each(|(value, middle)| build.values[*value] = middle);
        let GridBuild { values, groups, axes, .. } = build;
        self.chain.poses_at(&JointEdge { from: values, to: values }, 0.0, groups);
        let [a, b] = self.parts[0].map(|part| part.group);
        let to_b = groups[b].pose.inverse();
        build.pose = to_b.compose(&groups[a].pose);
        axes.clear();
        for axis in self.chain.axes(self.chain_path, &to_b, groups) {
            let at = grid.values.iter().position(|value| *value == axis.value).unwrap_or(0);
            let most = axis.factor.abs() * (cell.half[at] + WIDER);
            // A rotation moves a point by at most the diameter of its circle.
            axes.push((axis, if axis.is_revolute { most.min(2.0) } else { most }));
        }
    }

    /// Two leaf spheres that are not separated in all of the current cell, if any.
    fn overlapping_leaves(&self, build: &mut GridBuild) -> Option<OverlappingSpheres> {
        for (pair, parts) in self.parts.iter().enumerate() {
            let [x, y] = parts.map(CollisionPart::balls);
            build.balls.clear();
            build.balls.push([0; 2]);
            while let Some([a, b]) = build.balls.pop() {
                let both = [&x[a as usize], &y[b as usize]];
                build.steps = build.steps.saturating_sub(1);
                if build.separation_in_cell(both) == Side::Beyond {
                    continue;
                }
                let [ball_a, ball_b] = both;
                if build.steps == 0 || ball_a.count == 0 && ball_b.count == 0 {
                    return Some(OverlappingSpheres { pair, balls: [a, b] });
                }
                if ball_b.count == 0 || ball_a.count != 0 && ball_a.size >= ball_b.size {
                    build.balls.extend((ball_a.first..ball_a.first + ball_a.count).map(|child| [child, b]));
                } else {
                    build.balls.extend((ball_b.first..ball_b.first + ball_b.count).map(|child| [a, child]));
                }
            }
        }
        None
    }
}

impl ClearanceGrid {
    fn set(&mut self, parent: Option<(usize, usize)>, to: u32) {
        match parent {
            Some((number, part)) => self.cells[number].parts[part] = to,
            None => self.root = to,
        }
    }

    fn has_free(&self) -> bool {
        self.root == FREE || self.cells.iter().any(|cell| cell.parts.contains(&FREE))
    }

    /// Whether an edge stays in free cells between two times.
    pub(crate) fn is_free_on(&self, edge: &JointEdge<'_>, TimeInterval { start, end }: TimeInterval) -> bool {
        let mut from = [0.0; MOST_VALUES];
        let mut to = [0.0; MOST_VALUES];
        for (at, value) in self.values.iter().enumerate() {
            (from[at], to[at]) = (edge.at(*value, start), edge.at(*value, end));
            // A NaN is never in a free cell.
            let is_known = from[at].abs().max(to[at].abs()) * f64::EPSILON * ROUNDED <= EDGE;
            if !is_known {
                return false;
            }
        }
        self.is_free_between(from, to)
    }

    fn is_free_between(&self, mut from: GridPoint, mut to: GridPoint) -> bool {
        for at in 0..self.values.len() {
            if !self.is_periodic[at] {
                continue;
            }
            // Subtract the common whole turns; the edge may then leave the range on one side.
            let turn = 2.0 * self.half[at];
            let whole_turns = ((from[at].midpoint(to[at]) - self.middle[at]) / turn).round() * turn;
            (from[at], to[at]) = (from[at] - whole_turns, to[at] - whole_turns);
            let (least, most) = (self.middle[at] - self.half[at], self.middle[at] + self.half[at]);
            for border in [least, most] {
                let (before, after) = (from[at] - border, to[at] - border);
                // A point slightly beyond the border is as free as the border: cells are proven with a margin.
                if before * after < 0.0 && before.abs() > EDGE && after.abs() > EDGE {
                    let fraction = before / (before - after);
                    let mut cut = from;
                    (0..MOST_VALUES).for_each(|k| cut[k] += fraction * (to[k] - from[k]));
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

    fn is_free_in(
        &self,
        cell: u32,
        (middle, half): (GridPoint, GridPoint),
        from: GridPoint,
        to: GridPoint,
    ) -> bool {
        if cell == FREE || cell == OPEN {
            return cell == FREE;
        }
        let SplitCell { along, parts } = self.cells[cell as usize];
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
                let fraction = before / (before - after);
                let mut cut = from;
                (0..MOST_VALUES).for_each(|k| cut[k] += fraction * (to[k] - from[k]));
                cut[along] = middle[along];
                let (here, there) = if first { (0, 1) } else { (1, 0) };
                self.is_free_in(parts[here], part(here), from, cut)
                    && self.is_free_in(parts[there], part(there), cut, to)
            }
        }
    }
}

/// Margin for rounding at a border, in radians. It counts twice because whole turns are subtracted: a turn in 64
/// bits is inexact, and the error grows with the number of turns. Cells are proven for both.
const EDGE: f64 = 1e-9;
const WIDER: f64 = 2.0 * EDGE;

/// Roundings of a value without its whole turns: of the turn, of its multiple and of the difference.
const ROUNDED: f64 = 4.0;
