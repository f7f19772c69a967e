//! Contacts of one moment as rows: what their impulses do to all bodies, and the impulses that keep them from going on.
//!
//! The impulses are found contact by contact (projected Gauss-Seidel), from those of the step before on.

use std::ops::Range;

use glam::{DMat3, DVec3};

use crate::response::joined::{Joined, Motion, Row as JointedRow};
use crate::response::problem::{Friction, ImpulseBody, RigidMass};

/// A body as rows see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mover {
    /// The mass, and the inertia in world axes; `None` for a keyframed body.
    pub(crate) mass: Option<RigidMass>,
    /// 1 / mass, and the inverse of the inertia in world axes; 0 for a keyframed body.
    pub(crate) inverse: (f64, DMat3),
    pub(crate) center: DVec3,
    /// Of the centre, and angular.
    pub(crate) velocity: [DVec3; 2],
    /// The articulation that it belongs to, and its number there.
    pub(crate) joined: Option<(usize, usize)>,
}

impl Mover {
    /// The body as problems of impulses see it.
    pub(crate) fn body(&self) -> ImpulseBody {
        let [linear, angular] = self.velocity;
        ImpulseBody { mass: self.mass, center: self.center, linear, angular }
    }
}

/// Bodies that joints hold together: their numbers in the scene, and how they answer.
pub(crate) type Jointly<'j> = (&'j [usize], &'j Joined<'j>);

/// A contact of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Touch {
    pub(crate) bodies: [usize; 2],
    /// In the world.
    pub(crate) point: DVec3,
    /// From A to B.
    pub(crate) normal: DVec3,
    pub(crate) gap: f64,
    pub(crate) key: u64,
    pub(crate) elasticity: f64,
    pub(crate) friction: Friction,
}

impl Touch {
    /// Whether it is the same contact a step later: the same features, and the same direction but for a small turn.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.bodies == other.bodies && self.key == other.key && self.normal.dot(other.normal) > SAME
    }
}

/// What an impulse along a direction of a contact does.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    direction: DVec3,
    /// The arms, crossed with the direction, of A and B.
    arms: [DVec3; 2],
    /// How the velocities of A and B answer by themselves.
    answers: [[DVec3; 2]; 2],
    /// How those of all bodies do that joints hold to them.
    joined: Vec<(usize, [DVec3; 2])>,
    /// How the relative velocity along the row answers.
    own: f64,
}

/// A contact with its rows: the normal first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContactRows {
    pub(crate) touch: Touch,
    rows: [Row; 3],
    /// Impulses along the rows, in this solution.
    pub(crate) impulses: [f64; 3],
}

/// Contacts of the same features whose normals have a greater cosine than this are one.
const SAME: f64 = 0.999;

/// Sweeps, at most, and the share of the greatest change at which they end.
const SWEEPS: u32 = 100;
const SETTLED: f64 = 1e-7;

impl ContactRows {
    pub(crate) fn new(touch: Touch, movers: &[Mover], articulations: &[Jointly<'_>]) -> Self {
        let (s, t) = touch.normal.any_orthonormal_pair();
        let rows = [touch.normal, s, t].map(|direction| row(&touch, direction, movers, articulations));
        Self { touch, rows, impulses: [0.0; 3] }
    }

    /// The relative velocity along the rows.
    pub(crate) fn relative(&self, velocities: &[[DVec3; 2]]) -> [f64; 3] {
        self.rows.each_ref().map(|row| row.relative(self.touch.bodies, velocities))
    }

    /// The relative velocity along the normal.
    pub(crate) fn along_normal(&self, velocities: &[[DVec3; 2]]) -> f64 {
        self.rows[0].relative(self.touch.bodies, velocities)
    }

    /// How the relative velocity along the normal answers to an impulse there: 1 / mass.
    pub(crate) fn answer(&self) -> f64 {
        self.rows[0].own
    }

    /// What the impulses along some of the rows took when velocities changed from the first to the second, in joules.
    pub(crate) fn taken(&self, velocities: [&[[DVec3; 2]]; 2], rows: Range<usize>) -> f64 {
        let [first, second] = velocities.map(|velocities| self.relative(velocities));
        -0.5 * rows.map(|i| self.impulses[i] * (first[i] + second[i])).sum::<f64>()
    }

    /// Whether an impulse moves anything.
    pub(crate) fn is_movable(&self) -> bool {
        self.rows[0].own > 0.0
    }

    /// The impulse on B.
    pub(crate) fn impulse(&self) -> DVec3 {
        (0..3).map(|i| self.impulses[i] * self.rows[i].direction).sum()
    }

    /// An impulse on B along the rows.
    pub(crate) fn along(&self, impulse: DVec3) -> [f64; 3] {
        self.rows.each_ref().map(|row| impulse.dot(row.direction))
    }

    /// Adds an impulse along a row.
    fn apply(&self, row: usize, amount: f64, velocities: &mut [[DVec3; 2]]) {
        let row = &self.rows[row];
        for (body, [linear, angular]) in self.touch.bodies.into_iter().zip(row.answers) {
            velocities[body][0] += amount * linear;
            velocities[body][1] += amount * angular;
        }
        for (body, [linear, angular]) in &row.joined {
            velocities[*body][0] += amount * *linear;
            velocities[*body][1] += amount * *angular;
        }
    }

    /// Changes the impulses so that what is asked holds while others stay as they are; returns by how much the relative
    /// velocity changed at most.
    fn adjust(&mut self, asked: &Asked, velocities: &mut [[DVec3; 2]]) -> f64 {
        let before = self.impulses[0];
        let own = self.rows[0].own;
        let after = before + (asked.least - self.along_normal(velocities)) / own;
        let after = after.min(asked.most).max(asked.floor);
        self.impulses[0] = after;
        let mut change = (after - before).abs() * own;
        if after != before {
            self.apply(0, after - before, velocities);
        }
        let push = after.max(0.0);
        let most = match self.touch.friction {
            Friction::Rough => f64::INFINITY,
            Friction::Coefficient(friction) => friction * push,
        };
        let old = [self.impulses[1], self.impulses[2]];
        if most == 0.0 && old == [0.0; 2] {
            return change;
        }
        let own = self.rows[1].own.max(self.rows[2].own);
        let slip = [1, 2].map(|i| self.rows[i].relative(self.touch.bodies, velocities));
        let mut wanted = [old[0] - slip[0] / own, old[1] - slip[1] / own];
        let length = (wanted[0] * wanted[0] + wanted[1] * wanted[1]).sqrt();
        if push == 0.0 {
            wanted = [0.0; 2];
        } else if length > most {
            wanted = wanted.map(|part| part * (most / length));
        }
        for i in 0..2 {
            self.impulses[1 + i] = wanted[i];
            let by = wanted[i] - old[i];
            change = change.max(by.abs() * own);
            if by != 0.0 {
                self.apply(1 + i, by, velocities);
            }
        }
        change
    }
}

impl Row {
    /// The relative velocity along it.
    fn relative(&self, [a, b]: [usize; 2], velocities: &[[DVec3; 2]]) -> f64 {
        let (a, b) = (&velocities[a], &velocities[b]);
        self.direction.dot(b[0] - a[0]) + self.arms[1].dot(b[1]) - self.arms[0].dot(a[1])
    }
}

fn row(touch: &Touch, direction: DVec3, movers: &[Mover], articulations: &[Jointly<'_>]) -> Row {
    let arms = touch.bodies.map(|body| (touch.point - movers[body].center).cross(direction));
    let (mut answers, mut joined_answers) = ([[DVec3::ZERO; 2]; 2], Vec::new());
    let ids = touch.bodies.map(|body| movers[body].joined);
    match ids {
        // Two bodies of one articulation answer together.
        [Some((one, a)), Some((other, b))] if one == other => {
            add_joined(&mut joined_answers, &articulations[one], |joined| {
                joined.row([a, b], touch.point, direction, DVec3::ZERO)
            });
        }
        _ => {
            for (i, sign) in [(0, -1.0), (1, 1.0)] {
                match ids[i] {
                    None => {
                        let (mass, inertia) = movers[touch.bodies[i]].inverse;
                        answers[i] = [sign * mass * direction, sign * (inertia * arms[i])];
                    }
                    Some((articulation, number)) => {
                        add_joined(&mut joined_answers, &articulations[articulation], |joined| {
                            joined.row_of_one(number, touch.point, sign * direction)
                        });
                    }
                }
            }
        }
    }
    let of = |i: usize, [linear, angular]: &[DVec3; 2]| direction.dot(*linear) + arms[i].dot(*angular);
    let mut own = of(1, &answers[1]) - of(0, &answers[0]);
    for (body, answer) in &joined_answers {
        let is = touch.bodies.map(|own| own == *body);
        own += f64::from(is[1]) * of(1, answer) - f64::from(is[0]) * of(0, answer);
    }
    Row { direction, arms, answers, joined: joined_answers, own }
}

fn add_joined(
    answers: &mut Vec<(usize, [DVec3; 2])>,
    (members, joined): &Jointly<'_>,
    row: impl Fn(&Joined<'_>) -> JointedRow,
) {
    let change: Motion = joined.answer(&row(joined));
    answers.extend(joined.changes(&change).into_iter().map(|(number, change)| (members[number], change)));
}

/// What a solution asks of each contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Asked {
    /// The relative velocity along the normal must not be below this.
    pub(crate) least: f64,
    /// The normal impulse must not be below this: what an earlier solution gave may be taken back.
    pub(crate) floor: f64,
    /// Nor above this.
    pub(crate) most: f64,
}

/// Changes velocities by impulses that push, in the cones of friction, until no contact approaches more than it may,
/// or so many sweeps are over. A sweep leaves out contacts of bodies that have not changed since it saw them last.
pub(crate) fn settle(contacts: &mut [ContactRows], asked: &[Asked], velocities: &mut [[DVec3; 2]]) {
    let mut scale = 0.0_f64;
    for contact in contacts.iter() {
        for (row, amount) in contact.impulses.into_iter().enumerate() {
            if amount != 0.0 {
                contact.apply(row, amount, velocities);
                scale = scale.max(amount.abs() * contact.rows[row].own);
            }
        }
    }
    // When each body changed, and when each contact was seen.
    let (mut changed, mut seen) = (vec![1; velocities.len()], vec![0; contacts.len()]);
    let mut now = 1_u64;
    for _ in 0..SWEEPS {
        let mut most = 0.0_f64;
        for ((contact, asked), seen) in contacts.iter_mut().zip(asked).zip(&mut seen) {
            let is_new = contact.touch.bodies.iter().any(|body| changed[*body] > *seen);
            if !is_new || !contact.is_movable() {
                continue;
            }
            let change = contact.adjust(asked, velocities);
            most = most.max(change);
            *seen = now;
            if change > 0.1 * SETTLED * scale {
                now += 1;
                contact.touch.bodies.into_iter().for_each(|body| changed[body] = now);
                let joined = contact.rows.iter().flat_map(|row| &row.joined);
                joined.for_each(|(body, _)| changed[*body] = now);
            }
        }
        scale = scale.max(most);
        if most <= SETTLED * scale {
            break;
        }
    }
}
