//! The distance of two bodies at given times: points for a curve of their gap.

use rayon::prelude::*;

use crate::error::Error;
use crate::instant::gap::GapLimits;
use crate::pair::PairMemory;
use crate::poses::Separation;
use crate::scene::definition::Scene;

/// The bounds of a gap may differ by the first fraction of the gap, or by the second fraction of the larger body.
const SHARE: f64 = 0.009;
const OF_SIZE: f64 = 1e-7;

/// Maximum number of pairs of boxes and triangles that are examined for one time: some seconds of work.
const STEPS: u64 = 10_000_000;

impl Scene {
    /// The distances, in metres, of two bodies, in this order, at times in [0, `duration`], in the order of the
    /// times; at a jump, after it. The bounds differ by at most 1 % or 1e-7 of the larger body, except for rounding
    /// and after very many steps of work. The distance is 0 if one body is wholly inside the other, and the outer
    /// body is solid. The pair need not be a tested pair. `None`: one of the bodies has no surface.
    ///
    /// # Errors
    /// A body does not exist, or a time is not in [0, `duration`]. If a body deforms: a frame cannot be read, or the
    /// other body is a solid, a cloud or a parametric surface.
    pub fn distances(&self, pair: [usize; 2], times: &[f64]) -> Result<Option<Vec<Separation>>, Error> {
        if let Some(body) = pair.iter().find(|body| **body >= self.bodies().len()) {
            return Error::out_of_range(*body as f64, "the number of a body", "pair");
        }
        if let Some(time) = times.iter().find(|time| !(0.0..=self.duration()).contains(*time)) {
            return Error::out_of_range(*time, "a time within the duration", "time");
        }
        if pair.into_iter().any(|body| self.is_deforming(body)) {
            let has_no_surface = pair.into_iter().any(|body| self.bodies()[body].shape.is_none());
            return if has_no_surface { Ok(None) } else { self.distances_bending(pair, times).map(Some) };
        }
        let Some(both) = self.pair(pair) else {
            return Ok(None);
        };
        let relative = self.relative(pair);
        let limits =
            GapLimits { share: SHARE, absolute: OF_SIZE * both.size(), steps: STEPS, ..GapLimits::EXACT };
        let solid = pair.map(|body| self.bodies()[body].solid);
        let look = |memory: &mut PairMemory, time: f64| {
            let pose = relative.pose_at(time, time);
            let found = both.distance_at(memory, &pose, &limits);
            let rounding = relative.rounding(time, time);
            let inside = found.upper > 0.0 && both.is_within(solid, &pose);
            let [lower, upper] =
                if inside { [0.0; 2] } else { [(found.lower - rounding).max(0.0), found.upper + rounding] };
            let world = self.frame_of(pair[1], pair, time);
            let points = found.points.map(|point| world.transform_point(point));
            Separation { lower, upper, points }
        };
        Ok(Some(times.par_iter().map_init(PairMemory::default, |memory, time| look(memory, *time)).collect()))
    }
}
