//! Flexible bodies in scene files and recordings.

use std::path::{Path, PathBuf};

use chasles::{
    CheckOptions, EnergyLosses, PairVerdict, Simulation, SimulationDefinition, SimulationState, StepResult,
};
use chasles_formats::Result;
use chasles_formats::recording::{self, RecordedScene, ResumableRecording};
use chasles_formats::scene;
use chasles_formats::scene::file::{RecordedEntry, ShapeEntry};
use glam::DVec3;
use tempfile::TempDir;

const SCENE: &str =
    "format = 1\nduration = 0.02\n[[body]]\nname = 'jelly'\nbox = [0.2, 0.2, 0.2]\nmass = 2\n";

fn refused(more: &str) -> String {
    let text = format!("{SCENE}{more}\n");
    scene::file::parse(text.as_bytes(), Path::new("s.toml")).unwrap_err().to_string()
}

#[test]
fn a_flexible_body_is_read_and_its_vertices_are_recorded() {
    let text = format!("{SCENE}flexible = {{ stiffness = 500 }}\nvelocity = {{ linear = [1, 0, 0] }}\n");
    let path = Path::new("s.toml");
    let file = scene::file::parse(text.as_bytes(), path).unwrap();
    let definition = scene::build::simulation(&file, path).unwrap().definition;
    let own = definition.flexible[0];
    assert_eq!((own.body, own.mass, own.stiffness, own.damping), (0, 2.0, 500.0, 0.05));
    assert!(definition.bodies[0].dynamics.is_none());
    let head = recording::head("s.toml", &definition, definition.depth);
    assert!(head.ends_with("\"bodies\":[],\"flexible\":[\"jelly\"]}\n"), "{head}");
    let mut simulation = Simulation::new(definition.clone(), false).unwrap();
    let StepResult::Moments(moments) = simulation.advance(&()).unwrap() else { panic!() };
    let line = recording::line(&definition, &moments[0]);
    assert!(line.contains("\"vertices\":[[[-0.1,-0.1,-0.1],"), "{line}");
    assert!(line.contains("\"vertex_velocities\":[[[1,0,0],") || line.contains("[[[1.0,0.0,0.0],"), "{line}");
}

#[test]
fn meaningless_keys_are_errors() {
    let springs = "flexible = { stiffness = 5 }\n";
    for key in ["release = 'contact'", "inertia = [1, 1, 1]", "center = [0, 0, 0]", "solid = true"] {
        let error = refused(&format!("{springs}{key}"));
        let name = key.split(' ').next().unwrap();
        assert!(error.contains(&format!("found `{name}` in a flexible body")), "{error}");
    }
    assert!(refused("flexible = { damping = 0.1 }").contains("found no `stiffness`"));
    assert!(refused("flexible = { stiffness = -5 }").contains("stiffness"));
    assert!(refused("flexible = { stiffness = 5, damping = -1 }").contains("damping"));
    assert!(refused("flexible = { stiffness = 5, spring = 1 }").contains("spring"));
}

/// A pyramid from an OBJ file in millimetres that lists its apex twice falls on a floor beside a rigid ball; a sheet
/// floats. The pyramid has 6 vertices in total.
const FALL: &str = "format = 1\nduration = 0.1\nsimulation = { gravity = [0, 0, -9.81], record = 0.02 }\n\
    [[body]]\nname = 'ball'\nsphere = 0.1\nmass = 1\npose = { position = [3, 0, 1] }\n\
    [[body]]\nname = 'floor'\nbox = [1, 1, 0.1]\npose = { position = [0, 0, -0.05] }\n\
    [[body]]\nname = 'tip'\nmesh = 'tip.obj'\nunit = 'mm'\nscale = 2\nmass = 1\nflexible = { stiffness = 200 }\n\
    pose = { position = [0, 0, 0.01], rotation = [0.8, 0, 0, 0.6] }\n\
    [[body]]\nname = 'jelly'\nbox = [0.2, 0.2, 0.2]\nmass = 1\nflexible = { stiffness = 500 }\n\
    pose = { position = [0, 0, 0.4] }\n\
    [[ignore]]\npair = ['ball', '*']\n";

const TIP: &str = "v -50 -50 0\nv 50 -50 0\nv 50 50 0\nv -50 50 0\nv 0 0 80\nv 0 0 80\n\
    f 1 3 2\nf 1 4 3\nf 1 2 5\nf 2 3 6\nf 3 4 5\nf 4 1 6\n";

/// A folder with the scene, its mesh and its recording.
struct Fallen {
    folder: TempDir,
    definition: SimulationDefinition,
    moments: Vec<SimulationState>,
    head: String,
    lines: Vec<String>,
}

impl Fallen {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tip.obj"), TIP).unwrap();
        let definition = definition(&folder, FALL);
        let mut simulation = Simulation::new(definition.clone(), true).unwrap();
        let mut moments = Vec::new();
        while let StepResult::Moments(more) = simulation.advance(&()).unwrap() {
            moments.extend(more);
        }
        assert_eq!(moments.last().unwrap().time, 0.1);
        let head = recording::head("s.toml", &definition, definition.depth);
        let lines = moments.iter().map(|moment| recording::line(&definition, moment)).collect();
        Self { folder, definition, moments, head, lines }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("run.jsonl")
    }

    /// Writes the recording with one text in a line, or the head, replaced by another.
    fn write(&self, line: usize, from: &str, to: &str) {
        let mut lines = [std::slice::from_ref(&self.head), self.lines.as_slice()].concat();
        assert!(lines[line].contains(from), "{}", lines[line]);
        lines[line] = lines[line].replacen(from, to, 1);
        std::fs::write(self.path(), lines.concat()).unwrap();
    }

    fn played(&self) -> Result<RecordedScene> {
        recording::read(&self.path())
    }

    fn resumable(&self) -> Result<ResumableRecording> {
        recording::read_resumable(&self.path(), &self.definition)
    }
}

fn definition(folder: &TempDir, text: &str) -> SimulationDefinition {
    let path = folder.path().join("s.toml");
    std::fs::write(&path, text).unwrap();
    scene::build::simulation(&scene::file::read(&path).unwrap(), &path).unwrap().definition
}

#[test]
fn a_recording_is_played_as_bodies_that_deform_and_is_clear() {
    let fallen = Fallen::new();
    fallen.write(0, "", "");
    let RecordedScene { scene, scene_path, dynamics: recorded } = fallen.played().unwrap();
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    assert!(recorded.contacts.iter().any(|contact| contact.bodies == [1, 2]), "{:?}", recorded.contacts);
    for (own, number, vertices) in [(0, 2, 6), (1, 3, 8)] {
        let ShapeEntry::Recorded(entry) = &scene.bodies[number].shape else { panic!() };
        let RecordedEntry { rest, times, frames } = &**entry;
        assert!(matches!((rest, number), (ShapeEntry::Mesh(_), 2) | (ShapeEntry::Primitive(_), 3)));
        assert_eq!(times.len(), fallen.moments.len());
        for ((time, frame), moment) in times.iter().zip(&frames.0).zip(&fallen.moments) {
            assert_eq!((*time, frame), (moment.time, &moment.flexible[own].vertices));
            assert_eq!(frame.len(), vertices);
        }
        assert!(scene.bodies[number].against_itself);
    }
    assert_eq!(scene.files(), [fallen.folder.path().join("tip.obj")]);
    assert_eq!(scene.meshes(), [fallen.folder.path().join("tip.obj")]);

    // The guarantees of the simulation are proven again: clear, each body against itself too.
    let built = scene::build::build(&scene, &scene_path).unwrap();
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    let surface = built.scene.bodies()[2].shape.as_ref().unwrap().deforming_surface().unwrap();
    let mut places = vec![DVec3::ZERO; 6];
    surface.read(3, &mut places).unwrap();
    assert_eq!(
        (places.as_slice(), surface.mesh().edges().len()),
        (&fallen.moments[3].flexible[0].vertices[..], 8 + 1)
    );
    let report = built.scene.check(&CheckOptions::default(), &()).unwrap();
    // The floor and both flexible bodies with each other, and each of these with itself.
    assert_eq!((report.verdict, report.pairs_tested), (PairVerdict::Clear, 5), "{report:?}");
    assert!([2, 3].iter().all(|body| built.scene.is_self_tested(*body)));
    // The check detects a recording in which a vertex passes through the floor.
    let last = fallen.lines.len();
    let (start, rest) = fallen.lines[last - 1].split_once("\"vertices\":[[[").unwrap();
    let (_, end) = rest.split_once(']').unwrap();
    fallen.write(
        last,
        fallen.lines[last - 1].as_str(),
        &format!("{start}\"vertices\":[[[0.0,0.0,-0.01]{end}"),
    );
    let RecordedScene { scene, scene_path, .. } = fallen.played().unwrap();
    let built = scene::build::build(&scene, &scene_path).unwrap();
    let report = built.scene.check(&CheckOptions::default(), &()).unwrap();
    assert_eq!(report.verdict, PairVerdict::Contact, "{report:?}");
    assert!(report.pairs.iter().any(|pair| pair.bodies == [1, 2]), "{report:?}");
}

#[test]
fn a_continued_simulation_starts_from_the_recorded_vertices() {
    let fallen = Fallen::new();
    fallen.write(0, "", "");
    let resumable = fallen.resumable().unwrap();
    // A recording has neither contacts to continue from nor the causes of the dissipated energy.
    let without = |moment: &SimulationState| {
        let losses = EnergyLosses { earlier: moment.energy.dissipated, ..EnergyLosses::default() };
        SimulationState { contacts: vec![], losses, ..moment.clone() }
    };
    let without: Vec<SimulationState> = fallen.moments.iter().map(without).collect();
    assert_eq!((resumable.moments, resumable.lines), (without, fallen.lines.concat().into_bytes()));
    // Another half from the middle: the same positions at the end.
    let middle = fallen.moments.iter().position(|moment| moment.time == 0.06).unwrap();
    std::fs::write(fallen.path(), fallen.head.clone() + &fallen.lines[..=middle].concat()).unwrap();
    let resumable = fallen.resumable().unwrap();
    let mut simulation =
        Simulation::resumed(fallen.definition.clone(), resumable.moments.last().unwrap(), true).unwrap();
    let mut last = None;
    while let StepResult::Moments(more) = simulation.advance(&()).unwrap() {
        last = more.into_iter().last();
    }
    let (last, whole) = (last.unwrap(), fallen.moments.last().unwrap());
    assert_eq!(last.time, whole.time);
    for (own, other) in last.flexible.iter().zip(&whole.flexible) {
        let far = own.vertices.iter().zip(&other.vertices).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(far < 1e-9, "{far}");
    }
    let lost = [&last, whole].map(|moment| moment.energy.dissipated);
    assert!((lost[0] - lost[1]).abs() < 1e-9, "{lost:?}");
}

#[test]
fn invalid_recordings_of_flexible_bodies_are_errors_with_line_and_key() {
    let fallen = Fallen::new();
    let reported = |line: usize, from: &str, to: &str| {
        fallen.write(line, from, to);
        let reported = fallen.played().unwrap_err().to_string();
        // Resuming reports the same error, unless it depends on the scene.
        if !reported.contains("has it changed?") && !reported.contains("has the scene changed?") {
            assert_eq!(fallen.resumable().unwrap_err().to_string(), reported);
        }
        reported.replace(&format!("{}/", fallen.folder.path().display()), "")
    };
    let names = "\"flexible\":[\"tip\",\"jelly\"]";
    let changed = "expected the flexible bodies of the scene: has it changed?";
    for (to, message) in [
        ("\"flexible\":7", "flexible: found 7, expected a list of names of bodies".to_owned()),
        (
            "\"flexible\":[\"tip\",\"tip\"]",
            "flexible[1]: found \"tip\", expected a name that occurs there once".to_owned(),
        ),
        (
            "\"flexible\":[\"tip\",\"ball\"]",
            "flexible[1]: found \"ball\", expected a name that occurs there once".to_owned(),
        ),
        ("\"flexible\":[\"tip\",\"floor\"]", format!("flexible: found \"floor\", {changed}")),
        ("\"flexible\":[\"tip\",\"gone\"]", format!("flexible: found \"gone\", {changed}")),
    ] {
        assert_eq!(reported(0, names, to), format!("run.jsonl:1: {message}"));
    }
    let unknown = reported(0, &format!(",{names}"), "");
    assert!(
        unknown.starts_with("run.jsonl:2: vert") && unknown.contains("found an unknown key"),
        "{unknown}"
    );
    assert_eq!(
        reported(0, "\"bodies\":[\"ball\"]", "\"bodies\":[\"jelly\"]"),
        "run.jsonl:1: flexible[1]: found \"jelly\", expected a name that occurs there once"
    );
    let two = "expected a list of length 2, one item for each of the bodies";
    for (key, short) in [("\"vertices\":", "vertices"), ("\"vertex_velocities\":", "vertex_velocities")] {
        let missing = format!("run.jsonl:3: {short}: the key is missing, {two}");
        fallen.write(2, key, "\"gone\":");
        let unknown = fallen.played().unwrap_err().to_string();
        assert!(unknown.contains("run.jsonl:3: gone: found an unknown key"), "{unknown}");
        let mut line = fallen.lines[1].clone();
        let start = line.find(key).unwrap();
        let end = start + line[start..].find("]]],").unwrap() + 4;
        line.replace_range(start..end, "");
        assert_eq!(reported(2, fallen.lines[1].trim_end(), line.trim_end()), missing);
        let broken = reported(2, &format!("{key}[[["), &format!("{key}[[[null,"));
        assert_eq!(
            broken,
            format!(
                "run.jsonl:3: {short}[0][0]: found a list of length 4, expected a list of 3 finite numbers"
            )
        );
        assert_eq!(
            reported(2, &format!("{key}["), &format!("{key}[[],")),
            format!("run.jsonl:3: {short}: found a list of length 3, {two}")
        );
        let endless = reported(2, &format!("{key}[[["), &format!("{key}[[[1e999,0,0],["));
        assert!(endless.starts_with("run.jsonl:3: not JSON: number out of range"), "{endless}");
    }
    let more = |key: &str| (format!("\"{key}\":[["), format!("\"{key}\":[[[0,0,0],"));
    let (from, to) = more("vertices");
    assert_eq!(
        reported(2, &from, &to),
        "run.jsonl:3: vertices[0]: found a list of length 7, expected a list of length 6, as many vertices as in the line before"
    );
    let (from, to) = more("vertex_velocities");
    assert_eq!(
        reported(1, &from, &to),
        "run.jsonl:2: vertex_velocities[0]: found a list of length 7, expected a list of length 6, one velocity for each vertex"
    );
}

#[test]
fn a_recording_of_another_scene_is_refused() {
    let fallen = Fallen::new();
    fallen.write(0, "", "");
    let without = |text: &str| text.replace(&format!("{}/", fallen.folder.path().display()), "");
    let place = |definition: &SimulationDefinition| {
        without(&recording::read_resumable(&fallen.path(), definition).unwrap_err().to_string())
    };
    let simulated_scene = definition(&fallen.folder, &FALL.replace("[0, 0, 0.4]", "[0, 0, 0.41]"));
    assert_eq!(
        place(&simulated_scene),
        "run.jsonl: body \"jelly\" is not where the scene has it at time 0: is it of another scene?"
    );
    let renamed = definition(&fallen.folder, &FALL.replace("'tip'", "'top'"));
    assert_eq!(
        place(&renamed),
        "run.jsonl:1: flexible: found \"tip\", \"jelly\", expected the flexible bodies of the scene, \"top\", \"jelly\": is it \
         of another scene?"
    );
    let rigid = definition(&fallen.folder, &FALL.replace("flexible =", "# "));
    assert!(place(&rigid).starts_with("run.jsonl:1: bodies: found \"ball\", expected the dynamic bodies"));
    assert_eq!(
        without(&fallen.played().unwrap_err().to_string()),
        "run.jsonl:1: bodies: \"tip\" is missing, a dynamic body of the scene: has it changed?"
    );
    // The mesh has another vertex.
    std::fs::write(fallen.folder.path().join("tip.obj"), format!("{TIP}v 9 9 9\n")).unwrap();
    let larger = definition(&fallen.folder, FALL);
    assert_eq!(
        place(&larger),
        "run.jsonl: found 6 vertices of body \"tip\", expected 7, those of its mesh: is it of another scene?"
    );
    let RecordedScene { scene, scene_path, .. } = fallen.played().unwrap();
    let reported = without(&scene::build::build(&scene, &scene_path).unwrap_err().to_string());
    assert_eq!(
        reported,
        "s.toml:15: body \"tip\".mesh: found 7 vertices, expected 6, as in the recording: has the scene changed?"
    );
    // One flexible body has become another shape, and one is not in the recording.
    let round = FALL.replace("box = [0.2, 0.2, 0.2]", "sphere = 0.1");
    std::fs::write(fallen.folder.path().join("s.toml"), round).unwrap();
    std::fs::write(fallen.folder.path().join("tip.obj"), TIP).unwrap();
    let RecordedScene { scene, scene_path, .. } = fallen.played().unwrap();
    let reported = without(&scene::build::build(&scene, &scene_path).unwrap_err().to_string());
    assert!(reported.contains("body \"jelly\".sphere: found neither a mesh nor a box"), "{reported}");
    let more =
        format!("{FALL}[[body]]\nname = 'more'\nbox = [1, 1, 1]\nmass = 1\nflexible = {{ stiffness = 1 }}\n");
    std::fs::write(fallen.folder.path().join("s.toml"), more).unwrap();
    assert_eq!(
        without(&fallen.played().unwrap_err().to_string()),
        "run.jsonl:1: flexible: \"more\" is missing, a flexible body of the scene: has it changed?"
    );
}
