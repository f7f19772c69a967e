//! The shortest translation that separates two intersecting convex shapes.
//!
//! A and B intersect if their Minkowski difference K = A - B contains the origin. Moving A by -w n, n a unit
//! vector, separates them if w is at least the width
//!
//! ```text
//! w(n) = max n.k over K = max n.a over A - min n.b over B,
//! ```
//!
//! so every direction gives a separating translation, and the minimum width is the penetration depth. It belongs to
//! the face of K nearest to the origin. A polytope inside K is grown towards that face: it is extended by the
//! support point of K along n, the normal of its own nearest face. If that point is no further than the face's
//! distance d, the face is a face of K. (The expanding polytope algorithm of van den Bergen 2001; here it need not
//! contain the origin at first.)

use glam::DVec3;

use crate::math::direction::unit_along;

/// A direction, and the distance along it by which A is to be moved back.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Width {
    /// A unit vector.
    pub(crate) direction: DVec3,
    /// The width of the difference along it, in metres; not positive if the direction separates the two.
    pub(crate) width: f64,
}

/// Maximum number of times that a polytope is grown. Meshes of a few hundred corners take about 10 steps; smooth
/// bodies take all, and then the width is known to about a thousandth.
const MAX_GROWTHS: usize = 256;

/// Accuracy of the width at which growing ends, as a fraction of the size of K.
const ACCURACY: f64 = 1e-12;

/// Number of faces per point at which growing ends. A closed surface has fewer than 2. Rounding can tear the
/// surface of a needle: the minimum width may still be found, but the number of faces can double with each point.
const MAX_FACES_PER_POINT: usize = 4;

/// A seed flatter than this fraction of the size has no volume.
const FLAT: f64 = 1e-10;

/// The minimum width found of a convex set, given by its support function `furthest`. The width always belongs to its
/// direction, whether or not it is the minimum.
pub(crate) fn min_width(furthest: impl Fn(DVec3) -> DVec3) -> Width {
    let width_of = |direction: DVec3| Width { direction, width: direction.dot(furthest(direction)) };
    let (mut points, mut best) = match tetrahedron(&furthest) {
        Seed::Corners(points) => (points.to_vec(), width_of(DVec3::Z)),
        Seed::Flat(normal) => {
            let (over, under) = (width_of(normal), width_of(-normal));
            return if under.width < over.width { under } else { over };
        }
    };
    let size = points.iter().map(|p| p.length()).fold(0.0, f64::max);
    let middle = 0.25 * points.iter().sum::<DVec3>();
    let mut faces: Vec<Face> = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
        .into_iter()
        .map(|corners| Face::outward(corners, &points, middle))
        .collect();
    for _ in 0..MAX_GROWTHS {
        let nearest = faces.iter().min_by(|x, y| x.distance.total_cmp(&y.distance));
        let Some(&Face { normal, distance, .. }) = nearest else { break };
        let point = furthest(normal);
        let width = normal.dot(point);
        if width < best.width {
            best = Width { direction: normal, width };
        }
        if width - distance <= ACCURACY * size {
            break;
        }
        grow(&mut faces, &mut points, point, ACCURACY * size);
        if faces.len() > MAX_FACES_PER_POINT * points.len() {
            break;
        }
    }
    best
}

/// A face of the polytope.
#[derive(Debug, Clone, Copy)]
struct Face {
    /// Indices of points, counter-clockwise as seen from outside.
    corners: [usize; 3],
    /// A unit vector; zero if the face has zero area.
    normal: DVec3,
    /// Distance of the face's plane from the origin, negative if the origin is outside; infinite if the face has
    /// zero area.
    distance: f64,
}

impl Face {
    fn new(corners: [usize; 3], points: &[DVec3]) -> Self {
        let [a, b, c] = corners.map(|corner| points[corner]);
        let normal = unit_along((b - a).cross(c - a));
        let distance = if normal == DVec3::ZERO { f64::INFINITY } else { normal.dot(a) };
        Self { corners, normal, distance }
    }

    /// The face with its normal pointing away from a point inside.
    fn outward([a, b, c]: [usize; 3], points: &[DVec3], inside: DVec3) -> Self {
        let face = Self::new([a, b, c], points);
        if face.normal.dot(inside) > face.distance { Self::new([a, c, b], points) } else { face }
    }
}

/// Extends the polytope by a point: the faces that see it are replaced by faces to the point.
fn grow(faces: &mut Vec<Face>, points: &mut Vec<DVec3>, point: DVec3, margin: f64) {
    let (seen, kept): (Vec<Face>, Vec<Face>) =
        faces.iter().partition(|face| face.normal.dot(point) > face.distance + margin);
    let edges = |face: &Face| {
        let [a, b, c] = face.corners;
        [[a, b], [b, c], [c, a]]
    };
    let borders: Vec<[usize; 2]> = seen.iter().flat_map(edges).collect();
    points.push(point);
    *faces = kept;
    let mut sorted = borders.clone();
    sorted.sort_unstable();
    // An edge between two faces that see the point occurs in both directions.
    let horizon = borders.iter().filter(|[a, b]| sorted.binary_search(&[*b, *a]).is_err());
    faces.extend(horizon.map(|[a, b]| Face::new([*a, *b, points.len() - 1], points)));
}

/// The initial shape of a polytope.
enum Seed {
    Corners([DVec3; 4]),
    /// K has no volume: its extent along this unit vector is zero.
    Flat(DVec3),
}

/// Four points of K that span a volume.
fn tetrahedron(furthest: &impl Fn(DVec3) -> DVec3) -> Seed {
    let extent = |n: DVec3| (furthest(n) - furthest(-n)).dot(n);
    let axis = DVec3::AXES.into_iter().max_by(|x, y| extent(*x).total_cmp(&extent(*y))).unwrap_or(DVec3::X);
    let (a, b) = (furthest(axis), furthest(-axis));
    let size = a.distance(b);
    let along = unit_along(b - a);
    if along == DVec3::ZERO {
        return Seed::Flat(axis);
    }
    // For each direction and its opposite, the one in which K extends further from the points already spanned.
    let beyond = |n: DVec3, from: DVec3| {
        let [p, q] = [furthest(n), furthest(-n)];
        if (p - from).dot(n).abs() >= (q - from).dot(n).abs() { p } else { q }
    };
    let (across, other) = along.any_orthonormal_pair();
    let c = [across, other]
        .map(|n| beyond(n, a))
        .into_iter()
        .max_by(|p, q| distance_from_line(*p - a, along).total_cmp(&distance_from_line(*q - a, along)))
        .unwrap_or(a);
    if distance_from_line(c - a, along) <= FLAT * size {
        // K lies on a line.
        return Seed::Flat(across);
    }
    let normal = unit_along(along.cross(c - a));
    let d = beyond(normal, a);
    if (d - a).dot(normal).abs() <= FLAT * size {
        return Seed::Flat(normal);
    }
    Seed::Corners([a, b, c, d])
}

/// The distance of a vector's end from a line through the origin.
fn distance_from_line(v: DVec3, along: DVec3) -> f64 {
    (v - v.dot(along) * along).length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chasles_testing::Random;
    use glam::DQuat;

    fn furthest_of(points: &[DVec3], n: DVec3) -> DVec3 {
        points.iter().copied().max_by(|p, q| p.dot(n).total_cmp(&q.dot(n))).unwrap()
    }

    fn corners(half: DVec3) -> Vec<DVec3> {
        let side = |i: u32, bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        (0..8).map(|i| half * DVec3::new(side(i, 0), side(i, 1), side(i, 2))).collect()
    }

    /// The minimum width of the difference of two boxes: over the normals of all its faces.
    fn by_all_faces(a: &[DVec3], b: &[DVec3], axes: [[DVec3; 3]; 2]) -> f64 {
        let mut normals = axes.concat();
        normals.extend(axes[0].iter().flat_map(|u| axes[1].map(|v| u.cross(v))));
        let normals = normals.into_iter().filter(|n| n.length() > 1e-9).map(DVec3::normalize);
        let width = |n: DVec3| (furthest_of(a, n) - furthest_of(b, -n)).dot(n);
        normals.flat_map(|n| [width(n), width(-n)]).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_depth_of_boxes_is_that_of_the_nearest_of_all_faces() {
        let random = &mut Random(5);
        for i in 0..2000 {
            let scale = [1.0, 1e-6, 1e6][i % 3];
            let half = |random: &mut Random| {
                scale * DVec3::new(random.within(0.1, 2.0), random.within(0.1, 2.0), random.within(0.1, 2.0))
            };
            // Every fifth pair has common axes, so that whole faces of the difference have one normal.
            let rotation = if i % 5 == 0 {
                DQuat::IDENTITY
            } else {
                DQuat::from_axis_angle(random.direction(), random.within(0.0, 3.0))
            };
            let a: Vec<DVec3> = corners(half(random));
            let shift = scale * random.within(0.0, 1.5) * random.direction();
            let b: Vec<DVec3> = corners(half(random)).into_iter().map(|p| rotation * p + shift).collect();
            let own = [DVec3::X, DVec3::Y, DVec3::Z];
            let expected = by_all_faces(&a, &b, [own, own.map(|axis| rotation * axis)]);
            let found = min_width(|n| furthest_of(&a, n) - furthest_of(&b, -n));
            if expected <= 0.0 {
                assert!(found.width <= 1e-9 * scale, "{i}: {found:?}");
                continue;
            }
            assert!((found.width - expected).abs() <= 1e-9 * scale, "{i}: {found:?}, not {expected}");
            // After the translation they are on two sides of a plane.
            let n = found.direction;
            let moved = a.iter().map(|p| (*p - found.width * n).dot(n)).fold(f64::NEG_INFINITY, f64::max);
            let fixed = b.iter().map(|p| p.dot(n)).fold(f64::INFINITY, f64::min);
            assert!(moved <= fixed + 1e-12 * scale && (n.length() - 1.0).abs() < 1e-12, "{i}");
        }
    }

    /// Without the limit on the number of faces, neither ends within 20 seconds.
    #[test]
    fn needles_whose_polytope_is_torn_by_rounding_end_soon() {
        for seed in [210, 49_237, 49_611, 74_757] {
            let random = &mut Random(seed);
            let mut length = || 10.0_f64.powf(random.within(-12.0, 2.0));
            let ([radius, height], half) = ([length(), length()], DVec3::new(length(), length(), length()));
            let rotation = DQuat::from_axis_angle(random.direction(), random.within(0.0, 3.0));
            let cylinder = |n: DVec3| {
                radius * unit_along(DVec3::new(n.x, n.y, 0.0)) + DVec3::Z * (0.5 * height).copysign(n.z)
            };
            let block = |n: DVec3| rotation * half.copysign(rotation.inverse() * n);
            let furthest = |n: DVec3| cylinder(n) - block(-n);
            let found = min_width(furthest);
            assert_eq!(found.width, found.direction.dot(furthest(found.direction)), "{seed}: {found:?}");
        }
    }

    #[test]
    fn balls_are_separated_along_the_line_of_their_centres() {
        for offset in [DVec3::new(0.3, 0.2, -0.1), DVec3::new(0.0, 0.0, 0.9), DVec3::new(1e-3, 0.0, 0.0)] {
            let found = min_width(|n| offset + 1.5 * n);
            let expected = 1.5 - offset.length();
            assert!(found.width >= expected - 1e-12 && found.width <= 1.002 * expected, "{found:?}");
        }
    }

    #[test]
    fn flat_shapes_are_separated_across_their_plane() {
        let square =
            |z: f64| [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| DVec3::new(x, y, z));
        let (a, b) = (square(0.0), square(0.0));
        let found = min_width(|n| furthest_of(&a, n) - furthest_of(&b, -n));
        assert!(found.width.abs() < 1e-15 && found.direction.z.abs() > 0.999, "{found:?}");
        let segment = [DVec3::ZERO, DVec3::X];
        assert!(min_width(|n| furthest_of(&segment, n) - furthest_of(&segment, -n)).width.abs() < 1e-15);
        assert_eq!(min_width(|_| DVec3::ZERO).width, 0.0);
    }
}
