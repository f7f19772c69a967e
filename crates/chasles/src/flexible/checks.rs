//! Validates flexible bodies in their scene.

use crate::error::{Error, ErrorKind, check_not_negative, check_positive, check_vector};
use crate::flexible::definition::{FlexibleBody, FlexibleInput};
use crate::pair::shape::CollisionShape;
use crate::scene::BodyMotion;

pub(super) fn validate(input: &FlexibleInput<'_>) -> Result<(), Error> {
    let bodies = input.scene.bodies();
    for (number, own) in input.bodies.iter().enumerate() {
        let is_again = input.bodies[..number].iter().any(|other| other.body == own.body);
        if own.body >= bodies.len() || is_again {
            let expected = "the number of a body of the scene, once";
            return Error::out_of_range(own.body as f64, expected, "flexible body");
        }
        check_body(input, own)?;
    }
    Ok(())
}

fn check_body(input: &FlexibleInput<'_>, own: &FlexibleBody) -> Result<(), Error> {
    let body = &input.scene.bodies()[own.body];
    let of = |what: &str| format!("{what} of body {:?}", body.name);
    let refused = |reason: &'static str, what: &str| Err(Error::new(ErrorKind::NotBuilt(reason), of(what)));
    check_positive(own.mass, of("mass"))?;
    check_positive(own.stiffness, of("stiffness"))?;
    check_not_negative(own.damping, of("damping"))?;
    check_vector(own.linear, || of("linear velocity"))?;
    check_vector(own.angular, || of("angular velocity"))?;
    if body.parent.is_some() {
        return refused("a flexible body that rides on another is", "parent");
    }
    if !matches!(body.motion, BodyMotion::Still(_)) {
        return refused("a flexible body with a motion of its own is", "motion");
    }
    if body.shape.as_ref().is_none_or(|shape| shape.body().is_none()) {
        return refused("a flexible body that is neither a mesh nor a box is", "shape");
    }
    if let Some(rider) = input.scene.bodies().iter().find(|rider| rider.parent == Some(own.body)) {
        let place = format!("parent of body {:?}", rider.name);
        return Err(Error::new(ErrorKind::NotBuilt("a body that rides on a flexible one is"), place));
    }
    Ok(())
}

/// Checks that a flexible body can collide only with static bodies and with flexible bodies, as nothing else is
/// supported; returns the static bodies.
pub(super) fn static_bodies_around(
    input: &FlexibleInput<'_>,
    own: usize,
    is_dynamic: &dyn Fn(usize) -> bool,
) -> Result<Vec<usize>, Error> {
    let scene = input.scene;
    let body = input.bodies[own].body;
    let is_flexible = |other: usize| input.bodies.iter().any(|flexible| flexible.body == other);
    let others = (0..scene.bodies().len()).filter(|other| *other != body && !is_flexible(*other));
    let others: Vec<usize> = others.filter(|other| !scene.is_exempt(body, *other)).collect();
    for other in &others {
        let other_body = &scene.bodies()[*other];
        let refused = |reason: &'static str| {
            let place =
                format!("flexible body {:?} beside body {:?}", scene.bodies()[body].name, other_body.name);
            Err(Error::new(ErrorKind::NotBuilt(reason), place))
        };
        if is_dynamic(*other) {
            return refused("a collision of a flexible body with a rigid one that is dynamic is");
        }
        if scene.chain(*other, None).iter().any(|carrier| !carrier.is_constant) {
            return refused("a collision of a flexible body with one that moves as the scene says is");
        }
        let is_supported = |shape: &CollisionShape| shape.body().is_some() || shape.round().is_some();
        if !other_body.shape.as_ref().is_some_and(is_supported) {
            let what = "a collision of a flexible body with anything but meshes, boxes and round bodies is";
            return refused(what);
        }
    }
    Ok(others)
}
