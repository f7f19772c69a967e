//! Poses of links at rest: compared with products of matrices, on random robots.

use chasles_formats::info::SceneInfo;
use chasles_formats::robot::urdf::{self, UrdfOptions};
use chasles_testing::Random;
use glam::{DMat3, DVec3};

use crate::robots::support::{signed, vector};

/// A transform in the plain method.
#[derive(Clone, Copy)]
struct Matrix {
    turn: DMat3,
    shift: DVec3,
}

impl Matrix {
    fn times(self, inner: Self) -> Self {
        Self { turn: self.turn * inner.turn, shift: self.turn * inner.shift + self.shift }
    }

    /// Roll, pitch and yaw by the textbook formula.
    fn origin(xyz: DVec3, rpy: DVec3) -> Self {
        let [(sr, cr), (sp, cp), (sy, cy)] = rpy.to_array().map(f64::sin_cos);
        let x = DVec3::new(cy * cp, sy * cp, -sp);
        let y = DVec3::new(cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr);
        let z = DVec3::new(cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr);
        Self { turn: DMat3::from_cols(x, y, z), shift: xyz }
    }

    /// A rotation about an axis, by the formula of Rodrigues.
    fn turn(axis: DVec3, angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        let column = |e: DVec3| e * cos + axis.cross(e) * sin + axis * (axis.dot(e) * (1.0 - cos));
        let turn = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
        Self { turn, shift: DVec3::ZERO }
    }
}

fn words(v: DVec3) -> String {
    format!("{:?} {:?} {:?}", v.x, v.y, v.z)
}

/// A random robot, and the box around the corners of its boxes.
fn random_robot(random: &mut Random) -> (String, [DVec3; 2], usize) {
    let count = 2 + random.below(7);
    // The order of links in the file differs from the order of the tree.
    let mut names: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        names.swap(i, random.below(i + 1));
    }
    let mut links: Vec<(usize, String)> = vec![];
    let mut joints = vec![];
    let mut poses: Vec<Matrix> = vec![];
    let (mut lo, mut hi) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let mut bodies = 0;
    for number in 0..count {
        let mut pose = Matrix::origin(DVec3::ZERO, DVec3::ZERO);
        if number > 0 {
            let parent = random.below(number);
            let (xyz, rpy) = (vector(random), vector(random) * 4.0);
            pose = poses[parent].times(Matrix::origin(xyz, rpy));
            let mut axis = vector(random);
            if axis.length() < 0.1 {
                axis = DVec3::new(0.0, 0.0, -2.0);
            }
            let lower = signed(random) * 3.0;
            let upper = lower + signed(random).abs();
            let rest = if lower <= 0.0 && upper >= 0.0 { 0.0 } else { (lower + upper) / 2.0 };
            let unit = axis / axis.length();
            let kind = ["fixed", "continuous", "revolute", "prismatic"][random.below(4)];
            pose = match kind {
                "revolute" => pose.times(Matrix::turn(unit, rest)),
                "prismatic" => pose.times(Matrix { turn: DMat3::IDENTITY, shift: unit * rest }),
                _ => pose,
            };
            joints.push(format!(
                "<joint name='j{number}' type='{kind}'><origin xyz='{}' rpy='{}'/><parent link='l{}'/><child link='l{}'/>\
                 <axis xyz='{}'/><limit lower='{lower:?}' upper='{upper:?}' velocity='1'/></joint>",
                words(xyz),
                words(rpy),
                names[parent],
                names[number],
                words(axis)
            ));
        }
        poses.push(pose);
        let mut text = format!("<link name='l{}'>", names[number]);
        let parts = random.below(3);
        bodies += usize::from(parts > 0);
        for _ in 0..parts {
            let (xyz, rpy) = (vector(random), vector(random) * 4.0);
            let size = vector(random).abs() + DVec3::splat(0.1);
            let placed = pose.times(Matrix::origin(xyz, rpy));
            for corner in 0..8 {
                let sign = |bit: i32| if corner >> bit & 1 == 0 { -0.5 } else { 0.5 };
                let point = placed.turn * (size * DVec3::new(sign(0), sign(1), sign(2))) + placed.shift;
                (lo, hi) = (lo.min(point), hi.max(point));
            }
            text += &format!(
                "<collision><origin xyz='{}' rpy='{}'/><geometry><box size='{}'/></geometry></collision>",
                words(xyz),
                words(rpy),
                words(size)
            );
        }
        links.push((names[number], text + "</link>"));
    }
    links.sort();
    let links: Vec<_> = links.into_iter().map(|(_, text)| text).collect();
    let text = format!("<robot name='r'>{}{}</robot>", links.join("\n"), joints.join("\n"));
    (text, [lo, hi], bodies)
}

fn facts(text: &str) -> SceneInfo {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.urdf");
    std::fs::write(&path, text).unwrap();
    urdf::facts(urdf::read(&path, &UrdfOptions::default()).unwrap())
}

#[test]
fn random_robots_equal_the_reference_poses() {
    let mut with_surface = 0;
    for seed in 1..chasles_testing::cases(200, 500) {
        let random = &mut Random(seed);
        let (text, [lo, hi], bodies) = random_robot(random);
        let info = facts(&text);
        assert_eq!(info.bodies.len(), bodies, "seed {seed}");
        let Some([least, maximum]) = info.bounds else {
            assert_eq!(bodies, 0, "seed {seed}");
            continue;
        };
        with_surface += 1;
        assert!(
            least.distance(lo) < 1e-13 && maximum.distance(hi) < 1e-13,
            "seed {seed}: {least} {lo} {maximum} {hi}"
        );
    }
    assert!(with_surface > 130, "{with_surface}");
}

#[test]
fn facts_name_bodies_and_joints() {
    let text = "<robot name='r'><link name='base'/>
        <link name='arm'><collision><geometry><sphere radius='1'/></geometry></collision>
            <collision><geometry><box size='1 1 8'/></geometry></collision></link>
        <link name='tool'><collision><geometry><box size='1 1 1'/></geometry></collision></link>
        <joint name='lift' type='prismatic'><parent link='base'/><child link='arm'/>
            <axis xyz='0 0 1'/><limit lower='2' upper='4' velocity='1'/></joint>
        <joint name='mount' type='fixed'><parent link='arm'/><child link='tool'/><origin xyz='3 0 0'/></joint>
        </robot>";
    let mut info = facts(text);
    let [lo, hi] = info.bounds.take().unwrap();
    assert_eq!((lo.z, hi.z, hi.x), (-1.0, 7.0, 3.5));
    assert_eq!(
        info.to_json(),
        "{\"format\":1,\"kind\":\"scene\",\"bodies\":[{\"name\":\"arm\",\"triangles\":268},{\"name\":\"tool\",\"triangles\":12}],\
         \"joints\":[\"lift\"],\"triangles\":280,\"bounds\":null,\
         \"robot\":{\"name\":\"r\",\"root\":\"base\",\"lowest\":-1.0,\"links\":[\"base\",\"arm\",\"tool\"],\"joints\":[\
         {\"name\":\"lift\",\"type\":\"prismatic\",\"parent\":\"base\",\"child\":\"arm\",\"unit\":\"m\",\"lower\":2.0,\"upper\":4.0,\
         \"velocity\":1.0,\"rest\":3.0}]},\"warnings\":[]}\n"
    );
}
