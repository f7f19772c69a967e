//! Surfaces whose vertices move on their own: a strip, a sphere that breathes, a cloth.

use glam::DVec3;

use crate::make_scenes::cloth::{BALL, cloth};
use crate::make_scenes::expected::{FEW_SAMPLES, keep_clear, meet, scene};
use crate::make_scenes::frames::{Frames, KeptIn, in_single};
use crate::make_scenes::scene::{Body, Interval, Motion, Scene, Shape};
use crate::make_scenes::solid::{Solid, octasphere, sheet};

/// These scenes, in the order of the table.
pub(crate) fn scenes() -> Vec<Scene> {
    vec![strip_folds(), breathing_sphere(), cloth_over_ball(), cloth_with_gap()]
}

fn deforming(name: &'static str, surface: Solid, frames: Frames) -> Body {
    let mut body = Body::of(name, Shape::Surface(name, surface));
    body.motion = Motion::Deforming(Box::new(frames));
    body
}

/// Panels of the strip, from fold to fold, and how many squares each is cut into, along the strip and across it.
const PANELS: u32 = 4;
const ALONG: u32 = 3;
const ACROSS: u32 = 2;

/// A strip of four panels that lies flat, folds up like a hook, and dips its end through its first panel and out again.
fn strip_folds() -> Scene {
    // Where the folds are, in x and z, from one end to the other.
    let folded = |fourth, end| [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], fourth, end];
    let flat = folded([3.0, 0.0], [4.0, 0.0]);
    let up = folded([2.0, 0.75], [2.0, 1.75]);
    let hook = folded([2.0, 0.75], [1.0, 0.75]);
    let dipped = folded([2.0, 0.75], [0.5, -0.25]);
    let places = [flat, up, hook, dipped, hook].map(|folds| strip(&folds)).to_vec();
    let columns = PANELS * ALONG + 1;
    let surface = Solid { vertices: places[0].clone(), triangles: sheet([columns, ACROSS + 1]) };
    let frames = Frames { times: vec![0.0, 1.0, 2.0, 3.0, 4.0], places, kept_in: KeptIn::Meshes };
    let mut strip = deforming("strip", surface, frames);
    strip.self_tested = true;
    let mut scene = scene("strip-folds", 4.0, vec![strip]);
    scene.pairs_tested = 1;
    // The end goes from 0.75 m over the first panel to 0.25 m under it within a second, and back in the next.
    meet(&mut scene, [0, 0], &[(2.75, Some(3.25))]);
    scene.about = "A strip folds up like a hook, and its end dips through its own first panel and out again.";
    scene.truth = "Formula: the end is 0.75 m above the panel after 2 s, 0.25 m below it after 3 s, and back after 4 s; \
                   with bisection.";
    scene
}

/// The vertices of a strip, half a metre wide, along its folds.
fn strip(folds: &[[f64; 2]; 5]) -> Vec<[f64; 3]> {
    let mut places = Vec::new();
    for row in 0..=ACROSS {
        for column in 0..=PANELS * ALONG {
            let panel = (column / ALONG).min(PANELS - 1);
            let share = f64::from(column - panel * ALONG) / f64::from(ALONG);
            let [from, to] = [0, 1].map(|i| folds[panel as usize + i]);
            let [x, z] = [0, 1].map(|i| from[i] + share * (to[i] - from[i]));
            places.push([x, 0.5 * f64::from(row) / f64::from(ACROSS), z]);
        }
    }
    places
}

/// A sphere that breathes in a box: once through its sides, once up to them.
fn breathing_sphere() -> Scene {
    let surface = octasphere(2, 1.0);
    let breath = |radius: f64| surface.vertices.iter().map(|v| v.map(|x| in_single(radius * x))).collect();
    let places = [0.5, 1.5, 0.5, 1.0, 0.5].map(breath).to_vec();
    let frames = Frames { times: vec![0.0, 1.0, 2.0, 3.0, 4.0], places, kept_in: KeptIn::Mdd };
    let sphere = deforming("sphere", surface, frames);
    let mut scene = scene("breathing-sphere", 4.0, vec![sphere, Body::of("box", Shape::cuboid([2.0; 3]))]);
    meet(&mut scene, [0, 1], &[(0.5, Some(1.5))]);
    // The ends of its axes come to the middles of the sides and turn back, which no static test sees.
    scene.pairs[0].intervals.push(Interval { enter: 3.0, exit: Some(3.0), contact: None });
    scene.about = "A sphere breathes in a box: once through its sides, and once just up to them.";
    scene.truth = "Formula: six vertices are as far from the middle as the radius, which grows from 0.5 m to 1.5 m in a second \
                   and shrinks again, then to 1 m and back; the sides are 1 m away. With bisection, but for the touch.";
    scene
}

/// The cloth, and a ball of this radius.
fn cloth_on(name: &'static str, mesh: &'static str, radius: f64) -> Scene {
    let (surface, frames) = cloth();
    let duration = frames.times[frames.times.len() - 1];
    let ball = Body::new("ball", mesh, octasphere(3, radius));
    scene(name, duration, vec![deforming("cloth", surface, frames), ball])
}

fn cloth_over_ball() -> Scene {
    let mut scene = cloth_on("cloth-over-ball", "ball", BALL);
    scene.bodies[0].self_tested = true;
    scene.pairs_tested = 2;
    meet(&mut scene, [0, 0], &[]);
    meet(&mut scene, [0, 1], &[]);
    scene.about = "A simulated cloth falls over a ball: its vertices are kept out of the ball, but not its faces, and nothing \
                   keeps it out of itself.";
    scene.truth = "Bisection.";
    scene
}

/// The ball is so much smaller than what the vertices are kept out of, in metres.
const GAP: f64 = 0.025;

fn cloth_with_gap() -> Scene {
    let scene = cloth_on("cloth-with-gap", "ball-smaller", BALL - GAP);
    let Shape::Surface(_, surface) = &scene.bodies[0].shape else { panic!("the cloth is a surface") };
    let Motion::Deforming(frames) = &scene.bodies[0].motion else { panic!("the cloth deforms") };
    let kept = kept_out_of(frames, surface);
    assert!(kept > BALL - GAP, "the cloth may come as near as {kept}");
    keep_clear(&scene, [0, 1], FEW_SAMPLES);
    Scene {
        about: "The same cloth and a ball that is 25 mm smaller: as if the simulation had kept such a gap.",
        truth: "Formula: a triangle whose sides are at most L long, and whose corners go at most m, stays sqrt(r^2 - L^2/3 - \
                m^2/4) from the origin, r being how near its corners are at the frames.",
        ..scene
    }
}

/// Every point of the surface stays this far from the origin. The mean of squares less the square of the mean is the sum
/// of w v (p - q)^2 over the pairs of points with their weights: at most m^2/4 between two frames of a vertex, whose
/// weights are s and 1 - s, and at most L^2/3 between the three corners of a triangle.
fn kept_out_of(frames: &Frames, surface: &Solid) -> f64 {
    let mut nearest = f64::INFINITY;
    for pair in frames.places.windows(2) {
        for triangle in &surface.triangles {
            let [from, to] =
                [0, 1].map(|frame: usize| triangle.map(|v| DVec3::from(pair[frame][v as usize])));
            let sides = [from, to].into_iter().flat_map(|[a, b, c]| [b - a, c - b, a - c]);
            let longest = sides.map(DVec3::length_squared).fold(0.0, f64::max);
            let way = from.iter().zip(to).map(|(p, q)| (q - *p).length_squared()).fold(0.0, f64::max);
            let corners = from.into_iter().chain(to).map(DVec3::length_squared).fold(f64::INFINITY, f64::min);
            nearest = nearest.min(corners - longest / 3.0 - way / 4.0);
        }
    }
    nearest.max(0.0).sqrt()
}
