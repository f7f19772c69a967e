//! Scenes, cells, simulations and shapes in the format of the Python package's pickles. A value that is read from
//! arbitrary bytes has passed its constructor, so it must be usable.

use std::sync::Arc;

use chasles::{
    AdjacentLinks, BodyMotion, CellDefinition, CheckOptions, CollisionShape, DeformingSurface, Expression,
    FramesInMemory, HeightField, Joint, JointAxis, JointPath, LevelSet, Link, LinkElement, Mesh,
    ParametricSurface, PartShape, PathReport, PointCloud, Pose, Primitive, Robot, RobotCell, RobotDefinition,
    Scene, SceneBody, SceneDefinition, Screw, SimulationState, Solid, SolidPart, Waypoint, WorldBody,
};
use chasles_formats::Subject;
use chasles_formats::packed::{PackedCell, PackedScene, PackedShape, PackedSimulation, check_report};
use chasles_formats::recording::{RecordedPoses, simulated_scene};
use glam::DVec3;

use crate::readers::check_reports;
use crate::recording;

/// The budget of one check, in steps.
const BUDGET: u64 = 2_000;

/// Reads a value; the first byte chooses its kind.
pub fn packed(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    match kind % 7 {
        0 => {
            let read = postcard::from_bytes::<PackedScene>(bytes).ok();
            if let Some(scene) = read.and_then(|packed| packed.scene().ok()) {
                // The check may fail, because a motion may leave the range of coordinates.
                let _ = scene.check(&CheckOptions { budget: BUDGET, ..CheckOptions::default() }, &());
            }
        }
        1 => {
            let read = postcard::from_bytes::<PackedCell>(bytes).ok();
            if let Some(cell) = read.and_then(|packed| packed.cell().ok()) {
                let joints: Vec<usize> =
                    (0..cell.robot().joints().len()).filter(|joint| cell.robot().is_set(*joint)).collect();
                let point = |time: f64| Waypoint {
                    time,
                    positions: joints
                        .iter()
                        .map(|joint| cell.robot().joints()[*joint].rest + 0.1 * time)
                        .collect(),
                    velocities: Vec::new(),
                };
                let path = JointPath { joints: joints.clone(), waypoints: vec![point(0.0), point(1.0)] };
                let options = CheckOptions { budget: BUDGET, ..CheckOptions::default() };
                let _ = cell.check_path(&path, &options, &());
            }
        }
        2 => {
            let read = postcard::from_bytes::<PackedSimulation>(bytes).ok();
            if let Some(definition) = read.and_then(|packed| packed.definition().ok()) {
                let _ = chasles::Simulation::new(definition, false);
            }
        }
        3 => {
            let read = postcard::from_bytes::<PackedShape>(bytes).ok();
            if let Some(shape) = read.and_then(|packed| packed.shape().ok()) {
                assert!(shape.diagonal() >= 0.0);
            }
        }
        4 => {
            let read = postcard::from_bytes::<(PackedScene, PathReport)>(bytes).ok();
            let Some((scene, found)) = read else { return };
            if let Ok(scene) = scene.scene()
                && check_report(&found, scene.bodies().len(), None).is_ok()
            {
                check_reports(&Subject::scene(&scene), &found.report);
            }
        }
        5 => {
            let read = postcard::from_bytes::<(PackedSimulation, Vec<SimulationState>)>(bytes).ok();
            let Some((packed, moments)) = read else { return };
            if let Ok(definition) = packed.definition()
                && definition.check_moments(&moments).is_ok()
            {
                let frames = moments.iter().map(RecordedPoses::of).collect();
                let _ = simulated_scene(&definition, frames);
            }
        }
        _ => {
            if let Ok(screw) = postcard::from_bytes::<Screw>(bytes) {
                let end = screw.pose_at(1.0);
                assert!((end.rotation().length() - 1.0).abs() < 1e-9, "{screw:?}");
            }
        }
    }
}

fn expression(text: &str, variables: &[&str]) -> Expression {
    Expression::parse(text, variables).expect("a formula")
}

fn solid(shapes: Vec<PartShape>) -> CollisionShape {
    let parts = shapes.into_iter().map(|shape| SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 });
    CollisionShape::solid(Arc::new(Solid::new(parts.collect()).expect("a solid"))).expect("a shape")
}

/// A shape of every kind.
fn shapes() -> Vec<CollisionShape> {
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let sides = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let mesh = Mesh::new(corners.clone(), sides).expect("a tetrahedron");
    let half = [DVec3::splat(-2.0), DVec3::splat(2.0)];
    let ball = PartShape::Formula {
        formula: expression("sqrt(x^2 + 2*y^2 + z^2) - 1", &["x", "y", "z"]),
        bounds: half,
    };
    let level = LevelSet::new((0..8).map(|i| f64::from(i) - 3.5).collect(), [2; 3], DVec3::ONE, DVec3::ZERO);
    let heights = HeightField::new(vec![1.0, 1.5, 1.0, 2.0], [2, 2], [1.0; 2], [0.0; 2], 0.0);
    let cloud = PointCloud::new((0..).zip(corners.clone()).collect(), 0.1).expect("a cloud");
    let coordinates = ["u", "v", "u * v"].map(|text| expression(text, &["u", "v"]));
    let surface = ParametricSurface::new(coordinates, [[-1.0, 1.0]; 2], 0.5).expect("a surface");
    let later = corners.iter().map(|p| 1.5 * *p).collect();
    let frames = Arc::new(FramesInMemory(vec![corners, later]));
    let deforming = DeformingSurface::new(mesh.clone(), vec![0.0, 1.0], frames).expect("a surface");
    vec![
        CollisionShape::primitive(Primitive::Capsule { radius: 0.3, height: 1.0 }).expect("a capsule"),
        CollisionShape::mesh(Arc::new(chasles::PreparedMesh::new(mesh.clone()))),
        solid(vec![ball, PartShape::Mesh(Arc::new(mesh)), PartShape::Union(vec![0, 1])]),
        solid(vec![PartShape::LevelSet(Arc::new(level.expect("a level set")))]),
        solid(vec![PartShape::Heights(Arc::new(heights.expect("a height field")))]),
        CollisionShape::cloud(Arc::new(cloud)).expect("a shape"),
        CollisionShape::parametric(Arc::new(surface)).expect("a shape"),
        CollisionShape::deforming(Arc::new(deforming)),
    ]
}

/// Values of every kind, as bytes.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let about = Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::X, 1.0, 2.0).expect("a screw");
    let body = |(number, shape): (usize, CollisionShape)| SceneBody {
        name: format!("b{number}"),
        shape: Some(shape),
        motion: if number == 0 { BodyMotion::Screw(about) } else { BodyMotion::Still(Pose::IDENTITY) },
        parent: None,
        group: None,
        solid: false,
    };
    let kinds = shapes();
    // Deforming bodies cannot be tested against point sets.
    let bodies: Vec<SceneBody> = kinds.iter().take(7).cloned().enumerate().map(body).collect();
    let definition =
        SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
    let scene = Scene::new(definition).expect("a scene");
    let bending: Vec<SceneBody> = [&kinds[0], &kinds[7]].into_iter().cloned().enumerate().map(body).collect();
    let definition =
        SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies: bending, ignore: vec![] };
    let bending = Scene::new(definition).expect("a scene");
    let element =
        |shape: &CollisionShape| LinkElement { shape: shape.clone(), pose: Pose::IDENTITY, solid: true };
    let links = vec![
        Link { name: "base".into(), elements: vec![element(&kinds[0])] },
        Link { name: "hand".into(), elements: vec![element(&kinds[1])] },
    ];
    let joint = Joint {
        name: "turn".into(),
        parent: 0,
        child: 1,
        origin: Pose::IDENTITY,
        axis: Some(JointAxis::Revolute(DVec3::Z)),
        rest: 0.0,
        limits: Some([-1.0, 1.0]),
        velocity: None,
        mimic: None,
    };
    let (disabled, adjacent) = (Vec::new(), AdjacentLinks::Skipped);
    let robot = RobotDefinition { name: "r".into(), links, joints: vec![joint], disabled, adjacent };
    let world = vec![WorldBody { body: body((1, kinds[2].clone())), link: None }];
    let cell = RobotCell::new(CellDefinition {
        robot: Robot::new(robot).expect("a robot"),
        base: Pose::IDENTITY,
        world,
        world_duration: 1.0,
        ignore: Vec::new(),
        tolerance: None,
        clearance: 0.0,
        clearances: Vec::new(),
    });
    let cell = PackedCell::of(&cell.expect("a cell")).expect("a packed cell");
    let mut made = vec![
        of(0, &PackedScene::of(&scene).expect("a packed scene")),
        of(0, &PackedScene::of(&bending).expect("a packed scene")),
        of(1, &cell),
        of(6, &about),
    ];
    let report =
        scene.check(&CheckOptions { budget: BUDGET, ..CheckOptions::default() }, &()).expect("a report");
    let found = PathReport { report, entries: Vec::new() };
    made.push(of(4, &(PackedScene::of(&scene).expect("a packed scene"), found)));
    let moments = recording::seed_moments();
    let packed = || PackedSimulation::of(&recording::DEFINITION).expect("a packed simulation");
    made.push(of(2, &packed()));
    made.push(of(5, &(packed(), moments)));
    made.extend(kinds.iter().map(|shape| of(3, &PackedShape::of(shape).expect("a packed shape"))));
    made
}

/// The byte of a kind, and the bytes of a value.
fn of(kind: u8, value: &impl serde::Serialize) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend(postcard::to_stdvec(value).expect("a value that can be packed"));
    bytes
}
