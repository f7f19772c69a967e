//! When two moving meshes, or one mesh with itself, meet during an interval in seconds.
//!
//! In a smooth interval, vertices deviate from straight lines by a bounded length; if too large, the interval is
//! halved.

use glam::DVec3;

use crate::deformable::against_round::{RoundBeside, RoundSides};
use crate::deformable::contacts::{DeformingContacts, SHORTEST, join, seconds};
use crate::deformable::course::{ChordError, MovingMesh, SmoothPart};
use crate::deformable::step::NARROWEST;
use crate::deformable::step::candidates::{Moving, SurfacePair};
use crate::deformable::step::contact_spans::contact_spans;
use crate::deformable::step::cover::{StepInterval, StepIntervals};
use crate::deformable::step::hierarchy::{Hierarchy, RefitBoxes, VertexMotion};
use crate::deformable::step::near_spans::{DistanceThreshold, near_spans};
use crate::deformable::step::self_exclusion::Borders;
use crate::deformable::step::spans::{Accuracy, TouchingConditions};
use crate::error::Error;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::TimeInterval;

/// Two moving meshes, or one with itself or beside a round body, in seconds.
#[derive(Debug)]
pub(crate) struct DeformablePair<'s> {
    /// One or two.
    pub(super) courses: Vec<MovingMesh<'s>>,
    /// The round body beside the only mesh.
    pub(crate) beside: Option<RoundBeside<'s>>,
    pub(super) trees: Vec<Hierarchy>,
    /// The borders of the parts of a mesh that is tested against itself.
    borders: Option<Borders>,
    pub(super) duration: f64,
    /// The vertices at the start and at the end of the current interval, and boxes around their paths.
    pub(super) begin: [Vec<DVec3>; 2],
    pub(super) end: [Vec<DVec3>; 2],
    fitted: [RefitBoxes; 2],
    /// For each vertex, a bound of its deviation from its straight path, along the axes; empty if unknown.
    off: [Vec<DVec3>; 2],
}

/// The goal of a search, and its accuracy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProximityGoal {
    /// Find the times at which the meshes are at most this far apart, in metres; 0: at which they meet.
    pub(crate) within: f64,
    /// Straight paths that deviate from the true ones by at most this, in metres, are accurate enough.
    pub(crate) tolerance: f64,
}

/// A gap is undecided if its excess over the distance is below this multiple of the rounding of positions.
const LEVEL: f64 = 8.0;

/// If an interval is undecided, it is halved until its straight paths are this near to the true ones, as a fraction
/// of the tolerance. Then the deviations of two surfaces leave room for a proof that they touch.
const FINE: f64 = 0.25;

/// The number of vertices, moved to an interval with boxes around their paths, that cost one step of the budget.
const VERTICES_A_STEP: usize = 16;

/// The maximum number of separated intervals that are tested for a body inside a hollow one.
const MAX_SAMPLES: usize = 16;

impl<'s> DeformablePair<'s> {
    pub(crate) fn new(courses: Vec<MovingMesh<'s>>, duration: f64) -> Self {
        let trees = courses.iter().map(|course| Hierarchy::new(course.mesh())).collect();
        let empty = || [Vec::new(), Vec::new()];
        let fitted = Default::default();
        let (begin, end, off) = (empty(), empty(), empty());
        Self { courses, beside: None, trees, borders: None, duration, begin, end, fitted, off }
    }

    /// A moving mesh beside a round body.
    pub(crate) fn with_round(course: MovingMesh<'s>, round: RoundBeside<'s>, duration: f64) -> Self {
        Self { beside: Some(round), ..Self::new(vec![course], duration) }
    }

    /// The ends of the smooth intervals, including 0 and the duration.
    pub(super) fn breaks(&self) -> Vec<f64> {
        let mut all: Vec<f64> = self.courses.iter().flat_map(|course| course.breaks(self.duration)).collect();
        all.extend(self.beside.iter().flat_map(|round| round.breaks(self.duration)));
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    /// The smooth intervals, from the last to the first.
    pub(super) fn smooth_parts(&self) -> Vec<SmoothPart> {
        let breaks = self.breaks();
        let intervals = breaks.windows(2).rev().map(|ends| TimeInterval::new(ends[0], ends[1]));
        intervals.map(|interval| SmoothPart { interval, within: interval.middle() }).collect()
    }

    /// Charges the steps that it costs to move to an interval.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(super) fn pay(&self, budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
        let vertices: usize = self.courses.iter().map(|course| course.mesh().vertex_count()).sum();
        budget.step()?;
        budget.take((vertices / VERTICES_A_STEP) as u64)
    }

    /// Moves to part of a smooth interval.
    pub(super) fn move_to(
        &mut self,
        SmoothPart { interval: span, within }: SmoothPart,
    ) -> Result<ChordError, Error> {
        let mut error = ChordError::default();
        for (i, course) in self.courses.iter_mut().enumerate() {
            course.move_to(within)?;
            course.vertices_at(span.start, within, &mut self.begin[i]);
            course.vertices_at(span.end, within, &mut self.end[i]);
            let own = course.chord_error(span);
            error =
                ChordError { chord: error.chord.max(own.chord), rounding: error.rounding.max(own.rounding) };
        }
        Ok(error)
    }

    /// Fits the boxes to the current interval, enlarged by a reach. For a mesh with itself, excludes the parts that
    /// cannot meet themselves if vertices deviate from their straight paths by at most that reach.
    pub(super) fn fit_boxes(&mut self, reach: f64) {
        let centre = self.centre();
        let is_with_itself = self.courses.len() == 1 && self.beside.is_none();
        for (i, course) in self.courses.iter().enumerate() {
            let motion = VertexMotion { begin: &self.begin[i], end: &self.end[i], centre };
            let mesh = course.mesh();
            self.trees[i].fit(mesh, &motion, reach * (1.0 + 1e-9), &mut self.fitted[i]);
            if is_with_itself {
                let borders = self.borders.get_or_insert_with(|| Borders::new(&self.trees[i], mesh));
                self.fitted[i].unfolded = borders.unfolded(&self.trees[i], mesh, &motion, reach);
            }
        }
    }

    /// The origin of the interval's boxes.
    pub(super) fn centre(&self) -> DVec3 {
        self.begin[0].first().copied().unwrap_or(DVec3::ZERO)
    }

    /// The current interval, beside a round body.
    pub(super) fn round_sides(&self, part: SmoothPart, deviation: f64) -> Option<RoundSides<'_>> {
        let path = self.beside.as_ref()?.path(part);
        let [surface, _] = self.sides().both().map(|side| *side);
        Some(RoundSides { path, surface, deviation })
    }

    /// The current interval.
    pub(super) fn sides(&self) -> SurfacePair<'_> {
        let centre = self.centre();
        let moving = |i: usize| Moving {
            mesh: self.courses[i].mesh(),
            tree: &self.trees[i],
            fitted: &self.fitted[i],
            motion: VertexMotion { begin: &self.begin[i], end: &self.end[i], centre },
            off: &self.off[i],
        };
        if self.courses.len() == 1 {
            SurfacePair::Itself(moving(0))
        } else {
            SurfacePair::Two(moving(0), moving(1))
        }
    }

    /// All times at which they are within the required distance. Outside of `spans` they are known to be further apart.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn follow(
        &mut self,
        spans: &[[f64; 2]],
        goal: &ProximityGoal,
        budget: &mut Budget<'_>,
    ) -> Result<DeformingContacts, Error> {
        let mut found = DeformingContacts::default();
        let mut waiting = self.smooth_parts();
        // The parts are in backward order.
        let first = waiting.last().copied();
        while let Some(part) = waiting.pop() {
            let span = part.interval;
            let TimeInterval { start: from, end: to } = span;
            if !spans.iter().any(|near| near[0] <= to && from <= near[1]) {
                continue;
            }
            if self.pay(budget).is_err() {
                found.is_spent = true;
                found.undecided.push([from, to]);
                continue;
            }
            let error = self.move_to(part)?;
            let reach = error.chord + error.rounding;
            let can_be_halved = self.can_be_halved(span);
            // An infinite bound is never near, even if rounding is infinite too.
            let is_straight = reach.is_finite() && error.chord <= goal.tolerance.max(4.0 * error.rounding);
            let is_near = is_straight || !can_be_halved;
            let is_fine =
                reach.is_finite() && error.chord <= (FINE * goal.tolerance).max(4.0 * error.rounding);
            let known = if !reach.is_finite() {
                Ok(StepIntervals::undecided())
            } else {
                self.fit_boxes(reach + 0.5 * goal.within);
                let is_last = is_fine || !can_be_halved;
                let touching = TouchingConditions {
                    distance: goal.tolerance,
                    narrowest: if is_last { NARROWEST } else { 1.0 },
                };
                let accuracy = Accuracy { off: reach, narrowest: NARROWEST, touching };
                let nearby =
                    DistanceThreshold { distance: goal.within, level: LEVEL * error.rounding, accuracy };
                if let Some(sides) = self.round_sides(part, reach) {
                    sides.spans(&nearby, budget)
                } else if goal.within > 0.0 {
                    near_spans(&self.sides(), &nearby, budget)
                } else {
                    self.chord_errors(span, error.rounding);
                    contact_spans(&self.sides(), &accuracy, budget)
                }
            };
            let is_decided = |known: &StepIntervals| match known.intervals[..] {
                [] => known.undecided.is_empty(),
                [only] => {
                    known.undecided.is_empty() && only == StepInterval { enter: [0.0; 2], exit: [1.0; 2] }
                }
                _ => false,
            };
            match known {
                // Otherwise shorter intervals, with smaller deviations, may prove that the surfaces touch.
                Ok(known)
                    if is_decided(&known)
                        || is_near && (known.undecided.is_empty() || is_fine || !can_be_halved) =>
                {
                    // A result for the whole interval holds whatever the paths are.
                    if !is_decided(&known) {
                        found.deviation = found.deviation.max(error.chord);
                    }
                    found.met.extend(known.intervals.iter().map(|met| StepInterval {
                        enter: seconds(met.enter, span),
                        exit: seconds(met.exit, span),
                    }));
                    found.undecided.extend(known.undecided.iter().map(|undecided| seconds(*undecided, span)));
                    found.certain.extend(known.certain.iter().map(|certain| seconds(*certain, span)));
                }
                Ok(_) | Err(OutOfBudget) if !is_fine && can_be_halved => {
                    waiting.extend(part.halves());
                }
                _ => {
                    found.is_spent = true;
                    found.undecided.push([from, to]);
                }
            }
        }
        join(&mut found, self.duration);
        if let Some(first) = first
            && found.touches_at_start()
            && goal.within == 0.0
            && self.beside.is_none()
        {
            self.check_start(first, &mut found, budget)?;
        }
        Ok(found)
    }

    /// For each vertex, bounds the deviation from its straight path in the current interval.
    fn chord_errors(&mut self, span: TimeInterval, rounding: f64) {
        for (course, each) in self.courses.iter().zip(&mut self.off) {
            course.chord_errors(span, each);
            each.iter_mut().for_each(|own| *own += rounding);
        }
    }

    /// Searches the shortest interval for a proof that surfaces that touch at time 0 also intersect there, and adds it.
    fn check_start(
        &mut self,
        first: SmoothPart,
        found: &mut DeformingContacts,
        budget: &mut Budget<'_>,
    ) -> Result<(), Error> {
        let span = TimeInterval::new(0.0, (SHORTEST * self.duration).min(first.interval.end));
        if self.pay(budget).is_err() {
            return Ok(());
        }
        let error = self.move_to(SmoothPart { interval: span, ..first })?;
        let reach = error.chord + error.rounding;
        if !reach.is_finite() {
            return Ok(());
        }
        self.fit_boxes(reach);
        let touching = TouchingConditions { distance: 0.0, narrowest: 1.0 };
        let accuracy = Accuracy { off: reach, narrowest: NARROWEST, touching };
        // If the budget runs out, there is no proof.
        if let Ok(known) = contact_spans(&self.sides(), &accuracy, budget) {
            found.certain.extend(known.certain.iter().map(|certain| seconds(*certain, span)));
        }
        Ok(())
    }

    /// Whether an interval is long enough to be halved.
    pub(super) fn can_be_halved(&self, TimeInterval { start: from, end: to }: TimeInterval) -> bool {
        let middle = 0.5 * (from + to);
        to - from > SHORTEST * self.duration && from < middle && middle < to
    }

    /// Adds the intervals in which they do not meet and `is_inside` holds for the vertices of both. A body inside
    /// another can come out only where they meet, or at a break, so one sample of each interval suffices.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn add_times_inside(
        &mut self,
        spans: &[[f64; 2]],
        found: &mut DeformingContacts,
        budget: &mut Budget<'_>,
        is_inside: impl Fn(f64, [&[DVec3]; 2]) -> bool,
    ) -> Result<(), Error> {
        let mut inside = Vec::new();
        for [from, to] in found.separated_intervals(&self.breaks()) {
            if !spans.iter().any(|near| near[0] <= to && from <= near[1]) {
                continue;
            }
            if self.pay(budget).is_err() {
                found.is_spent = true;
                found.undecided.push([from, to]);
                continue;
            }
            let middle = 0.5 * (from + to);
            if is_inside(middle, self.vertices_at(middle)?) {
                inside.push([from, to]);
            }
        }
        found.undecided.sort_by(|x, y| x[0].total_cmp(&y[0]));
        found.add(&inside, self.duration);
        Ok(())
    }

    /// The start of the first of the same intervals in which `is_inside` holds. At most `MAX_SAMPLES` intervals are
    /// sampled.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn first_time_inside(
        &mut self,
        spans: &[[f64; 2]],
        found: &DeformingContacts,
        is_inside: impl Fn(f64, [&[DVec3]; 2]) -> bool,
    ) -> Result<Option<f64>, Error> {
        let near = |[from, to]: &[f64; 2]| spans.iter().any(|near| near[0] <= *to && from <= &near[1]);
        for [from, to] in found.separated_intervals(&self.breaks()).into_iter().filter(near).take(MAX_SAMPLES)
        {
            let middle = 0.5 * (from + to);
            if is_inside(middle, self.vertices_at(middle)?) {
                return Ok(Some(from));
            }
        }
        Ok(None)
    }

    /// The positions of both meshes' vertices at a time, in the common frame; a round body has none.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn vertices_at(&mut self, time: f64) -> Result<[&[DVec3]; 2], Error> {
        self.move_to(SmoothPart::at(time))?;
        let [a, b] = self.begin.each_ref().map(Vec::as_slice);
        Ok(if self.beside.as_ref().is_some_and(|round| round.is_first) { [b, a] } else { [a, b] })
    }
}
