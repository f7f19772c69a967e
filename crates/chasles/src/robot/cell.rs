//! A robot in its cell: its base, the bodies around it and attached to its links, and the pairs that are tested.

use crate::error::{Error, ErrorKind, check_not_negative, check_number, check_positive};
use crate::motion::Pose;
use crate::robot::definition::AdjacentLinks;
use crate::robot::path::JointPath;
use crate::robot::tree::Robot;
use crate::scene::definition::{BodyMotion, PairSide, Scene, SceneBody, SceneDefinition};

/// A body of the world around a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldBody {
    /// The body; its parent is another body of the world, by its index in the world.
    pub body: SceneBody,
    /// The number of the link that the body is attached to: it moves with the link, and is tested against the rest of
    /// the world as well.
    pub link: Option<usize>,
}

/// The definition of a [`RobotCell`]. Bodies are numbered: links first, then the bodies of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct CellDefinition {
    /// The robot.
    pub robot: Robot,
    /// The pose of the root link in the world.
    pub base: Pose,
    /// The bodies around the robot.
    pub world: Vec<WorldBody>,
    /// Duration of the world's motions, in seconds from time 0 of the paths; before and after, the bodies keep their
    /// first and last poses.
    pub world_duration: f64,
    /// Exempt pairs, in either order, besides those of the robot itself.
    pub ignore: Vec<[PairSide; 2]>,
    /// As [`SceneDefinition::tolerance`].
    pub tolerance: Option<f64>,
    /// As [`SceneDefinition::clearance`].
    pub clearance: f64,
    /// Pairs of bodies with their own clearance, in metres, in either order; if a pair occurs more than once, the
    /// last entry counts.
    pub clearances: Vec<([usize; 2], f64)>,
}

/// A robot in its cell, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotCell {
    definition: CellDefinition,
    /// As [`Scene::with_epsilon`].
    pub(super) epsilon: Option<f64>,
    /// For each link and each body of the world, whether the robot carries it.
    rides: Vec<bool>,
    /// Exempt pairs, lower number first, sorted.
    untested: Vec<[usize; 2]>,
}

/// The scene of a robot on a path. Each link is the body with its own number, without a surface. The parts of the
/// links' surfaces follow, each with its link as parent, and then the world.
#[derive(Debug, Clone, PartialEq)]
pub struct PathScene {
    /// The scene; its time 0 is the start of the path.
    pub scene: Scene,
    /// For each body of the scene, in order, the link or body of the world that it belongs to.
    pub owners: Vec<usize>,
}

/// The group of the bodies of the world that no link carries: they are not tested against each other.
const WORLD: &str = "world";

impl RobotCell {
    /// Checks a definition.
    ///
    /// # Errors
    /// A link or a body that does not exist, an attached body with a parent, a duration that is not greater than 0, a
    /// negative tolerance or clearance; and for the world on its own the errors of [`Scene::new`].
    pub fn new(definition: CellDefinition) -> Result<Self, Error> {
        let links = definition.robot.links().len();
        let count = links + definition.world.len();
        let CellDefinition { world_duration, tolerance, clearance, .. } = definition;
        check_positive(world_duration, "duration of the world")?;
        for (value, place) in [(tolerance.unwrap_or(0.0), "tolerance"), (clearance, "clearance")] {
            check_not_negative(value, place)?;
        }
        let deforms =
            |body: &SceneBody| body.shape.as_ref().is_some_and(|shape| shape.deforming_surface().is_some());
        if let Some(WorldBody { body, .. }) = definition.world.iter().find(|other| deforms(&other.body)) {
            let what = "a body that deforms beside a robot is";
            return Err(Error::new(ErrorKind::NotBuilt(what), format!("body {:?}", body.name)));
        }
        let mut rides: Vec<bool> = (0..count).map(|body| body < links).collect();
        for (number, WorldBody { body, link }) in definition.world.iter().enumerate() {
            if let Some(link) = link.filter(|link| *link >= links || body.parent.is_some()) {
                let place = format!("link of body {:?}", body.name);
                return Error::out_of_range(link as f64, "the number of a link, or a parent", place);
            }
            rides[links + number] = link.is_some();
        }
        if let Some(PairSide::Body(body)) = definition
            .ignore
            .iter()
            .flatten()
            .find(|side| matches!(side, PairSide::Body(body) if *body >= count))
        {
            return Error::out_of_range(*body as f64, "the number of a body", "ignored pair");
        }
        for (pair, clearance) in &definition.clearances {
            if let Some(body) = pair.iter().find(|body| **body >= count) {
                return Error::out_of_range(*body as f64, "the number of a body", "clearance");
            }
            check_not_negative(*clearance, "clearance")?;
        }
        let mut cell = Self { epsilon: None, rides, untested: untested(&definition), definition };
        // Checking the world alone finds its own faults, and proves that parents form a tree.
        cell.world_alone()?;
        for start in 0..cell.definition.world.len() {
            let mut top = start;
            while let Some(parent) = cell.definition.world[top].body.parent {
                top = parent;
            }
            cell.rides[links + start] = cell.rides[links + top];
        }
        Ok(cell)
    }

    /// The definition that the cell was made from.
    #[must_use]
    pub fn definition(&self) -> &CellDefinition {
        &self.definition
    }

    /// The robot.
    #[must_use]
    pub fn robot(&self) -> &Robot {
        &self.definition.robot
    }

    /// The same cell, in which some pairs, in either order, have their own clearance, in metres.
    ///
    /// # Errors
    /// A link or a body that does not exist, a negative clearance.
    pub fn with_clearances(&self, clearances: Vec<([usize; 2], f64)>) -> Result<Self, Error> {
        let cell = Self::new(CellDefinition { clearances, ..self.definition.clone() })?;
        Ok(Self { epsilon: self.epsilon, ..cell })
    }

    /// The same cell with an epsilon, in metres, for pairs with a solid, a cloud or a parametric surface: see
    /// [`Scene::with_epsilon`].
    ///
    /// # Errors
    /// An epsilon that is not greater than 0.
    pub fn with_epsilon(self, epsilon: f64) -> Result<Self, Error> {
        check_positive(epsilon, "epsilon")?;
        Ok(Self { epsilon: Some(epsilon), ..self })
    }

    /// The epsilon for such pairs, if it was given.
    #[must_use]
    pub fn epsilon(&self) -> Option<f64> {
        self.epsilon
    }

    /// The same cell, around [`Robot::without_limits`].
    #[must_use]
    pub fn without_limits(mut self) -> Self {
        self.definition.robot = self.definition.robot.without_limits();
        self
    }

    /// The same cell with a static world: its bodies have their poses at a time of the paths, in seconds.
    ///
    /// # Errors
    /// A time that is not finite.
    pub fn standing_at(&self, time: f64) -> Result<Self, Error> {
        check_number(time, || "time".into())?;
        let mut definition = self.definition.clone();
        if let Some(world) = self.world_alone()? {
            for (number, WorldBody { body, .. }) in definition.world.iter_mut().enumerate() {
                let pose = world.pose_in_parent(number, time.clamp(0.0, self.definition.world_duration));
                body.motion = BodyMotion::Still(pose);
            }
        }
        Ok(Self { epsilon: self.epsilon, ..Self::new(definition)? })
    }

    /// The name of a link, or of a body of the world.
    ///
    /// # Panics
    /// If there is no such body.
    #[must_use]
    pub fn name(&self, body: usize) -> &str {
        let links = self.robot().links();
        match links.get(body) {
            Some(link) => &link.name,
            None => &self.definition.world[body - links.len()].body.name,
        }
    }

    /// Number of links and bodies of the world.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rides.len()
    }

    /// The clearance of a pair of links or bodies, in metres: the report lists pairs that come closer than this.
    #[must_use]
    pub fn clearance_of(&self, [a, b]: [usize; 2]) -> f64 {
        let CellDefinition { clearance, clearances, .. } = &self.definition;
        let own = clearances.iter().rev().find(|(pair, _)| *pair == [a, b] || *pair == [b, a]);
        own.map_or(*clearance, |(_, own)| *own)
    }

    /// The link that carries a body of the world, directly or through other bodies. `number` is the body's index in
    /// the world.
    pub(crate) fn carrier(&self, number: usize) -> Option<usize> {
        let world = &self.definition.world;
        let mut top = number;
        while let Some(parent) = world[top].body.parent {
            top = parent;
        }
        world[top].link
    }

    /// Whether a link or body is part of the robot, or carried by it.
    pub(crate) fn rides(&self, body: usize) -> bool {
        self.rides[body]
    }

    /// Whether two links or bodies are tested against each other when they move relative to each other.
    pub(crate) fn is_wanted(&self, a: usize, b: usize) -> bool {
        let links = self.robot().links().len();
        let pair = [a.min(b), a.max(b)];
        let world = |body: usize| body.checked_sub(links).map(|number| &self.definition.world[number].body);
        let one_group = match [a, b].map(world) {
            [Some(x), Some(y)] => x.group.is_some() && x.group == y.group,
            _ => false,
        };
        a != b
            && (self.rides[a] || self.rides[b])
            && !one_group
            && self.untested.binary_search(&pair).is_err()
    }

    /// As `is_wanted`, for pairs that are not in `ignore` either.
    pub(crate) fn is_tested(&self, a: usize, b: usize) -> bool {
        let is =
            |side: &PairSide, body: usize| matches!(side, PairSide::Every) || *side == PairSide::Body(body);
        let ignored = |[x, y]: &[PairSide; 2]| is(x, a) && is(y, b) || is(x, b) && is(y, a);
        self.is_wanted(a, b) && !self.definition.ignore.iter().any(ignored)
    }

    /// The world without the robot; `None` if it is empty.
    fn world_alone(&self) -> Result<Option<Scene>, Error> {
        if self.definition.world.is_empty() {
            return Ok(None);
        }
        let bodies = self.definition.world.iter().map(|world| world.body.clone()).collect();
        let CellDefinition { world_duration, tolerance, clearance, .. } = self.definition;
        let definition =
            SceneDefinition { duration: world_duration, tolerance, clearance, bodies, ignore: vec![] };
        Scene::new(definition).map(Some)
    }

    /// The scene of the robot on a path, which [`RobotCell::check_path`] checks.
    ///
    /// # Errors
    /// As [`JointPath::check`], and a motion that leaves the range of coordinates.
    pub fn path_scene(&self, path: &JointPath) -> Result<PathScene, Error> {
        path.check(self.robot())?;
        self.scene(path)
    }

    /// The scene of a checked path.
    pub(crate) fn scene(&self, path: &JointPath) -> Result<PathScene, Error> {
        let CellDefinition { robot, base, world, .. } = &self.definition;
        let [begin, end] = path.span();
        let curves = path.curves(robot);
        let links = robot.links().len();
        let (mut bodies, mut owners, mut resting) = (Vec::new(), Vec::new(), Vec::new());
        for (number, link) in robot.links().iter().enumerate() {
            let (motion, parent) = match robot.joint_above(number) {
                Some(joint) => {
                    let above = &robot.joints()[joint];
                    if above.axis.is_some() {
                        resting.push(number);
                    }
                    (above.motion(curves[joint].clone()), Some(above.parent))
                }
                None => (BodyMotion::Still(*base), None),
            };
            let name = link.name.clone();
            bodies.push(SceneBody { name, shape: None, motion, parent, group: None, solid: false });
            owners.push(number);
        }
        for (number, link) in robot.links().iter().enumerate() {
            for element in &link.elements {
                bodies.push(SceneBody {
                    name: link.name.clone(),
                    shape: Some(element.shape.clone()),
                    motion: BodyMotion::Still(element.pose),
                    parent: Some(number),
                    group: None,
                    solid: element.solid,
                });
                owners.push(number);
            }
        }
        let first_world = bodies.len();
        for (number, WorldBody { body, link }) in world.iter().enumerate() {
            let parent = body.parent.map(|parent| first_world + parent).or(*link);
            let motion = match &body.motion {
                BodyMotion::Still(pose) => BodyMotion::Still(*pose),
                moving => BodyMotion::During {
                    start: -begin,
                    duration: self.definition.world_duration,
                    motion: Box::new(moving.clone()),
                },
            };
            let group = (!self.rides[links + number]).then(|| WORLD.to_owned());
            bodies.push(SceneBody { parent, motion, group, ..body.clone() });
            owners.push(links + number);
        }
        let ignore = self.ignored(&owners);
        let mut scene = Scene::new(SceneDefinition {
            duration: end - begin,
            tolerance: self.definition.tolerance,
            clearance: self.definition.clearance,
            bodies,
            ignore,
        })?
        .with_resting(&resting);
        if let Some(epsilon) = self.epsilon {
            scene = scene.with_epsilon(epsilon)?;
        }
        let mut clearances = Vec::new();
        for (pair, clearance) in &self.definition.clearances {
            for a in (0..owners.len()).filter(|a| owners[*a] == pair[0]) {
                for b in (0..owners.len()).filter(|b| owners[*b] == pair[1]) {
                    clearances.push(([a, b], *clearance));
                }
            }
        }
        Ok(PathScene { scene: scene.with_clearances(&clearances)?, owners })
    }

    /// Exempt pairs of bodies of a path's scene.
    fn ignored(&self, owners: &[usize]) -> Vec<[PairSide; 2]> {
        let links = self.robot().links().len();
        let mut ignore = Vec::new();
        for pair in &self.definition.ignore {
            let bodies = pair.map(|side| match side {
                PairSide::Every => vec![PairSide::Every],
                PairSide::Body(owner) => {
                    (0..owners.len()).filter(|body| owners[*body] == owner).map(PairSide::Body).collect()
                }
            });
            for a in &bodies[0] {
                ignore.extend(bodies[1].iter().map(|b| [*a, *b]));
            }
        }
        for a in 0..owners.len() {
            for b in a + 1..owners.len() {
                let (x, y) = (owners[a], owners[b]);
                // Bodies of the world that no link carries are in one group, so their pairs are exempt already.
                let standing = x >= links && y >= links && !self.rides[x] && !self.rides[y];
                if !standing && !self.is_wanted(x, y) {
                    ignore.push([PairSide::Body(a), PairSide::Body(b)]);
                }
            }
        }
        ignore
    }
}

/// Pairs that are never tested, lower number first, sorted: disabled or adjacent links, and a link with a body
/// attached to it, which counts as adjacent.
fn untested(cell: &CellDefinition) -> Vec<[usize; 2]> {
    let (robot, definition) = (&cell.robot, cell.robot.definition());
    let adjacent: Vec<[usize; 2]> = match definition.adjacent {
        AdjacentLinks::Skipped => {
            let still = |world: &&WorldBody| matches!(world.body.motion, BodyMotion::Still(_));
            let attached = (robot.links().len()..).zip(&cell.world).filter(|(_, world)| still(world));
            let attached = attached.filter_map(|(number, world)| Some([world.link?, number]));
            robot.joints().iter().map(|joint| [joint.parent, joint.child]).chain(attached).collect()
        }
        AdjacentLinks::Tested => Vec::new(),
    };
    let mut pairs: Vec<[usize; 2]> =
        definition.disabled.iter().chain(&adjacent).map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::robot::arms::{at, brick, cell, cube, path, planar, still};
    use crate::robot::definition::RobotDefinition;
    use crate::scene::pairing::{RestingPairs, StaticPairs};
    use crate::scene::report::CheckOptions;
    use crate::scene::report::{PairListing, PairVerdict, SkippedPairs};

    #[track_caller]
    fn refused(change: impl Fn(&mut CellDefinition), message: &str) {
        let mut definition =
            cell(planar(2), vec![cube("a", 1.0, still(9.0, 0.0, 0.0)), cube("b", 1.0, still(0.0, 9.0, 0.0))]);
        change(&mut definition);
        assert_eq!(RobotCell::new(definition).unwrap_err().to_string(), message);
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        refused(
            |c| c.world[1].link = Some(3),
            "link of body \"b\": found 3, expected the number of a link, or a parent",
        );
        let both = |c: &mut CellDefinition| (c.world[1].link, c.world[1].body.parent) = (Some(1), Some(0));
        refused(both, "link of body \"b\": found 1, expected the number of a link, or a parent");
        refused(
            |c| c.ignore = vec![[PairSide::Every, PairSide::Body(5)]],
            "ignored pair: found 5, expected the number of a body",
        );
        refused(|c| c.clearances = vec![([5, 0], 0.1)], "clearance: found 5, expected the number of a body");
        let number = "expected a finite number, not negative";
        refused(|c| c.clearances = vec![([1, 0], -0.1)], &format!("clearance: found -0.1, {number}"));
        refused(|c| c.clearances = vec![([1, 0], f64::NAN)], &format!("clearance: found NaN, {number}"));
        // Errors of the world on its own.
        refused(
            |c| c.world[1].body.parent = Some(2),
            "parent of body \"b\": found 2, expected the number of a body",
        );
        refused(
            |c| c.world[1].body.parent = Some(1),
            "parent of body \"b\": found 1, expected parents that form no circle",
        );
        refused(
            |c| c.world[0].body.motion = BodyMotion::Keyframes(vec![]),
            "keyframes of body \"a\": found 0, expected at least one key",
        );
        let open = |c: &mut CellDefinition| (c.world[0].body.solid, c.world[0].body.shape) = (true, None);
        refused(
            open,
            "solid body \"a\": found a mesh that is not closed, expected every edge to have two triangles",
        );
        // With a world and without.
        for count in [0, 2] {
            let with = |change: fn(&mut CellDefinition)| {
                move |c: &mut CellDefinition| {
                    c.world.truncate(count);
                    change(c);
                }
            };
            refused(with(|c| c.clearance = -1.0), &format!("clearance: found -1, {number}"));
            refused(with(|c| c.tolerance = Some(f64::NAN)), &format!("tolerance: found NaN, {number}"));
            refused(
                with(|c| c.world_duration = 0.0),
                "duration of the world: found 0, expected a finite number greater than 0",
            );
        }
    }

    #[test]
    fn bodies_are_numbered_links_first() {
        let cell = cell(planar(1), vec![cube("a", 1.0, still(9.0, 0.0, 0.0))]);
        let cell = RobotCell::new(cell).unwrap();
        assert_eq!((cell.count(), cell.name(0), cell.name(1), cell.name(2)), (3, "l0", "l1", "a"));
    }

    /// The number of pairs that are tested on a path, and the listed pairs.
    fn tested(definition: CellDefinition, joints: &[usize]) -> (usize, Vec<[usize; 2]>) {
        let (mut from, mut to) = (vec![0.0], vec![1.0]);
        from.extend(joints.iter().map(|_| 0.0));
        to.extend(joints.iter().map(|_| 0.3));
        let (standing, statics) = (RestingPairs::Ignored, StaticPairs::Ignored);
        let options = CheckOptions { listed: PairListing::All, standing, statics, ..CheckOptions::default() };
        let cell = RobotCell::new(definition).unwrap();
        let found = cell.check_path(&path(joints, &[&from, &to]), &options, &()).unwrap();
        let pairs: Vec<[usize; 2]> = found.report.pairs.iter().map(|pair| pair.bodies).collect();
        assert_eq!(found.report.pairs_tested, pairs.len());
        // All other pairs that are not exempt are at rest or static.
        let untested = found.report.untested;
        for statics in [StaticPairs::Named, StaticPairs::Tested] {
            let options = CheckOptions { standing: RestingPairs::Tested, statics, ..options };
            let all = cell.check_path(&path(joints, &[&from, &to]), &options, &()).unwrap().report;
            let left = if statics == StaticPairs::Named { untested.statics } else { 0 };
            assert_eq!(all.pairs.len(), pairs.len() + untested.resting + untested.statics - left);
            assert_eq!(
                (all.pairs_tested, all.untested),
                (all.pairs.len(), SkippedPairs { resting: 0, statics: left, ..untested })
            );
        }
        (pairs.len(), pairs)
    }

    /// Links 0 to 3 in a row, a static table (4), and a tool (5) on the last link.
    fn with_tool() -> CellDefinition {
        let mut tool = cube("tool", 0.1, still(0.95, 0.3, 0.0));
        tool.link = Some(3);
        cell(planar(3), vec![cube("table", 0.5, still(0.0, 20.0, 0.0)), tool])
    }

    #[test]
    fn pairs_are_those_that_move_relative_to_each_other() {
        // Bodies that the middle joint carries (2, 3, the tool) against all others (0, 1, the table), except for 1
        // and 2.
        let (count, pairs) = tested(with_tool(), &[1]);
        assert_eq!(count, 8);
        assert_eq!(pairs, [[0, 2], [0, 3], [0, 5], [1, 3], [1, 5], [2, 4], [3, 4], [4, 5]]);
        // All joints: the table is static relative to the root, the tool relative to its link.
        let (count, pairs) = tested(with_tool(), &[2, 0, 1]);
        assert_eq!(count, 10);
        assert_eq!(pairs, [[0, 2], [0, 3], [0, 5], [1, 3], [1, 4], [1, 5], [2, 4], [2, 5], [3, 4], [4, 5]]);
        assert_eq!(tested(with_tool(), &[]).0, 0);
    }

    #[test]
    fn pairs_are_left_out_as_told() {
        let robot = |change: fn(&mut RobotDefinition)| {
            let mut definition = planar(3);
            change(&mut definition);
            CellDefinition { robot: Robot::new(definition).unwrap(), ..with_tool() }
        };
        let adjacent = robot(|r| r.adjacent = AdjacentLinks::Tested);
        assert_eq!(tested(adjacent.clone(), &[1]).0, 9);
        assert_eq!(tested(adjacent, &[0, 1, 2]).0, 13);
        // In either order; pairs that are adjacent anyway count once.
        let disabled = robot(|r| r.disabled = vec![[3, 0], [1, 2], [2, 1]]);
        assert_eq!(tested(disabled, &[0, 1, 2]).0, 9);
        let ignoring = |ignore| CellDefinition { ignore, ..with_tool() };
        let all = [0, 1, 2];
        assert_eq!(tested(ignoring(vec![[PairSide::Body(5), PairSide::Body(0)]]), &all).0, 9);
        assert_eq!(tested(ignoring(vec![[PairSide::Body(4), PairSide::Every]]), &all).0, 6);
        assert_eq!(tested(ignoring(vec![[PairSide::Every, PairSide::Body(3)]]), &all).0, 7);
        assert_eq!(tested(ignoring(vec![[PairSide::Every, PairSide::Every]]), &all).0, 0);
        // A group contains only bodies of the world: they are still tested against links.
        let mut grouped = with_tool();
        grouped.world.iter_mut().for_each(|body| body.body.group = Some("g".into()));
        assert_eq!(tested(grouped, &all).0, 9);
        let mut named = with_tool();
        named.world[1].body.group = Some(WORLD.into());
        assert_eq!(tested(named, &all).0, 10);
    }

    #[test]
    fn what_is_attached_is_tested_but_against_its_own_link() {
        // A body attached to the tool is carried by the link.
        let mut definition = with_tool();
        let mut tip = cube("tip", 0.1, still(0.2, 0.0, 0.0));
        tip.body.parent = Some(1);
        definition.world.push(tip);
        let (count, pairs) = tested(definition.clone(), &[0, 1, 2]);
        assert_eq!(count, 10 + 4);
        assert!(!pairs.contains(&[3, 6]) && !pairs.contains(&[5, 6]) && pairs.contains(&[4, 6]));
        // A body that moves on its link is tested against the link, and against the other bodies on it.
        let open = BodyMotion::Keyframes(vec![(0.0, at(0.2, 0.0, 0.0)), (0.5, at(0.3, 0.0, 0.0))]);
        definition.world[2].body.motion = open.clone();
        let (count, pairs) = tested(definition.clone(), &[0, 1, 2]);
        assert_eq!(count, 10 + 6);
        assert!(pairs.contains(&[3, 6]) && pairs.contains(&[5, 6]));
        // Also if the robot does not move.
        assert_eq!(tested(definition, &[]).1, [[0, 6], [1, 6], [2, 6], [3, 6], [4, 6], [5, 6]]);
        // Bodies of the world that no link carries are never tested against each other, whatever their groups.
        let mut moving = with_tool();
        moving.world[0].body.motion = open;
        moving.world[0].body.group = Some("own".into());
        moving.world.push(cube("floor", 1.0, still(0.0, 0.0, -5.0)));
        assert_eq!(tested(moving, &[]).1, [[0, 4], [1, 4], [2, 4], [3, 4], [4, 5]]);
    }

    #[test]
    fn what_is_not_tested_is_counted_by_its_reason() {
        let counts = |definition: CellDefinition, joints: &[usize]| {
            let cell = RobotCell::new(definition).unwrap();
            let rows: Vec<Vec<f64>> =
                [0.0, 1.0].iter().map(|t| [&[*t][..], &vec![*t; joints.len()]].concat()).collect();
            let path = path(joints, &[&rows[0], &rows[1]]);
            let found = cell.check_path(&path, &CheckOptions::default(), &()).unwrap().report;
            (found.pairs_tested, found.untested.standing(), found.untested.exempt)
        };
        // There are 15 pairs. Three pairs of links are adjacent, and so are the tool and its link. The base and the
        // table can never move.
        assert_eq!(counts(with_tool(), &[0, 1, 2]), (10, 1, 4));
        assert_eq!(counts(with_tool(), &[1]), (10, 1, 4));
        assert_eq!(counts(with_tool(), &[]), (10, 1, 4));
        let mut definition = with_tool();
        definition.ignore = vec![[PairSide::Body(4), PairSide::Every]];
        assert_eq!(counts(definition.clone(), &[0, 1, 2]), (6, 0, 9));
        // Two static bodies of the world are no pair of the robot.
        definition.world.push(cube("floor", 1.0, still(0.0, 0.0, -5.0)));
        assert_eq!(counts(definition, &[0, 1, 2]), (10, 1, 9));
    }

    #[test]
    fn links_that_overlap_at_rest_are_found_unless_they_are_ignored() {
        // The last link is folded back onto the first, both before the only joint that moves.
        let mut robot = planar(3);
        robot.joints[2].origin = at(-0.9, 0.05, 0.03);
        let cell = RobotCell::new(cell(robot, vec![])).unwrap();
        let turn = path(&[0], &[&[0.0, 0.0], &[1.0, 0.5]]);
        let verdict = |standing| {
            let options = CheckOptions { standing, ..CheckOptions::default() };
            let report = cell.check_path(&turn, &options, &()).unwrap().report;
            (report.verdict, report.pairs.iter().map(|pair| pair.bodies).collect::<Vec<_>>())
        };
        assert_eq!(verdict(RestingPairs::Ignored), (PairVerdict::Clear, vec![]));
        assert_eq!(verdict(RestingPairs::Tested), (PairVerdict::Overlapping, vec![[1, 3]]));
    }

    #[test]
    fn what_is_attached_is_where_its_link_is() {
        // The tool reaches 0.35 above the last link: a quarter turn of the first joint moves the tool sideways.
        let mut definition = with_tool();
        definition.world[0] = cube("block", 0.2, still(1.0 - 0.3, 2.95, 0.0));
        let cell = RobotCell::new(definition.clone()).unwrap();
        let turn = path(&[0], &[&[0.0, 0.0], &[1.0, std::f64::consts::FRAC_PI_2]]);
        let found = cell.check_path(&turn, &CheckOptions::default(), &()).unwrap().report;
        assert_eq!(found.pairs.iter().map(|pair| pair.bodies).collect::<Vec<_>>(), [[4, 5]]);
        definition.world[1].link = Some(1);
        let cell = RobotCell::new(definition).unwrap();
        assert_eq!(
            cell.check_path(&turn, &CheckOptions::default(), &()).unwrap().report.verdict,
            PairVerdict::Clear
        );
    }

    #[test]
    fn links_of_several_parts_are_one() {
        let mut robot = planar(2);
        robot.links.iter_mut().for_each(|link| {
            link.elements.push(brick([0.1, 0.1, 0.3], at(0.5, 0.0, 0.0)));
            link.elements.push(brick([0.1, 0.3, 0.1], at(0.3, 0.0, 0.0)));
        });
        let block = cube("block", 0.2, still(2.3, 0.5, 0.0));
        let (count, pairs) = tested(cell(robot, vec![block]), &[0, 1]);
        assert_eq!((count, pairs), (3, vec![[0, 2], [1, 3], [2, 3]]));
    }

    #[test]
    fn the_base_carries_the_robot_and_not_the_world() {
        let mut definition = cell(planar(1), vec![cube("block", 0.2, still(1.0, 0.5, 0.0))]);
        let turn = path(&[0], &[&[0.0, 0.0], &[1.0, 3.0]]);
        let verdict = |definition: &CellDefinition| {
            let cell = RobotCell::new(definition.clone()).unwrap();
            cell.check_path(&turn, &CheckOptions::default(), &()).unwrap().report.verdict
        };
        assert_eq!(verdict(&definition), PairVerdict::Contact);
        definition.base = at(0.0, -2.0, 0.0);
        assert_eq!(verdict(&definition), PairVerdict::Clear);
        definition.world[0].body.motion = still(1.0, -1.5, 0.0);
        assert_eq!(verdict(&definition), PairVerdict::Contact);
    }

    #[test]
    fn a_world_stands_as_it_does_at_a_time() {
        // The block descends from 9 to 0.5 between 1 s and 3 s of 4, and the body on it rotates.
        let mut rider = cube(
            "rider",
            0.2,
            BodyMotion::Twist { start: at(1.0, 0.0, 0.0), linear: DVec3::ZERO, angular: DVec3::Z },
        );
        rider.body.parent = Some(0);
        let mut tool = cube(
            "tool",
            0.1,
            BodyMotion::Twist { start: at(0.5, 0.0, 0.0), linear: DVec3::Y, angular: DVec3::ZERO },
        );
        tool.link = Some(1);
        let comes = BodyMotion::Keyframes(vec![(1.0, at(1.5, 9.0, 0.0)), (3.0, at(1.5, 0.5, 0.0))]);
        let world = vec![cube("lift", 0.2, comes), rider, tool];
        let definition = CellDefinition { world_duration: 4.0, ..cell(planar(1), world) };
        let moving = RobotCell::new(definition).unwrap();
        for (time, lift, angle) in
            [(-5.0, 9.0, 0.0), (0.5, 9.0, 0.5), (2.0, 4.75, 2.0), (3.5, 0.5, 3.5), (99.0, 0.5, 4.0)]
        {
            let standing = moving.standing_at(time).unwrap();
            let pose = |number: usize| match &standing.definition().world[number].body.motion {
                BodyMotion::Still(pose) => *pose,
                other => panic!("{other:?} moves"),
            };
            let [lifted, ridden, held] = [0, 1, 2].map(pose);
            assert!(lifted.position().distance(DVec3::new(1.5, lift, 0.0)) < 1e-14, "{time}");
            assert!(ridden.position().distance(DVec3::X) < 1e-15, "{time}");
            let turned = DVec3::new(f64::cos(angle), f64::sin(angle), 0.0);
            assert!(ridden.transform_vector(DVec3::X).distance(turned) < 1e-14, "{time}");
            assert!(held.position().distance(DVec3::new(0.5, angle, 0.0)) < 1e-14, "{time}");
            // Everything else is unchanged.
            let expected =
                CellDefinition { world: standing.definition().world.clone(), ..moving.definition().clone() };
            assert_eq!(standing.definition(), &expected);
        }
        let turn = path(&[0], &[&[0.0, 0.0], &[1.0, 1.0]]);
        let verdict =
            |cell: &RobotCell| cell.check_path(&turn, &CheckOptions::default(), &()).unwrap().report.verdict;
        assert_eq!(verdict(&moving.standing_at(0.0).unwrap()), PairVerdict::Clear);
        assert_eq!(verdict(&moving.standing_at(4.0).unwrap()), PairVerdict::Contact);
        let error = moving.standing_at(f64::NAN).unwrap_err().to_string();
        assert_eq!(error, "time: found NaN, expected a finite number");
        // A cell without a world is unchanged.
        let alone = RobotCell::new(cell(planar(1), vec![])).unwrap();
        assert_eq!(alone.standing_at(1.0).unwrap(), alone);
    }

    #[test]
    fn the_world_keeps_the_time_of_the_path() {
        // A door that closes between 1 s and 2 s: a path at 0 s is free, one at 5 s is not, and one that starts at -1
        // s touches the door late.
        let closes = BodyMotion::Keyframes(vec![(1.0, at(1.5, 9.0, 0.0)), (2.0, at(1.5, 0.0, 0.0))]);
        let mut definition = cell(planar(1), vec![cube("door", 0.2, closes)]);
        definition.world_duration = 2.0;
        let cell = RobotCell::new(definition).unwrap();
        let from = |begin: f64, lasting: f64| {
            let turn = path(&[0], &[&[begin, 0.5], &[begin + lasting, 1.0]]);
            cell.check_path(&turn, &CheckOptions::default(), &()).unwrap()
        };
        assert_eq!(from(0.0, 1.0).report.verdict, PairVerdict::Clear);
        assert_eq!(from(-7.0, 8.0).report.verdict, PairVerdict::Clear);
        // Behind the closed door the bar starts on its own side and does not touch it.
        assert_eq!(from(5.0, 1.0).report.verdict, PairVerdict::Clear);
        let swept = from(-1.0, 3.0);
        let [pair] = &swept.report.pairs[..] else { panic!("{:?}", swept.report) };
        let enter = pair.intervals[0].enter;
        // The angle is 0.5 + t / 6 with t from -1 s; the bar's end is at (1 + 0.9 cos, 0.9 sin): they touch while the
        // door passes the bar's height.
        assert!(enter[0] > 1.8 && enter[1] < 2.0 && enter[1] - enter[0] < 1e-4, "{enter:?}");
    }
}
