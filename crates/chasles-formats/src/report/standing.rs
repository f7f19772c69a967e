//! What intersects at one time as JSON, one object on one line.
//!
//! ```json
//! {"format":1,"at":0.5,"pairs":[{"a":"gripper","b":"table","triangles":[[4,17],[4,18]],"depth":0.02,"translation":[0,0,0.02]}]}
//! ```
//!
//! `triangles`: pairs of a triangle of `a` and one of `b`, numbered from 0 after polygons are cut; those of a link count on from each of
//! its parts to the next. `translation`, in metres in the world, parts `a` from `b`, and `depth` is its length.

use chasles::{Parting, StandingPair};
use serde::Serialize;

use crate::text::json::{json_line, plain, plain_vector};

/// What was found at a time, as one line of JSON, its end included; `names`: those of the bodies.
///
/// ```
/// use chasles_formats::report::standing;
/// use chasles_formats::{scene_build, scene_file};
/// let text = b"format = 1\nduration = 2.0\n[[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n";
/// let path = "scene.toml".as_ref();
/// let scene = scene_build::build(&scene_file::parse(text, path)?, path)?.scene;
/// let pairs = scene.standing(0.5).unwrap();
/// assert!(pairs.is_empty());
/// assert_eq!(standing::to_json(&["table"], 0.5, &[]), "{\"format\":1,\"at\":0.5,\"pairs\":[]}\n");
/// # Ok::<(), chasles_formats::Error>(())
/// ```
#[must_use]
pub fn to_json(names: &[&str], time: f64, pairs: &[(StandingPair, Option<Parting>)]) -> String {
    let name = |body: usize| names.get(body).copied().unwrap_or_default();
    let pairs = pairs.iter().map(|(pair, parting)| {
        let [a, b] = pair.bodies.map(name);
        let parting = parting.as_ref();
        Pair {
            a,
            b,
            triangles: &pair.triangles,
            depth: parting.map(|parting| plain(parting.length)),
            translation: parting.map(|parting| plain_vector(parting.translation)),
        }
    });
    json_line(&Report { format: 1, at: plain(time), pairs: pairs.collect() })
}

#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    at: f64,
    pairs: Vec<Pair<'a>>,
}

#[derive(Serialize)]
struct Pair<'a> {
    a: &'a str,
    b: &'a str,
    triangles: &'a [[u32; 2]],
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    translation: Option<[f64; 3]>,
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;

    #[test]
    fn to_the_letter() {
        let pair = |triangles: &[[u32; 2]]| StandingPair { bodies: [0, 1], triangles: triangles.to_vec() };
        let parting = Parting { translation: DVec3::new(-0.0, 0.0, 0.5), length: 0.5 };
        let pairs = [(pair(&[[0, 7], [3, 1]]), Some(parting)), (pair(&[]), None)];
        let names = "{\"a\":\"table\",\"b\":\"a \\\"cup\\\"\",\"triangles\":";
        let expected = format!(
            "{{\"format\":1,\"at\":0.0,\"pairs\":[{names}[[0,7],[3,1]],\"depth\":0.5,\
             \"translation\":[0.0,0.0,0.5]}},{names}[]}}]}}\n"
        );
        assert_eq!(to_json(&["table", "a \"cup\""], -0.0, &pairs), expected);
    }
}
