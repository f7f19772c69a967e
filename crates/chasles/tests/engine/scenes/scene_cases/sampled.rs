//! Pairs of a scene at many times: poses from [`Scene::pose_at`], static tests from [`still`](super::still).

use chasles::{Pose, Primitive, Scene};
use glam::DVec3;

use super::still::{Detail, PairSample, Surface, sample_surfaces};

/// Two bodies of a scene.
#[derive(Debug, Clone)]
pub struct Pair<'s> {
    pub scene: &'s Scene,
    pub bodies: [usize; 2],
    pub surfaces: [Surface; 2],
    /// Maximum error of coordinates, in metres.
    pub rounding: f64,
    breaks: Vec<f64>,
}

/// Maximum depth of bisection between samples.
const DEEPEST: u32 = 14;

/// Maximum number of samples of a pair.
const MOST_LOOKS: usize = 3000;

impl<'s> Pair<'s> {
    /// `round` gives the primitive of each round body.
    pub fn new(scene: &'s Scene, bodies: [usize; 2], round: [Option<Primitive>; 2], breaks: &[f64]) -> Self {
        let surface = |i: usize| Surface::of(scene.bodies()[bodies[i]].shape.as_ref().unwrap(), round[i]);
        let surfaces = [surface(0), surface(1)];
        let farthest = (0..=16)
            .flat_map(|i| bodies.map(|body| scene.pose_at(body, scene.duration() * f64::from(i) / 16.0)))
            .map(|pose| pose.position().abs().max_element())
            .fold(0.0, f64::max);
        // Carriers may be further out than the bodies attached to them.
        let carriers = (0..scene.bodies().len()).map(|body| scene.pose_at(body, 0.0).position().length());
        let farthest = carriers.fold(farthest, f64::max);
        let size = surfaces[0].radius.max(surfaces[1].radius);
        Self { scene, bodies, surfaces, rounding: 4e-15 * farthest + 1e-15 * size, breaks: breaks.to_vec() }
    }

    pub fn size(&self) -> f64 {
        self.surfaces[0].radius.max(self.surfaces[1].radius)
    }
}

impl Sampled for Pair<'_> {
    fn span(&self) -> [f64; 2] {
        [0.0, self.scene.duration()]
    }

    fn breaks(&self) -> &[f64] {
        &self.breaks
    }

    fn tolerance(&self) -> f64 {
        self.scene.tolerance()
    }

    fn ball(&self) -> (DVec3, f64) {
        (self.surfaces[0].centre, self.surfaces[0].radius)
    }

    fn pose(&self, time: f64) -> Pose {
        let [a, b] = self.bodies.map(|body| self.scene.pose_at(body, time));
        let back = b.rotation().conjugate();
        Pose::new(back * (a.position() - b.position()), back * a.rotation()).unwrap()
    }

    /// A body inside a solid counts as meeting it.
    fn sample_at_pose(&self, pose: &Pose, detail: Detail) -> PairSample {
        let [a, b] = &self.surfaces;
        let found = sample_surfaces(a, b, pose, detail);
        let solid = self.bodies.map(|body| self.scene.bodies()[body].solid);
        let held = !found.meets
            && (solid[1] && b.holds_some_of(a, pose) || solid[0] && a.holds_some_of(b, &pose.inverse()));
        // The gap is kept: it bounds when this can change.
        PairSample { meets: found.meets || held, ..found }
    }
}

/// Two bodies that can be tested at any time.
pub trait Sampled {
    /// Start and end, in seconds.
    fn span(&self) -> [f64; 2];

    /// Times at which the motion may jump or have a kink, in order.
    fn breaks(&self) -> &[f64];

    /// Surfaces closer than this, in metres, touch.
    fn tolerance(&self) -> f64;

    /// A centre, in A's frame, and a radius of a ball that contains A.
    fn ball(&self) -> (DVec3, f64);

    /// A in B's frame.
    fn pose(&self, time: f64) -> Pose;

    /// The state with A at a pose in B's frame.
    fn sample_at_pose(&self, pose: &Pose, detail: Detail) -> PairSample;

    /// The state at a time.
    fn sample(&self, time: f64, detail: Detail) -> PairSample {
        self.sample_at_pose(&self.pose(time), detail)
    }

    /// Whether the surfaces intersect by more than a length, as far as sampling shows: they do after A is shifted by
    /// it in several directions.
    fn meets_by(&self, time: f64, length: f64) -> bool {
        let pose = self.pose(time);
        let ways = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE.normalize()];
        ways.iter().flat_map(|way| [*way, -*way]).all(|way| {
            let moved = Pose::new(pose.position() + length * way, pose.rotation()).unwrap();
            self.sample_at_pose(&moved, Detail::Exact).meets
        })
    }

    /// An upper bound of the distance that a point of A moves between two poses.
    fn way(&self, from: &Pose, to: &Pose) -> f64 {
        let (centre, radius) = self.ball();
        let corner = |i: usize| {
            let side = |bit: usize| if i >> bit & 1 == 1 { radius } else { -radius };
            centre + DVec3::new(side(0), side(1), side(2))
        };
        (0..8)
            .map(|i| from.transform_point(corner(i)).distance(to.transform_point(corner(i))))
            .fold(0.0, f64::max)
    }

    /// The times of the samples: `count` uniform steps, and both sides of every break.
    fn grid(&self, count: usize) -> Vec<f64> {
        let [begin, end] = self.span();
        let at = |i: usize| if i == count { end } else { begin + (end - begin) * (i as f64 / count as f64) };
        let mut times: Vec<f64> = (0..=count).map(at).collect();
        times.extend(self.breaks().iter().flat_map(|time| [time.next_down(), *time]));
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Samples over the whole duration: many near contact, few where the bodies are far apart.
    fn trace(&self, count: usize) -> Vec<(f64, PairSample)> {
        let mut samples: Vec<(f64, PairSample)> = Vec::new();
        let (mut last, mut gone) = (Pose::IDENTITY, f64::INFINITY);
        for time in self.grid(count) {
            let pose = self.pose(time);
            gone += self.way(&last, &pose);
            let before = samples.last().copied();
            let safe = before.map_or(0.0, |(_, look): (f64, PairSample)| look.gap - look.slack);
            if gone > 0.6 * safe || time == self.span()[1] {
                let here = self.sample_at_pose(&pose, Detail::Bound);
                if let Some(before) = before {
                    self.refine(&mut samples, before, (time, here), 0);
                }
                samples.push((time, here));
                gone = 0.0;
            }
            last = pose;
        }
        samples
    }

    /// Adds samples between two samples at which the bodies are close to each other, or differ.
    fn refine(
        &self,
        samples: &mut Vec<(f64, PairSample)>,
        from: (f64, PairSample),
        to: (f64, PairSample),
        depth: u32,
    ) {
        let middle = 0.5 * (from.0 + to.0);
        let near = |one: &PairSample| one.gap - one.slack;
        let (first, last) = (self.pose(from.0), self.pose(to.0));
        let way = self.way(&first, &last);
        let apart = !from.1.meets && !to.1.meets && near(&from.1) + near(&to.1) > 1.5 * way;
        let both = from.1.meets && to.1.meets && depth > 0;
        let tiny = way < self.tolerance() || middle <= from.0 || middle >= to.0;
        if apart || both || tiny || depth >= DEEPEST || samples.len() > MOST_LOOKS {
            return;
        }
        let here = (middle, self.sample(middle, Detail::Bound));
        self.refine(samples, from, here, depth + 1);
        samples.push(here);
        self.refine(samples, here, to, depth + 1);
    }

    /// The minimum gap found, and its time: sampled, and refined wherever the motion between two samples allows a
    /// smaller gap. 0 if they meet. Improvements below `precision` are not searched for.
    fn least_gap(&self, count: usize, precision: f64) -> (f64, f64) {
        let at = |time: f64| (time, self.sample(time, Detail::Exact).gap, self.pose(time));
        let mut best = (f64::INFINITY, 0.0);
        let mut last: Option<(f64, f64, Pose)> = None;
        for time in self.grid(count) {
            let here = at(time);
            best = if here.1 < best.0 { (here.1, here.0) } else { best };
            let mut waiting: Vec<_> = last.map(|last| (last, here, 0)).into_iter().collect();
            while let Some((from, to, depth)) = waiting.pop() {
                let least = 0.5 * (from.1 + to.1 - 1.1 * self.way(&from.2, &to.2));
                if depth >= DEEPEST || best.0 == 0.0 || least > 0.9995 * best.0 - precision {
                    continue;
                }
                let cut = at(0.5 * (from.0 + to.0));
                best = if cut.1 < best.0 { (cut.1, cut.0) } else { best };
                waiting.extend([(cut, to, depth + 1), (from, cut, depth + 1)]);
            }
            last = Some(here);
        }
        best
    }
}
