//! A robot in its cell, of the size of the cell in Sinjur's paper, and worlds in which a grid of triangles is of
//! little use.

use chasles::papers::triangle_grid::{GridBody, Mobility, TriangleGrid};
use chasles::{Error, Mesh, Pose, Primitive};
use glam::{DQuat, DVec3};

use chasles_testing::Random;

/// Bodies, and poses of the moving ones.
#[derive(Debug)]
pub struct World {
    /// A description of the world.
    pub name: &'static str,
    meshes: Vec<(Mesh, Mobility)>,
    /// For each configuration, the pose of each body; poses of static bodies never change.
    pub poses: Vec<Vec<Pose>>,
}

impl World {
    /// The grid in the first configuration.
    ///
    /// # Errors
    /// Errors of [`TriangleGrid::new`].
    pub fn grid(&self) -> Result<TriangleGrid<'_>, Error> {
        let bodies = self.meshes.iter().zip(&self.poses[0]);
        let bodies =
            bodies.map(|((mesh, mobility), pose)| GridBody { mesh, pose: *pose, mobility: *mobility });
        TriangleGrid::new(&bodies.collect::<Vec<_>>())
    }

    /// Moves all dynamic bodies into a configuration.
    ///
    /// # Errors
    /// Does not fail, because each moved body exists and is dynamic.
    pub fn take_up(&self, grid: &mut TriangleGrid<'_>, configuration: usize) -> Result<(), Error> {
        for (body, ((_, mobility), pose)) in (0..).zip(self.meshes.iter().zip(&self.poses[configuration])) {
            if *mobility == Mobility::Dynamic {
                grid.move_body(body, *pose)?;
            }
        }
        Ok(())
    }

    /// The number of triangles.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.meshes.iter().map(|(mesh, _)| mesh.triangles().len()).sum()
    }
}

fn mesh(primitive: Primitive) -> Result<Mesh, Error> {
    Ok(primitive.tessellate()?.mesh)
}

fn cuboid(x: f64, y: f64, z: f64) -> Result<Mesh, Error> {
    mesh(Primitive::Box { size: DVec3::new(x, y, z) })
}

fn cylinder(radius: f64, height: f64) -> Result<Mesh, Error> {
    mesh(Primitive::Cylinder { radius, height })
}

fn at(x: f64, y: f64, z: f64) -> Result<Pose, Error> {
    Pose::from_position(DVec3::new(x, y, z))
}

/// The worlds: the robot, and three in which the grid breaks down.
///
/// # Errors
/// Does not fail: all sizes are in range.
pub fn worlds(configurations: usize) -> Result<Vec<World>, Error> {
    Ok(vec![
        robot(configurations)?,
        huge_and_tiny(configurations)?,
        one_place(configurations)?,
        few(configurations)?,
    ])
}

/// An arm of seven links, each a box or cylinder with a motor, in front of a table with parts, between walls: 1,524
/// triangles.
fn robot(configurations: usize) -> Result<World, Error> {
    let (still, moving) = (Mobility::Static, Mobility::Dynamic);
    let mut meshes = vec![
        (cuboid(4.0, 4.0, 0.1)?, still),
        (cuboid(4.0, 0.1, 3.0)?, still),
        (cuboid(0.1, 4.0, 3.0)?, still),
        (cuboid(1.2, 0.8, 0.05)?, still),
        (cylinder(0.15, 0.3)?, still),
    ];
    let mut static_body = vec![
        at(0.0, 0.0, -0.06)?,
        at(0.0, 2.1, 1.5)?,
        at(-2.1, 0.0, 1.5)?,
        at(0.9, 0.0, 0.4)?,
        at(0.0, 0.0, 0.15)?,
    ];
    for (x, y) in [(0.4, -0.3), (0.4, 0.3), (1.4, -0.3), (1.4, 0.3)] {
        meshes.push((cuboid(0.06, 0.06, 0.36)?, still));
        static_body.push(at(x, y, 0.18)?);
    }
    let random = &mut Random(3);
    for i in 0..11 {
        let part = if i % 2 == 0 { cylinder(0.03, 0.1)? } else { cuboid(0.06, 0.05, 0.08)? };
        meshes.push((part, still));
        static_body.push(at(0.45 + 0.15 * f64::from(i % 6), random.within(-0.3, 0.3), 0.48)?);
    }
    // Length of each link, and the axis of its joint, z or y.
    let links = [(0.25, 'z'), (0.5, 'y'), (0.45, 'y'), (0.2, 'z'), (0.2, 'y'), (0.18, 'z'), (0.18, 'y')];
    let radius = |i: usize| 0.06 - 0.004 * i as f64;
    for (i, (length, _)) in links.iter().enumerate() {
        // A link starts a little after its joint and ends a little before the next, so that its neighbours do not
        // touch it when they rotate.
        let length = length - 2.0 * radius(i);
        meshes.push((cylinder(radius(i), length)?, moving));
        meshes.push((cylinder(0.5 * radius(i), 0.8 * length)?, moving));
    }
    meshes.push((cuboid(0.02, 0.02, 0.08)?, moving));
    meshes.push((cuboid(0.02, 0.02, 0.08)?, moving));
    let poses = (0..configurations).map(|_| {
        let mut poses = static_body.clone();
        let mut joint = at(0.0, 0.0, 0.35)?;
        for (i, (length, about)) in links.iter().enumerate() {
            let angle = random.within(-0.9, 0.9);
            let turn =
                if *about == 'z' { DQuat::from_rotation_z(angle) } else { DQuat::from_rotation_y(angle) };
            joint = joint.compose(&Pose::new(DVec3::ZERO, turn)?);
            poses.push(joint.compose(&at(0.0, 0.0, 0.5 * length)?));
            poses.push(joint.compose(&at(0.0, 1.7 * radius(i), 0.5 * length)?));
            joint = joint.compose(&at(0.0, 0.0, *length)?);
        }
        let opening = random.within(0.02, 0.05);
        poses.push(joint.compose(&at(opening, 0.0, 0.08)?));
        poses.push(joint.compose(&at(-opening, 0.0, 0.08)?));
        Ok(poses)
    });
    let poses = poses.collect::<Result<_, Error>>()?;
    Ok(World { name: "robot in its cell", meshes, poses })
}

/// Twenty cylinders of one millimetre that move among walls of a hundred metres.
fn huge_and_tiny(configurations: usize) -> Result<World, Error> {
    let mut meshes = Vec::new();
    for _ in 0..20 {
        meshes.push((cuboid(100.0, 100.0, 0.1)?, Mobility::Static));
    }
    for _ in 0..20 {
        meshes.push((cylinder(5e-4, 1e-3)?, Mobility::Dynamic));
    }
    let random = &mut Random(4);
    let poses = (0..configurations).map(|_| {
        let wall = |i: u32| at(0.0, 0.0, 5.0 * (f64::from(i) - 9.5));
        let mut poses = (0..20).map(wall).collect::<Result<Vec<_>, _>>()?;
        for _ in 0..20 {
            poses.push(Pose::new(random.vector(0.01) + DVec3::splat(0.02), random.even_rotation())?);
        }
        Ok(poses)
    });
    let poses = poses.collect::<Result<_, Error>>()?;
    Ok(World { name: "tiny parts among huge walls", meshes, poses })
}

/// Long thin rods through one point: each triangle is as long as the world.
fn one_place(configurations: usize) -> Result<World, Error> {
    let meshes = (0..24).map(|i| Ok((cylinder(0.005, 0.5 + 0.02 * f64::from(i))?, Mobility::Dynamic)));
    let meshes = meshes.collect::<Result<Vec<_>, Error>>()?;
    let random = &mut Random(5);
    let poses = (0..configurations).map(|_| {
        let pose = |_| Pose::new(random.vector(0.02), random.even_rotation());
        (0..24).map(pose).collect::<Result<Vec<_>, _>>()
    });
    let poses = poses.collect::<Result<_, Error>>()?;
    Ok(World { name: "rods through one place", meshes, poses })
}

/// Two cubes.
fn few(configurations: usize) -> Result<World, Error> {
    let meshes =
        vec![(cuboid(1.0, 1.0, 1.0)?, Mobility::Static), (cuboid(1.0, 1.0, 1.0)?, Mobility::Dynamic)];
    let random = &mut Random(6);
    let poses = (0..configurations).map(|_| {
        Ok(vec![Pose::IDENTITY, Pose::new(2.0 * random.direction_of_two(), random.even_rotation())?])
    });
    let poses = poses.collect::<Result<_, Error>>()?;
    Ok(World { name: "two cubes", meshes, poses })
}
