//! The translation that separates two bodies that intersect at one time.
//!
//! Along a direction, the support points of two convex hulls give the translation that separates the hulls
//! (`min_width`). For convex bodies the shortest of these translations is the penetration depth. Other bodies may
//! separate earlier. So A is moved along some directions until its hull is separated from B's hull, and the result
//! is the first position on the path at which the surfaces do not intersect and neither body is inside the other.
//!
//! Solids, clouds and parametric surfaces have no triangles to take directions from, and only a box around their
//! hulls is known. They are moved along the axes of both bodies, and then along the line between the nearest points
//! after separation; for round shapes this comes close to the shortest translation. The translation is bisected
//! until the bodies are barely proven separated at its end.

use std::iter;

use glam::{DMat3, DQuat, DVec3};

use crate::instant::gap::GapLimits;
use crate::instant::penetration::{Width, min_width};
use crate::math::budget::Budget;
use crate::math::direction::unit_along;
use crate::mesh_screw::query::Options;
use crate::motion::track::TimedScrew;
use crate::motion::{Pose, Screw};
use crate::pair::shape::CollisionShape;
use crate::pair::{Pair, PairMemory};
use crate::scene::Scene;
use crate::scene::report::IntersectingPair;
use crate::sets::tree::cells::Interior;

/// A translation of the first body of a pair that separates it from the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penetration {
    /// In the world, in metres: after this translation the surfaces do not intersect, and neither body is inside the
    /// other.
    pub translation: DVec3,
    /// Its length, in metres, with all rounding. For convex bodies it is the minimum; for round bodies, the minimum to
    /// a thousandth. For a solid, a cloud or a parametric surface it suffices, but a shorter translation may exist.
    pub length: f64,
}

/// Maximum number of directions that are tried besides the direction of the hulls, and of pairs of triangles, for
/// each pair of bodies, that give these directions.
const DIRECTIONS: usize = 8;
const TRIANGLES: usize = 64;

/// Directions at an angle below the angle with this cosine count as one.
const SAME_DIRECTION: f64 = 0.99;

/// Budget, in steps, of all tries for a pair together.
const STEPS: u64 = 1_000_000;

/// Maximum number of axes that are tried for bodies without triangles, and of tries along the line between nearest
/// points.
const MOST_AXES: usize = 12;
const MAX_LINE_TRIES: usize = 6;

/// A translation is bisected until its length is known to this fraction.
const LENGTH_ACCURACY: f64 = 1e-4;

/// Relative precision of a gap: to decide whether there is a gap, and to find the nearest points. The direction
/// between the nearest points is taken after a translation that is longer by the fraction `EXTRA`, so that it is
/// not lost in rounding.
const ROUGH: f64 = 0.5;
const FINE: f64 = 1e-3;
const EXTRA: f64 = 0.01;

/// The hulls are moved this fraction of the translation beyond the position where they separate.
const MARGIN: f64 = 1e-6;

/// Bodies that move together, with their poses in the frame of the first body of the second group.
type RigidGroup<'s> = Vec<(&'s CollisionShape, Pose)>;

/// The translation that separates two groups of bodies, each of which moves together; `found`: the pairs that
/// intersect.
pub(crate) fn penetration_of(
    scene: &Scene,
    sides: [&[usize]; 2],
    found: &[IntersectingPair],
    time: f64,
) -> Option<Penetration> {
    let frame = *sides[1].first()?;
    let side = |bodies: &[usize]| -> RigidGroup<'_> {
        let placed = |body: &usize| {
            let pose = scene.relative([*body, frame]).pose_at(time, time);
            Some((scene.bodies()[*body].shape.as_ref()?, pose))
        };
        bodies.iter().filter_map(placed).collect()
    };
    let (a, b) = (side(sides[0]), side(sides[1]));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let rounding = |body: &usize| scene.relative([*body, frame]).rounding(time, time);
    let rounding: f64 = sides.into_iter().flatten().map(rounding).fold(0.0, f64::max);
    let hulls = min_width(|n| support(&a, n) - support(&b, -n));
    let mut best = Width { width: (hulls.width + rounding).max(0.0), ..hulls };
    let (memory, budget) = (PairMemory::default(), Budget::new(STEPS));
    let mut search = TranslationSearch { sides: [&a, &b], rounding, memory, budget };
    let frame_rotation = scene.pose_at(frame, time).rotation();
    let along = |direction: DVec3| {
        let width = direction.dot(support(&a, direction) - support(&b, -direction)) + rounding;
        Width { direction, width }
    };
    if search.has_sets() {
        let axes =
            a.iter().chain(&b).flat_map(|(_, pose)| DMat3::from_quat(pose.rotation()).to_cols_array_2d());
        let axes = distinct(axes.map(DVec3::from_array).flat_map(|axis| [axis, -axis]), MOST_AXES);
        best = search.shortest_separation(best, axes, &along);
    } else {
        for direction in directions(scene, found, frame_rotation.conjugate(), time) {
            let free = search.separation_after(along(direction)).map(|free| free + rounding);
            if let Some(free) = free.filter(|free| *free < best.width) {
                best = Width { direction, width: free };
            }
        }
    }
    let translation = frame_rotation * (-best.width * best.direction);
    // The rotation and the product each add one or two roundings.
    Some(Penetration { translation, length: best.width * (1.0 + 16.0 * f64::EPSILON) })
}

/// The normals, in both directions, of intersecting triangles, in the frame that `rotation` rotates the world into.
fn directions(scene: &Scene, found: &[IntersectingPair], rotation: DQuat, time: f64) -> Vec<DVec3> {
    let mut normals: Vec<DVec3> = Vec::new();
    for pair in found {
        let poses = pair.bodies.map(|body| scene.pose_at(body, time));
        for faces in pair.triangles.iter().take(TRIANGLES) {
            for side in [0, 1] {
                let Some(shape) = &scene.bodies()[pair.bodies[side]].shape else { continue };
                let [p, q, r] = shape.drawn().local_triangle(faces[side]);
                let normal = unit_along((q - p).cross(r - p));
                let normal = rotation * poses[side].transform_vector(normal);
                normals.extend([normal, -normal]);
            }
        }
    }
    distinct(normals.into_iter(), DIRECTIONS)
}

/// The first `most` distinct directions.
fn distinct(directions: impl Iterator<Item = DVec3>, most: usize) -> Vec<DVec3> {
    let mut found: Vec<DVec3> = Vec::new();
    for direction in directions {
        let known = found.iter().any(|other| other.dot(direction) > SAME_DIRECTION);
        if direction != DVec3::ZERO && !known && found.len() < most {
            found.push(direction);
        }
    }
    found
}

/// The support point of a group of shapes.
fn support(side: &RigidGroup<'_>, n: DVec3) -> DVec3 {
    let of = |(shape, pose): &(&CollisionShape, Pose)| {
        let along = pose.rotation().conjugate() * n;
        pose.transform_point(shape.support(along))
    };
    let points = side.iter().map(of);
    points.max_by(|p, q| p.dot(n).total_cmp(&q.dot(n))).unwrap_or(DVec3::ZERO)
}

/// Tries translations one after the other.
struct TranslationSearch<'s> {
    sides: [&'s RigidGroup<'s>; 2],
    /// Bound of the rounding of the poses, in metres.
    rounding: f64,
    memory: PairMemory,
    budget: Budget<'s>,
}

impl TranslationSearch<'_> {
    /// Whether either side has a solid, a cloud or a parametric surface.
    fn has_sets(&self) -> bool {
        self.sides.iter().any(|side| side.iter().any(|(shape, _)| shape.is_set()))
    }

    /// The shortest translation found along some directions, and then along the line between the nearest points at
    /// its end; `best`: a translation that separates the hulls.
    fn shortest_separation(
        &mut self,
        mut best: Width,
        axes: Vec<DVec3>,
        along: &dyn Fn(DVec3) -> Width,
    ) -> Width {
        // The whole interior of every closed shape counts.
        let filling = |(shape, _): &(&CollisionShape, Pose)| match shape.is_closed() {
            true => Interior::Solid,
            false => Interior::Hollow,
        };
        let fillings = self.sides.map(|side| side.iter().map(filling).collect::<Vec<_>>());
        let first = best.direction;
        for direction in iter::once(first).chain(axes) {
            self.shorten(&mut best, along(direction), &fillings);
        }
        for _ in 0..MAX_LINE_TRIES {
            let (before, beyond) = (best.width, best.width * (1.0 + EXTRA));
            let Some(nearest) = self.direction_after((best.direction, beyond), &fillings, FINE) else {
                break;
            };
            self.shorten(&mut best, along(-nearest), &fillings);
            if best.width > (1.0 - LENGTH_ACCURACY) * before {
                break;
            }
        }
        best
    }

    /// Replaces the best translation by the shortest part of `translation` after which both sides are proven separated,
    /// if that part is shorter.
    fn shorten(&mut self, best: &mut Width, translation: Width, fillings: &[Vec<Interior>; 2]) {
        let longest = (translation.width * (1.0 + MARGIN)).min(best.width);
        if longest <= 0.0 || self.direction_after((translation.direction, longest), fillings, ROUGH).is_none()
        {
            return;
        }
        let [mut intersecting, mut free] = [0.0, longest];
        while free - intersecting > LENGTH_ACCURACY * longest {
            let middle = 0.5 * (intersecting + free);
            match self.direction_after((translation.direction, middle), fillings, ROUGH) {
                Some(_) => free = middle,
                None => intersecting = middle,
            }
        }
        *best = Width { direction: translation.direction, width: free };
    }

    /// The direction from the second side to the first between their nearest points, after the first side was moved
    /// by `length` against `direction`. `None` if the sides are not proven free of intersection and containment.
    /// `accuracy`: the relative precision of distances.
    fn direction_after(
        &mut self,
        (direction, length): (DVec3, f64),
        fillings: &[Vec<Interior>; 2],
        accuracy: f64,
    ) -> Option<DVec3> {
        let [a, b] = self.sides;
        let mut nearest = (f64::INFINITY, DVec3::ZERO);
        for ((shape_a, pose_a), filling_a) in a.iter().zip(&fillings[0]) {
            let moved = Pose::new(pose_a.position() - length * direction, pose_a.rotation()).ok()?;
            for ((shape_b, pose_b), filling_b) in b.iter().zip(&fillings[1]) {
                let pose = pose_b.inverse().compose(&moved);
                let pair = Pair::with_interiors([shape_a, shape_b], [*filling_a, *filling_b]);
                let limits =
                    GapLimits { relative: accuracy, steps: self.budget.remaining(), ..GapLimits::EXACT };
                let found = pair.distance_at(&mut self.memory, &pose, &limits);
                self.budget.take(found.steps + 1).ok()?;
                if found.lower <= self.rounding || pair.is_within([true; 2], &pose) {
                    return None;
                }
                if found.upper < nearest.0 {
                    let [of_a, of_b] = found.points;
                    nearest = (found.upper, unit_along(pose_b.transform_vector(of_a - of_b)));
                }
            }
        }
        Some(nearest.1)
    }

    /// The distance, in metres, by which the first side must be moved against a direction until it is free; at the
    /// end of `translation` the hulls are separated. `None` if the budget ran out.
    fn separation_after(&mut self, translation: Width) -> Option<f64> {
        let length = translation.width * (1.0 + MARGIN);
        let [a, b] = self.sides;
        let mut intersecting: Vec<[f64; 2]> = Vec::new();
        let mut pairs = Vec::new();
        for (shape_a, pose_a) in a {
            for (shape_b, pose_b) in b {
                let back = pose_b.inverse();
                let displacement = back.transform_vector(-length * translation.direction);
                let screw = Screw::translation(back.compose(pose_a), displacement);
                let piece = TimedScrew { start: 0.0, end: 1.0, screw };
                let pair = Pair::new(shape_a, shape_b).rigid()?;
                let (memory, budget) = (&mut self.memory, &mut self.budget);
                let found = pair.contacts(memory, &piece, &Options::default(), budget).ok()?;
                if found.undecided.is_some() || self.budget.remaining() == 0 {
                    return None;
                }
                intersecting.extend(
                    found.intervals.iter().map(|span| [span.enter[0], span.exit.map_or(1.0, |exit| exit[1])]),
                );
                pairs.push((*shape_a, *shape_b, screw));
            }
        }
        // Containment changes only at contacts, so one sample between two contacts decides it.
        let is_inside = |fraction: f64| {
            pairs.iter().any(|(a, b, screw)| {
                let pose = screw.pose_at(fraction);
                b.contains(a, &pose) || a.contains(b, &pose.inverse())
            })
        };
        intersecting.sort_by(|x, y| x[0].total_cmp(&y[0]));
        let mut free = 0.0;
        for [from, to] in intersecting {
            if free < from && !is_inside(0.5 * (free + from)) {
                break;
            }
            free = to.max(free);
        }
        Some(free * length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition};
    use crate::shape::{Expression, Mesh, PartShape, Primitive, Solid, SolidPart};
    use std::sync::Arc;

    use crate::body::PreparedMesh;

    fn at(position: [f64; 3], angle: f64) -> Pose {
        let rotation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle);
        Pose::new(DVec3::from_array(position), rotation).unwrap()
    }

    fn scene(shapes: [(CollisionShape, Pose); 2]) -> Scene {
        let bodies = shapes.map(|(shape, pose)| SceneBody::new("body", Some(shape), BodyMotion::Still(pose)));
        Scene::new(SceneDefinition::new(1.0, bodies.to_vec())).unwrap()
    }

    fn cuboid(size: [f64; 3]) -> CollisionShape {
        CollisionShape::primitive(Primitive::Box { size: DVec3::from_array(size) }).unwrap()
    }

    /// The penetration of two intersecting bodies. Asserts that this translation separates them.
    #[track_caller]
    fn checked_penetration(shapes: [(CollisionShape, Pose); 2]) -> Penetration {
        let before = scene(shapes.clone());
        let [pair] = &before.static_intersections(0.0).unwrap()[..] else { panic!("they do not intersect") };
        let penetration = before.penetration(pair, 0.0).unwrap();
        assert!((penetration.translation.length() - penetration.length).abs() <= 1e-12 * penetration.length);
        let [(a, pose), b] = shapes;
        let moved = |fraction: f64| {
            let position = pose.position() + fraction * penetration.translation;
            scene([(a.clone(), Pose::new(position, pose.rotation()).unwrap()), b.clone()])
        };
        let separated = moved(1.0 + 1e-9);
        let gap = separated.distances([0, 1], &[0.0]).unwrap().unwrap()[0];
        assert!(
            gap.upper > 0.0 && separated.static_intersections(0.0).unwrap().is_empty(),
            "{penetration:?} {gap:?}"
        );
        penetration
    }

    #[test]
    fn boxes_are_separated_by_the_shortest_translation() {
        let table = cuboid([4.0, 4.0, 1.0]);
        let found = checked_penetration([
            (cuboid([1.0, 1.0, 1.0]), at([0.3, 0.2, 0.98], 0.0)),
            (table, at([0.0; 3], 0.0)),
        ]);
        assert!(found.translation.distance(DVec3::new(0.0, 0.0, 0.02)) < 1e-9, "{found:?}");
        // The same, rotated with the whole world.
        let world = at([5.0, -3.0, 2.0], 1.1);
        let in_world = |pose: Pose| world.compose(&pose);
        let shapes = [
            (cuboid([1.0, 1.0, 1.0]), in_world(at([0.3, 0.2, 0.98], 0.0))),
            (cuboid([4.0, 4.0, 1.0]), in_world(at([0.0; 3], 0.0))),
        ];
        let found = checked_penetration(shapes);
        assert!(found.translation.distance(world.transform_vector(DVec3::new(0.0, 0.0, 0.02))) < 1e-9);
    }

    #[test]
    fn round_bodies_are_separated_by_their_true_surfaces() {
        let ball = || CollisionShape::primitive(Primitive::Sphere { radius: 0.5 }).unwrap();
        let found = checked_penetration([(ball(), at([0.3, 0.4, 0.0], 0.4)), (ball(), at([0.0; 3], 0.0))]);
        assert!((0.5 - 1e-12..0.501).contains(&found.length), "{found:?}");
        let found = checked_penetration([
            (ball(), at([0.0, 0.1, 0.93], 0.0)),
            (cuboid([4.0, 4.0, 1.0]), at([0.0; 3], 0.0)),
        ]);
        assert!((0.07 - 1e-12..0.0701).contains(&found.length), "{found:?}");
    }

    #[test]
    fn a_body_leaves_a_nonconvex_body_by_a_short_translation() {
        // A trough along y, 2 m wide inside, with walls 3 m high; a block intrudes 0.05 m into one of the walls.
        let walls = [[-1.5, 1.0], [1.5, 1.0]];
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for part in [[walls[0], [0.0, 3.0]], [walls[1], [0.0, 3.0]], [[0.0, 2.0], [0.0, 1.0]]] {
            let [[x, width], [z, height]] = part;
            let made = Primitive::Box { size: DVec3::new(width, 10.0, height) }.tessellate().unwrap().mesh;
            let first = u32::try_from(vertices.len()).unwrap();
            let up = DVec3::new(x, 0.0, z + 0.5 * height);
            vertices.extend((0..8).map(|v| made.vertex(v) + up));
            triangles.extend(made.triangles().iter().map(|t| t.map(|v| v + first)));
        }
        let trough =
            CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(vertices, triangles).unwrap())));
        let block = cuboid([0.4, 0.4, 0.4]);
        let found = checked_penetration([(block, at([0.85, 0.3, 1.7], 0.0)), (trough, at([0.0; 3], 0.0))]);
        assert!(found.translation.distance(DVec3::new(-0.05, 0.0, 0.0)) < 1e-6, "{found:?}");
    }

    fn formula(text: &str, half: [f64; 3]) -> CollisionShape {
        let half = DVec3::from_array(half);
        let formula = Expression::parse(text, &["x", "y", "z"]).unwrap();
        let shape = PartShape::Formula { formula, bounds: [-half, half] };
        let solid = Solid::new(vec![SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 }]).unwrap();
        CollisionShape::solid(Arc::new(solid)).unwrap()
    }

    /// A ball given by a formula, in much larger bounds, leaves by the same translation as the true ball, in every
    /// position.
    #[test]
    fn a_solid_is_separated_by_a_short_translation_despite_loose_bounds() {
        let ball = || formula("x^2 + y^2 + z^2 - 0.25", [3.0; 3]);
        let table = || (cuboid([4.0, 4.0, 1.0]), at([0.0; 3], 0.0));
        let found = checked_penetration([(ball(), at([0.0, 0.1, 0.93], 0.4)), table()]);
        assert!((0.07 - 1e-12..0.0702).contains(&found.length), "{found:?}");
        let found = checked_penetration([(ball(), at([0.3, 0.4, 0.2], 0.4)), (ball(), at([0.0; 3], 1.0))]);
        let depth = 1.0 - 0.29_f64.sqrt();
        assert!((depth - 1e-9..1.02 * depth).contains(&found.length), "{found:?} {depth}");
    }

    #[test]
    fn a_body_moved_out_of_a_shell_does_not_stay_inside_it() {
        // The small cube intersects the wall of the hollow large cube. The translation inward is shorter, but leaves
        // the small cube inside.
        let found = checked_penetration([
            (cuboid([0.2; 3]), at([0.48, 0.03, 0.01], 0.0)),
            (cuboid([1.0; 3]), at([0.0; 3], 0.0)),
        ]);
        assert!((found.length - 0.12).abs() < 1e-9 && found.translation.x > 0.0, "{found:?}");
    }
}
