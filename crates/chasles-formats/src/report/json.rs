//! Reports of checked scenes, and of robots on paths, as JSON, one object on one line.
//!
//! ```json
//! {"format":1,"verdict":"contact","duration":2.0,"bodies":5,"pairs_tested":7,"pairs_standing":2,"pairs_exempt":1,
//!  "contacts_at_start":0,"tolerance":1e-9,"warnings":[],
//!  "pairs":[{"a":"gripper","b":"table","verdict":"contact",
//!            "intervals":[{"enter":[lo,hi],"exit":[lo,hi],"touching":false,
//!                          "contact":{"kind":"vertex-face","a":[4],"b":[17],"point":[..],"normal":[..],"touching":false,
//!                                     "approach_speed":1.5,"screw":{..}}}],
//!            "gap":0.0,"deviation":0.0}]}
//! ```
//!
//! Names and order of the keys are fixed. Times are in seconds, points in the world frame. Numbers have the shortest
//! form that reads back the same; -0 is written as 0. The minimum distance of a pair without contact, if known, lies
//! between `gap_at_least` and `gap`, in metres, and is attained at `gap_time`. A scene's `clearance`, if it has one,
//! follows its tolerance. An undecided pair has `clear_until`, `why` and `unknown`, its undecided intervals.
//!
//! If requested, each pair has `events`, the first contact of each two features of its meshes:
//! `{"kind":"vertex-face","a":[4],"b":[17],"time":[lo,hi],"point":[..],"normal":[..]}`, sorted by time. A body that
//! is tested against itself is a pair with equal `a` and `b`.
//!
//! `pairs_standing` counts the pairs of surfaces that were not tested because they never move relative to each
//! other. `pairs_exempt` counts the pairs left out by a group, a name, an SRDF or a joint between them. Two lists of
//! pairs of names do not affect the verdict: `assembled`, rigidly joined bodies that overlap in the model, and
//! `static_overlaps`, bodies that overlap and can never move: `[["base","table"]]`. Both are missing if the check
//! ignored such overlaps. `overlaps_unknown` counts the undecided pairs of both kinds, if any. If all pairs are
//! clear, `nearest` is the pair that comes nearest, with bounds that hold for all pairs:
//! `{"a":"cart","b":"post","gap_at_least":0.011,"gap":0.012,"gap_time":1.5}`. `inside` lists bodies inside a closed
//! surface that is not solid, and so not in contact with it: `{"body":"cup","inside":"crate","from":0.0}`.
//! `contacts_at_start` counts the pairs in contact from the start.
//!
//! If a path violates joint limits, `limits` lists each violation, in order of time:
//! `{"joint":"elbow","kind":"upper","limit":3.0,"found":3.2,"unit":"rad","at":1.5,"from":1.25,"until":1.75,
//! "segments":[0,1],"finding":true}`; the kinds are lower, upper and velocity.
//!
//! `warnings` has the warnings about the input, one sentence each; the list may be empty.
//!
//! The report of a path has the times of the path. Every interval states, after its exit, the place on the path at
//! which it starts: `"segment":3,"joints":{"elbow":0.25}`, at the end of the enclosure of its start. A pair with its
//! own clearance has it as `clearance`. Several paths are
//! `{"format":1,"verdict":"contact","warnings":[],"paths":[..]}`: the warnings about the robot and its world, and
//! one entry for each path. An entry is a report that starts with the name of the path as `path` and has the
//! warnings about that path, or, for a path that could not be checked,
//! `{"path":"up.csv","verdict":"error","error":".."}`. The verdict of the whole is the worst of error, overlapping,
//! contact, undecided, near, clear.

use chasles::{
    Containment, Guarantee, Horizon, NearestPair, PairReport, SceneContact, SceneEvent, SceneReport,
};
use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};

use super::answer::{ContactJson, FeaturesEntry};
use super::breach::ReportedBreach;
use super::subject::{NamedResult, Subject};
use super::verdict::{
    count_contacts_at_start, gap_lower_bound, gap_upper_bound, reason, verdict, worst_verdict,
};
use crate::text::json::{json_line, plain, plain_vector};

/// The report as one line of JSON, with its line end; `subject` is what the report is about.
///
/// ```
/// use chasles::CheckOptions;
/// use chasles_formats::report::json;
/// use chasles_formats::Subject;
/// use chasles_formats::scene;
/// let text = b"format = 1\nduration = 2.0\n[[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n";
/// let path = "scene.toml".as_ref();
/// let scene = scene::build::build(&scene::file::parse(text, path)?, path)?.scene;
/// let report = scene.check(&CheckOptions::default(), &()).unwrap();
/// let start = "{\"format\":1,\"verdict\":\"clear\",\"duration\":2.0,\"bodies\":1,\"pairs_tested\":0,";
/// assert!(json::to_json(&Subject::scene(&scene), &report).starts_with(start));
/// # Ok::<(), chasles_formats::Error>(())
/// ```
#[must_use]
pub fn to_json(subject: &Subject<'_>, report: &SceneReport) -> String {
    json_line(&ReportJson::of(subject, report))
}

/// The reports of several paths as one line of JSON, with its line end. `warnings`: the warnings about the robot and
/// its world; each [`Subject`] has the warnings about its path.
///
/// ```
/// use chasles_formats::report::json::to_json_of_all;
/// use chasles_formats::report::subject::NamedResult;
/// let missing = NamedResult { name: "up.csv", found: Err("up.csv: cannot be read") };
/// let expected = r#"{"format":1,"verdict":"error","warnings":[],"paths":[{"path":"up.csv","verdict":"error","error":"up.csv: cannot be read"}]}"#;
/// assert_eq!(to_json_of_all(&[missing], &[]).trim_end(), expected);
/// ```
#[must_use]
pub fn to_json_of_all(answers: &[NamedResult<'_>], warnings: &[String]) -> String {
    json_line(&Reports {
        format: 1,
        verdict: worst_verdict(answers).map_or("error", verdict),
        warnings,
        paths: answers
            .iter()
            .map(|NamedResult { name, found }| match found {
                Ok((subject, report)) => {
                    PathReportJson::Found { path: name, report: Box::new(ReportJson::of(subject, report)) }
                }
                Err(error) => PathReportJson::Error { path: name, verdict: "error", error },
            })
            .collect(),
    })
}

#[derive(Serialize)]
struct Reports<'a> {
    format: u32,
    verdict: &'static str,
    warnings: &'a [String],
    paths: Vec<PathReportJson<'a>>,
}

/// The report of one of several paths.
#[derive(Serialize)]
#[serde(untagged)]
enum PathReportJson<'a> {
    Found {
        path: &'a str,
        #[serde(flatten)]
        report: Box<ReportJson<'a>>,
    },
    Error {
        path: &'a str,
        verdict: &'static str,
        error: &'a str,
    },
}

#[derive(Serialize)]
struct ReportJson<'a> {
    format: u32,
    verdict: &'static str,
    duration: f64,
    bodies: usize,
    pairs_tested: usize,
    pairs_standing: usize,
    pairs_exempt: usize,
    contacts_at_start: usize,
    tolerance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    followed_until: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guarantee: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clearance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<NearestEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inside: Vec<ContainmentJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assembled: Option<Vec<[&'a str; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    static_overlaps: Option<Vec<[&'a str; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overlaps_unknown: Option<usize>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    limits: &'a [ReportedBreach<'a>],
    warnings: &'a [String],
    pairs: Vec<PairJson<'a>>,
}

/// A body inside the closed surface of another body that is not solid.
#[derive(Serialize)]
struct ContainmentJson<'a> {
    body: &'a str,
    inside: &'a str,
    from: f64,
}

/// The clear pair that comes nearest.
#[derive(Serialize)]
struct NearestEntry<'a> {
    a: &'a str,
    b: &'a str,
    gap_at_least: f64,
    gap: f64,
    gap_time: f64,
}

#[derive(Serialize)]
struct PairJson<'a> {
    a: &'a str,
    b: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    intervals: Option<Vec<Interval<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_at_least: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_time: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    epsilon: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guarantee: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clearance: Option<f64>,
    deviation: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    clear_until: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<&'a [[f64; 2]]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<EventEntry>>,
}

/// The first contact of two features.
#[derive(Serialize)]
struct EventEntry {
    #[serde(flatten)]
    features: FeaturesEntry,
    time: [f64; 2],
    point: [f64; 3],
    normal: [f64; 3],
}

#[derive(Serialize)]
struct Interval<'a> {
    enter: [f64; 2],
    exit: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    segment: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    joints: Option<Values<'a>>,
    touching: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<PathPlaceJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contacts: Option<Vec<ContactJson>>,
}

/// Joints with their values, in the order of the path.
struct Values<'a> {
    joints: &'a [String],
    values: &'a [f64],
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.joints.len()))?;
        for (joint, value) in self.joints.iter().zip(self.values) {
            map.serialize_entry(joint, &plain(*value))?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct PathPlaceJson<'a> {
    #[serde(flatten)]
    contact: ContactJson,
    /// Missing if a body deforms.
    #[serde(skip_serializing_if = "Option::is_none")]
    screw: Option<ContactScrewJson<'a>>,
    /// Velocity of `a` relative to `b` at the point, in world axes.
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<[f64; 3]>,
}

/// The relative motion at a contact, in the world frame.
#[derive(Serialize)]
struct ContactScrewJson<'a> {
    /// The moving body, relative to the other.
    moving: &'a str,
    axis: [f64; 3],
    /// Missing for a pure translation.
    point: Option<[f64; 3]>,
    slide: f64,
    angle: f64,
    /// The interval of time in which the body moves by slide and angle.
    time: [f64; 2],
    /// Whether the motion is exactly this screw in that interval, or only close to it.
    exact: bool,
}

impl<'a> ReportJson<'a> {
    fn of(subject: &'a Subject<'a>, report: &'a SceneReport) -> Self {
        // Clearances do not matter for the first contact.
        let of_first = report.horizon == Horizon::FirstContact;
        let overlaps = report.overlaps.as_ref();
        let named = |pairs: &[[usize; 2]]| {
            pairs.iter().map(|pair| pair.map(|body| subject.name(body))).collect::<Vec<_>>()
        };
        Self {
            format: 1,
            verdict: verdict(report.verdict),
            duration: subject.duration(),
            bodies: subject.bodies(),
            pairs_tested: report.pairs_tested,
            pairs_standing: report.untested.at_rest(),
            pairs_exempt: report.untested.exempt,
            contacts_at_start: count_contacts_at_start(subject, report),
            tolerance: report.tolerance,
            followed_until: (of_first || report.followed_until < subject.time_interval()[1])
                .then(|| plain(report.followed_until)),
            guarantee: (report.guarantee != Guarantee::Surfaces).then(|| guaranteed(report.guarantee)),
            clearance: (subject.clearance() > 0.0 && !of_first).then_some(subject.clearance()),
            nearest: report.nearest.as_ref().map(|nearest| NearestEntry::of(subject, nearest)),
            inside: report.inside.iter().map(|inside| ContainmentJson::of(subject, inside)).collect(),
            assembled: overlaps.map(|overlaps| named(&overlaps.assembled)),
            static_overlaps: overlaps.map(|overlaps| named(&overlaps.statics)),
            overlaps_unknown: overlaps.map(|overlaps| overlaps.undecided).filter(|count| *count > 0),
            limits: subject.breaches(),
            warnings: subject.warnings(),
            pairs: (0..report.pairs.len()).map(|number| PairJson::of(subject, report, number)).collect(),
        }
    }
}

impl<'a> ContainmentJson<'a> {
    fn of(subject: &Subject<'a>, Containment { inner, outer, from }: &Containment) -> Self {
        Self { body: subject.name(*inner), inside: subject.name(*outer), from: plain(*from) }
    }
}

impl<'a> NearestEntry<'a> {
    fn of(subject: &Subject<'a>, nearest: &NearestPair) -> Self {
        let ([a, b], [lower, upper]) = (nearest.bodies.map(|body| subject.name(body)), nearest.gap);
        let [gap_at_least, gap, gap_time] = [lower, upper, nearest.time].map(plain);
        Self { a, b, gap_at_least, gap, gap_time }
    }
}

impl<'a> PairJson<'a> {
    fn of(subject: &'a Subject<'a>, report: &'a SceneReport, number: usize) -> Self {
        let pair = &report.pairs[number];
        let [a, b] = subject.names(pair);
        let is_intersecting = !pair.intervals.is_empty();
        let intervals = (0..pair.intervals.len())
            .map(|index| Interval::of(subject, pair, ([number, index], report.all_contacts)));
        let doubtful = !pair.undecided.is_empty();
        Self {
            a,
            b,
            verdict: verdict(pair.verdict),
            intervals: is_intersecting.then(|| intervals.collect()),
            gap_at_least: gap_lower_bound(pair),
            gap: gap_upper_bound(pair),
            gap_time: pair.gap_time.map(plain),
            epsilon: pair.epsilon.map(plain),
            guarantee: pair.epsilon.map(|_| guaranteed(report.guarantee)),
            clearance: subject.own_clearance(pair.bodies).filter(|_| report.horizon == Horizon::End),
            deviation: pair.deviation,
            clear_until: doubtful.then_some(pair.clear_until),
            why: pair.reason.map(reason),
            unknown: doubtful.then_some(&pair.undecided),
            events: report.events.then(|| pair.events.iter().map(EventEntry::of).collect()),
        }
    }
}

impl EventEntry {
    fn of(event: &SceneEvent) -> Self {
        let [point, normal] = [event.point, event.normal].map(plain_vector);
        let features = FeaturesEntry::of(event.features);
        Self { features, time: event.time.map(plain), point, normal }
    }
}

/// The scope of a report's guarantee.
fn guaranteed(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::Surfaces => "surface",
        Guarantee::Points { .. } => "points",
    }
}

impl<'a> Interval<'a> {
    /// `numbers`: the number of the pair in the report, and of the interval in the pair.
    fn of(subject: &'a Subject<'a>, pair: &PairReport, (numbers, all_contacts): ([usize; 2], bool)) -> Self {
        let interval = &pair.intervals[numbers[1]];
        let entry = subject.entry(numbers[0], numbers[1]);
        Self {
            enter: interval.enter.map(plain),
            exit: interval.exit.map(|exit| exit.map(plain)),
            segment: entry.map(|(segment, _)| segment),
            joints: entry.map(|(_, values)| Values { joints: subject.joints(), values }),
            touching: interval.touching,
            contact: interval.contact.as_ref().map(|contact| PathPlaceJson::of(subject, contact)),
            contacts: all_contacts
                .then(|| interval.contacts.iter().map(|place| ContactJson::of(&place.contact)).collect()),
        }
    }
}

impl<'a> PathPlaceJson<'a> {
    fn of(subject: &'a Subject<'a>, place: &SceneContact) -> Self {
        Self {
            contact: ContactJson::of(&place.contact),
            screw: place.axis.map(|axis| ContactScrewJson {
                moving: subject.name(place.moving),
                axis: plain_vector(axis.direction),
                point: axis.point.map(plain_vector),
                slide: plain(axis.slide),
                angle: plain(axis.angle),
                time: place.interval.map(plain),
                exact: place.is_exact,
            }),
            velocity: place.velocity.map(plain_vector),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
