//! Contact of round bodies, for which polyhedra stand in that lie inside them, at most their deviation deep.
//!
//! Two statements are proven about the true surfaces:
//!
//! * **Apart.** While the polyhedra are further apart than both deviations and the tolerance together, the true surfaces are
//!   further apart than the tolerance.
//! * **In contact.** While the polyhedra touch and neither body is inside the other's round surface, the true surfaces touch.
//!   For let the surface T touch the polyhedron of the round body K: then T has a point in K. If the piece of T that has it also
//!   has a point outside K, it passes through the surface of K, since it hangs together. (Two round bodies: neither convex body
//!   then contains the other, and they have a point in common.) That some vertex of every piece of T is outside K is checked
//!   at the time itself, and for how long it stays outside by its greatest speed.
//!
//! A small body that dips into a large ball without crossing its skin again is so not mistaken for one that touches it.
//! Enclosures reach from where the first ceases to hold to where the second begins.

use glam::DVec3;

use crate::body::Body;
use crate::error::Error;
use crate::motion::{Pose, Screw};
use crate::predict::{Doubt, Options, Outcome, first_within};
use crate::scene::definition::SceneShape;
use crate::scene::joined::{AtStart, Joined, Met, Unknown, joined_intervals};
use crate::scene::report::PairDoubt;
use crate::scene::track::{TimedScrew, Track};
use crate::shape::{Mesh, Primitive};

/// What was found about two bodies of which at least one is round.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RoundFound {
    /// Spans in which the true surfaces provably meet. Between `enter[1]` and `exit[0]` they do so throughout; outside of all
    /// intervals and of `unknown` they are apart.
    pub(crate) met: Vec<Met>,
    pub(crate) unknown: Vec<Unknown<PairDoubt>>,
    pub(crate) start: AtStart,
}

/// Bounds are enlarged by this factor for the few operations in which they are computed.
const OUTSIDE: f64 = 1.0 + 1e-12;

/// In so many equal parts is the time between two contacts cut, to look for moments at which the surfaces are apart.
const PARTS: u32 = 16;

/// What is known about the contact of the true surfaces along a track; the options state the tolerance.
///
/// # Errors
/// As [`first_within`].
pub(crate) fn round_intervals(
    shapes: (&SceneShape, &SceneShape),
    track: &Track,
    options: &Options,
) -> Result<RoundFound, Error> {
    let (a, b) = (&*shapes.0.body, &*shapes.1.body);
    let within = (shapes.0.deviation + shapes.1.deviation + options.tolerance.unwrap_or(0.0)) * OUTSIDE;
    let near = Near { bodies: (a, b), track, options: Options { tolerance: Some(within), ..*options } };
    let duration = track.0.last().map_or(0.0, |piece| piece.end);
    let mut found = RoundFound { met: Vec::new(), unknown: Vec::new(), start: AtStart::Apart };
    let Some(first) = near.first(0.0, duration)? else { return Ok(found) };

    let Joined { met, unknown, start } = joined_intervals((a, b), track, options)?;
    let crossing = Crossing::new(shapes);
    let mut cores = Vec::new();
    for (index, met) in met.iter().enumerate() {
        let to = met.exit.map_or(duration, |exit| exit[0]);
        match crossing.lasts(track, met.enter[1], to)? {
            Some(until) => cores.push((index, until)),
            None => found.unknown.push(Unknown {
                from: met.enter[0].max(first),
                to: met.exit.map_or(duration, |exit| exit[1]),
                why: PairDoubt::Inside,
            }),
        }
    }
    found.unknown.extend(unknown.iter().map(|doubt| Unknown {
        from: doubt.from.max(first),
        to: doubt.to,
        why: doubt.why.into(),
    }));
    if cores.is_empty() {
        let last = near.last(first, duration)?.unwrap_or(duration);
        let why = found.unknown.first().map_or(PairDoubt::Deviation, |doubt| doubt.why);
        found.unknown = vec![Unknown { from: first, to: last.max(first), why }];
        return Ok(found);
    }
    found.start = if cores[0].0 == 0 { start } else { AtStart::Apart };
    let mut before = 0.0;
    let mut open: Option<Met> = None;
    for &(index, until) in &cores {
        let met = met[index];
        let enter = if met.enter == [0.0; 2] && before == 0.0 {
            met.enter
        } else {
            let [left, back] = near.gap(before, met.enter[1], &mut found.unknown)?;
            match open.take() {
                Some(met) => found.met.push(Met { exit: Some([before, left]), ..met }),
                // Near at the start, then apart: perhaps in contact.
                None if left <= back && left > 0.0 => found.unknown.push(Unknown::deviation(0.0, left)),
                None => {}
            }
            [back, met.enter[1]]
        };
        open = Some(Met { enter, exit: None, ..met });
        before = until;
    }
    if let Some(met) = open.filter(|_| before >= duration) {
        found.met.push(met);
    } else if let Some(met) = open {
        let [left, back] = near.gap(before, duration, &mut found.unknown)?;
        found.met.push(Met { exit: Some([before, left]), ..met });
        if left <= back && back < duration {
            found.unknown.push(Unknown::deviation(back, duration));
        }
    }
    found.unknown.sort_by(|x, y| x.from.total_cmp(&y.from));
    Ok(found)
}

impl Unknown<PairDoubt> {
    fn deviation(from: f64, to: f64) -> Self {
        Self { from, to, why: PairDoubt::Deviation }
    }
}

impl From<Doubt> for PairDoubt {
    fn from(doubt: Doubt) -> Self {
        match doubt {
            Doubt::Budget => Self::Budget,
            Doubt::Rounding => Self::Rounding,
        }
    }
}

/// Asks when two polyhedra are within a distance of each other.
struct Near<'a> {
    bodies: (&'a Body, &'a Body),
    track: &'a Track,
    /// The distance is their tolerance.
    options: Options,
}

impl Near<'_> {
    /// The time up to which they are provably further apart, from `from` on; `None`: up to `to`.
    fn first(&self, from: f64, to: f64) -> Result<Option<f64>, Error> {
        for piece in self.track.between(from, to)? {
            if let Some(t) = self.first_share(&piece.screw)? {
                return Ok(Some(piece.not_after(t)));
            }
        }
        Ok(None)
    }

    /// The time from which on they are provably further apart until `to`; `None`: from `from` on.
    fn last(&self, from: f64, to: f64) -> Result<Option<f64>, Error> {
        for piece in self.track.between(from, to)?.iter().rev() {
            if let Some(t) = self.first_share(&piece.screw.reversed())? {
                return Ok(Some(piece.not_before(1.0 - t)));
            }
        }
        Ok(None)
    }

    fn first_share(&self, screw: &Screw) -> Result<Option<f64>, Error> {
        let found = first_within(self.bodies.0, self.bodies.1, screw, &self.options)?;
        Ok(match found.outcome {
            Outcome::Clear => None,
            Outcome::Contact(contact) => Some(contact.time[0]),
            Outcome::Overlapping(_) => Some(0.0),
            Outcome::Undecided { clear_until, .. } => Some(clear_until.clamp(0.0, 1.0)),
        })
    }

    /// Between contact until `from` and contact by `to` (or the begin and end of the motion): a time by which the first has
    /// ended, and one until which the second has not begun; what is near in between, and may be contact, goes to `unknown`.
    /// Where the polyhedra are never seen to be far enough apart the two reach past each other.
    fn gap(&self, from: f64, to: f64, unknown: &mut Vec<Unknown<PairDoubt>>) -> Result<[f64; 2], Error> {
        let place =
            |i: u32| if i == PARTS { to } else { from + (to - from) * (f64::from(i) / f64::from(PARTS)) };
        let mut apart = [None; 2];
        for (found, order) in apart.iter_mut().zip([0, PARTS]) {
            for i in 0..=PARTS {
                let time = place(order.abs_diff(i));
                if self.is_apart(time)? {
                    *found = Some(time);
                    break;
                }
            }
        }
        let [Some(first), Some(last)] = apart else { return Ok([to, from]) };
        if let Some(begin) = self.first(first, last)? {
            let end = self.last(first, last)?.unwrap_or(last);
            unknown.push(Unknown::deviation(begin, end));
        }
        let left = self.last(from, first)?.unwrap_or(from);
        let back = self.first(last, to)?.unwrap_or(to);
        Ok([left, back])
    }

    /// Whether they are provably further apart at a time.
    fn is_apart(&self, time: f64) -> Result<bool, Error> {
        let pose = self.track.piece_at(time).pose_at(time);
        Ok(self.first_share(&Screw::still(pose))?.is_none())
    }
}

/// Proves that neither body is inside the round surface of the other.
struct Crossing {
    tests: Vec<OutsideTest>,
    /// Of both bodies, in metres.
    size: f64,
}

/// Whether every piece of a surface has a point outside a round body.
struct OutsideTest {
    round: Primitive,
    /// Whether the round body is A, and the points are those of B.
    round_is_a: bool,
    /// Some vertices of every piece.
    pieces: Vec<Vec<DVec3>>,
}

/// Steps after which the proof ends where it is.
const STEPS: usize = 4096;

impl Crossing {
    fn new((a, b): (&SceneShape, &SceneShape)) -> Self {
        let test = |round: &SceneShape, other: &SceneShape, round_is_a| {
            round.round.map(|round| OutsideTest {
                round,
                round_is_a,
                pieces: outermost_vertices(other.body.mesh()),
            })
        };
        let tests = [test(a, b, true), test(b, a, false)].into_iter().flatten().collect();
        let reach = |shape: &SceneShape| shape.diagonal + shape.body.mesh().centre().length();
        Self { tests, size: reach(a) + reach(b) }
    }

    /// Until when, from a time on, it provably lasts without a break; `None`: it is not certain at that time.
    fn lasts(&self, track: &Track, from: f64, to: f64) -> Result<Option<f64>, Error> {
        let piece = track.piece_at(from);
        if self.margin(&piece.pose_at(from)) <= 0.0 {
            return Ok(None);
        }
        let duration = track.0.last().map_or(0.0, |piece| piece.end);
        let mut time = from;
        for piece in track.between(from, to)? {
            let speed = self.speed(&piece) * OUTSIDE;
            for step in 0.. {
                let margin = self.margin(&piece.pose_at(time));
                if step == STEPS || margin <= 1e-9 * duration * speed {
                    return Ok(Some(time));
                }
                time += margin / speed;
                // No speed at all makes this infinite.
                if time.is_nan() || time >= piece.end {
                    time = piece.end;
                    break;
                }
            }
        }
        Ok(Some(to))
    }

    /// A lower bound of how far outside each piece reaches, for A at a pose as seen from B.
    fn margin(&self, pose: &Pose) -> f64 {
        let inverse = pose.inverse();
        let margin = |test: &OutsideTest| {
            let pose = if test.round_is_a { &inverse } else { pose };
            let outside = |point: &DVec3| test.round.distance_outside(pose.transform_point(*point));
            let furthest = |piece: &Vec<DVec3>| piece.iter().map(outside).fold(f64::NEG_INFINITY, f64::max);
            test.pieces.iter().map(furthest).fold(f64::INFINITY, f64::min)
        };
        let rounding = 1e-14 * (self.size + pose.position().length());
        self.tests.iter().map(margin).fold(f64::INFINITY, f64::min) - rounding
    }

    /// A bound of the speed, in metres a second, at which a point of one body moves as seen from the other.
    fn speed(&self, piece: &TimedScrew) -> f64 {
        let inverse = piece.screw.inverse();
        let fastest = |test: &OutsideTest| {
            let screw = if test.round_is_a { &inverse } else { &piece.screw };
            // The same at all times of a screw.
            let speed =
                |point: &DVec3| screw.velocity_at(screw.start().transform_point(*point), 0.0).length();
            test.pieces.iter().flatten().map(speed).fold(0.0, f64::max)
        };
        self.tests.iter().map(fastest).fold(0.0, f64::max) / (piece.end - piece.begin)
    }
}

/// Of every piece of a mesh that hangs together by its vertices, those that reach furthest in 26 directions.
fn outermost_vertices(mesh: &Mesh) -> Vec<Vec<DVec3>> {
    let count = mesh.vertex_count();
    let mut parent: Vec<usize> = (0..count).collect();
    let root = |parent: &mut [usize], mut i: usize| {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    };
    for triangle in mesh.triangles() {
        let [a, b, c] = triangle.map(|v| root(&mut parent, v as usize));
        parent[b] = a;
        let c = root(&mut parent, c);
        parent[c] = a;
    }
    let mut members: Vec<Vec<DVec3>> = vec![Vec::new(); count];
    for vertex in mesh.used_vertices() {
        let piece = root(&mut parent, vertex as usize);
        members[piece].push(mesh.vertex(vertex));
    }
    let directions: Vec<DVec3> = (0..27_u32)
        .map(|i| DVec3::new(f64::from(i % 3), f64::from(i / 3 % 3), f64::from(i / 9)) - DVec3::ONE)
        .filter(|direction| *direction != DVec3::ZERO)
        .collect();
    let furthest = |piece: Vec<DVec3>| {
        if piece.len() <= directions.len() {
            return piece;
        }
        let along = |d: &DVec3| piece.iter().copied().max_by(|p, q| p.dot(*d).total_cmp(&q.dot(*d)));
        directions.iter().filter_map(along).collect()
    };
    members.into_iter().filter(|piece| !piece.is_empty()).map(furthest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(primitive: Primitive) -> SceneShape {
        SceneShape::primitive(primitive).unwrap()
    }

    fn ball(radius: f64) -> SceneShape {
        shape(Primitive::Sphere { radius })
    }

    /// A moves along x through keys (time, x), turned so that no axis is special.
    fn along_x(shapes: (&SceneShape, &SceneShape), keys: &[(f64, f64)]) -> RoundFound {
        let turn = glam::DQuat::from_xyzw(0.1, 0.2, -0.3, 0.9).normalize();
        let keys: Vec<_> =
            keys.iter().map(|&(time, x)| (time, Pose::new(DVec3::new(x, 0.0, 0.0), turn).unwrap())).collect();
        let track = Track::keyframes(&keys, keys.last().unwrap().0).unwrap();
        let options = Options { tolerance: Some(1e-9), ..Options::default() };
        round_intervals(shapes, &track, &options).unwrap()
    }

    #[track_caller]
    fn assert_contains([lo, hi]: [f64; 2], time: f64, width: f64) {
        assert!(lo <= time && time <= hi && hi - lo <= width, "[{lo}, {hi}] {time}");
    }

    #[test]
    fn a_ball_through_a_box() {
        // A ball of radius 0.5 moves at 1 m/s; the wall's faces stand at -0.1 and 0.1.
        let wall = shape(Primitive::Box { size: DVec3::new(0.2, 4.0, 4.0) });
        let found = along_x((&ball(0.5), &wall), &[(0.0, 2.0), (4.0, -2.0)]);
        let [met] = &found.met[..] else { panic!("{found:?}") };
        // Twice the deviation of 0.0171: once for the ball, once for how early the search may stop.
        assert_contains(met.enter, 1.4, 0.04);
        assert_contains(met.exit.unwrap(), 2.6, 0.04);
        assert!(found.unknown.is_empty() && found.start == AtStart::Apart);
    }

    #[test]
    fn two_balls_that_cross_and_that_pass_into_each_other() {
        let found = along_x((&ball(0.5), &ball(0.5)), &[(0.0, 2.0), (4.0, -2.0)]);
        // Of the same size they cross until their centres meet, when the one is the other.
        assert_contains(found.met[0].enter, 1.0, 0.06);
        // The small one is inside from x = 0.6 on, and inside again until x = -0.6.
        let found = along_x((&ball(0.2), &ball(0.8)), &[(0.0, 2.0), (4.0, -2.0)]);
        assert_contains(found.met[0].enter, 1.0, 0.06);
        let exit = found.met[0].exit.unwrap();
        assert!(exit[0] <= 1.4 && exit[1] >= 1.4, "{found:?}");
        let covered = |t: f64| {
            let met = |met: &Met| met.enter[0] <= t && met.exit.is_none_or(|exit| exit[1] >= t);
            found.met.iter().any(met) || found.unknown.iter().any(|u| u.from <= t && u.to >= t)
        };
        assert!(covered(2.7) && covered(2.99), "{found:?}");
        // Nothing is claimed for the time inside.
        let claimed = |met: &Met| met.enter[1] <= 2.0 && met.exit.is_none_or(|exit| exit[0] >= 2.0);
        assert!(!found.met.iter().any(claimed), "{found:?}");
    }

    #[test]
    fn a_grain_that_meets_the_polyhedron_from_inside_does_not_touch_the_ball() {
        // Inside a ball of radius 1, from the centre to 0.99: it leaves the polyhedron, never the ball.
        let grain = shape(Primitive::Box { size: DVec3::splat(0.002) });
        let found = along_x((&grain, &ball(1.0)), &[(0.0, 0.0), (1.0, 0.99)]);
        assert!(found.met.is_empty(), "{found:?}");
        let [unknown] = &found.unknown[..] else { panic!("{found:?}") };
        assert_eq!(unknown.why, PairDoubt::Inside);
        assert!(unknown.from > 0.9 && unknown.to == 1.0, "{unknown:?}");
    }

    #[test]
    fn near_misses_within_and_beyond_the_deviation() {
        let wall = shape(Primitive::Box { size: DVec3::new(1.0, 4.0, 4.0) });
        // The gap of the round surface at the nearest: first 0.1 m, then 0.001 m.
        let found = along_x((&ball(0.5), &wall), &[(0.0, 3.0), (1.0, 1.1), (2.0, 3.0)]);
        assert!(found.met.is_empty() && found.unknown.is_empty(), "{found:?}");
        let found = along_x((&ball(0.5), &wall), &[(0.0, 3.0), (1.0, 1.001), (2.0, 3.0)]);
        assert!(found.met.is_empty(), "{found:?}");
        let [unknown] = &found.unknown[..] else { panic!("{found:?}") };
        assert!(unknown.why == PairDoubt::Deviation && unknown.from < 1.0 && unknown.to > 1.0, "{found:?}");
        assert!(unknown.to - unknown.from < 0.05, "{found:?}");
    }

    #[test]
    fn between_two_contacts_they_are_seen_to_be_apart() {
        let wall = shape(Primitive::Box { size: DVec3::new(1.0, 4.0, 4.0) });
        let found = along_x((&ball(0.5), &wall), &[(0.0, 2.0), (2.0, 0.5), (4.0, 2.0), (6.0, 0.5)]);
        let [first, second] = &found.met[..] else { panic!("{found:?}") };
        assert_contains(first.enter, 4.0 / 3.0, 0.06);
        assert_contains(first.exit.unwrap(), 8.0 / 3.0, 0.06);
        assert_contains(second.enter, 16.0 / 3.0, 0.06);
        assert_eq!(second.exit, None);
    }

    #[test]
    fn a_graze_before_a_contact_is_told_apart_from_it() {
        let wall = shape(Primitive::Box { size: DVec3::new(1.0, 4.0, 4.0) });
        // At 1 s the gap is 0.001 m; at 3 s they meet, until 5 s; at 7 s the gap is 0.001 m again.
        let keys = [(0.0, 2.0), (1.0, 1.001), (2.0, 2.0), (3.0, 1.0), (4.0, 0.5), (5.0, 1.0), (6.0, 2.0)];
        let keys: Vec<_> = keys.into_iter().chain([(7.0, 1.001), (8.0, 2.0)]).collect();
        let found = along_x((&ball(0.5), &wall), &keys);
        let [met] = &found.met[..] else { panic!("{found:?}") };
        assert_contains(met.enter, 3.0, 0.1);
        assert_contains(met.exit.unwrap(), 5.0, 0.1);
        let [before, after] = &found.unknown[..] else { panic!("{found:?}") };
        assert_contains([before.from, before.to], 1.0, 0.05);
        assert_contains([after.from, after.to], 7.0, 0.05);
    }

    #[test]
    fn a_graze_at_the_very_start_and_end_is_told_too() {
        let wall = shape(Primitive::Box { size: DVec3::new(1.0, 4.0, 4.0) });
        let keys = [(0.0, 1.001), (1.0, 2.0), (2.0, 0.5), (3.0, 2.0), (4.0, 1.001)];
        let found = along_x((&ball(0.5), &wall), &keys);
        let [met] = &found.met[..] else { panic!("{found:?}") };
        assert_contains(met.enter, 1.0 + 2.0 / 3.0, 0.1);
        let [before, after] = &found.unknown[..] else { panic!("{found:?}") };
        assert_eq!((before.from, after.to), (0.0, 4.0));
        assert!(before.to < 0.1 && after.from > 3.9, "{found:?}");
    }

    #[test]
    fn overlap_at_the_start() {
        let wall = shape(Primitive::Box { size: DVec3::new(1.0, 4.0, 4.0) });
        let found = along_x((&ball(0.5), &wall), &[(0.0, 0.5), (1.0, 2.5)]);
        assert_eq!((found.start, found.met[0].enter), (AtStart::Overlapping, [0.0; 2]));
        assert_contains(found.met[0].exit.unwrap(), 0.25, 0.03);
    }
}
