//! The exact screen: its collisions against all contacts of the reference, rated with arithmetic of this file alone, and
//! how often vertices pass the other surface, against looks from outside.

#![allow(clippy::cast_possible_truncation, reason = "small meshes")]

mod cases;

use std::collections::HashMap;

use cases::{Case, Raw, case, count, pose};
use chasles::{
    Account, Body, Collision, Collisions, Contact, ContactFeatures, MetAt, Options, Outcome, Passages, Query,
    Screw, SearchMethod, Workspace, all_contacts, collisions,
};
use chasles_testing::Random;
use glam::{DMat3, DVec3};

/// A mesh as this file sees it: vertices and triangles, and what lies around them, found by looking at all.
struct Plain<'r> {
    vertices: Vec<DVec3>,
    triangles: &'r [[u32; 3]],
    /// Before they were placed: directions of short edges are taken there, and turned.
    raw: &'r [DVec3],
    turn: DMat3,
}

impl<'r> Plain<'r> {
    /// Of a mesh, its vertices placed by a function. Vertices that are equal count as one, the first.
    fn new((vertices, triangles): &'r Raw, place: impl Fn(DVec3) -> DVec3) -> Self {
        let turn = |axis: DVec3| place(axis) - place(DVec3::ZERO);
        let turn = DMat3::from_cols(turn(DVec3::X), turn(DVec3::Y), turn(DVec3::Z));
        Self { vertices: vertices.iter().map(|v| place(*v)).collect(), triangles, raw: vertices, turn }
    }

    /// The way from one vertex to another.
    fn way(&self, from: u32, to: u32) -> DVec3 {
        self.turn * (self.raw[to as usize] - self.raw[from as usize])
    }

    fn corners(&self, face: u32) -> [DVec3; 3] {
        self.triangles[face as usize].map(|v| self.vertices[v as usize])
    }

    fn normal(&self, face: u32) -> DVec3 {
        let [p, q, r] = self.triangles[face as usize].map(|v| self.raw[v as usize]);
        (self.turn * (q - p).cross(r - p).normalize_or_zero()).normalize_or_zero()
    }

    fn faces_with(&self, vertices: &[u32]) -> Vec<u32> {
        let has = |t: &[u32; 3]| vertices.iter().all(|v| t.contains(v));
        (0_u32..).zip(self.triangles).filter(|(_, t)| has(t)).map(|(i, _)| i).collect()
    }

    fn neighbours(&self, vertex: u32) -> Vec<u32> {
        let mut found: Vec<u32> = self
            .triangles
            .iter()
            .filter(|t| t.contains(&vertex))
            .flatten()
            .copied()
            .filter(|v| *v != vertex)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn is_closed(&self) -> bool {
        let mut uses = HashMap::new();
        for [p, q, r] in self.triangles {
            for (v, w) in [(p, q), (q, r), (r, p)] {
                *uses.entry((v.min(w), v.max(w))).or_insert(0) += 1;
            }
        }
        uses.values().all(|n| *n == 2)
    }

    /// How often the surface winds around a point: the sum of the solid angles of its triangles (Van Oosterom, Strackee).
    fn winding(&self, point: DVec3) -> f64 {
        let angle = |face: u32| {
            let [a, b, c] = self.corners(face).map(|v| v - point);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * a.dot(b.cross(c)).atan2(below)
        };
        (0..self.triangles.len() as u32).map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    fn distance(&self, point: DVec3) -> f64 {
        (0..self.triangles.len() as u32)
            .map(|face| self.distance_of(face, point))
            .fold(f64::INFINITY, f64::min)
    }

    fn distance_of(&self, face: u32, point: DVec3) -> f64 {
        let segment = |a: DVec3, b: DVec3| {
            let along = b - a;
            let t = ((point - a).dot(along) / along.length_squared().max(1e-300)).clamp(0.0, 1.0);
            point.distance(a + t * along)
        };
        let [p, q, r] = self.corners(face);
        let n = self.normal(face);
        let edges = [(p, q), (q, r), (r, p)];
        let over = n != DVec3::ZERO && edges.iter().all(|(v, w)| (*w - *v).cross(point - *v).dot(n) >= 0.0);
        let plane = if over { (point - p).dot(n).abs() } else { f64::INFINITY };
        edges.iter().map(|(v, w)| segment(*v, *w)).fold(plane, f64::min)
    }
}

/// What the rules of the mathematics say of a contact; `None` where it hangs on rounding.
struct Verdict {
    kept: Option<bool>,
    properness: f64,
    proper: Option<bool>,
}

/// Whether a number is positive; `None` where it is nearly zero.
fn sign(x: f64, slack: f64) -> Option<bool> {
    (x.abs() > slack).then_some(x > 0.0)
}

/// Some is true, or all are false, or it is open.
fn any(signs: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut open = false;
    for sign in signs {
        match sign {
            Some(true) => return Some(true),
            Some(false) => {}
            None => open = true,
        }
    }
    (!open).then_some(false)
}

fn all(signs: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    any(signs.into_iter().map(|sign| sign.map(|s| !s))).map(|some| !some)
}

const NEAR: f64 = 1e-6;

fn judged(case: &Case, contact: &Contact) -> Verdict {
    let [lo, hi] = contact.time;
    let t = if contact.touching { hi } else { 0.5 * (lo + hi) };
    let at = case.screw.pose_at(t);
    let a = Plain::new(&case.a, |v| at.transform_point(v));
    let b = Plain::new(&case.b, |v| v);
    let velocity = |x: DVec3| case.screw.velocity_at(x, t);
    let fastest = |mesh: &Plain<'_>| {
        let used = mesh.triangles.iter().flatten().map(|v| velocity(mesh.vertices[*v as usize]).length());
        used.fold(0.0, f64::max)
    };
    let (slack_a, slack_b) = (NEAR * fastest(&a), NEAR * fastest(&b));
    let leads = |face: u32, x: DVec3| sign(a.normal(face).dot(velocity(x)), slack_a);
    let trails = |face: u32, x: DVec3| sign(-b.normal(face).dot(velocity(x)), slack_b);
    let rise = |mesh: &Plain<'_>, vertex: u32, n: DVec3| {
        let rises =
            mesh.neighbours(vertex).into_iter().map(|w| mesh.way(vertex, w).normalize_or_zero().dot(n));
        let properness = rises.fold(1.0, f64::min);
        let outward: DVec3 = mesh
            .faces_with(&[vertex])
            .into_iter()
            .map(|face| {
                let others: Vec<DVec3> = mesh.triangles[face as usize]
                    .iter()
                    .filter(|v| **v != vertex)
                    .map(|v| mesh.way(vertex, *v))
                    .collect();
                let angle = if others.len() == 2 { others[0].angle_between(others[1]) } else { 0.0 };
                if angle.is_finite() { angle * mesh.normal(face) } else { DVec3::ZERO }
            })
            .sum();
        let rises = if properness.abs() < NEAR { None } else { Some(properness > 0.0) };
        let below = if mesh.is_closed() { sign(-outward.dot(n), NEAR) } else { Some(true) };
        (properness, all([rises, below]))
    };
    match contact.features {
        ContactFeatures::VertexFace { a: vertex, b: face } => {
            let n = b.normal(face);
            let (properness, proper) = rise(&a, vertex, n);
            let own = any(a.faces_with(&[vertex]).into_iter().map(|f| leads(f, a.vertices[vertex as usize])));
            Verdict { kept: all([trails(face, contact.point), own]), properness, proper }
        }
        ContactFeatures::FaceVertex { a: face, b: vertex } => {
            let n = a.normal(face);
            let (properness, proper) = rise(&b, vertex, n);
            let own =
                any(b.faces_with(&[vertex]).into_iter().map(|f| trails(f, b.vertices[vertex as usize])));
            Verdict { kept: all([leads(face, contact.point), own]), properness, proper }
        }
        ContactFeatures::EdgeEdge { a: ends_a, b: ends_b } => {
            let (faces_a, faces_b) = (a.faces_with(&ends_a), b.faces_with(&ends_b));
            let direction = |mesh: &Plain<'_>, [v, w]: [u32; 2]| mesh.way(v, w).normalize_or_zero();
            let across = direction(&a, ends_a).cross(direction(&b, ends_b)).normalize_or_zero();
            // The way into a face from an edge, across it.
            let inward = |mesh: &Plain<'_>, face: u32, ends: [u32; 2]| {
                let third = mesh.triangles[face as usize].iter().find(|v| !ends.contains(v));
                let way = third.map_or(DVec3::ZERO, |v| mesh.way(ends[0], *v));
                let along = direction(mesh, ends);
                (way - way.dot(along) * along).normalize_or_zero()
            };
            let flat = |mesh: &Plain<'_>, face: &u32| mesh.normal(*face) != DVec3::ZERO;
            let (faces_a, faces_b): (Vec<u32>, Vec<u32>) = (
                faces_a.into_iter().filter(|f| flat(&a, f)).collect(),
                faces_b.into_iter().filter(|f| flat(&b, f)).collect(),
            );
            let number = |n: DVec3| {
                let of_a = faces_a.iter().map(|f| n.dot(a.normal(*f)));
                of_a.chain(faces_b.iter().map(|f| -n.dot(b.normal(*f)))).fold(1.0, f64::min)
            };
            let behind = |mesh: &Plain<'_>, faces: &[u32], ends: [u32; 2], n: DVec3| {
                let ways: Vec<DVec3> = faces.iter().map(|f| inward(mesh, *f, ends)).collect();
                let reflex = faces.len() == 2 && mesh.normal(faces[0]).dot(ways[1]) > -NEAR;
                let heights: Vec<f64> = ways.iter().map(|w| -w.dot(n)).collect();
                let unsure = heights.iter().any(|h| h.abs() < NEAR);
                if unsure {
                    // Sides in the plane itself, or nearly so.
                    let fails = heights.iter().any(|h| *h < -NEAR);
                    if fails { Some(false) } else { None }
                } else if reflex {
                    Some(false)
                } else {
                    Some(heights.iter().all(|h| *h > 0.0))
                }
            };
            let proper = |n: DVec3| all([behind(&a, &faces_a, ends_a, n), behind(&b, &faces_b, ends_b, -n)]);
            let kept = all([
                any(faces_a.iter().map(|f| leads(*f, contact.point))),
                any(faces_b.iter().map(|f| trails(*f, contact.point))),
            ]);
            let sure =
                across != DVec3::ZERO && direction(&a, ends_a).cross(direction(&b, ends_b)).length() > NEAR;
            Verdict {
                kept,
                properness: if sure { number(across).max(number(-across)) } else { f64::NAN },
                proper: if sure { any([proper(across), proper(-across)]) } else { None },
            }
        }
        ContactFeatures::Surfaces { .. } => panic!("meshes have no round surfaces"),
    }
}

/// How far from the borders of its features a contact is, in metres.
fn room(case: &Case, contact: &Contact) -> f64 {
    let [lo, hi] = contact.time;
    let at = case.screw.pose_at(if contact.touching { hi } else { 0.5 * (lo + hi) });
    let a = Plain::new(&case.a, |v| at.transform_point(v));
    let b = Plain::new(&case.b, |v| v);
    let p = contact.point;
    let of_edge = |mesh: &Plain<'_>, ends: [u32; 2]| {
        ends.map(|v| mesh.vertices[v as usize].distance(p)).into_iter().fold(f64::INFINITY, f64::min)
    };
    let of_face = |mesh: &Plain<'_>, face: u32| {
        let n = mesh.normal(face);
        let [x, y, z] = mesh.corners(face);
        let side = |(v, w): (DVec3, DVec3)| (w - v).normalize_or_zero().cross(p - v).dot(n);
        [(x, y), (y, z), (z, x)].map(side).into_iter().fold(f64::INFINITY, f64::min)
    };
    match contact.features {
        ContactFeatures::VertexFace { b: face, .. } => of_face(&b, face),
        ContactFeatures::FaceVertex { a: face, .. } => of_face(&a, face),
        ContactFeatures::EdgeEdge { a: x, b: y } => of_edge(&a, x).min(of_edge(&b, y)),
        ContactFeatures::Surfaces { .. } => 0.0,
    }
}

fn screened(case: &Case) -> Collisions {
    let (a, b) = case.bodies();
    collisions(&a, &b, &case.screw, &Options::default()).unwrap()
}

fn same_time(a: [f64; 2], b: [f64; 2]) -> bool {
    a[0] <= b[1] + 1e-9 && b[0] <= a[1] + 1e-9
}

#[test]
fn the_collisions_are_the_contacts_of_the_reference_less_the_culled() {
    assert!(Plain::new(&dented(), |v| v).is_closed());
    let (mut listed, mut left_out, mut resolved) = (0, 0, 0);
    for seed in 0..count(3000) {
        let mut case = case(&mut Random(seed));
        // Every tenth with a pit, whose bottom lies deep.
        if seed % 10 == 0 {
            case.a = dented();
        }
        if seed % 20 == 0 {
            case.b = dented();
        }
        let (a, b) = case.bodies();
        let options = Options { search: SearchMethod::Reference, ..Options::default() };
        let reference = all_contacts(&a, &b, &case.screw, &options).unwrap();
        let found = screened(&case);
        if matches!(reference.outcome, Outcome::Overlapping(_)) {
            assert!(matches!(found.outcome, Outcome::Overlapping(_)), "seed {seed}");
            continue;
        }
        assert_eq!(found.outcome, reference.outcome, "seed {seed}");
        let near = 10.0 * reference.tolerance;
        let mut uncertain = 0;
        for contact in &reference.contacts {
            let verdict = judged(&case, contact);
            let inner = room(&case, contact) > near && !contact.touching;
            let here = found
                .collisions
                .iter()
                .find(|c| c.contact.features == contact.features && same_time(c.contact.time, contact.time));
            match (inner, verdict.kept) {
                (true, Some(true)) => {
                    let collision = here.unwrap_or_else(|| panic!("seed {seed}: {contact:?} is missing"));
                    assert_eq!(collision.contact.time, contact.time, "seed {seed}");
                    check_rating(seed, collision, &verdict);
                    listed += 1;
                }
                (true, Some(false)) => {
                    assert!(here.is_none_or(|c| c.from.is_some()), "seed {seed}: {contact:?} is listed");
                    left_out += 1;
                }
                _ => uncertain += 1,
            }
        }
        for collision in &found.collisions {
            let contact = &collision.contact;
            let close = |c: &&Contact| {
                let there = c.point.distance(contact.point) < 100.0 * reference.tolerance + 1e-9;
                same_time(c.time, contact.time)
                    && (c.features == contact.features || collision.from.is_some() && there)
            };
            assert!(reference.contacts.iter().any(|c| close(&c)), "seed {seed}: {collision:?} is no contact");
            check_rating(seed, collision, &judged(&case, contact));
            resolved += usize::from(collision.from.is_some());
        }
        if uncertain == 0 {
            assert_eq!(found.collisions.len() + found.culled, reference.contacts.len(), "seed {seed}");
        }
    }
    assert!(listed > 10_000 && left_out > 5_000 && resolved > 10, "{listed} {left_out} {resolved}");
}

/// A box with a pit in its top.
fn dented() -> Raw {
    let (mut vertices, mut faces) = cases::box_of(DVec3::new(1.0, 1.2, 0.8));
    vertices.push(DVec3::new(0.1, -0.1, -0.3));
    faces.retain(|t| t.iter().any(|v| vertices[*v as usize].z < 0.0));
    let top: Vec<u32> = (0..8).filter(|v| vertices[*v as usize].z > 0.0).collect();
    let side = |v: u32| vertices[v as usize];
    let mut around = top;
    around.sort_by(|v, w| side(*v).y.atan2(side(*v).x).total_cmp(&side(*w).y.atan2(side(*w).x)));
    faces.extend((0..4).map(|i| [around[i], around[(i + 1) % 4], 8]));
    (vertices, faces)
}

fn check_rating(seed: u64, collision: &Collision, verdict: &Verdict) {
    let off = (collision.properness - verdict.properness).abs();
    assert!(
        off < 1e-7 || verdict.properness.is_nan(),
        "seed {seed}: {} in {collision:?}",
        verdict.properness
    );
    assert!(verdict.proper.is_none_or(|proper| proper == collision.proper), "seed {seed}: {collision:?}");
    assert!(verdict.kept != Some(false), "seed {seed}: {collision:?} does not matter");
    assert!((collision.contact.normal.length() - 1.0).abs() < 1e-9, "seed {seed}: {collision:?}");
}

/// The promise, for every vertex that is told.
fn keeps_the_promise(rows: &[Passages]) -> bool {
    rows.iter().all(|row| match (row.start, row.end) {
        (Some(start), Some(end)) => {
            i64::from(end) - i64::from(start) == i64::from(row.entries) - i64::from(row.exits)
        }
        _ => true,
    })
}

#[test]
fn what_goes_in_comes_out_or_is_inside() {
    let (mut passages, mut looks) = (0, 0);
    for seed in 0..count(3000) {
        let case = case(&mut Random(seed));
        let found = screened(&case);
        if matches!(found.outcome, Outcome::Undecided { .. }) {
            continue;
        }
        let size = case.size();
        for (side, rows) in found.inside.iter().enumerate() {
            // Vertices of one and the surface of the other, at a time.
            let at = |t: f64| {
                let there = case.screw.pose_at(t);
                let (mine, other) = if side == 0 { (&case.a, &case.b) } else { (&case.b, &case.a) };
                let place = |v: DVec3| if side == 0 { there.transform_point(v) } else { v };
                let surface = |v: DVec3| if side == 0 { v } else { there.transform_point(v) };
                (Plain::new(mine, place), Plain::new(other, surface))
            };
            let ends = [at(0.0), at(1.0)];
            let Some(rows) = rows else {
                assert!(!ends[0].1.is_closed(), "seed {seed}, side {side}: a closed body is told open");
                continue;
            };
            assert!(ends[0].1.is_closed(), "seed {seed}, side {side}: an open body is told closed");
            assert!(keeps_the_promise(rows), "seed {seed}, side {side}: {rows:?}");
            passages += rows.iter().map(|row| row.entries + row.exits).sum::<u32>();
            let mut used: Vec<u32> = ends[0].0.triangles.iter().flatten().copied().collect();
            used.sort_unstable();
            used.dedup();
            for vertex in used {
                let row = rows.iter().find(|row| row.vertex == vertex);
                let told = row.map_or([Some(false); 2], |row| [row.start, row.end]);
                for ((mine, other), told) in ends.iter().zip(told) {
                    let point = mine.vertices[vertex as usize];
                    if other.distance(point) < 1e-7 * size {
                        continue;
                    }
                    let inside = other.winding(point).abs() > 0.5;
                    assert_eq!(told, Some(inside), "seed {seed}, side {side}, vertex {vertex}");
                    looks += 1;
                }
            }
        }
    }
    assert!(passages > 5_000 && looks > 50_000, "{passages} {looks}");
}

/// How often a vertex goes in and out, seen by sampling: each change of side between samples is counted.
#[test]
fn passages_are_those_that_samples_see() {
    let mut seen = 0;
    for seed in 0..count(200) {
        let case = case(&mut Random(seed));
        let found = screened(&case);
        let (Some(rows), false) = (&found.inside[0], matches!(found.outcome, Outcome::Undecided { .. }))
        else {
            continue;
        };
        let b = Plain::new(&case.b, |v| v);
        for row in rows.iter().take(4) {
            let inside = |t: f64| {
                let point = case.screw.pose_at(t).transform_point(case.a.0[row.vertex as usize]);
                (b.distance(point) > 1e-7).then(|| b.winding(point).abs() > 0.5)
            };
            let sides: Vec<bool> = (0..=400).filter_map(|i| inside(f64::from(i) / 400.0)).collect();
            let entries = sides.windows(2).filter(|w| !w[0] && w[1]).count() as u32;
            let exits = sides.windows(2).filter(|w| w[0] && !w[1]).count() as u32;
            assert!(
                row.entries >= entries && row.exits >= exits || row.start.is_none() || row.end.is_none(),
                "seed {seed}: {row:?}, {entries} in, {exits} out"
            );
            seen += entries + exits;
        }
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn what_does_not_matter_can_be_left_out_of_the_search() {
    let mut compared = 0;
    for seed in 0..count(2000) {
        let random = &mut Random(seed);
        let case = if seed % 4 == 0 { exact_case(random) } else { case(random) };
        let (a, b) = case.bodies();
        let query = Query { a: &a, b: &b, screw: case.screw };
        let tell =
            |account| query.collisions(account, &Options::default(), &mut Workspace::default()).unwrap();
        let (whole, alone) = (tell(Account::Whole), tell(Account::Collisions));
        assert_eq!(alone.outcome, whole.outcome, "seed {seed}");
        assert_eq!(alone.inside, [None, None], "seed {seed}");
        let mut sorted = [&whole, &alone].map(|found| found.collisions.clone());
        sorted.iter_mut().for_each(|list| {
            list.sort_by(|x, y| {
                let features = x.contact.features.cmp(&y.contact.features);
                features.then(x.contact.time[1].total_cmp(&y.contact.time[1]))
            });
        });
        let [one, other] = &sorted;
        assert_eq!(one.len(), other.len(), "seed {seed}");
        for (one, other) in one.iter().zip(other) {
            assert_eq!((one.contact.features, one.from), (other.contact.features, other.from), "seed {seed}");
            assert!(same_time(one.contact.time, other.contact.time), "seed {seed}: {one:?} {other:?}");
            compared += 1;
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn too_little_budget_is_undecided_and_never_clear() {
    for seed in 0..count(200) {
        let case = case(&mut Random(seed));
        let (a, b) = case.bodies();
        let whole = screened(&case);
        for budget in [0, 1, 10, 100, 1000, 10_000] {
            let options = Options { budget, ..Options::default() };
            let found = collisions(&a, &b, &case.screw, &options).unwrap();
            if matches!(found.outcome, Outcome::Undecided { .. }) {
                assert!(found.collisions.is_empty() && found.inside == [None, None], "seed {seed}");
            } else {
                assert_eq!(
                    (&found.collisions, &found.inside),
                    (&whole.collisions, &whole.inside),
                    "seed {seed}"
                );
            }
        }
    }
}

/// Bodies whose corners are dyadic numbers, one moved straight so that a corner of it passes exactly through a corner or
/// the middle of an edge of the other.
fn exact_case(random: &mut Random) -> Case {
    let mut shape = || {
        let stretch = DVec3::from_array([(); 3].map(|()| 0.25 * (1 + random.below(6)) as f64));
        match random.below(3) {
            0 => cases::octahedron(stretch),
            1 => cases::box_of(stretch),
            _ => cases::l_shape(0.25 * (1 + random.below(3)) as f64, stretch.z),
        }
    };
    let (a, b) = (shape(), shape());
    let corner = a.0[random.below(a.0.len())];
    let [p, q, _] = b.1[random.below(b.1.len())].map(|v| b.0[v as usize]);
    let aim = if random.one_in(2) { p } else { 0.5 * (p + q) };
    let way = random.dyadic_vector(2.0) + DVec3::new(0.125, 0.0, 0.0);
    let start = pose(aim - corner - 0.5 * way, glam::DQuat::IDENTITY);
    Case { a, b, screw: Screw::translation(start, way) }
}

/// Of all pairs of a vertex and a face that meet where a collision was resolved, none that matters is more proper.
fn assert_most_proper(seed: u64, case: &Case, collision: &Collision, tolerance: f64) {
    let contact = &collision.contact;
    let [lo, hi] = contact.time;
    let at = case.screw.pose_at(if contact.touching { hi } else { 0.5 * (lo + hi) });
    let meshes = [Plain::new(&case.a, |v| at.transform_point(v)), Plain::new(&case.b, |v| v)];
    let near = 10.0 * tolerance;
    let [of_a, of_b] = meshes.each_ref().map(|mesh| {
        let vertices = (0_u32..).zip(&mesh.vertices).filter(|(_, v)| v.distance(contact.point) < near);
        let faces = (0..mesh.triangles.len() as u32).filter(|f| mesh.distance_of(*f, contact.point) < near);
        (vertices.map(|(i, _)| i).collect::<Vec<_>>(), faces.collect::<Vec<_>>())
    });
    let of = |vertices: &[u32], faces: &[u32], features: fn(u32, u32) -> ContactFeatures| {
        let pairs = vertices.iter().flat_map(|v| faces.iter().map(|f| features(*v, *f)));
        pairs.collect::<Vec<_>>()
    };
    let mut pairs = of(&of_a.0, &of_b.1, |a, b| ContactFeatures::VertexFace { a, b });
    pairs.extend(of(&of_b.0, &of_a.1, |b, a| ContactFeatures::FaceVertex { a, b }));
    assert!(pairs.contains(&contact.features), "seed {seed}: {collision:?} among {pairs:?}");
    for features in pairs {
        let other = judged(case, &Contact { features, ..*contact });
        let better = other.kept == Some(true) && other.properness > collision.properness + 1e-7;
        assert!(!better, "seed {seed}: {features:?} with {} is better than {collision:?}", other.properness);
    }
}

#[test]
fn what_meets_at_a_corner_is_listed_once() {
    let (mut met, mut passages) = (HashMap::new(), 0);
    for seed in 0..count(3000) {
        let case = exact_case(&mut Random(seed));
        let found = screened(&case);
        assert!(!matches!(found.outcome, Outcome::Undecided { .. }), "seed {seed}");
        for rows in &found.inside {
            let rows = rows.as_ref().unwrap();
            assert!(keeps_the_promise(rows), "seed {seed}: {rows:?}");
            passages += rows.iter().map(|row| row.entries + row.exits).sum::<u32>();
        }
        let vertex = |c: &Collision| match c.contact.features {
            ContactFeatures::VertexFace { a, .. } => Some((0, a)),
            ContactFeatures::FaceVertex { b, .. } => Some((1, b)),
            _ => None,
        };
        for (i, one) in found.collisions.iter().enumerate() {
            if let Some(from) = one.from {
                *met.entry(from).or_insert(0) += 1;
                assert_most_proper(seed, &case, one, found.tolerance);
            }
            let again = found.collisions[i + 1..].iter().find(|other| {
                let there = same_time(one.contact.time, other.contact.time)
                    && one.contact.point.distance(other.contact.point) < found.tolerance;
                let corners = [one.from, other.from].contains(&Some(MetAt::VertexVertex));
                let both = one.from.is_some() && other.from.is_some();
                there && (vertex(one).is_some() && vertex(one) == vertex(other) || corners && both)
            });
            assert!(again.is_none(), "seed {seed}: {one:?} and {again:?}");
        }
    }
    let often = [MetAt::VertexVertex, MetAt::VertexEdge, MetAt::EdgeVertex].map(|from| met[&from]);
    assert!(often.iter().all(|n| *n > 500) && passages > 3_000, "{often:?} {passages}");
}

/// A pyramid that stands on its tip, and a roof or another pyramid below: dyadic numbers, so that they meet exactly.
fn tip_down() -> Raw {
    let base = [(1.0, 0.75), (-0.5, 1.0), (-1.0, -0.5), (0.5, -1.0)];
    let mut vertices: Vec<DVec3> = base.iter().map(|(x, y)| DVec3::new(*x, *y, 1.0)).collect();
    vertices.push(DVec3::ZERO);
    let mut faces = vec![[0, 1, 2], [0, 2, 3]];
    faces.extend((0..4).map(|i| [i, 4, (i + 1) % 4]));
    (vertices, faces)
}

/// A roof whose ridge runs along x through the origin, closed below.
fn roof() -> Raw {
    let (l, w, h) = (2.0, 1.0, 0.5);
    let vertices = vec![
        DVec3::new(-l, 0.0, 0.0),
        DVec3::new(l, 0.0, 0.0),
        DVec3::new(-l, -w, -h),
        DVec3::new(l, -w, -h),
        DVec3::new(-l, w, -h),
        DVec3::new(l, w, -h),
    ];
    let faces = vec![[0, 2, 3], [0, 3, 1], [0, 1, 5], [0, 5, 4], [0, 4, 2], [1, 3, 5], [2, 4, 5], [2, 5, 3]];
    (vertices, faces)
}

fn body((vertices, triangles): &Raw) -> Body {
    Body::new(chasles::Mesh::new(vertices.clone(), triangles.clone()).unwrap())
}

fn resolved(a: &Raw, b: &Raw, screw: &Screw) -> Collisions {
    let found = collisions(&body(a), &body(b), screw, &Options::default()).unwrap();
    assert!(keeps_the_promise(found.inside[0].as_ref().unwrap()), "{found:?}");
    found
}

#[test]
fn a_vertex_on_an_edge_is_one_collision_and_one_passage() {
    for turn in [0.0, 1.5, -0.75] {
        let start = pose(DVec3::new(0.25, 0.0, 0.5), glam::DQuat::IDENTITY);
        let screw = Screw::about(start, DVec3::Z, DVec3::new(0.25, 0.0, 0.0), -0.75, turn).unwrap();
        let found = resolved(&tip_down(), &roof(), &screw);
        let at: Vec<_> =
            found.collisions.iter().filter(|c| (c.contact.time[0] - 2.0 / 3.0).abs() < 1e-7).collect();
        assert_eq!(at.len(), 1, "{at:?}");
        assert_eq!(at[0].from, Some(MetAt::VertexEdge));
        assert!(matches!(at[0].contact.features, ContactFeatures::VertexFace { a: 4, b: 0..=3 }), "{at:?}");
        let tip = found.inside[0].as_ref().unwrap().iter().find(|row| row.vertex == 4).unwrap();
        assert_eq!((tip.start, tip.end, tip.entries, tip.exits), (Some(false), Some(true), 1, 0));
    }
}

#[test]
fn a_vertex_on_a_vertex_is_one_collision_and_one_passage() {
    let up: Raw = {
        let (vertices, faces) = tip_down();
        (vertices.into_iter().map(|v| -v).collect(), faces.into_iter().map(|[a, b, c]| [a, c, b]).collect())
    };
    for turn in [0.0, 1.5, -0.75] {
        let start = pose(DVec3::new(0.0, 0.0, 0.5), glam::DQuat::IDENTITY);
        let screw = Screw::about(start, DVec3::Z, DVec3::ZERO, -0.75, turn).unwrap();
        let found = resolved(&tip_down(), &up, &screw);
        let at: Vec<_> =
            found.collisions.iter().filter(|c| (c.contact.time[0] - 2.0 / 3.0).abs() < 1e-7).collect();
        assert_eq!(at.len(), 1, "{at:?}");
        assert_eq!(at[0].from, Some(MetAt::VertexVertex));
        for rows in &found.inside {
            let tip = rows.as_ref().unwrap().iter().find(|row| row.vertex == 4).unwrap();
            assert_eq!((tip.start, tip.end, tip.entries, tip.exits), (Some(false), Some(true), 1, 0));
        }
    }
}

/// A vertex that slides along a ridge, and one that comes down on it and goes up again, pass through nothing.
#[test]
fn touching_without_crossing_counts_neither() {
    let start = pose(DVec3::new(0.0, 0.0, 0.0), glam::DQuat::IDENTITY);
    let along = Screw::translation(start, DVec3::new(1.0, 0.0, 0.0));
    let found = resolved(&tip_down(), &roof(), &along);
    let row = found.inside[0].as_ref().unwrap().iter().find(|row| row.vertex == 4).unwrap();
    assert_eq!((row.start, row.end, row.entries, row.exits), (None, None, 0, 0));
}

/// The areas of all faces add up, those of a face are those that a grid of samples sees.
#[test]
fn parts_lead_where_samples_lead() {
    for seed in 0..count(300) {
        let case = case(&mut Random(seed));
        let (a, b) = case.bodies();
        let found = chasles::facings(&a, &b, &case.screw);
        let start = case.screw.start();
        let meshes = [Plain::new(&case.a, |v| start.transform_point(v)), Plain::new(&case.b, |v| v)];
        for (facing, mesh) in found.iter().zip(&meshes) {
            let (mut sampled, mut whole) = ([0.0; 2], 0.0);
            for face in 0..mesh.triangles.len() as u32 {
                let [p, q, r] = mesh.corners(face);
                let n = mesh.normal(face);
                let area = 0.5 * (q - p).cross(r - p).length();
                whole += area;
                for (i, j) in (0..30).flat_map(|i| (0..30 - i).map(move |j| (i, j))) {
                    let (u, v) = ((f64::from(i) + 1.0 / 3.0) / 30.0, (f64::from(j) + 1.0 / 3.0) / 30.0);
                    let leads = n.dot(case.screw.velocity_at(p + u * (q - p) + v * (r - p), 0.0));
                    sampled[usize::from(leads < 0.0)] += area / 465.0;
                }
            }
            let told = facing.forward + facing.backward + facing.along;
            assert!((told - whole).abs() < 1e-9 * whole, "seed {seed}: {facing:?}, {whole}");
            let off = (facing.forward - sampled[0]).abs().max((facing.backward - sampled[1]).abs());
            assert!(off < 0.05 * whole + facing.along, "seed {seed}: {facing:?}, {sampled:?}");
        }
    }
}

/// One motion in two parts: what is inside at the end of the first is inside at the start of the second.
#[test]
fn two_runs_agree_about_the_pose_between_them() {
    for seed in 0..count(300) {
        let case = case(&mut Random(seed));
        let middle = case.screw.pose_at(0.5);
        let ends = [(case.screw.start(), middle), (middle, case.screw.end())];
        let [one, two] =
            ends.map(|(from, to)| screened(&Case { screw: Screw::between(from, to), ..case.clone() }));
        if [&one, &two].iter().any(|found| matches!(found.outcome, Outcome::Undecided { .. })) {
            continue;
        }
        for side in 0..2 {
            let (Some(before), Some(after)) = (&one.inside[side], &two.inside[side]) else { continue };
            for vertex in 0..64 {
                let end = before.iter().find(|row| row.vertex == vertex).map_or(Some(false), |row| row.end);
                let start =
                    after.iter().find(|row| row.vertex == vertex).map_or(Some(false), |row| row.start);
                assert_eq!(end, start, "seed {seed}, side {side}, vertex {vertex}");
            }
        }
    }
}
