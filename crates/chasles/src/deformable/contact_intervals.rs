//! When two moving meshes, or one mesh with itself, meet during an interval in seconds.
//!
//! In a smooth interval, vertices deviate from straight lines by a bounded length; if too large, the interval is
//! halved.

use glam::DVec3;
use rustc_hash::FxHashSet;

use crate::deformable::against_round::{RoundBeside, RoundSides};
use crate::deformable::candidates::{Moving, SurfacePair};
use crate::deformable::contact_spans::contact_spans;
use crate::deformable::course::{ChordError, MovingMesh};
use crate::deformable::cover::{ContactSpans, StepInterval};
use crate::deformable::elementary::features::{FeatureContact, FeatureMeeting};
use crate::deformable::hierarchy::{Hierarchy, RefitBoxes, VertexMotion};
use crate::deformable::near_spans::{DistanceThreshold, near_spans};
use crate::deformable::self_exclusion::Borders;
use crate::deformable::spans::{Accuracy, TouchingConditions};
use crate::deformable::step::{NARROWEST, first_meeting};
use crate::error::Error;
use crate::features::contact::ContactFeatures;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::time_interval::{IntervalSet, TimeInterval, merge};
use crate::mesh_screw::overlap::triangles_intersect;

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

/// The times at which two meshes meet, or are within a distance, in seconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DeformingContacts {
    /// Enclosures of the start and end of each contact, in order; an end of [duration, duration] means no end.
    pub(crate) met: Vec<StepInterval>,
    /// Undecided intervals.
    pub(crate) undecided: Vec<[f64; 2]>,
    /// Whether the budget ran out in some undecided intervals.
    pub(crate) is_spent: bool,
    /// An upper bound of the deviation of the examined paths from the true ones, apart from rounding, in metres,
    /// wherever a contact starts or ends.
    pub(crate) deviation: f64,
    /// Intervals in each of which the meshes are proven to meet, throughout or at some time. In the rest of `met`
    /// they are proven to be within the tolerance.
    pub(crate) certain: Vec<[f64; 2]>,
}

impl DeformingContacts {
    /// Adds disjoint intervals in which they are in contact for another reason.
    pub(crate) fn add(&mut self, spans: &[[f64; 2]], duration: f64) {
        self.met.extend(spans.iter().map(|[from, to]| StepInterval { enter: [*from; 2], exit: [*to; 2] }));
        self.certain.extend(spans);
        self.met.sort_by(|x, y| x.enter[0].total_cmp(&y.enter[0]));
        self.join_met(duration);
    }

    /// Whether the meshes are proven to touch at time 0, but not proven to meet there.
    fn touches_at_start(&self) -> bool {
        self.met.first().is_some_and(|first| first.enter == [0.0; 2]) && !self.meets_at_start()
    }

    /// Whether the meshes are proven to meet from time 0 on.
    pub(crate) fn meets_at_start(&self) -> bool {
        self.certain.iter().any(|span| span[0] == 0.0)
    }

    /// Joins contacts whose gaps are at most as long as the shortest interval examined.
    fn join_met(&mut self, duration: f64) {
        let mut joined: Vec<StepInterval> = Vec::with_capacity(self.met.len());
        for next in self.met.drain(..) {
            match joined.last_mut() {
                Some(last) if next.enter[0] - last.exit[1] <= SHORTEST * duration => last.exit = next.exit,
                _ => joined.push(next),
            }
        }
        self.met = joined;
    }

    /// The times within `[0, duration]` at which they are known not to meet, cut at breaks, which are in order.
    fn separated_intervals(&self, breaks: &[f64]) -> Vec<[f64; 2]> {
        let mut known: Vec<[f64; 2]> = self.undecided.clone();
        known.extend(self.met.iter().map(|met| [met.enter[0], met.exit[1]]));
        let known = IntervalSet::union_of(known);
        breaks.windows(2).flat_map(|ends| known.gaps([ends[0], ends[1]])).collect()
    }
}

/// Two features that meet, and their first time of contact, in seconds; the place is in the common frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DeformingEvent {
    pub(crate) features: ContactFeatures,
    pub(crate) contact: FeatureContact,
}

/// Intervals are not halved below this fraction of the duration.
pub(super) const SHORTEST: f64 = 1e-9;

/// Undecided intervals this close to a contact, as a fraction of the duration, join the enclosure of its start or end.
const SHORT: f64 = 1e-7;

/// A touch no longer than this multiple of [`SHORT`] counts as momentary.
const MOMENT: f64 = 10.0;

/// A gap is undecided if its excess over the distance is below this multiple of the rounding of positions.
const LEVEL: f64 = 8.0;

/// If an interval is undecided, it is halved until its straight paths are this near to the true ones, as a fraction
/// of the tolerance. Then the deviations of two surfaces leave room for a proof that they touch.
const FINE: f64 = 0.25;

/// The number of vertices, moved to an interval with boxes around their paths, that cost one step of the budget.
const VERTICES_A_STEP: usize = 16;

/// The maximum number of separated intervals that are tested for a body inside a hollow one.
const LOOKS: usize = 16;

/// For events, straight paths may deviate from the true ones by this fraction of the meshes' size; `MOST_PIECES` is
/// the maximum number of intervals.
const NEAR_ENOUGH: f64 = 1e-6;
const MOST_PIECES: f64 = 4096.0;

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

    /// Charges the steps that it costs to move to an interval.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(super) fn pay(&self, budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
        let vertices: usize = self.courses.iter().map(|course| course.mesh().vertex_count()).sum();
        budget.step()?;
        budget.take((vertices / VERTICES_A_STEP) as u64)
    }

    /// Moves to part of a smooth interval that contains `within`.
    pub(super) fn move_to(&mut self, span: TimeInterval, within: f64) -> Result<ChordError, Error> {
        let mut off = ChordError::default();
        for (i, course) in self.courses.iter_mut().enumerate() {
            course.move_to(within)?;
            course.vertices_at(span.start, within, &mut self.begin[i]);
            course.vertices_at(span.end, within, &mut self.end[i]);
            let own = course.chord_error(span);
            off = ChordError { chord: off.chord.max(own.chord), rounding: off.rounding.max(own.rounding) };
        }
        Ok(off)
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
    pub(super) fn round_sides(&self, span: TimeInterval, within: f64, off: f64) -> Option<RoundSides<'_>> {
        let way = self.beside.as_ref()?.path(span, within);
        let [surface, _] = self.sides().both().map(|side| *side);
        Some(RoundSides { way, surface, off })
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
        sought: &ProximityGoal,
        budget: &mut Budget<'_>,
    ) -> Result<DeformingContacts, Error> {
        let breaks = self.breaks();
        let mut found = DeformingContacts::default();
        // From the last to the first.
        let stretches = breaks.windows(2).rev();
        let mut waiting: Vec<(TimeInterval, f64)> = stretches
            .map(|ends| TimeInterval::new(ends[0], ends[1]))
            .map(|span| (span, span.middle()))
            .collect();
        while let Some((span, within)) = waiting.pop() {
            let TimeInterval { start: from, end: to } = span;
            if !spans.iter().any(|near| near[0] <= to && from <= near[1]) {
                continue;
            }
            if self.pay(budget).is_err() {
                found.is_spent = true;
                found.undecided.push([from, to]);
                continue;
            }
            let off = self.move_to(span, within)?;
            let reach = off.chord + off.rounding;
            let can_be_halved = self.can_be_halved(span);
            // An infinite bound is never near, even if rounding is infinite too.
            let is_straight = reach.is_finite() && off.chord <= sought.tolerance.max(4.0 * off.rounding);
            let is_near = is_straight || !can_be_halved;
            let is_fine = reach.is_finite() && off.chord <= (FINE * sought.tolerance).max(4.0 * off.rounding);
            let known = if !reach.is_finite() {
                Ok(ContactSpans { undecided: vec![[0.0, 1.0]], ..ContactSpans::default() })
            } else {
                self.fit_boxes(reach + 0.5 * sought.within);
                let is_last = is_fine || !can_be_halved;
                let touching = TouchingConditions {
                    distance: sought.tolerance,
                    narrowest: if is_last { NARROWEST } else { 1.0 },
                };
                let accuracy = Accuracy { off: reach, narrowest: NARROWEST, touching };
                let nearby =
                    DistanceThreshold { distance: sought.within, level: LEVEL * off.rounding, accuracy };
                if let Some(sides) = self.round_sides(span, within, reach) {
                    sides.spans(&nearby, budget)
                } else if sought.within > 0.0 {
                    near_spans(&self.sides(), &nearby, budget)
                } else {
                    self.chord_errors(span, off.rounding);
                    contact_spans(&self.sides(), &accuracy, budget)
                }
            };
            let is_told = |known: &ContactSpans| match known.intervals[..] {
                [] => known.undecided.is_empty(),
                [only] => {
                    known.undecided.is_empty() && only == StepInterval { enter: [0.0; 2], exit: [1.0; 2] }
                }
                _ => false,
            };
            match known {
                // Otherwise shorter intervals, with smaller deviations, may prove that the surfaces touch.
                Ok(known)
                    if is_told(&known)
                        || is_near && (known.undecided.is_empty() || is_fine || !can_be_halved) =>
                {
                    // A result for the whole interval holds whatever the paths are.
                    if !is_told(&known) {
                        found.deviation = found.deviation.max(off.chord);
                    }
                    found.met.extend(known.intervals.iter().map(|met| StepInterval {
                        enter: seconds(met.enter, span),
                        exit: seconds(met.exit, span),
                    }));
                    found.undecided.extend(known.undecided.iter().map(|undecided| seconds(*undecided, span)));
                    found.certain.extend(known.certain.iter().map(|certain| seconds(*certain, span)));
                }
                Ok(_) | Err(OutOfBudget) if !is_fine && can_be_halved => {
                    let middle = 0.5 * (from + to);
                    waiting.extend([
                        (TimeInterval::new(middle, to), within),
                        (TimeInterval::new(from, middle), within),
                    ]);
                }
                _ => {
                    found.is_spent = true;
                    found.undecided.push([from, to]);
                }
            }
        }
        join(&mut found, self.duration);
        if found.touches_at_start() && sought.within == 0.0 && self.beside.is_none() {
            self.check_start(&mut found, breaks[1], budget)?;
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
        found: &mut DeformingContacts,
        next_break: f64,
        budget: &mut Budget<'_>,
    ) -> Result<(), Error> {
        let span = TimeInterval::new(0.0, (SHORTEST * self.duration).min(next_break));
        if self.pay(budget).is_err() {
            return Ok(());
        }
        let off = self.move_to(span, 0.5 * next_break)?;
        let reach = off.chord + off.rounding;
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
        (found, budget): (&mut DeformingContacts, &mut Budget<'_>),
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

    /// The start of the first of the same intervals in which `is_inside` holds; at most `LOOKS` intervals are sampled.
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
        for [from, to] in found.separated_intervals(&self.breaks()).into_iter().filter(near).take(LOOKS) {
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
        self.move_to(TimeInterval::new(time, time), time)?;
        let [a, b] = self.begin.each_ref().map(Vec::as_slice);
        Ok(if self.beside.as_ref().is_some_and(|round| round.is_first) { [b, a] } else { [a, b] })
    }

    /// The pairs of triangles that meet at a time, in order, decided exactly for the computed vertices. For one mesh
    /// the lower number comes first, and the pair must contain an edge and a face, two edges, or a vertex and a face
    /// that meet and have no common vertex. Empty beside a round body.
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn triangles_at(&mut self, time: f64) -> Result<Vec<[u32; 2]>, Error> {
        if self.beside.is_some() {
            return Ok(Vec::new());
        }
        self.move_to(TimeInterval::new(time, time), time)?;
        self.fit_boxes(0.0);
        let sides = self.sides();
        let [a, b] = sides.both();
        let is_one = matches!(sides, SurfacePair::Itself(_));
        let mut found = Vec::new();
        let searched = sides.faces(&mut Budget::new(u64::MAX), |[f, g], _| {
            let (p, q) = (a.corners(f), b.corners(g));
            let meets = if is_one && p.iter().any(|v| q.contains(v)) {
                neighbours_meet(a.motion.begin, [p, q])
            } else {
                let [p, q] = [(a, p), (b, q)].map(|(side, v)| v.map(|v| side.motion.begin[v as usize]));
                triangles_intersect(&p, &q)
            };
            if meets {
                found.push([f, g]);
            }
            Ok(())
        });
        debug_assert!(searched.is_ok(), "the budget is endless");
        found.sort_unstable();
        Ok(found)
    }

    /// All pairs of features that meet in one of some intervals, once, with the first time, sorted by time, then
    /// features; and whether the list is complete. A round body has no features. If vertices do not move along
    /// straight lines, the result holds up to [`NEAR_ENOUGH`].
    ///
    /// # Errors
    /// A frame cannot be read.
    pub(crate) fn events(
        &mut self,
        spans: &[[f64; 2]],
        budget: &mut Budget<'_>,
    ) -> Result<(Vec<DeformingEvent>, bool), Error> {
        let (mut found, mut is_complete) = (Vec::new(), true);
        if self.beside.is_some() {
            return Ok((found, is_complete));
        }
        let mut seen: FxHashSet<ContactFeatures> = FxHashSet::default();
        for ends in self.breaks().windows(2) {
            if !spans.iter().any(|near| near[0] <= ends[1] && ends[0] <= near[1]) {
                continue;
            }
            let (whole, within) = (ends[1] - ends[0], 0.5 * (ends[0] + ends[1]));
            let size = self.courses.iter().map(|course| course.mesh().diagonal()).fold(0.0, f64::max);
            let off = self.move_to(TimeInterval::new(ends[0], ends[1]), within)?;
            let parts = (off.chord / (NEAR_ENOUGH * size)).sqrt().ceil().clamp(1.0, MOST_PIECES);
            let mut from = ends[0];
            let mut part = 1.0;
            while from < ends[1] {
                let to = if part < parts { ends[0] + whole * (part / parts) } else { ends[1] };
                let span = TimeInterval::new(from, to);
                (from, part) = (to, part + 1.0);
                if !spans.iter().any(|near| near[0] <= span.end && span.start <= near[1]) {
                    continue;
                }
                if self.pay(budget).is_err() {
                    is_complete = false;
                    continue;
                }
                self.move_to(span, within)?;
                self.fit_boxes(0.0);
                let sides = self.sides();
                let searched = sides.features(budget, |features, budget| {
                    budget.step()?;
                    match first_meeting(&sides, &features, 0.0, budget) {
                        FeatureMeeting::Clear => {}
                        FeatureMeeting::Contact(contact) => {
                            if seen.insert(features) {
                                let contact = FeatureContact { time: seconds(contact.time, span), ..contact };
                                found.push(DeformingEvent { features, contact });
                            }
                        }
                        FeatureMeeting::Undecided { .. } => is_complete = false,
                    }
                    Ok(())
                });
                is_complete &= searched.is_ok();
            }
        }
        found.sort_by(|x, y| {
            let [p, q] = [x, y].map(|event| event.contact.time);
            p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])).then(x.features.cmp(&y.features))
        });
        Ok((found, is_complete))
    }
}

/// Whether features without a common vertex meet, for two triangles that have a common vertex.
fn neighbours_meet(places: &[DVec3], [p, q]: [[u32; 3]; 2]) -> bool {
    // Each feature as a triangle, which may be degenerate.
    let parts =
        |[a, b, c]: [u32; 3]| [[a, b, c], [a, b, b], [b, c, c], [c, a, a], [a, a, a], [b, b, b], [c, c, c]];
    parts(p).into_iter().any(|f| {
        parts(q).into_iter().any(|g| {
            let is_apart = !f.iter().any(|v| g.contains(v));
            is_apart && triangles_intersect(&f.map(|v| places[v as usize]), &g.map(|v| places[v as usize]))
        })
    })
}

/// Fractions of an interval in seconds, rounded outward.
pub(super) fn seconds([lo, hi]: [f64; 2], TimeInterval { start: from, end: to }: TimeInterval) -> [f64; 2] {
    let off = 4.0 * f64::EPSILON * from.abs().max(to.abs());
    let time = |share: f64, off: f64| match share {
        0.0 => from,
        1.0 => to,
        share => (from + share * (to - from) + off).clamp(from, to),
    };
    [time(lo, -off), time(hi, off)]
}

/// Joins contacts across intervals. An undecided interval close to a contact joins the enclosure of its start or end.
fn join(found: &mut DeformingContacts, duration: f64) {
    let short = SHORT * duration;
    let mut undecided = std::mem::take(&mut found.undecided);
    merge(&mut undecided);
    for met in &mut found.met {
        let [entered, left] = [met.enter[1], met.exit[0]];
        let before = undecided.iter().filter(|doubt| doubt[1] <= entered && entered - doubt[0] <= short);
        met.enter[0] = before.fold(met.enter[0], |first, doubt| first.min(doubt[0]));
        let after = undecided.iter().filter(|doubt| doubt[0] >= left && doubt[1] - left <= short);
        met.exit[1] = after.fold(met.exit[1], |last, doubt| last.max(doubt[1]));
    }
    let held = |[from, to]: &[f64; 2]| {
        let within = |span: &[f64; 2]| span[0] <= *from && *to <= span[1];
        found
            .met
            .iter()
            .any(|met| within(&met.enter) || within(&met.exit) || within(&[met.enter[0], met.exit[1]]))
    };
    undecided.retain(|doubt| !held(doubt));
    found.undecided = undecided;
    found.join_met(duration);
    // A touch next to a proven contact, or a momentary touch, joins the enclosures of the start and end.
    let moment = MOMENT * short;
    for met in &mut found.met {
        let (from, to) = (met.enter[0], met.exit[1]);
        let own = || found.certain.iter().filter(move |span| from <= span[1] && span[0] <= to);
        let long = || own().filter(move |span| span[1] - span[0] > moment);
        let first = long().map(|span| span[0]).reduce(f64::min);
        let first = first.unwrap_or_else(|| own().map(|span| span[1]).fold(from, f64::max));
        let last = long().map(|span| span[1]).reduce(f64::max);
        let last = last.unwrap_or_else(|| own().map(|span| span[0]).fold(to, f64::min));
        if met.enter != [0.0; 2] && first - from <= moment {
            // A jump at the end may be followed up to the next double after the duration.
            met.enter[1] = met.enter[1].max(first.min(duration));
        }
        if met.exit[0] < duration && to - last <= moment {
            met.exit[0] = met.exit[0].min(last);
        }
    }
}
