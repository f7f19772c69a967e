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

use super::answer::{ContactJson, Numbers, features};
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
/// use chasles_formats::scene::{scene_build, scene_file};
/// let text = b"format = 1\nduration = 2.0\n[[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n";
/// let path = "scene.toml".as_ref();
/// let scene = scene_build::build(&scene_file::parse(text, path)?, path)?.scene;
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
    kind: &'static str,
    a: Numbers,
    b: Numbers,
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
        let (kind, a, b) = features(event.features);
        let [point, normal] = [event.point, event.normal].map(plain_vector);
        Self { kind, a, b, time: event.time.map(plain), point, normal }
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
pub(crate) mod tests {
    use chasles::{
        BodyMotion, CollisionShape, Contact, ContactFeatures, ModelOverlaps, PairUndecidedReason,
        PairVerdict, Pose, Primitive, Scene, SceneBody, SceneDefinition, SceneInterval, ScrewAxis,
    };
    use glam::DVec3;

    use super::*;

    /// A scene of two seconds with bodies of these names.
    pub(crate) fn scene(names: [&str; 2], clearance: f64) -> Scene {
        let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
        let body = |name: &str| SceneBody {
            name: name.into(),
            shape: Some(shape.clone()),
            motion: BodyMotion::Still(Pose::IDENTITY),
            parent: None,
            group: None,
            solid: false,
        };
        let bodies = names.map(body).to_vec();
        let definition =
            SceneDefinition { duration: 2.0, tolerance: Some(1e-7), clearance, bodies, ignore: vec![] };
        Scene::new(definition).unwrap()
    }

    /// The pair of a two-body scene, with no intervals.
    pub(crate) fn pair(verdict: PairVerdict) -> PairReport {
        PairReport {
            bodies: [0, 1],
            verdict,
            intervals: vec![],
            clear_until: 0.25,
            undecided: vec![],
            reason: None,
            deviation: 0.0,
            gap: None,
            gap_time: None,
            events: vec![],
            epsilon: None,
        }
    }

    /// The first interval is from the start to 0.25 s, the second from about 0.5 s to the end, with a contact.
    pub(crate) fn two_intervals() -> Vec<SceneInterval> {
        let contact = Contact {
            time: [0.5, 0.75],
            features: ContactFeatures::EdgeEdge { a: [0, 1], b: [4, 6] },
            point: DVec3::new(-0.0, 1.5, 2e-7),
            normal: DVec3::Z,
            approach_speed: 3.0,
            touching: false,
        };
        let axis = ScrewAxis { direction: DVec3::X, point: None, slide: 2.0, angle: 0.0 };
        let place = SceneContact {
            contact,
            moving: 1,
            static_body: 0,
            axis: Some(axis),
            is_exact: true,
            velocity: Some(DVec3::new(-0.0, -0.5, -3.0)),
            interval: [0.0, 2.0],
        };
        let first = SceneInterval {
            enter: [0.0; 2],
            exit: Some([0.25, 0.25]),
            contact: None,
            contacts: Vec::new(),
            touching: true,
        };
        let second = SceneInterval {
            enter: [0.5, 0.75],
            exit: None,
            contact: Some(place),
            contacts: Vec::new(),
            touching: false,
        };
        vec![first, second]
    }

    /// A report that lists one pair.
    pub(crate) fn report(pair: PairReport) -> SceneReport {
        SceneReport {
            verdict: pair.verdict,
            pairs_tested: 1,
            untested: chasles::SkippedPairs { resting: 0, joined: 1, statics: 2, exempt: 2 },
            pairs_clear: usize::from(pair.verdict == PairVerdict::Clear),
            events: !pair.events.is_empty(),
            pairs: vec![pair],
            overlaps: None,
            tolerance: 1e-7,
            epsilon: None,
            guarantee: Guarantee::Surfaces,
            horizon: chasles::Horizon::End,
            all_contacts: false,
            clear_until: 0.25,
            followed_until: 2.0,
            nearest: None,
            inside: vec![],
        }
    }

    const NAMES: [&str; 2] = ["table", "a \"cup\""];

    fn head(verdict: &str, more: &str) -> String {
        let at_start = usize::from(verdict == "contact" || verdict == "overlapping");
        format!(
            "{{\"format\":1,\"verdict\":\"{verdict}\",\"duration\":2.0,\"bodies\":2,\"pairs_tested\":1,\
             \"pairs_standing\":3,\"pairs_exempt\":2,\"contacts_at_start\":{at_start},\"tolerance\":1e-7,{more}\"warnings\":[],\"pairs\":[{{\"a\":\"table\",\"b\":\"a \\\"cup\\\"\",\"verdict\":\"{verdict}\","
        )
    }

    /// The two intervals in JSON.
    const INTERVALS: &str = concat!(
        r#""intervals":[{"enter":[0.0,0.0],"exit":[0.25,0.25],"touching":true},"#,
        r#"{"enter":[0.5,0.75],"exit":null,"touching":false,"contact":{"kind":"edge-edge","a":[0,1],"b":[4,6],"#,
        r#""point":[0.0,1.5,2e-7],"normal":[0.0,0.0,1.0],"touching":false,"approach_speed":3.0,"#,
        r#""screw":{"moving":"a \"cup\"","axis":[1.0,0.0,0.0],"point":null,"slide":2.0,"angle":0.0,"#,
        r#""time":[0.0,2.0],"exact":true},"velocity":[0.0,-0.5,-3.0]}}]"#
    );

    #[test]
    fn a_contact_is_written_to_the_letter() {
        for (verdict, word) in [(PairVerdict::Contact, "contact"), (PairVerdict::Overlapping, "overlapping")]
        {
            let found = report(PairReport { intervals: two_intervals(), ..pair(verdict) });
            let expected = head(word, "") + INTERVALS + r#","gap":0.0,"deviation":0.0}]}"# + "\n";
            assert_eq!(to_json(&Subject::scene(&scene(NAMES, 0.0)), &found), expected);
        }
    }

    #[test]
    fn near_and_clear_pairs_have_their_gaps() {
        let near_report = PairReport {
            intervals: two_intervals(),
            gap: Some([0.0099, 0.01]),
            deviation: 1e-6,
            ..pair(PairVerdict::Near)
        };
        let expected = head("near", r#""clearance":0.02,"#)
            + INTERVALS
            + r#","gap_at_least":0.0099,"gap":0.01,"deviation":1e-6}]}"#
            + "\n";
        assert_eq!(to_json(&Subject::scene(&scene(NAMES, 0.02)), &report(near_report)), expected);
        let clear = PairReport { gap: Some([0.5, 0.5]), gap_time: Some(1.5), ..pair(PairVerdict::Clear) };
        let expected =
            head("clear", "") + r#""gap_at_least":0.5,"gap":0.5,"gap_time":1.5,"deviation":0.0}]}"# + "\n";
        assert_eq!(to_json(&Subject::scene(&scene(NAMES, 0.0)), &report(clear)), expected);
        let nearest = NearestPair { bodies: [0, 1], gap: [0.25, 0.5], time: 1.5 };
        let named = chasles::SceneReport { nearest: Some(nearest), ..report(pair(PairVerdict::Clear)) };
        let entry =
            r#""nearest":{"a":"table","b":"a \"cup\"","gap_at_least":0.25,"gap":0.5,"gap_time":1.5},"#;
        let line = to_json(&Subject::scene(&scene(NAMES, 0.0)), &named);
        assert_eq!(line, head("clear", entry) + "\"deviation\":0.0}]}\n");
        let inside = vec![Containment { inner: 1, outer: 0, from: 0.25 }];
        let with_inside = chasles::SceneReport { inside, ..report(pair(PairVerdict::Clear)) };
        let entry = r#""inside":[{"body":"a \"cup\"","inside":"table","from":0.25}],"#;
        let line = to_json(&Subject::scene(&scene(NAMES, 0.0)), &with_inside);
        assert_eq!(line, head("clear", entry) + "\"deviation\":0.0}]}\n");
        let overlaps = ModelOverlaps { statics: vec![[0, 1]], undecided: 7, ..ModelOverlaps::default() };
        let named = chasles::SceneReport { overlaps: Some(overlaps), ..report(pair(PairVerdict::Clear)) };
        let entry = r#""assembled":[],"static_overlaps":[["table","a \"cup\""]],"overlaps_unknown":7,"#;
        let line = to_json(&Subject::scene(&scene(NAMES, 0.0)), &named);
        assert_eq!(line, head("clear", entry) + "\"deviation\":0.0}]}\n");
        let not_asked = to_json(&Subject::scene(&scene(NAMES, 0.0)), &report(pair(PairVerdict::Clear)));
        assert_eq!(not_asked, head("clear", "") + "\"deviation\":0.0}]}\n");
    }

    #[test]
    fn warnings_are_reported() {
        let scene = scene(NAMES, 0.0);
        let subject = Subject::scene(&scene).with_warnings(vec!["a \"cup\": odd".into(), "more".into()]);
        let line = to_json(&subject, &report(pair(PairVerdict::Clear)));
        assert!(line.contains(r#","warnings":["a \"cup\": odd","more"],"pairs":["#), "{line}");
        let answers =
            [NamedResult { name: "up.csv", found: Ok((&subject, &report(pair(PairVerdict::Clear)))) }];
        let all = to_json_of_all(&answers, &["shared".into()]);
        let start = r#"{"format":1,"verdict":"clear","warnings":["shared"],"paths":[{"path":"up.csv","#;
        assert!(all.starts_with(start) && all.contains(r#","warnings":["a \"cup\": odd","more"],"#), "{all}");
    }

    #[test]
    fn events_come_last() {
        let event = |features, time| SceneEvent {
            features,
            time,
            point: DVec3::new(0.5, -0.0, 2.0),
            normal: DVec3::X,
        };
        let events = vec![
            event(ContactFeatures::VertexFace { a: 4, b: 17 }, [0.25, 0.5]),
            event(ContactFeatures::EdgeEdge { a: [1, 2], b: [7, 9] }, [0.5, 0.5]),
        ];
        let itself =
            PairReport { bodies: [1, 1], events, intervals: two_intervals(), ..pair(PairVerdict::Contact) };
        let line = to_json(&Subject::scene(&scene(["table", "cloth"], 0.0)), &report(itself));
        assert!(
            line.contains(r#""pairs":[{"a":"cloth","b":"cloth","verdict":"contact","intervals":"#),
            "{line}"
        );
        let end = concat!(
            r#""gap":0.0,"deviation":0.0,"events":["#,
            r#"{"kind":"vertex-face","a":[4],"b":[17],"time":[0.25,0.5],"point":[0.5,0.0,2.0],"normal":[1.0,0.0,0.0]},"#,
            r#"{"kind":"edge-edge","a":[1,2],"b":[7,9],"time":[0.5,0.5],"point":[0.5,0.0,2.0],"normal":[1.0,0.0,0.0]}]}]}"#
        );
        assert!(line.trim_end().ends_with(end), "{line}");
    }

    #[test]
    fn undecided_results_have_reason_and_location() {
        let doubts = [
            (PairUndecidedReason::Budget, "budget: "),
            (PairUndecidedReason::Memory, "memory: "),
            (PairUndecidedReason::Rounding, "rounding: "),
            (PairUndecidedReason::Stopped, "stopped: "),
        ];
        for (doubt, word) in doubts {
            let undecided = PairReport {
                undecided: vec![[0.25, 2.0]],
                reason: Some(doubt),
                ..pair(PairVerdict::Undecided)
            };
            let line = to_json(&Subject::scene(&scene(NAMES, 0.0)), &report(undecided));
            let start = head("undecided", "") + r#""deviation":0.0,"clear_until":0.25,"why":""# + word;
            assert!(line.starts_with(&start), "{line}");
            assert!(line.ends_with("\",\"unknown\":[[0.25,2.0]]}]}\n"), "{line}");
        }
    }
}
