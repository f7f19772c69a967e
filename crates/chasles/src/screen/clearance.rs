//! The clearance along a flow line: the distance from a leading part of A ahead to the nearest trailing part of B.

use glam::DVec3;
use rayon::prelude::*;

use crate::body::PreparedMesh;
use crate::error::{Error, check_vector};
use crate::features::screw_motion::ScrewMotion;
use crate::math::budget::{Budget, OutOfBudget, price_of_turns};
use crate::math::time_interval::TimeInterval;
use crate::mesh_screw::pipeline::{ScrewSearch, lack};
use crate::mesh_screw::query::{Options, UndecidedReason};
use crate::motion::Screw;
use crate::screen::crossings::{CrossedBody, LineQuery, LineWalk, PassageSelection};
use crate::screen::facing::Role;
use crate::screen::frame::{ScrewFrame, screw_frame};
use crate::screen::line::FlowLine;
use crate::trajectory::watch::ProgressMonitor;

/// The distance along a flow line from a part of A ahead to a part of B.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clearance {
    /// The time until contact, in units of the whole motion, not negative.
    pub time: f64,
    /// The angle by which A rotates in that time, in radians, not negative.
    pub angle: f64,
    /// The arc length along the flow line, in metres.
    pub metres: f64,
}

/// The result of a search along a flow line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FlowLineHit {
    /// The line has no trailing part of B ahead of a leading part of A.
    Nothing,
    /// The clearance to the nearest part of B.
    Part(Clearance),
    /// The search was not completed.
    Undecided(UndecidedReason),
}

/// The result for the flow line through a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probe {
    /// The screen coordinates of the line ([`ScrewFrame::screen`]), in metres.
    pub screen: [f64; 2],
    /// The smallest clearance of all leading parts of A on the line.
    pub hit: FlowLineHit,
}

/// Computes, for the flow line through each of the given points (in B's frame), the smallest clearance from a leading
/// part of A to the next trailing part of B ahead of it. A is at the start of its motion along `screw`.
///
/// The clearance is the shortest time, not negative, from a point of A with n.v > 0 to a point of B with n.v < 0 on
/// the line. It is not limited to the end of the motion. Parts closer than the tolerance count as touching: their
/// clearance is 0. If the slide per turn is below rounding error, the lines close after one turn. Faces with |n.v|
/// below 1e-9 of the largest speed of a vertex of their mesh are ignored.
///
/// The times are exact for the given meshes up to rounding: some 1e-14 of the coordinates divided by the speed at
/// which the line passes through a face. A line that passes within 1e-12 of the size from the border of a surface may
/// count as passing through it.
///
/// # Errors
/// As [`first_contact`](crate::first_contact); a point that is not finite or not below 1e70.
pub fn probes(
    (a, b): (&PreparedMesh, &PreparedMesh),
    screw: &Screw,
    points: &[DVec3],
    options: &Options,
) -> Result<Vec<Probe>, Error> {
    probes_watched((a, b), screw, points, (options, &()))
}

/// As [`probes`], and also stops when a monitor reports that it is over, as if the budget had run out.
///
/// # Errors
/// As [`probes`].
pub fn probes_watched(
    (a, b): (&PreparedMesh, &PreparedMesh),
    screw: &Screw,
    points: &[DVec3],
    (options, watch): (&Options, &dyn ProgressMonitor),
) -> Result<Vec<Probe>, Error> {
    for (i, point) in points.iter().enumerate() {
        check_vector(*point, || format!("probe {i}"))?;
    }
    let search = ScrewSearch::new(a, b, screw, options)?;
    let between = FlowBetween::new(&search, watch);
    let frame = screw_frame(b, screw);
    let each = |walk: &mut LineWalk, point: &DVec3| between.probe(&frame, *point, walk);
    Ok(points.par_iter().map_init(LineWalk::default, each).collect())
}

/// Two bodies, and the flow lines between them.
pub(crate) struct FlowBetween<'a> {
    tolerance: f64,
    pub(crate) options: Options,
    /// The reason why every query is undecided, if there is one.
    pub(crate) undecided: Option<UndecidedReason>,
    pub(crate) a: CrossedBody<'a>,
    pub(crate) b: CrossedBody<'a>,
    motion: &'a ScrewMotion,
    /// The time after which flow lines close; infinite if they do not close.
    period: f64,
    pub(crate) watch: &'a dyn ProgressMonitor,
}

impl<'a> FlowBetween<'a> {
    pub(crate) fn new(search: &'a ScrewSearch<'a>, watch: &'a dyn ProgressMonitor) -> Self {
        let (motion, bodies) = (&search.motion, search.bodies);
        let a = CrossedBody::new(bodies.a, Role::A, motion);
        let b = CrossedBody::new(bodies.b, Role::B, motion);
        let undecided = search.is_undecidable().then_some(UndecidedReason::Rounding);
        let budget = search.options.budget / price_of_turns(motion.angle);
        let (tolerance, options) = (search.tolerance, Options { budget, ..search.options });
        Self { tolerance, options, undecided, a, b, motion, period: period(motion), watch }
    }

    /// The clearance of the line through a point.
    fn probe(&self, frame: &ScrewFrame, point: DVec3, walk: &mut LineWalk) -> Probe {
        let is_over = || self.watch.is_over();
        let mut budget =
            Budget::new(self.options.budget).with_memory(self.options.memory).watched(Some(&is_over));
        let place = point - self.b.faced.mesh.centre();
        let ahead = match self.undecided {
            Some(reason) => FlowLineHit::Undecided(reason),
            None => match self.smallest_clearance(place, walk, &mut budget) {
                Ok(None) => FlowLineHit::Nothing,
                Ok(Some(clearance)) => FlowLineHit::Part(clearance),
                Err(OutOfBudget) => FlowLineHit::Undecided(lack(&budget)),
            },
        };
        Probe { screen: frame.screen(point), hit: ahead }
    }

    /// The smallest clearance on the line through a point.
    fn smallest_clearance(
        &self,
        place: DVec3,
        walk: &mut LineWalk,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Clearance>, OutOfBudget> {
        let (line_a, line_b) = (self.a.line(place), self.b.line(place));
        let intervals = self.a.interval(&line_a, self.period).zip(self.b.interval(&line_b, self.period));
        let Some((interval_a, interval_b)) = intervals else { return Ok(None) };
        self.a.find_passages(&LineQuery::all(&line_a, interval_a), walk, budget)?;
        let mut times_of_a = std::mem::take(&mut walk.times);
        if times_of_a.is_empty() {
            return Ok(None);
        }
        self.b.find_passages(&LineQuery::all(&line_b, interval_b), walk, budget)?;
        let times_of_b = &mut walk.times;
        [&mut times_of_a, times_of_b].into_iter().for_each(|times| times.sort_unstable_by(f64::total_cmp));
        let margin = self.tolerance / line_b.speed;
        let period = self.period_of(&line_b);
        let time_ahead = |a: &f64| {
            let next = times_of_b.partition_point(|b| *b < a - margin);
            let after_a_period = times_of_b.first().map(|b| b + period);
            times_of_b.get(next).copied().or(after_a_period).map(|b| b - a)
        };
        let shortest = times_of_a.iter().filter_map(time_ahead).fold(f64::INFINITY, f64::min);
        Ok((shortest < f64::INFINITY).then(|| self.clearance(shortest, line_b.speed)))
    }

    /// The nearest part of B ahead of a point of A.
    pub(crate) fn clearance_ahead(
        &self,
        place: DVec3,
        walk: &mut LineWalk,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Clearance>, OutOfBudget> {
        let line = self.b.line(place);
        let Some(TimeInterval { start, end }) = self.b.interval(&line, self.period) else { return Ok(None) };
        let margin = self.tolerance / line.speed;
        let period = self.period_of(&line);
        let closes = period < f64::INFINITY;
        let (start, end) = if closes { (-margin, period - margin) } else { (start.max(-margin), end) };
        let interval = TimeInterval::new(start, end);
        if start > end {
            return Ok(None);
        }
        self.b.find_passages(
            &LineQuery { line: &line, interval, passages: PassageSelection::First },
            walk,
            budget,
        )?;
        let first = walk.times.iter().copied().fold(f64::INFINITY, f64::min);
        Ok((first < f64::INFINITY).then(|| self.clearance(first, line.speed)))
    }

    /// The time after which a line closes; infinite if it does not close.
    fn period_of(&self, line: &FlowLine) -> f64 {
        if line.angle > 0.0 { self.period } else { f64::INFINITY }
    }

    fn clearance(&self, time: f64, speed: f64) -> Clearance {
        let time = time.max(0.0);
        Clearance { time, angle: time * self.motion.angle, metres: time * speed }
    }
}

/// The time after which flow lines close: one turn if the slide per turn is below rounding error, infinite otherwise.
pub(crate) fn period(motion: &ScrewMotion) -> f64 {
    let turn = std::f64::consts::TAU / motion.angle;
    let closes = turn.is_finite() && motion.slide.length() * turn <= SLIDES * motion.rounding;
    if closes { turn } else { f64::INFINITY }
}

/// A slide of fewer roundings than this counts as zero.
const SLIDES: f64 = 4.0;
