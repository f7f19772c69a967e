//! Chasles.

use std::error::Error;
use std::time::Instant;

use chasles::{
    BodyMotion, CollisionShape, Friction, Pose, Primitive, Release, Scene, SceneBody, SceneDefinition,
    ImpactOrder, SimulatedBody, Simulation, SimulationDefinition, SimulationMethod, StepResult,
};
use chasles_bench::program::timing::of_all_threads;
use glam::{DQuat, DVec3};

use crate::depth::Measure;
use crate::scene::{Case, FRICTION, GRAVITY};
use crate::{OUTPUT_INTERVAL, Outcome};

/// Simulates a case. If `checking`, the maximum depth is reported at the end.
pub(crate) fn simulated(case: &Case, checking: bool) -> Result<Outcome, Box<dyn Error>> {
    let mut simulation = Simulation::new(definition(case)?, checking)?;
    let measure = Measure::new(case);
    let (mut deepest, mut time, mut note) = (0.0_f64, 0.0, String::new());
    let (mut wall, mut processor) = (0.0, 0.0);
    loop {
        let (start, used) = (Instant::now(), of_all_threads());
        let advance = simulation.advance(&())?;
        wall += start.elapsed().as_secs_f64();
        processor += of_all_threads() - used;
        match advance {
            StepResult::Moments(moments) => {
                for moment in moments {
                    let places: Vec<(DVec3, DQuat)> =
                        moment.poses.iter().map(|pose| (pose.position(), pose.rotation())).collect();
                    // Moments between the common times of all engines are not at a multiple of a sixtieth of a second.
                    let is_output = ((moment.time / OUTPUT_INTERVAL).round() * OUTPUT_INTERVAL - moment.time)
                        .abs()
                        < 1e-6;
                    if is_output && moment.time > 0.0 {
                        deepest = deepest.max(measure.deepest(&places));
                    }
                    time = moment.time;
                }
            }
            StepResult::Finished => break,
            other => {
                note = format!("ended at {time:.3} s: {other:?}; ");
                break;
            }
        }
    }
    let summary = simulation.summary();
    note += &format!("{} steps", summary.steps);
    if let Some(proven) = summary.deepest {
        note += &format!(", {:.4} mm proven at all times", 1e3 * proven);
    }
    Ok(Outcome { wall: wall / time, processor: processor / time, deepest, note })
}

fn definition(case: &Case) -> Result<SimulationDefinition, Box<dyn Error>> {
    let body = |name: String, shape: CollisionShape, pose: Pose| SceneBody {
        name,
        shape: Some(shape),
        motion: BodyMotion::Still(pose),
        parent: None,
        group: None,
        solid: false,
    };
    let floor = CollisionShape::primitive(Primitive::Box { size: DVec3::new(20.0, 20.0, 1.0) })?;
    let mut bodies = vec![body("floor".into(), floor, Pose::from_position(-0.5 * DVec3::Z)?)];
    let friction = Friction::Coefficient(FRICTION);
    let mut own = vec![SimulatedBody { dynamics: None, release: Release::Start, elasticity: 0.0, friction }];
    for (i, (at, turn)) in case.places.iter().enumerate() {
        bodies.push(body(format!("b{i}"), case.shape(i)?, Pose::new(*at, *turn)?));
        own.push(SimulatedBody {
            dynamics: Some(case.dynamics(i)?),
            release: Release::Start,
            elasticity: 0.0,
            friction,
        });
    }
    let scene = SceneDefinition {
        duration: case.seconds,
        tolerance: None,
        clearance: 0.0,
        bodies,
        ignore: Vec::new(),
    };
    Ok(SimulationDefinition {
        scene: Scene::new(scene)?,
        bodies: own,
        joints: Vec::new(),
        flexible: Vec::new(),
        gravity: -GRAVITY * DVec3::Z,
        step: case.step,
        record: OUTPUT_INTERVAL,
        method: SimulationMethod::Both,
        touching: ImpactOrder::Together,
        depth: case.depth,
        max_records: SimulationDefinition::MAX_RECORDS,
    })
}
