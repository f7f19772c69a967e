//! The tree of links: checked, in order from the root, with the poses of all links for given joint values.

use crate::error::{Error, ErrorKind, check_number, check_vector};
use crate::motion::Curve;
use crate::motion::{JointAxis, Pose};
use crate::robot::definition::{Joint, Link, RobotDefinition};
use crate::scene::definition::BodyMotion;

/// Links on joints, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Robot {
    definition: RobotDefinition,
    /// The joint that carries each link; `None`: the root.
    above: Vec<Option<usize>>,
    /// Links, each after the one that carries it.
    order: Vec<usize>,
    /// What each joint follows in the end, and how: value = factor * value of that joint + offset.
    followed: Vec<Followed>,
}

/// A value that is a multiple of the value of a joint that is set by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Followed {
    pub(crate) joint: usize,
    pub(crate) factor: f64,
    pub(crate) offset: f64,
}

/// A value that follows from another may exceed its limits by this, for rounding.
const LIMIT_SLACK: f64 = 1e-9;

impl Robot {
    /// Checks a definition.
    ///
    /// # Errors
    /// No links, two links or joints of one name, a joint or a disabled pair that names a link that does not exist, a link that is
    /// carried by two joints, links that form a circle or more than one tree; an axis without length, limits that are none,
    /// numbers that are not finite, a joint that follows one that does not exist, a fixed one, or itself. The message
    /// names the link or joint.
    pub fn new(definition: RobotDefinition) -> Result<Self, Error> {
        let RobotDefinition { links, joints, disabled, .. } = &definition;
        let out_of_range = |value: usize, expected, place: String| {
            Err(Error::new(ErrorKind::OutOfRange { value: value as f64, expected }, place))
        };
        if links.is_empty() {
            return out_of_range(0, "at least one link", "links".into());
        }
        if let Some(name) = twice(links.iter().map(|link| link.name.as_str())) {
            return out_of_range(2, "no two links of one name", format!("links named {name:?}"));
        }
        if let Some(name) = twice(joints.iter().map(|joint| joint.name.as_str())) {
            return out_of_range(2, "no two joints of one name", format!("joints named {name:?}"));
        }
        if let Some(link) = disabled.iter().flatten().find(|link| **link >= links.len()) {
            return out_of_range(*link, "the number of a link", "disabled pair".into());
        }
        for joint in joints {
            check_joint(joint, links.len())?;
        }
        let mut above = vec![None; links.len()];
        for (number, joint) in joints.iter().enumerate() {
            if above[joint.child].replace(number).is_some() {
                let place = format!("joints that carry link {:?}", links[joint.child].name);
                return out_of_range(2, "one joint", place);
            }
        }
        let order = order(links, joints, &above)?;
        let followed: Result<Vec<Followed>, Error> =
            (0..joints.len()).map(|joint| follow(joints, joint)).collect();
        Ok(Self { followed: followed?, above, order, definition })
    }

    /// What the robot is made of.
    #[must_use]
    pub fn definition(&self) -> &RobotDefinition {
        &self.definition
    }

    /// The links, in order.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.definition.links
    }

    /// The joints, in order.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.definition.joints
    }

    /// The number of the link that no joint carries.
    #[must_use]
    pub fn root(&self) -> usize {
        self.order[0]
    }

    /// The number of the joint that carries a link; `None`: it is the root.
    ///
    /// # Panics
    /// If there is no such link.
    #[must_use]
    pub fn joint_above(&self, link: usize) -> Option<usize> {
        self.above[link]
    }

    /// Whether a joint can be set: it is neither fixed nor does it follow another.
    ///
    /// # Panics
    /// If there is no such joint.
    #[must_use]
    pub fn is_set(&self, joint: usize) -> bool {
        let joint = &self.definition.joints[joint];
        joint.axis.is_some() && joint.mimic.is_none()
    }

    /// The value of each joint at rest.
    #[must_use]
    pub fn rest(&self) -> Vec<f64> {
        let mut values: Vec<f64> = self.joints().iter().map(|joint| joint.rest).collect();
        self.complete(&mut values);
        values
    }

    /// Sets the joints that follow others.
    ///
    /// # Panics
    /// If there is not one value a joint.
    pub fn complete(&self, values: &mut [f64]) {
        assert_eq!(values.len(), self.followed.len(), "one value a joint");
        for joint in 0..values.len() {
            let Followed { joint: other, factor, offset } = self.followed[joint];
            if other != joint {
                values[joint] = factor * values[other] + offset;
            }
        }
    }

    /// The pose of each link in the frame of the root, for one value a joint (of those that follow others, too).
    ///
    /// # Panics
    /// If there is not one value a joint.
    #[must_use]
    pub fn link_poses(&self, values: &[f64]) -> Vec<Pose> {
        assert_eq!(values.len(), self.joints().len(), "one value a joint");
        let mut poses = vec![Pose::IDENTITY; self.links().len()];
        for &link in &self.order {
            if let Some(joint) = self.above[link] {
                let parent = poses[self.joints()[joint].parent];
                poses[link] = parent.compose(&self.joints()[joint].pose_at(values[joint]));
            }
        }
        poses
    }

    pub(crate) fn followed(&self, joint: usize) -> Followed {
        self.followed[joint]
    }

    /// Whether a value lies within the limits of a joint.
    ///
    /// # Errors
    /// If not: the message names the joint, the value and `place`.
    pub(crate) fn check_limits(&self, number: usize, value: f64, place: &str) -> Result<(), Error> {
        let joint = &self.joints()[number];
        check_number(value, || format!("joint {:?} {place}", joint.name))?;
        let slack = if joint.mimic.is_some() { LIMIT_SLACK } else { 0.0 };
        match joint.limits {
            Some([least, most]) if value < least - slack || value > most + slack => {
                let kind = ErrorKind::BeyondLimits { value, limits: [least, most] };
                Err(Error::new(kind, format!("joint {:?} {place}", joint.name)))
            }
            _ => Ok(()),
        }
    }
}

impl Joint {
    /// The child in the frame of the parent, for a value.
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
        let rests = values.values().iter().all(|value| *value == first)
            && values.tangents().iter().all(|tangent| *tangent == 0.0);
        match self.axis {
            Some(axis) if !rests => BodyMotion::Joint { origin: self.origin, axis, values },
            // What does not move on this path is no motion, so that the pairs it carries are not tested for nothing.
            _ => BodyMotion::Still(self.pose_at(first)),
        }
    }
}

fn twice<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn check_joint(joint: &Joint, links: usize) -> Result<(), Error> {
    let place = |what: &str| format!("{what} of joint {:?}", joint.name);
    let out_of_range =
        |value, expected, what: &str| Err(Error::new(ErrorKind::OutOfRange { value, expected }, place(what)));
    for (link, what) in [(joint.parent, "parent"), (joint.child, "child")] {
        if link >= links {
            return out_of_range(link as f64, "the number of a link", what);
        }
    }
    if let Some(JointAxis::Revolute(axis) | JointAxis::Prismatic(axis)) = joint.axis {
        check_vector(axis, || place("axis"))?;
        if axis == glam::DVec3::ZERO {
            return Err(Error::new(ErrorKind::ZeroLength, place("axis")));
        }
    }
    check_number(joint.rest, || place("value at rest"))?;
    let none = |[least, most]: &[f64; 2]| least.is_nan() || most.is_nan() || least > most;
    if let Some([_, most]) = joint.limits.filter(none) {
        return out_of_range(most, "a greatest value that is not less than the least", "limits");
    }
    if let Some(velocity) = joint.velocity.filter(|velocity| velocity.is_nan() || *velocity < 0.0) {
        return out_of_range(velocity, "a number, not negative", "greatest speed");
    }
    if let Some(mimic) = joint.mimic {
        check_number(mimic.multiplier, || place("multiplier"))?;
        check_number(mimic.offset, || place("offset"))?;
    }
    Ok(())
}

/// Links, each after the one that carries it: a walk through the tree from its root.
fn order(links: &[Link], joints: &[Joint], above: &[Option<usize>]) -> Result<Vec<usize>, Error> {
    let wrong = |value: f64, place: String| {
        let kind = ErrorKind::OutOfRange { value, expected: "links that make one tree" };
        Err(Error::new(kind, place))
    };
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
        let name = reached.iter().position(|reached| !reached).map_or("", |link| &links[link].name);
        return wrong(0.0, format!("ways from the root to link {name:?}, which its own children carry"));
    }
    Ok(order)
}

/// What a joint follows in the end.
fn follow(joints: &[Joint], start: usize) -> Result<Followed, Error> {
    let mut found = Followed { joint: start, factor: 1.0, offset: 0.0 };
    for _ in 0..=joints.len() {
        let Some(mimic) = joints[found.joint].mimic.filter(|_| joints[found.joint].axis.is_some()) else {
            if joints[found.joint].axis.is_none() && found.joint != start {
                let place = format!("joint that joint {:?} follows", joints[start].name);
                let kind =
                    ErrorKind::OutOfRange { value: found.joint as f64, expected: "a joint that moves" };
                return Err(Error::new(kind, place));
            }
            return Ok(found);
        };
        if mimic.joint >= joints.len() {
            let kind = ErrorKind::OutOfRange { value: mimic.joint as f64, expected: "the number of a joint" };
            return Err(Error::new(kind, format!("joint that joint {:?} follows", joints[start].name)));
        }
        found.offset += found.factor * mimic.offset;
        found.factor *= mimic.multiplier;
        found.joint = mimic.joint;
    }
    let kind = ErrorKind::OutOfRange {
        value: start as f64,
        expected: "joints that do not follow each other in a circle",
    };
    Err(Error::new(kind, format!("joint that joint {:?} follows", joints[start].name)))
}
