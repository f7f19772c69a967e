//! Joints: their kinds, and the axes that some of them have.

use chasles::{ImpulseBody, ImpulseJoint, JointKind};

use super::{Names, check_object, direction, pair, point};
use crate::error::Result;
use crate::text::cursor::Cursor;
use crate::text::tree::quoted;

/// The words for kinds.
const KINDS: [&str; 6] = ["ball", "hinge", "slide", "piston", "plane", "fixed"];

pub(super) fn joint(at: &Cursor<'_>, names: &Names, bodies: &[ImpulseBody]) -> Result<ImpulseJoint> {
    check_object(at, &["kind", "a", "b", "point", "axis"])?;
    let kind = kind(at)?;
    let joined @ [a, b] = pair(at, names)?;
    if bodies[a].mass.is_none() && bodies[b].mass.is_none() {
        let [a, b] =
            ["a", "b"].map(|key| at.get(key).and_then(|at| at.text().ok()).map_or_else(String::new, quoted));
        return Err(at.error(format!("found two keyframed bodies, {a} and {b}, expected at most one")));
    }
    Ok(ImpulseJoint { bodies: joined, point: point(at)?, kind })
}

/// The keys `kind` and `axis`.
fn kind(at: &Cursor<'_>) -> Result<JointKind> {
    let word = at.require("kind", &format!("one of {}", KINDS.join(", ")))?.word(&KINDS)?;
    let axis = || {
        let expected = || format!("a direction, which a {} has", KINDS[word]);
        match at.get("axis") {
            Some(at) => direction(&at),
            None => Err(at.missing("axis", &expected())),
        }
    };
    let kind = match word {
        1 => JointKind::Hinge { axis: axis()? },
        2 => JointKind::Slide { axis: axis()? },
        3 => JointKind::Piston { axis: axis()? },
        4 => JointKind::Plane { axis: axis()? },
        ball_or_fixed => {
            if let Some(axis) = at.get("axis") {
                let word = KINDS[word];
                return Err(
                    axis.error(format!("found an axis, expected none: a joint of the kind {word} has none"))
                );
            }
            if ball_or_fixed == 0 { JointKind::Ball } else { JointKind::Fixed }
        }
    };
    Ok(kind)
}
