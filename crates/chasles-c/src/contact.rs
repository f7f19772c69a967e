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

use crate::body::Body;
use crate::given::{array, array_of_results, needed, wanted};
use crate::pose::Pose;
use crate::status::{Failure, Status, guarded};

/// What is said of two bodies along a motion. The greater the worse.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Proven: the surfaces never come closer than the tolerance, at any moment.
    Clear = 0,
    /// Proven: the surfaces never touch, but come as close as the clearance that was asked for.
    Near = 1,
    /// Neither contact nor its absence could be proven. Treat this as contact, or ask with a larger budget.
    Undecided = 2,
    /// The surfaces meet.
    Contact = 3,
    /// The surfaces intersect at the start, more deeply than the tolerance.
    Overlapping = 4,
}

/// Which features meet first: what the numbers `a` and `b` of a contact mean.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureKind {
    /// `a[0]` is a vertex of A, `b[0]` a triangle of B.
    VertexFace = 0,
    /// `a[0]` is a triangle of A, `b[0]` a vertex of B.
    FaceVertex = 1,
    /// `a` and `b` are edges, each by its two vertices, the lower number first.
    EdgeEdge = 2,
    /// Two surfaces, at least one of them round: `a[0]` is the triangle of A, -1 where A is round; `b[0]` the same of B.
    Surfaces = 3,
    /// No features are told: there is no contact, or round bodies touch at the very start.
    None = 255,
}

/// Why a verdict is `CHASLES_VERDICT_UNDECIDED`.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// There is no doubt.
    None = 0,
    /// The budget was used up.
    Budget = 1,
    /// More memory was needed than is allowed: 512 MiB for a query.
    Memory = 2,
    /// Whether the surfaces touch lies below the rounding of coordinates so far from the origin.
    Rounding = 3,
}

/// How queries are answered. Begin with what `chasles_options_default` returns.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Surfaces closer than this touch, in metres. Negative: 1e-9 of the larger diagonal of the bodies' bounding boxes.
    pub tolerance: f64,
    /// Steps of work after which a query is undecided. A step takes between 10 ns and 1 us.
    pub budget: u64,
    /// How many threads a call with many queries uses; 0: one for each processor. The answers are the same, to the last
    /// bit.
    pub threads: u32,
}

/// The most threads that may be asked for.
const MOST_THREADS: u32 = 1024;

impl Options {
    const DEFAULT: Self = Self { tolerance: -1.0, budget: 500_000_000, threads: 0 };

    /// What is asked for, or what is usual.
    pub(crate) fn checked(given: Option<&Self>) -> Result<Self, Failure> {
        let options = *given.unwrap_or(&Self::DEFAULT);
        let refused = |place, found: &dyn std::fmt::Display, expected| {
            Err(Failure::argument(place, format_args!("found {found}, expected {expected}")))
        };
        if !options.tolerance.is_finite() {
            let expected = "metres, or a negative number for the usual tolerance";
            return refused("options: tolerance", &options.tolerance, expected);
        }
        if options.threads > MOST_THREADS {
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

    /// Runs work on as many threads as are asked for.
    pub(crate) fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        let Some(threads) = usize::try_from(self.threads).ok().and_then(NonZeroUsize::new) else {
            return Ok(work());
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build();
        let pool = pool.map_err(|error| Failure::argument("options: threads", error))?;
        Ok(pool.install(work))
    }
}

/// The usual options: the usual tolerance, a budget of 500 million steps, all processors. NULL in place of options means
/// the same.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn chasles_options_default() -> Options {
    Options::DEFAULT
}

/// The answer about two bodies. Read `verdict` first: it says which of the numbers mean something. The others are NaN, or
/// -1 in `a` and `b`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The verdict.
    pub verdict: Verdict,
    /// Which features meet first.
    pub kind: FeatureKind,
    /// Why nothing is proven, where the verdict is `CHASLES_VERDICT_UNDECIDED`.
    pub doubt: Doubt,
    /// Of a contact: 1 where the surfaces may only touch, 0 where it is proven that they pass through each other.
    pub touching: u32,
    /// Until this time nothing touches: proven. 1 where the whole motion is clear, 0 where the bodies overlap at the start.
    pub clear_until: f64,
    /// Of a contact: the enclosure [lo, hi] of its time, in [0, 1]. Before lo the surfaces are proven apart, by hi they have
    /// met. [0, 0] where the bodies overlap at the start.
    pub time: [f64; 2],
    /// The features of A that meet: see `chasles_feature_kind`.
    pub a: [i64; 2],
    /// The features of B that meet.
    pub b: [i64; 2],
    /// Where they meet, in B's frame, in metres.
    pub point: [f64; 3],
    /// The unit normal of the contact from A to B, in B's frame.
    pub normal: [f64; 3],
    /// How fast the features approach along the normal, in metres per unit of time of the motion.
    pub approach_speed: f64,
    /// The tolerance that was used, in metres.
    pub tolerance: f64,
}

impl Prediction {
    /// Nothing touches until a time.
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

    fn met(contact: &Contact, clear_until: f64, tolerance: f64) -> Self {
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
            // Points of clouds, which come with worlds from files alone.
            ContactFeatures::PointSolid { .. }
            | ContactFeatures::SolidPoint { .. }
            | ContactFeatures::PointPoint { .. } => (FeatureKind::Surfaces, maybe(None), maybe(None)),
        };
        Self { kind, a, b }
    }
}

/// Two bodies and a motion: one of many questions.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The body that moves.
    pub a: Option<&'a Body>,
    /// The body that stands.
    pub b: Option<&'a Body>,
    /// Where A stands at time 0, in B's frame.
    pub start: Pose,
    /// Where A stands at time 1, in B's frame.
    pub end: Pose,
}

/// The axis of a screw, and how far it goes.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScrewAxis {
    /// Along the axis, in B's frame; of any length but zero.
    pub direction: [f64; 3],
    /// A point of the axis, in B's frame, in metres.
    pub point: [f64; 3],
    /// How far it slides along the direction, in metres.
    pub slide: f64,
    /// How far it turns about the direction, in radians, right-handed; any number of turns, either way round.
    pub angle: f64,
}

/// A question that was checked: two bodies, and the motion of the first as seen from the second.
struct Posed<'a> {
    bodies: [&'a Body; 2],
    screw: Screw,
}

impl<'a> Posed<'a> {
    /// `place` names in messages what is asked, and ends with a blank or is empty.
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
                let asked = EngineOptions {
                    tolerance: options.tolerance(),
                    budget: options.budget,
                    ..EngineOptions::default()
                };
                let found = query.predict(QueryKind::FirstContact, &asked, workspace)?;
                Ok(of_meshes(&found))
            }
            _ => self.as_scene(options),
        }
    }

    /// Pairs with a round body: a scene of the two.
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
        let asked = CheckOptions {
            budget: options.budget,
            horizon: Horizon::FirstContact,
            naming: NearestReport::Nothing,
            ..CheckOptions::default()
        };
        let report = scene.check(&asked, &())?;
        let Some(pair) = report.pairs.first() else {
            return Ok(Prediction::until(Verdict::Clear, 1.0, report.tolerance));
        };
        Ok(match (pair.verdict, pair.intervals.first()) {
            (PairVerdict::Overlapping, _) => Prediction::overlapping(report.tolerance),
            (PairVerdict::Contact, Some(interval)) => {
                let met = match &interval.contact {
                    Some(begun) => Prediction::met(&begun.contact, pair.clear_until, report.tolerance),
                    None => Prediction {
                        touching: interval.touching.into(),
                        ..Prediction::until(Verdict::Contact, pair.clear_until, report.tolerance)
                    },
                };
                Prediction { time: interval.enter, ..met }
            }
            (PairVerdict::Clear | PairVerdict::Near, _) => {
                Prediction::until(Verdict::Clear, 1.0, report.tolerance)
            }
            (PairVerdict::Contact | PairVerdict::Undecided, _) => Prediction {
                doubt: Doubt::of(pair.doubt),
                ..Prediction::until(Verdict::Undecided, pair.clear_until, report.tolerance)
            },
        })
    }
}

impl Doubt {
    /// Nobody stops what is asked here, and all surfaces are asked about.
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
        Outcome::Contact(contact) => Prediction::met(contact, contact.time[0], tolerance),
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
        let place = wanted(prediction, "prediction")?;
        let options = Options::checked(options)?;
        let found = pose()?.answer(&options, &mut Workspace::default());
        place.write(found.map_err(|error| Failure::engine("query", &error))?);
        Ok(())
    })
}

/// When, where and how body A, moving from one pose to another, first meets the standing body B.
///
/// @param a The body that moves.
/// @param b The body that stands, at the identity: all poses are in its frame.
/// @param start Where A stands at time 0, in B's frame.
/// @param end Where A stands at time 1, in B's frame.
/// @param options How it is answered; NULL: as usual.
/// @param prediction Where the answer is written.
///
/// Between the poses A moves along the one screw that joins them, the shorter way round: it turns about an axis and
/// slides along it, both evenly. (Where B moves too: give A's poses as seen from B, if that motion is such a screw.)
/// Guarantee: `CHASLES_VERDICT_CLEAR`, and the time before an enclosure, are proven in continuous time for the whole
/// surfaces, rounding included. Only surfaces count: a body that is wholly inside another does not meet it.
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

/// As `chasles_first_contact`, for a screw that is given by its axis: any number of turns.
///
/// @param a The body that moves.
/// @param b The body that stands, at the identity: all poses are in its frame.
/// @param start Where A stands at time 0, in B's frame.
/// @param screw The axis, and how far A slides along it and turns about it from time 0 to 1.
/// @param options How it is answered; NULL: as usual.
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

/// Many first contacts at a time, on all threads: each answer has the bits that `chasles_first_contact` gives.
///
/// @param queries The questions. A body may stand in any number of them, as A or as B.
/// @param count How many there are.
/// @param options How all are answered; NULL: as usual.
/// @param predictions `count` places, written in the order of the queries.
///
/// All queries are checked first. Where one of them has no meaning the call fails, the message names it by its number,
/// counted from 0, and nothing is written.
///
/// Threads: any, at any time. The call returns when all is answered; its own threads are gone or idle then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chasles_first_contacts(
    queries: *const Query<'_>,
    count: usize,
    options: Option<&Options>,
    predictions: *mut Prediction,
) -> Status {
    guarded(|| {
        // SAFETY: the caller vouches for the lengths of both arrays.
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
const QUERIES_AT_LEAST: usize = 4;

fn answers(posed: &[Posed<'_>], options: &Options) -> Result<Vec<Prediction>, Failure> {
    let each = posed.par_iter().with_min_len(QUERIES_AT_LEAST).enumerate();
    each.map_init(Workspace::default, |workspace, (number, posed)| {
        let answer = posed.answer(options, workspace);
        answer.map_err(|error| Failure::engine(format_args!("query {number}"), &error))
    })
    .collect()
}
