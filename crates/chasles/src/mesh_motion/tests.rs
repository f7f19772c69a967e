//! Compares the times for which bodies are said to stay separated, or to intersect, with exact tests at many times.

use chasles_testing::meshes::box_of;
use chasles_testing::{Random, cases};
use glam::{DQuat, DVec3};

use super::both_sides::longest_witness;
use super::edge_through_face::passes_through_for;
use super::front::Front;
use super::relative_state::{FrontMotion, MovingPoint, RelativeState};
use super::separation::SeparationGoal;
use super::vertex_inside::Planes;
use crate::body::{MeshSurface, PreparedMesh, PreparedPair};
use crate::features::witness::edge_margin;
use crate::instant::gap::{GapLimits, GapSearch, gap};
use crate::instant::gap_tests::{RawMesh, mesh, shape};
use crate::instant::triangle_gap_tests::{on_grid, power, rotation};
use crate::math::budget::Budget;
use crate::math::direction::unit_along;
use crate::mesh_screw::overlap::triangles_intersect;
use crate::motion::state::{BoundedMotionFn, MotionBounds, MotionState};
use crate::motion::{Pose, Screw};
use crate::shape::Mesh;
use crate::shape::pieces::Pieces;

/// A screw at the fraction s = rate t + change t^2 at time t, which may run backwards and beyond its ends.
struct Motion {
    screw: Screw,
    rate: f64,
    change: f64,
}

impl Motion {
    /// A motion of A relative to B, at any distance.
    fn random(random: &mut Random, PreparedPair { a, b }: PreparedPair<'_>, away: f64) -> Self {
        let middle = b.mesh().centre();
        let pose = |random: &mut Random| {
            let rotation = rotation(random);
            Pose::new(middle + random.vector(away) - rotation * a.mesh().centre(), rotation).unwrap()
        };
        let start = pose(random);
        let screw = match random.below(4) {
            0 => Screw::translation(start, on_grid(random, 2.0)),
            1 => Screw::between(start, pose(random)),
            _ => {
                let (slide, angle) = (random.within(-1.0, 1.0), random.within(-3.0, 3.0));
                let (axis, point) = (unit_along(random.vector(1.0)), middle + random.vector(1.0));
                Screw::about(start, axis, point, slide, angle).unwrap()
            }
        };
        let change = if random.below(3) == 0 { 0.0 } else { random.within(-2.0, 2.0) };
        Self { screw, rate: random.within(-1.5, 1.5), change }
    }

    fn pose_at(&self, time: f64) -> Pose {
        self.screw.pose_at(time * (self.rate + time * self.change))
    }

    fn state_at(&self, a: &PreparedMesh, time: f64) -> MotionState {
        let fraction = time * (self.rate + time * self.change);
        let speed = self.rate + 2.0 * time * self.change;
        let pose = self.screw.pose_at(fraction);
        let centre = pose.transform_point(a.mesh().centre());
        MotionState {
            pose,
            velocity: speed * self.screw.velocity_at(centre, fraction),
            spin: speed * self.screw.omega(),
        }
    }

    /// Bounds for times from 0 to 1.
    fn bounds(&self, a: &PreparedMesh) -> MotionBounds {
        let arm = self.screw.start_rotation() * a.mesh().centre();
        let across = self.screw.velocity_across_at(arm).length() + self.screw.angle() * a.mesh().radius();
        let speed = self.rate.abs() + 2.0 * self.change.abs();
        let change = self.screw.angle() * across * speed * speed
            + 2.0 * self.change.abs() * across.hypot(self.screw.slide());
        // Of the path itself, per fraction of the screw.
        let across_speed = self.screw.angle() * across;
        let jerk = self.screw.angle() * across_speed * speed.powi(3)
            + 6.0 * across_speed * speed * self.change.abs();
        MotionBounds { change, jerk, rounding: 1e-13, velocity_rounding: 1e-13 }
    }

    /// The motion of B relative to A.
    fn seen_from_a(&self) -> Self {
        Self { screw: self.screw.inverse(), ..*self }
    }

    fn fastest(&self, a: &PreparedMesh) -> f64 {
        let arm = self.screw.start_rotation() * a.mesh().centre();
        let across = self.screw.velocity_across_at(arm).length() + self.screw.angle() * a.mesh().radius();
        (self.rate.abs() + 2.0 * self.change.abs()) * across.hypot(self.screw.slide())
    }
}

fn body(raw: &RawMesh) -> PreparedMesh {
    PreparedMesh::new(mesh(raw))
}

/// Bent grids of triangles, finer than the other shapes.
fn shapes(random: &mut Random) -> [RawMesh; 2] {
    let mut one = || {
        let mut raw = shape(random);
        let (scale, far) =
            ([1.0, 1.0, 0.1][random.below(3)], [DVec3::ZERO, random.vector(3.0)][random.below(2)]);
        raw.0.iter_mut().for_each(|p| *p = scale * *p + far);
        raw
    };
    [one(), one()]
}

#[test]
fn surfaces_stay_separated_until_the_time_of_the_front() {
    let search = &mut GapSearch::default();
    let mut front = Front::default();
    let (mut reached, mut near, mut checked, mut resumed) = (0, 0, 0, 0);
    for seed in 0..cases(300, 1500) {
        let random = &mut Random(seed);
        let [a, b] = shapes(random).map(|raw| body(&raw));
        let motion = Motion::random(random, PreparedPair::new(&a, &b), 1.5);
        let back = motion.seen_from_a();
        let (state_at, state_of_b) = (|time| motion.state_at(&a, time), |time| back.state_at(&b, time));
        let of_a = BoundedMotionFn { state_at: &state_at, bounds: motion.bounds(&a) };
        // Some motions are given relative to both bodies.
        let of_b = (random.below(3) > 0)
            .then_some(BoundedMotionFn { state_at: &state_of_b, bounds: back.bounds(&b) });
        let front_motion = FrontMotion { bodies: PreparedPair::new(&a, &b), a: of_a, b: of_b };
        let min_step = power(random, -6.0, -2.0);
        let goal = SeparationGoal { distance: [0.0, 1e-9, 1e-3, 0.05][random.below(4)], min_step };
        front.start(0.0, 1.0);
        let mut gap_at = |time: f64| gap(search, &a, &b, &motion.pose_at(time), &GapLimits::EXACT);
        let mut now = 0.0;
        for leg in 0..12 {
            let until =
                front.separated_until(&front_motion, now, &goal, &mut Budget::new(1_000_000)).unwrap();
            assert!((now..=1.0).contains(&until), "seed {seed}: {now} {until}");
            for i in 0..=10 {
                if until == now {
                    break;
                }
                let time = now + (until - now) * (f64::from(i) + 0.999 * random.within(0.0, 1.0)) / 11.0;
                let found = gap_at(time);
                checked += 1;
                assert!(
                    found.upper >= goal.distance,
                    "seed {seed}: {} at {time} of {now} {until}",
                    found.upper
                );
                assert!(found.upper > 0.0, "seed {seed}: they meet at {time} of {now} {until}");
            }
            if until >= 1.0 {
                break;
            }
            // The front stops only if some triangles are about to come within the distance.
            reached += 1;
            let close = goal.distance
                + 2.0 * min_step * (motion.fastest(&a) + min_step * front_motion.a.bounds.change);
            near += i32::from(gap_at(until).lower <= close + 1e-9);
            resumed += i32::from(leg > 0);
            // Skipping times does not invalidate later proofs.
            now = (until + power(random, -4.0, -0.5)).min(1.0);
        }
    }
    assert!(checked > 600 && reached > 180 && resumed > 150, "{checked} {reached} {resumed}");
    assert_eq!(near, reached);
}

#[test]
fn a_front_costs_little_if_bodies_are_far_from_each_other() {
    let (a, b) = (body(&box_of(DVec3::ONE)), body(&box_of(DVec3::ONE)));
    let start = Pose::from_position(DVec3::new(0.0, 0.0, 4.0)).unwrap();
    let screw = Screw::translation(start, DVec3::new(3.0, 0.0, -2.0));
    let motion = Motion { screw, rate: 1.0, change: 0.0 };
    let state_at = |time: f64| motion.state_at(&a, time);
    let bounded_motion = BoundedMotionFn { state_at: &state_at, bounds: motion.bounds(&a) };
    let front_motion = FrontMotion { bodies: PreparedPair::new(&a, &b), a: bounded_motion, b: None };
    let mut front = Front::default();
    front.start(0.0, 1.0);
    let (mut budget, goal) = (Budget::new(1), SeparationGoal { distance: 0.1, min_step: 1e-6 });
    assert_eq!(front.separated_until(&front_motion, 0.0, &goal, &mut budget), Ok(1.0));
    assert_eq!(budget.remaining(), 0);
    // If the budget does not suffice, the times proven until then are kept.
    let screw = Screw::translation(start, DVec3::new(0.0, 0.0, -3.5));
    let motion = Motion { screw, ..motion };
    let state_at = |time: f64| motion.state_at(&a, time);
    let bounded_motion = BoundedMotionFn { state_at: &state_at, bounds: motion.bounds(&a) };
    let front_motion = FrontMotion { bodies: PreparedPair::new(&a, &b), a: bounded_motion, b: None };
    front.start(0.0, 1.0);
    assert!(front.separated_until(&front_motion, 0.0, &goal, &mut Budget::new(2)).is_err());
    let known = front.proven_until();
    let until = front.separated_until(&front_motion, known, &goal, &mut Budget::new(100_000)).unwrap();
    // The gap is 3 m, the required distance 0.1 m, the speed 3.5 m/s.
    assert!(known <= until && (until - 2.9 / 3.5).abs() < 2e-6, "{known} {until}");
}

/// A long blade that rotates past a pin: along a static direction, the far end of the blade approaches fast.
#[test]
fn a_direction_that_rotates_with_a_blade_needs_few_steps() {
    let blade = body(&box_of(DVec3::new(1.0, 1e-3, 1e-3)));
    let pin = body(&box_of(DVec3::splat(1e-3)));
    // The blade rotates about the pin.
    let at = |angle: f64| {
        let rotation = DQuat::from_rotation_z(angle);
        Pose::new(rotation * DVec3::new(0.1, -4e-3, 0.0), rotation).unwrap()
    };
    let screw = Screw::about(at(0.0), DVec3::Z, DVec3::ZERO, 0.0, 1.0).unwrap();
    let steps = |PreparedPair { a, b }: PreparedPair<'_>, motion: &Motion, is_known_from_both: bool| {
        let back = motion.seen_from_a();
        let (state_at, state_of_b) = (|time| motion.state_at(a, time), |time| back.state_at(b, time));
        let of_a = BoundedMotionFn { state_at: &state_at, bounds: motion.bounds(a) };
        let of_b =
            is_known_from_both.then_some(BoundedMotionFn { state_at: &state_of_b, bounds: back.bounds(b) });
        let front_motion = FrontMotion { bodies: PreparedPair::new(a, b), a: of_a, b: of_b };
        let (mut front, mut budget) = (Front::default(), Budget::new(1_000_000));
        front.start(0.0, 1.0);
        let goal = SeparationGoal { distance: 1e-3, min_step: 1e-9 };
        assert_eq!(front.separated_until(&front_motion, 0.0, &goal, &mut budget), Ok(1.0));
        1_000_000 - budget.remaining()
    };
    let motion = Motion { screw, rate: 1.0, change: 0.0 };
    let [one, both] = [false, true].map(|known| steps(PreparedPair::new(&blade, &pin), &motion, known));
    assert!(4 * both < one, "{one} {both}");
}

#[test]
fn nothing_is_proven_if_no_acceleration_is_known() {
    let (a, b) = (body(&box_of(DVec3::ONE)), body(&box_of(DVec3::ONE)));
    let pose = Pose::from_position(DVec3::new(0.0, 0.0, 4.0)).unwrap();
    for change in [f64::INFINITY, f64::NAN] {
        let state_at = |_: f64| MotionState { pose, velocity: DVec3::ZERO, spin: DVec3::ZERO };
        let bounds = MotionBounds { change, jerk: f64::INFINITY, rounding: 0.0, velocity_rounding: 0.0 };
        let front_motion = FrontMotion {
            bodies: PreparedPair::new(&a, &b),
            a: BoundedMotionFn { state_at: &state_at, bounds },
            b: None,
        };
        let mut front = Front::default();
        front.start(0.0, 1.0);
        let goal = SeparationGoal { distance: 0.0, min_step: 1e-6 };
        assert_eq!(front.separated_until(&front_motion, 0.25, &goal, &mut Budget::new(1000)), Ok(0.25));
    }
}

/// A relative motion in an arbitrary frame: only its bounds matter.
fn bounds(change: f64) -> RelativeState {
    let state = MotionState { pose: Pose::IDENTITY, velocity: DVec3::ZERO, spin: DVec3::ZERO };
    let cube = body(&box_of(DVec3::ONE));
    RelativeState::new(
        PreparedPair::new(&cube, &cube),
        &state,
        &MotionBounds { change, jerk: f64::INFINITY, rounding: 0.0, velocity_rounding: 0.0 },
    )
}

#[test]
fn an_edge_passes_through_until_the_returned_time_for_any_accelerations_of_its_corners() {
    let (mut proven, mut longer, mut checked) = (0, 0, 0);
    for seed in 0..cases(10_000, 60_000) {
        let random = &mut Random(seed);
        let thin = if random.below(3) == 0 { power(random, -4.0, 0.0) } else { 1.0 };
        let corner = |random: &mut Random, moves: bool| {
            let at = random.vector(1.0) * DVec3::new(1.0, 1.0, thin);
            MovingPoint { at, velocity: if moves { random.vector(2.0) } else { DVec3::ZERO } }
        };
        let edge_moves = random.below(2) == 0;
        let edge = [0; 2].map(|_| corner(random, edge_moves));
        let face = [0; 3].map(|_| corner(random, !edge_moves));
        let change = [0.0, 1.0, 30.0][random.below(3)];
        let step = passes_through_for(&edge, &face, &bounds(change));
        let margin = edge_margin(edge.map(|c| c.at), &face.map(|c| c.at));
        let fastest = edge.iter().chain(&face).map(|c| c.velocity.length()).fold(0.0, f64::max);
        if change == 0.0 && margin > 1e-9 {
            // Never less than by the margin, and usually more.
            assert!(step >= 0.999_999 * (margin - 1e-10) / fastest, "seed {seed}: {step} {margin}");
            longer += i32::from(step > 1.5 * margin / fastest);
        }
        if step <= 0.0 {
            continue;
        }
        proven += 1;
        for _ in 0..10 {
            let (time, pull) = (step.min(100.0) * random.within(0.0, 1.0), unit_along(random.vector(1.0)));
            // The moving corners are all accelerated in one direction, or each in its own.
            let alike = random.below(2) == 0;
            let mut later = |c: &MovingPoint, moves: bool| {
                let pull = if alike { pull } else { unit_along(random.vector(1.0)) };
                let pull = if moves { 0.5 * change * time * time * pull } else { DVec3::ZERO };
                c.at + time * c.velocity + pull
            };
            let [p, q] = [0, 1].map(|i| later(&edge[i], edge_moves));
            let face = [0, 1, 2].map(|i| later(&face[i], !edge_moves));
            checked += 1;
            assert!(triangles_intersect(&[p, q, q], &face), "seed {seed}: apart at {time} of {step}");
        }
    }
    assert!(proven > 250 && longer > 60 && checked > 2_500, "{proven} {longer} {checked}");
}

/// Boxes, some with a corner cut off, tetrahedra and prisms.
fn convex(random: &mut Random) -> RawMesh {
    let size = DVec3::new(1.0, power(random, -2.0, 0.0), power(random, -2.0, 0.0));
    let mut raw = box_of(size);
    match random.below(3) {
        0 => {}
        1 => raw.0.iter_mut().filter(|p| p.z > 0.0).for_each(|p| *p *= DVec3::new(0.5, 0.3, 1.0)),
        _ => {
            let corners = [0; 4].map(|_| random.vector(1.0)).to_vec();
            raw = (corners, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]);
        }
    }
    let rotation = rotation(random);
    raw.0.iter_mut().for_each(|p| *p = rotation * *p);
    raw
}

#[test]
fn a_vertex_stays_inside_until_the_returned_time() {
    let (mut proven, mut checked, mut deepest) = (0, 0, 0);
    for seed in 0..cases(1000, 3000) {
        let random = &mut Random(seed);
        let [raw, _] = shapes(random);
        let [a, b] = [body(&raw), body(&convex(random))];
        let Some(planes) = Planes::of(&b) else { panic!("seed {seed}: that is convex") };
        let motion = Motion::random(random, PreparedPair::new(&a, &b), 0.5);
        let start = random.within(0.0, 0.5);
        let state = motion.state_at(&a, start);
        let state_of_a = RelativeState::new(PreparedPair::new(&a, &b), &state, &motion.bounds(&a));
        let heights = a.mesh().triangles().iter().flatten().map(|v| {
            let place = state.pose.transform_point(a.mesh().vertex(*v));
            height(b.mesh(), place)
        });
        let deep = heights.fold(f64::INFINITY, f64::min);
        let found = planes.deepest(&a, &state_of_a);
        assert!(found.is_some() || deep > -1e-9, "seed {seed}: {deep}");
        let Some(vertex) = found else { continue };
        let own = height(b.mesh(), state.pose.transform_point(a.mesh().vertex(vertex)));
        assert!(own < 0.0, "seed {seed}: it is outside");
        deepest += i32::from((own - deep).abs() < 1e-9);
        let pieces = Pieces::new(a.mesh());
        let surface = MeshSurface { body: &a, pieces: &pieces };
        let step = planes.intersecting_for(&surface, vertex, &state_of_a).min(1.0 - start);
        if step <= 0.0 {
            continue;
        }
        proven += 1;
        for _ in 0..5 {
            let pose = motion.pose_at(start + step * random.within(0.0, 1.0));
            checked += 1;
            assert!(intersect(a.mesh(), b.mesh(), &pose), "seed {seed}: apart within {step}");
        }
    }
    assert!(proven > 20 && checked > 100 && deepest > 60, "{proven} {checked} {deepest}");
}

/// A closed body with a dent, or two such bodies side by side.
fn dented(random: &mut Random) -> RawMesh {
    let mut raw = box_of(DVec3::ONE);
    raw.0[7] *= random.within(-0.5, 0.9);
    raw.0.iter_mut().for_each(|p| *p += 0.05 * random.vector(1.0));
    if random.below(3) == 0 {
        let count = u32::try_from(raw.0.len()).unwrap();
        let (points, faces) = raw.clone();
        raw.0.extend(points.iter().map(|p| *p + 1.6 * DVec3::X));
        raw.1.extend(faces.iter().map(|face| face.map(|v| v + count)));
    }
    raw
}

#[test]
fn points_stay_on_both_sides_until_the_returned_time() {
    let (mut proven, mut again, mut checked, mut long) = (0, 0, 0, 0);
    for seed in 0..cases(1000, 4000) {
        let random = &mut Random(seed);
        let [raw, _] = shapes(random);
        let [a, b] = [body(&raw), body(&dented(random))];
        let motion = Motion::random(random, PreparedPair::new(&a, &b), 0.5);
        let start = random.within(0.0, 0.5);
        let pieces = Pieces::new(a.mesh());
        let surface = MeshSurface { body: &a, pieces: &pieces };
        let relative_states_at = |time: f64| {
            RelativeState::new(PreparedPair::new(&a, &b), &motion.state_at(&a, time), &motion.bounds(&a))
        };
        let Some((points, step)) = longest_witness(&surface, &b, &relative_states_at(start)) else {
            continue;
        };
        proven += 1;
        let step = step.min(1.0 - start);
        assert!(
            step > 0.0 && points.intersecting_for(&b, &relative_states_at(start)).min(1.0 - start) == step,
            "seed {seed}"
        );
        for _ in 0..5 {
            let pose = motion.pose_at(start + step * random.within(0.0, 1.0));
            checked += 1;
            assert!(intersect(a.mesh(), b.mesh(), &pose), "seed {seed}: apart within {step}");
        }
        // The same points at a later time.
        let later = random.within(start, 1.0);
        let step = points.intersecting_for(&b, &relative_states_at(later)).min(1.0 - later);
        if step > 0.0 {
            again += 1;
            let fraction = random.within(0.9, 1.0);
            assert!(
                intersect(a.mesh(), b.mesh(), &motion.pose_at(later + fraction * step)),
                "seed {seed}, later"
            );
        }
        long += i32::from(step > 0.05);
    }
    assert!(proven > 50 && again > 15 && checked > 250 && long > 1, "{proven} {again} {checked} {long}");
}

#[test]
fn open_surfaces_have_no_sides() {
    let mut open = box_of(DVec3::ONE);
    open.1.pop();
    let [a, b] = [body(&box_of(DVec3::splat(0.4))), body(&open)];
    let pieces = Pieces::new(a.mesh());
    let surface = MeshSurface { body: &a, pieces: &pieces };
    let state_at = |x: f64| MotionState {
        pose: Pose::from_position(DVec3::new(x, 0.05, 0.03)).unwrap(),
        velocity: DVec3::X,
        spin: DVec3::ZERO,
    };
    let bounds = MotionBounds { change: 0.0, jerk: 0.0, rounding: 1e-13, velocity_rounding: 1e-13 };
    let whole = body(&box_of(DVec3::ONE));
    for (x, meets) in [(0.0, false), (0.5, true), (1.5, false)] {
        let found = |body: &PreparedMesh| {
            longest_witness(
                &surface,
                body,
                &RelativeState::new(PreparedPair::new(&a, body), &state_at(x), &bounds),
            )
        };
        assert_eq!(found(&whole).is_some(), meets, "{x}");
        assert_eq!(found(&b), None);
    }
}

/// The maximum height of a point above the faces of a convex mesh.
fn height(mesh: &Mesh, place: DVec3) -> f64 {
    let middle = mesh.triangles().iter().flatten().map(|v| mesh.vertex(*v)).sum::<DVec3>()
        / (3 * mesh.triangles().len()) as f64;
    let above = mesh.triangles().iter().map(|face| {
        let [p, q, r] = face.map(|v| mesh.vertex(v));
        let normal = unit_along((q - p).cross(r - p));
        let outward = if normal.dot(middle - p) > 0.0 { -normal } else { normal };
        outward.dot(place - p)
    });
    above.fold(f64::NEG_INFINITY, f64::max)
}

/// Every pair of triangles.
fn intersect(a: &Mesh, b: &Mesh, pose: &Pose) -> bool {
    let moved = |face: &[u32; 3]| face.map(|v| pose.transform_point(a.vertex(v)));
    let fixed = |face: &[u32; 3]| face.map(|v| b.vertex(v));
    a.triangles().iter().any(|x| b.triangles().iter().any(|y| triangles_intersect(&moved(x), &fixed(y))))
}

#[test]
fn only_closed_convex_bodies_have_planes() {
    let whole = box_of(DVec3::ONE);
    let planes = |raw: &RawMesh| Planes::of(&body(raw));
    assert!(planes(&whole).is_some());
    let mut open = whole.clone();
    open.1.pop();
    assert!(planes(&open).is_none());
    // A dented surface, two copies of one surface, and a mesh without volume.
    let mut dented = whole.clone();
    dented.0[7] *= 0.1;
    assert!(planes(&dented).is_none());
    let mut twice = whole.clone();
    twice.1.extend(whole.1.iter().copied());
    assert!(planes(&twice).is_none());
    let mut flat = whole;
    flat.0.iter_mut().for_each(|p| p.z = 0.0);
    assert!(planes(&flat).is_none());
}
