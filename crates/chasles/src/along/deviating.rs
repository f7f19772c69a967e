//! Contact of two meshes along a screw that is known only up to a deviation, which may be as large as the bodies.
//!
//! Every point of A may be off by the deviation D, at every time. With the tolerance E two kinds of times are told:
//!
//! * **apart**: along the screw itself the gap is more than D + E. Then no motion within the deviation has contact.
//!   The times in between are the spans of possible contact.
//! * **certain**: every motion within the deviation has contact, now or since the span began. Three things prove this:
//!   two triangles that no translation by D parts; a piece of a surface with a point deeper than D inside of a closed
//!   surface and a point further than D outside; and a point that has come through a closed surface since the span
//!   began, and is now further than D away from it. A gap of no more than E - D is a touch for every motion.
//!
//! First contact then comes no sooner than the first span begins, and no later than the first certain time. Spans
//! without a certain time belong to the enclosures of those beside them.

use glam::DVec3;

use crate::body::Body;
use crate::error::Error;
use crate::features::collector::Wanted;
use crate::features::pairs::Aim;
use crate::instant::depth::{depth_in, middle};
use crate::instant::gap::{Gap, GapLimits, GapSearch, gap};
use crate::math::budget::{Budget, IsOver, OutOfBudget};
use crate::motion::Screw;
use crate::motion::carried::INSIDE;
use crate::search::overlap::Depth;
use crate::search::pipeline::{Search, Workspace, lack};
use crate::search::query::{Doubt, Options, Outcome};
use crate::shape::pieces::Pieces;

/// A span of possible contact. Times are shares of the screw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Possible {
    /// When it begins; 0 where contact is possible from the start.
    pub(crate) enter: f64,
    /// When it ends; `None` where it lasts to the end.
    pub(crate) exit: Option<f64>,
    /// By when every motion has had contact, if that is certain.
    pub(crate) certain: Option<f64>,
    /// From and until when every motion is in contact, where that is proven for some time.
    pub(crate) held: Option<[f64; 2]>,
}

/// All that is known of a motion within its deviation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Deviating {
    /// In order of time.
    pub(crate) spans: Vec<Possible>,
    /// By how much, in metres, the surfaces are certainly deeper in each other at the start than the deviation; not
    /// positive where they are not.
    pub(crate) deep_at_start: f64,
    /// What ran out, if something did; from the begin of the last span on nothing else is known then.
    pub(crate) lack: Option<Doubt>,
    /// Steps of the budget that were spent.
    pub(crate) steps: u64,
}

/// Certain contact at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Certain {
    /// How much further than the deviation every point may move, and the surfaces still meet; not positive where this
    /// is not proven.
    margin: f64,
    /// Whether some point has come through the other surface since the span began.
    has_passed: bool,
}

/// The first step after a span begins, as a share of the way on which the gap can close; each step is this share of the
/// time since then, or of the motion.
const FIRST_STEP: f64 = 0.25;
const GROWTH: f64 = 0.25;
const LONGEST_STEP: f64 = 1.0 / 64.0;

/// Steps are no shorter than this share of the motion, and times are told to it.
const SHORTEST: f64 = 1e-10;

/// Steps, each as long as the gap certainly stays open, after a search that stops where the gap is a hundredth more.
const LAST_STEPS: usize = 64;

/// A gap that is more than what counts by no more than this share is as good as that.
const CLOSE: f64 = 1e-9;

/// A span of possible contact ends where the gap is more than what counts by this share: a gap that hovers just above
/// it would end and begin it again and again.
const PARTED: f64 = 0.02;

/// At most this many steps follow how long contact is certain to last.
const HOLDS: usize = 100;

/// The overlap of triangles is not looked at beyond this many deviations.
const DEEP_ENOUGH: f64 = 4.0;

/// Positions are off by at most this many roundings of the motion.
const ROUNDINGS: f64 = 4.0;

/// How precisely a gap is told at one time.
const SHARE: f64 = 1e-10;

/// Meshes of more vertices than this are asked about evenly spread ones.
const POINTS: usize = 1024;

/// Steps of the budget for a point that is asked how deep it is.
const STEPS_A_POINT: u64 = 10;

/// The points of a body that are looked at, from the centre of its mesh on, each with its piece; and whether each was
/// inside the other body as the span began.
struct Points {
    all: Vec<(usize, DVec3)>,
    pieces: usize,
    were_inside: Vec<Option<bool>>,
}

impl Points {
    fn of(body: &Body) -> Self {
        let mesh = body.mesh();
        let pieces = Pieces::new(mesh);
        let used = mesh.used_vertices();
        let corners = used.iter().map(|v| (pieces.of_vertex(*v), mesh.local()[*v as usize]));
        let middles = (0_u32..)
            .zip(mesh.triangles())
            .map(|(face, corners)| (pieces.of_vertex(corners[0]), middle(mesh, face)));
        let all: Vec<_> = corners.chain(middles).collect();
        let step = all.len().div_ceil(POINTS).max(1);
        let all: Vec<_> = all.into_iter().step_by(step).collect();
        Self { were_inside: vec![None; all.len()], all, pieces: pieces.count() }
    }
}

/// A point of a body, by number, that is further from the other surface than the deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FarPoint {
    number: usize,
    is_inside: bool,
}

/// The search for spans of possible contact, and for certain contact in them.
struct Course<'a> {
    search: Search<'a>,
    screw: &'a Screw,
    options: &'a Options,
    is_over: Option<IsOver<'a>>,
    deviation: f64,
    /// Beyond this gap along the screw no motion has contact.
    apart: f64,
    speed: f64,
    points: [Points; 2],
    gap: GapSearch,
    budget: Budget<'a>,
}

/// What is known of two meshes along a screw that is off by the deviation of the options; up to the first certain
/// contact of a span, or to the end.
///
/// # Errors
/// As [`first_contact`](crate::first_contact).
pub(crate) fn deviating(
    bodies: (&Body, &Body),
    screw: &Screw,
    (options, is_over): (&Options, Option<IsOver<'_>>),
    workspace: &mut Workspace,
) -> Result<Deviating, Error> {
    let exact = Options { deviation: 0.0, ..*options };
    let search = Search::new(bodies, screw, &exact)?.watched(is_over);
    let motion = &search.motion;
    let speed = motion.velocity.length() + motion.angle * bodies.0.mesh().radius() + motion.slide.length();
    let budget = search.budget_after(0);
    let mut course = Course {
        apart: options.deviation + search.tolerance,
        deviation: options.deviation + ROUNDINGS * motion.rounding,
        speed,
        points: [bodies.0, bodies.1].map(Points::of),
        gap: GapSearch::default(),
        budget,
        search,
        screw,
        options: &exact,
        is_over,
    };
    let mut found = Deviating { spans: Vec::new(), deep_at_start: 0.0, lack: None, steps: 0 };
    let mut time = 0.0;
    while time < 1.0 {
        let Some(enter) = course.apart_until(time, workspace)? else { break };
        let known = Possible { enter, exit: None, certain: None, held: None };
        found.spans.push(known);
        let followed = course.follow(enter, &mut found, workspace);
        if followed.is_err() || course.budget.left() == 0 {
            found.lack = Some(lack(&course.budget));
            break;
        }
        match found.spans.last().and_then(|span| span.exit) {
            Some(exit) => time = exit,
            None => break,
        }
    }
    found.steps = course.search.spent(&course.budget);
    Ok(found)
}

impl Course<'_> {
    /// Until when the gap is more than `apart`, from a time on; `None`: to the end.
    fn apart_until(&mut self, from: f64, workspace: &mut Workspace) -> Result<Option<f64>, Error> {
        let mut time = from;
        loop {
            let Some(near) = self.near_from(time, workspace)? else { return Ok(None) };
            // The search stops a little before the gap has fallen so far, or where it never falls so far.
            time = near;
            let mut room = 0.0;
            for _ in 0..LAST_STEPS {
                let Ok([at_least, _]) = self.gap_at(time) else { return Ok(Some(time)) };
                room = at_least - self.apart;
                let step = INSIDE * room / self.speed;
                // A NaN proves nothing.
                let goes_on = room > CLOSE * self.apart && time + step > time;
                if !goes_on {
                    return Ok(Some(time));
                }
                time += step;
                if time >= 1.0 {
                    return Ok(None);
                }
            }
            let is_apart_again = room > PARTED * self.apart && time > near;
            if !is_apart_again {
                return Ok(Some(time));
            }
        }
    }

    /// Until when a search finds the gap to be more than `apart`, from a time on; `None`: to the end.
    fn near_from(&mut self, from: f64, workspace: &mut Workspace) -> Result<Option<f64>, Error> {
        let rest = if from > 0.0 { self.screw.part(from, 1.0) } else { *self.screw };
        let options = Options { tolerance: Some(self.apart), budget: self.budget.left(), ..*self.options };
        let search = Search::new(self.search.bodies, &rest, &options)?.watched(self.is_over);
        let found = search.run(Wanted::Apart, Aim::Within, workspace);
        let _ = self.budget.take(found.counters.steps);
        let share = match found.told() {
            Outcome::Clear => return Ok(None),
            Outcome::Contact(contact) => contact.time[0],
            Outcome::Undecided { clear_until, .. } => clear_until,
            Outcome::Overlapping(_) => 0.0,
        };
        Ok(Some((from + share.clamp(0.0, 1.0) * (1.0 - from)).min(1.0)))
    }

    /// Follows a span of possible contact to its end.
    fn follow(
        &mut self,
        enter: f64,
        found: &mut Deviating,
        workspace: &mut Workspace,
    ) -> Result<(), OutOfBudget> {
        self.points.iter_mut().for_each(|points| points.were_inside.fill(None));
        let first = (FIRST_STEP * self.apart / self.speed).clamp(SHORTEST, LONGEST_STEP);
        let (mut before, mut time) = (enter, enter);
        let (mut certain, mut held): (Option<f64>, Option<[f64; 2]>) = (None, None);
        loop {
            if certain.is_none() || held.is_none() {
                let own = self.certain_at(time, enter, workspace)?;
                if enter <= 0.0 && time <= 0.0 {
                    found.deep_at_start = own.margin;
                }
                if certain.is_none() && (own.margin > 0.0 || own.has_passed) {
                    certain = Some(self.first_certain((before, time), enter, workspace)?);
                }
                if own.margin > 0.0 && held.is_none() {
                    let since = self.held_to((time, own.margin), certain.unwrap_or(time), workspace)?;
                    held = Some([since, self.held_to((time, own.margin), 1.0, workspace)?]);
                }
                if let Some(span) = found.spans.last_mut() {
                    (span.certain, span.held) = (certain, held);
                }
            }
            if time >= 1.0 {
                return Ok(());
            }
            // What is held is possible.
            let reached = held.map_or(time, |[_, until]| until.max(time));
            let step = (GROWTH * (reached - enter)).clamp(first, LONGEST_STEP);
            (before, time) = (reached, (reached + step).min(1.0));
            if self.has_parted(time)? {
                let exit = self.first_apart((before, time))?;
                if let Some(span) = found.spans.last_mut() {
                    span.exit = Some(exit);
                }
                return Ok(());
            }
        }
    }

    /// Bounds of the gap at a time.
    fn gap_at(&mut self, time: f64) -> Result<[f64; 2], OutOfBudget> {
        let limits = GapLimits {
            share: SHARE,
            absolute: SHARE * self.apart,
            steps: self.budget.left(),
            ..GapLimits::EXACT
        };
        let pose = self.screw.pose_at(time);
        let Gap { at_least, at_most, steps, .. } = gap(&mut self.gap, self.search.bodies, &pose, &limits);
        self.budget.take(steps + STEPS_A_POINT)?;
        let off = ROUNDINGS * self.search.motion.rounding;
        Ok([at_least - off, at_most + off])
    }

    /// Whether the gap is certainly so large again that a span of possible contact has ended.
    fn has_parted(&mut self, time: f64) -> Result<bool, OutOfBudget> {
        Ok(self.gap_at(time)?[0] > (1.0 + PARTED) * self.apart)
    }

    /// A time at which they have parted, soon after they had not.
    fn first_apart(&mut self, (mut within, mut apart): (f64, f64)) -> Result<f64, OutOfBudget> {
        while apart - within > SHORTEST {
            let middle = 0.5 * (within + apart);
            if self.has_parted(middle)? {
                apart = middle;
            } else {
                within = middle;
            }
        }
        Ok(apart)
    }

    /// A time by which contact is certain, soon after it was not.
    fn first_certain(
        &mut self,
        (mut open, mut certain): (f64, f64),
        enter: f64,
        workspace: &mut Workspace,
    ) -> Result<f64, OutOfBudget> {
        while certain - open > SHORTEST {
            let middle = 0.5 * (open + certain);
            let own = self.certain_at(middle, enter, workspace)?;
            if own.margin > 0.0 || own.has_passed {
                certain = middle;
            } else {
                open = middle;
            }
        }
        Ok(certain)
    }

    /// Up to when, on the way from a time of certain contact with a margin to an end after or before it, every motion
    /// certainly stays in contact.
    fn held_to(
        &mut self,
        (time, margin): (f64, f64),
        end: f64,
        workspace: &mut Workspace,
    ) -> Result<f64, OutOfBudget> {
        let (mut reached, mut margin) = (time, margin);
        for _ in 0..HOLDS {
            let step = INSIDE * margin / self.speed;
            let left = (end - reached).abs();
            // A NaN proves nothing.
            let goes_on = step > SHORTEST && left > SHORTEST;
            if !goes_on {
                break;
            }
            if step >= left {
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
    ) -> Result<Certain, OutOfBudget> {
        let (through, margin) = self.margin_at(time, workspace)?;
        // At the start nothing is known of what came before.
        let mut has_passed = false;
        if enter > 0.0 && margin <= 0.0 {
            for (body, far) in through.iter().enumerate() {
                has_passed = has_passed || self.has_passed(body, far, enter)?;
            }
        }
        Ok(Certain { margin, has_passed })
    }

    /// Where a point of a body is at a time, from the centre of the other body on, with that body's axes.
    fn seen(&self, body: usize, local: DVec3, time: f64) -> DVec3 {
        let motion = &self.search.motion;
        let basis = motion.basis(time);
        if body == 0 {
            return motion.path(local).at(&basis);
        }
        motion.rotation_at(&basis).transpose() * (local - motion.path(DVec3::ZERO).at(&basis))
    }

    /// The points of each body that are further from the surface of the other than the deviation, and the margin of
    /// certain contact.
    fn margin_at(
        &mut self,
        time: f64,
        workspace: &mut Workspace,
    ) -> Result<([Vec<FarPoint>; 2], f64), OutOfBudget> {
        let deviation = self.deviation;
        let enough = Depth::Deeper((DEEP_ENOUGH * deviation).max(f64::MIN_POSITIVE));
        let depth = self.search.overlap_at(time, enough, &mut workspace.charts, &mut self.budget)?.depth;
        let mut margin = if depth > 0.0 { depth - deviation } else { f64::NEG_INFINITY };
        if self.search.tolerance > deviation {
            margin = margin.max(self.search.tolerance - deviation - self.gap_at(time)?[1]);
        }
        let mut through = [Vec::new(), Vec::new()];
        let bodies = [self.search.bodies.0, self.search.bodies.1];
        for body in [0, 1] {
            let other = bodies[1 - body];
            if !other.mesh().around().is_closed() {
                continue;
            }
            let mut sides = vec![[0.0_f64; 2]; self.points[body].pieces];
            for number in 0..self.points[body].all.len() {
                let (piece, local) = self.points[body].all[number];
                let place = self.seen(body, local, time);
                // How deep it can be inside of the box around the other body.
                let room = (other.mesh().half_size() - place.abs()).min_element();
                let [deepest, furthest] = &mut sides[piece];
                if room <= 0.0 {
                    *furthest = furthest.max(-room);
                    if -room > deviation {
                        through[body].push(FarPoint { number, is_inside: false });
                    }
                    continue;
                }
                if room <= deviation && *furthest > 0.0 {
                    continue;
                }
                self.budget.take(STEPS_A_POINT)?;
                let depth = depth_in(other, place);
                *deepest = deepest.max(depth);
                *furthest = furthest.max(-depth);
                if depth.abs() > deviation {
                    through[body].push(FarPoint { number, is_inside: depth > 0.0 });
                }
            }
            let across = sides.iter().map(|[deepest, furthest]| deepest.min(*furthest) - deviation);
            margin = across.fold(margin, f64::max);
        }
        Ok((through, margin))
    }

    /// Whether some of the points that are now far from the other surface were on its other side as the span began.
    fn has_passed(&mut self, body: usize, far: &[FarPoint], enter: f64) -> Result<bool, OutOfBudget> {
        let other = [self.search.bodies.1, self.search.bodies.0][body];
        for FarPoint { number, is_inside } in far {
            let was_inside = match self.points[body].were_inside[*number] {
                Some(known) => known,
                None => {
                    self.budget.take(STEPS_A_POINT)?;
                    let (_, local) = self.points[body].all[*number];
                    let was_inside = depth_in(other, self.seen(body, local, enter)) > 0.0;
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
