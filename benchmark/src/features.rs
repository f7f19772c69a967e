//! A vertex and a triangle, or two edges, whose points move with constant velocity along straight lines.

use chasles_testing::Random;
use glam::DVec3;
use serde_json::json;

use crate::body::Body;
use crate::certify::{FeatureKinds, Question, add_near_miss_bound, boundary_of_contact, certify};
use crate::cover::first_time;
use crate::set::Set;

/// Four points at the start, and at the end.
type Points = [[DVec3; 4]; 2];

fn question(kind: FeatureKinds, points: &Points) -> Question {
    let triangles =
        if kind == FeatureKinds::VertexFace { [[0, 0, 0], [1, 2, 3]] } else { [[0, 1, 1], [2, 3, 3]] };
    let bodies = triangles.map(|t| Body::deforming(&points[0], &points[1], &[t]));
    Question { bodies: bodies.into(), pairs: vec![[0, 1]], features: kind, hint: None }
}

/// The points, with the points of the first feature moved.
fn shifted(kind: FeatureKinds, points: &Points, by: DVec3) -> Points {
    let first = if kind == FeatureKinds::VertexFace { 1 } else { 2 };
    let mut points = *points;
    points.iter_mut().for_each(|p| p[..first].iter_mut().for_each(|x| *x += by));
    points
}

fn contact(kind: FeatureKinds, points: &Points) -> Option<f64> {
    let q = question(kind, points);
    first_time(&q.bodies[0], &q.bodies[1], 1.0, 20_000).ok().flatten()
}

fn take(set: &mut Set, name: String, kind: FeatureKinds, points: &Points, near_at: Option<f64>) -> bool {
    let q = question(kind, points);
    let mut answer = certify(&q, 5000);
    if let Some(t) = near_at {
        add_near_miss_bound(&q, &mut answer, t, 0.02);
    }
    let key = if kind == FeatureKinds::VertexFace { "vertex_face" } else { "edge_edge" };
    let corners: Vec<_> = points.concat().iter().map(|p| p.to_array()).collect();
    set.take("features", &json!({ "name": name, key: corners }), answer)
}

/// Makes problems of both kinds: `count` at random, `count` on a grid and `count` nearly flat, and as many near
/// misses of each depth.
pub fn make(set: &mut Set, seed: u64, count: usize) {
    let random = &mut Random(seed);
    for (kind, short) in [(FeatureKinds::VertexFace, "vertex_face"), (FeatureKinds::EdgeEdge, "edge_edge")] {
        let drawn =
            |random: &mut Random| -> Points { [(); 2].map(|()| [(); 4].map(|()| random.vector(1.0))) };
        for number in 0..count {
            let points = drawn(random);
            take(set, format!("{short}_random_{number}"), kind, &points, None);
            let points = [(); 2].map(|()| [(); 4].map(|()| random.dyadic_vector(1.0)));
            take(set, format!("{short}_grid_{number}"), kind, &points, None);
            // Points that stay nearly in one plane, so the volume is tiny throughout.
            let thin = 10.0_f64.powi(-2 - random.below(5) as i32);
            let points = drawn(random).map(|p| p.map(|x| x * DVec3::new(1.0, 1.0, thin)));
            take(set, format!("{short}_flat_{number}"), kind, &points, None);
        }
        for depth in [1e-3, 1e-6, 1e-9, 1e-10, 1e-11, 1e-12] {
            let mut made = 0;
            for number in 0..20 * count {
                let points = drawn(random);
                let along = random.direction();
                let at = |k: f64| contact(kind, &shifted(kind, &points, k * along));
                let Some(([hit, free], time)) = boundary_of_contact(4.0, at) else { continue };
                if !(0.02..0.98).contains(&time) {
                    continue;
                }
                let mut passed = |word: &str, k: f64| {
                    let points = shifted(kind, &points, k * along);
                    let name = format!("{short}_{word}_{depth:e}_{number}");
                    take(set, name, kind, &points, (word == "miss").then_some(time))
                };
                made += usize::from(passed("miss", free + depth) && passed("graze", hit - depth));
                if 3 * made >= count {
                    break;
                }
            }
        }
    }
}
