//! A robot in its cell: where it stands, what stands or moves around it, what is attached to its links, and what is tested.

use crate::error::{Error, ErrorKind, check_number};
use crate::motion::Pose;
use crate::robot::definition::AdjacentLinks;
use crate::robot::path::JointPath;
use crate::robot::tree::Robot;
use crate::scene::definition::{BodyMotion, Scene, SceneBody, SceneDefinition, Side};

/// A body of the world around a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldBody {
    /// The body; its parent is another body of the world, by its number there.
    pub body: SceneBody,
    /// The link that it is attached to, by its number: it rides there, and is tested against the rest of the world too.
    pub link: Option<usize>,
}

/// What a [`RobotCell`] is made from. Bodies are numbered links first, then those of the world.
#[derive(Debug, Clone, PartialEq)]
pub struct CellDefinition {
    /// The robot.
    pub robot: Robot,
    /// Where its root link stands in the world.
    pub base: Pose,
    /// What is around it.
    pub world: Vec<WorldBody>,
    /// How long the motions of the world last, in seconds from time 0 of the paths on; they are held before and after.
    pub world_duration: f64,
    /// Pairs that are not tested, in either order, beside those of the robot itself.
    pub ignore: Vec<[Side; 2]>,
    /// As [`SceneDefinition::tolerance`].
    pub tolerance: Option<f64>,
    /// As [`SceneDefinition::clearance`].
    pub clearance: f64,
    /// Pairs of bodies with a clearance of their own.
    pub clearances: Vec<([usize; 2], f64)>,
}

/// A robot in its cell, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotCell {
    definition: CellDefinition,
    /// For each link and each body of the world, whether it rides on the robot.
    rides: Vec<bool>,
    /// Pairs of links that are not tested, lower number first, in order.
    untested: Vec<[usize; 2]>,
}

/// The scene of a robot on a path.
pub(crate) struct PathScene {
    pub(crate) scene: Scene,
    /// The link or body of the world that each body of the scene with a surface belongs to: in the order of the bodies.
    pub(crate) owners: Vec<usize>,
}

/// The group of bodies of the world that ride on no link: they are not tested against each other.
const WORLD: &str = "world";

impl RobotCell {
    /// Checks a definition.
    ///
    /// # Errors
    /// A link or a body that does not exist, a body that is attached and has a parent, a duration that is not greater than 0, a
    /// clearance that is negative; and all that is wrong with the world on its own, as [`Scene::new`] says.
    pub fn new(definition: CellDefinition) -> Result<Self, Error> {
        let links = definition.robot.links().len();
        let count = links + definition.world.len();
        let wrong = |value: f64, expected, place: String| {
            Err(Error::new(ErrorKind::OutOfRange { value, expected }, place))
        };
        let mut rides: Vec<bool> = (0..count).map(|body| body < links).collect();
        for (number, WorldBody { body, link }) in definition.world.iter().enumerate() {
            if let Some(link) = link.filter(|link| *link >= links || body.parent.is_some()) {
                let place = format!("link of body {:?}", body.name);
                return wrong(link as f64, "the number of a link, or a parent", place);
            }
            rides[links + number] = link.is_some();
        }
        if let Some(Side::Body(body)) =
            definition.ignore.iter().flatten().find(|side| matches!(side, Side::Body(body) if *body >= count))
        {
            return wrong(*body as f64, "the number of a body", "ignored pair".into());
        }
        for (pair, clearance) in &definition.clearances {
            if let Some(body) = pair.iter().find(|body| **body >= count) {
                return wrong(*body as f64, "the number of a body", "clearance".into());
            }
            if !(*clearance >= 0.0 && clearance.is_finite()) {
                return wrong(*clearance, "a finite number, not negative", "clearance".into());
            }
        }
        let mut cell = Self { rides, untested: untested(&definition.robot), definition };
        // The world's own faults are found without a path, and who rides on whom is known to make a tree.
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

    /// What the cell is made of.
    #[must_use]
    pub fn definition(&self) -> &CellDefinition {
        &self.definition
    }

    /// The robot.
    #[must_use]
    pub fn robot(&self) -> &Robot {
        &self.definition.robot
    }

    /// The same cell, in which some pairs, in either order, have a clearance of their own, in metres.
    ///
    /// # Errors
    /// A link or a body that does not exist, a clearance that is negative.
    pub fn with_clearances(&self, clearances: Vec<([usize; 2], f64)>) -> Result<Self, Error> {
        Self::new(CellDefinition { clearances, ..self.definition.clone() })
    }

    /// The same cell, its world standing as it does at a time of the paths, in seconds.
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
        Self::new(definition)
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

    /// How many links and bodies there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rides.len()
    }

    /// Whether two links or bodies are tested against each other where they move relative to each other.
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

    /// The world without the robot; `None` where there is nothing.
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

    /// The scene of a path that was checked: time 0 is where the path begins. Links carry, each as the body of its own number; then
    /// come their elements, then the world.
    pub(crate) fn scene(&self, path: &JointPath) -> Result<PathScene, Error> {
        let CellDefinition { robot, base, world, .. } = &self.definition;
        let [begin, end] = path.span();
        let curves = path.curves(robot);
        let links = robot.links().len();
        let mut bodies = Vec::new();
        let mut owners = Vec::new();
        for (number, link) in robot.links().iter().enumerate() {
            let (motion, parent) = match robot.joint_above(number) {
                Some(joint) => {
                    let above = &robot.joints()[joint];
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
                    solid: false,
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
        let scene = Scene::new(SceneDefinition {
            duration: end - begin,
            tolerance: self.definition.tolerance,
            clearance: self.definition.clearance,
            bodies,
            ignore,
        })?;
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

    /// Pairs of bodies of a path's scene that are not tested.
    fn ignored(&self, owners: &[usize]) -> Vec<[Side; 2]> {
        let links = self.robot().links().len();
        let mut ignore = Vec::new();
        for pair in &self.definition.ignore {
            let bodies = pair.map(|side| match side {
                Side::Every => vec![Side::Every],
                Side::Body(owner) => {
                    (0..owners.len()).filter(|body| owners[*body] == owner).map(Side::Body).collect()
                }
            });
            for a in &bodies[0] {
                ignore.extend(bodies[1].iter().map(|b| [*a, *b]));
            }
        }
        for a in 0..owners.len() {
            for b in a + 1..owners.len() {
                let (x, y) = (owners[a], owners[b]);
                // Of the world's bodies, those that ride on nothing are one group anyway.
                let standing = x >= links && y >= links && !self.rides[x] && !self.rides[y];
                if !standing && !self.is_wanted(x, y) {
                    ignore.push([Side::Body(a), Side::Body(b)]);
                }
            }
        }
        ignore
    }
}

/// Pairs of links that are not tested, lower number first, in order.
fn untested(robot: &Robot) -> Vec<[usize; 2]> {
    let definition = robot.definition();
    let adjacent: Vec<[usize; 2]> = match definition.adjacent {
        AdjacentLinks::Skipped => robot.joints().iter().map(|joint| [joint.parent, joint.child]).collect(),
        AdjacentLinks::Tested => Vec::new(),
    };
    let mut pairs: Vec<[usize; 2]> =
        definition.disabled.iter().chain(&adjacent).map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
