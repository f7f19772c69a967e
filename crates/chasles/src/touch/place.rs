//! One place at which two bodies nearly touch, and how many places become a few.

use glam::DVec3;

/// A place at which two bodies nearly touch, in B's frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TouchPlace {
    /// A point of A and a point of B.
    pub(crate) points: [DVec3; 2],
    /// From A to B, unit.
    pub(crate) normal: DVec3,
    /// How far the points are apart along the normal, in metres; below 0 where they are past each other.
    pub(crate) gap: f64,
    /// Which features they are of: the same from one time to the next.
    pub(crate) key: u64,
}

/// How near is near, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reach {
    /// Places with a greater gap are left out.
    pub(crate) gap: f64,
    /// Bodies are in each other by no more than this.
    pub(crate) depth: f64,
}

/// Places that are past each other by more than so many depths are left out.
const PAST: f64 = 4.0;

impl Reach {
    /// How far places may be past each other.
    pub(crate) fn allowed_depth(&self) -> f64 {
        PAST * self.depth
    }
}

/// Normals with a greater cosine than this are one direction.
const ALIKE: f64 = 0.999;

/// Places of one direction, at most.
const MOST: usize = 6;

/// Leaves of the places in each direction those that hold a body as well as all of them: the least gap, and the
/// outermost.
pub(crate) fn thinned(mut places: Vec<TouchPlace>) -> Vec<TouchPlace> {
    if places.len() <= MOST {
        return places;
    }
    let mut kept = Vec::new();
    while let Some(first) =
        places.iter().copied().min_by(|p, q| p.gap.total_cmp(&q.gap).then(p.key.cmp(&q.key)))
    {
        let (alike, rest): (Vec<_>, Vec<_>) =
            places.into_iter().partition(|place| place.normal.dot(first.normal) > ALIKE);
        places = rest;
        if alike.len() <= MOST {
            kept.extend(alike);
            continue;
        }
        // Each is the furthest across from those that were kept, less by how much further away it is: what is behind
        // a place that touches does not count.
        let middle = |place: &TouchPlace| 0.5 * (place.points[0] + place.points[1]);
        let across = |place: &TouchPlace, other: &TouchPlace| {
            let way = middle(place) - middle(other);
            way.reject_from_normalized(first.normal).length()
        };
        let mut own = vec![first];
        while own.len() < MOST {
            let room = |place: &TouchPlace| {
                let least = own.iter().map(|other| across(place, other)).fold(f64::INFINITY, f64::min);
                least - (place.gap - first.gap)
            };
            let furthest = alike.iter().max_by(|p, q| room(p).total_cmp(&room(q)).then(q.key.cmp(&p.key)));
            match furthest.filter(|place| room(place) > 0.0) {
                Some(place) => own.push(*place),
                None => break,
            }
        }
        kept.extend(own);
    }
    kept
}
