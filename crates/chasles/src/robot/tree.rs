//! The tree of links: checked, sorted from the root, with the poses of all links for given joint values.

use glam::DVec3;

use crate::error::{Error, ErrorKind, check_number, check_vector};
use crate::math::direction::unit_along;
use crate::motion::Curve;
use crate::motion::{JointAxis, Pose};
use crate::robot::Robot;
use crate::robot::definition::{Joint, Link, RobotDefinition};
use crate::scene::definition::BodyMotion;

/// A value that is a linear function of the value of a joint that is set by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Follower {
    pub(crate) joint: usize,
    pub(crate) factor: f64,
    pub(crate) offset: f64,
}

/// Relative or absolute (in radians or metres) excess of a value over a limit that is allowed: files write 3.14159
/// for half a turn.
pub(crate) const LIMIT_TOLERANCE: f64 = 1e-5;

/// The robot of a definition, checked.
pub(super) fn checked(definition: RobotDefinition) -> Result<Robot, Error> {
    let RobotDefinition { links, joints, disabled, .. } = &definition;
    let out_of_range =
        |value: usize, expected, place: String| Error::out_of_range(value as f64, expected, place);
    if links.is_empty() {
        return out_of_range(0, "at least one link", "links".into());
    }
    if let Some(name) = repeated_name(links.iter().map(|link| link.name.as_str())) {
        return out_of_range(2, "no two links of one name", format!("links named {name:?}"));
    }
    if let Some(name) = repeated_name(joints.iter().map(|joint| joint.name.as_str())) {
        return out_of_range(2, "no two joints of one name", format!("joints named {name:?}"));
    }
    if let Some(link) = disabled.iter().flatten().find(|link| **link >= links.len()) {
        return out_of_range(*link, "the number of a link", "disabled pair".into());
    }
    for joint in joints {
        check_joint(joint, links.len())?;
    }
    let is_open = |link: &&Link| link.elements.iter().any(|part| part.solid && !part.shape.is_closed());
    if let Some(link) = links.iter().find(is_open) {
        return Err(Error::new(ErrorKind::NotClosed, format!("solid link {:?}", link.name)));
    }
    let mut above = vec![None; links.len()];
    for (number, joint) in joints.iter().enumerate() {
        if above[joint.child].replace(number).is_some() {
            let place = format!("joints that carry link {:?}", links[joint.child].name);
            return out_of_range(2, "one joint", place);
        }
    }
    let order = sorted_links(links, joints, &above)?;
    let followed: Result<Vec<Follower>, Error> =
        (0..joints.len()).map(|joint| follower(joints, joint)).collect();
    Ok(Robot { followed: followed?, above, order, definition })
}

/// Sets the values of the joints that follow others.
pub(super) fn complete(robot: &Robot, values: &mut [f64]) {
    assert_eq!(values.len(), robot.followed.len(), "one value a joint");
    for joint in 0..values.len() {
        let Follower { joint: other, factor, offset } = robot.followed[joint];
        if other != joint {
            values[joint] = factor * values[other] + offset;
        }
    }
}

/// The pose of each link in the frame of the root.
pub(super) fn link_poses(robot: &Robot, values: &[f64]) -> Vec<Pose> {
    assert_eq!(values.len(), robot.joints().len(), "one value a joint");
    let mut poses = vec![Pose::IDENTITY; robot.links().len()];
    for &link in &robot.order {
        if let Some(joint) = robot.above[link] {
            let parent = poses[robot.joints()[joint].parent];
            poses[link] = parent.compose(&robot.joints()[joint].pose_at(values[joint]));
        }
    }
    poses
}

/// Checks that a value lies within the limits of a joint.
pub(super) fn check_limits(robot: &Robot, number: usize, value: f64, place: &str) -> Result<(), Error> {
    let joint = &robot.joints()[number];
    check_number(value, || format!("joint {:?} {place}", joint.name))?;
    match joint.limits {
        Some(limits) if !joint.allows(value) => {
            let kind = ErrorKind::BeyondLimits { value, limits };
            Err(Error::new(kind, format!("joint {:?} {place}", joint.name)))
        }
        _ => Ok(()),
    }
}

impl Joint {
    /// Whether a value lies within the limits, or exceeds a limit by no more than 1e-5 of the limit or 1e-5 radians
    /// or metres, whichever is larger.
    #[must_use]
    pub fn allows(&self, value: f64) -> bool {
        let tolerance = |limit: f64| LIMIT_TOLERANCE * limit.abs().max(1.0);
        self.limits.is_none_or(|[minimum, maximum]| {
            minimum - tolerance(minimum) <= value && value <= maximum + tolerance(maximum)
        })
    }

    /// The pose of the child in the frame of the parent, for a value.
    #[must_use]
    pub fn pose_at(&self, value: f64) -> Pose {
        match self.axis {
            None => self.origin,
            Some(axis) => axis.moved(&self.origin, value),
        }
    }

    /// The motion of the child in the frame of the parent, for values along a curve.
    pub(crate) fn motion(&self, values: Curve<f64>) -> BodyMotion {
        let first = values.values().first().copied().unwrap_or(self.rest);
        let is_constant = values.values().iter().all(|value| *value == first)
            && values.tangents().iter().all(|tangent| *tangent == 0.0);
        match self.axis {
            Some(axis) if !is_constant => BodyMotion::Joint { origin: self.origin, axis, values },
            // A joint that rests on this path gives a static pose, so that pairs of bodies that it carries are not
            // tested needlessly.
            _ => BodyMotion::Still(self.pose_at(first)),
        }
    }
}

/// A name that occurs more than once.
fn repeated_name<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn check_joint(joint: &Joint, links: usize) -> Result<(), Error> {
    let place = |what: &str| format!("{what} of joint {:?}", joint.name);
    let out_of_range = |value, expected, what: &str| Error::out_of_range(value, expected, place(what));
    for (link, what) in [(joint.parent, "parent"), (joint.child, "child")] {
        if link >= links {
            return out_of_range(link as f64, "the number of a link", what);
        }
    }
    if let Some(JointAxis::Revolute(axis) | JointAxis::Prismatic(axis)) = joint.axis {
        check_vector(axis, || place("axis"))?;
        // Also an axis so short that its direction underflows.
        if unit_along(axis) == DVec3::ZERO {
            return Err(Error::new(ErrorKind::ZeroLength, place("axis")));
        }
    }
    check_number(joint.rest, || place("value at rest"))?;
    let is_invalid =
        |[minimum, maximum]: &[f64; 2]| minimum.is_nan() || maximum.is_nan() || minimum > maximum;
    if let Some([_, maximum]) = joint.limits.filter(is_invalid) {
        return out_of_range(maximum, "a maximum that is not less than the minimum", "limits");
    }
    if let Some(velocity) = joint.velocity.filter(|velocity| velocity.is_nan() || *velocity < 0.0) {
        return out_of_range(velocity, "a number, not negative", "maximum speed");
    }
    if let Some(mimic) = joint.mimic {
        check_number(mimic.multiplier, || place("multiplier"))?;
        check_number(mimic.offset, || place("offset"))?;
    }
    Ok(())
}

/// Links, each after its parent link: a walk through the tree from its root.
fn sorted_links(links: &[Link], joints: &[Joint], above: &[Option<usize>]) -> Result<Vec<usize>, Error> {
    let wrong = |value: f64, place: String| Error::out_of_range(value, "links that make one tree", place);
    let roots: Vec<usize> = (0..links.len()).filter(|link| above[*link].is_none()).collect();
    let [root] = roots[..] else {
        let names: Vec<_> = roots.iter().map(|link| format!("{:?}", links[*link].name)).collect();
        let place = if roots.is_empty() {
            "links that no joint carries".into()
        } else {
            format!("links that no joint carries ({})", names.join(", "))
        };
        return wrong(roots.len() as f64, place);
    };
    let mut children = vec![Vec::new(); links.len()];
    for joint in joints {
        children[joint.parent].push(joint.child);
    }
    let mut order = vec![root];
    let mut next = 0;
    while let Some(&link) = order.get(next) {
        order.extend(&children[link]);
        next += 1;
    }
    if order.len() < links.len() {
        let mut reached = vec![false; links.len()];
        order.iter().for_each(|link| reached[*link] = true);
        let mut link = reached.iter().position(|reached| !reached).unwrap_or(root);
        // Walk up from a link that may only be attached to the circle, until certainly on the circle.
        for _ in links {
            link = above[link].map_or(root, |joint| joints[joint].parent);
        }
        let name = &links[link].name;
        return wrong(0.0, format!("chains from the root to link {name:?}, which its own children carry"));
    }
    Ok(order)
}

/// The joint that a joint finally follows, and its value as a function of that joint.
fn follower(joints: &[Joint], start: usize) -> Result<Follower, Error> {
    let mut found = Follower { joint: start, factor: 1.0, offset: 0.0 };
    for _ in 0..=joints.len() {
        let Some(mimic) = joints[found.joint].mimic.filter(|_| joints[found.joint].axis.is_some()) else {
            return Ok(found);
        };
        if mimic.joint >= joints.len() {
            return Error::out_of_range(
                mimic.joint as f64,
                "the number of a joint",
                format!("joint that joint {:?} follows", joints[start].name),
            );
        }
        found.offset += found.factor * mimic.offset;
        found.factor *= mimic.multiplier;
        found.joint = mimic.joint;
    }
    Error::out_of_range(
        start as f64,
        "joints that do not follow each other in a circle",
        format!("joint that joint {:?} follows", joints[start].name),
    )
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use crate::motion::CubicKey;
    use crate::robot::arms::{at, joint, link, planar, sliding, turning};
    use crate::robot::definition::{AdjacentLinks, Mimic};

    #[track_caller]
    fn refused(change: impl Fn(&mut RobotDefinition), message: &str) {
        let mut definition = planar(3);
        change(&mut definition);
        assert_eq!(Robot::new(definition).unwrap_err().to_string(), message);
    }

    #[test]
    fn invalid_definitions_are_refused_by_name() {
        assert!(Robot::new(planar(3)).is_ok());
        refused(|r| (r.links, r.joints) = (vec![], vec![]), "links: found 0, expected at least one link");
        refused(
            |r| r.links[2].name = "l0".into(),
            "links named \"l0\": found 2, expected no two links of one name",
        );
        refused(
            |r| r.joints[2].name = "j1".into(),
            "joints named \"j1\": found 2, expected no two joints of one name",
        );
        refused(|r| r.disabled = vec![[0, 4]], "disabled pair: found 4, expected the number of a link");
        refused(|r| r.joints[1].parent = 7, "parent of joint \"j2\": found 7, expected the number of a link");
        refused(|r| r.joints[0].child = 9, "child of joint \"j1\": found 9, expected the number of a link");
        let axis = |axis| move |r: &mut RobotDefinition| r.joints[2].axis = Some(axis);
        let none = "axis of joint \"j3\": found zero length, expected a direction";
        refused(axis(JointAxis::Revolute(DVec3::ZERO)), none);
        refused(axis(JointAxis::Prismatic(-DVec3::ZERO)), none);
        // A nonzero axis whose direction underflows.
        refused(axis(JointAxis::Prismatic(DVec3::splat(5e-324))), none);
        refused(
            axis(JointAxis::Prismatic(DVec3::new(0.0, f64::NAN, 0.0))),
            "axis of joint \"j3\": found NaN, expected a finite number",
        );
        refused(
            axis(JointAxis::Revolute(DVec3::X * 1e70)),
            "axis of joint \"j3\": found 1e70, expected a magnitude below 1e70",
        );
        refused(
            |r| r.joints[0].rest = f64::INFINITY,
            "value at rest of joint \"j1\": found inf, expected a finite number",
        );
        let limits = |limits| move |r: &mut RobotDefinition| r.joints[0].limits = Some(limits);
        refused(
            limits([1.0, 0.5]),
            "limits of joint \"j1\": found 0.5, expected a maximum that is not less than the minimum",
        );
        refused(
            limits([f64::NAN, 0.5]),
            "limits of joint \"j1\": found 0.5, expected a maximum that is not less than the minimum",
        );
        let velocity = |velocity| move |r: &mut RobotDefinition| r.joints[0].velocity = Some(velocity);
        refused(velocity(-1.0), "maximum speed of joint \"j1\": found -1, expected a number, not negative");
        refused(
            velocity(f64::NAN),
            "maximum speed of joint \"j1\": found NaN, expected a number, not negative",
        );
    }

    #[test]
    fn joints_that_others_follow_are_checked() {
        let follows = |joint, multiplier, offset| {
            move |r: &mut RobotDefinition| r.joints[2].mimic = Some(Mimic { joint, multiplier, offset })
        };
        refused(follows(0, f64::NAN, 0.0), "multiplier of joint \"j3\": found NaN, expected a finite number");
        refused(
            follows(0, 1.0, f64::INFINITY),
            "offset of joint \"j3\": found inf, expected a finite number",
        );
        let place = "joint that joint \"j3\" follows";
        refused(follows(3, 1.0, 0.0), &format!("{place}: found 3, expected the number of a joint"));
        let circle = "expected joints that do not follow each other in a circle";
        refused(follows(2, 1.0, 0.0), &format!("{place}: found 2, {circle}"));
        // A joint that leads into a circle is named if it is checked first.
        let pair = |r: &mut RobotDefinition| {
            r.joints[1].mimic = Some(Mimic { joint: 2, multiplier: 1.0, offset: 0.0 });
            follows(1, 1.0, 0.0)(r);
        };
        refused(pair, &format!("joint that joint \"j2\" follows: found 1, {circle}"));
        // A fixed joint has no value: its `mimic` is ignored.
        let mut definition = planar(3);
        definition.joints[2].axis = None;
        follows(2, 1.0, 0.0)(&mut definition);
        let robot = Robot::new(definition).unwrap();
        assert!(!robot.is_set(2) && robot.followed_joint(2).joint == 2);
    }

    #[test]
    fn links_make_one_tree() {
        refused(|r| r.joints[2].child = 1, "joints that carry link \"l1\": found 2, expected one joint");
        refused(
            |r| drop(r.joints.remove(1)),
            "links that no joint carries (\"l0\", \"l2\"): found 2, expected links that make one tree",
        );
        refused(
            |r| r.joints.push(joint("back", [3, 0], None)),
            "links that no joint carries: found 0, expected links that make one tree",
        );
        refused(
            |r| (r.joints[0].parent, r.joints[0].child) = (1, 1),
            "chains from the root to link \"l1\", which its own children carry: found 0, expected links that \
             make one tree",
        );
        // Link 1 is only attached to the circle of 2 and 3.
        let attached_to_circle = |r: &mut RobotDefinition| {
            for (joint, ends) in r.joints.iter_mut().zip([[2, 1], [3, 2], [2, 3]]) {
                [joint.parent, joint.child] = ends;
            }
        };
        let mut definition = planar(3);
        attached_to_circle(&mut definition);
        let message = Robot::new(definition).unwrap_err().to_string();
        assert!(
            ["\"l2\"", "\"l3\""]
                .iter()
                .any(|name| message.contains(&format!("to link {name}, which its own"))),
            "{message}"
        );
    }

    #[test]
    fn links_are_in_order_from_the_root() {
        let mut definition = planar(3);
        // The tree is 3 - 2 - 1 - 0.
        definition.links.reverse();
        for joint in &mut definition.joints {
            (joint.parent, joint.child) = (3 - joint.parent, 3 - joint.child);
        }
        definition.joints.reverse();
        let robot = Robot::new(definition).unwrap();
        assert_eq!((robot.root(), robot.joint_above(3)), (3, None));
        assert_eq!((robot.links()[0].name.as_str(), robot.joint_above(0)), ("l3", Some(0)));
        // A quarter turn at j1, and one back at j3.
        let poses = robot.link_poses(&[-FRAC_PI_2, 0.0, FRAC_PI_2]);
        let places = poses.iter().map(|pose| pose.position()).collect::<Vec<_>>();
        let expected = [[1.0, 2.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];
        for (place, [x, y]) in places.iter().zip(expected) {
            assert!(place.distance(DVec3::new(x, y, 0.0)) < 1e-15, "{places:?}");
        }
        assert!(poses[0].transform_vector(DVec3::X).distance(DVec3::X) < 1e-15);
    }

    #[test]
    fn a_chain_of_joints_that_follow_each_other_is_followed_to_its_end() {
        let mut definition = planar(4);
        let follows = |joint, multiplier, offset| Some(Mimic { joint, multiplier, offset });
        // 0 follows 2, which follows 1, which follows 3.
        definition.joints[0].mimic = follows(2, -0.5, 1.0);
        definition.joints[2].mimic = follows(1, 2.0, 0.25);
        definition.joints[1].mimic = follows(3, 3.0, -1.0);
        definition.joints[3].rest = 0.5;
        let robot = Robot::new(definition).unwrap();
        let set: Vec<bool> = (0..4).map(|joint| robot.is_set(joint)).collect();
        assert_eq!(set, [false, false, false, true]);
        let by_hand = |d: f64| {
            let b = 3.0 * d - 1.0;
            let c = 2.0 * b + 0.25;
            [-0.5 * c + 1.0, b, c, d]
        };
        assert_eq!(robot.rest(), by_hand(0.5));
        let mut values = vec![9.0, 9.0, 9.0, -0.75];
        robot.complete(&mut values);
        assert_eq!(values, by_hand(-0.75));
    }

    #[test]
    fn values_may_exceed_limits_by_the_rounding_of_files() {
        let mut definition = planar(2);
        definition.joints[0].limits = Some([-1.0, 2.0]);
        definition.joints[1].limits = Some([-1.0, 2.0]);
        definition.joints[1].mimic = Some(Mimic { joint: 0, multiplier: 1.0, offset: 0.0 });
        let robot = Robot::new(definition).unwrap();
        assert!(robot.check_limits(0, 2.0, "here").is_ok() && robot.check_limits(0, -1.0, "here").is_ok());
        let message = |joint, value| robot.check_limits(joint, value, "here").unwrap_err().to_string();
        for joint in [0, 1] {
            for near in [2.000_019, -1.000_009] {
                assert!(robot.check_limits(joint, near, "here").is_ok(), "{near}");
            }
            for over in [2.000_021, -1.000_011] {
                let name = &robot.joints()[joint].name;
                assert_eq!(
                    message(joint, over),
                    format!("joint {name:?} here: found {over}, expected a value within its limits, -1 to 2")
                );
            }
        }
        // Half a turn as files write it, and small limits.
        let of = |limits| Joint { limits: Some(limits), ..joint("j", [0, 1], sliding()) };
        let half_turn = |digits: &str| digits.parse().map(|limit: f64| [-limit, limit]).unwrap();
        assert!(of(half_turn("3.14159")).allows(std::f64::consts::PI));
        assert!(!of(half_turn("3.1415")).allows(std::f64::consts::PI));
        assert!(
            of([0.0, 1e-9]).allows(9e-6) && of([0.0, 1e-9]).allows(-9e-6) && !of([0.0, 1e-9]).allows(1.1e-5)
        );
        assert!(!of([0.0, 1.0]).allows(f64::NAN));
        assert!(message(1, -1.1).contains("found -1.1"));
        assert_eq!(message(0, f64::NAN), "joint \"j1\" here: found NaN, expected a finite number");
    }

    #[test]
    fn a_joint_that_rests_on_the_path_has_a_static_pose() {
        let origin = at(0.3, 0.0, 0.0);
        let slider = Joint { origin, ..joint("slider", [0, 1], sliding()) };
        let fixed = Joint { origin, ..joint("fixed", [0, 1], None) };
        let key = |time, tangent| CubicKey { time, in_tangent: tangent, value: 0.5, out_tangent: tangent };
        let resting = [
            Curve::constant(0.5),
            Curve::Linear(vec![(0.0, 0.5), (1.0, 0.5)]),
            Curve::Cubic(vec![key(0.0, 0.0), key(1.0, 0.0)]),
        ];
        for curve in resting {
            assert_eq!(slider.motion(curve.clone()), BodyMotion::Still(at(0.8, 0.0, 0.0)));
            assert_eq!(fixed.motion(curve), BodyMotion::Still(origin));
        }
        // The same value at both ends, but not in between.
        let values = Curve::Cubic(vec![key(0.0, 1.0), key(1.0, 1.0)]);
        let moving =
            BodyMotion::Joint { origin, axis: JointAxis::Prismatic(DVec3::X), values: values.clone() };
        assert_eq!(slider.motion(values.clone()), moving);
        assert_eq!(fixed.motion(values), BodyMotion::Still(origin));
        let values = Curve::Linear(vec![(0.0, 0.5), (1.0, 0.5), (2.0, 0.6)]);
        assert!(matches!(slider.motion(values), BodyMotion::Joint { .. }));
    }

    #[test]
    fn a_chain_of_20_000_links_has_poses() {
        let count: usize = 20_000;
        let definition = RobotDefinition {
            name: "snake".into(),
            links: (0..=count).map(|i| link(&format!("l{i}"), vec![])).collect(),
            joints: (0..count)
                .map(|i| Joint {
                    origin: at(1.0, 0.0, 0.0),
                    mimic: i.checked_sub(1).map(|joint| Mimic {
                        joint: joint.min(2),
                        multiplier: 1.0,
                        offset: 0.0,
                    }),
                    ..joint(&format!("j{i}"), [i, i + 1], turning())
                })
                .collect(),
            disabled: vec![],
            adjacent: AdjacentLinks::Skipped,
        };
        let robot = Robot::new(definition).unwrap();
        let poses = robot.link_poses(&robot.rest());
        assert_eq!(poses[count].position().x, count as f64);
    }
}
