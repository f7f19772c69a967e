//! Escape moves: moves that only separate bodies that overlap at the start.
//!
//! The depth of a link in another body is measured by a translation of the link that separates the two
//! ([`Penetration`](crate::Penetration)). During an escape no longer translation is needed than the one at the start:
//! the link, moved by that translation, is proven to stay clear of the body until the two are separated, or until the
//! move ends. The depth at the end is smaller, so no escape leads back in.

use std::collections::BTreeMap;

use glam::DVec3;

use crate::error::Error;
use crate::motion::Pose;
use crate::robot::RobotCell;
use crate::robot::check::PathReport;
use crate::robot::path::JointPath;
use crate::robot::path_scene::{PathScene, scene_on};
use crate::scene::pairing::{RestingPairs, StaticPairs};
use crate::scene::penetration::Penetration;
use crate::scene::report::{CheckOptions, NearestReport, PairListing, PairReport, PairVerdict};
use crate::scene::{BodyMotion, Scene, SceneBody, SceneDefinition};
use crate::trajectory::watch::ProgressMonitor;

/// Two bodies that overlap at the start of a move that separates them, wholly or in part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeparatedPair {
    /// The numbers of the two bodies, as in a [`PathReport`].
    pub bodies: [usize; 2],
    /// The distance to move the first body to separate it from the second at the start of the move, in metres:
    /// [`Penetration::length`](crate::Penetration::length).
    pub before: f64,
    /// The same distance at the end of the move, which is smaller; 0 if the bodies are separated.
    pub after: f64,
}

/// The translation at the start is lengthened by this fraction and this number of tolerances: at its exact end the
/// surfaces would touch.
const RELATIVE_MARGIN: f64 = 1e-6;
const MARGIN_TOLERANCES: f64 = 4.0;

/// The pairs that overlap at the start of a path of one segment, if the path is an escape; `found` is its report.
/// `None` if the path is no escape, or not proven to be one.
///
/// An escape brings no other two bodies together, nor within their clearance. Each overlap lasts from the start,
/// in one interval. Until it ends it is never deeper than at the start, up to a millionth and four tolerances. An
/// overlap that lasts to the end is less deep there.
pub(super) fn escaping_pairs(
    cell: &RobotCell,
    path: &JointPath,
    found: &PathReport,
    options: &CheckOptions,
    watch: &dyn ProgressMonitor,
) -> Result<Option<Vec<SeparatedPair>>, Error> {
    let [start, end] = path.interval();
    let not_clear: Vec<&PairReport> =
        found.report.pairs.iter().filter(|pair| pair.verdict != PairVerdict::Clear).collect();
    if not_clear.is_empty() || !not_clear.iter().all(|pair| is_from_start(pair, start)) {
        return Ok(None);
    }
    let penetrations = |time: f64| -> Result<BTreeMap<[usize; 2], Option<Penetration>>, Error> {
        let found = cell.intersecting_at(path, time)?;
        Ok(found.into_iter().map(|(pair, penetration)| (pair.bodies, penetration)).collect())
    };
    let [at_start, at_end] = [penetrations(start)?, penetrations(end)?];
    let mut separated = Vec::with_capacity(not_clear.len());
    for pair in not_clear {
        let Some(Some(penetration)) = at_start.get(&pair.bodies) else { return Ok(None) };
        let after = match at_end.get(&pair.bodies) {
            None => 0.0,
            Some(Some(penetration)) => penetration.length,
            Some(None) => return Ok(None),
        };
        // A NaN is not less.
        if after.partial_cmp(&penetration.length).is_none_or(std::cmp::Ordering::is_ge) {
            return Ok(None);
        }
        let exit = pair.intervals.first().and_then(|interval| interval.exit);
        let until = exit.map_or(end, |exit| exit[1].min(end));
        if until > start {
            // A translation of the initial length separates the pair throughout, so the pair is never deeper.
            let overlapping = if until < end { path.part_until(until) } else { path.clone() };
            let Some(scene) = scene_of_separated(cell, &overlapping, pair.bodies, penetration)? else {
                return Ok(None);
            };
            if scene.check(&separation_options(options), watch)?.verdict != PairVerdict::Clear {
                return Ok(None);
            }
        }
        separated.push(SeparatedPair { bodies: pair.bodies, before: penetration.length, after });
    }
    Ok(Some(separated))
}

/// The scene of two bodies on a path, without all others: the first body is moved by the translation that
/// separates the two at the start. `None` if a part of this body cannot be moved so (see [`shifted`]).
fn scene_of_separated(
    cell: &RobotCell,
    path: &JointPath,
    pair: [usize; 2],
    penetration: &Penetration,
) -> Result<Option<Scene>, Error> {
    let PathScene { scene, owners } = scene_on(cell, path)?;
    let length = penetration.length * (1.0 + RELATIVE_MARGIN) + MARGIN_TOLERANCES * scene.tolerance();
    let shift = length * penetration.translation.normalize_or_zero();
    let mut bodies = Vec::with_capacity(owners.len());
    for (number, body) in scene.bodies().iter().enumerate() {
        let of_pair = pair.contains(&owners[number]) && body.shape.is_some();
        let mut body = SceneBody { group: None, ..body.clone() };
        if !of_pair {
            (body.shape, body.solid) = (None, false);
        } else if owners[number] == pair[0] {
            let Some(motion) = shifted(&scene, &body, shift) else { return Ok(None) };
            body.motion = motion;
        }
        bodies.push(body);
    }
    let (duration, tolerance) = (scene.duration(), Some(scene.tolerance()));
    let mut separated = Scene::new(SceneDefinition { tolerance, ..SceneDefinition::new(duration, bodies) })?;
    if let Some(epsilon) = cell.epsilon {
        separated = separated.with_epsilon(epsilon)?;
    }
    Ok(Some(separated))
}

/// The options to check two separated bodies: only the verdict is needed.
fn separation_options(options: &CheckOptions) -> CheckOptions {
    CheckOptions {
        listed: PairListing::NotClear,
        resting: RestingPairs::Ignored,
        statics: StaticPairs::Ignored,
        naming: NearestReport::Nothing,
        all_contacts: false,
        events: false,
        ..*options
    }
}

/// Whether two bodies overlap or touch from the start of a path in one interval, and not again later.
fn is_from_start(pair: &PairReport, start: f64) -> bool {
    matches!(pair.verdict, PairVerdict::Overlapping | PairVerdict::Contact)
        && pair.undecided.is_empty()
        && matches!(&pair.intervals[..], [only] if only.enter[1] <= start)
}

/// The motion of a body moved by a translation that has the direction `shift` in the world at time 0 and rotates with
/// the body's parent. `None` if the body is not static relative to its parent.
fn shifted(scene: &Scene, body: &SceneBody, shift: DVec3) -> Option<BodyMotion> {
    let BodyMotion::Still(pose) = &body.motion else { return None };
    let rotated = match body.parent {
        Some(parent) => scene.pose_at(parent, 0.0).rotation().inverse() * shift,
        None => shift,
    };
    if shift == DVec3::ZERO {
        return None;
    }
    Some(BodyMotion::Still(Pose::new(pose.position() + rotated, pose.rotation()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::arms::{at, brick, cart_on_rail, cell, cube, planar, still};
    use crate::robot::cell::WorldBody;
    use crate::robot::moves::MoveOutcome;
    use crate::robot::session::Session;

    /// A cart, a cube of 0.2, that slides along x among bodies of the world.
    fn cart(world: Vec<WorldBody>) -> RobotCell {
        RobotCell::new(cell(cart_on_rail(vec![brick([0.2; 3], at(0.0, 0.0, 0.0))]), world)).unwrap()
    }

    fn tried(cell: &RobotCell, from: &[f64], to: &[f64]) -> MoveOutcome {
        cell.try_move([from, to], &CheckOptions::default(), &()).unwrap()
    }

    #[track_caller]
    fn depths(cell: &RobotCell, from: &[f64], to: &[f64]) -> Vec<[f64; 2]> {
        match tried(cell, from, to) {
            MoveOutcome::Escape(pairs) => pairs.iter().map(|pair| [pair.before, pair.after]).collect(),
            other => panic!("{from:?} to {to:?}: {other:?}"),
        }
    }

    #[track_caller]
    fn refused(cell: &RobotCell, from: &[f64], to: &[f64]) {
        let MoveOutcome::Refused { free, values, .. } = tried(cell, from, to) else {
            panic!("{from:?} to {to:?} is not refused")
        };
        assert_eq!((free, &values[..]), (0.0, from));
    }

    /// The wall starts at x = 0.8: the cart is in it beyond 0.7.
    #[test]
    fn a_cart_in_a_wall_can_leave_it_and_cannot_go_deeper() {
        let cell = cart(vec![cube("wall", 1.0, still(1.3, 0.0, 0.0))]);
        for (to, after) in [(0.749_999, 0.049_999), (0.74, 0.04), (0.701, 0.001), (0.6, 0.0), (-5.0, 0.0)] {
            let [[before, remaining]] = depths(&cell, &[0.75], &[to])[..] else { panic!("{to}") };
            assert!(
                (before - 0.05).abs() < 1e-9 && (remaining - after).abs() < 1e-9,
                "{to}: {before} {remaining}"
            );
            // Backward it leads deeper.
            if after > 0.0 {
                refused(&cell, &[to], &[0.75]);
            }
        }
        // A little deeper, much deeper, and out on the opposite side.
        for to in [0.750_001, 0.8, 1.2, 1.901, 3.0] {
            refused(&cell, &[0.75], &[to]);
        }
        // On the opposite side, where the wall ends at 1.8, the escape leads forward.
        depths(&cell, &[1.75], &[2.5]);
        refused(&cell, &[1.75], &[0.0]);
        // A cart wholly inside overlaps nothing, because only surfaces count.
        let MoveOutcome::Refused { free, .. } = tried(&cell, &[1.4], &[2.5]) else { panic!("not refused") };
        assert!((free - 0.3 / 1.1).abs() < 1e-8, "{free}");
    }

    #[test]
    fn an_escape_touches_no_other_body() {
        let post = |x: f64| cube("post", 0.1, still(x, 0.0, 0.0));
        let cell = cart(vec![cube("wall", 1.0, still(1.3, 0.0, 0.0)), post(0.3)]);
        depths(&cell, &[0.75], &[0.46]);
        refused(&cell, &[0.75], &[0.44]);
        // The cart overlaps both walls: leaving one leads into the other.
        let walls =
            vec![cube("right", 1.0, still(0.58, 0.0, 0.0)), cube("left", 1.0, still(-0.59, 0.0, 0.0))];
        let cell = cart(walls);
        for to in [0.01, -0.01, 0.001, -0.001, 2.0, -2.0] {
            refused(&cell, &[0.0], &[to]);
        }
        // With a clearance only the pair being separated may be within it.
        let mut definition =
            cart(vec![cube("wall", 1.0, still(1.3, 0.0, 0.0)), post(0.3)]).definition().clone();
        definition.clearance = 0.05;
        let cell = RobotCell::new(definition).unwrap();
        depths(&cell, &[0.75], &[0.69]);
        refused(&cell, &[0.75], &[0.47]);
    }

    /// The move leaves the wall and enters it again later, as with an arm that turns all the way round.
    #[test]
    fn a_move_that_enters_the_wall_again_is_no_escape() {
        // The end of the bar touches the wall, y = 0.5, at 0.53: see `moves`.
        let inside = 0.6;
        let mut robot = planar(1);
        robot.joints[0].rest = inside;
        let cell = RobotCell::new(cell(robot, vec![cube("wall", 4.0, still(3.5, 2.5, 0.0))])).unwrap();
        let [[before, after]] = depths(&cell, &[inside], &[0.58])[..] else { panic!("two pairs") };
        assert!(after < before && after > 0.0, "{before} {after}");
        depths(&cell, &[inside], &[0.0]);
        refused(&cell, &[inside], &[0.62]);
        refused(&cell, &[inside], &[inside - std::f64::consts::TAU]);
        // Small steps lead out, one after the other, and none can be undone.
        let mut session = Session::new(&cell, 0.0, CheckOptions::default()).unwrap();
        let mut steps = 0;
        while session.advance(vec![session.values()[0] - 0.01], &()).unwrap() != MoveOutcome::Free {
            assert_eq!(session.configurations().len(), 1);
            assert!(!session.undo());
            steps += 1;
            assert!(steps < 20, "{:?}", session.values());
        }
        assert!((5..=8).contains(&steps), "{steps}");
        assert!(session.undo());
    }

    /// Touching is an overlap of depth 0: it can be left, and not entered.
    #[test]
    fn bodies_that_touch_at_the_start_can_separate() {
        let cell = cart(vec![cube("wall", 1.0, still(1.25, 0.0, 0.0))]);
        // Half of 1 from 1.25, less half of 0.2.
        let touching = 0.65;
        refused(&cell, &[touching], &[0.7]);
        assert_ne!(tried(&cell, &[touching], &[0.6]), MoveOutcome::Free);
    }
}
