//! A contact as constraint rows, and the response of all bodies to its impulses.

use std::ops::Range;

use glam::{DMat3, DVec3};

use crate::impulses::fitting::joint_response;
use crate::impulses::joined::JointedBodies;
use crate::impulses::problem::{Friction, ImpulseBody, RigidMass};
use crate::impulses::rows::{ConstraintRow as JointedRow, ScaledVelocity};

/// A body in the contact solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SolverBody {
    /// The mass, and the inertia in world axes; `None` for a keyframed body.
    pub(crate) mass: Option<RigidMass>,
    /// 1 / mass, and the inverse of the inertia in world axes; 0 for a keyframed body.
    pub(crate) inverse: (f64, DMat3),
    pub(crate) center: DVec3,
    /// Velocity of the centre, and angular velocity.
    pub(crate) velocity: [DVec3; 2],
    /// Its articulation, and its number there.
    pub(crate) joined: Option<(usize, usize)>,
}

impl SolverBody {
    /// The body in an impulse problem.
    pub(crate) fn body(&self) -> ImpulseBody {
        let [linear, angular] = self.velocity;
        ImpulseBody { mass: self.mass, center: self.center, linear, angular }
    }
}

/// Bodies that joints connect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JointedGroup<'j> {
    /// Their numbers in the scene.
    pub(crate) members: &'j [usize],
    /// Their joint solver.
    pub(crate) joined: &'j JointedBodies<'j>,
}

/// A contact of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactPoint {
    pub(crate) bodies: [usize; 2],
    /// In the world.
    pub(crate) point: DVec3,
    /// From A to B.
    pub(crate) normal: DVec3,
    /// In metres; negative: the penetration depth.
    pub(crate) gap: f64,
    /// Identifies the features that touch.
    pub(crate) key: u64,
    pub(crate) elasticity: f64,
    pub(crate) friction: Friction,
}

impl ContactPoint {
    /// Whether it is the same contact a step later: the same features, and nearly the same normal.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.bodies == other.bodies
            && self.key == other.key
            && self.normal.dot(other.normal) > MIN_SAME_COSINE
    }
}

/// A contact as three rows: its normal and two directions across it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContactRows {
    pub(crate) touch: ContactPoint,
    /// The directions, as columns.
    frame: DMat3,
    /// From the centres of A and B to the point.
    arms: [DVec3; 2],
    /// The response of the relative velocity along the rows to impulses along them.
    pub(super) response: DMat3,
    /// The responses of A and B alone.
    ends: [ContactResponse; 2],
    /// The responses of all bodies that joints connect to A or B, to impulses along the rows; usually absent.
    pub(super) joined: Option<Box<[JoinedResponse; 3]>>,
    /// Added to the relative velocity along the rows: see [`Self::with_drift`].
    drift: DVec3,
    /// The part of the drift that keyframed bodies cause.
    keyframed_drift: DVec3,
    /// Impulses along the rows in the current solution.
    pub(crate) impulses: [f64; 3],
}

/// The response of one body to impulses along the rows of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ContactResponse {
    /// 1 / mass; negative for A, on which the impulses act in reverse.
    linear: f64,
    angular: DMat3,
}

/// Bodies, and the changes of their velocities.
pub(super) type JoinedResponse = Vec<(usize, [DVec3; 2])>;

/// Contacts of the same features are the same if the cosine between their normals exceeds this.
const MIN_SAME_COSINE: f64 = 0.999;

/// A row whose response is below this fraction of the response without joints is constrained by joints.
const CONSTRAINED_RESPONSE: f64 = 1e-13;

impl ContactRows {
    pub(crate) fn new(
        touch: ContactPoint,
        solver_bodies: &[SolverBody],
        groups: &[JointedGroup<'_>],
    ) -> Self {
        let (s, t) = touch.normal.any_orthonormal_pair();
        let frame = DMat3::from_cols(touch.normal, s, t);
        let arms = touch.bodies.map(|body| touch.point - solver_bodies[body].center);
        let end = |i: usize, sign: f64| {
            let solver_body = &solver_bodies[touch.bodies[i]];
            if solver_body.joined.is_some() {
                return ContactResponse { linear: 0.0, angular: DMat3::ZERO };
            }
            let (mass, inertia) = solver_body.inverse;
            let response = |column: DVec3| sign * (inertia * arms[i].cross(column));
            ContactResponse {
                linear: sign * mass,
                angular: DMat3::from_cols(
                    response(frame.x_axis),
                    response(frame.y_axis),
                    response(frame.z_axis),
                ),
            }
        };
        let is_joined = touch.bodies.iter().any(|body| solver_bodies[*body].joined.is_some());
        let joined = is_joined.then(|| {
            let of_row = |i: usize| jointed_response(&touch, frame.col(i), solver_bodies, groups);
            Box::new([of_row(0), of_row(1), of_row(2)])
        });
        let ends = [end(0, -1.0), end(1, 1.0)];
        let (response, drift, keyframed_drift) = (DMat3::ZERO, DVec3::ZERO, DVec3::ZERO);
        let mut own =
            Self { touch, frame, arms, response, ends, joined, drift, keyframed_drift, impulses: [0.0; 3] };
        let columns = [DVec3::X, DVec3::Y, DVec3::Z].map(|row| own.response_to(row));
        own.response = DMat3::from_cols(columns[0], columns[1], columns[2]);
        own.constrain_to_joints(solver_bodies);
        own
    }

    /// Removes the rows along which joints hold both bodies: the rest of their response is rounding, so impulses
    /// along them have no meaning.
    fn constrain_to_joints(&mut self, solver_bodies: &[SolverBody]) {
        let Some(joined) = self.joined.as_mut().filter(|_| self.ends.iter().all(|end| end.linear == 0.0))
        else {
            return;
        };
        for (row, responses) in joined.iter_mut().enumerate() {
            let along = self.frame.col(row);
            let free = |(body, arm): (&usize, &DVec3)| {
                let (mass, inertia) = solver_bodies[*body].inverse;
                let moment = arm.cross(along);
                mass + moment.dot(inertia * moment)
            };
            let free: f64 = self.touch.bodies.iter().zip(&self.arms).map(free).sum();
            if self.response.col(row)[row] > CONSTRAINED_RESPONSE * free {
                continue;
            }
            responses.clear();
            *self.response.col_mut(row) = DVec3::ZERO;
            (0..3).for_each(|other| self.response.col_mut(other)[row] = 0.0);
        }
    }

    /// The response of the relative velocity along the rows to impulses along them.
    fn response_to(&self, impulses: DVec3) -> DVec3 {
        let mut changes = [[DVec3::ZERO; 2]; 2];
        let impulse = self.frame * impulses;
        for (end, change) in self.ends.iter().zip(&mut changes) {
            *change = [end.linear * impulse, end.angular * impulses];
        }
        for (row, responses) in self.joined.iter().flat_map(|joined| joined.iter().enumerate()) {
            for (body, response) in responses {
                for (_, change) in self.touch.bodies.iter().zip(&mut changes).filter(|(own, _)| *own == body)
                {
                    (0..2).for_each(|i| change[i] += impulses[row] * response[i]);
                }
            }
        }
        self.relative_of(&changes[0], &changes[1])
    }

    fn relative_of(&self, a: &[DVec3; 2], b: &[DVec3; 2]) -> DVec3 {
        let velocity = (b[0] + b[1].cross(self.arms[1])) - (a[0] + a[1].cross(self.arms[0]));
        self.frame.transpose() * velocity
    }

    /// The relative velocity along the rows.
    pub(crate) fn relative(&self, velocities: &[[DVec3; 2]]) -> DVec3 {
        let [a, b] = self.touch.bodies;
        self.relative_of(&velocities[a], &velocities[b]) + self.drift
    }

    /// Adds a drift to the velocities across the normal, which makes them the mean velocities during a flight of some
    /// seconds, to second order: a point of a rotating body moves on an arc. Without the drift, a body that sticks to a
    /// rotating body would slowly move outward.
    pub(crate) fn with_drift(mut self, solver_bodies: &[SolverBody], flight: f64) -> Self {
        let acceleration = |side: usize| {
            let SolverBody { mass, velocity: [linear, angular], .. } = solver_bodies[self.touch.bodies[side]];
            let along_arc = angular.cross(self.arms[side]);
            // The velocities of a keyframed body are constant in space, those of a free one at its centre.
            angular.cross(if mass.is_none() { linear + along_arc } else { along_arc })
        };
        let is_keyframed = |side: usize| solver_bodies[self.touch.bodies[side]].mass.is_none();
        let [a, b] = [0, 1].map(|side| 0.5 * flight * acceleration(side));
        let of_keyframed = |own: DVec3, side: usize| if is_keyframed(side) { own } else { DVec3::ZERO };
        let across = |v: DVec3| {
            let along = self.frame.transpose() * v;
            DVec3::new(0.0, along.y, along.z)
        };
        self.drift = across(b - a);
        self.keyframed_drift = across(of_keyframed(b, 1) - of_keyframed(a, 0));
        self
    }

    /// Removes the drift and the impulses.
    pub(super) fn restart_without_drift(&mut self) {
        (self.drift, self.keyframed_drift, self.impulses) = (DVec3::ZERO, DVec3::ZERO, [0.0; 3]);
    }

    /// The change of the relative velocity along the rows when the velocities change.
    pub(super) fn change(&self, changes: &[[DVec3; 2]]) -> DVec3 {
        let [a, b] = self.touch.bodies;
        self.relative_of(&changes[a], &changes[b])
    }

    /// The maximum friction impulse for the current normal impulse, with the impulses that it takes back.
    pub(super) fn current_friction_limit(&self, target: &ContactTarget) -> f64 {
        self.friction_limit(self.impulses[0] + target.taken_back(self.impulses[0])[0])
    }

    /// Whether the friction impulse, with the impulses that are taken back, is below its limit.
    pub(super) fn is_sticking(&self, target: &ContactTarget) -> bool {
        let before = target.taken_back(self.impulses[0]);
        let [s, t] = [1, 2].map(|row| self.impulses[row] + before[row]);
        s * s + t * t < (self.current_friction_limit(target) * (1.0 - 1e-9)).powi(2)
    }

    /// 1 / mass of both bodies, in 1/kg; 0 for a body that joints or keyframes move.
    pub(super) fn inverse_masses(&self) -> [f64; 2] {
        self.ends.map(|end| end.linear.abs())
    }

    /// The bodies that impulses of this contact move.
    pub(super) fn moved_bodies(&self) -> Vec<usize> {
        let own = self.touch.bodies.into_iter().zip(&self.ends).filter(|(_, end)| end.linear != 0.0);
        let joined = self.joined.iter().flat_map(|joined| joined.iter().flatten());
        own.map(|(body, _)| body).chain(joined.map(|(body, _)| *body)).collect()
    }

    /// The relative velocity along the normal.
    pub(crate) fn along_normal(&self, velocities: &[[DVec3; 2]]) -> f64 {
        self.relative(velocities).x
    }

    /// The response of the normal velocity to a normal impulse: the inverse effective mass, in 1/kg.
    pub(crate) fn inverse_mass(&self) -> f64 {
        self.response.x_axis.x
    }

    /// The energy, in joules, that impulses along some rows dissipated when they changed the velocities from the
    /// first to the second.
    pub(crate) fn dissipated(&self, velocities: [&[[DVec3; 2]]; 2], rows: Range<usize>) -> f64 {
        let [first, second] = velocities.map(|velocities| self.relative(velocities));
        -0.5 * rows.map(|i| self.impulses[i] * (first[i] + second[i])).sum::<f64>()
    }

    /// The kinetic energy, in joules, that bodies lost by impulses along some rows when these changed the velocities
    /// from the first to the second, except for the work of keyframed bodies.
    pub(crate) fn kinetic_loss(&self, velocities: [&[[DVec3; 2]]; 2], rows: Range<usize>) -> f64 {
        self.dissipated(velocities, rows.clone()) + self.work_along_drift(rows)
    }

    /// The work of the impulses on the drift of bodies that are not keyframed, in joules: [`Self::dissipated`] assumes
    /// the mean velocity during a flight, but impulses act at its start.
    pub(super) fn work_on_drift(&self) -> f64 {
        self.work_along_drift(0..3)
    }

    fn work_along_drift(&self, rows: Range<usize>) -> f64 {
        let own_drift = self.drift - self.keyframed_drift;
        rows.map(|i| self.impulses[i] * own_drift[i]).sum()
    }

    /// Whether a normal impulse moves any body.
    pub(crate) fn is_movable(&self) -> bool {
        self.inverse_mass() > 0.0
    }

    /// The impulse on B.
    pub(crate) fn impulse(&self) -> DVec3 {
        self.frame * DVec3::from_array(self.impulses)
    }

    /// The components along the rows of an impulse on B.
    pub(crate) fn along(&self, impulse: DVec3) -> [f64; 3] {
        (self.frame.transpose() * impulse).to_array()
    }

    /// Applies impulses along the rows to the velocities.
    pub(super) fn apply(&self, impulses: DVec3, velocities: &mut [[DVec3; 2]]) {
        let impulse = self.frame * impulses;
        for (body, end) in self.touch.bodies.into_iter().zip(&self.ends) {
            velocities[body][0] += end.linear * impulse;
            velocities[body][1] += end.angular * impulses;
        }
        for (row, responses) in self.joined.iter().flat_map(|joined| joined.iter().enumerate()) {
            for (body, [linear, angular]) in responses.iter().filter(|_| impulses[row] != 0.0) {
                velocities[*body][0] += impulses[row] * *linear;
                velocities[*body][1] += impulses[row] * *angular;
            }
        }
    }

    /// Replaces the rows by other rows of the same contact. The impulse stays, without a component that pulls.
    pub(crate) fn replace(&mut self, rows: Self, velocities: &mut [[DVec3; 2]]) {
        let impulse = self.impulse();
        self.apply(-DVec3::from_array(self.impulses), velocities);
        *self = rows;
        let [normal, s, t] = self.along(impulse);
        self.impulses = [normal.max(0.0), s, t];
        self.apply(DVec3::from_array(self.impulses), velocities);
    }

    /// Adds to the impulses within their limits; returns the maximum change of the relative velocity.
    pub(super) fn extend(&mut self, target: &ContactTarget, by: DVec3, velocities: &mut [[DVec3; 2]]) -> f64 {
        let before = DVec3::from_array(self.impulses);
        let mut after = before + by;
        after.x = after.x.min(target.max_impulse).max(target.min_impulse);
        [after.y, after.z] = self.limited_friction(target, after.x, [after.y, after.z]);
        if after != before {
            self.impulses = after.to_array();
            self.apply(after - before, velocities);
        }
        ((after - before).abs() * self.response.diagonal()).max_element()
    }

    /// The maximum friction impulse for a normal impulse.
    fn friction_limit(&self, normal_impulse: f64) -> f64 {
        match self.touch.friction {
            _ if normal_impulse <= 0.0 => 0.0,
            Friction::Rough => f64::INFINITY,
            Friction::Coefficient(friction) => friction * normal_impulse,
        }
    }

    /// The friction impulses nearest to some, in the limit that a normal impulse allows. If it takes a normal impulse
    /// back, the limit holds for the sum with the impulses before.
    fn limited_friction(&self, target: &ContactTarget, normal_impulse: f64, friction: [f64; 2]) -> [f64; 2] {
        let [normal, s, t] = target.taken_back(normal_impulse);
        let (along_s, along_t) = (friction[0] + s, friction[1] + t);
        let length = (along_s * along_s + along_t * along_t).sqrt();
        let limit = self.friction_limit(normal_impulse + normal);
        let fraction = if length > limit { limit / length } else { 1.0 };
        [fraction * along_s - s, fraction * along_t - t]
    }

    /// Changes the impulses to reach the target while other contacts keep their impulses; returns the maximum change
    /// of the relative velocity.
    pub(super) fn solve_target(&mut self, target: &ContactTarget, velocities: &mut [[DVec3; 2]]) -> f64 {
        let mut relative = self.relative(velocities);
        let before = DVec3::from_array(self.impulses);
        let mut after = before;
        let across = self.inverse_mass();
        let normal = before.x + (target.min_speed - relative.x) / across;
        after.x = normal.min(target.max_impulse).max(target.min_impulse);
        let mut change = (after.x - before.x).abs() * across;
        let is_taken_back = after.x < 0.0;
        if is_taken_back || self.friction_limit(after.x) > 0.0 || before.y != 0.0 || before.z != 0.0 {
            relative += (after.x - before.x) * self.response.x_axis;
            let along = self.response.y_axis.y.max(self.response.z_axis.z);
            // If joints hold both directions, friction has no effect.
            let against = |before: f64, speed: f64| if along > 0.0 { before - speed / along } else { 0.0 };
            let [s, t] = target.slip;
            let (y, z) = (against(before.y, relative.y - s), against(before.z, relative.z - t));
            [after.y, after.z] = self.limited_friction(target, after.x, [y, z]);
            change = change.max((after.y - before.y).abs() * along).max((after.z - before.z).abs() * along);
        }
        if after != before {
            self.impulses = after.to_array();
            self.apply(after - before, velocities);
        }
        change
    }
}

/// The response of all bodies that joints connect to a contact's bodies, to an impulse along a direction there.
fn jointed_response(
    touch: &ContactPoint,
    direction: DVec3,
    solver_bodies: &[SolverBody],
    groups: &[JointedGroup<'_>],
) -> JoinedResponse {
    let mut responses = Vec::new();
    let ids = touch.bodies.map(|body| solver_bodies[body].joined);
    match ids {
        // Two bodies of one articulation respond together.
        [Some((one, a)), Some((other, b))] if one == other => {
            add_joined(&mut responses, &groups[one], |joined| {
                joined.row([a, b], touch.point, direction, DVec3::ZERO)
            });
        }
        _ => {
            for (id, sign) in ids.into_iter().zip([-1.0, 1.0]) {
                if let Some((group, number)) = id {
                    add_joined(&mut responses, &groups[group], |joined| {
                        joined.row_of_body(number, touch.point, sign * direction)
                    });
                }
            }
        }
    }
    responses
}

fn add_joined(
    responses: &mut JoinedResponse,
    group: &JointedGroup<'_>,
    row: impl Fn(&JointedBodies<'_>) -> JointedRow,
) {
    let JointedGroup { members, joined } = *group;
    let change: ScaledVelocity = joint_response(joined, &row(joined));
    responses.extend(joined.changes(&change).into_iter().map(|(number, change)| (members[number], change)));
}

/// The target of a contact in a solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactTarget {
    /// The minimum relative velocity along the normal.
    pub(crate) min_speed: f64,
    /// The minimum normal impulse: an impulse of an earlier solution may be taken back.
    pub(crate) min_impulse: f64,
    /// The maximum normal impulse.
    pub(crate) max_impulse: f64,
    /// Friction works toward this relative velocity along both rows across the normal.
    pub(crate) slip: [f64; 2],
    /// Impulses along the rows from an earlier solution of the same step. A normal impulse that is taken back takes its
    /// friction back: friction is then limited for the sum of both.
    pub(crate) before: [f64; 3],
}

impl ContactTarget {
    /// The contact pushes, and does not pull, to keep the relative velocity along the normal at or above this.
    pub(crate) fn min_speed(min_speed: f64) -> Self {
        Self { min_speed, min_impulse: 0.0, max_impulse: f64::INFINITY, slip: [0.0; 2], before: [0.0; 3] }
    }

    /// By how much a contact approaches faster than its target, or the relative velocity that friction has to stop
    /// there, in metres per second.
    pub(super) fn missing_speed(&self, contact: &ContactRows, velocities: &[[DVec3; 2]]) -> f64 {
        let relative = contact.relative(velocities);
        let missing = self.min_speed - relative.x;
        if missing <= 0.0 || !contact.is_movable() {
            return 0.0;
        }
        missing.max((relative.y - self.slip[0]).abs()).max((relative.z - self.slip[1]).abs())
    }

    /// The impulses before that count in the limit of friction: those that a normal impulse takes back.
    pub(super) fn taken_back(&self, normal_impulse: f64) -> [f64; 3] {
        if normal_impulse < 0.0 { self.before } else { [0.0; 3] }
    }

    /// The final state of a contact in a solution, given its relative velocity along the rows, as a target: it must
    /// stay as it is, even if it missed its own target.
    pub(super) fn final_target(&self, contact: &ContactRows, relative: DVec3) -> Self {
        let [x, y, z] = relative.to_array();
        let min_speed = if contact.impulses[0] > self.min_impulse { x } else { self.min_speed.min(x) };
        Self { min_speed, slip: [y, z], ..*self }
    }
}
