//! The result of `chasles screen`: all collisions of two meshes along a screw between features that matter, as one
//! JSON object.
//!
//! ```json
//! {"format":1,"name":"p1","way":"exact","verdict":"contact",
//!  "screw":{"direction":[..],"point":[..],"zero":[..],"slide":d,"angle":b},
//!  "facing":{"a":{..},"b":{..}},
//!  "collisions":[{"kind":"vertex-face","a":[4],"b":[17],"time":[lo,hi],"point":[..],"normal":[..],"properness":0.4,
//!                 "proper":true,"from":"vertex-vertex"}],
//!  "culled":3,"concurrent":[[0,1],[2]],
//!  "inside":{"a":[{"vertex":4,"start":false,"end":true,"in":1,"out":0}],"b":[]},
//!  "warnings":[],
//!  "probes":[{"screen":[r,h],"clearance":{"time":t,"angle":rad,"metres":m}}]}
//! ```
//!
//! Names and order of the keys are fixed. Numbers have the shortest form that reads back the same; -0 is written as
//! 0.

use chasles::{
    Clearance, ContactFeatures, DegenerateFeatures, Facing, FlowLineHit, Free, Play, Probe, ScrewFrame,
    UndecidedReason, VertexPassages, concurrent,
};
use glam::DVec3;
use serde::Serialize;

use super::answer::reason;
pub use super::answer::{ContactJson, FeaturesEntry};
use crate::info::facing::FacingEntry;
use crate::text::json::json_line;
pub use crate::text::json::{plain, plain_vector};

/// The report about one pair on one screw.
#[derive(Debug, Clone, PartialEq)]
pub struct ScreenReport {
    /// The problem's name, or the scene's file.
    pub name: String,
    /// The two bodies, if they come from a scene.
    pub pair: Option<ScreenedPair>,
    /// The method that found the collisions.
    pub method: ScreenMethod,
    /// The verdict on the two bodies.
    pub verdict: ScreenVerdict,
    /// The screw and the coordinates of the screen, in the frame of B.
    pub screw: ScrewFrame,
    /// The orientation of the surfaces of A and of B to the screw.
    pub facing: [Facing; 2],
    /// The collisions, sorted by time.
    pub collisions: Vec<ListedCollision>,
    /// Number of contacts left out because their features do not matter for the screw; `None` if not counted.
    pub culled: Option<usize>,
    /// Number of feature pairs left out because rounding leaves their contact undecided.
    pub doubtful: usize,
    /// If set, collisions whose start times differ by at most this value are grouped.
    pub concurrent: Option<f64>,
    /// For each body, the entries and exits of its vertices through the other's surface; `None` if not computed.
    pub inside: Option<[Option<Vec<VertexPassages>>; 2]>,
    /// The sampled flow lines, with times in the unit of the report.
    pub probes: Vec<Probe>,
    /// The distance that A can move freely in both directions, if requested; times in the unit of the report.
    pub play: Option<Play>,
    /// The warnings about the input, one sentence each.
    pub warnings: Vec<String>,
}

/// Two bodies of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct ScreenedPair {
    /// The names of the bodies, A's first.
    pub names: [String; 2],
    /// Duration in seconds: the second is the unit of all times in the report.
    pub duration: f64,
    /// Bound of the distance between the screw and the motion, in metres.
    pub deviation: f64,
}

/// The method that found the collisions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScreenMethod {
    /// Exact, by features: no collision is missed.
    Exact,
    /// Approximate, on a screen of pixels.
    Pixels {
        /// Number of pixels along the diagonal of the smaller mesh.
        resolution: u32,
        /// The side of a pixel, in metres.
        pixel: f64,
    },
}

/// The reason for an undecided result, in a sentence; its first word is for programs.
#[must_use]
pub fn undecided_reason(undecided: UndecidedReason) -> &'static str {
    reason(undecided)
}

/// The verdict on the two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScreenVerdict {
    /// They do not touch.
    Clear,
    /// They touch.
    Contact,
    /// Their surfaces intersect at the start.
    Overlapping,
    /// No verdict was proven.
    Undecided {
        /// Proven clear until this time, in the unit of the report.
        clear_until: f64,
        /// The reason.
        reason: UndecidedReason,
    },
}

/// A collision of the report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListedCollision {
    /// An enclosure of the time, in the unit of the report.
    pub time: [f64; 2],
    /// The features in contact.
    pub features: ContactFeatures,
    /// The contact point in metres: in the frame of B for a problem, in the world frame for a scene.
    pub point: DVec3,
    /// The unit normal from A to B, in the same frame.
    pub normal: DVec3,
    /// How proper the collision is, from -1 to 1.
    pub properness: f64,
    /// Whether a plane separates the two bodies near the point.
    pub proper: bool,
    /// The place of the contact, if it is at a vertex of one body and a vertex or edge of the other.
    pub from: Option<DegenerateFeatures>,
}

impl ScreenVerdict {
    /// The word for the verdict.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Contact => "contact",
            Self::Overlapping => "overlapping",
            Self::Undecided { .. } => "undecided",
        }
    }

    /// The reason for an undecided verdict, in a sentence, and the time until which it is clear.
    #[must_use]
    pub fn undecided_reason(&self) -> Option<(&'static str, f64)> {
        match self {
            Self::Undecided { clear_until, reason: undecided_reason } => {
                Some((reason(*undecided_reason), *clear_until))
            }
            _ => None,
        }
    }
}

/// The word for the place of a contact.
#[must_use]
pub fn contact_place_label(from: DegenerateFeatures) -> &'static str {
    match from {
        DegenerateFeatures::VertexVertex => "vertex-vertex",
        DegenerateFeatures::VertexEdge => "vertex-edge",
        DegenerateFeatures::EdgeVertex => "edge-vertex",
    }
}

/// The word for the extent of a free motion.
#[must_use]
pub fn free_label(free: &Free) -> &'static str {
    match free {
        Free::Binds(_) => "binds",
        Free::Never => "free",
        Free::Undecided { .. } => "undecided",
        Free::Overlapping => "overlapping",
    }
}

impl ScreenReport {
    /// The groups of concurrent collisions, if requested: indices into the list.
    #[must_use]
    pub fn groups(&self) -> Option<Vec<Vec<usize>>> {
        let starts = self.collisions.iter().map(|collision| collision.time[0]);
        self.concurrent.map(|within| concurrent(starts, within))
    }

    /// The report as one line of JSON, with its line end.
    #[must_use]
    pub fn to_line(&self) -> String {
        json_line(&ScreenJson::of(self))
    }
}

/// The report in JSON: the order of the fields is the order of the keys.
#[derive(Serialize)]
struct ScreenJson<'a> {
    format: u32,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<[&'a str; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
    way: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pixel: Option<f64>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    clear_until: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deviation: Option<f64>,
    screw: ScrewJson,
    facing: Sides<FacingEntry>,
    collisions: Vec<CollisionEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    culled: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubtful: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrent: Option<Vec<Vec<usize>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<Sides<Option<Vec<VertexPassagesJson>>>>,
    warnings: &'a [String],
    probes: Vec<ProbeEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<PlayEntry>,
}

/// A screw in JSON: the keys `direction`, `point`, `zero`, `slide` and `angle`.
#[derive(Serialize)]
pub struct ScrewJson {
    direction: [f64; 3],
    point: [f64; 3],
    zero: [f64; 3],
    slide: f64,
    angle: f64,
}

/// Values of A and of B.
#[derive(Serialize)]
struct Sides<T> {
    a: T,
    b: T,
}

#[derive(Serialize)]
struct CollisionEntry {
    #[serde(flatten)]
    features: FeaturesEntry,
    time: [f64; 2],
    point: [f64; 3],
    normal: [f64; 3],
    properness: f64,
    proper: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
}

#[derive(Serialize)]
struct VertexPassagesJson {
    vertex: u32,
    start: Option<bool>,
    end: Option<bool>,
    #[serde(rename = "in")]
    entries: u32,
    #[serde(rename = "out")]
    exits: u32,
}

#[derive(Serialize)]
struct ProbeEntry {
    screen: [f64; 2],
    clearance: Option<ClearanceEntry>,
    /// The reason, if the clearance is undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

#[derive(Serialize)]
struct ClearanceEntry {
    time: f64,
    angle: f64,
    metres: f64,
}

#[derive(Serialize)]
struct PlayEntry {
    forward: FreeEntry,
    backward: FreeEntry,
}

/// The free motion of A in one direction, in JSON; times in the unit of the report.
#[derive(Serialize)]
pub struct FreeEntry {
    /// As [`free_label`].
    pub verdict: &'static str,
    /// An enclosure of the time of the contact that ends the motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<[f64; 2]>,
    /// The angle of the motion until this contact, in radians.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    /// The slide until this contact, in metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slide: Option<f64>,
    /// This contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactJson>,
    /// The time until which an undecided motion is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_until: Option<f64>,
    /// The reason for an undecided motion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
}

impl<'a> ScreenJson<'a> {
    fn of(report: &'a ScreenReport) -> Self {
        let (way, resolution, pixel) = match report.method {
            ScreenMethod::Exact => ("exact", None, None),
            ScreenMethod::Pixels { resolution, pixel } => ("pixels", Some(resolution), Some(plain(pixel))),
        };
        let pair = report.pair.as_ref();
        let undecided_reason = report.verdict.undecided_reason();
        let [a, b] = [0, 1].map(|side: usize| FacingEntry::of(&report.facing[side]));
        Self {
            format: 1,
            name: &report.name,
            pair: pair.map(|pair| [0, 1].map(|side: usize| pair.names[side].as_str())),
            duration: pair.map(|pair| plain(pair.duration)),
            way,
            resolution,
            pixel,
            verdict: report.verdict.word(),
            clear_until: undecided_reason.map(|(_, until)| plain(until)),
            why: undecided_reason.map(|(why, _)| why),
            deviation: pair.map(|pair| plain(pair.deviation)),
            screw: ScrewJson::of(&report.screw),
            facing: Sides { a, b },
            collisions: report.collisions.iter().map(CollisionEntry::of).collect(),
            culled: report.culled,
            doubtful: (report.doubtful > 0).then_some(report.doubtful),
            concurrent: report.groups(),
            inside: report.inside.as_ref().map(|[a, b]| Sides { a: inside(a), b: inside(b) }),
            warnings: &report.warnings,
            probes: report.probes.iter().map(ProbeEntry::of).collect(),
            play: report.play.as_ref().map(PlayEntry::of),
        }
    }
}

impl ScrewJson {
    /// Converts a screw.
    #[must_use]
    pub fn of(frame: &ScrewFrame) -> Self {
        Self {
            direction: plain_vector(frame.direction),
            point: plain_vector(frame.point),
            zero: plain_vector(frame.zero),
            slide: plain(frame.slide),
            angle: plain(frame.angle),
        }
    }
}

impl CollisionEntry {
    fn of(collision: &ListedCollision) -> Self {
        Self {
            features: FeaturesEntry::of(collision.features),
            time: collision.time.map(plain),
            point: plain_vector(collision.point),
            normal: plain_vector(collision.normal),
            properness: plain(collision.properness),
            proper: collision.proper,
            from: collision.from.map(contact_place_label),
        }
    }
}

fn inside(passages: &Option<Vec<VertexPassages>>) -> Option<Vec<VertexPassagesJson>> {
    let entry = |passages: &VertexPassages| VertexPassagesJson {
        vertex: passages.vertex,
        start: passages.start,
        end: passages.end,
        entries: passages.entries,
        exits: passages.exits,
    };
    passages.as_ref().map(|all| all.iter().map(entry).collect())
}

impl ProbeEntry {
    fn of(probe: &Probe) -> Self {
        let (clearance, why) = match &probe.hit {
            FlowLineHit::Nothing => (None, None),
            FlowLineHit::Part(clearance) => (Some(ClearanceEntry::of(clearance)), None),
            FlowLineHit::Undecided(why) => (None, Some(reason(*why))),
        };
        Self { screen: probe.screen.map(plain), clearance, why }
    }
}

impl ClearanceEntry {
    fn of(clearance: &Clearance) -> Self {
        let Clearance { time, angle, metres } = *clearance;
        Self { time: plain(time), angle: plain(angle), metres: plain(metres) }
    }
}

impl PlayEntry {
    fn of(play: &Play) -> Self {
        Self { forward: FreeEntry::of(&play.forward), backward: FreeEntry::of(&play.backward) }
    }
}

impl FreeEntry {
    /// Converts a free motion.
    #[must_use]
    pub fn of(free: &Free) -> Self {
        let (binding, undecided) = match free {
            Free::Binds(binding) => (Some(binding), None),
            Free::Undecided { free_until, reason } => (None, Some((*free_until, *reason))),
            Free::Never | Free::Overlapping => (None, None),
        };
        Self {
            verdict: free_label(free),
            time: binding.map(|binding| binding.time.map(plain)),
            angle: binding.map(|binding| plain(binding.angle)),
            slide: binding.map(|binding| plain(binding.slide)),
            contact: binding.map(|binding| ContactJson::of(&binding.contact)),
            free_until: undecided.map(|(until, _)| plain(until)),
            why: undecided.map(|(_, why)| reason(why)),
        }
    }
}

#[cfg(test)]
mod tests {
    use chasles::{Binding, Contact, FacingFaces, PreparedMesh, Primitive, Screw, screw_frame};

    use super::*;

    fn report() -> ScreenReport {
        let cube = Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh;
        let point = DVec3::new(-1.0, 0.0, 3.0);
        let screw = Screw::about(chasles::Pose::IDENTITY, DVec3::Z, point, 0.0, 2.0).unwrap();
        let screw = screw_frame(&PreparedMesh::new(cube), &screw);
        let faces = FacingFaces { forward: 1, backward: 2, split: 3, along: 4 };
        let facing = Facing { forward: 0.5, backward: 0.25, along: -0.0, faces, edges: 18, culled_edges: 5 };
        ScreenReport {
            name: "p \"1\"".into(),
            pair: None,
            method: ScreenMethod::Exact,
            verdict: ScreenVerdict::Clear,
            screw,
            facing: [facing, Facing::default()],
            collisions: vec![],
            culled: Some(0),
            doubtful: 0,
            concurrent: None,
            inside: Some([None, Some(vec![])]),
            probes: vec![],
            play: None,
            warnings: vec!["odd".into()],
        }
    }

    const SCREW: &str = r#""screw":{"direction":[0.0,0.0,1.0],"point":[-1.0,0.0,0.0],"zero":[1.0,0.0,0.0],"slide":0.0,"angle":2.0}"#;
    const FACING: &str = concat!(
        r#""facing":{"a":{"forward":0.5,"backward":0.25,"along":0.0,"#,
        r#""faces":{"forward":1,"backward":2,"split":3,"along":4},"edges":18,"culled_edges":5},"#,
        r#""b":{"forward":0.0,"backward":0.0,"along":0.0,"#,
        r#""faces":{"forward":0,"backward":0,"split":0,"along":0},"edges":0,"culled_edges":0}}"#
    );

    #[test]
    fn clear_report_format_is_exact() {
        let head = r#"{"format":1,"name":"p \"1\"","way":"exact","verdict":"clear","#;
        let rest = r#""collisions":[],"culled":0,"inside":{"a":null,"b":[]},"warnings":["odd"],"probes":[]}"#;
        assert_eq!(report().to_line(), format!("{head}{SCREW},{FACING},{rest}\n"));
    }

    #[test]
    fn collision_format_is_exact() {
        let vertex = ListedCollision {
            time: [-0.0, 0.1 + 0.2],
            features: ContactFeatures::VertexFace { a: 4, b: 17 },
            point: DVec3::new(-0.0, 1e-9, 1.0 / 3.0),
            normal: DVec3::new(0.0, -1.0, -0.0),
            properness: 0.4,
            proper: true,
            from: Some(DegenerateFeatures::VertexVertex),
        };
        let edges = ListedCollision {
            features: ContactFeatures::EdgeEdge { a: [0, 1], b: [7, 2] },
            time: [0.5, 0.5],
            properness: -0.0,
            proper: false,
            from: None,
            ..vertex
        };
        let clearance = Clearance { time: -0.0, angle: 0.5, metres: 1.5 };
        let contact = Contact {
            time: [0.25, 0.5],
            features: ContactFeatures::FaceVertex { a: 1, b: 2 },
            point: DVec3::X,
            normal: DVec3::Y,
            approach_speed: 2.5,
            touching: false,
        };
        let binding = Binding { time: [0.25, 0.5], angle: -0.0, slide: 1.5, contact };
        let passages = VertexPassages { vertex: 4, start: None, end: Some(true), entries: 2, exits: 1 };
        let report = ScreenReport {
            verdict: ScreenVerdict::Contact,
            collisions: vec![vertex, edges],
            culled: Some(3),
            doubtful: 2,
            concurrent: Some(0.1),
            inside: Some([Some(vec![passages]), None]),
            probes: vec![
                Probe { screen: [1.0, -0.0], hit: FlowLineHit::Part(clearance) },
                Probe { screen: [0.0, 2.0], hit: FlowLineHit::Nothing },
                Probe { screen: [0.0, 2.0], hit: FlowLineHit::Undecided(UndecidedReason::Budget) },
            ],
            play: Some(Play { forward: Free::Binds(binding), backward: Free::Never }),
            ..report()
        };
        let head = r#"{"format":1,"name":"p \"1\"","way":"exact","verdict":"contact","#;
        let body = r#""point":[0.0,1e-9,0.3333333333333333],"normal":[0.0,-1.0,0.0]"#;
        let first = format!(
            r#"{{"kind":"vertex-face","a":[4],"b":[17],"time":[0.0,0.30000000000000004],{body},"properness":0.4,"proper":true,"from":"vertex-vertex"}}"#
        );
        let second = format!(
            r#"{{"kind":"edge-edge","a":[0,1],"b":[7,2],"time":[0.5,0.5],{body},"properness":0.0,"proper":false}}"#
        );
        let counts = r#""culled":3,"doubtful":2,"concurrent":[[0],[1]]"#;
        let inside = r#""inside":{"a":[{"vertex":4,"start":null,"end":true,"in":2,"out":1}],"b":null}"#;
        let clearance = r#"{"time":0.0,"angle":0.5,"metres":1.5}"#;
        let probes = format!(
            r#""warnings":["odd"],"probes":[{{"screen":[1.0,0.0],"clearance":{clearance}}},{{"screen":[0.0,2.0],"clearance":null}},{{"screen":[0.0,2.0],"clearance":null,"why":"{}"}}]"#,
            undecided_reason(UndecidedReason::Budget)
        );
        let play = concat!(
            r#""play":{"forward":{"verdict":"binds","time":[0.25,0.5],"angle":0.0,"slide":1.5,"contact":{"#,
            r#""kind":"face-vertex","a":[1],"b":[2],"point":[1.0,0.0,0.0],"normal":[0.0,1.0,0.0],"#,
            r#""touching":false,"approach_speed":2.5}},"backward":{"verdict":"free"}}"#
        );
        let expected = format!(
            "{head}{SCREW},{FACING},\"collisions\":[{first},{second}],{counts},{inside},{probes},{play}}}\n"
        );
        assert_eq!(report.to_line(), expected);
    }

    #[test]
    fn pixels_scenes_and_reasons_have_keys() {
        let pixels = ScreenReport {
            method: ScreenMethod::Pixels { resolution: 128, pixel: 0.25 },
            culled: None,
            inside: None,
            ..report()
        };
        let head =
            r#"{"format":1,"name":"p \"1\"","way":"pixels","resolution":128,"pixel":0.25,"verdict":"clear","#;
        assert_eq!(
            pixels.to_line(),
            format!("{head}{SCREW},{FACING},\"collisions\":[],\"warnings\":[\"odd\"],\"probes\":[]}}\n")
        );

        let names = ["arm".into(), "\"b\"".into()];
        let scene = ScreenReport {
            pair: Some(ScreenedPair { names, duration: 2.0, deviation: 1e-15 }),
            verdict: ScreenVerdict::Undecided { clear_until: -0.0, reason: UndecidedReason::Budget },
            ..report()
        };
        let head = r#"{"format":1,"name":"p \"1\"","pair":["arm","\"b\""],"duration":2.0,"way":"exact","verdict":"undecided","clear_until":0.0,"why":"budget: "#;
        let found = scene.to_line();
        assert!(found.starts_with(head) && found.contains(r#"","deviation":1e-15,"screw":"#), "{found}");
    }
}
