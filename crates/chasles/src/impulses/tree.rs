//! Joints that form trees: impulses that change the relative velocities in the joints, in linear time.
//!
//! Along the rows J of the joints, impulses y change scaled velocities by J^T y, and relative velocities by J J^T y.
//! The combined equations [1 J^T; J 0] are solved from the leaves: a joint sees a body with its subtree as a 6 x 6
//! matrix, and the parent body sees both in the same way (Baraff 1996, "Linear-time dynamics using
//! Lagrange multipliers"; with scaled velocities and Cholesky factors, whose terms all add up). The rows of a tree
//! are independent, so such impulses exist and are unique.

use crate::impulses::rows::{BodyVelocity, JointRow, JointRows, dot};

/// The lower triangle of a symmetric matrix or of its factor, row by row; a factor stores 1 / its diagonal.
type PackedLower = [f64; 21];

/// A body and the joint to its parent.
#[derive(Debug, Clone, Copy)]
struct TreeLink {
    child: usize,
    /// The parent body; `None` for a root, and if the parent is keyframed.
    parent: Option<usize>,
    /// The child's index among the joint's two bodies.
    side: usize,
    /// The joint; `None` for a root without a joint. Its rows start at `first` and end before `end`.
    joint: Option<usize>,
    first: usize,
    end: usize,
}

/// A row's effect on its child and its parent, after elimination of the rows before it.
#[derive(Debug, Clone, Copy)]
struct RowFactors {
    child: BodyVelocity,
    parent: BodyVelocity,
    /// A row of the factor of the joint's matrix.
    own: [f64; 6],
}

/// Bodies with joints, each after its parent.
#[derive(Debug, Default)]
pub(super) struct Forest {
    links: Vec<TreeLink>,
    /// The link of each body.
    positions: Vec<Option<usize>>,
    /// The links between the marked bodies and their roots, sorted.
    path: Vec<usize>,
    marks: Vec<bool>,
    /// By link: the factor of the 6 x 6 matrix of its body with the subtree (the articulated inertia).
    articulated: Vec<PackedLower>,
    rows: Vec<RowFactors>,
    /// The joints of each body, one body after another, and the start of each body's joints.
    joints: Vec<usize>,
    starts: Vec<usize>,
}

/// A row whose independent part is below this fraction of it depends on the rows before it, within rounding.
const MIN_PIVOT: f64 = 1e-13;

const fn at(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

impl Forest {
    /// Orders `count` bodies, and returns whether the joints form trees. Roots are taken from `preferred_roots` where
    /// possible. At most one body of each joint is keyframed.
    pub(super) fn order(
        &mut self,
        count: usize,
        joints: &[JointRows],
        preferred_roots: impl Iterator<Item = usize>,
    ) -> bool {
        self.links.clear();
        self.positions.clear();
        self.positions.resize(count, None);
        self.starts.clear();
        self.starts.resize(count + 2, 0);
        // Counts are stored two bodies ahead, so that the loops below end with the starts.
        for number in joints.iter().flat_map(|joint_rows| joint_rows.numbers).flatten() {
            self.starts[number + 2] += 1;
        }
        for body in 2..count + 2 {
            self.starts[body] += self.starts[body - 1];
        }
        self.joints.clear();
        self.joints.resize(self.starts[count + 1], 0);
        for (joint, joint_rows) in joints.iter().enumerate() {
            for number in joint_rows.numbers.into_iter().flatten() {
                self.joints[self.starts[number + 1]] = joint;
                self.starts[number + 1] += 1;
            }
        }
        for (joint, joint_rows) in joints.iter().enumerate() {
            let (child, side) = match joint_rows.numbers {
                [Some(child), None] => (child, 0),
                [None, Some(child)] => (child, 1),
                _ => continue,
            };
            let link = TreeLink {
                child,
                parent: None,
                side,
                joint: Some(joint),
                first: joint_rows.first,
                end: joint_rows.end,
            };
            if !self.add_link(link) {
                return false;
            }
        }
        let mut seen = 0;
        for body in preferred_roots.chain(0..count) {
            if !self.add_children(&mut seen, joints) {
                return false;
            }
            if self.positions[body].is_none() {
                self.add_link(TreeLink { child: body, parent: None, side: 0, joint: None, first: 0, end: 0 });
            }
        }
        self.add_children(&mut seen, joints)
    }

    /// Adds a link; returns whether its body had none before.
    fn add_link(&mut self, link: TreeLink) -> bool {
        let place = &mut self.positions[link.child];
        let is_first = place.is_none();
        place.get_or_insert(self.links.len());
        self.links.push(link);
        is_first
    }

    /// Adds the bodies that joints connect to the ordered bodies, until no body is left to add. `seen` counts the
    /// links whose joints are done.
    fn add_children(&mut self, seen: &mut usize, joints: &[JointRows]) -> bool {
        while let Some(parent_link) = self.links.get(*seen).copied() {
            *seen += 1;
            for place in self.starts[parent_link.child]..self.starts[parent_link.child + 1] {
                let joint = self.joints[place];
                let joint_rows = &joints[joint];
                let ([Some(a), Some(b)], true) = (joint_rows.numbers, parent_link.joint != Some(joint))
                else {
                    continue;
                };
                let (child, side) = if a == parent_link.child { (b, 1) } else { (a, 0) };
                let (parent, joint) = (Some(parent_link.child), Some(joint));
                if !self.add_link(TreeLink {
                    child,
                    parent,
                    side,
                    joint,
                    first: joint_rows.first,
                    end: joint_rows.end,
                }) {
                    return false;
                }
            }
        }
        true
    }

    /// Marks the links between these bodies and their roots.
    pub(super) fn mark(&mut self, bodies: impl Iterator<Item = usize>) {
        self.path.clear();
        self.marks.clear();
        self.marks.resize(self.links.len(), false);
        for body in bodies {
            let mut above = self.positions[body];
            while let Some(place) = above.filter(|place| !self.marks[*place]) {
                self.marks[place] = true;
                self.path.push(place);
                above = self.links[place].parent.and_then(|parent| self.positions[parent]);
            }
        }
        self.path.sort_unstable();
    }

    /// The links between the marked bodies and their roots, each after its parent's link.
    pub(super) fn marked_links(&self) -> &[usize] {
        &self.path
    }

    pub(super) fn child(&self, link: usize) -> usize {
        self.links[link].child
    }

    pub(super) fn joint(&self, link: usize) -> Option<usize> {
        self.links[link].joint
    }

    /// Factors the equations, with rows scaled to unit length; returns whether the factors exist, within rounding.
    pub(super) fn factor(&mut self, rows: &[JointRow]) -> bool {
        let mut unit = [0.0; 21];
        (0..6).for_each(|i| unit[at(i, i)] = 1.0);
        self.articulated.clear();
        self.articulated.resize(self.links.len(), unit);
        self.rows.clear();
        self.rows.resize(
            rows.len(),
            RowFactors { child: BodyVelocity::zeros(), parent: BodyVelocity::zeros(), own: [0.0; 6] },
        );
        for (place, link) in self.links.iter().enumerate().rev() {
            if !factor(&mut self.articulated[place]) {
                return false;
            }
            let articulated = &self.articulated[place];
            let (joint_row, own) = (&rows[link.first..link.end], &mut self.rows[link.first..link.end]);
            for (joint_row, row) in joint_row.iter().zip(own.iter_mut()) {
                row.child = joint_row.parts[link.side] * joint_row.scale;
                row.parent = joint_row.parts[1 - link.side] * joint_row.scale;
                lower(articulated, &mut row.child);
            }
            if !factor_joint(own) {
                return false;
            }
            if let Some(parent) = link.parent.and_then(|parent| self.positions[parent]) {
                let articulated = &mut self.articulated[parent];
                for RowFactors { parent, .. } in own {
                    add_square(parent, articulated);
                }
            }
        }
        true
    }

    /// All links, each after its parent's link.
    pub(super) fn links(&self) -> std::ops::Range<usize> {
        0..self.links.len()
    }

    /// The impulses along the rows of these links that change relative velocities by `targets`, while other impulses
    /// change the scaled velocities by `change`. `change` then includes both.
    pub(super) fn solve(
        &self,
        links: impl DoubleEndedIterator<Item = usize> + Clone,
        targets: &[f64],
        amounts: &mut [f64],
        change: &mut [BodyVelocity],
    ) {
        for link in links.clone().rev() {
            let TreeLink { child, parent, first, end, .. } = self.links[link];
            let mut own = change[child];
            lower(&self.articulated[link], &mut own);
            change[child] = own;
            let mut sum = BodyVelocity::zeros();
            let mut known = [0.0; 6];
            for (i, (row, target)) in self.rows[first..end].iter().zip(&targets[first..end]).enumerate() {
                let before: f64 = (0..i).map(|k| row.own[k] * known[k]).sum();
                known[i] = (target - dot(&row.child, &own) - before) * row.own[i];
                sum += row.parent * known[i];
            }
            amounts[first..end].copy_from_slice(&known[..end - first]);
            if let Some(parent) = parent {
                change[parent] += sum;
            }
        }
        for link in links {
            let TreeLink { child, parent, first, end, .. } = self.links[link];
            let rows = &self.rows[first..end];
            let own = &mut amounts[first..end];
            if let Some(parent) = parent {
                let of_parent = &change[parent];
                rows.iter().zip(own.iter_mut()).for_each(|(row, own)| *own -= dot(&row.parent, of_parent));
            }
            let mut sum = change[child];
            for (i, row) in rows.iter().enumerate().rev() {
                own[i] *= row.own[i];
                for k in 0..i {
                    own[k] -= row.own[k] * own[i];
                }
                sum += row.child * own[i];
            }
            upper(&self.articulated[link], &mut sum);
            change[child] = sum;
        }
    }
}

/// Cholesky factorization in place; returns whether it succeeds.
fn factor(m: &mut PackedLower) -> bool {
    for i in 0..6 {
        for k in 0..=i {
            let sum = (0..k).fold(m[at(i, k)], |sum, l| sum - m[at(i, l)] * m[at(k, l)]);
            if k < i {
                m[at(i, k)] = sum * m[at(k, k)];
            } else if sum > 0.0 && sum < f64::INFINITY {
                m[at(i, i)] = 1.0 / sum.sqrt();
            } else {
                return false;
            }
        }
    }
    true
}

/// The factor of the joint's rows as coupled through the child, and their remaining effect on the parent.
fn factor_joint(rows: &mut [RowFactors]) -> bool {
    for i in 0..rows.len() {
        let (before, rest) = rows.split_at_mut(i);
        let row = &mut rest[0];
        let square = dot(&row.child, &row.child);
        let mut pivot = square;
        for (k, other) in before.iter().enumerate() {
            let product = dot(&row.child, &other.child);
            row.own[k] = (0..k).fold(product, |sum, l| sum - row.own[l] * other.own[l]) * other.own[k];
            pivot -= row.own[k] * row.own[k];
            row.parent -= other.parent * row.own[k];
        }
        // A NaN is not a valid pivot.
        if !(pivot > MIN_PIVOT * square && pivot < f64::INFINITY) {
            return false;
        }
        row.own[i] = 1.0 / pivot.sqrt();
        row.parent *= row.own[i];
    }
    true
}

fn add_square(part: &BodyVelocity, m: &mut PackedLower) {
    for i in 0..6 {
        for k in 0..=i {
            m[at(i, k)] += part[i] * part[k];
        }
    }
}

/// L^-1 x in place.
fn lower(factor: &PackedLower, x: &mut BodyVelocity) {
    for i in 0..6 {
        let sum = (0..i).fold(x[i], |sum, k| sum - factor[at(i, k)] * x[k]);
        x[i] = sum * factor[at(i, i)];
    }
}

/// L^-T x in place.
fn upper(factor: &PackedLower, x: &mut BodyVelocity) {
    for i in (0..6).rev() {
        x[i] *= factor[at(i, i)];
        for k in 0..i {
            x[k] -= factor[at(i, k)] * x[i];
        }
    }
}
