//! The truth of surfaces whose vertices move on their own: a strip, a sphere that breathes, a cloth.

use glam::DVec3;

use crate::make_scenes::expected::{Truth, bisected};
use crate::make_scenes::frames::Frames;
use crate::make_scenes::meshes::SMALLER_BALL;
use crate::make_scenes::scene::{Motion, Scene};
use crate::make_scenes::solid::Solid;
use crate::make_scenes::truth::TrueInterval;

/// The end of the strip moves from 0.75 m above the first panel to 0.25 m below it in one second, and back in the
/// next.
pub(crate) fn strip_folds(scene: &Scene) -> Truth {
    bisected(scene).with_formula(scene, &[(2.75, Some(3.25))])
}

pub(crate) fn breathing_sphere(scene: &Scene) -> Truth {
    let mut truth = bisected(scene).with_formula(scene, &[(0.5, Some(1.5))]);
    // The ends of its axes touch the middles of the sides and reverse, which no static test sees.
    truth.pairs[0].intervals.push(TrueInterval { enter: 3.0, exit: Some(3.0), contact: None });
    truth
}

/// The cloth is clear of a smaller ball.
pub(crate) fn cloth_with_gap(scene: &Scene) -> Truth {
    let (Some(surface), Motion::Deforming(frames)) = (&scene.bodies[0].surface, &scene.bodies[0].motion)
    else {
        panic!("the cloth deforms")
    };
    let distance = distance_from_origin(frames, surface);
    assert!(distance > SMALLER_BALL, "the cloth may come as near as {distance}");
    bisected(scene)
}

/// Every point of the surface stays at least this far from the origin. The mean of squares less the square of the mean
/// is the sum of w v (p - q)^2 over the pairs of points with their weights: at most m^2/4 between two frames of a
/// vertex, whose weights are s and 1 - s, and at most L^2/3 between the three corners of a triangle.
fn distance_from_origin(frames: &Frames, surface: &Solid) -> f64 {
    let mut nearest = f64::INFINITY;
    for pair in frames.places.windows(2) {
        for triangle in &surface.triangles {
            let [from, to] =
                [0, 1].map(|frame: usize| triangle.map(|v| DVec3::from(pair[frame][v as usize])));
            let sides = [from, to].into_iter().flat_map(|[a, b, c]| [b - a, c - b, a - c]);
            let longest = sides.map(DVec3::length_squared).fold(0.0, f64::max);
            let displacement =
                from.iter().zip(to).map(|(p, q)| (q - *p).length_squared()).fold(0.0, f64::max);
            let corners = from.into_iter().chain(to).map(DVec3::length_squared).fold(f64::INFINITY, f64::min);
            nearest = nearest.min(corners - longest / 3.0 - displacement / 4.0);
        }
    }
    nearest.max(0.0).sqrt()
}
