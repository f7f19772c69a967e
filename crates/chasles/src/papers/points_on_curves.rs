//! The first contact of points of a moving body with a solid, on their true curved paths: Algorithm 1, DETERMINE-TOC,
//! of a short paper on the time of contact of rigid bodies of arbitrary geometry (2, "Method").
//!
//! ```text
//! path        a point's path in the other body's frame, and its deviation from its chord   (equations 1 and 2)
//! target      the queries to the other body: boxes, points, rays
//! implicit    formulas           sampled  level sets
//! parametric  surfaces           soup     triangles
//! ```
//!
//! **The algorithm.** An interval of time is bounded by an oriented box around the chord of the path, enlarged by the
//! path's deviation from the chord. If the box misses the target, the interval is done. Otherwise it is bisected, and
//! the earlier half is tested first, until the box is as small as epsilon. The *variation sans bounding-boxes*
//! bisects until the deviation is small and then tests the chords as rays ([`PathCover::Segments`]). Later points are
//! tested only up to the first contact found before ("Further speedups").
//!
//! **Differences from the text.**
//! * As printed, the first half of a bisected interval passes the rotation at the start of the *whole* motion,
//!   RB(t0), to the next box. It must be the rotation at its own start, RB(ta). Here an interval stores the positions
//!   at its ends, computed from the screw and not integrated, so this error cannot occur.
//! * As printed, the time of an intersection is ta + |px - pb| / |pa - pb|: measured from the wrong end, and without
//!   the duration. It must be ta + (tb - ta) |px - pa| / |pb - pa|. The variation uses this time. The boxes need no
//!   such proportion: they are cut along the path as well, and the result is an enclosure of the time.
//! * As printed, the centre of the box lacks p(ta), its length does not depend on the duration, and its direction is
//!   the body's velocity, which may be zero. Here the box is aligned with the chord.
//! * Equation 2 bounds the deviation by the length of the arc's chord, which halves with each bisection. The bound
//!   here falls to a quarter, and holds for two moving bodies (see `path`).
//! * The paper assumes that the bodies are separated at the start. Here a point that starts in contact has its
//!   contact at 0.
//!
//! **Guarantee.** "Guaranteed" holds for the given points, not for the surface between them. With boxes, no given
//! point touches the target before its contact, or ever if it is clear; a point in contact is within epsilon of the
//! target. The segments prove only the latter: a contact less deep than epsilon can be missed. Points of A against B
//! are half of a query: the caller tests points of B against A in the same way.

mod path;
mod target;
mod implicit;
mod sampled;
mod parametric;
mod soup;

use glam::DVec3;

use crate::error::{Error, check_positive, check_vector};
use crate::features::contact::FirstContact;
use crate::math::budget::{Budget, OutOfBudget};
use crate::mesh_screw::query::{UndecidedReason, UndecidedRest};
use path::{PathSegment, PointPath};

pub use implicit::Implicit;
pub use parametric::Parametric;
pub use path::{Motions, PathBox};
pub use sampled::SampledLevelSet;
pub use soup::Soup;
pub use target::{Hit, PointTarget, SurfacePoint};

/// How the path of a point is covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PathCover {
    /// By oriented boxes that contain it: Algorithm 1. No contact is missed.
    #[default]
    Boxes,
    /// By chords near it: the variation. A contact less deep than epsilon can be missed.
    Segments,
}

/// Options of a query of points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointOptions {
    /// A point in contact is within this distance of the target, in metres.
    pub epsilon: f64,
    /// How paths are covered.
    pub cover: PathCover,
    /// Steps of work for all points together.
    pub budget: u64,
}

impl Default for PointOptions {
    /// A tenth of a millimetre, boxes, and a budget of about a minute.
    fn default() -> Self {
        Self { epsilon: 1e-4, cover: PathCover::Boxes, budget: 500_000_000 }
    }
}

/// The first contact of one point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointContact {
    /// The number of the point.
    pub point: usize,
    /// Throughout [lo, hi] the point is within epsilon of the target. With boxes it does not touch the target before
    /// lo.
    pub time: [f64; 2],
    /// The position of the point in the middle of this time, in B's frame.
    pub place: DVec3,
    /// A point of the target within epsilon of `place`, with its normal.
    pub surface: SurfacePoint,
}

/// The outcome for one point: with boxes, a clear point is proven not to touch the target up to the end of the query.
///
/// [`UndecidedReason::Rounding`]: however small, a box neither proves separated from the target nor yields a point of
/// the target. The target has no interior there, or epsilon is as small as the rounding of coordinates.
pub type PointOutcome = FirstContact<PointContact, UndecidedRest>;

/// The outcome for all points together. The contacts are those of the first points to meet the target, by number: the
/// point whose time ends first, and all points whose times start before that end. If no contact was found, but some
/// point is not proven clear, the outcome is undecided.
pub type PointsOutcome = FirstContact<Vec<PointContact>, UndecidedReason>;

/// The result of [`first_contact_of_points`].
#[derive(Debug, Clone, PartialEq)]
pub struct PointsPrediction {
    /// The outcome.
    pub outcome: PointsOutcome,
    /// With boxes, every point is proven not to touch the target before this time: at most the start of the first
    /// contact, 1 if all points are clear.
    pub clear_until: f64,
    /// The work.
    pub counters: PointCounters,
}

/// The work of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PointCounters {
    /// Intervals of paths that were tested.
    pub intervals: u64,
    /// Queries to the target, of boxes or segments.
    pub queries: u64,
    /// Steps of the budget.
    pub steps: u64,
}

/// Finds the points of A that are the first to meet a target that B carries; `points` are in A's frame, in metres.
///
/// Each point is tested only up to the first contact found before it. The contacts are those that
/// [`contacts_of_points`] finds, to the last bit, whatever the order of the points, because paths are bisected at the
/// same times.
///
/// # Errors
/// An epsilon that is not greater than 0; a point that is NaN or too large.
///
/// # Example
/// ```
/// use chasles::papers::points_on_curves::{Implicit, Motions, PointOptions, PointsOutcome, first_contact_of_points};
/// use chasles::{Expression, Pose, Screw};
/// use glam::DVec3;
///
/// // A ball that spins in place, and a point on a circle of half a metre's radius through the ball's centre.
/// let ball = Expression::parse("x^2 + y^2 + z^2 - 0.25", &["x", "y", "z"]).unwrap();
/// let mut ball = Implicit::new(&ball, [-DVec3::ONE, DVec3::ONE])?;
/// let motions = Motions {
///     a: Screw::about(Pose::from_position(DVec3::X)?, DVec3::Y, DVec3::new(0.5, 0.0, 0.0), 0.0, 3.0)?,
///     b: Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::ZERO, 0.0, 7.0)?,
/// };
/// let found = first_contact_of_points(&[DVec3::ZERO], &motions, &mut ball, &PointOptions::default())?;
/// let PointsOutcome::Contact(contacts) = found.outcome else { panic!("they meet") };
/// // Half a metre from the centre after 2 pi / 3 of the 3 radians.
/// let time = std::f64::consts::TAU / 9.0;
/// assert!(contacts[0].time[0] <= time && time - contacts[0].time[1] < 1e-3);
/// # Ok::<(), chasles::Error>(())
/// ```
pub fn first_contact_of_points(
    points: &[DVec3],
    motions: &Motions,
    target: &mut dyn PointTarget,
    options: &PointOptions,
) -> Result<PointsPrediction, Error> {
    check(points, options)?;
    let mut search = PointSearch::new(target, options);
    let (mut until, mut contacts) = (1.0_f64, Vec::<PointContact>::new());
    let mut undecided: Vec<UndecidedRest> = Vec::new();
    for (number, point) in points.iter().enumerate() {
        match search.follow(&PointPath::new(motions, *point), number, until) {
            PointOutcome::Clear => {}
            PointOutcome::Contact(contact) => {
                until = until.min(contact.time[1]);
                contacts.push(contact);
            }
            PointOutcome::Undecided(rest) => undecided.push(rest),
        }
    }
    contacts.retain(|contact| contact.time[0] <= until);
    let starts = contacts.iter().map(|contact| contact.time[0]);
    let starts = starts.chain(undecided.iter().map(|rest| rest.clear_until));
    let clear_until = starts.fold(1.0, f64::min);
    let outcome = match undecided.iter().min_by(|x, y| x.clear_until.total_cmp(&y.clear_until)) {
        _ if !contacts.is_empty() => PointsOutcome::Contact(contacts),
        Some(rest) => PointsOutcome::Undecided(rest.reason),
        None => PointsOutcome::Clear,
    };
    Ok(PointsPrediction { outcome, clear_until, counters: search.counters() })
}

/// Returns the outcome for each point by itself; otherwise as [`first_contact_of_points`].
///
/// # Errors
/// As [`first_contact_of_points`].
pub fn contacts_of_points(
    points: &[DVec3],
    motions: &Motions,
    target: &mut dyn PointTarget,
    options: &PointOptions,
) -> Result<(Vec<PointOutcome>, PointCounters), Error> {
    check(points, options)?;
    let mut search = PointSearch::new(target, options);
    let follow =
        |(number, point): (usize, &DVec3)| search.follow(&PointPath::new(motions, *point), number, 1.0);
    let outcomes = points.iter().enumerate().map(follow).collect();
    Ok((outcomes, search.counters()))
}

fn check(points: &[DVec3], options: &PointOptions) -> Result<(), Error> {
    check_positive(options.epsilon, "epsilon")?;
    points.iter().enumerate().try_for_each(|(i, point)| check_vector(*point, || format!("point {i}")))
}

/// A box whose radius is this fraction of epsilon and which is still undecided will stay so.
const SMALLEST: f64 = 1.0 / 1_048_576.0;

/// The chord's deviation, the ray query and the contact's duration each get a third of epsilon.
const THIRD: f64 = 1.0 / 3.0;

/// A search of one point after the other for contact with a target.
struct PointSearch<'t> {
    target: &'t mut dyn PointTarget,
    options: PointOptions,
    budget: Budget<'static>,
    counters: PointCounters,
}

impl<'t> PointSearch<'t> {
    fn new(target: &'t mut dyn PointTarget, options: &PointOptions) -> Self {
        let budget = Budget::new(options.budget);
        Self { target, options: *options, budget, counters: PointCounters::default() }
    }

    fn counters(&self) -> PointCounters {
        PointCounters { steps: self.options.budget - self.budget.remaining(), ..self.counters }
    }

    /// The outcome for one point up to a time, and up to the end of the interval that contains this time.
    fn follow(&mut self, path: &PointPath, number: usize, until: f64) -> PointOutcome {
        let mut open = vec![path.whole()];
        while let Some(segment) = open.pop() {
            let clear_until = segment.time[0];
            // The earliest interval is tested first: all open intervals start later.
            if clear_until > until {
                break;
            }
            let undecided = |reason| PointOutcome::Undecided(UndecidedRest { clear_until, reason });
            let step = match self.options.cover {
                PathCover::Boxes => self.box_of(path, &segment),
                PathCover::Segments => self.segment_of(path, &segment),
            };
            match step {
                Ok(Step::Clear) => {}
                Ok(Step::Bisect) => match segment.middle() {
                    Some(middle) => open.extend(path.halves(&segment, middle).into_iter().rev()),
                    None => return undecided(UndecidedReason::Rounding),
                },
                Ok(Step::Undecided) => return undecided(UndecidedReason::Rounding),
                Ok(Step::Contact { time, surface }) => {
                    let place = path.at(0.5 * (time[0] + time[1]));
                    return PointOutcome::Contact(PointContact { point: number, time, place, surface });
                }
                Err(OutOfBudget) => return undecided(UndecidedReason::Budget),
            }
        }
        PointOutcome::Clear
    }

    /// Algorithm 1 on one interval.
    fn box_of(&mut self, path: &PointPath, segment: &PathSegment) -> Result<Step, OutOfBudget> {
        self.budget.step()?;
        self.counters.intervals += 1;
        self.counters.queries += 1;
        let deviation = path.deviation(segment);
        let region = PathBox::around(segment.ends, deviation);
        if self.target.misses(&region, &mut self.budget)? {
            return Ok(Step::Clear);
        }
        let epsilon = self.options.epsilon;
        let [start, end] = segment.time;
        // The path is in the box. In the middle of the time it is within the deviation of the centre, and so within
        // `reach` of all points of the box.
        let reach = region.radius() + deviation;
        if 2.0 * reach <= epsilon {
            let place = path.at(0.5 * (start + end));
            if let Some(surface) = self.target.near(place, epsilon - reach, &mut self.budget)? {
                return Ok(Step::Contact { time: segment.time, surface });
            }
            if reach <= SMALLEST * epsilon {
                return Ok(Step::Undecided);
            }
        }
        Ok(Step::Bisect)
    }

    /// The variation on one interval.
    fn segment_of(&mut self, path: &PointPath, segment: &PathSegment) -> Result<Step, OutOfBudget> {
        self.budget.step()?;
        self.counters.intervals += 1;
        let third = THIRD * self.options.epsilon;
        if path.deviation(segment) > third {
            return Ok(Step::Bisect);
        }
        self.counters.queries += 1;
        let Some(hit) = self.target.first_on(segment.ends, third, &mut self.budget)? else {
            return Ok(Step::Clear);
        };
        // The corrected time of an intersection px: |px - pa| / |pb - pa| is the fraction of the segment.
        let [start, end] = segment.time;
        let length = segment.ends[0].distance(segment.ends[1]);
        let at = start + (end - start) * hit.fraction;
        let duration = if length > third { (end - start) * (third / length) } else { end - start };
        Ok(Step::Contact { time: [at, (at + duration).min(end)], surface: hit.surface })
    }
}

/// The result of testing an interval.
enum Step {
    /// It does not meet the target.
    Clear,
    /// Its halves must be tested.
    Bisect,
    /// It is undecided, and its halves would be as well.
    Undecided,
    /// It is in contact.
    Contact { time: [f64; 2], surface: SurfacePoint },
}
