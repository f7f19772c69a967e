//! Interior points of a body, about which bounding spheres protrude only a little.
//!
//! The smallest sphere that contains a patch of a surface protrudes from it by about half of the patch's size. A
//! sphere about an interior point with no surface nearer than `clear` protrudes by at most its radius minus
//! `clear`: on a tube, less than a tenth of that. A sphere about a point that is not inside still contains the
//! patch, but only a sphere whose centre a shell encloses is known to be [filled](BoundingSphere::inner).

use glam::DVec3;
use rayon::prelude::*;

use crate::math::distance::point_triangle;
use crate::motion::Pose;
use crate::pair::shape::{CollisionShape, ShapeBounds};
use crate::planning::shells::ClosedShells;
use crate::planning::spheres::{BoundingSphere, SphereTreeSource, ball_around, halves};
use crate::sets::volume::number_of;

/// A point that is probably inside the body.
#[derive(Debug, Clone, Copy, PartialEq)]
struct InteriorPoint {
    centre: DVec3,
    /// The surface is at least this far away, in metres.
    clear: f64,
    /// The shell that certainly encloses it.
    shell: Option<usize>,
}

impl InteriorPoint {
    /// A sphere about it.
    fn ball(&self, radius: f64, grown: f64) -> BoundingSphere {
        let ball = BoundingSphere::new(self.centre, radius + grown);
        self.shell.map_or(ball, |shell| ball.filled(self.clear - grown, shell))
    }
}

/// Interior points are searched below every `EVERY`th leaf, and for at most about `MOST` leaves.
const EVERY: usize = 4;
const MOST: usize = 512;

/// Spheres that protrude by no more than this fraction of the leaf radius are not divided.
const OUT: f64 = 0.15;

/// Approximate maximum number of spheres of a part.
const MOST_BALLS: usize = 1 << 15;

/// Points directly below a patch are tried only for spheres of at most this multiple of the leaf radius.
const SMALL: f64 = 6.0;

/// The depths tried below a leaf start at `FIRST` times its radius and grow by the factor `DEEPER`. The depths
/// tried directly below a small patch shrink by the factor `LESS_DEEP`.
const DEEPER: f64 = 1.6;
const FIRST: f64 = 0.25;
const LESS_DEEP: f64 = 2.5;

/// A point counts as below its patch while no surface is nearer than this fraction of its depth.
const STRAIGHT: f64 = 0.8;

/// A patch has one direction if its area-weighted normals sum to at least this fraction of its area.
const EVEN: f64 = 0.5;

/// A direction that few edges and faces have.
const ACROSS: DVec3 = DVec3::new(0.357_1, 0.592_7, 0.721_9);

/// A tree of spheres, the root first, that contains the surface of a shape at a pose in a frame: every point is in
/// a leaf and in all spheres above it. A solid, a cloud or a parametric surface has the root alone, which contains
/// its interior too.
pub(crate) fn balls(
    shape: &CollisionShape,
    pose: &Pose,
    (shells, fine): (&ClosedShells, f64),
) -> Vec<BoundingSphere> {
    if shape.is_set() {
        let ShapeBounds { centre, radius, beyond, .. } = shape.extent();
        return vec![BoundingSphere::new(pose.transform_point(centre), radius + beyond)];
    }
    let surface = SphereTreeSource::new(shape, pose, fine);
    let sense = surface.sense();
    let places = surface.interior_points(sense, shells);
    // From the root down as far as necessary: each patch, and the index of its sphere in `found`.
    let mut found = vec![surface.balls[0]];
    let mut level = vec![(surface.patch(0), 0)];
    while !level.is_empty() {
        let better = |(patch, _): &(SurfacePatch, usize)| {
            surface.minimum_protrusion(patch, &places, (sense, fine), shells)
        };
        let balls: Vec<(BoundingSphere, f64)> = level.par_iter().map(better).collect();
        let mut below = Vec::new();
        for ((patch, at), (ball, out)) in level.into_iter().zip(balls) {
            found[at] = BoundingSphere { first: 0, count: 0, ..ball };
            if out > OUT * fine && found.len() < MOST_BALLS {
                let parts = surface.divided(&patch, fine);
                let (first, count) = (number_of(found.len()), number_of(parts.len()));
                found[at] = BoundingSphere { first, count, ..ball };
                for part in parts {
                    found.push(part.ball);
                    below.push((part, found.len() - 1));
                }
            }
        }
        level = below;
    }
    found
}

/// A patch of a surface.
struct SurfacePatch {
    /// About the smallest sphere that contains it.
    ball: BoundingSphere,
    pieces: Vec<[DVec3; 3]>,
    /// The number of its sphere in the tree of small spheres; `None` for a part of a piece.
    number: Option<usize>,
}

impl SphereTreeSource {
    /// Interior points below leaves all over the surface.
    fn interior_points(&self, sense: f64, shells: &ClosedShells) -> Vec<InteriorPoint> {
        let leaves: Vec<usize> = (0..self.balls.len()).filter(|ball| self.balls[*ball].count == 0).collect();
        let every = leaves.len().div_ceil(MOST).max(EVERY);
        leaves
            .par_iter()
            .step_by(every)
            .flat_map_iter(|leaf| self.interior_point_below(*leaf, sense, shells))
            .collect()
    }

    /// The contents of a sphere in the tree of small spheres.
    fn patch(&self, number: usize) -> SurfacePatch {
        let pieces = self.contents(number).copied().collect();
        SurfacePatch { ball: self.balls[number], pieces, number: Some(number) }
    }

    /// The parts of a patch; empty if it is small enough.
    fn divided(&self, patch: &SurfacePatch, fine: f64) -> Vec<SurfacePatch> {
        let BoundingSphere { first, count, radius, .. } = patch.ball;
        match (patch.number, patch.pieces.as_slice()) {
            (Some(_), _) if count > 0 => {
                (first..first + count).map(|child| self.patch(child as usize)).collect()
            }
            (_, [piece]) if f64::from(radius) > fine + self.grown => {
                let part = |piece: [DVec3; 3]| SurfacePatch {
                    ball: ball_around(&[piece], self.grown),
                    pieces: vec![piece],
                    number: None,
                };
                halves(piece).map(part).into()
            }
            _ => Vec::new(),
        }
    }

    /// The sphere that contains a patch and protrudes least from the body, and how far it protrudes.
    fn minimum_protrusion(
        &self,
        patch: &SurfacePatch,
        places: &[InteriorPoint],
        (sense, fine): (f64, f64),
        shells: &ClosedShells,
    ) -> (BoundingSphere, f64) {
        let SurfacePatch { ball, pieces, .. } = patch;
        let (middle, smallest) = (ball.middle(), f64::from(ball.radius));
        // The smallest protrusion so far, without the deviation of the surface; the point and radius of its sphere.
        let mut best = (smallest - self.grown, None);
        // The point whose free sphere is nearest to the patch, and its distance.
        let mut near: Option<(&InteriorPoint, f64)> = None;
        for place in places {
            let InteriorPoint { centre, clear, .. } = *place;
            // A sphere about this point with the same contents protrudes at least this much.
            let protrusion = centre.distance(middle) - clear;
            if near.is_none_or(|(_, least)| protrusion < least) {
                near = Some((place, protrusion));
            }
            if protrusion < best.0
                && let Some(radius) = reach_within(centre, pieces, best.0 + clear)
            {
                best = (radius - clear, Some((*place, radius)));
            }
        }
        // Then points directly below the patch, about as deep as that point.
        let is_small = smallest <= SMALL * fine && best.0 > OUT * fine;
        let near = near.filter(|_| is_small).zip(inward(pieces, sense));
        if let Some(((InteriorPoint { clear, .. }, _), inward)) = near
            && let Some((_, above)) = self.nearest(middle, [0.0, smallest])
        {
            let mut depth = DEEPER * clear;
            while depth > FIRST * smallest {
                let centre = above + depth * inward;
                if let Some(radius) = reach_within(centre, pieces, best.0 + depth) {
                    let min_clear = (STRAIGHT * depth).max(radius - best.0);
                    let clear =
                        self.nearest(centre, [min_clear, depth]).map_or(depth, |(distance, _)| distance);
                    if clear > min_clear {
                        best = (radius - clear, Some((InteriorPoint { centre, clear, shell: None }, radius)));
                    }
                }
                depth /= LESS_DEEP;
            }
        }
        let (out, place) = best;
        let Some((mut place, radius)) = place else { return (*ball, out) };
        place.shell = place.shell.or_else(|| shells.enclosing(place.centre));
        (BoundingSphere { size: ball.size, ..place.ball(radius, self.grown) }, out)
    }

    /// 1 if the triangles are counter-clockwise seen from outside, -1 if clockwise.
    fn sense(&self) -> f64 {
        let from = self.pieces.first().map_or(DVec3::ZERO, |piece| piece[0]);
        let volume: f64 =
            self.pieces.iter().map(|[a, b, c]| (a - from).dot((b - from).cross(c - from))).sum();
        if volume < 0.0 { -1.0 } else { 1.0 }
    }

    /// The point below a leaf about which a sphere that contains the leaf protrudes least from the shell.
    fn interior_point_below(&self, leaf: usize, sense: f64, shells: &ClosedShells) -> Option<InteriorPoint> {
        let SurfacePatch { ball, pieces, .. } = self.patch(leaf);
        let inward = inward(&pieces, sense)?;
        let radius = f64::from(ball.radius);
        let most = f64::from(self.balls[0].radius);
        let (_, above) = self.nearest(ball.middle(), [0.0, radius])?;
        let (mut best, mut least) = (None, radius);
        let (mut depth, mut clear) = (FIRST * radius, 0.0);
        while depth <= most {
            let centre = above + depth * inward;
            let now = self.nearest(centre, [clear, depth]).map_or(depth, |(distance, _)| distance);
            let reach = reach(centre, &pieces);
            if reach - now < least {
                (best, least) = (Some((centre, now)), reach - now);
            }
            if now < STRAIGHT * depth || now <= clear {
                break;
            }
            clear = now;
            depth *= DEEPER;
        }
        let (centre, clear) = best.filter(|(centre, _)| self.is_inside(*centre, sense))?;
        // The distance so far may be approximate, because the search stopped early.
        let clear = self.nearest(centre, [0.0, clear]).map_or(clear, |(distance, _)| distance);
        Some(InteriorPoint { centre, clear, shell: shells.enclosing(centre) })
    }

    /// Distance of the surface from a point, and its nearest point; `None` if the surface is further than `within`.
    /// The search stops at the first distance below `enough`, which need not be the minimum.
    fn nearest(&self, from: DVec3, [enough, within]: [f64; 2]) -> Option<(f64, DVec3)> {
        let least =
            |ball: usize| self.balls[ball].middle().distance(from) - f64::from(self.balls[ball].radius);
        let mut best = None;
        let mut distance = within;
        let mut waiting = vec![(least(0), 0)];
        while let Some((bound, ball)) = waiting.pop() {
            if distance < enough {
                break;
            }
            if bound >= distance || self.least_distance(ball, from) >= distance {
                continue;
            }
            let BoundingSphere { first, count, .. } = self.balls[ball];
            if count == 0 {
                for piece in self.contents(ball) {
                    let closest = point_triangle(from, piece);
                    if closest.squared < distance * distance {
                        distance = closest.squared.sqrt();
                        best = Some((distance, closest.b));
                    }
                }
            }
            let start = waiting.len();
            waiting.extend((first..first + count).map(|child| (least(child as usize), child as usize)));
            waiting[start..].sort_unstable_by(|x, y| y.0.total_cmp(&x.0));
        }
        best
    }

    /// Whether rays from a point in two opposite directions both leave the body.
    fn is_inside(&self, from: DVec3, sense: f64) -> bool {
        let along = ACROSS.normalize();
        let mut exits = [0.0; 2];
        let mut waiting = vec![0];
        while let Some(ball) = waiting.pop() {
            let BoundingSphere { first, count, .. } = self.balls[ball];
            let radius = f64::from(self.balls[ball].radius);
            if (self.balls[ball].middle() - from).reject_from_normalized(along).length_squared()
                > radius * radius
            {
                continue;
            }
            if count == 0 {
                for [a, b, c] in self.contents(ball).map(|piece| piece.map(|corner| corner - from)) {
                    let normal = (b - a).cross(c - a);
                    let sides = [(a, b), (b, c), (c, a)].map(|(p, q)| p.cross(q).dot(along));
                    let passes = sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0);
                    if passes {
                        // The position along the line, up to a positive factor.
                        let leaves = normal.dot(along);
                        let at = a.dot(normal) * leaves;
                        let end = usize::from(at < 0.0);
                        exits[end] += sense * leaves.signum() * if end == 0 { 1.0 } else { -1.0 };
                    }
                }
            }
            waiting.extend((first..first + count).map(|child| child as usize));
        }
        exits.iter().all(|exits| *exits >= 1.0)
    }
}

/// The direction into the body behind the pieces; `None` if their normals differ too much.
fn inward(pieces: &[[DVec3; 3]], sense: f64) -> Option<DVec3> {
    let (mut normal, mut area) = (DVec3::ZERO, 0.0);
    for [a, b, c] in pieces {
        let face_normal = (b - a).cross(c - a);
        (normal, area) = (normal + face_normal, area + face_normal.length());
    }
    normal.try_normalize().filter(|_| normal.length() > EVEN * area).map(|normal| -sense * normal)
}

/// Maximum distance of the pieces from a point, `None` if not below `most`. The early out pays because most points
/// are too far from a large patch, and a few of its corners show that.
fn reach_within(from: DVec3, pieces: &[[DVec3; 3]], most: f64) -> Option<f64> {
    let is_beyond = |corner: &DVec3| corner.distance_squared(from) >= most * most;
    (most > 0.0 && !pieces.iter().flatten().any(is_beyond)).then(|| reach(from, pieces))
}

/// Maximum distance of the pieces from a point.
fn reach(from: DVec3, pieces: &[[DVec3; 3]]) -> f64 {
    pieces.iter().flatten().map(|corner| corner.distance_squared(from)).fold(0.0, f64::max).sqrt()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chasles_testing::Random;

    use super::*;
    use crate::body::PreparedMesh;
    use crate::shape::{Mesh, Primitive};

    /// A sphere, a box with large flat sides, and slivers with triangles degenerate to points or lines.
    fn shapes(random: &mut Random) -> Vec<CollisionShape> {
        let primitive = |primitive| CollisionShape::primitive(primitive).unwrap();
        let mut vertices: Vec<DVec3> = (0..60).map(|_| random.vector(0.3)).collect();
        for flat in 0..10 {
            vertices[3 * flat + 2] = vertices[3 * flat].lerp(vertices[3 * flat + 1], random.within(0.0, 1.0));
        }
        vertices[31] = vertices[30];
        let mesh = Mesh::new(vertices, (0..20).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect()).unwrap();
        vec![
            primitive(Primitive::Sphere { radius: 0.3 }),
            primitive(Primitive::Box { size: DVec3::new(0.5, 0.3, 0.02) }),
            CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh))),
        ]
    }

    #[test]
    fn the_nearest_point_is_nearest_among_all_pieces() {
        for seed in 0..30 {
            let random = &mut Random(seed);
            let far = [1.0, 10.0, 100.0, 1000.0][random.below(4)];
            let pose = Pose::new(random.vector(far), random.even_rotation()).unwrap();
            for shape in shapes(random) {
                let surface = SphereTreeSource::new(&shape, &pose, [0.1, 0.02][random.below(2)]);
                let [middle, radius] =
                    [surface.balls[0].middle(), DVec3::splat(surface.balls[0].radius.into())];
                for _ in 0..100 {
                    let from = middle + random.vector(1.5) * radius;
                    let distance = |piece| point_triangle(from, piece).squared;
                    let least = surface.pieces.iter().map(distance).fold(f64::INFINITY, f64::min).sqrt();
                    let (found, at) = surface.nearest(from, [0.0, f64::INFINITY]).unwrap();
                    assert_eq!(found, least, "seed {seed}: {from}");
                    assert!((at.distance(from) - found).abs() <= 1e-14 * (1.0 + far), "seed {seed}: {from}");
                    assert_eq!(surface.nearest(from, [0.0, (1.0 - 1e-12) * least]), None);
                }
            }
        }
    }
}
