//! Motions of pairs from their definitions, and shapes, for points on curved paths. They share no arithmetic with the
//! engine.

use chasles::math::budget::{Budget, OutOfBudget};
use chasles::papers::points_on_curves::{Motions, PathBox, PointTarget, SurfacePoint};
use chasles::{LevelSet, Mesh, Pose, Screw};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

/// A screw from its definition: a rotation about a point of the axis, by the formula of Rodrigues.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain {
    pub(crate) position: DVec3,
    pub(crate) rotation: DQuat,
    pub(crate) direction: DVec3,
    pub(crate) on_axis: DVec3,
    pub(crate) slide: f64,
    pub(crate) angle: f64,
}

impl Plain {
    pub(crate) fn drawn(random: &mut Random, reach: f64, most: f64) -> Self {
        Self {
            position: random.vector(reach),
            rotation: if random.one_in(4) { DQuat::IDENTITY } else { random.rotation() },
            direction: random.direction(),
            on_axis: random.vector(reach),
            slide: if random.one_in(4) { 0.0 } else { random.within(-1.5, 1.5) },
            angle: if random.one_in(6) { 0.0 } else { random.within(-most, most) },
        }
    }

    pub(crate) fn still(position: DVec3) -> Self {
        let (direction, rotation) = (DVec3::Z, DQuat::IDENTITY);
        Self { position, rotation, direction, on_axis: DVec3::ZERO, slide: 0.0, angle: 0.0 }
    }

    pub(crate) fn screw(&self) -> Screw {
        let start = Pose::new(self.position, self.rotation).unwrap();
        Screw::about(start, self.direction, self.on_axis, self.slide, self.angle).unwrap()
    }

    /// The position at time t of a point that is at x at t = 0; a negative time inverts the motion.
    pub(crate) fn carry(&self, x: DVec3, t: f64) -> DVec3 {
        let (sin, cos) = (self.angle * t).sin_cos();
        let (k, arm) = (self.direction, x - self.on_axis);
        let turned = arm * cos + k.cross(arm) * sin + k * (k.dot(arm) * (1.0 - cos));
        self.on_axis + turned + t * self.slide * k
    }

    pub(crate) fn point_at(&self, point: DVec3, t: f64) -> DVec3 {
        self.carry(self.rotation * point + self.position, t)
    }

    pub(crate) fn seen_from_it(&self, x: DVec3, t: f64) -> DVec3 {
        self.rotation.conjugate() * (self.carry(x, -t) - self.position)
    }

    /// An upper bound of the speed of points within `reach` of the origin.
    pub(crate) fn speed(&self, reach: f64) -> f64 {
        self.slide.abs() + self.angle.abs() * (reach + self.on_axis.length())
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) a: Plain,
    pub(crate) b: Plain,
    pub(crate) point: DVec3,
}

impl Case {
    /// A case with rotations by up to one of these angles.
    pub(crate) fn drawn(random: &mut Random, most: &[f64]) -> Self {
        let most = most[random.below(most.len())];
        let a = Plain::drawn(random, 1.5, most);
        let b = if random.one_in(3) { Plain::still(DVec3::ZERO) } else { Plain::drawn(random, 0.5, most) };
        Self { a, b, point: random.vector(0.8) }
    }

    pub(crate) fn motions(&self) -> Motions {
        Motions { a: self.a.screw(), b: self.b.screw() }
    }

    pub(crate) fn at(&self, t: f64) -> DVec3 {
        self.b.seen_from_it(self.a.point_at(self.point, t), t)
    }

    /// An upper bound of the speed in B's frame: all points of A stay within 8 metres of the origin.
    pub(crate) fn speed(&self) -> f64 {
        self.a.speed(8.0) + self.b.speed(8.0)
    }
}

/// A level set that samples a function, from -size to size, with steps of `spacing`.
pub(crate) fn level_set(size: f64, steps: [usize; 3], f: impl Fn(DVec3) -> f64) -> LevelSet {
    let spacing = DVec3::from_array(steps.map(|count| 2.0 * size / count as f64));
    let mut samples = Vec::new();
    for i in 0..=steps[0] {
        for j in 0..=steps[1] {
            for k in 0..=steps[2] {
                samples.push(f(DVec3::splat(-size) + spacing * DVec3::new(i as f64, j as f64, k as f64)));
            }
        }
    }
    LevelSet::new(samples, steps.map(|count| count + 1), spacing, DVec3::splat(-size)).unwrap()
}

/// A rectangle of two triangles about the origin, perpendicular to an axis.
pub(crate) fn wall(size: f64) -> Mesh {
    let corners = [(-size, -size), (size, -size), (size, size), (-size, size)];
    Mesh::new(corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

/// A cloud of points of a body, for the tests below.
pub(crate) fn cloud(count: usize, seed: u64) -> Vec<DVec3> {
    let random = &mut Random(seed);
    (0..count).map(|_| random.vector(0.5)).collect()
}

/// The position of a point relative to a triangle.
pub(crate) struct Beside {
    pub(crate) distance: f64,
    /// Height above its plane.
    pub(crate) above: f64,
    /// Distance of the foot on the plane inside the sides; negative outside.
    pub(crate) inside: f64,
}

pub(crate) fn beside(x: DVec3, [a, b, c]: [DVec3; 3]) -> Beside {
    let n = (b - a).cross(c - a).normalize();
    let above = n.dot(x - a);
    let foot = x - above * n;
    let inside = [[a, b], [b, c], [c, a]].map(|[p, q]| n.cross(q - p).normalize().dot(foot - p));
    let inside = inside.into_iter().fold(f64::INFINITY, f64::min);
    let side = |[p, q]: [DVec3; 2]| {
        let t = ((x - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        x.distance(p + t * (q - p))
    };
    let sides = [[a, b], [b, c], [c, a]].map(side).into_iter().fold(f64::INFINITY, f64::min);
    Beside { distance: if inside >= 0.0 { above.abs() } else { sides }, above, inside }
}

/// Reports an intersection for every box until the box is small, and records the small boxes.
pub(crate) struct Recorder {
    pub(crate) small: f64,
    pub(crate) boxes: Vec<PathBox>,
}

impl PointTarget for Recorder {
    fn misses(&mut self, region: &PathBox, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget> {
        budget.step()?;
        let is_small = region.radius() < self.small;
        if is_small {
            self.boxes.push(*region);
        }
        Ok(is_small)
    }

    fn near(&mut self, _: DVec3, _: f64, _: &mut Budget<'_>) -> Result<Option<SurfacePoint>, OutOfBudget> {
        Ok(None)
    }
}

/// A ball that knows its distance, but not whether it misses a nearby box.
pub(crate) struct DoubtfulBall;

impl PointTarget for DoubtfulBall {
    fn misses(&mut self, region: &PathBox, budget: &mut Budget<'_>) -> Result<bool, OutOfBudget> {
        budget.step()?;
        Ok(region.centre.length() - 0.7 > 5.0 * region.radius())
    }

    fn near(
        &mut self,
        place: DVec3,
        within: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Option<SurfacePoint>, OutOfBudget> {
        budget.step()?;
        let (gap, normal) = (place.length() - 0.7, place.normalize());
        Ok((gap <= within).then(|| SurfacePoint { point: place - gap.max(0.0) * normal, normal }))
    }
}
