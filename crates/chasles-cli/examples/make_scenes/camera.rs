//! A carton on a table, seen by a depth camera: an organised cloud of points in the camera's own frame, and the angles
//! of the arm at which a finger meets a point.

use crate::make_scenes::scene::Pose;

/// The number of pixels of a picture, along x and y; y points down.
const PIXELS: [u32; 2] = [40, 30];
/// Pixels per unit of the tangent of the angle from the line of sight.
const FOCUS: f64 = 50.0;
/// The camera's pose in the world.
const CAMERA: Pose = Pose { position: [0.7, -0.45, 0.7], rotation: [1.0, -3.0, 0.0, 0.0] };
/// Depths are rounded to millimetres, and the other coordinates to tenths of a millimetre.
const DEPTHS: f64 = 1e3;
const OTHERS: f64 = 1e4;
/// The table and the carton on it, each by two opposite corners.
const SEEN: [[[f64; 3]; 2]; 2] =
    [[[0.5, -0.2, 0.08], [0.9, 0.2, 0.1]], [[0.62, -0.06, 0.1], [0.78, 0.06, 0.2]]];

/// Panics unless the cloud's pose in the world is the camera's.
pub(super) fn assert_pose(pose: Pose) {
    assert_eq!(pose, CAMERA, "the pose of the cloud");
}

/// The distance to the first box along a ray, in multiples of its direction.
fn depth(ray: [f64; 3]) -> Option<f64> {
    let depths = SEEN.iter().filter_map(|[lower, upper]| {
        let mut span = [0.0, f64::INFINITY];
        for axis in 0..3 {
            let at = [lower, upper].map(|side| (side[axis] - CAMERA.position[axis]) / ray[axis]);
            span = [f64::max(span[0], at[0].min(at[1])), f64::min(span[1], at[0].max(at[1]))];
        }
        (span[0] <= span[1]).then_some(span[0])
    });
    depths.reduce(f64::min)
}

/// The points in the camera's frame, row by row; `None` for a ray that meets no box.
fn points() -> impl Iterator<Item = Option<[f64; 3]>> {
    let [width, height] = PIXELS;
    let tangent = |pixel: u32, of: u32| (f64::from(pixel) - 0.5 * f64::from(of - 1)) / FOCUS;
    let pixels = (0..height).flat_map(move |row| (0..width).map(move |column| (row, column)));
    pixels.map(move |(row, column)| {
        let [x, y] = [tangent(column, width), tangent(row, height)];
        let depth = (depth(direction([x, y, 1.0]))? * DEPTHS).round() / DEPTHS;
        let rounded = |tangent: f64| (tangent * depth * OTHERS).round() / OTHERS;
        Some([rounded(x), rounded(y), depth])
    })
}

/// A direction in the camera's frame, in the world: its z looks along (0, 0.6, -0.8), and its y is (0, -0.8, -0.6).
fn direction([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, 0.6 * z - 0.8 * y, -0.8 * z - 0.6 * y]
}

/// The file, with `nan` for a ray that meets no box.
pub(super) fn pcd() -> String {
    let [width, height] = PIXELS;
    let mut text = format!(
        "# A carton on a table, seen by a depth camera.\n# Written by the example make_scenes; do not edit.\n\
         VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {width}\nHEIGHT {height}\n\
         VIEWPOINT 0 0 0 1 0 0 0\nPOINTS {}\nDATA ascii\n",
        width * height
    );
    for point in points() {
        text += &match point {
            Some([x, y, z]) => format!("{x} {y} {z}\n"),
            None => "nan nan nan\n".to_owned(),
        };
    }
    text
}

/// The angles of the straight arm at which a finger enters the radius of the first point and leaves the radius of the
/// last point, by bisection of its distance from the points. At arm angle 0 the finger is a box with the given middle
/// and half sizes.
pub(super) fn contact_angles([middle, half]: [[f64; 3]; 2], radius: f64, [from, to]: [f64; 2]) -> [f64; 2] {
    let world = |p: [f64; 3]| [0, 1, 2].map(|i| p[i] + CAMERA.position[i]);
    let cloud: Vec<_> = points().flatten().map(direction).map(world).collect();
    let meets = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        cloud.iter().any(|[x, y, z]| {
            let turned = [cos * x + sin * y, cos * y - sin * x, *z];
            let beyond = [0, 1, 2].map(|i| ((turned[i] - middle[i]).abs() - half[i]).max(0.0));
            beyond.iter().map(|d| d * d).sum::<f64>() <= radius * radius
        })
    };
    let angle = |i: u32| from + (to - from) * f64::from(i) / f64::from(SAMPLES);
    let changes: Vec<_> = (0..SAMPLES).filter(|i| meets(angle(*i)) != meets(angle(i + 1))).collect();
    let changes: [u32; 2] = changes.try_into().expect("it meets the points once");
    changes.map(|i| {
        let [mut lower, mut upper] = [angle(i), angle(i + 1)];
        let first = meets(lower);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (lower + upper);
            *if meets(middle) == first { &mut lower } else { &mut upper } = middle;
        }
        upper
    })
}

/// Samples of a path.
const SAMPLES: u32 = 5000;

/// Steps of bisection, enough to reach neighbouring f64 numbers.
const BISECTIONS: u32 = 50;
