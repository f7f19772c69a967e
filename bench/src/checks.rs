//! Scenes of two bodies of any kind, and the results and times of their checks.

use std::sync::Arc;

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Mesh, NearestReport, PairListing, PairReport, PairVerdict,
    Pose, PreparedMesh, Scene, SceneBody, SceneDefinition, Screw,
};

use crate::cases::shapes::Raw;
use crate::program::timing::timed;

/// Shorter queries are timed again, in seconds.
const SLOW: f64 = 0.05;

/// A scene of two bodies, which may be solid. The first moves on a screw that lasts one second, cut off at `until`.
///
/// # Errors
/// None.
pub fn scene(
    [moving, static_body]: [(&CollisionShape, bool); 2],
    screw: &Screw,
    (epsilon, until): (f64, f64),
) -> Result<Scene, chasles::Error> {
    let body = |name: &str, (shape, solid): (&CollisionShape, bool), motion| SceneBody {
        name: name.into(),
        shape: Some(shape.clone()),
        motion,
        parent: None,
        group: None,
        solid,
    };
    let motion = if until == 1.0 {
        BodyMotion::Screw(*screw)
    } else {
        let motion = Box::new(BodyMotion::Screw(*screw));
        BodyMotion::During { start: 0.0, duration: 1.0, motion }
    };
    let bodies = vec![
        body("moving", moving, motion),
        body("standing", static_body, BodyMotion::Still(Pose::IDENTITY)),
    ];
    let definition =
        SceneDefinition { duration: until, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
    Scene::new(definition)?.with_epsilon(epsilon)
}

/// The result of a check for the pair, and its time.
#[derive(Debug, Clone)]
pub struct CheckAnswer {
    /// The report; for a clear pair it has no details.
    pub pair: PairReport,
    /// Processor time, in seconds.
    pub seconds: f64,
}

impl CheckAnswer {
    /// Whether the verdict is `verdict`.
    #[must_use]
    pub fn is(&self, verdict: PairVerdict) -> bool {
        self.pair.verdict == verdict
    }

    /// The upper end of the first enclosure, in seconds.
    #[must_use]
    pub fn contact_time(&self) -> Option<f64> {
        self.pair.intervals.first().map(|interval| interval.enter[1])
    }
}

/// Calls a function once to find its duration, then more often if it is short.
pub fn measured<T>(mut check: impl FnMut() -> T) -> (T, f64) {
    let (value, seconds) = timed(0, &mut check);
    if seconds > SLOW { (value, seconds) } else { timed(3, check) }
}

/// Checks a scene of one pair, without the names of touching features.
///
/// # Errors
/// None.
pub fn check(scene: &Scene) -> Result<CheckAnswer, chasles::Error> {
    let options = CheckOptions {
        listed: PairListing::NotClear,
        naming: NearestReport::Nothing,
        ..CheckOptions::default()
    };
    check_with(scene, &options)
}

/// Checks a scene of one pair.
///
/// # Errors
/// None.
pub fn check_with(scene: &Scene, options: &CheckOptions) -> Result<CheckAnswer, chasles::Error> {
    let (report, seconds) = measured(|| scene.check(options, &()));
    let report = report?;
    let clear = PairReport {
        bodies: [0, 1],
        verdict: report.verdict,
        intervals: vec![],
        clear_until: report.clear_until,
        undecided: vec![],
        reason: None,
        deviation: 0.0,
        gap: None,
        gap_time: None,
        epsilon: None,
        events: Vec::new(),
    };
    Ok(CheckAnswer { pair: report.pairs.into_iter().next().unwrap_or(clear), seconds })
}

/// A mesh as a shape.
///
/// # Errors
/// None.
pub fn mesh((points, triangles): &Raw) -> Result<CollisionShape, chasles::Error> {
    Ok(CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points.clone(), triangles.clone())?))))
}
