//! Two spur gears in mesh, whose flanks slide past each other at an almost constant gap: the minimum gap is compared
//! with exact gaps at many poses.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Mesh, PairListing, PairVerdict, Pose, PosedShapes,
    PreparedMesh, Scene, SceneBody, SceneDefinition, SceneReport, Screw, distance,
};
use chasles_testing::gears::gear;
use glam::{DQuat, DVec3};

/// Both gears, their start poses, and their rotation angles.
struct Gears {
    shapes: [CollisionShape; 2],
    starts: [Pose; 2],
    angles: [f64; 2],
}

/// The first rotates by `angle`; `apart` is the distance of the axes in excess of the nominal one.
fn gears(teeth: [u32; 2], angle: f64, apart: f64) -> Gears {
    let radii = teeth.map(|teeth| 0.5 * f64::from(teeth));
    let shapes = teeth.map(|teeth| {
        let (points, triangles) = gear(teeth);
        CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points, triangles).unwrap())))
    });
    // In mesh, a tooth of one is half a pitch from a tooth of the other.
    let phases = [0.0, PI - FRAC_PI_2 / radii[1]];
    let places = [0.0, radii[0] + radii[1] + apart];
    let start = |k: usize| Pose::new(DVec3::X * places[k], DQuat::from_rotation_z(phases[k])).unwrap();
    Gears { shapes, starts: [start(0), start(1)], angles: [angle, -angle * radii[0] / radii[1]] }
}

impl Gears {
    fn scene(&self, clearance: f64) -> Scene {
        let body = |k: usize| SceneBody {
            name: format!("gear {k}"),
            shape: Some(self.shapes[k].clone()),
            motion: BodyMotion::Screw(self.screw(k)),
            parent: None,
            group: None,
            solid: false,
        };
        let bodies = vec![body(0), body(1)];
        let definition =
            SceneDefinition { duration: 1.0, tolerance: None, clearance, bodies, ignore: vec![] };
        Scene::new(definition).unwrap()
    }

    fn screw(&self, k: usize) -> Screw {
        Screw::about(self.starts[k], DVec3::Z, self.starts[k].position(), 0.0, self.angles[k]).unwrap()
    }

    /// The exact gap at a fraction of the time, up to rounding.
    fn gap_at(&self, share: f64) -> f64 {
        let [a, b] = [0, 1].map(|k| (&self.shapes[k], self.screw(k).pose_at(share)));
        distance(&PosedShapes { a, b }).upper
    }
}

fn checked(scene: &Scene, listed: PairListing, budget: u64) -> SceneReport {
    scene.check(&CheckOptions { listed, budget, ..CheckOptions::default() }, &()).unwrap()
}

#[test]
fn the_minimum_gap_of_meshing_gears_is_found() {
    for (teeth, angle, apart) in [([18, 24], TAU / 18.0, 0.0), ([18, 24], 0.5, 0.05), ([20, 30], 0.3, 0.0)] {
        let gears = gears(teeth, angle, apart);
        let report = checked(&gears.scene(0.0), PairListing::All, 50_000_000);
        let [pair] = &report.pairs[..] else { panic!("{report:?}") };
        let ([lower, upper], time) = (pair.gap.unwrap(), pair.gap_time.unwrap());
        assert_eq!(pair.verdict, PairVerdict::Clear);
        assert!(lower > 0.0 && upper - lower <= (0.01 * upper).max(1e-5), "{lower} {upper}");
        let seen = (0..=2000).map(|k| gears.gap_at(f64::from(k) / 2000.0)).fold(f64::INFINITY, f64::min);
        assert!(lower <= seen && upper <= seen * (1.0 + 1e-9) + 0.01 * seen, "{lower} {upper} {seen}");
        assert!((gears.gap_at(time) - upper).abs() <= 0.002 * upper, "{} {upper}", gears.gap_at(time));
    }
}

#[test]
fn within_a_clearance_gears_are_near_all_the_time() {
    let gears = gears([18, 24], 0.5, 0.0);
    let report = checked(&gears.scene(0.1), PairListing::NotClear, 50_000_000);
    let [pair] = &report.pairs[..] else { panic!("{report:?}") };
    let [span] = &pair.intervals[..] else { panic!("{pair:?}") };
    assert_eq!((pair.verdict, span.enter, span.exit, pair.reason), (PairVerdict::Near, [0.0; 2], None, None));
    let [lower, upper] = pair.gap.unwrap();
    assert!(lower > 0.0 && upper - lower <= (0.01 * upper).max(1e-5), "{lower} {upper}");
}

/// A budget that does not suffice still gives valid bounds.
#[test]
fn with_small_budgets_the_gap_is_still_correct() {
    let mut found = 0;
    let gears = gears([18, 24], 0.5, 0.0);
    let seen = (0..=500).map(|k| gears.gap_at(f64::from(k) / 500.0)).fold(f64::INFINITY, f64::min);
    for budget in [1, 1000, 20_000, 200_000] {
        for pair in checked(&gears.scene(0.0), PairListing::All, budget).pairs {
            if let Some([lower, upper]) = pair.gap {
                assert!(lower <= seen && upper >= lower, "{budget}: {lower} {upper} {seen}");
                found += 1;
            }
        }
    }
    assert!(found > 0);
}
