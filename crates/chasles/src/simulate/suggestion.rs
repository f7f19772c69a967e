//! What would follow where two keyframed bodies collide, as a suggestion to who made the keyframes (paper 004, 2): the
//! motion stays as it is.

use glam::{DMat3, DVec3};

use crate::error::{Error, check_vector};
use crate::impulses::checks::check_mass;
use crate::impulses::problem::{
    Friction, ImpulseBody, ImpulseContact, ImpulseOutcome, ImpulseProblem, RigidMass,
};
use crate::scene::{CheckOptions, NearestReport, RestingPairs, SceneInterval, StaticPairs};
use crate::simulate::checks::validate;
use crate::simulate::definition::{Dynamics, SimulationDefinition};
use crate::simulate::nearby::{NearPair, touches};
use crate::simulate::world::{World, rest_gap};
use crate::trajectory::watch::ProgressMonitor;

/// What would follow where two keyframed bodies begin to touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The numbers of the bodies A and B in the scene, the lower first.
    pub bodies: [usize; 2],
    /// In seconds: they do not touch shortly before it, proven.
    pub time: f64,
    /// Of each body, in the world and metres: its centre of mass, or its position where it has no mass.
    pub centers: [DVec3; 2],
    /// Where they touch, and the impulses that would follow.
    pub contacts: Vec<SuggestedContact>,
    /// Of each body: that of its centre of mass in metres per second, and the angular one in radians per second, both in
    /// world axes, as the motions have them.
    pub before: [[DVec3; 2]; 2],
    /// The same after the impulses. That of a body without a mass stays.
    pub after: [[DVec3; 2]; 2],
}

/// A place at which two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SuggestedContact {
    /// In metres, in the world.
    pub point: DVec3,
    /// From A to B, unit.
    pub normal: DVec3,
    /// On B, in newton seconds.
    pub impulse: DVec3,
}

/// All that is suggested.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Suggestions {
    /// In the order of time, then of the bodies.
    pub found: Vec<Suggestion>,
    /// Bodies that may touch, from a time in seconds on, of which no impulse can be told: they are in each other there at
    /// once, the search was stopped or does not tell, or no impulses settle. In the order of time, then of the bodies.
    pub untold: Vec<([usize; 2], f64)>,
}

/// Impulses at more places than this are not told.
const MOST: usize = 256;

/// What would follow where keyframed bodies collide. `masses`: of each body of the scene that is keyframed for good and
/// has a mass; its velocities are those of its motion. All others are taken not to give way, and two of these are not
/// looked at. Nor are bodies that are dynamic, or will be, and pairs that a joint holds together or that are not tested.
///
/// Each pair is looked at alone, every time that it begins to touch, as if its bodies were free; the times are those of
/// [`Scene::check`](crate::Scene::check), with its guarantee. Bodies that touch without approaching are not listed.
///
/// # Errors
/// As [`Simulation::new`](crate::Simulation::new), but for what begins deep in each other, and as `Scene::check`; a mass
/// of a body that is dynamic, one out of range, or another number of masses than of bodies.
pub fn suggestions(
    definition: &SimulationDefinition,
    masses: &[Option<Dynamics>],
    watch: &dyn ProgressMonitor,
) -> Result<Suggestions, Error> {
    validate(definition)?;
    check_masses(definition, masses)?;
    let mut suggestions = Suggestions::default();
    if masses.iter().all(Option::is_none) {
        return Ok(suggestions);
    }
    let mut scene = definition.scene.clone();
    for (body, own) in definition.bodies.iter().enumerate() {
        scene.ignored_bodies[body] |= own.dynamics.is_some();
    }
    let world = World::new(definition.clone(), Vec::new());
    // Bodies at rest relative to each other exchange no impulses, so such pairs are not checked.
    let (standing, statics) = (RestingPairs::Ignored, StaticPairs::Ignored);
    let options =
        CheckOptions { naming: NearestReport::Nothing, standing, statics, ..CheckOptions::default() };
    let report = scene.check(&options, watch)?;
    for pair in &report.pairs {
        let [a, b] = pair.bodies;
        let is_heavy = masses[a].is_some() || masses[b].is_some();
        if a == b || !is_heavy || world.is_joined(a, b) {
            continue;
        }
        for interval in &pair.intervals {
            match suggestion((&world, masses), pair.bodies, interval)? {
                SuggestionOutcome::Suggestion(suggestion) => suggestions.found.push(*suggestion),
                SuggestionOutcome::Nothing => {}
                SuggestionOutcome::Unknown => suggestions.untold.push((pair.bodies, interval.enter[0])),
            }
        }
        suggestions.untold.extend(pair.undecided.iter().map(|[from, _]| (pair.bodies, *from)));
    }
    suggestions.found.sort_by(|p, q| p.time.total_cmp(&q.time).then(p.bodies.cmp(&q.bodies)));
    suggestions.untold.sort_by(|p, q| p.1.total_cmp(&q.1).then(p.0.cmp(&q.0)));
    Ok(suggestions)
}

fn check_masses(definition: &SimulationDefinition, masses: &[Option<Dynamics>]) -> Result<(), Error> {
    let count = definition.bodies.len();
    if masses.len() != count {
        return Error::out_of_range(masses.len() as f64, "one for each body of the scene", "masses");
    }
    for (number, mass) in masses.iter().enumerate() {
        let Some(Dynamics { mass, inertia, center, .. }) = *mass else { continue };
        let name = &definition.scene.bodies()[number].name;
        let of = |what: &str| format!("{what} of body {name:?}");
        if definition.bodies[number].dynamics.is_some() {
            let expected = "the mass of a body that is keyframed for good";
            return Error::out_of_range(mass, expected, of("mass"));
        }
        check_mass(&RigidMass { mass, inertia }, of)?;
        check_vector(center, || of("center"))?;
    }
    Ok(())
}

/// What is told of a contact.
enum SuggestionOutcome {
    Suggestion(Box<Suggestion>),
    /// They do not approach.
    Nothing,
    Unknown,
}

fn suggestion(
    (world, masses): (&World, &[Option<Dynamics>]),
    bodies: [usize; 2],
    interval: &SceneInterval,
) -> Result<SuggestionOutcome, Error> {
    let time = interval.enter[0];
    let within = world.before(time);
    let scene = world.scene();
    let movers = bodies.map(|body| {
        let (pose, [linear, angular]) = world.keyed(body, time, within);
        match &masses[body] {
            Some(Dynamics { mass, inertia, center, .. }) => {
                let turn = DMat3::from_quat(pose.rotation());
                let (mass, inertia) = (*mass, turn * *inertia * turn.transpose());
                let linear = linear + angular.cross(pose.transform_vector(*center));
                let mass = Some(RigidMass { mass, inertia });
                ImpulseBody { mass, center: pose.transform_point(*center), linear, angular }
            }
            None => ImpulseBody { mass: None, center: pose.position(), linear, angular },
        }
    });
    let velocity_at =
        |body: &ImpulseBody, point: DVec3| body.linear + body.angular.cross(point - body.center);
    let poses: Vec<_> = (0..world.numbers.len())
        .map(|body| {
            if bodies.contains(&body) { world.keyed(body, time, within).0 } else { scene.pose_at(body, 0.0) }
        })
        .collect();
    let contact = |point: DVec3, normal: DVec3, (elasticity, friction): (f64, Friction)| ImpulseContact {
        bodies: [0, 1],
        point,
        normal,
        elasticity,
        friction,
    };
    let near = [NearPair { bodies, travel: 2.0 * rest_gap(world) }];
    let mut contacts: Vec<ImpulseContact> = touches(world, &near, &poses, &())
        .iter()
        .map(|touch| contact(touch.point, touch.normal, (touch.elasticity, touch.friction)))
        .collect();
    if contacts.is_empty() {
        let Some(first) = &interval.contact else { return Ok(SuggestionOutcome::Unknown) };
        let [a, b] = bodies.map(|body| world.definition.bodies[body]);
        let surface = (a.elasticity.min(b.elasticity), a.friction.rougher(b.friction));
        let (point, normal) = (first.contact.point, first.contact.normal);
        // As they come together.
        let [of_a, of_b] = movers.each_ref().map(|body| velocity_at(body, point));
        let normal = if normal.dot(of_b - of_a) > 0.0 { -normal } else { normal };
        contacts.push(contact(point, normal, surface));
    }
    if contacts.len() > MOST {
        return Ok(SuggestionOutcome::Unknown);
    }
    let problem = ImpulseProblem { bodies: movers.to_vec(), contacts, joints: Vec::new() };
    let ImpulseOutcome::Solved(answer) = problem.solve()? else { return Ok(SuggestionOutcome::Unknown) };
    let given = problem.contacts.iter().zip(&answer.contacts);
    let told: Vec<SuggestedContact> = given
        .filter(|(_, own)| own.impulse != DVec3::ZERO)
        .map(|(contact, own)| SuggestedContact {
            point: contact.point,
            normal: contact.normal.normalize(),
            impulse: own.impulse,
        })
        .collect();
    if told.is_empty() {
        return Ok(SuggestionOutcome::Nothing);
    }
    let centers = movers.map(|body| body.center);
    let before = movers.map(|body| [body.linear, body.angular]);
    let after = [0, 1].map(|i| answer.velocities[i]);
    let suggestion = Suggestion { bodies, time, centers, contacts: told, before, after };
    Ok(SuggestionOutcome::Suggestion(Box::new(suggestion)))
}
