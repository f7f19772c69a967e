//! Two bodies of a scene as a pair of meshes on one screw, as the queries on two meshes require.

use std::fmt;
use std::sync::Arc;

use crate::body::PreparedMesh;
use crate::motion::Screw;
use crate::motion::relative::MotionInterval;
use crate::scene::Scene;

/// Two meshes of a scene, of which the first moves along one screw in the frame of the second.
#[derive(Debug, Clone)]
pub struct PairScrew {
    /// The two meshes, in the given order.
    pub bodies: [Arc<PreparedMesh>; 2],
    /// The motion of the first mesh in the frame of the second. Its t in [0, 1] is the duration of the scene.
    pub screw: Screw,
    /// The maximum distance, in metres, of the screw from the motion, because poses were computed.
    pub deviation: f64,
}

/// Why two bodies are no pair on one screw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PairScrewError {
    /// Both are the same body.
    Same,
    /// There is no such body.
    Unknown {
        /// The number that was given.
        body: usize,
    },
    /// The body has no surface.
    NoSurface {
        /// The number of the body.
        body: usize,
    },
    /// The body is a sphere, cylinder, cone or capsule.
    Round {
        /// The number of the body.
        body: usize,
    },
    /// The relative motion is no screw.
    NoScrew,
    /// The relative motion has several parts.
    Several {
        /// The number of parts.
        parts: usize,
        /// The end of the first part, in seconds.
        first_until: f64,
    },
    /// The motion jumps when the scene ends.
    JumpAtTheEnd,
}

impl fmt::Display for PairScrewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => write!(f, "both are the same body"),
            Self::Unknown { body } => write!(f, "there is no body {body}"),
            Self::NoSurface { .. } => write!(f, "it has no surface"),
            Self::Round { .. } => write!(f, "it is round"),
            Self::NoScrew => write!(f, "their relative motion is no screw"),
            Self::Several { parts, first_until } => {
                write!(f, "their relative motion has {parts} parts, the first until {first_until} s")
            }
            Self::JumpAtTheEnd => write!(f, "their relative motion jumps when the scene ends"),
        }
    }
}

impl std::error::Error for PairScrewError {}

/// See [`Scene::pair_screw`].
pub(super) fn pair_screw(scene: &Scene, pair: [usize; 2]) -> Result<PairScrew, PairScrewError> {
    if let Some(body) = pair.into_iter().find(|body| *body >= scene.bodies().len()) {
        return Err(PairScrewError::Unknown { body });
    }
    if pair[0] == pair[1] {
        return Err(PairScrewError::Same);
    }
    let mesh = |body: usize| {
        let shape = scene.bodies()[body].shape.as_ref().ok_or(PairScrewError::NoSurface { body })?;
        shape.body().cloned().ok_or(PairScrewError::Round { body })
    };
    let bodies = [mesh(pair[0])?, mesh(pair[1])?];
    let relative = scene.relative(pair);
    let intervals: Vec<MotionInterval> = relative.smooth_intervals().collect();
    let inside: Vec<&MotionInterval> =
        intervals.iter().filter(|interval| interval.interval().start < scene.duration()).collect();
    match inside[..] {
        [MotionInterval::Exact(_)] if intervals.len() > 1 => Err(PairScrewError::JumpAtTheEnd),
        [MotionInterval::Exact(piece)] => {
            Ok(PairScrew { bodies, screw: piece.screw, deviation: relative.deviation(piece) })
        }
        [first, _, ..] => {
            Err(PairScrewError::Several { parts: inside.len(), first_until: first.interval().end })
        }
        _ => Err(PairScrewError::NoScrew),
    }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::motion::Pose;
    use crate::pair::shape::CollisionShape;
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition};
    use crate::shape::Primitive;

    fn pose(x: f64, angle: f64) -> Pose {
        Pose::new(DVec3::new(x, 0.5, -x), DQuat::from_rotation_y(angle)).unwrap()
    }

    fn screw(x: f64) -> BodyMotion {
        BodyMotion::Screw(Screw::about(pose(x, 0.3), DVec3::new(1.0, 2.0, 2.0), DVec3::Y, 0.4, 9.0).unwrap())
    }

    fn body(motion: BodyMotion, parent: Option<usize>) -> SceneBody {
        let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).ok();
        SceneBody { name: "x".into(), shape, motion, parent, group: None, solid: false }
    }

    fn scene(bodies: Vec<SceneBody>) -> Scene {
        Scene::new(SceneDefinition::new(2.0, bodies)).unwrap()
    }

    /// Asserts that the screw is the pose of the first body relative to the second at every time.
    #[track_caller]
    fn assert_screw(scene: &Scene, pair: [usize; 2]) {
        let found = scene.pair_screw(pair).unwrap();
        assert_eq!(found.bodies[0].mesh().triangles().len(), 12);
        for time in [0.0, 0.3, 1.1, 2.0] {
            let [a, b] = pair.map(|body| scene.pose_at(body, time));
            let seen = found.screw.pose_at(time / 2.0);
            for point in [DVec3::ZERO, DVec3::X, DVec3::new(0.3, -2.0, 1.0)] {
                let expected = b.inverse().transform_point(a.transform_point(point));
                assert!(seen.transform_point(point).distance(expected) < 1e-12, "{pair:?} at {time}");
            }
        }
    }

    #[test]
    fn one_body_moves_the_other_or_its_carrier() {
        let scene = scene(vec![
            body(BodyMotion::Still(pose(1.0, 0.2)), None),
            body(screw(3.0), None),
            body(BodyMotion::Still(pose(-2.0, 1.2)), Some(1)),
            body(BodyMotion::Still(pose(0.7, -1.0)), None),
        ]);
        for pair in [[1, 0], [0, 1], [2, 0], [0, 2], [2, 1], [3, 0], [2, 3]] {
            assert_screw(&scene, pair);
        }
        assert_eq!(scene.pair_screw([3, 0]).unwrap().screw.angle(), 0.0);
    }

    #[test]
    fn bodies_that_are_no_pair_on_a_screw_give_errors() {
        let keys = |times: &[f64]| {
            BodyMotion::Keyframes(times.iter().map(|time| (*time, pose(*time, time * time))).collect())
        };
        let mut bodies = vec![
            body(BodyMotion::Still(Pose::IDENTITY), None),
            body(screw(3.0), None),
            body(screw(-1.0), None),
            body(keys(&[0.0, 0.5, 2.0]), None),
            body(BodyMotion::Still(Pose::IDENTITY), None),
            body(BodyMotion::Still(Pose::IDENTITY), None),
            body(keys(&[0.0, 1.5]), None),
        ];
        bodies[4].shape = CollisionShape::primitive(Primitive::Sphere { radius: 1.0 }).ok();
        bodies[5].shape = None;
        let scene = scene(bodies);
        let reason = |pair| scene.pair_screw(pair).unwrap_err();
        assert_eq!(reason([0, 0]), PairScrewError::Same);
        assert_eq!(reason([0, 7]), PairScrewError::Unknown { body: 7 });
        assert_eq!(reason([4, 0]), PairScrewError::Round { body: 4 });
        assert_eq!(reason([0, 5]), PairScrewError::NoSurface { body: 5 });
        assert_eq!(reason([1, 2]), PairScrewError::NoScrew);
        assert_eq!(reason([0, 3]), PairScrewError::Several { parts: 2, first_until: 0.5 });
        assert_eq!(reason([6, 0]), PairScrewError::Several { parts: 2, first_until: 1.5 });
        assert_eq!(reason([6, 0]).to_string(), "their relative motion has 2 parts, the first until 1.5 s");
    }
}
