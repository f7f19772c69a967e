//! The motion of one body of a scene past another.

use crate::motion::Pose;
use crate::motion::carried::Matter;
use crate::motion::relative::{Carrier, Relative};
use crate::pair::shape::SceneShape;
use crate::scene::definition::Scene;

impl Scene {
    /// The motion of body `a` as seen from body `b`: carriers that both ride on move both alike and drop out.
    pub(crate) fn relative(&self, [a, b]: [usize; 2]) -> Relative<'_> {
        let common = self.common_carrier(a, b);
        let chain = |body: usize| {
            let mut chain = Vec::new();
            let mut next = Some(body);
            while let Some(index) = next.filter(|_| next != common) {
                let placed = &self.placed[index];
                // The spin of a round body about its own axis does not matter to its own surface, only to the bodies
                // that it carries.
                let own = placed.without_spin.as_ref().filter(|_| index == body);
                let track = own.unwrap_or(&placed.track);
                chain.push(Carrier { track, is_constant: placed.constant.is_some() });
                next = self.bodies[index].parent;
            }
            chain
        };
        let matter = |body: usize| self.bodies[body].shape.as_ref().map_or(Matter::POINT, SceneShape::matter);
        Relative::new(self.duration(), [chain(a), chain(b)], [matter(a), matter(b)])
    }

    /// The pose in the world, at a time, of `body`, one of a pair, with the axes that the relative motion of the pair
    /// uses: a round body may spin about its own axis.
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
