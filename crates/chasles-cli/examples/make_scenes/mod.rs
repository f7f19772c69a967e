//! The computed part of the folder `scenes/`: meshes, frames and samples, and the values of the expected reports.
//!
//! The other files are sources, written by hand. The expected results are computed from the scenes in the folder, and
//! the reports there must have the same values.

pub(crate) mod double;
pub(crate) mod solid;
pub(crate) mod frames;
pub(crate) mod thread;
mod cloth;
pub(crate) mod meshes;
pub(crate) mod samples;
pub(crate) mod scene;
mod camera;
pub(crate) mod truth;
pub(crate) mod expected;
mod screws;
mod fits;
mod shapes;
mod deforming;
mod robot;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::make_scenes::expected::{Truth, bisected};
use crate::make_scenes::scene::Scene;

/// The files that are computed, by their paths in the folder, with forward slashes.
pub(crate) fn files() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::from([
        ("samples/hill.npy".to_owned(), samples::hill()),
        ("samples/lattice.xyz".to_owned(), samples::lattice().into_bytes()),
        ("robots/seen.pcd".to_owned(), camera::pcd().into_bytes()),
    ]);
    files.extend(meshes::files());
    files
}

type TruthFn = fn(&Scene) -> Truth;

/// The scenes of `chasles check` and their truth.
const TRUTHS: [(&str, TruthFn); 34] = [
    ("arm-past-post", screws::beyond_screws),
    ("balls-over-hill", shapes::balls_over_hill),
    ("bolt-in-nut", screws::bolt_in_nut),
    ("bolt-off-pitch", screws::bolt_off_pitch),
    ("breathing-sphere", deforming::breathing_sphere),
    ("cloth-over-ball", bisected),
    ("cloth-with-gap", deforming::cloth_with_gap),
    ("far-axis", screws::far_axis),
    ("figure1-edge-edge", bisected),
    ("figure1-face-vertex", bisected),
    ("fingers-at-points", shapes::fingers_at_points),
    ("grazing-clear", bisected),
    ("grazing-contact", screws::grazing_contact),
    ("half-turn-gripper", screws::half_turn_gripper),
    ("inside-solid", screws::inside_solid),
    ("jump", screws::jump),
    ("key-in-hub", fits::key_in_hub),
    ("landing-flat", screws::landing_flat),
    ("linked-tori", bisected),
    ("linked-tori-pulled", screws::linked_tori_pulled),
    ("near-balls", screws::near_balls),
    ("near-corner", screws::near_corner),
    ("needle-through-plate", screws::needle_through_plate),
    ("pin-in-hole", shapes::pin_in_hole),
    ("pin-on-rim", shapes::pin_on_rim),
    ("pin-tight", shapes::pin_tight),
    ("pin-too-tight", shapes::pin_too_tight),
    ("plug-in-socket", fits::plug_in_socket),
    ("round-dip", screws::round_dip),
    ("sliding-box", screws::sliding_box),
    ("strip-folds", deforming::strip_folds),
    ("tori-of-formulas", shapes::tori_of_formulas),
    ("torus-through-torus", bisected),
    ("two-twists", screws::beyond_screws),
];

/// The computed values of the expected reports by their keys, null for keys that a report must not have: by the file of
/// the report. It reads the scenes in the folder.
fn truths(folder: &Path) -> BTreeMap<String, Value> {
    let read = |name: &str| Scene::read(folder, name);
    let scene = |(name, truth): (&'static str, TruthFn)| {
        let scene = read(name);
        (name, truth(&scene).values(&scene))
    };
    let reports = TRUTHS.into_iter().map(scene).chain(robot::truths(read));
    let mut truths: BTreeMap<_, _> =
        reports.map(|(name, values)| (format!("{name}.expected.json"), values)).collect();
    truths.insert("bolt-driven.end.json".to_owned(), json!({ "end": [bolt_end(&read("bolt-driven"))] }));
    truths
}

/// A box that contains the bolt's position at the end of its simulation. Per revolution the bolt sinks by the pitch,
/// within the axial play.
fn bolt_end(scene: &Scene) -> Value {
    let micrometres = |x: f64| (x * 1e6).round() / 1e6 + 0.0;
    let start = thread::engaged(5.0);
    assert_eq!(scene.bodies[1].pose.position, [0.0, 0.0, micrometres(start)], "the bolt's position");
    let end = start - thread::PITCH;
    let [low, high] =
        [-1.0, 1.0].map(|side| [side * 1e-4, side * 1e-4, end + side * 1.3e-4].map(micrometres));
    json!({ "body": "bolt", "low": low, "high": high })
}

/// A sentence for each computed value that the expected reports in the folder do not have.
pub(crate) fn differences(folder: &Path) -> Vec<String> {
    let truths = truths(folder);
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let names =
        names.filter_map(|name| name.into_string().ok()).filter(|name| name.ends_with(".expected.json"));
    let unknown = names.filter(|name| !truths.contains_key(name));
    let mut differences: Vec<_> =
        unknown.map(|name| format!("{name}: no truth is computed for it")).collect();
    for (name, values) in truths {
        let text = std::fs::read_to_string(folder.join(&name)).unwrap_or_default();
        let report: Value = serde_json::from_str(&text).unwrap_or_default();
        for (key, value) in values.as_object().into_iter().flatten() {
            if report[key] != *value {
                differences.push(format!("{name}: {key} is {}, computed {value}", report[key]));
            }
        }
    }
    differences
}
