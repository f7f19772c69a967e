//! Which pairs of bodies are tested.

use rustc_hash::FxHashMap;

use crate::pair::Pair;
use crate::scene::definition::Scene;

/// Whether pairs of bodies that never move relative to each other are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standing {
    /// They are counted, and not tested.
    #[default]
    Skipped,
    /// They are tested like all others.
    Tested,
}

/// The pairs of bodies with a surface, each counted once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairCounts {
    /// Not exempt, and a motion was declared between the two.
    pub moving: usize,
    /// Not exempt, and the two never move relative to each other.
    pub standing: usize,
    /// Pairs of one group, or ignored.
    pub exempt: usize,
}

impl Scene {
    /// The surfaces of two bodies as a pair, with the insides that belong to them; `None`: one of them has no surface.
    pub(crate) fn pair(&self, bodies: [usize; 2]) -> Option<Pair<'_>> {
        let [a, b] = bodies.map(|body| &self.bodies()[body]);
        let shapes = [a.shape.as_ref()?, b.shape.as_ref()?];
        // A cloud has no inside of its own, and a parametric surface none at all.
        Some(Pair::filled(shapes, [a.filling(), b.filling()]))
    }

    /// Whether two bodies are tested against each other.
    pub(crate) fn is_tested(&self, a: usize, b: usize, standing: Standing) -> bool {
        !self.is_exempt(a, b) && (standing == Standing::Tested || self.is_moving(a, b))
    }

    /// Whether two bodies are never tested: one of them has no surface, or is ignored, or they are of one group.
    pub(crate) fn is_exempt(&self, a: usize, b: usize) -> bool {
        self.is_filtered(a, b) || self.ignored_pairs.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// The same, without the pairs that are ignored by name.
    fn is_filtered(&self, a: usize, b: usize) -> bool {
        let group = &self.bodies[a].group;
        !self.is_asked_for(a) || !self.is_asked_for(b) || (group.is_some() && *group == self.bodies[b].group)
    }

    /// Whether a motion was declared between two bodies: bodies that ride on the same motion never move relative to
    /// each other.
    pub(crate) fn is_moving(&self, a: usize, b: usize) -> bool {
        self.placed[a].rides_on != self.placed[b].rides_on || self.is_bending(a) || self.is_bending(b)
    }

    /// Whether a body has a surface and is not ignored altogether.
    fn is_asked_for(&self, body: usize) -> bool {
        self.bodies[body].shape.is_some() && !self.ignored_bodies[body]
    }

    /// How many pairs [`Scene::check`] tests where it does not test those that stand: bodies with themselves among them.
    #[must_use]
    pub fn count_tested_pairs(&self) -> usize {
        self.count_pairs().moving + self.self_tested().count()
    }

    /// The bodies that are tested against themselves, but for those that are ignored.
    pub(crate) fn self_tested(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.bodies.len()).filter(|body| self.is_self_tested(*body) && self.is_asked_for(*body))
    }

    /// How many pairs of bodies there are: moving, standing and exempt.
    #[must_use]
    pub fn count_pairs(&self) -> PairCounts {
        let bodies: Vec<usize> = (0..self.bodies.len()).filter(|body| self.is_asked_for(*body)).collect();
        let pairs = |count: usize| count * count.saturating_sub(1) / 2;
        let mut carriers = FxHashMap::<_, usize>::default();
        let mut both = FxHashMap::<_, usize>::default();
        let mut groups = FxHashMap::<_, usize>::default();
        for &body in &bodies {
            if let Some(group) = self.bodies[body].group.as_deref() {
                *groups.entry(group).or_default() += 1;
            }
            // A body that deforms moves relative to all others.
            if self.is_bending(body) {
                continue;
            }
            let (carrier, group) = (self.placed[body].rides_on, self.bodies[body].group.as_deref());
            *carriers.entry(carrier).or_default() += 1;
            if group.is_some() {
                *both.entry((carrier, group)).or_default() += 1;
            }
        }
        let within =
            |counts: &mut dyn Iterator<Item = &usize>| counts.map(|count| pairs(*count)).sum::<usize>();
        let grouped = within(&mut groups.values());
        let riding_alike = within(&mut carriers.values()) - within(&mut both.values());
        let named = || self.ignored_pairs.iter().filter(|[a, b]| a != b && !self.is_filtered(*a, *b));
        let named_moving = named().filter(|[a, b]| self.is_moving(*a, *b)).count();
        let wanted = pairs(bodies.len()) - grouped - named().count();
        let moving = pairs(bodies.len()) - grouped - riding_alike - named_moving;
        PairCounts { moving, standing: wanted - moving, exempt: pairs(self.surfaces()) - wanted }
    }

    /// The nearest body that both are, or ride on; `None`: the world.
    pub(crate) fn common_carrier(&self, a: usize, b: usize) -> Option<usize> {
        let parent = |body: usize| self.bodies[body].parent;
        let depth = |body: usize| self.placed[body].depth;
        let (mut x, mut y) = (Some(a), Some(b));
        while x != y {
            let (Some(i), Some(j)) = (x, y) else { return None };
            if depth(i) >= depth(j) {
                x = parent(i);
            }
            if depth(j) >= depth(i) {
                y = parent(j);
            }
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{DQuat, DVec3};

    use super::*;
    use crate::motion::{Pose, Screw};
    use crate::pair::shape::SceneShape;
    use crate::scene::definition::{BodyMotion, SceneBody, SceneDefinition, Side};
    use crate::scene::report::CheckOptions;
    use crate::scene::report::PairVerdict;
    use crate::shape::{Expression, PartShape, PointCloud, Primitive, Solid, SolidPart};

    fn pose(x: f64, y: f64, turn: f64) -> Pose {
        let rotation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), turn);
        Pose::new(DVec3::new(x, y, 0.3), rotation).unwrap()
    }

    fn turning(x: f64, angle: f64) -> BodyMotion {
        let axis = DVec3::new(0.1, -0.7, 0.4);
        BodyMotion::Screw(Screw::about(pose(x, 0.5, 0.4), axis, DVec3::X, 0.3, angle).unwrap())
    }

    fn keyed(x: f64) -> BodyMotion {
        BodyMotion::Keyframes(vec![(0.5, pose(x, 0.0, 0.1)), (1.0, pose(1.0, x, 2.0))])
    }

    fn body(name: &str, motion: BodyMotion, parent: Option<usize>) -> SceneBody {
        let shape = SceneShape::primitive(Primitive::Box { size: DVec3::ONE }).ok();
        SceneBody { name: name.into(), shape, motion, parent, group: None, solid: false }
    }

    fn scene(bodies: Vec<SceneBody>, ignore: Vec<[Side; 2]>) -> Scene {
        let definition = SceneDefinition { duration: 2.0, tolerance: None, clearance: 0.0, bodies, ignore };
        Scene::new(definition).unwrap()
    }

    /// The pairs that are tested; how many there are of each kind is said, too.
    fn tested(scene: &Scene) -> Vec<(usize, usize)> {
        let count = scene.bodies().len();
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        let tested: Vec<_> =
            pairs.clone().filter(|&(a, b)| scene.is_tested(a, b, Standing::Skipped)).collect();
        let with_standing = pairs.filter(|&(a, b)| scene.is_tested(a, b, Standing::Tested)).count();
        let surfaces = scene.surfaces();
        let expected = PairCounts {
            moving: tested.len(),
            standing: with_standing - tested.len(),
            exempt: surfaces * (surfaces - 1) / 2 - with_standing,
        };
        assert_eq!(scene.count_pairs(), expected);
        tested
    }

    #[test]
    fn what_never_moves_relative_to_each_other_is_not_tested() {
        let still = |x| BodyMotion::Still(pose(x, -x, x));
        let mut bodies = vec![
            body("tip", still(0.2), Some(1)),
            body("tool", turning(0.4, 9.0), Some(3)),
            body("floor", still(3.0), None),
            body("plate", still(0.7), Some(4)),
            body("base", keyed(2.0), None),
            body("lamp", still(-1.0), Some(4)),
        ];
        let all = [(0, 2), (0, 3), (0, 4), (0, 5), (1, 2), (1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)];
        assert_eq!(tested(&scene(bodies.clone(), vec![])), all);
        // What has no surface only carries.
        bodies[4].shape = None;
        let others = all.into_iter().filter(|(a, b)| *a != 4 && *b != 4).collect::<Vec<_>>();
        assert_eq!(tested(&scene(bodies, vec![])), others);
    }

    #[test]
    fn a_motion_that_changes_nothing_is_tested() {
        let resting = BodyMotion::Keyframes(vec![(0.0, pose(1.0, 0.0, 0.5))]);
        let bodies = vec![
            body("moves", turning(2.0, 1.0), None),
            body("rests", resting, None),
            body("stands", BodyMotion::Still(pose(5.0, 0.0, 0.0)), None),
        ];
        assert_eq!(tested(&scene(bodies, vec![])).len(), 3);
    }

    #[test]
    fn filters() {
        let still = |x| BodyMotion::Still(pose(x, 0.0, 0.0));
        let bodies = || {
            ["a", "b", "c", "d"]
                .map(|name| body(name, if name == "a" { keyed(1.0) } else { still(3.0) }, None))
        };
        let tested = |bodies: [SceneBody; 4], ignore| tested(&scene(bodies.to_vec(), ignore));
        assert_eq!(tested(bodies(), vec![]), [(0, 1), (0, 2), (0, 3)]);
        assert_eq!(tested(bodies(), vec![[Side::Body(2), Side::Body(0)]]), [(0, 1), (0, 3)]);
        assert_eq!(tested(bodies(), vec![[Side::Every, Side::Body(1)]]), [(0, 2), (0, 3)]);
        assert_eq!(tested(bodies(), vec![[Side::Every, Side::Every]]), []);
        let mut grouped = bodies();
        grouped[0].group = Some("left".into());
        grouped[3].group = Some("left".into());
        grouped[1].group = Some("right".into());
        assert_eq!(tested(grouped.clone(), vec![]), [(0, 1), (0, 2)]);
        // Pairs that stand are ignored by name, too, and nothing is counted twice.
        let named = [[1, 2], [0, 1], [3, 0], [2, 2]].map(|pair| pair.map(Side::Body)).to_vec();
        assert_eq!(tested(grouped, named), [(0, 2)]);
    }

    /// At a time, as along a motion: what is inside a solid body meets it, and nothing meets what a hollow one is filled
    /// with.
    #[test]
    fn every_question_knows_which_inside_belongs_to_a_body() {
        let crate_of = |solid| SceneBody { solid, ..body("crate", still(0.0), None) };
        let points = PointCloud::new(vec![(0, DVec3::ZERO), (1, DVec3::new(0.1, 0.0, 0.0))], 0.02).unwrap();
        let cloud = SceneShape::cloud(Arc::new(points)).unwrap();
        let formula = Expression::parse("x^2 + y^2 + z^2 - 0.81", &["x", "y", "z"]).unwrap();
        let ball = PartShape::Formula { formula, bounds: [DVec3::splat(-1.0), DVec3::ONE] };
        let ball = Solid::new(vec![SolidPart { shape: ball, pose: Pose::IDENTITY, scale: 1.0 }]).unwrap();
        let ball = SceneShape::solid(Arc::new(ball)).unwrap();
        let with = |name: &str, shape: &SceneShape, solid| {
            let shape = Some(shape.clone());
            SceneBody { shape, solid, ..body(name, still(0.0), None) }
        };
        let small = SceneShape::primitive(Primitive::Sphere { radius: 0.2 }).unwrap();
        let cases = [
            (crate_of(true), with("cloud", &cloud, false), [0.0, 0.0]),
            (crate_of(false), with("cloud", &cloud, false), [0.379, 0.381]),
            (with("ball", &ball, true), with("small", &small, false), [0.0, 0.0]),
            (with("ball", &ball, false), with("small", &small, false), [0.699, 0.701]),
        ];
        for (outer, inner, [least, most]) in cases {
            let solid = outer.solid;
            let scene = scene(vec![outer, inner], vec![]);
            assert_eq!(scene.standing(0.0).unwrap().len(), usize::from(solid));
            let gap = scene.distances([0, 1], &[0.0]).unwrap().unwrap()[0];
            let [lo, hi] = [gap.at_least, gap.at_most];
            assert!(lo <= hi && least <= hi && lo <= most && hi - lo <= 0.01 * hi + 1e-9, "{solid} {gap:?}");
            let options = CheckOptions { standing: Standing::Tested, ..CheckOptions::default() };
            let found = scene.check(&options, &()).unwrap();
            assert_eq!(found.verdict == PairVerdict::Overlapping, solid);
            let nearest = found.nearest.map_or([0.0; 2], |nearest| nearest.gap);
            assert!(least <= nearest[1] && nearest[0] <= most, "{solid} {nearest:?}");
            // The table of a clear scene tells by what it is clear.
            assert_eq!(found.epsilon, Some(scene.epsilon()));
        }
    }

    fn still(x: f64) -> BodyMotion {
        BodyMotion::Still(Pose::from_position(DVec3::new(x, 0.0, 0.0)).unwrap())
    }
}
