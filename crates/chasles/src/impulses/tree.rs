//! Joints that make trees: the impulses that change relative velocities in them, in a time that grows with their number.
//!
//! Along the rows J of the joints, impulses y change scaled velocities by J^T y, and relative velocities by J J^T y. The
//! equations of both, [1 J^T; J 0], are solved from the leaves on: a body with all that it carries is felt by its joint as
//! a matrix of 6 by 6, the joint with that by the body which carries it (Baraff 1996, "Linear-time dynamics using Lagrange
//! multipliers"; with scaled velocities and factors of Cholesky, whose terms all add up). The rows of a tree are
//! independent, so that there are such impulses, and no others.

use crate::impulses::rows::{BodyVelocity, JointRow, JointRows, dot};

/// The lower half of a symmetric matrix or of its factor, row by row; a factor has 1 / its diagonal there.
type PackedLower = [f64; 21];

/// A body and the joint on which it hangs.
#[derive(Debug, Clone, Copy)]
struct TreeLink {
    child: usize,
    /// The body that carries it, where that is not keyframed.
    parent: Option<usize>,
    /// Which of the joint's bodies it is.
    side: usize,
    /// The joint and its rows; none where nothing carries it.
    joint: Option<usize>,
    first: usize,
    end: usize,
}

/// What a row is to its child and to the parent once those before it are seen to.
#[derive(Debug, Clone, Copy)]
struct RowFactors {
    child: BodyVelocity,
    parent: BodyVelocity,
    /// A row of the factor of the joint's matrix.
    own: [f64; 6],
}

/// Bodies on joints, every one after the body that carries it.
#[derive(Debug, Default)]
pub(super) struct Forest {
    links: Vec<TreeLink>,
    /// The link of each body.
    places: Vec<Option<usize>>,
    /// Those of `links` that matter to a part of the bodies, in order.
    path: Vec<usize>,
    marks: Vec<bool>,
    /// In the order of `links`.
    felt: Vec<PackedLower>,
    rows: Vec<RowFactors>,
    /// The joints of each body follow each other; where those of each begin.
    joints: Vec<usize>,
    begins: Vec<usize>,
}

/// A row whose own part is less than this share of it depends on those before it by all that digits tell.
const LEAST_PIVOT: f64 = 1e-13;

const fn at(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

impl Forest {
    /// Puts so many bodies in order; where nothing else carries them, these first carry the others. Whether the joints
    /// make trees; of each joint one body at most is keyframed.
    pub(super) fn order(
        &mut self,
        count: usize,
        holds: &[JointRows],
        firsts: impl Iterator<Item = usize>,
    ) -> bool {
        self.links.clear();
        self.places.clear();
        self.places.resize(count, None);
        self.begins.clear();
        self.begins.resize(count + 2, 0);
        // Where those of a body begin is first where those of the body after next do.
        for number in holds.iter().flat_map(|hold| hold.numbers).flatten() {
            self.begins[number + 2] += 1;
        }
        for body in 2..count + 2 {
            self.begins[body] += self.begins[body - 1];
        }
        self.joints.clear();
        self.joints.resize(self.begins[count + 1], 0);
        for (joint, hold) in holds.iter().enumerate() {
            for number in hold.numbers.into_iter().flatten() {
                self.joints[self.begins[number + 1]] = joint;
                self.begins[number + 1] += 1;
            }
        }
        for (joint, hold) in holds.iter().enumerate() {
            let (child, side) = match hold.numbers {
                [Some(child), None] => (child, 0),
                [None, Some(child)] => (child, 1),
                _ => continue,
            };
            let link =
                TreeLink { child, parent: None, side, joint: Some(joint), first: hold.first, end: hold.end };
            if !self.hang(link) {
                return false;
            }
        }
        let mut seen = 0;
        for body in firsts.chain(0..count) {
            if !self.follow(&mut seen, holds) {
                return false;
            }
            if self.places[body].is_none() {
                self.hang(TreeLink { child: body, parent: None, side: 0, joint: None, first: 0, end: 0 });
            }
        }
        self.follow(&mut seen, holds)
    }

    /// Whether a body hangs on nothing else.
    fn hang(&mut self, link: TreeLink) -> bool {
        let place = &mut self.places[link.child];
        let is_first = place.is_none();
        place.get_or_insert(self.links.len());
        self.links.push(link);
        is_first
    }

    /// Adds all that hangs on the bodies that are there.
    fn follow(&mut self, seen: &mut usize, holds: &[JointRows]) -> bool {
        while let Some(carrier) = self.links.get(*seen).copied() {
            *seen += 1;
            for place in self.begins[carrier.child]..self.begins[carrier.child + 1] {
                let joint = self.joints[place];
                let hold = &holds[joint];
                let ([Some(a), Some(b)], true) = (hold.numbers, carrier.joint != Some(joint)) else {
                    continue;
                };
                let (child, side) = if a == carrier.child { (b, 1) } else { (a, 0) };
                let (parent, joint) = (Some(carrier.child), Some(joint));
                if !self.hang(TreeLink { child, parent, side, joint, first: hold.first, end: hold.end }) {
                    return false;
                }
            }
        }
        true
    }

    /// Marks what these bodies hang on as what matters to them.
    pub(super) fn mark(&mut self, bodies: impl Iterator<Item = usize>) {
        self.path.clear();
        self.marks.clear();
        self.marks.resize(self.links.len(), false);
        for body in bodies {
            let mut above = self.places[body];
            while let Some(place) = above.filter(|place| !self.marks[*place]) {
                self.marks[place] = true;
                self.path.push(place);
                above = self.links[place].parent.and_then(|parent| self.places[parent]);
            }
        }
        self.path.sort_unstable();
    }

    /// The links that matter to the bodies that were marked, each after what carries it.
    pub(super) fn marked(&self) -> &[usize] {
        &self.path
    }

    pub(super) fn child(&self, link: usize) -> usize {
        self.links[link].child
    }

    pub(super) fn joint(&self, link: usize) -> Option<usize> {
        self.links[link].joint
    }

    /// The factors of the equations, with rows made one long; whether there are any, as far as digits tell.
    pub(super) fn factor(&mut self, rows: &[JointRow]) -> bool {
        let mut unit = [0.0; 21];
        (0..6).for_each(|i| unit[at(i, i)] = 1.0);
        self.felt.clear();
        self.felt.resize(self.links.len(), unit);
        self.rows.clear();
        self.rows.resize(
            rows.len(),
            RowFactors { child: BodyVelocity::zeros(), parent: BodyVelocity::zeros(), own: [0.0; 6] },
        );
        for (place, link) in self.links.iter().enumerate().rev() {
            if !factor(&mut self.felt[place]) {
                return false;
            }
            let felt = &self.felt[place];
            let (given, own) = (&rows[link.first..link.end], &mut self.rows[link.first..link.end]);
            for (given, row) in given.iter().zip(own.iter_mut()) {
                row.child = given.parts[link.side] * given.scale;
                row.parent = given.parts[1 - link.side] * given.scale;
                lower(felt, &mut row.child);
            }
            if !factor_joint(own) {
                return false;
            }
            if let Some(parent) = link.parent.and_then(|parent| self.places[parent]) {
                let felt = &mut self.felt[parent];
                for RowFactors { parent, .. } in own {
                    add_square(parent, felt);
                }
            }
        }
        true
    }

    /// All links, each after what carries it.
    pub(super) fn links(&self) -> std::ops::Range<usize> {
        0..self.links.len()
    }

    /// The impulses along the rows of these links that change relative velocities by `off`, where other impulses change the
    /// scaled velocities by `change`; that is then the change of scaled velocities by both.
    pub(super) fn solve(
        &self,
        links: impl DoubleEndedIterator<Item = usize> + Clone,
        off: &[f64],
        amounts: &mut [f64],
        change: &mut [BodyVelocity],
    ) {
        for link in links.clone().rev() {
            let TreeLink { child, parent, first, end, .. } = self.links[link];
            let mut own = change[child];
            lower(&self.felt[link], &mut own);
            change[child] = own;
            let mut sum = BodyVelocity::zeros();
            let mut known = [0.0; 6];
            for (i, (row, off)) in self.rows[first..end].iter().zip(&off[first..end]).enumerate() {
                let before: f64 = (0..i).map(|k| row.own[k] * known[k]).sum();
                known[i] = (off - dot(&row.child, &own) - before) * row.own[i];
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
                let carried = &change[parent];
                rows.iter().zip(own.iter_mut()).for_each(|(row, own)| *own -= dot(&row.parent, carried));
            }
            let mut sum = change[child];
            for (i, row) in rows.iter().enumerate().rev() {
                own[i] *= row.own[i];
                for k in 0..i {
                    own[k] -= row.own[k] * own[i];
                }
                sum += row.child * own[i];
            }
            upper(&self.felt[link], &mut sum);
            change[child] = sum;
        }
    }
}

/// The factor of Cholesky in place; whether there is one.
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

/// The factor of what a joint's rows feel of each other through the child, and what they then are to the parent.
fn factor_joint(rows: &mut [RowFactors]) -> bool {
    for i in 0..rows.len() {
        let (before, rest) = rows.split_at_mut(i);
        let row = &mut rest[0];
        let square = dot(&row.child, &row.child);
        let mut pivot = square;
        for (k, other) in before.iter().enumerate() {
            let felt = dot(&row.child, &other.child);
            row.own[k] = (0..k).fold(felt, |sum, l| sum - row.own[l] * other.own[l]) * other.own[k];
            pivot -= row.own[k] * row.own[k];
            row.parent -= other.parent * row.own[k];
        }
        // A NaN is no pivot.
        if !(pivot > LEAST_PIVOT * square && pivot < f64::INFINITY) {
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
