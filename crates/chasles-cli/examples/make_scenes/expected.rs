//! A scene with what its pairs are expected to do.

use crate::make_scenes::scene::{Body, Interval, Pair, Scene};
use crate::make_scenes::truth::TruthCase;

/// Enclosures are sharper than this share of the duration where features cross.
const SHARP: f64 = 1e-9;

/// Where surfaces only touch, the program's tolerance and the speed leave this share of the duration open.
pub(crate) const TOUCHING: f64 = 1e-8;

/// How often a static test looks at a motion for spans of contact: every scene's shortest span and gap are longer than one
/// part of it. Large meshes take long, and their spans are.
pub(crate) const SAMPLES: u32 = 2500;
pub(crate) const FEW_SAMPLES: u32 = 400;

/// A scene in which nothing is known to meet yet, and every body is tested against one of them.
pub(crate) fn scene(name: &'static str, duration: f64, bodies: Vec<Body>) -> Scene {
    Scene {
        name,
        about: "",
        truth: "",
        duration,
        clearance: 0.0,
        epsilon: None,
        pairs_tested: bodies.len() - 1,
        bodies,
        pairs: Vec::new(),
        times_within: SHARP,
        parts_within: 0.0,
        points_within: 1e-9,
        normals_within: 0.0,
        play: None,
    }
}

/// What a pair of bodies does by bisection. Times that a formula gives must agree with it: to 1e-9 of the duration, since the
/// coordinates in the files are rounded. Where it is a matter of the last digits the formula's are kept.
pub(crate) fn meet(scene: &mut Scene, pair: [usize; 2], formula: &[(f64, Option<f64>)]) {
    let large = pair.iter().any(|i| scene.bodies[*i].shape.solid().triangles.len() > 100);
    let samples = if large { FEW_SAMPLES } else { SAMPLES };
    let mut intervals = TruthCase::new(scene, pair).meetings(0.0, samples);
    assert!(!intervals.is_empty(), "{}: no contact", scene.name);
    let agree = |bisected: &mut f64, formula: f64| {
        let difference = (*bisected - formula).abs() / scene.duration;
        assert!(difference <= 1e-9, "{}: {bisected} by bisection, {formula} by formula", scene.name);
        if difference <= 1e-14 {
            *bisected = formula;
        }
    };
    for (interval, (enter, exit)) in intervals.iter_mut().zip(formula) {
        agree(&mut interval.enter, *enter);
        if let (Some(bisected), Some(formula)) = (&mut interval.exit, exit) {
            agree(bisected, *formula);
        }
    }
    add_contact(scene, pair, intervals);
}

pub(crate) fn add_contact(scene: &mut Scene, pair: [usize; 2], intervals: Vec<Interval>) {
    let [a, b] = pair.map(|i| scene.bodies[i].name);
    scene.pairs.push(Pair { a, b, verdict: "contact", intervals, gap: None });
}

/// Two bodies that never meet: proven by a formula, and looked at.
pub(crate) fn keep_clear(scene: &Scene, pair: [usize; 2], samples: u32) {
    assert!(TruthCase::new(scene, pair).meetings(0.0, samples).is_empty(), "{}: contact", scene.name);
}
