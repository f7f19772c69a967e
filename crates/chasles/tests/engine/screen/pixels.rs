//! The pixel screen, compared with the proven search, and with independent motions and distances.

use crate::cases::extremes::{Meet, extreme};
use crate::cases::{self, Case, case, fewer};
use chasles::{
    Contact, ContactFeatures, Mesh, Options, PixelCollision, PixelCollisions, PixelOptions, PixelOutcome,
    Pose, PreparedMesh, Screw, all_contacts, pixel_collisions, screw_frame,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

fn pixels(a: &PreparedMesh, b: &PreparedMesh, screw: &Screw, resolution: u32) -> PixelCollisions {
    let options = PixelOptions { resolution, ..PixelOptions::default() };
    pixel_collisions(a, b, screw, &options).unwrap()
}

/// The independent computations for a moving pair.
struct Twin<'t> {
    a: &'t Mesh,
    b: &'t Mesh,
    screw: &'t Screw,
}

impl Twin<'_> {
    fn of_a(&self, vertex: u32, t: f64) -> DVec3 {
        self.screw.pose_at(t).transform_point(self.a.vertex(vertex))
    }

    /// The distance of two features at a time.
    fn gap(&self, features: ContactFeatures, t: f64) -> f64 {
        let (of_a, of_b) = (|v: u32| self.of_a(v, t), |v: u32| self.b.vertex(v));
        match features {
            ContactFeatures::VertexFace { a, b } => {
                point_triangle(of_a(a), self.b.triangles()[b as usize].map(of_b))
            }
            ContactFeatures::FaceVertex { a, b } => {
                point_triangle(of_b(b), self.a.triangles()[a as usize].map(of_a))
            }
            ContactFeatures::EdgeEdge { a, b } => segments(a.map(of_a), b.map(of_b)),
            _ => f64::INFINITY,
        }
    }

    /// How certainly a contact is between parts that matter: faces of A that move along their normal, and faces of B
    /// that move against it (the others are culled). Returns the minimum speed along the normal, as a fraction of the
    /// maximum speed; negative if a part does not matter.
    fn facing_margin(&self, contact: &Contact) -> f64 {
        let t = 0.5 * (contact.time[0] + contact.time[1]);
        let fastest = (0..)
            .zip(0..self.a.vertex_count())
            .map(|(v, _)| self.screw.velocity_at(self.of_a(v, t), t).length())
            .fold(self.screw.velocity_at(contact.point, t).length(), f64::max);
        // A triangle without area has no side.
        let area = 1e-9 * self.a.diagonal().min(self.b.diagonal()).powi(2);
        let speed_fraction = |normal: DVec3, at: DVec3| {
            let normal = if normal.length() > area { normal.normalize() } else { DVec3::ZERO };
            normal.dot(self.screw.velocity_at(at, t)) / fastest
        };
        let face_a = |face: u32, at: DVec3| {
            let [p, q, r] = self.a.triangles()[face as usize].map(|v| self.of_a(v, t));
            speed_fraction((q - p).cross(r - p), at)
        };
        let face_b = |face: u32, at: DVec3| {
            let [p, q, r] = self.b.triangles()[face as usize].map(|v| self.b.vertex(v));
            -speed_fraction((q - p).cross(r - p), at)
        };
        let faces = |mesh: &Mesh, all: &[u32]| -> Vec<u32> {
            let has = |t: &[u32; 3]| all.iter().all(|v| t.contains(v));
            (0..).zip(mesh.triangles()).filter(|(_, t)| has(t)).map(|(face, _)| face).collect()
        };
        let at = contact.point;
        let largest = |fractions: Vec<f64>| fractions.into_iter().fold(-1.0, f64::max);
        let some_a = |all: &[u32]| largest(faces(self.a, all).iter().map(|f| face_a(*f, at)).collect());
        let some_b = |all: &[u32]| largest(faces(self.b, all).iter().map(|f| face_b(*f, at)).collect());
        match contact.features {
            ContactFeatures::VertexFace { a, b } => face_b(b, at).min(some_a(&[a])),
            ContactFeatures::FaceVertex { a, b } => face_a(a, at).min(some_b(&[b])),
            ContactFeatures::EdgeEdge { a, b } => some_a(&a).min(some_b(&b)),
            _ => -1.0,
        }
    }

    /// The first guarantee, and the form of the result.
    fn check_each(&self, answer: &PixelCollisions, what: &str) {
        let (p, mut last) = (answer.pixel, f64::NEG_INFINITY);
        for (i, c) in answer.collisions.iter().enumerate() {
            assert!((0.0..=1.0).contains(&c.time) && c.time >= last, "{what}: {c:?}");
            last = c.time;
            let gap = self.gap(c.features, c.time);
            let rounding = 1e-10 * (self.a.diagonal() + self.b.diagonal() + c.point.length());
            assert!(gap <= 0.01 * p + rounding, "{what}: {} pixels apart: {c:?}", gap / p);
            assert!((c.normal.length() - 1.0).abs() < 1e-9, "{what}: {c:?}");
            assert!((-1.0 - 1e-9..=1.0 + 1e-9).contains(&c.properness), "{what}: {c:?}");
            let twice = |d: &PixelCollision| d.features == c.features && d.time == c.time;
            assert!(!answer.collisions[i + 1..].iter().any(twice), "{what}: twice {c:?}");
        }
    }
}

fn point_segment(p: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let direction = b - a;
    let fraction = ((p - a).dot(direction) / direction.length_squared().max(1e-300)).clamp(0.0, 1.0);
    p.distance(a + fraction * direction)
}

fn point_triangle(p: DVec3, q: [DVec3; 3]) -> f64 {
    let sides = [[q[0], q[1]], [q[1], q[2]], [q[2], q[0]]];
    let best = sides.iter().map(|side| point_segment(p, *side)).fold(f64::INFINITY, f64::min);
    let normal = (q[1] - q[0]).cross(q[2] - q[0]);
    let over = normal != DVec3::ZERO && sides.iter().all(|[a, b]| (*b - *a).cross(p - *a).dot(normal) >= 0.0);
    if over { best.min((p - q[0]).dot(normal.normalize()).abs()) } else { best }
}

fn segments(a: [DVec3; 2], b: [DVec3; 2]) -> f64 {
    let best =
        [point_segment(a[0], b), point_segment(a[1], b), point_segment(b[0], a), point_segment(b[1], a)];
    let best = best.into_iter().fold(f64::INFINITY, f64::min);
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let normal = u.cross(v);
    let square = normal.length_squared();
    if square == 0.0 {
        return best;
    }
    let (on_a, on_b) = (-w.cross(v).dot(normal) / square, -w.cross(u).dot(normal) / square);
    let inside = (0.0..=1.0).contains(&on_a) && (0.0..=1.0).contains(&on_b);
    if inside { best.min(w.dot(normal).abs() / square.sqrt()) } else { best }
}

/// Compares the pixel collisions of a case with the contacts of the proven search. Returns the number that had to be
/// found.
fn check(case: &Case, resolution: u32, what: &str) -> usize {
    let (a, b) = case.bodies();
    let twin = Twin { a: a.mesh(), b: b.mesh(), screw: &case.screw };
    let answer = pixels(&a, &b, &case.screw, resolution);
    assert_eq!(answer.outcome, PixelOutcome::Complete, "{what}");
    assert!(
        answer.pixel <= a.mesh().diagonal().min(b.mesh().diagonal()) / f64::from(resolution) * (1.0 + 1e-15)
    );
    twin.check_each(&answer, what);
    let contacts = all_contacts(&a, &b, &case.screw, &Options::default()).unwrap().contacts;
    let mut required = 0;
    // On the axis two edges have no crossing point on the screen.
    let axis = screw_frame(&b, &case.screw);
    let on_axis = |point: DVec3| {
        case.screw.angle() > 0.0
            && (point - axis.point).reject_from_normalized(axis.direction).length() < 1e-9 * case.size()
    };
    for contact in contacts.iter().filter(|c| !c.touching && !on_axis(c.point)) {
        let facing_margin = twin.facing_margin(contact);
        let near = |c: &&PixelCollision| {
            c.features == contact.features
                && c.time >= contact.time[0] - 1e-7
                && c.time <= contact.time[1] + 1e-7
        };
        let found = answer.collisions.iter().find(near);
        assert!(
            found.is_none() || facing_margin > -1e-6,
            "{what}, {resolution}: does not matter: {contact:?}"
        );
        if facing_margin > 1e-6 {
            required += 1;
            let Some(found) = found else { panic!("{what}, {resolution}: missing {contact:?}") };
            let apart = found.point.distance(contact.point);
            assert!(apart < 1e-3 * answer.pixel + 1e-6 * case.size(), "{what}: {found:?} {contact:?}");
        }
    }
    required
}

/// Every certain contact of parts that matter is found, at every resolution. This is more than the guarantee, which
/// requires 3 pixels of margin, and 1 pixel from neighbouring features.
#[test]
fn every_contact_of_parts_that_matter_is_found_with_pixels() {
    let mut required = 0;
    // 124137: an edge through the axis. 120427: two edges that cross on it.
    for seed in (0..fewer(3000, 10)).chain([120_427, 124_137]) {
        let random = &mut Random(seed);
        let case = case(random);
        let resolution = [1, 7, 32, 128, 512, 2000][random.below(6)];
        required += check(&case, resolution, &format!("seed {seed}"));
    }
    assert!(required > 900, "{required}");
}

/// The worst meshes and motions: no panic, always an end, and close features in every listed collision.
#[test]
fn extreme_inputs_end_and_list_no_false_collision() {
    for seed in 0..fewer(1500, 5) {
        let random = &mut Random(seed);
        let meet = [Meet::Any, Meet::Graze, Meet::Inside][random.below(3)];
        let extreme = extreme(random, meet);
        let (a, b) = extreme.case.bodies();
        for resolution in [32, 512] {
            let answer = pixels(&a, &b, &extreme.case.screw, resolution);
            assert_eq!(answer.outcome, PixelOutcome::Complete, "seed {seed}");
            let twin = Twin { a: a.mesh(), b: b.mesh(), screw: &extreme.case.screw };
            twin.check_each(&answer, &format!("seed {seed}, {resolution} pixels"));
        }
    }
}

fn thread(radius: f64, depth: f64, turns: u32) -> Mesh {
    // A ridge that winds around a cylinder: a chain of quads, not closed.
    let steps = 24;
    let mut vertices = Vec::new();
    for i in 0..=turns * steps {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(steps);
        let (sin, cos) = angle.sin_cos();
        let z = 0.2 * angle / std::f64::consts::TAU;
        for (r, dz) in [(radius, 0.0), (radius + depth, 0.1), (radius, 0.2)] {
            vertices.push(DVec3::new(r * cos, r * sin, z + dz));
        }
    }
    let mut faces = Vec::new();
    for i in 0..turns * steps {
        for side in 0..2 {
            let [p, q] = [3 * i + side, 3 * i + side + 1];
            faces.extend([[p, p + 3, q], [q, p + 3, q + 3]]);
        }
    }
    Mesh::new(vertices, faces).unwrap()
}

/// Layers that cover each other but are out of reach cost no work: the same short motion takes at most ten times as
/// many steps with a thread of forty turns as with four.
#[test]
fn layers_out_of_reach_cost_nothing() {
    let steps = |turns: u32| {
        let (bolt, nut) = (thread(1.0, 0.3, turns), thread(1.25, -0.3, turns));
        let start = Pose::from_position(DVec3::new(0.0, 0.0, 0.05)).unwrap();
        let screw = Screw::about(start, DVec3::Z, DVec3::ZERO, 0.02, 0.02).unwrap();
        let (a, b) = (PreparedMesh::new(bolt), PreparedMesh::new(nut));
        least_budget(&a, &b, &screw)
    };
    let (few, many) = (steps(4), steps(40));
    assert!(many < 20 * few, "{few} steps, {many} steps");
}

/// The depth of an overlap does not affect the work.
#[test]
fn deep_overlap_costs_no_more() {
    let cube = |size: f64| {
        let (vertices, faces) = cases::box_of(DVec3::splat(size));
        PreparedMesh::new(Mesh::new(vertices, faces).unwrap())
    };
    let steps = |z: f64| {
        let start = Pose::new(DVec3::new(0.1, 0.2, z), DQuat::from_rotation_y(0.4)).unwrap();
        least_budget(&cube(1.0), &cube(0.9), &Screw::translation(start, DVec3::new(0.0, 0.0, -0.7)))
    };
    let (shallow, deep) = (steps(0.9), steps(0.1));
    assert!(deep < 2 * shallow, "{shallow}, {deep}");
}

/// The smallest budget, within a tenth, with which everything is drawn.
fn least_budget(a: &PreparedMesh, b: &PreparedMesh, screw: &Screw) -> u64 {
    let mut budget = 100;
    loop {
        let options = PixelOptions { resolution: 128, budget, ..PixelOptions::default() };
        match pixel_collisions(a, b, screw, &options).unwrap().outcome {
            PixelOutcome::Complete => return budget,
            _ => budget += budget / 10,
        }
    }
}

#[test]
fn what_has_no_answer_says_so() {
    let (vertices, faces) = cases::box_of(DVec3::ONE);
    let cube = PreparedMesh::new(Mesh::new(vertices, faces).unwrap());
    let start = Pose::new(DVec3::new(0.2, 0.1, 2.0), DQuat::from_rotation_x(0.3)).unwrap();
    let screw = Screw::translation(start, DVec3::new(0.0, 0.0, -2.0));
    let query = |resolution, budget, memory| {
        pixel_collisions(&cube, &cube, &screw, &PixelOptions { resolution, budget, memory })
    };
    assert!(query(0, 1_000_000, 1 << 20).unwrap_err().to_string().contains("resolution"));
    assert_eq!(query(512, 1_000, 1 << 20).unwrap().outcome, PixelOutcome::OutOfBudget);
    assert_eq!(query(512, 1_000_000, 1 << 12).unwrap().outcome, PixelOutcome::OutOfMemory);
    assert_eq!(query(u32::MAX, 1_000_000, 1 << 20).unwrap().outcome, PixelOutcome::OutOfMemory);
    assert_eq!(query(512, 1_000_000, 1 << 20).unwrap().outcome, PixelOutcome::Complete);
    // Without motion there is no collision.
    assert_eq!(pixels(&cube, &cube, &Screw::still(start), 32).collisions, []);
    // Same input, same bits.
    assert_eq!(pixels(&cube, &cube, &screw, 128), pixels(&cube, &cube, &screw, 128));
}
