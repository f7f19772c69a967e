//! Round pairs against closed forms.

use glam::{DQuat, DVec3};

use super::support::RoundShape;
use super::*;
use crate::body::MeshSurface;
use crate::body::PreparedMesh;
use crate::math::budget::Budget;
use crate::shape::pieces::Pieces;
use crate::shape::{Mesh, Primitive};

const BALL: RoundShape = RoundShape::Sphere { radius: 0.5 };
const CAN: RoundShape = RoundShape::Cylinder { radius: 0.5, height: 2.0 };
const CONE: RoundShape = RoundShape::Cone { radius: 3.0, height: 4.0 };
const PILL: RoundShape = RoundShape::Capsule { radius: 0.5, height: 2.0 };

pub(super) fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A body with its pieces.
pub(super) struct Meshed(pub(super) PreparedMesh, Pieces);

impl Meshed {
    pub(super) fn new(mesh: Mesh) -> Self {
        let pieces = Pieces::new(&mesh);
        Self(PreparedMesh::new(mesh), pieces)
    }

    fn cuboid(size: DVec3) -> Self {
        Self::new(Primitive::Box { size }.tessellate().unwrap().mesh)
    }

    pub(super) fn surface(&self) -> MeshSurface<'_> {
        MeshSurface { body: &self.0, pieces: &self.1 }
    }
}

pub(super) fn pose(position: DVec3, axis: DVec3, angle: f64) -> Pose {
    Pose::new(position, DQuat::from_axis_angle(axis.normalize(), angle)).unwrap()
}

fn at(position: DVec3) -> Pose {
    Pose::from_position(position).unwrap()
}

/// The pose that rotates z to a direction.
fn along(position: DVec3, direction: DVec3) -> Pose {
    Pose::new(position, DQuat::from_rotation_arc(DVec3::Z, direction.normalize())).unwrap()
}

fn state(pair: RoundPair<'_>, pose: Pose) -> RoundState {
    pair.state_at(&mut RoundMemory::default(), &pose)
}

#[track_caller]
fn check_gap(pair: RoundPair<'_>, pose: Pose, gap: f64) {
    let found = pair.found_at(&mut RoundMemory::default(), &pose);
    let RoundState::Separated { lower, upper } = found.state else { panic!("{found:?}, not {gap}") };
    assert!(lower <= gap && gap <= upper && upper - lower <= 5e-13, "{gap}: {found:?}");
    assert!((found.points[0].distance(found.points[1]) - gap).abs() < 5e-13, "{found:?}");
    if gap > 1e-10 {
        assert_eq!(until(pair, &Screw::still(pose), 0.999 * gap), None);
    }
    assert_eq!(until(pair, &Screw::still(pose), 1.001 * gap), Some(0.0));
}

#[track_caller]
fn check_meeting(pair: RoundPair<'_>, pose: Pose, margin: f64) {
    let found = state(pair, pose);
    let RoundState::Intersecting { margin: found_margin } = found else { panic!("{found:?}, not {margin}") };
    assert!(found_margin <= margin + 1e-15 && found_margin > 0.75 * margin - 1e-14, "{margin}: {found:?}");
    assert_eq!(until(pair, &Screw::still(pose), 1e-9), Some(0.0));
}

#[track_caller]
fn check_touching(pair: RoundPair<'_>, pose: Pose) {
    let found = state(pair, pose);
    assert!(matches!(found, RoundState::Touching { upper } if upper < 1e-13), "{found:?}");
}

pub(super) fn until(pair: RoundPair<'_>, screw: &Screw, distance: f64) -> Option<f64> {
    pair.separated_until(&mut RoundMemory::default(), screw, distance, &mut Budget::new(1_000_000)).unwrap()
}

#[test]
fn gaps_to_a_slab_are_those_of_the_closed_forms() {
    let slab = Meshed::cuboid(v(8.0, 8.0, 2.0));
    let on = |round| RoundPair::RoundMesh(round, slab.surface());
    for gap in [1e-12, 1e-9, 1e-6, 0.3] {
        let z = 1.0 + gap;
        check_gap(on(BALL), at(v(0.3, 0.2, z + 0.5)), gap);
        check_gap(on(BALL), at(v(4.5 + gap, 0.2, 0.1)), gap);
        // Upright, lying, leaning on its rim at 30 degrees.
        check_gap(on(CAN), at(v(0.3, 0.2, z + 1.0)), gap);
        check_gap(on(CAN), along(v(0.3, 0.2, z + 0.5), v(1.0, 2.0, 0.0)), gap);
        let (sin, cos) = (0.5, 0.75_f64.sqrt());
        check_gap(on(CAN), along(v(0.3, 0.2, z + cos + 0.5 * sin), v(sin, 0.0, cos)), gap);
        // Base down, tip down, side down: then the axis makes an angle of sine 3/5 with the slab, and the centre is
        // 2 * 3/5 above it.
        check_gap(on(CONE), at(v(0.3, 0.2, z + 2.0)), gap);
        check_gap(on(CONE), along(v(0.3, 0.2, z + 2.0), v(0.0, 0.0, -1.0)), gap);
        check_gap(on(CONE), along(v(0.3, 0.2, z + 1.2), v(-0.8, 0.0, -0.6)), gap);
        check_gap(on(PILL), at(v(0.3, 0.2, z + 1.5)), gap);
        check_gap(on(PILL), along(v(0.3, 0.2, z + 0.5), v(1.0, 2.0, 0.0)), gap);
        // The slab's edge and the side; its corner and a ball.
        check_gap(on(CAN), along(v(4.0, 0.0, 1.0) + (0.5 + gap) * v(0.6, 0.0, 0.8), DVec3::Y), gap);
        let corner = v(4.0, 4.0, 1.0) + (0.5 + gap) / 3.0_f64.sqrt() * DVec3::ONE;
        check_gap(on(BALL), at(corner), gap);
    }
}

#[test]
fn an_intersection_has_its_margin_and_a_touch_is_reported() {
    let slab = Meshed::cuboid(v(8.0, 8.0, 2.0));
    let on = |round| RoundPair::RoundMesh(round, slab.surface());
    for depth in [1e-9, 1e-6, 0.1] {
        let z = 1.0 - depth;
        check_meeting(on(BALL), at(v(0.3, 0.2, z + 0.5)), depth);
        check_meeting(on(CAN), at(v(0.3, 0.2, z + 1.0)), depth);
        check_meeting(on(CAN), along(v(0.3, 0.2, z + 0.5), v(1.0, 2.0, 0.0)), depth);
        check_meeting(on(PILL), at(v(0.3, 0.2, z + 1.5)), depth);
        check_meeting(on(CONE), at(v(0.3, 0.2, z + 2.0)), depth);
        // The depth of the point below the tip is measured from the side: the sine is 3/5.
        check_meeting(on(CONE), along(v(0.3, 0.2, z + 2.0), v(0.0, 0.0, -1.0)), 0.6 * depth);
    }
    check_touching(on(BALL), at(v(0.3, 0.2, 1.5)));
    check_touching(on(CAN), at(v(0.3, 0.2, 2.0)));
    check_touching(on(PILL), at(v(0.3, 0.2, 2.5)));
    check_touching(on(CONE), at(v(0.3, 0.2, 3.0)));
    check_touching(on(BALL), at(v(0.3, 0.2, 0.5)));
}

#[test]
fn a_shape_inside_another_is_separated() {
    let chamber = Meshed::cuboid(v(8.0, 8.0, 4.0));
    let grain = Meshed::cuboid(v(0.02, 0.02, 0.02));
    // The shape in the room, and the grain in the shape.
    check_gap(RoundPair::RoundMesh(BALL, chamber.surface()), at(v(0.0, 0.0, 1.0)), 0.5);
    check_gap(RoundPair::RoundMesh(CAN, chamber.surface()), at(v(0.0, 0.0, 0.5)), 0.5);
    let corner = 0.5 - 0.01 * 3.0_f64.sqrt();
    check_gap(RoundPair::RoundMesh(BALL, grain.surface()), at(DVec3::ZERO), corner);
    check_gap(RoundPair::MeshRound(grain.surface(), BALL), at(DVec3::ZERO), corner);
    check_gap(RoundPair::MeshRound(grain.surface(), CAN), at(v(0.0, 0.0, 0.9)), 0.09);
    check_touching(RoundPair::MeshRound(grain.surface(), CAN), at(v(0.0, 0.0, 0.99)));
    check_meeting(RoundPair::MeshRound(grain.surface(), CAN), at(v(0.0, 0.0, 0.991)), 0.001);
    // A small ball inside each shape.
    let seed = RoundShape::Sphere { radius: 0.1 };
    for (round, gap) in [(BALL, 0.4), (CAN, 0.4), (PILL, 0.4), (CONE, 1.1)] {
        let inside = RoundPair::RoundRound(seed, round);
        check_gap(inside, at(DVec3::ZERO), gap);
        check_gap(RoundPair::RoundRound(round, seed), at(DVec3::ZERO), gap);
    }
    check_touching(RoundPair::RoundRound(seed, BALL), at(v(0.4, 0.0, 0.0)));
    check_touching(RoundPair::RoundRound(seed, CAN), at(v(0.0, 0.4, 0.3)));
    check_touching(RoundPair::RoundRound(seed, CAN), at(v(0.0, 0.0, 0.9)));
    check_meeting(RoundPair::RoundRound(seed, CAN), at(v(0.0, 0.401, 0.3)), 0.001);
    // A shaft in a bore, a pill in a can, a can in a ball.
    let bore = RoundShape::Cylinder { radius: 0.6, height: 9.0 };
    check_gap(RoundPair::RoundRound(CAN, bore), at(DVec3::ZERO), 0.1);
    check_gap(RoundPair::RoundRound(CAN, bore), at(v(0.03, 0.04, 1.0)), 0.05);
    check_gap(RoundPair::RoundRound(PILL, bore), at(v(0.0, 0.04, 1.0)), 0.06);
    check_gap(
        RoundPair::RoundRound(CAN, RoundShape::Sphere { radius: 2.0 }),
        at(DVec3::ZERO),
        2.0 - 1.25_f64.sqrt(),
    );
    check_touching(RoundPair::RoundRound(CAN, CAN), at(DVec3::ZERO));
    check_touching(RoundPair::RoundRound(BALL, BALL), at(DVec3::ZERO));
}

#[test]
fn two_round_shapes_outside_each_other() {
    for gap in [1e-12, 1e-6, 0.3] {
        let rotation = v(0.48, 0.6, 0.64);
        check_gap(RoundPair::RoundRound(BALL, BALL), at((1.0 + gap) * rotation), gap);
        check_gap(RoundPair::RoundRound(BALL, PILL), at(v(0.0, 0.0, 2.0 + gap)), gap);
        check_gap(RoundPair::RoundRound(PILL, BALL), along(v(1.0 + gap, 0.0, 0.3), DVec3::Z), gap);
        check_gap(RoundPair::RoundRound(PILL, PILL), along(v(1.0 + gap, 0.2, 0.1), DVec3::Y), gap);
        check_gap(RoundPair::RoundRound(CAN, CAN), along(v(1.0 + gap, 0.2, 0.1), DVec3::Y), gap);
        check_gap(RoundPair::RoundRound(CAN, CAN), at(v(0.2, 0.1, 2.0 + gap)), gap);
        check_gap(RoundPair::RoundRound(CAN, CONE), at(v(0.2, 0.1, 3.0 + gap)), gap);
        // A ball beside the rim, 45 degrees up.
        let rim = v(0.5, 0.0, 1.0) + (0.5 + gap) * 0.5_f64.sqrt() * v(1.0, 0.0, 1.0);
        check_gap(RoundPair::RoundRound(BALL, CAN), at(rim), gap);
    }
    check_meeting(RoundPair::RoundRound(BALL, BALL), at(v(0.0, 0.9, 0.0)), 0.1);
    check_touching(RoundPair::RoundRound(BALL, BALL), at(v(0.0, 1.0, 0.0)));
    check_touching(RoundPair::RoundRound(CAN, CAN), at(v(0.2, 0.1, 2.0)));
}

#[test]
fn places_of_contact() {
    let slab = Meshed::cuboid(v(8.0, 8.0, 2.0));
    let memory = &mut RoundMemory::default();
    for z in [1.5 + 1e-9, 1.5, 1.5 - 1e-9] {
        let place = RoundPair::RoundMesh(BALL, slab.surface()).place_at(memory, &at(v(0.3, 0.2, z)));
        assert!(place.point.distance(v(0.3, 0.2, 1.0)) < 1e-8 && place.face.is_some(), "{place:?}");
        assert!(place.normal.distance(-DVec3::Z) < 1e-6, "{place:?}");
        let turned = pose(v(0.0, 0.0, -z), DVec3::X, std::f64::consts::PI);
        let place = RoundPair::MeshRound(slab.surface(), BALL).place_at(memory, &turned);
        assert!(place.point.distance(v(0.0, 0.0, -0.5)) < 1e-8, "{place:?}");
        assert!(place.normal.distance(DVec3::Z) < 1e-6, "{place:?}");
    }
    // For contact from inside, the normal points from A's surface to B's: outward from the ball.
    let seed = RoundShape::Sphere { radius: 0.1 };
    for x in [0.4 - 1e-9, 0.4 + 1e-9] {
        let place = RoundPair::RoundRound(seed, BALL).place_at(memory, &at(v(x, 0.0, 0.0)));
        assert!(place.point.distance(v(0.5, 0.0, 0.0)) < 1e-8, "{place:?}");
        assert!(place.normal.distance(DVec3::X) < 1e-6, "{place:?}");
        let place = RoundPair::RoundRound(BALL, seed).place_at(memory, &at(v(-x, 0.0, 0.0)));
        assert!(place.normal.distance(-DVec3::X) < 1e-6, "{place:?}");
    }
}

#[test]
fn times_of_the_closed_forms() {
    let slab = Meshed::cuboid(v(8.0, 8.0, 2.0));
    let pair = |round| RoundPair::RoundMesh(round, slab.surface());
    let down = |from: Pose, by: f64| Screw::translation(from, v(0.0, 0.0, -by));
    let distance = 1e-9;
    // Each starts 1 above the slab and falls by 4; falling by 0.999 does not reach the slab.
    let (sin, cos) = (0.5, 0.75_f64.sqrt());
    let falling = [
        (BALL, at(v(0.3, 0.2, 2.5))),
        (CAN, at(v(0.3, 0.2, 3.0))),
        (CAN, along(v(0.3, 0.2, 2.5), DVec3::Y)),
        (CAN, along(v(0.3, 0.2, 2.0 + cos + 0.5 * sin), v(sin, 0.0, cos))),
        (CONE, at(v(0.3, 0.2, 4.0))),
        (CONE, along(v(0.3, 0.2, 4.0), -DVec3::Z)),
        (CONE, along(v(0.3, 0.2, 3.2), v(-0.8, 0.0, -0.6))),
        (PILL, at(v(0.3, 0.2, 3.5))),
    ];
    for (round, start) in falling {
        let mut budget = Budget::new(2000);
        let memory = &mut RoundMemory::default();
        let t =
            pair(round).separated_until(memory, &down(start, 4.0), distance, &mut budget).unwrap().unwrap();
        let expected = (1.0 - distance) / 4.0;
        // A last step of less than 1e-12 is not taken.
        assert!(t <= expected && t > expected - 1e-12, "{round:?} {t}");
        assert!(budget.remaining() > 1900, "{budget:?}");
        assert_eq!(until(pair(round), &down(start, 0.999), distance), None);
        // Upward from inside the slab, for the shapes that fit inside.
        if round == BALL {
            let up = Screw::translation(at(v(0.3, 0.2, 0.0)), v(0.0, 0.0, 4.0));
            let t = until(pair(round), &up, distance).unwrap();
            assert!((t - (0.5 - distance) / 4.0).abs() < 1e-12, "{t}");
        }
    }
    // A can that falls over its lower rim: z rotated by 90 degrees about y, with the rim's height r sin + h/2 cos at
    // the angle.
    let start = at(v(0.0, 0.0, 2.1));
    let rotation = Screw::about(start, DVec3::Y, v(0.0, 0.0, 2.1), 0.0, std::f64::consts::FRAC_PI_2).unwrap();
    let t = until(pair(CAN), &rotation, distance).unwrap();
    let angle = t * std::f64::consts::FRAC_PI_2;
    assert!((2.1 - angle.cos() - 0.5 * angle.sin() - 1.0 - distance).abs() < 1e-13, "{t}");
}

#[test]
fn a_whole_rotation_about_the_centre_does_not_hide_the_swept_path() {
    // The poses at both ends are the same, and the centre is 1.05 above the slab.
    let slab = Meshed::cuboid(v(8.0, 8.0, 2.0));
    let centre = v(0.3, 0.2, 2.05);
    let distance = 1e-9;
    let reach = 1.05 - distance;
    // The angles at which the can's rim at (1, 0.5), the capsule's ball about (1, 0), the cone's tip at (2, 0) and
    // its rim at (-2, 0.2) arrive, starting from lying.
    let can = 1.0_f64.atan2(0.5) - (reach / 1.25_f64.sqrt()).acos();
    let pill = (reach - 0.5).asin();
    let cone = (reach / 2.0).asin();
    let slim = RoundShape::Cone { radius: 0.2, height: 4.0 };
    let rim = (reach / 4.04_f64.sqrt()).asin() - 0.1_f64.atan();
    for (round, angle, both_ends) in [(CAN, can, can), (PILL, pill, pill), (slim, cone, rim)] {
        let pair = RoundPair::RoundMesh(round, slab.surface());
        // From lying along x, the end at +x goes down about y.
        let whole =
            Screw::about(along(centre, DVec3::X), DVec3::Y, centre, 0.0, std::f64::consts::TAU).unwrap();
        let t = until(pair, &whole, distance).unwrap();
        assert!((t * std::f64::consts::TAU - angle).abs() < 1e-11, "{round:?} {t} {angle}");
        let other = RoundPair::MeshRound(slab.surface(), round);
        let rotating = until(other, &whole.inverse(), distance).unwrap();
        assert!((rotating * std::f64::consts::TAU - angle).abs() < 1e-11, "{round:?} {rotating} {angle}");
        // Upright in a bore, where the other end counts too.
        let bore = RoundShape::Cylinder { radius: 1.05, height: 40.0 };
        let around = along(DVec3::ZERO, DVec3::Z);
        let whole = Screw::about(around, DVec3::Y, DVec3::ZERO, 0.0, std::f64::consts::TAU).unwrap();
        let inside = until(RoundPair::RoundRound(round, bore), &whole, distance).unwrap();
        assert!((inside * std::f64::consts::TAU - both_ends).abs() < 1e-11, "{round:?} {inside} {both_ends}");
    }
    // A thin disc, flat over the slab, that rotates about a diameter until upright and further.
    let disc = RoundPair::RoundMesh(RoundShape::Cylinder { radius: 1.2, height: 2e-3 }, slab.surface());
    let whole = Screw::about(at(centre), DVec3::Y, centre, 0.0, std::f64::consts::TAU).unwrap();
    let t = until(disc, &whole, distance).unwrap();
    let angle = (reach / 1.2_f64.hypot(1e-3)).asin() - (1e-3 / 1.2_f64).atan();
    assert!((t * std::f64::consts::TAU - angle).abs() < 1e-11, "{t} {angle}");
}

#[test]
fn rolling_and_sliding_close_above_a_table_costs_few_steps() {
    let table = Meshed::cuboid(v(8.0, 8.0, 2.0));
    let gap = 1e-6;
    let travel = |budget: u64, round, screw: &Screw| {
        let (memory, budget) = (&mut RoundMemory::default(), &mut Budget::new(budget));
        RoundPair::RoundMesh(round, table.surface()).separated_until(memory, screw, 1e-7, budget)
    };
    let start = v(-2.0, 0.3, 1.5 + gap);
    for round in [BALL, CAN, PILL] {
        let lying = along(start, DVec3::Y);
        assert_eq!(travel(300, round, &Screw::translation(lying, 2.0 * DVec3::X)), Ok(None));
        // Rotating about its own axis, and about the table's normal.
        let spin = Screw::about(lying, DVec3::Y, start, 0.5, 40.0).unwrap();
        assert_eq!(travel(300, round, &spin), Ok(None));
        let round_about = Screw::about(lying, DVec3::Z, DVec3::ZERO, 0.0, 1.0).unwrap();
        assert_eq!(travel(300, round, &round_about), Ok(None));
    }
    let upright = Screw::about(at(v(-2.0, 0.3, 2.0 + gap)), DVec3::Z, DVec3::ZERO, 0.0, 20.0).unwrap();
    assert_eq!(travel(300, CAN, &upright), Ok(None));
    assert_eq!(
        travel(300, BALL, &Screw::translation(at(start - 0.95 * gap * DVec3::Z), DVec3::X)),
        Ok(Some(0.0))
    );
    // A shaft rotating in its bore, and a ball rolling around inside it.
    let bore = RoundShape::Cylinder { radius: 0.6, height: 9.0 };
    let shaft = RoundShape::Cylinder { radius: 0.599, height: 8.0 };
    let rotating = Screw::about(Pose::IDENTITY, DVec3::Z, DVec3::ZERO, 0.2, 50.0).unwrap();
    let (memory, budget) = (&mut RoundMemory::default(), &mut Budget::new(10));
    assert_eq!(RoundPair::RoundRound(shaft, bore).separated_until(memory, &rotating, 1e-4, budget), Ok(None));
    let ball = RoundShape::Sphere { radius: 0.1 };
    let inside = Screw::about(at(v(0.499, 0.0, 0.0)), DVec3::Z, DVec3::ZERO, 0.0, 5.0).unwrap();
    let budget = &mut Budget::new(200);
    assert_eq!(RoundPair::RoundRound(ball, bore).separated_until(memory, &inside, 1e-4, budget), Ok(None));
}

#[test]
fn tiny_and_huge_shapes_near_a_slab_and_far_from_the_origin() {
    for (size, half) in [(1e-6, 4.0), (1e-3, 4.0), (1.0, 4.0), (1e3, 4.0), (1e6, 4.0), (1e6, 1e-6)] {
        for far in [0.0, 1e6] {
            let offset = far * v(1.0, -1.0, 0.5);
            let mesh = Primitive::Box { size: 2.0 * v(half, half, half) }.tessellate().unwrap().mesh;
            let points = (0..8).map(|i| mesh.vertex(i) + offset).collect();
            let slab = Meshed::new(Mesh::new(points, mesh.triangles().to_vec()).unwrap());
            let rounding = 1e-14 * (far + size + half);
            let gap = 0.01 * size.min(half) + 4.0 * rounding;
            let round = |kind| match kind {
                0 => RoundShape::Sphere { radius: size },
                1 => RoundShape::Cylinder { radius: size, height: 2.0 * size },
                2 => RoundShape::Cone { radius: size, height: 2.0 * size },
                _ => RoundShape::Capsule { radius: size, height: 1e-3 * size },
            };
            for kind in 0..4 {
                let height = half + gap + if kind == 3 { 1.0005 * size } else { size };
                let start = offset + v(0.3 * half, -0.2 * half, height);
                let pair = RoundPair::RoundMesh(round(kind), slab.surface());
                let found = state(pair, at(start));
                let RoundState::Separated { lower, upper } = found else { panic!("{size} {far} {found:?}") };
                assert!((lower - gap).abs() <= 4.0 * rounding, "{size} {half} {far} {kind} {gap} {found:?}");
                assert!((upper - gap).abs() <= 4.0 * rounding, "{size} {half} {far} {kind} {gap} {found:?}");
                // Down by twice the gap: half of the motion, minus the distance.
                let down = Screw::translation(at(start), v(0.0, 0.0, -2.0 * gap));
                let distance = 0.1 * gap;
                let t = until(pair, &down, distance).unwrap();
                assert!(
                    t <= 0.45 + rounding / gap && t > 0.45 - 4.0 * rounding / gap - 1e-9,
                    "{size} {far} {t}"
                );
                let inside = state(pair, at(start - v(0.0, 0.0, 1.5 * gap)));
                assert!(
                    matches!(inside, RoundState::Intersecting { .. }),
                    "{size} {half} {far} {kind} {inside:?}"
                );
            }
        }
    }
}

#[test]
fn sizes_of_all_orders_give_valid_results() {
    let sizes = [5e-324, 1e-300, 1e-160, 1e-60, 1.0, 1e60, 9e69];
    let memory = &mut RoundMemory::default();
    let kinds = |radius: f64, height: f64| {
        [
            RoundShape::Sphere { radius },
            RoundShape::Cylinder { radius, height },
            RoundShape::Cone { radius, height },
            RoundShape::Capsule { radius, height },
        ]
    };
    let all: Vec<RoundShape> = sizes.iter().flat_map(|r| sizes.map(|h| kinds(*r, h))).flatten().collect();
    let meshes: Vec<Meshed> = sizes.map(|size| Meshed::cuboid(DVec3::splat(size))).into();
    let mut check = |pair: RoundPair<'_>, size: f64| {
        let start = pose(v(0.3 * size, 0.2 * size, 0.1 * size), DVec3::ONE, 1.0);
        let found = pair.state_at(memory, &start);
        if let RoundState::Separated { lower, upper } = found {
            assert!(lower > 0.0 && lower <= upper, "{pair:?} {found:?}");
        }
        let screw = Screw::about(start, DVec3::X, DVec3::Y, size, 9.0).unwrap();
        // In every case, the time is within the motion.
        if let Ok(Some(t)) = pair.separated_until(memory, &screw, 1e-9 * size, &mut Budget::new(50)) {
            assert!((0.0..=1.0).contains(&t));
        }
    };
    for round in &all {
        for (mesh, size) in meshes.iter().zip(sizes) {
            check(RoundPair::RoundMesh(*round, mesh.surface()), size);
            check(RoundPair::MeshRound(mesh.surface(), *round), size);
        }
        for other in all.iter().step_by(11) {
            check(RoundPair::RoundRound(*round, *other), other.radius().min(1e69));
        }
    }
}
