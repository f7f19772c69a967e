//! One time step: half of the forces and the impulses at its start, a free flight, and the other half at its end.
//!
//! Joints hold at the end of the flight to rounding, and their velocities at the end of the step (RATTLE, Andersen
//! 1983, with bodies that rotate freely in between). Contacts are one-sided constraints of the same kind: at the
//! start no contact may close by more than its gap, at the end none may approach, and impulses of the start may be
//! taken back. So a body at rest stays at rest, a sliding body keeps the second order, and a velocity that pushes
//! bodies apart is not kept.

use glam::DVec3;

use crate::error::{Error, ErrorKind};
use crate::impulses::joined::JointedBodies;
use crate::impulses::problem::{Friction, ImpulseProblem};
use crate::motion::Pose;
use crate::simulate::definition::SimulationMethod;
use crate::simulate::joints::{Articulation, corrections, problem, project_velocities};
use crate::simulate::nearby::{approaching, touches};
use crate::simulate::rigid::RigidState;
use crate::simulate::rows::{
    ContactPoint, ContactRows, ContactTarget, Jointly, Solution, SolverBody, WarmStart, settle_in,
};
use crate::simulate::springs::Springs;
use crate::simulate::world::{World, rest_gap};
use crate::trajectory::watch::ProgressMonitor;

/// A contact closer than its rest gap returns to it in about `BACK` of the largest steps; in shorter ones by less.
const BACK: f64 = 4.0;

/// Solver sweeps for the velocities that push contacts back.
const PUSHES: [usize; 2] = [5, 20];

/// A try with more contacts than this continues from the solution of the previous one.
const FEW: usize = 200;

/// Maximum number of joint corrections in a step, and their tolerance, relative to the extent of the scene.
const CORRECTIONS: usize = 30;
const HOLDS: f64 = 1e-14;

/// All bodies at one time, with their contacts.
#[derive(Debug, Clone)]
pub(crate) struct StepState {
    pub(crate) time: f64,
    pub(crate) rigid: Vec<RigidState>,
    /// The bodies that wait for their first contact, as if released now.
    pub(crate) held: Vec<RigidState>,
    pub(crate) poses: Vec<Pose>,
    pub(crate) contacts: Vec<ContactRows>,
    /// The near contacts of waiting bodies, which get no impulse before the release.
    pub(crate) awaited: Vec<ContactPoint>,
    /// The impulses of both halves of the step before, with its duration, for a warm start.
    pub(crate) warm: [WarmImpulses; 2],
    /// The contact springs, if the method is springs.
    pub(crate) springs: Option<Springs>,
}

/// The result of a free flight.
#[derive(Debug, Clone)]
pub(crate) struct FreeFlight {
    pub(crate) rigid: Vec<RigidState>,
    pub(crate) poses: Vec<Pose>,
    /// The impulses of the contacts at the start.
    pub(crate) borne: Vec<AppliedImpulse>,
    /// The energy that contacts dissipated, in joules.
    pub(crate) taken: f64,
    /// The pairs that collide during the step.
    pub(crate) meetings: StepContacts,
    /// The springs after the impulses.
    pub(crate) springs: Option<Springs>,
    /// The velocities of the flight.
    pub(crate) pushed: Vec<[DVec3; 2]>,
    /// The contact solution; `None` if another try cannot continue from it.
    answer: Option<HalfStepSolution>,
}

/// The contact solution of the first half of a step, anticipated contacts last.
#[derive(Debug, Clone)]
pub(crate) struct HalfStepSolution {
    ahead: Vec<AnticipatedContact>,
    /// The impulses.
    own: Solution,
    /// The velocities that are not kept.
    pushes: Solution,
}

/// The starting point of the solver in a step.
#[derive(Debug, Clone)]
pub(crate) enum SolverStart {
    /// From the impulses of the step before.
    Before,
    /// From the impulses of a try with another duration.
    Other(WarmImpulses),
    /// From the solution of a try with the same duration.
    Same(Box<HalfStepSolution>),
}

/// Pairs of bodies that collide in a step.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct StepContacts {
    /// They will rebound; sorted.
    bouncing: Vec<[usize; 2]>,
    /// They come to rest on each other; sorted.
    landing: Vec<[usize; 2]>,
}

impl FreeFlight {
    /// The starting point of the solver for another try after this one.
    pub(crate) fn begin(self, own: f64, other: f64) -> SolverStart {
        match self.answer.filter(|_| own == other) {
            Some(answer) => SolverStart::Same(Box::new(answer)),
            None => SolverStart::Other((self.borne, own)),
        }
    }
}

impl SolverStart {
    /// If other forces act, the earlier solution is only a warm start.
    pub(crate) fn with_other_forces(&mut self, duration: f64) {
        if let Self::Same(answer) = self {
            *self = Self::Other((applied_impulses(&answer.own.contacts), duration));
        }
    }
}

impl HalfStepSolution {
    /// The anticipated contacts that are new.
    fn new_contacts(
        &self,
        ahead: &[AnticipatedContact],
        rows: impl Fn(&AnticipatedContact) -> ContactRows,
    ) -> Vec<(usize, ContactRows, ContactTarget)> {
        let count = self.own.contacts.len() - self.ahead.len();
        let new = ahead.iter().enumerate().filter(|(i, own)| self.ahead.get(*i) != Some(*own));
        new.map(|(i, own)| (count + i, rows(own), own.asked())).collect()
    }
}

impl AnticipatedContact {
    fn asked(&self) -> ContactTarget {
        ContactTarget::least(self.least)
    }
}

impl StepContacts {
    fn new(mut bouncing: Vec<[usize; 2]>, mut landing: Vec<[usize; 2]>) -> Self {
        bouncing.sort_unstable();
        landing.sort_unstable();
        Self { bouncing, landing }
    }

    pub(crate) fn is_bouncing(&self, bodies: [usize; 2]) -> bool {
        self.bouncing.binary_search(&bodies).is_ok()
    }

    pub(crate) fn is_landing(&self, bodies: [usize; 2]) -> bool {
        self.landing.binary_search(&bodies).is_ok()
    }
}

/// A contact during a step that is not visible at its start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AnticipatedContact {
    /// The point is given at the start of the step.
    pub(crate) touch: ContactPoint,
    /// The relative velocity along the normal must not be below this.
    pub(crate) least: f64,
}

/// The impulse of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AppliedImpulse {
    pub(crate) touch: ContactPoint,
    /// On B.
    pub(crate) impulse: DVec3,
    /// Along the normal.
    pub(crate) push: f64,
}

/// Impulses for a warm start, and their duration.
pub(crate) type WarmImpulses = (Vec<AppliedImpulse>, f64);

/// The velocities at the start of half a step.
struct Half {
    /// Of all bodies.
    given: Vec<[DVec3; 2]>,
    /// After the forces.
    kicked: Vec<[DVec3; 2]>,
    /// One problem per articulation.
    problems: Vec<ImpulseProblem>,
}

impl Half {
    /// The velocities after the forces, projected to the joints.
    fn projected_velocities(&self, all: &[(&Articulation, JointedBodies<'_>)]) -> Vec<[DVec3; 2]> {
        let mut velocities = self.kicked.clone();
        all.iter().for_each(|own| project_velocities(own, &mut velocities, None));
        velocities
    }
}

/// The velocities of all bodies.
fn velocities(movers: &[SolverBody]) -> Vec<[DVec3; 2]> {
    movers.iter().map(|mover| mover.velocity).collect()
}

impl StepState {
    /// Finds the contacts now, or within a time. If the monitor requires an immediate stop, some are missing.
    ///
    /// # Errors
    /// Joints whose equations are singular within rounding.
    pub(crate) fn new(
        world: &World,
        rigid: Vec<RigidState>,
        (time, within): (f64, f64),
        ahead: f64,
        watch: &dyn ProgressMonitor,
    ) -> Result<Self, Error> {
        let poses = world.poses(&rigid, time, within);
        let movers = world.movers(&rigid, time, within);
        let pull = world.pull.map_or(0.0, |pull| pull.haste(&world.definition));
        let gravity = world.definition.gravity.length() + pull;
        let is_sprung = world.definition.method == SimulationMethod::Spring;
        let slack = if is_sprung { world.definition.depth } else { 2.0 * rest_gap(world) };
        let mut near = approaching(world, &poses, &velocities(&movers), (ahead, ahead * gravity, slack));
        if time > 0.0 {
            // Static waiting bodies touch at time 0 or never, and contacts of sleeping bodies keep their impulses.
            near.retain(|pair| !pair.bodies.iter().all(|body| world.is_immobile(*body)));
        }
        let problems = problems(world, &movers, &poses);
        let all = jointly(world, &problems)?;
        let jointly = jointed_groups(&all);
        let touches = touches(world, &near, &poses, watch).into_iter();
        let (awaited, touches): (Vec<ContactPoint>, Vec<ContactPoint>) =
            touches.partition(|own| world.awaits_contact(own.bodies));
        let contacts = touches.into_iter().map(|touch| ContactRows::new(touch, &movers, &jointly)).collect();
        let warm = [(Vec::new(), 1.0), (Vec::new(), 1.0)];
        let held = world.held_states(time, within);
        Ok(Self { time, rigid, held, poses, contacts, awaited, warm, springs: None })
    }

    /// All contacts, sorted by pair.
    pub(crate) fn touches(&self) -> Vec<&ContactPoint> {
        let mut all: Vec<&ContactPoint> = self.contacts.iter().map(|contact| &contact.touch).collect();
        if !self.awaited.is_empty() {
            all.extend(&self.awaited);
            all.sort_by_key(|touch| touch.bodies);
        }
        all
    }

    /// Attaches springs to the contacts, if the method is springs: earlier springs continue, new ones are added.
    pub(crate) fn attach(&mut self, world: &World, within: f64, before: Option<&Springs>) {
        if world.definition.method == SimulationMethod::Spring {
            let velocities = velocities(&world.movers(&self.rigid, self.time, within));
            self.springs = Some(Springs::new(world, &self.contacts, &velocities, before));
        }
    }

    /// The longest stable step, in seconds.
    pub(crate) fn longest(&self, world: &World) -> f64 {
        self.springs.as_ref().map_or(f64::INFINITY, |springs| {
            springs.longest(&self.contacts, &velocities(&world.movers(&self.rigid, self.time, self.time)))
        })
    }

    /// The energy that springs store and will return, in joules.
    pub(crate) fn stored(&self) -> f64 {
        self.springs.as_ref().map_or(0.0, Springs::stored)
    }

    /// The first half of a step, and the free flight, with anticipated contacts. Contacts that would rebound faster
    /// than `gentle` are left to impacts.
    ///
    /// # Errors
    /// Joints whose equations are singular within rounding.
    pub(crate) fn drift_half_step(
        &self,
        world: &World,
        (duration, ahead, begin): (f64, &[AnticipatedContact], &SolverStart),
        gentle: f64,
    ) -> Result<FreeFlight, Error> {
        let within = self.time + 0.5 * duration;
        let half = self.half(world, within, 0.5 * duration);
        let all = jointly(world, &half.problems)?;
        let kicked = half.projected_velocities(&all);
        let (movers, jointly) = (world.movers(&self.rigid, self.time, within), jointed_groups(&all));
        let rows = |own: &AnticipatedContact| ContactRows::new(own.touch, &movers, &jointly);
        let last = match begin {
            SolverStart::Same(last) => Some(last.as_ref()),
            SolverStart::Before | SolverStart::Other(_) => None,
        };
        let mut own = match last {
            Some(last) => {
                let (mut own, left) = last.own.with(last.new_contacts(ahead, rows));
                own.resume(&left);
                own
            }
            None => {
                let mut asked = self.asked(world, &half.given, (&kicked, duration), gentle);
                let mut contacts = self.contacts.clone();
                contacts.extend(ahead.iter().map(rows));
                asked.extend(ahead.iter().map(AnticipatedContact::asked));
                let before = if let SolverStart::Other(before) = begin { before } else { &self.warm[0] };
                warm_start(&mut contacts, before, duration);
                Solution::new(contacts, asked, kicked.clone())
            }
        };
        let (taken, is_plain) = own.weighed([&half.given, &kicked], self.stored());
        let Solution { contacts, asked, .. } = &own;
        let mut velocities = own.velocities.clone();
        let mut springs = self.springs.clone();
        if let Some(springs) = &mut springs {
            springs.enter(contacts, asked, [&half.given, &velocities]);
        }
        let end = self.time + duration;
        let reach = self.poses.iter().map(|pose| pose.position().abs().max_element()).fold(1e-3, f64::max);
        let borne = applied_impulses(contacts);
        let meetings = match &springs {
            Some(springs) => StepContacts::new(Vec::new(), springs.overlapping_pairs()),
            None => {
                let is_left = |(_, asked): &(&ContactRows, &ContactTarget)| asked.least == f64::NEG_INFINITY;
                let bouncing = contacts.iter().zip(asked).filter(is_left);
                let bouncing = bouncing.map(|(own, _)| own.touch.bodies).collect();
                StepContacts::new(bouncing, borne.iter().map(|borne| borne.touch.bodies).collect())
            }
        };
        let pushes = self.pushes(world, (&own, duration), (last, ahead), rows);
        let mut pushed = pushes.velocities.clone();
        let mut moved = self.moved(world, (&velocities, &pushed), duration);
        let mut poses = world.poses(&moved, end, within);
        let mut last = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            let own: Vec<(Vec<f64>, f64)> =
                all.iter().map(|own| corrections(own, &world.joints, &poses, duration)).collect();
            let worst = own.iter().map(|(_, worst)| *worst).fold(0.0, f64::max);
            if worst <= HOLDS * reach || worst >= last {
                break;
            }
            last = worst;
            for (own, (changes, _)) in all.iter().zip(&own) {
                let members = &own.0.members;
                let before: Vec<[DVec3; 2]> = members.iter().map(|body| velocities[*body]).collect();
                project_velocities(own, &mut velocities, Some(changes));
                for (body, before) in members.iter().zip(before) {
                    (0..2).for_each(|i| pushed[*body][i] += velocities[*body][i] - before[i]);
                }
            }
            moved = self.moved(world, (&velocities, &pushed), duration);
            poses = world.poses(&moved, end, within);
        }
        // A few contacts are solved again, more exactly; so are joints, whose corrections changed the velocities.
        let goes_on = own.contacts.len() > FEW && !is_plain && all.is_empty() && springs.is_none();
        let answer = goes_on.then(|| HalfStepSolution { ahead: ahead.to_vec(), own, pushes });
        Ok(FreeFlight { rigid: moved, poses, borne, taken, meetings, springs, pushed, answer })
    }

    /// The targets of the contacts in the first half of a step.
    fn asked(
        &self,
        world: &World,
        given: &[[DVec3; 2]],
        (kicked, duration): (&[[DVec3; 2]], f64),
        gentle: f64,
    ) -> Vec<ContactTarget> {
        if let Some(springs) = &self.springs {
            return springs.asked(0.5 * duration, &self.contacts, [given, kicked]);
        }
        let rest = rest_gap(world);
        let least = |contact: &ContactRows| {
            // As the impacts at this time left them.
            if bounces(contact, given, gentle) {
                return f64::NEG_INFINITY;
            }
            -(contact.touch.gap - rest).max(0.0) / duration
        };
        self.contacts.iter().map(|contact| ContactTarget::least(least(contact))).collect()
    }

    /// The second half of a step after a free flight: forces, and impulses of contacts that still approach. Returns
    /// the impulses, and the energy that they dissipate.
    ///
    /// # Errors
    /// As [`Self::drift_half_step`].
    pub(crate) fn finish(
        &mut self,
        world: &World,
        duration: f64,
        (drift, gentle): (&FreeFlight, f64),
    ) -> Result<(Vec<AppliedImpulse>, f64), Error> {
        let within = self.time - 0.5 * duration;
        let half = self.half(world, within, 0.5 * duration);
        let before = half.projected_velocities(&jointly(world, &half.problems)?);
        let rest = rest_gap(world);
        let (near, asked): (Vec<usize>, Vec<ContactTarget>) = match &self.springs {
            Some(springs) => {
                let asked = springs.asked(0.5 * duration, &self.contacts, [&half.given, &before]);
                ((0..self.contacts.len()).collect(), asked)
            }
            None => {
                let given = self.initial_impulses(&drift.borne);
                let is_near = |i: &usize| {
                    let gap = self.contacts[*i].touch.gap;
                    let is_near = gap <= 2.0 * rest || given[*i] > 0.0 && gap <= 4.0 * rest;
                    is_near && !bounces(&self.contacts[*i], &before, gentle)
                };
                let asked = |i: usize| ContactTarget { floor: -given[i], ..ContactTarget::least(0.0) };
                (0..self.contacts.len()).filter(is_near).map(|i| (i, asked(i))).unzip()
            }
        };
        let mut contacts: Vec<ContactRows> = near.iter().map(|i| self.contacts[*i].clone()).collect();
        warm_start(&mut contacts, &self.warm[1], duration);
        let mut own = Solution::new(contacts, asked, before.clone());
        let (taken, _) = own.weighed([&half.given, &before], self.stored());
        let Solution { contacts, asked, velocities, .. } = own;
        if let Some(springs) = &mut self.springs {
            springs.enter(&contacts, &asked, [&half.given, &velocities]);
        }
        self.set(world, &velocities);
        Ok((applied_impulses(&contacts), taken))
    }

    /// The impulse of each contact at the start of the step. Each impulse is assigned to the most similar contact
    /// only, so it is taken back once.
    fn initial_impulses(&self, borne: &[AppliedImpulse]) -> Vec<f64> {
        let mut given = vec![0.0; self.contacts.len()];
        for own in borne {
            let alike = |i: &usize| self.contacts[*i].touch.normal.dot(own.touch.normal);
            let bodies = own.touch.bodies;
            let first = self.contacts.partition_point(|other| other.touch.bodies < bodies);
            let of_pair = (first..given.len()).take_while(|i| self.contacts[*i].touch.bodies == bodies);
            let same = of_pair.filter(|i| self.contacts[*i].touch.is_same(&own.touch));
            if let Some(contact) = same.max_by(|i, k| alike(i).total_cmp(&alike(k))) {
                given[contact] += own.push;
            }
        }
        given
    }

    /// Sets the velocities of the dynamic bodies.
    pub(crate) fn set(&mut self, world: &World, velocities: &[[DVec3; 2]]) {
        for (rigid, body) in self.rigid.iter_mut().zip(&world.dynamic) {
            [rigid.linear, rigid.angular] = velocities[*body];
        }
    }

    /// The start of half a step; `within` is a time of the smooth interval of the keyframed motions.
    fn half(&self, world: &World, within: f64, time: f64) -> Half {
        let movers = world.movers(&self.rigid, self.time, within);
        let given = velocities(&movers);
        let mut kicked = given.clone();
        for body in world.dynamic.iter().filter(|body| world.asleep[**body].is_none()) {
            kicked[*body][0] += time * world.definition.gravity;
        }
        if let Some((pull, number)) = world.pull.and_then(|pull| Some((pull, world.numbers[pull.body]?))) {
            let kick = pull.kick(&world.definition, &self.rigid[number], time);
            (0..2).for_each(|i| kicked[pull.body][i] += kick[i]);
        }
        Half { given, kicked, problems: problems(world, &movers, &self.poses) }
    }

    /// Velocities that push contacts back to their rest gap during the step, without adding energy.
    fn pushes(
        &self,
        world: &World,
        (own, duration): (&Solution, f64),
        (last, ahead): (Option<&HalfStepSolution>, &[AnticipatedContact]),
        rows: impl Fn(&AnticipatedContact) -> ContactRows,
    ) -> Solution {
        let rest = rest_gap(world);
        let lacks: Vec<f64> = match &self.springs {
            Some(springs) => springs.lacks(),
            None => own.contacts.iter().map(|contact| 0.5 * rest - contact.touch.gap).collect(),
        };
        if lacks.iter().all(|lack| *lack <= 0.0) {
            return Solution { contacts: Vec::new(), asked: Vec::new(), ..own.clone() };
        }
        let asked = |(i, (contact, held)): (usize, (&ContactRows, &ContactTarget))| {
            if i >= self.contacts.len() {
                return *held;
            }
            let room = if self.springs.is_some() { -lacks[i] } else { contact.touch.gap - rest };
            ContactTarget::least(if self.springs.is_none() && held.least == f64::NEG_INFINITY {
                // It rebounds at its own approach speed.
                contact.along_normal(&own.velocities)
            } else if room >= 0.0 {
                -room / duration
            } else {
                -room / (BACK * world.definition.step)
            })
        };
        let asked: Vec<ContactTarget> = own.contacts.iter().zip(&own.asked).enumerate().map(asked).collect();
        let plain = |contact: &ContactRows| {
            let mut contact = contact.clone();
            (contact.impulses, contact.touch.friction) = ([0.0; 3], Friction::Coefficient(0.0));
            contact
        };
        if let Some(last) = last.filter(|last| !last.pushes.contacts.is_empty()) {
            let others = last.new_contacts(ahead, |own| plain(&rows(own)));
            let (mut pushes, mut left) = last.pushes.with(others);
            let mut is_changed = vec![false; own.velocities.len()];
            let all = own.velocities.iter().zip(&last.own.velocities).enumerate();
            for (body, (now, before)) in all.filter(|(_, (now, before))| now != before) {
                is_changed[body] = true;
                (0..2).for_each(|i| pushes.velocities[body][i] += now[i] - before[i]);
            }
            for (i, left) in left.iter_mut().enumerate() {
                let WarmStart::AsIs(relative) = *left else { continue };
                if asked[i] != pushes.asked[i] {
                    *left = WarmStart::Anew;
                } else if pushes.contacts[i].touch.bodies.iter().any(|body| is_changed[*body]) {
                    *left = WarmStart::Disturbed(relative);
                }
            }
            pushes.asked = asked;
            pushes.resume(&left);
            return pushes;
        }
        let mut contacts: Vec<ContactRows> = own.contacts.iter().map(plain).collect();
        let mut velocities = own.velocities.clone();
        let settled = settle_in(PUSHES, &mut contacts, &asked, &mut velocities);
        Solution { contacts, asked, velocities, settled }
    }

    fn moved(
        &self,
        world: &World,
        (own, pushed): (&[[DVec3; 2]], &[[DVec3; 2]]),
        time: f64,
    ) -> Vec<RigidState> {
        let all = self.rigid.iter().zip(&world.dynamic);
        all.map(|(rigid, body)| {
            if world.asleep[*body].is_some() {
                return *rigid;
            }
            let [linear, angular] = own[*body];
            RigidState { linear, angular, ..*rigid }.after_free_motion(time, pushed[*body])
        })
        .collect()
    }
}

/// All articulations as impulse problems.
fn problems(world: &World, movers: &[SolverBody], poses: &[Pose]) -> Vec<ImpulseProblem> {
    world.articulations.iter().map(|own| problem(own, &world.joints, movers, poses)).collect()
}

/// All articulations with their joint solvers.
fn jointly<'j>(
    world: &'j World,
    problems: &'j [ImpulseProblem],
) -> Result<Vec<(&'j Articulation, JointedBodies<'j>)>, Error> {
    let all = world.articulations.iter().zip(problems);
    let all: Option<Vec<_>> = all.map(|(own, problem)| Some((own, JointedBodies::new(problem)?))).collect();
    all.ok_or_else(|| {
        let expected = "masses and joints that rounding tells apart";
        Error::new(ErrorKind::OutOfRange { value: f64::NAN, expected }, "joints")
    })
}

fn jointed_groups<'j>(all: &'j [(&Articulation, JointedBodies<'j>)]) -> Vec<Jointly<'j>> {
    all.iter().map(|(own, joined)| (own.members.as_slice(), joined)).collect()
}

/// Starts with the impulses of an earlier step.
fn warm_start(contacts: &mut [ContactRows], (before, time): &WarmImpulses, duration: f64) {
    let mut before: Vec<&AppliedImpulse> = before.iter().collect();
    before.sort_by_key(|own| own.touch.bodies);
    for contact in contacts.iter_mut().filter(|contact| contact.is_movable()) {
        let touch = contact.touch;
        let first = before.partition_point(|own| own.touch.bodies < touch.bodies);
        let of_pair = before[first..].iter().take_while(|own| own.touch.bodies == touch.bodies);
        let mut same = of_pair.filter(|own| own.touch.is_same(&touch));
        contact.impulses = same.next().map_or([0.0; 3], |borne| {
            let [push, s, t] = contact.along(borne.impulse).map(|amount| amount * (duration / time));
            [push.max(0.0), s, t]
        });
    }
}

/// Whether a contact approaches fast enough to rebound faster than `gentle`.
pub(crate) fn bounces(contact: &ContactRows, velocities: &[[DVec3; 2]], gentle: f64) -> bool {
    let speed = -contact.along_normal(velocities);
    contact.is_movable() && contact.touch.elasticity * speed > gentle
}

fn applied_impulses(contacts: &[ContactRows]) -> Vec<AppliedImpulse> {
    let own = |contact: &ContactRows| AppliedImpulse {
        touch: contact.touch,
        impulse: contact.impulse(),
        push: contact.impulses[0],
    };
    contacts.iter().filter(|contact| contact.impulses != [0.0; 3]).map(own).collect()
}
