//! One step: half of the forces and the impulses at its begin, a drift in which nothing acts, and the other half at its
//! end.
//!
//! Joints hold at the end of the drift to rounding, and in velocities at the end of the step (the method of RATTLE,
//! Andersen 1983, with bodies that turn freely in between). Contacts are held in the same way from one side: at the begin
//! none may go on further than its gap, at the end none may approach, and what was given at the begin may be taken back.
//! So what rests, rests; what slides keeps the second order; and what pushes bodies apart is not kept as a velocity.

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

/// What is closer than its gap of rest gets back to it in about so many of the largest steps: in shorter ones by less.
const BACK: f64 = 4.0;

/// Sweeps for the velocities that bring them back.
const PUSHES: [usize; 2] = [5, 20];

/// A try goes on from the answer of the one before if it has more contacts than so many.
const FEW: usize = 200;

/// Corrections of joints in a drift, at most, and how exactly they hold, as a share of the reach of the scene.
const CORRECTIONS: usize = 30;
const HOLDS: f64 = 1e-14;

/// All bodies at one time, with what touches there.
#[derive(Debug, Clone)]
pub(crate) struct StepState {
    pub(crate) time: f64,
    pub(crate) rigid: Vec<RigidState>,
    /// Those that wait for their first contact, as if they were released now.
    pub(crate) held: Vec<RigidState>,
    pub(crate) poses: Vec<Pose>,
    pub(crate) contacts: Vec<ContactRows>,
    /// What nearly touches a body that waits: no impulse comes of it before its release.
    pub(crate) awaited: Vec<ContactPoint>,
    /// The impulses of the first and the second half of the step before, with its duration: where solutions begin.
    pub(crate) warm: [WarmImpulses; 2],
    /// Those of the contacts, where springs alone answer.
    pub(crate) springs: Option<Springs>,
}

/// Where a drift leads.
#[derive(Debug, Clone)]
pub(crate) struct FreeFlight {
    pub(crate) rigid: Vec<RigidState>,
    pub(crate) poses: Vec<Pose>,
    /// The impulses of the contacts of the station.
    pub(crate) borne: Vec<AppliedImpulse>,
    /// What contacts took, in joules.
    pub(crate) taken: f64,
    /// Which bodies meet on the way.
    pub(crate) meetings: StepContacts,
    /// After the impulses.
    pub(crate) springs: Option<Springs>,
    /// The velocities with which bodies went.
    pub(crate) pushed: Vec<[DVec3; 2]>,
    /// How the contacts were answered; `None` where another try cannot go on from it.
    answer: Option<HalfStepSolution>,
}

/// How the contacts of the first half of a step were answered, those seen ahead last.
#[derive(Debug, Clone)]
pub(crate) struct HalfStepSolution {
    ahead: Vec<AnticipatedContact>,
    /// By impulses.
    own: Solution,
    /// By velocities that are not kept.
    pushes: Solution,
}

/// Where the solution of a step begins.
#[derive(Debug, Clone)]
pub(crate) enum SolverStart {
    /// With the impulses of the step before.
    Before,
    /// With those of a try of another duration.
    Other(WarmImpulses),
    /// With the answer of a try of the same duration.
    Same(Box<HalfStepSolution>),
}

/// Pairs of bodies that meet in a span.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct StepContacts {
    /// They will rebound; in order.
    bouncing: Vec<[usize; 2]>,
    /// They come to rest on each other; in order.
    landing: Vec<[usize; 2]>,
}

impl FreeFlight {
    /// Where a try of some duration begins after this one.
    pub(crate) fn begin(self, own: f64, other: f64) -> SolverStart {
        match self.answer.filter(|_| own == other) {
            Some(answer) => SolverStart::Same(Box::new(answer)),
            None => SolverStart::Other((self.borne, own)),
        }
    }
}

impl SolverStart {
    /// Other forces act: what was answered before is no more than where a solution begins.
    pub(crate) fn with_other_forces(&mut self, duration: f64) {
        if let Self::Same(answer) = self {
            *self = Self::Other((applied_impulses(&answer.own.contacts), duration));
        }
    }
}

impl HalfStepSolution {
    /// The contacts that are ahead now and were not so before.
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

/// A contact on the way of a step that does not show at its begin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AnticipatedContact {
    /// The point is where it is at the begin of the step.
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

/// Impulses where a solution begins, and the duration that they were for.
pub(crate) type WarmImpulses = (Vec<AppliedImpulse>, f64);

/// The velocities with which a half of a step begins.
struct Half {
    /// Of all bodies.
    given: Vec<[DVec3; 2]>,
    /// After the forces.
    kicked: Vec<[DVec3; 2]>,
    /// The articulations.
    problems: Vec<ImpulseProblem>,
}

impl Half {
    /// The velocities after the forces, as far as joints allow them.
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
    /// What touches where bodies are, or may within a time; some of it is missing where the watch is final.
    ///
    /// # Errors
    /// Joints that cannot be told apart.
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
            // Static bodies that wait touch at time 0 or never, and contacts of sleeping bodies keep their impulses.
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

    /// What touches, by pairs of bodies in order.
    pub(crate) fn touches(&self) -> Vec<&ContactPoint> {
        let mut all: Vec<&ContactPoint> = self.contacts.iter().map(|contact| &contact.touch).collect();
        if !self.awaited.is_empty() {
            all.extend(&self.awaited);
            all.sort_by_key(|touch| touch.bodies);
        }
        all
    }

    /// Gives the contacts springs, where springs alone answer: those that were there before, and new ones.
    pub(crate) fn attach(&mut self, world: &World, within: f64, before: Option<&Springs>) {
        if world.definition.method == SimulationMethod::Spring {
            let velocities = velocities(&world.movers(&self.rigid, self.time, within));
            self.springs = Some(Springs::new(world, &self.contacts, &velocities, before));
        }
    }

    /// How long a step may be.
    pub(crate) fn longest(&self, world: &World) -> f64 {
        self.springs.as_ref().map_or(f64::INFINITY, |springs| {
            springs.longest(&self.contacts, &velocities(&world.movers(&self.rigid, self.time, self.time)))
        })
    }

    /// What springs hold and will give back, in joules.
    pub(crate) fn stored(&self) -> f64 {
        self.springs.as_ref().map_or(0.0, Springs::stored)
    }

    /// The first half of a step of a duration, and the drift, with contacts that were seen ahead. Contacts that approach so
    /// that they rebound faster than `gentle` are left to impacts.
    ///
    /// # Errors
    /// Joints that cannot be told apart.
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
        // Few contacts are settled again, and further. Where joints are, corrections have changed the velocities too.
        let goes_on = own.contacts.len() > FEW && !is_plain && all.is_empty() && springs.is_none();
        let answer = goes_on.then(|| HalfStepSolution { ahead: ahead.to_vec(), own, pushes });
        Ok(FreeFlight { rigid: moved, poses, borne, taken, meetings, springs, pushed, answer })
    }

    /// What the first half of a step asks of each contact.
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
            // As the impacts of this time left them.
            if bounces(contact, given, gentle) {
                return f64::NEG_INFINITY;
            }
            -(contact.touch.gap - rest).max(0.0) / duration
        };
        self.contacts.iter().map(|contact| ContactTarget::least(least(contact))).collect()
    }

    /// The second half of a step that came from a drift: forces, and impulses against what still approaches. Returns the
    /// impulses, and what they took.
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

    /// What each contact was given at the begin of the step: each impulse goes to one contact, the most alike, so that it
    /// is taken back once.
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

    /// Gives the dynamic bodies these velocities.
    pub(crate) fn set(&mut self, world: &World, velocities: &[[DVec3; 2]]) {
        for (rigid, body) in self.rigid.iter_mut().zip(&world.dynamic) {
            [rigid.linear, rigid.angular] = velocities[*body];
        }
    }

    /// What a half of a step begins with; `within` is a time of the stretch of the keyframed motions.
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

    /// Velocities that bring what is too close back to its gap of rest on the way, and no energy.
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
                // It rebounds at the speed at which it comes by itself.
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

/// All articulations as problems of impulses.
fn problems(world: &World, movers: &[SolverBody], poses: &[Pose]) -> Vec<ImpulseProblem> {
    world.articulations.iter().map(|own| problem(own, &world.joints, movers, poses)).collect()
}

/// All articulations, and how they answer.
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

/// Begins with the impulses of a step before.
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

/// Whether a contact approaches so that it rebounds faster than a speed.
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
