//! The document of the page of a screen: both bodies, the screw, the clearances of A, and the collisions, as JSON.
//!
//! Format 1, in TypeScript notation; `base64` encodes little-endian numbers. Units are metres and radians;
//! quaternions are (w, x, y, z). Quantities are in the frame of B. Names and order of the keys are fixed; numbers
//! are the shortest decimals that parse to the same value.
//!
//! ```ts
//! interface ScreenDocument {
//!   format: 1; name: string; names: [string, string];  // names of A and B
//!   way: "exact" | "pixels"; verdict: "clear" | "contact" | "overlapping" | "undecided"; why: string | null;
//!   duration: number; unit: string;   // of the whole motion; "": times are fractions of the motion
//!   screw: { start: number[7];        // the pose of A at the start: x, y, z, qw, qx, qy, qz
//!            direction: Vec; point: Vec; zero: Vec; slide: number; angle: number;  // as in the report
//!            velocity: Vec };         // of A's origin at the start, per whole motion, perpendicular to the direction
//!   bodies: [BodyDocument, BodyDocument];  // A and B
//!   undecided: number;                // the number of undecided pieces of A
//!   collisions: { kind: "vertex-face" | "face-vertex" | "edge-edge" | "surfaces"; a: number[]; b: number[];
//!                 time: [lo, hi];     // in the unit
//!                 share: number;      // the middle of that time, as a fraction of the motion
//!                 point: Vec; normal: Vec; properness: number; proper: boolean;
//!                 behind: boolean }[];  // a nearer part of B lies on the same flow line
//!   play: null | { forward: Free; backward: Free };
//! }
//! interface BodyDocument {
//!   positions: base64 of f64;         // x, y, z of each vertex, in the body's frame
//!   triangles: base64 of u32;         // three vertex numbers each
//!   cuts: base64 of u8;               // a binary tree for each triangle, depth first: 0 is a piece; 1, 2, 3 are a cut
//!                                     // through the midpoint m of the edge that starts at corner 0, 1, 2. Let p, q, r
//!                                     // be the corners, starting with that corner: the subtree of (p, m, r) comes
//!                                     // first, then the subtree of (m, q, r)
//!   times: base64 of f32;             // for each piece: -2 if it cannot collide, because it does not lead (A) or
//!                                     // trail (B). Otherwise 0 for B; for A the time in [0, ..) from its centre to
//!                                     // the nearest part of B, or -1 if no part of B is ahead
//!   outline: base64 of f64;           // borders of the parts that can collide, as lines in the frame of B: six
//!                                     // numbers each, both ends
//!   creases: base64 of f64;           // creases inside these parts, in the same form
//! }
//! interface Free { verdict: "binds" | "free" | "undecided" | "overlapping";
//!                  time: [lo, hi] | null; angle: number | null; slide: number | null;  // null unless it binds
//!                  point: Vec | null; free_until: number | null; why: string | null }
//! ```

use chasles::{FacingSurface, Free, Mesh, Play, Screw, ScrewFrame, facing_surfaces, screw_frame};
use chasles_formats::report::screen::{
    FeaturesEntry, FreeEntry, ListedCollision, ScreenMethod, ScreenReport, ScrewJson, plain, plain_vector,
};
use glam::DVec3;
use serde::Serialize;

use super::patches::Patches;
use super::{MarkStyle, ScreenError, ScreenMark, ScreenShown, mark_styles};
use crate::playback::{packed, seven};

/// The document of the page of a screen.
#[derive(Debug, Clone, PartialEq)]
pub struct ScreenDocument {
    json: String,
    undecided: usize,
}

/// The version of the format.
const FORMAT: u32 = 1;

/// Lengths in this range, in metres, can be drawn; other lengths do not fit into 32-bit floats.
const SHOWN: std::ops::RangeInclusive<f64> = 1e-30..=1e30;

impl ScreenDocument {
    /// Creates the document of a pair from its report. `shown` must have a mark for each collision of the report.
    ///
    /// The clearance of A is sampled at about 20,000 pieces of its surface (one piece for each face, if there are
    /// more faces). The samples are not a proof.
    ///
    /// # Errors
    /// As [`first_contact`](chasles::first_contact); also if a body is too large or too small to be drawn.
    ///
    /// # Panics
    /// If memory is full.
    pub fn new(
        shown: &ScreenShown<'_>,
        report: &ScreenReport,
        options: &chasles::Options,
    ) -> Result<Self, ScreenError> {
        for mesh in [shown.a.mesh(), shown.b.mesh()] {
            let (size, far) = (mesh.diagonal(), mesh.centre().abs().max_element());
            if let Some(found) = [size, far].into_iter().find(|x| *x > 0.0 && *x > *SHOWN.end()) {
                return Err(ScreenError::Length(found));
            }
            if size > 0.0 && size < *SHOWN.start() {
                return Err(ScreenError::Length(size));
            }
        }
        let faced = facing_surfaces(shown.a, shown.b, shown.screw);
        let [a, b] = faced.each_ref().map(Patches::new);
        let (times, undecided) = a.times(shown.b, shown.screw, options)?;
        let mark_styles = mark_styles(shown, options)?;
        let collisions = report.collisions.iter().zip(&shown.collisions).zip(mark_styles);
        let names = report.pair.as_ref().map(|pair| pair.names.clone());
        let document = ScreenPageJson {
            format: FORMAT,
            name: &report.name,
            names: names.unwrap_or_else(|| ["A".into(), "B".into()]),
            way: match report.method {
                ScreenMethod::Exact => "exact",
                ScreenMethod::Pixels { .. } => "pixels",
            },
            verdict: report.verdict.word(),
            why: report.verdict.undecided_reason().map(|(reason, _)| reason),
            duration: shown.duration.0,
            unit: shown.duration.1,
            screw: PlacedScrewEntry::of(&screw_frame(shown.b, shown.screw), shown.screw),
            bodies: [
                ScreenBodyJson::of(&faced[0], &a, &times),
                ScreenBodyJson::of(&faced[1], &b, &b.facing()),
            ],
            undecided,
            collisions: collisions
                .map(|((listed, mark), style)| CollisionEntry::of(listed, mark, style))
                .collect(),
            play: report.play.as_ref().map(PlayEntry::of),
        };
        let json = serde_json::to_string(&document).expect("memory takes every byte, and our keys are text");
        Ok(Self { json, undecided })
    }

    /// Returns the document as JSON on one line.
    #[must_use]
    pub fn to_json(&self) -> &str {
        &self.json
    }

    /// Returns the number of pieces of A for which it is undecided what lies ahead.
    #[must_use]
    pub fn undecided(&self) -> usize {
        self.undecided
    }
}

/// The order of the fields is the order of the keys.
#[derive(Serialize)]
struct ScreenPageJson<'a> {
    format: u32,
    name: &'a str,
    names: [String; 2],
    way: &'static str,
    verdict: &'static str,
    why: Option<&'static str>,
    duration: f64,
    unit: &'a str,
    screw: PlacedScrewEntry,
    bodies: [ScreenBodyJson; 2],
    undecided: usize,
    collisions: Vec<CollisionEntry>,
    play: Option<PlayEntry>,
}

#[derive(Serialize)]
struct PlacedScrewEntry {
    start: [f64; 7],
    #[serde(flatten)]
    screw: ScrewJson,
    velocity: [f64; 3],
}

#[derive(Serialize)]
struct ScreenBodyJson {
    positions: String,
    triangles: String,
    cuts: String,
    times: String,
    outline: String,
    creases: String,
}

#[derive(Serialize)]
struct CollisionEntry {
    #[serde(flatten)]
    features: FeaturesEntry,
    time: [f64; 2],
    share: f64,
    point: [f64; 3],
    normal: [f64; 3],
    properness: f64,
    proper: bool,
    behind: bool,
}

#[derive(Serialize)]
struct PlayEntry {
    forward: FreePageEntry,
    backward: FreePageEntry,
}

#[derive(Serialize)]
struct FreePageEntry {
    verdict: &'static str,
    time: Option<[f64; 2]>,
    angle: Option<f64>,
    slide: Option<f64>,
    point: Option<[f64; 3]>,
    free_until: Option<f64>,
    why: Option<&'static str>,
}

impl PlacedScrewEntry {
    fn of(frame: &ScrewFrame, screw: &Screw) -> Self {
        let start = screw.start();
        let entire = screw.velocity_at(start.position(), 0.0);
        Self {
            start: seven(&start).map(plain),
            screw: ScrewJson::of(frame),
            velocity: plain_vector(entire - entire.dot(frame.direction) * frame.direction),
        }
    }
}

impl ScreenBodyJson {
    fn of(faced: &FacingSurface<'_>, surface_patches: &Patches, times: &[f32]) -> Self {
        let borders = faced.borders();
        Self {
            positions: packed(vertices(faced.mesh()).flat_map(|v| v.to_array()).map(f64::to_le_bytes)),
            triangles: packed(faced.mesh().triangles().iter().flatten().map(|v| v.to_le_bytes())),
            cuts: packed(surface_patches.cuts.iter().map(|cut| [*cut])),
            times: packed(times.iter().map(|time| time.to_le_bytes())),
            outline: lines(&borders.outline),
            creases: lines(&borders.creases),
        }
    }
}

impl CollisionEntry {
    fn of(listed: &ListedCollision, mark: &ScreenMark, style: MarkStyle) -> Self {
        Self {
            features: FeaturesEntry::of(listed.features),
            time: listed.time.map(plain),
            share: plain(mark.time),
            point: plain_vector(mark.point),
            normal: plain_vector(mark.normal),
            properness: plain(listed.properness),
            proper: listed.proper,
            behind: style == MarkStyle::Hollow,
        }
    }
}

impl PlayEntry {
    fn of(play: &Play) -> Self {
        Self { forward: FreePageEntry::of(&play.forward), backward: FreePageEntry::of(&play.backward) }
    }
}

impl FreePageEntry {
    fn of(free: &Free) -> Self {
        let FreeEntry { verdict, time, angle, slide, contact, free_until, why } = FreeEntry::of(free);
        Self { verdict, time, angle, slide, point: contact.map(|contact| contact.point), free_until, why }
    }
}

fn vertices(mesh: &Mesh) -> impl Iterator<Item = DVec3> + '_ {
    (0..mesh.vertex_count())
        .map(|vertex| u32::try_from(vertex).map_or(DVec3::ZERO, |vertex| mesh.vertex(vertex)))
}

fn lines(lines: &[[DVec3; 2]]) -> String {
    packed(lines.iter().flatten().flat_map(|end| end.to_array()).map(f64::to_le_bytes))
}

#[cfg(test)]
mod tests {
    use chasles::{Binding, Contact, ContactFeatures, Facing, Options, Pose, PreparedMesh, facings};
    use chasles_formats::report::screen::{ScreenVerdict, ScreenedPair};

    use super::*;

    /// A triangle in the plane z = 0 that faces up.
    fn triangle() -> PreparedMesh {
        PreparedMesh::new(Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap())
    }

    fn report(screw: &Screw, b: &PreparedMesh) -> ScreenReport {
        ScreenReport {
            name: "p </script>".into(),
            pair: None,
            method: ScreenMethod::Exact,
            verdict: ScreenVerdict::Clear,
            screw: screw_frame(b, screw),
            facing: [Facing::default(); 2],
            collisions: vec![],
            culled: Some(0),
            doubtful: 0,
            concurrent: None,
            inside: None,
            probes: vec![],
            play: None,
            warnings: vec![],
        }
    }

    #[test]
    fn document_format_is_exact() {
        // A moves down and faces up, and B faces up too: A has no leading face, B no trailing face.
        let [a, b] = [
            triangle(),
            PreparedMesh::new(Mesh::new(vec![DVec3::ZERO, DVec3::Y, DVec3::X], vec![[0, 1, 2]]).unwrap()),
        ];
        let start = Pose::from_position(DVec3::new(0.0, -0.0, 2.0)).unwrap();
        let screw = Screw::translation(start, DVec3::new(0.0, 0.0, -4.0));
        let mark = ScreenMark {
            time: 0.25,
            point: DVec3::new(-0.0, 0.5, 0.0),
            normal: DVec3::NEG_Z,
            features: ContactFeatures::EdgeEdge { a: [0, 1], b: [2, 0] },
            proper: true,
        };
        let listed = ListedCollision {
            time: [0.49, 0.51],
            features: mark.features,
            point: DVec3::ONE,
            normal: DVec3::X,
            properness: -0.0,
            proper: true,
            from: None,
        };
        let contact = Contact {
            time: [0.25, 0.5],
            features: ContactFeatures::FaceVertex { a: 0, b: 2 },
            point: DVec3::X,
            normal: DVec3::Y,
            approach_speed: 2.5,
            touching: false,
        };
        let binding = Binding { time: [0.25, 0.5], angle: -0.0, slide: 1.5, contact };
        let report = ScreenReport {
            pair: Some(ScreenedPair { names: ["lid".into(), "pot".into()], duration: 2.0, deviation: 0.0 }),
            verdict: ScreenVerdict::Contact,
            collisions: vec![listed],
            play: Some(Play { forward: Free::Binds(binding), backward: Free::Never }),
            ..report(&screw, &b)
        };
        let shown = ScreenShown { a: &a, b: &b, screw: &screw, duration: (2.0, "s"), collisions: vec![mark] };
        let document = ScreenDocument::new(&shown, &report, &Options::default()).unwrap();
        let numbers = |points: [DVec3; 3]| {
            packed(points.iter().flat_map(|point| point.to_array()).map(f64::to_le_bytes))
        };
        let body = |points: [DVec3; 3]| {
            format!(
                r#"{{"positions":"{}","triangles":"AAAAAAEAAAACAAAA","cuts":"AA==","times":"AAAAwA==","outline":"","creases":""}}"#,
                numbers(points)
            )
        };
        let expected = [
            r#"{"format":1,"name":"p </script>","names":["lid","pot"],"way":"exact","verdict":"contact","why":null,"#,
            r#""duration":2.0,"unit":"s","screw":{"start":[0.0,0.0,2.0,1.0,0.0,0.0,0.0],"direction":[0.0,0.0,-1.0],"#,
            r#""point":[0.5,0.5,0.0],"zero":[1.0,0.0,0.0],"slide":4.0,"angle":0.0,"velocity":[0.0,0.0,0.0]},"bodies":["#,
            &body([DVec3::ZERO, DVec3::X, DVec3::Y]),
            ",",
            &body([DVec3::ZERO, DVec3::Y, DVec3::X]),
            r#"],"undecided":0,"collisions":[{"kind":"edge-edge","a":[0,1],"b":[2,0],"time":[0.49,0.51],"share":0.25,"#,
            r#""point":[0.0,0.5,0.0],"normal":[0.0,0.0,-1.0],"properness":0.0,"proper":true,"behind":false}],"#,
            r#""play":{"forward":{"verdict":"binds","time":[0.25,0.5],"angle":0.0,"slide":1.5,"point":[1.0,0.0,0.0],"#,
            r#""free_until":null,"why":null},"backward":{"verdict":"free","time":null,"angle":null,"slide":null,"#,
            r#""point":null,"free_until":null,"why":null}}}"#,
        ]
        .concat();
        assert_eq!(document.to_json(), expected);
        assert_eq!(document.undecided(), 0);
    }

    #[test]
    fn a_problem_has_neither_names_nor_unit() {
        let [a, b] = [triangle(), triangle()];
        let start = Pose::from_position(DVec3::new(0.25, 0.25, -2.0)).unwrap();
        let screw = Screw::translation(start, DVec3::new(0.0, 0.0, 4.0));
        let report = ScreenReport { facing: facings(&a, &b, &screw), ..report(&screw, &b) };
        let shown = ScreenShown { a: &a, b: &b, screw: &screw, duration: (1.0, ""), collisions: vec![] };
        let json = ScreenDocument::new(&shown, &report, &Options::default()).unwrap().json;
        assert!(
            json.contains(r#""names":["A","B"]"#) && json.contains(r#""duration":1.0,"unit":"","#),
            "{json}"
        );
        assert!(json.ends_with(r#""undecided":0,"collisions":[],"play":null}"#), "{json}");
    }

    #[test]
    fn undrawable_screens_are_errors() {
        let b = triangle();
        let huge = PreparedMesh::new(b.mesh().scaled(1e40).unwrap());
        let screw = Screw::translation(Pose::IDENTITY, DVec3::X);
        let shown = ScreenShown { a: &huge, b: &b, screw: &screw, duration: (1.0, ""), collisions: vec![] };
        let refused = ScreenDocument::new(&shown, &report(&screw, &b), &Options::default()).unwrap_err();
        assert!(matches!(refused, ScreenError::Length(length) if length > 1e40), "{refused}");
        assert!(refused.to_string().contains("expected 1e-30 to 1e30 m"), "{refused}");
    }
}
