//! Writes the lines of a recording.

use std::path::{Component, Path, absolute};

use chasles::{FlexibleState, ForcedStop, MomentContact, Released, SimulationDefinition, SimulationState};
use glam::DVec3;
use serde::Serialize;

use crate::text::json::{json_line, plain, plain_vector};

/// The scene's name in a recording: the path from the recording's folder, so that both may be moved together.
/// Without a recording file the path is as given; if the two have no folder in common, it is absolute.
#[must_use]
pub fn scene_name(scene: &Path, recording: Option<&Path>) -> String {
    let unchanged_path = || scene.to_string_lossy().into_owned();
    let Some(recording) = recording else { return unchanged_path() };
    // Links are resolved, because `..` leads to the parent of the link's target.
    let absolute_path = |path: &Path| path.canonicalize().or_else(|_| absolute(path)).ok();
    let folder = recording.parent().filter(|folder| !folder.as_os_str().is_empty());
    let (Some(scene), Some(folder)) = (absolute_path(scene), absolute_path(folder.unwrap_or(Path::new("."))))
    else {
        return unchanged_path();
    };
    let common = scene.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let is_named = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !scene.components().take(common).any(is_named) && folder.components().any(is_named) {
        return scene.to_string_lossy().into_owned();
    }
    let up = folder.components().skip(common).map(|_| "..".into());
    let down = scene.components().skip(common).map(|part| part.as_os_str().to_string_lossy());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// The header, with its line end. `scene`: see [`scene_name`]. `depth`: the maximum penetration depth of the recording, in
/// metres.
#[must_use]
pub fn head(scene: &str, definition: &SimulationDefinition, depth: f64) -> String {
    let bodies = definition.scene.bodies().iter().zip(&definition.bodies);
    let bodies = bodies.filter(|(_, simulated)| simulated.dynamics.is_some());
    let flexible = definition
        .flexible
        .iter()
        .filter_map(|flexible_body| definition.scene.bodies().get(flexible_body.body));
    json_line(&HeadLine {
        format: 1,
        kind: "recording",
        scene,
        duration: definition.scene.duration(),
        depth,
        bodies: bodies.map(|(body, _)| body.name.as_str()).collect(),
        flexible: flexible.map(|body| body.name.as_str()).collect(),
    })
}

/// The line of a moment of a simulation, with its line end.
#[must_use]
pub fn line(definition: &SimulationDefinition, moment: &SimulationState) -> String {
    let poses = moment.poses.iter().map(|pose| {
        let ([x, y, z], quaternion) = (plain_vector(pose.position()), pose.rotation());
        let [qw, qx, qy, qz] = [quaternion.w, quaternion.x, quaternion.y, quaternion.z].map(plain);
        [x, y, z, qw, qx, qy, qz]
    });
    let velocities = moment.velocities.iter().map(|&[linear, angular]| {
        let ([vx, vy, vz], [wx, wy, wz]) = (plain_vector(linear), plain_vector(angular));
        [vx, vy, vz, wx, wy, wz]
    });
    json_line(&MomentLine {
        t: plain(moment.time),
        poses: poses.collect(),
        velocities: velocities.collect(),
        vertices: flexible(moment, |state| &state.vertices),
        vertex_velocities: flexible(moment, |state| &state.velocities),
        released: moment.released.iter().map(|release| released(definition, release)).collect(),
        forced: moment.forced.iter().map(|stop| ForcedStopJson::new(definition, stop)).collect(),
        contacts: moment.contacts.iter().map(|contact| entry(definition, contact)).collect(),
        energy: RecordedEnergyJson {
            kinetic: plain(moment.energy.kinetic),
            potential: plain(moment.energy.potential),
            dissipated: plain(moment.energy.dissipated),
        },
    })
}

/// Positions or velocities of the vertices of all flexible bodies.
fn flexible(moment: &SimulationState, of: impl Fn(&FlexibleState) -> &Vec<DVec3>) -> Vec<Vec<[f64; 3]>> {
    moment.flexible.iter().map(|state| of(state).iter().map(|value| plain_vector(*value)).collect()).collect()
}

fn released<'a>(definition: &'a SimulationDefinition, release: &Released) -> ReleasedEntry<'a> {
    let body = definition.scene.bodies().get(release.body).map_or("", |body| body.name.as_str());
    ReleasedEntry { body, t: plain(release.time) }
}

fn entry<'a>(definition: &'a SimulationDefinition, contact: &MomentContact) -> RecordedContactJson<'a> {
    let bodies = definition.scene.bodies();
    let name = |number: usize| bodies.get(number).map_or("", |body| body.name.as_str());
    let [a, b] = contact.bodies.map(name);
    let [point, normal, impulse] = [contact.point, contact.normal, contact.impulse].map(plain_vector);
    RecordedContactJson { a, b, t: plain(contact.time), point, normal, impulse }
}

/// The header in JSON: the order of the fields is the order of the keys, as in all lines.
#[derive(Serialize)]
struct HeadLine<'a> {
    format: u32,
    kind: &'static str,
    scene: &'a str,
    duration: f64,
    depth: f64,
    bodies: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    flexible: Vec<&'a str>,
}

#[derive(Serialize)]
struct MomentLine<'a> {
    t: f64,
    poses: Vec<[f64; 7]>,
    velocities: Vec<[f64; 6]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vertices: Vec<Vec<[f64; 3]>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vertex_velocities: Vec<Vec<[f64; 3]>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    released: Vec<ReleasedEntry<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    forced: Vec<ForcedStopJson<'a>>,
    contacts: Vec<RecordedContactJson<'a>>,
    energy: RecordedEnergyJson,
}

#[derive(Serialize)]
struct ReleasedEntry<'a> {
    body: &'a str,
    t: f64,
}

/// A forced stop, in recordings and reports.
#[derive(Serialize)]
pub(crate) struct ForcedStopJson<'a> {
    t: f64,
    bodies: Vec<&'a str>,
    energy: f64,
}

impl<'a> ForcedStopJson<'a> {
    pub(crate) fn new(definition: &'a SimulationDefinition, stop: &ForcedStop) -> Self {
        let name = |body: &usize| Some(definition.scene.bodies().get(*body)?.name.as_str());
        Self {
            t: plain(stop.time),
            bodies: stop.bodies.iter().filter_map(name).collect(),
            energy: plain(stop.energy),
        }
    }
}

#[derive(Serialize)]
struct RecordedContactJson<'a> {
    a: &'a str,
    b: &'a str,
    t: f64,
    point: [f64; 3],
    normal: [f64; 3],
    impulse: [f64; 3],
}

#[derive(Serialize)]
struct RecordedEnergyJson {
    kinetic: f64,
    potential: f64,
    dissipated: f64,
}
