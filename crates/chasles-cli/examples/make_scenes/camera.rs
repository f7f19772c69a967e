//! What a depth camera sees of a carton on a table: an organised cloud of points, in the camera's own frame; and when the
//! fingers of the arm that turns meet a point.

/// The pixels of a picture, along x and down y.
const PIXELS: [u32; 2] = [40, 30];
/// Pixels a unit of the tangent of the angle from the line of sight.
const FOCUS: f64 = 50.0;
/// Where the camera is, in the world.
const EYE: [f64; 3] = [0.7, -0.45, 0.7];
/// Depths are told in millimetres, and what follows from them in tenths of that.
const DEPTHS: f64 = 1e3;
const OTHERS: f64 = 1e4;
/// The table and the carton on it, from corner to corner.
const SEEN: [[[f64; 3]; 2]; 2] =
    [[[0.5, -0.2, 0.08], [0.9, 0.2, 0.1]], [[0.62, -0.06, 0.1], [0.78, 0.06, 0.2]]];

/// The world in which the cloud stands: the points are balls that close the gaps between them.
pub(super) const WORLD: &str = "format = 1
duration = 1.0
epsilon = 1e-7

[[body]]
name = \"seen\"
points = \"seen.pcd\"
radius = 0.016
pose = { position = [0.7, -0.45, 0.7], rotation = [1.0, -3.0, 0.0, 0.0] }
";

/// How far along a ray, in multiples of its direction, the first box is that it meets.
fn depth(ray: [f64; 3]) -> Option<f64> {
    let depths = SEEN.iter().filter_map(|[lower, upper]| {
        let mut span = [0.0, f64::INFINITY];
        for axis in 0..3 {
            let at = [lower, upper].map(|side| (side[axis] - EYE[axis]) / ray[axis]);
            span = [f64::max(span[0], at[0].min(at[1])), f64::min(span[1], at[0].max(at[1]))];
        }
        (span[0] <= span[1]).then_some(span[0])
    });
    depths.reduce(f64::min)
}

/// The points in the camera's frame, row by row; none where no ray meets anything.
fn points() -> impl Iterator<Item = Option<[f64; 3]>> {
    let [width, height] = PIXELS;
    let tangent = |pixel: u32, of: u32| (f64::from(pixel) - 0.5 * f64::from(of - 1)) / FOCUS;
    let pixels = (0..height).flat_map(move |row| (0..width).map(move |column| (row, column)));
    pixels.map(move |(row, column)| {
        let [x, y] = [tangent(column, width), tangent(row, height)];
        let depth = (depth(direction([x, y, 1.0]))? * DEPTHS).round() / DEPTHS;
        let told = |tangent: f64| (tangent * depth * OTHERS).round() / OTHERS;
        Some([told(x), told(y), depth])
    })
}

/// A direction in the camera's frame, in the world: its z looks along (0, 0.6, -0.8), and its y is (0, -0.8, -0.6).
fn direction([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, 0.6 * z - 0.8 * y, -0.8 * z - 0.6 * y]
}

/// The file, with `nan` where no ray meets anything.
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

/// The angles of the stretched arm at which a finger comes within the radius of the first point, and leaves the last one:
/// by bisection of its least distance from a point. The finger is a box with this middle and half these sizes while the
/// arm's angle is 0.
pub(super) fn meeting(middle: [f64; 3], half: [f64; 3], [from, to]: [f64; 2]) -> [f64; 2] {
    let cloud: Vec<_> = points().flatten().map(direction).map(|p| [0, 1, 2].map(|i| p[i] + EYE[i])).collect();
    let meets = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        cloud.iter().any(|[x, y, z]| {
            let seen = [cos * x + sin * y, cos * y - sin * x, *z];
            let beyond = [0, 1, 2].map(|i| ((seen[i] - middle[i]).abs() - half[i]).max(0.0));
            beyond.iter().map(|d| d * d).sum::<f64>() <= RADIUS * RADIUS
        })
    };
    let angle = |i: u32| from + (to - from) * f64::from(i) / f64::from(LOOKS);
    let changes: Vec<_> = (0..LOOKS).filter(|i| meets(angle(*i)) != meets(angle(i + 1))).collect();
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

/// Of the points, in metres, as the world has it.
const RADIUS: f64 = 0.016;

/// How often a path is looked at for the points that a finger meets.
const LOOKS: u32 = 5000;

/// Until two angles are next to each other.
const BISECTIONS: u32 = 50;
