//! Classifies pairs of bodies, and so decides which pairs are tested, for scenes and robots alike.

use rustc_hash::FxHashMap;

use crate::scene::Scene;

/// How the two bodies of a pair can move relative to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PairClass {
    /// A motion is declared between the two bodies, or one of them deforms.
    Moving,
    /// A joint lies between the two bodies, and rests during this motion.
    Resting,
    /// Only parents or fixed joints lie between the two bodies: their overlap belongs to the model.
    RigidlyJoined,
    /// Neither body can ever move, and no joint or parent joins them.
    Static,
}

/// Whether pairs at rest ([`PairClass::Resting`]) are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RestingPairs {
    /// Tested like all other pairs, by one static query each.
    #[default]
    Tested,
    /// Counted, but not tested.
    Ignored,
}

/// Whether pairs of bodies that can never move ([`PairClass::Static`]) are tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StaticPairs {
    /// Static pairs do not affect the verdict. The report names the static pairs, and the rigidly joined pairs, that
    /// overlap ([`ModelOverlaps`](crate::ModelOverlaps)). If no body can move at all, static pairs are tested.
    #[default]
    Named,
    /// Tested like all other pairs. The report names rigidly joined bodies that overlap.
    Tested,
    /// Counted, but not tested. The report names neither their overlaps nor the overlaps of rigidly joined bodies.
    Ignored,
}

/// The pairs of bodies with a surface, each counted once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairCounts {
    /// Pairs of class [`PairClass::Moving`] that are not exempt.
    pub moving: usize,
    /// Pairs of class [`PairClass::Resting`] that are not exempt.
    pub resting: usize,
    /// Pairs of class [`PairClass::RigidlyJoined`] that are not exempt.
    pub joined: usize,
    /// Pairs of class [`PairClass::Static`] that are not exempt.
    pub statics: usize,
    /// Pairs of one group, or ignored.
    pub exempt: usize,
}

impl PairCounts {
    /// The number of pairs that do not move relative to each other and are not exempt.
    #[must_use]
    pub fn at_rest(&self) -> usize {
        self.resting + self.joined + self.statics
    }

    /// Counts a pair.
    pub(crate) fn add(&mut self, class: PairClass) {
        *self.of(class) += 1;
    }

    fn of(&mut self, class: PairClass) -> &mut usize {
        match class {
            PairClass::Moving => &mut self.moving,
            PairClass::Resting => &mut self.resting,
            PairClass::RigidlyJoined => &mut self.joined,
            PairClass::Static => &mut self.statics,
        }
    }
}

/// The classes of pairs that a check tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TestedClasses {
    pub(super) resting: RestingPairs,
    /// Not [`StaticPairs::Named`] if no body of the scene can move.
    pub(crate) statics: StaticPairs,
}

impl TestedClasses {
    pub(crate) fn has(self, class: PairClass) -> bool {
        match class {
            PairClass::Moving => true,
            PairClass::Resting => self.resting == RestingPairs::Tested,
            PairClass::RigidlyJoined => false,
            PairClass::Static => self.statics == StaticPairs::Tested,
        }
    }

    /// The number of tested pairs that do not move relative to each other.
    pub(crate) fn count_at_rest(self, counts: &PairCounts) -> usize {
        let of = |class, count| if self.has(class) { count } else { 0 };
        of(PairClass::Resting, counts.resting) + of(PairClass::Static, counts.statics)
    }
}

/// See [`Scene::count_pairs`].
pub(super) fn count_pairs(scene: &Scene) -> PairCounts {
    let bodies: Vec<usize> = (0..scene.bodies.len()).filter(|body| scene.is_requested(*body)).collect();
    let pairs = |count: usize| count * count.saturating_sub(1) / 2;
    let within = |counts: &mut dyn Iterator<Item = &usize>| counts.map(|count| pairs(*count)).sum::<usize>();
    // The number of pairs of bodies with the same key and without a common group. A body without a key is in no
    // pair.
    let alike = |key: &dyn Fn(usize) -> Option<usize>| {
        let mut all = FxHashMap::<usize, usize>::default();
        let mut grouped = FxHashMap::<_, usize>::default();
        for (body, key) in bodies.iter().filter_map(|body| Some((*body, key(*body)?))) {
            *all.entry(key).or_default() += 1;
            if let Some(group) = scene.bodies[body].group.as_deref() {
                *grouped.entry((key, group)).or_default() += 1;
            }
        }
        within(&mut all.values()) - within(&mut grouped.values())
    };
    // A body that deforms moves relative to all others.
    let rigid = |body: usize| !scene.is_bending(body);
    let statics = |body: usize| rigid(body) && !scene.placements[body].can_move;
    let assembly = |body: usize| scene.placements[body].assembly;
    let requested = alike(&|_| Some(0));
    let moving_alike =
        alike(&|body| rigid(body).then(|| scene.placements[body].moving_ancestor.map_or(0, |on| on + 1)));
    let joined = alike(&|body| rigid(body).then(|| assembly(body)));
    let all_static = alike(&|body| statics(body).then_some(0));
    let static_joined = alike(&|body| statics(body).then(|| assembly(body)));
    let statics = all_static - static_joined;
    let (moving, resting) = (requested - moving_alike, moving_alike - joined - statics);
    let mut counts = PairCounts { moving, resting, joined, statics, exempt: 0 };
    for [a, b] in scene.ignored_pairs.iter().filter(|[a, b]| a != b && !scene.is_filtered(*a, *b)) {
        *counts.of(scene.pair_class(*a, *b)) -= 1;
    }
    counts.exempt = pairs(scene.surfaces()) - counts.moving - counts.at_rest();
    counts
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{DQuat, DVec3};

    use super::*;
    use crate::motion::{Pose, Screw};
    use crate::pair::shape::CollisionShape;
    use crate::scene::definition::{BodyMotion, PairSide, SceneBody, SceneDefinition};
    use crate::scene::report::CheckOptions;
    use crate::scene::report::PairVerdict;
    use crate::shape::{PartShape, PointCloud, Primitive, Solid, SolidPart};
    use chasles_testing::Random;

    fn pose(x: f64, y: f64, angle: f64) -> Pose {
        let rotation = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle);
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
        let shape = CollisionShape::primitive(Primitive::Box { size: DVec3::ONE }).ok();
        SceneBody { name: name.into(), shape, motion, parent, group: None, solid: false }
    }

    fn scene(bodies: Vec<SceneBody>, ignore: Vec<[PairSide; 2]>) -> Scene {
        let definition = SceneDefinition { duration: 2.0, tolerance: None, clearance: 0.0, bodies, ignore };
        Scene::new(definition).unwrap()
    }

    /// The pairs of a class that are not exempt. Also checks [`Scene::count_pairs`].
    fn of_class(scene: &Scene, class: PairClass) -> Vec<(usize, usize)> {
        let count = scene.bodies().len();
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        let (mut counts, mut of_class) = (PairCounts::default(), vec![]);
        for (a, b) in pairs.filter(|(a, b)| !scene.is_exempt(*a, *b)) {
            counts.add(scene.pair_class(a, b));
            if scene.pair_class(a, b) == class {
                of_class.push((a, b));
            }
        }
        let surfaces = scene.surfaces();
        counts.exempt = surfaces * surfaces.saturating_sub(1) / 2 - counts.moving - counts.at_rest();
        assert_eq!(scene.count_pairs(), counts);
        of_class
    }

    /// The pairs with a motion between them.
    fn tested(scene: &Scene) -> Vec<(usize, usize)> {
        of_class(scene, PairClass::Moving)
    }

    /// A hand that moves carries a lamp and two fingers, and one finger carries a pad. A table carries a vice, and a
    /// wall is beside it.
    #[test]
    fn joints_that_rest_parents_and_the_world_make_three_classes() {
        let still = |x| BodyMotion::Still(pose(x, -x, x));
        let bodies = |hand: BodyMotion| {
            vec![
                body("pad", still(0.1), Some(2)),
                body("hand", hand, None),
                body("left", still(0.2), Some(1)),
                body("right", still(0.3), Some(1)),
                body("table", still(0.4), None),
                body("vice", still(0.5), Some(4)),
                body("wall", still(0.6), None),
                body("lamp", still(0.7), Some(1)),
            ]
        };
        use PairClass::{Moving, Resting, RigidlyJoined, Static};
        let moving = scene(bodies(turning(0.3, 1.0)), vec![]).with_resting(&[2, 3]);
        assert_eq!(
            of_class(&moving, Resting),
            [(0, 1), (0, 3), (0, 7), (1, 2), (1, 3), (2, 3), (2, 7), (3, 7)]
        );
        assert_eq!(of_class(&moving, RigidlyJoined), [(0, 2), (1, 7), (4, 5)]);
        assert_eq!(of_class(&moving, Static), [(4, 6), (5, 6)]);
        // The same hand without a motion: the fingers can still move, but the table and the hand are static.
        let resting = scene(bodies(still(0.9)), vec![]).with_resting(&[2, 3]);
        assert_eq!(of_class(&resting, Moving), []);
        let hand_and_world = [(1, 4), (1, 5), (1, 6), (4, 6), (4, 7), (5, 6), (5, 7), (6, 7)];
        assert_eq!(of_class(&resting, Static), hand_and_world);
        assert_eq!(of_class(&resting, RigidlyJoined), [(0, 2), (1, 7), (4, 5)]);
        assert_eq!(of_class(&resting, Resting).len(), 28 - 8 - 3);
        // The pad moves, though the joint of its finger rests.
        let mut pad = bodies(still(0.9));
        pad[0].motion = keyed(1.0);
        let pad = scene(pad, vec![]).with_resting(&[2, 3]);
        assert_eq!((of_class(&pad, Moving).len(), of_class(&pad, RigidlyJoined).len()), (7, 2));
    }

    /// For random trees with groups and ignored pairs, the counts are the same as in a loop over all pairs.
    #[test]
    fn counts_are_those_of_all_pairs() {
        for seed in 0..300 {
            let random = &mut Random(seed);
            let count = 1 + random.below(9);
            let bodies: Vec<SceneBody> = (0..count)
                .map(|number| {
                    let motion = if random.below(3) == 0 {
                        keyed(1.0)
                    } else {
                        BodyMotion::Still(pose(0.1, 0.2, 0.3))
                    };
                    let parent = Some(random.below(count)).filter(|parent| *parent < number);
                    let group =
                        [None, None, Some("g".to_owned()), Some("h".to_owned())][random.below(4)].clone();
                    let own = body("b", motion, parent);
                    let shape = own.shape.clone().filter(|_| random.below(6) > 0);
                    SceneBody { group, shape, ..own }
                })
                .collect();
            let mut side =
                || if random.below(9) == 0 { PairSide::Every } else { PairSide::Body(random.below(count)) };
            let ignore = (0..3).map(|_| [side(), side()]).collect();
            let resting: Vec<usize> = (0..count).filter(|_| random.below(3) == 0).collect();
            of_class(&scene(bodies, ignore).with_resting(&resting), PairClass::Moving);
        }
    }

    #[test]
    fn pairs_that_never_move_relative_to_each_other_are_not_tested() {
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
        // A body without a surface only carries others.
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
        assert_eq!(tested(bodies(), vec![[PairSide::Body(2), PairSide::Body(0)]]), [(0, 1), (0, 3)]);
        assert_eq!(tested(bodies(), vec![[PairSide::Every, PairSide::Body(1)]]), [(0, 2), (0, 3)]);
        assert_eq!(tested(bodies(), vec![[PairSide::Every, PairSide::Every]]), []);
        let mut grouped = bodies();
        grouped[0].group = Some("left".into());
        grouped[3].group = Some("left".into());
        grouped[1].group = Some("right".into());
        assert_eq!(tested(grouped.clone(), vec![]), [(0, 1), (0, 2)]);
        // Static pairs can be ignored by name, too, and no pair is counted twice.
        let named = [[1, 2], [0, 1], [3, 0], [2, 2]].map(|pair| pair.map(PairSide::Body)).to_vec();
        assert_eq!(tested(grouped, named), [(0, 2)]);
    }

    /// Both at one time and along a motion: a body inside a solid body is in contact with it, and a body inside a
    /// hollow body is not.
    #[test]
    fn all_queries_count_the_interiors_of_solid_bodies() {
        let crate_of = |solid| SceneBody { solid, ..body("crate", still(0.0), None) };
        let points = PointCloud::new(vec![(0, DVec3::ZERO), (1, DVec3::new(0.1, 0.0, 0.0))], 0.02).unwrap();
        let cloud = CollisionShape::cloud(Arc::new(points)).unwrap();
        let ball = PartShape::Primitive(Primitive::Sphere { radius: 0.9 });
        let ball = Solid::new(vec![SolidPart { shape: ball, pose: Pose::IDENTITY, scale: 1.0 }]).unwrap();
        let ball = CollisionShape::solid(Arc::new(ball)).unwrap();
        let with = |name: &str, shape: &CollisionShape, solid| {
            let shape = Some(shape.clone());
            SceneBody { shape, solid, ..body(name, still(0.0), None) }
        };
        let small = CollisionShape::primitive(Primitive::Sphere { radius: 0.2 }).unwrap();
        let cases = [
            (crate_of(true), with("cloud", &cloud, false), [0.0, 0.0]),
            (crate_of(false), with("cloud", &cloud, false), [0.379, 0.381]),
            (with("ball", &ball, true), with("small", &small, false), [0.0, 0.0]),
            (with("ball", &ball, false), with("small", &small, false), [0.699, 0.701]),
        ];
        for (outer, inner, [least, most]) in cases {
            let solid = outer.solid;
            let scene = scene(vec![outer, inner], vec![]);
            assert_eq!(scene.static_intersections(0.0).unwrap().len(), usize::from(solid));
            let gap = scene.distances([0, 1], &[0.0]).unwrap().unwrap()[0];
            let [lo, hi] = [gap.lower, gap.upper];
            assert!(lo <= hi && least <= hi && lo <= most && hi - lo <= 0.01 * hi + 1e-9, "{solid} {gap:?}");
            let found = scene.check(&CheckOptions::default(), &()).unwrap();
            assert_eq!(found.verdict == PairVerdict::Overlapping, solid);
            let nearest = found.nearest.map_or([0.0; 2], |nearest| nearest.gap);
            assert!(least <= nearest[1] && nearest[0] <= most, "{solid} {nearest:?}");
            // The report of a clear scene states the epsilon that it holds for.
            assert_eq!(found.epsilon, Some(scene.epsilon()));
        }
    }

    fn still(x: f64) -> BodyMotion {
        BodyMotion::Still(Pose::from_position(DVec3::new(x, 0.0, 0.0)).unwrap())
    }
}
