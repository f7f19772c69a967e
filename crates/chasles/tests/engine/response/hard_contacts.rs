//! Contacts that are hard to resolve or to detect: heavy bodies on light ones, protruding rims, round bodies in
//! joints.

use std::sync::Arc;

use chasles::glam::{DQuat, DVec3};
use chasles::{
    CollisionShape, Friction, JointKind, Mesh, Pose, PreparedMesh, Primitive, SimulatedJoint, SimulationState,
};

use crate::response::setup::{Setup, block, sphere};
use chasles_testing::meshes::torus;

fn at(position: DVec3) -> Pose {
    Pose::from_position(position).unwrap()
}

/// Kinetic, potential and dissipated energy of each moment, in joules.
fn sums(moments: &[SimulationState]) -> Vec<f64> {
    moments.iter().map(|own| own.energy.kinetic + own.energy.potential + own.energy.dissipated).collect()
}

#[test]
fn a_heavy_body_comes_to_rest_on_a_light_one() {
    // A body that is pushed up by up to a tenth of a millimetre gains this fraction of its potential energy.
    for (mass, pushed) in [(100.0, 1e-6), (1_000.0, 1e-5), (10_000.0, 5e-4)] {
        for friction in [0.0, 0.5] {
            let mut setup = Setup::new(1.0, 9.81);
            setup.floor();
            let bodies = [(1.0, 1.0, 0.5), (mass, 2.0, 3.0)].map(|(mass, size, height)| {
                let size = DVec3::splat(size);
                let dynamics = Some(block(mass, size));
                setup.body("box", Primitive::Box { size }, at(height * DVec3::Z), dynamics)
            });
            for body in 0..setup.own.len() {
                setup.own[body].elasticity = 0.0;
                setup.own[body].friction = Friction::Coefficient(friction);
            }
            let (moments, simulation) = setup.run();
            let last = moments.last().unwrap();
            assert!(simulation.summary().deepest.unwrap() <= 1e-4);
            for (body, height) in bodies.into_iter().zip([0.5, 2.0]) {
                // Without friction they may slide.
                let off = (last.poses[body - 1].position().z - height).abs();
                assert!(off < 2e-3, "{mass} kg, friction {friction}: body {body} is off by {off}");
            }
            let sums = sums(&moments);
            let most = sums.iter().copied().fold(0.0, f64::max);
            assert!(most <= sums[0] * (1.0 + pushed), "{mass} kg: {most} J of {} J", sums[0]);
            assert!(sums.last().unwrap() > &(sums[0] * (1.0 - 5e-4)), "{mass} kg");
        }
    }
}

#[test]
fn a_cylinder_whose_rims_stick_out_past_a_wall_rebounds_from_it() {
    for height in [0.02, 0.1, 0.3] {
        let mut setup = Setup::new(0.5, 0.0);
        let wall = Primitive::Box { size: DVec3::new(0.04, 0.5, height) };
        setup.body("wall", wall, Pose::IDENTITY, None);
        let drum = Primitive::Cylinder { radius: 0.05, height: 0.16 };
        let mut dynamics = block(1.0, DVec3::new(0.1, 0.1, 0.16));
        dynamics.linear = -DVec3::X;
        setup.body("drum", drum, at(0.2 * DVec3::X), Some(dynamics));
        let (moments, simulation) = setup.run();
        assert!(simulation.summary().deepest.unwrap() <= 1e-4);
        let last = moments.last().unwrap();
        // It moves 0.13 m, and returns the rest.
        let [linear, angular] = last.velocities[0];
        assert!(
            (linear - DVec3::X).length() < 1e-5 && angular.length() < 1e-5,
            "{height}: {linear} {angular}"
        );
        assert!(last.poses[0].position().distance(0.44 * DVec3::X) < 1e-5, "{height}: {:?}", last.poses[0]);
    }
}

#[test]
fn a_fast_block_that_lands_flat_does_not_spin() {
    // It moves further in a step than its own length.
    for speed in [1.0, 37.0, 200.0] {
        let mut setup = Setup::new(0.02, 0.0);
        setup.body("wall", Primitive::Box { size: DVec3::new(0.001, 1.0, 1.0) }, Pose::IDENTITY, None);
        let size = DVec3::splat(0.02);
        let mut dynamics = block(1.0, size);
        dynamics.linear = speed * DVec3::X;
        let start = -0.0105 - 0.01 * speed;
        setup.body("block", Primitive::Box { size }, at(DVec3::new(start, 0.013, -0.007)), Some(dynamics));
        let (moments, _) = setup.run();
        let last = moments.last().unwrap();
        let [linear, angular] = last.velocities[0];
        assert!((linear + speed * DVec3::X).length() < 1e-6 * speed, "{speed}: {linear}");
        assert!(angular.length() < 1e-6 * speed, "{speed}: {angular}");
    }
}

#[test]
fn rods_in_a_joint_fall_over_a_ball() {
    let mut setup = Setup::new(0.3, 9.81);
    setup.body("ball", Primitive::Sphere { radius: 0.15 }, at(-0.15 * DVec3::Z), None);
    let rods = [0.0, 0.1].map(|x| {
        let across = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let pose = Pose::new(DVec3::new(x, 0.0, 0.02), across).unwrap();
        let rod = Primitive::Capsule { radius: 0.006, height: 0.088 };
        setup.body("rod", rod, pose, Some(sphere(1.0, 0.03)))
    });
    setup.own.iter_mut().for_each(|own| own.elasticity = 0.0);
    setup.joints =
        vec![SimulatedJoint { bodies: rods, point: DVec3::new(0.05, 0.0, 0.02), kind: JointKind::Ball }];
    let (moments, simulation) = setup.run();
    assert!(simulation.summary().deepest.unwrap() <= 1e-4);
    let last = moments.last().unwrap();
    // The first lies on the ball until the second, which overhangs, pulls it down.
    let is_held = |own: &&SimulationState| own.contacts.iter().any(|contact| contact.bodies[0] == 0);
    assert!(moments.iter().filter(is_held).count() > 10);
    assert!(last.poses.iter().all(|pose| pose.position().z < 0.0), "{:?}", last.poses);
    let ends = rods.map(|body| {
        let pose = last.poses[body - 1];
        pose.transform_point(DVec3::new(0.0, 0.0, if body == rods[0] { 0.05 } else { -0.05 }))
    });
    assert!(ends[0].distance(ends[1]) < 1e-9, "{ends:?}");
}

/// A body with a mesh in place of its shape.
fn mesh(setup: &mut Setup, body: usize, vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) {
    let mesh = Mesh::new(vertices, triangles).unwrap();
    setup.bodies[body].shape = Some(CollisionShape::mesh(Arc::new(PreparedMesh::new(mesh))));
}

#[test]
fn a_body_pressed_into_a_sheet_returns_to_its_side() {
    // A tonne on a sheet without an interior, and a thousand tonnes that fall on it.
    let mut setup = Setup::new(0.6, 9.81);
    let sheet = setup.body("sheet", Primitive::Sphere { radius: 1.0 }, Pose::IDENTITY, None);
    let corners = [(-10.0, -10.0), (10.0, -10.0), (10.0, 10.0), (-10.0, 10.0)];
    mesh(&mut setup, sheet, corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec(), vec![[0, 1, 2], [0, 2, 3]]);
    for (mass, size, height) in [(1e3, 1.0, 0.6), (1e6, 10.0, 6.5)] {
        let size = DVec3::splat(size);
        setup.body("box", Primitive::Box { size }, at(height * DVec3::Z), Some(block(mass, size)));
    }
    setup.own.iter_mut().for_each(|own| own.elasticity = 0.0);
    let (moments, simulation) = setup.run();
    assert!(simulation.summary().deepest.unwrap() <= 1e-4);
    let last = moments.last().unwrap();
    for (pose, height) in last.poses.iter().zip([0.5, 6.0]) {
        assert!((pose.position().z - height).abs() < 1e-3, "{pose:?}");
    }
}

#[test]
fn edges_that_are_nearly_along_each_other_hold() {
    for turn in [0.0, 1e-7, 1e-5, 3e-4, 2e-3] {
        let mut setup = Setup::new(0.5, 9.81);
        let size = DVec3::ONE;
        let edge = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4);
        setup.body("below", Primitive::Box { size }, Pose::new(DVec3::ZERO, edge).unwrap(), None);
        let above =
            Pose::new((2.0_f64.sqrt() + 1e-3) * DVec3::Z, DQuat::from_rotation_z(turn) * edge).unwrap();
        setup.body("above", Primitive::Box { size }, above, Some(block(1e3, size)));
        setup.own.iter_mut().for_each(|own| own.elasticity = 0.0);
        let (moments, simulation) = setup.run();
        assert!(simulation.summary().deepest.unwrap() <= 1e-4);
        let height = moments.last().unwrap().poses[0].position().z;
        // It balances on the edge, or finally slides off it to one side.
        assert!(height < 2.0_f64.sqrt() + 1e-3, "{turn}: {height}");
    }
}

#[test]
fn linked_rings_are_separated_where_they_touch() {
    for depth in [0.0, 5e-6, 3e-5] {
        let mut setup = Setup::new(0.05, 9.81);
        let turn = DQuat::from_xyzw(
            0.335_491_170_797_596_77, 0.342_661_907_425_556_6, 0.779_371_445_079_185_1,
            0.403_247_618_854_125_13,
        );
        let normal = DVec3::new(0.121_563, 0.767_557, 0.629_348);
        let place = DVec3::new(0.177_582_523, -0.570_559_022, 0.005_803_269);
        let poses = [Pose::IDENTITY, Pose::new(place - depth * normal, turn.normalize()).unwrap()];
        // It slides along, so that other parts of the rings may touch in the same step.
        let mut moving = sphere(1.0, 0.3);
        moving.linear = DVec3::new(0.841, 0.246, -0.175);
        moving.angular = DVec3::new(0.333, 0.137, 1.33);
        for (pose, dynamics) in poses.into_iter().zip([None, Some(moving)]) {
            let ring = setup.body("ring", Primitive::Sphere { radius: 1.0 }, pose, dynamics);
            let (vertices, triangles) = torus(0.4, 0.1, (20, 10));
            mesh(&mut setup, ring, vertices, triangles);
        }
        setup.own.iter_mut().for_each(|own| own.elasticity = 0.0);
        let (_, simulation) = setup.run();
        assert!(simulation.summary().deepest.unwrap() <= 1e-4, "{depth}");
    }
}

#[test]
fn what_a_hinge_alone_holds_off_a_wall_swings_on() {
    // Flat beside a wall, closer than resting contacts: only the hinge could press it against the wall.
    for gap in [1e-7, 0.0] {
        let mut setup = Setup::new(0.5, 9.81);
        setup.settings.gravity = -9.81 * DVec3::Y;
        setup.body("wall", Primitive::Box { size: DVec3::new(3.0, 3.0, 0.1) }, Pose::IDENTITY, None);
        let post = setup.body("post", Primitive::Box { size: DVec3::splat(0.01) }, at(9.0 * DVec3::Z), None);
        let size = DVec3::new(0.4, 0.05, 0.05);
        let place = at(DVec3::new(0.5, 0.0, 0.075 + gap));
        let rod = setup.body("rod", Primitive::Box { size }, place, Some(block(1.0, size)));
        let kind = JointKind::Hinge { axis: DVec3::Z };
        setup.joints = vec![SimulatedJoint { bodies: [post, rod], point: DVec3::ZERO, kind }];
        for body in 0..setup.own.len() {
            setup.own[body].friction = Friction::Coefficient(0.0);
        }
        let (moments, _) = setup.run();
        let last = moments.last().unwrap();
        assert_eq!(last.time, 0.5);
        let fallen = last.poses[0].position().y;
        assert!(fallen < -0.3, "{fallen}");
        let sums = sums(&moments);
        assert!(sums.iter().all(|sum| (sum - sums[0]).abs() < 1e-3), "{sums:?}");
    }
}

#[test]
fn a_plug_that_fits_its_hole_tightly_slides_through() {
    // Slightly inside the wall on one side, by so small a part of the play that the separating shift must be
    // accurate.
    for (play, inside) in [(4e-6, 1e-7), (9e-6, 5e-6), (3e-5, 2e-5), (8e-5, 5e-5)] {
        let mut setup = Setup::new(0.1, 0.0);
        let hole = setup.body("hole", Primitive::Sphere { radius: 1.0 }, Pose::IDENTITY, None);
        // Two blocks of one body, 0.2 m plus the play apart.
        let cube = Primitive::Box { size: DVec3::ONE }.tessellate().unwrap().mesh;
        let block_at = |x: f64| (0..8).map(move |v| (x, v));
        let all = [-0.6, 0.6 + play].into_iter().flat_map(block_at);
        let vertices = all.map(|(x, v)| cube.vertex(v) + x * DVec3::X).collect();
        let second = |triangle: &[u32; 3]| triangle.map(|v| v + 8);
        let triangles = cube.triangles().iter().copied().chain(cube.triangles().iter().map(second)).collect();
        mesh(&mut setup, hole, vertices, triangles);
        let size = DVec3::splat(0.2);
        let mut dynamics = block(1.0, size);
        dynamics.linear = DVec3::Y;
        setup.body("plug", Primitive::Box { size }, at(-inside * DVec3::X), Some(dynamics));
        let (moments, simulation) = setup.run();
        let deepest = simulation.summary().deepest.unwrap();
        assert!(deepest <= (inside + 2e-7).max(1e-5), "{inside}: {deepest}");
        let last = moments.last().unwrap();
        assert!(last.time == 0.1 && (last.poses[0].position().y - 0.1).abs() < 1e-6, "{last:?}");
    }
}

#[test]
fn a_body_on_two_pistons_lands_on_a_rough_floor_where_they_guide_it() {
    // They keep it perpendicular to the floor's normal, so that friction has no effect.
    for friction in [Friction::Coefficient(0.5), Friction::Rough] {
        let mut setup = Setup::new(0.6, 9.81);
        let floor = setup.floor();
        let size = DVec3::splat(0.2);
        let turn = DQuat::from_rotation_x(0.3);
        let place = Pose::new(DVec3::new(0.3, 0.0, 0.5), turn).unwrap();
        let cube = setup.body("cube", Primitive::Box { size }, place, Some(block(1.0, size)));
        let post = setup.body("post", Primitive::Box { size: DVec3::splat(0.01) }, at(9.0 * DVec3::Z), None);
        let kind = JointKind::Piston { axis: DVec3::Z };
        let piston = |point| SimulatedJoint { bodies: [post, cube], point, kind };
        setup.joints = vec![piston(DVec3::ZERO), piston(DVec3::X)];
        for body in [floor, cube] {
            (setup.own[body].elasticity, setup.own[body].friction) = (0.0, friction);
        }
        let (moments, simulation) = setup.run();
        assert!(simulation.summary().deepest.unwrap() <= 1e-4);
        let last = moments.last().unwrap();
        let lowest = 0.1 * (0.3_f64.cos() + 0.3_f64.sin());
        assert!((last.poses[0].position() - DVec3::new(0.3, 0.0, lowest)).length() < 1e-4, "{last:?}");
        assert!(last.velocities[0][0].length() < 1e-6, "{last:?}");
        let impulses = moments.iter().flat_map(|own| &own.contacts).map(|contact| contact.impulse);
        let (mut sum, mut most) = (0.0, 0.0_f64);
        for impulse in impulses {
            assert!(impulse.truncate().length() <= 1e-9 * impulse.z, "{friction:?}: {impulse}");
            (sum, most) = (sum + impulse.z, most.max(impulse.z));
        }
        // Its whole weight over the whole time, including the impact of the landing.
        assert!((sum - 9.81 * 0.6).abs() < 1e-3 && most > 2.0, "{friction:?}: {sum} and {most}");
    }
}

#[test]
fn boxes_fall_with_a_corner_or_an_edge_on_cylinders_and_cones() {
    for seed in 0..12 {
        let random = &mut chasles_testing::Random(seed);
        let mut setup = Setup::new(0.6, 9.81);
        let post = match seed % 2 {
            0 => Primitive::Cylinder { radius: 0.4, height: 0.6 },
            _ => Primitive::Cone { radius: 0.4, height: 0.6 },
        };
        setup.body("post", post, Pose::IDENTITY, None);
        let size = DVec3::splat(0.2);
        let position = DVec3::new(random.within(-0.2, 0.2), random.within(-0.2, 0.2), 0.8);
        let pose = Pose::new(position, random.rotation()).unwrap();
        let crate_body = setup.body("crate", Primitive::Box { size }, pose, Some(block(8.0, size)));
        setup.own[0].elasticity = 0.5;
        setup.own[crate_body].elasticity = 0.5;
        // A simulation that is stuck is a panic here.
        let (moments, simulation) = setup.run();
        assert!(simulation.summary().deepest.unwrap() <= 1e-4, "seed {seed}");
        assert!(simulation.summary().impulses > 0, "seed {seed}: the box misses");
        let sums = sums(&moments);
        assert!(sums.iter().all(|sum| *sum <= sums[0] * (1.0 + 1e-4)), "seed {seed}: {sums:?}");
    }
}
