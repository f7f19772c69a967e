//! Validates the definition of a simulation and its states.

use crate::error::{Error, ErrorKind, check_number, check_positive, check_vector};
use crate::impulses::checks::{check_joint, check_mass, check_surface};
use crate::impulses::problem::{ImpulseJoint, RigidMass};
use crate::motion::chain::MovingBall;
use crate::motion::relative::RelativeMotion;
use crate::pair::shape::CollisionShape;
use crate::scene::BodyMotion;
use crate::simulate::definition::{
    Release, SimulatedBody, SimulatedJoint, SimulationDefinition, SimulationSettings,
};
use crate::simulate::proof::{ProofRequest, ProvenPairs, SeparatingHints, prove};
use crate::simulate::recorded::{Released, SimulationState};
use crate::simulate::separation::StepPoses;
use crate::simulate::state::world::World;
use crate::simulate::state::{StepContacts, StepState};

/// Maximum ratio of the duration to the step, and to the time between records.
const MAX_STEPS: f64 = 1e9;

pub(crate) fn validate(definition: &SimulationDefinition) -> Result<(), Error> {
    let SimulationDefinition { scene, bodies, joints, flexible, settings } = definition;
    let SimulationSettings { gravity, step, record, method: _, touching: _, depth, max_records } = settings;
    if *max_records == 0 {
        return Error::out_of_range(0.0, "at least 1", "max_records");
    }
    check_vector(*gravity, || "gravity".to_owned())?;
    check_positive(*step, "step")?;
    check_positive(*record, "record")?;
    check_positive(*depth, "depth")?;
    for (value, place) in [(*step, "step"), (*record, "record")] {
        if scene.duration() / value > MAX_STEPS {
            return Error::out_of_range(value, "at least a billionth of the duration", place);
        }
    }
    if bodies.len() != scene.bodies().len() {
        return Error::out_of_range(
            bodies.len() as f64,
            "as many bodies as the scene has",
            "simulated bodies",
        );
    }
    for (number, body) in bodies.iter().enumerate() {
        check_body(definition, number, body)?;
    }
    let is_dynamic = |body: usize| bodies[body].dynamics.is_some();
    for own in flexible {
        if own.body >= bodies.len() {
            return Error::out_of_range(own.body as f64, "the number of a body", "flexible body");
        }
        let name = || scene.bodies().get(own.body).map_or("", |body| body.name.as_str());
        if bodies.get(own.body).is_some_and(|body| body.dynamics.is_some()) {
            let what = "a flexible body that is rigid as well is";
            return Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", name())));
        }
        if let Some(number) = joints.iter().position(|joint| joint.bodies.contains(&own.body)) {
            let place = format!("joint {number} of body {:?}", name());
            return Err(Error::new(
                ErrorKind::NotBuilt("found a flexible body, expected a rigid one: a joint at a vertex is"),
                place,
            ));
        }
    }
    for (number, joint) in joints.iter().enumerate() {
        let SimulatedJoint { bodies: pair, point, kind } = *joint;
        let joint = ImpulseJoint { bodies: pair, point, kind };
        check_joint(&joint, bodies.len(), is_dynamic, || format!("joint {number}"))?;
    }
    Ok(())
}

fn check_body(definition: &SimulationDefinition, number: usize, body: &SimulatedBody) -> Result<(), Error> {
    let scene = &definition.scene.bodies()[number];
    let name = &scene.name;
    let of = |what: &str| format!("{what} of body {name:?}");
    check_surface(body.surface(), of)?;
    let Some(dynamics) = body.dynamics else { return Ok(()) };
    check_mass(&RigidMass { mass: dynamics.mass, inertia: dynamics.inertia }, of)?;
    check_vector(dynamics.center, || of("center"))?;
    check_vector(dynamics.linear, || of("linear velocity"))?;
    check_vector(dynamics.angular, || of("angular velocity"))?;
    if scene.parent.is_some() {
        return Err(Error::new(ErrorKind::NotBuilt("a dynamic body that rides on another is"), of("parent")));
    }
    if body.release == Release::Start && !matches!(scene.motion, BodyMotion::Still(_)) {
        return Err(Error::new(
            ErrorKind::NotBuilt(
                "a body with a motion of its own that is dynamic before its first contact is",
            ),
            of("motion"),
        ));
    }
    let duration = definition.scene.duration();
    let motion = RelativeMotion::new(
        duration,
        [definition.scene.chain(number, None), Vec::new()],
        [MovingBall::POINT; 2],
    );
    if motion.smooth_intervals().any(|interval| motion.jumps_at(interval.interval().end)) {
        let what = "a motion that jumps, of a body that is dynamic from its first contact on, is";
        return Err(Error::new(ErrorKind::NotBuilt(what), of("motion")));
    }
    Ok(())
}

/// Checks the releases of a state.
fn check_released(definition: &SimulationDefinition, moment: &SimulationState) -> Result<(), Error> {
    let mut last = 0.0;
    for (number, Released { body, time }) in moment.released.iter().enumerate() {
        let is_waiting = |own: &SimulatedBody| own.dynamics.is_some() && own.release == Release::Contact;
        let is_again = moment.released[..number].iter().any(|other| other.body == *body);
        if is_again || !definition.bodies.get(*body).is_some_and(is_waiting) {
            let expected = "the number of a body that is keyframed until its first contact, once";
            return Error::out_of_range(*body as f64, expected, "released body of the moment");
        }
        if !(last..=moment.time).contains(time) {
            let name = &definition.scene.bodies()[*body].name;
            let expected = "a time that is not before the one before, and not after the moment";
            return Error::out_of_range(*time, expected, format!("release of body {name:?}"));
        }
        last = *time;
    }
    Ok(())
}

/// Checks the flexible bodies of a state against a definition.
fn check_flexible(definition: &SimulationDefinition, moment: &SimulationState) -> Result<(), Error> {
    if moment.flexible.len() != definition.flexible.len() {
        let found = moment.flexible.len() as f64;
        return Error::out_of_range(found, "one for each flexible body", "flexible bodies of the moment");
    }
    for (own, state) in definition.flexible.iter().zip(&moment.flexible) {
        let body = definition.scene.bodies().get(own.body);
        let count = body.and_then(|body| body.shape.as_ref()).map_or(0, |shape| shape.drawn().vertex_count());
        let of = |what: &str| format!("{what} of body {:?}", body.map_or("", |body| body.name.as_str()));
        for (values, what) in
            [(&state.vertices, "vertices"), (&state.velocities, "velocities of the vertices")]
        {
            if values.len() != count {
                let found = values.len() as f64;
                return Error::out_of_range(found, "one for each vertex of the mesh", of(what));
            }
            values.iter().try_for_each(|value| check_vector(*value, || of(what)))?;
        }
    }
    Ok(())
}

impl SimulationDefinition {
    /// Checks this definition and its states, for example after reading both from a file.
    ///
    /// # Errors
    /// As [`Simulation::resumed`](crate::Simulation::resumed) for each state, except for bodies that overlap too
    /// deeply.
    pub fn check_moments(&self, moments: &[SimulationState]) -> Result<(), Error> {
        validate(self)?;
        moments.iter().try_for_each(|moment| check_moment(self, moment))
    }
}

/// Checks a state against a definition.
pub(crate) fn check_moment(definition: &SimulationDefinition, moment: &SimulationState) -> Result<(), Error> {
    let dynamic = definition.scene.bodies().iter().zip(&definition.bodies);
    let names: Vec<&String> =
        dynamic.filter(|(_, own)| own.dynamics.is_some()).map(|(body, _)| &body.name).collect();
    for (count, place) in [(moment.poses.len(), "poses"), (moment.velocities.len(), "velocities")] {
        if count != names.len() {
            let expected = "one for each dynamic body";
            return Error::out_of_range(count as f64, expected, format!("{place} of the moment"));
        }
    }
    if !(0.0..=definition.scene.duration()).contains(&moment.time) {
        return Error::out_of_range(moment.time, "a time within the duration", "time of the moment");
    }
    check_released(definition, moment)?;
    check_flexible(definition, moment)?;
    check_number(moment.energy.dissipated, || "dissipated energy of the moment".to_owned())?;
    for (name, [linear, angular]) in names.into_iter().zip(&moment.velocities) {
        check_vector(*linear, || format!("linear velocity of body {name:?}"))?;
        check_vector(*angular, || format!("angular velocity of body {name:?}"))?;
    }
    let count = definition.bodies.len();
    let bodies = moment.contacts.iter().flat_map(|contact| contact.bodies);
    match bodies.into_iter().find(|body| *body >= count) {
        Some(body) => Error::out_of_range(body as f64, "the number of a body", "contact of the moment"),
        None => Ok(()),
    }
}

/// Checks that bodies that can collide are meshes or round, and that no two overlap deeper than allowed at the start.
pub(crate) fn check_start(world: &World, state: &StepState) -> Result<(), Error> {
    for (number, body) in world.scene().bodies().iter().enumerate() {
        let is_other = |shape: &CollisionShape| shape.is_set() || shape.deforming_surface().is_some();
        let collides =
            || (0..world.numbers.len()).any(|other| other != number && world.may_collide(number, other));
        if body.shape.as_ref().is_some_and(is_other) && collides() {
            let what =
                "a simulation of anything but meshes, boxes, spheres, cylinders, cones and capsules is";
            return Err(Error::new(ErrorKind::NotBuilt(what), format!("shape of body {:?}", body.name)));
        }
    }
    let poses = [state.poses.as_slice(); 2];
    let request = ProofRequest {
        step: StepPoses { times: [0.0, world.definition.settings.step], poses, is_still: true },
        hints: &SeparatingHints::of(world, state),
        contacts: &StepContacts::default(),
        distance: 0.0,
    };
    match prove(world, &request, &mut ProvenPairs::default(), &()) {
        Ok(_) => Ok(()),
        Err(blocking) => {
            let [a, b] = blocking[0].bodies.map(|body| &world.scene().bodies()[body].name);
            let kind = ErrorKind::TooDeep(world.definition.settings.depth);
            Err(Error::new(kind, format!("start of bodies {a:?} and {b:?}")))
        }
    }
}
