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
pub(crate) type Jointly<'j> = (&'j [usize], Joined<'j>);

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
    /// How velocities answer.
    answers: Vec<(usize, [DVec3; 2])>,
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
const SWEEPS: usize = 300;
const SETTLED: f64 = 1e-10;

impl ContactRows {
    pub(crate) fn new(touch: Touch, movers: &[Mover], articulations: &[Jointly<'_>]) -> Self {
        let (s, t) = touch.normal.any_orthonormal_pair();
        let rows = [touch.normal, s, t].map(|direction| row(&touch, direction, movers, articulations));
        Self { touch, rows, impulses: [0.0; 3] }
    }

    /// The relative velocity along the rows.
    pub(crate) fn relative(&self, velocities: &[[DVec3; 2]]) -> [f64; 3] {
        let [a, b] = self.touch.bodies.map(|body| velocities[body]);
        let along =
            |row: &Row| row.direction.dot(b[0] - a[0]) + row.arms[1].dot(b[1]) - row.arms[0].dot(a[1]);
        [along(&self.rows[0]), along(&self.rows[1]), along(&self.rows[2])]
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

    fn apply(&self, row: usize, amount: f64, velocities: &mut [[DVec3; 2]]) {
        for (body, [linear, angular]) in &self.rows[row].answers {
            velocities[*body][0] += amount * *linear;
            velocities[*body][1] += amount * *angular;
        }
    }
}

fn row(touch: &Touch, direction: DVec3, movers: &[Mover], articulations: &[Jointly<'_>]) -> Row {
    let arms = touch.bodies.map(|body| (touch.point - movers[body].center).cross(direction));
    let mut answers: Vec<(usize, [DVec3; 2])> = Vec::new();
    let ids = touch.bodies.map(|body| movers[body].joined);
    match ids {
        // Two bodies of one articulation answer together.
        [Some((one, a)), Some((other, b))] if one == other => {
            add_joined(&mut answers, &articulations[one], |joined| {
                joined.row([a, b], touch.point, direction, DVec3::ZERO)
            });
        }
        _ => {
            for (i, sign) in [(0, -1.0), (1, 1.0)] {
                let body = touch.bodies[i];
                match ids[i] {
                    None => {
                        let (mass, inertia) = movers[body].inverse;
                        if mass > 0.0 {
                            answers.push((body, [sign * mass * direction, sign * (inertia * arms[i])]));
                        }
                    }
                    Some((articulation, number)) => {
                        add_joined(&mut answers, &articulations[articulation], |joined| {
                            joined.row_of_one(number, touch.point, sign * direction)
                        });
                    }
                }
            }
        }
    }
    let own = answers
        .iter()
        .map(|(body, [linear, angular])| {
            let of = |i: usize| direction.dot(*linear) + arms[i].dot(*angular);
            let mut sum = 0.0;
            if *body == touch.bodies[1] {
                sum += of(1);
            }
            if *body == touch.bodies[0] {
                sum -= of(0);
            }
            sum
        })
        .sum();
    Row { direction, arms, answers, own }
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
/// or so many sweeps are over.
pub(crate) fn settle(contacts: &mut [ContactRows], asked: &[Asked], velocities: &mut [[DVec3; 2]]) {
    for contact in contacts.iter() {
        for (row, amount) in contact.impulses.into_iter().enumerate() {
            if amount != 0.0 {
                contact.apply(row, amount, velocities);
            }
        }
    }
    let mut first = 0.0_f64;
    for sweep in 0..SWEEPS {
        let mut change = 0.0_f64;
        for (contact, asked) in contacts.iter_mut().zip(asked) {
            if !contact.is_movable() {
                continue;
            }
            let now = contact.relative(velocities)[0];
            let before = contact.impulses[0];
            let own = contact.rows[0].own;
            let after = (before + (asked.least - now) / own).min(asked.most).max(asked.floor);
            contact.impulses[0] = after;
            change = change.max((after - before).abs() * own);
            if after != before {
                contact.apply(0, after - before, velocities);
            }
            let push = after.max(0.0);
            let most = match contact.touch.friction {
                Friction::Rough => f64::INFINITY,
                Friction::Coefficient(friction) => friction * push,
            };
            if most == 0.0 && contact.impulses[1] == 0.0 && contact.impulses[2] == 0.0 {
                continue;
            }
            let [_, u, v] = contact.relative(velocities);
            let own = contact.rows[1].own.max(contact.rows[2].own);
            let old = [contact.impulses[1], contact.impulses[2]];
            let mut wanted = [old[0] - u / own, old[1] - v / own];
            let length = wanted[0].hypot(wanted[1]);
            if push == 0.0 {
                wanted = [0.0; 2];
            } else if length > most {
                wanted = wanted.map(|part| part * (most / length));
            }
            for i in 0..2 {
                contact.impulses[1 + i] = wanted[i];
                let by = wanted[i] - old[i];
                change = change.max(by.abs() * own);
                if by != 0.0 {
                    contact.apply(1 + i, by, velocities);
                }
            }
        }
        first = first.max(change);
        if sweep > 0 && change <= SETTLED * first.max(1e-6) {
            break;
        }
    }
}
