//! A contact place, and the reduction of many places to a few.

use glam::DVec3;

use crate::motion::Pose;

/// A place at which two bodies nearly touch, in B's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TouchPlace {
    /// A point of A and a point of B.
    pub(crate) points: [DVec3; 2],
    /// Unit normal from A to B.
    pub(crate) normal: DVec3,
    /// The distance of the points along the normal, in metres; negative if they are past each other.
    pub(crate) gap: f64,
    /// The features of the place: the same key at all times.
    pub(crate) key: u64,
}

/// The distances within which places are found, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reach {
    /// Places with a larger gap are omitted.
    pub(crate) gap: f64,
    /// Bodies penetrate each other by at most this.
    pub(crate) depth: f64,
}

/// A pose of A in B's frame, and the distances within which places are found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TouchQuery<'a> {
    pub(crate) pose: &'a Pose,
    pub(crate) reach: &'a Reach,
}

/// Maximum penetration of a place, as a multiple of the reach's depth.
const MAX_PENETRATION: f64 = 4.0;

impl Reach {
    /// Maximum penetration of a place, in metres.
    pub(crate) fn allowed_depth(&self) -> f64 {
        MAX_PENETRATION * self.depth
    }
}

/// The key of two features, by their numbers.
pub(super) fn key(of_b: bool, first: u32, second: u32) -> u64 {
    (u64::from(first) << 33 | u64::from(second) << 1) | u64::from(of_b)
}

/// The vertex of a key for a vertex and a face, and whether it belongs to B.
pub(super) fn vertex_of(key: u64) -> Option<(bool, u32)> {
    let is_over_face = key >> 1 & u64::from(u32::MAX) == 0;
    let vertex = u32::try_from(key >> 33).ok()?;
    is_over_face.then_some((key & 1 == 1, vertex))
}

/// Normals with a cosine above this count as one direction.
const SAME_DIRECTION: f64 = 0.999;

/// Maximum number of places per direction.
const MAX_PLACES: usize = 6;

/// Reduces the places of each direction to a few that support a body equally well: the smallest gap, and the
/// outermost places.
pub(crate) fn thinned(mut places: Vec<TouchPlace>) -> Vec<TouchPlace> {
    if places.len() <= MAX_PLACES {
        return places;
    }
    let mut kept = Vec::new();
    while let Some(first) =
        places.iter().copied().min_by(|p, q| p.gap.total_cmp(&q.gap).then(p.key.cmp(&q.key)))
    {
        let (same_direction, rest): (Vec<_>, Vec<_>) =
            places.into_iter().partition(|place| place.normal.dot(first.normal) > SAME_DIRECTION);
        places = rest;
        if same_direction.len() <= MAX_PLACES {
            kept.extend(same_direction);
            continue;
        }
        // The next place is the place with the largest distance from the kept places across the normal, minus its
        // additional gap. So a place with a larger gap than a touching place beside it is not kept.
        let middle = |place: &TouchPlace| 0.5 * (place.points[0] + place.points[1]);
        let across = |place: &TouchPlace, other: &TouchPlace| {
            let between = middle(place) - middle(other);
            between.reject_from_normalized(first.normal).length()
        };
        let mut chosen = vec![first];
        while chosen.len() < MAX_PLACES {
            let separation = |place: &TouchPlace| {
                let distance = chosen.iter().map(|other| across(place, other)).fold(f64::INFINITY, f64::min);
                distance - (place.gap - first.gap)
            };
            let furthest = same_direction
                .iter()
                .max_by(|p, q| separation(p).total_cmp(&separation(q)).then(q.key.cmp(&p.key)));
            match furthest.filter(|place| separation(place) > 0.0) {
                Some(place) => chosen.push(*place),
                None => break,
            }
        }
        kept.extend(chosen);
    }
    kept
}
