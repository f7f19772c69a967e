//! Two meshes, one of which moves along a screw.

use std::f64::consts::PI;
use std::io;

use chasles::{Mesh, Options, Outcome, Pose, Screw, first_contact};
use chasles_testing::Random;
use glam::{DQuat, DVec3};
use serde_json::{Map, Value, json};

use crate::body::{Body, Factor};
use crate::certify::{FeatureKinds, Question, add_near_miss_bound, certify};
use crate::cover::first_time;
use crate::set::{Set, rounded};
use crate::shapes::{Raw, bumpy_sphere, cuboid, l_shape, needle, thread, torus};

/// The motion of A relative to its first pose, as a problem specifies it.
#[derive(Debug, Clone, Copy)]
struct Motion {
    position: DVec3,
    rotation: DQuat,
    axis: DVec3,
    point: DVec3,
    slide: f64,
    angle: f64,
}

impl Motion {
    /// The motion whose body's origin is at `place` at time `when`.
    fn through(
        place: DVec3,
        rotation: DQuat,
        when: f64,
        [axis, point]: [DVec3; 2],
        [slide, angle]: [f64; 2],
    ) -> Self {
        let back = DQuat::from_axis_angle(axis, -when * angle);
        let position = point + back * (place - point) - when * slide * axis;
        Self { position, rotation: (back * rotation).normalize(), axis, point, slide, angle }
    }

    /// A pure translation by `displacement`.
    fn sliding(position: DVec3, rotation: DQuat, displacement: DVec3) -> Self {
        let (axis, slide) = (displacement.normalize(), displacement.length());
        Self { position, rotation, axis, point: DVec3::ZERO, slide, angle: 0.0 }
    }

    fn shifted(self, by: DVec3) -> Self {
        Self { position: self.position + by, point: self.point + by, ..self }
    }

    fn body(&self, raw: &Raw) -> Body {
        let turning = Factor::Helix {
            axis: self.axis,
            point: self.point,
            angle: vec![0.0, self.angle],
            slide: vec![0.0, self.slide],
        };
        Body::carried(raw, vec![turning, Factor::Pose(self.position, self.rotation)], &[0.0, 1.0])
    }

    fn screw(&self) -> Option<Screw> {
        let pose = Pose::new(self.position, self.rotation).ok()?;
        Screw::about(pose, self.axis, self.point, self.slide, self.angle).ok()
    }

    fn put(&self, problem: &mut Map<String, Value>) {
        let q = self.rotation;
        let pose = [self.position.to_array().as_slice(), &[q.w, q.x, q.y, q.z]].concat();
        problem.insert("pose0".into(), json!(pose));
        problem.insert(
            "screw".into(),
            json!({ "s": self.axis.to_array(), "p": self.point.to_array(), "d": self.slide, "b": self.angle }),
        );
    }
}

/// Two meshes with their names in the set.
struct Pair {
    names: [String; 2],
    raws: [Raw; 2],
    bodies: [chasles::PreparedMesh; 2],
    /// The maximum number of nodes of a certificate.
    budget: usize,
}

impl Pair {
    fn new(set: &Set, a: (&str, Raw), b: (&str, Raw)) -> io::Result<Self> {
        let ((first, raw_a), (second, raw_b)) = (set.mesh(a.0, a.1)?, set.mesh(b.0, b.1)?);
        let body = |raw: &Raw| {
            let mesh = Mesh::new(raw.0.clone(), raw.1.clone()).map_err(io::Error::other)?;
            Ok::<_, io::Error>(chasles::PreparedMesh::new(mesh))
        };
        let bodies = [body(&raw_a)?, body(&raw_b)?];
        Ok(Self { bodies, names: [first, second], raws: [raw_a, raw_b], budget: 30_000 })
    }

    /// The engine's answer, as a hint.
    fn hint(&self, motion: &Motion, tolerance: Option<f64>) -> Option<Outcome> {
        let options = Options { tolerance, ..Options::default() };
        let [a, b] = &self.bodies;
        first_contact(a, b, &motion.screw()?, &options).ok().map(|p| p.outcome)
    }

    fn question(&self, motion: &Motion, hint: Option<f64>) -> Question {
        let bodies = vec![motion.body(&self.raws[0]), Body::carried(&self.raws[1], Vec::new(), &[0.0, 1.0])];
        Question { bodies, pairs: vec![[0, 1]], features: FeatureKinds::Surfaces, hint }
    }

    fn take(&self, set: &mut Set, name: &str, motion: &Motion, near_at: Option<f64>) -> bool {
        let hint = match self.hint(motion, None).filter(|_| near_at.is_none()) {
            // A little after the contact, so that the search finds it.
            Some(Outcome::Contact(contact)) => Some((contact.time[1] + 1e-6).min(1.0)),
            _ => None,
        };
        let question = self.question(motion, hint);
        let mut answer = certify(&question, self.budget);
        if let Some(t) = near_at {
            add_near_miss_bound(&question, &mut answer, t, 1e-4);
        }
        let word = answer.as_ref().map_or("graze", |c| match c["verdict"].as_str() {
            Some("clear") => "miss",
            Some("touching") => "touch",
            _ => "graze",
        });
        let [a, b] = &self.names;
        let mut problem = Map::from_iter([("name".to_owned(), json!(name.replace('?', word)))]);
        problem.extend([("a".to_owned(), json!({ "mesh": a })), ("b".to_owned(), json!({ "mesh": b }))]);
        motion.put(&mut problem);
        set.take("screws", &Value::from(problem), answer)
    }
}

/// A motion past the origin: at some time the bodies' centres are within `reach` of each other.
fn sweep(random: &mut Random, reach: f64, axis_distance: f64, angle: f64) -> Motion {
    let axis = random.direction();
    let place = random.direction() * random.within(0.0, reach);
    let point = place + random.direction() * axis_distance;
    let slide = random.within(-2.5, 2.5);
    Motion::through(place, random.rotation(), random.within(0.3, 0.9), [axis, point], [slide, angle])
}

/// Finds a shift along a direction after which A just passes B, and the time of that. `None` if the bodies touch in
/// another way, or never.
fn graze(pair: &Pair, motion: &Motion, mut along: DVec3) -> Option<(Motion, DVec3, f64)> {
    let mut motion = *motion;
    let mut time = 0.0;
    for reach in [6.0, 0.05] {
        let (mut hit, mut free) = (0.0, reach);
        let contact = |shift: f64| match pair.hint(&motion.shifted(shift * along), Some(1e-15)) {
            Some(Outcome::Contact(contact)) => Some(Some(contact)),
            Some(Outcome::Overlapping(_)) | None => None,
            Some(_) => Some(None),
        };
        let mut normal = contact(hit)??.normal;
        if contact(free)?.is_some() {
            return None;
        }
        for _ in 0..60 {
            let middle = 0.5 * (hit + free);
            match contact(middle)? {
                Some(c) => (hit, normal, time) = (middle, c.normal, c.time[1]),
                None => free = middle,
            }
        }
        // The normal points from A to B, so the way out is its opposite. The next round searches along it, starting
        // slightly inside.
        let next = -normal;
        motion = motion.shifted(hit * along - if reach > 1.0 { 1e-3 * next } else { DVec3::ZERO });
        along = next;
    }
    // The engine may leave such a case undecided because of rounding; our own search is finer.
    let [mut hit, mut free] = [-1e-8, 1e-8];
    let meets = |shift: f64| {
        let q = pair.question(&motion.shifted(shift * along), None);
        first_time(&q.bodies[0], &q.bodies[1], 1.0, 100_000).ok().map(|t| t.is_some())
    };
    if !meets(hit)? || meets(free)? {
        return None;
    }
    for _ in 0..22 {
        let middle = 0.5 * (hit + free);
        if meets(middle)? { hit = middle } else { free = middle }
    }
    (0.05 < time && time < 0.95).then_some((motion.shifted(hit * along), along, time))
}

/// Problems of all kinds, `count` of each, with meshes of 12 to 1000 triangles.
///
/// # Errors
/// A file cannot be written.
pub fn small(set: &mut Set, seed: u64, count: usize) -> io::Result<()> {
    let random = &mut Random(seed);
    let sphere = |random: &mut Random, n: u32| rounded(bumpy_sphere(random, n), 4);
    let [l, needles] = [l_shape(DVec3::ONE), needle(3.0, 0.125)];
    let cube = cuboid(DVec3::ONE);
    let pairs = [
        ("cube", Pair::new(set, ("cube", cube.clone()), ("cube", cube.clone()))?),
        ("lshape", Pair::new(set, ("lshape", l.clone()), ("lshape", l.clone()))?),
        ("needle", Pair::new(set, ("needle", needles.clone()), ("needle", needles))?),
        ("torus", Pair::new(set, ("torus", rounded(torus(128), 4)), ("torus", rounded(torus(128), 4)))?),
        ("sphere", Pair::new(set, ("bumps", sphere(random, 200)), ("lshape", l))?),
    ];
    for (kind, pair) in &pairs {
        let mut made = 0;
        for number in 0..8 * count {
            let angle = random.within(-PI, PI);
            let distance = random.within(0.0, 3.0);
            let motion = sweep(random, 2.2, distance, angle);
            // Many motions start in overlap, and only some of them are kept.
            if number % 4 > 0 && matches!(pair.hint(&motion, None), Some(Outcome::Overlapping(_))) {
                continue;
            }
            let taken = pair.take(set, &format!("{kind}_{number}"), &motion, None);
            made += usize::from(taken);
            if made == count {
                break;
            }
        }
    }
    let cubes = &pairs[0].1;
    for number in 0..count {
        // Translations of boxes along the axes, in eighths, with flat contacts of faces, edges and corners.
        let displacement = DVec3::AXES[random.below(3)];
        let mut place = random.dyadic_vector(1.0);
        if number % 3 == 1 {
            // The boxes touch flush, and pass without a collision.
            place = DVec3::ONE - displacement;
        }
        let start = place - displacement * place + 3.0 * displacement;
        cubes.take(
            set,
            &format!("planar_{number}"),
            &Motion::sliding(start, DQuat::IDENTITY, -4.0 * displacement),
            None,
        );
        let tilt = DQuat::from_axis_angle(random.direction(), 10.0_f64.powi(-1 - random.below(9) as i32));
        let displacement = random.direction();
        let from = 0.3 * random.vector(1.0) - 2.5 * displacement;
        let motion = Motion::sliding(from, tilt, 4.0 * displacement);
        cubes.take(set, &format!("near_parallel_{number}"), &motion, None);
        let small = 10.0_f64.powi(-3 - random.below(10) as i32);
        let motion = sweep(random, 0.8, 1.0 / small, small);
        pairs[1].1.take(set, &format!("tiny_rotation_{number}"), &motion, None);
        let far = 10.0_f64.powi(2 + random.below(5) as i32);
        let arc = random.within(-4.0, 4.0);
        let motion = sweep(random, 0.8, far, arc / far);
        pairs[1].1.take(set, &format!("far_axis_{number}"), &motion, None);
        let turns = random.within(6.0, 19.0);
        let motion = sweep(random, 1.0, 0.5, turns);
        cubes.take(set, &format!("many_turns_{number}"), &motion, None);
        let axis = DVec3::AXES[random.below(3)];
        let motion = Motion::through(
            random.dyadic_vector(1.0),
            DQuat::IDENTITY,
            0.5,
            [axis, random.dyadic_vector(1.0)],
            [0.0, PI],
        );
        pairs[1].1.take(set, &format!("half_turn_{number}"), &motion, None);
    }
    offset(set, random, count)?;
    threads(set, random, 2 * count / 3)?;
    grazing(set, random, &pairs, count);
    Ok(())
}

/// Bodies far from the origin: B's mesh is far away.
fn offset(set: &mut Set, random: &mut Random, count: usize) -> io::Result<()> {
    for number in 0..count {
        let far = random.direction() * 10.0_f64.powi(3 + number as i32 % 4);
        let mut raw = cuboid(DVec3::new(1.0, 0.5, 2.0));
        raw.0.iter_mut().for_each(|p| *p += far.round());
        let name = format!("offset_{number}");
        let pair = Pair::new(set, ("lshape", l_shape(DVec3::ONE)), (&name, raw))?;
        let angle = random.within(-PI, PI);
        let motion = sweep(random, 1.0, 1.0, angle).shifted(far.round());
        pair.take(set, &format!("big_offset_{number}"), &motion, None);
    }
    Ok(())
}

/// A bolt in its nut: along the thread, and off it.
fn threads(set: &mut Set, random: &mut Random, count: usize) -> io::Result<()> {
    // Certificates of fine threads are large, so the small set has a coarse thread.
    let (around, radius) = if count > 10 { (24, 1.05) } else { (12, 1.1) };
    let bolt = rounded(thread(1.0, 0.15, 3, around), 4);
    let nut = rounded(thread(radius, 0.15, 1, around), 4);
    let mut pair = Pair::new(set, ("bolt", bolt), ("nut", nut))?;
    pair.budget = 240_000;
    for number in 0..count {
        let turn = random.within(0.1, 0.4);
        // The thread rises by 1 per revolution; with another slide it binds.
        let slip = if number % 2 == 0 { 0.0 } else { random.within(0.1, 0.3) };
        let motion = Motion {
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            axis: DVec3::Z,
            point: DVec3::ZERO,
            slide: turn + slip,
            angle: 2.0 * PI * turn,
        };
        pair.take(set, &format!("thread_{number}"), &motion, None);
    }
    Ok(())
}

/// Near misses and equally shallow hits, named by their result: double roots, or nearly so.
fn grazing(set: &mut Set, random: &mut Random, pairs: &[(&str, Pair)], count: usize) {
    for depth in [1e-3, 1e-6, 1e-9, 1e-10, 1e-11, 1e-12] {
        for (kind, pair) in pairs {
            let mut made = 0;
            for number in 0..40 * count {
                let angle = random.within(-PI, PI);
                let motion = sweep(random, 0.6, 1.5, angle);
                let Some((motion, away, time)) = graze(pair, &motion, random.direction()) else { continue };
                let name = format!("?_{depth:e}_{kind}_{number}");
                let taken = pair.take(set, &name, &motion.shifted(depth * away), Some(time))
                    && pair.take(set, &name, &motion.shifted(-depth * away), Some(time));
                made += usize::from(taken);
                if 3 * made >= count {
                    break;
                }
            }
        }
    }
}

/// Bumpy spheres and tori of several sizes, `count` motions of each size.
///
/// # Errors
/// A file cannot be written.
pub fn sizes(set: &mut Set, seed: u64, triangles: &[u32], count: usize) -> io::Result<()> {
    for n in triangles {
        let random = &mut Random(seed ^ u64::from(*n));
        let a = rounded(torus(*n / 2), 6);
        let b = rounded(bumpy_sphere(random, *n / 2), 6);
        let mut pair = Pair::new(set, (&format!("torus_{n}"), a), (&format!("bumps_{n}"), b))?;
        pair.budget = 400_000;
        let mut made = 0;
        for number in 0..4 * count {
            let angle = random.within(-PI, PI);
            let distance = random.within(0.0, 3.0);
            let motion = sweep(random, 2.0, distance, angle);
            let overlapping = matches!(pair.hint(&motion, None), Some(Outcome::Overlapping(_)));
            if !overlapping && pair.take(set, &format!("size_{n}_{number}"), &motion, None) {
                made += 1;
            }
            if made == count {
                break;
            }
        }
    }
    Ok(())
}
