//! One step: half of the forces and the impulses at its begin, a drift in which nothing acts, and the other half at its
//! end.
//!
//! Joints hold at the end of the drift to rounding, and in velocities at the end of the step (the method of RATTLE,
//! Andersen 1983, with bodies that turn freely in between). Contacts are held in the same way from one side: at the begin
//! none may go on further than its gap, at the end none may approach, and what was given at the begin may be taken back.
//! So what rests, rests; what slides keeps the second order; and no energy comes from pushing bodies apart.

use glam::DVec3;

use crate::error::{Error, ErrorKind};
use crate::motion::Pose;
use crate::response::joined::Joined;
use crate::response::problem::ImpulseProblem;
use crate::simulate::joints::{corrections, fit, problem};
use crate::simulate::nearby::{near, touches, travels};
use crate::simulate::rigid::Rigid;
use crate::simulate::rows::{Asked, ContactRows, Mover, Touch, settle};
use crate::simulate::world::World;

/// The gap at which contacts rest, as a share of the depth that is allowed.
const REST: f64 = 0.25;

/// What is closer than its gap of rest gets back to it in so many steps.
const BACK: f64 = 4.0;

/// Corrections of joints in a drift, at most, and how exactly they hold, as a share of the reach of the scene.
const CORRECTIONS: usize = 30;
const HOLDS: f64 = 1e-14;

/// All bodies at one time, with what touches there.
#[derive(Debug, Clone)]
pub(crate) struct Station {
    pub(crate) time: f64,
    pub(crate) rigid: Vec<Rigid>,
    pub(crate) poses: Vec<Pose>,
    pub(crate) contacts: Vec<ContactRows>,
}

/// Where a drift leads.
#[derive(Debug, Clone)]
pub(crate) struct Drift {
    pub(crate) rigid: Vec<Rigid>,
    pub(crate) poses: Vec<Pose>,
    /// The impulses of the contacts of the station.
    pub(crate) borne: Vec<Borne>,
    /// What contacts took, in joules.
    pub(crate) taken: f64,
}

/// The impulse of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Borne {
    pub(crate) touch: Touch,
    /// On B.
    pub(crate) impulse: DVec3,
    /// Along the normal.
    pub(crate) push: f64,
}

/// The gap at which contacts rest.
pub(crate) fn rest(world: &World) -> f64 {
    REST * world.definition.depth
}

/// The velocities of all bodies.
fn velocities(movers: &[Mover]) -> Vec<[DVec3; 2]> {
    movers.iter().map(|mover| mover.velocity).collect()
}

impl Station {
    /// What touches where bodies are, or may within a time.
    ///
    /// # Errors
    /// Coordinates that leave the range of poses.
    pub(crate) fn new(world: &World, rigid: Vec<Rigid>, (time, within): (f64, f64), ahead: f64) -> Result<Self, Error> {
        let poses = world.poses(&rigid, time, within);
        let movers = world.movers(&rigid, time, within);
        let gravity = world.definition.gravity.length();
        let travels = travels(world, &velocities(&movers), ahead, ahead * gravity);
        let slack = 2.0 * rest(world);
        let padded: Vec<f64> = travels.iter().map(|travel| travel + slack).collect();
        let near = near(world, &poses, &padded);
        let touches = touches(world, &near, &poses, 0.0)?;
        let problems = problems(world, &movers, &poses);
        let joined = joined(&problems)?;
        let members: Vec<Vec<usize>> = world.articulations.iter().map(|own| own.members.clone()).collect();
        let contacts =
            touches.into_iter().map(|touch| ContactRows::new(touch, &movers, &joined, &members)).collect();
        Ok(Self { time, rigid, poses, contacts })
    }

    /// The first half of a step of a duration, and the drift. Contacts that approach so that they rebound faster than
    /// `gentle` are left to impacts.
    ///
    /// # Errors
    /// Joints that cannot be told apart.
    pub(crate) fn drift(&self, world: &World, duration: f64, gentle: f64) -> Result<Drift, Error> {
        let within = self.time + 0.5 * duration;
        let movers = world.movers(&self.rigid, self.time, within);
        let mut velocities = velocities(&movers);
        self.kick(world, &mut velocities, 0.5 * duration);
        let problems = problems(world, &movers, &self.poses);
        let joined = joined(&problems)?;
        let all: Vec<_> = world.articulations.iter().zip(&joined).collect();
        all.iter().for_each(|own| fit(*own, &mut velocities, None));
        let before = velocities.clone();
        let rest = rest(world);
        let asked = |contact: &ContactRows| {
            if bounces(contact, &velocities, gentle) {
                return Asked { least: f64::NEG_INFINITY, floor: 0.0 };
            }
            let room = contact.touch.gap - rest;
            let least = if room >= 0.0 { -room / duration } else { -room / (BACK * duration) };
            Asked { least, floor: 0.0 }
        };
        let asked: Vec<Asked> = self.contacts.iter().map(asked).collect();
        let mut contacts = self.contacts.clone();
        contacts.iter_mut().for_each(|contact| contact.impulses = [0.0; 3]);
        settle(&mut contacts, &asked, &mut velocities);
        let taken = taken(&contacts, [&before, &velocities]);
        let end = self.time + duration;
        let reach = self.poses.iter().map(|pose| pose.position().abs().max_element()).fold(1e-3, f64::max);
        let mut moved = self.moved(world, &velocities, duration);
        let mut poses = world.poses(&moved, end, within);
        let mut last = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            let own: Vec<(Vec<f64>, f64)> =
                all.iter().map(|own| corrections(*own, &world.joints, &poses, duration)).collect();
            let worst = own.iter().map(|(_, worst)| *worst).fold(0.0, f64::max);
            if worst <= HOLDS * reach || worst >= last {
                break;
            }
            last = worst;
            all.iter().zip(&own).for_each(|(own, (changes, _))| fit(*own, &mut velocities, Some(changes)));
            moved = self.moved(world, &velocities, duration);
            poses = world.poses(&moved, end, within);
        }
        Ok(Drift { rigid: moved, poses, borne: borne(&contacts), taken })
    }

    /// The second half of a step that came from a drift: forces, and impulses against what still approaches. Returns the
    /// impulses, and what they took.
    ///
    /// # Errors
    /// As [`Self::drift`].
    pub(crate) fn finish(
        &mut self,
        world: &World,
        duration: f64,
        (drift, gentle): (&Drift, f64),
    ) -> Result<(Vec<Borne>, f64), Error> {
        let within = self.time - 0.5 * duration;
        let movers = world.movers(&self.rigid, self.time, within);
        let mut velocities = velocities(&movers);
        self.kick(world, &mut velocities, 0.5 * duration);
        let problems = problems(world, &movers, &self.poses);
        let joined = joined(&problems)?;
        let all: Vec<_> = world.articulations.iter().zip(&joined).collect();
        all.iter().for_each(|own| fit(*own, &mut velocities, None));
        let before = velocities.clone();
        let rest = rest(world);
        let given = |touch: &Touch| {
            let same = |other: &&Borne| other.touch.bodies == touch.bodies && other.touch.key == touch.key;
            drift.borne.iter().find(same).map_or(0.0, |borne| borne.push)
        };
        let near: Vec<usize> = (0..self.contacts.len())
            .filter(|i| {
                let touch = &self.contacts[*i].touch;
                let is_near = touch.gap <= 2.0 * rest || given(touch) > 0.0 && touch.gap <= 4.0 * rest;
                is_near && !bounces(&self.contacts[*i], &velocities, gentle)
            })
            .collect();
        let mut contacts: Vec<ContactRows> = near.iter().map(|i| self.contacts[*i].clone()).collect();
        contacts.iter_mut().for_each(|contact| contact.impulses = [0.0; 3]);
        let asked: Vec<Asked> =
            contacts.iter().map(|contact| Asked { least: 0.0, floor: -given(&contact.touch) }).collect();
        settle(&mut contacts, &asked, &mut velocities);
        let taken = taken(&contacts, [&before, &velocities]);
        self.set(world, &velocities);
        Ok((borne(&contacts), taken))
    }

    /// Gives the dynamic bodies these velocities.
    pub(crate) fn set(&mut self, world: &World, velocities: &[[DVec3; 2]]) {
        for (rigid, body) in self.rigid.iter_mut().zip(&world.dynamic) {
            [rigid.linear, rigid.angular] = velocities[*body];
        }
    }

    fn kick(&self, world: &World, velocities: &mut [[DVec3; 2]], time: f64) {
        for body in &world.dynamic {
            velocities[*body][0] += time * world.definition.gravity;
        }
    }

    fn moved(&self, world: &World, velocities: &[[DVec3; 2]], time: f64) -> Vec<Rigid> {
        let own = self.rigid.iter().zip(&world.dynamic);
        own.map(|(rigid, body)| {
            let [linear, angular] = velocities[*body];
            Rigid { linear, angular, ..*rigid }.drifted(time)
        })
        .collect()
    }
}

/// All articulations as problems of impulses.
fn problems(world: &World, movers: &[Mover], poses: &[Pose]) -> Vec<ImpulseProblem> {
    world.articulations.iter().map(|own| problem(own, &world.joints, movers, poses)).collect()
}

fn joined(problems: &[ImpulseProblem]) -> Result<Vec<Joined<'_>>, Error> {
    let all: Option<Vec<Joined<'_>>> = problems.iter().map(Joined::new).collect();
    all.ok_or_else(|| {
        let kind = ErrorKind::OutOfRange { value: f64::NAN, expected: "masses and joints that rounding tells apart" };
        Error::new(kind, "joints")
    })
}

/// Whether a contact approaches so that it rebounds faster than a speed.
pub(crate) fn bounces(contact: &ContactRows, velocities: &[[DVec3; 2]], gentle: f64) -> bool {
    let speed = -contact.relative(velocities)[0];
    contact.is_movable() && contact.touch.elasticity * speed > gentle
}

/// What contacts took when velocities changed from the first to the second.
fn taken(contacts: &[ContactRows], [before, after]: [&[[DVec3; 2]]; 2]) -> f64 {
    let own = |contact: &ContactRows| {
        let [first, second] = [before, after].map(|velocities| contact.relative(velocities));
        let rows = (0..3).map(|i| contact.impulses[i] * (first[i] + second[i])).sum::<f64>();
        -0.5 * rows
    };
    contacts.iter().map(own).sum()
}

fn borne(contacts: &[ContactRows]) -> Vec<Borne> {
    let own = |contact: &ContactRows| Borne {
        touch: contact.touch,
        impulse: contact.impulse(),
        push: contact.impulses[0],
    };
    contacts.iter().filter(|contact| contact.impulses != [0.0; 3]).map(own).collect()
}
