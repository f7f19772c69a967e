//! Points on their curved trajectories, against a level set.

use std::sync::Arc;

use chasles::{
    CheckOptions, CollisionShape, Guarantee, LevelSet, PairListing, PairVerdict, PartShape, Pose, Solid,
    SolidPart,
};
use chasles_bench::cases::meshes::bumpy_sphere;
use chasles_bench::cases::scans::cloud;
use chasles_bench::cases::solids::{FAMILIES, FormulaSolid, passing};
use chasles_bench::checks::{check_with, scene};
use chasles_bench::program::table::{Cell, Table};
use chasles_bench::program::timing::{quantile, timed};
use chasles_bench::sampling::vertices_in;
use glam::DVec3;

use super::{EPSILON, Settings, count, seed_of};

const TEXT: &str = "The same solids as level sets, sampled on a grid of 64 by 64 by 64 points, against about 10,000 \
    points of a bumpy sphere on a random screw, with `--points-only`: the whole motion, every contact interval. \
    Seconds are divided by the number of points. *Sampled*: the value of the formula, not of the grid, at every point \
    at 100 poses up to the first inside, also divided by the number of points.";

/// Samples along each edge.
const SAMPLES: usize = 64;

/// Returns the table, and the seconds per point of all cases.
pub(super) fn table(settings: &Settings) -> Result<(Table, Vec<f64>), chasles::Error> {
    let columns = [
        "", "meet", "clear", "undecided", "a point, median", "p95", "of clear ones, median",
        "sampled, median",
    ];
    let mut table = Table::new("Points against a level set", TEXT, &columns);
    let (points, _) = bumpy_sphere(20_000, 1);
    let points: Vec<DVec3> = points.into_iter().map(|p| 0.5 * p).collect();
    let moving = cloud(&points, 0.0)?;
    let number = points.len() as f64;
    let mut all = Vec::new();
    for (name, family) in FAMILIES {
        eprintln!("points, {name}");
        let (mut own, mut clear, mut sampled, mut undecided) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for case in 0..settings.cases {
            let seed = seed_of(family, case);
            let target = FormulaSolid::new(family, seed)?;
            let static_body = sampled_solid(&target)?;
            let screw = passing(seed << 8)?;
            let epsilon = EPSILON * target.size();
            let options = CheckOptions {
                listed: PairListing::NotClear,
                guarantee: Guarantee::Points { spacing: None },
                ..CheckOptions::default()
            };
            let scene = scene([(&moving, false), (&static_body, true)], &screw, (epsilon, 1.0))?;
            let found = check_with(&scene, &options)?;
            match found.pair.verdict {
                PairVerdict::Overlapping => continue,
                PairVerdict::Undecided => undecided += 1,
                PairVerdict::Clear => clear.push(found.seconds / number),
                _ => {}
            }
            own.push(found.seconds / number);
            let (_, seconds) = timed(0, || vertices_in(&target, &points, &screw));
            sampled.push(seconds / number);
        }
        let time = |of: &[f64], fraction| Cell::Time(quantile(of.iter().copied(), fraction));
        let cells = vec![
            count(own.len() - clear.len() - undecided),
            count(clear.len()),
            count(undecided),
            time(&own, 0.5),
            time(&own, 0.95),
            if clear.is_empty() { Cell::Empty } else { time(&clear, 0.5) },
            time(&sampled, 0.5),
        ];
        table.row(name, cells);
        all.extend(own);
    }
    Ok((table, all))
}

/// Samples a solid of the bench to a level set.
fn sampled_solid(target: &FormulaSolid) -> Result<CollisionShape, chasles::Error> {
    let [low, high] = target.bounds;
    let spacing = (high - low) / (SAMPLES - 1) as f64;
    let places = (0..SAMPLES.pow(3)).map(|i| [i / SAMPLES.pow(2), i / SAMPLES % SAMPLES, i % SAMPLES]);
    let value = |[i, j, k]: [usize; 3]| {
        let p = low + spacing * DVec3::new(i as f64, j as f64, k as f64);
        target.formula.value(&p.to_array())
    };
    let samples = LevelSet::new(places.map(value).collect(), [SAMPLES; 3], spacing, low)?;
    let shape = PartShape::LevelSet(Arc::new(samples));
    let solid = Solid::new(vec![SolidPart { shape, pose: Pose::IDENTITY, scale: 1.0 }]);
    CollisionShape::solid(Arc::new(solid.map_err(|wrong| wrong.error)?))
}
