//! Simulations beside rapier: boxes that fall into a heap, and a stack that stands.
//!
//! `cargo run --release --bin simulate -- [--boxes N] [--seconds S] [--out DIR]`

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use chasles::{
    Advance, BodyMotion, Dynamics, Friction, Pose, Primitive, Release, Scene, SceneBody, SceneDefinition, SceneShape,
    SimulatedBody, Simulation, SimulationDefinition, SimulationMethod,
};
use chasles_bench::program::machine::Machine;
use chasles_bench::program::options::Given;
use chasles_bench::program::table::{Cell, Report, Table};
use chasles_testing::Random;
use glam::{DMat3, DQuat, DVec3};
use rapier3d_f64::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder};

const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.5;

/// Boxes of 1 kg above a floor whose top is at 0.
struct Case {
    name: String,
    size: DVec3,
    places: Vec<(DVec3, DQuat)>,
    step: f64,
    /// What the simulation may use of interpenetration, in metres.
    depth: f64,
    seconds: f64,
}

/// Columns of boxes with any rotation, which fall into a heap.
fn heap(count: u32, step: f64, seconds: f64) -> Case {
    let random = &mut Random(5);
    let across = (f64::from(count).cbrt().round() as u32).max(2);
    let mut places = Vec::new();
    for i in 0..count {
        let (x, y, z) = (i % across, i / across % across, i / (across * across));
        let spread = || 0.2 * 0.1;
        let at = DVec3::new(
            0.2 * (f64::from(x) - 0.5 * f64::from(across - 1)) + random.side() * spread(),
            0.2 * (f64::from(y) - 0.5 * f64::from(across - 1)) + random.side() * spread(),
            0.1 + 0.19 * f64::from(z),
        );
        places.push((at, random.rotation()));
    }
    let name = format!("{count} boxes into a heap");
    Case { name, size: DVec3::splat(0.1), places, step, depth: 1e-3, seconds }
}

fn stack(step: f64, seconds: f64) -> Case {
    let size = DVec3::new(0.4, 0.3, 0.2);
    let places = (0..10).map(|i| (DVec3::new(0.0, 0.0, 0.1 + 0.2 * f64::from(i)), DQuat::IDENTITY)).collect();
    Case { name: "stack of 10".into(), size, places, step, depth: 1e-4, seconds }
}

/// What came of a run.
struct Outcome {
    /// By the wall, for a simulated second.
    seconds: f64,
    /// How deep two bodies were after a step, at most, in metres.
    deepest: f64,
    note: String,
}

fn ours(case: &Case, checking: bool) -> Result<Outcome, Box<dyn Error>> {
    let body = |name: String, size: DVec3, pose: Pose| {
        Ok::<SceneBody, chasles::Error>(SceneBody {
            name,
            shape: Some(SceneShape::primitive(Primitive::Box { size })?),
            motion: BodyMotion::Still(pose),
            parent: None,
            group: None,
            solid: false,
        })
    };
    let floor = DVec3::new(20.0, 20.0, 1.0);
    let mut bodies = vec![body("floor".into(), floor, Pose::from_position(-0.5 * DVec3::Z)?)?];
    let friction = Friction::Coefficient(FRICTION);
    let mut own = vec![SimulatedBody { dynamics: None, release: Release::Start, elasticity: 0.0, friction }];
    let s = case.size * case.size;
    let inertia = DMat3::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) / 12.0);
    for (i, (at, turn)) in case.places.iter().enumerate() {
        bodies.push(body(format!("b{i}"), case.size, Pose::new(*at, *turn)?)?);
        let dynamics =
            Dynamics { mass: 1.0, inertia, center: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO };
        own.push(SimulatedBody { dynamics: Some(dynamics), release: Release::Start, elasticity: 0.0, friction });
    }
    let scene = SceneDefinition {
        duration: case.seconds,
        tolerance: None,
        clearance: 0.0,
        bodies,
        ignore: Vec::new(),
    };
    let definition = SimulationDefinition {
        scene: Scene::new(scene)?,
        bodies: own,
        joints: Vec::new(),
        gravity: -GRAVITY * DVec3::Z,
        step: case.step,
        record: case.step.max(1.0 / 60.0),
        method: SimulationMethod::Both,
        depth: case.depth,
    };
    let begin = Instant::now();
    let mut simulation = Simulation::new(definition, checking)?;
    let (mut deepest, mut time, mut note) = (0.0_f64, 0.0, String::new());
    let mut looking = 0.0;
    loop {
        match simulation.advance(&())? {
            Advance::Moments(moments) => {
                let look = Instant::now();
                if let Some(last) = moments.last() {
                    let places: Vec<(DVec3, DQuat)> =
                        last.poses.iter().map(|pose| (pose.position(), pose.rotation())).collect();
                    deepest = deepest.max(depth(case.size, &places));
                    time = last.time;
                }
                looking += look.elapsed().as_secs_f64();
            }
            Advance::Finished => break,
            other => {
                note = format!("ended at {time:.3} s: {other:?}; ");
                break;
            }
        }
    }
    let seconds = begin.elapsed().as_secs_f64() - looking;
    let summary = simulation.summary();
    note += &format!("{} steps", summary.steps);
    if let Some(proven) = summary.deepest {
        note += &format!(", {:.4} mm proven at all times", 1e3 * proven);
    }
    Ok(Outcome { seconds: seconds / time, deepest, note })
}

fn rapier(case: &Case) -> Outcome {
    let mut world = PhysicsWorld::new();
    world.gravity = DVec3::new(0.0, 0.0, -GRAVITY);
    world.integration_parameters.dt = case.step;
    let floor = world.insert_body(RigidBodyBuilder::fixed().translation(-0.5 * DVec3::Z));
    world.insert_collider(ColliderBuilder::cuboid(10.0, 10.0, 0.5).friction(FRICTION), Some(floor));
    let half = 0.5 * case.size;
    let mut handles = Vec::new();
    for (at, turn) in &case.places {
        let handle =
            world.insert_body(RigidBodyBuilder::dynamic().translation(*at).rotation(turn.to_scaled_axis()));
        let shape = ColliderBuilder::cuboid(half.x, half.y, half.z).mass(1.0).friction(FRICTION);
        world.insert_collider(shape, Some(handle));
        handles.push(handle);
    }
    let steps = (case.seconds / case.step).round() as usize;
    let (mut spent, mut deepest) = (0.0, 0.0_f64);
    let look = (1.0 / 60.0 / case.step).round().max(1.0) as usize;
    for step in 0..steps {
        let begin = Instant::now();
        world.step();
        spent += begin.elapsed().as_secs_f64();
        if (step + 1) % look == 0 {
            let places: Vec<(DVec3, DQuat)> = handles
                .iter()
                .map(|handle| {
                    let body = &world.bodies[*handle];
                    (body.translation(), *body.rotation())
                })
                .collect();
            deepest = deepest.max(depth(case.size, &places));
        }
    }
    Outcome { seconds: spent / case.seconds, deepest, note: format!("{steps} steps") }
}

/// How deep any two boxes, or a box and the floor, are in each other: the least overlap along a direction that can part
/// two boxes.
fn depth(size: DVec3, places: &[(DVec3, DQuat)]) -> f64 {
    let turns: Vec<DMat3> = places.iter().map(|(_, turn)| DMat3::from_quat(*turn)).collect();
    let reach = |turn: &DMat3, n: DVec3| 0.5 * (size * (turn.transpose() * n).abs()).element_sum();
    let axes = |turn: &DMat3| [turn.x_axis, turn.y_axis, turn.z_axis];
    let mut deepest = 0.0_f64;
    for (i, (at, _)) in places.iter().enumerate() {
        deepest = deepest.max(reach(&turns[i], DVec3::Z) - at.z);
        for (k, (other, _)) in places.iter().enumerate().skip(i + 1) {
            let between = *other - *at;
            if between.length() > size.length() {
                continue;
            }
            let mut directions: Vec<DVec3> = axes(&turns[i]).into_iter().chain(axes(&turns[k])).collect();
            for u in axes(&turns[i]) {
                directions.extend(axes(&turns[k]).map(|v| u.cross(v)));
            }
            let overlap = |n: &DVec3| {
                let n = n.normalize();
                reach(&turns[i], n) + reach(&turns[k], n) - between.dot(n).abs()
            };
            let least =
                directions.iter().filter(|n| n.length() > 1e-9).map(overlap).fold(f64::INFINITY, f64::min);
            deepest = deepest.max(least);
        }
    }
    deepest
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut given = Given::here()?;
    let boxes: u32 = given.value("--boxes")?.unwrap_or(1_000);
    let seconds: f64 = given.value("--seconds")?.unwrap_or(1.0);
    let out: PathBuf = given.out();
    given.end()?;
    let cases = [
        heap(100, 1.0 / 60.0, seconds),
        heap(100, 1e-3, seconds),
        heap(boxes, 1.0 / 60.0, seconds),
        stack(1e-3, seconds),
    ];
    let text = "A simulated second, by the wall, on one run. *Deepest* is the least translation that parts two boxes, \
                looked at every sixtieth of a second by the same formula for both; what chasles proves holds between \
                those times too. Unfair: rapier has one thread here and chasles may use all; rapier lets bodies into each \
                other and pushes them out, and puts bodies at rest to sleep; chasles makes a step again, or shorter, \
                until it is proven.";
    let columns = ["scene", "step", "engine", "a second", "to rapier", "deepest", "note"];
    let mut table = Table::new("Boxes", text, &columns);
    for case in &cases {
        let peer = rapier(case);
        for (name, outcome) in [
            ("rapier3d-f64", &peer),
            ("chasles", &ours(case, false)?),
            ("chasles, depth told", &ours(case, true)?),
        ] {
            table.row(
                &case.name,
                [
                    Cell::Time(case.step),
                    Cell::from(name),
                    Cell::Time(outcome.seconds),
                    Cell::Ratio(outcome.seconds / peer.seconds),
                    Cell::Text(format!("{:.4} mm", 1e3 * outcome.deepest)),
                    Cell::Text(outcome.note.clone()),
                ],
            );
        }
    }
    let report = Report {
        title: "Simulations".into(),
        machine: Machine::here(),
        settings: vec![("seconds".into(), format!("{seconds}"))],
        tables: vec![table],
    };
    Ok(report.publish(&out, "simulate")?)
}
