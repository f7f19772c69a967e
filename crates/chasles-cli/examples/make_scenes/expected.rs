//! The computed values of an expected report: by bisection and compared with formulas, or by formulas alone.

use serde_json::{Value, json};

use crate::make_scenes::scene::Scene;
use crate::make_scenes::truth::{TrueInterval, TruthCase};

/// The maximum width of the enclosure of a crossing, as a fraction of the duration.
const SHARP: f64 = 1e-9;

/// The uncertainty of a time at which surfaces only touch, as a fraction of the duration: it follows from the program's
/// tolerance and the speed.
pub(crate) const TOUCHING: f64 = 1e-8;

/// Motions that are cut into screws, and round bodies, have their times enclosed within this fraction of the duration.
pub(crate) const CUT: f64 = 1e-6;

/// Samples of a motion by a static test: all intervals of contact and gaps between them are longer than the time from
/// one sample to the next. Large meshes take long, and have long intervals.
const SAMPLES: u32 = 2500;
pub(crate) const FEW_SAMPLES: u32 = 400;
const LARGE: usize = 100;

/// The values of an expected report that follow from its scene.
pub(crate) struct Truth {
    /// The pairs that are not clear.
    pub(crate) pairs: Vec<TruePair>,
    /// The maximum distance of the bounds of an enclosure from the true time, as a fraction of the duration.
    pub(crate) times_within: f64,
    /// Surfaces touch while they are within the tolerance or epsilon. So an exit may start later, and an entry may end
    /// earlier, by this time in seconds.
    pub(crate) parts_within: Option<f64>,
    /// The maximum distance of a contact point from the true one, in metres.
    pub(crate) points_within: f64,
    /// The maximum error of each coordinate of a normal, if it is more than rounding.
    pub(crate) normals_within: Option<f64>,
    /// The free motion of the first body, forward and backward, before it binds on the second: radians and metres.
    pub(crate) play: Option<[Option<[f64; 2]>; 2]>,
}

/// A pair of bodies that are in contact or near.
pub(crate) struct TruePair {
    pub(crate) bodies: [usize; 2],
    pub(crate) intervals: Vec<TrueInterval>,
    /// The minimum distance in metres, if the bodies are only near.
    pub(crate) gap: Option<f64>,
}

/// The intervals of each pair of a scene by bisection.
pub(crate) fn bisected(scene: &Scene) -> Truth {
    let pair = |bodies: [usize; 2]| {
        let triangles = |i: usize| scene.bodies[i].surface.as_ref().map_or(0, |solid| solid.triangles.len());
        let samples = if bodies.iter().any(|i| triangles(*i) > LARGE) { FEW_SAMPLES } else { SAMPLES };
        let intervals = TruthCase::new(scene, bodies).contact_intervals(0.0, samples);
        (!intervals.is_empty()).then_some(TruePair { bodies, intervals, gap: None })
    };
    Truth::of(scene.pairs().into_iter().filter_map(pair).collect())
}

/// The first two bodies of a scene, in contact in one interval.
pub(crate) fn in_contact(enter: f64, exit: Option<f64>, contact: Option<Value>) -> Truth {
    Truth::of(vec![TruePair::in_contact([0, 1], enter, exit, contact)])
}

impl TruePair {
    /// Bodies in contact in one interval.
    pub(crate) fn in_contact(
        bodies: [usize; 2],
        enter: f64,
        exit: Option<f64>,
        contact: Option<Value>,
    ) -> Self {
        Self { bodies, intervals: vec![TrueInterval { enter, exit, contact }], gap: None }
    }

    /// Bodies within the clearance in one interval, with their minimum distance.
    pub(crate) fn near(bodies: [usize; 2], [enter, exit]: [f64; 2], gap: f64) -> Self {
        Self { gap: Some(gap), ..Self::in_contact(bodies, enter, Some(exit), None) }
    }

    fn to_json(&self, scene: &Scene) -> Value {
        let [a, b] = self.bodies.map(|i| &scene.bodies[i].name);
        let intervals: Vec<_> = self.intervals.iter().map(interval_to_json).collect();
        let mut json = json!({ "a": a, "b": b, "verdict": self.verdict(), "intervals": intervals });
        if let Some(gap) = self.gap {
            json["gap"] = json!(gap);
        }
        json
    }

    fn verdict(&self) -> &'static str {
        if self.gap.is_some() { "near" } else { "contact" }
    }
}

fn interval_to_json(TrueInterval { enter, exit, contact }: &TrueInterval) -> Value {
    let mut json = json!({ "enter": enter, "exit": exit });
    if let Some(contact) = contact {
        json["contact"] = contact.clone();
    }
    json
}

impl Truth {
    /// These pairs, with the tolerances of meshes whose features cross.
    pub(crate) fn of(pairs: Vec<TruePair>) -> Self {
        let (times_within, points_within) = (SHARP, 1e-9);
        Self { pairs, times_within, parts_within: None, points_within, normals_within: None, play: None }
    }

    /// Compares the times of the first pair with a formula. They must agree to 1e-9 of the duration, since the
    /// coordinates in the files are rounded. If only the last digits differ, the formula wins.
    pub(crate) fn with_formula(mut self, scene: &Scene, formula: &[(f64, Option<f64>)]) -> Self {
        let intervals = self.pairs.first_mut().map_or(&mut [][..], |pair| &mut pair.intervals);
        assert!(intervals.len() >= formula.len(), "{}: no contact by bisection", scene.name);
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
        self
    }

    /// The tolerances of times for bodies that approach and separate at `slowest` metres per second or faster: the time
    /// from a gap of epsilon to a depth of epsilon, and 1e-6 of the duration.
    pub(crate) fn with_epsilon(self, scene: &Scene, slowest: f64) -> Self {
        let parts_within = 1.1 * scene.number("/epsilon") / slowest;
        let times_within = parts_within / scene.duration + CUT;
        Self { parts_within: Some(parts_within), times_within, ..self }
    }

    /// The values by their keys; null for keys that the report must not have.
    pub(crate) fn values(&self, scene: &Scene) -> Value {
        let any = |verdict: &str| self.pairs.iter().any(|pair| pair.verdict() == verdict);
        let verdict = ["contact", "near"].into_iter().find(|verdict| any(verdict)).unwrap_or("clear");
        let way =
            |way: Option<[f64; 2]>| way.map(|[angle, metres]| json!({ "angle": angle, "metres": metres }));
        let play = self.play.map(|[forward, backward]| {
            let [a, b] = [0, 1].map(|i| &scene.bodies[i].name);
            json!({ "a": a, "b": b, "forward": way(forward), "backward": way(backward) })
        });
        json!({
            "verdict": verdict,
            "exit_status": i32::from(verdict != "clear"),
            "duration": scene.duration,
            "bodies": scene.bodies.len(),
            "times_within": in_digits(self.times_within * scene.duration),
            "parts_within": self.parts_within,
            "points_within": self.points_within,
            "normals_within": self.normals_within,
            "play": play,
            "pairs": self.pairs.iter().map(|pair| pair.to_json(scene)).collect::<Vec<_>>(),
        })
    }
}

/// Rounds to three digits.
fn in_digits(x: f64) -> f64 {
    format!("{x:.2e}").parse().expect("a number")
}
