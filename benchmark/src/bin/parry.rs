//! Runs parry on screws, by its non-linear cast or at 100 poses, and prints answers for `score.py`.
//!
//!     parry cast|sampled FOLDER
//!
//! parry's motion rotates with constant speed about a point of the body, which moves with constant speed along a line.
//! If the point is on the axis of the screw and the line along the axis, the motion is the same as the problem's.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use chasles::{Pose, Screw};
use glam::{DQuat, DVec3};
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::{NonlinearRigidMotion, cast_shapes_nonlinear, intersection_test};
use parry3d_f64::shape::TriMesh;
use serde_json::{Value, json};

/// The number of sampled poses, including both ends of the motion.
const POSES: u32 = 100;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (how, folder) = match &words[..] {
        [how, folder] if how == "cast" || how == "sampled" => (how, Path::new(folder)),
        _ => {
            eprintln!("usage: parry cast|sampled FOLDER");
            return ExitCode::from(2);
        }
    };
    match answer_all(how == "cast", folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("parry: {error}");
            ExitCode::from(2)
        }
    }
}

fn answer_all(cast: bool, folder: &Path) -> Result<(), Box<dyn Error>> {
    let how = if cast { "its non-linear cast".into() } else { format!("sampled at {POSES} poses") };
    let about =
        json!({ "program": "parry3d-f64 0.31.1", "how": how, "tolerance": 0, "families": ["screws"] });
    println!("{about}");
    for line in fs::read_to_string(folder.join("screws.jsonl"))?.lines() {
        let problem: Value = serde_json::from_str(line)?;
        let name = &problem["name"];
        let mesh = |side: &str| read(&folder.join(problem[side]["mesh"].as_str().unwrap_or_default()));
        let (a, b) = (mesh("a")?, mesh("b")?);
        let screw = screw(&problem)?;
        let started = Instant::now();
        let time = if cast { cast_time(&a, &b, &screw) } else { sampled_time(&a, &b, &screw) };
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "{}",
            match time {
                Some(0.0) => json!({ "name": name, "verdict": "overlapping", "seconds": seconds }),
                Some(t) => json!({ "name": name, "verdict": "contact", "time": t, "seconds": seconds }),
                None => json!({ "name": name, "verdict": "clear", "seconds": seconds }),
            }
        );
    }
    Ok(())
}

fn read(path: &Path) -> Result<TriMesh, Box<dyn Error>> {
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for line in fs::read_to_string(path)?.lines() {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["v", x, y, z] => points.push(DVec3::new(x.parse()?, y.parse()?, z.parse()?)),
            ["f", a, b, c] => triangles.push([a, b, c].map(|i| i.parse::<u32>().unwrap_or(1) - 1)),
            _ => return Err(format!("{}: {line}", path.display()).into()),
        }
    }
    Ok(TriMesh::new(points, triangles)?)
}

fn screw(problem: &Value) -> Result<Screw, Box<dyn Error>> {
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let (pose, screw) = (numbers(&problem["pose0"]), &problem["screw"]);
    let start = Pose::new(DVec3::from_slice(&pose), DQuat::from_xyzw(pose[4], pose[5], pose[6], pose[3]))?;
    let [s, p] = ["s", "p"].map(|key| DVec3::from_slice(&numbers(&screw[key])));
    let [d, b] = ["d", "b"].map(|key| screw[key].as_f64().unwrap_or_default());
    Ok(Screw::about(start, s, p, d, b)?)
}

fn cast_time(a: &TriMesh, b: &TriMesh, screw: &Screw) -> Option<f64> {
    let start = screw.start();
    let centre = screw.axis().point.unwrap_or(start.position());
    let place = ParryPose::from_parts(start.position(), start.rotation());
    let slide = screw.slide() * screw.direction();
    let moving =
        NonlinearRigidMotion::new(place, start.inverse().transform_point(centre), slide, screw.omega());
    let hit = cast_shapes_nonlinear(&moving, a, &NonlinearRigidMotion::identity(), b, 0.0, 1.0, true);
    hit.ok().flatten().map(|hit| hit.time_of_impact)
}

fn sampled_time(a: &TriMesh, b: &TriMesh, screw: &Screw) -> Option<f64> {
    (0..POSES).map(|i| f64::from(i) / f64::from(POSES - 1)).find(|t| {
        let pose = screw.pose_at(*t);
        let place = ParryPose::from_parts(pose.position(), pose.rotation());
        intersection_test(&place, a, &ParryPose::IDENTITY, b).is_ok_and(|found| found.intersecting)
    })
}
