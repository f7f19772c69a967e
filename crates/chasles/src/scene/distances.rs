//! The distance of two bodies at given times: points for a curve of their gap.

use rayon::prelude::*;

use crate::error::Error;
use crate::instant::gap::GapLimits;
use crate::pair::PairMemory;
use crate::poses::Separation;
use crate::scene::Scene;
use crate::scene::carriers::frame_of;
use crate::scene::check::deformable_pairs::{ScenePair, deformable_distances, scene_pair};
use crate::scene::report::Guarantee;

/// The bounds of a gap may differ by the first fraction of the gap, or by the second fraction of the larger body.
const RELATIVE_ACCURACY: f64 = 0.009;
const ABSOLUTE_ACCURACY: f64 = 1e-7;

/// Maximum number of pairs of boxes and triangles that are examined for one time: some seconds of work.
const STEPS: u64 = 10_000_000;

/// See [`Scene::distances`].
pub(super) fn distances(
    scene: &Scene,
    pair: [usize; 2],
    times: &[f64],
) -> Result<Option<Vec<Separation>>, Error> {
    if let Some(body) = pair.iter().find(|body| **body >= scene.bodies().len()) {
        return Error::out_of_range(*body as f64, "the number of a body", "pair");
    }
    if let Some(time) = times.iter().find(|time| !(0.0..=scene.duration()).contains(*time)) {
        return Error::out_of_range(*time, "a time within the duration", "time");
    }
    let both = match scene_pair(scene, pair, Guarantee::Surfaces)? {
        Some(ScenePair::Constant(both)) => both,
        Some(ScenePair::Deformable(both)) => return deformable_distances(scene, *both, times).map(Some),
        None => return Ok(None),
    };
    let relative = scene.relative(pair);
    let limits = GapLimits {
        relative: RELATIVE_ACCURACY,
        absolute: ABSOLUTE_ACCURACY * both.size(),
        steps: STEPS,
        ..GapLimits::EXACT
    };
    let solid = pair.map(|body| scene.bodies()[body].solid);
    let sample = |memory: &mut PairMemory, time: f64| {
        let pose = relative.pose_at(time, time);
        let found = both.distance_at(memory, &pose, &limits);
        let rounding = relative.rounding(time, time);
        let inside = found.upper > 0.0 && both.is_within(solid, &pose);
        let [lower, upper] =
            if inside { [0.0; 2] } else { [(found.lower - rounding).max(0.0), found.upper + rounding] };
        let world = frame_of(scene, pair[1], pair, time);
        let points = found.points.map(|point| world.transform_point(point));
        Separation { lower, upper, points }
    };
    Ok(Some(times.par_iter().map_init(PairMemory::default, |memory, time| sample(memory, *time)).collect()))
}
