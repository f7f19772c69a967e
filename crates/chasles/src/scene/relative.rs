//! The motion of one body of a pair as seen from the other, whatever carries them.
//!
//! What both ride on moves both alike and drops out. Where one motion is left, and that is a screw, the relative motion is that screw
//! seen from elsewhere. Where more are left it is no screw: a span of time h is then taken as the screw between the poses at
//! its ends, and two paths that agree at both ends of h differ in between by at most
//!
//! ```text
//! h^2 / 8 max |x'' - y''|
//! ```
//!
//! of which the accelerations are bounded ([`PointRates`]): a proven **deviation**. And where they are e apart in the middle of it, by at most
//!
//! ```text
//! e + h^3 sqrt(3) / 216 max |x''' - y'''|
//! ```
//!
//! which is the sharper bound of short spans. (Kim and Rossignac 2003, "General motions", estimate the deviation at the corners
//! of a box.)

use glam::DVec3;

use crate::motion::rates::PointRates;
use crate::motion::{Pose, Screw};
use crate::scene::definition::{Scene, SceneShape};
use crate::scene::track::{Piece, TimedScrew};

/// Body `a` of a pair as seen from body `b`.
#[derive(Debug, Clone)]
pub(crate) struct Relative<'s> {
    scene: &'s Scene,
    /// A and those it rides on, up to what both ride on, and the same for B.
    above_a: Vec<usize>,
    above_b: Vec<usize>,
    /// What of A and B moves.
    matter: [Matter; 2],
    /// Times at which a motion of one of them stops being smooth, 0 and the duration among them.
    pub(crate) breaks: Vec<f64>,
}

/// A span of time in which a relative motion is smooth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stretch {
    /// One screw, exactly.
    Exact(TimedScrew),
    /// Anything else.
    General {
        /// In seconds.
        begin: f64,
        /// In seconds.
        end: f64,
    },
}

impl Stretch {
    /// From when to when, in seconds.
    pub(crate) fn span(&self) -> (f64, f64) {
        match self {
            Self::Exact(piece) => (piece.begin, piece.end),
            Self::General { begin, end } => (*begin, *end),
        }
    }
}

/// Which body of a pair is said to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mover {
    A,
    B,
}

/// What of a chain of carriers moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Movers {
    None,
    /// The one at this place of the chain.
    One(usize),
    Several,
}

/// A turn of less than this, in radians, in a span that is taken as a screw: the shorter way round is then the right one.
const SHORT_TURN: f64 = 3.0;

/// The greatest of |s (s - 1/2) (s - 1)| / 6 for s in [0, 1]: sqrt(3) / 216, rounded up.
const CUBIC: f64 = 0.008_018_754;

/// Roundings of a place in a chain of poses, relative to the lengths of its parts.
const ROUNDINGS: f64 = 12.0;

/// Bounds are enlarged by this for the operations in which they are computed.
const OUTSIDE: f64 = 1.0 + 1e-9;

impl<'s> Relative<'s> {
    pub(crate) fn new(scene: &'s Scene, [a, b]: [usize; 2]) -> Self {
        let common = scene.common_carrier(a, b);
        let chain = |body: usize| {
            let mut chain = Vec::new();
            let mut next = Some(body);
            while let Some(index) = next.filter(|_| next != common) {
                chain.push(index);
                next = scene.bodies[index].parent;
            }
            chain
        };
        let (above_a, above_b) = (chain(a), chain(b));
        let mut breaks = vec![0.0, scene.duration()];
        for &body in above_a.iter().chain(&above_b) {
            let placed = &scene.placed[body];
            if placed.constant.is_none() {
                breaks.extend(placed.track.0.iter().map(Piece::end));
            }
        }
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();
        let matter = [a, b].map(|body| scene.bodies[body].shape.as_ref().map_or(Matter::POINT, Matter::of));
        Self { scene, above_a, above_b, matter, breaks }
    }

    /// The smooth stretches, in order, without a gap.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = Stretch> + '_ {
        self.breaks.windows(2).map(|pair| self.stretch(pair[0], pair[1]))
    }

    fn stretch(&self, begin: f64, end: f64) -> Stretch {
        let middle = 0.5 * (begin + end);
        let general = Stretch::General { begin, end };
        let (mover, place) = match (self.movers(&self.above_a, middle), self.movers(&self.above_b, middle)) {
            (Movers::None, Movers::None) => {
                let screw = Screw::still(self.pose_at(middle, middle));
                return Stretch::Exact(TimedScrew { begin, end, screw });
            }
            (Movers::One(p), Movers::One(q)) if self.move_alike((p, q), middle) => {
                let screw = Screw::still(self.pose_at(begin, middle));
                return Stretch::Exact(TimedScrew { begin, end, screw });
            }
            (Movers::One(place), Movers::None) => (Mover::A, place),
            (Movers::None, Movers::One(place)) => (Mover::B, place),
            _ => return general,
        };
        let (chain, other) = match mover {
            Mover::A => (&self.above_a, &self.above_b),
            Mover::B => (&self.above_b, &self.above_a),
        };
        let Piece::Screw(piece) = self.piece(chain[place], middle) else { return general };
        let Ok(piece) = piece.part(begin, end) else { return general };
        // The standing body in the frame in which the carrier moves, and the rider in the carrier's own.
        let standing = self.standing(other, middle);
        let base = self.standing(&chain[place + 1..], middle);
        let from = if base == Pose::IDENTITY { standing } else { base.inverse().compose(&standing) };
        let offset = self.standing(&chain[..place], middle);
        let mut screw = piece.screw.seen_from(&from);
        if offset != Pose::IDENTITY {
            // Seen from inside, the carrier's motion is that of the world; its rider sees the same from elsewhere.
            screw = screw.inverse().seen_from(&offset).inverse();
        }
        let screw = if mover == Mover::A { screw } else { screw.inverse() };
        Stretch::Exact(TimedScrew { begin, end, screw })
    }

    /// The body of the pair that is said to move at a time: B where only B does.
    pub(crate) fn mover(&self, time: f64) -> Mover {
        match self.movers(&self.above_a, time) {
            Movers::None if self.movers(&self.above_b, time) != Movers::None => Mover::B,
            _ => Mover::A,
        }
    }

    /// Whether the one mover of either chain, at these places, takes it along in the same way: they stand relative to each other.
    fn move_alike(&self, (p, q): (usize, usize), time: f64) -> bool {
        self.piece(self.above_a[p], time) == self.piece(self.above_b[q], time)
            && self.standing(&self.above_a[p + 1..], time) == self.standing(&self.above_b[q + 1..], time)
    }

    fn movers(&self, chain: &[usize], time: f64) -> Movers {
        let mut moving = (0..chain.len()).filter(|place| !self.piece(chain[*place], time).is_still());
        match (moving.next(), moving.next()) {
            (None, _) => Movers::None,
            (Some(place), None) => Movers::One(place),
            _ => Movers::Several,
        }
    }

    fn piece(&self, body: usize, time: f64) -> &Piece {
        self.scene.placed[body].track.piece_at(time)
    }

    /// The pose of the first of a chain in the frame above its last, at a time of the stretch that holds `within`.
    fn placed(&self, chain: &[usize], time: f64, within: f64) -> Pose {
        let mut pose = Pose::IDENTITY;
        for &body in chain {
            let own = self.piece(body, within).pose_at(time);
            pose = if pose == Pose::IDENTITY { own } else { own.compose(&pose) };
        }
        pose
    }

    fn standing(&self, chain: &[usize], within: f64) -> Pose {
        self.placed(chain, within, within)
    }

    /// The pose of A in B's frame at a time of the stretch that holds `within` (at a jump there are two).
    pub(crate) fn pose_at(&self, time: f64, within: f64) -> Pose {
        let (a, b) = (self.placed(&self.above_a, time, within), self.placed(&self.above_b, time, within));
        Screw::still(a).seen_from(&b).start()
    }

    /// A bound of how fast the gap of the two changes between two times of one stretch, in metres per second.
    pub(crate) fn speed(&self, begin: f64, end: f64) -> f64 {
        let (middle, duration) = (0.5 * (begin + end), end - begin);
        let rates = self.rates(begin, end);
        let poses = [self.pose_at(begin, middle), self.pose_at(end, middle)];
        let slack = 2.0 * self.rounding(begin, middle).max(self.rounding(end, middle));
        // No speed differs from that of the way from end to end by more than it can change in half of the time, on average.
        let [a, b] = [0, 1].map(|i| {
            let even = (self.between(i, &poses) + slack) / duration + 0.5 * duration * rates[i].change;
            rates[i].speed.min(even * OUTSIDE)
        });
        a.min(b)
    }

    /// How far any point of A is at most from one of two poses to the other, as seen from B; or of B as seen from A.
    fn between(&self, body: usize, poses: &[Pose; 2]) -> f64 {
        let [first, last] = if body == 0 { *poses } else { poses.map(|pose| pose.inverse()) };
        let Matter { centre, radius } = self.matter[body];
        let turn = last.rotation() * first.rotation().conjugate();
        let moved = first.transform_point(centre).distance(last.transform_point(centre));
        moved + 2.0 * turn.xyz().length() * radius
    }

    /// A bound of how fast one turns as seen from the other, in radians per second.
    pub(crate) fn spin(&self, begin: f64, end: f64) -> f64 {
        self.rates(begin, end)[0].spin
    }

    /// How fast the points of A move at most as seen from B, and those of B as seen from A.
    fn rates(&self, begin: f64, end: f64) -> [PointRates; 2] {
        let [a, b] = &self.matter;
        let (above_a, above_b) = (&self.above_a, &self.above_b);
        [
            self.rates_of(a, (above_a, above_b), (begin, end)),
            self.rates_of(b, (above_b, above_a), (begin, end)),
        ]
    }

    /// How fast what rides on the first chain moves at most as seen from what rides on the second.
    fn rates_of(
        &self,
        matter: &Matter,
        (own, other): (&[usize], &[usize]),
        (begin, end): (f64, f64),
    ) -> PointRates {
        let middle = 0.5 * (begin + end);
        let half = 0.5 * (end - begin);
        let (mut rates, mut centre) = carried(self.scene, own, matter, (begin, end));
        for &body in other.iter().rev() {
            let piece = self.piece(body, middle);
            let frame = piece.rates((begin, end));
            let pose = piece.pose_at(middle);
            let reach = centre.distance(pose.position()) + matter.radius + (rates.speed + frame.speed) * half;
            rates = rates.seen_from(&frame, reach * OUTSIDE);
            centre = pose.inverse().transform_point(centre);
        }
        rates
    }

    /// How far, in metres, a point of A can be from where [`Self::pose_at`] puts it as seen from B, for rounding alone: far from the
    /// origin of whatever both move in there are no finer places.
    pub(crate) fn rounding(&self, time: f64, within: f64) -> f64 {
        let far = |body: &usize| self.piece(*body, within).pose_at(time).position().length();
        let places: f64 = self.above_a.iter().chain(&self.above_b).map(far).sum();
        let arms: f64 = self.matter.iter().map(|matter| matter.centre.length() + matter.radius).sum();
        ROUNDINGS * f64::EPSILON * (places + arms)
    }

    /// Whether B is a ball, which goes where its centre goes, however it spins, and A is none: [`Self::screw`] then leaves out
    /// that A turns as seen from B, and B's axes turn with A's instead ([`Self::turned`]).
    pub(crate) fn is_past_a_ball(&self) -> bool {
        self.matter[0].radius > 0.0 && self.matter[1].radius == 0.0
    }

    /// What of [`Self::screw`] is left out past a ball: takes B's axes as the screw has them at a time to what they are.
    pub(crate) fn turned(&self, piece: &TimedScrew, time: f64) -> Pose {
        let within = 0.5 * (piece.begin + piece.end);
        self.pose_at(time, within).compose(&piece.pose_at(time).inverse())
    }

    /// The way of a ball's centre past the other body, straight on from pose to pose; A's pose in axes of B that turn with A.
    fn straight(&self, first: &Pose, last: &Pose) -> Option<Screw> {
        let way = if self.matter[0].radius == 0.0 {
            last.position() - first.position()
        } else if self.matter[1].radius == 0.0 {
            let [from, to] = [first, last].map(|pose| pose.inverse().position());
            first.transform_vector(from - to)
        } else {
            return None;
        };
        Some(Screw::translation(*first, way))
    }

    /// The screw between the poses at two times of one stretch, and its deviation in metres: infinite where a turn is so long that it
    /// may be the wrong one.
    ///
    /// Two bodies that come within a distance in the true motion come within it and the deviation in the screw. Where a point of A
    /// meets one of B, either may be said to be off; so the lesser bound counts, that of the points of A as seen from B or
    /// the other way round.
    pub(crate) fn screw(&self, begin: f64, end: f64) -> (TimedScrew, f64) {
        let middle = 0.5 * (begin + end);
        let rates = self.rates(begin, end);
        let (first, last) = (self.pose_at(begin, middle), self.pose_at(end, middle));
        let duration = end - begin;
        let rounding = self.rounding(begin, middle).max(self.rounding(end, middle));
        let truth = self.pose_at(middle, middle);
        let cube = CUBIC * duration.powi(3);
        // What is measured in the middle may be off by two roundings.
        let off = |second: f64, apart: f64, third: f64| {
            let by_second = duration * duration / 8.0 * second;
            let by_third = apart + cube * third + 2.0 * rounding;
            if by_third < by_second { by_third * OUTSIDE } else { by_second * OUTSIDE }
        };
        if let Some(screw) = self.straight(&first, &last) {
            let own = usize::from(self.matter[0].radius > 0.0);
            let [from, to, there] = [first, last, truth].map(|pose| match own {
                0 => pose.position(),
                _ => pose.inverse().position(),
            });
            let apart = there.distance(0.5 * (from + to));
            let off = off(rates[own].change, apart, rates[own].jerk);
            return (TimedScrew { begin, end, screw }, off + rounding);
        }
        let screw = Screw::between(first, last);
        let spin = screw.angle() / duration;
        // From the start of A, as the screw has it.
        let arms = [
            screw.start_rotation() * self.matter[0].centre,
            self.matter[1].centre - screw.start().position(),
        ];
        let halfway = [truth, screw.pose_at(0.5)];
        let deviation = |i: usize| {
            let across = screw.velocity_across_at(arms[i]).length() / duration;
            let own = spin * (across + spin * self.matter[i].radius);
            off(rates[i].change + own, self.between(i, &halfway), rates[i].jerk + spin * own)
        };
        let least = deviation(0).min(deviation(1)) + rounding;
        let too_long = rates[0].spin * duration > SHORT_TURN;
        (TimedScrew { begin, end, screw }, if too_long { f64::INFINITY } else { least })
    }
}

/// How fast the points of a body move at most in the frame above the last of its carriers, itself the first of them, between two
/// times of one smooth stretch; and where their centre is in the middle.
pub(crate) fn carried(
    scene: &Scene,
    carriers: &[usize],
    matter: &Matter,
    (begin, end): (f64, f64),
) -> (PointRates, DVec3) {
    let middle = 0.5 * (begin + end);
    let half = 0.5 * (end - begin);
    let mut rates = PointRates::default();
    let mut centre = matter.centre;
    for &body in carriers {
        let piece = scene.placed[body].track.piece_at(middle);
        let reach = centre.length() + matter.radius + rates.speed * half;
        rates = rates.carried(&piece.rates((begin, end)), reach * OUTSIDE);
        centre = piece.pose_at(middle).transform_point(centre);
    }
    (rates, centre)
}

/// The points of a body whose way matters: those of the mesh, or of a round body those that its surface follows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matter {
    /// In the body's frame.
    pub(crate) centre: DVec3,
    /// About the centre, in metres.
    pub(crate) radius: f64,
}

impl Matter {
    /// Of a body without a surface.
    const POINT: Self = Self { centre: DVec3::ZERO, radius: 0.0 };

    pub(crate) fn of(shape: &SceneShape) -> Self {
        match shape.round() {
            Some(round) => Self { centre: DVec3::ZERO, radius: round.core_radius() },
            None => Self { centre: shape.body().mesh().centre(), radius: shape.body().mesh().radius() },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DQuat;

    use super::*;
    use crate::body::Body;
    use crate::motion::{CubicKey, Curve};
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition};
    use crate::shape::{Mesh, Primitive};

    /// Random numbers (splitmix64).
    struct Random(u64);

    impl Random {
        fn unit(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 * 0.5_f64.powi(53)
        }

        fn below(&mut self, n: u32) -> u32 {
            (0..n).rev().find(|i| self.unit() * f64::from(i + 1) < 1.0).unwrap_or(0)
        }

        fn vector(&mut self, r: f64) -> DVec3 {
            let mut side = || r * (2.0 * self.unit() - 1.0);
            DVec3::new(side(), side(), side())
        }

        fn rotation(&mut self) -> DQuat {
            let v = self.vector(1.0);
            DQuat::from_xyzw(v.x, v.y, v.z, 2.0 * self.unit() - 1.0).normalize()
        }

        fn pose(&mut self) -> Pose {
            Pose::from_parts(self.vector(2.0), self.rotation())
        }
    }

    fn motion(random: &mut Random, duration: f64, kinds: u32) -> BodyMotion {
        let start = random.pose();
        match random.below(kinds) {
            0 => BodyMotion::Still(start),
            1 => {
                let angle = 12.0 * (random.unit() - 0.5);
                let slide = 2.0 * (random.unit() - 0.5);
                let axis = random.vector(1.0);
                BodyMotion::Screw(Screw::about(start, axis, random.vector(2.0), slide, angle).unwrap())
            }
            2 => {
                let (linear, angular) = (random.vector(3.0) / duration, random.vector(6.0) / duration);
                BodyMotion::Twist { start, linear, angular }
            }
            // Falling: evenly accelerated, without a turn.
            3 | 4 => {
                let (from, out, change) = (random.vector(2.0), random.vector(2.0), random.vector(2.0));
                let key = |time: f64, s: f64| {
                    let tangent = (out + 2.0 * s * change) / duration;
                    let value = from + s * out + s * s * change;
                    CubicKey { time, in_tangent: tangent, value, out_tangent: tangent }
                };
                let position = Curve::Cubic(vec![key(0.0, 0.0), key(duration, 1.0)]);
                let rotation = match random.below(2) {
                    0 => Curve::constant(random.rotation()),
                    _ => Curve::Linear(vec![(0.0, random.rotation()), (duration, random.rotation())]),
                };
                BodyMotion::Curves { position, rotation }
            }
            _ => {
                let mut key = |time: f64| {
                    let tangents = [random.vector(3.0), random.vector(3.0)].map(|v| v / duration);
                    CubicKey {
                        time,
                        in_tangent: tangents[0],
                        value: random.vector(2.0),
                        out_tangent: tangents[1],
                    }
                };
                let position = Curve::Cubic(vec![key(0.0), key(0.4 * duration), key(duration)]);
                let mut key = |time: f64| {
                    let [mut before, mut after] = [0.0; 2].map(|_| random.rotation() * (1.5 / duration));
                    if random.below(3) == 0 {
                        (before, after) = (before * 0.0, after * 0.0);
                    }
                    CubicKey { time, in_tangent: before, value: random.rotation(), out_tangent: after }
                };
                let rotation = Curve::Cubic(vec![key(0.1 * duration), key(0.7 * duration)]);
                BodyMotion::Curves { position, rotation }
            }
        }
    }

    /// Two bodies, each at the end of a chain of up to four carriers; their numbers. Of seven kinds of motion the first is none
    /// and the second a screw.
    fn scene(random: &mut Random, kinds: u32) -> (Scene, [usize; 2]) {
        let duration = 10.0_f64.powf(3.0 * random.unit() - 1.5);
        let mut bodies: Vec<SceneBody> = Vec::new();
        let mut numbers = [0; 2];
        for number in &mut numbers {
            let mut parent = None;
            let length = 1 + random.below(4);
            for link in 0..length {
                let shape = (link + 1 == length).then(|| shape(random));
                let motion = motion(random, duration, kinds);
                bodies.push(SceneBody {
                    name: "link".into(),
                    shape,
                    motion,
                    parent,
                    group: None,
                    solid: false,
                });
                parent = Some(bodies.len() - 1);
            }
            *number = bodies.len() - 1;
        }
        let definition =
            SceneDefinition { duration, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
        (Scene::new(definition).unwrap(), numbers)
    }

    /// A triangle off its origin, or a ball.
    fn shape(random: &mut Random) -> SceneShape {
        if random.below(8) == 0 {
            return SceneShape::primitive(Primitive::Sphere { radius: 0.5 }).unwrap();
        }
        let at = random.vector(1.0);
        let corners = (0..3).map(|_| at + random.vector(0.7)).collect();
        SceneShape::mesh(Arc::new(Body::new(Mesh::new(corners, vec![[0, 1, 2]]).unwrap())))
    }

    /// Points of a body whose way is bounded.
    fn points(scene: &Scene, body: usize) -> Vec<DVec3> {
        let shape = scene.bodies[body].shape.as_ref().unwrap();
        match shape.round() {
            Some(_) => vec![DVec3::ZERO],
            None => (0..3).map(|i| shape.body().mesh().vertex(i)).collect(),
        }
    }

    /// A span within a stretch of a motion, from a millionth of it to all.
    fn span(random: &mut Random, relative: &Relative<'_>) -> (f64, f64) {
        let stretches: Vec<_> = relative.stretches().map(|stretch| stretch.span()).collect();
        let count = u32::try_from(stretches.len()).unwrap();
        let (begin, end) = stretches[random.below(count) as usize];
        let length = (end - begin) * 10.0_f64.powf(-4.0 * random.unit());
        let from = begin + (end - begin - length) * random.unit();
        (from, (from + length).min(end))
    }

    const SAMPLES: u32 = 16;

    #[test]
    fn the_screw_is_within_its_deviation_of_the_motion() {
        let (mut finite, mut tight) = (0, 0);
        for seed in 0..3000 {
            let random = &mut Random(seed);
            let (scene, [a, b]) = scene(random, 7);
            let relative = Relative::new(&scene, [a, b]);
            let (begin, end) = span(random, &relative);
            let middle = 0.5 * (begin + end);
            let (piece, deviation) = relative.screw(begin, end);
            assert!(deviation >= 0.0, "seed {seed}: {deviation}");
            if deviation.is_infinite() {
                continue;
            }
            finite += 1;
            // Past a ball only the way of its centre counts, in whatever axes.
            let ball = relative.matter.iter().any(|matter| matter.radius == 0.0);
            let mut off = [0.0_f64; 2];
            for i in 0..=SAMPLES {
                let time = begin + (end - begin) * f64::from(i) / f64::from(SAMPLES);
                let (truth, screw) = (relative.pose_at(time, middle), piece.pose_at(time));
                if ball {
                    let [from_a, from_b] = [truth.inverse(), screw.inverse()].map(|pose| pose.position());
                    let (at_a, at_b) = (truth.position(), screw.position());
                    let way = if relative.matter[0].radius == 0.0 { at_a - at_b } else { from_a - from_b };
                    off = off.map(|off| off.max(way.length()));
                    continue;
                }
                for p in points(&scene, a) {
                    off[0] = off[0].max(truth.transform_point(p).distance(screw.transform_point(p)));
                }
                let (back, screw) = (truth.inverse(), screw.inverse());
                for p in points(&scene, b) {
                    off[1] = off[1].max(back.transform_point(p).distance(screw.transform_point(p)));
                }
            }
            let least = off[0].min(off[1]);
            assert!(least <= deviation + 1e-12, "seed {seed}: {off:?} and {deviation} over {}", end - begin);
            tight += u32::from(least > 0.6 * deviation && deviation > 1e-9);
        }
        // Often enough a bound that is only a little too small would show.
        assert!(finite > 1500 && tight > 100, "{finite} finite, {tight} tight");
    }

    #[test]
    fn no_point_is_faster_than_its_bounds_nor_changes_faster() {
        let (mut fast, mut changing, mut spinning) = (0, 0, 0);
        for seed in 0..4000 {
            let random = &mut Random(seed);
            let (scene, [a, b]) = scene(random, 7);
            let relative = Relative::new(&scene, [a, b]);
            let (begin, end) = span(random, &relative);
            let middle = 0.5 * (begin + end);
            let rates = relative.rates(begin, end);
            let step = (end - begin) / f64::from(SAMPLES);
            let poses: Vec<Pose> =
                (0..=SAMPLES).map(|i| relative.pose_at(begin + step * f64::from(i), middle)).collect();
            let least = rates[0].speed.min(rates[1].speed);
            assert_eq!(relative.speed(begin, end), least, "seed {seed}");
            for (i, body) in [a, b].into_iter().enumerate() {
                let seen = |pose: &Pose| if i == 0 { *pose } else { pose.inverse() };
                for point in points(&scene, body) {
                    let way: Vec<DVec3> =
                        poses.iter().map(|pose| seen(pose).transform_point(point)).collect();
                    let slack = 1e-13 * way[0].length().max(1.0);
                    for pair in way.windows(2) {
                        let moved = pair[0].distance(pair[1]);
                        let most = rates[i].speed * step;
                        assert!(moved <= most * (1.0 + 1e-12) + slack, "seed {seed}: {moved} and {most}");
                        fast += u32::from(moved > 0.8 * most && most > 1e-6);
                    }
                    for three in way.windows(3) {
                        let bent = (three[0] - 2.0 * three[1] + three[2]).length();
                        let most = rates[i].change * step * step;
                        assert!(bent <= most * (1.0 + 1e-12) + 4.0 * slack, "seed {seed}: {bent} and {most}");
                        changing += u32::from(bent > 0.8 * most && most > 1e-6);
                    }
                }
            }
            for pair in poses.windows(2) {
                let turned =
                    2.0 * (pair[1].rotation() * pair[0].rotation().conjugate()).xyz().length().asin();
                let most = relative.spin(begin, end) * step;
                assert!(turned <= most + 1e-7 || most > 1.0, "seed {seed}: {turned} and {most}");
                spinning += u32::from(turned > 0.8 * most && most > 1e-3);
            }
        }
        assert!(fast > 1000 && changing > 1000 && spinning > 1000, "{fast} {changing} {spinning}");
    }

    #[test]
    fn what_slides_outward_on_a_turntable_is_bounded_by_where_it_ends() {
        let body = |shape, motion, parent| SceneBody {
            name: "body".into(),
            shape,
            motion,
            parent,
            group: None,
            solid: false,
        };
        let ball = SceneShape::primitive(Primitive::Sphere { radius: 0.5 }).unwrap();
        let turntable =
            BodyMotion::Twist { start: Pose::IDENTITY, linear: DVec3::X * 1e-3, angular: DVec3::Z * 6.0 };
        let position = Curve::Linear(vec![(0.0, DVec3::ZERO), (1.0, 10.0 * DVec3::X)]);
        let slide = BodyMotion::Curves { position, rotation: Curve::constant(DQuat::IDENTITY) };
        let bodies = vec![
            body(None, turntable, None),
            body(Some(ball.clone()), slide, Some(0)),
            body(Some(ball), BodyMotion::Still(Pose::IDENTITY), None),
        ];
        let definition =
            SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
        let scene = Scene::new(definition).unwrap();
        for (i, pair) in [[1, 2], [2, 1]].into_iter().enumerate() {
            let relative = Relative::new(&scene, pair);
            // At the end it is 10 from the middle: 60 along the rim and 10 outward, and 2 * 6 * 10 + 36 * 10 in change.
            let rates = relative.rates(0.0, 1.0)[i];
            assert!(rates.speed > 60.0_f64.hypot(10.0) - 0.1, "{rates:?}");
            assert!(rates.change > 360.0_f64.hypot(120.0) - 0.1, "{rates:?}");
        }
    }

    #[test]
    fn stretches_follow_the_motion() {
        let mut exact = 0;
        for seed in 0..2000 {
            let random = &mut Random(seed);
            let (scene, [a, b]) = scene(random, 2);
            let relative = Relative::new(&scene, [a, b]);
            let mut last = 0.0;
            for stretch in relative.stretches() {
                let (begin, end) = stretch.span();
                assert_eq!(begin, last, "seed {seed}");
                last = end;
                let Stretch::Exact(piece) = stretch else { continue };
                exact += 1;
                for i in 0..=SAMPLES {
                    let time = begin + (end - begin) * f64::from(i) / f64::from(SAMPLES);
                    let [truth, screw] = [relative.pose_at(time, 0.5 * (begin + end)), piece.pose_at(time)];
                    for p in points(&scene, a) {
                        let off = truth.transform_point(p).distance(screw.transform_point(p));
                        assert!(off < 1e-12, "seed {seed}: {off} off at {time}");
                    }
                }
            }
            assert_eq!(last, scene.duration(), "seed {seed}");
        }
        assert!(exact > 200, "{exact}");
    }
}
