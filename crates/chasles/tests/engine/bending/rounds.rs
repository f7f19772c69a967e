//! Round bodies and surfaces that deform: closed forms, and a twin that searches for the minimum signed distance of
//! each triangle at many times, by its own formulas.

use crate::bending::bending_cases::{
    EVENTS, bending, body, places, random_bodies, scene, still, with_deforming, xyz,
};
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::cases::{fewer, hypotenuse};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, ContactFeatures, PairListing, PairReport, PairVerdict, Pose,
    Primitive, Scene, SceneBody, SceneDefinition,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

/// The signed distance from a round surface whose axis is z, by plane geometry.
fn signed_distance(round: &Primitive, p: DVec3) -> f64 {
    let (across, z) = (hypotenuse(p.x, p.y), p.z);
    match *round {
        Primitive::Sphere { radius } => p.length() - radius,
        Primitive::Capsule { radius, height } => {
            hypotenuse(across, (z.abs() - 0.5 * height).max(0.0)) - radius
        }
        Primitive::Cylinder { radius, height } => {
            let (side, end) = (across - radius, z.abs() - 0.5 * height);
            hypotenuse(side.max(0.0), end.max(0.0)) + side.max(end).min(0.0)
        }
        Primitive::Cone { radius, height } => {
            let half = 0.5 * height;
            let to_segment = |from: [f64; 2], to: [f64; 2]| {
                let (way, own) = ([to[0] - from[0], to[1] - from[1]], [across - from[0], z - from[1]]);
                let share = (own[0] * way[0] + own[1] * way[1]) / (way[0] * way[0] + way[1] * way[1]);
                let share = share.clamp(0.0, 1.0);
                hypotenuse(own[0] - share * way[0], own[1] - share * way[1])
            };
            let rim = [radius, -half];
            let apart = to_segment([0.0, -half], rim).min(to_segment(rim, [0.0, half]));
            let is_inside = z > -half && across * height < radius * (half - z);
            if is_inside { -apart } else { apart }
        }
        Primitive::Box { .. } => unreachable!("no round body"),
    }
}

/// The minimum of a convex function between 0 and 1.
fn least(mut value: impl FnMut(f64) -> f64) -> f64 {
    let (mut lo, mut hi) = (0.0, 1.0);
    let mut best = value(0.0).min(value(1.0));
    for _ in 0..48 {
        let [first, second] = [lo + 0.382 * (hi - lo), hi - 0.382 * (hi - lo)];
        let values = [value(first), value(second)];
        best = best.min(values[0]).min(values[1]);
        if values[0] < values[1] { hi = second } else { lo = first }
    }
    best
}

/// A round body that moves past a surface.
#[derive(Debug)]
struct Case {
    round: Primitive,
    start: Pose,
    linear: DVec3,
    angular: DVec3,
    frames: Vec<Vec<DVec3>>,
    triangles: Vec<[u32; 3]>,
    size: f64,
}

/// The state of the surfaces at a time.
#[derive(Debug, Clone, Copy)]
struct Stand {
    /// 0 if a triangle crosses.
    gap: f64,
    /// Whether a triangle crosses by more than rounding.
    meets: bool,
}

impl Case {
    fn new(seed: u64) -> Self {
        let random = &mut Random(seed);
        let (frames, triangles) = random_bodies(random).remove(0);
        let size = frames.iter().flatten().map(|p| p.length()).fold(1.0, f64::max);
        let [radius, height] = [0.05, 0.1].map(|share| size * (share + 0.3 * (0.5 + 0.5 * random.side())));
        let round = [
            Primitive::Sphere { radius },
            Primitive::Capsule { radius, height },
            Primitive::Cylinder { radius, height },
            Primitive::Cone { radius, height },
        ][random.below(4)];
        let [goes, turns] = [[0.0, size], [0.0, 3.0]].map(|either| either[random.below(2)]);
        let (linear, angular) = (random.vector(goes), random.vector(turns));
        let position = DVec3::splat(0.3 * size) + random.vector(0.4 * size) - linear;
        let start = Pose::new(position, random.quaternion()).unwrap();
        Self { round, start, linear, angular, frames, triangles, size }
    }

    fn bodies(&self, round_first: bool) -> Vec<SceneBody> {
        let Self { start, linear, angular, .. } = *self;
        let moves = linear != DVec3::ZERO || angular != DVec3::ZERO;
        let motion =
            if moves { BodyMotion::Twist { start, linear, angular } } else { BodyMotion::Still(start) };
        let round = body("round", CollisionShape::primitive(self.round).unwrap(), motion);
        let cloth = body("cloth", bending(self.frames.clone(), &self.triangles, &[0.0, 1.0, 2.0]), still());
        if round_first { vec![round, cloth] } else { vec![cloth, round] }
    }

    /// A triangle at a time, in the frame of the round body.
    fn seen(&self, triangle: [u32; 3], time: f64) -> [DVec3; 3] {
        let turn = DQuat::from_scaled_axis(self.angular * time) * self.start.rotation();
        let position = self.start.position() + time * self.linear;
        let places = places(&self.frames, time);
        triangle.map(|v| turn.conjugate() * (places[v as usize] - position))
    }

    fn stand(&self, time: f64) -> Stand {
        let slack = 1e-9 * self.size;
        let mut all = Stand { gap: f64::INFINITY, meets: false };
        for triangle in &self.triangles {
            let [a, b, c] = self.seen(*triangle, time);
            let value = |p: DVec3| signed_distance(&self.round, p);
            let most = [a, b, c].map(value).into_iter().fold(f64::NEG_INFINITY, f64::max);
            if most < 0.0 {
                all.gap = all.gap.min(-most);
                continue;
            }
            let lowest = least(|u| least(|v| value(a + u * (b - a) + (1.0 - u) * v * (c - a))));
            all.gap = all.gap.min(lowest.max(0.0));
            all.meets |= lowest < -slack && most > slack;
        }
        all
    }
}

/// The error in the answer at a time.
fn wrong_at(case: &Case, pair: Option<&PairReport>, time: f64, counts: [&Counter; 2]) -> Option<String> {
    let stand = case.stand(time);
    let end = |exit: Option<[f64; 2]>, k: usize| exit.map_or(2.0, |exit| exit[k]);
    let intervals = pair.map_or(&[][..], |pair| &pair.intervals);
    let is_in = intervals.iter().any(|met| met.enter[1] <= time && time <= end(met.exit, 0));
    let may_be = intervals.iter().any(|met| met.enter[0] <= time && time <= end(met.exit, 1))
        || pair.is_some_and(|pair| pair.undecided.iter().any(|span| span[0] <= time && time <= span[1]));
    counts[0].add_if(stand.meets);
    counts[1].add_if(stand.gap > 1e-9 * case.size);
    if stand.meets && !may_be {
        return Some(format!("missed at {time}: {stand:?}"));
    }
    if stand.gap > 1e-9 * case.size && is_in {
        return Some(format!("invented at {time}: {stand:?}"));
    }
    None
}

#[test]
fn round_bodies_touch_deforming_surfaces_when_a_triangle_crosses() {
    let (met, apart, contacts, undecided) =
        (Counter::default(), Counter::default(), Counter::default(), Counter::default());
    for_all(fewer(400, 4), |seed| {
        let case = Case::new(seed);
        let bodies = case.bodies(seed % 2 == 0);
        let round = usize::from(seed % 2 == 1);
        let scene = scene(bodies, 2.0);
        let report = scene.check(&EVENTS, &()).unwrap();
        let pair = report.pairs.first();
        let random = &mut Random(!seed);
        let mut wrong = Wrong::new();
        let mut times: Vec<f64> = (0..12).map(|_| 1.0 + random.side()).collect();
        for met in pair.iter().flat_map(|pair| &pair.intervals) {
            let ends = [met.enter, met.exit.unwrap_or([2.0; 2])];
            times.extend(ends.into_iter().flat_map(|[lo, hi]| [lo - 1e-6, hi + 1e-6]));
            if !ends.iter().all(|[lo, hi]| lo <= hi && hi - lo < 1e-8) {
                wrong.push(format!("wide: {ends:?}"));
            }
            let Some(contact) = met.contact else { continue };
            contacts.add();
            let (contact, time) = (contact.contact, met.enter[1]);
            let face = match contact.features {
                ContactFeatures::Surfaces { a: None, b: Some(face) } if round == 0 => face,
                ContactFeatures::Surfaces { a: Some(face), b: None } if round == 1 => face,
                _ => {
                    wrong.push(format!("{contact:?}"));
                    continue;
                }
            };
            let turn = DQuat::from_scaled_axis(case.angular * time) * case.start.rotation();
            let position = case.start.position() + time * case.linear;
            let own = turn.conjugate() * (contact.point - position);
            let off = signed_distance(&case.round, own).abs();
            let is_face = (face as usize) < case.triangles.len();
            if off > 1e-6 * case.size || (contact.normal.length() - 1.0).abs() > 1e-9 || !is_face {
                wrong.push(format!("the point is {off} from the surface: {contact:?}"));
            }
            // The gap closes at this speed.
            let before = case.stand(time - 1e-5).gap / 1e-5;
            if (before - contact.approach_speed).abs() > 0.01 * case.size {
                wrong.push(format!("approaches at {before}: {contact:?}"));
            }
        }
        undecided.add_if(pair.is_some_and(|pair| !pair.undecided.is_empty()));
        let times = times.into_iter().filter(|time| (0.0..=2.0).contains(time));
        wrong.extend(times.filter_map(|time| wrong_at(&case, pair, time, [&met, &apart])));
        // The static test.
        let time = 1.0 + random.side();
        let listed = !scene.static_intersections(time).unwrap().is_empty();
        let stand = case.stand(time);
        if stand.meets && !listed || stand.gap > 1e-9 * case.size && listed {
            wrong.push(format!("standing at {time}: {listed}, {stand:?}"));
        }
        wrong
    });
    assert!(met.get() > 110 && apart.get() > 110 && contacts.get() > 16, "{met:?} {apart:?} {contacts:?}");
    assert!(undecided.get() * 20 < contacts.get(), "{undecided:?}");
}

#[test]
fn gaps_beside_round_bodies_enclose_the_minimum() {
    let near = Counter::default();
    for_all(fewer(150, 3), |seed| {
        let case = Case::new(seed);
        let scene = scene(case.bodies(seed % 2 == 0), 2.0);
        let options = CheckOptions { listed: PairListing::All, ..EVENTS };
        let report = scene.check(&options, &()).unwrap();
        let [pair] = &report.pairs[..] else { return vec![format!("{report:?}")] };
        let slack = 1e-9 * case.size;
        let mut wrong = Wrong::new();
        let random = &mut Random(!seed);
        let times: Vec<f64> = (0..8).map(|_| 1.0 + random.side()).collect();
        let told = scene.distances([0, 1], &times).unwrap().unwrap();
        for (time, told) in times.iter().zip(told) {
            let gap = case.stand(*time).gap;
            if told.lower > gap + slack
                || told.upper < gap - slack
                || told.upper - told.lower > 0.01 * gap + 1e-5
            {
                wrong.push(format!("{gap} at {time}, not {told:?}"));
            }
        }
        if let Some([lo, hi]) = pair.gap {
            near.add();
            let at = case.stand(pair.gap_time.unwrap()).gap;
            let sampled = (0..=64).map(|i| case.stand(f64::from(i) / 32.0).gap).fold(at, f64::min);
            if sampled < lo - slack || at > hi + slack || lo > hi || hi - lo > 0.01 * hi + 1e-5 {
                wrong.push(format!("[{lo}, {hi}], sampled {sampled}, then {at}"));
            }
        }
        wrong
    });
    assert!(near.get() > 3, "{near:?}");
}

/// A large square that moves from one height to another in a second.
fn falling(from: f64, to: f64) -> CollisionShape {
    let square =
        |z: f64| [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(|(x, y)| xyz(x, y, z)).to_vec();
    bending(vec![square(from), square(to)], &[[0, 1, 2], [0, 2, 3]], &[0.0, 1.0])
}

fn first_pair(bodies: Vec<SceneBody>, clearance: f64) -> PairReport {
    let scene = SceneDefinition { duration: 1.0, tolerance: None, clearance, bodies, ignore: vec![] };
    let options = CheckOptions { listed: PairListing::All, ..EVENTS };
    Scene::new(scene).unwrap().check(&options, &()).unwrap().pairs.remove(0)
}

/// Some motions change so fast that positions are known only to metres. The result is then undecided, and not a
/// contact.
#[test]
fn surfaces_are_near_each_other_in_every_interval() {
    let [looks, doubts] = [(); 2].map(|()| Counter::default());
    for_all(fewer(150, 4), |seed| {
        let clearance = [0.0, 0.3, 4.0][usize::try_from(seed % 3).unwrap()];
        let scene = with_deforming(&mut Random(seed), clearance);
        let report = scene.check(&CheckOptions { budget: 1_000_000, ..EVENTS }, &()).unwrap();
        let mut wrong = Wrong::new();
        for pair in &report.pairs {
            doubts.add_if(pair.reason.is_some());
            let within = if pair.verdict == PairVerdict::Near { clearance } else { 0.0 };
            for interval in &pair.intervals {
                let (from, to) = (interval.enter[1], interval.exit.map_or(scene.duration(), |exit| exit[0]));
                // A body may jump at either end.
                let shares = [0.001, 0.2, 0.5, 0.9, 0.999].into_iter().filter(|_| from < to);
                let times: Vec<f64> = shares.map(|share| from + share * (to - from)).collect();
                for (time, gap) in times.iter().zip(scene.distances(pair.bodies, &times).unwrap().unwrap()) {
                    looks.add();
                    if gap.lower > within + 1e-8 + pair.deviation {
                        wrong.push(format!("{within}: {} apart at {time}: {pair:?}", gap.lower));
                    }
                }
            }
        }
        wrong
    });
    assert!(looks.get() > 16, "{looks:?} {doubts:?}");
}

#[test]
fn a_falling_sheet_touches_a_ball_when_it_should() {
    let shapes = [
        (Primitive::Sphere { radius: 0.5 }, 0.5, -0.5),
        (Primitive::Capsule { radius: 0.25, height: 1.0 }, 0.75, -0.75),
        (Primitive::Cylinder { radius: 0.25, height: 1.0 }, 0.5, -0.5),
        (Primitive::Cone { radius: 0.25, height: 1.0 }, 0.5, -0.5),
    ];
    for (round, top, bottom) in shapes {
        let ball = || CollisionShape::primitive(round).unwrap();
        let pair =
            first_pair(vec![body("sheet", falling(2.0, -2.0), still()), body("ball", ball(), still())], 0.0);
        let [met] = &pair.intervals[..] else { panic!("{pair:?}") };
        let holds = |[lo, hi]: [f64; 2], time: f64| lo <= time && time <= hi && hi - lo < 1e-9;
        assert!(holds(met.enter, (2.0 - top) / 4.0), "{round:?} {met:?}");
        assert!(holds(met.exit.unwrap(), (2.0 - bottom) / 4.0), "{round:?} {met:?}");
        let contact = met.contact.unwrap().contact;
        assert!(
            (contact.point.z - top).abs() < 1e-8 && contact.normal.distance(-DVec3::Z) < 1e-6,
            "{contact:?}"
        );
        assert!((contact.approach_speed - 4.0).abs() < 1e-4 && pair.events.is_empty());
        // Above it, nearest at the end; and within the clearance from some time on.
        let bodies = || vec![body("ball", ball(), still()), body("sheet", falling(2.0, top + 0.1), still())];
        let pair = first_pair(bodies(), 0.0);
        let [lo, hi] = pair.gap.unwrap();
        assert!(lo <= 0.1 && 0.1 <= hi && hi - lo < 1e-3, "{pair:?}");
        let pair = first_pair(bodies(), 0.3);
        assert_eq!(pair.verdict, PairVerdict::Near);
        let enter = pair.intervals[0].enter;
        let time = (2.0 - top - 0.3) / (1.9 - top);
        assert!(holds(enter, time) && pair.intervals[0].exit.is_none(), "{time} {pair:?}");
        // A surface wholly inside a ball is separated from the ball if the ball is hollow, but not if it is solid.
        let inside = || {
            let small = |z: f64| vec![xyz(-0.01, 0.0, z), xyz(0.01, 0.0, z), xyz(0.0, 0.01, z)];
            bending(vec![small(-0.02), small(0.02)], &[[0, 1, 2]], &[0.0, 1.0])
        };
        let bodies = |solid: bool| {
            vec![SceneBody { solid, ..body("ball", ball(), still()) }, body("speck", inside(), still())]
        };
        assert_eq!(first_pair(bodies(false), 0.0).verdict, PairVerdict::Clear, "{round:?}");
        assert_eq!(first_pair(bodies(true), 0.0).verdict, PairVerdict::Overlapping, "{round:?}");
    }
}
