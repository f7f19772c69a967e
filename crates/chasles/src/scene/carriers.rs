//! The bodies that carry a body, and the motion of one body relative to another.

use glam::DVec3;

use crate::motion::Pose;
use crate::motion::chain::{ChainBody, MovingBall, chain_pose};
use crate::motion::relative::RelativeMotion;
use crate::motion::track::Track;
use crate::scene::Scene;

/// The velocity of body `a` relative to body `b`, in the world, in metres per second, at a point of the world
/// and at a time. `within` selects the segments of their motions: the segments that contain this time. A carrier
/// of both bodies adds no relative velocity, whichever segment applies. The spin of a round body counts.
pub(crate) fn velocity_past(
    scene: &Scene,
    [a, b]: [usize; 2],
    place: DVec3,
    (time, within): (f64, f64),
) -> DVec3 {
    let common = common_carrier(scene, a, b);
    let frame = common.map_or(Pose::IDENTITY, |carrier| scene.pose_at(carrier, time));
    let seen = frame.inverse().transform_point(place);
    let [of_a, of_b] = [a, b].map(|body| velocity_on(&scene.chain(body, common), seen, (time, within)));
    frame.transform_vector(of_a - of_b)
}

/// The relative motion of two bodies whose points are followed: a round body spins about its own axis.
pub(crate) fn relative_of_points(scene: &Scene, pair: [usize; 2]) -> RelativeMotion<'_> {
    relative_where(scene, pair, (true, |_| None))
}

/// The relative motion of two bodies; `track`: another track of a body, without its spin.
pub(super) fn relative_where<'s>(
    scene: &'s Scene,
    pair: [usize; 2],
    (as_set, track): (bool, impl Fn(usize) -> Option<&'s Track>),
) -> RelativeMotion<'s> {
    let common = common_carrier(scene, pair[0], pair[1]);
    let chains = pair.map(|body| {
        let mut chain = scene.chain(body, common);
        // The spin of a round body about its own axis moves the bodies that it carries, but not its own surface.
        if let (Some(own), Some(track)) = (chain.first_mut(), track(body)) {
            own.track = track;
        }
        chain
    });
    let shapes = pair.map(|body| scene.bodies[body].shape.as_ref());
    let matter = shapes.map(|shape| shape.map_or(MovingBall::POINT, |shape| shape.moving_ball(as_set)));
    RelativeMotion::new(scene.duration(), chains, matter)
}

/// The pose of `body`, one of a pair, in the world at a time, with the axes that the relative motion of the pair
/// uses: a round body may spin about its own axis while these axes do not.
pub(crate) fn frame_of(scene: &Scene, body: usize, [a, b]: [usize; 2], time: f64) -> Pose {
    let world = scene.pose_at(body, time);
    match &scene.placements[body].without_spin {
        Some(track) if common_carrier(scene, a, b) != Some(body) => {
            let own = scene.pose_in_parent(body, time);
            world.compose(&own.inverse().compose(&track.segment_at(time).pose_at(time)))
        }
        _ => world,
    }
}

/// The nearest common carrier of two bodies, if each body also counts as its own carrier; `None`: the world.
pub(crate) fn common_carrier(scene: &Scene, a: usize, b: usize) -> Option<usize> {
    let parent = |body: usize| scene.bodies[body].parent;
    let depth = |body: usize| scene.placements[body].depth;
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

/// The velocity of the point of a body at `place`, relative to the frame above the last carrier, in that frame.
fn velocity_on(chain: &[ChainBody<'_>], place: DVec3, (time, within): (f64, f64)) -> DVec3 {
    let mut place = chain_pose(chain, time, within).inverse().transform_point(place);
    let mut velocity = DVec3::ZERO;
    for carrier in chain {
        let piece = carrier.track.segment_at(within);
        let above = piece.pose_at(time);
        place = above.transform_point(place);
        velocity = above.transform_vector(velocity) + piece.velocities_at(place, time)[0];
    }
    velocity
}
