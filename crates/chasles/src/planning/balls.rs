//! Balls that hold the surface of a part: a tree of them, the smallest at its leaves.
//!
//! Every point of the surface is in a leaf, and every leaf in all balls above it. Large triangles are cut first, so that
//! the leaves need not be larger than is wanted.

use glam::DVec3;

use crate::motion::Pose;
use crate::pair::shape::{Extent, SceneShape};
use crate::planning::chain::narrow_vector;
use crate::search::chart::narrow;

/// A ball, and the balls inside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ball {
    /// In the frame of the group, in metres.
    pub(crate) centre: [f32; 3],
    pub(crate) radius: f32,
    /// The numbers of the balls inside it; none: it is a leaf.
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl Ball {
    /// A ball that holds others; `None` where there are none.
    pub(crate) fn around<'b>(balls: impl Iterator<Item = &'b Self> + Clone) -> Option<Self> {
        let centre = |ball: &Self| DVec3::from_array(ball.centre.map(f64::from));
        let corners = balls.clone().map(|ball| (centre(ball), f64::from(ball.radius)));
        let (least, most) = corners
            .clone()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(least, most), (centre, radius)| {
                (least.min(centre - radius), most.max(centre + radius))
            });
        let middle = least.midpoint(most);
        let radius = corners.map(|(centre, radius)| centre.distance(middle) + radius).fold(0.0, f64::max);
        let radius = radius * (1.0 + LARGER) + LARGER * middle.length();
        middle.is_finite().then(|| Self {
            centre: narrow_vector(middle),
            radius: narrow(radius),
            first: 0,
            count: 0,
        })
    }
}

/// Leaves have radii of about this share of the radius of the whole.
const FINE: f64 = 1.0 / 24.0;

/// Pieces that a surface is cut into, at most about so many: one piece a triangle is not cut further.
const MOST_PIECES: usize = 1 << 14;

/// Balls of a ball.
const BRANCHES: usize = 4;

/// Rounds of finding a better centre of a ball.
const ROUNDS: usize = 3;

/// Radii are made larger by this share, and by this share of the distance from the origin of the frame: rounding.
const LARGER: f64 = 1e-6;

/// A tree of balls, the root first, that holds the surface of a shape that stands at a pose in a frame. Where the shape is
/// solid there is the root alone, which holds its inside too.
pub(crate) fn balls((shape, solid): (&SceneShape, bool), pose: &Pose) -> Vec<Ball> {
    if shape.is_set() || solid {
        let Extent { centre, radius, beyond, .. } = shape.extent();
        let centre = pose.transform_point(centre);
        let radius = (radius + beyond) * (1.0 + LARGER) + LARGER * centre.length();
        return vec![Ball { centre: narrow_vector(centre), radius: narrow(radius), first: 0, count: 0 }];
    }
    let mesh = shape.drawn();
    let place = |vertex: u32| pose.transform_point(mesh.centre() + mesh.local()[vertex as usize]);
    let corners: Vec<[DVec3; 3]> = mesh.triangles().iter().map(|t| t.map(place)).collect();
    let grown = shape.deviation();
    let fine = FINE * mesh.radius();
    let pieces = cut(corners, fine);
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    let mut found = vec![ball(&pieces, &order, grown)];
    // Balls that are to be divided, and the pieces that they hold.
    let mut waiting = vec![(0_usize, (0, order.len()))];
    while let Some((number, (begin, end))) = waiting.pop() {
        if end - begin <= 1 || f64::from(found[number].radius) <= fine + grown {
            continue;
        }
        let mut parts = vec![(begin, end)];
        while parts.len() < BRANCHES {
            let Some(at) = (0..parts.len())
                .filter(|at| parts[*at].1 - parts[*at].0 > 1)
                .max_by_key(|at| (parts[*at].1 - parts[*at].0, usize::MAX - at))
            else {
                break;
            };
            let (begin, end) = parts[at];
            let middle = halve(&pieces, &mut order[begin..end]) + begin;
            parts[at] = (begin, middle);
            parts.insert(at + 1, (middle, end));
        }
        let first = found.len();
        for (begin, end) in parts {
            waiting.push((found.len(), (begin, end)));
            found.push(ball(&pieces, &order[begin..end], grown));
        }
        (found[number].first, found[number].count) = (number_of(first), number_of(found.len() - first));
    }
    found
}

#[expect(clippy::cast_possible_truncation, reason = "there are at most twice as many balls as pieces")]
fn number_of(count: usize) -> u32 {
    count as u32
}

/// The triangles, those larger than is wanted in four, again and again.
fn cut(mut pieces: Vec<[DVec3; 3]>, fine: f64) -> Vec<[DVec3; 3]> {
    let longest = |[a, b, c]: &[DVec3; 3]| a.distance(*b).max(b.distance(*c)).max(c.distance(*a));
    let mut at = 0;
    while at < pieces.len() && pieces.len() < MOST_PIECES {
        let piece = pieces[at];
        if longest(&piece) > 2.0 * fine {
            let [a, b, c] = piece;
            let [ab, bc, ca] = [a.midpoint(b), b.midpoint(c), c.midpoint(a)];
            pieces[at] = [a, ab, ca];
            pieces.extend([[ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        } else {
            at += 1;
        }
    }
    pieces
}

/// A ball that holds some pieces.
fn ball(pieces: &[[DVec3; 3]], held: &[usize], grown: f64) -> Ball {
    let corners = || held.iter().flat_map(|piece| pieces[*piece]);
    let (least, most) = corners().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(least, most), corner| {
        (least.min(corner), most.max(corner))
    });
    let radius_about =
        |centre: DVec3| corners().map(|corner| corner.distance_squared(centre)).fold(0.0, f64::max).sqrt();
    let mut centre = least.midpoint(most);
    let mut best = (radius_about(centre), centre);
    // Towards the corner that is furthest, by less each time.
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
    let radius = (radius + grown) * (1.0 + LARGER) + LARGER * centre.length();
    Ball { centre: narrow_vector(centre), radius: narrow(radius), first: 0, count: 0 }
}

/// Puts pieces in order along the axis along which their middles differ most, and says where the upper half begins.
fn halve(pieces: &[[DVec3; 3]], held: &mut [usize]) -> usize {
    let middle = |piece: usize| pieces[piece].iter().sum::<DVec3>() / 3.0;
    let (least, most) = held.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(least, most), piece| {
        (least.min(middle(*piece)), most.max(middle(*piece)))
    });
    let size = (most - least).to_array();
    let axis = (0..3).fold(0, |best, axis| if size[axis] > size[best] { axis } else { best });
    let half = held.len() / 2;
    held.select_nth_unstable_by(half, |x, y| middle(*x)[axis].total_cmp(&middle(*y)[axis]).then(x.cmp(y)));
    half
}
