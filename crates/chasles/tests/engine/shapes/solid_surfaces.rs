//! Surfaces without an interior that cross: two spheres meet if the distance of their centres is between the
//! difference and the sum of their radii. One passes the other on a straight path while it rotates.

use std::sync::Arc;

use crate::cases::fewer;
use crate::cases::seeds::{Counter, Wrong, for_all};
use crate::shapes::solid_cases::{formula, part, scene};
use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Expression, PairListing, PairReport, PairVerdict,
    ParametricSurface, PartShape, Pose, Primitive, SceneBody, Solid,
};
use chasles_testing::Random;
use glam::{DQuat, DVec3};

/// A sphere as a surface, and how it is made.
fn sphere(random: &mut Random, radius: f64) -> (CollisionShape, &'static str) {
    let of_part = |shape| {
        let solid = Solid::new(vec![part(shape)]).unwrap();
        CollisionShape::solid(Arc::new(solid)).unwrap()
    };
    match random.below(3) {
        0 => {
            let text = format!("sqrt(x^2 + y^2 + z^2) - {radius}");
            (of_part(formula(&text, DVec3::splat(1.1 * radius))), "formula")
        }
        1 => (of_part(PartShape::Primitive(Primitive::Sphere { radius })), "part"),
        _ => {
            let coordinates = ["cos(u)*sin(v)", "sin(u)*sin(v)", "cos(v)"]
                .map(|text| Expression::parse(&format!("{radius}*{text}"), &["u", "v"]).unwrap());
            let pi = std::f64::consts::PI;
            let surface = ParametricSurface::new(coordinates, [[-pi, pi], [0.0, pi]], 1.0).unwrap();
            (CollisionShape::parametric(Arc::new(surface)).unwrap(), "parametric")
        }
    }
}

fn body(name: &str, shape: CollisionShape, motion: BodyMotion) -> SceneBody {
    SceneBody { name: name.into(), shape: Some(shape), motion, parent: None, group: None, solid: false }
}

/// A case, which is printed if an answer about it is wrong.
#[derive(Debug)]
#[expect(dead_code, reason = "told")]
struct Case {
    guises: [&'static str; 2],
    radii: [f64; 2],
    start: DVec3,
    linear: DVec3,
    epsilon: f64,
}

impl Case {
    /// The distance of the surfaces at a time; negative if they cross.
    fn gap(&self, time: f64) -> f64 {
        let distance = (self.start + time * self.linear).length();
        let [a, b] = self.radii;
        (distance - a - b).max((a - b).abs() - distance)
    }

    fn wrong(&self, report: &PairReport) -> Wrong {
        let mut wrong = Wrong::new();
        let mut expect = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("{what}: {self:?} {report:?}"));
            }
        };
        expect(report.undecided.is_empty() && report.verdict != PairVerdict::Undecided, "undecided");
        expect(self.gap(0.0) > -self.epsilon || report.verdict == PairVerdict::Overlapping, "no overlap");
        expect(self.gap(0.0) < self.epsilon || report.verdict != PairVerdict::Overlapping, "overlap");
        for i in 0..=2000 {
            let time = f64::from(i) / 2000.0;
            let gap = self.gap(time);
            let within = |slack: f64| {
                report.intervals.iter().any(|of| {
                    let exit = of.exit.map_or(1.0, |exit| exit[1]);
                    of.enter[0] - slack <= time && time <= exit + slack
                })
            };
            expect(gap > -1e-9 || within(1e-12), &format!("missed at {time}"));
            expect(gap < 1.01 * self.epsilon + 1e-9 || !within(-1e-12), &format!("invented at {time}"));
        }
        for of in &report.intervals {
            for end in [Some(of.enter), of.exit].into_iter().flatten() {
                let close = end.into_iter().all(|time| self.gap(time).abs() <= 1.01 * self.epsilon + 1e-9);
                expect(close || end == [0.0; 2], "an end is no end");
            }
        }
        wrong
    }
}

#[test]
fn spheres_as_surfaces_touch_when_their_centres_are_near_enough() {
    let (met, twice, overlapping) = (Counter::default(), Counter::default(), Counter::default());
    let cases = fewer(80, 3);
    for_all(cases, |seed| {
        let random = &mut Random(seed);
        // Spheres of nearly equal radius touch almost everywhere, which takes long.
        let radii = [random.within(0.2, 0.6), random.within(0.7, 1.0)];
        let radii = if random.one_in(2) { radii } else { [radii[1], radii[0]] };
        let [(first, of_first), (second, of_second)] = radii.map(|radius| sphere(random, radius));
        let linear = random.direction() * random.within(0.5, 4.0);
        let start = if random.one_in(3) { random.vector(1.0) } else { random.vector(0.7) - 0.5 * linear };
        let epsilon = 10.0_f64.powf(random.within(-6.0, -3.0));
        let case = Case { guises: [of_first, of_second], radii, start, linear, epsilon };
        let turn = DQuat::from_axis_angle(random.direction(), random.within(0.0, 3.0));
        let start = Pose::new(start, turn).unwrap();
        let angular = random.vector(2.0);
        let bodies = vec![
            body("first", first, BodyMotion::Twist { start, linear, angular }),
            body("second", second, BodyMotion::Still(Pose::IDENTITY)),
        ];
        let scene = scene(bodies, 1.0, epsilon);
        let options = CheckOptions { listed: PairListing::All, ..CheckOptions::default() };
        let report = &scene.check(&options, &()).unwrap().pairs[0];
        met.add_if(report.verdict == PairVerdict::Contact);
        overlapping.add_if(report.verdict == PairVerdict::Overlapping);
        twice.add_if(report.intervals.len() > 1);
        case.wrong(report)
    });
    let counted =
        [&met, &twice, &overlapping].map(|counter| 20 * counter.get() > usize::try_from(cases).unwrap());
    assert_eq!(counted, [true; 3], "{met:?} {twice:?} {overlapping:?}");
}
