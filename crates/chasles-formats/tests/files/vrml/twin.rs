//! Random trees of transforms, written as text, and the positions of their points by matrices alone: the slow twin.

use chasles_testing::Random;
use glam::{DAffine3, DQuat, DVec3};

use crate::vrml::support::{number, vector};

/// A `Transform` with a box in it.
#[derive(Debug, Clone)]
pub(crate) struct TestTransform {
    pub(crate) translation: DVec3,
    pub(crate) rotation: (DVec3, f64),
    pub(crate) center: DVec3,
    pub(crate) scale: DVec3,
    pub(crate) orientation: (DVec3, f64),
    pub(crate) parent: Option<usize>,
}

/// The scales of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scales {
    /// Uniform in all directions, including mirrors.
    Even,
    /// Any in transforms without children; uniform elsewhere.
    AnyAtTheEnds,
}

pub(crate) fn tree(random: &mut Random, scales: Scales) -> Vec<TestTransform> {
    let count = 1 + random.below(6);
    let mut tree: Vec<TestTransform> = (0..count)
        .map(|i| {
            let parent = if i > 0 && random.below(4) > 0 { Some(random.below(i)) } else { None };
            let axis =
                if random.below(3) == 0 { DVec3::Z } else { vector(random) + DVec3::new(0.0, 0.0, 1.5) };
            let even = [1.0, 1.0, 0.5, 2.5, -1.0][random.below(5)];
            TestTransform {
                translation: vector(random),
                rotation: (axis, 3.0 * number(random)),
                center: if random.below(2) == 0 { DVec3::ZERO } else { vector(random) },
                scale: DVec3::splat(even),
                orientation: (vector(random) + DVec3::new(1.5, 0.0, 0.0), number(random)),
                parent,
            }
        })
        .collect();
    if scales == Scales::AnyAtTheEnds {
        for i in 0..count {
            if tree.iter().all(|other| other.parent != Some(i)) {
                tree[i].scale = vector(random).abs() + DVec3::splat(0.5);
            }
        }
    }
    tree
}

/// The tree in VRML: transform number i is named T<i>, its box B<i>.
pub(crate) fn text(tree: &[TestTransform]) -> String {
    let mut text = String::new();
    for i in (0..tree.len()).filter(|i| tree[*i].parent.is_none()) {
        write(tree, i, &mut text);
    }
    text
}

fn write(tree: &[TestTransform], i: usize, text: &mut String) {
    let TestTransform { translation: t, rotation: r, center: c, scale: s, orientation: o, .. } = &tree[i];
    let vector = |v: &DVec3| format!("{} {} {}", v.x, v.y, v.z);
    let turn = |(axis, angle): &(DVec3, f64)| format!("{} {angle}", vector(axis));
    *text += &format!(
        "DEF T{i} Transform {{ translation {} rotation {} center {} scale {} scaleOrientation {}\n children [ DEF B{i} Shape \
         {{ geometry Box {{ size 0.1 0.2 0.3 }} }}\n",
        vector(t),
        turn(r),
        vector(c),
        vector(s),
        turn(o)
    );
    for below in (i + 1..tree.len()).filter(|below| tree[*below].parent == Some(i)) {
        write(tree, below, text);
    }
    *text += "] }\n";
}

/// T C R SR S -SR -C, below the parent's frame.
pub(crate) fn frame(tree: &[TestTransform], i: usize) -> DAffine3 {
    let TestTransform { translation, rotation, center, scale, orientation, parent } = &tree[i];
    let turn =
        |(axis, angle): &(DVec3, f64)| DAffine3::from_quat(DQuat::from_axis_angle(axis.normalize(), *angle));
    let own = DAffine3::from_translation(*translation)
        * DAffine3::from_translation(*center)
        * turn(rotation)
        * turn(orientation)
        * DAffine3::from_scale(*scale)
        * turn(orientation).inverse()
        * DAffine3::from_translation(-*center);
    parent.map_or(DAffine3::IDENTITY, |parent| frame(tree, parent)) * own
}

/// The corners of a box in the world, in the order of the sizes' signs.
pub(crate) fn corners(tree: &[TestTransform], i: usize) -> Vec<DVec3> {
    let sign = |k: usize, bit: usize| if k & bit == 0 { -0.5 } else { 0.5 };
    let corner = |k: usize| DVec3::new(0.1 * sign(k, 1), 0.2 * sign(k, 2), 0.3 * sign(k, 4));
    (0..8).map(|k| frame(tree, i).transform_point3(corner(k))).collect()
}
