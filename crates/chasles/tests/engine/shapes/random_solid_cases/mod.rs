//! Pairs of random solids in motion, for comparison with a slow twin.

pub(crate) mod formulas;
pub(crate) mod grids;
pub(crate) mod parts;
pub(crate) mod range;
pub(crate) mod tape;
pub(crate) mod twin;
pub(crate) mod walk;

use chasles::{BodyMotion, Scene, SceneBody, SceneDefinition};
use chasles_testing::Random;
use glam::DVec3;

use crate::shapes::solid_cases::truth::{Frame, Inside, Way};
use crate::shapes::solid_cases::{duration, stand, still, way};
use parts::{Made, ball_behind_a_sheet, other, plain, target};
use twin::{Found, Side, Stance};

/// Two bodies in motion.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) sides: [Side; 2],
    made: [Made; 2],
    ways: [Way; 2],
    motions: [BodyMotion; 2],
    pub(crate) duration: f64,
    pub(crate) epsilon: f64,
    pub(crate) clearance: f64,
}

impl Case {
    pub(crate) fn scene(&self) -> Scene {
        let bodies = [0, 1].map(|i| SceneBody {
            name: format!("body {i}"),
            shape: Some(self.made[i].shape.clone()),
            motion: self.motions[i].clone(),
            parent: None,
            group: None,
            solid: self.made[i].may_be_hollow && self.sides[i].inside == Inside::Filled,
        });
        let definition = SceneDefinition {
            duration: self.duration,
            tolerance: None,
            clearance: self.clearance,
            bodies: bodies.into(),
            ignore: vec![],
        };
        Scene::new(definition).unwrap().with_epsilon(self.epsilon).unwrap()
    }

    pub(crate) fn frames(&self, time: f64) -> [Frame; 2] {
        [self.ways[0].at(time), self.ways[1].at(time)]
    }

    pub(crate) fn stance(&self, time: f64) -> Stance<'_> {
        Stance::new([&self.sides[0], &self.sides[1]], self.frames(time))
    }

    /// An upper bound of the rate of change of the gap, per second.
    pub(crate) fn rate(&self) -> f64 {
        1e-9 + 1.0001 * [0, 1].map(|i| self.ways[i].speed(self.sides[i].radius)).iter().sum::<f64>()
    }

    pub(crate) fn description(&self) -> String {
        let one = |i: usize| {
            format!("{:?} {}\n      on {:?}", self.sides[i].inside, self.made[i].told, self.motions[i])
        };
        format!(
            "{}\n    {}\n    duration {}, epsilon {}, clearance {}",
            one(0),
            one(1),
            self.duration,
            self.epsilon,
            self.clearance
        )
    }
}

/// A fast motion past a point near the origin.
fn quick(random: &mut Random, duration: f64) -> (Way, BodyMotion) {
    let linear = random.direction() * 10.0_f64.powf(random.within(0.5, 3.0)) / duration;
    let place = random.vector(0.6) - linear * duration * random.within(0.1, 0.9);
    let (pose, start) = stand(random, place);
    let most = [0.0, 1.0, 30.0][random.below(3)];
    let angular = random.vector(most) / duration;
    (Way::Twist { start, linear, angular }, BodyMotion::Twist { start: pose, linear, angular })
}

/// Along the surface of a body at its home pose: slightly deeper or further away than touching.
fn grazing(random: &mut Random, sides: [&Side; 2], (duration, epsilon): (f64, f64)) -> (Way, BodyMotion) {
    let way = random.direction();
    let (pose, frame) = stand(random, DVec3::ZERO);
    let at = |s: f64| [Frame::HOME, Frame { place: s * way, ..frame }];
    let (mut lo, mut hi) = (0.0, sides[0].radius + sides[1].radius);
    let mut normal = random.direction();
    for _ in 0..30 {
        let middle = 0.5 * (lo + hi);
        let mut stance = Stance::new(sides, at(middle));
        match stance.decide(0.0, 300) {
            Found::Near { at, .. } => {
                lo = middle;
                normal = stance.about(0, at).gradient.normalize_or_zero();
            }
            _ => hi = middle,
        }
    }
    let past = random.direction();
    let linear = (past - past.dot(normal) * normal) * random.within(0.5, 30.0) / duration;
    let off = [-10.0, -1.5, -0.5, 0.5, 1.5, 10.0, 100.0][random.below(7)] * epsilon;
    let place = lo * way + off * normal - linear * duration * random.within(0.2, 0.8);
    let start = Frame { place, ..frame };
    let pose = chasles::Pose::new(place, pose.rotation()).unwrap();
    (
        Way::Twist { start, linear, angular: DVec3::ZERO },
        BodyMotion::Twist { start: pose, linear, angular: DVec3::ZERO },
    )
}

/// A case of any kind.
pub(crate) fn case(random: &mut Random) -> Case {
    let made = [target(random), other(random)];
    let sides = made.each_ref().map(|made| {
        let hollow = made.may_be_hollow && random.one_in(7);
        let inside = if hollow { Inside::Hollow } else { Inside::Filled };
        Side { tape: made.tape.clone(), inside, radius: made.radius }
    });
    let duration = duration(random);
    let epsilon = made[0].radius * 10.0_f64.powf(random.within(-5.0, -2.0));
    let clearance = if random.one_in(4) { random.within(0.01, 0.5) } else { 0.0 };
    let home = || (Way::Still(Frame::HOME), BodyMotion::Still(chasles::Pose::IDENTITY));
    let (first, second) = match random.below(24) {
        0 => {
            let goes = grazing(random, [&sides[0], &sides[1]], (duration, epsilon));
            (home(), goes)
        }
        1..=4 => (still(random), quick(random, duration)),
        5..=9 => (way(random, duration), way(random, duration)),
        _ => (still(random), way(random, duration)),
    };
    Case {
        sides,
        made,
        ways: [first.0, second.0],
        motions: [first.1, second.1],
        duration,
        epsilon,
        clearance,
    }
}

/// A case with an undecided region before a decided one.
pub(crate) fn doubtful(random: &mut Random) -> Case {
    let size = random.within(0.1, 0.4);
    let made = [ball_behind_a_sheet(random), plain(random, size)];
    let sides = made.each_ref().map(|made| {
        let inside = Inside::Filled;
        Side { tape: made.tape.clone(), inside, radius: made.radius }
    });
    let duration = duration(random);
    let epsilon = 10.0_f64.powf(random.within(-4.0, -2.0));
    let place = DVec3::new(1.5, 0.1 * random.side(), 0.1 * random.side());
    let linear = -3.0 / duration * DVec3::X;
    let (pose, start) = stand(random, place);
    let angular = random.vector(3.0) / duration;
    let goes = BodyMotion::Twist { start: pose, linear, angular };
    Case {
        sides,
        made,
        ways: [Way::Still(Frame::HOME), Way::Twist { start, linear, angular }],
        motions: [BodyMotion::Still(chasles::Pose::IDENTITY), goes],
        duration,
        epsilon,
        clearance: 0.0,
    }
}
