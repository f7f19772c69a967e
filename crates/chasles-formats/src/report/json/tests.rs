//! Tests of JSON reports to the letter, and the reports that these tests and others share.

use chasles::{
    BodyMotion, CollisionShape, Contact, ContactFeatures, ModelOverlaps, PairUndecidedReason, PairVerdict,
    Pose, Primitive, Scene, SceneBody, SceneDefinition, SceneInterval, ScrewAxis,
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
    PairReport { verdict, ..PairReport::clear([0, 1], 0.25) }
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
fn contact_format_is_exact() {
    for (verdict, word) in [(PairVerdict::Contact, "contact"), (PairVerdict::Overlapping, "overlapping")] {
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
    let entry = r#""nearest":{"a":"table","b":"a \"cup\"","gap_at_least":0.25,"gap":0.5,"gap_time":1.5},"#;
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
    let answers = [NamedResult { name: "up.csv", found: Ok((&subject, &report(pair(PairVerdict::Clear)))) }];
    let all = to_json_of_all(&answers, &["shared".into()]);
    let start = r#"{"format":1,"verdict":"clear","warnings":["shared"],"paths":[{"path":"up.csv","#;
    assert!(all.starts_with(start) && all.contains(r#","warnings":["a \"cup\": odd","more"],"#), "{all}");
}

#[test]
fn events_come_last() {
    let event =
        |features, time| SceneEvent { features, time, point: DVec3::new(0.5, -0.0, 2.0), normal: DVec3::X };
    let events = vec![
        event(ContactFeatures::VertexFace { a: 4, b: 17 }, [0.25, 0.5]),
        event(ContactFeatures::EdgeEdge { a: [1, 2], b: [7, 9] }, [0.5, 0.5]),
    ];
    let itself =
        PairReport { bodies: [1, 1], events, intervals: two_intervals(), ..pair(PairVerdict::Contact) };
    let line = to_json(&Subject::scene(&scene(["table", "cloth"], 0.0)), &report(itself));
    assert!(line.contains(r#""pairs":[{"a":"cloth","b":"cloth","verdict":"contact","intervals":"#), "{line}");
    let end = concat!(
        r#""gap":0.0,"deviation":0.0,"events":["#,
        r#"{"kind":"vertex-face","a":[4],"b":[17],"time":[0.25,0.5],"point":[0.5,0.0,2.0],"normal":[1.0,0.0,0.0]},"#,
        r#"{"kind":"edge-edge","a":[1,2],"b":[7,9],"time":[0.5,0.5],"point":[0.5,0.0,2.0],"normal":[1.0,0.0,0.0]}]}]}"#
    );
    assert!(line.trim_end().ends_with(end), "{line}");
}

#[test]
fn undecided_results_have_reason_and_location() {
    let reasons = [
        (PairUndecidedReason::Budget, "budget: "),
        (PairUndecidedReason::Memory, "memory: "),
        (PairUndecidedReason::Rounding, "rounding: "),
        (PairUndecidedReason::Stopped, "stopped: "),
    ];
    for (reason, word) in reasons {
        let undecided =
            PairReport { undecided: vec![[0.25, 2.0]], reason: Some(reason), ..pair(PairVerdict::Undecided) };
        let line = to_json(&Subject::scene(&scene(NAMES, 0.0)), &report(undecided));
        let start = head("undecided", "") + r#""deviation":0.0,"clear_until":0.25,"why":""# + word;
        assert!(line.starts_with(&start), "{line}");
        assert!(line.ends_with("\",\"unknown\":[[0.25,2.0]]}]}\n"), "{line}");
    }
}
