//! Tests of the free cells against the true shapes at many values: parts are separated, and not inside a solid one.

use std::f64::consts::PI;

use glam::DVec3;

use super::chain::{Chain, JointEdge};
use super::clearance_grid::{ClearanceGrid, GridInput};
use super::part::{CollisionPart, OfBody};
use crate::instant::gap::GapLimits;
use crate::math::time_interval::TimeInterval;
use crate::motion::{JointAxis, Pose};
use crate::pair::PairMemory;
use crate::pair::shape::CollisionShape;
use crate::robot::Robot;
use crate::robot::arms::planar;
use crate::robot::definition::Mimic;
use crate::shape::Primitive;
use chasles_testing::Random;

/// The required distance of surfaces in free cells, in metres.
const DISTANCE: f64 = 1e-3;

/// A chain of joints, two bodies on the static group or one of the first, and two on the last.
struct GridCase {
    chain: Chain,
    parts: Vec<CollisionPart>,
    ranges: Vec<([f64; 2], bool)>,
}

fn case(random: &mut Random) -> GridCase {
    let joints = 1 + random.below(3);
    let mut definition = planar(joints + 1);
    for number in 0..=joints {
        let slides = random.below(4) == 0;
        let axis = random.direction();
        let joint = &mut definition.joints[number];
        joint.origin = Pose::new(random.vector(0.2), random.even_rotation()).unwrap();
        joint.limits = None;
        joint.axis = Some(if slides { JointAxis::Prismatic(axis) } else { JointAxis::Revolute(axis) });
    }
    if joints == 3 && random.below(2) == 0 {
        definition.joints[3].mimic = Some(Mimic { joint: 1, multiplier: -1.5, offset: 0.3 });
    }
    // The first joint moves both, so it is not a value of the grid.
    let robot = Robot::new(definition).unwrap();
    let set: Vec<usize> = (0..=joints).filter(|joint| robot.is_set(*joint)).collect();
    let chain = Chain::new(&robot, &set, &robot.rest());
    let mut part = |group: usize| {
        let sizes = [0; 3].map(|_| random.within(0.02, 0.2));
        let shape = match random.below(3) {
            0 => Primitive::Box { size: DVec3::from_array(sizes) },
            1 => Primitive::Cylinder { radius: 0.3 * sizes[0], height: 2.0 * sizes[1] },
            _ => Primitive::Sphere { radius: sizes[0] },
        };
        let shape = CollisionShape::primitive(shape).unwrap();
        let pose = Pose::new(random.vector(0.2), random.even_rotation()).unwrap();
        let body = OfBody { owner: 0, shape: &shape, solid: random.below(2) == 0 };
        CollisionPart::of_robot(body, (group, pose), (&[], 0.02))
    };
    let last = chain.count() - 1;
    let parts = vec![part(1), part(1), part(last), part(last)];
    let round = |value: usize| chain.is_periodic(value);
    let range = |value: usize| match (round(value), random.below(2)) {
        (true, 0) => ([-PI, PI], true),
        _ => ([-1.1, 0.7], false),
    };
    let ranges = (0..set.len()).map(range).collect();
    GridCase { chain, parts, ranges }
}

fn grid(case: &GridCase) -> Option<ClearanceGrid> {
    let GridCase { chain, parts, ranges } = case;
    let pairs: Vec<[&CollisionPart; 2]> =
        parts[2..].iter().flat_map(|a| parts[..2].iter().map(move |b| [a, b])).collect();
    let chain_path = chain.chain_path(1, chain.count() - 1);
    let input = GridInput {
        chain,
        chain_path: &chain_path,
        parts: &pairs,
        steps: 30_000,
        ranges,
        distance: DISTANCE,
        reach: 3.0,
    };
    input.grid()
}

/// The minimum gap of all pairs at some values; 0 if one body is inside a solid one.
fn gap(case: &GridCase, values: &[f64], memory: &mut PairMemory) -> f64 {
    let mut groups = Vec::new();
    case.chain.poses_at(&JointEdge { from: values, to: values }, 0.0, &mut groups);
    let pose = |part: &CollisionPart| groups[part.group].pose.compose(&part.pose);
    let mut least = f64::INFINITY;
    for a in &case.parts[2..] {
        for b in &case.parts[..2] {
            let seen = pose(b).inverse().compose(&pose(a));
            let surfaces = a.pair_with(b).distance_at(memory, &seen, &GapLimits::EXACT).upper;
            least = if a.is_within(b, &seen) { 0.0 } else { least.min(surfaces) };
        }
    }
    least
}

#[test]
fn parts_stay_separated_on_edges_in_free_cells() {
    let (mut grids, mut free, mut near, mut separated) = (0, 0, 0, 0);
    let memory = &mut PairMemory::default();
    for seed in 0..60 {
        let random = &mut Random(seed);
        let case = case(random);
        let Some(grid) = grid(&case) else { continue };
        grids += 1;
        for _ in 0..30 {
            // Whole turns have no effect on a periodic value.
            let from: Vec<f64> = case
                .ranges
                .iter()
                .map(|([least, most], round)| {
                    random.within(*least, *most)
                        + if *round { 2.0 * PI * random.below(3) as f64 } else { 0.0 }
                })
                .collect();
            let length = [0.0, 0.1, 1.0][random.below(3)];
            let to: Vec<f64> = from.iter().map(|value| value + length * random.within(-1.0, 1.0)).collect();
            let edge = JointEdge { from: &from, to: &to };
            let is_free = grid.is_free_on(&edge, TimeInterval::new(0.0, 1.0));
            let mut least = f64::INFINITY;
            for fraction in [0.0, 0.37, 1.0] {
                let values: Vec<f64> = (0..from.len()).map(|value| edge.at(value, fraction)).collect();
                least = least.min(gap(&case, &values, memory));
            }
            assert!(!is_free || least > DISTANCE, "seed {seed}: {least} from {from:?} to {to:?}");
            free += usize::from(is_free);
            near += usize::from(is_free && least < 0.05);
            separated += usize::from(least > 0.02);
        }
    }
    // Grids without free cells would pass as well.
    assert!(
        grids > 30 && near > 20 && 3 * free > separated,
        "{grids} grids, {free} free, {near} near, {separated} separated"
    );
}

#[test]
fn huge_values_are_free_only_if_their_rounding_is_small() {
    let (mut free, mut near) = (0, 0);
    let memory = &mut PairMemory::default();
    for seed in 0..60 {
        let random = &mut Random(seed);
        let case = case(random);
        let Some(grid) = grid(&case) else { continue };
        if !case.ranges.iter().skip(1).any(|(_, round)| *round) {
            continue;
        }
        for _ in 0..60 {
            let size = 10.0_f64.powf(random.within(2.0, 16.0));
            let values: Vec<f64> = case
                .ranges
                .iter()
                .map(
                    |([least, most], round)| {
                        if *round { size * random.side() } else { random.within(*least, *most) }
                    },
                )
                .collect();
            let edge = JointEdge { from: &values, to: &values };
            let least = gap(&case, &values, memory);
            let is_free = grid.is_free_on(&edge, TimeInterval::new(0.0, 1.0));
            assert!(!is_free || least > DISTANCE, "seed {seed}: {least} at {values:?}");
            free += usize::from(is_free);
            near += usize::from(least <= DISTANCE);
        }
    }
    assert!(free > 20 && near > 20, "{free} free, {near} near");
}
