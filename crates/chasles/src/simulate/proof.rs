//! Whether two bodies stay apart between two times, each on the screw that joins its poses, or on its own motion.
//!
//! Mostly a plane proves it: all of one body is on one side of it at both times, and no point strays further from the
//! straight line between its places than its turn allows. Where no plane does, the search for contacts along screws is
//! asked. A pair that touches or is in each other by rounding is shifted apart first: the shift bounds how deep it is.

use glam::DVec3;

use crate::math::budget::Budget;
use crate::motion::carried::{Carrier, Matter, OUTSIDE, carried, pieces};
use crate::motion::relative::Relative;
use crate::motion::track::{Piece, TimedScrew, Track};
use crate::motion::{Pose, Screw};
use crate::pair::{Apart, PairMemory};
use crate::simulate::nearby::{STEPS, middle};
use crate::simulate::world::World;

/// What is known of a pair between two times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Parted {
    /// A translation no longer than this, in metres, parts them at every time; 0: they are apart.
    Within(f64),
    /// They are apart up to this share of the time.
    Until(f64),
    /// Nothing is known.
    Unknown,
}

/// Where bodies are at two times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span<'s> {
    /// In seconds.
    pub(crate) times: [f64; 2],
    /// By body of the scene, at both times.
    pub(crate) poses: [&'s [Pose]; 2],
    /// All bodies stand as at the first time, those too that have a motion.
    pub(crate) is_still: bool,
}

impl Span<'_> {
    /// Whether a body does not move.
    pub(crate) fn stands(&self, world: &World, body: usize) -> bool {
        self.is_still || world.stands(body)
    }
}

/// Shifts that may part bodies, as shares of the depth that is allowed.
const SHIFTS: [f64; 5] = [1e-4, 0.01, 0.1, 0.4, 1.0];

/// How far numbers may be off, as a share of the coordinates.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Whether two bodies stay apart by more than a distance; `normals` point from the first to the second, where they
/// nearly touch at the begin. They may be in each other by `depth` at most.
pub(crate) fn parted(
    (world, span): (&World, &Span<'_>),
    bodies: [usize; 2],
    (normals, distance, depth): (&[DVec3], f64, f64),
    memory: &mut PairMemory,
) -> Parted {
    let overlaps = normals.iter().filter_map(|n| Some((past_a_plane(world, span, bodies, *n)?, *n)));
    let least = overlaps.min_by(|x, y| x.0.total_cmp(&y.0));
    if let Some((overlap, _)) = least
        && overlap + distance <= depth
    {
        return Parted::Within((overlap + distance).max(0.0));
    }
    let searched = along_a_screw(world, span, bodies, (distance, DVec3::ZERO), memory);
    let Some(normal) = least.map(|(_, n)| n).or(normals.first().copied()).filter(|_| depth > 0.0) else {
        return searched;
    };
    if matches!(searched, Parted::Within(_)) {
        return searched;
    }
    // The shift that parts them, from little to much.
    for share in SHIFTS {
        let shift = share * depth;
        if let Parted::Within(_) = along_a_screw(world, span, bodies, (distance, -shift * normal), memory) {
            return Parted::Within(shift);
        }
    }
    searched
}

/// By how much the bodies are past a plane across a direction from the first to the second, at most; `None`: no plane
/// can be looked at.
fn past_a_plane(world: &World, span: &Span<'_>, bodies: [usize; 2], normal: DVec3) -> Option<f64> {
    let [first, second] = [(0, normal), (1, -normal)].map(|(i, normal)| {
        let body = bodies[i];
        let shape = world.scene().bodies()[body].shape.as_ref()?;
        let reach = |pose: &Pose| {
            let inside = shape.reach(pose.rotation().conjugate() * normal)?;
            let size = pose.position().abs().element_sum() + inside.abs();
            Some(normal.dot(pose.position()) + inside + ROUNDING * size)
        };
        let [from, to] = [reach(&span.poses[0][body])?, reach(&span.poses[1][body])?];
        Some(from.max(to) + sag(world, span, body)?)
    });
    Some(first? + second?)
}

/// How far a point of a body that is told, or stands, may be from the straight line between its places.
fn sag(world: &World, span: &Span<'_>, body: usize) -> Option<f64> {
    if span.stands(world, body) {
        return Some(0.0);
    }
    if !world.is_told(body) {
        return None;
    }
    let [from, to] = [0, 1].map(|i| span.poses[i][body]);
    let screw = Screw::between(from, to);
    let shape = world.scene().bodies()[body].shape.as_ref()?;
    let extent = shape.extent();
    let arm = screw.start_rotation() * middle(shape);
    let across =
        screw.velocity_across_at(arm).length() + screw.angle() * (extent.half.length() + extent.beyond);
    Some(0.125 * screw.angle() * across * (1.0 + 1e-9))
}

/// How far the motion of a body that waits for its first contact may be from the screw on which it is told to move, in
/// metres; 0 of all others. Both are near the straight lines between the places of its points.
pub(crate) fn strays(world: &World, span: &Span<'_>, body: usize) -> f64 {
    if !world.awaits([body; 2]) || span.stands(world, body) {
        return 0.0;
    }
    let chain = world.scene().chain(body, None);
    let [begin, end] = span.times;
    let within = 0.5 * (begin + end);
    if chain
        .iter()
        .all(|carrier| carrier.is_constant || matches!(carrier.track.piece_at(within), Piece::Screw(_)))
        && chain.len() == 1
    {
        return 0.0;
    }
    let Some(shape) = world.scene().bodies()[body].shape.as_ref() else { return 0.0 };
    let matter =
        Matter { centre: middle(shape), radius: shape.extent().half.length() + shape.extent().beyond };
    let bends = carried(pieces(&chain, within), &matter, (begin, end)).0.change;
    let bent = 0.125 * (end - begin) * (end - begin) * bends * OUTSIDE;
    bent + sag(world, span, body).unwrap_or(0.0)
}

fn along_a_screw(
    world: &World,
    span: &Span<'_>,
    bodies: [usize; 2],
    (distance, shift): (f64, DVec3),
    memory: &mut PairMemory,
) -> Parted {
    let [begin, end] = span.times;
    let scene = world.scene();
    let Some(pair) = scene.pair(bodies) else { return Parted::Within(0.0) };
    let tracks = bodies.map(|body| {
        (span.is_still || world.is_told(body)).then(|| {
            let screw = Screw::between(span.poses[0][body], span.poses[1][body]);
            Track(vec![Piece::Screw(TimedScrew { begin, end, screw })])
        })
    });
    let chains = [0, 1].map(|i| match &tracks[i] {
        Some(track) => vec![Carrier { track, is_constant: false }],
        None => scene.chain(bodies[i], None),
    });
    let matter = bodies
        .map(|body| scene.bodies()[body].shape.as_ref().map_or(Matter::POINT, |shape| shape.matter(false)));
    let relative = Relative::new(scene.duration().max(end), chains, matter);
    let (mut piece, deviation) = relative.screw(begin, end);
    if !deviation.is_finite() {
        return Parted::Unknown;
    }
    if shift != DVec3::ZERO {
        // In the frame of the second body.
        let shift = span.poses[0][bodies[1]].rotation().conjugate() * shift;
        let moved = |pose: Pose| Pose::from_parts(pose.position() + shift, pose.rotation());
        piece.screw = Screw::between(moved(piece.screw.start()), moved(piece.screw.end()));
    }
    let least = ROUNDING * (pair.size() + piece.screw.start().position().abs().element_sum());
    let mut budget = Budget::new(STEPS);
    memory.forget();
    match pair.apart_until(memory, &piece.screw, distance + deviation + least, &mut budget) {
        Ok(Apart::Throughout) => Parted::Within(0.0),
        Ok(Apart::Until(share)) => Parted::Until(share),
        Ok(Apart::Overlapping) => Parted::Until(0.0),
        Ok(Apart::Unknown) | Err(_) => Parted::Unknown,
    }
}
