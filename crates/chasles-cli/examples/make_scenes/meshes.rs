//! The surfaces in `meshes/` and `frames/` that are computed. Simple meshes there are sources.

use glam::DVec3;

use crate::make_scenes::cloth::{BALL, cloth};
use crate::make_scenes::frames::{FrameFormat, Frames, in_single};
use crate::make_scenes::solid::{Solid, Torus, block_with_hole, gridded, octasphere, sheet};
use crate::make_scenes::thread;

/// The closed meshes that are computed, by their names: the files are `meshes/<name>.obj`.
fn closed() -> Vec<(&'static str, Solid)> {
    vec![
        ("ball", octasphere(3, BALL)),
        ("ball-smaller", octasphere(3, SMALLER_BALL)),
        ("block", block_with_hole(0.1, 0.055, 0.08)),
        ("bolt", thread::bolt()),
        ("jelly-ball", octasphere(2, 0.09)),
        ("jelly-bar", gridded([8, 2, 2], [0.48, 0.12, 0.12])),
        ("jelly-cube", gridded([3, 3, 3], [0.16, 0.16, 0.16])),
        ("link-thick", Torus { tube: 0.02, ..LINK }.solid()),
        ("link-thin", LINK.solid()),
        ("nut", thread::nut()),
        ("rock-long", rock(0.3, DVec3::new(1.2, 0.9, 0.75))),
        ("rock-round", rock(1.7, DVec3::new(1.0, 1.0, 0.8))),
        ("rock-sharp", rock(4.1, DVec3::new(1.3, 0.8, 0.9))),
        ("torus-large", Torus { radius: 0.1, tube: 0.02, ..LINK }.solid()),
        ("torus-small", Torus { radius: 0.03, tube: 0.008, ..LINK }.solid()),
    ]
}

/// A deforming surface by its name: its shape at the start, and its frames.
pub(crate) fn deforming(name: &str) -> (Solid, Frames) {
    match name {
        "cloth" => cloth(),
        "sphere" => sphere(),
        "strip" => strip(),
        _ => panic!("no surface that deforms is called {name}"),
    }
}

/// The files that are computed, by their paths in the folder of scenes.
pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    let mesh = |(name, solid): (&str, Solid)| (format!("meshes/{name}.obj"), solid.to_obj(name).into_bytes());
    let frames = |name: &'static str| {
        let (surface, frames) = deforming(name);
        frames.files(name, &surface)
    };
    closed().into_iter().map(mesh).chain(["cloth", "sphere", "strip"].into_iter().flat_map(frames)).collect()
}

/// The radius in metres of a ball that is 25 mm smaller than the ball of the cloth's simulation.
pub(crate) const SMALLER_BALL: f64 = BALL - 0.025;

/// A link of a chain.
pub(crate) const LINK: Torus = Torus { radius: 0.05, tube: 0.012, sections: 24, corners: 10 };

/// An octahedron cut once, with vertices moved inwards and outwards: it is not convex.
fn rock(phase: f64, stretch: DVec3) -> Solid {
    let micrometres = |x: f64| (x * 1e6).round() / 1e6 + 0.0;
    let mut solid = octasphere(1, 0.08);
    for (vertex, i) in solid.vertices.iter_mut().zip(0_i32..) {
        let bump = 1.0 + 0.22 * (phase + 2.4 * f64::from(i * (i + 1))).sin();
        *vertex = (DVec3::from(*vertex) * stretch * bump).to_array().map(micrometres);
    }
    solid
}

/// A sphere that breathes.
fn sphere() -> (Solid, Frames) {
    let surface = octasphere(2, 1.0);
    let breath = |radius: f64| surface.vertices.iter().map(|v| v.map(|x| in_single(radius * x))).collect();
    let places = [0.5, 1.5, 0.5, 1.0, 0.5].map(breath).to_vec();
    (surface, Frames { times: vec![0.0, 1.0, 2.0, 3.0, 4.0], places, format: FrameFormat::Mdd })
}

/// Panels of the strip, from fold to fold, and how many squares each has along the strip and across it.
const PANELS: u32 = 4;
const ALONG: u32 = 3;
const ACROSS: u32 = 2;

/// A strip of four panels. It starts flat, folds up like a hook, and moves its end through its first panel and back.
fn strip() -> (Solid, Frames) {
    // The folds in x and z, from one end to the other.
    let folded = |fourth, end| [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], fourth, end];
    let flat = folded([3.0, 0.0], [4.0, 0.0]);
    let up = folded([2.0, 0.75], [2.0, 1.75]);
    let hook = folded([2.0, 0.75], [1.0, 0.75]);
    let dipped = folded([2.0, 0.75], [0.5, -0.25]);
    let places = [flat, up, hook, dipped, hook].map(|folds| strip_vertices(&folds)).to_vec();
    let surface = Solid { vertices: places[0].clone(), triangles: sheet([PANELS * ALONG + 1, ACROSS + 1]) };
    (surface, Frames { times: vec![0.0, 1.0, 2.0, 3.0, 4.0], places, format: FrameFormat::Meshes })
}

/// The vertices of a strip, half a metre wide, along its folds.
fn strip_vertices(folds: &[[f64; 2]; 5]) -> Vec<[f64; 3]> {
    let mut places = Vec::new();
    for row in 0..=ACROSS {
        for column in 0..=PANELS * ALONG {
            let panel = (column / ALONG).min(PANELS - 1);
            let fraction = f64::from(column - panel * ALONG) / f64::from(ALONG);
            let [from, to] = [0, 1].map(|i| folds[panel as usize + i]);
            let [x, z] = [0, 1].map(|i| from[i] + fraction * (to[i] - from[i]));
            places.push([x, 0.5 * f64::from(row) / f64::from(ACROSS), z]);
        }
    }
    places
}
