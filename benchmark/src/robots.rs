//! Arms on paths in joint space, among static bodies.

use std::f64::consts::{FRAC_PI_2, PI};
use std::fmt::Write as _;
use std::io;

use chasles_testing::Random;
use glam::{DQuat, DVec3};
use serde_json::json;

use crate::body::{Body, Factor};
use crate::certify::{FeatureKinds, Question, certify};
use crate::set::{Set, rounded};
use crate::shapes::{Raw, bumpy_sphere, cuboid};

/// A joint: its pose in the frame of the previous link, and its axis.
struct Joint {
    xyz: DVec3,
    rpy: DVec3,
    axis: DVec3,
    slides: bool,
}

/// An arm whose links extend along z.
fn arm(random: &mut Random, joints: usize) -> Vec<Joint> {
    let joint = |i: usize| Joint {
        xyz: DVec3::new(0.0, 0.0, if i == 0 { 0.2 } else { 0.6 }),
        // Some frames are rotated, as in real arms.
        rpy: [DVec3::ZERO, DVec3::Z * FRAC_PI_2, DVec3::new(0.1, -0.2, 0.3)][random.below(3)],
        axis: if i == 0 {
            DVec3::Z
        } else {
            [DVec3::X, DVec3::Y, DVec3::new(0.6, 0.0, 0.8)][random.below(3)]
        },
        slides: i + 1 == joints && joints > 3,
    };
    (0..joints).map(joint).collect()
}

fn urdf(joints: &[Joint], mesh: &str) -> String {
    let mut text = String::from("<robot name=\"arm\">\n  <link name=\"base\"/>\n");
    let three = |v: DVec3| format!("{} {} {}", v.x, v.y, v.z);
    for (i, joint) in joints.iter().enumerate() {
        let parent = if i == 0 { "base".into() } else { format!("link{i}") };
        let (kind, limit) = if joint.slides { ("prismatic", 2.0) } else { ("revolute", 7.0) };
        let (xyz, rpy, axis) = (three(joint.xyz), three(joint.rpy), three(joint.axis));
        let _ = writeln!(
            text,
            "  <link name=\"link{n}\"><collision><geometry><mesh filename=\"{mesh}\"/></geometry>\
             </collision></link>\n  \
             <joint name=\"joint{n}\" type=\"{kind}\">\n    <parent link=\"{parent}\"/><child link=\"link{n}\"/>\n    \
             <origin xyz=\"{xyz}\" rpy=\"{rpy}\"/><axis xyz=\"{axis}\"/>\n    \
             <limit lower=\"-{limit}\" upper=\"{limit}\" effort=\"1\" velocity=\"100\"/>\n  </joint>",
            n = i + 1,
        );
    }
    text + "</robot>\n"
}

/// Makes `count` problems of arms with 2 to 5 joints, on paths of 2 to 4 waypoints.
///
/// # Errors
/// A file cannot be written.
pub fn make(set: &mut Set, seed: u64, count: usize) -> io::Result<()> {
    let random = &mut Random(seed);
    let mut link = cuboid(DVec3::new(0.12, 0.1, 0.44));
    link.0.iter_mut().for_each(|p| p.z += 0.28);
    let (link_file, link) = set.mesh("link", link)?;
    let mut made = 0;
    for number in 0..4 * count {
        let joints = arm(random, 2 + number % 4);
        let waypoints = 2 + random.below(3);
        let times: Vec<f64> = (0..waypoints).map(|i| i as f64).collect();
        let short = |x: f64| (x * 1e4).round() / 1e4;
        let columns: Vec<Vec<f64>> = joints
            .iter()
            .map(|j| {
                times
                    .iter()
                    .map(|_| {
                        short(if j.slides {
                            random.within(0.0, 0.3)
                        } else {
                            random.within(-0.8 * PI, 0.8 * PI)
                        })
                    })
                    .collect()
            })
            .collect();
        let mut worlds: Vec<(String, Raw)> = Vec::new();
        for k in 0..1 + random.below(3) {
            let mut raw = if random.one_in(2) {
                cuboid(DVec3::new(0.3, 0.3, 0.4))
            } else {
                rounded(bumpy_sphere(random, 80), 4)
            };
            let place = random.direction() * random.within(0.35, 1.1) + DVec3::Z * 0.7;
            let scale = if raw.1.len() > 12 { 0.3 } else { 1.0 };
            raw.0.iter_mut().for_each(|p| *p = scale * *p + place);
            worlds.push((format!("world_{number}_{k}"), rounded(raw, 4)));
        }
        let name = format!("arm_{number}");
        let (robot, path) = (format!("robots/{name}.urdf"), format!("robots/{name}.csv"));
        let mut table: String = "time".into();
        (1..=joints.len()).for_each(|i| table += &format!(",joint{i}"));
        for (k, t) in times.iter().enumerate() {
            let _ = write!(table, "\n{t}");
            columns.iter().for_each(|c| table += &format!(",{}", c[k]));
        }
        let mut chain = Vec::new();
        let mut bodies = Vec::new();
        for (joint, values) in joints.iter().zip(&columns) {
            let zeros = vec![0.0; times.len()];
            let rpy = joint.rpy;
            let turned =
                DQuat::from_rotation_z(rpy.z) * DQuat::from_rotation_y(rpy.y) * DQuat::from_rotation_x(rpy.x);
            let (angle, slide) = if joint.slides { (zeros, values.clone()) } else { (values.clone(), zeros) };
            chain.push(Factor::Pose(joint.xyz, turned));
            chain.push(Factor::Helix { axis: joint.axis, point: DVec3::ZERO, angle, slide });
            bodies.push(Body::carried(&link, chain.clone(), &times));
        }
        let n = bodies.len();
        let mut pairs: Vec<[usize; 2]> = (0..n).flat_map(|i| (i + 2..n).map(move |j| [i, j])).collect();
        let mut files = Vec::new();
        for (k, (file, raw)) in worlds.into_iter().enumerate() {
            let (file, raw) = set.mesh(&file, raw)?;
            pairs.extend((0..n).map(|i| [i, n + k]));
            files.push(json!({ "mesh": file }));
            bodies.push(Body::carried(&raw, Vec::new(), &times));
        }
        let question = Question { bodies, pairs, features: FeatureKinds::Surfaces, hint: None };
        let answer = certify(&question, 60_000);
        let problem = json!({ "name": name, "robot": robot, "path": path, "world": files });
        if set.take("robots", &problem, answer) {
            set.file(&robot, &urdf(&joints, &format!("../{link_file}")))?;
            set.file(&path, &(table + "\n"))?;
            made += 1;
        }
        if made == count {
            break;
        }
    }
    Ok(())
}
