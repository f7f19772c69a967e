//! Which pairs of bodies are tested, and how one body of a pair moves as seen from the other.
//!
//! What two bodies have in common above them moves both alike and drops out. What is left are the motions below their
//! nearest common carrier: none, and they stand still relative to each other; one, and their relative motion is that motion, a
//! screw at a time, seen from elsewhere; more, and it is no sequence of screws.

use crate::motion::{Pose, Screw};
use crate::scene::definition::Scene;
use crate::scene::track::Track;

/// How two bodies stand to each other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Pairing {
    /// They are not tested.
    Untested,
    /// A sequence of single screws.
    Screws(Relative),
    /// Several motions at the same time.
    Several,
}

/// The motion of body `a` of a pair as seen from body `b`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Relative {
    /// A as seen from B.
    pub(crate) track: Track,
    /// Whether the motion is that of B, or of what carries it.
    pub(crate) b_moves: bool,
}

impl Scene {
    /// The first pair, in the order of the bodies, that is tested and whose relative motion is not a sequence of single screws:
    /// both bodies move on their own, or one moves on another that moves. [`Scene::check`] cannot decide it.
    #[must_use]
    pub fn first_unsupported_pair(&self) -> Option<[usize; 2]> {
        let count = self.bodies().len();
        // Without two motions there is none; a glance at most scenes suffices.
        if self.placed.iter().filter(|placed| placed.constant.is_none()).count() < 2 {
            return None;
        }
        (0..count)
            .flat_map(|a| (a + 1..count).map(move |b| [a, b]))
            .find(|&[a, b]| self.is_tested(a, b) && self.movers(a, b, self.common_carrier(a, b)) > 1)
    }

    /// Whether two bodies are tested against each other: not ignored, not of one group, and a motion was declared between them.
    pub(crate) fn is_tested(&self, a: usize, b: usize) -> bool {
        let group = &self.bodies[a].group;
        let filtered = self.ignored_bodies[a]
            || self.ignored_bodies[b]
            || (group.is_some() && *group == self.bodies[b].group)
            || self.ignored_pairs.binary_search(&[a.min(b), a.max(b)]).is_ok();
        let motions = |body: usize| self.placed[body].motions;
        !filtered && {
            let common = self.common_carrier(a, b).map_or(0, motions);
            motions(a) + motions(b) > 2 * common
        }
    }

    /// How A moves as seen from B.
    pub(crate) fn pairing(&self, a: usize, b: usize) -> Pairing {
        if !self.is_tested(a, b) {
            return Pairing::Untested;
        }
        let common = self.common_carrier(a, b);
        let above = common.map_or(0, |body| self.placed[body].movers);
        match self.movers(a, b, common) {
            0 => {
                let [a, b] = [a, b].map(|body| self.standing_pose(Some(body), common));
                let track = Track::still(a, self.duration()).map(|screw| screw.seen_from(&b));
                Pairing::Screws(Relative { track, b_moves: false })
            }
            1 if self.placed[a].movers > above => {
                Pairing::Screws(Relative { track: self.seen(a, b, common), b_moves: false })
            }
            1 => {
                let track = self.seen(b, a, common).map(Screw::inverse);
                Pairing::Screws(Relative { track, b_moves: true })
            }
            _ => Pairing::Several,
        }
    }

    /// How many real motions there are between two bodies.
    fn movers(&self, a: usize, b: usize, common: Option<usize>) -> usize {
        let movers = |body: usize| self.placed[body].movers;
        movers(a) + movers(b) - 2 * common.map_or(0, movers)
    }

    /// The nearest body that both are, or ride on; `None`: the world.
    fn common_carrier(&self, a: usize, b: usize) -> Option<usize> {
        let parent = |body: usize| self.bodies[body].parent;
        let depth = |body: usize| self.placed[body].depth;
        let (mut x, mut y) = (Some(a), Some(b));
        while x != y {
            let (Some(i), Some(j)) = (x, y) else { return None };
            if depth(i) >= depth(j) {
                x = parent(i);
            }
            if depth(j) >= depth(i) {
                y = parent(j);
            }
        }
        x
    }

    /// The moving body of a pair as seen from the standing one.
    fn seen(&self, moving: usize, standing: usize, common: Option<usize>) -> Track {
        // There is one, or `moving` would not move.
        let carrier = self.placed[moving].carrier.unwrap_or(moving);
        let base = self.standing_pose(self.bodies[carrier].parent, common);
        let standing = self.standing_pose(Some(standing), common);
        let from = if base == Pose::IDENTITY { standing } else { base.inverse().compose(&standing) };
        let offset = self.standing_pose(Some(moving), Some(carrier));
        self.placed[carrier].track.map(|screw| {
            let screw = screw.seen_from(&from);
            if offset == Pose::IDENTITY {
                return screw;
            }
            // Seen from inside, the carrier's motion is that of the world; its rider sees the same from elsewhere.
            screw.inverse().seen_from(&offset).inverse()
        })
    }

    /// The pose of a body in the frame of one above it (`None`: the world), where nothing moves between the two.
    fn standing_pose(&self, body: Option<usize>, above: Option<usize>) -> Pose {
        let mut pose = Pose::IDENTITY;
        let mut next = body;
        while let Some(index) = next.filter(|_| next != above) {
            let own = self.placed[index].constant.unwrap_or(Pose::IDENTITY);
            pose = if pose == Pose::IDENTITY { own } else { own.compose(&pose) };
            next = self.bodies[index].parent;
        }
        pose
    }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition, SceneShape, Side};
    use crate::shape::Primitive;

    fn pose(x: f64, y: f64, turn: f64) -> Pose {
        let rotation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), turn);
        Pose::new(DVec3::new(x, y, 0.3), rotation).unwrap()
    }

    fn turning(x: f64, angle: f64) -> BodyMotion {
        let axis = DVec3::new(0.1, -0.7, 0.4);
        BodyMotion::Screw(Screw::about(pose(x, 0.5, 0.4), axis, DVec3::X, 0.3, angle).unwrap())
    }

    fn keyed(x: f64) -> BodyMotion {
        BodyMotion::Keyframes(vec![
            (0.5, pose(x, 0.0, 0.1)),
            (1.0, pose(1.0, x, 2.0)),
            (1.5, pose(0.0, 0.0, 3.0)),
        ])
    }

    fn body(name: &str, motion: BodyMotion, parent: Option<usize>) -> SceneBody {
        let shape = SceneShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
        SceneBody { name: name.into(), shape, motion, parent, group: None }
    }

    fn scene(bodies: Vec<SceneBody>, ignore: Vec<[Side; 2]>) -> Scene {
        Scene::new(SceneDefinition { duration: 2.0, tolerance: None, bodies, ignore }).unwrap()
    }

    /// ```text
    /// world -- base (moves) -- plate -- tool (moves) -- tip
    ///       |               `- lamp
    ///       `- floor
    /// ```
    fn tree() -> Scene {
        let still = |x| BodyMotion::Still(pose(x, -x, x));
        let bodies = vec![
            body("tip", still(0.2), Some(1)),
            body("tool", turning(0.4, 9.0), Some(3)),
            body("floor", still(3.0), None),
            body("plate", still(0.7), Some(4)),
            body("base", keyed(2.0), None),
            body("lamp", still(-1.0), Some(4)),
        ];
        scene(bodies, vec![])
    }

    #[test]
    fn what_moves_between_two_bodies_is_seen() {
        let scene = tree();
        let [tip, tool, floor, plate, base, lamp] = [0, 1, 2, 3, 4, 5];
        let kind = |a, b| match scene.pairing(a, b) {
            Pairing::Untested => "untested",
            Pairing::Screws(relative) if relative.b_moves => "b",
            Pairing::Screws(_) => "a",
            Pairing::Several => "several",
        };
        assert_eq!([kind(tip, tool), kind(plate, base), kind(plate, lamp)], ["untested"; 3]);
        assert_eq!([kind(floor, plate), kind(floor, base), kind(floor, lamp)], ["b"; 3]);
        // Whatever carries both drops out: the tool's screw alone is left.
        assert_eq!([kind(tip, plate), kind(tip, lamp), kind(tool, base)], ["a"; 3]);
        assert_eq!([kind(tip, floor), kind(tool, floor)], ["several"; 2]);
        assert_eq!(scene.first_unsupported_pair(), Some([tip, floor]));
    }

    #[test]
    fn the_relative_motion_is_that_of_the_poses() {
        let scene = tree();
        let mut seen = 0;
        for (a, b) in (0..6).flat_map(|a| (a + 1..6).map(move |b| (a, b))) {
            let Pairing::Screws(relative) = scene.pairing(a, b) else { continue };
            seen += 1;
            for i in 0..=40 {
                let time = f64::from(i) / 20.0;
                let found = relative.track.piece_at(time).pose_at(time);
                let expected = scene.pose_at(b, time).inverse().compose(&scene.pose_at(a, time));
                for point in [DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0)] {
                    let [p, q] = [found, expected].map(|pose| pose.transform_point(point));
                    assert!(p.distance(q) < 1e-13, "{a} {b} {time}: {p} {q}");
                }
            }
        }
        assert_eq!(seen, 9);
    }

    #[test]
    fn filters() {
        let still = |x| BodyMotion::Still(pose(x, 0.0, 0.0));
        let bodies = || {
            ["a", "b", "c", "d"]
                .map(|name| body(name, if name == "a" { keyed(1.0) } else { still(3.0) }, None))
        };
        let tested = |bodies: [SceneBody; 4], ignore| {
            let scene = scene(bodies.to_vec(), ignore);
            let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| (a, b)));
            pairs.filter(|&(a, b)| scene.is_tested(a, b)).collect::<Vec<_>>()
        };
        assert_eq!(tested(bodies(), vec![]), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(tested(bodies(), vec![[Side::Body(2), Side::Body(0)]]), [(0, 1), (0, 3)]);
        assert_eq!(tested(bodies(), vec![[Side::Every, Side::Body(1)]]), [(0, 2), (0, 3)]);
        assert_eq!(tested(bodies(), vec![[Side::Every, Side::Every]]), []);
        let mut grouped = bodies();
        grouped[0].group = Some("left".into());
        grouped[3].group = Some("left".into());
        grouped[1].group = Some("right".into());
        assert_eq!(tested(grouped, vec![]), [(0, 1), (0, 2)]);
    }

    #[test]
    fn a_motion_that_changes_nothing_is_tested_but_is_no_second_motion() {
        let resting = BodyMotion::Keyframes(vec![(0.0, pose(1.0, 0.0, 0.5))]);
        let bodies = vec![
            body("moves", turning(2.0, 1.0), None),
            body("rests", resting, None),
            body("stands", BodyMotion::Still(pose(5.0, 0.0, 0.0)), None),
        ];
        let scene = scene(bodies, vec![]);
        assert_eq!(scene.first_unsupported_pair(), None);
        assert_eq!(scene.count_tested_pairs(), 3);
        let Pairing::Screws(relative) = scene.pairing(1, 2) else { panic!("tested") };
        assert!(relative.track.constant().is_some());
    }
}
