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
