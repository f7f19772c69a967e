//! The scene of a simulation with the simulated motions.

use std::sync::Arc;

use chasles::{
    BodyMotion, CollisionShape, DeformingSurface, FramesInMemory, Mesh, Pose, Scene, SceneBody,
    SceneDefinition, SimulationDefinition, SimulationState,
};
use glam::DVec3;

/// The poses of one moment for a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedPoses {
    /// Seconds.
    pub time: f64,
    /// Poses of the dynamic bodies, in the order of the scene.
    pub poses: Vec<Pose>,
    /// Vertex positions of each flexible body, in the order of the definition.
    pub vertices: Vec<Vec<DVec3>>,
}

impl RecordedPoses {
    /// The poses of a moment.
    #[must_use]
    pub fn of(moment: &SimulationState) -> Self {
        let places = moment.flexible.iter().map(|state| state.vertices.clone()).collect();
        Self { time: moment.time, poses: moment.poses.clone(), vertices: places }
    }
}

/// Builds the scene of a simulation, in which dynamic bodies have keyframes and flexible bodies deform. All its
/// pairs are tested, including pairs that cannot collide in the simulation.
///
/// # Errors
/// As for [`Scene::new`] and [`DeformingSurface::new`].
pub fn simulated_scene(
    definition: &SimulationDefinition,
    mut frames: Vec<RecordedPoses>,
) -> Result<Scene, chasles::Error> {
    let mut bodies = definition.scene.bodies().to_vec();
    let dynamic =
        bodies.iter_mut().zip(&definition.bodies).filter(|(_, simulated)| simulated.dynamics.is_some());
    for (number, (body, _)) in dynamic.enumerate() {
        let keys: Vec<(f64, Pose)> =
            frames.iter().filter_map(|frame| Some((frame.time, *frame.poses.get(number)?))).collect();
        // Without a moment the body keeps its initial pose.
        if !keys.is_empty() {
            body.motion = BodyMotion::Keyframes(keys);
        }
    }
    for (number, flexible_body) in definition.flexible.iter().enumerate() {
        let Some(body) = bodies.get_mut(flexible_body.body) else { continue };
        set_recorded_frames(body, number, &mut frames)?;
    }
    let (duration, tolerance) = (definition.scene.duration(), Some(definition.scene.tolerance()));
    Scene::new(SceneDefinition { duration, tolerance, clearance: 0.0, bodies, ignore: vec![] })
}

/// Gives a flexible body its recorded vertex positions; `number` is its index among the flexible bodies.
fn set_recorded_frames(
    body: &mut SceneBody,
    number: usize,
    frames: &mut [RecordedPoses],
) -> Result<(), chasles::Error> {
    let mut times = Vec::with_capacity(frames.len());
    let mut all = Vec::with_capacity(frames.len());
    for frame in frames {
        if let Some(places) = frame.vertices.get_mut(number) {
            times.push(frame.time);
            all.push(std::mem::take(places));
        }
    }
    // Without a moment the body keeps its initial shape.
    let (Some(shape), Some(first)) = (&body.shape, all.first()) else { return Ok(()) };
    let mesh = Mesh::new(first.clone(), shape.drawn().triangles().to_vec())?;
    let surface = DeformingSurface::new(mesh, times, Arc::new(FramesInMemory(all)))?;
    body.shape = Some(CollisionShape::deforming(Arc::new(surface)));
    body.motion = BodyMotion::Still(Pose::IDENTITY);
    Ok(())
}
