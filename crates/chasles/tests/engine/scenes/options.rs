//! What of a report is listed or named, and how many threads work on it, changes no verdict.

use std::sync::Arc;

use crate::bending::bending_cases::{bending, random_bodies};
use crate::cases::count;
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::scenes::scene_cases::{Kind, body, motion, scene_case};
use chasles::{
    CheckOptions, CubicKey, Curve, DeformingSurface, Listed, MorphTarget, Naming, PairVerdict, Rig,
    RigDefinition, Scene, SceneDefinition, SceneReport, SceneShape,
};
use chasles_testing::Random;
use glam::DVec3;

/// A tetrahedron whose tip goes along a cubic.
fn morphing(random: &mut Random) -> SceneShape {
    let key =
        |time: f64, value: f64, slope: f64| CubicKey { time, in_tangent: slope, value, out_tangent: slope };
    let weight = Curve::Cubic(vec![key(0.0, 0.0, random.side()), key(1.0, 1.0, 3.0 * random.side())]);
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let ways = vec![DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, random.vector(1.0)];
    let targets = vec![MorphTarget { ways, weight }];
    let rig = Rig::new(RigDefinition { vertices, targets, ..RigDefinition::default() }).unwrap();
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    SceneShape::deforming(Arc::new(DeformingSurface::of_rig(triangles, Arc::new(rig)).unwrap()))
}

/// A scene of meshes, of round or solid bodies, or of those that deform, on motions of all kinds.
fn scene(seed: u64) -> Scene {
    let random = &mut Random(seed);
    let mut definition = match seed % 6 {
        0 => scene_case(random, Kind::Meshes).definition,
        1 => scene_case(random, Kind::Round).definition,
        2 => scene_case(random, Kind::Solid).definition,
        kind => {
            let mut bodies: Vec<_> = if kind == 3 {
                let shape = |(frames, triangles): &(Vec<Vec<DVec3>>, Vec<[u32; 3]>)| {
                    let scaled = |frame: &Vec<DVec3>| frame.iter().map(|p| *p / 256.0).collect();
                    bending(frames.iter().map(scaled).collect(), triangles, &[0.0, 0.5, 1.0])
                };
                let made = random_bodies(random);
                made.iter().map(|one| body(Some(shape(one)), motion(random, 1.0, 2.0), None)).collect()
            } else {
                let shape = morphing(random);
                vec![body(Some(shape), motion(random, 1.0, 0.2), None)]
            };
            let others = scene_case(random, if kind == 4 { Kind::Meshes } else { Kind::Round }).definition;
            for shape in others.bodies.into_iter().filter_map(|body| body.shape).take(2) {
                bodies.push(body(Some(shape), motion(random, 1.0, 1.5), None));
            }
            SceneDefinition { duration: 1.0, tolerance: None, clearance: 0.0, bodies, ignore: vec![] }
        }
    };
    if random.below(3) == 0 {
        definition.clearance = 0.05;
    }
    Scene::new(definition).unwrap()
}

/// What must be the same: the verdict, and of each pair that is not clear its verdict and how many times it has.
fn told(report: &SceneReport) -> impl PartialEq + std::fmt::Debug {
    let pairs = report.pairs.iter().filter(|pair| pair.verdict != PairVerdict::Clear);
    let pairs: Vec<_> = pairs.map(|pair| (pair.bodies, pair.verdict, pair.intervals.len())).collect();
    (report.verdict, report.pairs_tested, report.pairs_clear, pairs)
}

#[test]
fn no_option_of_the_report_changes_a_verdict() {
    let plain = CheckOptions { budget: 20_000_000, ..CheckOptions::default() };
    let all = CheckOptions { listed: Listed::All, ..plain };
    let every = CheckOptions { all_contacts: true, events: true, ..all };
    let others = [
        ("all pairs", all),
        ("all contacts", CheckOptions { all_contacts: true, ..plain }),
        ("events", CheckOptions { events: true, ..plain }),
        ("nothing named", CheckOptions { naming: Naming::Nothing, ..plain }),
        ("all of them", every),
    ];
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (clear, met, doubts) = (Counter::default(), Counter::default(), Counter::default());
    for_all(count(240), |seed| {
        let scene = scene(seed);
        let mut wrong = Wrong::new();
        let first = scene.check(&plain, &()).unwrap();
        clear.add_if(first.verdict == PairVerdict::Clear);
        met.add_if(first.verdict >= PairVerdict::Contact);
        doubts.add_if(first.verdict == PairVerdict::Undecided);
        for (name, options) in &others {
            let report = scene.check(options, &()).unwrap();
            if told(&report) != told(&first) {
                wrong.push(format!("{name}: {:?}, without it {:?}", told(&report), told(&first)));
            }
        }
        if one.install(|| scene.check(&every, &()).unwrap()) != scene.check(&every, &()).unwrap() {
            wrong.push("one thread says something else".into());
        }
        wrong
    });
    let (clear, met, doubts) = (clear.get(), met.get(), doubts.get());
    assert!(clear > 40 && met > 40 && doubts < 12, "{clear} clear, {met} met, {doubts} undecided");
}
