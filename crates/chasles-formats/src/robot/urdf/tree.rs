//! The tree of links that the joints form, and the joints that follow (mimic) others.

use std::collections::HashMap;
use std::path::Path;

use chasles::{Joint, Mimic};

use super::document::{LinkEntry, NameRef, UrdfJoint};
use crate::error::{Error, Result, Warnings};
use crate::text::tree::quoted;

/// Maximum rest value of a joint, which keeps positions in range.
const LARGEST: f64 = 1e60;

/// The joints with numbers in place of names, and with their rest values.
pub(super) fn joints(
    path: &Path,
    links: &[LinkEntry],
    entries: Vec<UrdfJoint>,
    warnings: &mut Warnings,
) -> Result<Vec<Joint>> {
    let link_names = names(path, "link", links.iter().map(|link| (link.name.as_str(), link.line)))?;
    let joint_names = names(path, "joint", entries.iter().map(|joint| (joint.name.as_str(), joint.line)))?;
    let mut joints = Vec::with_capacity(entries.len());
    for entry in &entries {
        let key = format!("joint {}", quoted(&entry.name));
        let link = |end: &NameRef, which: &str| {
            let unknown = format!("found {}, expected the name of a link", quoted(&end.name));
            let link = link_names.get(end.name.as_str()).copied();
            link.ok_or_else(|| Error::key(path, format!("{key}, {which}"), end.line, unknown))
        };
        let (parent, child) = (link(&entry.parent, "parent")?, link(&entry.child, "child")?);
        let mut mimic = None;
        if let Some(mimicked) = &entry.mimic {
            let error = |what| Error::key(path, format!("{key}, mimic"), mimicked.joint.line, what);
            let name = quoted(&mimicked.joint.name);
            let Some(&joint) = joint_names.get(mimicked.joint.name.as_str()) else {
                return Err(error(format!("found {name}, expected the name of a joint")));
            };
            if entries[joint].axis.is_none() {
                warnings.push(error(format!("joint {name} is fixed: a value that never changes")));
            }
            mimic = Some(Mimic { joint, multiplier: mimicked.multiplier, offset: mimicked.offset });
        }
        joints.push(Joint {
            name: entry.name.clone(),
            parent,
            child,
            origin: entry.origin,
            axis: entry.axis,
            rest: entry.limits.map_or(0.0, rest),
            limits: entry.limits,
            velocity: entry.velocity,
            mimic,
        });
    }
    check_tree(path, links, &entries, &joints)?;
    check_mimics(path, &entries, &mut joints)?;
    let is_extreme =
        |joint: &&Joint| joint.axis.is_some() && (joint.rest.is_nan() || joint.rest.abs() >= LARGEST);
    if let Some(joint) = joints.iter().find(is_extreme) {
        let entry = joint_names.get(joint.name.as_str()).map(|number| &entries[*number]);
        let message =
            format!("its value at rest is {:e}: expected a magnitude below {LARGEST:e}", joint.rest);
        let key = format!("joint {}", quoted(&joint.name));
        return Err(Error::key(path, key, entry.map_or(0, |entry| entry.line), message));
    }
    Ok(joints)
}

/// 0, or the middle of limits that exclude 0.
fn rest([lower, upper]: [f64; 2]) -> f64 {
    if lower <= 0.0 && 0.0 <= upper { 0.0 } else { 0.5 * lower + 0.5 * upper }
}

/// Numbers by name; names must be unique.
fn names<'a>(
    path: &Path,
    kind: &str,
    all: impl Iterator<Item = (&'a str, usize)>,
) -> Result<HashMap<&'a str, usize>> {
    let mut numbers = HashMap::new();
    let mut lines = vec![];
    for (i, (name, line)) in all.enumerate() {
        lines.push(line);
        if let Some(first) = numbers.insert(name, i) {
            let message = format!("the name is taken by that of line {}", lines[first]);
            return Err(Error::key(path, format!("{kind} {}", quoted(name)), line, message));
        }
    }
    Ok(numbers)
}

/// Checks that the links form one tree: each link but the root has one parent joint.
fn check_tree(path: &Path, links: &[LinkEntry], entries: &[UrdfJoint], joints: &[Joint]) -> Result<()> {
    let key = |link: usize| format!("link {}", quoted(&links[link].name));
    let mut parent_joint: Vec<Option<usize>> = vec![None; links.len()];
    for (number, joint) in joints.iter().enumerate() {
        if let Some(first) = parent_joint[joint.child].replace(number) {
            let [first, second] = [first, number].map(|joint| quoted(&entries[joint].name));
            let message = format!("carried by joints {first} and {second}: expected one");
            return Err(Error::key(path, key(joint.child), entries[number].child.line, message));
        }
    }
    // Walks up from each link to a visited link or a root; a link of the same walk closes a cycle.
    let mut known = vec![false; links.len()];
    for start in 0..links.len() {
        let (mut link, mut chain) = (start, vec![]);
        while let (false, Some(joint)) = (known[link], parent_joint[link]) {
            known[link] = true;
            chain.push(link);
            link = joints[joint].parent;
        }
        known[link] = true;
        if let Some(first) = chain.iter().position(|on_it| *on_it == link) {
            let names: Vec<_> =
                chain[first..].iter().take(5).map(|link| quoted(&links[*link].name)).collect();
            let dots = if chain.len() - first > 5 { ", .." } else { "" };
            let message = format!("a cycle of links: {}{dots}", names.join(", "));
            return Err(Error::key(path, key(link), links[link].line, message));
        }
    }
    let mut roots = (0..links.len()).filter(|link| parent_joint[*link].is_none());
    if let (Some(first), Some(second)) = (roots.next(), roots.next()) {
        let message = format!("no joint carries it, nor {}: expected one link only", key(first));
        return Err(Error::key(path, key(second), links[second].line, message));
    }
    Ok(())
}

/// Sets the rest values of joints that follow others, and checks that no joint follows itself.
fn check_mimics(path: &Path, entries: &[UrdfJoint], joints: &mut [Joint]) -> Result<()> {
    let mut done: Vec<bool> = joints.iter().map(|joint| joint.mimic.is_none()).collect();
    let mut is_in_chain = vec![false; joints.len()];
    for start in 0..joints.len() {
        let (mut joint, mut chain) = (start, vec![]);
        while let (false, Some(mimic)) = (done[joint], joints[joint].mimic) {
            if is_in_chain[joint] {
                let entry = &entries[joint];
                let line = entry.mimic.as_ref().map_or(entry.line, |mimic| mimic.joint.line);
                let message = if mimic.joint == joint {
                    "it follows itself"
                } else {
                    "it follows itself through other joints"
                };
                let key = format!("joint {}, mimic", quoted(&entry.name));
                return Err(Error::key(path, key, line, format!("{message}: expected another joint")));
            }
            is_in_chain[joint] = true;
            chain.push(joint);
            joint = mimic.joint;
        }
        for joint in chain.into_iter().rev() {
            if let Some(mimic) = joints[joint].mimic {
                joints[joint].rest = mimic.multiplier * joints[mimic.joint].rest + mimic.offset;
            }
            done[joint] = true;
        }
    }
    Ok(())
}
