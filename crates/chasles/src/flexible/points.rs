//! The point masses of a flexible body, and the springs between them.

use std::collections::BTreeSet;

use glam::DVec3;

use crate::flexible::definition::FlexibleBody;
use crate::flexible::fit::{VolumeSprings, centre};
use crate::shape::Mesh;
use crate::shape::mesh::NO_FACE;

/// Minimum mass of a vertex, as a fraction of the mean; otherwise slivers would require endlessly short steps.
const MIN_MASS: f64 = 0.1;

/// The total stiffness of the springs of the inside, in units of one spring of the surface.
const VOLUME_STIFFNESS: f64 = 4.0;

/// Maximum step, as a fraction of the longest stable one: two divided by the highest frequency.
const STEP_FRACTION: f64 = 0.25;

/// A spring shorter than this fraction of its rest length has no direction.
const MIN_LENGTH: f64 = 1e-12;

/// A spring between two vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
struct VertexSpring {
    ends: [u32; 2],
    /// The rest length, in metres.
    rest: f64,
}

/// The constant data of a flexible body.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FlexibleBodyData {
    /// Its number in the scene.
    pub(super) body: usize,
    /// By vertex of the mesh, in kilograms; 0 for a vertex without a triangle.
    masses: Vec<f64>,
    /// By vertex: 1 / mass; 0 for a vertex without a triangle.
    pub(super) inverse: Vec<f64>,
    springs: Vec<VertexSpring>,
    /// In newtons per metre.
    stiffness: f64,
    damping: f64,
    /// Only in closed meshes.
    inside: Option<VolumeSprings>,
    /// By vertex: the first vertex at the same position.
    leaders: Vec<u32>,
    /// Upper bound of all frequencies, in radians per second.
    max_frequency: f64,
}

impl FlexibleBodyData {
    /// From the mesh, with its vertices in their rest positions in the world.
    pub(super) fn new(definition: &FlexibleBody, mesh: &Mesh, rest: &[DVec3]) -> Self {
        let masses = masses(definition.mass, mesh, rest);
        let inverse: Vec<f64> =
            masses.iter().map(|mass| if *mass > 0.0 { 1.0 / mass } else { 0.0 }).collect();
        let springs = springs(mesh, rest);
        let is_closed = mesh.check_consistent_orientation().is_ok();
        let inside = is_closed.then(|| {
            VolumeSprings::new(rest, &masses, VOLUME_STIFFNESS * definition.stiffness / definition.mass)
        });
        // The eigenvalues of the stiffness over the masses are at most the maximum row sum (Gershgorin).
        let mut rows = vec![0.0_f64; masses.len()];
        for VertexSpring { ends, .. } in &springs {
            for end in ends {
                rows[*end as usize] += 2.0 * definition.stiffness;
            }
        }
        let maximum = rows.iter().zip(&inverse).map(|(sum, inverse)| sum * inverse).fold(0.0, f64::max);
        let max_frequency = (maximum + inside.as_ref().map_or(0.0, |inside| inside.stiffness)).sqrt();
        Self {
            body: definition.body,
            masses,
            inverse,
            springs,
            stiffness: definition.stiffness,
            damping: definition.damping,
            inside,
            leaders: mesh.leaders(),
            max_frequency,
        }
    }

    /// The longest stable step, in seconds, from the stiffness.
    pub(super) fn longest_step(&self) -> f64 {
        STEP_FRACTION * 2.0 / self.max_frequency
    }

    /// The velocities at time 0: a common linear velocity, and a rotation about the centre of mass.
    pub(super) fn rigid_velocities(&self, positions: &[DVec3], linear: DVec3, angular: DVec3) -> Vec<DVec3> {
        let centre = centre(positions, &self.masses);
        positions.iter().map(|position| linear + angular.cross(*position - centre)).collect()
    }

    /// The accelerations of all vertices by springs and gravity.
    pub(super) fn accelerations(&self, positions: &[DVec3], gravity: DVec3) -> Vec<DVec3> {
        let mut found: Vec<DVec3> =
            self.masses.iter().map(|mass| if *mass > 0.0 { gravity } else { DVec3::ZERO }).collect();
        for spring in &self.springs {
            let [i, j] = spring.ends.map(|end| end as usize);
            let between = positions[j] - positions[i];
            let length = between.length();
            if length > MIN_LENGTH * spring.rest {
                let force = self.stiffness * (1.0 - spring.rest / length) * between;
                found[i] += self.inverse[i] * force;
                found[j] -= self.inverse[j] * force;
            }
        }
        if let Some(inside) = &self.inside {
            let mut volume_accelerations = vec![DVec3::ZERO; positions.len()];
            inside.add(&inside.fit(positions, &self.masses), positions, &mut volume_accelerations);
            for ((own, volume_accelerations), mass) in
                found.iter_mut().zip(volume_accelerations).zip(&self.masses)
            {
                *own += if *mass > 0.0 { volume_accelerations } else { DVec3::ZERO };
            }
        }
        found
    }

    /// Applies the damping of all springs in a time. Each dashpot acts by itself, so momenta are conserved and no
    /// energy is created, however stiff the springs are.
    pub(super) fn damp(&self, positions: &[DVec3], velocities: &mut [DVec3], time: f64) {
        if self.damping == 0.0 {
            return;
        }
        for spring in &self.springs {
            let [i, j] = spring.ends.map(|end| end as usize);
            let between = positions[j] - positions[i];
            let length = between.length();
            if length > MIN_LENGTH * spring.rest {
                let along = between / length;
                let both = self.inverse[i] + self.inverse[j];
                let speed = (velocities[j] - velocities[i]).dot(along);
                let factor = self.damping_factor((self.stiffness * both).sqrt(), time);
                let impulse = (1.0 - factor) * speed / both * along;
                velocities[i] += self.inverse[i] * impulse;
                velocities[j] -= self.inverse[j] * impulse;
            }
        }
        if let Some(inside) = &self.inside {
            self.damp_inside(positions, velocities, self.damping_factor(inside.stiffness.sqrt(), time));
        }
    }

    /// The factor by which damping reduces a speed in `time` seconds. `frequency`: the spring's in rad/s.
    fn damping_factor(&self, frequency: f64, time: f64) -> f64 {
        1.0 / (1.0 + 2.0 * self.damping * frequency * time)
    }

    /// Reduces by `factor` the difference of velocities from a rigid body with the same momenta.
    fn damp_inside(&self, positions: &[DVec3], velocities: &mut [DVec3], factor: f64) {
        let middle = centre(positions, &self.masses);
        let linear = centre(velocities, &self.masses);
        let mut spin = DVec3::ZERO;
        let mut inertia = glam::DMat3::ZERO;
        for ((position, velocity), mass) in positions.iter().zip(&*velocities).zip(&self.masses) {
            let arm = *position - middle;
            spin += *mass * arm.cross(*velocity - linear);
            let outer = glam::DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
            inertia += *mass * (glam::DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer);
        }
        let angular = inertia.inverse() * spin;
        if !angular.is_finite() {
            // All vertices are collinear, so the rotation is not defined.
            return;
        }
        for (position, velocity) in positions.iter().zip(velocities) {
            let rigid = linear + angular.cross(*position - middle);
            *velocity = rigid + factor * (*velocity - rigid);
        }
    }

    /// The work of forces, given as accelerations, along the mean of two velocities in a time, in joules.
    pub(super) fn work(&self, rates: &[DVec3], [before, after]: [&[DVec3]; 2], time: f64) -> f64 {
        let along = before.iter().zip(after).map(|(before, after)| 0.5 * (*before + *after));
        let all = self.masses.iter().zip(rates).zip(along);
        time * all.map(|((mass, rate), along)| mass * rate.dot(along)).sum::<f64>()
    }

    /// In joules.
    pub(super) fn kinetic(&self, velocities: &[DVec3]) -> f64 {
        0.5 * self.masses.iter().zip(velocities).map(|(mass, own)| mass * own.length_squared()).sum::<f64>()
    }

    /// The energy of gravity and springs, in joules.
    pub(super) fn potential(&self, positions: &[DVec3], gravity: DVec3) -> f64 {
        let weight =
            -self.masses.iter().zip(positions).map(|(mass, own)| mass * gravity.dot(*own)).sum::<f64>();
        let square = |spring: &VertexSpring| {
            let [p, q] = spring.ends.map(|end| positions[end as usize]);
            (p.distance(q) - spring.rest).powi(2)
        };
        let springs = 0.5 * self.stiffness * self.springs.iter().map(square).sum::<f64>();
        let inside = self.inside.as_ref();
        let inside = inside.map_or(0.0, |inside| {
            inside.energy(&inside.fit(positions, &self.masses), positions, &self.masses)
        });
        weight + springs + inside
    }

    /// Values by vertex, where coincident vertices take the value of their first one.
    pub(super) fn with_followers(&self, values: &[DVec3]) -> Vec<DVec3> {
        self.leaders.iter().map(|leader| values[*leader as usize]).collect()
    }
}

/// A third of the area around each vertex, or the minimum mass.
fn masses(mass: f64, mesh: &Mesh, rest: &[DVec3]) -> Vec<f64> {
    let mut areas = vec![0.0_f64; rest.len()];
    let used = mesh.used_vertices();
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| rest[v as usize]);
        let area = 0.5 * (b - a).cross(c - a).length();
        triangle.iter().for_each(|v| areas[*v as usize] += area / 3.0);
    }
    let minimum = MIN_MASS * areas.iter().sum::<f64>() / used.len() as f64;
    let own = |v: &u32| if minimum > 0.0 { areas[*v as usize].max(minimum) } else { 1.0 };
    let whole: f64 = used.iter().map(own).sum();
    let mut masses = vec![0.0; rest.len()];
    used.iter().for_each(|v| masses[*v as usize] = mass * own(v) / whole);
    masses
}

/// Springs along all edges, and across each edge of two triangles between the opposite vertices.
fn springs(mesh: &Mesh, rest: &[DVec3]) -> Vec<VertexSpring> {
    let mut known = BTreeSet::new();
    let mut springs = Vec::new();
    let mut join = |[v, w]: [u32; 2]| {
        let ends = [v.min(w), v.max(w)];
        if v != w && known.insert(ends) {
            springs.push(VertexSpring { ends, rest: rest[v as usize].distance(rest[w as usize]) });
        }
    };
    mesh.edges().iter().for_each(|edge| join(*edge));
    for (number, edge) in (0_u32..).zip(mesh.edges()) {
        let [f, g] = mesh.edge_faces(number);
        if f == NO_FACE || g == NO_FACE {
            continue;
        }
        let facing = |face: u32| mesh.triangles()[face as usize].into_iter().find(|v| !edge.contains(v));
        if let Some((v, w)) = facing(f).zip(facing(g)) {
            join([v, w]);
        }
    }
    springs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Primitive;

    fn cube() -> (FlexibleBodyData, Vec<DVec3>) {
        let mesh = Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh;
        let rest: Vec<DVec3> = (0..8).map(|v| mesh.vertex(v)).collect();
        let definition = FlexibleBody {
            body: 0,
            mass: 2.0,
            stiffness: 300.0,
            damping: 0.1,
            linear: DVec3::ZERO,
            angular: DVec3::ZERO,
        };
        (FlexibleBodyData::new(&definition, &mesh, &rest), rest)
    }

    fn bent(rest: &[DVec3]) -> Vec<DVec3> {
        rest.iter().map(|p| *p + 0.3 * DVec3::new(p.y * p.z, (3.0 * p.x).sin(), p.x * p.y)).collect()
    }

    #[test]
    fn forces_are_the_slope_of_the_energy_and_vanish_at_rest() {
        let (points, rest) = cube();
        assert!((points.masses.iter().sum::<f64>() - 2.0).abs() < 1e-12);
        let none = points.accelerations(&rest, DVec3::ZERO);
        assert!(none.iter().all(|a| a.length() < 1e-9), "{none:?}");
        let (positions, gravity) = (bent(&rest), -9.81 * DVec3::Z);
        let found = points.accelerations(&positions, gravity);
        for (i, acceleration) in found.iter().enumerate() {
            for axis in 0..3 {
                let (mut up, mut down) = (positions.clone(), positions.clone());
                (up[i][axis], down[i][axis]) = (up[i][axis] + 1e-5, down[i][axis] - 1e-5);
                let slope = (points.potential(&up, gravity) - points.potential(&down, gravity)) / 2e-5;
                let force = points.masses[i] * acceleration[axis];
                assert!((slope + force).abs() < 1e-5 * (1.0 + slope.abs()), "{i} {axis}: {slope} {force}");
            }
        }
    }

    #[test]
    fn damping_conserves_momenta_and_rigid_motions() {
        let (points, rest) = cube();
        let positions = bent(&rest);
        let spin = |velocities: &[DVec3]| -> DVec3 {
            positions.iter().zip(velocities).zip(&points.masses).map(|((p, v), m)| *m * p.cross(*v)).sum()
        };
        let momentum = |v: &[DVec3]| -> DVec3 { v.iter().zip(&points.masses).map(|(v, m)| *m * *v).sum() };
        let before: Vec<DVec3> = rest.iter().map(|p| DVec3::new(p.z, (5.0 * p.x).cos(), p.y)).collect();
        let mut after = before.clone();
        points.damp(&positions, &mut after, 0.01);
        assert!(points.kinetic(&after) < points.kinetic(&before));
        assert!(momentum(&before).distance(momentum(&after)) < 1e-12);
        assert!(spin(&before).distance(spin(&after)) < 1e-12);
        let rigid = points.rigid_velocities(&positions, DVec3::X, DVec3::new(1.0, 2.0, 3.0));
        let mut after = rigid.clone();
        points.damp(&positions, &mut after, 0.01);
        assert!(rigid.iter().zip(after).all(|(p, q)| p.distance(q) < 1e-12));
    }

    /// A dashpot leaves 1 / (1 + 2 damping w t) of the speed of its ends, w^2 = stiffness (1/m + 1/m).
    #[test]
    fn heavier_bodies_lose_less_speed() {
        for mass in [0.3, 3.0, 30.0] {
            let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
            let rest: Vec<DVec3> = (0..3).map(|v| mesh.vertex(v)).collect();
            let [linear, angular] = [DVec3::ZERO; 2];
            let definition = FlexibleBody { body: 0, mass, stiffness: 300.0, damping: 0.1, linear, angular };
            let mut points = FlexibleBodyData::new(&definition, &mesh, &rest);
            points.springs.truncate(1);
            let [i, j] = points.springs[0].ends.map(|end| end as usize);
            let along = (rest[j] - rest[i]).normalize();
            let mut velocities = vec![DVec3::ZERO; 3];
            velocities[i] = 2.0 * along;
            points.damp(&rest, &mut velocities, 0.01);
            let speed = (velocities[i] - velocities[j]).dot(along);
            let frequency = (300.0 * 2.0 / (mass / 3.0)).sqrt();
            let expected = 2.0 / (1.0 + 2.0 * 0.1 * frequency * 0.01);
            assert!((speed - expected).abs() < 1e-12, "{mass} kg: {speed}, not {expected}");
        }
    }

    #[test]
    fn the_longest_step_is_stable_for_the_fastest_mode() {
        let (points, rest) = cube();
        // The power method on the stiffness over the masses.
        let mut mode: Vec<DVec3> = (0..8).map(|i| DVec3::new(1.0, f64::from(i) - 3.0, 0.5)).collect();
        let mut value = 0.0;
        for _ in 0..500 {
            let moved: Vec<DVec3> = rest.iter().zip(&mode).map(|(p, m)| *p + 1e-7 * *m).collect();
            let next: Vec<DVec3> =
                points.accelerations(&moved, DVec3::ZERO).iter().map(|a| -*a / 1e-7).collect();
            value = next.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
            mode = next.into_iter().map(|v| v / value).collect();
        }
        let phase = value.sqrt() * points.longest_step();
        assert!(phase < 0.5 && phase > 0.1, "{value}");
    }
}
