//! When two meshes on their way, or one with itself, meet during a span of seconds.
//!
//! Between two times at which nothing breaks, vertices go along straight lines, or near them: by how much is proven. Where
//! that is too much to tell, the span is halved.

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

/// Two courses, or one with itself or with a round body beside it, in seconds.
#[derive(Debug)]
pub(crate) struct DeformablePair<'s> {
    /// One or two.
    pub(super) courses: Vec<MovingMesh<'s>>,
    /// The round body beside the only one.
    pub(crate) beside: Option<RoundBeside<'s>>,
    pub(super) trees: Vec<Hierarchy>,
    /// Those of the parts of a course with itself.
    borders: Option<Borders>,
    pub(super) duration: f64,
    /// The vertices at the begin and at the end of the piece that is looked at, and boxes around their ways.
    pub(super) begin: [Vec<DVec3>; 2],
    pub(super) end: [Vec<DVec3>; 2],
    fitted: [RefitBoxes; 2],
    /// For each vertex, a bound of the distance between its true way and its straight way, along the axes; empty if
    /// unknown.
    off: [Vec<DVec3>; 2],
}

/// What is looked for, and how exactly.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProximityGoal {
    /// The times at which they are no further apart than this, in metres; 0: at which they meet.
    pub(crate) within: f64,
    /// Straight ways no further from the true ones than this, in metres, are near enough.
    pub(crate) tolerance: f64,
}

/// What is known of the times at which two courses meet, or are within a distance, in seconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DeformingContacts {
    /// The begin and the end of each, by enclosures, in order; an end of [duration, duration] is none.
    pub(crate) met: Vec<StepInterval>,
    /// Where nothing is known.
    pub(crate) undecided: Vec<[f64; 2]>,
    /// Whether some of that is for want of a budget.
    pub(crate) is_spent: bool,
    /// How far the examined ways are from the true ones at most, roundings apart, in metres, wherever something begins or
    /// ends.
    pub(crate) deviation: f64,
    /// Spans in each of which the courses are proven to meet, throughout or at some time. In the rest of `met` they are
    /// proven to be within the tolerance.
    pub(crate) certain: Vec<[f64; 2]>,
}

impl DeformingContacts {
    /// Adds times at which they meet for another reason, of which no two overlap.
    pub(crate) fn add(&mut self, spans: &[[f64; 2]], duration: f64) {
        self.met.extend(spans.iter().map(|[from, to]| StepInterval { enter: [*from; 2], exit: [*to; 2] }));
        self.certain.extend(spans);
        self.met.sort_by(|x, y| x.enter[0].total_cmp(&y.enter[0]));
        self.join_met(duration);
    }

    /// Whether the courses are proven to touch at time 0, but not proven to meet there.
    fn touches_at_start(&self) -> bool {
        self.met.first().is_some_and(|first| first.enter == [0.0; 2]) && !self.meets_at_start()
    }

    /// Whether the courses are proven to meet from time 0 on.
    pub(crate) fn meets_at_start(&self) -> bool {
        self.certain.iter().any(|span| span[0] == 0.0)
    }

    /// Joins intervals with gaps that are no longer than the shortest piece.
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

/// Two features that meet, and when they first do, in seconds; the place is in the frame of the courses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DeformingEvent {
    pub(crate) features: ContactFeatures,
    pub(crate) contact: FeatureContact,
}

/// Pieces are not halved below this share of the duration.
pub(super) const SHORTEST: f64 = 1e-9;

/// A doubt that is no further than this share of the duration from an interval belongs to its begin or end.
const SHORT: f64 = 1e-7;

/// A touch no longer than this multiple of [`SHORT`] counts as momentary.
const MOMENT: f64 = 10.0;

/// A distance that is exceeded by less than so many roundings of places cannot be told.
const LEVEL: f64 = 8.0;

/// If a piece has a doubt, it is halved until its straight ways are this near to the true ones, as a fraction of the
/// tolerance. Then the deviations of two surfaces leave room for a proof that they touch.
const FINE: f64 = 0.25;

/// Vertices that are brought to a piece, with boxes around their ways, for a step of the budget.
const VERTICES_A_STEP: usize = 16;

/// As many spans without contact are looked at for something inside a hollow body.
const LOOKS: usize = 16;

/// For events, straight ways this near to the true ones are near enough, as a share of the reach; and as many pieces are
/// enough.
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

    /// A course with a round body beside it.
    pub(crate) fn with_round(course: MovingMesh<'s>, round: RoundBeside<'s>, duration: f64) -> Self {
        Self { beside: Some(round), ..Self::new(vec![course], duration) }
    }

    /// The times between which nothing breaks, 0 and the duration among them.
    pub(super) fn breaks(&self) -> Vec<f64> {
        let mut all: Vec<f64> = self.courses.iter().flat_map(|course| course.breaks(self.duration)).collect();
        all.extend(self.beside.iter().flat_map(|round| round.breaks(self.duration)));
        all.sort_by(f64::total_cmp);
        all.dedup();
        all
    }

    /// Takes the steps that it costs to come to a piece.
    ///
    /// # Errors
    /// [`OutOfBudget`].
    pub(super) fn pay(&self, budget: &mut Budget<'_>) -> Result<(), OutOfBudget> {
        let vertices: usize = self.courses.iter().map(|course| course.mesh().vertex_count()).sum();
        budget.step()?;
        budget.take((vertices / VERTICES_A_STEP) as u64)
    }

    /// Comes to a piece of a stretch that holds `within`.
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

    /// Fits the boxes to the piece, enlarged by a reach, and of a course with itself leaves out what cannot meet itself
    /// where vertices are no further than that from their straight ways.
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

    /// What boxes of the piece are relative to.
    pub(super) fn centre(&self) -> DVec3 {
        self.begin[0].first().copied().unwrap_or(DVec3::ZERO)
    }

    /// The piece to which it has come, beside a round body.
    pub(super) fn round_sides(&self, span: TimeInterval, within: f64, off: f64) -> Option<RoundSides<'_>> {
        let way = self.beside.as_ref()?.path(span, within);
        let [surface, _] = self.sides().both().map(|side| *side);
        Some(RoundSides { way, surface, off })
    }

    /// The piece to which it has come.
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

    /// All times at which they are within the distance that is sought. Outside of `spans` they are known to be further
    /// apart.
    ///
    /// # Errors
    /// A frame that cannot be read.
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
                // Otherwise shorter pieces, whose straight ways are nearer to the true ones, may prove that the
                // surfaces touch.
                Ok(known)
                    if is_told(&known)
                        || is_near && (known.undecided.is_empty() || is_fine || !can_be_halved) =>
                {
                    // What holds for the whole piece holds whatever the ways are.
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

    /// Computes, for each vertex, a bound of the distance between its true way and its straight way in the current
    /// piece.
    fn chord_errors(&mut self, span: TimeInterval, rounding: f64) {
        for (course, each) in self.courses.iter().zip(&mut self.off) {
            course.chord_errors(span, each);
            each.iter_mut().for_each(|own| *own += rounding);
        }
    }

    /// Looks at the shortest piece for a proof that surfaces that touch at time 0 also intersect there, and adds it.
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

    /// Whether a piece is long enough for two.
    pub(super) fn can_be_halved(&self, TimeInterval { start: from, end: to }: TimeInterval) -> bool {
        let middle = 0.5 * (from + to);
        to - from > SHORTEST * self.duration && from < middle && middle < to
    }

    /// The spans in which they do not meet and `is_inside` holds of the vertices of both; joined to what is found. What
    /// is inside comes out only where they meet, or at a break: one look at each span tells.
    ///
    /// # Errors
    /// A frame that cannot be read.
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

    /// The begin of the first of the same spans in which `is_inside` holds; not all are looked at.
    ///
    /// # Errors
    /// A frame that cannot be read.
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

    /// Where the vertices of both are at a time, in their frame; a round body has none.
    ///
    /// # Errors
    /// A frame that cannot be read.
    pub(crate) fn vertices_at(&mut self, time: f64) -> Result<[&[DVec3]; 2], Error> {
        self.move_to(TimeInterval::new(time, time), time)?;
        let [a, b] = self.begin.each_ref().map(Vec::as_slice);
        Ok(if self.beside.as_ref().is_some_and(|round| round.is_first) { [b, a] } else { [a, b] })
    }

    /// The triangles that meet at a time, in order: exactly for the vertices as they are placed then. Of one mesh the lower
    /// number comes first, and an edge and a face, two edges, or a vertex and a face of them without a common vertex meet. None
    /// beside a round body.
    ///
    /// # Errors
    /// A frame that cannot be read.
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

    /// Every two features that meet in one of some spans, once, with the first time, sorted by time, then features; and
    /// whether these are all. A round body has no features. Where vertices do not go along straight lines, up to [`NEAR_ENOUGH`].
    ///
    /// # Errors
    /// A frame that cannot be read.
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

/// Whether features of two triangles without a common vertex meet, where the triangles have one.
fn neighbours_meet(places: &[DVec3], [p, q]: [[u32; 3]; 2]) -> bool {
    // Each feature as a triangle that may have lost its extent.
    let parts =
        |[a, b, c]: [u32; 3]| [[a, b, c], [a, b, b], [b, c, c], [c, a, a], [a, a, a], [b, b, b], [c, c, c]];
    parts(p).into_iter().any(|f| {
        parts(q).into_iter().any(|g| {
            let is_apart = !f.iter().any(|v| g.contains(v));
            is_apart && triangles_intersect(&f.map(|v| places[v as usize]), &g.map(|v| places[v as usize]))
        })
    })
}

/// Shares of a span as seconds, outward.
pub(super) fn seconds([lo, hi]: [f64; 2], TimeInterval { start: from, end: to }: TimeInterval) -> [f64; 2] {
    let off = 4.0 * f64::EPSILON * from.abs().max(to.abs());
    let time = |share: f64, off: f64| match share {
        0.0 => from,
        1.0 => to,
        share => (from + share * (to - from) + off).clamp(from, to),
    };
    [time(lo, -off), time(hi, off)]
}

/// Joins intervals that continue from piece to piece. A doubt close to an interval belongs to the enclosure of its
/// start or end.
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
    // A touch just before or after a proven meeting, or a momentary touch, becomes part of the enclosures of the start
    // and end.
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
