//! Surfaces against themselves during a step: parts that the engine skips as proven free of self-contact must be free
//! of it. Sheets that wave, crumple, fold, roll up and wind over themselves are compared with all pairs of features
//! one by one.

use std::f64::consts::TAU;

use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use chasles::{
    ContactFeatures, FeatureMeeting, Mesh, MovingFeatures, MovingKind, MovingSurfaces, SelfTest, SurfaceStep,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

const BUDGET: u64 = 1_000_000_000;

/// A sheet of squares, each of two triangles, before and after a step.
struct Sheet {
    begin: Vec<DVec3>,
    end: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

/// The motion of a sheet.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Wave,
    Crumple,
    Fold,
    Roll,
    Wind,
}

const KINDS: [Kind; 5] = [Kind::Wave, Kind::Crumple, Kind::Fold, Kind::Roll, Kind::Wind];

fn sheet(seed: u64) -> (Kind, Sheet) {
    let random = &mut Random(seed);
    let kind = KINDS[(seed % 5) as usize];
    let [rows, columns] = [4 + random.below(10), 4 + random.below(10)];
    let mut some = |least: f64, most: f64| least + (most - least) * (0.5 + 0.5 * random.side());
    let [height, way, phase] = [some(0.0, 0.3), some(0.0, 0.3), some(0.0, TAU)];
    let [angle_before, angle_after] = match kind {
        Kind::Fold => [some(0.0, 1.0), some(1.5, 5.0)],
        Kind::Roll => [some(3.0, 6.0), some(5.0, 7.0)],
        _ => [0.0; 2],
    };
    let [turns, pitch_before, pitch_after] = [some(0.6, 1.6), some(-0.3, 0.3), some(-0.3, 0.3)];
    // A point of the unit square, before or after.
    let place = |u: f64, v: f64, is_after: bool| -> DVec3 {
        let share = f64::from(u8::from(is_after));
        match kind {
            Kind::Wave | Kind::Crumple => {
                DVec3::new(u, v, height * (7.0 * u + phase + 2.0 * share).sin() * (5.0 * v).cos())
            }
            Kind::Fold => {
                // The half beyond u = 0.5 rotates about that line.
                let angle = if is_after { angle_after } else { angle_before };
                let beyond = (u - 0.5).max(0.0);
                DVec3::new(u.min(0.5) + beyond * angle.cos(), v, beyond * angle.sin())
            }
            Kind::Roll => {
                let angle = if is_after { angle_after } else { angle_before };
                let radius = 1.0 / angle;
                DVec3::new(radius * (u * angle).sin(), v, radius * (u * angle).cos())
            }
            Kind::Wind => {
                let angle = TAU * turns * u;
                let pitch = if is_after { pitch_after } else { pitch_before };
                let radius = 0.3 + 0.5 * v;
                DVec3::new(radius * angle.cos(), radius * angle.sin(), pitch * angle)
            }
        }
    };
    let at = |i: usize, k: usize, is_after: bool| {
        place(i as f64 / rows as f64, k as f64 / columns as f64, is_after)
    };
    let grid: Vec<(usize, usize)> = (0..=rows).flat_map(|i| (0..=columns).map(move |k| (i, k))).collect();
    let mut begin: Vec<DVec3> = grid.iter().map(|(i, k)| at(*i, *k, false)).collect();
    let mut end: Vec<DVec3> = grid.iter().map(|(i, k)| at(*i, *k, true)).collect();
    let random = &mut Random(!seed);
    if matches!(kind, Kind::Crumple) {
        let side = way * 3.0 / rows.max(columns) as f64;
        begin.iter_mut().chain(&mut end).for_each(|p| *p += random.vector(side));
    }
    // The whole sheet may move, rotate and be far away.
    if random.below(2) == 0 {
        let (turn, shift) = (random.quaternion(), random.vector(2.0));
        let on = DQuat::from_scaled_axis(random.vector(0.3)) * turn;
        begin.iter_mut().for_each(|p| *p = turn * *p + 100.0 * shift);
        end.iter_mut().for_each(|p| *p = on * *p + 101.0 * shift);
    }
    let vertex = |i: usize, k: usize| u32::try_from(i * (columns + 1) + k).unwrap();
    let squares = (0..rows).flat_map(|i| (0..columns).map(move |k| (i, k)));
    let triangles = squares
        .flat_map(|(i, k)| {
            let [a, b, c, d] = [vertex(i, k), vertex(i + 1, k), vertex(i + 1, k + 1), vertex(i, k + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect();
    (kind, Sheet { begin, end, triangles })
}

/// All features without a common vertex that meet, one by one.
fn all_events(sheet: &Sheet) -> Vec<ContactFeatures> {
    let Sheet { begin, end, triangles } = sheet;
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]].map(|[v, w]| [v.min(w), v.max(w)]))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let meets = |kind: MovingKind, vertices: [u32; 4]| {
        let [begin, end] = [begin, end].map(|all| vertices.map(|v| all[v as usize]));
        let features = MovingFeatures { kind, start: begin, end };
        matches!(features.first_contact(0.0, BUDGET).unwrap(), FeatureMeeting::Contact(_))
    };
    let mut found = Vec::new();
    for vertex in 0..u32::try_from(begin.len()).unwrap() {
        for (face, [a, b, c]) in (0_u32..).zip(triangles) {
            if ![*a, *b, *c].contains(&vertex) && meets(MovingKind::VertexFace, [vertex, *a, *b, *c]) {
                found.push(ContactFeatures::VertexFace { a: vertex, b: face });
            }
        }
    }
    for (i, [a, b]) in edges.iter().enumerate() {
        for [c, d] in &edges[i + 1..] {
            if ![*a, *b].contains(c) && ![*a, *b].contains(d) && meets(MovingKind::EdgeEdge, [*a, *b, *c, *d])
            {
                found.push(ContactFeatures::EdgeEdge { a: [*a, *b], b: [*c, *d] });
            }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn no_event_of_a_surface_with_itself_is_missed() {
    let counts: [[Counter; 2]; 5] = Default::default();
    for_all(fewer(200, 2), |seed| {
        let (kind, sheet) = sheet(seed);
        let truth = all_events(&sheet);
        counts[(seed % 5) as usize][usize::from(truth.is_empty())].add();
        let mesh = Mesh::new(sheet.begin.clone(), sheet.triangles.clone()).unwrap();
        let mut surfaces = MovingSurfaces::new(vec![(mesh, SelfTest::Tested)]);
        let (begin, end) = ([sheet.begin.clone()], [sheet.end.clone()]);
        let step = SurfaceStep { start: &begin, end: &end };
        let events = surfaces.events(&step, 0.0, BUDGET).unwrap();
        let mut found: Vec<ContactFeatures> = events.events.iter().map(|event| event.pair.features).collect();
        found.sort_unstable();
        let mut wrong = Wrong::new();
        if !events.is_complete || found != truth {
            wrong.push(format!("{kind:?}: {} events, {} found", truth.len(), found.len()));
        }
        let intervals = surfaces.intervals(&step, [0, 0], BUDGET).unwrap();
        if intervals.intervals.is_empty() != truth.is_empty() || !intervals.undecided.is_empty() {
            wrong.push(format!("{kind:?}: {} events, {intervals:?}", truth.len()));
        }
        let safe = surfaces.safe_step(&step, 0.0, BUDGET).unwrap();
        if (safe.until < 1.0) != events.events.first().is_some_and(|first| first.contact.time[0] < 1.0) {
            wrong.push(format!("{kind:?}: {} events, safe until {}", truth.len(), safe.until));
        }
        wrong
    });
    // Every kind but waves meets itself sometimes, and every kind but crumpled sheets is sometimes clear.
    let told = counts.each_ref().map(|counts| counts.each_ref().map(Counter::get));
    assert!(told[1..].iter().all(|[met, _]| *met >= 1), "{told:?}");
    assert!(told.iter().filter(|[_, clear]| *clear >= 2).count() >= 3, "{told:?}");
}
