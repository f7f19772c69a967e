//! The bodies that carry a body, and the motion of one body relative to another.

use glam::DVec3;

use crate::motion::Pose;
use crate::motion::carried::{Carrier, MovingBall, placed};
use crate::motion::relative::RelativeMotion;
use crate::motion::track::Track;
use crate::pair::shape::CollisionShape;
use crate::scene::definition::Scene;

impl Scene {
    /// A body and its carriers, up to and without the carrier `below`; `None`: up to the world.
    pub(crate) fn chain(&self, body: usize, below: Option<usize>) -> Vec<Carrier<'_>> {
        let mut chain = Vec::new();
        let mut next = Some(body);
        while let Some(index) = next.filter(|_| next != below) {
            let placed = &self.placed[index];
            chain.push(Carrier { track: &placed.track, is_constant: placed.constant.is_some() });
            next = self.bodies[index].parent;
        }
        chain
    }

    /// The velocity of body `a` relative to body `b`, in the world, in metres per second, at a point of the world
    /// and at a time. `within` selects the segments of their motions: the segments that contain this time. A carrier
    /// of both bodies adds no relative velocity, whichever segment applies. The spin of a round body counts.
    pub(crate) fn velocity_past(
        &self,
        [a, b]: [usize; 2],
        place: DVec3,
        (time, within): (f64, f64),
    ) -> DVec3 {
        let common = self.common_carrier(a, b);
        let frame = common.map_or(Pose::IDENTITY, |carrier| self.pose_at(carrier, time));
        let seen = frame.inverse().transform_point(place);
        let [of_a, of_b] = [a, b].map(|body| velocity_on(&self.chain(body, common), seen, (time, within)));
        frame.transform_vector(of_a - of_b)
    }

    /// The motion of the first body of a pair relative to the second. Carriers of both bodies drop out, since they
    /// move both alike.
    pub(crate) fn relative(&self, pair: [usize; 2]) -> RelativeMotion<'_> {
        let is_set = |body: usize| self.bodies[body].shape.as_ref().is_some_and(CollisionShape::is_set);
        self.relative_where(
            pair,
            (pair.into_iter().any(is_set), |body| self.placed[body].without_spin.as_ref()),
        )
    }

    /// The same if points of the bodies are followed: a round body spins about its own axis.
    pub(crate) fn relative_of_points(&self, pair: [usize; 2]) -> RelativeMotion<'_> {
        self.relative_where(pair, (true, |_| None))
    }

    fn relative_where<'s>(
        &'s self,
        pair: [usize; 2],
        (as_set, track): (bool, impl Fn(usize) -> Option<&'s Track>),
    ) -> RelativeMotion<'s> {
        let common = self.common_carrier(pair[0], pair[1]);
        let chains = pair.map(|body| {
            let mut chain = self.chain(body, common);
            // The spin of a round body about its own axis moves the bodies that it carries, but not its own surface.
            if let (Some(own), Some(track)) = (chain.first_mut(), track(body)) {
                own.track = track;
            }
            chain
        });
        let shapes = pair.map(|body| self.bodies[body].shape.as_ref());
        let matter = shapes.map(|shape| shape.map_or(MovingBall::POINT, |shape| shape.matter(as_set)));
        RelativeMotion::new(self.duration(), chains, matter)
    }

    /// The pose of `body`, one of a pair, in the world at a time, with the axes that the relative motion of the pair
    /// uses: a round body may spin about its own axis while these axes do not.
    pub(crate) fn frame_of(&self, body: usize, [a, b]: [usize; 2], time: f64) -> Pose {
        let world = self.pose_at(body, time);
        match &self.placed[body].without_spin {
            Some(track) if self.common_carrier(a, b) != Some(body) => {
                let own = self.pose_in_parent(body, time);
                world.compose(&own.inverse().compose(&track.piece_at(time).pose_at(time)))
            }
            _ => world,
        }
    }
}

/// The velocity of the point of a body at `place`, relative to the frame above the last carrier, in that frame.
fn velocity_on(chain: &[Carrier<'_>], place: DVec3, (time, within): (f64, f64)) -> DVec3 {
    let mut place = placed(chain, time, within).inverse().transform_point(place);
    let mut velocity = DVec3::ZERO;
    for carrier in chain {
        let piece = carrier.track.piece_at(within);
        let above = piece.pose_at(time);
        place = above.transform_point(place);
        velocity = above.transform_vector(velocity) + piece.velocities_at(place, time)[0];
    }
    velocity
}
