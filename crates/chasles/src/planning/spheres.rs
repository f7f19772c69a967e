//! Trees of bounding spheres for the surface of a part, the smallest at the leaves.
//!
//! Every point of the surface is in a leaf and in all spheres above it. Large triangles are cut first, so that the
//! leaves are as small as required.

use glam::DVec3;

use crate::mesh_screw::chart::narrow;
use crate::motion::Pose;
use crate::pair::shape::CollisionShape;
use crate::planning::chain::narrow_vector;
use crate::sets::volume::number_of;
use crate::shape::Mesh;

/// A sphere, and the numbers of its children.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BoundingSphere {
    /// In the frame of the group, in metres.
    pub(crate) centre: [f32; 3],
    pub(crate) radius: f32,
    /// The approximate radius of the smallest sphere with the same contents. The larger of two nodes is divided first.
    pub(crate) size: f32,
    /// All points within this distance of the centre are inside the body, enclosed by the shell `shell`. Minus
    /// infinity if that is not known.
    pub(crate) inner: f32,
    pub(crate) shell: u32,
    /// The numbers of its children; none for a leaf.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl BoundingSphere {
    /// A sphere that contains others; `None` if there are no others.
    pub(crate) fn around<'b>(balls: impl Iterator<Item = &'b Self> + Clone) -> Option<Self> {
        let corners = balls.clone().map(|ball| (ball.middle(), f64::from(ball.radius)));
        let (least, most) = corners
            .clone()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(least, most), (centre, radius)| {
                (least.min(centre - radius), most.max(centre + radius))
            });
        let middle = least.midpoint(most);
        let radius = corners.map(|(centre, radius)| centre.distance(middle) + radius).fold(0.0, f64::max);
        middle.is_finite().then(|| Self::new(middle, radius))
    }

    /// The centre.
    pub(crate) fn middle(&self) -> DVec3 {
        let [x, y, z] = self.centre;
        DVec3::new(f64::from(x), f64::from(y), f64::from(z))
    }

    /// This sphere, if the surface is further than `clear` metres from its centre, which a shell encloses.
    pub(crate) fn filled(self, clear: f64, shell: usize) -> Self {
        let inner = clear * (1.0 - LARGER) - LARGER * self.middle().length();
        Self { inner: narrow(inner), shell: number_of(shell), ..self }
    }

    /// A leaf of about the smallest radius for its contents.
    pub(crate) fn new(centre: DVec3, radius: f64) -> Self {
        let radius = radius * (1.0 + LARGER) + LARGER * centre.length();
        Self {
            centre: narrow_vector(centre),
            radius: narrow(radius),
            size: narrow(radius),
            inner: f32::NEG_INFINITY,
            shell: 0,
            first: 0,
            count: 0,
        }
    }
}

/// Triangles are cut until their longest edge is at most this multiple of the leaf radius.
const COARSE: f64 = 2.0;

/// Maximum number of pieces added by cutting.
const MORE_PIECES: usize = 1 << 15;

/// Children per sphere.
const BRANCHES: usize = 4;

/// Iterations that improve the centre of a sphere.
const ROUNDS: usize = 3;

/// Radii are enlarged by this fraction of themselves and of the distance from the origin of the frame, for rounding.
const LARGER: f64 = 1e-6;

/// Roundings of a transformed corner.
const PLACED: f64 = 16.0;

/// A surface in pieces, and a tree of small spheres that contain them.
pub(crate) struct SphereTreeSource {
    pub(crate) pieces: Vec<[DVec3; 3]>,
    order: Vec<usize>,
    /// The root is first.
    pub(crate) balls: Vec<BoundingSphere>,
    /// The range of `order` that each sphere contains: start and end.
    contents: Vec<[usize; 2]>,
    /// A cylinder with the same contents as each sphere.
    cylinders: Vec<Cylinder>,
    /// Maximum distance of the shape's surface from the pieces, in metres.
    pub(crate) grown: f64,
}

impl SphereTreeSource {
    /// The surface of a shape at a pose in a frame. The leaves have radii of about `fine` metres.
    pub(crate) fn new(shape: &CollisionShape, pose: &Pose, fine: f64) -> Self {
        let mesh = shape.drawn();
        let far = mesh.centre().length() + pose.position().length();
        let grown = shape.deviation() + PLACED * f64::EPSILON * far;
        let pieces = cut(triangles_at(mesh, pose).collect(), COARSE * fine);
        let mut order: Vec<usize> = (0..pieces.len()).collect();
        let mut found = vec![ball(&pieces, &order, grown)];
        let mut contents = vec![[0, order.len()]];
        let mut cylinders = vec![Cylinder::new(&pieces, &order, &found[0])];
        // Spheres to be divided.
        let mut waiting = vec![0];
        while let Some(number) = waiting.pop() {
            let [start, end] = contents[number];
            if end - start <= 1 || f64::from(found[number].radius) <= fine + grown {
                continue;
            }
            let mut parts = vec![(start, end)];
            while parts.len() < BRANCHES {
                let Some(at) = (0..parts.len())
                    .filter(|at| parts[*at].1 - parts[*at].0 > 1)
                    .max_by_key(|at| (parts[*at].1 - parts[*at].0, usize::MAX - at))
                else {
                    break;
                };
                let (start, end) = parts[at];
                let middle = halve(&pieces, &mut order[start..end]) + start;
                parts[at] = (start, middle);
                parts.insert(at + 1, (middle, end));
            }
            let first = found.len();
            for (start, end) in parts {
                waiting.push(found.len());
                let ball = ball(&pieces, &order[start..end], grown);
                cylinders.push(Cylinder::new(&pieces, &order[start..end], &ball));
                found.push(ball);
                contents.push([start, end]);
            }
            (found[number].first, found[number].count) = (number_of(first), number_of(found.len() - first));
        }
        Self { pieces, order, balls: found, contents, cylinders, grown }
    }

    /// A lower bound of the distance from a point to the contents of a sphere, in metres.
    pub(crate) fn least_distance(&self, ball: usize, from: DVec3) -> f64 {
        self.cylinders[ball].distance(from - self.balls[ball].middle())
    }

    /// The pieces that a sphere contains.
    pub(crate) fn contents(&self, ball: usize) -> impl Iterator<Item = &[DVec3; 3]> + Clone {
        let [start, end] = self.contents[ball];
        self.order[start..end].iter().map(|piece| &self.pieces[*piece])
    }
}

/// A cylinder about the middle of a sphere with the same contents. It is flat where the pieces are, so far fewer
/// cylinders than spheres are near a given point.
struct Cylinder {
    /// The direction of its axis, the mean normal of the pieces.
    axis: DVec3,
    /// Start and end along the axis.
    ends: [f64; 2],
    radius: f64,
}

impl Cylinder {
    fn new(pieces: &[[DVec3; 3]], contents: &[usize], ball: &BoundingSphere) -> Self {
        let normal = |[a, b, c]: &[DVec3; 3]| (b - a).cross(c - a);
        let axis = contents.iter().map(|piece| normal(&pieces[*piece])).sum::<DVec3>().normalize_or(DVec3::Z);
        let middle = ball.middle();
        let (mut ends, mut radius) = ([f64::INFINITY, f64::NEG_INFINITY], 0.0_f64);
        for corner in contents.iter().flat_map(|piece| pieces[*piece]) {
            let (along, radial) = split(corner - middle, axis);
            ends = [ends[0].min(along), ends[1].max(along)];
            radius = radius.max(radial);
        }
        let more = LARGER * (f64::from(ball.radius) + middle.length());
        Self { axis, ends: [ends[0] - more, ends[1] + more], radius: radius + more }
    }

    /// The distance from a point, relative to the middle.
    fn distance(&self, from: DVec3) -> f64 {
        let (along, radial) = split(from, self.axis);
        let beyond = (self.ends[0] - along).max(along - self.ends[1]).max(0.0);
        let radial = (radial - self.radius).max(0.0);
        (beyond * beyond + radial * radial).sqrt()
    }
}

/// The component of a vector along a direction, and the length of the rest.
fn split(vector: DVec3, direction: DVec3) -> (f64, f64) {
    let along = vector.dot(direction);
    (along, (vector - along * direction).length())
}

/// The triangles of a mesh at a pose.
pub(crate) fn triangles_at(mesh: &Mesh, pose: &Pose) -> impl Iterator<Item = [DVec3; 3]> {
    let place = |vertex: u32| pose.transform_point(mesh.centre() + mesh.local()[vertex as usize]);
    mesh.triangles().iter().map(move |triangle| triangle.map(place))
}

/// The triangles, bisected until no edge is longer than `max_edge` or the pieces are too many.
fn cut(mut pieces: Vec<[DVec3; 3]>, max_edge: f64) -> Vec<[DVec3; 3]> {
    let longest = |[a, b, c]: &[DVec3; 3]| a.distance(*b).max(b.distance(*c)).max(c.distance(*a));
    // The largest first, in case the limit is reached.
    let mut most = pieces.iter().map(longest).fold(0.0, f64::max);
    let count = pieces.len() + MORE_PIECES;
    while most > max_edge && pieces.len() < count {
        most = (0.5 * most).max(max_edge);
        let mut at = 0;
        while at < pieces.len() && pieces.len() < count {
            if longest(&pieces[at]) > most {
                let [first, second] = halves(&pieces[at]);
                pieces[at] = first;
                pieces.push(second);
            } else {
                at += 1;
            }
        }
    }
    pieces
}

/// The halves of a triangle, cut at the middle of its longest edge.
pub(crate) fn halves([a, b, c]: &[DVec3; 3]) -> [[DVec3; 3]; 2] {
    let [ab, bc, ca] = [a.distance_squared(*b), b.distance_squared(*c), c.distance_squared(*a)];
    let [a, b, c] = if ab >= bc && ab >= ca {
        [*a, *b, *c]
    } else if bc >= ca {
        [*b, *c, *a]
    } else {
        [*c, *a, *b]
    };
    let middle = a.midpoint(b);
    [[a, middle, c], [middle, b, c]]
}

/// A sphere that contains some pieces and all points within `grown` metres of these.
pub(crate) fn ball_around(pieces: &[[DVec3; 3]], grown: f64) -> BoundingSphere {
    let all: Vec<usize> = (0..pieces.len()).collect();
    ball(pieces, &all, grown)
}

/// A sphere that contains some pieces.
fn ball(pieces: &[[DVec3; 3]], contents: &[usize], grown: f64) -> BoundingSphere {
    let corners = || contents.iter().flat_map(|piece| pieces[*piece]);
    let (least, most) = corners().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(least, most), corner| {
        (least.min(corner), most.max(corner))
    });
    let radius_about =
        |centre: DVec3| corners().map(|corner| corner.distance_squared(centre)).fold(0.0, f64::max).sqrt();
    let mut centre = least.midpoint(most);
    let mut best = (radius_about(centre), centre);
    // Moves towards the furthest corner, by less each time.
    for round in 1..=ROUNDS {
        let far = corners()
            .max_by(|x, y| x.distance_squared(centre).total_cmp(&y.distance_squared(centre)))
            .unwrap_or(centre);
        centre += (far - centre) / (round + 2) as f64;
        let radius = radius_about(centre);
        if radius < best.0 {
            best = (radius, centre);
        }
    }
    let (radius, centre) = best;
    BoundingSphere::new(centre, radius + grown)
}

/// Partitions the pieces at the median of the axis on which their middles differ most; returns its index.
fn halve(pieces: &[[DVec3; 3]], contents: &mut [usize]) -> usize {
    let middle = |piece: usize| pieces[piece].iter().sum::<DVec3>() / 3.0;
    let (least, most) =
        contents.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(least, most), piece| {
            (least.min(middle(*piece)), most.max(middle(*piece)))
        });
    let size = (most - least).to_array();
    let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
    let half = contents.len() / 2;
    contents
        .select_nth_unstable_by(half, |x, y| middle(*x)[axis].total_cmp(&middle(*y)[axis]).then(x.cmp(y)));
    half
}
