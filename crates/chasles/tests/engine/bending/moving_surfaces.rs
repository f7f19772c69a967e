//! Surfaces during one step, compared with all pairs of their features: events by the twin over the integers, and
//! exact static tests for intersection at times that are doubles.

use crate::bending::moving_cases::twin::first_contact;
use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use chasles::{
    ContactFeatures, Mesh, MovingFeatures, MovingKind, MovingSurfaces, SelfTest, SurfaceFeatures,
    SurfaceStep, triangles_intersect,
};
use chasles_testing::Random;
use glam::DVec3;

const BUDGET: u64 = 1_000_000_000;

/// Number of times at which surfaces are tested: vertices then have exact double coordinates.
const TIMES: i32 = 64;

#[derive(Debug)]
struct Case {
    meshes: Vec<(Mesh, SelfTest)>,
    begin: Vec<Vec<DVec3>>,
    end: Vec<Vec<DVec3>>,
}

impl Case {
    fn at(&self, surface: usize, k: i32) -> Vec<DVec3> {
        let places = self.begin[surface].iter().zip(&self.end[surface]);
        places.map(|(p, q)| *p + (*q - *p) * (f64::from(k) / f64::from(TIMES))).collect()
    }
}

/// A strip or a few loose triangles with corners on a coarse grid: many are coplanar, collinear or coincident.
fn case(seed: u64) -> Case {
    let random = &mut Random(seed);
    let mut case = Case { meshes: Vec::new(), begin: Vec::new(), end: Vec::new() };
    let flat = random.below(4) == 0;
    let size = [3, 6, 1000][random.below(3)];
    for _ in 0..1 + random.below(2) {
        let vertices = [4, 5, 6, 7][random.below(4)];
        let triangles: Vec<[u32; 3]> = if random.below(2) == 0 {
            (0..vertices - 2).map(|i| [i, i + 1, i + 2]).collect()
        } else {
            {
                let numbers: Vec<u32> = (0..vertices).collect();
                (0..3).map(|_| [0; 3].map(|_| numbers[random.below(numbers.len())])).collect()
            }
        };
        let place = |random: &mut Random| {
            let mut p = DVec3::from_array([0; 3].map(|_| random.below(size) as f64));
            if flat {
                p.z = 1.0;
            }
            p * 64.0
        };
        let begin: Vec<DVec3> = (0..vertices).map(|_| place(random)).collect();
        let stands = random.below(4) == 0;
        let end = if stands { begin.clone() } else { (0..vertices).map(|_| place(random)).collect() };
        let mesh = Mesh::new(begin.clone(), triangles).unwrap();
        // Merged vertices must move together.
        let self_test = [SelfTest::Tested, SelfTest::Skipped][random.below(2)];
        case.meshes.push((mesh, self_test));
        case.begin.push(begin);
        case.end.push(end);
    }
    if case.meshes.len() == 1 {
        case.meshes[0].1 = SelfTest::Tested;
    }
    case
}

/// Every two features that must be tested.
fn all_features(case: &Case) -> Vec<SurfaceFeatures> {
    let mut all = Vec::new();
    for i in 0..case.meshes.len() {
        for j in i..case.meshes.len() {
            if i == j && case.meshes[i].1 == SelfTest::Skipped {
                continue;
            }
            let (a, b) = (&case.meshes[i].0, &case.meshes[j].0);
            let used = |mesh: &Mesh| {
                let mut used = mesh.triangles().as_flattened().to_vec();
                used.sort_unstable();
                used.dedup();
                used
            };
            let mut add = |features| all.push(SurfaceFeatures { surfaces: [i, j], features });
            for (f, face) in (0..).zip(b.triangles()) {
                for v in used(a) {
                    if i != j || !face.contains(&v) {
                        add(ContactFeatures::VertexFace { a: v, b: f });
                    }
                }
            }
            for (f, _) in (0..).zip(a.triangles()).filter(|_| i != j) {
                used(b).into_iter().for_each(|v| add(ContactFeatures::FaceVertex { a: f, b: v }));
            }
            for e in a.edges() {
                for g in b.edges() {
                    if i != j || e < g && !e.iter().any(|v| g.contains(v)) {
                        add(ContactFeatures::EdgeEdge { a: *e, b: *g });
                    }
                }
            }
        }
    }
    all
}

fn moving(case: &Case, pair: &SurfaceFeatures) -> MovingFeatures {
    let [i, j] = pair.surfaces;
    let face = |s: usize, f: u32| case.meshes[s].0.triangles()[f as usize];
    let (kind, vertices) = match pair.features {
        ContactFeatures::VertexFace { a, b } => {
            let [p, q, r] = face(j, b);
            (MovingKind::VertexFace, [(i, a), (j, p), (j, q), (j, r)])
        }
        ContactFeatures::FaceVertex { a, b } => {
            let [p, q, r] = face(i, a);
            (MovingKind::VertexFace, [(j, b), (i, p), (i, q), (i, r)])
        }
        ContactFeatures::EdgeEdge { a: [p, q], b: [r, s] } => {
            (MovingKind::EdgeEdge, [(i, p), (i, q), (j, r), (j, s)])
        }
        _ => unreachable!(),
    };
    MovingFeatures {
        kind,
        start: vertices.map(|(s, v)| case.begin[s][v as usize]),
        end: vertices.map(|(s, v)| case.end[s][v as usize]),
    }
}

/// Whether two surfaces, or one and itself, meet at a time.
fn meet(case: &Case, [i, j]: [usize; 2], k: i32) -> bool {
    let (p, q) = (case.at(i, k), case.at(j, k));
    let (a, b) = (&case.meshes[i].0, &case.meshes[j].0);
    let corners = |places: &[DVec3], vertices: [u32; 3]| vertices.map(|v| places[v as usize]);
    if i != j {
        return a
            .triangles()
            .iter()
            .any(|f| b.triangles().iter().any(|g| triangles_intersect(&corners(&p, *f), &corners(&q, *g))));
    }
    // Features without a common vertex, each as a possibly degenerate triangle.
    let edges = || a.edges().iter().map(|[v, w]| [*v, *w, *w]);
    let vertices = || a.triangles().as_flattened().iter().map(|v| [*v; 3]);
    let faces = || a.triangles().iter().copied();
    let all: Vec<[[u32; 3]; 2]> = edges()
        .flat_map(|e| faces().chain(edges()).map(move |g| [e, g]))
        .chain(vertices().flat_map(|v| faces().map(move |g| [v, g])))
        .collect();
    all.iter().any(|[f, g]| {
        !f.iter().any(|v| g.contains(v)) && triangles_intersect(&corners(&p, *f), &corners(&p, *g))
    })
}

#[derive(Debug, Default)]
struct Counts {
    events: Counter,
    met: Counter,
    apart: Counter,
    ends: Counter,
}

#[test]
fn all_events_and_all_intervals_of_a_step_are_those_of_the_twins() {
    let counts = Counts::default();
    let cases = fewer(600, 8);
    for_all(cases, |seed| {
        let case = case(seed);
        let mut surfaces = MovingSurfaces::new(case.meshes.clone());
        let step = SurfaceStep { start: &case.begin, end: &case.end };
        let mut wrong = Wrong::new();
        let found = surfaces.events(&step, 0.0, BUDGET).unwrap();
        if !found.is_complete || !found.undecided.is_empty() {
            wrong.push("undecided".into());
        }
        if !found.events.is_sorted_by(|x, y| x.contact.time[0] <= y.contact.time[0]) {
            wrong.push("not in order".into());
        }
        let candidates = surfaces.candidates(&step, 0.0, BUDGET).unwrap();
        let mut first = f64::INFINITY;
        for pair in all_features(&case) {
            let truth = first_contact(&moving(&case, &pair), 0.0);
            let told: Vec<_> = found.events.iter().filter(|event| event.pair == pair).collect();
            match (&told[..], truth) {
                ([], None) => {}
                ([event], Some([lo, hi])) if event.contact.time[0] <= hi && lo <= event.contact.time[1] => {
                    counts.events.add();
                    first = first.min(event.contact.time[0]);
                }
                _ => wrong.push(format!("{pair:?}: found {told:?}, truth {truth:?}")),
            }
            if truth.is_some() && candidates.iter().filter(|other| **other == pair).count() != 1 {
                wrong.push(format!("{pair:?} is no candidate"));
            }
        }
        let safe = surfaces.safe_step(&step, 0.0, BUDGET).unwrap();
        if safe.until != first.min(1.0)
            || !safe.is_complete
            || safe.contacts.is_empty() != first.is_infinite()
        {
            wrong.push(format!("safe until {:?}, for {first:?}", safe.until));
        }
        for i in 0..case.meshes.len() {
            for j in i..case.meshes.len() {
                let found = surfaces.intervals(&step, [i, j], BUDGET).unwrap();
                if !found.undecided.is_empty() {
                    wrong.push(format!("{i} and {j}: unknown {:?}", found.undecided));
                }
                for k in 0..=TIMES {
                    let time = f64::from(k) / f64::from(TIMES);
                    let may = found.intervals.iter().any(|x| x.enter[0] <= time && time <= x.exit[1]);
                    let must = found.intervals.iter().any(|x| x.enter[1] <= time && time <= x.exit[0]);
                    let truth = meet(&case, [i, j], k);
                    counts.met.add_if(truth);
                    counts.apart.add_if(!truth);
                    counts.ends.add_if(
                        may && !(found.intervals.iter().any(|x| x.enter[1] < time && time < x.exit[0])),
                    );
                    if truth && !may || !truth && must {
                        wrong.push(format!("{i} and {j} at {time}: {truth}, found {:?}", found.intervals));
                    }
                }
                let apart = found.intervals.windows(2).all(|pair| pair[0].exit[1] < pair[1].enter[0]);
                let narrow = |span: [f64; 2]| span[0] <= span[1] && span[1] - span[0] <= 1e-9;
                if !apart || !found.intervals.iter().all(|x| narrow(x.enter) && narrow(x.exit)) {
                    wrong.push(format!("{i} and {j}: intervals {:?}", found.intervals));
                }
            }
        }
        if !wrong.is_empty() {
            wrong.push(format!("{case:?}"));
        }
        wrong
    });
    let [events, met, apart, ends] =
        [&counts.events, &counts.met, &counts.apart, &counts.ends].map(Counter::get);
    assert!(events > 80 && met > 430 && apart > 430 && ends > 40, "{counts:?}");
}

/// With a distance, no surfaces come within it before the end of the safe step.
#[test]
fn no_features_come_within_the_distance_in_a_safe_step() {
    for_all(fewer(200, 6), |seed| {
        let case = case(seed);
        let distance = [32.0, 64.0, 96.0][Random(seed ^ 5).below(3)];
        let mut surfaces = MovingSurfaces::new(case.meshes.clone());
        let step = SurfaceStep { start: &case.begin, end: &case.end };
        let safe = surfaces.safe_step(&step, distance, BUDGET).unwrap();
        let truths =
            all_features(&case).into_iter().filter_map(|pair| first_contact(&moving(&case, &pair), distance));
        let first =
            truths.fold([f64::INFINITY; 2], |first, time| if time[0] < first[0] { time } else { first });
        let is_right = match safe.contacts.is_empty() {
            true => first[0].is_infinite() && safe.until == 1.0,
            false => safe.until <= first[1] && safe.until >= first[0] - 1e-9,
        };
        if is_right && safe.is_complete { vec![] } else { vec![format!("{safe:?} for {first:?}: {case:?}")] }
    });
}

#[test]
fn invalid_steps_are_refused_and_small_budgets_prove_nothing() {
    let case = (0..).map(case).find(|case| case.meshes.len() == 2).unwrap();
    let mut surfaces = MovingSurfaces::new(case.meshes.clone());
    let mut broken = case.end.clone();
    broken[1][2].y = f64::NAN;
    let mut short = case.end.clone();
    short[0].pop();
    for (end, place) in [(&broken, "end of surface 1: vertex 2"), (&short, "end of surface 0")] {
        let error = surfaces.events(&SurfaceStep { start: &case.begin, end }, 0.0, BUDGET).unwrap_err();
        assert_eq!(error.place(), place);
    }
    let step = SurfaceStep { start: &case.begin, end: &case.end };
    assert!(
        surfaces.events(&step, -1.0, BUDGET).is_err() && surfaces.intervals(&step, [0, 2], BUDGET).is_err()
    );
    let none = surfaces.safe_step(&step, 100.0, 1).unwrap();
    assert_eq!((none.until, none.is_complete), (0.0, false));
    assert!(!surfaces.events(&step, 100.0, 1).unwrap().is_complete);
    assert_eq!(surfaces.intervals(&step, [0, 1], 0).unwrap().undecided, [[0.0, 1.0]]);
}
