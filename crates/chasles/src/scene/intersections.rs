//! The static check: which bodies intersect at one time.

use glam::DVec3;
use rayon::prelude::*;

use crate::broad_phase::{SweptBox, candidates};
use crate::convex::inner::Interpenetration;
use crate::error::Error;
use crate::math::budget::Budget;
use crate::motion::Screw;
use crate::pair::PairMemory;
use crate::scene::Scene;
use crate::scene::check::deformable_pairs::{ScenePair, scene_pair, static_deformable_intersection};
use crate::scene::report::{Guarantee, IntersectingPair};

/// See [`Scene::static_intersections`].
pub(super) fn static_intersections(scene: &Scene, time: f64) -> Result<Vec<IntersectingPair>, Error> {
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
            Some(SweptBox { body: number, start: time, end: time, min: centre - reach, max: centre + reach })
        })
        .collect();
    let is_selected = |a: u32, b: u32| !scene.is_exempt(a as usize, b as usize);
    let intersection = |memory: &mut PairMemory, bodies: [usize; 2]| {
        let pair = match scene_pair(scene, bodies, Guarantee::Surfaces)? {
            Some(ScenePair::Constant(pair)) => pair,
            Some(ScenePair::Deformable(pair)) => return static_deformable_intersection(scene, *pair, time),
            None => return Ok(None),
        };
        let pose = Screw::still(poses[bodies[0]]).in_frame_of(&poses[bodies[1]]).start();
        let Ok((meets, triangles)) = pair.intersection_at(memory, &pose, &mut Budget::new(u64::MAX)) else {
            return Ok(None);
        };
        let solid = bodies.map(|body| scene.bodies()[body].solid);
        let is_inside = || {
            pair.is_within(solid, &pose)
                || pair.is_interpenetrating(&pose, &mut Budget::new(u64::MAX)) == Ok(Some(true))
        };
        Ok((meets || is_inside()).then_some(IntersectingPair { bodies, triangles }))
    };
    let near = candidates(&boxes, &is_selected);
    let near = near.iter().map(|near| near.bodies.map(|body| body as usize));
    let pairs: Vec<[usize; 2]> = near.chain(scene.self_tested().map(|body| [body; 2])).collect();
    let found = pairs.into_par_iter().map_init(PairMemory::default, intersection);
    let mut all: Vec<IntersectingPair> = found.filter_map(Result::transpose).collect::<Result<_, Error>>()?;
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
