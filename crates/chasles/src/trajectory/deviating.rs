//! Contact of two meshes along a screw that is known only up to a deviation, which may be as large as the bodies.
//!
//! Every point of A may be off by the deviation D, at every time. E is the tolerance. Two kinds of times are computed:
//!
//! * **separated**: along the screw itself the gap is more than D + E. Then no motion within the deviation has
//!   contact. The times in between are the intervals of possible contact.
//! * **certain**: every motion within the deviation has contact, now or since the interval started. There are four
//!   proofs: two triangles that no translation by D separates; a piece of a surface with a point deeper than D
//!   inside a closed surface and a point further than D outside; a point that has passed through a closed surface
//!   since the interval started, and is now further than D from it; a gap of at most E - D, so that the surfaces
//!   touch for every motion.
//!
//! First contact is then no earlier than the start of the first interval, and no later than the first certain time.
//! Intervals without a certain time belong to the enclosures of their neighbours.

use glam::DVec3;

use crate::body::PreparedMesh;
use crate::error::Error;
use crate::features::collector::EventFilter;
use crate::features::pairs::Aim;
use crate::instant::depth::{depth_in, middle};
use crate::instant::gap::{Gap, GapLimits, GapSearch, gap};
use crate::math::budget::{Budget, IsOver, OutOfBudget};
use crate::mesh_screw::overlap::OverlapGoal;
use crate::mesh_screw::pipeline::{ScrewSearch, Workspace, lack};
use crate::mesh_screw::query::{Options, Outcome, UndecidedReason};
use crate::motion::Screw;
use crate::motion::chain::INSIDE;
use crate::shape::pieces::Pieces;

/// An interval of possible contact. Times are fractions of the screw, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PossibleContact {
    /// The start; 0 if contact is possible from the start of the screw.
    pub(crate) enter: f64,
    /// The end; `None` if the interval lasts to the end of the screw.
    pub(crate) exit: Option<f64>,
    /// A time by which every motion has had contact; `None` if no such time is proven.
    pub(crate) certain: Option<f64>,
    /// A proven interval in which every motion is in contact throughout.
    pub(crate) certain_interval: Option<[f64; 2]>,
}

/// The result for a motion with a deviation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DeviatingContacts {
    /// In order of time.
    pub(crate) intervals: Vec<PossibleContact>,
    /// A lower bound of the depth of overlap of the surfaces at the start, minus the deviation, in metres. If it is
    /// not positive, no such depth is proven.
    pub(crate) deep_at_start: f64,
    /// The limit that ended the search early, if any; the times after the start of the last interval are then unknown.
    pub(crate) lack: Option<UndecidedReason>,
    /// Steps of the budget that were spent.
    pub(crate) steps: u64,
}

/// A proof of contact at a time, if there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CertainContact {
    /// Contact remains if every point moves by the deviation plus this margin, in metres. At 0 or less, contact is not
    /// proven.
    margin: f64,
    /// Whether some point has passed through the other surface since the interval started.
    has_passed: bool,
}

/// `FIRST_STEP`: the first step of an interval, as a fraction of the time in which the gap can close. `GROWTH`: a
/// later step as a fraction of the time since the interval started. `LONGEST_STEP`: as a fraction of the motion.
const FIRST_STEP: f64 = 0.25;
const GROWTH: f64 = 0.25;
const LONGEST_STEP: f64 = 1.0 / 64.0;

/// Steps are no shorter than this fraction of the motion, and times are computed to this precision.
const SHORTEST: f64 = 1e-10;

/// The search along the screw ends when the gap exceeds `clear_gap` by 1 %. At most this number of conservative steps
/// follow.
const LAST_STEPS: usize = 64;

/// A gap that exceeds `clear_gap` by at most this fraction counts as equal to it.
const CLOSE: f64 = 1e-9;

/// An interval of possible contact ends where the gap exceeds `clear_gap` by this fraction. Without this margin, a gap
/// that hovers just above `clear_gap` would end and start intervals again and again.
const EXIT_MARGIN: f64 = 0.02;

/// Maximum number of steps that prove how long contact lasts.
const MAX_CONTACT_STEPS: usize = 100;

/// The overlap of triangles is measured only up to this multiple of the deviation.
const DEEP_ENOUGH: f64 = 4.0;

/// An upper bound of the error of positions, in roundings of the motion.
const ROUNDINGS: f64 = 4.0;

/// The precision of the gap at one time, as a fraction.
const GAP_PRECISION: f64 = 1e-10;

/// If a mesh has more points than this, an evenly spread sample represents all points.
const MAX_POINTS: usize = 1024;

/// The price of computing the depth of one point, in steps of the budget.
const STEPS_PER_POINT: u64 = 10;

/// The examined points of a body, relative to the centre of its mesh, each with its piece, and whether each was
/// inside the other body at the start of the interval.
struct ExaminedPoints {
    all: Vec<(usize, DVec3)>,
    pieces: usize,
    were_inside: Vec<Option<bool>>,
}

impl ExaminedPoints {
    fn of(body: &PreparedMesh) -> Self {
        let mesh = body.mesh();
        let pieces = Pieces::new(mesh);
        let used = mesh.used_vertices();
        let corners = used.iter().map(|v| (pieces.of_vertex(*v), mesh.local()[*v as usize]));
        let middles = (0_u32..)
            .zip(mesh.triangles())
            .map(|(face, corners)| (pieces.of_vertex(corners[0]), middle(mesh, face)));
        let all: Vec<_> = corners.chain(middles).collect();
        let step = all.len().div_ceil(MAX_POINTS).max(1);
        let all: Vec<_> = all.into_iter().step_by(step).collect();
        Self { were_inside: vec![None; all.len()], all, pieces: pieces.count() }
    }
}

/// A point of a body, by its number, whose distance from the other surface exceeds the deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FarPoint {
    number: usize,
    is_inside: bool,
}

/// The search for intervals of possible contact, and for certain contact in these.
struct DeviatingSearch<'a> {
    search: ScrewSearch<'a>,
    screw: &'a Screw,
    options: &'a Options,
    is_over: Option<IsOver<'a>>,
    deviation: f64,
    /// If the gap along the screw is larger than this, no motion has contact.
    clear_gap: f64,
    speed: f64,
    points: [ExaminedPoints; 2],
    gap: GapSearch,
    budget: Budget<'a>,
}

/// Intervals of possible and of certain contact of two meshes along a screw that is off by the deviation of the
/// options, up to the end or until the budget is spent.
///
/// # Errors
/// As [`first_contact`](crate::first_contact).
pub(crate) fn deviating_contacts(
    bodies: (&PreparedMesh, &PreparedMesh),
    screw: &Screw,
    (options, is_over): (&Options, Option<IsOver<'_>>),
    workspace: &mut Workspace,
) -> Result<DeviatingContacts, Error> {
    let exact = Options { deviation: 0.0, ..*options };
    let search = ScrewSearch::new(bodies.0, bodies.1, screw, &exact)?.watched(is_over);
    let motion = &search.motion;
    let speed = motion.velocity.length() + motion.angle * bodies.0.mesh().radius() + motion.slide.length();
    let budget = search.budget_after(0);
    let mut deviating = DeviatingSearch {
        clear_gap: options.deviation + search.tolerance,
        deviation: options.deviation + ROUNDINGS * motion.rounding,
        speed,
        points: [bodies.0, bodies.1].map(ExaminedPoints::of),
        gap: GapSearch::default(),
        budget,
        search,
        screw,
        options: &exact,
        is_over,
    };
    let mut found = DeviatingContacts { intervals: Vec::new(), deep_at_start: 0.0, lack: None, steps: 0 };
    let mut time = 0.0;
    while time < 1.0 {
        let Some(enter) = deviating.separated_until(time, workspace)? else { break };
        let possible = PossibleContact { enter, exit: None, certain: None, certain_interval: None };
        found.intervals.push(possible);
        let examined = deviating.examine(enter, &mut found, workspace);
        if examined.is_err() || deviating.budget.remaining() == 0 {
            found.lack = Some(lack(&deviating.budget));
            break;
        }
        match found.intervals.last().and_then(|interval| interval.exit) {
            Some(exit) => time = exit,
            None => break,
        }
    }
    found.steps = deviating.search.spent(&deviating.budget);
    Ok(found)
}

impl DeviatingSearch<'_> {
    /// The time until which the gap stays above `clear_gap`, from a time on; `None`: to the end.
    fn separated_until(&mut self, from: f64, workspace: &mut Workspace) -> Result<Option<f64>, Error> {
        let mut time = from;
        loop {
            let Some(near) = self.proven_separated_until(time, workspace)? else { return Ok(None) };
            // The search ends a little before the gap falls to `clear_gap`, or where the gap only comes close to it.
            time = near;
            let mut excess = 0.0;
            for _ in 0..LAST_STEPS {
                let Ok([lower, _]) = self.gap_at(time) else { return Ok(Some(time)) };
                excess = lower - self.clear_gap;
                let step = INSIDE * excess / self.speed;
                // A NaN compares false, so it proves nothing.
                let continues = excess > CLOSE * self.clear_gap && time + step > time;
                if !continues {
                    return Ok(Some(time));
                }
                time += step;
                if time >= 1.0 {
                    return Ok(None);
                }
            }
            let is_separated_again = excess > EXIT_MARGIN * self.clear_gap && time > near;
            if !is_separated_again {
                return Ok(Some(time));
            }
        }
    }

    /// The time until which a search along the screw proves the gap to be above `clear_gap`, from a time on; `None`: to
    /// the end.
    fn proven_separated_until(&mut self, from: f64, workspace: &mut Workspace) -> Result<Option<f64>, Error> {
        let rest = if from > 0.0 { self.screw.part(from, 1.0) } else { *self.screw };
        let options =
            Options { tolerance: Some(self.clear_gap), budget: self.budget.remaining(), ..*self.options };
        let search = ScrewSearch::new(self.search.bodies.a, self.search.bodies.b, &rest, &options)?
            .watched(self.is_over);
        let found = search.run(EventFilter::Separation, Aim::Within, workspace);
        let _ = self.budget.take(found.counters.steps);
        let fraction = match found.reported_outcome() {
            Outcome::Clear => return Ok(None),
            Outcome::Contact(contact) => contact.time[0],
            Outcome::Undecided { clear_until, .. } => clear_until,
            Outcome::Overlapping(_) => 0.0,
        };
        Ok(Some((from + fraction.clamp(0.0, 1.0) * (1.0 - from)).min(1.0)))
    }

    /// Examines an interval of possible contact to its end.
    fn examine(
        &mut self,
        enter: f64,
        found: &mut DeviatingContacts,
        workspace: &mut Workspace,
    ) -> Result<(), OutOfBudget> {
        self.points.iter_mut().for_each(|points| points.were_inside.fill(None));
        let first = (FIRST_STEP * self.clear_gap / self.speed).clamp(SHORTEST, LONGEST_STEP);
        let (mut before, mut time) = (enter, enter);
        let (mut certain, mut certain_interval): (Option<f64>, Option<[f64; 2]>) = (None, None);
        loop {
            if certain.is_none() || certain_interval.is_none() {
                let contact = self.certain_at(time, enter, workspace)?;
                if enter <= 0.0 && time <= 0.0 {
                    found.deep_at_start = contact.margin;
                }
                if certain.is_none() && (contact.margin > 0.0 || contact.has_passed) {
                    certain = Some(self.first_certain((before, time), enter, workspace)?);
                }
                if contact.margin > 0.0 && certain_interval.is_none() {
                    let since =
                        self.intersecting_until((time, contact.margin), certain.unwrap_or(time), workspace)?;
                    certain_interval =
                        Some([since, self.intersecting_until((time, contact.margin), 1.0, workspace)?]);
                }
                if let Some(interval) = found.intervals.last_mut() {
                    (interval.certain, interval.certain_interval) = (certain, certain_interval);
                }
            }
            if time >= 1.0 {
                return Ok(());
            }
            // Contact is possible throughout an interval of certain contact, so that interval needs no steps.
            let reached = certain_interval.map_or(time, |[_, until]| until.max(time));
            let step = (GROWTH * (reached - enter)).clamp(first, LONGEST_STEP);
            (before, time) = (reached, (reached + step).min(1.0));
            if self.has_separated(time)? {
                let exit = self.first_separated((before, time))?;
                if let Some(interval) = found.intervals.last_mut() {
                    interval.exit = Some(exit);
                }
                return Ok(());
            }
        }
    }

    /// Bounds of the gap at a time.
    fn gap_at(&mut self, time: f64) -> Result<[f64; 2], OutOfBudget> {
        let limits = GapLimits {
            relative: GAP_PRECISION,
            absolute: GAP_PRECISION * self.clear_gap,
            steps: self.budget.remaining(),
            ..GapLimits::EXACT
        };
        let pose = self.screw.pose_at(time);
        let Gap { lower, upper, steps, .. } =
            gap(&mut self.gap, self.search.bodies.a, self.search.bodies.b, &pose, &limits);
        self.budget.take(steps + STEPS_PER_POINT)?;
        let off = ROUNDINGS * self.search.motion.rounding;
        Ok([lower - off, upper + off])
    }

    /// Whether the gap is certainly large enough again to end an interval of possible contact.
    fn has_separated(&mut self, time: f64) -> Result<bool, OutOfBudget> {
        Ok(self.gap_at(time)?[0] > (1.0 + EXIT_MARGIN) * self.clear_gap)
    }

    /// The first time at which the surfaces are proven separated again, by bisection.
    fn first_separated(&mut self, (mut near, mut separated): (f64, f64)) -> Result<f64, OutOfBudget> {
        while separated - near > SHORTEST {
            let middle = 0.5 * (near + separated);
            if self.has_separated(middle)? {
                separated = middle;
            } else {
                near = middle;
            }
        }
        Ok(separated)
    }

    /// The first time by which contact is proven, by bisection.
    fn first_certain(
        &mut self,
        (mut open, mut certain): (f64, f64),
        enter: f64,
        workspace: &mut Workspace,
    ) -> Result<f64, OutOfBudget> {
        while certain - open > SHORTEST {
            let middle = 0.5 * (open + certain);
            let contact = self.certain_at(middle, enter, workspace)?;
            if contact.margin > 0.0 || contact.has_passed {
                certain = middle;
            } else {
                open = middle;
            }
        }
        Ok(certain)
    }

    /// The time up to which every motion stays in contact, from a time of certain contact with this margin towards
    /// `end`, which may be earlier.
    fn intersecting_until(
        &mut self,
        (time, margin): (f64, f64),
        end: f64,
        workspace: &mut Workspace,
    ) -> Result<f64, OutOfBudget> {
        let (mut reached, mut margin) = (time, margin);
        for _ in 0..MAX_CONTACT_STEPS {
            let step = INSIDE * margin / self.speed;
            let remaining = (end - reached).abs();
            // A NaN compares false, so it proves nothing.
            let continues = step > SHORTEST && remaining > SHORTEST;
            if !continues {
                break;
            }
            if step >= remaining {
                return Ok(end);
            }
            reached += step * (end - reached).signum();
            margin = self.margin_at(reached, workspace)?.1;
        }
        Ok(reached)
    }

    fn certain_at(
        &mut self,
        time: f64,
        enter: f64,
        workspace: &mut Workspace,
    ) -> Result<CertainContact, OutOfBudget> {
        let (far_points, margin) = self.margin_at(time, workspace)?;
        // If the interval starts at time 0, the motion before it is unknown.
        let mut has_passed = false;
        if enter > 0.0 && margin <= 0.0 {
            for (body, far) in far_points.iter().enumerate() {
                has_passed = has_passed || self.has_passed(body, far, enter)?;
            }
        }
        Ok(CertainContact { margin, has_passed })
    }

    /// The position of a point of a body at a time, relative to the centre of the other body, in the axes of that body.
    fn in_other_frame(&self, body: usize, local: DVec3, time: f64) -> DVec3 {
        let motion = &self.search.motion;
        let basis = motion.basis(time);
        if body == 0 {
            return motion.path(local).at(&basis);
        }
        motion.rotation_at(&basis).transpose() * (local - motion.path(DVec3::ZERO).at(&basis))
    }

    /// The points of each body whose distance from the other surface exceeds the deviation, and the margin of certain
    /// contact.
    fn margin_at(
        &mut self,
        time: f64,
        workspace: &mut Workspace,
    ) -> Result<([Vec<FarPoint>; 2], f64), OutOfBudget> {
        let deviation = self.deviation;
        let enough = OverlapGoal::Deeper((DEEP_ENOUGH * deviation).max(f64::MIN_POSITIVE));
        let depth = self.search.overlap_at(time, enough, &mut workspace.charts, &mut self.budget)?.depth;
        let mut margin = if depth > 0.0 { depth - deviation } else { f64::NEG_INFINITY };
        if self.search.tolerance > deviation {
            margin = margin.max(self.search.tolerance - deviation - self.gap_at(time)?[1]);
        }
        let mut far_points = [Vec::new(), Vec::new()];
        let bodies = [self.search.bodies.a, self.search.bodies.b];
        for body in [0, 1] {
            let other = bodies[1 - body];
            if !other.mesh().around().is_closed() {
                continue;
            }
            let mut sides = vec![[0.0_f64; 2]; self.points[body].pieces];
            for number in 0..self.points[body].all.len() {
                let (piece, local) = self.points[body].all[number];
                let place = self.in_other_frame(body, local, time);
                // An upper bound of the depth: inside the box around the other body.
                let max_depth = (other.mesh().half_size() - place.abs()).min_element();
                let [deepest, furthest] = &mut sides[piece];
                if max_depth <= 0.0 {
                    *furthest = furthest.max(-max_depth);
                    if -max_depth > deviation {
                        far_points[body].push(FarPoint { number, is_inside: false });
                    }
                    continue;
                }
                if max_depth <= deviation && *furthest > 0.0 {
                    continue;
                }
                self.budget.take(STEPS_PER_POINT)?;
                let depth = depth_in(other, place);
                *deepest = deepest.max(depth);
                *furthest = furthest.max(-depth);
                if depth.abs() > deviation {
                    far_points[body].push(FarPoint { number, is_inside: depth > 0.0 });
                }
            }
            let across = sides.iter().map(|[deepest, furthest]| deepest.min(*furthest) - deviation);
            margin = across.fold(margin, f64::max);
        }
        Ok((far_points, margin))
    }

    /// Whether one of these points was on the other side of the other surface at the start of the interval.
    fn has_passed(&mut self, body: usize, far: &[FarPoint], enter: f64) -> Result<bool, OutOfBudget> {
        let other = [self.search.bodies.b, self.search.bodies.a][body];
        for FarPoint { number, is_inside } in far {
            let was_inside = match self.points[body].were_inside[*number] {
                Some(known) => known,
                None => {
                    self.budget.take(STEPS_PER_POINT)?;
                    let (_, local) = self.points[body].all[*number];
                    let was_inside = depth_in(other, self.in_other_frame(body, local, enter)) > 0.0;
                    self.points[body].were_inside[*number] = Some(was_inside);
                    was_inside
                }
            };
            if was_inside != *is_inside {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
