//! Readers of files: they terminate and do not panic; a rejected file has a message of one line that starts with
//! the file's name; an accepted file gives a valid and usable result.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chasles::{
    AdjacentLinks, CheckOptions, CollisionShape, ImpulseProblem, Joint, JointAxis, LevelSet, Link,
    LinkElement, Mesh, MeshFacts, PointCloud, Pose, Primitive, RigidMass, Robot, RobotDefinition, Scene,
    SceneReport,
};
use chasles_formats::gltf::GltfOptions;
use chasles_formats::info::{ArrayInfo, CloudInfo, MeshInfo};
use chasles_formats::mesh::{MeshFile, MeshFormat};
use chasles_formats::printable::printable;
use chasles_formats::problems::{self, impulse};
use chasles_formats::report::{self, csv, json, junit};
use chasles_formats::robot::cell::CellOptions;
use chasles_formats::robot::joint_path::{Accelerations, PathFile, PathOptions, TrapezoidalLimit};
use chasles_formats::robot::urdf::UrdfOptions;
use chasles_formats::robot::{cell, clearance_file, joint_path, named_configurations, several, srdf, urdf};
use chasles_formats::samples::mesh_sequence::MeshSequence;
use chasles_formats::samples::point_cache::{self, PointCache};
use chasles_formats::samples::{motion_keys, npy};
use chasles_formats::scene;
use chasles_formats::scene::file::{SceneFile, ScenePurpose, ShapeEntry};
use chasles_formats::vrml::VrmlOptions;
use chasles_formats::{Error, Subject};
use chasles_formats::{cloud, gltf, mesh, vrml};
use glam::DVec3;

/// A file with this extension in a folder that does not exist, so that files named in it are not found.
fn file(extension: &str) -> PathBuf {
    Path::new("no-such-folder/file").with_extension(extension)
}

/// A mesh in a format.
fn mesh(bytes: &[u8], format: MeshFormat, path: &Path) {
    // Detection of the format must work for all bytes.
    let _ = MeshFormat::from_content(bytes);
    let Some(read) = accepted(mesh::parse(bytes, format, path), path) else { return };
    let MeshFile { vertices, triangles, .. } = &read;
    assert!(vertices.iter().all(|vertex| vertex.is_finite()));
    assert!(triangles.iter().flatten().all(|corner| (*corner as usize) < vertices.len()));
    if let Ok(mesh) = Mesh::new(vertices.clone(), triangles.clone()) {
        let facts = MeshFacts::of(&mesh);
        assert!(facts.pieces <= triangles.len());
    }
    accepted(MeshInfo::of(read, path), path);
}

/// A mesh in OBJ.
pub fn obj(bytes: &[u8]) {
    mesh(bytes, MeshFormat::Obj, &file("obj"));
}

/// A mesh in STL, as text or binary.
pub fn stl(bytes: &[u8]) {
    mesh(bytes, MeshFormat::Stl, &file("stl"));
}

/// A mesh in PLY, as text or binary.
pub fn ply(bytes: &[u8]) {
    mesh(bytes, MeshFormat::Ply, &file("ply"));
}

/// A mesh in OFF.
pub fn off(bytes: &[u8]) {
    mesh(bytes, MeshFormat::Off, &file("off"));
}

/// A mesh in COLLADA.
pub fn dae(bytes: &[u8]) {
    mesh(bytes, MeshFormat::Dae, &file("dae"));
}

/// A map of OctoMap.
pub fn octomap(bytes: &[u8]) {
    mesh(bytes, MeshFormat::OctoMap, &file("bt"));
}

/// A NumPy array, and the level set or height field made from it.
pub fn npy(bytes: &[u8]) {
    let path = &file("npy");
    let Some(read) = accepted(npy::parse(bytes, path), path) else { return };
    let count = read.counts.iter().fold(1, |product: usize, count| product.saturating_mul(*count));
    assert!(read.values.len() == count || read.counts.contains(&0));
    let _ = accepted(read.axes::<2>(path), path);
    if let Some(counts) = accepted(read.axes::<3>(path), path) {
        let _ = LevelSet::new(read.values.clone(), counts, DVec3::ONE, DVec3::ZERO);
    }
    assert!(ArrayInfo::of(read).to_json().starts_with('{'));
    keys(bytes, path, motion_keys::KeyFileFormat::Npy);
}

/// Keys of a motion, as CSV.
pub fn motion_keys(bytes: &[u8]) {
    keys(bytes, &file("csv"), motion_keys::KeyFileFormat::Csv);
}

fn keys(bytes: &[u8], path: &Path, format: motion_keys::KeyFileFormat) {
    let Some(read) = accepted(motion_keys::parse(bytes, path, format), path) else { return };
    let count = read.times.len();
    assert!(count > 0 && (count, count) == (read.positions.len(), read.rotations.len()));
    assert!(read.times.iter().all(|time| time.is_finite()));
    assert!(read.times.windows(2).all(|two| two[0] < two[1]));
    assert!(read.positions.iter().all(|place| place.is_finite()));
    assert!(read.rotations.iter().all(|turn| turn.is_normalized()));
}

/// A point cache, as PC2 and as MDD.
pub fn cache(bytes: &[u8]) {
    for (format, ending) in
        [(point_cache::PointCacheFormat::Pc2, "pc2"), (point_cache::PointCacheFormat::Mdd, "mdd")]
    {
        let path = &file(ending);
        let (source, length) = (Cursor::new(bytes), bytes.len() as u64);
        let Some(cache) = accepted(PointCache::of(source, length, format, path), path) else { continue };
        let (frames, points) = (cache.frames(), cache.points());
        // The header must not claim more than the actual number of bytes.
        assert!(frames >= 2 && points >= 1 && 12 * frames * points < bytes.len());
        if let Some(times) = accepted(cache.times(24.0), path) {
            assert!(times.len() == frames && times.windows(2).all(|two| two[0] < two[1]));
        }
        let mut places = vec![DVec3::NAN; points];
        for frame in [0, frames - 1] {
            if accepted(cache.read(frame, &mut places), path).is_some() {
                assert!(places.iter().all(|place| place.is_finite()));
            }
        }
        assert!(accepted(cache.read(frames, &mut places), path).is_none());
    }
}

/// Points, one per line.
pub fn xyz(bytes: &[u8]) {
    points(bytes, cloud::CloudFormat::Xyz, &file("xyz"));
}

/// Points in PCD, and the same bytes as the vertices of a PLY file.
pub fn pcd(bytes: &[u8]) {
    points(bytes, cloud::CloudFormat::Pcd, &file("pcd"));
    points(bytes, cloud::CloudFormat::Ply, &file("ply"));
}

fn points(bytes: &[u8], format: cloud::CloudFormat, path: &Path) {
    let _ = cloud::CloudFormat::from_content(bytes);
    let Some(read) = accepted(cloud::parse(bytes, format, path), path) else { return };
    assert!(!read.points.is_empty() && read.points.iter().all(|(_, point)| point.is_finite()));
    assert!(read.points.windows(2).all(|two| two[0].0 < two[1].0));
    let _ = PointCloud::new(read.points.clone(), 0.1);
    assert!(CloudInfo::of(read).to_json().starts_with('{'));
}

/// A scene in TOML, alone and as the world of a robot, with the report of its check.
pub fn scene(bytes: &[u8]) {
    let path = &file("toml");
    let world = ScenePurpose::World { links: &["base", "arm"] };
    accepted(scene::file::parse_for(bytes, path, world), path);
    let Some(read) = accepted(scene::file::parse(bytes, path), path) else { return };
    assert!(read.duration > 0.0 && !read.bodies.is_empty());
    let count = read.bodies.len();
    assert!(read.bodies.iter().all(|body| body.parent.is_none_or(|parent| parent < count)));
    // A scene with other files cannot be built here.
    if !read.files().is_empty() {
        return;
    }
    let Some(built) = accepted(scene::build::build(&read, path), path) else { return };
    let primitives = |file: &SceneFile| {
        file.bodies.iter().all(|body| matches!(body.shape, ShapeEntry::Primitive(_)) && body.scale > 0.0)
    };
    if primitives(&read) {
        check_valid(&built.scene);
    }
}

/// A scene in glTF, as text or binary.
pub fn gltf(bytes: &[u8]) {
    let path = &file("gltf");
    for animation in [None, Some("0".into()), Some("walk".into())] {
        let options = GltfOptions { animation, clearance: 0.0, ..GltfOptions::default() };
        if let Some(built) = accepted(gltf::parse(bytes, path, &options), path) {
            check_valid(&built.scene);
        }
    }
}

/// A world in VRML97 or X3D: as a scene, as a robot, and its facts.
pub fn world(bytes: &[u8]) {
    let path = &file("wrl");
    let Some(world) = accepted(vrml::parse(bytes, path), path) else { return };
    if let Some(facts) = accepted(world.facts(), path) {
        assert!(facts.bounds.is_none_or(|corners| corners.iter().all(|corner| corner.is_finite())));
    }
    if let Some(built) = accepted(world.scene(&VrmlOptions::default()), path) {
        check_valid(&built.scene);
    }
    let columns = world.columns();
    if let Some(robot) = accepted(world.robot(&columns), path) {
        cell(robot.definition, path);
    }
    for column in columns.iter().take(8) {
        accepted(world.robot(std::slice::from_ref(column)), path);
    }
}

/// A robot in URDF, and the cell made from it.
pub fn urdf(bytes: &[u8]) {
    let path = &file("urdf");
    let Some(robot) = accepted(urdf::parse(bytes, path, &UrdfOptions::default()), path) else { return };
    let none = srdf::to_srdf(&robot.definition, &[]);
    let names: Vec<&str> = robot.definition.links.iter().map(|link| link.name.as_str()).collect();
    let back = srdf::parse(none.as_bytes(), path, &robot.definition.name, &names);
    assert_eq!(back.map(|back| back.pairs), Ok(vec![]), "what is written is read");
    cell(robot.definition, path);
}

/// A robot in a xacro file: expanded, or rejected.
pub fn xacro(bytes: &[u8]) {
    let path = &file("urdf.xacro");
    if let Some(robot) = accepted(urdf::parse(bytes, path, &UrdfOptions::default()), path) {
        cell(robot.definition, path);
    }
    accepted(srdf::parse(bytes, path, "door", &["frame", "leaf"]), path);
}

/// Several robots in one file. Two arms are beside it.
pub fn robots(bytes: &[u8]) {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/robots.toml"));
    match several::parse(bytes.to_vec(), path, &UrdfOptions::default()) {
        Ok(robot) => {
            assert!(robot.definition.links.iter().skip(1).all(|link| link.name.contains('/')));
            cell(robot.definition, path);
        }
        // Errors about an arm name its own file.
        Err(error) if error.file != path => assert_eq!(printable(&error.message), error.message),
        Err(error) => one_line(&error.to_string(), path),
    }
}

/// The frames of a deforming surface, in OBJ or in another format; the first byte chooses.
pub fn sequence(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let ending = ["obj", "stl", "ply", "off", "dae", "glb"][usize::from(*kind) % 6];
    let folder = FRAMES.get_or_init(|| tempfile::tempdir().expect("a folder for frames")).path();
    let mut files = Vec::new();
    for (number, frame) in frames(bytes).into_iter().enumerate() {
        let path = folder.join(format!("{number}.{ending}"));
        std::fs::write(&path, frame).expect("a frame can be written");
        files.push(path);
    }
    let Some(sequence) = accepted(MeshSequence::open(files), folder) else { return };
    let mut places = vec![DVec3::NAN; sequence.first().vertices.len()];
    for frame in (0..sequence.frames()).rev() {
        if accepted(sequence.read(frame, &mut places), folder).is_some() {
            assert!(places.iter().all(|place| place.is_finite()));
        }
    }
    assert!(sequence.read(sequence.frames(), &mut places).is_err());
}

/// Up to four frames, with two zero bytes between them.
fn frames(bytes: &[u8]) -> Vec<&[u8]> {
    let mut frames = vec![bytes];
    while let Some(last) = frames.last().copied().filter(|_| frames.len() < 4)
        && let Some(at) = last.windows(2).position(|two| two == [0, 0])
    {
        frames.pop();
        frames.extend([&last[..at], &last[at + 2..]]);
    }
    frames
}

/// The folder of [`sequence`], for the whole process.
static FRAMES: OnceLock<tempfile::TempDir> = OnceLock::new();

/// Pairs of links that are not tested, in SRDF.
pub fn srdf(bytes: &[u8]) {
    let path = &file("srdf");
    let robot = door();
    let names: Vec<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
    if let Some(read) = accepted(srdf::parse(bytes, path, "door", &names), path) {
        assert!(read.pairs.iter().all(|[a, b]| a < b && *b < names.len()));
        assert!(read.pairs.windows(2).all(|two| two[0] < two[1]));
        let Ok(robot) = Robot::new(robot) else { return };
        for name in named_configurations::names(&read.configurations) {
            let Ok(found) = named_configurations::find(&name, &read.configurations, (&robot, &robot.rest()))
            else {
                continue;
            };
            assert!(robot.joints().iter().zip(&found.values).all(|(joint, value)| joint.allows(*value)));
        }
    }
}

/// A path as CSV.
pub fn path_csv(bytes: &[u8]) {
    path(bytes, &file("csv"));
}

/// A path in the format of ROS, in YAML.
pub fn path_yaml(bytes: &[u8]) {
    path(bytes, &file("yaml"));
}

/// A path in the format of ROS, in JSON.
pub fn path_json(bytes: &[u8]) {
    path(bytes, &file("json"));
}

fn path(bytes: &[u8], file: &Path) {
    accepted(joint_path::parse(bytes, file, PathOptions::default()), file);
    let options = PathOptions { accelerations: Accelerations::Unused, ..PathOptions::default() };
    let Some(read) = accepted(joint_path::parse(bytes, file, options), file) else { return };
    let PathFile { joints, waypoints, .. } = &read;
    assert!(!joints.is_empty() && waypoints.len() >= 2);
    assert!(waypoints.iter().all(|waypoint| waypoint.positions.len() == joints.len()));
    assert!(waypoints.windows(2).all(|two| two[0].time < two[1].time));
    if waypoints.iter().all(|waypoint| waypoint.velocities.is_empty()) {
        let written = joint_path::to_csv(&read).expect("a path of positions can be written");
        let back = joint_path::parse(written.as_bytes(), Path::new("back.csv"), options).expect(&written);
        assert_eq!(&back.joints, joints, "{written}");
        for (previous, new) in waypoints.iter().zip(&back.waypoints) {
            assert_eq!((previous.time, &previous.positions), (new.time, &new.positions), "{written}");
        }
    }
    let limit = TrapezoidalLimit { velocity: 1.0, acceleration: 2.0 };
    if let Some(timed) = accepted(read.retimed(&vec![limit; joints.len()]), file) {
        assert!(timed.waypoints.windows(2).all(|two| two[0].time < two[1].time));
    }
    let robot = door();
    if let Some(resolved) = accepted(joint_path::resolve(&read, &robot), file) {
        let robot = Robot::new(robot).expect("a sound robot");
        // Any result will do.
        let _ = resolved.check(&robot);
    }
}

/// Clearances of pairs, as CSV.
pub fn clearances(bytes: &[u8]) {
    let path = &file("csv");
    let robot = Robot::new(door()).expect("a sound robot");
    let built = cell::build(robot, path, &CellOptions::default()).expect("a sound cell");
    if let Some(read) = accepted(clearance_file::parse(bytes, path, &built.cell), path) {
        assert!(read.iter().all(|([a, b], clearance)| a < b && *clearance >= 0.0));
        built.cell.with_clearances(read).expect("what is read is sound");
    }
}

/// A file of problems, line by line.
pub fn problems(bytes: &[u8]) {
    let path = &file("jsonl");
    for problem in problems::ProblemFile::new(bytes.to_vec(), path).problems() {
        match problem {
            Ok(problem) => assert!(problem.pose0.position.is_finite()),
            Err(invalid) => one_line(&invalid.error, path),
        }
    }
}

/// A file of impulse problems, line by line, with the answers.
pub fn impulse(bytes: &[u8]) {
    let path = &file("jsonl");
    for (number, line) in problems::ProblemFile::new(bytes.to_vec(), path).lines() {
        let named = match impulse::parse_line(line, number, path) {
            Ok(named) => named,
            Err(invalid) => {
                one_line(&invalid.error, path);
                continue;
            }
        };
        let ImpulseProblem { bodies, contacts, joints } = &named.problem;
        assert_eq!(named.bodies.len(), bodies.len());
        for body in bodies {
            assert!(body.center.is_finite() && body.linear.is_finite() && body.angular.is_finite());
            assert!(
                body.mass
                    .is_none_or(|RigidMass { mass, inertia }| mass > 0.0 && inertia == inertia.transpose())
            );
        }
        let pairs =
            contacts.iter().map(|contact| contact.bodies).chain(joints.iter().map(|joint| joint.bodies));
        pairs.for_each(|[a, b]| assert!(a != b && a.max(b) < bodies.len()));
        assert!(contacts.iter().all(|contact| contact.normal.is_finite() && contact.normal.length() >= 0.5));
        if let Ok(outcome) = named.problem.solve() {
            let line = report::impulse::to_line(&named, &outcome);
            assert!(line.ends_with("}\n") && line.lines().count() == 1, "{line}");
        }
    }
}

/// The result; `None` if the file was rejected with a valid message.
pub(crate) fn accepted<T>(result: Result<T, Error>, path: &Path) -> Option<T> {
    result.map_err(|error| one_line(&error.to_string(), path)).ok()
}

fn one_line(message: &str, path: &Path) {
    assert!(message.starts_with(&format!("{}", path.display())), "{message:?}");
    assert_eq!(printable(message), message);
}

/// All queries of the scene work. A small scene is checked, and all reports are written.
pub(crate) fn check_valid(scene: &Scene) {
    assert!(scene.duration() > 0.0 && !scene.bodies().is_empty());
    let count = scene.bodies().len().min(16);
    for body in 0..count {
        for part in [0.0, 0.3, 1.0] {
            let pose = scene.pose_at(body, part * scene.duration());
            assert!(pose.position().is_finite() && pose.rotation().is_normalized(), "{pose:?}");
        }
    }
    let triangles = |scene: &Scene| {
        let shapes = scene.bodies().iter().filter_map(|body| body.shape.as_ref());
        shapes.map(|shape| shape.drawn().triangles().len()).sum::<usize>()
    };
    if scene.count_moving_pairs() > 6 || triangles(scene) > 1000 {
        return;
    }
    let options = CheckOptions { budget: 5_000, ..CheckOptions::default() };
    if let Ok(report) = scene.check(&options, &()) {
        check_reports(&Subject::scene(scene), &report);
    }
}

/// Writes all reports of a check.
pub(crate) fn check_reports(subject: &Subject<'_>, report: &SceneReport) {
    let json = json::to_json(subject, report);
    assert!(json.starts_with('{'));
    let csv = csv::to_csv(subject, report);
    assert!(!csv.is_empty());
    let junit = junit::to_junit("scene", subject, report);
    assert!(junit.starts_with("<?xml"));
    // All lines consist of printable characters, whatever the names are.
    for line in [json, csv, junit].iter().flat_map(|text| text.lines()) {
        assert_eq!(printable(line), line);
    }
}

/// Builds the cell of a robot, if the engine accepts the robot.
fn cell(definition: RobotDefinition, path: &Path) {
    let Ok(robot) = Robot::new(definition) else { return };
    let rest = robot.rest();
    assert_eq!(robot.link_poses(&rest).len(), robot.links().len());
    accepted(cell::build(robot, path, &CellOptions::default()), path);
}

/// A robot: a frame, a leaf on a hinge, and a bolt in the leaf.
fn door() -> RobotDefinition {
    let shape = CollisionShape::primitive(Primitive::Sphere { radius: 0.1 }).expect("a sphere");
    let element = LinkElement { shape, pose: Pose::IDENTITY, solid: true };
    let link = |name: &str| Link { name: name.into(), elements: vec![element.clone()] };
    let joint = |name: &str, parent, axis, limits| Joint {
        name: name.into(),
        parent,
        child: parent + 1,
        origin: Pose::IDENTITY,
        axis: Some(axis),
        rest: 0.0,
        limits,
        velocity: Some(1.0),
        mimic: None,
    };
    RobotDefinition {
        name: "door".into(),
        links: vec![link("frame"), link("leaf"), link("bolt")],
        joints: vec![
            joint("hinge", 0, JointAxis::Revolute(DVec3::Z), Some([-1.5, 1.5])),
            joint("slide", 1, JointAxis::Prismatic(DVec3::X), None),
        ],
        disabled: Vec::new(),
        adjacent: AdjacentLinks::Skipped,
    }
}
