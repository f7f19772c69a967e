//! The document of every scene in `scenes/`, read back as a page reads it, against the scene itself.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chasles::{
    CheckOptions, CollisionShape, JointPath, Pose, Robot, RobotCell, Scene, Screw, Suggestions, suggestions,
};
use chasles_formats::Subject;
use chasles_formats::recording::{RecordedDynamics, RecordedRelease};
use chasles_formats::report::json;
use chasles_formats::report::reported::{self, ReportFile};
use chasles_formats::robot::cell::{self, CellOptions};
use chasles_formats::robot::joint_path::{self, PathOptions, resolve};
use chasles_formats::robot::named_configurations::NamedConfiguration;
use chasles_formats::robot::urdf::{self, UrdfOptions};
use chasles_formats::scene;
use chasles_formats::scene::build::BuiltSimulation;
use chasles_formats::vrml::{self, VrmlOptions};
use chasles_testing::Random;
use chasles_viewer::Playback;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

/// What is shown.
enum Subjects {
    Scene(Scene),
    Robot { cell: Box<RobotCell>, path: JointPath },
}

/// A scene of the folder, with its report and its document.
struct Case {
    name: String,
    subject: Subjects,
    report: ReportFile,
    playback: Playback,
    document: Value,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

fn cases() -> Vec<Case> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".expected.json"));
    files.sort();
    let cases: Vec<Case> = files.iter().map(|file| case(file)).collect();
    assert!(cases.len() > 20, "{}", cases.len());
    cases
}

fn case(file: &Path) -> Case {
    let expected: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let scene = folder().join(expected["scene"].as_str().unwrap());
    let arguments: Vec<&str> =
        expected["arguments"].as_array().into_iter().flatten().map(|value| value.as_str().unwrap()).collect();
    let argument = |name: &str| {
        let at = arguments.iter().position(|argument| *argument == name)?;
        Some(folder().join(arguments[at + 1]))
    };
    let name = file.file_name().unwrap().to_str().unwrap().to_owned();
    let read_back = |json: &str| reported::parse(json, "report.json".as_ref()).unwrap();
    let (subject, report, playback) = match argument("--path") {
        None => {
            let scene = match vrml::is_world(&scene) {
                true => vrml::read(&scene).unwrap().scene(&VrmlOptions { clearance: 0.0 }).unwrap().scene,
                false => scene::build::read(&scene).unwrap().scene,
            };
            let found = scene.check(&CheckOptions::default(), &()).unwrap();
            let report = read_back(&json::to_json(&Subject::scene(&scene), &found));
            let playback = Playback::of_scene(&name, scene.clone(), Some(&report)).unwrap();
            (Subjects::Scene(scene), report, playback)
        }
        Some(path) => {
            let file = joint_path::read(&path, PathOptions::default()).unwrap();
            let definition = match vrml::is_world(&scene) {
                true => vrml::read(&scene).unwrap().robot(&file.joints).unwrap().definition,
                false => urdf::read(&scene, &UrdfOptions::default()).unwrap().definition,
            };
            let robot = Robot::new(definition).unwrap();
            let options = CellOptions { world: argument("--world"), ..CellOptions::default() };
            let cell = cell::build(robot, &scene, &options).unwrap().cell;
            let path = resolve(&file, cell.robot().definition()).unwrap();
            let found = cell.check_path(&path, &CheckOptions::default(), &()).unwrap();
            let report = read_back(&json::to_json(&Subject::path(&cell, &file, &found), &found.report));
            let playback = Playback::of_robot(&name, &cell, Some(&path), Some(&report)).unwrap();
            (Subjects::Robot { cell: Box::new(cell), path }, report, playback)
        }
    };
    let document = serde_json::from_str(&playback.to_json()).unwrap();
    Case { name, subject, report, playback, document }
}

fn unpacked<const N: usize>(value: &Value) -> Vec<[u8; N]> {
    let bytes = STANDARD.decode(value.as_str().unwrap()).unwrap();
    assert_eq!(bytes.len() % N, 0);
    bytes.chunks_exact(N).map(|chunk| chunk.try_into().unwrap()).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn pose(seven: &[f64]) -> Pose {
    let rotation = DQuat::from_xyzw(seven[4], seven[5], seven[6], seven[3]);
    Pose::new(DVec3::new(seven[0], seven[1], seven[2]), rotation).unwrap()
}

/// A time and a pose each.
type Keys = Vec<(f64, Pose)>;

/// The keys of a body.
fn keys(body: &Value) -> Keys {
    let keys: Vec<f64> = unpacked(&body["keys"]).into_iter().map(f64::from_le_bytes).collect();
    assert_eq!(keys.len() % 8, 0);
    keys.chunks_exact(8).map(|key| (key[0], pose(&key[1..]))).collect()
}

/// The pose that keys say.
fn played(keys: &[(f64, Pose)], time: f64) -> Pose {
    let after = keys.partition_point(|(at, _)| *at <= time);
    let (from, first) = keys[after.max(1) - 1];
    match keys.get(after) {
        Some((to, last)) => Screw::between(first, *last).pose_at((time - from) / (to - from)),
        None => first,
    }
}

/// The vertices of a mesh of the document, in the mesh's frame.
fn vertices(mesh: &Value) -> Vec<DVec3> {
    let origin = numbers(&mesh["origin"]);
    let places: Vec<f64> =
        unpacked(&mesh["positions"]).into_iter().map(|x| f64::from(f32::from_le_bytes(x))).collect();
    let origin = DVec3::new(origin[0], origin[1], origin[2]);
    places.chunks_exact(3).map(|p| origin + DVec3::new(p[0], p[1], p[2])).collect()
}

fn triangles(mesh: &Value) -> Vec<[u32; 3]> {
    let corners: Vec<u32> = unpacked(&mesh["triangles"]).into_iter().map(u32::from_le_bytes).collect();
    corners.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect()
}

impl Case {
    fn span(&self) -> [f64; 2] {
        ["begin", "end"].map(|key| self.document[key].as_f64().unwrap())
    }

    /// The same path begun later, without its report.
    fn later(&self, seconds: f64) -> Option<Self> {
        let Subjects::Robot { cell, path } = &self.subject else { return None };
        let mut path = path.clone();
        path.waypoints.iter_mut().for_each(|waypoint| waypoint.time += seconds);
        let playback = Playback::of_robot(&self.name, cell, Some(&path), None).unwrap();
        let document = serde_json::from_str(&playback.to_json()).unwrap();
        let subject = Subjects::Robot { cell: cell.clone(), path };
        Some(Self {
            name: format!("{}, later", self.name),
            subject,
            report: self.report.clone(),
            playback,
            document,
        })
    }

    /// Where each body truly is: by the scene, or by the joints' values and the tree of links.
    fn true_poses(&self, time: f64) -> Vec<Pose> {
        let (cell, path) = match &self.subject {
            Subjects::Scene(scene) => {
                return (0..scene.bodies().len()).map(|body| scene.pose_at(body, time)).collect();
            }
            Subjects::Robot { cell, path } => (cell, path),
        };
        let mut values = cell.robot().rest();
        for (joint, value) in path.joints.iter().zip(path.positions_at(time)) {
            values[*joint] = value;
        }
        cell.robot().complete(&mut values);
        let base = cell.definition().base;
        let mut poses: Vec<Pose> =
            cell.robot().link_poses(&values).iter().map(|pose| base.compose(pose)).collect();
        let links = poses.len();
        let there = cell.with_static_world(time).unwrap();
        for world in &there.definition().world {
            let chasles::BodyMotion::Still(own) = &world.body.motion else { panic!("it moves") };
            let above = world.body.parent.map(|parent| links + parent).or(world.link);
            poses.push(above.map_or(*own, |above| poses[above].compose(own)));
        }
        poses
    }
}

#[test]
fn keys_reproduce_the_motion() {
    let later = |case: &Case| case.later(3.5);
    let mut cases = cases();
    let all: Vec<Case> = cases.iter().filter_map(later).collect();
    assert!(all.len() > 5);
    cases.extend(all);
    for case in cases {
        let [start, end] = case.span();
        let mut random = Random(7);
        let bodies: Vec<(Keys, Vec<DVec3>, &Value)> = list(&case.document["bodies"])
            .iter()
            .map(|body| {
                let mut corners = vec![];
                for (mesh, frame) in list(&body["mesh"]).iter().zip(list(&body["frames"])) {
                    let mesh = &case.document["meshes"][usize::try_from(mesh.as_u64().unwrap()).unwrap()];
                    let frame = pose(&numbers(frame));
                    corners.extend(vertices(mesh).into_iter().map(|v| frame.transform_point(v)));
                }
                (keys(body), corners, body)
            })
            .collect();
        for i in 0..200 {
            let time = if i == 0 { end } else { start + (end - start) * random.unit() };
            let poses = case.true_poses(time);
            assert_eq!(poses.len(), bodies.len(), "{}", case.name);
            for ((keys, corners, body), meant) in bodies.iter().zip(poses) {
                let output = body["deviation"].as_f64().unwrap();
                let size = corners.iter().map(|v| v.length()).fold(meant.position().length(), f64::max);
                let shown = played(keys, time);
                for corner in corners.iter().step_by(7) {
                    let off = shown.transform_point(*corner).distance(meant.transform_point(*corner));
                    assert!(off <= output + 1e-12 * size, "{}: {} at {time}: {off}", case.name, body["name"]);
                }
                let moves = keys.len() > 1 || body["kind"] == "deforming";
                assert_eq!(body["moves"].as_bool().unwrap(), moves, "{}", case.name);
            }
        }
        for (keys, corners, body) in &bodies {
            let (lo, hi) = corners
                .iter()
                .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(lo, hi), v| (lo.min(*v), hi.max(*v)));
            let output = body["deviation"].as_f64().unwrap();
            assert!(output <= 1e-4 * (hi - lo).length() * 2.0, "{}: {} {output}", case.name, body["name"]);
            assert!(keys.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{}", case.name);
            assert!(keys.len() == 1 || [keys[0].0, keys[keys.len() - 1].0] == [start, end], "{}", case.name);
        }
    }
}

#[test]
fn meshes_are_numbered_as_in_the_files() {
    let mut placed = 0;
    for case in cases() {
        let document = &case.document;
        let own = |body: &'_ chasles::SceneBody| -> Vec<(CollisionShape, Pose)> {
            body.shape.iter().map(|shape| (shape.clone(), Pose::IDENTITY)).collect()
        };
        let shapes: Vec<Vec<(CollisionShape, Pose)>> = match &case.subject {
            Subjects::Scene(scene) => scene.bodies().iter().map(own).collect(),
            Subjects::Robot { cell, .. } => {
                let elements = |link: &chasles::Link| {
                    link.elements.iter().map(|element| (element.shape.clone(), element.pose)).collect()
                };
                let links = cell.robot().links().iter().map(elements);
                links.chain(cell.definition().world.iter().map(|world| own(&world.body))).collect()
            }
        };
        for (body, shapes) in list(&document["bodies"]).iter().zip(shapes) {
            assert_eq!(list(&body["mesh"]).len(), shapes.len(), "{}", case.name);
            let frames: Vec<Pose> = list(&body["frames"]).iter().map(|frame| pose(&numbers(frame))).collect();
            let expected: Vec<Pose> = shapes.iter().map(|(_, frame)| *frame).collect();
            assert_eq!(frames, expected, "{}", case.name);
            placed += expected.iter().filter(|frame| **frame != Pose::IDENTITY).count();
            for (number, (shape, _)) in list(&body["mesh"]).iter().zip(shapes) {
                let entry = &document["meshes"][usize::try_from(number.as_u64().unwrap()).unwrap()];
                let mesh = shape.drawn();
                let vertices = vertices(entry);
                assert_eq!((vertices.len(), &triangles(entry)[..]), (mesh.vertex_count(), mesh.triangles()));
                for (i, vertex) in (0..).zip(&vertices) {
                    let off = vertex.distance(mesh.vertex(i));
                    assert!(off <= 1e-7 * mesh.diagonal(), "{}: vertex {i} is {off} off", case.name);
                }
                let bounds = &entry["box"];
                let (frame, half) = (pose(&numbers(&bounds["pose"])), numbers(&bounds["half"]));
                let half = DVec3::new(half[0], half[1], half[2]) * (1.0 + 1e-12);
                for corner in mesh.triangles().iter().flatten() {
                    let inside = frame.inverse().transform_point(mesh.vertex(*corner)).abs().cmple(half);
                    assert!(inside.all(), "{}: a box that holds not all", case.name);
                }
            }
        }
    }
    assert!(placed > 5, "{placed}");
}

#[test]
fn everything_in_the_report_is_in_the_document() {
    let mut contacts = 0;
    for case in cases() {
        let document = &case.document;
        assert_eq!(document["report"], serde_json::from_str::<Value>(&case.report.text).unwrap());
        assert!(case.playback.to_json().contains(&case.report.text), "{}: not to the letter", case.name);
        for pair in list(&document["report"]["pairs"]) {
            let body = |key: &str| {
                let bodies = list(&document["bodies"]);
                bodies.iter().find(|body| body["name"] == pair[key]).unwrap()
            };
            for interval in pair["intervals"].as_array().into_iter().flatten() {
                let contact = &interval["contact"];
                let Some(kind) = contact["kind"].as_str() else { continue };
                let (of_a, of_b) = kind.split_once('-').unwrap_or(("face", "face"));
                for (key, feature) in [("a", of_a), ("b", of_b)] {
                    let fits = |mesh: &Value| {
                        let mesh = &document["meshes"][usize::try_from(mesh.as_u64().unwrap()).unwrap()];
                        let count =
                            if feature == "face" { triangles(mesh).len() } else { vertices(mesh).len() };
                        let numbers = numbers(&contact[key]);
                        numbers.iter().all(|number| *number < count as f64)
                    };
                    assert!(list(&body(key)["mesh"]).iter().any(fits), "{}: {contact}", case.name);
                    contacts += 1;
                }
            }
        }
    }
    assert!(contacts > 20, "{contacts}");
}

#[test]
fn joints_have_their_values_on_the_path() {
    let mut robots = 0;
    for case in cases() {
        let robot = &case.document["robot"];
        let Subjects::Robot { cell, path } = &case.subject else {
            assert!(robot.is_null());
            continue;
        };
        let names: Vec<&str> =
            list(&robot["joints"]).iter().map(|joint| joint["name"].as_str().unwrap()).collect();
        let values = list(&robot["path"]["values"]);
        for (time, values) in numbers(&robot["path"]["times"]).into_iter().zip(values) {
            let values = numbers(values);
            assert_eq!(values.len(), names.len());
            for (joint, expected) in path.joints.iter().zip(path.positions_at(time)) {
                let column =
                    names.iter().position(|name| *name == cell.robot().joints()[*joint].name).unwrap();
                assert_eq!(values[column], expected, "{} at {time}", case.name);
            }
        }
        robots += 1;
    }
    assert!(robots > 5, "{robots}");
}

#[test]
fn a_robot_without_a_path_is_static() {
    let robot = urdf::read(&folder().join("robots/arm.urdf"), &UrdfOptions::default()).unwrap();
    let robot = Robot::new(robot.definition).unwrap();
    let options =
        CellOptions { world: Some(folder().join("robots/conveyor.toml")), ..CellOptions::default() };
    let cell = cell::build(robot, "arm.urdf".as_ref(), &options).unwrap().cell;
    let playback = Playback::of_robot("arm.urdf", &cell, None, None).unwrap();
    let configuration = |name: &str, value: f64| NamedConfiguration {
        name: name.into(),
        group: "arm".into(),
        joints: vec![("turn".into(), Ok(value)), ("tail".into(), Ok(1.0))],
        file: "arm.srdf".into(),
        line: 7,
    };
    let playback =
        playback.with_jog(cell.robot(), &[configuration("aside", 0.5), configuration("beyond", 9.0)]);
    let document: Value = serde_json::from_str(&playback.to_json()).unwrap();
    assert_eq!([&document["begin"], &document["end"]], [0.0, 0.0]);
    assert_eq!((&document["jog"], &document["robot"]["path"]), (&Value::Bool(true), &Value::Null));
    let moves = |name: &str| {
        list(&document["bodies"])
            .iter()
            .find(|body| body["name"] == name)
            .map(|body| body["moves"] == json!(true))
    };
    assert_eq!(["base", "upper", "left"].map(moves), [Some(false), Some(true), Some(true)]);
    let [aside, beyond] = list(&document["robot"]["postures"]) else { panic!("{}", document["robot"]) };
    assert_eq!((&aside["name"], &aside["joints"]), (&json!("aside"), &json!([["turn", 0.5]])));
    assert!(aside["error"].is_null() && aside["doubts"][0].as_str().unwrap().contains("no joint \"tail\""));
    assert_eq!((&beyond["name"], &beyond["joints"]), (&json!("beyond"), &json!([])));
    assert!(beyond["error"].as_str().unwrap().contains("beyond its limits"));
    let mut rest = cell.robot().rest();
    cell.robot().complete(&mut rest);
    let expected = cell.robot().link_poses(&rest);
    for (link, body) in expected.iter().zip(list(&document["bodies"])) {
        let keys = keys(body);
        assert_eq!(keys.len(), 1);
        assert!(keys[0].1.position().distance(link.position()) < 1e-13, "{}", body["name"]);
    }
    let lone = playback.gap([0, 1]).map(|curve| curve.times);
    assert_eq!((lone, playback.gap([0, 0])), (Some(vec![0.0]), None));
}

#[test]
fn curves_are_near_zero_where_the_report_says_contact() {
    let mut zeros = 0;
    for case in cases() {
        let [start, end] = case.span();
        let with_gaps: Value = serde_json::from_str(&case.playback.clone().with_gaps().to_json()).unwrap();
        let names: Vec<&str> =
            list(&case.document["bodies"]).iter().map(|body| body["name"].as_str().unwrap()).collect();
        let of_two = case.report.pairs.iter().filter(|pair| pair.a != pair.b);
        assert_eq!(list(&with_gaps["gaps"]).len(), of_two.count(), "{}", case.name);
        for curve in list(&with_gaps["gaps"]) {
            let pair = numbers(&curve["pair"]);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]
            let [a, b] = [pair[0], pair[1]].map(|number| names[number as usize]);
            let message = case.report.pairs.iter().find(|pair| [&pair.a, &pair.b] == [a, b]).unwrap();
            let near =
                list(&with_gaps["report"]["pairs"]).iter().find(|p| p["a"] == a && p["b"] == b).unwrap();
            let level = match near["verdict"].as_str().unwrap() {
                "near" => case.document["report"]["clearance"].as_f64().unwrap(),
                _ => 0.0,
            };
            let tolerance = case.document["tolerance"].as_f64().unwrap();
            let (times, gaps) = (numbers(&curve["times"]), numbers(&curve["gap"]));
            assert!(times.len() <= 400 && times[0] == start && times[times.len() - 1] == end);
            for (time, gap) in times.iter().zip(&gaps) {
                let ends = |interval: &reported::ReportedInterval| {
                    (interval.enter, interval.exit.unwrap_or([end; 2]))
                };
                let mut spans = message.intervals.iter().map(ends);
                let surely = spans.clone().any(|(enter, exit)| enter[1] <= *time && *time < exit[0]);
                let maybe = spans.any(|(enter, exit)| enter[0] <= *time && *time <= exit[1]);
                if surely {
                    zeros += usize::from(*gap == 0.0);
                    assert!(
                        *gap <= level * 1.01 + tolerance + 1e-6,
                        "{}: {a} {b} at {time}: {gap}",
                        case.name
                    );
                } else if !maybe {
                    assert!(*gap > level * 0.99, "{}: {a} {b} at {time}: {gap}", case.name);
                }
            }
            assert!(!message.intervals.is_empty() || message.gap_time.is_some(), "{}", case.name);
        }
    }
    assert!(zeros > 500, "{zeros}");
}

#[test]
fn a_report_of_another_subject_is_an_error() {
    let scene = scene::build::read(&folder().join("half-turn-gripper.toml")).unwrap().scene;
    let refused = |text: &str| {
        let report = reported::parse(text, "r.json".as_ref()).unwrap();
        Playback::of_scene("scene.toml", scene.clone(), Some(&report)).unwrap_err().to_string()
    };
    let wrong = refused(r#"{"format":1,"duration":3,"pairs":[]}"#);
    assert_eq!(wrong, "r.json: duration: found 3 s, expected 2 s, the displayed duration");
    let wrong = refused(r#"{"format":1,"duration":2,"pairs":[{"a":"gripper","b":"moon"}]}"#);
    assert!(
        wrong.starts_with("r.json: pairs[0].") && wrong.ends_with("expected a displayed body"),
        "{wrong}"
    );
}

#[test]
fn releases_and_suggestions_are_in_the_document() {
    let text = "format = 1\nduration = 1\n\
        [[body]]\nname = 'cart'\nbox = [0.4, 0.2, 0.2]\nmass = 3\nrelease = 'never'\ncenter = [0.1, 0, 0]\n\
        motion = { kind = 'twist', linear = [2, 0, 0], angular = [0, 0, 0] }\n\
        [[body]]\nname = 'crate'\nbox = [0.2, 0.2, 0.2]\npose = { position = [1.3, 0, 0] }\n";
    let path = Path::new("carts.toml");
    let file = scene::file::parse(text.as_bytes(), path).unwrap();
    let BuiltSimulation { definition, masses, .. } = scene::build::simulation(&file, path).unwrap();
    let Suggestions { found, .. } = suggestions(&definition, &masses, &()).unwrap();
    let playback = Playback::of_scene("carts.toml", definition.scene, None).unwrap();
    let document = |playback: &Playback| serde_json::from_str::<Value>(&playback.to_json()).unwrap();
    assert!(document(&playback)["suggested"].is_null() && document(&playback)["recording"].is_null());

    let releases =
        vec![RecordedRelease { body: 1, time: Some(0.25) }, RecordedRelease { body: 0, time: None }];
    let recorded = RecordedDynamics { releases, ..RecordedDynamics::default() };
    let document = document(&playback.with_suggestions(&found).with_recording(&recorded));
    let releases = json!([{ "body": 1, "t": 0.25 }, { "body": 0, "t": null }]);
    assert_eq!(document["recording"]["releases"], releases);
    let [own] = list(&document["suggested"]["list"]) else { panic!("{}", document["suggested"]) };
    assert_eq!((&own["t"], &own["pair"]), (&json!(found[0].time), &json!([0, 1])));
    // The centre of mass of the cart where it meets the crate, and the crate's position: it has no mass.
    let numbers = |value: &Value| list(value).iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
    let close = |value: &Value, required: [f64; 3]| {
        let found = numbers(value);
        assert!(
            found.iter().zip(required).all(|(x, required)| (x - required).abs() < 1e-6),
            "{found:?} for {required:?}"
        );
    };
    close(&own["centers"][0], [1.1, 0.0, 0.0]);
    close(&own["centers"][1], [1.3, 0.0, 0.0]);
    let sum = list(&own["places"]).iter().map(|place| numbers(place)[3]).sum::<f64>();
    assert!((sum - 6.0).abs() < 1e-9, "{own}");
    assert_eq!(own["before"], json!([[2.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]));
    assert!(numbers(&own["after"][0]).iter().all(|x| x.abs() < 1e-9), "{own}");
    assert_eq!(own["after"][1], json!([0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
}

#[test]
fn links_have_the_colours_of_their_materials() {
    let text = "<robot name='r'><link name='base'/>
        <link name='arm'>
            <visual><geometry><box size='1 1 1'/></geometry><material name='red'/></visual>
            <visual><geometry><sphere radius='1'/></geometry><material><color rgba='0 0 1 1'/></material></visual>
            <collision><geometry><box size='1 1 1'/></geometry></collision>
            <collision><geometry><sphere radius='1'/></geometry></collision>
        </link>
        <link name='hand'>
            <visual><geometry><box size='1 1 1'/></geometry><material name='red'/></visual>
            <collision><origin xyz='0 0 3'/><geometry><box size='1 1 1'/></geometry></collision>
        </link>
        <joint name='j' type='continuous'><parent link='base'/><child link='arm'/></joint>
        <joint name='k' type='fixed'><parent link='arm'/><child link='hand'/></joint>
        <material name='red'><color rgba='1 0 0 1'/></material></robot>";
    let read = urdf::parse(text.as_bytes(), "r.urdf".as_ref(), &UrdfOptions::default()).unwrap();
    let robot = Robot::new(read.definition).unwrap();
    let cell = cell::build(robot, "r.urdf".as_ref(), &CellOptions::default()).unwrap().cell;
    let playback = Playback::of_robot("r", &cell, None, None).unwrap().with_appearance(&read.appearance);
    let document: Value = serde_json::from_str(&playback.to_json()).unwrap();
    let triangles = |mesh: &Value| {
        let mesh = &document["meshes"][usize::try_from(mesh.as_u64().unwrap()).unwrap()];
        unpacked::<12>(&mesh["triangles"]).len()
    };
    let message: Vec<(Vec<usize>, &Value)> = list(&document["bodies"])
        .iter()
        .map(|body| (list(&body["mesh"]).iter().map(triangles).collect(), &body["colours"]))
        .collect();
    let [base, arm, hand] = &message[..] else { panic!("{message:?}") };
    assert_eq!(*base, (vec![], &json!([])));
    // Part after part, so many triangles as the page draws of each.
    assert_eq!(arm.0.len(), 2);
    assert_eq!(*arm.1, json!([[12, "#ff0000"], [arm.0[1], "#0000ff"]]));
    assert_eq!(*hand, (vec![12], &json!([[12, "#ff0000"]])));
}
