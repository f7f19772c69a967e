//! First contacts: of two bodies, and of many pairs at a time.

use std::mem::MaybeUninit;
use std::num::NonZeroUsize;

use chasles::{
    BodyMotion, CheckOptions, Contact, ContactFeatures, Horizon, NearestReport, Options as EngineOptions,
    Outcome, PairUndecidedReason, PairVerdict, Query as EngineQuery, QueryKind, Scene, SceneBody,
    SceneDefinition, Screw, Workspace,
};
use glam::DVec3;
use rayon::prelude::*;

use crate::argument::{array, array_of_results, needed, needed_out};
use crate::body::Body;
use crate::pose::Pose;
use crate::status::{Failure, Status, guarded};

/// The verdict about two bodies along a motion. Larger values are worse.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Proven: the surfaces never come closer than the tolerance, at any moment.
    Clear = 0,
    /// Proven: the surfaces never touch, but come as close as the requested clearance.
    Near = 1,
    /// Neither contact nor its absence could be proven. Treat this as contact, or query with a larger budget.
    Undecided = 2,
    /// The surfaces come into contact.
    Contact = 3,
    /// The surfaces intersect at the start, more deeply than the tolerance.
    Overlapping = 4,
}

/// The features of the first contact, which determine the meaning of the numbers `a` and `b`.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureKind {
    /// `a[0]` is a vertex of A, `b[0]` a triangle of B.
    VertexFace = 0,
    /// `a[0]` is a triangle of A, `b[0]` a vertex of B.
    FaceVertex = 1,
    /// `a` and `b` are edges, each given by its two vertices, the lower number first.
    EdgeEdge = 2,
    /// Two surfaces, at least one of them round: `a[0]` is the triangle of A, -1 if A is round; `b[0]` likewise for B.
    Surfaces = 3,
    /// No features are reported: there is no contact, or round bodies touch at the very start.
    None = 255,
}

/// The reason for the verdict `CHASLES_VERDICT_UNDECIDED`.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The verdict is not undecided.
    None = 0,
    /// The budget was used up.
    Budget = 1,
    /// More memory was needed than is allowed: 512 MiB for a query.
    Memory = 2,
    /// The decision whether the surfaces touch is below the rounding of coordinates so far from the origin.
    Rounding = 3,
}

/// Options of queries. Start with the result of `chasles_options_default`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Surfaces closer than this touch, in metres. Negative: 1e-9 of the larger diagonal of the bodies' bounding boxes.
    pub tolerance: f64,
    /// The maximum number of steps of work; a query that needs more is undecided. A step takes between 10 ns and 1 us.
    pub budget: u64,
    /// The number of threads of a call with many queries; 0: one for each processor. The answers are the same, to
    /// the last bit.
    pub threads: u32,
}

/// The maximum number of threads.
const MAX_THREADS: u32 = 1024;

impl Options {
    const DEFAULT: Self = Self { tolerance: -1.0, budget: 500_000_000, threads: 0 };

    /// The given options, or the defaults.
    pub(crate) fn checked(given: Option<&Self>) -> Result<Self, Failure> {
        let options = *given.unwrap_or(&Self::DEFAULT);
        let refused = |place, found: &dyn std::fmt::Display, expected| {
            Err(Failure::argument(place, format_args!("found {found}, expected {expected}")))
        };
        if !options.tolerance.is_finite() {
            let expected = "metres, or a negative number for the usual tolerance";
            return refused("options: tolerance", &options.tolerance, expected);
        }
        if options.threads > MAX_THREADS {
            return refused("options: threads", &options.threads, "at most 1024");
        }
        Ok(options)
    }

    /// The same for a cell, which has a tolerance of its own.
    pub(crate) fn of_cell(given: Option<&Self>) -> Result<Self, Failure> {
        let options = Self::checked(given)?;
        match options.tolerance() {
            None => Ok(options),
            Some(found) => Err(Failure::argument(
                "options: tolerance",
                format_args!(
                    "found {found}, expected a negative number: the tolerance of the world's file counts"
                ),
            )),
        }
    }

    fn tolerance(&self) -> Option<f64> {
        (self.tolerance >= 0.0).then_some(self.tolerance)
    }

    /// Runs work on the requested number of threads.
    pub(crate) fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        let Some(threads) = usize::try_from(self.threads).ok().and_then(NonZeroUsize::new) else {
            return Ok(work());
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build();
        let pool = pool.map_err(|error| Failure::argument("options: threads", error))?;
        Ok(pool.install(work))
    }
}

/// The default options: the default tolerance, a budget of 500 million steps, all processors. NULL in place of
/// options means the same.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_options_default() -> Options {
    Options::DEFAULT
}

/// The answer about two bodies. Read `verdict` first, because it determines which of the numbers have a meaning.
/// The others are NaN, or -1 in `a` and `b`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The verdict.
    pub verdict: Verdict,
    /// The features of the first contact.
    pub kind: FeatureKind,
    /// The reason, if the verdict is `CHASLES_VERDICT_UNDECIDED`.
    pub doubt: Doubt,
    /// For a contact: 1 if the surfaces may only touch, 0 if it is proven that they pass through each other.
    pub touching: u32,
    /// The time before which the absence of contact is proven. 1 if the whole motion is clear, 0 if the bodies
    /// overlap at the start.
    pub clear_until: f64,
    /// For a contact, the enclosure [lo, hi] of its time, in [0, 1]: the surfaces are proven separated before lo,
    /// and have collided by hi. [0, 0] if the bodies overlap at the start.
    pub time: [f64; 2],
    /// The features of A in contact: see `chasles_feature_kind`.
    pub a: [i64; 2],
    /// The features of B in contact.
    pub b: [i64; 2],
    /// The point of contact in B's frame, in metres.
    pub point: [f64; 3],
    /// The unit normal of the contact from A to B, in B's frame.
    pub normal: [f64; 3],
    /// The speed at which the features approach along the normal, in metres per unit of time of the motion.
    pub approach_speed: f64,
    /// The tolerance that was used, in metres.
    pub tolerance: f64,
}

impl Prediction {
    /// The prediction that there is no contact before `clear_until`.
    fn until(verdict: Verdict, clear_until: f64, tolerance: f64) -> Self {
        Self {
            verdict,
            kind: FeatureKind::None,
            doubt: Doubt::None,
            touching: 0,
            clear_until,
            time: [f64::NAN; 2],
            a: [-1; 2],
            b: [-1; 2],
            point: [f64::NAN; 3],
            normal: [f64::NAN; 3],
            approach_speed: f64::NAN,
            tolerance,
        }
    }

    fn overlapping(tolerance: f64) -> Self {
        Self { time: [0.0; 2], ..Self::until(Verdict::Overlapping, 0.0, tolerance) }
    }

    fn contact_answer(contact: &Contact, clear_until: f64, tolerance: f64) -> Self {
        let Features { kind, a, b } = Features::of(&contact.features);
        Self {
            kind,
            touching: contact.touching.into(),
            time: contact.time,
            a,
            b,
            point: contact.point.to_array(),
            normal: contact.normal.to_array(),
            approach_speed: contact.approach_speed,
            ..Self::until(Verdict::Contact, clear_until, tolerance)
        }
    }
}

/// Features, by numbers.
pub(crate) struct Features {
    pub(crate) kind: FeatureKind,
    pub(crate) a: [i64; 2],
    pub(crate) b: [i64; 2],
}

impl Features {
    pub(crate) fn of(features: &ContactFeatures) -> Self {
        let one = |number: u32| [number.into(), -1];
        let maybe = |number: Option<u32>| [number.map_or(-1, Into::into), -1];
        let (kind, a, b) = match *features {
            ContactFeatures::VertexFace { a, b } => (FeatureKind::VertexFace, one(a), one(b)),
            ContactFeatures::FaceVertex { a, b } => (FeatureKind::FaceVertex, one(a), one(b)),
            ContactFeatures::EdgeEdge { a, b } => {
                (FeatureKind::EdgeEdge, a.map(Into::into), b.map(Into::into))
            }
            ContactFeatures::Surfaces { a, b } | ContactFeatures::SurfaceSurface { a, b } => {
                (FeatureKind::Surfaces, maybe(a), maybe(b))
            }
            // Points of clouds, which occur only in worlds from files.
            ContactFeatures::PointSolid { .. }
            | ContactFeatures::SolidPoint { .. }
            | ContactFeatures::PointPoint { .. } => (FeatureKind::Surfaces, maybe(None), maybe(None)),
        };
        Self { kind, a, b }
    }
}

/// Two bodies and a motion: one of many queries.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The moving body.
    pub a: Option<&'a Body>,
    /// The static body.
    pub b: Option<&'a Body>,
    /// The pose of A at time 0, in B's frame.
    pub start: Pose,
    /// The pose of A at time 1, in B's frame.
    pub end: Pose,
}

/// The axis of a screw, with its slide and angle.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScrewAxis {
    /// The direction of the axis, in B's frame; of any length but zero.
    pub direction: [f64; 3],
    /// A point of the axis, in B's frame, in metres.
    pub point: [f64; 3],
    /// The slide along the direction, in metres.
    pub slide: f64,
    /// The angle about the direction, in radians, right-handed; any number of revolutions, in either sense.
    pub angle: f64,
}

/// A checked query: two bodies, and the motion of the first in the frame of the second.
struct Posed<'a> {
    bodies: [&'a Body; 2],
    screw: Screw,
}

impl<'a> Posed<'a> {
    /// `place` is the name of the query in messages; it ends with a blank or is empty.
    fn between(query: &Query<'a>, place: &str) -> Result<Self, Failure> {
        let body = |given, name| needed(given, &format!("{place}{name}"));
        let pose = |given: &Pose, name| given.checked(&format!("{place}{name}"));
        let bodies = [body(query.a, "a")?, body(query.b, "b")?];
        let screw = Screw::between(pose(&query.start, "start")?, pose(&query.end, "end")?);
        Ok(Self { bodies, screw })
    }

    fn answer(&self, options: &Options, workspace: &mut Workspace) -> Result<Prediction, chasles::Error> {
        match self.bodies.map(|body| body.shape.body()) {
            [Some(a), Some(b)] => {
                let query = EngineQuery { a, b, screw: self.screw };
                let engine_options = EngineOptions {
                    tolerance: options.tolerance(),
                    budget: options.budget,
                    ..EngineOptions::default()
                };
                let found = query.predict(QueryKind::FirstContact, &engine_options, workspace)?;
                Ok(of_meshes(&found))
            }
            _ => self.as_scene(options),
        }
    }

    /// For pairs with a round body: a scene of the two.
    fn as_scene(&self, options: &Options) -> Result<Prediction, chasles::Error> {
        let [a, b] = self.bodies;
        let body = |name: &str, body: &Body, motion| SceneBody {
            name: name.into(),
            shape: Some(body.shape.clone()),
            motion,
            parent: None,
            group: None,
            solid: false,
        };
        let scene = Scene::new(SceneDefinition {
            duration: 1.0,
            tolerance: options.tolerance(),
            clearance: 0.0,
            bodies: vec![
                body("a", a, BodyMotion::Screw(self.screw)),
                body("b", b, BodyMotion::Still(chasles::Pose::IDENTITY)),
            ],
            ignore: Vec::new(),
        })?;
        let engine_options = CheckOptions {
            budget: options.budget,
            horizon: Horizon::FirstContact,
            naming: NearestReport::Nothing,
            ..CheckOptions::default()
        };
        let report = scene.check(&engine_options, &())?;
        let Some(pair) = report.pairs.first() else {
            return Ok(Prediction::until(Verdict::Clear, 1.0, report.tolerance));
        };
        Ok(match (pair.verdict, pair.intervals.first()) {
            (PairVerdict::Overlapping, _) => Prediction::overlapping(report.tolerance),
            (PairVerdict::Contact, Some(interval)) => {
                let contact_answer = match &interval.contact {
                    Some(start) => {
                        Prediction::contact_answer(&start.contact, pair.clear_until, report.tolerance)
                    }
                    None => Prediction {
                        touching: interval.touching.into(),
                        ..Prediction::until(Verdict::Contact, pair.clear_until, report.tolerance)
                    },
                };
                Prediction { time: interval.enter, ..contact_answer }
            }
            (PairVerdict::Clear | PairVerdict::Near, _) => {
                Prediction::until(Verdict::Clear, 1.0, report.tolerance)
            }
            (PairVerdict::Contact | PairVerdict::Undecided, _) => Prediction {
                doubt: Doubt::of(pair.reason),
                ..Prediction::until(Verdict::Undecided, pair.clear_until, report.tolerance)
            },
        })
    }
}

impl Doubt {
    /// These queries are never stopped, and all surfaces take part.
    pub(crate) fn of(doubt: Option<PairUndecidedReason>) -> Self {
        match doubt {
            None => Self::None,
            Some(PairUndecidedReason::Budget | PairUndecidedReason::Stopped) => Self::Budget,
            Some(PairUndecidedReason::Memory) => Self::Memory,
            Some(PairUndecidedReason::Rounding | PairUndecidedReason::NoPoints) => Self::Rounding,
        }
    }
}

fn of_meshes(found: &chasles::Prediction) -> Prediction {
    let tolerance = found.tolerance;
    match &found.outcome {
        Outcome::Clear => Prediction::until(Verdict::Clear, 1.0, tolerance),
        Outcome::Contact(contact) => Prediction::contact_answer(contact, contact.time[0], tolerance),
        Outcome::Overlapping(_) => Prediction::overlapping(tolerance),
        Outcome::Undecided { clear_until, reason } => Prediction {
            doubt: Doubt::of(Some((*reason).into())),
            ..Prediction::until(Verdict::Undecided, *clear_until, tolerance)
        },
    }
}

fn one<'a>(
    pose: impl FnOnce() -> Result<Posed<'a>, Failure>,
    options: Option<&Options>,
    prediction: Option<&mut MaybeUninit<Prediction>>,
) -> Status {
    guarded(|| {
        let place = needed_out(prediction, "prediction")?;
        let options = Options::checked(options)?;
        let found = pose()?.answer(&options, &mut Workspace::default());
        place.write(found.map_err(|error| Failure::engine("query", &error))?);
        Ok(())
    })
}

/// The first contact of body A, which moves from one pose to another, with the static body B.
///
/// @param a The moving body.
/// @param b The static body, at the identity: all poses are in its frame.
/// @param start The pose of A at time 0, in B's frame.
/// @param end The pose of A at time 1, in B's frame.
/// @param options Options of the query; NULL: the defaults.
/// @param prediction Where the answer is written.
///
/// A moves between the poses along the one screw that joins them with the smaller angle: it rotates about an axis
/// and slides along it, both at constant speed. (If B moves too, give A's poses in the frame of B, provided that
/// the relative motion is such a screw.) Guarantee: `CHASLES_VERDICT_CLEAR`, and the time before an enclosure, are
/// proven in continuous time for the whole surfaces, rounding included. Only surfaces count: a body that is wholly
/// inside another does not touch it.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_first_contact(
    a: Option<&Body>,
    b: Option<&Body>,
    start: Option<&Pose>,
    end: Option<&Pose>,
    options: Option<&Options>,
    prediction: Option<&mut MaybeUninit<Prediction>>,
) -> Status {
    let pose = || {
        let query = Query { a, b, start: *needed(start, "start")?, end: *needed(end, "end")? };
        Posed::between(&query, "")
    };
    one(pose, options, prediction)
}

/// As `chasles_first_contact`, for a screw that is given by its axis, with any number of revolutions.
///
/// @param a The moving body.
/// @param b The static body, at the identity: all poses are in its frame.
/// @param start The pose of A at time 0, in B's frame.
/// @param screw The axis, with the slide along it and the angle about it from time 0 to 1.
/// @param options Options of the query; NULL: the defaults.
/// @param prediction Where the answer is written.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_first_contact_on_screw(
    a: Option<&Body>,
    b: Option<&Body>,
    start: Option<&Pose>,
    screw: Option<&ScrewAxis>,
    options: Option<&Options>,
    prediction: Option<&mut MaybeUninit<Prediction>>,
) -> Status {
    let pose = || {
        let bodies = [needed(a, "a")?, needed(b, "b")?];
        let start = needed(start, "start")?.checked("start")?;
        let ScrewAxis { direction, point, slide, angle } = *needed(screw, "screw")?;
        let (direction, point) = (DVec3::from_array(direction), DVec3::from_array(point));
        let screw = Screw::about(start, direction, point, slide, angle);
        Ok(Posed { bodies, screw: screw.map_err(|error| Failure::engine("screw", &error))? })
    };
    one(pose, options, prediction)
}

/// Many first contacts at a time, on all threads. Each answer has the same bits as from `chasles_first_contact`.
///
/// @param queries The queries. A body may occur in any number of them, as A or as B.
/// @param count The number of queries.
/// @param options Options of all queries; NULL: the defaults.
/// @param predictions `count` places, written in the order of the queries.
///
/// All queries are checked first. If one of them is invalid, the call fails, the message has its number, counted
/// from 0, and no answer is written.
///
/// Threads: any, at any time. When the call returns, all queries are answered, and its own threads are gone or idle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_first_contacts(
    queries: *const Query<'_>,
    count: usize,
    options: Option<&Options>,
    predictions: *mut Prediction,
) -> Status {
    guarded(|| {
        // SAFETY: the caller guarantees the lengths of both arrays.
        let queries = unsafe { array(queries, count, "queries")? };
        // SAFETY: as above.
        let places = unsafe { array_of_results(predictions, count, "predictions")? };
        let options = Options::checked(options)?;
        let posed: Vec<Posed> = queries
            .iter()
            .enumerate()
            .map(|(number, query)| Posed::between(query, &format!("query {number}: ")))
            .collect::<Result<_, _>>()?;
        let answers = options.on_threads(|| answers(&posed, &options))??;
        places.iter_mut().zip(answers).for_each(|(place, answer): (&mut MaybeUninit<_>, _)| {
            place.write(answer);
        });
        Ok(())
    })
}

/// Fewer queries than this are not worth another thread.
const MIN_QUERIES: usize = 4;

fn answers(posed: &[Posed<'_>], options: &Options) -> Result<Vec<Prediction>, Failure> {
    let each = posed.par_iter().with_min_len(MIN_QUERIES).enumerate();
    each.map_init(Workspace::default, |workspace, (number, posed)| {
        let answer = posed.answer(options, workspace);
        answer.map_err(|error| Failure::engine(format_args!("query {number}"), &error))
    })
    .collect()
}
