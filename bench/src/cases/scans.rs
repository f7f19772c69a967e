//! Seeded clouds of points, as from a scanner, and shapes that move past them.

use std::sync::Arc;

use chasles::{
    BodyMotion, CellDefinition, CollisionShape, Error, PointCloud, Pose, Primitive, RobotCell, SceneBody,
    Screw, WorldBody,
};
use glam::DVec3;

use crate::cases::arm::arm;
use chasles_testing::Random;

/// The maximum distance of a scanned point from the true surface, in metres.
const NOISE: f64 = 0.002;

/// Points on a floor and on boxes, within 2 m of the centre and more than `free` away from it.
#[must_use]
pub fn scan(count: u32, free: f64, seed: u64) -> Vec<DVec3> {
    let random = &mut Random(seed);
    // Centre and half size of each box; the first box is the floor.
    let mut boxes = vec![(DVec3::new(0.0, 0.0, -0.3), DVec3::new(2.0, 2.0, 0.01))];
    while boxes.len() < 25 {
        let half = DVec3::from_array([0; 3].map(|_| random.within(0.05, 0.25)));
        let direction = random.within(0.0, std::f64::consts::TAU);
        let away = random.within(free + 0.3, 1.9);
        let up = random.within(-0.3 + half.z, 1.0);
        let centre = DVec3::new(away * direction.cos(), away * direction.sin(), up);
        boxes.push((centre, half));
    }
    let mut points = Vec::new();
    while points.len() < count as usize {
        let (centre, half) = boxes[random.below(boxes.len())];
        let mut at = half * DVec3::new(random.side(), random.side(), random.side());
        let axis = random.below(3);
        at[axis] = half[axis] * random.side().signum();
        let p = centre + at + random.vector(NOISE);
        if p.length() > free && p.x.hypot(p.y) > 0.15 {
            points.push(p);
        }
    }
    points
}

/// A cloud as a shape.
///
/// # Errors
/// None.
pub fn cloud(points: &[DVec3], radius: f64) -> Result<CollisionShape, Error> {
    let numbered = (0..).zip(points.iter().copied()).collect();
    CollisionShape::cloud(Arc::new(PointCloud::new(numbered, radius)?))
}

/// A shape that moves through a scan: a capsule or a box, of the size of a hand or an arm.
#[must_use]
pub fn tool(seed: u64) -> Primitive {
    let random = &mut Random(seed);
    if random.one_in(2) {
        Primitive::Capsule { radius: random.within(0.03, 0.1), height: random.within(0.1, 0.4) }
    } else {
        Primitive::Box { size: DVec3::from_array([0; 3].map(|_| random.within(0.05, 0.4))) }
    }
}

/// A screw through a scan: a path of up to 1 m, and up to 1.5 rad.
///
/// # Errors
/// None.
pub fn through(seed: u64) -> Result<Screw, Error> {
    let random = &mut Random(seed);
    let place = DVec3::new(random.within(-1.5, 1.5), random.within(-1.5, 1.5), random.within(-0.1, 0.9));
    let start = Pose::new(place, random.even_rotation())?;
    let axis = place + random.vector(0.5);
    Screw::about(start, random.direction_of_two(), axis, random.within(-0.7, 0.7), random.within(-1.5, 1.5))
}

/// An arm with six joints of a UR5's proportions amid a scan.
///
/// # Errors
/// None.
pub fn cell(cloud: CollisionShape) -> Result<RobotCell, Error> {
    let motion = BodyMotion::Still(Pose::IDENTITY);
    let body = SceneBody {
        name: "scan".into(),
        shape: Some(cloud),
        motion,
        parent: None,
        group: None,
        solid: false,
    };
    RobotCell::new(CellDefinition {
        robot: arm(false)?,
        base: Pose::IDENTITY,
        world: vec![WorldBody { body, link: None }],
        world_duration: 1.0,
        ignore: Vec::new(),
        tolerance: None,
        clearance: 0.0,
        clearances: Vec::new(),
    })
}
