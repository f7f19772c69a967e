//! Scenes, cells and simulations as plain values for serde, to send them to other processes of the same version. The
//! copy gives bit-identical answers. Shared shapes are stored once.

use std::collections::HashMap;
use std::sync::Arc;

use chasles::{
    AdjacentLinks, BodyMotion, CellDefinition, CollisionShape, DeformingSurface, Error, FlexibleBody,
    FramesInMemory, ImpactOrder, Joint, Link, LinkElement, Mesh, PairReport, PairSide, ParametricSurface,
    PathEntry, PathReport, PointCloud, Pose, PreparedMesh, Primitive, Rig, RigDefinition, Robot, RobotCell,
    RobotDefinition, Scene, SceneBody, SceneDefinition, ShapeSource, SimulatedBody, SimulatedJoint,
    SimulationDefinition, SimulationMethod, Solid, WorldBody,
};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A scene.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PackedScene {
    shapes: Vec<PackedShape>,
    duration: f64,
    tolerance: Option<f64>,
    epsilon: Option<f64>,
    clearance: f64,
    clearances: Vec<([usize; 2], f64)>,
    self_tested: Vec<usize>,
    bodies: Vec<PackedBody>,
    ignore: Vec<[PairSide; 2]>,
}

/// A simulation before its start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PackedSimulation {
    scene: PackedScene,
    bodies: Vec<SimulatedBody>,
    joints: Vec<SimulatedJoint>,
    flexible: Vec<FlexibleBody>,
    gravity: DVec3,
    step: f64,
    record: f64,
    method: SimulationMethod,
    touching: ImpactOrder,
    depth: f64,
    max_records: u64,
}

/// A robot in its cell.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PackedCell {
    shapes: Vec<PackedShape>,
    name: String,
    links: Vec<PackedLink>,
    joints: Vec<Joint>,
    disabled: Vec<[usize; 2]>,
    adjacent: AdjacentLinks,
    base: Pose,
    world: Vec<(PackedBody, Option<usize>)>,
    world_duration: f64,
    ignore: Vec<[PairSide; 2]>,
    tolerance: Option<f64>,
    epsilon: Option<f64>,
    clearance: f64,
    clearances: Vec<([usize; 2], f64)>,
}

/// The name of a link, and its elements: the number of the shape, its pose, and whether it is solid.
type PackedLink = (String, Vec<(usize, Pose, bool)>);

/// A body, with the number of its shape.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct PackedBody {
    name: String,
    shape: Option<usize>,
    motion: BodyMotion,
    parent: Option<usize>,
    group: Option<String>,
    solid: bool,
}

/// The data of a shape.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PackedShape(ShapeData);

#[derive(Debug, Clone, Serialize, Deserialize)]
enum ShapeData {
    Mesh(Mesh),
    Convex(Mesh),
    Primitive(Primitive),
    Solid(Solid),
    Cloud(PointCloud),
    Parametric(ParametricSurface),
    Rigged { triangles: Vec<[u32; 3]>, rig: RigDefinition },
    Deforming { triangles: Vec<[u32; 3]>, times: Vec<f64>, frames: Vec<Vec<DVec3>> },
    ConvexBox(DVec3),
}

impl PackedShape {
    /// Converts a shape to a plain value.
    ///
    /// # Errors
    /// Frames that can no longer be read.
    pub fn of(shape: &CollisionShape) -> Result<Self, Error> {
        ShapeData::of(shape).map(Self)
    }

    /// Restores the shape.
    ///
    /// # Errors
    /// A value that was not made by [`of`](Self::of).
    pub fn shape(self) -> Result<CollisionShape, Error> {
        self.0.shape()
    }
}

impl ShapeData {
    fn of(shape: &CollisionShape) -> Result<Self, Error> {
        Ok(match shape.made_of() {
            ShapeSource::Mesh(body) if shape.convex_pieces().is_some() => Self::Convex(body.mesh().clone()),
            ShapeSource::Mesh(body) => Self::Mesh(body.mesh().clone()),
            ShapeSource::Primitive(Primitive::Box { size }) if shape.convex_pieces().is_some() => {
                Self::ConvexBox(size)
            }
            ShapeSource::Primitive(primitive) => Self::Primitive(primitive),
            ShapeSource::Solid(solid) => Self::Solid(Solid::clone(solid)),
            ShapeSource::Cloud(cloud) => Self::Cloud(PointCloud::clone(cloud)),
            ShapeSource::Parametric(surface) => Self::Parametric(ParametricSurface::clone(surface)),
            ShapeSource::Deforming(surface) => {
                let triangles = surface.mesh().given_triangles();
                if let Some(rig) = surface.rig() {
                    return Ok(Self::Rigged { triangles, rig: rig.definition().clone() });
                }
                let count = surface.mesh().vertex_count();
                let frame = |frame| {
                    let mut vertices = vec![DVec3::ZERO; count];
                    surface.read(frame, &mut vertices).map(|()| vertices)
                };
                let frames = (0..surface.times().len()).map(frame).collect::<Result<_, _>>()?;
                Self::Deforming { triangles, times: surface.times().to_vec(), frames }
            }
        })
    }

    fn shape(self) -> Result<CollisionShape, Error> {
        match self {
            Self::Mesh(mesh) => Ok(CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh)))),
            Self::Convex(mesh) => CollisionShape::convex_mesh(Arc::new(PreparedMesh::new(mesh))),
            Self::Primitive(primitive) => CollisionShape::primitive(primitive),
            Self::ConvexBox(size) => CollisionShape::convex_box(size),
            Self::Solid(solid) => CollisionShape::solid(Arc::new(solid)),
            Self::Cloud(cloud) => CollisionShape::cloud(Arc::new(cloud)),
            Self::Parametric(surface) => CollisionShape::parametric(Arc::new(surface)),
            Self::Rigged { triangles, rig } => {
                let surface = DeformingSurface::of_rig(triangles, Arc::new(Rig::new(rig)?))?;
                Ok(CollisionShape::deforming(Arc::new(surface)))
            }
            Self::Deforming { triangles, times, frames } => {
                let mesh = Mesh::new(frames.first().cloned().unwrap_or_default(), triangles)?;
                let surface = DeformingSurface::new(mesh, times, Arc::new(FramesInMemory(frames)))?;
                Ok(CollisionShape::deforming(Arc::new(surface)))
            }
        }
    }
}

/// The distinct shapes.
#[derive(Default)]
struct ShapeTable {
    known: HashMap<usize, usize>,
    packed: Vec<PackedShape>,
}

impl ShapeTable {
    fn number(&mut self, shape: &CollisionShape) -> Result<usize, Error> {
        if let Some(known) = self.known.get(&shape.address()) {
            return Ok(*known);
        }
        let number = self.packed.len();
        self.packed.push(PackedShape::of(shape)?);
        self.known.insert(shape.address(), number);
        Ok(number)
    }

    fn body(&mut self, body: &SceneBody) -> Result<PackedBody, Error> {
        Ok(PackedBody {
            name: body.name.clone(),
            shape: body.shape.as_ref().map(|shape| self.number(shape)).transpose()?,
            motion: body.motion.clone(),
            parent: body.parent,
            group: body.group.clone(),
            solid: body.solid,
        })
    }
}

impl PackedBody {
    fn body(self, shapes: &[CollisionShape]) -> Result<SceneBody, Error> {
        Ok(SceneBody {
            name: self.name,
            shape: self.shape.map(|number| numbered(shapes, number)).transpose()?,
            motion: self.motion,
            parent: self.parent,
            group: self.group,
            solid: self.solid,
        })
    }
}

fn numbered(shapes: &[CollisionShape], number: usize) -> Result<CollisionShape, Error> {
    let shape = shapes.get(number).cloned();
    shape.ok_or_else(|| Error::unreadable("shape", format!("found number {number} of {}", shapes.len())))
}

fn unpacked(shapes: Vec<PackedShape>) -> Result<Vec<CollisionShape>, Error> {
    shapes.into_iter().map(PackedShape::shape).collect()
}

impl PackedScene {
    /// Converts a scene to a plain value.
    ///
    /// # Errors
    /// Frames that can no longer be read.
    pub fn of(scene: &Scene) -> Result<Self, Error> {
        let mut shapes = ShapeTable::default();
        let SceneDefinition { duration, tolerance, clearance, bodies, ignore } = scene.definition();
        let bodies = bodies.iter().map(|body| shapes.body(body)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            shapes: shapes.packed,
            duration,
            tolerance,
            epsilon: scene.states_epsilon().then(|| scene.epsilon()),
            clearance,
            clearances: scene.own_clearances().to_vec(),
            self_tested: (0..bodies.len()).filter(|body| scene.is_self_tested(*body)).collect(),
            bodies,
            ignore,
        })
    }

    /// Restores the scene.
    ///
    /// # Errors
    /// A value that was not made by [`of`](Self::of), as for [`Scene::new`].
    pub fn scene(self) -> Result<Scene, Error> {
        let shapes = unpacked(self.shapes)?;
        let bodies = self.bodies.into_iter().map(|body| body.body(&shapes)).collect::<Result<_, _>>()?;
        let scene = Scene::new(SceneDefinition {
            duration: self.duration,
            tolerance: self.tolerance,
            clearance: self.clearance,
            bodies,
            ignore: self.ignore,
        })?;
        let scene = scene.with_clearances(&self.clearances)?.with_self_tests(&self.self_tested)?;
        match self.epsilon {
            Some(epsilon) => scene.with_epsilon(epsilon),
            None => Ok(scene),
        }
    }
}

impl PackedSimulation {
    /// Converts a simulation to a plain value.
    ///
    /// # Errors
    /// Frames that can no longer be read.
    pub fn of(definition: &SimulationDefinition) -> Result<Self, Error> {
        Ok(Self {
            scene: PackedScene::of(&definition.scene)?,
            bodies: definition.bodies.clone(),
            joints: definition.joints.clone(),
            flexible: definition.flexible.clone(),
            gravity: definition.gravity,
            step: definition.step,
            record: definition.record,
            method: definition.method,
            touching: definition.touching,
            depth: definition.depth,
            max_records: definition.max_records,
        })
    }

    /// Restores the definition. [`Simulation::new`](chasles::Simulation::new) checks whether it is valid.
    ///
    /// # Errors
    /// A value that was not made by [`of`](Self::of), as for [`Scene::new`], or that has another number of bodies.
    pub fn definition(self) -> Result<SimulationDefinition, Error> {
        let Self {
            scene,
            bodies,
            joints,
            flexible,
            gravity,
            step,
            record,
            method,
            touching,
            depth,
            max_records,
        } = self;
        let scene = scene.scene()?;
        let count = scene.bodies().len();
        if bodies.len() != count {
            return Err(Error::unreadable("bodies", format!("found {}, expected {count}", bodies.len())));
        }
        Ok(SimulationDefinition {
            scene,
            bodies,
            joints,
            flexible,
            gravity,
            step,
            record,
            method,
            touching,
            depth,
            max_records,
        })
    }
}

impl PackedCell {
    /// Converts a cell to a plain value.
    ///
    /// # Errors
    /// Frames that can no longer be read.
    pub fn of(cell: &RobotCell) -> Result<Self, Error> {
        let mut shapes = ShapeTable::default();
        let definition = cell.definition();
        let RobotDefinition { name, links, joints, disabled, adjacent } = cell.robot().definition();
        let mut packed_links = Vec::with_capacity(links.len());
        for link in links {
            let elements = link.elements.iter();
            let elements =
                elements.map(|element| Ok((shapes.number(&element.shape)?, element.pose, element.solid)));
            packed_links.push((link.name.clone(), elements.collect::<Result<_, Error>>()?));
        }
        let world = definition.world.iter();
        let world = world.map(|world_body| Ok((shapes.body(&world_body.body)?, world_body.link)));
        Ok(Self {
            name: name.clone(),
            links: packed_links,
            joints: joints.clone(),
            disabled: disabled.clone(),
            adjacent: *adjacent,
            base: definition.base,
            world: world.collect::<Result<_, Error>>()?,
            world_duration: definition.world_duration,
            ignore: definition.ignore.clone(),
            tolerance: definition.tolerance,
            epsilon: cell.epsilon(),
            clearance: definition.clearance,
            clearances: definition.clearances.clone(),
            shapes: shapes.packed,
        })
    }

    /// Restores the cell.
    ///
    /// # Errors
    /// A value that was not made by [`of`](Self::of), as for [`Robot::new`] and [`RobotCell::new`].
    pub fn cell(self) -> Result<RobotCell, Error> {
        let shapes = unpacked(self.shapes)?;
        let link = |(name, elements): PackedLink| {
            let elements = elements.into_iter().map(|(number, pose, solid)| {
                Ok(LinkElement { shape: numbered(&shapes, number)?, pose, solid })
            });
            Ok(Link { name, elements: elements.collect::<Result<_, Error>>()? })
        };
        let robot = Robot::new(RobotDefinition {
            name: self.name,
            links: self.links.into_iter().map(link).collect::<Result<_, Error>>()?,
            joints: self.joints,
            disabled: self.disabled,
            adjacent: self.adjacent,
        })?;
        let world = self.world.into_iter();
        let world = world.map(|(body, link)| Ok(WorldBody { body: body.body(&shapes)?, link }));
        let cell = RobotCell::new(CellDefinition {
            robot,
            base: self.base,
            world: world.collect::<Result<_, Error>>()?,
            world_duration: self.world_duration,
            ignore: self.ignore,
            tolerance: self.tolerance,
            clearance: self.clearance,
            clearances: self.clearances,
        })?;
        match self.epsilon {
            Some(epsilon) => cell.with_epsilon(epsilon),
            None => Ok(cell),
        }
    }
}

/// Checks that a report fits its scene or path, which has this number of `bodies` and, for a path, of `joints`.
///
/// # Errors
/// A body that does not exist; entries for other intervals, or with another number of joints.
pub fn check_report(found: &PathReport, bodies: usize, joints: Option<usize>) -> Result<(), Error> {
    let PathReport { report, entries } = found;
    let overlaps =
        report.overlaps.iter().flat_map(|overlaps| overlaps.assembled.iter().chain(&overlaps.statics));
    let pairs = report.pairs.iter().map(|pair| pair.bodies);
    let inside = report.inside.iter().map(|inside| [inside.inner, inside.outer]);
    let nearest = report.nearest.iter().map(|nearest| nearest.bodies);
    let named = pairs.chain(overlaps.copied()).chain(inside).chain(nearest).flatten();
    if let Some(body) = named.into_iter().find(|body| *body >= bodies) {
        return Err(Error::unreadable("report", format!("found body {body} of {bodies}")));
    }
    let fits = |(pair, entries): (&PairReport, &Vec<PathEntry>)| {
        entries.len() == pair.intervals.len()
            && entries.iter().all(|entry| Some(entry.positions.len()) == joints)
    };
    let counts = if joints.is_some() { report.pairs.len() } else { 0 };
    if entries.len() != counts || !report.pairs.iter().zip(entries).all(fits) {
        return Err(Error::unreadable("report", "found entries of other intervals or joints"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use chasles::CheckOptions;

    use super::*;
    use crate::scene;

    const SCENE: &str = r#"
format = 1
duration = 2.0
clearance = 0.01
epsilon = 1e-4
[[body]]
name = "cut"
[body.csg]
difference = [{ box = [1, 1, 1] }, { sphere = 0.6 }]
[[body]]
name = "egg"
implicit = "x^2 + 2*y^2 + z^2 - 0.09"
bounds = [[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]]
[body.motion]
kind = "twist"
linear = [0.2, 0, 0]
angular = [0, 1, 0]
[[body]]
name = "sheet"
parametric = { x = "u", y = "v", z = "u*v - 2", u = [-1, 1], v = [-1, 1] }
[[body]]
name = "dot"
sphere = 0.1
parent = "egg"
group = "pair"
solid = true
[[ignore]]
pair = ["dot", "*"]
"#;

    fn scene(text: &str) -> Scene {
        let path = "scene.toml".as_ref();
        scene::build::build(&scene::file::parse(text.as_bytes(), path).unwrap(), path).unwrap().scene
    }

    #[test]
    fn a_packed_scene_reads_back_equal() {
        let scene = scene(SCENE).with_clearances(&[([1, 2], 0.3)]).unwrap();
        let again = PackedScene::of(&scene).unwrap().scene().unwrap();
        assert_eq!(again, scene);
        assert!(again.states_epsilon() && again.own_clearances() == [([1, 2], 0.3)]);
        let report = |scene: &Scene| scene.check(&CheckOptions::default(), &()).unwrap();
        assert_eq!(report(&again), report(&scene));
    }

    #[test]
    fn a_packed_simulation_reads_back_equal() {
        let text = "format = 1\nduration = 1.0\n[simulation]\ngravity = [0, 0, -9.81]\nmethod = 'spring'\n\
            [[body]]\nname = 'floor'\nbox = [1, 1, 1]\nelasticity = 0.5\n\
            [[body]]\nname = 'ball'\nsphere = 0.1\npose = { position = [0, 0, 1] }\nmass = 2.0\nfriction = 'rough'\n";
        let path = "scene.toml".as_ref();
        let file = scene::file::parse(text.as_bytes(), path).unwrap();
        let definition = scene::build::simulation(&file, path).unwrap().definition;
        let packed = PackedSimulation::of(&definition).unwrap();
        assert_eq!(packed.clone().definition().unwrap(), definition);
        let short = PackedSimulation { bodies: Vec::new(), ..packed };
        assert!(short.definition().unwrap_err().to_string().contains("found 0, expected 2"));
    }

    #[test]
    fn the_default_tolerance_follows_from_the_bodies() {
        let scene = scene("format = 1\nduration = 1.0\n[[body]]\nname = 'a'\nbox = [1, 1, 1]\n");
        let mut packed = PackedScene::of(&scene).unwrap();
        assert_eq!(packed.tolerance, None);
        packed.tolerance = Some(scene.tolerance());
        let stated = packed.scene().unwrap();
        assert_eq!(PackedScene::of(&stated).unwrap().tolerance, Some(scene.tolerance()));
    }

    #[test]
    fn shapes_that_bodies_share_are_packed_once() {
        let body = "[[body]]\nbox = [1, 1, 1]\n";
        let scene = scene(&format!("format = 1\nduration = 1.0\n{body}name = 'a'\n{body}name = 'b'\n"));
        let mut definition = scene.definition();
        definition.bodies[1].shape = definition.bodies[0].shape.clone();
        let packed = PackedScene::of(&Scene::new(definition).unwrap()).unwrap();
        assert_eq!((packed.shapes.len(), packed.bodies.len()), (1, 2));
        let shapes: Vec<_> =
            packed.scene().unwrap().bodies().iter().filter_map(|body| body.shape.clone()).collect();
        assert_eq!(shapes[0].address(), shapes[1].address());
    }

    #[test]
    fn a_packed_deforming_body_has_all_its_frames() {
        let frame = |z: f64| vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1.0, z)];
        let mesh = Mesh::new(frame(0.0), vec![[0, 1, 2]]).unwrap();
        let frames = vec![frame(0.0), frame(1.0)];
        let surface =
            DeformingSurface::new(mesh, vec![0.0, 2.0], Arc::new(FramesInMemory(frames.clone()))).unwrap();
        let shape = CollisionShape::deforming(Arc::new(surface));
        let again = PackedShape::of(&shape).unwrap().shape().unwrap();
        let surface = again.deforming_surface().unwrap();
        assert_eq!(surface.times(), [0.0, 2.0]);
        let mut read = frame(9.0);
        for (number, frame) in frames.iter().enumerate() {
            surface.read(number, &mut read).unwrap();
            assert_eq!(&read, frame);
        }
    }

    #[test]
    fn a_packed_rig_stays_a_rig() {
        let weight = chasles::Curve::Linear(vec![(0.0, 0.0), (1.0, 1.0)]);
        let displacements = vec![DVec3::Z; 3];
        let definition = RigDefinition {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            targets: vec![chasles::MorphTarget { displacements, weight }],
            ..RigDefinition::default()
        };
        let rig = Arc::new(Rig::new(definition.clone()).unwrap());
        let surface = DeformingSurface::of_rig(vec![[0, 1, 2]], rig).unwrap();
        let again = PackedShape::of(&CollisionShape::deforming(Arc::new(surface))).unwrap().shape().unwrap();
        assert_eq!(again.deforming_surface().unwrap().rig().map(Rig::definition), Some(&definition));
    }

    #[test]
    fn reports_about_bodies_that_do_not_exist_are_refused() {
        let options = CheckOptions { listed: chasles::PairListing::All, ..CheckOptions::default() };
        let report = scene(SCENE).check(&options, &()).unwrap();
        let valid = PathReport { report, entries: Vec::new() };
        assert!(!valid.report.pairs.is_empty() && check_report(&valid, 4, None).is_ok());
        let error_of = |change: &dyn Fn(&mut PathReport), joints| {
            let mut changed = valid.clone();
            change(&mut changed);
            check_report(&changed, 4, joints).unwrap_err().to_string()
        };
        let inside = chasles::Containment { inner: 1, outer: 4, from: 0.0 };
        let overlaps = chasles::ModelOverlaps { statics: vec![[0, 4]], ..Default::default() };
        let nearest = chasles::NearestPair { bodies: [0, 4], gap: [0.0, 1.0], time: 0.0 };
        let changes: [&dyn Fn(&mut PathReport); 4] = [
            &|found| found.report.pairs[0].bodies[1] = 4,
            &|found| found.report.inside.push(inside),
            &|found| found.report.overlaps = Some(overlaps.clone()),
            &|found| found.report.nearest = Some(nearest),
        ];
        for change in changes {
            assert!(error_of(change, None).contains("found body 4 of 4"));
        }
        // A path has entries for all intervals of all pairs, and a scene has none.
        let entries = "found entries of other intervals or joints";
        assert!(error_of(&|found| found.entries.push(Vec::new()), None).contains(entries));
        assert!(error_of(&|_| (), Some(1)).contains(entries));
    }

    #[test]
    fn invalid_shape_numbers_are_errors() {
        let mut packed = PackedScene::of(&scene(SCENE)).unwrap();
        packed.bodies[0].shape = Some(99);
        assert!(packed.scene().unwrap_err().to_string().contains("found number 99"));
    }
}
