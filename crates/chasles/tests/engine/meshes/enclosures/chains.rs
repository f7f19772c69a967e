//! Scenes with bodies attached to others, which are far away, rotated, or moving; enter and exit in seconds.

use std::sync::Arc;

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Mesh, PairReport, PairVerdict, Pose, PreparedMesh, Primitive,
    Scene, SceneBody, SceneDefinition, Screw,
};
use glam::{DQuat, DVec3};

use crate::cases::{Raw, box_of};
use crate::exact::passing::{Meeting, Passing, Surface};
use crate::exact::rational::{Frame, Ratio, Unit, minus, scaled};
use crate::meshes::enclosures::shapes::{quaternion, tetrahedron};
use crate::meshes::enclosures::verdict::{EPS, Verdict, holds, is_blurred, touches};
use chasles_testing::Random;

/// One of the frames above a body, or its own: with a constant rotation, and these positions at the keys.
#[derive(Debug, Clone)]
struct Rider {
    positions: Vec<DVec3>,
    turn: DQuat,
}

impl Rider {
    fn position(&self, key: usize) -> DVec3 {
        self.positions[key.min(self.positions.len() - 1)]
    }

    fn motion(&self, times: &[f64]) -> BodyMotion {
        let pose = |position: &DVec3| Pose::new(*position, self.turn).unwrap();
        if let [position] = &self.positions[..] {
            return BodyMotion::Still(pose(position));
        }
        BodyMotion::Keyframes(times.iter().copied().zip(self.positions.iter().map(pose)).collect())
    }
}

/// The surface of a body.
#[derive(Debug, Clone)]
enum Form {
    Mesh(Raw),
    Ball(f64),
}

impl Form {
    fn shape(&self) -> CollisionShape {
        match self {
            Self::Mesh(raw) => CollisionShape::mesh(Arc::new(PreparedMesh::new(
                Mesh::new(raw.0.clone(), raw.1.clone()).unwrap(),
            ))),
            Self::Ball(radius) => CollisionShape::primitive(Primitive::Sphere { radius: *radius }).unwrap(),
        }
    }

    fn points(&self) -> Vec<DVec3> {
        match self {
            Self::Mesh(raw) => raw.0.clone(),
            Self::Ball(_) => vec![DVec3::ZERO],
        }
    }

    fn faces(&self) -> &[[u32; 3]] {
        match self {
            Self::Mesh(raw) => &raw.1,
            Self::Ball(_) => &[],
        }
    }

    fn radius(&self) -> f64 {
        match self {
            Self::Mesh(_) => 0.0,
            Self::Ball(radius) => *radius,
        }
    }
}

/// Two bodies on chains of frames, the outermost first; all keys at the same times.
#[derive(Debug, Clone)]
pub struct Chained {
    times: [f64; 3],
    forms: [Form; 2],
    chains: [Vec<Rider>; 2],
    /// The motion of the common parent, or of two parents that move alike.
    shared: Option<Screw>,
    alike: bool,
    tolerance: f64,
    /// Whether B comes first in the scene.
    swapped: bool,
}

/// The kind of chains of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Each body moves in the world, or is static, equally far away.
    Free,
    /// One is attached to a static body.
    Stands,
    /// One is attached to a moving body.
    Moves,
    /// Both are attached to chains of their own.
    Both,
    /// Both are attached to a body that moves along a screw.
    Shared,
    /// Each is attached to a body of its own, and both of these move along the same screw, so the relative motion is
    /// unaffected.
    Alike,
}

pub const MODES: [Mode; 6] = [Mode::Free, Mode::Stands, Mode::Moves, Mode::Both, Mode::Shared, Mode::Alike];

fn back(turn: DQuat) -> DQuat {
    turn.normalize().inverse()
}

/// A case in which A approaches B, is in contact at the middle key, and leaves again.
pub fn chained(random: &mut Random, mode: Mode, far: f64) -> Chained {
    let duration = random.within(0.3, 5.0);
    let times = [0.0, duration * random.within(0.3, 0.7), duration];
    let plate = box_of(DVec3::new(4.0, 4.0, 1.0));
    let radius = random.within(0.2, 0.4);
    // The bodies, in a world aligned with B's frame: A starts above the plate, enters it, and leaves upward or
    // through the opposite side.
    let (a, b, inside) = match random.below(5) {
        0 => (Form::Ball(radius), Form::Mesh(plate), 0.6),
        1 => (Form::Ball(radius), Form::Ball(random.within(0.4, 0.6)), 0.5),
        2 => {
            let size = DVec3::new(radius, random.within(0.2, 0.6), random.within(0.2, 0.6));
            (Form::Mesh(box_of(size)), Form::Mesh(plate), 0.5)
        }
        _ => (Form::Mesh(tetrahedron(random, 0.4)), Form::Mesh(plate), 0.5),
    };
    let side = |random: &mut Random| DVec3::new(random.within(-0.2, 0.2), random.within(-0.2, 0.2), 0.0);
    let up = |z: f64| z * DVec3::Z;
    let ways = [up(1.9) + side(random), up(inside) + side(random), up(1.7) + side(random)];
    // Carriers anywhere, one of each chain moving.
    let chain = |random: &mut Random, length: usize, moves: bool| -> Vec<Rider> {
        let rider = |i: usize| {
            let place = far * random.vector(1.0);
            let drift = far.min(1e3) * 0.3 * random.vector(1.0);
            let positions = match moves && i == 0 {
                true => vec![place, place + drift * random.unit(), place + drift],
                false => vec![place],
            };
            Rider { positions, turn: quaternion(random) }
        };
        (0..length).map(rider).collect()
    };
    let (above_a, above_b) = match mode {
        Mode::Free => (Vec::new(), Vec::new()),
        Mode::Stands => (chain(random, 1 + random.clone().below(2), false), Vec::new()),
        Mode::Moves => (chain(random, 1 + random.clone().below(2), true), Vec::new()),
        Mode::Both => {
            let moves = random.below(2) == 0;
            (chain(random, 1, moves), chain(random, 1, moves))
        }
        Mode::Shared | Mode::Alike => (chain(random, random.clone().below(2), false), Vec::new()),
    };
    // B is static in its own frame, near A's carrier.
    let near =
        above_a.first().or(above_b.first()).map_or(far * random.vector(1.0), |rider| rider.positions[0]);
    let place_b = match mode {
        Mode::Shared | Mode::Alike if above_a.is_empty() => 3.0 * random.vector(1.0),
        _ => near + 3.0 * random.vector(1.0),
    };
    let turn_b = if random.below(2) == 0 { DQuat::IDENTITY } else { quaternion(random) };
    let own = |chain: &[Rider], key: usize, world: DVec3| {
        chain.iter().fold(world, |x, rider| back(rider.turn) * (x - rider.position(key)))
    };
    let all_turned =
        |chain: &[Rider]| chain.iter().fold(DQuat::IDENTITY, |q, rider| q * rider.turn.normalize());
    let own_turn_b = (all_turned(&above_b).inverse() * turn_b.normalize()).normalize();
    let keys = usize::from(above_b.iter().any(|rider| rider.positions.len() > 1)) * 2;
    let places_b = (0..=keys).map(|key| own(&above_b, key, place_b)).collect();
    let turn_b = if above_b.is_empty() { turn_b } else { own_turn_b };
    let world_b = (all_turned(&above_b) * turn_b.normalize()).normalize();
    let places_a = (0..3).map(|key| own(&above_a, key, place_b + world_b * ways[key])).collect();
    let riders_a = above_a.into_iter().chain([Rider { positions: places_a, turn: quaternion(random) }]);
    let riders_b = above_b.into_iter().chain([Rider { positions: places_b, turn: turn_b }]);
    let shared = matches!(mode, Mode::Shared | Mode::Alike).then(|| {
        let start = Pose::new(far * random.vector(1.0), quaternion(random)).unwrap();
        let point = start.position() + random.vector(1.0);
        Screw::about(start, random.direction(), point, random.within(-1.0, 1.0), random.within(-3.0, 3.0))
            .unwrap()
    });
    Chained {
        times,
        forms: [a, b],
        chains: [riders_a.collect(), riders_b.collect()],
        shared,
        alike: mode == Mode::Alike,
        tolerance: [1e-9, 1e-8, 1e-6][random.below(3)],
        swapped: random.below(2) == 0,
    }
}

/// One interval between keys, with its times.
struct Stretch {
    passing: Passing,
    begin: Ratio,
    length: Ratio,
}

impl Stretch {
    /// The fraction of the interval that has passed at a time in seconds.
    fn share(&self, time: f64) -> Ratio {
        let Ratio { numerator, denominator } = Ratio::of(time).minus(&self.begin);
        let length = &self.length;
        Ratio::new(numerator * &length.denominator, denominator * &length.numerator)
    }

    fn seconds(&self, meeting: &Meeting) -> Ratio {
        self.begin.plus(&meeting.time.times(&self.length))
    }
}

impl Chained {
    fn lengths(&self) -> impl Iterator<Item = f64> + '_ {
        let positions = self.chains.iter().flatten().flat_map(|rider| rider.positions.clone());
        let points = self.forms.iter().flat_map(Form::points);
        positions.chain(points).flat_map(|v| v.to_array())
    }

    /// The frame of a body in the world, or in the frame of the common parent.
    fn frame(&self, body: usize, unit: Unit, key: usize) -> Frame {
        let frames = self.chains[body].iter().map(|rider| Frame::new(unit, rider.position(key), rider.turn));
        frames.reduce(|outer, inner| outer.compose(&inner)).unwrap()
    }

    fn stretch(&self, key: usize) -> Stretch {
        let unit = Unit::of(self.lengths());
        let [[a, a_end], [b, b_end]] =
            [0, 1].map(|body| [key, key + 1].map(|key| self.frame(body, unit, key)));
        let (norm_a, norm_b) = (&a.norm, &b.norm);
        let placed = |frame: &Frame, form: &Form, norm| {
            let points = form.points().into_iter().map(|v| scaled(norm, &frame.point(&unit.vector(v))));
            Surface::new(points.collect(), form.faces())
        };
        let way_a = scaled(norm_b, &minus(&a_end.place, &a.place));
        let way_b = scaled(norm_a, &minus(&b_end.place, &b.place));
        let passing = Passing {
            a: placed(&a, &self.forms[0], norm_b),
            b: placed(&b, &self.forms[1], norm_a),
            way: minus(&way_a, &way_b),
            denominator: norm_a * norm_b,
            exponent: unit.0,
        };
        let [begin, end] = [self.times[key], self.times[key + 1]].map(Ratio::of);
        Stretch { passing, length: end.minus(&begin), begin }
    }

    /// The largest coordinate.
    fn reach(&self) -> f64 {
        let farthest = |rider: &Rider| rider.positions.iter().map(|v| v.length()).fold(0.0, f64::max);
        let carriers =
            self.shared.filter(|_| self.alike).map_or(0.0, |screw| screw.start().position().length());
        8.0 + carriers + self.chains.iter().flatten().map(farthest).sum::<f64>()
    }

    fn scene(&self) -> Scene {
        let mut bodies = Vec::new();
        let mut add = |motion: BodyMotion, parent: Option<usize>, shape: Option<CollisionShape>| {
            let name = format!("body {}", bodies.len());
            bodies.push(SceneBody { name, shape, motion, parent, group: None, solid: false });
            bodies.len() - 1
        };
        let mut shared = self.shared.map(|screw| add(BodyMotion::Screw(screw), None, None));
        let order = if self.swapped { [1, 0] } else { [0, 1] };
        for (i, body) in order.into_iter().enumerate() {
            if let Some(screw) = self.shared.filter(|_| i > 0 && self.alike) {
                shared = Some(add(BodyMotion::Screw(screw), None, None));
            }
            let chain = &self.chains[body];
            let last = chain.len() - 1;
            chain.iter().enumerate().fold(shared, |parent, (i, rider)| {
                let shape = (i == last).then(|| self.forms[body].shape());
                Some(add(rider.motion(&self.times), parent, shape))
            });
        }
        let [_, _, duration] = self.times;
        let tolerance = Some(self.tolerance);
        Scene::new(SceneDefinition { duration, tolerance, clearance: 0.0, bodies, ignore: vec![] }).unwrap()
    }

    /// Compares a check with the truth; `None` if the case came out otherwise than planned.
    pub fn ask(&self) -> Option<Verdict> {
        let stretches = [self.stretch(0), self.stretch(1)];
        let check = || -> Result<Option<PairReport>, String> {
            let mut report = self
                .scene()
                .check(&CheckOptions { budget: BUDGET, ..CheckOptions::default() }, &())
                .map_err(|e| e.to_string())?;
            Ok(report.pairs.pop())
        };
        let judge = |held: &dyn Fn(&PairReport) -> Verdict| match check() {
            Err(reason) => Err(reason),
            Ok(None) => Err("MISSED, the pair is not listed".into()),
            Ok(Some(pair)) => held(&pair),
        };
        if matches!(self.forms[0], Form::Ball(_)) {
            let ends = [0.0, 1.0].map(Ratio::of);
            let apart = |stretch: usize, end: usize| self.ball_gap(&stretches[stretch], &ends[end]);
            let reach = self.ball_reach(0.0);
            let planned = apart(0, 0) > reach && apart(0, 1) < reach && apart(1, 1) > reach;
            return planned.then(|| judge(&|pair| self.holds_ball(pair, &stretches)));
        }
        let [first, second] = stretches.each_ref().map(|stretch| stretch.passing.meetings());
        let inside = |stretch: &Stretch, t: f64| stretch.passing.intersects(&Ratio::of(t));
        let planned =
            !inside(&stretches[0], 0.0) && inside(&stretches[0], 1.0) && !inside(&stretches[1], 1.0);
        let (first, last) = (first.first()?, second.last()?);
        planned.then(|| {
            judge(&|pair| {
                let enter = (stretches[0].seconds(first), self.speed(0, first.across));
                let exit = (stretches[1].seconds(last), self.speed(1, last.across));
                self.holds_mesh(pair, &stretches, [&enter, &exit])
            })
        })
    }

    /// Speed perpendicular to the features in an interval, in metres per second.
    fn speed(&self, stretch: usize, across: f64) -> f64 {
        let world = |key: usize| {
            let at = |body: usize| {
                let chain = &self.chains[body];
                chain
                    .iter()
                    .rev()
                    .fold(DVec3::ZERO, |x, rider| rider.turn.normalize() * x + rider.position(key))
            };
            at(0) - at(1)
        };
        let time = self.times[stretch + 1] - self.times[stretch];
        (world(stretch + 1) - world(stretch)).length() / time * across
    }

    /// The size of rounding relative to the tolerance, for messages.
    fn description(&self) -> String {
        let balls = self.forms.iter().filter(|form| form.radius() > 0.0).count();
        format!("eps reach {:.2e} m, tolerance {:e} m, {balls} balls", EPS * self.reach(), self.tolerance)
    }

    fn widest(&self, speed: f64) -> f64 {
        (1e-12 * self.reach() / speed).max(1e-6 * self.times[2]) + 8.0 * self.tolerance / speed
    }

    /// The single interval of a report; `None` if there is none and rounding excuses it.
    fn interval(
        &self,
        pair: &PairReport,
        enter: &dyn Fn(f64) -> bool,
    ) -> Result<Option<[[f64; 2]; 2]>, String> {
        if pair.verdict == PairVerdict::Undecided {
            if !is_blurred(self.reach(), self.tolerance) {
                let (until, reason, description) = (pair.clear_until, pair.reason, self.description());
                return Err(format!(
                    "undecided {reason:?}, clear until {until:?}, {:?}, {description}",
                    pair.undecided
                ));
            }
            let early = enter(pair.clear_until);
            return if early {
                Ok(None)
            } else {
                Err(format!("clear until {:?}, after the truth", pair.clear_until))
            };
        }
        if pair.verdict != PairVerdict::Contact {
            return Err(format!("{:?}", pair.verdict));
        }
        let spans: Vec<_> = pair.intervals.iter().map(|i| (i.enter, i.exit)).collect();
        let [(enter, Some(exit))] = spans[..] else { return Err(format!("{spans:?} for one interval")) };
        Ok(Some([enter, exit]))
    }

    fn holds_mesh(&self, pair: &PairReport, stretches: &[Stretch; 2], truth: [&(Ratio, f64); 2]) -> Verdict {
        let Some(reported) = self.interval(pair, &|t: f64| Ratio::of(t) <= truth[0].0)? else {
            return Ok(());
        };
        for (i, (reported, (time, speed))) in reported.into_iter().zip(truth).enumerate() {
            let what = ["enter", "exit"][i];
            // If a rotating motion was followed screw by screw, a crossing and the touch right after it may lie in
            // several.
            let widest = self.widest(*speed) * if self.alike { 3.0 } else { 1.0 };
            let held = holds(what, reported, time, (widest, *speed));
            let touching = i == 1 || pair.intervals[0].contact.is_none_or(|c| c.contact.touching);
            // No crossing is claimed: the features are within the tolerance, and outside it before or after.
            let [outer, inner] = [reported[i], reported[1 - i]];
            let beside = [Ratio::of(outer) <= *time, Ratio::of(outer) >= *time][i];
            if touching && held.is_err() && beside && reported[1] - reported[0] <= widest {
                let gap = |t: f64| stretches[i].passing.gap_squared(&stretches[i].share(t));
                touches([outer, inner], self.tolerance, gap)
                    .map_err(|reason| format!("{what}: {reason}, {}", self.description()))?;
                continue;
            }
            held.map_err(|reason| {
                format!("{reason}, deviation {:.2e}, {}", pair.deviation, self.description())
            })?;
        }
        Ok(())
    }

    /// The square of the distance of a ball's centre from the other's surface, or centre.
    fn ball_gap(&self, stretch: &Stretch, share: &Ratio) -> Ratio {
        let passing = &stretch.passing;
        match self.forms[1] {
            Form::Mesh(_) => passing.point_gap_squared(&passing.a.points[0], share),
            Form::Ball(_) => passing.points_gap_squared(share),
        }
    }

    /// The square of the distance at which the gap is the given number of tolerances.
    fn ball_reach(&self, tolerances: f64) -> Ratio {
        let [a, b] = self.forms.each_ref().map(|form| Ratio::of(form.radius()));
        a.plus(&b).plus(&Ratio::of(self.tolerance).times(&Ratio::of(tolerances))).squared()
    }

    /// Round bodies: separated at the outer end, and at the inner end at most 1.06 tolerances apart.
    fn holds_ball(&self, pair: &PairReport, stretches: &[Stretch; 2]) -> Verdict {
        let [_, middle, duration] = self.times;
        let gap = |stretch: usize, t: f64| self.ball_gap(&stretches[stretch], &stretches[stretch].share(t));
        let apart = |t: f64| t <= 0.0 || t < middle && gap(0, t) >= self.ball_reach(0.0);
        let Some([enter, exit]) = self.interval(pair, &apart)? else { return Ok(()) };
        let failure = |what: &str, reason: &str| {
            Err(format!("{what}: {reason}, enter {enter:?}, exit {exit:?}, {}", self.description()))
        };
        if !(0.0 <= enter[0] && enter[0] <= enter[1] && enter[1] < middle) {
            return failure("enter", "not before the middle");
        }
        if !(middle < exit[0] && exit[0] <= exit[1] && exit[1] <= duration) {
            return failure("exit", "not after the middle");
        }
        let (surfaces, near) = (self.ball_reach(0.0), self.ball_reach(1.06));
        for (what, stretch, [outer, inner]) in [("enter", 0, enter), ("exit", 1, [exit[1], exit[0]])] {
            let off = |t: f64, from: &Ratio| gap(stretch, t).double().sqrt() - from.double().sqrt();
            if gap(stretch, outer) < surfaces {
                return failure(what, &format!("{:.2e} m inside at the outer end", -off(outer, &surfaces)));
            }
            if gap(stretch, inner) > near {
                return failure(what, &format!("{:.2e} m outside at the inner end", off(inner, &near)));
            }
            // Balls meet at an angle: they approach at up to half the speed at which they move.
            let width = 2.0 * self.widest(0.5 * self.speed(stretch, 1.0));
            if (outer - inner).abs() > width {
                return failure(what, &format!("{:.2e} s wide, {width:.2e} would do", (outer - inner).abs()));
            }
        }
        Ok(())
    }
}

/// More steps than any decidable case needs.
const BUDGET: u64 = 2_000_000;
