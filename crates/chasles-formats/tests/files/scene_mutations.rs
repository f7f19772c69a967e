//! No text makes the readers of scenes and problems panic, and what they accept obeys the rules.

use std::path::Path;

use chasles_formats::problems::{ProblemMotion, parse_line};
use chasles_formats::scene::file::{MotionEntry, PoseEntry, SceneFile, parse};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const SCENE: &str = r#"format = 1
duration = 2.0
tolerance = 1e-7
[[body]]
name = "a"
mesh = "a.stl"
scale = 2
pose = { position = [0, 1, 2], rotation = [1, 0, 0.5, 0] }
parent = "b"
group = "g"
solid = true
motion = { kind = "twist", linear = [1, 0, 0], angular = [0, 0, 1] }
[[body]]
name = "b"
cone = { radius = 1, height = 2 }
[body.motion]
kind = "keyframes"
times = [0.0, 2.0]
positions = [[0, 0, 0], [1, 0, 0]]
rotations = [[1, 0, 0, 0], [0, 1, 0, 0]]
interpolation = "step"
[[body]]
name = "c"
box = [1, 2, 3]
motion = { kind = "screw", axis = [0, 0, 1], point = [0, 0, 0], slide = 1, angle = 9 }
[[body]]
name = "d"
implicit = "x^2/4 + y^2 + sqrt(z*z) - 1"
bounds = [[-2, -1, -1], [2, 1, 1]]
[[body]]
name = "e"
csg = { difference = [ { box = [1, 1, 0.1] }, { union = [ { mesh = "b.stl", scale = 2 }, { half_space = { normal = [0, 0, 1], offset = 1 } } ] } ] }
[[body]]
name = "f"
points = "f.pcd"
radius = 0.1
[[body]]
name = "g"
heights = { file = "g.npy", spacing = [1, 2], bottom = -1 }
[[body]]
name = "h"
sphere = 1
motion = { kind = "keyframes", keys = "h.csv", interpolation = "linear" }
[[ignore]]
pair = ["a", "*"]
"#;

const PROBLEM: &str = r#"{"name":"p","a":{"mesh":"a.obj"},"b":{"mesh":"b.obj"},"pose0":[0,0,0,1,0,0,0],"screw":{"s":[0,0,1],"p":[0,0,0],"d":0.5,"b":6.3}}"#;

/// Pieces that are likely to cause faults.
const PIECES: [&str; 40] = [
    "", "0", "-1", "1e999", "1e308", "1e-320", "nan", "-inf", "[", "]", "{", "}", "[[", "]]", "\"", "'",
    "'''", "\n", "\r\n", "\\u", "\\ud800", "\u{feff}", "\0", "é", ".", ",", "=", ":", "#", "true", "null",
    "\"a\"", "\"b\"", "\"*\"", "[body.motion]", "[[body]]\n", "2020-01-01", "0x", "99999999999999999999",
    "kind = \"keyframes\"",
];

/// One change. Positions are in thousandths of the text or of its words.
#[derive(Debug, Clone)]
enum SceneChange {
    /// A word is replaced by another word: usually the text stays well-formed, and the rules are tested.
    Word { place: usize, by: usize },
    /// A word is replaced by a piece.
    Piece { place: usize, piece: &'static str },
    /// `cut` bytes are replaced by a piece, also within a character.
    Bytes { place: usize, cut: usize, piece: &'static str },
}

fn change() -> impl Strategy<Value = SceneChange> {
    let place = || 0..1000usize;
    let piece = || prop::sample::select(PIECES.as_slice());
    prop_oneof![
        4 => (place(), place()).prop_map(|(place, by)| SceneChange::Word { place, by }),
        3 => (place(), piece()).prop_map(|(place, piece)| SceneChange::Piece { place, piece }),
        1 => (place(), 0..12usize, piece()).prop_map(|(place, cut, piece)| SceneChange::Bytes { place, cut, piece }),
    ]
}

/// The positions of the words of a text: runs of letters, digits, dots and signs, in quotes or not.
fn words(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let within = |byte: &u8| byte.is_ascii_alphanumeric() || b"._+-*\"'".contains(byte);
    let mut words: Vec<std::ops::Range<usize>> = Vec::new();
    for index in (0..text.len()).filter(|&index| within(&text[index])) {
        match words.last_mut() {
            Some(word) if word.end == index => word.end += 1,
            _ => words.push(index..index + 1),
        }
    }
    words
}

fn changed(text: &str, changes: &[SceneChange]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for change in changes {
        let words = words(&bytes);
        let word = |place: usize| words.get(place * words.len() / 1000).cloned().unwrap_or(0..0);
        let (range, new) = match *change {
            SceneChange::Word { place, by } => (word(place), bytes[word(by)].to_vec()),
            SceneChange::Piece { place, piece } => (word(place), piece.as_bytes().to_vec()),
            SceneChange::Bytes { place, cut, piece } => {
                let start = place * bytes.len() / 1000;
                (start..(start + cut).min(bytes.len()), piece.as_bytes().to_vec())
            }
        };
        bytes.splice(range, new);
    }
    bytes
}

fn sound_pose(pose: &PoseEntry) -> bool {
    pose.position.is_finite() && pose.rotation.is_normalized()
}

fn sound_scene(scene: &SceneFile) -> bool {
    scene.duration > 0.0
        && scene.duration.is_finite()
        && !scene.bodies.is_empty()
        && scene.bodies.iter().all(|body| {
            let moves = match &body.motion {
                None | Some(MotionEntry::KeyFile { .. }) => true,
                Some(MotionEntry::Twist { linear, angular }) => linear.is_finite() && angular.is_finite(),
                Some(MotionEntry::Screw { axis, point, slide, angle }) => {
                    (1.0..4.0).contains(&axis.length())
                        && point.is_finite()
                        && slide.is_finite()
                        && angle.is_finite()
                }
                Some(MotionEntry::Keyframes { times, positions, rotations, .. }) => {
                    !times.is_empty()
                        && (times.len(), times.len()) == (positions.len(), rotations.len())
                        && times.windows(2).all(|pair| pair[0] < pair[1])
                        && positions.iter().all(|position| position.is_finite())
                        && rotations.iter().all(|rotation| rotation.is_normalized())
                }
            };
            moves && sound_pose(&body.pose) && body.scale > 0.0 && body.line > 0
        })
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_240),
        failure_persistence: None,
        ..Default::default()
    }
}

proptest! {
    #![proptest_config(config(chasles_testing::cases(2_000, 20_000)))]

    #[test]
    fn mutated_scenes_never_panic(changes in prop::collection::vec(change(), 1..5)) {
        match parse(&changed(SCENE, &changes), Path::new("s.toml")) {
            Ok(scene) => prop_assert!(sound_scene(&scene), "{scene:?}"),
            Err(error) => prop_assert!(error.to_string().starts_with("s.toml:")),
        }
    }

    #[test]
    fn mutated_problems_never_panic(changes in prop::collection::vec(change(), 1..5)) {
        match parse_line(&changed(PROBLEM, &changes), 5, Path::new("p.jsonl")) {
            Ok(problem) => {
                let sound = match problem.motion {
                    ProblemMotion::To(pose) => sound_pose(&pose),
                    ProblemMotion::Screw { s, p, d, b } => (1.0..4.0).contains(&s.length()) && p.is_finite() && d.is_finite() && b.is_finite(),
                };
                prop_assert!(sound && sound_pose(&problem.pose0), "{problem:?}");
            }
            Err(bad) => prop_assert!(bad.error.starts_with("p.jsonl:5: "), "{}", bad.error),
        }
    }
}

#[test]
fn the_unchanged_texts_are_valid() {
    assert!(sound_scene(&parse(SCENE.as_bytes(), Path::new("s.toml")).unwrap()));
    parse_line(PROBLEM.as_bytes(), 5, Path::new("p.jsonl")).unwrap();
}
