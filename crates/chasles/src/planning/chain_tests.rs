//! Tests poses of groups against the robot itself, and the bounds of their motion against samples.

use glam::DVec3;

use super::chain::{Chain, ENDS, INTERVALS, JointEdge, narrow_vector};
use super::edge::PAD;
use crate::math::time_interval::TimeInterval;
use crate::motion::{JointAxis, Pose};
use crate::robot::Robot;
use crate::robot::arms::planar;
use crate::robot::definition::Mimic;
use chasles_testing::{Random, cases};

/// Five joints with random poses and axes, as a chain or a tree; one may follow another, and one is fixed.
fn robot(random: &mut Random) -> Robot {
    let mut definition = planar(5);
    for number in 0..5 {
        let slides = random.below(4) == 0;
        let origin = Pose::new(random.vector(0.6), random.even_rotation()).unwrap();
        // Along z, opposite to z, and almost along either.
        let along = DVec3::new(0.0, [0.0, 1e-9, 1e-8][random.below(3)], [-1.0, 1.0][random.below(2)]);
        let axis = if random.below(3) == 0 { along } else { random.direction() };
        let joint = &mut definition.joints[number];
        joint.origin = origin;
        joint.axis = Some(match slides {
            true => JointAxis::Prismatic(axis),
            false => JointAxis::Revolute(axis),
        });
        if random.below(4) == 0 {
            joint.parent = random.below(number + 1);
        }
    }
    if random.below(2) == 0 {
        definition.joints[4].mimic = Some(Mimic { joint: 1, multiplier: -1.5, offset: 0.3 });
    }
    Robot::new(definition).unwrap()
}

struct ChainCase {
    robot: Robot,
    joints: Vec<usize>,
    chain: Chain,
    /// The start values of all joints.
    values: Vec<f64>,
    from: Vec<f64>,
    to: Vec<f64>,
}

fn case(seed: u64) -> ChainCase {
    let random = &mut Random(seed);
    let robot = robot(random);
    let mut joints: Vec<usize> = (0..5).filter(|joint| robot.is_set(*joint)).collect();
    let stays = random.below(joints.len());
    joints.remove(stays);
    let mut values: Vec<f64> = (0..5).map(|_| random.within(-1.0, 1.0)).collect();
    robot.complete(&mut values);
    let chain = Chain::new(&robot, &joints, &values);
    let from: Vec<f64> = joints.iter().map(|joint| values[*joint]).collect();
    let length = [0.01, 0.5, 3.0][random.below(3)];
    let to = from.iter().map(|value| value + length * random.within(-1.0, 1.0)).collect();
    ChainCase { robot, joints, chain, values, from, to }
}

#[test]
fn groups_have_the_poses_of_the_links_of_the_robot() {
    for seed in 0..300 {
        let ChainCase { robot, joints, chain, mut values, from, to } = case(seed);
        let edge = JointEdge { from: &from, to: &to };
        let (mut at, mut ends) = (Vec::new(), Vec::new());
        chain.poses_at_ends(&edge, TimeInterval::new(0.0, 1.0), &mut ends);
        for k in 0..ENDS {
            let time = k as f64 / INTERVALS as f64;
            for (place, joint) in joints.iter().enumerate() {
                values[*joint] = from[place] + time * (to[place] - from[place]);
            }
            robot.complete(&mut values);
            let expected = robot.link_poses(&values);
            chain.poses_at(&edge, time, &mut at);
            for (link, expected) in expected.iter().enumerate() {
                let (group, pose) = chain.link(link);
                let found = at[group].pose.compose(&pose);
                let local = DVec3::new(0.3, -0.2, 0.5);
                let place = expected.transform_point(local);
                let deviation = found.transform_point(local).distance(place);
                assert!(deviation < 1e-13, "seed {seed}: {deviation}");
                let bounds = chain.bounds(&chain.chain_path(0, group), &edge);
                let arm = pose.transform_point(local);
                let coarse = ends[group].at(narrow_vector(arm));
                let coarse = DVec3::from_array([0, 1, 2].map(|row| f64::from(coarse[row][k])));
                let pad = PAD * (bounds.joints + 4) as f64 * (bounds.reach + arm.length());
                assert!(coarse.distance(place) <= pad, "seed {seed}: {} {pad}", coarse.distance(place));
                assert!(
                    place.length() <= (bounds.reach + arm.length()) * (1.0 + 1e-12),
                    "seed {seed}: {place}"
                );
            }
        }
    }
}

#[test]
fn relative_poses_of_groups_are_those_of_their_links() {
    for seed in 0..300 {
        let ChainCase { chain, from, to, .. } = case(seed);
        let edge = JointEdge { from: &from, to: &to };
        let random = &mut Random(seed ^ 5);
        let [a, b] = [0; 2].map(|_| random.below(chain.count()));
        let local = random.vector(0.4);
        let (mut at, mut ends) = (Vec::new(), Vec::new());
        chain.poses_at_ends(&edge, TimeInterval::new(0.0, 1.0), &mut ends);
        let seen = ends[a].in_frame_of(&ends[b]).at(narrow_vector(local));
        let [of_a, of_b] = [a, b].map(|group| chain.bounds(&chain.chain_path(0, group), &edge));
        let between = chain.bounds(&chain.chain_path(b, a), &edge);
        let pad = [of_a, of_b].map(|bounds| PAD * (bounds.joints + 4) as f64);
        let pad =
            pad[0] * (of_a.reach + local.length()) + pad[1] * (of_b.reach + between.reach + local.length());
        let seen = |k: usize| DVec3::from_array(seen.map(|row| f64::from(row[k])));
        for k in 0..ENDS {
            chain.poses_at(&edge, k as f64 / INTERVALS as f64, &mut at);
            let place = at[b].pose.inverse().transform_point(at[a].pose.transform_point(local));
            let deviation = seen(k).distance(place);
            assert!(deviation <= pad, "seed {seed}: {deviation} {pad}");
        }
    }
}

#[test]
fn accelerations_and_displacements_of_points_are_within_their_bounds() {
    let (mut sharp, mut jerking, mut sampled) = (0, 0, 0);
    for seed in 0..cases(250, 1000) {
        let ChainCase { chain, from, to, .. } = case(seed);
        let edge = JointEdge { from: &from, to: &to };
        let random = &mut Random(seed ^ 77);
        let [a, b] = [0; 2].map(|_| random.below(chain.count()));
        let bounds = chain.bounds(&chain.chain_path(b, a), &edge);
        let local = random.vector(0.4);
        let mut groups = Vec::new();
        let mut seen = |time: f64| {
            chain.poses_at(&edge, time, &mut groups);
            groups[b].pose.inverse().transform_point(groups[a].pose.transform_point(local))
        };
        let acceleration = bounds.acceleration[0] + bounds.acceleration[1] * local.length();
        let speed = bounds.speed[0] + bounds.speed[1] * local.length();
        let jerk = bounds.jerk[0] + bounds.jerk[1] * local.length();
        for step in [0.3, 0.05, 0.01] {
            let at = random.within(0.0, 1.0 - 3.0 * step);
            let four = [0.0, 1.0, 2.0, 3.0].map(|k| seen(at + k * step));
            let third = (four[3] - 3.0 * four[2] + 3.0 * four[1] - four[0]).length();
            let most = jerk * step * step * step;
            assert!(third <= most * (1.0 + 1e-9) + 1e-13, "seed {seed}: {third} {most}");
            jerking += usize::from(third > 0.2 * most && most > 1e-9);
        }
        for cuts in [1, 2, 8, 64] {
            let span = 1.0 / f64::from(cuts);
            for cut in 0..cuts {
                let [first, last] = [0.0, 1.0].map(|end| seen(span * (f64::from(cut) + end)));
                let moved = first.distance(last);
                assert!(moved <= speed * span * (1.0 + 1e-9) + 1e-14, "seed {seed}: {moved}");
                for fraction in [0.25, 0.5, 0.75] {
                    let place = seen(span * (f64::from(cut) + fraction));
                    let deviation = place.distance(first.lerp(last, fraction));
                    let most = 0.125 * span * span * acceleration;
                    assert!(deviation <= most * (1.0 + 1e-9) + 1e-14, "seed {seed}: {deviation} {most}");
                    sampled += 1;
                    sharp += usize::from(deviation > 0.3 * most);
                }
            }
        }
    }
    // The bounds must be tight; otherwise the test would also pass for bounds far too large.
    assert!(60 * sharp > sampled && jerking > 15, "{sharp} of {sampled}, {jerking}");
}
