//! Places at which spheres, cylinders, cones and capsules nearly touch meshes and each other.
//!
//! The nearest points are one place. A flat end, or a side along a face, rests on more places: the support points
//! in directions around the normal, the vertices of the mesh, and the ends of the near parts of its edges.

use glam::DVec3;

use crate::body::{PreparedMesh, PreparedPair};
use crate::instant::gap::GapSearch;
use crate::math::budget::{Budget, OutOfBudget};
use crate::math::distance::point_triangle;
use crate::round::convex::nearest;
use crate::round::gjk::ConvexShape;
use crate::round::support::{Placed, RoundShape};
use crate::shape::Mesh;
use crate::touch::place::{Reach, TouchPlace, TouchQuery, thinned};
use crate::touch::posed_mesh::{OrientedMesh, Winding};

/// Number of directions around a normal, and the tangent of their angle to it.
const AROUND: u32 = 8;
const TILT: f64 = 0.02;

/// A flat end faces a direction if the sine of the angle between its axis and the direction is at most this.
const ON_SIDE: f64 = 0.1;

/// Maximum cosine between a face and the direction to a body for the body to be nearest at the face's border: of a
/// rim or a straight side, whose near points have a spread, and of a sphere or capsule, which has one nearest point.
const BORDER_COSINE: f64 = 0.05;
const SPHERE_BORDER_COSINE: f64 = 1e-6;

/// The length of a step from a border towards a body, as a fraction of the mesh's radius.
const AHEAD: f64 = 1e-4;

/// Two directions of a surface are one if their cosine is at least this.
const SMOOTH: f64 = 1.0 - 1e-6;

/// Shapes that penetrate are shrunk at most by this fraction of the smaller inradius, this number of times, and each
/// time by half of the penetration depth times a factor.
const MAX_SHRINK: f64 = 0.9;
const SHRINKS: usize = 4;
const SHRINK_MARGIN: f64 = 1.1;

/// Number of bisections of an edge.
const BISECTIONS: usize = 40;

/// A rounded primitive, and a mesh of it.
#[derive(Clone, Copy)]
pub(crate) struct TessellatedRound<'a> {
    pub(crate) placed: &'a Placed,
    pub(crate) body: &'a PreparedMesh,
    /// Maximum distance of the mesh from the primitive, in metres.
    pub(crate) deviation: f64,
}

/// A rounded primitive A in B's frame, and a mesh B. The tessellation of the primitive finds the near faces.
pub(crate) fn round_mesh(
    search: &mut GapSearch,
    primitive: TessellatedRound<'_>,
    OrientedMesh { body, winding }: OrientedMesh<'_>,
    TouchQuery { pose, reach }: TouchQuery<'_>,
    budget: &mut Budget<'_>,
) -> Result<Vec<TouchPlace>, OutOfBudget> {
    let placed = primitive.placed;
    let distance = reach.gap.max(reach.allowed_depth()) + primitive.deviation;
    let faces = search.near_faces(PreparedPair::new(primitive.body, body), pose, distance, budget)?;
    let mut near: Vec<u32> = faces.into_iter().map(|[_, face]| face).collect();
    near.sort_unstable();
    near.dedup();
    let mesh = body.mesh();
    let mut found: Vec<TouchPlace> = Vec::new();
    let mut add = |on_a: DVec3, on_b: DVec3, normal: DVec3, key: u64| {
        let gap = (on_b - on_a).dot(normal);
        let is_near = (-reach.allowed_depth()..=reach.gap).contains(&gap) && normal.is_finite();
        let same = |other: &TouchPlace| {
            other.normal.dot(normal) > 0.999
                && other.points[1].distance(on_b) <= 1e-3 * placed.round.inradius()
        };
        if is_near && !found.iter().any(same) {
            found.push(TouchPlace { points: [on_a, on_b], normal, gap, key });
        }
    };
    for face in near {
        budget.step()?;
        let triangle = mesh.triangles()[face as usize].map(|v| mesh.vertex(v));
        let sign = if winding == Winding::Inward { -1.0 } else { 1.0 };
        let outward = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]).normalize_or_zero() * sign;
        if outward == DVec3::ZERO {
            continue;
        }
        let number = u64::from(face) << 8;
        // The interior of the face: the support points of the shape towards it.
        let below = if winding == Winding::Open && (placed.centre - triangle[0]).dot(outward) < 0.0 {
            outward
        } else {
            -outward
        };
        for (i, point) in (0..).zip(support_points(placed, below)) {
            let closest = point_triangle(point, &triangle);
            if closest.interior || (point - closest.b).cross(outward).length() <= 1e-9 * placed.round.radius()
            {
                add(point, closest.b, below, number | i);
            }
        }
        // Its edges and vertices, if the shape is nearest to them.
        if matches!(placed.round, RoundShape::Sphere { .. } | RoundShape::Capsule { .. }) {
            let between = nearest(placed, &ConvexShape::Triangle(triangle));
            let q = between.points[1];
            let (distance, normal) = placed.signed_distance(q);
            let is_border = normal.dot(below) < 1.0 - 1e-9;
            if is_border && is_nearest(mesh, face, q, -normal, SPHERE_BORDER_COSINE) {
                add(q - distance * normal, q, normal, number | 16);
            }
        } else {
            for corner in 0..3 {
                let ends = [triangle[corner], triangle[(corner + 1) % 3]];
                for (side, EdgePlace { point, distance, normal }) in
                    (0..).zip(near_ends(placed, ends, reach.gap))
                {
                    if is_nearest(mesh, face, point, -normal, BORDER_COSINE) {
                        let key = number | 32 | (corner as u64) << 2 | side;
                        add(point - distance * normal, point, normal, key);
                    }
                }
            }
        }
    }
    Ok(thinned(found))
}

/// Whether no face at a point of a triangle's border leads towards a convex body in a given direction: the cosine
/// between both is at most `max_cosine`.
fn is_nearest(mesh: &Mesh, face: u32, point: DVec3, from: DVec3, max_cosine: f64) -> bool {
    let scale = 1e-9 * mesh.radius();
    let step = AHEAD * mesh.radius();
    let corners = mesh.triangles()[face as usize];
    corners.iter().flat_map(|v| mesh.around().faces_at_vertex(*v)).all(|other| {
        let triangle = mesh.triangles()[*other as usize].map(|v| mesh.vertex(v));
        point_triangle(point, &triangle).squared > scale * scale
            || point_triangle(point + step * from, &triangle).b.distance(point) <= max_cosine * step
    })
}

/// A point of an edge near a primitive.
struct EdgePlace {
    point: DVec3,
    /// The signed distance from the primitive along the normal, in metres.
    distance: f64,
    /// Away from the primitive.
    normal: DVec3,
}

/// The point of a segment nearest to a convex shape, and the ends of the part within a distance.
fn near_ends(placed: &Placed, [p, q]: [DVec3; 2], distance: f64) -> Vec<EdgePlace> {
    let at = |s: f64| p + s * (q - p);
    let value = |s: f64| placed.signed_distance(at(s)).0;
    // The distance is convex along the segment. The sign of its slope gives the minimum more precisely than its values.
    let rises = |s: f64| placed.signed_distance(at(s)).1.dot(q - p) > 0.0;
    let (mut low, mut high) = match [rises(0.0), rises(1.0)] {
        [true, _] => (0.0, 0.0),
        [false, true] => (0.0, 1.0),
        [false, false] => (1.0, 1.0),
    };
    let bisections = if low < high { BISECTIONS } else { 0 };
    for _ in 0..bisections {
        let middle = 0.5 * (low + high);
        if rises(middle) { high = middle } else { low = middle }
    }
    let nearest = 0.5 * (low + high);
    if value(nearest) > distance {
        return Vec::new();
    }
    let end = |outer: f64| {
        if value(outer) <= distance {
            return outer;
        }
        let (mut inside, mut outside) = (nearest, outer);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (inside + outside);
            if value(middle) <= distance { inside = middle } else { outside = middle }
        }
        inside
    };
    let (first, last) = (end(0.0), end(1.0));
    let place = |s: f64| {
        let (distance, normal) = placed.signed_distance(at(s));
        EdgePlace { point: at(s), distance, normal }
    };
    let mut found = vec![across_rim(placed, [at(low), at(high)], q - p).unwrap_or_else(|| place(nearest))];
    if last - first >= 1e-6 {
        found.extend([place(first), place(last)]);
    }
    found
}

/// The place at which an edge with a direction dips below a rim, between two points near each other on both sides of
/// its deepest point: the normal is across the edge and the rim. `None` if the surface is smooth there.
fn across_rim(placed: &Placed, [p, q]: [DVec3; 2], edge: DVec3) -> Option<EdgePlace> {
    let (distance, before) = placed.signed_distance(p);
    let (_, after) = placed.signed_distance(q);
    let (falls, rises) = (-before.dot(edge), after.dot(edge));
    if before.dot(after) > SMOOTH || falls <= 0.0 || rises <= 0.0 {
        return None;
    }
    let gradient = (rises * before + falls * after) / (falls + rises);
    let length = gradient.length();
    Some(EdgePlace { point: 0.5 * (p + q), distance: distance / length, normal: gradient / length })
}

/// The nearest points of two rounded primitives and the direction from A to B, also if they penetrate.
fn nearest_ahead(a: &Placed, b: &Placed, reach: &Reach) -> Option<([DVec3; 2], DVec3)> {
    let between = nearest(a, &ConvexShape::Round(*b));
    let [p, q] = between.points;
    let is_round =
        |placed: &Placed| matches!(placed.round, RoundShape::Sphere { .. } | RoundShape::Capsule { .. });
    let is_separated = between.lower > 0.0 && p.distance(q) > 1e-9 * reach.allowed_depth();
    if (is_round(a) || is_round(b) || is_separated) && between.normal != DVec3::ZERO {
        return Some((between.points, between.normal));
    }
    nearest_shrunk(a, b, reach)
}

/// The nearest points of two shapes that touch or penetrate. Both shapes are shrunk until they are separated; the
/// nearest points of the smaller shapes then move along the normal to the support planes of the full shapes.
fn nearest_shrunk(a: &Placed, b: &Placed, reach: &Reach) -> Option<([DVec3; 2], DVec3)> {
    let most = MAX_SHRINK * a.round.inradius().min(b.round.inradius());
    let mut shrink = (0.5 * reach.allowed_depth()).min(most);
    let mut best: Option<([DVec3; 2], DVec3)> = None;
    for _ in 0..SHRINKS {
        let found = nearest(&a.shrunk(shrink), &ConvexShape::Round(b.shrunk(shrink)));
        let normal = found.normal;
        if found.lower > 0.0 && normal != DVec3::ZERO {
            let middle = 0.5 * (found.points[0] + found.points[1]);
            let to = |plane: f64| middle + (plane - normal.dot(middle)) * normal;
            best = Some(([to(a.reach(normal)), to(ConvexShape::Round(*b).minimum(normal))], normal));
        }
        // With less shrinking, the normal is nearer to the normal of the full shapes.
        shrink = match best {
            Some(([p, q], normal)) => (SHRINK_MARGIN * 0.5 * (p - q).dot(normal)).max(0.1 * shrink),
            None if shrink < most => most,
            None => break,
        };
    }
    best
}

/// Two rounded primitives, in B's frame.
pub(crate) fn round_round(a: &Placed, b: &Placed, reach: &Reach) -> Vec<TouchPlace> {
    let mut found = Vec::new();
    let Some(([p, q], normal)) = nearest_ahead(a, b, reach) else { return found };
    let mut add = |on_a: DVec3, on_b: DVec3, normal: DVec3, key: u64| {
        let gap = (on_b - on_a).dot(normal);
        if (-reach.allowed_depth()..=reach.gap).contains(&gap) {
            found.push(TouchPlace { points: [on_a, on_b], normal, gap, key });
        }
    };
    if let (RoundShape::Sphere { radius: r }, RoundShape::Sphere { radius: s }) = (a.round, b.round) {
        let normal = (b.centre - a.centre).normalize_or(DVec3::Z);
        add(a.centre + r * normal, b.centre - s * normal, normal, 0);
        return found;
    }
    add(p, q, normal, 0);
    let is_flat = |round: RoundShape| !matches!(round, RoundShape::Sphere { .. });
    if is_flat(a.round) {
        for (i, point) in (1..).zip(support_points(a, normal)) {
            let (distance, gradient) = b.signed_distance(point);
            if gradient.dot(-normal) > 0.99 {
                add(point, point - distance * gradient, -gradient, i);
            }
        }
    }
    if is_flat(b.round) {
        for (i, point) in (100..).zip(support_points(b, -normal)) {
            let (distance, gradient) = a.signed_distance(point);
            if gradient.dot(normal) > 0.99 {
                add(point - distance * gradient, point, gradient, i);
            }
        }
    }
    thinned(found)
}

/// The support point along a normal, and other points on which a shape may rest.
fn support_points(placed: &Placed, normal: DVec3) -> Vec<DVec3> {
    if let RoundShape::Capsule { radius, height } = placed.round {
        // Those of the balls at both ends.
        return [-0.5, 0.5].map(|end| placed.centre + end * height * placed.axis + radius * normal).to_vec();
    }
    directions(placed, normal).into_iter().map(|direction| placed.support(direction)).collect()
}

/// A direction, and others around it, along which a shape may have other support points.
fn directions(placed: &Placed, normal: DVec3) -> Vec<DVec3> {
    if matches!(placed.round, RoundShape::Sphere { .. }) {
        return vec![normal];
    }
    let across = normal.cross(placed.axis);
    if across.length() > ON_SIDE {
        // It rests on its side or its rim and can roll, so points beside the nearest points are not contacts.
        let along = TILT * normal.cross(across.normalize());
        return vec![normal, (normal + along).normalize(), (normal - along).normalize()];
    }
    let (s, t) = normal.any_orthonormal_pair();
    let tilted = |i: u32| {
        let angle = f64::from(i) * std::f64::consts::TAU / f64::from(AROUND);
        (normal + TILT * (angle.cos() * s + angle.sin() * t)).normalize()
    };
    std::iter::once(normal).chain((0..AROUND).map(tilted)).collect()
}
