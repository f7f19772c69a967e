//! All bodies at one time: those that are keyframed where the scene has them, the others where they were moved to.

use glam::{DMat3, DVec3};

use crate::motion::Pose;
use crate::motion::carried::{breaks as breaks_of, pieces};
use crate::response::problem::RigidMass;
use crate::scene::Scene;
use crate::simulate::definition::SimulationDefinition;
use crate::simulate::joints::{Articulation, Jointed, articulations};
use crate::simulate::pull::Pull;
use crate::simulate::rigid::Rigid;
use crate::simulate::rows::Mover;
use crate::touch::meshes::Facing;

/// What does not change while a simulation runs, but for the hand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct World {
    pub(crate) definition: SimulationDefinition,
    /// By body of the scene: its number among the dynamic ones.
    pub(crate) numbers: Vec<Option<usize>>,
    /// The dynamic bodies.
    pub(crate) dynamic: Vec<usize>,
    pub(crate) joints: Vec<Jointed>,
    pub(crate) articulations: Vec<Articulation>,
    /// By body of the scene: its articulation, and its number there.
    joined: Vec<Option<(usize, usize)>>,
    pub(crate) facings: Vec<Facing>,
    /// Pairs of bodies that a joint holds together, lower number first, in order.
    joined_pairs: Vec<[usize; 2]>,
    /// By body of the scene: where it stands, if it never moves.
    standing: Vec<Option<Pose>>,
    /// Times at which the motion of a keyframed body is not smooth, in order.
    pub(crate) breaks: Vec<f64>,
    /// The hand that pulls a body.
    pub(crate) pull: Option<Pull>,
}

impl World {
    pub(crate) fn new(definition: SimulationDefinition) -> Self {
        let scene = &definition.scene;
        let count = scene.bodies().len();
        let is_dynamic = |body: usize| definition.bodies[body].dynamics.is_some();
        let dynamic: Vec<usize> = (0..count).filter(|body| is_dynamic(*body)).collect();
        let mut numbers = vec![None; count];
        dynamic.iter().enumerate().for_each(|(number, body)| numbers[*body] = Some(number));
        let poses: Vec<Pose> = (0..count).map(|body| scene.pose_at(body, 0.0)).collect();
        let joints = &definition.joints;
        let placed: Vec<Jointed> = joints
            .iter()
            .map(|joint| Jointed::new(joint, joint.bodies.each_ref().map(|body| &poses[*body])))
            .collect();
        let articulations = articulations(joints, is_dynamic);
        let mut joined = vec![None; count];
        for (number, articulation) in articulations.iter().enumerate() {
            for (own, body) in articulation.members.iter().enumerate().filter(|(_, body)| is_dynamic(**body))
            {
                joined[*body] = Some((number, own));
            }
        }
        let mut joined_pairs: Vec<[usize; 2]> = joints
            .iter()
            .map(|joint| [joint.bodies[0].min(joint.bodies[1]), joint.bodies[0].max(joint.bodies[1])])
            .collect();
        joined_pairs.sort_unstable();
        joined_pairs.dedup();
        let facings = scene
            .bodies()
            .iter()
            .map(|body| body.shape.as_ref().map_or(Facing::Open, |s| Facing::of(s.drawn())));
        let facings = facings.collect();
        let mut breaks = Vec::new();
        let mut standing = vec![None; count];
        for body in (0..count).filter(|body| !is_dynamic(*body)) {
            let chain = scene.chain(body, None);
            if chain.iter().all(|carrier| carrier.is_constant) {
                standing[body] = Some(poses[body]);
            } else {
                breaks.extend(breaks_of(chain.iter(), scene.duration()));
            }
        }
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();
        Self {
            numbers,
            dynamic,
            joints: placed,
            articulations,
            joined,
            facings,
            joined_pairs,
            standing,
            breaks,
            pull: None,
            definition,
        }
    }

    pub(crate) fn scene(&self) -> &Scene {
        &self.definition.scene
    }

    /// A time of the smooth stretch of the keyframed motions that begins at a time, or holds it.
    pub(crate) fn after(&self, time: f64) -> f64 {
        let duration = self.scene().duration();
        if time <= 0.0 || time >= duration {
            return time;
        }
        let corner = self.breaks.iter().copied().find(|corner| *corner > time);
        0.5 * (time + corner.unwrap_or(duration).min(duration))
    }

    /// Whether a body never moves.
    pub(crate) fn stands(&self, body: usize) -> bool {
        self.standing[body].is_some()
    }

    /// Whether two bodies can collide.
    pub(crate) fn may_collide(&self, a: usize, b: usize) -> bool {
        let is_dynamic = self.numbers[a].is_some() || self.numbers[b].is_some();
        is_dynamic
            && !self.scene().is_exempt(a, b)
            && self.joined_pairs.binary_search(&[a.min(b), a.max(b)]).is_err()
    }

    /// The poses of all bodies at a time.
    pub(crate) fn poses(&self, rigid: &[Rigid], time: f64, within: f64) -> Vec<Pose> {
        let own = |body: usize| match self.numbers[body] {
            Some(number) => rigid[number].pose(),
            None => self.keyed(body, time, within).0,
        };
        (0..self.numbers.len()).map(own).collect()
    }

    /// The pose of a keyframed body at a time, the velocity of its origin and its angular velocity; `within` is a time of
    /// the stretch of its motion.
    pub(crate) fn keyed(&self, body: usize, time: f64, within: f64) -> (Pose, [DVec3; 2]) {
        if let Some(pose) = self.standing[body] {
            return (pose, [DVec3::ZERO; 2]);
        }
        let chain = self.scene().chain(body, None);
        let (mut pose, mut velocity) = (Pose::IDENTITY, [DVec3::ZERO; 2]);
        for piece in pieces(&chain, within) {
            let own = piece.pose_at(time);
            pose = if pose == Pose::IDENTITY { own } else { own.compose(&pose) };
            let [linear, angular] = piece.velocities_at(pose.position(), time);
            velocity = [own.rotation() * velocity[0] + linear, own.rotation() * velocity[1] + angular];
        }
        (pose, velocity)
    }

    /// All bodies as rows see them.
    pub(crate) fn movers(&self, rigid: &[Rigid], time: f64, within: f64) -> Vec<Mover> {
        let own = |body: usize| match self.numbers[body] {
            Some(number) => {
                let Rigid { mass, center, linear, angular, .. } = rigid[number];
                Mover {
                    mass: Some(RigidMass { mass, inertia: rigid[number].inertia() }),
                    inverse: (1.0 / mass, rigid[number].inverse_inertia()),
                    center,
                    velocity: [linear, angular],
                    joined: self.joined[body],
                }
            }
            None => {
                let (pose, velocity) = self.keyed(body, time, within);
                Mover {
                    mass: None,
                    inverse: (0.0, DMat3::ZERO),
                    center: pose.position(),
                    velocity,
                    joined: None,
                }
            }
        };
        (0..self.numbers.len()).map(own).collect()
    }
}
