//! Finds where a flow line passes through the parts of a surface that matter, by a walk through the mesh's hierarchy.
//!
//! A short interval of the line is nearly a segment. The walk tests the segment against eight oriented boxes at a
//! time, padded by how far the curve bulges, and descends into each box with the interval of time in which the line
//! can be inside the box. Shorter intervals bulge less (quadratically), so the padding soon becomes negligible. At
//! the triangles the walk computes the times at which the line is in their planes, and counts a passage if its point
//! is on the triangle.

use glam::{DMat3, DVec3};

use crate::body::PreparedMesh;
use crate::bvh::layout::{BoxBlock, LEAF, Lanes, NONE, TriangleBlock, WIDTH};
use crate::features::screw_motion::ScrewMotion;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::distance::point_triangle;
use crate::math::time_interval::TimeInterval;
use crate::screen::band::{Band, BandSearch, FlowInMesh};
use crate::screen::facing::{FacingMesh, Role, outward};
use crate::screen::line::{FlowLine, PIECE_ANGLE};

/// A body whose surface flow lines pass through. All quantities are in the axes of its mesh, relative to the mesh's
/// centre.
#[derive(Debug)]
pub(crate) struct CrossedBody<'a> {
    body: &'a PreparedMesh,
    pub(crate) faced: FacingMesh<'a>,
    motion: &'a ScrewMotion,
    /// Rotates B's axes at t = 0 into the mesh's axes; `centre` is the mesh's centre in B's axes.
    to_mesh: DMat3,
    centre: DVec3,
    flow: FlowInMesh,
    /// The smallest and the largest coordinate along the axis of the screw.
    along: [f64; 2],
    /// An upper bound of the speed across the axis at which the flow passes any point of the mesh.
    fastest_across: f64,
    /// Hits at most this far outside a triangle, in metres, count as on the triangle.
    allowance: f64,
}

/// The passages to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassageSelection {
    /// Only the first.
    First,
    /// All of them.
    All,
}

/// A query for the passages of a flow line through a surface, in an interval of time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineQuery<'l> {
    pub(crate) line: &'l FlowLine,
    /// In units of the whole motion, from the point of the line at time 0.
    pub(crate) interval: TimeInterval,
    pub(crate) passages: PassageSelection,
}

impl<'l> LineQuery<'l> {
    /// The query for all passages.
    pub(crate) fn all(line: &'l FlowLine, interval: TimeInterval) -> Self {
        Self { line, interval, passages: PassageSelection::All }
    }
}

/// Memory of walks, reused between them.
#[derive(Debug, Default)]
pub(crate) struct LineWalk {
    intervals: Vec<TimeInterval>,
    blocks: Vec<u32>,
    stack: Vec<LineBlock>,
    /// The times of the passages, unsorted. A passage may be listed twice.
    pub(crate) times: Vec<f64>,
}

/// A block, and the interval of time in which the line can be in it.
#[derive(Debug, Clone, Copy)]
struct LineBlock {
    child: u32,
    interval: TimeInterval,
}

/// A point that is off by this fraction of the mesh's size still counts as on a triangle, so that no passage is lost
/// between neighbours.
const OUTSIDE: f64 = 1e-12;

/// Relative error of the lengths of box axes and of their perpendicularity.
const SKEW: f64 = 1e-6;

/// Steps of the budget per block: two for each of its boxes or triangles.
const STEPS_PER_BLOCK: u64 = 2 * WIDTH as u64;

/// Steps of the budget per passage found: a line that winds through a surface millions of times exhausts the budget
/// after a second, not a minute.
const STEPS_PER_PASSAGE: u64 = 500;

/// Longer intervals are first tested as a whole, in radians.
const BAND_ANGLE: f64 = 48.0 * std::f64::consts::TAU;

/// Maximum number of times that an interval is narrowed to the mesh before the walk; each time at least halves it.
const NARROWINGS: usize = 64;

impl<'a> CrossedBody<'a> {
    pub(crate) fn new(body: &'a PreparedMesh, role: Role, motion: &'a ScrewMotion) -> Self {
        let mesh = body.mesh();
        let (to_mesh, centre) = match role {
            Role::A => (motion.rotation[0].transpose(), motion.offset),
            Role::B => (DMat3::IDENTITY, DVec3::ZERO),
        };
        let allowance = OUTSIDE * mesh.radius() + 4.0 * motion.rounding;
        let across = motion.velocity + motion.omega.cross(centre - motion.offset);
        let flow = FlowInMesh {
            direction: to_mesh * motion.direction,
            slide: to_mesh * motion.slide,
            omega: to_mesh * motion.omega,
            across: to_mesh * across,
        };
        let mut crossed = Self {
            body,
            flow,
            faced: FacingMesh::new(mesh, role, motion),
            motion,
            to_mesh,
            centre,
            along: [f64::INFINITY, f64::NEG_INFINITY],
            fastest_across: 0.0,
            allowance,
        };
        for v in mesh.triangles().iter().flatten() {
            let place = mesh.local()[*v as usize];
            let (z, across) = (flow.direction.dot(place), flow.across_at(place).length());
            crossed.along = [crossed.along[0].min(z), crossed.along[1].max(z)];
            crossed.fastest_across = crossed.fastest_across.max(across);
        }
        crossed
    }

    /// The flow line through a point, given in B's axes relative to the centre of B's mesh.
    pub(crate) fn line(&self, place: DVec3) -> FlowLine {
        // The difference from A's centre comes first, because both points may be far from the axis.
        let across = self.motion.velocity + self.motion.omega.cross(place - self.motion.offset);
        let FlowInMesh { slide, omega, .. } = self.flow;
        let velocities = [slide, self.to_mesh * across];
        FlowLine::new(self.to_mesh * (place - self.centre), velocities, omega, self.motion.reach)
    }

    /// The interval of time in which a line can pass through the mesh, if any. If the line closes after `period`, any
    /// interval of that length will do.
    pub(crate) fn interval(&self, line: &FlowLine, period: f64) -> Option<TimeInterval> {
        // The line passes no face faster than its own speed.
        if line.speed <= self.faced.speed_tolerance {
            return None;
        }
        if line.angle == 0.0 {
            let (velocity, start) = (line.velocity() / line.speed, line.start());
            let nearest = -start.dot(velocity);
            let reach = self.body.mesh().radius() + self.allowance;
            return Some(TimeInterval::new((nearest - reach) / line.speed, (nearest + reach) / line.speed));
        }
        if self.band(line, TimeInterval::new(0.0, 0.0)).across[0] > self.fastest_across {
            return None;
        }
        if period.is_finite() {
            return Some(TimeInterval::new(-0.5 * period, 0.5 * period));
        }
        let (slide, z) = (self.flow.slide.dot(self.flow.direction), self.flow.direction.dot(line.start()));
        let ends =
            [self.along[0] - self.allowance, self.along[1] + self.allowance].map(|end| (end - z) / slide);
        Some(TimeInterval::new(ends[0].min(ends[1]), ends[0].max(ends[1])))
    }

    /// The band that contains a line between two times, slightly enlarged.
    fn band(&self, line: &FlowLine, TimeInterval { start: lo, end: hi }: TimeInterval) -> Band {
        let across = (line.velocity() - self.flow.slide).length();
        let pad = line.angle * self.allowance + 1e-12 * (across + self.fastest_across);
        let (slide, z) = (self.flow.slide.dot(self.flow.direction), self.flow.direction.dot(line.start()));
        let ends = [lo, hi].map(|t| z + t * slide);
        let along = [ends[0].min(ends[1]) - self.allowance, ends[0].max(ends[1]) + self.allowance];
        Band { across: [across - pad, across + pad], along }
    }

    /// Finds the passages of a line through the parts of the surface that matter, in an interval of time.
    ///
    /// # Errors
    /// [`OutOfBudget`]; the times found are then incomplete and must not be used.
    pub(crate) fn find_passages(
        &self,
        query: &LineQuery<'_>,
        walk: &mut LineWalk,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        let LineQuery { line, interval, passages } = *query;
        let TimeInterval { start: lo, end: hi } = interval;
        walk.times.clear();
        if !(hi - lo).is_finite() {
            return Err(OutOfBudget);
        }
        walk.intervals.clear();
        walk.intervals.push(interval);
        while let Some(part) = walk.intervals.pop() {
            let TimeInterval { start: lo, end: hi } = part;
            if passages == PassageSelection::First && !walk.times.is_empty() {
                break;
            }
            if (hi - lo) * line.angle <= BAND_ANGLE {
                self.find_in_few_turns(&LineQuery { interval: part, ..*query }, walk, budget)?;
                continue;
            }
            let band = self.band(line, part);
            let surface = BandSearch { body: self.body, faced: &self.faced, flow: &self.flow };
            if surface.may_intersect(&band, &mut walk.blocks, budget)? {
                let middle = 0.5 * (lo + hi);
                if middle <= lo || middle >= hi {
                    return Err(OutOfBudget);
                }
                walk.intervals.extend([TimeInterval::new(middle, hi), TimeInterval::new(lo, middle)]);
            }
        }
        Ok(())
    }

    /// As `find_passages`, for an interval of few turns; adds to the times found.
    fn find_in_few_turns(
        &self,
        query: &LineQuery<'_>,
        walk: &mut LineWalk,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        let LineQuery { line, interval: TimeInterval { start: lo, end: hi }, passages } = *query;
        let longest = (PIECE_ANGLE / line.angle).min(hi - lo);
        let reach = self.body.mesh().radius() + self.allowance;
        let mut number = 0.0;
        loop {
            let from = lo + number * longest;
            let mut interval = TimeInterval::new(from, (from + longest).min(hi));
            budget.take(STEPS_PER_BLOCK)?;
            let mut is_near = true;
            for _ in 0..NARROWINGS {
                let Some(narrowed) = line.piece(interval).near_origin(reach) else {
                    is_near = false;
                    break;
                };
                let is_narrow = narrowed.length() > 0.5 * interval.length();
                interval = narrowed;
                if is_narrow {
                    break;
                }
            }
            if is_near {
                self.find_in_piece(&LineQuery { interval, ..*query }, walk, budget)?;
            }
            let done = passages == PassageSelection::First && !walk.times.is_empty();
            if done || from + longest >= hi {
                return Ok(());
            }
            number += 1.0;
        }
    }

    /// As `find_passages`, for an interval in which the line turns by at most [`PIECE_ANGLE`]; adds to the times found.
    fn find_in_piece(
        &self,
        query: &LineQuery<'_>,
        walk: &mut LineWalk,
        budget: &mut Budget<'_>,
    ) -> Result<(), OutOfBudget> {
        let LineQuery { line, interval, passages } = *query;
        let bvh = self.body.bvh();
        let mut first = f64::INFINITY;
        walk.stack.clear();
        walk.stack.push(LineBlock { child: 0, interval });
        while let Some(LineBlock { child, interval }) = walk.stack.pop() {
            if interval.start > first {
                continue;
            }
            budget.take(STEPS_PER_BLOCK)?;
            if child & LEAF != 0 {
                let block = &bvh.triangles[(child & !LEAF) as usize];
                let known = walk.times.len();
                self.passages_of_block(line, interval, block, |time| walk.times.push(time));
                if passages == PassageSelection::First {
                    first = walk.times.drain(known..).fold(first, f64::min);
                }
                for _ in known..walk.times.len() {
                    budget.take(STEPS_PER_PASSAGE)?;
                    budget.keep::<f64>()?;
                }
            } else {
                self.descend(line, interval, &bvh.boxes[child as usize], &mut walk.stack);
            }
        }
        if first < f64::INFINITY {
            walk.times.push(first);
        }
        Ok(())
    }

    /// Pushes the children of a block that the line can be in onto the stack, the first to be entered on top.
    fn descend(&self, line: &FlowLine, interval: TimeInterval, block: &BoxBlock, stack: &mut Vec<LineBlock>) {
        let piece = line.piece(interval);
        let scale = 1.0 / self.body.bvh().unit;
        let (middle, chord) = ((scale * piece.middle).to_array(), (scale * piece.chord).to_array());
        let pad = scale * (piece.pad + self.allowance);
        let wide = |lanes: &Lanes| lanes.map(f64::from);
        let centre = block.centre.each_ref().map(wide);
        let axes = block.axes.each_ref().map(|axis| axis.each_ref().map(wide));
        let mut lengths = [[0.0; WIDTH]; 3];
        for (lengths, [x, y, z]) in lengths.iter_mut().zip(&axes) {
            for i in 0..WIDTH {
                lengths[i] = (x[i] * x[i] + y[i] * y[i] + z[i] * z[i]).sqrt();
            }
        }
        let (mut enter, mut leave) = ([-1.0_f64; WIDTH], [1.0_f64; WIDTH]);
        for (axis, length) in axes.iter().zip(&lengths) {
            let [x, y, z] = axis;
            for i in 0..WIDTH {
                let offset = x[i] * (middle[0] - centre[0][i])
                    + y[i] * (middle[1] - centre[1][i])
                    + z[i] * (middle[2] - centre[2][i]);
                let along = x[i] * chord[0] + y[i] * chord[1] + z[i] * chord[2];
                let size = lengths[0][i] + lengths[1][i] + lengths[2][i];
                let extent = length[i] * (length[i] + SKEW * size + pad);
                let inverse = 1.0 / along;
                let (p, q) = ((-extent - offset) * inverse, (extent - offset) * inverse);
                // If both are NaN (on the border of a box, along an axis on which the line does not move), the bounds
                // stay unchanged.
                enter[i] = enter[i].max(p.min(q));
                leave[i] = leave[i].min(p.max(q));
            }
        }
        let before = stack.len();
        for i in 0..WIDTH {
            if block.child[i] != NONE && enter[i] <= leave[i] {
                stack.push(LineBlock {
                    child: block.child[i],
                    interval: piece.interval(TimeInterval::new(enter[i], leave[i])),
                });
            }
        }
        stack[before..].sort_unstable_by(|p, q| {
            q.interval.start.total_cmp(&p.interval.start).then(p.child.cmp(&q.child))
        });
    }

    /// Reports the times at which the line passes through the parts that matter of a block's triangles.
    fn passages_of_block(
        &self,
        line: &FlowLine,
        interval: TimeInterval,
        block: &TriangleBlock,
        mut report: impl FnMut(f64),
    ) {
        let piece = line.piece(interval);
        for face in block.face.iter().take_while(|face| **face != NONE) {
            let triangle = self.body.mesh().local_triangle(*face);
            // A face without area has no side that could face the flow; its neighbours report the passage.
            let normal = outward(self.body.mesh(), *face);
            piece.through_plane(triangle[0], normal, |passage| {
                let facing = normal.dot(passage.velocity);
                let distance = || point_triangle(passage.place, &triangle).squared.sqrt();
                if self.faced.matters(facing) && distance() <= self.allowance {
                    report(passage.time);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use chasles_testing::{Random, cases};

    use super::*;
    use crate::motion::{Pose, Screw};
    use crate::screen::facing::tests::sliver;
    use crate::shape::Mesh;

    /// Triangles without common vertices.
    fn soup(random: &mut Random, size: f64) -> PreparedMesh {
        let vertices = (0..30).map(|i| {
            // Ten triangles at different positions.
            let place = Random(i / 3).vector(1.0);
            place + random.vector(size)
        });
        PreparedMesh::new(
            Mesh::new(vertices.collect(), (0..10).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap(),
        )
    }

    #[test]
    fn the_band_test_misses_no_passage() {
        let (mut found, mut pruned) = (0, 0);
        for seed in 0..300 {
            let random = &mut Random(seed);
            let size = [0.05, 0.4][random.below(2)];
            let (a, b) = (soup(random, size), soup(random, size));
            let start = Pose::from_position(random.vector(0.5)).unwrap();
            let turns = random.within(60.0, 400.0);
            let screw = Screw::about(
                start,
                random.direction(),
                random.vector(0.6),
                random.within(1.5, 3.0),
                6.3 * turns,
            );
            let motion = ScrewMotion::new(a.mesh(), b.mesh(), &screw.unwrap());
            let side = [(&a, Role::A), (&b, Role::B)][random.below(2)];
            let crossed = CrossedBody::new(side.0, side.1, &motion);
            let line = crossed.line(crossed.centre + random.vector(0.8));
            let Some(interval) = crossed.interval(&line, f64::INFINITY) else { continue };
            let query = LineQuery::all(&line, interval);
            let (mut walk, mut plain) = (LineWalk::default(), LineWalk::default());
            let mut budgets = [Budget::new(u64::MAX); 2];
            crossed.find_passages(&query, &mut walk, &mut budgets[0]).unwrap();
            crossed.find_in_few_turns(&query, &mut plain, &mut budgets[1]).unwrap();
            // The halves of a line are searched once each. They share the times at which the line is cut, at most.
            let spent = budgets.map(|budget| u64::MAX - budget.remaining());
            assert!(spent[0] <= spent[1] + spent[1] / 4 + 1000, "seed {seed}: {spent:?}");
            assert!(walk.times.len() <= plain.times.len() + 16, "seed {seed}");
            let [all, expected] = [&mut walk, &mut plain].map(|walk| {
                let mut times = std::mem::take(&mut walk.times);
                times.sort_unstable_by(f64::total_cmp);
                times.dedup_by(|p, q| (*p - *q).abs() < 1e-12);
                times
            });
            assert_eq!(all.len(), expected.len(), "seed {seed}");
            let same = all.iter().zip(&expected).all(|(p, q)| (p - q).abs() < 1e-12);
            assert!(same, "seed {seed}");
            let query = LineQuery { passages: PassageSelection::First, ..query };
            crossed.find_passages(&query, &mut walk, &mut budgets[0]).unwrap();
            let first = walk.times.first();
            assert_eq!(first.is_none(), expected.is_empty());
            assert!(first.zip(expected.first()).is_none_or(|(p, q)| (p - q).abs() < 1e-12), "seed {seed}");
            found += all.len();
            pruned += usize::from(budgets[0].remaining() > budgets[1].remaining());
        }
        assert!(found > 2000 && pruned > 100, "{found} {pruned}");
    }

    #[test]
    fn the_exact_corners_decide_whether_a_line_passes_a_sliver() {
        let mut passed = [0; 2];
        for seed in 0..cases(1000, 5000) {
            let (mesh, displacement, truth) = sliver(&mut Random(seed));
            if truth.is_nan() || truth.abs() < 1e-6 {
                continue;
            }
            let body = PreparedMesh::new(mesh);
            let screw = Screw::translation(Pose::IDENTITY, displacement);
            let motion = ScrewMotion::new(body.mesh(), body.mesh(), &screw);
            let crossed = CrossedBody::new(&body, Role::B, &motion);
            let line = crossed.line(body.mesh().local_triangle(0).into_iter().sum::<DVec3>() / 3.0);
            let interval = crossed.interval(&line, f64::INFINITY).unwrap();
            let (mut walk, mut budget) = (LineWalk::default(), Budget::new(10_000));
            crossed.find_passages(&LineQuery::all(&line, interval), &mut walk, &mut budget).unwrap();
            // Only B's trailing parts matter.
            assert_eq!(walk.times.is_empty(), truth > 0.0, "seed {seed}: {truth}");
            passed[usize::from(truth > 0.0)] += 1;
        }
        assert!(passed.iter().all(|n| *n > 150), "{passed:?}");
    }

    #[test]
    fn a_walk_does_not_exceed_its_budget() {
        let random = &mut Random(1);
        let (a, b) = (soup(random, 0.4), soup(random, 0.4));
        let screw = Screw::translation(Pose::IDENTITY, DVec3::X);
        let motion = ScrewMotion::new(a.mesh(), b.mesh(), &screw);
        let crossed = CrossedBody::new(&b, Role::B, &motion);
        let line = crossed.line(DVec3::ZERO);
        let (mut enough, mut walk) = (0, LineWalk::default());
        for budget in 0..3000 {
            let mut remaining = Budget::new(budget);
            let query = LineQuery::all(&line, TimeInterval::new(-2.0, 2.0));
            let result = crossed.find_passages(&query, &mut walk, &mut remaining);
            enough += u64::from(result.is_ok());
            assert!(result.is_ok() || enough == 0);
        }
        assert!(enough > 0);
    }
}
