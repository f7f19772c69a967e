//! The intersecting pairs at one time as JSON, one object on one line.
//!
//! ```json
//! {"format":1,"at":0.5,"warnings":[],"pairs":[{"a":"gripper","b":"table","triangles":[[4,17],[4,18]],"depth":0.02,"translation":[0,0,0.02]}]}
//! ```
//!
//! `triangles`: pairs of a triangle of `a` and a triangle of `b`, numbered from 0 after polygons are triangulated;
//! the numbers of a link continue from each of its parts to the next. `translation`, in metres in the world frame,
//! separates `a` from `b`, and `depth` is its length. Two convex bodies also have
//!
//! ```json
//! "interpenetrating":true,"inside":[0,0,0.5],"points":[{"of":"a","vertex":4,"point":[..]},
//! {"of":"b","edge":[3,7],"from":[..],"to":[..],"point":[..]},{"of":"b","face":5,"point":[..]}]
//! ```
//!
//! `interpenetrating`: whether their interiors share a point; `inside` is such a point. `points`: features of each
//! body that are strictly inside the other.

use chasles::{InnerFeature, InnerPoint, Interpenetration, IntersectingPair, Penetration};
use serde::Serialize;

use crate::text::json::{json_line, plain, plain_vector};

/// The pairs that intersect at a time, as one line of JSON, with its line end. `names` are the names of the bodies,
/// and `warnings` are about the input.
///
/// ```
/// use chasles_formats::report::static_pairs;
/// use chasles_formats::scene;
/// let text = b"format = 1\nduration = 2.0\n[[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n";
/// let path = "scene.toml".as_ref();
/// let scene = scene::build::build(&scene::file::parse(text, path)?, path)?.scene;
/// let pairs = scene.static_intersections(0.5).unwrap();
/// assert!(pairs.is_empty());
/// assert_eq!(static_pairs::to_json(&["table"], (0.5, &[]), &[]), "{\"format\":1,\"at\":0.5,\"warnings\":[],\"pairs\":[]}\n");
/// # Ok::<(), chasles_formats::Error>(())
/// ```
#[must_use]
pub fn to_json(names: &[&str], (time, pairs): (f64, &[ReportedIntersection]), warnings: &[String]) -> String {
    let name = |body: usize| names.get(body).copied().unwrap_or_default();
    let pairs = pairs.iter().map(|ReportedIntersection { pair, penetration, interpenetration }| {
        let [a, b] = pair.bodies.map(name);
        let penetration = penetration.as_ref();
        let (interpenetrating, inside, points) = match interpenetration {
            None => (None, None, None),
            Some(Interpenetration::Disjoint) => (Some(false), None, Some(Vec::new())),
            Some(Interpenetration::Shared { inside, points: [of_a, of_b] }) => {
                let of = |side, points: &[InnerPoint]| {
                    points.iter().map(|point| PointEntry::of(side, point)).collect::<Vec<_>>()
                };
                (Some(true), inside.map(plain_vector), Some([of("a", of_a), of("b", of_b)].concat()))
            }
        };
        StaticPairJson {
            a,
            b,
            triangles: &pair.triangles,
            depth: penetration.map(|penetration| plain(penetration.length)),
            translation: penetration.map(|penetration| plain_vector(penetration.translation)),
            interpenetrating,
            inside,
            points,
        }
    });
    json_line(&StaticReportJson { format: 1, at: plain(time), warnings, pairs: pairs.collect() })
}

/// The findings about two bodies that intersect at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedIntersection {
    /// The bodies, and the triangles that intersect.
    pub pair: IntersectingPair,
    /// The translation that separates them.
    pub penetration: Option<Penetration>,
    /// Their interpenetration, for two convex bodies.
    pub interpenetration: Option<Interpenetration>,
}

#[derive(Serialize)]
struct StaticReportJson<'a> {
    format: u32,
    at: f64,
    warnings: &'a [String],
    pairs: Vec<StaticPairJson<'a>>,
}

#[derive(Serialize)]
struct StaticPairJson<'a> {
    a: &'a str,
    b: &'a str,
    triangles: &'a [[u32; 2]],
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    translation: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interpenetrating: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Vec<PointEntry>>,
}

/// A feature of one body inside the other.
#[derive(Clone, Serialize)]
struct PointEntry {
    of: &'static str,
    #[serde(flatten)]
    feature: InnerFeatureJson,
    point: [f64; 3],
}

#[derive(Clone, Serialize)]
#[serde(untagged)]
enum InnerFeatureJson {
    Vertex { vertex: u32 },
    Edge { edge: [u32; 2], from: [f64; 3], to: [f64; 3] },
    Face { face: u32 },
}

impl PointEntry {
    fn of(side: &'static str, inner: &InnerPoint) -> Self {
        let feature = match inner.of {
            InnerFeature::Vertex(vertex) => InnerFeatureJson::Vertex { vertex },
            InnerFeature::Edge { vertices: edge, ends } => {
                let [from, to] = ends.map(plain_vector);
                InnerFeatureJson::Edge { edge, from, to }
            }
            InnerFeature::Face(face) => InnerFeatureJson::Face { face },
        };
        Self { of: side, feature, point: plain_vector(inner.point) }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn report_format_is_exact() {
        let pair = |triangles: &[[u32; 2]], penetration| ReportedIntersection {
            pair: IntersectingPair { bodies: [0, 1], triangles: triangles.to_vec() },
            penetration,
            interpenetration: None,
        };
        let penetration = Penetration { translation: DVec3::new(-0.0, 0.0, 0.5), length: 0.5 };
        let pairs = [pair(&[[0, 7], [3, 1]], Some(penetration)), pair(&[], None)];
        let names = "{\"a\":\"table\",\"b\":\"a \\\"cup\\\"\",\"triangles\":";
        let expected = format!(
            "{{\"format\":1,\"at\":0.0,\"warnings\":[],\"pairs\":[{names}[[0,7],[3,1]],\"depth\":0.5,\
             \"translation\":[0.0,0.0,0.5]}},{names}[]}}]}}\n"
        );
        assert_eq!(to_json(&["table", "a \"cup\""], (-0.0, &pairs), &[]), expected);
    }

    #[test]
    fn convex_body_format_is_exact() {
        let inner = |of| InnerPoint { of, point: DVec3::new(1.0, -0.0, 2.5) };
        let edge = InnerFeature::Edge { vertices: [3, 7], ends: [DVec3::ZERO, DVec3::X] };
        let points = [vec![inner(InnerFeature::Vertex(4))], vec![inner(edge), inner(InnerFeature::Face(5))]];
        let overlap = |interpenetration| ReportedIntersection {
            pair: IntersectingPair { bodies: [0, 1], triangles: vec![] },
            penetration: None,
            interpenetration: Some(interpenetration),
        };
        let pairs = [
            overlap(Interpenetration::Shared { inside: Some(DVec3::Z), points }),
            overlap(Interpenetration::Shared { inside: None, points: [vec![], vec![]] }),
            overlap(Interpenetration::Disjoint),
        ];
        let names = "{\"a\":\"one\",\"b\":\"two\",\"triangles\":[],\"interpenetrating\":";
        let point = "\"point\":[1.0,0.0,2.5]}";
        let expected = format!(
            "{{\"format\":1,\"at\":0.5,\"warnings\":[],\"pairs\":[\
             {names}true,\"inside\":[0.0,0.0,1.0],\"points\":[{{\"of\":\"a\",\"vertex\":4,{point},\
             {{\"of\":\"b\",\"edge\":[3,7],\"from\":[0.0,0.0,0.0],\"to\":[1.0,0.0,0.0],{point},\
             {{\"of\":\"b\",\"face\":5,{point}]}},\
             {names}true,\"points\":[]}},{names}false,\"points\":[]}}]}}\n"
        );
        assert_eq!(to_json(&["one", "two"], (0.5, &pairs), &[]), expected);
    }
}
