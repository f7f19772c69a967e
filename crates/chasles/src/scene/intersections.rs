//! The static check: which bodies intersect at one time.

use glam::DVec3;
use rayon::prelude::*;

use crate::broad_phase::{CandidatePair, SweptBox, candidates};
use crate::convex::inner::Interpenetration;
use crate::error::Error;
use crate::math::budget::Budget;
use crate::motion::Screw;
use crate::pair::PairMemory;
use crate::scene::Scene;
use crate::scene::check::deformable_pairs::standing_bending;
use crate::scene::report::IntersectingPair;

/// See [`Scene::standing`].
pub(super) fn standing(scene: &Scene, time: f64) -> Result<Vec<IntersectingPair>, Error> {
    if !(0.0..=scene.duration()).contains(&time) {
        return Error::out_of_range(time, "a time within the duration", "time");
    }
    let poses: Vec<_> = (0..scene.bodies().len()).map(|body| scene.pose_at(body, time)).collect();
    let boxes: Vec<SweptBox> = (0_u32..)
        .zip(scene.bodies().iter().zip(&poses))
        .filter_map(|(number, (body, pose))| {
            let shape = body.shape.as_ref()?;
            let extent = shape.extent();
            let centre = pose.transform_point(extent.centre);
            let radius = extent.radius + extent.beyond;
            let reach = DVec3::splat(radius * (1.0 + 1e-9) + 1e-12 * centre.length());
            Some(SweptBox { body: number, begin: time, end: time, min: centre - reach, max: centre + reach })
        })
        .collect();
    let wanted = |a: u32, b: u32| !scene.is_exempt(a as usize, b as usize);
    let pair = |memory: &mut PairMemory, candidate: &CandidatePair| {
        let bodies = candidate.bodies.map(|body| body as usize);
        if bodies.into_iter().any(|body| scene.is_deforming(body)) {
            return standing_bending(scene, bodies, time).transpose();
        }
        let mut rigid = || {
            let screw = Screw::still(poses[bodies[0]]).in_frame_of(&poses[bodies[1]]);
            let pair = scene.pair(bodies)?;
            let pose = screw.start();
            let (meets, triangles) = pair.intersection_at(memory, &pose, &mut Budget::new(u64::MAX)).ok()?;
            let solid = bodies.map(|body| scene.bodies()[body].solid);
            let is_inside = || {
                pair.is_within(solid, &pose)
                    || pair.is_interpenetrating(&pose, &mut Budget::new(u64::MAX)) == Ok(Some(true))
            };
            (meets || is_inside()).then_some(IntersectingPair { bodies, triangles })
        };
        rigid().map(Ok)
    };
    let near = candidates(&boxes, &wanted);
    let found = near.par_iter().map_init(PairMemory::default, pair);
    let selves: Vec<usize> = scene.self_tested().collect();
    let with_itself = |body: &usize| standing_bending(scene, [*body; 2], time).transpose();
    let all = found.chain(selves.par_iter().map(with_itself)).flatten_iter();
    let mut all: Vec<IntersectingPair> = all.collect::<Result<_, Error>>()?;
    all.sort_by_key(|pair| pair.bodies);
    Ok(all)
}

/// See [`Scene::interpenetrations`].
pub(super) fn interpenetrations(
    scene: &Scene,
    pairs: &[IntersectingPair],
    time: f64,
) -> Vec<Option<Interpenetration>> {
    let of = |IntersectingPair { bodies, .. }: &IntersectingPair| {
        let [a, b] = bodies.map(|body| scene.pose_at(body, time));
        let pose = Screw::still(a).in_frame_of(&b).start();
        let found = scene.pair(*bodies)?.interpenetration((&pose, &b), &mut Budget::new(u64::MAX));
        found.ok().flatten()
    };
    pairs.par_iter().map(of).collect()
}
