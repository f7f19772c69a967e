//! Scenes of two bodies of any kind, and what a check of one says and costs.

use std::sync::Arc;

use chasles::{
    BodyMotion, CheckOptions, CollisionShape, Mesh, NearestReport, PairListing, PairReport, PairVerdict,
    Pose, PreparedMesh, Scene, SceneBody, SceneDefinition, Screw,
};

use crate::cases::shapes::Raw;
use crate::program::timing::timed;

/// Queries shorter than this are timed again, in seconds.
const SLOW: f64 = 0.05;

/// A scene of two bodies, the first of which moves on a screw through one second; cut off at some time. Each is solid or not.
///
/// # Errors
/// None.
pub fn scene(
    [moving, standing]: [(&CollisionShape, bool); 2],
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
    let bodies =
        vec![body("moving", moving, motion), body("standing", standing, BodyMotion::Still(Pose::IDENTITY))];
    let definition =
        SceneDefinition { duration: until, tolerance: None, clearance: 0.0, bodies, ignore: vec![] };
    Scene::new(definition)?.with_epsilon(epsilon)
}

/// What a check says of the pair, and the seconds it takes.
#[derive(Debug, Clone)]
pub struct Told {
    /// Of a clear pair it says no more than that.
    pub pair: PairReport,
    /// Processor time.
    pub seconds: f64,
}

impl Told {
    /// Whether this is the verdict.
    #[must_use]
    pub fn is(&self, verdict: PairVerdict) -> bool {
        self.pair.verdict == verdict
    }

    /// The end of the first enclosure, in seconds.
    #[must_use]
    pub fn met(&self) -> Option<f64> {
        self.pair.intervals.first().map(|interval| interval.enter[1])
    }
}

/// Asks once to see how long it takes, then as often as that is worth.
pub fn measured<T>(mut ask: impl FnMut() -> T) -> (T, f64) {
    let (value, seconds) = timed(0, &mut ask);
    if seconds > SLOW { (value, seconds) } else { timed(3, ask) }
}

/// Checks a scene of one pair, without names of what touches.
///
/// # Errors
/// None.
pub fn ask(scene: &Scene) -> Result<Told, chasles::Error> {
    let options = CheckOptions {
        listed: PairListing::NotClear,
        naming: NearestReport::Nothing,
        ..CheckOptions::default()
    };
    ask_for(scene, &options)
}

/// Checks a scene of one pair.
///
/// # Errors
/// None.
pub fn ask_for(scene: &Scene, options: &CheckOptions) -> Result<Told, chasles::Error> {
    let (report, seconds) = measured(|| scene.check(options, &()));
    let report = report?;
    let clear = PairReport {
        bodies: [0, 1],
        verdict: report.verdict,
        intervals: vec![],
        clear_until: report.clear_until,
        undecided: vec![],
        doubt: None,
        deviation: 0.0,
        gap: None,
        gap_time: None,
        epsilon: None,
        events: Vec::new(),
    };
    Ok(Told { pair: report.pairs.into_iter().next().unwrap_or(clear), seconds })
}

/// A mesh as a shape.
///
/// # Errors
/// None.
pub fn mesh((points, triangles): &Raw) -> Result<CollisionShape, chasles::Error> {
    Ok(CollisionShape::mesh(Arc::new(PreparedMesh::new(Mesh::new(points.clone(), triangles.clone())?))))
}
