//! Joints: their bodies, kinds and axes.

use chasles::JointKind;
use glam::DVec3;

use crate::error::Result;
use crate::text::cursor::{Cursor, did_you_mean};
use crate::text::tree::quoted;

/// The keys of a joint.
pub(crate) const JOINT_KEYS: [&str; 5] = ["kind", "a", "b", "point", "axis"];

/// The words for the kinds.
const KINDS: [&str; 6] = ["ball", "hinge", "slide", "piston", "plane", "fixed"];

/// The numbers of the two different bodies `a` and `b` of a contact or joint. `find` returns the number of a name,
/// and `known` all names.
pub(crate) fn pair<'n, I: Iterator<Item = &'n str>>(
    at: &Cursor<'_>,
    find: impl Fn(&str) -> Option<usize>,
    known: impl Fn() -> I,
) -> Result<[usize; 2]> {
    let number = |key: &str| {
        let at = at.require(key, "the name of a body")?;
        let Ok(name) = at.text() else { return Err(at.expected("the name of a body")) };
        find(name).ok_or_else(|| {
            let hint = did_you_mean(name, known());
            at.expected(&format!("the name of one of the bodies{hint}"))
        })
    };
    let [a, b] = [number("a")?, number("b")?];
    match at.get("b") {
        Some(at) if a == b => Err(at.expected("another body: it is the same as a")),
        _ => Ok([a, b]),
    }
}

/// The names of `a` and `b`, quoted.
pub(crate) fn quoted_pair(at: &Cursor<'_>) -> [String; 2] {
    ["a", "b"].map(|key| at.get(key).and_then(|at| at.text().ok()).map_or_else(String::new, quoted))
}

/// The position of a contact or joint.
pub(crate) fn point(at: &Cursor<'_>) -> Result<DVec3> {
    at.require("point", "a list of 3 finite numbers")?.vector()
}

/// The direction of a vector, with a length of about one.
pub(crate) fn direction(at: &Cursor<'_>) -> Result<DVec3> {
    if at.vector()? == DVec3::ZERO {
        return Err(at.error("found a vector of length zero, expected a direction"));
    }
    at.direction()
}

/// Reads the keys `kind` and `axis`.
pub(crate) fn kind(at: &Cursor<'_>) -> Result<JointKind> {
    let missing = || at.missing("kind", &format!("one of {}", KINDS.join(", ")));
    let word = at.get("kind").ok_or_else(missing)?.word(&KINDS)?;
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
