//! A sheet whose points move with constant velocity from one shape to another, past a static body.

use std::io;

use chasles_testing::Random;
use glam::DVec3;
use serde_json::json;

use crate::body::Body;
use crate::certify::{FeatureKinds, Question, add_near_miss_bound, boundary_of_contact, certify};
use crate::cover::first_time;
use crate::set::{Set, rounded};
use crate::shapes::{Raw, bumpy_sphere, cuboid, ordered, sheet};

/// Waves with random directions, lengths and heights.
fn waves(random: &mut Random) -> impl Fn(DVec3) -> f64 + use<> {
    let waves: Vec<_> =
        (0..3).map(|_| (random.vector(4.0), random.within(0.0, 6.0), random.within(-0.15, 0.15))).collect();
    move |p| waves.iter().map(|(k, phase, height)| height * (k.dot(p) + phase).sin()).sum()
}

/// Makes `count` problems with sheets of 2 `n`^2 triangles that fall, fold and lift, and near misses.
///
/// # Errors
/// If a file cannot be written.
pub fn make(set: &mut Set, seed: u64, n: u32, count: usize) -> io::Result<()> {
    let random = &mut Random(seed);
    let (plain, triangles) = ordered(sheet(n));
    let blocks =
        [("block", cuboid(DVec3::new(0.6, 0.5, 0.7))), ("ball", rounded(bumpy_sphere(random, 120), 4))];
    for (kind, raw) in blocks {
        let (mesh, raw) = set.mesh(&format!("{kind}_{n}"), raw)?;
        let mut left: Vec<Option<f64>> =
            [0.0, 1e-6, 1e-9, 1e-12].into_iter().flat_map(|d| vec![(d > 0.0).then_some(d); count]).collect();
        for number in 0..10 * left.len() {
            let Some(depth) = left.pop() else { break };
            let (before, after) = (waves(random), waves(random));
            let height = random.within(1.3, 1.6);
            let fall = random.within(0.3, 1.2);
            let fold = random.within(0.0, 0.4);
            let shape = |wave: &dyn Fn(DVec3) -> f64, z: f64, fold: f64| -> Raw {
                let at = |p: &DVec3| DVec3::new(p.x * (1.0 - fold), p.y, z + wave(*p) - fold * p.x * p.x);
                rounded((plain.iter().map(at).collect(), triangles.clone()), 5)
            };
            let ends = [shape(&before, height, 0.0), shape(&after, height - fall, fold)];
            let question = |shift: f64| {
                let moved =
                    ends.each_ref().map(|e| e.0.iter().map(|p| *p + shift * DVec3::Z).collect::<Vec<_>>());
                let a = Body::deforming(&moved[0], &moved[1], &triangles);
                let b = Body::carried(&raw, Vec::new(), &[0.0, 1.0]);
                (
                    moved,
                    Question {
                        bodies: vec![a, b],
                        pairs: vec![[0, 1]],
                        features: FeatureKinds::Surfaces,
                        hint: None,
                    },
                )
            };
            let contact = |shift: f64| {
                let q = question(shift).1;
                first_time(&q.bodies[0], &q.bodies[1], 1.0, 100_000).ok().flatten()
            };
            let mut shifts = vec![("fall", 0.0, None)];
            if let Some(depth) = depth {
                let Some(([hit, free], time)) = boundary_of_contact(2.0, contact) else {
                    left.push(Some(depth));
                    continue;
                };
                shifts = vec![("miss", free + depth, Some(time)), ("graze", hit - depth, None)];
            }
            for (word, shift, near_at) in shifts {
                let (moved, q) = question(shift);
                let mut answer = certify(&q, 60_000);
                if let Some(t) = near_at {
                    add_near_miss_bound(&q, &mut answer, t, 1e-3);
                }
                let depth = depth.map_or(String::new(), |d| format!("{d:e}_"));
                let name = format!("{kind}_{n}_{word}_{depth}{number}");
                let files = ["start", "end"].map(|e| format!("meshes/{name}_{e}.obj"));
                let ends = json!({ "start": files[0], "end": files[1] });
                let problem = json!({ "name": name, "a": ends, "b": { "mesh": mesh } });
                if set.take("cloths", &problem, answer) {
                    for (file, points) in files.iter().zip(moved) {
                        set.write_mesh(file, &(points, triangles.clone()))?;
                    }
                }
            }
        }
    }
    Ok(())
}
