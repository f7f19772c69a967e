//! Contacts of sets attached to carriers through several keys. The test checks their start, their place on both
//! bodies, their normal by the nearest points shortly before, and the approach speed for every kind of pair.

use std::sync::Arc;

use chasles::{
    CheckOptions, CollisionShape, Mesh, PairReport, PreparedMesh, Primitive, Scene, SceneBody, SceneContact,
};
use chasles_testing::Random;
use chasles_testing::meshes::torus;
use glam::DVec3;

use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::shapes::figure_cases::{Ride, ride};
use crate::shapes::solid_cases::{scene, target, way};

/// Maximum width of enclosures, as a fraction of the duration. One of two hundred may be wider, up to the second
/// fraction: if surfaces without an interior cross at a small angle.
const SHARP: f64 = 1e-6;
const NEARLY: f64 = 5e-3;

/// Normals that differ by at most this angle, in radians, count as equal. One of a thousand may differ by more, up to
/// the second angle: at edges where faces of several parts coincide.
const ALIKE: f64 = 0.02;
const ABOUT: f64 = 0.3;

/// A fraction of a second of work; following the contact further may take much more.
const BUDGET: u64 = 300_000;

/// The report about the first listed pair; `None` if all pairs are clear.
fn report(scene: &Scene, options: &CheckOptions) -> Option<PairReport> {
    let options = CheckOptions { budget: BUDGET, ..*options };
    scene.check(&options, &()).unwrap().pairs.first().cloned()
}

/// Numbers of tested cases.
#[derive(Debug, Default)]
struct Counts {
    begins: Counter,
    compared: Counter,
    oblique: Counter,
    off: Counter,
    wide: Counter,
    doubts: Counter,
}

/// The contact normal from nearest points at two gaps shortly before a time. `None` if the two directions disagree, or
/// the nearest points are not at the place.
fn normal_before(ride: &Ride, time: f64, point: DVec3) -> Option<DVec3> {
    let mut step = 1e-9 * ride.duration;
    let mut seen = Vec::new();
    for least in [10.0 * ride.epsilon, 40.0 * ride.epsilon] {
        let near = loop {
            if time <= step {
                return None;
            }
            let near = ride.nearest(time - step);
            if near.gap >= least {
                break near;
            }
            step *= 1.5;
        };
        let middle = 0.5 * (near.points[0] + near.points[1]);
        if near.gap > 2.0 * least || middle.distance(point) > 1e3 * ride.epsilon {
            return None;
        }
        seen.push(near.way);
    }
    (seen[0].angle_between(seen[1]) < 0.5 * ALIKE).then_some(seen[0])
}

/// The velocity of a point of the first body relative to the second, by a difference over a short time.
fn velocity(ride: &Ride, time: f64, point: DVec3) -> DVec3 {
    let step = 1e-6 * ride.duration;
    let ways = [0, 1].map(|body| {
        let own = ride.frame(body, time).back(point);
        // The difference is taken forwards, so that no key lies in between.
        (ride.frame(body, time + step).out(own) - point) / step
    });
    ways[0] - ways[1]
}

fn hold(ride: &Ride, report: &PairReport, counts: &Counts) -> Wrong {
    let mut wrong = Wrong::new();
    for interval in &report.intervals {
        let [lo, hi] = interval.enter;
        if lo <= 0.0 {
            continue;
        }
        counts.begins.add();
        let is_doubtful = report.undecided.iter().any(|[from, to]| *from < hi && hi <= *to);
        counts.doubts.add_if(is_doubtful);
        counts.wide.add_if(hi - lo > SHARP * ride.duration && !is_doubtful);
        if hi - lo > NEARLY * ride.duration && !is_doubtful {
            wrong.push(format!("the begin is wide, and nothing says why: [{lo}, {hi}]"));
        }
        let Some(SceneContact { contact, velocity: told, .. }) = interval.contact else {
            if !is_doubtful {
                wrong.push(format!("no contact at {hi}"));
            }
            continue;
        };
        let off = [0, 1].map(|body| ride.level(body, lo, contact.point).abs());
        if off[0].max(off[1]) > 3.0 * ride.epsilon {
            wrong.push(format!("the place at {lo} is {off:?} off"));
        }
        let told = told.unwrap();
        if (contact.approach_speed - told.dot(contact.normal)).abs() > 1e-12 * told.length() {
            wrong.push(format!("{contact:?} beside {told}"));
        }
        let truth = velocity(ride, lo, contact.point);
        if hi + 1e-5 * ride.duration < ride.duration && truth.distance(told) > 1e-3 * (1.0 + truth.length()) {
            wrong.push(format!("the velocity is {truth}, not {told}"));
        }
        if contact.approach_speed < -1e-3 * (1.0 + told.length()) {
            wrong.push(format!("they approach at {} m/s", contact.approach_speed));
        }
        if let Some(normal) = normal_before(ride, lo, contact.point) {
            counts.compared.add();
            counts.oblique.add_if(normal.dot(told) < 0.9 * told.length());
            let off = normal.angle_between(contact.normal);
            counts.off.add_if(off > ALIKE);
            if off > ABOUT {
                wrong.push(format!("the normal is {normal}, not {}: {off} rad at {hi}", contact.normal));
            }
        }
    }
    if !wrong.is_empty() {
        wrong.push(format!("{report:?}"));
        wrong.push(ride.description());
    }
    wrong
}

#[test]
fn riders_meet_sharply_at_a_place_of_both_and_along_the_way_between_nearest_points() {
    let counts = Counts::default();
    for_all(fewer(150, 2), |seed| {
        let ride = ride(&mut Random(7_000_000 + seed));
        let report = report(&ride.scene(), &CheckOptions::default());
        report.map_or_else(Wrong::new, |report| hold(&ride, &report, &counts))
    });
    println!("{counts:?}");
    let Counts { begins, compared, oblique, off, wide, doubts } = &counts;
    assert!(1000 * off.get() <= compared.get() && 200 * wide.get() <= begins.get(), "{counts:?}");
    assert!(begins.get() > 18 && 10 * compared.get() > 9 * begins.get(), "{counts:?}");
    assert!(2 * oblique.get() > compared.get() && 20 * doubts.get() < begins.get(), "{counts:?}");
}

/// A random body of any kind.
fn any_shape(random: &mut Random) -> (CollisionShape, bool) {
    let mesh = |(points, faces)| {
        CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points, faces).unwrap())))
    };
    let (radius, height) = (random.within(0.1, 0.4), random.within(0.2, 0.8));
    let primitive = |primitive| CollisionShape::primitive(primitive).unwrap();
    let shape = match random.below(10) {
        0 => mesh(torus(0.4, 0.15, (12, 8))),
        1 => mesh(crate::cases::l_shape(0.4, 0.5)),
        2 => primitive(Primitive::Box { size: DVec3::new(radius, height, 0.5) }),
        3 => primitive(Primitive::Sphere { radius }),
        4 => primitive(Primitive::Cylinder { radius, height }),
        5 => primitive(Primitive::Cone { radius, height }),
        6 => primitive(Primitive::Capsule { radius, height }),
        _ => return (target(random).shape, false),
    };
    (shape, random.one_in(2))
}

#[test]
fn starts_are_sharp_and_the_approach_speed_is_the_velocity_along_the_normal_whatever_meets() {
    let [seen, starts, wide] = [(); 3].map(|()| Counter::default());
    for_all(fewer(150, 2), |seed| {
        let random = &mut Random(8_000_000 + seed);
        let duration = 10.0_f64.powf(random.within(-0.5, 0.5));
        let mut body = || {
            let (shape, solid) = any_shape(random);
            let (name, motion) = (String::from("body"), way(random, duration).1);
            SceneBody { name, shape: Some(shape), motion, parent: None, group: None, solid }
        };
        let bodies = vec![SceneBody { name: "first".into(), ..body() }, body()];
        let scene = scene(bodies, duration, 1e-5);
        let all = CheckOptions { all_contacts: true, ..CheckOptions::default() };
        let Some(report) = report(&scene, &all) else { return Wrong::new() };
        let mut wrong = Wrong::new();
        for interval in &report.intervals {
            let [lo, hi] = interval.enter;
            let is_doubtful = report.undecided.iter().any(|[from, to]| *from < hi && hi <= *to);
            starts.add();
            wide.add_if(hi - lo > SHARP * duration && !is_doubtful);
            if hi - lo > NEARLY * duration && !is_doubtful {
                wrong.push(format!("the start is wide, without a reason: [{lo}, {hi}]"));
            }
            for SceneContact { contact, velocity, .. } in interval.contacts.iter().chain(&interval.contact) {
                let (time, velocity) = (contact.time[1], velocity.unwrap());
                // The difference is taken forwards, so that no key lies in between.
                let step = 1e-6 * duration;
                let [of_a, of_b] = [0, 1].map(|body| {
                    let own = scene.pose_at(body, time).inverse().transform_point(contact.point);
                    (scene.pose_at(body, time + step).transform_point(own) - contact.point) / step
                });
                let truth = of_a - of_b;
                let slack = 1e-3 * (1.0 + truth.length());
                let speed = contact.approach_speed;
                if (speed - velocity.dot(contact.normal)).abs() > 1e-12 * velocity.length() {
                    wrong.push(format!("{contact:?} beside {velocity}"));
                }
                if time + 10.0 * step < duration && (speed - truth.dot(contact.normal)).abs() > slack {
                    wrong.push(format!("{contact:?}, though the velocity is {truth}"));
                }
                seen.add();
            }
        }
        wrong
    });
    assert!(seen.get() > 18 && 200 * wide.get() <= starts.get(), "{seen:?} {starts:?} {wide:?}");
}
