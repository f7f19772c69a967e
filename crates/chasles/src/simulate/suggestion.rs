//! Suggests how two keyframed bodies that collide would respond, for the author of the keyframes (paper 004, 2). The
//! motion stays as it is.

use glam::{DMat3, DVec3};

use crate::error::{Error, check_vector};
use crate::impulses::checks::check_mass;
use crate::impulses::problem::{
    ImpulseBody, ImpulseContact, ImpulseOutcome, ImpulseProblem, RigidMass, SurfaceProperties,
};
use crate::scene::{CheckOptions, NearestReport, RestingPairs, SceneInterval, StaticPairs};
use crate::simulate::checks::validate;
use crate::simulate::definition::{Dynamics, SimulationDefinition};
use crate::simulate::state::nearby::{NearPair, contact_points};
use crate::simulate::state::world::{KeyframedState, MotionTime, World, rest_gap};
use crate::trajectory::watch::ProgressMonitor;

/// The response of two keyframed bodies at the start of a contact.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The numbers of the bodies A and B in the scene, the lower first.
    pub bodies: [usize; 2],
    /// In seconds; the bodies are proven separated shortly before it.
    pub time: f64,
    /// The centre of mass of each body, or its position if it has no mass, in the world, in metres.
    pub centers: [DVec3; 2],
    /// The contact points and their impulses.
    pub contacts: Vec<SuggestedContact>,
    /// The velocity of each centre of mass in metres per second, and the angular velocity in radians per second, both
    /// in world axes, from the motions.
    pub before: [[DVec3; 2]; 2],
    /// The same velocities after the impulses. The velocities of a body without a mass do not change.
    pub after: [[DVec3; 2]; 2],
}

/// A contact point of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SuggestedContact {
    /// In metres, in the world.
    pub point: DVec3,
    /// From A to B, unit.
    pub normal: DVec3,
    /// On B, in newton seconds.
    pub impulse: DVec3,
}

/// All suggestions for a scene.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Suggestions {
    /// Ordered by time, then by bodies.
    pub found: Vec<Suggestion>,
    /// Pairs that may touch from a time in seconds on, but have no suggestion: they overlap at once, the search was
    /// stopped or is undecided, or the impulses did not converge. Ordered by time, then by bodies.
    pub undecided: Vec<([usize; 2], f64)>,
}

/// Maximum number of contact points for which impulses are computed.
const MAX_CONTACTS: usize = 256;

/// Computes the contact response of keyframed bodies that collide. `masses` has an entry for each body of the scene,
/// `Some` if it is always keyframed and has a mass; its velocities come from its motion. A body without a mass does
/// not give way. Pairs without a mass are skipped, as are bodies that are or will be dynamic, and pairs that are
/// joined or exempt.
///
/// Each pair is solved alone, each time it begins to touch, as if its bodies were free. Times are found by
/// [`Scene::check`](crate::Scene::check), with its guarantee. Bodies that touch without approaching are not listed.
///
/// # Errors
/// As [`Simulation::new`](crate::Simulation::new), except for bodies that overlap too deeply at the start, and as
/// `Scene::check`; a mass of a dynamic body or out of range; a number of masses that differs from the number of
/// bodies.
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
    let (resting, statics) = (RestingPairs::Ignored, StaticPairs::Ignored);
    let options =
        CheckOptions { naming: NearestReport::Nothing, resting, statics, ..CheckOptions::default() };
    let report = scene.check(&options, watch)?;
    for pair in &report.pairs {
        let [a, b] = pair.bodies;
        let is_heavy = masses[a].is_some() || masses[b].is_some();
        if a == b || !is_heavy || world.is_joined(a, b) {
            continue;
        }
        for interval in &pair.intervals {
            match suggestion(&world, masses, pair.bodies, interval)? {
                SuggestionOutcome::Suggestion(suggestion) => suggestions.found.push(*suggestion),
                SuggestionOutcome::Nothing => {}
                SuggestionOutcome::Undecided => suggestions.undecided.push((pair.bodies, interval.enter[0])),
            }
        }
        suggestions.undecided.extend(pair.undecided.iter().map(|[from, _]| (pair.bodies, *from)));
    }
    suggestions.found.sort_by(|p, q| p.time.total_cmp(&q.time).then(p.bodies.cmp(&q.bodies)));
    suggestions.undecided.sort_by(|p, q| p.1.total_cmp(&q.1).then(p.0.cmp(&q.0)));
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

/// The result for one contact.
enum SuggestionOutcome {
    Suggestion(Box<Suggestion>),
    /// The bodies do not approach.
    Nothing,
    Undecided,
}

fn suggestion(
    world: &World,
    masses: &[Option<Dynamics>],
    bodies: [usize; 2],
    interval: &SceneInterval,
) -> Result<SuggestionOutcome, Error> {
    let time = interval.enter[0];
    let at = MotionTime { time, within: world.smooth_time_before(time) };
    let scene = world.scene();
    let impulse_bodies = bodies.map(|body| {
        let KeyframedState { pose, velocity: [linear, angular] } = world.keyframed_state(body, at);
        match &masses[body] {
            Some(Dynamics { mass, inertia, center, .. }) => {
                let rotation = DMat3::from_quat(pose.rotation());
                let (mass, inertia) = (*mass, rotation * *inertia * rotation.transpose());
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
            if bodies.contains(&body) {
                world.keyframed_state(body, at).pose
            } else {
                scene.pose_at(body, 0.0)
            }
        })
        .collect();
    let SurfaceProperties { elasticity, friction } = world.surface_properties(bodies);
    let contact =
        |point: DVec3, normal: DVec3| ImpulseContact { bodies: [0, 1], point, normal, elasticity, friction };
    let near = [NearPair { bodies, travel: 2.0 * rest_gap(world) }];
    let mut contacts: Vec<ImpulseContact> = contact_points(world, &near, &poses, &())
        .iter()
        .map(|touch| contact(touch.point, touch.normal))
        .collect();
    if contacts.is_empty() {
        let Some(first) = &interval.contact else { return Ok(SuggestionOutcome::Undecided) };
        let (point, normal) = (first.contact.point, first.contact.normal);
        // The normal is oriented so that the bodies approach.
        let [of_a, of_b] = impulse_bodies.each_ref().map(|body| velocity_at(body, point));
        let normal = if normal.dot(of_b - of_a) > 0.0 { -normal } else { normal };
        contacts.push(contact(point, normal));
    }
    if contacts.len() > MAX_CONTACTS {
        return Ok(SuggestionOutcome::Undecided);
    }
    let problem = ImpulseProblem { bodies: impulse_bodies.to_vec(), contacts, joints: Vec::new() };
    let ImpulseOutcome::Solved(answer) = problem.solve()? else { return Ok(SuggestionOutcome::Undecided) };
    let solved = problem.contacts.iter().zip(&answer.contacts);
    let contacts: Vec<SuggestedContact> = solved
        .filter(|(_, own)| own.impulse != DVec3::ZERO)
        .map(|(contact, own)| SuggestedContact {
            point: contact.point,
            normal: contact.normal.normalize(),
            impulse: own.impulse,
        })
        .collect();
    if contacts.is_empty() {
        return Ok(SuggestionOutcome::Nothing);
    }
    let centers = impulse_bodies.map(|body| body.center);
    let before = impulse_bodies.map(|body| [body.linear, body.angular]);
    let after = [0, 1].map(|i| answer.velocities[i]);
    let suggestion = Suggestion { bodies, time, centers, contacts, before, after };
    Ok(SuggestionOutcome::Suggestion(Box::new(suggestion)))
}
