//! The exact screen: its collisions against all contacts of the reference, rated with independent arithmetic, and how
//! often vertices pass through the other surface, against samples.

#![allow(clippy::cast_possible_truncation, reason = "small meshes")]

use std::collections::HashMap;

use crate::cases::{self, Case, Raw, case, count, fewer, pose};
use crate::screen::screen_plain::{Plain, Verdict, judged};
use chasles::{
    Account, Collision, Collisions, Contact, ContactFeatures, DegenerateFeatures, Options, Outcome,
    PreparedMesh, Query, Screw, SearchMethod, VertexPassages, Workspace, all_contacts, collisions,
};
use chasles_testing::Random;
use glam::DVec3;

/// The distance of a contact from the borders of its features, in metres.
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
        // Meshes have no other contacts.
        _ => 0.0,
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
    for seed in 0..fewer(3000, 6) {
        let mut case = case(&mut Random(seed));
        // Every tenth body has a pit, whose bottom lies deep.
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
    assert!(listed > 1_200 && left_out > 600 && resolved > 0, "{listed} {left_out} {resolved}");
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

/// The guarantee, for every listed vertex.
fn keeps_the_promise(rows: &[VertexPassages]) -> bool {
    rows.iter().all(|row| match (row.start, row.end) {
        (Some(start), Some(end)) => {
            i64::from(end) - i64::from(start) == i64::from(row.entries) - i64::from(row.exits)
        }
        _ => true,
    })
}

#[test]
fn a_vertex_that_enters_leaves_or_ends_inside() {
    let (mut passages, mut looks) = (0, 0);
    for seed in 0..fewer(3000, 6) {
        let case = case(&mut Random(seed));
        let found = screened(&case);
        if matches!(found.outcome, Outcome::Undecided { .. }) {
            continue;
        }
        let size = case.size();
        for (side, rows) in found.inside.iter().enumerate() {
            // Vertices of one body and the surface of the other, at a time.
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
    assert!(passages > 600 && looks > 6_000, "{passages} {looks}");
}

/// How often a vertex enters and leaves, by sampling: each change of side between samples is counted.
#[test]
fn passages_are_those_of_samples() {
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
fn features_that_do_not_matter_can_be_left_out_of_the_search() {
    let mut compared = 0;
    for seed in 0..fewer(2000, 5) {
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
    assert!(compared > 1_400, "{compared}");
}

/// B in A's frame moves in the opposite direction: leading parts trail, and the same features meet at the same times.
#[test]
fn swapped_bodies_have_the_same_collisions() {
    let mut compared = 0;
    for seed in 0..fewer(1000, 3) {
        let case = case(&mut Random(seed));
        let swapped = Case { a: case.b.clone(), b: case.a.clone(), screw: case.screw.inverse() };
        let [one, other] = [&case, &swapped].map(screened);
        let listed = |found: &Collisions, turned: bool| {
            let sure = found.collisions.iter().filter(|c| !c.contact.touching && c.from.is_none());
            let mut listed: Vec<_> = sure
                .map(|c| {
                    let features = match c.contact.features {
                        ContactFeatures::VertexFace { a, b } if turned => {
                            ContactFeatures::FaceVertex { a: b, b: a }
                        }
                        ContactFeatures::FaceVertex { a, b } if turned => {
                            ContactFeatures::VertexFace { a: b, b: a }
                        }
                        ContactFeatures::EdgeEdge { a, b } if turned => {
                            ContactFeatures::EdgeEdge { a: b, b: a }
                        }
                        features => features,
                    };
                    (features, c.contact.time, c.properness, c.proper)
                })
                .collect();
            listed.sort_by(|x, y| x.0.cmp(&y.0).then(x.1[1].total_cmp(&y.1[1])));
            listed
        };
        let (one, other) = (listed(&one, false), listed(&other, true));
        // Only cases in general position.
        let touches =
            |case: &Case| screened(case).collisions.iter().any(|c| c.contact.touching || c.from.is_some());
        if touches(&case) || touches(&swapped) {
            continue;
        }
        assert_eq!(one.len(), other.len(), "seed {seed}");
        for (x, y) in one.iter().zip(&other) {
            assert!(x.0 == y.0 && same_time(x.1, y.1) && x.3 == y.3, "seed {seed}: {x:?} {y:?}");
            assert!((x.2 - y.2).abs() < 1e-9, "seed {seed}: {x:?} {y:?}");
            compared += 1;
        }
    }
    assert!(compared > 700, "{compared}");
}

#[test]
fn too_little_budget_is_undecided_and_never_clear() {
    for seed in 0..fewer(200, 2) {
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

/// Bodies whose corners are dyadic numbers; one is translated so that one of its corners passes exactly through a
/// corner or the middle of an edge of the other.
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

/// Among all vertex-face pairs that meet at a resolved collision, no pair that matters is more proper.
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
fn contacts_at_a_corner_are_listed_once() {
    let (mut met, mut passages) = (HashMap::new(), 0);
    for seed in 0..fewer(3000, 6) {
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
                let corners = [one.from, other.from].contains(&Some(DegenerateFeatures::VertexVertex));
                let both = one.from.is_some() && other.from.is_some();
                there && (vertex(one).is_some() && vertex(one) == vertex(other) || corners && both)
            });
            assert!(again.is_none(), "seed {seed}: {one:?} and {again:?}");
        }
    }
    let often =
        [DegenerateFeatures::VertexVertex, DegenerateFeatures::VertexEdge, DegenerateFeatures::EdgeVertex]
            .map(|from| met[&from]);
    assert!(often.iter().all(|n| *n > 50) && passages > 350, "{often:?} {passages}");
}

/// A pyramid on its tip, and a roof or another pyramid below: dyadic numbers, so that they meet exactly.
fn tip_down() -> Raw {
    let base = [(1.0, 0.75), (-0.5, 1.0), (-1.0, -0.5), (0.5, -1.0)];
    let mut vertices: Vec<DVec3> = base.iter().map(|(x, y)| DVec3::new(*x, *y, 1.0)).collect();
    vertices.push(DVec3::ZERO);
    let mut faces = vec![[0, 1, 2], [0, 2, 3]];
    faces.extend((0..4).map(|i| [i, 4, (i + 1) % 4]));
    (vertices, faces)
}

/// The same upside down.
fn tip_up() -> Raw {
    let (vertices, faces) = tip_down();
    (vertices.into_iter().map(|v| -v).collect(), faces.into_iter().map(|[a, b, c]| [a, c, b]).collect())
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

fn body((vertices, triangles): &Raw) -> PreparedMesh {
    PreparedMesh::new(chasles::Mesh::new(vertices.clone(), triangles.clone()).unwrap())
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
        assert_eq!(at[0].from, Some(DegenerateFeatures::VertexEdge));
        assert!(matches!(at[0].contact.features, ContactFeatures::VertexFace { a: 4, b: 0..=3 }), "{at:?}");
        let tip = found.inside[0].as_ref().unwrap().iter().find(|row| row.vertex == 4).unwrap();
        assert_eq!((tip.start, tip.end, tip.entries, tip.exits), (Some(false), Some(true), 1, 0));
    }
}

#[test]
fn a_vertex_on_a_vertex_is_one_collision_and_one_passage() {
    let up = tip_up();
    for turn in [0.0, 1.5, -0.75] {
        let start = pose(DVec3::new(0.0, 0.0, 0.5), glam::DQuat::IDENTITY);
        let screw = Screw::about(start, DVec3::Z, DVec3::ZERO, -0.75, turn).unwrap();
        let found = resolved(&tip_down(), &up, &screw);
        let at: Vec<_> =
            found.collisions.iter().filter(|c| (c.contact.time[0] - 2.0 / 3.0).abs() < 1e-7).collect();
        assert_eq!(at.len(), 1, "{at:?}");
        assert_eq!(at[0].from, Some(DegenerateFeatures::VertexVertex));
        for rows in &found.inside {
            let tip = rows.as_ref().unwrap().iter().find(|row| row.vertex == 4).unwrap();
            assert_eq!((tip.start, tip.end, tip.entries, tip.exits), (Some(false), Some(true), 1, 0));
        }
    }
}

/// A steep tip beside a flat one: the steep tip meets an edge of the flat body within the tolerance of the flat tip.
/// Later, an edge of the steep body meets the flat tip further from the steep tip than the tolerance.
#[test]
fn a_tip_that_passes_beside_a_tip_is_one_collision() {
    let stretched = |(vertices, faces): Raw, z| {
        (vertices.into_iter().map(|v| v * DVec3::new(1.0, 1.0, z)).collect(), faces)
    };
    let tolerance = 1e-3;
    let options = Options { tolerance: Some(tolerance), ..Options::default() };
    // Their edges lie in one vertical plane, in this direction.
    let along = DVec3::new(1.0, 0.5, 0.0).normalize();
    for (z_of_a, z_of_b) in [(2.0, 0.5), (0.5, 2.0)] {
        let (a, b) = (stretched(tip_down(), z_of_a), stretched(tip_up(), z_of_b));
        let start = pose(0.8 * tolerance * along + DVec3::new(0.0, 0.0, 0.5), glam::DQuat::IDENTITY);
        let screw = Screw::translation(start, DVec3::new(0.0, 0.0, -0.75));
        let found = collisions(&body(&a), &body(&b), &screw, &options).unwrap();
        let beside = |c: &&Collision| (c.contact.time[0] - 2.0 / 3.0).abs() < 5.0 * tolerance;
        let at: Vec<_> = found.collisions.iter().filter(beside).collect();
        assert_eq!(at.len(), 1, "{at:?}");
        assert_eq!(at[0].from, Some(DegenerateFeatures::VertexVertex));
    }
}

/// A vertex that slides along a ridge, and one that descends on it and rises again, pass through no surface.
#[test]
fn touching_without_crossing_counts_neither() {
    let start = pose(DVec3::new(0.0, 0.0, 0.0), glam::DQuat::IDENTITY);
    let along = Screw::translation(start, DVec3::new(1.0, 0.0, 0.0));
    let found = resolved(&tip_down(), &roof(), &along);
    let row = found.inside[0].as_ref().unwrap().iter().find(|row| row.vertex == 4).unwrap();
    assert_eq!((row.start, row.end, row.entries, row.exits), (None, None, 0, 0));
}

/// The areas of all faces add up, and the areas of each face agree with a grid of samples.
#[test]
fn leading_parts_are_those_of_samples() {
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

/// One motion in two parts: vertices inside at the end of the first part are inside at the start of the second.
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
