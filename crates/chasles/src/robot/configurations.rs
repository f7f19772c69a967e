//! Counts in how many given configurations links touch. Exemptions from testing are proposed from these counts; a
//! sample only proposes, only a path can prove.

use rayon::prelude::*;

use crate::instant::gap::GapLimits;
use crate::pair::{Pair, PairMemory};
use crate::robot::Robot;

/// How often two links touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkContacts {
    /// The numbers of the links, the lower first.
    pub links: [usize; 2],
    /// The number of configurations in which their surfaces intersect, or one is wholly inside a solid part of the
    /// other.
    pub touching: usize,
}

/// Counts, for each pair of links with a surface, the configurations in which they touch.
pub(super) fn count_contacts(robot: &Robot, configurations: &[Vec<f64>]) -> Vec<LinkContacts> {
    let links = robot.links();
    let with_surface: Vec<usize> =
        (0..links.len()).filter(|link| !links[*link].elements.is_empty()).collect();
    let pairs: Vec<[usize; 2]> = with_surface
        .iter()
        .flat_map(|a| with_surface.iter().filter(move |b| *b > a).map(move |b| [*a, *b]))
        .collect();
    let counts = configurations
        .par_iter()
        .map_init(PairMemory::default, |memory, configuration| {
            let mut values = configuration.clone();
            robot.complete(&mut values);
            let poses = robot.link_poses(&values);
            let touch = |[a, b]: &[usize; 2]| {
                links[*a].elements.iter().any(|x| {
                    links[*b].elements.iter().any(|y| {
                        let [x_in_world, y_in_world] =
                            [poses[*a].compose(&x.pose), poses[*b].compose(&y.pose)];
                        let pose = y_in_world.inverse().compose(&x_in_world);
                        let both = Pair::of_bodies([(&x.shape, x.solid), (&y.shape, y.solid)]);
                        let limits = GapLimits { beyond: 0.0, enough: 0.0, ..GapLimits::EXACT };
                        both.distance_at(memory, &pose, &limits).upper <= 0.0
                            || both.is_within([x.solid, y.solid], &pose)
                    })
                })
            };
            pairs.iter().map(touch).map(usize::from).collect::<Vec<_>>()
        })
        .reduce_with(|x, y| x.iter().zip(&y).map(|(x, y)| x + y).collect());
    let counts = counts.unwrap_or_else(|| vec![0; pairs.len()]);
    pairs.into_iter().zip(counts).map(|(links, touching)| LinkContacts { links, touching }).collect()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::motion::{JointAxis, Pose};
    use crate::pair::shape::CollisionShape;
    use crate::robot::definition::{AdjacentLinks, Joint, Link, LinkElement, RobotDefinition};
    use crate::shape::Primitive;

    /// A base and two fingers, which slide along x from 1 m away on either side.
    #[test]
    fn fingers_touch_when_they_are_closed() {
        let cube = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).unwrap();
        let ball = CollisionShape::primitive(Primitive::Sphere { radius: 0.5 }).unwrap();
        let link = |name: &str, shape: Option<CollisionShape>| Link {
            name: name.into(),
            elements: shape
                .into_iter()
                .map(|shape| LinkElement { shape, pose: Pose::IDENTITY, solid: false })
                .collect(),
        };
        let finger = |name: &str, child: usize, x: f64| Joint {
            origin: Pose::from_position(DVec3::X * x).unwrap(),
            ..Joint::new(name, [0, child], Some(JointAxis::Prismatic(DVec3::X * -x)))
        };
        let robot = Robot::new(RobotDefinition {
            name: "gripper".into(),
            links: vec![link("base", None), link("left", Some(cube)), link("right", Some(ball))],
            joints: vec![finger("l", 1, -1.0), finger("r", 2, 1.0)],
            disabled: vec![],
            adjacent: AdjacentLinks::Skipped,
        })
        .unwrap();
        let configurations = [[0.0, 0.0], [0.3, 0.6], [0.6, 0.6], [0.51, 0.5]].map(|values| values.to_vec());
        let found = robot.count_contacts(&configurations);
        assert_eq!(found, [LinkContacts { links: [1, 2], touching: 2 }]);
        assert_eq!(robot.count_contacts(&[])[0].touching, 0);
    }
}
