//! What intersects at one time as JSON, one object on one line.
//!
//! ```json
//! {"format":1,"at":0.5,"pairs":[{"a":"gripper","b":"table","triangles":[[4,17],[4,18]]}]}
//! ```
//!
//! `triangles`: pairs of a triangle of `a` and one of `b`, numbered from 0 after polygons are cut.

use chasles::{Scene, StandingPair};
use serde::Serialize;

use crate::report::{json_line, plain};

/// What [`Scene::standing`] found at a time, as one line of JSON, its end included.
///
/// ```
/// use chasles_formats::{scene_build, scene_file, standing_report};
/// let text = b"format = 1\nduration = 2.0\n[[body]]\nname = 'table'\nbox = [1, 1, 0.1]\n";
/// let path = "scene.toml".as_ref();
/// let scene = scene_build::build(&scene_file::parse(text, path)?, path)?.scene;
/// let pairs = scene.standing(0.5).unwrap();
/// assert_eq!(standing_report::to_json(&scene, 0.5, &pairs), "{\"format\":1,\"at\":0.5,\"pairs\":[]}\n");
/// # Ok::<(), chasles_formats::Error>(())
/// ```
#[must_use]
pub fn to_json(scene: &Scene, time: f64, pairs: &[StandingPair]) -> String {
    let name = |body: usize| scene.bodies()[body].name.as_str();
    let pairs = pairs.iter().map(|pair| {
        let [a, b] = pair.bodies.map(name);
        Pair { a, b, triangles: &pair.triangles }
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene_report::tests::scene;

    #[test]
    fn to_the_letter() {
        let scene = scene(["table", "a \"cup\""], 0.0);
        let pairs = [StandingPair { bodies: [0, 1], triangles: vec![[0, 7], [3, 1]] }];
        let expected = "{\"format\":1,\"at\":0.0,\"pairs\":[{\"a\":\"table\",\"b\":\"a \\\"cup\\\"\",\"triangles\":[[0,7],[3,1]]}]}\n";
        assert_eq!(to_json(&scene, -0.0, &pairs), expected);
    }
}
