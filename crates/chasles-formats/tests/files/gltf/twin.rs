//! The slow twin: nodes as matrices, each with its ancestors, at one time after the other.

use chasles::Scene;
use chasles_testing::Random;
use glam::{DAffine3, DMat3, DQuat, DVec3};
use serde_json::{Value, json};

use crate::gltf::build::{Builder, TRIANGLE, single, singles, vertices};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Linear,
    Step,
    Cubic,
}

/// A curve as numbers: for each key its time and, if it is cubic, tangent, value, tangent.
#[derive(Debug, Clone)]
struct Keys<const N: usize> {
    kind: Kind,
    times: Vec<f32>,
    rows: Vec<[f32; N]>,
}

#[derive(Debug, Clone)]
struct TestNode {
    parent: Option<usize>,
    matrix: Option<DAffine3>,
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
    moves: Option<Keys<3>>,
    turns: Option<Keys<4>>,
    has_mesh: bool,
}

impl<const N: usize> Keys<N> {
    fn random(random: &mut Random) -> Self {
        let kind = [Kind::Linear, Kind::Step, Kind::Cubic][random.below(3)];
        let count = 1 + random.below(4);
        let mut times = vec![if random.one_in(2) { 0.0 } else { single(random).abs() }];
        for key in 1..count {
            times.push(times[key - 1] + 0.1 + single(random).abs());
        }
        let each = if kind == Kind::Cubic { 3 } else { 1 };
        let mut rows: Vec<[f32; N]> = (0..count * each).map(|_| singles(random)).collect();
        for row in rows.iter_mut().skip(each / 2).step_by(each) {
            // Values of cubic rotations stay away from each other's opposites, so that no sum is zero.
            row[N - 1] = row[N - 1].abs() + 1.5;
        }
        if N == 4 && kind != Kind::Cubic {
            let unit = |row: &[f32; N]| {
                let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
                row.map(|x| x / length)
            };
            rows = rows.iter().map(unit).collect();
        } else if N == 4 {
            for (i, row) in rows.iter_mut().enumerate() {
                *row = row.map(|x| if i % 3 == 1 { x } else { 0.3 * x });
            }
        }
        Self { kind, times, rows }
    }

    fn value(&self, key: usize) -> [f64; N] {
        self.rows[if self.kind == Kind::Cubic { 3 * key + 1 } else { key }].map(f64::from)
    }

    /// The value at a time as defined by glTF 2.0, appendix C; `between` interpolates two values.
    fn at(&self, time: f64, between: fn([f64; N], [f64; N], f64) -> [f64; N]) -> [f64; N] {
        let times: Vec<f64> = self.times.iter().map(|time| f64::from(*time)).collect();
        let Some(key) = times.iter().rposition(|key| *key <= time) else { return self.value(0) };
        if key + 1 == times.len() || self.kind == Kind::Step {
            return self.value(key);
        }
        let h = times[key + 1] - times[key];
        let s = (time - times[key]) / h;
        if self.kind == Kind::Linear {
            return between(self.value(key), self.value(key + 1), s);
        }
        let row = |i: usize| self.rows[i].map(f64::from);
        let (out, into) = (row(3 * key + 2), row(3 * key + 3));
        let (v, w) = (self.value(key), self.value(key + 1));
        std::array::from_fn(|i| {
            (2.0 * s.powi(3) - 3.0 * s.powi(2) + 1.0) * v[i]
                + h * (s.powi(3) - 2.0 * s.powi(2) + s) * out[i]
                + (3.0 * s.powi(2) - 2.0 * s.powi(3)) * w[i]
                + h * (s.powi(3) - s.powi(2)) * into[i]
        })
    }
}

fn evenly<const N: usize>(a: [f64; N], b: [f64; N], s: f64) -> [f64; N] {
    std::array::from_fn(|i| a[i] + s * (b[i] - a[i]))
}

/// Appendix C.3 of glTF 2.0, with an accurate computation of the angle.
fn slerp(a: [f64; 4], b: [f64; 4], s: f64) -> [f64; 4] {
    let length = |x: [f64; 4]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [a, b] = [a, b].map(|x| x.map(|y| y / length(x)));
    let dot: f64 = (0..4).map(|i| a[i] * b[i]).sum();
    let b = b.map(|x| x * dot.signum());
    let [sum, difference] = [1.0, -1.0].map(|sign| length(std::array::from_fn(|i| a[i] + sign * b[i])));
    let angle = 2.0 * difference.atan2(sum);
    if angle < 1e-9 {
        return evenly(a, b, s);
    }
    let (from, to) = (((1.0 - s) * angle).sin() / angle.sin(), (s * angle).sin() / angle.sin());
    std::array::from_fn(|i| from * a[i] + to * b[i])
}

impl TestNode {
    fn local(&self, time: f64) -> DAffine3 {
        if let Some(matrix) = self.matrix {
            return matrix;
        }
        let translation =
            self.moves.as_ref().map_or(self.translation.map(f64::from), |keys| keys.at(time, evenly));
        let rotation = self.turns.as_ref().map_or(self.rotation.map(f64::from), |keys| keys.at(time, slerp));
        DAffine3::from_scale_rotation_translation(
            DVec3::from_array(self.scale.map(f64::from)),
            DQuat::from_array(rotation).normalize(),
            DVec3::from_array(translation),
        )
    }
}

/// A tree of nodes whose shapes do not change with time.
fn nodes(random: &mut Random) -> Vec<TestNode> {
    let count = 1 + random.below(6);
    let mut nodes: Vec<TestNode> = Vec::new();
    // Whether the product of all scales above is the same in all directions.
    let mut even: Vec<bool> = Vec::new();
    for i in 0..count {
        let parent = (i > 0 && !random.one_in(4)).then(|| random.below(i));
        let above = parent.is_none_or(|parent| even[parent]);
        let mut node = TestNode {
            parent,
            matrix: None,
            translation: singles(random),
            rotation: [0.0, 0.0, 0.0, 1.0],
            scale: [1.0; 3],
            moves: random.one_in(3).then(|| Keys::random(random)),
            turns: (above && random.one_in(2)).then(|| Keys::random(random)),
            has_mesh: true,
        };
        if !random.one_in(3) {
            let row: [f32; 4] = singles(random);
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
            node.rotation = row.map(|x| x / length);
        }
        let (s, t) = (0.5 + single(random).abs(), 0.5 + single(random).abs());
        let (scale, is_even) = match random.below(6) {
            0 => ([s, s, s], true),
            1 => ([s, -s, s], true),
            2 => ([-s; 3], true),
            3 => ([s, t, -1.0], false),
            _ => ([1.0; 3], true),
        };
        node.scale = scale;
        let mut is_even = is_even && above;
        if node.moves.is_none() && node.turns.is_none() {
            node.has_mesh = !random.one_in(3);
            if random.one_in(4) {
                let columns: [[f32; 3]; 4] = std::array::from_fn(|_| singles(random));
                let [x, y, z, w] = columns.map(|column| DVec3::from_array(column.map(f64::from)));
                let linear = DMat3::from_cols(x, y, z) + DMat3::from_diagonal(DVec3::splat(2.0));
                node.matrix = Some(DAffine3::from_mat3_translation(linear, w));
                is_even = false;
            }
        }
        even.push(is_even);
        nodes.push(node);
    }
    nodes[count - 1].has_mesh = true;
    nodes
}

fn written(nodes: &[TestNode], random: &mut Random) -> Builder {
    let mut file = Builder::new();
    file.triangle();
    for (i, node) in nodes.iter().enumerate() {
        let children: Vec<usize> = (0..nodes.len()).filter(|child| nodes[*child].parent == Some(i)).collect();
        let mut entry: Value = json!({"children": children, "name": format!("n{i}")});
        if node.has_mesh {
            entry["mesh"] = json!(0);
        }
        match node.matrix {
            Some(matrix) => {
                let [x, y, z] = [0, 1, 2].map(|i| matrix.matrix3.col(i).extend(0.0).to_array());
                entry["matrix"] = json!([x, y, z, matrix.translation.extend(1.0).to_array()].concat());
            }
            None => {
                entry["translation"] = json!(node.translation.map(f64::from));
                entry["rotation"] = json!(node.rotation.map(f64::from));
                entry["scale"] = json!(node.scale.map(f64::from));
            }
        }
        file.node(entry);
    }
    for (i, node) in nodes.iter().enumerate() {
        if let Some(keys) = &node.moves {
            channel(&mut file, (i, "translation"), keys);
        }
        if let Some(keys) = &node.turns {
            channel(&mut file, (i, "rotation"), keys);
        }
    }
    if random.one_in(2) {
        let roots: Vec<usize> = (0..nodes.len()).rev().filter(|node| nodes[*node].parent.is_none()).collect();
        file.json["scenes"] = json!([{"nodes": roots}]);
    }
    file
}

fn channel<const N: usize>(file: &mut Builder, target: (usize, &str), keys: &Keys<N>) {
    let input = file.floats(&keys.times.iter().map(|time| [*time]).collect::<Vec<_>>());
    let output = file.floats(&keys.rows);
    let kind = match keys.kind {
        Kind::Linear => "LINEAR",
        Kind::Step => "STEP",
        Kind::Cubic => "CUBICSPLINE",
    };
    file.channel(0, target, json!({"input": input, "output": output, "interpolation": kind}));
}

fn world(nodes: &[TestNode], node: usize, time: f64) -> DAffine3 {
    let local = nodes[node].local(time);
    nodes[node].parent.map_or(local, |parent| world(nodes, parent, time) * local)
}

fn corners(scene: &Scene, body: usize, time: f64) -> Vec<DVec3> {
    let pose = scene.pose_at(body, time);
    vertices(scene, body).into_iter().map(|vertex| pose.transform_point(vertex)).collect()
}

/// Every corner of every body is at the position that the matrices give, at random times.
#[test]
fn bodies_are_where_matrices_have_them() {
    let (mut turning, mut riding, mut worst) = (0, 0, 0.0_f64);
    for seed in 0..chasles_testing::cases(800, 4_000) {
        let random = &mut Random(seed);
        let nodes = nodes(random);
        let file = written(&nodes, random);
        let scene = file.read().unwrap_or_else(|error| panic!("seed {seed}: {error}")).scene;
        let meshes: Vec<usize> = (0..nodes.len()).filter(|node| nodes[*node].has_mesh).collect();
        assert_eq!(scene.bodies().len(), meshes.len(), "seed {seed}");
        turning += nodes.iter().filter(|node| node.turns.is_some()).count();
        riding += scene.bodies().iter().filter(|body| body.parent.is_some()).count();
        for _ in 0..4 {
            let time = scene.duration() * f64::from(single(random).abs());
            for (body, &node) in meshes.iter().enumerate() {
                let transform = world(&nodes, node, time);
                for (found, corner) in corners(&scene, body, time).into_iter().zip(TRIANGLE) {
                    let expected = transform.transform_point3(DVec3::from_array(corner.map(f64::from)));
                    let error = found.distance(expected) / (1.0 + expected.length());
                    worst = worst.max(error);
                    assert!(error < 1e-12, "seed {seed}, {time}: {found} {expected}");
                }
            }
        }
        if seed % 10 == 0 {
            let facts = file.facts().unwrap();
            let points = meshes.iter().flat_map(|&node| {
                let transform = world(&nodes, node, 0.0);
                TRIANGLE.map(|corner| transform.transform_point3(DVec3::from_array(corner.map(f64::from))))
            });
            let points: Vec<DVec3> = points.collect();
            let lo = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
            let hi = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
            let [low, high] = facts.bounds.unwrap();
            assert!(
                low.distance(lo) + high.distance(hi) < 1e-12 * (1.0 + lo.length() + hi.length()),
                "seed {seed}"
            );
        }
    }
    assert!(turning > 150 && riding > 300, "{turning} {riding}");
    assert!(worst > 0.0);
}
